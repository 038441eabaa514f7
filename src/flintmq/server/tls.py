"""TLS between a socket and its session, and the key repository of the queue manager.

A listener takes clients with and without TLS: the first byte tells them apart. Whether a channel wants TLS, and which,
is looked at when the client has named it (channel/cipher_spec.py).

The key repository is a PEM file with the queue manager's private key, its certificate and those that signed it: SSLKEYR
of the queue manager, with or without its `.pem`, relative to its directory, or `ssl/key.pem` there. Certificates of
those who may sign clients' certificates are in `trusted.pem` beside it; without that file no client is asked for one.
Both are read again when they change.
"""

from __future__ import annotations

import os
import ssl
from pathlib import Path

from flintmq.channel.cipher_spec import Protection
from flintmq.qmgr.queue_manager import QueueManager

DEFAULT = "ssl/key.pem"
TRUSTED = "trusted.pem"
SUFFIX = ".pem"
HANDSHAKE = 0x16
_READ_MAX = 1 << 18
#: The attributes of a distinguished name, and how MQ writes them.
_SHORT = {
    "commonName": "CN",
    "countryName": "C",
    "localityName": "L",
    "organizationName": "O",
    "organizationalUnitName": "OU",
    "stateOrProvinceName": "ST",
    "emailAddress": "MAIL",
    "title": "T",
}


class NoKey(Exception):
    """TLS cannot be used; the text says why."""


class KeyRepository:
    """Where the queue manager's key is."""

    def __init__(self, engine: QueueManager, directory: Path) -> None:
        self._engine = engine
        self._directory = directory
        self._made_from: tuple[object, ...] = ()
        self._context: ssl.SSLContext | None = None

    def context(self) -> ssl.SSLContext:
        """What handshakes are made with. Raises NoKey."""
        path = self._directory / (self._engine.definition().text("SSLKEYR") or DEFAULT)
        if not path.is_file() and path.with_name(path.name + SUFFIX).is_file():
            path = path.with_name(path.name + SUFFIX)
        trusted = path.with_name(TRUSTED)
        made_from = (path, _stamp(path), _stamp(trusted))
        if self._context is None or made_from != self._made_from:
            self._context = _context(path, trusted)
            self._made_from = made_from
        return self._context


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_mtime_ns, state.st_ino


def _context(path: Path, trusted: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ECDHE+AESGCM:ECDHE+AES:RSA+AESGCM:RSA+AES:!SHA1:!aNULL:!eNULL")
    try:
        context.load_cert_chain(path)
        if trusted.exists():
            context.load_verify_locations(trusted)
            context.verify_mode = ssl.CERT_OPTIONAL
    except FileNotFoundError:
        raise NoKey(f"there is no key repository {path}") from None
    except (ssl.SSLError, OSError) as error:
        raise NoKey(f"the key repository {path} cannot be used: {error}") from None
    return context


class TlsLayer:
    """The TLS of one socket, without the socket: bytes in, bytes out."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self.ready = False

    def feed(self, data: bytes) -> bytes:
        """What the client has said, out of what has arrived; b"" while there is nothing. Raises ssl.SSLError."""
        self._incoming.write(data)
        plain: list[bytes] = []
        try:
            if not self.ready:
                self._object.do_handshake()
                self.ready = True
            while True:
                part = self._object.read(_READ_MAX)
                if not part:
                    break
                plain.append(part)
        except ssl.SSLWantReadError:
            pass
        return b"".join(plain)

    def wrap(self, data: bytes) -> bytes:
        """`data` for the client, and whatever else is to be sent."""
        if data:
            self._object.write(data)
        return self.pending()

    def pending(self) -> bytes:
        """What is to be sent."""
        return self._outgoing.read()

    def protection(self) -> Protection:
        """What was agreed on."""
        cipher = self._object.cipher()
        assert cipher is not None
        shown = self._object.getpeercert()
        return Protection(cipher[0], self._object.version() or "", _name(shown, "subject"), _name(shown, "issuer"))


def _name(certificate: object, whose: str) -> str:
    """A distinguished name in a certificate, as SSLPEER has it."""
    found = certificate.get(whose, ()) if isinstance(certificate, dict) else ()
    parts = [f"{_SHORT.get(key, key)}={value}" for relative in found for key, value in relative]
    return ",".join(reversed(parts))
