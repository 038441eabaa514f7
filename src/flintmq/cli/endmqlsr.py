"""flint endmqlsr: end the listeners that runmqlsr has started.

    endmqlsr -m QM1

Clients stay connected. Listeners that are LISTENER objects are ended by STOP LISTENER.

Exit codes: 0 done; 16 no such queue manager; 40 it is not running.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.cli import _control
from flintmq.cli._failure import CommandFailed
from flintmq.cli.endmqm import NOT_RUNNING
from flintmq.host import instance
from flintmq.server.control import Control, NotRunning

NAME = "endmqlsr"
SUMMARY = "end the listeners of runmqlsr"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="NAME", help="the queue manager (the default one)")
    parser.add_argument("-w", action="store_true", help="accepted; the command always waits")


def run(options: argparse.Namespace) -> int:
    try:
        place = instance.locate(_control.name_or_default(options.m))
    except (flintmq.QueueManagerError, CommandFailed) as error:
        return _control.refuse(f"AMQ8118E: {error}", _control.DOES_NOT_EXIST)
    try:
        with Control(place) as control:
            ended = control.ask({"do": "end listeners"})["ended"]
    except NotRunning:
        return _control.refuse(f"AMQ8146E: queue manager {place.name} is not running", NOT_RUNNING)
    print(f"{ended} listener{'s' if ended != 1 else ''} ended.")
    return 0
