"""The app description, its tours and its answer tables fit together."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SHOP = ROOT / "images" / "shop"
ACTIONS = {"goto", "click", "fill", "select", "press", "upload", "see", "wait", "idle", "evaluate"}


def read(path: Path) -> dict[str, Any]:
    """Read a YAML mapping."""
    content: dict[str, Any] = yaml.safe_load(path.read_text())
    return content


def rows(version: str) -> list[dict[str, Any]]:
    """Return the rows of one answer table."""
    table: list[dict[str, Any]] = read(ROOT / "answer_tables" / "shop" / f"{version}.yaml")["rows"]
    return table


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_each_version_has_its_dockerfile(version: str) -> None:
    """The build folder that the description names exists."""
    build = read(SHOP / "app.yaml")["versions"][version]["build"]

    assert (SHOP / build / "Dockerfile").is_file()


@pytest.mark.parametrize("tour", ["default-views", "full"])
def test_each_tour_has_steps_of_one_action(tour: str) -> None:
    """Every step has one action and at most a name."""
    content = read(SHOP / read(SHOP / "app.yaml")["tours"][tour])

    assert content["name"] == tour
    assert all(len(step.keys() & ACTIONS) == 1 for step in content["steps"])
    assert all(step.keys() <= ACTIONS | {"name"} for step in content["steps"])


@pytest.mark.parametrize(
    ("version", "answers"),
    [
        ("v1", {("p03", "default"), ("p05", "sorted"), ("p07", "default"), ("p10", "sorted")}),
        ("v2", {("p03", "default"), ("p09", "default"), ("p10", "sorted"), ("p12", "default")}),
    ],
)
def test_each_table_names_four_defects(version: str, answers: set[tuple[str, str]]) -> None:
    """Pages and views of the defects of one release."""
    assert {(row["page"], row["view"]) for row in rows(version)} == answers


@pytest.mark.loopback
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_no_page_tells_the_answers(version: str, request: pytest.FixtureRequest) -> None:
    """Neither kinds nor descriptions can be read over HTTP."""
    client: httpx.Client = request.getfixturevalue(version)
    paths = ["/", "/static/shop.js", "/static/shop.css", "/catalogue", "/api/products"]
    paths += [
        f"/product/{row['page']}{query}" for row in rows(version) for query in ("", "?sort=price")
    ]
    text = "\n".join(client.get(path).text for path in paths)

    assert [row["id"] for row in rows(version) if row["kind"] in text] == []
    assert [row["id"] for row in rows(version) if row["description"] in text] == []
    assert "bug" not in text.lower()
