"""The context tree: what ESQL can ask of the start of a flow."""

from __future__ import annotations

import os
from pathlib import Path

from tests.broker.flow.flows import compute, flow_of

FLOW = """
nodes:
  Get it: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Change: {type: Compute, properties: {computeExpression: "esql://routine/#Change.Main"}}
  Show: {type: Compute, properties: {computeExpression: "esql://routine/#Show.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: Get it.out, to: Change.in}
  - {from: Change.out, to: Show.in}
  - {from: Show.out, to: Out.in}
"""
CHANGE = compute("Change", "SET OutputRoot.JSON.Data.x = 1; RETURN TRUE;")


def test_the_message_that_came_in_is_there_behind_nodes_that_replaced_it(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        FLOW,
        CHANGE
        + compute(
            "Show",
            """DECLARE n REFERENCE TO Context.Nodes."Get it";
            SET OutputRoot.JSON.Data.a = n.Payload.a;
            SET OutputRoot.JSON.Data.domain = n.PayloadDetails.Domain;
            SET OutputRoot.JSON.Data.ccsid = n.PayloadDetails.CodedCharSetId;
            SET OutputRoot.JSON.Data.priority = n.Headers.MQ.MQMD.Priority;
            SET OutputRoot.JSON.Data.type = CONTEXTINVOCATIONNODE().NodeType;
            SET OutputRoot.JSON.Data.flow = Context.FlowDetails.FlowName;
            SET OutputRoot.JSON.Data.process = Context.FlowDetails.ProcessId;
            SET OutputRoot.JSON.Data.node = Context.InvocationDetails.NodeName;
            SET OutputRoot.JSON.Data.now =
              Context.InvocationDetails.Timestamp > CURRENT_GMTTIMESTAMP - INTERVAL '1' HOUR;
            RETURN TRUE;""",
        ),
    )

    result = flow(b"<a>5</a>", headers={"MQMD": {"Priority": 3}})

    assert result.out["OUT"][0].tree.JSON.Data.to_dict() == {
        "a": "5",
        "domain": "XMLNSC",
        "ccsid": 1208,
        "priority": 3,
        "type": "ComIbmMQInputNode",
        "flow": "F",
        "process": os.getpid(),
        "node": "Get it",
        "now": True,
    }


def test_a_message_without_a_body_has_no_payload(tmp_path: Path) -> None:
    show = 'SET OutputRoot.JSON.Data.none = Context.Nodes."Get it".Payload IS NULL; RETURN TRUE;'

    result = flow_of(tmp_path, FLOW, CHANGE + compute("Show", show))(b"")

    assert result.out["OUT"][0].tree.JSON.Data.none == True  # noqa: E712 - a view of a tree, not a bool
