"""Browsing for an id without looking at the other messages.

    messages in memory           by the index of the queue
    messages on the page set     by the tables of ids of their chunks, or by the index of the page set (paging.py); only
                                 the message that is returned is brought back

A browse with a selection string, and one for a group id while messages are on the page set, walks instead (get.py).
"""

from __future__ import annotations

from flintmq.mqi.constants import MQGMO_BROWSE_NEXT, MQGMO_UNMARKED_BROWSE_MSG
from flintmq.qmgr import browse_mark
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.lane import Index, comes_before
from flintmq.qmgr.message import AVAILABLE, LOCKED, NO_ID, Acceptor, Message
from flintmq.qmgr.own_puts import View
from flintmq.qmgr.paging import MATCH_CORREL_ID, MATCH_GROUP_ID, MATCH_MSG_ID
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.wanted import Wanted


def applies(queue: Queue, wanted: Wanted) -> bool:
    """Whether a browse need not look at every message."""
    if wanted.selection is not None:
        return False
    if wanted.msg_id != NO_ID or wanted.correl_id != NO_ID:
        return True
    return wanted.group_id != NO_ID and not queue.spilled_count


class _Browsable(Acceptor):
    """Takes a message of the page set that a browse may return. Such a message is available to every handle."""

    def __init__(self, handle: Handle, wanted: Wanted, unmarked: bool, now: int) -> None:
        self.handle = handle
        self.wanted = wanted
        self.unmarked = unmarked
        self.now = now

    def accepts(self, message: Message) -> bool:
        """Whether the browse may return `message`."""
        if not self.wanted.accepts(message):
            return False
        return not self.unmarked or not browse_mark.is_marked(self.handle, message, self.now)


def browse(handle: Handle, queue: Queue, options: int, wanted: Wanted, now: int, own: View | None) -> Message | None:
    """The message that a browse for an id returns. The cursor moves when it is delivered."""
    index: Index
    if wanted.correl_id != NO_ID and (queue.index_kind == MATCH_CORREL_ID or wanted.msg_id == NO_ID):
        kind, index, key = MATCH_CORREL_ID, queue.index_by_correl_id(), wanted.correl_id
    elif wanted.msg_id != NO_ID:
        kind, index, key = MATCH_MSG_ID, queue.index_by_msg_id(), wanted.msg_id
    else:
        kind, index, key = MATCH_GROUP_ID, queue.index_by_group_id(), wanted.group_id
    lane, sequence = 10, -1
    if options & MQGMO_BROWSE_NEXT:
        lane, sequence = handle.cursor_lane, handle.cursor_sequence
    browsable = _Browsable(handle, wanted, options & MQGMO_UNMARKED_BROWSE_MSG != 0, now)
    message = index.after(key, lane, sequence)
    while message is not None and not (is_reachable(handle, message, own) and browsable.accepts(message)):
        message = index.after(key, message.lane, message.sequence)
    if queue.spilled_count and range_before(queue, message):
        spilled = queue.pager.find_spilled(queue, kind, key, browsable, lane, sequence)
        if spilled is not None and (message is None or comes_before(spilled, message)):
            return spilled
    return message


def range_before(queue: Queue, best: Message | None) -> bool:
    """True if a range on the page set may hold a message that comes before `best`."""
    for lane in queue.lanes:
        if lane.ranges and (
            best is None
            or lane.number > best.lane
            or (lane.number == best.lane and lane.ranges[0].sequence < best.sequence)
        ):
            return True
    return False


def is_reachable(handle: Handle, message: Message, own: View | None) -> bool:
    """True if this handle may take or browse `message`: available, locked by itself, or put by its unit of work."""
    state = message.state
    if state == AVAILABLE:
        return True
    return (own is not None and own.has(message)) if state != LOCKED else handle.locked is message
