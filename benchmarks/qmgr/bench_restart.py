"""restart: how long a start takes after a kill, with 1 M and 8 M messages on an indexed queue (Z701-W08; B152-B159).

A process of its own puts 100-byte persistent messages on a queue indexed by correlation id and is killed (SIGKILL) in
the middle of its work. Measured is the time from opening the files until the first get by correlation id has returned
its message. The floor is reading every message once from the page set, in the same run. Bar: 8 M at most 1.5 x 1 M, and
at most 0.1 x its floor. The report that this comes from took 280 s for 8 M.

    ./flint bench restart
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from benchmarks.frame import Figure, Options
from benchmarks.qmgr.bench_deep import correl_id
from benchmarks.qmgr.rig import Rig, open_queue, start_again
from flintmq.log import LogConfig
from flintmq.mqi.constants import MQGMO_NO_SYNCPOINT, MQPMO_NEW_MSG_ID, MQPMO_SYNCPOINT
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.store.lmdb_pageset import LmdbPageSet

NAME = "restart"
PER_UNIT = 1000
DATA = bytes(100)


def run(options: Options) -> list[Figure]:
    """Seconds until the first get, and seconds to read everything."""
    sizes = {"restart_1m": 1_000_000, "restart_8m": 8_000_000}
    if options.quick:
        sizes = {"restart_1m": 100_000, "restart_8m": 800_000}
    if options.tiny:
        sizes = {"restart_1m": 2_000}
    figures: list[Figure] = []
    first = 0.0
    progress = options.progress("restart", sum(sizes.values()))
    done = 0
    for name, depth in sizes.items():
        seconds, floor = measure(depth, progress.at, done)
        done += depth
        figures.append(Figure(name, seconds, "s", floor))
        first = first or seconds
    progress.done()
    if len(figures) == 2:
        figures.append(Figure("restart_8m_to_1m", figures[1].value, "s", first))
    return figures


def measure(depth: int, show: object, done: int) -> tuple[float, float]:
    assert callable(show)
    directory = tempfile.mkdtemp(prefix="flint-bench-")
    try:
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path))
        script = "from benchmarks.qmgr import bench_restart as b; b.fill()"
        command = [sys.executable, "-c", script, directory, str(depth)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("deep"):
                    process.send_signal(signal.SIGKILL)
                    break
                show(done + int(line))
        started = time.perf_counter()
        qm, log, page_sets = start_again(directory)
        connection, handle = open_queue(qm, "DEEP")
        md, gmo = MQMD(), MQGMO()
        md.correl_id = correl_id(depth // 2)
        gmo.options = MQGMO_NO_SYNCPOINT
        reason = qm.get(connection, handle, md, gmo)
        seconds = time.perf_counter() - started
        assert reason == 0 and connection.data == DATA, f"get by correlation id: {reason}"
        assert qm.queues["DEEP"].depth >= depth - 1
        queue_id = qm.queues["DEEP"].queue_id
        started = time.perf_counter()
        read = read_everything(page_sets[0], queue_id) + len(qm.queues["DEEP"].messages_in_memory())
        floor = time.perf_counter() - started
        assert read >= depth - 1, f"read {read} of {depth}"
        for page_set in page_sets:
            page_set.close()
        log.abandon()
        return seconds, floor
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def read_everything(page_set: LmdbPageSet, queue_id: int) -> int:
    """Read every message on the page set once."""
    read = 0
    for volatile, lane, first, _last, _live in page_set.lanes(queue_id):
        at = first
        while True:
            chunk = page_set.chunk_at(volatile, queue_id, lane, at)
            if chunk is None:
                break
            for slot in range(chunk.count):
                read += 1 if chunk.record(slot) else 0
            at = chunk.last + 1
    return read


def fill() -> None:
    """The process that is killed: puts in units of work, says how deep it is, and goes on until it dies."""
    directory, depth = sys.argv[1], int(sys.argv[2])
    log_config = LogConfig(file_pages=16_384, primary=4, secondary=2)
    rig = Rig({"DEEP": {"INDXTYPE": "CORRELID"}}, 25_000, log_config, directory)
    connection, handle = rig.open("DEEP")
    md, pmo = MQMD(), MQPMO()
    pmo.options = MQPMO_SYNCPOINT | MQPMO_NEW_MSG_ID
    number = 0
    while True:
        for _ in range(PER_UNIT):
            number += 1
            md.persistence = 1
            md.correl_id = correl_id(number)
            if rig.qm.put(connection, handle, md, pmo, DATA):
                raise SystemExit(f"put failed: {connection.reason}")
        rig.qm.commit(connection)
        rig.log.flush()
        if rig.qm.needs_checkpoint():
            rig.qm.checkpoint()
        if number % 100_000 == 0 and number < depth:
            print(number, flush=True)
        if number == depth + 5 * PER_UNIT or (number > depth and depth < 100_000):
            print("deep", flush=True)
