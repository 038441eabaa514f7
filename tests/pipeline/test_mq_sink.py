"""The sink `mq` against a queue manager that runs as a process: exactly once, wherever a process dies.

The table of mq_write.py has the points; each is reached by a process that kills itself there.
"""

from __future__ import annotations

import os
import signal
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")

import pyarrow as pa

from flintmq.pipeline.errors import BadOption, PipelineError, explain
from flintmq.pipeline.sources import mq_connection, mq_write
from flintmq.pipeline.sources.mq_columns import check_columns
from flintmq.pipeline.sources.mq_connection import MQConnection, Refused
from flintmq.pipeline.sources.mq_options import SinkOptions, sink_options
from flintmq.pipeline.sources.mq_write import Unit, decide, give_up, in_doubt, read_state, write_task
from tests.pipeline.manager import Manager, numbered
from tests.waiting import until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COUNT = 60


@pytest.fixture(scope="module")
def state(manager: Manager) -> str:
    """The state queue of this module."""
    return manager.queue()


@pytest.fixture
def options(manager: Manager, state: str) -> SinkOptions:
    given = {**manager.options, "queue": manager.queue(), "stateQueue": state, "branchMessages": "25"}
    return sink_options(given, streaming=True)


def rows(count: int = COUNT) -> Iterator[pa.RecordBatch]:
    """The rows of one task."""
    bodies = numbered(1, count)
    for start in range(0, count, 40):
        yield pa.record_batch({"body": bodies[start : start + 40]})


def new_unit(batch: int = 7) -> Unit:
    return Unit(uuid.uuid4().bytes, batch)


def doubts(options: SinkOptions, unit: Unit) -> int:
    with MQConnection(options.place) as link:
        return len(in_doubt(link, unit.query))


def run_batch(options: SinkOptions, unit: Unit) -> int:
    """What Spark does with a batch of one task: how many messages the task has put."""
    written = write_task(rows(), options, unit)
    decide(options, unit, written.branches)
    return written.messages


def test_messages_are_seen_when_the_driver_has_committed(manager: Manager, options: SinkOptions) -> None:
    unit = new_unit()
    written = write_task(rows(), options, unit)
    assert len(written.branches) == 3 and written.messages == COUNT
    assert manager.ids(options.queue) == [] and doubts(options, unit) == 3

    decide(options, unit, written.branches)

    assert manager.ids(options.queue) == list(range(1, COUNT + 1)) and doubts(options, unit) == 0


def test_a_batch_that_was_committed_is_recognised_by_tasks_and_driver(manager: Manager, options: SinkOptions) -> None:
    """Point 6; and a batch with the next number is another one."""
    unit = new_unit()
    assert run_batch(options, unit) == COUNT
    assert run_batch(options, unit) == 0
    assert run_batch(options, Unit(unit.query, 6)) == 0  # W2
    assert manager.ids(options.queue) == list(range(1, COUNT + 1))

    assert run_batch(options, Unit(unit.query, 8)) == COUNT
    assert len(manager.ids(options.queue)) == 2 * COUNT


def test_an_attempt_that_nobody_knows_of_is_rolled_back_by_the_decision(manager: Manager, options: SinkOptions) -> None:
    """Point 2: the first attempt has prepared and its executor is gone; a late one prepares after the decision."""
    unit = new_unit()
    write_task(rows(), options, unit)
    second = write_task(rows(), options, unit)
    third = write_task(rows(), options, unit)
    decide(options, unit, second.branches)
    assert doubts(options, unit) == 0 and len(third.branches) == 3
    assert manager.ids(options.queue) == list(range(1, COUNT + 1))


def test_an_abort_rolls_back_unless_the_batch_was_decided(manager: Manager, options: SinkOptions) -> None:
    unit = new_unit()
    written = write_task(rows(), options, unit)
    give_up(options, [None, written])
    assert manager.ids(options.queue) == [] and doubts(options, unit) == 0

    written = write_task(rows(), options, unit)
    decide(options, unit, written.branches)
    give_up(options, [written])  # As Spark does when a commit raises.
    assert manager.ids(options.queue) == list(range(1, COUNT + 1))


def test_an_abort_amid_the_commits_of_a_write_without_a_name_rolls_nothing_back(manager: Manager) -> None:
    """Spark aborts when a commit raises: the queue manager was lost after the first branch, say, and is there again."""
    options = sink_options({**manager.options, "queue": manager.queue(), "branchMessages": "25"}, streaming=False)
    unit = new_unit(0)
    written = write_task(rows(), options, unit)
    with MQConnection(options.place) as link:
        link.resolve(unit.xid(written.branches[0]), True)

    give_up(options, [written])

    assert len(manager.ids(options.queue)) == 25 and doubts(options, unit) == 2
    with MQConnection(options.place) as link:
        for bqual in written.branches[1:]:
            link.resolve(unit.xid(bqual), True)
    assert manager.ids(options.queue) == list(range(1, COUNT + 1))

    written = write_task(rows(), options, unit)
    give_up(options, [None, written])
    assert len(manager.ids(options.queue)) == COUNT and doubts(options, unit) == 0


def test_branches_that_an_administrator_has_resolved_are_not_decided_on(manager: Manager, options: SinkOptions) -> None:
    unit = new_unit()
    written = write_task(rows(), options, unit)
    with MQConnection(options.place) as link:
        link.resolve(unit.xid(written.branches[0]), False)

    with pytest.raises(Refused, match="1 of 3 branches of batch 7 are not in doubt"):
        decide(options, unit, written.branches)
    give_up(options, [written])
    assert manager.ids(options.queue) == []


def dying(function: Callable[..., Any], calls: int) -> Callable[..., Any]:
    """The function, which can be called so often; then the process is killed before it is done once more."""
    left = [calls]

    def call(*args: Any) -> Any:
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        return function(*args)

    return call


def die_at(point: str, options: SinkOptions, unit: Unit) -> None:
    """Run a batch in a process that is killed at a point of the table."""
    child = os.fork()
    if child == 0:
        try:
            if point == "put":  # The first batch of rows is one branch and the beginning of another.
                mq_connection.Branch.put_alike = dying(mq_connection.Branch.put_alike, 2)  # type: ignore[method-assign]
            elif point == "put singly":
                mq_connection.MQConnection.in_bulk = False  # type: ignore[assignment, method-assign]
                mq_connection.Branch.put = dying(mq_connection.Branch.put, 40)  # type: ignore[method-assign]
            elif point == "decision":
                mq_connection.Branch.commit = dying(mq_connection.Branch.commit, 0)  # type: ignore[method-assign]
            elif point == "commits":
                mq_connection.MQConnection.resolve = dying(mq_connection.MQConnection.resolve, 1)  # type: ignore[method-assign]
            written = write_task(rows(), options, unit)
            if point != "prepared":
                decide(options, unit, written.branches)
            os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


@pytest.mark.parametrize(
    ("point", "left", "again"),
    [
        ("put", 1, COUNT),  # 1, after one branch of the task was prepared: its second is rolled back, the first as in 2
        ("put singly", 1, COUNT),
        ("prepared", 3, COUNT),  # 2 and 3
        ("decision", 3, COUNT),  # 4
        ("commits", 2, 0),  # 5
        ("end", 0, 0),  # 6
    ],
)
def test_wherever_a_process_is_killed_every_row_is_put_once(
    manager: Manager, options: SinkOptions, point: str, left: int, again: int
) -> None:
    unit = new_unit()
    die_at(point, options, unit)
    assert doubts(options, unit) == left

    assert run_batch(options, unit) == again

    assert manager.ids(options.queue) == list(range(1, COUNT + 1)) and doubts(options, unit) == 0


def test_what_is_prepared_and_decided_outlives_the_queue_manager(tmp_path: Path) -> None:
    """Point 7: killed with a batch in doubt, and with one that is decided and not yet committed."""
    manager = Manager(tmp_path)
    manager.start()
    try:
        state, one, two = manager.queue(), manager.queue(), manager.queue()
        undecided, decided = new_unit(), new_unit()
        first = sink_options({**manager.options, "queue": one, "stateQueue": state}, streaming=True)
        second = sink_options({**manager.options, "queue": two, "stateQueue": state}, streaming=True)
        write_task(rows(), first, undecided)
        written = write_task(rows(), second, decided)
        with MQConnection(second.place) as link:
            link.hold(state)
            mq_write._note(link, state, decided, False, mq_write.State(7, tuple(written.branches)))
        manager.kill()
        manager.start()

        with MQConnection(second.place) as link:
            found = read_state(link, state, decided.query)
            assert found is not None and found.batch == 7
            assert read_state(link, state, undecided.query) is None
        assert run_batch(first, undecided) == COUNT and run_batch(second, decided) == 0

        assert manager.ids(one) == manager.ids(two) == list(range(1, COUNT + 1))
        assert doubts(first, undecided) == doubts(second, decided) == 0
    finally:
        manager.end()


def test_columns_become_the_descriptor_and_the_properties(manager: Manager, options: SinkOptions) -> None:
    pairs = pa.map_(pa.string(), pa.string())
    batch = pa.record_batch(
        {
            "body": ["grün", "plain"],
            "queue": [options.queue, None],
            "correl_id": [b"c", None],
            "priority": pa.array([4, None], pa.int32()),
            "persistence": pa.array([0, None], pa.int32()),
            "reply_to_q": ["REPLY", None],
            "properties": pa.array([[("colour", "green")], None], pairs),
            "position": [1, 2],
        }
    )
    unit = new_unit()
    decide(options, unit, write_task(iter([batch]), options, unit).branches)

    with manager.connect() as qm:
        first, second = list(qm.queue(options.queue).browse())
    assert first.text == "grün" and first.properties == {"colour": "green"} and first.priority == 4
    assert not first.persistent and first.reply_to == "REPLY" and first.correlation_id == b"c".ljust(24, b"\0")
    assert second.text == "plain" and second.persistent and second.properties == {}


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"body": [None]}, "body is null"),
        ({"body": [b"x"], "msg_id": [bytes(25)]}, "msg_id is binary of up to 24 bytes"),
        ({"body": [b"x"], "queue": ["NO.SUCH.QUEUE"]}, "NO.SUCH.QUEUE of QM1.*2085"),
        ({"body": [b"x"], "priority": [-5]}, "2050"),
        ({"body": [b"x"], "properties": pa.array([[("a b", "c")]], pa.map_(pa.string(), pa.string()))}, "a b"),
    ],
)
def test_a_row_that_cannot_be_a_message_fails_its_task_and_nothing_is_put(
    manager: Manager, options: SinkOptions, columns: dict[str, Any], text: str
) -> None:
    unit = new_unit()
    first = pa.record_batch({"body": pa.array([b"good"])})
    with pytest.raises(PipelineError, match=text):
        write_task(iter([first, pa.record_batch(columns)]), options, unit)
    assert manager.bodies(options.queue) == [] and doubts(options, unit) == 0


@pytest.mark.parametrize(
    ("streaming", "given", "text"),
    [
        (True, {"writeId": "x"}, "a stream is known by its checkpoint"),
        (False, {"stateQueue": "S"}, "stateQueue needs writeId"),
        (True, {"persistence": "maybe"}, "persistence is no, yes, queue, not 'maybe'"),
        (True, {"body": "text"}, "the sink mq has no option body"),
        (True, {"branchMessages": "0"}, "branchMessages is a number from 1 on"),
    ],
)
def test_an_option_that_cannot_be_is_named(streaming: bool, given: dict[str, str], text: str) -> None:
    with pytest.raises(BadOption, match=text):
        sink_options({"queue": "A", **given}, streaming)


def test_columns_that_cannot_be_are_named() -> None:
    with pytest.raises(BadOption, match="has no column colour; it has body, queue"):
        check_columns(["body", "colour"], True)
    with pytest.raises(BadOption, match="needs a column body"):
        check_columns(["queue"], True)
    with pytest.raises(BadOption, match="needs a queue"):
        check_columns(["body"], False)


def test_a_state_queue_with_something_else_in_it_is_not_trusted(manager: Manager, options: SinkOptions) -> None:
    unit = new_unit()
    queue = manager.queue()
    with manager.connect() as qm:
        qm.queue(queue).put(b"not ours", correlation_id=b"FLNTSPRK" + unit.query)
    with MQConnection(options.place) as link, pytest.raises(Refused, match="none of the sink's: b'not ours'"):
        read_state(link, queue, unit.query)


# -- in Spark ---------------------------------------------------------------------------------------------------------


def test_a_stream_from_queue_to_queue_is_exactly_once_when_batches_are_replayed(
    spark: SparkSession, manager: Manager, state: str, tmp_path: Path
) -> None:
    """Point 6 with Spark: it forgets that it has noted the last batch, and runs it again."""
    source, target = manager.queue(), manager.queue()
    manager.put(source, numbered(1, 70))

    def run() -> None:
        frame = spark.readStream.format("mq").options(**manager.options, queue=source, maxMessages="40").load()
        sink = frame.withColumn("body", frame.body).drop("queue", "msg_id").writeStream.format("mq")
        sink = sink.options(**manager.options, queue=target, stateQueue=state, checkpointLocation=str(tmp_path))
        sink.trigger(availableNow=True).start().awaitTermination()

    run()
    assert manager.ids(target) == list(range(1, 71))
    notes = tmp_path / "commits"
    (notes / "1").unlink()
    (notes / ".1.crc").unlink(missing_ok=True)
    manager.put(source, numbered(71, 80))
    run()

    assert manager.ids(target) == list(range(1, 81))
    until(lambda: manager.ids(source) == list(range(71, 81)), "a thread has removed all but the last batch")


def test_a_write_with_a_name_is_made_once(spark: SparkSession, manager: Manager, state: str) -> None:
    target = manager.queue()
    frame = spark.range(1, 41, numPartitions=2).selectExpr("to_json(named_struct('id', id)) as body")
    for _ in range(2):
        named = frame.write.format("mq").mode("append").options(**manager.options, queue=target, stateQueue=state)
        named.option("writeId", "load of monday").save()
    assert manager.ids(target) == list(range(1, 41))

    frame.write.format("mq").mode("append").options(**manager.options, queue=target).save()
    assert len(manager.ids(target)) == 80

    with pytest.raises(Exception) as raised:  # noqa: PT011
        frame.write.format("mq").mode("append").options(**manager.options, queue="NO.SUCH.QUEUE").save()
    assert "NO.SUCH.QUEUE of QM1" in explain(raised.value)
