"""What a client of the proxy gets, over real sockets."""

import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from envsvc.adapters.replay_server.server import (
    BindNeedsTokenError,
    PortTakenError,
    ServeOptions,
)
from envsvc.exchange.message import Chunk, Failure
from envsvc.playback.outcome import MissPolicy, Outcome
from envsvc.playback.pace import parse_pace
from envsvc.playback.session import Verdict
from tests.replay_server.cassettes import EVENTS, HTML, JSON, page, recorded
from tests.replay_server.clients import ERROR, HOME, client
from tests.replay_server.conftest import Serve

pytestmark = pytest.mark.loopback

SECURE = recorded("https://shop.test/", page(b"<h1>secure</h1>"))


def test_a_recorded_page_is_served_as_it_was(serve: Serve) -> None:
    """S0-02: the same question is answered from the store."""
    with client(serve(HOME)) as agent:
        answer = agent.get("http://shop.test/")

    assert (answer.status_code, answer.content) == (200, b"<h1>home</h1>")


def test_asking_again_gives_the_same_answer(serve: Serve) -> None:
    """S0-07: no answer is used up, however often it is asked."""
    with client(serve(HOME)) as agent:
        answers = {agent.get("http://shop.test/").content for _ in range(20)}

    assert answers == {b"<h1>home</h1>"}


def test_https_is_ended_by_our_own_authority(serve: Serve) -> None:
    """D10: CONNECT with TLS ended by the CA of recording and replay."""
    with client(serve(SECURE)) as agent:
        answer = agent.get("https://shop.test/")

    assert answer.content == b"<h1>secure</h1>"


def test_http_and_https_are_different_pages(serve: Serve) -> None:
    """S3-05: the scheme is part of the key."""
    with client(serve(HOME, options=ERROR)) as agent:
        answer = agent.get("https://shop.test/")

    assert answer.status_code == 404


def test_every_request_is_counted_once_also_on_the_fast_path(serve: Serve) -> None:
    """D7: the outcomes sum up to the number of requests."""
    replay = serve(HOME, options=ERROR)
    with client(replay) as agent:
        for path in ("", "", "", "unknown"):
            agent.get(f"http://shop.test/{path}")
    report = replay.report("default")

    assert report.requests == 4
    assert report.outcomes == {Outcome.EXACT: 3, Outcome.MISS_TASK: 1}


def test_a_reordered_query_is_a_canonical_hit(serve: Serve) -> None:
    """S3-06: a reordered parameter does not miss."""
    replay = serve(recorded("http://shop.test/s?a=1&b=2", page(b"found")))
    with client(replay) as agent:
        answer = agent.get("http://shop.test/s?b=2&a=1")

    assert answer.content == b"found"
    assert replay.report("default").outcomes == {Outcome.CANONICAL: 1}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_the_body_decides_for_every_method(serve: Serve, method: str) -> None:
    """S3-06: another body never gets this body's answer."""
    known = recorded(
        "http://shop.test/api", page(b"{}", JSON), method=method, headers=JSON, body=b'{"a":1}'
    )
    with client(serve(known, options=ERROR)) as agent:
        hit = agent.request(method, "http://shop.test/api", json={"a": 1})
        miss = agent.request(method, "http://shop.test/api", json={"a": 2})

    assert (hit.status_code, miss.status_code) == (200, 404)


def test_a_strict_miss_makes_the_session_unreplayable(serve: Serve) -> None:
    """S0-10: a miss under the default policy fails the whole run."""
    replay = serve(HOME)
    with client(replay) as agent:
        agent.get("http://shop.test/never")

    assert replay.report("default").verdict is Verdict.UNREPLAYABLE


def test_noise_is_counted_and_never_fails_an_episode(serve: Serve) -> None:
    """D6: noise has its own column."""
    replay = serve(HOME)
    with client(replay) as agent:
        agent.get("http://stats.test/collect")
        agent.get("http://shop.test/favicon.ico")
    report = replay.report("default")

    assert report.verdict is Verdict.REPLAYED
    assert report.outcomes == {Outcome.MISS_NOISE: 2}


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("text/html,*/*", "text/html"),
        ("application/json", "application/json"),
        ("image/png,*/*", "image/svg+xml"),
        ("*/*", "text/plain"),
    ],
)
def test_a_miss_has_the_type_that_was_expected_and_shows_nothing(
    serve: Serve, accept: str, content_type: str
) -> None:
    """D6: a miss body is not empty, shows nothing recorded, says nothing of a cassette."""
    with client(serve(HOME, options=ERROR)) as agent:
        answer = agent.get("http://shop.test/never", headers={"Accept": accept})
    shown = (answer.text + str(answer.headers)).lower()

    assert answer.headers["content-type"].startswith(content_type)
    assert answer.content
    assert not [word for word in ("home", "cassette", "record", "envsvc") if word in shown]


def test_sessions_in_proxy_credentials_are_counted_apart(serve: Serve) -> None:
    """D5: a session is named by proxy credentials."""
    replay = serve(HOME)
    for name in ("one", "two", "two"):
        with client(replay, f"http://{name}:x@127.0.0.1:{replay.port}") as agent:
            agent.get("http://shop.test/")

    assert replay.report("one").requests == 1
    assert replay.report("two").requests == 2


def test_a_session_with_its_own_port_needs_no_credentials(serve: Serve) -> None:
    """D5: a session is named by its own listener port."""
    replay = serve(HOME, SECURE)
    with client(replay, replay.open_session("own")) as agent:
        agent.get("http://shop.test/")
        agent.get("https://shop.test/")

    assert replay.report("own").requests == 2


def test_opening_a_session_again_resets_it(serve: Serve) -> None:
    """D5: reset per episode."""
    replay = serve(HOME)
    with client(replay, replay.open_session("own")) as agent:
        agent.get("http://shop.test/")
    replay.open_session("own")

    assert replay.report("own").requests == 0


def test_sixteen_sessions_at_once_get_what_one_alone_gets(serve: Serve) -> None:
    """D5: sessions never see each other; every byte is the same."""
    pages = [recorded(f"http://shop.test/{n}", page(bytes([n]) * 5000 * n)) for n in range(16)]
    replay = serve(*pages, SECURE)

    def visit(name: str) -> bytes:
        with client(replay, replay.open_session(name)) as agent:
            contents = [agent.get(f"http://shop.test/{n}").content for n in range(16)]
            return b"".join([*contents, agent.get("https://shop.test/").content])

    alone = visit("alone")
    with ThreadPoolExecutor(16) as pool:
        together = set(pool.map(visit, [f"s{n}" for n in range(16)]))

    assert together == {alone}


def test_server_sent_events_keep_their_recorded_pace(serve: Serve) -> None:
    """D10: SSE is replayed piece by piece, not as one body."""
    stream = recorded(
        "http://shop.test/sse",
        page(b"data: 1\n\ndata: 2\n\n", EVENTS),
        chunks=(Chunk(t_ms=0, length=9), Chunk(t_ms=300, length=9)),
    )
    with client(serve(stream)) as agent, agent.stream("GET", "http://shop.test/sse") as answer:
        times = [time.monotonic() for _ in answer.iter_raw()]

    assert len(times) == 2
    assert times[1] - times[0] > 0.2


@pytest.mark.parametrize("kind", ["text/event-stream", "application/x-ndjson"])
@pytest.mark.parametrize("pace", ["none", "scaled:0.000001"])
def test_a_stream_may_come_faster_than_it_was_recorded(serve: Serve, pace: str, kind: str) -> None:
    """D10: an hour between two chunks is none; they stay two chunks."""
    stream = recorded(
        "http://shop.test/s",
        page(b"1\n\n2\n\n", (("Content-Type", kind),)),
        chunks=(Chunk(t_ms=0, length=3), Chunk(t_ms=3_600_000, length=3)),
    )
    replay = serve(stream, options=ServeOptions(policy=MissPolicy.ERROR, pace=parse_pace(pace)))
    with client(replay) as agent, agent.stream("GET", "http://shop.test/s") as answer:
        content = b"".join(answer.iter_raw())

    assert content == b"1\n\n2\n\n"


def test_a_range_is_cut_out_of_the_stored_whole(serve: Serve) -> None:
    """D7: a 206 is derived from a stored 200."""
    replay = serve(recorded("http://shop.test/f", page(b"0123456789")))
    with client(replay) as agent:
        answer = agent.get("http://shop.test/f", headers={"Range": "bytes=2-4"})

    assert (answer.status_code, answer.content) == (206, b"234")
    assert answer.headers["content-range"] == "bytes 2-4/10"
    assert replay.report("default").outcomes == {Outcome.DERIVED: 1}


def test_head_is_derived_from_the_stored_get(serve: Serve) -> None:
    """D7: a HEAD is derived from a stored 200, without its body."""
    replay = serve(HOME)
    with client(replay) as agent:
        answer = agent.head("http://shop.test/")

    assert (answer.headers["content-length"], answer.content) == ("13", b"")


def test_an_unreachable_host_fails_again_and_is_no_miss(serve: Serve) -> None:
    """D8: a failure is replayed as a failure and counted apart."""
    dead = recorded("http://cdn.test/x.js", Failure(kind="dns", message="no such host"))
    replay = serve(dead)
    with client(replay) as agent, pytest.raises(httpx.RemoteProtocolError):
        agent.get("http://cdn.test/x.js")

    assert replay.report("default").outcomes == {Outcome.FAILURE: 1}


def test_a_tunnel_to_an_unreachable_host_fails_again(serve: Serve) -> None:
    """D8: over https the tunnel itself fails, as it did while recording."""
    dead = recorded("https://cdn.test/x.js", Failure(kind="dns", message="no such host"))
    replay = serve(dead)
    with client(replay) as agent, pytest.raises(httpx.ProxyError):
        agent.get("https://cdn.test/x.js")

    assert replay.report("default").outcomes == {Outcome.FAILURE: 1}


def test_an_ambiguous_key_is_served_last_good_and_flagged(serve: Serve) -> None:
    """D4: the last good answer, flagged ambiguous."""
    replay = serve(
        recorded("http://shop.test/cart", page(b"empty")),
        recorded("http://shop.test/cart", page(b"one item")),
        recorded("http://shop.test/cart", page(b"sorry", HTML, 404)),
    )
    with client(replay) as agent:
        answer = agent.get("http://shop.test/cart")

    assert answer.content == b"one item"
    assert replay.report("default").outcomes == {Outcome.AMBIGUOUS: 1}


def test_a_port_that_is_taken_is_named(serve: Serve) -> None:
    """D18: the error says which port."""
    taken = serve(HOME).port

    with pytest.raises(PortTakenError, match=str(taken)):
        serve(HOME, options=ServeOptions(port=taken))


def test_another_address_than_loopback_needs_a_token(serve: Serve) -> None:
    """D10: loopback only by default; any other bind needs a token."""
    with pytest.raises(BindNeedsTokenError):
        serve(HOME, options=ServeOptions(host="0.0.0.0"))  # noqa: S104


def test_a_wrong_token_is_challenged(serve: Serve) -> None:
    """D10: without the token there is no answer, also not to a tunnel."""
    replay = serve(HOME, options=ServeOptions(token="made-up-token"))
    with client(replay, f"http://s:wrong@127.0.0.1:{replay.port}") as agent:
        plain = agent.get("http://shop.test/").status_code
        with pytest.raises(httpx.ProxyError):
            agent.get("https://shop.test/")

    assert plain == 407


def test_the_right_token_is_let_in(serve: Serve) -> None:
    """D5: credentials name the session, the password is the token."""
    replay = serve(HOME, options=ServeOptions(token="made-up-token"))
    with client(replay, f"http://s:made-up-token@127.0.0.1:{replay.port}") as agent:
        answer = agent.get("http://shop.test/")

    assert answer.status_code == 200


def test_repeated_set_cookie_lines_stay_apart(serve: Serve) -> None:
    """RFC 6265 3: Set-Cookie lines must not be joined."""
    cookies = (*HTML, ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))
    with client(serve(recorded("http://shop.test/", page(b"x", cookies)))) as agent:
        answer = agent.get("http://shop.test/")

    assert answer.headers.get_list("set-cookie") == ["a=1", "b=2"]


def test_the_report_names_cassette_and_policy(serve: Serve) -> None:
    """D7: a report says which recording it speaks of."""
    replay = serve(HOME)
    replay.open_session("one", MissPolicy.ERROR)
    report = replay.report("one")

    assert (report.app, report.version, report.cassette_digest) == ("shop", "v1", "0" * 64)
    assert report.policy is MissPolicy.ERROR


def test_no_name_of_a_session_disturbs_the_shared_port(serve: Serve) -> None:
    """D5: whatever a session is called, other clients are still answered."""
    replay = serve(HOME)
    for name in ("shared", "", "default"):
        replay.open_session(name)
    with client(replay) as agent:
        answer = agent.get("http://shop.test/")

    assert answer.status_code == 200


def test_a_port_of_its_own_asks_for_the_token_too(serve: Serve) -> None:
    """D10: no port of a server with a token answers without it."""
    replay = serve(HOME, options=ServeOptions(token="made-up-token"))
    own = replay.open_session("own")
    with client(replay, own) as agent:
        answer = agent.get("http://shop.test/")

    assert answer.status_code == 407
