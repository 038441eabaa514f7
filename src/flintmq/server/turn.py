"""The turn of the loop: data has arrived, engine calls are made, and what is ready is written. Compiled, no asyncio.

Every exchange with a client goes through `received` and, where a call has completed a wait of another client, through
`write_all`. What is rare is left to the hub, which is a Turns with a loop, timers and threads:

    engine_failed    an exception came out of the engine
    house            notices, a checkpoint, waits of others than clients
    flush            something waits for the log
    set_timer        the first deadline has changed
    hold_back        a session's answer is to be late (B140)
"""

from __future__ import annotations

from collections import deque
from typing import Any

from mypy_extensions import mypyc_attr

from flintmq.channel.server import Channels
from flintmq.channel.session import Session
from flintmq.channel.terms import Gatekeeper
from flintmq.server.link import Link


@mypyc_attr(allow_interpreted_subclasses=True)
class Turns(Channels):
    """The sessions of one queue manager, their sockets, and what they wait for."""

    def __init__(self, host: Any, gatekeeper: Gatekeeper, process_id: int) -> None:
        super().__init__(host.engine, gatekeeper, process_id)
        self.host = host
        self.links: dict[Session, Link] = {}
        #: What waits for the log, in order: by session, (position, bytes). What is made durable later does not hold up
        #: what was ready before.
        self._held: dict[Session, deque[tuple[int, bytes]]] = {}
        self._log: Any = host.log
        self._lock: Any = host.lock
        #: When the timer goes off; 0, never.
        self._timer_ms = 0

    def received(self, link: Link, session: Session, data: bytes) -> None:
        """Data from a client: one turn. After a failure nothing more is done (H4)."""
        host, engine = self.host, self.engine
        if host.state:
            return
        self._lock.acquire()
        try:
            session.received(data)
            if engine.woken:
                self.turn()
            if engine.notices or engine.woken or host.orphans or engine.needs_checkpoint():
                self.house()
            due = engine.next_deadline()
        except BaseException as error:
            self.engine_failed(error)
            return
        finally:
            self._lock.release()
        ready = self.ready
        if len(ready) == 1 and ready[0] is session and not self._held and session.may_be_sent(self._log.durable):
            ready.clear()
            link.write(session.take_out())
        elif ready:
            self.write_all()
        if due != self._timer_ms:
            self.set_timer()

    def write_all(self) -> None:
        """Every session that has something to send writes it, or waits for the log."""
        ready = self.ready
        if not ready:
            return
        self.ready = []
        durable: int = self._log.durable
        held = self._held
        for session in ready:
            if session.force > durable or (held and session in held):
                held.setdefault(session, deque()).append((session.force, session.take_out()))
            else:
                self.write(session)
        if held:
            self.flush()

    def write(self, session: Session) -> None:
        """What a session has to send goes to its socket, which is closed if that was the last."""
        session.ready = False
        link = self.links.get(session)
        out = session.out
        if link is None:
            out.clear()
            return
        if session.delay_ms:
            delay_ms, session.delay_ms = session.delay_ms, 0
            session.ready = True
            self.hold_back(session, delay_ms)
            return
        if out:
            link.write(session.take_out())
        if session.closing:
            link.close()

    # -- what the hub does --------------------------------------------------------------------------------------------

    def engine_failed(self, error: BaseException) -> None:
        """An exception came out of the engine."""
        raise error

    def house(self) -> None:
        """Called under the lock when there are notices, waits of others, or a checkpoint is due."""

    def flush(self) -> None:
        """Called when something waits for the log."""

    def set_timer(self) -> None:
        """Called when another deadline is the first."""

    def hold_back(self, session: Session, delay_ms: int) -> None:
        """Called instead of writing; `write` is to be called later."""
