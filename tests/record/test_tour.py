"""A tour is a list of steps with one action each."""

import msgspec
import pytest

from envsvc.record.tour import Explore, Fill, Press, Select, Step, Tour, Upload


def test_a_sound_tour_has_no_problems() -> None:
    """One action per step."""
    assert Tour(name="t", steps=(Step(goto="/"), Step(click="#buy"))).problems() == []


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ((), "steps is empty"),
        ((Step(name="nothing"),), "step 1 needs exactly one action, it has: none"),
        (
            (Step(goto="/"), Step(goto="/", see="Cart")),
            "step 2 needs exactly one action, it has: goto, see",
        ),
    ],
)
def test_a_problem_names_its_step(steps: tuple[Step, ...], problem: str) -> None:
    """Steps are counted from 1."""
    assert Tour(name="t", steps=steps).problems() == [problem]


@pytest.mark.parametrize(
    ("step", "label"),
    [
        (Step(name="open the cart", goto="/cart"), "open the cart"),
        (Step(goto="/cart"), "goto /cart"),
        (Step(fill=Fill(selector="#q", value="s3cret-word")), "fill #q"),
        (Step(select=Select(selector="#size", value="XL")), "select #size"),
        (Step(press=Press(selector="#q", key="Enter")), "press #q"),
        (Step(upload=Upload(selector="#f", name="a.txt", content="x")), "upload #f"),
        (Step(explore=Explore(start="/docs")), "explore /docs"),
        (Step(idle=500), "idle 500"),
        (Step(evaluate="1" * 200), "evaluate " + "1" * 71),
    ],
)
def test_a_step_has_a_short_label(step: Step, label: str) -> None:
    """Its name, or its action and where; never what is typed, which may be a password."""
    assert step.label == label


@pytest.mark.parametrize(
    "text",
    [
        '{"steps":[]}',
        '{"name":"t","steps":[{"goto":"/","clik":"#x"}]}',
        '{"name":"t","steps":[{"fill":{"selector":"#q"}}]}',
        '{"name":"t","steps":[{"idle":"500"}]}',
    ],
)
def test_what_is_missing_misspelt_or_of_another_type_is_refused(text: str) -> None:
    """S0-05: a misspelt action is not passed over."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Tour)
