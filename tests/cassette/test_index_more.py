"""What else than method, URL and bytes tells requests and their answers apart."""

import msgspec

from envsvc.cassette.script import said
from envsvc.cassette.writes import Made
from envsvc.exchange.message import Headers, WebSocketMessage
from tests.cassette.recordings import ask, exchange, in_order, index_of, say, served

FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)
PLAIN: Headers = (("Content-Type", "text/plain"),)
DELETE: Headers = (("X-HTTP-Method-Override", "delete"),)
PATCH: Headers = (("X-HTTP-Method", "PATCH"),)


def test_the_same_bytes_of_another_type_are_another_request() -> None:
    """D3: where it was recorded that a Content-Type decides, it does."""
    form = exchange("POST /in a=1", "form", 0, headers=FORM)
    index = index_of([form, exchange("POST /in a=1", "text", 1, headers=PLAIN)])

    assert served(index, ask("POST /in a=1", FORM)) == "form"
    assert served(index, ask("POST /in a=1", PLAIN)) == "text"


def test_a_method_in_a_header_counts() -> None:
    """D3: a POST that means DELETE is none that means PATCH."""
    index = index_of([exchange("POST /i", "deleted", 0, headers=DELETE)])

    assert served(index, ask("POST /i", DELETE)) == "deleted"
    assert served(index, ask("POST /i", PATCH)) == "nothing"
    assert served(index, ask("POST /i")) == "nothing"


def test_the_recorded_request_keeps_the_method_that_it_meant() -> None:
    """D3: match rules look at it again."""
    index = index_of([exchange("POST /i", "deleted", 0, headers=DELETE)])

    assert index.key_for(index.request(0)) == index.key_for(ask("POST /i", DELETE))


def test_what_was_said_on_a_socket_tells_answers_apart() -> None:
    """D4: no request wrote anything, so the message did; people read it like a write."""
    hello = WebSocketMessage(from_client=True, text=True, content=b"hello", t_ms=100)
    socket = msgspec.structs.replace(exchange("GET /ws", say("", 101), 0), messages=(hello,))
    index = index_of(in_order(("GET /log", "empty"), socket, ("GET /log", "hello")))
    (message,) = said(index.entries[1], index.key(1))
    made = Made()
    made.told(message.write.key)

    assert served(index, ask("GET /log")) == "empty"
    assert served(index, ask("GET /log"), made) == "hello"
    assert index.writes(made.relevant(frozenset({message.write.key}))) == [
        "GET http://shop.test/ws hello"
    ]
