"""What every CassetteStore promises (envsvc.ports)."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.cassette.index import Found
from envsvc.errors import EnvsvcError
from envsvc.exchange.message import Exchange, Request
from envsvc.exchange.redact import Redactor
from envsvc.ports import CassetteStore
from tests.app.fakes import MemoryCassettes
from tests.contracts.samples import EXCHANGES, exchange, manifest
from tests.exchange.strategies import exchanges

pytestmark = pytest.mark.contract

type MakeStore = Callable[[], CassetteStore]


@pytest.fixture(scope="module", params=["files", "memory"])
def make_store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> MakeStore:
    """Give a maker of empty stores, of each kind there is."""
    if request.param == "memory":
        return MemoryCassettes
    return lambda: CassetteFiles(tmp_path_factory.mktemp("har"))


@pytest.fixture
def store(make_store: MakeStore) -> CassetteStore:
    """Give an empty store."""
    return make_store()


def recorded(store: CassetteStore, version: str = "v1") -> list[Exchange]:
    """Return the exchanges that *store* holds of the shop."""
    return [exchange for _, exchange in store.entries("shop", version)]


def test_what_was_written_is_found(store: CassetteStore) -> None:
    """D2: a loaded cassette answers the requests that were recorded."""
    store.write(manifest(), EXCHANGES)

    found = store.load("shop", "v1", Redactor({})).index.find(EXCHANGES[2].request)

    assert isinstance(found, Found)
    assert found.entry.number == 2


def test_bodies_are_read_by_their_path(store: CassetteStore) -> None:
    """S0-01: a body is the bytes that were recorded."""
    store.write(manifest(), [exchange("/", b"\x00\xff\r\n")])

    cassette = store.load("shop", "v1", Redactor({}))
    answer = cassette.index.entries[0].answer

    assert cassette.read_body(getattr(answer, "body_path", "")) == b"\x00\xff\r\n"


@settings(max_examples=40, deadline=None)
@given(written=st.lists(exchanges(), max_size=4))
def test_every_exchange_comes_back(make_store: MakeStore, written: list[Exchange]) -> None:
    """S0-01: nothing of an exchange is lost or changed, and the order stays."""
    store = make_store()
    store.write(manifest(), written)

    assert recorded(store) == written


def test_the_manifest_is_filled_in(store: CassetteStore) -> None:
    """D2: entries are counted, and each different body once."""
    sealed = store.write(manifest(), [exchange("/a", b"12345"), exchange("/b", b"12345")])

    assert (sealed.entries, sealed.body_bytes) == (2, 5)


def test_the_written_manifest_is_the_stored_one(store: CassetteStore) -> None:
    """S3-09: app version, times and versions of tools and answers are read back."""
    sealed = store.write(manifest(), EXCHANGES)

    assert store.manifest("shop", "v1") == sealed


def test_an_empty_recording_is_a_cassette(store: CassetteStore) -> None:
    """S0-15: nothing recorded is legal."""
    store.write(manifest(), [])

    assert store.load("shop", "v1", Redactor({})).index.entries == []


def test_the_digest_is_a_function_of_the_content(make_store: MakeStore) -> None:
    """D2: the same traffic and manifest have the same digest anywhere."""
    digests = {make_store().write(manifest(), EXCHANGES).digest for _ in range(2)}

    assert len(digests) == 1


@pytest.mark.parametrize(
    ("changed_by", "changed"),
    [("", EXCHANGES[1:]), ("", EXCHANGES[::-1]), ("0.2.0", EXCHANGES)],
    ids=["one less", "other order", "other manifest"],
)
def test_other_content_has_another_digest(
    make_store: MakeStore, changed_by: str, changed: tuple[Exchange, ...]
) -> None:
    """D2: the digest covers the traffic, its order and the manifest."""
    digest = make_store().write(manifest(), EXCHANGES).digest
    other = make_store().write(manifest(certified_by=changed_by), changed).digest

    assert other != digest


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.load("shop", "v1", Redactor({})),
        lambda store: store.manifest("shop", "v1"),
        lambda store: list(store.entries("shop", "v1")),
    ],
    ids=["load", "manifest", "entries"],
)
def test_what_was_not_recorded_is_not_found(
    store: CassetteStore, ask: Callable[[CassetteStore], object]
) -> None:
    """S0-12: the error holds the command that records it."""
    with pytest.raises(EnvsvcError, match=r"envsvc record --app shop/v1$") as caught:
        ask(store)

    assert caught.value.code == "E201"


def test_versions_are_apart(store: CassetteStore) -> None:
    """D1: a cassette belongs to one version of one app."""
    store.write(manifest(version="v1"), EXCHANGES[:1])
    store.write(manifest(version="v2"), EXCHANGES[1:])

    assert recorded(store, "v1") == list(EXCHANGES[:1])


def test_a_new_cassette_replaces_the_old_one(store: CassetteStore) -> None:
    """D8: after a re-recording only the new traffic is there."""
    store.write(manifest(), EXCHANGES)
    store.write(manifest(), EXCHANGES[:1])

    assert recorded(store) == list(EXCHANGES[:1])


def test_a_cassette_can_be_rewritten_from_itself(store: CassetteStore) -> None:
    """D8: the certificate is added without holding all traffic in memory."""
    store.write(manifest(), EXCHANGES)
    store.write(
        manifest(certified_by="0.2.0"), (exchange for _, exchange in store.entries("shop", "v1"))
    )

    assert recorded(store) == list(EXCHANGES)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_write_that_fails_changes_nothing(
    store: CassetteStore, error: type[BaseException]
) -> None:
    """D8: the cassette of before stays whole when a new one cannot be completed."""
    sealed = store.write(manifest(), EXCHANGES)

    def broken() -> Iterator[Exchange]:
        yield exchange("/new")
        raise error

    with pytest.raises(error):
        store.write(manifest(), broken())

    assert store.load("shop", "v1", Redactor({})).manifest == sealed


def test_a_secret_of_today_finds_the_placeholder_of_then(store: CassetteStore) -> None:
    """D9: the stored request is keyed as a live request with a secret will be."""
    placeholder = Redactor({"pin": "hunter-2222"})
    sent = exchange("/login", sent=b"pin=hunter-2222")
    store.write(manifest(), [placeholder.exchange(sent)])

    today = Redactor({"pin": "hunter-2222"})
    cassette = store.load("shop", "v1", today)

    assert cassette.index.find(today.request(sent.request)) is not None


def test_a_stored_password_is_any_password_where_it_is_not_known(store: CassetteStore) -> None:
    """D9: a cassette from elsewhere replays without the secret it was recorded with."""
    sent = exchange("/login", sent=b"password=of-the-recorder")
    store.write(manifest(), [Redactor({}).exchange(sent)])

    here = Redactor({})
    asked = Request(
        method="POST",
        url="http://shop.test/login",
        headers=sent.request.headers,
        body=b"password=of-someone-else",
    )

    assert store.load("shop", "v1", here).index.find(here.request(asked)) is not None
