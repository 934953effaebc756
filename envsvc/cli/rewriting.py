"""Write a cassette that a command has changed, if whoever called it wants that, and say so."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from envsvc.cli import output
from envsvc.errors import EnvsvcError

if TYPE_CHECKING:
    from envsvc.adapters.cassette_source import CassetteSource
    from envsvc.app.edit_cassette import Edited


class NotConfirmedError(EnvsvcError):
    """A cassette would be replaced, and nobody said that it may be."""

    code = "E012"


class Consent(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a cassette may be replaced: ``yes``, or only to be looked at first."""

    yes: bool
    dry_run: bool


def rewrite(
    source: "CassetteSource",
    edited: "Edited",
    done: Mapping[str, object],
    consent: Consent,
    *,
    as_json: bool,
) -> None:
    """Put *edited* in the place of *source* and print what was *done*, lists in JSON only.

    Raises: NotConfirmedError without consent, after what would be done was printed.
    """
    is_written = consent.yes and not consent.dry_run
    manifest = source.write(edited) if is_written else edited.manifest
    result: dict[str, object] = {
        **done,
        "ambiguous_keys": len(manifest.ambiguous),
        "certified": manifest.certificate is not None,
        "folder": str(source.folder),
        "written": is_written,
        "digest": manifest.digest if is_written else "",
    }
    plain = {name: value for name, value in result.items() if not isinstance(value, list)}
    output.fields(result if as_json else plain, as_json=as_json)
    if is_written and manifest.certificate is None:
        output.note("[bold]No certificate[/]: the traffic is not what its tours were proven with.")
        output.note(f"To prove it: envsvc certify --app {manifest.app}/{manifest.version}")
    if not is_written and not consent.dry_run:
        raise NotConfirmedError(
            "nothing was written", fix="Give --yes to replace the cassette, or --dry-run to look"
        )
