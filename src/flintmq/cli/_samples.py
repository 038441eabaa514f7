"""What the sample programs share: how they connect, and what they say about calls that fail.

    MQSERVER=CHANNEL/TCP/host(port)   over the network, through a server-connection channel
    else                              a queue manager of this machine that runs, by name, or the default one
    MQSAMP_USER_ID                    the user; the password is asked for

They print what MQ's own samples print, byte for byte, because scripts look at it.
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
from flintmq.client import instance
from flintmq.client.lock import holder_of
from flintmq.client.mqi import MQI as MQI
from flintmq.mqi.constants import MQCO_NONE
from flintmq.mqi.od import MQOD
from flintmq.mqi.reason import MQRC_Q_MGR_NOT_AVAILABLE
from flintmq.qmgr.connection import Handle
from flintmq.server.control import Control, NotRunning

#: What a sample ends with when an argument is missing, and when it cannot connect (as C has it: the low byte).
MISSING = 99
_CHANNELS = ("DEV.APP.SVRCONN", "SYSTEM.DEF.SVRCONN")


class Connected(Protocol):
    """A connection of either kind."""

    @property
    def mqi(self) -> MQI:
        """The calls of the MQI."""

    def close(self) -> None:
        """Disconnect."""


def connect(name: str | None, application: str, call: str = "MQCONNX") -> AbstractContextManager[Connected]:
    """MQCONNX to the queue manager that is meant. Raises CommandFailed, having said what MQ's samples say."""
    user = os.environ.get("MQSAMP_USER_ID", "")
    password = _password() if user else ""
    try:
        return closing(_connected(name or "", application, user, password))
    except flintmq.MQError as error:
        print(f"{call} ended with reason code {error.reason}", flush=True)
        raise CommandFailed(f"{application}: {error}", error.reason % 256) from None


def _connected(name: str, application: str, user: str, password: str) -> Connected:
    server = os.environ.get("MQSERVER", "")
    if server:
        channel, transport, conn = _parts(server)
        if transport.upper() != "TCP":
            raise CommandFailed(f"{application}: MQSERVER has transport {transport}; there is only TCP", MISSING)
        return _through(name, channel, conn, application, user, password)
    chosen = name or instance.default_name()
    if not chosen:
        text = f"{application}: name a queue manager, or set MQSERVER to CHANNEL/TCP/host(port)"
        raise CommandFailed(text, MISSING)
    place = instance.locate(chosen)
    if not place.exists():
        raise flintmq.QueueManagerNotFound(f"there is no queue manager {place.name}; `flint up` makes one")
    return _running(place, application, user, password)


def _parts(server: str) -> tuple[str, str, str]:
    parts = server.split("/", 2)
    if len(parts) != 3 or not all(parts):
        raise CommandFailed(f"MQSERVER is {server!r}; it is written CHANNEL/TCP/host(port)", MISSING)
    return parts[0], parts[1], parts[2]


def _running(place: instance.Instance, application: str, user: str, password: str) -> Connected:
    """A queue manager process of this machine: through the first channel that it lets us use."""
    try:
        with Control(place) as control:
            addresses = control.ask({"do": "ping"}).get("addresses", [])
    except (NotRunning, OSError):
        holder = holder_of(place.lock_path)
        why = (
            f"is open in {holder}, which alone can use it"
            if holder
            else f"does not run; `strmqm {place.name}` starts it"
        )
        raise flintmq.NotConnected(f"queue manager {place.name} {why}", MQRC_Q_MGR_NOT_AVAILABLE) from None
    if not addresses:
        raise flintmq.NotConnected(f"queue manager {place.name} listens nowhere: START LISTENER, or set MQSERVER")
    host, port = addresses[0]
    conn = f"{'127.0.0.1' if host in ('0.0.0.0', '::') else host}({port})"
    for channel in _CHANNELS[:-1]:
        try:
            return _through(place.name, channel, conn, application, user, password)
        except flintmq.NotConnected:
            continue
    return _through(place.name, _CHANNELS[-1], conn, application, user, password)


def _through(name: str, channel: str, conn: str, application: str, user: str, password: str) -> Connected:
    made = flintmq.connect(name, channel=channel, conn=conn, user=user, password=password, application=application)
    return cast(Connected, made)


def _password() -> str:
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
    """Message data as it is shown."""
    return data.decode("utf-8", "replace")


def failed(call: str, error: flintmq.MQError) -> None:
    """Say that a call failed."""
    print(f"{call} ended with reason code {error.reason}")


def close(mqi: MQI, handle: Handle, options: int = MQCO_NONE, call: str = "MQCLOSE") -> None:
    """MQCLOSE; what it says is printed."""
    try:
        mqi.close(handle, options)
    except flintmq.MQError as error:
        failed(call, error)
