"""Accounting: the calls of the MQI with a stop-watch, for tasks that are accounted for.

`Calls` (calls.py) asks one question of each call: is the connection accounted for (`connection.task`)? Then the call is
made from here, with a watch around it; the modules of the calls themselves know nothing of accounting.

    start, stop        a trace for accounting was started, the last was stopped: all connections
    begin              a connection is made while accounting is on
    opened             a handle is; `use` of the handle is where its calls are written down, None if ACCTQ says no
    put, get ...       the calls
    waited             a get that had to wait has its answer
    leave              the connection ends

A task that has ended stands in `qm.ended_tasks` until the host has written its record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi import trace_words
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQQT_ALIAS,
    MQQT_REMOTE,
)
from flintmq.mqi.ctlo import MQCTLO
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQCC_FAILED, MQRC_NO_MSG_AVAILABLE
from flintmq.mqi.sd import MQSD
from flintmq.mqi.sro import MQSRO
from flintmq.mqi.sts import MQSTS
from flintmq.qmgr import close as mqclose
from flintmq.qmgr import consume, inquire, stat, subscribe, unit_of_work
from flintmq.qmgr import get as mqget
from flintmq.qmgr import open as mqopen
from flintmq.qmgr import put as mqput
from flintmq.qmgr.connection import WAITING, Answer, Connection, Handle, Task, Waiter
from flintmq.qmgr.message import NO_ID
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.statistics import is_collected
from flintmq.qmgr.task import QueueUse, TaskWork, Timing, Watch

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

#: More tasks that have ended are not kept: whoever writes their records cannot keep up (B20).
ENDED_TASKS_MAX: Final = 20_000
#: Queues and topics of one task that are kept apart in an interval: a task can think of any number of topics.
QUEUES_MAX: Final = 4096
#: The type of a topic in a WQST record.
TYPE_TOPIC: Final = 8
_BROWSE: Final = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR
_NAME_MAX: Final = 48
#: INDXTYPE as MQINQ has it, by the queue's own number.
_INDEX_TYPES: Final = (0, 1, 2, 5, 4)


# -- on and off --------------------------------------------------------------------------------------------------


def start(qm: QueueManager) -> None:
    """Account for every connection from now on."""
    qm.accounting = True
    for connection in qm.connections.values():
        if connection.task is None:
            begin(qm, connection)


def stop(qm: QueueManager) -> None:
    """Account for no connection. What running tasks did since the last interval is not written; tasks that have ended
    are, by the host that looks next."""
    qm.accounting = False
    for connection in qm.connections.values():
        connection.task = None
        for handle in connection.handles.values():
            handle.use = None


def begin(qm: QueueManager, connection: Connection) -> None:
    """Account for one connection, and for what it has open."""
    now = qm.clock.read_ns() // 1000
    qm.task_number += 1
    task = connection.task = Task(connection, qm.task_number, now)
    if qm.tracer is not None:
        qm.tracer.exit(task, trace_words.MQCONN, 0, qm.name, 0, 0, 0, 0, b"")
    for handle in connection.handles.values():
        opened(qm, task, handle, now)


def leave(qm: QueueManager, connection: Connection) -> None:
    """The connection ends, and the task with it."""
    task = connection.task
    connection.task = None
    if task is not None:
        task.ended_us = task.work.ended_us = qm.clock.read_ns() // 1000
        task.work.last = True
        if qm.tracer is not None:
            qm.tracer.exit(task, trace_words.MQDISC, 0, "", 0, 0, 0, 0, b"")
        for use in task.work.queues.values():
            if use.open_now:
                use.open_now = 0
                use.closed_us = task.ended_us
        if len(qm.ended_tasks) < ENDED_TASKS_MAX:
            qm.ended_tasks.append(task)
        else:
            qm.tasks_lost += 1


def opened(qm: QueueManager, task: Task, handle: Handle, now_us: int) -> None:
    """Calls through `handle` are accounted for from now on."""
    use = _use_of(qm, task.work, handle)
    handle.use = use
    if use is not None:
        use.open_now += 1
        if not use.opened_us:
            use.opened_us = now_us
        if handle.selector:
            use.selections += 1
            use.selector_longest = max(use.selector_longest, len(handle.selector))


def _use_of(qm: QueueManager, work: TaskWork, handle: Handle) -> QueueUse | None:
    """Where the calls through a handle are written down."""
    queue = handle.queue
    topic = handle.topic
    if queue is None:
        if topic is None:
            return None
        name = base = topic.topic_string[:_NAME_MAX]
    else:
        if not is_collected(qm, queue, "ACCTQ"):
            return None
        name, base = handle.object_name, queue.name
    use = work.queues.get((name, base))
    if use is None:
        if len(work.queues) >= QUEUES_MAX:
            _too_many(qm, work, handle)
            return None
        use = work.queues[name, base] = QueueUse(name, base)
        if queue is None:
            use.topic = True
            use.queue_type = TYPE_TOPIC
        else:
            _describe(use, queue, handle)
    return use


def _too_many(qm: QueueManager, work: TaskWork, handle: Handle) -> None:
    """Said once in an interval: calls to more objects than can be kept count for the task only."""
    if not work.too_many:
        work.too_many = True
        who = handle.connection.appl_name or "a task"
        qm.notice("CSQW133E", f"ACCTG trace data lost: {who} uses more than {QUEUES_MAX} queues and topics.")


def _describe(use: QueueUse, queue: Queue, handle: Handle) -> None:
    if handle.remote_qmgr:
        use.queue_type = MQQT_REMOTE
    elif handle.put_enabled_by:
        use.queue_type = MQQT_ALIAS
    use.index_type = _INDEX_TYPES[queue.index_kind]
    use.psid = queue.account.psid
    use.pool = queue.pool.pool


# -- calls -------------------------------------------------------------------------------------------------------


def _watch(
    qm: QueueManager, task: Task, queue: Queue | None, call: int, handle: Handle | None = None, name: str = ""
) -> Watch:
    """A call of `task` begins."""
    watch = task.watch
    if qm.tracer is not None:
        watch.handle = 0 if handle is None else handle.number
        watch.name = name if handle is None else handle.object_name
        watch.call = call
        qm.tracer.entry(task, call, watch.handle, watch.name)
    counters = qm.counters
    watch.records = counters.records_logged
    watch.log_bytes = counters.bytes_logged
    watch.published = counters.published
    watch.streamed = counters.stream_puts
    if queue is not None:
        pool, target = queue.pool, queue.stream.target
        watch.new, watch.old = pool.taken, pool.getp_old_requests
        if target is not None and target.pool is not pool:
            watch.new += target.pool.taken
            watch.old += target.pool.getp_old_requests
        watch.fast = queue.counts.fast_put_count
    watch.started_ns = qm.clock.read_ns()
    return watch


def _stop(
    qm: QueueManager,
    task: Task,
    queue: Queue | None,
    force: int,
    answer: Answer | None = None,
    length: int = 0,
    data: bytes = b"",
    waits: bool = False,
) -> int:
    """It is over: what it cost, in microseconds. `answer` is where it said what became of it, if not the connection."""
    watch = task.watch
    ended = qm.clock.read_ns()
    watch.ended_ns = ended
    spent = (ended - watch.started_ns) // 1000
    if qm.tracer is not None:
        said = task.connection if answer is None else answer
        completion, reason = (0, WAITING) if waits else (said.completion, said.reason)
        qm.tracer.exit(task, watch.call, watch.handle, watch.name, completion, reason, spent, length, data)
    work = task.work
    counters = qm.counters
    watch.published = counters.published - watch.published
    watch.streamed = counters.stream_puts - watch.streamed
    watch.records = counters.records_logged - watch.records
    if watch.records:
        work.log_records += watch.records
        work.log_bytes += counters.bytes_logged - watch.log_bytes
    if force:
        work.log_forced += 1
    if queue is not None:
        pool, target = queue.pool, queue.stream.target
        new, old = pool.taken - watch.new, pool.getp_old_requests - watch.old
        if target is not None and target.pool is not pool:
            new += target.pool.taken
            old += target.pool.getp_old_requests
        work.pages_new += new
        work.pages_old += old
        watch.fast = queue.counts.fast_put_count - watch.fast
    return spent


def put(qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> int:
    """MQPUT."""
    task = connection.task
    assert task is not None
    queue = handle.queue
    watch = _watch(qm, task, queue, trace_words.MQPUT, handle)
    reason = mqput.put(qm, connection, handle, md, pmo, data)
    spent = _stop(qm, task, queue, connection.force, None, len(data), data)
    worked = connection.completion != MQCC_FAILED
    length = len(data)
    task.life.cpu_us += spent
    if worked:
        task.life.put(length)
    use = handle.use
    if use is None:
        return reason
    if use.topic:
        use.puts.count += 1
        use.topic_put_us += spent
        task.work.topics.add(spent)
    else:
        use.puts.add(spent)
    use.put_logged += watch.records
    if connection.force:
        use.put_forced += 1
    if worked:
        use.put(length, md.persistence == 1)
        use.published += watch.published
        use.streamed += watch.streamed
        use.put_to_waiter += watch.fast
        if handle.delivery_delay_ms:
            use.delayed += 1
        if md.persistence == 1:
            use.put_persistent += 1
        if queue is not None and queue.depth > use.max_depth:
            use.max_depth = queue.depth
    return reason


def put1(qm: QueueManager, connection: Connection, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> int:
    """MQPUT1. The object is known when it is over: what it was opened by is in `connection.put1_handle`."""
    task = connection.task
    assert task is not None
    connection.put1_handle = None
    watch = _watch(qm, task, None, trace_words.MQPUT1, None, od.object_name)
    reason = mqopen.put1(qm, connection, od, md, pmo, data)
    handle = _taken_handle(connection)
    spent = _stop(qm, task, None, connection.force, None, len(data), data)
    worked = connection.completion != MQCC_FAILED
    task.life.cpu_us += spent
    if worked:
        task.life.put(len(data))
    if handle is None:
        task.work.others.add(spent)
        return reason
    use = _use_of(qm, task.work, handle)
    if use is None:
        return reason
    if use.topic:
        use.put1s.count += 1
        use.topic_put1_us += spent
        task.work.topics.add(spent)
    else:
        use.put1s.add(spent)
    use.put1_logged += watch.records
    if connection.force:
        use.put1_forced += 1
    if worked:
        use.put(len(data), md.persistence == 1)
        use.published += watch.published
        use.streamed += watch.streamed
        if md.persistence == 1:
            use.put1_persistent += 1
    return reason


def _taken_handle(connection: Connection) -> Handle | None:
    """What an MQPUT1 went through, which nobody has to remember after this."""
    handle = connection.put1_handle
    connection.put1_handle = None
    return handle


def get(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    answer: Answer,
    md: MQMD,
    gmo: MQGMO,
    max_length: int,
) -> int:
    """MQGET, also of messages that a client asks for ahead."""
    task = connection.task
    assert task is not None
    queue = handle.queue
    specific = md.msg_id != NO_ID or md.correl_id != NO_ID
    expired = qm.counters.expired
    watch = _watch(qm, task, queue, trace_words.MQGET, handle)
    if answer is connection:
        reason = mqget.get(qm, connection, handle, md, gmo, max_length)
    else:
        reason = mqget.get_into(qm, connection, handle, answer, md, gmo, max_length)
    waits = reason == WAITING
    got = b"" if waits or answer.completion == MQCC_FAILED else answer.data
    length = answer.data_length if got else 0
    spent = _stop(qm, task, queue, connection.force, answer, length, got, waits)
    task.life.cpu_us += spent
    use = handle.use
    if use is not None:
        use.gets.add(spent)
        _count_kind(use, gmo.options, specific)
        use.get_logged += watch.records
        use.expired += qm.counters.expired - expired
        if connection.force:
            use.get_forced += 1
    if waits:
        waiter = answer.waiter
        if waiter is not None:
            waiter.asked_us = watch.ended_ns // 1000
    else:
        _answered(task, use, answer, gmo.options, watch.ended_ns // 1_000_000)
    return reason


def _count_kind(use: QueueUse, options: int, specific: bool) -> None:
    if options & _BROWSE:
        if specific:
            use.browse_specific += 1
        else:
            use.browse_any += 1
    elif specific:
        use.get_specific += 1
    else:
        use.get_any += 1


def _answered(task: Task, use: QueueUse | None, answer: Answer, options: int, now_ms: int) -> None:
    """A get has its answer."""
    if answer.completion == MQCC_FAILED:
        if use is not None and answer.reason != MQRC_NO_MSG_AVAILABLE:
            use.get_invalid += 1
        return
    message = answer.message
    if message is None:
        return
    length = answer.data_length
    if not options & _BROWSE:
        task.life.got(length)
    if use is not None:
        latency_us = max(0, (now_ms - message.put_ms) * 1000)
        use.got(length, message.persistence == 1, not options & _BROWSE, latency_us)


def waited(qm: QueueManager, waiter: Waiter) -> None:
    """A get that waited has its answer, or a consumer its message."""
    task = waiter.connection.task
    if task is None:
        return
    use = waiter.handle.use
    now = qm.clock.read_ns()
    if waiter.asked_us:
        spent = max(0, now // 1000 - waiter.asked_us)
        task.work.suspended += 1
        task.work.suspended_us += spent
        if use is not None:
            use.suspended += 1
            use.suspended_us += spent
            use.gets.elapsed_us += spent
    elif waiter.consumer is None:
        return
    elif use is not None:
        use.gets.count += 1
    if qm.tracer is not None and waiter.consumer is None:
        _trace_wait(qm, task, waiter)
    _answered(task, use, waiter.answer, waiter.gmo.options, now // 1_000_000)


def _trace_wait(qm: QueueManager, task: Task, waiter: Waiter) -> None:
    """The end of a get that waited."""
    answer, handle = waiter.answer, waiter.handle
    data = b"" if answer.completion == MQCC_FAILED else answer.data
    spent = max(0, qm.clock.read_ns() // 1000 - waiter.asked_us)
    length = answer.data_length if data else 0
    assert qm.tracer is not None
    qm.tracer.exit(
        task,
        trace_words.MQGET,
        handle.number,
        handle.object_name,
        answer.completion,
        answer.reason,
        spent,
        length,
        data,
    )


def open_object(qm: QueueManager, connection: Connection, od: MQOD, options: int) -> Handle | None:
    """MQOPEN."""
    task = connection.task
    assert task is not None
    watch = _watch(qm, task, None, trace_words.MQOPEN, None, od.object_name)
    handle = mqopen.open_object(qm, connection, od, options)
    spent = _stop(qm, task, None, connection.force)
    if handle is None:
        task.work.others.add(spent)
        return None
    opened(qm, task, handle, watch.started_ns // 1000)
    use = handle.use
    if use is None:
        task.work.others.add(spent)
    elif use.topic:
        use.opens.count += 1
        use.topic_open_us += spent
    else:
        use.opens.add(spent)
    return handle


def close(qm: QueueManager, connection: Connection, handle: Handle, options: int) -> int:
    """MQCLOSE."""
    task = connection.task
    assert task is not None
    use = handle.use
    watch = _watch(qm, task, None, trace_words.MQCLOSE, handle)
    reason = mqclose.close(qm, connection, handle, options)
    spent = _stop(qm, task, None, connection.force)
    if use is None:
        task.work.others.add(spent)
        return reason
    if use.topic:
        use.closes.count += 1
        use.topic_close_us += spent
    else:
        use.closes.add(spent)
    if not handle.open:
        handle.use = None
        use.open_now -= 1
        if not use.open_now:
            use.closed_us = watch.ended_ns // 1000
    return reason


def inquire_attributes(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    selectors: list[int],
    inquiry: inquire.Inquiry,
    int_attr_count: int,
    char_attr_length: int,
) -> int:
    """MQINQ."""
    task = connection.task
    assert task is not None
    _watch(qm, task, None, trace_words.MQINQ, handle)
    reason = inquire.inquire(qm, connection, handle, selectors, inquiry, int_attr_count, char_attr_length)
    spent = _stop(qm, task, None, 0)
    use = handle.use
    _add(task, use.inquires if use is not None else None, spent)
    return reason


def set_attributes(
    qm: QueueManager, connection: Connection, handle: Handle, selectors: list[int], integers: list[int], characters: str
) -> int:
    """MQSET."""
    task = connection.task
    assert task is not None
    watch = _watch(qm, task, None, trace_words.MQSET, handle)
    reason = inquire.set_attributes(qm, connection, handle, selectors, integers, characters)
    spent = _stop(qm, task, None, connection.force)
    use = handle.use
    _add(task, use.sets if use is not None else None, spent)
    if use is not None:
        use.set_logged += watch.records
        if connection.force:
            use.set_forced += 1
    return reason


def _add(task: Task, timing: Timing | None, spent: int) -> None:
    if timing is None:
        task.work.others.add(spent)
    else:
        timing.add(spent)


def commit(qm: QueueManager, connection: Connection) -> int:
    """MQCMIT."""
    task = connection.task
    assert task is not None
    _watch(qm, task, None, trace_words.MQCMIT)
    reason = unit_of_work.commit(qm, connection)
    task.work.commits.add(_stop(qm, task, None, connection.force))
    task.life.commits += 1
    return reason


def backout(qm: QueueManager, connection: Connection) -> int:
    """MQBACK."""
    task = connection.task
    assert task is not None
    _watch(qm, task, None, trace_words.MQBACK)
    reason = unit_of_work.backout(qm, connection)
    task.work.backouts.add(_stop(qm, task, None, connection.force))
    task.life.backouts += 1
    return reason


def status(qm: QueueManager, connection: Connection, kind: int, sts: MQSTS) -> int:
    """MQSTAT."""
    task = connection.task
    assert task is not None
    _watch(qm, task, None, trace_words.MQSTAT)
    reason = stat.stat(qm, connection, kind, sts)
    task.work.stats.add(_stop(qm, task, None, 0))
    return reason


def subscription(
    qm: QueueManager, connection: Connection, sd: MQSD, destination: Handle | None, hsub: Handle | None, shared: bool
) -> Handle | None:
    """MQSUB."""
    task = connection.task
    assert task is not None
    watch = _watch(qm, task, None, trace_words.MQSUB, None, sd.sub_name)
    handle = subscribe.subscribe(qm, connection, sd, destination, hsub, shared)
    task.work.subscribes.add(_stop(qm, task, None, connection.force))
    if sd.selection_string:
        task.work.selections += 1
        task.work.selector_longest = max(task.work.selector_longest, len(sd.selection_string))
    if handle is not None and handle.destination is not None and handle.destination is not destination:
        opened(qm, task, handle.destination, watch.started_ns // 1000)  # Its managed queue.
    return handle


def subscription_request(qm: QueueManager, connection: Connection, hsub: Handle, action: int, sro: MQSRO) -> int:
    """MQSUBRQ."""
    task = connection.task
    assert task is not None
    _watch(qm, task, None, trace_words.MQSUBRQ, hsub)
    reason = subscribe.subscription_request(qm, connection, hsub, action, sro)
    task.work.subscription_requests.add(_stop(qm, task, None, connection.force))
    return reason


def control(qm: QueueManager, connection: Connection, operation: int, ctlo: MQCTLO) -> int:
    """MQCTL."""
    task = connection.task
    assert task is not None
    _watch(qm, task, None, trace_words.MQCTL)
    reason = consume.control(qm, connection, operation, ctlo)
    task.work.controls.add(_stop(qm, task, None, 0))
    return reason


def callback(
    qm: QueueManager,
    connection: Connection,
    operation: int,
    handle: Handle | None,
    cbd: MQCBD,
    md: MQMD,
    gmo: MQGMO,
    function: object | None,
) -> int:
    """MQCB."""
    task = connection.task
    assert task is not None
    _watch(qm, task, None, trace_words.MQCB, handle)
    reason = consume.callback(qm, connection, operation, handle, cbd, md, gmo, function)
    spent = _stop(qm, task, None, 0)
    use = handle.use if handle is not None else None
    _add(task, use.callbacks if use is not None else None, spent)
    return reason
