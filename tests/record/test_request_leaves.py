"""A request falls apart into values and a rest."""

import pytest

from envsvc.exchange.key import canonical_request
from envsvc.exchange.message import Headers, Request
from envsvc.record.request_leaves import Dissected, Kind, Leaf, Value, dissected

JSON: Headers = (("Content-Type", "application/json"),)
FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)
PARTS: Headers = (("Content-Type", "multipart/form-data; boundary=b"),)
ROOT = [Value(Leaf(Kind.PATH_SEGMENT), ""), Value(Leaf(Kind.PATH_SEGMENT), "")]


def taken_apart(url: str, body: str = "", headers: Headers = (), method: str = "GET") -> Dissected:
    """Return a request of a.test taken apart."""
    request = Request(method=method, url=f"http://a.test{url}", headers=headers, body=body.encode())
    found = dissected(canonical_request(request))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("url", "body", "headers", "values"),
    [
        ("/?q=red", "", (), [Value(Leaf(Kind.QUERY, "q"), "red")]),
        ("/?1507495059747", "", (), [Value(Leaf(Kind.BARE_QUERY), "1507495059747")]),
        ("/?flag", "", (), [Value(Leaf(Kind.QUERY, "flag"), "")]),
        ("/;v=1", "", (), [Value(Leaf(Kind.PATH_PARAMETER, "v"), "1")]),
        ("/", "q=red", FORM, [Value(Leaf(Kind.FORM, "q"), "red")]),
        (
            "/",
            '--b\r\nContent-Disposition: form-data; name="q"\r\n\r\nred\r\n--b--\r\n',
            PARTS,
            [Value(Leaf(Kind.FORM, "q"), "red")],
        ),
        (
            "/",
            '{"z":[1,{"a/b":"x"}],"m~":"y"}',
            JSON,
            [
                Value(Leaf(Kind.JSON, "/m~0"), "y"),
                Value(Leaf(Kind.JSON, "/z/*"), "1"),
                Value(Leaf(Kind.JSON, "/z/*/a~1b"), "x"),
            ],
        ),
    ],
)
def test_each_value_stands_at_a_leaf(
    url: str, body: str, headers: Headers, values: list[Value]
) -> None:
    """D3: named as a match rule names it."""
    assert list(taken_apart(url, body, headers).values) == [*ROOT, *values]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (taken_apart("/a?q=1"), taken_apart("/b?q=2")),
        (taken_apart("/", '{"a":1}', JSON), taken_apart("/", '{"a":"x"}', JSON)),
    ],
)
def test_requests_that_differ_in_values_only_have_the_same_places(
    one: Dissected, other: Dissected
) -> None:
    """They can be laid side by side."""
    assert one.places == other.places


@pytest.mark.parametrize(
    "other",
    [
        taken_apart("/a?q=1", method="POST"),
        taken_apart("/a/b?q=1"),
        taken_apart("/a?r=1"),
        taken_apart("/a?q=1&q=2"),
        taken_apart("/a?q=1", "raw"),
    ],
)
def test_other_requests_have_other_places(other: Dissected) -> None:
    """What is no value must be equal."""
    assert taken_apart("/a?q=1").places != other.places


@pytest.mark.parametrize(
    "other", ['{"a":false,"l":[]}', '{"a":null,"l":[]}', '{"a":true,"l":[1]}', '{"a":true,"l":{}}']
)
def test_what_has_no_text_in_json_is_part_of_the_rest(other: str) -> None:
    """true, null and the length of an array are no values made anew."""
    one = taken_apart("/", '{"a":true,"l":[]}', JSON)

    assert one.places != taken_apart("/", other, JSON).places


def test_the_values_that_differ_are_paired() -> None:
    """In order."""
    one, other = taken_apart("/?a=1&b=2"), taken_apart("/?a=1&b=3")

    assert one.differing(other) == [
        (Value(Leaf(Kind.QUERY, "b"), "2"), Value(Leaf(Kind.QUERY, "b"), "3"))
    ]


def test_what_is_no_absolute_url_is_not_taken_apart() -> None:
    """Nothing of it has a name."""
    assert dissected(canonical_request(Request(method="OPTIONS", url="*"))) is None
