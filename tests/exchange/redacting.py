"""Exchanges that show credentials, for the tests of redaction."""

from envsvc.exchange.message import (
    Exchange,
    Failure,
    Headers,
    Request,
    Response,
    WebSocketMessage,
)

TOKEN = "eyJhbGciOi.x8/Qz+4711=="
NAMED = {"shop_login": "p@ss w0rd/\"&<é>'~*!"}
SECRET = NAMED["shop_login"]
FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)
JSON: Headers = (("Content-Type", "application/json"),)
MULTIPART: Headers = (("Content-Type", "multipart/form-data; boundary=b"),)


def exchange(
    request: Request | None = None,
    answer: Response | Failure | None = None,
    messages: tuple[WebSocketMessage, ...] = (),
) -> Exchange:
    """Return an exchange of a plain request and answer, but for what is given."""
    return Exchange(
        started_us=0,
        duration_ms=0,
        request=request or Request(method="GET", url="http://shop.test/"),
        answer=answer or Response(status=200),
        messages=messages,
    )


def asking(headers: Headers) -> Exchange:
    """Return an exchange whose request has *headers*."""
    return exchange(Request(method="GET", url="http://shop.test/", headers=headers))


def answering(headers: Headers, body: bytes = b"") -> Exchange:
    """Return an exchange whose answer has *headers* and *body*."""
    return exchange(answer=Response(status=200, headers=headers, body=body))


def sending(headers: Headers, body: bytes) -> Request:
    """Return a request that sends *body*."""
    return Request(method="POST", url="http://shop.test/login", headers=headers, body=body)


def part(name: str, value: str) -> str:
    """Return a part of a form with a file in it."""
    return f'--b\r\nContent-Disposition: form-data; name="{name}"\r\nX-A: 1\r\n\r\n{value}\r\n'
