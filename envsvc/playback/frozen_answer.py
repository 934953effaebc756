"""What is served instead of a recorded document or worker, so that it runs by the virtual clock.

Only what a browser will run is changed, and only on its way out (D11): what a script fetches, and
what any other program asks for, are the recorded bytes.
"""

import base64
import hashlib

import msgspec

from envsvc.cassette.stored import Entry, StoredResponse
from envsvc.exchange.message import Headers, Request, header, without_headers
from envsvc.playback import content_policy, script_in_page, script_in_worker
from envsvc.playback.script_in_page import Markup, markup_of
from envsvc.playback.virtual_clock import Place, place_of, script_text, settings

TRUSTED_TYPE = "worker-start"
"""The name of the script's own policy for trusted types, where a page demands one."""

# Untrue of changed bytes.
_OF_THE_BYTES = frozenset(
    {"accept-ranges", "content-md5", "digest", "content-digest", "repr-digest"}
)
_WITHOUT_PAGE = frozenset({204, 205, 206, 304})
_NAVIGATES = "Upgrade-Insecure-Requests"


class FrozenAnswer(msgspec.Struct, frozen=True):
    """The answer to serve, and its body."""

    response: StoredResponse
    body: bytes


class ClockSource(msgspec.Struct, frozen=True, kw_only=True):
    """What the clocks of one cassette have in common.

    ``function`` is the script: an expression in ASCII, a function of the settings, without
    ``</script``, ``<!--`` or ``]]>``. ``recorded_ms`` is when the recording began.
    """

    function: str
    digest: str
    recorded_ms: float


def frozen_answer(
    request: Request, entry: Entry, response: StoredResponse, body: bytes, source: ClockSource
) -> FrozenAnswer | None:
    """Return what to serve to *request* instead of *body*; None if the answer stays as it is."""
    place = place_of(request)
    if not _is_run(response):
        return None
    if place is None:
        return _for_reading(request, response, body)
    script = script_text(
        source.function, settings(request, entry, source.digest, source.recorded_ms)
    )
    if place is Place.DOCUMENT:
        return _document(response, body, script)
    return _worker(response, body, script, is_module=place is Place.MODULE_WORKER)


def _document(response: StoredResponse, body: bytes, script: str) -> FrozenAnswer | None:
    recorded = response.headers
    markup = markup_of(recorded, body)
    if markup is None or content_policy.forbids_scripts(recorded):
        return None
    headers = script_in_page.with_charset(recorded, body) if markup is Markup.HTML else recorded
    if headers is None:
        return None
    changed = script_in_page.with_script(recorded, body, markup, script)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    headers = content_policy.allowing_script(headers, f"sha256-{digest}", TRUSTED_TYPE)
    return _answer(response, _varying(_of_changed(headers, script)), changed)


def _worker(response: StoredResponse, body: bytes, script: str, *, is_module: bool) -> FrozenAnswer:
    headers = response.headers
    if is_module:
        headers = content_policy.allowing_import(headers, "data:")
    changed = script_in_worker.with_script(body, script, is_module=is_module)
    return _answer(response, _of_changed(headers, script), changed)


def _for_reading(request: Request, response: StoredResponse, body: bytes) -> FrozenAnswer | None:
    """Keep a browser's cache from showing what a script has read as a document."""
    is_browser = header(request.headers, "user-agent").startswith("Mozilla/")
    if not is_browser or markup_of(response.headers, body) is None:
        return None
    return _answer(response, _varying(response.headers), body)


def _answer(response: StoredResponse, headers: Headers, body: bytes) -> FrozenAnswer:
    served = msgspec.structs.replace(response, headers=headers, body_size=len(body))
    return FrozenAnswer(served, body)


def _is_run(response: StoredResponse) -> bool:
    is_redirect = 300 <= response.status < 400  # noqa: PLR2004
    return not (response.encoded or is_redirect or response.status in _WITHOUT_PAGE)


def _of_changed(headers: Headers, script: str) -> Headers:
    """Return the headers without what is untrue of changed bytes, under a validator of its own."""
    suffix = hashlib.sha256(script.encode()).hexdigest()[:8]
    return tuple(
        (name, f'{value.rstrip().removesuffix('"')}-{suffix}"' if name.lower() == "etag" else value)
        for name, value in without_headers(headers, _OF_THE_BYTES)
    )


def _varying(headers: Headers) -> Headers:
    """Return *headers* that say by what navigations and other requests differ (RFC 9110 12.5.5)."""
    return (*headers, ("Vary", _NAVIGATES))
