"""flint mqsireporttrace: show the user trace of an execution group.

    mqsireporttrace BRK -u -e default

Prints the level of the group and of flows with a level of their own, and the path of the file.

Exit codes: 0; 1 the group does not exist.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsireporttrace"
SUMMARY = "show the user trace of an execution group"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-u", action="store_true", required=True, help="user trace; there is no other")
    parser.add_argument("-e", metavar="GROUP", required=True, help="execution group")


def run(options: argparse.Namespace) -> int:
    return _broker.send(options.broker, "report trace", group=options.e)
