"""flint rsvmqtrn: commit or back out a unit of work in doubt by hand, or forget one that was.

    rsvmqtrn -m QM1 -c 0,1234567890
    rsvmqtrn -m QM1 -b 0,1234567890
    rsvmqtrn -m QM1 -f 0,1234567890

dspmqtrn shows the numbers. The decision is the transaction manager's; take it only if that is lost for good. It is told
the next time it asks, until it or `-f` forgets the unit. The queue manager may run or not.

Exit codes: 0; 32 not resolved; 36 bad argument; 40 the queue manager is open in another program; 72 there is none of
that name; 85 the transaction number is not known.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _control, _transactions
from flintmq.mqi.xid import XA_OK
from flintmq.server import in_doubt

NAME = "rsvmqtrn"
SUMMARY = "resolve a unit of work that is in doubt by hand"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="NAME", help="the queue manager (the default one)")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("-b", metavar="NUMBER", help="back out")
    action.add_argument("-c", metavar="NUMBER", help="commit")
    action.add_argument("-f", metavar="NUMBER", help="forget a unit that was resolved by hand")


def run(options: argparse.Namespace) -> int:
    number = options.b or options.c or options.f
    how = in_doubt.FORGET if options.f else in_doubt.COMMIT if options.c else in_doubt.BACK_OUT
    with _transactions.units(options.m) as units:
        xid = _transactions.find(list(units.heuristic if options.f else units.in_doubt), number)
        code = units.resolve(xid, how)
    if code != XA_OK:
        return _control.refuse(
            f"AMQ7226E: transaction number {number} was not resolved", _transactions.COULD_NOT_RESOLVE
        )
    done = "forgotten" if options.f else "committed" if options.c else "backed out"
    print(f"AMQ7227I: Transaction number {number} was {done}.")
    return 0
