"""A queue manager that can be switched off: on a real log and real page sets, or on simulated ones.

    machine = Machine("memory", None, [("QLOCAL", "Q", {})], buffers=100)
    machine.connect().put("Q", b"1", persistence=1)
    machine.log.flush()
    machine.crash()                      # a power failure; what was not synced is gone. Then a start
    assert machine.connect().get("Q").data == b"1"

    kind      log                      page sets                       crash() takes
    memory    on a SimulatedDisk       MemoryPageSet(simulate=True)    all that was not synced
    lmdb      files in a directory     LmdbPageSet                     nothing that was written: only the process dies

`apps` are those of conftest.py. After every start all invariants are checked.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from flintmq.catalogue.attribute import Value
from flintmq.log import FileSystem, Log, LogConfig, RealFiles
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQRC_NONE
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.calls import create, restart
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.clock import Clock
from flintmq.qmgr.connect import abandon
from flintmq.qmgr.message import Message
from flintmq.qmgr.paging import pager_of
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.records import ONLY, PLACE
from flintmq.qmgr.security import Authority
from flintmq.qmgr.unit_of_work import log_put
from flintmq.qmgr.xa import TMSUCCESS, pack_xid, xa_end, xa_prepare, xa_start
from flintmq.store.chunk import Chunk
from flintmq.store.lmdb_pageset import LmdbPageSet, page_set_directory
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import LaneState, PageSet, PageSetBatch, PageSetStatistics
from tests.qmgr.conftest import START_MS, App, Engine
from tests.simulation.disk import SimulatedDisk

Definition = tuple[str, str, dict[str, Value]]
DEEP: dict[str, Value] = {"MAXDEPTH": 999_999_999}


class Worst(Random):
    """Of what a crash may leave, the least."""

    def randint(self, a: int, b: int) -> int:
        return a


class Watched:
    """A page set that tells what it is asked for. (Compiled classes cannot be derived from or patched.)"""

    def __init__(self, inner: PageSet) -> None:
        self.inner = inner
        self.before_apply: Callable[[PageSetBatch], None] | None = None
        self.before_read: Callable[[], None] | None = None

    def apply(self, batch: PageSetBatch, sync: bool) -> None:
        if self.before_apply is not None:
            self.before_apply(batch)
        self.inner.apply(batch, sync)

    def sync(self) -> None:
        self.inner.sync()

    def chunk(self, volatile: bool, queue: int, lane: int, first: int) -> Chunk | None:
        if self.before_read is not None:
            self.before_read()
        return self.inner.chunk(volatile, queue, lane, first)

    def chunk_at(self, volatile: bool, queue: int, lane: int, sequence: int) -> Chunk | None:
        if self.before_read is not None:
            self.before_read()
        return self.inner.chunk_at(volatile, queue, lane, sequence)

    def lanes(self, queue: int) -> list[LaneState]:
        return self.inner.lanes(queue)

    def lookup(self, volatile: bool, queue: int, key: bytes, limit: int = 0) -> list[tuple[int, int]]:
        return self.inner.lookup(volatile, queue, key, limit)

    def expiring(self, volatile: bool, until: int, after: bytes, limit: int) -> list[bytes]:
        return self.inner.expiring(volatile, until, after, limit)

    def queues(self) -> list[int]:
        return self.inner.queues()

    def meta(self, key: bytes) -> bytes | None:
        return self.inner.meta(key)

    def meta_items(self, prefix: bytes) -> list[tuple[bytes, bytes]]:
        return self.inner.meta_items(prefix)

    def statistics(self) -> PageSetStatistics:
        return self.inner.statistics()

    def trim(self) -> None:
        self.inner.trim()

    def close(self) -> None:
        self.inner.close()


class Machine(Engine):
    """See the docstring of the module. The queue manager is QM1; its buffer pools and page sets are among `objects`."""

    def __init__(
        self,
        kind: str = "memory",
        directory: Path | None = None,
        objects: list[Definition] | None = None,
        buffers: int = 25_000,
        config: LogConfig | None = None,
        qmgr: dict[str, Value] | None = None,
        page_sets: dict[int, PageSet] | None = None,
    ) -> None:
        self.kind = kind
        self.clock = Clock(START_MS)
        self.authority = Authority()
        self.disk = SimulatedDisk()
        self.directory = str(directory) if directory is not None else "machine"
        self.open_page_sets: dict[int, PageSet] = dict(page_sets or {})
        Log.create(self.files, self.log_directory, config or LogConfig(file_pages=256))
        self.log = Log.open(self.files, self.log_directory)
        assert list(self.log.replay()) == []
        definitions: list[Definition] = [("QMGR", "QM1", {"MAXUMSGS": 999_999_999, **(qmgr or {})})]
        definitions.append(("BUFFPOOL", "0", {"BUFFERS": buffers}))
        definitions += objects if objects is not None else [("QLOCAL", "Q", {"MAXDEPTH": 999_999_999})]
        self.qm = create("QM1", self.clock, self.log, self.page_set, self.authority, definitions)
        self.admin = Admin(self.qm)

    @property
    def files(self) -> FileSystem:
        return self.disk if self.kind == "memory" else RealFiles()

    @property
    def log_directory(self) -> str:
        return f"{self.directory}/log"

    def page_set(self, psid: int) -> PageSet:
        """Open a page set, or return the one that is open."""
        found = self.open_page_sets.get(psid)
        if found is None:
            if self.kind == "memory":
                found = MemoryPageSet(simulate=True)
            else:
                found = LmdbPageSet(page_set_directory(f"{self.directory}/pageset", psid), psid)
            self.open_page_sets[psid] = found
        return found

    def memory(self, psid: int = 0) -> MemoryPageSet:
        """A page set of the kind "memory"."""
        page_set = self.open_page_sets[psid]
        assert isinstance(page_set, MemoryPageSet)
        return page_set

    # -- the end and the start ------------------------------------------------------------------------------------

    def checkpoint(self) -> None:
        checkpoint(self.qm)

    def stop(self, lose_page_sets: bool = True) -> None:
        """The power fails: the log keeps what was synced; the page sets too, or (as it happens) all they were given."""
        if self.kind == "memory":
            self.disk = self.disk.crash(Worst())
            for psid in list(self.open_page_sets):
                page_set = self.memory(psid)
                self.open_page_sets[psid] = page_set.crash(page_set.unsynced if lose_page_sets else 0)
        else:
            self.log.abandon()
            self._close_page_sets()

    def kill(self) -> None:
        """The process ends; what it has written is there, synced or not."""
        if self.kind == "memory":
            self.disk = self.disk.kill()
            for psid in list(self.open_page_sets):
                self.open_page_sets[psid] = self.memory(psid).crash(0)
        else:
            self.stop()

    def end(self) -> None:
        """The clean end."""
        for connection in list(self.qm.connections.values()):
            abandon(self.qm, connection)
        checkpoint(self.qm, keep_nonpersistent=True)
        self.log.close()
        if self.kind == "memory":
            for psid in list(self.open_page_sets):
                self.open_page_sets[psid] = self.memory(psid).reopen()
        else:
            self._close_page_sets()

    def _close_page_sets(self) -> None:
        for page_set in self.open_page_sets.values():
            page_set.close()
        self.open_page_sets = {}

    def start(self) -> None:
        self.log = Log.open(self.files, self.log_directory)
        self.qm = restart("QM1", self.clock, self.log, self.page_set, self.authority)
        self.admin = Admin(self.qm)
        self.qm.check()

    def crash(self, lose_page_sets: bool = True) -> None:
        """A power failure and a start."""
        self.stop(lose_page_sets)
        self.start()

    def bounce(self) -> None:
        """A clean end and a start."""
        self.end()
        self.start()

    def close(self) -> None:
        """Give back files at the end of a test."""
        if self.kind != "memory":
            self.log.abandon()
            self._close_page_sets()

    # -- contents -------------------------------------------------------------------------------------------------

    def contents(self, name: str) -> list[bytes]:
        """The data of all messages that a browse returns, in order."""
        app = self.connect()
        found: list[bytes] = []
        got = app.browse(name, first=True)
        while got.completion == 0:
            found.append(got.data)
            got = app.browse(name)
        abandon(self.qm, app.connection)
        return found

    def stored(self, name: str) -> list[int]:
        """The sequences of all live slots that the page set has of a queue."""
        queue = self.queue(name)
        page_set = pager_of(queue).page_set
        found: list[int] = []
        for volatile, lane, first, last, _ in page_set.lanes(queue.queue_id):
            at = first
            while at <= last:
                chunk = page_set.chunk_at(volatile, queue.queue_id, lane, at)
                assert chunk is not None
                found += [sequence for sequence in chunk.sequences() if sequence not in chunk.dead]
                at = chunk.last + 1
        return sorted(found)

    # -- records of the log, written by hand ----------------------------------------------------------------------

    def log_put(self, name: str, sequence: int, data: bytes, flag: int = ONLY, lane: int = 0) -> int:
        """Log the put of a persistent message; the queue does not hear of it."""
        md = MQMD()
        md.persistence = 1
        md.priority = lane
        md.msg_id = sequence.to_bytes(24, "big")
        return log_put(self.qm, Message(self.queue(name), sequence, lane, data, md), flag)

    def log_place(self, kind: int, queue_id: int, sequence: int, lane: int = 0) -> int:
        """Log a GET or CLEAR; the queue does not hear of it."""
        return self.qm.append(kind, PLACE.pack(queue_id, sequence, lane))


def fill(app: App, name: str, count: int, start: int = 0, length: int = 100, **fields: Any) -> list[bytes]:
    """Put `count` messages; returns their data, which begins with a number."""
    made: list[bytes] = []
    for number in range(start, start + count):
        data = f"{number}:".encode().ljust(length, b".")
        answered = app.put(name, data, **fields)
        assert answered.completion == 0, f"put {number}: {answered.reason}"
        made.append(data)
    return made


def number_of(data: bytes) -> int:
    """The number at the beginning of a message."""
    return int(data.partition(b":")[0])


def loaded(queue: Queue) -> int:
    """How many messages of a queue are in memory."""
    return len(queue.messages_in_memory())


def local(name: str, **attributes: Value) -> Definition:
    return ("QLOCAL", name, {**DEEP, **attributes})


def one_machine(buffers: int = 25_000) -> Machine:
    return Machine("memory", None, [local("Q")], buffers)


def prepare_some(machine: Machine, app: App, puts: int, gets: int, name: bytes = b"g") -> bytes:
    """A branch in doubt with persistent messages put, numbered from 0, and got."""
    xid = pack_xid(1, name, b"b")
    assert xa_start(machine.qm, app.connection, xid) == 0
    fill(app, "Q", puts, persistence=1, syncpoint=True)
    for _ in range(gets):
        assert app.get("Q", syncpoint=True).reason == MQRC_NONE
    assert xa_end(machine.qm, app.connection, xid, TMSUCCESS) == 0
    assert xa_prepare(machine.qm, app.connection, xid) == 0
    return xid


def damage_meta(machine: Machine, key: bytes, value: bytes | None, psid: int = 0) -> None:
    batch = PageSetBatch()
    if value is None:
        batch.delete_meta(key)
    else:
        batch.put_meta(key, value)
    machine.open_page_sets[psid].apply(batch, True)
