"""``envsvc certify``: prove a cassette once more."""

import typer

from envsvc.cli import output
from envsvc.cli.options import AppOption, JsonOption, workspace_of


def command(context: typer.Context, app: AppOption, *, as_json: JsonOption = False) -> None:
    """Replay a cassette to its own tours, offline, and renew its certificate.

    For a cassette whose match rules or traffic were changed since it was recorded. It gets a new
    digest. Exit code 0: it is certified. 1: it is not, and what failed is listed.

    \b
    Example:
      envsvc certify --app shop/v1
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.certifying import certify

    with output.progress(f"replaying {app} offline"):
        manifest = certify(workspace_of(context), app)
    certificate = manifest.certificate
    is_clean = certificate is not None and certificate.is_clean
    result: dict[str, object] = {
        "app": f"{manifest.app}/{manifest.version}",
        "certified": is_clean,
        "requests": certificate.requests if certificate else 0,
        "task_misses": certificate.task_misses if certificate else 0,
        "outbound_connections": certificate.outbound_connections if certificate else 0,
        "digest": manifest.digest,
    }
    problems = certificate.problems if certificate else ()
    output.fields({**result, "problems": problems} if as_json else result, as_json=as_json)
    for problem in () if as_json else problems:
        output.note(f"  {output.plain(problem)}")
    raise typer.Exit(0 if is_clean else 1)
