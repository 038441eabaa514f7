"""An execution group: its worker processes, started, watched, restarted and stopped.

A worker that ends by itself is started again: at once, then after 0.2, 1 and 5 seconds, until it has run for a minute.
Its unit of work was backed out by the queue manager when its connection ended (R2). A group that stops asks its workers
to finish; one that does not end within STOP_S is killed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import Any, Final

from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.worker import STOP_S, Assignment, FlowAssignment

_DELAYS_S: Final = (0.0, 0.2, 1.0, 5.0)
_STEADY_S: Final = 60.0
_READY_S: Final = 120.0


class WorkerProcess:
    """One worker, seen by its group."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.ready = threading.Event()
        self.status: dict[str, Any] = {}
        self._status_changed = threading.Condition()
        self._status_number = 0
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "flintmq.broker.runtime.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self.started = time.monotonic()
        self._tell(assignment.packed())
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self.process.pid

    def _tell(self, line: str) -> bool:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            return True
        except (OSError, ValueError):
            return False

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                said = json.loads(line)
            except ValueError:
                continue  # A program that a flow calls may print.
            if not isinstance(said, dict):
                continue
            with self._status_changed:
                self.status = said.get("ready") or said.get("status") or self.status
                self._status_number += 1
                self._status_changed.notify_all()
            if "ready" in said:
                self.ready.set()

    def ask_status(self, timeout_s: float = 5.0) -> dict[str, Any]:
        """Return the status as it is now, or the last one if the worker does not answer in time."""
        with self._status_changed:
            number = self._status_number
            if self._tell('{"do": "status"}'):
                self._status_changed.wait_for(lambda: self._status_number > number, timeout_s)
            return self.status

    def end(self, timeout_s: float = STOP_S + 5) -> None:
        """Ask the worker to stop, and wait; kill it if it does not."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class ExecutionGroup:
    """The workers of one group."""

    def __init__(self, base: Assignment, placements: list[list[FlowAssignment]], log: BrokerLog) -> None:
        self.name = base.group
        self.base = base
        self.placements = placements
        self.workers: list[WorkerProcess] = []
        self.restarts = 0
        self._log = log
        self._stopping = threading.Event()
        self._watchers: list[threading.Thread] = []
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the workers; `wait_ready` waits until they run."""
        for number, flows in enumerate(self.placements):
            # Only the first worker listens: flows with HTTP input are all there.
            port = self.base.http_port if number == 0 else -1
            assignment = replace(self.base, worker=number, flows=flows, http_port=port)
            self.workers.append(WorkerProcess(assignment))
            watcher = threading.Thread(target=self._watch, args=(number,), name=f"watch {number}", daemon=True)
            self._watchers.append(watcher)
            watcher.start()

    def wait_ready(self, timeout_s: float = _READY_S) -> bool:
        """Wait until every worker has started its flows; return whether they have."""
        end = time.monotonic() + timeout_s
        for number in range(len(self.workers)):
            while not self.workers[number].ready.wait(0.05):
                if time.monotonic() > end or self._stopping.is_set():
                    return False
        return True

    def _watch(self, number: int) -> None:
        failures = 0
        while True:
            worker = self.workers[number]
            code = worker.process.wait()
            if self._stopping.is_set():
                return
            failures = 0 if time.monotonic() - worker.started > _STEADY_S else failures + 1
            delay = _DELAYS_S[min(failures, len(_DELAYS_S)) - 1] if failures else 0.0
            self._log.write("2060W", self.name, f"worker {number} has ended with {code}; it is started again.")
            if self._stopping.wait(delay):
                return
            with self._lock:
                if self._stopping.is_set():
                    return
                self.restarts += 1
                self.workers[number] = WorkerProcess(worker.assignment)

    def status(self) -> list[dict[str, Any]]:
        """Return the status of each worker."""
        return [worker.ask_status() for worker in self.workers]

    def stop(self) -> None:
        """Stop all workers."""
        with self._lock:
            self._stopping.set()
        enders = [threading.Thread(target=worker.end) for worker in self.workers]
        for ender in enders:
            ender.start()
        for thread in [*enders, *self._watchers]:
            thread.join()
