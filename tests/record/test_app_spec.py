"""app.yaml says everything about an app, and nothing that is not understood."""

import msgspec
import pytest

from envsvc.cassette.rules import MatchRule
from envsvc.record.app_spec import AppSpec, BrowserSpec, VersionSpec
from envsvc.snapshot.spec import Readiness

SPEC = AppSpec(
    app="shop",
    virtual_host="Shop.test",
    versions={"v1": VersionSpec(command=("serve", "{port}"))},
    default_tour="full",
    tours={"full": "tours/full.yaml"},
    task_hosts=("API.shop.test",),
)


def test_a_sound_description_has_no_problems() -> None:
    """D1: one command or one address for each version, and a tour to follow."""
    assert SPEC.problems() == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"default_tour": "short"}, "default_tour names 'short', which is not under tours"),
        ({"versions": {}}, "versions is empty"),
        (
            {"versions": {"v1": VersionSpec()}},
            "versions.v1 needs exactly one of command and url",
        ),
        (
            {"versions": {"v1": VersionSpec(command=("x",), url="http://live.test")}},
            "versions.v1 needs exactly one of command and url",
        ),
        ({"ready": Readiness(answers=0)}, "ready.answers must be at least 1"),
        (
            {"match_rules": {"xml": MatchRule(ignore_xml_order=("s",))}},
            "match_rules.xml: ignore_xml_order needs a where: it is only true of single endpoints",
        ),
    ],
)
def test_a_problem_is_one_sentence(change: dict[str, object], problem: str) -> None:
    """What is wrong is said by the name of its field."""
    assert msgspec.structs.replace(SPEC, **change).problems() == [problem]


def test_all_problems_are_told_at_once() -> None:
    """Nobody wants to find them one run at a time."""
    broken = msgspec.structs.replace(SPEC, versions={}, tours={})

    assert len(broken.problems()) == 2


def test_the_virtual_host_is_a_task_host() -> None:
    """D6: a miss there counts against the task; hosts are lower case."""
    assert SPEC.all_task_hosts == {"shop.test", "api.shop.test"}


def test_what_is_left_out_has_a_default() -> None:
    """D1: the shortest app.yaml names the app, where it lives, how it runs and what to visit."""
    assert SPEC.ready == Readiness(path="/", status=200, timeout_s=30.0)
    assert SPEC.browser == BrowserSpec(locale="en-US", timezone="UTC", viewport=(1280, 900))


@pytest.mark.parametrize(
    "text",
    [
        '{"app":"shop"}',
        '{"app":"shop","virtual_host":"h","versions":{},"default_tour":"t","tours":{},"nosie":[]}',
        '{"app":1,"virtual_host":"h","versions":{},"default_tour":"t","tours":{}}',
        '{"app":"a","virtual_host":"h","versions":{"v":{"cmd":[]}},"default_tour":"t","tours":{}}',
    ],
)
def test_what_is_missing_misspelt_or_of_another_type_is_refused(text: str) -> None:
    """S0-05: a misspelt field is not passed over."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=AppSpec)
