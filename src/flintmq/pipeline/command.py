"""The commands of `flint pipeline`: runs, lists, queries and reports, with a progress bar and errors in one line.

Work that needs Spark is a request (work.py). The session that `flint pipeline serve` keeps carries it out if there is
one; otherwise a session is started for it here.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from flintmq.pipeline import ask, session, work
from flintmq.pipeline.errors import BadOption, PipelineError, told
from flintmq.pipeline.sources.smf import size_of
from flintmq.pipeline.tables import catalogue, statistics
from flintmq.pipeline.tables.place import LAYERS, QUALITY
from flintmq.pipeline.tables.quality import Report, lines_of
from flintmq.pipeline.tables.run import Settings, dumps_of, run
from flintmq.pipeline.work import absolute, absolute_setting
from flintmq.telemetry.smf.framing import FRAMINGS, TEXT_MODE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WIDTH = 30
#: Where Spark runs by default.
MASTER = "local[*]"


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


def _layers_of(text: str) -> tuple[str, ...]:
    """Return the layers that --layers names. Raises BadOption for one that does not exist, and for none."""
    chosen = tuple(layer.strip() for layer in text.split(",") if layer.strip())
    strange = [layer for layer in chosen if layer not in LAYERS]
    if strange or not chosen:
        raise BadOption(f"layers are {', '.join(LAYERS)}, not {', '.join(strange) or 'none'}")
    return chosen


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
    """Bring the tables up to date once, or with `every` at that interval in seconds until Ctrl-C."""
    chosen = _layers_of(layers)
    if framing and framing not in FRAMINGS:
        raise BadOption(f"framing is {', '.join(FRAMINGS)}, not {framing!r}")
    if every is not None and not (math.isfinite(every) and every > 0):
        raise BadOption(f"--every {every:g}: between two looks is some time, in seconds")
    size = size_of("--partition-size", partition_size)
    if not dumps_of(smf) and every is None:  # Missing dumps are reported before Spark starts.
        raise PipelineError(f"there are no dumps in {' or '.join(smf)}")
    if every is not None:
        return _stream(Settings(smf, out, chosen, size, framing, True), master or MASTER, every)
    request = work.Load(absolute(str(out)), [absolute(each) for each in smf], list(chosen), size, framing)
    report = Report(**result_of(request, out, master).quality)
    print("\n".join(lines_of(report)), flush=True)
    if report.records == report.skipped and any(what == TEXT_MODE for *_, what in report.examples):
        raise PipelineError(f"{' or '.join(smf)}: {TEXT_MODE}")
    if report.damaged and not report.records:
        raise PipelineError(f"there is no SMF record in {' or '.join(smf)}; {out / QUALITY} says what is there instead")
    return 0


def load_statistics(sources: list[str], out: Path, master: str, to: IO[str]) -> int:
    """Load flow statistics. Spark starts only for more than the process of the command reads by itself."""
    request = work.Statistics(absolute(str(out)), [absolute(each) for each in sources])
    fresh = statistics.changed(request.sources, Path(request.out))
    if statistics.size_of(fresh) <= statistics.IN_DRIVER_MAX:
        print("\n".join(statistics.lines_of(statistics.load(request.sources, Path(request.out)))), file=to)
    else:
        to.write(result_of(request, out, master).text)
    return 0


def _stream(settings: Settings, master: str, every: float) -> int:
    """Load new data until Ctrl-C, with a session of its own."""
    bar = Bar()
    try:
        with spark_for(master, bar) as (spark, asked):
            while not asked.is_set():
                report = run(spark, settings, bar.at)
                bar.done()
                if report.fresh:
                    print("\n".join(lines_of(report)), flush=True)
                asked.wait(every)
    except KeyboardInterrupt:
        pass
    return 0


def result_of(request: work.Request, out: Path, master: str) -> work.Result:
    """Have a request carried out: by the session that is kept for these tables, else by one that is started for it.

    A `master` that was not given is the one of the session that is kept.
    """
    bar = Bar()
    try:
        if ask.is_there(out):
            return ask.ask(out, master, request, bar.at)
        if bar.live and not master:
            print(f"no session is kept for {out} (`flint pipeline serve`): Spark is started", file=sys.stderr)
    except ask.NotServed as why:
        bar.done()
        print(f"the session that is kept for {out} is not used: {why}. Spark is started", file=sys.stderr)
    finally:
        bar.done()
    with spark_for(master or MASTER, bar, small=work.has_little_to_do(request)) as (spark, _):
        return work.carry_out(spark, request, bar.at)


@contextlib.contextmanager
def spark_for(master: str, bar: Bar, small: bool = False) -> Iterator[tuple[SparkSession, threading.Event]]:
    """Start a session for one command, with an event that Ctrl-C sets. An error of Spark becomes one line."""
    bar.at("Spark", 0, 1)
    spark = session.start(master, quiet=True, small=small, sources=False)
    try:
        with session.interruptible(spark) as asked:
            yield spark, asked
    except Exception as error:
        raise told(error) from error
    finally:
        bar.done()
        spark.stop()


def serve(out: Path, master: str, to: IO[str]) -> int:
    """Keep a session for the tables until Ctrl-C."""
    from flintmq.pipeline.serve import serve as keep

    return keep(out, master or MASTER, to)


def stop_serving(out: Path, to: IO[str]) -> int:
    """End the process that keeps a session for the tables."""
    if not ask.stop(out):
        raise PipelineError(f"no session is kept for {out}")
    print(f"the session for the tables in {out} has ended", file=to)
    return 0


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
    found = result_of(work.Query(absolute(str(out)), text, rows_max, as_csv), out, master)
    to.write(found.text)
    _note(found)
    return 0


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
    """Make reports and print them, or write them to a file. Invalid options are reported before Spark starts.

    Without a directory of tables there is no Spark: a report has only the parts that need no records.
    """
    from flintmq.pipeline.reports.registry import renderer

    place = absolute(str(out)) if out is not None else ""
    given = [absolute_setting(each) for each in settings]
    request = work.Reports(place, names, form, qmgrs, start, until, rows, given)
    chosen = work.chosen_reports(request)
    renderer(work.form_of(request))
    if file is not None:
        check_writable(file)
    if out is None:
        alone = [(entry.without_records, options) for entry, options in chosen.values()]
        made = [make(options) for make, options in alone if make is not None]
        if len(made) < len(chosen):
            raise BadOption(f"{' and '.join(chosen)}: say where the tables are: --out DIR, or FLINT_TABLES")
        found = work.rendered(made, work.form_of(request))
    else:
        work.check_tables(out, [entry for entry, _ in chosen.values()])
        found = result_of(request, out, master)
    if file is None:
        to.write(found.text)
    else:
        file.write_text(found.text, encoding="utf-8")
        print(f"{file}: {', '.join(found.titles)}", file=to)
    _note(found)
    return 0


def _note(found: work.Result) -> None:
    for line in found.notes:
        print(line, file=sys.stderr)


def check_writable(file: Path) -> None:
    """Raise BadOption if a file cannot be written, before its content is made."""
    if file.is_dir() or not file.parent.is_dir():
        what = "that is a directory" if file.is_dir() else f"there is no directory {file.parent}"
        raise BadOption(f"--to {file}: {what}")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise BadOption(f"--to {file}: that cannot be written: permission denied")
