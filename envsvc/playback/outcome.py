"""How a request ended: exactly one of these, and their sum is the number of requests (D7)."""

from enum import StrEnum


class MissClass(StrEnum):
    """Who asked for what was not recorded (D6)."""

    TASK = "task"
    THIRD_PARTY = "third_party"
    NOISE = "noise"
    STATE_UNKNOWN = "state_unknown"


class Outcome(StrEnum):
    """By which rule a request was answered, or that it was not."""

    EXACT = "exact"
    CANONICAL = "canonical"
    RULE = "rule"
    STATE = "state"
    CREDENTIALS = "credentials"
    NEGOTIATED = "negotiated"
    AMBIGUOUS = "ambiguous"
    DERIVED = "derived"
    SYNTHESIZED = "synthesized"
    FAILURE = "failure"
    LIVE = "live"
    MISS_TASK = "miss_task"
    MISS_THIRD_PARTY = "miss_third_party"
    MISS_NOISE = "miss_noise"
    MISS_STATE_UNKNOWN = "miss_state_unknown"


MISS_OUTCOMES = {
    MissClass.TASK: Outcome.MISS_TASK,
    MissClass.THIRD_PARTY: Outcome.MISS_THIRD_PARTY,
    MissClass.NOISE: Outcome.MISS_NOISE,
    MissClass.STATE_UNKNOWN: Outcome.MISS_STATE_UNKNOWN,
}


class MissPolicy(StrEnum):
    """What happens to an episode when something was not recorded (D6)."""

    STRICT = "strict"
    ERROR = "error"
    LIVE = "live"


class AmbiguityPolicy(StrEnum):
    """What happens when nothing tells the recorded answers of a request apart (D4)."""

    SERVE = "serve"
    REFUSE = "refuse"
