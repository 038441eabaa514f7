"""SOAP nodes: envelopes in and out, operations of a WSDL, faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from flintmq.broker import Flow, FlowFailed
from flintmq.broker.flow.services import HttpResponse
from tests.broker.flow.flows import compute, flow_of
from tests.broker.flow.test_wsdl import WSDL

SOAP11 = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP12 = "http://www.w3.org/2003/05/soap-envelope"


def envelope(payload: str, header: str = "", namespace: str = SOAP11) -> bytes:
    """Return an envelope that declares the prefix `s` outside of its payload."""
    top = f"<e:Header>{header}</e:Header>" if header else ""
    return f'<e:Envelope xmlns:e="{namespace}" xmlns:s="urn:shop">{top}<e:Body>{payload}</e:Body></e:Envelope>'.encode()


ADD = envelope("<s:Add><a>1</a><b>2</b></s:Add>", "<s:Id>7</s:Id>")


def service(place: Path, properties: str = "", label: str = "add", body: str = "", more: str = "") -> Flow:
    """Return the flow of a web service with one operation."""
    return flow_of(
        place,
        f"""
nodes:
  Input:
    type: SOAPInput
    properties: {{urlSelector: /shop, wsdlFileName: a.wsdl, selectedBinding: ShopSoap, {properties}}}
  Route: {{type: RouteToLabel}}
  Operation: {{type: Label, properties: {{labelName: {label}}}}}
  Compute: {{type: Compute, properties: {{computeExpression: "esql://routine/#M.Main"}}}}
  Reply: {{type: SOAPReply}}
  Failed: {{type: MQOutput, properties: {{queueName: FAILED}}}}
wires:
  - {{from: Input.out, to: Route.in}}
  - {{from: Operation.out, to: Compute.in}}
  - {{from: Compute.out, to: Reply.in}}
{more}
""",
        compute("M", f"DECLARE s NAMESPACE 'urn:shop'; {body} RETURN TRUE;"),
        a__wsdl=WSDL.decode(),
    )


EXTRACTED = """
DECLARE add REFERENCE TO InputRoot.XMLNSC.s:Add;
SET OutputRoot.XMLNSC.s:Done.sum = CAST(add.a AS INTEGER) + CAST(add.b AS INTEGER);
SET OutputRoot.XMLNSC.s:Done.id = InputLocalEnvironment.SOAP.Envelope.Header.s:Id;
"""


def texts(data: bytes) -> dict[str, str]:
    """Return the simple elements of a document by name."""
    return {etree.QName(each).localname: each.text or "" for each in etree.fromstring(data).iter() if len(each) == 0}


def test_a_generated_service_extracts_the_body_and_wraps_the_reply(tmp_path: Path) -> None:
    flow = service(tmp_path, "extractSOAPBody: true", body=EXTRACTED)

    reply = flow(ADD, headers={"HTTPInputHeader": {"SOAPAction": '"urn:add"'}}).reply

    assert reply is not None and reply.status == 200
    assert texts(reply.body) == {"sum": "3", "id": "7"}
    assert etree.fromstring(reply.body).tag == f"{{{SOAP11}}}Envelope"
    assert reply.headers["Content-Type"] == "text/xml; charset=utf-8"


def test_the_domain_soap_tells_operation_header_and_body(tmp_path: Path) -> None:
    flow = service(
        tmp_path,
        body="""
        SET OutputRoot.SOAP.Context.SOAP_Version = InputRoot.SOAP.Context.SOAP_Version;
        SET OutputRoot.SOAP.Body.s:Done.operation = InputRoot.SOAP.Context.operation;
        SET OutputRoot.SOAP.Body.s:Done.port = InputRoot.SOAP.Context.port;
        SET OutputRoot.SOAP.Body.s:Done.id = InputRoot.SOAP.Header.s:Id;
        SET OutputRoot.SOAP.Body.s:Done.a = InputRoot.SOAP.Body.s:Add.a;
        SET OutputRoot.SOAP.Body.s:Done.length = LENGTH(InputLocalEnvironment.Destination.SOAP.Reply.ReplyIdentifier);
        """,
    )

    reply = flow(ADD).reply

    assert reply is not None
    assert texts(reply.body) == {"operation": "add", "port": "ShopPort", "id": "7", "a": "1", "length": "24"}


def test_an_extracted_payload_keeps_the_namespaces_that_the_envelope_declared(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  Input: {type: SOAPInput, properties: {urlSelector: /shop, extractSOAPBody: true, setDestinationList: false}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: Input.out, to: Out.in}
""",
    )

    body = flow(ADD).out["OUT"][0].body

    assert etree.fromstring(body).tag == "{urn:shop}Add"
    assert texts(body) == {"a": "1", "b": "2"}


def test_a_request_that_is_no_operation_is_answered_with_a_fault(tmp_path: Path) -> None:
    flow = service(tmp_path)

    with pytest.raises(FlowFailed) as raised:
        flow(envelope("<s:Other/>"))

    reply = raised.value.result.reply
    assert raised.value.root_cause().number == 3732
    assert reply is not None and reply.status == 500
    assert b"<faultcode>" in reply.body


@pytest.mark.parametrize("data", [b"", b"<a/>", b"no xml", envelope("<s:Add>"), b"<e:Envelope xmlns:e='urn:other'/>"])
def test_what_is_no_envelope_goes_to_failure(tmp_path: Path, data: bytes) -> None:
    flow = service(tmp_path, more="  - {from: Input.failure, to: Failed.in}")

    assert list(flow(data).out) == ["FAILED"]


def test_a_fault_of_the_flow_has_status_500(tmp_path: Path) -> None:
    flow = service(
        tmp_path,
        body="""DECLARE e NAMESPACE 'http://schemas.xmlsoap.org/soap/envelope/';
        SET OutputRoot.SOAP.Body.e:Fault.faultcode = 'Client'; SET OutputRoot.SOAP.Body.e:Fault.faultstring = 'no';""",
    )

    reply = flow(ADD).reply

    assert reply is not None and reply.status == 500
    assert texts(reply.body)["faultstring"] == "no"


def test_the_wsdl_can_be_asked_for(tmp_path: Path) -> None:
    reply = service(tmp_path)(method="GET", query="wsdl").reply

    assert reply is not None and reply.body == WSDL


def test_a_damaged_wsdl_or_an_empty_path_is_a_problem_of_the_flow(tmp_path: Path) -> None:
    damaged = flow_of(
        tmp_path,
        "nodes:\n  Input: {type: SOAPInput, properties: {urlSelector: /a, wsdlFileName: a.wsdl}}\n",
        a__wsdl="<a/>",
    )
    pathless = flow_of(tmp_path / "2", "nodes:\n  Input: {type: SOAPInput}\n")

    assert "not definitions" in damaged.problems[0]
    assert "urlSelector is empty" in pathless.problems[0]


def calling(place: Path, properties: str = "", before: str = "SET OutputRoot = InputRoot;") -> Flow:
    """Return a flow that calls a web service."""
    return flow_of(
        place,
        f"""
nodes:
  In: {{type: MQInput, properties: {{queueName: IN, messageDomainProperty: XMLNSC}}}}
  Compute: {{type: Compute, properties: {{computeExpression: "esql://routine/#M.Main", computeMode: all}}}}
  Call:
    type: SOAPRequest
    properties: {{wsdlFileName: a.wsdl, selectedBinding: ShopSoap, selectedOperation: add, {properties}}}
  Extract: {{type: SOAPExtract}}
  Out: {{type: MQOutput, properties: {{queueName: OUT}}}}
  Fault: {{type: MQOutput, properties: {{queueName: FAULT}}}}
  Failed: {{type: MQOutput, properties: {{queueName: FAILED}}}}
wires:
  - {{from: In.out, to: Compute.in}}
  - {{from: Compute.out, to: Call.in}}
  - {{from: Call.out, to: Extract.in}}
  - {{from: Extract.out, to: Out.in}}
  - {{from: Call.fault, to: Fault.in}}
  - {{from: Call.failure, to: Failed.in}}
""",
        compute("M", f"{before} RETURN TRUE;"),
        a__wsdl=WSDL.decode(),
    )


PAYLOAD = b'<s:Add xmlns:s="urn:shop"><a>1</a></s:Add>'


def test_a_payload_gets_an_envelope_and_the_answer_loses_it(tmp_path: Path) -> None:
    result = calling(tmp_path)(PAYLOAD, http={"Call": envelope("<s:Done>3</s:Done>")})

    request = result.requests[0]
    assert (request.method, request.url, request.timeout_seconds) == ("POST", "http://shop:1/soap", 120)
    assert request.headers["SOAPAction"] == '"urn:add"'
    assert etree.fromstring(request.body).find(f"{{{SOAP11}}}Body/{{urn:shop}}Add/a").text == "1"
    tree = result.out["OUT"][0].tree
    assert tree.XMLNSC.Done == "3"
    assert tree.HTTPResponseHeader["X-Original-HTTP-Status-Code"] == 200


def test_an_envelope_of_the_flow_is_sent_as_it_is(tmp_path: Path) -> None:
    given = envelope("<s:Add/>", namespace=SOAP12)

    request = calling(tmp_path)(given, http={"Call": envelope("<s:Done/>")}).requests[0]

    assert request.body == given
    assert request.headers["Content-Type"].startswith("application/soap+xml")


def test_url_and_timeout_come_from_the_local_environment(tmp_path: Path) -> None:
    place = "OutputLocalEnvironment.Destination.SOAP.Request.Transport.HTTP"
    flow = calling(
        tmp_path,
        "webServiceURL: 'http://fixed/'",
        f"SET OutputRoot = InputRoot; SET {place}.WebServiceURL = 'http://other/x'; SET {place}.TimeoutMillis = 50;",
    )

    request = flow(PAYLOAD, http={"Call": envelope("<s:Done/>")}).requests[0]

    assert (request.url, request.timeout_seconds) == ("http://other/x", 0.05)


def test_a_fault_leaves_by_fault_and_no_soap_by_failure(tmp_path: Path) -> None:
    flow = calling(tmp_path)
    fault = HttpResponse(
        500, envelope("<e:Fault><faultstring>no</faultstring></e:Fault>"), {"Content-Type": "text/xml"}
    )

    assert list(flow(PAYLOAD, http={"Call": fault}).out) == ["FAULT"]
    for answer in (HttpResponse(404, b"<html>Envelope</html>", {"Content-Type": "text/html"}), HttpResponse(500), b"x"):
        assert list(flow(PAYLOAD, http={"Call": answer}).out) == ["FAILED"]
    assert list(flow(PAYLOAD, http={"Call": TimeoutError()}).out) == ["FAILED"]


def test_a_body_that_is_no_xml_cannot_be_sent(tmp_path: Path) -> None:
    flow = calling(tmp_path, before="SET OutputRoot.JSON.Data.a = 1;")
    none = calling(tmp_path / "2", before="SET OutputRoot.Properties = InputRoot.Properties;")

    assert list(flow(PAYLOAD).out) == ["FAILED"]
    # The failure path gets what came in: a message without a body is put as an empty one.
    assert list(none(PAYLOAD).out) == ["FAILED"]


def test_asynchronous_calls_answer_the_client_at_last(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """
nodes:
  Input: {type: SOAPInput, properties: {urlSelector: /shop}}
  Ask: {type: SOAPAsyncRequest, properties: {webServiceURL: "http://b/", asyncResponseCorrelator: x}}
  Answer: {type: SOAPAsyncResponse, properties: {asyncRequestCorrelator: x}}
  Reply: {type: SOAPReply}
  Fault: {type: MQOutput, properties: {queueName: FAULT}}
wires:
  - {from: Input.out, to: Ask.in}
  - {from: Answer.out, to: Reply.in}
  - {from: Answer.fault, to: Fault.in}
""",
    )

    result = flow(ADD, http={"Ask": envelope("<s:Done>1</s:Done>")})
    faulty = flow(ADD, http={"Ask": HttpResponse(500, envelope("<e:Fault/>"))})

    assert result.requests[0].body == ADD
    assert result.reply is not None and result.reply.body == envelope("<s:Done>1</s:Done>")
    assert list(faulty.out) == ["FAULT"]


EXTRACT = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Extract:
    type: SOAPExtract
    properties: {labelPrefix: "ws.", envelopeDestination: "$LocalEnvironment/SOAP/Envelope/Request"}
  Add: {type: Label, properties: {labelName: ws.Add}}
  Envelope:
    type: SOAPEnvelope
    properties: {useExistingSoapEnvelope: true, envelopeLocation: "$LocalEnvironment/SOAP/Envelope/Request"}
  New: {type: SOAPEnvelope, properties: {createEnvelope: true}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Other: {type: MQOutput, properties: {queueName: OTHER}}
  Failed: {type: MQOutput, properties: {queueName: FAILED}}
wires:
  - {from: In.out, to: Extract.in}
  - {from: Add.out, to: Envelope.in}
  - {from: Envelope.out, to: Out.in}
  - {from: Extract.out, to: New.in}
  - {from: New.out, to: Other.in}
  - {from: Extract.failure, to: Failed.in}
"""


def test_extract_routes_by_payload_and_envelope_puts_it_back(tmp_path: Path) -> None:
    result = flow_of(tmp_path, EXTRACT)(ADD)

    root = etree.fromstring(result.out["OUT"][0].body)
    assert root.find(f"{{{SOAP11}}}Header/{{urn:shop}}Id").text == "7"
    assert root.find(f"{{{SOAP11}}}Body/{{urn:shop}}Add/b").text == "2"


def test_extract_without_a_label_goes_to_out_and_a_new_envelope_has_no_header(tmp_path: Path) -> None:
    result = flow_of(tmp_path, EXTRACT)(envelope("<s:Other>1</s:Other>", "<s:Id>7</s:Id>"))

    root = etree.fromstring(result.out["OTHER"][0].body)
    assert root.find(f"{{{SOAP11}}}Header") is None
    assert root.find(f"{{{SOAP11}}}Body/{{urn:shop}}Other").text == "1"


@pytest.mark.parametrize("data", [b"<a/>", b"<a", b""])
def test_extract_of_what_is_no_envelope_fails(tmp_path: Path, data: bytes) -> None:
    assert list(flow_of(tmp_path, EXTRACT)(data).out) == ["FAILED"]
