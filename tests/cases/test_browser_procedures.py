"""Procedures in which a browser does what a proxy alone would not see."""

from pathlib import Path
from typing import Any

import pytest

from envsvc import replay
from envsvc.adapters.browser.chromium import ProxySettings, running_chromium
from envsvc.adapters.certificates import CertificateAuthority
from envsvc.adapters.mitm.recorder import MitmRecorders
from envsvc.ports import Address
from tests.adapters_record.test_recorder import Notes
from tests.cases.test_procedures import SPEC, app
from tests.cli.conftest import Envsvc, envsvc

__all__ = ["app", "envsvc"]  # fixtures

pytestmark = [pytest.mark.cases, pytest.mark.browser, pytest.mark.process]

APP = '''
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

PAGES = {
    "/": ("text/html", """<h1>page</h1><script>
        navigator.serviceWorker?.register("/sw.js").catch(() => 0);
        fetch("/api/x").then(r => r.text()).then(t => document.querySelector("h1").append(t));
    </script>"""),
    "/sw.js": ("text/javascript", "onfetch = e => e.respondWith(fetch(e.request));"),
    "/api/x": ("text/plain", " of x"),
}


class App(BaseHTTPRequestHandler):
    def do_GET(self):
        kind, text = PAGES.get(self.path.partition("?")[0], ("text/plain", "none"))
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        text = f"{self.command} {self.path}" if "added" in self.path else text
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    do_POST = do_GET


HTTPServer(("127.0.0.1", int(sys.argv[1])), App).serve_forever()
'''
TOUR = "name: t\nsteps:\n  - goto: /\n  - see: page of x\n"


HOST = "site.localhost"  # only there is a page without TLS allowed a service worker


@pytest.fixture
def workspace(envsvc: Envsvc, tmp_path: Path) -> Path:
    """Give a workspace with an app that registers a service worker."""
    command = "{python} {app_dir}/app.py {port}"
    assert envsvc("init", ".", "--app", "site", "--command", command).code == 0
    folder = tmp_path / "images" / "site"
    (folder / "app.py").write_text(APP)
    (folder / "tours" / "explore.yaml").write_text(TOUR)
    described = folder / "app.yaml"
    described.write_text(described.read_text().replace("site.test", HOST))
    return tmp_path


def test_sw_bypass(envsvc: Envsvc, workspace: Path) -> None:
    """D8: no worker runs while recording; its script is named, and what it would fetch is a hit."""
    recorded = envsvc("record", "--app", "site/v1", "--json")
    assert recorded.code == 0, recorded.err

    with (
        replay("site/v1", policy="error", workspace=workspace) as session,
        running_chromium() as browser,
    ):
        context = browser.new_context(proxy=session.playwright_proxy)
        page = context.new_page()
        page.goto(f"http://{HOST}/")
        page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
        page.reload()
        page.get_by_text("page of x").wait_for()
        controlled = page.evaluate("navigator.serviceWorker.controller !== null")
        context.close()
        misses = session.report.misses

    assert recorded.json["worker_scripts"] == [f"http://{HOST}/sw.js"]
    assert controlled
    assert [miss.url for miss in misses if "favicon" not in miss.url] == []


@pytest.mark.parametrize(
    ("changed", "sent"),
    [
        ({"url": "http://app.test/sent?added=1"}, "GET http://app.test/sent?added=1"),
        ({"url": "http://app.test/sent?added=1", "method": "POST"},
         "POST http://app.test/sent?added=1"),
    ],
    ids=["a query", "another method"],
)  # fmt: skip
def test_har_options_overrides(
    changed: dict[str, Any], sent: str, app: Address, tmp_path: Path
) -> None:
    """D8: what went over the wire is recorded, whatever a browser's HAR says was asked."""
    notes, har = Notes(), tmp_path / "visit.har"
    recorders = MitmRecorders(CertificateAuthority(tmp_path / "ca"))

    with recorders.start(SPEC, app, notes) as recorder, running_chromium() as browser:
        proxy: ProxySettings = {"server": recorder.proxy_url, "bypass": "<-loopback>"}
        context = browser.new_context(proxy=proxy, record_har_path=har)
        page = context.new_page()
        page.route("**/asked", lambda route: route.continue_(**changed))
        page.goto("http://app.test/")
        page.evaluate("fetch('/asked').then(answer => answer.text())")
        context.close()

    asked = [f"{one.request.method} {one.request.url}" for one in notes.exchanges]
    assert sent in asked
    assert "GET http://app.test/asked" not in asked
