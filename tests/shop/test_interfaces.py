"""The JSON interface, the job, the stream and the files of the running shop."""

import time

import httpx
import pytest

from server.chat import reply
from server.releases import products_of

pytestmark = pytest.mark.loopback


def test_products_list_ids_names_and_prices(v1: httpx.Client) -> None:
    """All twelve are there."""
    products = v1.get("/api/products").json()

    assert len(products) == 12
    assert products[0] == {"id": "p01", "name": "Walnut tea tray", "price": "$39.00"}


def test_stock_agrees_with_the_page(v1: httpx.Client) -> None:
    """Page and interface tell the same number."""
    assert v1.get("/api/products/p01/stock").json() == {"product": "p01", "stock": 14}
    assert "Stock: 14 pieces" in v1.get("/product/p01").text


def test_quote_prices_a_quantity(v1: httpx.Client) -> None:
    """Three pieces and one shipping."""
    answer = v1.post("/api/quote", json={"product": "p04", "quantity": 3}).json()

    assert answer == {"product": "p04", "quantity": 3, "total": "$32.20"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"\xff", 400),
        (b"[]", 422),
        (b'{"product": "p01", "quantity": 0}', 422),
        (b'{"product": "p01", "quantity": "3"}', 422),
        (b'{"product": "p13", "quantity": 1}', 404),
    ],
)
def test_quote_refuses_what_it_cannot_read(v1: httpx.Client, body: bytes, status: int) -> None:
    """Each mistake has its status."""
    assert v1.post("/api/quote", content=body).status_code == status


def test_wishlist_keeps_what_was_put(v1: httpx.Client) -> None:
    """PUT adds once however often, DELETE takes off."""
    v1.put("/api/wishlist/p01")
    v1.put("/api/wishlist/p01")

    assert v1.get("/api/wishlist").json() == {"products": ["p01"]}
    assert v1.delete("/api/wishlist/p01").json() == {"products": []}


def test_job_runs_twice_and_is_done(v1: httpx.Client) -> None:
    """It advances by being asked, and stays done."""
    started = v1.post("/jobs")
    path = f"/jobs/{started.json()['id']}"
    states = [v1.get(path).json()["state"] for _ in range(4)]

    assert started.status_code == 202
    assert states == ["running", "running", "done", "done"]


def test_unknown_job_is_404(v1: httpx.Client) -> None:
    """A number that nobody got names no job."""
    assert v1.get("/jobs/999999").status_code == 404


def test_price_events_arrive_one_by_one_and_end(v1: httpx.Client) -> None:
    """Five prices and a last word, spread over time."""
    with v1.stream("GET", "/prices/stream") as response:
        arrivals = [
            (line, time.monotonic()) for line in response.iter_lines() if line.startswith("event:")
        ]

    assert [line for line, _ in arrivals] == ["event: price"] * 5 + ["event: done"]
    assert arrivals[-1][1] - arrivals[0][1] > 0.2


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("hello", "Hello! Ask me for a price, for example: price p03"),
        ("Price P01", "Walnut tea tray costs $39.00"),
        ("price p99", "You said: price p99"),
        ("你好", "You said: 你好"),
    ],
)
def test_chat_answers_the_same_to_the_same(message: str, answer: str) -> None:
    """The answer depends on the message alone."""
    assert reply(message, products_of("v1")) == answer


def test_manual_is_served_in_ranges(v1: httpx.Client) -> None:
    """A range is the same bytes as in the whole file."""
    whole = v1.get("/files/manual.bin").content
    part = v1.get("/files/manual.bin", headers={"Range": "bytes=1000-1999"})

    assert len(whole) == 200_000
    assert (part.status_code, part.headers["content-range"]) == (206, "bytes 1000-1999/200000")
    assert part.content == whole[1000:2000]


def test_manual_has_one_tag_in_all_processes(v1: httpx.Client, v2: httpx.Client) -> None:
    """Equal bytes have an equal ETag, whenever they were written."""
    tags = {client.head("/files/manual.bin").headers["etag"] for client in (v1, v2)}

    assert len(tags) == 1


def test_if_range_with_the_current_tag_sends_the_part(v1: httpx.Client) -> None:
    """The part fits what the client has."""
    tag = v1.head("/files/manual.bin").headers["etag"]
    part = v1.get("/files/manual.bin", headers={"Range": "bytes=0-9", "If-Range": tag})

    assert (part.status_code, len(part.content)) == (206, 10)


def test_if_range_with_an_old_tag_sends_the_whole(v1: httpx.Client) -> None:
    """A part of a changed file would not fit what the client has."""
    whole = v1.get("/files/manual.bin", headers={"Range": "bytes=0-9", "If-Range": '"old"'})

    assert (whole.status_code, len(whole.content)) == (200, 200_000)


def test_pictures_differ_between_products(v1: httpx.Client) -> None:
    """Each product has a PNG of its own."""
    pictures = [v1.get(f"/images/{product}.png").content for product in ("p01", "p02")]

    assert pictures[0] != pictures[1]
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
