"""Render the page: one file with its styles, its plot and its pictures inside."""

import base64
from collections.abc import Sequence
from datetime import timedelta

import jinja2
from markupsafe import Markup

from envsvc import __version__
from envsvc.adapters.html_report.plot import outcome_plot
from envsvc.adapters.html_report.runs import Run, Screenshot, manifests_of
from envsvc.adapters.html_report.score_sheet import (
    OUTCOME_LABELS,
    certificate_text,
    percent,
    score_sheet,
    summary,
)
from envsvc.cassette.entry import timestamp
from envsvc.playback.outcome import MISS_OUTCOMES, MissClass

_SECOND_US = timedelta(seconds=1) // timedelta(microseconds=1)


def report_page(runs: Sequence[Run], *, title: str, now_us: int) -> str:
    """Return the report of *runs* as HTML; whatever came from a run is escaped.

    Raises: ValueError without runs.
    """
    if not runs:
        raise ValueError("a report needs at least one run")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("envsvc.adapters.html_report", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        title=title,
        made_at=timestamp(now_us // _SECOND_US * _SECOND_US)[:19] + "Z",
        envsvc_version=__version__,
        runs=runs,
        groups=score_sheet(runs),
        summary=summary(runs),
        # Only this is markup: matplotlib has escaped every text in it.
        plot=Markup(outcome_plot(runs)),  # noqa: S704
        manifests=manifests_of(runs),
        certificate_text=certificate_text,
        percent=percent,
        class_label=_class_label,
        data_uri=_data_uri,
    )


def _class_label(kind: MissClass) -> str:
    return OUTCOME_LABELS[MISS_OUTCOMES[kind]]


def _data_uri(screenshot: Screenshot) -> str:
    return f"data:image/png;base64,{base64.b64encode(screenshot.png).decode()}"
