"""``envsvc trim``, ``merge``, ``diff``, ``cat``: a cassette is cut, joined, compared, shown."""

import shutil
from pathlib import Path

import pytest

from envsvc.adapters.cassette_files import CassetteFiles
from envsvc.exchange.message import Failure
from tests.cassette.recordings import in_order
from tests.cli.conftest import Envsvc
from tests.contracts.samples import exchange, manifest

pytestmark = pytest.mark.usefixtures("cassette")


def urls(tmp_path: Path) -> list[str]:
    """Return what the cassette of shop/v1 holds."""
    entries = CassetteFiles(tmp_path / "har").entries("shop", "v1")
    return [one.request.url.removeprefix("http://shop.test") for _, one in entries]


@pytest.fixture
def elsewhere(tmp_path: Path) -> str:
    """Keep a second recording of shop/v1 elsewhere: one page more, one page otherwise."""
    root = tmp_path / "elsewhere"
    CassetteFiles(root).write(manifest(), [exchange("/"), exchange("/new", b"new")])
    return str(root / "shop" / "v1")


class TestTrim:
    """Exchanges are left out of a cassette."""

    def test_nothing_goes_unless_it_may(self, envsvc: Envsvc, tmp_path: Path) -> None:
        """D18: without consent it is only shown."""
        ran = envsvc("trim", "--app", "shop/v1", "--drop", "shop.test/cart")

        assert ran.code == 2
        assert "E012" in ran.err
        assert "drop POST http://shop.test/cart" in ran.out
        assert len(urls(tmp_path)) == 4

    def test_what_may_go_goes(self, envsvc: Envsvc, tmp_path: Path) -> None:
        """The rest is sealed anew, without a certificate."""
        words = ("trim", "--app", "shop/v1", "--drop", "shop.test/cart", "--yes", "--json")
        ran = envsvc(*words)

        assert ran.code == 0, ran.err
        assert (ran.json["kept"], ran.json["dropped"], ran.json["certified"]) == (2, 2, False)
        assert urls(tmp_path) == ["/", "/again"]
        assert envsvc("verify", "--app", "shop/v1").code == 0

    def test_a_dry_run_is_no_fault(self, envsvc: Envsvc, tmp_path: Path) -> None:
        """D18: looking was all that was asked."""
        ran = envsvc("trim", "--app", "shop/v1", "--keep", "*/again", "--dry-run", "--yes")

        assert ran.code == 0
        assert len(urls(tmp_path)) == 4

    def test_what_no_session_used_goes(self, envsvc: Envsvc, tmp_path: Path) -> None:
        """By the numbers that the report names."""
        ask = "import urllib.request as u; u.urlopen('http://shop.test/again')"
        report = ("--report", "session.json")
        assert envsvc("exec", "--app", "shop/v1", *report, "--", "python", "-c", ask).code == 0

        words = ("trim", "--app", "shop/v1", "--unused-by", "session.json", "--yes")
        assert envsvc(*words).code == 0
        assert urls(tmp_path) == ["/again"]

        again = envsvc(*words)
        assert again.code == 2
        assert "E207" in again.err

    def test_an_empty_cassette_is_not_written(self, envsvc: Envsvc) -> None:
        """There would be nothing to replay."""
        ran = envsvc("trim", "--app", "shop/v1", "--drop", "*", "--yes")

        assert ran.code == 2
        assert "E206" in ran.err

    def test_something_must_be_said(self, envsvc: Envsvc) -> None:
        """D18: usage."""
        assert envsvc("trim", "--app", "shop/v1", "--yes").code == 2


class TestMerge:
    """Recordings that were made apart are put together."""

    def test_what_is_new_comes_in(self, envsvc: Envsvc, elsewhere: str, tmp_path: Path) -> None:
        """And what both have stays once."""
        ran = envsvc("merge", "shop/v1", elsewhere, "--yes", "--json")

        assert ran.code == 0, ran.err
        assert (ran.json["added"], ran.json["already_there"]) == (1, 1)
        assert urls(tmp_path) == ["/", "/cart", "/cart", "/again", "/new"]
        assert envsvc("verify", "--app", "shop/v1").code == 0

    def test_nothing_is_replaced_unless_it_may(
        self, envsvc: Envsvc, elsewhere: str, tmp_path: Path
    ) -> None:
        """D18: it is only shown."""
        assert envsvc("merge", "shop/v1", elsewhere).code == 2
        assert len(urls(tmp_path)) == 4

    def test_contradictions_are_refused(
        self, envsvc: Envsvc, elsewhere: str, tmp_path: Path
    ) -> None:
        """S3-06: with the request named; they may be taken on purpose."""
        CassetteFiles(tmp_path / "elsewhere").write(manifest(), [exchange("/", b"other")])
        refused = envsvc("merge", "shop/v1", elsewhere, "--yes")

        assert refused.code == 1
        assert "E208" in refused.err
        assert "GET http://shop.test/" in refused.err

        taken = envsvc("merge", "shop/v1", elsewhere, "--allow-ambiguous", "--yes", "--json")
        assert taken.json["ambiguous_keys"] == 1


class TestDiff:
    """Two cassettes are laid side by side."""

    def test_a_cassette_is_like_itself(self, envsvc: Envsvc) -> None:
        """Exit code 0."""
        ran = envsvc("diff", "shop/v1", "shop/v1")

        assert ran.code == 0
        assert ran.out.strip() == "0 new, 0 gone, 0 changed, 4 same"

    def test_differences_are_findings(self, envsvc: Envsvc, elsewhere: str) -> None:
        """D18: exit code 1, and each key with what became of it."""
        ran = envsvc("diff", "shop/v1", elsewhere)

        assert ran.code == 1
        assert "1 new, 3 gone, 0 changed, 1 same" in ran.out

    def test_json_names_both_sides(self, envsvc: Envsvc, elsewhere: str) -> None:
        """D18."""
        ran = envsvc("diff", elsewhere, "shop/v1", "--all", "--json")

        assert ran.json["counts"] == {"new": 3, "gone": 1, "changed": 0, "same": 1}


class TestCat:
    """One exchange is shown."""

    def test_all_of_it_is_shown(self, envsvc: Envsvc) -> None:
        """Request, answer, both bodies."""
        ran = envsvc("cat", "--app", "shop/v1", "POST /cart")

        assert "POST http://shop.test/cart" in ran.out
        assert "product=p01&quantity=1" in ran.out
        assert "200 OK" in ran.out
        assert "<p>1 piece</p>" in ran.out

    @pytest.mark.parametrize(
        ("side", "bytes_"), [("answer", "<p>1 piece</p>"), ("request", "product=p01&quantity=1")]
    )
    def test_a_body_is_printed_as_it_is(self, envsvc: Envsvc, side: str, bytes_: str) -> None:
        """Nothing is added, so that it can go into a file."""
        assert envsvc("cat", "--app", "shop/v1", "2", "--body", side).out == bytes_

    def test_json_has_the_whole_exchange(self, envsvc: Envsvc) -> None:
        """D18."""
        assert envsvc("cat", "--app", "shop/v1", "3", "--json").json["number"] == 3

    def test_several_are_named(self, envsvc: Envsvc) -> None:
        """By what chooses one of them."""
        ran = envsvc("cat", "--app", "shop/v1", "/cart")

        assert ran.code == 2
        assert "E013" in ran.err
        assert "1: GET http://shop.test/cart; 2: POST http://shop.test/cart" in ran.err

    def test_entries_are_listed_with_what_names_them(self, envsvc: Envsvc) -> None:
        """A number, or the beginning of a key."""
        listed = envsvc("ls", "--app", "shop/v1", "--entries", "--json").json["entries"]
        assert isinstance(listed, list)
        key = listed[3]["key"]

        assert envsvc("cat", "--app", "shop/v1", key[:12], "--json").json["number"] == 3
        assert key[:12] in envsvc("ls", "--app", "shop/v1", "--entries").out

    def test_entries_are_of_one_cassette(self, envsvc: Envsvc) -> None:
        """D18: usage."""
        assert envsvc("ls", "--entries").code == 2


def test_a_changed_byte_is_not_taken_over(envsvc: Envsvc, tmp_path: Path) -> None:
    """D2: nothing is sealed anew that was not what had been sealed."""
    body = next((tmp_path / "har/shop/v1/bodies").iterdir())
    body.write_bytes(b"forged")
    ran = envsvc("trim", "--app", "shop/v1", "--drop", "*/cart", "--yes")

    assert ran.code == 2
    assert "E203" in ran.err


def test_a_failure_and_a_socket_can_be_looked_at(envsvc: Envsvc, tmp_path: Path) -> None:
    """Whatever was recorded."""
    shutil.rmtree(tmp_path / "har")
    down = Failure(kind="dns", message="no such host")
    CassetteFiles(tmp_path / "har").write(manifest(), in_order(("GET /", down)))

    assert "failure: dns: no such host" in envsvc("cat", "--app", "shop/v1", "0").out
