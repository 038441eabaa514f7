"""Which output nodes end their flow (ending.py): the put of no other one may leave with the commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.broker.messages import descriptor
from flintmq.broker import load
from flintmq.broker.flow.ending import RELAYS
from flintmq.broker.flow.engine import REGISTRY, Invocation
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode
from flintmq.broker.flow.services import Put, Recorder, Written

ESQL = """
CREATE COMPUTE MODULE Same CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
SET OutputRoot = InputRoot; RETURN TRUE; END; END MODULE;
CREATE FILTER MODULE Yes CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN RETURN TRUE; END; END MODULE;
"""
NODES = """nodes:
  In: {type: MQInput, properties: {queueName: IN}}
  Compute: {type: Compute, properties: {computeExpression: "esql://routine/#Same.Main"}}
  Filter: {type: Filter, properties: {filterExpression: "esql://routine/#Yes.Main"}}
  Order: {type: FlowOrder}
  Try: {type: TryCatch}
  Jump: {type: RouteToLabel}
  Label: {type: Label, properties: {labelName: L}}
  Trace: {type: Trace}
  Out: {type: MQOutput, properties: {queueName: OUT}}
  Other: {type: MQOutput, properties: {queueName: OTHER}}
"""


@pytest.mark.parametrize(
    ("wires", "ending"),
    [
        ("In.out-Out", {"Out"}),
        ("In.out-Compute Compute.out-Out", {"Out"}),
        ("In.out-Compute Compute.out-Filter Filter.true-Out Filter.false-Other", {"Out", "Other"}),
        ("In.out-Compute Compute.out-Jump Label.out-Out", {"Out"}),
        # A second wire: what it leads to runs after the first.
        ("In.out-Out In.out-Other", {"Other"}),
        ("In.out-Order Order.first-Out Order.second-Other", {"Other"}),
        # Something sees how the put went.
        ("In.out-Out Out.out-Trace", set()),
        ("In.out-Out Out.failure-Trace", set()),
        ("In.out-Out In.catch-Trace", set()),
        ("In.out-Try Try.try-Out", set()),
        ("In.out-Try Try.catch-Out", set()),
        # Error paths: the put is not what the flow was to do.
        ("In.out-Compute Compute.failure-Out", set()),
        ("In.failure-Out", set()),
        # Two ways, of which one is not the last.
        ("In.out-Order Order.first-Out Order.second-Out", set()),
        ("In.out-Compute In.out-Out Compute.out-Out", set()),
        # No way.
        ("In.out-Trace", set()),
    ],
)
def test_a_put_ends_the_flow_if_nothing_follows_and_nothing_sees_it(
    wires: str, ending: set[str], tmp_path: Path
) -> None:
    lines = "".join(
        f"  - {{from: {source}, to: {target}.in}}\n" for source, _, target in (w.partition("-") for w in wires.split())
    )
    (tmp_path / "F.msgflow.yaml").write_text(f"flow: F.msgflow\n{NODES}wires:\n{lines}")
    (tmp_path / "F.esql").write_text(ESQL)
    flow = load(tmp_path).flow("F").runtime
    found = {node.short_label for node in flow.nodes if node.ends_flow and node.short_label in ("Out", "Other")}
    assert found == ending


def test_relays_are_nodes_of_the_engine() -> None:
    assert set(RELAYS) <= set(REGISTRY.classes)


LISTS = """
CREATE COMPUTE MODULE List CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
SET OutputRoot = InputRoot;
SET OutputLocalEnvironment.Destination.RouterList.DestinationData[1].labelName = 'other';
SET OutputLocalEnvironment.Destination.RouterList.DestinationData[2].labelName = 'L';
RETURN TRUE; END; END MODULE;
CREATE COMPUTE MODULE Count CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
SET OutputRoot = InputRoot;
SET OutputRoot.XMLNSC.a = CARDINALITY(InputLocalEnvironment.Destination.RouterList.DestinationData[]);
RETURN TRUE; END; END MODULE;
"""
ROUTED = """flow: F.msgflow
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  List: {type: Compute, properties: {computeExpression: "esql://routine/#List.Main", computeMode: all}}
  Order: {type: FlowOrder}
  Jump: {type: RouteToLabel}
  Label: {type: Label, properties: {labelName: L}}
  Count: {type: Compute, properties: {computeExpression: "esql://routine/#Count.Main", computeMode: message}}
  Out: {type: MQOutput, properties: {queueName: OUT}}
wires:
"""


@pytest.mark.parametrize(
    ("wires", "counts"),
    [
        ("In.out-List List.out-Jump Label.out-Count Count.out-Out", ["1"]),  # B249: the entry that was used is gone.
        # What runs later sees the list as it was.
        ("In.out-List List.out-Order Order.first-Jump Order.second-Count Count.out-Out", ["2"]),
        ("In.out-List List.out-Jump List.out-Count Count.out-Out", ["2"]),
    ],
)
def test_a_list_of_labels_is_changed_in_place_only_where_nothing_else_sees_it(
    wires: str, counts: list[str], tmp_path: Path
) -> None:
    lines = "".join(
        f"  - {{from: {source}, to: {target}.in}}\n" for source, _, target in (w.partition("-") for w in wires.split())
    )
    (tmp_path / "F.msgflow.yaml").write_text(ROUTED + lines)
    (tmp_path / "F.esql").write_text(LISTS)
    flow = load(tmp_path).flow("F").runtime
    sink = Sink()
    node = flow.inputs[0]
    assert isinstance(node, InputNode)
    node.take(Invocation(flow, sink), Incoming(b"<a>0</a>", descriptor()))
    assert sink.said == [f"<a>{count}</a>".encode() for count in counts]


class Sink(Recorder):
    """Services that keep no trees, as those of a broker."""

    keeps_trees = False

    def __init__(self) -> None:
        super().__init__()
        self.said: list[bytes] = []

    def put(self, put: Put) -> Written:
        self.said.append(put.data)
        return Written(put.queue, put.queue_manager, put.md.msg_id, put.md.correl_id)
