"""A web socket is replayed as a conversation."""

from envsvc.cassette.script import Wrote
from envsvc.exchange.key import CanonicalKey, message_key
from envsvc.exchange.message import WebSocketMessage
from envsvc.playback.conversation import Conversation

SOCKET = CanonicalKey(b"socket")


def said(content: bytes, *, text: bool = True) -> CanonicalKey:
    """Return the key of what the client says."""
    return message_key(SOCKET, text=text, content=content)


def ask(text: str) -> WebSocketMessage:
    """Return a message of the client."""
    return WebSocketMessage(from_client=True, text=True, content=text.encode(), t_ms=0)


def say(text: str) -> WebSocketMessage:
    """Return a message of the server."""
    return WebSocketMessage(from_client=False, text=True, content=text.encode(), t_ms=0)


def play(recorded: list[WebSocketMessage], *asked: str) -> list[list[str] | None]:
    """Return what the server says to each message that is *asked*."""
    conversation = Conversation(SOCKET, [tuple(recorded)])
    answers = [conversation.answer(said(text.encode())) for text in asked]
    return [a if a is None else [m.content.decode() for m in a] for a in answers]


TALK = [say("welcome"), ask("hi"), say("hello"), say("there"), ask("bye")]


def test_the_server_may_speak_first() -> None:
    """What it says before it is asked is the greeting."""
    assert Conversation(SOCKET, [tuple(TALK)]).greeting == [say("welcome")]


def test_a_server_that_waits_has_no_greeting() -> None:
    """It speaks when it is asked."""
    assert Conversation(SOCKET, [(ask("hi"), say("hello"))]).greeting == []


def test_a_socket_that_said_nothing_answers_nothing() -> None:
    """An empty recording is legal."""
    assert play([], "hi") == [None]


def test_each_message_gets_what_followed_it() -> None:
    """All of it, in order; silence is an answer too."""
    assert play(TALK, "bye", "hi") == [[], ["hello", "there"]]


def test_a_message_that_was_never_recorded_has_no_answer() -> None:
    """D3: no closest match in a socket either."""
    assert play(TALK, "HI") == [None]


def test_a_repeated_message_gets_its_answers_in_turn_and_keeps_the_last() -> None:
    """D4: the order within one socket is the conversation's own."""
    recorded = [ask("next"), say("1"), ask("next"), say("2")]

    assert play(recorded, "next", "next", "next") == [["1"], ["2"], ["2"]]


def test_text_and_bytes_are_different_messages() -> None:
    """RFC 6455 5.6: the same bytes in a binary message say something else."""
    assert Conversation(SOCKET, [tuple(TALK)]).answer(said(b"hi", text=False)) is None


def test_two_clients_talk_by_themselves() -> None:
    """D5: sessions never see each other."""
    recorded = [ask("next"), say("1"), ask("next"), say("2")]

    assert play(recorded, "next") == play(recorded, "next") == [["1"]]


DEPLOY, OTHER = CanonicalKey(b"deploy"), CanonicalKey(b"other")


def pushed(conversation: Conversation, write: CanonicalKey) -> list[str]:
    """Return what the server says once *write* was made."""
    return [message.content.decode() for message in conversation.push(write)]


def test_what_followed_a_write_waits_for_it() -> None:
    """D4: server pushes are held until the session has made the write that caused them."""
    conversation = Conversation(SOCKET, [(say("hello"), Wrote(DEPLOY), say("deployed"))])

    assert conversation.greeting == [say("hello")]
    assert pushed(conversation, OTHER) == []
    assert pushed(conversation, DEPLOY) == ["deployed"]


def test_a_push_comes_once_for_each_time_it_was_recorded() -> None:
    """It was the news of just that write."""
    conversation = Conversation(SOCKET, [(Wrote(DEPLOY), say("1"), Wrote(DEPLOY), say("2"))])

    assert [pushed(conversation, DEPLOY) for _ in range(3)] == [["1"], ["2"], []]


def test_another_recorded_socket_knows_what_the_first_does_not() -> None:
    """Each page opens its own, and says there what it needs."""
    conversation = Conversation(SOCKET, [(say("hello"),), (ask("hi"), say("there"))])

    assert conversation.answer(said(b"hi")) == [say("there")]


def test_no_recorded_socket_says_nothing() -> None:
    """An empty list is legal."""
    assert Conversation(SOCKET, []).greeting == []
