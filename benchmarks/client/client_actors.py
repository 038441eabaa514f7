"""A client process of `bench client`: one role of one workload, on one client library.

    python -m benchmarks.client.client_actors '{"library": "flint_aio", "role": "requester", ...}'

It says `ready`, and for each line with a number on its input does the work so many times and says `done`. A responder
has no number: it answers until the process is ended. The parent reads the CPU clock of the process before and after.

    library     what it is                                    rr           oneway                     publish
    flint       flintmq.connect, threads                      request()    put(wait=False), get_many  publish, subscribe
    flint_aio   flintmq.aconnect, asyncio                     the same     the same                   the same
    flint_uv    the same on uvloop                            the same     the same                   the same
    pika        BlockingConnection, channels of its own       the usual RPC                           a fanout exchange
    aio_pika    asyncio on aiormq                             the same                                the same
    nats        nats-py, core                                 request()                               publish, subscribe
    jetstream   nats-py, JetStream in memory                               50 acknowledged at a time

Subscriptions read ahead (`read_ahead=True`): publications are sent before they are asked for and are lost with the
connection, as those of core NATS are.

One way both sides work in batches: 50 messages are put and then confirmed together (a commit, or acknowledgements that
are all waited for), and 50 are got and then confirmed together.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any

BATCH = 50
SUBSCRIBERS = 6
TIMEOUT_S = 60.0
_DATA: dict[int, bytes] = {}

Work = Callable[[int], None]
AsyncWork = Callable[[int], Awaitable[None]]


@dataclass(frozen=True)
class Role:
    """What a client process does."""

    library: str
    role: str
    at: str
    queue: str
    size: int
    q_mgr: str = ""
    channel: str = ""

    @property
    def data(self) -> bytes:
        """The message."""
        return _DATA.setdefault(self.size, bytes(self.size))

    @property
    def port(self) -> int:
        """Where the server listens."""
        return int(self.at.rpartition(":")[2])

    def as_json(self) -> str:
        """For the command line."""
        return json.dumps(asdict(self))


def main() -> None:
    role = Role(**json.loads(sys.argv[1]))
    gc.freeze()
    if role.library in ("flint", "pika"):
        work = (_flint if role.library == "flint" else _pika)(role)
        print("ready", flush=True)
        for line in sys.stdin:
            work(int(line))
            print("done", flush=True)
        return
    if role.library == "flint_uv":
        import uvloop

        uvloop.run(_asyncio(role))
    else:
        asyncio.run(_asyncio(role))


async def _asyncio(role: Role) -> None:
    makers = {
        "flint_aio": _flint_aio,
        "flint_uv": _flint_aio,
        "aio_pika": _aio_pika,
        "nats": _nats,
        "jetstream": _jetstream,
    }
    work = await makers[role.library](role)
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        await work(int(line))
        print("done", flush=True)


# -- FlintMQ ----------------------------------------------------------------------------------------------------------


def _flint(role: Role) -> Work:
    import flintmq

    host, _, port = role.at.partition(":")
    qm = flintmq.connect(role.q_mgr, channel=role.channel, conn=f"{host}({port})")
    data = role.data
    if role.role == "publisher":
        topic = qm.topic(role.queue)
        return _times(lambda: topic.publish(data))
    if role.role == "subscriber":
        subscriptions = [qm.subscribe(role.queue, read_ahead=True) for _ in range(SUBSCRIBERS)]

        def receive() -> None:
            for subscription in subscriptions:
                subscription.get(wait=TIMEOUT_S)

        return _times(receive)
    queue = qm.queue(role.queue)
    if role.role == "requester":
        return _times(lambda: queue.request(data, timeout=TIMEOUT_S))
    if role.role == "pair":

        def pair() -> None:
            queue.put(data)
            queue.get()

        return _times(pair)
    if role.role == "putter":

        def put() -> None:
            with qm.transaction():
                for _ in range(BATCH):
                    queue.put(data, persistent=False, wait=False)

        return lambda count: _times(put)(count // BATCH)
    if role.role == "getter":

        def get(count: int) -> None:
            while count > 0:
                with qm.transaction():
                    count -= len(queue.get_many(BATCH, wait=TIMEOUT_S))

        return get
    replies: dict[str, flintmq.Queue] = {}
    print("ready", flush=True)
    while True:
        message = queue.get(wait=True)
        to = message.reply_to
        answer = replies.get(to) or replies.setdefault(to, qm.queue(to))
        answer.put(message.data, correlation_id=message.message_id)


def _times(work: Callable[[], object]) -> Work:
    def some(count: int) -> None:
        for _ in range(count):
            work()

    return some


async def _flint_aio(role: Role) -> AsyncWork:
    import flintmq

    host, _, port = role.at.partition(":")
    qm = await flintmq.aconnect(role.q_mgr, channel=role.channel, conn=f"{host}({port})")
    data = role.data
    if role.role == "publisher":
        topic = qm.topic(role.queue)
        return _often(lambda: topic.publish(data))
    if role.role == "subscriber":
        subscriptions = [await qm.subscribe(role.queue, read_ahead=True) for _ in range(SUBSCRIBERS)]

        async def receive(count: int) -> None:
            async def one(subscription: flintmq.AsyncSubscription) -> None:
                for _ in range(count):
                    await subscription.get(wait=TIMEOUT_S)

            await asyncio.gather(*(one(each) for each in subscriptions))

        return receive
    queue = await qm.queue(role.queue)
    if role.role == "requester":
        return _often(lambda: queue.request(data, timeout=TIMEOUT_S))
    if role.role == "pair":

        async def pair() -> None:
            await queue.put(data)
            await queue.get()

        return _often(pair)
    if role.role == "putter":

        async def put() -> None:
            async with qm.transaction():
                for _ in range(BATCH):
                    await queue.put(data, persistent=False, wait=False)

        return lambda count: _often(put)(count // BATCH)
    if role.role == "getter":

        async def get(count: int) -> None:
            while count > 0:
                async with qm.transaction():
                    count -= len(await queue.get_many(BATCH, wait=TIMEOUT_S))

        return get
    replies: dict[str, flintmq.AsyncQueue] = {}
    print("ready", flush=True)
    while True:
        message = await queue.get(wait=True)
        to = message.reply_to
        if to not in replies:
            replies[to] = await qm.queue(to)
        await replies[to].put(message.data, correlation_id=message.message_id)


def _often(work: Callable[[], Awaitable[object]]) -> AsyncWork:
    async def some(count: int) -> None:
        for _ in range(count):
            await work()

    return some


# -- RabbitMQ ---------------------------------------------------------------------------------------------------------


def _pika(role: Role) -> Work:
    import pika  # type: ignore[import-untyped]

    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", role.port))
    channel = connection.channel()
    data = role.data
    if role.role in ("publisher", "subscriber"):
        channel.exchange_declare(role.queue, "fanout")
    if role.role == "publisher":
        return _times(lambda: channel.basic_publish(role.queue, "", data))
    seen: list[object] = []
    if role.role == "subscriber":
        for _ in range(SUBSCRIBERS):
            own = channel.queue_declare("", exclusive=True).method.queue
            channel.queue_bind(own, role.queue)
            channel.basic_consume(own, lambda *_: seen.append(None), auto_ack=True)

        def receive(count: int) -> None:
            while len(seen) < SUBSCRIBERS * count:
                connection.process_data_events(time_limit=1)
            seen.clear()

        return receive
    channel.queue_declare(role.queue)
    if role.role == "requester":
        replies = channel.queue_declare("", exclusive=True).method.queue
        channel.basic_consume(replies, lambda *got: seen.append(got[2].correlation_id), auto_ack=True)

        def request() -> None:
            number = str(uuid.uuid4())
            properties = pika.BasicProperties(reply_to=replies, correlation_id=number)
            channel.basic_publish("", role.queue, data, properties)
            while not seen:
                connection.process_data_events(time_limit=1)
            assert seen.pop() == number

        return _times(request)

    def answer(_: object, method: object, properties: Any, body: bytes) -> None:
        told = pika.BasicProperties(correlation_id=properties.correlation_id)
        channel.basic_publish("", properties.reply_to, body, told)

    channel.basic_consume(role.queue, answer, auto_ack=True)
    print("ready", flush=True)
    channel.start_consuming()
    raise SystemExit


async def _aio_pika(role: Role) -> AsyncWork:
    import aio_pika

    connection = await aio_pika.connect(host="127.0.0.1", port=role.port)
    channel = await connection.channel(publisher_confirms=False)
    data = role.data
    seen: asyncio.Queue[str] = asyncio.Queue()
    if role.role in ("publisher", "subscriber"):
        exchange = await channel.declare_exchange(role.queue, "fanout")
        if role.role == "publisher":
            return _often(lambda: exchange.publish(aio_pika.Message(data), ""))

        async def note(_: object) -> None:
            seen.put_nowait("")

        for _ in range(SUBSCRIBERS):
            own = await channel.declare_queue(exclusive=True)
            await own.bind(exchange)
            await own.consume(note, no_ack=True)

        async def receive(count: int) -> None:
            for _ in range(SUBSCRIBERS * count):
                await seen.get()

        return receive
    queue = await channel.declare_queue(role.queue)
    if role.role == "requester":
        replies = await channel.declare_queue(exclusive=True)

        async def heard(message: Any) -> None:
            seen.put_nowait(message.correlation_id)

        await replies.consume(heard, no_ack=True)

        async def request() -> None:
            number = str(uuid.uuid4())
            message = aio_pika.Message(data, reply_to=replies.name, correlation_id=number)
            await channel.default_exchange.publish(message, role.queue)
            assert await seen.get() == number

        return _often(request)

    async def answer(message: Any) -> None:
        told = aio_pika.Message(message.body, correlation_id=message.correlation_id)
        await channel.default_exchange.publish(told, message.reply_to)

    await queue.consume(answer, no_ack=True)
    print("ready", flush=True)
    await asyncio.Event().wait()
    raise SystemExit


# -- NATS -------------------------------------------------------------------------------------------------------------


async def _nats(role: Role) -> AsyncWork:
    import nats

    connection = await nats.connect(f"nats://{role.at}")
    data = role.data
    if role.role == "publisher":

        async def publish(count: int) -> None:
            for _ in range(count):
                await connection.publish(role.queue, data)
                await connection.flush()

        return publish
    if role.role == "subscriber":
        subscriptions = [await connection.subscribe(role.queue) for _ in range(SUBSCRIBERS)]
        await connection.flush()

        async def receive(count: int) -> None:
            async def one(subscription: Any) -> None:
                for _ in range(count):
                    await subscription.next_msg(timeout=TIMEOUT_S)

            await asyncio.gather(*(one(each) for each in subscriptions))

        return receive
    if role.role == "requester":
        return _often(lambda: connection.request(role.queue, data, timeout=TIMEOUT_S))

    async def answer(message: Any) -> None:
        await message.respond(message.data)

    await connection.subscribe(role.queue, cb=answer)
    await connection.flush()
    print("ready", flush=True)
    await asyncio.Event().wait()
    raise SystemExit


async def _jetstream(role: Role) -> AsyncWork:
    import nats
    from nats.js.api import StorageType, StreamConfig

    connection = await nats.connect(f"nats://{role.at}")
    stream = connection.jetstream()
    data = role.data
    subject = f"js.{role.queue}"
    if role.role == "putter":
        await stream.add_stream(StreamConfig("BENCH", subjects=[subject], storage=StorageType.MEMORY))

        async def put() -> None:
            await asyncio.gather(*(stream.publish(subject, data) for _ in range(BATCH)))

        return lambda count: _often(put)(count // BATCH)
    subscription = await stream.pull_subscribe(subject, "bench")

    async def get(count: int) -> None:
        while count > 0:
            found = await subscription.fetch(BATCH, timeout=TIMEOUT_S)
            for message in found:
                await message.ack()
            await connection.flush()
            count -= len(found)

    return get


if __name__ == "__main__":
    main()
