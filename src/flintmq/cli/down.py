"""flint down: end a queue manager that `flint up` or strmqm has started; nothing is lost.

    flint down
    flint down ORDERS

Applications are disconnected, and their uncommitted work is backed out, as with `endmqm -i`. One that does not run is
as good as ended. `flint up` starts it again; `dltmqm` deletes it.

Exit codes: 0 it does not run; 16 does not exist; 49 it has not ended in time; 71 anything unexpected.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.cli import _control, endmqm, main
from flintmq.cli.up import DEFAULT_NAME
from flintmq.host import instance
from flintmq.host.lock import holder_of

NAME = "down"
SUMMARY = "end a queue manager that up has started"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", default=DEFAULT_NAME, help=f"the queue manager ({DEFAULT_NAME})")


def run(options: argparse.Namespace) -> int:
    try:
        place = instance.locate(options.name)
    except flintmq.QueueManagerError as error:
        return _control.refuse(f"AMQ8118E: {error.text}", _control.DOES_NOT_EXIST)
    if place.exists() and holder_of(place.lock_path) is None:
        print(f"{place.name} does not run.")
        return 0
    command = main.load(endmqm.NAME)
    return command.run(main.parser_of(command, endmqm.NAME).parse_args(["-i", options.name]))
