"""Recorded cases: finding, running, comparing, recording; one node by itself; fakes; what is wrong with a case."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker import load
from flintmq.broker.flow.outputs import outputs_of, safe_name, suffix_of, write_outputs
from flintmq.broker.flow.testing import (
    CaseError,
    Loader,
    Outcome,
    assembly_of,
    assert_same_assembly,
    find_cases,
    headers_of,
    run_case,
    run_node,
)
from flintmq.broker.tree.mxml import read_mxml, write_mxml
from tests.broker.flow.flows import compute, write_application

FLOW = """flow: F.msgflow
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Big: {type: MQOutput, properties: {queueName: BIG}}
wires:
  - {from: In.out, to: Compute.in}
  - {from: Compute.out, to: Out.in}
  - {from: Compute.out1, to: Big.in}
"""
DOUBLES = compute(
    "M",
    "SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.a.n = CAST(InputRoot.XMLNSC.a.n AS INTEGER) * 2; "
    "SET OutputRoot.XMLNSC.a.when = CURRENT_GMTTIMESTAMP; "
    "IF InputRoot.XMLNSC.a.n > 10 THEN PROPAGATE TO TERMINAL 'out1'; RETURN FALSE; END IF; RETURN TRUE;",
)
NOW = "now: 2024-01-31 12:00:00\n"


def shop(place: Path, files: dict[str, str | bytes]) -> Path:
    """Write an application with cases."""
    return write_application(place / "Shop", {"F.msgflow.yaml": FLOW, "F.esql": DOUBLES, **files})


def run(place: Path, record: bool = False) -> list[Outcome]:
    loader = Loader()
    return [run_case(case, loader, record) for case in find_cases(place)]


def only(place: Path, record: bool = False) -> Outcome:
    [outcome] = run(place, record)
    return outcome


DONE = "<a><n>4</n><when>2024-01-31T12:00:00.000000Z</when></a>"


def test_a_message_and_its_expected_output_are_a_case(tmp_path: Path) -> None:
    place = shop(tmp_path, {"tests/two/input.xml": "<a><n>2</n></a>", "tests/two/case.yaml": NOW})
    recorded = only(place, record=True)
    assert [path.name for path in recorded.recorded] == ["OUT.xml"]

    outcome = only(place)

    assert outcome.passed and outcome.case.name == "tests/two"
    assert b"<n>4</n>" in (place / "tests/two/out/OUT.xml").read_bytes()


def test_differences_are_paths(tmp_path: Path) -> None:
    expected = "<a>\n  <n>5</n>\n  <when>x</when>\n</a>"
    files: dict[str, str | bytes] = {"tests/two/input.xml": "<a><n>2</n></a>", "tests/two/out/OUT.xml": expected}
    place = shop(tmp_path, {**files, "tests/two/case.yaml": "ignore: [XMLNSC/a/when]\n"})
    assert only(place).differences == ["out/OUT.xml: XMLNSC/a/n: CHARACTER '4', expected CHARACTER '5'"]
    (place / "tests/two/out/OUT.xml").write_text(expected.replace("5", "4"))
    assert only(place).passed


def test_what_is_missing_and_what_is_not_expected_differ(tmp_path: Path) -> None:
    place = shop(tmp_path, {"tests/big/input.xml": "<a><n>20</n></a>", "tests/big/out/OUT.xml": DONE})
    assert [line.split(" (")[0] for line in only(place).differences] == [
        "out/OUT.xml: missing; there is BIG",
        "out/BIG.xml: not expected",
    ]


def test_a_case_without_expectations_fails_and_says_what_there_was(tmp_path: Path) -> None:
    place = shop(tmp_path, {"tests/two/input.xml": "<a><n>2</n></a>"})
    assert only(place).differences == ["the case has no expectations; record them. There was: out/OUT.xml"]


def test_a_flow_that_sends_nothing_can_be_expected(tmp_path: Path) -> None:
    esql = compute("M", "SET OutputRoot = InputRoot; RETURN InputRoot.XMLNSC.a.n > 5;")
    place = shop(tmp_path, {"F.esql": esql, "tests/none/input.xml": "<a><n>2</n></a>"})
    only(place, record=True)
    assert (place / "tests/none/nothing.txt").exists() and only(place).passed
    (place / "tests/none/input.xml").write_text("<a><n>9</n></a>")
    assert only(place).differences == ["out/OUT.xml: not expected (15 bytes)"]


def test_an_expected_failure_is_compared_by_its_entries(tmp_path: Path) -> None:
    place = shop(tmp_path, {"tests/bad/input.xml": "<a><n>many</n></a>"})
    only(place, record=True)
    text = (place / "tests/bad/failure.txt").read_text()
    assert text.startswith("BIP2230 F.In\nBIP2230 F.Compute\nBIP2488\nBIP2521: ")
    assert only(place).passed

    (place / "tests/bad/failure.txt").write_text(text.replace("2521", "2450"))
    [line] = only(place).differences
    assert line.startswith('failure.txt: line 4: "BIP2521: cannot cast') and ', expected "BIP2450: cannot' in line
    (place / "tests/bad/input.xml").write_text("<a><n>1</n></a>")
    assert "failure.txt: the flow did not fail; expected BIP2230" in only(place).differences


def test_a_failure_that_is_not_expected_is_told(tmp_path: Path) -> None:
    place = shop(tmp_path, {"tests/bad/input.xml": "<a><n>many</n></a>", "tests/bad/out/OUT.xml": DONE})
    first, second = only(place).differences
    assert first.startswith("the flow failed: BIP2521") and second.startswith("out/OUT.xml: missing")


def test_recording_again_replaces_what_was_expected(tmp_path: Path) -> None:
    place = shop(
        tmp_path, {"tests/a/input.xml": "<a><n>20</n></a>", "tests/a/out/OUT.xml": DONE, "tests/a/case.yaml": NOW}
    )
    only(place, record=True)
    assert [path.name for path in (place / "tests/a/out").iterdir()] == ["BIG.xml"]
    assert (place / "tests/a/case.yaml").exists() and only(place).passed


def test_a_message_with_its_headers_is_expected_as_mxml(tmp_path: Path) -> None:
    place = shop(
        tmp_path,
        {"tests/a/input.xml": "<a><n>2</n></a>", "tests/a/case.yaml": NOW + "headers: {MQMD: {Priority: 7}}\n"},
    )
    (place / "tests/a/out").mkdir()
    (place / "tests/a/out/OUT.mxml").write_bytes(b"<MessageAssembly/>")
    only(place, record=True)
    expected = place / "tests/a/out/OUT.mxml"
    assert read_mxml(expected.read_bytes()).assembly().message.get("MQMD.Priority") == 7
    assert only(place).passed

    expected.write_bytes(expected.read_bytes().replace(b">7<", b">3<"))
    lines = only(place).differences
    assert "out/OUT.mxml: message/MQMD/Priority: INTEGER 7, expected INTEGER 3" in lines


def test_several_messages_to_one_queue_are_numbered(tmp_path: Path) -> None:
    esql = compute("M", "SET OutputRoot = InputRoot; PROPAGATE DELETE NONE; PROPAGATE; RETURN FALSE;")
    place = shop(tmp_path, {"F.esql": esql, "tests/a/input.xml": "<a/>"})
    only(place, record=True)
    assert sorted(path.name for path in (place / "tests/a/out").iterdir()) == ["OUT#2.xml", "OUT.xml"]
    assert only(place).passed


# One node.


def node_case(tmp_path: Path, body: bytes = b"<a><n>2</n></a>", yaml: str = "node: Compute\n" + NOW) -> Path:
    place = shop(tmp_path, {"tests/node/case.yaml": yaml})
    (place / "tests/node/input.mxml").write_bytes(write_mxml(assembly_of(body, "XMLNSC", environment={"x": 1})))
    return place


def test_one_node_is_tested_with_recorded_assemblies(tmp_path: Path) -> None:
    place = node_case(tmp_path)
    recorded = only(place, record=True)
    assert [path.name for path in recorded.recorded] == ["output.mxml"]
    assert only(place).passed

    path = place / "tests/node/output.mxml"
    path.write_bytes(path.read_bytes().replace(b">4<", b">5<"))
    assert only(place).differences == ["output.mxml: message/XMLNSC/a/n: INTEGER 4, expected INTEGER 5"]
    assert read_mxml(path.read_bytes()).assembly().environment.get("x") == 1


def test_a_node_is_compared_by_terminal(tmp_path: Path) -> None:
    place = node_case(tmp_path, b"<a><n>20</n></a>")
    only(place, record=True)
    assert (place / "tests/node/output.out1.mxml").exists() and only(place).passed
    (place / "tests/node/output.out1.mxml").rename(place / "tests/node/output.mxml")
    assert only(place).differences == [
        "output.mxml: missing; the node sent to: output.out1",
        "output.out1.mxml: not expected",
    ]


def test_the_checkpoint_of_a_recording_names_the_node(tmp_path: Path) -> None:
    place = node_case(tmp_path, yaml=NOW)
    path = place / "tests/node/input.mxml"
    (place / "tests/node/output.mxml").write_bytes(b"<MessageAssembly/>")
    assert "say which `node` is tested" in only(place).differences[0]
    checkpoint = '<checkpoint><target><name iib:valueType="CHARACTER">Compute</name></target></checkpoint><version'
    path.write_bytes(path.read_bytes().replace(b"<version", checkpoint.encode(), 1))
    assert only(place, record=True).passed and only(place).passed


def test_an_exception_of_a_node_is_its_failure(tmp_path: Path) -> None:
    place = node_case(tmp_path, b"<a><n>many</n></a>")
    only(place, record=True)
    assert (place / "tests/node/failure.txt").read_text().startswith("BIP2230 F.Compute\nBIP2488\nBIP2521")
    assert only(place).passed


def test_a_node_runs_by_itself_and_the_flow_is_as_before(tmp_path: Path) -> None:
    flow = load(shop(tmp_path, {})).flow()
    result = run_node(flow, "Compute", assembly_of(b"<a><n>2</n></a>", "XMLNSC"))
    assert result.one().message.get("XMLNSC.a.n") == 4
    assert result.result.messages == []
    with pytest.raises(AssertionError, match="0 messages went to out1; terminals: out"):
        result.one("out1")
    assert flow(b"<a><n>2</n></a>").out["OUT"]


def test_jumps_to_labels_end_at_the_label(tmp_path: Path) -> None:
    yaml = FLOW.replace("wires:", "  Gold: {type: Label, properties: {labelName: Gold}}\nwires:")
    esql = compute("M", "SET OutputRoot = InputRoot; PROPAGATE TO LABEL 'Gold'; RETURN FALSE;")
    flow = load(shop(tmp_path, {"F.msgflow.yaml": yaml, "F.esql": esql})).flow()
    result = run_node(flow, "Compute", assembly_of(b"<a/>", "XMLNSC"))
    assert [each.terminal for each in result.sent] == ["label Gold"]


def test_a_node_can_be_tested_although_the_flow_cannot_run(tmp_path: Path) -> None:
    yaml = FLOW.replace("wires:", "  Java: {type: JavaCompute, properties: {javaClass: a.B}}\nwires:")
    flow = load(shop(tmp_path, {"F.msgflow.yaml": yaml})).flow()
    assert flow.problems
    assert run_node(flow, "Compute", assembly_of(b"<a><n>2</n></a>", "XMLNSC")).one()
    with pytest.raises(ValueError, match="0 nodes of F are called 'Nope'; there are: 'F.In'"):
        run_node(flow, "Nope", assembly_of(b"<a/>", "XMLNSC"))
    with pytest.raises(ValueError, match="is an input node"):
        run_node(flow, "In", assembly_of(b"<a/>", "XMLNSC"))


# Fakes and options.

CALLS = """flow: G.msgflow
nodes:
  In: {type: HTTPInput, properties: {URLSpecifier: /g, messageDomainProperty: JSON}}
  Ask: {type: HTTPRequest, properties: {URLSpecifier: "http://host/price", messageDomainProperty: JSON}}
  Look: {type: Compute, properties: {computeExpression: "esql://routine/#L.Main", dataSource: SHOP}}
  Reply: {type: HTTPReply}
wires:
  - {from: In.out, to: Ask.in}
  - {from: Ask.out, to: Look.in}
  - {from: Look.out, to: Reply.in}
"""
LOOKS = compute(
    "L",
    "SET OutputRoot = InputRoot; SET OutputRoot.JSON.Data.stock = "
    "THE(SELECT ITEM T.STOCK FROM Database.ITEMS AS T WHERE T.ID = 7); RETURN TRUE;",
)


def calls(place: Path, yaml: str) -> Path:
    files: dict[str, str | bytes] = {"G.msgflow.yaml": CALLS, "L.esql": LOOKS, "items.sql": ITEMS}
    files |= {"tests/a/input.json": '{"id": 7}', "tests/a/price.json": '{"price": 3}', "tests/a/case.yaml": yaml}
    return write_application(place / "App", files)


ITEMS = "CREATE TABLE ITEMS(ID INTEGER, STOCK INTEGER); INSERT INTO ITEMS VALUES(7, 12);"


@pytest.mark.parametrize(
    "database",
    ["{script: ../../items.sql}", "{answers: {'SELECT T.STOCK*': [{STOCK: 12}]}}"],
)
@pytest.mark.parametrize(
    "answer", ["{file: price.json}", "{body: {price: 3}}", "{body: '{\"price\": 3}', status: 200}"]
)
def test_servers_and_databases_are_faked_by_name(answer: str, database: str, tmp_path: Path) -> None:
    place = calls(tmp_path, f"http: {{Ask: {answer}}}\ndatabases: {{SHOP: {database}}}\n")
    only(place, record=True)
    case = place / "tests/a"
    assert [path.name for path in (case / "reply").iterdir()] == ["200.json"]
    assert (case / "reply/200.json").read_text() == '{"price":3,"stock":12}'
    assert (case / "requests/Ask.http").read_text().startswith("POST http://host/price\n\n")
    assert only(place).passed


def test_an_error_of_a_server_is_an_answer(tmp_path: Path) -> None:
    place = calls(tmp_path, "http: {Ask: {error: timeout}}\n")
    only(place, record=True)
    assert not (place / "tests/a/reply/200.json").exists()
    assert only(place).passed


def test_headers_have_the_types_of_their_fields() -> None:
    made = headers_of(
        {"MQMD": {"Priority": "5", "CorrelId": "42", "MsgId": "X'4142'", "ReplyToQ": 7}, "MQRFH2": {"usr": {"n": 1}}}
    )
    assert made == {
        "MQMD": {"Priority": 5, "CorrelId": b"42", "MsgId": b"AB", "ReplyToQ": 7},
        "MQRFH2": {"usr": {"n": 1}},
    }
    for wrong in ({"MQMD": {"Priority": "high"}}, {"MQMD": {"MsgId": "X'4'"}}, {"MQMD": 5}):
        with pytest.raises(CaseError, match="headers"):
            headers_of(wrong)


# What is wrong with a case.


@pytest.mark.parametrize(
    ("yaml", "reason"),
    [
        ("flow: Nope\n", "there is no flow Nope"),
        ("http: {Ask: {file: nope.json}}\n", "there is no file nope.json"),
        ("http: {Ask: {file: ../../../../outside.json}}\n", "lies outside of"),
        ("databases: {SHOP: {script: ../../broken.sql}}\n", "the script of a database: incomplete input"),
        ("databases: {SHOP: 5}\n", "a database needs script, url or answers"),
        ("switches: {week_rule: never}\n", "week_rule is one of"),
        ("now: tomorrow\n", "tomorrow"),
        ("http: 5\n", "http needs entries"),
        ("input: Nope\n", "no input node 'Nope'"),
    ],
)
def test_a_case_that_cannot_run_fails_with_the_reason(yaml: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_text("{}")
    place = shop(tmp_path, {"tests/a/input.xml": "<a><n>2</n></a>", "tests/a/case.yaml": yaml, "broken.sql": "CREATE"})
    assert reason in only(place).differences[0]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"tests/a/input.xml": "<a/>", "tests/a/input.json": "{}"}, "a case has one file input"),
        ({"tests/a/input.xml": "<a/>", "tests/a/case.yaml": "flwo: F"}, "unknown entry flwo"),
        ({"tests/a/input.xml": "<a/>", "tests/a/case.yaml": "- 1"}, "entries are expected"),
        ({"tests/a/input.xml": "<a/>", "tests/a/case.yaml": "a: [1"}, "case.yaml"),
    ],
)
def test_a_wrong_case_is_named(files: dict[str, str | bytes], reason: str, tmp_path: Path) -> None:
    with pytest.raises(CaseError, match=reason):
        find_cases(shop(tmp_path, files))


def test_a_recording_that_is_none_fails_its_case(tmp_path: Path) -> None:
    place = shop(tmp_path, {"tests/a/input.mxml": "<a/>", "tests/a/out/OUT.xml": "<a/>"})
    assert "is no recorded assembly" in only(place).differences[0]


def test_cases_stand_below_tests_and_a_case_may_be_named_itself(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"input.xml": "<x/>", "tests/x/input.xml": "<a/>", "tests/y/z/input.xml": "<a/>"}
    place = shop(tmp_path, {**files, "tests/x/files/input.xml": "<a/>"})
    assert [case.name for case in find_cases(place)] == ["tests/x", "tests/y/z"]
    [case] = find_cases(place / "tests/y/z")
    assert (case.name, case.project) == ("z", place.resolve())


def test_a_case_may_name_what_is_loaded(tmp_path: Path) -> None:
    place = shop(
        tmp_path, {"tests/a/input.xml": "<a><n>2</n></a>", "tests/a/case.yaml": NOW + "load: ../../F.msgflow.yaml\n"}
    )
    assert only(place, record=True).passed and only(place).passed


# Files.


def test_names_stay_within_their_directory() -> None:
    assert safe_name("a/b") == "a%2Fb"
    assert safe_name("..") == "%2E."
    assert safe_name("") == "%20"
    assert safe_name("ORDERS.IN") == "ORDERS.IN"


@pytest.mark.parametrize(
    ("data", "suffix"),
    [(b" <a/>", ".xml"), (b"[1]", ".json"), (b"text\n", ".txt"), (b"\xff", ".bin"), (b"a\0", ".bin"), (b"", ".txt")],
)
def test_a_suffix_is_chosen_by_the_content(data: bytes, suffix: str) -> None:
    assert suffix_of(data) == suffix


def test_bytes_are_compared_by_position_and_text_by_line(tmp_path: Path) -> None:
    yaml = FLOW.replace("XMLNSC", "BLOB").replace("In.out, to: Compute.in", "In.out, to: Out.in")
    place = shop(
        tmp_path,
        {"F.msgflow.yaml": yaml, "tests/a/input.bin": b"\xff\x01\x02", "tests/a/out/OUT.bin": b"\xff\x01\x03\x04"},
    )
    assert only(place).differences == ["out/OUT.bin: byte 3: 02, expected 03; 3 bytes, expected 4"]
    write_application(place, {"tests/a/input.bin": "a\nb", "tests/a/out/OUT.bin": "a\nc"})
    assert only(place).differences == ["out/OUT.bin: line 2: 'b', expected 'c'"]


def test_outputs_of_a_call_can_be_written(tmp_path: Path) -> None:
    result = load(shop(tmp_path, {})).flow()(b"<a><n>2</n></a>")
    [path] = write_outputs(tmp_path / "results", outputs_of(result))
    assert path == tmp_path / "results/out/OUT.xml" and b"<n>4</n>" in path.read_bytes()


def test_an_assertion_names_the_paths_that_differ(tmp_path: Path) -> None:
    one = assembly_of(b"<a><n>1</n></a>", "XMLNSC")
    other = assembly_of(b"<a><n>2</n></a>", "XMLNSC")
    file = tmp_path / "one.mxml"
    file.write_bytes(write_mxml(one))
    ignore = ["message/MQMD", "message/Properties"]
    assert_same_assembly(file, assembly_of(b"<a><n>1</n></a>", "XMLNSC"), ignore)
    with pytest.raises(AssertionError, match="message/XMLNSC/a/n: CHARACTER '2', expected CHARACTER '1'"):
        assert_same_assembly(one, other, ignore)
