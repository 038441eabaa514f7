"""The frame of the benchmarks: finding them, measuring CPU time, printing tables, keeping history.

A benchmark is a file `benchmarks/<room>/bench_<name>.py` with a docstring that says what is measured against which
floor, `NAME = "<name>"`, and `run(options) -> list[Figure]`. It sizes itself by `options.scale(...)`, so that one file
serves the full run, `--quick` and `--tiny`. A floor that must be compiled like the hot modules is a file
`benchmarks/<room>/floor_<name>.py`; the launcher compiles it with them.

    ./flint bench engine --json

    engine                       value          floor    ratio
    np_no_syncpoint            1.62 us        0.31 us     5.23

    {"bench": "engine", "compiled": true, "figures": [{"name": "np_no_syncpoint", "value": 1.62, "unit": "us", ...}]}

Never here: a wall-clock limit. Whether a ratio is good is written in the documentation, not decided by a timer.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, cast

import flintmq
from flintmq.server.collector import settle_collector

HERE = Path(__file__).resolve().parent
HISTORY = HERE / "history"


class NoSuchBenchmark(Exception):
    """A name that no file has. The text lists the names there are."""


@dataclass(frozen=True)
class Figure:
    """One number of a benchmark. `floor` is in the same unit and from the same run, or None where there is none."""

    name: str
    value: float
    unit: str
    floor: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many floors the value is."""
        return self.value / self.floor if self.floor else None

    def as_json(self) -> dict[str, str | float | None]:
        ratio = self.ratio
        return {
            "name": self.name,
            "value": significant(self.value),
            "unit": self.unit,
            "floor": None if self.floor is None else significant(self.floor),
            "ratio": None if ratio is None else significant(ratio),
        }


@dataclass(frozen=True)
class Options:
    """How large a run is wanted, and where its progress is shown."""

    quick: bool = False
    tiny: bool = False

    def scale(self, full: int, quick: int, tiny: int) -> int:
        """The number for this run. `tiny` only shows that the benchmark still works: well under a second."""
        return tiny if self.tiny else quick if self.quick else full

    def progress(self, what: str, total: int) -> Progress:
        return Progress(what, total)


class Benchmark(Protocol):
    """What the module of a benchmark has."""

    __doc__: str
    NAME: str

    def run(self, options: Options) -> list[Figure]:
        """Called once per run. Measures value and floor side by side and gives the figures in the order printed."""


class Progress:
    """A line on the terminal that is written over as work goes on; nothing at all where there is no terminal."""

    def __init__(self, what: str, total: int) -> None:
        self.what = what
        self.total = max(total, 1)
        self.shown = -1.0
        self.live = sys.stderr.isatty()

    def at(self, done: int, note: str = "") -> None:
        """Show that `done` of the total is done. Cheap to call often: it redraws ten times a second."""
        now = time.monotonic()
        if self.live and (now - self.shown >= 0.1 or done >= self.total):
            self.shown = now
            print(f"\r\x1b[K{self.what} {100 * done // self.total:3d} % {note}", end="", file=sys.stderr, flush=True)

    def done(self) -> None:
        """Take the line away."""
        if self.live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def cpu_seconds() -> float:
    """User and system time of this process and all its threads so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def resident_mb() -> float:
    """Memory of this process that is in RAM now, in MB (10^6 bytes)."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
    return pages * resource.getpagesize() / 1e6


class Measured:
    """CPU and wall-clock seconds of a `with` block: `with Measured() as cost: work()`, then `cost.cpu`."""

    def __enter__(self) -> Measured:
        self.wall = time.perf_counter()
        self.cpu = cpu_seconds()
        return self

    def __exit__(self, *exception: object) -> None:
        self.cpu = cpu_seconds() - self.cpu
        self.wall = time.perf_counter() - self.wall


def cpu_of(work: Callable[[], object]) -> float:
    """CPU seconds that one call of `work` takes."""
    with Measured() as cost:
        work()
    return cost.cpu


def side_by_side(work: Callable[[], object], floor: Callable[[], object], rounds: int) -> tuple[float, float]:
    """CPU seconds of `work` and of `floor`: the best of `rounds`, taken in turns so that noise meets both alike."""
    best_work = best_floor = float("inf")
    for _ in range(rounds):
        best_floor = min(best_floor, cpu_of(floor))
        best_work = min(best_work, cpu_of(work))
    return best_work, best_floor


def discover(directory: Path = HERE) -> dict[str, str]:
    """Benchmark name -> module name, by the names of the files."""
    found: dict[str, str] = {}
    for path in sorted(directory.glob("*/bench_*.py")):
        found[path.stem.removeprefix("bench_")] = f"benchmarks.{path.parent.name}.{path.stem}"
    return found


def load(module: str) -> Benchmark:
    return cast(Benchmark, importlib.import_module(module))


def significant(value: float) -> float:
    """`value` to four significant digits."""
    return float(f"{value:.4g}")


def readable(value: float | None) -> str:
    if value is None:
        return ""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def table(name: str, figures: list[Figure]) -> str:
    width = max([len(name), 24, *(len(figure.name) for figure in figures)])
    lines = [f"{name:<{width}} {'value':>12}      {'floor':>12}      {'ratio':>8}"]
    for figure in figures:
        floor = f"{readable(figure.floor):>12} {figure.unit:<4}" if figure.floor is not None else " " * 17
        row = (
            f"{figure.name:<{width}} {readable(figure.value):>12} {figure.unit:<4} {floor} {readable(figure.ratio):>8}"
        )
        lines.append(row.rstrip())
    return "\n".join(lines)


def result(name: str, figures: list[Figure]) -> dict[str, object]:
    """What `--json` prints and `--record` keeps."""
    return {"bench": name, "compiled": flintmq.compiled(), "figures": [figure.as_json() for figure in figures]}


def machine() -> dict[str, object]:
    """Where a result comes from, as far as a reader needs it to compare two."""
    try:
        cpu_lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        cpu_lines = []
    model = next((line.partition(":")[2].strip() for line in cpu_lines if line.startswith("model name")), "")
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": flintmq.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": model or platform.processor(),
        "cores": os.cpu_count(),
    }


def record(entry: dict[str, object], directory: Path = HISTORY) -> Path:
    """Append one result, with machine and versions, to the history of its benchmark."""
    directory.mkdir(exist_ok=True)
    path = directory / f"{entry['bench']}.jsonl"
    with path.open("a") as file:
        file.write(json.dumps({**machine(), **entry}) + "\n")
    return path


def main(arguments: argparse.Namespace) -> int:
    """What `flint bench` does."""
    known = discover()
    if arguments.list:
        for name, module in known.items():
            print(f"{name:<12} {load(module).__doc__.strip().splitlines()[0]}")
        return 0
    names: list[str] = arguments.name or list(known)
    for name in names:
        if name not in known:
            raise NoSuchBenchmark(f"there is no benchmark {name!r}; there are: {', '.join(known) or 'none yet'}")
    options = Options(quick=arguments.quick, tiny=arguments.tiny)
    print(f"hot modules: {'compiled' if flintmq.compiled() else 'plain Python'}; CPU time is user + system\n")
    results = [run_one(name, known[name], options, keep=arguments.record and not options.tiny) for name in names]
    if arguments.json:
        print(json.dumps(results[0] if len(results) == 1 else together(results)))
    return 0


def run_one(name: str, module: str, options: Options, keep: bool) -> dict[str, object]:
    settle_collector()  # As the process of a queue manager does.
    figures = load(module).run(options)
    print(table(name, figures) + "\n", flush=True)
    entry = result(name, figures)
    if keep:
        print(f"recorded in {record(entry).relative_to(HERE.parent)}\n")
    return entry


def together(results: list[dict[str, object]]) -> dict[str, object]:
    """Several results as one object; a figure is then called `bench.figure`."""
    figures: list[dict[str, object]] = []
    for entry in results:
        for figure in cast(list[dict[str, object]], entry["figures"]):
            figures.append({**figure, "name": f"{entry['bench']}.{figure['name']}"})
    return {"bench": "all", "compiled": flintmq.compiled(), "figures": figures}
