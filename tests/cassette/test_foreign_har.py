"""Entries of any program's HAR: what is kept, and why not."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.cassette.foreign_har import Left, Taken, read_entry
from envsvc.exchange.message import Exchange, Response, WebSocketMessage, header_values

PNG = b"\x89PNG\r\n\x1a\n"
FILES = {"abc.png": PNG}


def entry(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - parts of JSON
    """Return an entry of a page, with *changes* to its request, response or content."""
    request = {"method": "GET", "url": "http://app.test/a", "headers": []}
    content = {"size": 1, "mimeType": "text/plain", "text": "x"}
    response = {"status": 200, "headers": [], "content": content, "redirectURL": ""}
    made: dict[str, Any] = {"request": request, "response": response}
    for name, value in changes.items():
        if name in {"request", "response"}:
            made[name] = {**made[name], **value}
        elif name == "content":
            response["content"] = value
        else:
            made[name] = value
    if "content" in changes:
        made["response"]["content"] = changes["content"]
    return made


def taken(**changes: Any) -> Exchange:  # noqa: ANN401 - parts of JSON
    """Return the exchange of a changed entry, which must be kept."""
    found = read_entry(entry(**changes), FILES.get)
    assert isinstance(found, Taken), found
    return found.exchange


def left(**changes: Any) -> str:  # noqa: ANN401 - parts of JSON
    """Return why a changed entry is not kept."""
    found = read_entry(entry(**changes), FILES.get)
    assert isinstance(found, Left), found
    return found.reason


def answer(**changes: Any) -> Response:  # noqa: ANN401 - parts of JSON
    """Return the answer of a changed entry."""
    found = taken(**changes).answer
    assert isinstance(found, Response)
    return found


def posted(data: dict[str, Any], *headers: tuple[str, str]) -> bytes:
    """Return the request body that ``postData`` gives."""
    pairs = [{"name": name, "value": value} for name, value in headers]
    request = {"method": "POST", "postData": data, "headers": pairs}
    return taken(request=request).request.body


def test_a_plain_entry_is_kept() -> None:
    """D2: method, URL, status and body."""
    exchange = taken(startedDateTime="1970-01-01T00:00:01Z", time=12.5)

    assert (exchange.request.method, exchange.request.url) == ("GET", "http://app.test/a")
    assert (exchange.started_us, exchange.duration_ms) == (1_000_000, 12.5)
    assert answer().body == b"x"


@pytest.mark.parametrize(
    "url",
    ["data:,x", "blob:http://app.test/0f", "about:blank", "chrome-extension://abc/x.js",
     "file:///etc/hostname", "nonsense"],
)  # fmt: skip
def test_only_web_traffic_is_kept(url: str) -> None:
    """What a browser showed from elsewhere is counted as ignored."""
    found = read_entry(entry(request={"url": url}), FILES.get)

    assert isinstance(found, Left)
    assert found.is_foreign


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"response": {"status": 0}}, "status 0"),
        ({"response": {"status": 600}}, "status 600"),
        ({"request": {"method": "GE\0T"}}, "malformed"),
        ({"request": {"url": "http://app.test/\n"}}, "malformed"),
        ({"request": {"method": ""}}, "malformed"),
        ({"content": {"mimeType": "text/html"}}, "body missing"),
        ({"content": {"size": 5120, "mimeType": "text/html"}}, "body missing"),
        ({"content": {"size": 5120, "mimeType": "text/html", "text": ""}}, "body missing"),
        ({"content": {"size": -1, "mimeType": "text/html"}}, "body missing"),
        ({"content": {"size": 9, "mimeType": "image/png", "text": "\u4e00"}}, "body missing"),
        ({"content": {"size": 4, "text": "x!", "encoding": "base64"}}, "body missing"),
        ({"content": {"size": 4, "_file": "../abc.png"}}, "body missing"),
        ({"request": {"postData": {"_file": "gone"}}}, "request body missing"),
        ({"request": {"method": "POST", "bodySize": 7}}, "request body missing"),
        (
            {"request": {"headers": [{"name": "Content-Length", "value": "7"}]}},
            "request body missing",
        ),
        (
            {"request": {"postData": {"mimeType": "multipart/form-data", "params": [{}]}}},
            "request body missing",
        ),
    ],
)
def test_what_is_not_whole_is_left_out(changes: dict[str, Any], reason: str) -> None:
    """S3-08: nothing is frozen that nobody was sent."""
    assert left(**changes).startswith(reason)


@pytest.mark.parametrize("value", [None, 1, "x", []])
def test_an_entry_that_is_no_object_is_left_out(value: object) -> None:
    """One bad entry never stops an import."""
    assert isinstance(read_entry(value, FILES.get), Left)


@pytest.mark.parametrize(
    "changes",
    [
        {"content": {"size": 0}},
        {"response": {"status": 204}, "content": {}},
        {"response": {"status": 304}, "content": {}},
        {"response": {"status": 302}, "content": {}},
        {"request": {"method": "HEAD"}, "content": {"size": 99}},
        {"content": {"size": 0, "text": ""}},
    ],
)
def test_some_answers_are_truly_empty(changes: dict[str, Any]) -> None:
    """RFC 9110 6.4.1."""
    assert answer(**changes).body == b""


@pytest.mark.parametrize(
    ("content", "body"),
    [
        ({"size": -1, "mimeType": "text/plain", "text": "x"}, b"x"),
        ({"text": base64.b64encode(PNG).decode(), "encoding": "base64"}, PNG),
        ({"text": "iVBO\nRw", "encoding": "BASE64"}, PNG[:4]),
        ({"text": "iVBORw==", "x-fiddler-encoding": "base64"}, PNG[:4]),
        ({"size": 8, "_file": "abc.png"}, PNG),
        ({"size": 8, "mimeType": "image/png", "text": PNG.decode("latin-1")}, PNG),
        ({"size": 8, "mimeType": "image/png", "text": "iVBORw0KGgo="}, PNG),
        ({"size": 3, "mimeType": "application/pdf", "text": "\u4e00"}, "\u4e00".encode()),
        ({"mimeType": "image/svg+xml", "text": "<svg/>"}, b"<svg/>"),
    ],
)
def test_bodies_in_every_writing(content: dict[str, Any], body: bytes) -> None:
    """The encoding counts; where none is named for binary types, the size tells."""
    assert answer(content=content).body == body


def test_what_was_assumed_is_said() -> None:
    """A person may check it."""
    content = {"size": 8, "mimeType": "image/png", "text": "iVBORw0KGgo="}
    found = read_entry(entry(content=content), FILES.get)

    assert isinstance(found, Taken)
    assert found.warnings == ("binary body without encoding, read as base64",)


@pytest.mark.parametrize(
    "headers",
    [
        [("Content-Length", "4"), ("Content-Length", "5")],
        [("Content-Length", "4"), ("Transfer-Encoding", "chunked")],
    ],
)
def test_odd_framing_is_said(headers: list[tuple[str, str]]) -> None:
    """It is served with its real length."""
    pairs = [{"name": name, "value": value} for name, value in headers]
    found = read_entry(entry(response={"headers": pairs}), FILES.get)

    assert isinstance(found, Taken)
    assert found.warnings == ("contradicting lengths; served with its real one",)


@pytest.mark.parametrize(
    ("data", "headers", "body"),
    [
        ({"text": "a=1", "params": [{"name": "b", "value": "2"}]}, [], b"a=1"),
        ({"text": "YT0x", "encoding": "base64"}, [], b"a=1"),
        ({"params": [{"name": "q", "value": "a&b c"}, {"name": "e"}]}, [], b"q=a%26b+c&e="),
        ({"_file": "abc.png"}, [], PNG),
        ({"mimeType": "text/plain"}, [], b""),
        ({"text": ""}, [], b""),
        (
            {
                "params": [
                    {"name": "f", "fileName": "a.txt", "contentType": "text/plain", "value": "x"},
                    {"name": "g", "value": "y"},
                ]
            },
            [("Content-Type", "multipart/form-data; boundary=B")],
            (
                b'--B\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n'
                b"Content-Type: text/plain\r\n\r\nx\r\n--B\r\n"
                b'Content-Disposition: form-data; name="g"\r\n\r\ny\r\n--B--\r\n'
            ),
        ),
    ],
)
def test_request_bodies_in_every_writing(
    data: dict[str, Any], headers: list[tuple[str, str]], body: bytes
) -> None:
    """The text wins; else the parameters make it."""
    assert posted(data, *headers) == body


def test_the_type_of_a_body_comes_along() -> None:
    """Without it a form would be bytes."""
    data = {"mimeType": "application/x-www-form-urlencoded", "text": "a=1"}
    request = taken(request={"method": "post", "postData": data}).request

    assert request.method == "POST"
    assert header_values(request.headers, "content-type") == ["application/x-www-form-urlencoded"]


class TestHeaders:
    """Lists of pairs, or what writers make of them."""

    def test_joined_cookies_are_parted_at_line_breaks_only(self) -> None:
        """A date holds a comma."""
        joined = "sid=1; Expires=Tue, 05 Aug 2025 04:00:54 GMT\ncsrf=2; Path=/"
        headers = answer(response={"headers": [{"name": "set-cookie", "value": joined}]}).headers

        assert header_values(headers, "set-cookie") == joined.split("\n")

    def test_cookies_of_the_list_stand_in_for_missing_headers(self) -> None:
        """The header wins where it is."""
        cookies = [
            {"name": "sid", "value": "1", "path": "/", "httpOnly": True, "secure": True,
             "domain": "app.test", "sameSite": "Lax", "expires": "2030-01-01T00:00:00.000Z"},
            {"name": "b", "value": "2"},
        ]  # fmt: skip
        assert header_values(answer(response={"cookies": cookies}).headers, "set-cookie") == [
            (
                "sid=1; Expires=Tue, 01 Jan 2030 00:00:00 GMT; Path=/; Domain=app.test; "
                "SameSite=Lax; HttpOnly; Secure"
            ),
            "b=2",
        ]

    @pytest.mark.parametrize(
        ("response", "locations"),
        [
            ({"status": 301, "redirectURL": "/new?x=1"}, ["/new?x=1"]),
            (
                {
                    "status": 301,
                    "redirectURL": "/other",
                    "headers": [{"name": "location", "value": "/own"}],
                },
                ["/own"],
            ),
            ({"status": 200, "redirectURL": "/new"}, []),
        ],
    )
    def test_a_redirect_without_location_leads_where_the_entry_says(
        self, response: dict[str, Any], locations: list[str]
    ) -> None:
        """The status alone decides that it is one."""
        assert header_values(answer(response=response).headers, "location") == locations

    def test_what_is_no_header_line_is_left_out(self) -> None:
        """HTTP/2's own names, and null for none."""
        pairs = [{"name": ":status", "value": "200"}, {"name": "A", "value": "é\u4e00"}]

        headers = answer(response={"headers": pairs}).headers
        assert headers[0] == ("A", "é\u4e00".encode().decode("latin-1"))
        assert answer(response={"headers": None}).headers == (("Content-Type", "text/plain"),)

    def test_what_describes_another_connection_is_left_out(self) -> None:
        """The body is decoded already."""
        pairs = [
            {"name": "Content-Encoding", "value": "UTF-8"},
            {"name": "Transfer-Encoding", "value": "chunked"},
        ]

        assert answer(response={"headers": pairs}).headers == (("Content-Type", "text/plain"),)


def test_a_socket_keeps_its_messages() -> None:
    """Chrome's, Playwright's and mitmproxy's writing."""
    exchange = taken(
        startedDateTime="1970-01-01T00:00:01Z",
        response={"status": 101},
        content={},
        _webSocketMessages=[
            {"type": "send", "time": 1.0, "opcode": 1, "data": '{"sub":"a"}'},
            {"type": "receive", "time": 1.25, "opcode": 2, "data": "AAE="},
            {"type": "receive", "time": 1.5, "opcode": 9, "data": ""},
        ],
    )

    assert exchange.request.url == "ws://app.test/a"
    assert exchange.messages == (
        WebSocketMessage(from_client=True, text=True, content=b'{"sub":"a"}', t_ms=0),
        WebSocketMessage(from_client=False, text=False, content=b"\0\x01", t_ms=250),
    )


def test_a_socket_url_stays() -> None:
    """Some writers say ws themselves."""
    exchange = taken(
        request={"url": "wss://app.test/ws"},
        response={"status": 101},
        content={},
        _webSocketMessages=[{"type": "send", "time": 0, "opcode": 1, "data": "x"}],
    )

    assert exchange.request.url == "wss://app.test/ws"


def test_an_entry_without_a_time_keeps_its_place() -> None:
    """Its number stands for it."""
    found = read_entry(entry(startedDateTime=None, time=float("nan")), FILES.get, number=7)

    assert isinstance(found, Taken)
    assert (found.exchange.started_us, found.exchange.duration_ms) == (7, 0)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["method", "url", "headers", "postData", "status", "content", "cookies", "redirectURL",
     "text", "params", "encoding", "size", "mimeType", "_file", "name", "value"]
)  # fmt: skip
HALF_HAR = st.fixed_dictionaries(
    {
        "request": st.dictionaries(FIELDS, JSON)
        | st.just({"method": "GET", "url": "http://a.test/", "headers": []}),
        "response": st.dictionaries(FIELDS, JSON | st.dictionaries(FIELDS, JSON)),
        "startedDateTime": JSON,
        "time": JSON,
        "_webSocketMessages": JSON | st.lists(st.dictionaries(FIELDS, JSON)),
    }
)


@given(JSON | HALF_HAR)
def test_nothing_makes_it_fail(value: object) -> None:
    """An entry is kept or left out with a reason, whatever stands in it."""
    found = read_entry(value, lambda _: None)

    assert isinstance(found, Taken) or found.reason
