"""What was not recorded is answered as a plain server would, of the type that is expected."""

import json

import pytest

from envsvc.exchange.message import Request
from envsvc.playback.miss_body import miss_body


def asking(name: str, value: str) -> Request:
    """Return a request with one header."""
    return Request(method="GET", url="http://shop.test/secret-path", headers=((name, value),))


BY_HEADER = [
    ("Sec-Fetch-Dest", "document", "text/html"),
    ("sec-fetch-dest", "IFRAME", "text/html"),
    ("Sec-Fetch-Dest", "script", "text/javascript"),
    ("Sec-Fetch-Dest", "serviceworker", "text/javascript"),
    ("Sec-Fetch-Dest", "style", "text/css"),
    ("Sec-Fetch-Dest", "image", "image/svg+xml"),
    ("Sec-Fetch-Dest", "empty", "text/plain"),
    ("Accept", "text/html,application/xhtml+xml,image/avif", "text/html"),
    ("Accept", "application/vnd.api+json", "application/json"),
    ("Accept", "text/css,*/*;q=0.1", "text/css"),
    ("Accept", "application/javascript", "text/javascript"),
    ("Accept", "IMAGE/webp", "image/svg+xml"),
    ("Accept", "*/*", "text/plain"),
    ("X-Other", "text/html", "text/plain"),
]


@pytest.mark.parametrize(("name", "value", "kind"), BY_HEADER)
def test_a_miss_has_the_type_that_is_expected(name: str, value: str, kind: str) -> None:
    """D6: by Sec-Fetch-Dest, else by Accept, else plain text."""
    assert miss_body(asking(name, value)).content_type.partition(";")[0] == kind


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, value, _ in BY_HEADER])
def test_a_miss_tells_nothing(name: str, value: str) -> None:
    """D6: it is never empty, shows nothing of the request, and says nothing of a cassette."""
    content = miss_body(asking(name, value)).content.lower()

    assert content.strip()
    assert not any(word in content for word in (b"secret", b"record", b"cassette", b"envsvc"))


def test_the_destination_wins_over_accept() -> None:
    """A script tag accepts everything; it still wants a script."""
    request = Request(
        method="GET",
        url="http://a.test/",
        headers=(("Accept", "text/html"), ("Sec-Fetch-Dest", "script")),
    )

    assert miss_body(request).content_type.startswith("text/javascript")


def test_a_json_miss_is_json() -> None:
    """A client that parses it must not stumble."""
    assert json.loads(miss_body(asking("Accept", "application/json")).content) == {
        "error": "not found"
    }
