"""`flint broker run DIR`: a broker with one execution group and one directory, in the foreground, for development.

Every flow of the directory (or BAR) starts. When a file changes, the group stops, loads again and starts; a directory
that cannot be loaded is reported, and the next change is waited for. Ctrl-C finishes the messages that are worked on.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from flintmq.broker.flow.function import LoadedApplications, load
from flintmq.broker.runtime.group import ExecutionGroup
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.placement import FlowPlan, place, plan_of
from flintmq.broker.runtime.worker import Assignment
from flintmq.mqi.call_errors import MQError

LOOK_S: Final = 0.5
_QUEUE_PROPERTIES: Final = {
    "ComIbmMQInput.msgnode": "queueName",
    "ComIbmMQOutput.msgnode": "queueName",
    "ComIbmMQGet.msgnode": "queueName",
}


def stamps(path: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of each file of a directory, or of a BAR: they change when it is written."""
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    found: dict[str, tuple[int, int]] = {}
    for each in files:
        if "__pycache__" in each.parts or each.name.endswith((".pyc", "~", ".swp")):
            continue
        try:
            stat = each.stat()
        except OSError:
            continue
        found[str(each)] = (stat.st_size, stat.st_mtime_ns)
    return found


def plans(loaded: LoadedApplications) -> list[FlowPlan]:
    """Return the plans of all flows."""
    return [plan_of(loaded, owner, definition) for owner, definition in loaded.project.flows()]


def queues_of(loaded: LoadedApplications) -> list[str]:
    """Return the queues that MQ nodes of the flows name."""
    found: dict[str, None] = {}
    for _, definition in loaded.project.flows():
        for node in loaded.project.resolve(definition, loaded.overrides, loaded.variables).nodes():
            name = node.properties.get(_QUEUE_PROPERTIES.get(node.definition.type, ""), "")
            manager = node.properties.get("queueManagerName", "")
            if name and not manager:
                found[name] = None
    return list(found)


class Foreground:
    """One group that follows a directory."""

    def __init__(
        self,
        path: Path,
        queue_manager: str,
        connect: dict[str, Any],
        *,
        name: str = "FLINTMQ",
        group: str = "default",
        overrides: dict[str, str] | None = None,
        data_sources: dict[str, dict[str, Any]] | None = None,
        http_host: str = "127.0.0.1",
        http_port: int = 7800,
        workers: int = 0,
        create_queues: bool = False,
        settings: dict[str, dict[str, Any]] | None = None,
        directory: str = "",
        log: BrokerLog | None = None,
    ) -> None:
        self.path = path
        self.base = Assignment(
            name,
            group,
            0,
            queue_manager,
            connect,
            [{"path": str(path), "overrides": overrides}],
            data_sources=data_sources or {},
            http_host=http_host,
            http_port=http_port,
            settings=settings or {},
            directory=directory,
        )
        self.overrides = overrides
        self.workers = workers or os.cpu_count() or 1
        self.create_queues = create_queues
        self.log = log or BrokerLog(name)
        self.group: ExecutionGroup | None = None
        self._ended = threading.Event()

    def start(self) -> bool:
        """Load and start; return whether there is anything that runs. Problems go to the log."""
        try:
            loaded = load(self.path, overrides=self.overrides)
            found = plans(loaded)
        except (OSError, ValueError) as error:
            self.log.write("2087E", "", f"{self.path} cannot be deployed: {error}")
            return False
        for note in loaded.notes:
            self.log.write("2087W", "", note)
        for problem in loaded.esql_problems:
            self.log.write("2432E", "", str(problem))
        if not found:
            self.log.write("2087E", "", f"{self.path} has no message flow")
            return False
        if self.create_queues:
            self._create_queues(queues_of(loaded))
        self.group = ExecutionGroup(self.base, place(found, self.workers), self.log)
        self.group.start()
        if not self.group.wait_ready():
            return not self._ended.is_set()
        for status in self.group.status():
            for each in status.get("instances", []):
                self.log.write("2154I", each["flow"], f"Message flow has started; it reads from {each['queue']}.")
        return True

    def _create_queues(self, names: list[str]) -> None:
        import flintmq

        try:
            with flintmq.connect(self.base.queue_manager, **self.base.connect) as manager:
                for name in names:
                    manager.queue(name, create=True)
        except MQError as error:
            self.log.write("2048E", "", f"queues cannot be created: {error}")

    def run(self, told: Callable[[], None] | None = None) -> None:
        """Start, and follow the directory until `end`. `told` is called after every start."""
        while not self._ended.is_set():
            before = stamps(self.path)
            self.start()
            if told is not None:
                told()
            while not self._ended.wait(LOOK_S):
                if stamps(self.path) != before:
                    self.log.write("2087I", "", f"{self.path} has changed; the group starts anew.")
                    break
            self.stop()

    def stop(self) -> None:
        """Stop the group."""
        if self.group is not None:
            self.group.stop()
            self.group = None

    def end(self) -> None:
        """Make `run` return."""
        self._ended.set()
