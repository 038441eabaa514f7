"""Delivery delay: a message that waits on SYSTEM.DDELAY.LOCAL.QUEUE until it may be delivered.

    put_delayed   the put: all checks of an MQPUT to the destination, authority too, then
      stage       the message goes to the staging queue instead, in the unit of work of the put
    arrived       a message can be got there: its put was committed. From now on it is known when it is due
    run           what is due goes where it was sent, each in a unit of work of its own: off one queue, on the other
    restore       after a start: look through the staging queue

On the staging queue a message has a MsgId of its own, and for CorrelId the MsgId that its sender was told, so that one
that was sent by mistake can be found and got. Persistence and priority are those that it was put with; it does not
expire there. Its data (little-endian):

    offset  field          type     value
         0  StrucId        char 4   "DDLH"
         4  Version        u32      1
         8  StrucLength    u32      up to the record of the message
        12  Flags          u32      1 the destination is a topic
        16  DueMs          u64      when it is to be delivered, milliseconds since 1970
        24  DelayMs        u64      as it was asked for
        32  Options        u32      MQPMO_* that count when it is published
        36  PubLevel       i32
        40  ConnectionId   24 bytes who put it, for MQPMO_NOT_OWN_SUBS
        64  NameLength     u16
        66  QMgrLength     u16
        68  name           queue or topic string, UTF-8, then the queue manager
         +  record         the message as it was put (message.py), with its data

Delay and expiry both count from the put. A delay that is longer than the expiry is refused (2013), and so is one that
is longer than CAPEXPRY would let the message live; what has expired when it is due, after a long stop, is discarded
with its report. A delayed message can be no retained publication, in no group and for no distribution list (2046). The
target must accept such a message at the moment of the put (2051, 2030 ...), but for its depth. A name is resolved again
when the message is due: an alias, or the definition of a remote queue, leads where it leads then.

When it is due nobody's authority is asked again. Therefore only a message that the queue manager itself has put on the
staging queue is delivered, and not one that an application has put there with a header of its own. A message that
cannot be delivered goes to the dead-letter queue, or is discarded if it says so (MQRO_DISCARD_MSG), with the reports
that it asks for; so does one on the staging queue that was not put with a delay. If the dead-letter queue does not take
it, it stays and is tried again RETRY_MS later.

Due times are in a heap, in memory: (when, sequence, MsgId). An entry may be out of date (the message is gone, or held
by somebody who browses or gets it), so what counts is the header of the message that is found. GET(DISABLED) on the
staging queue stops all deliveries until it is enabled again.
"""

from __future__ import annotations

import heapq
import struct
from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQAT_QMGR,
    MQENC_NATIVE,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMT_DATAGRAM,
    MQPMO_LOGICAL_ORDER,
    MQPMO_NOT_OWN_SUBS,
    MQPMO_RETAIN,
    MQPMO_SCOPE_QMGR,
    MQPMO_SUPPRESS_REPLYTO,
    MQRO_COA,
)
from flintmq.mqi.md import MQMD
from flintmq.mqi.object_name import DELAY_MS_MAX
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQRC_EXPIRY_ERROR,
    MQRC_HEADER_ERROR,
    MQRC_NONE,
    MQRC_OPTIONS_ERROR,
    MQRC_PUBSUB_INHIBITED,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_UNKNOWN_OBJECT_NAME,
    reason_name,
)
from flintmq.qmgr import event, kept, registration, remote, report
from flintmq.qmgr.connection import Connection, Handle, fail
from flintmq.qmgr.delays import Delays
from flintmq.qmgr.expiry import cap_on_the_way, capped
from flintmq.qmgr.message import AVAILABLE, NO_ID, BadRecord, Message, fill_descriptor, pack_header, unpack_message
from flintmq.qmgr.place import counted_length, refusal, to_queue
from flintmq.qmgr.publish import Publication
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.queue_parts import STAGING
from flintmq.qmgr.topic_tree import is_topic_string
from flintmq.qmgr.unit_of_work import backout, commit

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

STRUC_ID: Final = b"DDLH"
VERSION: Final = 1
FORMAT: Final = "FLDELAY"
#: Messages that one call of `run` delivers at most.
SLICE: Final = 500
#: A message that neither its destination nor the dead-letter queue takes is tried again after that.
RETRY_MS: Final = 10_000
#: With a full log the deliveries rest so long.
LOG_FULL_REST_MS: Final = 1000
#: So many entries that are out of date are no matter.
_STALE: Final = 1000
#: After a start the buffer pool is relieved every so many messages.
_RELIEVE: Final = 1000

_FIXED = struct.Struct("<4sIIIQQIi24sHH")
_SIZE: Final[int] = 68
_TOPIC: Final = 1
#: Put message options that say something about the delivery of a publication.
_KEPT_OPTIONS: Final = MQPMO_SUPPRESS_REPLYTO | MQPMO_NOT_OWN_SUBS | MQPMO_SCOPE_QMGR
_GROUPED: Final = MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP | MQMF_SEGMENT | MQMF_LAST_SEGMENT
_EXPIRY_MAX: Final = 0x7FFF_FFFF
#: A dead-letter header has 48 bytes for a name.
_NAME_MAX: Final = 48


class BadHeader(Exception):
    """A message on the staging queue is none that was put with a delay, or is damaged."""


class Staged:
    """What the header of a message on the staging queue says."""

    topic: bool = False
    due_ms: int = 0
    delay_ms: int = 0
    options: int = 0
    pub_level: int = 0
    connection_id: bytes = NO_ID
    #: Queue or topic string, and the queue manager of a queue.
    name: str = ""
    q_mgr_name: str = ""

    def pack(self, message: Message) -> bytes:
        """The header, and the record of `message` without its data."""
        name = self.name.encode("utf-8", "surrogatepass")  # A topic string may have half of a surrogate pair.
        q_mgr = self.q_mgr_name.encode("utf-8", "surrogatepass")
        fixed = _FIXED.pack(
            STRUC_ID,
            VERSION,
            _SIZE + len(name) + len(q_mgr),
            _TOPIC if self.topic else 0,
            self.due_ms,
            self.delay_ms,
            self.options,
            self.pub_level,
            self.connection_id.ljust(24, b"\0")[:24],
            len(name),
            len(q_mgr),
        )
        return fixed + name + q_mgr + pack_header(message)


def read_header(message: Message) -> tuple[Staged, Message]:
    """Header and content of a message on the staging queue. Raises BadHeader."""
    data = message.data
    if message.msg_type != MQMT_DATAGRAM:  # A report has the data of whoever asked for it.
        raise BadHeader(f"message type {message.msg_type}")
    if message.put_appl_type != MQAT_QMGR:  # Only `stage` has checked the authority for the destination.
        raise BadHeader(f"it was put by an application of type {message.put_appl_type}")
    if len(data) < _SIZE or data[:4] != STRUC_ID:
        raise BadHeader(f"{len(data)} bytes that do not begin with {STRUC_ID.decode()}")
    fields = _FIXED.unpack_from(data)
    version: int = fields[1]
    length: int = fields[2]
    name_length: int = fields[9]
    q_mgr_length: int = fields[10]
    if version != VERSION:
        raise BadHeader(f"version {version} of the header")
    if length != _SIZE + name_length + q_mgr_length or length > len(data):
        raise BadHeader(f"a header of {length} bytes in {len(data)}")
    staged = Staged()
    staged.topic = fields[3] == _TOPIC
    staged.due_ms = fields[4]
    staged.delay_ms = fields[5]
    staged.options = fields[6]
    staged.pub_level = fields[7]
    staged.connection_id = fields[8]
    at = _SIZE + name_length
    try:
        staged.name = data[_SIZE:at].decode("utf-8", "surrogatepass")
        staged.q_mgr_name = data[at:length].decode("utf-8", "surrogatepass")
        content = unpack_message(message.queue, 0, data, length)
    except (BadRecord, UnicodeDecodeError) as error:
        raise BadHeader(str(error)) from None
    if content.persistence not in (0, 1):
        raise BadHeader(f"persistence {content.persistence}")
    return staged, content


def _due_of(message: Message) -> int:
    """When a message on the staging queue is due; at once if it does not say so."""
    data = message.data
    if len(data) < _SIZE or data[:4] != STRUC_ID:
        return 0
    due: int = _FIXED.unpack_from(data)[4]
    return due


# -- the put ----------------------------------------------------------------------------------------------------------


def put_delayed(
    qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes, delay_ms: int
) -> int:
    """MQPUT of a message that is delivered `delay_ms` milliseconds later, or at once with 0."""
    connection.force = 0
    if not 0 <= delay_ms <= DELAY_MS_MAX:
        return fail(connection, MQRC_OPTIONS_ERROR)
    if not delay_ms:
        return qm.put(connection, handle, md, pmo, data)
    if pmo.options & (MQPMO_RETAIN | MQPMO_LOGICAL_ORDER) or handle.destinations is not None:
        return fail(connection, MQRC_OPTIONS_ERROR)
    if handle.put_group is not None:
        return fail(connection, MQRC_OPTIONS_ERROR)
    straight = handle.straight_put
    handle.straight_put = False
    handle.delivery_delay_ms = delay_ms
    reason = qm.put(connection, handle, md, pmo, data)
    handle.delivery_delay_ms = 0
    handle.straight_put = straight
    return reason


def stage(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    md: MQMD,
    pmo_options: int,
    pub_level: int,
    data: bytes,
    syncpoint: bool,
    now: int,
    properties: bytes,
) -> int:
    """Put a message whose descriptor is settled on the staging queue. Returns the reason."""
    delay_ms = handle.delivery_delay_ms
    staging = qm.queues.get(STAGING)
    if staging is None:
        return MQRC_UNKNOWN_OBJECT_NAME
    if md.version > 1 and md.msg_flags & _GROUPED:
        return MQRC_OPTIONS_ERROR
    expiry = md.expiry
    target = handle.queue
    topic = handle.topic
    if topic is not None:
        attributes = qm.topics.current(topic)
        if not attributes.publish_enabled:
            return MQRC_PUT_INHIBITED
        if qm.pubsub_disabled:
            return MQRC_PUBSUB_INHIBITED
        expiry = capped(expiry, attributes.cap_expiry)
    elif target is not None:
        reason = refusal(qm, target, counted_length(qm, target, md, data))
        if reason and reason != MQRC_Q_FULL:
            return reason
        expiry = capped(expiry, target.cap_expiry)
        if handle.put_enabled_by or handle.remote_qmgr:
            expiry = capped(expiry, cap_on_the_way(qm, handle))
    if expiry != -1 and delay_ms > expiry * 100:
        return MQRC_EXPIRY_ERROR
    content = Message(staging, 0, 0, b"", md)
    content.properties = properties
    content.put_ms = now
    if expiry != -1:
        content.expiry = expiry
        content.expires_ms = now + expiry * 100
    staged = Staged()
    staged.due_ms = now + delay_ms
    staged.delay_ms = delay_ms
    staged.options = pmo_options & _KEPT_OPTIONS
    staged.pub_level = pub_level
    staged.connection_id = connection.connection_id
    if topic is not None:
        staged.topic = True
        staged.name = topic.topic_string
    elif handle.put_enabled_by:  # By a definition with that name, or through an alias of a queue manager.
        staged.name = handle.object_name
        if handle.put_enabled_by != handle.object_name:
            staged.q_mgr_name = handle.put_enabled_by
    elif handle.remote_qmgr:
        staged.name, staged.q_mgr_name = handle.remote_queue, handle.remote_qmgr
    else:
        staged.name = handle.resolved_name
    own = _own_descriptor(qm, md, now)
    if staging.temporary:
        own.persistence = 0
    reason = to_queue(qm, connection, staging, own, staged.pack(content) + data, syncpoint, now)
    if not reason:
        qm.delays.staged += 1
    else:  # The events of a put are about the staging queue then.
        handle.copy_refused = topic is None
        event.copy_refused(qm, connection, STAGING, staging, reason)
    return reason


def _own_descriptor(qm: QueueManager, md: MQMD, now: int) -> MQMD:
    """The descriptor of a message on the staging queue."""
    own = MQMD()
    own.version = 2
    own.msg_type = MQMT_DATAGRAM
    own.format = FORMAT
    own.encoding = MQENC_NATIVE
    own.coded_char_set_id = qm.ccsid
    own.msg_id = qm.new_msg_id()
    own.correl_id = md.msg_id
    own.persistence = md.persistence
    own.priority = md.priority
    md.copy_identity_context_to(own)
    remote.as_queue_manager(qm, own, now)
    return own


# -- the delivery -----------------------------------------------------------------------------------------------------


def arrived(qm: QueueManager, message: Message) -> None:
    """A message on the staging queue can be got."""
    if qm.replaying:
        return
    delays = qm.delays
    delays.queue = message.queue
    delays.add(_due_of(message), message.sequence, message.msg_id)
    if len(delays.order) > _STALE + 2 * message.queue.depth:
        restore(qm)


def restore(qm: QueueManager) -> None:
    """After a start, or if most entries are out of date: find out when the messages on the staging queue are due."""
    qm.delays.order = []
    queue = qm.queues.get(STAGING)
    if queue is None or not queue.depth:
        return
    seen = 0
    node = queue.next_node(10, None)
    while node is not None:
        assert isinstance(node, Message)
        if node.state == AVAILABLE:
            arrived(qm, node)
        seen += 1
        if seen % _RELIEVE == 0 and queue.pool.used > queue.pool.threshold:
            lane, sequence = node.lane, node.sequence
            qm.relieve_pool(queue.pool)
            node = queue.next_after(lane, sequence)
        else:
            node = queue.next_node(node.lane, node)


def run(qm: QueueManager, now: int, limit: int = SLICE) -> bool:
    """Deliver what is due, at most `limit` messages. True: there is more to do at once, call again."""
    delays = qm.delays
    queue = qm.queues.get(STAGING)
    if queue is None:  # It was deleted, and what was on it with it.
        delays.order = []
        delays.refused.clear()
        return False
    if not queue.get_enabled or now < delays.resume_ms:
        return False
    delays.queue = queue
    delays.log_full = False
    left = limit
    while left > 0 and delays.order and delays.order[0][0] <= now:
        _, sequence, msg_id = heapq.heappop(delays.order)
        message = _find(queue, sequence, msg_id)
        if message is None:
            delays.refused.pop(sequence, None)
        elif message.state == AVAILABLE:  # Else it comes back through `arrived`.
            due = _due_of(message)
            if due > now:
                delays.add(due, sequence, message.msg_id)
            elif not _deliver(qm, delays, message, now):
                return False
        left -= 1
        if queue.pool.used > queue.pool.threshold:  # What was read back with it may go again.
            qm.relieve_pool(queue.pool)
    delays.changed = False
    return bool(delays.order) and delays.order[0][0] <= now


def _find(queue: Queue, sequence: int, msg_id: bytes) -> Message | None:
    """The message of an entry, read back if need be."""
    for message in queue.index_by_msg_id().messages(msg_id):
        if message.sequence == sequence:
            return message
    return queue.message_at(sequence) if queue.spilled_count else None


def _deliver(qm: QueueManager, delays: Delays, message: Message, now: int) -> bool:
    """Take a message off the staging queue and put it where it is to go. False: the log takes nothing now."""
    queue, sequence = message.queue, message.sequence
    connection = registration.own_connection(qm)
    kept.take_in_unit(connection, message, now)
    unit = connection.unit
    assert unit is not None
    unit.copies += 1  # MAXUMSGS is a limit for what is put here.
    refused = MQRC_NONE
    outcome = 0
    try:
        staged, content = read_header(message)
    except BadHeader as error:
        refused = _unreadable(qm, connection, message, now, str(error), sequence in delays.refused)
        outcome = 2
    else:
        if content.expires_ms and content.expires_ms <= now:
            qm.counters.expired += 1
            queue.counts.expired_count += 1
            report.expired(qm, connection, content)
            outcome = 1
        else:
            reason = _to_destination(qm, connection, staged, content, now)
            if reason:
                refused = _undeliverable(qm, connection, staged, content, now, reason, sequence in delays.refused)
                outcome = 2
    if refused:
        delays.refused[sequence] = now + RETRY_MS
        backout(qm, connection)
        return True
    if commit(qm, connection):
        delays.log_full = True
        delays.resume_ms = now + LOG_FULL_REST_MS
        backout(qm, connection)
        return False
    delays.refused.pop(sequence, None)
    if outcome == 0:
        delays.delivered += 1
    elif outcome == 1:
        delays.expired += 1
    else:
        delays.undelivered += 1
    queue.counts.get_count += 1
    queue.count_get(message, len(message.data), now)
    qm.got(queue)
    return True


def _descriptor(content: Message, now: int) -> MQMD:
    """The descriptor that a message had when it was put, with what is left of its expiry."""
    md = MQMD()
    md.version = 2
    fill_descriptor(content, md, now)
    if md.expiry == 0:
        md.expiry = 1  # Less than a tenth of a second is left; 0 is no expiry.
    elif md.expiry > _EXPIRY_MAX:
        md.expiry = _EXPIRY_MAX  # Nobody has put that, and a descriptor could not say it.
    return md


def _to_destination(qm: QueueManager, connection: Connection, staged: Staged, content: Message, now: int) -> int:
    """Put the message where it was sent, in the unit of work of `connection`. The reason why not."""
    md = _descriptor(content, now)
    if staged.topic:
        if not is_topic_string(staged.name):
            return MQRC_HEADER_ERROR
        topic = qm.topics.open(staged.name)
        publisher = qm.connections.get(staged.connection_id)
        options = staged.options if publisher is not None else staged.options & ~MQPMO_NOT_OWN_SUBS
        publication = Publication(
            qm, connection, topic, md, content.data, content.properties, options, staged.pub_level
        )
        publication.publisher = publisher
        return publication.publish(True, now)
    reason = remote.route(qm, connection, staged.name, staged.q_mgr_name, md, content.data, True, content.properties)
    if not reason and md.report & MQRO_COA:
        resolution = qm.catalogue.resolve(staged.name, staged.q_mgr_name)
        target = resolution.queue
        queue = qm.queues.get(target.name) if target is not None and not resolution.remote_q_mgr_name else None
        if queue is not None:
            report.arrived_on(qm, connection, queue, md, content.data, True, content.properties)
    return reason


def _undeliverable(
    qm: QueueManager, connection: Connection, staged: Staged, content: Message, now: int, reason: int, told: bool
) -> int:
    """Dead-letter queue, reports, and a word to the operator. The reason why the message has to stay where it is."""
    md = _descriptor(content, now)
    where = f"topic '{staged.name}'" if staged.topic else f"queue '{staged.name}'"
    refused = MQRC_NONE
    if qm.dead_letter_queue == STAGING:
        refused = MQRC_UNKNOWN_OBJECT_NAME
    else:
        refused = report.undeliverable(
            qm,
            connection,
            content.data,
            md,
            _dead_name(staged.name),
            _dead_name(staged.q_mgr_name) or qm.name,
            reason,
            True,
            content.properties,
        )
    _tell(qm, f"A delayed message for {where} could not be put there", reason, refused, told)
    return refused


def _dead_name(name: str) -> str:
    """A name as a dead-letter header can have it, which few topic strings are."""
    return name if len(name) <= _NAME_MAX and name.isascii() and name.isprintable() else ""


def _unreadable(qm: QueueManager, connection: Connection, message: Message, now: int, why: str, told: bool) -> int:
    """The same for a message on the staging queue that nobody has put with a delay."""
    md = _descriptor(message, now)
    refused = MQRC_UNKNOWN_OBJECT_NAME
    if qm.dead_letter_queue != STAGING:
        refused = report.dead_letter(
            qm, connection, message.data, md, STAGING, qm.name, MQRC_HEADER_ERROR, True, message.properties
        )
    what = f"A message on '{STAGING}' is none that was put with a delivery delay ({why})"
    _tell(qm, what, MQRC_HEADER_ERROR, refused, told)
    return refused


def _tell(qm: QueueManager, what: str, reason: int, refused: int, told: bool) -> None:
    """One message in the error log for each message that is not delivered, however often it is tried."""
    if told and refused:
        return
    text = f"{what}: reason {reason_name(reason)} {reason}. "
    if not refused:
        qm.notice("AMQ5883W", text + "It was put on the dead-letter queue, or discarded if it asked for that.")
    else:
        qm.notice(
            "AMQ5884E",
            text + f"The dead-letter queue '{qm.dead_letter_queue}' did not take it either ({reason_name(refused)} "
            f"{refused}): it stays on '{STAGING}', and is tried again every {RETRY_MS // 1000} seconds. Make room "
            "on its destination, or name a dead-letter queue with ALTER QMGR DEADQ.",
        )
