"""A standalone cluster of a master and two workers: the whole pipeline there, one worker killed half-way; reports."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import flintmq
from benchmarks.server.ports import free_port
from tests.telemetry.samples import SYNTHETIC

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
pq: Any = pytest.importorskip("pyarrow.parquet", reason="the pipeline needs pyarrow: the spark extra")

from flintmq.pipeline import cluster, session  # noqa: E402
from flintmq.pipeline.errors import JavaMissing, PipelineError  # noqa: E402
from flintmq.pipeline.reports import text  # noqa: E402
from flintmq.pipeline.reports.options import Options  # noqa: E402
from flintmq.pipeline.reports.registry import REPORTS  # noqa: E402
from flintmq.pipeline.tables.gold import TABLES, make_gold  # noqa: E402
from flintmq.pipeline.tables.load import load  # noqa: E402
from flintmq.pipeline.tables.manifest import Manifest  # noqa: E402
from flintmq.pipeline.tables.run import Settings, commit, job_of  # noqa: E402
from flintmq.pipeline.tables.twins import Twins  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Ranges of the dump, and how many of them are written before the worker dies.
PARTITION = 128 << 10
HALF = 8


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[cluster.Cluster]:
    try:
        session.java()
    except JavaMissing as error:
        pytest.skip(str(error))
    # Eight Javas of a minute each do not earn back what the second compiler costs.
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    made = cluster.up(tmp_path / "cluster", workers=2, port=free_port())
    yield made
    cluster.down(made)
    assert cluster.find(tmp_path / "cluster") is None


def pipeline(*words: str) -> subprocess.Popen[str]:
    source = str(Path(flintmq.__file__).resolve().parents[1])
    return subprocess.Popen(
        [sys.executable, "-m", "flintmq.cli", "pipeline", *words],
        env={**os.environ, "PYTHONPATH": source},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def files_of(out: Path) -> dict[str, bytes]:
    """Bronze, silver and quality, by name: the names and the bytes depend on the dump alone (T3)."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for layer in ("bronze", "silver", "quality")
        for path in sorted((out / layer).rglob("*"))
        if path.is_file()
    }


def rows_of(out: Path, table: str) -> list[str]:
    """Gold: Spark names its files anew each time, so the rows are compared, sorted."""
    rows: list[str] = []
    for path in sorted((out / "gold" / table).rglob("*.parquet")):
        place = path.parent.relative_to(out)
        rows += [f"{place} {row}" for row in pq.ParquetFile(path).read().to_pylist()]
    return sorted(rows)


def test_a_worker_killed_half_way_changes_no_byte_of_the_tables(
    running: cluster.Cluster, spark: SparkSession, tmp_path: Path
) -> None:
    dumps, here, there = tmp_path / "dumps", tmp_path / "here", tmp_path / "there"
    dumps.mkdir()
    (dumps / "a.dat").write_bytes(SYNTHETIC.dump.read_bytes() * 400)
    where = ["--out", str(there), "--master", running.address]
    process = pipeline("run", "--smf", str(dumps), *where, "--partition-size", str(PARTITION))
    staging = there / "_flint" / "staging"
    while process.poll() is None and (not staging.is_dir() or len(list(staging.iterdir())) < HALF):
        time.sleep(0.05)
    assert process.poll() is None, "the run was over before the worker could be killed"
    cluster.kill(running, "worker-1")

    manifest = Manifest(here)
    manifest.open()
    settings = Settings([str(dumps)], here, partition_size=PARTITION)
    job = job_of("a.dat", str(dumps / "a.dat"), manifest, settings, Twins(manifest, {}))
    assert job is not None and len(job.tasks) > 2 * HALF
    commit(manifest, [job], [load(task) for task in job.tasks])
    make_gold(spark, here)

    try:
        shown, _ = process.communicate(timeout=900)
    finally:
        process.kill()
    assert process.returncode == 0, shown
    assert "0 damaged" in shown and "java" not in shown.lower()
    assert not cluster.is_running(running.groups["worker-1"])
    ours = {name: data for name, data in files_of(there).items() if name != "quality/report.json"}
    assert ours == files_of(here) and len(ours) > 100
    for table in TABLES:
        assert rows_of(there, table) == rows_of(here, table), table
    assert rows_of(there, "queue")

    # Reports there, with the worker that is left, are those of here.
    process = pipeline("report", "qstat", "task", "--rows", "30", *where)
    entries = [(REPORTS[name], Options(rows=30)) for name in ("qstat", "task")]
    expected = text.render([entry.make(spark, here, options) for entry, options in entries])
    try:
        shown, _ = process.communicate(timeout=900)
    finally:
        process.kill()
    assert (process.returncode, shown) == (0, expected) and "Queue Name APP.REQUEST.QUEUE" in shown


def test_a_cluster_without_workers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="at least one worker"):
        cluster.up(tmp_path / "cluster", workers=0)
    assert cluster.find(tmp_path / "cluster") is None
