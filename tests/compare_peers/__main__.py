"""Count the steps of real tours that pass with the app stopped: ``python -m tests.compare_peers``.

Each candidate records both versions of each app live and replays them, all in this one run.
Prints a Markdown table; single runs, so one step of difference is noise.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tests.apps.node import NodeMissingError, ensure_node
from tests.apps.workspace import APPS, ENVIRONMENT, FULL, App, make_workspace
from tests.compare_peers.candidates import CANDIDATES, Candidate, Place, RecordingFailedError
from tests.compare_peers.scores import Score, markdown

_OTHER_TOURS = {"datasette": ("other-way",)}


def main(words: Sequence[str]) -> int:
    """Compare on the apps that are named, or on all; return 1 if a candidate could not record."""
    names = [app.name for app in APPS]
    parser = argparse.ArgumentParser(prog="python -m tests.compare_peers", description=__doc__)
    parser.add_argument("--apps", default=",".join(names), help="which, separated by commas")
    parser.add_argument("--json", action="store_true", help="print every score with what failed")
    chosen = parser.parse_args(words)
    wanted = chosen.apps.split(",")
    if unknown := set(wanted) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; choose of {', '.join(names)}")
    apps = [app for app in APPS if app.name in wanted]
    try:
        if any(app.needs_node for app in apps):
            ensure_node()
    except NodeMissingError as error:
        sys.stderr.write(f"{error}\n")
        return 3
    scores = compare(apps)
    _print(scores, as_json=chosen.json)
    return int(len(scores) < _expected(apps))


def compare(apps: Sequence[App]) -> list[Score]:
    """Return the scores of every candidate on every tour of *apps*, both versions of each."""
    os.environ.update(ENVIRONMENT)
    with tempfile.TemporaryDirectory(prefix="compare-peers-") as folder:
        workspace = make_workspace(Path(folder) / "workspace")
        return [
            score
            for app in apps
            for number, name in enumerate(app.version_names)
            for score in _scores(app, name, workspace, Path(folder) / f"{app.name}-{number}")
        ]


def _scores(app: App, name: str, workspace: Path, folder: Path) -> list[Score]:
    folder.mkdir()
    place = Place(workspace=workspace, app=name, folder=folder)
    return [score for candidate in CANDIDATES for score in _of_candidate(candidate, app, place)]


def _of_candidate(candidate: Candidate, app: App, place: Place) -> list[Score]:
    sys.stderr.write(f"{place.app}: {candidate.name}\n")
    try:
        candidate.record(place)
    except RecordingFailedError as error:  # the others can still be compared
        sys.stderr.write(f"{error}\n")
        return []
    version = place.app.partition("/")[2]
    return [
        Score.of(candidate.name, app.name, version, tour, candidate.replay(place, tour))
        for tour in _tours(app)
    ]


def _tours(app: App) -> tuple[str, ...]:
    return (FULL, *_OTHER_TOURS.get(app.name, ()))


def _expected(apps: Sequence[App]) -> int:
    """Return how many scores there are if every candidate can record every app."""
    return sum(len(app.versions) * len(_tours(app)) for app in apps) * len(CANDIDATES)


def _print(scores: Sequence[Score], *, as_json: bool) -> None:
    if as_json:
        sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(scores), indent=1) + b"\n")
    else:
        sys.stdout.write(markdown(scores, [candidate.name for candidate in CANDIDATES]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
