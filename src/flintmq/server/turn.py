"""The turn of the event loop: bytes arrive, an endpoint makes engine calls, all ready endpoints write. No asyncio here.

Every exchange goes through `received` and, if a call has completed a wait of another connection, through `write_all`.
They are functions and not methods: a compiled method of a class that a plain one derives from is looked up and called
as Python's are, at every exchange. Rare work is left to the hub, which is a Turns with a loop, timers and threads:

    engine_failed       an exception came out of the engine
    run_housekeeping    notices, a checkpoint, waits of other threads, deleted queues that are not empty yet
    flush               output waits for the log
    set_timer           a new deadline comes before all others
    delay_output        output of an endpoint is delayed (B140); then `release_delayed` is called
    resume_streams      an endpoint has more output than it hands over at once

The CPU time of turns is measured (`measure`). Reading the CPU clock is a system call, which costs much beside a turn;
reading the monotonic clock is none. So the monotonic clock finds the turns that may have been long, and only for these,
and for one turn in CPU_TURNS, the CPU clock is read: a turn took at most the time that has passed, and at most the CPU
time since the last reading.

The timer is not set anew with every wait that begins or ends, only when a deadline comes before it. It may go off when
nothing is due; then it is set for the next deadline.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import mypyc_attr

from flintmq.wire.endpoint import Endpoint, EndpointHost, hand_over, next_ready

if TYPE_CHECKING:
    from flintmq.server.link import Link
    from flintmq.server.segment_trace import SegmentTrace


#: No turn should take more CPU time than this, whatever one client asks for.
LONG_TURN_S: Final = 0.020
#: The CPU clock is read at least once in this number of turns.
CPU_TURNS: Final = 64

thread_time: Final = time.thread_time
monotonic: Final = time.monotonic


@mypyc_attr(allow_interpreted_subclasses=True)
class Turns(EndpointHost):
    """The connections of one queue manager, and their output that waits for the log."""

    def __init__(self, host: Any) -> None:
        super().__init__(host.engine)
        self.host = host
        self.links: set[Link] = set()
        #: Output that waits for the log, in order: by endpoint, (position, bytes). Output that is durable later does
        #: not hold up output before it.
        self._held: dict[Endpoint, deque[tuple[int, bytes]]] = {}
        self._log: Any = host.log
        self._orphans: Any = host.orphans
        self._acquire: Any = host.lock.acquire
        self._release_lock: Any = host.lock.release
        #: Time at which the timer goes off; 0, never.
        self._timer_ms = 0
        #: Turns so far, those of more than LONG_TURN_S, and the longest.
        self.turns_count = 0
        self.long_turns = 0
        self.longest_turn_s = 0.0
        #: CPU time at the last reading of its clock, and turns since then.
        self.cpu_read_s: float = thread_time()
        self.turns_unread = 0
        #: The trace of received and sent bytes, between START TRACE(CHINIT) and its end.
        self.segment_trace: SegmentTrace | None = None

    # -- implemented by the hub ---------------------------------------------------------------------------------------

    def engine_failed(self, error: BaseException) -> None:
        """Stop the queue manager: an exception came out of the engine."""
        raise error

    def run_housekeeping(self) -> None:
        """Write notices, hand over waits of other threads, plan the emptying of queues, take a checkpoint."""

    def flush(self) -> None:
        """Have the log made durable: output waits for it."""

    def set_timer(self, due_ms: int) -> None:
        """Set the timer to `due_ms`, which comes before its present time."""

    def delay_output(self, endpoint: Endpoint, delay_ms: int) -> None:
        """Call `release_delayed` for `endpoint` after `delay_ms` milliseconds."""

    def resume_streams(self, endpoint: Endpoint) -> None:
        """Call `endpoint.resume` in a turn: its output was written, and it has more."""


def received(turns: Turns, link: Link, endpoint: Endpoint, data: bytes) -> None:
    """Do one turn with bytes from a client. After a failure of the engine nothing more is done (H4)."""
    engine = turns.engine
    if engine.left:
        return
    began_s: float = monotonic()
    turns._acquire()
    try:
        logged = engine.records_since_checkpoint
        engine.in_turn = True
        endpoint.received(data)
        if engine.woken:
            hand_over(turns)
        grown = engine.records_since_checkpoint != logged
        if engine.notices or engine.woken or turns._orphans or (grown and engine.needs_checkpoint()) or engine.clearing:
            turns.run_housekeeping()
        due = engine.next_deadline()
    except BaseException as error:
        turns.engine_failed(error)
        return
    finally:
        engine.in_turn = False
        turns._release_lock()
    first = turns.first_ready
    if first is not None:
        if first is endpoint and turns.last_ready is endpoint and not turns._held and endpoint.may_be_sent(turns._log):
            turns.first_ready = turns.last_ready = None
            if not stays_corked(endpoint):
                link.write(endpoint.take_out())
        else:
            write_all(turns)
    keep_time(turns, due)
    measure(turns, began_s)


def measure(turns: Turns, began_s: float) -> None:
    """Record the CPU time of a turn that began at `began_s` and has just ended."""
    passed_s: float = monotonic() - began_s
    turns.turns_count += 1
    turns.turns_unread += 1
    if passed_s <= turns.longest_turn_s and passed_s <= LONG_TURN_S and turns.turns_unread < CPU_TURNS:
        return
    cpu_s: float = thread_time()
    took_s = min(passed_s, cpu_s - turns.cpu_read_s)
    turns.cpu_read_s = cpu_s
    turns.turns_unread = 0
    if took_s > turns.longest_turn_s:
        turns.longest_turn_s = took_s
    if took_s > LONG_TURN_S:
        turns.long_turns += 1


def keep_time(turns: Turns, due_ms: int) -> None:
    """Have the timer go off at `due_ms` or before; 0 stands for no deadline."""
    if due_ms and (due_ms < turns._timer_ms or not turns._timer_ms):
        turns._timer_ms = due_ms
        turns.set_timer(due_ms)


def write_all(turns: Turns) -> None:
    """Write the output of all ready endpoints, or let it wait."""
    endpoint = next_ready(turns)
    while endpoint is not None:
        write(turns, endpoint)
        endpoint = next_ready(turns)
    if turns._held:
        turns.flush()


def write(turns: Turns, endpoint: Endpoint) -> None:
    """Write the output of `endpoint` to its socket, and close the socket if it was the last. Or let the output wait:

    corked      until there is more: a client that has sent a put and a get together needs both answers
    delayed     until its delay is over, together with all output in the meantime
    work        until the long work of a call is done; then the endpoint is ready again
    in _held    until the log is durable, behind output that waits already; the caller calls `flush`
    """
    if endpoint.delayed:
        return
    if endpoint.work is not None:
        endpoint.ready = False
        return
    if endpoint.delay_ms:
        delay_ms, endpoint.delay_ms = endpoint.delay_ms, 0
        endpoint.delayed = endpoint.ready = True
        turns.delay_output(endpoint, delay_ms)
        return
    endpoint.ready = False
    held, has_output = turns._held, len(endpoint.out) > 0
    if (held and endpoint in held) or (has_output and endpoint.force and endpoint.force > turns._log.durable):
        endpoint.corked = False
        if has_output:
            held.setdefault(endpoint, deque()).append((endpoint.force, endpoint.take_out()))
        return
    link: Link | None = endpoint.link
    if link is None:
        endpoint.drop_out()
        return
    if has_output and not stays_corked(endpoint):
        link.write(endpoint.take_out())
    if endpoint.more and not endpoint.blocked:  # Else it resumes when the client reads again.
        turns.resume_streams(endpoint)
    if endpoint.closing:
        link.close()


def stays_corked(endpoint: Endpoint) -> bool:
    """Return whether queued output waits for more of it; the endpoint is then not ready until there is more."""
    if not endpoint.corked:
        return False
    endpoint.corked = False
    if endpoint.several or endpoint.closing:
        return False
    endpoint.ready = False
    return True


def release_held(turns: Turns) -> None:
    """Write the output that waited for the log, up to its durable position."""
    durable: int = turns._log.durable
    held = turns._held
    for endpoint in list(held):
        waiting = held[endpoint]
        link: Link | None = endpoint.link
        while waiting and waiting[0][0] <= durable:
            _, data = waiting.popleft()
            if link is not None:
                link.write(data)
        if not waiting:
            del held[endpoint]
            write(turns, endpoint)  # There may be more output, or the socket is to be closed now.


def release_delayed(turns: Turns, endpoint: Endpoint) -> None:
    """Write output that was delayed (B140): its delay is over."""
    endpoint.delayed = False
    write(turns, endpoint)
    if turns._held:
        turns.flush()
