"""Body files are named by content, and no other name is one."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.cassette.bodies import body_path, digest_in, is_body_path

DIGEST = hashlib.sha256(b"x").hexdigest()


@pytest.mark.parametrize(
    ("kind", "ending"),
    [("text/html", "html"), ("image/svg+xml", "svg"), ("application/x-own", "bin"), ("", "bin")],
)
def test_a_body_has_the_ending_that_viewers_know(kind: str, ending: str) -> None:
    """D2: opened from the file manager, a body shows as what it is."""
    assert body_path(b"x", kind) == f"bodies/{DIGEST}.{ending}"


@given(st.binary(max_size=20), st.sampled_from(["text/html", "font/woff2", "text/../../etc"]))
def test_every_path_that_is_made_is_a_body_path(body: bytes, kind: str) -> None:
    """D2: whatever the media type says, the file stays in the folder and keeps its digest."""
    path = body_path(body, kind)

    assert is_body_path(path)
    assert digest_in(path) == hashlib.sha256(body).hexdigest()


@pytest.mark.parametrize(
    "path",
    [
        "",
        "bodies/",
        f"/bodies/{DIGEST}.html",
        f"../bodies/{DIGEST}.html",
        f"bodies/../{DIGEST}.html",
        f"bodies/{DIGEST}",
        f"bodies/{DIGEST}.HTML",
        f"bodies/{DIGEST}.html\n",
        f"bodies/{DIGEST.upper()}.html",
        f"bodies/{DIGEST[1:]}.html",
        f"bodies/{DIGEST}./../x",
        "cassette.yaml",
    ],
)
def test_no_other_path_names_a_body(path: str) -> None:
    """A cassette from elsewhere cannot make envsvc read outside its own folder."""
    assert not is_body_path(path)
