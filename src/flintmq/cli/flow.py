"""flint flow: run, test, compile, lint and convert message flows, and read and override BAR files.

    flint flow run Shop Orders --input order.xml --trace
    flint flow run orders.bar shop.Orders --input a.xml b.xml --header MQMD.CorrelId=42 --out results
    flint flow run Shop --input order.xml --database SHOP=sqlite:///shop.db --profile
    flint flow test Shop
    flint flow test Shop --record
    flint flow esql Shop/shop/Orders.esql --show
    flint flow lint Shop
    flint flow lint Shop --off FL006 --json
    flint flow convert Orders.msgflow
    flint flow convert Orders.msgflow -o Orders.msgflow.yaml
    flint flow convert Orders.msgflow.yaml -o Orders.msgflow
    flint flow run orders.bar Orders --engine spark --in parquet:archive --out parquet:outputs
    flint flow run orders.bar Orders --engine spark --in mq:IN --out mq: --stream --checkpoint DIR --mq queueManager=QM1
    flint flow bar read orders.bar
    flint flow bar read orders.bar -k Shop --set > shop.properties
    flint flow bar override orders.bar shop.properties -o production.bar
    flint flow bar override orders.bar -m "shop.Orders#Get order.queueName=PROD.IN" -o production.bar
    flint flow import-copybook ORDER.cpy -o Orders.mset.yaml
    flint flow import-copybook order.h --c

`run` sends files through a flow as a function call does: nothing is put, sent or written, but printed. With
`--engine spark` it runs the flow in Spark tasks, over an archive, files or a queue, and writes what the flow sends to a
table or puts it to queues, exactly once; that needs the spark extra and Java 17 too. `test` runs the
recorded cases of a project: each directory below `tests` with a file `input.*`; `--record` writes what comes out as
the new expectation. `esql` compiles ESQL and prints what is wrong with it. `lint` looks for what compiles and is most
probably wrong.

`convert` turns a flow into readable YAML and back; nothing is lost on the way. `bar read` prints every property that
can be overridden with its current value, as an override file: edit it and apply it with `bar override`. A line is
`flow#node label.property=value`, `flow#property=value` for the flow and for promoted properties, a name without `=`
to remove an override, or `old=new` to replace a value everywhere. `[application]` and `[application/library]` say where
the lines after them belong. `import-copybook` makes a message set from a COBOL copybook, or with `--c` from a C header.
Needs the broker extra.

Exit codes: 0; 1 if a flow failed, a case differs, ESQL has errors, or lint found an error or a warning; 2 if there is
nothing to do.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from flintmq.cli import _flow_import
from flintmq.cli._failure import CommandFailed

NAME = "flow"
SUMMARY = "run, test, compile, lint and convert message flows, and read and override BAR files"


def arguments(parser: argparse.ArgumentParser) -> None:
    names = "run|test|esql|lint|convert|bar|import-copybook"
    actions = parser.add_subparsers(dest="action", required=True, metavar=names)
    _run_arguments(_action(actions, "run", "send messages through a flow", "run Shop Orders --input order.xml --trace"))
    _check_arguments(actions)
    convert = actions.add_parser("convert", help="convert a flow to YAML or back", allow_abbrev=False)
    convert.add_argument("file", type=Path, help="a .msgflow, .subflow, .cmf or .yaml file")
    convert.add_argument("-o", dest="out", type=Path, metavar="OUT", help="write here; the suffix says which form")
    bar = actions.add_parser("bar", help="read and override BAR files", allow_abbrev=False)
    bar_actions = bar.add_subparsers(dest="bar_action", required=True, metavar="read|override")
    read = bar_actions.add_parser("read", help="print properties and overrides", allow_abbrev=False)
    override = bar_actions.add_parser("override", help="make a BAR with other overrides", allow_abbrev=False)
    read.add_argument("file", type=Path, help="the BAR file")
    read.add_argument("--set", action="store_true", help="only properties that are overridden")
    override.add_argument("file", type=Path, help="the BAR file")
    override.add_argument("overrides", type=Path, nargs="?", help="an override file, a BAR, or a broker.xml")
    override.add_argument("-m", dest="lines", action="append", default=[], metavar="LINE", help="one more override")
    override.add_argument("-o", dest="out", type=Path, required=True, metavar="OUT", help="the BAR file to write")
    override.add_argument("--lenient", action="store_true", help="write it even if a line addresses nothing")
    for action in (read, override):
        action.add_argument("-k", dest="application", default="", metavar="NAME", help="only this application")
        action.add_argument("-y", dest="library", default="", metavar="NAME", help="only this library of it")
    _flow_import.add(actions)


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str, example: str
) -> argparse.ArgumentParser:
    """Return the parser of an action with an example at the end of its help."""
    return actions.add_parser(
        name, help=summary, description=f"{summary.capitalize()}.", epilog=f"flint flow {example}", allow_abbrev=False
    )


def _run_arguments(run: argparse.ArgumentParser) -> None:
    run.add_argument("path", type=Path, help="a directory, a BAR, or a flow file")
    run.add_argument("flow", nargs="?", default="", help="the flow, if there are several: schema.Name or Name")
    run.add_argument("--input", type=Path, nargs="+", metavar="FILE", help="messages; .mxml is recorded")
    run.add_argument("--header", action="append", default=[], metavar="NAME=VALUE", help="such as MQMD.CorrelId=42")
    run.add_argument("--trace", action="store_true", help="print what each node did, with microseconds")
    run.add_argument("--profile", action="store_true", help="print calls, microseconds and coverage of ESQL by line")
    run.add_argument("--json", action="store_true", help="print everything as JSON")
    run.add_argument("--out", metavar="DIR", help="write what would have left the flow to files here; of Spark: below")
    run.add_argument("--database", action="append", default=[], metavar="NAME=URL", help="a data source, as SQLAlchemy")
    run.add_argument("--http", action="append", default=[], metavar="NODE=FILE", help="the answer for an HTTP node")
    run.add_argument("--override", action="append", default=[], metavar="LINE", help="Flow#Node.property=value")
    run.add_argument("--node", metavar="LABEL", help="the input node, if the flow has several")
    run.add_argument("--method", default="POST", help="of the HTTP request (POST)")
    run.add_argument("--path", dest="url_path", default="", metavar="PATH", help="of the HTTP request")
    run.add_argument("--query", default="", help="of the HTTP request")
    run.add_argument("-k", dest="application", default="", metavar="NAME", help="the application of the flow")
    run.add_argument("--engine", choices=("function", "spark"), default="function", help="where it runs (function)")
    spark = run.add_argument_group("with --engine spark")
    ends = "mq:QUEUE, parquet:DIR or files:DIR; --out is mq: (each put to its queue), mq:QUEUE or parquet:DIR"
    spark.add_argument("--in", dest="source", metavar="FROM", help=ends)
    spark.add_argument("--stream", action="store_true", help="go on until Ctrl-C as messages arrive, exactly once")
    spark.add_argument("--drain", action="store_true", help="with --stream: end when all that is there is read")
    spark.add_argument("--checkpoint", type=Path, metavar="DIR", help="where the stream notes how far it is")
    spark.add_argument(
        "--failures", default="", metavar="QUEUE", help="with mq: put messages here that the flow fails on"
    )
    spark.add_argument("--mq", action="append", default=[], metavar="NAME=VALUE", help="such as queueManager=QM1")
    spark.add_argument("--shared", action="store_true", help="allow SHARED variables: each worker has its own")
    spark.add_argument("--master", default="", help="where Spark runs (local[*]); spark://host:7077")
    spark.add_argument("--memory", default="2g", help="of Java (2g)")


def _check_arguments(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    test = _action(actions, "test", "run recorded cases", "test Shop --record")
    test.add_argument("paths", type=Path, nargs="+", metavar="DIR", help="a project, its tests, or one case")
    test.add_argument("--record", action="store_true", help="write what comes out as the new expectation")
    test.add_argument("--only", default="", metavar="TEXT", help="only cases whose name contains this")
    test.add_argument("--profile", action="store_true", help="print calls and coverage of ESQL by line")
    esql = _action(actions, "esql", "compile ESQL and print what is wrong", "esql Shop/shop/Orders.esql --show")
    esql.add_argument("paths", type=Path, nargs="+", metavar="FILE", help="an ESQL file, a directory, BAR or flow")
    esql.add_argument("--show", action="store_true", help="print the Python that the ESQL becomes")
    esql.add_argument("--check", action="store_true", help="count warnings as errors")
    lint = _action(actions, "lint", "look for what is most probably wrong", "lint Shop --off FL006,FL011")
    lint.add_argument("paths", type=Path, nargs="*", metavar="PATH", help="a directory, a BAR, or a flow file")
    lint.add_argument("--off", action="append", default=[], metavar="CODES", help="leave out these checks: FL006,FL011")
    lint.add_argument("--json", action="store_true", help="print the findings as JSON")
    lint.add_argument("--list", action="store_true", help="list all checks")


def run(options: argparse.Namespace) -> int:
    try:
        from flintmq.broker.flow import command, command_check, command_run
    except ImportError as error:
        raise CommandFailed(f"flows need the broker extra ({error.name}): pip install 'flintmq[broker]'") from None
    if options.action == "run" and options.engine == "spark":
        return _run_on_spark(options)
    if options.action == "run":
        if not options.input:
            raise CommandFailed("say which messages to send: --input FILE", exit_code=2)
        wanted = command_run.RunOptions(
            options.path,
            options.flow,
            options.application,
            options.input,
            options.header,
            options.node,
            options.method,
            options.url_path,
            options.query,
            options.database,
            options.http,
            options.override,
            options.trace,
            options.profile,
            options.json,
            Path(options.out) if options.out else None,
        )
        return command_run.run(wanted, sys.stdout, sys.stderr)
    if options.action == "test":
        return command_check.test(options.paths, options.record, options.only, options.profile, sys.stdout, sys.stderr)
    if options.action == "esql":
        return command_check.check_esql(options.paths, options.show, options.check, sys.stdout, sys.stderr)
    if options.action == "lint":
        if options.list:
            return command_check.list_checks(sys.stdout)
        if not options.paths:
            raise CommandFailed("say what to look at: a directory, a BAR, or a flow file", exit_code=2)
        return command_check.lint(options.paths, options.off, options.json, sys.stdout, sys.stderr)
    if options.action == _flow_import.NAME:
        return _flow_import.run(options)
    if options.action == "convert":
        return command.convert(options.file, options.out, sys.stdout)
    if options.bar_action == "read":
        return command.print_bar(
            options.file, options.application, options.library, options.set, sys.stdout, sys.stderr
        )
    if options.overrides is None and not options.lines:
        raise CommandFailed("say what to override: an override file, or -m LINE", exit_code=2)
    return command.override(
        options.file,
        options.overrides,
        options.lines,
        options.out,
        options.application,
        options.library,
        options.lenient,
        sys.stderr,
    )


def _run_on_spark(options: argparse.Namespace) -> int:
    """Run a flow in Spark tasks."""
    if not options.source or not options.out:
        raise CommandFailed(
            "with --engine spark say --in mq:QUEUE, parquet:DIR or files:DIR, and --out mq:[QUEUE] or parquet:DIR",
            exit_code=2,
        )
    if options.input:
        raise CommandFailed("with --engine spark messages come from --in, not from --input", exit_code=2)
    try:
        from flintmq.pipeline.flows import command, frames

        assert frames  # It imports PySpark, which the command itself needs only later.
    except ImportError as error:
        raise CommandFailed(
            f"--engine spark needs the spark extra ({error.name}): ./flint setup spark, or pip install 'flintmq[spark]'"
        ) from None
    wanted = command.SparkRunOptions(
        options.path,
        options.flow,
        options.application,
        options.source,
        options.out,
        options.failures,
        options.checkpoint,
        options.stream,
        options.drain,
        options.master,
        options.memory,
        options.mq,
        options.database,
        options.override,
        options.node,
        options.shared,
    )
    return command.run(wanted, sys.stdout, sys.stderr)
