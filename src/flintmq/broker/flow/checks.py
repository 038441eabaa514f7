"""Check the definition of a flow without running it: node types, wires, properties.

`check_flow` returns a note for everything that keeps a flow from running as it is written, or that a developer should
know. Each note names file, flow and node, for the messages of loading and for `flint flow lint`.

    unknown-node      a node type that is not described (node_types.py): the flow cannot start
    cannot-run        a node type that the engine does not implement: the flow cannot start
    wire-node         a wire from or to a node that is not there
    wire-terminal     a wire from or to a terminal that the node does not have
    property          a property that the node type does not have
    label             a label that several nodes have: overrides and logs cannot tell them apart
    no-input          no node that starts the flow
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from flintmq.broker.flow.model import INPUT_TERMINAL, OUTPUT_TERMINAL, FlowDefinition, NodeDefinition
from flintmq.broker.flow.node_types import LAYOUT_PROPERTIES, can_run, node_type
from flintmq.broker.flow.resolve import SubflowLookup, no_subflows


@dataclass(frozen=True, slots=True)
class FlowProblem:
    """One finding. `node` is the label of the node, or empty."""

    check: str
    file: str
    flow: str
    node: str
    reason: str

    def __str__(self) -> str:
        where = f"{self.flow}, node {self.node!r}" if self.node else self.flow
        return f"{self.file}: {where}: {self.reason}"


def check_flow(flow: FlowDefinition, lookup: SubflowLookup = no_subflows) -> list[FlowProblem]:
    """Return the problems of a flow. `lookup` finds subflows; without it, their terminals are not checked."""
    return _Check(flow, lookup).run()


class _Check:
    def __init__(self, flow: FlowDefinition, lookup: SubflowLookup) -> None:
        self.flow = flow
        self.lookup = lookup
        self.found: list[FlowProblem] = []

    def run(self) -> list[FlowProblem]:
        flow = self.flow
        for node in flow.nodes:
            self.check_node(node)
        nodes = {node.id: node for node in flow.nodes}
        for wire in flow.connections:
            self.check_end(nodes, wire.source_node, wire.source_terminal, wire.source_static, outgoing=True)
            self.check_end(nodes, wire.target_node, wire.target_terminal, wire.target_static, outgoing=False)
        for label, count in Counter(node.label for node in flow.nodes).items():
            if count > 1:
                self.add("label", label, f"{count} nodes have this label")
        kinds = [node_type(node.type) for node in flow.nodes]
        known = all(kind is not None or node.is_subflow for kind, node in zip(kinds, flow.nodes, strict=True))
        starts = any(kind is not None and kind.starts_flow for kind in kinds)
        terminals = any(node.is_terminal for node in flow.nodes)
        if known and not starts and not terminals and not any(node.is_subflow for node in flow.nodes):
            self.add("no-input", "", "no node starts the flow")
        return self.found

    def check_node(self, node: NodeDefinition) -> None:
        kind = node_type(node.type)
        if node.is_subflow:
            return
        if kind is None:
            self.add("unknown-node", node.label, f"the node type {node.type} is not known")
            return
        if not can_run(node.type) and not node.is_terminal:
            self.add("cannot-run", node.label, f"a {kind.title} node ({node.type}) cannot be run")
        for name in node.properties:
            if name not in kind.properties and name not in LAYOUT_PROPERTIES:
                self.add("property", node.label, f"a {kind.title} node has no property {name}")

    def check_end(
        self, nodes: dict[str, NodeDefinition], node_id: str, terminal: str, static: bool, outgoing: bool
    ) -> None:
        node = nodes.get(node_id)
        way = "from" if outgoing else "to"
        if node is None:
            self.add("wire-node", "", f"a wire leads {way} the node {node_id}, which is not there")
            return
        known = self.terminals(node, outgoing)
        added = node.out_terminals if outgoing else node.in_terminals
        if known is not None and terminal not in known and all(each.name != terminal for each in added):
            kind = "static" if static else "dynamic"
            there = ", ".join([*known, *(each.name for each in added)]) or "none"
            reason = f"a wire leads {way} the {kind} terminal {terminal}, which the node does not have; it has: {there}"
            self.add("wire-terminal", node.label, reason)

    def terminals(self, node: NodeDefinition, outgoing: bool) -> list[str] | None:
        """Return the terminals of a node as far as they are known."""
        if node.is_subflow:
            subflow = self.lookup(node.type, self.flow)
            if subflow is None:
                return None
            kind = OUTPUT_TERMINAL if outgoing else INPUT_TERMINAL
            return [each.terminal_name for each in subflow.terminals(kind)]
        described = node_type(node.type)
        if described is None or not described.terminals_known:
            return None
        return list(described.outputs if outgoing else described.inputs)

    def add(self, check: str, node: str, reason: str) -> None:
        problem = FlowProblem(check, self.flow.file or self.flow.path, self.flow.qualified_name, node, reason)
        if problem not in self.found:
            self.found.append(problem)
