"""flint mqsichangeflowmonitoring: switch the monitoring events of message flows on or off.

    mqsichangeflowmonitoring BRK -e default -k Shop -f shop.Orders -c active
    mqsichangeflowmonitoring BRK -e default -j -c active -m audit.xml
    mqsichangeflowmonitoring BRK -e default -f shop.Orders -i "In.transaction.Start,Out.terminal.in" -s enable
    mqsichangeflowmonitoring BRK -e default -j -c inactive

-c switches all events of a flow. -m gives it a monitoring profile, a file of XML, in place of the events in its flow
file; -m "" removes the profile. -i with -s switches single event sources. Events are published on
$SYS/Broker/BROKER/Monitoring/GROUP/FLOW.

Exit codes: 0; 1 the object does not exist, or the profile is wrong.
"""

from __future__ import annotations

import argparse
import os

from flintmq.cli import _broker
from flintmq.cli._failure import CommandFailed

NAME = "mqsichangeflowmonitoring"
SUMMARY = "switch the monitoring events of message flows on or off"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-e", metavar="GROUP", required=True, help="execution group")
    parser.add_argument("-k", metavar="APPLICATION", default="", help="application")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("-f", metavar="FLOW", default="", help="message flow")
    which.add_argument("-j", action="store_true", help="all message flows")
    parser.add_argument("-c", choices=("active", "inactive"), default="", help="emit events or not")
    parser.add_argument("-m", metavar="FILE", help='monitoring profile; "" for none')
    parser.add_argument("-i", metavar="SOURCES", default="", help="event sources, commas between")
    parser.add_argument("-s", choices=("enable", "disable"), default="", help="enable or disable the sources of -i")


def run(options: argparse.Namespace) -> int:
    if bool(options.i) != bool(options.s):
        raise CommandFailed("-i and -s belong together")
    return _broker.send(
        options.broker,
        "change monitoring",
        group=options.e,
        application=options.k,
        flow=options.f,
        state=options.c,
        # The broker process has another working directory.
        profile=os.path.abspath(options.m) if options.m else "",
        no_profile=options.m == "",
        addresses=[each.strip() for each in options.i.split(",") if each.strip()],
        switch=options.s,
    )
