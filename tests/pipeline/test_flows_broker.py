"""A flow gives the same output on Spark and in a broker: digests of every message, of the messages of real queues."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pa: Any = pytest.importorskip("pyarrow", reason="flows on Spark need pyarrow: the spark extra")
pytest.importorskip("pyspark", reason="flows on Spark need PySpark: the spark extra")

from benchmarks.broker import messages  # noqa: E402
from benchmarks.pipeline import digests  # noqa: E402
from flintmq.broker import load  # noqa: E402
from flintmq.broker.flow.function import incoming_of  # noqa: E402
from flintmq.broker.flow.testing import find_cases  # noqa: E402
from flintmq.broker.runtime.foreground import queues_of  # noqa: E402
from flintmq.mqi import constants as mq  # noqa: E402
from flintmq.mqi.md import MQMD  # noqa: E402
from flintmq.mqi.od import MQOD  # noqa: E402
from flintmq.mqi.pmo import MQPMO  # noqa: E402
from flintmq.pipeline.sources.mq_columns import MD_COLUMNS  # noqa: E402
from tests.broker.runtime.desk import Desk, open_desk  # noqa: E402
from tests.waiting import until  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "broker"
#: Fields of the MQMD that both get.
GIVEN = ("msg_id", "correl_id", *(name for name in digests.FIELDS if name != "correl_id"))
COPIES = 25


@pytest.fixture
def desk() -> Iterator[Desk]:
    with open_desk() as made:
        yield made


def in_broker(desk: Desk, path: Path, inputs: list[tuple[MQMD, bytes]]) -> dict[bytes, list[str]]:
    """Put messages to the input queue of the flow of a directory, and return the digests of what its queues hold."""
    loaded = load(path)
    flow = loaded.flow()
    (source,) = [node.queue for node in flow.runtime.inputs]  # type: ignore[attr-defined]
    names = queues_of(loaded)
    queues = {name: desk.queue(name, maxdepth=10**5) for name in names}
    with desk.serving.connect() as client:
        od, pmo = MQOD(), MQPMO()
        od.object_name = source
        handle = client.mqi.open(od, mq.MQOO_OUTPUT)
        pmo.options = mq.MQPMO_NO_SYNCPOINT
        for md, data in inputs:
            client.mqi.put(handle, md.copy(), pmo, data)
    worker = desk.start(path, flow.name)
    assert worker.problems == {}
    instance = worker.instances[0]
    until(lambda: queues[source].depth == 0 and instance.messages == instance.commits + instance.failures)
    until(lambda: instance.state == "waiting")
    desk.stop_workers()
    assert instance.failures == 0, desk.said.getvalue()
    return digests.merged(*(digests.of_messages(name, queue.messages()) for name, queue in queues.items()))


def on_spark(spark: SparkSession, path: Path, inputs: list[tuple[MQMD, bytes]]) -> dict[bytes, list[str]]:
    """Run the same messages through the same flow on Spark."""
    kinds = {pa.int32(): "int", pa.string(): "string", pa.binary(): "binary"}
    schema = ", ".join(["data binary", *(f"{name} {kinds[MD_COLUMNS[name]]}" for name in GIVEN)])
    rows = [(data, *(getattr(md, name) for name in GIVEN)) for md, data in inputs]
    frame = spark.createDataFrame(rows, schema).repartition(4)
    made = load(path).flow().on_spark(frame).collect()
    assert {row["kind"] for row in made} == {"put"}
    return digests.merged(digests.of_rows([row.asDict() for row in made]))


def descriptor(number: int, md: MQMD | None = None) -> MQMD:
    """Return a descriptor with an identifier and values of its own."""
    found = messages.descriptor() if md is None else md.copy()
    found.msg_id = b"INPUT%019d" % number
    found.priority = number % 10
    found.persistence = number % 2
    found.correl_id = (b"C%d" % number).ljust(24, b"\0")
    return found


def complex_flow(place: Path) -> tuple[Path, list[tuple[MQMD, bytes]]]:
    place.mkdir()
    (place / "F.msgflow.yaml").write_text("flow: F.msgflow\n" + messages.computing("Complex"))
    (place / "F.esql").write_text(messages.ESQL)
    pattern = messages.order(4096)
    bodies = [pattern.replace(b"<Name>case</Name>", b"<Name>%08d</Name>" % number) for number in range(200)]
    return place, [(descriptor(number), body) for number, body in enumerate(bodies)]


def sample(name: str) -> tuple[Path, list[tuple[MQMD, bytes]]]:
    """The inputs of the cases of a sample, each several times with other descriptors."""
    place = SAMPLES / name
    cases = [case for case in find_cases(place) if set(case.options) <= {"headers"}]
    inputs: list[tuple[MQMD, bytes]] = []
    for _ in range(COPIES):
        for case in cases:
            made = incoming_of(case.input.read_bytes(), case.options.get("headers", {}))
            inputs.append((descriptor(len(inputs), made.md), made.data))
    return place, inputs


@pytest.mark.parametrize("name", ["complex", "order-routing", "copybook-to-xml"])
def test_every_message_comes_out_of_spark_as_it_comes_out_of_a_broker(
    spark: SparkSession, desk: Desk, tmp_path: Path, name: str
) -> None:
    """Queue, data, and the fields of the MQMD that a flow decides."""
    path, inputs = complex_flow(tmp_path / "app") if name == "complex" else sample(name)
    broker = in_broker(desk, path, inputs)
    assert len(broker) == len(inputs), "each input has outputs, which keep its MsgId"
    assert len({each for found in broker.values() for each in found}) >= len(inputs), "each output is of its own"
    assert digests.difference(on_spark(spark, path, inputs), broker) == ""


def test_a_difference_is_found_and_named() -> None:
    one, two = {b"a": ["1"], b"b": ["2"]}, {b"a": ["1"], b"b": ["3"], b"c": ["4"]}
    assert digests.difference(one, two) == "2 of 3 inputs differ, the first is b'b'"
    assert digests.difference(one, dict(one)) == ""
