"""Observers of the messages of a flow in one thread: statistics, monitoring events, user trace.

An instance (or a thread of the HTTP listener, a timer ...) has one observer, or None: then a message costs two checks
for None, and a node the checks that there is no watch. The calls of a message, in their order:

    begin     the message is there; nodes are watched from now on
    failed    the flow, or the commit, has failed
    finish    the flow has ended, its unit of work is about to be committed: events that belong to it are published
    end       the unit of work was committed or backed out

A unit of work that holds several messages ends the ones before when the next one begins, and the last with the unit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from flintmq.broker.flow.engine import Invocation, RuntimeNode, Watch
from flintmq.broker.tree.assembly import Assembly

if TYPE_CHECKING:
    from flintmq.broker.flow.nodes.inputs import Incoming
    from flintmq.broker.runtime.queue_session import QueueSession


class ObservedUnit(Protocol):
    """The unit of work, as observers see it."""

    session: QueueSession
    observer: Observer | None


class CalledUnit:
    """Stand-in for the unit of work of a callable flow, which has none of its own."""

    def __init__(self, session: QueueSession) -> None:
        self.session = session
        self.observer: Observer | None = None


class Part:
    """One observer of messages. The base class does nothing; a subclass that is also a `Watch` sees the nodes."""

    def begin(self, unit: ObservedUnit, invocation: Invocation, node: RuntimeNode, incoming: Incoming | None) -> None:
        """Handle the arrival of a message at an input node."""

    def failed(self, error: Exception) -> None:
        """Handle a failure of the flow or of the commit."""

    def finish(self, unit: ObservedUnit) -> None:
        """Act before the commit of the unit of work. Raise MQError to prevent the commit."""

    def end(self, unit: ObservedUnit, committed: bool) -> None:
        """Handle the end of the unit of work."""


class Observer:
    """The observers of one flow in one thread."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts
        watches: list[Watch] = [part for part in parts if isinstance(part, Watch)]
        self.watch: Watch | None = None
        if watches:
            self.watch = watches[0] if len(watches) == 1 else Watches(watches)
        #: Called when a message has ended, for an observer that several threads use in turn.
        self.ended: Callable[[], None] | None = None

    def begin(self, unit: ObservedUnit, invocation: Invocation, node: RuntimeNode, incoming: Incoming | None) -> None:
        """Handle the arrival of a message at an input node, and watch the nodes."""
        unit.observer = self
        invocation.watch = self.watch
        for part in self.parts:
            part.begin(unit, invocation, node, incoming)

    def failed(self, error: Exception) -> None:
        """Handle a failure of the flow or of the commit."""
        for part in self.parts:
            part.failed(error)

    def finish(self, unit: ObservedUnit) -> None:
        """Act before the commit of the unit of work."""
        for part in self.parts:
            part.finish(unit)

    def end(self, unit: ObservedUnit, committed: bool) -> None:
        """Handle the end of the unit of work."""
        unit.observer = None
        for part in self.parts:
            part.end(unit, committed)
        if self.ended is not None:
            self.ended()


class Watches(Watch):
    """Several watches on one message."""

    def __init__(self, watches: list[Watch]) -> None:
        self.watches = watches
        self.keeps_trees = any(each.keeps_trees for each in watches)

    def entered(self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly) -> None:
        for each in self.watches:
            each.entered(invocation, node, terminal, assembly)

    def left(self, invocation: Invocation, node: RuntimeNode) -> None:
        for each in self.watches:
            each.left(invocation, node)

    def sent(
        self, invocation: Invocation, node: RuntimeNode, terminal: str, assembly: Assembly, is_wired: bool
    ) -> None:
        for each in self.watches:
            each.sent(invocation, node, terminal, assembly, is_wired)

    def noted(self, invocation: Invocation, node: RuntimeNode, event: str, terminal: str, detail: str) -> None:
        for each in self.watches:
            each.noted(invocation, node, event, terminal, detail)
