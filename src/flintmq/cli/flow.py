"""flint flow: convert message flows, and read and override BAR files.

    flint flow convert Orders.msgflow
    flint flow convert Orders.msgflow -o Orders.msgflow.yaml
    flint flow convert Orders.msgflow.yaml -o Orders.msgflow
    flint flow bar read orders.bar
    flint flow bar read orders.bar -k Shop --set > shop.properties
    flint flow bar override orders.bar shop.properties -o production.bar
    flint flow bar override orders.bar -m "shop.Orders#Get order.queueName=PROD.IN" -o production.bar

`convert` turns a flow into readable YAML and back; nothing is lost on the way. `bar read` prints every property that
can be overridden with its current value, as an override file: edit it and apply it with `bar override`. A line is
`flow#node label.property=value`, `flow#property=value` for the flow and for promoted properties, a name without `=`
to remove an override, or `old=new` to replace a value everywhere. `[application]` and `[application/library]` say where
the lines after them belong. Needs the broker extra.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from flintmq.cli._failure import CommandFailed

NAME = "flow"
SUMMARY = "convert message flows, and read and override BAR files"


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="convert|bar")
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


def run(options: argparse.Namespace) -> int:
    try:
        from flintmq.broker.flow import command
    except ImportError as error:
        raise CommandFailed(f"flows need the broker extra ({error.name}): pip install 'flintmq[broker]'") from None
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
