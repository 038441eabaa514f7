"""What all sockets of a queue manager process share beside the turn (turn.py): the wait for the log, the clock."""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from flintmq.channel.identity import Identity
from flintmq.channel.session import AGREED, Session
from flintmq.channel.streaming import Stream
from flintmq.channel.terms import Gatekeeper
from flintmq.host.host import OPEN, Host
from flintmq.qmgr.calls import SLICE
from flintmq.server import refusals
from flintmq.server.admission import Admission, Limits
from flintmq.server.gatekeeper import without_port
from flintmq.server.log_flusher import LogFlusher
from flintmq.server.password_checks import PasswordChecks
from flintmq.server.segment_trace import SegmentTrace
from flintmq.server.tls import KeyRepository
from flintmq.server.turn import Turns, in_time, keep_time, measure, release_held, write_all
from flintmq.telemetry.trace_file import TraceFile

if TYPE_CHECKING:
    from flintmq.server.link import Link

#: How often heartbeats and streams that could not be read are looked at.
TICK_S = 1.0
#: A client that has not connected (MQCONN) within so many seconds is disconnected: nobody knows yet who it is.
NEGOTIATION_S = 60
#: So long a client that is disconnected has to read why. One that does not read would keep its socket for ever.
LINGER_S = 10
#: A client that may not have heard that it should ask is told again after so long, then after twice as long ...
REMIND_S = 0.002
REMIND_MAX_S = 2.0
#: A timer is set a little late, so that what is due is due when it goes off.
_LATE_S = 0.001


class ServingHost(Host):
    """The host of a queue manager that has clients: waits of their connections are theirs to complete."""

    hub: Hub | None = None
    serves_channels = True

    def channels_traced(self, file: TraceFile | None) -> None:
        """START TRACE(CHINIT) has begun, with a file, or has ended."""
        if self.hub is not None:
            self.hub.segment_trace = None if file is None else SegmentTrace(file, self.engine.clock)

    def due_earlier(self) -> None:
        """A delayed message is due before everything else: the loop sets its timer again."""
        if self.hub is not None:
            self.hub.kick()

    def wake(self) -> None:
        """Wake the owners of waits. Called under the lock, also by the timer's thread."""
        hub = self.hub
        if hub is not None and hub.adopt():
            super().wake()
            hub.kick()
        else:
            super().wake()


class Hub(Turns):
    """The sessions of one queue manager, and their sockets."""

    def __init__(self, host: ServingHost, gatekeeper: Gatekeeper, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(host, gatekeeper, os.getpid())
        self.host: ServingHost = host
        self.loop = loop
        directory = host.instance.directory if host.instance is not None else None
        self.keys = KeyRepository(host.engine, directory) if directory is not None else None
        #: Called once, when the queue manager cannot go on.
        self.on_failure: Callable[[], None] = _nothing
        self.admission = Admission(Limits(1 << 20, 0), host.errors)
        self.checks = PasswordChecks(self, loop, self.run)
        self.flusher = LogFlusher(host, loop, self._release, self._failed)
        self._timer: asyncio.TimerHandle | None = None
        self._ticker = loop.call_later(TICK_S, self._tick)
        self._callers: list[tuple[int, asyncio.Future[None]]] = []
        #: Sessions whose last call has long work to do, in turn (S5).
        self._working: deque[Session] = deque()
        self._work_planned = False
        self._clearing_planned = False
        host.engine.takes_turns = True
        self._refusals_saved = host.engine.refusals_kept
        host.hub = self
        host.channels_traced(host.recording.tracing.channel_file)

    def close(self) -> None:
        """No more turns."""
        self.save_refusals()
        self.engine.takes_turns = False
        self.host.hub = None
        self._ticker.cancel()
        if self._timer is not None:
            self._timer.cancel()
        self.checks.close()
        self.flusher.close()

    # -- turns --------------------------------------------------------------------------------------------------------

    def run(self, step: Callable[[], None]) -> None:
        """One turn: `step` under the lock, then what follows from it. After a failure nothing more is done (H4)."""
        host = self.host
        if host.state != OPEN:
            return
        began_s = time.monotonic()
        try:
            with host.call:
                step()
                self.turn()
                self.house()
                due = self.engine.next_deadline()
        except Exception:
            self._failed()
            return
        write_all(self)
        keep_time(self, due)
        measure(self, began_s)

    def begin(self) -> None:
        """The queue manager has started: turns are measured from here on."""
        self.cpu_asked_s = time.thread_time()
        self.turns_count = self.long_turns = 0
        self.longest_turn_s = 0.0

    def set_limits(self, limits: Limits) -> None:
        """How many connections are taken."""
        self.admission.limits = limits
        self.channels_max = limits.channels_max

    def takes(self, session: Session) -> bool:
        """Whether a new socket is taken. False: close it at once, for nobody can be told why."""
        now, admission = self.loop.time(), self.admission
        why = admission.refusal(now)
        if not why:
            overdue = admission.overdue(now)
            if overdue is not None:
                admission.admitted(overdue)  # It no longer counts as one that nobody has connected on.
                self.refused(overdue, "it was the oldest of too many on which nobody has connected")
                if overdue.link is not None:
                    overdue.link.abort()
            admission.took(session, now)
            return True
        session.unwelcome = why
        if admission.telling(session):
            return True
        self.refused(session, why)
        return False

    def refused(self, session: Session, why: str) -> None:
        """A connection is refused because there are too many."""
        self.admission.refused(why, session.address, self.loop.time())

    def admitted(self, session: Session) -> None:
        """Somebody has connected: the socket is no longer one of those that may be closed for a newcomer."""
        self.admission.admitted(session)

    def refuses(self, address: str) -> bool:
        """Whether nobody may connect from `address`."""
        refused: list[bool] = []
        self.run(lambda: refused.append(self.gatekeeper.refuses_address(without_port(address))))
        return refused != [False]

    def engine_failed(self, error: BaseException) -> None:
        """An exception came out of the engine: the host tells why, and nothing more is done (H4)."""
        try:
            self.host.fail(error)
        except Exception:
            self._failed()

    def house(self) -> None:
        """Under the lock: notices, checkpoint, waits of others than clients, and queues that are to be emptied."""
        engine = self.engine
        if engine.notices:
            self.host.write_notices()
        if engine.needs_checkpoint():
            engine.checkpoint()
        if engine.woken or self.host.orphans:
            self.host.settle(self.host.housekeeper())
        if engine.clearing and not self._clearing_planned:
            self._clearing_planned = True
            self.loop.call_soon(self._clear)

    def _clear(self) -> None:
        """Remove some messages of a deleted queue, in a turn of its own; `house` plans the next."""
        self._clearing_planned = False
        self.run(self._clear_some)

    def _clear_some(self) -> None:
        if self.engine.clearing:
            self.engine.clear_some()

    def _failed(self) -> None:
        """Close every socket and end every wait for the log: the queue manager has stopped, as the host has told."""
        callers, self._callers = self._callers, []
        for _, caller in callers:
            if not caller.done():
                caller.set_exception(ConnectionResetError("the queue manager has stopped"))
        for link in list(self.links.values()):
            link.abort()
        self.on_failure()

    def kick(self) -> None:
        """Something was left for the sessions by another thread, or in the middle of a turn."""
        self.loop.call_soon_threadsafe(self._kicked)

    def _kicked(self) -> None:
        self.run(_nothing)

    def make_room(self) -> bool:
        """The log is full: a checkpoint frees what it can."""
        return self.host.make_room()

    def check_password(self, session: Session, identity: Identity) -> bool:
        """A thread compares it (password_checks.py)."""
        self.checks.ask(session, identity)
        return True

    def start_work(self, session: Session) -> None:
        """Long work is done in turns of its own, one slice of one session in each, with those of others in between."""
        self._working.append(session)
        if not self._work_planned:
            self._work_planned = True
            self.loop.call_soon(self._work)

    def _work(self) -> None:
        self._work_planned = False
        self.run(self._work_on)
        if self.host.state != OPEN:
            self._working.clear()
        if self._working and not self._work_planned:
            self._work_planned = True
            self.loop.call_soon(self._work)

    def _work_on(self) -> None:
        """One slice, of the session that has waited longest for one."""
        session = self._working.popleft()
        if session.work_on(SLICE):
            self._working.append(session)

    def remind_later(self, stream: Stream) -> None:
        """Tell a client that it should ask, until it does or there is no get of it that waits."""
        self.loop.call_later(REMIND_S, self._remind, stream, REMIND_S)

    def _remind(self, stream: Stream, after_s: float) -> None:
        told: list[bool] = []
        self.run(lambda: told.append(stream.remind()))
        if told == [True] and after_s < REMIND_MAX_S:
            self.loop.call_later(2 * after_s, self._remind, stream, 2 * after_s)

    def forget_check(self, session: Session) -> None:
        """Nobody waits for it any more."""
        self.checks.forget(session)

    def regulate(self, session: Session) -> None:
        """The socket of `session` is read from, or no longer."""
        link = session.link
        if link is not None:
            link.regulate()

    def started(self, session: Session) -> None:
        """A client has named its channel: the system looks after the socket as the channel says (KAINT)."""
        super().started(session)
        link = session.link
        if link is not None and session.terms is not None:
            link.keep_alive(session.terms.keep_alive_interval)

    # -- out ----------------------------------------------------------------------------------------------------------

    def hold_back(self, session: Session, delay_ms: int) -> None:
        """A reply is held back because a page set fills up (B140)."""
        self.loop.call_later(delay_ms / 1000, in_time, self, session)

    def go_on(self, session: Session) -> None:
        """The next messages for a client that can take many. Others have their turns in between."""
        self.loop.call_soon(self.run, session.unblocked)

    def flush(self) -> None:
        """Have the log made durable, once for all who wait (log_flusher.py)."""
        self.flusher.flush()

    def _release(self) -> None:
        """After a flush: answer the clients that it covers, and flush again for the others."""
        release_held(self)
        if self._callers:
            durable = self._log.durable
            callers, self._callers = self._callers, []
            for position, caller in callers:
                if position > durable:
                    self._callers.append((position, caller))
                elif not caller.done():
                    caller.set_result(None)
        if self._held or self._callers:
            self.flusher.flush()

    async def durable(self, position: int) -> None:
        """Wait until the log is durable up to `position`. Raises ConnectionResetError if it cannot be written."""
        if position > self.host.log.durable:
            caller = self.loop.create_future()
            self._callers.append((position, caller))
            self.flush()
            await caller

    # -- the clock ----------------------------------------------------------------------------------------------------

    def set_timer(self, due_ms: int) -> None:
        """Another wait is the first to be over."""
        if self._timer is not None:
            self._timer.cancel()
        in_s = max(0, due_ms - self.engine.clock.now_ms()) / 1000 + _LATE_S
        self._timer = self.loop.call_later(in_s, self._timer_went_off)

    def _timer_went_off(self) -> None:
        self._timer = None
        self._timer_ms = 0
        self.run(self._expire)

    def _expire(self) -> None:
        self.engine.expire_waits()

    def _tick(self) -> None:
        """Every second: heartbeats, and queues that could not be read."""
        self._ticker = self.loop.call_later(TICK_S, self._tick)
        self.run(self._look_around)
        self.admission.tell(self.loop.time())
        self.save_refusals()

    def save_refusals(self) -> None:
        """Write the last refusals down, if there are new ones."""
        instance = self.host.instance
        if instance is not None and self._refusals_saved != self.engine.refusals_kept:
            self._refusals_saved = self.engine.refusals_kept
            refusals.save(instance.errors_directory, self.engine.refusals)

    def _look_around(self) -> None:
        now_ms = self.engine.clock.now_ms()
        for session, link in list(self.links.items()):
            if session.state != AGREED or not session.admitted:
                self._hurry(session, link)
        for session in list(self.sessions):
            self.look_at(session, now_ms)
            session.idle_s += 1
            interval = session.heartbeat_interval
            if session.checking is not None or session.work is not None:
                session.idle_s = 0  # Its answer to a heartbeat would not be read now (S4).
            if interval and session.idle_s >= interval and session.state == AGREED and session.listens():
                if session.heartbeat_due():
                    session.idle_s = 0
                else:
                    text = f"The connection from {session.address} was closed: it did not answer a heartbeat."
                    self.engine.notice("AMQ9259E", text)
                    session.end()
            for conversation in session.conversations.values():
                for stream in list(conversation.streams.values()):
                    if stream.stalled:
                        stream.try_again()

    def _hurry(self, session: Session, link: Link) -> None:
        """Whoever takes too long, at the beginning or at the end, is disconnected."""
        if session.late or session in self._held or session.checking is not None:
            return
        session.overdue_s += 1
        if session.overdue_s <= (LINGER_S if session.closing else NEGOTIATION_S):
            return
        if not session.closing:
            text = f"nobody has connected on it within {NEGOTIATION_S} seconds"
            self.engine.notice("AMQ9271E", f"The connection from {session.address} was closed: {text}.")
        link.abort()


def _nothing() -> None:
    pass
