"""The socket of a connection, for threads: sends a request and waits for its reply (R1, R2, R3 of this package).

A request is one `sendall`. The reply is read directly from the socket; its timeout is the kernel's (SO_RCVTIMEO), so
that a call costs two system calls. While a get waits, the queue manager sends heartbeats; without one for longer than
was agreed, and a minute, the connection counts as broken.

Calls without a reply are kept, and sent together: when there are 64 KiB of them, in front of the next call that has a
reply, or by keeper.py when no call follows for a moment. That also answers heartbeats while no call is made.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import struct
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn, cast

from flintmq.client.lazy import lazy
from flintmq.client.remote import requests
from flintmq.client.remote.definition import Address, Definition
from flintmq.client.remote.keeper import keeper
from flintmq.client.remote.read_ahead import STREAM
from flintmq.client.remote.refusal import NO_HOST, refused, status_reason, why
from flintmq.client.remote.session import NEW, NO_REPLY, CallReply
from flintmq.client.remote.steps import MANY, Many, Steps, T, many_of, start_with_replies
from flintmq.host.environment import socket_path, user_name
from flintmq.mqi.call_errors import MQError, NotConnected, UsedAfterFork
from flintmq.mqi.constants import MQAT_DEFAULT
from flintmq.mqi.errors import MQStructuresError
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQRC_CONNECTION_BROKEN,
    MQRC_HCONN_ERROR,
    MQRC_HOST_NOT_AVAILABLE,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_SSL_INITIALIZATION_ERROR,
)
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.errors import ChannelError

if TYPE_CHECKING:
    import ssl

    from flintmq.client.remote import local, tls
else:
    local = lazy("flintmq.client.remote.local")
    ssl = lazy("ssl")
    tls = lazy("flintmq.client.remote.tls")

_READ_MAX = 1 << 16
_GRACE_S = 60
_CLOSE_WAIT_S = 5.0
#: Maximum length of a label of a host name.
_LABEL_MAX = 63

_wires: weakref.WeakSet[Wire] = weakref.WeakSet()


class Wire:
    """One socket with one conversation on it."""

    def __init__(self, definition: Definition, address: Address, sock: socket.socket) -> None:
        self.definition = definition
        self.address = address
        self.where = definition.at(address)
        self.session = definition.session()
        self.q_mgr_name = ""
        self.connection_id = bytes(24)
        self._socket = sock
        self._tls = not address.directory and bool(definition.protection.cipher_spec)
        self._lock = threading.Lock()
        self._forked = False
        #: Handles of dropped objects; the next call closes them.
        self.orphans: list[int] = []
        #: Why no call can be made any more.
        self.broken: MQError | None = None
        #: The other side, or the network, has ended it, not this process.
        self.lost = False
        self._ending = False
        #: The type of the call that is on its way, 0 if there is none.
        self.in_flight = 0
        #: The queue manager ends a waiting get on request (SPI NOTIFY).
        self.ends_gets = False
        #: Of the heartbeats that are answered by keeper.py.
        self.heartbeat_s = 0
        _wires.add(self)

    # -- calls --------------------------------------------------------------------------------------------------------

    def call(self, kind: int, handle: int, body: bytes, flags: int = 0) -> CallReply:
        """Make a call and wait for its reply. Raise NotConnected if there will be none."""
        self._lock.acquire()
        try:
            if self.broken is not None:
                self._refuse()
            session = self.session
            self.in_flight = kind
            request = session.request(kind, handle, body, flags)
            self._socket.sendall(session.with_late(request) if session.late else request)
            while True:
                data = self._socket.recv(_READ_MAX)
                if not data:
                    self._fail("the other side has closed the connection")
                session.received(data)
                answer = session.answer
                if answer is not None:
                    if answer.kind != kind + seg.REPLY:
                        self._fail(f"a call of type {kind:#x} was answered by {answer.kind:#x}")
                    self.in_flight = session.unconfirmed = 0
                    if session.out:
                        self._between()
                    return answer
                self._between()
        except BaseException as error:
            self._cut_short(error)
        finally:
            self._lock.release()

    def call_many(self, many: Many) -> list[CallReply]:
        """Make calls together, and wait for all replies. Raise NotConnected if there will be none."""
        gets = many.gets
        with self._lock:
            try:
                if self.broken is not None:
                    self._refuse()
                session = self.session
                self.in_flight = many.calls[0][0]
                self._socket.sendall(session.with_late(session.requests(many.calls)))
                while session.pending:
                    data = self._socket.recv(_READ_MAX)
                    if not data:
                        self._fail("the other side has closed the connection")
                    session.received(data)
                    self._between()
                    if many.settled is not None and len(session.answers) >= (many.settles or len(many.calls)):
                        settled, many.settled = many.settled, None
                        settled()
                    if gets and session.pending and session.answers and session.answers[0].completion == MQCC_FAILED:
                        gets = False
                        self._socket.sendall(session.cancel_get(self.connection_id))
                for answer, (kind, _, _) in zip(session.answers, many.calls, strict=True):
                    if answer.kind != kind + seg.REPLY:
                        self._fail(f"a call of type {kind:#x} was answered by {answer.kind:#x}")
                self.in_flight = session.unconfirmed = 0
                return session.answers
            except BaseException as error:
                self._cut_short(error)

    def run(self, steps: Steps[T], begun: list[CallReply] | None = None) -> T:
        """Make the exchanges of a call, and return its result.

        `begun` has the replies to the first exchange, if it was made already (direct.py).
        """
        while self.orphans:
            number = self.orphans.pop()
            self.session.streams.pop(number, None)
            self.call(seg.MQCLOSE, number, bytes(4))
        try:
            exchange = next(steps) if begun is None else start_with_replies(steps, begun)
            while True:
                kind, handle, body, flags, answered = exchange
                try:
                    if kind == STREAM:
                        self.stream(handle, body, flags, answered)
                        answer = NO_REPLY
                    elif answered:
                        answer = self.call(kind, handle, body, flags)
                    elif kind == MANY:
                        answer = NO_REPLY
                        many_of(body).answers = self.call_many(many_of(body))
                    else:
                        self.send(kind, handle, body)
                        answer = NO_REPLY
                except MQError as error:
                    exchange = steps.throw(error)
                else:
                    exchange = steps.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result

    def send(self, kind: int, handle: int, body: bytes) -> None:
        """Make a call without a reply: it is sent with others."""
        with self._lock:
            if self.broken is not None:
                self._refuse()
            session = self.session
            was_empty = not session.late
            session.unconfirmed += 1
            if session.later(session.request(kind, handle, body)):
                self._send_late(b"")
                return
        if was_empty:
            keeper().late(self)

    def stream(self, handle: int, data: bytes, wait_ms: int, waits: bool) -> None:
        """Send segments that are no call. With `waits` wait for something for the handle, up to `wait_ms`."""
        with self._lock:
            if self.broken is not None:
                self._refuse()
            session = self.session
            if data or session.late:
                self._send_late(data)
            if not waits:
                return
            stream = session.streams[handle]
            end = time.monotonic() + wait_ms / 1000
            try:
                while not stream.is_ready():
                    if wait_ms < 0:
                        self._take(self._socket.recv(_READ_MAX))
                    elif not self._taken_within(end - time.monotonic()):
                        return
            except BaseException as error:
                self._cut_short(error)

    def _take(self, data: bytes) -> None:
        """Process bytes that have come outside of a call."""
        if not data:
            self._fail("the other side has closed the connection")
        self.session.received(data)
        self._between()

    def _taken_within(self, seconds: float) -> bool:
        """Process bytes that come in that time. Return False if none do. With TLS they may be for TLS itself."""
        sock = self._socket
        number = sock.fileno()
        if number < 0:  # Another thread has dropped the connection.
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        if not self._tls or not cast("ssl.SSLSocket", sock).pending():
            poll = select.poll()
            poll.register(number, select.POLLIN)
            if not poll.poll(max(0.0, seconds * 1000)):
                return False
        if not self._tls:
            self._take(sock.recv(_READ_MAX))
            return True
        sock.setblocking(False)
        try:
            data = sock.recv(_READ_MAX)
        except ssl.SSLWantReadError:
            return seconds > 0
        finally:
            sock.setblocking(True)
        self._take(data)
        return True

    def _send_late(self, data: bytes) -> None:
        """Send the kept calls and `data`. Read pushed messages first, or both ends can block on full buffers."""
        try:
            if self.session.streams and self.session.late:
                while self._taken_within(0):
                    pass
            self._socket.sendall(self.session.with_late(data))
        except BaseException as error:
            self._cut_short(error)

    # -- called by keeper.py ------------------------------------------------------------------------------------------

    def flush(self) -> bool:
        """Send the kept calls. Return False if a call is being made, which may keep more."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if self.broken is None and self.session.late:
                self._send_late(b"")
        except MQError:
            pass  # The next call says so.
        finally:
            self._lock.release()
        return True

    def look(self) -> None:
        """Read segments that have come while no call is made, and answer heartbeats."""
        if self.broken is not None or not self._lock.acquire(blocking=False):
            return
        try:
            while self.broken is None and self._taken_within(0):
                pass
        except (OSError, ChannelError) as error:
            self.lost = not self._ending
            self._break(refused(MQRC_CONNECTION_BROKEN, self.where, why(error)))
        except MQError:
            pass  # The next call says so.
        finally:
            self.in_flight = 0
            self._lock.release()

    def _between(self) -> None:
        """Answer segments that are not the reply, and detect the end of the channel."""
        session = self.session
        if session.out:
            self._socket.sendall(b"".join(session.out))
            session.out.clear()
        if session.ended >= 0:
            reason = status_reason(session.ended, False)
            self.lost = not self._ending
            self._break(refused(reason, self.where, f"the queue manager has ended the channel, status {session.ended}"))
            self._refuse()

    def check(self) -> None:
        """Raise NotConnected if the connection is broken."""
        if self.broken is not None:
            self._refuse()

    def is_idle(self) -> bool:
        """Return whether no call is being made."""
        return not self._lock.locked()

    def bad_answer(self, error: Exception) -> NoReturn:
        """Break the connection: a reply cannot be read."""
        with self._lock:
            self._fail(why(error))

    def is_dead(self) -> bool:
        """Return whether the other side has closed the socket, or ended the channel, while no call was made."""
        if not self._lock.acquire(blocking=False):
            return False  # A call is being made.
        try:
            if self._tls:
                return self._is_dead_behind(cast("ssl.SSLSocket", self._socket))
            said = self._socket.recv(_READ_MAX, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            self._lock.release()
        # Heartbeats are for later; the end of the channel, or of the stream, is the end.
        return not said or bytes([seg.STATUS_DATA]) in (said[9:10], said[17:18])

    def _is_dead_behind(self, tunnel: ssl.SSLSocket) -> bool:
        """Return whether a TLS connection is dead: its pending bytes cannot be seen without being read."""
        ready, _, _ = select.select([tunnel], [], [], 0)
        if not ready:
            return False
        tunnel.setblocking(False)
        try:
            said = tunnel.recv(_READ_MAX)
            self.session.received(said)
        except ssl.SSLWantReadError:
            return False  # It was for TLS itself.
        except (OSError, ChannelError):
            return True
        finally:
            tunnel.setblocking(True)
        return not said or self.session.ended >= 0

    def lose(self) -> None:
        """Break the connection as lost: the other side has closed it."""
        self.lost, self.in_flight = True, 0
        self._break(refused(MQRC_CONNECTION_BROKEN, self.where, "the other side has closed the connection"))

    def _cut_short(self, error: BaseException) -> NoReturn:
        """Break the connection after `error` in the middle of an exchange: no other call can continue from there."""
        if isinstance(error, (OSError, ChannelError)):
            self._fail(why(error))
        if not isinstance(error, MQError):
            self._break(refused(MQRC_CONNECTION_BROKEN, self.where, "a call was interrupted"))
        raise error

    def _fail(self, why: str) -> NoReturn:
        self.lost = not self._ending
        self._break(refused(MQRC_CONNECTION_BROKEN, self.where, why))
        self._refuse()

    def _break(self, error: MQError) -> None:
        if self.broken is None:
            self.broken = error
        try:
            self._socket.close()
        except OSError:
            pass

    def _refuse(self) -> NoReturn:
        if self._forked:
            raise UsedAfterFork(f"{self.where}: connected before a fork; the child makes a connection of its own")
        error = self.broken
        assert error is not None
        raise type(error)(error.text, error.reason, error.completion)

    # -- the beginning ------------------------------------------------------------------------------------------------

    def agree(self) -> None:
        """Negotiate by INITIAL_DATA. Raise MQError."""
        session = self.session
        session.offer()
        self._pump_until(lambda: session.state != NEW)

    def identify(self) -> None:
        """Send USERID_DATA and, with a password, CONAUTH_INFO."""
        session, definition = self.session, self.definition
        user = user_name() if definition.password or not definition.user else definition.user
        out = session.segment(seg.USERID_DATA, requests.user_data(user, session.ccsid))
        if definition.password:
            body = requests.credentials(definition.user, definition.password, session.big_endian, session.ccsid)
            out += session.segment(seg.CONAUTH_INFO, body)
        session.out.append(out)
        wants_answer = bool(definition.password)
        self._pump_until(lambda: session.identified or not wants_answer)

    def _pump_until(self, done: Callable[[], bool]) -> None:
        """Send and receive until `done`. Raise the error of a connection that could not be made."""
        session = self.session
        try:
            while True:
                if session.out:
                    self._socket.sendall(b"".join(session.out))
                    session.out.clear()
                if session.ended >= 0:
                    reason = status_reason(session.ended, True)
                    raise refused(reason, self.where, f"the channel was refused with status {session.ended}")
                if done():
                    return
                data = self._socket.recv(_READ_MAX)
                if not data:
                    raise refused(
                        MQRC_Q_MGR_NOT_AVAILABLE, self.where, "the other side has closed the connection at once"
                    )
                session.received(data)
        except (OSError, ChannelError, MQStructuresError) as error:
            raise refused(MQRC_Q_MGR_NOT_AVAILABLE, self.where, why(error)) from None

    def mqconn(self) -> None:
        """Connect to the queue manager (MQCONNX). Raise by reason."""
        session, definition = self.session, self.definition
        body = requests.connect_body(
            session, definition.wanted_name, definition.application, MQAT_DEFAULT, definition.options
        )
        answer = self.call(seg.MQCONN, 0, body)
        if answer.completion not in (MQCC_OK, MQCC_WARNING):
            who = f"user {definition.user or user_name()}"
            raise refused(answer.reason, f"{self.where}, {who}")
        self.q_mgr_name, self.connection_id = requests.connected(answer)
        self.heartbeat_s = interval = session.terms.heartbeat_interval
        if session.shared:
            keeper().add(self)
        self._set_timeout(interval + max(_GRACE_S, interval) if interval else 0.0)

    def _set_timeout(self, seconds: float) -> None:
        """Set the timeout of a read or a write; 0 for none."""
        whole = int(seconds)
        value = struct.pack("ll", whole, int((seconds - whole) * 1_000_000))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, value)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, value)

    # -- the end ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Disconnect (MQDISC), which commits, then close the socket. Do nothing if it is broken already."""
        if self.broken is None:
            try:
                self._set_timeout(_CLOSE_WAIT_S)
                self.call(seg.MQDISC, 0, b"")
            except (MQError, OSError):
                pass
        self.drop()

    def drop(self) -> None:
        """Close the socket: the queue manager backs out uncommitted work."""
        if self.session.shared:
            keeper().drop(self)
        self._break(NotConnected(f"{self.where}: the connection is closed", MQRC_HCONN_ERROR))

    def hang_up(self) -> None:
        """End the connection while another thread waits for a reply.

        That thread raises NotConnected once the queue manager has closed its side. By then the queue manager has ended
        the get and backed out.
        """
        self._ending = True
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def interrupt(self) -> None:
        """End the call of another thread: it raises NotConnected."""
        self._ending = True
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def open_wire(definitions: Sequence[Definition]) -> Wire:
    """Connect to the first address of the first channel that accepts. Raise the error of the last one."""
    last: MQError | None = None
    for definition in definitions:
        for address in definition.addresses:
            try:
                return _connected(definition, address)
            except MQError as error:
                last = error
    assert last is not None
    raise last


def _connected(definition: Definition, address: Address) -> Wire:
    sock = _opened(definition, address)
    try:
        sock.settimeout(None)
        wire = Wire(definition, address, sock)
        wire._set_timeout(definition.timeout)
        wire.agree()
        wire.identify()
        wire.mqconn()
    except BaseException:
        sock.close()
        raise
    return wire


def _opened(definition: Definition, address: Address) -> socket.socket:
    """Return a connected socket, with TLS if the channel has it. Raise MQError."""
    where = definition.at(address)
    if address.directory:
        return _opened_locally(address.directory, where)
    try:
        sock = socket.create_connection((_host(address.host), address.port), definition.timeout)
    except OSError as error:
        raise refused(MQRC_HOST_NOT_AVAILABLE, where, error.strerror or str(error)) from None
    except UnicodeError:
        raise refused(MQRC_HOST_NOT_AVAILABLE, where, NO_HOST) from None
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if not definition.protection.cipher_spec:
            return sock
        name = tls.server_name(definition.protection, definition.channel, address.host)
        made = tls.context(definition.protection, where).wrap_socket(sock, server_hostname=name or None)
        tls.check(definition.protection, made.cipher(), made.version(), made.getpeercert(), where)
        return made
    except OSError as error:
        sock.close()
        if definition.protection.cipher_spec and isinstance(error, ssl.SSLError):
            raise tls.failed(error, where) from None
        raise refused(MQRC_SSL_INITIALIZATION_ERROR, where, f"the TLS handshake failed: {why(error)}") from None
    except BaseException:
        sock.close()
        raise


def _host(name: str) -> str:
    """Return a host name in the form for `create_connection`. Raise UnicodeError for an invalid name.

    As bytes if it is ASCII and no label is blank or too long: it is looked up as it is, and the codec "idna", which
    every str goes through, is not loaded.
    """
    labels = name.removesuffix(".").split(".")
    if name.isascii() and all(0 < len(each) <= _LABEL_MAX for each in labels):
        return cast(str, name.encode("ascii"))  # getaddrinfo takes both; typeshed knows of one.
    return name


def _opened_locally(directory: str, where: str) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    try:
        from pathlib import Path

        with socket_path(Path(directory)) as path:
            sock.connect(path)
    except (FileNotFoundError, ConnectionRefusedError):
        sock.close()
        raise local.not_running(directory, where) from None
    except OSError as error:
        sock.close()
        raise refused(MQRC_HOST_NOT_AVAILABLE, where, error.strerror or str(error)) from None
    return sock


def _after_fork() -> None:
    for wire in list(_wires):
        wire._forked = True
        wire._lock = threading.Lock()
        wire._break(UsedAfterFork())
    _wires.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
