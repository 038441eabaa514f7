"""embedded: cost of the embedded client through the public API, in one thread, between threads and on disk.

All messages have 1 KiB. A pair is `queue.put(data)` and `queue.get()`.

    figure             clock    per          floor, or the peer that the ratio is taken to
    pair_np            CPU      pair         queue.SimpleQueue: put and get
    threads_4x4        elapsed  round trip   the same threads over queue.SimpleQueue
    threads_4x4_cpu    CPU      round trip   the same
    pair_durable       elapsed  pair         SQLite: insert and commit, delete and commit
    pair_durable_cpu   CPU      pair         the same
    pair_100           elapsed  pair         SQLite: 100 inserts and commit, 100 deletes and commit
    pair_100_cpu       CPU      pair         the same
    pair_100_lmdb      elapsed  pair         LMDB: 100 puts and commit, 100 deletes and commit

Clocks. One thread that waits for nothing is measured in CPU time of the process, which other processes do not change.
A round trip between threads and a durable pair are waited for, so the application feels elapsed time: wake-ups and
fdatasync are part of it. Their CPU time stands beside them. Ours and the floor run in turns, in rounds; each figure is
the best round, for elapsed time of disks the median round, because a disk has good and bad seconds.

threads_4x4: four requesters put to one queue and wait on a second one for the reply by correlation id, four responders
wait for any request. Elapsed time of all round trips divided by their number. A SimpleQueue cannot be searched, so each
requester of the floor has a queue of its own for replies: that is the cheapest way there is.

Disk: ours, SQLite (WAL, synchronous=FULL) and LMDB are in one directory. Each pair waits for the disk twice, and each
commit of 100 once. SQLite's delete takes the oldest row and returns its data, as a get does.

Bars: pair_np at most 3 us; threads_4x4 at most 3 floors; pair_durable at most 1.0 and pair_100 at most 0.5 of SQLite.

    ./flint bench embedded
"""

from __future__ import annotations

import os
import queue
import sqlite3
import statistics
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import lmdb

import flintmq
from benchmarks.frame import Figure, Measured, Options, side_by_side

NAME = "embedded"
DATA = os.urandom(1024)
#: Requesters, and responders.
SIDE = 4
PER_COMMIT = 100
#: Each put of a commit has data of its own: the log does not repeat data that two puts of a unit of work share.
HUNDRED = [os.urandom(1024) for _ in range(PER_COMMIT)]
WAIT_SECONDS = 30.0

Work = Callable[[], object]


def run(options: Options) -> list[Figure]:
    """Measure every figure."""
    progress = options.progress("embedded", 4)
    figures = [pair_np(options)]
    progress.at(1, "threads")
    figures += threads(options)
    with tempfile.TemporaryDirectory(prefix="flintmq-bench-") as directory:
        progress.at(2, "durable pairs")
        figures += durable(options, Path(directory))
        progress.at(3, "100 in a commit")
        figures += hundred(options, Path(directory))
    progress.done()
    return figures


def pair_np(options: Options) -> Figure:
    """Put and get of a non-persistent message in one thread."""
    pairs = options.scale(100_000, 30_000, 100)
    with flintmq.open(":memory:") as qm:
        ours = qm.queue("PAIRS", create=True)
        simple: queue.SimpleQueue[bytes] = queue.SimpleQueue()

        def work() -> None:
            put, get = ours.put, ours.get
            for _ in range(pairs):
                put(DATA)
                get()

        def floor() -> None:
            put, get = simple.put, simple.get
            for _ in range(pairs):
                put(DATA)
                get()

        best, best_floor = side_by_side(work, floor, options.scale(10, 5, 1))
    return Figure("pair_np", best / pairs * 1e6, "us", best_floor / pairs * 1e6)


# -- threads ----------------------------------------------------------------------------------------------------------


def threads(options: Options) -> list[Figure]:
    """Round trips of four requesters with four responders."""
    trips = options.scale(5_000, 2_000, 10)
    with flintmq.open(":memory:") as qm:
        ours, floor = OverQueues(qm, trips), OverSimpleQueues(trips)
        sides: list[OverQueues | OverSimpleQueues] = [floor, ours]
        best = [[float("inf")] * 2, [float("inf")] * 2]
        for _ in range(options.scale(10, 5, 1)):
            for at, side in enumerate(sides):
                with Measured() as cost:
                    run_together([side.request, side.respond] * SIDE)
                best[at][0] = min(best[at][0], cost.wall)
                best[at][1] = min(best[at][1], cost.cpu)
    per = 1e6 / (trips * SIDE)
    return [
        Figure("threads_4x4", best[1][0] * per, "us", best[0][0] * per),
        Figure("threads_4x4_cpu", best[1][1] * per, "us", best[0][1] * per),
    ]


def run_together(parts: Sequence[Work]) -> None:
    """Run each part in a thread of its own."""
    workers = [threading.Thread(target=part) for part in parts]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


class OverQueues:
    """Request and reply over two queues of a queue manager, by correlation id."""

    def __init__(self, qm: flintmq.QueueManager, trips: int) -> None:
        self.trips = trips
        self.requests = qm.queue("REQUESTS", create=True)
        self.replies = qm.queue("REPLIES", create=True)

    def request(self) -> None:
        requests, replies = self.requests, self.replies
        for _ in range(self.trips):
            message_id = requests.put(DATA)
            replies.get(correlation_id=message_id, wait=WAIT_SECONDS)

    def respond(self) -> None:
        requests, replies = self.requests, self.replies
        for _ in range(self.trips):
            request = requests.get(wait=WAIT_SECONDS)
            replies.put(request.data, correlation_id=request.message_id)


class OverSimpleQueues:
    """The floor: one SimpleQueue for requests, one for the replies of each requester."""

    def __init__(self, trips: int) -> None:
        self.trips = trips
        self.requests: queue.SimpleQueue[tuple[bytes, queue.SimpleQueue[bytes]]] = queue.SimpleQueue()

    def request(self) -> None:
        requests = self.requests
        replies: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        for _ in range(self.trips):
            requests.put((DATA, replies))
            replies.get(timeout=WAIT_SECONDS)

    def respond(self) -> None:
        requests = self.requests
        for _ in range(self.trips):
            data, replies = requests.get(timeout=WAIT_SECONDS)
            replies.put(data)


# -- disk -------------------------------------------------------------------------------------------------------------


def durable(options: Options, directory: Path) -> list[Figure]:
    """Persistent put, then get, each on disk before it returns."""
    pairs = options.scale(300, 100, 5)
    with flintmq.open(directory / "ONE") as qm, Table(directory / "one.sqlite") as table:
        ours = qm.queue("PAIRS", create=True)

        def work() -> None:
            for _ in range(pairs):
                ours.put(DATA, persistent=True)
                ours.get()

        def peer() -> None:
            for _ in range(pairs):
                table.insert(DATA)
                table.commit()
                table.delete()
                table.commit()

        (wall, cpu), (peer_wall, peer_cpu) = medians([work, peer], options.scale(9, 5, 1))
    per = 1e6 / pairs
    return [
        Figure("pair_durable", wall * per, "us", peer_wall * per),
        Figure("pair_durable_cpu", cpu * per, "us", peer_cpu * per),
    ]


def hundred(options: Options, directory: Path) -> list[Figure]:
    """100 persistent puts in a unit of work, 100 gets in the next."""
    commits = options.scale(100, 40, 1)
    with (
        flintmq.open(directory / "MANY") as qm,
        Table(directory / "many.sqlite") as table,
        Tree(directory / "many.lmdb") as tree,
    ):
        ours = qm.queue("PAIRS", create=True)

        def work() -> None:
            for _ in range(commits):
                with qm.transaction():
                    for data in HUNDRED:
                        ours.put(data, persistent=True)
                with qm.transaction():
                    for _ in range(PER_COMMIT):
                        ours.get()

        def peer() -> None:
            for _ in range(commits):
                for data in HUNDRED:
                    table.insert(data)
                table.commit()
                for _ in range(PER_COMMIT):
                    table.delete()
                table.commit()

        def floor() -> None:
            for _ in range(commits):
                tree.put_and_delete(HUNDRED)

        costs = medians([work, peer, floor], options.scale(9, 5, 1))
    (wall, cpu), (peer_wall, peer_cpu), (floor_wall, _) = costs
    per = 1e6 / (commits * PER_COMMIT)
    return [
        Figure("pair_100", wall * per, "us", peer_wall * per),
        Figure("pair_100_cpu", cpu * per, "us", peer_cpu * per),
        Figure("pair_100_lmdb", wall * per, "us", floor_wall * per),
    ]


def medians(parts: list[Work], rounds: int) -> list[tuple[float, float]]:
    """Elapsed seconds and CPU seconds of each part: the median of `rounds`, run in turns. The first round warms up."""
    walls: list[list[float]] = [[] for _ in parts]
    cpus: list[list[float]] = [[] for _ in parts]
    for number in range(rounds + 1):
        for part, wall, cpu in zip(parts, walls, cpus, strict=True):
            with Measured() as cost:
                part()
            if number:
                wall.append(cost.wall)
                cpu.append(cost.cpu)
    return [(statistics.median(wall), statistics.median(cpu)) for wall, cpu in zip(walls, cpus, strict=True)]


class Table:
    """A table of SQLite as a queue."""

    def __init__(self, path: Path) -> None:
        self.database = sqlite3.connect(path, isolation_level="DEFERRED")
        self.database.execute("PRAGMA journal_mode=WAL")
        self.database.execute("PRAGMA synchronous=FULL")
        self.database.execute("CREATE TABLE pairs (id INTEGER PRIMARY KEY, data BLOB)")
        self.database.commit()
        self.commit = self.database.commit

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *exc: object) -> None:
        self.database.close()

    def insert(self, data: bytes) -> None:
        self.database.execute("INSERT INTO pairs (data) VALUES (?)", (data,))

    def delete(self) -> bytes:
        """Take the oldest row."""
        statement = "DELETE FROM pairs WHERE id = (SELECT min(id) FROM pairs) RETURNING data"
        row: tuple[bytes] = self.database.execute(statement).fetchone()
        return row[0]


class Tree:
    """A database of LMDB as a queue."""

    def __init__(self, path: Path) -> None:
        self.environment = lmdb.open(str(path), map_size=64 << 20)
        self.next = 0

    def __enter__(self) -> Tree:
        return self

    def __exit__(self, *exc: object) -> None:
        self.environment.close()

    def put_and_delete(self, messages: list[bytes]) -> None:
        """Put messages in one transaction, then take them in another."""
        with self.environment.begin(write=True) as transaction:
            for data in messages:
                self.next += 1
                transaction.put(self.next.to_bytes(8, "big"), data, append=True)
        with self.environment.begin(write=True, buffers=False) as transaction:
            cursor = transaction.cursor()
            cursor.first()
            for _ in messages:
                cursor.value()
                cursor.delete()
