"""Lint of a project: the checks of ESQL with the nodes that run it, and the checks of flows.

    report = lint_project(load("Shop"))
    for finding in report.sorted(): print(finding)

Every message flow is expanded with its subflows, overrides and promoted properties, so a check sees the value of
computeMode that will be in force. A subflow that no flow uses is looked at by itself; facts that only its users know
(labels, the nodes that fill the local environment) are not checked then.

    FL025, FL026    stand in ESQL and need the wires of the node
    FL101 to FL115  stand in the flow file
    BIPnnnn         errors and warnings of the compiler
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from flintmq.broker.esql import lint as esql_lint
from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.lint_checks_trees import FOLDERS
from flintmq.broker.esql.lint_model import LintModule, LintProgram, LintRoutine, NodeUse
from flintmq.broker.esql.lint_report import Check, Report, Severity
from flintmq.broker.esql.parser import parse
from flintmq.broker.esql.program import Program
from flintmq.broker.esql.run import TERMINALS
from flintmq.broker.flow import nodes as _nodes
from flintmq.broker.flow.application import Application
from flintmq.broker.flow.checks import check_flow
from flintmq.broker.flow.descriptors import Kind
from flintmq.broker.flow.model import FlowDefinition, FlowFileError
from flintmq.broker.flow.nodes.compute import MODES
from flintmq.broker.flow.project import Project
from flintmq.broker.flow.resolve import NodeInstance, ResolvedFlow
from flintmq.broker.flow.runtime import routine_address

assert _nodes  # Importing it registers the node types that the engine has.

UNWIRED: Final = Check(
    "FL025", "PropagateConsistency", Severity.WARNING, "PROPAGATE names a terminal of the node that is not wired"
)
NO_LABEL: Final = Check(
    "FL026", "PropagateToLabel", Severity.ERROR, "PROPAGATE names a label that the flow does not have"
)
COMPUTE_MODE: Final = Check(
    "FL101", "ComputeMode", Severity.ERROR, "a computeMode does not exist and counts as message"
)
NO_TERMINAL: Final = Check(
    "FL102", "UnknownTerminal", Severity.ERROR, "a wire uses a terminal that the node does not have"
)
LABEL_UNUSED: Final = Check(
    "FL103", "LabelWithoutRouter", Severity.WARNING, "nothing in the flow can jump to a Label node"
)
LIST_MODE: Final = Check(
    "FL104", "ListWithoutDestination", Severity.WARNING, "an MQOutput node in list mode gets no destination list"
)
NO_MODULE: Final = Check("FL105", "UnknownModule", Severity.ERROR, "a node names a module of ESQL that does not exist")
UNKNOWN_NODE: Final = Check("FL106", "UnknownNode", Severity.WARNING, "a node type is not known")
CANNOT_RUN: Final = Check("FL107", "CannotRun", Severity.NOTE, "a node type is known, and the engine does not have it")
UNKNOWN_PROPERTY: Final = Check(
    "FL108", "UnknownProperty", Severity.NOTE, "a node has a property that its type does not have"
)
SAME_LABEL: Final = Check("FL109", "SameNodeLabel", Severity.WARNING, "several nodes of a flow have the same label")
NO_INPUT: Final = Check("FL110", "NoInput", Severity.NOTE, "no node starts the flow")
NEVER_PROPAGATED: Final = Check(
    "FL111", "WireWithoutPropagate", Severity.WARNING, "a terminal of a Compute node is wired and nothing is sent to it"
)
WIRE_TO_NOTHING: Final = Check(
    "FL112", "WireToNothing", Severity.ERROR, "a wire leads from or to a node that is not there"
)
LABEL_TWICE: Final = Check("FL113", "LabelTwice", Severity.ERROR, "two Label nodes have the same labelName")
NO_SUBFLOW: Final = Check("FL114", "UnknownSubflow", Severity.ERROR, "a subflow cannot be found or contains itself")
NODE_DOMAIN: Final = Check(
    "FL115", "UnknownNodeDomain", Severity.ERROR, "a node names a message domain that does not exist"
)

FLOW_CHECKS: Final[dict[str, Check]] = {
    check.code: check
    for check in (
        UNWIRED,
        NO_LABEL,
        COMPUTE_MODE,
        NO_TERMINAL,
        LABEL_UNUSED,
        LIST_MODE,
        NO_MODULE,
        UNKNOWN_NODE,
        CANNOT_RUN,
        UNKNOWN_PROPERTY,
        SAME_LABEL,
        NO_INPUT,
        NEVER_PROPAGATED,
        WIRE_TO_NOTHING,
        LABEL_TWICE,
        NO_SUBFLOW,
        NODE_DOMAIN,
    )
}
#: All checks by code.
CHECKS: Final[dict[str, Check]] = dict(sorted({**esql_lint.ESQL_CHECKS, **FLOW_CHECKS}.items()))

_BY_NAME: Final = {
    "unknown-node": UNKNOWN_NODE,
    "cannot-run": CANNOT_RUN,
    "wire-node": WIRE_TO_NOTHING,
    "wire-terminal": NO_TERMINAL,
    "property": UNKNOWN_PROPERTY,
    "label": SAME_LABEL,
    "no-input": NO_INPUT,
}
#: The property that names the module of a node, and the kind of module that the node needs.
_MODULES: Final = {
    "ComIbmCompute.msgnode": ("computeExpression", "COMPUTE"),
    "ComIbmFilter.msgnode": ("filterExpression", "FILTER"),
    "ComIbmDatabase.msgnode": ("statement", "DATABASE"),
    "ComIbmDatabaseInput.msgnode": ("databaseInputExpression", "DATABASEEVENT"),
}
_LABEL: Final = "ComIbmLabel.msgnode"
_ROUTERS: Final = ("ComIbmRouteToLabel.msgnode", "ComIbmSOAPExtract.msgnode")
#: Nodes whose code is not ESQL: they may jump to labels and fill the local environment.
_OPAQUE: Final = ("JavaCompute", "PythonCompute", "Mapping", "DotNet", "PHP", "DecisionService", "Extract", "Warehouse")
_DOMAINS: Final = frozenset(each.upper() for each in FOLDERS) | {"", "NONE"}
_WORD: Final = re.compile(r"[A-Za-z_]\w{2,}")
#: Bytes of maps that are searched for names of routines.
_MAP_BYTES_MAX: Final = 4 << 20


def lint_project(project: Project, off: frozenset[str] = frozenset()) -> Report:
    """Run all checks on a project. `off` are codes to leave out."""
    report = Report(off=off)
    expanded = _Expanded(project)
    for application in project.applications:
        program = _program(project, application, report)
        for resolved in expanded.flows_of(application):
            _Flow(resolved, program, report, not resolved.root.definition.is_subflow).run()
        esql_lint.lint(program, report)
        _check_propagates(program, report)
        for flow in application.all_flows():
            _check_definition(project, flow, report)
    return report


@dataclass
class _Expanded:
    """The flows of a project to look at: message flows, then subflows that none of them uses."""

    project: Project
    flows: dict[int, list[ResolvedFlow]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        used: set[int] = set()
        for application, flow in self.project.flows():
            resolved = self.project.resolve(flow)
            self.flows.setdefault(id(application), []).append(resolved)
            used |= {id(node.subflow.definition) for node in resolved.nodes() if node.subflow is not None}
        for application in self.project.applications:
            for flow in application.all_flows():
                if flow.is_subflow and id(flow) not in used:
                    self.flows.setdefault(id(application), []).append(self.project.resolve(flow))

    def flows_of(self, application: Application) -> list[ResolvedFlow]:
        return self.flows.get(id(application), [])


def _program(project: Project, application: Application, report: Report) -> LintProgram:
    """Return the ESQL that an application sees; report the errors and warnings of its compiler."""
    scope = project.scope(application)
    program, compiled = LintProgram(), Program()
    referred = {name for each in project.applications for name in each.references}
    for each in scope.applications():
        is_library = (
            each is not application or each.kind in (Kind.STATIC_LIBRARY, Kind.SHARED_LIBRARY) or each.name in referred
        )
        for text in each.esql:
            parsed = parse(text.text, text.file)
            parsed.schema = parsed.schema or text.schema
            compiled.add(parsed, each in scope.shared)
            program.add(parsed, text.file, is_library)
        left = _MAP_BYTES_MAX
        for resource in each.maps:
            try:
                content = resource.text()[:left]
            except FlowFileError:
                continue
            left -= len(content)
            program.mentioned |= {word.upper() for word in _WORD.findall(content)}
    program.connect()
    if application.esql:
        compiled.compile()
        mine = {text.file for text in application.esql}
        for problems, severity in ((compiled.errors, Severity.ERROR), (compiled.warnings, Severity.WARNING)):
            for problem in problems:
                if problem.file in mine:
                    report.add_problem(
                        problem.number, severity, problem.file, problem.line, problem.column, problem.text
                    )
    return program


def _check_definition(project: Project, flow: FlowDefinition, report: Report) -> None:
    """Report the findings of check_flow."""
    remarks = {node.label: _remarks(node.texts) for node in flow.nodes}
    for problem in check_flow(flow, project.subflow):
        check = _BY_NAME[problem.check]
        node = f"{flow.name}.{problem.node}" if problem.node else flow.name
        report.add_flow(check, problem.file, node, problem.reason, remarks.get(problem.node, ""))


def _remarks(texts: object) -> str:
    """Return the descriptions of a node, in which `lint: off FL104` may stand."""
    if not isinstance(texts, dict):
        return ""
    return " ".join(each.value for name, each in texts.items() if name.endswith("Description"))


class _Flow:
    """The checks of one expanded flow."""

    def __init__(self, flow: ResolvedFlow, program: LintProgram, report: Report, complete: bool) -> None:
        self.flow = flow
        self.program = program
        self.report = report
        self.complete = complete
        self.nodes = list(flow.nodes())
        self.labels = [node for node in self.nodes if node.definition.type == _LABEL]
        #: Modules that nodes of the flow run.
        self.modules: list[LintModule] = []
        self.opaque = any(_is_opaque(node) for node in self.nodes)

    def run(self) -> None:
        names = frozenset(node.properties.get("labelName", "") for node in self.labels)
        for node in self.nodes:
            self.check_module(node, names)
            self.check_domain(node)
        for note in self.flow.notes:
            if "subflow" in note.reason:
                self.report.add_flow(NO_SUBFLOW, note.file, "", note.reason)
        self.check_labels()
        if self.complete:
            self.check_lists()

    def add(self, check: Check, node: NodeInstance, text: str) -> None:
        flow = node.owner.definition
        # The node is reported where it is defined, once, however many flows use the subflow.
        place = f"{flow.name}.{node.definition.label}"
        self.report.add_flow(check, flow.file or flow.path, place, text, _remarks(node.definition.texts))

    def check_module(self, node: NodeInstance, labels: frozenset[str]) -> None:
        """Find the module of a node, and note the node as one that runs it."""
        found = _MODULES.get(node.definition.type)
        if found is None:
            return
        name, kind = found
        mode = node.properties.get("computeMode", "") or "message"
        if kind == "COMPUTE" and mode not in MODES:
            near = next((each for each in MODES if each.lower() == mode.lower()), "")
            hint = f"; write {near}" if near else f"; there are: {', '.join(MODES)}"
            self.add(COMPUTE_MODE, node, f"computeMode {mode!r} does not exist, message is in force{hint}")
        address = routine_address(node.properties.get(name, ""))
        if address is None:
            return
        schema, module_name = address
        module = self.program.module(schema, module_name) or self.program.module(schema.partition(":")[2], module_name)
        if module is None:
            where = f"the schema {schema}" if schema else "the default schema"
            self.add(NO_MODULE, node, f"there is no module {module_name} in {where}")
            return
        if module.module.kind != kind:
            text = f"{module_name} is a {module.module.kind} module; the node needs a {kind} module"
            self.add(NO_MODULE, node, text)
            return
        wires = node.owner.definition.connections
        wired = frozenset(each.source_terminal for each in wires if each.source_node == node.definition.id)
        use = NodeUse(
            node.owner.definition.file,
            self.flow.root.definition.name,
            node.label,
            mode if kind == "COMPUTE" else "",
            MODES.get(mode, MODES["message"]),
            wired,
            # A subflow by itself does not know the labels of the flows around it.
            labels if self.complete else frozenset(("*",)),
        )
        module.uses.append(use)
        self.modules.append(module)
        if kind == "COMPUTE" and module.main is not None:
            self.check_wires(node, module.main, wired)

    def check_wires(self, node: NodeInstance, main: LintRoutine, wired: frozenset[str]) -> None:
        """Report terminals that are wired and that no PROPAGATE names."""
        sent: set[str] = {"out", "failure"}
        for routine in main.reachable():
            for each in routine.nodes:
                if isinstance(each, s.Propagate) and each.terminal is not None:
                    terminal = _terminal(each.terminal)
                    if not terminal:
                        return
                    sent.add(terminal)
                elif isinstance(each, s.Eval):
                    return
        for terminal in sorted(wired - sent):
            self.add(NEVER_PROPAGATED, node, f"{terminal} is wired, but {main.name} never propagates to it")

    def check_domain(self, node: NodeInstance) -> None:
        for name in ("messageDomainProperty", "messageDomain"):
            domain = node.properties.get(name, "")
            if domain.upper() not in _DOMAINS and ":" not in domain and not domain.startswith("["):
                self.add(NODE_DOMAIN, node, f"there is no message domain {domain!r}")

    def check_labels(self) -> None:
        seen: set[str] = set()
        for node in self.labels:
            name = node.properties.get("labelName", "")
            if name in seen:
                self.add(LABEL_TWICE, node, f"another Label node has the labelName {name!r}, too")
            seen.add(name)
        if not self.labels or not self.complete or self.opaque:
            return
        if any(node.definition.type in _ROUTERS for node in self.nodes):
            return
        named: set[str] = set()
        for module in self.modules:
            for routine in module.main.reachable() if module.main is not None else []:
                for each in routine.nodes:
                    if isinstance(each, s.Propagate) and each.label is not None:
                        if not isinstance(each.label, s.Literal):
                            return
                        named.add(str(each.label.value))
        for node in self.labels:
            if node.properties.get("labelName", "") not in named:
                text = "the flow has no RouteToLabel node and no PROPAGATE TO LABEL that leads here"
                self.add(LABEL_UNUSED, node, text)

    def check_lists(self) -> None:
        """Report MQOutput nodes in list mode where no module writes a destination list."""
        nodes = [
            node
            for node in self.nodes
            if node.definition.type == "ComIbmMQOutput.msgnode" and node.properties.get("destinationMode") == "list"
        ]
        if not nodes or self.opaque or any(_writes_destination(module) for module in self.modules):
            return
        for node in nodes:
            text = "no ESQL of the flow writes OutputLocalEnvironment.Destination, which names the queues"
            self.add(LIST_MODE, node, text)


def _is_opaque(node: NodeInstance) -> bool:
    definition = node.definition
    if definition.is_subflow:
        return node.subflow is None
    return any(word in definition.type for word in _OPAQUE)


def _writes_destination(module: LintModule) -> bool:
    """Return whether a module writes below Destination of the local environment."""
    if module.main is None:
        return False
    for routine in module.main.reachable():
        for path, _ in routine.writes:
            if not routine.roots(path) & {"OUTPUTLOCALENVIRONMENT", "OUTPUTDESTINATIONLIST"}:
                continue
            if len(path.elements) == 1:
                continue
            name = path.elements[1].name
            # What a reference points at below the tree is not known.
            is_reference = isinstance(path.elements[0].name, s.Name) and path.elements[0].name.key in routine.references
            if is_reference or not isinstance(name, s.Name) or name.text in ("Destination", "MQDestinationList"):
                return True
    return False


def _terminal(node: s.Expression) -> str:
    """Return the name of the terminal that a literal means; '' if it is computed."""
    if isinstance(node, s.Literal):
        if isinstance(node.value, str):
            return node.value
        if isinstance(node.value, int):
            return TERMINALS.get(node.value, str(node.value))
    if isinstance(node, s.UnaryOperation) and isinstance(node.operand, s.Literal):
        return TERMINALS.get(-node.operand.value, "") if isinstance(node.operand.value, int) else ""
    return ""


def _check_propagates(program: LintProgram, report: Report) -> None:
    """Report PROPAGATE statements that lead nowhere in a node that runs them."""
    for file in program.files:
        for module in file.modules:
            if module.main is None:
                continue
            for routine in module.main.reachable():
                for node in routine.nodes:
                    if isinstance(node, s.Propagate):
                        _check_propagate(module, routine, node, report)


def _check_propagate(module: LintModule, routine: LintRoutine, node: s.Propagate, report: Report) -> None:
    source = routine.file.parsed.text
    if node.label is not None:
        if isinstance(node.label, s.Literal):
            lost = [use for use in module.uses if "*" not in use.labels and node.label.value not in use.labels]
            if lost:
                text = f"the flow {lost[0].flow} has no Label node {node.label.value!r}"
                report.add(NO_LABEL, routine.file.name, text, node, source)
        return
    terminal = "out" if node.terminal is None else _terminal(node.terminal)
    if not terminal or terminal == "nowhere":
        return
    lost = [use for use in module.uses if terminal not in use.wired]
    if lost:
        text = f"the terminal {terminal} of {lost[0].label} is not wired: the message is lost"
        report.add(UNWIRED, routine.file.name, text, node, source)
