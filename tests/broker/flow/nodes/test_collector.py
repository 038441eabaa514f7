"""Collector: collections by quantity, time and correlation."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker import Flow, FlowFailed, FlowResult
from tests.broker.flow.flows import compute, flow_of

FLOW = """
nodes:
  A: {type: MQInput, properties: {queueName: A, messageDomainProperty: JSON}}
  B: {type: MQInput, properties: {queueName: B, messageDomainProperty: JSON}}
  C: {type: MQInput, properties: {queueName: C}}
  Collector:
    type: Collector
    properties: {collectionName: "orders-*", PROPERTIES}
    tables:
      eventHandlerPropertyTable:
        - {terminal: a, ROW_A}
        - {terminal: b, ROW_B}
    in-terminals: [a, b, c]
  Show: {type: Compute, properties: {computeExpression: "esql://routine/#Show.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Late: {type: Compute, properties: {computeExpression: "esql://routine/#Show.Main"}}
  Expired: {type: MQOutput, properties: {queueName: EXPIRED}}
  Caught: {type: Compute, properties: {computeExpression: "esql://routine/#Caught.Main"}}
  ToCaught: {type: MQOutput, properties: {queueName: CAUGHT}}
wires:
  - {from: A.out, to: Collector.a}
  - {from: B.out, to: Collector.b}
  - {from: C.out, to: Collector.CONTROL}
  - {from: Collector.out, to: Show.in}
  - {from: Show.out, to: Out.in}
  - {from: Collector.expire, to: Late.in}
  - {from: Late.out, to: Expired.in}
  - {from: Caught.out, to: ToCaught.in}
"""
ESQL = compute(
    "Show",
    """IF InputRoot.Collection.a.JSON.Data.bad THEN THROW USER EXCEPTION; END IF;
    SET OutputRoot.JSON.Data.name = InputRoot.Collection.CollectionName;
    SET OutputRoot.JSON.Data.match = InputLocalEnvironment.Wildcard.WildcardMatch;
    SET OutputRoot.JSON.Data.protocol = InputRoot.Properties.ReplyProtocol;
    CREATE FIELD OutputRoot.JSON.Data.n TYPE JSON.Array;
    FOR each1 AS InputRoot.Collection.*[] DO
      IF FIELDNAME(each1) <> 'CollectionName' THEN
        CREATE LASTCHILD OF OutputRoot.JSON.Data.n NAME 'Item'
          VALUE FIELDNAME(each1) || CAST(each1.JSON.Data.n AS CHARACTER);
      END IF;
    END FOR;
    RETURN TRUE;""",
) + compute("Caught", "SET OutputRoot.JSON.Data.caught = 1; RETURN TRUE;")


def collecting(
    place: Path,
    row_a: str = "quantity: 1",
    row_b: str = "quantity: 1",
    properties: str = "",
    control: str = "control",
    more: str = "",
) -> Flow:
    """Return a flow that collects from two queues."""
    text = FLOW.replace("ROW_A", row_a).replace("ROW_B", row_b).replace("PROPERTIES", properties)
    return flow_of(place, text.replace("CONTROL", control) + more, ESQL)


def shown(result: FlowResult, queue: str = "OUT") -> list[list[object]]:
    """Return what each collection of a result holds."""
    return [message.tree.JSON.Data.n.to_dict() for message in result.out.get(queue, [])]


def test_a_collection_is_complete_when_each_terminal_has_its_quantity(tmp_path: Path) -> None:
    flow = collecting(tmp_path, "quantity: 2")

    assert shown(flow({"n": 1}, input="A")) == []
    assert shown(flow({"n": 2}, input="B")) == []
    result = flow({"n": 3}, input="A")

    assert shown(result) == [["a1", "b2", "a3"]]
    assert result.out["OUT"][0].tree.JSON.Data.to_dict()["name"] == "orders-"
    assert result.out["OUT"][0].tree.JSON.Data.protocol == "UNKNOWN"


def test_a_message_for_a_satisfied_terminal_starts_the_next_collection(tmp_path: Path) -> None:
    flow = collecting(tmp_path)

    flow({"n": 1}, input="A")
    flow({"n": 2}, input="A")

    assert shown(flow({"n": 3}, input="B")) == [["a1", "b3"]]
    assert shown(flow({"n": 4}, input="B")) == [["a2", "b4"]]


def test_messages_with_the_same_text_belong_together(tmp_path: Path) -> None:
    row = 'quantity: 1, correlationPath: "$Root/JSON/Data/customer"'
    flow = collecting(tmp_path, row, row)

    flow({"n": 1, "customer": "x"}, input="A")
    flow({"n": 2, "customer": "y"}, input="A")
    result = flow({"n": 3, "customer": "y"}, input="B")

    assert shown(result) == [["a2", "b3"]]
    data = result.out["OUT"][0].tree.JSON.Data.to_dict()
    assert (data["name"], data["match"]) == ("orders-y", "y")


def test_a_pattern_takes_a_part_of_the_text(tmp_path: Path) -> None:
    row_a = 'quantity: 1, correlationPath: "$Root/JSON/Data/file", correlationPattern: "*.head"'
    row_b = 'quantity: 1, correlationPath: "$Root/JSON/Data/file", correlationPattern: "*.body"'
    flow = collecting(tmp_path, row_a, row_b)

    flow({"n": 1, "file": "7.head"}, input="A")
    other = flow({"n": 2, "file": "8.body"}, input="B")
    result = flow({"n": 3, "file": "7.body"}, input="B")

    assert shown(other) == []
    assert result.out["OUT"][0].tree.JSON.Data.match == "7"


def test_a_terminal_may_wait_for_a_time_instead_of_a_quantity(tmp_path: Path) -> None:
    flow = collecting(tmp_path, "timeout: 10", "quantity: 1")

    for number in range(3):
        flow({"n": number}, input="A")
    flow({"n": 9}, input="B")

    assert shown(flow.advance(9)) == []
    assert shown(flow.advance(1)) == [["a0", "a1", "a2", "b9"]]


def test_an_incomplete_collection_expires(tmp_path: Path) -> None:
    flow = collecting(tmp_path, properties="collectionExpiry: 60")

    flow({"n": 1}, input="A")

    assert shown(flow.advance(59), "EXPIRED") == []
    assert shown(flow.advance(1), "EXPIRED") == [["a1"]]
    assert shown(flow({"n": 2}, input="B")) == []


def test_a_complete_collection_does_not_expire(tmp_path: Path) -> None:
    flow = collecting(tmp_path, properties="collectionExpiry: 60")

    flow({"n": 1}, input="A")
    flow({"n": 2}, input="B")

    assert flow.advance(1000).out == {}


@pytest.mark.parametrize(
    ("mode", "first"),
    [("AllCompleteCollections", [["a1", "b1"], ["a2", "b2"]]), ("FirstCompleteCollection", [["a1", "b1"]])],
)
def test_a_control_message_sends_complete_collections(tmp_path: Path, mode: str, first: list[list[str]]) -> None:
    flow = collecting(tmp_path, properties=f"eventCoordination: {mode}")
    for number in (1, 2):
        flow({"n": number}, input="A")
        assert flow({"n": number}, input="B").out == {}
    flow({"n": 3}, input="A")

    assert shown(flow(b"go", input="C")) == first
    assert shown(flow(b"go", input="C")) == [["a1", "b1"], ["a2", "b2"]][len(first) :]
    assert shown(flow(b"go", input="C")) == []


def test_what_fails_behind_a_collection_is_raised_or_caught(tmp_path: Path) -> None:
    plain = collecting(tmp_path)
    catching = collecting(tmp_path / "2", more="  - {from: Collector.catch, to: Caught.in}\n")

    for flow in (plain, catching):
        flow({"n": 1, "bad": True}, input="A")
    with pytest.raises(FlowFailed) as raised:
        plain({"n": 2}, input="B")
    assert raised.value.root_cause().number == 2951
    assert list(catching({"n": 2}, input="B").out) == ["CAUGHT"]


def test_a_terminal_without_a_handler_is_an_error(tmp_path: Path) -> None:
    flow = collecting(tmp_path, control="c")

    with pytest.raises(FlowFailed) as raised:
        flow(b"x", input="C")

    assert raised.value.root_cause().number == 4701


@pytest.mark.parametrize(
    ("row", "properties", "reason"),
    [
        ("quantity: many", "", "invalid literal"),
        ("correlationPath: '$Root/(('", "", "event handler of a"),
        ("quantity: 1", "eventCoordination: Never", "eventCoordination"),
    ],
)
def test_handlers_that_cannot_work_are_a_problem(tmp_path: Path, row: str, properties: str, reason: str) -> None:
    assert reason in collecting(tmp_path, row, properties=properties).problems[0]
