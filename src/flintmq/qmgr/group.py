"""Groups and segments, the putting side: who numbers the messages, what breaks the order, and cutting long messages.

A group is a run of logical messages with one GroupId, numbered from 1 by MsgSeqNumber. A logical message is one
physical message, or several segments with one GroupId and MsgSeqNumber, placed by Offset. Getting them is in
`logical_get.py`.

What a put gets for GroupId, MsgSeqNumber, Offset (MIG: the message is in a group; SEG: it is a segment; ALLOWED: it may
be cut; the previous put through the handle left a group or a logical message open, or neither):

    order     flags                   open before         GroupId        MsgSeqNumber   Offset
    logical   none                    -                   none           1              0
    logical   ALLOWED                 -                   new            1              0
    logical   SEG                     -                   new            1              0
    logical   SEG                     message             previous       1              previous + its length
    logical   MIG                     -                   new            1              0
    logical   MIG                     group               previous       previous + 1   0
    logical   MIG SEG                 group and message   previous       previous       previous + its length
    any       none                    any                 none           1              0
    any       ALLOWED                 any                 given or new   1              0
    any       SEG                     any                 given or new   1              as given
    any       MIG                     any                 given or new   as given       0
    any       MIG SEG                 any                 given or new   as given       as given

A put in logical order that is not in the table fails: 2242 while a logical message is open, else 2241. A put in any
order that does not continue what puts in logical order have begun is done, with the same reasons as warnings. The same
goes for a change of persistence (2185) and of syncpoint (2245). Lengths are those of the application's data, without
headers.

    G1  `Handle.put_group` is None, or says what is open; it is replaced, never changed.
    G2  A put changes it only when the message is on its queue; backing the unit of work out brings back what it was.

Cutting: a message with MQMF_SEGMENTATION_ALLOWED that is too long for its queue is put as segments, all in one unit of
work. MQ headers stay together in the first one; each but the last has a multiple of sixteen bytes of data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.log.errors import LogError
from flintmq.mqi import payload
from flintmq.mqi.constants import (
    MQMF_ACCEPT_UNSUP_IF_XMIT_MASK,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_REJECT_UNSUP_MASK,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQMT_REPORT,
    MQPMO_LOGICAL_ORDER,
    MQPMO_SYNCPOINT,
    MQRO_COA,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQRC_INCOMPLETE_GROUP,
    MQRC_INCOMPLETE_MSG,
    MQRC_INCONSISTENT_PERSISTENCE,
    MQRC_INCONSISTENT_UOW,
    MQRC_MD_ERROR,
    MQRC_MSG_FLAGS_ERROR,
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_NONE,
    MQRC_OFFSET_ERROR,
    MQRC_ORIGINAL_LENGTH_ERROR,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SEGMENT_LENGTH_ZERO,
    MQRC_UOW_NOT_AVAILABLE,
    MQRC_WRONG_MD_VERSION,
)
from flintmq.qmgr import own_puts, remote, report
from flintmq.qmgr.connection import A_SEGMENT, IN_GROUP, Connection, Handle, PutGroup
from flintmq.qmgr.message import NO_ID, Message
from flintmq.qmgr.place import to_queue
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.records import LAST
from flintmq.qmgr.unit_of_work import COMMIT_EVENT, backout_unit, log_work, move, settle

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

NUMBER_MAX: Final = 999_999_999
_KNOWN: Final = IN_GROUP | A_SEGMENT | MQMF_SEGMENTATION_ALLOWED
#: The smallest piece of data that a message is cut into, and what every piece but the last is a multiple of.
PIECE: Final = 16


# -- one put ---------------------------------------------------------------------------------------------------------


def prepare_put(qm: QueueManager, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> int:
    """Settle the group and segment fields of `md`. The reason is no more than a warning if `only_warns` says so."""
    if md.version > 2:
        return MQRC_MD_ERROR
    flags = md.msg_flags if md.version > 1 else 0
    logical = pmo.options & MQPMO_LOGICAL_ORDER != 0
    if logical and md.version < 2:
        return MQRC_WRONG_MD_VERSION
    length = payload.payload_length(md, data)
    reason = _check_fields(handle, md, flags, logical, length)
    if reason:
        return reason
    opened = handle.put_group
    if logical:
        reason = _breaks_order(opened, flags)
        if reason:
            return reason
        _number_in_logical_order(md, opened)
    elif md.version > 1:
        _number_as_given(md, flags)
    if flags & _KNOWN:
        if not (flags & A_SEGMENT and md.msg_type == MQMT_REPORT):
            md.original_length = -1
        if md.group_id == NO_ID:
            md.group_id = qm.new_msg_id()
        if md.msg_seq_number > NUMBER_MAX:
            return MQRC_MSG_SEQ_NUMBER_ERROR
        if md.offset + length > NUMBER_MAX:
            return MQRC_OFFSET_ERROR
    return _inconsistency(opened, md, flags, logical, pmo.options & MQPMO_SYNCPOINT != 0)


def only_warns(options: int, reason: int) -> bool:
    """True if the put is done in spite of `reason`: it came without MQPMO_LOGICAL_ORDER after puts with it."""
    return options & MQPMO_LOGICAL_ORDER == 0 and (
        reason == MQRC_INCOMPLETE_GROUP
        or reason == MQRC_INCOMPLETE_MSG
        or reason == MQRC_INCONSISTENT_PERSISTENCE
        or reason == MQRC_INCONSISTENT_UOW
    )


def _check_fields(handle: Handle, md: MQMD, flags: int, logical: bool, length: int) -> int:
    """The fields by themselves. A field that the queue manager fills in is not looked at."""
    unknown = flags & ~_KNOWN
    if unknown & MQMF_REJECT_UNSUP_MASK or (unknown & MQMF_ACCEPT_UNSUP_IF_XMIT_MASK and not handle.remote_qmgr):
        return MQRC_MSG_FLAGS_ERROR
    if not logical and flags & IN_GROUP and not 1 <= md.msg_seq_number <= NUMBER_MAX:
        return MQRC_MSG_SEQ_NUMBER_ERROR
    if not flags & A_SEGMENT:
        return MQRC_NONE
    if not logical and not 0 <= md.offset <= NUMBER_MAX:
        return MQRC_OFFSET_ERROR
    least = 0 if flags & MQMF_LAST_SEGMENT else 1
    if length < least:
        return MQRC_SEGMENT_LENGTH_ZERO
    if md.msg_type == MQMT_REPORT and (md.original_length < length or md.original_length < least):
        return MQRC_ORIGINAL_LENGTH_ERROR
    return MQRC_NONE


def _breaks_order(opened: PutGroup | None, flags: int) -> int:
    """Why a put in logical order does not go on with what is open; MQRC_NONE if it does, or if nothing is."""
    if opened is None:
        return MQRC_NONE
    if opened.in_message:
        if (
            flags & A_SEGMENT
            and (flags & IN_GROUP != 0) == opened.grouped
            and (flags & MQMF_LAST_MSG_IN_GROUP != 0) == opened.last_in_group
        ):
            return MQRC_NONE
        return MQRC_INCOMPLETE_MSG
    return MQRC_NONE if flags & IN_GROUP else MQRC_INCOMPLETE_GROUP


def _number_in_logical_order(md: MQMD, opened: PutGroup | None) -> None:
    if opened is None:
        md.group_id = NO_ID
        md.msg_seq_number = 1
        md.offset = 0
        return
    md.group_id = opened.group_id
    if opened.in_message:
        md.msg_seq_number = opened.msg_seq_number
        md.offset = opened.next_offset
    else:
        md.msg_seq_number = opened.msg_seq_number + 1
        md.offset = 0


def _number_as_given(md: MQMD, flags: int) -> None:
    if not flags & _KNOWN:
        md.group_id = NO_ID
        md.original_length = -1
    if not flags & IN_GROUP:
        md.msg_seq_number = 1
    if not flags & A_SEGMENT:
        md.offset = 0


def _inconsistency(opened: PutGroup | None, md: MQMD, flags: int, logical: bool, syncpoint: bool) -> int:
    """How the put differs from the puts in logical order that it follows."""
    if opened is None:
        return MQRC_NONE
    if not logical:
        if not opened.logical:
            return MQRC_NONE
        if not _continues(opened, md, flags):
            return MQRC_INCOMPLETE_MSG if opened.in_message else MQRC_INCOMPLETE_GROUP
    if md.persistence != opened.persistence:
        return MQRC_INCONSISTENT_PERSISTENCE
    if syncpoint != opened.syncpoint:
        return MQRC_INCONSISTENT_UOW
    return MQRC_NONE


def _continues(opened: PutGroup, md: MQMD, flags: int) -> bool:
    """True if a put in any order happens to be the very next one."""
    if md.version < 2 or _breaks_order(opened, flags) or md.group_id != opened.group_id:
        return False
    if opened.in_message:
        return md.msg_seq_number == opened.msg_seq_number and md.offset == opened.next_offset
    return md.msg_seq_number == opened.msg_seq_number + 1 and md.offset == 0


def put_done(connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> None:
    """The message is on its queue: remember what is open now (G2)."""
    syncpoint = pmo.options & MQPMO_SYNCPOINT != 0
    if syncpoint and handle.put_group_unit is not connection.unit:
        handle.put_group_unit = connection.unit
        handle.put_group_before = handle.put_group
    flags = md.msg_flags if md.version > 1 else 0
    now_open: PutGroup | None = None
    if flags & (IN_GROUP | A_SEGMENT):
        next_offset = md.offset + payload.payload_length(md, data)
        now_open = PutGroup(md, next_offset, pmo.options & MQPMO_LOGICAL_ORDER != 0, syncpoint)
        if not now_open.in_group and not now_open.in_message:
            now_open = None
    handle.put_group = now_open


def unfinished(handle: Handle) -> int:
    """The warning for a close when a group or logical message, put or got in logical order, is not complete."""
    reason = MQRC_NONE
    put_group = handle.put_group
    if put_group is not None and put_group.logical:
        if put_group.in_message:
            return MQRC_INCOMPLETE_MSG
        reason = MQRC_INCOMPLETE_GROUP
    get_group = handle.get_group
    if get_group is not None and get_group.logical:
        if get_group.in_message:
            return MQRC_INCOMPLETE_MSG
        if get_group.in_group:
            reason = MQRC_INCOMPLETE_GROUP
    return reason


def fill_status(message: Message, gmo: MQGMO) -> None:
    """GroupStatus, SegmentStatus and Segmentation of a message that was got."""
    flags = message.msg_flags
    if flags == 0:
        gmo.group_status = gmo.segment_status = gmo.segmentation = " "
        return
    gmo.group_status = "L" if flags & MQMF_LAST_MSG_IN_GROUP else "G" if flags & MQMF_MSG_IN_GROUP else " "
    gmo.segment_status = "L" if flags & MQMF_LAST_SEGMENT else "S" if flags & MQMF_SEGMENT else " "
    gmo.segmentation = "A" if flags & MQMF_SEGMENTATION_ALLOWED else " "


# -- cutting ---------------------------------------------------------------------------------------------------------


def must_segment(qm: QueueManager, handle: Handle, queue: Queue, md: MQMD, data: bytes) -> bool:
    """True if the queue manager has to cut the message into segments, and may."""
    return md.msg_flags & MQMF_SEGMENTATION_ALLOWED != 0 and len(data) > _room(qm, handle, queue)


def _room(qm: QueueManager, handle: Handle, queue: Queue) -> int:
    """The longest physical message that the queue takes, without what the queue manager puts in front."""
    room = min(queue.max_msg_length, qm.max_msg_length)
    return room - remote.SEGMENT_OVERHEAD if handle.remote_qmgr else room


def put_segments(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    queue: Queue,
    md: MQMD,
    data: bytes,
    syncpoint: bool,
    now: int,
    properties: bytes = b"",
) -> int:
    """Put a message in segments, all or none. Their COA reports are sent from here, one for each.

    The first segment has the properties of the message.
    """
    room = _room(qm, handle, queue)
    behind = payload.payload(md.encoding, md.coded_char_set_id, md.format, data)
    first = (room - behind.start) // PIECE * PIECE
    if first < PIECE:
        return MQRC_MSG_TOO_BIG_FOR_Q if queue.max_msg_length <= qm.max_msg_length else MQRC_MSG_TOO_BIG_FOR_Q_MGR
    if not syncpoint and connection.unit is not None:
        return MQRC_UOW_NOT_AVAILABLE
    mark = 0 if connection.unit is None else len(connection.unit.work)
    part = md.copy()
    part.msg_flags = md.msg_flags & ~MQMF_LAST_SEGMENT | MQMF_SEGMENT
    start = 0
    end = behind.start + first
    while True:
        if end >= len(data):
            end = len(data)
            if md.msg_flags & A_SEGMENT != MQMF_SEGMENT:
                part.msg_flags |= MQMF_LAST_SEGMENT
        piece = data[start:end]
        reason = _put_segment(qm, connection, handle, queue, part, piece, now, b"" if start else properties)
        if reason:
            _take_back(qm, connection, mark)
            return reason
        if end == len(data):
            break
        part.offset = md.offset + end - behind.start
        part.encoding = behind.encoding
        part.coded_char_set_id = behind.ccsid
        part.format = behind.format
        start = end
        end += room // PIECE * PIECE
    return MQRC_NONE if syncpoint else _commit_segments(qm, connection)


def _put_segment(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    queue: Queue,
    md: MQMD,
    data: bytes,
    now: int,
    properties: bytes,
) -> int:
    if handle.remote_qmgr:
        return remote.put_remote(qm, connection, handle, queue, md, data, True, now, properties)
    reason = to_queue(qm, connection, queue, md, data, True, now, properties, handle)
    if not reason and md.report & MQRO_COA:
        report.confirm_arrival(qm, connection, handle, md, data, True, properties)
    return reason


def _commit_segments(qm: QueueManager, connection: Connection) -> int:
    """Commit the unit of work that was made for the segments of one message."""
    unit = connection.unit
    assert unit is not None
    try:
        connection.force = log_work(qm, unit, LAST)
    except LogError:
        _take_back(qm, connection, 0)
        return MQRC_RESOURCE_PROBLEM
    connection.unit = None
    move(unit, COMMIT_EVENT)
    settle(qm, unit, connection.force)
    return MQRC_NONE


def _take_back(qm: QueueManager, connection: Connection, mark: int) -> None:
    """Undo the puts of the current unit of work from `mark` on; a unit that had no work before them goes."""
    unit = connection.unit
    if unit is None:
        return
    for message in unit.work[mark:]:
        message.queue.counts.put_count -= 1
        message.queue.counts.put_bytes -= len(message.data)
        message.queue.counts.put_persistent -= message.persistence
    if mark == 0 and not connection.in_global_unit:
        connection.unit = None
        backout_unit(qm, None, unit)
        return
    own_puts.forget(unit)
    while len(unit.work) > mark:
        message = unit.work.pop()
        message.queue.remove(message)
