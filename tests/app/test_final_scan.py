"""No credential is stored, whatever redaction missed."""

import msgspec
import pytest

from envsvc.app.final_scan import SecretLeftError, refuse_leaks
from envsvc.cassette.manifest import BrowserInfo, Dropped, Manifest
from envsvc.exchange.message import Exchange, Request, WebSocketMessage
from envsvc.exchange.spelling import Spellings
from tests.app.fakes import exchange

SECRET = "s3cret-word"
MANIFEST = Manifest(
    app="shop",
    version="v1",
    recorded_at="2026-01-01T00:00:00Z",
    virtual_host="shop.test",
    task_hosts=("shop.test",),
    noise=(),
    tool_schema_version=None,
    answer_table_version=None,
    envsvc_version="9",
    browser=BrowserInfo(build="none", locale="en-US", timezone="UTC", viewport=(1, 1)),
    tours=(),
    passes=1,
    entries=1,
    body_bytes=0,
    redaction={},
)


def known(value: str = SECRET) -> Spellings:
    """Return what a redactor would know that has seen *value*."""
    found = Spellings()
    found.add(value, "redacted-secret-key")
    return found


def asked(**changes: object) -> Exchange:
    """Return an exchange whose request is changed."""
    request = Request(method="POST", url="http://shop.test/")
    return exchange(request=msgspec.structs.replace(request, **changes))


MESSAGE = WebSocketMessage(from_client=True, text=False, content=SECRET.encode(), t_ms=0)


@pytest.mark.parametrize(
    ("leaking", "place"),
    [
        (asked(url=f"http://shop.test/{SECRET}"), "traffic, entry 1"),
        (asked(headers=((SECRET, "x"),)), "traffic, entry 1"),
        (asked(method=SECRET), "traffic, entry 1"),
        (msgspec.structs.replace(exchange(), tour=SECRET), "traffic, entry 1"),
        (msgspec.structs.replace(exchange(), messages=(MESSAGE,)), "traffic, entry 1"),
        (exchange(body=b"<i>czNjcmV0LXdvcmQ</i>"), "bodies/"),
    ],
)
def test_a_credential_anywhere_refuses_the_cassette(leaking: Exchange, place: str) -> None:
    """D9: every stored byte is looked at; the error says where, and never what."""
    with pytest.raises(SecretLeftError) as refused:
        refuse_leaks(MANIFEST, [exchange(), leaking], known())

    assert refused.value.where.startswith(place)
    assert SECRET not in str(refused.value)


def test_a_credential_in_the_manifest_refuses_the_cassette() -> None:
    """D9: it lists URLs that were dropped."""
    lost = Dropped(method="GET", url=f"http://shop.test/{SECRET}", reason="status 500")
    manifest = msgspec.structs.replace(MANIFEST, dropped=(lost,))

    with pytest.raises(SecretLeftError, match="manifest"):
        refuse_leaks(manifest, [], known())


def test_what_app_yaml_says_is_public() -> None:
    """D9: a password that is the name of the app is found in recorded traffic alone."""
    refuse_leaks(MANIFEST, [], known("shop"))


def test_a_clean_cassette_is_not_refused() -> None:
    """D9: placeholders are no credentials."""
    refuse_leaks(MANIFEST, [exchange(body=b"redacted-secret-key")], known())


def test_a_body_is_looked_at_once() -> None:
    """D2: it is stored once, too."""
    with pytest.raises(SecretLeftError, match="1 credentials"):
        refuse_leaks(MANIFEST, [exchange(body=SECRET.encode())] * 2, known())


def test_many_places_are_counted() -> None:
    """D18: an error is one line that can be read."""
    leaking = [asked(url=f"http://shop.test/{number}/{SECRET}") for number in range(7)]

    with pytest.raises(SecretLeftError, match="and 2 more"):
        refuse_leaks(MANIFEST, leaking, known())
