"""``envsvc verify``: check every byte of a cassette."""

import typer

from envsvc.cli import output
from envsvc.cli.options import AppOption, JsonOption, workspace_of


def command(context: typer.Context, app: AppOption, *, as_json: JsonOption = False) -> None:
    """Check every byte of a cassette against its digest, and print the digest.

    Exit code 0: the cassette is exactly what was sealed. 2: it is not, and the first file that
    differs is named.

    \b
    Example:
      envsvc verify --app shop/v1
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.cassette_files import CassetteFiles
    from envsvc.adapters.workspace import Workspace, redactor_of

    workspace = Workspace.find(workspace_of(context))
    chosen = workspace.resolve(app)
    redactor = redactor_of(chosen.spec)
    cassette = CassetteFiles(workspace.har).load(chosen.spec.app, chosen.version, redactor)
    manifest = cassette.manifest
    verified = {
        "app": str(chosen),
        "digest": manifest.digest,
        "entries": manifest.entries,
        "body_bytes": manifest.body_bytes,
        "recorded_at": manifest.recorded_at,
        "certified": manifest.certificate is not None and manifest.certificate.is_clean,
    }
    output.fields(verified, as_json=as_json)
