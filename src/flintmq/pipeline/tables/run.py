"""A run of the pipeline: find new data in the dumps, load it in tasks, commit, make gold, report.

    dump, compared with its entry             action
    not there                                 loaded as a whole
    not there, and a copy of another          passed over, with a finding (twins.py)
    same size, same first and last bytes      nothing; if a stream has left the end of it, that is loaded
    longer, same first bytes                  loaded from where its complete records ended
    anything else                             its files are replaced

Dumps are loaded in waves of whole dumps; a wave is committed before the next begins, so a run that was killed resumes
at its last wave, and the driver's memory does not depend on how much there is to load. Gold is made when silver has
changed since it was made last; OUT/_flint/gold.due says so, from before a commit until gold is there.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from flintmq.pipeline.errors import PipelineError, explain
from flintmq.pipeline.sources.smf import files_of
from flintmq.pipeline.tables.gold import make_gold
from flintmq.pipeline.tables.load import Loaded, Task, load, load_in_worker, write_findings
from flintmq.pipeline.tables.manifest import Entry, Manifest, head_of, tail_of
from flintmq.pipeline.tables.place import BRONZE, GOLD, LAYERS, SILVER, input_id
from flintmq.pipeline.tables.quality import DUPLICATE, Report, report_of, write_report
from flintmq.pipeline.tables.twins import Twins, sample_of
from flintmq.telemetry.smf.columns.dump import COMPRESSED, Range, complete, grown, ranges_of
from flintmq.telemetry.smf.framing import BDW

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTITION = 64 << 20
#: Tasks of a wave.
WAVE = 512
#: Bytes of dumps that a local session loads in the driver: Python workers take longer to start.
IN_DRIVER_MAX = 16 << 20
#: How much larger a packed dump is once it is unpacked, as a rule.
PACKED = 12

#: Called as work proceeds: the work, the amount done, the total.
Progress = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class Settings:
    """The options of a run."""

    smf: list[str]
    out: Path
    layers: tuple[str, ...] = LAYERS
    partition_size: int = PARTITION
    framing: str = ""
    #: Dumps are still being written: an incomplete record at the end is not damage yet.
    growing: bool = False


@dataclass
class Job:
    """A dump that has something to load."""

    entry: Entry
    tasks: list[Task]
    #: Files of an earlier load that go away.
    replaced: list[str] = field(default_factory=list)
    #: Where the new part of the dump begins; whether it is passed over.
    start: int = 0
    passed: bool = False


def dumps_of(roots: list[str]) -> dict[str, str]:
    """Return name -> path. The name of a dump is its path below the directory that was given, or its own."""
    found: dict[str, str] = {}
    for root in roots:
        for path in files_of(root):
            try:
                open(path, "rb").close()
            except FileNotFoundError:
                continue  # It was taken away since it was listed.
            except OSError as error:
                raise PipelineError(f"{path} cannot be read: {error.strerror}") from None
            name = os.path.relpath(path, root) if os.path.isdir(root) else os.path.basename(path)
            if found.setdefault(name, path) != path:
                raise PipelineError(
                    f"two dumps are called {name}: {found[name]} and {path}; give a directory above both"
                )
    return found


def job_of(name: str, path: str, manifest: Manifest, settings: Settings, twins: Twins) -> Job | None:
    """Return the job that loads the new part of a dump; None if the dump has none."""
    dump = input_id(name)
    size = os.path.getsize(path)
    before = manifest.find(dump)
    start = _start_of(path, size, before, settings, twins)
    part = None if start is None else _part_of(path, size, start, settings)
    if part is None:
        return None
    entry = Entry(name, dump, size, head_of(path, part.end), tail_of(path, size), part.end, list(data_layers(settings)))
    entry.unfinished = settings.growing and part.end < size
    replaced: list[str] = []
    if before is not None and part.start:
        entry.continue_from(before)
    elif before is not None:
        replaced = list(before.files)
    entry.sample = sample_of(path, size)
    entry.origin = entry.origin or entry.sample
    if twins.find(entry, path):
        return Job(entry, [], replaced, part.start, True)
    if not entry.same_as:
        twins.note(entry)
    tasks = [Task(each, name, dump, str(manifest.staging), data_layers(settings)) for each in part.ranges]
    return Job(entry, tasks, replaced, part.start)


def _start_of(path: str, size: int, before: Entry | None, settings: Settings, twins: Twins) -> int | None:
    """Return the offset where the new data of a dump begins: 0 to load all of it, None if there is no new data."""
    if before is None or (before.same_as and not twins.hold(before)):
        return 0
    if before.layers != list(data_layers(settings)):
        return 0
    if before.loaded > size or before.head != head_of(path, before.loaded):
        return 0
    unchanged = before.size == size and before.tail == tail_of(path, size)
    if unchanged and (settings.growing or not before.unfinished):
        return None
    appended = unchanged or size > before.size
    return before.loaded if appended and not path.endswith(COMPRESSED) else 0


@dataclass(frozen=True)
class _Part:
    """The part of a dump to load: its ranges, and the offsets where the first begins and the complete records end."""

    ranges: list[Range]
    start: int
    end: int


def _part_of(path: str, size: int, start: int, settings: Settings) -> _Part | None:
    """Divide a dump from `start` on; None if it grows and has no new complete record. Blocks are loaded as a whole."""
    share = share_of(size - start, settings.partition_size)
    ranges = ranges_of(path, share, settings.framing, start)
    framing = ranges[0].framing
    if any(each.framing == BDW for each in ranges):
        return _Part([Range(path, BDW)], 0, size)
    if path.endswith(COMPRESSED):
        return _Part(ranges, start, size)
    if not settings.growing:
        return _Part(ranges, start, complete(ranges[-1]))
    end = grown(path, start, framing)
    return _Part(ranges_of(path, share, framing, start, end), start, end) if end > start else None


def share_of(size: int, most: int) -> int:
    """Return the bytes of a range: at most `most`, such that ranges are equal and their number is even.

    Two cores then have the same work. It does not depend on the number of cores: files are the same everywhere.
    """
    count = -(-size // most)
    return -(-size // (count + count % 2)) if count > 1 else most


def data_layers(settings: Settings) -> tuple[str, ...]:
    return tuple(layer for layer in (BRONZE, SILVER) if layer in settings.layers)


def waves(jobs: Iterator[Job]) -> Iterator[list[Job]]:
    """Group jobs in waves of about WAVE tasks."""
    wave: list[Job] = []
    for job in jobs:
        wave.append(job)
        if sum(len(one.tasks) for one in wave) >= WAVE:
            yield wave
            wave = []
    if wave:
        yield wave


def run(spark: SparkSession, settings: Settings, progress: Progress = silent) -> Report:
    """Bring the tables up to date with the dumps."""
    manifest = Manifest(settings.out)
    with manifest.alone():
        manifest.open()
        return _run(spark, settings, manifest, progress)


def _run(spark: SparkSession, settings: Settings, manifest: Manifest, progress: Progress) -> Report:
    dumps = dumps_of(settings.smf)
    twins = Twins(manifest, dumps)
    # Duplicates come last: the dump that they copy may have changed.
    names = sorted(dumps, key=lambda name: (name in twins.passed, name))
    found = (_job_if_there(name, dumps[name], manifest, settings, twins) for name in names)
    jobs = (job for job in found if job is not None)
    due = manifest.state / "gold.due"
    fresh = 0
    for wave in waves(jobs):
        wave, loaded = _loaded(spark, wave, progress)
        loaded += [_passed_over(manifest, job) for job in wave if job.passed]
        due.touch()
        commit(manifest, wave, loaded)
        fresh += len(wave)
    if GOLD in settings.layers and SILVER in settings.layers and (due.exists() or not (settings.out / GOLD).is_dir()):
        progress("gold", 0, 1)
        make_gold(spark, settings.out)
        due.unlink(missing_ok=True)
        progress("gold", 1, 1)
    report = report_of(manifest, fresh, len(dumps))
    write_report(settings.out, report)
    return report


def _job_if_there(name: str, path: str, manifest: Manifest, settings: Settings, twins: Twins) -> Job | None:
    """Return the job of a dump, None if the dump was deleted since its directory was listed."""
    try:
        return job_of(name, path, manifest, settings, twins)
    except FileNotFoundError:
        return None


def _loaded(spark: SparkSession, wave: list[Job], progress: Progress) -> tuple[list[Job], list[Loaded]]:
    """Run the tasks of a wave; return their jobs and results, without dumps that were deleted meanwhile."""
    while True:
        tasks = [task for job in wave for task in job.tasks]
        try:
            return wave, run_tasks(spark, tasks, progress) if tasks else []
        except PipelineError:
            here = [job for job in wave if all(os.path.exists(task.part.path) for task in job.tasks)]
            if len(here) == len(wave):
                raise
            wave = here


def _passed_over(manifest: Manifest, job: Job) -> Loaded:
    """Write the finding about a duplicate dump."""
    entry = job.entry
    what = f"the same as {entry.same_as}, which is in the tables"
    finding = (entry.name, job.start, entry.size - job.start, DUPLICATE, what)
    return write_findings([finding], Loaded(entry.dump, job.start), manifest.staging)


def commit(manifest: Manifest, wave: list[Job], loaded: list[Loaded]) -> None:
    """Make the files that the tasks of a wave wrote visible."""
    entries = {job.entry.dump: job.entry for job in wave}
    moves: list[tuple[str, str]] = []
    for part in loaded:
        entry = entries[part.dump]
        for source, place, rows in part.files:
            moves.append((source, place))
            entry.files[place] = rows
        for kind, count in part.records.items():
            entry.records[kind] = entry.records.get(kind, 0) + count
        entry.unknown += part.unknown
        entry.damaged += part.damaged
        entry.lost += part.lost
        entry.examples = (entry.examples + [list(example) for example in part.examples])[:5]
    placed = {place for _, place in moves}
    deletes = [name for job in wave for name in job.replaced if name not in placed]
    manifest.commit(list(entries.values()), moves, deletes)


def run_tasks(spark: SparkSession, tasks: list[Task], progress: Progress) -> list[Loaded]:
    """Run the tasks of a wave on the cluster. Their results are small: names and counts."""
    context = spark.sparkContext
    if (context.master or "").startswith("local") and sum(_bytes_of(task) for task in tasks) <= IN_DRIVER_MAX:
        return _in_driver(tasks, progress)
    results: list[Loaded] = []
    failures: list[BaseException] = []
    group = f"load-{id(tasks)}"

    def work() -> None:
        context.setJobGroup(group, "loading SMF dumps", interruptOnCancel=True)
        try:
            results.extend(context.parallelize(tasks, len(tasks)).map(load_in_worker).collect())
        except Exception as error:
            failures.append(error)

    from pyspark import InheritableThread

    thread = InheritableThread(target=work)
    thread.start()
    _watch(spark, thread, group, len(tasks), progress)
    if failures:
        raise PipelineError(explain(failures[0])) from None
    return sorted(results, key=lambda part: (part.dump, part.start))


def weight_of(path: str) -> int:
    """Return about how many bytes of records a dump has."""
    try:
        return os.path.getsize(path) * (PACKED if path.endswith(COMPRESSED) else 1)
    except OSError:
        return 0


def _bytes_of(task: Task) -> int:
    part = task.part
    return part.stop - part.start if part.stop >= 0 else max(weight_of(part.path) - part.start, 0)


def _in_driver(tasks: list[Task], progress: Progress) -> list[Loaded]:
    """Run tasks here, one after the other."""
    results = []
    for number, task in enumerate(tasks):
        try:
            results.append(load(task))
        except OSError as error:
            raise PipelineError(f"{task.part.path}: {error.strerror or error}") from None
        progress("loading", number + 1, len(tasks))
    return sorted(results, key=lambda part: (part.dump, part.start))


def _watch(spark: SparkSession, thread: threading.Thread, group: str, total: int, progress: Progress) -> None:
    """Show how many tasks are done while a thread waits for them all; Ctrl-C ends the job."""
    tracker = spark.sparkContext.statusTracker()
    try:
        while progress is silent and thread.is_alive():
            thread.join(1.0)
        while thread.is_alive():
            thread.join(0.5)
            done = 0
            for job in tracker.getJobIdsForGroup(group):
                info = tracker.getJobInfo(job)
                stages = [tracker.getStageInfo(stage) for stage in info.stageIds] if info else []
                done = sum(stage.numCompletedTasks for stage in stages if stage)
            progress("loading", total if not thread.is_alive() else min(done, total), total)
    except KeyboardInterrupt:
        spark.sparkContext.cancelJobGroup(group)
        raise
