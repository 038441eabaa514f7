"""Compiled flows of old BAR files."""

from __future__ import annotations

import pytest

from flintmq.broker.flow import cmf, xmi
from flintmq.broker.flow.bar import read_bar
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.project import project_of_bar
from tests.broker.flow.sample_projects import zip_of

CMF = b"""<?xml version="1.0" encoding="UTF-8"?>
<MessageFlow><ConfigurablePropertyTable>
  <ConfigurableProperty nodeName="ComIbmMQInput" type="String" uri="old.Flow#Get.queueName">
    <TargetProperty name="queueName" uuid="old/Flow#FCMComposite_1_1"/></ConfigurableProperty>
  <ConfigurableProperty brokerDefault="0" type="Integer" uri="old.Flow#Get.additionalInstances">
    <TargetProperty name="additionalInstances" uuid="old/Flow#FCMComposite_1_1"/></ConfigurableProperty>
  <ConfigurableProperty nodeName="old/Flow" type="Integer" uri="old.Flow#limit" userDefined="true" brokerDefault="7">
    <TargetProperty name="limit" uuid="old/Flow#FCMComposite_1_2"/></ConfigurableProperty>
  <ConfigurableProperty nodeName="old/Flow" type="String" uri="old.Flow#source" brokerDefault="DB1">
    <TargetProperty name="dataSource" uuid="old/Flow#FCMComposite_1_2"/></ConfigurableProperty>
  <ConfigurableProperty nodeName="ComIbmMQOutput" type="String" uri="old.Errors#Put.queueName">
    <TargetProperty name="queueName" uuid="old/Flow#FCMComposite_1_3.old/Errors#FCMComposite_1_1"/>
  </ConfigurableProperty>
</ConfigurablePropertyTable>
<ComIbmMQInputNode label="Get" logicalOrder="no" uuid="old/Flow#FCMComposite_1_1">
  <Attribute type="Complex" uuid="nsMappingTable"><MbTable><Row><nsPrefix type="String">t</nsPrefix>
    <namespace type="String">urn:x</namespace></Row></MbTable></Attribute></ComIbmMQInputNode>
<ComIbmComputeNode computeExpression="SET OutputRoot = InputRoot;" label="Do" uuid="old/Flow#FCMComposite_1_2"/>
<ComIbmRouteNode label="Route" uuid="old/Flow#FCMComposite_1_4"/>
<ComIbmMQOutputNode label="Errors.Put" uuid="old/Flow#FCMComposite_1_3.old/Errors#FCMComposite_1_1"/>
<SubFlowNode label="Log" subflowImplFile="old/Log.subflow" uuid="old/Flow#FCMComposite_1_5"/>
<Connection sourceNode="old/Flow#FCMComposite_1_1" sourceTerminal="out" targetNode="old/Flow#FCMComposite_1_4" \
targetTerminal="in"/>
<Connection sourceNode="old/Flow#FCMComposite_1_4" sourceTerminal="gold" targetNode="old/Flow#FCMComposite_1_2" \
targetTerminal="in"/>
</MessageFlow>"""
DESCRIPTOR = b"""<Broker><CompiledMessageFlow name="old.Flow">
  <ConfigurableProperty uri="old.Flow#Get.queueName" override="IN"/>
  <ConfigurableProperty uri="old.Flow#source" override="DB2"/>
  <ConfigurableProperty uri="old.Errors#Put.queueName" override="ERRORS"/>
</CompiledMessageFlow></Broker>"""


def test_nodes_wires_and_tables_are_read() -> None:
    flow = cmf.read(CMF, "old.Flow.cmf", "old.Flow")
    assert flow.qualified_name == "old.Flow"
    assert [(node.type, node.label) for node in flow.nodes] == [
        ("ComIbmMQInput.msgnode", "Get"),
        ("ComIbmCompute.msgnode", "Do"),
        ("ComIbmRoute.msgnode", "Route"),
        ("ComIbmMQOutput.msgnode", "Errors.Put"),
        ("old/Log.subflow", "Log"),
    ]
    assert flow.nodes[0].tables == {"nsMappingTable": [{"nsPrefix": "t", "namespace": "urn:x"}]}
    assert flow.nodes[0].properties == {"logicalOrder": "no", "additionalInstances": "0"}
    assert [(wire.source_terminal, wire.source_static) for wire in flow.connections] == [("out", True), ("gold", False)]
    assert [terminal.name for terminal in flow.nodes[2].out_terminals] == ["gold"]


def test_promoted_and_user_defined_properties_are_told_apart() -> None:
    flow = cmf.read(CMF, "old.Flow.cmf", "old.Flow")
    found = {each.name: (each.type, each.default, flow.is_user_defined(each)) for each in flow.properties}
    assert found == {"limit": ("EInt", "7", True), "source": ("EString", "DB1", False)}


def test_a_compiled_flow_can_be_written_as_a_flow_file() -> None:
    flow = cmf.read(CMF, "old.Flow.cmf", "old.Flow")
    assert xmi.read(xmi.write(flow)) == flow


def test_a_bar_of_the_old_layout_loads_and_its_overrides_resolve() -> None:
    bar = read_bar(zip_of({"old.Flow.cmf": CMF, "META-INF/broker.xml": DESCRIPTOR}), "old.bar")
    project = project_of_bar(bar)
    assert project.all_notes() == project.check_overrides() == []
    resolved = project.resolve(project.flow("old.Flow")[1])
    found = {each.definition.label: each.properties for each in resolved.nodes()}
    assert found["Get"]["queueName"] == "IN"
    assert found["Do"]["dataSource"] == "DB2"
    assert found["Errors.Put"]["queueName"] == "ERRORS"


@pytest.mark.parametrize("data", [b"", b"<Other/>", b"<MessageFlow>"])
def test_what_is_no_compiled_flow_is_refused_with_its_name(data: bytes) -> None:
    with pytest.raises(FlowFileError, match=r"x\.cmf"):
        cmf.read(data, "x.cmf", "x")
