"""A workspace on disk: which apps, versions, tours and answer tables it holds (D1)."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from envsvc.adapters.config_file import BadConfigError, read_config
from envsvc.answers.table import AnswerTable
from envsvc.cassette.names import RULE, is_name
from envsvc.errors import EnvsvcError
from envsvc.exchange.redact import Redactor
from envsvc.ports import TourSource
from envsvc.record.app_spec import AppSpec, VersionSpec
from envsvc.record.tour import Tour


class WorkspaceNotFoundError(EnvsvcError):
    """Neither the folder nor one above it is a workspace."""

    code = "E101"


class UnknownAppError(EnvsvcError):
    """No app has this name, or several could be meant."""

    code = "E104"


class UnknownVersionError(EnvsvcError):
    """The app has no version of this name, or several could be meant."""

    code = "E105"


class UnknownTourError(EnvsvcError):
    """The app has no tour of this name, or its file is not there."""

    code = "E106"


_APP_FILE = "app.yaml"


class AppFolder(msgspec.Struct, frozen=True, kw_only=True):
    """An app and the folder that describes it."""

    spec: AppSpec
    folder: Path

    @property
    def path(self) -> Path:
        """Return the file that describes the app."""
        return self.folder / _APP_FILE


class AppVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One version of an app, by name, as ``--app`` chose it."""

    app: AppFolder
    version: str

    @property
    def spec(self) -> AppSpec:
        """Return the description of the app."""
        return self.app.spec

    @property
    def folder(self) -> Path:
        """Return the folder of the app's description."""
        return self.app.folder

    @property
    def version_spec(self) -> VersionSpec:
        """Return how this version runs."""
        return self.spec.versions[self.version]

    def __str__(self) -> str:
        """Return the name that ``--app`` takes, such as ``shop/v1``."""
        return f"{self.spec.app}/{self.version}"


class Workspace:
    """The workspace at ``root``: its folders and what they describe. Reads files, writes none."""

    def __init__(self, root: Path) -> None:
        """Look at the workspace in *root*, which need not hold anything yet."""
        self.root = root
        self.har = root / "har"
        self.images = root / "images"
        self.answer_tables = root / "answer_tables"

    @classmethod
    def find(cls, start: Path) -> "Workspace":
        """Return the workspace that *start* is or lies in. Raises: WorkspaceNotFoundError."""
        start = start.resolve()
        for folder in (start, *start.parents):
            if (folder / "images").is_dir():
                return cls(folder)
        raise WorkspaceNotFoundError(
            "no workspace here or above (a folder that holds images/)",
            where=str(start),
            fix="Change into one, name it with --workspace, or make one: envsvc init",
        )

    def app_names(self) -> list[str]:
        """Return the names of all apps, sorted; [] if there are none."""
        found = self.images.glob(f"*/{_APP_FILE}")
        return sorted(file.parent.name for file in found if is_name(file.parent.name))

    def app(self, name: str | None = None) -> AppFolder:
        """Return the app called *name*, or the only one. Raises: UnknownAppError, BadConfigError.

        Raises BadYamlError too, where its app.yaml is no YAML.
        """
        names = self.app_names()
        if name is None and len(names) == 1:
            name = names[0]
        if name is None or name not in names:
            raise self._unknown_app(f"there is no app {name!r}" if name else "no app is named")
        return self._load_app(name)

    def resolve(self, text: str) -> AppVersion:
        """Return the app version that ``--app`` *text* names: ``shop/v1``, ``v1`` or ``shop``.

        A version alone must be one of exactly one app; an app alone must have only one version.
        Raises: UnknownAppError, UnknownVersionError, BadConfigError, BadYamlError.
        """
        name, slash, version = text.partition("/")
        if slash:
            return _version(self.app(name), version)
        if text in self.app_names():
            return _only_version(self.app(text))
        return self._by_version(text)

    def tour(self, app: AppFolder, name: str | None = None) -> TourSource:
        """Return the tour of *app* called *name*, or its default one. Raises: UnknownTourError."""
        name = app.spec.default_tour if name is None else name
        listed = app.spec.tours.get(name)
        if listed is None:
            raise UnknownTourError(
                f"{app.spec.app} has no tour {name!r}",
                where=str(app.folder / _APP_FILE),
                fix=f"Choose one of: {_list(app.spec.tours)}",
            )
        path = app.folder / listed
        if not path.is_file():
            raise UnknownTourError(
                f"the file of tour {name!r} is not there",
                where=str(path),
                fix=f"Write it, or correct tours.{name} in {_APP_FILE}",
            )
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return TourSource(name=name, path=str(path), sha256=digest)

    def answer_table(self, app: str, version: str) -> AnswerTable | None:
        """Return the answers of an app version; None if there is no table.

        Raises: BadConfigError, also for a table of another app or version; BadYamlError.
        """
        path = self.answer_tables / app / f"{version}.yaml"
        if not path.is_file():
            return None
        table = read_config(path, AnswerTable)
        if (table.app, table.version) != (app, version):
            raise BadConfigError(
                f"this is the table of {table.app}/{table.version}, not of {app}/{version}",
                where=str(path),
                fix="Correct app and version, or move the file",
            )
        return table

    def _load_app(self, name: str) -> AppFolder:
        folder = self.images / name
        path = folder / _APP_FILE
        spec = read_config(path, AppSpec)
        problems = [*_name_problems(spec, name), *spec.problems()]
        if problems:
            raise BadConfigError("; ".join(problems), where=str(path), fix="Correct the file")
        return AppFolder(spec=spec, folder=folder)

    def _by_version(self, version: str) -> AppVersion:
        apps = [self.app(name) for name in self.app_names()]
        having = [app for app in apps if version in app.spec.versions]
        if len(having) == 1:
            return AppVersion(app=having[0], version=version)
        if len(apps) == 1:
            return _version(apps[0], version)
        several = f"several apps have a version {version!r}"
        raise self._unknown_app(several if having else f"no app or version is called {version!r}")

    def _unknown_app(self, problem: str) -> UnknownAppError:
        names = self.app_names()
        fix = f"Choose one of: {_list(names)}" if names else "Describe one first: envsvc init"
        return UnknownAppError(problem, where=str(self.images), fix=fix)


def load_tour(source: TourSource) -> Tour:
    """Return the tour of a YAML file. Raises: BadConfigError, BadYamlError."""
    tour = read_config(Path(source.path), Tour)
    problems = tour.problems()
    if problems:
        raise BadConfigError("; ".join(problems), where=source.path, fix="Correct the tour")
    return tour


def secrets(spec: AppSpec) -> dict[str, str]:
    """Return the values of the app's secrets from the environment; "" where one is not set."""
    return {name: os.environ.get(variable, "") for name, variable in spec.secrets.items()}


def redactor_of(spec: AppSpec, first_number: int = 1) -> Redactor:
    """Return a redactor that knows the app's secrets and rules; see Redactor."""
    return Redactor(secrets(spec), first_number, spec.redact)


def _version(app: AppFolder, version: str) -> AppVersion:
    if version not in app.spec.versions:
        raise _unknown_version(app, f"{app.spec.app} has no version {version!r}")
    return AppVersion(app=app, version=version)


def _only_version(app: AppFolder) -> AppVersion:
    versions = list(app.spec.versions)
    if len(versions) > 1:
        raise _unknown_version(app, f"{app.spec.app} has several versions")
    return AppVersion(app=app, version=versions[0])


def _unknown_version(app: AppFolder, problem: str) -> UnknownVersionError:
    choices = _list(f"{app.spec.app}/{version}" for version in app.spec.versions)
    return UnknownVersionError(
        problem, where=str(app.folder / _APP_FILE), fix=f"Choose one of: {choices}"
    )


def _name_problems(spec: AppSpec, folder: str) -> list[str]:
    found = [] if spec.app == folder else [f"app is {spec.app!r}, its folder is {folder!r}"]
    for kind, names in (("versions", spec.versions), ("tours", spec.tours)):
        found += [f"{kind}.{name}: {RULE}" for name in names if not is_name(name)]
        if len({name.lower() for name in names}) < len(names):
            found.append(f"{kind}: two names differ in case only, which some systems do not tell")
    return found


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
