"""Follow a tour through the proxy in $ENVSVC_PROXY, as an agent would: exit 1 if a step fails.

usage: python -m tests.apps.follow_tour WORKSPACE APP/VERSION TOUR
"""

import os
import sys
from pathlib import Path

from envsvc.adapters.browser.driver import PlaywrightBrowser
from envsvc.adapters.workspace import Workspace
from envsvc.ports import StepResult


def main(workspace: str, app: str, tour: str) -> int:
    """Follow the tour and say how each step went."""
    found = Workspace.find(Path(workspace))
    version = found.resolve(app)
    results = PlaywrightBrowser().tour(
        found.tour(version.app, tour),
        spec=version.spec,
        version=version.version,
        proxy_url=os.environ["ENVSVC_PROXY"],
        on_step=_say,
    )
    return int(any(step.problem for step in results) or not results)


def _say(step: StepResult) -> None:
    sys.stdout.write(f"{step.number} {step.label}: {step.problem or 'passed'}\n")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
