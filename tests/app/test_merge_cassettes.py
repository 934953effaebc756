"""Cassettes that were recorded apart are put together."""

import msgspec
import pytest

from envsvc.app.edit_cassette import with_traffic
from envsvc.app.merge_cassettes import MergeConflictError, Merged, Part, merged
from envsvc.app.seal import index_of
from envsvc.cassette.manifest import TourRecord
from envsvc.cassette.rules import MatchRule
from envsvc.exchange.message import Exchange, Failure, Response
from tests.cassette.recordings import after, ask, found, in_order
from tests.contracts.samples import manifest

CACHE = MatchRule(ignore_query=("_",))
ADD = "POST /cart one"


def part(*recorded: tuple[str, Response | Failure | str] | Exchange, **changes: object) -> Part:
    """Return a cassette of what was *recorded*; *changes* replaces fields of its manifest."""
    edited = with_traffic(manifest(), in_order(*recorded))
    return Part(msgspec.structs.replace(edited.manifest, **changes), edited.exchanges)


def answered(whole: Merged, words: str, *writes: str) -> bytes:
    """Return the body that the whole answers *words* with after *writes*."""
    edited = whole.edited
    index = index_of(edited.manifest, edited.exchanges)
    hit = found(index, ask(words), after(index, *writes))
    answer = edited.exchanges[hit.entry.number].answer
    return answer.body if isinstance(answer, Response) else b""


def test_what_only_one_has_the_whole_has() -> None:
    """And nothing twice."""
    whole = merged(
        [part(("GET /a", "a"), ("GET /b", "b")), part(("GET /b", "b"), ("GET /c", "c"))],
        allow_ambiguous=False,
    )

    assert [one.request.url[-1] for one in whole.edited.exchanges] == ["a", "b", "c"]
    assert (whole.added, whole.same) == (1, 1)
    assert answered(whole, "GET /c") == b"c"


def test_each_part_keeps_its_own_states() -> None:
    """D4: what was written in one recording was never there in the other."""
    whole = merged(
        [
            part(("GET /cart", "empty"), (ADD, "ok"), ("GET /cart", "one")),
            part(("GET /cart", "empty"), ("POST /cart two", "ok"), ("GET /cart", "two")),
        ],
        allow_ambiguous=False,
    )

    assert answered(whole, "GET /cart") == b"empty"
    assert answered(whole, "GET /cart", ADD) == b"one"
    assert answered(whole, "GET /cart", "POST /cart two") == b"two"
    assert [one.run for one in whole.edited.exchanges] == [0, 0, 0, 1, 1, 1]


def test_runs_of_several_parts_stay_apart() -> None:
    """Each is numbered on."""
    parts = [part((f"GET /{name}", name)) for name in "abc"]

    whole = merged(parts, allow_ambiguous=False)
    again = merged(
        [Part(whole.edited.manifest, whole.edited.exchanges), part(("GET /d", "d"))],
        allow_ambiguous=False,
    )

    assert [one.run for one in again.edited.exchanges] == [0, 1, 2, 3]


def test_answers_that_contradict_are_refused() -> None:
    """With the request named."""
    parts = [part(("GET /", "A")), part(("GET /", "B"))]

    with pytest.raises(MergeConflictError, match=r"GET http://shop\.test/"):
        merged(parts, allow_ambiguous=False)


def test_they_are_flagged_if_that_is_wanted() -> None:
    """D4: the manifest lists the key."""
    whole = merged([part(("GET /", "A")), part(("GET /", "B"))], allow_ambiguous=True)

    assert [key.url for key in whole.edited.manifest.ambiguous] == ["http://shop.test/"]


def test_what_was_ambiguous_before_is_no_contradiction() -> None:
    """The parts did not make it so."""
    base = part(("GET /", "A"), ("GET /", "B"))

    assert merged([base, part(("GET /c", "c"))], allow_ambiguous=False).added == 1


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"virtual_host": "blog.test"}, "the other of blog.test"),
        ({"match_rules": {"cache": MatchRule(ignore_query=("v",))}}, "match rule cache differs"),
    ],
)
def test_what_cannot_be_one_cassette_is_refused(change: dict[str, object], problem: str) -> None:
    """D2: a cassette is of one app and has one set of rules."""
    base = part(("GET /a", "a"), match_rules={"cache": CACHE})

    with pytest.raises(MergeConflictError, match=problem):
        merged([base, part(("GET /b", "b"), **change)], allow_ambiguous=False)


def test_manifests_are_joined() -> None:
    """D2: all that was said of either still holds; the first has the last word."""
    tours = [TourRecord(name=name, sha256=name, steps=1) for name in "ab"]
    base = part(("GET /a", "a"), tours=(tours[0],), noise=("x/*",), redaction={"secret.cookie": 2})
    other = part(
        ("GET /b", "b"),
        tours=tuple(tours),
        noise=("x/*", "y/*"),
        redaction={"secret.cookie": 1, "secret.form": 4},
        match_rules={"cache": CACHE},
        task_hosts=("api.test",),
    )

    whole = merged([base, other], allow_ambiguous=False).edited.manifest

    assert whole.noise == ("x/*", "y/*")
    assert whole.redaction == {"secret.cookie": 3, "secret.form": 4}
    assert whole.match_rules == {"cache": CACHE}
    assert whole.task_hosts == ("api.test", "shop.test")
    assert {tour.name for tour in whole.tours} == {"a", "b"}
    assert whole.certificate is None
