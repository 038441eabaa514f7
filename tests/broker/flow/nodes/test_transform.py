"""XSLTransform, Validate and MQHeader nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker import FlowFailed, load
from tests.broker.flow.flows import compute, flow_of, write_application

SHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output omit-xml-declaration="yes"/>
<xsl:template match="/a"><b><xsl:value-of select="x"/></b></xsl:template></xsl:stylesheet>"""
TRANSFORM = """flow: F.msgflow
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Sheet: {type: XSLTransform, properties: {stylesheetName: s.xsl, messageDomainProperty: XMLNSC}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
  - {from: In.out, to: Sheet.in}
  - {from: Sheet.out, to: Out.in}
"""


def test_a_style_sheet_of_the_application_transforms_the_body(tmp_path: Path) -> None:
    flow = load(write_application(tmp_path, {"F.msgflow.yaml": TRANSFORM, "s.xsl": SHEET})).flow("F")
    assert not flow.problems, flow.problems

    message = flow(b"<a><x>7</x></a>").out["OUT"][0]

    assert message.body == b"<b>7</b>"
    assert message.tree.XMLNSC.b == "7"
    with pytest.raises(FlowFailed) as raised:
        flow(b"<a><x>7</a>")
    assert raised.value.root_cause().kind == "ParserException"


@pytest.mark.parametrize(
    ("sheet", "reason"),
    [
        ("<not a sheet", "cannot be used"),
        (SHEET.replace("<xsl:output", '<xsl:include href="file:///etc/passwd"/><xsl:output'), "cannot be used"),
    ],
)
def test_a_style_sheet_that_is_broken_or_reaches_outside_is_a_problem(tmp_path: Path, sheet: str, reason: str) -> None:
    flow = load(write_application(tmp_path, {"F.msgflow.yaml": TRANSFORM, "s.xsl": sheet})).flow("F")

    assert reason in flow.problems[0]


def test_document_reads_nothing_outside_the_application(tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text("<secret>word</secret>")
    sheet = SHEET.replace('select="x"', f"select=\"document('file://{secret}')\"")
    flow = load(write_application(tmp_path / "app", {"F.msgflow.yaml": TRANSFORM, "s.xsl": sheet})).flow("F")

    try:
        body = flow(b"<a><x>7</x></a>").out["OUT"][0].body
    except FlowFailed as error:
        body = str(error).encode()
    assert b"word" not in body


SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"><xs:complexType><xs:sequence>
<xs:element name="n" type="xs:int"/></xs:sequence></xs:complexType></xs:element></xs:schema>"""
VALIDATE = """flow: F.msgflow
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Check: {type: Validate, properties: {checkDomain: "true", domain: XMLNSC, validateMaster: contentAndValue}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Bad: {type: MQOutput, properties: {queueName: BAD}}
wires:
  - {from: In.out, to: Check.in}
  - {from: Check.match, to: Out.in}
  - {from: Check.failure, to: Bad.in}
"""


def test_a_body_is_checked_by_its_schema_and_goes_to_failure_if_it_is_not_valid(tmp_path: Path) -> None:
    flow = load(write_application(tmp_path, {"F.msgflow.yaml": VALIDATE, "a.xsd": SCHEMA})).flow("F")

    assert list(flow(b"<a><n>1</n></a>").out) == ["OUT"]
    assert list(flow(b"<a><n>one</n></a>").out) == ["BAD"]


def test_a_message_of_another_domain_does_not_match(tmp_path: Path) -> None:
    yaml = VALIDATE.replace("messageDomainProperty: XMLNSC", "messageDomainProperty: BLOB")
    flow = load(write_application(tmp_path, {"F.msgflow.yaml": yaml})).flow("F")

    assert list(flow(b"x").out) == ["BAD"]


def header_flow(tmp_path: Path, properties: str) -> object:
    return flow_of(
        tmp_path,
        f"""
nodes:
  In: {{type: MQInput, properties: {{queueName: IN, messageDomainProperty: XMLNSC}}}}
  Header: {{type: MQHeader, properties: {{{properties}}}}}
  Out: {{type: MQOutput, properties: {{queueName: OUT}}}}
wires:
  - {{from: In.out, to: Header.in}}
  - {{from: Header.out, to: Out.in}}
""",
    )


def test_headers_are_added_and_changed_by_properties(tmp_path: Path) -> None:
    flow = header_flow(
        tmp_path,
        'mqmdAAAOptions: Modify header, mqmdFormat: MQFMT_STRING, mqmdPriority: "5", '
        'mqmdReplyToQ: "$Body/Order/Reply", '
        "mqdlhAAAOptions: Add header, mqdlhReason: MQRC_UNKNOWN_OBJECT_NAME, mqdlhDestQName: LOST",
    )

    message = flow(b"<Order><Reply>ANSWERS</Reply></Order>").out["OUT"][0]  # type: ignore[operator]

    assert (message.md.priority, message.md.reply_to_q.strip()) == (5, "ANSWERS")
    assert message.md.format.strip() == "MQDEAD"
    assert message.tree.MQDLH.Reason == 2085
    assert message.tree.MQDLH.DestQName.value.strip() == "LOST"
    assert message.body == b"<Order><Reply>ANSWERS</Reply></Order>"


def test_a_value_that_a_field_cannot_have_is_a_problem(tmp_path: Path) -> None:
    flow = header_flow(tmp_path, "mqmdAAAOptions: Modify header, mqmdPriority: high")

    assert "mqmdPriority is 'high'" in flow.problems[0]  # type: ignore[attr-defined]


JSON_VALIDATED = """
nodes:
  In: {type: HTTPInput, properties: {URLSpecifier: /a, messageDomainProperty: JSON, messageSetProperty: order.json}}
  Validate:
    type: Validate
    properties: {domain: JSON, checkDomain: true, set: order.json, checkSet: true, validateMaster: contentAndValue,
                 validateFailureAction: ACTION}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Tell: {type: Compute, properties: {computeExpression: "esql://routine/#Tell.Main"}}
  Bad: {type: MQOutput, properties: {queueName: BAD}}
wires:
  - {from: In.out, to: Validate.in}
  - {from: Validate.match, to: Out.in}
  - {from: Validate.failure, to: Tell.in}
  - {from: Tell.out, to: Bad.in}
"""
TELL = compute(
    "Tell",
    """DECLARE e REFERENCE TO InputExceptionList.*[1];
    WHILE LASTMOVE(e) AND e.Number <> 5393 DO MOVE e LASTCHILD; END WHILE;
    SET OutputRoot.JSON.Data.count = CARDINALITY(e.ParserException[]);
    SET OutputRoot.JSON.Data.first = e.ParserException[1].Insert[2].Text; RETURN TRUE;""",
)


@pytest.mark.parametrize(("action", "count"), [("exceptionList", 2), ("exception", 1)])
def test_a_json_body_is_checked_by_its_json_schema(tmp_path: Path, action: str, count: int) -> None:
    schema = '{"type": "object", "required": ["id"], "properties": {"total": {"type": "number"}}}'
    flow = flow_of(tmp_path, JSON_VALIDATED.replace("ACTION", action), TELL, order__json=schema)

    assert list(flow({"id": 1, "total": 2.5}).out) == ["OUT"]
    told = flow({"total": "much"}).out["BAD"][0].tree.JSON.Data
    assert told.count == count
    assert told.first == "the property 'id' is missing"


def test_a_json_schema_that_is_missing_or_damaged_fails_the_message(tmp_path: Path) -> None:
    text = JSON_VALIDATED.replace("ACTION", "exception")
    missing = flow_of(tmp_path, text, TELL)
    damaged = flow_of(tmp_path / "2", text, TELL, order__json="{")

    for flow in (missing, damaged):
        assert list(flow({"id": 1}).out) == ["BAD"]
