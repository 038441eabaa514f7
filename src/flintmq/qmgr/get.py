"""MQGET: find a message, and hand it over.

    get              the straight way, else checks of handle and options
      find           by order, by id through an index, or by walking and matching
      browse         the same with the cursor of the handle; nothing is taken
      deliver        truncation, conversion, descriptor; then the message is removed, or held in the unit of work
      wait           nothing there: register a waiter
    serve            a message became available: give it to the first waiter that wants it
    expire_waits     the time of some waiters is up

Waiting getters are served in the order in which they came, and each message wakes one of them (a browse wakes without
taking, so that the next in line is looked at too).
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from flintmq.log.errors import LogError
from flintmq.mqi.constants import (
    MQFMT_RF_HEADER_2,
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_CONVERT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_LOCK,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MARK_SKIP_BACKOUT,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_UNLOCK,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_TOKEN,
    MQRO_COD,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import (
    MQCC_OK,
    MQRC_GET_INHIBITED,
    MQRC_HMSG_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_MSG_MARKED_BROWSE_CO_OP,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_NONE,
    MQRC_NOT_OPEN_FOR_INPUT,
    MQRC_OPTIONS_ERROR,
    MQRC_Q_DELETED,
    MQRC_Q_MGR_QUIESCING,
    MQRC_RESOURCE_PROBLEM,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
)
from flintmq.qmgr import (
    browse_index,
    browse_lock,
    browse_mark,
    convert,
    event,
    expiry,
    get_options,
    group,
    headers,
    logical_get,
    own_puts,
    property_control,
    property_work,
    report,
    selection,
)
from flintmq.qmgr.browse_index import is_reachable, range_before
from flintmq.qmgr.browse_mark import MARK_OPTIONS
from flintmq.qmgr.connection import WAITING, Answer, Connection, Handle, Unit, Waiter, fail, not_usable, succeed, warn
from flintmq.qmgr.get_options import BROWSE, KNOWN, LOGICAL, UNUSUAL
from flintmq.qmgr.lane import comes_before
from flintmq.qmgr.message import (
    AVAILABLE,
    GET_PENDING,
    LOCKED,
    NO_ID,
    PUT_PENDING,
    Acceptor,
    Message,
    Node,
    fill_descriptor,
)
from flintmq.qmgr.own_puts import View
from flintmq.qmgr.paging import MATCH_ANY, MATCH_CORREL_ID, MATCH_GROUP_ID, MATCH_MSG_ID
from flintmq.qmgr.property_control import PROPERTY_OPTIONS
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.records import ONLY
from flintmq.qmgr.unit_of_work import add_to_unit, log_get, room_in_unit
from flintmq.qmgr.waits import WAITS_FOR_ANY, WAITS_FOR_CORREL_ID, WAITS_FOR_MSG_ID, WAITS_FOR_OTHER, WAITS_FOR_SELECTED
from flintmq.qmgr.wanted import Wanted, by_token, msg_token

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_SYNCPOINTS: Final = MQGMO_SYNCPOINT | MQGMO_NO_SYNCPOINT | MQGMO_SYNCPOINT_IF_PERSISTENT
#: With no other options than these a get takes the straight way.
_STRAIGHT: Final = MQGMO_SYNCPOINT | MQGMO_NO_SYNCPOINT | MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING
_BY_ID: Final = MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID


def get(qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, gmo: MQGMO, max_length: int = -1) -> int:
    """MQGET. `max_length` is the length of the application's buffer, -1 if it takes any length. May return WAITING.

    This is the fast path for a plain message, or none: one function, for speed. `_get_checked` makes all other gets.
    """
    connection.force = 0
    qm.counters.gets += 1
    queue = handle.queue
    options = gmo.options
    if (
        not handle.straight_get
        or queue is None
        or options & ~_STRAIGHT
        or gmo.version > 2
        or (gmo.version > 1 and gmo.match_options & ~_BY_ID)
        or not connection.usable
        or not queue.get_enabled
        or queue.watched
        or qm.quiescing
        or (
            connection.unit is not None
            and (connection.unit.put_queue is queue or connection.unit.put_elsewhere)
            and _sees_own_puts(connection.unit, queue, options)
        )
    ):
        return _get_checked(qm, connection, handle, md, gmo, max_length)
    index = queue.by_correl_id
    if gmo.version > 1 or md.msg_id != NO_ID:
        message = find(queue, md, gmo, handle)
    elif md.correl_id == NO_ID:
        message = queue.first_available()
    elif index is None or queue.spilled_count:
        message = find(queue, md, gmo, handle)
    else:
        message = queue.find(index, md.correl_id)
    if message is None:
        if (
            handle.open
            and not queue.deleted
            and not queue.spilled_count
            and not options & MQGMO_SYNCPOINT
            and gmo.wait_interval >= -1
        ):
            return nothing_there(qm, connection, handle, connection, md, gmo, max_length, qm.clock.now_ms())
        return _get_checked(qm, connection, handle, md, gmo, max_length)
    if (
        message.expires_ms
        or message.msg_flags
        or message.report
        or message.marked_until
        or message.properties
        or (message.format and message.format == MQFMT_RF_HEADER_2)
    ):
        return _get_checked(qm, connection, handle, md, gmo, max_length)
    data = message.data
    length = len(data)
    if (length > max_length and max_length >= 0) or handle.get_group is not None or handle.browse_group is not None:
        return _get_checked(qm, connection, handle, md, gmo, max_length)
    now = qm.clock.now_ms()
    if options & MQGMO_SYNCPOINT:
        if options & MQGMO_NO_SYNCPOINT or (connection.unit is not None and room_in_unit(qm, connection)):
            return _get_checked(qm, connection, handle, md, gmo, max_length)
        queue.hold(message, GET_PENDING)
        add_to_unit(connection, message, now)
    else:
        if message.logged:
            try:
                connection.force = log_get(qm, message, ONLY)
            except LogError:
                return fail(connection, MQRC_RESOURCE_PROBLEM)
        queue.remove(message)
    fill_descriptor(message, md, now)
    counts = queue.counts
    counts.get_count += 1
    counts.get_bytes += length
    if message.persistence:
        counts.get_persistent += 1
        counts.get_persistent_bytes += length
    counts.last_get_ms = now
    gmo.resolved_q_name = queue.name
    if gmo.version > 1:
        gmo.group_status = gmo.segment_status = gmo.segmentation = " "
    connection.data = data
    connection.data_length = length
    connection.message = message
    connection.completion = MQCC_OK
    connection.reason = MQRC_NONE
    pool = queue.pool
    if pool.used > pool.threshold:  # What was read back with it may go again.
        qm.relieve_pool(pool)
    return MQRC_NONE


def _sees_own_puts(unit: Unit, queue: Queue, options: int) -> bool:
    """True if a get in `unit` has to look for the unit's own uncommitted puts on `queue` (own_puts.py)."""
    if not options & MQGMO_SYNCPOINT or queue.uncommitted == queue.held:
        return False
    return own_puts.puts_on(unit, queue) is not None


def _get_checked(
    qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, gmo: MQGMO, max_length: int
) -> int:
    """MQGET with all its options, and all that can be wrong."""
    return get_into(qm, connection, handle, connection, md, gmo, max_length)


def get_into(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    answer: Answer,
    md: MQMD,
    gmo: MQGMO,
    max_length: int,
) -> int:
    """Get into `answer`, so that several gets of one connection can wait at once."""
    if not connection.usable:
        return fail(answer, not_usable(connection))
    if not handle.open:
        return fail(answer, MQRC_HOBJ_ERROR)
    queue = handle.queue
    if queue is None:
        return fail(answer, MQRC_NOT_OPEN_FOR_INPUT)
    options = gmo.options
    unusual = options & (UNUSUAL | ~KNOWN) != 0 or gmo.wait_interval < -1 or qm.quiescing
    if unusual or (gmo.version > 1 and gmo.match_options & ~_BY_ID):
        reason = get_options.check(qm, handle, queue, gmo)
        if reason:
            return fail(answer, reason)
        if options & MQGMO_UNLOCK:
            return browse_lock.unlock(qm, answer, handle)
    elif not handle.can_get:
        return fail(answer, MQRC_NOT_OPEN_FOR_INPUT)
    if gmo.version > 3 or options & PROPERTY_OPTIONS:
        reason = property_control.check(qm, connection, gmo)
        if reason:
            return fail(answer, reason)
    if options & _SYNCPOINTS:
        chosen = options & _SYNCPOINTS
        if chosen & (chosen - 1):
            return fail(answer, MQRC_OPTIONS_ERROR)
        if chosen != MQGMO_NO_SYNCPOINT:
            reason = room_in_unit(qm, connection)
            if reason:
                return fail(answer, reason)
    if not queue.get_enabled or handle.get_enabled_by:
        if not queue.get_enabled or qm.alias_inhibits_get(handle):
            queue.counts.get_failed += 1
            event.get_inhibited(qm, connection, handle)
            return fail(answer, MQRC_GET_INHIBITED)
    if queue.deleted:
        return fail(answer, MQRC_Q_DELETED)
    return try_get(qm, connection, handle, answer, md, gmo, max_length)


def try_get(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    answer: Answer,
    md: MQMD,
    gmo: MQGMO,
    max_length: int,
) -> int:
    """Look for a message and deliver it, or wait, or say that there is none. What was read back for it may go again."""
    queue = handle.queue
    assert queue is not None
    reason = _try_get(qm, connection, handle, queue, answer, md, gmo, max_length)
    pool = queue.pool
    if pool.used > pool.threshold:
        qm.relieve_pool(pool)
    return reason


def _try_get(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    queue: Queue,
    answer: Answer,
    md: MQMD,
    gmo: MQGMO,
    max_length: int,
) -> int:
    options = gmo.options
    now = qm.clock.now_ms()
    while True:
        if options & LOGICAL:
            return logical_get.get_logical(qm, connection, handle, answer, md, gmo, max_length, now)
        own = own_puts.view(handle, queue, options, now)
        if options & BROWSE:
            message = _browse(qm, handle, queue, md, gmo, now, own)
        elif options & MQGMO_MSG_UNDER_CURSOR:
            message = handle.under_cursor
            if message is None or not is_reachable(handle, message, own):
                return fail(answer, MQRC_NO_MSG_UNDER_CURSOR)
        else:
            if handle.locked is None:
                message = find(queue, md, gmo, handle)
            else:
                message = _find_with_locked(queue, md, gmo, handle)
            if own is not None:
                wanted = Wanted(md, gmo, handle)
                message = own.earlier(message, queue, wanted, wanted)
            if message is not None and message.marked_until and browse_mark.is_held(handle, gmo, message, now):
                return fail(answer, MQRC_MSG_MARKED_BROWSE_CO_OP)
        if message is None:
            return nothing_there(qm, connection, handle, answer, md, gmo, max_length, now)
        if message.expires_ms and message.expires_ms <= now:
            discard_expired(qm, connection, queue, message)
            continue
        return deliver(qm, connection, handle, answer, md, gmo, max_length, message, now)


def find(queue: Queue, md: MQMD, gmo: MQGMO, handle: Handle) -> Message | None:
    """The message that a get with this descriptor and these match options returns."""
    if handle.selector:
        return _find_selected(queue, md, gmo, handle)
    match = gmo.match_options if gmo.version > 1 else _BY_ID
    if match & ~_BY_ID == 0:
        by_msg_id = match & MQMO_MATCH_MSG_ID != 0 and md.msg_id != NO_ID
        by_correl_id = match & MQMO_MATCH_CORREL_ID != 0 and md.correl_id != NO_ID
        if not by_msg_id:
            if not by_correl_id:
                return queue.first_available()
            if queue.spilled_count == 0:
                index = queue.by_correl_id
                if index is None:
                    index = queue.index_by_correl_id()
                return queue.find(index, md.correl_id)
        elif not by_correl_id and queue.spilled_count == 0:
            index = queue.by_msg_id
            if index is None:
                index = queue.index_by_msg_id()
            return queue.find(index, md.msg_id)
    elif match == MQMO_MATCH_MSG_TOKEN:
        named = by_token(queue, gmo.msg_token)
        return named if named is not None and named.state == AVAILABLE else None
    return find_wanted(queue, Wanted(md, gmo, handle))


def _find_with_locked(queue: Queue, md: MQMD, gmo: MQGMO, handle: Handle) -> Message | None:
    """The same for a handle that has browsed with MQGMO_LOCK: its message is hidden from others, not from itself."""
    own = handle.locked
    if own is None or own.state != LOCKED:
        return find(queue, md, gmo, handle)
    queue.unlock(own)
    message = find(queue, md, gmo, handle)
    queue.lock(own, LOCKED)  # Still so if another message is got, or this one is too long; take() ends it.
    return message


def _find_selected(queue: Queue, md: MQMD, gmo: MQGMO, handle: Handle) -> Message | None:
    """The same through a handle with a selection string. One that is an id, and nothing else asked for, is plain."""
    key = handle.id_key
    plain = md.msg_id == NO_ID and md.correl_id == NO_ID and (gmo.version == 1 or gmo.match_options & ~_BY_ID == 0)
    if key is not None and plain and queue.spilled_count == 0:
        index = queue.index_by_msg_id() if key.by_msg_id else queue.index_by_correl_id()
        message = queue.find(index, key.key)
        if message is None or key.accepts(message):
            return message
    return find_wanted(queue, Wanted(md, gmo, handle))


def find_wanted(queue: Queue, wanted: Wanted) -> Message | None:
    """The first available message that `wanted` accepts, in memory or on the page set."""
    if wanted.selection is not None and wanted.anything:
        return wanted.selection.first_available(queue)
    return queue.first_available() if wanted.anything else find_accepted(queue, wanted, wanted)


def find_accepted(queue: Queue, wanted: Wanted, accept: Acceptor) -> Message | None:
    """The first available message that `accept` takes; `wanted` says by which index it can be found, if any."""
    if queue.available == 0:
        return None
    kind = MATCH_ANY
    best: Message | None = None
    candidates: list[Message] = []
    key = NO_ID
    if wanted.correl_id != NO_ID and (queue.index_kind == MATCH_CORREL_ID or wanted.msg_id == NO_ID):
        kind, key, candidates = MATCH_CORREL_ID, wanted.correl_id, queue.index_by_correl_id().messages(wanted.correl_id)
    elif wanted.msg_id != NO_ID:
        kind, key, candidates = MATCH_MSG_ID, wanted.msg_id, queue.index_by_msg_id().messages(wanted.msg_id)
    elif wanted.group_id != NO_ID:
        kind, key, candidates = MATCH_GROUP_ID, wanted.group_id, queue.index_by_group_id().messages(wanted.group_id)
    elif wanted.selection is not None:
        return wanted.selection.find(queue, accept)
    else:
        best = _walk(queue, accept)
    for message in candidates:
        if message.state == AVAILABLE and accept.accepts(message):
            best = message
            break
    if queue.spilled_count and range_before(queue, best):
        spilled = queue.pager.find_spilled(queue, kind, key, accept)
        if spilled is not None and (best is None or comes_before(spilled, best)):
            best = spilled
    return best


def _walk(queue: Queue, accept: Acceptor) -> Message | None:
    """The first available message in memory that `accept` takes."""
    mask = queue.mask
    while mask:
        lane_number = mask.bit_length() - 1
        node = queue.lanes[lane_number].hint
        while node is not None:
            if node.state == AVAILABLE:
                assert isinstance(node, Message)
                if accept.accepts(node):
                    return node
            node = node.next
        mask &= ~(1 << lane_number)
    return None


def _browse(
    qm: QueueManager, handle: Handle, queue: Queue, md: MQMD, gmo: MQGMO, now: int, own: View | None
) -> Message | None:
    """The message that a browse returns; the cursor moves when it is delivered."""
    options = gmo.options
    if options & MQGMO_BROWSE_MSG_UNDER_CURSOR:
        message = handle.under_cursor
        return message if message is not None and is_reachable(handle, message, own) else None
    wanted = Wanted(md, gmo, handle)
    if wanted.match == MQMO_MATCH_MSG_TOKEN and wanted.selection is None and not options & MQGMO_BROWSE_NEXT:
        message = by_token(queue, wanted.token)
        if message is None or not is_reachable(handle, message, own) or not wanted.accepts(message):
            return None
        marked = options & MQGMO_UNMARKED_BROWSE_MSG and browse_mark.is_marked(handle, message, now)
        return None if marked else message
    if browse_index.applies(queue, wanted):
        return browse_index.browse(handle, queue, options, wanted, now, own)
    node = first_to_browse(handle, queue, options, wanted)
    while node is not None:
        assert isinstance(node, Message)
        if is_reachable(handle, node, own) and wanted.accepts(node):
            if not options & MQGMO_UNMARKED_BROWSE_MSG or not browse_mark.is_marked(handle, node, now):
                return node
        relieve_behind(qm, node)
        node = next_to_browse(queue, node, wanted)
    return None


def relieve_behind(qm: QueueManager, message: Message) -> None:
    """A search goes on from `message`, which stays; what was read back to get here may go again."""
    pool = message.queue.pool
    if pool.used > pool.threshold:
        message.cursors += 1
        qm.relieve_pool(pool)
        message.cursors -= 1


def first_to_browse(handle: Handle, queue: Queue, options: int, wanted: Wanted) -> Node | None:
    """Where a browse begins to look: at the first message, or behind the cursor; of those that are selected."""
    from_start = not options & MQGMO_BROWSE_NEXT or handle.cursor_lane == 10
    selected = wanted.selection
    if selected is not None:
        if from_start:
            return selected.first(queue)
        return selected.after(queue, handle.cursor_lane, handle.cursor_sequence, handle.selected_entry)
    if from_start:
        return queue.next_node(10, None)
    if handle.cursor is not None:
        return queue.next_node(handle.cursor_lane, handle.cursor)
    return queue.next_after(handle.cursor_lane, handle.cursor_sequence)


def next_to_browse(queue: Queue, message: Message, wanted: Wanted) -> Node | None:
    """Where it looks next."""
    if wanted.selection is not None:
        return wanted.selection.after(queue, message.lane, message.sequence, None)
    return queue.next_node(message.lane, message)


def deliver(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    answer: Answer,
    md: MQMD,
    gmo: MQGMO,
    max_length: int,
    message: Message,
    now: int,
    parts: list[Message] | None = None,
) -> int:
    """Hand `message` to the application and take it off the queue, unless it is browsed or does not fit.

    With `parts`, `message` was put together from these segments, and they are what is taken or browsed.
    """
    queue = message.queue
    options = gmo.options
    if (answer.idle or (answer.ahead and (message.persistence or options & MQGMO_SYNCPOINT))) and not options & BROWSE:
        return fail(answer, MQRC_NO_MSG_AVAILABLE)
    data = message.data
    reason = MQRC_NONE
    if parts is not None:
        reason = logical_get.differences(parts)
    view = property_control.view(qm, connection, handle, message, gmo)
    if view is not None:
        if view.lost:
            return fail(answer, MQRC_HMSG_ERROR)
        answer.carrier = message
    if options & MQGMO_CONVERT:
        conversion = convert.Request(md)
        fill_descriptor(message, md, now)
        if message.msg_flags and md.version == 1:
            data = headers.for_version_1(qm, md, message, data)
        if view is not None:
            data = view.data(md, data)
        reason, data = conversion.apply(qm, md, data, max_length, options & MQGMO_ACCEPT_TRUNCATED_MSG != 0, reason)
    else:
        fill_descriptor(message, md, now)
        if message.msg_flags and md.version == 1:
            data = headers.for_version_1(qm, md, message, data)
        if view is not None:
            data = view.data(md, data)
    length = len(data)
    if max_length >= 0 and length > max_length:
        answer.data_length = length
        answer.data = data[:max_length]
        answer.message = message
        if not options & MQGMO_ACCEPT_TRUNCATED_MSG:
            queue.count_truncated(options & BROWSE != 0)
            if view is not None:
                view.fill_handle(md, now)
            return warn(answer, MQRC_TRUNCATED_MSG_FAILED)
        data = data[:max_length]
        reason = MQRC_TRUNCATED_MSG_ACCEPTED
    if options & BROWSE:
        _browsed(qm, handle, queue, message if parts is None else parts[0], gmo)
        queue.count_browse(message, length)
    else:
        if parts is None:
            take_reason = take(qm, connection, handle, message, options)
        else:
            take_reason = logical_get.take_parts(qm, connection, handle, message, parts, options)
        if take_reason:
            return fail(answer, take_reason)
        queue.count_get(message, length, now)
    answer.data = data
    answer.data_length = length
    answer.message = message
    if view is not None:
        view.fill_handle(md, now)
    gmo.resolved_q_name = queue.name
    if gmo.version > 2:
        gmo.msg_token = msg_token(message)
        gmo.returned_length = len(data)
    if gmo.version > 1:
        group.fill_status(message, gmo)
    if handle.saved is not None and not options & BROWSE:
        fill_descriptor(message, handle.saved, now)
        handle.saved_valid = True
        handle.saved_properties = b""
        if view is not None:
            property_work.save_context(connection, handle, message)
    if message.msg_flags or handle.get_group is not None or handle.browse_group is not None:
        order_reason = logical_get.note(connection, handle, message, options, parts)
        reason = reason or order_reason
    if reason:
        return warn(answer, reason)
    return succeed(answer)


def take(qm: QueueManager, connection: Connection, handle: Handle, message: Message, options: int) -> int:
    """Remove `message`, or hold it in the unit of work. Returns the reason; on failure it stays where it is."""
    queue = message.queue
    if message.state == LOCKED:
        queue.unlock(message)
        handle.locked = None
    syncpoint = options & MQGMO_SYNCPOINT != 0 or (
        options & MQGMO_SYNCPOINT_IF_PERSISTENT != 0 and message.persistence == 1
    )
    if message.state == PUT_PENDING:
        own_puts.take(handle, message)
    elif syncpoint:
        queue.hold(message, GET_PENDING)
        unit = add_to_unit(connection, message, qm.clock.now_ms())
        if options & MQGMO_MARK_SKIP_BACKOUT:
            unit.skip_backout = message
    else:
        if message.logged:
            try:
                connection.force = log_get(qm, message, ONLY)
            except LogError:
                return MQRC_RESOURCE_PROBLEM
        queue.remove(message)
    queue.counts.get_count += 1
    if queue.watched:
        qm.got(queue)
        event.after_get(qm, queue)
    if message.report & MQRO_COD:
        report.confirm_delivery(qm, connection, message, syncpoint)
    return MQRC_NONE


def _browsed(qm: QueueManager, handle: Handle, queue: Queue, message: Message, gmo: MQGMO) -> None:
    """Move the cursor to `message`, and lock it if that was asked for."""
    held = handle.locked
    if held is message:
        held = None
    elif held is not None:
        handle.locked = None
    queue.set_cursor(handle, message)
    if handle.selector:
        selection.browsed(handle, message)
    handle.browse_logical = gmo.options & MQGMO_LOGICAL_ORDER != 0
    if gmo.options & MQGMO_LOCK:
        browse_lock.lock(handle, queue, message)
    if gmo.options & MARK_OPTIONS:
        browse_mark.browsed(qm, handle, message, gmo.options)
    if held is not None:  # Last: whoever waits for it may push out what no cursor stands on, or take it.
        browse_lock.give_back(qm, held)


def discard_expired(qm: QueueManager, connection: Connection, queue: Queue, message: Message) -> None:
    """Take an expired message off its queue, with the report it asked for. Nobody waits for the log."""
    if message.logged:
        try:
            log_get(qm, message, ONLY)
        except LogError:
            pass  # The log is full: a restart may bring it back, as expired as it is.
    queue.remove(message)
    if queue.watched:
        qm.got(queue)
    queue.counts.expired_count += 1
    qm.counters.expired += 1
    report.expired(qm, connection, message)


# -- waiting -----------------------------------------------------------------------------------------------------


def nothing_there(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    answer: Answer,
    md: MQMD,
    gmo: MQGMO,
    max_length: int,
    now: int,
) -> int:
    """No message: 2033, or register a waiter and return WAITING."""
    queue = handle.queue
    assert queue is not None
    options = gmo.options
    if options & MQGMO_BROWSE_MSG_UNDER_CURSOR:
        return fail(answer, MQRC_NO_MSG_UNDER_CURSOR)
    if not options & MQGMO_WAIT or gmo.wait_interval == 0:
        if answer is connection:  # Else a consumer looks, which goes on to wait.
            queue.count_missed(options & BROWSE != 0, False)
        return fail(answer, MQRC_NO_MSG_AVAILABLE)
    wait(qm, connection, handle, answer, md, gmo, max_length, now)
    return WAITING


def wait(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    answer: Answer,
    md: MQMD,
    gmo: MQGMO,
    max_length: int,
    now: int,
) -> Waiter:
    """Register a waiter for a get that found nothing."""
    queue = handle.queue
    assert queue is not None
    qm.wait_order += 1
    deadline = -1 if gmo.wait_interval < 0 else now + gmo.wait_interval
    waiter = Waiter(connection, handle, answer, md, gmo, max_length, deadline, qm.wait_order)
    match = gmo.match_options if gmo.version > 1 else _BY_ID
    if gmo.options & (LOGICAL | BROWSE):
        waiter.kind = WAITS_FOR_OTHER
    elif handle.selector or match & ~_BY_ID:
        _file_selective(waiter, Wanted(md, gmo, handle))
    else:
        msg_id = md.msg_id if match & MQMO_MATCH_MSG_ID else NO_ID
        _file(waiter, msg_id, md.correl_id if match & MQMO_MATCH_CORREL_ID else NO_ID)
    queue.add_waiter(waiter)
    qm.waiting += 1
    property_control.hold(qm, connection, gmo, 1)
    answer.waiter = waiter
    if deadline >= 0:
        qm.add_deadline(waiter)
    return waiter


def _file(waiter: Waiter, msg_id: bytes, correl_id: bytes) -> None:
    """How the queue files a getter that asks for no more than ids."""
    if msg_id == NO_ID:
        waiter.kind, waiter.key = (WAITS_FOR_ANY, b"") if correl_id == NO_ID else (WAITS_FOR_CORREL_ID, correl_id)
    elif correl_id == NO_ID:
        waiter.kind, waiter.key = WAITS_FOR_MSG_ID, msg_id
    else:
        waiter.kind = WAITS_FOR_OTHER


def _file_selective(waiter: Waiter, wanted: Wanted) -> None:
    """And one that asks for more, or has a selection string."""
    if wanted.nothing or wanted.match & ~_BY_ID:
        waiter.kind = WAITS_FOR_OTHER
    elif wanted.selection is not None:
        waiter.kind = WAITS_FOR_SELECTED if wanted.anything else WAITS_FOR_OTHER
    else:
        _file(waiter, wanted.msg_id, wanted.correl_id)


def serve(qm: QueueManager, queue: Queue, message: Message, now: int) -> None:
    """`message` is available at `now`: give it to those who wait, first come first served.

    It may be on the page set by now: whatever happened since it became available may have relieved the pool.
    """
    refused: list[Waiter] = []
    while queue.waiting and message.state == AVAILABLE:
        if not queue.is_linked(message):
            there = queue.message_at(message.sequence)
            if there is None:
                return
            message = there
            continue
        waiter = _first_waiter(queue, message, refused)
        if waiter is None:
            return
        if waiter.gmo.options & (LOGICAL | BROWSE):
            if not _retry(qm, waiter):
                refused.append(waiter)
            continue
        end_wait(qm, waiter)
        if message.expires_ms and message.expires_ms <= now:
            queue.add_waiter(waiter)
            qm.waiting += 1
            waiter.done = False
            property_control.hold(qm, waiter.connection, waiter.gmo, 1)
            discard_expired(qm, waiter.connection, queue, message)
            return
        reason = deliver(
            qm, waiter.connection, waiter.handle, waiter.answer, waiter.md, waiter.gmo, waiter.max_length, message, now
        )
        if reason != MQRC_NO_MSG_AVAILABLE:  # Else it was waited for ahead; the next in line is looked at.
            queue.counts.fast_put_count += 1
            queue.counts.fast_put_bytes += len(message.data)
        wake(qm, waiter)


def _retry(qm: QueueManager, waiter: Waiter) -> bool:
    """A waiter whose wish depends on more than one message tries again; True if it got what it wanted."""
    options = waiter.gmo.options
    waiter.gmo.options = options & ~MQGMO_WAIT
    reason = try_get(qm, waiter.connection, waiter.handle, waiter.answer, waiter.md, waiter.gmo, waiter.max_length)
    waiter.gmo.options = options
    if reason == MQRC_NO_MSG_AVAILABLE:
        return False
    end_wait(qm, waiter)
    wake(qm, waiter)
    return True


def _first_waiter(queue: Queue, message: Message, refused: list[Waiter]) -> Waiter | None:
    """The waiter that came first of those that want `message`."""
    best: Waiter | None = queue.waits.any[0] if queue.waits.any else None
    if queue.waits.by_correl_id:
        best = _earlier(best, queue.waits.by_correl_id.get(message.correl_id), message)
    if queue.waits.by_msg_id:
        best = _earlier(best, queue.waits.by_msg_id.get(message.msg_id), message)
    if queue.selections is not None:
        for entry in queue.selections.matched.get(message.sequence, ()):
            best = _earlier(best, entry.selection.waiters, message)
    for waiter in queue.waits.others:
        if best is not None and waiter.order > best.order:
            break
        if waiter not in refused and (
            waiter.gmo.options & LOGICAL or Wanted(waiter.md, waiter.gmo, waiter.handle).accepts(message)
        ):
            return waiter
    return best


def _earlier(best: Waiter | None, filed: list[Waiter] | None, message: Message) -> Waiter | None:
    """The first of `filed`, if it came before `best`. One that selects by id may have to look at the message."""
    if filed is not None:
        for waiter in filed:
            if best is not None and waiter.order > best.order:
                break
            if waiter.handle.id_key is None or waiter.handle.id_key.accepts(message):
                return waiter
    return best


def end_wait(qm: QueueManager, waiter: Waiter) -> None:
    """`waiter` waits no longer."""
    queue = waiter.handle.queue
    assert queue is not None
    queue.remove_waiter(waiter)
    qm.waiting -= 1
    waiter.done = True
    property_control.hold(qm, waiter.connection, waiter.gmo, -1)
    if waiter.answer.waiter is waiter:
        waiter.answer.waiter = None


def fail_waiter(qm: QueueManager, waiter: Waiter, reason: int) -> None:
    """Complete a wait without a message."""
    end_wait(qm, waiter)
    fail(waiter.answer, reason)
    wake(qm, waiter)


def wake(qm: QueueManager, waiter: Waiter) -> None:
    """The wait is over, with or without a message: tell the host, or the consumer whose it is."""
    if waiter.connection.task is not None:
        qm.account_wait(waiter)
    if waiter.consumer is not None:
        qm.consumer_answered(waiter.consumer, waiter)
    else:
        qm.woken.append(waiter)


def fail_waiters(qm: QueueManager, queue: Queue, reason: int) -> None:
    """Complete all waits on a queue without a message: it was inhibited or deleted, or the queue manager ends."""
    for waiter in queue.all_waiters():
        fail_waiter(qm, waiter, reason)


def quiesce_waiters(qm: QueueManager) -> None:
    """The queue manager is quiescing: waits that asked to fail then, fail."""
    for queue in list(qm.queues_by_id.values()):
        for waiter in queue.all_waiters():
            if waiter.gmo.options & MQGMO_FAIL_IF_QUIESCING:
                fail_waiter(qm, waiter, MQRC_Q_MGR_QUIESCING)
    for connection in list(qm.connections.values()):
        if connection.event_handler is not None:
            qm.connection_event(connection.event_handler, MQRC_Q_MGR_QUIESCING)


def expire_waits(qm: QueueManager) -> None:
    """Complete with 2033 every wait whose time is up; take off browse marks likewise; scan and deliver what is due."""
    now = qm.clock.now_ms()
    browse_mark.expire(qm, now)
    _expire_waiters(qm, now)
    due = qm.expiry.due_ms()
    if due and due <= now:
        expiry.scan(qm, now)
    due = qm.delays.due_ms()
    if due and due <= now:
        qm.deliver_delayed(now)


def _expire_waiters(qm: QueueManager, now: int) -> None:
    while qm.deadlines:
        deadline, _, waiter = qm.deadlines[0]
        if not waiter.done and deadline > now:
            return
        heapq.heappop(qm.deadlines)
        if not waiter.done:
            queue = waiter.handle.queue
            assert queue is not None
            queue.count_missed(waiter.gmo.options & BROWSE != 0, True)
            fail_waiter(qm, waiter, MQRC_NO_MSG_AVAILABLE)
