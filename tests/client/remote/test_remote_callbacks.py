"""MQCB and MQCTL, wherever the queue manager is: the same tests in its own process and over a channel."""

from __future__ import annotations

import queue as standard
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import flintmq
from flintmq.mqi import constants as mq
from flintmq.mqi import reason as rc
from flintmq.mqi.cbc import MQCBC
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from tests.client.remote.serving import Serving
from tests.waiting import PATIENCE

WAITING = mq.MQGMO_WAIT | mq.MQGMO_NO_SYNCPOINT
IN_UNIT = mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT


@pytest.fixture(params=["embedded", "tcp"])
def qm(request: pytest.FixtureRequest, serving: Serving) -> Iterator[Any]:
    serving.qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)")
    if request.param == "embedded":
        yield serving.qm
    else:
        with serving.connect() as connected:
            yield connected


class Listener:
    """A callback that writes down what it is told, and does `then` if there is something."""

    def __init__(self, then: Any = None) -> None:
        self.told: standard.Queue[tuple[int, int, bytes]] = standard.Queue()
        self.threads: set[threading.Thread] = set()
        self.then = then

    def __call__(self, mqi: Any, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        self.threads.add(threading.current_thread())
        if self.then is not None:
            self.then(mqi, md, gmo, data, cbc)
        self.told.put((cbc.call_type, cbc.reason, data))

    def next(self) -> tuple[int, int, bytes]:
        return self.told.get(timeout=PATIENCE)


def register(
    mqi: Any, function: object, name: str = "A", options: int = 0, gmo_options: int = WAITING, wait_ms: int = -1
) -> Any:
    od, cbd, gmo = MQOD(), MQCBD(), MQGMO()
    od.object_name = name
    cbd.callback_function, cbd.options = function, options
    gmo.options, gmo.wait_interval = gmo_options, wait_ms
    handle = mqi.open(od, mq.MQOO_INPUT_SHARED)
    mqi.cb(mq.MQOP_REGISTER, cbd, handle, MQMD(), gmo)
    return handle


def test_messages_come_on_a_thread_of_the_connection(qm: Any) -> None:
    listener = Listener()
    with qm.connect() as connection:
        mqi = connection.mqi
        register(mqi, listener)
        mqi.ctl(mq.MQOP_START)
        for n in range(4):
            qm.queue("A").put(b"%d" % n)
        assert [listener.next()[2] for _ in range(4)] == [b"0", b"1", b"2", b"3"]
        with pytest.raises(flintmq.MQError) as refused:
            mqi.cmit()
        assert refused.value.reason == rc.MQRC_HCONN_ASYNC_ACTIVE
        mqi.ctl(mq.MQOP_STOP)
        assert len(listener.threads) == 1 and threading.current_thread() not in listener.threads
        mqi.cmit()


def test_a_callback_makes_calls_in_its_unit_of_work(qm: Any) -> None:
    def answer(mqi: Any, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        od, pmo = MQOD(), MQPMO()
        od.object_name, pmo.options = "B", mq.MQPMO_SYNCPOINT
        mqi.put1(od, MQMD(), pmo, data.upper())
        mqi.cmit()

    listener = Listener(answer)
    with qm.connect() as connection:
        register(connection.mqi, listener, gmo_options=IN_UNIT)
        connection.mqi.ctl(mq.MQOP_START)
        qm.queue("A").put(b"a")
        assert qm.queue("B").get(wait=PATIENCE).data == b"A"
        connection.mqi.ctl(mq.MQOP_STOP)
    assert qm.queue("A").depth == 0


def test_several_consumers_are_served(qm: Any) -> None:
    first, second = Listener(), Listener()
    with qm.connect() as connection:
        register(connection.mqi, first)
        register(connection.mqi, second, "B")
        connection.mqi.ctl(mq.MQOP_START)
        for name in ("B", "A", "B"):
            qm.queue(name).put(name)
        assert first.next()[2] == b"A" and [second.next()[2] for _ in range(2)] == [b"B", b"B"]


def test_start_wait_runs_callbacks_here_until_one_stops_them(qm: Any) -> None:
    def stop(mqi: Any, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        if data == b"end":
            mqi.ctl(mq.MQOP_STOP)

    listener = Listener(stop)
    for text in (b"1", b"end", b"2"):
        qm.queue("A").put(text)
    with qm.connect() as connection:
        with pytest.raises(flintmq.MQError) as refused:
            connection.mqi.ctl(mq.MQOP_START_WAIT)
        assert refused.value.reason == rc.MQRC_NO_CALLBACKS_ACTIVE
        register(connection.mqi, listener)
        connection.mqi.ctl(mq.MQOP_START_WAIT)
    assert [listener.next()[2] for _ in range(2)] == [b"1", b"end"]
    assert listener.threads == {threading.current_thread()} and qm.queue("A").depth == 1


def test_register_start_stop_and_deregister_calls_come_in_their_order(qm: Any) -> None:
    everything = mq.MQCBDO_REGISTER_CALL | mq.MQCBDO_START_CALL | mq.MQCBDO_STOP_CALL | mq.MQCBDO_DEREGISTER_CALL
    listener = Listener()
    with qm.connect() as connection:
        mqi = connection.mqi
        handle = register(mqi, listener, options=everything)
        assert listener.next()[0] == mq.MQCBCT_REGISTER_CALL
        mqi.ctl(mq.MQOP_START)
        qm.queue("A").put(b"x")
        assert [listener.next()[0] for _ in range(2)] == [mq.MQCBCT_START_CALL, mq.MQCBCT_MSG_REMOVED]
        mqi.ctl(mq.MQOP_STOP)
        assert listener.next()[0] == mq.MQCBCT_STOP_CALL
        mqi.cb(mq.MQOP_DEREGISTER, MQCBD(), handle)
        assert listener.next()[0] == mq.MQCBCT_DEREGISTER_CALL
        with pytest.raises(flintmq.MQError) as unknown:
            mqi.cb(mq.MQOP_DEREGISTER, MQCBD(), handle)
        assert unknown.value.reason == rc.MQRC_CALLBACK_NOT_REGISTERED


def test_suspend_gives_the_connection_back_and_resume_takes_it(qm: Any) -> None:
    listener = Listener()
    with qm.connect() as connection:
        mqi = connection.mqi
        register(mqi, listener)
        with pytest.raises(flintmq.MQError) as refused:
            mqi.ctl(mq.MQOP_SUSPEND)
        assert refused.value.reason == rc.MQRC_OPERATION_NOT_ALLOWED
        mqi.ctl(mq.MQOP_START)
        mqi.ctl(mq.MQOP_SUSPEND)
        connection.queue("A").put(b"1")
        assert qm.queue("A").depth == 1
        mqi.ctl(mq.MQOP_RESUME)
        assert listener.next()[2] == b"1"


def test_a_wait_interval_is_told_when_it_is_over(qm: Any) -> None:
    listener = Listener()
    with qm.connect() as connection:
        register(connection.mqi, listener, wait_ms=20)
        connection.mqi.ctl(mq.MQOP_START)
        assert listener.next() == (mq.MQCBCT_MSG_NOT_REMOVED, rc.MQRC_NO_MSG_AVAILABLE, b"")


def test_an_exception_backs_out_suspends_and_is_reported(qm: Any) -> None:
    def fail(mqi: Any, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        if not md.backout_count:
            raise ValueError("no such article")

    listener, events = Listener(fail), Listener()
    qm.queue("A").put(b"order")
    with qm.connect() as connection:
        mqi = connection.mqi
        handle = register(mqi, listener, gmo_options=IN_UNIT)
        cbd = MQCBD()
        cbd.callback_type, cbd.callback_function = mq.MQCBT_EVENT_HANDLER, events
        mqi.cb(mq.MQOP_REGISTER, cbd)
        mqi.ctl(mq.MQOP_START)
        assert events.next() == (mq.MQCBCT_EVENT_CALL, rc.MQRC_CALLBACK_ROUTINE_ERROR, b"")
        assert qm.queue("A").depth == 1
        mqi.ctl(mq.MQOP_STOP)
        mqi.cb(mq.MQOP_RESUME, MQCBD(), handle)
        mqi.ctl(mq.MQOP_START)
        assert listener.next()[2] == b"order"


def test_start_wait_raises_what_a_callback_raised(qm: Any) -> None:
    def fail(mqi: Any, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        raise KeyError("x")

    qm.queue("A").put(b"x")
    with qm.connect() as connection:
        register(connection.mqi, fail, gmo_options=IN_UNIT)
        with pytest.raises(KeyError):
            connection.mqi.ctl(mq.MQOP_START_WAIT)
        connection.queue("A").put(b"y")
    assert qm.queue("A").depth == 2


def test_what_cannot_be_called_is_refused(qm: Any) -> None:
    with qm.connect() as connection:
        with pytest.raises(flintmq.MQError) as refused:
            register(connection.mqi, None)
        assert refused.value.reason == rc.MQRC_CALLBACK_ROUTINE_ERROR
        with pytest.raises(TypeError):
            register(connection.mqi, "a name")
