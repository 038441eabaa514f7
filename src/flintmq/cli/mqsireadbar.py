"""flint mqsireadbar: print the properties of a BAR file that can be overridden.

    mqsireadbar -b orders.bar
    mqsireadbar -b orders.bar -r > production.properties
    mqsireadbar -b orders.bar -k Shop

The output is an override file: edit it, and mqsiapplybaroverride or mqsideploy -p applies it. Without -r only existing
overrides are shown. No broker is needed.

Exit codes: 0; 1 the BAR or a part of it cannot be read.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from flintmq.cli import _broker

NAME = "mqsireadbar"
SUMMARY = "print the properties of a BAR file that can be overridden"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-b", metavar="BAR", type=Path, required=True, help="BAR file")
    parser.add_argument("-k", metavar="APPLICATION", default="", help="only this application")
    parser.add_argument("-y", metavar="LIBRARY", default="", help="only this library of the application")
    parser.add_argument("-r", action="store_true", help="everything that can be overridden")


def run(options: argparse.Namespace) -> int:
    _broker.need_extra()
    from flintmq.broker.flow import command

    return command.print_bar(options.b, options.k, options.y, not options.r, sys.stdout, sys.stderr)
