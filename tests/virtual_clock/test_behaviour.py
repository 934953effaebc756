"""What pages rely on still holds: identity, errors, timers, input, cookies, windows (D11)."""

from itertools import pairwise

import pytest
from playwright.sync_api import Page

from tests.virtual_clock.conftest import RECORDED_MS, Serve, Visit, answer, is_recorded_time

pytestmark = [pytest.mark.loopback, pytest.mark.browser]

URL = "http://shop.test/"


@pytest.fixture
def shop(serve: Serve, visit: Visit) -> Page:
    """Give an empty page over https, where everything is offered."""
    return visit(
        serve(answer("https://shop.test/", b"<!doctype html><body>")), "https://shop.test/"
    )


TRUE = {
    "an instance": "new Date() instanceof Date",
    "the constructor": "new Date().constructor === Date && Date.prototype.constructor === Date",
    "a subclass": "new (class D extends Date {})() instanceof Date",
    "a clone": "structuredClone(new Date(7)).getTime() === 7"
    " && structuredClone(new Date()) instanceof Date",
    "arguments": "new Date(2020, 1).getMonth() === 1 && isNaN(new Date(undefined))",
    "parsing": "Date.parse('2020-01-01T00:00:00Z') === 1577836800000 && Date.UTC(1970, 0) === 0",
    "name and length": "Date.name === 'Date' && Date.length === 7 && Math.random.length === 0",
    "native texts": "String(Date) === 'function Date() { [native code] }'"
    " && /^function now\\(\\) \\{ \\[native code\\] \\}$/.test(Date.now)",
    "the text of a text": "/native code/.test(Function.prototype.toString)",
    "no new properties": "!Object.keys(window).some(key => /freeze|settings|clock/i.test(key))",
    "no script left": "document.scripts.length === 0",
    "properties as before": "Object.getOwnPropertyDescriptor(window, 'Date').enumerable === false",
    "one format function": "(f => f.format === f.format)(new Intl.DateTimeFormat())",
    "a given date": "new Intl.DateTimeFormat('en', {timeZone: 'UTC'}).format(0) === '1/1/1970'",
    "a view with an offset": "(b => { crypto.getRandomValues(new Uint16Array(b, 4, 2));"
    " return [...new Uint8Array(b)].findIndex(x => x) >= 4"
    " && new Uint8Array(b, 8).every(x => !x) })(new ArrayBuffer(16))",
    "the same array": "(a => crypto.getRandomValues(a) === a)(new BigInt64Array(2))",
    "a uuid": "/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/"
    ".test(crypto.randomUUID())",
    "random in its range": "Array.from({length: 1000}, Math.random).every(x => x >= 0 && x < 1)",
    "a mark with a time": "performance.mark('m', {startTime: 5}).startTime === 5",
    "a measure of marks": "performance.mark('x', {startTime: 5})"
    " && performance.mark('y', {startTime: 9})"
    " && performance.measure('z', 'x', 'y').duration === 4",
    "a clock that runs": "performance.now() < performance.now() && performance.now() % 0.1 < 0.11",
    "a blob": "new Blob(['a']) instanceof Blob && new File([], 'f') instanceof Blob",
    "a dated file": "new File([], 'f', {lastModified: 3}).lastModified === 3",
    "arguments of a timer": "typeof setTimeout(() => 0, 1, 2) === 'number'",
    "a worker": "new Worker('data:,') instanceof Worker && Worker.name === 'Worker'",
    "a window without a page": "window.open('about:blank').Date.now() < 1800000000000",
}


@pytest.mark.parametrize("what", TRUE)
def test_what_is_replaced_looks_as_before(shop: Page, what: str) -> None:
    """D11: identity, texts and properties of the browser's own functions are kept."""
    assert shop.evaluate(TRUE[what]) is True


THROWS = {
    "crypto.getRandomValues(new Float32Array(1))": "TypeMismatchError",
    "crypto.getRandomValues(new DataView(new ArrayBuffer(1)))": "TypeMismatchError",
    "crypto.getRandomValues(new Uint8Array(65537))": "QuotaExceededError",
    "crypto.getRandomValues()": "TypeError",
    "crypto.getRandomValues.call({}, new Uint8Array(1))": "TypeError",
    "new Worker()": "TypeError",
    "new Worker('https://other.test/w.js')": "SecurityError",
    "new Worker('http://[')": "SyntaxError",
    "performance.mark()": "TypeError",
    "performance.measure('m', 'missing')": "SyntaxError",
    "performance.now.call({})": "TypeError",
    "requestAnimationFrame(1)": "TypeError",
    "new Intl.DateTimeFormat('en').format(NaN)": "RangeError",
    "Intl.DateTimeFormat.prototype.formatToParts.call({})": "TypeError",
    "new Date(Symbol())": "TypeError",
    "Temporal.Now.plainDateISO('no zone')": "RangeError",
}


@pytest.mark.parametrize("call", THROWS)
def test_what_was_refused_is_refused(shop: Page, call: str) -> None:
    """D11: wrong calls fail with the browser's own errors."""
    said = shop.evaluate(
        "call => { try { eval(call); return 'nothing' } catch (e) { return e.name } }", call
    )

    assert said == THROWS[call]


def test_a_loop_that_waits_for_a_time_ends(shop: Page) -> None:
    """D11: reading the clock moves it: 300 ms are 3,000 readings of either clock."""
    turns = shop.evaluate(
        """() => [() => Date.now(), () => performance.now()].map(read => {
            const start = read();
            let turns = 0;
            while (read() - start < 300) turns += 1;
            return turns;
        })"""
    )

    assert turns == pytest.approx([3000, 3000], abs=20)


@pytest.mark.parametrize("kind", ["setTimeout", "setInterval", "scheduler.postTask"])
def test_a_timer_fires_after_its_delay(shop: Page, kind: str) -> None:
    """D11: when a timer fires its delay has passed."""
    passed = shop.evaluate(
        """kind => new Promise(resolve => {
            const start = Date.now(), fire = () => resolve(Date.now() - start);
            kind[1] === 'c' ? scheduler.postTask(fire, {delay: 70}) : window[kind](fire, 70);
        })""",
        kind,
    )

    assert 70 <= passed <= 72


def test_a_timer_with_a_text_still_runs(serve: Serve, visit: Visit) -> None:
    """D11: a text is no function of ours to wrap."""
    page = visit(serve(answer(URL, b"<script>setTimeout('window.done = 1', 1)</script>")), URL)

    assert page.wait_for_function("window.done").json_value() == 1


GUARDED = b"""<!doctype html><button>buy</button><input><script>
let last = 0, bought = 0;
document.querySelector('button').onclick = () => {
    if (Date.now() - last < 500) return;
    last = Date.now();
    bought += 1;
};
const typed = [];
document.querySelector('input').onkeydown = event => typed.push(event.timeStamp);
</script>"""


def test_a_person_takes_time_between_clicks(serve: Serve, visit: Visit) -> None:
    """D11: an app that ignores a second click in half a second hears both of two clicks."""
    page = visit(serve(answer(URL, GUARDED)), URL)
    page.click("button")
    page.click("button", delay=1)
    page.dblclick("button")

    assert page.evaluate("bought") == 3


def test_a_double_click_is_quick(serve: Serve, visit: Visit) -> None:
    """D11: the second click of a double click comes at once."""
    page = visit(serve(answer(URL, GUARDED)), URL)
    page.dblclick("button")

    assert page.evaluate("bought") == 1


def test_typing_takes_time(serve: Serve, visit: Visit) -> None:
    """D11: a tenth of a second per key, as event.timeStamp says."""
    page = visit(serve(answer(URL, GUARDED)), URL)
    page.type("input", "abc")
    typed = page.evaluate("typed")

    assert [b - a for a, b in pairwise(typed)] == pytest.approx([100, 100], abs=1)


def test_a_cookie_with_a_date_is_kept_as_long_as_meant(shop: Page) -> None:
    """D11: the browser's cookies live by the real clock, the page's dates by ours."""
    said = shop.evaluate(
        """async () => {
            const at = ms => new Date(Date.now() + ms).toUTCString();
            document.cookie = 'kept=1; expires=' + at(60000) + '; path=/';
            document.cookie = 'gone=1; path=/';
            document.cookie = 'gone=1; Expires=' + at(-60000) + '; path=/';
            document.cookie = 'old=1; expires=Thu, 01 Jan 1970 00:00:00 GMT';
            document.cookie = 'far=1; expires=Fri, 31 Dec 9999 23:59:59 GMT';
            await cookieStore.set({name: 'stored', value: '1', expires: Date.now() + 60000});
            return document.cookie;
        }"""
    )

    assert said.split("; ") == ["kept=1", "far=1", "stored=1"]


def test_a_page_that_says_when_it_was_modified(serve: Serve, visit: Visit) -> None:
    """D11: document.lastModified is the recorded header, in the browser's zone."""
    headers = (("Content-Type", "text/html"), ("Last-Modified", "Fri, 02 Jan 2015 03:04:05 GMT"))
    page = visit(serve(answer(URL, b"<p>", headers)), URL)

    assert page.evaluate("document.lastModified") == "01/02/2015 04:04:05"


HEARS = b"<!doctype html><script>const said = []; onmessage = e => said.push(e.data)</script>"
SAYS = b'<script>top.postMessage([Date.now(), Math.random()], "*")</script>'
IN_PAGE = {
    "srcdoc": b"<iframe srcdoc='%b'></iframe>" % SAYS,
    "srcdoc in a sandbox": b"<iframe sandbox=allow-scripts srcdoc='<!doctype html>%b'></iframe>"
    % SAYS,
    "a data page": b"<iframe src='data:text/html,<!doctype html>%b'></iframe>" % SAYS,
    "a frame in a frame": b"<iframe src=/frame></iframe>",
    "an object": b"<object type=text/html data=/says></object>",
}


@pytest.mark.parametrize("name", IN_PAGE)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_frames_in_the_page_have_the_clock(
    serve: Serve, visit: Visit, name: str, scheme: str
) -> None:
    """D11: a frame's scripts run once, by the clock, whatever the frame is made of."""
    url = f"{scheme}://shop.test/"
    nested = b"<iframe src='https://other.test/says'></iframe>"
    replay = serve(
        answer(url, HEARS + IN_PAGE[name]),
        answer(f"{url}frame", nested),
        answer(f"{url}says", SAYS),
        answer("https://other.test/says", SAYS),
    )
    page = visit(replay, url)
    page.wait_for_function("said.length > 0")
    page.wait_for_timeout(100)
    said = page.evaluate("said")

    assert len(said) == 1
    assert is_recorded_time(said[0][0])


def test_a_window_that_is_opened_has_the_clock(serve: Serve, visit: Visit) -> None:
    """D11: a popup has the clock of its own page, and of its opener until then."""
    page = visit(serve(answer(URL, b"<p>"), answer(f"{URL}more", b"<p>", second=60)), URL)
    with page.expect_popup() as popup:
        early = page.evaluate("window.open('/more').Date.now()")
    popup.value.wait_for_url(f"{URL}more")

    assert is_recorded_time(early)
    assert is_recorded_time(popup.value.evaluate("Date.now()") - 60_000)


def test_two_pages_differ_and_a_reload_does_not(serve: Serve, visit: Visit) -> None:
    """D11: random values come from the cassette and the page's address."""
    page = visit(serve(answer(URL, b"<p>"), answer(f"{URL}more", b"<p>")), URL)
    first = page.evaluate("Math.random()")
    page.reload()
    again = page.evaluate("Math.random()")
    page.goto(f"{URL}more")

    assert first == again != page.evaluate("Math.random()")


DATED = """async url => {
    const fetched = (await fetch(url)).headers;
    const request = new XMLHttpRequest();
    request.open('GET', url, false);
    request.send();
    const both = [name => fetched.get(name), name => request.getResponseHeader(name)];
    return [...both.map(read => [Date.parse(read('date')), Date.parse(read('expires'))]),
        request.getAllResponseHeaders(), new Headers({date: 'own'}).get('date'),
        new Response('', {headers: {expires: 'own'}}).headers.get('expires'), fetched.get('x')];
}"""


def test_a_script_reads_the_date_of_an_answer_by_its_clock(serve: Serve, visit: Visit) -> None:
    """D11: there are no two clocks: Date and Expires agree with the page's time."""
    dated = (
        ("Content-Type", "text/plain"),
        ("Date", "Tue, 14 Nov 2023 22:13:20 GMT"),
        ("Expires", "Tue, 14 Nov 2023 23:13:20 GMT"),
    )
    replay = serve(answer(URL, b"<p>"), answer(f"{URL}dated", b"", dated))
    *read, whole, own, own_too, absent = visit(replay, URL).evaluate(DATED, f"{URL}dated")

    assert read == [[RECORDED_MS, RECORDED_MS + 3_600_000]] * 2
    assert "date: Tue, 14 Nov 2023 22:13:20 GMT" in whole
    assert (own, own_too, absent) == ("own", "own", None)


def test_what_had_expired_is_read_as_recorded(serve: Serve, visit: Visit) -> None:
    """D11: a date that only means "never" stays as it is."""
    dated = (
        ("Content-Type", "text/plain"),
        ("Date", "Tue, 14 Nov 2023 22:13:20 GMT"),
        ("Expires", "Thu, 01 Jan 1970 00:00:00 GMT"),
    )
    replay = serve(answer(URL, b"<p>"), answer(f"{URL}dated", b"", dated))
    read = visit(replay, URL).evaluate(DATED, f"{URL}dated")

    assert read[0] == [RECORDED_MS, 0]
