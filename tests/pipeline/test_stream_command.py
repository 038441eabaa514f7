"""`flint pipeline run --stream` as people use it: dumps arrive and grow, Ctrl-C, and again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import flintmq
from tests.telemetry.builder import NOON, Record, dump
from tests.telemetry.samples import SYNTHETIC

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
pytest.importorskip("pyarrow", reason="the pipeline needs pyarrow: the spark extra")

from flintmq.pipeline.tables.run import Settings, run  # noqa: E402
from flintmq.telemetry.smf.layouts.qmst import QMST  # noqa: E402
from flintmq.telemetry.smf.pack import pack  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MINUTE = 60_000_000


def interval(number: int) -> bytes:
    return Record(115, 2, {1: [pack(QMST, {"QMSTPUT": number})]}, at=NOON + number * MINUTE).packed()


class Stream:
    """The command in a process of its own, and what it has printed."""

    def __init__(self, process: subprocess.Popen[bytes], shown: Path) -> None:
        self.process, self._shown = process, shown

    def wait(self, what: Callable[[], bool]) -> None:
        limit = time.monotonic() + 300
        while not what():
            assert self.process.poll() is None and time.monotonic() < limit, self.shown
            time.sleep(0.05)

    def wait_for(self, line: str) -> None:
        self.wait(lambda: line in self.shown)

    def interrupt(self) -> int:
        """Ctrl-C goes to every process of the terminal."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(120)

    @property
    def shown(self) -> str:
        return self._shown.read_text()


@contextmanager
def streaming(place: Path, layers: str) -> Iterator[Stream]:
    command = [sys.executable, "-m", "flintmq.cli", "pipeline", "run", "--smf", str(place / "dumps")]
    command += [
        "--out",
        str(place / "tables"),
        "--stream",
        "--every",
        "0.2",
        "--layers",
        layers,
        "--master",
        "local[2]",
    ]
    source = str(Path(flintmq.__file__).resolve().parents[1])
    shown = place / f"{layers}.log"
    with shown.open("wb") as file:
        process = subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": source, "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"},
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield Stream(process, shown)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_dumps_arrive_and_grow_and_ctrl_c_ends_it_without_a_word(spark: SparkSession, tmp_path: Path) -> None:
    dumps, tables = tmp_path / "dumps", tmp_path / "tables"
    dumps.mkdir()
    whole = dump(interval(1), interval(2), interval(3))
    with streaming(tmp_path, "bronze,silver") as stream:
        # Half a record at the end is not damage: the rest of it comes.
        (dumps / "grows.dat").write_bytes(whole[: len(whole) // 2])
        stream.wait_for("1 dump, ")
        (dumps / "grows.dat").write_bytes(whole)
        stream.wait_for("  silver/qmst                           3 rows")
        (dumps / "later.dat").write_bytes(SYNTHETIC.dump.read_bytes())
        stream.wait_for("2 dumps, ")
        assert stream.interrupt() == 0
    assert "Traceback" not in stream.shown and "0 damaged" in stream.shown and "  damaged:" not in stream.shown

    # Again, with gold; Ctrl-C comes while Spark works on it.
    (dumps / "third.dat").write_bytes(dump(interval(4)))
    with streaming(tmp_path, "bronze,silver,gold") as stream:
        stream.wait(lambda: (tables / "_flint" / "gold").is_dir())
        assert stream.interrupt() == 0
    assert stream.shown == ""

    report = run(spark, Settings([str(dumps)], tables))
    assert (report.dumps, report.fresh, report.damaged, report.rows["silver/qmst"]) == (3, 0, 0, 4)
    assert spark.read.parquet(str(tables / "gold" / "interval")).count() == 4
