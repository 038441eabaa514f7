"""flint mqsireportproperties: show properties of a broker, a group, a policy or a flow.

    mqsireportproperties BRK -e default -k Shop -o shop.Orders
    mqsireportproperties BRK -e default -k Shop -o "shop.Orders#Get order" -n queueName
    mqsireportproperties BRK -e default -o HTTPConnector
    mqsireportproperties BRK -o DataSource/SHOP

The objects are those of mqsichangeproperties. A password is not shown.

Exit codes: 0; 1 the object does not exist.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsireportproperties"
SUMMARY = "show properties of a broker, a group, a policy or a flow"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-e", metavar="GROUP", default="", help="execution group")
    parser.add_argument("-k", metavar="APPLICATION", default="", help="application of the flow")
    parser.add_argument("-o", metavar="OBJECT", required=True, help="object")
    parser.add_argument("-n", metavar="NAMES", default="", help="only these properties, commas between")
    parser.add_argument("-a", action="store_true", help="all properties (without -n as well)")
    parser.add_argument("-r", action="store_true", help="accepted: objects have no children")


def run(options: argparse.Namespace) -> int:
    return _broker.send(
        options.broker,
        "report properties",
        group=options.e,
        application=options.k,
        object=options.o,
        names=[name for name in options.n.split(",") if name],
    )
