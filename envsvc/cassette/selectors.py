"""Tell recorded answers of one key apart by who asked and what was accepted (D4)."""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from envsvc.cassette.stored import Entry, identity
from envsvc.exchange.accept import preferred
from envsvc.exchange.message import Headers, header_values, media_type

# Vary names them often, but the body is served decoded, and cookies are witnesses of their own.
_NOT_NEGOTIATED = frozenset({"accept-encoding", "cookie", "*"})
_ACCEPT = frozenset({"accept"})

type Traits = dict[str, str]
"""What a request shows of one kind, by name; a name that is missing was not sent."""


class Narrowed(msgspec.Struct, frozen=True):
    """The entries that fit a request, and the names of what told them from the others."""

    entries: list[Entry]
    names: tuple[str, ...] = ()


def by_credentials(entries: list[Entry], asked: Headers) -> Narrowed:
    """Keep the entries that were asked with the same cookies and Authorization as *asked*."""
    return _narrow(entries, credentials(asked), lambda entry: credentials(entry.witness))


def by_explaining_credential(entries: list[Entry], asked: Headers) -> list[Entry]:
    """Return the entries of *asked*'s side if one credential's presence explains all answers.

    [] if none does.
    """
    shown = [credentials(entry.witness) for entry in entries]
    for name in _varying(shown):
        groups = [_presence(traits, (name,)) for traits in shown]
        if _explains(groups, entries):
            wanted = _presence(credentials(asked), (name,))
            return [e for e, group in zip(entries, groups, strict=True) if group == wanted]
    return []


def by_negotiation(entries: list[Entry], asked: Headers) -> Narrowed:
    """Keep the entries whose negotiating headers equal those of *asked*.

    Those are what Vary names (RFC 9110 12.5.5), and Accept if answers differ in media type. An
    Accept that was never recorded chooses the media type that it prefers, if Accept decided that.
    """
    names = negotiating_names(entries)
    traits = _picked(asked, names)
    narrowed = _narrow(entries, traits, lambda entry: _picked(entry.witness, names))
    if len(narrowed.entries) < len(entries) or "accept" not in traits:
        return narrowed
    parts = {media_type(part[0].headers): part for part in representations(entries)}
    kind = preferred(traits["accept"], parts) if len(parts) > 1 else None
    return Narrowed(parts[kind], ("accept",)) if kind else narrowed


def representations(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Part *entries* by media type where what they accept alone decided it (RFC 9110 12.1).

    One part if all have the same media type, or if something else decided it as well.
    """
    kinds: dict[str | None, str] = {}
    parts: dict[str, list[Entry]] = {}
    for entry in entries:
        kind = media_type(entry.headers)
        accepted = _picked(entry.witness, _ACCEPT).get("accept")
        if kinds.setdefault(accepted, kind) != kind:
            return [list(entries)]
        parts.setdefault(kind, []).append(entry)
    return list(parts.values())


def credentials(headers: Headers) -> Traits:
    """Return the cookies by ``cookie NAME``, and the ``authorization`` if there is one."""
    traits = {}
    for value in header_values(headers, "cookie"):
        for pair in value.split(";"):
            name, _, content = pair.strip().partition("=")
            traits[f"cookie {name}"] = content
    for value in header_values(headers, "authorization"):
        traits["authorization"] = value
    return traits


def all_negotiating(headers: Headers) -> Traits:
    """Return every header that may negotiate, in the form in which values are compared."""
    return _picked(headers, frozenset(name.lower() for name, _ in headers) - _NOT_NEGOTIATED)


def negotiating_names(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the request headers in lower case by which *entries* may have been negotiated."""
    names, kinds = set[str](), set[str]()
    for entry in entries:
        for value in header_values(entry.headers, "vary"):
            names |= {name.strip().lower() for name in value.split(",")}
        kinds.add(media_type(entry.headers))
    return frozenset(names | (_ACCEPT if len(kinds) > 1 else set())) - _NOT_NEGOTIATED


def _picked(headers: Headers, names: frozenset[str]) -> Traits:
    traits: Traits = {}
    for name, value in headers:
        key = name.lower()
        if key in names:
            words = ",".join(word.strip() for word in value.lower().split(","))
            traits[key] = f"{traits[key]},{words}" if key in traits else words
    return traits


def _narrow(entries: list[Entry], asked: Traits, traits_of: Callable[[Entry], Traits]) -> Narrowed:
    """Keep the entries that show what *asked* shows, by as little as tells all of them apart.

    One trait that explains every answer is better evidence than all together: cookies that
    change at every request would hide it. Values come after presence, since a client that
    brings credentials of its own has other values.
    """
    shown = [traits_of(entry) for entry in entries]
    names = _varying(shown)
    for compare in (_presence, _value):
        for name in names:
            groups = [compare(traits, (name,)) for traits in shown]
            if _explains(groups, entries):
                return _fitting(entries, groups, compare(asked, (name,)), (name,))
    for compare in (_value, _presence):
        groups = [compare(traits, names) for traits in shown]
        fitting = _fitting(entries, groups, compare(asked, names), tuple(names))
        if len(fitting.entries) < len(entries):
            return fitting
    return Narrowed(entries)


def _varying(shown: Sequence[Traits]) -> list[str]:
    names = {name for traits in shown for name in traits}
    return sorted(name for name in names if len({traits.get(name) for traits in shown}) > 1)


def _presence(traits: Traits, names: Iterable[str]) -> tuple[object, ...]:
    return tuple(name in traits for name in names)


def _value(traits: Traits, names: Iterable[str]) -> tuple[object, ...]:
    return tuple(traits.get(name) for name in names)


def _explains(groups: Sequence[tuple[object, ...]], entries: Sequence[Entry]) -> bool:
    """Say whether every group was answered in one way, and not all groups in the same one."""
    answers: dict[tuple[object, ...], set[object]] = {}
    for group, entry in zip(groups, entries, strict=True):
        answers.setdefault(group, set()).add(identity(entry))
    return len(answers) > 1 and all(len(ways) == 1 for ways in answers.values())


def _fitting(
    entries: list[Entry],
    groups: Sequence[tuple[object, ...]],
    wanted: tuple[object, ...],
    names: tuple[str, ...],
) -> Narrowed:
    """Keep the entries of the *wanted* group; all of them if there is no such group."""
    kept = [entry for entry, group in zip(entries, groups, strict=True) if group == wanted]
    return Narrowed(kept, names) if kept else Narrowed(entries)
