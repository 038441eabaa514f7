"""MQCLOSE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.log.errors import LogError
from flintmq.mqi.constants import MQCO_DELETE, MQCO_DELETE_PURGE, MQCO_NONE, MQOO_CO_OP
from flintmq.mqi.pcf_constants import MQRQ_CLOSE_NOT_AUTHORIZED
from flintmq.mqi.reason import (
    MQRC_HOBJ_ERROR,
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_IN_USE,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_OPTIONS_ERROR,
    MQRC_Q_DELETED,
    MQRC_Q_NOT_EMPTY,
    MQRC_RESOURCE_PROBLEM,
)
from flintmq.qmgr import (
    authority_change,
    browse_lock,
    browse_mark,
    consume,
    event,
    group,
    own_puts,
    registration,
    selection,
    stream,
    trigger,
)
from flintmq.qmgr.connection import MQOT_SUBSCRIPTION, Connection, Handle, fail, not_usable, succeed, warn
from flintmq.qmgr.get import end_wait, fail_waiters
from flintmq.qmgr.message import GET_PENDING, PUT_PENDING
from flintmq.qmgr.objects import detach_queue, log_deletion
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.subscription import subscription_of

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager


def close(qm: QueueManager, connection: Connection, handle: Handle, options: int = MQCO_NONE) -> int:
    """MQCLOSE. A dynamic queue may be deleted with it."""
    connection.force = 0
    qm.counters.closes += 1
    if not connection.usable:
        return fail(connection, not_usable(connection))
    if not handle.open or connection.handles.get(handle.number) is not handle:
        return fail(connection, MQRC_HOBJ_ERROR)
    if handle.object_type == MQOT_SUBSCRIPTION:
        return qm.close_subscription(connection, handle, options)
    queue = handle.queue
    if options & ~(MQCO_DELETE | MQCO_DELETE_PURGE) or options == MQCO_DELETE | MQCO_DELETE_PURGE:
        return fail(connection, MQRC_OPTIONS_ERROR)
    if options & (MQCO_DELETE | MQCO_DELETE_PURGE):
        if queue is None or queue.definition.text("DEFTYPE") == "PREDEFINED":
            return fail(connection, MQRC_OPTION_NOT_VALID_FOR_TYPE)
        if not handle.owns_dynamic and not qm.authority.may_delete(connection.user, queue.name):
            event.refused(qm, connection, connection.user, "QUEUE", queue.name, MQRQ_CLOSE_NOT_AUTHORIZED, options)
            return fail(connection, MQRC_NOT_AUTHORIZED)
        reason = _delete_permanent(qm, connection, handle, queue, options & MQCO_DELETE_PURGE != 0)
        if reason:
            return fail(connection, reason)
    force = connection.force
    group_reason = group.unfinished(handle)
    close_handle(qm, connection, handle)
    connection.force = max(force, connection.force)
    if group_reason:
        return warn(connection, group_reason)
    return succeed(connection)


def _delete_permanent(qm: QueueManager, connection: Connection, handle: Handle, queue: Queue, purge: bool) -> int:
    """MQCO_DELETE: a permanent dynamic queue goes if it is empty, or with its messages if they may be purged."""
    if queue.deleted or queue.temporary:
        return 0
    if queue.uncommitted or len(queue.opens.handles) > 1:
        return MQRC_OBJECT_IN_USE
    if queue.depth and not purge:
        return MQRC_Q_NOT_EMPTY
    try:
        connection.force = log_deletion(qm, queue.definition)
    except LogError:
        return MQRC_RESOURCE_PROBLEM
    queue.counts.purged_count += queue.depth
    qm.catalogue.remove(queue.definition)
    detach_queue(qm, queue)
    connection.force = max(connection.force, authority_change.object_deleted(qm, "QUEUE", queue.name))
    return 0


def close_handle(qm: QueueManager, connection: Connection, handle: Handle) -> None:
    """Give everything back that the handle holds."""
    handle.open = False
    handle.straight_put = False
    handle.straight_get = False
    connection.handles.pop(handle.number, None)
    queue = handle.queue
    if queue is None:
        if handle.destinations is not None:
            for destination in handle.destinations:
                if destination.handle is not None:
                    close_handle(qm, connection, destination.handle)
        subscription = subscription_of(handle)
        if subscription is not None:
            registration.handle_closed(qm, connection, handle, subscription)
        return
    consume.forget_handle(qm, handle)
    if queue.waiting:
        end_waits(qm, queue, handle)
    browse_lock.release(qm, handle)
    if handle.marks is not None or handle.options & MQOO_CO_OP:
        browse_mark.handle_closed(qm, handle, queue)
    queue.clear_cursor(handle)
    if handle.selector:
        selection.closed(handle, queue)
    queue.opens.handles.remove(handle)
    queue.counts.close_count += 1
    if handle.can_put:
        queue.opens.output_handles -= 1
        queue.marks.low_output = min(queue.marks.low_output, queue.opens.output_handles)
        stream.closed(handle)
    if handle.can_get:
        queue.opens.input_handles -= 1
        queue.marks.low_input = min(queue.marks.low_input, queue.opens.input_handles)
        if queue.opens.input_handles == 0:
            queue.opens.exclusive = False
            if queue.rules.trigger_on:
                trigger.input_closed(qm, queue)
    if handle.owns_dynamic and queue.temporary and not queue.deleted:
        delete_temporary(qm, queue)
    elif queue.opens.orphan:
        registration.remove_orphan(qm, queue, connection)


def end_waits(qm: QueueManager, queue: Queue, handle: Handle) -> None:
    """Waits through a handle end when it is closed."""
    for waiter in queue.all_waiters():
        if waiter.handle is handle:
            end_wait(qm, waiter)


def delete_temporary(qm: QueueManager, queue: Queue) -> None:
    """A temporary dynamic queue goes with the handle that made it, and so do its messages, committed or not."""
    fail_waiters(qm, queue, MQRC_Q_DELETED)
    for unit in qm.units():
        kept = []
        for message in unit.work:
            if message.queue is queue and message.state in (PUT_PENDING, GET_PENDING):
                queue.remove(message)
            else:
                kept.append(message)
        if len(kept) < len(unit.work):
            unit.work = kept
            own_puts.forget(unit)
    queue.counts.purged_count += queue.depth
    qm.catalogue.remove(queue.definition)
    detach_queue(qm, queue)
    qm.authority.deleted("QUEUE", queue.name)
