"""Web sockets and egress of the replay server."""

import socket
import ssl
import threading
from typing import Self

import msgspec
import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Request, TextMessage

from envsvc.adapters.replay_server.egress import EgressGuard, EgressRefusedError, GuardedLoop
from envsvc.adapters.replay_server.server import ServeOptions
from envsvc.adapters.replay_server.thread import RunningReplay
from envsvc.exchange.message import Exchange, Response, WebSocketMessage
from envsvc.exchange.message import Request as HttpRequest
from envsvc.playback.outcome import MissPolicy, Outcome
from tests.replay_server.cassettes import page, recorded
from tests.replay_server.clients import client
from tests.replay_server.conftest import Serve

pytestmark = pytest.mark.loopback


def said(content: str, *, by_client: bool = False) -> WebSocketMessage:
    """Return a text message."""
    return WebSocketMessage(from_client=by_client, text=True, content=content.encode(), t_ms=0)


def chat(scheme: str) -> Exchange:
    """Return a recorded conversation: a greeting, then a question with its answer."""
    return Exchange(
        started_us=0,
        duration_ms=1,
        request=HttpRequest(method="GET", url=f"{scheme}://shop.test/chat"),
        answer=Response(status=101, reason="Switching Protocols"),
        messages=(said("welcome"), said("price p03", by_client=True), said("$ 47.00")),
    )


class ChatClient:
    """A web socket client through the proxy, over a tunnel as browsers do."""

    def __init__(self, replay: RunningReplay, scheme: str) -> None:
        """Connect and shake hands."""
        self._socket: socket.socket = socket.create_connection(("127.0.0.1", replay.port), 5)
        port = {"ws": 80, "wss": 443}[scheme]
        self._socket.sendall(f"CONNECT shop.test:{port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert self._socket.recv(4096).startswith(b"HTTP/1.1 200")
        if scheme == "wss":
            context = ssl.create_default_context(cafile=str(replay.ca_certificate))
            self._socket = context.wrap_socket(self._socket, server_hostname="shop.test")
        self._connection = WSConnection(ConnectionType.CLIENT)
        self._socket.sendall(self._connection.send(Request(host="shop.test", target="/chat")))

    def __enter__(self) -> Self:
        """Use it in a with statement."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self._socket.close()

    def ask(self, text: str) -> None:
        """Send a text message."""
        self._socket.sendall(self._connection.send(TextMessage(data=text)))

    def hear(self) -> str:
        """Return the next text message."""
        while True:
            for event in self._connection.events():
                if isinstance(event, TextMessage):
                    return event.data
                assert isinstance(event, AcceptConnection)
            data = self._socket.recv(65536)
            assert data, "closed"
            self._connection.receive_data(data)


@pytest.mark.parametrize("scheme", ["ws", "wss"])
def test_a_conversation_is_replayed_message_by_message(serve: Serve, scheme: str) -> None:
    """D10: the server's messages follow the client message that they answered."""
    with ChatClient(serve(chat(scheme)), scheme) as chatting:
        greeting = chatting.hear()
        chatting.ask("price p03")
        answer = chatting.hear()

    assert (greeting, answer) == ("welcome", "$ 47.00")


def test_an_unrecorded_message_is_a_miss_of_its_own(serve: Serve) -> None:
    """D6: what was not recorded is counted, on a web socket too."""
    replay = serve(chat("ws"), options=ServeOptions(policy=MissPolicy.ERROR))
    with ChatClient(replay, "ws") as chatting:
        chatting.hear()
        chatting.ask("price p99")
        chatting.ask("price p03")
        chatting.hear()

    assert replay.report("default").outcomes == {Outcome.EXACT: 1, Outcome.MISS_TASK: 1}


def test_a_watched_thread_cannot_connect() -> None:
    """S0-02: an attempt to get out is refused and counted."""
    guard = EgressGuard()
    refused = []

    def attempt() -> None:
        with guard.watched():
            try:
                socket.create_connection(("127.0.0.1", 9))
            except EgressRefusedError as error:
                refused.append(error)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()

    assert (len(refused), guard.attempts) == (1, 1)


def test_the_event_loop_opens_no_connection_either() -> None:
    """S0-02: libuv's connections, which no audit hook sees, are refused and counted too."""
    guard = EgressGuard()
    loop = GuardedLoop(guard)
    with pytest.raises(EgressRefusedError):
        loop.run_until_complete(loop.create_connection(None, "127.0.0.1", 9))
    loop.close()

    assert guard.attempts == 1


def test_a_page_shows_what_was_said_on_the_socket_before(serve: Serve) -> None:
    """D4: where no request wrote anything, what the client said tells the answers apart."""
    talk = msgspec.structs.replace(
        chat("ws"),
        started_us=1_000_000,
        messages=(said("welcome"), said("hi", by_client=True), said("hello")),
    )
    empty, one = (
        recorded("http://shop.test/log", page(body), second=second)
        for body, second in ((b"nothing", 0), (b"hi", 9))
    )
    replay = serve(empty, talk, one)
    with client(replay) as agent:
        before = agent.get("http://shop.test/log").content
        with ChatClient(replay, "ws") as talking:
            talking.hear()
            talking.ask("hi")
            talking.hear()
        after = agent.get("http://shop.test/log").content

    assert (before, after) == (b"nothing", b"hi")


def test_a_push_waits_for_the_write_that_caused_it(serve: Serve) -> None:
    """D4: the server tells of a deployment once this session has deployed."""
    watching = Exchange(
        started_us=0,
        duration_ms=9_000,
        request=HttpRequest(method="GET", url="ws://shop.test/chat"),
        answer=Response(status=101, reason="Switching Protocols"),
        messages=(
            said("welcome"),
            WebSocketMessage(from_client=False, text=True, content=b"deployed", t_ms=2_000),
        ),
    )
    deploy = recorded("http://shop.test/deploy", page(b"ok"), method="POST", second=1)
    replay = serve(watching, deploy)
    with ChatClient(replay, "ws") as chatting, client(replay) as agent:
        heard = [chatting.hear()]
        agent.post("http://shop.test/deploy")
        heard.append(chatting.hear())

    assert heard == ["welcome", "deployed"]
