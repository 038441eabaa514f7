"""One step of a task of `bench_log.py`, compiled like the engine it drives."""

from __future__ import annotations

from flintmq.mqi.constants import MQGMO_SYNCPOINT, MQPMO_NEW_MSG_ID, MQPMO_SYNCPOINT
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.calls import Calls
from flintmq.qmgr.connection import Connection, Handle

NO_ID = bytes(24)


class Task:
    """Puts and gets in turn; each step ends with a commit that has to become durable."""

    def __init__(self, connection: Connection, handle: Handle, data: bytes) -> None:
        self.connection = connection
        self.handle = handle
        self.data = data
        self.md = MQMD()
        self.pmo = MQPMO()
        self.pmo.options = MQPMO_SYNCPOINT | MQPMO_NEW_MSG_ID
        self.gmo = MQGMO()
        self.gmo.options = MQGMO_SYNCPOINT
        self.has_put = False


def step(qm: Calls, task: Task) -> None:
    """Put and commit, or get and commit."""
    connection = task.connection
    md = task.md
    if task.has_put:
        md.msg_id = NO_ID
        md.correl_id = NO_ID
        reason = qm.get(connection, task.handle, md, task.gmo)
    else:
        md.persistence = 1
        reason = qm.put(connection, task.handle, md, task.pmo, task.data)
    task.has_put = not task.has_put
    reason |= qm.commit(connection)
    if reason:
        raise RuntimeError(f"an MQI call failed: {reason}")


def run_all(qm: Calls, tasks: list[Task]) -> None:
    """Let every task make a step; all of them then wait for the log."""
    for task in tasks:
        step(qm, task)
