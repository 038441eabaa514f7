"""The demonstration: requesters and servers on an embedded queue manager, and what it costs.

    requesters --put--> DEMO.REQUESTS --get--> servers
               <--get-- DEMO.REPLIES  <--put--            by correlation id

Each is a thread. The first phase sends non-persistent messages outside of units of work, the second persistent ones;
there the servers get the request and put the reply in one unit of work. The third publishes:

    publisher --> shop/orders/...  --> shop/#              a consumer that counts
                                   --> selector total>900  a consumer that puts --> DEMO.LARGE --STREAMQ--> DEMO.AUDIT

The queue manager lives in a temporary directory that is gone afterwards, whatever happens.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import flintmq

REQUESTS = "DEMO.REQUESTS"
REPLIES = "DEMO.REPLIES"
LARGE = "DEMO.LARGE"
AUDIT = "DEMO.AUDIT"
SELECTOR = "total > 900"
#: The publisher waits when so many publications wait for a subscriber.
BACKLOG_MAX = 2000
_STOP = b"stop"
#: MQI calls of one request and its reply: put, get, put, get; and two commits when they are in units of work.
_CALLS = {False: 4, True: 5}


@dataclass
class Phase:
    """One phase and what was measured."""

    title: str
    persistent: bool
    exchanges: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    commits: int = 0
    syncs: int = 0
    log_bytes: int = 0

    @property
    def rate(self) -> float:
        """Requests with their reply, a second."""
        return self.exchanges / self.seconds if self.seconds else 0.0

    @property
    def cpu_us_per_call(self) -> float:
        """CPU microseconds of the whole process for one MQI call."""
        calls = self.exchanges * _CALLS[self.persistent]
        return self.cpu_seconds * 1e6 / calls if calls else 0.0

    @property
    def log_mb_per_second(self) -> float:
        """What went to the log."""
        return self.log_bytes / 1e6 / self.seconds if self.seconds else 0.0

    @property
    def commits_per_sync(self) -> float:
        """How many commits shared one fdatasync."""
        return self.commits / self.syncs if self.syncs else 0.0


@dataclass
class Publishing:
    """The phase that publishes."""

    title: str = "publish/subscribe, a selector, a streaming queue"
    published: int = 0
    #: Copies for the subscriber of everything, and for the one with the selector.
    delivered: int = 0
    selected: int = 0
    #: Copies on the stream queue.
    streamed: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Publications a second."""
        return self.published / self.seconds if self.seconds else 0.0

    @property
    def cpu_us_per_copy(self) -> float:
        """CPU microseconds of the whole process for a copy: published, got, and its unit of work committed."""
        copies = self.delivered + self.selected + self.streamed
        return self.cpu_seconds * 1e6 / copies if copies else 0.0


@dataclass
class Demo:
    """One run. `progress` is called a few times a second with a line of text."""

    progress: Callable[[str], None]
    seconds: float = 4.0
    requesters: int = 4
    servers: int = 4
    size: int = 2048
    phases: list[Phase] = field(default_factory=list)
    publishing: Publishing = field(default_factory=Publishing)

    def run(self) -> list[Phase]:
        """All phases; returns what was measured of requests and replies, `publishing` has the rest."""
        with tempfile.TemporaryDirectory(prefix="flint-demo-") as directory:
            self._place = Path(directory)
            with flintmq.open(self._place / "DEMO", application="flint demo") as qm:
                qm.queue(REQUESTS, create=True, maxdepth=100_000)
                qm.queue(REPLIES, create=True, maxdepth=100_000, indxtype="CORRELID")
                self._run_phase(qm, Phase("non-persistent, outside of units of work", False))
                self._run_phase(qm, Phase("persistent, in units of work", True))
                self._publish(qm)
        return self.phases

    def _run_phase(self, qm: flintmq.QueueManager, phase: Phase) -> None:
        self.phases.append(phase)
        counts = [0] * self.requesters
        stop = threading.Event()
        servers = [threading.Thread(target=self._server, args=(qm, phase.persistent)) for _ in range(self.servers)]
        requesters = [
            threading.Thread(target=self._requester, args=(qm, phase.persistent, number, counts, stop))
            for number in range(self.requesters)
        ]
        before = _figures(qm)
        for thread in servers + requesters:
            thread.start()
        started = time.monotonic()
        while time.monotonic() - started < self.seconds:
            stop.wait(0.2)
            elapsed = time.monotonic() - started
            self.progress(f"{phase.title}: {sum(counts):>9,} exchanges  {sum(counts) / elapsed:>9,.0f} /s")
        stop.set()
        for thread in requesters:
            thread.join()
        after = _figures(qm)
        phase.exchanges = sum(counts)
        phase.seconds, phase.cpu_seconds = after[0] - before[0], after[1] - before[1]
        phase.commits, phase.syncs, phase.log_bytes = after[2] - before[2], after[3] - before[3], after[4] - before[4]
        requests = qm.queue(REQUESTS)
        for _ in servers:
            requests.put(_STOP)
        for thread in servers:
            thread.join()

    def _publish(self, qm: flintmq.QueueManager) -> None:
        """One publisher, two subscribers, and what the second does with its publications."""
        figures = self.publishing
        audit = qm.queue(AUDIT, create=True, maxdepth=1_000_000)
        large = qm.queue(LARGE, create=True, maxdepth=1_000_000, streamq=AUDIT)

        def counted(message: flintmq.Message) -> None:
            figures.delivered += 1

        def selected(message: flintmq.Message) -> None:
            large.put(message.data)
            figures.selected += 1

        started, cpu = time.monotonic(), time.process_time()
        with (
            qm.subscribe("shop/#") as everything,
            qm.subscribe("shop/orders/+", selector=SELECTOR) as chosen,
            everything.consume(counted),
            chosen.consume(selected),
        ):
            topics = [qm.topic(f"shop/orders/{country}") for country in ("de", "fr", "us")]
            data = os.urandom(self.size)
            shown = started
            while (now := time.monotonic()) - started < self.seconds or everything.queue.depth or chosen.queue.depth:
                if now - shown > 0.2:
                    shown = now
                    rate = figures.published / (now - started)
                    self.progress(f"{figures.title}: {figures.published:>9,} publications  {rate:>9,.0f} /s")
                if now - started < self.seconds and everything.queue.depth < BACKLOG_MAX:
                    for _ in range(50):
                        number = figures.published
                        topics[number % 3].publish(data, properties={"total": number * 37 % 1000})
                        figures.published += 1
                else:
                    time.sleep(0.001)
        figures.seconds, figures.cpu_seconds = time.monotonic() - started, time.process_time() - cpu
        figures.streamed = audit.depth

    def _requester(
        self, qm: flintmq.QueueManager, persistent: bool, number: int, counts: list[int], stop: threading.Event
    ) -> None:
        requests, replies = qm.queue(REQUESTS), qm.queue(REPLIES)
        data = os.urandom(self.size)
        while not stop.is_set():
            message_id = requests.put(data, persistent=persistent, reply_to=REPLIES)
            replies.get(wait=30.0, correlation_id=message_id)
            counts[number] += 1

    def _server(self, qm: flintmq.QueueManager, persistent: bool) -> None:
        requests, replies = qm.queue(REQUESTS), qm.queue(REPLIES)
        while True:
            if persistent:
                with qm.transaction():
                    if not _answer(requests, replies):
                        return
            elif not _answer(requests, replies):
                return


def _answer(requests: flintmq.Queue, replies: flintmq.Queue) -> bool:
    """One request; False if it says to stop."""
    request = requests.get(wait=True)
    if request.data == _STOP:
        return False
    replies.put(request.data, persistent=request.persistent, correlation_id=request.message_id)
    return True


def _figures(qm: flintmq.QueueManager) -> tuple[float, float, int, int, int]:
    """Wall clock, CPU, commits or their like, fdatasync calls and bytes logged, all since they were last 0."""
    log = qm._host.storage.log
    assert log is not None
    commits = qm._host.waits_for_disk
    return time.monotonic(), time.process_time(), commits, log.counters.syncs, log.counters.bytes
