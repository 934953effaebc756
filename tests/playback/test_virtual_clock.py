"""What the script is told, and which answers get it."""

import json

import pytest

from envsvc.cassette.stored import Entry, StoredResponse
from envsvc.exchange.message import Failure, Headers, Request
from envsvc.playback.virtual_clock import (
    Place,
    Settings,
    place_of,
    script_text,
    settings,
    unmarked,
)

URL = "http://shop.test/worker.js"
NAVIGATION: Headers = (("Upgrade-Insecure-Requests", "1"), ("Accept", "text/html,*/*"))
PREFETCH: Headers = (("Sec-Purpose", "prefetch"), ("Accept", "text/html,*/*"))
TOP_WORKER: Headers = (("Sec-Fetch-Dest", "worker"), ("Sec-Fetch-Mode", "same-origin"))
IMPORTED: Headers = (("Sec-Fetch-Dest", "worker"), ("Sec-Fetch-Mode", "cors"))


def asked(url: str = URL, headers: Headers = ()) -> Request:
    """Return a request."""
    return Request(method="GET", url=url, headers=headers)


def entry(headers: Headers = (), *, url: str = URL, started_us: int = 5_000_000) -> Entry:
    """Return an entry that took 40 ms."""
    response = StoredResponse(status=200, reason="", headers=headers, body_path="", body_size=0)
    return Entry(
        number=0,
        method="GET",
        url=url,
        answer=response,
        started_us=started_us,
        ended_us=started_us + 40_000,
    )


@pytest.mark.parametrize(
    ("headers", "place"),
    [
        (NAVIGATION, Place.DOCUMENT),
        (PREFETCH, Place.DOCUMENT),
        ((("Sec-Purpose", "prefetch"), ("Accept", "*/*")), None),
        ((), None),
        ((("Accept", "text/html"),), None),
        *(
            ((("Sec-Fetch-Dest", name),), Place.DOCUMENT)
            for name in ("document", "iframe", "frame", "object", "embed", "fencedframe")
        ),
        *(
            ((("Sec-Fetch-Dest", name), *NAVIGATION), None)
            for name in ("empty", "script", "image", "serviceworker", "audioworklet")
        ),
        (TOP_WORKER, Place.WORKER),
        ((("Sec-Fetch-Dest", "sharedworker"), TOP_WORKER[1]), Place.WORKER),
        (IMPORTED, None),
    ],
)
def test_a_browser_tells_where_an_answer_will_run(headers: Headers, place: Place | None) -> None:
    """D11: by Fetch Metadata, and to insecure origins by what only navigations ask."""
    assert place_of(asked(headers=headers)) is place


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("?__worker=c0123abcd", Place.WORKER),
        ("?a=1&__worker=m0123abcd", Place.MODULE_WORKER),
        ("?__worker=c0123abcd&a=1", None),
        ("?__worker=x0123abcd", None),
        ("?my__worker=c0123abcd", None),
    ],
)
def test_a_mark_tells_that_it_is_a_worker(query: str, place: Place | None) -> None:
    """D11: the mark that the script puts at the end of a worker's address."""
    assert place_of(asked(URL + query)) is place


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("?__worker=c0123abcd", ""),
        ("?a=1&__worker=m0123abcd", "?a=1"),
        ("?a=1", "?a=1"),
        ("", ""),
    ],
)
def test_a_request_is_what_the_page_meant(query: str, plain: str) -> None:
    """D3: the mark is no part of what is asked."""
    assert unmarked(asked(URL + query)) == asked(URL + plain)


def test_the_clock_starts_when_the_recorded_answer_had_come() -> None:
    """D11: from the recorded request's start, 40 ms and what the script needs later."""
    told = settings(asked(), entry(), "digest", 0.0)

    assert (told.origin, told.elapsed) == (5_000.0, 50.0)


def test_an_answer_that_took_no_time_still_has_a_past() -> None:
    """D11: there is room for a possible order of what happened before."""
    quick = Entry(number=0, method="GET", url=URL, answer=entry().answer, started_us=1000)

    assert settings(asked(), quick, "digest", 0.0).elapsed == 12.0


def test_an_entry_without_a_time_is_of_the_recordings() -> None:
    """D11: an imported exchange may not know when it was."""
    assert settings(asked(), entry(started_us=0), "digest", 77.0).origin == 77.0


@pytest.mark.parametrize(
    ("value", "modified"),
    [("Fri, 02 Jan 2015 03:04:05 GMT", 1_420_167_845_000.0), ("soon", None), ("", None)],
)
def test_the_recorded_last_modified_is_told(value: str, modified: float | None) -> None:
    """D11: document.lastModified shows the header; one that cannot be read does not count."""
    told = settings(asked(), entry((("Last-Modified", value),)), "digest", 0.0)

    assert told.modified == modified


def test_a_failure_has_no_headers_to_tell() -> None:
    """D8: an entry may be a host that could not be reached."""
    failed = Entry(number=0, method="GET", url=URL, answer=Failure(kind="dns", message=""))

    assert settings(asked(), failed, "digest", 1.0).modified is None


SEEDS = [
    (asked(), entry(), "digest"),
    (asked(), entry(), "other digest"),
    (asked(), entry(url="http://shop.test/other.js"), "digest"),
    (asked(f"{URL}?__worker=c00000001"), entry(), "digest"),
    (asked(f"{URL}?__worker=c00000002"), entry(), "digest"),
]


def test_seeds_differ_by_cassette_address_and_worker() -> None:
    """D11: what must not draw the same numbers has a seed of its own; the same asked twice not."""
    seeds = [settings(*told, 0.0).seed for told in SEEDS]

    assert len(set(seeds)) == len(SEEDS)
    assert seeds == [settings(*told, 0.0).seed for told in SEEDS]


def test_all_documents_of_a_cassette_know_each_other() -> None:
    """D11: the key is the cassette's."""
    keys = {settings(*told, 0.0).key for told in SEEDS}

    assert len(keys) == 2


def test_the_script_is_called_with_what_it_is_told() -> None:
    """D11: one expression, settings as JSON, nothing that is not known."""
    told = Settings(key="k", seed="s", origin=1.0, elapsed=2.5)
    text = script_text("function (settings) {}", told)
    begin, end = "(function (settings) {})(", ");"

    assert text.startswith(begin)
    assert json.loads(text.removeprefix(begin).removesuffix(end)) == {
        "key": "k",
        "seed": "s",
        "origin": 1.0,
        "elapsed": 2.5,
    }
