"""The user trace of an execution group: the path of each message, node by node, in a file.

    2026-11-18 11:30:29.795123     2852   UserTrace   BIP2632I: Message received by input node 'Orders.In'; ...
    2026-11-18 11:30:29.795311     2852   UserTrace   BIP3904I: Node 'Orders.Change' (ComputeNode) got the message ...
    2026-11-18 11:30:29.795702     2852   UserTrace   BIP4124I: Message propagated to terminal 'out' of node ...
    2026-11-18 11:30:29.796001     2852   UserTrace   BIP11506I: The unit of work was committed.

`normal` has a line for each node, terminal and exception, for Trace nodes and LOG USER TRACE; `debug` has the trees
that a node gets besides, so message data is in it. The lines of a message are written together when it ends, or when
there are LINES_MAX of them. Several workers append to one file; one that is longer than its limit is renamed to `.1`
first. A trace that cannot be written is reported once, and never fails a message.
"""

from __future__ import annotations

import os
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation, RuntimeNode, Watch
from flintmq.broker.flow.patterns import shown
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.observer import ObservedUnit, Part
from flintmq.broker.tree.assembly import Assembly

if TYPE_CHECKING:
    from flintmq.broker.flow.nodes.inputs import Incoming

LEVELS: Final = ("none", "normal", "debug")
LINES_MAX: Final = 500
#: Bytes of a trace file, unless `-c` says otherwise.
SIZE_MAX: Final = 100 << 20
_TREES: Final = ("message", "local_environment", "environment", "exception_list")


class TraceFile:
    """The file of a group's user trace. Used by all threads of a worker."""

    def __init__(self, path: Path, log: BrokerLog, size_max: int = SIZE_MAX) -> None:
        self.path = path
        self.size_max = size_max
        self._log = log
        self._lock = threading.Lock()
        self._failed = False

    def write(self, lines: list[str]) -> None:
        """Append lines, all of them with one write."""
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        with self._lock:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                if self.path.exists() and self.path.stat().st_size > self.size_max:
                    self.path.replace(self.path.with_name(self.path.name + ".1"))
                # The file may hold message data, so only its owner may read it.
                descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                try:
                    os.write(descriptor, data)
                finally:
                    os.close(descriptor)
                self._failed = False
            except OSError as error:
                if not self._failed:
                    self._failed = True
                    self._log.write("2882W", "", f"the user trace {self.path} cannot be written: {error}")

    def say(self, number: str, text: str) -> None:
        """Append one entry."""
        self.write([line_of(number, text)])


def line_of(number: str, text: str) -> str:
    """Return an entry of the trace; it may have several lines."""
    stamp = datetime.fromtimestamp(time.time()).isoformat(" ", "microseconds")
    return f"{stamp} {threading.get_native_id():>8}   UserTrace   BIP{number}: {text}"


def trace_path(directory: str, broker: str, group: str) -> Path:
    """Return the file of a group's user trace."""
    return Path(directory) / f"{broker}.{group}.userTrace.txt"


#: The tracer of the message that a thread works on.
_CURRENT: Final = threading.local()


def trace_text(node: str, text: str) -> bool:
    """Write the text of a Trace node or LOG USER TRACE; return False if the message is not traced."""
    tracer: UserTracer | None = getattr(_CURRENT, "tracer", None)
    if tracer is None:
        return False
    tracer.wrote(node, text)
    return True


class UserTracer(Part, Watch):
    """Traces one flow in one thread."""

    def __init__(self, file: TraceFile, level: str) -> None:
        self.file = file
        self.with_trees = level == "debug"
        self._lines: list[str] = []

    def begin(self, unit: ObservedUnit, invocation: Invocation, node: RuntimeNode, incoming: Incoming | None) -> None:
        _CURRENT.tracer = self
        size = 0 if incoming is None else len(incoming.data)
        source = f" from {incoming.source}" if incoming is not None and incoming.source else ""
        self._say("2632I", f"Message received by input node '{node.label}'{source}; {size} bytes.")

    def failed(self, error: Exception) -> None:
        number = getattr(error, "number", 2230)
        cause = error.root_cause() if isinstance(error, BrokerError) else error
        self._say(f"{number}E", f"The flow has failed: {cause}")

    def end(self, unit: ObservedUnit, committed: bool) -> None:
        if committed:
            self._say("11506I", "The unit of work was committed.")
        else:
            self._say("11507W", "The unit of work was backed out.")
        _CURRENT.tracer = None
        self._flush()

    def entered(self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly) -> None:
        kind = node.type.removeprefix("ComIbm")
        self._say("3904I", f"Node '{node.label}' ({kind}) got the message at terminal '{terminal}'.")
        if self.with_trees:
            for name in _TREES:
                tree = getattr(assembly, name)
                if tree is not None and tree.first_child() is not None:
                    self._say("3905I", f"{name.title().replace('_', '')} of node '{node.label}': {shown(tree)}")

    def sent(
        self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly, is_wired: bool
    ) -> None:
        if is_wired:
            self._say("4124I", f"Message propagated to terminal '{terminal}' of node '{node.label}'.")
        else:
            self._say("4125I", f"Terminal '{terminal}' of node '{node.label}' is not wired; nothing follows.")

    def noted(self, invocation: Invocation, node: RuntimeNode, event: str, terminal: str, detail: str) -> None:
        if event != "start":
            where = f" to terminal '{terminal}'" if terminal else ""
            self._say("2230E", f"Node '{node.label}': {event}{where}. {detail}".rstrip())

    def wrote(self, node: str, text: str) -> None:
        """Write the text of a Trace node or LOG USER TRACE."""
        self._say("2539I", f"{node}: {text}")

    def _say(self, number: str, text: str) -> None:
        self._lines.append(line_of(number, text))
        if len(self._lines) >= LINES_MAX:
            self._flush()

    def _flush(self) -> None:
        lines, self._lines = self._lines, []
        if lines:
            self.file.write(lines)
