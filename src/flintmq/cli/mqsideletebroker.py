"""flint mqsideletebroker: delete a broker that is stopped.

    mqsideletebroker BRK

Everything that belongs to it is deleted: repository, deployed content, log. Queues and their messages stay.

Exit codes: 0; 1 the broker does not exist, or it is running.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsideletebroker"
SUMMARY = "delete a broker that is stopped"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)


def run(options: argparse.Namespace) -> int:
    place = _broker.located(options.broker)
    from flintmq.broker.admin import process

    process.delete(place)
    return _broker.done()
