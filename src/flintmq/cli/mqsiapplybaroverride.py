"""flint mqsiapplybaroverride: apply overrides to a BAR file.

    mqsiapplybaroverride -b orders.bar -p production.properties
    mqsiapplybaroverride -b orders.bar -p production.properties -o orders-production.bar -k Shop
    mqsiapplybaroverride -b orders.bar -m "shop.Orders#Get order.queueName=PROD.IN"

The file of -p has lines `Flow#Node.property=value`; another BAR and a deployment descriptor are taken as well.
Without -o the BAR itself is changed. A line that addresses nothing is an error, and nothing is written. No broker is
needed.

Exit codes: 0; 1 a line addresses nothing, or a file cannot be read.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from flintmq.cli import _broker
from flintmq.cli._failure import CommandFailed

NAME = "mqsiapplybaroverride"
SUMMARY = "apply overrides to a BAR file"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-b", metavar="BAR", type=Path, required=True, help="BAR file")
    parser.add_argument("-p", metavar="FILE", type=Path, help="override file")
    parser.add_argument("-m", metavar="LINE", action="append", default=[], help="one override")
    parser.add_argument("-o", metavar="BAR", type=Path, help="write this BAR instead")
    parser.add_argument("-k", metavar="APPLICATION", default="", help="for this application only")
    parser.add_argument("-y", metavar="LIBRARY", default="", help="for this library of the application only")


def run(options: argparse.Namespace) -> int:
    _broker.need_extra()
    from flintmq.broker.flow import command

    if options.p is None and not options.m:
        raise CommandFailed("say what to override: -p FILE or -m LINE", exit_code=2)
    target = options.o or options.b
    command.override(options.b, options.p, options.m, target, options.k, options.y, False, sys.stderr)
    return _broker.done()
