"""Asynchronous consume: MQCB, MQCTL, and a host that runs the callbacks. C1 to C3 are those of consume.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flintmq.mqi import constants as mq
from flintmq.mqi.cbc import MQCBC
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.ctlo import MQCTLO
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.qmgr.connection import Handle, Waiter
from flintmq.qmgr.consume import begin_callback, callback_done, context
from flintmq.qmgr.get import quiesce_waiters
from flintmq.qmgr.xa import TMNOFLAGS, XAER_PROTO, pack_xid, xa_start
from tests.qmgr.driver import App, Driver

Function = Callable[[Waiter, MQCBC], None]


class Host:
    """Runs callbacks as a host does, and writes down what they were told: (call type, reason, data)."""

    def __init__(self, driver: Driver, app: App) -> None:
        self.driver = driver
        self.app = app
        self.calls: list[tuple[int, int, bytes]] = []
        self.objects: list[str] = []

    def note(self, waiter: Waiter, cbc: MQCBC) -> None:
        self.calls.append((cbc.call_type, cbc.reason, waiter.answer.data))
        self.objects.append(waiter.handle.object_name)

    def register(
        self,
        handle: Handle | None,
        function: Function | None = None,
        options: int = 0,
        gmo_options: int = mq.MQGMO_WAIT | mq.MQGMO_NO_SYNCPOINT,
        wait_ms: int = -1,
        max_length: int = -1,
        operation: int = mq.MQOP_REGISTER,
        kind: int = mq.MQCBT_MESSAGE_CONSUMER,
        name: str = "",
        correl_id: bytes = bytes(24),
    ) -> int:
        cbd = MQCBD()
        cbd.callback_type = kind
        cbd.options = options
        cbd.max_msg_length = max_length
        cbd.callback_name = name
        cbd.callback_area = 42
        gmo = MQGMO()
        gmo.options = gmo_options
        gmo.wait_interval = wait_ms
        md = MQMD()
        md.correl_id = correl_id
        given = None if name else function or self.note
        return self.driver.qm.callback(self.app.connection, operation, handle, cbd, md, gmo, given)

    def control(self, operation: int, options: int = 0) -> int:
        ctlo = MQCTLO()
        ctlo.options = options
        ctlo.connection_area = 7
        return self.driver.qm.control(self.app.connection, operation, ctlo)

    def run(self, count_max: int = 100) -> None:
        """Run what is due, until nothing is."""
        qm = self.driver.qm
        for _ in range(count_max):
            qm.check()
            if not qm.woken:
                return
            waiter = qm.woken.pop(0)
            assert waiter.consumer is not None
            begin_callback(qm, waiter)
            function = waiter.consumer.function
            assert callable(function)
            function(waiter, context(waiter))
            callback_done(qm, waiter)

    def messages(self) -> list[bytes]:
        return [data for kind, _, data in self.calls if kind == mq.MQCBCT_MSG_REMOVED]


class World:
    """Two queues, a connection that consumes and one that puts."""

    def __init__(self) -> None:
        self.driver = Driver(("QLOCAL", "A", {}), ("QLOCAL", "B", {}), ("QALIAS", "ALIAS", {"TARGET": "A"}))
        self.app = self.driver.app("consumer")
        self.host = Host(self.driver, self.app)
        self.putter = self.driver.app("putter")
        self.out = {name: self.putter.open(name, mq.MQOO_OUTPUT) for name in ("A", "B")}

    def put(self, name: str, *texts: bytes) -> None:
        for text in texts:
            assert self.putter.put(self.out[name], text) == 0


@pytest.fixture
def world() -> World:
    return World()


def test_messages_come_one_after_the_other_and_only_when_started(world: World) -> None:
    """C1."""
    world.put("A", b"1", b"2")
    assert world.host.register(world.app.open("A")) == 0
    world.host.run()
    assert world.host.calls == []
    assert world.host.control(mq.MQOP_START) == 0
    assert len(world.driver.qm.woken) == 1
    world.host.run()
    world.put("A", b"3")
    world.host.run()
    assert world.host.calls == [(mq.MQCBCT_MSG_REMOVED, 0, data) for data in (b"1", b"2", b"3")]
    assert world.driver.queue("A").depth == 0


def test_a_callback_is_told_its_context(world: World) -> None:
    seen: list[MQCBC] = []
    q = world.app.open("A")
    assert world.host.register(q, lambda waiter, cbc: seen.append(cbc)) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.put("A", b"12345")
    world.host.run()
    (cbc,) = seen
    assert (cbc.hobj, cbc.callback_area, cbc.connection_area) == (q.number, 42, 7)
    assert (cbc.data_length, cbc.buffer_length, cbc.state, cbc.comp_code) == (5, 5, mq.MQCS_NONE, 0)


def test_consumers_of_one_connection_take_turns(world: World) -> None:
    """C2."""
    world.put("A", b"a1", b"a2", b"a3")
    world.put("B", b"b1", b"b2")
    assert world.host.register(world.app.open("A")) == 0
    assert world.host.register(world.app.open("B")) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.host.run()
    assert world.host.messages() == [b"a1", b"b1", b"a2", b"b2", b"a3"]


def test_two_messages_that_arrive_together_are_not_two_callbacks_at_once(world: World) -> None:
    """C1: the second waits on its queue, where another connection may take it."""
    assert world.host.register(world.app.open("A")) == 0
    assert world.host.register(world.app.open("B")) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.put("A", b"a")
    world.put("B", b"b")
    assert len(world.driver.qm.woken) == 1
    assert world.driver.queue("B").depth == 1
    world.host.run()
    assert world.host.messages() == [b"a", b"b"]


def test_consumers_and_waiting_gets_are_served_in_the_order_in_which_they_came(world: World) -> None:
    getter = world.driver.app("getter")
    getter.get(getter.open("A"), wait_ms=-1)
    assert world.host.register(world.app.open("A")) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.put("A", b"1", b"2")
    first, second = world.driver.qm.woken
    assert first.connection is getter.connection and getter.data == b"1"
    assert second.consumer is not None and second.answer.data == b"2"


def test_calls_outside_a_callback_are_refused_while_consumers_run(world: World) -> None:
    q = world.app.open("A")
    assert world.host.register(q) == 0
    assert world.host.control(mq.MQOP_START) == 0
    assert world.app.put(q) == 2500
    assert world.app.get(q) == 2500
    assert world.app.commit() == 2500
    assert world.app.backout() == 2500
    assert world.app.close(q) == 2500
    assert world.app.refused_open("B") == 2500
    assert world.app.put1("B") == 2500
    assert world.host.register(q) == 2500
    assert world.host.control(mq.MQOP_START) == 2500
    assert xa_start(world.driver.qm, world.app.connection, pack_xid(1, b"g", b""), TMNOFLAGS) == XAER_PROTO
    assert world.host.control(mq.MQOP_SUSPEND) == 0
    assert world.app.put(q, b"while suspended") == 0
    world.host.run()
    assert world.host.calls == []
    assert world.host.control(mq.MQOP_RESUME) == 0
    world.host.run()
    assert world.host.messages() == [b"while suspended"]
    assert world.host.control(mq.MQOP_STOP) == 0
    assert world.app.put(q) == 0


def test_a_callback_may_make_calls_and_commit(world: World) -> None:
    """The message is in the unit of work of the connection."""
    replies = world.app.open("B", mq.MQOO_OUTPUT)

    def reply(waiter: Waiter, cbc: MQCBC) -> None:
        assert world.app.put(replies, b"re " + waiter.answer.data, syncpoint=True) == 0
        if waiter.answer.data == b"bad" and waiter.md.backout_count == 0:
            assert world.app.backout() == 0
        else:
            assert world.app.commit() == 0

    options = mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT
    assert world.host.register(world.app.open("A"), reply, gmo_options=options) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.put("A", b"good", b"bad", b"last")
    world.host.run()
    world.host.control(mq.MQOP_STOP)
    reader = world.driver.app()
    assert reader.all(reader.open("B")) == [b"re good", b"re bad", b"re last"]


def test_control_calls_come_before_messages_for_those_who_want_them(world: World) -> None:
    """C3."""
    everything = mq.MQCBDO_START_CALL | mq.MQCBDO_STOP_CALL | mq.MQCBDO_REGISTER_CALL | mq.MQCBDO_DEREGISTER_CALL
    q = world.app.open("A")
    world.put("A", b"m")
    assert world.host.register(q, options=everything) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.host.run()
    assert world.host.control(mq.MQOP_STOP) == 0
    world.host.run()
    assert world.host.register(q, operation=mq.MQOP_DEREGISTER) == 0
    world.host.run()
    assert [kind for kind, _, _ in world.host.calls] == [
        mq.MQCBCT_REGISTER_CALL,
        mq.MQCBCT_START_CALL,
        mq.MQCBCT_MSG_REMOVED,
        mq.MQCBCT_STOP_CALL,
        mq.MQCBCT_DEREGISTER_CALL,
    ]


def test_a_consumer_may_be_suspended_and_resumed_by_itself(world: World) -> None:
    q = world.app.open("A")
    assert world.host.register(q, operation=mq.MQOP_REGISTER | mq.MQOP_SUSPEND) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.put("A", b"1")
    world.host.run()
    assert world.host.calls == []
    assert world.host.control(mq.MQOP_STOP) == 0
    assert world.host.register(q, operation=mq.MQOP_RESUME) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.host.run()
    assert world.host.messages() == [b"1"]


def test_the_wait_interval_is_told_once_until_there_was_a_message(world: World) -> None:
    assert world.host.register(world.app.open("A"), wait_ms=100) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.driver.pass_time(99)
    world.host.run()
    assert world.host.calls == []
    world.driver.pass_time(1)
    world.host.run()
    world.driver.pass_time(1000)
    world.host.run()
    assert world.host.calls == [(mq.MQCBCT_MSG_NOT_REMOVED, 2033, b"")]
    world.put("A", b"m")
    world.host.run()
    world.driver.pass_time(100)
    world.host.run()
    assert world.host.calls[1:] == [(mq.MQCBCT_MSG_REMOVED, 0, b"m"), (mq.MQCBCT_MSG_NOT_REMOVED, 2033, b"")]


def test_without_a_wait_an_empty_queue_is_told_at_once_and_messages_still_come(world: World) -> None:
    assert world.host.register(world.app.open("A"), gmo_options=mq.MQGMO_NO_SYNCPOINT, wait_ms=0) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.host.run()
    world.put("A", b"m")
    world.host.run()
    assert [(kind, reason) for kind, reason, _ in world.host.calls] == [
        (mq.MQCBCT_MSG_NOT_REMOVED, 2033),
        (mq.MQCBCT_MSG_REMOVED, 0),
        (mq.MQCBCT_MSG_NOT_REMOVED, 2033),
    ]


def test_a_consumer_may_select_by_correlation_id(world: World) -> None:
    wanted = b"wanted".ljust(24, b"\0")
    assert world.host.register(world.app.open("A"), correl_id=wanted) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.put("A", b"other")
    assert world.putter.put(world.out["A"], b"1", correl_id=wanted) == 0
    assert world.putter.put(world.out["A"], b"2", correl_id=wanted) == 0
    world.host.run()
    assert world.host.messages() == [b"1", b"2"]


def test_a_browsing_consumer_sees_each_message_once_and_leaves_it(world: World) -> None:
    world.put("A", b"1", b"2")
    options = mq.MQGMO_WAIT | mq.MQGMO_BROWSE_FIRST
    assert world.host.register(world.app.open("A"), gmo_options=options) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.host.run()
    world.put("A", b"3")
    world.host.run()
    assert world.host.calls == [(mq.MQCBCT_MSG_NOT_REMOVED, 0, data) for data in (b"1", b"2", b"3")]
    assert world.driver.queue("A").depth == 3


def test_a_message_that_is_too_long_suspends_the_consumer_until_it_is_resumed(world: World) -> None:
    q = world.app.open("A")
    assert world.host.register(q, max_length=3) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.put("A", b"12345")
    world.host.run()
    assert world.host.calls == [(mq.MQCBCT_MSG_NOT_REMOVED, 2080, b"123")]
    assert world.driver.queue("A").depth == 1
    world.host.control(mq.MQOP_STOP)
    accept = mq.MQGMO_WAIT | mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_ACCEPT_TRUNCATED_MSG
    operation = mq.MQOP_REGISTER | mq.MQOP_RESUME
    assert world.host.register(q, max_length=3, gmo_options=accept, operation=operation) == 0
    world.host.control(mq.MQOP_START)
    world.host.run()
    assert world.host.calls[1:] == [(mq.MQCBCT_MSG_REMOVED, 2079, b"123")]


def test_inhibited_gets_suspend_a_consumer_until_they_are_allowed_again(world: World) -> None:
    assert world.host.register(world.app.open("ALIAS"), options=mq.MQCBDO_MC_EVENT_CALL) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.driver.alter("A", {"GET": "DISABLED"})
    world.host.run()
    assert world.host.calls == [(mq.MQCBCT_MC_EVENT_CALL, 2016, b"")]
    world.put("A", b"m")
    world.host.run()
    assert len(world.host.calls) == 1
    world.driver.alter("A", {"GET": "ENABLED"})
    world.host.run()
    assert world.host.messages() == [b"m"]


def test_an_event_handler_hears_of_the_end(world: World) -> None:
    options = mq.MQCBDO_EVENT_CALL
    assert world.host.register(None, options=options, kind=mq.MQCBT_EVENT_HANDLER) == 0
    fail_if = mq.MQGMO_WAIT | mq.MQGMO_FAIL_IF_QUIESCING
    assert world.host.register(world.app.open("A"), gmo_options=fail_if) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.driver.qm.quiescing = True
    quiesce_waiters(world.driver.qm)
    world.host.run()
    assert world.host.calls == [(mq.MQCBCT_EVENT_CALL, 2161, b"")]
    world.host.control(mq.MQOP_STOP)
    assert world.host.control(mq.MQOP_START, mq.MQCTLO_FAIL_IF_QUIESCING) == 2161


def test_refusals_of_mqcb_in_their_order(world: World) -> None:
    host, q = world.host, world.app.open("A")
    assert host.register(q, operation=mq.MQOP_START) == 2488
    assert host.register(q, kind=9) == 2483
    assert host.register(None) == 2019
    assert host.register(q, name="both") == 0
    assert host.register(q, operation=mq.MQOP_DEREGISTER) == 0
    assert host.register(q, operation=mq.MQOP_SUSPEND) == 2448
    assert host.register(q, options=2) == 2484
    assert host.register(q, max_length=-2) == 2485
    assert host.register(q, gmo_options=mq.MQGMO_SET_SIGNAL) == 2046
    assert host.register(q, gmo_options=mq.MQGMO_LOCK) == 2046
    assert host.register(world.app.open("A", mq.MQOO_OUTPUT)) == 2037
    assert host.register(world.app.open("A", mq.MQOO_BROWSE)) == 2037
    cbd = MQCBD()
    connection = world.app.connection
    nothing = world.driver.qm.callback(connection, mq.MQOP_REGISTER, q, cbd, MQMD(), MQGMO(), None)
    assert nothing == 2486
    cbd.version = 2
    assert world.driver.qm.callback(connection, mq.MQOP_REGISTER, q, cbd, MQMD(), MQGMO(), None) == 2444
    assert world.app.connection.consumers == []


def test_refusals_of_mqctl(world: World) -> None:
    host = world.host
    assert host.control(mq.MQOP_REGISTER) == 2488
    assert host.control(mq.MQOP_START, 4) == 2046
    assert host.control(mq.MQOP_STOP) == 2534
    assert host.control(mq.MQOP_SUSPEND) == 2534
    assert host.control(mq.MQOP_START_WAIT) == 2446
    assert host.control(mq.MQOP_START) == 0
    assert host.control(mq.MQOP_RESUME) == 2534
    ctlo = MQCTLO()
    ctlo.version = 3
    assert world.driver.qm.control(world.app.connection, mq.MQOP_STOP, ctlo) == 2445
    assert host.control(mq.MQOP_STOP) == 0
    assert xa_start(world.driver.qm, world.app.connection, pack_xid(1, b"g", b"")) == 0
    assert host.control(mq.MQOP_START) == 2530


def test_a_close_deregisters(world: World) -> None:
    q = world.app.open("A")
    assert world.host.register(q) == 0
    assert world.app.close(q) == 0
    assert world.app.connection.consumers == []
    assert world.host.control(mq.MQOP_START) == 0
    world.put("A", b"m")
    world.host.run()
    assert world.host.calls == []


def test_a_disconnect_while_consumers_run_commits_and_leaves_nothing_waiting(world: World) -> None:
    options = mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT
    assert world.host.register(world.app.open("A"), gmo_options=options) == 0
    assert world.host.register(world.app.open("B")) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.put("A", b"m")
    world.host.run()
    assert world.app.disconnect() == 0
    world.driver.qm.check()
    assert world.driver.qm.waiting == 0
    assert (world.driver.queue("A").depth, world.driver.queue("B").waiting) == (0, 0)


def test_a_lost_connection_gives_back_what_its_consumers_got_under_syncpoint(world: World) -> None:
    options = mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT
    assert world.host.register(world.app.open("A"), gmo_options=options) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.put("A", b"m")
    world.host.run()
    world.app.abandon()
    world.driver.qm.check()
    assert world.driver.queue("A").available == 1


def test_a_callback_that_was_not_begun_does_not_happen_after_the_end_of_the_connection(world: World) -> None:
    options = mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT
    assert world.host.register(world.app.open("A"), gmo_options=options) == 0
    assert world.host.control(mq.MQOP_START) == 0
    world.put("A", b"m")
    assert len(world.driver.qm.woken) == 1
    world.app.abandon()
    assert world.driver.qm.woken == []
    assert world.driver.queue("A").available == 1
    world.driver.qm.check()
