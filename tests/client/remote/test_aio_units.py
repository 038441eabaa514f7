"""Asyncio over a channel: units of work outside of transactions, consumers, and many messages in one call."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

import flintmq
from flintmq.client.message import Message
from flintmq.client.remote.aio import AsyncRemoteQueueManager
from flintmq.mqi.md import MQMD
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE

Test = Callable[[AsyncRemoteQueueManager], Awaitable[None]]


def run(serving: Serving, test: Test, **options: object) -> None:
    """Run a test with a queue manager for asyncio."""

    async def connected() -> None:
        async with flintmq.aconnect(
            "QM1",
            channel=CHANNEL,
            conn=serving.conn,
            timeout=PATIENCE,
            **options,  # type: ignore[arg-type]
        ) as qm:
            await test(qm)

    asyncio.run(asyncio.wait_for(connected(), 2 * PATIENCE))


async def until(done: Callable[[], bool]) -> None:
    """Wait until it is so."""
    async with asyncio.timeout(PATIENCE):
        while not done():
            await asyncio.sleep(0.005)


@pytest.fixture
def served(serving: Serving) -> Serving:
    serving.qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)")
    return serving


def test_the_unit_of_work_of_a_task_is_committed_or_backed_out(served: Serving) -> None:
    async def test(qm: AsyncRemoteQueueManager) -> None:
        queue = await qm.queue("A")
        await queue.put(b"1", syncpoint=True)
        await queue.put(b"2")
        assert (await queue.get()).data == b"2"
        await qm.backout()
        assert served.qm.queue("A").depth == 0
        await queue.put(b"3", syncpoint=True)
        await qm.commit()
        assert (await queue.get(syncpoint=True)).data == b"3"
        await qm.backout()
        assert served.qm.queue("A").get().data == b"3"
        await qm.commit()  # There is nothing to commit.

    run(served, test)


def test_a_put_without_syncpoint_in_a_transaction_stays_when_that_is_backed_out(served: Serving) -> None:
    async def test(qm: AsyncRemoteQueueManager) -> None:
        queue = await qm.queue("A")
        async with qm.transaction() as transaction:
            await queue.put(b"in", syncpoint=True)
            await queue.put(b"out", syncpoint=False)
            await transaction.backout()
        assert [each.data for each in served.qm.queue("A").browse()] == [b"out"]

    run(served, test)


def test_depth_of_a_queue_elsewhere_is_a_number(served: Serving) -> None:
    async def test(qm: AsyncRemoteQueueManager) -> None:
        queue = await qm.queue("A")
        await queue.put("x")
        assert await queue.inquire_depth() == 1

    run(served, test)


@pytest.mark.parametrize("sharing", [0, 10])
def test_many_messages_are_got_by_one_call(served: Serving, sharing: int) -> None:
    async def test(qm: AsyncRemoteQueueManager) -> None:
        for n in range(100):
            served.qm.queue("A").put(f"{n}", properties={"n": n})
        served.qm.queue("A").put("x" * 100_000)
        served.qm.queue("A").put("last")
        first = await (await qm.queue("A")).get_many(3, wait=None)
        assert [(each.text, each.properties["n"]) for each in first] == [("0", 0), ("1", 1), ("2", 2)]
        async with qm.transaction() as transaction:
            rest = await (await qm.queue("A")).get_many(1000, wait=PATIENCE)
            assert [each.text for each in rest[:97]] == [f"{n}" for n in range(3, 100)]
            assert [len(each.data) for each in rest[97:]] == [100_000, 4]
            await transaction.backout()
        assert served.qm.queue("A").depth == 99
        assert await (await qm.queue("B")).get_many(5, wait=None) == []
        with pytest.raises(flintmq.UnknownObject):
            await (await qm.queue("NO.SUCH")).get_many(5, wait=None)

    run(served, test, sharing=sharing)


@pytest.mark.parametrize("sharing", [0, 10])
def test_a_thread_gets_many_messages_by_one_call(served: Serving, sharing: int) -> None:
    for n in range(100):
        served.qm.queue("A").put(f"{n}")
    with flintmq.connect("QM1", channel=CHANNEL, conn=served.conn, sharing=sharing) as qm:
        connection = qm._current()
        sent = connection._mqi.wire.session
        first = qm.queue("A").get_many(50, syncpoint=True)
        qm.backout()
        again = qm.queue("A").get_many(200)
        assert [each.text for each in first] == [f"{n}" for n in range(50)]
        assert [each.text for each in again] == [f"{n}" for n in range(100)]
        assert sent.pending == 0


def test_poison_among_many_messages_is_moved_away(served: Serving) -> None:
    served.qm.mqsc("ALTER QLOCAL(A) BOTHRESH(1) BOQNAME(B)")

    async def test(qm: AsyncRemoteQueueManager) -> None:
        served.qm.queue("A").put("bad")
        served.qm.queue("A").get(syncpoint=True)
        served.qm.backout()
        served.qm.queue("A").put("good")
        found = await (await qm.queue("A")).get_many(10, wait=None)
        assert [each.text for each in found] == ["good"]
        assert served.qm.queue("B").get().text == "bad"
        assert served.qm.queue("A").depth == 0

    run(served, test)


def test_a_cancelled_get_of_many_loses_none(served: Serving) -> None:
    async def test(qm: AsyncRemoteQueueManager) -> None:
        waiting = asyncio.create_task((await qm.queue("A")).get_many(5, wait=PATIENCE))
        await asyncio.sleep(0)
        await until(lambda: served.qm.mqsc("DISPLAY QSTATUS(A) IPPROCS").rows[0]["IPPROCS"] == 1)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        for n in range(5):
            served.qm.queue("A").put(f"{n}")
        found = await (await qm.queue("A")).get_many(5, wait=PATIENCE)
        assert [each.text for each in found] == list("01234")

    run(served, test)


def test_a_consumer_commits_each_message_with_what_its_handler_puts(served: Serving) -> None:
    async def test(qm: AsyncRemoteQueueManager) -> None:
        done = await qm.queue("B")

        async def handle(message: Message) -> None:
            await done.put(message.text.upper())

        async with (await qm.queue("A")).consume(handle) as consumer:
            for text in ("a", "b", "c"):
                served.qm.queue("A").put(text)
            assert [(await done.get(wait=PATIENCE)).text for _ in range(3)] == ["A", "B", "C"]
            consumer.suspend()
            consumer.resume()
            served.qm.queue("A").put("d")
            assert (await done.get(wait=PATIENCE)).text == "D"
            assert "stopped" not in repr(consumer)
        assert not consumer.running
        served.qm.queue("A").put("later")
        await until(lambda: served.qm.queue("A").depth == 1)  # A get that still waits there is backed out.

    run(served, test)


def test_a_handler_that_raises_stops_the_consumer_and_loses_nothing(served: Serving) -> None:
    async def test(qm: AsyncRemoteQueueManager) -> None:
        async def handle(message: Message) -> None:
            await qm._put("B", MQMD(), b"half", None)
            raise ValueError(message.text)

        served.qm.queue("A").put("bad")
        consumer = await (await qm.queue("A")).consume(handle)
        async with asyncio.timeout(PATIENCE):
            await consumer.join()
        assert isinstance(consumer.error, ValueError)
        assert (served.qm.queue("A").depth, served.qm.queue("B").depth) == (1, 0)
        with pytest.raises(TypeError):
            (await qm.queue("A")).consume(7)  # type: ignore[arg-type]
        with pytest.raises(flintmq.UnknownObject):
            (await qm.queue("NO.SUCH")).consume(handle)

    run(served, test)


def test_poison_of_a_consumer_is_moved_away(served: Serving) -> None:
    served.qm.mqsc("ALTER QLOCAL(A) BOTHRESH(2) BOQNAME(B)")

    async def test(qm: AsyncRemoteQueueManager) -> None:
        seen: list[str] = []

        async def handle(message: Message) -> None:
            seen.append(message.text)
            if message.text == "bad":
                raise ValueError("bad")

        served.qm.queue("A").put("bad")
        served.qm.queue("A").put("good")
        async with (await qm.queue("A")).consume(handle):
            await until(lambda: "good" in seen)
        assert seen == ["bad", "bad", "good"]
        assert served.qm.queue("B").get().text == "bad"

    run(served, test)


def test_a_consumer_goes_on_when_its_connection_was_lost(served: Serving) -> None:
    async def test(qm: AsyncRemoteQueueManager) -> None:
        seen: list[str] = []

        async def handle(message: Message) -> None:
            seen.append(message.text)

        async with (await qm.queue("A")).consume(handle):
            served.qm.queue("A").put("before")
            await until(lambda: seen == ["before"])
            await until(lambda: served.qm.queue("A").depth == 0)
            served.cut()
            served.qm.queue("A").put("after")
            await until(lambda: seen[-1] == "after")

    run(served, test, reconnect="yes")


def test_a_cancelled_get_is_ended_at_the_queue_manager_and_keeps_its_connection(served: Serving) -> None:
    async def test(qm: AsyncRemoteQueueManager) -> None:
        queue = await qm.queue("A")
        for n in range(5):
            waiting = asyncio.create_task(queue.get(wait=PATIENCE))
            await until(served.waits)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            served.qm.queue("A").put(f"{n}")
            assert (await queue.get(wait=PATIENCE)).text == f"{n}"
        assert len(qm._lines) == 2

    run(served, test)


def test_a_request_that_cannot_be_put_fails_at_once_and_the_next_one_is_answered(served: Serving) -> None:
    served.qm.mqsc("DEFINE QLOCAL(FULL) MAXDEPTH(1)")
    served.qm.queue("FULL").put("x")

    async def answer(message: Message) -> None:
        served.qm.queue(message.reply_to).put(message.text.upper() * 50_000, correlation_id=message.message_id)

    async def test(qm: AsyncRemoteQueueManager) -> None:
        full, queue = await qm.queue("FULL"), await qm.queue("A")
        async with (await qm.queue("A")).consume(answer):
            for _ in range(2):
                with pytest.raises(flintmq.QueueFull):
                    await full.request("no", timeout=10 * PATIENCE)
                found = await asyncio.gather(*(queue.request(each, timeout=PATIENCE) for each in "abc"))
                assert [each.text for each in found] == [each * 50_000 for each in "ABC"]
            with pytest.raises(flintmq.NoMessageAvailable):
                await (await qm.queue("B")).request("nobody", timeout=0.01)
        with flintmq.connect("QM1", channel=CHANNEL, conn=served.conn) as threads:
            with pytest.raises(flintmq.QueueFull):
                threads.queue("FULL").request("no", timeout=10 * PATIENCE)
            with pytest.raises(flintmq.NoMessageAvailable):
                threads.queue("B").request("nobody", timeout=0.01)

    run(served, test)


def test_many_tasks_whose_gets_are_cancelled_at_random_lose_and_double_nothing(served: Serving) -> None:
    chance = random.Random(7)

    async def test(qm: AsyncRemoteQueueManager) -> None:
        queue = await qm.queue("A")
        got: list[str] = []

        async def take() -> None:
            while len(got) < 200:
                task = asyncio.create_task(queue.get(wait=PATIENCE))
                await asyncio.wait([task], timeout=chance.random() / 500)
                task.cancel()
                try:
                    got.append((await task).text)
                except asyncio.CancelledError:
                    pass

        async def give() -> None:
            for n in range(200):
                await queue.put(f"{n}")
                if n % 10 == 0:
                    await asyncio.sleep(0)

        waiting = [asyncio.create_task(queue.get(wait=PATIENCE)) for _ in range(4)]
        for _ in waiting:
            await queue.put("first")
        await asyncio.gather(*waiting)  # Now there are connections: to make one takes longer than a task has here.
        await asyncio.gather(give(), *(take() for _ in range(4)))
        assert sorted(got, key=int) == [f"{n}" for n in range(200)]
        assert served.qm.queue("A").depth == 0

    run(served, test)


def test_a_socket_that_is_lost_in_the_middle_of_a_request_ends_it(served: Serving) -> None:
    async def test(qm: AsyncRemoteQueueManager) -> None:
        queue = await qm.queue("A")
        asking = asyncio.create_task(queue.request("x", timeout=10 * PATIENCE))
        await until(lambda: served.qm.queue("A").depth == 1)
        served.cut()
        with pytest.raises(flintmq.NotConnected):
            await asking

    run(served, test)
