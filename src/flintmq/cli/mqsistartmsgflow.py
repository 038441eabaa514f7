"""flint mqsistartmsgflow: start a message flow, an application or an execution group.

    mqsistartmsgflow BRK -e default -k Shop -m shop.Orders
    mqsistartmsgflow BRK -e default -k Shop
    mqsistartmsgflow BRK -e default
    mqsistartmsgflow BRK -g

A flow, an application (-k alone) or a whole group (neither) is started, and starts again with the broker. -g
is for all groups.

Exit codes: 0; 1 the object does not exist.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsistartmsgflow"
SUMMARY = "start a message flow, an application or an execution group"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.start_stop_arguments(parser)


def run(options: argparse.Namespace) -> int:
    return _broker.send_start_stop("start", options)
