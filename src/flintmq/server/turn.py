"""The turn of the loop: data has arrived, engine calls are made, and what is ready is written. Compiled, no asyncio.

Every exchange with a client goes through `received` and, where a call has completed a wait of another client, through
`write_all`. They are functions and not methods: a compiled method of a class that a plain one derives from is looked up
and called as Python's are, at every exchange. What is rare is left to the hub, which is a Turns with a loop, timers and
threads:

    engine_failed    an exception came out of the engine
    house            notices, a checkpoint, waits of others than clients, deleted queues that are not empty yet
    flush            something waits for the log
    set_timer        another deadline is the first
    hold_back        a session's answer is to be late (B140); then `in_time` is called
    go_on            a session has more messages for its client than it hands over at once

How much CPU time a turn takes is measured (`measure`). A clock of CPU time is a system call, which is dear beside a
turn; a clock of time is none. So the latter tells which turns may have been long, and only for these, and for one in
CPU_TURNS, the former is asked: a turn took no more than the time that has passed, and no more than the CPU time since
it was last asked.

The timer is not set anew with every wait that begins or ends, only when a deadline comes before it. It may go off when
nothing is due; then it is set for what is due next.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import mypyc_attr

from flintmq.wire.mq.channel_instance import ChannelInstance
from flintmq.wire.mq.server import Channels, hand_over, next_ready
from flintmq.wire.mq.terms import Gatekeeper

if TYPE_CHECKING:
    from flintmq.server.link import Link
    from flintmq.server.segment_trace import SegmentTrace


#: No turn should take more CPU time than this, whatever one client asks for.
LONG_TURN_S: Final = 0.020
#: The clock of CPU time is asked at least once in so many turns.
CPU_TURNS: Final = 64

thread_time: Final = time.thread_time
monotonic: Final = time.monotonic


@mypyc_attr(allow_interpreted_subclasses=True)
class Turns(Channels):
    """The sessions of one queue manager, their sockets, and what they wait for."""

    def __init__(self, host: Any, gatekeeper: Gatekeeper, process_id: int) -> None:
        super().__init__(host.engine, gatekeeper, process_id)
        self.host = host
        self.links: dict[ChannelInstance, Link] = {}
        #: What waits for the log, in order: by session, (position, bytes). What is made durable later does not hold up
        #: what was ready before.
        self._held: dict[ChannelInstance, deque[tuple[int, bytes]]] = {}
        self._log: Any = host.log
        self._orphans: Any = host.orphans
        self._acquire: Any = host.lock.acquire
        self._release_lock: Any = host.lock.release
        #: When the timer goes off; 0, never.
        self._timer_ms = 0
        #: Turns so far, those of more than LONG_TURN_S, and the longest.
        self.turns_count = 0
        self.long_turns = 0
        self.longest_turn_s = 0.0
        #: CPU time when it was last asked for, and turns since then.
        self.cpu_asked_s: float = thread_time()
        self.turns_unasked = 0
        #: Who hears of what is received and sent, while START TRACE(CHINIT) wants it.
        self.segment_trace: SegmentTrace | None = None

    # -- what the hub does --------------------------------------------------------------------------------------------

    def engine_failed(self, error: BaseException) -> None:
        """An exception came out of the engine."""
        raise error

    def house(self) -> None:
        """Called under the lock for notices, waits of others, queues to be emptied, and a checkpoint that is due."""

    def flush(self) -> None:
        """Called when something waits for the log."""

    def set_timer(self, due_ms: int) -> None:
        """Called when a deadline comes before the timer, which is to go off then."""

    def hold_back(self, session: ChannelInstance, delay_ms: int) -> None:
        """Called instead of writing; `in_time` is to be called when so much time has passed."""

    def go_on(self, session: ChannelInstance) -> None:
        """Called when something was written and there is more; the session's `unblocked` is to be called in a turn."""


def received(turns: Turns, link: Link, session: ChannelInstance, data: bytes) -> None:
    """Data from a client: one turn. After a failure nothing more is done (H4)."""
    engine = turns.engine
    if engine.left:
        return
    began_s: float = monotonic()
    turns._acquire()
    try:
        logged = engine.records_since_checkpoint
        engine.in_turn = True
        calls = session.calls
        session.received(data)
        session.keeps = session.ready and session.answers_together(calls)
        if engine.woken:
            hand_over(turns)
        grown = engine.records_since_checkpoint != logged
        if engine.notices or engine.woken or turns._orphans or (grown and engine.needs_checkpoint()) or engine.clearing:
            turns.house()
        due = engine.next_deadline()
    except BaseException as error:
        turns.engine_failed(error)
        return
    finally:
        engine.in_turn = False
        turns._release_lock()
    first = turns.first_ready
    if first is not None:
        if first is session and turns.last_ready is session and not turns._held and session.may_be_sent(turns._log):
            turns.first_ready = turns.last_ready = None
            if not keeps(session):
                link.write(session.take_out())
        else:
            write_all(turns)
    keep_time(turns, due)
    measure(turns, began_s)


def measure(turns: Turns, began_s: float) -> None:
    """Note how much CPU time a turn took that began at `began_s` and is over."""
    passed_s: float = monotonic() - began_s
    turns.turns_count += 1
    turns.turns_unasked += 1
    if passed_s <= turns.longest_turn_s and passed_s <= LONG_TURN_S and turns.turns_unasked < CPU_TURNS:
        return
    cpu_s: float = thread_time()
    took_s = min(passed_s, cpu_s - turns.cpu_asked_s)
    turns.cpu_asked_s = cpu_s
    turns.turns_unasked = 0
    if took_s > turns.longest_turn_s:
        turns.longest_turn_s = took_s
    if took_s > LONG_TURN_S:
        turns.long_turns += 1


def keep_time(turns: Turns, due_ms: int) -> None:
    """Something is due then, or never if that is 0: the timer goes off then, or before."""
    if due_ms and (due_ms < turns._timer_ms or not turns._timer_ms):
        turns._timer_ms = due_ms
        turns.set_timer(due_ms)


def write_all(turns: Turns) -> None:
    """Every session that has something to send writes it, or waits."""
    session = next_ready(turns)
    while session is not None:
        write(turns, session)
        session = next_ready(turns)
    if turns._held:
        turns.flush()


def write(turns: Turns, session: ChannelInstance) -> None:
    """What a session has to send goes to its socket, which is closed if that was the last. Or it waits:

    keeps       until there is more: a client that has sent a put and a get together needs both answers
    late        until its time has come, and so does all that is said in the meantime
    work        until long work of its last call is done (S5); then the session is ready again
    in _held    until the log is durable, behind what waits already; the caller calls `flush`
    """
    if session.late or session.work is not None:
        return
    if session.delay_ms:
        delay_ms, session.delay_ms = session.delay_ms, 0
        session.late = session.ready = True
        turns.hold_back(session, delay_ms)
        return
    session.ready = False
    held, something = turns._held, len(session.out) > 0
    if (held and session in held) or (something and session.force and session.force > turns._log.durable):
        session.keeps = False
        if something:
            held.setdefault(session, deque()).append((session.force, session.take_out()))
        return
    link: Link | None = session.link
    if link is None:
        session.drop_out()
        return
    if something and not keeps(session):
        link.write(session.take_out())
    if session.more and not session.blocked:  # Else it goes on when the client reads again.
        turns.go_on(session)
    if session.closing:
        link.close()


def keeps(session: ChannelInstance) -> bool:
    """Return whether queued answers are held back; the session is then not ready until the next answer."""
    if not session.keeps:
        return False
    session.keeps = False
    if session.several or session.closing:
        return False
    session.ready = False
    return True


def release_held(turns: Turns) -> None:
    """The log was made durable: send what waited for it, as far as it is covered."""
    durable: int = turns._log.durable
    held = turns._held
    for session in list(held):
        waiting = held[session]
        link: Link | None = session.link
        while waiting and waiting[0][0] <= durable:
            _, data = waiting.popleft()
            if link is not None:
                link.write(data)
        if not waiting:
            del held[session]
            write(turns, session)  # It may have more to send, or be closed now.


def in_time(turns: Turns, session: ChannelInstance) -> None:
    """The answer of `session` was late for long enough."""
    session.late = False
    write(turns, session)
    if turns._held:
        turns.flush()
