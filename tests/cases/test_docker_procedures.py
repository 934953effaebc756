"""The procedures of the cases about snapshots, step by step on a real Docker engine."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from envsvc.adapters.snapshots import LOCK_FILE
from tests.cli.conftest import Envsvc, Ran
from tests.docker_engine import Engine
from tests.snapshot.certificates import certificate_until
from tests.snapshot_app import APP_YAML

pytestmark = [pytest.mark.cases, pytest.mark.docker]
CART = "/cgi-bin/cart"


@pytest.fixture(autouse=True)
def app_folder(tmp_path: Path) -> Path:
    """Give the folder of the app in the workspace of the command."""
    folder = tmp_path / "images/shop"
    folder.mkdir(parents=True)
    (folder / "app.yaml").write_text(APP_YAML)
    return folder


def shown(ran: Ran, path: str = CART) -> str:
    """Return what the copy that was handed out shows."""
    return httpx.get(f"{ran.json['url']}{path}", trust_env=False).text


def test_docker_volumes_lost(engine: Engine, envsvc: Envsvc, app_folder: Path) -> None:
    """A row that was written to a volume is in every copy of the snapshot."""
    source = engine.run("shop")
    source.exec_run(["sh", "-c", "mkdir -p /data/deep; echo row >/data/cart; echo x >/data/deep/x"])
    frozen = envsvc("snapshot", "freeze", "shop", "--app", "v1", "--json")
    up = envsvc("snapshot", "up", "--app", "v1", "--json", "--warm", "0")
    source.reload()

    assert (frozen.code, up.code) == (0, 0)
    assert shown(up) == "cart:row\n"
    assert source.status == "running"
    assert str(frozen.json["image"]) in (app_folder / LOCK_FILE).read_text()


def test_docker_volumes_lost_in_a_folder_of_the_host(
    engine: Engine, envsvc: Envsvc, tmp_path: Path
) -> None:
    """What cannot be copied is refused by name, and nothing is left."""
    engine.run("shop", volumes={str(tmp_path): {"bind": "/conf", "mode": "ro"}})
    before = engine.inventory()
    refused = envsvc("snapshot", "freeze", "shop", "--app", "v1", "--json")

    assert refused.code == 1
    assert refused.json["error"]["code"] == "E632"  # type: ignore[index]
    assert f"/conf (bind {tmp_path})" in refused.err
    assert engine.inventory() == before


def test_docker_reset_slow(engine: Engine, envsvc: Envsvc) -> None:
    """After a reset the cart is empty and the time is told; without one the run is marked."""
    engine.run("shop")
    envsvc("snapshot", "freeze", "shop", "--app", "v1")
    first = envsvc("snapshot", "up", "--app", "v1", "--json")
    assert "apple" in shown(first, f"{CART}?apple")
    skipped = envsvc(
        "snapshot", "reset", str(first.json["copy"]), "--app", "v1", "--skip", "--json"
    )
    second = envsvc("snapshot", "reset", str(first.json["copy"]), "--app", "v1", "--json")

    assert (skipped.code, skipped.json["is_isolated"]) == (1, False)
    assert (second.code, second.json["is_isolated"]) == (0, True)
    assert second.json["is_from_pool"] is True
    assert 0 < float(str(second.json["took_s"])) < 60
    assert shown(second) == "cart:"


def test_docker_port_conflict(engine: Engine, envsvc: Envsvc) -> None:
    """Two copies run at once, each on a network of its own, and take no port of the host."""
    engine.run("shop")
    envsvc("snapshot", "freeze", "shop", "--app", "v1")
    words = ("snapshot", "up", "--app", "v1", "--json")
    with ThreadPoolExecutor() as at_once:
        one, other = at_once.map(lambda _: envsvc(*words), range(2))
    copies = engine.client.containers.list(filters={"label": "envsvc.app=shop"})

    assert shown(one, f"{CART}?apple") == "cart:apple\n"
    assert shown(other) == "cart:"
    assert [binding for copy in copies for binding in copy.ports.values() if binding] == []
    for copy in copies:
        (name,) = copy.attrs["NetworkSettings"]["Networks"]
        assert engine.client.networks.get(name).attrs["Internal"] is True


def test_docker_ready_too_early(engine: Engine, envsvc: Envsvc, app_folder: Path) -> None:
    """The clock of an episode starts after good answers; a time-out blames the environment."""
    engine.run("shop").exec_run(["sh", "-c", "echo 6 >/data/busy_asks"])
    envsvc("snapshot", "freeze", "shop", "--app", "v1")
    called_at = datetime.now(UTC)
    up = envsvc("snapshot", "up", "--app", "v1", "--json", "--warm", "0")
    (copy,) = engine.client.containers.list(filters={"label": "envsvc.app=shop"})
    asked = str(copy.exec_run(["wc", "-l", "/asked"]).output)
    (app_folder / "app.yaml").write_text(APP_YAML.replace("timeout_s: 20", "timeout_s: 0"))
    before = engine.inventory()
    late = envsvc("snapshot", "up", "--app", "v1", "--json", "--warm", "0")

    waited = datetime.fromisoformat(str(up.json["started_at"])) - called_at
    assert waited >= timedelta(seconds=float(str(up.json["took_s"])))
    assert asked.startswith("b'9 ")
    assert late.code == 3
    assert "E634: environment fault" in late.err
    assert engine.inventory() == before


def test_docker_token_baked_in(engine: Engine, envsvc: Envsvc, app_folder: Path) -> None:
    """A token of the environment stops the freeze, or is taken out."""
    secret = "tok_live_9f8e7d6c5b4a"
    engine.run("shop", environment={"RUN_TOKEN": secret, "NOTE": "a tulip-field"})
    before = engine.inventory()
    words = ("snapshot", "freeze", "shop", "--app", "v1", "--json")
    refused = envsvc(*words, SHOP_RUN_SECRET="tulip-field")
    left = engine.inventory()
    half = envsvc(*words, "--drop-env", "RUN_TOKEN", SHOP_RUN_SECRET="tulip-field")
    frozen = envsvc(*words, "--drop-env", "RUN_TOKEN", "--drop-env", "NOTE")
    image = engine.client.images.get(str(frozen.json["image"]))

    assert (refused.code, half.code, frozen.code) == (1, 1, 0)
    assert "Env RUN_TOKEN (secret.field.token)" in refused.err
    assert "Env NOTE (secret.known)" in half.err
    assert left == before
    assert secret not in refused.out + refused.err
    assert secret not in f"{image.attrs}{image.history()}{(app_folder / LOCK_FILE).read_text()}"
    assert image.attrs["Config"]["Env"] == ["PATH=/bin"]


def test_docker_clock(engine: Engine, envsvc: Envsvc) -> None:
    """A year later the certificate in the snapshot has ended, and the report says what helps."""
    pem = certificate_until(datetime.now(UTC) + timedelta(days=60)).decode()
    engine.run("shop").exec_run(["sh", "-c", f"echo '{pem}' >/data/tls.pem"])
    frozen = envsvc("snapshot", "freeze", "shop", "--app", "v1", "--json")
    year_later = (datetime.now(UTC) + timedelta(days=365)).date().isoformat()
    now = envsvc("snapshot", "up", "--app", "v1", "--json", "--warm", "0")
    later = envsvc("snapshot", "up", "--app", "v1", "--at", year_later, "--json", "--warm", "0")

    assert (now.code, now.json["findings"]) == (0, [])
    assert later.code == 1
    assert "certificate CN=shop.test in /data/tls.pem ended" in str(later.json["findings"])
    assert "libfaketime" in str(later.json["findings"])
    assert str(frozen.json["recorded_at"])[:10] == datetime.now(UTC).date().isoformat()
