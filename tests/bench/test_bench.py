"""The parts of the bench that only compute: reading wrk, ratios, verdicts, generated content."""

import math

import pytest

from tests.bench import content
from tests.bench.figures import Claim, Measurement, Section, Verdict, median, number, ratio
from tests.bench.wrk import BadLoadError, Load, parse_wrk, script_of

_WRK = """\
Running 2s test @ http://127.0.0.1:8080
  1 threads and 16 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   190.22us   99.51us   3.42ms   93.26%
    Req/Sec    81.43k     4.12k   86.98k    80.00%
  Latency Distribution
     50%  179.00us
     75%  211.00us
     90%  251.00us
     99%    1.35ms
  162045 requests in 2.00s, 672.01MB read
Requests/sec:  80996.56
Transfer/sec:    335.89MB
"""


def test_the_load_is_what_wrk_counted() -> None:
    """Requests, time and the 99th percentile come with their units."""
    load = parse_wrk(_WRK)

    assert load == Load(requests=162_045, seconds=2.0, p99_ms=1.35)


def test_requests_per_second_are_over_the_whole_time() -> None:
    """Half a minute of 3,000 requests is 100 a second."""
    load = parse_wrk(_WRK.replace("162045 requests in 2.00s", "3000 requests in 0.50m"))

    assert load.per_second == pytest.approx(100)


@pytest.mark.parametrize(
    "trouble",
    [
        "  Non-2xx or 3xx responses: 7\n",
        "  Socket errors: connect 0, read 3, write 0, timeout 4\n",
    ],
)
def test_a_load_with_failures_is_none(trouble: str) -> None:
    """Failing may be cheaper than answering, so it is never measured."""
    with pytest.raises(BadLoadError, match="7 of 162045 requests failed"):
        parse_wrk(_WRK + trouble)


def test_other_text_is_no_load() -> None:
    """What wrk says instead of a result is in the error."""
    with pytest.raises(BadLoadError, match="unable to connect"):
        parse_wrk("unable to connect to 127.0.0.1:1 Connection refused\n")


def test_a_script_asks_for_each_url() -> None:
    """A script names every path on its host, in order."""
    script = script_of("a.test", ["/1", "/2"])

    assert '{"http://a.test/1", "http://a.test/2"}' in script


def test_a_script_of_new_requests_numbers_them() -> None:
    """No two of its requests have the same bytes."""
    script = script_of("a.test", ["/1"], is_new_each_time=True)

    assert 'wrk.headers["X-Request"] = number' in script


def test_a_ratio_is_ours_over_theirs() -> None:
    """3 over 2 is one and a half times as much."""
    assert ratio(3, 2) == 1.5


def test_a_ratio_over_nothing_is_no_number() -> None:
    """What could not be measured has no ratio."""
    assert math.isnan(ratio(3, 0))


@pytest.mark.parametrize(("values", "middle"), [([3, 1, 2], 2), ([4, 1, 2, 3], 2.5), ([7], 7)])
def test_the_median_is_the_middle(values: list[float], middle: float) -> None:
    """Of an even number it is the mean of the two in the middle."""
    assert median(values) == middle


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (Claim(what="", value=1.5, unit="x", at_most=1.5), Verdict.WITHIN),
        (Claim(what="", value=1.6, unit="x", at_most=1.5), Verdict.OVER),
        (Claim(what="", value=100, unit="MB/s", at_least=100), Verdict.WITHIN),
        (Claim(what="", value=99, unit="MB/s", at_least=100), Verdict.OVER),
        (Claim(what="", value=math.nan, unit="x", at_most=1.5), Verdict.OVER),
        (Claim(what="", value=1, unit="x"), Verdict.NO_BUDGET),
    ],
)
def test_a_verdict_compares_with_the_budget(claim: Claim, verdict: Verdict) -> None:
    """The budget itself is within; what is no number never is."""
    assert claim.verdict is verdict


@pytest.mark.parametrize(
    ("value", "text"),
    [(math.nan, "n/a"), (0.02512, "0.0251"), (6.04, "6.04"), (81432.3, "81,432"), (99.94, "99.9")],
)
def test_numbers_have_three_digits(value: float, text: str) -> None:
    """Large ones are whole."""
    assert number(value) == text


def test_columns_are_those_of_all_rows() -> None:
    """A figure that only one candidate has is a column too."""
    rows = (Measurement("a", {"x": 1.0}), Measurement("b", {"x": 1.0, "y": 2.0}))

    assert Section(title="", measured=rows, claims=()).columns == ["x", "y"]


@pytest.mark.parametrize(
    ("path", "size"), [(content.JSON_PATHS[7], 4096), (content.PAGE_PATH, 100_000)]
)
def test_bodies_have_their_size(path: str, size: int) -> None:
    """Every server serves the same number of bytes."""
    assert len(content.body_of(path)) == size


def test_every_secret_is_planted_ten_times() -> None:
    """What redaction is measured on holds what is looked for."""
    values = content.secret_values(3)

    text = content.text_with(values, 30_000)

    assert [text.count(value.encode()) for value in values] == [10, 10, 10]
    assert len(text) == 30_000
