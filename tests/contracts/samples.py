"""Small manifests, exchanges and events for stores and journals."""

from envsvc.cassette.manifest import BrowserInfo, Dropped, Manifest
from envsvc.exchange.message import Exchange, Request, Response
from envsvc.record.journal import Event, Lost, Recorded, Started, StepDone

BROWSER = BrowserInfo(build="Chromium 140", locale="en-US", timezone="UTC", viewport=(1280, 900))


def manifest(app: str = "shop", version: str = "v1", *, certified_by: str = "") -> Manifest:
    """Return a manifest as a recorder fills it in before it is sealed."""
    return Manifest(
        app=app,
        version=version,
        recorded_at="2026-01-01T00:00:00Z",
        virtual_host="shop.test",
        task_hosts=("shop.test",),
        noise=(),
        tool_schema_version=None,
        answer_table_version="2026-01-01",
        envsvc_version=certified_by or "0.1.0",
        browser=BROWSER,
        tours=(),
        passes=1,
        entries=0,
        body_bytes=0,
        redaction={"secret.cookie": 2},
    )


def exchange(path: str, body: bytes = b"<p>page</p>", *, sent: bytes = b"") -> Exchange:
    """Return a GET of *path* on shop.test, or a POST of *sent*, answered with *body*."""
    form = (("Content-Type", "application/x-www-form-urlencoded"),) if sent else ()
    return Exchange(
        started_us=1_767_225_600_000_000,
        duration_ms=12.0,
        request=Request(
            method="POST" if sent else "GET",
            url=f"http://shop.test{path}",
            headers=form,
            body=sent,
        ),
        answer=Response(
            status=200, reason="OK", headers=(("Content-Type", "text/html"),), body=body
        ),
        tour="full",
        step="1 home",
    )


EXCHANGES = (
    exchange("/"),
    exchange("/cart", "<p>茶壶</p>".encode()),
    exchange("/cart", b"<p>1 piece</p>", sent=b"product=p01&quantity=1"),
    exchange("/again"),
)

STARTED = Started(browser=BROWSER, tours=("full",))
RECORDED = Recorded(exchange=EXCHANGES[1])
EVENTS: tuple[Event, ...] = (
    STARTED,
    RECORDED,
    Lost(dropped=Dropped(method="GET", url="http://shop.test/x", reason="status 502")),
    StepDone(tour="full", number=1, label="home"),
)
