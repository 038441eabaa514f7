"""Nodes and ESQL that cannot run in Spark tasks are refused before the job starts, with file, flow and node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="flows on Spark need pyarrow: the spark extra")

from flintmq.broker import load  # noqa: E402
from flintmq.pipeline.flows.refusals import FlowRefused, check  # noqa: E402
from tests.broker.flow.flows import compute, flow_of, write_application  # noqa: E402

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "broker"
ROUTINE = 'computeExpression: "esql://routine/#C.Main"'


def flow_with(node: str) -> str:
    return f"""nodes:
  In: {{type: MQInput, properties: {{queueName: IN, messageDomainProperty: XMLNSC}}}}
  Node: {node}
wires:
  - {{from: In.out, to: Node.in}}
"""


def reasons(flow: Any, **options: Any) -> list[str]:
    with pytest.raises(FlowRefused) as refused:
        check(flow, **options)
    assert all(reason in str(refused.value) for reason in refused.value.reasons)
    return refused.value.reasons


@pytest.mark.parametrize(
    ("node", "why"),
    [
        ("{type: AggregateControl, properties: {aggregateName: A}}", "keeps state between messages"),
        ("{type: GroupScatter, properties: {GroupName: G}}", "keeps state between messages"),
        ("{type: TimeoutControl, properties: {uniqueIdentifier: T}}", "acts at a time of its own"),
        ("{type: HTTPRequest, properties: {URLSpecifier: 'http://host/'}}", "sends a request to a server"),
        ("{type: HTTPReply}", "belongs to a request of a client"),
        ("{type: MQGet, properties: {queueName: Q}}", "gets a message amid the flow"),
        ("{type: EmailOutput, properties: {smtpServer: host}}", "sends e-mail"),
    ],
)
def test_a_node_that_cannot_run_in_a_task_is_named(tmp_path: Path, node: str, why: str) -> None:
    flow = flow_of(tmp_path, flow_with(node))
    assert flow.problems == []
    (reason,) = reasons(flow)
    assert reason.startswith(f"{tmp_path / 'F.msgflow.yaml'}: F.Node (") and why in reason


def test_an_input_of_http_is_refused_and_another_input_may_be_named(tmp_path: Path) -> None:
    yaml = """nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  Http: {type: HTTPInput, properties: {URLSpecifier: /orders}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Reply: {type: HTTPReply}
wires:
  - {from: In.out, to: Out.in}
  - {from: Http.out, to: Reply.in}
"""
    flow = flow_of(tmp_path, yaml)
    check(flow, input="In")  # The nodes behind the other input cannot be reached.
    assert len(reasons(flow, input="Http")) == 2
    assert "several input nodes" in reasons(flow)[0]
    assert "no input node 'None here'" in reasons(flow, input="None here")[0]


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("INSERT INTO Database.T (A) VALUES (1);", "INSERT"),
        ("UPDATE Database.T SET A = 1;", "UPDATE"),
        ("DELETE FROM Database.T;", "DELETE"),
        ("PASSTHRU('DROP TABLE T');", "PASSTHRU"),
        ("SET OutputRoot.XMLNSC.A.B[] = PASSTHRU('SELECT 1');", "PASSTHRU"),
        ("CALL Deep(); RETURN TRUE; END; CREATE PROCEDURE Deep() BEGIN DELETE FROM Database.T;", "DELETE"),
    ],
)
def test_esql_that_may_change_a_database_is_refused_even_with_the_database(
    tmp_path: Path, statement: str, word: str
) -> None:
    flow = flow_of(tmp_path, flow_with(f"{{type: Compute, properties: {{{ROUTINE}}}}}"), compute("C", statement))
    assert flow.problems == []
    (reason,) = reasons(flow, databases={"SHOP": "sqlite://"})
    assert "F.esql:" in reason and f": {word}; a flow on Spark may read databases" in reason


def test_esql_that_only_selects_runs_with_a_database_and_not_in_a_coordinated_flow(tmp_path: Path) -> None:
    yaml = flow_with(f"{{type: Compute, properties: {{{ROUTINE}, dataSource: SHOP}}}}")
    esql = compute("C", "SET OutputRoot.XMLNSC.A.B[] = SELECT T.A FROM Database.T AS T; RETURN TRUE;")
    flow = flow_of(tmp_path, yaml, esql)
    assert "--database NAME=URL" in reasons(flow)[0]
    check(flow, databases={"SHOP": "sqlite://"})
    flow.runtime.resolved.settings["coordinatedTransaction"] = "yes"
    assert "coordinatedTransaction" in reasons(flow, databases={"SHOP": "sqlite://"})[0]


def test_the_sample_that_inserts_is_refused_with_the_line(tmp_path: Path) -> None:
    (reason,) = reasons(load(SAMPLES / "database-enrichment").flow(), databases={"CRM": "sqlite://"})
    assert "INSERT" in reason and "EnrichTickets" in reason


def test_shared_variables_are_refused_if_messages_set_them_unless_they_are_allowed(tmp_path: Path) -> None:
    yaml = flow_with(f"{{type: Compute, properties: {{{ROUTINE}}}}}")
    main = "CREATE COMPUTE MODULE C CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN {} RETURN TRUE; END; END MODULE;"
    declared = "DECLARE Count SHARED INTEGER 0;\n"
    counts = flow_of(tmp_path / "a", yaml, declared + main.format("SET Count = Count + 1;"))
    assert "SHARED variable Count" in reasons(counts)[0]
    check(counts, shared=True)
    check(flow_of(tmp_path / "b", yaml, declared + main.format("SET OutputRoot.XMLNSC.N = Count;")))


def test_the_sink_mq_takes_puts_only(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, flow_with("{type: Publication}"))
    check(flow)
    assert "it publishes, and the sink mq puts to queues" in reasons(flow, only_puts=True)[0]


def test_a_callable_flow_is_looked_into(tmp_path: Path) -> None:
    callee = """flow: G.msgflow
nodes:
  In: {type: CallableInput, properties: {endpointName: G}}
  Ask: {type: HTTPRequest, properties: {URLSpecifier: "http://host/"}}
  Reply: {type: CallableReply}
wires:
  - {from: In.out, to: Ask.in}
  - {from: Ask.out, to: Reply.in}
"""
    caller = "flow: F.msgflow\n" + flow_with("{type: CallableFlowInvoke, properties: {targetEndpointName: G}}")
    types = [("CallableInput", "CallableFlowInput"), ("CallableReply", "CallableFlowReply")]
    for short, long in types:
        callee = callee.replace(f"type: {short}", f"type: {long}")
    place = write_application(tmp_path, {"F.msgflow.yaml": caller, "G.msgflow.yaml": callee})
    flow = load(place).flow("F")
    assert flow.problems == []
    assert any("G.Ask" in reason and "server" in reason for reason in reasons(flow))


def test_a_flow_with_problems_is_refused_with_them(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, flow_with(f"{{type: Compute, properties: {{{ROUTINE}}}}}"))
    assert reasons(flow) == flow.problems and flow.problems
