"""Streaming queues: a message put to a queue with STREAMQ is put, as a near-identical copy, to the queue named there.

    put_streamed    the second half of `place.to_queue` for such a queue: the message and its copy, in one Delivery
    refuses         what DEFINE and ALTER say to STREAMQ
    opened, closed  the opens and closes of a stream queue that go with those of its base queue

The copy is made when the message is put, inside and outside syncpoint, and in the same unit of work. It has the
identifiers, the context, the properties and the data of the message, which is in memory and in the log once, but:

    Report     without the options that make a queue manager send reports: COA, COD, exception, expiration, activity
    Expiry     unlimited; CAPEXPRY of the stream queue, and of an alias on the way, applies as to any message put there
    backout    0

Where the name in STREAMQ leads is found out with each put, so ALTER, DEFINE and DELETE are felt at once by handles that
are open; a local queue, named directly, is remembered until it is deleted.

    local queue, or an alias of one    a copy there
    remote queue, or an alias of one   a copy with a transmission header on the transmission queue
    an alias of a topic                a copy for each subscriber, by the rules of publishing; there may be none
    anything else, or nothing          no copy, with the reason that an open would have had

    STRMQOS     a copy that cannot be put
    BESTEF      nothing; the message is put
    MUSTDUP     the message is not put either, and the application hears the reason

Either way CSQM587E says so, once for each handle until the reason is another. All that can refuse a message or its copy
is asked before one of them is placed, so nothing is ever rolled back. A copy is never copied again, and does not count
for MAXUMSGS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.catalogue.attribute import Value
from flintmq.mqi.constants import (
    MQRO_ACTIVITY,
    MQRO_COA_WITH_FULL_DATA,
    MQRO_COD_WITH_FULL_DATA,
    MQRO_EXCEPTION_WITH_FULL_DATA,
    MQRO_EXPIRATION_WITH_FULL_DATA,
)
from flintmq.mqi.errors import StructureError
from flintmq.mqi.md import MQMD
from flintmq.mqi.pcf_constants import (
    MQRCCF_STREAMQ_CONFLICT,
    MQRCCF_STREAMQ_DEST_CONFLICT,
    MQRCCF_STREAMQ_DEST_NOT_SUPP,
    MQRCCF_STREAMQ_NOT_SUPPORTED,
)
from flintmq.mqi.reason import (
    MQRC_MD_ERROR,
    MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_NONE,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_PERSISTENT_NOT_ALLOWED,
    MQRC_PUT_INHIBITED,
    MQRC_UNKNOWN_OBJECT_NAME,
    reason_name,
)
from flintmq.qmgr import event, remote
from flintmq.qmgr.catalogue import Catalogue, MQObject, Resolution
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.expiring import cap_of, capped
from flintmq.qmgr.message import PUT_PENDING, Message
from flintmq.qmgr.place import SLOW_DOWN_MS, SMALL_MESSAGE, Delivery
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.unit_of_work import add_to_unit, room_in_unit
from flintmq.store.pages import pages_for

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

#: The report options that a copy does not have.
REPORTS: Final = (
    MQRO_ACTIVITY
    | MQRO_COA_WITH_FULL_DATA
    | MQRO_COD_WITH_FULL_DATA
    | MQRO_EXCEPTION_WITH_FULL_DATA
    | MQRO_EXPIRATION_WITH_FULL_DATA
)

#: Of the queues whose name begins with SYSTEM, those that may have STREAMQ, and the one that it may name.
SYSTEM_BASES: Final = (
    "SYSTEM.DEFAULT.LOCAL.QUEUE",
    "SYSTEM.DEFAULT.MODEL.QUEUE",
    "SYSTEM.JMS.TEMPQ.MODEL",
    "SYSTEM.ADMIN.ACCOUNTING.QUEUE",
    "SYSTEM.ADMIN.ACTIVITY.QUEUE",
    "SYSTEM.ADMIN.CHANNEL.EVENT",
    "SYSTEM.ADMIN.COMMAND.EVENT",
    "SYSTEM.ADMIN.CONFIG.EVENT",
    "SYSTEM.ADMIN.LOGGER.EVENT",
    "SYSTEM.ADMIN.PERFM.EVENT",
    "SYSTEM.ADMIN.PUBSUB.EVENT",
    "SYSTEM.ADMIN.QMGR.EVENT",
    "SYSTEM.ADMIN.STATISTICS.QUEUE",
)
SYSTEM_TARGET: Final = "SYSTEM.DEFAULT.LOCAL.QUEUE"

_UNLIMITED: Final = -1


# -- puts ----------------------------------------------------------------------------------------------------------


def put_streamed(
    qm: QueueManager,
    connection: Connection,
    queue: Queue,
    md: MQMD,
    data: bytes,
    syncpoint: bool,
    now: int,
    properties: bytes,
    handle: Handle | None,
) -> int:
    """Place a message on `queue` and its copy where STREAMQ leads. On any reason but MQRC_NONE nothing has changed."""
    target = queue.stream.target
    length = len(data)
    if (
        target is not None
        and target.puts_are_plain()
        and not target.deleted
        and length <= target.max_msg_length
        and length <= qm.max_msg_length
        and target.depth - target.held < target.max_depth
        and queue.put_enabled
        and not queue.deleted
        and length <= queue.max_msg_length
        and queue.depth - queue.held < queue.max_depth
        and not queue.cap_expiry
        and md.expiry == _UNLIMITED
        and not (md.persistence and (target.temporary or not syncpoint))
        and not (syncpoint and connection.unit is not None and room_in_unit(qm, connection))
        and queue.account.put(length, md.persistence == 1)
    ):
        if target.account.put(length, md.persistence == 1):
            _place_pair(qm, connection, queue, target, md, data, syncpoint, now, properties)
            return MQRC_NONE
        queue.account.remove(length, md.persistence == 1)
    return _put_together(qm, connection, queue, md, data, syncpoint, now, properties, handle)


def _place_pair(
    qm: QueueManager,
    connection: Connection,
    queue: Queue,
    target: Queue,
    md: MQMD,
    data: bytes,
    syncpoint: bool,
    now: int,
    properties: bytes,
) -> None:
    """A message and its copy on a local queue, which both are known to fit: the straight way, for the sake of its cost.

    What a Delivery would do is written out. Nothing is logged here: the messages are not persistent, or in a unit.
    """
    length = len(data)
    priority = md.priority if md.priority < 9 else 9
    sequence = queue.next_sequence
    message = Message(queue, sequence, 0 if queue.fifo else priority, data, md)
    queue.next_sequence = sequence + 1
    sequence = target.next_sequence
    copy = Message(target, sequence, 0 if target.fifo else priority, data, md)
    target.next_sequence = sequence + 1
    if md.report:
        copy.report = md.report & ~REPORTS
    message.put_ms = now
    copy.put_ms = now
    if length > SMALL_MESSAGE:
        message.pages = copy.pages = pages_for(length)
    if properties:
        message.properties = copy.properties = properties
    if md.persistence:
        message.logged = copy.logged = True
        queue.counts.put_persistent += 1
        queue.counts.put_persistent_bytes += length
        target.counts.put_persistent += 1
        target.counts.put_persistent_bytes += length
    queue.marks.longest, queue.marks.shortest = max(queue.marks.longest, length), min(queue.marks.shortest, length)
    target.marks.longest, target.marks.shortest = max(target.marks.longest, length), min(target.marks.shortest, length)
    queue.counts.streamed_count += 1
    queue.counts.put_count += 1
    queue.counts.put_bytes += length
    queue.counts.last_put_ms = now
    target.counts.put_count += 1
    target.counts.put_bytes += length
    target.counts.last_put_ms = now
    qm.counters.stream_puts += 1
    if syncpoint:
        message.state = copy.state = PUT_PENDING
        unit = add_to_unit(connection, message, now)
        unit.work.append(copy)
        unit.copies += 1
        unit.put_queue, unit.put_elsewhere = queue, True
        queue.add(message)
        target.add(copy)
        if queue.watched:
            qm.put_in_unit(queue, message, unit)
        if target.watched:
            qm.put_in_unit(target, copy, unit)
    else:
        queue.add(message)
        target.add(copy)
        if queue.waiting or queue.watched:
            qm.arrived(queue, message, now)
        if target.waiting or target.watched:
            qm.arrived(target, copy, now)
    account = queue.account
    if account.used > account.slow_from:
        connection.delay_ms = SLOW_DOWN_MS
    account = target.account
    if account.used > account.slow_from:
        connection.delay_ms = SLOW_DOWN_MS
    pool = queue.pool
    if pool.used > pool.threshold:
        qm.relieve_pool(pool)
    if target.pool is not pool:
        pool = target.pool
        if pool.used > pool.threshold:
            qm.relieve_pool(pool)


def _put_together(
    qm: QueueManager,
    connection: Connection,
    queue: Queue,
    md: MQMD,
    data: bytes,
    syncpoint: bool,
    now: int,
    properties: bytes,
    handle: Handle | None,
) -> int:
    """A message and its copy, whatever that is and wherever it goes; also what is persistent and outside syncpoint."""
    delivery = Delivery(qm, connection, syncpoint, now)
    reason = delivery.add(queue, md, data, properties)
    if reason:
        return reason
    report = md.report
    expiry = md.expiry
    md.report = report & ~REPORTS
    md.expiry = _UNLIMITED
    delivery.copying = True
    refused = _add_copy(qm, delivery, queue, md, data, properties)
    delivery.copying = False
    md.report = report
    md.expiry = expiry
    if refused:
        _tell(qm, connection, queue, handle, refused)
        if queue.stream.must_duplicate:
            delivery.cancel()
            return refused
    copies = len(delivery.messages) - 1
    reason = delivery.place()
    if reason and copies and not queue.stream.must_duplicate:
        # The log has no room for both.
        _tell(qm, connection, queue, handle, reason)
        copies = 0
        reason = delivery.add(queue, md, data, properties)
        if not reason:
            reason = delivery.place()
    if copies and not reason:
        qm.counters.stream_puts += copies
        queue.counts.streamed_count += copies
        unit = connection.unit
        if syncpoint and unit is not None:
            unit.copies += copies
    return reason


def add_streamed(qm: QueueManager, delivery: Delivery, queue: Queue, md: MQMD, data: bytes, properties: bytes) -> int:
    """Add a copy of a publication, and a copy of that if the queue has STREAMQ. With another reason than 0, neither.

    A publication that is itself made by STREAMQ is not copied again.
    """
    reason = delivery.add(queue, md, data, properties, False)
    if reason or not queue.stream.name or delivery.copying:
        return reason
    before = len(delivery.messages) - 1
    report, expiry = md.report, md.expiry
    md.report, md.expiry = report & ~REPORTS, _UNLIMITED
    delivery.copying = True
    refused = _add_copy(qm, delivery, queue, md, data, properties)
    delivery.copying = False
    md.report, md.expiry = report, expiry
    if refused:
        _tell(qm, delivery.connection, queue, None, refused)
        if queue.stream.must_duplicate:
            delivery.cut(before)
            return refused
    return MQRC_NONE


def _add_copy(qm: QueueManager, delivery: Delivery, queue: Queue, md: MQMD, data: bytes, properties: bytes) -> int:
    """Add the copy, described by `md`, to the delivery. Returns why there is none, or MQRC_NONE."""
    target = queue.stream.target
    if target is not None and not target.deleted:
        return _add_local(delivery, target, md, data, properties)
    resolution = qm.catalogue.resolve(queue.stream.name)
    reason = _unusable(resolution)
    if reason:
        return reason
    definition = resolution.queue
    named = resolution.named
    if named is not None and named is not definition:
        md.expiry = capped(_UNLIMITED, cap_of(named.attributes))
    if resolution.topic:
        return qm.add_publication(delivery, queue, resolution.topic, md, data, properties)
    target = qm.queues.get(definition.name) if definition is not None else None
    if target is None:
        return MQRC_UNKNOWN_OBJECT_NAME
    if resolution.remote_q_mgr_name:
        return _add_remote(qm, delivery, target, resolution, md, data, properties)
    if named is definition:
        queue.stream.target = target
    return _add_local(delivery, target, md, data, properties)


def _unusable(resolution: Resolution) -> int:
    """Why nothing can be put where the name in STREAMQ leads, or MQRC_NONE."""
    if resolution.reason:
        return resolution.reason
    definition = resolution.queue
    if not resolution.topic and (definition is None or definition.kind != "QLOCAL"):
        return MQRC_OBJECT_TYPE_ERROR
    named = resolution.named
    if named is not None and named is not definition and named.attributes.get("PUT") == "DISABLED":
        return MQRC_PUT_INHIBITED
    return MQRC_NONE


def _add_local(delivery: Delivery, target: Queue, md: MQMD, data: bytes, properties: bytes) -> int:
    if md.persistence == 1 and target.temporary:
        return MQRC_PERSISTENT_NOT_ALLOWED
    reason = delivery.add(target, md, data, properties, False)
    if reason:
        target.counts.put_failed += 1
    return reason


def _add_remote(
    qm: QueueManager,
    delivery: Delivery,
    transmission: Queue,
    resolution: Resolution,
    md: MQMD,
    data: bytes,
    properties: bytes,
) -> int:
    """A copy for another queue manager."""
    md.expiry = capped(md.expiry, transmission.cap_expiry)
    if len(data) > qm.max_msg_length:
        return MQRC_MSG_TOO_BIG_FOR_Q_MGR
    try:
        wrapped = remote.wrap(qm, resolution.remote_q_name, resolution.remote_q_mgr_name, md, data, properties)
    except StructureError:
        return MQRC_MD_ERROR
    return _add_local(delivery, transmission, remote.separate_descriptor(qm, md, delivery.now), wrapped, b"")


def _tell(qm: QueueManager, connection: Connection, queue: Queue, handle: Handle | None, reason: int) -> None:
    """A copy was not put: CSQM587E unless the handle has heard of the same reason already, and the event of a refusal.

    What the queue manager itself puts has no handle, and makes no events: they might be refused like this one.
    """
    if handle is None:
        told = queue.stream.told
        queue.stream.told = reason
    else:
        told = handle.stream_told
        handle.stream_told = reason
        handle.copy_refused = queue.stream.must_duplicate
        event.copy_refused(qm, connection, queue.stream.name, queue.stream.target, reason)
    if reason != told:
        also = " The message was not put either." if queue.stream.must_duplicate else ""
        qm.notice(
            "CSQM587E",
            f"A copy of a message for {queue.name} could not be put to its stream queue {queue.stream.name}: "
            f"reason {reason} ({reason_name(reason)}).{also}",
        )


# -- opens and closes ----------------------------------------------------------------------------------------------


def opened(qm: QueueManager, handle: Handle, queue: Queue) -> None:
    """A queue with STREAMQ was opened for output, and so its stream queue was."""
    definition = qm.catalogue.resolve(queue.stream.name).queue
    target = qm.queues.get(definition.name) if definition is not None else None
    if target is not None:
        target.counts.open_count += 1
        qm.counters.stream_opens += 1
        handle.stream_queue = target


def closed(handle: Handle) -> None:
    """The counterpart of `opened`."""
    target = handle.stream_queue
    if target is not None:
        target.counts.close_count += 1
        handle.stream_queue = None


# -- definitions ---------------------------------------------------------------------------------------------------


def refuses(
    catalogue: Catalogue, kind: str, name: str, values: dict[str, Value], changes: dict[str, Value] | None
) -> int:
    """Why a queue cannot be defined with the STREAMQ in `values`, or altered by `changes`; MQRC_NONE if it can.

    3386 this queue cannot have one: it is a dynamic queue, or one of the queue manager's own
    3387 it cannot have one as it is: it is a transmission queue, or another queue streams to it
    3384 there can be no copies there: a model queue, or one of the queue manager's own
    3385 there can be no copies there as it is: it is this queue itself, or has a stream queue
    """
    if kind != "QLOCAL" and kind != "QMODEL":
        return MQRC_NONE
    if changes is not None:
        if "STREAMQ" in changes and kind == "QLOCAL" and values["DEFTYPE"] != "PREDEFINED":
            return MQRCCF_STREAMQ_NOT_SUPPORTED
        if "STREAMQ" not in changes and "USAGE" not in changes:
            return MQRC_NONE
    stream_name = str(values["STREAMQ"])
    if not stream_name:
        return MQRC_NONE
    if name.startswith("SYSTEM.") and name not in SYSTEM_BASES:
        return MQRCCF_STREAMQ_NOT_SUPPORTED
    if values["USAGE"] == "XMITQ" or _is_streamed_to(catalogue, name):
        return MQRCCF_STREAMQ_CONFLICT
    if stream_name.startswith("SYSTEM.") and stream_name != SYSTEM_TARGET:
        return MQRCCF_STREAMQ_DEST_NOT_SUPP
    found = catalogue.find("QUEUE", stream_name)
    if found is not None and found.kind == "QMODEL":
        return MQRCCF_STREAMQ_DEST_NOT_SUPP
    target = _leads_to(catalogue, stream_name)
    if stream_name == name or (target is not None and (target.name == name or target.text("STREAMQ") != "")):
        return MQRCCF_STREAMQ_DEST_CONFLICT
    return MQRC_NONE


def _leads_to(catalogue: Catalogue, name: str) -> MQObject | None:
    """The local queue that is called so, or that an alias called so stands for."""
    found = catalogue.find("QUEUE", name)
    if found is not None and found.kind == "QALIAS" and found.text("TARGTYPE") == "QUEUE":
        found = catalogue.find("QUEUE", found.text("TARGET"))
    return found if found is not None and found.kind == "QLOCAL" else None


def _is_streamed_to(catalogue: Catalogue, name: str) -> bool:
    """Whether a local queue has this one for its stream queue, by name or through an alias."""
    for each in catalogue.match("QLOCAL"):
        stream_name = each.text("STREAMQ")
        if stream_name:
            target = _leads_to(catalogue, stream_name)
            if target is not None and target.name == name:
                return True
    return False
