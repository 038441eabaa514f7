"""Statistics in the process of an execution group: the collector, its settings, and the way to the queue manager."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.statistics.collector import Collector, Taken
from flintmq.broker.runtime.statistics.exporter import Exporter, Totals
from flintmq.broker.runtime.statistics.outputs import Outputs
from flintmq.broker.runtime.statistics.record import Place
from flintmq.broker.runtime.statistics.settings import (
    METRICS_ADDRESS,
    METRICS_PORT,
    StatisticsSettings,
    settings_of_group,
)
from flintmq.broker.runtime.user_trace import TraceFile, trace_path
from flintmq.mqi.call_errors import MQError

if TYPE_CHECKING:
    from flintmq.broker.runtime.group import ExecutionGroup


class Publisher:
    """Publishes outside of syncpoint, on a connection of its own that is made when it is first used."""

    def __init__(self, queue_manager: str, connect: dict[str, Any]) -> None:
        self._queue_manager = queue_manager
        self._connect = connect
        self._manager: Any = None

    def __call__(self, topic: str, data: bytes, persistent: bool) -> None:
        """Publish and retain. Raise MQError; the next call connects anew."""
        import flintmq

        try:
            if self._manager is None:
                self._manager = flintmq.connect(self._queue_manager, **self._connect)
            self._manager.topic(topic).publish(
                data, retain=True, persistent=persistent, format="MQSTR", syncpoint=False, wait=persistent
            )
        except MQError:
            self.close()
            raise

    def close(self) -> None:
        """Disconnect."""
        manager, self._manager = self._manager, None
        if manager is not None:
            try:
                manager.close()
            except MQError:
                pass


class GroupStatistics:
    """The collector of one group; idle until something is collected."""

    def __init__(self, group: ExecutionGroup, log: BrokerLog) -> None:
        self._group = group
        self._log = log
        self._publisher = Publisher(group.base.queue_manager, group.base.connect)
        self._lock = threading.Lock()
        self.collector: Collector | None = None
        self.exporter: Exporter | None = None
        #: The port that the settings named when the exporter was started.
        self._served: int | None = None

    def _settings(self) -> StatisticsSettings:
        return settings_of_group(self._group.base.settings)

    def start(self) -> None:
        """Start collecting, if the settings say so."""
        settings = self._settings()
        with self._lock:
            if self.collector is None and (settings.is_active or self._is_needed()):
                base = self._group.base
                directory = Path(base.directory) if base.directory else None
                outputs = Outputs(self._publisher, directory, self._trace)
                place = Place(base.broker, base.group)
                self.collector = Collector(place, settings, self.ask, outputs, self._log)
                self._serve_metrics(place)
                self.collector.start()
            elif self.collector is not None and self._metrics_port() != self._served:
                self._serve_metrics(self.collector.place)

    def _is_needed(self) -> bool:
        return self._metrics_port() is not None

    def _metrics_port(self) -> int | None:
        port = self._group.base.settings.get("", {}).get(METRICS_PORT)
        return None if port in (None, "") else int(port)

    def _serve_metrics(self, place: Place) -> None:
        """Serve the metrics where the settings say, or no longer."""
        assert self.collector is not None
        if self.exporter is not None:
            self.exporter.close()
            self.exporter = None
            self.collector.listeners.clear()
        port = self._served = self._metrics_port()
        if port is None:
            return
        host = self._group.base.settings.get("", {}).get(METRICS_ADDRESS) or "127.0.0.1"
        totals = Totals()
        try:
            self.exporter = Exporter(host, port, place, totals, self.collector.collect)
        except OSError as error:
            self._log.write("2884E", "", f"metrics cannot be served on {host}:{port}: {error}")
            return
        self.collector.listeners.append(totals.add)
        self.exporter.start()
        self._log.write("2883I", "", f"Metrics are served on http://{host}:{self.exporter.port}/metrics.")

    def _trace(self, flow: str, line: str) -> None:
        base = self._group.base
        if base.directory and base.settings.get("", {}).get("trace.level", "none") != "none":
            TraceFile(trace_path(base.directory, base.broker, base.group), self._log).say("2893I", f"{flow}: {line}")
        else:
            self._log.write("2893I", flow, line)

    def ask(self) -> Taken:
        """Ask every worker for its counts. One that does not answer is left out."""
        from flintmq.broker.runtime.group import WorkerError

        taken: Taken = []
        for worker in list(self._group.workers):
            if worker.ready.is_set():
                try:
                    taken.append((worker.assignment.worker, worker.ask("statistics")))
                except WorkerError as error:
                    self._log.write("2881W", "", f"no statistics of a worker: {error}")
        return taken

    def add(self, worker: int, last: dict[str, Any]) -> None:
        """Add the last counts of a worker that ended."""
        if self.collector is not None and last.get("statistics"):
            self.collector.add([(worker, last["statistics"])])

    def assigning(self) -> None:
        """Collect the counts before the workers get another assignment."""
        if self.collector is not None and self.collector.is_needed:
            self.collector.collect()

    def assigned(self) -> None:
        """Collect the last counts of stopped flows; apply the settings of the new assignment."""
        collector = self.collector
        if collector is not None:
            if collector.is_needed:
                collector.collect()
                placed = {(each.application, each.flow) for flows in self._group.placements for each in flows}
                collector.end_stopped(lambda key: key in placed or ("", key[1]) in placed)
            settings = self._settings()
            if settings.packed() != collector.settings.packed():
                collector.change(settings)
        self.start()

    def stop(self) -> None:
        """End the intervals. The workers have ended."""
        if self.exporter is not None:
            self.exporter.close()
        if self.collector is not None:
            self.collector.stop()
        self._publisher.close()
