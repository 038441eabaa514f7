"""Effective properties: defaults, attributes, promotion through levels, BAR overrides, user variables."""

from __future__ import annotations

import pytest

from flintmq.broker.flow import xmi
from flintmq.broker.flow.model import (
    PROPERTY,
    AttributeLink,
    FlowDefinition,
    FlowProperty,
    NodeDefinition,
    PropertyDescriptor,
)
from flintmq.broker.flow.resolve import DEPTH_MAX, INSTANCES_MAX, ResolvedFlow, Target, resolve, targets
from tests.broker.flow.sample_flows import AUDIT, ORDERS

FLOWS = {"shop/Audit.subflow": xmi.read(AUDIT)}


def lookup(path: str, user: FlowDefinition) -> FlowDefinition | None:
    return FLOWS.get(path)


def node(node_id: str, kind: str, label: str, **properties: str) -> NodeDefinition:
    found = NodeDefinition(node_id, kind, dict(properties))
    found.label = label
    return found


def expand(*overrides: tuple[str, str], **variables: str) -> ResolvedFlow:
    return resolve(xmi.read(ORDERS), lookup, overrides, variables)


def value(flow: ResolvedFlow, name: str, *labels: str) -> tuple[str, str]:
    found = flow.find(*labels)
    assert found is not None
    return found.properties[name], found.origins[name]


def test_a_property_that_nobody_sets_has_the_default_of_the_type() -> None:
    assert value(expand(), "transactionMode", "Get order") == ("yes", "default")  # B233
    assert value(expand(), "transactionMode", "Put order") == ("automatic", "default")


def test_an_attribute_of_the_node_wins_over_the_default() -> None:
    assert value(expand(), "transactionMode", "Audit", "Keep copy") == ("no", "node")
    assert value(expand(), "queueName", "Put order") == ("ORDERS.OUT", "node")


def test_a_promoted_default_wins_over_the_attribute() -> None:
    assert value(expand(), "queueName", "Get order") == ("ORDERS.IN", "promoted")


def test_an_override_of_the_promoted_property_wins_over_its_default() -> None:
    assert value(expand(("shop.Orders#inQueue", "PROD")), "queueName", "Get order") == ("PROD", "override")


def test_an_override_of_the_node_wins_over_everything() -> None:
    flow = expand(("shop.Orders#inQueue", "A"), ("shop.Orders#Get order.queueName", "B"))
    assert value(flow, "queueName", "Get order") == ("B", "override")


def test_a_property_without_a_value_leaves_the_default_of_the_subflow() -> None:
    assert value(expand(), "queueName", "Audit", "Keep copy") == ("AUDIT", "promoted")


@pytest.mark.parametrize(
    "uri",
    [
        "shop.Orders#auditQueue",
        "shop.Orders#Audit.queue",
        "shop.Orders#Audit.Keep copy.queueName",
        "shop.Audit#queue",
        "shop.Audit#Keep copy.queueName",
    ],
)
def test_a_node_of_a_subflow_can_be_overridden_at_every_level(uri: str) -> None:
    assert value(expand((uri, "X")), "queueName", "Audit", "Keep copy") == ("X", "override")


def test_the_flow_outside_wins_over_the_override_of_the_subflow() -> None:
    inner, outer = ("shop.Audit#queue", "INNER"), ("shop.Orders#auditQueue", "OUTER")
    assert value(expand(inner, outer), "queueName", "Audit", "Keep copy") == ("OUTER", "override")
    inner, outer = ("shop.Audit#Keep copy.queueName", "INNER"), ("shop.Orders#Audit.Keep copy.queueName", "OUTER")
    assert value(expand(outer, inner), "queueName", "Audit", "Keep copy") == ("OUTER", "override")


def test_an_attribute_of_the_subflow_node_sets_the_property_of_the_subflow() -> None:
    flow = xmi.read(ORDERS)
    flow.nodes[2].properties["queue"] = "FROM.NODE"
    assert value(resolve(flow, lookup), "queueName", "Audit", "Keep copy") == ("FROM.NODE", "promoted")


def test_a_user_defined_property_is_there_for_esql_with_type_and_value() -> None:
    limit = expand(("shop.Orders#limit", "5")).root.user_properties()["limit"]
    assert (limit.type, limit.value, limit.origin) == ("EInt", "5", "override")
    assert "inQueue" not in expand().root.user_properties()


def test_a_subflow_sees_the_user_defined_properties_of_the_flow_outside() -> None:
    audit = expand().find("Audit")
    assert audit is not None and audit.subflow is not None
    assert audit.subflow.user_properties()["limit"].value == "100"


def test_settings_of_the_flow_have_defaults_and_overrides() -> None:
    flow = expand(("shop.Orders#additionalInstances", "3"), ("shop.Audit#additionalInstances", "9"))
    assert (flow.settings["additionalInstances"], flow.settings["commitCount"]) == ("3", "1")


def test_user_variables_replace_placeholders_and_a_missing_one_is_a_note() -> None:
    override = ("shop.Orders#Put order.queueName", "Q.[iib.user-site].[iib.user-stage]")
    flow = expand(override, site="EU", **{"user-stage": "TEST"})
    assert value(flow, "queueName", "Put order") == ("Q.EU.TEST", "override")
    flow = expand(override, site="EU")
    assert value(flow, "queueName", "Put order")[0] == "Q.EU.[iib.user-stage]"
    assert ["[iib.user-stage] is not a variable" in note.reason for note in flow.notes] == [True]


def test_labels_and_names_tell_the_way_to_a_node() -> None:
    found = expand().find("Audit", "Keep copy")
    assert found is not None
    assert found.label == "Orders.Audit.Keep copy"
    assert found.name == "shop/Orders#FCMComposite_1_3.shop/Audit#FCMComposite_1_1"
    assert [each.labels for each in expand().nodes()] == [
        ("Get order",),
        ("By v.2 class?",),
        ("Audit",),
        ("Audit", "Input"),
        ("Audit", "Done"),
        ("Audit", "Keep copy"),
        ("Put order",),
    ]


def test_the_longest_label_is_meant_and_a_shorter_one_if_that_leads_nowhere() -> None:
    flow = FlowDefinition("F.msgflow")
    flow.nodes = [
        node("1", "ComIbmCompute.msgnode", "a"),
        node("2", "ComIbmCompute.msgnode", "a.b"),
        node("3", "Sub.subflow", "x"),
        node("4", "Other.subflow", "x.y"),
    ]
    sub = FlowDefinition("Sub.subflow", [node("5", "ComIbmCompute.msgnode", "y.z")])
    other = FlowDefinition("Other.subflow", [node("6", "ComIbmCompute.msgnode", "w")])
    flows = {"Sub.subflow": sub, "Other.subflow": other}

    def find(path: str, user: FlowDefinition) -> FlowDefinition | None:
        return flows.get(path)

    assert targets("F#a.b.dataSource", flow, find) == [Target(("2",), "dataSource")]
    assert targets("F#a.dataSource", flow, find) == [Target(("1",), "dataSource")]
    assert targets("F#x.y.z.dataSource", flow, find) == [Target(("3", "5"), "dataSource")]
    assert targets("F#x.y.w.dataSource", flow, find) == [Target(("4", "6"), "dataSource")]
    assert targets("F#a", flow, find) == targets("F#nobody.dataSource", flow, find) == targets("F#", flow, find) == []


def test_a_label_that_two_nodes_have_addresses_both() -> None:
    flow = FlowDefinition("F.msgflow")
    flow.nodes = [node("1", "ComIbmMQOutput.msgnode", "Put"), node("2", "ComIbmMQOutput.msgnode", "Put")]
    resolved = resolve(flow, overrides=[("F#Put.queueName", "Q")])
    assert [each.properties["queueName"] for each in resolved.nodes()] == ["Q", "Q"]


def test_a_promotion_may_feed_several_nodes() -> None:
    flow = FlowDefinition("F.msgflow")
    flow.nodes = [node("1", "ComIbmCompute.msgnode", "a"), node("2", "ComIbmCompute.msgnode", "b")]
    flow.properties = [FlowProperty("db", default="D1")]
    flow.links = [AttributeLink(PROPERTY + "db", ["1", "2"], "ComIbmCompute.msgnode#Property.dataSource")]
    assert [each.properties["dataSource"] for each in resolve(flow).nodes()] == ["D1", "D1"]


def test_what_cannot_be_resolved_is_a_note_and_the_rest_is_expanded() -> None:
    flow = xmi.read(ORDERS)
    flow.links.append(AttributeLink("Property.nothing", ["FCMComposite_1_1"], "x#Property.queueName"))
    flow.links.append(AttributeLink("Property.inQueue", ["gone"], "x#Property.queueName"))
    resolved = resolve(flow, overrides=[("shop.Orders#No such.queueName", "X"), ("Other#a.b", "Y"), ("startMode", "Z")])
    reasons = "\n".join(note.reason for note in resolved.notes)
    assert "shop.Orders#No such.queueName addresses no node" in reasons
    assert "Property.nothing, which the flow does not have" in reasons
    assert "from the node gone, which is not there" in reasons
    assert "shop/Audit.subflow, which was not found" in reasons
    assert "Other" not in reasons and len(resolved.notes) == 4
    assert value(resolved, "queueName", "Get order") == ("ORDERS.IN", "promoted")


def test_a_subflow_that_contains_itself_is_a_note() -> None:
    flow = FlowDefinition("F.msgflow", [node("1", "A.subflow", "one")])
    inner = FlowDefinition("A.subflow", [node("2", "B.subflow", "two")])
    outer = FlowDefinition("B.subflow", [node("3", "A.subflow", "three")])

    def find(path: str, user: FlowDefinition) -> FlowDefinition | None:
        return {"A.subflow": inner, "B.subflow": outer}.get(path)

    resolved = resolve(flow, find)
    assert [note.reason for note in resolved.notes] == [
        "the node 'three' stands for the subflow A.subflow, which contains itself"
    ]
    assert targets("F#one.two.three.two.three.x", flow, find) == []


def test_subflows_cannot_multiply_without_bound() -> None:
    """Each level uses the next one ten times: without a limit, that would be ten to the power of levels."""
    levels = [FlowDefinition(f"L{n}.subflow") for n in range(12)]
    for number, level in enumerate(levels[:-1]):
        level.nodes = [node(str(n), f"L{number + 1}.subflow", f"n{n}") for n in range(10)]
    levels[-1].nodes = [node("x", "ComIbmPassthru.msgnode", "x")]

    def find(path: str, user: FlowDefinition) -> FlowDefinition | None:
        return next((level for level in levels if level.path == path), None)

    resolved = resolve(levels[0], find)
    assert sum(1 for _ in resolved.nodes()) <= INSTANCES_MAX
    assert any("more than" in note.reason for note in resolved.notes)


def test_subflows_cannot_be_nested_without_bound() -> None:
    flows = {f"L{n}.subflow": FlowDefinition(f"L{n}.subflow", [node("1", f"L{n + 1}.subflow", "n")]) for n in range(99)}

    def find(path: str, user: FlowDefinition) -> FlowDefinition | None:
        return flows.get(path)

    resolved = resolve(flows["L0.subflow"], find)
    assert sum(1 for _ in resolved.nodes()) == DEPTH_MAX + 1
    assert ["nested more than" in note.reason for note in resolved.notes] == [True]


def test_overrides_of_a_compiled_flow_go_where_its_table_says() -> None:
    flow = FlowDefinition("F.msgflow", [node("1.Sub#2", "ComIbmMQOutput.msgnode", "Sub.Put")])
    flow.configurable = {"Sub#Put.queueName": [("1.Sub#2", "queueName")], "F#own": []}
    flow.properties = [FlowProperty("own")]
    flow.descriptors = [PropertyDescriptor(PROPERTY + "own", {"userDefined": "true"})]
    resolved = resolve(flow, overrides=[("Sub#Put.queueName", "Q"), ("F#own", "V")])
    assert resolved.root.nodes["1.Sub#2"].properties["queueName"] == "Q"
    assert resolved.root.user_properties()["own"].value == "V"
