"""Source and sink `mq` with many messages in a call, and with a call for each: both ways do the same."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")

import pyarrow as pa
from pyspark.sql.streaming.datasource import ReadMaxRows

from flintmq.client.remote.mqi import RemoteMQI
from flintmq.mqi.md import MQMD
from flintmq.pipeline.errors import PipelineError
from flintmq.pipeline.sources.mq_chunk import of_messages
from flintmq.pipeline.sources.mq_columns import COLUMNS, Maker, Rows, schema_of
from flintmq.pipeline.sources.mq_connection import Branch, MQConnection, Refused, parts_of
from flintmq.pipeline.sources.mq_options import sink_options, source_options
from flintmq.pipeline.sources.mq_read import MqStreamReader
from flintmq.pipeline.sources.mq_write import Unit, decide, write_task
from flintmq.wire.mq.bulk import MESSAGES_MAX
from tests.pipeline.manager import Manager, numbered


def reader_of(manager: Manager, queue: str, **options: str) -> MqStreamReader:
    return MqStreamReader(source_options({**manager.options, "queue": queue, **options}))


def rows_of(reader: MqStreamReader, end: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        row for work in reader.partitions({}, end) for batch in reader.read(work) for row in batch.to_pylist()
    ]  # fmt: skip


def filled(manager: Manager) -> str:
    """A queue with messages of all kinds, long and empty ones, with properties and without."""
    queue = manager.queue()
    with manager.connect() as qm, qm.transaction():
        target = qm.queue(queue)
        for number in range(30):
            properties = {"n": number} if number % 3 == 0 else None
            bodies: list[bytes | str] = [b"", b"\xff" * 70_000, "grün", b"x" * number]
            body = bodies[number % 4]
            target.put(body, properties=properties, correlation_id=b"%d" % number, persistent=number % 2 == 0)
    return queue


def test_many_in_a_call_and_one_by_one_are_the_same_rows(manager: Manager, monkeypatch: pytest.MonkeyPatch) -> None:
    queue = filled(manager)
    reader = reader_of(manager, queue)
    end = reader.latestOffset({}, ReadMaxRows(25))
    together = rows_of(reader, end)
    reader.stop()
    assert len(together) == 25 and len({row["correl_id"] for row in together}) == 25

    monkeypatch.setattr(MQConnection, "in_bulk", False)
    reader = reader_of(manager, queue)
    assert reader.latestOffset({}, ReadMaxRows(25)) == end
    assert rows_of(reader, end) == together
    reader.commit(end)
    reader.stop()
    assert len(manager.bodies(queue)) == 5


@pytest.mark.parametrize("body", ["binary", "text"])
@pytest.mark.parametrize("columns", ["body", "position,body", "properties", "queue,properties,body", "body,msg_id"])
def test_fewer_columns_have_the_values_that_all_have(manager: Manager, columns: str, body: str) -> None:
    """With `body` and its like no descriptor is sent; a header is taken off the body all the same."""
    queue = filled(manager)
    every = reader_of(manager, queue, body=body)
    end = every.latestOffset({}, ReadMaxRows(99))
    expected = [{name: row[name] for name in columns.split(",")} for row in rows_of(every, end)]
    assert set(rows_of(every, end)[0]) == set(COLUMNS)
    every.stop()

    pruned = reader_of(manager, queue, body=body, columns=columns)

    assert rows_of(pruned, end) == expected and len(expected) == 30


def test_a_batch_of_more_calls_than_one_is_read_removed_and_not_more_than_that(manager: Manager) -> None:
    queue = manager.queue()
    count = 2 * MESSAGES_MAX + 100
    sink = sink_options({**manager.options, "queue": queue, "stateQueue": manager.queue()}, streaming=True)
    unit = Unit(random.randbytes(16), 0)
    batch = pa.record_batch({"body": numbered(1, count + 7)})
    decide(sink, unit, write_task(iter([batch.slice(0, 5), batch.slice(5)]), sink, unit).branches)
    reader = reader_of(manager, queue, columns="position,body", partitions="3")
    end = reader.latestOffset({}, ReadMaxRows(count))

    rows = rows_of(reader, end)

    assert [json.loads(row["body"])["id"] for row in rows] == [row["position"] for row in rows]
    assert len(rows) == count
    reader.commit(end)
    reader.stop()
    assert manager.ids(queue) == list(range(count + 1, count + 8))


def test_a_queue_manager_that_dies_before_the_commit_of_a_removal_has_all_its_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ranges were got, in a unit of work that was not committed; the next commit of Spark removes them."""
    manager = Manager(tmp_path)
    manager.start()
    try:
        queue = manager.queue()
        manager.put(queue, numbered(1, 40))
        reader = reader_of(manager, queue)
        end = reader.latestOffset({}, ReadMaxRows(30))
        rows = rows_of(reader, end)
        with monkeypatch.context() as patched:
            patched.setattr(RemoteMQI, "cmit", lambda mqi: manager.kill())
            reader.commit(end)
            reader.settle()
        with pytest.raises(Refused):
            reader.latestOffset(end, ReadMaxRows(30))
        manager.start()

        assert manager.ids(queue) == list(range(1, 41))
        again = reader_of(manager, queue)
        assert rows_of(again, end) == rows
        again.commit(end)
        again.stop()
        assert manager.ids(queue) == list(range(31, 41))
    finally:
        manager.end()


def test_what_somebody_else_has_taken_is_passed_over_by_the_removal(manager: Manager) -> None:
    """With the option shared; one is gone, another is in somebody's unit of work and comes back."""
    queue = manager.queue()
    manager.put(queue, numbered(1, 6))
    reader = reader_of(manager, queue, shared="true")
    end = reader.latestOffset({}, ReadMaxRows(5))
    with manager.connect() as qm:
        assert json.loads(qm.queue(queue).get().data)["id"] == 1
        with qm.transaction() as unit:
            assert json.loads(qm.queue(queue).get().data)["id"] == 2
            reader.commit(end)
            reader.settle()
            unit.backout()
        assert manager.ids(queue) == [2, 6]
    reader.stop()


def test_parts_of_ranges_have_all_positions_and_no_more_than_they_may() -> None:
    made = list(parts_of([(1, 7), (9, 9), (20, 24)], 5))
    assert made == [[(1, 5)], [(6, 7), (9, 9), (20, 21)], [(22, 24)]]
    assert list(parts_of([], 5)) == []


def test_rows_that_differ_in_their_bodies_only_are_put_as_they_stand() -> None:
    maker = Maker("Q", 1, False, 1208)
    bodies = [b"a", b"", b"ccc"]
    batch = pa.record_batch({"body": bodies, "priority": [3] * 3, "position": [1, 2, 3]})

    alike = maker.alike(batch.slice(1))

    assert alike is not None and len(alike) == 2
    single = list(maker.messages(batch))
    assert {message.descriptor for message in single} == {alike.descriptor} and alike.queue == "Q"
    cut = [bytes(alike.data[alike.offsets[row] : alike.offsets[row + 1]]) for row in range(2)]
    assert cut == bodies[1:]


def test_json_that_nobody_can_read_is_null() -> None:
    """A message is not to stop a stream, whatever is in it."""
    md = MQMD()
    md.version, md.format, md.coded_char_set_id = 2, "MQSTR", 1208
    bodies = [b"[" * 200_000, b"1" * 10_000, b"\xff", b"{", b'{"a": 1}']
    chunk = of_messages([(number, md.pack(False, 1208), body) for number, body in enumerate(bodies)], False)
    batch = Rows(schema_of(("body",), "json"), "Q", "json").batch(chunk)
    assert batch.column("body").to_pylist() == [None] * 4 + ['{"a": 1}']


def test_a_long_string_is_text_like_any_other() -> None:
    """What Spark gives with spark.sql.execution.arrow.useLargeVarTypes."""
    maker = Maker("Q", 1, False, 1208)
    (one,) = maker.messages(pa.record_batch({"body": pa.array(["grün"], pa.large_string())}))
    (other,) = maker.messages(pa.record_batch({"body": pa.array(["grün"])}))
    assert one.data == other.data == "grün".encode() and one.descriptor == other.descriptor


@pytest.mark.parametrize(
    "columns",
    [
        {"body": [b"a", None]},
        {"body": [b"a", b"b"], "priority": [1, 2]},
        {"body": [b"a", b"b"], "priority": [1, None]},
        {"body": [b"a", b"b"], "queue": ["A", "B"]},
        {"body": [b"a", b"b"], "msg_id": [b"1", b"1"]},
        {"body": [b"a", b"b"], "properties": pa.array([[("k", "v")], []], pa.map_(pa.string(), pa.string()))},
        {"body": pa.array([b"a", b"b"], pa.large_binary())},
        {"body": pa.array([], pa.binary())},
    ],
)
def test_rows_that_differ_in_more_are_put_one_by_one(columns: dict[str, Any]) -> None:
    assert Maker("Q", 1, False, 1208).alike(pa.record_batch(columns)) is None


def test_a_value_that_cannot_be_fails_whether_rows_are_alike_or_not() -> None:
    with pytest.raises(PipelineError, match="reply_to_q"):
        Maker("Q", 1, False, 1208).alike(pa.record_batch({"body": [b"a"], "reply_to_q": [7]}))


@pytest.mark.parametrize("in_bulk", [True, False])
def test_a_put_that_the_queue_refuses_fails_its_branch(
    manager: Manager, monkeypatch: pytest.MonkeyPatch, in_bulk: bool
) -> None:
    monkeypatch.setattr(MQConnection, "in_bulk", in_bulk)
    queue = manager.queue()
    manager.command(f"ALTER QLOCAL({queue}) MAXDEPTH(5)")
    sink = sink_options({**manager.options, "queue": queue, "stateQueue": manager.queue()}, streaming=True)
    with pytest.raises(Refused, match="MQRC_Q_FULL 2053"):
        write_task(iter([pa.record_batch({"body": numbered(1, 9)})]), sink, Unit(random.randbytes(16), 0))
    assert manager.bodies(queue) == []


def test_a_branch_of_which_the_queue_manager_knows_too_few_puts_is_not_prepared(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = manager.queue()
    sink = sink_options({**manager.options, "queue": queue, "stateQueue": manager.queue()}, streaming=True)
    put_alike = Branch.put_alike

    def one_less(branch: Branch, alike: Any, start: int, stop: int) -> None:
        put_alike(branch, alike, start, stop - 1)
        branch.count += 1

    monkeypatch.setattr(Branch, "put_alike", one_less)
    with pytest.raises(Refused, match="knows of 8 puts of a branch with 9"):
        write_task(iter([pa.record_batch({"body": numbered(1, 9)})]), sink, Unit(random.randbytes(16), 0))
    assert manager.bodies(queue) == []
