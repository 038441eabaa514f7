"""The contract between the event loop and a wire protocol: the protocol's side of one connection, and its host.

    socket -> Endpoint.received -> engine calls -> push -> take_out -> socket

The loop calls these in a turn, under the host's lock (W2). The names without parentheses are attributes.

    member             set or called by   meaning
    received(data)     loop               bytes have arrived. Nothing is raised for them (W1)
    resume()           loop               the peer reads again, or queued output was handed over and `more` was set
    work_on(budget)    loop               do a slice of `work`; True while there is more of it
    tick(now_ms)       loop               one second has passed: heartbeats, time limits
    is_busy()          loop               the peer waits for a password check or for `work`: time limits do not run
    end()              loop, endpoint     close the connection without further words; units of work are backed out
    lost()             loop               the socket is gone

    push(data)         endpoint           queue bytes for the peer
    hold(position)     endpoint           send queued bytes not before the log is durable up to `position` (`force`)
    delay_ms           endpoint           send queued bytes that many milliseconds later: a page set fills up (B140)
    corked             endpoint           queued bytes can wait for more of them; the loop sends them together
    more               endpoint           there is more output than is queued; the loop calls `resume` after a write
    work               endpoint           long work of a call: nothing is read or sent before it is done; then the
                                          endpoint calls `rejoin_ready`
    paused             endpoint           read no more from the socket; the endpoint calls `host.regulate` on a change
    admitted           endpoint           a client has authenticated: the time limit for that is over
    closing            endpoint           close the socket after the queued bytes

    take_out()         loop, after turns  the queued bytes, as one; the loop writes them
    drop_out()         loop, after turns  forget the queued bytes: the socket is gone
    may_be_sent(log)   loop, after turns  whether queued bytes can go out at once, and nothing else is to be done
    ready, next_ready  loop, endpoint     the endpoint is in the list of those with output; the next one there
    delayed            loop               queued bytes wait for the end of `delay_ms`
    blocked            loop               the peer does not read: the socket's buffer is full
    idle_s             loop               seconds since bytes arrived; `tick` counts, the loop sets it to 0
    link               loop               the socket's object in the loop; None when the socket is gone

The queue of output is implemented here for all protocols; a protocol implements `received`, `resume`, `tick`, `end` and
`lost`, and `work_on` and `is_busy` if its calls may have long work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mypy_extensions import mypyc_attr

from flintmq.qmgr.calls import SLICE
from flintmq.qmgr.connection import Waiter

if TYPE_CHECKING:
    from flintmq.qmgr.calls import Calls, LogPort, Work


@mypyc_attr(allow_interpreted_subclasses=True)
class EndpointHost:
    """Services of the event loop for endpoints. This one does long work at once, and has no sockets."""

    def __init__(self, engine: Calls) -> None:
        self.engine = engine
        #: Endpoints with output, linked by `next_ready`.
        self.first_ready: Endpoint | None = None
        self.last_ready: Endpoint | None = None
        #: Completed waits of connections that have owners, set aside by `adopt`.
        self.due: list[Waiter] = []

    def make_room(self) -> bool:
        """Free space in a full log. Return True if the refused call is worth another try."""
        return False

    def start_work(self, endpoint: Endpoint) -> None:
        """Have `endpoint.work` done: call `endpoint.work_on` until it returns False, others being served in between."""
        while endpoint.work_on(SLICE):
            pass

    def regulate(self, endpoint: Endpoint) -> None:
        """Read from the socket of `endpoint`, or stop reading, as `endpoint.paused` says."""

    def adopt(self) -> bool:
        """Move completed waits whose connections have owners to `due`. Return True if there are any."""
        engine = self.engine
        others: list[Waiter] = []
        for waiter in engine.woken:
            if waiter.connection.owner is not None:
                self.due.append(waiter)
            else:
                others.append(waiter)
        engine.woken = others
        return bool(self.due)

    def turn(self) -> None:
        """Call `hand_over`."""
        hand_over(self)


def hand_over(host: EndpointHost) -> None:
    """Hand completed waits to their owners, which may complete more. Waits without owner stay in `engine.woken`.

    A function and not a method: a compiled method of a class that a plain one derives from is called as Python's are.
    """
    engine = host.engine
    others: list[Waiter] | None = None
    while engine.woken or host.due:
        due = engine.woken
        engine.woken = []
        if host.due:
            due = host.due + due
            host.due = []
        for waiter in due:
            owner = waiter.connection.owner
            if owner is not None:
                owner.woken(waiter)
            elif others is None:
                others = [waiter]
            else:
                others.append(waiter)
    if others is not None:
        engine.woken = others


def next_ready(host: EndpointHost) -> Endpoint | None:
    """Take the first ready endpoint out of the list and return it; None if the list is empty. A function, too."""
    endpoint = host.first_ready
    if endpoint is not None:
        host.first_ready = endpoint.next_ready
        endpoint.next_ready = None
        if host.first_ready is None:
            host.last_ready = None
    return endpoint


@mypyc_attr(allow_interpreted_subclasses=True)
class Endpoint:
    """The protocol's side of one connection."""

    #: The first piece of output, and nearly always the only one.
    out: bytes = b""
    force: int = 0
    delay_ms: int = 0
    corked: bool = False
    more: bool = False
    work: Work | None = None
    paused: bool = False
    admitted: bool = False
    closing: bool = False
    ready: bool = False
    next_ready: Endpoint | None = None
    delayed: bool = False
    blocked: bool = False
    idle_s: int = 0
    link: Any = None

    def __init__(self, host: EndpointHost, address: str) -> None:
        self.host = host
        self.address = address
        #: All pieces of output, `out` first, if there are several; else empty.
        self.several: list[bytes] = []

    # -- to be implemented by a protocol ------------------------------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Process bytes from the peer. Nothing is raised for them (W1)."""
        raise NotImplementedError

    def resume(self) -> None:
        """Continue output: the peer reads again, or queued output was handed over."""

    def work_on(self, budget: int) -> bool:
        """Do a slice of `work`. Return True while there is more of it."""
        return False

    def tick(self, now_ms: int) -> None:
        """Run checks that are due once a second."""

    def is_busy(self) -> bool:
        """Return whether the peer waits for us, so that its time limits do not run."""
        return self.work is not None

    def end(self) -> None:
        """Read nothing more, back out units of work, and close the socket after the queued output."""
        self.close_after_output()

    def lost(self) -> None:
        """Release everything: the socket is gone."""
        self.closing = True
        self.drop_out()

    # -- output -------------------------------------------------------------------------------------------------------

    def push(self, data: bytes) -> None:
        """Queue bytes for the peer."""
        if not len(self.out):
            self.out = data
        elif self.several:
            self.several.append(data)
        else:
            self.several = [self.out, data]
        if not self.ready:
            self.join_ready()

    def join_ready(self) -> None:
        """Enter the list of endpoints that the loop looks at after the turn."""
        self.ready = True
        host = self.host
        last = host.last_ready
        if last is None:
            host.first_ready = self
        else:
            last.next_ready = self
        host.last_ready = self

    def rejoin_ready(self) -> None:
        """Enter the list again after `work`, during which the loop writes nothing, if there is output."""
        if not self.ready and (len(self.out) > 0 or self.more or self.closing):
            self.join_ready()

    def hold(self, position: int) -> None:
        """Send queued output not before the log is durable up to `position`."""
        if position > self.force:
            self.force = position

    def may_be_sent(self, log: LogPort) -> bool:
        """Return whether queued output can go out at once, and nothing else is to be done."""
        return (
            (not self.force or self.force <= log.durable)
            and not self.delay_ms
            and not self.closing
            and not self.more
            and self.work is None
        )

    def take_out(self) -> bytes:
        """Return queued output, which is the caller's now."""
        self.ready = False
        data = self.out
        self.out = b""
        if self.several:
            data = b"".join(self.several)
            self.several = []
        return data

    def drop_out(self) -> None:
        """Forget queued output."""
        self.out = b""
        self.several = []

    def close_after_output(self) -> None:
        """Have the loop close the socket after the queued output."""
        self.closing = True
        if not self.ready:
            self.join_ready()
