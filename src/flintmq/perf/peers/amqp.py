"""RabbitMQ by AMQP 0-9-1, the part that a driver needs: declare, publish with confirms, consume, acknowledge.

frame     octet type (1 method, 2 header, 3 body, 8 heartbeat), uint16 channel, uint32 length, payload, 0xCE
method    uint16 class, uint16 method, arguments
header    uint16 class, uint16 0, uint64 length of the body, uint16 flags, properties that the flags name
"""

from __future__ import annotations

import struct
import time
from collections import deque

from flintmq.perf.peers.connection import TIMEOUT_S, PeerError, PeerMessage, Wire

_FRAME = struct.Struct(">BHI")
_END = b"\xce"
_BODY_MAX = 131_072 - 8
_DELIVERY_MODE, _REPLY_TO = 0x1000, 0x0200
_PREFETCH = 50
_ATTEMPTS = 5


def short(text: str) -> bytes:
    """Return a short string."""
    return bytes([len(text)]) + text.encode()


def long(data: bytes) -> bytes:
    """Return a long string."""
    return struct.pack(">I", len(data)) + data


def frame(kind: int, channel: int, payload: bytes) -> bytes:
    """Return a frame."""
    return _FRAME.pack(kind, channel, len(payload)) + payload + _END


def method(channel: int, family: int, number: int, arguments: bytes) -> bytes:
    """Return a method frame."""
    return frame(1, channel, struct.pack(">HH", family, number) + arguments)


class Amqp:
    """One connection with one channel. `kind` is classic or quorum."""

    def __init__(self, address: str, durable: bool, kind: str) -> None:
        self._address = address
        self._durable = durable
        self._kind = kind
        self._declared: set[str] = set()
        self._consumed = ""
        self._arrived: deque[PeerMessage] = deque()
        self._delivering: tuple[int, int, str, list[bytes]] | None = None
        self._tag = 0
        self._last_tag = 0
        self._confirmed = 0
        self._published = 0
        self._confirms = False
        self._received = 0
        self._greet()

    def _greet(self) -> None:
        self._wire = Wire(self._address)
        self._wire.send(b"AMQP\0\0\x09\x01")
        self._expect(10, 10)
        response = long(b"\0guest\0guest")
        self._wire.send(method(0, 10, 11, bytes(4) + short("PLAIN") + response + short("en_US")))
        self._expect(10, 30)
        self._wire.send(method(0, 10, 31, struct.pack(">HIH", 16, 131_072, 0)))
        self._wire.send(method(0, 10, 40, short("/") + b"\0\0"))
        self._expect(10, 41)
        self._call((20, 10), b"\0", (20, 11))
        if self._durable:
            self._select_confirms()
        self._call((60, 10), struct.pack(">IHB", 0, _PREFETCH, 0), (60, 11))

    def _select_confirms(self) -> None:
        """Ask for a confirm of each message that is published from now on."""
        self._call((85, 10), b"\0", (85, 11))
        self._confirms = True

    def _call(self, asked: tuple[int, int], arguments: bytes, answer: tuple[int, int]) -> bytes:
        self._wire.send(method(1, *asked, arguments))
        return self._expect(*answer)

    def _call_again(self, asked: tuple[int, int], arguments: bytes, answer: tuple[int, int]) -> None:
        """Make a call on a queue that another client may be declaring.

        RabbitMQ closes the connection with an internal error while the process of a new quorum queue has not started.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._call(asked, arguments, answer)
                return
            except PeerError as error:
                if "INTERNAL_ERROR" not in str(error) or attempt == _ATTEMPTS:
                    raise
            self._wire.close()
            time.sleep(0.2 * attempt)
            self._greet()

    def _expect(self, family: int, number: int) -> bytes:
        """Wait for a method, taking deliveries and confirms on the way."""
        until = time.monotonic() + TIMEOUT_S
        while True:
            found = self._next(until)
            if found is None:
                raise PeerError(f"RabbitMQ has not answered with {family}.{number}")
            if found[:2] == (family, number):
                return found[2]

    def _next(self, until: float) -> tuple[int, int, bytes] | None:
        """Read frames until a method that the caller must handle; None at the end of the time."""
        while True:
            if len(self._wire.held) < 7:
                if not self._wire.more(until):
                    return None
                continue
            kind, _, length = _FRAME.unpack_from(self._wire.held)
            if len(self._wire.held) < length + 8:
                if not self._wire.more(until):
                    return None
                continue
            payload = bytes(self._wire.held[7 : 7 + length])
            del self._wire.held[: length + 8]
            if kind == 1:
                family, number = struct.unpack_from(">HH", payload)
                if (family, number) == (60, 60):
                    self._begin(payload)
                    continue
                if (family, number) == (60, 80):
                    (self._confirmed,) = struct.unpack_from(">Q", payload, 4)
                if (family, number) in ((10, 50), (20, 40)):
                    said = payload[7 : 7 + payload[6]].decode(errors="replace")
                    raise PeerError(f"RabbitMQ has closed the connection: {said}")
                return family, number, payload[4:]
            if kind == 2:
                self._header(payload)
            elif kind == 3:
                self._content(payload)
            if self._arrived and self._delivering is None:
                return 0, 0, b""

    def _begin(self, payload: bytes) -> None:
        at = 5 + payload[4]
        (tag,) = struct.unpack_from(">Q", payload, at)
        self._delivering = (tag, 0, "", [])

    def _header(self, payload: bytes) -> None:
        assert self._delivering is not None
        length, flags = struct.unpack_from(">QH", payload, 4)
        at, reply_to = 14, ""
        if flags & _DELIVERY_MODE:
            at += 1
        if flags & _REPLY_TO:
            reply_to = payload[at + 1 : at + 1 + payload[at]].decode()
        self._delivering = (self._delivering[0], length, reply_to, [])
        if not length:
            self._content(b"")

    def _content(self, payload: bytes) -> None:
        assert self._delivering is not None
        tag, length, reply_to, parts = self._delivering
        parts.append(payload)
        if sum(map(len, parts)) >= length:
            self._arrived.append(PeerMessage(b"".join(parts), reply_to, struct.pack(">Q", tag)))
            self._delivering = None

    def _named(self, queue: str) -> str:
        """Return the name at the broker: a queue of another kind is another queue."""
        return f"{queue}.{self._kind}.{'durable' if self._durable else 'fast'}"

    def _declare(self, queue: str) -> None:
        if queue in self._declared:
            return
        table = short("x-queue-type") + b"S" + long(self._kind.encode())
        durable = 2 if self._durable or self._kind == "quorum" else 0
        arguments = bytes(2) + short(self._named(queue)) + bytes([durable]) + long(table)
        self._call_again((50, 10), arguments, (50, 11))
        self._declared.add(queue)

    def _publish(self, exchange: str, key: str, data: bytes, reply_to: str) -> None:
        flags = (_DELIVERY_MODE if self._durable else 0) | (_REPLY_TO if reply_to else 0)
        properties = (b"\2" if self._durable else b"") + (short(reply_to) if reply_to else b"")
        parts = [method(1, 60, 40, bytes(2) + short(exchange) + short(key) + b"\0")]
        parts.append(frame(2, 1, struct.pack(">HHQH", 60, 0, len(data), flags) + properties))
        parts += [frame(3, 1, data[at : at + _BODY_MAX]) for at in range(0, len(data), _BODY_MAX)]
        self._wire.send(b"".join(parts))
        if not self._confirms:
            return
        self._published += 1
        until = time.monotonic() + TIMEOUT_S
        while self._confirmed < self._published:
            if self._next(until) is None:
                raise PeerError("RabbitMQ has not confirmed a message")

    def put(self, queue: str, data: bytes, reply_to: str) -> None:
        """Publish to a queue by the default exchange; with `durable` wait for the confirm."""
        self._declare(queue)
        self._publish("", self._named(queue), data, reply_to)

    def get(self, queue: str, wait_s: float) -> PeerMessage | None:
        """Return the next delivery. A connection consumes from one queue."""
        if self._consumed != queue:
            if self._consumed:
                raise PeerError("a connection consumes from one queue")
            self._declare(queue)
            no_acknowledge = 0 if self._durable else 2
            arguments = bytes(2) + short(self._named(queue)) + short("") + bytes([no_acknowledge]) + bytes(4)
            self._call_again((60, 20), arguments, (60, 21))
            self._consumed = queue
        until = time.monotonic() + wait_s
        while not self._arrived:
            if self._next(until) is None:
                return None
        message = self._arrived.popleft()
        (self._tag,) = struct.unpack(">Q", message.message_id)
        return message

    def acknowledge(self) -> None:
        """Acknowledge all deliveries that were got."""
        if self._durable and self._tag > self._last_tag:
            self._wire.send(method(1, 60, 80, struct.pack(">QB", self._tag, 1)))
            self._last_tag = self._tag

    def publish(self, topic: str, data: bytes) -> None:
        """Publish to a fan-out exchange and wait for the confirm, or the publisher would outrun the subscribers."""
        if not self._confirms:
            self._select_confirms()
        self._exchange(topic)
        self._publish(topic, "", data, "")

    def _exchange(self, topic: str) -> None:
        if topic not in self._declared:
            self._call((40, 10), bytes(2) + short(topic) + short("fanout") + b"\0" + bytes(4), (40, 11))
            self._declared.add(topic)

    def subscribe(self, topic: str) -> None:
        """Bind a queue of this connection's own to the exchange and consume from it."""
        self._exchange(topic)
        answer = self._call((50, 10), bytes(2) + short("") + b"\x04" + bytes(4), (50, 11))
        queue = answer[1 : 1 + answer[0]].decode()
        self._call((50, 20), bytes(2) + short(queue) + short(topic) + short("") + b"\0" + bytes(4), (50, 21))
        self._call((60, 20), bytes(2) + short(queue) + short("") + b"\0" + bytes(4), (60, 21))

    def receive(self, wait_s: float) -> bytes | None:
        """Return the next publication.

        Every 25th is acknowledged, and those before it. Without acknowledgements the server sends all that it has, and
        disconnects a subscriber that does not read for half a minute, as between two repeats.
        """
        until = time.monotonic() + wait_s
        while not self._arrived:
            if self._next(until) is None:
                return None
        message = self._arrived.popleft()
        self._received += 1
        if self._received % (_PREFETCH // 2) == 0:
            self._wire.send(method(1, 60, 80, struct.pack(">8sB", message.message_id, 1)))
        return message.data

    def close(self) -> None:
        """Close the connection."""
        self._wire.close()


def classic(address: str, durable: bool) -> Amqp:
    """Open a connection that uses classic queues."""
    return Amqp(address, durable, "classic")


def quorum(address: str, durable: bool) -> Amqp:
    """Open a connection that uses quorum queues."""
    return Amqp(address, durable, "quorum")
