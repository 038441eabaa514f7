"""Counts of flows, threads, nodes and terminals: plain rows with the names of the statistics record.

A row is a dict. Rows of two workers, or of two parts of an interval, are merged by name: `Maximum...` keeps the larger,
`Minimum...` the smaller of those that counted anything, all other numbers are added. Times are nanoseconds here;
record.py writes microseconds.
"""

from __future__ import annotations

from typing import Any, Final

Row = dict[str, Any]

#: Messages without an origin of their own, and all messages when origins are not collected.
ANONYMOUS: Final = "Anonymous"
#: Origins of a flow in one interval; those after them are counted as OTHERS.
ORIGINS_MAX: Final = 1000
OTHERS: Final = "Others"
ORIGIN_LENGTH_MAX: Final = 256

_FLOW_NAMES: Final = (
    "TotalElapsedTime",
    "MaximumElapsedTime",
    "MinimumElapsedTime",
    "TotalCPUTime",
    "MaximumCPUTime",
    "MinimumCPUTime",
    "CPUTimeWaitingForInputMessage",
    "ElapsedTimeWaitingForInputMessage",
    "TotalInputMessages",
    "TotalSizeOfInputMessages",
    "MaximumSizeOfInputMessages",
    "MinimumSizeOfInputMessages",
    "NumberOfThreadsInPool",
    "TimesMaximumNumberOfThreadsReached",
    "TotalNumberOfMQErrors",
    "TotalNumberOfMessagesWithErrors",
    "TotalNumberOfErrorsProcessingMessages",
    "TotalNumberOfTimeOutsWaitingForRepliesToAggregateMessages",
    "TotalNumberOfCommits",
    "TotalNumberOfBackouts",
)
_THREAD_NAMES: Final = (
    "TotalNumberOfInputMessages",
    "TotalElapsedTime",
    "TotalCPUTime",
    "CPUTimeWaitingForInputMessage",
    "ElapsedTimeWaitingForInputMessage",
    "TotalSizeOfInputMessages",
    "MaximumSizeOfInputMessages",
    "MinimumSizeOfInputMessages",
)
_NODE_NAMES: Final = (
    "TotalElapsedTime",
    "MaximumElapsedTime",
    "MinimumElapsedTime",
    "TotalCPUTime",
    "MaximumCPUTime",
    "MinimumCPUTime",
    "CountOfInvocations",
)
_COUNTERS: Final = ("TotalInputMessages", "TotalNumberOfInputMessages", "CountOfInvocations")


def flow_row() -> Row:
    """Return the numbers of a flow that has had no message."""
    return dict.fromkeys(_FLOW_NAMES, 0)


def thread_row() -> Row:
    """Return the numbers of a thread that has had no message."""
    return dict.fromkeys(_THREAD_NAMES, 0)


def node_row() -> Row:
    """Return the numbers of a node that was not invoked."""
    return dict.fromkeys(_NODE_NAMES, 0)


def add(into: Row, row: Row) -> None:
    """Add the numbers of one row to another of the same kind."""
    counted = next((into[name] for name in _COUNTERS if name in into), 0)
    other = next((row[name] for name in _COUNTERS if name in row), 0)
    for name, value in row.items():
        if not isinstance(value, int):
            continue
        if name.startswith("Maximum"):
            into[name] = max(into[name], value)
        elif name.startswith("Minimum"):
            if other:
                into[name] = min(into[name], value) if counted else value
        else:
            into[name] += value


class Spent:
    """Number of invocations, and their elapsed and CPU time."""

    __slots__ = ("count", "cpu", "elapsed", "least", "longest", "most", "shortest")

    def __init__(self) -> None:
        self.count = 0
        self.elapsed = self.longest = self.shortest = 0
        self.cpu = self.most = self.least = 0

    def add(self, elapsed: int, cpu: int) -> None:
        """Count one more."""
        if self.count:
            if elapsed > self.longest:
                self.longest = elapsed
            elif elapsed < self.shortest:
                self.shortest = elapsed
            if cpu > self.most:
                self.most = cpu
            elif cpu < self.least:
                self.least = cpu
        else:
            self.longest = self.shortest = elapsed
            self.most = self.least = cpu
        self.count += 1
        self.elapsed += elapsed
        self.cpu += cpu

    def row(self) -> Row:
        """Return the row of a node."""
        return dict(
            zip(
                _NODE_NAMES,
                (self.elapsed, self.longest, self.shortest, self.cpu, self.most, self.least, self.count),
                strict=True,
            )
        )


class Sizes:
    """Sizes of messages."""

    __slots__ = ("count", "largest", "smallest", "total")

    def __init__(self) -> None:
        self.count = self.total = self.largest = self.smallest = 0

    def add(self, size: int) -> None:
        """Count one message."""
        if not self.count or size < self.smallest:
            self.smallest = size
        if size > self.largest:
            self.largest = size
        self.count += 1
        self.total += size


class FlowCounts:
    """One thread's counts of a flow for one accounting origin."""

    def __init__(self) -> None:
        self.spent = Spent()
        self.sizes = Sizes()
        self.waited = self.waited_cpu = 0
        self.mq_errors = self.bad_messages = self.errors = self.aggregate_timeouts = 0
        self.commits = self.backouts = self.pool_full = 0
        #: By number of the node in the flow.
        self.nodes: dict[int, Spent] = {}
        #: By number of the node, whether an output terminal, and its name.
        self.terminals: dict[tuple[int, bool, str], int] = {}

    def row(self) -> Row:
        """Return the row of the flow."""
        spent, sizes = self.spent, self.sizes
        values = (
            *(spent.elapsed, spent.longest, spent.shortest, spent.cpu, spent.most, spent.least),
            *(self.waited_cpu, self.waited, spent.count, sizes.total, sizes.largest, sizes.smallest),
            *(0, self.pool_full, self.mq_errors, self.bad_messages, self.errors, self.aggregate_timeouts),
            *(self.commits, self.backouts),
        )
        return dict(zip(_FLOW_NAMES, values, strict=True))

    def thread_row(self) -> Row:
        """Return the row of the thread."""
        spent, sizes = self.spent, self.sizes
        values = (
            *(spent.count, spent.elapsed, spent.cpu, self.waited_cpu, self.waited),
            *(sizes.total, sizes.largest, sizes.smallest),
        )
        return dict(zip(_THREAD_NAMES, values, strict=True))
