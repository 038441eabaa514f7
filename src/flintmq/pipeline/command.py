"""What `flint pipeline` does: runs, lists, queries and reports, with a progress bar and errors in one line."""

from __future__ import annotations

import contextlib
import csv
import math
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from flintmq.pipeline import session
from flintmq.pipeline.errors import BadOption, PipelineError, explain
from flintmq.pipeline.reports.text import left_out, printable
from flintmq.pipeline.sources.smf import size_of
from flintmq.pipeline.tables import catalogue, gold
from flintmq.pipeline.tables.place import LAYERS, QUALITY, SILVER
from flintmq.pipeline.tables.quality import lines_of
from flintmq.pipeline.tables.run import Settings, dumps_of, run
from flintmq.telemetry.smf.framing import FRAMINGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from flintmq.pipeline.reports.model import Report
    from flintmq.pipeline.reports.options import Options
    from flintmq.pipeline.reports.registry import Entry

WIDTH = 30
#: The widest cell that a query prints.
CELL = 48


class Bar:
    """A progress bar on the terminal; nothing where there is none."""

    def __init__(self) -> None:
        self.live = sys.stderr.isatty()
        self.began = time.monotonic()

    def at(self, what: str, done: int, total: int) -> None:
        if not self.live:
            return
        full = WIDTH * done // max(total, 1)
        seconds = time.monotonic() - self.began
        line = f"\r\x1b[K{what:<8} [{'#' * full}{'.' * (WIDTH - full)}] {done}/{total}  {seconds:.0f} s"
        print(line, end="", file=sys.stderr, flush=True)

    def done(self) -> None:
        if self.live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def run_dumps(
    smf: list[str],
    out: Path,
    *,
    layers: str,
    framing: str,
    partition_size: str,
    master: str,
    every: float | None,
) -> int:
    """Bring the tables up to date once, or every so many seconds until Ctrl-C."""
    chosen = tuple(layer.strip() for layer in layers.split(",") if layer.strip())
    strange = [layer for layer in chosen if layer not in LAYERS]
    if strange or not chosen:
        raise BadOption(f"layers are {', '.join(LAYERS)}, not {', '.join(strange) or 'none'}")
    if framing and framing not in FRAMINGS:
        raise BadOption(f"framing is {', '.join(FRAMINGS)}, not {framing!r}")
    if every is not None and not (math.isfinite(every) and every > 0):
        raise BadOption(f"--every {every:g}: between two looks is some time, in seconds")
    settings = Settings(smf, out, chosen, size_of("--partition-size", partition_size), framing, every is not None)
    if not dumps_of(smf) and every is None:  # What is not there is said before Spark starts.
        raise PipelineError(f"there are no dumps in {' or '.join(smf)}")
    bar = Bar()
    try:
        with spark_for(master, bar) as (spark, asked):
            while not asked.is_set():
                report = run(spark, settings, bar.at)
                bar.done()
                if every is None or report.fresh:
                    print("\n".join(lines_of(report)), flush=True)
                if every is None:
                    break
                asked.wait(every)
    except KeyboardInterrupt:
        if every is None:
            raise
        return 0
    if every is None and report.damaged and not report.records:
        raise PipelineError(f"there is no SMF record in {' or '.join(smf)}; {out / QUALITY} says what is there instead")
    return 0


@contextlib.contextmanager
def spark_for(master: str, bar: Bar) -> Iterator[tuple[SparkSession, threading.Event]]:
    """A session for one command, and whether Ctrl-C was pressed. What Spark reports becomes one line."""
    bar.at("Spark", 0, 1)
    spark = session.start(master, quiet=True)
    try:
        with session.interruptible(spark) as asked:
            yield spark, asked
    except Exception as error:
        raise _told(error) from error
    finally:
        bar.done()
        spark.stop()


def list_tables(out: Path, to: IO[str]) -> int:
    print(f"{'table':<24} {'rows':>14} {'files':>7} {'MB':>10}", file=to)
    for table in catalogue.tables_in(out):
        name = table.name if table.layer == "bronze" else f"{table.layer}_{table.name}"
        print(f"{name:<24} {table.rows:>14,} {table.files:>7,} {table.size / 1e6:>10.2f}", file=to)
    return 0


def query(out: Path, text: str, master: str, rows_max: int, as_csv: bool, to: IO[str]) -> int:
    """Run a query and print at most `rows_max` rows of it."""
    if rows_max < 1:
        raise BadOption(f"--rows {rows_max}: at least one row is printed")
    with spark_for(master, Bar()) as (spark, _):
        columns, rows, empty = answer(spark, out, text, rows_max + 1)
    _print(columns, rows[:rows_max], as_csv, to)
    for why in empty:
        print(why, file=sys.stderr)
    if len(rows) > rows_max:
        print(f"only the first {rows_max} rows; --rows N prints more", file=sys.stderr)
    return 0


def answer(spark: SparkSession, out: Path, text: str, rows_max: int) -> tuple[list[str], list[Any], list[str]]:
    """Columns and rows of a query, and why tables that it names have no rows."""
    catalogue.register(spark, out, text)
    empty = gold.register_empty(spark, out, text)
    found = spark.sql(text)
    return found.columns, found.limit(rows_max).collect(), empty


def list_reports(to: IO[str]) -> int:
    from flintmq.pipeline.reports.registry import REPORTS

    for name, entry in REPORTS.items():
        print(f"{name:<12} {entry.summary}", file=to)
        for setting, meaning in entry.settings.items():
            print(f"{'':<12}   --set {setting}=...  {meaning}", file=to)
    return 0


def report(
    out: Path | None,
    names: list[str],
    *,
    form: str,
    file: Path | None,
    qmgrs: list[str],
    start: str,
    until: str,
    rows: int | None,
    settings: list[str],
    master: str,
    to: IO[str],
) -> int:
    """Make reports and print them, or write them to a file. What cannot be is said before Spark starts.

    Without a directory of tables there is no Spark: a report says what it can without records.
    """
    from flintmq.pipeline.reports.html import page
    from flintmq.pipeline.reports.options import Options, period, settings_of
    from flintmq.pipeline.reports.registry import entries, renderer
    from flintmq.pipeline.reports.source import source_of

    chosen = entries(names)
    form = form or next(iter(chosen.values())).format
    render = renderer(form)
    if rows is not None and rows < 1:
        raise BadOption(f"--rows {rows}: a table has at least one row")
    known = {name: meaning for entry in chosen.values() for name, meaning in entry.settings.items()}
    given = settings_of(settings, known, " and ".join(chosen))
    when = period(start, until)
    if file is not None:
        check_writable(file)

    def options_of(entry: Entry) -> Options:
        own = {key: value for key, value in given.items() if key in entry.settings}
        return Options(tuple(qmgrs), *when, entry.rows if rows is None else rows, own)

    if out is None:
        alone = [(entry.without_records, options_of(entry)) for entry in chosen.values()]
        made = [make(options) for make, options in alone if make is not None]
        if len(made) < len(chosen):
            raise BadOption(f"{' and '.join(chosen)}: say where the tables are: --out DIR, or FLINT_TABLES")
    else:
        made = _made(out, {name: (entry, options_of(entry)) for name, entry in chosen.items()}, master)
    text = render(made)
    if form == "html" and out is not None:
        text = page(made, about=source_of(out, Options(tuple(qmgrs), *when)).sentence())
    if file is None:
        to.write(text)
    else:
        file.write_text(text, encoding="utf-8")
        print(f"{file}: {', '.join(report.title for report in made)}", file=to)
    if form == "csv":
        for line in [left_out(table) for report in made for table in report.tables if table.left_out]:
            print(line, file=sys.stderr)
    return 0


def check_writable(file: Path) -> None:
    """What cannot be written is said before it is made."""
    if file.is_dir() or not file.parent.is_dir():
        what = "that is a directory" if file.is_dir() else f"there is no directory {file.parent}"
        raise BadOption(f"--to {file}: {what}")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise BadOption(f"--to {file}: that cannot be written: permission denied")


def _made(out: Path, chosen: dict[str, tuple[Entry, Options]], master: str) -> list[Report]:
    """Reports from tables."""
    if not (out / SILVER).is_dir():
        raise PipelineError(f"{out} has no tables of records: `flint pipeline run --smf DIR --out {out}` makes them")
    made = []
    bar = Bar()
    with spark_for(master, bar) as (spark, _):
        for number, (name, (entry, options)) in enumerate(chosen.items()):
            bar.at(name, number, len(chosen))
            made.append(entry.make(spark, out, options))
    return made


def _print(names: list[str], rows: list[Any], as_csv: bool, to: IO[str]) -> None:
    if as_csv:
        writer = csv.writer(to)
        writer.writerow(names)
        writer.writerows(rows)
        return
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max([len(name), *(len(row[number]) for row in cells)]) for number, name in enumerate(names)]
    for line in (names, ["-" * width for width in widths], *cells):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip(), file=to)


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:.4g}" if isinstance(value, float) else printable(str(value)).replace("\n", ".")
    return text if len(text) <= CELL else text[: CELL - 3] + "..."


def _told(error: Exception) -> Exception:
    """Spark's errors in one line; others as they are."""
    foreign = type(error).__module__.partition(".")[0] in ("pyspark", "py4j")
    return PipelineError(explain(error)) if foreign else error
