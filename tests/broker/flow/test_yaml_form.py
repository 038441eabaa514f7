"""Flows as YAML: readable, writable by hand, and equal to the flow file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.flow import xmi, yaml_form
from flintmq.broker.flow.model import (
    AttributeLink,
    Connection,
    FlowDefinition,
    FlowFileError,
    FlowProperty,
    Markup,
    NodeDefinition,
    PropertyDescriptor,
    StickyNote,
    Terminal,
    Text,
)
from tests.broker.flow.sample_flows import AUDIT, ORDERS

BY_HAND = b"""
flow: shop/Small.msgflow
properties:
  queue: {default: IN, promotes: [Get.queueName]}
  limit: {type: EInt, default: 5, user-defined: true}
nodes:
  Get: {type: MQInput}
  Do.it: {type: Compute, properties: {computeExpression: "esql://routine/shop#M.Main", treatWarningsAsErrors: yes}}
  Pick:
    type: Route
    tables: {filterTable: [{filterPattern: "true()", routingOutputTerminal: x}]}
    out-terminals: [x]
  Own: {type: com/acme/Crypt.msgnode}
  Audit: {type: shop/Audit.subflow}
wires:
  - {from: Get, to: Do.it}
  - {from: Do.it.out1, to: Pick}
  - {from: Pick.x, to: Audit.Input}
"""


def without_source(data: bytes) -> FlowDefinition:
    flow = xmi.read(data)
    flow.source = None
    return flow


@pytest.mark.parametrize("data", [ORDERS, AUDIT], ids=["orders", "audit"])
def test_nothing_is_lost_on_the_way_to_yaml_and_back(data: bytes) -> None:
    flow = without_source(data)
    again = yaml_form.read(yaml_form.write(flow))
    assert again == flow
    assert xmi.write(again) == xmi.write(flow)


def test_a_reader_finds_nodes_wires_and_properties_first() -> None:
    text = yaml_form.write(xmi.read(ORDERS)).decode()
    main, _, layout = text.partition("\nlayout:\n")
    assert main.startswith("flow: shop/Orders.msgflow\ndescription: |-\n  Two lines\n  of text\n")
    assert "  Get order:\n    type: MQInput\n    properties:\n      queueName: LOCAL\n" in main
    assert "  - from: Get order.out\n    to: By v.2 class?.in\n" in main
    assert "promotes:\n      - Get order.queueName\n" in main
    assert "FCMC" not in main and "at: 10,20" in layout


def test_a_flow_can_be_written_by_hand() -> None:
    flow = yaml_form.read(BY_HAND)
    assert flow.qualified_name == "shop.Small"
    assert [(node.type, node.label) for node in flow.nodes] == [
        ("ComIbmMQInput.msgnode", "Get"),
        ("ComIbmCompute.msgnode", "Do.it"),
        ("ComIbmRoute.msgnode", "Pick"),
        ("com/acme/Crypt.msgnode", "Own"),
        ("shop/Audit.subflow", "Audit"),
    ]
    assert flow.nodes[1].properties["treatWarningsAsErrors"] == "yes"
    labels = {node.id: node.label for node in flow.nodes}
    assert [
        (labels[wire.source_node], wire.source_terminal, labels[wire.target_node], wire.target_terminal)
        for wire in flow.connections
    ] == [("Get", "out", "Do.it", "in"), ("Do.it", "out1", "Pick", "in"), ("Pick", "x", "Audit", "Input")]
    assert [wire.source_static for wire in flow.connections] == [True, True, False]
    assert len({wire.id for wire in flow.connections}) == 3
    (limit,) = [each for each in flow.properties if each.name == "limit"]
    assert flow.is_user_defined(limit) and limit.default == "5"
    assert flow.links[0].target == "ComIbmMQInput.msgnode#Property.queueName"
    assert xmi.read(xmi.write(flow)) == flow


def test_a_subflow_by_hand_has_terminals_named_by_label() -> None:
    text = b"flow: S.subflow\nnodes: {In: {type: Input}, Out: {type: Output}}\nwires: [{from: In, to: Out}]"
    flow = yaml_form.read(text)
    assert [node.id for node in flow.nodes] == ["InTerminal.In", "OutTerminal.Out"]
    assert xmi.read(xmi.write(flow)) == flow


def test_labels_that_repeat_or_look_like_others_are_told_apart() -> None:
    flow = FlowDefinition("F.msgflow", ns_uri="F.msgflow", ns_prefix="F.msgflow")
    for number, label in enumerate(["a", "a", "a.out", "a 2", ""]):
        node = NodeDefinition(f"n{number}", "ComIbmPassthru.msgnode")
        node.label = label
        flow.nodes.append(node)
    flow.connections = [Connection(f"c{n}", f"n{n}", "out", f"n{(n + 1) % 5}", "in") for n in range(5)]
    flow.connections.append(Connection("twice", "n0", "out", "n1", "in"))
    flow.connections.append(Connection("loose", "n0", "x", "gone", "in", source_static=False))
    assert yaml_form.read(yaml_form.write(flow)) == flow


def test_whatever_a_file_may_hold_is_kept() -> None:
    flow = without_source(ORDERS)
    flow.extras = {"flow": [Markup("x:y", {"a": "1"}, [Markup("z", {}, [], "t")])], "before": [Markup("e")]}
    flow.namespaces = {"x": "urn:x"}
    flow.part_attributes = {"composition": {"k": "v"}}
    flow.omitted = ["stickyBoard"]
    flow.attributes = {"odd": ""}
    flow.nodes[0].texts.clear()
    flow.nodes[1].out_terminals.append(Terminal("raw", "Shown", False, {"q": "r"}))
    flow.nodes[1].tables["deep"] = [{"a": "b", "c": [{"#text": "d"}]}]
    flow.nodes[2].prefix, flow.nodes[2].class_name = "p", "Other_1"
    flow.connections[0].attributes, flow.connections[0].extras = {"w": "1"}, [Markup("m")]
    flow.properties.append(
        FlowProperty("e", "E", None, {"z": "1"}, Markup("eType", {"href": "x#//E"}), [Markup("n")], "id")
    )
    flow.descriptors.append(
        PropertyDescriptor("Property.lost", {"userDefined": "true"}, Text("k", {"string": "s"}), level=0)
    )
    flow.links.insert(0, AttributeLink("Property.limit", ["gone", "FCMComposite_1_1"], "t", {"a": "b"}, [Markup("q")]))
    flow.links.append(AttributeLink("Property.lost", ["FCMComposite_1_1"]))
    flow.notes.append(StickyNote(None, "", ["gone"], {"c": "d"}, [Markup("body")]))
    assert yaml_form.read(yaml_form.write(flow)) == flow


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "flow says the path of the flow"),
        ("- a", "the document must be a mapping"),
        ("flow: F.msgflow\nnode: {}", "has an unknown entry: node. Entries are: description, flow"),
        ("flow: F.msgflow\nnodes: [a]", "nodes must be a mapping"),
        ("flow: F.msgflow\nnodes: {a: {}}", "the node 'a' has no type"),
        ("flow: F.msgflow\nnodes: {a: {type: Label, colour: red}}", "the node 'a' has an unknown entry: colour"),
        ("flow: F.msgflow\nnodes: {a: {type: [x]}}", "the node 'a': type must be text"),
        (
            "flow: F.msgflow\nnodes: {a: {type: Label}}\nwires: [{from: b.out, to: a}]",
            "names no node of the flow: 'b.out'",
        ),
        ("flow: F.msgflow\nwires: [{from: {node: a}, to: a}]", "wire 1 names no node of the flow: 'a'"),
        ("flow: F.msgflow\nwires: {}", "wires must be a list"),
        ("flow: F.msgflow\nproperties: {p: {promotes: [x.y]}}", "names no node of the flow: 'x.y'"),
        ("flow: F.msgflow\nlayout: {extras: {flow: [" + "{children: [" * 150, "nested more than 200 deep"),
        ("flow: F.msgflow\nlayout: {descriptors: [{level: -1}]}", "level is not a number"),
        ("flow: F.msgflow\nflow: [", "not valid YAML"),
    ],
)
def test_a_mistake_is_named_with_file_and_place(text: str, reason: str) -> None:
    with pytest.raises(FlowFileError) as caught:
        yaml_form.read(text.encode(), "F.msgflow.yaml")
    assert str(caught.value).startswith("F.msgflow.yaml") and reason in str(caught.value)


KEYS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")), min_size=1, max_size=8)
LABELS = st.sampled_from(
    ["a", "a.b", "a.b.c", "true", "- x: y", "#", "'", '"', "|", "a: b", " lead", "é", "~", "null", "0x1"]
)
VALUES = st.text(max_size=15)


@st.composite
def flows(draw: st.DrawFn) -> FlowDefinition:
    flow = FlowDefinition("F.msgflow", ns_uri="F.msgflow", ns_prefix="F.msgflow")
    for number, label in enumerate(draw(st.lists(LABELS, max_size=5))):
        node = NodeDefinition(f"n{number}", draw(st.sampled_from(["ComIbmRoute.msgnode", "X.msgnode", "FCMSink"])))
        node.class_name = "FCMSink" if node.type == "FCMSink" else "FCMComposite_1"
        node.label = label
        node.properties = draw(st.dictionaries(KEYS, VALUES, max_size=3))
        node.tables = draw(
            st.dictionaries(KEYS, st.lists(st.dictionaries(KEYS, VALUES), min_size=1, max_size=2), max_size=2)
        )
        node.out_terminals = [Terminal(name, name) for name in draw(st.lists(LABELS, max_size=2, unique=True))]
        flow.nodes.append(node)
    ends = st.sampled_from([node.id for node in flow.nodes] + ["gone"])
    for number, ids in enumerate(draw(st.lists(st.tuples(ends, LABELS, ends, LABELS, st.booleans()), max_size=6))):
        flow.connections.append(Connection(f"c{number}", *ids))
    return flow


@settings(max_examples=40, deadline=None)
@given(flows())
def test_any_flow_comes_back_as_it_was(flow: FlowDefinition) -> None:
    assert yaml_form.read(yaml_form.write(flow)) == flow


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, len(BY_HAND)), junk=st.text(max_size=5))
def test_a_damaged_text_is_read_or_refused_but_never_a_crash(cut: int, junk: str) -> None:
    try:
        yaml_form.write(yaml_form.read(BY_HAND[:cut] + junk.encode() + BY_HAND[cut + len(junk) :]))
    except FlowFileError:
        pass
