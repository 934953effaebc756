"""The index finds a recorded answer by what a request means, and never a merely similar one."""

import pytest

from envsvc.cassette.entry import entry_of
from envsvc.cassette.index import Found, Index, Level
from envsvc.cassette.stored import Entry, StoredResponse, last_good
from envsvc.exchange.message import (
    Exchange,
    Failure,
    Headers,
    Request,
    Response,
    WebSocketMessage,
)

DOWN = Failure(kind="connect", message="refused")
FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)


def get(url: str) -> Request:
    """Return a plain request of a path of the shop."""
    return Request(method="GET", url=f"http://shop.test{url}")


def answer(body: str, status: int = 200, headers: Headers = ()) -> Response:
    """Return an answer of *body*."""
    return Response(status=status, headers=headers, body=body.encode())


def index_of(*recorded: tuple[Request, Response | Failure]) -> Index:
    """Return the index of a recording; a body's path is its text."""
    index = Index()
    for request, answered in recorded:
        exchange = Exchange(started_us=0, duration_ms=0, request=request, answer=answered)
        index.add(entry_of(exchange, lambda body, _: body.decode()), request)
    return index


def served(index: Index, request: Request) -> str:
    """Return the body that *index* answers *request* with, or how else it ends."""
    found = index.find(request)
    if not isinstance(found, Found):
        return "nothing"
    stored = found.entry.answer
    return stored.kind if isinstance(stored, Failure) else stored.body_path


def test_the_same_request_is_found_exactly() -> None:
    """D3: method, URL text and body bytes are equal."""
    found = index_of((get("/a?x=1"), answer("A"))).find(get("/a?x=1"))

    assert isinstance(found, Found)
    assert (found.level, found.is_ambiguous, found.entry.number) == (Level.EXACT, False, 0)


def test_another_spelling_is_found_by_meaning() -> None:
    """D3, S3-06: a reordered parameter is no miss."""
    found = index_of((get("/s?b=2&a=1"), answer("one"))).find(get("/s?a=1&b=2"))

    assert isinstance(found, Found)
    assert found.level is Level.CANONICAL


@pytest.mark.parametrize("url", ["/list?id=2", "/list", "/list?id=1&id=1", "/List?id=1"])
def test_a_similar_request_finds_nothing(url: str) -> None:
    """D3: no closest match, ever; a wrong answer is worse than a miss."""
    assert index_of((get("/list?id=1"), answer("1"))).find(get(url)) is None


def test_an_empty_index_finds_nothing() -> None:
    """S0-15: an empty recording is legal."""
    assert Index().find(get("/")) is None


def test_the_order_of_asking_does_not_matter() -> None:
    """S0-07: asked twice, and in any order, the same answers come."""
    index = index_of((get("/a"), answer("A")), (get("/b"), answer("B")))

    assert [served(index, get(url)) for url in ("/b", "/a", "/b", "/a")] == ["B", "A", "B", "A"]


def test_bodies_decide_between_requests_of_one_url() -> None:
    """D3: one URL may answer many questions."""
    asked = [Request(method="POST", url="http://a.test/", body=q) for q in (b"1", b"2")]
    index = index_of((asked[0], answer("one")), (asked[1], answer("two")))

    assert [served(index, request) for request in asked] == ["one", "two"]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([answer("first"), answer("last")], "last"),
        ([answer("page"), answer("moved", 302)], "page"),
        ([answer("page"), answer("gone", 404)], "page"),
        ([answer("moved", 302), answer("gone", 404)], "moved"),
        ([answer("gone", 404), answer("locked", 423)], "locked"),
        ([answer("gone", 404), DOWN], "gone"),
        ([DOWN], "connect"),
        ([answer("socket", 101), answer("moved", 302)], "socket"),
    ],
)
def test_the_last_good_answer_is_served(answers: list[Response | Failure], expected: str) -> None:
    """D4: a final 2xx before redirects, before errors, before failures."""
    assert served(index_of(*((get("/"), given) for given in answers)), get("/")) == expected


@pytest.mark.parametrize(
    ("one", "other", "is_ambiguous"),
    [
        (answer("A"), answer("A"), False),
        (answer("A"), answer("A", headers=(("Date", "later"),)), False),
        (answer("A"), answer("B"), True),
        (answer("A"), answer("A", 201), True),
        (
            answer("", 302, headers=(("Location", "/a"),)),
            answer("", 302, headers=(("location", "/b"),)),
            True,
        ),
        (DOWN, Failure(kind="connect", message="refused again"), False),
        (DOWN, Failure(kind="dns", message="no such host"), True),
        (DOWN, answer("A"), True),
    ],
)
def test_a_key_with_different_answers_is_ambiguous(
    one: Response | Failure, other: Response | Failure, *, is_ambiguous: bool
) -> None:
    """D4, S3-06: status, body and target of a redirect tell answers apart; the date does not."""
    index = index_of((get("/"), one), (get("/"), other))
    found = index.find(get("/"))

    assert isinstance(found, Found)
    assert found.is_ambiguous is is_ambiguous
    assert len(list(index.several())) == is_ambiguous


def test_sockets_that_said_different_things_are_ambiguous() -> None:
    """D4: a conversation is an answer too."""
    index = Index()
    for text in (b"hello", b"welcome"):
        said = WebSocketMessage(from_client=False, text=True, content=text, t_ms=0)
        exchange = Exchange(
            started_us=0,
            duration_ms=0,
            request=get("/ws"),
            answer=answer("", 101),
            messages=(said,),
        )
        index.add(entry_of(exchange, lambda body, _: body.decode()), get("/ws"))

    assert [len(variants.entries) for variants in index.several()] == [2]


def test_spellings_with_different_answers_count_only_exactly() -> None:
    """D3: an app that reads something into the order of parameters is taken at its word."""
    index = index_of((get("/s?b=2&a=1"), answer("one")), (get("/s?a=1&b=2"), answer("two")))

    assert served(index, get("/s?b=2&a=1")) == "one"
    assert served(index, get("/s?a=1&b=2")) == "two"
    assert served(index, get("/s?a=1&b=2&")) == "nothing"
    assert served(index, get("/s?%61=1&b=2")) == "nothing"


def test_spellings_with_one_answer_count_by_meaning() -> None:
    """D3: the app did not care, so a third spelling is answered as well."""
    index = index_of((get("/s?b=2&a=1"), answer("one")), (get("/s?a=1&b=2"), answer("one")))

    assert served(index, get("/s?%61=1&b=2")) == "one"


def test_ambiguous_answers_of_one_spelling_are_served_to_others() -> None:
    """D4: there the spelling did not decide; the last good answer stands for all."""
    index = index_of((get("/s?b=2&a=1"), answer("one")), (get("/s?b=2&a=1"), answer("two")))

    assert served(index, get("/s?a=1&b=2")) == "two"


def test_a_request_with_a_body_is_kept_whole() -> None:
    """An explanation of a miss shows what was recorded."""
    request = Request(method="POST", url="http://a.test/", headers=FORM, body=b"a=1")

    assert index_of((request, answer("A"))).request(0) == request


def test_a_request_without_a_body_is_method_and_url() -> None:
    """Its headers decide nothing, so ten thousand of them are not kept."""
    request = Request(method="GET", url="http://a.test/", headers=(("Accept", "*/*"),))

    assert index_of((request, answer("A"))).request(0) == Request(
        method="GET", url="http://a.test/"
    )


def test_a_stored_response_is_what_was_recorded() -> None:
    """Status, headers and stream facts are kept; the body stays in its file."""
    index = index_of((get("/"), answer("A", 203, headers=(("X", "y"),))))

    assert index.entries == [
        Entry(
            number=0,
            method="GET",
            url="http://shop.test/",
            answer=StoredResponse(
                status=203, reason="", headers=(("X", "y"),), body_path="A", body_size=1
            ),
        )
    ]


def test_an_empty_response_has_no_body_file() -> None:
    """A 204 is not read from the disk."""
    stored = index_of((get("/"), answer("", 204))).entries[0].answer

    assert isinstance(stored, StoredResponse)
    assert (stored.body_path, stored.body_size) == ("", 0)


def test_of_equally_good_answers_the_last_is_taken() -> None:
    """D4: in recorded order, however they are listed."""
    entries = index_of((get("/"), answer("A")), (get("/"), answer("B"))).entries

    assert last_good(entries[::-1]).number == 1


@pytest.mark.parametrize(
    ("host", "is_dead"), [("cdn.test", True), ("shop.test", False), ("never.test", False)]
)
def test_a_host_that_never_answered_is_unreachable(host: str, *, is_dead: bool) -> None:
    """D8: a host that cannot be reached is a fact about the host; one answer disproves it."""
    dead = Request(method="GET", url="http://CDN.test/x.js")
    index = index_of((dead, DOWN), (get("/slow"), DOWN), (get("/"), answer("home")))

    assert (index.unreachable(host) is not None) is is_dead


def test_a_url_without_a_host_says_nothing_about_hosts() -> None:
    """D3: what cannot be parsed is keyed by its bytes only."""
    index = index_of((Request(method="GET", url="nonsense"), DOWN))

    assert index.unreachable("") is None
