"""log: persistent messages, log MB/s for 3 and 70 tasks and 1 KiB to 4 MiB messages (Z93-R06, B124, B125).

Each task puts a persistent message under syncpoint, commits and waits until the log has it; then gets it, commits and
waits. The tasks run as an event loop runs them: all that can run, run; then one flush, which their commits share. (A
thread that flushes while the loop goes on was tried: handing over costs more than the overlap brings.)

The floor writes the same bytes in the same pieces with a bare pwrite and fdatasync each, to a preallocated file beside
the log, in the same run and in turns. The ratio is our MB/s over the floor's; bar: 0.8. Figures SIZE_TASKS_commits are
commits per fdatasync.

    ./flint bench log
"""

from __future__ import annotations

import os
import time

from benchmarks.frame import Figure, Options
from benchmarks.qmgr.floor_log import Task, run_all
from benchmarks.qmgr.rig import Rig
from flintmq.log import LogConfig

NAME = "log"
KIB = 1024
SIZES = {"1k": KIB, "16k": 16 * KIB, "64k": 64 * KIB, "1m": KIB * KIB, "4m": 4 * KIB * KIB}
CASES = [("1k", 3), ("1k", 70), ("16k", 3), ("16k", 70), ("64k", 3), ("64k", 70), ("1m", 3), ("4m", 3)]


def run(options: Options) -> list[Figure]:
    """MB/s of the log and of the floor."""
    cases = CASES if not options.tiny else [("1k", 3), ("1k", 70)]
    figures: list[Figure] = []
    progress = options.progress("log", len(cases))
    for done, (size, tasks) in enumerate(cases):
        progress.at(done, f"{size}, {tasks} tasks")
        figures.extend(measure(f"{size}_{tasks}", SIZES[size], tasks, options.scale(8, 3, 0)))
    progress.done()
    return figures


def measure(name: str, size: int, task_count: int, seconds: float) -> list[Figure]:
    """One case: rounds of the engine and of the floor in turns."""
    config = LogConfig(file_pages=16_384, primary=8, secondary=2) if seconds else LogConfig()
    with Rig({"COMMON": {}}, log=config) as rig:
        tasks = [Task(*rig.open("COMMON"), os.urandom(size)) for _ in range(task_count)]
        floor = BareWriter(str(rig.directory / "floor"), (256 << 20) if seconds else (8 << 20), size * task_count)
        ours: list[float] = []
        floors: list[float] = []
        commits = syncs = 0
        steps = task_count * max(4, int((24 << 20) / max(size * task_count, 48 * KIB)))
        deadline = time.perf_counter() + seconds
        while True:
            if rig.qm.needs_checkpoint():
                rig.qm.checkpoint()
            pieces: list[int] = []
            first = rig.log.end
            started = time.perf_counter()
            in_turn(rig, tasks, steps, pieces)
            ours.append((rig.log.end - first) / (time.perf_counter() - started))
            commits += steps
            syncs += len(pieces)
            floors.append(floor.write(pieces))
            if time.perf_counter() >= deadline:
                break
        floor.close()
    return [
        Figure(name, median(ours) / 1e6, "MB/s", median(floors) / 1e6),
        Figure(f"{name}_commits", commits / syncs, "/sync"),
    ]


def in_turn(rig: Rig, tasks: list[Task], steps: int, pieces: list[int]) -> None:
    """All tasks make a step, then the log is flushed."""
    log = rig.log
    for _ in range(steps // len(tasks)):
        before = log.end
        run_all(rig.qm, tasks)
        log.flush()
        pieces.append(log.end - before)


class BareWriter:
    """The floor: pieces of bytes written and synced one after the other."""

    def __init__(self, path: str, size: int, piece_max: int) -> None:
        self.file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self.size = size
        for at in range(0, size, 1 << 20):
            os.pwrite(self.file, bytes(1 << 20), at)
        os.fsync(self.file)
        self.offset = 0
        self.source = memoryview(os.urandom(max(1 << 20, 2 * piece_max)))

    def write(self, pieces: list[int]) -> float:
        """Bytes per second."""
        started = time.perf_counter()
        for piece in pieces:
            if self.offset + piece > self.size:
                self.offset = 0
            os.pwrite(self.file, self.source[:piece], self.offset)
            os.fdatasync(self.file)
            self.offset += piece
        return sum(pieces) / (time.perf_counter() - started)

    def close(self) -> None:
        os.close(self.file)


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
