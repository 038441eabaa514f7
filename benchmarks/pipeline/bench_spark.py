"""spark: 1 M messages of 1 KiB from queue to queue through readStream, a transformation and writeStream, exactly once.

    figure         value                                                floor
    read_write_1m  messages/s through Spark on local[2], persistent     messages/s of one Python process that moves
                                                                        as many by the same calls, without Spark
    cpu_...        CPU us a message of queue manager, Java and Python   none. Two cores have 2,000,000 us in a second:
                                                                        these say what the limit is
    plan, move     us a message on the clock, in which Spark plans      none. The rest: the start, and the first look at
                   batches, and in which it reads and writes them       the queue
    wrong          messages lost or doubled after the kills             none. With kills only

Spark and its Python workers are warm: some messages go through first. The clock runs from the start of the query to the
end of its last batch; starting a query is in it.

    FLINT_BENCH_KILLS=20 ./flint bench spark

kills an executor or the driver at random so many times, on a standalone cluster of two workers with one core each, and
starts the driver again; then every message must be on the target queue once. Speed is not measured then.
FLINT_BENCH_MESSAGES and FLINT_BENCH_BATCH set the number of messages, and of those of a micro-batch.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.frame import Figure, Options, Progress
from benchmarks.server.ports import free_port
from benchmarks.server.stage import NAME as MANAGER
from benchmarks.server.stage import Broken, Stage, cpu_of, environment

NAME = "spark"
SIZE = 1024
SOURCE, TARGET, STATE = "SPARK.IN", "SPARK.OUT", "FLINTMQ.SPARK.STATE"
UNIT = 10_000
#: Enough for a task on each core, so that all Python workers are there.
WARM = 12_000
KILLS = int(os.environ.get("FLINT_BENCH_KILLS") or 0)
#: Messages of a micro-batch. With kills they are fewer, so that most kills are amid one.
BATCH = int(os.environ.get("FLINT_BENCH_BATCH") or (20_000 if KILLS else 100_000))
#: A log and a buffer pool for so many messages at once, of which two queues have a million each, and a message has a
#: buffer of 4 KiB in MQ's arithmetic. Checkpoints as on z/OS.
LOG = ("-lf", "65535", "-lp", "8")
BUFFERS = 2_500_000
FOR_EVER_S = 3600.0
_END = b"!"


def run(options: Options) -> list[Figure]:
    count = int(os.environ.get("FLINT_BENCH_MESSAGES") or options.scale(1_000_000, 50_000, 200))
    with Stage(*LOG) as stage:
        stage.commands("SET SYSTEM LOGLOAD(500000)", f"ALTER BUFFPOOL(3) BUFFERS({BUFFERS})")
        stage.commands(*(f"DEFINE QLOCAL({name}) MAXDEPTH(999999999)" for name in (SOURCE, TARGET, STATE)))
        place = {"queueManager": MANAGER, "dataDirectory": str(stage.directory)}
        if options.tiny:
            fill(place, count)
            return [Figure("read_write_1m", moved_plainly(place, count), "/s")]
        progress = options.progress("spark", count)
        if KILLS:
            return killed(stage, place, count, progress)
        return measured(stage, place, count, progress)


# -- the messages -----------------------------------------------------------------------------------------------------


def body_of(number: int) -> bytes:
    return b"%016d" % number + b"x" * (SIZE - 16 - len(_END))


def fill(place: dict[str, str], count: int) -> None:
    """Put messages that carry their number, in units of work of a batch each."""
    import pyarrow as pa

    from flintmq.pipeline.sources.mq_options import sink_options
    from flintmq.pipeline.sources.mq_write import Unit, decide, write_task

    options = sink_options({**place, "queue": SOURCE, "stateQueue": STATE}, streaming=True)
    query = random.randbytes(16)
    for number, first in enumerate(range(0, count, BATCH)):
        unit = Unit(query, number)
        numbers = range(first, min(count, first + BATCH))
        batches = (
            pa.record_batch({"body": [body_of(each) for each in numbers[at : at + UNIT]]})
            for at in range(0, len(numbers), UNIT)
        )
        decide(options, unit, write_task(batches, options, unit).branches)


def numbers_on(place: dict[str, str], queue: str) -> Counter[int]:
    """How often each number is on a queue."""
    from flintmq.pipeline.sources.mq_connection import MQConnection
    from flintmq.pipeline.sources.mq_options import source_options

    with MQConnection(source_options({**place, "queue": queue}).place) as connection:
        return Counter(int(chunk.body(row)[:16]) for chunk in connection.browse(queue) for row in range(len(chunk)))


def moved_plainly(place: dict[str, str], count: int) -> float:
    """The floor: one process reads a batch, puts it, and removes it. Messages a second."""
    from pyspark.sql.streaming.datasource import ReadMaxRows

    from flintmq.pipeline.sources.mq_options import sink_options, source_options
    from flintmq.pipeline.sources.mq_read import MqStreamReader
    from flintmq.pipeline.sources.mq_write import Unit, decide, write_task

    source = source_options({**place, "queue": SOURCE, "columns": "body", "partitions": "1"})
    sink = sink_options({**place, "queue": TARGET, "stateQueue": STATE}, streaming=True)
    reader = MqStreamReader(source)
    query, number, moved = random.randbytes(16), 0, 0
    start: dict[str, Any] = {}
    began = time.perf_counter()
    while moved < count:
        end = reader.latestOffset(start, ReadMaxRows(BATCH))
        batches = (batch for work in reader.partitions(start, end) for batch in reader.read(work))
        unit = Unit(query, number)
        written = write_task(batches, sink, unit)
        decide(sink, unit, written.branches)
        reader.commit(end)
        start, number, moved = end, number + 1, moved + written.messages
    reader.stop()
    return count / (time.perf_counter() - began)


# -- speed ------------------------------------------------------------------------------------------------------------


def measured(stage: Stage, place: dict[str, str], count: int, progress: Progress) -> list[Figure]:
    progress.at(0, "without Spark")
    few = max(count // 10, UNIT)
    fill(place, few)
    floor = moved_plainly(place, few)
    driver = stage.child("benchmarks.pipeline.spark_driver", "local[2]", json.dumps(place), str(stage.directory / "c"))
    fill(place, WARM)
    driver.ask(SOURCE)
    stage.commands(f"CLEAR QLOCAL({SOURCE})", f"CLEAR QLOCAL({TARGET})")  # The last batch is removed by the next one.
    fill(place, count)
    progress.at(count // 2, "through Spark")
    before = used_by(stage.pid, driver.pid)
    elapsed, plan, move = map(float, driver.ask(SOURCE, FOR_EVER_S).split())
    used = [after - then for after, then in zip(used_by(stage.pid, driver.pid), before, strict=True)]
    progress.done()
    found = numbers_on(place, TARGET)
    wrong = wrong_of(found, count)
    assert not wrong, f"{wrong} messages are lost or doubled"
    per_message = [seconds / count * 1e6 for seconds in used]
    return [
        Figure("read_write_1m", count / elapsed, "/s", floor),
        Figure("cpu_queue_manager", per_message[0], "us"),
        Figure("cpu_java", per_message[1], "us"),
        Figure("cpu_python", per_message[2], "us"),
        Figure("plan", plan / count * 1e6, "us"),
        Figure("move", move / count * 1e6, "us"),
    ]


def wrong_of(found: Counter[int], count: int) -> int:
    """Messages that are lost or doubled."""
    lost = sum(1 for number in range(count) if found[number] < 1)
    doubled = sum(times - 1 for number, times in found.items() if times > 1)
    return lost + doubled


def used_by(server: int, driver: int) -> tuple[float, float, float]:
    """CPU seconds of the queue manager, of Java and of Python below the driver, with what has ended.

    All processes that Java starts are Python: what those that have ended used is noted with Java, and is none of its.
    """
    children: dict[int, list[int]] = {}
    seconds: dict[int, tuple[bool, float, float]] = {}
    tick = os.sysconf("SC_CLK_TCK")
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(") ")
            except OSError:
                continue
            fields = rest.split()
            children.setdefault(int(fields[1]), []).append(int(entry.name))
            own, ended = (sum(map(int, fields[at : at + 2])) / tick for at in (11, 13))
            seconds[int(entry.name)] = name == "java", own, ended
    java = python = 0.0
    waiting = [driver]
    while waiting:
        process = waiting.pop()
        is_java, own, ended = seconds.get(process, (False, 0.0, 0.0))
        java, python = (java + own, python + ended) if is_java else (java, python + own + ended)
        waiting += children.get(process, [])
    return cpu_of(server), java, python


# -- kills ------------------------------------------------------------------------------------------------------------


def killed(stage: Stage, place: dict[str, str], count: int, progress: Progress) -> list[Figure]:
    """Kill at random, start again, and see that every message arrives once."""
    from flintmq.pipeline import cluster

    chance = random.Random(os.environ.get("FLINT_BENCH_SEED"))
    fill(place, count)
    running = cluster.up(stage.directory / "cluster", workers=2, cores=1, memory="1g", port=free_port())
    kills: Counter[str] = Counter()
    failures = 0
    began = time.perf_counter()
    try:
        driver = None
        while True:
            if driver is None:
                driver = start_driver(stage, place, running.address)
            done: bool | None = False
            if sum(kills.values()) < KILLS:
                reached = batches_done(stage)
                while not done and done is not None and batches_done(stage) == reached:
                    done = finished(driver, 0.1)  # Each gets somewhere, however slow the machine is.
                if done is False:
                    done = finished(driver, chance.uniform(0.0, 4.0))
            else:
                done = finished(driver, FOR_EVER_S)
            if done:
                break
            if done is None:
                driver, failures = None, failures + 1  # By itself, as when too many executors are lost: again.
                if failures > KILLS:
                    raise Broken(f"the driver has failed {failures} times")
                continue
            executors = executors_of(running.groups)
            if executors and chance.random() < 0.5:
                os.kill(chance.choice(executors), signal.SIGKILL)
                kills["executor"] += 1
            else:
                kill(driver)
                driver = None
                kills["driver"] += 1
            progress.at(min(count - 1, count * sum(kills.values()) // (KILLS + 1)), f"killed: {dict(kills)}")
    finally:
        if driver is not None:
            kill(driver)
        cluster.down(running)
    elapsed = time.perf_counter() - began
    progress.done()
    wrong = wrong_of(numbers_on(place, TARGET), count)
    said = f"killed {kills['executor']} executors and {kills['driver']} drivers in {elapsed:.0f} s"
    print(f"{said}; the driver gave up {failures} times by itself")
    return [Figure("wrong", float(wrong), "msgs"), Figure("kills", float(sum(kills.values())), "")]


def start_driver(stage: Stage, place: dict[str, str], master: str) -> subprocess.Popen[str]:
    """A driver in a process group of its own, which goes on with the checkpoint of the one before."""
    command = [sys.executable, "-P", "-m", "benchmarks.pipeline.spark_driver", master, json.dumps(place)]
    driver = subprocess.Popen(
        [*command, str(stage.directory / "checkpoint")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(stage.directory),
        start_new_session=True,
    )
    assert driver.stdin is not None and driver.stdout is not None
    try:
        driver.stdout.readline()  # It is ready: only what is amid the query is worth a kill.
        driver.stdin.write(f"{SOURCE} again\n")
        driver.stdin.close()
    except BrokenPipeError:
        pass  # It has failed, as `finished` will see.
    except BaseException:
        os.killpg(driver.pid, signal.SIGKILL)
        raise
    return driver


def kill(driver: subprocess.Popen[str]) -> None:
    """The driver with its Java and its Python processes; nothing if it has ended."""
    try:
        os.killpg(driver.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    driver.wait()


def batches_done(stage: Stage) -> int:
    """How many micro-batches Spark has noted."""
    return sum(1 for file in (stage.directory / "checkpoint" / "commits").glob("[0-9]*"))


def finished(driver: subprocess.Popen[str], within: float) -> bool | None:
    """Whether a driver has come to its end in that time; None if it has failed."""
    try:
        return True if driver.wait(within) == 0 else None
    except subprocess.TimeoutExpired:
        return False


def executors_of(groups: dict[str, int]) -> list[int]:
    """The processes of executors of a cluster."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(") ")[2].split()
            if (
                int(fields[2]) in groups.values()
                and b"CoarseGrainedExecutorBackend" in (entry / "cmdline").read_bytes()
            ):
                found.append(int(entry.name))
        except OSError:
            continue
    return found
