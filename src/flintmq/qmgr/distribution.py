"""Distribution lists: one MQOPEN for several queues, and each MQPUT to all of them.

An open with MQOD.RecsPresent > 0 gives one handle whose `destinations` are handles of their own, in the order of the
object records (MQOR). A put goes through each in turn, with a descriptor of its own; the data is shared, not copied.

How the whole ended, from how the parts did (open and put alike; a part that could not be opened counts for each put):

    all alike, OK or failed                     as each of them
    not alike, at least one not failed          MQCC_WARNING, 2136; the response records (MQRR) say which
    not alike, all failed                       MQCC_FAILED, 2136; likewise

A put message record (MQPMR) overrides fields of the descriptor for its destination; destinations without one take the
descriptor's. An id that is MQMI_NONE is made anew for each destination and given back in its record.

Messages for another queue manager go to its transmission queue one by one, as with DISTL(NO).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQOO_ALTERNATE_USER_AUTHORITY,
    MQOO_BIND_AS_Q_DEF,
    MQOO_BIND_NOT_FIXED,
    MQOO_BIND_ON_OPEN,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_PASS_IDENTITY_CONTEXT,
    MQOO_SET_ALL_CONTEXT,
    MQOO_SET_IDENTITY_CONTEXT,
    MQOT_Q,
    MQPMO_NEW_CORREL_ID,
    MQPMO_NEW_MSG_ID,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SET_IDENTITY_CONTEXT,
    MQPMRF_ACCOUNTING_TOKEN,
    MQPMRF_CORREL_ID,
    MQPMRF_FEEDBACK,
    MQPMRF_GROUP_ID,
    MQPMRF_MSG_ID,
)
from flintmq.mqi.dh import MQPMR
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQRC_MULTIPLE_REASONS,
    MQRC_NONE,
    MQRC_OBJECT_NAME_ERROR,
    MQRC_OBJECT_Q_MGR_NAME_ERROR,
    MQRC_OBJECT_RECORDS_ERROR,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_PMO_RECORD_FLAGS_ERROR,
    MQRC_PUT_MSG_RECORDS_ERROR,
    MQRC_RECS_PRESENT_ERROR,
    MQRC_RESPONSE_RECORDS_ERROR,
    MQRC_SELECTION_NOT_AVAILABLE,
)
from flintmq.mqi.response_record import MQRR
from flintmq.qmgr.connection import Connection, Destination, Handle, fail
from flintmq.qmgr.open import open_queue
from flintmq.qmgr.put import put_checked

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_ALLOWED: Final = (
    MQOO_OUTPUT
    | MQOO_PASS_IDENTITY_CONTEXT
    | MQOO_PASS_ALL_CONTEXT
    | MQOO_SET_IDENTITY_CONTEXT
    | MQOO_SET_ALL_CONTEXT
    | MQOO_ALTERNATE_USER_AUTHORITY
    | MQOO_FAIL_IF_QUIESCING
    | MQOO_BIND_AS_Q_DEF
    | MQOO_BIND_ON_OPEN
    | MQOO_BIND_NOT_FIXED
)
_RECORD_FIELDS: Final = MQPMRF_MSG_ID | MQPMRF_CORREL_ID | MQPMRF_GROUP_ID | MQPMRF_FEEDBACK | MQPMRF_ACCOUNTING_TOKEN


def open_list(qm: QueueManager, connection: Connection, od: MQOD, options: int) -> Handle | None:
    """Open every destination. None with the reason in the connection if none could be; not yet entered in it."""
    reason = _check_descriptor(od, options)
    if reason:
        fail(connection, reason)
        return None
    records = od.object_records
    assert records is not None
    handle = Handle(connection.next_handle, connection, MQOT_Q, "", options)
    connection.next_handle += 1
    handle.can_put = True
    destinations: list[Destination] = []
    force = 0
    for record in records[: od.recs_present]:
        one = MQOD()
        one.object_name = record.object_name
        one.object_q_mgr_name = record.object_q_mgr_name
        one.dynamic_q_name = od.dynamic_q_name
        one.alternate_user_id = od.alternate_user_id
        destination = Destination()
        destination.handle = open_queue(qm, connection, one, options)
        if destination.handle is None:
            destination.completion = MQCC_FAILED
            destination.reason = connection.reason
        else:  # A model queue has become a dynamic one: say which.
            record.object_name = one.object_name
            record.object_q_mgr_name = one.object_q_mgr_name
        force = max(force, connection.force)
        destinations.append(destination)
    handle.destinations = destinations
    connection.force = force
    _conclude(connection, destinations, od.response_records)
    od.known_dest_count = _count(destinations, False)
    od.unknown_dest_count = _count(destinations, True)
    od.invalid_dest_count = len(destinations) - od.known_dest_count - od.unknown_dest_count
    return handle if connection.completion != MQCC_FAILED else None


def _check_descriptor(od: MQOD, options: int) -> int:
    if od.object_type != MQOT_Q:
        return MQRC_OBJECT_TYPE_ERROR
    if od.recs_present < 0:
        return MQRC_RECS_PRESENT_ERROR
    if od.object_name:
        return MQRC_OBJECT_NAME_ERROR
    if od.object_q_mgr_name:
        return MQRC_OBJECT_Q_MGR_NAME_ERROR
    if od.selection_string:
        return MQRC_SELECTION_NOT_AVAILABLE
    if od.object_records is None or len(od.object_records) < od.recs_present:
        return MQRC_OBJECT_RECORDS_ERROR
    if od.response_records is not None and len(od.response_records) < od.recs_present:
        return MQRC_RESPONSE_RECORDS_ERROR
    if options & ~_ALLOWED:
        return MQRC_OPTION_NOT_VALID_FOR_TYPE
    return MQRC_NONE


def put_to_list(qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> int:
    """MQPUT to each destination that is open."""
    destinations = handle.destinations
    assert destinations is not None
    reason = _check_put(pmo, len(destinations))
    if reason:
        return fail(connection, reason)
    force = connection.force
    given = pmo.options
    done: MQMD | None = None
    for index, destination in enumerate(destinations):
        if destination.handle is None:
            continue
        record: MQPMR | None = None
        if pmo.put_msg_records is not None and index < pmo.recs_present:
            record = pmo.put_msg_records[index]
        own = md.copy()
        if record is not None:
            _take(record, pmo, own)
        put_checked(qm, connection, destination.handle, own, pmo, data)
        pmo.options = given
        destination.completion = connection.completion
        destination.reason = connection.reason
        force = max(force, connection.force)
        if destination.completion != MQCC_FAILED:
            done = own
            if record is not None:
                _give_back(record, pmo, own)
    connection.force = force
    if done is not None:
        done.copy_identity_context_to(md)
        done.copy_origin_context_to(md)
    pmo.resolved_q_name = pmo.resolved_q_mgr_name = ""
    pmo.known_dest_count = _count(destinations, False)
    pmo.unknown_dest_count = _count(destinations, True)
    pmo.invalid_dest_count = len(destinations) - pmo.known_dest_count - pmo.unknown_dest_count
    return _conclude(connection, destinations, pmo.response_records)


def _check_put(pmo: MQPMO, count: int) -> int:
    if pmo.recs_present < 0:
        return MQRC_RECS_PRESENT_ERROR
    fields = pmo.put_msg_rec_fields
    records = pmo.put_msg_records
    if fields & ~_RECORD_FIELDS or (records and not fields):
        return MQRC_PMO_RECORD_FLAGS_ERROR
    if fields & MQPMRF_ACCOUNTING_TOKEN and not pmo.options & (MQPMO_SET_IDENTITY_CONTEXT | MQPMO_SET_ALL_CONTEXT):
        return MQRC_PMO_RECORD_FLAGS_ERROR
    if fields and pmo.recs_present and (records is None or len(records) < pmo.recs_present):
        return MQRC_PUT_MSG_RECORDS_ERROR
    if pmo.response_records is not None and len(pmo.response_records) < count:
        return MQRC_RESPONSE_RECORDS_ERROR
    return MQRC_NONE


def _take(record: MQPMR, pmo: MQPMO, md: MQMD) -> None:
    """What the record says instead of the descriptor."""
    fields = pmo.put_msg_rec_fields
    if fields & MQPMRF_MSG_ID:
        md.msg_id = record.msg_id
    if fields & MQPMRF_CORREL_ID:
        md.correl_id = record.correl_id
    if fields & MQPMRF_GROUP_ID:
        md.group_id = record.group_id
    if fields & MQPMRF_FEEDBACK:
        md.feedback = record.feedback
    if fields & MQPMRF_ACCOUNTING_TOKEN:
        md.accounting_token = record.accounting_token


def _give_back(record: MQPMR, pmo: MQPMO, md: MQMD) -> None:
    """The ids that the queue manager made."""
    fields = pmo.put_msg_rec_fields
    if fields & MQPMRF_MSG_ID or pmo.options & MQPMO_NEW_MSG_ID:
        record.msg_id = md.msg_id
    if fields & MQPMRF_CORREL_ID or pmo.options & MQPMO_NEW_CORREL_ID:
        record.correl_id = md.correl_id
    if fields & MQPMRF_GROUP_ID:
        record.group_id = md.group_id


def _count(destinations: list[Destination], remote: bool) -> int:
    count = 0
    for destination in destinations:
        if destination.completion != MQCC_FAILED and destination.remote == remote:
            count += 1
    return count


def _conclude(connection: Connection, destinations: list[Destination], records: list[MQRR] | None) -> int:
    """How the whole ended; the records are written if the parts did not end alike."""
    first = destinations[0]
    completion, reason = first.completion, first.reason
    for destination in destinations:
        if destination.reason != first.reason or destination.completion != first.completion:
            reason = MQRC_MULTIPLE_REASONS
        if destination.completion != MQCC_FAILED and completion == MQCC_FAILED:
            completion = MQCC_WARNING
    if reason == MQRC_MULTIPLE_REASONS:
        if completion == MQCC_OK:
            completion = MQCC_WARNING
        if records is not None:
            for index, destination in enumerate(destinations):
                records[index].comp_code = destination.completion
                records[index].reason = destination.reason
    connection.completion = completion
    connection.reason = reason
    return reason
