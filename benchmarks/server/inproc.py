"""The figures `inproc_rr` and `inproc_async` of `bench wire`: a round trip without sockets, in one process.

The actors of load.py talk to the links of a queue manager in memory. What an actor sends waits in a queue; a sweep
gives everything that waits to the links, each piece as a read of its own, and then the actors take what the links have
written. Only the links' share is timed, by the CPU clock of the thread: cutting and reading segments, the engine's
calls, writing the replies. What a round trip costs beyond this over a socket is the event loop and the system.

    send -> waiting -> Link.data_received -> session -> engine -> transport.write -> written -> Actor.cut
                       |----------------- timed --------------------------------|
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import cast

import uvloop

from benchmarks.server.actor import Run
from benchmarks.server.load import actors
from benchmarks.server.plan import Plan
from flintmq.host.lifecycle import CreateOptions, create_in_memory
from flintmq.qmgr.calls import Admin
from flintmq.server.hub import Hub, ServingHost
from flintmq.server.link import Link
from flintmq.server.mq_channels import ServedChannels
from flintmq.wire.mq.terms import Gatekeeper

_ADDRESS = ("127.0.0.1", 1)
#: What an actor has sent: who is to be called with it.
Waiting = deque[tuple[Callable[[bytes], None], bytes]]


class Transport:
    """What a link writes to: it keeps the pieces until their actor takes them."""

    def __init__(self) -> None:
        self.written: deque[bytes] = deque()
        self.write = self.written.append

    def get_extra_info(self, name: str) -> object:
        return _ADDRESS if name == "peername" else None

    def set_write_buffer_limits(self, high: int) -> None:
        """Nothing is held up here."""

    def close(self) -> None:
        raise SystemExit("the queue manager has closed a connection")

    abort = close


class Shortcut:
    """What an actor has for a socket: the other end is a link of the same process."""

    def __init__(self, hub: Hub, waiting: Waiting) -> None:
        self.transport = Transport()
        self._waiting = waiting
        link = Link(hub)
        link.connection_made(cast(asyncio.BaseTransport, self.transport))
        self._receive = link.data_received

    def setblocking(self, flag: bool) -> None:
        """Nothing waits here."""

    def send(self, data: bytes) -> int:
        self._waiting.append((self._receive, data))
        return len(data)

    def recv(self, size: int) -> bytes:
        """The answer, while connections are made."""
        sweep(self._waiting)
        data = b"".join(self.transport.written)
        self.transport.written.clear()
        return data


def sweep(waiting: Waiting) -> None:
    """Everything that waits goes to its link."""
    while waiting:
        receive, data = waiting.popleft()
        receive(data)


class Inside:
    """A queue manager in memory and the actors of a load, all in this process."""

    def __init__(self, plan: Plan) -> None:
        self._loop = uvloop.new_event_loop()
        self._host = ServingHost(*create_in_memory("BENCH", CreateOptions(developer=True)), None)
        self._hub = Hub(self._host, self._loop)
        ServedChannels(self._hub, Gatekeeper())
        self._waiting: Waiting = deque()
        self.admin = Admin(self._host.engine)
        for name in plan.names():
            self.admin.define("QLOCAL", name, {"MAXDEPTH": 50_000}, False)
        self._run = Run(lambda at, tls: cast(socket.socket, Shortcut(self._hub, self._waiting)))
        self._everybody = [(actor, cast(Shortcut, actor.socket).transport.written) for actor in actors(plan, self._run)]

    def cost(self, count: int) -> float:
        """CPU seconds of the links per round trip, in so many of them."""
        spent = 0
        self._run.to_start = self._run.to_end = count
        for actor, _ in self._everybody:
            actor.start()
        while self._run.to_end > 0:
            began = time.thread_time_ns()
            sweep(self._waiting)
            spent += time.thread_time_ns() - began
            for actor, written in self._everybody:
                while written:
                    actor.cut(written.popleft())
        return spent / count / 1e9

    def __enter__(self) -> Inside:
        return self

    def __exit__(self, *exception: object) -> None:
        self._hub.close()
        self._host.close()
        self._loop.close()


def cost(kind: str, first: int, second: int, size: int, count: int, rounds: int) -> float:
    """CPU seconds of the links per round trip: the best of `rounds` of `count`."""
    with Inside(Plan(kind, "", "", first, second, size)) as inside:
        return min(inside.cost(count) for _ in range(rounds))
