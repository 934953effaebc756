"""Draw how requests ended as an SVG that takes its colours from the page around it."""

import re
from collections.abc import Sequence
from io import StringIO

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator

from envsvc.adapters.html_report.runs import Run
from envsvc.adapters.html_report.score_sheet import ANSWERS, MISSES, OUTCOME_LABELS
from envsvc.playback.outcome import Outcome

# Matplotlib wants colours, the page's are known only there: stand-ins, replaced after drawing.
_INK, _LINE = "#000001", "#000002"
_COLOUR_OF = {outcome: f"#0000{number:02x}" for number, outcome in enumerate(Outcome, 16)}
_STAND_INS = {
    _INK: "var(--ink)",
    _LINE: "var(--line)",
    **{colour: f"var(--{outcome.replace('_', '-')})" for outcome, colour in _COLOUR_OF.items()},
}
_STYLE = {
    "svg.fonttype": "none",  # text stays text: it can be read aloud, searched and copied
    "svg.hashsalt": "envsvc",  # the same data gives the same bytes
    "font.size": 10,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
}
_PROLOGUE = re.compile(r"^.*?(?=<svg )", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_NAMESPACE = re.compile(r'\sxmlns(?::\w+)?="[^"]*"')
_FONT = re.compile(r"'DejaVu Sans'[^;\"]*")
_SIDES = (ANSWERS, MISSES)
_LEGEND_COLUMNS = 4  # more are wider than their half of the figure
_MAX_NAME = 24  # characters: a longer name would take the room of the bars


def outcome_plot(runs: Sequence[Run]) -> str:
    """Return an inline ``<svg>``: hits by provenance and misses by class, a bar for each run."""
    with mpl.rc_context(_STYLE):  # type: ignore[arg-type]  # wants a Literal of 300 names
        height = 1.2 + 0.5 * len(runs) + 0.25 * _legend_rows(runs)
        figure = Figure(figsize=(9.6, height), layout=ConstrainedLayoutEngine(wspace=0.05))
        answered, missed = figure.subplots(1, 2, sharey=True)
        _bars(answered, runs, ANSWERS, "Answered, by rule")
        _bars(missed, runs, MISSES, "Not recorded, by class")
        _name_runs(answered, runs)
        drawn = StringIO()
        figure.savefig(drawn, format="svg", transparent=True)
    return _inline(drawn.getvalue())


def _bars(axes: Axes, runs: Sequence[Run], outcomes: Sequence[Outcome], title: str) -> None:
    places = range(len(runs))
    lefts = [0] * len(runs)
    for outcome in outcomes:
        counts = [run.report.count(outcome) for run in runs]
        if any(counts):
            colour = _COLOUR_OF[outcome]
            label = OUTCOME_LABELS[outcome]
            axes.barh(places, counts, left=lefts, height=0.55, color=colour, label=label)
        lefts = [left + count for left, count in zip(lefts, counts, strict=True)]
    for place, total in zip(places, lefts, strict=True):
        axes.annotate(str(total), (total, place), (4, 0), textcoords="offset points", va="center")
    axes.set_title(title, loc="left", fontsize=10, fontweight="bold", pad=8)
    axes.set_xlim(0, max(1, *lefts) * 1.1)
    axes.set_ylim(len(runs) - 0.5, -0.5)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    _legend(axes)
    axes.tick_params(length=0)
    axes.grid(visible=True, axis="x", color=_LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)


def _legend_rows(runs: Sequence[Run]) -> int:
    """Return how many rows the longer of the two legends needs."""
    shown = [sum(any(run.report.count(o) for run in runs) for o in side) for side in _SIDES]
    return -(-max(shown) // _LEGEND_COLUMNS)


def _legend(axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        below = (0.5, -0.12)
        axes.legend(
            handles,
            labels,
            loc="upper center",
            bbox_to_anchor=below,
            ncols=_LEGEND_COLUMNS,
            frameon=False,
        )


def _name_runs(axes: Axes, runs: Sequence[Run]) -> None:
    axes.set_yticks(range(len(runs)), [_label(number, run) for number, run in enumerate(runs, 1)])
    for tick in axes.get_yticklabels():
        tick.set_parse_math(False)  # a dollar sign in a name is no formula


def _label(number: int, run: Run) -> str:
    """Return a name that the drawing can measure: its font does not know every script."""
    name = run.name if len(run.name) <= _MAX_NAME else run.name[: _MAX_NAME - 1] + "~"
    return f"{number} {name}" if name.isascii() and name.isprintable() else f"run {number}"


def _inline(svg: str) -> str:
    svg = _NAMESPACE.sub("", _METADATA.sub("", _PROLOGUE.sub("", svg)))
    svg = _FONT.sub("inherit", svg)
    for stand_in, colour in _STAND_INS.items():
        svg = svg.replace(stand_in, colour)
    return svg.replace("<svg ", '<svg role="img" aria-label="Requests by outcome" ', 1)
