"""The scripted agent finds what contradicts itself, and nothing else."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from agent import proxy_settings

pytestmark = pytest.mark.browser

type StartShop = Callable[..., AbstractContextManager[str]]

SHOP = Path(__file__).resolve().parents[2] / "images" / "shop"

# The agent opens local addresses here; a proxy of the machine must not come between.
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name not in {"ENVSVC_PROXY", "HTTP_PROXY"}
}


def run_agent(folder: Path, base: str, views: str) -> dict[str, Any]:
    """Run the agent as a process and return its report."""
    out = folder / "findings.json"
    command = [sys.executable, str(SHOP / "agent.py"), "--base", base, "--views", views]
    command += ["--out", str(out), "--screenshots", str(folder / "pictures")]
    subprocess.run(command, check=True, env=ENVIRONMENT)
    report: dict[str, Any] = json.loads(out.read_text())
    return report


def places(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Return page and view of each finding."""
    return [(finding["page"], finding["view"]) for finding in report["findings"]]


@pytest.mark.parametrize(
    ("version", "views", "expected"),
    [
        ("v1", "default", [("p03", "default"), ("p07", "default")]),
        (
            "v1",
            "default,sorted",
            [("p03", "default"), ("p05", "sorted"), ("p07", "default"), ("p10", "sorted")],
        ),
        (
            "v2",
            "default,sorted",
            [("p03", "default"), ("p09", "default"), ("p10", "sorted"), ("p12", "default")],
        ),
    ],
)
def test_agent_finds_exactly_the_defects(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    version: str,
    views: str,
    expected: list[tuple[str, str]],
) -> None:
    """Each release gives its own findings, with a picture each and no false alarm."""
    report = run_agent(tmp_path, request.getfixturevalue(f"{version}_address"), views)

    assert places(report) == expected
    assert len(list((tmp_path / "pictures").iterdir())) == len(expected)


def test_page_that_cannot_be_opened_is_no_finding(tmp_path: Path, start_shop: StartShop) -> None:
    """A failing shop fails twelve pages and accuses none."""
    with start_shop("v1", "--fault-rate", "1") as address:
        report = run_agent(tmp_path, address, "default")

    assert (report["findings"], report["pages_opened"]) == ([], 0)
    assert report["pages_failed"][0] == {"page": "p01", "view": "default", "reason": "status 503"}
    assert len(report["pages_failed"]) == 12


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        ({"HTTP_PROXY": "http://127.0.0.1:3128"}, {"server": "http://127.0.0.1:3128"}),
        (
            {"ENVSVC_PROXY": "http://one:token@127.0.0.1:8080", "HTTP_PROXY": "http://other:1"},
            {"server": "http://127.0.0.1:8080", "username": "one", "password": "token"},
        ),
    ],
)
def test_proxy_comes_from_the_environment(
    environment: dict[str, str], expected: dict[str, str] | None
) -> None:
    """Our own variable wins, and credentials are handed over apart from the address."""
    assert proxy_settings(environment) == expected
