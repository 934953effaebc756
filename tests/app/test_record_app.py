"""Recording over fakes: passes, resumes, failures, credentials."""

import pytest

from envsvc.app.record_app import (
    OtherToursError,
    Tools,
    TourStepFailedError,
    next_placeholder_number,
    record_app,
    record_attached,
)
from envsvc.cassette.manifest import Dropped
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Request, Response
from envsvc.exchange.redact import Redactor
from envsvc.record.journal import Lost, Recorded, Started, StepDone, fold
from tests.app.fakes import (
    INFO,
    Act,
    FakeApps,
    FakeBrowser,
    FakeRecorders,
    MemoryJournal,
    Silent,
    exchange,
    task,
)

DONE = StepDone(tour="t", number=1, label="step 1")
BEGUN = Started(browser=INFO, tours=("t",))


class Bench:
    """A recording whose tour asks one page in each step."""

    def __init__(self, *before: Recorded | Started | StepDone) -> None:
        """Start with the events *before* in the journal."""
        self.journal = MemoryJournal(*before)
        self.apps = FakeApps()
        self.recorders = FakeRecorders()
        self.problems = ["", "", ""]
        self.redactor = Redactor({})
        self.acts: list[Act] = [self._step(number) for number in (1, 2, 3)]

    @property
    def tools(self) -> Tools:
        """Return the tools."""
        return Tools(
            apps=self.apps,
            recorders=self.recorders,
            browser=FakeBrowser(*self.acts),
            journal=self.journal,
            redactor=self.redactor,
            watcher=Silent(),
        )

    def _step(self, number: int) -> Act:
        def act() -> str:
            self.recorders.running.record(exchange(f"/{number}"))
            return self.problems[number - 1]

        return act

    def urls(self, pass_number: int = 1) -> list[str]:
        """Return the recorded paths of a pass."""
        recorded = fold(self.journal.events()).passes.get(pass_number, [])
        return [e.request.url.removeprefix("http://shop.test") for e in recorded]


def test_every_exchange_is_journalled_before_its_step() -> None:
    """D8: a step counts as done only when what it caused is safe."""
    bench = Bench()
    record_app(task(), bench.tools)

    assert [type(event).__name__ for event in bench.journal.events()] == [
        "Started",
        *["Recorded", "StepDone"] * 3,
    ]


def test_each_pass_starts_the_app_afresh() -> None:
    """D8: two passes see the same state."""
    bench = Bench()
    record_app(task(passes=2), bench.tools)

    assert (bench.apps.starts, bench.urls(2)) == (2, ["/1", "/2", "/3"])


def test_a_failed_step_ends_the_recording() -> None:
    """E303: what was recorded stays, and the message says how to go on."""
    bench = Bench()
    bench.problems[1] = "no such button"

    with pytest.raises(TourStepFailedError) as problem:
        record_app(task(), bench.tools)

    assert "step 2 (step 2) of tour t failed: no such button" in str(problem.value)
    assert (problem.value.exit_code, bench.urls()) == (1, ["/1", "/2"])


def test_a_dead_app_is_named_instead_of_the_step() -> None:
    """E302: the step failed because the app had ended."""
    bench = Bench()
    bench.problems[1] = "connection refused"
    bench.apps.app.problem = EnvsvcError("the app died")

    with pytest.raises(EnvsvcError, match="the app died"):
        record_app(task(), bench.tools)


def test_what_goes_wrong_in_the_recorder_ends_the_recording() -> None:
    """D8: a full disk is not noticed only at the end."""
    bench = Bench()

    def fill_disk() -> None:
        bench.recorders.running.problem = EnvsvcError("full")

    bench.acts = [fill_disk, lambda: "never asked"]
    with pytest.raises(EnvsvcError, match="full"):
        record_app(task(), bench.tools)


def test_finished_steps_are_driven_but_not_recorded_again() -> None:
    """D8: --resume; the fresh app needs them, the cassette does not."""
    bench = Bench(BEGUN, Recorded(exchange=exchange("/1")), DONE)
    record_app(task(), bench.tools)

    assert bench.urls() == ["/1", "/2", "/3"]


def test_an_unfinished_step_is_recorded_again() -> None:
    """D8: what it left in the journal does not count twice."""
    bench = Bench(BEGUN, Recorded(exchange=exchange("/1")), DONE, Recorded(exchange=exchange("/2")))
    record_app(task(), bench.tools)

    assert bench.urls() == ["/1", "/2", "/3"]


def test_a_resume_with_other_tours_is_refused() -> None:
    """E312: steps of another tour are not steps of this one."""
    bench = Bench(Started(browser=INFO, tours=("other",)))

    with pytest.raises(OtherToursError, match="other"):
        record_app(task(), bench.tools)


def test_credentials_never_reach_the_journal() -> None:
    """S3-10: redacted in memory, before the disk."""
    bench = Bench()
    secret = exchange(
        request=Request(
            method="GET",
            url="http://shop.test/?password=hunter2x",
            headers=(("Cookie", "s=c00kie-value"),),
        ),
        answer=Response(status=200, body=b"you are c00kie-value"),
    )
    bench.acts = [lambda: bench.recorders.running.record(secret)]
    record_app(task(), bench.tools)

    assert "c00kie-value" not in repr(bench.journal.events())
    assert "hunter2x" not in repr(bench.journal.events())


def test_urls_of_lost_exchanges_are_redacted_too() -> None:
    """S3-10: the list of drops is stored as well."""
    bench = Bench()
    dropped = Dropped(method="GET", url="http://shop.test/?password=hunter2x", reason="status 500")
    bench.acts = [lambda: bench.recorders.running.sink.lost(dropped)]
    record_app(task(), bench.tools)

    lost = [event.dropped.url for event in bench.journal.events() if isinstance(event, Lost)]
    assert lost == ["http://shop.test/?password=redacted-password"]


def test_an_attached_recording_keeps_what_was_there_before() -> None:
    """D8: a client that is not ours cannot be driven again."""
    bench = Bench(Started(browser=INFO, tours=("t",)), Recorded(exchange=exchange("/1")))
    record_attached(task(), bench.tools, lambda *_: bench.recorders.running.record(exchange("/2")))

    assert bench.urls() == ["/1", "/2"]


@pytest.mark.parametrize(
    ("cookie", "body", "expected"),
    [
        ("", b"", 1),
        ("a=redacted-cookie-a-7", b"", 8),
        ("a=redacted-cookie-a-7", b'{"token": "redacted-token-12"}', 13),
        ("a=redacted-cookie-s3-2", b"redacted-password", 3),
    ],
)
def test_placeholder_numbers_go_on_after_a_resume(cookie: str, body: bytes, expected: int) -> None:
    """D9: two values never share a placeholder."""
    request = Request(method="GET", url="http://shop.test/", headers=(("Cookie", cookie),))

    assert next_placeholder_number([exchange(body=body, request=request)]) == expected
