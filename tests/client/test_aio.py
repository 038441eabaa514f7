"""asyncio: the loop is never blocked, a waiting get costs no thread, and cancelling one loses nothing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

import flintmq
from flintmq.mqi.pcf import MQCFIN, MQCFST, PCFMessage
from flintmq.mqi.values.commands import MQCMD_ESCAPE, MQET_MQSC
from flintmq.mqi.values.parameters import MQCACF_ESCAPE_TEXT, MQIACF_ESCAPE_TYPE
from tests.waiting import PATIENCE, until

SMALL = flintmq.LogConfig(file_pages=64)

Body = Callable[[flintmq.AsyncQueueManager], Awaitable[None]]


@pytest.fixture(params=["memory", "disk"])
def run(request: pytest.FixtureRequest) -> Callable[[Body], None]:
    """Runs a coroutine with an open queue manager; the engine is checked afterwards."""

    async def main(body: Body) -> None:
        name = ":memory:" if request.param == "memory" else "QM1"
        async with flintmq.aopen(name, log=SMALL) as qm:
            await asyncio.wait_for(body(qm), PATIENCE)
            if not qm.closed:
                qm._host.engine.check()
                assert qm._host.parked == {}

    return lambda body: asyncio.run(main(body))


async def waiting(qm: flintmq.AsyncQueueManager, count: int) -> None:
    """Let the tasks run until so many of them wait."""
    while qm._host.engine.waiting != count:
        await asyncio.sleep(0)


def test_put_and_get_in_a_transaction(run: Callable[[Body], None]) -> None:
    async def body(qm: flintmq.AsyncQueueManager) -> None:
        orders = await qm.queue("ORDERS", create=True, maxdepth=10)
        async with qm.transaction():
            await orders.put(b"hello", persistent=True, correlation_id=b"42")
            assert await orders.inquire_depth() == 1
        message = await orders.get(wait=5.0, correlation_id=b"42")
        assert (message.data, message.persistent) == (b"hello", True)
        with pytest.raises(flintmq.NoMessageAvailable):
            await orders.get()
        assert await orders.get_or_none(wait=0.01) is None

    run(body)


def test_a_transaction_that_fails_never_happened(run: Callable[[Body], None]) -> None:
    async def body(qm: flintmq.AsyncQueueManager) -> None:
        queue = await qm.queue("A", create=True)
        await queue.put(b"1")
        with pytest.raises(ZeroDivisionError):
            async with qm.transaction():
                await queue.get()
                await queue.put(b"2", persistent=True)
                raise ZeroDivisionError
        assert [message.data async for message in queue.messages()] == [b"1"]
        with pytest.raises(flintmq.TransactionError, match="do not nest"):
            async with qm.transaction():
                async with qm.transaction():
                    raise AssertionError("unreachable")

    run(body)


def test_a_transaction_can_go_on_after_commit_and_backout(run: Callable[[Body], None]) -> None:
    async def body(qm: flintmq.AsyncQueueManager) -> None:
        queue = await qm.queue("A", create=True)
        async with qm.transaction() as transaction:
            await queue.put(b"1", persistent=True)
            await transaction.commit()
            await queue.put(b"2")
            await transaction.backout()
        assert [message.data async for message in queue.messages()] == [b"1"]

    run(body)


def test_transactions_of_tasks_are_independent(run: Callable[[Body], None]) -> None:
    async def body(qm: flintmq.AsyncQueueManager) -> None:
        queue = await qm.queue("A", create=True)
        both = asyncio.Barrier(2)

        async def one(data: bytes, fail: bool) -> None:
            try:
                async with qm.transaction():
                    await queue.put(data, persistent=True)
                    await both.wait()
                    if fail:
                        raise ZeroDivisionError
            except ZeroDivisionError:
                pass

        await asyncio.gather(one(b"committed", False), one(b"backed out", True))
        assert [message.data async for message in queue.messages()] == [b"committed"]

    run(body)


def test_many_wait_without_a_thread_each_and_are_served_in_order(run: Callable[[Body], None]) -> None:
    async def body(qm: flintmq.AsyncQueueManager) -> None:
        queue = await qm.queue("A", create=True)
        threads = threading.active_count()
        tasks = [asyncio.create_task(queue.get(wait=PATIENCE)) for _ in range(200)]
        await waiting(qm, 200)
        assert threading.active_count() <= threads + 1
        for number in range(200):
            await queue.put(b"%d" % number)
        assert [message.data for message in await asyncio.gather(*tasks)] == [b"%d" % n for n in range(200)]

    run(body)


def test_a_thread_may_put_what_a_task_waits_for(run: Callable[[Body], None]) -> None:
    async def body(qm: flintmq.AsyncQueueManager) -> None:
        queue = await qm.queue("A", create=True)
        sync = flintmq.QueueManager(qm._host, "thread")
        task = asyncio.create_task(queue.get(wait=True))
        await waiting(qm, 1)
        await asyncio.to_thread(lambda: sync.queue("A").put("from a thread", persistent=True))
        assert (await task).text == "from a thread"

    run(body)


def test_persistent_puts_of_many_tasks_share_the_disk(open_disk: object) -> None:
    async def main() -> None:
        async with flintmq.aopen("QM1", log=SMALL) as qm:
            queue = await qm.queue("A", create=True)
            log = qm._host.storage.log
            assert log is not None
            before, commits = log.counters.syncs, qm._host.commits

            def flush_for_all() -> int:
                """The first is held until all others have come."""
                if log.counters.syncs == before:
                    until(lambda: len(commits._followers) == 99, "all others wait for the disk")
                return log.flush()

            commits._log = _Slow(log, flush_for_all)  # type: ignore[assignment]
            await asyncio.gather(*(queue.put(b"%d" % number, persistent=True) for number in range(100)))
            assert 1 <= log.counters.syncs - before <= 2
            assert log.durable == log.end
            assert await queue.inquire_depth() == 100

    asyncio.run(main())


def test_the_loop_goes_on_while_the_disk_is_waited_for(open_disk: object) -> None:
    async def main() -> None:
        async with flintmq.aopen("QM1", log=SMALL) as qm:
            queue = await qm.queue("A", create=True)
            loop_ran = held_flush(qm)
            put = asyncio.create_task(queue.put(b"1", persistent=True))
            while not qm._host.commits._flushing:
                await asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(loop_ran.set)
            await put

    asyncio.run(main())


def held_flush(qm: flintmq.AsyncQueueManager) -> threading.Event:
    """From now on the disk takes until this event is set; by then the loop must have gone on."""
    log, go_on = qm._host.log, threading.Event()

    def flush() -> int:
        assert go_on.wait(PATIENCE), "the loop stood still"
        return log.flush()

    qm._host.commits._log = _Slow(log, flush)  # type: ignore[assignment]
    return go_on


class _Slow:
    """A log whose flush is somebody else's."""

    def __init__(self, log: Any, flush: Callable[[], int]) -> None:
        self._log = log
        self.flush = flush

    @property
    def durable(self) -> int:
        return int(self._log.durable)


# -- cancellation -----------------------------------------------------------------------------------------------------


def test_cancelling_a_wait_leaves_no_waiter(run: Callable[[Body], None]) -> None:
    async def body(qm: flintmq.AsyncQueueManager) -> None:
        queue = await qm.queue("A", create=True)
        task = asyncio.create_task(queue.get(wait=True))
        await waiting(qm, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert qm._host.engine.waiting == 0
        await queue.put(b"1")
        assert (await queue.get()).data == b"1"

    run(body)


@pytest.mark.parametrize("persistent", [True, False])
def test_a_message_handed_to_a_cancelled_get_goes_back_uncounted(run: Callable[[Body], None], persistent: bool) -> None:
    """The put completes the wait, the cancel comes before the task runs again."""

    async def body(qm: flintmq.AsyncQueueManager) -> None:
        queue = await qm.queue("A", create=True)
        task = asyncio.create_task(queue.get(wait=True))
        await waiting(qm, 1)
        sync = flintmq.QueueManager(qm._host, "sync")
        sync.queue("A").put(b"precious", persistent=persistent)  # Does not let the loop run.
        assert qm._host.engine.waiting == 0 and await queue.inquire_depth() == 0  # Handed over, not yet committed.
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        message = await queue.get()
        assert (message.data, message.backout_count) == (b"precious", 0)

    run(body)


def test_what_a_cancelled_get_had_goes_to_the_next_who_waits(run: Callable[[Body], None]) -> None:
    async def body(qm: flintmq.AsyncQueueManager) -> None:
        queue = await qm.queue("A", create=True)
        first = asyncio.create_task(queue.get(wait=True))
        await waiting(qm, 1)
        second = asyncio.create_task(queue.get(wait=True))
        await waiting(qm, 2)
        flintmq.QueueManager(qm._host, "sync").queue("A").put(b"1")
        first.cancel()
        assert (await second).data == b"1"
        assert first.cancelled()

    run(body)


def test_a_timeout_inside_a_transaction_takes_the_message_out_of_it(run: Callable[[Body], None]) -> None:
    """wait_for cancels the get, not the transaction: what it commits must not have the message in it."""

    async def body(qm: flintmq.AsyncQueueManager) -> None:
        queue, other = await qm.queue("A", create=True), await qm.queue("B", create=True)
        async with qm.transaction():
            await other.put(b"before")
            task = asyncio.create_task(queue.get(wait=True))
            await waiting(qm, 1)
            flintmq.QueueManager(qm._host, "sync").queue("A").put(b"1", persistent=True)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert (await queue.inquire_depth(), await other.inquire_depth()) == (1, 1)
        assert (await queue.get()).data == b"1"

    run(body)


def test_cancelling_at_any_moment_neither_loses_nor_doubles(run: Callable[[Body], None]) -> None:
    """Getters are cancelled all the time, by number of turns of the loop; every message arrives once."""

    async def body(qm: flintmq.AsyncQueueManager) -> None:
        queue = await qm.queue("A", create=True)
        got: list[bytes] = []

        async def getter() -> None:
            message = await queue.get(wait=True)
            got.append(message.data)

        async def impatient(turns: int) -> None:
            for number in range(40):
                task = asyncio.create_task(getter())
                for _ in range((turns + number) % 5):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

        async def putter() -> None:
            for number in range(60):
                await queue.put(b"%d" % number, persistent=number % 3 == 0)
                await asyncio.sleep(0)

        await asyncio.gather(*(impatient(turns) for turns in range(6)), putter())
        got += [message.data async for message in queue.messages()]
        assert len(got) == len(set(got))
        assert set(got) == {b"%d" % number for number in range(60)}

    run(body)


def test_a_get_that_is_final_returns_its_message_and_the_task_is_cancelled_afterwards(open_disk: object) -> None:
    """The cancellation comes while the disk makes the get final: too late to undo it, so it is completed first."""

    async def main() -> None:
        async with flintmq.aopen("QM1", log=SMALL) as qm:
            queue = await qm.queue("A", create=True)
            await queue.put(b"1", persistent=True)
            got: list[bytes] = []

            async def getter() -> None:
                got.append((await queue.get()).data)
                await queue.get(wait=True)

            cancelled = held_flush(qm)
            task = asyncio.create_task(getter())
            while not qm._host.commits._flushing:
                await asyncio.sleep(0)
            task.cancel()
            cancelled.set()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert got == [b"1"] and await queue.inquire_depth() == 0

    asyncio.run(main())


def test_a_timeout_that_came_too_late_is_forgotten(open_disk: object) -> None:
    async def main() -> None:
        async with flintmq.aopen("QM1", log=SMALL) as qm:
            queue = await qm.queue("A", create=True)
            await queue.put(b"1", persistent=True)
            loop, expired = asyncio.get_running_loop(), held_flush(qm)

            async def getter() -> bytes:
                async with asyncio.timeout(None) as scope:

                    def expire_while_flushing() -> None:
                        if qm._host.commits._flushing:
                            scope.reschedule(loop.time())
                            loop.call_soon(expired.set)  # After the timeout, which is called next.
                        else:
                            loop.call_soon(expire_while_flushing)

                    loop.call_soon(expire_while_flushing)
                    message = await queue.get()
                await queue.put(b"goes on")
                return message.data

            assert await getter() == b"1"
            assert expired.is_set() and await queue.inquire_depth() == 1

    asyncio.run(main())


# -- the rest ---------------------------------------------------------------------------------------------------------


def test_browse_and_clear(run: Callable[[Body], None]) -> None:
    async def body(qm: flintmq.AsyncQueueManager) -> None:
        queue = await qm.queue("A", create=True)
        for text in "abc":
            await queue.put(text)
        assert [message.text async for message in queue.browse()] == ["a", "b", "c"]
        await queue.clear()
        assert await queue.inquire_depth() == 0
        assert "AMQ8007I" in str(await qm.mqsc("DELETE QLOCAL(A)"))
        with pytest.raises(flintmq.UnknownObject):
            await qm.queue("A")
        with pytest.raises(TypeError):
            await qm.queue("A", maxdepth=3)

    run(body)


def test_poison_is_moved_while_a_task_waits(run: Callable[[Body], None]) -> None:
    async def body(qm: flintmq.AsyncQueueManager) -> None:
        aside = await qm.queue("ASIDE", create=True)
        queue = await qm.queue("A", create=True, bothresh=1, boqname="ASIDE")
        await queue.put("poison")
        sync = flintmq.QueueManager(qm._host, "sync")
        sync.queue("A").get(syncpoint=True)
        task = asyncio.create_task(queue.get(wait=PATIENCE))
        await waiting(qm, 1)
        sync.backout()
        while await aside.inquire_depth() == 0 or qm._host.engine.waiting == 0:
            await asyncio.sleep(0)
        await queue.put("good")
        assert (await task).text == "good"

    run(body)


def test_closing_ends_waits(run: Callable[[Body], None]) -> None:
    async def body(qm: flintmq.AsyncQueueManager) -> None:
        queue = await qm.queue("A", create=True)
        task = asyncio.create_task(queue.get(wait=True))
        await waiting(qm, 1)
        await qm.close()
        with pytest.raises(flintmq.NotConnected):
            await task

    run(body)


def test_opening_can_be_awaited_and_can_fail(data: Path) -> None:
    async def main() -> None:
        qm = await flintmq.aopen(":memory:", queue_manager_name="NAMED")
        assert qm.name == "NAMED"
        await qm.close()
        with pytest.raises(flintmq.QueueManagerNotFound):
            async with flintmq.aopen("QM1", create=False):
                raise AssertionError("unreachable")

    coroutine: Coroutine[Any, Any, None] = main()
    asyncio.run(coroutine)


def test_a_queue_is_iterated_over_without_an_end_until_the_task_leaves() -> None:
    async def main() -> list[str]:
        async with flintmq.aopen(":memory:") as qm:
            queue = await qm.queue("A", create=True)

            async def feed() -> None:
                for text in ("a", "b", "end", "c"):
                    await queue.put(text)

            feeding = asyncio.create_task(feed())
            seen: list[str] = []
            async for message in queue:
                seen.append(message.text)
                if message.text == "end":
                    break
            await feeding
            assert await queue.inquire_depth() == 1
            return seen

    assert asyncio.run(main()) == ["a", "b", "end"]


def test_messages_in_an_async_with_block_give_nothing_after_it() -> None:
    async def main() -> None:
        async with flintmq.aopen(":memory:") as qm:
            queue = await qm.queue("A", create=True)
            await queue.put("a")
            async with queue.messages() as messages:
                assert [message.text async for message in messages] == ["a"]
            await queue.put("b")
            assert [message.text async for message in messages] == []
            assert await queue.inquire_depth() == 1

    asyncio.run(main())


def test_an_asyncio_queue_manager_has_a_command_server_on_request() -> None:
    """As `flintmq.open(command_server=True)`; MQSC as a PCF message Escape."""

    async def main() -> tuple[str, str]:
        command = PCFMessage()
        command.header.command = MQCMD_ESCAPE
        command.parameters = [
            MQCFIN(MQIACF_ESCAPE_TYPE, MQET_MQSC),
            MQCFST(MQCACF_ESCAPE_TEXT, "DEFINE QLOCAL(NEW)"),
        ]
        async with flintmq.aopen(":memory:", command_server=True) as qm:
            replies = await qm.queue("REPLIES", create=True)
            commands = await qm.queue("SYSTEM.ADMIN.COMMAND.QUEUE")
            await commands.put(command.pack(), reply_to="REPLIES", format="MQADMIN")
            reply = await replies.get(wait=PATIENCE)
            return reply.format, (await qm.queue("NEW")).name

    assert asyncio.run(main()) == ("MQADMIN", "NEW")
