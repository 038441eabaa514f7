"""The process that test_kill.py kills: a queue manager on real files under persistent load, from several threads.

    python kill_child.py DIRECTORY RUN        starts the queue manager when it gets a line on standard input

Two producers put units of work of one to five messages on QUEUE.A; a mover takes them from there to QUEUE.B, also in
units. The buffer pool holds a few dozen messages and a checkpoint is due every few hundred records, so that spills and
checkpoints happen all the time. What was committed, and only when the log is durable, is told on standard output:

    begin                            the queue manager is about to be started
    ready                            it is
    P producer unit first count      messages first..first+count-1 of this producer were put
    M producer:number ...            these messages were moved

Data of a message: producer:number:unit:first:count: and padding. A producer's name begins with the number of the run.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from random import Random

from flintmq.catalogue.attribute import Value
from flintmq.log import Log, LogConfig, RealFiles
from flintmq.mqi.constants import (
    MQGMO_SYNCPOINT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_NEW_MSG_ID,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_RESOURCE_PROBLEM
from flintmq.qmgr.calls import create, restart
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.clock import Clock
from flintmq.qmgr.connect import connect
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.security import Authority
from flintmq.store.lmdb_pageset import LmdbPageSet, page_set_directory
from flintmq.store.pageset import PageSet

QUEUES = ("QUEUE.A", "QUEUE.B")
MANY: dict[str, Value] = {"MAXDEPTH": 999_999_999}
OBJECTS: list[tuple[str, str, dict[str, Value]]] = [
    ("QMGR", "KILL", {}),
    ("BUFFPOOL", "0", {"BUFFERS": 60}),
    ("BUFFPOOL", "1", {"BUFFERS": 40}),
    ("PSID", "0", {"BUFFPOOL": 0}),
    ("PSID", "1", {"BUFFPOOL": 1}),
    ("STGCLASS", "OTHER", {"PSID": 1}),
    ("QLOCAL", "QUEUE.A", MANY),
    ("QLOCAL", "QUEUE.B", {**MANY, "STGCLASS": "OTHER"}),
]
CHECKPOINT_RECORDS = 300


class Host:
    """What a host does around the engine: one call at a time, the log flushed outside the lock, checkpoints."""

    def __init__(self, directory: str) -> None:
        self.page_sets: dict[int, LmdbPageSet] = {}
        self.directory = directory
        self.lock = threading.Lock()
        self.arrived = threading.Condition(self.lock)
        log_directory = str(Path(directory) / "log")
        new = not (Path(directory) / "complete").exists()
        if new:
            Log.create(RealFiles(), log_directory, LogConfig(file_pages=64))
        self.log = Log.open(RealFiles(), log_directory)
        if new:
            assert list(self.log.replay()) == []
            self.qm = create("KILL", Clock(1), self.log, self.open_page_set, Authority(), OBJECTS)
            (Path(directory) / "complete").touch()
        else:
            self.qm = restart("KILL", Clock(1), self.log, self.open_page_set, Authority())
        self.qm.checkpoint_records = CHECKPOINT_RECORDS

    def open_page_set(self, psid: int) -> PageSet:
        page_set = self.page_sets.get(psid)
        if page_set is None:
            page_set = LmdbPageSet(page_set_directory(str(Path(self.directory) / "pageset"), psid), psid)
            self.page_sets[psid] = page_set
        return page_set

    def connect(self) -> tuple[Connection, dict[str, Handle]]:
        """A connection with both queues open."""
        reason, connection = connect(self.qm, "kill", "user")
        assert connection is not None, reason
        handles: dict[str, Handle] = {}
        for name in QUEUES:
            od = MQOD()
            od.object_name = name
            handle = self.qm.open(connection, od, MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE)
            assert handle is not None, connection.reason
            handles[name] = handle
        return connection, handles

    def put(self, connection: Connection, handle: Handle, data: bytes) -> None:
        md, pmo = MQMD(), MQPMO()
        md.persistence = 1
        pmo.options = MQPMO_SYNCPOINT | MQPMO_NEW_MSG_ID
        reason = self.qm.put(connection, handle, md, pmo, data)
        assert reason == 0, f"put: {reason}"

    def get(self, connection: Connection, handle: Handle) -> bytes | None:
        md, gmo = MQMD(), MQGMO()
        gmo.options = MQGMO_SYNCPOINT
        reason = self.qm.get(connection, handle, md, gmo)
        if reason == MQRC_NO_MSG_AVAILABLE:
            return None
        assert reason == 0, f"get: {reason}"
        return connection.data

    def commit(self, connection: Connection) -> int:
        """Commit, with a checkpoint when one is due or the log is full. Returns the position to force."""
        reason = self.qm.commit(connection)
        if reason == MQRC_RESOURCE_PROBLEM:
            checkpoint(self.qm)
            reason = self.qm.commit(connection)
        assert reason == 0, f"commit: {reason}"
        force = connection.force
        if self.qm.needs_checkpoint() or self.log.used_fraction > 0.5:
            checkpoint(self.qm)
        return force

    def force(self, position: int) -> None:
        if self.log.durable < position:
            self.log.flush()

    def close(self) -> None:
        """As if the process had ended."""
        self.log.abandon()
        for page_set in self.page_sets.values():
            page_set.close()


def tell(line: str) -> None:
    """One write to the pipe: all of the line or nothing of it is seen."""
    os.write(1, line.encode() + b"\n")


def produce(host: Host, producer: str, random: Random) -> None:
    connection, handles = host.connect()
    number = unit = 0
    while True:
        count = random.randint(1, 5)
        with host.lock:
            for offset in range(count):
                head = f"{producer}:{number + offset}:{unit}:{number}:{count}:".encode()
                host.put(connection, handles["QUEUE.A"], head.ljust(random.choice([60, 500, 5000]), b"."))
            position = host.commit(connection)
            host.arrived.notify()
        host.force(position)
        tell(f"P {producer} {unit} {number} {count}")
        number += count
        unit += 1


def move(host: Host, random: Random) -> None:
    connection, handles = host.connect()
    while True:
        moved: list[str] = []
        with host.lock:
            for _ in range(random.randint(1, 5)):
                data = host.get(connection, handles["QUEUE.A"])
                if data is None:
                    break
                host.put(connection, handles["QUEUE.B"], data)
                moved.append(":".join(data.decode().split(":", 2)[:2]))
            if not moved:
                host.arrived.wait()
                continue
            position = host.commit(connection)
        host.force(position)
        tell("M " + " ".join(moved))


def main() -> None:
    directory, run = sys.argv[1], sys.argv[2]
    sys.stdin.readline()
    tell("begin")
    host = Host(directory)
    tell("ready")
    work = [
        threading.Thread(target=produce, args=(host, f"{run}a", Random(f"{run}a"))),
        threading.Thread(target=produce, args=(host, f"{run}b", Random(f"{run}b"))),
        threading.Thread(target=move, args=(host, Random(f"{run}m"))),
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()


if __name__ == "__main__":
    main()
