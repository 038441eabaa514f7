"""The API for asyncio, wherever the queue manager is: the same tests in its own process and over a channel."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import flintmq
from flintmq.client.aio import AsyncQueueManager
from flintmq.client.aio_calls import AsyncCalls
from flintmq.client.remote import aio_wire
from flintmq.host.command_thread import CommandThread
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE

Test = Callable[[AsyncCalls, Serving], Awaitable[None]]


@pytest.fixture(params=["embedded", "tcp"])
def run(request: pytest.FixtureRequest, serving: Serving) -> Callable[[Test], None]:
    """Runs a test with a queue manager for asyncio."""

    async def embedded(test: Test) -> None:
        from concurrent.futures import ThreadPoolExecutor

        workers = ThreadPoolExecutor(4)
        await test(AsyncQueueManager(serving.host, "test", workers), serving)
        workers.shutdown()

    async def remote(test: Test) -> None:
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn, timeout=PATIENCE) as qm:
            await test(qm, serving)

    serving.qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)")
    chosen = embedded if request.param == "embedded" else remote
    return lambda test: asyncio.run(asyncio.wait_for(chosen(test), 2 * PATIENCE))


def test_what_is_put_is_got(run: Callable[[Test], None]) -> None:
    async def test(qm: AsyncCalls, serving: Serving) -> None:
        queue = await qm.queue("A")
        message_id = await queue.put("text", properties={"color": "red"}, correlation_id=b"7")
        assert await queue.inquire_depth() == 1
        message = await queue.get(wait=PATIENCE)
        assert (message.text, message.properties, message.message_id) == ("text", {"color": "red"}, message_id)
        assert await queue.get_or_none() is None
        with pytest.raises(flintmq.NoMessageAvailable):
            await queue.get(wait=0.01)
        with pytest.raises(flintmq.UnknownObject):
            await qm.queue("NO.SUCH")

    run(test)


def test_a_dead_letter_is_browsed_and_replayed(run: Callable[[Test], None]) -> None:
    """Issue 14, item 24."""

    async def test(qm: AsyncCalls, serving: Serving) -> None:
        serving.qm.mqsc("ALTER QLOCAL(A) BOTHRESH(1)")
        queue = await qm.queue("A")
        await queue.put("hello")
        serving.qm.queue("A").get(syncpoint=True)
        serving.qm.backout()
        assert await queue.get_or_none() is None
        messages = [message async for message in qm.dead_letters()]
        assert [message.text for message in messages] == ["hello"]
        await qm.replay(messages[0], queue="B")
        assert (await (await qm.queue("B")).get()).text == "hello"
        assert [message async for message in qm.dead_letters()] == []

    run(test)


def test_many_gets_wait_at_once_and_calls_go_on(run: Callable[[Test], None]) -> None:
    async def test(qm: AsyncCalls, serving: Serving) -> None:
        queue = await qm.queue("A")
        waiting = [asyncio.create_task(queue.get(wait=PATIENCE)) for _ in range(5)]
        await asyncio.gather(*(queue.put(str(n)) for n in range(5)))
        assert sorted([(await task).text for task in waiting]) == ["0", "1", "2", "3", "4"]

    run(test)


def test_a_queue_is_iterated_and_browsed(run: Callable[[Test], None]) -> None:
    async def test(qm: AsyncCalls, serving: Serving) -> None:
        queue = await qm.queue("A")
        for text in ("a", "b"):
            await queue.put(text)
        assert [message.text async for message in queue.browse()] == ["a", "b"]
        found = []
        async for message in queue:
            found.append(message.text)
            if len(found) == 2:
                break
        assert found == ["a", "b"] and [m async for m in queue.messages()] == []

    run(test)


def test_a_transaction_belongs_to_its_task(run: Callable[[Test], None]) -> None:
    async def test(qm: AsyncCalls, serving: Serving) -> None:
        a, b = await qm.queue("A"), await qm.queue("B")
        await a.put("1")
        async with qm.transaction():
            await b.put((await a.get(wait=PATIENCE)).data)
        assert (await b.get()).text == "1"
        with pytest.raises(RuntimeError):
            async with qm.transaction() as transaction:
                await a.put("kept")
                await transaction.commit()
                await a.put("gone")
                raise RuntimeError
        assert [message.text async for message in a.messages()] == ["kept"]
        with pytest.raises(flintmq.TransactionError):
            async with qm.transaction(), qm.transaction():
                pass

    run(test)


def test_a_cancelled_get_loses_no_message(run: Callable[[Test], None]) -> None:
    async def test(qm: AsyncCalls, serving: Serving) -> None:
        queue = await qm.queue("A")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await queue.get(wait=PATIENCE)
        for n in range(20):
            task = asyncio.create_task(queue.get(wait=PATIENCE))
            await asyncio.sleep(0)
            await queue.put(str(n))
            await asyncio.sleep(0.001 * (n % 5))
            task.cancel()
            try:
                assert (await task).text == str(n)
            except asyncio.CancelledError:
                assert (await queue.get(wait=PATIENCE)).text == str(n)
        assert await queue.get_or_none() is None

    run(test)


def test_a_get_without_wait_that_is_cancelled_loses_no_message(run: Callable[[Test], None]) -> None:
    """Either it was not made, or it returns the message, and the next call of its task raises the cancellation."""

    async def test(qm: AsyncCalls, serving: Serving) -> None:
        queue = await qm.queue("A")

        async def get_and_go_on() -> None:
            message = await queue.get_or_none()
            got.append("" if message is None else message.text)
            await queue.get_or_none()

        for steps in range(12):
            got: list[str] = []
            await queue.put(str(steps))
            task = asyncio.create_task(get_and_go_on())
            for _ in range(steps):
                await asyncio.sleep(0)
            cancelled = task.cancel()
            await asyncio.wait([task])
            assert task.cancelled() == cancelled
            left = [message.text async for message in queue.messages()]
            assert got + left == [str(steps)]

    run(test)


def test_a_task_that_is_cancelled_when_its_answer_has_come_leaves_the_connection_to_others(serving: Serving) -> None:
    """The answer has been read, and the task that waited for it has not gone on yet."""

    async def test() -> None:
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn) as qm:
            queue, wire = await qm.queue("DEV.QUEUE.1"), qm._shared.wire
            await queue.put("1")
            received, held = wire.data_received, list[bytes]()
            wire.data_received = held.append  # type: ignore[method-assign,assignment]
            task = asyncio.create_task(queue.put("2"))
            while not held:
                await asyncio.sleep(0)
            wire.data_received = received  # type: ignore[method-assign]
            received(b"".join(held))  # A task is running, this one: the other cannot go on at once.
            assert wire._news is not None and wire._news.done() and not task.done()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            async with asyncio.timeout(PATIENCE):
                assert await queue.inquire_depth() == 2

    asyncio.run(test())


@pytest.mark.parametrize("reconnect", ["no", "yes"])
@pytest.mark.parametrize("how", ["silent", "lost"])
def test_a_get_that_is_cancelled_and_not_answered_ends(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, how: str, reconnect: str
) -> None:
    """A queue manager that hangs, or is gone, holds up nobody who no longer wants the message."""
    monkeypatch.setattr(aio_wire, "GIVEN_UP_S", 0.05 if how == "silent" else PATIENCE)

    async def test() -> None:
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn, reconnect=reconnect) as qm:
            queue, wire = await qm.queue("DEV.QUEUE.1"), qm._shared.wire
            assert await queue.get_or_none() is None
            wire.data_received = lambda data: None  # type: ignore[method-assign]
            task = asyncio.create_task(queue.get_or_none())
            while wire._news is None:
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.sleep(0)
            if how == "lost":
                serving.close()
            done, _ = await asyncio.wait([task], timeout=PATIENCE)
            assert done and task.cancelled()

    asyncio.run(asyncio.wait_for(test(), 2 * PATIENCE))


@pytest.mark.parametrize("wait", [None, PATIENCE])
def test_a_queue_manager_that_falls_silent_is_missed(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait: float | None
) -> None:
    """It is switched off, or its network is: nobody says that the connection is at its end. Here HBINT is a second."""
    monkeypatch.setattr(aio_wire, "GRACE_S", 0)
    monkeypatch.setattr(aio_wire, "DISCONNECT_S", 0.1)
    serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) HBINT(1)")
    table = tmp_path / "ccdt.json"
    place = {"connection": [{"host": "127.0.0.1", "port": serving.port}], "queueManager": "QM1"}
    entry = {"name": CHANNEL, "clientConnection": place, "connectionManagement": {"heartbeatInterval": 1}}
    table.write_text(json.dumps({"channel": [entry]}))

    async def test() -> None:
        async with flintmq.aconnect("QM1", ccdt=str(table)) as qm:
            queue = await qm.queue("DEV.QUEUE.1")
            with pytest.raises(flintmq.NoMessageAvailable):
                await queue.get(wait=6.0)  # Nothing but heartbeats come.
            await queue.put("1")
            for line in qm._lines:
                line.wire.data_received = lambda data: None  # type: ignore[method-assign]
                line.wire.connection_lost = lambda error: None  # type: ignore[method-assign]
            with pytest.raises(flintmq.NotConnected, match="no heartbeat came in time") as lost:
                await (queue.get(wait=wait) if wait else queue.put("2"))
            assert lost.value.reason == 2009

    asyncio.run(asyncio.wait_for(test(), PATIENCE))


def test_publications_come_to_those_who_subscribe(run: Callable[[Test], None]) -> None:
    async def test(qm: AsyncCalls, serving: Serving) -> None:
        async with qm.subscribe("prices/#") as prices:
            await qm.topic("prices/gold").publish("1811.40", retain=True)
            message = await prices.get(wait=PATIENCE)
            assert (message.text, message.topic) == ("1811.40", "prices/gold")
            assert await prices.get_or_none() is None
        async with qm.subscribe("prices/+", on_request=True) as prices:
            assert await prices.request() == 1
            async for message in prices:
                assert message.text == "1811.40"
                break

    run(test)


def test_requests_of_many_tasks_get_their_own_answers(run: Callable[[Test], None]) -> None:
    async def test(qm: AsyncCalls, serving: Serving) -> None:
        service = await qm.queue("A")

        async def serve() -> None:
            async for request in service:
                answers = await qm.queue(request.reply_to)
                await answers.put(request.text.upper(), correlation_id=request.message_id)

        server = asyncio.create_task(serve())
        said = await asyncio.gather(*(service.request(f"n{n}", timeout=PATIENCE) for n in range(5)))
        assert [message.text for message in said] == [f"N{n}" for n in range(5)]
        server.cancel()
        with pytest.raises(flintmq.NoMessageAvailable):
            await service.request("nobody is there", timeout=0.05)

    run(test)


def over_a_channel(serving: Serving, test: Test) -> None:
    """Run a test with a queue manager over a channel."""

    async def connected() -> None:
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn, timeout=PATIENCE) as qm:
            await test(qm, serving)

    asyncio.run(asyncio.wait_for(connected(), 2 * PATIENCE))


def test_finding_a_queue_uses_the_connection_that_is_there(serving: Serving) -> None:
    async def test(qm: AsyncCalls, serving: Serving) -> None:
        queue = await qm.queue("DEV.QUEUE.1")
        await queue.put("one")
        assert await queue.inquire_depth() == 1
        assert (await queue.get()).text == "one"
        with pytest.raises(flintmq.UnknownObject):
            await qm.queue("NO.SUCH.QUEUE")
        with pytest.raises(TypeError):
            await qm.queue(5)  # type: ignore[arg-type]
        assert len(serving.hub.links) == 1
        assert [each async for each in qm.dead_letters()] == []
        assert len(serving.hub.links) == 2  # One to browse with.

    over_a_channel(serving, test)


def test_commands_use_one_connection_of_the_pool(serving: Serving) -> None:
    CommandThread(serving.host)

    async def test(qm: AsyncCalls, serving: Serving) -> None:
        queue = await qm.queue("MADE", create=True, maxdepth=10)
        await queue.put("one")
        with pytest.raises(flintmq.CommandFailed):
            await qm.mqsc("DISPLAY QLOCAL(NO.SUCH.QUEUE)")
        assert (await qm.mqsc("DISPLAY QLOCAL(MADE) MAXDEPTH CURDEPTH")).rows[0]["CURDEPTH"] == 1
        await queue.clear()  # The shared connection had it open.
        assert await queue.inquire_depth() == 0
        await queue.put("two")
        assert (await queue.get()).text == "two"
        assert len(serving.hub.links) == 2

    over_a_channel(serving, test)


def test_a_direct_call_that_its_steps_continue_keeps_its_turn(serving: Serving) -> None:
    """The handle of the first call is closed (2019): its steps open the queue again, and the other calls wait."""
    serving.qm.mqsc("DEFINE QLOCAL(A)")

    async def test(qm: AsyncCalls, serving: Serving) -> None:
        queue = await qm.queue("A")
        await queue.put("before")
        assert (await queue.get()).text == "before"
        assert isinstance(qm, flintmq.AsyncRemoteQueueManager)
        line = qm._shared
        for handle in (line.queues._puts["A"], line.queues._gets["A"]):
            await line.run(line.mqi.close_steps(handle))  # Behind the back of the queue.
        await asyncio.gather(*(queue.put(str(number)) for number in range(4)))
        found = await asyncio.gather(*(queue.get() for _ in range(4)))
        assert sorted(each.text for each in found) == ["0", "1", "2", "3"]
        with pytest.raises(flintmq.NoMessageAvailable):  # Its reply is read by the steps, too.
            await queue.get()
        await queue.put("last")
        assert (await queue.get()).text == "last"
        assert len(serving.hub.links) == 1

    over_a_channel(serving, test)


def test_a_cancelled_search_for_a_queue_leaves_nothing_open(serving: Serving) -> None:
    async def test(qm: AsyncCalls, serving: Serving) -> None:
        for turns in range(6):
            search = asyncio.create_task(qm.queue("DEV.QUEUE.1"))
            for _ in range(turns):
                await asyncio.sleep(0)
            search.cancel()
            await asyncio.gather(search, return_exceptions=True)
        await qm.queue("DEV.QUEUE.1")  # After those: calls of the shared connection are made in turn.
        assert len(serving.host.engine.queues["DEV.QUEUE.1"].opens.handles) == 0

    over_a_channel(serving, test)


def test_a_connection_that_is_cut_ends_waits_with_not_connected(serving: Serving) -> None:
    async def test() -> None:
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn) as qm:
            queue = await qm.queue("DEV.QUEUE.1")
            waiting = asyncio.create_task(queue.get(wait=True))
            while len(serving.hub.links) < 2:
                await asyncio.sleep(0.01)
            serving.cut()
            with pytest.raises(flintmq.NotConnected):
                await waiting
            with pytest.raises(flintmq.NotConnected):
                await queue.put(b"")

    asyncio.run(asyncio.wait_for(test(), PATIENCE))


def test_nobody_answers_and_no_such_channel(serving: Serving) -> None:
    async def test() -> None:
        with pytest.raises(flintmq.NotConnected) as refused:
            await flintmq.aconnect("QM1", channel="NO.SUCH", conn=serving.conn)
        assert refused.value.reason == 2540
        with pytest.raises(flintmq.NotConnected) as refused:
            await flintmq.aconnect("QM1", channel="C", conn="127.0.0.1(1)", timeout=PATIENCE)
        assert refused.value.reason == 2538

    asyncio.run(test())


@pytest.mark.parametrize(
    ("backout_queue", "dead_letter_queue", "expected"),
    [
        ("B", "DEV.DEAD.LETTER.QUEUE", "B"),
        (" ", "DEV.DEAD.LETTER.QUEUE", "DEV.DEAD.LETTER.QUEUE"),
        ("NOT.THERE", "DEV.DEAD.LETTER.QUEUE", "DEV.DEAD.LETTER.QUEUE"),
        (" ", " ", ""),
    ],
)
def test_a_message_is_set_aside_in_the_transaction_that_got_it(
    run: Callable[[Test], None], serving: Serving, backout_queue: str, dead_letter_queue: str, expected: str
) -> None:
    serving.qm.mqsc(f"ALTER QLOCAL(A) BOQNAME('{backout_queue}')\nALTER QMGR DEADQ('{dead_letter_queue}')")

    async def test(qm: AsyncCalls, serving: Serving) -> None:
        queue = await qm.queue("A")
        message_id = await queue.put("bad", properties={"color": "red"}, correlation_id=b"7")
        with pytest.raises(RuntimeError):
            async with qm.transaction() as unit:
                assert await unit.set_aside(await queue.get()) == expected
                raise RuntimeError("the unit of work is backed out")
        assert await queue.inquire_depth() == 1
        async with qm.transaction() as unit:
            assert await unit.set_aside(await queue.get()) == expected
        assert await queue.inquire_depth() == 0
        if expected:
            moved = serving.qm.queue(expected).get()
            assert (moved.message_id, moved.correlation_id[:1]) == (message_id, b"7")
            assert moved.data.endswith(b"bad")
            dead = moved.dead_letter
            assert (dead is not None) == (expected != "B")
            assert dead is None or (dead.queue, dead.queue_manager, dead.reason) == ("A", "QM1", 65536)

    run(test)
