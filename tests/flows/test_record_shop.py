"""Record the demo shop for real: app, proxy, browser, journal, cassette, self-replay."""

import json

import pytest

from envsvc.exchange.message import Failure, Response, header
from envsvc.exchange.placeholder import holds_placeholder
from tests.adapters_record.shop import (
    edit_app,
    record,
    shop_workspace,
)
from tests.flows.recorded import Recorded, status_of

pytestmark = [pytest.mark.loopback, pytest.mark.browser]

PASSWORD = "secret123"


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Return the shop's full tour, recorded once for all tests here."""
    workspace = shop_workspace(tmp_path_factory.mktemp("full"))
    return Recorded(workspace, record(workspace, "--tour", "full"))


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Return the shop's read-only tour, recorded twice over from an app with faults."""
    workspace = shop_workspace(tmp_path_factory.mktemp("views"))
    edit_app(workspace, '"--version", "v1",', '"--version", "v1", "--fault-rate", "0.1",')
    return Recorded(
        workspace, record(workspace, "--tour", "default-views", "--passes", "2", "--json")
    )


class TestFull:
    """What the full tour leaves in the cassette."""

    def test_every_step_passes_live(self, full: Recorded) -> None:
        """D8: all steps of the tour are recorded."""
        tour = full.workspace / "images/shop/tours/full.yaml"

        assert full.manifest.tours[0].steps == tour.read_text().count("\n  - ")

    def test_it_is_certified(self, full: Recorded) -> None:
        """D8: the tour runs offline against what was recorded of it, state and all."""
        certificate = full.manifest.certificate

        assert full.result.returncode == 0, full.result.stderr
        assert certificate is not None
        assert certificate.is_clean

    def test_https_is_recorded_under_its_own_scheme(self, full: Recorded) -> None:
        """D1: the app was reached by plain HTTP, the cassette says what the browser asked."""
        assert full.answer("https://shop.test/product/p01").status == 200

    def test_no_port_of_the_app_is_in_the_cassette(self, full: Recorded) -> None:
        """D1: the virtual host stands wherever the app really listened."""
        assert not any(b"127.0.0.1" in content for content in full.files())

    def test_redirect_hops_are_entries_of_their_own(self, full: Recorded) -> None:
        """D2: a hop keeps its status and where it leads."""
        assert header(full.answer("http://shop.test/go/sale").headers, "location")

    def test_the_cookie_of_a_hop_is_kept(self, full: Recorded) -> None:
        """D2: Set-Cookie of a redirect is there; a plain word identifies nobody."""
        cookie = header(full.answer("http://shop.test/go/sale").headers, "set-cookie")

        assert cookie.startswith("sale=spring;")

    def test_compressed_pages_are_stored_decoded(self, full: Recorded) -> None:
        """D2: the header stays, the body is text."""
        answer = full.answer("http://shop.test/catalogue")

        assert header(answer.headers, "content-encoding")
        assert answer.body.lstrip().startswith(b"<!doctype html>")

    def test_a_ranged_file_is_stored_whole(self, full: Recorded) -> None:
        """D8: 206 became the full 200."""
        answers = [exchange.answer for exchange in full.find("http://shop.test/files/manual.bin")]

        assert {(a.status, len(a.body)) for a in answers if isinstance(a, Response)} == {
            (200, 200_000)
        }

    def test_no_partial_or_conditional_answer_is_recorded(self, full: Recorded) -> None:
        """D8: neither 206 nor 304."""
        assert not {206, 304} & {status_of(exchange) for exchange in full.exchanges}

    def test_events_of_a_stream_keep_their_times(self, full: Recorded) -> None:
        """D8: five events, 80 ms apart, are not one lump."""
        chunks = full.find("http://shop.test/prices/stream")[0].chunks

        assert chunks[-1].t_ms - chunks[0].t_ms > 250

    def test_chunks_cover_the_whole_stream(self, full: Recorded) -> None:
        """D8: the chunks' lengths sum up to the body's."""
        exchange = full.find("http://shop.test/prices/stream")[0]

        assert isinstance(exchange.answer, Response)
        assert sum(chunk.length for chunk in exchange.chunks) == len(exchange.answer.body)

    def test_web_socket_messages_are_kept_both_ways(self, full: Recorded) -> None:
        """D8: what was said in the chat, by whom."""
        messages = full.find("ws://shop.test/chat/ws", status=101)[0].messages

        assert [(m.from_client, m.content[:10]) for m in messages] == [
            (False, b"Welcome to"),
            (True, b"hello"),
            (False, b"Hello! Ask"),
            (True, b"price p01"),
            (False, b"Walnut tea"),
        ]

    def test_secure_web_sockets_have_their_own_scheme(self, full: Recorded) -> None:
        """D8: wss is not ws."""
        assert full.find("wss://shop.test/chat/ws", status=101)

    def test_an_uploaded_file_is_in_the_request(self, full: Recorded) -> None:
        """D2: multipart request bodies are kept."""
        posts = [e.request for e in full.exchanges if e.request.method == "POST"]

        assert any(b"Walnut tea tray, 3 pieces" in request.body for request in posts)

    def test_an_intended_error_is_kept(self, full: Recorded) -> None:
        """D8: the refused sign-in is part of the app."""
        assert 401 in {status_of(exchange) for exchange in full.exchanges}

    def test_an_unreachable_host_is_an_entry(self, full: Recorded) -> None:
        """D8: the failure itself is recorded."""
        failures = [e for e in full.exchanges if isinstance(e.answer, Failure)]

        assert any("telemetry.shop-metrics.test" in e.request.url for e in failures)

    def test_nothing_of_ours_is_in_a_request(self, full: Recorded) -> None:
        """D8: the recorder adds no header to what it records."""
        names = {n.lower() for e in full.exchanges for n, _ in e.request.headers}

        assert not {"x-forwarded-proto", "proxy-connection", "via", "x-forwarded-for"} & names

    def test_the_password_is_in_no_file(self, full: Recorded) -> None:
        """S3-10: typed once, stored never."""
        assert not any(PASSWORD.encode() in content for content in full.files())

    def test_cookies_that_identify_are_placeholders(self, full: Recorded) -> None:
        """S3-10: no value of a session or cart, asked or set, is stored."""
        cookies = [
            pair
            for exchange in full.exchanges
            for pair in header(exchange.request.headers, "cookie").split("; ")
        ]

        identifying = [pair for pair in cookies if pair.startswith("shop_")]
        assert identifying
        assert [pair for pair in identifying if not holds_placeholder(pair)] == []

    def test_what_tells_several_answers_apart_is_listed(self, full: Recorded) -> None:
        """D4: the cart looks different after each write, a job gets done by itself."""
        several = {key.url: key.told_apart_by for key in full.manifest.several_answers}

        assert several["http://shop.test/cart"] == ("state",)
        assert several["http://shop.test/jobs/1"] == ("turns",)
        assert full.manifest.ambiguous == ()

    def test_exchanges_name_their_step(self, full: Recorded) -> None:
        """D2: an entry says which tour and which step asked."""
        exchange = full.find("http://shop.test/go/sale")[0]

        assert (exchange.tour, exchange.step.partition(" ")[2]) == ("full", "sale")


class TestViews:
    """The read-only tour, in two passes, from an app that fails one request in ten."""

    def test_it_is_certified(self, views: Recorded) -> None:
        """D8: self-replay of the read-only tour is clean."""
        assert views.result.returncode == 0, views.result.stderr

    def test_no_fault_is_frozen(self, views: Recorded) -> None:
        """S3-08: 503 answers were asked again."""
        assert not {status_of(e) for e in views.exchanges if status_of(e) >= 500}

    def test_required_metadata_is_there(self, views: Recorded) -> None:
        """S3-09: app version, time, tool schema version, answer table version."""
        manifest = views.manifest

        assert (manifest.version, manifest.recorded_at[-1]) == ("v1", "Z")
        assert (manifest.tool_schema_version, manifest.answer_table_version) == (
            None,
            "v1@2026-01-01",
        )

    def test_what_changes_between_passes_is_listed(self, views: Recorded) -> None:
        """S3-07: two passes show which pages are volatile."""
        assert "http://shop.test/favicon.ico" in views.manifest.changed_between_passes

    def test_only_one_pass_is_in_the_cassette(self, views: Recorded) -> None:
        """D8: the second pass teaches, it is not replayed."""
        assert len(views.find("http://shop.test/catalogue")) == 1

    def test_json_is_one_object_on_stdout(self, views: Recorded) -> None:
        """D18: --json prints the summary for programs."""
        assert json.loads(views.result.stdout)["entries"] == views.manifest.entries

    def test_the_journal_is_gone(self, views: Recorded) -> None:
        """D8: a sealed recording leaves nothing beside its cassette."""
        assert [path.name for path in (views.workspace / "har/shop").iterdir()] == ["v1"]
