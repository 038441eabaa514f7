"""The source `mq` against a queue manager that runs as a process: what is planned, read, removed, and read again."""

from __future__ import annotations

import itertools
import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")

from pyspark.sql.streaming.datasource import ReadMaxRows

from flintmq.mqi import constants as mq
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.pipeline.errors import BadOption, explain
from flintmq.pipeline.sources import mq_connection
from flintmq.pipeline.sources.mq_connection import MQConnection, Refused
from flintmq.pipeline.sources.mq_options import source_options
from flintmq.pipeline.sources.mq_read import MessagesGone, MqReader, MqStreamReader
from tests.pipeline.manager import Manager, numbered
from tests.waiting import until

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def reader_of(manager: Manager, queue: str, **options: str) -> MqStreamReader:
    return MqStreamReader(source_options({**manager.options, "queue": queue, **options}))


def latest(reader: MqStreamReader, start: dict[str, Any], most: int = 1000) -> dict[str, Any]:
    """As Spark has it: the offset goes to the checkpoint and comes back."""
    made: dict[str, Any] = json.loads(json.dumps(reader.latestOffset(start, ReadMaxRows(most))))
    return made


def rows_of(reader: MqStreamReader, start: dict[str, Any], end: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        row for work in reader.partitions(start, end) for batch in reader.read(work) for row in batch.to_pylist()
    ]  # fmt: skip


def committed(reader: MqStreamReader, end: dict[str, Any]) -> None:
    """A commit, and what it has begun."""
    reader.commit(end)
    reader.settle()


def ids_of(rows: list[dict[str, Any]]) -> list[int]:
    return [json.loads(row["body"])["id"] for row in rows]


def test_a_batch_is_read_again_by_another_reader_with_the_same_rows(manager: Manager) -> None:
    """S1: the driver dies after the offset was written; another one reads the same, whatever has come since."""
    queue = manager.queue()
    manager.put(queue, numbered(1, 40))
    first = reader_of(manager, queue, partitions="3")
    end = latest(first, {}, 25)
    rows = rows_of(first, {}, end)
    first.stop()
    manager.put(queue, numbered(41, 60))

    second = reader_of(manager, queue, partitions="2")

    assert ids_of(rows) == list(range(1, 26))
    assert rows_of(second, {}, end) == rows
    assert ids_of(rows_of(second, end, latest(second, end))) == list(range(26, 61))
    second.stop()


def test_messages_leave_the_queue_in_commit_and_only_then(manager: Manager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mq_connection, "REMOVED_AT_ONCE", 50)
    queue = manager.queue()
    manager.put(queue, numbered(1, 125))
    reader = reader_of(manager, queue)
    end = latest(reader, {}, 123)
    rows_of(reader, {}, end)
    assert len(manager.ids(queue)) == 125

    committed(reader, end)
    assert manager.ids(queue) == [124, 125]

    committed(reader, end)  # Again, as after a crash.
    assert manager.ids(queue) == [124, 125]
    assert ids_of(rows_of(reader, end, latest(reader, end))) == [124, 125]
    reader.stop()


def test_what_this_reader_has_seen_is_removed_without_looking_for_it(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark plans a batch before it commits the last one: each offset still names what the commit before removes."""

    def looked(*arguments: object) -> list[int]:
        raise AssertionError("the queue was searched for messages whose places are known")

    monkeypatch.setattr(MQConnection, "on_queue", looked)
    queue = manager.queue()
    manager.put(queue, numbered(1, 9))
    reader = reader_of(manager, queue)
    ends: list[dict[str, Any]] = [{}]
    for number in range(3):
        ends.append(latest(reader, ends[-1], 3))
        assert ids_of(rows_of(reader, ends[-2], ends[-1])) == list(range(3 * number + 1, 3 * number + 4))
        if number:
            reader.commit(ends[-2])
    reader.settle()

    assert manager.ids(queue) == [7, 8, 9]
    reader.stop()


def test_available_now_is_what_was_there_when_the_query_was_started(manager: Manager) -> None:
    """A second run goes on with the offset of the first, whose last batch nobody has committed."""
    queue = manager.queue()
    manager.put(queue, numbered(1, 5))
    reader = reader_of(manager, queue)
    reader.prepareForTriggerAvailableNow()
    manager.put(queue, numbered(6, 7))
    ends: list[dict[str, Any]] = [{}]
    while (end := latest(reader, ends[-1], 2)) != ends[-1]:
        ends.append(end)
    reader.stop()
    assert [rows_of(reader, *pair)[-1]["position"] for pair in itertools.pairwise(ends)] == [2, 4, 5]

    reader = reader_of(manager, queue)
    reader.prepareForTriggerAvailableNow()
    last = latest(reader, ends[-1])
    assert ids_of(rows_of(reader, ends[-1], last)) == [6, 7]
    committed(reader, last)
    assert manager.ids(queue) == []
    reader.stop()


def test_a_removal_that_fails_fails_the_next_call(tmp_path: Path) -> None:
    manager = Manager(tmp_path)
    manager.start()
    try:
        queue = manager.queue()
        manager.put(queue, numbered(1, 3))
        reader = reader_of(manager, queue)
        end = latest(reader, {}, 2)
        manager.kill()

        reader.commit(end)
        with pytest.raises(Refused, match="2009|2059|2162"):
            reader.settle()
        reader.stop()

        manager.start()
        assert manager.ids(queue) == [1, 2, 3]
    finally:
        manager.end()


def test_a_commit_that_was_left_out_is_made_up_for_by_the_next(manager: Manager) -> None:
    """S3: Spark calls no commit for a batch if the driver dies between the offset log and the commit."""
    queue = manager.queue()
    manager.put(queue, numbered(1, 4))
    reader = reader_of(manager, queue)
    one = latest(reader, {}, 2)
    two = latest(reader, one, 2)
    reader.stop()

    reader = reader_of(manager, queue)
    assert latest(reader, two) == two  # Nothing is there that was not taken.
    committed(reader, two)

    assert manager.ids(queue) == []
    reader.stop()


def test_an_uncommitted_put_that_was_overtaken_comes_in_a_later_batch(manager: Manager) -> None:
    """Positions are given at put: message 1 is seen after 2 and 3, and its batch is read and removed by itself."""
    queue = manager.queue()
    reader = reader_of(manager, queue)
    with manager.connect() as qm:
        with qm.transaction():
            qm.queue(queue).put(numbered(1, 1)[0])
            manager.put(queue, numbered(2, 3))
            one = latest(reader, {})
            assert one[queue]["batch"] == [[2, 3]]
        committed(reader, one)
        assert manager.ids(queue) == [1]

        two = latest(reader, one)
        assert two[queue]["batch"] == [[1, 1]]
        assert ids_of(rows_of(reader, one, two)) == [1]
        committed(reader, two)
    assert manager.ids(queue) == []
    reader.stop()


def test_a_message_of_higher_priority_does_not_disturb_a_batch(manager: Manager) -> None:
    queue = manager.queue("MSGDLVSQ(PRIORITY)")
    with manager.connect() as qm:
        for number in range(1, 7):
            qm.queue(queue).put(numbered(number, number)[0], priority=number % 3)
        reader = reader_of(manager, queue, partitions="2")
        end = latest(reader, {}, 4)
        rows = rows_of(reader, {}, end)
        qm.queue(queue).put(numbered(7, 7)[0], priority=9)

    assert not end[queue]["fifo"] and sorted(ids_of(rows)) == [1, 2, 4, 5]
    assert sorted(ids_of(rows_of(reader, {}, end))) == [1, 2, 4, 5]
    committed(reader, end)
    assert manager.ids(queue) == [3, 6, 7]
    reader.stop()


def test_columns_say_what_the_message_was(manager: Manager) -> None:
    queue = manager.queue()
    with manager.connect() as qm:
        qm.queue(queue).put("grün", properties={"colour": "green", "n": 7}, correlation_id=b"c", priority=3, expiry=90)
        qm.queue(queue).put(b"\xff\xfe", persistent=False)
    options = source_options({**manager.options, "queue": queue, "body": "text"})
    reader = MqReader(options)
    (work,) = reader.partitions()

    (batch,) = reader.read(work)

    text, raw = batch.to_pylist()
    assert text["body"] == "grün" and dict(text["properties"]) == {"colour": "green", "n": "7"}
    assert text["format"] == "MQSTR" and text["priority"] == 3 and 0 < text["expiry"] <= 900
    assert text["correl_id"] == b"c".ljust(24, b"\0") and text["queue"] == queue and text["position"] == 1
    assert raw["body"] is None and raw["persistence"] == 0 and raw["properties"] == []
    assert abs(time.time() - text["put_time"].timestamp()) < 600
    assert len(manager.bodies(queue)) == 2


def test_several_queues_share_the_limit_and_each_has_its_offset(manager: Manager) -> None:
    one, two = sorted((manager.queue(), manager.queue()))  # An offset has them in this order.
    manager.put(one, numbered(1, 10))
    manager.put(two, numbered(101, 103))
    reader = MqStreamReader(source_options({**manager.options, "queues": f"{one}, {two}", "columns": "queue,body"}))

    end = latest(reader, {}, 8)
    rows = rows_of(reader, {}, end)
    assert ids_of(rows) == [1, 2, 3, 4, 101, 102, 103] and {row["queue"] for row in rows} == {one, two}

    after = latest(reader, end, 8)
    assert ids_of(rows_of(reader, end, after)) == [5, 6, 7, 8]
    committed(reader, after)
    assert manager.ids(one) == [9, 10] and manager.ids(two) == []
    reader.stop()


def test_a_subscription_and_a_streaming_queue_are_read_from_their_queues(manager: Manager) -> None:
    with manager.connect() as qm:
        options = source_options({**manager.options, "topic": "sport/results", "subscription": "spark"})
        assert MqReader(options).partitions()  # Makes the durable subscription.
        qm.topic("sport/results").publish(b'{"id": 1}')
        copy = manager.queue()
        queue = manager.queue(f"STREAMQ({copy})")
        qm.queue(queue).put(b'{"id": 2}')

        again = MqReader(source_options({**manager.options, "subscription": "spark"}))
        rows = [row for work in again.partitions() for batch in again.read(work) for row in batch.to_pylist()]
        copied = reader_of(manager, copy)

        assert ids_of(rows) == [1] and rows[0]["queue"].startswith("SYSTEM.MANAGED.DURABLE")
        assert ids_of(rows_of(copied, {}, latest(copied, {}))) == [2]
        copied.stop()


def test_while_a_stream_runs_nobody_else_gets_from_its_queue(manager: Manager) -> None:
    queue = manager.queue()
    manager.put(queue, numbered(1, 2))
    reader = reader_of(manager, queue)
    end = latest(reader, {})
    with MQConnection(reader.options.place) as other, pytest.raises(Refused, match="another application has it open"):
        other.open(queue, mq.MQOO_INPUT_SHARED)
    reader.stop()

    shared = reader_of(manager, queue, shared="true")
    assert latest(shared, {}) == end
    with manager.connect() as qm:
        assert qm.queue(queue).get().data == numbered(1, 1)[0]
    with pytest.raises(MessagesGone, match=rf"queue {queue}: 1 messages of this batch are gone \(positions 1\)"):
        rows_of(shared, {}, end)
    skipping = reader_of(manager, queue, shared="true", missing="skip")
    assert ids_of(rows_of(skipping, {}, end)) == [2]
    shared.stop()


def test_positions_that_a_killed_queue_manager_gives_again_are_not_lost(tmp_path: Path) -> None:
    """S5: non-persistent messages were taken and not yet removed when the queue manager died."""
    manager = Manager(tmp_path)
    manager.start()
    try:
        queue = manager.queue()
        manager.put(queue, numbered(1, 3), persistent=False)
        reader = reader_of(manager, queue)
        end = latest(reader, {})
        assert end[queue]["batch"] == [[1, 3]]
        manager.kill()
        manager.start()
        manager.put(queue, numbered(4, 5), persistent=False)

        reader = reader_of(manager, queue)
        committed(reader, end)
        assert manager.ids(queue) == [4, 5]
        after = latest(reader, end)
        assert ids_of(rows_of(reader, end, after)) == [4, 5]
        committed(reader, after)
        assert manager.ids(queue) == []
        reader.stop()
    finally:
        manager.end()


@pytest.mark.parametrize("available_now", [False, True])
@pytest.mark.parametrize("count", [2, 3, 7])
def test_positions_that_are_given_again_are_read_once_in_the_order_of_spark(
    tmp_path: Path, count: int, available_now: bool
) -> None:
    """S5: the next batch is planned before the last one is committed, and has fewer messages than were put since."""
    manager = Manager(tmp_path)
    manager.start()
    try:
        queue = manager.queue()
        manager.put(queue, numbered(1, 3), persistent=False)
        ends = [latest(reader_of(manager, queue), {})]
        manager.kill()
        manager.start()
        manager.put(queue, numbered(4, 3 + count), persistent=False)

        reader = reader_of(manager, queue)
        if available_now:
            reader.prepareForTriggerAvailableNow()
        read: list[int] = []
        while (end := latest(reader, ends[-1], 2)) != ends[-1]:
            committed(reader, ends[-1])
            read += ids_of(rows_of(reader, ends[-1], end))
            ends.append(end)

        assert read == list(range(4, 4 + count))
        committed(reader, ends[-1])
        assert manager.ids(queue) == []
        reader.stop()
    finally:
        manager.end()


@pytest.mark.parametrize("columns", ["body", "msg_id,body"])
def test_what_stands_at_a_position_that_was_given_again_is_no_row_of_the_old_batch(
    tmp_path: Path, columns: str
) -> None:
    """S1 and S5: with missing = skip these rows would be in two batches."""
    manager = Manager(tmp_path)
    manager.start()
    try:
        queue = manager.queue()
        manager.put(queue, numbered(1, 3), persistent=False)
        end = latest(reader_of(manager, queue), {})
        manager.kill()
        manager.start()
        manager.put(queue, numbered(4, 6), persistent=False)

        reader = reader_of(manager, queue, columns=columns)
        with pytest.raises(MessagesGone, match="3 messages of this batch are gone"):
            rows_of(reader, {}, end)
        reader = reader_of(manager, queue, columns=columns, missing="skip")
        assert rows_of(reader, {}, end) == []
        assert ids_of(rows_of(reader, end, latest(reader, end))) == [4, 5, 6]
        reader.stop()
    finally:
        manager.end()


@pytest.mark.parametrize("columns", ["body", "msg_id,put_time,body"])
@pytest.mark.parametrize("in_bulk", [True, False])
def test_messages_without_context_are_read(
    manager: Manager, monkeypatch: pytest.MonkeyPatch, columns: str, in_bulk: bool
) -> None:
    """They have no PutDate and PutTime (MQPMO_NO_CONTEXT)."""
    monkeypatch.setattr(MQConnection, "in_bulk", in_bulk)
    queue = manager.queue()
    with manager.connect() as qm:
        od, pmo = MQOD(), MQPMO()
        od.object_name = queue
        pmo.options = mq.MQPMO_NO_CONTEXT | mq.MQPMO_NO_SYNCPOINT
        handle = qm.mqi.open(od, mq.MQOO_OUTPUT)
        for body in numbered(1, 3):
            qm.mqi.put(handle, MQMD(), pmo, body)
    reader = reader_of(manager, queue, columns=columns)
    end = latest(reader, {}, 2)
    rows = rows_of(reader, {}, end)
    assert ids_of(rows) == [1, 2] and not any(row.get("put_time") for row in rows)

    again = reader_of(manager, queue, columns=columns, shared="true")
    assert ids_of(rows_of(again, end, latest(again, end))) == [3]
    committed(reader, end)
    assert manager.ids(queue) == [3]
    reader.stop()


def test_messages_that_come_between_those_of_a_batch_do_not_hide_the_rest_of_it(manager: Manager) -> None:
    """The batch is in the order of positions; then more come than one call brings, of the priority of its first."""
    queue = manager.queue("MSGDLVSQ(PRIORITY)")
    with manager.connect() as qm:
        for number, priority in ((1, 5), (2, 0), (3, 0)):
            qm.queue(queue).put(numbered(number, number)[0], priority=priority)
        reader = reader_of(manager, queue, missing="skip")
        end = latest(reader, {})
        with qm.transaction():
            for body in numbered(4, 1500):
                qm.queue(queue).put(body, priority=5)

    assert end[queue]["fifo"] and ids_of(rows_of(reader, {}, end)) == [1, 2, 3]
    committed(reader, end)
    assert manager.ids(queue) == list(range(4, 1501))
    reader.stop()


def test_a_connection_that_was_lost_is_not_made_again_under_way(
    manager: Manager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever mqclient.ini says: positions that were seen may have been given again meanwhile (S5)."""
    (tmp_path / "mqclient.ini").write_text("CHANNELS:\n  DefRecon=YES\n")
    monkeypatch.setenv("MQCLNTCF", str(tmp_path / "mqclient.ini"))
    with manager.connect() as qm:
        assert qm.mqi.reconnect is not None
    with MQConnection(source_options({**manager.options, "queue": "Q"}).place) as link:
        assert link.mqi.reconnect is None


def test_a_queue_that_is_no_longer_named_is_not_read_again(manager: Manager) -> None:
    """Its last batch is removed by the next commit."""
    one, other = manager.queue(), manager.queue()
    manager.put(one, numbered(1, 2))
    manager.put(other, numbered(3, 4))
    both = MqStreamReader(source_options({**manager.options, "queues": f"{one},{other}"}))
    end = latest(both, {}, 2)
    both.stop()

    reader = reader_of(manager, other)
    after = latest(reader, end)

    assert ids_of(rows_of(reader, end, after)) == [4]
    committed(reader, after)
    assert manager.ids(one) == [2] and manager.ids(other) == []
    reader.stop()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "mq reads from queue"),
        ({"queue": "A", "subscription": "S"}, "give one of them"),
        ({"queue": "A", "queues": "B"}, "not both"),
        ({"queues": "A,B,A"}, "names one queue twice"),
        ({"queue": "A", "topic": "t"}, "topic needs subscription"),
        ({"queue": "A", "partition": "3"}, "has no option partition; it has queueManager"),
        ({"queue": "A", "maxMessages": "many"}, "maxMessages is a number from 1 on, not 'many'"),
        ({"queue": "A", "body": "xml"}, "body is binary, text, json, raw, not 'xml'"),
        ({"queue": "A B"}, "is the name of a queue"),
        ({"queue": "A", "conn": "h(1)"}, "channel and conn belong together"),
        ({"queue": "A", "ccdt": "x", "dataDirectory": "y", "queueManager": "Q"}, "give one of them"),
        ({"queue": "A", "password": "p", "passwordEnv": "E"}, "one of password, passwordFile and passwordEnv"),
    ],
)
def test_an_option_that_cannot_be_is_named(options: dict[str, str], text: str) -> None:
    with pytest.raises(BadOption, match=text):
        source_options(options)


def test_a_password_is_read_where_it_is_used_and_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "secret"
    file.write_text("hush\n")
    monkeypatch.setenv("MQ_PASSWORD", "hush")
    for given in ({"password": "hush"}, {"passwordFile": str(file)}, {"passwordEnv": "MQ_PASSWORD"}):
        options = source_options({"queue": "A", **given})
        assert options.place.secret() == "hush" and "hush" not in repr(options)
    with pytest.raises(BadOption, match="NOT_SET"):
        source_options({"queue": "A", "passwordEnv": "NOT_SET"}).place.secret()
    with pytest.raises(BadOption, match="No such file"):
        source_options({"queue": "A", "passwordFile": str(tmp_path / "none")}).place.secret()


# -- in Spark ---------------------------------------------------------------------------------------------------------


def read(spark: SparkSession, manager: Manager, **options: str) -> DataFrame:
    return spark.read.format("mq").options(**manager.options, **options).load()


def test_spark_reads_a_queue_and_leaves_it_as_it_is(spark: SparkSession, manager: Manager) -> None:
    queue = manager.queue()
    manager.put(queue, numbered(1, 50))

    frame = read(spark, manager, queue=queue, partitions="4", body="json", columns="position,body,priority")

    found = frame.selectExpr("get_json_object(body, '$.id') as id", "position").orderBy("position").collect()
    assert [int(row.id) for row in found] == list(range(1, 51)) and frame.rdd.getNumPartitions() == 4
    assert manager.ids(queue) == list(range(1, 51))


def test_spark_says_in_one_line_what_is_wrong(spark: SparkSession, manager: Manager, tmp_path: Path) -> None:
    secret = {"user": "app", "password": "hush-hush"}
    cases: list[tuple[dict[str, str], str]] = [
        ({**manager.options, "queue": "NO.SUCH.QUEUE"}, "NO.SUCH.QUEUE of QM1.*2085.*DEFINE QLOCAL"),
        ({"channel": "C", "conn": "127.0.0.1(1)", "queue": "A", **secret}, "2538"),
        ({"dataDirectory": str(tmp_path), "queueManager": "QM9", "queue": "A"}, "QM9"),
        ({**manager.options, "queue": "A", "columns": "colour"}, "mq has no column colour; it has queue, position"),
    ]
    for options, text in cases:
        with pytest.raises(Exception) as raised:  # noqa: PT011
            spark.read.format("mq").options(**options).load().collect()
        line = explain(raised.value)
        assert re.search(text, line), line
        assert "\n" not in line and "hush-hush" not in str(raised.value)


def test_a_stream_that_fails_goes_on_with_the_same_batch(spark: SparkSession, manager: Manager, tmp_path: Path) -> None:
    """The offset of batch 1 is in the checkpoint when its rows are refused: the next start reads them once more."""
    queue = manager.queue()
    manager.put(queue, numbered(1, 50))
    batches: list[tuple[int, list[int]]] = []

    def keep(frame: DataFrame, number: int) -> None:
        batches.append((number, sorted(json.loads(row.body)["id"] for row in frame.collect())))
        if len(batches) == 2:
            raise RuntimeError("the first time it fails")

    def run() -> None:
        frame = spark.readStream.format("mq").options(**manager.options, queue=queue, maxMessages="20").load()
        query = frame.selectExpr("cast(body as string) as body").writeStream.foreachBatch(keep)
        query.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).start().awaitTermination()

    with pytest.raises(Exception, match="the first time it fails"):
        run()
    # Batch 0 was removed when batch 1 was planned, by a thread.
    until(lambda: manager.ids(queue) == list(range(21, 51)), "batch 0 is removed, and no other")
    manager.put(queue, numbered(51, 55))
    run()

    assert [number for number, _ in batches] == [0, 1, 1, 2]
    assert batches[1] == batches[2] and batches[1][1] == list(range(21, 41))
    assert batches[0][1] + batches[1][1] + batches[3][1] == list(range(1, 56))
    # Those of the last batch go when the next one begins.
    until(lambda: manager.ids(queue) == list(range(41, 56)), "batch 1 is removed, and no other")
