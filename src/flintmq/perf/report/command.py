"""Run `flint perf report`, `flint perf compare` and `flint perf plan`, each with one Spark session."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

from flintmq.perf.report import capacity, document, sources
from flintmq.perf.report import compare as comparison
from flintmq.pipeline.errors import BadOption, PipelineError
from flintmq.pipeline.reports import markdown, text
from flintmq.pipeline.reports.html import page
from flintmq.pipeline.reports.model import Report
from flintmq.pipeline.runs import costs, tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

T = TypeVar("T")

MASTER = "local[*]"
#: The exit code of a comparison that found something worse.
WORSE = 1


def report(
    roots: Sequence[Path],
    out: Path,
    to: IO[str],
    *,
    smf: Sequence[Path] = (),
    statistics: Sequence[Path] = (),
    exports: Sequence[Path] = (),
    master: str = MASTER,
    spark: SparkSession | None = None,
) -> list[Path]:
    """Write the report of all runs at or under `roots` into `out`. Errors in options are raised before Spark starts."""
    places = tables.find(roots)
    for place in places:
        tables.check(place)
    if out.exists() and not out.is_dir():
        raise BadOption(f"-o {out} is a file: name a directory for the report")
    for path in (*smf, *statistics, *exports):
        if not path.exists():
            raise BadOption(f"{path}: there is no such file or directory")
    records = sources.prometheus_chapter(exports)

    def work(session: SparkSession) -> list[Path]:
        runs = tables.read(session, places)
        with tempfile.TemporaryDirectory(prefix="flint-perf-") as directory:
            dumps = Path(directory) / "dumps"
            origins = sources.gathered(runs, smf, dumps)
            extra = sources.smf_chapters(session, dumps, origins, Path(directory) / "smf")
            extra += sources.flow_chapter(session, statistics, Path(directory) / "flows")
        made = document.compose(runs, source_of([*extra, *records]))
        return document.write(made, runs, out, document.about(runs))

    print(f"{len(places)} run{'s' if len(places) != 1 else ''}: reading them with Spark", file=to, flush=True)
    files = _with_spark(work, master, spark)
    for file in files:
        print(f"{file}  {file.stat().st_size / 1024:,.0f} KB", file=to)
    return files


def source_of(records: list[Report]) -> document.Source:
    """Return the sources of the document, with titles and needs of the catalogue."""
    from flintmq.perf.catalogue import WORKLOADS

    return document.Source(
        records,
        {name: each.title for name, each in WORKLOADS.items()},
        {name: each.remark for name, each in WORKLOADS.items() if each.remark},
        {name: each.needs for name, each in WORKLOADS.items() if each.needs},
    )


def compare(
    before: Path,
    after: Path,
    to: IO[str],
    *,
    tolerance: float,
    form: str = "text",
    file: Path | None = None,
    master: str = MASTER,
    spark: SparkSession | None = None,
) -> int:
    """Compare two runs, or directories of runs. The exit code is WORSE if a figure is worse."""
    if not 0 < tolerance < 1:
        raise BadOption(f"--tolerance {100 * tolerance:g}: must be a percentage above 0 and below 100")
    first, second = tables.find([before]), tables.find([after])

    def work(session: SparkSession) -> tuple[list[tables.RunFacts], list[tables.RunFacts]]:
        return tables.read(session, first), tables.read(session, second)

    found = comparison.compare(*_with_spark(work, master, spark), tolerance)
    if not found.verdicts:
        raise PipelineError(
            f"{before} and {after} have no point in common: compare runs of the same workload with the same parameters"
        )
    made = comparison.make(found, before.name, after.name, tolerance)
    _print([made], form, file, to)
    return WORSE if found.verdict == "worse" else 0


def plan(
    roots: Sequence[Path],
    wanted: costs.Wanted,
    to: IO[str],
    *,
    form: str = "text",
    file: Path | None = None,
    master: str = MASTER,
    spark: SparkSession | None = None,
) -> int:
    """Predict the cost of a workload from runs."""
    counts = (wanted.copies, wanted.subscribers, wanted.properties, wanted.depth, wanted.indexed)
    if wanted.rate <= 0 or wanted.size < 0 or min(counts) < 0:
        raise BadOption("--rate must be above 0; sizes, copies, subscribers, properties and depths must not be below 0")
    places = tables.find(roots)
    runs = _with_spark(lambda session: tables.read(session, places), master, spark)
    _print([capacity.describe(runs, wanted)], form, file, to)
    return 0


def _print(made: list[Report], form: str, file: Path | None, to: IO[str]) -> None:
    forms = {"text": text.render, "markdown": markdown.render, "html": page}
    if form not in forms:
        raise BadOption(f"--format {form}: choose {', '.join(forms)}")
    shown = forms[form](made)
    if file is None:
        to.write(shown)
    else:
        file.write_text(shown, encoding="utf-8")
        print(file, file=to)


def _with_spark(work: Callable[[SparkSession], T], master: str, spark: SparkSession | None) -> T:
    """Run a function with the given session, or with a temporary one."""
    if spark is not None:
        return work(spark)
    from flintmq.pipeline.command import Bar, spark_for

    with spark_for(master, Bar(), small=True) as (session, _):
        return work(session)
