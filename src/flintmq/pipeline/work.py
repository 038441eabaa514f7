"""The part of a command that needs Spark: a request in, a result out, both plain data.

    Load       bring the tables up to date with the dumps       result: the quality report
    Statistics bring the tables of flow statistics up to date   result: the counts, as text
    Query      run a query and print its rows                   result: the text, and remarks
    Reports    make reports in one form                         result: the text, remarks, and the titles

`carry_out` is the one place that does it, in the process of the command (command.py) or in the one that keeps a session
(serve.py), so both give the same bytes. Paths in a request are absolute: Java has a working directory of its own.
"""

from __future__ import annotations

import csv
import io
import os
from dataclasses import asdict, dataclass, field
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.errors import BadOption, PipelineError
from flintmq.pipeline.reports.text import left_out, printable
from flintmq.pipeline.tables import catalogue, gold, statistics
from flintmq.pipeline.tables.place import LAYERS, STATISTICS
from flintmq.pipeline.tables.run import PARTITION, Progress, Settings, dumps_of, run, silent, weight_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from flintmq.pipeline.reports.model import Report
    from flintmq.pipeline.reports.options import Options
    from flintmq.pipeline.reports.registry import Entry

#: The widest cell that a query prints.
CELL = 48
#: Settings of reports that name a directory.
_PATH_SETTINGS = ("messages",)


@dataclass(frozen=True)
class Load:
    """Bring the tables in `out` up to date."""

    out: str
    smf: list[str]
    layers: list[str] = field(default_factory=lambda: list(LAYERS))
    partition_size: int = PARTITION
    framing: str = ""


@dataclass(frozen=True)
class Statistics:
    """Bring the tables of flow statistics in `out` up to date."""

    out: str
    sources: list[str]


@dataclass(frozen=True)
class Query:
    """Run a query over the tables in `out` and print at most `rows_max` rows."""

    out: str
    text: str
    rows_max: int
    as_csv: bool = False


@dataclass(frozen=True)
class Reports:
    """Make reports of the tables in `out`. The rest is as the command has it."""

    out: str
    names: list[str]
    form: str = ""
    qmgrs: list[str] = field(default_factory=list)
    start: str = ""
    until: str = ""
    rows: int | None = None
    settings: list[str] = field(default_factory=list)


Request = Load | Statistics | Query | Reports
KINDS: dict[str, type[Load] | type[Statistics] | type[Query] | type[Reports]] = {
    "run": Load,
    "statistics": Statistics,
    "sql": Query,
    "report": Reports,
}


@dataclass
class Result:
    """The result of a request. `notes` go to standard error."""

    text: str = ""
    notes: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    quality: dict[str, Any] = field(default_factory=dict)


def absolute(path: str) -> str:
    """Return a list of paths, separated by commas, with each of them absolute."""
    return ",".join(os.path.abspath(part.strip()) if part.strip() else "" for part in path.split(","))


def absolute_setting(text: str) -> str:
    """Return a setting `name=value`, absolute if it names a directory."""
    name, equals, value = text.partition("=")
    return f"{name}={os.path.abspath(value)}" if name in _PATH_SETTINGS and equals and value else text


def carry_out(spark: SparkSession, request: Request, progress: Progress = silent) -> Result:
    """Carry out a request."""
    if isinstance(request, Load):
        settings = Settings(
            request.smf, Path(request.out), tuple(request.layers), request.partition_size, request.framing
        )
        return Result(quality=asdict(run(spark, settings, progress)))
    if isinstance(request, Statistics):
        found = statistics.load(request.sources, Path(request.out), spark)
        return Result(text="\n".join(statistics.lines_of(found)) + "\n")
    if isinstance(request, Query):
        return _query(spark, request)
    return _reports(spark, request, progress)


def has_little_to_do(request: Request) -> bool:
    """Return whether dumps and tables of a request are small."""
    dumps = sum(weight_of(path) for path in dumps_of(request.smf).values()) if isinstance(request, Load) else 0
    return catalogue.is_small(Path(request.out), dumps)


# -- queries ---------------------------------------------------------------------------------------------------------


def _query(spark: SparkSession, request: Query) -> Result:
    columns, rows, notes = query_rows(spark, Path(request.out), request.text, request.rows_max + 1)
    if len(rows) > request.rows_max:
        notes.append(f"only the first {request.rows_max} rows; --rows N prints more")
    return Result(_shown(columns, rows[: request.rows_max], request.as_csv), notes)


def query_rows(spark: SparkSession, out: Path, text: str, rows_max: int) -> tuple[list[str], list[Any], list[str]]:
    """Return columns and rows of a query, and why tables that it names have no rows. Times are UTC."""
    from pyspark.sql.types import Row, TimestampType

    catalogue.register(spark, out, text)
    empty = gold.register_empty(spark, out, text)
    found = spark.sql(text)
    rows: list[Any] = found.limit(rows_max).collect()
    # Spark gives moments in the time zone of this process.
    moments = {number for number, kind in enumerate(found.schema.fields) if isinstance(kind.dataType, TimestampType)}
    if moments:
        named = Row(*found.columns)
        rows = [named(*(_utc(value) if at in moments else value for at, value in enumerate(row))) for row in rows]
    return found.columns, rows, empty


def _utc(value: Any) -> Any:
    return None if value is None else value.astimezone(UTC).replace(tzinfo=None)


def _shown(names: list[str], rows: list[Any], as_csv: bool) -> str:
    to = io.StringIO()
    if as_csv:
        writer = csv.writer(to)
        writer.writerow(names)
        writer.writerows(rows)
        return to.getvalue()
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max([len(name), *(len(row[number]) for row in cells)]) for number, name in enumerate(names)]
    for line in (names, ["-" * width for width in widths], *cells):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip(), file=to)
    return to.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:.4g}" if isinstance(value, float) else printable(str(value)).replace("\n", ".")
    return text if len(text) <= CELL else text[: CELL - 3] + "..."


# -- reports ---------------------------------------------------------------------------------------------------------


def chosen_reports(request: Reports) -> dict[str, tuple[Entry, Options]]:
    """Return the reports that a request names, with the options of each. Raises BadOption."""
    from flintmq.pipeline.reports.options import Options, period, settings_of
    from flintmq.pipeline.reports.registry import entries

    chosen = entries(request.names)
    if request.rows is not None and request.rows < 1:
        raise BadOption(f"--rows {request.rows}: a table has at least one row")
    known = {name: meaning for entry in chosen.values() for name, meaning in entry.settings.items()}
    given = settings_of(request.settings, known, " and ".join(chosen))
    when = period(request.start, request.until)
    made = {}
    for name, entry in chosen.items():
        own = {key: value for key, value in given.items() if key in entry.settings}
        rows = entry.rows if request.rows is None else request.rows
        made[name] = entry, Options(tuple(request.qmgrs), *when, rows, own)
    return made


def check_tables(out: Path, entries: list[Entry]) -> None:
    """Raise PipelineError if none of the reports has its tables in `out`."""
    if not any((out / entry.layer).is_dir() for entry in entries):
        if all(entry.layer == STATISTICS for entry in entries):
            raise PipelineError(
                f"{out} has no tables of flow statistics: `flint pipeline statistics --from DIR --out {out}` makes them"
            )
        raise PipelineError(f"{out} has no tables of records: `flint pipeline run --smf DIR --out {out}` makes them")


def form_of(request: Reports) -> str:
    """Return the form that reports are printed in: the one that was asked for, or that of the first report."""
    return request.form or next(iter(chosen_reports(request).values()))[0].format


def _reports(spark: SparkSession, request: Reports, progress: Progress) -> Result:
    out = Path(request.out)
    from flintmq.pipeline.reports.source import source_of

    chosen = chosen_reports(request)
    check_tables(out, [entry for entry, _ in chosen.values()])
    made = []
    for number, (name, (entry, options)) in enumerate(chosen.items()):
        progress(name, number, len(chosen))
        made.append(entry.make(spark, out, options))
    first = next(iter(chosen.values()))[1]
    return rendered(made, form_of(request), source_of(out, first).sentence())


def rendered(made: list[Report], form: str, about: str = "") -> Result:
    """Return reports as text. `about` names the source of a page."""
    from flintmq.pipeline.reports.html import page
    from flintmq.pipeline.reports.registry import renderer

    notes = []
    if form == "csv":
        notes = [left_out(table) for report in made for table in report.tables if table.left_out]
    text = page(made, about=about) if form == "html" else renderer(form)(made)
    return Result(text, notes, [report.title for report in made])
