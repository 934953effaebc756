"""Prove a sealed cassette: its own tours must run offline against it (D8)."""

from collections.abc import Iterable
from itertools import islice

from envsvc.app.record_app import Task
from envsvc.cassette.entry import timestamp
from envsvc.cassette.manifest import AmbiguousKey, Certificate
from envsvc.exchange.redact import Redactor
from envsvc.playback.outcome import MissClass, MissPolicy, Outcome
from envsvc.playback.session import MissRecord, SessionReport
from envsvc.ports import Browser, Cassette, Clock, ReplayRuntime, StepResult

SESSION = "self-replay"
_SHOWN = 20  # a manifest is read by people; the counts are always complete


def self_replay(
    task: Task,
    cassette: Cassette,
    *,
    replays: ReplayRuntime,
    browser: Browser,
    clock: Clock,
    redactor: Redactor,
) -> Certificate:
    """Follow the tours of *task* against *cassette*, the app stopped, and certify how it went.

    Problems are failed steps and what was missed, without what *redactor* knows as secret; where a
    step failed, the keys with several recorded answers are named as well, since one of them may
    have been the wrong one.
    """
    results: list[StepResult] = []
    with replays.serve(cassette) as service:
        proxy_url = service.open_session(SESSION, MissPolicy.ERROR)
        for tour in task.tours:
            results += browser.tour(
                tour,
                spec=task.spec,
                version=task.version,
                proxy_url=proxy_url,
                on_step=lambda _: None,
            )
        report = service.report(SESSION)
    return Certificate(
        replayed_at=timestamp(clock.now_us()),
        requests=report.requests,
        task_misses=report.count(Outcome.MISS_TASK) + report.count(Outcome.MISS_STATE_UNKNOWN),
        outbound_connections=report.outbound_connections,
        problems=tuple(
            redactor.text(problem)
            for problem in _problems(results, report, cassette.manifest.ambiguous)
        ),
    )


def _problems(
    results: Iterable[StepResult], report: SessionReport, ambiguous: Iterable[AmbiguousKey]
) -> Iterable[str]:
    failed = [result for result in results if result.problem]
    for result in failed:
        yield f"step {result.number} ({result.label}): {result.problem}"
    task_misses = (miss for miss in report.misses if miss.miss_class in _TASK)
    yield from map(_missed, islice(task_misses, _SHOWN))
    if failed:
        yield from map(_several, islice(ambiguous, _SHOWN))


_TASK = frozenset({MissClass.TASK, MissClass.STATE_UNKNOWN})


def _missed(miss: MissRecord) -> str:
    times = f", {miss.count} times" if miss.count > 1 else ""
    return f"not recorded: {miss.method} {miss.url}{times}"


def _several(key: AmbiguousKey) -> str:
    return f"{key.answers} different answers: {key.method} {key.url}"
