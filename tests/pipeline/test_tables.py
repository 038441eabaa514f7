"""Dumps as tables: loading, repeating, growing, replacing, damage. T1 to T4 are the rules of pipeline/tables.

What runs in tasks needs no Spark: most tests run the tasks here, one after the other.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.telemetry.builder import NOON, Record, dump, edge, spanned
from tests.telemetry.samples import TEST115, TEST116, TESTCHL, WHY_NOT

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
pq: Any = pytest.importorskip("pyarrow.parquet", reason="the pipeline needs pyarrow: the spark extra")

from flintmq.pipeline.errors import PipelineError  # noqa: E402
from flintmq.pipeline.tables import manifest as manifest_module  # noqa: E402
from flintmq.pipeline.tables import run as run_module  # noqa: E402
from flintmq.pipeline.tables.catalogue import silver_schema, tables_in  # noqa: E402
from flintmq.pipeline.tables.load import Loaded, Task, load  # noqa: E402
from flintmq.pipeline.tables.manifest import Manifest  # noqa: E402
from flintmq.pipeline.tables.place import partition, partition_of  # noqa: E402
from flintmq.pipeline.tables.quality import Report, lines_of  # noqa: E402
from flintmq.pipeline.tables.run import Settings, commit, dumps_of, job_of, run, share_of  # noqa: E402
from flintmq.pipeline.tables.twins import Twins, sample_of  # noqa: E402
from flintmq.pipeline.work import query_rows  # noqa: E402
from flintmq.telemetry.smf.layouts.qjst import QJST  # noqa: E402
from flintmq.telemetry.smf.layouts.qmst import QMST  # noqa: E402
from flintmq.telemetry.smf.layouts.qpst import QPST  # noqa: E402
from flintmq.telemetry.smf.layouts.qqst import QQST  # noqa: E402
from flintmq.telemetry.smf.layouts.wq import WQ  # noqa: E402
from flintmq.telemetry.smf.layouts.wtas import WTAS  # noqa: E402
from flintmq.telemetry.smf.layouts.wtid import WTID  # noqa: E402
from flintmq.telemetry.smf.pack import Value, pack  # noqa: E402
from flintmq.telemetry.smf.records import STRUCTURES  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MINUTE = 60_000_000


def statistics(number: int, qmgr: str = "MQA1", day: int = 0, length: int = 0) -> bytes:
    at = NOON + number * MINUTE + day * 86_400_000_000
    values = {"QMSTPUT": number, "QMSTSPP": 5}
    return Record(115, 2, {1: [pack(QMST, values, length)]}, qmgr=qmgr, at=at).packed()


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    made = tmp_path / "dumps"
    made.mkdir()
    return made


@pytest.fixture
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks run here."""

    def here(spark: object, tasks: list[Task], progress: object) -> list[Loaded]:
        return [load(task) for task in tasks]

    monkeypatch.setattr(run_module, "run_tasks", here)


def load_all(dumps: Path, out: Path, **settings: Any) -> Report:
    spark: Any = None
    return run(spark, Settings([str(dumps)], out, ("bronze", "silver"), **settings))


def rows(out: Path, table: str) -> list[dict[str, Any]]:
    files = sorted((out / table).rglob("*.parquet"))
    return [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]


def bytes_of(out: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and "_flint" not in path.parts
    }


@pytest.mark.usefixtures("without_spark")
class TestLoad:
    def test_a_row_is_there_once_however_often_a_run_is_repeated(self, dumps: Path, tmp_path: Path) -> None:
        """T1, and T3: the second run changes no byte."""
        out = tmp_path / "out"
        (dumps / "a.dat").write_bytes(dump(*(statistics(number) for number in range(20))))
        (dumps / "b.dat.gz").write_bytes(gzip.compress(dump(*(statistics(number) for number in range(20, 25)))))
        first = load_all(dumps, out, partition_size=2000)
        before = bytes_of(out)
        assert sorted(row["Put"] for row in rows(out, "silver/qmst")) == list(range(25))
        assert (first.fresh, first.records, first.damaged, first.skipped) == (2, 29, 0, 4)
        again = load_all(dumps, out, partition_size=2000)
        assert again.fresh == 0 and bytes_of(out) == before

    def test_a_dump_that_grew_is_loaded_from_where_its_records_ended(self, dumps: Path, tmp_path: Path) -> None:
        out = tmp_path / "out"
        data = dump(*(statistics(number) for number in range(10)))
        (dumps / "a.dat").write_bytes(data[:1000])
        load_all(dumps, out, growing=True)
        some = [row["Put"] for row in rows(out, "silver/qmst")]
        assert 0 < len(some) < 10 and not (out / "quality" / "findings").exists()
        (dumps / "a.dat").write_bytes(data)
        load_all(dumps, out, growing=True)
        found = rows(out, "silver/qmst")
        assert [row["Put"] for row in found] == list(range(10))
        assert len(list((out / "silver" / "qmst").rglob("*.parquet"))) == 2
        assert len({row["Offset"] for row in found}) == 10

    def test_what_a_stream_has_waited_for_in_vain_is_damage_to_a_run(self, dumps: Path, tmp_path: Path) -> None:
        """A transfer was broken off: nothing has changed since the stream looked, and half a record is still there."""
        out = tmp_path / "out"
        data = dump(*(statistics(number) for number in range(10)))
        (dumps / "a.dat").write_bytes(data[:1000])
        assert load_all(dumps, out, growing=True).damaged == 0
        some = rows(out, "silver/qmst")
        assert load_all(dumps, out, growing=True).fresh == 0

        report = load_all(dumps, out)
        (finding,) = rows(out, "quality/findings")
        assert (report.fresh, report.damaged, finding["Offset"] + finding["Length"]) == (1, 1, 1000)
        assert rows(out, "silver/qmst") == some
        assert load_all(dumps, out).fresh == 0 and load_all(dumps, out, growing=True).fresh == 0

        (dumps / "a.dat").write_bytes(data)
        load_all(dumps, out)
        assert [row["Put"] for row in rows(out, "silver/qmst")] == list(range(10))

    def test_a_damaged_record_at_the_end_of_a_dump_doubles_nothing_when_the_dump_grows(
        self, dumps: Path, tmp_path: Path
    ) -> None:
        """T1: the record claims to end beyond the file, and others follow it."""
        out = tmp_path / "out"
        each = [statistics(number) for number in range(12)]
        each[5] = (30_000).to_bytes(2, "big") + each[5][2:]
        data = b"".join(each)
        (dumps / "a.dat").write_bytes(data[: len(data) - 2 * len(each[11])])
        assert load_all(dumps, out, partition_size=1000).damaged == 1
        (dumps / "a.dat").write_bytes(data)
        load_all(dumps, out, partition_size=1000)
        assert sorted(row["Put"] for row in rows(out, "silver/qmst")) == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]

    def test_a_dump_that_changed_replaces_its_rows(self, dumps: Path, tmp_path: Path) -> None:
        out = tmp_path / "out"
        (dumps / "a.dat").write_bytes(dump(statistics(1), statistics(2, day=1)))
        (dumps / "b.dat").write_bytes(dump(statistics(7)))
        load_all(dumps, out)
        (dumps / "a.dat").write_bytes(dump(statistics(3)))
        load_all(dumps, out)
        assert sorted(row["Put"] for row in rows(out, "silver/qmst")) == [3, 7]

    def test_a_dump_under_two_names_is_loaded_once_and_told(self, dumps: Path, tmp_path: Path) -> None:
        """T5."""
        out = tmp_path / "out"
        data = dump(*(statistics(number) for number in range(10)))
        for name in ("b.dat", "a.dat", "c/b.dat"):
            (dumps / name).parent.mkdir(exist_ok=True)
            (dumps / name).write_bytes(data)
        (dumps / "empty1.dat").write_bytes(b"")
        (dumps / "empty2.dat").write_bytes(b"")
        report = load_all(dumps, out)
        assert [row["Put"] for row in rows(out, "silver/qmst")] == list(range(10))
        assert {row["File"] for row in rows(out, "silver/qmst")} == {"a.dat"}
        assert (report.duplicates, report.dumps, report.records) == (2, 5, 12)
        assert "2 dumps passed over: the same as others" in lines_of(report)
        told = [(row["File"], row["Kind"], row["What"], row["Length"]) for row in rows(out, "quality/findings")]
        what = "the same as a.dat, which is in the tables"
        assert sorted(told) == [(name, "duplicate", what, len(data)) for name in ("b.dat", "c/b.dat")]
        before = bytes_of(out)
        assert load_all(dumps, out).fresh == 0 and bytes_of(out) == before

    def test_a_dump_that_was_moved_is_not_loaded_again(self, dumps: Path, tmp_path: Path) -> None:
        """T5: by its blocks, for the other is no longer there to be compared with."""
        out = tmp_path / "out"
        (dumps / "b.dat").write_bytes(dump(*(statistics(number) for number in range(10))))
        load_all(dumps, out)
        (dumps / "b.dat").rename(dumps / "a.dat")
        assert load_all(dumps, out).duplicates == 1
        assert len(rows(out, "silver/qmst")) == 10

    def test_a_dump_that_differs_in_one_record_is_another(self, dumps: Path, tmp_path: Path) -> None:
        """T5: also where the blocks that are looked at first are the same."""
        out = tmp_path / "out"
        each = [statistics(number) for number in range(2000)]
        (dumps / "a.dat").write_bytes(dump(*each))
        for number in range(1000, 1100):
            other = dump(*each[:number], statistics(1), *each[number + 1 :])
            (dumps / "b.dat").write_bytes(other)
            if sample_of(str(dumps / "b.dat"), len(other)) == sample_of(str(dumps / "a.dat"), len(other)):
                break
        else:
            pytest.fail("every change is in a block that is looked at")
        assert load_all(dumps, out, partition_size=1 << 30).duplicates == 0
        assert len(rows(out, "silver/qmst")) == 4000

    def test_a_dump_that_was_passed_over_is_loaded_when_the_other_is_replaced(
        self, dumps: Path, tmp_path: Path
    ) -> None:
        """T5: no row is lost, in whatever order the names are."""
        for first, second in (("a.dat", "b.dat"), ("d.dat", "c.dat")):
            out = tmp_path / f"out-{first}"
            here = dumps / first[0]
            here.mkdir()
            data = dump(*(statistics(number) for number in range(10)))
            (here / first).write_bytes(data)
            load_all(here, out)
            (here / second).write_bytes(data)
            assert load_all(here, out).duplicates == 1
            (here / first).write_bytes(dump(statistics(70)))
            report = load_all(here, out)
            assert report.duplicates == 0 and not rows(out, "quality/findings")
            assert sorted(row["Put"] for row in rows(out, "silver/qmst")) == [*range(10), 70]

    def test_a_dump_and_its_copy_that_grow_double_nothing(self, dumps: Path, tmp_path: Path) -> None:
        """T5: the copy behind the other, and then the same again."""
        out = tmp_path / "out"
        each = [statistics(number) for number in range(12)]
        for first, second in ((6, 6), (9, 6), (9, 9), (12, 12)):
            (dumps / "a.dat").write_bytes(b"".join(each[:first]))
            (dumps / "b.dat").write_bytes(b"".join(each[:second]))
            load_all(dumps, out)
        found = sorted(row["Put"] for row in rows(out, "silver/qmst"))
        assert found == list(range(12))

    def test_rows_are_parted_by_date_and_queue_manager(self, dumps: Path, tmp_path: Path) -> None:
        out = tmp_path / "out"
        records = [statistics(1, "MQA1"), statistics(2, "MQB1"), statistics(3, "MQA1", day=1), statistics(4, "A/%Q")]
        (dumps / "a.dat").write_bytes(dump(*records))
        load_all(dumps, out)
        places = {str(path.parent.relative_to(out / "silver" / "qmst")) for path in out.glob("silver/qmst/*/*/*")}
        assert places == {
            "Date=2024-03-01/QMgr=MQA1",
            "Date=2024-03-01/QMgr=MQB1",
            "Date=2024-03-02/QMgr=MQA1",
            "Date=2024-03-01/QMgr=A%2F%25Q",
        }
        assert partition_of(partition("2024-03-01", "A/%Q")) == ("2024-03-01", "A/%Q")
        assert partition_of(partition("2024-03-01", None)) == ("2024-03-01", None)

    def test_rows_of_a_partition_are_in_the_order_of_the_dump_however_mixed_it_is(
        self, dumps: Path, tmp_path: Path
    ) -> None:
        """T3. A name that ends in X'00' is the same as one that ends in blanks; a dump's own records have none."""
        out = tmp_path / "out"
        records = [statistics(number, ("MQA", "MQB1", "MQC1")[number % 3], day=number % 2) for number in range(60)]
        for number in range(0, 60, 6):
            assert records[number][18:22] == b"\xd4\xd8\xc1\x40"
            records[number] = records[number][:21] + b"\0" + records[number][22:]
        (dumps / "a.dat").write_bytes(dump(*records))
        load_all(dumps, out)
        places = sorted((out / "silver" / "qmst").rglob("*.parquet"))
        found: dict[str, list[int]] = {path.parent.name: [] for path in places}
        for path in places:
            put = pq.ParquetFile(path).read()["Put"].to_pylist()
            assert put == sorted(put) and len(put) == 10
            found[path.parent.name] += put
        assert {name: sorted(put) for name, put in found.items()} == {
            "QMgr=MQA": list(range(0, 60, 3)),
            "QMgr=MQB1": list(range(1, 60, 3)),
            "QMgr=MQC1": list(range(2, 60, 3)),
        }
        bronze = {path.parent.name: pq.ParquetFile(path).read() for path in (out / "bronze").rglob("*.parquet")}
        assert bronze["QMgr=__HIVE_DEFAULT_PARTITION__"]["Type"].to_pylist() == [2, 3]
        offsets = bronze["QMgr=MQB1"]["Offset"].to_pylist()
        assert offsets == sorted(offsets) and len(offsets) == 10

    def test_records_of_several_releases_make_one_table(self, dumps: Path, tmp_path: Path) -> None:
        """T4: what a release lacks is null; the columns are all there."""
        out = tmp_path / "out"
        for release, length in (("7.0", 72), ("9.0.3", 104), ("9.4.5", 328)):
            (dumps / f"{release}.dat").write_bytes(dump(statistics(1, length=length)))
        load_all(dumps, out)
        found = {row["File"]: row["PersPuts"] for row in rows(out, "silver/qmst")}
        assert found == {"7.0.dat": None, "9.0.3.dat": 5, "9.4.5.dat": 5}
        schemas = {str(pq.read_schema(file).names) for file in out.glob("silver/qmst/*/*/*.parquet")}
        assert len(schemas) == 1

    def test_damage_is_reported_with_file_and_offset_and_the_rest_is_loaded(self, dumps: Path, tmp_path: Path) -> None:
        out = tmp_path / "out"
        other = bytearray(statistics(5))
        other[5] = 30
        good = [statistics(number) for number in range(4)]
        (dumps / "hole.dat").write_bytes(dump(good[0], bytes(300), good[1], bytes(other)))
        (dumps / "cut.dat").write_bytes(dump(*good)[:-100])
        packed = gzip.compress(dump(*(statistics(number) for number in range(100, 200))), 1)
        (dumps / "cut.dat.gz").write_bytes(packed[:-40])
        (dumps / "bad.dat.gz").write_bytes(packed[: len(packed) // 2] + bytes(50) + packed[len(packed) // 2 + 50 :])
        (dumps / "empty.dat").write_bytes(b"")
        (dumps / "letter.txt").write_bytes(b"Dear Sir or Madam,\n" * 10)
        (dumps / "good.dat").write_bytes(dump(spanned(good[2], 50)))
        report = load_all(dumps, out)
        findings = {(row["File"], row["Offset"], row["Kind"]): row["What"] for row in rows(out, "quality/findings")}
        assert findings["hole.dat", 18 + len(good[0]), "damaged"] == "zeros where a record should start"
        assert findings["hole.dat", 18 + 300 + 2 * len(good[0]), "unknown"] == "record type 30 is not one of MQ's"
        assert findings["cut.dat", 18 + 3 * len(good[0]), "damaged"] == "the dump ends inside a record"
        assert ("letter.txt", 0, "damaged") in findings
        # Issue 14, item 14: what is before the damage of a packed dump is there, and where it is damaged.
        for name, why in (("cut.dat.gz", "it is cut off there"), ("bad.dat.gz", "it is damaged there")):
            assert any(f"{name} cannot be unpacked from byte" in what and why in what for what in findings.values())
            puts = sorted(row["Put"] for row in rows(out, "silver/qmst") if row["File"] == name)
            assert len(puts) > 20 and puts == list(range(100, 100 + len(puts)))
        assert (report.unknown, report.damaged >= 4) == (1, True)
        assert sorted(row["Put"] for row in rows(out, "silver/qmst") if row["File"] in ("hole.dat", "good.dat")) == [
            0,
            1,
            2,
        ]
        shown = "\n".join(lines_of(report))
        assert "damaged: hole.dat at" in shown and "zeros" in shown
        kept = json.loads((out / "quality" / "report.json").read_text())
        assert kept["unknown"] == 1 and kept["dumps"] == 7

    def test_a_commit_that_was_interrupted_is_finished_by_the_next_run(
        self, dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """T1 and T2: killed at every step of a commit, the tables are whole after the next run."""
        clean, steps = tmp_path / "clean", 0
        (dumps / "a.dat").write_bytes(dump(statistics(1), statistics(2, "MQB1")))
        load_all(dumps, clean)

        class Killed(Exception):
            pass

        import os

        real = os.replace
        while True:
            out = tmp_path / f"out{steps}"
            left = [steps]

            def replace(source: Any, target: Any, left: list[int] = left) -> None:
                left[0] -= 1
                if left[0] < 0:
                    raise Killed
                real(source, target)

            monkeypatch.setattr(os, "replace", replace)
            try:
                load_all(dumps, out)
                finished = True
            except Killed:
                finished = False
            monkeypatch.setattr(os, "replace", real)
            load_all(dumps, out)
            assert bytes_of(out) == bytes_of(clean), f"killed at step {steps}"
            if finished:
                break
            steps += 1
        assert steps > 4

    def test_files_of_attempts_that_failed_are_never_seen(self, dumps: Path, tmp_path: Path) -> None:
        out = tmp_path / "out"
        (dumps / "a.dat").write_bytes(dump(statistics(1)))
        manifest = Manifest(out)
        manifest.open()
        settings = Settings([str(dumps)], out, ("bronze", "silver"))
        job = job_of("a.dat", str(dumps / "a.dat"), manifest, settings, Twins(manifest, {}))
        assert job is not None
        load(job.tasks[0])
        commit(manifest, [job], [load(job.tasks[0])])
        assert len(rows(out, "silver/qmst")) == 1
        load_all(dumps, out)
        assert list((out / "_flint" / "staging").rglob("*.parquet")) == []


def test_gold_that_a_run_did_not_come_to_is_made_by_the_next(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C, or a failure, between silver and gold: the dumps are loaded, and nothing in them is new any more."""
    out = tmp_path / "out"
    (dumps / "a.dat").write_bytes(busy_dump("MQA1", 10))
    (out / "gold").mkdir(parents=True)
    made: list[str] = []

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run_module, "run_tasks", lambda spark, tasks, progress: [load(task) for task in tasks])
    monkeypatch.setattr(run_module, "make_gold", interrupted)
    nobody: Any = None
    with pytest.raises(KeyboardInterrupt):
        run(nobody, Settings([str(dumps)], out))

    monkeypatch.setattr(run_module, "make_gold", lambda spark, out: made.append("gold"))
    assert run(nobody, Settings([str(dumps)], out)).fresh == 0 and made == ["gold"]
    assert run(nobody, Settings([str(dumps)], out)).fresh == 0 and made == ["gold"]


def test_a_dump_that_is_taken_away_while_it_is_loaded_stops_nothing(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The queue manager that wrote it has compressed it, say. What fails for another reason is told."""
    (dumps / "a.dat").write_bytes(dump(statistics(1)))
    (dumps / "b.dat").write_bytes(dump(statistics(2)))

    def tasks_of(spark: object, tasks: list[Task], progress: object) -> list[Loaded]:
        (dumps / "a.dat").unlink(missing_ok=True)
        if any(task.name == "a.dat" for task in tasks):
            raise PipelineError("a Python worker of Spark failed: FileNotFoundError")
        return [load(task) for task in tasks]

    monkeypatch.setattr(run_module, "run_tasks", tasks_of)
    report = load_all(dumps, tmp_path / "out")
    assert report.fresh == 1 and [row["Put"] for row in rows(tmp_path / "out", "silver/qmst")] == [2]

    def failing(*arguments: object) -> list[Loaded]:
        raise PipelineError("the disk is full")

    monkeypatch.setattr(run_module, "run_tasks", failing)
    with pytest.raises(PipelineError, match="the disk is full"):
        load_all(dumps, tmp_path / "other")


def test_of_two_runs_at_one_time_the_second_waits_and_then_says_so(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run begins by clearing the staging directory: rows of the other would be noted, and not be there."""
    out = tmp_path / "out"
    (dumps / "a.dat").write_bytes(dump(statistics(1)))
    monkeypatch.setattr(manifest_module, "WAIT_S", 0.2)
    refused: list[str] = []

    def tasks_of(spark: object, tasks: list[Task], progress: object) -> list[Loaded]:
        made = [load(task) for task in tasks]
        with pytest.raises(PipelineError) as error:
            load_all(dumps, out)
        refused.append(str(error.value))
        return made

    monkeypatch.setattr(run_module, "run_tasks", tasks_of)
    load_all(dumps, out)
    assert [row["Put"] for row in rows(out, "silver/qmst")] == [1]
    assert refused == [f"{out} is being written by another run"]
    assert load_all(dumps, out).fresh == 0


def test_two_dumps_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.dat").write_bytes(b"")
    assert list(dumps_of([str(tmp_path)])) == ["x/a.dat", "y/a.dat"]
    with pytest.raises(PipelineError, match="two dumps are called a.dat"):
        dumps_of([str(tmp_path / "x"), str(tmp_path / "y")])


def test_every_silver_table_has_its_structure_s_columns_and_no_name_twice() -> None:
    for name, structure in STRUCTURES.items():
        columns = silver_schema(name).names
        assert {item.column for item in structure.shown} <= set(columns)
        assert len({column.lower() for column in columns}) == len(columns), name


@pytest.mark.skipif(not TEST115.present, reason=WHY_NOT)
def test_the_derived_columns_are_those_of_the_worked_example(tmp_path: Path) -> None:
    """TEST115: 1.17 pages per I/O, 0.34 MB/s per copy, I/O busy 7.69 %, logger task busy 9.27 %."""
    from flintmq.telemetry.smf.columns.dump import Range

    made = load(Task(Range(str(TEST115.dump), "rdw"), "TEST115", "x", str(tmp_path), ("silver",)))
    place = next(path for path, name, _ in made.files if name.startswith("silver/qjst"))
    row = pq.read_table(place).to_pylist()[0]
    assert round(row["Pages_Per_IO_1"], 2) == 1.17 and round(row["Log_MB_Per_Second_1"], 2) == 0.34
    assert round(row["Logger_IO_Busy_1"], 4) == 0.0769 and round(row["Logger_Task_Busy"], 4) == 0.0927
    assert row["Compression"] is None


@pytest.mark.parametrize("size", [1, 999, 1000, 1001, 3000, 14_900, 15_000, 1_000_000])
def test_ranges_of_a_dump_are_alike_and_their_number_is_even(size: int) -> None:
    """T3: it depends on the size alone, so files are the same whatever number of cores there is."""
    share = share_of(size, 1000)
    count = -(-size // share)
    assert share <= 1000 and (count == 1 or count % 2 == 0)
    assert count == 1 or size - (count - 1) * share > 0.9 * share


def busy_dump(qmgr: str, puts: int) -> bytes:
    """An interval and a task of one queue manager."""
    correlator = qmgr.encode().ljust(16, b"\1")
    task = pack(WTID, {"WTIDATYP": 2, "WTIDCCN": "BATCHJOB", "WTIDOPID": "USER1"})
    did = pack(WTAS, {"WTASCORR": correlator, "WTASVER": 8, "WTASWQCT": 1, "WTASCMN": 3, "WTASCMCT": 30})
    queue: dict[str, Value] = {"WQVER": 8, "CORREL": correlator, "OBJNAME": "ALIAS", "BASENAME": "ORDERS", "PUTN": puts}
    used = pack(WQ, {**queue, "PUTCT": 10 * puts, "VALIDPUT": puts, "PUTBYTES": 100 * puts}, 2792)
    pools = [pack(QPST, {"QPSTPOOL": number, "QPSTNBUF": 100, "QPSTCBSL": 40, "QPSTCBS": 90}) for number in range(2)]
    queues = [pack(QQST, {"QQSTQNAM": "ORDERS", "QQSTPUTS": puts, "QQSTDPHI": 9})]
    return dump(
        Record(115, 1, {11: [pack(QJST, {"QJSTSLPTU": MINUTE // 4})]}, qmgr=qmgr).packed(),
        Record(115, 2, {1: [pack(QMST, {"QMSTPUT": puts, "QMSTGET": 1})]}, qmgr=qmgr).packed(),
        Record(115, 215, {1: pools}, qmgr=qmgr).packed(),
        Record(115, 216, {1: queues}, qmgr=qmgr).packed(),
        Record(116, 1, {1: [task], 2: [did], 3: [used]}, qmgr=qmgr).packed(),
    )


def test_the_whole_pipeline_on_spark_ends_in_gold_tables(spark: SparkSession, dumps: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (dumps / "a.dat").write_bytes(busy_dump("MQA1", 10))
    (dumps / "b.dat").write_bytes(busy_dump("MQB1", 20))
    # The same records in another dump: told from b.dat by its trailer, which is later.
    (dumps / "copy.dat").write_bytes(busy_dump("MQB1", 20)[:-18] + edge(3, NOON + MINUTE))
    seen: list[tuple[str, int, int]] = []
    report = run(spark, Settings([str(dumps)], out), lambda *step: seen.append(step))
    assert report.fresh == 3 and ("loading", 3, 3) in seen and seen[-1] == ("gold", 1, 1)

    def gold(name: str) -> list[Any]:
        return spark.read.parquet(str(out / "gold" / name)).orderBy("Date").collect()

    queue = {row.QMgr: row for row in gold("queue")}
    assert (queue["MQA1"].Queue, queue["MQA1"].Tasks, queue["MQA1"].Messages_Put) == ("ORDERS", 1, 10)
    assert (queue["MQA1"].Puts, queue["MQA1"].Depth_Max, queue["MQA1"].CPU_Avg_US) == (10, 9, 10.0)
    task = {row.QMgr: row for row in gold("task")}
    assert (task["MQA1"].Connection_Name, task["MQA1"].Commits, task["MQA1"].CPU_US) == ("BATCHJOB", 3, 130)
    # What two dumps hold is counted once.
    assert (queue["MQB1"].Puts, queue["MQB1"].Messages_Put, queue["MQB1"].Intervals) == (20, 20, 1)
    assert (task["MQB1"].Commits, task["MQB1"].Puts, task["MQB1"].Intervals) == (3, 20, 1)
    interval = {row.QMgr: row for row in gold("interval")}
    assert interval["MQB1"].Puts_Per_Second == pytest.approx(20 / 60)
    assert (interval["MQB1"].Buffer_Pools, interval["MQB1"].Buffers_Used_Max) == (2, 0.6)
    assert interval["MQB1"].Logger_Task_Busy == 0.75
    assert "Data_Manager_Gets" in interval["MQB1"] and "Messages_Got" not in interval["MQB1"]
    across = gold("across")[0]
    assert (across.QMgrs, across.Puts, across.Gets, across.Busiest_QMgr) == (2, 30, 2, "MQB1")
    assert {table.name for table in tables_in(out)} >= {"records", "qmst", "wq", "queue", "task", "interval", "across"}
    before = bytes_of(out)
    assert run(spark, Settings([str(dumps)], out)).fresh == 0
    assert bytes_of(out) == before
    # No dump has channels: their tables have columns nevertheless, and a query says why it found nothing.
    columns, found, why = query_rows(spark, out, "select c.Partner, r.Sender from gold_channel c, route r", 10)
    assert (columns, found) == (["Partner", "Sender"], [])
    assert why == [
        "gold_channel has no rows: the dumps that were loaded have nothing that it is made from (QCST)",
        "gold_route has no rows: the dumps that were loaded have nothing that it is made from (CHANNEL)",
    ]
    assert query_rows(spark, out, "select What from quality_findings", 10) == (["What"], [], [])
    columns, found, why = query_rows(spark, tmp_path / "other", "select Queue from gold_queue", 10)
    assert (columns, found) == (["Queue"], []) and "gold_queue is not made yet" in why[0]
    query = "select QMgr, Queue from silver_qqst where Queue > '' group by QMgr, Queue order by Queue"
    assert query_rows(spark, tmp_path / "other", query, 10) == (["QMgr", "Queue"], [], [])


@pytest.mark.skipif(not (TEST116.present and TESTCHL.present), reason=WHY_NOT)
@pytest.mark.usefixtures("without_spark")
def test_every_record_of_the_real_dumps_is_accounted_for(tmp_path: Path) -> None:
    report = run(None, Settings([str(TEST116.dump), str(TESTCHL.dump)], tmp_path, ("silver",)))  # type: ignore[arg-type]
    assert (report.records, report.skipped, report.unknown, report.damaged, report.lost_bytes) == (323, 3, 0, 0, 0)
    assert report.rows["silver/wtas"] == 201 and report.rows["silver/qctdns"] == 16
