"""The calls of the MQI, done for a client: read the request, call the engine, write the reply.

`CALLS` is the table. Each function gets a complete call and answers it, but a get that waits, which `finish_get`
answers when the engine has completed it. A structure that cannot be read raises StructureError, which the conversation
answers with its reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from flintmq.catalogue.attribute import number_of
from flintmq.catalogue.attributes import find_attribute
from flintmq.mqi.ccsid import decode, encode
from flintmq.mqi.constants import MQCO_QUIESCE, MQOT_Q, MQOT_TOPIC, MQPMO_ASYNC_RESPONSE
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.inquiry import Inquiry
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQRC_CHAR_ATTRS_ERROR,
    MQRC_DATA_LENGTH_ERROR,
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_HCONN_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_NOT_AUTHORIZED,
    MQRC_OPTIONS_ERROR,
    MQRC_Q_MGR_NAME_ERROR,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_RESOURCE_PROBLEM,
    MQRC_XWAIT_CANCELED,
)
from flintmq.mqi.sts import MQSTS
from flintmq.qmgr.calls import PutScan
from flintmq.qmgr.connection import WAITING, Connection, Handle
from flintmq.wire.mq import bulk, spi
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.bulk_calls import bulk_call
from flintmq.wire.mq.calls import API_SIZE, Attributes, ConnectData, OpenDefaults, read_fopa, read_long, write_long
from flintmq.wire.mq.codec_cache import gmo_size, md_size, pmo_size
from flintmq.wire.mq.conversation import Conversation, finish_get
from flintmq.wire.mq.errors import STATUS_MESSAGE_LENGTH, ChannelError
from flintmq.wire.mq.lists import od_end as od_end
from flintmq.wire.mq.lists import read_put_records, write_object_records, write_put_records
from flintmq.wire.mq.streaming import cancel_gets, no_longer_consuming
from flintmq.wire.mq.subscribe_calls import mqsub, mqsubrq, spi_subscribe
from flintmq.wire.mq.terms import LOCAL_CHANNEL

if TYPE_CHECKING:
    from flintmq.wire.mq.conversation import Call

NO_HANDLE: Final = -1


def _connection(conversation: Conversation) -> Connection:
    connection = conversation.connection
    assert connection is not None
    return connection


def _handle(conversation: Conversation, call: Call) -> Handle | None:
    """Return the handle that the call names. Without one the call is answered with 2019."""
    handle = _connection(conversation).handles.get(call.handle)
    if handle is None:
        conversation.reply(call, MQCC_FAILED, MQRC_HOBJ_ERROR, call.handle, call.body[API_SIZE:])
    return handle


# -- MQCONN, MQDISC ---------------------------------------------------------------------------------------------------


def mqconn(conversation: Conversation, call: Call) -> None:
    """Do MQCONN or MQCONNX: authenticate the client, authorise it and check the queue manager's name."""
    data = ConnectData.unpack(call.body, API_SIZE, call.big_endian, call.ccsid)
    session = conversation.session
    engine = conversation.engine
    terms = session.terms
    assert terms is not None
    q_mgr_id = engine.definition().text("QMID")
    is_local = session.local_user != "" and terms.name == LOCAL_CHANNEL
    if is_local:
        reason, user = session.channels.gatekeeper.admit_local(terms, session.local_user)
    else:
        protection = session.protection
        if protection is not None:
            conversation.identity.peer_name = protection.peer_name
            conversation.identity.peer_issuer = protection.issuer
        gatekeeper = session.channels.gatekeeper
        if conversation.identity.put_off:
            conversation.identity.put_off = False
            reason, user = MQRC_Q_MGR_NOT_AVAILABLE, ""
            gatekeeper.delay_ms = 0
        elif gatekeeper.compare_with(conversation.identity) and session.check_later(conversation, call):
            return
        else:
            reason, user = gatekeeper.admit(terms, conversation.identity, session.address)
    wanted = data.q_mgr_name
    if not reason and wanted and not wanted.startswith("*") and wanted != engine.name:
        reason = MQRC_Q_MGR_NAME_ERROR
    connection: Connection | None = None
    if not reason:
        address = session.address.partition("(")[0]
        reason, connection = engine.connect(data.appl_name, user, data.appl_type, terms.name, address)
    if connection is None:
        session.delay_ms = max(session.delay_ms, session.channels.gatekeeper.delay_ms)
        body = data.pack(engine.name, bytes(24), q_mgr_id, call.big_endian, call.ccsid)
        conversation.reply(call, MQCC_FAILED, reason, 0, body)
        if reason == MQRC_NOT_AUTHORIZED:
            session.refused_again()
        return
    connection.accounting_token = data.accounting_token
    connection.options = data.x_options
    conversation.connected(connection)
    body = data.pack(engine.name, connection.connection_id, q_mgr_id, call.big_endian, call.ccsid)
    conversation.reply(call, 0, 0, 0, body)


def mqdisc(conversation: Conversation, call: Call) -> None:
    """Do MQDISC: commit the unit of work and disconnect."""
    connection = _connection(conversation)
    conversation.engine.disconnect(connection)
    conversation.answer(call, 0, b"")
    conversation.disconnected()


# -- MQOPEN, MQCLOSE --------------------------------------------------------------------------------------------------


def mqopen(conversation: Conversation, call: Call) -> None:
    """Do MQOPEN."""
    od = MQOD.unpack(call.body, API_SIZE, call.big_endian, call.ccsid)
    end = od_end(call.body, API_SIZE, od, call.big_endian, call.ccsid)
    options = read_long(call.body, end, call.big_endian)
    fopa = read_fopa(call.body, end + 4, call.big_endian, call.ccsid)
    connection = _connection(conversation)
    handle = conversation.engine.open(connection, od, options)
    _destinations(od, handle)
    body = pack_od(od, call) + write_long(options, call.big_endian)
    if fopa:
        body += open_defaults(conversation, handle).pack_fopa(fopa, call.big_endian, call.ccsid)
    conversation.answer(call, handle.number if handle is not None else NO_HANDLE, body)


def pack_od(od: MQOD, call: Call) -> bytes:
    """Pack the MQOD of a reply, with the records of a list."""
    packed = od.pack(call.big_endian, call.ccsid)
    return write_object_records(packed, od, call.big_endian, call.ccsid) if od.recs_present else packed


def _destinations(od: MQOD, handle: Handle | None) -> None:
    """Return the number of queues that the name has led to. That of a list is known already."""
    if od.recs_present:
        return
    if handle is not None and handle.remote_qmgr:
        od.unknown_dest_count = 1
    elif handle is not None:
        od.known_dest_count = 1
    else:
        od.invalid_dest_count = 1


def open_defaults(conversation: Conversation, handle: Handle | None) -> OpenDefaults:
    """Return the attributes of a queue that a client needs from the start."""
    defaults = OpenDefaults()
    if handle is None or handle.object_type not in (MQOT_Q, MQOT_TOPIC):
        return defaults
    defaults.persistence = handle.def_persistence
    defaults.put_response = 2 if handle.def_put_response else 1
    if handle.queue is None:
        return defaults
    defaults.read_ahead = _number(handle, "DEFREADA", 0)
    defaults.property_control = _number(handle, "PROPCTL", 0)
    return defaults


def _number(handle: Handle, keyword: str, otherwise: int) -> int:
    """Return an attribute of the queue as MQINQ would."""
    assert handle.queue is not None
    definition = handle.queue.definition
    attribute = find_attribute(definition.kind, keyword)
    if attribute is None or keyword not in definition.attributes:
        return otherwise
    return number_of(attribute, definition.attributes[keyword])


def mqclose(conversation: Conversation, call: Call) -> None:
    """Do MQCLOSE."""
    handle = _handle(conversation, call)
    if handle is None:
        return
    # MQCO_QUIESCE asks to keep messages on their way to the client; it has asked for no more than it can take.
    options = read_long(call.body, API_SIZE, call.big_endian) & ~MQCO_QUIESCE
    connection = _connection(conversation)
    stream = conversation.streams.get(call.handle)
    if stream is not None:
        stream.settle()  # T3: behind the answer the client knows the handle no longer.
    conversation.engine.close(connection, handle, options)
    if not handle.open:
        conversation.streams.pop(call.handle, None)
    conversation.answer(call, NO_HANDLE if not handle.open else call.handle, b"")
    no_longer_consuming(conversation)


# -- MQPUT, MQPUT1 ----------------------------------------------------------------------------------------------------


class _Put:
    """The common part of MQPUT and MQPUT1."""

    #: To a distribution list, which says itself how many destinations there were.
    to_list: bool = False

    def __init__(self, conversation: Conversation, call: Call, offset: int) -> None:
        body = call.body
        self.md = MQMD.unpack(body, offset, call.big_endian, call.ccsid)
        offset += md_size(self.md.version)
        self.pmo = MQPMO.unpack(body, offset, call.big_endian, call.ccsid)
        start, offset = offset, offset + pmo_size(self.pmo.version)
        if self.pmo.recs_present:
            offset = read_put_records(body, start, offset, self.pmo, call.big_endian)
        self.length = read_long(body, offset, call.big_endian)
        if self.length < 0 or self.length > len(body) - offset - 4:
            raise ChannelError(STATUS_MESSAGE_LENGTH, f"a put says {self.length} bytes of data, and has fewer")
        if self.length > conversation.session.max_message_length:
            raise ChannelError(
                STATUS_MESSAGE_LENGTH, f"a message is longer than {conversation.session.max_message_length} bytes"
            )
        self.data = body[offset + 4 : offset + 4 + self.length]

    def reply(self, conversation: Conversation, call: Call, handle: int, front: bytes) -> None:
        """Send the structures that the queue manager has filled in. An asynchronous put has no reply."""
        connection = _connection(conversation)
        if self.pmo.options & MQPMO_ASYNC_RESPONSE:
            conversation.session.hold(connection.force)
            return
        pmo = self.pmo
        if not self.to_list:
            pmo.known_dest_count = 1 if connection.completion != MQCC_FAILED else 0
            pmo.invalid_dest_count = 1 - pmo.known_dest_count
        options = pmo.pack(call.big_endian, call.ccsid)
        if pmo.recs_present:
            options = write_put_records(options, pmo, call.big_endian)
        body = front + self.md.pack(call.big_endian, call.ccsid) + options + write_long(self.length, call.big_endian)
        conversation.answer(call, handle, body)


def mqput(conversation: Conversation, call: Call) -> None:
    """Do MQPUT."""
    handle = _handle(conversation, call)
    if handle is None:
        return
    given = _Put(conversation, call, API_SIZE)
    given.to_list = handle.destinations is not None
    conversation.remember_puts()
    connection = _connection(conversation)
    if not _prepared(conversation, connection, call, handle, given):
        return
    reason = conversation.engine.put(connection, handle, given.md, given.pmo, given.data)
    if reason == MQRC_RESOURCE_PROBLEM and conversation.session.host.make_room():
        conversation.engine.put(connection, handle, given.md, given.pmo, given.data)
    conversation.engine.forget_prepared()
    given.reply(conversation, call, call.handle, b"")


def _prepared(
    conversation: Conversation, connection: Connection, call: Call, handle: Handle | None, given: _Put
) -> bool:
    """Return whether a message can be put now. Very many properties are read in slices first (property_work.py)."""
    work = connection.work
    if isinstance(work, PutScan):
        connection.work = None
        work.prepare(given.data)
        return True
    if not connection.slices or not conversation.engine.has_long_properties(given.md, given.data):
        return True
    if handle is not None and handle.queue is not None and handle.queue.selections is None:
        return True  # There is no selector. A topic, a list or a name that is not resolved yet may have one.
    conversation.session.work_first(conversation, PutScan(given.md, given.data), call)
    return False


def mqput1(conversation: Conversation, call: Call) -> None:
    """Do MQPUT1."""
    od = MQOD.unpack(call.body, API_SIZE, call.big_endian, call.ccsid)
    given = _Put(conversation, call, od_end(call.body, API_SIZE, od, call.big_endian, call.ccsid))
    connection = _connection(conversation)
    if not _prepared(conversation, connection, call, None, given):
        return
    reason = conversation.engine.put1(connection, od, given.md, given.pmo, given.data)
    if reason == MQRC_RESOURCE_PROBLEM and conversation.session.host.make_room():
        conversation.engine.put1(connection, od, given.md, given.pmo, given.data)
    conversation.engine.forget_prepared()
    given.to_list = od.recs_present > 0
    given.reply(conversation, call, 0, pack_od(od, call))


# -- MQGET ------------------------------------------------------------------------------------------------------------


def mqget(conversation: Conversation, call: Call) -> None:
    """Do MQGET. If it waits, `finish_get` answers later."""
    handle = _handle(conversation, call)
    if handle is None:
        return
    body = call.body
    md = MQMD.unpack(body, API_SIZE, call.big_endian, call.ccsid)
    offset = API_SIZE + md_size(md.version)
    gmo = MQGMO.unpack(body, offset, call.big_endian, call.ccsid)
    length = read_long(body, offset + gmo_size(gmo.version), call.big_endian)
    if length < 0:
        conversation.reply(call, MQCC_FAILED, MQRC_DATA_LENGTH_ERROR, call.handle, body[API_SIZE:])
        return
    connection = _connection(conversation)
    conversation.remember_gets()
    if conversation.engine.get(connection, handle, md, gmo, length) == WAITING:
        conversation.wait(call.request, call.handle)
        return
    finish_get(conversation, call.request, call.handle, md, gmo)


def mqcmit(conversation: Conversation, call: Call) -> None:
    """Do MQCMIT."""
    connection = _connection(conversation)
    reason = conversation.engine.commit(connection)
    if reason == MQRC_RESOURCE_PROBLEM and conversation.session.host.make_room():
        conversation.engine.commit(connection)
    conversation.answer(call, 0, b"")
    no_longer_consuming(conversation)


def mqback(conversation: Conversation, call: Call) -> None:
    """Do MQBACK."""
    conversation.engine.back(_connection(conversation))
    conversation.answer(call, 0, b"")
    no_longer_consuming(conversation)


# -- MQINQ, MQSET, MQSTAT ---------------------------------------------------------------------------------------------


def mqinq(conversation: Conversation, call: Call) -> None:
    """Do MQINQ."""
    handle = _handle(conversation, call)
    if handle is None:
        return
    asked = Attributes.unpack(call.body, API_SIZE, call.big_endian, False)
    inquiry = Inquiry()
    connection = _connection(conversation)
    conversation.engine.inquire(
        connection,
        handle,
        asked.selectors,
        inquiry,
        asked.integer_count,
        asked.character_length,
    )
    characters = encode(inquiry.char_attrs(), call.ccsid)
    body = asked.pack(inquiry.integers, characters, call.big_endian)
    conversation.answer(call, call.handle, body)


def mqset(conversation: Conversation, call: Call) -> None:
    """Do MQSET."""
    handle = _handle(conversation, call)
    if handle is None:
        return
    given = Attributes.unpack(call.body, API_SIZE, call.big_endian, True)
    try:
        characters = decode(given.characters, call.ccsid)
    except UnicodeDecodeError:
        conversation.reply(call, MQCC_FAILED, MQRC_CHAR_ATTRS_ERROR, call.handle, b"")
        return
    conversation.engine.set_attributes(_connection(conversation), handle, given.selectors, given.integers, characters)
    conversation.answer(call, call.handle, b"")


def mqstat(conversation: Conversation, call: Call) -> None:
    """Do MQSTAT."""
    kind = read_long(call.body, API_SIZE, call.big_endian)
    sts = MQSTS.unpack(call.body, API_SIZE + 4, call.big_endian, call.ccsid)
    conversation.engine.stat(_connection(conversation), kind, sts)
    body = write_long(kind, call.big_endian) + sts.pack(call.big_endian, call.ccsid)
    conversation.answer(call, 0, body)


# -- SPI --------------------------------------------------------------------------------------------------------------


def spi_call(conversation: Conversation, call: Call) -> None:
    """Do an SPI call: QUERY, PUT, RESERVE, SUBSCRIBE, NOTIFY and OPEN, and the verbs of bulk.py."""
    frame = spi.Frame.unpack(call.body, API_SIZE, call.big_endian, call.ccsid)
    if frame.verb in bulk.VERBS:
        bulk_call(conversation, call, frame)
    elif frame.verb == spi.QUERY:
        payload = spi.query_payload(call.big_endian, frame.max_reply_size)
        body = frame.pack(1, payload, call.big_endian, call.ccsid)
        conversation.reply(call, 0, 0, 0, body)
    elif frame.verb == spi.RESERVE:
        asked = max(1, read_long(call.body, API_SIZE + spi.FRAME + 4, call.big_endian))
        first = conversation.engine.reserve_msg_ids()
        payload = spi.reserve_payload(asked, first, call.big_endian)
        conversation.reply(call, 0, 0, 0, frame.pack(1, payload, call.big_endian, call.ccsid))
    elif frame.verb == spi.SUBSCRIBE:
        spi_subscribe(conversation, call, frame)
    elif frame.verb == spi.OPEN:
        spi_open(conversation, call, frame)
    elif frame.verb == spi.PUT:
        spi_put(conversation, call, frame)
    elif frame.verb == spi.NOTIFY:
        spi_notify(conversation, call, frame)
    else:
        conversation.reply(call, MQCC_FAILED, MQRC_FUNCTION_NOT_SUPPORTED, call.handle, call.body[API_SIZE:])


def spi_notify(conversation: Conversation, call: Call, frame: spi.Frame) -> None:
    """Do SPI NOTIFY: cancel the waiting get of a connection.

    Clients can name connections of their own socket and user only. The reply for another connection does not tell
    whether it exists.
    """
    request = spi.NotifyRequest.unpack(call.body, API_SIZE, call.big_endian, call.ccsid)
    connection = _connection(conversation)
    if request.option != spi.NOTIFY_CANCEL or request.reason != MQRC_XWAIT_CANCELED:
        conversation.reply(call, MQCC_FAILED, MQRC_OPTIONS_ERROR, call.handle, call.body[API_SIZE:])
        return
    target = conversation.session.channels.by_connection.get(request.connection_id)
    waiting = target.connection if target is not None and target.session is conversation.session else None
    if target is None or waiting is None or waiting.user != connection.user:
        conversation.reply(call, MQCC_FAILED, MQRC_HCONN_ERROR, call.handle, call.body[API_SIZE:])
        return
    cancel_gets(target)
    conversation.reply(call, 0, 0, 0, frame.pack(1, b"", call.big_endian, call.ccsid))


def spi_put(conversation: Conversation, call: Call, frame: spi.Frame) -> None:
    """Do SPI PUT: MQPUT with a delivery delay."""
    body, big_endian, ccsid = call.body, call.big_endian, call.ccsid
    request = spi.PutRequest.unpack(body, API_SIZE, big_endian, ccsid)
    if request.length > conversation.session.max_message_length:
        raise ChannelError(
            STATUS_MESSAGE_LENGTH, f"a message is longer than {conversation.session.max_message_length} bytes"
        )
    handle = _handle(conversation, call)
    if handle is None:
        return
    offset = API_SIZE + spi.IN_OUT + spi.STRUCTURE
    md = MQMD.unpack(body, offset, big_endian, ccsid)
    pmo = MQPMO.unpack(body, offset + md_size(md.version), big_endian, ccsid)
    data = body[request.data_at : request.data_at + request.length]
    connection = _connection(conversation)
    engine = conversation.engine
    reason = engine.put_delayed(connection, handle, md, pmo, data, request.delay_ms)
    if reason == MQRC_RESOURCE_PROBLEM and conversation.session.host.make_room():
        engine.put_delayed(connection, handle, md, pmo, data, request.delay_ms)
    pmo.known_dest_count = 1 if connection.completion != MQCC_FAILED else 0
    pmo.invalid_dest_count = 1 - pmo.known_dest_count
    structures = md.pack(big_endian, ccsid) + pmo.pack(big_endian, ccsid)
    conversation.answer(call, call.handle, frame.pack(1, b"", big_endian, ccsid, structures))


def spi_open(conversation: Conversation, call: Call, frame: spi.Frame) -> None:
    """Do SPI OPEN: MQOPEN with attributes of the queue in the reply."""
    start = API_SIZE + spi.FRAME
    request = spi.OpenRequest.unpack(call.body, start, call.big_endian, call.ccsid)
    od = MQOD.unpack(call.body, start + request.size, call.big_endian, call.ccsid)
    if od.recs_present:
        od_end(call.body, start + request.size, od, call.big_endian, call.ccsid)
    name = od.object_name
    handle = conversation.engine.open(_connection(conversation), od, request.options)
    _destinations(od, handle)
    packed = pack_od(od, call)
    payload = request.pack(open_defaults(conversation, handle), packed, name, call.big_endian, call.ccsid)
    body = frame.pack(1, payload, call.big_endian, call.ccsid)
    conversation.answer(call, handle.number if handle is not None else NO_HANDLE, body)


CALLS: Final[dict[int, Callable[[Conversation, Call], None]]] = {
    seg.MQCONN: mqconn,
    seg.MQDISC: mqdisc,
    seg.MQOPEN: mqopen,
    seg.MQCLOSE: mqclose,
    seg.MQGET: mqget,
    seg.MQPUT: mqput,
    seg.MQPUT1: mqput1,
    seg.MQSET: mqset,
    seg.MQINQ: mqinq,
    seg.MQCMIT: mqcmit,
    seg.MQBACK: mqback,
    seg.MQSTAT: mqstat,
    seg.SPI: spi_call,
    seg.MQSUB: mqsub,
    seg.MQSUBRQ: mqsubrq,
}
