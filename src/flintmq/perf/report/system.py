"""The machines and disks of the runs, and the sections of runs, which every number links to (R1)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flintmq.perf.report.words import size_text
from flintmq.pipeline.reports.model import Cell, Chart, Column, Report, Section, Series, Table
from flintmq.pipeline.runs.tables import RunFacts


def configuration(runs: Sequence[RunFacts]) -> Report:
    """Return the chapter on machines, their disks, and the software on them."""
    made = Report("system configuration", "System configuration")
    machines: dict[tuple[Cell, ...], list[RunFacts]] = {}
    for run in runs:
        facts = run.machine
        key = tuple(
            facts.get(name)
            for name in ("cpu_model", "cores", "memory_bytes", "kernel", "system", "python", "file_system")
        )
        machines.setdefault(key, []).append(run)
    made.words = [
        (
            f"{len(runs)} run{'s' if len(runs) != 1 else ''} on "
            f"{len(machines)} machine{'s' if len(machines) != 1 else ''}. "
            "Drivers and queue manager share the machine unless a workload says otherwise."
        )
    ]
    columns = [
        Column("Processor"),
        Column("Cores", 0),
        Column("Memory", 1, "GB"),
        Column("Kernel"),
        Column("System"),
        Column("Python"),
        Column("File system of the log"),
        Column("Runs", 0),
        Column("First run", link="run-"),
    ]
    rows: list[tuple[Cell, ...]] = []
    for (cpu, cores, memory, *rest), of in machines.items():
        size = memory / 2**30 if isinstance(memory, int | float) else None
        rows.append((cpu, cores, size, *rest, len(of), of[0].id))
    made.tables.append(Table("Machines", columns, rows))
    made.tables += _software(runs)
    _disks(made, runs)
    return made


def _software(runs: Sequence[RunFacts]) -> list[Table]:
    seen: dict[tuple[str, str], str] = {}
    for run in runs:
        head = run.head
        own = f"{head.get('product_version', '')} {head.get('build', '')} {head.get('commit', '')}".strip()
        seen.setdefault((str(head.get("product") or ""), own), run.id)
        for name, version in (run.machine.get("versions") or {}).items():
            seen.setdefault((str(name), str(version)), run.id)
    rows: list[tuple[Cell, ...]] = [(name, version, run) for (name, version), run in sorted(seen.items())]
    return [Table("Software", [Column("What"), Column("Version"), Column("First run", link="run-")], rows)]


def _disks(made: Report, runs: Sequence[RunFacts]) -> None:
    columns = [
        Column("Block", 0, "bytes"),
        Column("Method"),
        Column("MB/s", 1),
        Column("Writes", 0, "1/s"),
        Column("Mean", 0, "us"),
        Column("p99", 0, "us"),
        Column("Longest", 0, "us"),
        Column("Run", link="run-"),
    ]
    rows: list[tuple[Cell, ...]] = []
    lines: dict[str, dict[int, float]] = {}
    for run in runs:
        for disk in run.disks:
            seconds = float(disk.get("seconds") or 0)
            each = disk["writes"] / seconds if seconds else None
            rows.append(
                (
                    disk.get("block_bytes"),
                    disk.get("method"),
                    float(disk.get("bytes_per_s") or 0) / 1e6,
                    each,
                    disk.get("mean_us"),
                    disk.get("p99_us"),
                    disk.get("max_us"),
                    run.id,
                )
            )
            line = lines.setdefault(str(disk.get("method")), {})
            line.setdefault(int(disk.get("block_bytes") or 0), float(disk.get("bytes_per_s") or 0) / 1e6)
    if not rows:
        return
    places = sorted({place for line in lines.values() for place in line})
    if len(places) > 1:
        series = [Series(name, [line.get(place) for place in places]) for name, line in lines.items()]
        x = [f"{place}" for place in places]
        chart = Chart("Writes that are on disk, by block size", "line", x, series, "MB/s", "Block", "log")
        chart.shown = [size_text(place) for place in places]
        made.charts.append(chart)
    made.tables.append(Table("Disk test", columns, rows))


def runs_chapter(runs: Sequence[RunFacts]) -> Report:
    """Return the chapter with a section for each run."""
    made = Report("runs", "The runs")
    made.words = ["Every number of this report leads to one of these runs. A run is a directory of JSON lines."]
    made.sections = [_run(run) for run in runs]
    return made


def _run(run: RunFacts) -> Section:
    head = run.head
    taken = ""
    if run.finished:
        taken = f", {run.finished - run.started.timestamp():,.0f} s"
    made = Section(f"{run.id}", ident=f"run-{run.id}")
    rows: list[tuple[Cell, ...]] = [
        ("workload", f"{run.workload}: {head.get('title', '')}"),
        ("started", f"{run.started:%Y-%m-%d %H:%M:%S} UTC{taken}"),
        ("ended", run.ended),
        ("product", f"{head.get('product', '')} {head.get('product_version', '')}, {head.get('build', '')}"),
        ("commit", str(head.get("commit") or "not known")),
        (
            "measured",
            (
                f"{head.get('repeats', 0)} repeats of {float(head.get('measure_s') or 0):g} s after "
                f"{float(head.get('warm_up_s') or 0):g} s of warm-up"
            ),
        ),
        ("points", f"{len(run.points)}"),
        ("SMF dumps", f"{len(run.smf)}"),
        ("machine", f"{run.machine.get('cpu_model', '')}, {run.cores} cores, {run.machine.get('system', '')}"),
        ("load at the start", ", ".join(f"{each:.2f}" for each in run.machine.get("load") or [])),
        ("command", _command([str(each) for each in head.get("command") or []])),
        ("directory", run.directory.name),
    ]
    made.tables = [Table("", [Column("What"), Column("Value")], rows)]
    if run.damaged_lines:
        made.words.append(
            f"{run.damaged_lines:,} lines of this run could not be read; the last one of a killed run is one."
        )
    made.words += run.notes
    return made


def _command(words: Sequence[str]) -> str:
    """Return a command as it was typed, paths by their last part: a report must not show directories of the machine."""
    made = [Path(word).name if word.startswith("/") else word for word in words]
    return " ".join(["flint" if number == 0 and word == "__main__.py" else word for number, word in enumerate(made)])
