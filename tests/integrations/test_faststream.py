"""MQBroker against a queue manager that serves: units of work, acknowledgement, topics, replies, stop and reconnect."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("faststream", reason="FastStream is not installed: the faststream extra")

from faststream import AckPolicy
from faststream import Path as PathParameter
from faststream.exceptions import AckMessage, NackMessage, RejectMessage, SetupError
from faststream.security import BaseSecurity, SASLPlaintext, SASLScram256

import flintmq
from benchmarks.server.ports import free_port
from flintmq.cli.main import main as command
from flintmq.integrations.faststream import MQBroker, MQMessage, MQResponse, MQRouter
from flintmq.integrations.faststream.connection import parse_url, public_url, security_options
from flintmq.integrations.faststream.headers import from_correl_id, header_name, property_name, to_correl_id
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE, until

#: Kills of the application in the crash test.
KILLS = 3


@pytest.fixture
def serving() -> Iterator[Serving]:
    made = Serving()
    made.qm.mqsc("DEFINE QLOCAL(IN) BOQNAME(REJECTED)")
    for name in ("OUT", "REJECTED"):
        made.qm.queue(name, create=True)
    yield made
    made.close()


def url(serving: Serving) -> str:
    return f"mq://127.0.0.1:{serving.port}/QM1?channel={CHANNEL}"


def run(serving: Serving, declare: Callable[[MQBroker], Callable[[], Awaitable[None]]], **options: Any) -> None:
    """Run a test with a broker that is started after `declare` has declared its handlers."""

    async def main() -> None:
        broker = MQBroker(url(serving), logger=None, **options)
        test = declare(broker)
        async with broker:
            await broker.start()
            await asyncio.wait_for(test(), PATIENCE)

    asyncio.run(main())


async def soon(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.002)


def texts(serving: Serving, queue: str) -> list[str]:
    return [message.text for message in serving.qm.queue(queue).browse()]


def test_a_handlers_result_and_its_puts_appear_with_the_commit_of_its_message(serving: Serving) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        seen: list[list[str]] = []

        @broker.subscriber("IN")
        @broker.publisher("OUT")
        async def handle(text: str) -> str:
            await broker.publish("from the handler", "OUT")
            await broker.publish("at once", "OUT", syncpoint=False)
            seen.append(texts(serving, "OUT"))
            return text.upper()

        async def test() -> None:
            await broker.publish("hello", "IN")
            await soon(lambda: len(texts(serving, "OUT")) == 3)
            assert seen == [["at once"]]
            assert sorted(texts(serving, "OUT")) == ["HELLO", "at once", "from the handler"]

        return test

    run(serving, declare)


def test_nack_backs_out_the_message_and_what_its_handler_put(serving: Serving) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        counts: list[int] = []

        @broker.subscriber("IN", ack_policy=AckPolicy.NACK_ON_ERROR)
        async def handle(text: str, message: MQMessage) -> None:
            counts.append(message.raw_message.backout_count)
            await broker.publish(f"try {len(counts)}", "OUT")
            if len(counts) < 3:
                raise ValueError("not yet")

        async def test() -> None:
            await broker.publish("hello", "IN")
            await soon(lambda: texts(serving, "OUT"))
            assert counts == [0, 1, 2]
            assert texts(serving, "OUT") == ["try 3"]

        return test

    run(serving, declare)


def test_a_message_whose_handler_fails_goes_to_the_backout_queue_with_its_properties(serving: Serving) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        @broker.subscriber("IN")
        async def handle(text: str) -> None:
            raise ValueError("never")

        async def test() -> None:
            await broker.publish("bad", "IN", headers={"x-color": "red"}, correlation_id="order 7", priority=4)
            await soon(lambda: texts(serving, "REJECTED"))
            message = serving.qm.queue("REJECTED").get()
            assert message.properties["x_HYPHEN_color"] == "red" and message.priority == 4
            assert message.correlation_id.rstrip(b"\0") == b"order 7"
            assert serving.qm.queue("IN").depth == 0

        return test

    run(serving, declare)


def test_a_rejected_message_without_a_backout_queue_goes_to_the_dead_letter_queue(serving: Serving) -> None:
    serving.qm.mqsc("ALTER QLOCAL(IN) BOQNAME(' ')\nALTER QMGR DEADQ(DEV.DEAD.LETTER.QUEUE)")

    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        @broker.subscriber("IN")
        async def handle(text: str) -> None:
            raise RejectMessage

        async def test() -> None:
            await broker.publish("bad", "IN")
            await soon(lambda: list(serving.qm.dead_letters()))
            dead = next(iter(serving.qm.dead_letters())).dead_letter
            assert dead is not None and dead.queue == "IN" and dead.reason == 65536
            assert dead.original.data.endswith(b"bad")

        return test

    run(serving, declare)


def test_a_rejected_message_that_no_queue_takes_stays_on_its_queue(serving: Serving) -> None:
    serving.qm.mqsc("ALTER QLOCAL(IN) BOQNAME(' ')\nALTER QMGR DEADQ(' ')")

    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        counts: list[int] = []

        @broker.subscriber("IN")
        async def handle(text: str, message: MQMessage) -> None:
            counts.append(message.raw_message.backout_count)
            if len(counts) == 1:
                raise RejectMessage

        async def test() -> None:
            await broker.publish("bad", "IN")
            await soon(lambda: len(counts) == 2)
            assert counts == [0, 1]

        return test

    run(serving, declare)


@pytest.mark.parametrize(
    ("policy", "raised", "left", "set_aside"),
    [
        (AckPolicy.ACK, ValueError, 0, 0),
        (AckPolicy.ACK_FIRST, ValueError, 0, 0),
        (AckPolicy.REJECT_ON_ERROR, AckMessage, 0, 0),
        (AckPolicy.NACK_ON_ERROR, RejectMessage, 0, 1),
    ],
)
def test_what_each_policy_leaves(
    serving: Serving, policy: AckPolicy, raised: type[Exception], left: int, set_aside: int
) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        handled: list[str] = []

        @broker.subscriber("IN", ack_policy=policy)
        async def handle(text: str) -> None:
            handled.append(text)
            raise raised

        async def test() -> None:
            await broker.publish("1", "IN")
            await broker.publish("2", "IN")
            await soon(lambda: len(handled) == 2)

        return test

    run(serving, declare)
    assert serving.qm.queue("IN").depth == left
    assert serving.qm.queue("REJECTED").depth == 2 * set_aside


def test_manual_acknowledgement_and_a_handler_that_forgets_it(serving: Serving) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        seen: list[tuple[str, int]] = []

        @broker.subscriber("IN", ack_policy=AckPolicy.MANUAL)
        async def handle(text: str, message: MQMessage) -> None:
            seen.append((text, message.raw_message.backout_count))
            if text == "ack" or seen[-1][1]:
                await message.ack()
                await message.nack()  # It has ended: nothing.

        async def test() -> None:
            await broker.publish("ack", "IN")
            await broker.publish("forgotten", "IN")
            await soon(lambda: len(seen) == 3)
            assert seen == [("ack", 0), ("forgotten", 0), ("forgotten", 1)]

        return test

    run(serving, declare)
    assert serving.qm.queue("IN").depth == 0


def test_a_task_that_outlives_its_handler_puts_outside_of_the_next_unit_of_work(serving: Serving) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        tasks: list[asyncio.Task[bytes]] = []
        second = asyncio.Event()
        release = asyncio.Event()

        async def later() -> bytes:
            await second.wait()
            return await broker.publish("late", "OUT")

        @broker.subscriber("IN", ack_policy=AckPolicy.MANUAL)
        async def handle(text: str, message: MQMessage) -> None:
            if text == "first":
                tasks.append(asyncio.create_task(later()))
            else:
                second.set()
                await release.wait()
            await message.ack()

        async def test() -> None:
            await broker.publish("first", "IN")
            await broker.publish("second", "IN")
            await soon(lambda: texts(serving, "OUT") == ["late"])
            assert await tasks[0]
            release.set()

        return test

    run(serving, declare)


def test_topics_with_wildcards_templates_selectors_and_durable_subscriptions(serving: Serving) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        seen: list[tuple[Any, ...]] = []

        @broker.subscriber(topic="prices/#")
        async def all_prices(price: float, message: MQMessage) -> None:
            seen.append(("all", price, message.raw_message.topic))

        @broker.subscriber(topic="prices/{metal}/{currency}")
        async def one_price(price: float, metal: str = PathParameter(), currency: str = PathParameter()) -> None:
            seen.append(("path", metal, currency))

        @broker.subscriber(topic="prices/#", durable_name="big ones", selector="size > 3")
        async def big(price: float) -> None:
            seen.append(("big", price))

        async def test() -> None:
            await broker.publish(1811.4, topic="prices/gold/usd", headers={"size": 5})
            await broker.publish(2.5, topic="prices/tin", headers={"size": 1})
            await soon(lambda: len(seen) == 4)
            assert sorted(seen, key=repr) == sorted(
                [
                    ("all", 1811.4, "prices/gold/usd"),
                    ("all", 2.5, "prices/tin"),
                    ("path", "gold", "usd"),
                    ("big", 1811.4),
                ],
                key=repr,
            )

        return test

    run(serving, declare)
    assert "big ones" in serving.qm.mqsc("DISPLAY SUB('big ones') TOPICSTR").text


def test_requests_are_answered_by_handlers_and_by_programs_that_do_not_know_faststream(serving: Serving) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        @broker.subscriber("IN")
        async def handle(number: int) -> MQResponse:
            return MQResponse(number * 2, headers={"kind": "double"}, priority=7)

        async def test() -> None:
            answer = await broker.request(21, "IN", timeout=PATIENCE, correlation_id="mine")
            assert await answer.decode() == 42
            assert answer.headers["kind"] == "double" and answer.correlation_id == "mine"
            assert answer.raw_message.priority == 7
            async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn) as other:
                plain = await (await other.queue("IN")).request("4", timeout=PATIENCE)
                assert plain.text == "8" and plain.message_type == 2
            with pytest.raises(TimeoutError):
                await broker.request("x", "OUT", timeout=0.01)

        return test

    run(serving, declare)


def test_selectors_workers_batches_delay_and_expiry(serving: Serving) -> None:
    serving.qm.queue("MANY", create=True)

    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        red: list[str] = []
        batches: list[list[int]] = []
        running = 0
        most = 0

        @broker.subscriber("IN", selector="color = 'red'", max_workers=3)
        async def handle(text: str) -> None:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await soon(lambda: most == 3)
            running -= 1
            red.append(text)

        many = broker.subscriber("MANY", batch=True, max_records=4, batch_wait=PATIENCE)

        @many
        async def handle_many(numbers: list[int]) -> None:
            batches.append(numbers)

        async def test() -> None:
            for number in range(3):
                await broker.publish(f"red {number}", "IN", headers={"color": "red"})
            await broker.publish("blue", "IN", headers={"color": "blue"}, expiry=3600, delay=0.01)
            await broker.publish_batch(1, 2, 3, 4, queue="MANY", persistent=True)
            await soon(lambda: len(red) == 3 and batches)
            assert sorted(red) == ["red 0", "red 1", "red 2"] and batches == [[1, 2, 3, 4]]
            await soon(lambda: texts(serving, "IN") == ["blue"])

        return test

    run(serving, declare)


def test_get_one_is_done_when_it_is_returned_unless_acknowledgement_is_manual(serving: Serving) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        plain = broker.subscriber("IN")
        manual = broker.subscriber("IN", ack_policy=AckPolicy.MANUAL)

        async def test() -> None:
            assert await plain.get_one(timeout=0.01) is None
            for _ in range(3):
                await broker.publish("x", "IN")
            assert await plain.get_one(timeout=PATIENCE) is not None
            message = await manual.get_one(timeout=PATIENCE)
            assert message is not None and len(texts(serving, "IN")) == 1
            await message.nack()
            await soon(lambda: len(texts(serving, "IN")) == 2)
            for _ in range(2):
                message = await manual.get_one(timeout=PATIENCE)
                assert message is not None
            await message.ack()  # The other one is backed out by stop.

        return test

    run(serving, declare)
    until(lambda: serving.qm.queue("IN").depth == 1, "the message that nobody acknowledged is back")


def test_a_handler_that_is_cancelled_by_stop_loses_nothing(serving: Serving) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        started = asyncio.Event()

        @broker.subscriber("IN")
        @broker.publisher("OUT")
        async def handle(text: str) -> str:
            await broker.publish("undone", "OUT")
            started.set()
            await asyncio.Event().wait()
            return text

        async def test() -> None:
            await broker.publish("hello", "IN")
            await started.wait()

        return test

    run(serving, declare, graceful_timeout=0.05)
    until(lambda: texts(serving, "IN") == ["hello"], "the message is back")
    assert texts(serving, "OUT") == [] and texts(serving, "REJECTED") == []


def test_subscribers_go_on_after_the_connection_was_lost(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mqclient.ini").write_text("CHANNELS:\n   ReconDelay=(10,5)(30,10)\n")
    monkeypatch.setenv("MQCLNTCF", str(tmp_path / "mqclient.ini"))

    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        seen: list[str] = []

        @broker.subscriber("IN")
        async def handle(text: str) -> None:
            seen.append(text)

        async def test() -> None:
            await broker.publish("before", "IN")
            await soon(lambda: seen == ["before"])
            await asyncio.to_thread(serving.cut)
            serving.qm.queue("IN").put("after")
            await soon(lambda: seen[-1] == "after")  # "before" is there again if its commit was cut off.
            assert await broker.ping(PATIENCE)

        return test

    run(serving, declare)


def test_ping_says_whether_the_queue_manager_answers(serving: Serving) -> None:
    async def main() -> None:
        broker = MQBroker(url(serving), logger=None, reconnect="no")
        assert not await broker.ping(1.0)
        await broker.start()
        assert await broker.ping(PATIENCE)
        await asyncio.to_thread(serving.cut)
        assert not await broker.ping(PATIENCE)
        await broker.stop()

    asyncio.run(main())


def test_a_queue_that_is_not_there_is_refused_at_start_and_at_a_put(serving: Serving) -> None:
    async def main() -> None:
        broker = MQBroker(url(serving), logger=None)

        @broker.subscriber("NOT.THERE")
        async def handle(text: str) -> None: ...

        with pytest.raises(flintmq.UnknownObject):
            await broker.start()
        with pytest.raises(flintmq.UnknownObject):
            await broker.publish("x", "NOT.THERE")
        with pytest.raises(flintmq.MQError):
            await broker.publish("x", "IN", priority=10)
        await broker.stop()

    asyncio.run(main())


def test_queues_are_created_by_an_administrator_if_the_broker_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    monkeypatch.setenv("MQ_ADMIN_PASSWORD", "secret")
    assert command(["up", "-p", str(port)]) == 0
    seen: list[str] = []

    async def main() -> None:
        where = f"mq://admin:secret@127.0.0.1:{port}/QM1?channel=DEV.ADMIN.SVRCONN"
        broker = MQBroker(where, logger=None, create_queues=True)

        @broker.subscriber("NOW.THERE", create={"bothresh": 3})
        async def handle(text: str) -> None:
            seen.append(text)

        async with broker:
            await broker.start()
            await broker.publish("x", "NOW.THERE")
            await broker.publish("x", "THIS.TOO")
            await soon(lambda: seen)
            async with flintmq.aconnect("QM1", **parse_url(where)[1]) as qm:
                assert "BOTHRESH(3)" in (await qm.mqsc("DISPLAY QLOCAL(NOW.THERE) BOTHRESH")).text
                assert await (await qm.queue("THIS.TOO")).inquire_depth() == 1

    try:
        asyncio.run(asyncio.wait_for(main(), PATIENCE))
    finally:
        assert command(["down"]) == 0


def test_messages_of_other_programs_are_text_by_their_format(serving: Serving) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        seen: list[Any] = []

        @broker.subscriber("IN")
        async def handle(body: Any, message: MQMessage) -> None:
            seen.append((body, message.correlation_id))

        async def test() -> None:
            queue = serving.qm.queue("IN")
            queue.put("plain", correlation_id=b"order 7")
            queue.put('{"a": 1}', correlation_id=b"\x01\x02")
            queue.put(b"\xff\x00")
            await soon(lambda: len(seen) == 3)
            assert seen[0] == ("plain", "order 7")
            assert seen[1] == ({"a": 1}, "0102".ljust(48, "0"))
            assert seen[2][0] == b"\xff\x00"

        return test

    run(serving, declare)


def test_the_url_the_security_and_the_names_of_headers() -> None:
    name, options = parse_url("mq://app:p%40ss@one:1414,two/QM1?channel=C&application=orders")
    assert name == "QM1" and options["conn"] == "one(1414),two(1414)"
    assert options["user"] == "app" and options["password"] == "p@ss" and options["application"] == "orders"
    assert public_url(name, options) == "mq://one:1414,two:1414/QM1?channel=C"
    assert parse_url("mqs://[::1]:1415/Q")[1]["cipher_spec"] == "ANY_TLS12_OR_HIGHER"
    assert parse_url("mqs://[::1]:1415/Q")[1]["conn"] == "::1(1415)"
    for bad in ("amqp://x/Q", "host", "mq://x/Q?nonsense=1"):
        with pytest.raises(SetupError):
            parse_url(bad)
    assert security_options(SASLPlaintext("a", "b", use_ssl=True)) == {
        "cipher_spec": "ANY_TLS12_OR_HIGHER",
        "user": "a",
        "password": "b",
    }
    assert security_options(BaseSecurity()) == {}
    with pytest.raises(SetupError):
        security_options(SASLScram256("a", "b"))
    for header in ("x-request-id", "a b", "1st", "traceparent", "ä"):
        assert header_name(property_name(header)) == header
    assert len(to_correl_id("x" * 100)) == 24 and from_correl_id(bytes(24)) is None
    with pytest.raises(SetupError):
        MQBroker().subscriber("A", topic="b")
    with pytest.raises(SetupError):
        MQBroker().subscriber("A", durable_name="b")
    with pytest.raises(SetupError):
        MQBroker().subscriber("A", max_workers=0)


def test_a_router_gives_its_prefix_to_queues_and_topics(serving: Serving) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        router = MQRouter(prefix="I")
        seen: list[str] = []

        @router.subscriber("N")
        async def handle(text: str) -> None:
            seen.append(text)

        broker.include_router(router)

        async def test() -> None:
            await broker.publish("x", "IN")
            await soon(lambda: seen == ["x"])

        return test

    run(serving, declare)


def test_a_handler_that_raises_nack_is_called_again(serving: Serving) -> None:
    def declare(broker: MQBroker) -> Callable[[], Awaitable[None]]:
        seen: list[int] = []

        @broker.subscriber("IN")
        async def handle(text: str) -> None:
            seen.append(1)
            if len(seen) == 1:
                raise NackMessage

        async def test() -> None:
            await broker.publish("x", "IN")
            await soon(lambda: len(seen) == 2)

        return test

    run(serving, declare)


APPLICATION = """
import asyncio, os, sys
from faststream import FastStream
from flintmq.integrations.faststream import MQBroker

broker = MQBroker(sys.argv[1], logger=None)
log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

@broker.subscriber("IN", max_workers=4)
@broker.publisher("OUT")
async def handle(number: int) -> int:
    await asyncio.sleep(0.001)
    os.write(log, b"%d\\n" % number)
    return number

asyncio.run(FastStream(broker, logger=None).run())
"""


def killed_application(serving: Serving, directory: Path, kills: int) -> tuple[int, int]:
    """Kill an application at work again and again. Returns how many messages there were, and handled twice."""
    script, log = directory / "application.py", directory / "handled"
    script.write_text(APPLICATION)
    log.touch()
    total = 150 * (kills + 1)
    queue = serving.qm.queue("IN")
    for number in range(total):
        queue.put(str(number), persistent=True)
    for kill in range(kills + 1):
        before = log.stat().st_size
        process = subprocess.Popen([sys.executable, str(script), url(serving), str(log)])
        try:
            if kill < kills:
                until(lambda: log.stat().st_size > before + 200, "the application works")  # noqa: B023
            else:
                # CURDEPTH counts uncommitted puts, a browse does not find them.
                until(lambda: serving.qm.queue("OUT").depth == total == len(texts(serving, "OUT")), "all is handled")
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE)
    handled = log.read_text().split()
    out = sorted(int(message.text) for message in serving.qm.queue("OUT").messages())
    assert out == list(range(total)), "each message has exactly one result"
    assert set(map(int, handled)) == set(range(total))
    return total, len(handled) - total


def test_an_application_that_is_killed_at_work_loses_nothing_and_puts_each_result_once(
    serving: Serving, tmp_path: Path
) -> None:
    """A message is handled twice only if its handler was done and its commit was not: at most one for each worker."""
    _, twice = killed_application(serving, tmp_path, KILLS)
    assert 0 <= twice <= 4 * KILLS
