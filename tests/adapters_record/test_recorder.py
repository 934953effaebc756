"""The recorder: what it keeps, asks again, drops, and what its clients get meanwhile."""

import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from envsvc.adapters.certificates import CertificateAuthority
from envsvc.adapters.mitm.recorder import MitmRecorders
from envsvc.app.record_app import Place, Recorder
from envsvc.cassette.manifest import Dropped
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange, Failure, Response, header
from envsvc.ports import Address
from envsvc.record.app_spec import AppSpec
from tests.adapters_record.upstream import BIG, Upstream, running_upstream

pytestmark = pytest.mark.loopback

SPEC = AppSpec(
    app="a",
    virtual_host="app.test",
    versions={},
    default_tour="t",
    tours={},
    intended_statuses=(501,),
)
CONDITIONS = {"If-None-Match": '"1"', "If-Modified-Since": "now", "If-Match": '"2"'}


class FullDiskError(EnvsvcError):
    """Stands for a journal that cannot be written."""


class Notes:
    """A Sink that remembers."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self.exchanges: list[Exchange] = []
        self.dropped: list[Dropped] = []
        self.is_full = False

    def kept(self, exchange: Exchange, pass_number: int) -> None:  # noqa: ARG002
        """Remember, or fail as a full disk does."""
        if self.is_full:
            raise FullDiskError("full")
        self.exchanges.append(exchange)

    def lost(self, dropped: Dropped) -> None:
        """Remember."""
        self.dropped.append(dropped)

    def response(self) -> Response:
        """Return the only recorded answer."""
        (exchange,) = self.exchanges
        assert isinstance(exchange.answer, Response)
        return exchange.answer


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> CertificateAuthority:
    """Return an authority of the tests' own."""
    return CertificateAuthority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="module")
def upstream() -> Iterator[Address]:
    """Run the server behind the recorder."""
    with running_upstream() as address:
        yield address


@pytest.fixture
def notes() -> Notes:
    """Return an empty sink."""
    Upstream.asked.clear()
    return Notes()


@pytest.fixture
def recorder(
    notes: Notes, upstream: Address, authority: CertificateAuthority
) -> Iterator[Recorder]:
    """Run a recorder before the upstream server."""
    with MitmRecorders(authority).start(SPEC, upstream, notes) as running:
        yield running


@pytest.fixture
def client(recorder: Recorder) -> Iterator[httpx.Client]:
    """Return a client of the recorder."""
    with httpx.Client(proxy=recorder.proxy_url, verify=False, timeout=20) as client:  # noqa: S501
        yield client


def wait_for(condition: Callable[[], object]) -> None:
    """Return when *condition* holds."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class TestRequests:
    """What the server gets, and what is recorded of it."""

    def test_the_app_sees_the_virtual_host(self, client: httpx.Client) -> None:
        """D1: URLs that the app makes from its Host hold in a replay."""
        said = client.get("http://app.test/echo").json()

        assert said["headers"]["Host"] == "app.test"

    def test_the_app_hears_of_https(self, client: httpx.Client) -> None:
        """D1: an app behind TLS makes https URLs."""
        said = client.get("https://app.test/echo").json()

        assert said["headers"]["X-Forwarded-Proto"] == "https"

    @pytest.mark.parametrize(("method", "kept"), [("GET", {"If-Match"}), ("PUT", set(CONDITIONS))])
    def test_conditions_are_taken_off_reads(
        self, client: httpx.Client, method: str, kept: set[str]
    ) -> None:
        """D8: a 304 says nothing; a condition of a write decides what is done."""
        said = client.request(method, "http://app.test/echo", headers=CONDITIONS).json()

        assert {name.title() for name in said["headers"]} & set(CONDITIONS) == kept

    def test_only_codings_that_can_be_undone_are_asked_for(self, client: httpx.Client) -> None:
        """D2: zstd is not offered on."""
        offered = {"Accept-Encoding": "gzip, zstd, br;q=0.5"}
        said = client.get("http://app.test/echo", headers=offered).json()

        assert said["headers"]["Accept-Encoding"] == "gzip, br;q=0.5"

    def test_the_request_is_recorded_as_the_client_sent_it(
        self, client: httpx.Client, notes: Notes
    ) -> None:
        """D8: neither our headers nor those for the proxy are recorded."""
        client.post("https://app.test/echo", content=b"x", headers={"Accept-Encoding": "zstd"})

        request = notes.exchanges[0].request
        names = {name.lower() for name, _ in request.headers}
        assert (request.url, request.body) == ("https://app.test/echo", b"x")
        assert header(request.headers, "accept-encoding") == "zstd"
        assert not {"x-forwarded-proto", "connection", "proxy-connection"} & names

    def test_an_exchange_knows_its_place(
        self, client: httpx.Client, recorder: Recorder, notes: Notes
    ) -> None:
        """D8: tour and step."""
        recorder.set_place(Place(tour="t", step="3"))
        client.get("http://app.test/echo")

        assert (notes.exchanges[0].tour, notes.exchanges[0].step) == ("t", "3")

    def test_a_step_that_is_driven_again_is_not_recorded(
        self, client: httpx.Client, recorder: Recorder, notes: Notes
    ) -> None:
        """D8: after a resume, finished steps only bring the app where it was."""
        recorder.set_place(Place(is_recorded=False))
        client.get("http://app.test/echo")

        assert notes.exchanges == []


class TestAnswers:
    """Which answers are kept, and how."""

    def test_a_fault_is_asked_again(self, client: httpx.Client, notes: Notes) -> None:
        """S3-08: the third answer is good, it is recorded and given to the client."""
        answer = client.get("http://app.test/flaky")

        assert (answer.status_code, answer.content, notes.response().body) == (
            200,
            b"good",
            b"good",
        )

    def test_a_fault_that_stays_is_dropped(self, client: httpx.Client, notes: Notes) -> None:
        """S3-08: the reason says status and attempts."""
        client.get("http://app.test/broken")

        assert (notes.exchanges, notes.dropped[0].reason) == ([], "status 500, 3 attempts")

    def test_a_fault_of_a_write_is_not_asked_again(
        self, client: httpx.Client, notes: Notes
    ) -> None:
        """S3-08: asking twice could do it twice."""
        client.post("http://app.test/broken")

        assert (notes.dropped[0].reason, Upstream.asked["/broken"]) == ("status 500, 1 attempt", 1)

    def test_an_intended_status_is_kept(self, client: httpx.Client, notes: Notes) -> None:
        """S3-08: app.yaml says which errors are meant."""
        client.get("http://app.test/intended")

        assert notes.response().status == 501

    def test_an_answer_that_was_cut_off_is_asked_again(
        self, client: httpx.Client, notes: Notes
    ) -> None:
        """D8: a truncated body is never recorded."""
        client.get("http://app.test/cut")

        wait_for(lambda: notes.exchanges)
        assert notes.response().body == b"whole"

    def test_what_cannot_be_decoded_is_kept_as_sent(
        self, client: httpx.Client, notes: Notes
    ) -> None:
        """D2: the entry says that its body is still encoded."""
        with client.stream("GET", "http://app.test/lie") as answer:
            list(answer.iter_raw())

        assert (notes.response().body, notes.response().encoded) == (b"not gzip", True)

    def test_a_large_body_is_kept_whole(self, client: httpx.Client, notes: Notes) -> None:
        """D8: it streams through, and is not called a stream for that."""
        assert client.get("http://app.test/big").content == BIG

        wait_for(lambda: notes.exchanges)
        assert (notes.response().body == BIG, notes.exchanges[0].chunks) == (True, ())

    @pytest.mark.parametrize(
        ("asked", "status", "content"),
        [("bytes=2-4", 206, b"234"), ("bytes=99999999-", 416, b""), ("lines=1-2", 200, BIG)],
    )
    def test_a_range_is_cut_for_the_client(
        self, client: httpx.Client, notes: Notes, asked: str, status: int, content: bytes
    ) -> None:
        """D8: the client gets its 206, the recording the full 200."""
        answer = client.get("http://app.test/big", headers={"Range": asked})

        assert (answer.status_code, answer.content) == (status, content)
        assert (notes.response().status, notes.response().body == BIG) == (200, True)


class TestEnds:
    """Clients that leave, hosts that are not there, recorders that stop."""

    def test_an_event_stream_is_kept_when_its_client_leaves(
        self, client: httpx.Client, notes: Notes
    ) -> None:
        """D8: that is how event streams end."""
        with client.stream("GET", "http://app.test/events") as answer:
            next(answer.iter_raw())

        wait_for(lambda: notes.exchanges)
        assert (notes.exchanges[0].stream_open, notes.response().body) == (True, b"data: 1\n\n")

    def test_another_answer_is_lost_when_its_client_leaves(
        self, client: httpx.Client, notes: Notes
    ) -> None:
        """D8: half an answer is not recorded, and the loss is listed."""
        with client.stream("GET", "http://app.test/endless") as answer:
            next(answer.iter_raw())

        wait_for(lambda: notes.dropped)
        assert notes.dropped[0].reason == "aborted by the client"

    def test_an_open_event_stream_is_kept_when_the_recording_ends(
        self, notes: Notes, upstream: Address, authority: CertificateAuthority
    ) -> None:
        """D8: what a page still listens to is part of the recording."""
        with (
            MitmRecorders(authority).start(SPEC, upstream, notes) as running,
            closing(httpx.Client(proxy=running.proxy_url)) as client,
        ):
            answer = client.send(client.build_request("GET", "http://app.test/events"), stream=True)
            next(answer.iter_raw())

        assert notes.exchanges[0].stream_open

    @pytest.mark.parametrize("scheme", ["http", "https"])
    def test_a_host_without_address_is_recorded_as_that(
        self, client: httpx.Client, notes: Notes, scheme: str
    ) -> None:
        """D8: the failure is an entry, and the client fails as it would live."""
        with pytest.raises(httpx.TransportError):
            client.get(f"{scheme}://nowhere.invalid/x")

        assert notes.exchanges[0].answer == Failure(kind="dns", message="the name has no address")

    def test_a_refused_connection_is_recorded_as_that(
        self, client: httpx.Client, notes: Notes
    ) -> None:
        """D8: connection refused is another failure than no address."""
        with pytest.raises(httpx.TransportError):
            client.get("http://127.0.0.1:1/x")

        answer = notes.exchanges[0].answer
        assert isinstance(answer, Failure)
        assert answer.kind == "connect"

    def test_what_goes_wrong_in_the_sink_is_raised(
        self, client: httpx.Client, recorder: Recorder, notes: Notes
    ) -> None:
        """D8: a journal that cannot be written ends the recording."""
        notes.is_full = True
        client.get("http://app.test/echo")
        with pytest.raises(FullDiskError) as problem:
            recorder.check()
        recorder._addon.problem = None  # type: ignore[attr-defined]  # noqa: SLF001 - else raised again

        assert problem.value.what == "full"


def test_recorder_and_replay_share_their_authority(tmp_path: Path) -> None:
    """D10: a client that trusts one trusts the other."""
    with running_upstream() as address:
        authority = CertificateAuthority(tmp_path)
        certificate = authority.certificate_path.read_text()
        context = ssl.create_default_context(cafile=authority.certificate_path)
        with MitmRecorders(authority).start(SPEC, address, Notes()) as running:
            trusting = httpx.Client(proxy=running.proxy_url, verify=context)
            with trusting:
                trusting.get("https://app.test/echo")

    assert authority.certificate_path.read_text() == certificate
