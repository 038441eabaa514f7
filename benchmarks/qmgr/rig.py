"""A queue manager on real files for the benchmarks, driven at the level of the engine."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from types import TracebackType

from flintmq.catalogue.attribute import Value
from flintmq.host.clock import system_clock
from flintmq.log import Log, LogConfig, RealFiles
from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQOO_OUTPUT
from flintmq.mqi.od import MQOD
from flintmq.qmgr.calls import Authority, Calls, create, restart
from flintmq.qmgr.connection import Connection, Handle
from flintmq.store.lmdb_pageset import LmdbPageSet
from flintmq.store.pageset import PageSet


class Rig:
    """A queue manager in a directory of its own, which goes when the `with` block ends."""

    def __init__(
        self,
        queues: dict[str, dict[str, Value]],
        buffers: int = 25_000,
        log: LogConfig | None = None,
        directory: str = "",
    ) -> None:
        self.directory = Path(directory or tempfile.mkdtemp(prefix="flint-bench-"))
        self.page_sets: list[LmdbPageSet] = []
        Log.create(RealFiles(), str(self.directory / "log"), log or LogConfig())
        self.log = Log.open(RealFiles(), str(self.directory / "log"))
        for _ in self.log.replay():
            raise AssertionError("a new log is not empty")
        objects: list[tuple[str, str, dict[str, Value]]] = [
            ("QMGR", "BENCH", {"MAXMSGL": 104_857_600, "MAXUMSGS": 999_999_999}),
            ("BUFFPOOL", "0", {"BUFFERS": buffers}),
            ("PSID", "0", {"BUFFPOOL": 0, "PAGES": 16_000_000}),
        ]
        for name, attributes in queues.items():
            objects.append(("QLOCAL", name, {"MAXDEPTH": 999_999_999, "MAXMSGL": 104_857_600, **attributes}))
        self.qm = create("BENCH", system_clock(), self.log, self._open_page_set, Authority(), objects)

    def _open_page_set(self, psid: int) -> PageSet:
        page_set = LmdbPageSet(str(self.directory / "pageset" / f"psid{psid:02d}"), psid)
        self.page_sets.append(page_set)
        return page_set

    def open(self, queue: str) -> tuple[Connection, Handle]:
        """A connection of its own with `queue` open for input and output."""
        return open_queue(self.qm, queue)

    def __enter__(self) -> Rig:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back files and directory."""
        for page_set in self.page_sets:
            page_set.close()
        self.log.abandon()
        shutil.rmtree(self.directory, ignore_errors=True)


def open_queue(qm: Calls, queue: str) -> tuple[Connection, Handle]:
    """Connect, and open `queue` for input and output."""
    reason, connection = qm.connect("bench", "user")
    assert connection is not None, reason
    od = MQOD()
    od.object_name = queue
    handle = qm.open(connection, od, MQOO_INPUT_SHARED | MQOO_OUTPUT)
    assert handle is not None, connection.reason
    return connection, handle


def start_again(directory: str) -> tuple[Calls, Log, list[LmdbPageSet]]:
    """Restart the queue manager of a rig whose process is gone."""
    page_sets: dict[int, LmdbPageSet] = {}

    def open_page_set(psid: int) -> PageSet:
        if psid not in page_sets:
            page_sets[psid] = LmdbPageSet(str(Path(directory) / "pageset" / f"psid{psid:02d}"), psid)
        return page_sets[psid]

    log = Log.open(RealFiles(), str(Path(directory) / "log"))
    qm = restart("BENCH", system_clock(), log, open_page_set, Authority())
    return qm, log, list(page_sets.values())
