"""MQ nodes: what MQGet takes from the local environment, and what MQOutput says in it."""

from __future__ import annotations

from pathlib import Path

from flintmq.mqi.md import MQMD
from tests.broker.flow.flows import compute, flow_of


def test_the_local_environment_names_the_queue_that_mq_get_reads(tmp_path: Path) -> None:
    """A public project restores messages from queues that its input names; the property is a placeholder."""
    flow = flow_of(
        tmp_path,
        """
nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  Get: {type: MQGet, properties: {queueName: DUMMY}}
  Show: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Get.in}
  - {from: Get.out, to: Show.in}
  - {from: Show.out, to: Out.in}
""",
        compute("M", "SET OutputRoot.JSON.Data.queue = TRIM(InputRoot.MQMD.SourceQueue); RETURN TRUE;"),
    )
    queues = {"DUMMY": [(MQMD(), b"wrong")], "WANTED": [(MQMD(), b"right")]}

    named = flow(b"x", local_environment={"MQ": {"GET": {"QueueName": "WANTED"}}}, queues=queues)
    plain = flow(b"x", queues=queues)

    assert named.out["OUT"][0].tree.JSON.Data.queue == "WANTED"
    assert plain.out["OUT"][0].tree.JSON.Data.queue == "DUMMY"


def test_mq_output_tells_which_identifier_a_reply_will_have(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  Put: {type: MQOutput, properties: {queueName: OUT}}
  Show: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main"}}
  Told: {type: MQOutput, properties: {queueName: TOLD}}
wires:
  - {from: In.out, to: Put.in}
  - {from: Put.out, to: Show.in}
  - {from: Show.out, to: Told.in}
""",
        compute(
            "M",
            """DECLARE d REFERENCE TO InputLocalEnvironment.WrittenDestination.MQ.DestinationData;
            SET OutputRoot.JSON.Data.queue = d.queueName;
            SET OutputRoot.JSON.Data.byMessage = d.replyIdentifier = d.msgId;
            SET OutputRoot.JSON.Data.byCorrelation = d.replyIdentifier = d.correlId;
            SET OutputRoot.JSON.Data.date = LENGTH(d.putDate);
            SET OutputRoot.JSON.Data.binding = d.bindingType; RETURN TRUE;""",
        ),
    )
    identifiers = {"MsgId": b"M", "CorrelId": b"C"}

    plain = flow(b"x", headers={"MQMD": identifiers}).out["TOLD"][0].tree.JSON.Data.to_dict()
    passed = flow(b"x", headers={"MQMD": {**identifiers, "Report": 64}}).out["TOLD"][0].tree.JSON.Data.to_dict()

    assert plain == {"queue": "OUT", "byMessage": True, "byCorrelation": False, "date": 8, "binding": "SERVER"}
    assert (passed["byMessage"], passed["byCorrelation"]) == (False, True)
