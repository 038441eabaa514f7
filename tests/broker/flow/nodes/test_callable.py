"""Callable flows: calls inside the project, fakes, errors, asynchronous answers; and EmailOutput."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker import FlowFailed, load
from flintmq.broker.tree.assembly import new_root
from flintmq.broker.tree.element import Element
from tests.broker.flow.flows import compute, flow_of, write_application

CALLER = """flow: Caller.msgflow
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: JSON}}
  Call: {type: CallableFlowInvoke, properties: {targetApplication: APPLICATION, targetEndpointName: double}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Error: {type: MQOutput, properties: {queueName: ERROR}}
wires:
  - {from: In.out, to: Call.in}
  - {from: Call.out, to: Out.in}
MORE
"""
CALLED = """flow: Called.msgflow
nodes:
  Input:
    type: CallableFlowInput
    properties: {callableInputEndpoint: double}
    tables: {supportedDomains: [{supportedMessageDomain: JSON}]}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#Double.Main"}}
  Reply: {type: CallableFlowReply}
wires:
  - {from: Input.out, to: Compute.in}
  - {from: Compute.out, to: Reply.in}
"""
DOUBLE = compute(
    "Double",
    """IF InputRoot.JSON.Data.x IS NULL THEN THROW USER EXCEPTION MESSAGE 3010; END IF;
    SET OutputRoot.Properties = InputRoot.Properties;
    SET OutputRoot.JSON.Data.x = InputRoot.JSON.Data.x * 2; RETURN InputRoot.JSON.Data.x <> 0;""",
)


def application(place: Path, more: str = "", target: str = "''") -> Path:
    """Write an application with a flow that calls and one that is called."""
    files: dict[str, str | bytes] = {
        "Caller.msgflow.yaml": CALLER.replace("MORE", more).replace("APPLICATION", target),
        "Called.msgflow.yaml": CALLED,
        "Double.esql": DOUBLE,
    }
    return write_application(place, files)


def test_a_flow_of_the_project_is_called_directly(tmp_path: Path) -> None:
    result = load(application(tmp_path)).flow("Caller")({"x": 21}, trace=True)

    assert result.out["OUT"][0].tree.JSON.Data.x == 42
    assert result.path == ["Caller.In", "Caller.Call", "Called.Input", "Called.Compute", "Called.Reply", "Caller.Out"]


def test_the_called_flow_can_be_tested_alone(tmp_path: Path) -> None:
    result = load(application(tmp_path)).flow("Called")({"x": 4})

    assert result.answer is not None
    assert result.answer.JSON.Data.x == 8


def test_a_fake_stands_for_a_flow(tmp_path: Path) -> None:
    flow = load(application(tmp_path)).flow("Caller")
    answer = new_root()
    body = answer.append(Element("JSON", None, 0x01000000))
    body.domain = "JSON"
    body.put("Data.x", 7)

    for fake in (answer, lambda root: answer):
        for name in ("double", "Call"):
            assert flow({"x": 1}, flows={name: fake}).out["OUT"][0].tree.JSON.Data.x == 7


def test_an_error_of_the_called_flow_leaves_by_error_or_is_raised(tmp_path: Path) -> None:
    plain = load(application(tmp_path)).flow("Caller")
    wired = load(application(tmp_path / "2", "  - {from: Call.error, to: Error.in}")).flow("Caller")

    with pytest.raises(FlowFailed) as raised:
        plain({})
    assert raised.value.root_cause().number == 3010
    result = wired({})
    assert result.out["ERROR"][0].body == b"{}"


def test_a_flow_that_gives_no_answer_and_one_that_is_not_there_are_errors(tmp_path: Path) -> None:
    loaded = load(application(tmp_path))
    with pytest.raises(FlowFailed) as raised:
        loaded.flow("Caller")({"x": 0})
    assert raised.value.root_cause().number == 3887

    elsewhere = load(application(tmp_path / "2", target="Other")).flow("Caller")
    with pytest.raises(FlowFailed) as raised:
        elsewhere({"x": 1})
    assert raised.value.root_cause().number == 3885


def test_flows_that_call_each_other_for_ever_are_stopped(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  Input: {type: CallableFlowInput, properties: {callableInputEndpoint: self}}
  Call: {type: CallableFlowInvoke, properties: {targetEndpointName: self}}
wires:
  - {from: Input.out, to: Call.in}
""",
    )

    with pytest.raises(FlowFailed, match="call each other more than 20 deep"):
        flow(b"x")


def test_a_reply_outside_of_a_call_is_an_error(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  Reply: {type: CallableFlowReply}
wires:
  - {from: In.out, to: Reply.in}
""",
    )

    with pytest.raises(FlowFailed) as raised:
        flow(b"x")

    assert raised.value.root_cause().number == 3886


ASYNC = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: JSON}}
  Keep: {type: Compute, properties: {computeExpression: "esql://routine/#Keep.Main"}}
  Call:
    type: CallableFlowAsyncInvoke
    properties: {targetEndpointName: double, asyncResponseCorrelator: c}
  Asked: {type: MQOutput, properties: {queueName: ASKED}}
  Answer: {type: CallableFlowAsyncResponse, properties: {asyncResponseCorrelator: c}}
  Show: {type: Compute, properties: {computeExpression: "esql://routine/#Show.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Wrong: {type: Compute, properties: {computeExpression: "esql://routine/#Wrong.Main"}}
  Error: {type: MQOutput, properties: {queueName: ERROR}}
wires:
  - {from: In.out, to: Keep.in}
  - {from: Keep.out, to: Call.in}
  - {from: Call.out, to: Asked.in}
  - {from: Answer.out, to: Show.in}
  - {from: Show.out, to: Out.in}
  - {from: Answer.error, to: Wrong.in}
  - {from: Wrong.out, to: Error.in}
"""
ASYNC_ESQL = (
    compute("Keep", "SET OutputRoot = InputRoot; SET Environment.CallableFlow.UserContext.id = 7; RETURN TRUE;")
    + compute(
        "Show",
        """SET OutputRoot = InputRoot; SET OutputRoot.JSON.Data.id = Environment.CallableFlow.UserContext.id;
        SET OutputRoot.JSON.Data.length = LENGTH(Environment.CallableFlow.CorrelationID); RETURN TRUE;""",
    )
    + compute("Wrong", "SET OutputRoot.JSON.Data.number = InputExceptionList.*[<].*[<].Number; RETURN TRUE;")
)


def test_an_asynchronous_call_is_answered_after_the_flow_has_returned(tmp_path: Path) -> None:
    place = write_application(
        tmp_path,
        {
            "F.msgflow.yaml": "flow: F.msgflow\n" + ASYNC,
            "Called.msgflow.yaml": CALLED,
            "F.esql": ASYNC_ESQL,
            "Double.esql": DOUBLE,
        },
    )
    flow = load(place).flow("F")

    result = flow({"x": 2})
    failed = flow({})

    assert [message.queue for message in result.messages] == ["ASKED", "OUT"]
    assert result.out["OUT"][0].tree.JSON.Data.to_dict() == {"x": 4, "id": 7, "length": 24}
    assert list(failed.out) == ["ASKED", "ERROR"]


@pytest.mark.parametrize(
    "kind", ["CallableFlowInvoke", "CallableFlowInput", "CallableFlowAsyncInvoke", "CallableFlowAsyncResponse"]
)
def test_nodes_without_a_name_are_a_problem(tmp_path: Path, kind: str) -> None:
    assert "is empty" in flow_of(tmp_path, f"nodes:\n  Node: {{type: {kind}}}\n").problems[0]


MAIL = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main", computeMode: all}}
  Mail: {type: EmailOutput, properties: {smtpServer: "mail:25", subject: Hello, fromAddress: a@b, PROPERTIES}}
  Failed: {type: MQOutput, properties: {queueName: FAILED}}
wires:
  - {from: In.out, to: Compute.in}
  - {from: Compute.out, to: Mail.in}
  - {from: Mail.failure, to: Failed.in}
"""


def test_an_email_takes_properties_headers_and_attachments(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        MAIL.replace("PROPERTIES", 'toAddresses: "x@y", attachment: "$Root/XMLNSC/a", attachmentName: a.xml'),
        compute(
            "M",
            """SET OutputRoot.Properties = InputRoot.Properties;
            SET OutputRoot.EmailOutputHeader.To = 'c@d, e@f' || CAST(X'0A' AS CHARACTER CCSID 1208) || 'Bcc: evil@x';
            SET OutputRoot.EmailOutputHeader."Reply-To" = 'g@h';
            SET OutputRoot.XMLNSC = InputRoot.XMLNSC;
            SET OutputLocalEnvironment.Destination.Email.Attachments.Attachment.AttachmentContent = X'01';
            SET OutputLocalEnvironment.Destination.Email.Attachments.Attachment.AttachmentContentName = 'b.bin';
            RETURN TRUE;""",
        ),
    )

    email = flow(b"<a>1</a>").emails[0]

    assert (email.server, email.sender, email.reply_to, email.subject) == ("mail:25", "a@b", "g@h", "Hello")
    assert email.to == ["c@d", "e@f Bcc: evil@x"]
    assert email.text == b"<a>1</a>"
    assert email.attachments == [("a.xml", "text/plain", b"1"), ("b.bin", "application/octet-stream", b"\x01")]


def test_an_email_without_a_recipient_goes_to_failure(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        MAIL.replace("PROPERTIES", "messageText: hi"),
        compute("M", "SET OutputRoot = InputRoot; RETURN TRUE;"),
    )

    result = flow(b"<a/>")

    assert result.emails == []
    assert list(result.out) == ["FAILED"]
