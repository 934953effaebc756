"""Ask an app that runs whether it is ready, and what it shows."""

import hashlib
import time
from collections.abc import Callable, Iterable

import httpx

from envsvc.snapshot.readiness import Answer, Waiting
from envsvc.snapshot.spec import Readiness

_POLL_S = 0.05
_ANSWER_TIMEOUT_S = 5.0  # a first page that compiles its templates may take seconds


class HttpPages:
    """ports.Pages over HTTP."""

    def wait(
        self, base_url: str, host: str, rule: Readiness, check_alive: Callable[[], None]
    ) -> Waiting:
        """See ports.Pages."""
        deadline = time.monotonic() + rule.timeout_s
        waiting = Waiting(rule=rule)
        while True:
            check_alive()
            answer = _ask(base_url + rule.path, host)
            check_alive()  # what answered may be another program on the port of one that died
            waiting = waiting.after(answer)
            if waiting.is_ready or time.monotonic() > deadline:
                return waiting
            time.sleep(_POLL_S)

    def state(self, base_url: str, host: str, paths: Iterable[str]) -> dict[str, str]:
        """See ports.Pages."""
        answers = {path: _ask(base_url + path, host) for path in paths}
        return {path: _told(answer) for path, answer in answers.items()}


def _told(answer: Answer) -> str:
    return f"{answer} sha256:{hashlib.sha256(answer.body).hexdigest()}"


def _ask(url: str, host: str) -> Answer:
    headers = {"Host": host} if host else {}
    try:
        # The proxy of this shell, if it has one, leads elsewhere.
        got = httpx.get(url, headers=headers, timeout=_ANSWER_TIMEOUT_S, trust_env=False)
    except httpx.HTTPError as error:
        return Answer(problem=str(error) or type(error).__name__)
    return Answer(status=got.status_code, body=got.content)
