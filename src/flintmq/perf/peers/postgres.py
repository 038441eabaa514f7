"""PostgreSQL: a queue is the rows of a table with its name; NOTIFY wakes those that wait.

A getter deletes the oldest row that nobody has locked (SKIP LOCKED) and gives it back with the same statement; the
transaction of a durable message ends with its acknowledgement. Without `durable` the table is not logged and every
statement is a transaction. A topic is a NOTIFY with the data as text, which cannot be longer than 8000 bytes.
"""

from __future__ import annotations

import base64
import time
from collections import deque
from typing import Any

from flintmq.perf.peers.connection import PeerError, PeerMessage

_TABLES = {True: "perf_durable", False: "perf_fast"}
_TEXT_MAX = 7900


class Postgres:
    """One connection, with one more that listens where it gets."""

    def __init__(self, address: str, durable: bool) -> None:
        import psycopg

        host, _, port = address.rpartition(":")
        self._options: dict[str, Any] = {"host": host, "port": int(port), "user": "perf", "dbname": "postgres"}
        self._psycopg = psycopg
        self._durable = durable
        self._table = _TABLES[durable]
        self._connection: Any = psycopg.connect(autocommit=True, **self._options)
        self._listener: Any = None
        self._arrived: deque[bytes] = deque()
        self._open = False

    def put(self, queue: str, data: bytes, reply_to: str) -> None:
        """Insert a row; outside of the transaction of a getter it is committed."""
        self._connection.execute(
            f"WITH put AS (INSERT INTO {self._table} (queue, reply_to, data) VALUES (%s, %s, %s)) "
            "SELECT pg_notify(%s, '')",
            (queue, reply_to, data, queue),
        )

    def get(self, queue: str, wait_s: float) -> PeerMessage | None:
        """Delete and return the oldest row that is free."""
        until = time.monotonic() + wait_s
        if self._listener is None:
            self._listener = self._psycopg.connect(autocommit=True, **self._options)
            self._listener.execute(f'LISTEN "{queue}"')
        while True:
            if self._durable and not self._open:
                self._connection.execute("BEGIN")
                self._open = True
            row = self._connection.execute(
                f"DELETE FROM {self._table} WHERE id = (SELECT id FROM {self._table} WHERE queue = %s "
                "ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING data, reply_to",
                (queue,),
            ).fetchone()
            if row is not None:
                return PeerMessage(bytes(row[0]), row[1])
            self.acknowledge()
            left = until - time.monotonic()
            if left <= 0:
                return None
            for _ in self._listener.notifies(timeout=left, stop_after=1):
                pass

    def acknowledge(self) -> None:
        """Commit the transaction: gets, and the puts since then."""
        if self._open:
            self._connection.execute("COMMIT")
            self._open = False

    def publish(self, topic: str, data: bytes) -> None:
        """Notify all that listen."""
        text = base64.b64encode(data).decode()
        if len(text) > _TEXT_MAX:
            raise PeerError(f"a notification of PostgreSQL has at most {_TEXT_MAX} bytes")
        self._connection.execute("SELECT pg_notify(%s, %s)", (topic, text))

    def subscribe(self, topic: str) -> None:
        """Listen."""
        self._connection.execute(f'LISTEN "{topic}"')

    def receive(self, wait_s: float) -> bytes | None:
        """Return the next notification."""
        if not self._arrived:
            for each in self._connection.notifies(timeout=wait_s, stop_after=1):
                self._arrived.append(base64.b64decode(each.payload))
        return self._arrived.popleft() if self._arrived else None

    def close(self) -> None:
        """Close both connections."""
        self._connection.close()
        if self._listener is not None:
            self._listener.close()


def prepare(address: str) -> None:
    """Make the tables."""
    one = Postgres(address, False)
    for durable, table in _TABLES.items():
        logged = "" if durable else "UNLOGGED"
        one._connection.execute(
            f"CREATE {logged} TABLE IF NOT EXISTS {table} "
            "(id bigserial PRIMARY KEY, queue text NOT NULL, reply_to text NOT NULL, data bytea NOT NULL)"
        )
        one._connection.execute(f"CREATE INDEX IF NOT EXISTS {table}_queue ON {table} (queue, id)")
    one.close()
