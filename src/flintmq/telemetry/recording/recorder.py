"""The times of writing: statistics at the end of each STATIME, accounting at the end of each ACCTIME and of each task.

    collect   under the lock of the host: put the due data into a Batch; quick, nothing is packed
    write     without it: the records of a batch are made and written
    due_ms    the time of the next call

A host calls collect when that is due, and after each command (a trace may have been started or stopped). The last batch
is that of `finish`: intervals that were running are written as far as they went.

Lost data. Records that cannot be written, because the disk is full or tasks end faster than they can be written, are
lost; the error log says so once (CSQW133E), and once when records are written again (CSQW123I). The queue manager does
not wait for its records (B20).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flintmq.mqi.trace_words import ACCTG, STAT
from flintmq.qmgr.calls import ACCTIME, STATIME, Calls, next_end_ms
from flintmq.qmgr.calls import ChannelRow as Row
from flintmq.qmgr.connection import Task, TaskWork
from flintmq.telemetry.recording import sample as samples
from flintmq.telemetry.recording.channels import SETTINGS, calls_of
from flintmq.telemetry.recording.dump_files import DumpFiles
from flintmq.telemetry.recording.record import Span
from flintmq.telemetry.recording.records import Writer
from flintmq.telemetry.recording.sample import Sample

#: Tasks that have ended are written at least so often.
TASKS_MS = 1000

Notice = Callable[[str, str], None]


@dataclass
class Batch:
    """The data of the records to write."""

    now_us: int
    statistics: tuple[Sample, Sample, set[int]] | None = None
    #: Class 1, and class 3.
    ended: list[Task] = field(default_factory=list)
    work: list[tuple[Task, TaskWork]] = field(default_factory=list)
    #: Class 4: the channels when the interval began, and those that ran at its end or have ended in it.
    channels: tuple[dict[str, Row], list[Row], int] | None = None
    tasks_lost: int = 0


class Recorder:
    """The records of one queue manager."""

    def __init__(self, qm: Calls, writer: Writer, files: DumpFiles | None, notice: Notice) -> None:
        self.qm = qm
        self.writer = writer
        self.files = files
        self._notice = notice
        self._changes = 0
        #: The sample that the running statistics interval began with, and when it ends.
        self._before: Sample | None = None
        self._stat_end_ms = 0
        self._stat_classes: set[int] = set()
        #: The same of accounting; and the channels when their interval began, and when that was.
        self._acct_end_ms = 0
        self._acct_classes: set[int] = set()
        self._channels: dict[str, Row] = {}
        self._channels_start_us = 0
        self._losing = False
        #: Records that were written, and that were lost.
        self.written = 0
        self.lost = 0
        self.channel_rows: Callable[[], list[Row]] | None = None
        self.ended_channels: Callable[[], list[Row]] | None = None
        self.job = ""

    # -- under the lock -----------------------------------------------------------------------------------------------

    def collect(self, last: bool = False) -> Batch | None:
        """Collect the data that are due now; with `last` all that there are. Return None if there are none."""
        qm = self.qm
        now_us, now_ms = qm.clock.now_us(), qm.clock.now_ms()
        cut = qm.cut_intervals or last
        qm.cut_intervals = False
        batch = Batch(now_us)
        self._statistics(batch, now_us, now_ms, cut)
        begun = self._acct_classes
        self._accounting(batch, now_us, now_ms, cut)
        if qm.ended_tasks:
            ended, qm.ended_tasks = qm.ended_tasks, []
            self._add_ended(batch, ended, begun | self._acct_classes)
        batch.tasks_lost, qm.tasks_lost = qm.tasks_lost, 0
        something = batch.statistics or batch.ended or batch.work or batch.channels or batch.tasks_lost
        return batch if something else None

    def due_ms(self) -> int:
        """Return the time of the next `collect`, in milliseconds since 1970; 0 if no trace is started."""
        due = [end for end in (self._stat_end_ms, self._acct_end_ms) if end]
        if self.qm.accounting:
            due.append(self.qm.clock.now_ms() + TASKS_MS)
        return min(due) if due else 0

    def _statistics(self, batch: Batch, now_us: int, now_ms: int, cut: bool) -> None:
        qm = self.qm
        classes = qm.traces.classes(STAT)
        before, begun = self._before, self._stat_classes
        over = before is not None and (cut or now_ms >= self._stat_end_ms)
        if before is not None and (over or not classes):
            # A stopped trace gets its counts until then.
            batch.statistics = (before, self._sample(begun | classes, now_us), begun)
            before = batch.statistics[1]
        if over:
            qm.interval_ended(STATIME)
        if not classes:
            self._before, self._stat_end_ms, self._stat_classes = None, 0, set()
            return
        if before is None:
            before = self._sample(classes, now_us)
        elif classes - begun and not over:
            self._add(before, classes - begun)
        self._before = before
        self._stat_classes = classes
        if over or not self._stat_end_ms:
            self._stat_end_ms = next_end_ms(now_ms, qm.interval_length_s(STATIME))

    def _sample(self, classes: set[int], now_us: int) -> Sample:
        sample = Sample(now_us)
        self._add(sample, classes)
        return sample

    def _add(self, sample: Sample, classes: set[int]) -> None:
        """Add the data for the records of `classes` to a sample."""
        if 1 in classes:
            samples.take_system(self.qm, sample)
        elif 3 in classes and not sample.pools:
            samples.take_pools(self.qm, sample)
        if classes & {2, 4}:
            samples.take_process(sample)
        if 4 in classes and self.channel_rows is not None:
            rows = self.channel_rows()
            sample.serves, sample.job = True, self.job
            sample.channels = {str(row.get("JOBNAME", "")): row for row in rows}
            sample.requests = calls_of(rows)
            sample.most_channels = len(rows)
        if 5 in classes:
            samples.take_queues(self.qm, sample)

    def _accounting(self, batch: Batch, now_us: int, now_ms: int, cut: bool) -> None:
        qm = self.qm
        classes, begun = qm.traces.classes(ACCTG), self._acct_classes
        over = bool(self._acct_end_ms) and (cut or now_ms >= self._acct_end_ms)
        self._acct_classes = classes
        if over and 3 in classes:
            for connection in qm.connections.values():
                if connection.task is not None:
                    batch.work.append((connection.task, connection.task.end_interval(now_us)))
        if 4 in begun and (over or 4 not in classes):
            # A stopped trace gets the work of channels until then.
            self._end_channels(batch, now_us)
        elif 4 in classes and 4 not in begun:
            self._begin_channels(now_us)
        if not classes:
            self._acct_end_ms = 0
            return
        if over:
            qm.interval_ended(ACCTIME)
        if over or not self._acct_end_ms:
            self._acct_end_ms = next_end_ms(now_ms, qm.interval_length_s(ACCTIME))

    def _begin_channels(self, now_us: int) -> list[Row]:
        """Begin an interval of channels at their present counters; return the instances that have ended."""
        ended = self.ended_channels() if self.ended_channels is not None else []
        self._channels = self._channels_now()
        self._channels_start_us = now_us
        return ended

    def _end_channels(self, batch: Batch, now_us: int) -> None:
        """End an interval of channels, and begin another."""
        before, start_us = self._channels, self._channels_start_us
        ended = self._begin_channels(now_us)
        setting = SETTINGS.get(self.qm.definition().text("STATCHL"), 0)
        if setting and self.channel_rows is not None:
            after = [{**row, "STATCHL": setting} for row in (*ended, *self._channels.values())]
            batch.channels = (before, after, start_us)

    def _channels_now(self) -> dict[str, Row]:
        rows = self.channel_rows() if self.channel_rows is not None else []
        return {str(row["JOBNAME"]): row for row in rows if "JOBNAME" in row}

    def _add_ended(self, batch: Batch, ended: list[Task], classes: set[int]) -> None:
        """Add tasks that have ended while a trace of these classes was started, be it stopped now."""
        if 1 in classes:
            batch.ended = ended
        if 3 in classes:
            batch.work += [(task, task.work) for task in ended]

    # -- without it ---------------------------------------------------------------------------------------------------

    def records(self, batch: Batch) -> list[bytes]:
        """Make the records of a batch."""
        made: list[bytes] = []
        if batch.statistics is not None:
            made += self.writer.statistics(*batch.statistics)
        made += [self.writer.task_ended(task, batch.now_us) for task in batch.ended]
        for task, work in batch.work:
            made += self.writer.task_work(task, work, batch.now_us)
        if batch.channels is not None:
            before, after, start_us = batch.channels
            made += self.writer.channels(before, after, Span(start_us, batch.now_us, batch.now_us))
        return made

    def write(self, batch: Batch) -> None:
        """Make the records of a batch and write them.

        Raises nothing: records that cannot be written are lost and reported.
        """
        if batch.tasks_lost:
            self.lost += batch.tasks_lost
            self._notice(
                "CSQW133E", f"ACCTG trace data lost: {batch.tasks_lost} tasks ended faster than can be written."
            )
        made = self.records(batch)
        if not made:
            return
        try:
            if self.files is None:
                raise OSError("a queue manager in memory has no dump files")
            self.files.write(made, batch.now_us)
        except OSError as error:
            self.lost += len(made)
            if not self._losing:
                self._losing = True
                where = f" {self.files.directory}" if self.files is not None else ""
                self._notice("CSQW133E", f"Trace data lost, SMF{where} not accessible: {error}.")
            return
        self.written += len(made)
        if self._losing:
            self._losing = False
            self._notice("CSQW123I", f"Trace recording has been resumed on SMF; {self.lost} records were lost so far.")

    def close(self) -> None:
        """Close the file: there are no more records."""
        if self.files is not None:
            try:
                self.files.close(self.qm.clock.now_us())
            except OSError as error:
                self._notice("CSQW133E", f"SMF {self.files.directory} could not be closed: {error}.")
