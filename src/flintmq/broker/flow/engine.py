"""The engine: nodes that are wired, and how a message travels between them.

A flow is a graph of `RuntimeNode`s. Propagation is a plain call: `node.send("out", invocation, assembly)` calls every
wired node in the order of the file and returns when all below it is done. So the Python stack is the path of the
message, an exception unwinds along it, and a Compute node may send many messages in a row.

Rules of failure (MF 3.6):

F1  An error inside a node goes to its failure terminal, if that is wired, with the assembly that came in and the
    exception in the ExceptionList. When that path ends, the node is done.
F2  An error below a terminal is not offered to the failure terminal of the node that sent the message.
F3  Otherwise the error unwinds, and every node that it leaves adds an entry 2230 with its type, name and label.
F4  TryCatch and the catch terminal of an input node end the unwinding. Message and local environment are those that
    came in; the environment keeps its changes.
F5  An exception that is no BrokerError is a bug of ours: entry 2111, with the Python exception as cause.

Effects of a node on the outside go through `Services`: in a test or a function call they record, in a broker process
they put messages, call servers and write files. Nodes never touch a queue, a socket or a file themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from flintmq.broker.errors import (
    FAILURE_PATH_FAILED,
    NODE_RETHROW,
    BrokerError,
    internal_error,
)
from flintmq.broker.flow.model import NodeDefinition, Row
from flintmq.broker.flow.node_types import class_name, mark_runnable
from flintmq.broker.tree.assembly import Assembly, exception_list
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.types import NAME

if TYPE_CHECKING:
    from flintmq.broker.flow.runtime import RuntimeFlow
    from flintmq.broker.flow.services import Services

#: A message that passes more nodes than this in one call is in a loop of wires.
DEPTH_MAX = 150


class NodeProblem(Exception):
    """A node cannot run as it is defined: a property, a module or a wire is wrong. The text names the node."""


@dataclass(slots=True)
class NodeEvent:
    """A step of one node, for a trace of the flow: `depth` is how many nodes are above it."""

    node: str
    type: str
    event: str
    terminal: str
    depth: int
    detail: str = ""
    seconds: float = 0.0
    assembly: Assembly | None = None


class Watch:
    """Looks at the nodes of a flow while a message passes: a trace, statistics, monitoring. This one does nothing.

    For each node that gets the message `entered` and `left` come in pairs, and nest as the nodes do. Methods raise
    nothing and change nothing.
    """

    #: Whether the watch reads trees when the flow has ended: then the input node does not take its tree apart.
    keeps_trees: bool = False

    def entered(self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly) -> None:
        """Record that a message arrived at an input terminal of a node."""

    def left(self, invocation: Invocation, node: RuntimeNode) -> None:
        """Record that a node and all nodes below it have returned."""

    def sent(
        self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly, is_wired: bool
    ) -> None:
        """Record that a node propagates a message to an output terminal."""

    def noted(self, invocation: Invocation, node: RuntimeNode, event: str, terminal: str, detail: str) -> None:
        """Record any other event of a node: an input node starts, an exception passes or is caught."""


class EventTrace(Watch):
    """Records the events of nodes in a list, in order."""

    def __init__(self, events: list[NodeEvent], keep_assemblies: bool = False) -> None:
        self.events = events
        #: Keep a copy of the assembly with each event.
        self.keep_assemblies = keep_assemblies

    def entered(self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly) -> None:
        self._add(invocation, node, "in", terminal, "", assembly)

    def sent(
        self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly, is_wired: bool
    ) -> None:
        self._add(invocation, node, "out" if is_wired else "unwired", terminal, "", assembly)

    def noted(self, invocation: Invocation, node: RuntimeNode, event: str, terminal: str, detail: str) -> None:
        self._add(invocation, node, event, terminal, detail, None)

    def _add(
        self,
        invocation: Invocation,
        node: RuntimeNode,
        event: str,
        terminal: str,
        detail: str,
        assembly: Assembly | None,
    ) -> None:
        kept = copied(assembly) if self.keep_assemblies and assembly is not None else None
        self.events.append(
            NodeEvent(node.label, node.type, event, terminal, invocation.depth, detail, time.perf_counter(), kept)
        )


#: Events that are errors of a message which the flow handles.
_ERRORS = ("failure", "catch")


@dataclass(slots=True)
class Invocation:
    """One message on its way through a flow."""

    flow: RuntimeFlow
    services: Services
    depth: int = 0
    #: Looks at every node that the message passes.
    watch: Watch | None = None
    #: Exceptions that failure and catch terminals have handled.
    errors: int = 0
    #: Aggregations that ended without all of their replies.
    aggregate_timeouts: int = 0
    #: The environment of the message, once an input node has made it.
    environment: Element | None = None
    #: Whether the input was read under syncpoint; output nodes with `automatic` follow it.
    transactional: bool = True
    #: What a reply node of this flow answers: the request of HTTP or SOAP, or the call, that started the flow.
    request_identifier: bytes = b""
    #: PROPAGATE statements in progress: nodes that they reach do not end the flow (ending.py, E3).
    propagating: int = 0
    #: Requests that joined the group of a GroupScatter node above: folder and identifier. None outside of groups.
    group: list[tuple[str, bytes]] | None = None
    #: The context tree of the flow: what its input nodes took in.
    context: Element = field(default_factory=lambda: Element("Context", None, NAME))

    def note(self, node: RuntimeNode, event: str, terminal: str = "", detail: str = "") -> None:
        """Record an event of a node other than propagation."""
        if event in _ERRORS:
            self.errors += 1
        if self.watch is not None:
            self.watch.noted(self, node, event, terminal, detail)


def copied(assembly: Assembly) -> Assembly:
    """Return an assembly that later changes do not reach. Unchanged bodies are shared, not copied."""
    return Assembly(
        copy_element(assembly.message),
        copy_element(assembly.local_environment),
        copy_element(assembly.environment),
        copy_element(assembly.exception_list),
    )


@dataclass(slots=True)
class Wire:
    """Where a terminal leads."""

    node: RuntimeNode
    terminal: str


class RuntimeNode:
    """One node of a running flow. Subclasses implement `process`, and `prepare` for checks before the start."""

    #: Types of flow files that a class runs.
    types: ClassVar[tuple[str, ...]] = ()
    #: Whether the node takes messages from outside.
    starts_flow: ClassVar[bool] = False
    #: Whether the node uses the store, timers, or other flows: calls of its flow then run one at a time.
    uses_state: ClassVar[bool] = False
    #: Whether it takes answers to requests of a flow, and timers, rather than messages of others.
    is_response: ClassVar[bool] = False

    def __init__(
        self,
        definition: NodeDefinition,
        properties: Mapping[str, str],
        label: str,
        name: str,
        flow: RuntimeFlow,
    ) -> None:
        self.definition = definition
        #: Effective properties: overrides, promotion and defaults applied.
        self.properties = properties
        self.tables: Mapping[str, list[Row]] = definition.tables
        #: `Flow.Node label`, with the labels of subflows between.
        self.label = label
        #: The label of the node itself.
        self.short_label = definition.label
        #: `Flow#FCMComposite_1_3`.
        self.name = name
        self.type = class_name(definition.type)
        self.flow = flow
        self.wires: dict[str, list[Wire]] = {}
        self.calls = 0
        #: Whether nothing of the flow runs after the node, and nothing sees how it went (ending.py, E1 and E2).
        self.ends_flow = False
        #: Whether every node that runs after this one, or sees its result, is below it (ending.py, E2).
        self.is_last = False

    def data_sources(self) -> list[str]:
        """Return the data sources that the node names, in its properties or in its ESQL."""
        return []

    # Properties.

    def text(self, name: str, default: str = "") -> str:
        """Return a property as text; the default if it is absent or empty."""
        return self.properties.get(name, "") or default

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a property that is yes or no."""
        value = self.properties.get(name, "").strip().lower()
        return default if not value else value in ("true", "yes", "1")

    def number(self, name: str, default: float) -> float:
        """Return a property that is a number."""
        value = self.properties.get(name, "").strip()
        if not value:
            return default
        try:
            return float(value)
        except ValueError:
            raise NodeProblem(f"{self.label}: {name} is {value!r}, which is not a number") from None

    # Life.

    def prepare(self) -> None:
        """Check the properties and get ready, once, before the first message. Raise NodeProblem if that is in vain."""

    def takes_path(self, path: str) -> bool:
        """Return whether an input node takes requests for a path of a URL."""
        return False

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        """Handle an assembly that came in at a terminal."""
        raise NotImplementedError

    # Propagation.

    def own_environment(self, invocation: Invocation, assembly: Assembly) -> Element:
        """Return a local environment that the node may change: a copy, unless nothing else sees it any more."""
        if (
            self.is_last
            and not invocation.propagating
            and not invocation.services.keeps_trees
            and not self.wired("failure")
        ):
            return assembly.local_environment
        return copy_element(assembly.local_environment)

    def wired(self, terminal: str) -> bool:
        """Return whether a terminal leads anywhere."""
        return bool(self.wires.get(terminal))

    def receive(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        """Handle an assembly, and errors on its way (F1 to F3)."""
        self.calls += 1
        invocation.depth += 1
        watch = invocation.watch
        if watch is not None:
            watch.entered(invocation, self, terminal, assembly)
        try:
            if invocation.depth > DEPTH_MAX:
                raise BrokerError(
                    4184, f"the message has passed {DEPTH_MAX} nodes in one path; look for a loop of wires"
                )
            self.process(invocation, assembly, terminal)
        except Exception as raised:
            error = raised if isinstance(raised, BrokerError) else internal_error(raised)
            if error.below is self or not self.wired("failure"):
                if watch is not None:
                    watch.noted(invocation, self, "rethrow", "", str(error.root_cause()))
                raise self.rethrown(error) from error
            self.send_failure(invocation, assembly, error)
        finally:
            if watch is not None:
                watch.left(invocation, self)
            invocation.depth -= 1

    def send_failure(self, invocation: Invocation, assembly: Assembly, error: BrokerError) -> None:
        """Send the assembly that came in to the failure terminal, with the exception (F1)."""
        invocation.note(self, "failure", "failure", str(error.root_cause()))
        failed = assembly.replace(exception_list=exception_list(self.rethrown(error)))
        try:
            self.send("failure", invocation, failed)
        except BrokerError as second:
            wrapped = self.entry(FAILURE_PATH_FAILED, "an error occurred on the failure path of this node", second)
            wrapped.below = self
            raise wrapped from second

    def send(self, terminal: str, invocation: Invocation, assembly: Assembly) -> None:
        """Propagate an assembly to all that is wired to a terminal, in the order of the file."""
        wires = self.wires.get(terminal)
        if invocation.watch is not None:
            invocation.watch.sent(invocation, self, terminal, assembly, bool(wires))
        if not wires:
            return
        try:
            for wire in wires:
                wire.node.receive(invocation, assembly, wire.terminal)
        except BrokerError as error:
            error.below = self
            raise

    def join_group(self, invocation: Invocation, identifier: bytes) -> None:
        """Add a request to the group of the GroupScatter node above, if this node is to."""
        if invocation.group is not None and self.flag("AddRequestToGroup"):
            invocation.group.append((self.text("GroupRequestFolderName", self.short_label), identifier))

    def send_to(self, node: RuntimeNode, invocation: Invocation, assembly: Assembly) -> None:
        """Propagate an assembly to a node that is not wired: a label."""
        try:
            node.receive(invocation, assembly, "in")
        except BrokerError as error:
            error.below = self
            raise

    def entry(self, number: int, text: str, cause: BrokerError | None = None) -> BrokerError:
        """Return an entry of the ExceptionList that names this node."""
        return BrokerError(
            number,
            text,
            inserts=(self.label,),
            cause=cause,
            sqlstate="" if cause is None else cause.sqlstate,
            node_type=self.type,
            node_name=self.name,
            node_label=self.label,
            function=self.type,
        )

    def rethrown(self, error: BrokerError) -> BrokerError:
        """Return an error with the entry 2230 of this node around it (F3)."""
        wrapped = self.entry(NODE_RETHROW, "an exception passed this node", error)
        wrapped.below = error.below
        return wrapped


@dataclass(slots=True)
class Registry:
    """Which class runs which node type."""

    classes: dict[str, type[RuntimeNode]] = field(default_factory=dict)

    def add(self, node_class: type[RuntimeNode]) -> type[RuntimeNode]:
        """Register a class for its types; use it as a decorator."""
        for each in node_class.types:
            self.classes[each] = node_class
        mark_runnable(*node_class.types)
        return node_class


REGISTRY = Registry()
runs: Callable[[type[RuntimeNode]], type[RuntimeNode]] = REGISTRY.add
