"""The statistics of an execution group: ask the workers, merge, cut intervals, write records.

The collector has a thread of its own. It asks the workers whenever an interval of a stream ends, when settings change,
when a scrape of Prometheus comes, and, for the last time, when the group stops; the reason becomes the RecordCode.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, Final

from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.statistics.outputs import Outputs
from flintmq.broker.runtime.statistics.record import FlowInterval, Place
from flintmq.broker.runtime.statistics.settings import ARCHIVE, SNAPSHOT, STREAMS, StatisticsSettings

SHUTDOWN: Final = "Shutdown"
REDEPLOY: Final = "ReDeploy"
MODIFIED: Final = "StatsSettingsModified"
#: The RecordCode of an interval that ends in its time.
_REGULAR: Final = {SNAPSHOT: "SnapShot", ARCHIVE: "Major"}
#: Answers of workers: number of the worker, counts of its flows.
Taken = list[tuple[int, list[dict[str, Any]]]]


class Collector:
    """Statistics of one group."""

    def __init__(
        self,
        place: Place,
        settings: StatisticsSettings,
        ask: Callable[[], Taken],
        outputs: Outputs,
        log: BrokerLog,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.place = place
        self.settings = settings
        self._ask = ask
        self._outputs = outputs
        self._log = log
        self._now = now
        self._lock = threading.RLock()
        self._stop = threading.Event()
        #: Wakes the thread: it is to stop, or intervals have changed.
        self._changed = threading.Event()
        self._thread: threading.Thread | None = None
        #: Stream to flows by (application, flow).
        self._pending: dict[str, dict[tuple[str, str], FlowInterval]] = {stream: {} for stream in STREAMS}
        started = time.monotonic()
        self._due = {stream: started + self._interval_s(stream) for stream in STREAMS}
        self._began = {stream: self._now() for stream in STREAMS}
        #: Get every answer of a worker, too.
        self.listeners: list[Callable[[int, dict[str, Any]], None]] = []
        #: Flows that a worker has stopped: their intervals end with the next `end_stopped`.
        self._stopped: set[tuple[str, str]] = set()
        self._problem = ""

    def _interval_s(self, stream: str) -> float:
        return self.settings.snapshot_s if stream == SNAPSHOT else self.settings.archive_minutes * 60

    @property
    def is_needed(self) -> bool:
        """Return whether a stream or a listener needs the counts."""
        return self.settings.is_active or bool(self.listeners)

    # Life.

    def start(self) -> None:
        """Begin the intervals."""
        self._thread = threading.Thread(target=self._run, name=f"statistics {self.place.group}", daemon=True)
        self._thread.start()

    def stop(self, code: str = SHUTDOWN) -> None:
        """End the intervals; the workers have ended."""
        self._stop.set()
        self._changed.set()
        if self._thread is not None:
            self._thread.join(30)
        with self._lock:
            self._cut(STREAMS, code)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._changed.wait(max(0.0, min(self._due.values()) - time.monotonic()))
            self._changed.clear()
            now = time.monotonic()
            due = [stream for stream in STREAMS if self._due[stream] <= now]
            for stream in due:
                self._due[stream] = now + self._interval_s(stream)
            if self._stop.is_set():
                return
            if due and self.settings.is_active:
                self.collect(due)

    # Collection.

    def collect(self, streams: Iterable[str] = (), code: str = "") -> None:
        """Add the counts of all workers; end the interval of some streams."""
        with self._lock:
            self.add(self._ask())
            self._cut(streams, code)

    def add(self, taken: Taken) -> None:
        """Add counts of workers to the pending intervals."""
        with self._lock:
            for worker, flows in taken:
                for each in flows:
                    if each.get("stopped"):
                        self._stopped.add((each["application"], each["flow"]))
                    for listener in self.listeners:
                        listener(worker, each)
                    for stream in STREAMS:
                        self._add(stream, worker, each)

    def _add(self, stream: str, worker: int, taken: dict[str, Any]) -> None:
        key = (taken["application"], taken["flow"])
        rule = self.settings.rule(stream, *key)
        if not rule.active:
            return
        interval = self._pending[stream].get(key)
        if interval is None:
            interval = self._pending[stream][key] = FlowInterval(*key, self._began[stream])
        interval.add(worker, taken, rule.origin)

    def end_stopped(self, is_deployed: Callable[[tuple[str, str]], bool]) -> None:
        """End the intervals of flows that workers have stopped: ReDeploy if they started anew, else Shutdown."""
        with self._lock:
            stopped, self._stopped = self._stopped, set()
            ended = self._now()
            for stream in STREAMS:
                for key in stopped & set(self._pending[stream]):
                    self._write(stream, key, REDEPLOY if is_deployed(key) else SHUTDOWN, ended)

    def _cut(self, streams: Iterable[str], code: str) -> None:
        ended = self._now()
        for stream in streams:
            for key in list(self._pending[stream]):
                self._write(stream, key, code or _REGULAR[stream], ended)
            self._began[stream] = ended

    def _write(self, stream: str, key: tuple[str, str], code: str, ended: datetime) -> None:
        """End the interval of one flow and write its records."""
        interval = self._pending[stream].pop(key)
        rule = self.settings.rule(stream, *key)
        for record in interval.records(self.place, rule, stream, code, ended):
            self._say(self._outputs.write(record, rule.outputs))

    def _say(self, problems: list[str]) -> None:
        for problem in problems:
            if problem != self._problem:
                self._problem = problem
                self._log.write("2880W", "", f"{problem}. Flows go on; the record is lost.")

    def change(self, settings: StatisticsSettings) -> None:
        """Apply other settings. Write the counts of the old ones as StatsSettingsModified.

        The workers have been asked for their last counts with the old settings by then.
        """
        with self._lock:
            # An interval that goes on with other rules would mix numbers with and without nodes.
            self._cut(STREAMS, MODIFIED)
            self.settings = settings
            now = time.monotonic()
            self._due = {stream: now + self._interval_s(stream) for stream in STREAMS}
            self._changed.set()
