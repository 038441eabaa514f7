"""ESQL and Database nodes of a running flow on PostgreSQL: statements, column names, procedures, coordination."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.broker.runtime import flows
from tests.broker.runtime.desk import Desk
from tests.waiting import PATIENCE, until
from tools.postgres import Cluster

ESQL = """
CREATE PROCEDURE doubled(IN a INTEGER, INOUT b INTEGER) LANGUAGE DATABASE EXTERNAL NAME "public.doubled";

CREATE COMPUTE MODULE Work
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    DECLARE id INTEGER CAST(InputRoot.XMLNSC.o.id AS INTEGER);
    INSERT INTO Database.public.orders (id, name) VALUES (id, InputRoot.XMLNSC.o.name);
    UPDATE Database.orders AS O SET name = UPPER(O.name) WHERE O.id = id;
    PASSTHRU('INSERT INTO orders VALUES (?, ?)' VALUES (id + 1, 'passed'));
    SET OutputRoot.XMLNSC.r.sel[] = (SELECT O.id, O.name FROM Database.orders AS O WHERE O.id >= id);
    SET OutputRoot.XMLNSC.r.pass[] = PASSTHRU('SELECT name FROM orders WHERE id = ?' VALUES (id));
    DECLARE twice INTEGER 0;
    CALL doubled(id, twice);
    SET OutputRoot.XMLNSC.r.twice = twice;
    DELETE FROM Database.orders AS O WHERE O.id = id + 1;
    RETURN TRUE;
  END;
END MODULE;
"""


@pytest.mark.parametrize("coordinated", ["no", "yes"])
def test_statements_of_a_flow_on_postgresql(
    desk: Desk, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, coordinated: str
) -> None:
    """Column names come as the data source says, for SELECT and for PASSTHRU; a procedure gives values back."""
    monkeypatch.setenv("A_PASSWORD", cluster.password)
    cluster.run(
        "one",
        "DROP TABLE IF EXISTS orders",
        "CREATE TABLE orders (id integer, name text)",
        "CREATE OR REPLACE PROCEDURE doubled(a bigint, INOUT b bigint) LANGUAGE sql AS 'SELECT 2 * a'",
    )
    incoming, outgoing = desk.queue("IN"), desk.queue("OUT")
    desk.queue("SYSTEM.BROKER.COORDINATION")
    path = flows.computed(tmp_path / "app", ESQL, data_source="SHOP")
    source = {"url": cluster.url("one"), "passwordVariable": "A_PASSWORD", "columnCase": "upper"}
    worker = desk.start(
        path, "Work", data_sources={"SHOP": source}, overrides={"Work#coordinatedTransaction": coordinated}
    )
    assert worker.problems == {}
    incoming.put("<o><id>7</id><name>ann</name></o>", persistent=True)
    got = outgoing.get_or_none(wait=PATIENCE)
    assert got is not None, desk.said.getvalue()
    assert got.text == (
        "<r><sel><id>7</id><name>ANN</name></sel><sel><id>8</id><name>passed</name></sel>"
        "<pass><NAME>ANN</NAME></pass><twice>14</twice></r>"
    )
    # The queue manager decides; the branch of the database follows.
    until(lambda: cluster.run("one", "SELECT id, name FROM orders") == [(7, "ANN")])
    assert cluster.run("one", "SELECT gid FROM pg_prepared_xacts WHERE database = 'one'") == []


def test_a_coordinated_flow_does_not_start_on_a_database_that_cannot_prepare(desk: Desk, tmp_path: Path) -> None:
    desk.queue("SYSTEM.BROKER.COORDINATION")
    path = flows.computed(tmp_path / "app", ESQL, data_source="SHOP")
    worker = desk.start(
        path,
        "Work",
        data_sources={"SHOP": {"url": f"sqlite:///{tmp_path / 'a.db'}"}},
        overrides={"Work#coordinatedTransaction": "yes"},
    )
    (problem,) = worker.problems["Work"]
    assert "SHOP (sqlite) cannot take part in a coordinated transaction" in problem
    assert "BIP2355E" in desk.said.getvalue()


#: Names data sources in the text (SHOP, ARCHIVE), by a NAME variable and by a computed name; LATER is named by a
#: routine that nothing calls.
NAMES = """
CREATE PROCEDURE keep(IN id INTEGER) BEGIN
  IF id > 0 THEN PASSTHRU('INSERT INTO t VALUES (?)' TO Database.ARCHIVE VALUES (id)); END IF;
END;
CREATE PROCEDURE never(IN id INTEGER) BEGIN
  DELETE FROM Database.LATER.public.t;
END;

CREATE COMPUTE MODULE Work
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    DECLARE chosen NAME 'FROM_VARIABLE';
    DECLARE id INTEGER CAST(InputRoot.XMLNSC.o.id AS INTEGER);
    IF id > 0 THEN
      INSERT INTO Database.SHOP.public.orders (id) VALUES (id);
      INSERT INTO Database.chosen.public.orders (id) VALUES (id);
      INSERT INTO Database.{InputRoot.XMLNSC.o.dsn}.public.orders (id) VALUES (id);
    END IF;
    CALL keep(id);
    SET OutputRoot = InputRoot;
    RETURN TRUE;
  END;
END MODULE;
"""


def test_data_sources_that_are_missing_are_named_before_the_first_message(desk: Desk, tmp_path: Path) -> None:
    """Those of a node and of its ESQL, with what that calls. The flow runs: a message may need none of them."""
    incoming, outgoing = desk.queue("IN"), desk.queue("OUT")
    path = flows.computed(tmp_path / "app", NAMES, data_source="OWN")
    worker = desk.start(path, "Work", data_sources={"SHOP": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    assert worker.problems == {}
    lines = [line for line in desk.said.getvalue().splitlines() if "BIP2321W" in line]
    assert len(lines) == 2
    assert "Work: there is no data source 'OWN'" in lines[0] and "no data source 'ARCHIVE'" in lines[1]
    incoming.put("<o><id>0</id></o>")
    assert outgoing.get(wait=PATIENCE).text == "<o><id>0</id></o>"


def test_a_coordinated_flow_does_not_start_without_a_data_source_that_its_esql_names(
    desk: Desk, tmp_path: Path
) -> None:
    desk.queue("SYSTEM.BROKER.COORDINATION")
    path = flows.computed(tmp_path / "app", NAMES)
    worker = desk.start(path, "Work", overrides={"Work#coordinatedTransaction": "yes"})
    first, second = worker.problems["Work"]
    assert "there is no data source 'ARCHIVE'" in first and "there is no data source 'SHOP'" in second


def test_a_database_that_cannot_prepare_is_found_when_only_esql_names_it(desk: Desk, tmp_path: Path) -> None:
    desk.queue("SYSTEM.BROKER.COORDINATION")
    path = flows.computed(tmp_path / "app", NAMES)
    sources = {name: {"url": f"sqlite:///{tmp_path / 'a.db'}"} for name in ("SHOP", "ARCHIVE")}
    worker = desk.start(path, "Work", data_sources=sources, overrides={"Work#coordinatedTransaction": "yes"})
    assert [problem.split(" cannot")[0] for problem in worker.problems["Work"]] == [
        "BIP2321: data source ARCHIVE (sqlite)",
        "BIP2321: data source SHOP (sqlite)",
    ]
