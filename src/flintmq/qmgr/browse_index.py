"""Browsing for an id: by the index of the queue, so that the other messages are not looked at.

Only where no message of the queue is on the page set alone, and no selection string says which messages there are.
"""

from __future__ import annotations

from flintmq.mqi.constants import MQGMO_BROWSE_NEXT, MQGMO_UNMARKED_BROWSE_MSG
from flintmq.qmgr import browse_mark
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.index import Index
from flintmq.qmgr.message import AVAILABLE, LOCKED, NO_ID, Message
from flintmq.qmgr.own_puts import View
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.wanted import Wanted


def applies(queue: Queue, wanted: Wanted) -> bool:
    """Whether a browse can use an index."""
    if wanted.selection is not None or queue.spilled_count:
        return False
    return wanted.msg_id != NO_ID or wanted.correl_id != NO_ID or wanted.group_id != NO_ID


def browse(handle: Handle, queue: Queue, options: int, wanted: Wanted, now: int, own: View | None) -> Message | None:
    """The message that a browse for an id returns. The cursor moves when it is delivered."""
    index: Index
    if wanted.msg_id != NO_ID:
        index, key = queue.index_by_msg_id(), wanted.msg_id
    elif wanted.correl_id != NO_ID:
        index, key = queue.index_by_correl_id(), wanted.correl_id
    else:
        index, key = queue.index_by_group_id(), wanted.group_id
    lane, sequence = 10, -1
    if options & MQGMO_BROWSE_NEXT:
        lane, sequence = handle.cursor_lane, handle.cursor_sequence
    message = index.after(key, lane, sequence)
    while message is not None:
        if is_reachable(handle, message, own) and wanted.accepts(message):
            if not options & MQGMO_UNMARKED_BROWSE_MSG or not browse_mark.is_marked(handle, message, now):
                return message
        message = index.after(key, message.lane, message.sequence)
    return None


def is_reachable(handle: Handle, message: Message, own: View | None) -> bool:
    """True if this handle may take or browse `message`: available, locked by itself, or put by its unit of work."""
    state = message.state
    if state == AVAILABLE:
        return True
    return (own is not None and own.has(message)) if state != LOCKED else handle.locked is message
