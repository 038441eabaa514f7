"""An execution group: its worker processes, started, watched, restarted and stopped.

A worker that ends by itself is started again: at once, then after 0.2, 1 and 5 seconds, until it has run for a minute.
Its unit of work was backed out by the queue manager when its connection ended (R2). A group that stops asks its workers
to finish; one that does not end within STOP_S is killed.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, ClassVar, Final

from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.statistics.group import GroupStatistics
from flintmq.broker.runtime.worker import STOP_S, Assignment, FlowAssignment

_DELAYS_S: Final = (0.0, 0.2, 1.0, 5.0)
_STEADY_S: Final = 60.0
_READY_S: Final = 120.0


#: How long a worker that still starts may take to end: it may wait for a queue manager or a database.
STARTING_STOP_S: Final = 2.0
#: How long a worker may take to answer a command.
ANSWER_S: Final = 30.0


class WorkerError(Exception):
    """A worker has refused a command, has not answered it in time, or has ended."""


class WorkerProcess:
    """One worker, seen by its group."""

    #: The program of a worker. Tools that end workers at a certain step set another one.
    command: ClassVar[list[str]] = [sys.executable, "-P", "-m", "flintmq.broker.runtime.worker"]

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.ready = threading.Event()
        #: The group has no more use for it: its end is no failure.
        self.retired = False
        self.status: dict[str, Any] = {}
        self._writing = threading.Lock()
        self._answered = threading.Condition()
        #: Answers that are waited for, by request number; None until they come.
        self._answers: dict[int, dict[str, Any] | None] = {}
        self._request_number = 0
        self._ended = False
        #: The last report of a worker that ended in order.
        self.last: dict[str, Any] = {}
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self.process.stdin is not None
        # A worker that hangs must not hang its group: what does not fit into the pipe waits with a limit (_tell).
        os.set_blocking(self.process.stdin.fileno(), False)
        self.started = time.monotonic()
        self._tell(assignment.packed())
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self.process.pid

    def _tell(self, line: str, timeout_s: float = ANSWER_S) -> bool:
        """Write a line. A worker that reads only a part of it in time is killed: that part cannot be taken back."""
        assert self.process.stdin is not None
        if not self._writing.acquire(timeout=timeout_s):
            return False
        try:
            data = f"{line}\n".encode()
            written, until = 0, time.monotonic() + timeout_s
            descriptor = self.process.stdin.fileno()
            room = select.poll()
            room.register(descriptor, select.POLLOUT)
            while written < len(data):
                left = until - time.monotonic()
                if left <= 0 or not room.poll(left * 1000):
                    if written:
                        self.process.kill()
                    return False
                with suppress(BlockingIOError):
                    written += os.write(descriptor, data[written : written + select.PIPE_BUF])
            return True
        except (OSError, ValueError):
            return False
        finally:
            self._writing.release()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                said = json.loads(line)
            except ValueError:
                continue  # A program that a flow calls may print.
            if not isinstance(said, dict):
                continue
            if isinstance(said.get("ready"), dict):
                self.status = said["ready"]
                self.ready.set()
                continue
            if isinstance(said.get("last"), dict):
                self.last = said["last"]
                continue
            number = said.get("answer")
            with self._answered:
                if isinstance(number, int) and number in self._answers:
                    self._answers[number] = said
                    self._answered.notify_all()
        with self._answered:
            self._ended = True
            self._answered.notify_all()

    def ask(self, do: str, timeout_s: float = ANSWER_S, **details: Any) -> Any:
        """Send a command and return its result. Raise WorkerError: refused, ended, or no answer in time."""
        with self._answered:
            self._request_number += 1
            number = self._request_number
            self._answers[number] = None
        try:
            if not self._tell(json.dumps({"do": do, "number": number, **details}), timeout_s):
                raise WorkerError(
                    f"worker {self.assignment.worker} of {self.assignment.group} has ended, or does not read commands"
                )
            with self._answered:
                self._answered.wait_for(lambda: self._answers[number] is not None or self._ended, timeout_s)
                answer = self._answers[number]
        finally:
            with self._answered:
                del self._answers[number]
        if answer is None:
            why = "has ended" if self._ended else f"has not answered {do!r} within {timeout_s:g} s"
            raise WorkerError(f"worker {self.assignment.worker} of {self.assignment.group} {why}")
        if "error" in answer:
            raise WorkerError(str(answer["error"]))
        return answer.get("result")

    def ask_status(self, timeout_s: float = 5.0) -> dict[str, Any]:
        """Return the status as it is now, or the last one if the worker does not answer in time."""
        try:
            self.status = self.ask("status", timeout_s)
        except WorkerError:
            pass
        return self.status

    def end(self, timeout_s: float = STOP_S + 5) -> None:
        """Ask the worker to stop, wait, and kill it after the time limit. A starting worker has no work to finish."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(timeout_s if self.ready.is_set() else STARTING_STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(5)


def _connection(base: Assignment) -> tuple[object, ...]:
    """Return the settings that a worker takes from its first assignment only."""
    return base.queue_manager, base.connect, base.data_sources, base.http_host, base.http_port, base.log_file


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
        self.statistics = GroupStatistics(self, log)

    def start(self) -> None:
        """Start the workers; `wait_ready` waits until they run."""
        with self._lock:
            for assignment in self._assignments():
                self._add_worker(assignment)
        self.statistics.start()

    def _end(self, worker: WorkerProcess) -> None:
        worker.end()
        self.statistics.add(worker.assignment.worker, worker.last)

    def _assignments(self) -> list[Assignment]:
        # Only the first worker listens: flows with HTTP input are all there.
        return [
            replace(
                self.base,
                worker=number,
                flows=flows,
                http_port=self.base.http_port if number == 0 else -1,
                workers=len(self.placements),
            )
            for number, flows in enumerate(self.placements)
        ]

    def _add_worker(self, assignment: Assignment) -> None:
        self.workers.append(WorkerProcess(assignment))
        self._watch_worker(assignment.worker)

    def _watch_worker(self, number: int) -> None:
        watcher = threading.Thread(
            target=self._watch, args=(number, self.workers[number]), name=f"watch {number}", daemon=True
        )
        self._watchers = [each for each in self._watchers if each.is_alive()]
        self._watchers.append(watcher)
        watcher.start()

    def assign(self, base: Assignment, placements: list[list[FlowAssignment]]) -> list[str]:
        """Apply a new assignment in all workers; return one line for each flow that did not start.

        First all workers stop the flows that change: their messages under way are finished, and no message meets two
        versions of a flow. Then the new flows start. Flows that do not change go on. Workers that are no longer needed
        end. A worker that does not obey is killed; the new one has the new assignment.
        """
        try:
            return self._assign(base, placements)
        finally:
            self.statistics.assigned()

    def _assign(self, base: Assignment, placements: list[list[FlowAssignment]]) -> list[str]:
        self.statistics.assigning()
        if _connection(base) != _connection(self.base):
            self._renew(base, placements)
            return []
        with self._lock:
            self.base, self.placements = base, placements
            assignments = self._assignments()
            surplus, self.workers = self.workers[len(assignments) :], self.workers[: len(assignments)]
            old = list(zip(self.workers, assignments, strict=False))
            for worker in surplus:
                worker.retired = True
            for worker, assignment in old:
                worker.assignment = assignment  # If it ends now, the next one has it.
        enders = [threading.Thread(target=self._end, args=(worker,)) for worker in surplus]
        for ender in enders:
            ender.start()
        problems = self._order(old, "release")
        for ender in enders:
            ender.join()
        problems += self._order(old, "assign")
        with self._lock:
            if not self._stopping.is_set():
                for assignment in assignments[len(old) :]:
                    self._add_worker(assignment)
        return problems

    def _order(self, workers: list[tuple[WorkerProcess, Assignment]], do: str) -> list[str]:
        """Send a command with its assignment to all workers in parallel; return their errors."""
        problems: list[str] = []

        def send(worker: WorkerProcess, assignment: Assignment) -> None:
            if not worker.ready.is_set():
                self._replace(worker)
                return
            try:
                worker.status = worker.ask(do, STOP_S + ANSWER_S, assignment=asdict(assignment))
            except WorkerError as error:
                problems.append(str(error))
                self._log.write("2060W", self.name, f"worker {assignment.worker} is started anew: {error}")
                worker.process.kill()

        threads = [threading.Thread(target=send, args=each) for each in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return problems

    def _replace(self, worker: WorkerProcess) -> None:
        """Put a new process in the place of one that still starts with an assignment of before."""
        with self._lock:
            number = worker.assignment.worker
            if self._stopping.is_set() or worker.retired or self.workers[number] is not worker:
                return
            worker.retired = True
            self.workers[number] = WorkerProcess(worker.assignment)
            self._watch_worker(number)
        worker.process.kill()

    def _renew(self, base: Assignment, placements: list[list[FlowAssignment]]) -> None:
        """End all workers and start others: they connect anew."""
        with self._lock:
            old, self.workers = self.workers, []
            for worker in old:
                worker.retired = True
        enders = [threading.Thread(target=self._end, args=(worker,)) for worker in old]
        for ender in enders:
            ender.start()
        for ender in enders:
            ender.join()
        with self._lock:
            self.base, self.placements = base, placements
            if not self._stopping.is_set():
                for assignment in self._assignments():
                    self._add_worker(assignment)

    def wait_ready(self, timeout_s: float = _READY_S) -> bool:
        """Wait until every worker has started its flows; return whether they have."""
        end = time.monotonic() + timeout_s
        while not all(worker.ready.wait(0.05) for worker in list(self.workers)):
            if time.monotonic() > end or self._stopping.is_set():
                return False
        return True

    def _watch(self, number: int, worker: WorkerProcess) -> None:
        failures = 0
        while True:
            code = worker.process.wait()
            if self._stopping.is_set() or worker.retired:
                return
            failures = 0 if time.monotonic() - worker.started > _STEADY_S else failures + 1
            delay = _DELAYS_S[min(failures, len(_DELAYS_S)) - 1] if failures else 0.0
            self._log.write("2060W", self.name, f"worker {number} has ended with {code}; it is started again.")
            if self._stopping.wait(delay):
                return
            with self._lock:
                if self._stopping.is_set() or worker.retired:
                    return
                worker = self.workers[number] = WorkerProcess(worker.assignment)
                self.restarts += 1  # It counts when the new one is in its place.

    def status(self) -> list[dict[str, Any]]:
        """Return the status of each worker."""
        return [worker.ask_status() for worker in list(self.workers)]

    def ask_all(self, do: str, timeout_s: float = ANSWER_S, **details: Any) -> list[Any]:
        """Send a command to every worker and return the results in their order. Raise WorkerError if one fails."""
        return [worker.ask(do, timeout_s, **details) for worker in list(self.workers)]

    def stop(self) -> None:
        """Stop all workers."""
        with self._lock:
            self._stopping.set()
        enders = [threading.Thread(target=self._end, args=(worker,)) for worker in self.workers]
        for ender in enders:
            ender.start()
        for thread in [*enders, *self._watchers]:
            thread.join()
        self.statistics.stop()
