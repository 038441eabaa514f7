"""flint mqsicreateexecutiongroup: create an execution group.

    mqsicreateexecutiongroup BRK -e default

An execution group has processes of its own. It starts at once if the broker runs.

Exit codes: 0; 1 the broker does not exist, or the group does.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsicreateexecutiongroup"
SUMMARY = "create an execution group"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-e", metavar="GROUP", required=True, help="execution group")


def run(options: argparse.Namespace) -> int:
    return _broker.send(options.broker, "create group", group=options.e)
