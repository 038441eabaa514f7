"""Database, DatabaseRetrieve and DatabaseRoute nodes on a real SQLite database and on fakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker import FlowFailed
from flintmq.broker.databases import Database, FakeDatabase
from tests.broker.flow.flows import compute, flow_of

RETRIEVE = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Look up:
    type: DatabaseRetrieve
    properties: {dataSourceName: SHOP, sqlQuery: "SELECT C.NAME, C.CITY FROM C WHERE C.ID = ?"}
    tables:
      queryElements:
        - {tableName: C, columnName: ID, operator: "=", valueType: Element, value: "$Body/Order/Customer"}
      dataElements:
        - {columnName: C.NAME, messageElement: "$OutputRoot/XMLNSC/Order/Name"}
        - {columnName: C.CITY, messageElement: "$OutputLocalEnvironment/City"}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Unknown: {type: MQOutput, properties: {queueName: UNKNOWN}}
wires:
  - {from: In.out, to: Look up.in}
  - {from: Look up.out, to: Out.in}
  - {from: Look up.keyNotFound, to: Unknown.in}
"""


def shop() -> Database:
    database = Database("sqlite://")
    database.execute("CREATE TABLE C (ID INTEGER, NAME TEXT, CITY TEXT)", [])
    database.execute("INSERT INTO C VALUES (7, 'Ada', 'London')", [])
    database.commit()
    return database


def test_columns_of_a_query_are_written_into_the_message(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, RETRIEVE)
    assert not flow.problems, flow.problems

    found = flow(b"<Order><Customer>7</Customer></Order>", databases={"SHOP": shop()})
    missed = flow(b"<Order><Customer>8</Customer></Order>", databases={"SHOP": shop()})

    assert found.out["OUT"][0].body == b"<Order><Customer>7</Customer><Name>Ada</Name></Order>"
    assert list(missed.out) == ["UNKNOWN"]


def test_a_query_with_more_markers_than_values_is_a_problem(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, RETRIEVE.replace("C.ID = ?", "C.ID = ? AND C.X = ?"))

    assert "2 markers, and 1 values" in flow.problems[0]


def test_a_route_is_chosen_by_what_the_database_says(tmp_path: Path) -> None:
    yaml = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: JSON}}
  Route:
    type: DatabaseRoute
    properties: {dataSourceName: "{Policies}:SHOP", sqlQuery: "SELECT C.CITY FROM C WHERE C.ID = ?"}
    tables:
      queryElements:
        - {tableName: C, columnName: CITY, operator: ASC, valueType: None, value: None}
        - {tableName: C, columnName: ID, operator: "=", valueType: Element, value: "$Root/JSON/Data/id"}
      filterTable:
        - {filterPattern: "$C_CITY = 'London'", routingOutputTerminal: london}
    out-terminals: [london]
  L: {type: MQOutput, properties: {queueName: LONDON}}
  D: {type: MQOutput, properties: {queueName: REST}}
wires:
  - {from: In.out, to: Route.in}
  - {from: Route.london, to: L.in}
  - {from: Route.default, to: D.in}
"""
    flow = flow_of(tmp_path, yaml)
    database = shop()
    database.execute("INSERT INTO C VALUES (8, 'Bob', 'Paris')", [])

    assert list(flow({"id": 7}, databases={"SHOP": database}).out) == ["LONDON"]
    assert list(flow({"id": 8}, databases={"SHOP": database}).out) == ["REST"]


def test_esql_selects_inserts_and_sees_errors_of_a_real_database(tmp_path: Path) -> None:
    yaml = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Enrich: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main", dataSource: SHOP}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Enrich.in}
  - {from: Enrich.out, to: Out.in}
"""
    body = """
      SET OutputRoot = InputRoot;
      SET OutputRoot.XMLNSC.Order.Name = THE(SELECT ITEM C.NAME FROM Database.C AS C
        WHERE C.ID = CAST(InputRoot.XMLNSC.Order.Customer AS INTEGER));
      INSERT INTO Database.LOGGED (ID) VALUES (1);
      RETURN TRUE;"""
    flow = flow_of(tmp_path, yaml, compute("M", body))
    database = shop()
    with pytest.raises(FlowFailed) as raised:
        flow(b"<Order><Customer>7</Customer></Order>", databases={"SHOP": database})
    assert raised.value.root_cause().kind == "DatabaseException"
    assert "F.esql:6" in str(raised.value)

    database.execute("CREATE TABLE LOGGED (ID INTEGER)", [])
    result = flow(b"<Order><Customer>7</Customer></Order>", databases={"SHOP": database})
    assert result.out["OUT"][0].tree.XMLNSC.Order.Name == "Ada"
    assert database.execute("SELECT COUNT(*) AS N FROM LOGGED", []).rows == [(1,)]


def test_a_data_source_that_is_not_given_is_named(tmp_path: Path) -> None:
    with pytest.raises(FlowFailed, match="there is no data source 'SHOP'"):
        flow_of(tmp_path, RETRIEVE)(b"<Order><Customer>7</Customer></Order>", databases={"OTHER": FakeDatabase()})
