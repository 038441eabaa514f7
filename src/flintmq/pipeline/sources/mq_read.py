"""The readers of the source `mq`: the driver plans batches, and tasks read them. mq_offset.py has the rules.

    driver  latestOffset   browses descriptors, no data: visible messages not yet taken become the next batch
            partitions     cuts the positions of a batch into as many parts as tasks shall read
            commit         removes the messages of the batch from the queue: the only destructive get there is. It runs
                           beside the next batch, in a thread with a connection of its own
    task    read           browses its positions, with data, and gives Arrow batches

A plan continues where the last one has stopped, so that it does not pass over the messages of the last batch, which are
still there; it begins at the head of the queue when it comes to the end, and every AGAIN batches: then it finds
messages that were committed late, or have a higher priority. With the trigger AvailableNow the queue is looked at once,
when the query is started, and all batches are cut from the messages then on it.

The driver's second connection holds the queue open for exclusive input (unless the option `shared` says otherwise): no
other application gets planned messages. Against expiry nothing helps: a planned message that is gone fails the batch,
or is left out with the option missing = skip.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from flintmq.pipeline.errors import PipelineError
from flintmq.pipeline.sources.mq_chunk import PLACES, Chunk
from flintmq.pipeline.sources.mq_columns import Rows, schema_of
from flintmq.pipeline.sources.mq_connection import MQConnection
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
    """The input of one task: positions of one queue."""

    queue: str
    ranges: list[Range]
    fifo: bool
    #: A message put later stands in the place of one that is gone (S5).
    newest: str


def parts_of(queue: str, ranges: list[Range], fifo: bool, newest: str, options: SourceOptions) -> list[Work]:
    """Return the tasks for some positions of a queue: `partitions`, or one for each core of the driver's machine."""
    count = count_of(ranges)
    parts = options.partitions or min(os.cpu_count() or 1, count // PARTITION_MESSAGES_MIN)
    return [Work(queue, part, fifo, newest) for part in split(ranges, max(1, parts)) if part]


def batches(work: Work, options: SourceOptions) -> Iterator[Any]:
    """Yield the Arrow batches of a task. Raises MessagesGone."""
    rows = Rows(schema_of(options.columns, options.body), work.queue, options.body)
    gone = work.ranges
    with MQConnection(options.place) as connection:
        found: list[Positions] = []
        for chosen in _chosen(_from_first(connection, work, rows.wanted), gone, work.newest, work.fifo):
            found.append(chosen.positions)
            yield rows.batch(chosen)
        if sum(map(len, found)) < count_of(gone):
            gone = minus(gone, ranges_of(np.concatenate(found)) if found else [])
            # Many that came since, of a priority between those of the batch, may stand before the rest of it.
            rest = connection.on_queue(work.queue, gone, work.newest) if work.fifo else []
            again = connection.browse(work.queue, wanted=rows.wanted) if rest else ()
            for chosen in _chosen(again, rest, work.newest, False):
                gone = minus(gone, ranges_of(chosen.positions))
                yield rows.batch(chosen)
        else:
            gone = []
    if gone and not options.skip_missing:
        shown = ", ".join(f"{a}-{b}" if a < b else str(a) for a, b in gone[:3]) + (" ..." if len(gone) > 3 else "")
        raise MessagesGone(
            f"mq: queue {work.queue}: {count_of(gone)} messages of this batch are gone (positions {shown}): expired, "
            "or taken by somebody else; missing = skip leaves them out"
        )


def _chosen(chunks: Iterable[Chunk], ranges: list[Range], newest: str, fifo: bool) -> Iterator[Chunk]:
    """Yield the messages at these positions, until all are found or, if positions grow, until they are passed."""
    left = count_of(ranges)
    wanted, latest = Member(ranges), newest.encode("latin-1")
    for chunk in chunks:
        assert chunk.put_at is not None
        chosen = chunk.where(wanted.mask(chunk.positions) & (chunk.put_at <= latest))
        left -= len(chosen)
        if len(chosen):
            yield chosen
        if not left or (fifo and int(chunk.positions[-1]) > ranges[-1][1]):
            return


def _from_first(connection: MQConnection, work: Work, wanted: int) -> Iterator[Chunk]:
    """Browse from the first position if that is possible, else from the head of the queue."""
    if work.fifo:
        prefix = connection.prefix_of(work.queue)
        first = True
        for chunk in connection.browse(work.queue, work.ranges[0][0], prefix, wanted) if prefix else ():
            first = False
            yield chunk
        if not first:
            return
    yield from connection.browse(work.queue, wanted=wanted)


class MqReader(DataSourceReader):
    """A batch: the messages that are visible on the queues now. They stay on the queues."""

    def __init__(self, options: SourceOptions) -> None:
        self.options = options

    def partitions(self) -> Sequence[InputPartition]:
        made: list[Work] = []
        with MQConnection(self.options.place) as connection:
            for queue in queues_of(connection, self.options):
                seen = Seen()
                for chunk in connection.browse(queue, wanted=PLACES):
                    seen.see(chunk.positions.tolist(), chunk.newest())
                made += parts_of(queue, ranges_of(seen.positions), seen.fifo, seen.newest, self.options)
        return made or [Work("", [], True, "")]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, Work)
        return batches(partition, self.options) if partition.ranges else iter(())


def queues_of(connection: MQConnection, options: SourceOptions) -> tuple[str, ...]:
    """Return the queues to read: those of the options, or that of the subscription."""
    return options.queues or (connection.queue_of(options.topic, options.subscription),)


class MqStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A stream of batches. mq_offset.py defines its offsets."""

    def __init__(self, options: SourceOptions) -> None:
        self.options = options
        self._connection: MQConnection | None = None
        #: For commit: removes messages, one batch at a time.
        self._remover: Remover | None = None
        self._queues: tuple[str, ...] = ()
        #: The positions of the last offset that this reader has removed (S3).
        self._removed: dict[str, list[Range]] = {}
        #: The positions planned or found through this connection: their messages are unchanged (S5).
        self._seen: dict[str, list[Range]] = {}
        #: The offset that this reader has begun with, and the part of it that was still there (S5).
        self._first: dict[str, tuple[Taken, Taken]] = {}
        #: Where the last plan stopped, and how many have gone on from there.
        self._stopped: dict[str, int] = {}
        self._gone_on: dict[str, int] = {}
        #: With the trigger AvailableNow: messages there when the query was started, and not planned yet.
        self._only: dict[str, Backlog] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that is sent to the tasks: the options."""
        return {"options": self.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["options"])  # type: ignore[misc]

    def _connected(self) -> MQConnection:
        connection = self._connection
        if connection is None:
            connection = MQConnection(self.options.place)
            try:
                self._queues = queues_of(connection, self.options)
                self._remover = Remover(self.options, self._queues)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return connection

    def initialOffset(self) -> dict[str, Any]:
        return {}

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(self.options.messages_max)

    def prepareForTriggerAvailableNow(self) -> None:
        """Look once at all that is there: the batches are cut from that."""
        connection = self._connected()
        self._only = {queue: Backlog() for queue in self._queues}
        for queue, backlog in self._only.items():
            for chunk in connection.browse(queue, wanted=PLACES):
                assert chunk.put_at is not None
                backlog.see(chunk.positions, chunk.put_at)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Plan the next batch: up to the limit, divided among the queues.

        Without new messages return `start` itself.
        """
        connection = self._connected()
        self._note_removed(False)
        room = limit.max_rows if isinstance(limit, ReadMaxRows) else self.options.messages_max
        before = read_offset(start)
        after = dict(before)
        found = False
        for number, queue in enumerate(self._queues):
            share = max(1, room // (len(self._queues) - number))
            taken = self._there(connection, queue, before.get(queue, Taken()))
            seen = Seen()
            if room > 0:
                only = self._only
                seen = self._plan(connection, queue, taken, share) if only is None else only[queue].cut(taken, share)
            after[queue] = planned(taken, self._removed.get(queue, []), seen)
            if seen.positions:
                found = True
                still = minus(self._seen.get(queue, []), self._removed.get(queue, []))
                self._seen[queue] = union(still, after[queue].batch)
            room -= len(seen.positions)
        for queue in before.keys() - set(self._queues):  # It was read once: taken messages go, and are not read again.
            after[queue] = planned(self._there(connection, queue, before[queue]), self._removed.get(queue, []), Seen())
        return write_offset(after) if found else start

    def _there(self, connection: MQConnection, queue: str, taken: Taken) -> Taken:
        """Return the entry of a queue in an offset.

        In the one that this reader begins with, missing messages are left out.
        """
        if queue not in self._first:
            left = connection.on_queue(queue, taken.all(), taken.newest) if taken.all() else []
            self._first[queue] = taken, Taken([], left, taken.newest)
            self._seen[queue] = left
        first, there = self._first[queue]
        return there if taken == first else taken

    def _plan(self, connection: MQConnection, queue: str, taken: Taken, room: int) -> Seen:
        """Find up to `room` messages that are on the queue and not taken."""
        seen = Seen()
        stopped = self._stopped.pop(queue, 0)
        if stopped and self._gone_on.get(queue, 0) < AGAIN:
            self._gone_on[queue] = self._gone_on.get(queue, 0) + 1
            self._look(connection, queue, taken, room, seen, stopped)
            if len(seen.positions) >= room:
                return seen
            seen = Seen()  # The end: once more from the head, for late messages.
        self._gone_on[queue] = 0
        self._look(connection, queue, taken, room, seen, 0)
        return seen

    def _look(self, connection: MQConnection, queue: str, taken: Taken, room: int, seen: Seen, start: int) -> None:
        known = Member(taken.all())
        prefix = connection.prefix_of(queue) if start else b""
        for chunk in connection.browse(queue, start, prefix, PLACES):
            more = chunk.rows(np.flatnonzero(~known.mask(chunk.positions))[: room - len(seen.positions)])
            seen.see(more.positions.tolist(), more.newest())
            if len(seen.positions) >= room:
                if seen.fifo:
                    self._stopped[queue] = seen.positions[-1]
                return

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Divide the positions of the batch, which `end` names, among tasks; none if nothing lies between the two."""
        if start == end:
            return []
        return [
            work
            for queue, taken in read_offset(end).items()
            for work in parts_of(queue, taken.batch, taken.fifo, taken.newest, self.options)
        ]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, Work)
        return batches(partition, self.options)

    def commit(self, end: dict[str, Any]) -> None:
        """Remove the messages of a finished batch (S4), after those of the one before it."""
        connection = self._connected()
        assert self._remover is not None
        self._note_removed(True)
        removals: list[Removal] = []
        for queue, said in read_offset(end).items():
            taken = self._there(connection, queue, said)
            left = minus(taken.all(), self._removed.get(queue, []))
            sure = not minus(left, self._seen.get(queue, []))
            removals.append(Removal(queue, left, taken.newest, sure, taken.all()))
        self._remover.begin(removals)

    def settle(self) -> None:
        """Wait until the removals of commit have ended. Raises their errors."""
        self._note_removed(True)

    def _note_removed(self, waits: bool) -> None:
        """Note the removed messages (S3). Raises the errors of their removal."""
        for removal in self._remover.ended(waits) if self._remover is not None else ():
            self._removed[removal.queue] = removal.named

    def stop(self) -> None:
        try:
            self.settle()
        finally:
            for each in (self._remover, self._connection):
                if each is not None:
                    each.close()
            self._remover = self._connection = None


@dataclass
class Removal:
    """The positions to remove from one queue."""

    queue: str
    ranges: list[Range]
    newest: str
    sure: bool
    #: All that the offset names: none of it is there afterwards.
    named: list[Range]


class Remover:
    """Removes the messages of a batch while the next one is read. A new removal waits for the last one."""

    def __init__(self, options: SourceOptions, queues: Sequence[str]) -> None:
        self._connection = MQConnection(options.place)
        try:
            for queue in queues if not options.shared else ():
                self._connection.hold(queue)
        except BaseException:
            self._connection.close()
            raise
        self._thread = ThreadPoolExecutor(1, "mq-remover")
        self._going: Future[list[Removal]] | None = None

    def begin(self, removals: list[Removal]) -> None:
        """Begin removals. The earlier ones must have ended."""
        self._going = self._thread.submit(self._remove, removals)

    def _remove(self, removals: list[Removal]) -> list[Removal]:
        for each in removals:
            self._connection.remove(each.queue, each.ranges, each.newest, each.sure)
        return removals

    def ended(self, waits: bool) -> list[Removal]:
        """Return the removals that have ended, each once. Raises their errors."""
        going = self._going
        if going is None or not (waits or going.done()):
            return []
        self._going = None
        return going.result()

    def close(self) -> None:
        """Wait for the present removals, and end."""
        self._thread.shutdown()
        self._connection.close()
