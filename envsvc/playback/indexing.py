"""Build the index that a cassette's manifest asks for, and list what its keys were answered."""

from collections.abc import Iterator

from envsvc.cassette.built_in_rules import BUILT_IN_RULES
from envsvc.cassette.index import Index
from envsvc.cassette.manifest import AmbiguousKey, Manifest, RecordedAnswer, SeveralAnswers
from envsvc.cassette.rules import Rules
from envsvc.cassette.stored import Entry, StoredResponse, identity
from envsvc.cassette.variants import Group, Variants
from envsvc.exchange.pattern import matches
from envsvc.playback.noise import MissClassifier


def empty_index(manifest: Manifest) -> Index:
    """Return an index without entries that counts writes and turns as *manifest* says."""
    classifier, rules = MissClassifier(manifest.task_hosts, manifest.noise), match_rules(manifest)
    return Index(
        is_task=lambda url: any(map(classifier.is_task, rules.known_as(url))),
        advances=lambda url: matches(url, manifest.repeat),
        rules=rules,
    )


def match_rules(manifest: Manifest) -> Rules:
    """Return the match rules of a cassette and those that are built in."""
    return Rules(manifest.match_rules, BUILT_IN_RULES)


def refuse_conflicts(index: Index) -> None:
    """Raise ConflictingRulesError if a rule merges what was answered differently (D3)."""
    for conflict in index.conflicts():
        raise conflict.error()


def several_answers(index: Index) -> Iterator[SeveralAnswers]:
    """Yield every key that was answered differently, in recorded order, for people to read."""
    for variants in index.several():
        yield several_answers_of(index, variants)


def several_answers_of(index: Index, variants: Variants) -> SeveralAnswers:
    """Return what tells the answers of one key apart."""
    first = variants.entries[0]
    return SeveralAnswers(
        method=first.method,
        url=first.url,
        told_apart_by=variants.told_apart_by,
        answers=tuple(_answers(index, variants)),
    )


def ambiguous_keys(index: Index) -> Iterator[AmbiguousKey]:
    """Yield every key of which some answers are told apart by nothing, in recorded order."""
    for variants in index.several():
        if "nothing" in variants.told_apart_by:
            first = variants.entries[0]
            different = {identity(entry) for entry in variants.entries}
            yield AmbiguousKey(method=first.method, url=first.url, answers=len(different))


def _answers(index: Index, variants: Variants) -> Iterator[RecordedAnswer]:
    for group in variants.groups:
        for alike in _alike(group):
            yield RecordedAnswer(
                status=_status(alike[0]),
                after=tuple(index.writes(group.state)),
                asked_with=variants.asked_with(alike[0], group),
                times=len(alike),
            )


def _alike(group: Group) -> list[list[Entry]]:
    found: dict[object, list[Entry]] = {}
    for entry in group.entries:
        found.setdefault(identity(entry), []).append(entry)
    return list(found.values())


def _status(entry: Entry) -> int:
    return entry.answer.status if isinstance(entry.answer, StoredResponse) else 0
