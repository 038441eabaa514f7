"""flint dspmqtrn: list the units of work that are in doubt, or were resolved by hand.

    dspmqtrn -m QM1
    dspmqtrn -m QM1 -a
    dspmqtrn -m QM1 -q

A unit of work of a transaction manager is in doubt between xa_prepare and its answer. The queue manager may run or not.
rsvmqtrn resolves a unit by the number that is shown here.

Exit codes: 0; 36 bad argument; 40 the queue manager is open in another program; 72 there is none of
that name; 102 there are no units.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _transactions

NAME = "dspmqtrn"
SUMMARY = "list the units of work that are in doubt"
NO_TRANSACTIONS = 102


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.conflict_handler = "resolve"  # -h is as in MQ; --help helps.
    group = parser.add_argument_group("as in MQ")
    group.add_argument("-m", metavar="NAME", help="the queue manager (the default one)")
    group.add_argument("-a", action="store_true", help="those in doubt and those resolved by hand")
    group.add_argument("-e", action="store_true", help="those in doubt (the default)")
    group.add_argument("-h", action="store_true", help="those resolved by hand")
    group.add_argument("-q", action="store_true", help="the numbers only")


def run(options: argparse.Namespace) -> int:
    with _transactions.units(options.m) as units:
        in_doubt = units.in_doubt if options.a or options.e or not options.h else []
        heuristic = units.heuristic if options.a or options.h else {}
    for xid in in_doubt:
        _show(xid, "is in-doubt", options.q)
    for xid, committed in heuristic.items():
        _show(xid, f"was {'committed' if committed else 'backed out'} by hand", options.q)
    if in_doubt or heuristic:
        return 0
    if not options.q:
        print("AMQ7107I: there are no such units of work.")
    return NO_TRANSACTIONS


def _show(xid: bytes, state: str, quiet: bool) -> None:
    number = _transactions.transaction_number(xid)
    print(number if quiet else f"AMQ7056I: Transaction number {number} {state}.\n{_transactions.describe(xid)}")
