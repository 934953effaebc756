"""Clients of a replay server under test, and what most tests ask for."""

import ssl

import httpx

from envsvc.adapters.replay_server.server import ServeOptions
from envsvc.adapters.replay_server.thread import RunningReplay
from envsvc.playback.outcome import MissPolicy
from tests.replay_server.cassettes import page, recorded

HOME = recorded("http://shop.test/", page(b"<h1>home</h1>"))
ERROR = ServeOptions(policy=MissPolicy.ERROR)


def client(replay: RunningReplay, proxy: str = "") -> httpx.Client:
    """Return a client that trusts the replay's authority."""
    context = ssl.create_default_context(cafile=str(replay.ca_certificate))
    return httpx.Client(proxy=proxy or replay.proxy_url, verify=context, trust_env=False)
