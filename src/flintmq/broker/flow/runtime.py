"""A flow that can run: nodes made, wired and prepared, with the ESQL, models and settings that they share.

Nodes of subflows stand beside those of the flow: a wire to a subflow leads to its Input node, and its Output node leads
on to the nodes wired to the subflow. A node type that the engine does not have, or a node that cannot be prepared, is a
problem of the flow: it does not start, and `problems` says which file, flow and node. The rest of an application runs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.parser import parse_expression, parse_statements
from flintmq.broker.esql.program import Program, Unit
from flintmq.broker.esql.run import Deployment
from flintmq.broker.esql.switches import DEFAULTS, Switches
from flintmq.broker.flow.ending import ends_flow, last_nodes
from flintmq.broker.flow.engine import REGISTRY, NodeProblem, RuntimeNode, Wire
from flintmq.broker.flow.model import INPUT_TERMINAL, OUTPUT_TERMINAL
from flintmq.broker.flow.node_types import title_of
from flintmq.broker.flow.resolve import FlowInstance, NodeInstance, ResolvedFlow
from flintmq.broker.flow.rest_api import RestApi

#: How a property names a module of ESQL.
ROUTINE_PREFIX = "esql://routine/"


def routine_address(expression: str) -> tuple[str, str] | None:
    """Return the broker schema and the module that a property names; None if it holds the ESQL itself."""
    if not expression.startswith(ROUTINE_PREFIX):
        return None
    place, _, name = expression.removeprefix(ROUTINE_PREFIX).partition("#")
    return place.rpartition("}")[2].strip("/").replace("/", "."), name.removesuffix(".Main")


@dataclass(slots=True)
class FlowSettings:
    """The resources that the flows of one application share."""

    program: Program
    switches: Switches = DEFAULTS
    hooks: Mapping[str, Callable[..., object]] = field(default_factory=dict)
    functions: Mapping[str, Callable[..., object]] = field(default_factory=dict)
    models: Callable[[str], object] | None = None
    #: Returns the content of a file of the application (a style sheet, a schema) by name; None if it is not there.
    resource: Callable[[str], bytes | None] = lambda name: None
    broker: Mapping[str, object] = field(default_factory=dict)
    #: User variables: values of `[iib.name]`, and of EXTERNAL variables that are no property of the flow.
    variables: Mapping[str, str] = field(default_factory=dict)
    #: Python modules from which nodes may name a function as `module:function`; a package allows its submodules.
    modules: frozenset[str] = frozenset()
    #: Answer NULL for Java methods that no Python function stands for.
    lenient_hooks: bool = False


class RuntimeFlow:
    """One flow, ready to take messages."""

    def __init__(self, resolved: ResolvedFlow, settings: FlowSettings, application: str = "") -> None:
        self.resolved = resolved
        self.settings = settings
        self.application = application
        self.name = resolved.root.definition.qualified_name
        self.program = settings.program
        self.switches = settings.switches
        self.models = settings.models
        #: Why the flow cannot run; empty if it can.
        self.problems: list[str] = []
        self.nodes: list[RuntimeNode] = []
        self.labels: dict[str, RuntimeNode] = {}
        self.inputs: list[RuntimeNode] = []
        properties: dict[str, object] = {}
        for node in resolved.nodes():
            for name, each in node.owner.user_properties().items():
                if each.value is not None:
                    properties.setdefault(name, each.value)
        for name, each in resolved.root.user_properties().items():
            if each.value is not None:
                properties[name] = each.value
        for name, value in settings.variables.items():
            properties.setdefault(name.removeprefix("user-"), value)
        self.deployment = Deployment(properties=properties, hooks=settings.hooks, lenient_hooks=settings.lenient_hooks)
        #: The REST API that the flow implements, if it does.
        self.rest_api: RestApi | None = None
        #: Programs of nodes that hold their ESQL themselves, by the id of the unit.
        self.inline_programs: dict[int, Program] = {}
        self._made: dict[int, RuntimeNode] = {}
        self._build(resolved.root)
        self._wire(resolved.root)
        self._prepare()
        for last in last_nodes(self.nodes):
            last.is_last = True
            last.ends_flow = ends_flow(last)
        #: Whether a node of the flow uses the store, timers, or other flows.
        self.uses_state = any(node.uses_state for node in self.nodes)

    def data_sources(self) -> list[str]:
        """Return the data sources that properties and ESQL of its nodes name; none of a flow that cannot run.

        Names that ESQL computes are known only when a statement runs.
        """
        if self.problems:
            return []
        return list(dict.fromkeys(name for node in self.nodes for name in node.data_sources()))

    # Construction.

    def _build(self, instance: FlowInstance) -> None:
        for node in instance.nodes.values():
            if node.subflow is not None:
                self._build(node.subflow)
                continue
            definition = node.definition
            if definition.is_subflow:
                self._problem(node, f"the subflow {definition.type} was not found")
                continue
            node_class = REGISTRY.classes.get(definition.type)
            if node_class is None:
                self._problem(node, f"the engine has no node of type {title_of(definition.type)}")
                continue
            made = node_class(definition, node.properties, node.label, node.name, self)
            self._made[id(node)] = made
            self.nodes.append(made)

    def _problem(self, node: NodeInstance, text: str) -> None:
        file = node.owner.definition.file or node.owner.definition.path
        self.problems.append(f"{file}: {node.label}: {text}")

    def _wire(self, instance: FlowInstance) -> None:
        for connection in instance.definition.connections:
            source = self._source(instance, connection.source_node, connection.source_terminal)
            target = self._target(instance, connection.target_node, connection.target_terminal)
            if source is not None and target is not None:
                node, terminal = source
                node.wires.setdefault(terminal, []).append(target)
        for each in instance.nodes.values():
            if each.subflow is not None:
                self._wire(each.subflow)

    def _source(self, instance: FlowInstance, node_id: str, terminal: str) -> tuple[RuntimeNode, str] | None:
        """Return the node and terminal that a wire leaves; for a subflow, its Output node."""
        node = instance.nodes.get(node_id)
        if node is None:
            return None
        if node.subflow is None:
            made = self._made.get(id(node))
            return None if made is None else (made, terminal)
        inner = self._terminal(node.subflow, OUTPUT_TERMINAL, terminal)
        return None if inner is None else (inner, "out")

    def _target(self, instance: FlowInstance, node_id: str, terminal: str) -> Wire | None:
        """Return where a wire leads; for a subflow, its Input node."""
        node = instance.nodes.get(node_id)
        if node is None:
            return None
        if node.subflow is None:
            made = self._made.get(id(node))
            return None if made is None else Wire(made, terminal)
        inner = self._terminal(node.subflow, INPUT_TERMINAL, terminal)
        return None if inner is None else Wire(inner, "in")

    def _terminal(self, subflow: FlowInstance, kind: str, name: str) -> RuntimeNode | None:
        candidates = [node for node in subflow.nodes.values() if node.definition.type == kind]
        for node in candidates:
            if name in (node.definition.terminal_name, node.definition.label):
                return self._made.get(id(node))
        return self._made.get(id(candidates[0])) if len(candidates) == 1 else None

    def _prepare(self) -> None:
        for node in self.nodes:
            try:
                node.prepare()
            except NodeProblem as problem:
                self.problems.append(str(problem))
                continue
            if node.starts_flow:
                self.inputs.append(node)
            label = getattr(node, "label_name", "")
            if label:
                if label in self.labels:
                    self.problems.append(f"{node.label}: the label {label!r} is used twice in the flow")
                self.labels.setdefault(label, node)

    # What nodes ask for.

    def esql_unit(self, node: RuntimeNode, expression: str, kind: str) -> Unit:
        """Return the module that a property names; bare ESQL of V2.1 becomes a module of its own."""
        address = routine_address(expression)
        if address is None:
            return self._inline_unit(node, expression, kind)
        schema, module = address
        unit = self.program.unit(schema, module) or self.program.unit(schema.partition(":")[2], module)
        reason = "".join(f"; {each}" for each in self.program.errors[:3])
        if unit is None:
            where = f"the schema {schema!r}" if schema else "the default schema"
            raise NodeProblem(f"{node.label}: there is no module {module!r} in {where}{reason}")
        if unit.main is None:
            raise NodeProblem(f"{node.label}: Main of {unit.label} is missing or could not be compiled{reason}")
        return unit

    def _inline_unit(self, node: RuntimeNode, text: str, kind: str) -> Unit:
        if not text.strip():
            raise NodeProblem(f"{node.label}: the node names no ESQL")
        program = Program(self.switches, self.program.profile)
        name = "".join(letter if letter.isalnum() else "_" for letter in node.label)
        if kind == "FILTER" and ";" not in text:
            try:
                program.add_expression(parse_expression(text), text, "", name)
            except Exception as error:
                raise NodeProblem(f"{node.label}: {error}") from None
        else:
            program.add_statements(parse_statements(text), "", name, kind)
        program.compile()
        if program.errors:
            raise NodeProblem(f"{node.label}: {program.errors[0]}")
        unit = program.unit("", name)
        assert unit is not None
        self.inline_programs[id(unit)] = program
        return unit

    def program_of(self, unit: Unit) -> Program:
        """Return the program that a unit belongs to."""
        return self.inline_programs.get(id(unit), self.program)

    def label_node(self, node: RuntimeNode, label: str) -> RuntimeNode:
        """Return the Label node with a name."""
        found = self.labels.get(label)
        if found is None:
            raise BrokerError(
                4249, f"there is no Label node {label!r} in the flow {self.name}", inserts=(label, self.name)
            )
        return found

    def python_function(self, name: str) -> Callable[..., object] | None:
        """Return a Python function by the name that a node has for it: registered, or `module:function`.

        Importing a module runs its code, and a flow file may come from anywhere. So a module is imported only if the
        program that loads the flow allows it. Raise ValueError if it does not, or if the import fails.
        """
        found = self.settings.functions.get(name) or self.settings.hooks.get(name)
        if found is not None or ":" not in name:
            return found
        module, _, attribute = name.partition(":")
        parts = module.split(".")
        if not any(".".join(parts[:length]) in self.settings.modules for length in range(1, len(parts) + 1)):
            raise ValueError(f"the module {module!r} is not allowed; allow it with load(..., modules=[{module!r}])")
        try:
            imported = getattr(importlib.import_module(module), attribute, None)
        except Exception as error:
            raise ValueError(f"the module {module!r} cannot be imported: {type(error).__name__}: {error}") from None
        return imported if callable(imported) else None

    def broker_property(self, name: str) -> object:
        """Return a property of the broker or the flow by its name in upper case."""
        settings = self.resolved.settings
        own: dict[str, object] = {
            "MESSAGEFLOWLABEL": self.name,
            "APPLICATIONLABEL": self.application,
            "COMMITCOUNT": settings.get("commitCount"),
            "COMMITINTERVAL": settings.get("commitInterval"),
            "COORDINATEDTRANSACTION": settings.get("coordinatedTransaction"),
            "ADDITIONALINSTANCES": settings.get("additionalInstances"),
        }
        if own.get(name) is not None:
            return own[name]
        return self.settings.broker.get(name, DEFAULT_BROKER.get(name))

    def input(self, label: str | None, path: str = "") -> RuntimeNode:
        """Return an input node by its label; without a label, the one that takes the path of a URL, or the only one."""
        if label is not None:
            for node in self.inputs:
                if label in (node.short_label, node.label):
                    return node
            raise ValueError(f"the flow {self.name} has no input node {label!r}")
        if not self.inputs:
            raise ValueError(f"the flow {self.name} has no input node")
        candidates = [node for node in self.inputs if not node.is_response] or self.inputs
        if path and len(candidates) > 1:
            candidates = [node for node in candidates if node.takes_path(path)] or candidates
        if len(candidates) == 1:
            return candidates[0]
        labels = ", ".join(repr(node.short_label) for node in self.inputs)
        raise ValueError(f"the flow {self.name} has several input nodes; say input= one of {labels}")


#: Values of broker properties where no broker runs the flow.
DEFAULT_BROKER: dict[str, object] = {
    "BROKERNAME": "FlintMQ",
    "BROKERVERSION": "13.0.0.0",
    "BROKERVRMF": "13.0.0.0",
    "EXECUTIONGROUPNAME": "default",
    "EXECUTIONGROUPLABEL": "default",
    "QUEUEMANAGERNAME": "",
    "FAMILY": "UNIX",
    "PLATFORM": "Linux",
    "WORKPATH": "/var/mqsi",
    "TRACELEVEL": "none",
}
