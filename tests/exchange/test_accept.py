"""A client says which media types it prefers."""

import pytest

from envsvc.exchange.accept import preferred

PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "kinds", "kind"),
    [
        ("application/json", ["text/html", "application/json"], "application/json"),
        (PAGE, ["application/json", "text/html"], "text/html"),
        ("Text/HTML ; Q=0.1 , */*;q=0.5", ["text/html", "application/json"], "application/json"),
        ("text/*, application/json;q=0.5", ["text/html", "application/json"], "text/html"),
        ("text/html;level=1;q=0.4, */*;q=0.3", ["text/html", "image/png"], "text/html"),
        ("text/html;q=x", ["text/html", "image/png"], "text/html"),
        ("*/*", ["text/html", "application/json"], None),
        ("image/png", ["text/html", "application/json"], None),
        ("text/html;q=0", ["text/html"], None),
        ("", ["text/html", "application/json"], None),
        ("*/*", [], None),
    ],
)
def test_one_may_be_preferred(accept: str, kinds: list[str], kind: str | None) -> None:
    """RFC 9110 12.5.1: by quality, and the narrowest range counts."""
    assert preferred(accept, kinds) == kind
