"""A flow of a worker: its copies, instances and threads, started and stopped independently of other flows.

    start()    makes the copies, sets first timers, starts a thread per instance and per FileInput node
    stop()     asks the threads to end and waits: messages under way are finished

A flow with problems has no instances; `problems` says why. SHARED variables belong to all copies of one start. What a
change of the assignment means for a flow is decided by comparing signatures: the deployed content that the flow sees,
every effective property of its nodes and of itself, and the number of instances.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.broker.flow.function import LoadedApplications
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.nodes.file import FileInput, wildcard_match
from flintmq.broker.flow.nodes.inputs import Incoming
from flintmq.broker.flow.nodes.mq import MQInput
from flintmq.broker.flow.project import Project
from flintmq.broker.flow.project import load as load_project
from flintmq.broker.flow.runtime import RuntimeFlow
from flintmq.broker.flow.surroundings import SelfStarting
from flintmq.broker.runtime.instance import Instance, Peers, wait_stopped

if TYPE_CHECKING:
    from flintmq.broker.runtime.worker import FlowAssignment, Worker

#: Application and flow.
FlowKey = tuple[str, str]


class WorkerFlow:
    """One flow of a worker."""

    def __init__(
        self, worker: Worker, assigned: FlowAssignment, make: Callable[[], RuntimeFlow], signature: str = ""
    ) -> None:
        self.assigned = assigned
        self.signature = signature
        self.instances: list[Instance] = []
        #: One for each instance, the first also for timers, HTTP and files.
        self.copies: list[RuntimeFlow] = []
        self.problems: list[str] = []
        self._worker = worker
        self._make = make
        self._ended = threading.Event()
        self._threads: list[threading.Thread] = []

    @property
    def key(self) -> FlowKey:
        """Return application and flow, as they were assigned."""
        return self.assigned.application, self.assigned.flow

    @property
    def first(self) -> RuntimeFlow | None:
        """Return the copy of the flow for work without a queue (HTTP, timers); None if the flow is stopped."""
        return self.copies[0] if self.copies else None

    def start(self) -> None:
        """Make the copies and start the threads. Raise MQError if a timer cannot be set."""
        first = self._make()
        first.problems += self._worker.problems_of_data_sources(first)
        if first.problems:
            self.problems = first.problems
            for problem in first.problems:
                self._worker.log.write("2355E", first.name, f"does not start: {problem}")
            return
        self._set_first_timers(first)
        self.copies.append(first)
        for _ in range(self.assigned.instances - 1):
            copy = self._make()
            copy.deployment = first.deployment  # SHARED variables are those of the flow, not of the copy.
            self.copies.append(copy)
        peers: dict[str, Peers] = {}
        for number, flow in enumerate(self.copies):
            for node in flow.inputs:
                if isinstance(node, MQInput):
                    if node.browses and number:
                        continue  # Each instance would browse every message.
                    instance = self._worker.new_instance(flow, node, peers.setdefault(node.label, Peers(node)))
                    self.instances.append(instance)
                elif isinstance(node, FileInput) and not number:
                    thread = threading.Thread(
                        target=self._run_files, args=(node,), name=f"files {node.label}", daemon=True
                    )
                    self._threads.append(thread)
        self._worker.observing.add_flow(first, self.instances)
        for instance in self.instances:
            instance.start()
        for thread in self._threads:
            thread.start()

    def ask_to_stop(self) -> None:
        """Ask all threads to end; `wait_stopped` waits."""
        self._ended.set()
        for each in self.instances:
            each.stop()

    def wait_stopped(self, until: float) -> None:
        """Wait for the threads until a time of `time.monotonic`. Log instances that still work then."""
        self.ask_to_stop()
        for instance in wait_stopped(self.instances, max(0.0, until - time.monotonic())):
            self._worker.log.write(
                "2201W", instance.flow.name, "did not end in time; its message is backed out when the worker ends."
            )
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        for first in self.copies[:1]:
            self._worker.observing.remove_flow(first)
        self.copies = []

    def _set_first_timers(self, flow: RuntimeFlow) -> None:
        timers = [timer for node in flow.nodes if isinstance(node, SelfStarting) for timer in node.first_timers()]
        if not timers:
            return
        unit = self._worker.new_unit()
        try:
            for timer in timers:
                if not unit.services.timer_is_set(timer.address, timer.key):
                    unit.services.set_timer(timer)
            unit.commit()
        finally:
            unit.close()

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
                        self._worker.run_input(node, incoming)
                problem = ""
            except OSError as error:
                if str(error) != problem:
                    problem = str(error)
                    self._worker.log.write(
                        "3302W", node.label, f"{directory} cannot be read: {error}. It is tried again."
                    )
            self._ended.wait(wait_s)


class Content:
    """The loaded applications of an assignment.

    Sources that name their applications share one name space: a flow sees shared libraries of other sources of the
    group. A source without names is a name space of its own.
    """

    def __init__(self, sources: Iterable[dict[str, Any]]) -> None:
        self.loaded: list[tuple[frozenset[str] | None, LoadedApplications]] = []
        projects: dict[str, Project] = {}
        together = Project("group", "the group")
        self._paths: dict[int, str] = {}
        for source in sources:
            path, names = str(source["path"]), source.get("applications")
            project = projects.get(path)
            if project is None:
                project = projects[path] = load_project(path)
                together.notes += project.notes
            for each in project.applications:
                self._paths[id(each)] = path
            if names is not None:
                # A static library belongs to the application that holds it, and comes with it.
                wanted = frozenset(names)
                together.applications += [
                    each
                    for each in project.applications
                    if (each.path[0] if each.path else each.name) in wanted and each not in together.applications
                ]
                project = together
            self.loaded.append(
                (
                    None if names is None else frozenset(names),
                    LoadedApplications(project, overrides=source.get("overrides"), variables=source.get("variables")),
                )
            )

    def find(self, assigned: FlowAssignment) -> tuple[LoadedApplications, Any, Any] | None:
        """Return where a flow is: applications, owner, definition; None if no source has it."""
        for names, applications in self.loaded:
            if names is not None and assigned.application and assigned.application not in names:
                continue
            try:
                owner, definition = applications.project.flow(assigned.flow, assigned.application)
            except FlowFileError:
                continue
            return applications, owner, definition
        return None

    def make(
        self, assigned: FlowAssignment, copy: Callable[[LoadedApplications, Any, Any], RuntimeFlow]
    ) -> tuple[Callable[[], RuntimeFlow], str] | None:
        """Return a function that makes a copy of a flow, and the signature of the flow; None if no source has it."""
        found = self.find(assigned)
        if found is None:
            return None
        applications, owner, definition = found
        resolved = applications.project.resolve(definition, applications.overrides, applications.variables)
        scope = applications.project.scope(owner).applications()
        parts: list[object] = [
            sorted(self._paths.get(id(each), "") for each in scope),
            sorted(applications.variables.items()),
            sorted(resolved.settings.items()),
            [[node.label, node.definition.type, sorted(node.properties.items())] for node in resolved.nodes()],
            sorted((each.name, each.value) for each in resolved.root.user_properties().values()),
            assigned.instances,
        ]
        signature = sha256(json.dumps(parts, default=str).encode()).hexdigest()
        return partial(copy, applications, owner, definition), signature
