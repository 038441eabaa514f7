"""A worker: the process that runs instances of flows for an execution group.

    python -m flintmq.broker.runtime.worker        the assignment is one line of JSON on standard input

The worker answers with lines of JSON on standard output: `ready` once every flow has started or been refused, then an
answer to each command. Further lines on standard input are commands (commands.py has the table); {"do": "stop"} ends
the worker. When standard input ends, the group is gone, and the worker ends, too: it finishes the messages it works on,
at most STOP_S seconds.

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
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, TextIO

from flintmq.broker.errors import BrokerError, internal_error
from flintmq.broker.flow.engine import Invocation, RuntimeNode
from flintmq.broker.flow.function import LoadedApplications
from flintmq.broker.flow.nodes.http import HTTPInput
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode
from flintmq.broker.flow.nodes.mq import MQInput
from flintmq.broker.flow.nodes.publication import PublicationNode
from flintmq.broker.flow.runtime import RuntimeFlow
from flintmq.broker.flow.services import Deferred, HttpReply
from flintmq.broker.flow.state import TimedNode
from flintmq.broker.flow.surroundings import CallableNode, ResponseNode
from flintmq.broker.runtime import commands as _commands
from flintmq.broker.runtime import transactions as _transactions
from flintmq.broker.runtime.content_filters import ContentFilters
from flintmq.broker.runtime.coordination import Coordinator, Member
from flintmq.broker.runtime.data_sources import InstanceSources, missing_source, read_settings
from flintmq.broker.runtime.decisions import Branches, QueueDecisions, create_queue, queue_manager_id
from flintmq.broker.runtime.http_listener import Listener, Requests
from flintmq.broker.runtime.instance import Instance, Peers, UnitOfWork
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.observer import CalledUnit
from flintmq.broker.runtime.observing import Observing
from flintmq.broker.runtime.queue_session import CACHE_SIZE, QueueSession
from flintmq.broker.runtime.recovery import Recovery
from flintmq.broker.runtime.services import BrokerServices
from flintmq.broker.runtime.state_queue import StateQueue
from flintmq.broker.runtime.statistics.record import Place
from flintmq.broker.runtime.unit import Unit
from flintmq.broker.runtime.user_trace import trace_text
from flintmq.broker.runtime.worker_flow import Content, FlowKey, WorkerFlow
from flintmq.broker.tree.element import Element
from flintmq.mqi.call_errors import MQError, UnknownObject
from flintmq.mqi.content_filter import FILTER_QUEUE

assert _transactions  # Its commands are registered.
#: How long a worker may take to finish what it works on.
STOP_S: Final = 30.0
#: How often recovery looks for transactions that a crash left in databases; and if it knows of some.
RECOVERY_S: Final = 20.0
RECOVERY_SOON_S: Final = 1.0
#: Numbers of workers whose branches the first worker resolves if the group has fewer: it may have had them before.
WORKERS_MAX: Final = 256
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
    #: Directories and BAR files: path, overrides (`Flow#Node.property`), variables, and names of applications if only
    #: some of them are meant (worker_flow.py).
    sources: list[dict[str, Any]] = field(default_factory=list)
    flows: list[FlowAssignment] = field(default_factory=list)
    data_sources: dict[str, dict[str, Any]] = field(default_factory=dict)
    http_host: str = "127.0.0.1"
    #: -1: no listener.
    http_port: int = -1
    cache_size: int = CACHE_SIZE
    log_file: str = ""
    #: How many workers the group has.
    workers: int = 1
    #: Settings of statistics, monitoring and trace, by object: "" is the group, "Application/Flow" a flow.
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: Where files of statistics and the user trace go; empty for nowhere.
    directory: str = ""
    #: Policies of the group: project, name, type, properties.
    policies: list[dict[str, Any]] = field(default_factory=list)

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
        return cls.from_json(json.loads(text))

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Assignment:
        """Return an assignment from the fields that `packed` wrote."""
        given = dict(given)
        given["flows"] = [FlowAssignment(**each) for each in given["flows"]]
        return cls(**given)


class Worker:
    """Flows, threads and connections of one process. `Flows` for the services of its instances."""

    #: Called at each step of a two-phase commit (coordination.STEPS). Tools that end processes there set it.
    observe: ClassVar[Callable[[str], None] | None] = None

    def __init__(self, assignment: Assignment, log: BrokerLog) -> None:
        self.assignment = assignment
        self.log = log
        self.state = StateQueue(assignment.state_queue)
        self.requests = Requests()
        self.observing = Observing(
            assignment.settings, Place(assignment.broker, assignment.group), log, assignment.directory
        )
        #: Flows that are started, those with problems too.
        self.running: dict[FlowKey, WorkerFlow] = {}
        #: Flows that no source has.
        self._missing: dict[str, list[str]] = {}
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
        self._content = Content(())
        #: The content filters of publish/subscribe; None if this worker has nothing to do with them.
        self.content_filters: ContentFilters | None = None

    # Life.

    def start(self) -> None:
        """Load and start everything. Raise MQError if the queue manager cannot be reached."""
        import flintmq

        told = self.assignment
        self._manager = flintmq.connect(told.queue_manager, **told.connect)
        try:
            self._manager.queue(told.state_queue)
        except UnknownObject:
            try:
                self._manager.queue(told.state_queue, create=True, defpsist="YES")
            except MQError:
                self._manager.queue(told.state_queue)  # Another worker of the group may have been faster.
        unit = self.new_unit()
        try:
            for line in self.state.load(unit.session):
                self.log.write("2090W", "", line)
        finally:
            unit.close()
        if self._sources:
            self._recover()
        self._content = Content(told.sources)
        self._start_missing()
        self._thread("timers", self._run_timers)

    def release(self, assignment: Assignment) -> None:
        """Stop the flows that another assignment changes or does not have. Messages under way are finished."""
        self._content = Content(assignment.sources)
        wanted = {(each.application, each.flow): each for each in assignment.flows}
        stopping = []
        for key, flow in list(self.running.items()):
            made = None
            if key in wanted:
                made = self._content.make(wanted[key], partial(_copy_of, assignment))
            if made is None or made[1] != flow.signature:
                stopping.append(self.running.pop(key))
        self._serve_requests()
        for flow in stopping:
            flow.ask_to_stop()
        until = time.monotonic() + STOP_S
        for flow in stopping:
            flow.wait_stopped(until)

    def assign(self, assignment: Assignment) -> None:
        """Apply a new assignment: stop, start and keep flows. Raise MQError, BrokerError.

        Queue manager, data sources and the HTTP address are those of the start: a group that changes them starts new
        workers.
        """
        self.release(assignment)
        self.assignment = assignment
        self.observing.change(assignment.settings)
        if self._recovery is not None:
            self._recovery.adopt(self._adopted())
        self._start_missing()

    def _start_missing(self) -> None:
        """Start the flows of the assignment that do not run."""
        self._missing = {}
        for assigned in self.assignment.flows:
            key = (assigned.application, assigned.flow)
            if key in self.running:
                continue
            made = self._content.make(assigned, partial(_copy_of, self.assignment))
            if made is None:
                self._missing[assigned.flow] = [f"there is no flow {assigned.flow} in what is deployed"]
                continue
            flow = self.running[key] = WorkerFlow(self, assigned, *made)
            flow.start()
        self._serve_requests()
        self._serve_filters()
        self.state.timers_changed.set()

    def _serve_filters(self) -> None:
        """Evaluate content filters if a flow of this worker publishes, or a broker has done it before."""
        if self.content_filters is not None:
            return
        publishing = [flow for flow in self.flows if any(isinstance(node, PublicationNode) for node in flow.nodes)]
        if not publishing and (self.assignment.worker or not self._has_filter_queue()):
            return
        models = publishing[0].models if publishing else None
        self.content_filters = ContentFilters(self._manager, lambda: self.new_unit().session, self.log, models)
        self.content_filters.start()

    def _has_filter_queue(self) -> bool:
        try:
            self._manager.queue(FILTER_QUEUE)
        except MQError:
            return False
        return True

    @property
    def instances(self) -> list[Instance]:
        """Return the instances of all flows."""
        return [instance for flow in self.running.values() for instance in flow.instances]

    @property
    def flows(self) -> list[RuntimeFlow]:
        """Return the first copy of each flow that runs."""
        return [flow.first for flow in list(self.running.values()) if flow.first is not None]

    @property
    def problems(self) -> dict[str, list[str]]:
        """Return the flows that do not run, and why."""
        return self._missing | {flow.assigned.flow: flow.problems for flow in self.running.values() if flow.problems}

    def settings_of(self, application: str = "", flow: str = "") -> dict[str, Any]:
        """Return the settings of a flow: those of the group, with those of the flow in front of them."""
        given = self.assignment.settings
        return {**given.get("", {}), **(given.get(f"{application}/{flow}", {}) if flow else {})}

    def new_instance(self, flow: RuntimeFlow, node: MQInput, peers: Peers) -> Instance:
        """Return an instance of a flow, not started yet. `peers` is the shared state of the node's instances."""
        return Instance(flow, node, self.units_of(flow.name, is_coordinated(flow)), self.log, peers)

    def _recover(self) -> None:
        """Finish transactions with databases that a crash left, now and by a timer, before flows start."""
        create_queue(self._manager)
        self._queue_manager_id = queue_manager_id(self._manager)
        told = self.assignment
        member = Member(self._queue_manager_id, told.broker, self._owner())
        self._recovery = Recovery(member, self._sources, self._branches, self._decision_log)
        self._recovery.adopt(self._adopted())
        self._recovery.start()
        self._thread("recovery", self._run_recovery)

    def problems_of_data_sources(self, flow: RuntimeFlow) -> list[str]:
        """Return why a flow cannot start with the data sources that it names, a line each.

        A coordinated flow needs all of them, and each must be able to prepare. Another flow starts without one: a
        message that does not use it succeeds. The log names it.
        """
        names = flow.data_sources()
        if not is_coordinated(flow):
            for name in names:
                if name not in self._sources:
                    self.log.write("2321W", flow.name, missing_source(name))
            return []
        found = []
        for name in names:
            if name not in self._sources or self._recovery is None:
                found.append(missing_source(name))
                continue
            try:
                self._recovery.check([name])
            except BrokerError as error:
                found.append(str(error))
        return found

    @property
    def recovery(self) -> Recovery | None:
        """Return the recovery of coordinated transactions; None without data sources."""
        return self._recovery

    def _adopted(self) -> list[str]:
        """Return the owners of branches that workers of the group had which it has no more; the first adopts them."""
        told = self.assignment
        return [self._owner(number) for number in range(told.workers, WORKERS_MAX)] if told.worker == 0 else []

    def _decision_log(self) -> QueueDecisions:
        return QueueDecisions(self._manager.connect())

    def _run_recovery(self) -> None:
        assert self._recovery is not None
        work, pause_s = self._branches.work, RECOVERY_S
        while True:
            if work.wait(pause_s):
                pause_s = RECOVERY_SOON_S
                self._ended.wait(pause_s)  # The database or the connection has just failed.
                work.clear()  # Before the round: a branch that is left during it makes another one.
            if self._ended.is_set():
                break
            try:
                complete = self._recovery.run_once().complete
            except (MQError, BrokerError) as error:
                complete = False
                self.log.write("2048W", "", f"recovery of databases will be tried again: {error}")
            pause_s = RECOVERY_S if complete else min(max(pause_s, RECOVERY_SOON_S) * 2, RECOVERY_S / 2)
        self._recovery.close()

    def _serve_requests(self) -> None:
        """Serve the HTTP nodes of running flows; start the listener for the first of them."""
        inputs: list[RuntimeNode] = [node for flow in self.flows for node in flow.inputs if isinstance(node, HTTPInput)]
        if self.listener is not None:
            self.listener.inputs = inputs
        elif inputs and self.assignment.http_port >= 0:
            self._start_listener(inputs)

    def _start_listener(self, inputs: list[RuntimeNode]) -> None:
        told = self.assignment
        number = iter(range(1, sys.maxsize))
        unique = os.urandom(12)
        try:
            self.listener = Listener(
                told.http_host,
                told.http_port,
                inputs,
                self.requests,
                self.run_input,
                lambda: b"EVHT" + unique + next(number).to_bytes(8, "big"),
            )
        except OSError as error:
            self.log.write("3132E", "", f"the HTTP listener cannot use {told.http_host}:{told.http_port}: {error}")
            return
        self.listener.start()
        self.log.write("3132I", "", f"The HTTP listener has started on {told.http_host}:{self.listener.port}.")

    def stop(self) -> None:
        """Finish the message at work and disconnect."""
        self._ended.set()
        self._branches.work.set()
        self.state.timers_changed.set()
        if self.listener is not None:
            self.listener.close()
        if self.content_filters is not None:
            self.content_filters.stop()
        flows = list(self.running.values())
        for flow in flows:
            flow.ask_to_stop()
        until = time.monotonic() + STOP_S
        for flow in flows:
            flow.wait_stopped(until)
        self._answers.shutdown(wait=False, cancel_futures=True)
        for thread in self._threads:
            thread.join(5)
        if self._manager is not None:
            self._manager.close()

    def obey(self, request: object) -> dict[str, Any]:
        """Run a command of the group and return its answer (commands.py)."""
        return _commands.obey(self, request)

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
        commit after its answer was lost with the connection before.
        """
        if not self._sources:
            return self.new_unit
        member = Member(self._queue_manager_id, self.assignment.broker, self._owner(), flow, coordinated)
        sources = InstanceSources(self._sources, self._application())
        return partial(self.new_unit, Coordinator(member, sources, self._branches, type(self).observe))

    def new_unit(self, coordinator: Coordinator | None = None) -> Unit:
        """Return a connection with its unit of work. Raise MQError."""
        session = QueueSession(self._manager, self._application(), self.assignment.cache_size)
        if coordinator is None:
            return Unit(session, self, self.state, self)
        return Unit(session, self, self.state, self, coordinator, QueueDecisions(session.connection))

    def _application(self) -> str:
        return f"{self.assignment.broker}.{self.assignment.group}"[:28]

    def _owner(self, number: int | None = None) -> str:
        """Return the owner of branches in databases, of this worker or of another number. Workers are owners of their
        own: recovery of one fences its dead predecessor, never its neighbour.
        """
        return f"{self.assignment.group}.{self.assignment.worker if number is None else number}"

    def _thread_unit(self) -> Unit:
        """Return the unit of this thread; a new one if its connection is broken."""
        unit: Unit | None = getattr(self._units, "unit", None)
        if unit is None:
            self._units.connect = self.units_of("", False)
        if unit is None or unit.session.is_broken:
            unit = self._units.unit = self._units.connect()
        return unit

    def _in_unit(self, source: str, work: Callable[[Unit], None]) -> bool:
        """Run something in a unit of work of this thread; return whether it was committed. Log failures."""
        unit: UnitOfWork | None = None
        try:
            unit = self._thread_unit()
            work(unit)
            unit.commit()
            return True
        except (BrokerError, MQError) as error:
            cause: Exception = error.root_cause() if isinstance(error, BrokerError) else error
        except Exception as error:
            cause = internal_error(error)
        self.log.write("2230E", source, str(cause))
        if unit is not None:
            if unit.observer is not None:
                unit.observer.failed(cause)
            try:
                unit.backout()
            except MQError:
                unit.session.is_broken = True
        return False

    # Inputs that are no queues.

    def _invocation(self, unit: Unit, node: Any, incoming: Incoming | None = None) -> Invocation:
        made = Invocation(node.flow, unit.services)
        observer = self.observing.lease(node.flow)
        if observer is not None:
            observer.begin(unit, made, node, incoming)
        return made

    def _take(self, node: InputNode, incoming: Incoming, unit: Unit) -> None:
        node.take(self._invocation(unit, node, incoming), incoming)

    def _take_response(self, node: ResponseNode, deferred: Deferred, unit: Unit) -> None:
        node.take_response(self._invocation(unit, node), deferred)

    def run_input(self, node: RuntimeNode, incoming: Incoming) -> None:
        """Send something that no queue holds through its flow, in a unit of work of this thread."""
        assert isinstance(node, InputNode)
        self._in_unit(node.label, partial(self._take, node, incoming))

    def _run_timers(self) -> None:
        while not self._ended.is_set():
            self.state.timers_changed.clear()
            known = {node.timer_address for flow in self.flows for node in flow.nodes if isinstance(node, TimedNode)}
            first = self.state.next_timer(known)
            if first is None or first[0] > time.time():
                self.state.timers_changed.wait(3600 if first is None else max(0.0, first[0] - time.time()))
                continue
            _, address, key = first
            node = self._timed_node(address)

            def due(unit: Unit, node: TimedNode | None = node, address: str = address, key: str = key) -> None:
                unit.services.cancel_timer(address, key)
                if node is not None:
                    node.due(self._invocation(unit, node), key)

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
            self._take_call(node, services, identifier, root)
        finally:
            answer = self._calls.pop(identifier)
        if answer is None:
            raise BrokerError(
                3887, f"the callable flow {endpoint!r} ended without a CallableReply node", inserts=(endpoint,)
            )
        return answer

    def _take_call(self, node: Any, services: BrokerServices, identifier: bytes, root: Element) -> None:
        invocation = Invocation(node.flow, services)
        observer = self.observing.lease(node.flow)
        if observer is None:
            node.take_call(invocation, identifier, root)
            return
        # The unit of work is that of the caller: for the statistics of this flow, the call is all there is to end.
        called = CalledUnit(services.session)
        observer.begin(called, invocation, node, None)
        try:
            node.take_call(invocation, identifier, root)
        except BrokerError as error:
            observer.failed(error)
            observer.end(called, False)
            raise
        observer.finish(called)
        observer.end(called, True)

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
                    self._in_unit(flow.name, partial(self._take_response, node, deferred))
                    return

    def reply(self, reply: HttpReply) -> bool:
        """Answer an HTTP request."""
        return self.requests.answer(reply)

    def run_later(self, work: Callable[[], None]) -> None:
        """Run something in a thread of the worker."""
        self._answers.submit(work)

    # User trace.

    def write(self, node: str, destination: str, text: str) -> None:
        """Write the text of a Trace node to the user trace, or to the log if that is off or not the destination."""
        if destination == "none":
            return
        if destination != "userTrace" or not trace_text(node, text):
            self.log.write("2539I", node, text)

    def _thread(self, name: str, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()


def is_coordinated(flow: RuntimeFlow) -> bool:
    """Return whether `coordinatedTransaction` of a flow is yes."""
    return str(flow.resolved.settings.get("coordinatedTransaction") or "").lower() in ("yes", "true")


def _copy_of(told: Assignment, applications: LoadedApplications, owner: Any, definition: Any) -> RuntimeFlow:
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
            request = json.loads(line)
        except ValueError:
            continue
        if isinstance(request, dict) and request.get("do") == "stop":
            break
        print(json.dumps(worker.obey(request)), file=answers, flush=True)
    worker.stop()
    print(json.dumps({"last": {"statistics": worker.observing.take_statistics()}}), file=answers, flush=True)
    return 0


def main() -> None:
    """Be a worker, and end when it has ended, even if a thread that nobody can stop still runs.

    Python waits for the threads of an executor before it exits. One that calls a flow without an end would keep the
    worker of a broker that was killed for ever.
    """
    # Ctrl-C in a terminal goes to the whole process group. The broker handles it: it ends standard input, so that
    # messages under way are finished.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = 1
    try:
        code = serve(sys.stdin, sys.stdout)
    except Exception:
        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
