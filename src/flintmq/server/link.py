"""One socket of a client: bytes to its session, bytes from it, through TLS if it begins so. Nothing else."""

from __future__ import annotations

import asyncio
import os
import pwd
import socket
import ssl
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from flintmq.channel.session import Session
from flintmq.mqi.pcf_constants import MQRQ_SSL_HANDSHAKE_ERROR
from flintmq.server import turn
from flintmq.server.hello import refusal_of
from flintmq.server.tls import NoKey, protection
from flintmq.server.tls_layer import HANDSHAKE, TlsLayer

if TYPE_CHECKING:
    from flintmq.qmgr.calls import Refusal
    from flintmq.server.hub import Hub
    from flintmq.server.turn import Turns

#: So much of a ClientHello is looked at.
HELLO_MAX = 1024
#: The address of who comes through the Unix socket.
LOCAL = "local"
#: A client that has not read so many bytes is not read from (V3).
WRITE_BUFFER_MAX = 4 * 1024 * 1024

#: Linux takes no longer interval.
_KEEP_IDLE_MAX = 32_767


class Link:
    """The protocol object of one socket: an asyncio.Protocol in all but name, so that it can be compiled."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        #: The same, as what is compiled knows it.
        self._turns: Turns = hub
        #: An asyncio.Transport; uvloop's does not inherit from it.
        self._transport: Any = None
        #: Its `write`, looked up once.
        self._send: Any = None
        self._session: Session | None = None
        self._tls: TlsLayer | None = None
        #: Nothing has arrived yet.
        self._fresh = True
        #: The socket is read from.
        self._reads = True
        #: What a client that speaks TLS began with; dropped when TLS is agreed on.
        self._hello = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._send = self._transport.write
        self._transport.set_write_buffer_limits(WRITE_BUFFER_MAX)
        address = address_of(self._transport)
        if address != LOCAL and self._hub.refuses(address):
            self._transport.abort()
            return
        session = self._hub.session(address)
        if not self._hub.takes(session):
            self._transport.abort()
            return
        try:
            user = user_of(self._transport)
        except OSError as error:  # Too many files are open.
            self._hub.admission.gone(session)
            self._hub.refused(session, str(error.strerror or error))
            self._transport.abort()
            return
        self._session = session
        self._session.local_user = user
        self._session.link = self
        self._hub.links[self._session] = self

    def data_received(self, data: bytes) -> None:
        if self._session is None:
            return  # Its address is blocked.
        self._session.idle_s = 0
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
        turns = self._turns
        if turns.segment_trace is not None:
            turns.segment_trace.received(self._session, data)
        turn.received(turns, self, self._session, data)

    def _start_tls(self) -> bool:
        """The client begins with a handshake."""
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
        """SSLEV: the channel is not known yet."""
        assert self._session is not None
        self._hub.engine.channel_tls_refused("", self._session.address, MQRQ_SSL_HANDSHAKE_ERROR)

    def _decrypted(self, tls: TlsLayer, data: bytes) -> bytes:
        """What the client has said; b"" if nothing yet."""
        assert self._session is not None and self._transport is not None
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
            self._session.protection = protection(tls)
            self._hello = b""
        pending = tls.pending()
        if pending:
            self._transport.write(pending)
        return plain

    def _refuse(self, number: str, why: str, alert: bytes = b"") -> None:
        """Write down why, then tell the client by `alert`: whoever hears of it finds the reason in the error log."""
        session = self._session
        assert session is not None
        text = f"The connection from {session.address} was closed: {why}."
        refused = refusal_of(number, why, text, session.address, self._hello)
        self._send = None  # A TLS layer that has failed raises if it is given more to say.
        self._hub.host.errors.write(number, text)
        self._hub.run(lambda: self._keep(refused))
        if alert and self._transport is not None:
            self._transport.write(alert)
        self._hub.run(session.end)
        self.close()

    def _keep(self, refused: Refusal) -> None:
        self._hub.engine.keep_refusal(refused)

    def pause_writing(self) -> None:
        if self._session is not None and self._transport is not None:
            self._session.blocked = True
            self.regulate()

    def resume_writing(self) -> None:
        session = self._session
        if session is not None and self._transport is not None:
            session.blocked = False
            self.regulate()
            self._hub.run(session.unblocked)

    def regulate(self) -> None:
        """Read, unless the client does not read itself (V3), or its session wants no more for now."""
        session = self._session
        assert session is not None
        reads = not session.blocked and not session.paused
        if reads != self._reads and self._transport is not None:
            self._reads = reads
            if reads:
                self._transport.resume_reading()
            else:
                self._transport.pause_reading()

    def eof_received(self) -> bool:
        """The client has hung up: so do we, and `connection_lost` comes."""
        return False

    def connection_lost(self, error: Exception | None) -> None:
        session = self._session
        self._transport = self._send = None
        if session is not None:
            session.link = None
            self._hub.links.pop(session, None)
            self._hub.admission.gone(session)
            if self._turns.segment_trace is not None:
                self._turns.segment_trace.ended(session)
            self._hub.run(session.lost)

    def write(self, data: bytes) -> None:
        """Send."""
        trace = self._turns.segment_trace
        if trace is not None and self._session is not None:
            trace.sent(self._session, data)
        if self._send is None:
            return
        try:
            self._send(data if self._tls is None else self._tls.wrap(data))
        except ssl.SSLError:  # It is the end of this socket, not of the turn that others write in.
            self._send = None
            self.abort()

    def keep_alive(self, interval_s: int) -> None:
        """Have the system ask, after so many seconds of silence, whether the other machine is there; 0, not at all.

        If it does not do that, heartbeats still do.
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
        """Send what is there, then close."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()


def address_of(transport: asyncio.BaseTransport) -> str:
    """Where the client is: `127.0.0.1(50123)`, as CONNAME is written."""
    peer = transport.get_extra_info("peername")
    if isinstance(peer, tuple) and len(peer) >= 2:
        return f"{peer[0]}({peer[1]})"
    return LOCAL


def user_of(transport: asyncio.BaseTransport) -> str:
    """Who a client of this machine is, by the word of the system; "" for one that comes over the network."""
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
    """What a listener makes of each connection."""

    def make() -> asyncio.BaseProtocol:
        return cast(asyncio.BaseProtocol, Link(hub))

    return make
