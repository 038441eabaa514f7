"""Nodes that run ESQL: what they may change, what PROPAGATE sends, who sees an error, several threads."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest

from flintmq.broker import FlowFailed, load
from flintmq.broker.flow.nodes.compute import PythonMessage
from flintmq.broker.tree.element import Element
from tests.broker.flow.flows import compute, flow_of, write_application

NODES = """
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#M.Main", computeMode: all}}
  Second: {type: Compute, properties: {computeExpression: "esql://routine/#N.Main", computeMode: all}}
  Filter: {type: Filter, properties: {filterExpression: "esql://routine/#P.Main"}}
  Database: {type: Database, properties: {statement: "esql://routine/#D.Main"}}
  Order: {type: FlowOrder}
  Try: {type: TryCatch}
  Throw: {type: Throw}
  Label: {type: Label, properties: {labelName: there}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Other: {type: MQOutput, properties: {queueName: OTHER}}
  Failed: {type: MQOutput, properties: {queueName: FAILED}}
wires:
"""
UNUSED = (
    compute("M", "RETURN TRUE;")
    + compute("N", "RETURN TRUE;")
    + compute("P", "RETURN TRUE;", "FILTER")
    + compute("D", "RETURN TRUE;", "DATABASE")
)


def wired(*wires: str) -> str:
    """Return the nodes with wires such as `In.out Compute.in`."""
    pairs = [wire.split() for wire in wires]
    return NODES + "".join(f"  - {{from: {source}, to: {target}}}\n" for source, target in pairs)


def modules(**bodies: str) -> str:
    """Return the modules M, N, P (of the Filter) and D (of the Database node), empty where none is given."""
    kinds = {"M": "COMPUTE", "N": "COMPUTE", "P": "FILTER", "D": "DATABASE"}
    return "".join(compute(name, bodies.get(name, "RETURN TRUE;"), kind) for name, kind in kinds.items())


def test_an_error_below_propagate_is_not_offered_to_the_failure_terminal(tmp_path: Path) -> None:
    """F2 holds for PROPAGATE, too."""
    yaml = wired("In.out Compute.in", "Compute.out Throw.in", "Compute.failure Failed.in", "In.catch Other.in")
    esql = modules(M="SET OutputRoot = InputRoot; PROPAGATE; RETURN FALSE;")

    assert list(flow_of(tmp_path, yaml, esql)(b"<a/>").out) == ["OTHER"]


def test_an_error_behind_one_that_a_handler_took_goes_to_the_failure_terminal(tmp_path: Path) -> None:
    yaml = wired("In.out Compute.in", "Compute.out Throw.in", "Compute.failure Failed.in")
    esql = modules(
        M="""BEGIN
               DECLARE EXIT HANDLER FOR SQLSTATE LIKE 'U%' SET Environment.taken = SQLSTATE;
               SET OutputRoot = InputRoot; PROPAGATE;
             END;
             SET Environment.x = 1 / 0; RETURN TRUE;"""
    )

    result = flow_of(tmp_path, yaml, esql)(b"<a/>")

    assert list(result.out) == ["FAILED"]
    assert result.environment is not None and result.environment.taken == "U03001"


def test_what_was_sent_stays_as_it_was_when_the_output_is_kept(tmp_path: Path) -> None:
    yaml = wired("In.out Compute.in", "Compute.out Out.in")
    esql = modules(
        M="""DECLARE i INTEGER 1; DECLARE r REFERENCE TO OutputRoot.XMLNSC;
             SET OutputRoot = InputRoot; MOVE r TO OutputRoot.XMLNSC;
             WHILE i <= 2 DO SET r.a.n = i; PROPAGATE DELETE NONE; SET i = i + 1; END WHILE;
             RETURN FALSE;"""
    )

    messages = flow_of(tmp_path, yaml, esql)(b"<a/>").out["OUT"]

    assert [message.body for message in messages] == [b"<a><n>1</n></a>", b"<a><n>2</n></a>"]
    assert [message.tree.XMLNSC.a.n for message in messages] == [1, 2]


def test_references_into_a_deleted_output_tree_point_to_the_new_root(tmp_path: Path) -> None:
    """MF 2.4."""
    yaml = wired("In.out Compute.in", "Compute.out Out.in")
    esql = modules(
        M="""SET OutputRoot.XMLNSC.a.b = 1;
             DECLARE r REFERENCE TO OutputRoot.XMLNSC.a;
             DECLARE kept REFERENCE TO InputRoot.XMLNSC.a;
             PROPAGATE;
             SET Environment.empty = CARDINALITY(r.*[]); SET Environment.kept = FIELDNAME(kept);
             SET r.XMLNSC.again = 2; PROPAGATE; RETURN FALSE;"""
    )

    result = flow_of(tmp_path, yaml, esql)(b"<a/>")

    assert [message.body for message in result.out["OUT"]] == [b"<a><b>1</b></a>", b"<again>2</again>"]
    assert result.environment is not None
    assert result.environment.empty == 0
    assert result.environment.kept == "a"


def test_propagate_sends_a_tree_of_the_environment_as_a_message(tmp_path: Path) -> None:
    yaml = wired("In.out Compute.in", "Compute.out Out.in")
    esql = modules(
        M="""SET Environment.m = InputRoot; CREATE FIELD Environment.m.XMLNSC DOMAIN 'XMLNSC';
             SET Environment.m.XMLNSC = InputRoot.XMLNSC; SET Environment.m.XMLNSC.a.(XMLNSC.Attribute)n = 1;
             SET Environment.l.x = 5;
             PROPAGATE MESSAGE Environment.m ENVIRONMENT Environment.l;
             SET Environment.x = FIELDVALUE(Environment.m.XMLNSC.a.n); RETURN FALSE;"""
    )

    result = flow_of(tmp_path, yaml, esql)(b"<a/>")

    assert [message.body for message in result.out["OUT"]] == [b'<a n="1"/>']
    assert result.environment is not None and result.environment.x == 1


def test_a_change_of_the_local_environment_travels_on_and_not_back(tmp_path: Path) -> None:
    """MF 1.1: a change of InputLocalEnvironment is sent on where the mode does not take the output tree."""
    yaml = wired(
        "In.out Order.in",
        "Order.first Filter.in",
        "Filter.true Second.in",
        "Second.out Out.in",
        "Order.second Compute.in",
    ).replace('"esql://routine/#N.Main", computeMode: all', '"esql://routine/#N.Main"')
    esql = modules(
        P="SET LocalEnvironment.filter = 1; RETURN TRUE;",
        N="""SET InputLocalEnvironment.compute = InputLocalEnvironment.filter + 1; SET OutputRoot = InputRoot;
             PROPAGATE; SET Environment.second = InputLocalEnvironment.compute; RETURN FALSE;""",
        M="SET Environment.left = CARDINALITY(InputLocalEnvironment.*[]); RETURN FALSE;",
    )

    result = flow_of(tmp_path, yaml, esql)(b"<a/>", keep_assemblies=True, trace=True)

    assert result.environment is not None
    assert result.environment.second == 2
    assert result.environment.left == 0
    arrived = [event.assembly for event in result.events if event.node == "F.Out" and event.event == "in"]
    assert arrived[0] is not None and arrived[0].local_environment.get("compute") == 2


def test_a_database_node_changes_its_own_message_and_a_filter_none(tmp_path: Path) -> None:
    """MF 1.9; what failed is offered as it came in."""
    yaml = wired("In.out Order.in", "Order.first Database.in", "Database.out Out.in", "Order.second Other.in")
    esql = modules(D="SET Root.XMLNSC.a.x = 1; RETURN TRUE;", P="SET Root.XMLNSC.a.x = 1; RETURN TRUE;")
    result = flow_of(tmp_path / "1", yaml, esql)(b"<a/>")

    assert [result.out[queue][0].body for queue in ("OUT", "OTHER")] == [b"<a><x>1</x></a>", b"<a/>"]

    refused = flow_of(tmp_path / "2", wired("In.out Filter.in", "Filter.failure Failed.in"), esql)(b"<a/>")
    assert refused.out["FAILED"][0].body == b"<a/>"


def test_propagate_cannot_stand_in_a_filter(tmp_path: Path) -> None:
    """MF 2.8."""
    flow = flow_of(tmp_path, wired("In.out Filter.in", "Filter.true Out.in"), modules(P="PROPAGATE; RETURN TRUE;"))

    with pytest.raises(FlowFailed, match="PROPAGATE cannot stand in a Filter"):
        flow(b"<a/>")


def test_a_routine_at_schema_level_finds_output_trees_in_a_compute_node_only(tmp_path: Path) -> None:
    """MF 1.9: 2432 is raised, where a change would be lost without a word."""
    esql = "CREATE PROCEDURE fill() BEGIN SET OutputRoot.XMLNSC.a = FIELDNAME(InputRoot.*[<]); END;"
    bodies = {"M": "CALL fill(); RETURN TRUE;", "P": "CALL fill(); RETURN TRUE;"}
    made = flow_of(tmp_path / "1", wired("In.out Compute.in", "Compute.out Out.in"), esql + modules(**bodies))
    assert made(b"<a/>").out["OUT"][0].body == b"<a>XMLNSC</a>"

    with pytest.raises(FlowFailed) as raised:
        flow_of(tmp_path / "2", wired("In.out Filter.in"), esql + modules(**bodies))(b"<a/>")
    assert raised.value.root_cause().number == 2432


def test_try_catch_without_a_wire_at_catch_ends_the_message(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, wired("In.out Try.in", "Try.try Throw.in", "In.catch Failed.in"), UNUSED)

    assert flow(b"<a/>").out == {}


def test_threads_that_run_one_node_do_not_mix_their_messages(tmp_path: Path) -> None:
    """The first message goes on behind its PROPAGATE while the second one is inside the same statement."""
    inside = {"one": threading.Event(), "two": threading.Event()}
    done = threading.Event()

    def wait(message: PythonMessage) -> None:
        name = str(message.output.get("XMLNSC.a.name"))
        inside[name].set()
        assert (inside["two"] if name == "one" else done).wait(20)

    yaml = wired("In.out Compute.in", "Compute.out Second.in", "Second.out Out.in", "Compute.out1 Out.in").replace(
        '{type: Compute, properties: {computeExpression: "esql://routine/#N.Main", computeMode: all}}',
        "{type: PythonCompute, properties: {function: wait}}",
    )
    esql = modules(
        M="""SET OutputRoot = InputRoot; PROPAGATE DELETE NONE;
             SET OutputRoot.XMLNSC.a.later = TRUE; PROPAGATE TO TERMINAL 'out1'; LOG USER TRACE VALUES (NodeLabel);
             RETURN FALSE;"""
    )
    place = write_application(tmp_path, {"F.msgflow.yaml": "flow: F.msgflow\n" + yaml, "F.esql": esql})
    flow = load(place, functions={"wait": wait}).flow("F")
    bodies: dict[str, list[bytes]] = {}

    def run(name: str) -> None:
        result = flow(f"<a><name>{name}</name></a>".encode())
        bodies[name] = [message.body for message in result.messages]

    one = threading.Thread(target=run, args=("one",))
    two = threading.Thread(target=run, args=("two",))
    one.start()
    assert inside["one"].wait(20)
    two.start()
    one.join()
    done.set()
    two.join()

    for name in ("one", "two"):
        first = f"<a><name>{name}</name></a>".encode()
        assert bodies[name] == [first, first.replace(b"</a>", b"<later>true</later></a>")]


def test_a_flow_keeps_nothing_of_a_message_but_what_is_shared(tmp_path: Path) -> None:
    yaml = wired("In.out Filter.in", "Filter.true Compute.in", "Compute.out Out.in", "Compute.out1 Try.in") + (
        "  - {from: Try.try, to: Throw.in}\n"
    )
    esql = (
        compute("P", "RETURN EVAL('Root.XMLNSC.a.x IS NOT NULL');", "FILTER")
        + """CREATE COMPUTE MODULE M
               DECLARE cache SHARED ROW; DECLARE r REFERENCE TO InputRoot.XMLNSC.a;
               DECLARE k CONSTANT CHARACTER InputRoot.XMLNSC.a.x;
               CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
                 DECLARE CONTINUE HANDLER FOR SQLSTATE LIKE '%' SET Environment.h = SQLERRORTEXT;
                 SET cache.last = InputRoot.XMLNSC.a.x; SET Environment.z = 1 / 0;
                 SET OutputRoot = InputRoot; PROPAGATE TO TERMINAL 'out1';
                 SET OutputRoot = InputRoot; EVAL('SET OutputRoot.XMLNSC.a.y = r.x || k;'); RETURN TRUE;
               END;
             END MODULE;"""
        + compute("N", "RETURN TRUE;")
        + compute("D", "RETURN TRUE;", "DATABASE")
    )

    def elements() -> int:
        gc.collect()
        return sum(type(each) is Element for each in gc.get_objects())

    flow = flow_of(tmp_path, yaml, esql)
    before = elements()
    for _ in range(3):
        assert flow(b"<a><x>1</x></a>").out["OUT"][0].body == b"<a><x>1</x><y>11</y></a>"

    assert elements() == before + 2  # The row and its one field.
