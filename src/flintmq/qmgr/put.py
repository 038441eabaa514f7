"""MQPUT: from the application's message to a message on a queue.

    put            the straight way; else checks of the handle, the options and the descriptor, in MQ's order
      settle_md    ids, defaults and context are written into the descriptor, as the application gets it back
      to_queue     (place.py) limits, pages, log or unit of work, list and indexes
        arrived    (engine.py) it is available: waiting getters, triggers, events

Everything that is rare (groups, segments, reports, other queue managers, context passing) branches off to its own file;
the straight way is a datagram to a local queue, which `put` does by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQEI_UNLIMITED,
    MQFMT_MD_EXTENSION,
    MQFMT_RF_HEADER_2,
    MQMD_VERSION_1,
    MQMD_VERSION_2,
    MQMT_DATAGRAM,
    MQMT_REPLY,
    MQMT_REQUEST,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_PASS_IDENTITY_CONTEXT,
    MQOO_SET_ALL_CONTEXT,
    MQOO_SET_IDENTITY_CONTEXT,
    MQPER_PERSISTENCE_AS_Q_DEF,
    MQPER_PERSISTENT,
    MQPMO_ALTERNATE_USER_AUTHORITY,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_DEFAULT_CONTEXT,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_LOGICAL_ORDER,
    MQPMO_MD_FOR_OUTPUT_ONLY,
    MQPMO_NEW_CORREL_ID,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_CONTEXT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_NOT_OWN_SUBS,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_PASS_IDENTITY_CONTEXT,
    MQPMO_RESOLVE_LOCAL_Q,
    MQPMO_RESPONSE_AS_Q_DEF,
    MQPMO_RETAIN,
    MQPMO_SCOPE_QMGR,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SET_IDENTITY_CONTEXT,
    MQPMO_SUPPRESS_REPLYTO,
    MQPMO_SYNC_RESPONSE,
    MQPMO_SYNCPOINT,
    MQPMO_VERSION_2,
    MQPMO_WARN_IF_NO_SUBS_MATCHED,
    MQRO_COA,
)
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQRC_CONTEXT_HANDLE_ERROR,
    MQRC_CONTEXT_NOT_AVAILABLE,
    MQRC_EXPIRY_ERROR,
    MQRC_FEEDBACK_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_MD_ERROR,
    MQRC_MISSING_REPLY_TO_Q,
    MQRC_MSG_TYPE_ERROR,
    MQRC_NONE,
    MQRC_NOT_OPEN_FOR_OUTPUT,
    MQRC_NOT_OPEN_FOR_PASS_ALL,
    MQRC_NOT_OPEN_FOR_PASS_IDENT,
    MQRC_NOT_OPEN_FOR_SET_ALL,
    MQRC_NOT_OPEN_FOR_SET_IDENT,
    MQRC_OPTIONS_ERROR,
    MQRC_PERSISTENCE_ERROR,
    MQRC_PERSISTENT_NOT_ALLOWED,
    MQRC_PRIORITY_ERROR,
    MQRC_PRIORITY_EXCEEDS_MAXIMUM,
    MQRC_PROPERTIES_TOO_BIG,
    MQRC_PUT_INHIBITED,
    MQRC_Q_MGR_QUIESCING,
    MQRC_UNKNOWN_REPORT_OPTION,
)
from flintmq.qmgr import event, group, headers, put_properties, remote, report
from flintmq.qmgr.connection import Connection, Handle, fail, not_usable, succeed, warn
from flintmq.qmgr.expiry import cap_on_the_way, capped
from flintmq.qmgr.message import NO_ID, NO_TOKEN
from flintmq.qmgr.place import to_queue
from flintmq.qmgr.unit_of_work import current_unit

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

# How an open allows context to be set or passed (Handle.context).
CONTEXT_PASS_IDENTITY: Final = 1
CONTEXT_PASS_ALL: Final = 2
CONTEXT_SET_IDENTITY: Final = 4
CONTEXT_SET_ALL: Final = 8

_CONTEXT_OPTIONS: Final = (
    MQPMO_DEFAULT_CONTEXT
    | MQPMO_NO_CONTEXT
    | MQPMO_PASS_ALL_CONTEXT
    | MQPMO_PASS_IDENTITY_CONTEXT
    | MQPMO_SET_ALL_CONTEXT
    | MQPMO_SET_IDENTITY_CONTEXT
)
_UNUSUAL_CONTEXT: Final = _CONTEXT_OPTIONS & ~MQPMO_DEFAULT_CONTEXT
_SYNCPOINT_OPTIONS: Final = MQPMO_SYNCPOINT | MQPMO_NO_SYNCPOINT
_RESPONSE_OPTIONS: Final = MQPMO_SYNC_RESPONSE | MQPMO_ASYNC_RESPONSE
#: With no other options than these, and a plain message, a put takes the straight way.
_STRAIGHT_OPTIONS: Final = (
    _SYNCPOINT_OPTIONS | MQPMO_NEW_MSG_ID | MQPMO_DEFAULT_CONTEXT | MQPMO_FAIL_IF_QUIESCING | MQPMO_ASYNC_RESPONSE
)
#: Every option that MQ knows; another bit is 2046.
_KNOWN_OPTIONS: Final = (
    _CONTEXT_OPTIONS
    | _SYNCPOINT_OPTIONS
    | _RESPONSE_OPTIONS
    | MQPMO_NEW_MSG_ID
    | MQPMO_NEW_CORREL_ID
    | MQPMO_ALTERNATE_USER_AUTHORITY
    | MQPMO_FAIL_IF_QUIESCING
    | MQPMO_LOGICAL_ORDER
    | MQPMO_RESOLVE_LOCAL_Q
    | MQPMO_WARN_IF_NO_SUBS_MATCHED
    | MQPMO_RETAIN
    | MQPMO_MD_FOR_OUTPUT_ONLY
    | MQPMO_SCOPE_QMGR
    | MQPMO_SUPPRESS_REPLYTO
    | MQPMO_NOT_OWN_SUBS
)
#: How the formats of most headers begin, those with properties (MQHRF2) and MQHMDE among them.
_HEADERS: Final = "MQH"
FEEDBACK_MAX: Final = 999_999_999
#: A priority that is too high is kept in the descriptor as far as its byte in the message record reaches.
PRIORITY_KEPT_MAX: Final = 255


def put(qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> int:
    """MQPUT. A plain datagram, request or reply to a local queue is written out here, for the sake of its cost."""
    connection.force = 0
    qm.counters.puts += 1
    options = pmo.options
    if (
        not handle.straight_put
        or options & ~_STRAIGHT_OPTIONS
        or not (
            md.msg_type == MQMT_DATAGRAM or md.msg_type == MQMT_REPLY or (md.msg_type == MQMT_REQUEST and md.reply_to_q)
        )
        or md.version > MQMD_VERSION_2
        or (md.version > MQMD_VERSION_1 and md.msg_flags)
        or pmo.version > MQPMO_VERSION_2
        or md.report
        or md.feedback
        or md.expiry != MQEI_UNLIMITED
        or not -1 <= md.priority <= 0
        or not 0 <= md.persistence <= 2
        or (md.format and md.format.startswith(_HEADERS))
        or options & _SYNCPOINT_OPTIONS == _SYNCPOINT_OPTIONS
        or handle.put_group is not None
        or not connection.usable
        or qm.quiescing
    ):
        return _put_unusual(qm, connection, handle, md, pmo, data)
    queue = handle.queue
    assert queue is not None
    if md.persistence == 2:
        md.persistence = handle.def_persistence
    if md.persistence and queue.temporary:
        return _refused(qm, connection, handle, md, pmo, MQRC_PERSISTENT_NOT_ALLOWED)
    if md.priority:
        md.priority = handle.def_priority
    if md.reply_to_q and not md.reply_to_q_mgr:
        remote.resolve_reply_to(qm, md)
    if md.version > MQMD_VERSION_1:
        md.group_id = NO_ID
        md.msg_seq_number = 1
        md.offset = 0
        md.original_length = -1
    now = qm.clock.now_ms()
    if now != qm.stamped_ms:
        qm.stamp(now)
    md.user_identifier = connection.user
    md.accounting_token = connection.accounting_token
    md.appl_identity_data = ""
    md.put_appl_type = connection.appl_type
    md.put_appl_name = connection.appl_name
    md.put_date = qm.put_date
    md.put_time = qm.put_time
    md.appl_origin_data = ""
    md.backout_count = 0
    if md.coded_char_set_id == 0:
        md.coded_char_set_id = qm.ccsid
    if options & MQPMO_NEW_MSG_ID or md.msg_id == NO_ID:
        md.msg_id = qm.new_msg_id()
    reason = to_queue(qm, connection, queue, md, data, options & MQPMO_SYNCPOINT != 0, now, b"", handle)
    if reason:
        queue.counts.put_failed += 1
        event.put_refused(qm, connection, handle, reason)
        return _refused(qm, connection, handle, md, pmo, reason)
    pmo.resolved_q_name = handle.resolved_name
    pmo.resolved_q_mgr_name = handle.resolved_qmgr
    connection.completion = MQCC_OK
    connection.reason = MQRC_NONE
    if options & MQPMO_ASYNC_RESPONSE:
        connection.async_success += 1
    return MQRC_NONE


def _refused(qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, reason: int) -> int:
    """The end of a put that failed on the straight way."""
    fail(connection, reason)
    return asynchronous(qm, connection, handle, md, pmo, reason) if pmo.options & MQPMO_ASYNC_RESPONSE else reason


def _put_unusual(qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> int:
    """MQPUT with all its options, and all that can be wrong."""
    if not connection.usable:
        return fail(connection, not_usable(connection))
    if not handle.open:
        return fail(connection, MQRC_HOBJ_ERROR)
    if not handle.can_put:
        return fail(connection, MQRC_NOT_OPEN_FOR_OUTPUT)
    if handle.destinations is not None:
        reason = qm.put_to_list(connection, handle, md, pmo, data)
    else:
        reason = put_checked(qm, connection, handle, md, pmo, data)
    if handle.def_put_response or pmo.options & MQPMO_ASYNC_RESPONSE:
        return asynchronous(qm, connection, handle, md, pmo, reason)
    return reason


def put_checked(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    md: MQMD,
    pmo: MQPMO,
    data: bytes,
    properties: bytes = b"",
    composed: bool = False,
) -> int:
    """A put through a handle that is known to be good; also the second half of MQPUT1.

    `properties` are those of the message handles, once these have been looked at (`composed`).
    """
    options = pmo.options
    if not composed and put_properties.takes_part(pmo):
        return _put_composed(qm, connection, handle, md, pmo, data)
    if qm.quiescing and options & MQPMO_FAIL_IF_QUIESCING:
        return fail(connection, MQRC_Q_MGR_QUIESCING)
    syncpoint = options & MQPMO_SYNCPOINT != 0
    if options & ~_KNOWN_OPTIONS:
        return fail(connection, MQRC_OPTIONS_ERROR)
    if options & _SYNCPOINT_OPTIONS == _SYNCPOINT_OPTIONS or options & _RESPONSE_OPTIONS == _RESPONSE_OPTIONS:
        return fail(connection, MQRC_OPTIONS_ERROR)
    if md.format == MQFMT_MD_EXTENSION:
        extended_reason, full = headers.read_extension(qm, md, data)
        if extended_reason:
            return fail(connection, extended_reason)
        if full is not None:
            behind = headers.without_extension(data)
            extended_reason = put_checked(qm, connection, handle, full, pmo, behind, properties, composed)
            headers.give_back(md, full)
            return extended_reason
    if handle.topic is not None:
        return qm.put_topic(connection, handle, md, pmo, data, properties)
    queue = handle.queue
    assert queue is not None
    reason = check_md(qm, handle, queue.temporary, md)
    if reason and reason != MQRC_PRIORITY_EXCEEDS_MAXIMUM and reason != MQRC_UNKNOWN_REPORT_OPTION:
        return fail(connection, reason)
    now = qm.clock.now_ms()
    if now != qm.stamped_ms:
        qm.stamp(now)
    context_reason = set_context(qm, connection, handle, md, pmo)
    if context_reason:
        return fail(connection, context_reason)
    grouped = (
        options & MQPMO_LOGICAL_ORDER != 0 or (md.version > 1 and md.msg_flags != 0) or handle.put_group is not None
    )
    if grouped:
        group_reason = group.prepare_put(qm, handle, md, pmo, data)
        if group_reason:
            if not group.only_warns(options, group_reason):
                return fail(connection, group_reason)
            reason = group_reason
    elif md.version > 1:
        if md.version > 2:
            return fail(connection, MQRC_MD_ERROR)
        md.group_id = NO_ID
        md.msg_seq_number = 1
        md.offset = 0
        md.original_length = -1
    if options & MQPMO_NEW_MSG_ID or md.msg_id == NO_ID:
        md.msg_id = qm.new_msg_id()
    if options & MQPMO_NEW_CORREL_ID:
        md.correl_id = qm.new_msg_id()
    md.backout_count = 0
    segmented = grouped and md.version > 1 and group.must_segment(qm, handle, queue, md, data)
    put_reason = _send(qm, connection, handle, md, data, syncpoint, now, properties, segmented)
    if put_reason:
        queue.counts.put_failed += 1
        event.put_refused(qm, connection, handle, put_reason)
        return fail(connection, put_reason)
    if grouped:
        group.put_done(connection, handle, md, pmo, data)
    if md.report & MQRO_COA and not segmented and not handle.delivery_delay_ms:
        report.confirm_arrival(qm, connection, handle, md, data, syncpoint, properties)
    pmo.resolved_q_name = handle.resolved_name
    pmo.resolved_q_mgr_name = handle.resolved_qmgr
    if reason:
        return warn(connection, reason)
    return succeed(connection)


def _send(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    md: MQMD,
    data: bytes,
    syncpoint: bool,
    now: int,
    properties: bytes,
    segmented: bool,
) -> int:
    """The settled message goes where the handle leads: whole, in segments, or with a transmission header."""
    queue = handle.queue
    assert queue is not None
    if handle.put_enabled_by and qm.definition_inhibits_put(handle):
        return MQRC_PUT_INHIBITED
    if md.format == MQFMT_RF_HEADER_2 and put_properties.too_long(qm, md, data, properties):
        return MQRC_PROPERTIES_TOO_BIG
    if handle.delivery_delay_ms:
        return qm.stage_delayed(connection, handle, md, 0, 0, data, syncpoint, now, properties)
    expiry = md.expiry
    if handle.put_enabled_by or handle.remote_qmgr:
        md.expiry = capped(expiry, cap_on_the_way(qm, handle))
    if segmented:
        reason = group.put_segments(qm, connection, handle, queue, md, data, syncpoint, now, properties)
    elif handle.remote_qmgr:
        reason = remote.put_remote(qm, connection, handle, queue, md, data, syncpoint, now, properties)
    else:
        reason = to_queue(qm, connection, queue, md, data, syncpoint, now, properties, handle)
    md.expiry = expiry
    return reason


def _put_composed(qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> int:
    """A put with message handles: see put_properties.py."""
    composition = put_properties.Composition()
    reason = put_properties.compose(qm, connection, md, pmo, handle.remote_qmgr != "", composition)
    if reason:
        return fail(connection, reason)
    reason = put_checked(qm, connection, handle, md, pmo, data, composition.block, True)
    if connection.completion != MQCC_FAILED:
        composition.done(md)
    return reason


def check_md(qm: QueueManager, handle: Handle, temporary: bool, md: MQMD) -> int:
    """Resolve the defaults of the descriptor and refuse what it may not say, for a temporary queue above all."""
    persistence = md.persistence
    if persistence == 2:
        persistence = md.persistence = handle.def_persistence
    elif persistence != 0 and persistence != 1:
        return MQRC_PERSISTENCE_ERROR
    if persistence == 1 and temporary:
        return MQRC_PERSISTENT_NOT_ALLOWED
    if md.msg_type != 8:
        if md.msg_type < 1 or (md.msg_type > 65535 and md.msg_type > 999_999_999):
            return MQRC_MSG_TYPE_ERROR
        if md.msg_type == MQMT_REQUEST and not md.reply_to_q:
            return MQRC_MISSING_REPLY_TO_Q
    if md.expiry < 1 and md.expiry != -1:
        return MQRC_EXPIRY_ERROR
    if md.feedback and not 0 < md.feedback <= FEEDBACK_MAX:
        return MQRC_FEEDBACK_ERROR
    warning = MQRC_NONE
    if md.report:
        warning = report.check_options(md, handle.remote_qmgr != "")
        if warning and warning != MQRC_UNKNOWN_REPORT_OPTION:
            return warning
        if not md.reply_to_q and report.needs_reply_queue(md.report):
            return MQRC_MISSING_REPLY_TO_Q
    if md.reply_to_q and not md.reply_to_q_mgr:
        remote.resolve_reply_to(qm, md)
    priority = md.priority
    if priority == -1:
        md.priority = handle.def_priority
    elif priority < 0:
        return MQRC_PRIORITY_ERROR
    elif priority > qm.max_priority:  # It stands with those of the highest priority, and says what it said.
        md.priority = min(priority, PRIORITY_KEPT_MAX)
        warning = MQRC_PRIORITY_EXCEEDS_MAXIMUM
    if md.coded_char_set_id == 0:
        md.coded_char_set_id = qm.ccsid
    return warning


def set_context(qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO) -> int:
    """The context of a message that is put, in its descriptor."""
    if pmo.options & _UNUSUAL_CONTEXT or handle.context:
        return _unusual_context(qm, connection, handle, md, pmo)
    md.user_identifier = connection.user
    md.accounting_token = connection.accounting_token
    md.appl_identity_data = ""
    md.put_appl_type = connection.appl_type
    md.put_appl_name = connection.appl_name
    md.put_date = qm.put_date
    md.put_time = qm.put_time
    md.appl_origin_data = ""
    return MQRC_NONE


def context_of_open(options: int) -> int:
    """What the open options allow to be done with context; each includes the weaker ones."""
    context = 0
    if options & MQOO_PASS_IDENTITY_CONTEXT:
        context |= CONTEXT_PASS_IDENTITY
    if options & MQOO_PASS_ALL_CONTEXT:
        context |= CONTEXT_PASS_IDENTITY | CONTEXT_PASS_ALL
    if options & MQOO_SET_IDENTITY_CONTEXT:
        context |= CONTEXT_PASS_IDENTITY | CONTEXT_PASS_ALL | CONTEXT_SET_IDENTITY
    if options & MQOO_SET_ALL_CONTEXT:
        context |= CONTEXT_PASS_IDENTITY | CONTEXT_PASS_ALL | CONTEXT_SET_IDENTITY | CONTEXT_SET_ALL
    return context


def _unusual_context(qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO) -> int:
    """Context other than the default: none, passed on from a message got before, or set by the application."""
    chosen = pmo.options & _CONTEXT_OPTIONS
    if chosen & (chosen - 1):
        return MQRC_OPTIONS_ERROR
    if chosen == MQPMO_SET_ALL_CONTEXT:
        return MQRC_NONE if handle.context & CONTEXT_SET_ALL else MQRC_NOT_OPEN_FOR_SET_ALL
    if chosen == MQPMO_NO_CONTEXT:
        md.user_identifier = md.appl_identity_data = md.put_appl_name = ""
        md.put_date = md.put_time = md.appl_origin_data = ""
        md.accounting_token = NO_TOKEN
        md.put_appl_type = 0
        return MQRC_NONE
    md.put_appl_type = connection.appl_type
    md.put_appl_name = connection.appl_name
    md.put_date = qm.put_date
    md.put_time = qm.put_time
    md.appl_origin_data = ""
    if chosen == MQPMO_SET_IDENTITY_CONTEXT:
        return MQRC_NONE if handle.context & CONTEXT_SET_IDENTITY else MQRC_NOT_OPEN_FOR_SET_IDENT
    if chosen == MQPMO_PASS_IDENTITY_CONTEXT or chosen == MQPMO_PASS_ALL_CONTEXT:
        return _passed_context(connection, handle, md, pmo, chosen == MQPMO_PASS_ALL_CONTEXT)
    md.user_identifier = connection.user
    md.accounting_token = connection.accounting_token
    md.appl_identity_data = ""
    return MQRC_NONE


def _passed_context(connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, everything: bool) -> int:
    """MQPMO_PASS_*_CONTEXT: the context saved by a get through the handle that pmo.context names."""
    needed = CONTEXT_PASS_ALL if everything else CONTEXT_PASS_IDENTITY
    if not handle.context & needed:
        return MQRC_NOT_OPEN_FOR_PASS_ALL if everything else MQRC_NOT_OPEN_FOR_PASS_IDENT
    source = connection.handles.get(pmo.context)
    if source is None:
        return MQRC_CONTEXT_HANDLE_ERROR
    saved = source.saved
    if saved is None or not source.saved_valid:
        return MQRC_CONTEXT_NOT_AVAILABLE
    md.user_identifier = saved.user_identifier
    md.accounting_token = saved.accounting_token
    md.appl_identity_data = saved.appl_identity_data
    if everything:
        md.put_appl_type = saved.put_appl_type
        md.put_appl_name = saved.put_appl_name
        md.put_date = saved.put_date
        md.put_time = saved.put_time
        md.appl_origin_data = saved.appl_origin_data
    return MQRC_NONE


def asynchronous(qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, reason: int) -> int:
    """With asynchronous response the application hears nothing of this put but through MQSTAT.

    But if a persistent message in syncpoint could not be put, the unit of work cannot be committed (2003).
    """
    options = pmo.options
    if options & MQPMO_SYNC_RESPONSE:
        return reason
    if not options & MQPMO_ASYNC_RESPONSE and not (
        handle.def_put_response and options & _RESPONSE_OPTIONS == MQPMO_RESPONSE_AS_Q_DEF
    ):
        return reason
    if connection.completion == 0:
        connection.async_success += 1
        return reason
    if connection.completion == 1:
        connection.async_warning += 1
    else:
        connection.async_failure += 1
        if options & MQPMO_SYNCPOINT and _would_persist(handle, md):
            current_unit(qm, connection).doomed = True
    remember_first(connection, reason, handle.object_name, handle.resolved_qmgr, handle.object_type)
    return succeed(connection)


def _would_persist(handle: Handle, md: MQMD) -> bool:
    """Whether a message that could not be put is persistent."""
    if md.persistence == MQPER_PERSISTENCE_AS_Q_DEF:
        return handle.def_persistence == MQPER_PERSISTENT
    return md.persistence == MQPER_PERSISTENT


def remember_first(connection: Connection, reason: int, name: str, q_mgr: str, kind: int) -> None:
    """For MQSTAT: the first failure, and until there is one the first warning."""
    if connection.async_reason == MQRC_NONE or connection.async_completion < connection.completion:
        connection.async_completion = connection.completion
        connection.async_reason = reason
        connection.async_object_name = name
        connection.async_object_q_mgr = q_mgr
        connection.async_object_type = kind
