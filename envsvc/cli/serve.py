"""``envsvc serve``: run the replay server until it is stopped."""

import signal
import threading
from typing import Annotated

import typer

from envsvc.cli import output
from envsvc.cli.options import (
    AllowEmptyOption,
    AmbiguityOption,
    AppOption,
    ClockOption,
    JsonOption,
    PaceOption,
    workspace_of,
)
from envsvc.cli.session_text import note_bypassed_hosts, print_report
from envsvc.errors import EnvsvcError
from envsvc.playback.outcome import AmbiguityPolicy, MissPolicy
from envsvc.playback.pace import AS_RECORDED
from envsvc.playback.virtual_clock import ClockMode


class LiveOriginMissingError(EnvsvcError):
    """The live policy was chosen without saying where the live app is."""

    code = "E405"


def command(  # noqa: PLR0913, PLR0917  (one parameter per option)
    context: typer.Context,
    app: AppOption,
    policy: Annotated[
        MissPolicy, typer.Option(help="What a request that was not recorded does.")
    ] = MissPolicy.STRICT,
    ambiguity: AmbiguityOption = AmbiguityPolicy.SERVE,
    clock: ClockOption = ClockMode.FROZEN,
    pace: PaceOption = AS_RECORDED,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of the proxy; 0 is any free one.")] = 8080,
    admin_port: Annotated[int, typer.Option(help="Port of health, sessions, metrics.")] = 8081,
    token: Annotated[
        str, typer.Option(envvar="ENVSVC_TOKEN", help="Proxy password that clients must send.")
    ] = "",
    live: Annotated[str, typer.Option(help="Where the live app listens, for --policy live.")] = "",
    live_version: Annotated[
        str, typer.Option(help="Which version the live app is; noted in the report.")
    ] = "",
    *,
    allow_empty: AllowEmptyOption = False,
    as_json: JsonOption = False,
) -> None:
    """Serve a cassette to agents that use the proxy, until Ctrl-C.

    \b
    Example:
      envsvc serve --app shop/v1 --port 8080
      curl --proxy http://episode-1:x@127.0.0.1:8080 http://shop.test/
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.replay_server.live import LiveApp
    from envsvc.adapters.replay_server.server import ServeOptions
    from envsvc.adapters.replay_server.thread import ReplayThread
    from envsvc.adapters.replay_setup import load_app

    loaded = load_app(workspace_of(context), app, allow_empty=allow_empty)
    spec, version = loaded.app_version.spec, loaded.app_version.version
    live_app = None
    if policy is MissPolicy.LIVE:
        origin = live or spec.versions[version].url
        if not origin:
            raise LiveOriginMissingError(
                "--policy live needs to know where the live app is",
                where=f"{spec.app}/{version}",
                fix="Start the app and give its address with --live http://127.0.0.1:PORT",
            )
        live_app = LiveApp(spec.virtual_host, origin, live_version or version)
    options = ServeOptions(
        host=host,
        port=port,
        admin_port=admin_port,
        policy=policy,
        ambiguity=ambiguity,
        clock=clock,
        pace=pace,
        token=token,
        live=live_app,
    )
    with ReplayThread(loaded.redactor, options).serve(loaded.cassette) as running:
        started = {
            "app": f"{spec.app}/{version}",
            "proxy": running.proxy_url,
            "admin": running.admin_url,
            "policy": policy.value,
            "ca": str(running.ca_certificate),
            "digest": loaded.cassette.manifest.digest,
        }
        note_bypassed_hosts()
        output.fields(started, as_json=as_json)
        _wait_for_signal()
        reports = [running.report(name) for name in running.sessions()]
    for report in reports:
        print_report(report, as_json=as_json)


def _wait_for_signal() -> None:
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    stop.wait()
