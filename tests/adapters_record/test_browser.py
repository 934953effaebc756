"""The browser: both kinds of tours, step by step, through the recorder."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from envsvc.adapters.browser.driver import PlaywrightBrowser
from envsvc.adapters.browser.python_tour import BadTourError
from envsvc.adapters.certificates import CertificateAuthority
from envsvc.adapters.mitm.recorder import MitmRecorders
from envsvc.app.record_app import Place
from envsvc.ports import Address, StepResult, TourSource
from envsvc.record.app_spec import AppSpec, BrowserSpec
from tests.adapters_record.test_recorder import Notes

pytestmark = [pytest.mark.loopback, pytest.mark.browser]

PAGES = {
    "/": '<a href="/b">b</a><a href="/a#x">a</a><a href="http://other.test/">o</a>'
    '<a href="/file" download>f</a>',
    "/a": '<a href="/c">c</a><a href="/">home</a>',
    "/b": '<a href="/c">c</a><script>fetch("/late")</script>',
    "/c": "the end",
    "/late": "late",
    "/form": '<p id="said"></p><input id="in" oninput="said.textContent = this.value">'
    '<select id="which" onchange="said.textContent = this.value"><option>x<option>y</select>'
    '<input type="file" id="up" onchange="this.files[0].text().then(t => said.textContent = t)">'
    "<script>navigator.languages; document.title = Intl.DateTimeFormat().resolvedOptions().timeZone"
    ' + " " + navigator.language + " " + innerWidth</script>',
}
SPEC = AppSpec(
    app="a",
    virtual_host="app.test",
    versions={},
    default_tour="t",
    tours={},
    secrets={"shopper": "SHOPPER_PASSWORD"},
    browser=BrowserSpec(locale="de-DE", timezone="Asia/Tokyo", viewport=(800, 600)),
)


class Pages(BaseHTTPRequestHandler):
    """Serves PAGES; they may be cached for ever, to see that they are not."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer."""
        body = PAGES.get(self.path, "not here").encode()
        self.send_response(200 if self.path in PAGES else 404)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "text/html")
        self.send_header("Cache-Control", "max-age=9999")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture(scope="module")
def pages() -> Iterator[Address]:
    """Serve PAGES."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Address("http", "127.0.0.1", server.server_port)
        server.shutdown()
        thread.join()


class Visit:
    """Follows a tour and knows what came of it."""

    def __init__(self, pages: Address, folder: Path) -> None:
        """Visit *pages*, with tours written to *folder*."""
        self._pages = pages
        self._folder = folder
        self.notes = Notes()
        self.results: list[StepResult] = []

    def follow(self, text: str, name: str = "tour.yaml") -> list[str]:
        """Follow the tour *text*; return the problems of its steps."""
        path = self._folder / name
        path.write_text(text)
        source = TourSource(name="t", path=str(path), sha256="")
        authority = CertificateAuthority(self._folder / "ca")
        with MitmRecorders(authority).start(SPEC, self._pages, self.notes) as recorder:
            recorder.set_place(Place(step="1"))

            def on_step(result: StepResult) -> None:
                self.results.append(result)
                recorder.set_place(Place(step=str(result.number + 1)))

            PlaywrightBrowser(2_000).tour(
                source, spec=SPEC, version="v7", proxy_url=recorder.proxy_url, on_step=on_step
            )
        return [result.problem for result in self.results]

    @property
    def paths(self) -> list[str]:
        """Return the recorded paths in order."""
        requests = [exchange.request for exchange in self.notes.exchanges]
        found = [r.url.removeprefix("http://app.test") for r in requests if "app.test/" in r.url]
        return [path for path in found if path != "/favicon.ico"]


@pytest.fixture
def visit(pages: Address, tmp_path: Path) -> Visit:
    """Return a visit that has not begun."""
    return Visit(pages, tmp_path)


def test_explore_follows_links_of_the_host_breadth_first(visit: Visit) -> None:
    """D1: in the order of the page, each page once, no downloads, no other hosts."""
    visit.follow("{name: t, steps: [{explore: {start: /, max_pages: 9}}]}")

    assert [path for path in visit.paths if path != "/late"] == ["/", "/b", "/a", "/c"]


def test_explore_stops_at_its_limit(visit: Visit) -> None:
    """D1: max_pages bounds it."""
    visit.follow("{name: t, steps: [{explore: {start: /, max_pages: 2}}]}")

    assert [path for path in visit.paths if path != "/late"] == ["/", "/b"]


def test_a_step_owns_the_requests_that_it_caused(visit: Visit) -> None:
    """D8: what a page's script asks for belongs to the step that opened the page."""
    visit.follow("{name: t, steps: [{goto: /b}, {goto: /c}]}")

    late = [e for e in visit.notes.exchanges if e.request.url.endswith("/late")]
    assert [exchange.step for exchange in late] == ["1"]


def test_nothing_comes_from_a_cache(visit: Visit) -> None:
    """D8: caches are off."""
    visit.follow("{name: t, steps: [{goto: /c}, {goto: /c}]}")

    assert visit.paths == ["/c", "/c"]


def test_the_browser_says_what_app_yaml_says(visit: Visit) -> None:
    """D1: zone, locale and viewport."""
    problems = visit.follow(
        "{name: t, steps: [{goto: /form}, "
        "{evaluate: \"document.title === 'Asia/Tokyo de-DE 800'\"}]}"
    )

    assert problems == ["", ""]


@pytest.mark.parametrize(
    ("action", "seen"),
    [
        ('fill: {selector: "#in", value: "${SHOPPER_PASSWORD}"}', "s3cret-of-env"),
        ('select: {selector: "#which", value: y}', "y"),
        ('upload: {selector: "#up", name: f.txt, content: "from a file"}', "from a file"),
        ('press: {selector: "#in", key: k}', "k"),
    ],
)
def test_actions_do_what_they_say(
    visit: Visit, monkeypatch: pytest.MonkeyPatch, action: str, seen: str
) -> None:
    """D1: each action of YAML tours reaches the page; secrets come from the environment."""
    monkeypatch.setenv("SHOPPER_PASSWORD", "s3cret-of-env")
    problems = visit.follow(
        f"name: t\nsteps:\n- goto: /form\n- {action}\n"
        f"- evaluate: said.textContent === '{seen}' || new Promise(d => "
        f"setTimeout(() => d(said.textContent === '{seen}'), 300))\n"
    )

    assert problems == ["", "", ""]


def test_a_failed_step_does_not_end_the_tour(visit: Visit) -> None:
    """D8: later steps are still tried; the problem is one line."""
    problems = visit.follow("{name: t, steps: [{goto: /c}, {see: nowhere}, {see: the end}]}")

    assert ([bool(problem) for problem in problems], "\n" in problems[1]) == (
        [False, True, False],
        False,
    )


def test_an_unset_secret_fails_its_step(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    """D9: the message names the variable."""
    monkeypatch.delenv("SHOPPER_PASSWORD", raising=False)
    problems = visit.follow(
        '{name: t, steps: [{goto: /form}, {fill: {selector: "#in", value: "${SHOPPER_PASSWORD}"}}]}'
    )

    assert "SHOPPER_PASSWORD is not set" in problems[1]


PYTHON_TOUR = """
CONTEXT = {'extra_http_headers': {'X-Tour': 'yes'}}
HOME = '/a'
def tour(T):
    assert (T.base, T.ver, T.url('/x')) == ('http://app.test', 'v7', 'http://app.test/x')
    T.vars['n'] = 1
    T.step('page', lambda: (T.go('/c'), T.see('the end'), T.idle(10)))
    T.step('gone', lambda: T.go('/nowhere'))
    T.step('home', lambda: T.page.locator('text=home').wait_for())
    T.step('gone on purpose', lambda: T.go('/nowhere', ok=True))
    T.step('context', lambda: T.ctx.request.get(T.url('/c')))
"""


class TestPythonTour:
    """A tour in Python has the interface of the apps' recipes."""

    def test_steps_pass_and_fail_as_in_the_harness(self, visit: Visit) -> None:
        """D1: a status of 400 and more fails unless ok; after a failure the page is at HOME."""
        problems = visit.follow(PYTHON_TOUR, "tour.py")

        assert problems == ["", "/nowhere -> 404", "", "", ""]

    def test_its_context_options_count(self, visit: Visit) -> None:
        """D1: CONTEXT is laid over app.yaml's settings."""
        visit.follow(PYTHON_TOUR, "tour.py")

        assert ("X-Tour", "yes") in visit.notes.exchanges[0].request.headers

    def test_requests_of_its_context_are_recorded(self, visit: Visit) -> None:
        """D8: the proxy is the source of truth, also for requests outside of pages."""
        visit.follow(PYTHON_TOUR, "tour.py")

        assert visit.paths.count("/c") == 2

    def test_a_file_without_a_tour_is_refused(self, visit: Visit) -> None:
        """E309: it says what a Python tour defines."""
        with pytest.raises(BadTourError, match="tour"):
            visit.follow("x = 1\n", "tour.py")
