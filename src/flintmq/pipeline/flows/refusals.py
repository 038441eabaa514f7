"""Flows that cannot run in Spark tasks: found before the job starts, with file, flow and node.

A task sees one message at a time, may run twice, and runs beside others. So a node can run there if its outputs depend
on its message alone:

    runs           nodes of ESQL and Python, routing, headers, transformation; MQInput and FileInput as the start;
                   MQOutput, MQReply, Publication and FileOutput: their outputs become rows
    is refused     timers, aggregation, collections; requests to servers, and their answers; nodes that get messages or
                   read files amid the flow; e-mail; every type that is not listed here

Databases may be read, not changed: a task that runs twice would change them twice. SELECT is read-only. INSERT, UPDATE,
DELETE, PASSTHRU, COMMIT, ROLLBACK and stored procedures are refused, and so is EVAL where a database can be reached.
A flow with coordinatedTransaction cannot reach a database at all.

SHARED variables that the flow sets are refused unless the caller allows them: each worker has its own, and loses them.

Only the nodes that a message can reach from the input node count. Every Label node can be reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.lint_model import LintProgram, LintRoutine, first_key
from flintmq.broker.esql.program import Program
from flintmq.broker.flow.engine import RuntimeNode
from flintmq.broker.flow.function import Flow
from flintmq.broker.flow.node_types import title_of
from flintmq.broker.flow.nodes.compute import EsqlNode
from flintmq.broker.flow.nodes.database_nodes import QueryNode
from flintmq.broker.flow.runtime import RuntimeFlow
from flintmq.broker.flow.surroundings import CALLABLE_TYPES
from flintmq.pipeline.errors import PipelineError

_INPUTS: Final = ("ComIbmMQInput.msgnode", "ComIbmFileInput.msgnode")
_CALLS: Final = "ComIbmCallableFlowInvoke.msgnode"
_RUN: Final = frozenset(
    (
        *_INPUTS,
        _CALLS,
        *CALLABLE_TYPES,
        "ComIbmCallableFlowReply.msgnode",
        "ComIbmCompute.msgnode",
        "ComIbmDatabase.msgnode",
        "ComIbmDatabaseRetrieve.msgnode",
        "ComIbmDatabaseRoute.msgnode",
        "ComIbmFileOutput.msgnode",
        "ComIbmFilter.msgnode",
        "ComIbmFlowOrder.msgnode",
        "ComIbmHTTPHeader.msgnode",
        "ComIbmJavaCompute.msgnode",
        "ComIbmLabel.msgnode",
        "ComIbmLog.msgnode",
        "ComIbmMQHeader.msgnode",
        "ComIbmMQOutput.msgnode",
        "ComIbmMQReply.msgnode",
        "ComIbmPassthru.msgnode",
        "ComIbmPublication.msgnode",
        "ComIbmResetContentDescriptor.msgnode",
        "ComIbmRoute.msgnode",
        "ComIbmRouteToLabel.msgnode",
        "ComIbmSOAPEnvelope.msgnode",
        "ComIbmSOAPExtract.msgnode",
        "ComIbmThrow.msgnode",
        "ComIbmTrace.msgnode",
        "ComIbmTryCatch.msgnode",
        "ComIbmValidate.msgnode",
        "ComIbmXslMqsi.msgnode",
        "FCMSink",
        "FCMSource",
        "FlintPythonCompute.msgnode",
    )
)
_STATE: Final = "it keeps state between messages, and a task sees one message at a time"
_TIMER: Final = "it acts at a time of its own, and a task ends with its messages"
_SERVER: Final = "it sends a request to a server, and a task that runs again would send it again"
_REQUEST: Final = "it belongs to a request of a client that waits, and nobody waits for a Spark job"
#: Why, by a part of the type.
_REASONS: Final = (
    ("Aggregate", _STATE),
    ("Group", _STATE),
    ("Collector", _STATE),
    ("Timeout", _TIMER),
    ("AsyncResponse", "it waits for an answer, and a task does not wait"),
    ("Async", _SERVER),
    ("WSInput", _REQUEST),
    ("WSReply", _REQUEST),
    ("SOAPInput", _REQUEST),
    ("SOAPReply", _REQUEST),
    ("Request", _SERVER),
    ("MQGet", "it gets a message amid the flow, and a task that runs again would get another one"),
    ("FileRead", "it reads a file of one machine amid the flow"),
    ("Email", "it sends e-mail, and a task that runs again would send it again"),
)
#: Nodes with outputs that the sink `mq` cannot put.
_NO_PUT: Final = {
    "ComIbmPublication.msgnode": "it publishes, and the sink mq puts to queues",
    "ComIbmFileOutput.msgnode": "it writes files, and the sink mq puts to queues",
}


class FlowRefused(PipelineError):
    """A flow cannot run in Spark tasks. `reasons` are lines that name file, flow and node."""

    def __init__(self, flow: str, reasons: list[str]) -> None:
        shown = "\n".join(f"  {reason}" for reason in reasons)
        super().__init__(f"the flow {flow} cannot run on Spark:\n{shown}")
        self.reasons = reasons


def check(
    flow: Flow,
    input: str | None = None,
    databases: Mapping[str, str] | None = None,
    shared: bool = False,
    only_puts: bool = False,
) -> None:
    """Raise FlowRefused if a flow has problems, or nodes or ESQL that cannot run in a task."""
    reasons = list(flow.problems)
    if not reasons:
        try:
            start = flow.runtime.input(input)
        except ValueError as error:
            raise FlowRefused(flow.name, [str(error)]) from None
        seen: list[RuntimeFlow] = []
        reasons += _of_flow(flow.runtime, start, dict(databases or {}), shared, only_puts)
        seen.append(flow.runtime)
        if any(node.definition.type == _CALLS for node in _reached(flow.runtime, start)):
            for other in flow.surroundings.flows(CALLABLE_TYPES):
                for node in other.nodes:
                    if node.definition.type in CALLABLE_TYPES and other not in seen:
                        seen.append(other)
                        reasons += [*other.problems, *_of_flow(other, node, dict(databases or {}), shared, only_puts)]
    if reasons:
        raise FlowRefused(flow.name, list(dict.fromkeys(reasons)))


def _of_flow(
    runtime: RuntimeFlow, start: RuntimeNode, databases: dict[str, str], shared: bool, only_puts: bool
) -> list[str]:
    """Return why a flow cannot run, from an input node on."""
    files = {node.label: node.owner.definition.file or node.owner.definition.path for node in runtime.resolved.nodes()}
    coordinated = (runtime.resolved.settings.get("coordinatedTransaction") or "no").lower() in ("yes", "true")
    programs: dict[int, LintProgram] = {}
    found: list[str] = []
    for node in _reached(runtime, start):
        for reason in _of_node(node, start, databases, shared, only_puts, coordinated, programs):
            found.append(f"{files.get(node.label, '')}: {node.label} ({title_of(node.definition.type)}): {reason}")
    return found


def _reached(runtime: RuntimeFlow, start: RuntimeNode) -> list[RuntimeNode]:
    """Return the nodes that a message can reach."""
    found: list[RuntimeNode] = []
    waiting = [*runtime.labels.values(), start]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.append(node)
            waiting += [wire.node for wires in node.wires.values() for wire in wires]
    return found


def _of_node(
    node: RuntimeNode,
    start: RuntimeNode,
    databases: dict[str, str],
    shared: bool,
    only_puts: bool,
    coordinated: bool,
    programs: dict[int, LintProgram],
) -> Iterator[str]:
    kind = node.definition.type
    if kind not in _RUN:
        reason = next((why for part, why in _REASONS if part in kind), "nodes of this type do not run in Spark tasks")
        yield reason
    elif only_puts and kind in _NO_PUT:
        yield _NO_PUT[kind]
    elif isinstance(node, QueryNode):
        if not node.sql.lstrip(" \t\r\n(").upper().startswith("SELECT"):
            yield "its query is no SELECT, and a task that runs again would run it again"
        else:
            yield from _database(databases, coordinated)
    elif isinstance(node, EsqlNode):
        program = programs.get(id(node.program))
        if program is None:
            program = programs[id(node.program)] = _linted(node.program)
        yield from _of_esql(node, program, databases, shared, coordinated)


def _linted(program: Program) -> LintProgram:
    made = LintProgram()
    for parsed in program.parsed_files:
        made.add(parsed, parsed.file or "")
    made.connect()
    return made


def _of_esql(
    node: EsqlNode, program: LintProgram, databases: dict[str, str], shared: bool, coordinated: bool
) -> Iterator[str]:
    """Yield why the ESQL of a node cannot run."""
    module = program.module(node.unit.schema, node.unit.name)
    main = None if module is None else module.main
    if module is None or main is None:
        return
    routines = main.reachable()
    written: set[str] = set()
    reads = False
    for routine in routines:
        where = f"{routine.file.name}:{{line}}: "
        if routine.routine.language == "DATABASE" or routine.routine.sql_access == "MODIFIES SQL DATA":
            yield where.format(line=routine.routine.line) + f"{routine.name} is a procedure of a database"
        for each in routine.nodes:
            word = _changes(each)
            if word:
                yield where.format(line=each.line) + f"{word}; a flow on Spark may read databases, not change them"
            reads = reads or isinstance(each, s.Select) and _reads(each)
        if routine.has_eval and databases:
            yield where.format(line=routine.routine.line) + "EVAL may change a database: leave out the databases"
        for path, _ in routine.writes:
            written |= routine.roots(path)
    if reads:
        yield from _database(databases, coordinated)
    if not shared:
        yield from _shared(routines, [*module.module.declarations], written)


def _changes(node: s.Node) -> str:
    """Return the word of a statement that may change a database; '' for others."""
    if isinstance(node, s.Insert):
        return "INSERT"
    if isinstance(node, s.Update):
        return "UPDATE"
    if isinstance(node, s.DeleteFrom):
        return "DELETE"
    if isinstance(node, s.PassthruStatement | s.Passthru):
        return "PASSTHRU"
    if isinstance(node, s.Commit):
        return "COMMIT"
    return "ROLLBACK" if isinstance(node, s.Rollback) else ""


def _reads(node: s.Select) -> bool:
    return any(isinstance(each.source, s.Path) and first_key(each.source) == "DATABASE" for each in node.sources)


def _database(databases: dict[str, str], coordinated: bool) -> Iterator[str]:
    """Yield why a node cannot read a database."""
    if coordinated:
        yield "it uses a database in a flow with coordinatedTransaction, and tasks have no coordinator"
    elif not databases:
        yield 'it reads a database: say which, with databases={"NAME": "url"} or --database NAME=URL'


def _shared(routines: list[LintRoutine], declared: list[s.Declare], written: set[str]) -> Iterator[str]:
    """Yield the SHARED variables that the routines set."""
    declared = [*declared, *(each for file in {r.file.name: r.file for r in routines}.values()
                             for each in file.parsed.declarations)]  # fmt: skip
    for declare in declared:
        names = [name.text for name in declare.names if name.key in written]
        if declare.storage == "SHARED" and names:
            yield (
                f"line {declare.line}: the SHARED variable {', '.join(names)} is set by messages, and each worker of "
                "Spark has its own: allow that with shared=True or --shared"
            )
