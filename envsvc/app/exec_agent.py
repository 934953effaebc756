"""Run an agent against a cassette: start its session, run it, stop it on a strict miss."""

import threading
from collections.abc import Callable
from typing import Protocol

import msgspec

from envsvc.playback.session import MissRecord, SessionReport, Verdict

UNREPLAYABLE_EXIT_CODE = 4


class Agent(Protocol):
    """A running agent."""

    def wait(self) -> int:
        """Return its exit code when it has ended."""
        ...

    def end(self) -> None:
        """End it and everything it started."""
        ...


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    """How an episode ended. ``exit_code`` is the agent's, or 4 if a strict miss ended it."""

    exit_code: int
    agent_exit_code: int
    report: SessionReport


def run_episode(
    start: Callable[[], Agent],
    on_unreplayable: Callable[[Callable[[MissRecord], None]], None],
    report: Callable[[], SessionReport],
    on_miss: Callable[[MissRecord], None],
) -> Episode:
    """Run an agent to its end, or end it at the first strict miss (D6, S0-10).

    ``on_unreplayable`` registers what to call when that happens, ``on_miss`` hears of it.
    """
    missed = threading.Event()
    agents: list[Agent] = []
    enders: list[threading.Thread] = []

    def stop(miss: MissRecord) -> None:
        if missed.is_set():
            return
        missed.set()
        on_miss(miss)
        for agent in agents:
            # Not in this thread: it serves the agent, which may wait for its answer.
            enders.append(threading.Thread(target=agent.end, name="envsvc-end-agent"))
            enders[-1].start()

    on_unreplayable(stop)
    agent = start()
    agents.append(agent)
    if missed.is_set():
        agent.end()
    try:
        code = agent.wait()
    finally:
        agent.end()
    for ender in enders:
        ender.join()
    account = report()
    unreplayable = account.verdict is Verdict.UNREPLAYABLE
    return Episode(
        exit_code=UNREPLAYABLE_EXIT_CODE if unreplayable else code,
        agent_exit_code=code,
        report=account,
    )
