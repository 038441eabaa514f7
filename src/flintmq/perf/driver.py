"""A driver process: the instances of its plan as threads, measured between two moments that the harness names.

    python -m flintmq.perf.driver

A line of standard input is a plan (plan.py); the process connects, opens its queues and prints {"ready": true}. Then:

    {"start": ns, "end": ns, "from": ns}    run from `from` (the warm-up) and count between start and end; a line
                                            {"second": n, "count": c} for each second, then {"done": {...}}
    {"load": [[queue, depth, size]]}        fill queues before the first repeat; answered with {"loaded": n}
    {"stop": true}                          roles that wait for messages end; answered with the last {"done": ...}
    {"quit": true}, or the end of input     end

Leading roles (requester, putter, publisher, put-get, opener) end by themselves; others go on until `stop`, so that what
was sent is taken. Times are of the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

import flintmq
from flintmq.perf import pace
from flintmq.perf.histogram import merged
from flintmq.perf.plan import EMBEDDED, FOLLOWING, LOCAL, SUBSCRIBER, TLS, Actors, DriverPlan
from flintmq.perf.roles import Instance

_OPEN_S = 120.0
#: Prefix of a mode that names another broker.
PEER = "peer:"
_LOADED_AT_ONCE = 500
#: Role -> name of its operation in a run.
WHAT = {"requester": "round_trip", "responder": "get", "putter": "put", "getter": "get", "publisher": "publish"}


def connect(plan: DriverPlan) -> Any:
    """Connect to the queue manager of the plan."""
    if plan.mode.startswith(PEER):
        from flintmq.perf.peers.compare import OPENERS
        from flintmq.perf.peers.connection import PeerManager

        subscribers = sum(actors.instances for actors in plan.actors if actors.role == SUBSCRIBER)
        opener = OPENERS[plan.mode.removeprefix(PEER)]
        return PeerManager(opener, plan.address, plan.actors[0].persistent, subscribers)
    if plan.mode == EMBEDDED:
        return flintmq.open(Path(plan.directory), create=False, application="flint perf")
    if plan.mode == LOCAL:
        return flintmq.connect(plan.queue_manager, application="flint perf")
    options: dict[str, Any] = {"channel": plan.channel, "conn": plan.address, "sharing": plan.sharing}
    if plan.mode == TLS:
        options.update(cipher_spec=plan.cipher, key_repository=plan.keys)
    if plan.user:
        options.update(user=plan.user, password=plan.password)
    return flintmq.connect(plan.queue_manager, application="flint perf", **options)


class DriverError(Exception):
    """An instance cannot open its queues. The text has its role and the reason."""


class Worker:
    """One thread of the process: an instance with its tally."""

    def __init__(self, driver: Driver, actors: Actors, number: int) -> None:
        self.driver = driver
        self.actors = actors
        self.number = number
        self.following = actors.role in FOLLOWING
        self.tally = pace.Tally(pace.Window(0, 1))
        self.instance: Instance | None = None
        self.error = ""
        self.opened = threading.Event()
        self.go = threading.Event()
        self.finished = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.instance = Instance(self.driver.manager, self.actors, self.number)
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"
            self.opened.set()
            return
        self.opened.set()
        while True:
            self.go.wait()
            self.go.clear()
            if self.driver.quitting:
                self.instance = None
                return
            try:
                self._repeat(self.instance)
            except pace.GaveUp as error:
                self.error = f"gave up after {pace.FAILURES_MAX} failures: {error}"
            except Exception as error:
                self.error = f"{type(error).__name__}: {error}"
                traceback.print_exc(file=sys.stderr)
            self.finished.set()

    def _repeat(self, instance: Instance) -> None:
        driver, tally = self.driver, self.tally
        if self.following:
            while not driver.stopping.is_set():
                until = time.monotonic_ns() + pace.SECOND // 2
                pace.run_unrated(instance.operation, tally, until, time.monotonic_ns, time.sleep)
            return
        time.sleep(max(0.0, (driver.begin - time.monotonic_ns()) / pace.SECOND))
        if self.actors.rate > 0:
            interval = pace.SECOND * driver.total(self.actors.role) / self.actors.rate
            first = driver.begin + int(interval * self.number / driver.total(self.actors.role))
            pace.run_rated(instance.operation, tally, first, interval, time.monotonic_ns, time.sleep)
        else:
            # In slices, so that a run which is given up ends soon.
            while (now := time.monotonic_ns()) < driver.window.end:
                until = min(driver.window.end, now + pace.SECOND // 2)
                pace.run_unrated(instance.operation, tally, until, time.monotonic_ns, time.sleep)


class Driver:
    """The process."""

    def __init__(
        self, plan: DriverPlan, totals: dict[str, int], interval_s: float = 0.0, open_s: float = _OPEN_S
    ) -> None:
        """Connect and open, `interval_s` between instances, each within `open_s`. Raise DriverError."""
        self.plan = plan
        self.totals = totals
        self.manager = connect(plan)
        self.window = pace.Window(0, 1)
        self.begin = 0
        self.stopping = threading.Event()
        self.quitting = False
        self.workers: list[Worker] = []
        for actors in plan.actors:
            for number in range(actors.instances):
                if self.workers and interval_s:
                    time.sleep(interval_s)
                self.workers.append(Worker(self, actors, actors.first + number))
        self._log_before = self._log()
        for worker in self.workers:
            if not worker.opened.wait(open_s):
                raise DriverError(f"an instance of {worker.actors.role} has not opened its queues in {open_s:g} s")
            if worker.error:
                raise DriverError(f"{worker.actors.role}: {worker.error}")

    def total(self, role: str) -> int:
        """Return how many instances of a role all processes have together."""
        return self.totals.get(role, 1)

    def repeat(self, begin: int, start: int, end: int) -> None:
        """Run one repeat until its end; report each second."""
        self.begin_repeat(begin, start, end)
        for second in range(self.window.seconds):
            until = min(end, start + (second + 1) * pace.SECOND)
            time.sleep(max(0.0, (until - time.monotonic_ns()) / pace.SECOND))
            count = sum(worker.tally.counts[second] for worker in self.workers)
            say({"second": second, "count": count})

    def begin_repeat(self, begin: int, start: int, end: int) -> None:
        """Start all instances at `begin`; they count between `start` and `end`."""
        self.begin, self.window = begin, pace.Window(start, end)
        self.stopping.clear()
        self._log_before = self._log()
        for worker in self.workers:
            worker.tally = pace.Tally(self.window)
            assert worker.instance is not None
            worker.instance.way = type(worker.instance.way)()
            worker.finished.clear()
            worker.go.set()

    def give_up(self) -> None:
        """End the repeat now."""
        self.window.end = time.monotonic_ns()

    def load(self, queues: list[list[Any]]) -> int:
        """Fill queues with messages that no driver gets, each with a correlation id of its own."""
        loaded = 0
        for name, depth, size, persistent, properties in queues:
            queue = self.manager.queue(name)
            known = {f"p{each}": f"v{each}" for each in range(properties)}
            unwanted = {**known, "client": -1} if properties else None
            body = bytes(size)
            while depth > 0:
                with self.manager.transaction():
                    for _ in range(min(depth, _LOADED_AT_ONCE)):
                        loaded += 1
                        queue.put(
                            body, persistent=persistent, correlation_id=b"LOADED%016d" % loaded, properties=unwanted
                        )
                depth -= _LOADED_AT_ONCE
        return loaded

    def stop(self) -> dict[str, Any]:
        """Wait until the instances have ended, leading ones first; return their measurements."""
        for following in (False, True):
            if following:
                self.stopping.set()
            for worker in self.workers:
                if worker.following == following:
                    worker.finished.wait(_OPEN_S)
        return {"roles": [self._role(actors) for actors in self.plan.actors], "log": self._used()}

    def _role(self, actors: Actors) -> dict[str, Any]:
        mine = [worker for worker in self.workers if worker.actors is actors]
        tallies = [worker.tally for worker in mine]
        errors = [worker.error or worker.tally.first_error for worker in mine]
        seconds = self.window.seconds
        intended = [tally.intended for tally in tallies if tally.intended is not None]
        ways = merged(worker.instance.way for worker in mine if worker.instance is not None)
        return {
            "role": actors.role,
            "counts": [sum(tally.counts[each] for tally in tallies) for each in range(seconds)],
            "errors": [sum(tally.errors[each] for tally in tallies) for each in range(seconds)],
            "first_error": next(filter(None, errors), ""),
            "lost": sum(1 for worker in mine if worker.error),
            "sent": merged(tally.sent for tally in tallies).to_json(),
            "intended": merged(intended).to_json() if intended else None,
            "way": ways.to_json() if ways.count else None,
        }

    def _log(self) -> tuple[int, int]:
        """Return bytes and writes of the log of an embedded queue manager."""
        host = getattr(self.manager, "_host", None) if self.plan.mode == EMBEDDED else None
        log = getattr(getattr(host, "storage", None), "log", None)
        return (log.counters.bytes, log.counters.syncs) if log is not None else (0, 0)

    def _used(self) -> list[int] | None:
        if self.plan.mode != EMBEDDED:
            return None
        now = self._log()
        return [now[0] - self._log_before[0], now[1] - self._log_before[1]]

    def close(self) -> None:
        """End the threads and the connection."""
        self.quitting = True
        for worker in self.workers:
            worker.go.set()
        for worker in self.workers:
            worker.thread.join(5.0)
        self.manager.close()


def say(line: dict[str, Any]) -> None:
    """Print one line for the harness."""
    print(json.dumps(line), flush=True)


def main() -> int:
    """Read commands from standard input and run them."""
    try:
        first = json.loads(sys.stdin.readline())
        driver = Driver(DriverPlan.unpacked(json.dumps(first["plan"])), first["totals"])
    except Exception as error:
        say({"error": f"{type(error).__name__}: {error}"})
        return 1
    say({"ready": True})
    try:
        for line in sys.stdin:
            wanted = json.loads(line)
            if "start" in wanted:
                driver.repeat(wanted["from"], wanted["start"], wanted["end"])
            elif "load" in wanted:
                say({"loaded": driver.load(wanted["load"])})
            elif "stop" in wanted:
                say({"done": driver.stop()})
            else:
                break
    finally:
        driver.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
