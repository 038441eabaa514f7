"""Statements with values on one connection of PostgreSQL, sent by libpq without a cursor of psycopg.

    statements = Statements(connection, 100)
    statements.execute(b"INSERT INTO t VALUES ($1)", [7], begin=b"BEGIN")

A cursor of psycopg takes 50 us of CPU for a short statement, half of it in generators that wait for the socket. These
calls block in libpq, as an instance has nothing else to do; psycopg converts the values. BEGIN is sent together with
the first statement of a transaction (pipeline mode of libpq), if that is prepared: one round trip in place of two.

A statement that comes for the PREPARED_AT-th time with values of the same types is prepared. At most `most` statements
are, the one that was not used for longest makes room. A prepared statement that fails is given up, because its table
may be another one now; it is prepared again when it comes again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final, cast

import psycopg
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGresult

from flintmq.broker.databases import from_database
from flintmq.broker.esql.run import Rows

PREPARED_AT: Final = 5
#: Statements that are counted until they are prepared.
_COUNTED_MAX: Final = 1000
_PIPELINE_RESULTS_MAX: Final = 8

#: Text and types of the values.
Key = tuple[bytes, tuple[int, ...]]


def run_command(connection: psycopg.Connection[tuple[Any, ...]], sql: bytes) -> str:
    """Run a statement that has neither parameters nor rows; return its command tag. Raise psycopg.Error."""
    result = connection.pgconn.exec_(sql)
    if result.status != ExecStatus.COMMAND_OK:
        raise error_from_result(result)
    return (result.command_status or b"").decode()


class Statements:
    """The statements of one connection. Used by one thread."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]], most: int) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        self._values = Transformer(connection)
        self._most = most
        self._prepared: OrderedDict[Key, bytes] = OrderedDict()
        self._counts: dict[Key, int] = {}
        #: Prepared statements that the server has, and nobody uses.
        self._abandoned: list[bytes] = []
        self._number = 0
        #: Whether the last BEGIN was answered.
        self.has_begun = True

    def execute(self, sql: bytes, values: Sequence[Any], begin: bytes = b"") -> Rows:
        """Run a statement with the markers `$1`, `$2` ...; with `begin` after that command. Raise psycopg.Error."""
        self.has_begun = not begin
        # None stands for NULL.
        data = cast("Sequence[bytes]", self._values.dump_sequence(values, [PyFormat.AUTO] * len(values)))
        key = sql, tuple(self._values.types or ())
        name = self._prepared.get(key)
        if name is not None:
            self._prepared.move_to_end(key)
            if begin and not self._abandoned:
                result = self._execute_with_begin(begin, name, data)
            else:
                self._begin(begin)
                result = self._pgconn.exec_prepared(name, data, self._values.formats)
        else:
            self._begin(begin)
            name = self._prepare(key)
            if name is not None:
                result = self._pgconn.exec_prepared(name, data, self._values.formats)
            else:
                result = self._pgconn.exec_params(sql, data, key[1], self._values.formats)
        try:
            return self._rows(result)
        except psycopg.Error:
            self._abandon(key)
            raise

    def _begin(self, begin: bytes) -> None:
        if begin:
            run_command(self._connection, begin)
            self.has_begun = True
        while self._abandoned:
            run_command(self._connection, b"DEALLOCATE " + self._abandoned[-1])
            self._abandoned.pop()

    def _execute_with_begin(self, begin: bytes, name: bytes, data: Sequence[bytes]) -> PGresult:
        """Send BEGIN and a prepared statement with one write; return the result of the statement."""
        pgconn = self._pgconn
        found: list[PGresult] = []
        pgconn.enter_pipeline_mode()
        try:
            pgconn.send_query_params(begin, None)
            pgconn.send_query_prepared(name, data, self._values.formats)
            pgconn.pipeline_sync()
            for _ in range(_PIPELINE_RESULTS_MAX):
                result = pgconn.get_result()  # None after the results of each statement.
                if result is not None:
                    if result.status == ExecStatus.PIPELINE_SYNC:
                        break
                    found.append(result)
                elif pgconn.status == ConnStatus.BAD:
                    break
        finally:
            if pgconn.status != ConnStatus.BAD:
                pgconn.exit_pipeline_mode()
        if not found:
            raise psycopg.OperationalError("the connection was lost")
        if found[0].status != ExecStatus.COMMAND_OK:
            raise error_from_result(found[0])
        self.has_begun = True
        if len(found) < 2:
            raise psycopg.OperationalError("the connection was lost")
        return found[1]

    def _rows(self, result: PGresult) -> Rows:
        status = result.status
        if status == ExecStatus.TUPLES_OK:
            self._values.set_pgresult(result)
            encoding = self._values.encoding
            columns = [(result.fname(number) or b"").decode(encoding) for number in range(result.nfields)]
            rows = self._values.load_rows(0, result.ntuples, tuple)
            return Rows(columns, [tuple(map(from_database, row)) for row in rows])
        if status in (ExecStatus.COMMAND_OK, ExecStatus.EMPTY_QUERY):
            return Rows(changed=result.command_tuples or 0)
        if status in (ExecStatus.COPY_IN, ExecStatus.COPY_OUT, ExecStatus.COPY_BOTH):
            self._pgconn.finish()  # The server waits for data, or sends them: the connection is of no use.
            raise psycopg.ProgrammingError("COPY cannot be used in a flow")
        raise error_from_result(result, self._values.encoding)

    def _prepare(self, key: Key) -> bytes | None:
        """Prepare a statement if it comes often enough. Raise psycopg.Error."""
        if not self._most:
            return None
        count = self._counts.get(key, 0) + 1
        if count < PREPARED_AT:
            if len(self._counts) >= _COUNTED_MAX:
                self._counts.clear()
            self._counts[key] = count
            return None
        self._counts.pop(key, None)
        if len(self._prepared) >= self._most:
            self._abandon(next(iter(self._prepared)))
            self._begin(b"")
        self._number += 1
        name = b"flintmq_%d" % self._number
        result = self._pgconn.prepare(name, key[0], key[1])
        if result.status != ExecStatus.COMMAND_OK:
            raise error_from_result(result, self._values.encoding)
        self._prepared[key] = name
        return name

    def _abandon(self, key: Key) -> None:
        name = self._prepared.pop(key, None)
        if name is not None:
            self._abandoned.append(name)
