"""Data sources of a running broker: settings, and one connection for each instance of a flow and data source.

    sources = read_settings({
        "SHOP":  {"url": "postgresql://127.0.0.1/shop", "user": "broker", "passwordFile": "/etc/flintmq/shop.password"},
        "STATE": {"url": "sqlite:////var/lib/flintmq/state.db"},
    })

| key | meaning |
|---|---|
| url | SQLAlchemy URL; `postgresql` and `sqlite` are supported, others as far as SQLAlchemy and a driver go |
| user | user, unless the URL has it |
| passwordFile, passwordVariable | file or environment variable with the password; read for each connection |
| schema | PostgreSQL: search_path, names with commas between |
| columnCase | `asIs` (default), `upper` or `lower`: names of columns in results |
| statementCache | prepared statements per connection (100); 0 for none. PostgreSQL: those that have values |
| isolation | PostgreSQL: `read committed`, `repeatable read` or `serializable`; default is that of the server |
| statementRollback | true: a statement that fails takes back only itself (a savepoint per statement) |
| connectTimeout | seconds (10) |

`PostgresSource` uses psycopg, because a coordinated transaction needs control over PREPARE TRANSACTION; `SqlSource`
uses SQLAlchemy. Both have the same rules:

    S1  A transaction begins with the first statement and ends with commit, prepare or rollback.
    S2  After a statement that spoiled the transaction (a lost connection, or any error in PostgreSQL without
        statementRollback) every statement and the commit fail until rollback. PostgreSQL itself answers COMMIT and
        PREPARE TRANSACTION of a failed transaction with ROLLBACK and no error.
    S3  A lost connection is an error of the flow. The next transaction connects again.
    S4  A password is in no error, log line or repr.

Nothing here decides when to commit; coordination.py does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row
from sqlalchemy import create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from flintmq.broker.databases import (
    Database,
    database_error,
    driver_text,
    from_database,
    numbered_text,
    to_database,
)
from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.run import Rows
from flintmq.broker.runtime.decisions import SOURCE_NAME_MAX, Branch
from flintmq.broker.runtime.statements import Statements, run_command

STATEMENT_CACHE: Final = 100
CONNECT_TIMEOUT_S: Final = 10
CASES: Final[dict[str, Callable[[str], str]]] = {"asIs": str, "upper": str.upper, "lower": str.lower}
ISOLATIONS: Final = ("", "read committed", "repeatable read", "serializable")
_KEYS: Final = (
    "url user passwordFile passwordVariable schema columnCase statementCache isolation statementRollback connectTimeout"
).split()
_READS: Final = re.compile(r"\s*(select|values|show|with|table)\b", re.IGNORECASE)
_IDENTIFIER: Final = re.compile(r"\w+", re.ASCII)
#: SQLSTATEs of PostgreSQL.
UNDEFINED_OBJECT: Final = "42704"
NOT_IN_PREREQUISITE_STATE: Final = "55000"
OUT_OF_MEMORY: Final = "53200"
NO_CONNECTION: Final = "08006"
SPOILED: Final = "25P02"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one data source."""

    name: str
    url: URL
    password_file: str = ""
    password_variable: str = ""
    schema: str = ""
    column_case: str = "asIs"
    statement_cache: int = STATEMENT_CACHE
    isolation: str = ""
    statement_rollback: bool = False
    connect_timeout_s: int = CONNECT_TIMEOUT_S

    @property
    def can_prepare(self) -> bool:
        """Return whether the database has two-phase commit that the broker can use."""
        return self.url.get_backend_name() == "postgresql"

    def password(self) -> str | None:
        """Return the password; None if none is set. Raise a BrokerError if it cannot be read."""
        if self.password_variable:
            found = os.environ.get(self.password_variable)
            if found is None:
                raise configuration_error(f"data source {self.name}: the variable {self.password_variable} is not set")
            return found
        if self.password_file:
            try:
                return Path(self.password_file).read_text().rstrip("\r\n")
            except (OSError, UnicodeDecodeError) as error:
                reason = error.strerror if isinstance(error, OSError) else "not text"
                raise configuration_error(
                    f"data source {self.name}: the password file {self.password_file} cannot be read: {reason}"
                ) from None
        return self.url.password

    def __repr__(self) -> str:
        return f"<Settings {self.name} {self.url.render_as_string(hide_password=True)}>"


def configuration_error(text: str) -> BrokerError:
    """Return the error of a setting."""
    return BrokerError(2321, text, inserts=(text,), kind="ConfigurationException", sqlstate="D08001")


def read_settings(given: Mapping[str, Mapping[str, object]]) -> dict[str, Settings]:
    """Return settings by name of the data source. Raise a BrokerError that names the data source and the key."""
    return {name: _read_one(name, fields) for name, fields in given.items()}


def _read_one(name: str, fields: Mapping[str, object]) -> Settings:
    if not isinstance(name, str) or not name or len(name.encode()) > SOURCE_NAME_MAX:
        raise configuration_error(f"the name of a data source has 1 to {SOURCE_NAME_MAX} bytes, not {name!r}")
    if not isinstance(fields, Mapping):
        raise _refused(name, "its settings are a mapping with a url")
    for key in fields:
        if key not in _KEYS:
            raise _refused(name, f"{key!r} is no setting; there are {', '.join(_KEYS)}")

    def text(key: str, default: str = "") -> str:
        value = fields.get(key, default)
        if not isinstance(value, str):
            raise _refused(name, f"{key} is text")
        return value

    def number(key: str, default: int, least: int) -> int:
        value = fields.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= 100_000:
            raise _refused(name, f"{key} is a number from {least} to 100000")
        return value

    url = _url(name, text("url"), text("user"))
    if text("passwordFile") and text("passwordVariable"):
        raise _refused(name, "passwordFile and passwordVariable exclude each other")
    case, isolation = text("columnCase", "asIs"), text("isolation").lower()
    if case not in CASES:
        raise _refused(name, f"columnCase is one of {', '.join(CASES)}")
    if isolation not in ISOLATIONS:
        raise _refused(name, f"isolation is one of {', '.join(ISOLATIONS[1:])}")
    rollback = fields.get("statementRollback", False)
    if not isinstance(rollback, bool):
        raise _refused(name, "statementRollback is true or false")
    schema = text("schema")
    if schema and not all(_IDENTIFIER.fullmatch(each.strip()) for each in schema.split(",")):
        raise _refused(name, "schema is one name, or names with commas between")
    postgres = url.get_backend_name() == "postgresql"
    for key in ("schema", "isolation", "statementRollback"):
        if fields.get(key) and not postgres:
            raise _refused(name, f"{key} is for PostgreSQL only")
    return Settings(
        name,
        url,
        text("passwordFile"),
        text("passwordVariable"),
        schema,
        case,
        number("statementCache", STATEMENT_CACHE, 0),
        isolation,
        rollback,
        number("connectTimeout", CONNECT_TIMEOUT_S, 1),
    )


def _refused(name: str, text: str) -> BrokerError:
    """Return the error of a data source with settings that cannot be used."""
    return configuration_error(f"data source {name}: {text}")


def _url(name: str, text: str, user: str) -> URL:
    """Return the URL of a database, with the user of the settings if they name one."""
    try:
        url = make_url(text)
        url.get_dialect()
    except (ArgumentError, NoSuchModuleError, ImportError, ValueError):
        # The text is not shown: it may have a password.
        raise _refused(
            name, "url is no SQLAlchemy URL such as postgresql://host/database or sqlite:///file.db"
        ) from None
    return url.set(username=user) if user else url


class Source(Protocol):
    """A connection to a data source with one transaction at a time. It is a DataSource of ESQL."""

    settings: Settings

    def execute(self, sql: str, values: Sequence[object]) -> Rows:
        """Run a statement with `?` markers."""
        ...

    def call(
        self, procedure: str, values: Sequence[object], directions: Sequence[str]
    ) -> tuple[list[object], list[Rows]]:
        """Call a stored procedure."""
        ...

    def commit(self) -> None:
        """Commit the transaction in one phase; raise a BrokerError if nothing, or not everything, was committed."""
        ...

    def rollback(self) -> None:
        """Roll back the transaction. Never raises."""
        ...

    def close(self) -> None:
        """Roll back and close the connection. Never raises."""
        ...

    @property
    def touched(self) -> bool:
        """Return whether a transaction is open, or was spoiled."""
        ...


class SqlSource:
    """A data source on SQLAlchemy. It has no two-phase commit."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._database: Database | None = None
        self._touched = False
        self._case = CASES[settings.column_case]

    @property
    def touched(self) -> bool:
        """Return whether a transaction is open."""
        return self._touched

    def _open(self) -> Database:
        if self._database is None:
            settings = self.settings
            password = settings.password()
            url = settings.url if password is None else settings.url.set(password=password)
            try:
                self._database = Database(create_engine(url, query_cache_size=max(1, settings.statement_cache)))
            except (SQLAlchemyError, ImportError) as error:
                raise database_error("CONNECT", f"data source {settings.name}: {error}", "08001") from None
        return self._database

    def execute(self, sql: str, values: Sequence[object]) -> Rows:
        """Run a statement with `?` markers."""
        database = self._open()
        self._touched = True
        found = database.execute(sql, values)
        found.columns = [self._case(each) for each in found.columns]
        return found

    def call(
        self, procedure: str, values: Sequence[object], directions: Sequence[str]
    ) -> tuple[list[object], list[Rows]]:
        """Call a stored procedure."""
        self._touched = True
        return self._open().call(procedure, values, directions)

    def commit(self) -> None:
        """Commit the transaction."""
        if self._database is not None:
            self._database.commit()
        self._touched = False

    def rollback(self) -> None:
        """Roll back the transaction."""
        self._touched = False
        if self._database is not None:
            try:
                self._database.rollback()
            except SQLAlchemyError:
                self.close()

    def close(self) -> None:
        """Close the connection."""
        database, self._database, self._touched = self._database, None, False
        if database is not None:
            try:
                database.close()
                database.engine.dispose()
            except SQLAlchemyError:
                pass  # The connection was lost before.


@dataclass(slots=True)
class Prepared:
    """A prepared transaction as pg_prepared_xacts shows it."""

    gid: str
    #: Seconds since PREPARE TRANSACTION, by the clock of the database.
    age_s: float


class PostgresSource:
    """A data source on psycopg: one connection, and two-phase commit."""

    def __init__(self, settings: Settings, application: str = "flintmq") -> None:
        self.settings = settings
        self.application = application
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        #: Statements with values, and a cursor for those without: they may be several in one text.
        self._statements: Statements | None = None
        self._cursor: psycopg.Cursor[tuple[Any, ...]] | None = None
        self._case = CASES[settings.column_case]
        #: Why no statement can be run before a rollback (S2); empty if the transaction is sound.
        self._spoiled = ""
        self._only_reads = True
        self._begin = f"BEGIN ISOLATION LEVEL {settings.isolation.upper()}" if settings.isolation else "BEGIN"

    # -- connection and statements ------------------------------------------------------------------------------------

    @property
    def touched(self) -> bool:
        """Return whether a transaction is open, or was spoiled."""
        return bool(self._spoiled) or self._status() != TransactionStatus.IDLE

    def _status(self) -> TransactionStatus:
        connection = self._connection
        if connection is None:
            return TransactionStatus.IDLE
        return TransactionStatus(connection.pgconn.transaction_status)

    def connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        """Return the connection; connect if there is none. Raise a BrokerError."""
        connection = self._connection
        if connection is not None and not connection.closed:
            return connection
        settings, url = self.settings, self.settings.url
        arguments: dict[str, Any] = {key: value for key, value in url.query.items() if isinstance(value, str)}
        arguments.update(host=url.host, port=url.port, user=url.username, dbname=url.database)
        arguments.update(connect_timeout=settings.connect_timeout_s, application_name=self.application)
        password = settings.password()
        if settings.schema:
            arguments["options"] = f"{arguments.get('options', '')} -c search_path={settings.schema.replace(' ', '')}"
        try:
            # Transactions are begun with BEGIN here: COMMIT PREPARED must run outside of one.
            made = psycopg.connect(
                **{key: value for key, value in arguments.items() if value is not None},
                password=password,
                autocommit=True,
                prepare_threshold=None,
                row_factory=tuple_row,
            )
        except psycopg.Error as error:
            raise self._failed("CONNECT", error, password) from None
        self._connection, self._cursor = made, made.cursor()
        self._statements = Statements(made, settings.statement_cache)
        return made

    def execute(self, sql: str, values: Sequence[object]) -> Rows:
        """Run a statement with `?` markers."""
        if self._spoiled:
            raise database_error(
                sql, f"data source {self.settings.name}: the transaction cannot go on: {self._spoiled}", SPOILED
            )
        connection = self.connect()
        savepoint = self.settings.statement_rollback
        begins = connection.pgconn.transaction_status == TransactionStatus.IDLE
        if begins:
            self._only_reads = True
            if savepoint or not values:
                connection, begins = self._begun(connection), False
        if self._only_reads and not _READS.match(sql):
            self._only_reads = False
        if savepoint:
            self._command("SAVEPOINT flintmq")
        try:
            found = self._run(sql, values, self._begin if begins else "")
        except psycopg.Error as error:
            failed = self._failed(sql, error)
            if savepoint and not connection.closed:
                self._command("ROLLBACK TO SAVEPOINT flintmq")
            else:
                self._spoiled = f"a statement failed with SQLSTATE {failed.root_cause().sqlstate[1:]} before"
            raise failed from error
        except ValueError as error:
            raise database_error(sql, str(error), "HY000") from error
        if savepoint:
            self._command("RELEASE SAVEPOINT flintmq")
        return found

    def _run(self, sql: str, values: Sequence[object], begin: str) -> Rows:
        """Run a statement; begin a transaction with it if `begin` is given. Raise psycopg.Error or ValueError."""
        parameters = [to_database(value, False) for value in values]
        if not parameters:
            cursor = self._cursor
            assert cursor is not None
            cursor.execute(driver_text(sql, "pyformat").encode(), parameters)
            if cursor.description is None:
                return Rows(changed=max(0, cursor.rowcount))
            columns = [self._case(each.name) for each in cursor.description]
            return Rows(columns, [tuple(map(from_database, row)) for row in cursor])
        connection, statements, text = self._connection, self._statements, numbered_text(sql)
        assert connection is not None and statements is not None
        try:
            found = statements.execute(text, parameters, begin.encode())
        except psycopg.OperationalError:
            if statements.has_begun or not connection.closed:
                raise
            # The connection was lost while it was idle, and nothing with it: connect again.
            self.connect()
            statements = self._statements
            assert statements is not None
            found = statements.execute(text, parameters, begin.encode())
        found.columns = [self._case(name) for name in found.columns]
        return found

    def _begun(self, connection: psycopg.Connection[tuple[Any, ...]]) -> psycopg.Connection[tuple[Any, ...]]:
        """Begin a transaction. If the connection was lost while it was idle nothing was lost with it: connect again."""
        try:
            self._command(self._begin)
        except BrokerError:
            if not connection.closed:
                raise
            self._spoiled = ""
            connection = self.connect()
            self._command(self._begin)
        return connection

    def call(
        self, procedure: str, values: Sequence[object], directions: Sequence[str]
    ) -> tuple[list[object], list[Rows]]:
        """Call a stored procedure; its first row has the OUT and INOUT parameters in their order."""
        found = self.execute(f"CALL {procedure}({', '.join('?' for _ in values)})", values)
        given = list(values)
        outs = [number for number, way in enumerate(directions) if way != "IN"]
        if outs and found.rows:
            for number, value in zip(outs, found.rows[0], strict=False):
                given[number] = value
            return given, []
        return given, [found]

    def _command(self, sql: str) -> str:
        """Run a statement without parameters or result; return its command tag. A failure spoils the transaction."""
        connection = self._connection
        assert connection is not None
        try:
            return run_command(connection, sql.encode())
        except psycopg.Error as error:
            failed = self._failed(sql, error)
            if connection.closed or self._status() != TransactionStatus.IDLE:
                self._spoiled = f"{sql.split(' ')[0]} failed with SQLSTATE {failed.root_cause().sqlstate[1:]}"
            raise failed from error

    def _failed(self, sql: str, error: psycopg.Error, password: str | None = None) -> BrokerError:
        """Return the error of the flow; drop a connection that is lost."""
        text = f"data source {self.settings.name}: {str(error).strip()}"
        for secret in (password, self.settings.url.password):
            if secret:
                text = text.replace(secret, "***")
        if self._connection is not None and self._connection.closed:
            self._connection = None
        state = error.sqlstate
        if state is None:
            state = "08001" if sql == "CONNECT" else NO_CONNECTION
        return database_error(sql, text, state)

    # -- one phase ----------------------------------------------------------------------------------------------------

    def commit(self) -> None:
        """Commit in one phase. A transaction that was spoiled is rolled back, and the error says so (S2)."""
        self._check("COMMIT")
        if self._status() == TransactionStatus.INTRANS:
            tag = self._command("COMMIT")
            if tag != "COMMIT":
                raise database_error("COMMIT", f"data source {self.settings.name} answered {tag} to COMMIT", SPOILED)

    def _check(self, sql: str) -> None:
        """Raise a BrokerError, and roll back, unless the transaction can be committed or prepared."""
        connection, spoiled = self._connection, self._spoiled
        if not spoiled and connection is not None and connection.closed:
            spoiled = "the connection was lost"
        if not spoiled and self._status() not in (TransactionStatus.IDLE, TransactionStatus.INTRANS):
            spoiled = "a statement failed before"
        if spoiled:
            self.rollback()
            raise database_error(
                sql, f"data source {self.settings.name}: the transaction cannot be committed: {spoiled}", SPOILED
            )

    def rollback(self) -> None:
        """Roll back. Never raises: a connection that cannot do it is closed, and the database rolls back."""
        self._spoiled = ""
        connection = self._connection
        if connection is None:
            return
        if connection.closed:
            self._connection = None
        elif connection.pgconn.transaction_status != TransactionStatus.IDLE:
            try:
                run_command(connection, b"ROLLBACK")
            except psycopg.Error:
                self.close()

    def close(self) -> None:
        """Close the connection. Never raises."""
        connection, self._connection, self._spoiled = self._connection, None, ""
        if connection is not None:
            try:
                connection.close()
            except psycopg.Error:
                pass

    # -- two phases ---------------------------------------------------------------------------------------------------

    def check_prepared_transactions(self) -> None:
        """Raise a BrokerError that names the setting if the server has no prepared transactions."""
        connection = self.connect()
        try:
            row = connection.execute(b"SHOW max_prepared_transactions").fetchone()
        except psycopg.Error as error:
            raise self._failed("SHOW max_prepared_transactions", error) from error
        if row is not None and int(row[0]) == 0:
            raise configuration_error(self._disabled())

    def _disabled(self) -> str:
        return (
            f"data source {self.settings.name}: the PostgreSQL server has max_prepared_transactions = 0, so it cannot "
            "take part in a coordinated transaction; set max_prepared_transactions to at least the number of instances "
            "of coordinated flows, and restart the server"
        )

    def prepare(self, gid: str) -> Branch | None:
        """Prepare the transaction and verify the vote; None if it was read-only, and is committed.

        Raise a BrokerError if the vote is no: the transaction is rolled back. If the connection is lost the vote is not
        known, and the caller must see to a branch that may be there.
        """
        self._check("PREPARE TRANSACTION")
        if self._only_reads and self._number() == 0:
            self.commit()
            return None
        name = self.settings.name
        sql = f"PREPARE TRANSACTION '{gid}'"
        connection = self._connection
        assert connection is not None
        try:
            # One round trip: the number of the transaction, then the vote.
            cursor = connection.execute(f"SELECT txid_current(); {sql}".encode(), prepare=False)
            row = cursor.fetchone()
            cursor.nextset()
            tag = cursor.statusmessage
        except psycopg.Error as error:
            failed = self._failed("PREPARE TRANSACTION", error)
            if error.sqlstate == NOT_IN_PREREQUISITE_STATE and "disabled" in str(error):
                failed = database_error("PREPARE TRANSACTION", self._disabled(), NOT_IN_PREREQUISITE_STATE)
            elif error.sqlstate == OUT_OF_MEMORY and "prepared transactions" in str(error):
                text = f"data source {name}: {str(error).splitlines()[0]}; raise max_prepared_transactions"
                failed = database_error("PREPARE TRANSACTION", text, OUT_OF_MEMORY)
            if not connection.closed:
                self.rollback()
            raise failed from error
        # A transaction that had failed answers ROLLBACK, and no error (BA 5.1).
        if tag != "PREPARE TRANSACTION" or row is None:
            self.rollback()
            text = f"data source {name} answered {tag} to PREPARE TRANSACTION: the transaction was rolled back"
            raise database_error("PREPARE TRANSACTION", text, SPOILED)
        return Branch(gid, name, int(row[0]))

    def _number(self) -> int:
        """Return the number of the transaction; 0 if it has none, because it has changed and locked nothing."""
        connection = self._connection
        assert connection is not None
        try:
            row = connection.execute(b"SELECT txid_current_if_assigned()", prepare=False).fetchone()
        except psycopg.Error as error:
            self._spoiled = "the connection was lost"
            raise self._failed("PREPARE TRANSACTION", error) from error
        return 0 if row is None or row[0] is None else int(row[0])

    def finish(self, gid: str, action: str) -> bool:
        """COMMIT or ROLLBACK a prepared transaction; False if the database does not know the gid."""
        connection = self.connect()
        assert connection.pgconn.transaction_status == TransactionStatus.IDLE, "a transaction is open"
        sql = f"{action} PREPARED '{gid}'"
        try:
            run_command(connection, sql.encode())
        except psycopg.Error as error:
            if error.sqlstate == UNDEFINED_OBJECT:
                return False
            raise self._failed(sql, error) from error
        return True

    def status_of(self, xid: int) -> str:
        """Return `committed`, `aborted`, `in progress`, or empty if the server no longer knows the number."""
        if not xid:
            return ""
        connection = self.connect()
        try:
            row = connection.execute("SELECT txid_status(%s)", [xid]).fetchone()
        except psycopg.Error as error:
            if error.sqlstate == "22023":  # A number of the future: another cluster, or one restored from a copy.
                return ""
            raise self._failed("SELECT txid_status", error) from error
        return "" if row is None or row[0] is None else str(row[0])

    def prepared(self, most: int) -> list[Prepared]:
        """Return prepared transactions of this database, oldest first, at most some."""
        connection = self.connect()
        sql = (
            "SELECT gid, extract(epoch FROM clock_timestamp() - prepared)::float8 FROM pg_prepared_xacts "
            "WHERE database = current_database() ORDER BY prepared LIMIT %s"
        )
        try:
            return [Prepared(str(row[0]), float(row[1])) for row in connection.execute(sql, [most])]
        except psycopg.Error as error:
            raise self._failed("SELECT pg_prepared_xacts", error) from error


def open_source(settings: Settings, application: str = "flintmq") -> PostgresSource | SqlSource:
    """Return a source that connects with its first statement."""
    if settings.can_prepare:
        return PostgresSource(settings, application)
    return SqlSource(settings)


def missing_source(name: str) -> str:
    """Return the text about a data source that a flow names, and that is not configured."""
    return f"there is no data source {name!r}; configure it for the broker, or statements that name it fail"


def check_coordinated(settings: Mapping[str, Settings], names: Sequence[str]) -> None:
    """Raise a BrokerError if a flow with coordinatedTransaction=yes names a data source that cannot prepare."""
    for name in names:
        found = settings.get(name)
        if found is None:
            raise configuration_error(f"there is no data source {name}")
        if not found.can_prepare:
            raise configuration_error(
                f"data source {name} ({found.url.get_backend_name()}) cannot take part in a coordinated transaction: "
                "it has no prepared transactions, and the queue manager has to decide last; use PostgreSQL, or set "
                "coordinatedTransaction to no"
            )


@dataclass(slots=True)
class InstanceSources:
    """The connections of one instance of a flow. Used by one thread.

    `in_unit` has the sources of nodes with transaction=automatic, `own` those of nodes with transaction=commit, which
    the node itself commits when it ends; they never belong to the unit of work of the flow.
    """

    settings: Mapping[str, Settings]
    application: str = "flintmq"
    in_unit: dict[str, PostgresSource | SqlSource] = field(default_factory=dict)
    own: dict[str, PostgresSource | SqlSource] = field(default_factory=dict)

    def source(self, name: str, own_transaction: bool = False) -> PostgresSource | SqlSource:
        """Return a source. Raise a BrokerError if none of that name is configured."""
        table = self.own if own_transaction else self.in_unit
        found = table.get(name)
        if found is None:
            settings = self.settings.get(name)
            if settings is None:
                known = ", ".join(sorted(self.settings)) or "none"
                raise configuration_error(f"there is no data source {name!r}; configured: {known}")
            found = table[name] = open_source(settings, self.application)
        return found

    def touched(self) -> list[PostgresSource | SqlSource]:
        """Return the sources with work of the unit of work, in the order of their first use."""
        return [each for each in self.in_unit.values() if each.touched]

    def close(self) -> None:
        """Close all connections."""
        for each in (*self.in_unit.values(), *self.own.values()):
            each.close()
