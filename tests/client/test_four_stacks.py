"""What is new in the API works in all four stacks: embedded and over a channel, for threads and for asyncio.

Each test is a coroutine that runs with the asyncio API, and once more with the sync API behind `Threads`, which makes
each call in a worker thread of its own, so that the same lines hold for both.
"""

from __future__ import annotations

import asyncio
import enum
import inspect
import threading
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypedDict

import pydantic
import pytest

import flintmq
from flintmq.testing import ListeningQueueManager
from tests.waiting import PATIENCE

STACKS = ("embedded-async", "remote-async", "embedded-sync", "remote-sync")
Test = Callable[["World"], Awaitable[None]]


class Threads:
    """A sync object as the asyncio API would be: calls run in one worker thread, so they share a unit of work."""

    def __init__(self, real: Any, pool: ThreadPoolExecutor) -> None:
        self._real, self._pool = real, pool

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._real, name)
        if not callable(member):
            return self._wrapped(member)

        def call(*args: Any, **options: Any) -> Any:
            return _Call(self, lambda: member(*args, **options))

        return call

    def _wrapped(self, value: Any) -> Any:
        kind = type(value).__module__
        plain = isinstance(value, flintmq.Message | flintmq.TypedMessage)
        return Threads(value, self._pool) if kind.startswith("flintmq.client") and not plain else value

    async def _run(self, call: Callable[[], Any]) -> Any:
        return self._wrapped(await asyncio.get_running_loop().run_in_executor(self._pool, call))


class _Call:
    """A call that is awaited, entered, or iterated over."""

    def __init__(self, owner: Threads, call: Callable[[], Any]) -> None:
        self._owner, self._call = owner, call

    def __await__(self) -> Any:
        return self._owner._run(self._call).__await__()

    async def __aenter__(self) -> Any:
        self._made = await self
        await self._owner._run(self._made._real.__enter__)
        return self._made

    async def __aexit__(self, *exc: Any) -> None:
        await self._owner._run(lambda: self._made._real.__exit__(*exc))

    async def __aiter__(self) -> AsyncIterator[Any]:
        for each in (await self._owner._run(lambda: [list(self._call())]))[0]:
            yield each

    def __getattr__(self, name: str) -> Any:  # queue.of(kind).put(...)
        return getattr(self._owner._wrapped(self._call()), name)


class World:
    """A queue manager in one of the four stacks, and how a handler is written for it."""

    def __init__(self, qm: Any, is_async: bool, inside: flintmq.QueueManager) -> None:
        self.qm, self.is_async, self.inside = qm, is_async, inside

    async def queue(self, name: str = "A", attributes: str = "") -> Any:
        self.inside.mqsc(f"DEFINE QLOCAL({name}) {attributes}")
        return await self.qm.queue(name)

    def depth(self, name: str = "A") -> int:
        return self.inside.queue(name).depth

    def uncommitted(self, name: str = "A") -> bool:
        return self.inside.mqsc(f"DISPLAY QSTATUS({name}) UNCOM").rows[0]["UNCOM"] not in ("NO", 0)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await asyncio.sleep(0.005)


@asynccontextmanager
async def world_of(stack: str) -> AsyncIterator[World]:
    with ListeningQueueManager() as listening:
        where, how = stack.split("-")
        if how == "sync":
            with ThreadPoolExecutor(1) as pool:
                qm: Any = listening.qm if where == "embedded" else flintmq.connect(**listening.options)  # type: ignore[arg-type]
                yield World(Threads(qm, pool), False, listening.qm)
                qm.close()
        elif where == "remote":
            async with flintmq.aconnect(**listening.options) as remote:  # type: ignore[arg-type]
                yield World(remote, True, listening.qm)
        else:
            async with flintmq.aopen(":memory:", developer=True) as embedded:
                inside = flintmq.QueueManager(embedded._host, "inside")
                yield World(embedded, True, inside)


@pytest.fixture(params=STACKS)
def run(request: pytest.FixtureRequest) -> Callable[[Test], None]:
    async def main(test: Test) -> None:
        async with world_of(request.param) as world, asyncio.timeout(PATIENCE):
            await test(world)

    return lambda test: asyncio.run(main(test))


Run = Callable[[Test], None]


def test_get_many_returns_what_is_there_and_belongs_to_the_transaction(run: Run) -> None:
    async def test(world: World) -> None:
        queue = await world.queue()
        assert await queue.get_many(3, wait=0.01) == []
        for n in range(5):
            await queue.put(str(n))
        assert [each.text for each in await queue.get_many(3)] == ["0", "1", "2"]
        with pytest.raises(RuntimeError):
            async with world.qm.transaction():
                assert [each.text for each in await queue.get_many(10, wait=1.0)] == ["3", "4"]
                raise RuntimeError
        assert world.depth() == 2
        assert [each.backout_count for each in await queue.get_many(10)] == [1, 1]
        with pytest.raises(ValueError, match="at least 1"):
            await queue.get_many(0)
        with pytest.raises(TypeError, match="count is an int"):
            await queue.get_many("3")

    run(test)


def test_syncpoint_commit_and_backout_outside_of_a_block(run: Run) -> None:
    async def test(world: World) -> None:
        queue = await world.queue()
        await queue.put("1", syncpoint=True)
        await queue.put("final")
        await world.qm.backout()
        assert [each.text async for each in queue.messages()] == ["final"]
        await queue.put("2", syncpoint=True)
        with pytest.raises(flintmq.TransactionError, match="uncommitted work"):
            async with world.qm.transaction():
                pass
        assert await queue.get_or_none() is None
        await world.qm.commit()
        assert (await queue.get(syncpoint=True)).text == "2"
        await world.qm.backout()
        async with world.qm.transaction() as transaction:
            assert (await queue.get()).text == "2"
            await queue.put("outside", syncpoint=False)
            await transaction.backout()
        assert [each.text async for each in queue.messages()] == ["2", "outside"]
        await world.qm.commit()  # Nothing to commit is no error.

    run(test)


def test_a_publication_need_not_be_waited_for_and_a_subscription_may_be_read_ahead(run: Run) -> None:
    async def test(world: World) -> None:
        async with world.qm.subscribe("prices/#", read_ahead=True) as prices:
            topic = world.qm.topic("prices/gold")
            topic = await topic if isinstance(topic, _Call) else topic
            for n in range(3):
                await topic.publish(f"{n}", wait=False)
            assert await world.qm.flush() == 3
            assert (await prices.get(wait=PATIENCE)).text == "0"
            assert prices.queue.read_ahead is True
            await topic.publish_json({"n": 4})
            assert [each.text for each in await prices.get_many(2, wait=PATIENCE)] == ["1", "2"]
            assert (await prices.get(wait=PATIENCE)).json() == {"n": 4}

    run(test)


def test_dead_letters_are_browsed_and_replayed(run: Run) -> None:
    async def test(world: World) -> None:
        world.inside.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
        a, b = await world.queue("A", "BOTHRESH(1)"), await world.queue("B")
        await a.put("hello")
        await a.get(syncpoint=True)
        await world.qm.backout()
        assert await a.get_or_none() is None
        found = [each async for each in world.qm.dead_letters()]
        assert [each.text for each in found] == ["hello"]
        await world.qm.replay(found[0], queue="B")
        assert (await b.get()).text == "hello"

    run(test)


def handler_for(world: World, function: Callable[[flintmq.Message], None]) -> Callable[[flintmq.Message], object]:
    """A handler as the stack takes it: for asyncio a coroutine function."""
    if not world.is_async:
        return function

    async def handle(message: flintmq.Message) -> None:
        function(message)

    return handle


def test_messages_are_consumed_at_the_same_time_and_closing_waits_for_handlers(run: Run) -> None:
    async def test(world: World) -> None:
        queue = await world.queue()
        release = threading.Event()
        seen: list[str] = []
        arrived: list[str] = []

        async def in_task(message: flintmq.Message) -> None:
            arrived.append(message.text)
            await world.until(release.is_set)
            seen.append(message.text)

        def in_thread(message: flintmq.Message) -> None:
            arrived.append(message.text)
            assert release.wait(PATIENCE)
            seen.append(message.text)

        for n in range(3):
            await queue.put(str(n))
        async with queue.consume(in_task if world.is_async else in_thread, concurrency=3) as consumer:
            await world.until(lambda: len(arrived) == 3)
            assert seen == [] and consumer.running
            release.set()
        assert sorted(seen) == ["0", "1", "2"] and world.depth() == 0 and not consumer.running
        await queue.put("later")
        assert world.depth() == 1

    run(test)


def test_a_handler_that_raises_stops_the_consumer_and_loses_nothing(run: Run) -> None:
    async def test(world: World) -> None:
        queue = await world.queue()
        await queue.put("bad")

        def fail(message: flintmq.Message) -> None:
            raise ZeroDivisionError("on purpose")

        with pytest.raises(ZeroDivisionError):
            async with queue.consume(handler_for(world, fail), concurrency=2) as consumer:
                assert await consumer.join(PATIENCE)
        assert type(consumer.error) is ZeroDivisionError and world.depth() == 1
        message = await queue.get()
        assert message.text == "bad" and message.backout_count in (1, 2)  # By one of the two, or by both.
        with pytest.raises(TypeError, match="handler"):
            async with queue.consume("no handler"):
                pass
        with pytest.raises(ValueError, match="concurrency"):
            async with queue.consume(handler_for(world, fail), concurrency=0):
                pass

    run(test)


def test_failed_messages_are_tried_again_later_and_moved_away_after_the_last_attempt(run: Run) -> None:
    async def test(world: World) -> None:
        queue = await world.queue("A", "BOQNAME(FAILED)")
        await world.queue("FAILED")
        attempts: list[tuple[str, int]] = []

        def fail(message: flintmq.Message) -> None:
            attempts.append((message.text, int(message.properties.get("flintmq_attempts", 0) or 0)))
            if message.text != "good":
                raise RuntimeError("on purpose")

        retry = flintmq.Retry(attempts=3, delay=0.02, backoff=2.0)
        async with queue.consume(handler_for(world, fail), concurrency=2, retry=retry) as consumer:
            sent = await queue.put("bad", correlation_id=b"c", properties={"color": "red"}, persistent=True)
            await queue.put("good")
            await world.until(lambda: world.depth("FAILED") == 1)
            assert consumer.running
        assert sorted(attempts) == [("bad", 0), ("bad", 1), ("bad", 2), ("good", 0)]
        failed = world.inside.queue("FAILED").get()
        assert (failed.message_id, failed.correlation_id.rstrip(b"\0"), failed.persistent) == (sent, b"c", True)
        assert failed.properties["color"] == "red" and world.depth() == 0

    run(test)


def test_after_the_last_attempt_a_message_is_a_dead_letter_or_gone_or_stops_the_consumer(run: Run) -> None:
    async def test(world: World) -> None:
        failed: list[str] = []

        def fail(message: flintmq.Message) -> None:
            failed.append(message.text)
            raise RuntimeError("on purpose")

        world.inside.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
        queue = await world.queue()
        async with queue.consume(handler_for(world, fail), retry=flintmq.Retry(2, 0.0, then="dead-letter")):
            await queue.put("to the dead-letter queue")
            await world.until(lambda: world.depth("SYSTEM.DEAD.LETTER.QUEUE") == 1)
        dead = next(world.inside.dead_letters())
        assert dead.dead_letter is not None and (dead.dead_letter.queue, dead.dead_letter.reason) == ("A", 2362)
        assert dead.text == "to the dead-letter queue"
        async with queue.consume(handler_for(world, fail), retry=flintmq.Retry(1, 0.0, then="discard")):
            await queue.put("gone")
            await world.until(lambda: "gone" in failed and world.depth() == 0 and not world.uncommitted())
        assert world.depth("SYSTEM.DEAD.LETTER.QUEUE") == 1
        world.inside.mqsc("ALTER QMGR DEADQ(' ')")
        await queue.put("stays")
        with pytest.raises(flintmq.MQError, match="no dead-letter queue"):
            async with queue.consume(handler_for(world, fail), retry=flintmq.Retry(1, 0.0)) as consumer:
                assert await consumer.join(PATIENCE)
        assert (await queue.get()).text == "stays"

    run(test)


class Color(enum.Enum):
    RED = "red"


@dataclass
class Item:
    name: str
    price: Decimal


@dataclass
class Order:
    number: int
    at: datetime
    items: list[Item]
    color: Color = Color.RED
    key: uuid.UUID | None = None
    tags: set[str] = field(default_factory=set)


class Price(TypedDict):
    gold: float


class Model(pydantic.BaseModel):
    count: int


def test_values_of_a_type_are_put_got_and_consumed(run: Run) -> None:
    async def test(world: World) -> None:
        queue = await world.queue()
        order = Order(7, datetime(2026, 1, 2, tzinfo=UTC), [Item("tea", Decimal("3.50"))], key=uuid.uuid4(), tags={"x"})
        for kind, value in ((Order, order), (Price, {"gold": 1.5}), (Model, Model(count=3)), (list[int], [1, 2])):
            values_of = await typed(queue.of(kind))
            await values_of.put(value, persistent=True)
            message = await values_of.get()
            assert message.value == value and (message.format, message.persistent) == ("MQSTR", True)
        orders = await typed(queue.of(Order))
        with pytest.raises(flintmq.BadPayload, match="field items"):
            await orders.put(Order(7, order.at, [Item("tea", "dear")]))  # type: ignore[arg-type]
        assert world.depth() == 0
        values: list[Order] = []
        async with orders.consume(handler_for(world, lambda message: values.append(message.value))):  # type: ignore[attr-defined]
            await orders.put(order)
            await world.until(lambda: bool(values) and world.depth() == 0)
        assert values == [order]

    run(test)


def test_a_payload_that_does_not_fit_names_field_and_message_and_is_not_lost(run: Run) -> None:
    async def test(world: World) -> None:
        queue = await world.queue()
        orders = await typed(queue.of(Order))
        sent = await queue.put_json({"number": 7, "at": "2026-01-02", "items": [{"name": "tea"}]})
        with pytest.raises(flintmq.BadPayload, match=r"items\[0\].price is missing") as bad:
            async with world.qm.transaction():
                await orders.get()
        assert bad.value.field == "items[0].price" and sent.hex() in str(bad.value) and world.depth() == 1
        with pytest.raises(flintmq.BadPayload):
            async with orders.consume(handler_for(world, lambda message: None)) as consumer:
                assert await consumer.join(PATIENCE)
        with pytest.raises(flintmq.BadPayload) as bad:
            await orders.get()
        assert bad.value.message is not None and bad.value.message.message_id == sent and world.depth() == 0
        await queue.put(b"\xff not JSON")
        with pytest.raises(flintmq.BadPayload, match="not JSON"):
            (await queue.get()).json()

    run(test)


async def typed(made: Any) -> Any:
    """What `of` returns, wherever it was called."""
    return await made if isinstance(made, _Call) else made


def test_many_values_are_got_at_once_and_none_is_lost(run: Run) -> None:
    async def test(world: World) -> None:
        queue = await world.queue()
        numbers = await typed(queue.of(int))
        for number in range(3):
            await numbers.put(number)
        assert [each.value for each in await numbers.get_many(2, wait=1.0)] == [0, 1]
        await queue.put("none"), await numbers.put(3)
        with pytest.raises(flintmq.BadPayload):
            async with world.qm.transaction():
                await numbers.get_many(10)
        assert world.depth() == 3
        with pytest.raises(flintmq.BadPayload) as bad:
            await numbers.get_many(10)
        assert bad.value.message is not None and bad.value.message.text == "none"
        assert [each.text for each in bad.value.others] == ["2", "3"]

    run(test)


def test_a_typed_request_has_a_typed_answer(run: Run) -> None:
    async def test(world: World) -> None:
        queue = await world.queue()
        words = await typed(queue.of(str))

        def answer(message: Any) -> None:
            length = len(message.value)
            text = str(length) if length else "a word is wanted"
            world.inside.queue(message.reply_to).put(text, correlation_id=message.message_id)

        async with words.consume(handler_for(world, answer)):
            assert (await words.request("hello", int, timeout=PATIENCE)).value == 5
            with pytest.raises(flintmq.BadPayload, match="not JSON"):
                await words.request("", int, timeout=PATIENCE)
        with pytest.raises(flintmq.NoMessageAvailable):
            await words.request("nobody is there", int, timeout=0.01)
        with pytest.raises(flintmq.BadPayload, match="str is wanted"):
            await words.request(7, int, timeout=0.01)
        with pytest.raises(TypeError):
            await words.request("hello", object(), timeout=0.01)

    run(test)


def test_publications_of_a_type_are_published_and_received(run: Run) -> None:
    async def test(world: World) -> None:
        topic = world.qm.topic("prices/gold")
        topic = await topic if isinstance(topic, _Call) else topic
        prices = await typed(topic.of(Price))
        async with world.qm.subscribe("prices/#") as subscription:
            received = await typed(subscription.of(Price))
            await prices.publish({"gold": 1.5})
            message = await received.get(wait=PATIENCE)
            assert (message.value, message.topic) == ({"gold": 1.5}, "prices/gold")
            assert await received.get_or_none() is None
            with pytest.raises(flintmq.BadPayload, match="field gold"):
                await prices.publish({"gold": "dear"})
            for price in (1.0, 2.0, 3.0):
                await prices.publish({"gold": price})
            assert [each.value["gold"] async for each in received.browse()] == [1.0, 2.0, 3.0]
            assert [each.value["gold"] for each in await received.get_many(2)] == [1.0, 2.0]
            assert [each.value["gold"] async for each in received.messages()] == [3.0]
            values: list[Price] = []
            async with received.consume(handler_for(world, lambda message: values.append(message.value))):  # type: ignore[attr-defined]
                await prices.publish({"gold": 4.0})
                await world.until(lambda: bool(values))
            assert values == [{"gold": 4.0}]
            await topic.publish("no price")
            with pytest.raises(flintmq.BadPayload, match="not JSON"):
                await received.get(wait=PATIENCE)

    run(test)


def test_the_depth_is_asked_for_in_the_same_way(run: Run) -> None:
    async def test(world: World) -> None:
        queue = await world.queue()
        await queue.put("1")
        assert await queue.inquire_depth() == 1
        assert inspect.iscoroutinefunction(flintmq.AsyncQueue.inquire_depth)

    run(test)
