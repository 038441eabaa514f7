"""flint mqsistopmsgflow: stop a message flow, an application or an execution group.

    mqsistopmsgflow BRK -e default -k Shop -m shop.Orders
    mqsistopmsgflow BRK -e default -k Shop
    mqsistopmsgflow BRK -e default
    mqsistopmsgflow BRK -g

A flow, an application (-k alone) or a whole group (neither) finishes the messages under way and stops. It stays
stopped when the broker starts again. -g is for all groups.

Exit codes: 0; 1 the object does not exist.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsistopmsgflow"
SUMMARY = "stop a message flow, an application or an execution group"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.start_stop_arguments(parser)


def run(options: argparse.Namespace) -> int:
    return _broker.send_start_stop("stop", options)
