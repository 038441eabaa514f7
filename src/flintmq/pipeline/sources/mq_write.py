"""The writers of the sink `mq`: rows become messages exactly once, by MQ's own two-phase commit.

A micro-batch is one global unit of work, named by the query (the id in its checkpoint) and the number of the batch:

    xid     format id FLNT; gtrid: "spark", query (16 bytes), batch (8 bytes); bqual: the writer
    task    one branch, or several of `branchMessages` each: xa_start, MQPUT ..., xa_end, xa_prepare. The driver gets
            their names
    driver  one branch more, the decision: takes the state message of the query from the state queue and puts a new
            one, with the number of the batch and the names of the tasks' branches; committed in one phase. Then the
            branches that it names are committed, and all others of the query rolled back

    W1  A branch of a task is committed only if the state message of its batch names it.
    W2  There is one state message for each query, and its batch never goes back.
    W3  A process that decides, commits or rolls back has the state queue open for exclusive input: one at a time, so
        that nothing is rolled back between the look at branches in doubt and the decision.

The effect of the death of a process:

    where                                        state at that time               outcome
    1  a task, before xa_prepare                 an active branch                 rolled back by the queue manager when
                                                                                  the connection is lost
    2  a task, after xa_prepare, before it told  a branch in doubt, unknown to    the next attempt puts again, in its
       the driver; an attempt that lost a race   the driver                       own branch; the decision rolls the
                                                                                  first one back
    3  the driver, before the decision           branches in doubt, the state     Spark runs the batch again, and the
                                                 of the batch before              decision rolls the old ones back
    4  the driver, in the decision               as 3, or as 5: one phase         as 3, or as 5
    5  the driver, after the decision, before or the state names branches, some   Spark runs the batch again: tasks see
       amid the commits of the branches          are in doubt                     the state and put nothing, the driver
                                                                                  commits the branches that it names
    6  the driver, after the commits, before     the state names branches, none   as 5: there is nothing to commit
       Spark has noted the batch                 is in doubt
    7  the queue manager, at any time            prepared branches and the state  the query fails; started again it is
                                                 are in its log                   at 1, 3, 5 or 6
    8  the query is never started again          branches in doubt                dspmqtrn shows them, rsvmqtrn resolves
                                                                                  them

A batch of df.write has no number, so it is decided only if it has a name (`writeId`, which takes the place of the
query; the batch is 0). Without a name its branches are committed one after the other, and the branches of 5 are left to
the administrator; so are those left when the queue manager is lost amid the commits.
"""

from __future__ import annotations

import json
import os
import struct
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage

from flintmq.mqi import constants as mq
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE
from flintmq.mqi.xid import pack_xid, unpack_xid
from flintmq.pipeline.errors import PipelineError
from flintmq.pipeline.sources.mq_columns import Maker, Outgoing
from flintmq.pipeline.sources.mq_connection import Branch, MQConnection, Refused
from flintmq.pipeline.sources.mq_options import SinkOptions

#: "FLNT": it identifies the branches of this sink to administrators.
FORMAT_ID = 0x464C4E54
_GTRID = struct.Struct(">5s16sq")
_WHO = struct.Struct(">iqi")
_SPARK = b"spark"
_DECISION = b"decision"
_CORREL = b"FLNTSPRK"
_QUERY_KEY = "sql.streaming.queryId"
_BATCH_KEY = "streaming.sql.batchId"
_NAMESPACE = uuid.UUID("6e1c9a52-8f9b-4c57-9d2b-3f60a1b7c0de")
_WAIT_S = 30.0


@dataclass(frozen=True)
class Unit:
    """The global unit of work of a batch."""

    query: bytes
    batch: int

    @property
    def gtrid(self) -> bytes:
        return _GTRID.pack(_SPARK, self.query, self.batch)

    def xid(self, bqual: bytes) -> bytes:
        return pack_xid(FORMAT_ID, self.gtrid, bqual)


def unit_of(xid: bytes) -> tuple[Unit, bytes] | None:
    """Return unit and bqual of a branch of ours, None for the branch of another program."""
    format_id, gtrid, bqual = unpack_xid(xid)
    if format_id != FORMAT_ID or len(gtrid) != _GTRID.size:
        return None
    word, query, batch = _GTRID.unpack(gtrid)
    return (Unit(query, batch), bqual) if word == _SPARK else None


@dataclass
class Written(WriterCommitMessage):
    """The branches that a task has prepared, for the driver."""

    query: bytes
    batch: int
    branches: list[bytes]
    messages: int


# -- the state queue --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class State:
    """The state of a query: its last batch, and the branches that belong to it."""

    batch: int
    branches: tuple[bytes, ...]

    def pack(self, query: bytes) -> bytes:
        branches = [each.hex() for each in self.branches]
        return json.dumps({"query": query.hex(), "batch": self.batch, "branches": branches}).encode()

    @staticmethod
    def unpack(data: bytes, queue: str) -> State:
        """Parse a state message. Raises Refused for a message of another program."""
        try:
            said = json.loads(data)
            return State(int(said["batch"]), tuple(bytes.fromhex(each) for each in said["branches"]))
        except (ValueError, KeyError, TypeError):
            raise Refused(
                f"mq: the state queue {queue} has a message that is none of the sink's: {data[:80]!r}"
            ) from None


def read_state(connection: MQConnection, queue: str, query: bytes) -> State | None:
    """Return the state message of a query, and leave it on the queue."""
    return _state(connection, queue, query, mq.MQOO_BROWSE, mq.MQGMO_BROWSE_FIRST)


def _state(connection: MQConnection, queue: str, query: bytes, way: int, options: int) -> State | None:
    md, gmo = MQMD(), MQGMO()
    md.correl_id = _CORREL + query
    gmo.version = 2
    gmo.options = options | mq.MQGMO_NO_WAIT | mq.MQGMO_FAIL_IF_QUIESCING
    gmo.match_options = mq.MQMO_MATCH_CORREL_ID
    try:
        return State.unpack(connection.mqi.get(connection.open(queue, way), md, gmo), queue)
    except MQError as error:
        if error.reason == MQRC_NO_MSG_AVAILABLE:
            return None
        raise Refused(f"mq: the state queue {queue} of {connection.name}: {error}") from None


# -- a task -----------------------------------------------------------------------------------------------------------


def write_task(batches: Iterator[Any], options: SinkOptions, unit: Unit) -> Written:
    """Put the rows of a task and prepare their branches."""
    context = TaskContext.get()
    partition, attempt = (context.partitionId(), context.taskAttemptId()) if context else (0, 0)
    with MQConnection(options.place) as connection:
        if options.state_queue:
            state = read_state(connection, options.state_queue, unit.query)
            if state is not None and state.batch >= unit.batch:  # 5 and 6 of the table.
                for _ in batches:
                    pass
                return Written(unit.query, unit.batch, [], 0)
        return _put_all(batches, connection, options, unit, partition, attempt)


def _put_all(
    batches: Iterator[Any], connection: MQConnection, options: SinkOptions, unit: Unit, partition: int, attempt: int
) -> Written:
    branches: list[bytes] = []
    branch: Branch | None = None
    count = 0
    chance = os.urandom(4)
    maker = Maker(options.queue, options.persistence, connection.big_endian, connection.ccsid)

    def begun() -> Branch:
        return Branch(connection, unit.xid(_WHO.pack(partition, attempt, len(branches)) + chance))

    for batch in batches:
        alike = maker.alike(batch) if connection.in_bulk else None
        row = 0
        for message in maker.messages(batch) if alike is None else ():
            branch = branch or begun()
            branch.put(message)
            count += 1
            if branch.count >= options.branch_messages:
                branches.append(_prepared(branch))
                branch = None
        while alike is not None and row < len(alike):
            branch = branch or begun()
            stop = min(len(alike), row + options.branch_messages - branch.count)
            branch.put_alike(alike, row, stop)
            count += stop - row
            row = stop
            if branch.count >= options.branch_messages:
                branches.append(_prepared(branch))
                branch = None
    if branch is not None:
        branches.append(_prepared(branch))
    return Written(unit.query, unit.batch, branches, count)


def _prepared(branch: Branch) -> bytes:
    if not branch.prepare():
        raise Refused(f"mq: branch {branch.xid.hex()} has nothing to prepare: its messages are gone")
    found = unit_of(branch.xid)
    assert found is not None
    return found[1]


# -- the driver -------------------------------------------------------------------------------------------------------


def decide(options: SinkOptions, unit: Unit, mine: list[bytes]) -> None:
    """Commit the batch, or finish it if it was decided already. Raises Refused, and then it is not decided or is."""
    with MQConnection(options.place) as connection:
        held = connection.open(options.state_queue, mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_BROWSE, _WAIT_S)
        assert held.open  # W3
        state = read_state(connection, options.state_queue, unit.query)
        doubt = in_doubt(connection, unit.query)
        if state is None or state.batch < unit.batch:
            here = {bqual for other, bqual in doubt if other == unit}
            gone = [bqual for bqual in mine if bqual not in here]
            if gone:
                raise Refused(
                    f"mq: {connection.name}: {len(gone)} of {len(mine)} branches of batch {unit.batch} are not in "
                    "doubt: an administrator has resolved them, or the queue manager has lost its log"
                )
            before, state = state, State(unit.batch, tuple(mine))
            _note(connection, options.state_queue, unit, before is not None, state)
        finish(connection, unit.query, state, doubt)


def _note(connection: MQConnection, queue: str, unit: Unit, has_old: bool, state: State) -> None:
    """Make the decision: replace the state message of the query, in a branch of the unit, in one phase."""
    branch = Branch(connection, unit.xid(_DECISION))
    if has_old:
        way = mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_BROWSE
        if _state(connection, queue, unit.query, way, mq.MQGMO_SYNCPOINT) is None:
            raise Refused(f"mq: the state queue {queue} of {connection.name}: the state of the query has gone")
    md = MQMD()
    md.correl_id, md.format, md.coded_char_set_id = _CORREL + unit.query, "MQSTR", 1208
    md.persistence, md.version = mq.MQPER_PERSISTENT, 2
    branch.put(Outgoing(queue, md.pack(connection.big_endian, connection.ccsid), state.pack(unit.query), True))
    branch.commit()


def in_doubt(connection: MQConnection, query: bytes) -> list[tuple[Unit, bytes]]:
    """Return the branches of a query that are in doubt."""
    found = [unit_of(xid) for xid in connection.branches()]
    return [each for each in found if each is not None and each[0].query == query]


def finish(connection: MQConnection, query: bytes, state: State | None, doubt: list[tuple[Unit, bytes]]) -> None:
    """Commit the branches that the state names, roll back all others (W1). The caller holds the state queue (W3)."""
    named = {(Unit(query, state.batch), bqual) for bqual in state.branches} if state is not None else set()
    for unit, bqual in sorted(doubt, key=lambda each: (each not in named, each[0].batch, each[1])):
        connection.resolve(unit.xid(bqual), (unit, bqual) in named)


def give_up(options: SinkOptions, messages: list[WriterCommitMessage | None]) -> None:
    """Roll the branches of a failed batch back, unless it was decided. The next start finds branches missed here.

    Without a state queue, one that is no longer in doubt was committed: the others belong to it, and stay in doubt.
    """
    written = [each for each in messages if isinstance(each, Written)]
    if not written:
        return
    unit = Unit(written[0].query, written[0].batch)
    try:
        with MQConnection(options.place) as connection:
            state: State | None = None
            if options.state_queue:
                connection.open(options.state_queue, mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_BROWSE, _WAIT_S)
                state = read_state(connection, options.state_queue, unit.query)
                finish(connection, unit.query, state, in_doubt(connection, unit.query))
            else:
                prepared = {(unit, bqual) for each in written for bqual in each.branches}
                if prepared <= set(in_doubt(connection, unit.query)):
                    finish(connection, unit.query, None, list(prepared))
    except PipelineError:
        return  # The queue manager itself may have failed; the next start finds the branches.


def branches_of(messages: list[WriterCommitMessage | None]) -> tuple[Unit | None, list[bytes]]:
    """Return the branches that the tasks have prepared, and their unit; none if there was no task."""
    unit: Unit | None = None
    branches: list[bytes] = []
    for each in messages:
        if isinstance(each, Written):
            unit = Unit(each.query, each.batch)
            branches += each.branches
    return unit, branches


class MqStreamWriter(DataSourceStreamArrowWriter):
    """Of a stream."""

    def __init__(self, options: SinkOptions) -> None:
        self.options = options

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        context = TaskContext.get()
        query = context.getLocalProperty(_QUERY_KEY) if context else None
        batch = context.getLocalProperty(_BATCH_KEY) if context else None
        if query is None or batch is None:
            raise PipelineError("mq: this Spark does not tell its tasks which query and batch they write")
        return write_task(iterator, self.options, Unit(uuid.UUID(query).bytes, int(batch)))

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        unit, branches = branches_of(messages)
        if unit is not None:
            decide(self.options, unit, branches)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        give_up(self.options, messages)


class MqWriter(DataSourceArrowWriter):
    """Of a batch."""

    def __init__(self, options: SinkOptions) -> None:
        self.options = options
        query = uuid.uuid5(_NAMESPACE, options.write_id) if options.write_id else uuid.uuid4()
        self.unit = Unit(query.bytes, 0)

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        return write_task(iterator, self.options, self.unit)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        _, branches = branches_of(messages)
        if self.options.state_queue:
            decide(self.options, self.unit, branches)
            return
        with MQConnection(self.options.place) as connection:
            doubt = in_doubt(connection, self.unit.query)
            finish(connection, self.unit.query, State(self.unit.batch, tuple(branches)), doubt)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        give_up(self.options, messages)
