"""The applications that `bench_stream.py` measures, compiled like the engine.

Putter    MQPUT; for a persistent message, or when asked for, under syncpoint with an MQCMIT
Reader    MQGET with wait, which the put completes; then, for persistent messages under syncpoint, an MQCMIT; and
          the next MQGET with wait. A reader with a batch of n gets n messages without waiting, n puts later
"""

from __future__ import annotations

from flintmq.log.log import Log
from flintmq.mqi.constants import (
    MQGMO_NO_SYNCPOINT,
    MQGMO_NO_WAIT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_OUTPUT,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
    MQWI_UNLIMITED,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.calls import Calls
from flintmq.qmgr.connection import WAITING, Connection, Handle

NO_ID = bytes(24)


class Putter:
    """App1: it puts."""

    def __init__(
        self,
        qm: Calls,
        connection: Connection,
        handle: Handle,
        data: bytes,
        persistent: bool,
        syncpoint: bool = False,
    ) -> None:
        self.qm = qm
        self.connection = connection
        self.handle = handle
        self.data = data
        self.syncpoint = persistent or syncpoint
        self.md = MQMD()
        self.md.persistence = 1 if persistent else 0
        self.pmo = MQPMO()
        self.pmo.options = MQPMO_NEW_MSG_ID | (MQPMO_SYNCPOINT if self.syncpoint else MQPMO_NO_SYNCPOINT)

    def step(self) -> None:
        """Put one message."""
        reason = self.qm.put(self.connection, self.handle, self.md, self.pmo, self.data)
        if self.syncpoint:
            reason |= self.qm.commit(self.connection)
        if reason:
            raise RuntimeError(f"a put failed: {reason}")


class Reader:
    """App2 or a reader of copies: it gets, and waits if there is nothing."""

    def __init__(self, qm: Calls, connection: Connection, handle: Handle, persistent: bool, batch: int = 0) -> None:
        self.qm = qm
        self.connection = connection
        self.handle = handle
        self.persistent = persistent
        self.batch = batch
        self.behind = 0
        self.md = MQMD()
        self.gmo = MQGMO()
        self.gmo.options = MQGMO_SYNCPOINT if persistent else MQGMO_NO_SYNCPOINT
        if batch:
            self.gmo.options |= MQGMO_NO_WAIT
        else:
            self.gmo.options |= MQGMO_WAIT
            self.gmo.wait_interval = MQWI_UNLIMITED
            self.wait()

    def wait(self) -> None:
        """MQGET for a message that has not been put yet."""
        self.md.msg_id = NO_ID
        self.md.correl_id = NO_ID
        if self.qm.get(self.connection, self.handle, self.md, self.gmo, 4096) != WAITING:
            raise RuntimeError("a get did not wait: messages have built up")

    def step(self) -> None:
        """The wait is over: commit, and wait for the next."""
        if self.batch:
            self.behind += 1
            if self.behind == self.batch:
                self.behind = 0
                self.read_batch()
            return
        if self.connection.reason or self.connection.data_length == 0:
            raise RuntimeError(f"a wait was not served: {self.connection.reason}")
        if self.persistent:
            if self.qm.commit(self.connection):
                raise RuntimeError("a commit failed")
        self.wait()

    def read_batch(self) -> None:
        """Get what has come, and commit."""
        reason = 0
        for _ in range(self.batch):
            self.md.msg_id = NO_ID
            self.md.correl_id = NO_ID
            reason |= self.qm.get(self.connection, self.handle, self.md, self.gmo, 4096)
        if self.persistent:
            reason |= self.qm.commit(self.connection)
        if reason:
            raise RuntimeError(f"a get failed: {reason}")


def exchange(qm: Calls, putters: list[Putter], readers: list[Reader], count: int, log: Log | None) -> None:
    """Each putter puts `count` messages, all readers keep up. The log is forced before anybody goes on."""
    for _ in range(count):
        for putter in putters:
            putter.step()
        if log is not None:
            log.flush()
        qm.woken.clear()
        for reader in readers:
            reader.step()
        if log is not None:
            log.flush()


def puts(putter: Putter, count: int) -> None:
    """So many puts."""
    for _ in range(count):
        putter.step()


def opens(qm: Calls, connection: Connection, name: str, count: int) -> None:
    """MQOPEN for output and MQCLOSE, so many times."""
    od = MQOD()
    od.object_name = name
    for _ in range(count):
        handle = qm.open(connection, od, MQOO_OUTPUT)
        if handle is None or qm.close(connection, handle):
            raise RuntimeError(f"open or close of {name} failed: {connection.reason}")
