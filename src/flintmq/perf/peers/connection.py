"""The interface of a broker to drivers, and its view as a queue manager with queues, topics and transactions.

A `Connection` belongs to one thread. With `durable` a put returns when the message is as safe as the broker can make
it, and a message that was got is acknowledged at the end of the transaction, or at once outside of one.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

READ = 1 << 18
TIMEOUT_S = 30.0


class PeerError(Exception):
    """A broker has refused a request or closed the connection. The text has its reason."""


@dataclass
class PeerMessage:
    """A message that was got."""

    data: bytes
    reply_to: str = ""
    message_id: bytes = b""
    correlation_id: bytes = b""
    properties: None = None


class Connection(Protocol):
    """One connection to a broker, used by one thread."""

    def put(self, queue: str, data: bytes, reply_to: str) -> None:
        """Put a message. Return when it is as safe as `durable` asks."""

    def get(self, queue: str, wait_s: float) -> PeerMessage | None:
        """Return the next message, None if none comes in time."""

    def acknowledge(self) -> None:
        """Acknowledge all that was got since the last time."""

    def publish(self, topic: str, data: bytes) -> None:
        """Publish a message."""

    def subscribe(self, topic: str) -> None:
        """Subscribe; `receive` returns later publications."""

    def receive(self, wait_s: float) -> bytes | None:
        """Return the next publication, None if none comes in time."""

    def close(self) -> None:
        """End the connection."""


class Wire:
    """A blocking socket with a buffer."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.held = bytearray()

    def send(self, data: bytes) -> None:
        """Send everything."""
        self.socket.sendall(data)

    def more(self, until: float) -> bool:
        """Read available data; return whether any arrived before `until`. Raise PeerError at the end."""
        left = until - time.monotonic()
        if left <= 0:
            return False
        self.socket.settimeout(left)
        try:
            data = self.socket.recv(READ)
        except TimeoutError:
            return False
        finally:
            self.socket.settimeout(TIMEOUT_S)
        if not data:
            raise PeerError("the broker has closed the connection")
        self.held += data
        return True

    def exactly(self, count: int, until: float) -> bytes | None:
        """Return that many bytes and take them, None if they do not come in time."""
        while len(self.held) < count:
            if not self.more(until):
                return None
        data = bytes(self.held[:count])
        del self.held[:count]
        return data

    def line(self, until: float) -> bytes | None:
        """Return a line without its end, None if none comes in time."""
        start = 0
        while (end := self.held.find(b"\r\n", start)) < 0:
            start = max(0, len(self.held) - 1)
            if not self.more(until):
                return None
        line = bytes(self.held[:end])
        del self.held[: end + 2]
        return line

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()


Opener = Callable[[str, bool], Connection]


class PeerManager:
    """The view of a broker as a queue manager. Each thread has a connection of its own."""

    def __init__(self, opener: Opener, address: str, durable: bool, subscribers: int = 1) -> None:
        self._open = opener
        self.address = address
        self.durable = durable
        self.subscribers = subscribers
        self._mine = threading.local()
        self._all: list[Connection] = []
        self._lock = threading.Lock()
        #: Messages of a queue, or copies of a topic, that this process has put and not got: they hold putters back.
        self.outstanding: defaultdict[str, int] = defaultdict(int)
        self.mqi = None

    @property
    def connection(self) -> Connection:
        """Return the connection of this thread."""
        found: Connection | None = getattr(self._mine, "connection", None)
        if found is None:
            found = self._mine.connection = self._open(self.address, self.durable)
            self._mine.inside = False
            with self._lock:
                self._all.append(found)
        return found

    def counted(self, name: str, by: int) -> None:
        """Count messages in flight."""
        with self._lock:
            self.outstanding[name] += by

    def queue(self, name: str, **options: Any) -> PeerQueue:
        """Return a queue."""
        return PeerQueue(self, name)

    def topic(self, name: str) -> PeerTopic:
        """Return a topic."""
        return PeerTopic(self, name)

    def subscribe(self, name: str, **options: Any) -> PeerSubscription:
        """Subscribe this thread to a topic."""
        self.connection.subscribe(name)
        return PeerSubscription(self, name)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Acknowledge the messages of the block at its end."""
        connection = self.connection
        self._mine.inside = True
        try:
            yield
        finally:
            self._mine.inside = False
        connection.acknowledge()

    def got(self) -> None:
        """Acknowledge at once outside of a transaction."""
        if not self._mine.inside:
            self.connection.acknowledge()

    def close(self) -> None:
        """Close all connections."""
        for each in self._all:
            try:
                each.close()
            except (OSError, PeerError):
                pass


class PeerQueue:
    """A queue, as roles use it."""

    def __init__(self, manager: PeerManager, name: str) -> None:
        self.manager = manager
        self.name = name

    @property
    def depth(self) -> int:
        """Return the messages under way from this process."""
        return self.manager.outstanding[self.name]

    def listen(self) -> None:
        """Start to consume from the queue, before the first message for this thread is put."""
        self.manager.connection.get(self.name, 0.001)

    def put(self, data: bytes, *, reply_to: str = "", **options: Any) -> bytes:
        """Put a message; ids are the business of the broker."""
        self.manager.connection.put(self.name, data, reply_to)
        self.manager.counted(self.name, 1)
        return b""

    def get(self, *, wait: float, **options: Any) -> PeerMessage:
        """Get a message. Raise PeerError if none comes in time."""
        message = self.get_or_none(wait=wait)
        if message is None:
            raise PeerError(f"no message on {self.name} within {wait:g} s")
        return message

    def get_or_none(self, *, wait: float, **options: Any) -> PeerMessage | None:
        """Get a message, None if none comes in time."""
        message = self.manager.connection.get(self.name, wait)
        if message is not None:
            self.manager.got()
            self.manager.counted(self.name, -1)
        return message


class PeerTopic:
    """A topic, as roles use it."""

    def __init__(self, manager: PeerManager, name: str) -> None:
        self.manager = manager
        self.name = name

    def publish(self, data: bytes, **options: Any) -> None:
        """Publish a message."""
        self.manager.connection.publish(self.name, data)
        self.manager.counted(self.name, self.manager.subscribers)


class PeerSubscription:
    """A subscription of the thread that made it."""

    def __init__(self, manager: PeerManager, name: str) -> None:
        self.manager = manager
        self.name = name

    def get_or_none(self, *, wait: float, **options: Any) -> PeerMessage | None:
        """Get a publication, None if none comes in time."""
        data = self.manager.connection.receive(wait)
        if data is None:
            return None
        self.manager.counted(self.name, -1)
        return PeerMessage(data)
