"""Content security policies that let one more source through."""

import pytest

from envsvc.exchange.message import Headers
from envsvc.playback.content_policy import allowing_import, allowing_script, forbids_scripts

NAME = "Content-Security-Policy"
HASH = "sha256-abc"


def under(policy: str, name: str = NAME) -> Headers:
    """Return the headers of an answer with *policy*."""
    return (("Content-Type", "text/html"), (name, policy))


SCRIPTS = [
    ("script-src 'self'", "script-src 'self'; script-src-elem 'self' 'sha256-abc'"),
    ("script-src 'none'", "script-src 'none'; script-src-elem 'sha256-abc'"),
    ("default-src 'none'", "default-src 'none'; script-src-elem 'sha256-abc'"),
    ("SCRIPT-SRC-ELEM 'Self'", "script-src-elem 'Self' 'sha256-abc'"),
    (
        "script-src 'nonce-n' 'strict-dynamic'",
        (
            "script-src 'nonce-n' 'strict-dynamic';"
            " script-src-elem 'nonce-n' 'strict-dynamic' 'sha256-abc'"
        ),
    ),
    (
        "script-src 'unsafe-inline' 'nonce-n'",
        (
            "script-src 'unsafe-inline' 'nonce-n';"
            " script-src-elem 'unsafe-inline' 'nonce-n' 'sha256-abc'"
        ),
    ),
    (
        "script-src 'unsafe-inline' 'strict-dynamic'",
        (
            "script-src 'unsafe-inline' 'strict-dynamic';"
            " script-src-elem 'unsafe-inline' 'strict-dynamic' 'sha256-abc'"
        ),
    ),
    ("script-src", "script-src; script-src-elem 'sha256-abc'"),
    (
        "script-src a;script-src b",
        "script-src a; script-src b; script-src-elem a 'sha256-abc'",
    ),
    (
        "script-src-elem 'self'; trusted-types 'none'",
        "script-src-elem 'self' 'sha256-abc'; trusted-types own",
    ),
    ("trusted-types a 'allow-duplicates'", "trusted-types a 'allow-duplicates' own"),
    ("trusted-types", "trusted-types own"),
    (
        "script-src-elem 'self', default-src 'self'",
        (
            "script-src-elem 'self' 'sha256-abc',"
            "default-src 'self'; script-src-elem 'self' 'sha256-abc'"
        ),
    ),
]


@pytest.mark.parametrize("name", [NAME, NAME.lower(), f"{NAME}-Report-Only"])
@pytest.mark.parametrize(("policy", "changed"), SCRIPTS)
def test_the_script_is_let_through(policy: str, changed: str, name: str) -> None:
    """CSP 3, 6.7: the hash joins what rules inline scripts, and rules nothing else."""
    assert allowing_script(under(policy, name), HASH, "own") == under(changed, name)


@pytest.mark.parametrize(
    "policy",
    [
        "img-src 'self'",
        "frame-ancestors 'none';  upgrade-insecure-requests",
        "script-src 'unsafe-inline' 'self'",
        "default-src * 'UNSAFE-INLINE'",
        "script-src-elem 'unsafe-inline'; script-src 'none'",
        "trusted-types *; require-trusted-types-for 'script'",
        "",
    ],
)
def test_a_policy_that_lets_it_through_is_left_alone(policy: str) -> None:
    """CSP 3, 6.7: one more hash would forbid what 'unsafe-inline' allows; the text stays."""
    assert allowing_script(under(policy), HASH, "own") == under(policy)


def test_other_headers_are_left_alone() -> None:
    """D11: only policies are changed."""
    headers = (("X-Note", "script-src 'self'"),)

    assert allowing_script(headers, HASH, "own") == headers


@pytest.mark.parametrize(
    ("policy", "changed"),
    [
        (
            "default-src 'self'",
            "default-src 'self'; script-src-elem 'self' data:; worker-src 'self' data:",
        ),
        ("worker-src 'none'", "worker-src data:"),
        ("child-src 'self'", "child-src 'self'; worker-src 'self' data:"),
        ("img-src 'self'", "img-src 'self'"),
    ],
)
def test_an_import_is_let_through(policy: str, changed: str) -> None:
    """CSP 3, 6.1.17: what a worker imports falls under worker-src and what stands in for it."""
    assert allowing_import(under(policy), "data:") == under(changed)


@pytest.mark.parametrize(
    ("headers", "forbids"),
    [
        (under("sandbox"), True),
        (under("sandbox allow-forms"), True),
        (under("sandbox allow-forms Allow-Scripts"), False),
        (under("default-src 'self', sandbox"), True),
        (under("default-src 'self'"), False),
        (under("sandbox", f"{NAME}-Report-Only"), False),
        ((), False),
    ],
)
def test_a_sandbox_may_forbid_scripts(headers: Headers, *, forbids: bool) -> None:
    """HTML 7.1.5: without allow-scripts nothing runs; a reporting policy has no sandbox."""
    assert forbids_scripts(headers) is forbids
