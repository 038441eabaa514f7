"""Where a queue manager process listens: LISTENER objects that run, and the ones of runmqlsr.

    CONTROL      started                      ended
    QMGR         with the queue manager       with it, or by STOP LISTENER
    STARTONLY    with the queue manager       by STOP LISTENER; with the process, since it listens
    MANUAL       by START LISTENER            likewise

A socket listens when `start` returns; the loop takes clients from it in its next turn. One that cannot listen is told
to the error log (AMQ9218E), and the others go on. Ending a listener leaves its clients connected.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable

from flintmq.host.host import Host
from flintmq.mqi.pcf_constants import MQRCCF_LISTENER_NOT_STARTED, MQRCCF_LISTENER_RUNNING, MQRCCF_LISTENER_STOPPED
from flintmq.qmgr.calls import Row, stamp_date, stamp_time
from flintmq.qmgr.catalogue import MQObject

BACKLOG = 100
#: TCP segments are at most this long. The loopback interface has segments of 64 KiB. A client with a receive buffer of
#: 32 KiB, as IBM's Java client has, cannot take one, and the system sends a part of it once in 200 ms. The window of a
#: client has to have room for several segments.
SEGMENT_MAX = 8192
#: CONTROL values of listeners that start with the queue manager.
WITH_Q_MGR = ("QMGR", "STARTONLY")


class Listening:
    """A listening socket."""

    def __init__(self, name: str, opened: socket.socket, row: Row) -> None:
        self.name = name
        self.address: tuple[str, int] = opened.getsockname()[:2]
        self.row = row
        self._socket = opened
        self._server: asyncio.Server | None = None
        self._task: asyncio.Task[None] | None = None

    def serve(self, loop: asyncio.AbstractEventLoop, protocol: Callable[[], asyncio.BaseProtocol]) -> None:
        """Accept connections, from the next turn of the loop on."""

        async def serve() -> None:
            self._server = await loop.create_server(protocol, sock=self._socket)

        self._task = loop.create_task(serve())

    def close(self) -> None:
        """Stop accepting connections."""
        if self._server is not None:
            self._server.close()
        else:
            if self._task is not None:
                self._task.cancel()
            self._socket.close()


class Listeners:
    """The running listeners of a queue manager."""

    def __init__(
        self, host: Host, loop: asyncio.AbstractEventLoop, protocol: Callable[[], asyncio.BaseProtocol]
    ) -> None:
        self._host = host
        self._loop = loop
        self._protocol = protocol
        self.running: dict[str, Listening] = {}
        #: Those of runmqlsr.
        self.unnamed: list[Listening] = []

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Return (address, port) of each listener."""
        return [each.address for each in (*self.running.values(), *self.unnamed)]

    def start_all(self) -> None:
        """Start the listeners that start with the queue manager."""
        for definition in self._host.engine.catalogue.match("LISTENER"):
            if definition.text("CONTROL") in WITH_Q_MGR:
                self.start(definition)

    def start(self, definition: MQObject) -> int:
        """Do START LISTENER. Return 0, 3249 or 4020."""
        name = definition.name
        if name in self.running:
            return MQRCCF_LISTENER_RUNNING
        address, port = definition.text("IPADDR"), definition.number("PORT")
        opened = self._open(f"Listener {name}", address, port, definition.number("BACKLOG"))
        if isinstance(opened, str):
            return MQRCCF_LISTENER_NOT_STARTED
        now = self._host.engine.clock.now_ms()
        row: Row = {"LISTENER": name, "STATUS": "RUNNING", "PID": os.getpid()}
        row |= {"STARTDA": stamp_date(now), "STARTTI": stamp_time(now)}
        for keyword in ("BACKLOG", "CONTROL", "DESCR", "IPADDR", "PORT", "TRPTYPE"):
            row[keyword] = definition.attributes[keyword]
        self.running[name] = listening = Listening(name, opened, row)
        listening.serve(self._loop, self._protocol)
        return 0

    def stop(self, name: str) -> int:
        """Do STOP LISTENER. Return 0 or 3234."""
        listening = self.running.pop(name, None)
        if listening is None:
            return MQRCCF_LISTENER_STOPPED
        listening.close()
        self._host.errors.write("AMQ5027I", f"Listener {name} has ended.")
        return 0

    def start_unnamed(self, address: str, port: int, backlog: int) -> Listening | str:
        """Start a listener for runmqlsr and return it, or the reason why it cannot listen."""
        opened = self._open("A listener of runmqlsr", address, port, backlog)
        if isinstance(opened, str):
            return opened
        listening = Listening("", opened, {})
        self.unnamed.append(listening)
        listening.serve(self._loop, self._protocol)
        return listening

    def stop_unnamed(self, listening: Listening) -> None:
        """Stop a listener for endmqlsr, or because runmqlsr was interrupted."""
        if listening in self.unnamed:
            self.unnamed.remove(listening)
            listening.close()
            where = f"{listening.address[0]}({listening.address[1]})"
            self._host.errors.write("AMQ5027I", f"A listener of runmqlsr on {where} has ended.")

    def stop_all(self) -> None:
        """Stop all listeners, since the queue manager ends."""
        for listening in (*self.running.values(), *self.unnamed):
            listening.close()
        self.running.clear()
        self.unnamed.clear()

    def _open(self, who: str, address: str, port: int, backlog: int) -> socket.socket | str:
        """Return a listening socket, or the reason why there is none."""
        where = f"{address or '*'}({port})"
        try:
            opened = _listen(address, port, backlog or BACKLOG)
        except (OSError, OverflowError) as error:
            why = f"cannot listen on {where}: {getattr(error, 'strerror', None) or error}"
            self._host.errors.write("AMQ9218E", f"{who} {why}.")
            return why
        self._host.errors.write("AMQ5026I", f"{who} listens on {where}.")
        return opened


def _listen(address: str, port: int, backlog: int) -> socket.socket:
    opened = _open_socket(address, port, backlog)
    if hasattr(socket, "TCP_MAXSEG"):
        with contextlib.suppress(OSError):  # A system that cannot do that has segments of its own length.
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT_MAX)
    return opened


def _open_socket(address: str, port: int, backlog: int) -> socket.socket:
    if not address:
        if socket.has_dualstack_ipv6():
            return socket.create_server(("", port), family=socket.AF_INET6, backlog=backlog, dualstack_ipv6=True)
        return socket.create_server(("", port), backlog=backlog)
    family, _, _, _, found = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(found)
        made.listen(backlog)
    except BaseException:
        made.close()
        raise
    return made
