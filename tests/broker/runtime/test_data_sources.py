"""Data sources on a real PostgreSQL and on SQLite: settings, transactions, lost connections, errors."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pytest

from benchmarks.server.ports import free_port
from flintmq.broker.errors import BrokerError
from flintmq.broker.runtime.data_sources import (
    InstanceSources,
    PostgresSource,
    Settings,
    check_coordinated,
    open_source,
    read_settings,
)
from flintmq.broker.runtime.statements import PREPARED_AT
from flintmq.broker.values import Date
from tests.waiting import PATIENCE, until
from tools.postgres import Cluster

Make = Callable[..., PostgresSource]


@pytest.fixture
def source(databases: Mapping[str, Settings]) -> PostgresSource:
    return PostgresSource(databases["ONE"])


@pytest.fixture
def make(cluster: Cluster, databases: Mapping[str, Settings]) -> Make:
    """A source on database `one` with other settings."""

    def made(**fields: object) -> PostgresSource:
        given = {"url": cluster.url("one"), "passwordVariable": "A_PASSWORD", **fields}
        return PostgresSource(read_settings({"ONE": given})["ONE"])

    return made


def rows(cluster: Cluster, database: str = "one") -> list[int]:
    return [number for (number,) in cluster.run(database, "SELECT id FROM t ORDER BY id")]


def end_sessions(cluster: Cluster) -> None:
    """Cut the connections to database `one`, as a restart of the server does."""
    cluster.run(
        "postgres", "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'one'", "SELECT 1"
    )


@contextmanager
def round_trips(source: PostgresSource) -> Iterator[list[str]]:
    """Collect the messages after which the client waits for the server, as libpq traces them."""
    found: list[str] = []
    pgconn = source.connect().pgconn
    with tempfile.TemporaryFile("w+") as file:
        pgconn.trace(file.fileno())
        yield found
        pgconn.untrace()
        file.seek(0)
        lines = [line.split("\t") for line in file]
    found += [line[3].strip() for line in lines if line[1] == "F" and line[3].strip() in ("Sync", "Query")]


# -- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "url is no SQLAlchemy URL"),
        ({"url": "postgres-secret@nowhere"}, "url is no SQLAlchemy URL"),
        ({"url": "oracle9://h/d"}, "url is no SQLAlchemy URL"),
        ({"url": "sqlite://", "colour": "red"}, "'colour' is no setting"),
        ({"url": "sqlite://", "schema": "s"}, "schema is for PostgreSQL only"),
        ({"url": "postgresql://h/d", "schema": "a; DROP"}, "schema is one name"),
        ({"url": "sqlite://", "columnCase": "Title"}, "columnCase is one of"),
        ({"url": "postgresql://h/d", "isolation": "none"}, "isolation is one of"),
        ({"url": "sqlite://", "statementCache": -1}, "statementCache is a number"),
        ({"url": "sqlite://", "statementCache": True}, "statementCache is a number"),
        ({"url": "sqlite://", "connectTimeout": 0}, "connectTimeout is a number"),
        ({"url": "postgresql://h/d", "statementRollback": "yes"}, "true or false"),
        ({"url": "sqlite://", "user": 7}, "user is text"),
        ({"url": "sqlite://", "passwordFile": "a", "passwordVariable": "b"}, "exclude each other"),
    ],
)
def test_a_wrong_setting_is_named_and_secrets_are_not(fields: dict[str, object], text: str) -> None:
    with pytest.raises(BrokerError, match=text) as raised:
        read_settings({"SHOP": fields})
    assert "SHOP" in str(raised.value) and "secret" not in str(raised.value)


def test_a_name_that_no_branch_can_carry_is_refused() -> None:
    for name in ("", "x" * 65):
        with pytest.raises(BrokerError, match="1 to 64 bytes"):
            read_settings({name: {"url": "sqlite://"}})


def test_a_password_comes_from_a_file_or_a_variable_and_is_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "p").write_text("from file\n")
    monkeypatch.setenv("P", "from variable")
    url = "postgresql://u:in-url@h/d"
    made = read_settings(
        {
            "A": {"url": url, "passwordFile": str(tmp_path / "p")},
            "B": {"url": url, "passwordVariable": "P"},
            "C": {"url": url},
            "D": {"url": url, "passwordFile": str(tmp_path / "none")},
            "E": {"url": url, "passwordVariable": "NOT_SET_ANYWHERE"},
        }
    )
    assert [made[name].password() for name in "ABC"] == ["from file", "from variable", "in-url"]
    assert "in-url" not in repr(made)
    for name, text in (("D", "cannot be read: No such file"), ("E", "NOT_SET_ANYWHERE is not set")):
        with pytest.raises(BrokerError, match=text):
            made[name].password()


def test_sqlite_cannot_be_coordinated_and_the_message_says_what_to_do() -> None:
    settings = read_settings({"STATE": {"url": "sqlite://"}})
    with pytest.raises(BrokerError, match=r"STATE \(sqlite\) cannot take part.*use PostgreSQL, or set"):
        check_coordinated(settings, ["STATE"])
    with pytest.raises(BrokerError, match="no data source SHOP"):
        check_coordinated(settings, ["SHOP"])


# -- statements and transactions --------------------------------------------------------------------------------------


def test_values_go_to_postgresql_and_come_back(make: Make, cluster: Cluster) -> None:
    source = make(columnCase="upper")
    source.execute("CREATE TEMPORARY TABLE v (n numeric, d date, x bytea, s text, b boolean)", [])
    source.execute("INSERT INTO v VALUES (?, ?, ?, ?, ?)", [Decimal("1.50"), Date(2024, 2, 29), b"\0\1", "100 %", True])
    found = source.execute("SELECT n, d, x, s, b FROM v WHERE s LIKE '%\\%' AND n > ?", [1])

    assert found.columns == ["N", "D", "X", "S", "B"]
    assert found.rows == [(Decimal("1.50"), Date(2024, 2, 29), b"\0\1", "100 %", True)]
    assert source.execute("UPDATE v SET n = 2", []).changed == 1
    source.rollback()


def test_nothing_is_seen_by_others_before_commit_and_nothing_after_rollback(
    source: PostgresSource, cluster: Cluster
) -> None:
    source.execute("INSERT INTO t VALUES (1)", [])
    assert (source.touched, rows(cluster)) == (True, [])
    source.commit()
    assert (source.touched, rows(cluster)) == (False, [1])
    source.execute("INSERT INTO t VALUES (2)", [])
    source.rollback()
    assert (source.touched, rows(cluster)) == (False, [1])


def test_a_schema_is_the_search_path(make: Make, cluster: Cluster) -> None:
    cluster.run("one", "CREATE SCHEMA IF NOT EXISTS own", "CREATE TABLE IF NOT EXISTS own.here ()")
    assert make(schema="own, public").execute("SELECT to_regclass('here')::text", []).rows == [("here",)]


def test_the_statement_cache_is_bounded(make: Make) -> None:
    """B267: statements are prepared once and kept, at most `statementCache` of them."""
    source = make(statementCache=3)
    for _ in range(8):
        for number in range(5):
            source.execute(f"SELECT {number} + ?", [1])
    assert source.execute("SELECT count(*) <= 3 FROM pg_prepared_statements", []).rows == [(True,)]


def test_a_statement_that_is_prepared_sees_a_table_that_changed(make: Make, cluster: Cluster) -> None:
    """Its plan is of another type of row: the statement fails once, and is prepared again."""
    source = make()
    cluster.run("one", "DROP TABLE IF EXISTS changing", "CREATE TABLE changing (id integer)")
    cluster.run("one", "INSERT INTO changing VALUES (1)")
    for _ in range(PREPARED_AT + 2):
        assert source.execute("SELECT * FROM changing WHERE id = ?", [1]).rows == [(1,)]
        source.commit()
    cluster.run("one", "ALTER TABLE changing ADD COLUMN name text DEFAULT 'x'")
    with pytest.raises(BrokerError, match="cached plan"):
        source.execute("SELECT * FROM changing WHERE id = ?", [1])
    source.rollback()
    for _ in range(PREPARED_AT + 2):
        assert source.execute("SELECT * FROM changing WHERE id = ?", [1]).rows == [(1, "x")]
        source.commit()
    cluster.run("one", "DROP TABLE changing")


def test_begin_goes_with_the_first_statement_of_a_transaction(make: Make, cluster: Cluster) -> None:
    """Once it is prepared: one round trip in place of two. A failure leaves a transaction to roll back."""
    source = make()
    for number in range(PREPARED_AT):
        source.execute("INSERT INTO t VALUES (?)", [number])
    source.rollback()
    with round_trips(source) as made:
        source.execute("INSERT INTO t VALUES (?)", [7])
    assert made == ["Sync"] and source.touched
    with round_trips(source) as made:
        source.execute("INSERT INTO t VALUES (?)", [8])
        source.commit()
    assert made == ["Sync", "Query"], "the statement, and COMMIT"
    assert cluster.run("one", "SELECT id FROM t ORDER BY id") == [(7,), (8,)]

    cluster.run("one", "ALTER TABLE t ADD CONSTRAINT small CHECK (id < 100)")
    with pytest.raises(BrokerError, match="violates check constraint"):
        source.execute("INSERT INTO t VALUES (?)", [100])
    assert source.touched
    with pytest.raises(BrokerError, match="cannot be committed"):
        source.commit()
    source.execute("INSERT INTO t VALUES (?)", [9])
    source.commit()
    assert cluster.run("one", "SELECT count(*) FROM t") == [(3,)]


def test_a_connection_lost_while_idle_is_made_again_for_a_prepared_statement(make: Make, cluster: Cluster) -> None:
    source = make()
    for number in range(PREPARED_AT):
        source.execute("INSERT INTO t VALUES (?)", [number])
    source.commit()
    end_sessions(cluster)
    source.execute("INSERT INTO t VALUES (?)", [5])
    source.commit()
    assert cluster.run("one", "SELECT count(*) FROM t") == [(PREPARED_AT + 1,)]


@pytest.mark.parametrize("value", [None, True, 3, 2**40, Decimal("1.5"), "text", b"\0\xff", 2.5])
def test_values_come_back_as_they_were_from_a_prepared_statement(make: Make, value: object) -> None:
    source = make()
    types = {bool: "boolean", int: "bigint", Decimal: "numeric", str: "text", bytes: "bytea", float: "float8"}
    sql = f"SELECT CAST(? AS {types.get(type(value), 'text')}) AS found"
    for _ in range(PREPARED_AT + 1):
        assert source.execute(sql, [value]).rows == [(value,)]


def test_a_marker_in_quotes_is_no_marker(make: Make) -> None:
    source = make()
    for _ in range(PREPARED_AT + 1):
        assert source.execute("SELECT '?%', ? -- ?", ["x"]).rows == [("?%", "x")]


def test_several_statements_in_one_text_run_without_values(make: Make, cluster: Cluster) -> None:
    source = make()
    for _ in range(PREPARED_AT + 1):
        source.execute("INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)", [])
    source.commit()
    assert cluster.run("one", "SELECT count(*) FROM t") == [(2 * (PREPARED_AT + 1),)]


def test_copy_is_refused_and_the_next_transaction_connects_again(make: Make, cluster: Cluster) -> None:
    source = make()
    for values in ([], [1]):
        with pytest.raises(BrokerError):
            source.execute("COPY t TO STDOUT", values)
        source.rollback()
        source.execute("INSERT INTO t VALUES (?)", [1])
        source.commit()
    assert cluster.run("one", "SELECT count(*) FROM t") == [(2,)]


def test_a_missing_table_is_an_error_with_its_state(source: PostgresSource) -> None:
    with pytest.raises(BrokerError) as raised:
        source.execute("SELECT * FROM nowhere WHERE a = ?", ["a secret value"])
    assert [entry.number for entry in raised.value.chain()] == [2321, 2322]
    assert raised.value.root_cause().sqlstate == "D42P01"
    assert "a secret value" not in str(raised.value)


def test_a_transaction_with_a_failed_statement_is_never_taken_for_committed(
    source: PostgresSource, cluster: Cluster
) -> None:
    """PostgreSQL answers COMMIT with ROLLBACK and no error (S2)."""
    source.execute("INSERT INTO t VALUES (1)", [])
    with pytest.raises(BrokerError):
        source.execute("INSERT INTO nowhere VALUES (1)", [])
    with pytest.raises(BrokerError, match="cannot go on: a statement failed with SQLSTATE 42P01"):
        source.execute("INSERT INTO t VALUES (2)", [])
    with pytest.raises(BrokerError, match="cannot be committed"):
        source.commit()
    assert rows(cluster) == [] and not source.touched
    source.execute("INSERT INTO t VALUES (3)", [])
    source.commit()
    assert rows(cluster) == [3]


def test_prepare_of_a_failed_transaction_is_a_vote_of_no(source: PostgresSource, cluster: Cluster) -> None:
    """The trap of psycopg: tpc_prepare returns without an error, and nothing is prepared."""
    source.execute("INSERT INTO t VALUES (1)", [])
    with pytest.raises(BrokerError):
        source.execute("SELECT 1 / 0", [])
    with pytest.raises(BrokerError, match="cannot be committed"):
        source.prepare("a gid")
    assert cluster.run("one", "SELECT * FROM pg_prepared_xacts WHERE gid = 'a gid'") == []


def test_a_failed_transaction_that_passed_the_status_check_is_no_vote_either(
    source: PostgresSource, cluster: Cluster
) -> None:
    """The second guard: the number of the transaction is asked for in the same round trip, and the tag is compared."""
    source.execute("INSERT INTO t VALUES (1)", [])
    with pytest.raises(BrokerError):
        source.execute("SELECT 1 / 0", [])
    source._spoiled = ""
    source._check = lambda sql: None  # type: ignore[method-assign]
    with pytest.raises(BrokerError):
        source.prepare("a gid")
    assert cluster.run("one", "SELECT * FROM pg_prepared_xacts WHERE gid = 'a gid'") == []
    assert not source.touched


def test_with_statement_rollback_a_failed_statement_takes_back_only_itself(make: Make, cluster: Cluster) -> None:
    source = make(statementRollback=True)
    source.execute("INSERT INTO t VALUES (1)", [])
    with pytest.raises(BrokerError):
        source.execute("INSERT INTO t VALUES ('x')", [])
    source.execute("INSERT INTO t VALUES (2)", [])
    source.commit()
    assert rows(cluster) == [1, 2]


# -- connections that are lost ----------------------------------------------------------------------------------------


def test_a_connection_lost_while_idle_is_made_again(source: PostgresSource, cluster: Cluster) -> None:
    source.execute("INSERT INTO t VALUES (1)", [])
    source.commit()
    end_sessions(cluster)
    source.execute("INSERT INTO t VALUES (2)", [])
    source.commit()
    assert rows(cluster) == [1, 2]


def test_a_connection_lost_inside_a_transaction_spoils_it_until_rollback(
    source: PostgresSource, cluster: Cluster
) -> None:
    """A flow that catches the error must not commit the second half alone."""
    source.execute("INSERT INTO t VALUES (1)", [])
    end_sessions(cluster)
    for _ in range(2):
        with pytest.raises(BrokerError):
            source.execute("INSERT INTO t VALUES (2)", [])
    assert source.touched
    with pytest.raises(BrokerError, match="cannot be committed"):
        source.commit()
    source.execute("INSERT INTO t VALUES (3)", [])
    source.commit()
    assert rows(cluster) == [3]


def test_a_database_that_is_down_is_an_error_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    source = PostgresSource(read_settings({"X": {"url": f"postgresql://u:pw-secret@127.0.0.1:{free_port()}/d"}})["X"])
    for _ in range(2):
        with pytest.raises(BrokerError) as raised:
            source.execute("SELECT 1", [])
        assert raised.value.root_cause().sqlstate == "D08001"
        assert "pw-secret" not in str(raised.value)
    assert not source.touched


def test_a_wrong_password_is_refused_and_not_shown(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("WRONG", "not-the-password")
    source = PostgresSource(read_settings({"X": {"url": cluster.url("one"), "passwordVariable": "WRONG"}})["X"])
    with pytest.raises(BrokerError, match="password authentication failed") as raised:
        source.execute("SELECT 1", [])
    everything = "".join(entry.text for entry in raised.value.chain()) + caplog.text + repr(source.settings)
    assert "not-the-password" not in everything


def test_a_deadlock_is_an_error_of_one_of_the_two_and_can_be_repeated(
    databases: Mapping[str, Settings], cluster: Cluster
) -> None:
    cluster.run("one", "INSERT INTO t VALUES (1), (2)")
    pair = [PostgresSource(databases["ONE"]) for _ in range(2)]
    for source, number in zip(pair, (1, 2), strict=True):
        source.execute("UPDATE t SET id = id WHERE id = ?", [number])
    errors: list[BrokerError] = []

    def cross(source: PostgresSource, number: int) -> None:
        try:
            source.execute("UPDATE t SET id = id WHERE id = ?", [number])
            source.commit()
        except BrokerError as error:
            errors.append(error)
            source.rollback()

    thread = threading.Thread(target=cross, args=(pair[0], 2))
    thread.start()
    cross(pair[1], 1)
    thread.join(PATIENCE)
    assert [error.root_cause().sqlstate for error in errors] == ["D40P01"]
    assert not any(source.touched for source in pair)


def test_a_serialization_failure_is_a_vote_of_no(make: Make, cluster: Cluster) -> None:
    one, two = make(isolation="serializable"), make(isolation="serializable")
    for number, source in enumerate((one, two)):
        source.execute("SELECT count(*) FROM t", [])
        source.execute("INSERT INTO t VALUES (?)", [number])
    one.commit()
    with pytest.raises(BrokerError) as raised:
        two.prepare("a gid")
    assert raised.value.root_cause().sqlstate == "D40001"
    assert not two.touched
    until(lambda: rows(cluster) == [0])


# -- two phases -------------------------------------------------------------------------------------------------------


def test_a_prepared_transaction_outlives_its_connection_and_is_finished_once(
    source: PostgresSource, databases: Mapping[str, Settings], cluster: Cluster
) -> None:
    source.execute("INSERT INTO t VALUES (1)", [])
    branch = source.prepare("a gid")
    assert branch is not None and branch.xid > 0
    source.close()
    other = PostgresSource(databases["ONE"])
    assert [each.gid for each in other.prepared(10)] == ["a gid"]
    assert other.status_of(branch.xid) == "in progress"
    assert other.finish("a gid", "COMMIT")
    assert not other.finish("a gid", "COMMIT")
    assert other.status_of(branch.xid) == "committed" and rows(cluster) == [1]


def test_a_transaction_that_only_read_votes_read_only(source: PostgresSource, cluster: Cluster) -> None:
    source.execute("SELECT count(*) FROM t", [])
    assert source.prepare("a gid") is None
    assert not source.touched and source.prepared(10) == []


def test_a_query_that_locks_or_writes_does_not_vote_read_only(source: PostgresSource) -> None:
    source.execute("SELECT pg_current_xact_id()", [])
    assert source.prepare("a gid") is not None
    source.finish("a gid", "ROLLBACK")


def test_a_number_of_another_cluster_has_no_status(source: PostgresSource) -> None:
    assert source.status_of(0) == "" and source.status_of(1 << 60) == ""


def test_a_server_without_prepared_transactions_is_named_with_its_setting() -> None:
    with Cluster({"max_prepared_transactions": 0}) as cluster:
        fields = {"url": cluster.url("postgres").replace("@", f":{cluster.password.replace(' ', '%20')}@")}
        source = PostgresSource(read_settings({"SHOP": fields})["SHOP"])
        with pytest.raises(BrokerError, match="SHOP.*max_prepared_transactions = 0.*restart the server"):
            source.check_prepared_transactions()
        source.execute("CREATE TABLE x ()", [])
        with pytest.raises(BrokerError, match="set max_prepared_transactions to at least"):
            source.prepare("a gid")
        assert not source.touched


# -- an instance ------------------------------------------------------------------------------------------------------


def test_nodes_with_transaction_commit_have_a_connection_of_their_own(
    databases: Mapping[str, Settings], cluster: Cluster
) -> None:
    sources = InstanceSources(databases)
    sources.source("ONE").execute("INSERT INTO t VALUES (1)", [])
    own = sources.source("ONE", own_transaction=True)
    own.execute("INSERT INTO t VALUES (2)", [])
    own.commit()
    assert rows(cluster) == [2]
    own.execute("INSERT INTO t VALUES (3)", [])
    own.rollback()
    assert [each.settings.name for each in sources.touched()] == ["ONE"]
    sources.close()
    assert rows(cluster) == [2]


def test_an_unknown_data_source_is_refused_with_the_names_that_are_there() -> None:
    with pytest.raises(BrokerError, match="no data source 'SHOP'; configured: A, B"):
        InstanceSources(read_settings({"B": {"url": "sqlite://"}, "A": {"url": "sqlite://"}})).source("SHOP")


def test_sqlite_has_transactions_and_column_case(tmp_path: Path) -> None:
    fields = {"url": f"sqlite:///{tmp_path / 'a.db'}", "columnCase": "lower"}
    source = open_source(read_settings({"STATE": fields})["STATE"])
    source.execute("CREATE TABLE T (ID INTEGER)", [])
    source.commit()
    source.execute("INSERT INTO T VALUES (?)", [1])
    assert source.touched
    source.rollback()
    found = source.execute("SELECT COUNT(*) AS N FROM T", [])
    assert (found.columns, found.rows) == (["n"], [(0,)])
    source.close()
    assert not source.touched
