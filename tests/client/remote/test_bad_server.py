"""A server that does not keep to the protocol: the client says so, ends its connection, and never hangs or breaks.

`Liar` stands between a client and a queue manager and changes what the queue manager says.
"""

from __future__ import annotations

import asyncio
import random
import socket
import struct
import threading
from collections.abc import Callable, Iterator

import pytest

import flintmq
from flintmq.client.remote.session import ClientSession
from flintmq.mqi import reason as rc
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.errors import ChannelError
from flintmq.wire.mq.initial_data import InitialData
from tests.client.remote.serving import CHANNEL, QUEUE, Serving
from tests.waiting import PATIENCE

#: What becomes of the n-th piece of data from the server. After None, or less than there was, it closes the connection.
Lie = Callable[[int, bytes], bytes | None]


class Liar:
    """A proxy that lies."""

    def __init__(self, port: int, lie: Lie) -> None:
        self._target = port
        self._lie = lie
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.conn = f"127.0.0.1({self._listener.getsockname()[1]})"
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            self._sockets += [client, server]
            threading.Thread(target=self._forward, args=(client, server, None), daemon=True).start()
            threading.Thread(target=self._forward, args=(server, client, self._lie), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket, lie: Lie | None) -> None:
        number = 0
        try:
            while data := source.recv(1 << 16):
                if lie is not None:
                    changed = lie(number, data)
                    number += 1
                    if changed is None or len(changed) < len(data):
                        target.sendall(changed or b"")
                        break
                    data = changed
                target.sendall(data)
        except OSError:
            pass
        for each in (source, target):
            hang_up(each)

    def close(self) -> None:
        self._listener.close()
        for each in self._sockets:
            hang_up(each)


def hang_up(opened: socket.socket) -> None:
    try:
        opened.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


@pytest.fixture
def lying(serving: Serving) -> Iterator[Callable[[Lie], Liar]]:
    made: list[Liar] = []

    def make(lie: Lie) -> Liar:
        made.append(Liar(serving.port, lie))
        return made[-1]

    yield make
    for each in made:
        each.close()


def work(conn: str) -> None:
    """Connect, put, get, subscribe, disconnect."""
    with flintmq.connect("QM1", channel=CHANNEL, conn=conn, timeout=PATIENCE) as qm:
        queue = qm.queue(QUEUE)
        queue.put(b"x" * 40_000, properties={"color": "red"})
        assert queue.depth >= 1
        queue.get(wait=0.1)
        with qm.subscribe("a/b") as subscription:
            qm.topic("a/b").publish("text")
            subscription.get(wait=0.1)


def replaced(number: int, what: Callable[[bytes], bytes | None]) -> Lie:
    """Change the piece `number`, and no other."""
    return lambda n, data: what(data) if n == number else data


def changed(data: bytes, at: int, value: bytes) -> bytes:
    """A segment with something else at the place `at` of a header without conversation."""
    at += 8 if data[3:4] == b"M" else 0
    return data[:at] + value + data[at + len(value) :]


#: A segment that says that it is longer than any may be.
_TOO_LONG = b"TSH " + struct.pack(">I", 0x7FFFFFFF) + bytes(20)
_UNKNOWN = seg.write(0x33, seg.ONLY, False, seg.tail(False, 1208), b"")
_EBCDIC_NONSENSE = b"\xe3\xe2\xc8\x40" + struct.pack(">I", 28) + bytes([7]) * 20


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4])
@pytest.mark.parametrize(
    "what",
    [
        lambda data: None,
        lambda data: b"HTTP/1.1 400 Bad Request\r\n\r\n",
        lambda data: _TOO_LONG,
        lambda data: _UNKNOWN,
        lambda data: _EBCDIC_NONSENSE,
        lambda data: data[:30] + b"\xff" * (len(data) - 30),
        lambda data: changed(data, 9, bytes([0x9A])),
        lambda data: changed(data, 8, bytes([3])),
        lambda data: changed(data, 24, b"\xff\xff"),
        lambda data: data[:11] + bytes([7]) + data[12:],
    ],
    ids=[
        "closes",
        "http",
        "too-long",
        "unknown",
        "ebcdic",
        "ones",
        "other-answer",
        "byte-order",
        "ccsid",
        "conversation",
    ],
)
def test_what_is_not_the_protocol_ends_the_connection(
    lying: Callable[[Lie], Liar], number: int, what: Callable[[bytes], bytes | None]
) -> None:
    with pytest.raises(flintmq.MQError):
        work(lying(replaced(number, what)).conn)


@pytest.mark.parametrize("at", [4, 40, 100])
def test_a_connection_that_breaks_in_the_middle_of_an_answer_says_so(lying: Callable[[Lie], Liar], at: int) -> None:
    liar = lying(lambda n, data: data[:at] if n == 3 else data)
    with pytest.raises(flintmq.NotConnected) as broken:
        work(liar.conn)
    assert broken.value.reason == rc.MQRC_CONNECTION_BROKEN and liar.conn in str(broken.value)


def test_a_message_that_is_shorter_than_it_says_is_no_message(serving: Serving, lying: Callable[[Lie], Liar]) -> None:
    serving.qm.queue(QUEUE).put(b"0123456789")

    def longer(n: int, data: bytes) -> bytes:
        return data.replace(struct.pack("<i", 10) + b"0123456789", struct.pack("<i", 9999) + b"0123456789")

    with flintmq.connect("QM1", channel=CHANNEL, conn=lying(longer).conn) as qm:
        queue = qm.queue(QUEUE)
        with pytest.raises(flintmq.NotConnected, match="9999 bytes"):
            queue.get()
        with pytest.raises(flintmq.NotConnected):
            queue.put(b"")


def test_a_server_that_says_nothing_is_given_up(lying: Callable[[Lie], Liar]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        conn = f"127.0.0.1({silent.getsockname()[1]})"
        with pytest.raises(flintmq.NotConnected):
            flintmq.connect("QM1", channel=CHANNEL, conn=conn, timeout=0.2)

        async def test() -> None:
            with pytest.raises(flintmq.NotConnected):
                await flintmq.aconnect("QM1", channel=CHANNEL, conn=conn, timeout=0.2)

        asyncio.run(test())


def test_an_offer_that_is_never_accepted_has_an_end() -> None:
    session = ClientSession(CHANNEL, "QM1")
    session.offer()
    answer = InitialData()
    answer.fap_level, answer.max_transmission_size, answer.max_message_size = 12, 32748, 4096
    answer.cap_flags_1, answer.init_err_flags_1 = 0x26, 0x10
    refusal = seg.write(seg.INITIAL_DATA, seg.ERROR, False, seg.tail(False, 1208), answer.pack(False, 1208))
    with pytest.raises(ChannelError, match="10 rounds"):
        for _ in range(11):
            session.out.clear()
            session.received(refusal)
            assert len(session.out) == 1


@pytest.mark.parametrize("seed", range(30))
def test_bytes_that_are_turned_over_do_no_harm(serving: Serving, lying: Callable[[Lie], Liar], seed: int) -> None:
    chance = random.Random(seed)
    victim = chance.randrange(12)

    def flip(n: int, data: bytes) -> bytes | None:
        if n > victim + 2:
            return None  # A length that grew would be waited for.
        if n != victim:
            return data
        changed = bytearray(data)
        for _ in range(chance.randrange(1, 6)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        return bytes(changed)

    liar = lying(flip)
    done = threading.Event()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work(liar.conn)
        except flintmq.MQError:
            pass
        except BaseException as error:
            failures.append(error)
        done.set()

    threading.Thread(target=run, daemon=True).start()
    if not done.wait(1.0):
        liar.close()
        assert done.wait(PATIENCE), "the client hangs"
    assert not failures, failures
    with serving.connect() as qm:  # The queue manager is unharmed.
        qm.queue(QUEUE).put(b"")
