"""One socket of a client: bytes to its endpoint and from it, through TLS if the connection begins with a handshake."""

from __future__ import annotations

import asyncio
import os
import pwd
import socket
import ssl
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from flintmq.mqi.pcf_constants import MQRQ_SSL_HANDSHAKE_ERROR
from flintmq.server import turn
from flintmq.server.hello import refusal_of
from flintmq.server.tls import NoKey, protection
from flintmq.server.tls_layer import HANDSHAKE, TlsLayer
from flintmq.wire.origin import Origin

if TYPE_CHECKING:
    from flintmq.qmgr.calls import Refusal
    from flintmq.server.hub import Hub
    from flintmq.server.turn import Turns
    from flintmq.wire.endpoint import Endpoint

#: The part of a ClientHello that is kept for messages.
HELLO_MAX = 1024
#: The address of a client of the Unix socket.
LOCAL = "local"
#: A client with this number of unread bytes is not read from (V3).
WRITE_BUFFER_MAX = 4 * 1024 * 1024

#: Linux takes no longer interval.
_KEEP_IDLE_MAX = 32_767


class Link:
    """The protocol object of one socket: an asyncio.Protocol in all but name, so that it can be compiled."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        #: The same object, by the type of its compiled base class.
        self._turns: Turns = hub
        #: An asyncio.Transport; uvloop's does not inherit from it.
        self._transport: Any = None
        #: Its `write`, looked up once.
        self._send: Any = None
        #: Set by `connection_made`, unless the address is blocked.
        self._origin: Origin | None = None
        #: The protocol's side, once the first bytes have told the protocol.
        self.endpoint: Endpoint | None = None
        #: First bytes that do not tell it yet.
        self._first = b""
        #: The client does not read (V3).
        self._blocked = False
        #: The socket is to be closed after the last bytes.
        self.closing = False
        #: Counted by the hub: seconds that the client takes to authenticate or, once `lingers` is set, to go.
        self.overdue_s = 0
        self.lingers = False
        self._tls: TlsLayer | None = None
        #: Nothing has arrived yet.
        self._fresh = True
        #: The socket is read from.
        self._reads = True
        #: The first bytes of a TLS client; dropped after the handshake.
        self._hello = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._send = self._transport.write
        self._transport.set_write_buffer_limits(WRITE_BUFFER_MAX)
        address = address_of(self._transport)
        if address != LOCAL and self._hub.refuses(address):
            self._transport.abort()
            return
        origin = Origin(address)
        if not self._hub.takes(self, origin):
            self._transport.abort()
            return
        try:
            origin.user = user_of(self._transport)
        except OSError as error:  # Too many files are open.
            self._hub.admission.gone(self)
            self._hub.refused(address, str(error.strerror or error))
            self._transport.abort()
            return
        self._origin = origin
        self._hub.links.add(self)

    @property
    def address(self) -> str:
        """Return the client's address, as CONNAME is written."""
        return self._origin.address if self._origin is not None else ""

    def is_busy(self) -> bool:
        """Return whether the client waits for us, so that its time limits do not run."""
        return self.endpoint is not None and self.endpoint.is_busy()

    def data_received(self, data: bytes) -> None:
        endpoint = self.endpoint
        if endpoint is not None:
            endpoint.idle_s = 0
        elif self._origin is None:
            return  # Its address is blocked.
        if self._fresh:
            self._fresh = False
            if data[0] == HANDSHAKE:
                self._hello = data[:HELLO_MAX]
                if not self._start_tls():
                    return
        if self._tls is not None:
            data = self._decrypted(self._tls, data)
            if not data:
                return
        if endpoint is None:
            data = self._first + data
            endpoint = self._select_protocol(data)
            if endpoint is None:
                return
        turns = self._turns
        if turns.segment_trace is not None:
            turns.segment_trace.received(endpoint, data)
        turn.received(turns, self, endpoint, data)

    def _select_protocol(self, data: bytes) -> Endpoint | None:
        """Return a new endpoint of the protocol of these first bytes; None if they do not tell it yet."""
        origin = self._origin
        assert origin is not None
        protocol = self._hub.registry.choose(data)
        if protocol is None:
            self._first = data
            return None
        self._first = b""
        endpoint = protocol.endpoint(origin)
        endpoint.link = self
        endpoint.blocked = self._blocked
        self.endpoint = endpoint
        return endpoint

    def _start_tls(self) -> bool:
        """Set up TLS. Return False if that is impossible and the client was refused."""
        try:
            keys = self._hub.keys
            if keys is None:
                raise NoKey("there is no key repository")
            self._tls = TlsLayer(keys.context())
        except NoKey as error:
            self._refuse("AMQ9657E", str(error))
            return False
        return True

    def _tell_handshake(self) -> None:
        """Put the event of a failed handshake (SSLEV); the channel is not known yet."""
        self._hub.engine.channel_tls_refused("", self.address, MQRQ_SSL_HANDSHAKE_ERROR)

    def _decrypted(self, tls: TlsLayer, data: bytes) -> bytes:
        """Return decrypted bytes; b"" if there are none yet."""
        assert self._origin is not None and self._transport is not None
        before = tls.ready
        try:
            plain = tls.feed(data)
        except ssl.SSLError as error:
            alert = tls.pending()
            self._hub.run(self._tell_handshake)
            keys = self._hub.keys
            if keys is not None and keys.trouble:
                why, keys.trouble = keys.trouble, ""
                self._refuse("AMQ9657E", why, alert)
            else:
                self._refuse("AMQ9665E", f"TLS failed: {error.reason or error}", alert)
            return b""
        if tls.ready and not before:
            self._origin.protection = protection(tls)
            self._hello = b""
        pending = tls.pending()
        if pending:
            self._transport.write(pending)
        return plain

    def _refuse(self, number: str, why: str, alert: bytes = b"") -> None:
        """Refuse the client: write the reason to the error log first, then send `alert` and close."""
        address = self.address
        text = f"The connection from {address} was closed: {why}."
        refused = refusal_of(number, why, text, address, self._hello)
        self._send = None  # A TLS layer that has failed raises if it is given more to say.
        self._hub.host.errors.write(number, text)
        self._hub.run(lambda: self._keep(refused))
        if alert and self._transport is not None:
            self._transport.write(alert)
        if self.endpoint is not None:
            self._hub.run(self.endpoint.end)
        self.close()

    def _keep(self, refused: Refusal) -> None:
        self._hub.engine.keep_refusal(refused)

    def pause_writing(self) -> None:
        if self._origin is not None and self._transport is not None:
            self._block(True)

    def resume_writing(self) -> None:
        if self._origin is not None and self._transport is not None:
            self._block(False)
            if self.endpoint is not None:
                self._hub.run(self.endpoint.resume)

    def _block(self, blocked: bool) -> None:
        """Note whether the client reads, and read from it only if it does (V3)."""
        self._blocked = blocked
        if self.endpoint is not None:
            self.endpoint.blocked = blocked
        self.regulate()

    def regulate(self) -> None:
        """Read from the socket, unless the client does not read itself (V3) or its endpoint wants no more for now."""
        reads = not self._blocked and (self.endpoint is None or not self.endpoint.paused)
        if reads != self._reads and self._transport is not None:
            self._reads = reads
            if reads:
                self._transport.resume_reading()
            else:
                self._transport.pause_reading()

    def eof_received(self) -> bool:
        """Have the transport closed, since the client has closed its side; `connection_lost` is called next."""
        return False

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = self._send = None
        if self._origin is None:
            return
        self._hub.links.discard(self)
        self._hub.admission.gone(self)
        endpoint = self.endpoint
        if endpoint is not None:
            endpoint.link = None
            if self._turns.segment_trace is not None:
                self._turns.segment_trace.ended(endpoint)
            self._hub.run(endpoint.lost)

    def write(self, data: bytes) -> None:
        """Send bytes, through TLS if the connection has it."""
        trace = self._turns.segment_trace
        if trace is not None and self.endpoint is not None:
            trace.sent(self.endpoint, data)
        if self._send is None:
            return
        try:
            self._send(data if self._tls is None else self._tls.wrap(data))
        except ssl.SSLError:  # It is the end of this socket, not of the turn that others write in.
            self._send = None
            self.abort()

    def keep_alive(self, interval_s: int) -> None:
        """Have the system probe the client's machine after `interval_s` seconds of silence; 0: not at all.

        Heartbeats find a lost client where the system cannot do that.
        """
        opened = self._transport.get_extra_info("socket") if self._transport is not None else None
        if opened is None or not interval_s or opened.family == socket.AF_UNIX:
            return
        try:
            with socket.socket(fileno=os.dup(opened.fileno())) as same:  # A transport's own may not be told.
                same.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                if hasattr(socket, "TCP_KEEPIDLE"):
                    same.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, min(interval_s, _KEEP_IDLE_MAX))
        except OSError:  # Too many files are open, or the client is gone: the turn is not only its own.
            return

    def close(self) -> None:
        """Close the socket after the bytes that were written."""
        self.closing = True
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()


def address_of(transport: asyncio.BaseTransport) -> str:
    """Return the address of the client, as CONNAME is written: `127.0.0.1(50123)`."""
    peer = transport.get_extra_info("peername")
    if isinstance(peer, tuple) and len(peer) >= 2:
        return f"{peer[0]}({peer[1]})"
    return LOCAL


def user_of(transport: asyncio.BaseTransport) -> str:
    """Return the user of a client of the Unix socket, by the word of the system; "" for a client over the network."""
    opened = transport.get_extra_info("socket")
    if opened is None or opened.family != socket.AF_UNIX or not hasattr(socket, "SO_PEERCRED"):
        return ""
    with socket.socket(fileno=os.dup(opened.fileno())) as same:
        raw = same.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", raw)
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def links(hub: Hub) -> Callable[[], asyncio.BaseProtocol]:
    """Return the factory with which a listener makes a link of each connection."""

    def make() -> asyncio.BaseProtocol:
        return cast(asyncio.BaseProtocol, Link(hub))

    return make
