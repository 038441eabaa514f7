"""flint pipeline: turn SMF dumps into tables, ask the tables, and make reports.

    flint pipeline run --smf dumps --out tables
    flint pipeline run --smf dumps --out tables --stream
    flint pipeline run --smf dumps --out tables --master spark://127.0.0.1:7077
    flint pipeline statistics --from broker/statistics --out tables
    flint pipeline report broker --out tables
    flint pipeline tables --out tables
    flint pipeline sql "select Queue, Puts, Gets from gold_queue order by Puts desc" --out tables
    flint pipeline report
    flint pipeline report qstat --out tables --qmgr QM1 --from 2024-03-01T10:00 --until 2024-03-01T11:00
    flint pipeline report qstatcsv --out tables --to queues.csv
    flint pipeline report task --out tables --set queue=ORDERS --set compare=yes
    flint pipeline report capacity --set memory=1466 --set used=120
    flint pipeline report all --out tables --format html --to report.html
    flint pipeline serve --out tables
    flint pipeline serve --out tables --stop

`run` loads new data and may be repeated: bronze (raw records), silver (one table per structure) and gold (per
queue, task, channel and interval), in Parquet, with a report of damaged and unknown data and its place. With --stream
it goes on until Ctrl-C. `statistics` loads the statistics of message flows: SMF 117, JSON, CSV, or an archive of
messages in Parquet; the report `broker` is made from them. `report` alone lists the reports; with names it makes them,
and prints them or writes them to a file. `serve` keeps a Spark session until Ctrl-C or --stop: run, sql and report of
the same tables use it and need not wait for Spark's start. `--out` may be left out where FLINT_TABLES names the
directory, and where a report needs no records (capacity, itr). Needs the spark extra and Java 17.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from flintmq.cli._failure import CommandFailed

NAME = "pipeline"
SUMMARY = "turn SMF dumps into tables and reports with Spark"


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="run|statistics|tables|sql|report|serve")
    run_parser = actions.add_parser("run", help="load what is new in the dumps", allow_abbrev=False)
    run_parser.add_argument("--smf", action="append", required=True, metavar="DIR", help="dumps: a directory or a file")
    run_parser.add_argument("--stream", action="store_true", help="go on until Ctrl-C, as dumps appear and grow")
    run_parser.add_argument("--every", type=float, default=10.0, metavar="S", help="seconds between looks (10)")
    run_parser.add_argument("--layers", default="bronze,silver,gold", help="which to make (bronze,silver,gold)")
    run_parser.add_argument("--framing", default="", help="rdw, none or bdw (told from the dump)")
    run_parser.add_argument("--partition-size", default="64m", metavar="N", help="bytes that a task reads (64m)")
    statistics_parser = actions.add_parser("statistics", help="load statistics of message flows", allow_abbrev=False)
    forms = "SMF 117 dumps, *.json, *.jsonl, *.csv, *.parquet: a directory or a file"
    statistics_parser.add_argument("--from", dest="sources", action="append", required=True, metavar="DIR", help=forms)
    sql_parser = actions.add_parser("sql", help="run a query over the tables", allow_abbrev=False)
    sql_parser.add_argument("query", help="the query; `flint pipeline tables` lists the names")
    sql_parser.add_argument("--rows", type=int, default=1000, metavar="N", help="the most rows to print (1000)")
    sql_parser.add_argument("--csv", action="store_true", help="print CSV")
    tables_parser = actions.add_parser("tables", help="list the tables", allow_abbrev=False)
    report_parser = actions.add_parser("report", help="make reports, or list them", allow_abbrev=False)
    report_parser.add_argument("name", nargs="*", help="the reports, or all; without a name they are listed")
    report_parser.add_argument("--format", default="", help="text, csv or html (as the report has it: mostly text)")
    report_parser.add_argument("--to", type=Path, metavar="FILE", help="write it to this file")
    report_parser.add_argument("--qmgr", action="append", default=[], metavar="NAME", help="only this queue manager")
    report_parser.add_argument("--from", dest="start", default="", metavar="TIME", help="from then on (UTC)")
    report_parser.add_argument("--until", default="", metavar="TIME", help="until then (UTC)")
    report_parser.add_argument("--rows", type=int, metavar="N", help="the most rows of one table (100)")
    setting = "a setting of the report; the list of reports has them"
    report_parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=setting)
    serve_parser = actions.add_parser("serve", help="keep a Spark session for run, sql and report", allow_abbrev=False)
    serve_parser.add_argument("--stop", action="store_true", help="end the process that keeps the session")
    for action in (run_parser, statistics_parser, sql_parser, tables_parser, report_parser, serve_parser):
        action.add_argument("--out", type=Path, metavar="DIR", help="the directory of the tables (FLINT_TABLES)")
    for action in (run_parser, statistics_parser, sql_parser, report_parser, serve_parser):
        action.add_argument("--master", default="", help="where Spark runs (local[*]); spark://host:7077")


def run(options: argparse.Namespace) -> int:
    listing = options.action == "report" and not options.name
    out = options.out or (Path(os.environ["FLINT_TABLES"]) if os.environ.get("FLINT_TABLES") else None)
    if out is None and options.action != "report":
        raise CommandFailed("say where the tables are: --out DIR, or FLINT_TABLES", exit_code=2)
    try:
        from flintmq.pipeline import command
    except ImportError as error:
        raise CommandFailed(
            f"the pipeline needs the spark extra ({error.name}): pip install 'flintmq[spark]'"
        ) from None
    if listing:
        return command.list_reports(sys.stdout)
    if options.action == "run":
        assert out is not None
        return command.run_dumps(
            options.smf,
            out,
            layers=options.layers,
            framing=options.framing,
            partition_size=options.partition_size,
            master=options.master,
            every=options.every if options.stream else None,
        )
    if options.action == "statistics":
        assert out is not None
        return command.load_statistics(options.sources, out, options.master, sys.stdout)
    if options.action == "serve":
        assert out is not None
        return command.stop_serving(out, sys.stdout) if options.stop else command.serve(out, options.master, sys.stdout)
    if out is not None and not out.is_dir():
        raise CommandFailed(f"{out}: there is no such directory; `flint pipeline run` makes it")
    if options.action == "report":
        return command.report(
            out,
            options.name,
            form=options.format,
            file=options.to,
            qmgrs=options.qmgr,
            start=options.start,
            until=options.until,
            rows=options.rows,
            settings=options.set,
            master=options.master,
            to=sys.stdout,
        )
    assert out is not None
    if options.action == "tables":
        return command.list_tables(out, sys.stdout)
    return command.query(out, options.query, options.master, options.rows, options.csv, sys.stdout)
