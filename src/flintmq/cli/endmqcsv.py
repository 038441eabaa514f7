"""flint endmqcsv: end the command server of a queue manager.

    endmqcsv QM1

PCF commands then stay on SYSTEM.ADMIN.COMMAND.QUEUE until strmqcsv. The queue manager itself goes on, and so
does runmqsc.

Exit codes: 0 done; 16 does not exist; 40 it is not running; 71 anything unexpected.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _command_server

NAME = "endmqcsv"
SUMMARY = "end the command server of a queue manager"


def arguments(parser: argparse.ArgumentParser) -> None:
    how = parser.add_mutually_exclusive_group()
    how.add_argument("-c", action="store_true", help="the default; the same as -i here")
    how.add_argument(
        "-i",
        action="store_true",
        help="at once; a command under way is backed out, and done when the command server is started again",
    )
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")


def run(options: argparse.Namespace) -> int:
    name, _ = _command_server.ask(options.name, "stop")
    print(f"FlintMQ command server of queue manager '{name}' ended.")
    return 0
