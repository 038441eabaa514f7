"""Databases through SQLAlchemy, and fakes."""

from __future__ import annotations

from decimal import Decimal

import pytest

from flintmq.broker.databases import Database, FakeDatabase, driver_text
from flintmq.broker.errors import BrokerError
from flintmq.broker.values import Date, Timestamp


@pytest.fixture
def database() -> Database:
    made = Database("sqlite://")
    made.execute("CREATE TABLE T (ID INTEGER PRIMARY KEY, NAME TEXT, PRICE NUMERIC, DAY TEXT)", [])
    return made


def test_values_go_in_and_come_out(database: Database) -> None:
    database.execute("INSERT INTO T VALUES (?, ?, ?, ?)", [1, "nut", Decimal("2.5"), Date(2024, 1, 31)])
    rows = database.execute("SELECT ID, NAME, PRICE, DAY FROM T WHERE NAME = ?", ["nut"])

    assert rows.columns == ["ID", "NAME", "PRICE", "DAY"]
    assert rows.rows == [(1, "nut", 2.5, "2024-01-31")]
    assert database.execute("UPDATE T SET NAME = ? WHERE ID > ?", ["x", 0]).changed == 1


def test_a_transaction_ends_with_commit_or_rollback(database: Database) -> None:
    database.commit()
    database.execute("INSERT INTO T VALUES (1, 'a', 1, '')", [])
    database.rollback()
    assert database.execute("SELECT COUNT(*) AS N FROM T", []).rows == [(0,)]
    database.close()


def test_an_error_carries_state_and_text_but_no_parameters(database: Database) -> None:
    database.execute("INSERT INTO T VALUES (?, 'a', 1, '')", [7])
    with pytest.raises(BrokerError) as raised:
        database.execute("INSERT INTO T VALUES (?, ?, 1, '')", [7, "secret word"])

    entries = list(raised.value.chain())
    assert [entry.number for entry in entries] == [2321, 2322]
    assert entries[1].sqlstate == "D23000"
    assert entries[1].kind == "DatabaseException"
    assert "UNIQUE" in entries[1].text
    assert "secret word" not in str(entries[0].text) + str(entries[1].text)


def test_a_database_that_is_not_there_is_an_error_of_the_flow() -> None:
    with pytest.raises(BrokerError, match="2322"):
        Database("sqlite:////nowhere/at/all.db").execute("SELECT 1", [])


def test_markers_become_those_of_the_driver_outside_text_names_and_comments() -> None:
    sql = "SELECT '?' AS \"a?\", 10 % 3 FROM t -- why?\n WHERE a = ? AND b LIKE 'x%' /* ? */ AND c = ?"

    assert driver_text(sql, "qmark") == sql
    assert driver_text(sql, "format") == (
        "SELECT '?' AS \"a?\", 10 %% 3 FROM t -- why?\n WHERE a = %s AND b LIKE 'x%%' /* ? */ AND c = %s"
    )


def test_a_fake_answers_by_text_or_pattern() -> None:
    fake = FakeDatabase(
        {
            "select * from A": [{"ID": 1}, {"ID": 2}],
            "INSERT*": 1,
            "SELECT NOW*": lambda sql, values: [{"T": values[0]}],
            "DELETE*": BrokerError(2321, "no", sqlstate="D42000"),
        }
    )

    assert fake.execute("SELECT *  FROM a", []).rows == [(1,), (2,)]
    assert fake.execute("INSERT INTO A VALUES (?)", [3]).changed == 1
    assert fake.execute("SELECT NOW()", [Timestamp(2024, 1, 1)]).rows == [(Timestamp(2024, 1, 1),)]
    with pytest.raises(BrokerError, match="no"):
        fake.execute("DELETE FROM A", [])
    with pytest.raises(BrokerError, match="has no answer"):
        fake.execute("DROP TABLE A", [])
    assert len(fake.statements) == 5
