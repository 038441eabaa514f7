"""Connections that are lost are made again: by cutting sockets, and by restarting the queue manager."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from benchmarks.server.ports import free_port
from flintmq.cli.main import main
from flintmq.client.remote import aio, connect, reconnect
from flintmq.client.remote.aio import AsyncRemoteQueueManager
from flintmq.client.remote.aio_wire import AsyncWire, open_async_wire
from flintmq.client.remote.definition import Definition
from flintmq.client.remote.wire import Wire, open_wire
from flintmq.mqi import reason as rc
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.constants import (
    MQCBT_EVENT_HANDLER,
    MQGMO_NO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOP_REGISTER,
    MQOP_START,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from tests.client.remote.serving import CHANNEL, QUEUE, Serving
from tests.server.test_process import Manager
from tests.waiting import PATIENCE, until


@pytest.fixture(autouse=True)
def quickly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries are milliseconds apart."""
    for name in ("MQSERVER", "MQCCDTURL", "MQCHLLIB", "MQCHLTAB"):
        monkeypatch.delenv(name, raising=False)
    reconnect_for(int(PATIENCE), tmp_path, monkeypatch)


def reconnect_for(seconds: int, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = directory / "quick.ini"
    path.write_text(f"CHANNELS:\n   ReconDelay=(10,5)(30,10)\n   MQReconnectTimeout={seconds}\n")
    monkeypatch.setenv("MQCLNTCF", str(path))


def test_without_reconnect_a_lost_connection_stays_lost(serving: Serving) -> None:
    with serving.connect() as qm:
        queue = qm.queue(QUEUE)
        serving.cut()
        for _ in range(2):
            with pytest.raises(flintmq.NotConnected) as lost:
                queue.put(b"")
            assert lost.value.reason == rc.MQRC_CONNECTION_BROKEN


def test_an_idle_connection_is_made_again_and_nobody_hears_of_it(serving: Serving) -> None:
    events: list[int] = []
    with serving.connect(reconnect="yes", on_event=lambda reason, text: events.append(reason)) as qm:
        queue = qm.queue(QUEUE)
        queue.put(b"1")
        for _ in range(3):
            serving.cut()
            queue.put(b"2")
        assert [message.data for message in queue.messages()] == [b"1", b"2", b"2", b"2"]
    assert events == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECTED] * 3


def test_a_unit_of_work_is_backed_out_and_the_program_goes_on(serving: Serving) -> None:
    with serving.connect(reconnect="yes") as qm:
        queue = qm.queue(QUEUE)
        with pytest.raises(flintmq.BackedOut), qm.transaction():
            queue.put(b"lost")
            serving.cut()
            queue.put(b"never")
        assert queue.depth == 0
        with qm.transaction():
            queue.put(b"kept")
        queue.put(b"by hand", syncpoint=True)
        serving.cut()
        with pytest.raises(flintmq.MQError) as lost:
            qm.commit()
        assert lost.value.reason in (rc.MQRC_BACKED_OUT, rc.MQRC_CALL_INTERRUPTED)
        assert [message.data for message in queue.messages()] == [b"kept"]


@pytest.mark.parametrize("ends", ["backout", "commit"])
def test_every_call_in_a_unit_of_work_that_was_lost_fails_until_it_is_ended(serving: Serving, ends: str) -> None:
    """Issue 14, item 11: a program that goes on after the first 2003 would commit half of its unit of work."""
    with serving.connect(reconnect="yes") as qm:
        queue = qm.queue(QUEUE)
        queue.put(b"in")
        assert queue.get(syncpoint=True).data == b"in"
        queue.put(b"lost", syncpoint=True)
        serving.cut()
        for _ in range(2):
            with pytest.raises(flintmq.BackedOut):
                queue.put(b"not in this unit", syncpoint=True)
            with pytest.raises(flintmq.BackedOut):
                queue.get(syncpoint=True)
        queue.put(b"outside")
        if ends == "commit":
            with pytest.raises(flintmq.BackedOut):
                qm.commit()
        else:
            qm.backout()
        queue.put(b"again", syncpoint=True)
        assert queue.get(syncpoint=True).data == b"in"
        qm.commit()
        assert [message.data for message in queue.messages()] == [b"outside", b"again"]


def test_a_get_that_waits_is_made_again(serving: Serving) -> None:
    with serving.connect(reconnect="yes") as qm:
        queue = qm.queue(QUEUE)
        got: list[bytes] = []
        waiting = threading.Thread(target=lambda: got.append(queue.get(wait=PATIENCE).data))
        waiting.start()
        until(serving.waits, "a get waits")
        serving.cut()
        queue.put(b"after all")
        waiting.join(PATIENCE)
        assert got == [b"after all"]


@pytest.mark.parametrize("delay", [None, 0.001])
def test_a_put_that_was_on_its_way_is_uncertain(serving: Serving, delay: float | None) -> None:
    with serving.connect(reconnect="yes") as qm:
        queue = qm.queue(QUEUE)
        queue.put(b"1")
        wire = qm.mqi.wire
        real = wire._socket

        class Cut:
            """A socket that breaks when something was sent."""

            def __getattr__(self, name: str) -> object:
                return getattr(real, name)

            def recv(self, size: int, flags: int = 0) -> bytes:
                if flags:
                    return real.recv(size, flags)
                assert real.recv(1, socket.MSG_PEEK)  # It was done.
                raise ConnectionResetError(104, "reset")

        wire._socket = Cut()  # type: ignore[assignment]
        with pytest.raises(flintmq.MQError) as uncertain:
            queue.put(b"2", delay=delay)
        assert uncertain.value.reason == rc.MQRC_CALL_INTERRUPTED
        queue.put(b"3")
        assert sorted(queue.get(wait=PATIENCE).data for _ in range(3)) == [b"1", b"2", b"3"]
        assert queue.get_or_none(wait=0.05) is None


@pytest.mark.skipif(flintmq.compiled(), reason="a method of a compiled class cannot be replaced")
def test_the_call_after_one_that_was_given_up_is_not_taken_for_it(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The queue manager came back too late for the put, but in time for the next call."""
    with serving.connect(reconnect="yes") as qm:
        queue = qm.queue(QUEUE)
        queue.put(b"1")
        monkeypatch.setattr(qm.mqi.wire.session, "received", lambda data: serving.cut())
        with monkeypatch.context() as nobody, pytest.raises(flintmq.MQError) as over:
            nobody.setattr(reconnect, "open_wire", lambda definitions: qm.mqi.wire.check())
            nobody.setattr(qm.mqi.reconnect, "_definitions", [qm._definitions[0]._replace(reconnect_timeout_s=0.1)])
            queue.put(b"2")
        assert over.value.reason == rc.MQRC_RECONNECT_TIMED_OUT
        assert sorted(message.data for message in queue.messages()) == [b"1", b"2"]


def test_a_call_of_a_task_that_was_not_sent_is_made_again(serving: Serving) -> None:
    """Tasks share a connection: one waits for the answer to its put, another for its turn."""

    async def test() -> None:
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn, reconnect="yes") as qm:
            queue = await qm.queue(QUEUE)
            await queue.put("1")
            wire = qm._shared.wire
            wire.data_received = lambda data: wire.connection_lost(None)  # type: ignore[method-assign]
            tasks = [asyncio.create_task(queue.put(str(n))) for n in (2, 3, 4)]
            first, *others = await asyncio.gather(*tasks, return_exceptions=True)
            assert isinstance(first, flintmq.MQError) and first.reason == rc.MQRC_CALL_INTERRUPTED
            assert all(isinstance(each, bytes) for each in others), others
            assert sorted([message.text async for message in queue.messages()]) == ["1", "2", "3", "4"]

    asyncio.run(asyncio.wait_for(test(), 2 * PATIENCE))


@pytest.mark.parametrize("known", [True, False])
def test_a_connection_that_is_made_after_the_close_is_not_kept(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    """A thread connects again, or for the first time, while another closes the queue manager."""
    connecting, go_on = threading.Event(), threading.Event()
    heard: list[BaseException | None] = []

    def slowly(definitions: list[Definition]) -> Wire:
        connecting.set()
        assert go_on.wait(PATIENCE)
        return open_wire(definitions)

    def put(queue: flintmq.Queue) -> None:
        try:
            queue.put("1")
            heard.append(None)
        except flintmq.MQError as error:
            heard.append(error)

    with serving.connect(reconnect="yes") as qm:
        queue = (qm.connect() if known else qm).queue(QUEUE)
        monkeypatch.setattr(reconnect if known else connect, "open_wire", slowly)
        if known:
            serving.cut_and_wait()
        thread = threading.Thread(target=put, args=(queue,))
        thread.start()
        assert connecting.wait(PATIENCE)
    go_on.set()
    thread.join(PATIENCE)
    assert isinstance(heard[0], flintmq.NotConnected)
    until(lambda: not serving.hub.links, "the connection is closed")
    assert serving.qm.queue(QUEUE).depth == 0


def test_a_connection_of_tasks_that_is_made_again_after_the_close_is_not_kept(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        connecting, go_on = asyncio.Event(), asyncio.Event()

        async def slowly(definitions: list[Definition]) -> AsyncWire:
            connecting.set()
            await go_on.wait()
            return await open_async_wire(definitions)

        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn, reconnect="yes") as qm:
            queue = await qm.queue(QUEUE)
            monkeypatch.setattr(aio, "open_async_wire", slowly)
            await asyncio.to_thread(serving.cut_and_wait)
            task = asyncio.create_task(queue.put("1"))
            await connecting.wait()
        go_on.set()
        with pytest.raises(flintmq.NotConnected):
            await task
        await asyncio.to_thread(until, lambda: not serving.hub.links, "the connection is closed")

    asyncio.run(asyncio.wait_for(test(), 2 * PATIENCE))


def test_a_task_hears_of_a_delayed_put_that_was_on_its_way(serving: Serving) -> None:
    async def test() -> None:
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn, reconnect="yes") as qm:
            queue = await qm.queue(QUEUE)
            await queue.put("1")
            wire = qm._shared.wire
            wire.data_received = lambda data: wire.connection_lost(None)  # type: ignore[method-assign]
            with pytest.raises(flintmq.MQError) as uncertain:
                await queue.put("2", delay=0.001)
            assert uncertain.value.reason == rc.MQRC_CALL_INTERRUPTED
            assert sorted([(await queue.get(wait=PATIENCE)).text for _ in range(2)]) == ["1", "2"]
            assert await queue.get_or_none(wait=0.05) is None

    asyncio.run(asyncio.wait_for(test(), 2 * PATIENCE))


def test_handles_of_the_mqi_are_opened_again_and_dynamic_queues_under_their_names(serving: Serving) -> None:
    with serving.connect(reconnect="qmgr") as qm:
        mqi, od = qm.mqi, MQOD()
        od.object_name, od.dynamic_q_name = "SYSTEM.DEFAULT.MODEL.QUEUE", "REPLIES.*"
        handle = mqi.open(od, MQOO_INPUT_EXCLUSIVE)
        name = od.object_name
        serving.cut()
        target = MQOD()
        target.object_name = name
        with pytest.raises(flintmq.NoMessageAvailable):
            mqi.get(handle, MQMD(), MQGMO())
        mqi.put1(target, MQMD(), MQPMO(), b"to the same name")
        assert mqi.get(handle, MQMD(), MQGMO()) == b"to the same name"
        assert mqi.generation == 1


def test_the_event_handler_of_a_connection_hears_of_it(serving: Serving) -> None:
    heard: list[int] = []
    cbd = MQCBD()
    cbd.callback_type = MQCBT_EVENT_HANDLER
    cbd.callback_function = lambda mqi, md, gmo, data, cbc: heard.append(cbc.reason)
    with serving.connect(reconnect="yes") as qm:
        qm.mqi.cb(MQOP_REGISTER, cbd)
        serving.cut()
        qm.queue(QUEUE)
    assert heard == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECTED]


def test_consumers_that_cannot_be_connected_again_end_without_a_traceback(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event handler hears why: 2548 when it is given up, 2556 from the thread that calls back."""
    reconnect_for(1, tmp_path, monkeypatch)
    escaped: list[object] = []
    monkeypatch.setattr(threading, "excepthook", escaped.append)
    heard: list[int] = []
    events, consumer, gmo, od = MQCBD(), MQCBD(), MQGMO(), MQOD()
    events.callback_type = MQCBT_EVENT_HANDLER
    events.callback_function = lambda mqi, md, gmo, data, cbc: heard.append(cbc.reason)
    consumer.callback_function = lambda mqi, md, gmo, data, cbc: None
    gmo.options, gmo.wait_interval, od.object_name = MQGMO_WAIT | MQGMO_NO_SYNCPOINT, -1, QUEUE
    with serving.connect(reconnect="yes") as qm:
        mqi = qm.connect().mqi
        mqi.cb(MQOP_REGISTER, events)
        mqi.cb(MQOP_REGISTER, consumer, mqi.open(od, MQOO_INPUT_SHARED), MQMD(), gmo)
        mqi.ctl(MQOP_START)
        serving.close()
        until(lambda: rc.MQRC_RECONNECT_TIMED_OUT in heard, "the consumers are given up")
    assert heard == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECT_FAILED, rc.MQRC_RECONNECT_TIMED_OUT]
    assert not escaped


def test_subscriptions_are_made_again(serving: Serving) -> None:
    with serving.connect(reconnect="yes") as qm:
        with qm.subscribe("news/#") as news, qm.subscribe("news/#", durable_name="mine") as mine:
            qm.topic("news/1").publish("before", persistent=True)
            assert news.get(wait=PATIENCE).text == "before"
            serving.cut()
            assert news.get_or_none(wait=0.05) is None
            assert mine.get(wait=PATIENCE).text == "before"
            until(lambda: mine.request() == 0)
            qm.topic("news/2").publish("after")
            assert news.get(wait=PATIENCE).text == "after"
            assert mine.get(wait=PATIENCE).text == "after"
            mine.remove()


def test_a_consumer_goes_on(serving: Serving) -> None:
    serving.qm.mqsc("DEFINE QLOCAL(WORK)\nDEFINE QLOCAL(DONE)")
    with serving.connect(reconnect="yes") as qm:
        work, done = qm.queue("WORK"), qm.queue("DONE")
        calls: list[str] = []

        def handle(message: flintmq.Message) -> None:
            calls.append(message.text)
            if calls == ["a"]:
                serving.cut()
            done.put(message.text.upper())

        with work.consume(handle):
            work.put("a")
            assert done.get(wait=PATIENCE).text == "A"
            work.put("b")
            assert done.get(wait=PATIENCE).text == "B"
        assert calls == ["a", "a", "b"]


def test_the_next_address_is_tried_and_the_same_queue_manager_is_insisted_on(serving: Serving) -> None:
    other = Serving(name="QM2")
    try:
        conn = f"{serving.conn},{other.conn}"
        anywhere, same = (serving.connect(name="*", conn=conn, reconnect=word) for word in ("yes", "qmgr"))
        with anywhere, same:
            anywhere.queue(QUEUE).put(b"1")
            serving.close()
            anywhere.queue(QUEUE).put(b"2")
            assert other.qm.queue(QUEUE).get().data == b"2"
            with pytest.raises(flintmq.MQError) as refused:
                same.queue(QUEUE)
            assert refused.value.reason == rc.MQRC_RECONNECT_FAILED
    finally:
        other.close()


def test_when_nobody_comes_back_the_time_is_over(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "short.ini"
    path.write_text("CHANNELS:\n   ReconDelay=(10)\n   MQReconnectTimeout=1\n   DefRecon=YES\n")
    monkeypatch.setenv("MQCLNTCF", str(path))
    events: list[int] = []
    with serving.connect(on_event=lambda reason, text: events.append(reason)) as qm:
        queue = qm.queue(QUEUE)
        serving.close()
        with pytest.raises(flintmq.MQError) as over:
            queue.put(b"")
        assert over.value.reason == rc.MQRC_RECONNECT_TIMED_OUT
    assert events == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECT_FAILED]


def test_tasks_are_connected_again(serving: Serving) -> None:
    events: list[int] = []

    async def cut_all(qm: AsyncRemoteQueueManager) -> None:
        lost = [line.wire for line in qm._lines]
        serving.cut()
        while any(wire.broken is None for wire in lost):  # What is lost while nothing is under way is seen by the loop.
            await asyncio.sleep(0.001)

    async def test() -> None:
        tell = lambda reason, text: events.append(reason)  # noqa: E731
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn, reconnect="yes", on_event=tell) as qm:
            queue = await qm.queue(QUEUE)
            await queue.put("1")
            await cut_all(qm)
            await queue.put("2")
            assert [message.text async for message in queue.messages()] == ["1", "2"]
            waiting = asyncio.create_task(queue.get(wait=PATIENCE))
            while not serving.waits():
                await asyncio.sleep(0.01)
            await cut_all(qm)
            await queue.put("after all")
            assert (await waiting).text == "after all"
            with pytest.raises(flintmq.BackedOut):
                async with qm.transaction():
                    await queue.put("never")
                    await cut_all(qm)
                    await queue.put("never")
            async with qm.transaction():
                await queue.put("again")
            assert [message.text async for message in queue.messages()] == ["again"]
            async with qm.subscribe("news") as news:
                await cut_all(qm)
                assert await news.get_or_none(wait=0.05) is None
                await qm.topic("news").publish("there")
                assert (await news.get(wait=PATIENCE)).text == "there"

    asyncio.run(asyncio.wait_for(test(), 2 * PATIENCE))
    assert events.count(rc.MQRC_RECONNECTING) == events.count(rc.MQRC_RECONNECTED) >= 3


def test_reconnect_is_one_of_three_words(serving: Serving) -> None:
    with pytest.raises(ValueError, match="'no', 'yes' or 'qmgr'"):
        serving.connect(reconnect="perhaps")


#: What a restart of the queue manager may take on a machine that has much else to do.
PATIENCE_S = 180


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Manager]:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path / "data"))
    reconnect_for(PATIENCE_S, tmp_path, monkeypatch)
    port = free_port()
    assert main(["crtmqm", "--dev", "-q", "-p", str(port), "QM1"]) == 0
    made = Manager(port)
    made.start()
    yield made
    made.end()


@pytest.mark.parametrize("how", ["-i", "-p"])
def test_a_restart_of_the_queue_manager_is_outlived(manager: Manager, how: str) -> None:
    conn = f"127.0.0.1({manager.port})"
    with flintmq.connect("QM1", channel=CHANNEL, conn=conn, reconnect="qmgr") as qm:
        queue = qm.queue(QUEUE)
        queue.put(b"persistent", persistent=True)
        got: list[bytes] = []
        other = qm.queue("DEV.QUEUE.2")
        waiting = threading.Thread(target=lambda: got.append(other.get(wait=PATIENCE_S).data))
        waiting.start()
        until(lambda: "SUBSTATE(MQICALL)" in manager.said("DISPLAY CHSTATUS(*)"), "the get waits")
        assert main(["endmqm", how, "QM1"]) == 0
        manager.wait_until_ended()
        manager.start()
        assert queue.get(wait=PATIENCE).data == b"persistent"
        other.put(b"to the one who waited")
        waiting.join(PATIENCE_S)
        assert got == [b"to the one who waited"]
