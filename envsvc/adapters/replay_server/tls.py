"""End TLS in memory: bytes of the wire in, bytes of the client out."""

import ssl
from contextlib import suppress

_READ_SIZE = 16_384  # no record holds more (RFC 8446 5.1), and a read gives one record


class TlsEnd:
    """The server's end of one TLS connection, without a socket."""

    def __init__(self, context: ssl.SSLContext) -> None:
        """Expect a handshake for *context*."""
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._is_open = False

    def receive(self, wire: bytes) -> bytes:
        """Return the plain bytes that *wire* completes. Raises: ssl.SSLError.

        ``to_send`` must be sent afterwards: a handshake answers even when nothing is complete.
        """
        self._incoming.write(wire)
        if not self._is_open:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                return b""
            self._is_open = True
        return self._read()

    def send(self, plain: bytes) -> bytes:
        """Return the wire bytes for *plain*."""
        if plain:
            self._tls.write(plain)
        return self._outgoing.read()

    def to_send(self) -> bytes:
        """Return wire bytes that wait to be sent; b"" if none do."""
        return self._outgoing.read() if self._outgoing.pending else b""

    def finish(self) -> bytes:
        """Return what tells the client that nothing follows (RFC 8446 6.1)."""
        # The client's own goodbye is not waited for: unwrap says so with an error.
        with suppress(ssl.SSLError):
            self._tls.unwrap()
        return self._outgoing.read()

    def _read(self) -> bytes:
        pieces = []
        with suppress(ssl.SSLWantReadError, ssl.SSLZeroReturnError):
            while piece := self._tls.read(_READ_SIZE):
                pieces.append(piece)
                # The usual end. To read on until it fails costs as much as the decryption.
                if not self._incoming.pending and not self._tls.pending():
                    break
        return b"".join(pieces)
