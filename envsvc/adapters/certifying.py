"""Prove a cassette once more, as it lies there: its match rules or its traffic were changed."""

from pathlib import Path

import msgspec

from envsvc.adapters.browser.driver import OFFLINE_TIMEOUT_MS, PlaywrightBrowser
from envsvc.adapters.cassette_source import find_cassette
from envsvc.adapters.certificates import CertificateAuthority
from envsvc.adapters.http_asker import HttpAsker
from envsvc.adapters.recording import plan_again
from envsvc.adapters.replay_server.thread import ReplayThread
from envsvc.adapters.resend import Resend
from envsvc.adapters.system_clock import SystemClock
from envsvc.adapters.workspace import redactor_of
from envsvc.app.edit_cassette import Edited
from envsvc.app.self_replay import self_replay
from envsvc.cassette.manifest import Manifest


def certify(start: Path, name: str) -> Manifest:
    """Replay the cassette of *name* to its own tours, offline, and write the new certificate.

    A cassette that no tour made is asked for everything that it holds. The manifest changes, so
    the digest does. Raises: what Workspace, CassetteFiles and PlaywrightBrowser raise.
    """
    source = find_cassette(start, name)
    part = source.read()
    plan = plan_again(start, name, part.manifest)
    redactor = redactor_of(plan.task.spec)
    asker = HttpAsker(CertificateAuthority())
    certificate = self_replay(
        plan.task,
        source.store.load(source.app, source.version, redactor),
        replays=ReplayThread(redactor),
        browser=Resend(asker, lambda: part.exchanges)
        if plan.is_attached
        else PlaywrightBrowser(OFFLINE_TIMEOUT_MS),
        clock=SystemClock(),
        redactor=redactor,
    )
    manifest = msgspec.structs.replace(part.manifest, certificate=certificate)
    return source.write(Edited(manifest=manifest, exchanges=part.exchanges))
