"""The hub of a queue manager process: all connections (turn.py), timers, the wait for the log, long work in slices."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from flintmq.host.host import OPEN, Host
from flintmq.qmgr.calls import SLICE
from flintmq.server import refusals
from flintmq.server.admission import Admission, Limits
from flintmq.server.log_flusher import LogFlusher
from flintmq.server.segment_trace import SegmentTrace
from flintmq.server.tls import KeyRepository
from flintmq.server.turn import Turns, keep_time, measure, release_delayed, release_held, write_all
from flintmq.telemetry.trace_file import TraceFile
from flintmq.wire.endpoint import Endpoint
from flintmq.wire.registry import Registry

if TYPE_CHECKING:
    from flintmq.server.link import Link
    from flintmq.wire.origin import Origin

#: The interval of `tick` of endpoints.
TICK_S = 1.0
#: A client that has not authenticated (MQ: MQCONN) within this time is disconnected.
NEGOTIATION_S = 60
#: A client that is disconnected has this time to read the reason: one that does not read would keep its socket.
LINGER_S = 10
#: A timer is set a little late, so that its deadline has passed when it goes off.
_LATE_S = 0.001


class ServingHost(Host):
    """The host of a queue manager that has clients: waits of their connections are theirs to complete."""

    hub: Hub | None = None
    serves_channels = True

    def channels_traced(self, file: TraceFile | None) -> None:
        """Begin or end to trace segments: START TRACE(CHINIT) with a file, or its end."""
        if self.hub is not None:
            self.hub.segment_trace = None if file is None else SegmentTrace(file, self.engine.clock)

    def due_earlier(self) -> None:
        """Have the loop set its timer again: a delayed message is due before everything else."""
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
    """The event loop of one queue manager: its connections, their protocols, timers and the log."""

    def __init__(self, host: ServingHost, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(host)
        self.host: ServingHost = host
        self.loop = loop
        #: The wire protocols that are served.
        self.registry = Registry()
        #: Called by `close`.
        self.on_close: list[Callable[[], None]] = []
        directory = host.instance.directory if host.instance is not None else None
        self.keys = KeyRepository(host.engine, directory) if directory is not None else None
        #: Called once, when the queue manager cannot go on.
        self.on_failure: Callable[[], None] = _nothing
        self.admission = Admission(Limits(1 << 20, 0), host.errors)
        self.flusher = LogFlusher(host, loop, self._release, self._failed)
        self._timer: asyncio.TimerHandle | None = None
        self._ticker = loop.call_later(TICK_S, self._tick)
        self._callers: list[tuple[int, asyncio.Future[None]]] = []
        #: Endpoints with long work, in the order of their next slices.
        self._working: deque[Endpoint] = deque()
        self._work_planned = False
        self._clearing_planned = False
        host.engine.takes_turns = True
        self._refusals_saved = host.engine.refusals_kept
        host.hub = self
        host.channels_traced(host.recording.tracing.channel_file)

    def close(self) -> None:
        """End all turns, timers and protocols."""
        self.save_refusals()
        self.engine.takes_turns = False
        self.host.hub = None
        self._ticker.cancel()
        if self._timer is not None:
            self._timer.cancel()
        for close in self.on_close:
            close()
        self.flusher.close()

    # -- turns --------------------------------------------------------------------------------------------------------

    def run(self, step: Callable[[], None]) -> None:
        """Do one turn: `step` under the lock, then its consequences. After a failure nothing more is done (H4)."""
        host = self.host
        if host.state != OPEN:
            return
        began_s = time.monotonic()
        try:
            with host.call:
                step()
                self.turn()
                self.run_housekeeping()
                due = self.engine.next_deadline()
        except Exception:
            self._failed()
            return
        write_all(self)
        keep_time(self, due)
        measure(self, began_s)

    def begin(self) -> None:
        """Measure turns from now on: the queue manager has started."""
        self.cpu_read_s = time.thread_time()
        self.turns_count = self.long_turns = 0
        self.longest_turn_s = 0.0

    def set_limits(self, limits: Limits) -> None:
        """Set the limits of connections."""
        self.admission.limits = limits

    def takes(self, link: Link, origin: Origin) -> bool:
        """Return whether a new socket is taken. False: close it at once, without telling the client the reason."""
        now, admission = self.loop.time(), self.admission
        why = admission.refusal(now)
        if not why:
            overdue = admission.overdue(now)
            if overdue is not None:
                admission.admitted(overdue)  # It no longer counts as one without authenticated client.
                self.refused(overdue.address, "it was the oldest of too many on which nobody has connected")
                overdue.abort()
            admission.took(link, now)
            return True
        origin.refusal = why
        if admission.telling(link):
            return True
        self.refused(origin.address, why)
        return False

    def refused(self, address: str, why: str) -> None:
        """Write to the error log that a connection is refused because there are too many."""
        self.admission.refused(why, address, self.loop.time())

    def refuses(self, address: str) -> bool:
        """Return whether a protocol blocks connections from `address`, or the queue manager has stopped."""
        refused: list[bool] = []
        protocols = self.registry.protocols
        self.run(lambda: refused.append(any(each.refuses_address(address) for each in protocols)))
        return refused != [False]

    def connections_count(self) -> int:
        """Return the number of clients that are connected to the queue manager."""
        return sum(each.connections_count() for each in self.registry.protocols)

    def instances_count(self) -> int:
        """Return the number of active channels of all protocols."""
        return sum(each.instances_count() for each in self.registry.protocols)

    def quiesce(self, reconnect: bool) -> None:
        """Tell all protocols that the queue manager quiesces; in a turn."""
        for protocol in self.registry.protocols:
            protocol.quiesce(reconnect)

    def farewell(self) -> None:
        """Disconnect all clients with the reason that the queue manager ends; in a turn."""
        for protocol in self.registry.protocols:
            protocol.farewell()

    def engine_failed(self, error: BaseException) -> None:
        """Stop after an exception of the engine: the host writes the reason, and nothing more is done (H4)."""
        try:
            self.host.fail(error)
        except Exception:
            self._failed()

    def run_housekeeping(self) -> None:
        """Do what is due, under the lock: notices, a checkpoint, waits of other threads, emptying of queues."""
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
        """Remove some messages of a deleted queue, in a turn of its own; `run_housekeeping` plans the next."""
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
        for link in list(self.links):
            link.abort()
        self.on_failure()

    def kick(self) -> None:
        """Plan a turn: another thread, or the middle of a turn, has left something for endpoints."""
        self.loop.call_soon_threadsafe(self._kicked)

    def _kicked(self) -> None:
        self.run(_nothing)

    def make_room(self) -> bool:
        """Take a checkpoint, because the log is full. Return True if it has freed space."""
        return self.host.make_room()

    def start_work(self, endpoint: Endpoint) -> None:
        """Do long work in turns of its own, one slice of one endpoint in each, with turns of others in between."""
        self._working.append(endpoint)
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
        """Do one slice for the endpoint that has waited longest."""
        endpoint = self._working.popleft()
        if endpoint.work_on(SLICE):
            self._working.append(endpoint)

    def regulate(self, endpoint: Endpoint) -> None:
        """Read from the socket of `endpoint`, or stop reading, as it says."""
        link = endpoint.link
        if link is not None:
            link.regulate()

    # -- out ----------------------------------------------------------------------------------------------------------

    def delay_output(self, endpoint: Endpoint, delay_ms: int) -> None:
        """Write the output of `endpoint` later, because a page set fills up (B140)."""
        self.loop.call_later(delay_ms / 1000, release_delayed, self, endpoint)

    def resume_streams(self, endpoint: Endpoint) -> None:
        """Continue to send messages to a client that can take many. Others have their turns in between."""
        self.loop.call_soon(self.run, endpoint.resume)

    def flush(self) -> None:
        """Have the log made durable, once for all that wait (log_flusher.py)."""
        self.flusher.flush()

    def _release(self) -> None:
        """Write the output and wake the callers that a flush has covered, and flush again for the others."""
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
        """Set the timer: another wait is the first to end."""
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
        """Look after connections every second: time limits, heartbeats, refusals to be written."""
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
        for link in list(self.links):
            self._limit(link)
            if link.endpoint is not None:
                link.endpoint.tick(now_ms)

    def _limit(self, link: Link) -> None:
        """Disconnect a client that takes too long to authenticate, or to read the reason why it is disconnected."""
        endpoint = link.endpoint
        ending = link.closing or (endpoint is not None and endpoint.closing)
        if endpoint is not None:
            if endpoint.admitted and not ending:
                return
            if endpoint.delayed or endpoint in self._held or endpoint.is_busy():
                return
        if ending and not link.lingers:
            link.lingers, link.overdue_s = True, 0
        link.overdue_s += 1
        if link.overdue_s <= (LINGER_S if ending else NEGOTIATION_S):
            return
        if not ending:
            text = f"nobody has connected on it within {NEGOTIATION_S} seconds"
            self.engine.notice("AMQ9271E", f"The connection from {link.address} was closed: {text}.")
        link.abort()


def _nothing() -> None:
    pass
