"""Databases that ESQL and database nodes use: real ones through SQLAlchemy, and fakes for tests.

    databases={"SHOP": Database("sqlite:///shop.db"), "ARCHIVE": FakeDatabase({"SELECT * FROM A": [{"ID": 1}]})}

A `Database` keeps one connection and one transaction: it begins with the first statement and ends with `commit` or
`rollback`. Values go in and out as ESQL has them (MF 2.9). `?` is the marker of parameters whatever the driver uses;
text, comments and quoted names in SQL are left as they are.

Errors are entries of the ExceptionList: 2321 for the statement, below it 2322 with `D` and the state of the database,
its own code, and its text. The text of a statement goes into the error, its parameters do not: they may be secrets.
"""

from __future__ import annotations

import datetime
import fnmatch
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import count
from typing import Any, Final

from sqlalchemy import create_engine
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.run import Rows
from flintmq.broker.values import (
    Date,
    Interval,
    Time,
    Timestamp,
    date_from_python,
    time_from_python,
    timestamp_from_python,
)

#: Text, quoted names, comments and markers of a statement; nothing else matters for markers.
_PIECES: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|\?|%", re.DOTALL)
#: States for drivers that give none, by the class of the error.
_STATES: Final = {"IntegrityError": "23000", "ProgrammingError": "42000", "DataError": "22000"}
STATEMENT_MAX: Final = 1000


@lru_cache(maxsize=500)
def driver_text(sql: str, paramstyle: str) -> str:
    """Return SQL with the markers that a driver takes. Raise ValueError for a style that is not known."""
    if paramstyle == "qmark":
        return sql
    if paramstyle not in ("format", "pyformat"):
        raise ValueError(f"a driver with parameters of style {paramstyle} is not supported")

    def replaced(found: re.Match[str]) -> str:
        piece = found[0]
        return "%s" if piece == "?" else piece.replace("%", "%%")

    return _PIECES.sub(replaced, sql)


@lru_cache(maxsize=500)
def numbered_text(sql: str) -> bytes:
    """Return SQL with the markers `$1`, `$2` ... of PostgreSQL in place of `?`."""
    numbers = count(1)

    def replaced(found: re.Match[str]) -> str:
        return f"${next(numbers)}" if found[0] == "?" else found[0]

    return _PIECES.sub(replaced, sql).encode()


def from_database(value: object) -> object:
    """Return a value of a driver as ESQL has it."""
    if value is None or isinstance(value, bool | int | float | Decimal | str | bytes):
        return value
    if isinstance(value, datetime.datetime):
        return timestamp_from_python(value.replace(tzinfo=None) if value.tzinfo is None else value)
    if isinstance(value, datetime.date):
        return date_from_python(value)
    if isinstance(value, datetime.time):
        return time_from_python(value)
    if isinstance(value, datetime.timedelta):
        return Interval("DAY TO SECOND", 0, round(value.total_seconds() * 1_000_000))
    if isinstance(value, memoryview | bytearray):
        return bytes(value)
    return str(value)


def to_database(value: object, plain: bool) -> object:
    """Return a value of ESQL as a driver takes it; `plain` for drivers that know numbers, texts and bytes only."""
    if isinstance(value, Date | Time | Timestamp):
        made = value.to_python()
        return (
            made.isoformat(" ")
            if plain and isinstance(made, datetime.datetime)
            else made.isoformat()
            if plain
            else made
        )
    if isinstance(value, Interval):
        return str(value) if plain else datetime.timedelta(microseconds=value.micros)
    if isinstance(value, Decimal) and plain:
        return str(value)
    return value


def database_error(sql: str, text: str, state: str, native: int = 0) -> BrokerError:
    """Return the entries of a statement that failed."""
    cause = BrokerError(
        2322,
        text,
        inserts=(state, native, text),
        kind="DatabaseException",
        sqlstate=f"D{state}",
        sqlcode=-1 if native == 0 else native,
    )
    cause.native_error = native
    shown = sql if len(sql) <= STATEMENT_MAX else sql[:STATEMENT_MAX] + "..."
    return BrokerError(
        2321, f"the database refused a statement: {shown}", inserts=(shown,), kind="DatabaseException", cause=cause
    )


class Database:
    """A data source on SQLAlchemy. Not for several threads at once."""

    def __init__(self, url: str | Engine) -> None:
        self.engine = create_engine(url) if isinstance(url, str) else url
        self._connection: Connection | None = None
        self._separate: Database | None = None
        self._plain = self.engine.dialect.name == "sqlite"

    def _open(self) -> Connection:
        if self._connection is None:
            try:
                self._connection = self.engine.connect()
            except SQLAlchemyError as error:
                raise self._failed("CONNECT", error) from error
        return self._connection

    def separate(self) -> Database:
        """Return the database over a second connection, for nodes with the property `transaction` set to `commit`.

        SQLite in memory has only one connection; there, a commit of such a node is one of all that was done before.
        """
        if self._separate is None:
            self._separate = Database(self.engine)
        return self._separate

    def execute(self, sql: str, values: Sequence[object]) -> Rows:
        """Run a statement with `?` markers."""
        parameters = tuple(to_database(value, self._plain) for value in values)
        connection = self._open()
        try:
            text = driver_text(sql, self.engine.dialect.paramstyle)
            result = connection.exec_driver_sql(text, parameters)
            if not result.returns_rows:
                return Rows(changed=max(0, result.rowcount))
            columns = list(result.keys())
            return Rows(columns, [tuple(from_database(value) for value in row) for row in result])
        except SQLAlchemyError as error:
            raise self._failed(sql, error) from error
        except ValueError as error:
            raise database_error(sql, str(error), "HY000") from error

    def call(
        self, procedure: str, values: Sequence[object], directions: Sequence[str]
    ) -> tuple[list[object], list[Rows]]:
        """Call a stored procedure; its first row has the OUT and INOUT parameters in their order."""
        markers = ", ".join("?" for _ in values)
        found = self.execute(f"CALL {procedure}({markers})", values)
        given = list(values)
        outs = [number for number, way in enumerate(directions) if way != "IN"]
        if outs and found.rows:
            for number, value in zip(outs, found.rows[0], strict=False):
                given[number] = value
            return given, []
        return given, [found]

    def commit(self) -> None:
        """Commit the transaction."""
        if self._connection is not None:
            try:
                self._connection.commit()
            except SQLAlchemyError as error:
                raise self._failed("COMMIT", error) from error

    def rollback(self) -> None:
        """Back out the transaction."""
        if self._connection is not None:
            self._connection.rollback()

    def close(self) -> None:
        """Back out open work and close the connections."""
        if self._separate is not None:
            self._separate.close()
            self._separate = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _failed(self, sql: str, error: SQLAlchemyError) -> BrokerError:
        if not isinstance(error, DBAPIError):
            return database_error(sql, str(error), "HY000")
        cause: Any = error.orig
        state = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)
        name = type(cause).__name__
        native = getattr(cause, "sqlite_errorcode", 0)
        if error.connection_invalidated:
            self._connection = None
        return database_error(
            sql, str(cause).strip(), state or _STATES.get(name, "HY000"), native if isinstance(native, int) else 0
        )


#: What a fake answers: rows as dicts, a number of changed rows, an error, or a function of statement and values.
Answer = (
    Sequence[Mapping[str, object]]
    | int
    | BrokerError
    | Callable[[str, Sequence[object]], Sequence[Mapping[str, object]] | int]
)


class FakeDatabase:
    """A data source for tests: statements by text or pattern (`SELECT * FROM ORDERS*`), first match first.

    White space and case do not count. `statements` has all that was asked, `ended` the commits and rollbacks.
    """

    def __init__(self, answers: Mapping[str, Answer] | None = None) -> None:
        self.answers = {_normal(text): answer for text, answer in (answers or {}).items()}
        self.statements: list[tuple[str, list[object]]] = []
        self.ended: list[str] = []

    def execute(self, sql: str, values: Sequence[object]) -> Rows:
        """Answer a statement."""
        self.statements.append((sql, list(values)))
        text = _normal(sql)
        answer = self.answers.get(text)
        if answer is None:
            answer = next((each for key, each in self.answers.items() if fnmatch.fnmatchcase(text, key)), None)
        if answer is None:
            raise database_error(sql, "the fake database has no answer for this statement", "HY000")
        if isinstance(answer, BrokerError):
            raise answer
        rows = answer(sql, values) if callable(answer) else answer
        if isinstance(rows, int):
            return Rows(changed=rows)
        columns = list(rows[0]) if rows else []
        return Rows(columns, [tuple(row.get(column) for column in columns) for row in rows])

    def call(
        self, procedure: str, values: Sequence[object], directions: Sequence[str]
    ) -> tuple[list[object], list[Rows]]:
        """Answer a stored procedure: the first row gives OUT parameters by position, the rows are the result set."""
        found = self.execute(f"CALL {procedure}", values)
        given = list(values)
        outs = [number for number, way in enumerate(directions) if way != "IN"]
        for number, value in zip(outs, found.rows[0] if found.rows else (), strict=False):
            given[number] = value
        return given, [found]

    def commit(self) -> None:
        """Note a commit."""
        self.ended.append("commit")

    def rollback(self) -> None:
        """Note a rollback."""
        self.ended.append("rollback")


def _normal(sql: str) -> str:
    return " ".join(sql.upper().split())
