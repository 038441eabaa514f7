"""flint mqsireportflowmonitoring: show which monitoring events message flows emit.

    mqsireportflowmonitoring BRK -e default -j
    mqsireportflowmonitoring BRK -e default -f shop.Orders -n
    mqsireportflowmonitoring BRK -e default -f shop.Orders -a
    mqsireportflowmonitoring BRK -e default -f shop.Orders -x > profile.xml

-n lists the events that are configured, -a every event source that the flow has. -x writes the configured events as a
monitoring profile, with -a all of them, to be edited and given to mqsichangeflowmonitoring -m.

Exit codes: 0; 1 the object does not exist.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsireportflowmonitoring"
SUMMARY = "show which monitoring events message flows emit"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-e", metavar="GROUP", required=True, help="execution group")
    parser.add_argument("-k", metavar="APPLICATION", default="", help="application")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("-f", metavar="FLOW", default="", help="message flow")
    which.add_argument("-j", action="store_true", help="all message flows")
    parser.add_argument("-n", action="store_true", help="list the events that are configured")
    parser.add_argument("-a", action="store_true", help="list every event source")
    parser.add_argument("-x", action="store_true", help="write a monitoring profile")


def run(options: argparse.Namespace) -> int:
    fields = {
        "group": options.e,
        "application": options.k,
        "flow": options.f,
        "events": options.n,
        "every": options.a,
        "export": options.x,
    }
    if not options.x:
        return _broker.send(options.broker, "report monitoring", **fields)
    # The profile alone, so that it can be written to a file.
    return _broker.send_plainly(options.broker, "report monitoring", **fields)
