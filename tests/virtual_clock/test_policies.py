"""Pages under a content security policy: the script runs, and nothing else is let through."""

import pytest
from playwright.sync_api import Page

from envsvc.exchange.message import Headers
from tests.replay_server.cassettes import HTML
from tests.virtual_clock.conftest import SCRIPT, Serve, Visit, answer, is_recorded_time

pytestmark = [pytest.mark.loopback, pytest.mark.browser]

URL = "http://shop.test/"
HEARD = b"""<script nonce=n src=/heard.js></script>"""
HEARD_JS = b"""
window.violations = [];
document.addEventListener('securitypolicyviolation', e => violations.push(e.effectiveDirective));
window.timeAtLoad = Date.now();
"""
PAGE = b"<!doctype html><html><head>%b" + HEARD + b"</head><body>shop</body></html>"
# Images are let through: a browser may ask for an icon at any time.
POLICIES = [
    "default-src 'self'",
    "default-src 'none'; script-src 'self'; img-src *",
    "default-src 'self' 'unsafe-inline'",
    "script-src 'nonce-n'",
    "script-src 'nonce-n' 'strict-dynamic' 'unsafe-inline' https:",
    "script-src 'self' 'sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='",
    "script-src 'unsafe-inline' 'self'",
    "script-src-elem 'self'; script-src 'none'",
    "script-src 'self'; require-trusted-types-for 'script'",
    "script-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
    "script-src 'self', default-src 'nonce-n'; img-src *",
    "sandbox allow-scripts; script-src 'self' http:",
]


def violations(page: Page) -> object:
    """Return what the page's policies have forbidden so far."""
    page.wait_for_timeout(50)
    return page.evaluate("violations")


@pytest.mark.parametrize("name", ["Content-Security-Policy", "Content-Security-Policy-Report-Only"])
@pytest.mark.parametrize("policy", POLICIES)
def test_the_clock_is_there_under_a_policy(
    serve: Serve, visit: Visit, policy: str, name: str
) -> None:
    """D11: a policy in a header lets the script through; none of it is reported."""
    headers: Headers = (*HTML, (name, f"{policy}; report-uri /report"))
    replay = serve(answer(URL, PAGE % b"", headers), answer(f"{URL}heard.js", HEARD_JS, SCRIPT))
    page = visit(replay, URL)

    assert is_recorded_time(page.evaluate("timeAtLoad"))
    assert violations(page) == []
    assert not [miss for miss in replay.report("default").misses if "report" in miss.url]


@pytest.mark.parametrize("policy", [p for p in POLICIES if not p.startswith("sandbox")])
def test_a_policy_in_the_page_comes_after_the_script(
    serve: Serve, visit: Visit, policy: str
) -> None:
    """D11: what ``<meta http-equiv>`` says holds for what follows it, as it did."""
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'.encode()
    replay = serve(answer(URL, PAGE % meta), answer(f"{URL}heard.js", HEARD_JS, SCRIPT))
    page = visit(replay, URL)

    assert is_recorded_time(page.evaluate("timeAtLoad"))
    assert violations(page) == []


def test_what_was_forbidden_stays_forbidden(serve: Serve, visit: Visit) -> None:
    """D11: an inline script of the page's own is still refused by its policy."""
    headers: Headers = (*HTML, ("Content-Security-Policy", "script-src 'self'"))
    body = PAGE % b"<script>window.evil = 1</script>"
    replay = serve(answer(URL, body, headers), answer(f"{URL}heard.js", HEARD_JS, SCRIPT))

    assert visit(replay, URL).evaluate("[typeof evil, timeAtLoad > 0]") == ["undefined", True]


def test_a_sandbox_without_scripts_is_left_alone(serve: Serve, visit: Visit) -> None:
    """D11: where nothing may run there is no clock to set, and no script in the document."""
    headers: Headers = (*HTML, ("Content-Security-Policy", "sandbox"))
    page = visit(serve(answer(URL, b"<p>shop", headers)), URL)

    assert "freeze" not in page.content()


WORKER_POLICIES = [
    "default-src 'self'",
    "script-src 'self'",
    "worker-src 'self'",
    "child-src 'self'",
]


@pytest.mark.parametrize("policy", WORKER_POLICIES)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_module_worker_under_a_policy_of_its_own(
    serve: Serve, visit: Visit, policy: str, scheme: str
) -> None:
    """D11: the script is a module worker's first import, whatever its policy names."""
    url = f"{scheme}://shop.test/"
    guarded: Headers = (*SCRIPT, ("Content-Security-Policy", policy))
    replay = serve(
        answer(url, b"<p>shop"),
        answer(f"{url}worker.js", b"import './first.js'; postMessage(first)", guarded),
        answer(f"{url}first.js", b"self.first = Date.now()", SCRIPT),
    )
    said = visit(replay, url).evaluate(
        """() => new Promise((resolve, reject) => {
            const worker = new Worker('/worker.js', {type: 'module'});
            worker.onmessage = event => resolve(event.data);
            worker.onerror = () => reject(new Error('refused'));
        })"""
    )

    assert is_recorded_time(said)


def test_trusted_types_keep_their_say_about_workers_and_frames(serve: Serve, visit: Visit) -> None:
    """D11: what a page's policy has made is accepted, a plain text is refused as before."""
    policy = (
        "script-src 'self' 'unsafe-eval'; require-trusted-types-for 'script'; trusted-types own"
    )
    headers: Headers = (*HTML, ("Content-Security-Policy", policy))
    replay = serve(
        answer(URL, b"<p>shop", headers),
        answer(f"{URL}worker.js", b"postMessage(Date.now())", SCRIPT),
    )
    said = visit(replay, URL).evaluate(
        """async () => {
            const same = value => value;
            const own = trustedTypes.createPolicy('own', {createScriptURL: same, createHTML: same});
            const worker = new Worker(own.createScriptURL('/worker.js'));
            const time = await new Promise(resolve => worker.onmessage = e => resolve(e.data));
            const frame = document.createElement('iframe');
            frame.srcdoc = own.createHTML('<p>in a frame');
            const acts = [() => new Worker('/worker.js'), () => frame.srcdoc = '<p>'];
            const refused = acts.map(act => {
                try { act(); return 'accepted'; } catch (error) { return error.name; }
            });
            return [time, frame.srcdoc, ...refused];
        }"""
    )

    assert is_recorded_time(said[0])
    assert said[1:] == ["<p>in a frame", "TypeError", "TypeError"]
