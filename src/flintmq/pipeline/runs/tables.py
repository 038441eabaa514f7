"""Tables of performance runs: every line of every run.jsonl, and the normalised results made from them.

    records   one row per line of a run, of the kinds that are used here, with the file it came from
    results   one row per repeat of a step: run, workload, parameters, rate, CPU, log, memory
    points    one row per step: the medians of its repeats, and the repeats themselves
    latency   one row per step and kind of latency: percentiles of the merged histograms

A line that was cut off by a kill is left out, as the format says. Percentiles are taken from merged counts and never
averaged: a bucket of index i holds the value i below 256, and above, with e = i div 128 - 1, the values from
(i - 128 e) 2^e on. `read` brings the points to the driver: a run has tens of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.errors import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FILE = "run.jsonl"
FORMAT, VERSION = "flint-perf-run", 1
#: Kinds of records that become rows; `second` is by far the most of a run and only the chart of a run needs it.
KINDS = ("run", "machine", "disk", "step", "second", "latency", "cpu", "result", "value", "smf", "peak", "note", "end")

#: The fields of all kinds in one schema: Spark then reads each file once and guesses nothing.
_SCHEMA = """
record string, id string, workload string, title string, product string, product_version string, build string,
commit string, mode string, started double, repeats int, warm_up_s double, measure_s double, settle_s double,
varied array<string>, operation string, behaviours array<int>, command array<string>,
cpu_model string, cores int, memory_bytes bigint, kernel string, system string, python string,
versions map<string,string>, file_system string, load array<double>,
block_bytes bigint, method string, writes bigint, seconds double, bytes_per_s double,
mean_us double, p50_us double, p99_us double, max_us double,
step int, repeat int, parameters map<string,string>, target_rate double,
role string, process int, second int, count bigint, errors bigint,
what string, `from` string, histogram struct<counts: array<array<bigint>>, maximum: bigint>,
kind string, user_s double, system_s double, rss_bytes bigint, threads int,
measured_s double, operations bigint, rate double, messages bigint, queue_manager_us double, driver_us double,
machine_cpu double, log_bytes bigint, log_writes bigint, depth bigint,
name string, value double, unit string, file string, bytes bigint, ramp string, at int, reason string, text string,
ended string, finished double, damaged string
"""

_RESULTS = """
select r.run, h.workload, h.product, r.step, r.repeat, s.parameters, s.target_rate, r.measured_s, r.operations, r.rate,
       r.messages, r.errors, r.queue_manager_us, r.driver_us, r.machine_cpu, r.log_bytes, r.log_writes, r.depth,
       c.memory_mb, c.driver_cpu_s, c.server_cpu_s
from {records} r
join (select run, workload, product from {records} where record = 'run') h on r.run = h.run
left join (select run, step, repeat, any_value(parameters) as parameters, any_value(target_rate) as target_rate
           from {records} where record = 'step' group by run, step, repeat) s
  on r.run = s.run and r.step = s.step and r.repeat = s.repeat
left join (select run, step, repeat,
                  sum(if(kind <> 'driver', rss_bytes, 0)) / 1048576 as memory_mb,
                  sum(if(kind = 'driver', user_s + system_s, 0)) as driver_cpu_s,
                  sum(if(kind <> 'driver', user_s + system_s, 0)) as server_cpu_s
           from {records} where record = 'cpu' group by run, step, repeat) c
  on r.run = c.run and r.step = c.step and r.repeat = c.repeat
where r.record = 'result'
"""

_POINTS = """
select run, any_value(workload) as workload, any_value(product) as product, step,
       any_value(parameters) as parameters, any_value(target_rate) as target_rate,
       array_sort(collect_list(struct(repeat, rate, queue_manager_us, driver_us, log_bytes, operations))) as repeats,
       median(machine_cpu) as machine_cpu, median(memory_mb) as memory_mb, sum(errors) as errors,
       median(log_writes / nullif(operations, 0)) as log_writes, max(depth) as depth,
       median(messages / nullif(operations, 0)) as messages
from {results} group by run, step
"""

_LATENCY = """
with counts as (
  select run, step, what, `from` as since, bucket[0] as i, sum(bucket[1]) as n
  from (select run, step, what, `from`, explode(histogram.counts) as bucket from {records} where record = 'latency')
  group by run, step, what, since, i
), placed as (
  select *, sum(n) over (partition by run, step, what, since order by i) as upto,
         sum(n) over (partition by run, step, what, since) as total,
         case when i < 256 then double(i)
              else (i - 128 * (i div 128 - 1) + 0.5) * power(2, i div 128 - 1) end / 1000 as us
  from counts
)
select run, step, what, since, any_value(total) as count,
       min(if(upto >= 0.5 * total, us, null)) as p50, min(if(upto >= 0.9 * total, us, null)) as p90,
       min(if(upto >= 0.99 * total, us, null)) as p99, min(if(upto >= 0.999 * total, us, null)) as p999, max(us) as max
from placed group by run, step, what, since
"""


@dataclass(frozen=True, slots=True)
class Latency:
    """Percentiles of one kind of latency at a point, microseconds."""

    what: str
    since: str
    count: int
    p50: float
    p90: float
    p99: float
    p999: float
    max: float


@dataclass(frozen=True, slots=True)
class Point:
    """One step of a run: its parameters, and its repeated measurements."""

    run: str
    workload: str
    product: str
    step: int
    parameters: dict[str, str]
    rates: tuple[float, ...]
    #: CPU microseconds of the queue manager (or peer) and of the drivers for an operation, by repeat.
    server_us: tuple[float, ...]
    driver_us: tuple[float, ...]
    #: Bytes of log for an operation, by repeat.
    log_bytes: tuple[float, ...]
    machine_cpu: float | None
    memory_mb: float | None
    errors: int
    log_writes: float | None
    depth: int | None
    #: Messages on queues for an operation, copies included.
    messages: float | None
    target_rate: float | None = None
    latency: tuple[Latency, ...] = ()
    values: tuple[tuple[str, float, str], ...] = ()

    @property
    def rate(self) -> float:
        """Return the median rate of the repeats."""
        return median(self.rates) if self.rates else 0.0

    @property
    def cpu_us(self) -> float | None:
        """Return CPU microseconds of the server for an operation; of everything, where the two are one process."""
        if self.server_us:
            return median(self.server_us)
        return median(self.driver_us) if self.driver_us and self.parameters.get("mode") == "embedded" else None

    @property
    def total_us(self) -> float | None:
        """Return CPU microseconds of server and drivers together for an operation."""
        parts = [median(each) for each in (self.server_us, self.driver_us) if each]
        return sum(parts) if parts else None

    @property
    def logged(self) -> float | None:
        """Return bytes of log for an operation."""
        return median(self.log_bytes) if self.log_bytes else None

    @property
    def round_trip(self) -> Latency | None:
        """Return the main latency: the round trip, else that of the leading role.

        A rated load counts from the time at which a message was due, where that is known.
        """
        order = ("round_trip", "put", "publish", "delivery", "one_way", "get")
        found = sorted(
            self.latency, key=lambda each: (order.index(each.what) if each.what in order else 9, each.since == "sent")
        )
        return found[0] if found else None

    @property
    def size(self) -> int:
        """Return bytes of the payload."""
        return int(float(self.parameters.get("size", 0) or 0))

    @property
    def persistent(self) -> bool:
        return self.parameters.get("persistent") == "true"


@dataclass(slots=True)
class RunFacts:
    """One run: its head, its machine, its disk, how it ended, and its points."""

    id: str
    directory: Path
    head: dict[str, Any]
    machine: dict[str, Any] = field(default_factory=dict)
    disks: list[dict[str, Any]] = field(default_factory=list)
    peaks: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    smf: list[Path] = field(default_factory=list)
    ended: str = "killed"
    finished: float | None = None
    damaged_lines: int = 0
    points: list[Point] = field(default_factory=list)

    @property
    def workload(self) -> str:
        return str(self.head.get("workload", ""))

    @property
    def cores(self) -> int:
        return int(self.machine.get("cores") or 0)

    @property
    def started(self) -> datetime:
        return datetime.fromtimestamp(float(self.head.get("started") or 0.0), UTC)

    @property
    def varied(self) -> list[str]:
        return [str(each) for each in self.head.get("varied") or []]


def find(roots: Sequence[Path]) -> list[Path]:
    """Return the runs at or under each directory, each once. Raise PipelineError where there is none."""
    made: dict[Path, None] = {}
    for root in roots:
        if not root.is_dir():
            raise PipelineError(f"{root}: there is no such directory")
        here = [root] if (root / FILE).is_file() else sorted(path.parent for path in root.rglob(FILE))
        if not here:
            raise PipelineError(f"{root}: no run is there: `flint perf run` writes one, a directory with {FILE}")
        made.update(dict.fromkeys(path.resolve() for path in here))
    return list(made)


def check(run: Path) -> str:
    """Return the id of a run. Raise PipelineError if its first line is not that of a run that can be read."""
    path = run / FILE
    try:
        with open(path, "rb") as file:
            head = json.loads(file.readline(1 << 20))
    except OSError as error:
        raise PipelineError(f"{path}: {error.strerror}") from None
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise PipelineError(f"{path}: that is no run: its first line does not say {FORMAT}")
    if head.get("version") != VERSION:
        raise PipelineError(f"{path}: version {head.get('version')!r} of the format is not known; {VERSION} is")
    return str(head.get("id") or run.name)


def records(spark: SparkSession, runs: Sequence[Path]) -> tuple[DataFrame, dict[str, Path]]:
    """Return one row per line of all runs, and the directory of each run by its id. A run that is given twice counts
    once."""
    from pyspark.sql import functions as f

    ids: dict[str, Path] = {}
    for run in runs:
        ids.setdefault(check(run), run)
    found = (
        spark.read.schema(_SCHEMA)
        .option("columnNameOfCorruptRecord", "damaged")
        .json([str(run / FILE) for run in ids.values()])
        .withColumn("path", f.col("_metadata.file_path"))
    )
    # Spark names a file as a URI, in which letters of a path are escaped: the id is found by the head of the file.
    heads = found.where("record = 'run'").selectExpr("path", "id as run")
    return found.join(f.broadcast(heads), "path"), ids


def results(spark: SparkSession, rows: DataFrame) -> DataFrame:
    """Return the normalised results: one row per repeat of a step."""
    return spark.sql(_RESULTS, records=rows)


def read(spark: SparkSession, runs: Sequence[Path]) -> list[RunFacts]:
    """Read runs into tables and bring their facts and points to the driver, oldest run first."""
    rows, ids = records(spark, runs)
    rows = rows.cache()
    try:
        made = {run: RunFacts(run, place, {}) for run, place in ids.items()}
        _facts(rows, made)
        found = spark.sql(_POINTS, results=results(spark, rows)).collect()
        latency = _grouped(spark.sql(_LATENCY, records=rows).collect(), _latency)
        values = _grouped(
            rows.where("record = 'value'").select("run", "step", "name", "value", "unit").collect(),
            lambda row: (row.name, row.value, row.unit),
        )
        for row in found:
            key = (row.run, row.step)
            made[row.run].points.append(_point(row, tuple(latency.get(key, ())), tuple(values.get(key, ()))))
        measured = {(row.run, row.step) for row in found}
        if set(values) - measured:
            steps = rows.where("record = 'step'").select("run", "step", "parameters").collect()
            parameters = {(row.run, row.step): dict(row.parameters or {}) for row in steps}
            for run, step in set(values) - measured:
                given = parameters.get((run, step), {})
                made[run].points.append(_without_result(made[run], step, given, tuple(values[run, step])))
    finally:
        rows.unpersist()
    for each in made.values():
        each.points.sort(key=lambda point: point.step)
    return sorted(made.values(), key=lambda each: (each.started, each.id))


def _grouped(rows: list[Any], make: Any) -> dict[tuple[str, int], list[Any]]:
    made: dict[tuple[str, int], list[Any]] = {}
    for row in rows:
        made.setdefault((row.run, row.step), []).append(make(row))
    return made


def _latency(row: Any) -> Latency:
    return Latency(row.what, row.since, row["count"], row.p50, row.p90, row.p99, row.p999, row.max)


def _point(row: Any, latency: tuple[Latency, ...], values: tuple[tuple[str, float, str], ...]) -> Point:
    known = [each for each in row.repeats if each.log_bytes is not None and each.operations]
    return Point(
        row.run,
        row.workload,
        row.product,
        row.step,
        dict(row.parameters or {}),
        tuple(each.rate for each in row.repeats if each.rate is not None),
        tuple(each.queue_manager_us for each in row.repeats if each.queue_manager_us is not None),
        tuple(each.driver_us for each in row.repeats if each.driver_us is not None),
        tuple(each.log_bytes / each.operations for each in known),
        row.machine_cpu,
        row.memory_mb or None,
        row.errors or 0,
        row.log_writes,
        row.depth,
        row.messages,
        row.target_rate,
        latency,
        values,
    )


def _without_result(
    run: RunFacts, step: int, parameters: dict[str, str], values: tuple[tuple[str, float, str], ...]
) -> Point:
    """Return the point of a step that measured values and no rate: a restart, a footprint."""
    product = str(run.head.get("product") or "")
    none = (None, None, 0, None, None, None)
    return Point(run.id, run.workload, product, step, parameters, (), (), (), (), *none, values=values)


def _facts(rows: DataFrame, made: dict[str, RunFacts]) -> None:
    wanted = "record in ('run', 'machine', 'disk', 'peak', 'note', 'smf', 'end') or damaged is not null"
    for row in rows.where(wanted).collect():
        facts = made[row.run]
        fields = {name: value for name, value in row.asDict(recursive=True).items() if value is not None}
        if row.damaged is not None:
            facts.damaged_lines += 1
        elif row.record == "run":
            facts.head = fields
        elif row.record == "machine":
            facts.machine = fields
        elif row.record == "disk":
            facts.disks.append(fields)
        elif row.record == "peak":
            facts.peaks.append(fields)
        elif row.record == "note":
            facts.notes.append(str(row.text or ""))
        elif row.record == "smf" and row.file:
            facts.smf.append(facts.directory / row.file)
        elif row.record == "end":
            facts.ended, facts.finished = str(row.ended), row.finished
