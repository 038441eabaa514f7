"""FileInput, FileOutput and FileRead, and how files are cut into records."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker import Flow, FlowFailed
from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.nodes.file import wildcard_match
from flintmq.broker.flow.nodes.records import RecordRules, records
from flintmq.broker.formats.registry import Context
from tests.broker.flow.flows import compute, flow_of


def cut(rules: RecordRules, data: bytes, domain: str = "") -> list[bytes]:
    """Return the records of a file."""
    return [record.data for record in records(rules, data, domain, Context())]


@pytest.mark.parametrize(
    ("rules", "data", "found"),
    [
        (RecordRules(), b"a\nb", [b"a\nb"]),
        (RecordRules(), b"", [b""]),
        (RecordRules("fixedLength", 3), b"abcdefgh", [b"abc", b"def", b"gh"]),
        (RecordRules("fixedLength", 3), b"", []),
        (RecordRules("delimited"), b"a\r\nb\n\nc", [b"a", b"b", b"", b"c"]),
        (RecordRules("delimited"), b"a\nb\n", [b"a", b"b"]),
        (RecordRules("delimited", infix=True), b"a\nb\n", [b"a", b"b", b""]),
        (RecordRules("delimited", infix=True), b"", []),
        (RecordRules("delimited", delimiter=b"||"), b"a||b|c||", [b"a", b"b|c"]),
        (RecordRules("delimited", skip_first=True), b"head\na\nb", [b"a", b"b"]),
    ],
)
def test_files_are_cut_into_records(rules: RecordRules, data: bytes, found: list[bytes]) -> None:
    assert cut(rules, data) == found


PARSED = RecordRules("parsedRecordSequence")


def test_documents_of_xml_and_json_follow_each_other() -> None:
    xml = b"<?xml version='1.0'?><a x='>'><a/></a>\n <b/><c>" + b"x" * 9000 + b"</c>\n"

    assert [each[:12] for each in cut(PARSED, xml, "XMLNSC")] == [b"<?xml versio", b"<b/>", b"<c>xxxxxxxxx"]
    assert b"".join(cut(PARSED, xml, "XMLNSC")) == xml.replace(b"\n ", b"").replace(b"\n", b"")
    wide = "\ufeff<a>1</a>".encode("utf-16-le")
    assert cut(PARSED, wide + wide, "XMLNSC") == [wide, wide]
    assert cut(PARSED, b'{"a":"\xc3\xa9"}  [1]\n2', "JSON") == [b'{"a":"\xc3\xa9"}', b"[1]", b"2"]
    assert cut(PARSED, b"  ", "XMLNSC") == cut(PARSED, b"", "JSON") == []


@pytest.mark.parametrize("encoding", ["nowhere", "shift_jis"])
def test_a_document_in_an_encoding_that_expat_cannot_read_is_a_parser_exception(encoding: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?><a/>'.encode()
    with pytest.raises(BrokerError, match="the record at offset 0") as caught:
        list(records(PARSED, data, "XMLNSC", Context()))
    assert caught.value.number == 5004


@pytest.mark.parametrize(
    ("data", "domain"),
    [(b"<a></b>", "XMLNSC"), (b"<a>", "XMLNSC"), (b"text", "XMLNS"), (b"{", "JSON"), (b"\xff", "JSON"), (b"x", "BLOB")],
)
def test_a_record_whose_end_cannot_be_found_is_an_error(data: bytes, domain: str) -> None:
    with pytest.raises(BrokerError):
        cut(PARSED, data, domain)


@pytest.mark.parametrize(
    ("pattern", "name", "match"),
    [
        ("*", "a.txt", "a.txt"),
        ("in*.xml", "in007.xml", "007"),
        ("in*.xml", "out.xml", None),
        ("a?c", "abc", "b"),
        ("a?c", "ac", None),
        ("*_*.csv", "x_y.csv", "xy"),
        ("fixed", "fixed", ""),
        ("ab*ba", "aba", None),
        ("*a*a*a*a*a*a*a*a*a*a*a*b", "a" * 200, None),
    ],
)
def test_wildcards_of_file_names(pattern: str, name: str, match: str | None) -> None:
    assert wildcard_match(pattern, name) == match


def reading(place: Path, properties: str, more: str = "", body: str = "SET OutputRoot = InputRoot;") -> Flow:
    """Return a flow that reads files and puts one message per record."""
    return flow_of(
        place,
        f"""
nodes:
  File: {{type: FileInput, properties: {{inputDirectory: /in, {properties}}}}}
  Compute: {{type: Compute, properties: {{computeExpression: "esql://routine/#M.Main"}}}}
  Out: {{type: MQOutput, properties: {{queueName: OUT}}}}
  End: {{type: MQOutput, properties: {{queueName: END}}}}
  Failed: {{type: MQOutput, properties: {{queueName: FAILED}}}}
  Caught: {{type: MQOutput, properties: {{queueName: CAUGHT}}}}
wires:
  - {{from: File.out, to: Compute.in}}
  - {{from: Compute.out, to: Out.in}}
  - {{from: File.EOD, to: End.in}}
{more}
""",
        compute("M", f"{body} RETURN TRUE;"),
    )


SHOWN = """
SET OutputRoot.Properties = InputRoot.Properties;
SET OutputRoot.JSON.Data.text = CAST(InputRoot.BLOB.BLOB AS CHARACTER CCSID 1208);
SET OutputRoot.JSON.Data.name = InputLocalEnvironment.File.Name;
SET OutputRoot.JSON.Data.directory = InputLocalEnvironment.File.Directory;
SET OutputRoot.JSON.Data.record = InputLocalEnvironment.File.Record;
SET OutputRoot.JSON.Data.offset = InputLocalEnvironment.File.Offset;
SET OutputRoot.JSON.Data.today = InputLocalEnvironment.File.LastModified > CURRENT_TIMESTAMP - INTERVAL '1' DAY
    AND CONTAINS(InputLocalEnvironment.File.TimeStamp, CAST(CURRENT_GMTDATE AS CHARACTER FORMAT 'yyyy-'));
SET OutputRoot.JSON.Data.match = InputLocalEnvironment.Wildcard.WildcardMatch;
"""


def test_each_record_is_a_message_and_then_comes_end_of_data(tmp_path: Path) -> None:
    flow = reading(tmp_path, "filenamePattern: '*.csv', recordDetection: delimited", body=SHOWN)

    result = flow(b"a,1\r\nb,2\n", source="/data/list.csv")

    same = {"today": True, "match": "list"}
    assert [message.tree.JSON.Data.to_dict() for message in result.out["OUT"]] == [
        {"text": "a,1", "name": "list.csv", "directory": "/data", "record": 1, "offset": 0, **same},
        {"text": "b,2", "name": "list.csv", "directory": "/data", "record": 2, "offset": 5, **same},
    ]
    assert result.out["END"][0].body == b""
    assert result.recorder.disposed == [("list.csv", "delete")]


def test_a_file_that_does_not_fit_the_pattern_is_left_alone(tmp_path: Path) -> None:
    flow = reading(tmp_path, "filenamePattern: '*.csv', excludePattern: 'x*'")

    for name in ("a.txt", "x.csv"):
        result = flow(b"1", source=name)
        assert result.out == {}
        assert result.recorder.disposed == []


def test_the_first_record_that_fails_ends_the_file(tmp_path: Path) -> None:
    body = "IF InputRoot.BLOB.BLOB = X'62' THEN THROW USER EXCEPTION; END IF; SET OutputRoot = InputRoot;"
    flow = reading(tmp_path, "recordDetection: delimited, failedFileAction: moveToBackout", body=body)

    with pytest.raises(FlowFailed) as raised:
        flow(b"a\nb\nc", source="f")

    result = raised.value.result
    assert [message.body for message in result.out["OUT"]] == [b"a"]
    assert result.recorder.disposed == [("f", "moveToBackout")]


def test_a_record_that_fails_may_be_caught_and_the_rest_goes_on(tmp_path: Path) -> None:
    body = "IF InputRoot.BLOB.BLOB = X'62' THEN THROW USER EXCEPTION; END IF; SET OutputRoot = InputRoot;"
    flow = reading(tmp_path, "recordDetection: delimited", "  - {from: File.catch, to: Caught.in}", body)

    result = flow(b"a\nb\nc", source="f")

    assert [message.body for message in result.out["OUT"]] == [b"a", b"c"]
    assert [message.body for message in result.out["CAUGHT"]] == [b"b"]


def test_a_parsed_record_that_is_malformed_goes_to_failure_with_the_rest(tmp_path: Path) -> None:
    flow = reading(
        tmp_path,
        "recordDetection: parsedRecordSequence, messageDomainProperty: XMLNSC",
        "  - {from: File.failure, to: Failed.in}",
    )

    result = flow(b"<a/> <b/> <c><d/> ", source="f")

    assert [message.body for message in result.out["OUT"]] == [b"<a/>", b"<b/>"]
    assert result.out["FAILED"][0].tree.BLOB.BLOB == b" <c><d/> "


@pytest.mark.parametrize(
    "properties",
    [
        "recordDetection: fixedLength, recordLength: 0",
        "recordDetection: delimited, customDelimiter: xyz, recordDelimiter: customDelimiter",
    ],
)
def test_records_that_cannot_be_are_a_problem_of_the_flow(tmp_path: Path, properties: str) -> None:
    assert reading(tmp_path, properties).problems


def writing(place: Path, properties: str, before: str = "", wires: str = "") -> Flow:
    """Return a flow that writes each of three records of a message to a file."""
    return flow_of(
        place,
        f"""
nodes:
  In: {{type: MQInput, properties: {{queueName: IN, messageDomainProperty: JSON}}}}
  Compute: {{type: Compute, properties: {{computeExpression: "esql://routine/#M.Main", computeMode: all}}}}
  File: {{type: FileOutput, properties: {{outputDirectory: /out, {properties}}}}}
  Done: {{type: MQOutput, properties: {{queueName: DONE}}}}
  Failed: {{type: MQOutput, properties: {{queueName: FAILED}}}}
wires:
  - {{from: In.out, to: Compute.in}}
  - {{from: Compute.out, to: File.in}}
  - {{from: Compute.out1, to: File.EOD}}
  - {{from: File.EOD, to: Done.in}}
{wires}
""",
        compute(
            "M",
            f"""
            FOR row1 AS InputRoot.JSON.Data.items.Item[] DO
              SET OutputLocalEnvironment = InputLocalEnvironment;
              {before}
              SET OutputRoot.Properties = InputRoot.Properties;
              SET OutputRoot.BLOB.BLOB = CAST(row1 AS BLOB CCSID 1208);
              PROPAGATE;
            END FOR;
            SET OutputRoot = InputRoot;
            PROPAGATE TO TERMINAL 'out1';
            RETURN FALSE;""",
        ),
    )


ITEMS = {"items": ["a", "bb", "ccc"]}


@pytest.mark.parametrize(
    ("properties", "content"),
    [
        ("recordDefinition: asIs", b"abbccc"),
        ("recordDefinition: delimited", b"a\nbb\nccc\n"),
        ("recordDefinition: delimited, delimiterType: infix", b"a\nbb\nccc"),
        ("recordDefinition: delimited, recordDelimiter: customDelimiter, customDelimiter: 7c0d", b"a|\rbb|\rccc|\r"),
        ("recordDefinition: fixedLength, recordLength: 4, paddingBytes: 2d", b"a---bb--ccc-"),
        ("outputMode: append", b"abbccc"),
        ("", b"ccc"),
    ],
)
def test_records_are_joined_to_files(tmp_path: Path, properties: str, content: bytes) -> None:
    result = writing(tmp_path, f"outputFilename: f.txt, {properties}")(ITEMS)

    assert result.files == {"f.txt": content}
    assert len(result.out["DONE"]) == 1


def test_finish_file_ends_a_file_of_records_only(tmp_path: Path) -> None:
    records_of = writing(tmp_path, "outputFilename: f, recordDefinition: asIs")(ITEMS)
    whole = writing(tmp_path / "2", "outputFilename: f")(ITEMS)

    assert [write.finish for write in records_of.file_writes] == [False, False, False, True]
    assert [write.finish for write in whole.file_writes] == [False, False, False]


def test_a_message_names_its_file_and_directory(tmp_path: Path) -> None:
    before = """SET OutputLocalEnvironment.Destination.File.Name = row1 || '.txt';
    SET OutputLocalEnvironment.Destination.File.Directory = '/other';"""

    result = writing(tmp_path, "outputFilename: f.txt", before)(ITEMS)

    assert result.files == {"a.txt": b"a", "bb.txt": b"bb", "ccc.txt": b"ccc"}
    assert {write.directory for write in result.file_writes} == {"/other"}


def test_a_star_in_the_name_is_the_match_of_the_input(tmp_path: Path) -> None:
    before = "SET OutputLocalEnvironment.Wildcard.WildcardMatch = '007';"

    assert list(writing(tmp_path, "outputFilename: 'out*.xml'", before)(ITEMS).files) == ["out007.xml"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "a\\\\b", ".."])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    before = f"SET OutputLocalEnvironment.Destination.File.Name = '{name}';"
    flow = writing(tmp_path, "", before)

    with pytest.raises(FlowFailed) as raised:
        flow(ITEMS)

    assert raised.value.root_cause().number == 3308
    assert raised.value.result.files == {}


def test_no_name_and_too_long_records_go_to_failure(tmp_path: Path) -> None:
    wires = "  - {from: File.failure, to: Failed.in}"
    nameless = writing(tmp_path, "", "", wires)(ITEMS, trace=True)
    long = writing(tmp_path / "2", "outputFilename: f, recordDefinition: fixedLength, recordLength: 2", "", wires)(
        ITEMS
    )

    # Three records, and the end of data.
    assert len(nameless.out["FAILED"]) == 4
    assert any("BIP3308" in event.detail for event in nameless.events)
    assert [message.body for message in long.out["FAILED"]] == [b"ccc"]
    assert long.files == {"f": b"a bb"}


def enriching(place: Path, properties: str, before: str = "") -> Flow:
    """Return a flow that reads a file between two queues."""
    return flow_of(
        place,
        f"""
nodes:
  In: {{type: MQInput, properties: {{queueName: IN, messageDomainProperty: JSON}}}}
  Compute: {{type: Compute, properties: {{computeExpression: "esql://routine/#M.Main", computeMode: all}}}}
  Read: {{type: FileRead, properties: {{inputDirectory: /in, messageDomainProperty: XMLNSC, {properties}}}}}
  Show: {{type: Compute, properties: {{computeExpression: "esql://routine/#Show.Main"}}}}
  Out: {{type: MQOutput, properties: {{queueName: OUT}}}}
  None: {{type: MQOutput, properties: {{queueName: NONE}}}}
  Failed: {{type: MQOutput, properties: {{queueName: FAILED}}}}
  Finished: {{type: MQOutput, properties: {{queueName: FINISHED}}}}
wires:
  - {{from: In.out, to: Compute.in}}
  - {{from: Compute.out, to: Read.in}}
  - {{from: Read.out, to: Show.in}}
  - {{from: Show.out, to: Out.in}}
  - {{from: Read.noMatch, to: None.in}}
  - {{from: Read.failure, to: Failed.in}}
  - {{from: Read.finishFile, to: Finished.in}}
""",
        compute("M", f"SET OutputRoot = InputRoot; {before} RETURN TRUE;")
        + compute(
            "Show",
            """SET OutputRoot.JSON.Data.a = InputRoot.XMLNSC.a;
            SET OutputRoot.JSON.Data.name = InputLocalEnvironment.File.Read.Name;
            SET OutputRoot.JSON.Data.record = InputLocalEnvironment.File.Read.Record;
            SET OutputRoot.JSON.Data.more = InputLocalEnvironment.File.Read.NoMoreRecords;
            SET OutputRoot.JSON.Data.kept = InputRoot.JSON.Data.x;
            SET OutputRoot.JSON.Data.env = Environment.File.a; RETURN TRUE;""",
        ),
    )


def test_file_read_replaces_the_message_by_the_file(tmp_path: Path) -> None:
    flow = enriching(tmp_path, "filenamePattern: '*.xml', fileDispositionAction: moveToArchive")

    result = flow({"x": 1}, files={"b.txt": b"", "c.xml": b"<a>5</a>"})

    assert result.out["OUT"][0].tree.JSON.Data.to_dict() == {"a": "5", "name": "c.xml", "record": 1, "more": True}
    assert result.recorder.disposed == [("c.xml", "moveToArchive")]


def test_file_read_puts_the_content_elsewhere(tmp_path: Path) -> None:
    flow = enriching(
        tmp_path,
        "filenamePattern: c.xml, outputDataLocation: $Environment/File, resultDataLocation: $ResultRoot/XMLNSC",
    )

    result = flow({"x": 1}, files={"c.xml": b"<a>5</a>"})

    data = result.out["OUT"][0].tree.JSON.Data
    assert data.kept == 1
    assert data.env == "5"


def test_file_read_without_a_match_sends_the_input_to_no_match(tmp_path: Path) -> None:
    flow = enriching(tmp_path, "filenamePattern: '*.xml'")

    assert flow({"x": 1}, files={"b.txt": b""}).out["NONE"][0].tree.JSON.Data.x == 1


def test_file_read_selects_a_record(tmp_path: Path) -> None:
    flow = enriching(
        tmp_path,
        "filenamePattern: c.xml, recordDetection: delimited, recordSelectionExpression: \"$ResultRoot/XMLNSC/a = '2'\"",
    )

    result = flow({}, files={"c.xml": b"<a>1</a>\n<a>2</a>\n"})
    none = flow({}, files={"c.xml": b"<a>1</a>\n<a>3</a>\n"})

    data = result.out["OUT"][0].tree.JSON.Data
    assert data.a == "2"
    assert data.record == 2
    assert "FINISHED" in result.out
    assert list(none.out) == ["NONE"]


def test_file_read_takes_name_and_offset_from_the_message_but_no_path(tmp_path: Path) -> None:
    place = "OutputLocalEnvironment.Destination.File"
    named = f"SET {place}.Name = '{{}}'; SET {place}.Offset = 9;"
    flow = enriching(tmp_path, "recordDetection: delimited", named.format("c.xml"))
    elsewhere = enriching(tmp_path / "2", "", named.format("../c.xml"))

    assert flow({}, files={"c.xml": b"<a>1</a>\n<a>2</a>\n<a>3</a>"}).out["OUT"][0].tree.JSON.Data.a == "2"
    assert list(elsewhere({}, files={"c.xml": b"<a/>"}).out) == ["FAILED"]
