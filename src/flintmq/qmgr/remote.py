"""Messages for other queue managers: the transmission header, and the way to a name wherever it leads.

A message on a transmission queue has two descriptors. The embedded one, in the MQXQH, is the application's, of version
1, with an MQMDE behind the header if its version 2 fields say anything. The separate one is the queue manager's:

    Report              as embedded, without the options that only the destination acts on (COA, COD ...)
    MsgType, Expiry, Feedback, Priority, Persistence, ReplyToQ, ReplyToQMgr, identity context    as embedded
    Encoding, CodedCharSetId, Format    the queue manager's own, "MQXMIT"
    MsgId               a new one             CorrelId    the MsgId of the embedded descriptor
    origin context      the queue manager, now
    version 2 fields    their defaults

Properties that were put through a message handle stand in an MQRFH2 behind these headers: on the way they are data.

So a message expires on a transmission queue like on any other. The headers count: a message that fits the destination
may be too big for the transmission queue, whose MAXMSGL should be MQ_MSG_HEADER_LENGTH (4000) larger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi import property_headers
from flintmq.mqi.constants import (
    MQAT_QMGR,
    MQENC_NATIVE,
    MQFMT_MD_EXTENSION,
    MQFMT_XMIT_Q_HEADER,
    MQRO_ACCEPT_UNSUP_IF_XMIT_MASK,
)
from flintmq.mqi.errors import StructureError
from flintmq.mqi.md import MQMD
from flintmq.mqi.mde import MQMDE
from flintmq.mqi.mde import SIZE as MDE_SIZE
from flintmq.mqi.reason import (
    MQRC_MD_ERROR,
    MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_PUT_INHIBITED,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from flintmq.mqi.xqh import MQXQH
from flintmq.mqi.xqh import SIZE as XQH_SIZE
from flintmq.qmgr import headers
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.message import NO_ID
from flintmq.qmgr.place import place_internal, to_queue
from flintmq.qmgr.queue import Queue

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

#: What a segment grows by on its way to a transmission queue.
SEGMENT_OVERHEAD: Final = XQH_SIZE + MDE_SIZE


def put_remote(
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
    """Put a message with a transmission header on a transmission queue."""
    return transmit(
        qm, connection, queue, handle.remote_queue, handle.remote_qmgr, md, data, syncpoint, now, properties
    )


def transmit(
    qm: QueueManager,
    connection: Connection,
    queue: Queue,
    q_name: str,
    q_mgr_name: str,
    md: MQMD,
    data: bytes,
    syncpoint: bool,
    now: int,
    properties: bytes = b"",
) -> int:
    """Put a message for `q_name` of `q_mgr_name`, its descriptor settled, on the transmission queue `queue`."""
    if len(data) > qm.max_msg_length:
        return MQRC_MSG_TOO_BIG_FOR_Q_MGR
    try:
        wrapped = wrap(qm, q_name, q_mgr_name, md, data, properties)
    except StructureError:
        return MQRC_MD_ERROR
    return to_queue(qm, connection, queue, separate_descriptor(qm, md, now), wrapped, syncpoint, now)


def wrap(qm: QueueManager, q_name: str, q_mgr_name: str, md: MQMD, data: bytes, properties: bytes = b"") -> bytes:
    """`data` with its transmission header. Raises StructureError for a descriptor that cannot be written."""
    embedded = md.copy()
    embedded.version = 1
    if not embedded.reply_to_q_mgr:
        embedded.reply_to_q_mgr = qm.name
    if properties:
        body = property_headers.body_of(md, data)
        property_headers.insert(body, properties, qm.ccsid)
        body.describe_in(embedded)
        data = body.data
    if md.version > 1:
        data = headers.with_extension(qm, embedded, data)
    xqh = MQXQH()
    xqh.remote_q_name = q_name
    xqh.remote_q_mgr_name = q_mgr_name
    xqh.msg_desc = embedded
    return xqh.pack(False, qm.ccsid) + data


def unwrap(qm: QueueManager, data: bytes) -> tuple[MQXQH, MQMD, bytes]:
    """Header, the application's descriptor (version 2) and data of a message on a transmission queue.

    Raises StructureError if the data has no transmission header.
    """
    xqh = MQXQH.unpack(data, 0, False, qm.ccsid)
    md = xqh.msg_desc.copy()
    md.version = 2
    data = data[XQH_SIZE:]
    if md.format == MQFMT_MD_EXTENSION and md.encoding == MQENC_NATIVE:
        mde = MQMDE.unpack(data, 0, False, qm.ccsid)
        headers.describe(md, mde)
        data = headers.without_extension(data)
    return xqh, md, data


def separate_descriptor(qm: QueueManager, md: MQMD, now: int) -> MQMD:
    """The queue manager's own descriptor for a message on a transmission queue; see the table above."""
    own = md.copy()
    own.version = 2
    headers.set_defaults(own)
    own.report = md.report & ~MQRO_ACCEPT_UNSUP_IF_XMIT_MASK
    own.encoding = MQENC_NATIVE
    own.coded_char_set_id = qm.ccsid
    own.format = MQFMT_XMIT_Q_HEADER
    own.msg_id = qm.new_msg_id()
    own.correl_id = md.msg_id
    own.backout_count = 0
    as_queue_manager(qm, own, now)
    return own


def as_queue_manager(qm: QueueManager, md: MQMD, now: int) -> None:
    """Origin context of a message that the queue manager itself puts."""
    qm.stamp(now)
    md.put_appl_type = MQAT_QMGR
    md.put_appl_name = qm.name[:28]
    md.put_date = qm.put_date
    md.put_time = qm.put_time
    md.appl_origin_data = ""


def route(
    qm: QueueManager,
    connection: Connection,
    q_name: str,
    q_mgr_name: str,
    md: MQMD,
    data: bytes,
    syncpoint: bool,
    properties: bytes = b"",
) -> int:
    """Put a message of the queue manager's own to a name, as an open would resolve it. Returns the reason."""
    resolution = qm.catalogue.resolve(q_name, q_mgr_name)
    if resolution.reason:
        return resolution.reason
    target = resolution.queue
    if target is None:
        return MQRC_OBJECT_TYPE_ERROR
    queue = qm.queues.get(target.name)
    if queue is None or target.kind != "QLOCAL":
        return MQRC_UNKNOWN_OBJECT_NAME
    named = resolution.named
    if named is not None and named.attributes.get("PUT") == "DISABLED":
        return MQRC_PUT_INHIBITED
    if not resolution.remote_q_mgr_name:
        return place_internal(qm, connection, queue, md, data, syncpoint, properties)
    if md.persistence == 2:
        md.persistence = queue.rules.def_persistence
    if md.priority == -1:
        md.priority = queue.rules.def_priority
    if md.msg_id == NO_ID:
        md.msg_id = qm.new_msg_id()
    force = connection.force
    reason = transmit(
        qm,
        connection,
        queue,
        resolution.remote_q_name,
        resolution.remote_q_mgr_name,
        md,
        data,
        syncpoint,
        qm.clock.now_ms(),
        properties,
    )
    connection.force = max(connection.force, force)
    return reason


def resolve_reply_to(qm: QueueManager, md: MQMD) -> None:
    """Complete a descriptor that names a reply-to queue and no queue manager.

    A local definition of a remote queue is replaced by what it stands for; another name is a queue of this one.
    """
    if md.reply_to_q in qm.queues:  # Nearly always; then no definition has the name.
        md.reply_to_q_mgr = qm.name
        return
    definition = qm.catalogue.find("QREMOTE", md.reply_to_q)
    if definition is not None and definition.text("RNAME"):
        md.reply_to_q = definition.text("RNAME")
        md.reply_to_q_mgr = definition.text("RQMNAME") or qm.name
    else:
        md.reply_to_q_mgr = qm.name
