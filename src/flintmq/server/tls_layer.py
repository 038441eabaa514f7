"""TLS between a socket and its session: bytes in, bytes out. Compiled."""

from __future__ import annotations

import ssl
from typing import Any, Final

#: The first byte of a client that speaks TLS.
HANDSHAKE: Final = 0x16
#: No record has more; a read never gives more than one record.
_RECORD_MAX: Final = 1 << 14


class TlsLayer:
    """The TLS of one socket, without the socket."""

    def __init__(self, context: ssl.SSLContext) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.made = context.wrap_bio(incoming, outgoing, server_side=True)
        self.ready = False
        self._incoming: Any = incoming
        self._outgoing: Any = outgoing
        # The C object inside an SSLObject, which only adds a Python call.
        inside: Any = getattr(self.made, "_sslobj", self.made)
        self._read: Any = inside.read
        self._write: Any = inside.write
        #: The last record has not arrived as a whole: the pending length is not that of a record.
        self._in_part = False

    def feed(self, data: bytes) -> bytes:
        """Return the decrypted bytes of `data`; b"" while there are none. Raises ssl.SSLError.

        Reading stops when no byte is pending: one more read ends in an exception, which costs more than the record. A
        record is longer than its content, so a read of its length is enough.
        """
        incoming = self._incoming
        incoming.write(data)
        plain: list[bytes] = []
        try:
            if not self.ready:
                self.made.do_handshake()
                self.ready = True
            left: int = incoming.pending
            while left:
                part: bytes = self._read(left if left < _RECORD_MAX and not self._in_part else _RECORD_MAX)
                if not part:
                    break
                self._in_part = False
                plain.append(part)
                left = incoming.pending
        except ssl.SSLWantReadError:
            self._in_part = True
        return plain[0] if len(plain) == 1 else b"".join(plain)

    def wrap(self, data: bytes) -> bytes:
        """Encrypt `data` and return it with all other pending bytes for the client. Raises ssl.SSLError."""
        if data:
            self._write(data)
        return self.pending()

    def pending(self) -> bytes:
        """Return encrypted bytes that are to be sent."""
        outgoing = self._outgoing
        data: bytes = outgoing.read() if outgoing.pending else b""
        return data
