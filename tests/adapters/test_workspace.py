"""A workspace says what it holds, and names what is wrong with it."""

from pathlib import Path

import pytest

from envsvc.adapters.workspace import Workspace, load_tour, secrets
from envsvc.errors import EnvsvcError

APP = """\
app: {name}
virtual_host: {name}.test
default_tour: full
versions:
  {versions}
tours:
  full: tours/full.yaml
  script: tours/script.py
secrets: {{password: SHOP_PASSWORD, key: SHOP_KEY}}
"""
TOUR = "name: full\nsteps:\n  - goto: /\n  - see: Welcome\n"
TABLE = "app: shop\nversion: v1\ncut_off: 2026-01-01\nrows: []\n"
GOOD = APP.format(name="shop", versions="v1: {url: http://127.0.0.1:1}")


def write(root: Path, files: dict[str, str]) -> Workspace:
    """Write *files* below *root* and return the workspace there."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Workspace(root)


def workspace(root: Path, **versions: str) -> Workspace:
    """Return a workspace with apps that have *versions*, such as ``shop="v1 v2"``."""
    launch = ": {url: http://127.0.0.1:1}\n  "
    apps = {
        f"images/{name}/app.yaml": APP.format(name=name, versions=launch.join([*of.split(), ""]))
        for name, of in versions.items()
    }
    return write(root, apps)


@pytest.mark.parametrize("start", ["", "images/shop", "har"])
def test_a_workspace_is_found_from_inside(tmp_path: Path, start: str) -> None:
    """D1: a command works from any folder of the workspace."""
    workspace(tmp_path, shop="v1")
    (tmp_path / "har").mkdir()

    assert Workspace.find(tmp_path / start).root == tmp_path


def test_no_workspace_advises_to_make_one(tmp_path: Path) -> None:
    """D1: the error says how to begin."""
    with pytest.raises(EnvsvcError, match="envsvc init") as caught:
        Workspace.find(tmp_path)

    assert caught.value.code == "E101"


def test_the_folders_of_a_workspace(tmp_path: Path) -> None:
    """D1: recordings, apps and answers have their places."""
    found = Workspace(tmp_path)

    assert (found.har, found.images, found.answer_tables) == (
        tmp_path / "har",
        tmp_path / "images",
        tmp_path / "answer_tables",
    )


@pytest.mark.parametrize(
    ("apps", "text", "chosen"),
    [
        ({"shop": "v1 v2"}, "shop/v2", "shop/v2"),
        ({"shop": "v1 v2"}, "v2", "shop/v2"),
        ({"shop": "v1"}, "shop", "shop/v1"),
        ({"shop": "v1", "wiki": "v1 v2"}, "v2", "wiki/v2"),
        ({"shop": "v1", "wiki": "shop v2"}, "shop", "shop/v1"),
    ],
)
def test_app_names_one_version(
    tmp_path: Path, apps: dict[str, str], text: str, chosen: str
) -> None:
    """D1: --app v2 is that version of the one app that has it, shop/v2 names both."""
    assert str(workspace(tmp_path, **apps).resolve(text)) == chosen


@pytest.mark.parametrize(
    ("apps", "text", "code", "choices"),
    [
        ({"shop": "v1 v2"}, "shop/v3", "E105", "shop/v1, shop/v2"),
        ({"shop": "v1 v2"}, "v3", "E105", "shop/v1, shop/v2"),
        ({"shop": "v1 v2"}, "shop", "E105", "shop/v1, shop/v2"),
        ({"shop": "v1", "wiki": "v1"}, "v1", "E104", "shop, wiki"),
        ({"shop": "v1", "wiki": "v1"}, "v9", "E104", "shop, wiki"),
        ({"shop": "v1"}, "wiki/v1", "E104", "shop"),
        ({"shop": "v1"}, "../shop/v1", "E104", "shop"),
        ({"shop": "v1"}, "shop/../v1", "E105", "shop/v1"),
        ({"shop": "v1"}, "", "E105", "shop/v1"),
    ],
)
def test_what_is_not_there_lists_what_is(
    tmp_path: Path, apps: dict[str, str], text: str, code: str, choices: str
) -> None:
    """D1, D18: no guess between several; the error lists the choices."""
    with pytest.raises(EnvsvcError, match=f"Choose one of: {choices}$") as caught:
        workspace(tmp_path, **apps).resolve(text)

    assert caught.value.code == code


def test_a_workspace_without_apps_advises_to_describe_one(tmp_path: Path) -> None:
    """D18: there is nothing to choose from yet."""
    (tmp_path / "images").mkdir()

    with pytest.raises(EnvsvcError, match="envsvc init"):
        Workspace(tmp_path).resolve("shop/v1")


def test_the_only_app_needs_no_name(tmp_path: Path) -> None:
    """D1: a workspace usually holds one app."""
    assert workspace(tmp_path, shop="v1").app().spec.app == "shop"


def test_a_hidden_folder_is_no_app(tmp_path: Path) -> None:
    """D1: a name begins with a letter or a digit, so nothing hides."""
    write(tmp_path, {"images/.cache/app.yaml": GOOD, "images/shop/app.yaml": GOOD})

    assert Workspace(tmp_path).app_names() == ["shop"]


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        ("default_tour: full", "default_tor: full", 3, "default_tor: object contains unknown"),
        ("{url: http", "{comand: x, url: http", 5, r"versions\.v1\.comand: object contains"),
        ("{url: http://127.0.0.1:1}", "{command: [a, 2]}", 5, r"versions\.v1\.command\[1\]: "),
        ("tours/script.py", "[x]", 8, r"tours\.script: expected `str`, got `array`"),
        ("versions:\n  v1: {url: http://127.0.0.1:1}", "versions: []", 4, "versions: expected"),
        ("default_tour: full\n", "", None, "object missing required field `default_tour`"),
        ("default_tour: full", "default_tour: part", None, "'part', which is not under tours"),
        ("{url: http", "{command: [x], url: http", None, "exactly one of command and url"),
        ("app: shop", "app: wiki", None, "app is 'wiki', its folder is 'shop'"),
        ("  v1:", "  ../v1:", None, r"versions\.\.\./v1: a name is at most"),
        ("  full:", "  a b:", None, r"tours\.a b: a name is at most"),
        ("  v1:", "  aux.v1:", None, r"versions\.aux\.v1: .* no device such as con or aux"),
        ("  v1:", "  V1: {url: http://a}\n  v1:", None, "versions: two names differ in case only"),
        ("app: shop", "ready: {status: yes}\napp: shop", 1, r"ready\.status: expected `int`"),
        (GOOD, "", None, "expected `object`, got `null`"),
    ],
    ids=range(15),
)
def test_a_mistake_in_app_yaml_is_named(
    tmp_path: Path, old: str, new: str, line: int | None, problem: str
) -> None:
    """D18: the error names file, line and field."""
    path = tmp_path / "images/shop/app.yaml"
    broken = write(tmp_path, {"images/shop/app.yaml": GOOD.replace(old, new)})

    with pytest.raises(EnvsvcError, match=problem) as caught:
        broken.app("shop")

    assert caught.value.code == "E103"
    assert caught.value.where == (f"{path}:{line}" if line else str(path))


def test_a_key_twice_in_app_yaml_is_refused(tmp_path: Path) -> None:
    """D19: which of two values counts is nobody's guess."""
    broken = write(tmp_path, {"images/shop/app.yaml": GOOD + "app: shop\n"})

    with pytest.raises(EnvsvcError, match="'app' stands here twice") as caught:
        broken.app("shop")

    assert (caught.value.code, caught.value.where[-5:]) == ("E102", ":10:1")


def test_app_yaml_that_is_no_utf_8_is_refused(tmp_path: Path) -> None:
    """D18: the byte is named."""
    found = workspace(tmp_path, shop="v1")
    (tmp_path / "images/shop/app.yaml").write_bytes(b"app: sh\xf6p\n")

    with pytest.raises(EnvsvcError, match="byte 7 is 0xf6") as caught:
        found.app("shop")

    assert caught.value.code == "E102"


def test_a_tour_has_its_digest(tmp_path: Path) -> None:
    """D2: the manifest can say which tour was recorded."""
    found = write(tmp_path, {"images/shop/app.yaml": GOOD, "images/shop/tours/full.yaml": "x"})
    source = found.tour(found.app("shop"))

    assert source.path == str(tmp_path / "images/shop/tours/full.yaml")
    assert source.sha256 == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"


@pytest.mark.parametrize(
    ("name", "problem"),
    [("part", "Choose one of: full, script"), ("script", r"script\.py.*correct tours\.script")],
)
def test_a_tour_that_is_not_there(tmp_path: Path, name: str, problem: str) -> None:
    """D18: an unknown name lists the names, a missing file is named."""
    found = write(tmp_path, {"images/shop/app.yaml": GOOD})

    with pytest.raises(EnvsvcError, match=problem) as caught:
        found.tour(found.app("shop"), name)

    assert caught.value.code == "E106"


def test_a_tour_is_loaded(tmp_path: Path) -> None:
    """D1: the steps of a YAML tour in their order."""
    found = write(tmp_path, {"images/shop/app.yaml": GOOD, "images/shop/tours/full.yaml": TOUR})
    tour = load_tour(found.tour(found.app("shop"), "full"))

    assert [step.label for step in tour.steps] == ["goto /", "see Welcome"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (TOUR.replace("see:", "sea:"), r"steps\[1\]\.sea: object contains unknown.*full\.yaml:4"),
        (TOUR.replace("- see", "  see"), "step 1 needs exactly one action"),
        ("name: full\nsteps: []\n", "steps is empty"),
    ],
)
def test_a_mistake_in_a_tour_is_named(tmp_path: Path, text: str, problem: str) -> None:
    """D18: before a browser is started."""
    found = write(tmp_path, {"images/shop/app.yaml": GOOD, "images/shop/tours/full.yaml": text})

    with pytest.raises(EnvsvcError, match=problem) as caught:
        load_tour(found.tour(found.app("shop"), "full"))

    assert caught.value.code == "E103"


def test_an_answer_table_is_read(tmp_path: Path) -> None:
    """D13: the day stays a text, as it was written."""
    table = write(tmp_path, {"answer_tables/shop/v1.yaml": TABLE}).answer_table("shop", "v1")

    assert table is not None
    assert table.cut_off == "2026-01-01"


def test_there_may_be_no_answer_table(tmp_path: Path) -> None:
    """D13: an app can be recorded before its answers are known."""
    assert Workspace(tmp_path).answer_table("shop", "v1") is None


def test_an_answer_table_of_another_version_is_refused(tmp_path: Path) -> None:
    """S3-17: a copied table that still says v1 would score v2 wrongly."""
    found = write(tmp_path, {"answer_tables/shop/v2.yaml": TABLE})

    with pytest.raises(EnvsvcError, match="table of shop/v1, not of shop/v2") as caught:
        found.answer_table("shop", "v2")

    assert caught.value.code == "E103"


def test_secrets_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D1: app.yaml names a variable, never a value; what is not set is ""."""
    monkeypatch.setenv("SHOP_PASSWORD", "hunter2")
    monkeypatch.delenv("SHOP_KEY", raising=False)
    spec = workspace(tmp_path, shop="v1").app().spec

    assert secrets(spec) == {"password": "hunter2", "key": ""}
