"""flint rsvmqtrn: commit or back out a unit of work in doubt by hand, or forget one that was.

    rsvmqtrn -m QM1 -c 0,1234567890
    rsvmqtrn -m QM1 -b 0,1234567890
    rsvmqtrn -m QM1 -f 0,1234567890

dspmqtrn shows the numbers. The decision is the transaction manager's; take it only if that is lost for good. It is told
the next time it asks, until it or `-f` forgets the unit. Nobody else may have the queue manager open.

Exit codes: 0; 32 not resolved; 36 bad argument; 40 the queue manager is in use; 72 there is none of that name; 85 the
transaction number is not known.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _control, _transactions
from flintmq.client.embedded import Host
from flintmq.qmgr import xa

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
    with _transactions.opened(options.m) as host:
        xid = _transactions.find(list(host.engine.heuristic if options.f else host.engine.in_doubt), number)
        code = _resolve(host, xid, options)
        if code == xa.XAER_RMERR and host.make_room():
            code = _resolve(host, xid, options)
    if code != xa.XA_OK:
        return _control.refuse(
            f"AMQ7226E: transaction number {number} was not resolved", _transactions.COULD_NOT_RESOLVE
        )
    done = "forgotten" if options.f else "committed" if options.c else "backed out"
    print(f"AMQ7227I: Transaction number {number} was {done}.")
    return 0


def _resolve(host: Host, xid: bytes, options: argparse.Namespace) -> int:
    """One try; durable when it returns."""
    with host.call:
        keeper = host.housekeeper()
        if options.f:
            code = xa.xa_forget(host.engine, keeper, xid)
        else:
            code = xa.resolve_in_doubt(host.engine, keeper, xid, options.c is not None)
        force = host.settle(keeper)
    host.durable(force)
    return code
