"""coordination: client CPU of a message that is moved between queues with a row per database; floor: the move alone.

Queue manager and PostgreSQL run in processes of their own; only the client is measured. Without PostgreSQL there are
only the figures of mq_only.

mq_only            get, put, MQCMIT; floor: the same without the coordinator
uncoordinated      and one row: COMMIT, then MQCMIT; floor: mq_only
coordinated_1      and one row, two phases
coordinated_2      and a row in each of two databases, two phases
..._wall           the same by the wall clock
..._syncs          flushes of PostgreSQL's log per message (pg_stat_wal), without floor; not in a tiny run
"""

from __future__ import annotations

import io
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, redirect_stdout
from pathlib import Path

import flintmq
from benchmarks.frame import Figure, Options, cpu_seconds
from flintmq.broker.runtime.coordination import Coordinator, Member
from flintmq.broker.runtime.data_sources import InstanceSources, Settings, read_settings
from flintmq.broker.runtime.decisions import Branches, QueueDecisions, create_queue, queue_manager_id
from flintmq.cli.main import main as flint
from flintmq.host import instance
from flintmq.host.lock import holder_of
from flintmq.server import process
from flintmq.server.control import Control
from tools.postgres import Cluster, programs

NAME = "coordination"


class Mover:
    """One way to move a message."""

    def __init__(
        self, qm: flintmq.RemoteQueueManager, settings: dict[str, Settings], names: list[str], coordinated: bool
    ) -> None:
        self.connection = qm.connect()
        self.incoming, self.outgoing = self.connection.queue("IN"), self.connection.queue("OUT")
        self.decisions = QueueDecisions(self.connection)
        member = Member(queue_manager_id(qm), "BENCH", "default", "Move", coordinated)
        self.sources = InstanceSources(settings)
        self.coordinator = Coordinator(member, self.sources, Branches())
        self.names = names

    def plain(self) -> None:
        """Move without a coordinator."""
        message = self.incoming.get(syncpoint=True)
        self.outgoing.put(message.data, persistent=True, syncpoint=True)
        self.connection.commit()

    def move(self) -> None:
        """Move with a coordinator."""
        message = self.incoming.get(syncpoint=True)
        coordinator = self.coordinator
        coordinator.begin(self.decisions)
        for name in self.names:
            coordinator.source(name).execute("INSERT INTO moved VALUES (?)", [1])
        self.outgoing.put(message.data, persistent=True, syncpoint=True)
        coordinator.commit()

    def close(self) -> None:
        """End it."""
        self.coordinator.close()
        self.connection.close()


def run(options: Options) -> list[Figure]:
    """Measure in a queue manager and a cluster of its own."""
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="flintmq-bench-"))
        before = os.environ.get("FLINTMQ_DATA")
        os.environ["FLINTMQ_DATA"] = directory
        stack.callback(_restore, before)
        place = instance.by_name("BENCH")
        with redirect_stdout(io.StringIO()):
            assert flint(["crtmqm", "-q", "BENCH"]) == 0
        process.start(place)
        stack.callback(_end, place)
        qm = stack.enter_context(flintmq.connect("BENCH"))
        create_queue(qm)
        for name in ("IN", "OUT"):
            qm.queue(name, create=True, maxdepth=999_999)
        cluster = stack.enter_context(Cluster()) if programs() is not None else None
        settings: dict[str, Settings] = {}
        if cluster is not None:
            secret = Path(directory) / "password"
            secret.write_text(cluster.password)
            for name in ("one", "two"):
                cluster.create_database(name)
                cluster.run(name, "CREATE TABLE moved (n integer)")
            settings = read_settings(
                {name: {"url": cluster.url(name), "passwordFile": str(secret)} for name in ("one", "two")}
            )
        return _figures(qm, settings, cluster, options)


def _figures(
    qm: flintmq.RemoteQueueManager, settings: dict[str, Settings], cluster: Cluster | None, options: Options
) -> list[Figure]:
    count = options.scale(full=300, quick=100, tiny=3)
    rounds = options.scale(full=7, quick=3, tiny=1)
    ways: dict[str, tuple[Mover, Callable[[], None]]] = {}
    bare = Mover(qm, settings, [], True)
    ways["bare"] = (bare, bare.plain)
    cases: list[tuple[str, list[str], bool]] = [("mq_only", [], True)]
    if cluster is not None:
        cases += [
            ("uncoordinated", ["one"], False),
            ("coordinated_1", ["one"], True),
            ("coordinated_2", ["one", "two"], True),
        ]
    for name, names, coordinated in cases:
        mover = Mover(qm, settings, names, coordinated)
        ways[name] = (mover, mover.move)
    cpu = dict.fromkeys(ways, float("inf"))
    wall = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, (_, work) in ways.items():
            _fill(qm, count + 1)
            work()  # Connections and registrations are made.
            started, used = time.perf_counter(), cpu_seconds()
            for _ in range(count):
                work()
            cpu[name] = min(cpu[name], (cpu_seconds() - used) / count)
            wall[name] = min(wall[name], (time.perf_counter() - started) / count)
    for mover, _ in ways.values():
        mover.close()
    figures = [Figure("mq_only", cpu["mq_only"] * 1e6, "us", cpu["bare"] * 1e6)]
    for name, _, _ in cases[1:]:
        figures.append(Figure(name, cpu[name] * 1e6, "us", cpu["mq_only"] * 1e6))
    for name, _, _ in cases:
        figures.append(Figure(f"{name}_wall", wall[name] * 1e6, "us", wall["bare"] * 1e6))
    if cluster is not None and not options.tiny:
        for name, names, coordinated in cases:
            mover, before = Mover(qm, settings, names, coordinated), _flushes(cluster)
            _fill(qm, count)
            for _ in range(count):
                mover.move()
            mover.close()
            figures.append(Figure(f"{name}_syncs", (_flushes(cluster) - before) / count, "per message"))
    return figures


def _fill(qm: flintmq.RemoteQueueManager, count: int) -> None:
    with qm.transaction():
        for _ in range(count):
            qm.queue("IN").put(bytes(1024), persistent=True)


def _flushes(cluster: Cluster) -> float:
    """Return the flushes of the log of PostgreSQL by sessions that have ended."""
    with cluster.connect("postgres") as connection:
        seen = -1
        while True:
            row = connection.execute("SELECT wal_sync FROM pg_stat_wal").fetchone()
            assert row is not None
            if int(row[0]) == seen:
                return float(seen)
            seen = int(row[0])
            time.sleep(1.1)


def _end(place: instance.Instance) -> None:
    with Control(place) as control:
        control.ask({"do": "end", "how": "preemptive"})
    while holder_of(place.lock_path) is not None:  # Its files are removed next.
        time.sleep(0.01)


def _restore(before: str | None) -> None:
    if before is None:
        del os.environ["FLINTMQ_DATA"]
    else:
        os.environ["FLINTMQ_DATA"] = before
