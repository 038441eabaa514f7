"""What dspmqtrn and rsvmqtrn share: the units of work in doubt of a queue manager that nobody has open.

A unit has a transaction number, `0,` and the CRC-32 of its xid: the same each time it is looked at, whatever else was
resolved meanwhile.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import flintmq
from flintmq.cli import _control
from flintmq.cli._failure import CommandFailed
from flintmq.client import instance
from flintmq.client.embedded import Host
from flintmq.qmgr.xa import unpack_xid

COULD_NOT_RESOLVE = 32
BAD_ARGUMENT = 36
NOT_AVAILABLE = 40
NOT_KNOWN = 85


@contextmanager
def opened(name: str | None) -> Iterator[Host]:
    """The queue manager, opened for as long as the command runs."""
    try:
        place = instance.locate(_control.name_or_default(name))
        host = Host(*instance.open_on_disk(place), place)
    except flintmq.QueueManagerInUse as error:
        raise CommandFailed(f"AMQ8146E: {error.text}", NOT_AVAILABLE) from None
    except flintmq.QueueManagerNotFound as error:
        raise CommandFailed(f"AMQ7048E: {error.text}", _control.BAD_NAME) from None
    except flintmq.InvalidName as error:
        raise CommandFailed(f"AMQ7048E: {error.text}", _control.BAD_NAME) from None
    try:
        yield host
    finally:
        host.close()


def transaction_number(xid: bytes) -> str:
    """What the operator calls a unit of work."""
    return f"0,{zlib.crc32(xid)}"


def find(xids: list[bytes], number: str) -> bytes:
    """The unit with a transaction number; CommandFailed if there is none."""
    wanted = number.replace(" ", "")
    found = [xid for xid in xids if transaction_number(xid) == wanted]
    if len(found) != 1:
        raise CommandFailed(f"AMQ7225E: transaction number {number} is not known; dspmqtrn lists them", NOT_KNOWN)
    return found[0]


def describe(xid: bytes) -> str:
    """The xid as dspmqtrn shows it."""
    format_id, gtrid, bqual = unpack_xid(xid)
    return (
        f"  XID: formatID {format_id}, gtrid_length {len(gtrid)}, bqual_length {len(bqual)}\n"
        f"    gtrid [{gtrid.hex().upper()}]\n"
        f"    bqual [{bqual.hex().upper()}]"
    )
