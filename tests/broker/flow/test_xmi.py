"""Flow files: what is read, that nothing is lost, and that bad files are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.flow import xmi
from flintmq.broker.flow.model import (
    INPUT_TERMINAL,
    OUTPUT_TERMINAL,
    Connection,
    FlowDefinition,
    FlowFileError,
    Markup,
    NodeDefinition,
    PropertyDescriptor,
    prefix_of,
)
from tests.broker.flow.sample_flows import AUDIT, ORDERS, flow_file


def test_a_node_has_its_type_from_the_namespace_and_its_properties_as_written() -> None:
    flow = xmi.read(ORDERS)
    node = flow.nodes[0]
    assert (node.id, node.type, node.label, node.position) == (
        "FCMComposite_1_1",
        "ComIbmMQInput.msgnode",
        "Get order",
        (10, 20),
    )
    assert node.properties == {"queueName": "LOCAL", "messageDomainProperty": "XMLNSC"}
    assert flow.nodes[2].type == "shop/Audit.subflow" and flow.nodes[2].is_subflow


def test_the_type_is_the_namespace_even_if_the_prefix_says_something_else() -> None:
    data = AUDIT.replace(b"xmlns:ComIbmMQOutput.msgnode=", b"xmlns:p9=").replace(
        b'xmi:type="ComIbmMQOutput.msgnode:', b'xmi:type="p9:'
    )
    flow = xmi.read(data)
    assert (flow.nodes[2].type, flow.nodes[2].prefix) == ("ComIbmMQOutput.msgnode", "p9")
    flow.source = None
    assert xmi.read(xmi.write(flow)) == flow


@pytest.mark.parametrize("path", ["a b/Straße.subflow", "a%20b/Stra%C3%9Fe.subflow"])
def test_a_subflow_path_with_blanks_and_letters_outside_ascii_is_a_type_as_it_is_on_disk(path: str) -> None:
    body = """<composition><nodes xmi:type="p:FCMComposite_1" xmi:id="n1"/></composition>"""
    data = flow_file("F.msgflow", ["Q"], body).replace(b'xmlns:Q="Q"', f'xmlns:p="{path}"'.encode())
    flow = xmi.read(data)
    assert flow.nodes[0].type == "a b/Straße.subflow"
    assert xmi.canonical(xmi.write(flow)) == xmi.canonical(data)


def test_wires_keep_the_order_of_the_file_and_tell_dynamic_terminals() -> None:
    flow = xmi.read(ORDERS)
    assert [(each.source_terminal, each.source_static, each.target_terminal) for each in flow.connections] == [
        ("out", True, "in"),
        ("gold", False, "Input"),
        ("silver", False, "in"),
        ("Output", True, "in"),
    ]
    assert [wire.target_node for wire in flow.wires("FCMComposite_1_2", "gold")] == ["FCMComposite_1_3"]
    assert flow.connections[1].bend_points == ["114,16,-121,16"]


def test_tables_are_rows_and_dynamic_terminals_are_listed() -> None:
    route = xmi.read(ORDERS).nodes[1]
    assert route.tables["filterTable"] == [
        {"filterPattern": "$Root/XMLNSC/Order/@class='gold'", "routingOutputTerminal": "gold"},
        {"filterPattern": "true()", "routingOutputTerminal": "silver"},
    ]
    assert [terminal.name for terminal in route.out_terminals] == ["gold", "silver"]


def test_nested_table_elements_are_nested_rows() -> None:
    body = """<composition><nodes xmi:type="ComIbmCompute.msgnode:FCMComposite_1" xmi:id="n1">
        <monitorEvents eventSourceName="n1.terminal.in"><eventXMLDoc name="a"><eventName literal="x"/>
        <eventName literal="y"/><name>text</name></eventXMLDoc></monitorEvents></nodes></composition>"""
    data = flow_file("F.msgflow", ["ComIbmCompute.msgnode"], body)
    flow = xmi.read(data)
    (event,) = flow.nodes[0].tables["monitorEvents"]
    assert event["eventXMLDoc"] == [
        {"name": "a", "eventName": [{"literal": "x"}, {"literal": "y"}], "name*": [{"#text": "text"}]}
    ]
    flow.source = None
    assert xmi.read(xmi.write(flow)).nodes == flow.nodes


def test_promoted_and_user_defined_properties_are_told_apart() -> None:
    flow = xmi.read(ORDERS)
    by_name = {each.name: each for each in flow.properties}
    assert [each.key for each in flow.descriptors] == ["Property.inQueue", "Property.limit", "Property.auditQueue"]
    assert by_name["limit"].type == "EInt" and flow.is_user_defined(by_name["limit"])
    assert by_name["inQueue"].mandatory and not flow.is_user_defined(by_name["inQueue"])
    assert by_name["auditQueue"].default is None
    (link,) = flow.links_of(by_name["auditQueue"])
    assert (link.nodes, link.target, link.attribute) == (
        ["FCMComposite_1_3"],
        "shop/Audit.subflow#Property.queue",
        "queue",
    )


def test_the_terminals_of_a_subflow_are_named_by_id_and_labelled_by_translation() -> None:
    flow = xmi.read(AUDIT)
    (source,) = flow.terminals(INPUT_TERMINAL)
    (sink,) = flow.terminals(OUTPUT_TERMINAL)
    assert (source.terminal_name, source.label) == ("Input", "Input")
    assert (sink.terminal_name, sink.label) == ("Output", "Done")


@pytest.mark.parametrize("data", [ORDERS, AUDIT], ids=["orders", "audit"])
def test_writing_gives_the_same_canonical_document_with_comments_and_layout(data: bytes) -> None:
    flow = xmi.read(data)
    assert xmi.canonical(xmi.write(flow)) == xmi.canonical(data)


@pytest.mark.parametrize("data", [ORDERS, AUDIT], ids=["orders", "audit"])
def test_the_definition_alone_is_enough_to_write_the_flow(data: bytes) -> None:
    flow = xmi.read(data)
    flow.source = None
    assert xmi.read(xmi.write(flow)) == flow


def test_unknown_attributes_and_elements_are_kept() -> None:
    data = (
        ORDERS.replace(
            b"<stickyBoard>", b'<novelty a="1"><deep xmi:type="eflow:X">t</deep></novelty><stickyBoard z="2">'
        )
        .replace(b"<composition>", b"<composition><strange/>")
        .replace(b'xmi:id="FCMConnection_3"', b'xmi:id="FCMConnection_3" weight="5"')
        .replace(b"<propertyOrganizer>", b"<propertyOrganizer><odd/>")
        .replace(b'lowerBound="1"', b'lowerBound="1" derived="true"')
    )
    flow = xmi.read(data)
    assert flow.extras["flow"] == [Markup("novelty", {"a": "1"}, [Markup("deep", {"xmi:type": "eflow:X"}, [], "t")])]
    assert flow.part_attributes == {"stickyBoard": {"z": "2"}}
    assert flow.connections[2].attributes == {"weight": "5"}
    assert xmi.canonical(xmi.write(flow)) == xmi.canonical(data)
    flow.source = None
    assert xmi.read(xmi.write(flow)) == flow


def test_a_change_is_written_and_the_rest_of_the_file_stays() -> None:
    flow = xmi.read(ORDERS)
    flow.nodes[3].properties["queueName"] = "ELSEWHERE"
    flow.nodes[3].properties["persistenceMode"] = "yes"
    written = xmi.write(flow)
    expected = ORDERS.replace(b'queueName="ORDERS.OUT"', b'queueName="ELSEWHERE" persistenceMode="yes"')
    assert xmi.canonical(written) == xmi.canonical(expected)
    assert b"<!-- Both classes are written down. -->" in written


def test_nodes_and_wires_can_be_added_removed_and_reordered() -> None:
    flow = xmi.read(ORDERS)
    added = NodeDefinition("FCMComposite_1_9", "ComIbmTrace.msgnode", location="1,1")
    added.label = "Trace"
    del flow.nodes[3]
    flow.nodes.append(added)
    flow.connections = [
        Connection("FCMConnection_9", "FCMComposite_1_2", "silver", "FCMComposite_1_9", "in", source_static=False),
        flow.connections[1],
        flow.connections[0],
    ]
    again = xmi.read(xmi.write(flow))
    assert (again.nodes, again.connections, again.links) == (flow.nodes, flow.connections, flow.links)
    assert b"\n      <connections" in xmi.write(flow)


def test_descriptors_that_are_siblings_stay_siblings() -> None:
    body = """<composition/><propertyOrganizer>
      <propertyDescriptor describedAttribute="Property.a">
        <propertyDescriptor describedAttribute="Property.b"/><propertyDescriptor describedAttribute="Property.c"/>
      </propertyDescriptor><propertyDescriptor describedAttribute="Property.d"/></propertyOrganizer>"""
    flow = xmi.read(flow_file("F.msgflow", [], body))
    assert [(each.key, each.level) for each in flow.descriptors] == [
        ("Property.a", None),
        ("Property.b", None),
        ("Property.c", 1),
        ("Property.d", 0),
    ]
    flow.source = None
    assert xmi.read(xmi.write(flow)) == flow


def test_two_hundred_properties_need_no_deep_recursion() -> None:
    flow = FlowDefinition("F.msgflow", descriptors=[PropertyDescriptor(f"Property.p{n}") for n in range(200)])
    assert xmi.read(xmi.write(flow)).descriptors == flow.descriptors


def test_a_second_classifier_before_or_after_the_flow_keeps_its_place() -> None:
    enum = b'<eClassifiers xmi:type="ecore:EEnum" name="%s"><eLiterals name="x"/></eClassifiers>'
    head, _, tail = AUDIT.partition(b"  <eClassifiers")
    data = head + enum % b"one" + b"  <eClassifiers" + tail.replace(b"</ecore:", enum % b"two" + b"</ecore:")
    flow = xmi.read(data)
    assert [part for part in ("before", "package") if part in flow.extras] == ["before", "package"]
    assert xmi.canonical(xmi.write(flow)) == xmi.canonical(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b" \r\n", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"<a>", "not well-formed XML"),
        (b"<a/>", "the root element is a, not ecore:EPackage"),
        (b"\x00\x01\x02", "not well-formed XML"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "a document type declaration is refused"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a/>'.encode("utf-16"), "a document type declaration is refused"),
        (b"<a>" * 1000 + b"</a>" * 1000, "not well-formed XML: Excessive depth"),
        (
            ORDERS.replace(b"eflow:FCMComposite", b"eflow:Other"),
            "there is no eClassifiers element of type eflow:FCMComposite",
        ),
    ],
)
def test_a_file_that_is_no_flow_is_reported_with_file_and_reason(data: bytes, reason: str) -> None:
    with pytest.raises(FlowFileError) as caught:
        xmi.read(data, "app/Flow.msgflow")
    assert str(caught.value).startswith("app/Flow.msgflow") and reason in str(caught.value)


def test_a_syntax_error_names_the_line() -> None:
    with pytest.raises(FlowFileError) as caught:
        xmi.read(b"<a>\n<b></a>", "f.msgflow")
    assert caught.value.line == 2


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FlowFileError, match="No such file"):
        xmi.read_file(tmp_path / "none.msgflow")


def test_the_path_within_the_project_gives_name_and_schema(tmp_path: Path) -> None:
    file = tmp_path / "Orders.msgflow"
    file.write_bytes(ORDERS)
    flow = xmi.read_file(file, "a/b/Orders.msgflow")
    assert (flow.name, flow.schema, flow.qualified_name) == ("Orders", "a.b", "a.b.Orders")
    assert xmi.read_file(file).qualified_name == "shop.Orders"


def test_labels_may_be_anything_and_may_repeat() -> None:
    flow = FlowDefinition("F.msgflow")
    for number, label in enumerate(["a.b c", "Straße?", "a.b c", "x & <y>"]):
        node = NodeDefinition(f"n{number}", "ComIbmPassthru.msgnode")
        node.label = label
        flow.nodes.append(node)
    again = xmi.read(xmi.write(flow))
    assert [node.label for node in again.nodes] == ["a.b c", "Straße?", "a.b c", "x & <y>"]
    assert len(again.labelled("a.b c")) == 2


def test_text_that_xml_cannot_hold_is_refused_when_it_is_written() -> None:
    flow = FlowDefinition("F.msgflow", nodes=[NodeDefinition("n", "T.msgnode", {"a": "\x01"})])
    with pytest.raises(FlowFileError, match="cannot be written as XML"):
        xmi.write(flow)


NAMES = st.sampled_from(["a", "queueName", "x1", "b.c", "d-e", "é"])
VALUES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")), max_size=12) | st.just("a\nb\tc")
TABLES = st.sampled_from(["filterTable", "xTable"])
NODE_TYPES = st.sampled_from(["ComIbmCompute.msgnode", "a b/Sub.subflow", "0x/é.msgnode", "FCMSource"])


@st.composite
def flows(draw: st.DrawFn) -> FlowDefinition:
    nodes = [
        NodeDefinition(
            f"n{number}",
            node_type,
            draw(st.dictionaries(NAMES, VALUES, max_size=3)),
            draw(st.dictionaries(TABLES, st.lists(st.dictionaries(NAMES, VALUES, max_size=2), min_size=1, max_size=2))),
            class_name="FCMSource" if node_type == "FCMSource" else "FCMComposite_1",
        )
        for number, node_type in enumerate(draw(st.lists(NODE_TYPES, max_size=4)))
    ]
    for node in nodes:
        node.label = draw(VALUES)
    ends = st.sampled_from([node.id for node in nodes] or ["n0"])
    terminals = st.sampled_from(["in", "out", "x y"])
    wires = draw(st.lists(st.tuples(ends, terminals, ends, terminals, st.booleans()), max_size=5))
    connections = [Connection(f"c{number}", *wire) for number, wire in enumerate(wires)]
    return FlowDefinition("F.msgflow", nodes, connections)


@settings(max_examples=30, deadline=None)
@given(flow=flows())
def test_any_definition_comes_back_as_it_was(flow: FlowDefinition) -> None:
    written = xmi.write(flow)
    again = xmi.read(written)
    assert again == flow
    assert xmi.canonical(xmi.write(again)) == xmi.canonical(written)


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, len(ORDERS)), junk=st.binary(max_size=6))
def test_a_damaged_file_is_read_or_refused_but_never_a_crash(cut: int, junk: bytes) -> None:
    try:
        flow = xmi.read(ORDERS[:cut] + junk + ORDERS[cut + len(junk) :])
    except FlowFileError:
        return
    xmi.write(flow)


@pytest.mark.parametrize(
    ("node_type", "prefix"),
    [
        ("ComIbmMQInput.msgnode", "ComIbmMQInput.msgnode"),
        ("a/b/Err.subflow", "a_b_Err.subflow"),
        ("a b/E!.subflow", "a_b_E_.subflow"),
        ("1st.subflow", "_1st.subflow"),
    ],
)
def test_a_prefix_is_the_type_with_underscores(node_type: str, prefix: str) -> None:
    assert prefix_of(node_type) == prefix
