"""The command `flint flow run --engine spark`: reads messages, runs a flow over them on Spark, writes its outputs.

    --in   mq:QUEUE      a queue. A batch browses it and leaves the messages; with --stream they are got
           parquet:DIR   an archive: columns as columns.py says
           files:DIR     files, each one message; its name is the column path
    --out  mq:           each put to its own queue; mq:QUEUE, all to one. Exactly once (sources/mq_write.py)
           parquet:DIR   a table of all outputs, failures too

With --stream the query runs until Ctrl-C, or until all that was there is read (--drain). The checkpoint makes it
exactly once: started again with the same checkpoint it resumes at the last batch, whichever process was killed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from flintmq.broker.flow import project
from flintmq.broker.flow.function import Flow, LoadedApplications
from flintmq.pipeline import session
from flintmq.pipeline.errors import BadOption, PipelineError, told
from flintmq.pipeline.flows import refusals
from flintmq.pipeline.flows.columns import FAILURE
from flintmq.pipeline.sources.mq_options import CONNECTION, SINK, SOURCE, sink_options, source_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SOURCES = ("mq", "parquet", "files")
SINKS = ("mq", "parquet")
MASTER = "local[*]"
#: Messages differ: a dictionary of them costs time and is thrown away.
PARQUET = {"parquet.enable.dictionary#data": "false"}


@dataclass(slots=True)
class SparkRunOptions:
    """The options of the command line."""

    path: Path
    flow: str = ""
    application: str = ""
    source: str = ""
    sink: str = ""
    failures: str = ""
    checkpoint: Path | None = None
    stream: bool = False
    drain: bool = False
    master: str = ""
    memory: str = "2g"
    mq: list[str] = field(default_factory=list)
    databases: list[str] = field(default_factory=list)
    overrides: list[str] = field(default_factory=list)
    input_node: str | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class _Plan:
    """The command line, read and checked."""

    flow: Flow
    source: tuple[str, str]
    sink: tuple[str, str]
    #: Options of the data source and of the sink `mq`.
    reading: dict[str, str]
    writing: dict[str, str]
    databases: dict[str, str]


def run(options: SparkRunOptions, to: TextIO, errors: TextIO) -> int:
    """Run a flow on Spark. Everything that can be wrong with flow and options is said before Spark starts."""
    plan = _planned(options, errors)
    spark = session.start(options.master or MASTER, memory=options.memory, quiet=True)
    try:
        with session.interruptible(spark):
            rows = _outputs(_source(spark, options, plan), options, plan)
            if options.stream:
                return _stream(rows, options, plan, to)
            return _batch(rows, options, plan, to)
    except KeyboardInterrupt:
        if not options.stream:
            raise
        return 0
    except Exception as error:
        raise told(error) from error
    finally:
        spark.stop()


def _planned(options: SparkRunOptions, errors: TextIO) -> _Plan:
    reading, writing = _mq_options(_pairs(options.mq, "--mq", "queueManager=QM1"))
    databases = _pairs(options.databases, "--database", "SHOP=sqlite:///shop.db")
    source = _end(options.source, "--in", SOURCES)
    sink = _end(options.sink, "--out", SINKS)
    if not source[1] or (sink[0] != "mq" and not sink[1]):
        raise BadOption("--in is mq:QUEUE, parquet:DIR or files:DIR, and --out is mq:, mq:QUEUE or parquet:DIR")
    if source[0] != "mq" and not Path(source[1]).exists():
        raise BadOption(f"--in {options.source}: there is no {source[1]}")
    if options.stream and options.checkpoint is None:
        raise BadOption("--stream needs --checkpoint DIR: it makes the stream exactly once")
    if options.drain and not options.stream:
        raise BadOption("--drain ends a stream: give --stream too")
    if options.failures and sink[0] != "mq":
        raise BadOption("--failures names a queue for --out mq:; a table has the failures among its rows")
    if source[0] == "mq":
        source_options({**reading, "queue": source[1], "body": "raw"})
    if sink[0] == "mq":
        sink_options(writing, options.stream)
    flow = _flow(options, errors)
    refusals.check(flow, options.input_node, databases, options.shared, only_puts=sink[0] == "mq")
    return _Plan(flow, source, sink, reading, writing, databases)


def _end(text: str, option: str, kinds: Sequence[str]) -> tuple[str, str]:
    kind, mark, rest = text.partition(":")
    if not mark or kind not in kinds:
        shown = ", ".join(f"{each}:" for each in kinds)
        raise BadOption(f"{option} begins with one of {shown} and not with {text!r}")
    return kind, rest


def _mq_options(given: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the options of the data source and of the sink: those of the connection are both's. Raise BadOption."""
    taken = ("queue", "queues", "body", "columns")
    own = [name for name in given if name.lower() in taken]
    if own:
        raise BadOption(f"--mq {own[0]}: queues are named by --in and --out, and the body is read as it is")
    known = (*CONNECTION, *SOURCE, *SINK)
    strange = [name for name in given if name.lower() not in {each.lower() for each in known}]
    if strange:
        raise BadOption(f"--mq {strange[0]}: there is no such option; there are: {', '.join(known)}")

    def those_of(names: Sequence[str]) -> dict[str, str]:
        wanted = {each.lower() for each in (*CONNECTION, *names)}
        return {name: value for name, value in given.items() if name.lower() in wanted}

    return those_of(SOURCE), those_of(SINK)


def _pairs(given: Sequence[str], option: str, form: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        name, mark, value = text.partition("=")
        if not mark or not name:
            raise BadOption(f"{option} {text!r}: write it as {form}")
        found[name] = value
    return found


def _flow(options: SparkRunOptions, errors: TextIO) -> Flow:
    """Return the flow that is meant: by name, the one of the flow file, or the only one."""
    overrides = _pairs(options.overrides, "--override", "Flow#Node.property=value")
    loaded = LoadedApplications(project.load(options.path, references=True), overrides=overrides)
    for note in loaded.notes:
        errors.write(f"{note}\n")
    if not options.flow and options.path.is_file() and options.path.suffix.lower() != ".bar":
        place = options.path.resolve()
        for owner in loaded.project.applications:
            for definition in owner.all_flows():
                if Path(definition.file) == place:
                    return loaded.flow_of(owner, definition)
    try:
        return loaded.flow(options.flow, options.application)
    except ValueError as error:
        raise PipelineError(str(error)) from None


def _source(spark: SparkSession, options: SparkRunOptions, plan: _Plan) -> DataFrame:
    kind, where = plan.source
    if kind == "mq":
        reader: Any = spark.readStream if options.stream else spark.read
        found: DataFrame = reader.format("mq").options(**plan.reading, queue=where, body="raw").load()
        return found
    place = os.path.abspath(where)
    if kind == "files":
        if not options.stream:
            return spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(place)
        schema = "path string, modificationTime timestamp, length long, content binary"
        return spark.readStream.format("binaryFile").schema(schema).option("recursiveFileLookup", "true").load(place)
    if not options.stream:
        return spark.read.parquet(place)
    return spark.readStream.schema(spark.read.parquet(place).schema).parquet(place)


def _outputs(frame: DataFrame, options: SparkRunOptions, plan: _Plan) -> DataFrame:
    from flintmq.pipeline.flows.frames import messages, on_spark

    to_mq = plan.sink[0] == "mq"
    rows = on_spark(
        plan.flow,
        frame,
        input=options.input_node,
        databases=plan.databases,
        shared=options.shared,
        manager=_manager(plan.writing) if to_mq else None,
        only_puts=to_mq,
    )
    return messages(rows, plan.sink[1], options.failures, plan.flow.name) if to_mq else rows


def _manager(writing: dict[str, str]) -> str:
    """Return the queue manager that the sink is connected to, as far as the options name it."""
    return next((value for name, value in writing.items() if name.lower() == "queuemanager"), "").lstrip("*")


def _batch(rows: DataFrame, options: SparkRunOptions, plan: _Plan, to: TextIO) -> int:
    """Write all rows once, and print the counts. Return 1 if a message failed."""
    kind, where = plan.sink
    if kind == "mq":
        rows.write.format("mq").options(**plan.writing).mode("append").save()
        to.write(f"{plan.flow.name}: all outputs were put\n")
        return 0
    place = os.path.abspath(where)
    rows.write.options(**PARQUET).mode("error").parquet(place)
    counts = rows.sparkSession.read.parquet(place).groupBy("kind", "queue").count().orderBy("kind", "queue").collect()
    failed = 0
    for row in counts:
        name = f" {row['queue']}" if row["queue"] else ""
        to.write(f"{row['kind']}{name}: {row['count']}\n")
        failed += row["count"] if row["kind"] == FAILURE else 0
    if not counts:
        to.write("nothing left the flow\n")
    return 1 if failed else 0


def _stream(rows: DataFrame, options: SparkRunOptions, plan: _Plan, to: TextIO) -> int:
    kind, where = plan.sink
    assert options.checkpoint is not None
    writer = rows.writeStream.option("checkpointLocation", str(options.checkpoint.absolute()))
    if kind == "mq":
        writer = writer.format("mq").options(**plan.writing)
    else:
        writer = writer.format("parquet").options(**PARQUET, path=os.path.abspath(where))
    if options.drain:
        writer = writer.trigger(availableNow=True)
    to.write(f"{plan.flow.name}: the stream runs; Ctrl-C ends it\n" if not options.drain else "")
    to.flush()
    query = writer.start()
    query.awaitTermination()
    return 0
