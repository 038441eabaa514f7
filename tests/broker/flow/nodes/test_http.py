"""HTTPInput, HTTPReply and HTTPHeader: requests in, replies out, faults."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from flintmq.broker import Flow, FlowFailed, FlowProblem
from flintmq.broker.flow.nodes.http_common import ccsid_of_type
from tests.broker.flow.flows import compute, flow_of


def served(place: Path, properties: str, body: str, mode: str = "all") -> Flow:
    """Return a flow of HTTPInput, Compute and HTTPReply."""
    return flow_of(
        place,
        f"""
nodes:
  Request: {{type: HTTPInput, properties: {{URLSpecifier: /orders/*, {properties}}}}}
  Compute: {{type: Compute, properties: {{computeExpression: "esql://routine/#M.Main", computeMode: {mode}}}}}
  Reply: {{type: HTTPReply}}
wires:
  - {{from: Request.out, to: Compute.in}}
  - {{from: Compute.out, to: Reply.in}}
""",
        compute("M", body),
    )


ECHO = "SET OutputRoot = InputRoot; SET OutputLocalEnvironment = InputLocalEnvironment; RETURN TRUE;"


def test_a_request_becomes_a_tree_and_its_reply_goes_back(tmp_path: Path) -> None:
    flow = served(
        tmp_path,
        "messageDomainProperty: JSON, parseQueryString: true",
        """
        SET OutputRoot.Properties = InputRoot.Properties;
        SET OutputRoot.JSON.Data.command = InputRoot.HTTPInputHeader."X-Original-HTTP-Command";
        SET OutputRoot.JSON.Data.agent = InputRoot.HTTPInputHeader."User-Agent";
        SET OutputRoot.JSON.Data.protocol = InputRoot.Properties.ReplyProtocol;
        SET OutputRoot.JSON.Data.segment = InputLocalEnvironment.HTTP.Input.Path.Segment[2];
        SET OutputRoot.JSON.Data.max = InputLocalEnvironment.HTTP.Input.QueryString.max;
        SET OutputRoot.JSON.Data.method = InputLocalEnvironment.HTTP.Input.RequestLine.Method;
        SET OutputRoot.JSON.Data.length = LENGTH(InputLocalEnvironment.Destination.HTTP.RequestIdentifier);
        SET OutputRoot.JSON.Data.name = InputRoot.JSON.Data.name;
        RETURN TRUE;""",
    )

    result = flow(
        {"name": "Ann"},
        headers={"HTTPInputHeader": {"User-Agent": "test", "Content-Type": "application/json"}},
        path="/orders/a%20b",
        query="max=5&x=",
    )

    assert result.reply is not None
    assert result.reply.status == 200
    assert result.reply.headers["Content-Type"] == "application/json"
    assert json.loads(result.reply.body) == {
        "command": "POST http://localhost:7800/orders/a%20b?max=5&x= HTTP/1.1",
        "agent": "test",
        "protocol": "SOAP-HTTP",
        "segment": "a b",
        "max": "5",
        "method": "POST",
        "length": 24,
        "name": "Ann",
    }
    assert result.reply.headers["Content-Length"] == str(len(result.reply.body))


def test_without_parse_query_string_the_local_environment_holds_the_identifier_only(tmp_path: Path) -> None:
    flow = served(tmp_path, "messageDomainProperty: JSON", ECHO)

    event = next(each for each in flow(b"{}", query="a=1", trace=True, keep_assemblies=True).events if each.assembly)

    assert event.assembly is not None
    names = [child.name for child in event.assembly.local_environment.children()]
    assert names == ["Destination"]


def test_a_request_without_a_body_has_no_body_folder(tmp_path: Path) -> None:
    flow = served(
        tmp_path,
        "messageDomainProperty: JSON",
        "SET OutputRoot.JSON.Data.children = CARDINALITY(InputRoot.*[]); RETURN TRUE;",
    )

    reply = flow(method="GET").reply

    assert reply is not None and reply.body == b'{"children":2}'


def test_the_status_is_taken_from_reply_header_then_local_environment_then_response_header(tmp_path: Path) -> None:
    response = 'SET OutputRoot.HTTPResponseHeader."X-Original-HTTP-Status-Code" = 202;'
    local = "SET OutputLocalEnvironment.Destination.HTTP.ReplyStatusCode = 404;"
    header = "SET OutputRoot.HTTPReplyHeader.\"X-Original-HTTP-Status-Code\" = '418';"
    body = "SET OutputRoot.JSON.Data.a = 1; RETURN TRUE;"
    start = "SET OutputRoot.Properties = InputRoot.Properties; "
    statuses = []
    for number, chosen in enumerate([response, response + local, response + local + header]):
        flow = served(tmp_path / str(number), "", start + chosen + body)
        reply = flow(b"x").reply
        assert reply is not None
        statuses.append(reply.status)
        assert not any(name.startswith("X-Original") for name in reply.headers)

    assert statuses == [202, 404, 418]


def test_reply_headers_go_out_on_one_line_each(tmp_path: Path) -> None:
    flow = served(
        tmp_path,
        "",
        """
        SET OutputRoot.Properties = InputRoot.Properties;
        SET OutputRoot.HTTPReplyHeader."Content-Type" = 'text/csv';
        SET OutputRoot.HTTPReplyHeader."X-Note" = 'a' || CAST(X'0D0A' AS CHARACTER CCSID 1208) || 'Set-Cookie: b';
        SET OutputRoot.BLOB.BLOB = X'41';
        RETURN TRUE;""",
    )

    reply = flow(b"x").reply

    assert reply is not None
    assert reply.headers == {"Content-Type": "text/csv", "X-Note": "a Set-Cookie: b", "Content-Length": "1"}


def test_a_reply_without_local_environment_answers_the_request_that_started_the_flow(tmp_path: Path) -> None:
    """The flow may lose the local environment; the reply still finds its client."""
    flow = served(tmp_path, "", "SET OutputRoot.JSON.Data.a = 1; RETURN TRUE;", "exceptionAndMessage")
    lost = served(
        tmp_path / "2", "", "SET OutputRoot.JSON.Data.a = 1; SET OutputLocalEnvironment.x = 1; RETURN TRUE;", "all"
    )

    for each in (flow, lost):
        reply = each(b"x").reply
        assert reply is not None and len(reply.request_identifier) == 24


REPLY_ONLY = """
nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main", computeMode: all}}
  Reply: {type: HTTPReply}
  Failed: {type: MQOutput, properties: {queueName: FAILED}}
wires:
  - {from: In.out, to: Compute.in}
  - {from: Compute.out, to: Reply.in}
"""


def test_a_reply_flow_without_an_identifier_is_3143(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, REPLY_ONLY, compute("M", ECHO))

    with pytest.raises(FlowFailed) as raised:
        flow(b"x")

    assert raised.value.root_cause().number == 3143


@pytest.mark.parametrize("identifier", ["X'00'", f"X'{'00' * 24}'", "'text'"])
def test_an_identifier_that_no_request_can_have_is_3740(tmp_path: Path, identifier: str) -> None:
    set_it = f"SET OutputLocalEnvironment.Destination.HTTP.RequestIdentifier = {identifier};"
    flow = flow_of(tmp_path, REPLY_ONLY, compute("M", f"SET OutputRoot = InputRoot; {set_it} RETURN TRUE;"))

    with pytest.raises(FlowFailed) as raised:
        flow(b"x")

    assert raised.value.root_cause().number == 3740


def test_a_reply_flow_answers_the_request_whose_identifier_it_kept(tmp_path: Path) -> None:
    set_it = f"SET OutputLocalEnvironment.Destination.HTTP.RequestIdentifier = X'{'41' * 24}';"
    flow = flow_of(tmp_path, REPLY_ONLY, compute("M", f"SET OutputRoot = InputRoot; {set_it} RETURN TRUE;"))

    reply = flow(b"x").reply

    assert reply is not None and reply.request_identifier == b"A" * 24


TWICE = """
nodes:
  Request: {type: HTTPInput, properties: {URLSpecifier: /a}}
  First: {type: HTTPReply}
  Second: {type: HTTPReply}
  Failed: {type: MQOutput, properties: {queueName: FAILED}}
wires:
  - {from: Request.out, to: First.in}
  - {from: First.out, to: Second.in}
"""


def test_a_second_reply_is_3740_and_goes_to_failure(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, TWICE + "  - {from: Second.failure, to: Failed.in}\n")

    result = flow(b"x", trace=True)

    assert len(result.recorder.replies) == 1
    assert list(result.out) == ["FAILED"]
    assert any("3740" in event.detail for event in result.events)


@pytest.mark.parametrize(
    ("format", "start", "content"),
    [
        ("SOAP 1.1", b"<SOAP-ENV:Envelope", "text/xml"),
        ("SOAP 1.2", b"<soapenv:Envelope", "application/soap+xml"),
        ("HTML", b"<html>", "text/html"),
        ("JSON", b'{"error"', "application/json"),
    ],
)
def test_an_unhandled_error_is_answered_with_a_fault(tmp_path: Path, format: str, start: bytes, content: str) -> None:
    """MF 3.6, rule 7."""
    flow = served(tmp_path, f"faultFormat: {format}", "THROW USER EXCEPTION VALUES('<it & more>'); RETURN TRUE;")

    with pytest.raises(FlowFailed) as raised:
        flow(b"x")

    reply = raised.value.result.reply
    assert reply is not None and reply.status == 500
    assert reply.body.startswith(start)
    assert reply.headers["Content-Type"].startswith(content)
    assert b"BIP2951" in reply.body
    assert raised.value.root_cause().number == 2951


def test_an_error_that_a_catch_path_handles_is_answered_by_the_flow(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  Request: {type: HTTPInput, properties: {URLSpecifier: /a}}
  Throw: {type: Throw, properties: {messageNumber: 3002}}
  Tell: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main", computeMode: all}}
  Reply: {type: HTTPReply}
wires:
  - {from: Request.out, to: Throw.in}
  - {from: Request.catch, to: Tell.in}
  - {from: Tell.out, to: Reply.in}
""",
        compute(
            "M",
            """SET OutputLocalEnvironment.Destination.HTTP.ReplyStatusCode = 400;
            SET OutputRoot.JSON.Data.number = InputExceptionList.*[<].*[<].*[<].Number;
            RETURN TRUE;""",
        ),
    )

    reply = flow(b"x").reply

    assert reply is not None
    assert (reply.status, reply.body) == (400, b'{"number":3002}')


def test_a_path_that_the_node_does_not_serve_is_404(tmp_path: Path) -> None:
    flow = served(tmp_path, "", ECHO)

    reply = flow(b"x", path="/other").reply

    assert reply is not None and reply.status == 404
    assert flow(b"x", path="/orders").reply.status == 200  # type: ignore[union-attr]


def test_two_input_nodes_are_chosen_by_path(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  A: {type: HTTPInput, properties: {URLSpecifier: /a}}
  B: {type: HTTPInput, properties: {URLSpecifier: /b*}}
  ToA: {type: MQOutput, properties: {queueName: A}}
  ToB: {type: MQOutput, properties: {queueName: B}}
wires:
  - {from: A.out, to: ToA.in}
  - {from: B.out, to: ToB.in}
""",
    )

    assert list(flow(b"x", path="/a").out) == ["A"]
    assert list(flow(b"x", path="/bcd").out) == ["B"]
    with pytest.raises(ValueError, match="several input nodes"):
        flow(b"x")


def test_set_destination_list_routes_by_method(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  Request: {type: HTTPInput, properties: {URLSpecifier: /a, setDestinationList: true}}
  Route: {type: RouteToLabel}
  Delete: {type: Label, properties: {labelName: DELETE}}
  Out: {type: MQOutput, properties: {queueName: DELETED}}
wires:
  - {from: Request.out, to: Route.in}
  - {from: Delete.out, to: Out.in}
""",
    )

    assert list(flow(b"x", method="delete").out) == ["DELETED"]
    with pytest.raises(FlowFailed):
        flow(b"x", method="PUT")


def test_the_charset_of_the_content_type_is_the_ccsid_of_the_body(tmp_path: Path) -> None:
    flow = served(
        tmp_path,
        "messageDomainProperty: XMLNSC",
        """SET OutputRoot.JSON.Data.text = InputRoot.XMLNSC.a;
        SET OutputRoot.JSON.Data.ccsid = InputRoot.Properties.CodedCharSetId; RETURN TRUE;""",
    )

    reply = flow(
        "<a>é</a>".encode("latin-1"), headers={"HTTPInputHeader": {"Content-Type": 'text/xml; charset="ISO-8859-1"'}}
    ).reply

    assert reply is not None
    assert json.loads(reply.body) == {"text": "é", "ccsid": 819}


def test_the_ccsid_of_unknown_and_missing_charsets_is_utf_8() -> None:
    assert ccsid_of_type("") == 1208
    assert ccsid_of_type("text/xml; charset=none") == 1208
    assert ccsid_of_type("text/xml; charset=utf-8; boundary=x") == 1208
    assert ccsid_of_type("text/xml;charset=us-ascii") == 367


def test_a_compressed_body_is_decompressed_if_the_node_says_so(tmp_path: Path) -> None:
    flow = served(tmp_path, "messageDomainProperty: JSON, decompressInputMessage: true", ECHO)
    headers = {"HTTPInputHeader": {"Content-Encoding": "gzip"}}

    reply = flow(gzip.compress(b'{"a":1}'), headers=headers).reply

    assert reply is not None and reply.body == b'{"a":1}'
    for damaged in (gzip.compress(b'{"a":1}')[:-3], b"no gzip", b""):
        with pytest.raises(FlowFailed) as raised:
            flow(damaged, headers=headers)
        assert raised.value.root_cause().number == 3163


def test_a_body_that_cannot_be_read_goes_to_failure_as_a_blob(tmp_path: Path) -> None:
    """F7."""
    flow = flow_of(
        tmp_path,
        """
nodes:
  Request:
    type: HTTPInput
    properties: {URLSpecifier: /a, messageDomainProperty: XMLNSC, validateTiming: complete}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Failed: {type: MQOutput, properties: {queueName: FAILED}}
wires:
  - {from: Request.out, to: Out.in}
  - {from: Request.failure, to: Failed.in}
""",
    )

    result = flow(b"<a>")

    assert list(result.out) == ["FAILED"]
    assert result.out["FAILED"][0].tree.BLOB.BLOB == b"<a>"


def test_a_query_of_too_many_parameters_is_an_error_of_the_broker(tmp_path: Path) -> None:
    flow = served(tmp_path, "parseQueryString: true", ECHO)

    with pytest.raises(FlowFailed) as raised:
        flow(b"x", query="&".join(["a=1"] * 10_002))

    assert raised.value.root_cause().number == 3128


def test_a_node_without_a_path_cannot_run(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, "nodes:\n  Request: {type: HTTPInput}\n")

    with pytest.raises(FlowProblem, match="F.Request: the property URLSpecifier is empty"):
        flow(b"x")


HEADERS = """
nodes:
  Request: {type: HTTPInput, properties: {URLSpecifier: /a, messageDomainProperty: JSON}}
  Headers:
    type: HTTPHeader
    properties: {httpInputHeader: DeleteHeader, httpReplyHeader: Modify, httpRequestHeader: Add}
    tables:
      nameValue4ReplyHeader:
        - {name: Content-Type, value: text/html}
        - {name: X-Id, value: "$Root/JSON/Data/id"}
        - {name: X-None, value: "$Root/JSON/Data/none"}
      nameValue4RequestHeader:
        - {name: SOAPAction, value: "a.b"}
  Reply: {type: HTTPReply}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: Request.out, to: Headers.in}
  - {from: Headers.out, to: Reply.in}
  - {from: Reply.out, to: Out.in}
"""


def test_http_header_node_adds_changes_and_deletes(tmp_path: Path) -> None:
    result = flow_of(tmp_path, HEADERS)({"id": 7})

    assert result.reply is not None
    assert result.reply.headers == {"Content-Type": "text/html", "X-Id": "7", "Content-Length": "9"}
    tree = result.out["OUT"][0].tree
    assert tree.HTTPRequestHeader.SOAPAction == "a.b"
    assert [child.name for child in tree] == ["Properties", "HTTPRequestHeader", "HTTPReplyHeader", "JSON"]


def test_http_header_node_with_a_bad_action_or_path_cannot_run(tmp_path: Path) -> None:
    for number, (old, new) in enumerate([("DeleteHeader", "Destroy"), ("$Root/JSON/Data/id", "$Root/((")]):
        flow = flow_of(tmp_path / str(number), HEADERS.replace(old, new))
        assert any("F.Headers" in problem for problem in flow.problems)


def test_a_request_without_a_body_passes_reset_content_descriptor(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  Request: {type: HTTPInput, properties: {URLSpecifier: /a}}
  Reset: {type: ResetContentDescriptor, properties: {resetMessageDomain: true, messageDomain: JSON}}
  Reply: {type: HTTPReply}
wires:
  - {from: Request.out, to: Reset.in}
  - {from: Reset.out, to: Reply.in}
""",
    )

    empty = flow(method="GET").reply
    full = flow(b'{"a":1}').reply

    assert empty is not None and empty.body == b""
    assert full is not None and full.tree.JSON.Data.a == 1
