"""A socket's messages with the writes that were made meanwhile."""

import msgspec

from envsvc.cassette.script import Wrote, said, script
from envsvc.cassette.stored import Entry, StoredResponse
from envsvc.cassette.writes import Write
from envsvc.exchange.key import CanonicalKey, message_key
from envsvc.exchange.message import Failure, WebSocketMessage

DEPLOY = CanonicalKey(b"deploy")


def push(t_ms: int) -> WebSocketMessage:
    """Return what the server said at this time."""
    return WebSocketMessage(from_client=False, text=True, content=b"news", t_ms=t_ms)


def entry(answer: StoredResponse | Failure) -> Entry:
    """Return a socket that was opened after one second."""
    return Entry(number=0, method="GET", url="ws://a.test/", answer=answer, started_us=1_000_000)


def socket(*messages: WebSocketMessage) -> Entry:
    """Return a socket on which this was said."""
    return entry(
        StoredResponse(
            status=101, reason="", headers=(), body_path="", body_size=0, messages=messages
        )
    )


def deploy(started_us: int) -> Write:
    """Return a write that took long."""
    return Write(number=1, key=DEPLOY, started_us=started_us, ended_us=started_us + 9_000_000)


def test_a_write_stands_where_it_began() -> None:
    """D4: a server may push before it has answered."""
    assert script(socket(push(0), push(600)), [deploy(1_500_000)]) == (
        push(0),
        Wrote(DEPLOY),
        push(600),
    )


def test_a_write_of_another_run_says_nothing() -> None:
    """D4: it was made elsewhere."""
    elsewhere = msgspec.structs.replace(deploy(1_500_000), run=1)

    assert script(socket(push(0), push(600)), [elsewhere]) == (push(0), push(600))


def test_writes_before_the_socket_and_after_its_last_message_say_nothing() -> None:
    """Nothing was told of them here."""
    assert script(socket(push(0)), [deploy(0), deploy(5_000_000)]) == (push(0),)


def test_what_is_no_socket_has_no_script() -> None:
    """A host that failed said nothing."""
    assert script(entry(Failure(kind="dns", message="")), []) == ()


def test_what_the_client_said_is_a_write_of_its_moment() -> None:
    """D4: keyed by socket and meaning; what the server said is none."""
    hello = WebSocketMessage(from_client=True, text=True, content=b"hello", t_ms=600)
    (one,) = said(socket(push(0), hello), DEPLOY)

    assert one.message == hello
    assert one.write == Write(
        number=0,
        key=message_key(DEPLOY, text=True, content=b"hello"),
        started_us=1_600_000,
        ended_us=1_600_000,
    )


def test_nothing_is_said_on_what_is_no_socket() -> None:
    """A host that could not be reached among them."""
    assert list(said(entry(Failure(kind="connect", message="refused")), DEPLOY)) == []
