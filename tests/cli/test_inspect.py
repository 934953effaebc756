"""``envsvc inspect``: what tells answers apart, and how a request would be answered."""

from pathlib import Path

import pytest

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.cassette.manifest import Manifest
from tests.cassette.recordings import exchange, in_order
from tests.cli.conftest import Envsvc
from tests.contracts.samples import manifest

CART = "http://shop.test/cart"


@pytest.fixture
def shopping(cassette: Manifest, tmp_path: Path) -> Manifest:
    """Record a cart that changes with a write, in place of what was there."""
    recorded = in_order(
        ("GET /cart", "empty"),
        exchange("POST /cart one", "added", 0),
        ("GET /cart", "one"),
        ("GET /help", "help"),
    )
    return CassetteFiles(tmp_path / "har").write(manifest(), recorded)


def test_keys_with_several_answers_are_listed(envsvc: Envsvc, shopping: Manifest) -> None:
    """D4: with what tells their answers apart."""
    ran = envsvc("inspect", "--app", "shop/v1")

    assert ran.code == 0
    assert f"GET {CART}" in ran.out
    assert "told apart by: state" in ran.out
    assert f"POST {CART} one" in ran.out
    assert "/help" not in ran.out


def test_a_cassette_without_any_says_so(envsvc: Envsvc, cassette: Manifest) -> None:
    """An empty list is an answer too."""
    assert "every key has one answer" in envsvc("inspect", "--app", "shop/v1").out


@pytest.mark.parametrize(
    ("after", "outcome", "entry"),
    [
        ([], "state", 0),
        (["--after", f"POST {CART}"], "state", 2),
        (["--after", f"POST {CART}", "--after", f"POST {CART}"], "miss_state_unknown", None),
    ],
)
def test_a_request_is_explained(
    envsvc: Envsvc, shopping: Manifest, after: list[str], outcome: str, entry: int | None
) -> None:
    """D4, D18: the decision of a replay, for a program to read."""
    ran = envsvc("inspect", "--app", "shop/v1", "--key", CART, *after, "--json")

    assert (ran.json["outcome"], ran.json["entry"]) == (outcome, entry)


def test_a_miss_shows_what_is_nearest(envsvc: Envsvc, shopping: Manifest) -> None:
    """S0-12: the reason, and what differs."""
    ran = envsvc(
        "inspect", "--app", "shop/v1", "--key", CART, "--method", "post", "--body", "two",
        "--header", "Content-Type: text/plain",
    )  # fmt: skip

    assert "miss_task" in ran.out
    assert "body_differs" in ran.out
    assert "two" in ran.out


def test_writes_made_before_are_shown(envsvc: Envsvc, shopping: Manifest) -> None:
    """D4: the state that was asked about."""
    ran = envsvc("inspect", "--app", "shop/v1", "--key", CART, "--after", f"POST {CART}")

    assert f"after    POST {CART} one" in ran.out


def test_an_assumed_state_is_said(envsvc: Envsvc, shopping: Manifest) -> None:
    """D4: nobody saw the help page without that write."""
    ran = envsvc("inspect", "--app", "shop/v1", "--key", CART, "--json")

    assert ran.json["is_assumed"] is False


def test_a_write_that_was_never_recorded_is_a_clear_error(
    envsvc: Envsvc, shopping: Manifest
) -> None:
    """D18: what, and what to do."""
    ran = envsvc("inspect", "--app", "shop/v1", "--key", CART, "--after", "POST http://x.test/")

    assert ran.code == 2
    assert "error E010" in ran.err
    assert "POST http://x.test/" in ran.err
