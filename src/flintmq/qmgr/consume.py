"""Asynchronous consume: MQCB registers callbacks, MQCTL starts and stops them.

The engine never calls a callback. When one is due, a `Waiter` with its `consumer` stands in `qm.woken`; the host

    begin_callback(qm, waiter)              from here on the connection takes calls, those of the callback
    context(waiter), waiter.md, waiter.answer.data ...    what the callback is told
    callback_failed(qm, waiter)             only if it ended with an exception
    callback_done(qm, waiter)               the next callback of the connection may come

    C1  A connection has at most one callback that is not done, and while it has one none of its consumers waits.
    C2  With several consumers the one after the last that was served is looked at first.
    C3  Start, stop, register, deregister and event calls come before messages, in the order in which they were caused.

Connection, by MQCTL (2534 for a pair that is not here, 2500 for a start when it is started):

    state       START, START_WAIT   SUSPEND     RESUME    STOP      MQI calls outside a callback
    stopped     started             -           -         -         allowed
    started     2500                suspended   -         stopped   2500
    suspended   2500                -           started   stopped   allowed

Consumer (`state`, MQCS_*): NONE; SUSPENDED by MQCB; SUSPENDED_TEMPORARY while its queue cannot be read (2016, 2161),
which ends by itself; SUSPENDED_USER_ACTION when only MQCB with MQOP_RESUME helps (2052, 2080, a callback that failed,
whatever else); STOPPED between a stop and the next start.

No message: with MQGMO_WAIT and an interval the callback hears 2033 when it is over, without MQGMO_WAIT at once, but
only once until there was a message again; with an unlimited wait never.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.cbc import MQCBC
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.constants import (
    MQCBCT_DEREGISTER_CALL,
    MQCBCT_EVENT_CALL,
    MQCBCT_MC_EVENT_CALL,
    MQCBCT_MSG_NOT_REMOVED,
    MQCBCT_MSG_REMOVED,
    MQCBCT_REGISTER_CALL,
    MQCBCT_START_CALL,
    MQCBCT_STOP_CALL,
    MQCBDO_DEREGISTER_CALL,
    MQCBDO_EVENT_CALL,
    MQCBDO_FAIL_IF_QUIESCING,
    MQCBDO_MC_EVENT_CALL,
    MQCBDO_REGISTER_CALL,
    MQCBDO_START_CALL,
    MQCBDO_STOP_CALL,
    MQCBT_EVENT_HANDLER,
    MQCBT_MESSAGE_CONSUMER,
    MQCS_NONE,
    MQCS_STOPPED,
    MQCS_SUSPENDED,
    MQCS_SUSPENDED_TEMPORARY,
    MQCS_SUSPENDED_USER_ACTION,
    MQCTLO_FAIL_IF_QUIESCING,
    MQCTLO_THREAD_AFFINITY,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SET_SIGNAL,
    MQGMO_UNLOCK,
    MQGMO_WAIT,
    MQOP_DEREGISTER,
    MQOP_REGISTER,
    MQOP_RESUME,
    MQOP_START,
    MQOP_START_WAIT,
    MQOP_STOP,
    MQOP_SUSPEND,
)
from flintmq.mqi.ctlo import MQCTLO
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQRC_ASYNC_XA_CONFLICT,
    MQRC_CALLBACK_NOT_REGISTERED,
    MQRC_CALLBACK_ROUTINE_ERROR,
    MQRC_CALLBACK_TYPE_ERROR,
    MQRC_CBD_ERROR,
    MQRC_CBD_OPTIONS_ERROR,
    MQRC_CTLO_ERROR,
    MQRC_GET_INHIBITED,
    MQRC_HCONN_ASYNC_ACTIVE,
    MQRC_HCONN_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_MAX_MSG_LENGTH_ERROR,
    MQRC_NO_CALLBACKS_ACTIVE,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NONE,
    MQRC_NOT_OPEN_FOR_INPUT,
    MQRC_OPERATION_ERROR,
    MQRC_OPERATION_NOT_ALLOWED,
    MQRC_OPTIONS_ERROR,
    MQRC_Q_DELETED,
    MQRC_Q_MGR_QUIESCING,
    MQRC_TRUNCATED_MSG_FAILED,
)
from flintmq.qmgr import get, get_options, property_control
from flintmq.qmgr.connection import Answer, Connection, Consumer, Handle, Waiter, fail, not_usable, succeed
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.unit_of_work import room_in_unit

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_BROWSE: Final = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT
_NOT_FOR_CONSUMERS: Final = MQGMO_SET_SIGNAL | MQGMO_UNLOCK | MQGMO_MSG_UNDER_CURSOR | MQGMO_BROWSE_MSG_UNDER_CURSOR
_CONSUMER_OPTIONS: Final = (
    MQCBDO_START_CALL
    | MQCBDO_STOP_CALL
    | MQCBDO_REGISTER_CALL
    | MQCBDO_DEREGISTER_CALL
    | MQCBDO_FAIL_IF_QUIESCING
    | MQCBDO_MC_EVENT_CALL
)
_HANDLER_OPTIONS: Final = MQCBDO_REGISTER_CALL | MQCBDO_DEREGISTER_CALL | MQCBDO_EVENT_CALL | MQCBDO_FAIL_IF_QUIESCING
_REGISTER_OR_CHANGE: Final = (
    MQOP_REGISTER,
    MQOP_DEREGISTER,
    MQOP_SUSPEND,
    MQOP_RESUME,
    MQOP_REGISTER | MQOP_SUSPEND,
    MQOP_REGISTER | MQOP_RESUME,
)
#: Reasons that end by themselves.
_TEMPORARY: Final = (MQRC_GET_INHIBITED, MQRC_Q_MGR_QUIESCING)


# -- what the engine tells a consumer ------------------------------------------------------------------------------


def answered(qm: QueueManager, consumer: Consumer, waiter: Waiter) -> None:
    """A get for this consumer is complete, with a message or with a reason."""
    consumer.waiting = None
    reason = consumer.reason
    if consumer.completion == MQCC_FAILED:
        consumer.data = b""
        consumer.data_length = 0
        consumer.message = None
    if consumer.completion != MQCC_FAILED:
        consumer.heard_empty = False
        consumer.browsing = True
        waiter.call_type = MQCBCT_MSG_REMOVED
        if reason == MQRC_TRUNCATED_MSG_FAILED or waiter.gmo.options & _BROWSE:
            waiter.call_type = MQCBCT_MSG_NOT_REMOVED
        if reason == MQRC_TRUNCATED_MSG_FAILED:
            consumer.state = MQCS_SUSPENDED_USER_ACTION
        _hand_over(qm, waiter)
    elif reason == MQRC_NO_MSG_AVAILABLE:
        consumer.heard_empty = True
        waiter.call_type = MQCBCT_MSG_NOT_REMOVED
        _hand_over(qm, waiter)
    else:
        consumer.state = MQCS_SUSPENDED_TEMPORARY if reason in _TEMPORARY else MQCS_SUSPENDED_USER_ACTION
        _tell_of_suspension(qm, consumer, reason)


def connection_event(qm: QueueManager, consumer: Consumer, reason: int) -> None:
    """To an event handler: something happened to the whole connection, like 2161."""
    _cause(qm, consumer, MQCBCT_EVENT_CALL, MQCC_FAILED, reason)
    _next(qm, consumer.handle.connection)


# -- MQCB --------------------------------------------------------------------------------------------------------


def callback(
    qm: QueueManager,
    connection: Connection,
    operation: int,
    handle: Handle | None,
    cbd: MQCBD,
    md: MQMD,
    gmo: MQGMO,
    function: object | None = None,
) -> int:
    """MQCB. `function` is what the host will call, or the descriptor has a name for it."""
    connection.force = 0
    qm.counters.callbacks += 1
    if not connection.usable:
        return fail(connection, not_usable(connection))
    if operation not in _REGISTER_OR_CHANGE:
        return fail(connection, MQRC_OPERATION_ERROR)
    if cbd.version != 1:
        return fail(connection, MQRC_CBD_ERROR)
    if cbd.callback_type != MQCBT_MESSAGE_CONSUMER and cbd.callback_type != MQCBT_EVENT_HANDLER:
        return fail(connection, MQRC_CALLBACK_TYPE_ERROR)
    if cbd.callback_type == MQCBT_MESSAGE_CONSUMER:
        if handle is None or not handle.open or handle.queue is None:
            return fail(connection, MQRC_HOBJ_ERROR)
        existing = handle.consumer
    else:
        existing = connection.event_handler
    if operation & MQOP_REGISTER:
        reason = _check_registration(qm, handle, cbd, gmo, function)
        if reason:
            return fail(connection, reason)
        existing = _register(connection, handle, cbd, md, gmo, function, existing)
        if cbd.options & MQCBDO_REGISTER_CALL:
            _cause(qm, existing, MQCBCT_REGISTER_CALL, MQCC_OK, MQRC_NONE)
        if connection.consumers_started and cbd.options & MQCBDO_START_CALL:
            _cause(qm, existing, MQCBCT_START_CALL, MQCC_OK, MQRC_NONE)
    if existing is None:
        return fail(connection, MQRC_CALLBACK_NOT_REGISTERED)
    if operation & MQOP_SUSPEND:
        existing.state = MQCS_SUSPENDED
        _stop_waiting(qm, existing)
    elif operation & MQOP_RESUME:
        existing.state = MQCS_NONE
    elif operation & MQOP_DEREGISTER:
        _deregister(qm, connection, existing)
    _next(qm, connection)
    return succeed(connection)


def _check_registration(
    qm: QueueManager, handle: Handle | None, cbd: MQCBD, gmo: MQGMO, function: object | None
) -> int:
    """What is wrong with a registration, in MQ's order."""
    consumer = cbd.callback_type == MQCBT_MESSAGE_CONSUMER
    if (function is None) == (not cbd.callback_name):
        return MQRC_CALLBACK_ROUTINE_ERROR
    if cbd.options & ~(_CONSUMER_OPTIONS if consumer else _HANDLER_OPTIONS):
        return MQRC_CBD_OPTIONS_ERROR
    if cbd.max_msg_length < -1:
        return MQRC_MAX_MSG_LENGTH_ERROR
    if qm.quiescing and cbd.options & MQCBDO_FAIL_IF_QUIESCING:
        return MQRC_Q_MGR_QUIESCING
    if not consumer:
        return MQRC_NONE
    assert handle is not None and handle.queue is not None
    if gmo.options & _NOT_FOR_CONSUMERS:
        return MQRC_OPTIONS_ERROR
    if not handle.can_get and not handle.can_browse:
        return MQRC_NOT_OPEN_FOR_INPUT
    options = gmo.options
    if options & _BROWSE == _BROWSE:
        gmo.options = options & ~MQGMO_BROWSE_FIRST  # Both together are good here: the first, and on from there.
    reason = get_options.check(qm, handle, handle.queue, gmo)
    gmo.options = options
    return reason or property_control.check(qm, handle.connection, gmo)


def _register(
    connection: Connection,
    handle: Handle | None,
    cbd: MQCBD,
    md: MQMD,
    gmo: MQGMO,
    function: object | None,
    existing: Consumer | None,
) -> Consumer:
    """A new callback, or another function and other options for one that is there."""
    consumer = existing
    if consumer is None:
        if cbd.callback_type == MQCBT_MESSAGE_CONSUMER:
            assert handle is not None
            consumer = handle.consumer = Consumer(cbd.callback_type, handle, md, gmo)
            connection.consumers.append(consumer)
        else:
            consumer = Consumer(cbd.callback_type, Handle(0, connection, 0, "", 0), md, gmo)
            connection.event_handler = consumer
    consumer.md = md
    consumer.gmo = gmo
    consumer.options = cbd.options
    consumer.max_length = cbd.max_msg_length
    consumer.callback_area = cbd.callback_area
    consumer.callback_name = cbd.callback_name
    consumer.function = function
    consumer.heard_empty = consumer.browsing = False
    return consumer


def _deregister(qm: QueueManager, connection: Connection, consumer: Consumer) -> None:
    _stop_waiting(qm, consumer)
    if consumer.kind == MQCBT_EVENT_HANDLER:
        connection.event_handler = None
    else:
        connection.consumers.remove(consumer)
        consumer.handle.consumer = None
    if consumer.options & MQCBDO_DEREGISTER_CALL:
        _cause(qm, consumer, MQCBCT_DEREGISTER_CALL, MQCC_OK, MQRC_NONE)


# -- MQCTL -------------------------------------------------------------------------------------------------------


def control(qm: QueueManager, connection: Connection, operation: int, ctlo: MQCTLO) -> int:
    """MQCTL. MQOP_START_WAIT differs from MQOP_START in what the host does: it gives control back after the stop."""
    connection.force = 0
    qm.counters.controls += 1
    if not connection.connected:
        return fail(connection, MQRC_HCONN_ERROR)
    if operation not in (MQOP_START, MQOP_START_WAIT, MQOP_STOP, MQOP_SUSPEND, MQOP_RESUME):
        return fail(connection, MQRC_OPERATION_ERROR)
    if ctlo.version != 1:
        return fail(connection, MQRC_CTLO_ERROR)
    if ctlo.options & ~(MQCTLO_FAIL_IF_QUIESCING | MQCTLO_THREAD_AFFINITY):
        return fail(connection, MQRC_OPTIONS_ERROR)
    if operation == MQOP_START or operation == MQOP_START_WAIT:
        reason = _start(qm, connection, operation, ctlo)
    elif not connection.consumers_started:
        reason = MQRC_OPERATION_NOT_ALLOWED
    elif operation == MQOP_STOP:
        reason = _stop(qm, connection)
    else:
        reason = _suspend_or_resume(qm, connection, operation == MQOP_SUSPEND, ctlo)
    if reason:
        return fail(connection, reason)
    _set_usable(connection)
    _next(qm, connection)
    return succeed(connection)


def _start(qm: QueueManager, connection: Connection, operation: int, ctlo: MQCTLO) -> int:
    if connection.consumers_started:
        return MQRC_HCONN_ASYNC_ACTIVE
    if qm.quiescing and ctlo.options & MQCTLO_FAIL_IF_QUIESCING:
        return MQRC_Q_MGR_QUIESCING
    if connection.in_global_unit:
        return MQRC_ASYNC_XA_CONFLICT
    if operation == MQOP_START_WAIT:
        ready = 0
        for consumer in connection.consumers:
            if consumer.state == MQCS_NONE or consumer.state == MQCS_STOPPED:
                ready += 1
        if ready == 0:
            return MQRC_NO_CALLBACKS_ACTIVE
    connection.connection_area = ctlo.connection_area
    connection.consumers_started = True
    connection.consumers_suspended = False
    for consumer in connection.consumers:
        consumer.heard_empty = consumer.browsing = False
        if consumer.state == MQCS_STOPPED:
            consumer.state = MQCS_NONE
        if consumer.options & MQCBDO_START_CALL:
            _cause(qm, consumer, MQCBCT_START_CALL, MQCC_OK, MQRC_NONE)
    return MQRC_NONE


def _stop(qm: QueueManager, connection: Connection) -> int:
    connection.consumers_started = False
    connection.consumers_suspended = False
    for consumer in connection.consumers:
        _stop_waiting(qm, consumer)
        if consumer.state == MQCS_NONE:
            consumer.state = MQCS_STOPPED
        if consumer.options & MQCBDO_STOP_CALL:
            _cause(qm, consumer, MQCBCT_STOP_CALL, MQCC_OK, MQRC_NONE)
    return MQRC_NONE


def _suspend_or_resume(qm: QueueManager, connection: Connection, suspend: bool, ctlo: MQCTLO) -> int:
    if connection.consumers_suspended == suspend:
        return MQRC_OPERATION_NOT_ALLOWED
    if not suspend and qm.quiescing and ctlo.options & MQCTLO_FAIL_IF_QUIESCING:
        return MQRC_Q_MGR_QUIESCING
    connection.consumers_suspended = suspend
    if suspend:
        for consumer in connection.consumers:
            _stop_waiting(qm, consumer)
    return MQRC_NONE


# -- what the host does ------------------------------------------------------------------------------------------


def begin_callback(qm: QueueManager, waiter: Waiter) -> None:
    """The host is about to call the callback: the connection takes its calls."""
    waiter.connection.usable = waiter.connection.connected


def context(waiter: Waiter) -> MQCBC:
    """The MQCBC of a callback that is due."""
    consumer = waiter.consumer
    assert consumer is not None
    cbc = MQCBC()
    cbc.call_type = waiter.call_type
    cbc.hobj = waiter.handle.number
    cbc.callback_area = consumer.callback_area
    cbc.connection_area = waiter.connection.connection_area
    cbc.comp_code = waiter.answer.completion
    cbc.reason = waiter.answer.reason
    cbc.state = consumer.state
    cbc.data_length = waiter.answer.data_length
    cbc.buffer_length = len(waiter.answer.data)
    return cbc


def callback_done(qm: QueueManager, waiter: Waiter) -> None:
    """The callback has returned: on to the next one."""
    connection = waiter.connection
    if connection.callback is not waiter:
        return
    connection.callback = None
    _set_usable(connection)
    _next(qm, connection)


def callback_failed(qm: QueueManager, waiter: Waiter) -> None:
    """The callback has ended with an exception: what it had done is backed out, and it is not called again by itself.

    The event handler hears of it (2487), unless it is what failed.
    """
    connection, consumer = waiter.connection, waiter.consumer
    assert consumer is not None
    if connection.callback is not waiter:
        return
    qm.back(connection)
    consumer.state = MQCS_SUSPENDED_USER_ACTION
    handler = connection.event_handler
    if handler is not None and handler is not consumer:
        _cause(qm, handler, MQCBCT_EVENT_CALL, MQCC_FAILED, MQRC_CALLBACK_ROUTINE_ERROR)


def gets_enabled(qm: QueueManager, queue: Queue) -> None:
    """Gets are no longer inhibited, or the queue manager is no longer quiescing: consumers go on by themselves."""
    for handle in list(queue.opens.handles):
        consumer = handle.consumer
        if consumer is not None and consumer.state == MQCS_SUSPENDED_TEMPORARY:
            consumer.state = MQCS_NONE
            _next(qm, handle.connection)


def end_consumers(qm: QueueManager, connection: Connection) -> None:
    """The connection ends: a callback that the host has not begun does not happen any more."""
    if connection.callback is not None:
        for waiter in list(qm.woken):
            if waiter.consumer is not None and waiter.connection is connection:
                qm.woken.remove(waiter)
    for consumer in connection.consumers:
        _stop_waiting(qm, consumer)
        consumer.handle.consumer = None
    connection.consumers = []
    connection.event_handler = None
    connection.callbacks_due = []
    connection.callback = None
    connection.consumers_started = connection.consumers_suspended = False


def forget_handle(qm: QueueManager, handle: Handle) -> None:
    """The handle is closed: its consumer is deregistered."""
    if handle.consumer is not None:
        _deregister(qm, handle.connection, handle.consumer)
        _next(qm, handle.connection)


# -- one callback after the other --------------------------------------------------------------------------------


def _set_usable(connection: Connection) -> None:
    running = connection.consumers_started and not connection.consumers_suspended
    connection.usable = connection.connected and not running


def _next(qm: QueueManager, connection: Connection) -> None:
    """Unless a callback is under way: hand over the next that is due, or look for messages (C1 to C3)."""
    if _is_busy(connection):
        return
    if connection.callbacks_due:
        _hand_over(qm, connection.callbacks_due.pop(0))
        return
    if not connection.consumers_started or connection.consumers_suspended:
        return
    count = len(connection.consumers)
    first = connection.next_consumer
    for step in range(count):
        index = (first + step) % count
        consumer = connection.consumers[index]
        if consumer.state == MQCS_NONE and consumer.waiting is None:
            _look(qm, connection, consumer)
        if _is_busy(connection):
            connection.next_consumer = index + 1
            return


def _is_busy(connection: Connection) -> bool:
    """Whether a callback is under way. Asked by a function: what `_look` changes, a second look must see."""
    return connection.callback is not None


def _look(qm: QueueManager, connection: Connection, consumer: Consumer) -> None:
    """Get a message for a consumer, or have it wait for one."""
    handle = consumer.handle
    queue = handle.queue
    assert queue is not None
    gmo = _own_options(consumer)
    md = _own_descriptor(consumer.md)
    qm.wait_order += 1
    waiter = Waiter(connection, handle, consumer, md, gmo, consumer.max_length, -1, qm.wait_order)
    waiter.consumer = consumer
    waiter.done = True
    qm.counters.gets += 1
    reason = _hindrance(qm, connection, handle, queue)
    if reason:
        fail(consumer, reason)
    else:
        wait = gmo.options & MQGMO_WAIT
        gmo.options &= ~MQGMO_WAIT
        reason = get.try_get(qm, connection, handle, consumer, md, gmo, consumer.max_length)
        gmo.options |= wait
        if reason == MQRC_NO_MSG_AVAILABLE and (consumer.heard_empty or (wait and gmo.wait_interval != 0)):
            if consumer.heard_empty:
                gmo.wait_interval = -1
            gmo.options |= MQGMO_WAIT
            now = qm.clock.now_ms()
            waiting = get.wait(qm, connection, handle, consumer, md, gmo, consumer.max_length, now)
            waiting.consumer = consumer
            consumer.waiting = waiting
            return
        if connection.task is not None and consumer.completion != MQCC_FAILED:
            qm.account_wait(waiter)
    answered(qm, consumer, waiter)


def _hindrance(qm: QueueManager, connection: Connection, handle: Handle, queue: Queue) -> int:
    """Why nothing can be got for a consumer, or MQRC_NONE."""
    if queue.deleted:
        return MQRC_Q_DELETED
    if not queue.get_enabled or (handle.get_enabled_by and qm.alias_inhibits_get(handle)):
        return MQRC_GET_INHIBITED
    consumer = handle.consumer
    if qm.quiescing and consumer is not None and consumer.gmo.options & MQGMO_FAIL_IF_QUIESCING:
        return MQRC_Q_MGR_QUIESCING
    return room_in_unit(qm, connection)


def _own_options(consumer: Consumer) -> MQGMO:
    """A copy of the registered options for one get: a browse goes on from where it was."""
    given = consumer.gmo
    gmo = MQGMO()
    gmo.version = given.version
    gmo.options = given.options
    gmo.wait_interval = given.wait_interval
    gmo.match_options = given.match_options
    gmo.msg_token = given.msg_token
    gmo.msg_handle = given.msg_handle
    if gmo.options & MQGMO_BROWSE_FIRST:
        gmo.options &= ~_BROWSE
        gmo.options |= MQGMO_BROWSE_NEXT if consumer.browsing else MQGMO_BROWSE_FIRST
    return gmo


def _own_descriptor(given: MQMD) -> MQMD:
    """A copy of what a get reads of the registered descriptor."""
    md = MQMD()
    md.version = given.version
    md.msg_id = given.msg_id
    md.correl_id = given.correl_id
    md.group_id = given.group_id
    md.msg_seq_number = given.msg_seq_number
    md.offset = given.offset
    md.encoding = given.encoding
    md.coded_char_set_id = given.coded_char_set_id
    return md


def _hand_over(qm: QueueManager, waiter: Waiter) -> None:
    """A callback is due now."""
    connection = waiter.connection
    connection.callback = waiter
    for consumer in connection.consumers:
        _stop_waiting(qm, consumer)
    if waiter.consumer in connection.consumers:
        connection.next_consumer = connection.consumers.index(waiter.consumer) + 1
    qm.woken.append(waiter)


def _cause(qm: QueueManager, consumer: Consumer, call_type: int, completion: int, reason: int) -> None:
    """A callback without a message becomes due when its turn comes."""
    handle = consumer.handle
    answer = Answer()
    answer.completion = completion
    answer.reason = reason
    qm.wait_order += 1
    waiter = Waiter(handle.connection, handle, answer, MQMD(), MQGMO(), 0, -1, qm.wait_order)
    waiter.consumer = consumer
    waiter.call_type = call_type
    waiter.done = True
    handle.connection.callbacks_due.append(waiter)


def _tell_of_suspension(qm: QueueManager, consumer: Consumer, reason: int) -> None:
    """A consumer cannot go on: tell it if it wants to know, else the event handler if there is one."""
    connection = consumer.handle.connection
    if consumer.options & MQCBDO_MC_EVENT_CALL:
        _cause(qm, consumer, MQCBCT_MC_EVENT_CALL, MQCC_FAILED, reason)
    elif connection.event_handler is not None and reason != MQRC_Q_MGR_QUIESCING:
        _cause(qm, connection.event_handler, MQCBCT_EVENT_CALL, MQCC_FAILED, reason)
    _next(qm, connection)


def _stop_waiting(qm: QueueManager, consumer: Consumer) -> None:
    waiting = consumer.waiting
    consumer.waiting = None
    if waiting is not None and not waiting.done:
        get.end_wait(qm, waiting)


def check_consumers(connection: Connection) -> None:
    """C1 as code."""
    for consumer in connection.consumers:
        assert consumer.handle.consumer is consumer
        if connection.callback is not None:
            assert consumer.waiting is None, "C1: a consumer waits while a callback is under way"
