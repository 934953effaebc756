"""Say when an app is ready: after so many good answers in a row (D15)."""

import msgspec

from envsvc.snapshot.spec import Readiness


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came back: ``status`` 0 if nothing did, and then ``problem`` says why."""

    status: int = 0
    body: bytes = b""
    problem: str = ""

    def __str__(self) -> str:
        """Return the status, or why there is none."""
        return self.problem or str(self.status)


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """How far an app is: ``good`` answers in a row, and what was wrong with the last bad one."""

    rule: Readiness
    good: int = 0
    last_bad: str = "nothing was asked"

    def after(self, answer: Answer) -> "Waiting":
        """Return how far it is after one more *answer*; a bad one begins the count anew."""
        problem = _problem(answer, self.rule)
        if problem:
            return msgspec.structs.replace(self, good=0, last_bad=problem)
        return msgspec.structs.replace(self, good=self.good + 1)

    @property
    def is_ready(self) -> bool:
        """Say whether enough good answers came in a row."""
        return self.good >= self.rule.answers


def _problem(answer: Answer, rule: Readiness) -> str:
    """Return what is wrong with *answer*, "" if it is good."""
    if answer.status != rule.status:
        return str(answer)
    if rule.contains.encode() not in answer.body:
        return f"{answer} without the text {rule.contains!r}"
    return ""
