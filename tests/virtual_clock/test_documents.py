"""Documents of every kind and charset: the clock is there before they run, nothing else differs."""

from typing import NamedTuple

import httpx
import pytest

from envsvc.exchange.message import Headers
from envsvc.playback.virtual_clock import ClockMode
from tests.replay_server.cassettes import HTML
from tests.virtual_clock.conftest import SCRIPT, Serve, Visit, answer, is_recorded_time

pytestmark = [pytest.mark.loopback, pytest.mark.browser]

URL = "http://shop.test/"
RUNS = "<script>window.timeAtLoad = Date.now()</script>"
SHOWN = "() => [document.documentElement.outerHTML, document.compatMode, document.characterSet,"
SHOWN += " document.contentType, document.title, document.head && document.head.childNodes.length]"


class Kind(NamedTuple):
    """A document: its Content-Type ("" for none) and its bytes."""

    content_type: str
    body: bytes

    @property
    def headers(self) -> Headers:
        """Return its headers."""
        return (("Content-Type", self.content_type),) if self.content_type else ()


XHTML = '<html xmlns="http://www.w3.org/1999/xhtml">'
XML_RUNS = "<script>window.timeAtLoad = Date.now() &lt; 2 || Date.now()</script>"
KINDS = {
    "doctype and head": Kind(
        "text/html", f"<!doctype html>\n<html lang=en>\n<head data-x='>'>\n{RUNS}<title>t".encode()
    ),
    "no doctype": Kind("text/html", f"<html><head>{RUNS}<title>t".encode()),
    "no head": Kind(
        "text/html",
        f"<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01//EN'><title>t</title>{RUNS}".encode(),
    ),
    "no tags before the body": Kind("text/html", f"<!doctype html>\n\n  {RUNS}<p>a<p>b".encode()),
    "body only": Kind("text/html", f"<!doctype html><body class=x>{RUNS}".encode()),
    "comments first": Kind(
        "text/html",
        b"<!-- <head> --><!doctype html><!--[if IE]><html><![endif]--><html a><!-- b --><head>"
        + RUNS.encode(),
    ),
    "xml declaration": Kind(
        "text/html", f'<?xml version="1.0"?><!doctype html><html><head>{RUNS}'.encode()
    ),
    "text only": Kind("text/html", b"just text"),
    "frames": Kind(
        "text/html", b"<!doctype html><html><frameset><frame src=about:blank></frameset>"
    ),
    "no type": Kind("", f"\n <!DOCTYPE html><head>{RUNS}<title>t".encode()),
    "utf-8 with a mark": Kind(
        "text/html; charset=iso-8859-1", f"\ufeff<!doctype html><head>{RUNS}<title>é 語".encode()
    ),
    "charset in the header": Kind(
        "text/html; charset=Shift_JIS",
        f"<!doctype html><head>{RUNS}<title>日本語".encode("shift_jis"),
    ),
    "charset in the page": Kind(
        "text/html",
        f"<!doctype html><head>\n<meta charset=euc-kr>{RUNS}<title>한국어".encode("euc-kr"),
    ),
    "charset in http-equiv": Kind(
        "text/html",
        b"<!doctype html><head><meta http-equiv=content-type content='text/html;"
        b" charset=windows-1251'>" + f"{RUNS}<title>Привет".encode("cp1251"),
    ),
    "charset late in the head": Kind(
        "text/html",
        f"<!doctype html><head><!-- {'x' * 3000} --><meta charset=gbk><title>中文".encode("gbk"),
    ),
    "charset not told": Kind(
        "text/html",
        f"<!doctype html><head>{RUNS}<title>{'日本語のページです。' * 20}</title>".encode(
            "shift_jis"
        ),
    ),
    "latin-1 not told": Kind(
        "text/html", f"<!doctype html><head>{RUNS}<title>déjà vu à Orléans</title>".encode("cp1252")
    ),
    "utf-16 with a mark": Kind(
        "text/html", f"\ufeff<!doctype html><head>{RUNS}<title>語é".encode("utf-16-le")
    ),
    "utf-16 big endian": Kind(
        "text/html", f"\ufeff<!doctype html><html><head>{RUNS}<title>語😀".encode("utf-16-be")
    ),
    "utf-16 in the header": Kind(
        "text/html; charset=utf-16le", f"<!doctype html><head>{RUNS}<title>語".encode("utf-16-le")
    ),
    "xhtml": Kind(
        "application/xhtml+xml",
        f'<?xml version="1.0"?>\n<!DOCTYPE html>\n{XHTML}<head><title>t é</title>'
        f"{XML_RUNS}</head><body/></html>".encode(),
    ),
    "xhtml without head": Kind(
        "application/xhtml+xml", f"{XHTML}<body>{XML_RUNS}<p>a</p></body></html>".encode()
    ),
    "xhtml with a prefix": Kind(
        "application/xhtml+xml",
        b'<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title>t</h:title></h:head><h:body/></h:html>',
    ),
    "xhtml as xml": Kind("text/xml", f"{XHTML}<head>{XML_RUNS}</head><body/></html>".encode()),
    "a plain text": Kind("text/plain", b"<html>"),
    "an image": Kind("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"/>'),
    "another xml": Kind("text/xml", b"<feed/>"),
}

# No script in them, or no clock: where nobody names the charset it stays the browser's guess.
WITHOUT_RUN = {
    "text only",
    "charset late in the head",
    "frames",
    "xhtml with a prefix",
    "a plain text",
    "an image",
    "another xml",
    "charset not told",
    "latin-1 not told",
}


@pytest.mark.parametrize("name", KINDS)
def test_the_document_is_the_recorded_one(serve: Serve, visit: Visit, name: str) -> None:
    """D11: with and without the clock a browser builds the same document, in the same charset."""
    exchange = answer(URL, KINDS[name].body, KINDS[name].headers)
    shown = [visit(serve(exchange, clock=clock), URL).evaluate(SHOWN) for clock in ClockMode]

    assert shown[0] == shown[1]


@pytest.mark.parametrize("name", sorted(set(KINDS) - WITHOUT_RUN))
def test_the_clock_is_there_before_the_page_runs(serve: Serve, visit: Visit, name: str) -> None:
    """D11: the first script of a page reads the recorded time already."""
    page = visit(serve(answer(URL, KINDS[name].body, KINDS[name].headers)), URL)

    assert is_recorded_time(page.evaluate("timeAtLoad"))


def test_an_error_page_has_the_clock(serve: Serve, visit: Visit) -> None:
    """D11: a recorded 404 is a page like another."""
    page = visit(serve(answer(URL, f"<p>{RUNS}".encode(), status=404)), URL)

    assert is_recorded_time(page.evaluate("timeAtLoad"))


FETCHED = """async url => {
    const byFetch = await (await fetch(url)).text();
    const request = new XMLHttpRequest();
    request.open('GET', url, false);
    request.send();
    return [byFetch, request.responseText];
}"""


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_what_a_script_fetches_is_unchanged(serve: Serve, visit: Visit, scheme: str) -> None:
    """D11: a fragment of HTML is data for its page, also where the page itself was shown before."""
    url = f"{scheme}://shop.test/"
    cached: Headers = (*HTML, ("Cache-Control", "max-age=3600"), ("ETag", '"1"'))
    page = visit(serve(answer(url, b"<!doctype html><p>shop", cached)), url)
    fetched = page.evaluate(FETCHED, url)

    assert fetched == ["<!doctype html><p>shop"] * 2


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_page_that_was_fetched_before_has_the_clock(
    serve: Serve, visit: Visit, scheme: str
) -> None:
    """D11: the browser's cache keeps what was read and what is shown apart."""
    url = f"{scheme}://shop.test/"
    cached: Headers = (*HTML, ("Cache-Control", "max-age=3600"), ("ETag", '"1"'))
    replay = serve(answer(url, b"<p>shop"), answer(f"{url}more", RUNS.encode(), cached))
    page = visit(replay, url)
    page.evaluate(FETCHED, f"{url}more")
    page.goto(f"{url}more")

    assert is_recorded_time(page.evaluate("timeAtLoad"))


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_prefetched_page_has_the_clock(serve: Serve, visit: Visit, scheme: str) -> None:
    """D11: what is prefetched is navigated to without asking again."""
    url = f"{scheme}://shop.test/"
    start = b"<link rel=prefetch href=/more><a href=/more>more</a>"
    page = visit(serve(answer(url, start), answer(f"{url}more", RUNS.encode())), url)
    page.wait_for_load_state("networkidle")
    page.click("a")
    page.wait_for_url(f"{url}more")

    assert is_recorded_time(page.evaluate("timeAtLoad"))


def test_a_later_page_is_later(serve: Serve, visit: Visit) -> None:
    """D11: each page starts when it was recorded, in whatever order they are visited."""
    replay = serve(answer(URL, b"<p>"), answer(f"{URL}cart", b"<p>", second=90))
    page = visit(replay, f"{URL}cart")
    cart = page.evaluate("Date.now()")
    page.goto(URL)

    assert 89_000 < cart - page.evaluate("Date.now()") < 91_000


def test_a_download_is_the_recorded_bytes(serve: Serve, visit: Visit) -> None:
    """D11: a page that is saved as a file is not run."""
    attached: Headers = (*HTML, ("Content-Disposition", "attachment; filename=page.html"))
    start = b"<a href=/file>file</a>"
    page = visit(serve(answer(URL, start), answer(f"{URL}file", RUNS.encode(), attached)), URL)
    with page.expect_download() as download:
        page.click("a")

    assert download.value.path().read_bytes() == RUNS.encode()


@pytest.mark.parametrize("clock", list(ClockMode))
def test_other_clients_get_the_recorded_bytes(serve: Serve, clock: ClockMode) -> None:
    """D11: who runs no scripts gets no script."""
    tagged: Headers = (*HTML, ("ETag", '"1"'))
    replay = serve(answer(URL, RUNS.encode(), tagged), clock=clock)
    got = httpx.get(URL, proxy=replay.proxy_url, trust_env=False)

    assert got.content == RUNS.encode()
    assert (got.headers["etag"], "vary" in got.headers) == ('"1"', False)


def test_a_changed_page_has_a_validator_and_a_length_of_its_own(serve: Serve) -> None:
    """D11: what was kept of the page and of the recorded bytes cannot be taken for each other."""
    tagged: Headers = (*HTML, ("ETag", '"1"'), ("Content-MD5", "x"), ("Accept-Ranges", "bytes"))
    replay = serve(answer(URL, RUNS.encode(), tagged))
    asked = {"Upgrade-Insecure-Requests": "1", "Accept": "text/html"}
    got = httpx.get(URL, proxy=replay.proxy_url, trust_env=False, headers=asked)

    assert len(got.content) == int(got.headers["content-length"]) > len(RUNS)
    assert got.headers["etag"].startswith('"1-')
    assert got.headers["vary"] == "Upgrade-Insecure-Requests"
    assert not {"content-md5", "accept-ranges"} & set(got.headers)


@pytest.mark.parametrize(("of", "status"), [("changed", 304), ("recorded", 200)])
def test_a_changed_page_is_revalidated_by_its_own_tag(serve: Serve, of: str, status: int) -> None:
    """RFC 9110 13.1.2: who has the recorded bytes does not have the page."""
    replay = serve(answer(URL, RUNS.encode(), (*HTML, ("ETag", '"1"'))))
    asked = {"Upgrade-Insecure-Requests": "1", "Accept": "text/html"}
    with httpx.Client(proxy=replay.proxy_url, trust_env=False, headers=asked) as client:
        tag = client.get(URL).headers["etag"] if of == "changed" else '"1"'
        again = client.get(URL, headers={"If-None-Match": tag})

    assert again.status_code == status


def test_the_real_clock_changes_nothing(serve: Serve, visit: Visit) -> None:
    """D11: in mode ``real`` pages are served as recorded."""
    replay = serve(
        answer(URL, RUNS.encode()), answer(f"{URL}w.js", b"", SCRIPT), clock=ClockMode.REAL
    )
    page = visit(replay, URL)

    assert not is_recorded_time(page.evaluate("timeAtLoad"))
    assert "freeze" not in page.content()
