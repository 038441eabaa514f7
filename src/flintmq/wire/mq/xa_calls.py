"""XA calls, done for a client with a transaction manager.

The sixteen bytes that a call begins with have other names here, and are in the same places:

    offset  field        type        value
         0  Length       big uint32  as CallLength
         4  ReturnValue  int32       XA_*, XAER_* of the reply
         8  TMFlags      int32       TM*
        12  RmId         int32

Behind them:

    XA_OPEN, XA_CLOSE   length uint8 and info string; the reply has nothing
    XA_RECOVER          int32 how many xids the client takes; the reply has their number and the xids
    all others          an xid; the reply has nothing

    xid: FormatID int32, length of the global transaction id uint8, of the branch qualifier uint8, the two, and zeros up
         to a multiple of four
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from flintmq.mqi.xid import XA_OK, XAER_RMERR
from flintmq.qmgr.calls import Calls
from flintmq.qmgr.connection import Connection
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.calls import API_SIZE, read_long, write_long
from flintmq.wire.mq.streaming import no_longer_consuming
from flintmq.wire.mq.xids import XIDS_MAX as XIDS_MAX
from flintmq.wire.mq.xids import read_xid as read_xid
from flintmq.wire.mq.xids import write_xid as write_xid

if TYPE_CHECKING:
    from flintmq.wire.mq.conversation import Call, Conversation

_BranchCall = Callable[[Calls, Connection, bytes, int], int]

BRANCH_CALLS: Final[dict[int, _BranchCall]] = {
    seg.XA_START: Calls.xa_start,
    seg.XA_END: Calls.xa_end,
    seg.XA_PREPARE: Calls.xa_prepare,
    seg.XA_COMMIT: Calls.xa_commit,
    seg.XA_ROLLBACK: Calls.xa_rollback,
    seg.XA_FORGET: Calls.xa_forget,
}


def branch_call(conversation: Conversation, call: Call) -> None:
    """Do a call for one branch. A full log (XAER_RMERR) is given one checkpoint."""
    connection = conversation.connection
    assert connection is not None
    flags = read_long(call.body, 8, call.big_endian)
    xid = read_xid(call.body, API_SIZE, call.big_endian)
    function = BRANCH_CALLS[call.kind]
    connection.force = 0
    code = function(conversation.engine, connection, xid, flags)
    if code == XAER_RMERR and conversation.session.host.make_room():
        code = function(conversation.engine, connection, xid, flags)
    conversation.session.hold(connection.force)
    conversation.reply(call, code, flags, call.handle, b"")
    no_longer_consuming(conversation)


def open_or_close(conversation: Conversation, call: Call) -> None:
    """Answer XA_OPEN or XA_CLOSE: the connection is there already, or is closed later by itself."""
    conversation.reply(call, XA_OK, read_long(call.body, 8, call.big_endian), call.handle, b"")


def recover(conversation: Conversation, call: Call) -> None:
    """Answer XA_RECOVER with the branches that are in doubt."""
    connection = conversation.connection
    assert connection is not None
    flags = read_long(call.body, 8, call.big_endian)
    count = min(read_long(call.body, API_SIZE, call.big_endian), XIDS_MAX)
    code, xids = conversation.engine.xa_recover(connection, count, flags)
    body = write_long(len(xids), call.big_endian)
    for xid in xids:
        body += write_xid(xid, call.big_endian)
    conversation.reply(call, code, flags, call.handle, body)


CALLS: Final[dict[int, Callable[[Conversation, Call], None]]] = {
    **dict.fromkeys(BRANCH_CALLS, branch_call),
    seg.XA_OPEN: open_or_close,
    seg.XA_CLOSE: open_or_close,
    seg.XA_RECOVER: recover,
}
