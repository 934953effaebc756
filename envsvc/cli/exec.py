"""``envsvc exec``: run an agent's command against a cassette."""

import secrets
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from envsvc.cli.options import (
    AllowEmptyOption,
    AmbiguityOption,
    AppOption,
    ClockOption,
    JsonOption,
    PaceOption,
    workspace_of,
)
from envsvc.cli.session_text import print_miss, print_report
from envsvc.playback.outcome import AmbiguityPolicy, MissPolicy
from envsvc.playback.pace import AS_RECORDED
from envsvc.playback.virtual_clock import ClockMode


def command(  # noqa: PLR0913, PLR0917  (one parameter per option)
    context: typer.Context,
    app: AppOption,
    words: Annotated[list[str], typer.Argument(metavar="CMD...", help="The command to run.")],
    policy: Annotated[
        MissPolicy, typer.Option(help="What a request that was not recorded does.")
    ] = MissPolicy.STRICT,
    ambiguity: AmbiguityOption = AmbiguityPolicy.SERVE,
    clock: ClockOption = ClockMode.FROZEN,
    pace: PaceOption = AS_RECORDED,
    session: Annotated[str, typer.Option(help="Name of the session; made up if empty.")] = "",
    report: Annotated[
        Path | None, typer.Option(help="Write the session report to this file as JSON.")
    ] = None,
    *,
    sealed: Annotated[
        bool, typer.Option("--sealed", help="Take every other way out away (Linux, root).")
    ] = False,
    allow_empty: AllowEmptyOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run CMD with its web traffic answered from a cassette.

    Proxy and certificate variables are set for browsers, Python, Node, curl and Java. At the
    first request that was never recorded CMD is ended and the exit code is 4; else it is CMD's.

    \b
    Example:
      envsvc exec --app shop/v1 -- python my_agent.py
      envsvc exec --app shop/v1 --sealed --policy error -- curl http://shop.test/catalogue
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.agent_process import AgentProcess
    from envsvc.adapters.certificates import CertificateAuthority
    from envsvc.adapters.client_env import client_environment
    from envsvc.adapters.network_namespace import sealed_network
    from envsvc.adapters.replay_server.server import ServeOptions
    from envsvc.adapters.replay_server.thread import ReplayThread
    from envsvc.adapters.replay_setup import load_app
    from envsvc.app.exec_agent import Agent, run_episode

    name = session or f"exec-{secrets.token_hex(4)}"
    loaded = load_app(workspace_of(context), app, allow_empty=allow_empty)
    with ExitStack() as stack:
        options = ServeOptions(
            policy=_without_live(policy), ambiguity=ambiguity, clock=clock, pace=pace
        )
        running = stack.enter_context(ReplayThread(loaded.redactor, options).serve(loaded.cassette))
        network = stack.enter_context(sealed_network()) if sealed else None
        proxy_url = running.open_session(name, policy, network.listening if network else None)

        def start() -> Agent:
            environment = client_environment(proxy_url, name, CertificateAuthority())
            return AgentProcess(words, environment, network.enter if network else None)

        episode = run_episode(
            start,
            running.on_unreplayable,
            lambda: running.report(name),
            print_miss,
        )
    if report is not None:
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_bytes(msgspec.json.format(msgspec.json.encode(episode.report), indent=2))
    print_report(episode.report, as_json=as_json)
    raise typer.Exit(episode.exit_code)


def _without_live(policy: MissPolicy) -> MissPolicy:
    if policy is MissPolicy.LIVE:
        raise typer.BadParameter("exec answers from the cassette only; see `envsvc serve --help`")
    return policy
