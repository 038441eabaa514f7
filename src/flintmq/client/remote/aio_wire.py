"""The socket of a connection, for tasks: a protocol of the event loop. wire.py is its counterpart for threads.

If the task is cancelled in a call:

    a get that waits       the queue manager is asked to end it (SPI NOTIFY). A message that it has just sent is
                           returned, and the task is cancelled with its next call
    such a get in a unit   the socket is closed: the queue manager ends the wait, and puts a message back that it had
      of work, or if that    just got
      is not supported
    a get that waits for   nothing: the message is found by the next get
      read-ahead messages
    the commit of a get,   it is completed and the message returned; the task is cancelled with its next call
      a get without wait     (the socket is closed if there is no reply for GIVEN_UP_S)
    any other call         its reply is discarded; the connection takes the next call when it has come

Calls without a reply are sent together, at the end of the loop's turn at the latest. If the queue manager does not take
them, the task that makes the next one waits.

While a call is under way the queue manager sends heartbeats. Without anything from it for longer than was agreed, and a
minute, the connection counts as broken, as in wire.py; it is noticed after twice that time at the latest.
"""

from __future__ import annotations

import asyncio
from asyncio import current_task
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import Context
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, cast

from flintmq.client.lazy import lazy
from flintmq.client.remote import requests
from flintmq.client.remote.definition import Address, Definition
from flintmq.client.remote.direct import Direct
from flintmq.client.remote.read_ahead import STREAM
from flintmq.client.remote.refusal import NO_HOST, SILENT, refused, status_reason, why
from flintmq.client.remote.session import AGREED, NEW, NO_REPLY, CallReply
from flintmq.client.remote.steps import MANY, UNREADABLE, Steps, T, many_of, start_with_replies
from flintmq.host.environment import socket_path, user_name
from flintmq.mqi.call_errors import MQError, NotConnected
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

#: Seconds to wait for a reply after its task was cancelled.
GIVEN_UP_S = 10.0
#: Seconds to wait for the reply to MQDISC.
DISCONNECT_S = 5.0
#: Seconds that a heartbeat may be late, if they are not farther apart.
GRACE_S = 60


class Turns:
    """A fair lock (first in, first out). Without contention a caller acquires it by setting `taken`."""

    __slots__ = ("_loop", "taken", "waiting")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.waiting: deque[asyncio.Future[None]] = deque()
        self.taken = False

    async def wait(self) -> None:
        """Acquire the lock after all earlier waiters. It stays `taken` while it is handed over."""
        turn = self._loop.create_future()
        self.waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self.waiting.remove(turn)
            else:
                self.give()  # It had its turn already.
            raise

    def give(self) -> None:
        """Release the lock, or hand it to the next waiter."""
        for turn in self.waiting:
            if not turn.done():
                break
        else:
            self.taken = False
            return
        self.waiting.remove(turn)
        turn.set_result(None)


class Arrival(asyncio.Future[None]):
    """A future that one task awaits, for an answer that comes from the socket.

    `arrive` resumes the task at once. The task of any other future resumes in the next turn of the event loop, which
    costs a turn, and a poll of all sockets, for each answer.
    """

    _then: Callable[[Arrival], object] | None = None
    _context: Context | None = None

    def add_done_callback(self, fn: Callable[[Arrival], object], /, *, context: Context | None = None) -> None:
        """Keep the callback that resumes the task."""
        self._then, self._context = fn, context

    def arrive(self) -> None:
        """Set the result and resume the task before returning. Call it from a callback of the loop, not from a task."""
        super().set_result(None)
        if self._then is not None:
            assert self._context is not None
            self._context.run(self._then, self)

    def set_result(self, result: None, /) -> None:
        """Set the result; the task resumes in the next turn of the loop."""
        super().set_result(result)
        self._soon()

    def cancel(self, msg: object = None) -> bool:
        """Cancel; the task resumes in the next turn of the loop."""
        cancelled = super().cancel(msg)
        if cancelled:
            self._soon()
        return cancelled

    def _soon(self) -> None:
        if self._then is not None:
            self.get_loop().call_soon(self._then, self, context=self._context)


class AsyncWire(asyncio.Protocol):
    """One socket with one conversation on it."""

    def __init__(self, definition: Definition, address: Address) -> None:
        self.definition = definition
        self.where = definition.at(address)
        self.session = definition.session()
        self.q_mgr_name = ""
        self.connection_id = bytes(24)
        #: The queue manager ends a waiting get on request (SPI NOTIFY).
        self.ends_gets = False
        #: Calls sent together are under way; the last is a get that is to be ended if the first one fails.
        self._gets = False
        self.broken: MQError | None = None
        #: The other side, or the network, has ended it, not this process.
        self.lost = False
        #: The type of the call that is on its way, 0 if there is none.
        self.in_flight = 0
        #: The error of the last call that was refused before it was sent: it is not the one in flight.
        self.unsent: MQError | None = None
        self._loop = asyncio.get_running_loop()
        #: For calls: one is made at a time.
        self.turns = Turns(self._loop)
        self._transport: asyncio.Transport | None = None
        #: Done when the reply or message has come that a caller waits for.
        self._news: asyncio.Future[None] | None = None
        #: The handle of the messages that are waited for, 0 if it is a reply.
        self._streaming = 0
        #: Done when the other side takes more; None while it does.
        self._blocked: asyncio.Future[None] | None = None
        #: A task waits for `_blocked`; its call is done.
        self._draining = False
        #: How long the other side may be silent; the timer of the next look; the wait at the last look, and
        #: whether anything has come since.
        self._silence_s = 0.0
        self._watch: asyncio.TimerHandle | None = None
        self._watched: asyncio.Future[None] | None = None
        self._heard = False

    # -- the protocol -------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        session = self.session
        self._heard = True
        try:
            session.received(data)
        except (ChannelError, MQStructuresError) as error:
            self._lose(refused(self._reason(), self.where, why(error)))
        else:
            if session.out:
                self._send(b"".join(session.out))
                session.out.clear()
            if self._gets and session.pending and session.answers and session.answers[0].completion == MQCC_FAILED:
                self._gets = False
                self._send(session.cancel_get(self.connection_id))
            if session.ended >= 0:
                reason = status_reason(session.ended, not self.q_mgr_name)
                self._lose(refused(reason, self.where, f"the channel has ended, status {session.ended}"))
        news = self._news
        if type(news) is Arrival and not news.done() and current_task(self._loop) is None:
            if session.answer is not None or self.broken is not None:
                news.arrive()
        else:
            self._tell()

    def pause_writing(self) -> None:
        self._blocked = self._loop.create_future()

    def resume_writing(self) -> None:
        if self._blocked is not None and not self._blocked.done():
            self._blocked.set_result(None)
        self._blocked = None

    def connection_lost(self, error: Exception | None) -> None:
        text = why(error) if error is not None else "the other side has closed the connection"
        self._lose(refused(self._reason(), self.where, text))
        self._tell()
        self.resume_writing()

    def _reason(self) -> int:
        return MQRC_CONNECTION_BROKEN if self.q_mgr_name else MQRC_Q_MGR_NOT_AVAILABLE

    def _tell(self) -> None:
        news = self._news
        if news is not None and not news.done() and (self.broken is not None or self._done()):
            news.set_result(None)

    def _send(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    def _lose(self, error: MQError) -> None:
        self.lost = self.lost or self.broken is None
        self._break(error)

    def _break(self, error: MQError) -> None:
        if self.broken is None:
            self.broken = error
        if self._transport is not None:
            self._transport.abort()
            self._transport = None
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def _look(self) -> None:
        """Break the connection if it has waited for the same reply as at the last look, and nothing has come since."""
        news = self._news
        if news is not None and not news.done() and news is self._watched and not self._heard:
            self._lose(refused(MQRC_CONNECTION_BROKEN, self.where, SILENT))
            self._tell()
            return
        self._watched, self._heard = news, False
        self._watch = self._loop.call_later(self._silence_s, self._look)

    def _refusal(self) -> MQError:
        error = self.broken
        assert error is not None
        return type(error)(error.text, error.reason, error.completion)

    def _refuse(self) -> NoReturn:
        raise self._refusal()

    def bad_answer(self, error: Exception) -> NoReturn:
        """Break the connection: a reply cannot be read."""
        self._break(refused(MQRC_CONNECTION_BROKEN, self.where, why(error)))
        self._refuse()

    # -- calls --------------------------------------------------------------------------------------------------------

    async def run(
        self,
        steps: Steps[T],
        waits: bool = False,
        defer: Callable[[], None] | None = None,
        answers: list[CallReply] | None = None,
    ) -> T:
        """Make the exchanges of a call. `waits`: it may take long, and a cancelled task ends it.

        With `defer` a cancellation does not end a commit, nor a call that does not wait: `defer` is called, and the
        call is completed. `answers` are the replies to the first exchange, if `run_direct` has just made that.
        """
        turns = self.turns
        if answers is not None:
            pass  # The turn is that of `run_direct`.
        elif turns.taken:
            await turns.wait()
        else:
            turns.taken = True
        keep = False
        try:
            exchange = next(steps) if answers is None else start_with_replies(steps, answers)
            while True:
                kind, handle, body, flags, answered = exchange
                if self.broken is not None:
                    self.unsent = self._refusal()
                    raise self.unsent
                try:
                    if kind == STREAM:
                        await self._stream(handle, body, flags, answered)
                        answer = NO_REPLY
                    elif answered:
                        self.in_flight = kind
                        self._send(self.session.with_late(self.session.request(kind, handle, body, flags)))
                        ends = waits and kind == seg.MQGET and self.ends_gets
                        wanted = ends or not waits or kind == seg.MQCMIT
                        answer = await self._answer(kind, defer if wanted else None, ends)
                        self.session.unconfirmed = 0
                    elif kind == MANY:
                        many = many_of(body)
                        self.in_flight = many.calls[0][0]
                        self._gets = many.gets
                        self._send(self.session.with_late(self.session.requests(many.calls)))
                        answer = await self._answer(flags, None if waits else defer)
                        self._gets = False
                        many.answers = self.session.answers
                    else:
                        await self._send_later(self.session.request(kind, handle, body, flags))
                        answer = NO_REPLY
                except MQError as error:
                    exchange = steps.throw(error)
                else:
                    exchange = steps.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
        except asyncio.CancelledError:
            keep = self._leave(waits)
            raise
        finally:
            if not keep:
                turns.give()

    async def run_direct(self, direct: Direct, waits: bool = False, defer: Callable[[], None] | None = None) -> bool:
        """Make a call that is one exchange (direct.py). Return False if its steps have to continue with its replies.

        The connection must not be broken, and no other call under way. `waits` and `defer` are those of `run`. After
        False the caller calls `run` with the replies before it awaits anything else: the turn is still its own.
        """
        turns, session = self.turns, self.session
        turns.taken = True
        keep = False
        try:
            direct.prepare(session)
            self.in_flight, self._gets = direct.kind, direct.gets
            self._send(session.with_late(direct.request(session)))
            news = self._news = Arrival(loop=self._loop)
            try:
                await news
            except asyncio.CancelledError:
                ends = waits and direct.kind == seg.MQGET and self.ends_gets
                if defer is None or not (ends or not waits):
                    raise
                defer()
                await self._cancelled(defer, ends)
            self._answered(direct.last)
            self._gets, session.unconfirmed = False, 0
            try:
                direct.take(session)
                done = direct.done()
                keep = not done
                return done
            except UNREADABLE as error:
                self.bad_answer(error)
        except asyncio.CancelledError:
            keep = self._leave(waits)
            raise
        finally:
            if not keep:
                if turns.waiting:
                    turns.give()
                else:
                    turns.taken = False

    def _leave(self, waits: bool) -> bool:
        """Handle a cancelled task. Return whether its answer is outstanding; the turn is released when it arrives."""
        if self._streaming or self._draining:
            self._streaming, self._news, self._draining = 0, None, False
            return False
        if waits or self._news is None:
            self._break(refused(MQRC_CONNECTION_BROKEN, self.where, "the task that waited was cancelled"))
            return False
        self._news = self._loop.create_future()
        self._news.add_done_callback(lambda _: self.turns.give())
        self._tell()  # The answer may have come just before.
        return True

    def _done(self) -> bool:
        """Return whether the reply, or the message, that is waited for has come."""
        if self._streaming:
            return self.session.streams[self._streaming].is_ready()
        return self.session.answer is not None

    async def _send_later(self, data: bytes) -> None:
        """Send a call without a reply, together with others."""
        session = self.session
        if not session.late:
            self._loop.call_soon(self._send_late)
        session.unconfirmed += 1
        if session.later(data):
            self._send_late()
            if self._blocked is not None:
                self._draining = True
                await asyncio.wait([self._blocked])
                self._draining = False
                if self.broken is not None:
                    self._refuse()

    def _send_late(self) -> None:
        if self.session.late and self.broken is None:
            self._send(self.session.with_late())

    async def _stream(self, handle: int, data: bytes, wait_ms: int, waits: bool) -> None:
        """Send segments that are no call. With `waits` wait for something for the handle, up to `wait_ms`."""
        out = self.session.with_late(data)
        if out:
            self._send(out)
        if not waits or self.session.streams[handle].is_ready():
            return
        self._streaming = handle
        news = self._news = self._loop.create_future()
        if wait_ms < 0:
            await news
        else:
            await asyncio.wait([news], timeout=wait_ms / 1000)
        self._streaming, self._news = 0, None
        if self.broken is not None:
            self._refuse()

    async def _answer(self, kind: int, defer: Callable[[], None] | None, ends: bool = False) -> CallReply:
        news = self._news = Arrival(loop=self._loop)
        if defer is None:
            await news
        else:
            try:
                await news
            except asyncio.CancelledError:
                defer()
                await self._cancelled(defer, ends)
        return self._answered(kind)

    def _answered(self, kind: int) -> CallReply:
        """Return the answer to a call of this type. Raise NotConnected if none came."""
        self._news = None
        if self.broken is not None:
            self._refuse()
        answer = self.session.answer
        self.in_flight = 0
        assert answer is not None
        if answer.kind != kind + seg.REPLY:
            self.bad_answer(ChannelError(0, f"a call of type {kind:#x} was answered by {answer.kind:#x}"))
        return answer

    async def _cancelled(self, defer: Callable[[], None], ends: bool) -> None:
        """Wait up to GIVEN_UP_S for an answer that must not be lost, after the task was cancelled.

        The cancellation has cancelled `news` too, so the answer is announced by another future. `asyncio.shield` would
        leave `news` alone, but costs every call another future and one more turn of the event loop. With `ends` the
        queue manager is asked to end the get that waits.
        """
        end = self._loop.time() + GIVEN_UP_S
        news = self._news = self._loop.create_future()
        self._tell()  # The answer may have come just before.
        if ends and not news.done() and self.broken is None:
            self._send(self.session.cancel_get(self.connection_id))
        while not news.done():
            try:
                if not (await asyncio.wait([news], timeout=end - self._loop.time()))[0]:
                    text = "a call whose task was cancelled is not answered"
                    self._lose(refused(MQRC_CONNECTION_BROKEN, self.where, text))
                    return
            except asyncio.CancelledError:
                defer()

    # -- the beginning and the end ------------------------------------------------------------------------------------

    async def _until(self, done: Callable[[], bool]) -> None:
        """Wait until `done`, or until the connection is broken."""
        self._done = done  # type: ignore[method-assign]
        try:
            self._send(b"".join(self.session.out))
            self.session.out.clear()
            if not done() and self.broken is None:
                self._news = self._loop.create_future()
                await self._news
                self._news = None
        finally:
            del self._done
        if self.broken is not None:
            self._refuse()

    async def begin(self) -> None:
        """Negotiate, identify the user, and connect (MQCONNX). Raise MQError."""
        session, definition = self.session, self.definition
        session.offer()
        await self._until(lambda: session.state != NEW)
        user = user_name() if definition.password or not definition.user else definition.user
        session.out.append(session.segment(seg.USERID_DATA, requests.user_data(user, session.ccsid)))
        if definition.password:
            body = requests.credentials(definition.user, definition.password, session.big_endian, session.ccsid)
            session.out.append(session.segment(seg.CONAUTH_INFO, body))
        await self._until(lambda: session.identified or not definition.password)
        assert session.state == AGREED
        await self.run(self._mqconn())
        interval = session.terms.heartbeat_interval
        if interval:
            self._silence_s = interval + max(GRACE_S, interval)
            self._look()

    def _mqconn(self) -> Steps[None]:
        definition = self.definition
        body = requests.connect_body(
            self.session, definition.wanted_name, definition.application, MQAT_DEFAULT, definition.options
        )
        answer = yield seg.MQCONN, 0, body, 0, True
        if answer.completion not in (MQCC_OK, MQCC_WARNING):
            raise refused(answer.reason, f"{self.where}, user {definition.user or user_name()}")
        self.q_mgr_name, self.connection_id = requests.connected(answer)

    async def close(self) -> None:
        """Disconnect (MQDISC), then close the socket."""
        if self.broken is None:
            try:
                await asyncio.wait_for(self.run(_mqdisc()), DISCONNECT_S)
            except (MQError, TimeoutError):
                pass
        self.drop()

    def drop(self) -> None:
        """Close the socket: the queue manager backs out uncommitted work."""
        self._break(NotConnected(f"{self.where}: the connection is closed", MQRC_HCONN_ERROR))
        self._tell()


def _mqdisc() -> Steps[None]:
    yield seg.MQDISC, 0, b"", 0, True


async def open_async_wire(definitions: Sequence[Definition]) -> AsyncWire:
    """Connect to the first address of the first channel that accepts. Raise the error of the last one."""
    last: MQError | None = None
    for definition in definitions:
        for address in definition.addresses:
            try:
                return await _connected(definition, address)
            except MQError as error:
                last = error
    assert last is not None
    raise last


async def _connected(definition: Definition, address: Address) -> AsyncWire:
    wire = AsyncWire(definition, address)
    try:
        async with asyncio.timeout(definition.timeout):
            await _opened(wire, definition, address)
            await wire.begin()
    except TimeoutError:
        reason = MQRC_HOST_NOT_AVAILABLE if wire._transport is None else MQRC_Q_MGR_NOT_AVAILABLE
        wire.drop()
        raise refused(reason, wire.where, f"no answer in {definition.timeout} seconds") from None
    except BaseException:
        wire.drop()
        raise
    return wire


async def _opened(wire: AsyncWire, definition: Definition, address: Address) -> None:
    """Connect the socket, with TLS if the channel has it. Raises MQError."""
    loop = asyncio.get_running_loop()
    protection = definition.protection
    try:
        if address.directory:
            with socket_path(Path(address.directory)) as path:
                await loop.create_unix_connection(lambda: wire, path)
        elif not protection.cipher_spec:
            await loop.create_connection(lambda: wire, address.host, address.port)
        else:
            context = tls.context(protection, wire.where)
            name = tls.server_name(protection, definition.channel, address.host)
            transport, _ = await loop.create_connection(
                lambda: wire, address.host, address.port, ssl=context, server_hostname=name
            )
            made = transport.get_extra_info("ssl_object")
            tls.check(protection, made.cipher(), made.version(), made.getpeercert(), wire.where)
    except (FileNotFoundError, ConnectionRefusedError) as error:
        if address.directory:
            raise local.not_running(address.directory, wire.where) from None
        raise refused(MQRC_HOST_NOT_AVAILABLE, wire.where, error.strerror or str(error)) from None
    except OSError as error:
        if protection.cipher_spec and isinstance(error, ssl.SSLError):
            raise tls.failed(error, wire.where) from None
        raise refused(MQRC_HOST_NOT_AVAILABLE, wire.where, error.strerror or str(error)) from None
    except UnicodeError:
        raise refused(MQRC_HOST_NOT_AVAILABLE, wire.where, NO_HOST) from None
