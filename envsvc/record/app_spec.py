"""The description of an app under evaluation: everything that ``app.yaml`` says (D1)."""

from typing import Literal

import msgspec

from envsvc.cassette.rules import MatchRule
from envsvc.exchange.secret_names import RedactionRules
from envsvc.snapshot.spec import Readiness, SnapshotSpec


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of app.yaml; unknown fields are refused."""


class VersionSpec(_Part, frozen=True, kw_only=True):
    """How one version runs: a local command with {port}, or a live URL; and its image folder.

    ``setup`` runs once before ``command`` for a fresh state. Both know {port}, {python},
    {app_dir} (the folder of app.yaml), {version} and {host} (the virtual host).
    """

    command: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    url: str = ""
    build: str = ""


class BrowserSpec(_Part, frozen=True, kw_only=True):
    """What the recording browser tells the pages about itself; viewport in CSS pixels."""

    locale: str = "en-US"
    timezone: str = "UTC"
    viewport: tuple[int, int] = (1280, 900)


class AppSpec(_Part, frozen=True, kw_only=True):
    """An app with its versions, tours, hosts, secrets, noise and browser settings.

    ``secrets`` maps a name to the environment variable that holds its value. ``noise`` holds
    patterns of host and path, such as ``stats.example/*``. ``intended_statuses`` are error
    statuses that the app gives on purpose. ``repeat`` maps patterns of host and path to
    ``advance`` where a job evolves by itself: each ask brings its next answer (D4).
    ``match_rules`` say by name what clients make anew each time and does not count (D3).
    ``snapshot`` says how copies of a snapshot are asked (D15).
    ``redact`` says which credentials to take out beyond the default rules (D9).
    """

    app: str
    virtual_host: str
    versions: dict[str, VersionSpec]
    default_tour: str
    tours: dict[str, str]
    task_hosts: tuple[str, ...] = ()
    ready: Readiness = Readiness()
    secrets: dict[str, str] = {}
    noise: tuple[str, ...] = ()
    intended_statuses: tuple[int, ...] = ()
    repeat: dict[str, Literal["advance"]] = {}
    match_rules: dict[str, MatchRule] = {}
    redact: RedactionRules = RedactionRules()
    snapshot: SnapshotSpec = SnapshotSpec()
    browser: BrowserSpec = BrowserSpec()

    def problems(self) -> list[str]:
        """Return what is wrong beyond types, each as one sentence; [] if nothing is."""
        found = []
        if self.default_tour not in self.tours:
            found.append(f"default_tour names {self.default_tour!r}, which is not under tours")
        if not self.versions:
            found.append("versions is empty")
        for name, version in self.versions.items():
            if bool(version.command) == bool(version.url):
                found.append(f"versions.{name} needs exactly one of command and url")
        for name, rule in self.match_rules.items():
            found += [f"match_rules.{name}: {problem}" for problem in rule.problems()]
        found += [f"redact.{problem}" for problem in self.redact.problems()]
        if self.ready.answers < 1:
            found.append("ready.answers must be at least 1")
        return found

    @property
    def all_task_hosts(self) -> frozenset[str]:
        """Return the hosts whose misses count against the episode, in lower case."""
        return frozenset(host.lower() for host in (self.virtual_host, *self.task_hosts))
