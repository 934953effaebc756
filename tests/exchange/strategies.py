"""Hypothesis strategies for the values that cross the wire."""

from hypothesis import strategies as st

from envsvc.exchange.message import (
    Chunk,
    Exchange,
    Failure,
    Headers,
    Request,
    Response,
    WebSocketMessage,
)

TOKENS = st.text("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_", min_size=1, max_size=12)
# Header values are latin-1 by contract, other texts anything that UTF-8 can write.
HEADER_VALUES = st.text(st.characters(max_codepoint=255, exclude_categories=["Cc"]), max_size=20)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
METHODS = st.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD"])
URLS = st.builds(
    "{}://{}{}/{}?{}".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from(["shop.test", "SHOP.test", "[::1]", "user@api.test"]),
    st.sampled_from(["", ":80", ":8443"]),
    TEXTS,
    TEXTS,
)
MILLISECONDS = st.integers(0, 86_400_000)


def headers() -> st.SearchStrategy[Headers]:
    """Return header lines, names repeated now and then."""
    return st.lists(st.tuples(TOKENS, HEADER_VALUES), max_size=4).map(tuple)


def requests() -> st.SearchStrategy[Request]:
    """Return requests with and without bodies."""
    return st.builds(
        Request, method=METHODS, url=URLS, headers=headers(), body=st.binary(max_size=40)
    )


def responses() -> st.SearchStrategy[Response]:
    """Return responses of every status."""
    return st.builds(
        Response,
        status=st.integers(100, 599),
        reason=TEXTS,
        http_version=st.sampled_from(["HTTP/1.0", "HTTP/1.1", "HTTP/2.0"]),
        headers=headers(),
        body=st.binary(max_size=40),
        encoded=st.booleans(),
    )


def failures() -> st.SearchStrategy[Failure]:
    """Return failures of every kind."""
    kinds = st.sampled_from(["dns", "connect", "tls", "timeout", "aborted"])
    return st.builds(Failure, kind=kinds, message=TEXTS)


def messages() -> st.SearchStrategy[WebSocketMessage]:
    """Return web socket messages: texts are UTF-8 (RFC 6455 5.6), binary ones anything."""
    texts = st.builds(
        WebSocketMessage,
        from_client=st.booleans(),
        text=st.just(value=True),
        content=TEXTS.map(str.encode),
        t_ms=MILLISECONDS,
    )
    binaries = st.builds(
        WebSocketMessage,
        from_client=st.booleans(),
        text=st.just(value=False),
        content=st.binary(max_size=20),
        t_ms=MILLISECONDS,
    )
    return texts | binaries


def exchanges() -> st.SearchStrategy[Exchange]:
    """Return exchanges of every kind, with times from 1970 to 2100."""
    return st.builds(
        Exchange,
        started_us=st.integers(0, 4_102_444_800_000_000),
        duration_ms=MILLISECONDS,
        request=requests(),
        answer=responses() | failures(),
        chunks=st.lists(
            st.builds(Chunk, t_ms=MILLISECONDS, length=st.integers(0, 1000)), max_size=3
        ).map(tuple),
        stream_open=st.booleans(),
        messages=st.lists(messages(), max_size=3).map(tuple),
        tour=TEXTS,
        step=TEXTS,
    )
