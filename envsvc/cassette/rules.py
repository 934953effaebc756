"""Match rules: what somebody who knows the app has said does not count in a key (D3).

A rule takes one part out of a request, such as a query parameter, and all the rest still decides.
Rules stand in the manifest under their names, so that a hit can name those that it needed.
"""

from collections.abc import Collection, Iterator, Mapping

import msgspec

from envsvc.cassette.ruled_body import (
    pointer_steps,
    with_unordered_xml,
    without_fields,
    without_json,
)
from envsvc.cassette.ruled_url import (
    aliased,
    is_origin,
    other_names,
    without_parameters,
    without_query,
    without_segments,
)
from envsvc.errors import EnvsvcError
from envsvc.exchange.body import CanonicalBody
from envsvc.exchange.key import CanonicalRequest
from envsvc.exchange.pattern import place_matches
from envsvc.exchange.shape import Shape
from envsvc.exchange.url import CanonicalUrl, canonical_url


class ConflictingRulesError(EnvsvcError):
    """A match rule makes one of two requests that were answered differently."""

    code = "E110"


class MatchRule(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What leaves the key, and of which requests.

    - ``ignore_query``: query parameters with these names.
    - ``ignore_bare_query``: query parameters without a value whose name has this shape.
    - ``ignore_json``: the values at these JSON pointers (RFC 6901); ``*`` is every array index.
    - ``ignore_form``: fields of a form, be it urlencoded or multipart.
    - ``ignore_path_parameter``: ``;name=value`` in any segment of the path.
    - ``ignore_path_segment``: segments of the path that have this shape; that there is one counts.
    - ``host_alias``: other names of recorded hosts, as ``[scheme://]host[:port]``.
    - ``ignore_xml_order``: the order of child elements of elements with these names; ``*`` is all.

    ``where`` limits it to a pattern of host and path (shell wildcards), ``method`` to a method,
    ``having_query`` to requests with all of these parameters (that they are there then counts,
    whatever their values), ``shape`` to values of that shape.
    """

    ignore_query: tuple[str, ...] = ()
    ignore_bare_query: Shape | None = None
    ignore_json: tuple[str, ...] = ()
    ignore_form: tuple[str, ...] = ()
    ignore_path_parameter: tuple[str, ...] = ()
    ignore_path_segment: Shape | None = None
    host_alias: dict[str, str] = {}
    ignore_xml_order: tuple[str, ...] = ()
    where: str = ""
    method: str = ""
    having_query: tuple[str, ...] = ()
    shape: Shape | None = None

    def problems(self) -> Iterator[str]:
        """Yield what is wrong beyond types, each as a clause; nothing if all is right."""
        if not any(getattr(self, name) for name in _WHAT):
            yield f"ignores nothing; give one of {', '.join(_WHAT)}"
        for pointer in self.ignore_json:
            if pointer_steps(pointer) is None:
                yield f"ignore_json: {pointer!r} is no JSON pointer below the root, such as /ts"
        for name in (*self.host_alias, *self.host_alias.values()):
            if not is_origin(name):
                yield f"host_alias: {name!r} is no [scheme://]host[:port]"
        if self.ignore_xml_order and not self.where:
            yield "ignore_xml_order needs a where: it is only true of single endpoints"


_WHAT = (
    "ignore_query",
    "ignore_bare_query",
    "ignore_json",
    "ignore_form",
    "ignore_path_parameter",
    "ignore_path_segment",
    "host_alias",
    "ignore_xml_order",
)


class RuleConflict(msgspec.Struct, frozen=True, kw_only=True):
    """Two recorded requests, by method and URL, that *rules* make one although answers differ."""

    rules: tuple[str, ...]
    first: str
    second: str

    def error(self) -> ConflictingRulesError:
        """Return what there is to say about it."""
        names = " and ".join(self.rules)
        return ConflictingRulesError(
            f"with match rule {names}, two requests that were answered differently would be one: "
            f"{self.first} and {self.second}",
            fix="Limit the rule by where, method or shape, or take it out of app.yaml",
        )


class Rules:
    """The rules of one cassette. ``given`` are its own, the others are built in."""

    def __init__(
        self, given: Mapping[str, MatchRule], built_in: Mapping[str, MatchRule] | None = None
    ) -> None:
        """Take the rules by name; a given one replaces a built-in one of the same name."""
        self.given = given
        self._all = {**(built_in or {}), **given}
        self._aliases = {
            name: target for rule in self._all.values() for name, target in rule.host_alias.items()
        }

    def ruled(
        self, request: CanonicalRequest, names: Collection[str] | None = None
    ) -> CanonicalRequest:
        """Return *request* without what the rules called *names* (None: all) take out of it.

        What is no absolute URL has no parts that a rule could name, and stays.
        """
        if isinstance(request.url, str):
            return request
        places = self._places(request.url)
        query = frozenset(name for name, _ in request.url.query)
        for name, rule in self._all.items():
            if (names is None or name in names) and _concerns(rule, request.method, query, places):
                request = _applied(rule, request, query)
        return request

    def needed(self, asked: CanonicalRequest, recorded: CanonicalRequest) -> tuple[str, ...]:
        """Return the names of the rules without which the two would not be one; () if they are."""
        if asked == recorded:
            return ()
        names = tuple(self._all)
        others = {name: [other for other in names if other != name] for name in names}
        needed = tuple(
            name
            for name in names
            if self.ruled(asked, others[name]) != self.ruled(recorded, others[name])
        )
        # Where two rules take out the same, neither is needed, but both together are.
        return needed or tuple(
            name
            for name in names
            if self.ruled(asked, [name]) != asked or self.ruled(recorded, [name]) != recorded
        )

    def known_as(self, url: str) -> list[str]:
        """Return origin and path of *url* under each name of its host; [url] if it has none."""
        parts = canonical_url(url)
        return [f"{name.origin}{name.path}" for name in self._names(parts)] if parts else [url]

    def _places(self, url: CanonicalUrl) -> list[str]:
        """Return host and path of *url* under each of its names, for patterns to match."""
        return [name.host + name.path for name in self._names(url)]

    def _names(self, url: CanonicalUrl) -> tuple[CanonicalUrl, ...]:
        if not self._aliases:
            return (url,)
        real = aliased(url, self._aliases)
        return (url, real, *other_names(real, self._aliases))


def _concerns(rule: MatchRule, method: str, query: frozenset[str], places: list[str]) -> bool:
    if rule.method and rule.method.upper() not in method.split(" as "):
        return False
    if rule.where and not any(place_matches(place, (rule.where,)) for place in places):
        return False
    return not rule.having_query or query.issuperset(rule.having_query)


def _applied(rule: MatchRule, request: CanonicalRequest, query: frozenset[str]) -> CanonicalRequest:
    """Return *request*, whose query has these names, as *rule* leaves it."""
    assert not isinstance(request.url, str)  # noqa: S101 - Rules.ruled has asked
    url, body = _ruled_url(rule, request.url, query), _ruled_body(rule, request.body)
    if url is request.url and body is request.body:
        return request
    return CanonicalRequest(request.method, url, body)


def _ruled_url(rule: MatchRule, url: CanonicalUrl, query: frozenset[str]) -> CanonicalUrl:
    if rule.host_alias:
        url = aliased(url, rule.host_alias)
    if (query and rule.ignore_bare_query) or not query.isdisjoint(rule.ignore_query):
        names, seen = rule.ignore_query, rule.having_query
        url = without_query(url, names, rule.ignore_bare_query, rule.shape, seen=seen)
    if rule.ignore_path_parameter and ";" in url.path:
        url = without_parameters(url, rule.ignore_path_parameter, rule.shape)
    if rule.ignore_path_segment:
        url = without_segments(url, rule.ignore_path_segment)
    return url


def _ruled_body(rule: MatchRule, body: CanonicalBody) -> CanonicalBody:
    if rule.ignore_json:
        steps = [pointer_steps(pointer) or () for pointer in rule.ignore_json]
        body = without_json(body, steps, rule.shape)
    if rule.ignore_form:
        body = without_fields(body, rule.ignore_form, rule.shape)
    if rule.ignore_xml_order:
        body = with_unordered_xml(body, rule.ignore_xml_order)
    return body
