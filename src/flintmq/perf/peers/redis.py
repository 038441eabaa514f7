"""Redis: a queue is a list, LPUSH and BRPOP; a topic is a channel.

Durable messages are moved by BLMOVE to a list of the connection's own and removed from it by LREM when they are
acknowledged: what a client that died had got is still there. The name of the reply queue goes before the data.
"""

from __future__ import annotations

import time
import uuid
from typing import Any

from flintmq.perf.peers.connection import TIMEOUT_S, PeerError, PeerMessage, Wire

_NAME = 64


class Redis:
    """One connection."""

    def __init__(self, address: str, durable: bool) -> None:
        self._wire = Wire(address)
        self._durable = durable
        self._own = f"perf:pending:{uuid.uuid4().hex}"
        self._pending: list[bytes] = []

    def _send(self, *words: bytes) -> None:
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            parts += [b"$%d\r\n" % len(word), word, b"\r\n"]
        self._wire.send(b"".join(parts))

    def _read(self, until: float) -> Any:
        """Return one reply. Raise TimeoutError if it does not begin in time, PeerError where it is an error."""
        line = self._wire.line(until)
        if line is None:
            raise TimeoutError
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            raise PeerError(f"Redis says {rest.decode(errors='replace')}")
        if kind == b":":
            return int(rest)
        if kind == b"$":
            if int(rest) < 0:
                return None
            data = self._wire.exactly(int(rest) + 2, time.monotonic() + TIMEOUT_S)
            if data is None:
                raise PeerError("Redis has sent a part of a reply")
            return data[:-2]
        if kind == b"*":
            return None if int(rest) < 0 else [self._read(time.monotonic() + TIMEOUT_S) for _ in range(int(rest))]
        return rest

    def _ask(self, *words: bytes, wait_s: float = TIMEOUT_S) -> Any:
        self._send(*words)
        return self._read(time.monotonic() + wait_s)

    def put(self, queue: str, data: bytes, reply_to: str) -> None:
        """Push a message; Redis answers every push."""
        self._ask(b"LPUSH", queue.encode(), reply_to.encode().ljust(_NAME) + data)

    def get(self, queue: str, wait_s: float) -> PeerMessage | None:
        """Pop the oldest message."""
        wait = b"%.3f" % max(0.01, wait_s)
        if self._durable:
            found = self._ask(
                b"BLMOVE", queue.encode(), self._own.encode(), b"RIGHT", b"LEFT", wait, wait_s=wait_s + TIMEOUT_S
            )
            if found is None:
                return None
            self._pending.append(found)
        else:
            popped = self._ask(b"BRPOP", queue.encode(), wait, wait_s=wait_s + TIMEOUT_S)
            if popped is None:
                return None
            found = popped[1]
        return PeerMessage(found[_NAME:], found[:_NAME].decode().strip())

    def acknowledge(self) -> None:
        """Remove acknowledged messages from the list of this connection."""
        for each in self._pending:
            self._ask(b"LREM", self._own.encode(), b"1", each)
        self._pending.clear()

    def publish(self, topic: str, data: bytes) -> None:
        """Publish to a channel."""
        self._ask(b"PUBLISH", topic.encode(), data)

    def subscribe(self, topic: str) -> None:
        """Subscribe to a channel."""
        self._ask(b"SUBSCRIBE", topic.encode())

    def receive(self, wait_s: float) -> bytes | None:
        """Return the next publication."""
        try:
            found = self._read(time.monotonic() + wait_s)
        except TimeoutError:
            return None
        data: bytes = found[2]
        return data

    def close(self) -> None:
        """Close the connection."""
        self._wire.close()
