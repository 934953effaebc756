"""Suggest match rules for a cassette, and choose among them (D3)."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from envsvc.cassette.manifest import Manifest, ProposedRule
from envsvc.cassette.rules import MatchRule
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange, Request
from envsvc.playback.indexing import match_rules
from envsvc.record.volatile_requests import propose, propose_for_misses


class NoSuchRuleError(EnvsvcError):
    """A match rule was named that nobody suggests."""

    code = "E011"


def suggestions(
    manifest: Manifest,
    exchanges: Sequence[Exchange],
    missed: Iterable[Request],
    declared: Mapping[str, MatchRule],
) -> dict[str, ProposedRule]:
    """Return what recording proposed, what the traffic shows, and what *missed* requests need.

    By names that no other rule of the cassette has, nor of those *declared* in app.yaml; {} if
    nothing is suggested. What the cassette has a rule for already is not suggested.
    """
    rules = match_rules(manifest)
    sources = (
        manifest.proposed_rules,
        propose([exchanges], rules),
        propose_for_misses(missed, exchanges, rules),
    )
    found: dict[str, ProposedRule] = {}
    known = list(manifest.match_rules.values())
    for name, proposed in (item for source in sources for item in source.items()):
        if proposed.rule not in known:
            known.append(proposed.rule)
            others = {other for other, rule in declared.items() if rule != proposed.rule}
            found[_free(name, {*manifest.match_rules, *found, *others})] = proposed
    return found


def chosen(
    suggested: Mapping[str, ProposedRule], names: Collection[str], *, everything: bool
) -> dict[str, MatchRule]:
    """Return the rules called *names*, or all of them. Raises: NoSuchRuleError."""
    for name in names:
        if name not in suggested:
            raise NoSuchRuleError(
                f"no rule {name!r} is suggested",
                fix=f"Choose among: {', '.join(suggested) or 'none'}",
            )
    if not names and not everything:
        raise NoSuchRuleError(
            "no rule is named", fix=f"Give --all or some of: {', '.join(suggested) or 'none'}"
        )
    return {name: one.rule for name, one in suggested.items() if everything or name in names}


def _free(name: str, taken: Collection[str]) -> str:
    number, free = 2, name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free
