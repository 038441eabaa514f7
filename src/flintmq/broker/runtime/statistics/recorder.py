"""Count the messages of one flow in one thread of a worker.

The work of nodes is kept in a list while a message is under way, and counted when its unit of work ends: so an interval
has whole messages only (S1). The lock is held for the counting, not for the message.

A message with more than FRAMES_MAX invocations of nodes is counted in parts, so that memory stays bounded.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final

from flintmq.broker.flow.engine import Invocation, RuntimeNode, Watch
from flintmq.broker.flow.node_types import node_type
from flintmq.broker.runtime.observer import ObservedUnit, Part
from flintmq.broker.runtime.statistics.counts import (
    ANONYMOUS,
    ORIGIN_LENGTH_MAX,
    ORIGINS_MAX,
    OTHERS,
    FlowCounts,
    Spent,
)
from flintmq.broker.runtime.statistics.settings import Rule
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Step, walk
from flintmq.broker.values import plain_text

if TYPE_CHECKING:
    from flintmq.broker.flow.nodes.inputs import Incoming
    from flintmq.broker.flow.runtime import RuntimeFlow

FRAMES_MAX: Final = 10_000
_ORIGIN: Final = [Step("Broker"), Step("Accounting"), Step("Origin")]
_elapsed_now = time.perf_counter_ns
_cpu_now = time.thread_time_ns


class Pool:
    """Number of threads of a flow in this worker, and of busy ones."""

    def __init__(self, threads: int = 0) -> None:
        self.threads = threads
        self.busy = 0
        self._lock = threading.Lock()

    def enter(self) -> bool:
        """Mark a thread as busy; return whether it was the last idle one."""
        with self._lock:
            self.busy += 1
            return self.busy == self.threads

    def leave(self) -> None:
        """Mark a thread as idle."""
        with self._lock:
            self.busy -= 1


class _Frame:
    """An invocation in progress, with the time of the node itself so far."""

    __slots__ = ("cpu", "elapsed", "number")

    def __init__(self, number: int) -> None:
        self.number = number
        self.elapsed = 0
        self.cpu = 0


class Recorder(Part):
    """Counts the messages of a flow in one thread."""

    def __init__(self, flow: RuntimeFlow, pool: Pool, rule: Rule) -> None:
        self.flow = flow
        self.pool = pool
        self.rule = rule
        self.lock = threading.Lock()
        self.is_open = False
        self._counts: dict[str, FlowCounts] = {}
        self._invocation: Invocation | None = None
        self._started = self._started_cpu = 0
        #: When the wait for the message began.
        self._idle_since = _elapsed_now()
        self._idle_since_cpu = -1
        self._size = 0
        self._failures = 0
        self._pool_full = False
        #: Counts of the session when the message began.
        self._session: Any = None
        self._mq_errors = self._commits = self._backouts = 0

    def begin(self, unit: ObservedUnit, invocation: Invocation, node: RuntimeNode, incoming: Incoming | None) -> None:
        if self.is_open:
            self.end(unit, True)
        self._invocation = invocation
        self._size = len(incoming.data) if incoming is not None else 0
        self._failures = 0
        self._pool_full = self.pool.enter()
        session = unit.session
        if session is not self._session:
            self._session = session
            self._mq_errors = self._commits = self._backouts = 0
        self.is_open = True
        now, cpu = _elapsed_now(), _cpu_now()
        self._started, self._started_cpu = now, cpu
        counts = self._counts.get(ANONYMOUS)
        with self.lock:
            if counts is None:
                counts = self._counts[ANONYMOUS] = FlowCounts()
            counts.waited += now - self._idle_since
            if self._idle_since_cpu >= 0:
                counts.waited_cpu += cpu - self._idle_since_cpu

    def failed(self, error: Exception) -> None:
        self._failures += 1

    def end(self, unit: ObservedUnit, committed: bool) -> None:
        invocation = self._invocation
        if invocation is None:
            return
        now, cpu = _elapsed_now(), _cpu_now()
        session = self._session
        errors = self._failures + invocation.errors
        origin = self._origin(invocation) if self.rule.origin else ANONYMOUS
        with self.lock:
            counts = self._counts_of(origin)
            counts.spent.add(now - self._started, cpu - self._started_cpu)
            counts.sizes.add(self._size)
            counts.pool_full += self._pool_full
            counts.errors += errors
            counts.bad_messages += errors > 0
            counts.aggregate_timeouts += invocation.aggregate_timeouts
            counts.mq_errors += session.errors - self._mq_errors
            counts.commits += session.commits - self._commits
            counts.backouts += session.backouts - self._backouts
            self._count_nodes(counts, now, cpu)
        self._mq_errors, self._commits, self._backouts = session.errors, session.commits, session.backouts
        self._idle_since, self._idle_since_cpu = now, cpu
        self._invocation = None
        self.is_open = False
        self.pool.leave()

    def _count_nodes(self, counts: FlowCounts, now: int, cpu: int) -> None:
        """Count node events. The base recorder counts none."""

    def _counts_of(self, origin: str) -> FlowCounts:
        found = self._counts.get(origin)
        if found is None:
            if len(self._counts) >= ORIGINS_MAX and origin != OTHERS:
                return self._counts_of(OTHERS)
            found = self._counts[origin] = FlowCounts()
        return found

    def _origin(self, invocation: Invocation) -> str:
        """Return `Environment.Broker.Accounting.Origin` as the flow has left it."""
        found = walk(invocation.environment, _ORIGIN)
        value = None if found is None else found.value
        if value is None or value == "":
            return ANONYMOUS
        text = value if isinstance(value, str) else plain_text(value)  # type: ignore[arg-type]
        return text[:ORIGIN_LENGTH_MAX]

    def take(self) -> dict[str, FlowCounts]:
        """Return the counts since the last call, by origin, and begin anew."""
        with self.lock:
            taken, self._counts = self._counts, {}
            if not self.is_open:
                now = _elapsed_now()
                taken.setdefault(ANONYMOUS, FlowCounts()).waited += now - self._idle_since
                self._idle_since = now
            return taken


class NodeRecorder(Recorder, Watch):
    """Counts the nodes, too."""

    def __init__(self, flow: RuntimeFlow, pool: Pool, rule: Rule) -> None:
        super().__init__(flow, pool, rule)
        self._numbers = {id(node): number for number, node in enumerate(flow.nodes)}
        self._stack: list[_Frame] = []
        self._frame = _Frame(0)
        self._done: list[_Frame] = []
        self._mark = self._mark_cpu = 0
        self._terminals: dict[tuple[int, bool, str], int] = {}

    def begin(self, unit: ObservedUnit, invocation: Invocation, node: RuntimeNode, incoming: Incoming | None) -> None:
        super().begin(unit, invocation, node, incoming)
        self._stack.clear()
        self._done.clear()
        self._terminals.clear()
        self._frame = _Frame(self._numbers.get(id(node), -1))
        self._mark, self._mark_cpu = self._started, self._started_cpu

    def entered(self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly) -> None:
        now, cpu = _elapsed_now(), _cpu_now()
        frame = self._frame
        frame.elapsed += now - self._mark
        frame.cpu += cpu - self._mark_cpu
        self._mark, self._mark_cpu = now, cpu
        self._stack.append(frame)
        self._frame = _Frame(self._numbers.get(id(node), -1))

    def left(self, invocation: Invocation, node: RuntimeNode) -> None:
        now, cpu = _elapsed_now(), _cpu_now()
        frame = self._frame
        frame.elapsed += now - self._mark
        frame.cpu += cpu - self._mark_cpu
        self._mark, self._mark_cpu = now, cpu
        self._done.append(frame)
        if self._stack:
            self._frame = self._stack.pop()
        if len(self._done) > FRAMES_MAX:
            with self.lock:
                self._count_frames(self._counts_of(ANONYMOUS))

    def _count_nodes(self, counts: FlowCounts, now: int, cpu: int) -> None:
        frame = self._stack[0] if self._stack else self._frame
        self._frame.elapsed += now - self._mark
        self._frame.cpu += cpu - self._mark_cpu
        self._done.append(frame)
        self._count_frames(counts)

    def _count_frames(self, counts: FlowCounts) -> None:
        nodes = counts.nodes
        for frame in self._done:
            spent = nodes.get(frame.number)
            if spent is None:
                spent = nodes[frame.number] = Spent()
            spent.add(frame.elapsed, frame.cpu)
        self._done.clear()
        for key, count in self._terminals.items():
            counts.terminals[key] = counts.terminals.get(key, 0) + count
        self._terminals.clear()


class TerminalRecorder(NodeRecorder):
    """Counts the terminals of nodes, too."""

    def entered(self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly) -> None:
        super().entered(invocation, node, terminal, assembly)
        key = (self._frame.number, False, terminal)
        self._terminals[key] = self._terminals.get(key, 0) + 1

    def sent(
        self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly, is_wired: bool
    ) -> None:
        key = (self._numbers.get(id(node), -1), True, terminal)
        self._terminals[key] = self._terminals.get(key, 0) + 1


_RECORDERS: Final[dict[str, type[Recorder]]] = {
    "none": Recorder,
    "basic": NodeRecorder,
    "advanced": TerminalRecorder,
}


def recorder_for(flow: RuntimeFlow, pool: Pool, rule: Rule) -> Recorder:
    """Return the recorder for the levels of a rule."""
    return _RECORDERS[rule.nodes](flow, pool, rule)


def described_nodes(flow: RuntimeFlow) -> list[dict[str, Any]]:
    """Return label, type and terminals of the nodes of a flow, in their order."""
    prefix = flow.resolved.root.definition.name + "."
    found = []
    for node in flow.nodes:
        inputs, outputs = terminals_of(node)
        found.append(
            {
                "Label": node.label.removeprefix(prefix),
                "Type": node.type.removeprefix("ComIbm"),
                "Inputs": inputs,
                "Outputs": outputs,
            }
        )
    return found


def terminals_of(node: RuntimeNode) -> tuple[list[str], list[str]]:
    """Return the names of the terminals of a node: those of its type, its own, and those that are wired."""
    kind = node_type(node.definition.type)
    inputs = [*(kind.inputs if kind else ()), *(each.name for each in node.definition.in_terminals)]
    outputs = [*(kind.outputs if kind else ()), *(each.name for each in node.definition.out_terminals), *node.wires]
    own = [each.removeprefix("InTerminal.") for each in inputs]
    return list(dict.fromkeys(own)), list(dict.fromkeys(each.removeprefix("OutTerminal.") for each in outputs))
