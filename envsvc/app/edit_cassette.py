"""Change a sealed cassette: other match rules, or other traffic. The manifest says what follows."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from envsvc.app.seal import described, index_of
from envsvc.cassette.entry import timestamp
from envsvc.cassette.index import Found, Index
from envsvc.cassette.manifest import Manifest
from envsvc.cassette.rules import MatchRule
from envsvc.cassette.stored import identity
from envsvc.cassette.writes import Made
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange


class NothingLeftError(EnvsvcError):
    """A cassette would be left without any exchange."""

    code = "E206"


class Edited(msgspec.Struct, frozen=True, kw_only=True):
    """A cassette as it is to be written."""

    manifest: Manifest
    exchanges: Sequence[Exchange]

    @property
    def is_certified(self) -> bool:
        """Say whether the proof of self-replay still stands."""
        return self.manifest.certificate is not None


def with_rules(
    manifest: Manifest, exchanges: Sequence[Exchange], rules: Mapping[str, MatchRule]
) -> Edited:
    """Return the cassette with *rules* in the place of its own; none of them stays proposed.

    The certificate stays if every recorded request still gets the answer that it got before, in
    recorded order: what the tours asked is answered the same. Raises: ConflictingRulesError.
    """
    proposed = {
        name: one for name, one in manifest.proposed_rules.items() if one.rule not in rules.values()
    }
    changed = msgspec.structs.replace(manifest, match_rules=dict(rules), proposed_rules=proposed)
    described_exchanges, draft = described(changed, list(exchanges))
    before, after = index_of(manifest, exchanges), index_of(draft, described_exchanges)
    if not _is_served_alike(before, after, exchanges):
        draft = msgspec.structs.replace(draft, certificate=None)
    return Edited(manifest=draft, exchanges=described_exchanges)


def with_traffic(manifest: Manifest, exchanges: Sequence[Exchange]) -> Edited:
    """Return the cassette with *exchanges* in the place of its own, and without certificate.

    Raises: NothingLeftError, ConflictingRulesError.
    """
    if not exchanges:
        raise NothingLeftError(
            f"nothing would be left of {manifest.app}/{manifest.version}",
            fix="Keep at least one exchange, or delete the cassette's folder",
        )
    started_us = min(exchange.started_us for exchange in exchanges)
    changed = msgspec.structs.replace(manifest, recorded_at=timestamp(started_us), certificate=None)
    described_exchanges, draft = described(changed, list(exchanges))
    return Edited(manifest=draft, exchanges=described_exchanges)


def _is_served_alike(before: Index, after: Index, exchanges: Sequence[Exchange]) -> bool:
    """Say whether one session that asks everything again, in order, gets the same from both."""
    pairs = zip(_served(before, exchanges), _served(after, exchanges), strict=True)
    return all(_is_same(one, other, after) for one, other in pairs)


def _is_same(one: int | None, other: int | None, index: Index) -> bool:
    if one is None or other is None:
        return one is other
    return identity(index.entries[one]) == identity(index.entries[other])


def _served(index: Index, exchanges: Sequence[Exchange]) -> Iterator[int | None]:
    """Yield the number of the entry that each recorded request is answered with."""
    made = Made()
    for exchange in exchanges:
        found = index.find(exchange.request, made)
        if not isinstance(found, Found):
            yield None
            continue
        if found.turn is not None:
            made.turns[found.turn] += 1
        if found.write is not None:
            made.wrote(found.write)
        yield found.entry.number
