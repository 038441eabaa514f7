"""Browse marks: several browsers of a queue that do not want to see the same message twice.

    option                       what it does                                      the mark goes when
    MQGMO_MARK_BROWSE_HANDLE     marks the message for this handle only            unmarked; the handle is closed
    MQGMO_MARK_BROWSE_CO_OP      marks it for all handles opened with MQOO_CO_OP   unmarked; MARKINT is over; the last
                                                                                   of those handles is closed
    MQGMO_UNMARKED_BROWSE_MSG    passes over messages that are marked for this handle
    MQGMO_UNMARK_BROWSE_HANDLE   takes the mark off the message that is browsed under the cursor, or found by its token
    MQGMO_UNMARK_BROWSE_CO_OP    likewise

A mark is no lock: any get may take the message, except that a co-operating handle that asks for it by token hears that
another one is at it (2200). Marks are not kept over a restart.

    M1  A message with a co-operative mark has `marked_until` > 0 and stays in memory; it is in `qm.marks`, unless
        MARKINT was NOLIMIT when it was marked.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_MARK_BROWSE_CO_OP,
    MQGMO_MARK_BROWSE_HANDLE,
    MQGMO_UNMARK_BROWSE_CO_OP,
    MQGMO_UNMARK_BROWSE_HANDLE,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_CO_OP,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.qmgr.connection import Handle, Marks
from flintmq.qmgr.message import AVAILABLE, REMOVED, Message
from flintmq.qmgr.queue import Queue

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_MARK: Final = MQGMO_MARK_BROWSE_HANDLE | MQGMO_MARK_BROWSE_CO_OP
_UNMARK: Final = MQGMO_UNMARK_BROWSE_HANDLE | MQGMO_UNMARK_BROWSE_CO_OP
_CO_OP: Final = MQGMO_MARK_BROWSE_CO_OP | MQGMO_UNMARK_BROWSE_CO_OP
MARK_OPTIONS: Final = _MARK | _UNMARK | MQGMO_UNMARKED_BROWSE_MSG
_MOVING: Final = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT

#: `marked_until` of a mark that does not end by itself.
FOR_EVER: Final = 1 << 62


def options_agree(handle: Handle, gmo: MQGMO) -> bool:
    """Whether the mark options of a get go together, and with the way the queue was opened; 2046 if not."""
    options = gmo.options
    if options & _MARK and options & _UNMARK:
        return False
    if options & _CO_OP and not handle.options & MQOO_CO_OP:
        return False
    if options & _MARK and not options & (_MOVING | MQGMO_BROWSE_MSG_UNDER_CURSOR):
        return False
    if options & MQGMO_UNMARKED_BROWSE_MSG and not options & _MOVING:
        return False
    if not options & _UNMARK or options & MQGMO_BROWSE_MSG_UNDER_CURSOR:
        return True
    return options & _MOVING != 0 and gmo.version > 2 and gmo.match_options & MQMO_MATCH_MSG_TOKEN != 0


def is_marked(handle: Handle, message: Message, now: int) -> bool:
    """Whether a browse of unmarked messages through `handle` passes over `message`."""
    marks = handle.marks
    if marks is not None and message.sequence in marks.own:
        return True
    return handle.options & MQOO_CO_OP != 0 and message.marked_until > now


def is_held(handle: Handle, gmo: MQGMO, message: Message, now: int) -> bool:
    """Whether a get by token wants what another handle of the co-operating set has marked."""
    if message.marked_until <= now or not handle.options & MQOO_CO_OP:
        return False
    if gmo.version < 3 or not gmo.match_options & MQMO_MATCH_MSG_TOKEN:
        return False
    marks = handle.marks
    return marks is None or message.sequence not in marks.co_op


def browsed(qm: QueueManager, handle: Handle, message: Message, options: int) -> None:
    """`message` was browsed with some of MARK_OPTIONS."""
    marks = handle.marks
    if marks is None:
        marks = handle.marks = Marks()
    if options & MQGMO_MARK_BROWSE_HANDLE:
        marks.own.add(message.sequence)
    elif options & MQGMO_UNMARK_BROWSE_HANDLE:
        marks.own.discard(message.sequence)
    if options & MQGMO_MARK_BROWSE_CO_OP:
        _forget(message)
        marks.co_op.add(message.sequence)
        message.marked_until = FOR_EVER
        if qm.mark_interval_ms >= 0:
            message.marked_until = qm.clock.now_ms() + qm.mark_interval_ms
            qm.wait_order += 1
            heapq.heappush(qm.marks, (message.marked_until, qm.wait_order, message))
    elif options & MQGMO_UNMARK_BROWSE_CO_OP and message.sequence in marks.co_op:
        _take_off(qm, message)


def _forget(message: Message) -> None:
    for handle in message.queue.opens.handles:
        if handle.marks is not None:
            handle.marks.co_op.discard(message.sequence)


def _take_off(qm: QueueManager, message: Message) -> None:
    """The co-operative mark is gone: browsers that wait for an unmarked message may have it."""
    message.marked_until = 0
    _forget(message)
    if message.state == AVAILABLE:
        qm.available(message.queue, message)


def expire(qm: QueueManager, now: int) -> None:
    """Take off the marks whose time is up."""
    while qm.marks and qm.marks[0][0] <= now:
        until, _, message = heapq.heappop(qm.marks)
        if message.marked_until == until and message.state != REMOVED:
            _take_off(qm, message)


def handle_closed(qm: QueueManager, handle: Handle, queue: Queue) -> None:
    """Marks of the handle alone go with it; the co-operative ones with the last handle of the set."""
    handle.marks = None
    if not handle.options & MQOO_CO_OP:
        return
    for other in queue.opens.handles:
        if other is not handle and other.options & MQOO_CO_OP:
            return
    for message in queue.messages_in_memory():
        message.marked_until = 0
