"""Checks of a definition: node types, wires, properties."""

from __future__ import annotations

import pytest

from flintmq.broker.flow import node_types, xmi
from flintmq.broker.flow.checks import check_flow
from flintmq.broker.flow.model import Connection, FlowDefinition, NodeDefinition
from tests.broker.flow.sample_flows import AUDIT, ORDERS


@pytest.fixture(autouse=True)
def everything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_types, "_runnable", set(node_types.NODE_TYPES))


def lookup(path: str, user: FlowDefinition) -> FlowDefinition | None:
    return xmi.read(AUDIT) if path == "shop/Audit.subflow" else None


def found(flow: FlowDefinition) -> list[tuple[str, str]]:
    return [(problem.check, problem.node) for problem in check_flow(flow, lookup)]


def test_a_good_flow_has_no_problems() -> None:
    assert found(xmi.read(ORDERS, "x")) == found(xmi.read(AUDIT, "x")) == []


def test_an_unknown_type_is_named_with_file_flow_and_node() -> None:
    flow = xmi.read(ORDERS, "app/Orders.msgflow")
    flow.nodes[0].type = "com/acme/Crypt.msgnode"
    problem = check_flow(flow, lookup)[0]
    assert str(problem) == (
        "app/Orders.msgflow: shop.Orders, node 'Get order': the node type com/acme/Crypt.msgnode is not known"
    )


def test_a_type_that_the_engine_does_not_implement_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_types, "_runnable", {"ComIbmMQInput.msgnode", "ComIbmMQOutput.msgnode"})
    assert found(xmi.read(ORDERS)) == [("cannot-run", "By v.2 class?")]


def test_wires_to_missing_nodes_and_terminals_are_found() -> None:
    flow = xmi.read(ORDERS)
    flow.connections += [
        Connection("1", "gone", "out", "FCMComposite_1_4", "in"),
        Connection("2", "FCMComposite_1_1", "out7", "FCMComposite_1_4", "in"),
        Connection("3", "FCMComposite_1_2", "bronze", "FCMComposite_1_4", "in", source_static=False),
        Connection("4", "FCMComposite_1_2", "gold", "FCMComposite_1_3", "Elsewhere", source_static=False),
        Connection("5", "FCMComposite_1_2", "gold", "FCMComposite_1_4", "in"),
    ]
    assert found(flow) == [
        ("wire-node", ""),
        ("wire-terminal", "Get order"),
        ("wire-terminal", "By v.2 class?"),
        ("wire-terminal", "Audit"),
    ]


def test_wires_of_subflows_that_are_not_there_are_not_checked() -> None:
    assert check_flow(xmi.read(ORDERS)) == []


def test_a_property_that_the_type_does_not_have_is_found_but_not_one_of_the_layout() -> None:
    flow = xmi.read(ORDERS)
    flow.nodes[3].properties |= {"queuName": "X", "rotation": "RIGHT_TO_LEFT"}
    assert found(flow) == [("property", "Put order")]


def test_labels_that_repeat_and_flows_without_an_input_are_found() -> None:
    flow = FlowDefinition("F.msgflow", [NodeDefinition(n, "ComIbmPassthru.msgnode") for n in ("1", "2")])
    for node in flow.nodes:
        node.label = "same"
    assert found(flow) == [("label", "same"), ("no-input", "")]  # B244
