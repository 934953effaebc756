"""Take out of a canonical URL what a match rule says does not count (D3)."""

import re
from collections.abc import Collection, Iterable, Mapping

import msgspec

from envsvc.exchange.shape import Shape, has_shape
from envsvc.exchange.url import CanonicalUrl, canonical_url

_ORIGIN = re.compile(r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*)://)?(?P<authority>[^\s/?#@]+)")


def is_origin(text: str) -> bool:
    """Say whether *text* is ``[scheme://]host[:port]``."""
    return _ORIGIN.fullmatch(text) is not None


def aliased(url: CanonicalUrl, aliases: Mapping[str, str]) -> CanonicalUrl:
    """Return *url* at the recorded origin if its own is a name in *aliases*, else as it is.

    Where a name or a target has no scheme, that of *url* stays; where it has no port, it is the
    default one. Names of names are not followed.
    """
    for name, target in aliases.items():
        if _origin(url) == _origin(_at(name, url.scheme)):
            there = _at(target, url.scheme)
            return msgspec.structs.replace(
                url, scheme=there.scheme, host=there.host, port=there.port
            )
    return url


def other_names(url: CanonicalUrl, aliases: Mapping[str, str]) -> Iterable[CanonicalUrl]:
    """Yield *url* under every name in *aliases* that leads to its origin."""
    for name, target in aliases.items():
        if _origin(url) == _origin(_at(target, url.scheme)):
            here = _at(name, url.scheme)
            yield msgspec.structs.replace(url, scheme=here.scheme, host=here.host, port=here.port)


def without_query(
    url: CanonicalUrl,
    names: Collection[str],
    bare: Shape | None,
    shape: Shape | None,
    *,
    seen: Collection[str] = (),
) -> CanonicalUrl:
    """Return *url* without query pairs called *names* whose value has *shape* (None: any).

    Without those, too, that have an empty value and a name of shape *bare* (None: none). Pairs
    of a name in *seen* lose only their value: that they are there counts.
    """
    kept = tuple(
        (name, "") if name in names and has_shape(value, shape) else (name, value)
        for name, value in url.query
        if not (name in names and has_shape(value, shape) and name not in seen)
        and not (bare and not value and has_shape(name, bare))
    )
    return msgspec.structs.replace(url, query=kept)


def without_parameters(
    url: CanonicalUrl, names: Collection[str], shape: Shape | None
) -> CanonicalUrl:
    """Return *url* without ``;name=value`` of *names* and *shape* in any segment of its path."""
    segments = []
    for segment in url.path.split("/"):
        first, *parameters = segment.split(";")
        kept = [p for p in parameters if not _is_named(p, names, shape)]
        segments.append(";".join((first, *kept)))
    return msgspec.structs.replace(url, path="/".join(segments))


def without_segments(url: CanonicalUrl, shape: Shape) -> CanonicalUrl:
    """Return *url* with every segment of its path that has *shape* replaced by one mark."""
    # Braces are always escaped in a canonical path, so no real segment is the mark.
    marked = ["{}" if has_shape(part, shape) else part for part in url.path.split("/")]
    return msgspec.structs.replace(url, path="/".join(marked))


def _is_named(parameter: str, names: Collection[str], shape: Shape | None) -> bool:
    name, _, value = parameter.partition("=")
    return name in names and has_shape(value, shape)


def _origin(url: CanonicalUrl) -> tuple[str, str, str]:
    return url.scheme, url.host, url.port


def _at(origin: str, scheme: str) -> CanonicalUrl:
    text = origin if "://" in origin else f"{scheme}://{origin}"
    url = canonical_url(text)
    assert url is not None  # noqa: S101 - is_origin was asked before
    return url
