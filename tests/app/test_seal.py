"""Sealing over fakes: what the manifest says, what is replaced and when."""

import msgspec
import pytest

from envsvc.app.seal import (
    Difference,
    NothingRecordedError,
    SealTools,
    changed_between_passes,
    seal,
)
from envsvc.cassette.manifest import Dropped, Manifest
from envsvc.exchange.message import Request, Response
from envsvc.exchange.redact import Redactor
from envsvc.record.journal import Event, Lost, Recorded, Started, StepDone
from tests.app.fakes import (
    INFO,
    FakeBrowser,
    FakeReplays,
    FixedClock,
    MemoryCassettes,
    MemoryJournal,
    exchange,
    task,
)

BEGUN = Started(browser=INFO, tours=("t",))
DONE = StepDone(tour="t", number=1, label="catalogue")


class Bench:
    """A journal to be sealed."""

    def __init__(self, *events: Event) -> None:
        """Hold *events* after a start."""
        self.journal = MemoryJournal(BEGUN, *events, DONE)
        self.cassettes = MemoryCassettes()
        self.staging = MemoryCassettes()
        self.redactor = Redactor({})
        self.browser = FakeBrowser(lambda: "")

    def seal(self, passes: int = 1) -> tuple[Manifest, Difference | None]:
        """Seal it."""
        tools = SealTools(
            journal=self.journal,
            staging=self.staging,
            cassettes=self.cassettes,
            replays=FakeReplays(),
            browser=self.browser,
            clock=FixedClock(),
            redactor=self.redactor,
            replay_redactor=Redactor({}),
            envsvc_version="9",
        )
        sealed = seal(task(passes=passes), tools, answer_table_version="a1")
        return sealed.manifest, sealed.difference


def test_the_manifest_holds_the_required_metadata() -> None:
    """S3-09: versions of app, tool schema, answer table, and the recorded time."""
    manifest, _ = Bench(Recorded(exchange=exchange())).seal()

    assert (manifest.version, manifest.tool_schema_version, manifest.answer_table_version) == (
        "v1",
        None,
        "a1",
    )
    assert manifest.recorded_at == "1970-01-01T00:00:01.000000Z"


def test_a_clean_self_replay_is_certified() -> None:
    """D8: the certificate is part of the sealed manifest."""
    manifest, _ = Bench(Recorded(exchange=exchange())).seal()

    assert manifest.certificate is not None
    assert manifest.certificate.is_clean


def test_a_failed_step_offline_marks_the_cassette() -> None:
    """D8: it is written all the same."""
    bench = Bench(Recorded(exchange=exchange()))
    bench.browser = FakeBrowser(lambda: "not visible")
    manifest, _ = bench.seal()

    assert manifest.certificate is not None
    assert manifest.certificate.problems == ("step 1 (step 1): not visible",)
    assert bench.cassettes.written == [manifest]


def test_an_old_cassette_is_untouched_until_the_new_one_is_proven() -> None:
    """D8: self-replay reads the staged cassette."""
    bench = Bench(Recorded(exchange=exchange()))
    seen: list[int] = []
    bench.browser = FakeBrowser(lambda: seen.append(len(bench.cassettes.written)))
    bench.seal()

    assert (seen, len(bench.staging.written)) == ([0], 1)


def test_an_empty_recording_is_not_sealed() -> None:
    """E311: an empty cassette would prove nothing."""
    with pytest.raises(NothingRecordedError):
        Bench().seal()


def test_exchanges_carry_the_label_of_their_step() -> None:
    """D2: number and name of the step."""
    bench = Bench(Recorded(exchange=exchange()))
    bench.seal()

    assert bench.cassettes.exchanges[0].step == "1 catalogue"


def test_exchanges_are_in_the_order_of_their_start() -> None:
    """D2: recorded order is when it was asked, not when the answer ended."""
    later = exchange("/later", started_us=3_000_000)
    bench = Bench(Recorded(exchange=later), Recorded(exchange=exchange("/first")))
    bench.seal()

    assert [e.request.url[-6:] for e in bench.cassettes.exchanges] == ["/first", "/later"]


def test_a_credential_learnt_late_is_gone_from_earlier_pages() -> None:
    """S3-10: the page showed the token before it was a cookie."""
    page = exchange("/", body=b"your key: k3y-0123456789")
    cookie = (("Cookie", "key=k3y-0123456789"),)
    asked = Request(method="GET", url="http://shop.test/next", headers=cookie)
    bench = Bench(Recorded(exchange=page), Recorded(exchange=exchange("/next", request=asked)))
    bench.seal()

    assert b"k3y-0123456789" not in msgspec.json.encode(bench.cassettes.exchanges)
    assert bench.cassettes.exchanges[0].answer == Response(
        status=200, body=b"your key: redacted-cookie-key-1"
    )


def test_redactions_are_counted_once() -> None:
    """D9: the manifest says how often each rule replaced something that is stored."""
    asked = Request(method="GET", url="http://shop.test/", headers=(("Cookie", "key=k3y-01234"),))
    bench = Bench()
    shown = exchange(request=asked, body=b"k3y-01234")
    bench.journal.append(Recorded(exchange=bench.redactor.exchange(shown)))
    manifest, _ = bench.seal()

    assert manifest.redaction == {"secret.cookie": 1, "secret.propagated": 1}


def test_losses_are_listed_once() -> None:
    """D8: dropped entries with reasons."""
    lost = Lost(dropped=Dropped(method="GET", url="http://shop.test/x", reason="status 500"))
    manifest, _ = Bench(Recorded(exchange=exchange()), lost, lost).seal()

    assert manifest.dropped == (lost.dropped,)


def test_keys_with_several_answers_are_listed() -> None:
    """D4: ambiguous keys."""
    events = [Recorded(exchange=exchange(body=body)) for body in (b"1", b"2")]
    manifest, _ = Bench(*events).seal()

    assert [(key.url, key.answers) for key in manifest.ambiguous] == [("http://shop.test/", 2)]


def test_the_first_recording_has_nothing_to_compare_with() -> None:
    """D8: no diff without a cassette before."""
    assert Bench(Recorded(exchange=exchange())).seal()[1] is None


def test_a_new_recording_is_compared_with_the_one_before() -> None:
    """D8: new, changed and gone keys."""
    bench = Bench(*(Recorded(exchange=exchange(path)) for path in ("/same", "/changed", "/gone")))
    bench.seal()
    bench.journal = MemoryJournal(
        BEGUN,
        *(Recorded(exchange=exchange(path)) for path in ("/same", "/new")),
        Recorded(exchange=exchange("/changed", body=b"other")),
    )

    assert bench.seal()[1] == Difference(new=1, changed=1, gone=1)


def test_only_the_first_pass_is_sealed() -> None:
    """D8: the second one only tells what is volatile."""
    second = Recorded(exchange=exchange(body=b"other"), pass_number=2)
    bench = Bench(Recorded(exchange=exchange()), second)
    manifest, _ = bench.seal(passes=2)

    assert (len(bench.cassettes.exchanges), manifest.changed_between_passes) == (
        1,
        ("http://shop.test/",),
    )


@pytest.mark.parametrize(
    ("first", "second", "changed"),
    [
        (b"same", b"same", []),
        (b"one", b"two", ["http://shop.test/"]),
        (b"id redacted-cookie-s-1", b"id redacted-cookie-s-4", []),
    ],
)
def test_passes_differ_by_what_they_say(first: bytes, second: bytes, changed: list[str]) -> None:
    """S3-07: the number of a placeholder is no difference."""
    passes = {1: [exchange(body=first)], 2: [exchange(body=second)]}

    assert changed_between_passes(passes) == changed


def test_what_only_one_pass_asked_is_no_change() -> None:
    """S3-07: a key must have two answers to differ."""
    assert changed_between_passes({1: [exchange("/a")], 2: [exchange("/b")]}) == []
