"""What names a session or signs a URL does not decide; what is asked for does."""

import pytest

from envsvc.cassette.built_in_rules import BUILT_IN_RULES
from envsvc.cassette.rules import Rules
from envsvc.exchange.key import canonical_request
from envsvc.exchange.message import Request


def are_one(one: str, other: str) -> bool:
    """Say whether the built-in rules make one of two URLs of a.test."""
    rules = Rules({}, BUILT_IN_RULES)
    forms = [
        rules.ruled(canonical_request(Request(method="GET", url=f"http://a.test{url}")))
        for url in (one, other)
    ]
    return forms[0] == forms[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/a;jsessionid=1A?lang=en", "/a;jsessionid=2B?lang=en"),
        ("/a;jsessionid=1A/b", "/a/b"),
        ("/a?PHPSESSID=x&q=1", "/a?q=1"),
        ("/a?sid=AAAA1111BBBB2222CCCC3333", "/a?sid=9999000011112222FFFF"),
        (
            "/o?X-Amz-Date=1&X-Amz-Signature=a&X-Amz-Credential=A",
            "/o?X-Amz-Date=2&X-Amz-Signature=b&X-Amz-Credential=B",
        ),
        ("/o?AWSAccessKeyId=A&Expires=1&Signature=a", "/o?AWSAccessKeyId=A&Expires=2&Signature=b"),
        ("/o?X-Goog-Signature=a&X-Goog-Date=1", "/o?X-Goog-Signature=b&X-Goog-Date=2"),
        ("/o?Key-Pair-Id=K&Signature=a&Policy=p", "/o?Key-Pair-Id=K&Signature=b&Policy=q"),
        ("/o?sv=1&se=1&sig=a", "/o?sv=1&se=2&sig=b"),
    ],
)
def test_sessions_and_signatures_do_not_decide(one: str, other: str) -> None:
    """D3: they are made anew for every visitor."""
    assert are_one(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/a;jsessionid=1A?lang=en", "/a;jsessionid=1A?lang=cy"),
        ("/a;v=1", "/a;v=2"),
        ("/a?sid=7", "/a?sid=8"),
        ("/a?sid=AAAA1111BBBB2222CCCC3333", "/a"),
        ("/o/1?X-Amz-Signature=a", "/o/2?X-Amz-Signature=b"),
        ("/o?X-Amz-Signature=a&versionId=1", "/o?X-Amz-Signature=b&versionId=2"),
        ("/o?Expires=1", "/o?Expires=2"),
        ("/o?Signature=a", "/o?Signature=b"),
        ("/o?sig=a", "/o?sig=b"),
        ("/o?sv=1&se=1&sig=a&sp=r", "/o?sv=1&se=1&sig=a&sp=w"),
    ],
)
def test_all_else_does(one: str, other: str) -> None:
    """D3: a word that only looks like one is what it says."""
    assert not are_one(one, other)


@pytest.mark.parametrize("name", sorted(BUILT_IN_RULES))
def test_a_built_in_rule_is_sound(name: str) -> None:
    """As anybody's."""
    assert list(BUILT_IN_RULES[name].problems()) == []
