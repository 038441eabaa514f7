"""flint dspmqcsv: show whether the command server of a queue manager runs.

    dspmqcsv QM1

It carries out PCF commands from SYSTEM.ADMIN.COMMAND.QUEUE. DISPLAY QMSTATUS CMDSERV shows the same.

Exit codes: 0 done; 16 does not exist; 40 it is not running; 71 anything unexpected.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _command_server

NAME = "dspmqcsv"
SUMMARY = "show whether the command server of a queue manager runs"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")


def run(options: argparse.Namespace) -> int:
    name, reply = _command_server.ask(options.name, "status")
    state = "Running" if reply["running"] else "Stopped"
    print(f"FlintMQ command server status of queue manager '{name}': {state}")
    return 0
