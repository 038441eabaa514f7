"""Asynchronous consumers through `qm.mqi` (MQCB, MQCTL) and `queue.consume`. D1 to D4 are those of dispatcher.py.

Nothing here sleeps: what a callback was told goes to a queue.Queue that the test reads with a timeout.
"""

from __future__ import annotations

import queue as standard
import threading
from pathlib import Path

import pytest

import flintmq
from flintmq.client.mqi import MQI
from flintmq.mqi import constants as mq
from flintmq.mqi.cbc import MQCBC
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.ctlo import MQCTLO
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQRC_CALLBACK_ROUTINE_ERROR,
    MQRC_HCONN_ASYNC_ACTIVE,
    MQRC_NO_CALLBACKS_ACTIVE,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OPERATION_NOT_ALLOWED,
    MQRC_Q_MGR_QUIESCING,
)
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.get import quiesce_waiters
from flintmq.testing import DiskQueueManager
from tests.waiting import PATIENCE, until


class Listener:
    """A callback that writes down what it is told, and does `then` if there is something."""

    def __init__(self) -> None:
        self.told: standard.Queue[tuple[int, int, bytes]] = standard.Queue()
        self.threads: set[threading.Thread] = set()
        self.then: object = None

    def __call__(self, mqi: MQI, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        self.threads.add(threading.current_thread())
        if callable(self.then):
            self.then(mqi, md, gmo, data, cbc)
        self.told.put((cbc.call_type, cbc.reason, data))

    def next(self) -> tuple[int, int, bytes]:
        return self.told.get(timeout=PATIENCE)

    def data(self, count: int) -> list[bytes]:
        return [self.next()[2] for _ in range(count)]


def opened(mqi: MQI, name: str = "A", options: int = mq.MQOO_INPUT_SHARED) -> Handle:
    od = MQOD()
    od.object_name = name
    return mqi.open(od, options)


def register(
    mqi: MQI,
    function: object,
    name: str = "A",
    options: int = 0,
    gmo_options: int = mq.MQGMO_WAIT | mq.MQGMO_NO_SYNCPOINT,
    wait_ms: int = -1,
    operation: int = mq.MQOP_REGISTER,
) -> Handle:
    cbd, gmo = MQCBD(), MQGMO()
    cbd.callback_function, cbd.options = function, options
    gmo.options, gmo.wait_interval = gmo_options, wait_ms
    handle = opened(mqi, name)
    mqi.cb(operation, cbd, handle, MQMD(), gmo)
    return handle


def register_event_handler(mqi: MQI, function: object) -> None:
    cbd = MQCBD()
    cbd.callback_type, cbd.callback_function = mq.MQCBT_EVENT_HANDLER, function
    mqi.cb(mq.MQOP_REGISTER, cbd)


def consumer_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("flintmq consumer")]


def until_no_consumer_runs() -> None:
    """A thread has told that it ends some steps before it is gone."""
    until(lambda: not consumer_threads(), "no thread of a consumer is left")


def wait_for_threads(threads: set[threading.Thread]) -> None:
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


# -- MQCB, MQCTL ------------------------------------------------------------------------------------------------------


def test_messages_come_on_a_thread_of_the_connection_that_ends_with_the_stop(qm: flintmq.QueueManager) -> None:
    """D1."""
    queue = qm.queue("A", create=True)
    listener = Listener()
    queue.put(b"0")
    until_no_consumer_runs()  # Of tests before this one.
    with qm.connect() as connection:
        mqi = connection.mqi
        register(mqi, listener)
        assert not consumer_threads()
        mqi.ctl(mq.MQOP_START)
        for number in range(1, 5):
            queue.put(b"%d" % number, persistent=True)
        assert listener.data(5) == [b"0", b"1", b"2", b"3", b"4"]
        mqi.ctl(mq.MQOP_STOP)
        assert len(listener.threads) == 1 and threading.current_thread() not in listener.threads
        wait_for_threads(listener.threads)
        queue.put(b"5")
        mqi.ctl(mq.MQOP_START)
        assert listener.next()[2] == b"5"
    wait_for_threads(listener.threads)
    until_no_consumer_runs()


def test_calls_of_others_are_refused_and_those_of_the_callback_are_not(qm: flintmq.QueueManager) -> None:
    """D2: 2500."""
    source, target = qm.queue("A", create=True), qm.queue("B", create=True)
    inside, go_on = threading.Event(), threading.Event()
    listener = Listener()

    def answer(mqi: MQI, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        od, pmo = MQOD(), MQPMO()
        od.object_name, pmo.options = "B", mq.MQPMO_SYNCPOINT
        mqi.put1(od, MQMD(), pmo, data.upper())
        inside.set()
        assert go_on.wait(PATIENCE)
        mqi.cmit()

    listener.then = answer
    with qm.connect() as connection:
        mqi = connection.mqi
        register(mqi, listener, gmo_options=mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT)
        mqi.ctl(mq.MQOP_START)
        calls = (
            lambda: opened(mqi, "B"),
            mqi.cmit,
            mqi.back,
            lambda: connection.queue("B").put(b""),
            lambda: connection.queue("B").get(),
        )
        for call in calls:
            with pytest.raises(flintmq.MQError) as refused:
                call()
            assert refused.value.reason == MQRC_HCONN_ASYNC_ACTIVE
        source.put(b"a")
        assert inside.wait(PATIENCE)
        for call in calls:
            with pytest.raises(flintmq.MQError) as refused:
                call()
            assert refused.value.reason == MQRC_HCONN_ASYNC_ACTIVE
        go_on.set()
        listener.next()
        assert target.get(wait=PATIENCE).data == b"A"
        assert qm.queue("A").depth == 0


def test_start_wait_runs_callbacks_in_the_caller_until_one_stops_them(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    listener = Listener()
    for text in (b"1", b"2", b"end", b"3"):
        queue.put(text)

    def stop(mqi: MQI, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        if data == b"end":
            mqi.ctl(mq.MQOP_STOP)

    listener.then = stop
    mqi = qm.mqi
    with pytest.raises(flintmq.MQError) as refused:
        mqi.ctl(mq.MQOP_START_WAIT)
    assert refused.value.reason == MQRC_NO_CALLBACKS_ACTIVE
    register(mqi, listener)
    mqi.ctl(mq.MQOP_START_WAIT)
    assert listener.data(3) == [b"1", b"2", b"end"]
    assert listener.threads == {threading.current_thread()}
    assert queue.depth == 1
    until_no_consumer_runs()


def test_another_thread_may_stop_a_start_wait(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True)
    listener = Listener()
    with qm.connect() as connection:
        mqi = connection.mqi
        register(mqi, listener, options=mq.MQCBDO_START_CALL | mq.MQCBDO_STOP_CALL)
        waiting = threading.Thread(target=mqi.ctl, args=(mq.MQOP_START_WAIT,))
        waiting.start()
        assert listener.next()[0] == mq.MQCBCT_START_CALL
        connection.mqi.ctl(mq.MQOP_STOP)
        waiting.join(PATIENCE)
        assert not waiting.is_alive()
        assert listener.next()[0] == mq.MQCBCT_STOP_CALL


def test_register_start_stop_and_deregister_calls_come_in_their_order(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    listener = Listener()
    everything = mq.MQCBDO_REGISTER_CALL | mq.MQCBDO_START_CALL | mq.MQCBDO_STOP_CALL | mq.MQCBDO_DEREGISTER_CALL
    with qm.connect() as connection:
        mqi = connection.mqi
        handle = register(mqi, listener, options=everything)
        assert listener.next()[0] == mq.MQCBCT_REGISTER_CALL
        mqi.ctl(mq.MQOP_START)
        queue.put(b"x")
        assert [listener.next()[0] for _ in range(2)] == [mq.MQCBCT_START_CALL, mq.MQCBCT_MSG_REMOVED]
        mqi.ctl(mq.MQOP_STOP)
        assert listener.next()[0] == mq.MQCBCT_STOP_CALL
        mqi.cb(mq.MQOP_DEREGISTER, MQCBD(), handle)
        assert listener.next()[0] == mq.MQCBCT_DEREGISTER_CALL
    wait_for_threads(listener.threads)


def test_suspend_gives_the_connection_back_and_resume_takes_it(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    listener = Listener()
    with qm.connect() as connection:
        mqi = connection.mqi
        register(mqi, listener)
        with pytest.raises(flintmq.MQError) as refused:
            mqi.ctl(mq.MQOP_SUSPEND)
        assert refused.value.reason == MQRC_OPERATION_NOT_ALLOWED
        mqi.ctl(mq.MQOP_START, MQCTLO())
        mqi.ctl(mq.MQOP_SUSPEND)
        connection.queue("A").put(b"1")
        assert queue.depth == 1
        mqi.ctl(mq.MQOP_RESUME)
        assert listener.next()[2] == b"1"


def test_a_wait_interval_is_told_when_it_is_over(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True)
    listener = Listener()
    with qm.connect() as connection:
        register(connection.mqi, listener, wait_ms=20)
        connection.mqi.ctl(mq.MQOP_START)
        assert listener.next() == (mq.MQCBCT_MSG_NOT_REMOVED, MQRC_NO_MSG_AVAILABLE, b"")


def test_an_exception_backs_out_suspends_and_is_reported(qm: flintmq.QueueManager) -> None:
    """Nothing is lost: the message is back on its queue, and comes again after MQOP_RESUME."""
    queue = qm.queue("A", create=True)
    listener, events = Listener(), Listener()

    def fail(mqi: MQI, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        if not md.backout_count:
            raise ValueError("no such article")

    listener.then = fail
    queue.put(b"order", persistent=True)
    with qm.connect("SHOP") as connection:
        mqi = connection.mqi
        handle = register(mqi, listener, gmo_options=mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT)
        register_event_handler(mqi, events)
        mqi.ctl(mq.MQOP_START)
        assert events.next() == (mq.MQCBCT_EVENT_CALL, MQRC_CALLBACK_ROUTINE_ERROR, b"")
        assert queue.depth == 1
        number, text = qm._host.errors.recent[-1]
        assert number == "AMQ5100E" and "callback of A raised ValueError: no such article" in text and "SHOP" in text
        mqi.ctl(mq.MQOP_STOP)
        mqi.cb(mq.MQOP_RESUME, MQCBD(), handle)
        mqi.ctl(mq.MQOP_START)
        assert listener.next()[2] == b"order"
    assert queue.depth == 1  # It was not committed, and the connection has ended.


def test_start_wait_raises_what_a_callback_raised(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    queue.put(b"x")

    def fail(mqi: MQI, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        raise KeyError("x")

    register(qm.mqi, fail, gmo_options=mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT)
    with pytest.raises(KeyError):
        qm.mqi.ctl(mq.MQOP_START_WAIT)
    assert queue.depth == 1
    queue.put(b"y")  # The connection takes calls again.
    assert queue.depth == 2


def test_what_cannot_be_called_is_refused(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True)
    with pytest.raises(flintmq.MQError) as refused:
        register(qm.mqi, None)
    assert refused.value.reason == MQRC_CALLBACK_ROUTINE_ERROR
    with pytest.raises(TypeError):
        register(qm.mqi, "a name")


def test_an_event_handler_hears_that_the_queue_manager_is_quiescing(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True)
    listener, events = Listener(), Listener()
    with qm.connect() as connection:
        mqi = connection.mqi
        register(mqi, listener, gmo_options=mq.MQGMO_WAIT | mq.MQGMO_FAIL_IF_QUIESCING)
        register_event_handler(mqi, events)
        mqi.ctl(mq.MQOP_START)
        host = qm._host
        with host.call:
            host.engine.quiescing = True
            quiesce_waiters(host.engine)
            host.settle(host.housekeeper())
        assert events.next() == (mq.MQCBCT_EVENT_CALL, MQRC_Q_MGR_QUIESCING, b"")


def test_close_waits_for_the_callback_and_ends_its_thread(qm: flintmq.QueueManager) -> None:
    """D4."""
    queue, target = qm.queue("A", create=True), qm.queue("B", create=True)
    inside, go_on = threading.Event(), threading.Event()
    listener = Listener()

    def work(mqi: MQI, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        inside.set()
        assert go_on.wait(PATIENCE)
        target.put(data)  # Through the queue manager: the connection of the callback.

    listener.then = work
    connection = qm.connect()
    register(connection.mqi, listener)
    connection.mqi.ctl(mq.MQOP_START)
    queue.put(b"1")
    assert inside.wait(PATIENCE)
    closing = threading.Thread(target=connection.close)
    closing.start()
    go_on.set()
    closing.join(PATIENCE)
    assert not closing.is_alive()
    assert target.get().data == b"1"
    wait_for_threads(listener.threads)


def test_closing_the_queue_manager_ends_a_callback_that_waits_for_a_message() -> None:
    listener = Listener()
    inside = threading.Event()
    ended: standard.Queue[BaseException] = standard.Queue()
    qm = flintmq.open(":memory:")
    queue = qm.queue("A", create=True)
    qm.queue("EMPTY", create=True)

    def work(mqi: MQI, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        inside.set()
        try:
            qm.queue("EMPTY").get(wait=True)
        except flintmq.NotConnected as error:
            ended.put(error)
            raise

    listener.then = work
    register(qm.mqi, listener)
    queue.put(b"1")
    qm.mqi.ctl(mq.MQOP_START)
    assert inside.wait(PATIENCE)
    qm.close()
    assert isinstance(ended.get(timeout=PATIENCE), flintmq.NotConnected)
    wait_for_threads(listener.threads)


def test_a_connection_that_is_dropped_with_a_consumer_that_is_not_started_goes(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True)

    def register_and_end() -> None:
        register(qm.mqi, Listener())

    thread = threading.Thread(target=register_and_end)
    thread.start()
    thread.join(PATIENCE)
    qm.queue("A").put(b"")  # The next call clears up.
    assert len(qm._host.engine.connections) == 2  # Of this thread, and of the host.
    assert not qm._host.dispatchers


# -- queue.consume ----------------------------------------------------------------------------------------------------


def test_consume_commits_the_message_together_with_what_the_callback_did(qm: flintmq.QueueManager) -> None:
    work, done = qm.queue("WORK", create=True), qm.queue("DONE", create=True)

    def handle(message: flintmq.Message) -> None:
        done.put(message.text.upper(), persistent=True)

    with work.consume(handle) as consumer:
        for text in ("a", "b", "c"):
            work.put(text, persistent=True)
        assert [done.get(wait=PATIENCE).text for _ in range(3)] == ["A", "B", "C"]
        assert consumer.error is None
    assert work.depth == 0 and not consumer.running
    until_no_consumer_runs()


def test_consume_only_what_has_the_correlation_id(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    came: standard.Queue[bytes] = standard.Queue()
    with queue.consume(lambda message: came.put(message.data), correlation_id=b"mine"):
        queue.put(b"other", correlation_id=b"other")
        queue.put(b"mine", correlation_id=b"mine")
        assert came.get(timeout=PATIENCE) == b"mine"
    assert queue.depth == 1


def test_a_callback_that_raises_stops_the_consumer_and_leaves_the_message(qm: flintmq.QueueManager) -> None:
    queue, other = qm.queue("A", create=True), qm.queue("B", create=True)

    def handle(message: flintmq.Message) -> None:
        other.put("half of it")
        raise ValueError(message.text)

    with pytest.raises(ValueError, match="bad"), queue.consume(handle) as consumer:
        queue.put("bad")
        assert consumer.join(PATIENCE)
        assert isinstance(consumer.error, ValueError)
        number, text = qm._host.errors.recent[-1]
        assert number == "AMQ5101E" and "ValueError: bad" in text and "has stopped" in text
    message = queue.get()
    assert message.text == "bad" and message.backout_count == 1
    assert other.depth == 0


def test_with_bothresh_a_poison_message_is_moved_away_and_the_consumer_goes_on(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True, bothresh=2, boqname="POISON")
    poison = qm.queue("POISON", create=True)
    came: standard.Queue[str] = standard.Queue()

    def handle(message: flintmq.Message) -> None:
        came.put(message.text)
        if message.text == "bad":
            raise ValueError("bad")

    with queue.consume(handle) as consumer:
        queue.put("bad")
        queue.put("good")
        assert [came.get(timeout=PATIENCE) for _ in range(3)] == ["bad", "bad", "good"]
        assert poison.get(wait=PATIENCE).text == "bad"
        assert consumer.running
    assert queue.depth == 0


def test_a_consumer_rests_while_gets_are_inhibited_or_it_is_suspended(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    came: standard.Queue[bytes] = standard.Queue()
    with queue.consume(lambda message: came.put(message.data)) as consumer:
        qm.mqsc("ALTER QLOCAL(A) GET(DISABLED)")
        queue.put(b"1")
        qm.mqsc("ALTER QLOCAL(A) GET(ENABLED)")
        assert came.get(timeout=PATIENCE) == b"1"
        consumer.suspend()
        queue.put(b"2")
        consumer.resume()
        assert came.get(timeout=PATIENCE) == b"2"


def test_a_consumer_that_cannot_begin_leaves_nothing_behind(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    queue.put(b"")
    before = len(qm._host.engine.connections)
    with pytest.raises(TypeError):
        queue.consume("not callable")  # type: ignore[arg-type]
    queue.clear()
    qm.mqsc("DELETE QLOCAL(A)")
    with pytest.raises(flintmq.UnknownObject):
        queue.consume(print)
    assert len(qm._host.engine.connections) == before
    until_no_consumer_runs()


def test_what_was_consumed_survives_a_crash_and_what_was_not_is_there(tmp_path: Path) -> None:
    """D3: a message is committed with the durable unit of work of its callback."""
    came: standard.Queue[bytes] = standard.Queue()
    stuck = threading.Event()
    with DiskQueueManager(tmp_path / "QM1") as qm:
        queue = qm.queue("A", create=True)

        def handle(message: flintmq.Message) -> None:
            came.put(message.data)
            if message.data == b"2":
                stuck.wait(PATIENCE)

        consumer = queue.consume(handle)
        queue.put(b"1", persistent=True)
        queue.put(b"2", persistent=True)
        assert [came.get(timeout=PATIENCE) for _ in range(2)] == [b"1", b"2"]
        qm.crash()
        stuck.set()
        consumer.close()
        qm.restart()
        assert [message.data for message in qm.queue("A").messages()] == [b"2"]
