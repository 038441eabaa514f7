"""flint explain: why the last connects, opens and commands were refused, and the settings that would allow them.

    flint explain
    flint explain QM1 -n 3

An application that sees 2035, 2393 or 2540 is told no more than that. This tells which rule, user, address and setting
decided, and the command that changes it. The queue manager may run or not; the last 200 refusals are kept. Passwords
are in none of them.

Exit codes: 0; 16 there is no such queue manager; 39 bad parameter.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.cli import _control
from flintmq.host import instance
from flintmq.server import refusals
from flintmq.server.control import Control, NotRunning

NAME = "explain"
SUMMARY = "why the last connects, opens and commands were refused, and what would allow them"
COUNT = 10


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")
    parser.add_argument("-n", metavar="COUNT", type=int, default=COUNT, help=f"at most so many ({COUNT})")


def run(options: argparse.Namespace) -> int:
    if options.n < 1:
        return _control.refuse("-n takes a number from 1 up", _control.BAD_PARAMETER)
    try:
        place = instance.locate(_control.name_or_default(options.name))
    except flintmq.QueueManagerError as error:
        return _control.refuse(f"AMQ8118E: {error}", _control.DOES_NOT_EXIST)
    if not place.exists():
        return _control.refuse(f"AMQ8118E: queue manager {place.name} does not exist", _control.DOES_NOT_EXIST)
    try:
        with Control(place) as control:
            found = refusals.from_json(control.ask({"do": "explain"}).get("refusals"))
    except (NotRunning, OSError):
        found = refusals.load(place.errors_directory)
    if not found:
        print(f"Queue manager {place.name} has refused nothing.")
    for line in refusals.explained(found, options.n):
        print(line)
    return 0
