"""Let one more source through a content security policy, and nothing else (CSP 3)."""

import re
from collections.abc import Callable, Sequence

from envsvc.exchange.message import Headers

ELEMENTS = ("script-src-elem", "script-src", "default-src")
"""The directives that may rule an inline script, the first that is there does (CSP 3, 6.8.3)."""

WORKERS = ("worker-src", "child-src", "script-src", "default-src")
"""The directives that may rule what a worker imports."""

_POLICIES = frozenset({"content-security-policy", "content-security-policy-report-only"})
_NONCE_OR_HASH = re.compile(r"'(nonce|sha(256|384|512))-", re.IGNORECASE)

type _Directives = list[tuple[str, str]]
"""Names in lower case with their values, in order."""

type _Change = Callable[[str], str]


def forbids_scripts(headers: Headers) -> bool:
    """Say whether a policy in *headers* puts the document into a sandbox without scripts."""
    return any(
        name == "sandbox" and "allow-scripts" not in value.lower().split()
        for header_name, value in headers
        if header_name.lower() == "content-security-policy"
        for policy in value.split(",")
        for name, value in _directives(policy)
    )


def allowing_script(headers: Headers, script_hash: str, policy_name: str) -> Headers:
    """Return *headers* with inline scripts of *script_hash* allowed by every policy in them.

    *script_hash* is as in ``sha256-…``. The reporting policies count as well: a report is a
    request. Where trusted types are named, the one of *policy_name* is named too.
    """

    def changed(policy: str) -> str:
        directives = _allowing_inline(_directives(policy), f"'{script_hash}'")
        return _policy_text(_naming_type(directives, policy_name), policy)

    return _each_policy(headers, changed)


def allowing_import(headers: Headers, source: str) -> Headers:
    """Return *headers* with *source* (such as ``data:``) allowed for what a worker imports."""

    def changed(policy: str) -> str:
        directives = _directives(policy)
        for rulers in (ELEMENTS, WORKERS):
            directives = _with_source(directives, rulers, source)
        return _policy_text(directives, policy)

    return _each_policy(headers, changed)


def _each_policy(headers: Headers, changed: _Change) -> Headers:
    return tuple(
        (name, ",".join(changed(policy) for policy in value.split(",")))
        if name.lower() in _POLICIES
        else (name, value)
        for name, value in headers
    )


def _allowing_inline(directives: _Directives, source: str) -> _Directives:
    ruling = _ruling(directives, ELEMENTS)
    if ruling is None or _allows_inline(ruling[1]):
        # One more hash would forbid what 'unsafe-inline' allows.
        return directives
    return _with_source(directives, ELEMENTS, source)


def _allows_inline(sources: str) -> bool:
    words = sources.lower().split()
    is_overruled = "'strict-dynamic'" in words or _NONCE_OR_HASH.search(sources)
    return "'unsafe-inline'" in words and not is_overruled


def _with_source(directives: _Directives, rulers: Sequence[str], source: str) -> _Directives:
    """Return *directives* with *source* added where it counts for the first of *rulers*.

    A directive that rules other things too is left as it is: the narrowest is added with its
    sources. ``'none'`` only counts alone.
    """
    ruling = _ruling(directives, rulers)
    if ruling is None:
        return directives
    others = [word for word in ruling[1].split() if word.lower() != "'none'"]
    narrow = (rulers[0], " ".join([*others, source]))
    if ruling[0] == rulers[0]:
        return [narrow if directive is ruling else directive for directive in directives]
    return [*directives, narrow]


def _naming_type(directives: _Directives, policy_name: str) -> _Directives:
    return [
        (name, " ".join([*(w for w in value.split() if w.lower() != "'none'"), policy_name]))
        if name == "trusted-types" and "*" not in value.split()
        else (name, value)
        for name, value in directives
    ]


def _ruling(directives: _Directives, rulers: Sequence[str]) -> tuple[str, str] | None:
    # Of a directive that is there twice the first counts (CSP 3, 2.2.1).
    found = (next((d for d in directives if d[0] == name), None) for name in rulers)
    return next(filter(None, found), None)


def _directives(policy: str) -> _Directives:
    parts = (part.strip().partition(" ") for part in re.sub(r"[\t\n\f\r]", " ", policy).split(";"))
    return [(name.lower(), value.strip()) for name, _, value in parts if name]


def _policy_text(directives: _Directives, policy: str) -> str:
    """Return *directives* as text; *policy* itself if they are what it says."""
    if directives == _directives(policy):
        return policy
    return "; ".join(f"{name} {value}".strip() for name, value in directives)
