"""flint pipeline: turn SMF dumps into tables, list the tables, and ask them.

    flint pipeline run --smf dumps --out tables
    flint pipeline run --smf dumps --out tables --stream
    flint pipeline run --smf dumps --out tables --master spark://127.0.0.1:7077
    flint pipeline tables --out tables
    flint pipeline sql "select Queue, Puts, Gets from gold_queue order by Puts desc" --out tables

`run` loads what is new and may be repeated: bronze (raw records), silver (one table per structure) and gold (per
queue, task, channel and interval), in Parquet, with a report of what was damaged or unknown and where. With --stream it
goes on until Ctrl-C. `--out` may be left out where FLINT_TABLES names the directory. Needs the spark extra and Java 17.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from flintmq.cli._failure import CommandFailed

NAME = "pipeline"
SUMMARY = "turn SMF dumps into tables with Spark, and ask them"


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="run|tables|sql")
    run_parser = actions.add_parser("run", help="load what is new in the dumps", allow_abbrev=False)
    run_parser.add_argument("--smf", action="append", required=True, metavar="DIR", help="dumps: a directory or a file")
    run_parser.add_argument("--stream", action="store_true", help="go on until Ctrl-C, as dumps appear and grow")
    run_parser.add_argument("--every", type=float, default=10.0, metavar="S", help="seconds between looks (10)")
    run_parser.add_argument("--layers", default="bronze,silver,gold", help="which to make (bronze,silver,gold)")
    run_parser.add_argument("--framing", default="", help="rdw, none or bdw (told from the dump)")
    run_parser.add_argument("--partition-size", default="64m", metavar="N", help="bytes that a task reads (64m)")
    sql_parser = actions.add_parser("sql", help="run a query over the tables", allow_abbrev=False)
    sql_parser.add_argument("query", help="the query; `flint pipeline tables` lists the names")
    sql_parser.add_argument("--rows", type=int, default=1000, metavar="N", help="the most rows to print (1000)")
    sql_parser.add_argument("--csv", action="store_true", help="print CSV")
    tables_parser = actions.add_parser("tables", help="list the tables", allow_abbrev=False)
    for action in (run_parser, sql_parser, tables_parser):
        action.add_argument("--out", type=Path, metavar="DIR", help="the directory of the tables (FLINT_TABLES)")
    for action in (run_parser, sql_parser):
        action.add_argument("--master", default="local[*]", help="where Spark runs (local[*]); spark://host:7077")


def run(options: argparse.Namespace) -> int:
    out = options.out or (Path(os.environ["FLINT_TABLES"]) if os.environ.get("FLINT_TABLES") else None)
    if out is None:
        raise CommandFailed("say where the tables are: --out DIR, or FLINT_TABLES", exit_code=2)
    try:
        from flintmq.pipeline import command
    except ImportError as error:
        raise CommandFailed(
            f"the pipeline needs the spark extra ({error.name}): pip install 'flintmq[spark]'"
        ) from None
    if options.action == "run":
        return command.run_dumps(
            options.smf,
            out,
            layers=options.layers,
            framing=options.framing,
            partition_size=options.partition_size,
            master=options.master,
            every=options.every if options.stream else None,
        )
    if not out.is_dir():
        raise CommandFailed(f"{out}: there is no such directory; `flint pipeline run` makes it")
    if options.action == "tables":
        return command.list_tables(out, sys.stdout)
    return command.query(out, options.query, options.master, options.rows, options.csv, sys.stdout)
