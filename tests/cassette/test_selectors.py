"""By what a request shows, recorded answers are told apart (D4)."""

import pytest

from envsvc.cassette.selectors import (
    all_negotiating,
    by_credentials,
    by_explaining_credential,
    by_negotiation,
    credentials,
    negotiating_names,
    representations,
)
from envsvc.cassette.stored import Entry, StoredResponse
from envsvc.exchange.message import Headers


def entry(body: str, asked: Headers = (), answered: Headers = ()) -> Entry:
    """Return an entry that was asked and answered with these headers."""
    answer = StoredResponse(status=200, reason="", headers=answered, body_path=body, body_size=1)
    return Entry(number=0, method="GET", url="", answer=answer, witness=asked)


def cookie(text: str) -> Headers:
    """Return a Cookie header."""
    return (("Cookie", text),)


def bodies(entries: list[Entry]) -> list[str]:
    """Return the bodies of *entries*."""
    return [e.answer.body_path for e in entries if isinstance(e.answer, StoredResponse)]


def test_credentials_are_cookies_by_name_and_authorization() -> None:
    """D4: the witness of who asks."""
    headers = (("cookie", "a=1; b=2=3"), ("Authorization", "Bearer x"), ("Accept", "*/*"))

    assert credentials(headers) == {
        "cookie a": "1",
        "cookie b": "2=3",
        "authorization": "Bearer x",
    }


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (cookie("sid=1; visit=9"), ["in"]),
        (cookie("visit=1"), ["out"]),
        (cookie("sid=7; visit=9"), ["in"]),
    ],
)
def test_one_cookie_that_explains_everything_is_enough(asked: Headers, expected: list[str]) -> None:
    """D4: cookies that change at every request do not hide it."""
    entries = [entry("out", cookie("visit=1")), entry("in", cookie("sid=1; visit=2"))]

    assert bodies(by_credentials(entries, asked).entries) == expected
    assert by_credentials(entries, asked).names == ("cookie sid",)


def test_values_count_where_presence_does_not_explain() -> None:
    """D4: placeholders are one per value."""
    entries = [entry("a", cookie("sid=1")), entry("b", cookie("sid=2"))]

    assert bodies(by_credentials(entries, cookie("sid=2")).entries) == ["b"]


def test_several_cookies_together_narrow_as_far_as_they_can() -> None:
    """No single one explains the answers."""
    entries = [
        entry("a", cookie("x=1; y=1")),
        entry("b", cookie("x=1; y=2")),
        entry("c", cookie("x=2; y=1")),
        entry("d", cookie("x=2; y=2")),
    ]

    assert bodies(by_credentials(entries, cookie("x=2; y=1")).entries) == ["c"]


def test_presence_of_several_narrows_where_values_are_new() -> None:
    """A client that brings credentials of its own."""
    entries = [
        entry("a", cookie("x=1")),
        entry("b", cookie("x=1")),
        entry("c", cookie("x=2; y=1")),
        entry("d", cookie("x=2; y=1")),
    ]

    assert bodies(by_credentials(entries, cookie("x=8; y=9")).entries) == ["c", "d"]


def test_what_nobody_showed_narrows_nothing() -> None:
    """All answers stay as likely as they were."""
    entries = [entry("a"), entry("b")]

    assert bodies(by_credentials(entries, cookie("x=1")).entries) == ["a", "b"]
    assert by_credentials(entries, cookie("x=1")).names == ()


@pytest.mark.parametrize(("asked", "expected"), [(cookie("sale=1"), ["yes"]), ((), ["no"])])
def test_a_credential_may_explain_all_answers(asked: Headers, expected: list[str]) -> None:
    """D4: then it is as suspect as the writes that came with it."""
    entries = [entry("no"), entry("yes", cookie("sale=2"))]

    assert bodies(by_explaining_credential(entries, asked)) == expected


def test_or_none_does() -> None:
    """Then the writes are the only witness."""
    entries = [entry("a", cookie("x=1")), entry("b", cookie("x=2"))]

    assert by_explaining_credential(entries, cookie("x=1")) == []


def test_what_vary_names_negotiates() -> None:
    """RFC 9110 12.5.5; encodings are undone and cookies are credentials."""
    entries = [entry("a", answered=(("Vary", "Accept-Encoding, X-Kind"), ("vary", "Cookie, *")))]

    assert negotiating_names(entries) == {"x-kind"}


def test_accept_negotiates_where_media_types_differ() -> None:
    """D4: many servers forget to say so."""
    html, json = (("Content-Type", "text/html"),), (("Content-Type", "application/json"),)
    entries = [
        entry("page", (("Accept", "text/html"),), html),
        entry("data", (("Accept", "application/json"),), json),
    ]

    assert bodies(by_negotiation(entries, (("accept", "application/json"),)).entries) == ["data"]


def test_values_are_compared_without_case_and_spaces() -> None:
    """Lists of tokens are the same however they are laid out (RFC 9110 5.6.1)."""
    assert all_negotiating((("Accept", "Text/HTML ,  */*"), ("accept", "x"), ("Cookie", "a"))) == {
        "accept": "text/html,*/*,x"
    }


_HTML, _JSON = (("Content-Type", "text/html"),), (("Content-Type", "application/json"),)
_ANY, _PAGE = (("Accept", "*/*"),), (("Accept", "text/html"),)


@pytest.mark.parametrize(
    ("entries", "parts"),
    [
        ([entry("a", _PAGE, _HTML), entry("b", _ANY, _JSON), entry("c", (), _JSON)], ["a", "bc"]),
        ([entry("a", _PAGE, _HTML), entry("b", _ANY, _HTML)], ["ab"]),
        ([entry("a", _PAGE, _HTML), entry("b", _ANY, _JSON), entry("c", _PAGE, _JSON)], ["abc"]),
    ],
)
def test_representations_are_parted_where_accept_alone_decided(
    entries: list[Entry], parts: list[str]
) -> None:
    """RFC 9110 12.1: if one Accept got two media types, something else decided as well."""
    assert ["".join(bodies(part)) for part in representations(entries)] == parts


HTML, JSON = (("Content-Type", "text/html"),), (("Content-Type", "application/json"),)


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("text/html,application/xhtml+xml,*/*;q=0.8", ["page"]),
        ("application/json;q=0.9, */*;q=0.1", ["data"]),
        ("*/*", ["page", "data"]),
    ],
)
def test_an_accept_that_is_new_chooses_what_it_prefers(accept: str, expected: list[str]) -> None:
    """D4: every browser has its own; what it prefers is what it would get."""
    entries = [
        entry("page", (("Accept", "text/html"),), HTML),
        entry("data", (("Accept", "application/json"),), JSON),
    ]

    assert bodies(by_negotiation(entries, (("Accept", accept),)).entries) == expected


def test_an_accept_that_decided_nothing_chooses_nothing() -> None:
    """D4: the same Accept got both media types."""
    same = (("Accept", "*/*"),)
    entries = [entry("page", same, HTML), entry("data", same, JSON)]

    assert bodies(by_negotiation(entries, (("Accept", "text/html"),)).entries) == ["page", "data"]
