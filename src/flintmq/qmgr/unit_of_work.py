"""Units of work: commit, backout, prepare.

    state       event      to            what happens
    ACTIVE      commit     COMMITTED     the unit's records go to the log in one run; puts become available, gets final
    ACTIVE      backout    BACKED_OUT    nothing was logged, nothing is; puts vanish, gets are available again
    ACTIVE      prepare    PREPARED      the records go to the log, closed by PREPARE; nothing becomes visible
    PREPARED    commit     COMMITTED     RESOLVE(commit) goes to the log; then as above
    PREPARED    backout    BACKED_OUT    RESOLVE(back out) goes to the log; then as above

A pair that is not in MOVES is a bug of ours, not an answer to an application.

Because a unit reaches the log only when it is decided (U2), backing out costs no log space, a checkpoint has nothing to
say about active units, and a long-running unit never keeps the log from being reused. The price is that a unit's data
is in memory until it is committed, which MAXUMSGS bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.log.errors import LogError
from flintmq.mqi.reason import (
    MQCC_OK,
    MQRC_BACKED_OUT,
    MQRC_ENVIRONMENT_ERROR,
    MQRC_NONE,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SYNCPOINT_LIMIT_REACHED,
)
from flintmq.qmgr import own_puts
from flintmq.qmgr.connection import (
    UNIT_ACTIVE,
    UNIT_BACKED_OUT,
    UNIT_COMMITTED,
    UNIT_PREPARED,
    Connection,
    Unit,
    fail,
    not_usable,
    succeed,
    warn,
)
from flintmq.qmgr.message import GET_PENDING, PUT_PENDING, REMOVED, Message, pack_header
from flintmq.qmgr.records import (
    BACKOUT,
    COPY,
    COUNT,
    FIRST,
    GET,
    GETS,
    GETS_MAX,
    LAST,
    ONLY,
    PREPARE,
    PUT,
    RESOLVE,
    pack_place,
)

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

COMMIT_EVENT: Final = 0
BACKOUT_EVENT: Final = 1
PREPARE_EVENT: Final = 2

MOVES: Final[dict[tuple[int, int], int]] = {
    (UNIT_ACTIVE, COMMIT_EVENT): UNIT_COMMITTED,
    (UNIT_ACTIVE, BACKOUT_EVENT): UNIT_BACKED_OUT,
    (UNIT_ACTIVE, PREPARE_EVENT): UNIT_PREPARED,
    (UNIT_PREPARED, COMMIT_EVENT): UNIT_COMMITTED,
    (UNIT_PREPARED, BACKOUT_EVENT): UNIT_BACKED_OUT,
}


class IllegalMove(Exception):
    """A unit of work was asked for a move that its state does not have: our bug."""


def move(unit: Unit, event: int) -> int:
    """Make the move and return the state the unit was in."""
    before = unit.state
    target = MOVES.get((before, event))
    if target is None:
        raise IllegalMove(f"unit in state {before} was given event {event}")
    unit.state = target
    return before


def current_unit(qm: QueueManager, connection: Connection) -> Unit:
    """The unit of work of `connection`; a new one if there is none."""
    unit = connection.unit
    if unit is None:
        unit = Unit()
        unit.started_ms = qm.clock.now_ms()
        connection.unit = unit
    return unit


def add_to_unit(connection: Connection, message: Message, now: int) -> Unit:
    """Enter a message that was put or got in the unit of work of `connection`, which may begin with it."""
    unit = connection.unit
    if unit is None:
        unit = Unit()
        unit.started_ms = now
        connection.unit = unit
    unit.work.append(message)
    if message.logged:
        unit.persistent = True
    return unit


def room_in_unit(qm: QueueManager, connection: Connection) -> int:
    """The reason why one more message cannot go into the unit of work, or MQRC_NONE."""
    unit = connection.unit
    if unit is None:
        return MQRC_NONE
    if unit.doomed:
        return MQRC_BACKED_OUT
    if unit.counted() >= qm.max_uncommitted:
        return MQRC_SYNCPOINT_LIMIT_REACHED
    return MQRC_NONE


def commit(qm: QueueManager, connection: Connection) -> int:
    """MQCMIT. The application may hear of it when the log is durable up to `connection.force`."""
    connection.force = 0
    if not connection.usable:
        return fail(connection, not_usable(connection))
    if connection.in_global_unit:
        return fail(connection, MQRC_ENVIRONMENT_ERROR)
    qm.counters.commits += 1
    unit = connection.unit
    if unit is None:
        return succeed(connection)
    if unit.doomed:
        backout_unit(qm, connection, unit)
        connection.unit = None
        return warn(connection, MQRC_BACKED_OUT)
    if unit.persistent:
        try:
            connection.force = log_work(qm, unit, LAST)
        except LogError:
            return fail(connection, MQRC_RESOURCE_PROBLEM)
    connection.unit = None
    assert unit.state == UNIT_ACTIVE
    unit.state = UNIT_COMMITTED
    settle(qm, unit, connection.force)
    connection.completion = MQCC_OK
    connection.reason = MQRC_NONE
    return MQRC_NONE


def backout(qm: QueueManager, connection: Connection) -> int:
    """MQBACK."""
    connection.force = 0
    if not connection.usable:
        return fail(connection, not_usable(connection))
    if connection.in_global_unit:
        return fail(connection, MQRC_ENVIRONMENT_ERROR)
    qm.counters.backouts += 1
    unit = connection.unit
    connection.unit = None
    if unit is not None:
        backout_unit(qm, connection, unit)
    return succeed(connection)


def log_work(qm: QueueManager, unit: Unit, last: int) -> int:
    """Write the unit's records; the last one carries `last`. Returns the position to force, 0 if nothing was logged."""
    return log_run(qm, unit.work, last)


def log_run(qm: QueueManager, work: list[Message], last: int) -> int:
    """Log those of `work` that are logged as one run of records; the last carries `last`. The position to force, or 0.

    A put whose data is the data of the put logged before it (a copy, another subscriber) does not repeat it. Gets that
    follow each other share a record.
    """
    left = 0
    for message in work:
        if message.logged:
            left += 1
    end = 0
    flag = FIRST
    shared: bytes | None = None
    gets: list[bytes] = []
    for message in work:
        if not message.logged:
            continue
        left -= 1
        if message.state == GET_PENDING:
            gets.append(pack_place(message.queue.queue_id, message.sequence, message.lane))
            if left == 0:
                return log_gets(qm, gets, flag | last)
            if len(gets) == GETS_MAX:
                log_gets(qm, gets, flag)
                flag = 0
                gets = []
            continue
        if gets:
            log_gets(qm, gets, flag)
            flag = 0
            gets = []
        if left == 0:
            flag |= last
        if message.data is shared:
            end = log_copy(qm, message, flag)
        else:
            end = log_put(qm, message, flag)
            shared = message.data
        flag = 0
    return end


def log_copy(qm: QueueManager, message: Message, flag: int) -> int:
    """Log the put of a persistent message whose data the PUT record before it in the run has."""
    body = pack_place(message.queue.queue_id, message.sequence, message.lane) + pack_header(message)
    return qm.append(COPY | flag, body)


def log_put(qm: QueueManager, message: Message, flag: int) -> int:
    """Log the put of a persistent message."""
    body = pack_place(message.queue.queue_id, message.sequence, message.lane) + pack_header(message)
    return qm.append(PUT | flag, body, message.data)


def log_get(qm: QueueManager, message: Message, flag: int) -> int:
    """Log that a message was got."""
    return qm.append(GET | flag, pack_place(message.queue.queue_id, message.sequence, message.lane))


def log_gets(qm: QueueManager, places: list[bytes], flag: int) -> int:
    """Log that the messages at `places` were got."""
    if len(places) == 1:
        return qm.append(GET | flag, places[0])
    return qm.append(GETS | flag, b"".join(places))


def settle(qm: QueueManager, unit: Unit, log_end: int) -> None:
    """The unit is committed: make its puts available and its gets final, in the order in which they were made."""
    available: list[Message] = []
    for message in unit.work:
        if message.state == PUT_PENDING:
            message.log_end = log_end
            queue = message.queue
            queue.make_available(message)
            if queue.waiting or queue.watched:
                available.append(message)
        elif message.state == GET_PENDING:
            message.queue.remove(message)
    unit.work = []
    if unit.locks is not None:
        own_puts.keep_locks(unit.locks)
    for message in available:
        qm.available(message.queue, message)
    if unit.triggers is not None:
        qm.unit_ended(unit, True)


def backout_unit(qm: QueueManager, connection: Connection | None, unit: Unit) -> None:
    """Undo an active or prepared unit."""
    move(unit, BACKOUT_EVENT)
    if connection is not None:
        restore_groups(connection, unit)
    kept = unit.skip_backout
    unit.skip_backout = None
    work = unit.work
    unit.work = []
    returned: list[Message] = []
    for message in reversed(work):
        if message.state == PUT_PENDING:
            message.queue.counts.rolled_back_puts += 1
            message.queue.remove(message)
        elif message.state == REMOVED:  # Put and got in this unit (U4).
            message.queue.counts.rolled_back_puts += 1
            message.queue.counts.rolled_back_gets += 1
        elif message is kept and connection is not None:
            fresh = Unit()
            fresh.started_ms = qm.clock.now_ms()
            fresh.work.append(message)
            fresh.persistent = message.logged
            connection.unit = fresh
        else:
            if not qm.replaying:  # The count is not of the log, or in a record of its own.
                count_backout(qm, message)
            message.queue.counts.rolled_back_gets += 1
            message.queue.make_available(message)
            returned.append(message)
    for message in reversed(returned):
        qm.available(message.queue, message)
    if unit.triggers is not None:
        qm.unit_ended(unit, False)


def restore_groups(connection: Connection, unit: Unit) -> None:
    """Groups and logical messages that the unit has begun or gone on with are where they were before it (G2, L1)."""
    for handle in connection.handles.values():
        if handle.put_group_unit is unit:
            handle.put_group = handle.put_group_before
            handle.put_group_unit = None
        if handle.get_group_unit is unit:
            handle.get_group = handle.get_group_before
            handle.get_group_unit = None


def count_backout(qm: QueueManager, message: Message) -> None:
    """A get was backed out. With HARDENBO the count survives a restart; nobody waits for it to be durable."""
    queue = message.queue
    message.backout_count += 1
    hardened = message.logged and queue.rules.harden_backout
    if hardened:
        try:
            qm.append(BACKOUT | ONLY, COUNT.pack(queue.queue_id, message.sequence, message.lane, message.backout_count))
        except LogError:
            hardened = False  # The backout itself needs no log; only the count would be forgotten by a restart.
    queue.pager.backed_out(message, hardened)
    if queue.selections is not None:
        queue.selections.backed_out(message)


def prepare_unit(qm: QueueManager, unit: Unit) -> int:
    """Log a unit as prepared; returns the position to force."""
    own_puts.drop_own_gets(unit)
    flag = LAST if log_work(qm, unit, 0) else ONLY
    end = qm.append(PREPARE | flag, unit.xid)
    move(unit, PREPARE_EVENT)
    return end


def resolve_unit(qm: QueueManager, unit: Unit, commit_it: bool, heuristic: bool) -> int:
    """Commit or back out a prepared unit; returns the position to force. `heuristic`: an administrator decided it."""
    decision = (1 if commit_it else 0) + (2 if heuristic else 0)
    end = qm.append(RESOLVE | ONLY, bytes([decision]) + unit.xid)
    if commit_it:
        move(unit, COMMIT_EVENT)
        settle(qm, unit, end)
    else:
        backout_unit(qm, None, unit)
    return end
