"""A flow as a function: load an application, call a flow with a message, look at the messages that it would have sent.

    from flintmq.broker import load

    flow = load("orders.bar").flow("OrderRouting")
    result = flow(b"<Order>...</Order>", headers={"MQMD": {"CorrelId": b"42"}})
    result.out["ORDERS.GOLD"][0].tree.XMLNSC.Order.Total

The flow runs in the caller's thread, with the real parsers, the compiled ESQL and the real nodes. Only messages that
leave the flow is recorded instead of done (`flow/services.py`). An exception that the flow does not handle is raised as
`FlowFailed`, with the ExceptionList and the results so far; transactional puts are not among those, since they would
have been backed out.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.parser import parse
from flintmq.broker.esql.program import EsqlProblem, Program
from flintmq.broker.esql.run import DataSource
from flintmq.broker.esql.switches import DEFAULTS, Switches
from flintmq.broker.flow import nodes as _nodes
from flintmq.broker.flow.application import Application
from flintmq.broker.flow.engine import EventTrace, Invocation, NodeEvent
from flintmq.broker.flow.model import FlowDefinition
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode
from flintmq.broker.flow.project import Project
from flintmq.broker.flow.project import load as load_project
from flintmq.broker.flow.runtime import FlowSettings, RuntimeFlow
from flintmq.broker.flow.services import (
    Email,
    FileWrite,
    FlowFake,
    HttpFake,
    HttpReply,
    HttpRequest,
    Publication,
    Put,
    Recorder,
)
from flintmq.broker.flow.surroundings import Surroundings
from flintmq.broker.formats.models import ModelRegistry
from flintmq.broker.tree.assembly import exception_list, new_root
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.header_chain import CCSID, ENCODING, read_chain
from flintmq.broker.tree.message_writer import write_message
from flintmq.broker.tree.view import TreeView
from flintmq.mqi.md import MQMD

assert _nodes  # Importing it registers the nodes.

#: A body: bytes, text, or what JSON can say.
Body = bytes | str | Mapping[str, object] | Sequence[object]


class FlowFailed(BrokerError):
    """A flow raised an exception that it did not handle. `result` has its effects outside the unit of work."""

    def __init__(self, error: BrokerError, result: FlowResult) -> None:
        super().__init__(
            error.number,
            error.text,
            inserts=error.inserts,
            kind=error.kind,
            cause=error.cause_entry,
            sqlstate=error.sqlstate,
            node_type=error.node_type,
            node_name=error.node_name,
            node_label=error.node_label,
            file=error.file,
            line=error.line,
        )
        self.result = result

    @property
    def exception_list(self) -> TreeView:
        """Return the ExceptionList that a catch path would have seen."""
        return TreeView(exception_list(self))


class FlowProblem(Exception):
    """A flow cannot run. `problems` are lines that name file, flow and node."""

    def __init__(self, flow: str, problems: list[str]) -> None:
        super().__init__(f"the flow {flow} cannot run:\n" + "\n".join(f"  {problem}" for problem in problems))
        self.problems = problems


class OutMessage:
    """A message that an output node would have put or published."""

    def __init__(self, put: Put | Publication) -> None:
        self.node = put.node
        self.queue = put.queue if isinstance(put, Put) else ""
        self.queue_manager = put.queue_manager if isinstance(put, Put) else ""
        self.topics = put.topics if isinstance(put, Publication) else []
        self.md = put.md
        self.transactional = put.transactional
        #: Headers of the chain and body, as they would be on the wire.
        self.data = put.data
        self._root = put.root

    @property
    def tree(self) -> TreeView:
        """Return the message tree: `message.tree.XMLNSC.Order.Total`."""
        return TreeView(self._root)

    @property
    def body(self) -> bytes:
        """Return the body without headers."""
        return body_of(self.md, self.data)

    def __repr__(self) -> str:
        where = self.queue or ", ".join(self.topics)
        return f"<message to {where} from {self.node}, {len(self.data)} bytes>"


def body_of(md: MQMD, data: bytes) -> bytes:
    """Return the part of the data that follows the headers."""
    try:
        return data[read_chain(md, data, False, CCSID, ENCODING, CCSID).offset :]
    except BrokerError:
        return data


class Destinations(dict[str, list[OutMessage]]):
    """Messages by queue. A queue that got nothing is an error that names those that did."""

    def __missing__(self, key: str) -> list[OutMessage]:
        names = ", ".join(self) or "none"
        raise KeyError(f"nothing was put to {key}; queues with messages: {names}")


@dataclass(slots=True)
class FlowResult:
    """The results of a flow for one message."""

    recorder: Recorder
    events: list[NodeEvent] = field(default_factory=list)
    environment: TreeView | None = None

    @property
    def out(self) -> Destinations:
        """Return the messages that would have been put, by queue, in order."""
        found = Destinations()
        for put in self.recorder.puts:
            found.setdefault(put.queue, []).append(OutMessage(put))
        return found

    @property
    def messages(self) -> list[OutMessage]:
        """Return all puts in order."""
        return [OutMessage(put) for put in self.recorder.puts]

    @property
    def published(self) -> list[OutMessage]:
        """Return the publications in order."""
        return [OutMessage(each) for each in self.recorder.publications]

    @property
    def reply(self) -> HttpReply | None:
        """Return the answer to the HTTP request, if there is one."""
        return self.recorder.replies[0] if self.recorder.replies else None

    @property
    def answer(self) -> TreeView | None:
        """Return the message that a CallableFlowReply node gave back, if the flow was called by name here."""
        return next((TreeView(root) for root in self.recorder.calls.values() if root is not None), None)

    @property
    def emails(self) -> list[Email]:
        """Return the e-mails that would have been sent."""
        return self.recorder.emails

    @property
    def requests(self) -> list[HttpRequest]:
        """Return the requests that HTTP and SOAP nodes would have sent."""
        return self.recorder.requests

    @property
    def files(self) -> dict[str, bytes]:
        """Return the files that would have been written, by name."""
        found: dict[str, bytes] = {}
        for write in self.recorder.file_writes:
            if not write.append and not write.finish:
                found[write.name] = write.data
            elif not write.finish:
                before = found.get(write.name)
                found[write.name] = write.data if before is None else before + write.separator + write.data
        return found

    @property
    def file_writes(self) -> list[FileWrite]:
        """Return every write of a file in order."""
        return self.recorder.file_writes

    @property
    def traces(self) -> list[tuple[str, str]]:
        """Return the lines of Trace nodes and LOG USER TRACE: node and text."""
        return self.recorder.traces

    @property
    def path(self) -> list[str]:
        """Return the labels of the nodes that the message passed, in order."""
        return [event.node for event in self.events if event.event in ("in", "start")]


class Flow:
    """A flow that is called like a function.

    Several threads may call it. Flows that remember something between messages (timers, aggregations, collectors, calls
    of other flows) run one call at a time; others run side by side. Trees are not for two threads at once, since
    reading builds them: give each call its own Element, and read a result in one thread.
    """

    def __init__(self, runtime: RuntimeFlow, surroundings: Surroundings | None = None) -> None:
        self.runtime = runtime
        #: The applications that the flow was loaded with; None for a flow that was made in another way.
        self.applications: LoadedApplications | None = None
        #: Other flows, state between calls, timers.
        self.surroundings = surroundings or Surroundings(lambda types: iter(()))
        self.surroundings.start(runtime)

    @property
    def name(self) -> str:
        """Return `schema.Name`."""
        return self.runtime.name

    @property
    def problems(self) -> list[str]:
        """Return why the flow cannot run; empty if it can."""
        return self.runtime.problems

    @property
    def inputs(self) -> list[str]:
        """Return the labels of the input nodes."""
        return [node.short_label for node in self.runtime.inputs]

    def __call__(
        self,
        body: Body | Element = b"",
        *,
        headers: Mapping[str, Mapping[str, object]] | None = None,
        input: str | None = None,
        method: str = "POST",
        path: str = "",
        query: str = "",
        local_environment: Mapping[str, object] | Element | None = None,
        environment: Mapping[str, object] | Element | None = None,
        http: Mapping[str, HttpFake] | None = None,
        databases: Mapping[str, DataSource] | None = None,
        queues: Mapping[str, Sequence[tuple[MQMD, bytes]]] | None = None,
        files: Mapping[str, bytes] | None = None,
        flows: Mapping[str, FlowFake] | None = None,
        subscribers: Callable[[str], bool] | None = None,
        backout_threshold: int = 0,
        source: str = "",
        trace: bool = False,
        keep_assemblies: bool = False,
    ) -> FlowResult:
        """Send one message through the flow and return its results.

        `headers` names header folders and their fields: MQMD, MQRFH2 with its folders, HTTPInputHeader. `input` is the
        label of the input node if the flow has several. `http`, `databases`, `queues`, `files` and `flows` answer for
        the outside. Raise FlowFailed if the flow does not handle an exception, FlowProblem if it cannot run.
        """
        if self.runtime.problems:
            raise FlowProblem(self.name, self.runtime.problems)
        node = self.runtime.input(input, path)
        assert isinstance(node, InputNode)
        recorder = self._recorder(http, databases, queues, files, flows, subscribers)
        events: list[NodeEvent] = []

        def invocation_of(runtime: RuntimeFlow) -> Invocation:
            return Invocation(runtime, recorder, watch=EventTrace(events, keep_assemblies) if trace else None)

        recorder.call_project = self.surroundings.caller(self.runtime, recorder, invocation_of)
        incoming = incoming_of(body, headers or {})
        incoming.method, incoming.path, incoming.query = method, path, query
        incoming.source = source
        incoming.backout_threshold = backout_threshold
        incoming.local_environment = tree_of("LocalEnvironment", local_environment)
        incoming.environment = tree_of("Environment", environment) or Element("Environment", None, 0x01000000)
        result = FlowResult(recorder, events, TreeView(incoming.environment))
        try:
            self.surroundings.call(
                self.runtime, recorder, lambda: node.take(invocation_of(self.runtime), incoming), invocation_of
            )
        except BrokerError as error:
            raise FlowFailed(error, result) from error
        return result

    def on_spark(self, frame: Any, **options: Any) -> Any:
        """Run the flow in Spark tasks over the rows of a DataFrame; return the messages that it sends, one row each.

        Needs the `spark` extra. The options are those of `flintmq.pipeline.flows.on_spark`. Raise FlowRefused for a
        flow with nodes that cannot run there.
        """
        # The pipeline is a room below the broker: it is loaded only for a caller that has it.
        return importlib.import_module("flintmq.pipeline.flows").on_spark(self, frame, **options)

    def advance(
        self,
        seconds: float,
        *,
        http: Mapping[str, HttpFake] | None = None,
        databases: Mapping[str, DataSource] | None = None,
        queues: Mapping[str, Sequence[tuple[MQMD, bytes]]] | None = None,
        files: Mapping[str, bytes] | None = None,
        flows: Mapping[str, FlowFake] | None = None,
        subscribers: Callable[[str], bool] | None = None,
        trace: bool = False,
    ) -> FlowResult:
        """Move the clock of the flow, run the timers that are due by then, and return their results.

        Timers are those of TimeoutControl and TimeoutNotification nodes, and the timeouts of aggregations and
        collections. Nothing waits. Raise FlowFailed if the flow does not handle an exception.
        """
        recorder = self._recorder(http, databases, queues, files, flows, subscribers)
        events: list[NodeEvent] = []

        def invocation_of(runtime: RuntimeFlow) -> Invocation:
            return Invocation(runtime, recorder, watch=EventTrace(events) if trace else None)

        around = self.surroundings
        recorder.call_project = around.caller(self.runtime, recorder, invocation_of)
        result = FlowResult(recorder, events)
        try:
            with around.lock:
                for _ in around.run_due(self.runtime, recorder, around.agenda.now + seconds, invocation_of):
                    around.follow(self.runtime, recorder, invocation_of)
        except BrokerError as error:
            raise FlowFailed(error, result) from error
        return result

    def _recorder(
        self,
        http: Mapping[str, HttpFake] | None,
        databases: Mapping[str, DataSource] | None,
        queues: Mapping[str, Sequence[tuple[MQMD, bytes]]] | None,
        files: Mapping[str, bytes] | None,
        flows: Mapping[str, FlowFake] | None,
        subscribers: Callable[[str], bool] | None,
    ) -> Recorder:
        around = self.surroundings
        return Recorder(http, databases, queues, files, flows, subscribers, around.store, around.agenda)


def tree_of(name: str, given: Mapping[str, object] | Element | None) -> Element | None:
    """Return a tree from nested dicts; a list gives repeated fields."""
    if given is None:
        return None
    if isinstance(given, Element):
        return copy_element(given)
    root = Element(name, None, 0x01000000)
    _fill(root, given)
    return root


def _fill(parent: Element, given: Mapping[str, object]) -> None:
    for name, value in given.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, Mapping):
                _fill(parent.append(Element(name, None, 0x01000000)), each)
            else:
                parent.append(Element(name, each))


def incoming_of(body: Body | Element, headers: Mapping[str, Mapping[str, object]]) -> Incoming:
    """Return the message that a caller describes."""
    if isinstance(body, Element):
        return Incoming(root=copy_element(body))
    if isinstance(body, str):
        data = body.encode("utf-8")
    elif isinstance(body, bytes | bytearray):
        data = bytes(body)
    else:
        data = json.dumps(body).encode("utf-8")
    root = new_root()
    descriptor = root.append(Element("MQMD", None, 0x01000000))
    descriptor.domain = "MQMD"
    fields: dict[str, object] = {"CodedCharSetId": 1208, "Encoding": 546, "Persistence": 0, "Priority": 0}
    for name, value in {**fields, **headers.get("MQMD", {})}.items():
        descriptor.add(name, value.ljust(24, b"\0") if name in _IDS and isinstance(value, bytes) else value)
    others: list[Element] = []
    for name, given in headers.items():
        if name == "MQMD":
            continue
        folder = Element(name, None, 0x01000000)
        folder.domain = name
        _fill(folder, given)
        if name.startswith(("MQ", "Properties")):
            root.append(folder)
        else:
            others.append(folder)
    blob = root.append(Element("BLOB", None, 0x01000000))
    blob.domain = "BLOB"
    blob.add("BLOB", data)
    md, written = write_message(root)
    return Incoming(written, md, others)


_IDS = ("MsgId", "CorrelId", "GroupId")


class LoadedApplications:
    """The applications of a directory or BAR with their flows, as `load` returns them."""

    def __init__(
        self,
        project: Project,
        switches: Switches = DEFAULTS,
        hooks: Mapping[str, Callable[..., object]] | None = None,
        functions: Mapping[str, Callable[..., object]] | None = None,
        overrides: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
        profile: bool = False,
        modules: Iterable[str] = (),
    ) -> None:
        self.project = project
        self.switches = switches
        self.hooks = hooks or {}
        self.functions = functions or {}
        self.overrides = list((overrides or {}).items())
        self.variables = variables or {}
        self.profile = profile
        self.modules = frozenset(modules)
        self._settings: dict[int, FlowSettings] = {}
        self._flows: dict[int, Flow] = {}
        self.surroundings = Surroundings(self._runtimes)

    @property
    def notes(self) -> list[str]:
        """Return the parts that could not be read, with file and reason."""
        return [str(note) for note in self.project.all_notes()]

    @property
    def flow_names(self) -> list[str]:
        """Return the names of all message flows."""
        return [flow.qualified_name for _, flow in self.project.flows()]

    def flow(self, name: str = "", application: str = "") -> Flow:
        """Return a flow by name; without one, the only flow there is."""
        if not name:
            names = self.flow_names
            if len(names) != 1:
                raise ValueError(f"there are {len(names)} flows, name one: {', '.join(names[:20]) or 'none'}")
            name = names[0]
        owner, definition = self.project.flow(name, application)
        return self.flow_of(owner, definition)

    def flow_of(self, owner: Application, definition: FlowDefinition) -> Flow:
        """Return the flow of a definition."""
        with self.surroundings.lock:
            found = self._flows.get(id(definition))
            if found is None:
                resolved = self.project.resolve(definition, self.overrides, self.variables)
                runtime = RuntimeFlow(resolved, self.settings(owner), owner.name)
                runtime.rest_api = owner.rest_api
                found = self._flows[id(definition)] = Flow(runtime, self.surroundings)
                found.applications = self
            return found

    def _runtimes(self, types: tuple[str, ...]) -> Iterator[RuntimeFlow]:
        """Yield the flows that may hold a node of one of some types: those that were asked for, then the others."""
        made = list(self._flows.values())
        for flow in made:
            yield flow.runtime
        for owner, definition in self.project.flows():
            if id(definition) not in self._flows and any(
                node.type in types or node.is_subflow for node in definition.nodes
            ):
                yield self.flow_of(owner, definition).runtime

    def settings(self, owner: Application) -> FlowSettings:
        """Return the resources that the flows of an application share; its ESQL is compiled on the first call."""
        found = self._settings.get(id(owner))
        if found is None:
            scope = self.project.scope(owner)
            program = Program(self.switches, self.profile)
            for application in scope.applications():
                for text in application.esql:
                    parsed = parse(text.text, text.file)
                    parsed.schema = parsed.schema or text.schema
                    program.add(parsed, application in scope.shared)
            program.compile()

            def resource(name: str) -> bytes | None:
                for application in scope.applications():
                    for path, each in application.resources.items():
                        if path == name or path.endswith("/" + name):
                            return each.read()
                return None

            found = FlowSettings(
                program,
                self.switches,
                self.hooks,
                self.functions,
                ModelRegistry(scope.applications()).get,
                resource,
                variables=self.variables,
                modules=self.modules,
            )
            self._settings[id(owner)] = found
        return found

    @property
    def esql_problems(self) -> list[EsqlProblem]:
        """Return the errors of all ESQL, with file, line and number."""
        return [
            problem
            for application in self.project.applications
            for problem in self.settings(application).program.errors
        ]


def load(
    path: str | Path,
    *,
    switches: Switches = DEFAULTS,
    hooks: Mapping[str, Callable[..., object]] | None = None,
    functions: Mapping[str, Callable[..., object]] | None = None,
    overrides: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    profile: bool = False,
    modules: Iterable[str] = (),
) -> LoadedApplications:
    """Load a directory of projects, a BAR or one flow file.

    `hooks` stand for Java methods that ESQL calls, `functions` for the code of PythonCompute and JavaCompute nodes.
    `overrides` are those of a BAR (`Flow#Node.queueName`), `variables` values for `[iib.name]`. `modules` are the
    Python modules and packages from which nodes may name a function as `module:function`; without it, none is imported.
    """
    return LoadedApplications(load_project(path), switches, hooks, functions, overrides, variables, profile, modules)
