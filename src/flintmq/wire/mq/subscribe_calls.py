"""MQSUB and MQSUBRQ, done for a client; and SPI SUBSCRIBE, which IBM's clients send for MQSUB.

SPI SUBSCRIBE, behind the frame of an SPI call:

    offset  field       type    value
         0  Hsub        int32   the subscription: 0 in the request, or the one to alter
         4  LSD         196 bytes, below
       200  MQSD        with its strings

    offset  LSD                type      value
         0  StrucId            char 4    "LSD "
         4  Version            int32     1
         8  Options            int32     0x50 if others may have the subscription open, too; 0x40000000 if it has a name
        12  a string           MQCHARV   empty, where we have seen it
        32  unknown            byte 28
        60  OpenOptions        int32     MQOO_* of the managed destination
        64  QName              char 48   out: the destination
       112  QMgrName           char 48
       160  unknown            byte 36

MQSUB has Hsub, a zero, then MQSD; Hobj stands where every call has its handle. MQSUBRQ has Hsub as its handle, then the
action and MQSRO.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.fields import write_text
from flintmq.mqi.reason import MQCC_FAILED, MQRC_HOBJ_ERROR, MQRC_RESOURCE_PROBLEM
from flintmq.mqi.sd import MQSD
from flintmq.mqi.sro import MQSRO
from flintmq.qmgr.connection import Connection, Handle
from flintmq.wire.mq import spi
from flintmq.wire.mq.calls import API_SIZE, read_long, read_longs, write_long, write_longs
from flintmq.wire.mq.errors import STATUS_PROTOCOL_LENGTH, ChannelError

if TYPE_CHECKING:
    from flintmq.wire.mq.conversation import Call, Conversation

LSD_SIZE: Final = 196
_Q_NAME: Final = 64
#: Of the options of LSD.
_SHARED: Final = 0x10
NO_HANDLE: Final = -1


def _subscribed(
    conversation: Conversation,
    connection: Connection,
    sd: MQSD,
    destination: Handle | None,
    hsub: Handle | None,
    shared: bool = False,
) -> Handle | None:
    made = conversation.engine.subscribe(connection, sd, destination, hsub, shared)
    if made is None and connection.reason == MQRC_RESOURCE_PROBLEM and conversation.session.host.make_room():
        made = conversation.engine.subscribe(connection, sd, destination, hsub, shared)
    return made


def spi_subscribe(conversation: Conversation, call: Call, frame: spi.Frame) -> None:
    """Do SPI SUBSCRIBE."""
    start = API_SIZE + spi.FRAME
    if len(call.body) < start + 4 + LSD_SIZE:
        raise ChannelError(STATUS_PROTOCOL_LENGTH, f"an SPI SUBSCRIBE has {len(call.body)} bytes")
    connection = conversation.connection
    assert connection is not None
    lsd = call.body[start + 4 : start + 4 + LSD_SIZE]
    sd = MQSD.unpack(call.body, start + 4 + LSD_SIZE, call.big_endian, call.ccsid)
    hsub = connection.handles.get(read_long(call.body, start, call.big_endian))
    shared = read_long(lsd, 8, call.big_endian) & _SHARED != 0
    made = _subscribed(conversation, connection, sd, connection.handles.get(call.handle), hsub, shared)
    number = hobj = NO_HANDLE
    if made is not None:
        assert made.destination is not None
        number, hobj = made.number, made.destination.number
        name = write_text(made.destination.resolved_name, 48, call.ccsid, 0, "LSD")
        name += write_text(made.destination.resolved_qmgr, 48, call.ccsid, 0, "LSD")
        lsd = lsd[:_Q_NAME] + name + lsd[_Q_NAME + 96 :]
    payload = write_long(number, call.big_endian) + lsd + sd.pack(call.big_endian, call.ccsid)
    body = frame.pack(1, payload, call.big_endian, call.ccsid)
    conversation.answer(call, hobj, body)


def mqsub(conversation: Conversation, call: Call) -> None:
    """Do MQSUB."""
    connection = conversation.connection
    assert connection is not None
    number, more = read_longs(call.body, API_SIZE, 2, call.big_endian)
    sd = MQSD.unpack(call.body, API_SIZE + 8, call.big_endian, call.ccsid)
    hobj, hsub = connection.handles.get(call.handle), connection.handles.get(number)
    made = _subscribed(conversation, connection, sd, hobj, hsub)
    handle = number = NO_HANDLE
    if made is not None:
        assert made.destination is not None
        number, handle = made.number, made.destination.number
    body = write_longs([number, more], call.big_endian) + sd.pack(call.big_endian, call.ccsid)
    conversation.answer(call, handle, body)


def mqsubrq(conversation: Conversation, call: Call) -> None:
    """Do MQSUBRQ."""
    connection = conversation.connection
    assert connection is not None
    hsub = connection.handles.get(call.handle)
    if hsub is None:
        conversation.reply(call, MQCC_FAILED, MQRC_HOBJ_ERROR, call.handle, call.body[API_SIZE:])
        return
    action = read_long(call.body, API_SIZE, call.big_endian)
    sro = MQSRO.unpack(call.body, API_SIZE + 4, call.big_endian, call.ccsid)
    conversation.engine.subscription_request(connection, hsub, action, sro)
    body = write_long(action, call.big_endian) + sro.pack(call.big_endian, call.ccsid)
    conversation.answer(call, call.handle, body)
