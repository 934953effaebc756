"""A tour: the scripted visit of an app that a recording follows, as YAML says it."""

import msgspec


class _Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of a tour; unknown fields are refused."""


class Fill(_Action, frozen=True):
    """Type ``value`` into the field at ``selector``."""

    selector: str
    value: str


class Select(_Action, frozen=True):
    """Choose the option ``value`` at ``selector``."""

    selector: str
    value: str


class Press(_Action, frozen=True):
    """Press ``key`` (Playwright's names) with the focus at ``selector``."""

    selector: str
    key: str


class Upload(_Action, frozen=True):
    """Choose a file called ``name`` with the text ``content`` at the file field ``selector``."""

    selector: str
    name: str
    content: str


class Explore(_Action, frozen=True):
    """Follow the links of the app's own host from ``start``, breadth first."""

    start: str = "/"
    max_pages: int = 20


class Step(_Action, frozen=True):
    """One step: exactly one action, and a name for reports (else the action names it).

    ``goto`` takes a path on the virtual host or an absolute URL; ``click`` and ``wait`` a
    selector; ``see`` a text that must become visible; ``idle`` milliseconds after the network
    is quiet; ``evaluate`` JavaScript whose (awaited) value must be true.
    """

    name: str = ""
    goto: str | None = None
    click: str | None = None
    fill: Fill | None = None
    select: Select | None = None
    press: Press | None = None
    upload: Upload | None = None
    see: str | None = None
    wait: str | None = None
    idle: int | None = None
    evaluate: str | None = None
    explore: Explore | None = None

    @property
    def actions(self) -> list[str]:
        """Return the names of the actions that are set."""
        return [name for name in ACTIONS if getattr(self, name) is not None]

    @property
    def label(self) -> str:
        """Return the step's name, or one made from its action."""
        if self.name:
            return self.name
        action = self.actions[0]
        value = getattr(self, action)
        detail = value.start if isinstance(value, Explore) else getattr(value, "selector", value)
        return f"{action} {detail}"[:_MAX_LABEL]


_MAX_LABEL = 80  # a table in a terminal stays readable
ACTIONS = tuple(field for field in Step.__struct_fields__ if field != "name")


class Tour(_Action, frozen=True):
    """A named list of steps."""

    name: str
    steps: tuple[Step, ...]
    description: str = ""

    def problems(self) -> list[str]:
        """Return what is wrong beyond types, each as one sentence; [] if nothing is."""
        found = [] if self.steps else ["steps is empty"]
        for number, step in enumerate(self.steps, 1):
            if len(step.actions) != 1:
                named = ", ".join(step.actions) or "none"
                found.append(f"step {number} needs exactly one action, it has: {named}")
        return found
