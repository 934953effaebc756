"""What goes wrong with a snapshot is told, and nothing is left of it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

from envsvc.adapters.docker_engine.engine import DockerEngine
from envsvc.adapters.docker_engine.errors import EngineError
from envsvc.adapters.snapshots import NotFrozenError, copies_of, freeze
from envsvc.app.freeze_snapshot import UnsteadyStateError
from envsvc.app.snapshot_copies import (
    Copies,
    NoImageError,
    NoSuchCopyError,
    NotReadyInTimeError,
    StateDiffersError,
)
from envsvc.snapshot.freeze_plan import NotFreezableError
from tests.cli.conftest import Envsvc
from tests.docker_engine import Engine
from tests.snapshot_app import APP_YAML

pytestmark = pytest.mark.docker


def new_workspace(root: Path) -> Path:
    """Make a workspace with the app in *root*."""
    folder = root / "images/shop"
    folder.mkdir(parents=True)
    (folder / "app.yaml").write_text(APP_YAML)
    return root


@pytest.fixture
def workspace(tmp_path: Path, engine: Engine) -> Path:
    """Give a workspace whose app runs in the container ``shop``."""
    engine.run("shop", volumes={"rows": {"bind": "/rows", "mode": "rw"}})
    return new_workspace(tmp_path)


@pytest.fixture(scope="module")
def frozen(started_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a workspace whose app is frozen, and runs no more."""
    root = new_workspace(tmp_path_factory.mktemp("frozen"))
    started_engine.run("shop")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("DOCKER_HOST", started_engine.host)
        freeze(root, "shop/v1", "shop", (), ())
    started_engine.clear()
    return root


@pytest.fixture
def copies(frozen: Path, engine: Engine) -> Iterator[Copies]:
    """Give the copies of the frozen app; there are none yet."""
    with copies_of(frozen, "shop/v1") as found:
        yield found


def test_pages_that_are_never_the_same_prove_nothing(workspace: Path, engine: Engine) -> None:
    """A page with a random value cannot be a state page; no image is left."""
    app = workspace / "images/shop/app.yaml"
    app.write_text(APP_YAML.replace("state: [/cgi-bin/cart]", "state: [/cgi-bin/random]"))
    before = engine.inventory()
    with pytest.raises(UnsteadyStateError, match="/cgi-bin/random"):
        freeze(workspace, "shop/v1", "shop", (), ())

    assert engine.inventory() == before
    with pytest.raises(NotFrozenError), copies_of(workspace, "shop/v1"):
        pass


def test_an_image_that_cannot_be_noted_is_not_kept(workspace: Path, engine: Engine) -> None:
    """What no lock file names could not be found again."""
    (workspace / "images/shop/images.lock.new").mkdir()
    before = engine.inventory()
    with pytest.raises(IsADirectoryError):
        freeze(workspace, "shop/v1", "shop", (), ())

    assert engine.inventory() == before


def test_a_volume_can_be_left_out(workspace: Path) -> None:
    """Somebody who says so does without it, and the lock file tells."""
    snapshot = freeze(workspace, "shop/v1", "shop", ("/rows",), ()).snapshot

    assert (list(snapshot.volumes), snapshot.left_out) == (["/data"], ("/rows",))


def test_what_lies_in_memory_is_not_frozen(workspace: Path, engine: Engine) -> None:
    """A folder in memory is refused by name."""
    engine.run("cache", tmpfs={"/cache": ""})
    with pytest.raises(NotFreezableError, match=r"/cache \(tmpfs\)"):
        freeze(workspace, "shop/v1", "cache", (), ())

    assert (workspace / "images/shop/images.lock.yaml").exists() is False


def test_a_copy_that_shows_something_else_is_not_handed_out(copies: Copies, engine: Engine) -> None:
    """What depends on the date looks other a year later; the message says what helps."""
    other = msgspec.structs.replace(copies.snapshot, state={"/": "200 sha256:00"})
    before = engine.inventory()
    with pytest.raises(StateDiffersError, match="libfaketime"):
        msgspec.structs.replace(copies, snapshot=other).up(warm=1)

    assert engine.inventory() == before


def test_a_copy_that_ends_is_a_fault_of_the_environment(copies: Copies, engine: Engine) -> None:
    """It is told at once, with what the container wrote, and nothing is left."""
    ends = engine.client.api.create_container(
        copies.snapshot.image, ["sh", "-c", "echo out of luck >&2"], entrypoint=[]
    )
    image = engine.client.api.commit(ends["Id"])["Id"]
    broken = msgspec.structs.replace(copies.snapshot, image=image)
    before = engine.inventory()
    with pytest.raises(NotReadyInTimeError, match=r"ended by itself\n  \| out of luck"):
        msgspec.structs.replace(copies, snapshot=broken).up(warm=0)

    assert engine.inventory() == before


def test_an_image_that_is_elsewhere_is_missing(copies: Copies) -> None:
    """The lock file may come from another machine."""
    missing = msgspec.structs.replace(copies.snapshot, image=f"sha256:{'0' * 64}")
    with pytest.raises(NoImageError, match="does not have the image"):
        msgspec.structs.replace(copies, snapshot=missing).up(warm=0)

    assert copies.all() == []


def test_a_spare_copy_of_an_older_snapshot_goes(workspace: Path) -> None:
    """After the app was frozen anew no episode gets what was frozen before."""
    freeze(workspace, "shop/v1", "shop", (), ())
    with copies_of(workspace, "shop/v1") as older:
        older.up(warm=1)
    freeze(workspace, "shop/v1", "shop", (), ())
    with copies_of(workspace, "shop/v1") as newer:
        handed_out = newer.up(warm=1)
        waiting = [copy.image for copy in newer.all() if copy.name.episodes == 0]

    assert handed_out.is_from_pool is False
    assert waiting == [handed_out.image] == [newer.snapshot.image]


def test_a_copy_has_no_way_out(copies: Copies, engine: Engine) -> None:
    """It reaches itself, but no other network: not even that of its neighbour."""
    one, other = copies.up(warm=0), copies.up(warm=0)
    (container,) = engine.client.containers.list(filters={"name": one.copy})
    said = {}
    for url in (one.url, other.url):
        ask = f"echo 'GET / HTTP/1.0' | nc -w 1 {httpx.URL(url).host} {httpx.URL(url).port}"
        said[url] = str(container.exec_run(["sh", "-c", ask]).output)

    assert "the shop" in said[one.url]
    assert "the shop" not in said[other.url]


def test_only_what_was_made_is_removed(copies: Copies, engine: Engine) -> None:
    """Down takes the copies and their networks, and no container of other people."""
    before = engine.inventory()
    copies.up(warm=2)
    copies.engine.remove_all(copies.labels)

    assert engine.inventory() == before


def test_one_copy_goes_alone(copies: Copies) -> None:
    """Another one stays; what is gone cannot be reset."""
    gone, stays = copies.up(warm=0).copy, copies.up(warm=0).copy
    copies.down(gone)

    assert [copy.name.id for copy in copies.all()] == [stays]
    with pytest.raises(NoSuchCopyError):
        copies.reset(gone, warm=0)


def test_a_copy_is_taken_once(copies: Copies) -> None:
    """Of two who want the same spare copy one gets it."""
    engine = copies.engine
    spare = engine.start_copy(copies.snapshot.image, copies.labels, is_spare=True)

    assert engine.begin_episode(spare) is not None
    assert engine.begin_episode(spare) is None


def test_what_somebody_took_is_not_removed_as_spare(copies: Copies) -> None:
    """Its name has changed since it was looked up."""
    engine = copies.engine
    spare = engine.start_copy(copies.snapshot.image, copies.labels, is_spare=True)
    taken = engine.begin_episode(spare)
    engine.remove_copy(spare)

    assert copies.all() == [taken]


def test_what_the_engine_refuses_is_told(engine: Engine) -> None:
    """In its own words."""
    with DockerEngine() as ours, pytest.raises(EngineError, match="No such image"):
        ours.start_copy("sha256:0", {}, is_spare=False)


def test_a_missing_engine_is_told(workspace: Path, envsvc: Envsvc) -> None:
    """It could not be told whether anything is wrong: exit code 3."""
    nowhere = f"unix://{workspace}/none.sock"
    ran = envsvc("snapshot", "freeze", "shop", "--app", "v1", DOCKER_HOST=nowhere)

    assert ran.code == 3
    assert "E630" in ran.err
    assert "DOCKER_HOST" in ran.err
