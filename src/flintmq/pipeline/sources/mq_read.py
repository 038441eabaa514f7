"""The readers of the source `mq`: what is planned on the driver, and what a task reads. mq_offset.py has the rules.

    driver  latestOffset   browses descriptors, no data: what is visible and not yet taken becomes the next batch
            partitions     cuts the positions of a batch into as many parts as tasks shall read
            commit         removes the messages of the batch from the queue: the only destructive get there is. It goes
                           on beside the next batch, in a thread with a connection of its own
    task    read           browses its positions, with data, and gives Arrow batches

A plan goes on where the last one has stopped, so that it does not pass over the messages of the last batch, which are
still there; it begins at the head of the queue when it comes to the end, and every AGAIN batches: then it finds what
was committed late, or has a higher priority. With the trigger AvailableNow the queue is looked at once, when the query
is started, and all batches are cut from what was there.

The driver's second connection holds the queue open for exclusive input (unless the option `shared` says otherwise):
nobody else gets what was planned. Against expiry nothing helps: a planned message that is gone fails the batch, or is
left out with the option missing = skip.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from flintmq.pipeline.errors import PipelineError
from flintmq.pipeline.sources.mq_chunk import PLACES, Chunk
from flintmq.pipeline.sources.mq_columns import Rows, schema_of
from flintmq.pipeline.sources.mq_link import Link
from flintmq.pipeline.sources.mq_offset import (
    Backlog,
    Member,
    Positions,
    Range,
    Seen,
    Taken,
    count_of,
    minus,
    planned,
    ranges_of,
    read_offset,
    split,
    union,
    write_offset,
)
from flintmq.pipeline.sources.mq_options import PARTITION_MESSAGES_MIN, SourceOptions

#: So many batches are planned from where the last one stopped before the head of the queue is looked at again.
AGAIN = 8


class MessagesGone(PipelineError):
    """Messages that belong to a batch are no longer on the queue."""


@dataclass
class Work(InputPartition):
    """What one task reads: positions of one queue."""

    queue: str
    ranges: list[Range]
    fifo: bool


def parts_of(queue: str, ranges: list[Range], fifo: bool, options: SourceOptions) -> list[Work]:
    """The tasks for some positions of a queue: as many as asked for, or one for each core of the driver's machine."""
    count = count_of(ranges)
    parts = options.partitions or min(os.cpu_count() or 1, count // PARTITION_MESSAGES_MIN)
    return [Work(queue, part, fifo) for part in split(ranges, max(1, parts)) if part]


def batches(work: Work, options: SourceOptions) -> Iterator[Any]:
    """The Arrow batches of a task. Raises MessagesGone."""
    rows = Rows(schema_of(options.columns, options.body), work.queue, options.body)
    left = count_of(work.ranges)
    wanted = Member(work.ranges)
    found: list[Positions] = []
    with Link(options.place) as link:
        for chunk in _from_first(link, work, rows.wanted):
            mask = wanted.mask(chunk.positions)
            beyond = work.fifo and int(chunk.positions[-1]) > work.ranges[-1][1]
            chosen = chunk.where(mask)
            found.append(chosen.positions)
            left -= len(chosen)
            if len(chosen):
                yield rows.batch(chosen)
            if not left or beyond:
                break
    if left and not options.skip_missing:
        gone = minus(work.ranges, ranges_of(np.concatenate(found)) if found else [])
        shown = ", ".join(f"{a}-{b}" if a < b else str(a) for a, b in gone[:3]) + (" ..." if len(gone) > 3 else "")
        raise MessagesGone(
            f"mq: queue {work.queue}: {left} messages of this batch are gone (positions {shown}): expired, or taken by "
            "somebody else; missing = skip leaves them out"
        )


def _from_first(link: Link, work: Work, wanted: int) -> Iterator[Chunk]:
    """A browse that begins at the first position if that is possible, else at the head of the queue."""
    if work.fifo:
        prefix = link.prefix_of(work.queue)
        first = True
        for chunk in link.browse(work.queue, work.ranges[0][0], prefix, wanted) if prefix else ():
            first = False
            yield chunk
        if not first:
            return
    yield from link.browse(work.queue, wanted=wanted)


class MqReader(DataSourceReader):
    """A batch: what is visible on the queues now. They are left as they are."""

    def __init__(self, options: SourceOptions) -> None:
        self.options = options

    def partitions(self) -> Sequence[InputPartition]:
        made: list[Work] = []
        with Link(self.options.place) as link:
            for queue in queues_of(link, self.options):
                seen = Seen()
                for chunk in link.browse(queue, wanted=PLACES):
                    seen.see(chunk.positions.tolist(), "")
                made += parts_of(queue, ranges_of(seen.positions), seen.fifo, self.options)
        return made or [Work("", [], True)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, Work)
        return batches(partition, self.options) if partition.ranges else iter(())


def queues_of(link: Link, options: SourceOptions) -> tuple[str, ...]:
    """The queues that are read: of a subscription, its own."""
    return options.queues or (link.queue_of(options.topic, options.subscription),)


class MqStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A stream: see mq_offset.py for what an offset is."""

    def __init__(self, options: SourceOptions) -> None:
        self.options = options
        self._link: Link | None = None
        #: For commit: what is being removed, one batch at a time.
        self._remover: Remover | None = None
        self._queues: tuple[str, ...] = ()
        #: What this reader has removed of what the last offset names (S3).
        self._removed: dict[str, list[Range]] = {}
        #: What was planned through this connection: it is there, and is what it was (S5).
        self._seen: dict[str, list[Range]] = {}
        #: Where the last plan stopped, and how many have gone on from there.
        self._stopped: dict[str, int] = {}
        self._gone_on: dict[str, int] = {}
        #: With the trigger AvailableNow: what was there when the query was started, and is not planned yet.
        self._only: dict[str, Backlog] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What goes to the tasks: the options."""
        return {"options": self.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["options"])  # type: ignore[misc]

    def _linked(self) -> Link:
        link = self._link
        if link is None:
            link = Link(self.options.place)
            try:
                self._queues = queues_of(link, self.options)
                self._remover = Remover(self.options, self._queues)
            except BaseException:
                link.close()
                raise
            self._link = link
        return link

    def initialOffset(self) -> dict[str, Any]:
        return {}

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(self.options.messages_max)

    def prepareForTriggerAvailableNow(self) -> None:
        """Look once at all that is there: the batches are cut from that."""
        link = self._linked()
        self._only = {queue: Backlog() for queue in self._queues}
        for queue, backlog in self._only.items():
            for chunk in link.browse(queue, wanted=PLACES):
                assert chunk.put_at is not None
                backlog.see(chunk.positions, chunk.put_at)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """The next batch: up to the limit, shared out among the queues; nothing new: `start` itself."""
        link = self._linked()
        self._note_removed(False)
        room = limit.max_rows if isinstance(limit, ReadMaxRows) else self.options.messages_max
        before = read_offset(start)
        after = dict(before)
        found = False
        for number, queue in enumerate(self._queues):
            share = max(1, room // (len(self._queues) - number))
            taken = before.get(queue, Taken())
            seen = Seen()
            if room > 0:
                only = self._only
                seen = self._plan(link, queue, taken, share) if only is None else only[queue].cut(taken, share)
            if seen.again:
                self._removed.pop(queue, None)
            after[queue] = planned(taken, self._removed.get(queue, []), seen)
            if seen.positions:
                found = True
                still = minus(self._seen.get(queue, []), self._removed.get(queue, []))
                self._seen[queue] = union(still, after[queue].batch)
            room -= len(seen.positions)
        return write_offset(after) if found else start

    def _plan(self, link: Link, queue: str, taken: Taken, room: int) -> Seen:
        """What is on the queue and not taken, up to `room`."""
        seen = Seen()
        stopped = self._stopped.pop(queue, 0)
        if stopped and self._gone_on.get(queue, 0) < AGAIN:
            self._gone_on[queue] = self._gone_on.get(queue, 0) + 1
            self._look(link, queue, taken, room, seen, stopped)
            if len(seen.positions) >= room:
                return seen
            seen = Seen()  # The end: once more from the head, for what is late.
        self._gone_on[queue] = 0
        self._look(link, queue, taken, room, seen, 0)
        return seen

    def _look(self, link: Link, queue: str, taken: Taken, room: int, seen: Seen, start: int) -> None:
        known = Member(taken.all())
        prefix = link.prefix_of(queue) if start else b""
        newest = taken.newest.encode()
        for chunk in link.browse(queue, start, prefix, PLACES):
            assert chunk.put_at is not None
            old = known.mask(chunk.positions)
            again = old & (chunk.put_at > newest)
            seen.again = seen.again or bool(again.any())  # S5
            more = chunk.rows(np.flatnonzero(~old | again)[: room - len(seen.positions)])
            seen.see(more.positions.tolist(), more.newest())
            if len(seen.positions) >= room:
                if seen.fifo:
                    self._stopped[queue] = seen.positions[-1]
                return

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The positions of the batch, which `end` names; none if nothing lies between the two."""
        if start == end:
            return []
        return [
            work
            for queue, taken in read_offset(end).items()
            for work in parts_of(queue, taken.batch, taken.fifo, self.options)
        ]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, Work)
        return batches(partition, self.options)

    def commit(self, end: dict[str, Any]) -> None:
        """The batch is done: its messages go (S4), after those of the one before it."""
        self._linked()
        assert self._remover is not None
        self._note_removed(True)
        removals: list[Removal] = []
        for queue, taken in read_offset(end).items():
            left = minus(taken.all(), self._removed.get(queue, []))
            sure = not minus(left, self._seen.get(queue, []))
            removals.append(Removal(queue, left, taken.newest, sure, taken.all()))
        self._remover.begin(removals)

    def settle(self) -> None:
        """Wait until what commit has begun is done. Raises what went wrong."""
        self._note_removed(True)

    def _note_removed(self, waits: bool) -> None:
        """Note what was removed (S3). Raises what went wrong with it."""
        for removal in self._remover.ended(waits) if self._remover is not None else ():
            self._removed[removal.queue] = removal.named

    def stop(self) -> None:
        try:
            self.settle()
        finally:
            for each in (self._remover, self._link):
                if each is not None:
                    each.close()
            self._remover = self._link = None


@dataclass
class Removal:
    """What goes from one queue."""

    queue: str
    ranges: list[Range]
    newest: str
    sure: bool
    #: All that the offset names: none of it is there afterwards.
    named: list[Range]


class Remover:
    """Removes the messages of a batch while the next one is read. Who begins the next removal waits for the last."""

    def __init__(self, options: SourceOptions, queues: Sequence[str]) -> None:
        self._link = Link(options.place)
        try:
            for queue in queues if not options.shared else ():
                self._link.hold(queue)
        except BaseException:
            self._link.close()
            raise
        self._thread = ThreadPoolExecutor(1, "mq-remover")
        self._going: Future[list[Removal]] | None = None

    def begin(self, removals: list[Removal]) -> None:
        """What was begun before has ended."""
        self._going = self._thread.submit(self._remove, removals)

    def _remove(self, removals: list[Removal]) -> list[Removal]:
        for each in removals:
            self._link.remove(each.queue, each.ranges, each.newest, each.sure)
        return removals

    def ended(self, waits: bool) -> list[Removal]:
        """What was begun, if it has ended; each is told once. Raises what went wrong."""
        going = self._going
        if going is None or not (waits or going.done()):
            return []
        self._going = None
        return going.result()

    def close(self) -> None:
        """Wait for what was begun, and end."""
        self._thread.shutdown()
        self._link.close()
