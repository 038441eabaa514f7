"""MQOPEN and MQPUT1: from a name to a handle.

    open            options, object type
      open_queue    name resolution (catalogue.py), authority, then by what the name leads to:
                    a local queue         input, browse, output, inquire, set
                    a model queue         a dynamic queue is made from it and opened
                    another queue manager output only, to the transmission queue
                    a topic               output only (publish.py)
      open_list     several queues (distribution.py)
      open_topic    a topic, by object and string (publish.py)
      open_other    queue manager, process, namelist: inquire only

Where more than one reason could apply, the order of checking is: options (2046), handles (2017), selection string
(2516 without input or browse, 2519 too long, 2459 syntax, 2551 asks for message data), object type (2043), name
resolution (2085, 2087, 2082 ...), options against the kind of object (2045), authority (2035), others (2042).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.catalogue import authorities
from flintmq.catalogue.attribute import Value
from flintmq.catalogue.attributes import ATTRIBUTES, INQUIRED_TYPES
from flintmq.log.errors import LogError
from flintmq.mqi.constants import (
    MQOO_ALTERNATE_USER_AUTHORITY,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_PASS_IDENTITY_CONTEXT,
    MQOO_SAVE_ALL_CONTEXT,
    MQOO_SET,
    MQOO_SET_ALL_CONTEXT,
    MQOO_SET_IDENTITY_CONTEXT,
    MQOT_Q,
    MQOT_TOPIC,
    MQPER_NOT_PERSISTENT,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_LOGICAL_ORDER,
    MQPMO_SYNC_RESPONSE,
    MQPMO_SYNCPOINT,
    MQPROP_COMPATIBILITY,
)
from flintmq.mqi.md import MQMD
from flintmq.mqi.object_name import is_name
from flintmq.mqi.od import MQOD
from flintmq.mqi.pcf_constants import MQRQ_OPEN_NOT_AUTHORIZED
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQRC_DYNAMIC_Q_NAME_ERROR,
    MQRC_HANDLE_NOT_AVAILABLE,
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_OPTIONS_ERROR,
    MQRC_Q_MGR_QUIESCING,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SELECTOR_INVALID_FOR_TYPE,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_OBJECT_Q_MGR,
)
from flintmq.qmgr import (
    authority_change,
    authority_records,
    event,
    property_control,
    publish,
    registration,
    selection,
    stream,
    trigger,
)
from flintmq.qmgr.catalogue import MQObject, Resolution
from flintmq.qmgr.close import close_handle
from flintmq.qmgr.connection import Connection, Handle, fail, not_usable, succeed
from flintmq.qmgr.objects import attach_queue, log_definition
from flintmq.qmgr.put import asynchronous, context_of_open, put_checked, remember_first
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.security import context_user
from flintmq.qmgr.unit_of_work import current_unit
from flintmq.selector.errors import SelectorError
from flintmq.selector.selector import Selector, compile_selector

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

INPUT: Final = MQOO_INPUT_AS_Q_DEF | MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE
_ACCESS: Final = INPUT | MQOO_BROWSE | MQOO_OUTPUT | MQOO_INQUIRE | MQOO_SET
_NEEDS_INPUT: Final = MQOO_SAVE_ALL_CONTEXT
#: Needs authority on the queue of a managed subscription, too.
_NOT_GETTING: Final = MQOO_OUTPUT | MQOO_SET | MQOO_ALTERNATE_USER_AUTHORITY
#: About context. With MQOO_ALTERNATE_USER_AUTHORITY the application itself needs authority for these.
_NEEDS_OUTPUT: Final = (
    MQOO_PASS_ALL_CONTEXT | MQOO_PASS_IDENTITY_CONTEXT | MQOO_SET_ALL_CONTEXT | MQOO_SET_IDENTITY_CONTEXT
)
#: Every option that MQ knows; another bit is 2046.
_KNOWN: Final = 0x007F_FFFF


def open_object(qm: QueueManager, connection: Connection, od: MQOD, options: int) -> Handle | None:
    """MQOPEN. The handle, or None with the reason in the connection."""
    connection.force = 0
    qm.counters.opens += 1
    if not connection.usable:
        fail(connection, not_usable(connection))
        return None
    reason = _check_options(qm, connection, options)
    if reason:
        fail(connection, reason)
        return None
    selector: Selector | None = None
    if od.selection_string:
        selector = _selector(qm, connection, od, options)
        if selector is None:
            return None
    if od.recs_present and od.version > 1:
        handle = qm.open_list(connection, od, options)
        if handle is not None:
            connection.handles[handle.number] = handle
        return handle
    if od.object_type == MQOT_Q:
        handle = open_queue(qm, connection, od, options)
    elif od.object_type == MQOT_TOPIC:
        handle = publish.open_topic(qm, connection, od, options)
    elif od.object_type in INQUIRED_TYPES:
        handle = _open_other(qm, connection, od, options)
    else:
        fail(connection, MQRC_OBJECT_TYPE_ERROR)
        return None
    if handle is not None:
        if selector is not None and handle.queue is not None:
            selection.opened(handle, handle.queue, selector)
            if connection.slices and handle.selection is not None:
                connection.work = selection.CatchingUp(handle)
        connection.handles[handle.number] = handle
        succeed(connection)
    return handle


def _selector(qm: QueueManager, connection: Connection, od: MQOD, options: int) -> Selector | None:
    """The selector of an open for input or browse; None with the reason in the connection."""
    text = od.selection_string
    if od.object_type != MQOT_Q or not options & (INPUT | MQOO_BROWSE):
        fail(connection, MQRC_SELECTOR_INVALID_FOR_TYPE)
        return None
    known = selection.known_selector(qm.queues.get(od.object_name), text)
    if known is not None:
        return known
    try:
        return compile_selector(text)
    except SelectorError as error:
        connection.explanation = f"selection string, position {error.position}: {error.what}"
        fail(connection, error.reason)
        return None


def _check_options(qm: QueueManager, connection: Connection, options: int) -> int:
    if options & ~_KNOWN or not options & _ACCESS:
        return MQRC_OPTIONS_ERROR
    chosen = options & INPUT
    if chosen & (chosen - 1):
        return MQRC_OPTIONS_ERROR
    if options & _NEEDS_INPUT and not options & INPUT:
        return MQRC_OPTIONS_ERROR
    if options & _NEEDS_OUTPUT and not options & MQOO_OUTPUT:
        return MQRC_OPTIONS_ERROR
    if qm.quiescing and options & MQOO_FAIL_IF_QUIESCING:
        return MQRC_Q_MGR_QUIESCING
    if len(connection.handles) >= qm.max_handles:
        return MQRC_HANDLE_NOT_AVAILABLE
    return MQRC_NONE


def _allowed(
    qm: QueueManager,
    connection: Connection,
    od: MQOD,
    kind: str,
    name: str,
    options: int,
    target: MQObject | None = None,
) -> bool:
    """Ask the authority about the name that the application gave.

    `target` is the model that it names, or the transmission queue if it names another queue manager.
    """
    user = connection.user
    authority = qm.authority
    asked = options
    allowed = True
    if options & MQOO_ALTERNATE_USER_AUTHORITY:
        allowed = authority.may_use_alternate_user(user, od.alternate_user_id)
        if allowed:
            context = options & _NEEDS_OUTPUT  # Always the application's own matter, as in MQ.
            allowed = not context or _may_open(qm, user, kind, name, context, target)
        if allowed:
            user = context_user(od.alternate_user_id)
            asked &= ~_NEEDS_OUTPUT
    if allowed:
        allowed = _may_open(qm, user, kind, name, asked, target)
        if allowed and target is not None and target.kind == "QMODEL":
            allowed = authority.may_create(user, target.name)
    if not allowed:
        event.refused(qm, connection, user, kind, name, MQRQ_OPEN_NOT_AUTHORIZED, options)
    return allowed


def _may_open(qm: QueueManager, user: str, kind: str, name: str, options: int, target: MQObject | None) -> bool:
    """Ask the authority about one user, on the transmission queue if another queue manager was named."""
    if target is not None and target.kind == "QLOCAL":
        return qm.authority.may_open_remote(user, target.name, options)
    return qm.authority.may_open(user, kind, name, options)


def _shares_managed(qm: QueueManager, connection: Connection, name: str, options: int) -> bool:
    """Return whether a connection of the same user has a managed subscription whose publications come to `name`.

    The handle that MQSUB returns needs no authority. An application with several connections, one of which has the
    subscription, gets through the others as well, and only while that one has it.
    """
    if not name.startswith(registration.MANAGED) or options & _NOT_GETTING:
        return False
    queue = qm.queues.get(name)
    if queue is None:
        return False
    for handle in queue.opens.handles:
        if handle.managed and handle.connection.user == connection.user:
            return True
    return False


def open_queue(
    qm: QueueManager, connection: Connection, od: MQOD, options: int, trusted: bool = False
) -> Handle | None:
    """Open whatever the queue name leads to. The handle is not yet entered in the connection.

    With `trusted` the authority is not asked: the queue manager opens the queue of a subscription.
    """
    if od.object_q_mgr_name and od.object_q_mgr_name != qm.name and options & ~MQOO_OUTPUT & _ACCESS:
        if qm.catalogue.find("QREMOTE", od.object_q_mgr_name) is None:
            fail(connection, MQRC_UNKNOWN_OBJECT_Q_MGR)
            return None
    resolution = qm.catalogue.resolve(od.object_name, od.object_q_mgr_name)
    if resolution.reason:
        event.unknown_object(qm, connection, od, resolution.reason)
        fail(connection, resolution.reason)
        return None
    target = resolution.queue
    if target is None:
        assert resolution.named is not None
        if not _allowed(qm, connection, od, "QUEUE", od.object_name, options):
            fail(connection, MQRC_NOT_AUTHORIZED)
            return None
        return publish.open_alias(qm, connection, od, options, resolution.named)
    refused = INPUT | MQOO_BROWSE | (MQOO_SET if od.object_q_mgr_name else 0)
    if resolution.remote_q_mgr_name and options & refused:
        fail(connection, MQRC_OPTION_NOT_VALID_FOR_TYPE)
        return None
    elsewhere = resolution.remote_q_mgr_name and od.object_q_mgr_name not in ("", qm.name)
    asked = target if elsewhere or target.kind == "QMODEL" else None
    if not trusted:
        trusted = target.name == od.object_name and _shares_managed(qm, connection, target.name, options)
    if not trusted and not _allowed(qm, connection, od, "QUEUE", od.object_name, options, asked):
        fail(connection, MQRC_NOT_AUTHORIZED)
        return None
    if target.kind == "QMODEL":
        queue = make_dynamic(qm, connection, target, od.dynamic_q_name)
        if queue is None:
            return None
        user = connection.user
        if options & MQOO_ALTERNATE_USER_AUTHORITY:
            user = context_user(od.alternate_user_id)
        if qm.authority.created(user, "QUEUE", queue.name, queue.temporary):
            _, force = authority_change.change(
                qm, "QUEUE", queue.name, authority_records.PRINCIPAL, user, authorities.BY_TYPE["QUEUE"], 0
            )
            connection.force = max(connection.force, force)
        od.object_name = queue.name
        od.object_q_mgr_name = qm.name
    else:
        found = qm.queues.get(target.name)
        assert found is not None
        queue = found
    if not _claim(queue, options):
        fail(connection, MQRC_OBJECT_IN_USE)
        return None
    handle = _queue_handle(qm, connection, od, options, resolution, queue)
    handle.owns_dynamic = target.kind == "QMODEL"
    od.resolved_q_name = handle.resolved_name
    od.resolved_q_mgr_name = handle.resolved_qmgr
    return handle


def _claim(queue: Queue, options: int) -> bool:
    """Enter an open for input with those that have the queue open for input already; False if they conflict."""
    if not options & INPUT:
        return True
    exclusive = options & MQOO_INPUT_EXCLUSIVE != 0
    if options & MQOO_INPUT_AS_Q_DEF:
        exclusive = queue.rules.def_exclusive
    if not queue.rules.shareable:
        exclusive = True
    if queue.opens.exclusive or (exclusive and queue.opens.input_handles):
        return False
    queue.opens.exclusive = exclusive
    queue.opens.input_handles += 1
    queue.marks.high_input = max(queue.marks.high_input, queue.opens.input_handles)
    return True


def _queue_handle(
    qm: QueueManager, connection: Connection, od: MQOD, options: int, resolution: Resolution, queue: Queue
) -> Handle:
    handle = Handle(connection.next_handle, connection, MQOT_Q, od.object_name, options)
    connection.next_handle += 1
    handle.queue = queue
    handle.can_get = options & INPUT != 0
    handle.can_browse = options & MQOO_BROWSE != 0
    handle.can_put = options & MQOO_OUTPUT != 0
    handle.can_inquire = options & MQOO_INQUIRE != 0
    handle.can_set = options & MQOO_SET != 0
    handle.exclusive = handle.can_get and queue.opens.exclusive
    handle.context = context_of_open(options)
    if options & MQOO_SAVE_ALL_CONTEXT:
        handle.saved = MQMD()
    handle.resolved_name = queue.name
    handle.resolved_qmgr = qm.name
    if resolution.remote_q_mgr_name:
        handle.remote_queue = resolution.remote_q_name
        handle.remote_qmgr = resolution.remote_q_mgr_name
        handle.resolved_name = resolution.remote_q_name
        handle.resolved_qmgr = resolution.remote_q_mgr_name
    named = resolution.named if resolution.named is not None else queue.definition
    if named.kind == "QMODEL":
        named = queue.definition
    handle.def_priority = named.number("DEFPRTY")
    handle.def_persistence = 1 if named.text("DEFPSIST") == "YES" else 0
    handle.def_put_response = 1 if named.text("DEFPRESP") == "ASYNC" else 0
    handle.property_control = property_control.of_definition(named)
    if named.kind != "QLOCAL":
        handle.put_enabled_by = named.name
        if named.kind == "QALIAS":
            handle.get_enabled_by = named.name
    plain = named.kind == "QLOCAL" and not handle.remote_qmgr
    handle.straight_put = plain and handle.can_put and not handle.context and not handle.def_put_response
    handle.straight_get = (
        plain and handle.can_get and handle.saved is None and handle.property_control == MQPROP_COMPATIBILITY
    )
    queue.opens.handles.append(handle)
    queue.counts.open_count += 1
    if handle.can_get and queue.opens.input_handles == 1:
        trigger.input_opened(qm, queue)
    if handle.can_put:
        queue.opens.output_handles += 1
        queue.marks.high_output = max(queue.marks.high_output, queue.opens.output_handles)
        if queue.stream.name:
            stream.opened(qm, handle, queue)
    return handle


def make_dynamic(qm: QueueManager, connection: Connection, model: MQObject, pattern: str) -> Queue | None:
    """Make a dynamic queue from a model. A name that ends in `*` gets sixteen unique digits instead."""
    name = pattern
    if name.endswith("*"):
        name = name[:-1][:32] + qm.new_msg_id()[16:].hex().upper()
    if not is_name(name):
        fail(connection, MQRC_DYNAMIC_Q_NAME_ERROR)
        return None
    if qm.catalogue.taken("QLOCAL", name) is not None:
        fail(connection, MQRC_OBJECT_ALREADY_EXISTS)
        return None
    attributes: dict[str, Value] = {}
    for attribute in ATTRIBUTES["QLOCAL"]:
        if attribute.keyword in model.attributes and not attribute.live:
            attributes[attribute.keyword] = model.attributes[attribute.keyword]
    attributes["DEFTYPE"] = model.text("DEFTYPE")
    definition = qm.catalogue.add("QLOCAL", name, attributes)
    qm.counters.objects_created += 1
    if model.text("DEFTYPE") != "TEMPDYN":
        try:
            connection.force = log_definition(qm, definition)
        except LogError:
            qm.catalogue.remove(definition)
            fail(connection, MQRC_RESOURCE_PROBLEM)
            return None
    return attach_queue(qm, definition)


def _open_other(qm: QueueManager, connection: Connection, od: MQOD, options: int) -> Handle | None:
    """Open an object for inquiry only: a queue manager, a process, a namelist."""
    kind = INQUIRED_TYPES[od.object_type]
    name = od.object_name or (qm.name if kind == "QMGR" else "")
    if od.object_q_mgr_name and od.object_q_mgr_name != qm.name:
        fail(connection, MQRC_UNKNOWN_OBJECT_Q_MGR)
        return None
    if qm.catalogue.find(kind, name) is None:
        event.unknown_object(qm, connection, od, MQRC_UNKNOWN_OBJECT_NAME)
        fail(connection, MQRC_UNKNOWN_OBJECT_NAME)
        return None
    if options & _ACCESS & ~MQOO_INQUIRE:
        fail(connection, MQRC_OPTION_NOT_VALID_FOR_TYPE)
        return None
    if not _allowed(qm, connection, od, kind, name, options):
        fail(connection, MQRC_NOT_AUTHORIZED)
        return None
    handle = Handle(connection.next_handle, connection, od.object_type, name, options)
    connection.next_handle += 1
    handle.can_inquire = True
    od.resolved_q_mgr_name = qm.name
    return handle


def put1(qm: QueueManager, connection: Connection, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> int:
    """MQPUT1: open for output, put, close. No handle is left behind, whatever happens."""
    connection.force = 0
    if not connection.usable:
        return fail(connection, not_usable(connection))
    qm.counters.put1s += 1
    if pmo.options & MQPMO_LOGICAL_ORDER:  # There is no handle that could remember the group.
        return fail(connection, MQRC_OPTIONS_ERROR)
    if od.selection_string:
        return fail(connection, MQRC_SELECTOR_INVALID_FOR_TYPE)
    open_options = MQOO_OUTPUT | put1_open_options(pmo.options)
    if od.object_type == MQOT_TOPIC:
        handle = publish.open_topic(qm, connection, od, open_options)
    elif od.object_type != MQOT_Q:
        return fail(connection, MQRC_OBJECT_TYPE_ERROR)
    elif od.recs_present and od.version > 1:
        handle = qm.open_list(connection, od, open_options)
    else:
        handle = open_queue(qm, connection, od, open_options)
    if handle is None:
        if not pmo.options & MQPMO_ASYNC_RESPONSE or pmo.options & MQPMO_SYNC_RESPONSE:
            return connection.reason
        connection.async_failure += 1
        remember_first(connection, connection.reason, od.object_name, od.object_q_mgr_name, od.object_type)
        if pmo.options & MQPMO_SYNCPOINT and md.persistence != MQPER_NOT_PERSISTENT:
            current_unit(qm, connection).doomed = True
        return succeed(connection)
    if connection.task is not None:
        connection.put1_handle = handle
    force = connection.force
    if handle.destinations is not None:
        if pmo.response_records is None:
            pmo.response_records = od.response_records
        reason = qm.put_to_list(connection, handle, md, pmo, data)
    else:
        reason = put_checked(qm, connection, handle, md, pmo, data)
        if handle.queue is not None:
            _count_put1(handle.queue, connection.completion == MQCC_FAILED, md.persistence, len(data))
    if pmo.options & MQPMO_ASYNC_RESPONSE:
        reason = asynchronous(qm, connection, handle, md, pmo, reason)
    if handle.topic is not None:
        return reason  # It holds nothing that has to be given back.
    completion = connection.completion
    force = max(force, connection.force)
    close_handle(qm, connection, handle)
    connection.force = max(force, connection.force)
    connection.completion = completion
    connection.reason = reason
    return reason


def _count_put1(queue: Queue, failed: bool, persistence: int, length: int) -> None:
    """What of the puts to `queue` was MQPUT1."""
    if failed:
        queue.counts.put1_failed += 1
        return
    queue.counts.put1_count += 1
    queue.counts.put1_bytes += length
    if persistence == 1:
        queue.counts.put1_persistent += 1
        queue.counts.put1_persistent_bytes += length


def put1_open_options(options: int) -> int:
    """The open options that the put message options of an MQPUT1 imply."""
    implied = 0
    if not options & _IMPLYING:
        return implied
    for put_option, open_option in _IMPLIED:
        if options & put_option:
            implied |= open_option
    return implied


# MQPMO_PASS_IDENTITY_CONTEXT and its kin have the same bits as MQOO_PASS_IDENTITY_CONTEXT and its kin.
_IMPLIED: Final = (
    (0x100, MQOO_PASS_IDENTITY_CONTEXT),
    (0x200, MQOO_PASS_ALL_CONTEXT),
    (0x400, MQOO_SET_IDENTITY_CONTEXT),
    (0x800, MQOO_SET_ALL_CONTEXT),
    (0x1000, MQOO_ALTERNATE_USER_AUTHORITY),
)
_IMPLYING: Final = 0x1F00
