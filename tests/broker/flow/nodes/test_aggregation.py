"""Aggregate nodes and group nodes: requests go out, replies come together, or the time is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker import Flow, FlowFailed, FlowResult
from flintmq.broker.flow.services import HttpResponse
from tests.broker.flow.flows import compute, flow_of

AGGREGATE = """
nodes:
  Ask: {type: MQInput, properties: {queueName: ASK, messageDomainProperty: JSON}}
  Control: {type: AggregateControl, properties: {aggregateName: A, timeoutInterval: 30}}
  ToOne: {type: MQOutput, properties: {queueName: ONE, request: true, replyToQ: REPLIES, newMsgId: true}}
  One: {type: AggregateRequest, properties: {folderName: one}}
  ToTwo: {type: MQOutput, properties: {queueName: TWO, request: true, replyToQ: REPLIES, newMsgId: true}}
  Two: {type: AggregateRequest, properties: {folderName: two}}
  Replies: {type: MQInput, properties: {queueName: REPLIES, messageDomainProperty: JSON}}
  Reply: {type: AggregateReply, properties: {aggregateName: A, unsolicitedTimeout: UNSOLICITED}}
  Join: {type: Compute, properties: {computeExpression: "esql://routine/#Join.Main"}}
  Late: {type: Compute, properties: {computeExpression: "esql://routine/#Join.Main"}}
  Done: {type: MQOutput, properties: {queueName: DONE}}
  Timeout: {type: MQOutput, properties: {queueName: TIMEOUT}}
  Unknown: {type: MQOutput, properties: {queueName: UNKNOWN}}
  Caught: {type: MQOutput, properties: {queueName: CAUGHT}}
wires:
  - {from: Ask.out, to: Control.in}
  - {from: Control.out, to: ToOne.in}
  - {from: ToOne.out, to: One.in}
  - {from: Control.out, to: ToTwo.in}
  - {from: ToTwo.out, to: Two.in}
  - {from: Replies.out, to: Reply.in}
  - {from: Reply.out, to: Join.in}
  - {from: Join.out, to: Done.in}
  - {from: Reply.timeout, to: Late.in}
  - {from: Late.out, to: Timeout.in}
  - {from: Reply.unknown, to: Unknown.in}
"""
JOIN = compute(
    "Join",
    """
    IF InputRoot.ComIbmAggregateReplyBody.one.JSON.Data.bad THEN THROW USER EXCEPTION; END IF;
    SET OutputRoot.Properties = InputRoot.Properties;
    SET OutputRoot.JSON.Data.one = InputRoot.ComIbmAggregateReplyBody.one.JSON.Data.price;
    SET OutputRoot.JSON.Data.two = InputRoot.ComIbmAggregateReplyBody.two.JSON.Data.price;
    SET OutputRoot.JSON.Data.queue = InputRoot.ComIbmAggregateReplyBody.one.MQMD.SourceQueue;
    RETURN TRUE;""",
)


def aggregate(place: Path, unsolicited: str = "0", more: str = "") -> Flow:
    """Return a flow that asks two queues and joins the replies."""
    return flow_of(place, AGGREGATE.replace("UNSOLICITED", unsolicited) + more, JOIN)


def replied(flow: Flow, asked: FlowResult, queue: str, **data: object) -> FlowResult:
    """Answer a request of a result."""
    request = asked.out[queue][0]
    return flow(data, headers={"MQMD": {"CorrelId": request.md.msg_id}}, input="Replies")


def test_replies_become_one_message_when_all_are_there(tmp_path: Path) -> None:
    flow = aggregate(tmp_path)

    asked = flow({}, input="Ask")
    first = replied(flow, asked, "TWO", price=2)
    second = replied(flow, asked, "ONE", price=1)

    assert asked.out["ONE"][0].md.reply_to_q == "REPLIES"
    assert first.out == {}
    data = second.out["DONE"][0].tree.JSON.Data.to_dict()
    assert (data["one"], data["two"], data["queue"].strip()) == (1, 2, "REPLIES")
    assert flow.advance(100).out == {}


def test_aggregations_of_several_messages_do_not_mix(tmp_path: Path) -> None:
    flow = aggregate(tmp_path)

    asked = [flow({}, input="Ask") for _ in range(2)]
    replied(flow, asked[0], "ONE", price=10)
    replied(flow, asked[1], "ONE", price=20)
    result = replied(flow, asked[1], "TWO", price=21)

    assert result.out["DONE"][0].tree.JSON.Data.one == 20
    assert result.out["DONE"][0].tree.JSON.Data.two == 21


def test_what_is_there_goes_to_timeout_and_later_replies_are_unknown(tmp_path: Path) -> None:
    flow = aggregate(tmp_path)
    asked = flow({}, input="Ask")
    replied(flow, asked, "TWO", price=2)

    assert flow.advance(29).out == {}
    result = flow.advance(1)
    late = replied(flow, asked, "ONE", price=1)

    assert result.out["TIMEOUT"][0].tree.JSON.Data.to_dict() == {"two": 2}
    assert late.out["UNKNOWN"][0].tree.JSON.Data.price == 1


def test_the_timeout_may_come_from_the_local_environment(tmp_path: Path) -> None:
    flow = aggregate(tmp_path)

    flow({}, input="Ask", local_environment={"Aggregation": {"Timeout": 5}})

    assert list(flow.advance(5).out) == ["TIMEOUT"]
    with pytest.raises(FlowFailed) as raised:
        flow({}, input="Ask", local_environment={"Aggregation": {"Timeout": "soon"}})
    assert raised.value.root_cause().number == 4412


def test_an_unknown_reply_waits_for_its_aggregation(tmp_path: Path) -> None:
    flow = aggregate(tmp_path, "10")
    identifier = b"X" * 24

    held = flow({"price": 1}, headers={"MQMD": {"CorrelId": identifier}}, input="Replies")

    assert held.out == {}
    assert flow.advance(9).out == {}
    assert flow.advance(1).out["UNKNOWN"][0].tree.JSON.Data.price == 1
    assert flow.advance(10).out == {}


def test_replies_that_were_faster_than_the_control_node_count(tmp_path: Path) -> None:
    """The identifiers of the next requests are known here: the recorder counts them up."""
    flow = aggregate(tmp_path, "10")
    start = int.from_bytes(flow({}, input="Ask").out["TWO"][0].md.msg_id[4:], "big")
    # One identifier for the aggregation, then those of the requests.
    for number, price in ((start + 2, 1), (start + 3, 2)):
        identifier = b"FLOW" + number.to_bytes(20, "big")
        assert flow({"price": price}, headers={"MQMD": {"CorrelId": identifier}}, input="Replies").out == {}

    result = flow({}, input="Ask")

    assert result.out["DONE"][0].tree.JSON.Data.one == 1
    assert result.out["DONE"][0].tree.JSON.Data.two == 2


def test_a_reply_that_fails_is_backed_out_and_can_come_again(tmp_path: Path) -> None:
    flow = aggregate(tmp_path)
    asked = flow({}, input="Ask")
    replied(flow, asked, "TWO", price=2)

    with pytest.raises(FlowFailed):
        replied(flow, asked, "ONE", bad=True)

    assert list(replied(flow, asked, "ONE", price=1).out) == ["DONE"]


def test_catch_of_the_reply_node_handles_what_fails_behind_it(tmp_path: Path) -> None:
    flow = aggregate(tmp_path, more="  - {from: Reply.catch, to: Late.in}\n")
    asked = flow({}, input="Ask")
    replied(flow, asked, "TWO", price=2)

    with pytest.raises(FlowFailed):
        # The catch path throws, too.
        replied(flow, asked, "ONE", bad=True)

    timed = flow.advance(30)
    assert list(timed.out) == ["TIMEOUT"]


def test_a_reply_without_an_identifier_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FlowFailed) as raised:
        aggregate(tmp_path)({}, input="Replies")

    assert raised.value.root_cause().number == 4414


def test_an_aggregation_without_requests_is_an_error(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  Control: {type: AggregateControl, properties: {aggregateName: A}}
  Alone: {type: MQInput, properties: {queueName: ALONE}}
  Request: {type: AggregateRequest, properties: {folderName: a}}
  Unwritten: {type: MQInput, properties: {queueName: UNWRITTEN}}
wires:
  - {from: In.out, to: Control.in}
  - {from: Alone.out, to: Request.in}
""",
    )

    for label, number in (("In", 4413), ("Alone", 4412)):
        with pytest.raises(FlowFailed) as raised:
            flow(b"x", input=label)
        assert raised.value.root_cause().number == number
    local = {"ComIbmAggregateControlNode": {"aggregateName": "A"}}
    with pytest.raises(FlowFailed) as raised:
        flow(b"x", input="Alone", local_environment=local)
    assert raised.value.root_cause().number == 4413


@pytest.mark.parametrize(
    "kind", ["AggregateControl", "AggregateRequest", "AggregateReply", "GroupScatter", "GroupGather", "GroupComplete"]
)
def test_nodes_without_a_name_are_a_problem(tmp_path: Path, kind: str) -> None:
    assert "is empty" in flow_of(tmp_path, f"nodes:\n  Node: {{type: {kind}}}\n").problems[0]


GROUP = """
nodes:
  In: {type: HTTPInput, properties: {URLSpecifier: /a, messageDomainProperty: JSON}}
  Scatter: {type: GroupScatter, properties: {GroupName: G, GroupTimeout: 5}}
  AskOne:
    type: HTTPAsyncRequest
    properties: {URLSpecifier: "http://one/", asyncResponseCorrelator: one, AddRequestToGroup: true,
                 GroupRequestFolderName: One}
  AskTwo:
    type: HTTPAsyncRequest
    properties: {URLSpecifier: "http://two/", asyncResponseCorrelator: two, AddRequestToGroup: true,
                 GroupRequestFolderName: Two}
  One: {type: HTTPAsyncResponse, properties: {asyncRequestCorrelator: one, messageDomainProperty: JSON}}
  Two: {type: HTTPAsyncResponse, properties: {asyncRequestCorrelator: two, messageDomainProperty: JSON}}
  Gather: {type: GroupGather, properties: {GroupName: G, UnknownMessageTimeout: 3}}
  Complete: {type: GroupComplete, properties: {GroupName: G}}
  Join: {type: Compute, properties: {computeExpression: "esql://routine/#Join.Main"}}
  Late: {type: Compute, properties: {computeExpression: "esql://routine/#Late.Main"}}
  Reply: {type: HTTPReply}
  Queue: {type: MQInput, properties: {queueName: Q}}
  Unknown: {type: MQOutput, properties: {queueName: UNKNOWN}}
wires:
  - {from: In.out, to: Scatter.in}
  - {from: Scatter.out, to: AskOne.in}
  - {from: Scatter.out, to: AskTwo.in}
  - {from: One.out, to: Gather.in}
  - {from: Two.out, to: Gather.in}
  - {from: Two.error, to: Gather.in}
  - {from: Queue.out, to: Gather.in}
  - {from: Complete.out, to: Join.in}
  - {from: Join.out, to: Reply.in}
  - {from: Complete.timeout, to: Late.in}
  - {from: Late.out, to: Reply.in}
  - {from: Complete.unknown, to: Unknown.in}
"""
GROUP_ESQL = compute(
    "Join",
    """SET OutputRoot.JSON.Data.one = InputRoot.ComIbmGroupCompleteBody.One.JSON.Data.x;
    DECLARE header REFERENCE TO InputRoot.ComIbmGroupCompleteBody.Two.HTTPResponseHeader;
    SET OutputRoot.JSON.Data.two = header."X-Original-HTTP-Status-Code";
    RETURN TRUE;""",
) + compute("Late", "SET OutputRoot.JSON.Data.late = CARDINALITY(InputRoot.ComIbmGroupCompleteBody.*[]); RETURN TRUE;")


def test_a_group_completes_in_a_flow_of_its_own_and_answers_the_client(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, GROUP, GROUP_ESQL)

    result = flow({}, http={"AskOne": {"x": 1}, "AskTwo": HttpResponse(404)}, path="/a")

    assert result.reply is not None and result.reply.body == b'{"one":1,"two":404}'
    assert result.reply.request_identifier == result.recorder.replies[0].request_identifier
    assert flow.advance(100).recorder.replies == []


def test_a_group_whose_time_is_over_answers_with_what_is_there(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, GROUP, GROUP_ESQL)

    waiting = flow({}, http={"AskOne": {"x": 1}}, path="/a")
    timed = flow.advance(5)

    assert waiting.reply is None
    assert timed.reply is not None and timed.reply.body == b'{"late":1}'


def test_a_reply_to_no_group_goes_to_unknown_of_group_complete(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, GROUP, GROUP_ESQL)

    held = flow(b"x", headers={"MQMD": {"CorrelId": b"Z"}}, input="Queue")

    assert held.out == {}
    assert flow.advance(3).out["UNKNOWN"][0].body == b"x"


def test_a_group_without_requests_is_an_error(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, GROUP.replace("AddRequestToGroup: true", "AddRequestToGroup: false"), GROUP_ESQL)

    with pytest.raises(FlowFailed) as raised:
        flow({}, path="/a")

    assert raised.value.root_cause().number == 4413


def test_an_mq_output_node_joins_a_group(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  Scatter: {type: GroupScatter, properties: {GroupName: G}}
  Ask:
    type: MQOutput
    properties: {queueName: ASK, newMsgId: true, AddRequestToGroup: true, GroupRequestFolderName: a}
  Replies: {type: MQInput, properties: {queueName: REPLIES}}
  Gather: {type: GroupGather, properties: {GroupName: G}}
  Complete: {type: GroupComplete, properties: {GroupName: G}}
  Join: {type: Compute, properties: {computeExpression: "esql://routine/#Join.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Scatter.in}
  - {from: Scatter.out, to: Ask.in}
  - {from: Replies.out, to: Gather.in}
  - {from: Complete.out, to: Join.in}
  - {from: Join.out, to: Out.in}
""",
        compute("Join", "SET OutputRoot.BLOB.BLOB = InputRoot.ComIbmGroupCompleteBody.a.BLOB.BLOB; RETURN TRUE;"),
    )

    asked = flow(b"x", input="In")
    result = flow(b"y", headers={"MQMD": {"CorrelId": asked.out["ASK"][0].md.msg_id}}, input="Replies")

    assert result.out["OUT"][0].body == b"y"
