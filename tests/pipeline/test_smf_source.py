"""spark.read.format("smf") and spark.readStream.format("smf")."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.telemetry.builder import NOON, Record, dump
from tests.telemetry.samples import SYNTHETIC

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
pytest.importorskip("pyarrow", reason="the pipeline needs pyarrow: the spark extra")

from flintmq.pipeline.errors import BadOption, explain  # noqa: E402
from flintmq.pipeline.sources.smf import Options, SmfReader, SmfStreamReader, files_of, size_of  # noqa: E402
from flintmq.telemetry.smf.columns.dump import UnreadableDump, blocks_of, ranges_of  # noqa: E402
from flintmq.telemetry.smf.columns.tables import tables_of  # noqa: E402
from flintmq.telemetry.smf.ebcdic import TABLE  # noqa: E402
from flintmq.telemetry.smf.layouts.qmst import QMST  # noqa: E402
from flintmq.telemetry.smf.layouts.qqst import QQST  # noqa: E402
from flintmq.telemetry.smf.pack import pack  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def statistics(puts: int) -> bytes:
    return Record(115, 2, {1: [pack(QMST, {"QMSTPUT": puts})]}, at=NOON + puts * 60_000_000).packed()


def load(spark: SparkSession, **options: str) -> Any:
    return spark.read.format("smf").options(**options).load()


def test_the_rows_of_spark_are_the_rows_of_arrow(spark: SparkSession, sample: Path) -> None:
    expected: dict[str, int] = {}
    for part in ranges_of(str(sample), 1 << 26):
        for block, _ in blocks_of(part):
            for name, table in tables_of(block, str(sample)).tables.items():
                expected[name] = expected.get(name, 0) + table.num_rows
    found = load(spark, path=str(sample), struct="wtid")
    assert found.count() == expected["WTID"]
    assert [field.name for field in found.schema][:6] == ["Date", "Time", "LPAR", "QMgr", "QSG", "MQ_Version"]


def test_the_raw_form_has_every_record(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    records = [statistics(number) for number in range(3)]
    path.write_bytes(dump(*records))
    rows = load(spark, path=str(path)).orderBy("Offset").collect()
    assert [row.Type for row in rows] == [2, 115, 115, 115, 3]
    assert [bytes(row.Data) for row in rows[1:4]] == records
    assert [row.Subtype for row in rows] == [None, 2, 2, 2, None]
    assert str(rows[1].Time) == "2024-03-01 10:00:00" and str(rows[1].Date) == "2024-03-01"


def test_many_dumps_directories_and_packed_ones_are_one_table(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "one.dat").write_bytes(dump(*map(statistics, range(10))))
    (tmp_path / "a" / "b" / "two.dat.gz").write_bytes(gzip.compress(dump(*map(statistics, range(10, 20)))))
    (tmp_path / "a" / "_half.tmp").write_bytes(b"rubbish")
    (tmp_path / "three.dat").write_bytes(dump(*map(statistics, range(20, 30))))
    path = f"{tmp_path / 'a'},{tmp_path / 'three.*'}"
    found = load(spark, path=path, struct="QMST", partitionSize="1k")
    assert found.rdd.getNumPartitions() > 3
    assert sorted(row.Put for row in found.select("Put").collect()) == list(range(30))


def test_a_stream_reads_new_files_and_files_that_grow(spark: SparkSession, tmp_path: Path) -> None:
    dumps, checkpoint, out = tmp_path / "dumps", tmp_path / "checkpoint", tmp_path / "out"
    dumps.mkdir()
    data = dump(*map(statistics, range(10)))
    cut = len(data) // 2 + 7  # In the middle of a record.

    def run() -> list[int]:
        stream = spark.readStream.format("smf").option("path", str(dumps)).option("struct", "qmst").load()
        query = stream.select("Put").writeStream.format("parquet")
        query = query.option("checkpointLocation", str(checkpoint)).option("path", str(out))
        query.trigger(availableNow=True).start().awaitTermination()
        return sorted(row.Put for row in spark.read.parquet(str(out)).collect())

    (dumps / "a.dat").write_bytes(data[:cut])
    assert run() == list(range(5))
    (dumps / "a.dat").write_bytes(data)
    (dumps / "b.dat.gz").write_bytes(gzip.compress(dump(statistics(77))))
    assert run() == [*range(10), 77]
    assert run() == [*range(10), 77]


def test_the_offsets_of_a_stream_are_record_boundaries_and_respect_the_limit(tmp_path: Path) -> None:
    from pyspark.sql.streaming.datasource import ReadAllAvailable

    path = tmp_path / "a.dat"
    record = statistics(1)
    data = dump(*map(statistics, range(10)))
    path.write_bytes(data[:-1])
    reader = SmfStreamReader(Options.of({"path": str(path), "struct": "qmst", "maxBytes": str(3 * len(record))}))
    assert reader.initialOffset() == {}
    assert reader.latestOffset({}, ReadAllAvailable()) == {str(path): len(data) - 18}
    offset: dict[str, int] = {}
    steps = []
    while True:
        after = reader.latestOffset(offset, reader.getDefaultReadLimit())
        if after == offset:
            break
        planned: Any = reader.partitions(offset, after)
        steps.append(len(planned))
        offset = after
    assert offset == {str(path): len(data) - 18} and len(steps) > 2
    assert reader.partitions(offset, offset) == []


def test_the_trigger_available_now_reads_what_was_there_in_batches_and_ends(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Issue 14, item 19: without support by the source, Spark reads everything in one batch, whatever maxBytes says."""
    (tmp_path / "dumps").mkdir()
    path = tmp_path / "dumps" / "a.dat"
    path.write_bytes(dump(*map(statistics, range(10))))
    options = {"path": str(path.parent), "struct": "qmst", "maxBytes": str(4 * len(statistics(1)))}
    query = spark.readStream.format("smf").options(**options).load().select("Put").writeStream.format("parquet")
    query = query.option("checkpointLocation", str(tmp_path / "c")).option("path", str(tmp_path / "out"))
    running = query.trigger(availableNow=True).start()
    running.awaitTermination()
    assert sorted(row.Put for row in spark.read.parquet(str(tmp_path / "out")).collect()) == list(range(10))
    assert len([each for each in running.recentProgress if each["numInputRows"]]) >= 3


def test_what_comes_after_the_start_of_available_now_is_left_for_the_next_query(tmp_path: Path) -> None:
    """Issue 14, item 19."""
    from pyspark.sql.streaming.datasource import ReadAllAvailable

    path, later = tmp_path / "a.dat", tmp_path / "b.dat"
    whole = dump(*map(statistics, range(10)))
    path.write_bytes(whole[: len(whole) // 2])
    reader = SmfStreamReader(Options.of({"path": str(tmp_path), "struct": "qmst"}))
    before = reader.latestOffset({}, ReadAllAvailable())
    reader.prepareForTriggerAvailableNow()
    path.write_bytes(whole)
    later.write_bytes(whole)
    (tmp_path / "c.dat.gz").write_bytes(gzip.compress(whole))
    assert reader.latestOffset({}, ReadAllAvailable()) == before == reader.latestOffset(before, ReadAllAvailable())
    another = SmfStreamReader(reader.options)
    assert len(another.latestOffset(before, ReadAllAvailable())) == 3


def test_workers_with_another_python_are_told_what_to_set(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 14, item 19: a worker refuses a driver of another release; the advice names both and the variable."""
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    monkeypatch.setattr(spark.sparkContext, "pythonVer", "3.8")
    with pytest.raises(Exception) as caught:
        spark.sparkContext.parallelize([1], 1).map(lambda number: number).collect()
    told = explain(caught.value)
    assert f"workers run Python {here}, the driver runs Python 3.8: set PYSPARK_PYTHON" in told and "\n" not in told
    monkeypatch.undo()

    def fail(number: int) -> int:
        raise ModuleNotFoundError("No module named 'pyarrow'")

    with pytest.raises(Exception) as caught:
        spark.sparkContext.parallelize([1], 1).map(fail).collect()
    assert f"has no module pyarrow: set PYSPARK_PYTHON to a Python {here} that" in explain(caught.value)
    missing = 'java.io.IOException: Cannot run program "/no/python3": error=2, No such file or directory'
    assert "cannot start /no/python3: set PYSPARK_PYTHON" in explain(RuntimeError(missing))
    other = "Traceback (most recent call last):\n  File\nModuleNotFoundError: No module named 'mine'"
    assert explain(RuntimeError(other)).endswith("failed: ModuleNotFoundError: No module named 'mine'")


def test_every_character_of_a_text_column_is_kept(spark: SparkSession, tmp_path: Path) -> None:
    """Issue 14, item 19: a control character is a character; a field is null only if all of it is X'00'."""
    place = QQST.find("QQSTQNAM").offset
    records = []
    for byte in range(256):
        queue = bytearray(pack(QQST, {"QQSTQNAM": "AXB"}))
        queue[place + 1] = byte
        records.append(Record(115, 216, {1: [bytes(queue)]}, at=NOON + byte * 60_000_000).packed())
    unset = bytearray(pack(QQST, {}))
    unset[place : place + 48] = bytes(48)
    records.append(Record(115, 216, {1: [bytes(unset)]}, at=NOON + 256 * 60_000_000).packed())
    (tmp_path / "a.dat").write_bytes(dump(*records))
    rows = load(spark, path=str(tmp_path / "a.dat"), struct="qqst").select("Queue").collect()
    assert [row.Queue for row in rows] == [*(f"A{character}B" for character in TABLE), None]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "needs the option path"),
        ({"path": "x", "struct": "nothing"}, "no structure 'nothing'"),
        ({"path": "x", "framing": "vbs"}, "framing is rdw, none, bdw"),
        ({"path": "x", "partitionSize": "much"}, "such as 64m"),
        ({"path": "x", "colour": "red"}, "no option colour"),
    ],
)
def test_wrong_options_are_refused_in_words(options: dict[str, str], text: str) -> None:
    with pytest.raises(BadOption, match=text):
        Options.of(options)


def test_an_error_of_ours_is_found_in_what_spark_raises(spark: SparkSession, tmp_path: Path) -> None:
    for options, text in (
        ({"path": str(tmp_path / "no.dat"), "struct": "qmst"}, "no.dat: there is no such file or directory"),
        ({"path": "x", "struct": "nothing"}, "there is no structure 'nothing'"),
    ):
        with pytest.raises(Exception) as caught:
            load(spark, **options).count()
        shown = explain(caught.value)
        assert text in shown and "\n" not in shown and "java" not in shown and "Traceback" not in shown
    with pytest.raises(Exception) as caught:
        spark.sql("select * from no_such_table").collect()
    assert "no_such_table" in explain(caught.value) and "\n" not in explain(caught.value)


def test_what_a_worker_raised_is_told_in_one_line(spark: SparkSession) -> None:
    def fail(number: int) -> int:
        raise ValueError(f"nothing goes with {number}")

    with pytest.raises(Exception) as caught:
        spark.sparkContext.parallelize([7], 1).map(fail).collect()
    assert explain(caught.value) == "a Python worker of Spark failed: ValueError: nothing goes with 7"


def test_a_packed_dump_that_is_damaged_or_cut_off_gives_the_rows_before(tmp_path: Path) -> None:
    """Issue 14, item 14: of a batch and of a stream, and other dumps are read."""
    data = dump(*map(statistics, range(3000)))
    packed = gzip.compress(data, 1)
    (tmp_path / "a.dat.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "b.dat.gz").write_bytes(packed[: len(packed) // 2] + bytes(100) + packed[len(packed) // 2 + 100 :])
    (tmp_path / "c.dat.gz").write_bytes(packed)
    (tmp_path / "d.dat.gz").write_bytes(b"")
    options = Options.of({"path": str(tmp_path), "struct": "qmst"})
    stream = SmfStreamReader(options)
    end = stream.latestOffset({}, stream.getDefaultReadLimit())
    for reader, parts in ((SmfReader(options), SmfReader(options).partitions()), (stream, stream.partitions({}, end))):
        found: dict[str, list[int]] = {}
        for batch in (batch for part in parts for batch in reader.read(part)):
            for row in batch.to_pylist():
                found.setdefault(Path(row["File"]).name, []).append(row["Put"])
        assert found["c.dat.gz"] == list(range(3000)) and set(found) == {"a.dat.gz", "b.dat.gz", "c.dat.gz"}
        for name in ("a.dat.gz", "b.dat.gz"):
            assert found[name] == list(range(len(found[name]))) and len(found[name]) > 1000


def test_sizes_are_written_as_spark_writes_them() -> None:
    assert [size_of("x", text) for text in ("1", "64k", "64m", "1g", "64MB")] == [1, 65536, 1 << 26, 1 << 30, 1 << 26]


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDump, match="no such file"):
        files_of(str(tmp_path / "nothing"))
    assert files_of(str(tmp_path / "*.dat")) == []
    assert len(SmfReader(Options.of({"path": str(tmp_path)})).partitions()) == 1


def test_the_synthetic_dump_is_cut_into_partitions_on_record_boundaries() -> None:
    options = Options.of({"path": str(SYNTHETIC.dump), "partitionSize": "2k"})
    parts: Any = SmfReader(options).partitions()
    bounds = [(part.start, part.stop) for work in parts for part in work.ranges]
    assert len(bounds) > 3 and bounds[0][0] == 0 and bounds[-1][1] == -1
    assert [stop for _, stop in bounds[:-1]] == [start for start, _ in bounds[1:]]
