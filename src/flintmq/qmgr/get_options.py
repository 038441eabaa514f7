"""MQGET: the rarer options, and which of them do not go together. What needs none of them is not looked at here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_COMPLETE_MSG,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_LOCK,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MARK_SKIP_BACKOUT,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SET_SIGNAL,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_UNLOCK,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_MSG_TOKEN,
    MQMO_MATCH_OFFSET,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.reason import (
    MQRC_INCONSISTENT_BROWSE,
    MQRC_MATCH_OPTIONS_ERROR,
    MQRC_NONE,
    MQRC_NOT_OPEN_FOR_BROWSE,
    MQRC_NOT_OPEN_FOR_INPUT,
    MQRC_OPTIONS_ERROR,
    MQRC_Q_MGR_QUIESCING,
    MQRC_SECOND_MARK_NOT_ALLOWED,
    MQRC_WAIT_INTERVAL_ERROR,
)
from flintmq.qmgr import browse_mark, logical_get
from flintmq.qmgr.browse_mark import MARK_OPTIONS
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.queue import Queue

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

BROWSE: Final = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR
LOGICAL: Final = MQGMO_LOGICAL_ORDER | MQGMO_COMPLETE_MSG | MQGMO_ALL_MSGS_AVAILABLE | MQGMO_ALL_SEGMENTS_AVAILABLE
#: Options that take a get off the straight way.
UNUSUAL: Final = (
    BROWSE
    | LOGICAL
    | MARK_OPTIONS
    | MQGMO_MSG_UNDER_CURSOR
    | MQGMO_LOCK
    | MQGMO_UNLOCK
    | MQGMO_SET_SIGNAL
    | MQGMO_MARK_SKIP_BACKOUT
)
#: Every option that MQ knows; another bit is 2046. So is MQGMO_SET_SIGNAL, which only z/OS has.
KNOWN: Final = 0x1FF7_FFFF
_ALL_MATCHES: Final = (
    MQMO_MATCH_MSG_ID
    | MQMO_MATCH_CORREL_ID
    | MQMO_MATCH_GROUP_ID
    | MQMO_MATCH_MSG_SEQ_NUMBER
    | MQMO_MATCH_OFFSET
    | MQMO_MATCH_MSG_TOKEN
)


def check(qm: QueueManager, handle: Handle, queue: Queue, gmo: MQGMO) -> int:
    """The rarer options and their conflicts, in MQ's order."""
    options = gmo.options
    if qm.quiescing and options & MQGMO_FAIL_IF_QUIESCING:
        return MQRC_Q_MGR_QUIESCING
    browse = options & BROWSE
    if browse & (browse - 1) or (browse and options & MQGMO_MSG_UNDER_CURSOR):
        return MQRC_OPTIONS_ERROR
    if options & MQGMO_SET_SIGNAL or options & ~KNOWN:
        return MQRC_OPTIONS_ERROR
    if browse and options & (MQGMO_SYNCPOINT | MQGMO_SYNCPOINT_IF_PERSISTENT | MQGMO_MARK_SKIP_BACKOUT):
        return MQRC_OPTIONS_ERROR
    if options & MQGMO_LOCK and not browse:
        return MQRC_OPTIONS_ERROR
    if options & MQGMO_UNLOCK and options & ~(MQGMO_UNLOCK | MQGMO_NO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING):
        return MQRC_OPTIONS_ERROR
    if options & MQGMO_MARK_SKIP_BACKOUT and not options & MQGMO_SYNCPOINT:
        return MQRC_OPTIONS_ERROR
    if gmo.version > 1 and gmo.match_options & ~_ALL_MATCHES:
        return MQRC_MATCH_OPTIONS_ERROR
    if browse or options & MQGMO_UNLOCK:
        if not handle.can_browse:
            return MQRC_NOT_OPEN_FOR_BROWSE
    elif not handle.can_get:
        return MQRC_NOT_OPEN_FOR_INPUT
    if options & MQGMO_MSG_UNDER_CURSOR and not handle.can_browse:
        return MQRC_NOT_OPEN_FOR_BROWSE
    if options & MQGMO_MARK_SKIP_BACKOUT:
        unit = handle.connection.unit
        if unit is not None and unit.skip_backout is not None:
            return MQRC_SECOND_MARK_NOT_ALLOWED
    if options & MQGMO_WAIT and gmo.wait_interval < -1:
        return MQRC_WAIT_INTERVAL_ERROR
    if options & MARK_OPTIONS and not browse_mark.options_agree(handle, gmo):
        return MQRC_OPTIONS_ERROR
    if options & MQGMO_BROWSE_NEXT and handle.cursor_lane != 10:
        if handle.browse_logical != (options & MQGMO_LOGICAL_ORDER != 0):
            return MQRC_INCONSISTENT_BROWSE
    return logical_get.check_options(gmo) if options & LOGICAL else MQRC_NONE
