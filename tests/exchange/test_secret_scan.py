"""What is to be stored is looked through once more."""

from envsvc.exchange.secret_scan import Leak, leaks
from envsvc.exchange.spelling import Spellings


def test_a_leak_is_named_by_its_place_alone() -> None:
    """D9: the finding never prints the secret."""
    known = Spellings()
    known.add("s3cret-word", "redacted-secret-a")
    pieces = [("entry 1", b"clean"), ("entry 2", b"s3cret-word czNjcmV0LXdvcmQ= s3cret%2Dword")]

    assert list(leaks(pieces, known)) == [Leak("entry 2", 2)]


def test_placeholders_are_no_leak() -> None:
    """D9: a value that is a word of placeholders is not found in them."""
    known = Spellings()
    known.add("secret", "redacted-secret-a")

    assert list(leaks([("entry 1", b"redacted-secret-a")], known)) == []
