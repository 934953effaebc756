"""A credential that is known leaves no trace in any field, in any spelling."""

import base64
import html
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from envsvc.exchange.message import Exchange, Headers, Request, Response, WebSocketMessage
from envsvc.exchange.placeholder import PASSWORD_PLACEHOLDER
from envsvc.exchange.redact import Redactor

TOKEN = "eyJhbGciOi.x8/Qz+4711=="
SECRET = "p@ss w0rd/\"&<é>'~*!"
FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)

SPELLINGS = {
    "raw": str,
    "percent": lambda value: quote(value, safe=""),
    "encodeURIComponent": lambda value: quote(value, safe="!'()*"),
    "form": quote_plus,
    "browser form": lambda value: quote_plus(value, safe="*").replace("~", "%7E"),
    "html": html.escape,
    "jinja": lambda value: html.escape(value).replace("&quot;", "&#34;").replace("&#x27;", "&#39;"),
    "json": lambda value: json.dumps(value)[1:-1],
    "json as utf-8": lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
}


def everywhere(text: str) -> Exchange:
    """Return an exchange with *text* in every field that can hold one."""
    wire = text.encode().decode("latin-1")
    return Exchange(
        started_us=0,
        duration_ms=0,
        request=Request(
            method="POST",
            url=f"http://shop.test/{text}?q={text}",
            headers=(("X-A", wire),),
            body=f"<{text}>".encode(),
        ),
        answer=Response(
            status=200, reason=text, headers=(("X-B", wire),), body=f"{text}{text}".encode()
        ),
        messages=(
            WebSocketMessage(from_client=True, text=True, content=text.encode(), t_ms=1),
            WebSocketMessage(from_client=False, text=False, content=text.encode(), t_ms=2),
        ),
        step=f"see {text}",
    )


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_named_secret_is_nowhere(spell: Callable[[str], str]) -> None:
    """S3-10: in no spelling and no field does a canary survive."""
    canary = spell(SECRET)
    redacted = Redactor({"shop_login": SECRET}).exchange(everywhere(canary))

    assert redacted == everywhere("redacted-secret-shop-login")


ENCODED = {
    "hex": lambda value: value.encode().hex(),
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 of user and password": lambda value: base64.b64encode(
        b"ann:" + value.encode()
    ).decode(),
    "base64url": lambda value: base64.urlsafe_b64encode(b"x" + value.encode()).decode().rstrip("="),
    "lower percent": lambda value: re.sub("%..", lambda m: m[0].lower(), quote(value, safe="")),
    "json in html": lambda value: html.escape(json.dumps(value)[1:-1]),
    "url in url": lambda value: quote(quote(value, safe=""), safe=""),
    "cookie": quote,
}


@pytest.mark.parametrize("encode", ENCODED.values(), ids=ENCODED.keys())
def test_a_named_secret_is_in_no_encoding(encode: Callable[[str], str]) -> None:
    """D9: an encoding hides a secret from people, not from programs."""
    canary = encode(SECRET)
    redactor = Redactor({"shop_login": SECRET})
    redacted = redactor.exchange(everywhere(canary))
    texts = [redacted.request.url, redacted.step, *(m.content.decode() for m in redacted.messages)]

    assert not any(canary in text for text in texts)
    assert redactor.counts["secret.propagated"] == 11  # the places of ``everywhere``


def page(redactor: Redactor, body: str, *, set_cookie: str = "", form: str = "") -> str:
    """Return *body* as *redactor* keeps it, in the answer to *form* that sets a cookie."""
    request = Request(method="POST", url="http://shop.test/", headers=FORM, body=form.encode())
    answer = Response(status=200, headers=(("Set-Cookie", set_cookie),), body=body.encode())
    shown = Exchange(started_us=0, duration_ms=0, request=request, answer=answer)
    redacted = redactor.exchange(shown).answer

    assert isinstance(redacted, Response)
    return redacted.body.decode()


@pytest.mark.parametrize("quoted", [TOKEN, f'"{TOKEN}"'])
def test_a_cookie_is_taken_out_of_the_page_that_sets_it(quoted: str) -> None:
    """D9: what one answer shows is learnt before any of it is kept; quotes are no part of it."""
    kept = page(Redactor({}), f"<i>{TOKEN}</i>", set_cookie=f"sid={quoted}; Path=/")

    assert kept == "<i>redacted-cookie-sid-1</i>"


def test_a_password_is_taken_out_of_the_page_that_repeats_it() -> None:
    """D9: a value once known is replaced wherever it occurs."""
    kept = page(Redactor({}), "<i>s3cret-word</i>", form="password=s3cret-word")

    assert kept == f"<i>{PASSWORD_PLACEHOLDER}</i>"


def test_the_longer_secret_goes_first() -> None:
    """A value that holds another one is replaced whole."""
    redactor = Redactor({"short": "abc-123", "long": "abc-123-xyz"})

    assert page(redactor, "abc-123-xyz abc-123") == "redacted-secret-long redacted-secret-short"


def test_a_name_without_letters_still_has_a_placeholder() -> None:
    """Placeholders are letters, digits and hyphens only."""
    assert page(Redactor({"_": "s3cret-word"}), "s3cret-word") == "redacted-secret-value"
