"""A queue manager that serves, and workers on it: what tests of the run time share."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import flintmq
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.worker import Assignment, FlowAssignment, Worker
from flintmq.mqi.content_filter import FILTER_QUEUE
from tests.client.remote.serving import CHANNEL, Serving


class Desk:
    """A queue manager, and workers on it."""

    def __init__(self, **serving: Any) -> None:
        self.serving = Serving(**serving)
        self.qm = self.serving.qm
        # What a broker defines through the command server, which does not run here.
        for name in ("SYSTEM.BROKER.STATE.DEFAULT", "SYSTEM.BROKER.COORDINATION", FILTER_QUEUE):
            self.qm.queue(name, create=True)
        self.said = io.StringIO()
        self.workers: list[Worker] = []

    def queue(self, name: str, **attributes: Any) -> flintmq.Queue:
        return self.qm.queue(name, create=True, **attributes)

    def start(
        self,
        path: Path,
        *names: str,
        instances: int = 1,
        overrides: dict[str, str] | None = None,
        **more: Any,
    ) -> Worker:
        assignment = Assignment(
            "BRK",
            "default",
            0,
            "QM1",
            {"channel": CHANNEL, "conn": self.serving.conn},
            [{"path": str(path), "overrides": overrides}],
            [FlowAssignment("", name, instances) for name in names],
            **more,
        )
        worker = Worker(assignment, BrokerLog("BRK.default", stream=self.said))
        self.workers.append(worker)
        worker.start()
        return worker

    def stop_workers(self) -> None:
        for worker in self.workers:
            worker.stop()
        self.workers.clear()

    def close(self) -> None:
        self.stop_workers()
        self.serving.close()


@contextmanager
def open_desk(**serving: Any) -> Iterator[Desk]:
    made = Desk(**serving)
    try:
        yield made
    finally:
        made.close()
