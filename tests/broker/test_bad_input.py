"""Bad input through whole flows: messages, ESQL, flow files and archives that are wrong.

Every case of a message runs three times, and takes the path that docs/broker/flows.md says (Errors):

    nothing wired           FlowFailed, whose one line names number, node, file and line; nothing was put
    `failure` of the node   the message as it came in, byte for byte, with the ExceptionList
    `catch` of the input    the same, at the input node

Memory is measured while each case runs. A case that hangs makes the suite hang: there is no clock in here.
"""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker import Flow, FlowFailed, FlowProblem, load
from flintmq.broker.errors import INTERNAL, NODE_RETHROW, BrokerError
from flintmq.broker.esql.run import DataSource
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.tree.assembly import error_of
from tests.broker.flow.flows import compute, flow_of, write_application
from tests.broker.flow.sample_projects import bar_bytes, zip_of

#: What a case may allocate: every message here is far smaller, however large it would like to become.
BYTES_MAX = 30_000_000

NODES = """
nodes:
  In:
    type: MQInput
    properties:
      {queueName: IN, messageDomainProperty: DOMAIN, validateTiming: TIMING, messageSetProperty: Orders,
       messageTypeProperty: Order, messageFormatProperty: FORMAT}
  Work: {type: Compute, properties: {computeExpression: "esql://routine/#Work.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Failed: {type: MQOutput, properties: {queueName: FAILED}}
wires:
  - {from: In.out, to: Work.in}
  - {from: Work.out, to: Out.in}
"""
#: A message in binary and in tagged text, for the domain MRM: `MRM/CWF1` and `MRM/TDS1` below.
MODEL = """
message_set: Orders
formats:
  CWF1: {kind: CWF}
  TDS1: {kind: TDS}
messages:
  Order:
    TDS1: {dataElementSeparation: TaggedDelimited, delimiter: ";", tagDataSeparator: "="}
    elements:
      - Id: {type: string, CWF1: {length: 4}, TDS1: {tag: ID}}
      - c: {type: decimal, CWF1: {physicalType: packedDecimal, length: 3, virtualDecimalPoint: 2}, TDS1: {tag: PR}}
      - Count: {type: int, CWF1: {physicalType: integer, length: 4}, TDS1: {tag: CT}}
      - Line: {type: string, occurs: 0..*, CWF1: {repeatReference: Count, length: 2}, TDS1: {tag: LN}}
"""
WIRES = {
    "none": "",
    "failure": "  - {from: Work.failure, to: Failed.in}\n",
    "catch": "  - {from: In.catch, to: Failed.in}\n",
}
#: The nodes whose entries 2230 an ExceptionList begins with.
PASSED = {"none": ["F.In", "F.Work"], "failure": ["F.Work"], "catch": ["F.In", "F.Work"]}


class Case(NamedTuple):
    """A message that cannot be handled, and what must be said of it."""

    domain: str
    body: bytes
    #: Statements of the Compute node, one per line; the first stands in line 2 of the file.
    statements: str
    #: Numbers of the entries below those of the nodes, outermost first.
    numbers: list[int]
    #: The line that failed.
    line: int
    #: What the text of the cause contains.
    says: str


def touch(domain: str) -> str:
    """Return statements that look at the body in line 3."""
    folder = {"JSON": "JSON.Data"}.get(domain, "MRM" if domain.startswith("MRM") else f"{domain}.a")
    return f"SET OutputRoot = InputRoot;\nSET OutputRoot.{folder}.b = InputRoot.{folder}.c;\nRETURN TRUE;"


def laughs(levels: int) -> bytes:
    """Return a document whose entity has 10 ** levels letters."""
    entities = b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, levels + 1))
    return b'<!DOCTYPE a [<!ENTITY e0 "!">%s]><a><c>&e%d;</c></a>' % (entities, levels)


def malformed(domain: str, body: bytes, says: str, numbers: tuple[int, ...] = (5009, 5004)) -> Case:
    """Return the case of a body that cannot be read; the statement that touches it first is in line 3."""
    return Case(domain, body, touch(domain), [2488, *numbers], 3, says)


def failing(statement: str, numbers: tuple[int, ...], says: str) -> Case:
    """Return the case of a statement that fails, in line 4."""
    statements = f"SET OutputRoot = InputRoot;\nDECLARE zero INTEGER 0;\n{statement}\nRETURN TRUE;"
    return Case("XMLNSC", b"<a>1</a>", statements, [2488, *numbers], 4, says)


LARGE_ENTITY = b'<!DOCTYPE a [<!ENTITY e "%s">]><a><c>%s</c></a>' % (b"x" * 50_000, b"&e;" * 50_000)
ENDLESS_ENTITY = b'<!DOCTYPE a [<!ENTITY e "&e;">]><a><c>&e;</c></a>'
JSON = (5705, 5701)
ARITHMETIC = (2439, 2450)
#: Id and price of an order in CWF, with the byte order of Encoding 546.
CWF = b"A001\x0c\x25\x00"

CASES = {
    "XML whose tags do not match": malformed("XMLNSC", b"<a><b></a>", "mismatched tag at line 1, column 9"),
    "XML that ends early": malformed("XMLNS", b"<a><b>x</b>", "line 1, column 1"),
    "XML that is none": malformed("XML", b"\x00\x01\x02", "line 1, column"),
    "XML with bytes of another character set": malformed(
        "XMLNSC", b"<a><c>\xff\xfe</c></a>", "byte 6 is not text of utf-8"
    ),
    "billion laughs": malformed("XMLNSC", laughs(12), "amplification"),
    "billion laughs in XMLNS": malformed("XMLNS", laughs(12), "amplification"),
    "a large entity many times": malformed("XMLNSC", LARGE_ENTITY, "amplification"),
    "an entity inside itself": malformed("XMLNSC", ENDLESS_ENTITY, "recursive"),
    "XML that is too deep": malformed("XMLNSC", b"<a>" * 100_000, "nested deeper than 2000"),
    "JSON without a value": malformed("JSON", b'{"c": }', "line 1 column 7: found '}'", JSON),
    "JSON that ends early": malformed("JSON", b'{"c": [1, 2', "line 1 column 12", (5705, 5702)),
    "JSON that is too deep": malformed("JSON", b"[" * 1_000_000, "at most 2000 nested", JSON),
    "CWF that is too short": malformed("MRM/CWF1", b"A001\x00", "it has 3 bytes and only 1", (5285, 5346)),
    "CWF whose count is too high": malformed("MRM/CWF1", CWF + b"\xff\xff\xff\x7fab", "Order.Line", (5285, 5375)),
    "CWF whose count is negative": malformed("MRM/CWF1", CWF + b"\xff\xff\xff\xffab", "-1", (5285,)),
    "CWF that is too long": malformed("MRM/CWF1", CWF + b"\x01\x00\x00\x00abcd", "2 bytes", (5285,)),
    "CWF with a packed number that is none": malformed("MRM/CWF1", b"A001abc", "packed number X'", (5285, 5505)),
    "TDS without a tag": malformed("MRM/TDS1", b"A001;2.50", "no element has the tag", (5285, 5423)),
    "TDS with an unknown tag": malformed("MRM/TDS1", b"ID=A;XX=1", "no element has the tag", (5285, 5423)),
    "TDS with a number that is none": malformed("MRM/TDS1", b"ID=A;PR=many", "'many' is not a number", (5285, 5505)),
    "division by zero": failing("SET zero = 1 / zero;", ARITHMETIC, "division by zero: 1 / 0"),
    "division of a DECIMAL by zero": failing("SET Environment.x = 1.5 / zero;", ARITHMETIC, "division by zero"),
    "INTEGER overflow": failing("SET zero = 9223372036854775807 + 1;", ARITHMETIC, "does not fit into INTEGER"),
    "a bad cast to INTEGER": failing("SET zero = CAST('many' AS INTEGER);", (2521,), "'many' to INTEGER"),
    "a bad cast to DATE": failing("DECLARE d DATE CAST('30.02.2026' AS DATE FORMAT 'dd.MM.yyyy');", (2521,), "30"),
    "a bad cast to BLOB": failing("SET Environment.b = CAST('abc' AS BLOB);", (2521,), "BLOB"),
    "a text that is too long": failing("SET Environment.t = REPLICATE('x', 1000000000000);", (2439,), "REPLICATE"),
    "an index that is too high": failing("SET OutputRoot.XMLNSC.a.b[1000000000] = 1;", (2497,), "b[1000000000]"),
    "a change of the input": failing("SET InputRoot.XMLNSC.a = 2;", (2497,), "cannot be changed"),
}


def nodes_of(domain: str, timing: str = "deferred") -> str:
    """Return the nodes with a domain; `MRM/CWF1` names the format, too."""
    name, _, physical = domain.partition("/")
    return NODES.replace("DOMAIN", name).replace("TIMING", timing).replace("FORMAT", physical or '""')


def flow_for(place: Path, domain: str, statements: str, wires: str = "none", timing: str = "deferred") -> Flow:
    nodes = nodes_of(domain, timing) + WIRES[wires]
    return flow_of(place, nodes, compute("Work", statements), Orders__mset__yaml=MODEL)


def entries_of(flow: Flow, case: Case, wires: str) -> list[tuple[int, str, int, str]]:
    """Run a case; return number, label, line and text of each entry of the ExceptionList."""
    if wires == "none":
        with pytest.raises(FlowFailed) as caught:
            flow(case.body)
        assert caught.value.result.messages == []
        assert f"BIP{caught.value.root_cause().number}: " in str(caught.value)
        assert re.search(rf" \[F\.Work\] \(\S+F\.esql:{case.line}\)$", str(caught.value))
        error: BrokerError | None = caught.value
    else:
        result = flow(case.body, trace=True, keep_assemblies=True)
        assert [message.body for message in result.out["FAILED"]] == [case.body]
        assert list(result.out) == ["FAILED"]
        last = [event.assembly for event in result.events if event.node == "F.Failed" and event.event == "in"][-1]
        assert last is not None
        error = error_of(last.exception_list)
    assert error is not None
    return [(entry.number, entry.node_label, entry.line, entry.text) for entry in error.chain()]


@pytest.mark.parametrize("wires", WIRES)
@pytest.mark.parametrize("name", CASES)
def test_the_failure_path_is_taken_and_names_node_line_and_cause(tmp_path: Path, name: str, wires: str) -> None:
    case = CASES[name]
    flow = flow_for(tmp_path, case.domain, case.statements, wires)
    assert flow.problems == []
    tracemalloc.start()
    try:
        entries = entries_of(flow, case, wires)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert [label for number, label, _, _ in entries if number == NODE_RETHROW] == PASSED[wires]
    below = [entry for entry in entries if entry[0] != NODE_RETHROW]
    assert [number for number, *_ in below][: len(case.numbers)] == case.numbers
    assert below[0][2] == case.line
    assert case.says in entries[-1][3]
    assert peak < BYTES_MAX


def test_an_external_entity_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    body = f'<!DOCTYPE a [<!ENTITY e SYSTEM "{secret.as_uri()}">]><a><c>&e;</c></a>'.encode()

    result = flow_for(tmp_path / "flow", "XMLNSC", touch("XMLNSC"))(body)

    assert b"the secret" not in result.out["OUT"][0].body


def test_a_body_that_is_not_touched_passes_though_it_is_malformed(tmp_path: Path) -> None:
    flow = flow_for(tmp_path, "XMLNSC", "SET OutputRoot = InputRoot;\nRETURN TRUE;")

    assert flow(b"<a><b></a>").out["OUT"][0].body == b"<a><b></a>"


def test_an_input_node_that_parses_at_once_sends_what_it_cannot_read_to_failure_as_a_blob(tmp_path: Path) -> None:
    nodes = nodes_of("XMLNSC", "complete") + "  - {from: In.failure, to: Failed.in}\n"
    flow = flow_of(tmp_path, nodes, compute("Work", "RETURN TRUE;"))

    message = flow(b"<a><b></a>").out["FAILED"][0]

    assert message.body == b"<a><b></a>"
    assert message.tree.BLOB.BLOB == b"<a><b></a>"


def test_a_damaged_header_goes_to_failure_with_all_of_its_bytes(tmp_path: Path) -> None:
    nodes = nodes_of("XMLNSC") + "  - {from: In.failure, to: Failed.in}\n"
    flow = flow_of(tmp_path, nodes, compute("Work", "SET OutputRoot = InputRoot; RETURN TRUE;"))
    damaged = b"RFH " + bytes(20)

    assert flow(damaged, headers={"MQMD": {"Format": "MQHRF2"}}).out["FAILED"][0].data == damaged


def test_routines_that_call_each_other_without_end_are_ended(tmp_path: Path) -> None:
    esql = compute("Work", "CALL Again();\nRETURN TRUE;") + "CREATE PROCEDURE Again() BEGIN CALL Again(); END;"
    flow = flow_of(tmp_path, nodes_of("BLOB"), esql)

    with pytest.raises(FlowFailed, match=r"BIP2439: routines call each other too deep \[F.Work\] \(\S+F.esql:5\)"):
        flow(b"x")


def test_a_loop_of_wires_is_ended(tmp_path: Path) -> None:
    nodes = nodes_of("BLOB") + "  - {from: Out.out, to: Work.in}\n"
    flow = flow_of(tmp_path, nodes, compute("Work", "SET OutputRoot = InputRoot; RETURN TRUE;"))

    with pytest.raises(FlowFailed, match=r"BIP4184: .*loop of wires \[F\.") as caught:
        flow(b"x")
    assert caught.value.result.messages == []


def test_a_subflow_inside_itself_is_named(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        "nodes:\n  In: {type: MQInput, properties: {queueName: IN}}\n  Sub: {type: S.subflow}\n"
        "wires:\n  - {from: In.out, to: Sub.Input}\n",
        S__subflow__yaml="flow: S.subflow\nnodes:\n  Input: {type: Input}\n  Sub: {type: S.subflow}\n"
        "wires:\n  - {from: Input.out, to: Sub.Input}\n",
    )

    with pytest.raises(FlowProblem, match=r"S\.subflow"):
        flow(b"x")


# ESQL with errors: the module that cannot run is named when the flow is loaded, with file, line and column.

ESQL_ERRORS = {
    "a word is missing": ("SET OutputRoot = InputRoot;\nSET a = ;", "F.esql:3:9: BIP2401: found ;; expected"),
    "a semicolon is missing": ("SET OutputRoot = InputRoot\nSET a = 1;", "F.esql:3:1: BIP2401: found SET; expected ;"),
    "a name is not declared": ("SET OutputRoot = InputRoot;\nSET a.b = 1;", "F.esql:3:5: BIP2432"),
    "a block is not closed": ("IF TRUE THEN\nSET OutputRoot = InputRoot;", "F.esql:"),
    "a comment is not closed": ("/* SET OutputRoot = InputRoot;\n", "F.esql:2:1"),
    "a text is not closed": ("SET OutputRoot.XMLNSC.a = 'x;\n", "F.esql:2:27"),
    "parentheses are too deep": ("SET OutputRoot.XMLNSC.a = " + "(" * 5000 + "1" + ")" * 5000 + ";", "F.esql:2:"),
    "it is no ESQL": ("\x00\x01{}[]%%", "F.esql:2:1"),
}  # fmt: skip


@pytest.mark.parametrize("name", ESQL_ERRORS)
def test_esql_with_errors_is_named_with_file_line_and_column(tmp_path: Path, name: str) -> None:
    statements, says = ESQL_ERRORS[name]
    place = write_application(
        tmp_path,
        {
            "Bad.msgflow.yaml": "flow: Bad.msgflow\n" + nodes_of("BLOB"),
            "F.esql": compute("Work", statements),
            "Good.msgflow.yaml": "flow: Good.msgflow\n" + nodes_of("BLOB").replace("#Work", "#Good"),
            "Good.esql": compute("Good", "SET OutputRoot = InputRoot; RETURN TRUE;"),
        },
    )
    loaded = load(place)

    with pytest.raises(FlowProblem) as caught:
        loaded.flow("Bad")(b"x")
    print(caught.value)
    assert says in str(caught.value)
    assert "Bad.Work" in str(caught.value)
    # Everything else in the application runs.
    assert loaded.flow("Good")(b"x").out["OUT"][0].body == b"x"


# Archives that are damaged: one line that names the file, or notes and the flows that could be read.

BAR = bar_bytes()
DAMAGED = {
    "empty": b"",
    "no archive": b"<Broker/>",
    "cut in the middle": BAR[: len(BAR) // 2],
    "without its directory": BAR[:-60],
    "only its end": BAR[-400:],
    "zeros": bytes(10_000),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_bar_is_one_line_that_names_the_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / "orders.bar"
    path.write_bytes(DAMAGED[name])

    with pytest.raises(FlowFileError, match=r"orders\.bar") as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_a_bar_that_unpacks_to_too_much_is_refused_before_it_does(tmp_path: Path) -> None:
    path = tmp_path / "orders.bar"
    path.write_bytes(zip_of({"Shop.appzip": zip_of({"shop/Orders.esql": b"-" * (100 << 20)})}))
    tracemalloc.start()
    try:
        loaded = load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert loaded.flow_names == []
    assert any("Orders.esql" in note for note in loaded.notes)
    assert peak < BYTES_MAX


@settings(max_examples=40)
@given(changes=st.lists(st.tuples(st.integers(0, len(BAR) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_a_bar_with_changed_bytes_loads_with_notes_or_is_refused(changes: list[tuple[int, int]]) -> None:
    damaged = bytearray(BAR)
    for position, byte in changes:
        damaged[position] = byte
    with TemporaryDirectory() as place:
        path = Path(place) / "orders.bar"
        path.write_bytes(damaged)
        run_what_loads(path, b"<Order/>")


# Files and messages with random changes. What may happen: a file is refused, a flow is refused, a message fails with a
# cause of its own. What may not: another exception, or an internal error in the ExceptionList.


def run_what_loads(path: Path, body: bytes, databases: Mapping[str, DataSource] | None = None) -> None:
    """Load an application, call each of its flows, and let pass what is refused as documented."""
    try:
        loaded = load(path)
    except FlowFileError:
        return
    for problem in [*loaded.notes, *map(str, loaded.esql_problems)]:
        assert "Traceback" not in problem
    for name in loaded.flow_names:
        try:
            flow = loaded.flow(name)
            for label in flow.inputs:
                flow(body, input=label, databases=databases)
        except FlowFailed as error:
            assert all(entry.number != INTERNAL for entry in error.chain()), str(error)
        except (FlowFileError, FlowProblem):
            pass


def changed(data: bytes) -> st.SearchStrategy[bytes]:
    """Return texts and messages that differ from `data` in a few places."""
    signs = st.sampled_from(list("<>&\"']}{;(\0")).map(str.encode)
    piece = st.one_of(st.binary(max_size=6), signs)
    edit = st.tuples(st.integers(0, len(data)), st.integers(0, 12), piece)

    def apply(edits: list[tuple[int, int, bytes]]) -> bytes:
        made = data
        for place, length, new in edits:
            made = made[:place] + new + made[place + length :]
        return made

    return st.lists(edit, min_size=1, max_size=5).map(apply)


SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "broker"
ORDERS = SAMPLES / "order-routing"
STOCK = SAMPLES / "content-publish"
CLAIMS = SAMPLES / "copybook-to-xml"
CLAIM = (CLAIMS / "tests" / "two-items" / "input.bin").read_bytes()
ORDER = b'<Order country="CH"><Line><Item>Lamp</Item><Quantity>2</Quantity><Price>19.90</Price></Line></Order>'
MOVEMENT = b'{"warehouse": "vienna", "item": "Lamp", "left": 3, "checks": [{"kind": "damage", "pieces": 1}]}'


def run_changed(sample: Path, replaced: str, data: bytes, body: bytes) -> None:
    """Run a sample with one of its files changed."""
    folder = next(path for path in sample.iterdir() if path.is_dir() and list(path.glob("*.msgflow")))
    files: dict[str, str | bytes] = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert replaced in files
    with TemporaryDirectory() as place:
        content = {f"{folder.name}/{name}": data if name == replaced else each for name, each in files.items()}
        run_what_loads(write_application(Path(place), content), body)


@settings(max_examples=40)
@given(data=changed((ORDERS / "shop" / "OrderRouting.msgflow").read_bytes()))
def test_a_changed_flow_file_is_refused_or_runs(data: bytes) -> None:
    run_changed(ORDERS, "OrderRouting.msgflow", data, ORDER)


@settings(max_examples=40)
@given(data=changed((ORDERS / "shop" / "ReportError.subflow").read_bytes()))
def test_a_changed_subflow_is_refused_or_runs(data: bytes) -> None:
    run_changed(ORDERS, "ReportError.subflow", data, b"<Order>")


@settings(max_examples=40)
@given(data=changed((STOCK / "stock" / "StockEvents.esql").read_bytes()))
def test_changed_esql_is_refused_or_runs(data: bytes) -> None:
    """The module has no loop: a change could make one endless, which is no fault of ours."""
    run_changed(STOCK, "StockEvents.esql", data, MOVEMENT)


@pytest.fixture(scope="module")
def flows() -> dict[str, Flow]:
    return {"XML": load(ORDERS).flow(), "JSON": load(STOCK).flow(), "CWF": load(CLAIMS).flow()}


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Flow:
    return flow_for(tmp_path_factory.mktemp("tagged"), "MRM/TDS1", touch("MRM/TDS1").replace("b =", "Id ="))


def run_message(flow: Flow, body: bytes, **descriptor: object) -> None:
    """Send a message, which may fail with a cause of its own."""
    try:
        flow(body, headers={"MQMD": descriptor})
    except FlowFailed as error:
        assert all(entry.number != INTERNAL for entry in error.chain()), str(error)


@settings(max_examples=40)
@given(data=st.one_of(changed(ORDER), st.binary(max_size=60)))
def test_a_changed_xml_message_is_handled(flows: dict[str, Flow], data: bytes) -> None:
    result = flows["XML"](data)
    # TryCatch is around everything: each message ends in exactly one queue.
    assert len(result.messages) == 1


@settings(max_examples=40)
@given(data=st.one_of(changed(MOVEMENT), st.binary(max_size=60)))
def test_a_changed_json_message_is_handled(flows: dict[str, Flow], data: bytes) -> None:
    run_message(flows["JSON"], data)


@settings(max_examples=40)
@given(data=st.one_of(changed(CLAIM), st.binary(max_size=120)))
def test_a_changed_cwf_message_is_handled(flows: dict[str, Flow], data: bytes) -> None:
    run_message(flows["CWF"], data, CodedCharSetId=500, Encoding=785)


@settings(max_examples=40)
@given(data=st.one_of(changed(b"ID=A001;PR=2.50;CT=2;LN=aa;LN=bb"), st.binary(max_size=60)))
def test_a_changed_tds_message_is_handled(tagged: Flow, data: bytes) -> None:
    run_message(tagged, data)


@settings(max_examples=40)
@given(data=changed((CLAIMS / "Claims.mset.yaml").read_bytes()))
def test_a_changed_message_set_is_refused_or_used(data: bytes) -> None:
    with TemporaryDirectory() as place:
        files: dict[str, str | bytes] = {
            f"claims/{path.name}": path.read_bytes() for path in (CLAIMS / "claims").iterdir()
        }
        flow = load(write_application(Path(place), files | {"Claims.mset.yaml": data})).flow()
        run_message(flow, CLAIM, CodedCharSetId=500, Encoding=785)
