"""Redaction takes time in proportion to what it reads, whoever wrote it."""

import time

import pytest

from envsvc.exchange.message import Chunk, Exchange, Headers, Request, Response
from envsvc.exchange.redact import Redactor

FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)
JSON: Headers = (("Content-Type", "application/json"),)
MULTIPART: Headers = (("Content-Type", "multipart/form-data; boundary=b"),)


def hostile(kind: str, size: int) -> Request:
    """Return a request of about *size* bytes that is made to be slow to search."""
    seeds = {
        "form": (FORM, "password" * 3 + ".", ""),
        "form pairs": (FORM, "&password", ""),
        "json": (JSON, '"password' + " " * 20, ""),
        "json value": (JSON, r"\"", '{"password":"'),
        "json space": (JSON, " ", '{"password"'),
        "parts": (MULTIPART, 'content-disposition: x; name="password"\r\n\r\n', "\r\n"),
        "part names": (MULTIPART, ';name="passwordx', "--b\r\ncontent-disposition: x"),
        "part heads": (MULTIPART, 'content-disposition: x; name="password"\r\n', "\r\n"),
        "one line": (MULTIPART, "content-disposition:", "\r\n"),
    }
    headers, seed, start = seeds[kind]
    body = (start + seed * (size // len(seed))).encode()
    return Request(method="POST", url="http://shop.test/", headers=headers, body=body)


def seconds(request: Request) -> float:
    """Return how long redacting *request* takes, the best of three."""
    times = []
    for _ in range(3):
        begin = time.process_time()
        Redactor({"key": "k3y-of-all"}).request(request)
        times.append(time.process_time() - begin)
    return min(times)


@pytest.mark.parametrize(
    "kind",
    [
        "form",
        "form pairs",
        "json",
        "json value",
        "json space",
        "parts",
        "part names",
        "part heads",
        "one line",
    ],
)
def test_a_hostile_body_takes_time_in_proportion(kind: str) -> None:
    """A body eight times as long, 1 MB, takes about eight times as long, not sixty-four times."""
    small = seconds(hostile(kind, 125_000))
    large = seconds(hostile(kind, 1_000_000))

    assert large < 24 * small + 0.01


def test_many_chunks_take_time_in_proportion() -> None:
    """A stream of eight times as many pieces takes about eight times as long."""

    def seconds_of(pieces: int) -> float:
        body = b"data: k3y-of-all\n\n" * pieces
        answer = Response(status=200, body=body)
        chunks = tuple(Chunk(t_ms=n, length=len(body) // pieces) for n in range(pieces))
        stream = Exchange(
            started_us=0,
            duration_ms=0,
            request=Request(method="GET", url="http://shop.test/"),
            answer=answer,
            chunks=chunks,
        )
        begin = time.process_time()
        Redactor({"key": "k3y-of-all"}).exchange(stream)
        return time.process_time() - begin

    small, large = (min(seconds_of(pieces) for _ in range(3)) for pieces in (4_000, 32_000))

    assert large < 24 * small + 0.01
