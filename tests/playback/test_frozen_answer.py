"""What is served instead of a recorded document or worker."""

import base64
import hashlib
import re

import pytest

from envsvc.cassette.stored import Entry, StoredResponse
from envsvc.exchange.message import Headers, Request, header
from envsvc.playback.frozen_answer import ClockSource, FrozenAnswer, frozen_answer
from envsvc.playback.virtual_clock import settings

SOURCE = ClockSource(function="f", digest="d", recorded_ms=0.0)
HTML: Headers = (("Content-Type", "text/html"),)
NAVIGATION: Headers = (("Upgrade-Insecure-Requests", "1"),)
FETCH: Headers = (("User-Agent", "Mozilla/5.0"), ("Accept", "*/*"))
MODULE = "?__worker=m00000000"
CLASSIC = "?__worker=c00000000"


def served(
    body: bytes,
    headers: Headers = HTML,
    *,
    asked: Headers = NAVIGATION,
    query: str = "",
    status: int = 200,
    encoded: bool = False,
) -> FrozenAnswer | None:
    """Return what is served for a recorded answer of *body*."""
    request = Request(method="GET", url=f"http://shop.test/{query}", headers=asked)
    response = StoredResponse(
        status=status,
        reason="",
        headers=headers,
        body_path="b",
        body_size=len(body),
        encoded=encoded,
    )
    entry = Entry(number=0, method="GET", url="http://shop.test/", answer=response)
    return frozen_answer(request, entry, response, body, SOURCE)


def changed(answer: FrozenAnswer | None) -> tuple[dict[str, str], bytes]:
    """Return headers and body of an answer that is changed."""
    assert answer is not None
    return {name.lower(): value for name, value in answer.response.headers}, answer.body


@pytest.mark.parametrize("status", [200, 404, 500])
def test_a_document_gets_the_script(status: int) -> None:
    """D11: whatever its status, with its new size."""
    answer = served(b"<head><p>", status=status)
    _, body = changed(answer)

    assert body.startswith(b'<head><script>(f)({"key": ')
    assert body.endswith(b");</script><p>")
    assert answer is not None
    assert answer.response.body_size == len(body)


@pytest.mark.parametrize("status", [204, 205, 206, 301, 304])
def test_what_shows_no_document_is_left_alone(status: int) -> None:
    """D11: redirects and answers without a whole body."""
    assert served(b"", status=status) is None


def test_bytes_that_could_not_be_decoded_are_left_alone() -> None:
    """D8: what is still compressed has no place for a script."""
    assert served(b"\0", encoded=True) is None


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ((("Content-Type", "image/png"),), b""),
        ((*HTML, ("Content-Security-Policy", "sandbox")), b""),
        (HTML, "é".encode()),
    ],
)
def test_what_is_no_page_or_better_as_it_is_is_left_alone(headers: Headers, body: bytes) -> None:
    """D11: no document, no scripts allowed, or a charset that the browser guesses."""
    assert served(body, headers) is None


def test_a_document_in_xml_keeps_its_charset() -> None:
    """XML 4.3.3: its declaration says it, or it is UTF-8."""
    headers, body = changed(
        served("<html><head>é".encode(), (("Content-Type", "application/xhtml+xml"),))
    )

    assert headers["content-type"] == "application/xhtml+xml"
    assert b"CDATA" in body


def test_the_policy_names_the_hash_of_the_script() -> None:
    """CSP 3, 6.7.3.3: of exactly the text within the element."""
    headers, body = changed(served(b"", (*HTML, ("Content-Security-Policy", "script-src 'none'"))))
    script = re.fullmatch(rb"<script>(.*)</script>", body)
    assert script
    digest = base64.b64encode(hashlib.sha256(script[1]).digest()).decode()

    assert headers["content-security-policy"].endswith(f"script-src-elem 'sha256-{digest}'")


def test_headers_that_describe_the_recorded_bytes_go() -> None:
    """RFC 9110 8.8: changed bytes have a validator of their own, and no digest."""
    recorded = (*HTML, ("ETag", 'W/"1"'), ("Digest", "x"), ("Accept-Ranges", "bytes"), ("X", "y"))
    headers, _ = changed(served(b"", recorded))

    assert re.fullmatch(r'W/"1-[0-9a-f]{8}"', headers["etag"])
    assert sorted(headers) == ["content-type", "etag", "vary", "x"]


def test_two_workers_of_one_address_are_told_apart_by_a_cache() -> None:
    """D11: the script of each is another."""
    recorded = (("ETag", '"1"'),)
    tags = [
        changed(served(b"", recorded, query=f"?__worker=c0000000{n}"))[0]["etag"] for n in (1, 2)
    ]

    assert tags[0] != tags[1]


def test_a_classic_worker_gets_the_script_first() -> None:
    """D11: as a statement before its own."""
    _, body = changed(served(b"go()", (), query=CLASSIC))

    assert re.fullmatch(rb"\(f\)\(.*\);go\(\)", body)


def test_a_module_worker_imports_it() -> None:
    """D11: and its policy lets it."""
    policy = (("Content-Security-Policy", "worker-src 'self'"),)
    headers, body = changed(served(b"go()", policy, query=MODULE))

    assert re.fullmatch(rb'import "data:text/javascript,.*";go\(\)', body)
    assert headers["content-security-policy"] == "worker-src 'self' data:"


@pytest.mark.parametrize("body", [b"<p>", "é".encode()])
def test_what_a_browsers_script_reads_is_kept_apart(body: bytes) -> None:
    """RFC 9110 12.5.5: its cache must not show it as a document."""
    headers, read = changed(served(body, asked=FETCH))

    assert (headers["vary"], read) == ("Upgrade-Insecure-Requests", body)


@pytest.mark.parametrize(
    ("asked", "headers"),
    [((("User-Agent", "curl/8"),), HTML), ((), HTML), (FETCH, (("Content-Type", "text/css"),))],
)
def test_what_others_read_is_the_recorded_answer(asked: Headers, headers: Headers) -> None:
    """D11: other programs, and what is no document."""
    assert served(b"", headers, asked=asked) is None


def test_the_script_is_told_what_the_entry_says() -> None:
    """D11: the settings are those of the entry that answers."""
    answer = served(b"")
    assert answer is not None
    entry = Entry(number=0, method="GET", url="http://shop.test/", answer=answer.response)
    request = Request(method="GET", url="http://shop.test/")

    assert settings(request, entry, "d", 0.0).seed.encode() in answer.body
    assert header(answer.response.headers, "vary")
