"""smf: all structures of a 1 GB dump to Parquet on local[2], against IBM's formatter mqsmfcsv on one core.

The dump is the real samples repeated, where they are (FLINT_SMF_SAMPLES, or ../shared/smf beside the working copy),
else the synthetic dump of the tests. Spark, Java and the Python workers are warm: a small dump is loaded first, and a
quarter of the large one twice.

    figure           value                                       floor                                     bar
    all_structures   MB/s of the silver tables on local[2]       MB/s of mqsmfcsv writing CSV              2
    cores_2          MB/s on local[2]                            MB/s on local[1]                          1.7
    cores_used       CPU s in a second of local[2]               CPU s in a second of local[1]
    cpu_per_gb       CPU s of all our processes for 10^9 bytes   CPU s of mqsmfcsv for 10^9 bytes
    cpu_driver       CPU s of the driver for 10^9 bytes          that of all: what cannot be shared is in it
    driver_memory    MB of the driver after the whole dump       MB after a quarter of it: it is flat

One core is one core: driver, Java and Python workers are bound to as many cores as the master names, all their threads.
Otherwise Java compiles and collects on the second core while local[1] works on the first, and the driver looks for the
next records there, and local[1] is a measurement of more than one core.

mqsmfcsv is run where FLINT_MQSMFCSV names its program (built from its public source); without it there is no floor.
Rounds are taken in turns and the best of each counts. On a busy machine `cores_used` tells how much of the cores was
to be had: below 1.8 and 0.95 the figures that are made of seconds on the clock say little, and `cpu_per_gb` more.

    FLINT_MQSMFCSV=~/mqsmfcsv ./flint bench smf
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.frame import Figure, Options, Progress, cpu_seconds, resident_mb

NAME = "smf"
ROOT = Path(__file__).resolve().parents[2]
SAMPLES = Path(os.environ.get("FLINT_SMF_SAMPLES") or ROOT.parent / "shared" / "smf")
SYNTHETIC = ROOT / "tests" / "telemetry" / "data" / "SYNTH216.dat"
MB = 1e6
ROUNDS = 3


@dataclass
class Best:
    """The best of several rounds: seconds on the clock, CPU seconds, those of the driver, and the most in a second."""

    wall: float = float("inf")
    cpu: float = float("inf")
    driver: float = float("inf")
    used: float = 0.0

    def take(self, wall: float, cpu: float, driver: float = 0.0) -> None:
        self.wall, self.cpu, self.used = min(self.wall, wall), min(self.cpu, cpu), max(self.used, cpu / wall)
        self.driver = min(self.driver, driver)


def run(options: Options) -> list[Figure]:
    size = options.scale(1000, 250, 1) * 1_000_000
    with tempfile.TemporaryDirectory(prefix="flint-bench-smf-") as name:
        place = Path(name)
        dump = make_dump(place / "dumps" / "big.dat", size if not options.tiny else 20_000)
        make_dump(place / "small" / "small.dat", min(size, 8_000_000) if not options.tiny else 20_000)
        make_dump(place / "quarter" / "quarter.dat", max(dump.stat().st_size // 4, 20_000))
        if options.tiny:
            return tiny(place, dump)
        return measure(place, dump, options.progress("smf", 3 * ROUNDS))


def make_dump(path: Path, size: int) -> Path:
    """The samples, one after the other, until there are `size` bytes."""
    real = [SAMPLES / name for name in ("TESTCHL.dat", "TEST115.dat", "TEST116.dat")]
    data = b"".join(file.read_bytes() for file in (real if real[0].exists() else [SYNTHETIC]))
    path.parent.mkdir()
    with path.open("wb") as file:
        for _ in range(max(size // len(data), 1)):
            file.write(data)
    return path


def measure(place: Path, dump: Path, progress: Progress) -> list[Figure]:
    size = dump.stat().st_size
    ours = {1: Best(), 2: Best()}
    theirs = Best()
    memory = [0.0, 0.0]
    steps = iter(range(100))
    formatter = formatter_program()
    for number in range(ROUNDS):
        for cores in (1, 2) if number % 2 == 0 else (2, 1):
            progress.at(next(steps), f"local[{cores}]")
            ours[cores].take(*spark_round(place, dump, cores, memory))
        progress.at(next(steps), "mqsmfcsv")
        if formatter:
            theirs.take(*formatter_round(formatter, dump, place / "csv"))
    progress.done()
    floor = size / MB / theirs.wall if formatter else None
    return [
        Figure("all_structures", size / MB / ours[2].wall, "MB/s", floor),
        Figure("cores_2", size / MB / ours[2].wall, "MB/s", size / MB / ours[1].wall),
        Figure("cores_used", ours[2].used, "", ours[1].used),
        Figure("cpu_per_gb", ours[2].cpu / (size / 1e9), "s", theirs.cpu / (size / 1e9) if formatter else None),
        Figure("cpu_driver", ours[2].driver / (size / 1e9), "s", ours[2].cpu / (size / 1e9)),
        Figure("driver_memory", memory[1], "MB", memory[0]),
    ]


def spark_round(place: Path, dump: Path, cores: int, memory: list[float]) -> tuple[float, float, float]:
    """Load the dump once on a warm session: seconds, CPU seconds of driver, Java and Python workers, of the driver."""
    from flintmq.pipeline import session

    spark = session.start(f"local[{cores}]", quiet=True)
    before = os.sched_getaffinity(0)
    try:
        bind(set(sorted(before)[:cores]))
        load(spark, place / "small", place / "out", partition=1 << 20)
        for _ in range(2):  # Java compiles meanwhile.
            load(spark, place / "quarter", place / "out")
        memory[0] = resident_mb()
        shutil.rmtree(place / "out")
        cpu, driver, began = cpu_of_tree(), cpu_seconds(), time.perf_counter()
        load(spark, dump.parent, place / "out")
        wall = time.perf_counter() - began
        memory[1] = max(memory[1], resident_mb())
        return wall, cpu_of_tree() - cpu, cpu_seconds() - driver
    finally:
        bind(before)
        spark.stop()


def bind(cores: set[int]) -> None:
    """Let this process and all below it, with all their threads, run on these cores only."""
    for process in tree():
        for thread in Path(f"/proc/{process}/task").glob("*"):
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(int(thread.name), cores)


def load(spark: Any, dumps: Path, out: Path, partition: int = 64 << 20) -> None:
    from flintmq.pipeline.tables.run import Settings
    from flintmq.pipeline.tables.run import run as run_pipeline

    shutil.rmtree(out, ignore_errors=True)
    report = run_pipeline(spark, Settings([str(dumps)], out, ("silver",), partition))
    assert report.damaged == report.unknown == 0 and report.rows


def formatter_program() -> str:
    """What FLINT_MQSMFCSV names: the program, or a working copy with the program built in it."""
    named = os.environ.get("FLINT_MQSMFCSV", "")
    for path in (Path(named), Path(named) / "src" / "mqsmfcsv") if named else ():
        if path.is_file() and os.access(path, os.X_OK):
            return str(path.resolve())
    if named:
        print(f"FLINT_MQSMFCSV: there is no program {named}, nor is one built in it; no floor", file=sys.stderr)
    return ""


def formatter_round(program: str, dump: Path, out: Path) -> tuple[float, float]:
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    command = [program, "-i", str(dump), "-o", str(out), "-f", "csv", "-g", "yes", "-t", "100000000"]
    subprocess.run(command, check=True, capture_output=True, cwd=out)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(out)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu_of_tree() -> float:
    """CPU seconds of this process and all below it, with children that have ended."""
    return sum(tree().values()) / os.sysconf("SC_CLK_TCK")


def tree() -> dict[int, int]:
    """This process and all below it: clock ticks of each."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
            ticks[int(entry.name)] = sum(int(value) for value in fields[11:15])
    found, waiting = {}, [os.getpid()]
    while waiting:
        process = waiting.pop()
        found[process] = ticks.get(process, 0)
        waiting += children.get(process, [])
    return found


def tiny(place: Path, dump: Path) -> list[Figure]:
    """Only to see that it runs: the tasks here, without Spark."""
    from flintmq.pipeline.tables.load import Task
    from flintmq.pipeline.tables.load import load as load_range
    from flintmq.telemetry.smf.columns.dump import ranges_of

    began = time.perf_counter()
    for part in ranges_of(str(dump), 1 << 20):
        assert load_range(Task(part, "big", "big", str(place / "staging"), ("silver",))).files
    speed = dump.stat().st_size / MB / (time.perf_counter() - began)
    return [Figure("all_structures", speed, "MB/s"), Figure("cores_2", speed, "MB/s", speed)]
