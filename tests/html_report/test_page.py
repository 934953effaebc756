"""The page shows every figure, escapes everything, and asks for nothing."""

import re
from html.parser import HTMLParser

import pytest

from envsvc.adapters.html_report.page import report_page
from envsvc.adapters.html_report.runs import Run
from envsvc.answers.table import View
from envsvc.cassette.manifest import AmbiguousKey, Certificate, Dropped
from envsvc.playback.outcome import MissClass, Outcome
from envsvc.playback.session import LiveRecord
from tests.html_report.examples import (
    ATTACK,
    NOW_US,
    manifest,
    miss,
    scored,
    screenshot,
    session,
)

FETCHING = {"src", "href", "action", "poster", "data", "srcset", "xlink:href", "formaction"}
VOID = {"meta", "img", "br", "link", "input", "hr"}


class Elements(HTMLParser):
    """Notes every element, what it would fetch, whether all are closed, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.targets: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a start tag."""
        self.names.append(tag)
        self.targets += [value or "" for name, value in attrs if name in FETCHING]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Note an end tag, which must close the element that is open."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note text, except the styles."""
        if self.open and self.open[-1] != "style":
            self.text += f" {data.strip()}"


def page(*runs: Run) -> str:
    """Return the report of *runs*."""
    return report_page(runs, title="A report", now_us=NOW_US)


def full_run(text: str) -> Run:
    """Return a run that says *text* wherever it can say anything."""
    attacked = manifest(
        certificate=Certificate(
            replayed_at=text, requests=1, task_misses=0, outbound_connections=0, problems=(text,)
        ),
        ambiguous=(AmbiguousKey(method=text, url=text, answers=2),),
        dropped=(Dropped(method=text, url=text, reason=text),),
        build=text,
    )
    return Run(
        report=session(
            text,
            outcomes={Outcome.MISS_TASK: 1, Outcome.MISS_NOISE: 1, Outcome.LIVE: 1},
            misses=(miss(text), miss(f"noise {text}", MissClass.NOISE)),
            live=(LiveRecord(method=text, url=text, app_version=text, status=200),),
        ),
        manifest=attacked,
        screenshots=(screenshot(text),),
        score=scored("x", View(text, text)).score,
        note=text,
    )


def test_a_page_is_whole_html() -> None:
    """Every element that is opened is closed, in order."""
    assert Elements(page(full_run("one"))).open == []


def test_what_a_run_says_is_text() -> None:
    """A URL, a name, a reason or a caption with markup in it stays text."""
    shown = report_page([full_run(ATTACK)], title=ATTACK, now_us=NOW_US)

    assert "script" not in Elements(shown).names
    assert ATTACK not in shown
    assert Elements(shown).text.count(ATTACK) >= 15


def test_a_quote_does_not_end_an_attribute() -> None:
    """A caption stands in an attribute too."""
    caption = '" onerror="alert(1)'
    run = Run(report=session(), screenshots=(screenshot(caption),))

    assert 'onerror="alert' not in page(run)


def test_nothing_is_fetched() -> None:
    """Links stay on the page and pictures are inside of it."""
    targets = Elements(page(full_run("one"))).targets

    assert targets
    assert [t for t in targets if not t.startswith(("#", "data:image/png;base64,"))] == []


def test_no_address_of_the_outside_is_in_the_page() -> None:
    """Neither styles nor the plot name a place on the web."""
    shown = page(Run(report=session(), manifest=manifest(), screenshots=(screenshot(),)))

    assert re.findall(r"https?://|url\((?!#)|@import", shown) == []


def test_the_page_forbids_requests() -> None:
    """Its content security policy allows inline styles and embedded pictures only."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

    assert policy in page(Run(report=session()))


@pytest.mark.parametrize(
    "expected",
    [
        "chromium 140.1",
        "nb-NO",
        "ab" * 32,
        "2025-12-31T23:00:00Z",
        "secret.cookie 17",
        "79 exchanges, 38,306 bytes of bodies",
        "default-views (38 steps)",
        "GET http://shop.test/cart (3 answers)",
        "status 503, 3 attempts",
        "clean (25 requests, 0 task misses, 0 outbound)",
        "20 of 28 recorded exchanges were used",
    ],
)
def test_the_cassette_is_described(expected: str) -> None:
    """The facts of the manifest are there."""
    described = manifest(
        certificate=Certificate(
            replayed_at="2026-01-01T00:00:00Z", requests=25, task_misses=0, outbound_connections=0
        ),
        ambiguous=(AmbiguousKey(method="GET", url="http://shop.test/cart", answers=3),),
        dropped=(Dropped(method="GET", url="http://shop.test/x", reason="status 503, 3 attempts"),),
    )
    text = Elements(page(Run(report=session(), manifest=described))).text

    assert expected in " ".join(text.split())


@pytest.mark.parametrize(
    "expected",
    ["http://shop.test/p05?sort=price", "query differs", "query sort", "4 times", "--from-misses"],
)
def test_a_miss_tells_why_and_what_to_do(expected: str) -> None:
    """Reason, nearest, difference, number and command are there."""
    missed = miss("http://shop.test/p05?sort=price", count=4)
    run = Run(report=session(outcomes={Outcome.MISS_TASK: 4}, misses=(missed,)))

    assert expected in Elements(page(run)).text


def test_misses_of_the_task_come_first() -> None:
    """Browser noise is listed apart, after everything else."""
    kinds = (MissClass.NOISE, MissClass.THIRD_PARTY, MissClass.TASK)
    misses = tuple(miss(f"http://{kind.value}.test/", kind) for kind in kinds)
    text = Elements(page(Run(report=session(misses=misses)))).text

    places = [text.index(f"http://{kind.value}.test/") for kind in reversed(kinds)]
    assert places == sorted(places)


def test_answers_are_marked_found_or_not() -> None:
    """Each row of the table and each false alarm has its line."""
    text = Elements(page(scored("one", View("p03", "default"), View("p09", "default")))).text

    assert re.search(r"Bad total\s+p03 default\s+found", text)
    assert re.search(r"Not in order\s+p05 sorted\s+not found", text)
    assert re.search(r"p09 default\s+false alarm", text)


def test_a_report_needs_a_run() -> None:
    """Nothing to show is a mistake of the caller."""
    with pytest.raises(ValueError, match="at least one run"):
        report_page([], title="Nothing", now_us=NOW_US)
