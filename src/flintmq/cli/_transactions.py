"""The common base of dspmqtrn and rsvmqtrn: the units of work in doubt of a queue manager, running or not.

A unit has a transaction number, `0,` and the CRC-32 of its xid: the same each time it is looked at, whatever else was
resolved meanwhile.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import flintmq
from flintmq.cli import _control
from flintmq.cli._failure import CommandFailed
from flintmq.host import instance, lifecycle
from flintmq.host.host import Host
from flintmq.mqi.xid import unpack_xid
from flintmq.server import in_doubt
from flintmq.server.control import Control, NotRunning

COULD_NOT_RESOLVE = 32
BAD_ARGUMENT = 36
NOT_AVAILABLE = 40
NOT_KNOWN = 85


class Units(Protocol):
    """The units of work of a queue manager that somebody has to decide, or has decided, by hand."""

    #: Those in doubt, and those that were resolved: True where that was by a commit.
    in_doubt: list[bytes]
    heuristic: dict[bytes, bool]

    def resolve(self, xid: bytes, how: str) -> int:
        """Run the action `how` of in_doubt.py; return the XA return code, when it is durable."""


class OpenedUnits:
    """Those of a queue manager that this command has open."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.in_doubt = sorted(host.engine.in_doubt)
        self.heuristic = dict(sorted(host.engine.heuristic.items()))

    def resolve(self, xid: bytes, how: str) -> int:
        """See Units."""
        with self._host.call:
            code, force = in_doubt.resolve(self._host, xid, how)
        self._host.durable(force)
        return code


class RunningUnits:
    """Those of a queue manager that strmqm has started."""

    def __init__(self, place: instance.Instance) -> None:
        self._place = place
        reply = self._ask({"do": "transactions"})
        self.in_doubt = sorted(map(bytes.fromhex, reply["in doubt"]))
        self.heuristic = {bytes.fromhex(xid): committed for xid, committed in sorted(reply["heuristic"].items())}

    def resolve(self, xid: bytes, how: str) -> int:
        """See Units."""
        return int(self._ask({"do": "resolve", "xid": xid.hex(), "how": how})["code"])

    def _ask(self, question: dict[str, str]) -> dict[str, Any]:
        with Control(self._place) as control:
            return control.ask(question)


@contextmanager
def units(name: str | None) -> Iterator[Units]:
    """Those of a queue manager that runs, or that is opened for as long as the command runs."""
    try:
        place = instance.locate(_control.name_or_default(name))
        running = _running(place)
        host = None if running else Host(*lifecycle.open_on_disk(place), place)
    except flintmq.QueueManagerInUse as error:
        raise CommandFailed(f"AMQ8146E: {error.text}", NOT_AVAILABLE) from None
    except flintmq.QueueManagerNotFound as error:
        raise CommandFailed(f"AMQ7048E: {error.text}", _control.BAD_NAME) from None
    except flintmq.InvalidName as error:
        raise CommandFailed(f"AMQ7048E: {error.text}", _control.BAD_NAME) from None
    except OSError as error:
        raise CommandFailed(f"AMQ8146E: {error}", NOT_AVAILABLE) from None
    if host is None:
        assert running is not None
        yield running
        return
    try:
        yield OpenedUnits(host)
    finally:
        host.close()


def _running(place: instance.Instance) -> RunningUnits | None:
    try:
        return RunningUnits(place)
    except NotRunning:
        return None


def transaction_number(xid: bytes) -> str:
    """Return the name of a unit of work for operators."""
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
