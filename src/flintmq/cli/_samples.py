"""The common base of the sample programs: how they connect, and their lines about failed calls.

They connect as every program does (`flintmq.connect`): through MQSERVER or a channel definition table, else to the
queue manager of this machine that is named, or the default one. MQSAMP_USER_ID is the user; the password is asked for.

They print the text of MQ's own samples, byte for byte, because scripts look at it.
"""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from typing import Protocol, cast

import flintmq
from flintmq.cli._failure import CommandFailed
from flintmq.client.mqi import MQI as MQI
from flintmq.mqi.constants import MQCO_NONE
from flintmq.mqi.od import MQOD
from flintmq.mqi.printable import printable
from flintmq.qmgr.connection import Handle

#: What a sample ends with when an argument is missing, and when it cannot connect (as C has it: the low byte).
MISSING = 99


class Connected(Protocol):
    """A connection of either kind."""

    @property
    def mqi(self) -> MQI:
        """The calls of the MQI."""

    def close(self) -> None:
        """Disconnect."""


def connect(name: str | None, application: str, call: str = "MQCONNX") -> AbstractContextManager[Connected]:
    """Connect to the queue manager of the arguments. Raises CommandFailed after the lines of MQ's samples."""
    user = os.environ.get("MQSAMP_USER_ID", "")
    secret = password() if user else ""
    try:
        made = flintmq.connect(name or "", user=user, password=secret, application=application)
        return closing(cast(Connected, made))
    except flintmq.MQError as error:
        print(f"{call} ended with reason code {error.reason}", flush=True)
        raise CommandFailed(str(error), error.reason % 256) from None


def password() -> str:
    """The password: asked for, or the first line of standard input."""
    if sys.stdin.isatty():
        return getpass.getpass("Enter password: ")
    print("Enter password: ", end="", flush=True)
    line = sys.stdin.readline().rstrip("\n")
    print()
    return line


def lines() -> Iterator[bytes]:
    """Lines of standard input, until one is empty."""
    for line in sys.stdin.buffer:
        text = line.rstrip(b"\r\n")
        if not text:
            return
        yield text


def queue(name: str, q_mgr: str = "", dynamic: str = "") -> MQOD:
    """The object descriptor of a queue."""
    od = MQOD()
    od.object_name, od.object_q_mgr_name = name, q_mgr
    if dynamic:
        od.dynamic_q_name = dynamic
    return od


def text(data: bytes) -> str:
    """Message data as it is shown: as it is in a pipe, with escapes for unprintable characters at a terminal."""
    shown = data.decode("utf-8", "replace")
    return printable(shown) if sys.stdout.isatty() else shown


def failed(call: str, error: flintmq.MQError) -> None:
    """Say that a call failed."""
    print(f"{call} ended with reason code {error.reason}")


def close(mqi: MQI, handle: Handle, options: int = MQCO_NONE, call: str = "MQCLOSE") -> None:
    """Close an object; print the line of MQ's samples."""
    try:
        mqi.close(handle, options)
    except flintmq.MQError as error:
        failed(call, error)
