"""`flintmq.pool`: connections for threads that need one for a moment each.

    pool = flintmq.pool("QM1", size=4, channel="DEV.APP.SVRCONN", conn="host(1414)")
    with pool.connection() as connection:
        connection.queue("ORDERS").put(b"hello")
    pool.close()

Uncommitted work of a connection is backed out when it is returned. A broken connection is not lent again; another is
made in its place when it is needed.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self, Unpack

from flintmq.client.remote.connect import Options, RemoteQueueManager, connect
from flintmq.client.remote.connection import RemoteConnection
from flintmq.mqi.call_errors import MQError, NotConnected
from flintmq.mqi.reason import MQRC_MAX_CONNS_LIMIT_REACHED


class ConnectionPool:
    """Up to `size` connections to a queue manager. Made by `flintmq.pool`."""

    def __init__(self, qm: RemoteQueueManager, size: int) -> None:
        if size < 1:
            raise ValueError(f"a pool has one connection or more, not {size}")
        self._qm = qm
        self.size = size
        self._free: deque[RemoteConnection] = deque()
        self._out = 0
        self._changed = threading.Condition()

    @property
    def name(self) -> str:
        """Return the queue manager's name."""
        return self._qm.name

    @property
    def in_use(self) -> int:
        """Return the number of connections that are lent."""
        return self._out

    @contextmanager
    def connection(self, timeout: float | None = None) -> Iterator[RemoteConnection]:
        """Lend a connection for a block. If all are in use, wait for one, at most `timeout` seconds (2025)."""
        taken = self._take(timeout)
        try:
            yield taken
        finally:
            self._give(taken)

    def _take(self, timeout: float | None) -> RemoteConnection:
        end = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            while True:
                if self._qm.closed:
                    raise NotConnected(f"the pool of connections to {self._qm.name} is closed")
                while self._free:
                    found = self._free.pop()
                    if found._usable() and not (found._mqi.reconnect is None and found._mqi.wire.is_dead()):
                        self._out += 1
                        return found
                    found._mqi.wire.drop()
                if self._out < self.size:
                    self._out += 1
                    break
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    text = (
                        f"all {self.size} connections of the pool to {self._qm.name} were in use for {timeout} seconds"
                    )
                    raise MQError(text, MQRC_MAX_CONNS_LIMIT_REACHED)
                self._changed.wait(left)
        try:
            return self._qm.connect()
        except BaseException:
            with self._changed:
                self._out -= 1
                self._changed.notify()
            raise

    def _give(self, connection: RemoteConnection) -> None:
        """Return a connection to the pool. Its uncommitted work is backed out."""
        try:
            connection._in_transaction = connection._unsettled = False
            if connection._mqi.has_work and connection._usable():
                connection._backout()
        except MQError:
            connection._mqi.wire.drop()
        with self._changed:
            self._out -= 1
            if self._qm.closed or not connection._usable():
                connection.close()
            else:
                self._free.append(connection)
            self._changed.notify()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect all; connections that are lent are closed when they are returned."""
        with self._changed:
            self._qm._closed = True
            free, self._free = self._free, deque()
            self._changed.notify_all()
        for connection in free:
            connection.close()
        self._qm._forget_own()


def pool(name: str = "", *, size: int = 10, **options: Unpack[Options]) -> ConnectionPool:
    """Make a pool of connections to the queue manager `name`; the other arguments are those of `flintmq.connect`."""
    return ConnectionPool(connect(name, **options), size)
