"""flow_spark: 1 M archived messages of 4 KiB through the report's complex Compute on Spark, from Parquet to Parquet.

    figure         value                                            floor
    complex_1m     messages/s on local[2], on the clock             messages/s of a broker with one instance of the
                                                                    flow: from queue to queue of a queue manager
    by_cpu         messages/s that two cores allow by the CPU time  messages/s that one core allows by the CPU time of
                   of Python and Java together                      the worker. A busy machine changes it little
    to_function    messages/s as by_cpu                             messages/s that one core allows by the CPU time of
                                                                    the flow called as a function: no queue, no file
    cpu_python     CPU us a message of Spark's Python workers       CPU us a message of the function
    cpu_java       CPU us a message of Java: reading, writing and   none. Two cores have 2,000,000 us in a second: with
                   the way to Python and back                       cpu_python this says what the limit is

What Spark makes of the messages that the broker had, too, is compared with the messages on the broker's output queue by
digests of queue, descriptor and data (digests.py); the benchmark fails if one differs. Tiny compares with the function.

The archive has the columns that the source `mq` gives: ids, format, CCSID and so on, and a body of which each has its
own number. Spark and its Python workers are warm: some messages go through first, before it is measured, as through the
broker. The floors read no Parquet and write none. The broker's messages are not persistent and are on the queue before
it starts, so nothing but the broker and its queue manager works meanwhile; the queue manager's CPU time is not counted.

FLINT_BENCH_MESSAGES sets the number of messages. Tiny runs without Java: what a task does, over Arrow batches.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import flintmq
from benchmarks.broker import messages
from benchmarks.broker.flow_cases import Sink
from benchmarks.frame import Figure, Options, cpu_seconds
from benchmarks.pipeline import digests
from benchmarks.server.stage import Broken, cpu_of
from flintmq.broker import Flow, load
from flintmq.broker.flow.engine import Invocation
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode
from flintmq.broker.flow.services import Recorder
from flintmq.broker.runtime.group import ExecutionGroup
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.worker import Assignment, FlowAssignment
from flintmq.cli.main import main as flint
from flintmq.host import instance
from flintmq.server import process

NAME = "flow_spark"
SIZE = 4096
#: Messages of one file of the archive, of the floors, and of the warm-up of Spark: a task for each core.
FILE = 25_000
FLOOR = 5_000
BROKER = 10_000
BROKER_S = 300
WARM = 10_000
_MARK = b"<Name>case</Name>"


def run(options: Options) -> list[Figure]:
    count = int(os.environ.get("FLINT_BENCH_MESSAGES") or options.scale(1_000_000, 100_000, 20))
    place = Path(tempfile.mkdtemp(prefix="flint-flow-spark-"))
    try:
        flow = made_flow(place / "application")
        if options.tiny:
            return [Figure("complex_1m", through_task(flow, count), "/s", alone(flow, count)[0])]
        return measured(flow, place, count)
    finally:
        shutil.rmtree(place)


def made_flow(place: Path) -> Flow:
    """Return the flow of `bench flow`'s compute_complex."""
    place.mkdir()
    (place / "F.msgflow.yaml").write_text("flow: F.msgflow\n" + messages.computing("Complex"))
    (place / "F.esql").write_text(messages.ESQL)
    flow = load(place).flow("F")
    assert not flow.problems, flow.problems
    return flow


def body_of(number: int, pattern: bytes) -> bytes:
    return pattern.replace(_MARK, b"<Name>%08d</Name>" % number)


def id_of(number: int) -> bytes:
    """Return the MsgId of a message of the archive; the broker's messages have the same."""
    return b"AMQ FLINT%015d" % number


def batch_of(first: int, count: int) -> Any:
    """Return messages as an archive holds them."""
    import pyarrow as pa

    md = messages.descriptor()
    pattern = messages.order(SIZE)
    numbers = range(first, first + count)
    alike = {
        "format": pa.repeat(md.format, count),
        "encoding": pa.repeat(pa.scalar(md.encoding, pa.int32()), count),
        "coded_char_set_id": pa.repeat(pa.scalar(md.coded_char_set_id, pa.int32()), count),
        "persistence": pa.repeat(pa.scalar(md.persistence, pa.int32()), count),
        "priority": pa.repeat(pa.scalar(md.priority, pa.int32()), count),
    }
    ids = pa.array([id_of(number) for number in numbers], pa.binary())
    return pa.record_batch({"msg_id": ids, **alike, "body": [body_of(number, pattern) for number in numbers]})


def alone(flow: Flow, count: int) -> tuple[float, float]:
    """Return messages a second, and CPU us a message, of one instance of the flow in this process."""
    node = flow.runtime.inputs[0]
    assert isinstance(node, InputNode)
    md = messages.descriptor()
    pattern = messages.order(SIZE)
    bodies = [body_of(number, pattern) for number in range(count)]
    sink = Sink()
    began, used = time.perf_counter(), cpu_seconds()
    for body in bodies:
        node.take(Invocation(flow.runtime, sink), Incoming(body, md))
    elapsed, used = time.perf_counter() - began, cpu_seconds() - used
    return count / elapsed, used / count * 1e6


def by_function(flow: Flow, count: int) -> dict[bytes, list[str]]:
    """Return the digests of what the flow makes of the first messages, called as a function."""
    node = flow.runtime.inputs[0]
    assert isinstance(node, InputNode)
    pattern = messages.order(SIZE)
    found: dict[bytes, list[str]] = {}
    for number in range(count):
        md, sink = messages.descriptor(), Recorder()
        md.msg_id = id_of(number)
        node.take(Invocation(flow.runtime, sink), Incoming(body_of(number, pattern), md))
        found[id_of(number)] = [
            digests.digest(each.queue, {name: getattr(each.md, name) for name in digests.FIELDS}, each.data)
            for each in sink.puts
        ]
    return digests.merged(found)


def by_broker(application: Path, place: Path, count: int) -> tuple[float, float, dict[bytes, list[str]]]:
    """Return messages a second, CPU us a message of the worker, and digests, of a broker with one instance."""
    before = os.environ.get("FLINTMQ_DATA")
    os.environ["FLINTMQ_DATA"] = str(place)
    if flint(["crtmqm", "-q", "BENCH"]) != 0:
        raise Broken("the queue manager cannot be created")
    pid = process.start(instance.by_name("BENCH"))
    try:
        with flintmq.connect("BENCH") as manager:
            incoming, outgoing = (manager.queue(name, create=True, maxdepth=10**6) for name in ("IN", "OUT"))
            pattern = messages.order(SIZE)
            for number in range(count):
                body = body_of(number, pattern)
                incoming.put(body, persistent=False, priority=0, format="MQSTR", message_id=id_of(number))
            source: dict[str, Any] = {"path": str(application)}
            base = Assignment("BENCH", "default", 0, "BENCH", {}, [source])
            group = ExecutionGroup(base, [[FlowAssignment("", "F")]], BrokerLog("BENCH"))
            group.start()
            try:
                rate, cpu = _rate_of(group, outgoing, count)
            finally:
                group.stop()
            return rate, cpu, digests.merged(digests.of_messages("OUT", outgoing.messages()))
    finally:
        os.kill(pid, signal.SIGTERM)
        if before is None:
            del os.environ["FLINTMQ_DATA"]
        else:
            os.environ["FLINTMQ_DATA"] = before


def _rate_of(group: ExecutionGroup, outgoing: Any, count: int) -> tuple[float, float]:
    """Measure from a quarter of the messages on, when the worker is warm, to the last one."""
    first = began = used = 0.0
    end = time.monotonic() + BROKER_S
    while (depth := outgoing.depth) < count:
        if not first and depth >= count // 4:
            first, began, used = depth, time.perf_counter(), cpu_of(group.workers[0].pid)
        if time.monotonic() > end:
            raise Broken(f"the broker has moved {depth} of {count} messages in {BROKER_S} s")
        time.sleep(0.01)
    elapsed, used = time.perf_counter() - began, cpu_of(group.workers[0].pid) - used
    return (count - first) / elapsed, used / (count - first) * 1e6


def through_task(flow: Flow, count: int) -> float:
    """Return messages a second of what a task does with its batches, without Spark."""
    from flintmq.pipeline.flows.columns import passed_on
    from flintmq.pipeline.flows.task import run as run_task

    given = batch_of(0, count)
    began = time.perf_counter()
    made = list(run_task(flow, iter([given]), passed_on(given.schema.names, ())))
    elapsed = time.perf_counter() - began
    rows = [row for batch in made for row in batch.to_pylist()]
    check(digests.merged(digests.of_rows(rows)), by_function(flow, count), count)
    return count / elapsed


def check(spark: dict[bytes, list[str]], other: dict[bytes, list[str]], count: int) -> None:
    """Raise Broken unless the same messages came out, each of its own."""
    problem = digests.difference(spark, other)
    if not problem and len({each for found in other.values() for each in found}) != count:
        problem = "messages that differ gave the same output"
    if problem:
        raise Broken(f"Spark gives other output than the broker: {problem}")


def write_archive(place: Path, count: int, each: int) -> None:
    """Write an archive of files with `each` messages."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place.mkdir()
    for first in range(0, count, each):
        many = min(each, count - first)
        table = pa.Table.from_batches([batch_of(first, many)])
        pq.write_table(table, place / f"{first:09d}.parquet", use_dictionary=False, compression="snappy")


def measured(flow: Flow, place: Path, count: int) -> list[Figure]:
    from benchmarks.pipeline.bench_spark import used_by
    from flintmq.pipeline import session
    from flintmq.pipeline.flows.command import PARQUET

    write_archive(place / "warm", WARM, WARM // 2)
    write_archive(place / "archive", count, min(FILE, -(-count // 2)))
    alone(flow, 100)
    floors = [alone(flow, FLOOR)]
    in_broker = min(BROKER, count)
    brokers = [by_broker(place / "application", place / "before", in_broker)]
    # One task for each file: small files would be packed into one.
    settings = {"spark.sql.files.openCostInBytes": str(128 << 20)}
    spark = session.start("local[2]", settings, memory="3g", quiet=True)
    try:
        for name in ("warm", "archive"):
            target = str(place / f"{name}-out")
            before = used_by(0, os.getpid())
            own = cpu_seconds()
            began = time.perf_counter()
            flow.on_spark(spark.read.parquet(str(place / name))).write.options(**PARQUET).parquet(target)
            elapsed = time.perf_counter() - began
            own = cpu_seconds() - own
            after = used_by(0, os.getpid())
        found = spark.read.parquet(target).groupBy("kind").count().collect()
        assert [(row["kind"], row["count"]) for row in found] == [("put", count)], found
        columns = ["input_msg_id", "queue", "data", *digests.FIELDS]
        same = spark.read.parquet(target).where(f"input_msg_id < X'{id_of(in_broker).hex()}'").select(*columns)
        rows = (row.asDict() for row in same.toLocalIterator())
        check(digests.merged(digests.of_rows(rows)), brokers[0][2], in_broker)
    finally:
        spark.stop()
    floors.append(alone(flow, FLOOR))
    brokers.append(by_broker(place / "application", place / "after", in_broker))
    cpu, broker_cpu = min(cpu for _, cpu in floors), min(cpu for _, cpu, _ in brokers)
    java, python = (then - now for then, now in zip(after[1:], before[1:], strict=True))
    allowed = 2 * count / (java + python - own)
    return [
        Figure("complex_1m", count / elapsed, "/s", max(rate for rate, _, _ in brokers)),
        Figure("by_cpu", allowed, "/s", 1e6 / broker_cpu),
        Figure("to_function", allowed, "/s", 1e6 / cpu),
        Figure("cpu_python", (python - own) / count * 1e6, "us", cpu),
        Figure("cpu_java", java / count * 1e6, "us"),
    ]
