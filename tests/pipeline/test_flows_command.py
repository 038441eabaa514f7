"""`flint flow run --engine spark`: archive, files and queues; bad options; a stream that is killed is exactly once.

    FLINT_FLOW_KILLS=20 FLINT_FLOW_MESSAGES=20000 ./flint test tests/pipeline/test_flows_command.py -k killed

kills more often than the suite does.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import flintmq
from benchmarks.server.ports import free_port
from flintmq.cli import main
from tests.broker.flow.flows import compute, write_application
from tests.pipeline.manager import Manager

pq: Any = pytest.importorskip("pyarrow.parquet", reason="flows on Spark need pyarrow: the spark extra")
pa: Any = pytest.importorskip("pyarrow", reason="flows on Spark need pyarrow: the spark extra")
pytest.importorskip("pyspark", reason="flows on Spark need PySpark: the spark extra")

from benchmarks.pipeline.bench_spark import executors_of  # noqa: E402
from flintmq.pipeline import cluster, session  # noqa: E402
from flintmq.pipeline.errors import JavaMissing  # noqa: E402

KILLS = int(os.environ.get("FLINT_FLOW_KILLS") or 2)
MESSAGES = int(os.environ.get("FLINT_FLOW_MESSAGES") or 300)
#: Even numbers go to one queue, odd ones to another; every fiftieth is not XML.
YAML = """flow: F.msgflow
nodes:
  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XMLNSC}}
  C: {type: Compute, properties: {computeExpression: "esql://routine/#C.Main", computeMode: all}}
  Out: {type: MQOutput, properties: {destinationMode: list}}
wires:
  - {from: In.out, to: C.in}
  - {from: C.out, to: Out.in}
"""
ESQL = compute(
    "C",
    """SET OutputRoot = InputRoot;
       SET OutputRoot.XMLNSC.M.Seen = TRUE;
       SET OutputLocalEnvironment.Destination.MQ.DestinationData[1].queueName =
         CASE MOD(CAST(InputRoot.XMLNSC.M.N AS INTEGER), 2) WHEN 0 THEN 'FLOW.EVEN' ELSE 'FLOW.ODD' END;
       RETURN TRUE;""",
)


def body(number: int) -> bytes:
    return b"<M><N>%d</N></M" % number + (b"" if number % 50 == 49 else b">")


@pytest.fixture
def application(tmp_path: Path) -> Path:
    return write_application(tmp_path / "app", {"F.msgflow.yaml": YAML, "F.esql": ESQL})


def command(*words: object) -> subprocess.Popen[str]:
    """Start the command in a process group of its own, so that all of it can be killed."""
    source = str(Path(flintmq.__file__).resolve().parents[1])
    return subprocess.Popen(
        [sys.executable, "-m", "flintmq.cli", "flow", "run", *map(str, words)],
        env={**os.environ, "PYTHONPATH": source, "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[cluster.Cluster]:
    try:
        session.java()
    except JavaMissing as error:
        pytest.skip(str(error))
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    made = cluster.up(tmp_path / "cluster", workers=1, cores=2, port=free_port())
    yield made
    cluster.down(made)


def test_an_archive_becomes_a_table_of_outputs(application: Path, tmp_path: Path) -> None:
    try:
        session.java()
    except JavaMissing as error:
        pytest.skip(str(error))
    (tmp_path / "archive").mkdir()
    pq.write_table(pa.table({"data": [body(each) for each in range(48, 53)]}), tmp_path / "archive" / "a.parquet")
    words = [application, "--engine", "spark", "--in", f"parquet:{tmp_path / 'archive'}"]
    process = command(*words, "--out", f"parquet:{tmp_path / 'out'}", "--master", "local[1]")
    shown, _ = process.communicate(timeout=300)
    assert process.returncode == 1, shown  # One message failed.
    assert re.sub(r"Picked up.*\n", "", shown) == "failure: 1\nput FLOW.EVEN: 3\nput FLOW.ODD: 1\n"
    rows = pq.read_table(tmp_path / "out").to_pylist()
    (failed,) = [row for row in rows if row["kind"] == "failure"]
    assert failed["data"] == body(49) and "5004" in failed["exceptions"]


@pytest.mark.skipif("FLINT_FLOW_KILLS" not in os.environ, reason="it takes minutes: set FLINT_FLOW_KILLS")
def test_a_stream_whose_driver_and_executors_are_killed_is_exactly_once(
    running: cluster.Cluster, manager: Manager, application: Path, tmp_path: Path
) -> None:
    """Queue to flow to queues. What fails goes to a queue of its own, as it came."""
    for name in ("FLOW.IN", "FLOW.EVEN", "FLOW.ODD", "FLOW.BAD", "FLINTMQ.SPARK.STATE"):
        manager.command(f"DEFINE QLOCAL({name}) MAXDEPTH(999999) DEFPSIST(YES) REPLACE")
        manager.command(f"CLEAR QLOCAL({name})")
    for first in range(0, MESSAGES, 1000):
        manager.put("FLOW.IN", [body(each) for each in range(first, min(first + 1000, MESSAGES))])
    checkpoint = tmp_path / "checkpoint"
    place = [word for name, value in manager.options.items() for word in ("--mq", f"{name}={value}")]
    words = [application, "--engine", "spark", "--in", "mq:FLOW.IN", "--out", "mq:", "--failures", "FLOW.BAD"]
    words += [
        *place,
        "--mq",
        f"maxMessages={max(25, MESSAGES // 40)}",
        "--master",
        running.address,
        "--stream",
        "--drain",
    ]
    words += ["--checkpoint", checkpoint]

    def batches() -> int:
        return len(list((checkpoint / "commits").glob("[0-9]*")))

    chance = random.Random(17)
    killed: Counter[str] = Counter()
    process = command(*words)
    limit = time.monotonic() + 300 + 60 * KILLS
    try:
        while True:
            reached = batches()
            while process.poll() is None and batches() == reached:
                assert time.monotonic() < limit, "the stream does not get on"
                time.sleep(0.02)
            if process.poll() is not None:
                shown = process.communicate()[0]
                if process.returncode == 0:
                    break
                process = command(*words)  # By itself, as when too many executors are lost.
                assert "lost" in shown.lower() or "exit" in shown.lower(), shown
                continue
            if sum(killed.values()) >= KILLS:
                continue
            executors = executors_of(running.groups)
            if executors and (killed["executor"] <= killed["driver"]):
                os.kill(chance.choice(executors), signal.SIGKILL)
                killed["executor"] += 1
            else:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                killed["driver"] += 1
                process = command(*words)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    found = Counter(
        (queue, int(re.findall(rb"<N>(\d+)", data)[0]))
        for queue in ("FLOW.EVEN", "FLOW.ODD", "FLOW.BAD")
        for data in manager.bodies(queue)
    )
    bad = {number for number in range(MESSAGES) if number % 50 == 49}
    expected = {("FLOW.EVEN" if n % 2 == 0 else "FLOW.ODD", n) for n in range(MESSAGES) if n not in bad}
    expected |= {("FLOW.BAD", number) for number in bad}
    assert found == Counter(expected)
    print(f"killed {dict(killed)}; {batches()} batches, {sum(found.values())} messages")
    assert killed["executor"] and killed["driver"]
    with manager.connect() as qm:
        failed = next(iter(qm.queue("FLOW.BAD").browse()))
        assert failed.data == body(49) and failed.properties["FlintFlow"] == "F"
        assert str(failed.properties["FlintException"]).startswith("BIP5004")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ("--out parquet:x", 2, "with --engine spark say --in"),
        ("--in parquet:no-such --out parquet:x", 1, "there is no no-such"),
        ("--in kafka:x --out parquet:x", 1, "--in begins with one of mq:, parquet:, files:"),
        ("--in mq:Q --out mq: --stream", 1, "--stream needs --checkpoint"),
        ("--in mq:Q --out mq: --drain", 1, "--drain ends a stream"),
        ("--in mq:Q --out parquet:x --failures BAD", 1, "--failures names a queue"),
        ("--in mq:Q --out mq: --mq colour=red", 1, "--mq colour: there is no such option"),
        ("--in mq:Q --out mq: --mq queue=A", 1, "queues are named by --in and --out"),
        ("--in mq:Q --out mq: --mq queueManager", 1, "write it as queueManager=QM1"),
        ("--in mq:Q --out mq: --input x.xml", 2, "messages come from --in"),
    ],
)
def test_an_option_that_cannot_be_is_told_in_one_line_before_spark_starts(
    application: Path, capsys: pytest.CaptureFixture[str], words: str, code: int, text: str
) -> None:
    assert main.main(["flow", "run", str(application), "--engine", "spark", *words.split()]) == code
    shown = capsys.readouterr().err
    assert text in shown and shown.count("\n") == 1


def test_a_flow_or_a_bar_that_is_not_there_or_cannot_run_is_told_before_spark_starts(
    application: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rest = ["--engine", "spark", "--in", "mq:Q", "--out", "mq:"]
    (tmp_path / "bad.bar").write_bytes(b"PK no archive")
    for path, name, text in (
        (application, "G", "there is no flow G"),
        (tmp_path / "bad.bar", "F", "bad.bar"),
        (tmp_path / "none.bar", "F", "there is no such file"),
    ):
        assert main.main(["flow", "run", str(path), name, *rest]) == 1
        shown = capsys.readouterr().err
        assert text in shown and "Traceback" not in shown
    yaml = YAML.replace("{type: MQOutput, properties: {destinationMode: list}}", "{type: HTTPReply}")
    (application / "F.msgflow.yaml").write_text(yaml)
    assert main.main(["flow", "run", str(application), "F", *rest]) == 1
    assert "F.Out (HTTPReply): it belongs to a request" in capsys.readouterr().err


def test_without_an_engine_the_files_to_send_are_asked_for(
    application: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["flow", "run", str(application)]) == 2
    assert "--input FILE" in capsys.readouterr().err
