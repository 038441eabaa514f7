"""A queue manager in memory for the tests of this room, and short ways to drive it.

    def test_...(engine: Engine) -> None:
        engine.define("QLOCAL", "Q", {"MAXDEPTH": 3})
        app = engine.connect()
        app.put("Q", b"1", expiry=10)
        engine.clock.advance(1001)
        assert app.get("Q").reason == MQRC_NO_MSG_AVAILABLE
        assert engine.depth("Q") == 0

`put`, `put1`, `get` and `browse` take the fields of the descriptor and of the options by name; a name that both have
goes to the descriptor. The first call with a queue name opens it, with all that the queue allows; `open` gives a handle
of its own. The clock stands still until it is told otherwise. At the end of a test every invariant of every engine is
checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from flintmq.catalogue.attribute import Value
from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import FIELDS as MD_FIELDS
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr import connect as connect_room
from flintmq.qmgr.calls import create
from flintmq.qmgr.clock import Clock
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.log_port import NoLog
from flintmq.qmgr.objects import attach_queue, log_definition, storage_changed
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.security import Authority
from flintmq.store.memory_pageset import MemoryPageSet

START_MS = 1_700_000_000_000


class Answered:
    """What a put or get said, with the structures that it filled in."""

    def __init__(self, connection: Connection, reason: int, md: MQMD, options: MQPMO | MQGMO) -> None:
        self.reason = reason
        self.completion = connection.completion
        self.md = md
        self.options = options
        self.connection = connection
        self.data = connection.data
        self.data_length = connection.data_length

    @property
    def gmo(self) -> MQGMO:
        assert isinstance(self.options, MQGMO)
        return self.options

    @property
    def pmo(self) -> MQPMO:
        assert isinstance(self.options, MQPMO)
        return self.options

    def completed(self) -> Answered:
        """The same call again, after its wait is over."""
        return Answered(self.connection, self.connection.reason, self.md, self.options)


class App:
    """One connection and the queues it has open."""

    def __init__(self, engine: Engine, connection: Connection) -> None:
        self.qm = engine.qm
        self.connection = connection
        self.handles: dict[str, Handle] = {}

    def open(self, name: str, options: int = MQOO_OUTPUT, q_mgr: str = "") -> Handle:
        """MQOPEN, which must succeed."""
        handle = self.try_open(name, options, q_mgr)
        assert handle is not None, f"open of {name}: {self.connection.reason}"
        return handle

    def try_open(self, name: str, options: int = MQOO_OUTPUT, q_mgr: str = "") -> Handle | None:
        """MQOPEN; the reason is in the connection."""
        od = MQOD()
        od.object_name = name
        od.object_q_mgr_name = q_mgr
        return self.qm.open(self.connection, od, options)

    def handle(self, queue: str | Handle) -> Handle:
        """The handle for `queue`, opened for everything when it is first used."""
        if isinstance(queue, Handle):
            return queue
        if queue not in self.handles:
            local = queue in self.qm.queues
            options = MQOO_OUTPUT | (MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_INQUIRE if local else 0)
            self.handles[queue] = self.open(queue, options)
        return self.handles[queue]

    def put(self, queue: str | Handle, data: bytes = b"", syncpoint: bool = False, **fields: Any) -> Answered:
        """MQPUT. Message ids are made by the queue manager unless one is given."""
        md, pmo = MQMD(), MQPMO()
        pmo.options = MQPMO_SYNCPOINT if syncpoint else MQPMO_NO_SYNCPOINT
        _set(md, pmo, fields)
        return Answered(self.connection, self.qm.put(self.connection, self.handle(queue), md, pmo, data), md, pmo)

    def put1(self, name: str, data: bytes = b"", syncpoint: bool = False, q_mgr: str = "", **fields: Any) -> Answered:
        """MQPUT1."""
        od, md, pmo = MQOD(), MQMD(), MQPMO()
        od.object_name = name
        od.object_q_mgr_name = q_mgr
        pmo.options = MQPMO_SYNCPOINT if syncpoint else MQPMO_NO_SYNCPOINT
        _set(md, pmo, fields)
        return Answered(self.connection, self.qm.put1(self.connection, od, md, pmo, data), md, pmo)

    def get(
        self, queue: str | Handle, syncpoint: bool = False, wait_ms: int = 0, max_length: int = -1, **fields: Any
    ) -> Answered:
        """MQGET, with a version 2 descriptor and version 3 options. With `wait_ms` the reason may be WAITING."""
        md, gmo = MQMD(), MQGMO()
        md.version, gmo.version = 2, 3
        gmo.options = MQGMO_SYNCPOINT if syncpoint else MQGMO_NO_SYNCPOINT
        if wait_ms:
            gmo.options |= MQGMO_WAIT
            gmo.wait_interval = wait_ms
        _set(md, gmo, fields)
        reason = self.qm.get(self.connection, self.handle(queue), md, gmo, max_length)
        return Answered(self.connection, reason, md, gmo)

    def browse(self, queue: str | Handle, first: bool = False, max_length: int = -1, **fields: Any) -> Answered:
        """MQGET with MQGMO_BROWSE_NEXT, or MQGMO_BROWSE_FIRST."""
        fields["options"] = fields.get("options", 0) | (MQGMO_BROWSE_FIRST if first else MQGMO_BROWSE_NEXT)
        return self.get(queue, max_length=max_length, **fields)

    def drain(self, queue: str | Handle, **fields: Any) -> list[bytes]:
        """Get until there is nothing left; the data of all."""
        result: list[bytes] = []
        while True:
            got = self.get(queue, **fields)
            if got.completion == 2:
                return result
            result.append(got.data)

    def close(self, queue: str | Handle, options: int = 0) -> int:
        """MQCLOSE."""
        handle = self.handle(queue)
        if isinstance(queue, str):
            del self.handles[queue]
        return self.qm.close(self.connection, handle, options)

    def commit(self) -> int:
        """MQCMIT."""
        return self.qm.commit(self.connection)

    def backout(self) -> int:
        """MQBACK."""
        return self.qm.back(self.connection)


def _set(md: MQMD, options: MQPMO | MQGMO, fields: dict[str, Any]) -> None:
    """Assign by name. Options are added to those that are set already."""
    for name, value in fields.items():
        if name == "options":
            options.options |= value
        elif name in MD_FIELDS:
            setattr(md, name, value)
        else:
            assert hasattr(options, name), name
            setattr(options, name, value)


class Engine:
    """A queue manager QM1 with the objects given, a dead-letter queue DLQ, and a buffer pool of `buffers`."""

    def __init__(self, qmgr: dict[str, Value] | None = None, buffers: int = 25_000) -> None:
        self.clock = Clock(START_MS)
        self.page_sets: dict[int, MemoryPageSet] = {}
        self.authority = Authority()
        objects: list[tuple[str, str, dict[str, Value]]] = [
            ("QMGR", "QM1", {"DEADQ": "DLQ", **(qmgr or {})}),
            ("BUFFPOOL", "0", {"BUFFERS": buffers}),
            ("QLOCAL", "DLQ", {}),
            ("QLOCAL", "Q", {}),
        ]
        self.qm = create("QM1", self.clock, NoLog(), self._page_set, self.authority, objects)

    def _page_set(self, psid: int) -> MemoryPageSet:
        return self.page_sets.setdefault(psid, MemoryPageSet())

    def define(self, kind: str, name: str, attributes: dict[str, Value] | None = None) -> None:
        """DEFINE, without the checks of a command."""
        definition = self.qm.catalogue.add(kind, name, attributes or {})
        log_definition(self.qm, definition)
        if kind == "QLOCAL":
            attach_queue(self.qm, definition)
        elif kind in ("PSID", "BUFFPOOL"):
            storage_changed(self.qm, definition)

    def alter(self, name: str, attributes: dict[str, Value], kind: str = "QUEUE") -> None:
        """ALTER, without the checks of a command."""
        definition = self.qm.catalogue.find(kind, name)
        assert definition is not None
        definition.change(attributes)
        if kind == "QMGR":
            self.qm.refresh()
        elif name in self.qm.queues:
            self.qm.queues[name].refresh()

    def connect(self, appl_name: str = "app", user: str = "user") -> App:
        """MQCONN."""
        reason, connection = connect_room.connect(self.qm, appl_name, user)
        assert connection is not None, f"connect: {reason}"
        return App(self, connection)

    def queue(self, name: str) -> Queue:
        return self.qm.queues[name]

    def depth(self, name: str) -> int:
        return self.qm.queues[name].depth


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.qm.check()


@pytest.fixture
def small_engine() -> Iterator[Engine]:
    """An engine whose buffer pool is so small that a few hundred messages spill to the page set."""
    made = Engine(buffers=1000)
    yield made
    made.qm.check()
