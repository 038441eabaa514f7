"""A worker: the process that runs instances of flows for an execution group.

    python -m flintmq.broker.runtime.worker        the assignment is one line of JSON on standard input

The worker answers with lines of JSON on standard output: `ready` once every flow has started or been refused, `status`
when it is asked. Further lines on standard input are commands: {"do": "status"}, {"do": "stop"}. When standard input
ends, the group is gone, and the worker ends, too: it finishes the messages it works on, at most STOP_S seconds.

Threads of a worker:

    one per instance     MQInput nodes (instance.py)
    one per FileInput    looks into the directory every `waitInterval` seconds
    timers               TimeoutNotification nodes, timeouts of aggregations and collections (state_queue.py)
    HTTP listener        one per client under way (http_listener.py)
    answers              a few, for responses to asynchronous requests
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, TextIO

from flintmq.broker.errors import BrokerError, internal_error
from flintmq.broker.flow.engine import Invocation, RuntimeNode
from flintmq.broker.flow.function import LoadedApplications, load
from flintmq.broker.flow.nodes.file import FileInput, wildcard_match
from flintmq.broker.flow.nodes.http import HTTPInput
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode
from flintmq.broker.flow.nodes.mq import MQInput
from flintmq.broker.flow.runtime import RuntimeFlow
from flintmq.broker.flow.services import Deferred, HttpReply
from flintmq.broker.flow.state import TimedNode
from flintmq.broker.flow.surroundings import CallableNode, ResponseNode, SelfStarting
from flintmq.broker.runtime.coordination import Coordinator, Member
from flintmq.broker.runtime.data_sources import InstanceSources, read_settings
from flintmq.broker.runtime.decisions import Branches, QueueDecisions, create_queue, queue_manager_id
from flintmq.broker.runtime.http_listener import Listener, Requests
from flintmq.broker.runtime.instance import Instance, UnitOfWork, wait_stopped
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.queue_session import CACHE_SIZE, QueueSession
from flintmq.broker.runtime.recovery import Recovery
from flintmq.broker.runtime.services import BrokerServices
from flintmq.broker.runtime.state_queue import StateQueue
from flintmq.broker.runtime.unit import Unit
from flintmq.broker.tree.element import Element
from flintmq.client.errors import MQError, UnknownObject

#: How long a worker may take to finish what it works on.
STOP_S: Final = 30.0
#: How often recovery looks for transactions that a crash left in databases.
RECOVERY_S: Final = 20.0
_ANSWER_THREADS: Final = 4
_FAILED_PAUSE_S: Final = 1.0


@dataclass
class FlowAssignment:
    """A flow that a worker runs."""

    application: str
    flow: str
    instances: int = 1


@dataclass
class Assignment:
    """The work of one worker process. Its group writes it as JSON."""

    broker: str
    group: str
    worker: int
    queue_manager: str
    #: Keyword arguments of `flintmq.connect`; empty for a queue manager of this machine.
    connect: dict[str, Any]
    #: Directories and BAR files, with overrides (`Flow#Node.property`) and user variables.
    sources: list[dict[str, Any]] = field(default_factory=list)
    flows: list[FlowAssignment] = field(default_factory=list)
    data_sources: dict[str, dict[str, Any]] = field(default_factory=dict)
    http_host: str = "127.0.0.1"
    #: -1: no listener.
    http_port: int = -1
    cache_size: int = CACHE_SIZE
    log_file: str = ""

    @property
    def state_queue(self) -> str:
        """Return the name of the queue that holds the state of this worker's flows."""
        return f"SYSTEM.BROKER.STATE.{self.group}"[:48].upper()

    def packed(self) -> str:
        """Return one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def unpacked(cls, text: str) -> Assignment:
        """Return the assignment of a line of JSON."""
        given = json.loads(text)
        given["flows"] = [FlowAssignment(**each) for each in given["flows"]]
        return cls(**given)


class Worker:
    """Flows, threads and connections of one process. `Flows` for the services of its instances."""

    def __init__(self, assignment: Assignment, log: BrokerLog) -> None:
        self.assignment = assignment
        self.log = log
        self.state = StateQueue(assignment.state_queue)
        self.requests = Requests()
        self.instances: list[Instance] = []
        self.flows: list[RuntimeFlow] = []
        #: Flow to why it does not run.
        self.problems: dict[str, list[str]] = {}
        self.listener: Listener | None = None
        self._manager: Any = None
        self._sources = read_settings(assignment.data_sources)
        self._branches = Branches()
        self._queue_manager_id = ""
        self._recovery: Recovery | None = None
        self._threads: list[threading.Thread] = []
        self._answers = ThreadPoolExecutor(_ANSWER_THREADS, "answers")
        self._calls: dict[bytes, Element | None] = {}
        self._call_number = 0
        self._units = threading.local()
        self._ended = threading.Event()

    # Life.

    def start(self) -> None:
        """Load and start everything. Raise MQError if the queue manager cannot be reached."""
        import flintmq

        told = self.assignment
        self._manager = flintmq.connect(told.queue_manager, **told.connect)
        try:
            self._manager.queue(told.state_queue)
        except UnknownObject:
            self._manager.queue(told.state_queue, create=True, defpsist="YES")
        unit = self.new_unit()
        try:
            for line in self.state.load(unit.session):
                self.log.write("2090W", "", line)
        finally:
            unit.close()
        if self._sources:
            self._recover()
        for flow, number in self._load():
            self._start_flow(flow, number)
        if told.http_port >= 0:
            self._start_listener()
        self._thread("timers", self._run_timers)

    def _recover(self) -> None:
        """Finish transactions with databases that a crash left, now and by a timer, before flows start."""
        create_queue(self._manager)
        self._queue_manager_id = queue_manager_id(self._manager)
        told = self.assignment
        member = Member(self._queue_manager_id, told.broker, self._owner())
        self._recovery = Recovery(member, self._sources, self._branches, self._decision_log)
        self._recovery.start()
        self._thread("recovery", self._run_recovery)

    def _decision_log(self) -> QueueDecisions:
        return QueueDecisions(self._manager.connect())

    def _run_recovery(self) -> None:
        assert self._recovery is not None
        while not self._ended.wait(RECOVERY_S):
            try:
                self._recovery.run_once()
            except (MQError, BrokerError) as error:
                self.log.write("2048W", "", f"recovery of databases will be tried again: {error}")
        self._recovery.close()

    def _load(self) -> list[tuple[FlowAssignment, Callable[[], RuntimeFlow]]]:
        """Return the flows of the assignment and functions that make copies of them."""
        loaded = [
            load(each["path"], overrides=each.get("overrides"), variables=each.get("variables"))
            for each in self.assignment.sources
        ]
        found: list[tuple[FlowAssignment, Callable[[], RuntimeFlow]]] = []
        for flow in self.assignment.flows:
            for applications in loaded:
                try:
                    owner, definition = applications.project.flow(flow.flow, flow.application)
                except (KeyError, ValueError, LookupError):
                    continue
                found.append((flow, partial(_copy_of, applications, owner, definition, self.assignment)))
                break
            else:
                self.problems[flow.flow] = [f"there is no flow {flow.flow} in what is deployed"]
        return found

    def _start_flow(self, assigned: FlowAssignment, make: Callable[[], RuntimeFlow]) -> None:
        first = make()
        if first.problems:
            self.problems[first.name] = first.problems
            for problem in first.problems:
                self.log.write("2355E", first.name, f"does not start: {problem}")
            return
        self.flows.append(first)
        copies = [first]
        for _ in range(assigned.instances - 1):
            copy = make()
            copy.deployment = first.deployment  # SHARED variables are those of the flow, not of the copy.
            copies.append(copy)
        self._set_first_timers(first)
        for number, flow in enumerate(copies):
            for node in flow.inputs:
                if isinstance(node, MQInput):
                    connect = self.units_of(flow.name, is_coordinated(flow))
                    instance = Instance(flow, node, connect, self.log)
                    self.instances.append(instance)
                    instance.start()
                elif isinstance(node, FileInput) and not number:
                    self._thread(f"files {node.label}", partial(self._run_files, node))

    def _set_first_timers(self, flow: RuntimeFlow) -> None:
        timers = [timer for node in flow.nodes if isinstance(node, SelfStarting) for timer in node.first_timers()]
        if not timers:
            return
        unit = self.new_unit()
        try:
            for timer in timers:
                if not unit.services.timer_is_set(timer.address, timer.key):
                    unit.services.set_timer(timer)
            unit.commit()
        finally:
            unit.close()

    def _start_listener(self) -> None:
        inputs: list[RuntimeNode] = [node for flow in self.flows for node in flow.inputs if isinstance(node, HTTPInput)]
        if not inputs:
            return
        told = self.assignment
        number = iter(range(1, sys.maxsize))
        unique = os.urandom(12)
        try:
            self.listener = Listener(
                told.http_host,
                told.http_port,
                inputs,
                self.requests,
                self._run_request,
                lambda: b"EVHT" + unique + next(number).to_bytes(8, "big"),
            )
        except OSError as error:
            self.log.write("3132E", "", f"the HTTP listener cannot use {told.http_host}:{told.http_port}: {error}")
            return
        self.listener.start()
        self.log.write("3132I", "", f"The HTTP listener has started on {told.http_host}:{self.listener.port}.")

    def stop(self) -> None:
        """Finish what is worked on and disconnect."""
        self._ended.set()
        self.state.timers_changed.set()
        if self.listener is not None:
            self.listener.close()
        for instance in wait_stopped(self.instances, STOP_S):
            self.log.write("2201W", instance.flow.name, f"did not end within {STOP_S:g} s; its message is backed out.")
        self._answers.shutdown(wait=False, cancel_futures=True)
        for thread in self._threads:
            thread.join(5)
        if self._manager is not None:
            self._manager.close()

    def status(self) -> dict[str, Any]:
        """Return the state of every flow and instance."""
        return {
            "pid": os.getpid(),
            "http_port": None if self.listener is None else self.listener.port,
            "problems": self.problems,
            "instances": [
                {
                    "flow": each.flow.name,
                    "application": each.flow.application,
                    "node": each.node.short_label,
                    "queue": each.node.queue,
                    "state": each.state,
                    "problem": each.problem,
                    "messages": each.messages,
                    "failures": each.failures,
                }
                for each in self.instances
            ],
        }

    # Units of work.

    def units_of(self, flow: str, coordinated: bool) -> Callable[[], Unit]:
        """Return the function that connects an instance. Its coordinator outlives connections: it may have to settle a
        commit whose answer was lost with the connection before.
        """
        if not self._sources:
            return self.new_unit
        member = Member(self._queue_manager_id, self.assignment.broker, self._owner(), flow, coordinated)
        sources = InstanceSources(self._sources, self._application())
        return partial(self.new_unit, Coordinator(member, sources, self._branches))

    def new_unit(self, coordinator: Coordinator | None = None) -> Unit:
        """Return a connection with its unit of work. Raise MQError."""
        session = QueueSession(self._manager, self._application(), self.assignment.cache_size)
        if coordinator is None:
            return Unit(session, self, self.state, self)
        return Unit(session, self, self.state, self, coordinator, QueueDecisions(session.connection))

    def _application(self) -> str:
        return f"{self.assignment.broker}.{self.assignment.group}"[:28]

    def _owner(self) -> str:
        """Return the owner of branches in databases. Workers are owners of their own: recovery of one fences its dead
        predecessor, never its neighbour.
        """
        return f"{self.assignment.group}.{self.assignment.worker}"

    def _thread_unit(self) -> Unit:
        """Return the unit of this thread; a new one if its connection is broken."""
        unit: Unit | None = getattr(self._units, "unit", None)
        if unit is None:
            self._units.connect = self.units_of("", False)
        if unit is None or unit.session.is_broken:
            unit = self._units.unit = self._units.connect()
        return unit

    def _in_unit(self, source: str, work: Callable[[Unit], None]) -> bool:
        """Run something in a unit of work of this thread; return whether it was committed. Log what fails."""
        unit: UnitOfWork | None = None
        try:
            unit = self._thread_unit()
            work(unit)
            unit.commit()
            return True
        except (BrokerError, MQError) as error:
            cause = error.root_cause() if isinstance(error, BrokerError) else error
            self.log.write("2230E", source, str(cause))
        except Exception as error:
            self.log.write("2230E", source, str(internal_error(error)))
        if unit is not None:
            try:
                unit.backout()
            except MQError:
                unit.session.is_broken = True
        return False

    # Inputs that are no queues.

    def _run_request(self, node: RuntimeNode, incoming: Incoming) -> None:
        assert isinstance(node, InputNode)
        self._in_unit(node.label, partial(_take, node, incoming))

    def _run_files(self, node: FileInput) -> None:
        directory = Path(node.text("inputDirectory"))
        wait_s = node.number("waitInterval", 5)
        problem = ""
        while not self._ended.is_set():
            try:
                for path in sorted(directory.iterdir()):
                    if self._ended.is_set():
                        return
                    if path.is_file() and wildcard_match(node.pattern, path.name) is not None:
                        incoming = Incoming(path.read_bytes())
                        incoming.source = str(path)
                        self._in_unit(node.label, partial(_take, node, incoming))
                problem = ""
            except OSError as error:
                if str(error) != problem:
                    problem = str(error)
                    self.log.write("3302W", node.label, f"{directory} cannot be read: {error}. It is tried again.")
            self._ended.wait(wait_s)

    def _run_timers(self) -> None:
        while not self._ended.is_set():
            self.state.timers_changed.clear()
            first = self.state.next_timer()
            if first is None or first[0] > time.time():
                self.state.timers_changed.wait(3600 if first is None else max(0.0, first[0] - time.time()))
                continue
            _, address, key = first
            node = self._timed_node(address)

            def due(unit: Unit, node: TimedNode | None = node, address: str = address, key: str = key) -> None:
                unit.services.cancel_timer(address, key)
                if node is not None:
                    node.due(Invocation(node.flow, unit.services), key)

            if not self._in_unit(address, due):
                self._ended.wait(_FAILED_PAUSE_S)

    def _timed_node(self, address: str) -> TimedNode | None:
        for flow in self.flows:
            for node in flow.nodes:
                if isinstance(node, TimedNode) and node.timer_address == address:
                    return node
        return None

    # Flows: what services ask for.

    def call(self, services: BrokerServices, application: str, endpoint: str, root: Element) -> Element | None:
        """Run a callable flow in the unit of work of the caller."""
        node = self._callable_node(application, endpoint)
        if node is None:
            return None
        self._call_number += 1
        identifier = b"CALL" + os.urandom(12) + self._call_number.to_bytes(8, "big")
        self._calls[identifier] = None
        try:
            node.take_call(Invocation(node.flow, services), identifier, root)
        finally:
            answer = self._calls.pop(identifier)
        if answer is None:
            raise BrokerError(
                3887, f"the callable flow {endpoint!r} ended without a CallableReply node", inserts=(endpoint,)
            )
        return answer

    def _callable_node(self, application: str, endpoint: str) -> CallableNode | None:
        for flow in self.flows:
            if application and flow.application != application:
                continue
            for node in flow.nodes:
                if isinstance(node, CallableNode) and node.endpoint == endpoint:
                    return node
        return None

    def call_answered(self, identifier: bytes, root: Element) -> bool:
        """Take the answer of a callable flow."""
        if self._calls.get(identifier, root) is not None:
            return False
        self._calls[identifier] = root
        return True

    def defer(self, deferred: Deferred) -> None:
        """Hand an answer to its response node."""
        for flow in self.flows:
            for node in flow.nodes:
                if isinstance(node, ResponseNode) and node.response_key == (deferred.kind, deferred.correlator):
                    self._in_unit(flow.name, partial(_take_response, node, deferred))
                    return

    def reply(self, reply: HttpReply) -> bool:
        """Answer an HTTP request."""
        return self.requests.answer(reply)

    def run_later(self, work: Callable[[], None]) -> None:
        """Run something in a thread of the worker."""
        self._answers.submit(work)

    # User trace.

    def write(self, node: str, destination: str, text: str) -> None:
        """Write what a Trace node says to the log."""
        if destination != "none":
            self.log.write("2539I", node, text)

    def _thread(self, name: str, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()


def is_coordinated(flow: RuntimeFlow) -> bool:
    """Return whether `coordinatedTransaction` of a flow is yes."""
    return str(flow.resolved.settings.get("coordinatedTransaction") or "").lower() in ("yes", "true")


def _take(node: InputNode, incoming: Incoming, unit: Unit) -> None:
    node.take(Invocation(node.flow, unit.services), incoming)


def _take_response(node: ResponseNode, deferred: Deferred, unit: Unit) -> None:
    node.take_response(Invocation(node.flow, unit.services), deferred)


def _copy_of(applications: LoadedApplications, owner: Any, definition: Any, told: Assignment) -> RuntimeFlow:
    """Return one more copy of a flow, with nodes of its own."""
    resolved = applications.project.resolve(definition, applications.overrides, applications.variables)
    settings = applications.settings(owner)
    settings.broker = {
        "BROKERNAME": told.broker,
        "EXECUTIONGROUPNAME": told.group,
        "EXECUTIONGROUPLABEL": told.group,
        "QUEUEMANAGERNAME": told.queue_manager,
    }
    flow = RuntimeFlow(resolved, settings, owner.name)
    flow.rest_api = owner.rest_api
    return flow


def serve(commands: TextIO, answers: TextIO) -> int:
    """Run a worker until its group ends it. Return the exit code."""
    assignment = Assignment.unpacked(commands.readline())
    path = Path(assignment.log_file) if assignment.log_file else None
    log = BrokerLog(f"{assignment.broker}.{assignment.group}", path)
    worker = Worker(assignment, log)
    try:
        worker.start()
    except MQError as error:
        log.write("2048E", "", f"the queue manager {assignment.queue_manager} cannot be reached: {error}")
        return 1
    print(json.dumps({"ready": worker.status()}), file=answers, flush=True)
    for line in commands:
        try:
            command = json.loads(line)
        except ValueError:
            continue
        if command.get("do") == "status":
            print(json.dumps({"status": worker.status()}), file=answers, flush=True)
        elif command.get("do") == "stop":
            break
    worker.stop()
    return 0


if __name__ == "__main__":
    # Ctrl-C in a terminal goes to the whole process group. The broker handles it: it ends standard input, so that
    # messages under way are finished.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(serve(sys.stdin, sys.stdout))
