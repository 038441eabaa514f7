"""Retry: the policy itself, a crash between attempts, and consumers that are closed while messages come."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import flintmq
from flintmq.testing import DiskQueueManager, ListeningQueueManager
from tests.waiting import PATIENCE, until


def test_a_policy_that_cannot_be_is_refused() -> None:
    values: tuple[dict[str, Any], ...] = (
        {"attempts": 0},
        {"delay": -1.0},
        {"max_delay": -1.0},
        {"backoff": 0.5},
        {"then": "elsewhere"},
    )
    for wrong in values:
        with pytest.raises(ValueError, match=next(iter(wrong))):
            flintmq.Retry(**wrong)
    types: tuple[dict[str, Any], ...] = ({"attempts": 1.5}, {"delay": "1"}, {"backoff": None})
    for wrong in types:
        with pytest.raises(TypeError, match=next(iter(wrong))):
            flintmq.Retry(**wrong)
    with (
        flintmq.open(":memory:") as qm,
        pytest.raises(TypeError, match=r"flintmq\.Retry"),
    ):
        qm.queue("A", create=True).consume(print, retry=3)  # type: ignore[arg-type]


def test_attempts_survive_a_crash_between_them(tmp_path: Path) -> None:
    attempts: list[int] = []

    def fail(message: flintmq.Message) -> None:
        attempts.append(int(message.properties.get("flintmq_attempts", 0) or 0) + message.backout_count)
        raise RuntimeError("on purpose")

    with DiskQueueManager(tmp_path / "QM1") as qm:
        queue, failed = qm.queue("A", create=True, boqname="FAILED"), qm.queue("FAILED", create=True)
        queue.put("order 7", persistent=True, properties={"color": "red"})
        with queue.consume(fail, retry=flintmq.Retry(attempts=3, delay=2.0)):
            until(lambda: qm.queue("SYSTEM.DDELAY.LOCAL.QUEUE").depth == 1)
        qm.crash()
        assert attempts == [0] and queue.depth + qm.queue("SYSTEM.DDELAY.LOCAL.QUEUE").depth == 1
        with queue.consume(fail, retry=flintmq.Retry(attempts=3, delay=0.01)):
            message = failed.get(wait=PATIENCE)
    assert (message.text, message.properties["color"], attempts) == ("order 7", "red", [0, 1, 2])


def test_a_crash_in_a_handler_is_an_attempt(tmp_path: Path) -> None:
    with DiskQueueManager(tmp_path / "QM1") as qm:
        queue, failed = qm.queue("A", create=True, boqname="FAILED", hardenbo=True), qm.queue("FAILED", create=True)
        queue.put("order 7", persistent=True)
        queue.get(syncpoint=True)
        qm.backout()  # As a process that ends in a handler leaves it.
        qm.restart()
        handled: list[str] = []
        with queue.consume(lambda message: handled.append(message.text), retry=flintmq.Retry(attempts=1)):
            assert failed.get(wait=PATIENCE).text == "order 7"
    assert handled == []


def test_publications_and_typed_messages_can_be_tried_again() -> None:
    with flintmq.open(":memory:") as qm, qm.subscribe("t") as subscription:
        attempts: list[str] = []

        def once(message: flintmq.Message) -> None:
            attempts.append(message.topic)
            if len(attempts) == 1:
                raise RuntimeError("on purpose")

        with subscription.consume(once, retry=flintmq.Retry(delay=0.01)):
            qm.topic("t").publish("1")
            until(lambda: len(attempts) == 2)
        assert attempts == ["t", "t"]


@pytest.mark.parametrize("where", ["embedded", "remote"])
def test_closing_and_cancelling_asyncio_consumers_loses_nothing(where: str) -> None:
    handled: list[str] = []

    async def work(qm: Any) -> None:
        queue = await qm.queue("DEV.QUEUE.1")

        async def put() -> None:
            for n in range(60):
                await queue.put(str(n))

        async def handle(message: flintmq.Message) -> None:
            await asyncio.sleep(0)
            handled.append(message.text)

        putting = asyncio.create_task(put())
        while not putting.done():
            async with queue.consume(handle, concurrency=3):
                await asyncio.sleep(0.002)
        await putting
        handled.extend([message.text async for message in queue.messages()])

    async def main() -> None:
        if where == "embedded":
            async with flintmq.aopen(":memory:", developer=True) as qm:
                await work(qm)
        else:
            with ListeningQueueManager() as listening:
                async with flintmq.aconnect(**listening.options) as remote:  # type: ignore[arg-type]
                    await work(remote)
                for left in listening.qm.queue("DEV.QUEUE.1").messages(wait=0.2):
                    handled.append(left.text)

    asyncio.run(main())
    assert sorted(handled, key=int) == [str(n) for n in range(60)]


@pytest.mark.parametrize("where", ["embedded", "remote"])
def test_the_unit_of_work_of_a_task_that_ends_is_backed_out(where: str) -> None:
    async def work(qm: Any, depth: Any) -> None:
        queue = await qm.queue("DEV.QUEUE.1")

        async def forget() -> None:
            await queue.put("never committed", syncpoint=True)

        await asyncio.create_task(forget())
        async with asyncio.timeout(PATIENCE):
            while depth():
                await asyncio.sleep(0.005)
        await queue.put("1", syncpoint=True)
        await qm.commit()
        assert (await queue.get()).text == "1"

    async def main() -> None:
        if where == "embedded":
            async with flintmq.aopen(":memory:", developer=True) as qm:
                inside = flintmq.QueueManager(qm._host, "inside")
                await work(qm, lambda: inside.queue("DEV.QUEUE.1").depth)
        else:
            with ListeningQueueManager() as listening:
                async with flintmq.aconnect(**listening.options) as remote:  # type: ignore[arg-type]
                    await work(remote, lambda: listening.qm.queue("DEV.QUEUE.1").depth)

    asyncio.run(main())


def test_a_consumer_that_is_suspended_calls_no_handler_until_it_is_resumed() -> None:
    async def main() -> None:
        async with flintmq.aopen(":memory:", developer=True) as qm:
            queue, handled = await qm.queue("DEV.QUEUE.1"), []
            consumer = await queue.consume(lambda message: handled.append(message.text))
            consumer.suspend()
            await queue.put("1")
            await queue.put("2")
            for _ in range(20):
                await asyncio.sleep(0)
            assert handled == [] and consumer.running and not await consumer.join(0.01)
            consumer.resume()
            async with asyncio.timeout(PATIENCE):
                while len(handled) < 2:
                    await asyncio.sleep(0.002)
            await consumer.close()
            assert await consumer.join() and await queue.inquire_depth() == 0

    asyncio.run(main())
