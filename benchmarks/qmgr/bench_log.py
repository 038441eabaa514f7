"""log: persistent messages, log MB/s for 3 and 70 tasks and 1 KiB to 4 MiB messages (Z93-R06, B124, B125).

Each task puts a persistent message under syncpoint, commits and waits until the log has it; then gets it, commits and
waits. The tasks run as an event loop runs them: all that can run, run; then one flush; so the commits of a turn share
one fdatasync. The floor writes the same bytes in the same number of pieces with a bare pwrite and fdatasync each, to a
preallocated file beside the log, in the same run and in turns. The ratio is our MB/s over the floor's; bar: 0.8.
Figures SIZE_TASKS_commits are commits per fdatasync.

    ./flint bench log
"""

from __future__ import annotations

import os
import time

from benchmarks.frame import Figure, Options
from benchmarks.qmgr.rig import Rig
from flintmq.log import LogConfig
from flintmq.mqi.constants import MQGMO_SYNCPOINT, MQPMO_NEW_MSG_ID, MQPMO_SYNCPOINT
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.get import get
from flintmq.qmgr.put import put
from flintmq.qmgr.unit_of_work import commit

NAME = "log"
KIB = 1024
SIZES = {"1k": KIB, "16k": 16 * KIB, "64k": 64 * KIB, "1m": KIB * KIB, "4m": 4 * KIB * KIB}
CASES = [("1k", 3), ("1k", 70), ("16k", 3), ("16k", 70), ("64k", 3), ("64k", 70), ("1m", 3), ("4m", 3)]


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


def run(options: Options) -> list[Figure]:
    """MB/s of the log and of the floor."""
    cases = CASES if not options.tiny else [("1k", 3)]
    figures: list[Figure] = []
    progress = options.progress("log", len(cases))
    for done, (size, tasks) in enumerate(cases):
        progress.at(done, f"{size}, {tasks} tasks")
        seconds = options.scale(8, 2, 0)
        figures.extend(measure(f"{size}_{tasks}", SIZES[size], tasks, seconds))
    progress.done()
    return figures


def measure(name: str, size: int, task_count: int, seconds: float) -> list[Figure]:
    """One case: rounds of the engine and of the floor in turns."""
    config = LogConfig(file_pages=16_384, primary=8, secondary=2)
    with Rig({"COMMON": {}}, log=config) as rig:
        tasks = [Task(*rig.open("COMMON"), os.urandom(size)) for _ in range(task_count)]
        file = os.open(rig.directory / "floor", os.O_RDWR | os.O_CREAT, 0o600)
        floor_size = 256 << 20 if seconds else 8 << 20
        for at in range(0, floor_size, 1 << 20):
            os.pwrite(file, bytes(1 << 20), at)
        os.fsync(file)
        ours, floor = [], []
        commits = syncs = 0
        offset = 0
        deadline = time.perf_counter() + seconds
        turns = max(2, 2 * int(24 * KIB * KIB / max(size * task_count, 48 * KIB)))
        source = os.urandom(max(1 << 20, size * task_count * 2))
        while True:
            if rig.qm.needs_checkpoint():
                checkpoint(rig.qm)
            pieces: list[int] = []
            started = time.perf_counter()
            moved = turn(rig, tasks, turns, pieces)
            ours.append(moved / (time.perf_counter() - started))
            commits += turns * task_count
            syncs += len(pieces)
            started = time.perf_counter()
            for piece in pieces:
                if offset + piece > floor_size:
                    offset = 0
                os.pwrite(file, memoryview(source)[:piece], offset)
                os.fdatasync(file)
                offset += piece
            floor.append(sum(pieces) / (time.perf_counter() - started))
            if time.perf_counter() >= deadline:
                break
        os.close(file)
    return [
        Figure(name, median(ours) / 1e6, "MB/s", median(floor) / 1e6),
        Figure(f"{name}_commits", commits / syncs, "per sync"),
    ]


def turn(rig: Rig, tasks: list[Task], turns: int, pieces: list[int]) -> int:
    """Let every task make so many steps; notes the bytes of each flush in `pieces`, returns their sum."""
    qm, log = rig.qm, rig.log
    first = log.end
    for _ in range(turns):
        before = log.end
        for task in tasks:
            connection = task.connection
            if task.has_put:
                task.md.msg_id = task.md.correl_id = bytes(24)
                reason = get(qm, connection, task.handle, task.md, task.gmo)
            else:
                task.md.persistence = 1
                reason = put(qm, connection, task.handle, task.md, task.pmo, task.data)
            task.has_put = not task.has_put
            reason |= commit(qm, connection)
            if reason:
                raise RuntimeError(f"an MQI call failed: {reason}")
        log.flush()
        pieces.append(log.end - before)
    return log.end - first


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
