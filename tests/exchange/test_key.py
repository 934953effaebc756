"""The key decides that two requests ask the same, by what they mean."""

import json
from collections.abc import Callable
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.exchange.body import RawBody
from envsvc.exchange.key import (
    CanonicalKey,
    canonical_key,
    canonical_request,
    exact_key,
    meant_method,
    message_key,
)
from envsvc.exchange.message import Headers, Request
from tests.exchange.strategies import TEXTS, headers, requests


def get(url: str) -> Request:
    """Return a plain request of *url*."""
    return Request(method="GET", url=url)


def post(content_type: str, body: bytes) -> Request:
    """Return a request that sends *body*."""
    return Request(
        method="POST", url="http://a.test/", headers=(("Content-Type", content_type),), body=body
    )


@given(requests())
def test_a_request_has_the_same_keys_every_time(request: Request) -> None:
    """S0-07: the key is made of the request alone."""
    again = msgspec.json.decode(msgspec.json.encode(request), type=Request)

    assert exact_key(again) == exact_key(request)
    assert canonical_key(again) == canonical_key(request)


@given(requests(), headers())
def test_headers_are_not_in_the_exact_key(request: Request, other: Headers) -> None:
    """S3-05: method, URL and body bytes, nothing else."""
    assert exact_key(msgspec.structs.replace(request, headers=other)) == exact_key(request)


@given(requests(), st.randoms(use_true_random=False))
def test_the_order_of_headers_does_not_matter(request: Request, random: Random) -> None:
    """Clients order headers as they like; names that differ only once keep their meaning."""
    unique = {name.lower(): (name, value) for name, value in request.headers}
    lines = tuple(unique.values())
    one = msgspec.structs.replace(request, headers=lines)
    other = msgspec.structs.replace(request, headers=tuple(random.sample(lines, len(lines))))

    assert canonical_key(one) == canonical_key(other)


@given(st.dictionaries(TEXTS, st.integers() | TEXTS, max_size=5), st.randoms(use_true_random=False))
def test_json_order_and_white_space_do_not_matter(
    document: dict[str, int | str], random: Random
) -> None:
    """S0-08: the same document in any order and lay-out has one key."""
    shuffled = dict(random.sample(list(document.items()), len(document)))
    compact = json.dumps(document, separators=(",", ":")).encode()
    airy = json.dumps(shuffled, indent=2, ensure_ascii=False).encode()

    assert canonical_key(post("application/json", compact)) == canonical_key(
        post("application/json", airy)
    )


@given(st.text("abcXYZ019", min_size=8, max_size=20))
def test_the_boundary_does_not_matter(boundary: str) -> None:
    """D3: clients make up a new one for each request."""

    def upload(boundary: str) -> Request:
        body = f'--{boundary}\r\nContent-Disposition: x; name="t"\r\n\r\ncat\r\n--{boundary}--\r\n'
        return post(f"multipart/form-data; boundary={boundary}", body.encode())

    assert canonical_key(upload(boundary)) == canonical_key(upload("AAA111222"))


@given(st.binary(max_size=30), st.binary(max_size=30))
def test_body_bytes_matter(one: bytes, other: bytes) -> None:
    """D3: for a body of no known format, equal keys mean equal bytes."""
    first, second = post("text/plain", one), post("text/plain", other)

    assert (canonical_key(first) == canonical_key(second)) is (one == other)
    assert (exact_key(first) == exact_key(second)) is (one == other)


@given(st.binary(min_size=1, max_size=30), st.sampled_from(["GET", "HEAD", "DELETE"]))
def test_a_body_counts_for_every_method(body: bytes, method: str) -> None:
    """D3: some search interfaces send a body with GET."""
    without = Request(method=method, url="http://a.test/")
    with_body = msgspec.structs.replace(without, body=body)

    assert canonical_key(with_body) != canonical_key(without)
    assert exact_key(with_body) != exact_key(without)


def test_the_method_counts() -> None:
    """Reading and deleting are different questions."""
    delete = Request(method="DELETE", url="http://a.test/")

    assert canonical_key(delete) != canonical_key(get("http://a.test/"))
    assert exact_key(delete) != exact_key(get("http://a.test/"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.test/?a=1&b=2", "http://a.test/?b=2&a=1"),
        ("http://a.test/%7Ea", "http://A.test:80/~a"),
    ],
)
def test_spelling_is_in_the_exact_key_only(one: str, other: str) -> None:
    """S3-06: exact keys compare the text, canonical keys the meaning."""
    assert exact_key(get(one)) != exact_key(get(other))
    assert canonical_key(get(one)) == canonical_key(get(other))


def test_fields_do_not_run_into_each_other() -> None:
    """A body that continues the URL is not the longer URL."""
    short = Request(method="POST", url="http://a.test/a", body=b"b")
    long = Request(method="POST", url="http://a.test/ab")

    assert exact_key(short) != exact_key(long)


def test_a_url_without_a_host_counts_as_its_text() -> None:
    """D3: what cannot be parsed means itself."""
    assert canonical_request(get("/cart")).url == "/cart"
    assert canonical_key(get("/cart")) != canonical_key(get("/Cart"))


def test_an_absent_body_is_no_bytes() -> None:
    """A request without a body has a canonical form like any other."""
    assert canonical_request(get("http://a.test/")).body == RawBody(b"")


@pytest.mark.parametrize("make", [exact_key, canonical_key])
def test_a_key_is_short(make: Callable[[Request], bytes]) -> None:
    """16 bytes: ten thousand entries take little room, and none collide."""
    assert len(make(get("http://a.test/" + "x" * 10_000))) == 16


@pytest.mark.parametrize(
    ("method", "headers", "meant"),
    [
        ("POST", (), "POST"),
        ("POST", (("X-HTTP-Method-Override", " delete "),), "POST as DELETE"),
        ("POST", (("x-http-method", "PUT"),), "POST as PUT"),
        ("POST", (("X-Method-Override", "PATCH"),), "POST as PATCH"),
        ("POST", (("X-HTTP-Method-Override", " "),), "POST"),
        ("GET", (("X-HTTP-Method-Override", "DELETE"),), "GET"),
    ],
)
def test_a_post_may_mean_another_method(method: str, headers: Headers, meant: str) -> None:
    """D3: frameworks obey the header of a POST, and of nothing else."""
    request = Request(method=method, url="http://a.test/", headers=headers)

    assert meant_method(request) == meant


class TestMessage:
    """What a client says on a web socket."""

    SOCKET = CanonicalKey(b"socket")

    def key(self, content: bytes, *, text: bool = True) -> CanonicalKey:
        """Return the key of a message on this socket."""
        return message_key(self.SOCKET, text=text, content=content)

    @pytest.mark.parametrize("other", [b'{"b":1.0,"a":2}', b'{ "a": 2, "b": 1 }'])
    def test_json_counts_by_its_meaning(self, other: bytes) -> None:
        """D3: the same canonical form as of request bodies."""
        assert self.key(other) == self.key(b'{"a":2,"b":1}')

    @pytest.mark.parametrize("content", [b'{"a":', b"{\xff}", b"hello"])
    def test_what_is_no_json_counts_by_its_bytes(self, content: bytes) -> None:
        """D3: what cannot be parsed is keyed by its bytes."""
        assert self.key(content) == self.key(content) != self.key(content + b" ")

    def test_a_text_is_no_binary_message(self) -> None:
        """RFC 6455 5.6: the same bytes say something else."""
        assert self.key(b"{}", text=False) != self.key(b"{}")

    def test_it_is_said_on_one_socket(self) -> None:
        """Two of an app mean different things by the same word."""
        assert self.key(b"hi") != message_key(CanonicalKey(b"other"), text=True, content=b"hi")
