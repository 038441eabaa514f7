"""The surroundings of a flow that is called as a function: other flows of the project, waiting answers, timers.

Flows that were loaded together share one `Surroundings`. It holds the store and the agenda (`flow/state.py`), finds
the node that an answer or a timer is for, in this flow or another one, and runs the work that follows when a flow has
returned:

    answers to asynchronous requests   as soon as the flow has returned, in the order of the requests
    calls of callable flows            at once, in the caller's thread
    timers                             when the caller moves the clock (`Flow.advance`); those of 0 seconds as answers

Each of them is a unit of work of its own, as it is in a broker.

**Threads.** A backout sets store and agenda back to their state when the unit of work began, so two units of work
that use them cannot overlap. A flow with a node that uses them (`RuntimeNode.uses_state`) holds `lock` for a whole
call, with all that follows it: such flows take turns if they were loaded together. Other flows run side by side.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, runtime_checkable

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation
from flintmq.broker.flow.state import Agenda, MemoryStore, TimedNode, Timer
from flintmq.broker.tree.element import Element

if TYPE_CHECKING:
    from flintmq.broker.flow.runtime import RuntimeFlow
    from flintmq.broker.flow.services import Deferred, Recorder

#: One call may lead to at most this many answers and timers: flows can wake each other without end.
FOLLOWING_MAX: Final = 10_000
#: Callable flows that call each other deeper than this are in a loop.
CALLS_MAX: Final = 20

Found = TypeVar("Found")
#: Makes the invocation of another unit of work, with the same recorder and trace.
NewInvocation = Callable[["RuntimeFlow"], Invocation]


@runtime_checkable
class ResponseNode(Protocol):
    """A node that takes answers to asynchronous requests."""

    flow: RuntimeFlow

    @property
    def response_key(self) -> tuple[str, str]:
        """Return kind and correlator of the answers that this node takes."""
        ...

    def take_response(self, invocation: Invocation, deferred: Deferred) -> None:
        """Send an answer through the flow."""
        ...


@runtime_checkable
class SelfStarting(Protocol):
    """A node with timers that run from the start of the flow."""

    def first_timers(self) -> list[Timer]:
        """Return the timers to set."""
        ...


@runtime_checkable
class CallableNode(Protocol):
    """A node that takes calls of callable flows."""

    flow: RuntimeFlow

    @property
    def endpoint(self) -> str:
        """Return the name by which the flow is called."""
        ...

    def take_call(self, invocation: Invocation, identifier: bytes, root: Element) -> None:
        """Send a message through the flow."""
        ...


class Surroundings:
    """Store, agenda and the other flows. `flows` yields the flows that may hold a node of one of some types."""

    def __init__(self, flows: Callable[[tuple[str, ...]], Iterator[RuntimeFlow]]) -> None:
        self.flows = flows
        self.store = MemoryStore()
        self.agenda = Agenda()
        #: Held while a flow runs that uses store or agenda. A flow may call a flow again in the same thread.
        self.lock = threading.RLock()
        self._calls = 0
        self._number = 0

    def call(self, runtime: RuntimeFlow, recorder: Recorder, start: Callable[[], None], more: NewInvocation) -> None:
        """Run one unit of work of a flow and all that follows. Raise exceptions that a flow does not handle."""
        if runtime.uses_state:
            with self.lock:
                with recorder.unit_of_work():
                    start()
                self.follow(runtime, recorder, more)
            return
        with recorder.unit_of_work(with_state=False):
            start()
        if recorder.deferred or self.agenda.is_due():
            with self.lock:
                self.follow(runtime, recorder, more)

    def start(self, runtime: RuntimeFlow) -> None:
        """Set the timers that run from the start of a flow that can run."""
        for node in [] if runtime.problems else runtime.nodes:
            if isinstance(node, SelfStarting):
                for timer in node.first_timers():
                    self.agenda.set(timer)

    def follow(self, runtime: RuntimeFlow, recorder: Recorder, invocation_of: NewInvocation) -> None:
        """Hand answers that wait to their response nodes, and run timers that are due at once, until there are none.

        Raise exceptions that a flow does not handle.
        """
        for _ in range(FOLLOWING_MAX):
            if not recorder.deferred:
                due = self.agenda.next_due(self.agenda.now)
                if due is None:
                    return
                self._run_timer(runtime, recorder, due, invocation_of)
                continue
            deferred = recorder.deferred.popleft()
            found = self._response_node(runtime, (deferred.kind, deferred.correlator))
            if found is not None:
                with recorder.unit_of_work():
                    found.take_response(invocation_of(found.flow), deferred)
        raise BrokerError(4184, f"one message led to more than {FOLLOWING_MAX} asynchronous answers; look for a loop")

    def _run_timer(
        self, runtime: RuntimeFlow, recorder: Recorder, due: tuple[str, str], invocation_of: NewInvocation
    ) -> None:
        address, key = due
        found = self._timed_node(runtime, address)
        if found is not None:
            with recorder.unit_of_work():
                found.due(invocation_of(found.flow), key)

    def run_due(
        self, runtime: RuntimeFlow, recorder: Recorder, until: float, invocation_of: NewInvocation
    ) -> Iterator[tuple[str, str]]:
        """Run the timers that are due by a time, one by one; yield the address and key of each when it is done."""
        for _ in range(FOLLOWING_MAX):
            due = self.agenda.next_due(until)
            if due is None:
                self.agenda.now = max(self.agenda.now, until)
                return
            self._run_timer(runtime, recorder, due, invocation_of)
            yield due
        raise BrokerError(4184, f"more than {FOLLOWING_MAX} timers were due; advance the clock in smaller steps")

    def caller(
        self, runtime: RuntimeFlow, recorder: Recorder, invocation_of: NewInvocation
    ) -> Callable[[str, str, Element], Element | None]:
        """Return the function that runs callable flows of the project for a recorder."""

        def call(application: str, endpoint: str, root: Element) -> Element | None:
            found = self._callable_node(runtime, application, endpoint)
            if found is None:
                return None
            if self._calls >= CALLS_MAX:
                raise BrokerError(
                    4184, f"callable flows call each other more than {CALLS_MAX} deep", inserts=(endpoint,)
                )
            self._number += 1
            identifier = b"CALL" + self._number.to_bytes(20, "big")
            recorder.calls[identifier] = None
            self._calls += 1
            try:
                found.take_call(invocation_of(found.flow), identifier, root)
            finally:
                self._calls -= 1
            answer = recorder.calls.pop(identifier)
            if answer is None:
                raise BrokerError(
                    3887,
                    f"the callable flow {endpoint!r} ended without a CallableReply node, so its caller would time out",
                    inserts=(endpoint,),
                )
            return answer

        return call

    def _response_node(self, runtime: RuntimeFlow, key: tuple[str, str]) -> ResponseNode | None:
        def pick(node: object) -> ResponseNode | None:
            return node if isinstance(node, ResponseNode) and node.response_key == key else None

        return self._find(runtime, RESPONSE_TYPES, pick)

    def _timed_node(self, runtime: RuntimeFlow, address: str) -> TimedNode | None:
        def pick(node: object) -> TimedNode | None:
            return node if isinstance(node, TimedNode) and node.timer_address == address else None

        return self._find(runtime, TIMED_TYPES, pick)

    def _callable_node(self, runtime: RuntimeFlow, application: str, endpoint: str) -> CallableNode | None:
        def pick(node: object) -> CallableNode | None:
            if not isinstance(node, CallableNode) or node.endpoint != endpoint:
                return None
            return node if not application or node.flow.application == application else None

        return self._find(runtime, CALLABLE_TYPES, pick)

    def _find(
        self, runtime: RuntimeFlow, types: tuple[str, ...], pick: Callable[[object], Found | None]
    ) -> Found | None:
        """Return the node that is wanted: of this flow if it has one, else of another that can run."""
        for node in runtime.nodes:
            found = pick(node)
            if found is not None:
                return found
        for other in self.flows(types):
            if other is not runtime and not other.problems:
                for node in other.nodes:
                    found = pick(node)
                    if found is not None:
                        return found
        return None


RESPONSE_TYPES: Final = (
    "ComIbmHTTPAsyncResponse.msgnode",
    "ComIbmRESTAsyncResponse.msgnode",
    "ComIbmSOAPAsyncResponse.msgnode",
    "ComIbmCallableFlowAsyncResponse.msgnode",
)
TIMED_TYPES: Final = (
    "ComIbmTimeoutNotification.msgnode",
    "ComIbmAggregateReply.msgnode",
    "ComIbmGroupComplete.msgnode",
    "ComIbmCollector.msgnode",
)
CALLABLE_TYPES: Final = ("ComIbmCallableFlowInput.msgnode",)
