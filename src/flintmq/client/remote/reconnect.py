"""Automatic reconnection: a lost connection is made again, and everything that was open is opened again.

    reconnect=     "no"     a lost connection is lost (2009)
                   "yes"    to any queue manager at the addresses
                   "qmgr"   only to the same queue manager; to another: 2548

The call that finds the connection lost reconnects, and waits for it:

    lost with the connection                         the call after the reconnection
    an uncommitted unit of work                      fails with BackedOut (2003), and so does every call in that unit
                                                     of work until MQBACK or MQCMIT has ended it: do it again
    a commit, or a put without unit of work, that    fails with 2549: it is unknown whether it was done
      was on its way
    puts without wait, outside of a unit of work     nothing; MQSTAT, and flush(), count them as failed with 2549
    anything else                                    is made again, and its caller sees no error

A connection that was lost while it was idle is detected before a call is sent, so 2549 is only for calls that really
were on their way. Attempts are ReconDelay of mqclient.ini apart, for MQReconnectTimeout seconds; then 2556. `on_event`
is called with MQRC_RECONNECTING, MQRC_RECONNECTED and MQRC_RECONNECT_FAILED and a text, in the thread that reconnects;
the event handler of MQCB gets the reasons too.

Queues, topics and subscriptions are opened again under their handles. A dynamic queue is made again under its name, and
its messages are gone, as are the publications of a subscription that is not durable. The handle of an object that
cannot be opened again is invalid (2019). A browse begins again at the first message.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from flintmq.client.remote.definition import Definition
from flintmq.client.remote.steps import Steps, T
from flintmq.client.remote.wire import Wire, open_wire
from flintmq.mqi import reason as rc
from flintmq.mqi.call_errors import BackedOut, MQError, NotConnected, error_of
from flintmq.wire.mq import segment as seg

if TYPE_CHECKING:
    from flintmq.client.remote.mqi import RemoteMQI

Told = Callable[[int, str], object]

UNCERTAIN = (seg.MQPUT, seg.MQPUT1, seg.MQCMIT)
SAME = "qmgr"


def delays(definition: Definition) -> Callable[[int], float]:
    """Return a function that gives the seconds before the n-th attempt, from 0."""
    steps = definition.delays

    import random

    def delay(number: int) -> float:
        fixed, chance = steps[min(number, len(steps) - 1)]
        return (fixed + random.uniform(0, chance)) / 1000

    return delay


class Reconnect:
    """Reconnects one connection."""

    def __init__(self, definitions: Sequence[Definition], tell: Told | None) -> None:
        self._definitions = definitions
        self._tell = tell
        #: The event handler of MQCB, if there is one: it is called too.
        self.handler: Callable[[int], None] | None = None
        #: Set when the connection is closed: do not reconnect.
        self.ending = threading.Event()

    def run(self, mqi: RemoteMQI, make: Callable[..., Steps[T]], args: tuple[Any, ...]) -> T:
        """Make a call, on a new connection if need be. By the table above."""
        wire = mqi.wire
        if wire.broken is None and wire.is_dead():
            wire.lose()
        backing_out = make == mqi.back_steps
        while True:
            work = mqi.has_work and not backing_out
            try:
                return mqi.wire.run(make(*args))
            except NotConnected as error:
                wire = mqi.wire
                if not wire.lost or self.ending.is_set():
                    raise
                work, kind = work or (mqi.has_work and not backing_out), wire.in_flight
                if kind >= seg.XA_START:
                    raise  # The transaction manager decides.
                wire.in_flight = 0  # Its caller gets the error now; the next call is another one.
                if not work:  # The outcome of these puts is unknown too: MQSTAT reports them.
                    mqi.lost_puts += [rc.MQRC_CALL_INTERRUPTED] * wire.session.unconfirmed
                self.restore(mqi, error)
            if kind in UNCERTAIN and (kind == seg.MQCMIT or not work):
                text = (
                    f"{wire.where}: the connection was lost and is there again; nobody knows whether this call was done"
                )
                raise error_of(rc.MQRC_CALL_INTERRUPTED, text)
            if work:
                mqi.unit_lost = mqi.has_work = make != mqi.cmit_steps  # A commit ends it.
                raise BackedOut(
                    f"{wire.where}: the connection was lost, and the unit of work with it; it is there again"
                )

    def restore(self, mqi: RemoteMQI, lost: MQError) -> None:
        """Connect again, and open all that was open. Raise MQError if that fails."""
        before = mqi.wire

        def made() -> Wire:
            wire = open_wire(self._definitions)
            self._check(before, wire)
            mqi.restored(wire)
            return wire

        self.until(made, before.where, lost)

    def until(self, made: Callable[[], Wire], where: str, lost: MQError) -> Wire:
        """Try `made` until it succeeds, or until the timeout. Raise MQError."""
        definition = self._definitions[0]
        self._say(rc.MQRC_RECONNECTING, f"{where}: the connection was lost ({lost.text}); reconnecting")
        delay, end = delays(definition), time.monotonic() + definition.reconnect_timeout_s
        number, last = 0, lost
        while time.monotonic() < end:
            if self.ending.wait(min(delay(number), max(0.0, end - time.monotonic()))):
                raise lost
            number += 1
            try:
                wire = made()
            except NotConnected as error:
                last = error
                continue
            except MQError as error:
                if error.reason == rc.MQRC_RECONNECT_QMID_MISMATCH:
                    self._say(rc.MQRC_RECONNECT_FAILED, error.text)
                    raise error_of(rc.MQRC_RECONNECT_FAILED, error.text) from error
                last = error
                continue
            if self.ending.is_set():  # It was closed meanwhile.
                wire.drop()
                raise lost
            self._say(rc.MQRC_RECONNECTED, f"{wire.where}: connected again, at try {number}")
            return wire
        text = f"{where}: not connected again in {definition.reconnect_timeout_s:g} seconds: {last.text}"
        self._say(rc.MQRC_RECONNECT_FAILED, text)
        raise error_of(rc.MQRC_RECONNECT_TIMED_OUT, text)

    def _check(self, before: Wire, wire: Wire) -> None:
        """Raise MQError unless it is the same queue manager, if that is required."""
        if wire.definition.reconnect != SAME:
            return
        was, now = before.session.server.q_mgr_id, wire.session.server.q_mgr_id
        if (was, before.q_mgr_name) != (now, wire.q_mgr_name):
            wire.drop()
            text = f"{wire.where}: that is {wire.q_mgr_name} ({now}), not {before.q_mgr_name} ({was})"
            raise error_of(rc.MQRC_RECONNECT_QMID_MISMATCH, text)

    def _say(self, reason: int, text: str) -> None:
        if self._tell is not None:
            self._tell(reason, text)
        if self.handler is not None:
            self.handler(reason)
