"""Issue 14, item 20: the session that `flint pipeline serve` keeps, and the start of a session of one's own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import flintmq
from tests.pipeline.test_stream_command import Stream
from tests.telemetry.samples import SYNTHETIC, TESTCHL

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
pytest.importorskip("pyarrow", reason="the pipeline needs pyarrow: the spark extra")

from flintmq.pipeline import ask, command, gateway, serve, session, work  # noqa: E402
from flintmq.pipeline.errors import JavaMissing, PipelineError  # noqa: E402
from flintmq.pipeline.tables import catalogue  # noqa: E402
from flintmq.pipeline.tables.run import silent  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERY = "select * from gold_interval order by QMgr, Interval_Start"
SOURCE = str(Path(flintmq.__file__).resolve().parents[1])


def flint(*words: str) -> list[str]:
    return [sys.executable, "-m", "flintmq.cli", "pipeline", *words]


@contextlib.contextmanager
def serving(place: Path, out: Path) -> Iterator[Stream]:
    """`flint pipeline serve` in a process of its own, once it is ready."""
    try:
        session.java()
    except JavaMissing as error:
        pytest.skip(str(error))
    shown = place / "serve.log"
    with shown.open("wb") as file:
        process = subprocess.Popen(
            flint("serve", "--out", str(out), "--master", "local[2]"),
            env={**os.environ, "PYTHONPATH": SOURCE, "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"},
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    made = Stream(process, shown)
    try:
        made.wait_for("is ready")
        yield made
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def run_here(*words: str) -> subprocess.CompletedProcess[str]:
    """A command without Java on its path: only a session that is kept can carry it out."""
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment |= {"PYTHONPATH": SOURCE, "PATH": "/nowhere"}
    made = subprocess.run(flint(*words), env=environment, capture_output=True)
    return subprocess.CompletedProcess(made.args, made.returncode, made.stdout.decode(), made.stderr.decode())


def files_of(out: Path) -> dict[str, bytes]:
    """Every file of every table, gold too, by name."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for layer in ("bronze", "silver", "gold", "quality")
        for path in sorted((out / layer).rglob("*"))
        if path.is_file() and not path.name.endswith(".crc")
    }


def test_a_kept_session_gives_the_same_bytes_as_one_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables, query and report are the same, byte for byte. The commands that are served have no Java to start."""
    dumps, kept, own = tmp_path / "dumps", tmp_path / "kept", tmp_path / "own"
    dumps.mkdir()
    for number, sample in enumerate(sample for sample in (SYNTHETIC, TESTCHL) if sample.present):
        (dumps / f"{number}.dat").write_bytes(sample.dump.read_bytes())
    use_session(monkeypatch, spark)
    where = ["--out", str(kept)]

    def same(served: subprocess.CompletedProcess[str], call: Callable[[], int]) -> None:
        capsys.readouterr()
        code = call()
        shown = capsys.readouterr()
        assert (served.returncode, served.stdout, served.stderr) == (code, shown.out, shown.err)

    with serving(tmp_path, kept) as process:
        place = ask.place_of(kept)
        assert [stat.S_IMODE(path.stat().st_mode) for path in (place, place / "socket")] == [0o700, 0o600]

        same(run_here("run", "--smf", str(dumps), *where), lambda: command.run_dumps([str(dumps)], own, **RUN))
        assert files_of(kept) == files_of(own)
        assert {name.split("/")[0] for name in files_of(own)} == {"bronze", "silver", "gold", "quality"}
        # One Java, no spark-submit before it, and no Python workers for a small dump.
        below = commands_below(process.process.pid)
        assert ["PythonGatewayServer" in line for line in below] == [True], below

        same(run_here("sql", QUERY, *where), lambda: command.query(own, QUERY, "", 1000, False, sys.stdout))
        same(run_here("sql", QUERY, "--csv", *where), lambda: command.query(own, QUERY, "", 1000, True, sys.stdout))
        reports = ["qstat", "channel"]
        same(run_here("report", *reports, *where), lambda: command.report(own, reports, to=sys.stdout, **REPORT))

        made = run_here("sql", "select nonsense from qmst", *where)
        assert made.returncode == 1 and "nonsense" in made.stderr and "Traceback" not in made.stderr
        made = run_here("serve", *where)
        assert made.returncode == 1 and "a session is kept" in made.stderr

        assert run_here("serve", "--stop", *where).returncode == 0
        assert process.process.wait(60) == 0
    assert not ask.is_there(kept) and "Traceback" not in process.shown
    assert "no session is kept" in run_here("serve", "--stop", *where).stderr


RUN: dict[str, Any] = {
    "layers": "bronze,silver,gold",
    "framing": "",
    "partition_size": "64m",
    "master": "",
    "every": None,
}
REPORT: dict[str, Any] = {
    "form": "",
    "file": None,
    "qmgrs": [],
    "start": "",
    "until": "",
    "rows": None,
    "settings": [],
    "master": "",
}


def use_session(monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> None:
    """Commands of this process use the session of the tests instead of starting one."""

    @contextlib.contextmanager
    def session_of_the_tests(*_: object, small: bool = False) -> Iterator[tuple[SparkSession, threading.Event]]:
        yield spark.newSession(), threading.Event()

    monkeypatch.setattr(command, "spark_for", session_of_the_tests)


def commands_below(process: int) -> list[str]:
    """The command lines of the processes that a process has started, and those below them."""
    found = []
    for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
        found.append(Path(f"/proc/{child}/cmdline").read_text().replace("\0", " "))
        found += commands_below(int(child))
    return found


@pytest.fixture
def server(spark: SparkSession, tmp_path: Path) -> Iterator[tuple[serve.Server, Path]]:
    """A server of this process, with the session of the tests."""
    out = tmp_path / "tables"
    (ask.place_of(out)).mkdir(parents=True)
    made = serve.Server(spark, "local[2]", [], [])
    with serve._listener(ask.place_of(out)) as listener:
        thread = threading.Thread(target=made.run, args=(listener,))
        thread.start()
        try:
            yield made, out
        finally:
            made.end()
            made.jobs.put(None)
            thread.join()


def test_a_process_that_goes_away_takes_its_job_along(server: tuple[serve.Server, Path]) -> None:
    """S3: the next request is answered."""
    _, out = server
    endless = "select count(*) from range(1000000000) a cross join range(1000000000) b where a.id + b.id < 0"
    with ask.connect(out) as connection:
        fields = {"out": str(out), "text": endless, "rows_max": 1}
        line = json.dumps({"build": ask.build(), "master": "", "do": "sql", "with": fields})
        connection.sendall(line.encode() + b"\n")
    assert ask.ask(out, "", work.Query(str(out), "select 1 as One", 5), silent).text == "One\n---\n1\n"


def test_other_code_another_master_and_nonsense_are_refused(
    server: tuple[serve.Server, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """S2: the command starts a session of its own and says why."""
    made, out = server
    request = work.Query(str(out), "select 1 as One", 5)
    with pytest.raises(ask.NotServed, match=r"uses the master local\[2\]"):
        ask.ask(out, "local[1]", request, silent)
    for bad in (b"nonsense\n", b"[]\n", b'{"do": "sql"}\n'):
        with ask.connect(out) as connection:
            connection.sendall(bad)
            assert b"refused" in connection.recv(1000)
    use_session(monkeypatch, made.spark)
    made.build = "another"
    assert command.query(out, "select 1 as One", "", 5, False, sys.stdout) == 0
    shown = capsys.readouterr()
    assert shown.out == "One\n---\n1\n"
    assert "it runs another FlintMQ" in shown.err and "Spark is started" in shown.err


def test_a_session_whose_process_was_killed_is_not_waited_for(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ask.place_of(tmp_path)
    place.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as left, ask.address_of(place) as address:
        left.bind(address)
    use_session(monkeypatch, spark)
    assert command.query(tmp_path, "select 1 as One", "", 5, False, sys.stdout) == 0
    shown = capsys.readouterr()
    assert shown.out == "One\n---\n1\n" and "does not answer: Connection refused. Spark is started" in shown.err


def test_a_session_that_ends_before_it_has_answered_is_an_error(tmp_path: Path) -> None:
    """The request may have been carried out in part, so it is not done again."""
    place = ask.place_of(tmp_path)
    place.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listener, ask.address_of(place) as address:
        listener.bind(address)
        listener.listen()

        def end_half_way() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b'{"progress": ["loading", 1, 2]}\n{"answ')

        thread = threading.Thread(target=end_half_way)
        thread.start()
        seen: list[tuple[str, int, int]] = []
        with pytest.raises(PipelineError, match="ended before it answered"):
            ask.ask(tmp_path, "", work.Query("x", "select 1", 5), lambda *step: seen.append(step))
        thread.join()
    assert seen == [("loading", 1, 2)]


def test_the_version_of_java_is_read_without_starting_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "release").write_text('IMPLEMENTOR="X"\nJAVA_VERSION="21.0.2"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert session.java() == str(tmp_path / "bin" / "java")
    (tmp_path / "release").write_text('JAVA_VERSION="11.0.2"\n')
    with pytest.raises(JavaMissing, match="is 11: set JAVA_HOME"):
        session.java()


def test_a_spark_that_somebody_has_configured_is_started_by_spark_submit(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    assert gateway.is_plain({"spark.ui.enabled": "false"})
    assert not gateway.is_plain({"spark.jars.packages": "a:b:1"})
    assert "spark-mllib_" in str(gateway.command_line("java", "1g", []))
    assert "spark-mllib_" not in str(gateway.command_line("java", "1g", [], lean=True))
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--jars x.jar pyspark-shell")
    assert not gateway.is_plain({})


def test_columns_of_gold_are_found_without_a_job(spark: SparkSession, tmp_path: Path) -> None:
    """What a footer says is what Spark finds; a table without rows does not reach a plan."""
    rows = spark.sql("select 1L as Puts, timestamp'2024-03-01 10:00:00' as Hour, '2024-03-01' as Date, 'QM1' as QMgr")
    rows.write.partitionBy("Date", "QMgr").parquet(str(tmp_path / "queue"))
    found = catalogue.written(spark, tmp_path / "queue")
    assert found.schema == spark.read.parquet(str(tmp_path / "queue")).schema and found.collect() == rows.collect()
    none = catalogue.none_of(spark, rows.schema)
    assert none.columns == rows.columns and none.dtypes == rows.dtypes
    assert "LocalTableScan <empty>" in none._jdf.queryExecution().toString()


def test_times_of_a_query_are_utc_whatever_the_time_zone_of_the_process(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        rows = work.query_rows(spark, tmp_path, "select timestamp'2024-07-01 10:00:00' as A, 1 as B", 5)[1]
    finally:
        monkeypatch.undo()
        time.tzset()
    assert rows == [(datetime(2024, 7, 1, 10), 1)] and rows[0].A == datetime(2024, 7, 1, 10)
