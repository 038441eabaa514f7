"""`flint perf report`, `compare` and `plan`: their options."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from flintmq.pipeline.runs.regression import TOLERANCE


def _spark(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--master", default="local[*]", help="where Spark runs (local[*]); spark://host:7077")


def _form(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", default="text", choices=("text", "markdown", "html"), help="how to print it (text)")
    parser.add_argument("--to", type=Path, metavar="FILE", help="write it to this file")
    _spark(parser)


def declare_report(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `report`."""
    parser.add_argument("run", nargs="+", type=Path, help="runs, or directories of runs")
    parser.add_argument("-o", "--out", type=Path, default=Path("report"), metavar="DIR", help="where to (report)")
    smf = "SMF dumps beside those of the runs, of FlintMQ or of z/OS: a directory or a file"
    parser.add_argument("--smf", action="append", default=[], type=Path, metavar="DIR", help=smf)
    flows = "flow statistics: SMF 117, JSON, CSV or an archive of messages"
    parser.add_argument("--statistics", action="append", default=[], type=Path, metavar="DIR", help=flows)
    exports = "an export of Prometheus in its text format"
    parser.add_argument("--prometheus", action="append", default=[], type=Path, metavar="FILE", help=exports)
    _spark(parser)


def report(options: argparse.Namespace) -> int:
    """Write the report of runs."""
    from flintmq.perf.report import command

    command.report(
        options.run,
        options.out,
        sys.stdout,
        smf=options.smf,
        statistics=options.statistics,
        exports=options.prometheus,
        master=options.master,
    )
    return 0


def declare_compare(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `compare`."""
    parser.add_argument("before", type=Path, metavar="A", help="a run, or a directory of runs")
    parser.add_argument("after", type=Path, metavar="B", help="the same workloads, later")
    percent = 100 * TOLERANCE
    text = f"differences up to it are none ({percent:g})"
    parser.add_argument("--tolerance", type=float, default=percent, metavar="PERCENT", help=text)
    _form(parser)


def compare(options: argparse.Namespace) -> int:
    """Compare two runs. The exit code is 1 if a figure is worse."""
    from flintmq.perf.report import command

    return command.compare(
        options.before,
        options.after,
        sys.stdout,
        tolerance=options.tolerance / 100,
        form=options.format,
        file=options.to,
        master=options.master,
    )


def declare_plan(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `plan`."""
    parser.add_argument("run", nargs="+", type=Path, help="runs to take costs from, or directories of runs")
    parser.add_argument("--path", required=True, metavar="WORDS", help='how messages travel: "put, local"')
    parser.add_argument("--rate", type=float, required=True, metavar="N", help="messages a second")
    parser.add_argument("--size", type=int, required=True, metavar="BYTES", help="bytes of a message")
    parser.add_argument("--persistent", action="store_true", help="persistent messages")
    parser.add_argument("--copies", type=int, default=0, metavar="N", help="copies of a message by stream queues")
    parser.add_argument("--subscribers", type=int, default=0, metavar="N", help="subscribers beyond the first")
    parser.add_argument("--properties", type=int, default=0, metavar="N", help="properties of a message")
    parser.add_argument("--connections", type=int, default=0, metavar="N", help="applications that are connected")
    parser.add_argument("--depth", type=int, default=0, metavar="N", help="messages that wait at the worst time")
    parser.add_argument("--indexed", type=int, default=0, metavar="N", help="messages among them on indexed queues")
    _form(parser)


def plan(options: argparse.Namespace) -> int:
    """Predict the cost of a workload."""
    from flintmq.perf.report import command
    from flintmq.pipeline.runs.costs import Wanted

    wanted = Wanted(
        options.path,
        options.rate,
        options.size,
        options.persistent,
        options.copies,
        options.properties,
        options.connections,
        options.depth,
        options.indexed,
        options.subscribers,
    )
    return command.plan(options.run, wanted, sys.stdout, form=options.format, file=options.to, master=options.master)


#: Name -> how its options are declared, its summary, an example, and how it is run.
ACTIONS = {
    "report": (declare_report, "write the report of runs", "flint perf report runs/ -o report/", report),
    "compare": (
        declare_compare,
        "compare two runs: same, better, worse",
        "flint perf compare runs/before runs/after",
        compare,
    ),
    "plan": (
        declare_plan,
        "predict what a workload takes",
        'flint perf plan runs/ --path "put, local" --rate 500 --size 2048 --persistent',
        plan,
    ),
}
