"""Known values are found in every spelling, and replaced in the same."""

import base64
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.exchange.message import Chunk
from envsvc.exchange.spelling import Match, Spellings, merged, recut, rewritten, spellings

VALUE = "pa??ss~~wo/rd<&>\"'é-x;=`"
STAND_IN = "redacted-secret-key"


def known(*values: str) -> Spellings:
    """Return spellings of *values*, each with its own stand-in."""
    found = Spellings()
    for number, value in enumerate(values):
        found.add(value, f"redacted-token-{number}")
    return found


def replaced(content: bytes, *values: str) -> bytes:
    """Return *content* with *values* replaced."""
    return rewritten(content, known(*values).find(content))


# Spellings that others write: Django's escapejs and json_script, Go, PHP, lower-case escapes.
WRITTEN = {
    "lower percent": "pa%3f%3fss~~wo%2frd%3c%26%3e%22%27%c3%a9-x%3b%3d%60",
    "path": quote(VALUE),
    "url in url": quote(quote(VALUE, safe=""), safe=""),
    "text of html": "pa??ss~~wo/rd&lt;&amp;&gt;\"'é-x;=`",
    "apos": "pa??ss~~wo/rd&lt;&amp;&gt;&quot;&apos;é-x;=`",
    "json slash": r"pa??ss~~wo\/rd<&>\"'é-x;=`",
    "go": r"pa??ss~~wo/rd\u003c\u0026\u003e\"'é-x;=`",
    "django": r"pa??ss~~wo/rd\u003C\u0026\u003E\"'é-x;=`",
    "escapejs": r"pa??ss~~wo/rd\u003C\u0026\u003E\"\u0027é\u002Dx\u003B\u003D\u0060",
    "attribute": "pa??ss~~wo/rd&lt;&amp;&gt;\\&quot;&#x27;é-x;=`",
    "json in json": r"pa??ss~~wo/rd<&>\\\"'é-x;=`",
    "hex": VALUE.encode().hex(),
    "upper hex": VALUE.encode().hex().upper(),
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN.keys())
def test_a_value_is_found_as_others_write_it(written: str) -> None:
    """D9: URLs, forms, HTML and JSON escape in many ways."""
    assert written.encode() in spellings(VALUE, STAND_IN)


@pytest.mark.parametrize("before", [b"", b"u", b"us", b"use", b"user:"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("escape", [lambda text: text, lambda text: quote(text, safe="").encode()])
def test_base64_is_looked_for_at_every_offset(
    before: bytes, encode: Callable[[bytes], bytes], escape: Callable[[bytes], bytes]
) -> None:
    """D9: what stands before a value shifts its base64 in three ways."""
    content = escape(encode(before + VALUE.encode() + b" after"))

    assert len(known(VALUE).find(content)) == 1


@pytest.mark.parametrize("before", [b"", b"u", b"us", b"user:"])
def test_base64_stays_readable(before: bytes) -> None:
    """D9: whoever decodes it finds the placeholder, and what stood around it."""
    content = base64.b64encode(before + b"p4ss-word!!" + b" after")
    decoded = base64.b64decode(replaced(content, "p4ss-word!!"), validate=True)

    assert b"redacted-token-0"[1:] in decoded
    assert decoded.endswith(b" after")


def test_short_values_are_not_looked_for_in_base64() -> None:
    """A few characters of base64 occur by chance in any image."""
    assert known("abcd").find(base64.b64encode(b"abcd")) == []


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_texts_are_searched(encoding: str) -> None:
    """D9: a document in UTF-16 hides every byte search."""
    assert replaced("a s3cret-word".encode(encoding), "s3cret-word") == (
        "a redacted-token-0".encode(encoding)
    )


def test_hexadecimal_stays_hexadecimal() -> None:
    """D9: the stand-in is written in the spelling that was found."""
    assert bytes.fromhex(replaced(b"s3cret-word".hex().encode(), "s3cret-word").decode()) == (
        b"redacted-token-0"
    )


def test_the_longest_value_of_a_place_is_replaced() -> None:
    """A value that holds another one goes whole, whichever was known first."""
    both = known("abc-123")
    both.find(b"")
    both.add("abc-123-xyz", "redacted-long")
    content = b"abc-123-xyz abc-123 abc-123-xyz"

    assert rewritten(content, both.find(content)) == b"redacted-long redacted-token-0 redacted-long"


def test_the_longest_value_is_found_whenever_it_was_known() -> None:
    """A recording with many tokens searches several tables, as if they were one."""
    many = known(*(f"value-{number:05}-x" for number in range(50)))
    many.find(b"")
    many.add("a value-00007-x", "redacted-long")
    content = b"a value-00007-x value-00008-x"

    assert rewritten(content, many.find(content)) == b"redacted-long redacted-token-8"


def test_what_was_known_first_stays() -> None:
    """D9: one value has one placeholder."""
    one = known("abc-123")
    one.add("abc-123", "redacted-other")
    one.find(b"")
    one.add("abc-123", "redacted-third")

    assert rewritten(b"abc-123", one.find(b"abc-123")) == b"redacted-token-0"


def test_a_value_is_not_found_in_placeholders() -> None:
    """D9: a word that placeholders hold must not destroy them."""
    assert replaced(b"redacted-secret-a secret", "secret") == b"redacted-secret-a redacted-token-0"


def test_many_values_are_found() -> None:
    """A recording with thousands of tokens uses smaller tables, and misses none."""
    values = [f"value-{number:05}-{number * 7919}" for number in range(700)]
    many = known(*values[:650])
    many.find(b"")
    for number, value in enumerate(values[650:]):
        many.add(value, f"redacted-late-{number}")

    assert len(many.find(" ".join(values).encode())) == len(values)


@given(
    st.lists(st.text("abc1-", min_size=3, max_size=6), max_size=4), st.text("abc1- ", max_size=40)
)
def test_nothing_known_is_left(values: list[str], text: str) -> None:
    """D9: after replacement a second search finds nothing."""
    found = known(*values)
    once = rewritten(text.encode(), found.find(text.encode()))

    assert rewritten(once, found.find(once)).count(b"redacted-") == once.count(b"redacted-")


OWN, INNER, FREE = Match(2, 6, b"A"), Match(4, 8, b"B"), Match(8, 9, b"C")


@pytest.mark.parametrize(
    ("first", "then", "expected"),
    [
        ([OWN], [], [OWN]),
        ([], [INNER], [INNER]),
        ([OWN], [INNER, FREE], [OWN, FREE]),
        ([FREE], [OWN], [OWN, FREE]),
        ([OWN], [Match(0, 2, b"D")], [Match(0, 2, b"D"), OWN]),
    ],
)
def test_what_comes_first_keeps_its_place(
    first: list[Match], then: list[Match], expected: list[Match]
) -> None:
    """A field is replaced as a whole, whatever is known of a part of it."""
    assert merged(first, then) == expected


def test_everything_between_matches_stays() -> None:
    """D9: no other byte changes."""
    assert rewritten(b"0123456789", [OWN, FREE]) == b"01A67C9"


def test_without_matches_the_content_is_the_same_object() -> None:
    """Nothing to do costs nothing."""
    content = b"0123456789"

    assert rewritten(content, []) is content


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [([2, 8], [2, 5]), ([4, 6], [3, 4]), ([10], [7]), ([], []), ([3, 1, 6], [3, 0, 4])],
)
def test_cuts_stay_at_the_same_places(lengths: list[int], expected: list[int]) -> None:
    """D8: a cut inside of a value that is replaced moves to its end."""
    chunks = tuple(Chunk(t_ms=n, length=length) for n, length in enumerate(lengths))

    assert [chunk.length for chunk in recut(chunks, [OWN, FREE])] == expected
