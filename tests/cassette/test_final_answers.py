"""Steps on the way to an answer are not the answer (D4)."""

import pytest

from envsvc.exchange.message import Failure, Response
from tests.cassette.recordings import (
    SHOP,
    after,
    ask,
    exchange,
    found,
    in_order,
    index_of,
    say,
    served,
)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([say("", 302, (("Location", "/x"),)), say("page")], "page"),
        ([say("", 302, (("Location", f"{SHOP}/x"),)), say("page")], "page"),
        ([say("", 401, (("WWW-Authenticate", "NTLM"),)), say("in")], "in"),
        ([say("", 401, (("WWW-Authenticate", "Negotiate abc"),)), say("in")], "in"),
    ],
)
def test_steps_on_the_way_to_an_answer_are_not_chosen(
    answers: list[Response], expected: str
) -> None:
    """D4: a redirect to itself would loop; a challenge of a connection cannot be repeated."""
    index = index_of(in_order(*(("GET /x", answer) for answer in answers)))
    hit = found(index, ask("GET /x"))

    assert served(index, ask("GET /x")) == expected
    assert hit.is_ambiguous


@pytest.mark.parametrize(
    "answers",
    [
        [say("", 302, (("Location", "/x"),))],
        [say("", 401, (("WWW-Authenticate", "NTLM"),))],
        [Failure(kind="connect", message="refused")],
    ],
)
def test_they_are_if_nothing_else_was_recorded(answers: list[Response | Failure]) -> None:
    """What was recorded is served."""
    index = index_of(in_order(*(("GET /x", answer) for answer in answers)))

    assert found(index, ask("GET /x")).entry.number == 0


@pytest.mark.parametrize("status", [307, 308])
def test_a_write_that_is_sent_to_itself_would_loop(status: int) -> None:
    """RFC 9110 15.4.8: method and body stay."""
    index = index_of(
        in_order(("POST /x", say("", status, (("Location", "/x"),))), ("POST /x", "done"))
    )

    assert served(index, ask("POST /x")) == "done"


def test_a_write_that_leads_to_its_page_does_not_loop() -> None:
    """RFC 9110 15.4.4: what follows a 303 is a GET."""
    index = index_of(
        in_order(("POST /x", say("", 303, (("Location", "/x"),))), ("POST /x", "refused"))
    )

    assert served(index, ask("POST /x"), after(index)) == ""


def test_a_basic_challenge_is_the_answer_to_who_sends_nothing() -> None:
    """D4: whether credentials are there selects 401 or 200."""
    index = index_of(
        in_order(
            exchange("GET /s", say("", 401, (("WWW-Authenticate", 'Basic realm="x"'),)), 0),
            exchange("GET /s", "in", 0, headers=(("Authorization", "Basic x"),)),
        )
    )

    assert served(index, ask("GET /s")) == ""


@pytest.mark.parametrize("piece", [say("", 304), say("0", 206)])
def test_a_whole_answer_stands_for_its_pieces(piece: Response) -> None:
    """RFC 9110 15.3.7, 15.4.5: they are made from it."""
    index = index_of(in_order(("GET /", say("whole")), ("GET /", piece)))
    hit = found(index, ask("GET /"))

    assert (hit.entry.number, hit.is_ambiguous) == (0, False)
