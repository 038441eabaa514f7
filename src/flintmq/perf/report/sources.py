"""Records that come with runs or beside them, as chapters of the same document.

SMF                 dumps of the runs, and dumps of FlintMQ or z/OS that are given: through the tables of the
                    pipeline, added up for each run by smf.py
flow statistics     SMF 117, JSON, CSV or archives of messages: the report `broker`
Prometheus          text exports: the samples as a table
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flintmq.perf.report import smf
from flintmq.perf.report.smf import Origin
from flintmq.pipeline.reports.model import Cell, Column, Report, Section, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.runs import prometheus

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from flintmq.pipeline.runs.tables import RunFacts

#: Rows of a table of flow statistics, and samples of an export that are shown.
ROWS, SAMPLES = 20, 400


def gathered(runs: Sequence[RunFacts], given: Sequence[Path], place: Path) -> list[Origin]:
    """Gather the dumps of runs and those that are given in one directory, and return the origin of each.

    Dumps of different runs have equal names: here a number leads them, which is the place of their origin.
    """
    found = [(Origin(run.id, run.workload), file) for run in runs for file in run.smf if file.is_file()]
    for root in given:
        found += [(Origin("", path.relative_to(root.parent).as_posix()), path) for path in _files(root)]
    if found:
        place.mkdir(parents=True)
    for number, (_, path) in enumerate(found, 1):
        (place / f"{number:04}-{path.name}").symlink_to(path.resolve())
    return [origin for origin, _ in found]


def _files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file()) if root.is_dir() else [root]


def smf_chapters(spark: SparkSession, place: Path, origins: Sequence[Origin], tables: Path) -> list[Report]:
    """Load the dumps that were gathered in `place` into tables and return the chapter on them."""
    from flintmq.pipeline.tables.run import Settings, run

    if not origins:
        return []
    run(spark, Settings([str(place)], tables, ("silver",)))
    return [smf.chapter(spark, tables, origins)]


def flow_chapter(spark: SparkSession, sources: Sequence[Path], tables: Path) -> list[Report]:
    """Load flow statistics and return the report over them."""
    from flintmq.pipeline.reports.registry import entries
    from flintmq.pipeline.tables import statistics

    if not sources:
        return []
    statistics.load([str(each) for each in sources], tables, spark)
    report = next(iter(entries(["broker"]).values())).make(spark, tables, Options(rows=ROWS))
    report.title = f"From flow statistics: {report.title}"
    return [report]


def prometheus_chapter(files: Sequence[Path]) -> list[Report]:
    """Return a chapter with the samples of exports, one section for each file."""
    if not files:
        return []
    made = Report("prometheus", "From Prometheus exports")
    for file in files:
        export = prometheus.read(file)
        shown = [each for each in export.samples if math.isfinite(each.value)]
        rows: list[tuple[Cell, ...]] = [
            (each.name, ", ".join(f"{n}={v}" for n, v in each.labels), export.kinds.get(each.name, ""), each.value)
            for each in shown[:SAMPLES]
        ]
        columns = [Column("Metric"), Column("Labels"), Column("Kind"), Column("Value", 3)]
        words = [f"{len(export.samples):,} samples of {len({each.name for each in export.samples}):,} metrics."]
        if export.damaged:
            words.append(f"{export.damaged:,} lines are no samples and were left out.")
        made.sections.append(Section(file.name, words, tables=[Table("", columns, rows, max(len(shown) - SAMPLES, 0))]))
    made.words = [f"{len(files)} export{'s' if len(files) != 1 else ''} in the text format."]
    return [made]
