"""The counts of a group's flows since it started, for Prometheus: GET /metrics on the loopback.

    flintmq_flow_messages_total{broker="BRK",group="default",application="Shop",flow="shop.Orders"} 1712
    flintmq_flow_node_cpu_seconds_total{broker="BRK",...,node="Change"} 1.204

A scrape asks the workers; flows are counted as if a stream collected them with nodes. Counters start anew with the
group. Names follow telemetry/exposition.py: a counter ends with `_total`, a time is in seconds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from flintmq.broker.runtime.statistics.counts import Row, add, flow_row, node_row
from flintmq.broker.runtime.statistics.record import Place
from flintmq.telemetry.exposition import CONTENT_TYPE, Family, text_of

#: Name, unit, help, field of the record.
_FLOW: Final = (
    ("messages", "", "Messages that flows have handled", "TotalInputMessages"),
    ("elapsed_seconds", "seconds", "Elapsed time in messages", "TotalElapsedTime"),
    ("cpu_seconds", "seconds", "CPU time in messages", "TotalCPUTime"),
    ("waiting_seconds", "seconds", "Elapsed time in waits for input", "ElapsedTimeWaitingForInputMessage"),
    ("input_bytes", "bytes", "Bytes of input messages", "TotalSizeOfInputMessages"),
    ("errors", "", "Errors in messages", "TotalNumberOfErrorsProcessingMessages"),
    ("messages_with_errors", "", "Messages with an error", "TotalNumberOfMessagesWithErrors"),
    ("mq_errors", "", "Calls that the queue manager has refused", "TotalNumberOfMQErrors"),
    ("commits", "", "Units of work that were committed", "TotalNumberOfCommits"),
    ("backouts", "", "Units of work that were backed out", "TotalNumberOfBackouts"),
    ("pool_full", "", "Times that all threads of a flow were busy", "TimesMaximumNumberOfThreadsReached"),
    (
        "aggregate_timeouts",
        "",
        "Aggregations that ended without all replies",
        "TotalNumberOfTimeOutsWaitingForRepliesToAggregateMessages",
    ),
)
_NODE: Final = (
    ("node_invocations", "", "Invocations of nodes", "CountOfInvocations"),
    ("node_elapsed_seconds", "seconds", "Elapsed time in nodes, without those behind them", "TotalElapsedTime"),
    ("node_cpu_seconds", "seconds", "CPU time in nodes, without those behind them", "TotalCPUTime"),
)
#: A scrape that waits longer for the workers is answered with the last known counts.
_SCRAPE_LOCK_S: Final = 10.0


class Totals:
    """Counts since the start, by flow and node. A listener of the collector."""

    def __init__(self) -> None:
        self._flows: dict[tuple[str, str], Row] = {}
        self._nodes: dict[tuple[str, str, str], Row] = {}
        self._threads: dict[tuple[str, str], dict[int, int]] = {}
        self._lock = threading.Lock()

    def add(self, worker: int, taken: dict[str, Any]) -> None:
        """Add the counts of a worker."""
        key = (taken["application"], taken["flow"])
        with self._lock:
            for counts in taken["origins"].values():
                given = dict(counts["flow"])
                self._threads.setdefault(key, {})[worker] = given.pop("NumberOfThreadsInPool")
                add(self._flows.setdefault(key, flow_row()), given)
                for label, row in counts["nodes"].items():
                    add(self._nodes.setdefault((*key, label), node_row()), row)

    def families(self) -> list[Family]:
        """Return the metrics."""
        with self._lock:
            made = [Family(f"flow_{name}", "counter", text, unit) for name, unit, text, _ in (*_FLOW, *_NODE)]
            threads = Family("flow_threads", "gauge", "Threads of a flow")
            for (application, flow), row in sorted(self._flows.items()):
                for family, (_, unit, _, field) in zip(made, _FLOW, strict=False):
                    family.add(_value(row[field], unit), application=application, flow=flow)
                threads.add(sum(self._threads[application, flow].values()), application=application, flow=flow)
            for (application, flow, node), row in sorted(self._nodes.items()):
                for family, (_, unit, _, field) in zip(made[len(_FLOW) :], _NODE, strict=True):
                    family.add(_value(row[field], unit), application=application, flow=flow, node=node)
        return [*made, threads]


def _value(value: int, unit: str) -> int | float:
    return round(value / 1e9, 6) if unit == "seconds" else value


class Exporter:
    """Serves the metrics of groups over HTTP."""

    def __init__(self, host: str, port: int, place: Place, totals: Totals, scrape: Callable[[], None]) -> None:
        self.place = place
        self.totals = totals
        self._scrape = scrape
        self._scraping = threading.Lock()
        exporter = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 30

            def do_GET(self) -> None:
                if self.path.partition("?")[0] not in ("/metrics", "/"):
                    self.send_error(404, "metrics are at /metrics")
                    return
                data = exporter.text().encode()
                self.send_response(200)
                self.send_header("Content-Type", CONTENT_TYPE)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:
                """Log nothing: a scrape every few seconds would fill the log."""

        self._server = ThreadingHTTPServer((host, port), Handler)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.5,), name="metrics", daemon=True)

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()

    def text(self) -> str:
        """Return the metrics as they are now. Scrapes at once share one question to the workers."""
        if self._scraping.acquire(timeout=_SCRAPE_LOCK_S):
            try:
                self._scrape()
            finally:
                self._scraping.release()
        families: Iterable[Family] = self.totals.families()
        return text_of(families, {"broker": self.place.broker, "group": self.place.group})

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)
