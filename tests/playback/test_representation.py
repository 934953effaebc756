"""One stored answer serves the whole, its parts, its head and a 304 (RFC 9110 13, 14)."""

import email
import email.policy

import pytest

from envsvc.cassette.stored import StoredResponse
from envsvc.exchange.message import Headers, Request, header
from envsvc.playback.representation import (
    Represented,
    can_answer,
    held,
    is_plain,
    represent,
)

BODY = b"0123456789"
TYPE: Headers = (("Content-Type", "text/plain"), ("ETag", '"a"'))


def stored(status: int = 200, headers: Headers = TYPE, size: int = 10) -> StoredResponse:
    """Return a stored answer of *size* bytes."""
    return StoredResponse(
        status=status, reason="OK", headers=headers, body_path="b", body_size=size
    )


def get(*headers: tuple[str, str], method: str = "GET") -> Request:
    """Return a request with these *headers*."""
    return Request(method=method, url="http://a.test/", headers=headers)


def ranged(value: str) -> Request:
    """Return a request of a range."""
    return get(("Range", value))


def part(content_range: str, size: int) -> StoredResponse:
    """Return a stored 206."""
    return stored(206, (("Content-Range", content_range), ("Content-Type", "a/b")), size)


@pytest.mark.parametrize(
    ("request_", "response", "expected"),
    [
        (get(), stored(), True),
        (get(("Accept", "*/*")), stored(), True),
        (ranged("bytes=0-"), stored(), False),
        (get(("If-None-Match", "x")), stored(), False),
        (get(), part("bytes 0-9/10", 10), False),
    ],
)
def test_most_answers_are_served_as_they_are(
    request_: Request, response: StoredResponse, *, expected: bool
) -> None:
    """D10: the fast path asks nothing else."""
    assert is_plain(request_, response) is expected


@pytest.mark.parametrize(
    ("asked", "body", "content_range"),
    [
        ("bytes=0-1", b"01", "bytes 0-1/10"),
        ("bytes=8-", b"89", "bytes 8-9/10"),
        ("bytes=-3", b"789", "bytes 7-9/10"),
        ("bytes=5-99", b"56789", "bytes 5-9/10"),
    ],
)
def test_a_range_is_cut_out_of_the_whole(asked: str, body: bytes, content_range: str) -> None:
    """RFC 9110 14: counted as derived."""
    made = represent(ranged(asked), stored(), BODY)

    assert (made.status, made.body, made.is_derived) == (206, body, True)
    assert header(made.headers, "content-range") == content_range


def test_several_ranges_come_in_several_parts() -> None:
    """RFC 9110 14.6: read here by another parser."""
    made = represent(ranged("bytes=0-1, 4-5,-1"), stored(), BODY)
    head = f"Content-Type: {header(made.headers, 'content-type')}\r\n\r\n".encode()
    message = email.message_from_bytes(head + made.body, policy=email.policy.HTTP)

    assert made.status == 206
    assert header(made.headers, "content-range") == ""
    assert [
        (piece["Content-Range"], piece["Content-Type"], piece.get_payload(decode=True))
        for piece in message.iter_parts()
    ] == [
        ("bytes 0-1/10", "text/plain", b"01"),
        ("bytes 4-5/10", "text/plain", b"45"),
        ("bytes 9-9/10", "text/plain", b"9"),
    ]


def test_parts_of_what_has_no_type_are_bytes() -> None:
    """RFC 9110 8.3."""
    made = represent(ranged("bytes=0-0,2-2"), stored(headers=()), BODY)

    assert b"Content-Type: application/octet-stream" in made.body


def test_a_range_beyond_the_end_is_416() -> None:
    """RFC 9110 15.5.17."""
    made = represent(ranged("bytes=10-"), stored(), BODY)

    assert (made.status, made.body) == (416, b"")
    assert header(made.headers, "content-range") == "bytes */10"


@pytest.mark.parametrize(
    "request_",
    [
        ranged("lines=0-1"),
        get(("Range", "bytes=0-1"), ("If-Range", '"b"')),
        get(("Range", "bytes=0-1"), method="POST"),
        get(("If-None-Match", '"b"')),
    ],
)
def test_whoever_asks_for_nothing_special_gets_the_whole(request_: Request) -> None:
    """RFC 9110 14.2: a server may ignore a Range."""
    made = represent(request_, stored(), BODY)

    assert (made.status, made.body, made.is_derived) == (200, BODY, False)


def test_a_client_that_has_it_gets_304() -> None:
    """RFC 9110 15.4.5: without what describes a body."""
    made = represent(get(("If-None-Match", '"a"')), stored(), BODY)

    assert made == Represented(
        status=304,
        reason="Not Modified",
        headers=(("ETag", '"a"'),),
        body=b"",
        is_derived=True,
    )


def test_an_error_is_not_cut() -> None:
    """RFC 9110 14.2: a Range is for what would be a 200."""
    assert represent(ranged("bytes=0-1"), stored(404), BODY).status == 404


def test_head_gets_no_body() -> None:
    """RFC 9110 9.3.2."""
    asked = get(("If-None-Match", '"b"'), method="HEAD")

    assert represent(asked, stored(), BODY).body == b""


class TestPartsAlone:
    """An imported recording may hold nothing but a 206."""

    @pytest.mark.parametrize("content_range", ["bytes 0-9/10", "bytes 0-9/*"])
    def test_one_that_is_everything_is_the_whole(self, content_range: str) -> None:
        """It serves what a 200 would."""
        made = represent(get(), part(content_range, 10), BODY)

        assert (made.status, made.reason, made.body) == (200, "OK", BODY)
        assert header(made.headers, "content-range") == ""
        assert made.is_derived
        assert can_answer(get(), part(content_range, 10))

    @pytest.mark.parametrize(
        ("asked", "answered"),
        [
            ("", False),
            ("bytes=4-6", True),
            ("bytes=5-5", True),
            ("bytes=0-6", False),
            ("bytes=5-", False),
            ("bytes=4-4,6-6", False),
            ("bytes=10-", False),
        ],
    )
    def test_one_that_is_a_piece_answers_what_lies_inside(
        self, asked: str, *, answered: bool
    ) -> None:
        """Nothing is served as the whole that is not."""
        assert can_answer(ranged(asked), part("bytes 4-6/10", 3)) is answered

    def test_a_piece_is_cut_where_it_begins(self) -> None:
        """The positions are those of the whole."""
        made = represent(ranged("bytes=5-5"), part("bytes 4-6/10", 3), b"456")

        assert (made.status, made.body) == (206, b"5")
        assert header(made.headers, "content-range") == "bytes 5-5/10"

    @pytest.mark.parametrize(("asked", "answered"), [("bytes=5-6", True), ("bytes=5-", False)])
    def test_of_an_unknown_whole_both_ends_are_asked(self, asked: str, *, answered: bool) -> None:
        """Nobody knows where it ends."""
        assert can_answer(ranged(asked), part("bytes 4-6/*", 3)) is answered

    def test_a_head_has_no_range(self) -> None:
        """RFC 9110 14.2."""
        asked = get(("Range", "bytes=4-6"), method="HEAD")

        assert not can_answer(asked, part("bytes 4-6/10", 3))

    @pytest.mark.parametrize("content_range", ["", "bytes 4-6/10x", "bytes 4-5/10"])
    def test_one_that_does_not_say_what_it_is_answers_nothing(self, content_range: str) -> None:
        """The bytes could be any."""
        assert held(part(content_range, 3)) is None
        assert not can_answer(ranged("bytes=4-6"), part(content_range, 3))

    def test_other_answers_are_not_parts(self) -> None:
        """A 200 is all there is."""
        assert held(stored()) is None
        assert can_answer(get(), stored())


@pytest.mark.parametrize(
    ("request_", "answered"), [(get(), False), (get(("If-None-Match", '"a"')), True)]
)
def test_a_304_answers_only_who_has_it(request_: Request, *, answered: bool) -> None:
    """RFC 9110 15.4.5: never to an unconditional request."""
    assert can_answer(request_, stored(304)) is answered
