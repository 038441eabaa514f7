"""flint mqsichangetrace: switch the user trace of an execution group or a flow on or off.

    mqsichangetrace BRK -u -e default -l normal
    mqsichangetrace BRK -u -e default -k Shop -f shop.Orders -l debug -c 4096
    mqsichangetrace BRK -u -e default -l normal -r
    mqsichangetrace BRK -u -e default -l none

The trace has a line for each node and terminal that a message passes, and the output of Trace nodes and LOG USER TRACE;
debug has the message trees as well, so message data is in the file. -r empties it first; -c is the size in KB after
which it is renamed to `.1`. mqsireporttrace shows where the file is.

Exit codes: 0; 1 the object does not exist, or an option is wrong.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsichangetrace"
SUMMARY = "switch the user trace of an execution group or a flow on or off"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-u", action="store_true", required=True, help="user trace; there is no other")
    parser.add_argument("-e", metavar="GROUP", required=True, help="execution group")
    parser.add_argument("-k", metavar="APPLICATION", default="", help="application")
    parser.add_argument("-f", metavar="FLOW", default="", help="only this message flow")
    parser.add_argument("-l", choices=("none", "normal", "debug"), default="", help="level")
    parser.add_argument("-r", action="store_true", help="empty the file first")
    parser.add_argument("-c", metavar="KB", type=int, default=0, help="size of the file (102400)")
    parser.add_argument("-m", choices=("safe", "fast", "temp"), help="accepted: lines are written when a message ends")


def run(options: argparse.Namespace) -> int:
    return _broker.send(
        options.broker,
        "change trace",
        group=options.e,
        application=options.k,
        flow=options.f,
        level=options.l,
        reset=options.r,
        size=options.c,
    )
