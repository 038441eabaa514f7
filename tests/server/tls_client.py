"""The client's side of TLS, without a socket, by Python's own hand."""

from __future__ import annotations

import ssl
from collections.abc import Callable

RECORD = 1 << 14


class TlsClient:
    """It trusts whatever it is shown."""

    def __init__(self, version: ssl.TLSVersion | None = None) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if version is not None:
            context.minimum_version = context.maximum_version = version
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.made = context.wrap_bio(self._in, self._out)

    def shake_hands(self, answer: Callable[[bytes], bytes]) -> None:
        """`answer` is called with what it says, and gives what is answered."""
        for _ in range(4):
            try:
                self.made.do_handshake()
            except ssl.SSLWantReadError:
                pass
            self._in.write(answer(self._out.read()))

    def said(self, data: bytes) -> bytes:
        """What it sends for `data`, in a record or more."""
        self.made.write(data)
        return self._out.read()

    def bade_farewell(self) -> bytes:
        """What it sends at its end."""
        try:
            self.made.unwrap()
        except ssl.SSLWantReadError:
            pass
        return self._out.read()

    def heard(self, data: bytes) -> bytes:
        """What it makes of what is sent to it."""
        self._in.write(data)
        got: list[bytes] = []
        while True:
            try:
                got.append(self.made.read(RECORD))
            except ssl.SSLWantReadError:
                return b"".join(got)
