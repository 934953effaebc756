"""Run the recording proxy in a thread with an event loop of its own."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, cast

from mitmproxy.addons import core, disable_h2c, next_layer, proxyserver, tlsconfig
from mitmproxy.master import Master
from mitmproxy.options import Options

from envsvc.adapters.certificates import CertificateAuthority
from envsvc.adapters.mitm.addon import RecordingAddon
from envsvc.adapters.mitm.route import Route
from envsvc.adapters.replay_server.server import listening_socket
from envsvc.app.record_app import Place, Recorder, Sink
from envsvc.ports import Address
from envsvc.record.app_spec import AppSpec

_LOOPBACK = "127.0.0.1"


class MitmRecorders:
    """record_app.RecorderRuntime: one mitmproxy for each recording."""

    def __init__(self, authority: CertificateAuthority, port: int = 0) -> None:
        """Sign as *authority*; listen on *port* of the loopback, 0 for any free one."""
        self._authority = authority
        self._port = port

    @contextmanager
    def start(self, spec: AppSpec, address: Address, sink: Sink) -> Iterator[Recorder]:
        """Record until left, then hand over what is still open. Raises: PortTakenError."""
        if self._port:
            listening_socket(_LOOPBACK, self._port).close()
        route = Route(spec.virtual_host, address)
        addon = RecordingAddon(route, frozenset(spec.intended_statuses), sink)
        thread = _ProxyThread(addon, self._authority, self._port)
        try:
            yield thread
        finally:
            thread.stop()
        thread.check()


class _ProxyThread:
    """A mitmproxy that runs; see record_app.Recorder."""

    def __init__(self, addon: RecordingAddon, authority: CertificateAuthority, port: int) -> None:
        """Start, and wait until it listens."""
        self._addon = addon
        self._folder = str(authority.folder)
        self._port = port
        self._running: Future[tuple[Master, int]] = Future()
        self._thread = threading.Thread(target=self._main, name="recorder", daemon=True)
        self._thread.start()
        self._master, bound = self._running.result()
        self.proxy_url = f"http://{_LOOPBACK}:{bound}"

    def set_place(self, place: Place) -> None:
        """Say where the recording stands from now on."""
        self._addon.place = place

    def check(self) -> None:
        """Raise what went wrong in the recorder's own thread, if anything did."""
        if self._addon.problem is not None:
            raise self._addon.problem

    def stop(self) -> None:
        """Stop and wait until the thread has ended."""
        self._master.shutdown()  # type: ignore[no-untyped-call]
        self._thread.join()

    def _main(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as problem:  # noqa: BLE001 - carried to the thread that waits
            self._addon.problem = self._addon.problem or problem
            if not self._running.done():
                self._running.set_exception(problem)

    async def _serve(self) -> None:
        logging.getLogger("mitmproxy").setLevel(logging.CRITICAL)
        server: Any = proxyserver.Proxyserver()  # type: ignore[no-untyped-call]
        await self._master_with(server).run()
        await server.servers.update([])  # the master leaves its port open

    def _master_with(self, server: Any) -> Master:  # noqa: ANN401 - untyped in mitmproxy
        # Only what proxying needs: the default addons also answer http://mitm.it, keep flows for
        # a user interface, and so on. Lazy and without the upstream certificate, as replay is.
        options = Options(
            listen_host=_LOOPBACK,
            listen_port=self._port,
            confdir=self._folder,
            http2=False,
            upstream_cert=False,
        )
        master: Any = Master(options)  # large parts of it are untyped
        master.addons.add(
            core.Core(),
            disable_h2c.DisableH2C(),
            server,
            next_layer.NextLayer(),
            tlsconfig.TlsConfig(),
            self._addon,
            _Announcement(lambda: self._running.set_result((master, _port_of(server)))),
        )
        master.options.update(connection_strategy="lazy")
        return cast("Master", master)


class _Announcement:
    """An addon that says when the proxy listens."""

    def __init__(self, announce: Callable[[], None]) -> None:
        self.running = announce


def _port_of(server: proxyserver.Proxyserver) -> int:
    return server.listen_addrs()[0][1]
