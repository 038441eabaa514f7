"""Drives the engine for tests: a queue manager on page sets in memory, and applications that make MQI calls.

    driver = Driver(("QLOCAL", "Q", {"MAXDEPTH": 3}))
    app = driver.app()
    q = app.open("Q", MQOO_OUTPUT | MQOO_INPUT_SHARED)
    assert app.put(q, b"one") == 0
    assert app.get(q) == 0 and app.data == b"one"

Calls return the reason. `open` and `connect` are expected to work; `refused_open` returns why an open did not.
"""

from __future__ import annotations

from flintmq.catalogue.attribute import Value
from flintmq.mqi.constants import (
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQOT_Q,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.calls import Calls, create
from flintmq.qmgr.clock import Clock
from flintmq.qmgr.connect import abandon, connect, disconnect
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.get import expire_waits
from flintmq.qmgr.inquire import definition_changed
from flintmq.qmgr.log_port import NoLog
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.security import Authority
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSet

START_MS = 1_700_000_000_000
EVERYTHING = MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_OUTPUT

Definition = tuple[str, str, dict[str, Value]]


class Driver:
    """A queue manager QM1 with the given objects."""

    def __init__(self, *objects: Definition, authority: Authority | None = None, **q_mgr: Value) -> None:
        self.clock = Clock(START_MS)
        self.page_sets: dict[int, MemoryPageSet] = {}
        self.qm = create(
            "QM1",
            self.clock,
            NoLog(),
            self.page_set,
            authority or Authority(),
            [("QMGR", "QM1", dict(q_mgr)), *objects],
        )

    def page_set(self, psid: int) -> PageSet:
        return self.page_sets.setdefault(psid, MemoryPageSet())

    def app(self, name: str = "app", user: str = "user") -> App:
        return App(self.qm, name, user)

    def queue(self, name: str) -> Queue:
        return self.qm.queues[name]

    def alter(self, name: str, changes: dict[str, Value]) -> None:
        """ALTER of a queue."""
        definition = self.qm.catalogue.find("QUEUE", name)
        assert definition is not None
        before = dict(definition.attributes)
        definition.change(changes)
        definition_changed(self.qm, definition, before)

    def woken(self) -> list[str]:
        """Names of the applications whose waits have ended since the last time, in order."""
        names = [waiter.connection.appl_name for waiter in self.qm.woken]
        self.qm.woken.clear()
        return names

    def pass_time(self, milliseconds: int) -> None:
        self.clock.advance(milliseconds)
        expire_waits(self.qm)


class App:
    """One connection and what its last get returned."""

    def __init__(self, qm: Calls, name: str = "app", user: str = "user") -> None:
        self.qm = qm
        reason, connection = connect(qm, name, user)
        assert connection is not None, reason
        self.connection: Connection = connection
        self.md = MQMD()
        self.gmo = MQGMO()
        self.od = MQOD()

    @property
    def data(self) -> bytes:
        return self.connection.data

    @property
    def completion(self) -> int:
        return self.connection.completion

    def try_open(
        self,
        name: str,
        options: int = EVERYTHING,
        kind: int = MQOT_Q,
        q_mgr: str = "",
        dynamic: str = "AMQ.*",
        selector: str = "",
    ) -> Handle | None:
        self.od = MQOD()
        self.od.object_type = kind
        self.od.object_name = name
        self.od.object_q_mgr_name = q_mgr
        self.od.dynamic_q_name = dynamic
        self.od.selection_string = selector
        return self.qm.open(self.connection, self.od, options)

    def open(
        self,
        name: str,
        options: int = EVERYTHING,
        kind: int = MQOT_Q,
        q_mgr: str = "",
        dynamic: str = "AMQ.*",
        selector: str = "",
    ) -> Handle:
        handle = self.try_open(name, options, kind, q_mgr, dynamic, selector)
        assert handle is not None, self.connection.reason
        return handle

    def refused_open(
        self,
        name: str,
        options: int = EVERYTHING,
        kind: int = MQOT_Q,
        q_mgr: str = "",
        dynamic: str = "AMQ.*",
        selector: str = "",
    ) -> int:
        assert self.try_open(name, options, kind, q_mgr, dynamic, selector) is None
        return self.connection.reason

    def put(
        self,
        handle: Handle,
        data: bytes = b"x",
        syncpoint: bool = False,
        priority: int = -1,
        persistence: int = 0,
        msg_id: bytes = b"",
        correl_id: bytes = b"",
        expiry: int = -1,
        options: int = 0,
    ) -> int:
        md = MQMD()
        md.priority = priority
        md.persistence = persistence
        md.correl_id = correl_id.ljust(24, b"\0")
        md.expiry = expiry
        pmo = MQPMO()
        pmo.options = options | (MQPMO_SYNCPOINT if syncpoint else MQPMO_NO_SYNCPOINT)
        if msg_id:
            md.msg_id = msg_id.ljust(24, b"\0")
        else:
            pmo.options |= MQPMO_NEW_MSG_ID
        return self.qm.put(self.connection, handle, md, pmo, data)

    def put1(self, name: str, data: bytes = b"x", options: int = 0, persistence: int = 0, q_mgr: str = "") -> int:
        od = MQOD()
        od.object_name = name
        od.object_q_mgr_name = q_mgr
        md = MQMD()
        md.persistence = persistence
        pmo = MQPMO()
        pmo.options = options | MQPMO_NO_SYNCPOINT | MQPMO_NEW_MSG_ID
        return self.qm.put1(self.connection, od, md, pmo, data)

    def get(
        self,
        handle: Handle,
        options: int = 0,
        syncpoint: bool = False,
        wait_ms: int | None = None,
        max_length: int = -1,
        msg_id: bytes = b"",
        correl_id: bytes = b"",
        match: int | None = None,
        token: bytes = b"",
    ) -> int:
        self.md = MQMD()
        self.md.version = 2
        self.md.msg_id = msg_id.ljust(24, b"\0")
        self.md.correl_id = correl_id.ljust(24, b"\0")
        self.gmo = MQGMO()
        self.gmo.version = 3
        self.gmo.options = options
        if not options & 0xC70:  # Neither browse nor unlock.
            self.gmo.options |= MQGMO_SYNCPOINT if syncpoint else MQGMO_NO_SYNCPOINT
        if wait_ms is not None:
            self.gmo.options |= MQGMO_WAIT
            self.gmo.wait_interval = wait_ms
        if match is not None:
            self.gmo.match_options = match
        if token:
            self.gmo.msg_token = token
        return self.qm.get(self.connection, handle, self.md, self.gmo, max_length)

    def all(self, handle: Handle) -> list[bytes]:
        """Get everything."""
        found = []
        while self.get(handle) == 0:
            found.append(self.data)
        return found

    def commit(self) -> int:
        return self.qm.commit(self.connection)

    def backout(self) -> int:
        return self.qm.back(self.connection)

    def close(self, handle: Handle, options: int = 0) -> int:
        return self.qm.close(self.connection, handle, options)

    def disconnect(self) -> int:
        return disconnect(self.qm, self.connection)

    def abandon(self) -> None:
        abandon(self.qm, self.connection)
