"""Find credentials in how a container runs: an image shows them to everybody who has it (D15)."""

from collections.abc import Iterable, Iterator
from urllib.parse import quote_plus

import msgspec

from envsvc.errors import EnvsvcError
from envsvc.exchange.secret_names import RedactionRules
from envsvc.exchange.secret_places import Finder, Medium
from envsvc.exchange.secret_scan import leaks
from envsvc.exchange.spelling import Spellings
from envsvc.snapshot.container import RunConfig

_KNOWN = "secret.known"


class SecretInImageError(EnvsvcError):
    """A credential would be in the config of an image."""

    code = "E633"
    exit_code = 1


class ConfigSecret(msgspec.Struct, frozen=True, order=True):
    """A credential at ``place`` of an image's config, by the ``rule`` that knows it; never told."""

    place: str
    rule: str


def config_secrets(
    config: RunConfig, known: Iterable[str], rules: RedactionRules
) -> list[ConfigSecret]:
    """Return what of *config* is a *known* value, or a credential by its name or shape; [] if none.

    Empty values are not known. Places are ``Env NAME``, ``Cmd``, ``Entrypoint``, ``Healthcheck``
    and ``Labels NAME``.
    """
    spellings = Spellings()
    for value in filter(None, known):
        spellings.add(value, "")
    pieces = list(_pieces(config))
    found = {ConfigSecret(leak.place, _KNOWN) for leak in leaks(_values(pieces), spellings)}
    finder = Finder(rules)
    for place, name, value in pieces:
        pair = f"{quote_plus(name)}={quote_plus(value)}".encode() if name else b""
        shaped = [*finder.in_form(pair), *finder.in_text(value.encode(), Medium.SENT)]
        found |= {ConfigSecret(place, one.rule) for one in shaped}
    return sorted(found)


def refuse_secrets(config: RunConfig, known: Iterable[str], rules: RedactionRules) -> None:
    """Raise SecretInImageError, which names every place, if *config* holds a credential."""
    found = config_secrets(config, known, rules)
    if not found:
        return
    drop = [f"--drop-env {name}" for name in _env_names(found)]
    elsewhere = [] if len(drop) == len({one.place for one in found}) else ["correct the image"]
    raise SecretInImageError(
        "credentials would be in the image config: "
        + ", ".join(f"{one.place} ({one.rule})" for one in found),
        fix="Nothing was frozen; give them when the app is started, or "
        + " ".join([*drop, *elsewhere]),
    )


def _env_names(found: Iterable[ConfigSecret]) -> list[str]:
    places = dict.fromkeys(one.place for one in found)
    return [place.removeprefix("Env ") for place in places if place.startswith("Env ")]


def _pieces(config: RunConfig) -> Iterator[tuple[str, str, str]]:
    """Yield place, name ("" if there is none) and value of every text."""
    for line in config.env:
        name, _, value = line.partition("=")
        yield f"Env {name}", name, value
    for name, value in config.labels.items():
        yield f"Labels {name}", name, value
    health = config.health.test if config.health else ()
    for place, words in (
        ("Cmd", config.command),
        ("Entrypoint", config.entrypoint),
        ("Healthcheck", health),
    ):
        for word in words:
            yield place, "", word


def _values(pieces: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, bytes]]:
    for place, _, value in pieces:
        yield place, value.encode()
