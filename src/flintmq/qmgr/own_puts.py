"""A unit of work sees its own uncommitted puts: a get or browse in the unit finds them, no other one does.

    call in the unit that has put the message      finds it
    MQGET with MQGMO_SYNCPOINT                     yes
    MQGET with MQGMO_SYNCPOINT_IF_PERSISTENT       if the message is persistent: else the get is outside the unit
    MQGET with MQGMO_NO_SYNCPOINT, or neither      no: the get is outside the unit
    browse, with and without lock                  yes
    any call that is not in the unit               no

A message that has expired is not found either; it expires when the unit has been committed.

A message that is got in the unit that put it leaves its queue at once, whatever happens to the unit: after a commit
it was put and got, after a backout it was never put. It stays in `Unit.work` in state REMOVED and is no longer
`logged`, so no record of it reaches the log (U4 in connection.py). The put and the get both count for MAXUMSGS.

How it is found. A message under an uncommitted put stands in its place on its queue, in every index and selection, and
every search passes over it because of its state. So a search by others costs what it did before, and a get in a unit
makes two searches: the ordinary one, and one in `OwnPuts`, the list of what the unit has put on that queue. The message
that comes first in the order of delivery is returned.

    Unit.put_queue   a queue that the unit has put on, and `Unit.put_elsewhere` if there are others: a unit that gets
                     from one queue and puts on another one is not looked at
    OwnPuts          made when a get or browse first asks for it, and brought up to date when it asks again: a unit
                     that never gets what it has put pays nothing
    View             what one call may see of an OwnPuts: expiry, persistence and browse locks are considered

A browse lock on such a message hides it from the other handles of the connection. `Unit.locks` has the handles that
hold one, so that a commit makes the message available and locks it in one step.

    W1  Every message of an OwnPuts is in the work of its unit, is on the queue of the OwnPuts and was put in the unit.
    W2  The rows ascend by sequence; no message in state PUT_PENDING stands before the head of its row.
    W3  `put_queue` and `put_elsewhere` of an active unit cover every queue that has an uncommitted put of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
)
from flintmq.qmgr.connection import UNIT_ACTIVE, Handle, OwnPuts, Row, Unit
from flintmq.qmgr.lane import comes_before
from flintmq.qmgr.message import AVAILABLE, GET_PENDING, LOCKED, NO_ID, PUT_PENDING, REMOVED, Acceptor, Message

if TYPE_CHECKING:
    from flintmq.qmgr.queue import Queue
    from flintmq.qmgr.wanted import Wanted

_BROWSE: Final = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR
_SEES: Final = MQGMO_SYNCPOINT | MQGMO_SYNCPOINT_IF_PERSISTENT | _BROWSE


class View:
    """What one get or browse may see of an OwnPuts."""

    def __init__(self, puts: OwnPuts, unit: Unit, handle: Handle, persistent_only: bool, now: int) -> None:
        self.puts = puts
        self.unit = unit
        self.handle = handle
        self.persistent_only = persistent_only
        self.now = now

    def has(self, message: Message) -> bool:
        """True if the call may take or browse `message`, which is on the queue, because its own unit has put it."""
        if message.state != PUT_PENDING or message.sequence not in self.puts.sequences:
            return False
        if self.persistent_only and message.persistence != 1:
            return False
        if message.expires_ms and message.expires_ms <= self.now:
            return False
        return not is_locked(self.unit, message, self.handle)

    def earlier(self, found: Message | None, queue: Queue, wanted: Wanted, accept: Acceptor) -> Message | None:
        """Return the first of the unit's own messages that `accept` takes, or `found` if that comes before it.

        `found` is what a search among the available messages has returned; `wanted` says which index can be used.
        """
        own = self._find(queue, wanted, accept)
        if own is None or (found is not None and comes_before(found, own)):
            return found
        return own

    def _find(self, queue: Queue, wanted: Wanted, accept: Acceptor) -> Message | None:
        if wanted.correl_id != NO_ID:
            return self._among(queue.index_by_correl_id().messages(wanted.correl_id), accept)
        if wanted.msg_id != NO_ID:
            return self._among(queue.index_by_msg_id().messages(wanted.msg_id), accept)
        if wanted.group_id != NO_ID:
            return self._among(queue.index_by_group_id().messages(wanted.group_id), accept)
        for lane in range(9, -1, -1):
            row = self.puts.rows.get(lane)
            if row is not None:
                message = self._in_row(row, accept)
                if message is not None:
                    return message
        return None

    def _among(self, candidates: list[Message], accept: Acceptor) -> Message | None:
        for message in candidates:
            if self.has(message) and accept.accepts(message):
                return message
        return None

    def _in_row(self, row: Row, accept: Acceptor) -> Message | None:
        messages = row.messages
        count = len(messages)
        at = row.head
        while at < count and messages[at].state != PUT_PENDING:
            at += 1
        row.head = at
        while at < count:
            message = messages[at]
            if self.has(message) and accept.accepts(message):
                return message
            at += 1
        return None


def puts_on(unit: Unit, queue: Queue) -> OwnPuts | None:
    """Return what `unit` has put on `queue`, or None if it has put nothing there."""
    work = unit.work
    own = unit.own
    if own is None:
        own = unit.own = {}
    while unit.own_seen < len(work):
        message = work[unit.own_seen]
        unit.own_seen += 1
        if message.state == PUT_PENDING:
            puts = own.get(message.queue.queue_id)
            if puts is None:
                puts = own[message.queue.queue_id] = OwnPuts()
            puts.add(message)
    return own.get(queue.queue_id)


def view(handle: Handle, queue: Queue, options: int, now: int) -> View | None:
    """Return what a get or browse with `options` sees of the unit's own puts; None if there is nothing to be seen."""
    unit = handle.connection.unit
    if unit is None or not options & _SEES or queue.uncommitted == queue.held:
        return None
    if unit.put_queue is not queue and not unit.put_elsewhere:
        return None
    puts = puts_on(unit, queue)
    if puts is None:
        return None
    return View(puts, unit, handle, options & (MQGMO_SYNCPOINT | _BROWSE) == 0, now)


def take(handle: Handle, message: Message) -> None:
    """Get a message in the unit that has put it: it leaves its queue now, and nothing of it will be logged (U4)."""
    unit = handle.connection.unit
    assert unit is not None and message.state == PUT_PENDING
    if handle.locked is message:
        handle.locked = None
    unit.own_gets += 1
    message.logged = False
    message.queue.remove(message)


def lock(handle: Handle, message: Message) -> None:
    """Browse with lock a message that the unit has put: other handles of the connection do not see it."""
    unit = handle.connection.unit
    assert unit is not None and message.state == PUT_PENDING
    handle.locked = message
    if unit.locks is None:
        unit.locks = []
    if handle not in unit.locks:
        unit.locks.append(handle)


def is_locked(unit: Unit, message: Message, handle: Handle) -> bool:
    """True if another handle than `handle` holds a browse lock on a message that the unit has put."""
    if unit.locks is not None:
        for other in unit.locks:
            if other is not handle and other.locked is message:
                return True
    return False


def keep_locks(locks: list[Handle]) -> None:
    """The unit is committed and its puts are available: those that are browse-locked are locked from now on."""
    for handle in locks:
        message = handle.locked
        if message is not None and message.state == AVAILABLE:
            message.queue.lock(message, LOCKED)


def forget(unit: Unit) -> None:
    """Messages were taken out of the work of the unit: make the lists anew when they are asked for."""
    unit.own = None
    unit.own_seen = 0


def drop_own_gets(unit: Unit) -> None:
    """The unit will be prepared: forget the messages that it has put and got, which are gone in any case (U4)."""
    if unit.own_gets:
        kept: list[Message] = []
        for message in unit.work:
            if message.state != REMOVED:
                kept.append(message)
        unit.work = kept
        unit.own_gets = 0
        forget(unit)


def check_unit(unit: Unit) -> None:
    """U4 and W1-W3 as code, and the states of U1."""
    gone = 0
    in_work: set[int] = set()
    for message in unit.work:
        in_work.add(id(message))
        if message.state == REMOVED:
            gone += 1
            assert unit.state == UNIT_ACTIVE, f"U4: a prepared unit has message {message.sequence}, which is gone"
            assert not message.logged, f"U4: message {message.sequence} was put and got in a unit and will be logged"
        else:
            assert message.state == PUT_PENDING or message.state == GET_PENDING, f"U1: {message.sequence}"
            if message.state == PUT_PENDING and unit.state == UNIT_ACTIVE:
                assert unit.put_queue is message.queue or unit.put_elsewhere, f"W3: {message.queue.name}"
    assert gone == unit.own_gets, f"U4: {unit.own_gets} gets of own puts are counted, {gone} were made"
    if unit.own is None:
        return
    for queue_id, own in unit.own.items():
        for lane, row in own.rows.items():
            before = -1
            for at, message in enumerate(row.messages):
                assert id(message) in in_work and message.queue.queue_id == queue_id and message.lane == lane, "W1"
                assert message.sequence in own.sequences and message.sequence > before, f"W2: {message.sequence}"
                assert at >= row.head or message.state != PUT_PENDING, f"W2: {message.sequence} is before the head"
                before = message.sequence
