"""flint mqsideploy: deploy a BAR file or a directory to an execution group.

    mqsideploy BRK -e default -a orders.bar
    mqsideploy BRK -e default -a Shop -p production.properties
    mqsideploy BRK -e default -a orders.bar -o "shop.Orders#Get order.queueName=PROD.IN" -k Shop
    mqsideploy BRK -e default -d Shop

Everything is checked before anything changes: if the BAR, its ESQL or an override is wrong, the messages name file
and place, and the earlier deployment keeps running. Applications of the same name are replaced, others stay; -m empties
the group first. Flows that are replaced finish the messages under way; no message meets two versions. Flows that
cannot run because of a node that is not known are named; the rest of the application runs.

-p is an override file, -o a line of one (several times); with -k they are for one application. -d removes
applications. A stopped broker runs the deployment at its next start.

Exit codes: 0; 1 refused, nothing has changed.
"""

from __future__ import annotations

import argparse
import os

from flintmq.cli import _broker

NAME = "mqsideploy"
SUMMARY = "deploy a BAR file or a directory to an execution group"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-e", metavar="GROUP", required=True, help="execution group")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("-a", metavar="PATH", default="", help="BAR file, or directory of projects")
    what.add_argument("-d", metavar="NAMES", default="", help="remove these applications: Shop:Errors")
    parser.add_argument("-m", action="store_true", help="remove everything else from the group")
    parser.add_argument("-p", metavar="FILE", default="", help="override file")
    parser.add_argument(
        "-o", metavar="LINE", action="append", default=[], help="one override: Flow#Node.property=value"
    )
    parser.add_argument("-k", metavar="APPLICATION", default="", help="the overrides are for this application")
    _broker.wait_argument(parser)


def run(options: argparse.Namespace) -> int:
    if options.d:
        names = [name for name in options.d.split(":") if name]
        return _broker.send(options.broker, "undeploy", group=options.e, applications=names)
    return _broker.send(
        options.broker,
        "deploy",
        group=options.e,
        path=os.path.abspath(options.a),
        overrides=os.path.abspath(options.p) if options.p else "",
        lines=options.o,
        application=options.k,
        clear=options.m,
        wait=options.w,
    )
