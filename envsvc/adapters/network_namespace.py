"""A network of its own for the agent, with nothing in it but the session's proxy (D10, Linux).

A listening socket stays in the network namespace where it was made, but any thread may accept
from it. So one thread makes a namespace and a socket inside it, the server outside serves that
socket, and the agent is started inside: its loopback leads to the proxy and nowhere else.
"""

import array
import fcntl
import os
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from envsvc.adapters.replay_server.server import LOOPBACK, listening_socket
from envsvc.errors import EnvsvcError

_SIOCGIFFLAGS, _SIOCSIFFLAGS = 0x8913, 0x8914  # netdevice(7)
_IFF_UP = 0x1
_IFREQ = struct.Struct("16sh14x")
_PROXY_PORT = 8080


class SealedNotPossibleError(EnvsvcError):
    """A network namespace cannot be made here."""

    code = "E403"
    exit_code = 3


class SealedNetwork(msgspec.Struct, frozen=True):
    """A namespace: a socket that listens inside it, and a descriptor to enter it by."""

    listening: socket.socket
    descriptor: int

    def enter(self) -> None:
        """Move the calling thread into the namespace."""
        os.setns(self.descriptor, os.CLONE_NEWNET)


@contextmanager
def sealed_network() -> Iterator[SealedNetwork]:
    """Make a network namespace whose only way out is a listening socket.

    Raises: SealedNotPossibleError where the system or the user's rights do not allow it.
    """
    made: list[SealedNetwork] = []
    failed: list[OSError] = []

    def make() -> None:
        try:
            made.append(_make())
        except OSError as error:
            failed.append(error)

    if not hasattr(os, "unshare"):
        raise _not_possible("only Linux has network namespaces")
    # A thread of its own: it stays in the namespace it made, so it must not be one in use.
    thread = threading.Thread(target=make, name="envsvc-namespace")
    thread.start()
    thread.join()
    if failed:
        raise _not_possible(failed[0].strerror or str(failed[0])) from failed[0]
    network = made[0]
    try:
        yield network
    finally:
        network.listening.close()
        os.close(network.descriptor)


def _make() -> SealedNetwork:
    os.unshare(os.CLONE_NEWNET)
    _raise_loopback()
    descriptor = os.open(f"/proc/self/task/{threading.get_native_id()}/ns/net", os.O_RDONLY)
    return SealedNetwork(listening_socket(LOOPBACK, _PROXY_PORT), descriptor)


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        request = array.array("B", _IFREQ.pack(b"lo", 0))
        fcntl.ioctl(probe, _SIOCGIFFLAGS, request)
        flags = _IFREQ.unpack(request.tobytes())[1]
        fcntl.ioctl(probe, _SIOCSIFFLAGS, _IFREQ.pack(b"lo", flags | _IFF_UP))


def _not_possible(reason: str) -> SealedNotPossibleError:
    return SealedNotPossibleError(
        f"no network namespace can be made: {reason}",
        fix="Run as root on Linux (or with CAP_SYS_ADMIN), or leave --sealed out",
    )
