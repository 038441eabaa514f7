"""Password checks by threads, not by the loop: one takes 50 ms (users.py), in which no client would be served. Only the
channel instance that asked waits.

    a client connects   `ask`: the check is enqueued, and bytes of its socket are kept in the meantime (S4 of
                        channel_instance.py)
    a thread is free    the next one: addresses take turns, so an address with a thousand checks waits for itself.
                        If the password was found right meanwhile, for another client, no thread is needed
    it is compared      the client is answered, in a turn of its own
    its socket is gone  `forget`: it leaves the queue. One that a thread works at is worked at to its end, for nobody

The effect of a flood of wrong passwords is bounded: WORKERS threads, which leave a processor to the loop if there are
two; 16 MiB for each; WAITING_MAX clients in the queue, one for each socket. When it is full the address that has most
in it loses its newest; that client hears 2059, which clients that reconnect take for "later". It was not refused: it
has used up no guess (S3). The threads have the priority of the loop: with a lower one 100 clients took twice as long to
connect on a machine that had other work.

Everything here is called by the loop's thread under the host's lock (V1), but `_compare`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from flintmq.server.users import matches
from flintmq.wire.mq.channel_instance import ChannelInstance
from flintmq.wire.mq.identity import Identity
from flintmq.wire.mq.server import Channels

#: One processor is the loop's.
WORKERS = max(1, min(2, len(os.sched_getaffinity(0)) - 1)) if hasattr(os, "sched_getaffinity") else 1
#: Some 25 seconds of work for one thread.
WAITING_MAX = 500
#: The interval at which the error log tells that clients were put off.
_TELL_MS = 60_000
_IPV6_NETWORK_BITS = 64


class Check:
    """One password that is to be compared."""

    #: The hash for a comparison by a thread.
    against: str = ""

    def __init__(self, session: ChannelInstance, identity: Identity) -> None:
        self.session = session
        self.identity = identity
        self.origin = origin(session)


class PasswordChecks:
    """The passwords that wait to be compared, and the threads that do it."""

    def __init__(
        self, channels: Channels, loop: asyncio.AbstractEventLoop, turn: Callable[[Callable[[], None]], None]
    ) -> None:
        self._channels = channels
        self._loop = loop
        #: Has a step done in a turn of its own.
        self._turn = turn
        self._threads = ThreadPoolExecutor(WORKERS, "flintmq password")
        self._working = 0
        #: Set while the threads are given something to do: a session that goes on meanwhile may ask again.
        self._giving = False
        #: By origin, in the order of their turns.
        self._waiting: dict[str, deque[Check]] = {}
        self._count = 0
        #: All that were asked for and not forgotten, also those that a thread works at.
        self._asked: dict[ChannelInstance, Check] = {}
        self._told_ms = -_TELL_MS

    def close(self) -> None:
        """End the threads; no channel instance gets a result any more."""
        self._waiting.clear()
        self._asked.clear()
        self._count = 0
        self._threads.shutdown(wait=True, cancel_futures=True)

    @property
    def waiting(self) -> int:
        """Return the number of checks that wait for a thread."""
        return self._count

    def ask(self, session: ChannelInstance, identity: Identity) -> None:
        """Have the password in `identity` compared; then `session.checked` is called, in a turn of its own."""
        check = Check(session, identity)
        self._asked[session] = check
        if self._count >= WAITING_MAX:
            late = self._most(check.origin)
            if late is None:
                self._put_off(check)
                return
            self._put_off(late)
        self._waiting.setdefault(check.origin, deque()).append(check)
        self._count += 1
        self._next()

    def forget(self, session: ChannelInstance) -> None:
        """Cancel the check of a channel instance that ends."""
        check = self._asked.pop(session, None)
        queue = self._waiting.get(check.origin) if check is not None else None
        if check is not None and queue is not None and check in queue:
            queue.remove(check)
            self._count -= 1
            if not queue:
                del self._waiting[check.origin]

    # -- the queue ----------------------------------------------------------------------------------------------------

    def _take(self) -> Check:
        """Take the next check; its origin has its next turn after all others."""
        name = next(iter(self._waiting))
        queue = self._waiting.pop(name)
        check = queue.popleft()
        if queue:
            self._waiting[name] = queue
        self._count -= 1
        return check

    def _most(self, own: str) -> Check | None:
        """Remove and return the newest check of the origin with most checks; None if that is `own` with one more."""
        name = max(self._waiting, key=lambda each: len(self._waiting[each]))
        if len(self._waiting[name]) <= len(self._waiting.get(own, ())) + 1:
            return None
        self._count -= 1
        return self._waiting[name].pop()

    def _put_off(self, check: Check) -> None:
        check.identity.put_off = True
        self._loop.call_soon(self._turn, partial(self._go_on, check))
        now_ms = self._channels.engine.clock.now_ms()
        if now_ms - self._told_ms >= _TELL_MS:
            self._told_ms = now_ms
            text = f"{WAITING_MAX} clients wait for their passwords to be checked; more of them hear 2059"
            self._channels.engine.notice(
                "AMQ9557E", f"The connection from {check.session.address} was put off: {text}."
            )

    # -- the threads --------------------------------------------------------------------------------------------------

    def _next(self) -> None:
        """Give checks to idle threads. A check that is asked for meanwhile has its turn in the same loop."""
        if self._giving:
            return
        self._giving = True
        while self._waiting and self._working < WORKERS:
            check = self._take()
            check.against = self._channels.gatekeeper.compare_with(check.identity)
            if not check.against:  # It was found right meanwhile, or the client is gone.
                self._go_on(check)
                continue
            self._working += 1
            work = self._threads.submit(_compare, check.identity.password, check.against)
            work.add_done_callback(partial(self._compared, check))
        self._giving = False

    def _compared(self, check: Check, future: Future[bool]) -> None:
        """Plan the end of a check. Called by the thread, or by the loop's if the threads end."""
        if not future.cancelled():
            self._loop.call_soon_threadsafe(self._turn, partial(self._done, check, future))

    def _done(self, check: Check, future: Future[bool]) -> None:
        self._working -= 1
        if self._asked.get(check.session) is check:
            if future.exception() is None:
                self._channels.gatekeeper.compared(check.identity, check.against, future.result())
            else:  # There was no memory for it: the result is unknown.
                check.identity.put_off = True
            self._go_on(check)
        self._next()

    def _go_on(self, check: Check) -> None:
        if self._asked.get(check.session) is check:
            del self._asked[check.session]
            check.session.checked()


def _compare(password: str, against: str) -> bool:
    """Compare a password, in a thread. Most of it is done without Python's lock."""
    return matches(password, against)


def origin(session: ChannelInstance) -> str:
    """Return the origin that a check is queued under.

    An address without its port, of IPv6 the network; on the Unix socket, the user. A socket with a connected client has
    an origin of its own: nothing else of it is done meanwhile (S4).
    """
    name = session.local_user or session.address.partition("(")[0]
    if session.has_client():
        return session.address
    if ":" not in name:
        return name
    try:
        return str(ipaddress.ip_network((name.partition("%")[0], _IPV6_NETWORK_BITS), strict=False))
    except ValueError:
        return name
