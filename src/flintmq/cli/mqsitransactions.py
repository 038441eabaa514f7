"""flint mqsitransactions: show and settle coordinated transactions with databases.

    mqsitransactions BRK
    mqsitransactions BRK -e default
    mqsitransactions BRK -e default --commit 1179405649_Zm9v_U0hPUA==
    mqsitransactions BRK -e default --rollback 1179405649_Zm9v_U0hPUA==
    mqsitransactions BRK -e default --forget 1179405649_Zm9v_U0hPUA==

A line is a prepared transaction (branch) of a database: execution group, data source, state, age, gid. The broker
settles them by itself, within seconds once database and queue manager answer. States: active (an instance works on
it), decided (it will be committed), in doubt (it will be rolled back), heuristic (its outcome differs from the
decision, or is not known), unreachable (the data source does not answer).

--commit and --rollback end a branch that is not active at once; if that contradicts the decision it is recorded as
heuristic. --forget removes the record of a heuristic outcome.

Exit codes: 0; 1 the execution group does not run, or there is no such branch.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker
from flintmq.cli._failure import CommandFailed

NAME = "mqsitransactions"
SUMMARY = "show and settle coordinated transactions with databases"
ACTIONS = ("commit", "rollback", "forget")


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-e", metavar="GROUP", default="", help="execution group")
    choice = parser.add_mutually_exclusive_group()
    for action in ACTIONS:
        choice.add_argument(f"--{action}", metavar="GID", default="", help=f"{action} this branch")


def run(options: argparse.Namespace) -> int:
    _broker.need_extra()
    action = next((each for each in ACTIONS if getattr(options, each)), "")
    if not action:
        return _broker.send(options.broker, "transactions", group=options.e)
    if not options.e:
        raise CommandFailed(f"--{action} needs the execution group: -e GROUP")
    return _broker.send(
        options.broker, "resolve transaction", group=options.e, gid=getattr(options, action), action=action
    )
