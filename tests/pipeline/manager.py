"""A queue manager as a process of its own, for the tests of the source and sink `mq`."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterable
from pathlib import Path

import flintmq
from benchmarks.server.ports import free_port
from flintmq.cli.main import main
from flintmq.host import instance
from flintmq.host.lock import holder_of
from flintmq.server import process
from flintmq.server.control import Control, NotRunning
from tests.waiting import until

NAME = "QM1"


class Manager:
    """A queue manager that runs, in a directory of its own. Spark's processes reach it through its local socket."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.port = free_port()
        self._as_ours(lambda: main(["crtmqm", "--dev", "-q", "-p", str(self.port), NAME]))
        self.place = instance.Instance(NAME, directory / "qmgrs" / NAME)
        self.pid = 0
        self._queues = 0

    def _as_ours(self, step: object) -> None:
        before = os.environ.get("FLINTMQ_DATA")
        os.environ["FLINTMQ_DATA"] = str(self.directory)
        try:
            assert callable(step)
            assert not step()
        finally:
            if before is None:
                del os.environ["FLINTMQ_DATA"]
            else:
                os.environ["FLINTMQ_DATA"] = before

    @property
    def options(self) -> dict[str, str]:
        """Those of the source and the sink that say where it is."""
        return {"queueManager": NAME, "dataDirectory": str(self.directory)}

    def start(self) -> None:
        self.pid = process.start(self.place)

    def kill(self) -> None:
        """As a failing machine would."""
        os.kill(self.pid, signal.SIGKILL)
        self.wait_until_ended()

    def wait_until_ended(self) -> None:
        until(lambda: holder_of(self.place.lock_path) is None, "the queue manager ends")

    def end(self) -> None:
        try:
            with Control(self.place) as control:
                control.ask({"do": "end", "how": "preemptive"})
        except (NotRunning, ConnectionError):
            pass  # It has ended, or is about to.
        self.wait_until_ended()

    def connect(self) -> flintmq.RemoteQueueManager:
        return flintmq.connect(str(self.place.directory))

    def queue(self, attributes: str = "") -> str:
        """A new queue."""
        self._queues += 1
        name = f"SPARK.Q{self._queues}"
        self.command(f"DEFINE QLOCAL({name}) MAXDEPTH(999999) {attributes}")
        return name

    def command(self, text: str) -> None:
        with self.connect() as qm:
            qm.mqsc(text)

    def put(self, queue: str, bodies: Iterable[bytes], persistent: bool = True) -> None:
        with self.connect() as qm, qm.transaction():
            target = qm.queue(queue)
            for body in bodies:
                target.put(body, persistent=persistent)

    def bodies(self, queue: str) -> list[bytes]:
        """What is on a queue, which is left as it is."""
        with self.connect() as qm:
            return [message.data for message in qm.queue(queue).browse()]

    def ids(self, queue: str) -> list[int]:
        """The numbers that the messages of a test carry."""
        return sorted(json.loads(body)["id"] for body in self.bodies(queue))


def numbered(first: int, last: int) -> list[bytes]:
    """Bodies that say which they are."""
    return [json.dumps({"id": number}).encode() for number in range(first, last + 1)]
