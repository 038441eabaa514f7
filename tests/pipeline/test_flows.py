"""Flows on Spark: the same bytes as the flow as a function gives, failures as rows, refusals, shipment, columns."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pa: Any = pytest.importorskip("pyarrow", reason="flows on Spark need pyarrow: the spark extra")
pytest.importorskip("pyspark", reason="flows on Spark need PySpark: the spark extra")

from flintmq.broker import Flow, FlowFailed, load  # noqa: E402
from flintmq.broker.flow.function import incoming_of  # noqa: E402
from flintmq.broker.flow.testing import find_cases  # noqa: E402
from flintmq.mqi.md import MQMD  # noqa: E402
from flintmq.mqi.rfh2 import MQRFH2  # noqa: E402
from flintmq.pipeline.errors import BadOption, PipelineError  # noqa: E402
from flintmq.pipeline.flows import outputs, shipment, task  # noqa: E402
from flintmq.pipeline.flows.columns import MD_OUT, passed_on  # noqa: E402
from flintmq.pipeline.sources.mq_columns import MD_COLUMNS  # noqa: E402
from tests.broker.flow.flows import compute, flow_of, write_application  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "broker"
PLAIN = """nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  C: {type: Compute, properties: {computeExpression: "esql://routine/#C.Main"}}
  Out: {type: MQOutput, properties: {queueName: OUT, newMsgId: "true"}}
wires:
  - {from: In.out, to: C.in}
  - {from: C.out, to: Out.in}
"""
#: One output for each item, and a failure where the total is no number.
SPLIT = compute(
    "C",
    """DECLARE I INTEGER 1;
       WHILE I <= CARDINALITY(InputRoot.XMLNSC.Order.Item[]) DO
         SET OutputRoot = InputRoot;
         SET OutputRoot.XMLNSC.Order.Total = CAST(InputRoot.XMLNSC.Order.Item[I] AS INTEGER);
         PROPAGATE;
         SET I = I + 1;
       END WHILE;
       RETURN FALSE;""",
)


def rows_of(flow: Flow, columns: dict[str, Any], keep: tuple[str, ...] = (), **options: Any) -> list[dict[str, Any]]:
    """Run what a task runs, without Spark."""
    given = pa.record_batch(columns)
    made = task.run(flow, iter([given]), passed_on(given.schema.names, keep), **options)
    return [row for batch in made for row in batch.to_pylist()]


def order(*items: object) -> bytes:
    return b"<Order>" + b"".join(b"<Item>%b</Item>" % str(each).encode() for each in items) + b"</Order>"


# -- the same bytes ---------------------------------------------------------------------------------------------------


def sent_by_function(flow: Flow, body: bytes, headers: dict[str, Any]) -> list[tuple[Any, ...]]:
    try:
        recorder = flow(body, headers=headers).recorder
    except FlowFailed as failure:
        recorder = failure.result.recorder
    puts = [("put", each.queue, each.data, md_values(each.md)) for each in recorder.puts]
    return puts + [("publish", each.topics, each.data, md_values(each.md)) for each in recorder.publications]


def md_values(md: Any) -> dict[str, Any]:
    return without_new_ids({name: getattr(md, name) for name in MD_OUT})


def without_new_ids(values: dict[str, Any]) -> dict[str, Any]:
    """Leave out identifiers that were made anew: the function counts, a task derives them from the input."""
    return {name: value for name, value in values.items() if not (isinstance(value, bytes) and value[:4] == b"FLOW")}


@pytest.mark.parametrize("name", ["content-publish", "copybook-to-xml", "order-routing"])
def test_a_sample_gives_the_same_bytes_on_spark_as_the_function(spark: SparkSession, name: str) -> None:
    flow = load(SAMPLES / name).flow()
    cases = [case for case in find_cases(SAMPLES / name) if set(case.options) <= {"headers"}]
    assert len(cases) >= 4
    names = [each for each in MD_COLUMNS if each != "backout_count"]
    rows = []
    for case in cases:
        made = incoming_of(case.input.read_bytes(), case.options.get("headers", {}))
        assert made.md is not None
        values = [getattr(made.md, each) for each in names]
        rows.append((case.name, made.data, *values))
    kinds = {pa.int32(): "int", pa.string(): "string", pa.binary(): "binary"}
    schema = ", ".join(["case string", "data binary", *(f"{each} {kinds[MD_COLUMNS[each]]}" for each in names)])
    frame = spark.createDataFrame(rows, schema).repartition(2)

    found: dict[str, list[tuple[Any, ...]]] = {case.name: [] for case in cases}
    for row in flow.on_spark(frame, keep=["case"]).orderBy("case", "number").collect():
        if row["kind"] != "failure":
            where = row["queue"] if row["kind"] == "put" else row["topics"]
            fields = {each: bytes(row[each]) if isinstance(row[each], bytearray) else row[each] for each in MD_OUT}
            found[row["case"]].append((row["kind"], where, bytes(row["data"]), without_new_ids(fields)))

    for case in cases:
        expected = sent_by_function(flow, case.input.read_bytes(), case.options.get("headers", {}))
        assert sorted(found[case.name], key=repr) == sorted(expected, key=repr), case.name
    assert sum(map(len, found.values())) >= len(cases)


# -- rows -------------------------------------------------------------------------------------------------------------


def test_every_row_comes_out_as_outputs_or_as_a_failure(spark: SparkSession, tmp_path: Path) -> None:
    flow = flow_of(tmp_path, PLAIN, SPLIT)
    given = [(1, order(1, 2)), (2, b"<Order"), (3, order(7, "many")), (4, None), (5, order(3))]
    frame = spark.createDataFrame(given, "id int, data binary").repartition(2)
    rows = flow.on_spark(frame, keep=["id"]).cache()
    found = [(row["id"], row["kind"], row["number"]) for row in rows.orderBy("id", "number").collect()]
    # The first put of row 3 is backed out with the unit of work.
    assert found == [(1, "put", 1), (1, "put", 2), (2, "failure", 1), (3, "failure", 1), (4, "failure", 1),
                     (5, "put", 1)]  # fmt: skip

    by_queue = outputs(rows)
    assert by_queue["OUT"].count() == 3 and by_queue["OTHER"].count() == 0
    failures = {row["id"]: row for row in by_queue.failures.collect()}
    assert bytes(failures[3]["data"]) == order(7, "many") and failures[4]["data"] is None
    entries = json.loads(failures[3]["exceptions"])
    assert entries[0]["number"] == 2230 and entries[0]["label"] == "F.In" and failures[3]["node"] == "F.C"
    assert any(entry["file"].endswith("F.esql") and entry["line"] for entry in entries)
    rows.unpersist()


def test_what_was_put_outside_the_unit_of_work_stays_beside_the_failure(tmp_path: Path) -> None:
    yaml = PLAIN.replace('newMsgId: "true"', 'transactionMode: "no"')
    flow = flow_of(tmp_path, yaml, SPLIT)
    rows = rows_of(flow, {"data": [order(1, "x")]})
    assert [(row["kind"], row["transactional"]) for row in rows] == [("put", False), ("failure", False)]


def test_a_task_that_runs_again_gives_the_same_rows(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, PLAIN, SPLIT)
    packed = shipment.pack(flow)
    given = {"data": [order(1, 2), order(1, 2)], "msg_id": [b"a" * 24, b"b" * 24]}
    first, second = (rows_of(shipment.unpack(packed), given) for _ in range(2))
    assert first == second
    ids = [row["msg_id"] for row in first]
    assert len(set(ids)) == 4 and all(each.startswith(b"FLOW") and len(each) == 24 for each in ids)
    # Without a MsgId the place of the row counts: equal messages get different identifiers.
    ids = [row["msg_id"] for row in rows_of(flow, {"data": [order(1), order(1)]})]
    assert len(set(ids)) == 2


def test_outputs_are_given_in_bounded_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "ROWS_MAX", 3)
    flow = flow_of(tmp_path, PLAIN, SPLIT)
    given = pa.record_batch({"data": [order(1, 2)] * 5, "position": list(range(5))})
    batches = list(task.run(flow, iter([given]), passed_on(given.schema.names, ())))
    assert [batch.num_rows for batch in batches] == [4, 4, 2]
    assert [row["input_position"] for batch in batches for row in batch.to_pylist()] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_files_and_publications_are_rows_of_their_own_kind(tmp_path: Path) -> None:
    yaml = """nodes:
  In: {type: FileInput, properties: {messageDomainProperty: BLOB, filenamePattern: "*.txt"}}
  Out: {type: FileOutput, properties: {outputDirectory: /data, outputFilename: "*.out"}}
wires:
  - {from: In.out, to: Out.in}
"""
    flow = flow_of(tmp_path, yaml)
    (row,) = rows_of(flow, {"content": [b"abc"], "path": ["file:/in/a.txt"]})
    assert (row["kind"], row["file"], row["file_action"], row["data"]) == ("file", "/data/a.out", "replace", b"abc")
    assert row["input_path"] == "file:/in/a.txt"


def test_columns_of_the_descriptor_and_properties_reach_the_flow(tmp_path: Path) -> None:
    esql = compute(
        "C",
        """CREATE LASTCHILD OF OutputRoot DOMAIN 'XMLNSC';
           SET OutputRoot.XMLNSC.Seen.Date = InputRoot.MQMD.PutDate;
           SET OutputRoot.XMLNSC.Seen.Time = InputRoot.MQMD.PutTime;
           SET OutputRoot.XMLNSC.Seen.Queue = InputRoot.MQMD.SourceQueue;
           SET OutputRoot.XMLNSC.Seen.Colour = InputRoot.MQRFH2.usr.colour;
           RETURN TRUE;""",
    )
    flow = flow_of(tmp_path, PLAIN, esql)
    when = datetime(2024, 2, 29, 12, 34, 56, 780_000, tzinfo=UTC)
    columns = {
        "body": [order(1)],
        "put_time": pa.array([when], pa.timestamp("us", tz="UTC")),
        "queue": ["ORDERS.IN"],
        "properties": pa.array([[("colour", "red")]], pa.map_(pa.string(), pa.string())),
        "backout_count": pa.array([5], pa.int32()),
    }
    (row,) = rows_of(flow, columns)
    assert row["kind"] == "put", row["exceptions"]
    for part in (b"2024-02-29", b"12:34:56.78", b"<Queue>ORDERS.IN</Queue>", b"<Colour>red</Colour>"):
        assert part in row["data"]


def test_a_body_read_raw_keeps_its_mqrfh2(tmp_path: Path) -> None:
    header = MQRFH2()
    header.format, header.folders = "MQSTR", ["<usr><colour>red</colour></usr>"]
    esql = compute("C", "SET OutputRoot = InputRoot; SET OutputRoot.MQRFH2.usr.seen = InputRoot.MQRFH2.usr.colour; "
                        "RETURN TRUE;")  # fmt: skip
    flow = flow_of(tmp_path, PLAIN, esql)
    data = header.pack() + order(1)
    (row,) = rows_of(flow, {"body": [data], "format": ["MQHRF2"]})
    assert row["format"] == "MQHRF2" and b"<seen>red</seen>" in row["data"] and row["data"].endswith(order(1))
    assert md_values(MQMD()).keys() == set(MD_OUT)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("id int", "a flow needs a column data"),
        ("data int", "binary or string"),
        ("data binary, kind string", "keep: kind is a column of the outputs"),
    ],
)
def test_columns_that_cannot_be_are_refused_before_the_job(
    spark: SparkSession, tmp_path: Path, schema: str, text: str
) -> None:
    flow = flow_of(tmp_path, PLAIN, SPLIT)
    with pytest.raises(BadOption, match=text):
        flow.on_spark(spark.createDataFrame([], schema), keep=["kind"] if "kind" in schema else [])


# -- shipment ---------------------------------------------------------------------------------------------------------


def test_a_shipped_flow_needs_no_file_of_the_driver(tmp_path: Path) -> None:
    copy = tmp_path / "claims"
    shutil.copytree(SAMPLES / "copybook-to-xml", copy)  # Its message set is a file that is read when it is asked for.
    flow = load(copy).flow()
    packed = shipment.pack(flow)
    data = (SAMPLES / "copybook-to-xml" / "tests" / "two-items" / "input.bin").read_bytes()
    case = next(each for each in find_cases(copy) if each.name.endswith("two-items"))
    made = incoming_of(data, case.options.get("headers", {}))
    assert made.md is not None
    md = {"encoding": [made.md.encoding], "coded_char_set_id": [made.md.coded_char_set_id], "format": [made.md.format]}
    shutil.rmtree(copy)
    (row,) = rows_of(shipment.unpack(packed), {"data": [made.data], **md})
    expected = SAMPLES / "copybook-to-xml" / "tests" / "two-items" / "out" / "CLAIMS.XML.xml"
    assert row["queue"] == "CLAIMS.XML" and row["data"] == expected.read_bytes()


def test_a_worker_compiles_a_flow_once(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, PLAIN, SPLIT)
    packed = shipment.pack(flow)
    assert shipment.flow_of(packed) is shipment.flow_of(shipment.pack(flow))
    (tmp_path / "F.esql").write_text(SPLIT.replace("I + 1", "I + 2"))
    assert shipment.flow_of(shipment.pack(load(tmp_path).flow("F"))) is not shipment.flow_of(packed)


def test_functions_in_place_of_java_travel_along(spark: SparkSession, tmp_path: Path) -> None:
    yaml = PLAIN.replace('type: Compute, properties: {computeExpression: "esql://routine/#C.Main"}',
                         'type: PythonCompute, properties: {pythonFunction: double}')  # fmt: skip
    write_application(tmp_path, {"F.msgflow.yaml": "flow: F.msgflow\n" + yaml})
    factor = 2

    def double(message: Any) -> None:
        message.output.put("XMLNSC.Order.Item", factor * int(str(message.input.get("XMLNSC.Order.Item"))))

    flow = load(tmp_path, functions={"double": double}).flow("F")
    (row,) = flow.on_spark(spark.createDataFrame([(order(21),)], "data binary")).collect()
    assert bytes(row["data"]) == order(42), row["exceptions"]


def test_a_flow_that_was_not_loaded_cannot_be_shipped(tmp_path: Path) -> None:
    flow = Flow(flow_of(tmp_path, PLAIN, SPLIT).runtime)
    with pytest.raises(PipelineError, match="not made by load"):
        shipment.pack(flow)
