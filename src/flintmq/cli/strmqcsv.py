"""flint strmqcsv: start the command server of a queue manager.

    strmqcsv QM1

It starts with the queue manager unless SCMDSERV(MANUAL); this command starts it by hand, also after endmqcsv.

Exit codes: 0 done; 16 does not exist; 40 it is not running; 71 anything unexpected.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _command_server

NAME = "strmqcsv"
SUMMARY = "start the command server of a queue manager"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")


def run(options: argparse.Namespace) -> int:
    name, _ = _command_server.ask(options.name, "start")
    print(f"FlintMQ command server of queue manager '{name}' started.")
    return 0
