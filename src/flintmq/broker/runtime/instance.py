"""One instance of a flow: a thread that gets messages from a queue and sends them through the flow.

    state     what it does                                                     next
    OPENING   connects, opens the queue; tries again later if that fails       WAITING, STOPPED
    WAITING   waits for a message, WAIT_MS at a time                           WORKING, OPENING, STOPPED
    WORKING   runs the flow, commits or backs out                              WAITING, OPENING, STOPPED

What becomes of a message (MF 3.6):

    the flow ends                                   commit
    the flow raises, got under syncpoint            back out; it comes again after a pause
    the flow raises, got outside of syncpoint       logged (2628) and gone, as `transactionMode` no says
    backed out BOTHRESH times, `failure` not wired  put to BOQNAME or the dead-letter queue, commit (2648)
    ... and neither queue takes it                  back out; it comes again after a longer pause
    the connection breaks                           the queue manager backs out; a new connection
    the commit fails                                as a flow that raises

I1  A message that was got under syncpoint leaves the input queue only with a commit.
I2  After a failure the instance waits at least PAUSE_S, and at most PAUSE_MAX_S: a poison message keeps no core busy.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

from flintmq.broker.errors import BrokerError, internal_error
from flintmq.broker.flow.engine import Invocation
from flintmq.broker.flow.nodes.inputs import Incoming
from flintmq.broker.flow.nodes.mq import MQInput
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.queue_session import InputQueue, QueueSession
from flintmq.client.errors import MQError
from flintmq.mqi import constants as mq
from flintmq.mqi.md import MQMD

if TYPE_CHECKING:
    from flintmq.broker.flow.runtime import RuntimeFlow
    from flintmq.broker.runtime.services import BrokerServices

#: A wait ends after this time, so that an instance notices that it is to stop.
WAIT_MS: Final = 1000
#: Between deliveries of a message that failed, and between attempts to connect.
PAUSE_S: Final = 1.0
PAUSE_MAX_S: Final = 30.0
_BACKED_OUT_TOO_OFTEN: Final = 2648

OPENING: Final = "opening"
WAITING: Final = "waiting"
WORKING: Final = "working"
STOPPED: Final = "stopped"


class UnitOfWork(Protocol):
    """Everything that one message of an instance does, ended together."""

    session: QueueSession
    services: BrokerServices

    def commit(self) -> None:
        """Commit all of it. Raise MQError or BrokerError; then `backout` follows."""
        ...

    def backout(self) -> None:
        """Back out all of it."""
        ...

    def close(self) -> None:
        """Disconnect."""
        ...


class Instance:
    """A thread that runs one MQInput node of a flow."""

    def __init__(self, flow: RuntimeFlow, node: MQInput, connect: Callable[[], UnitOfWork], log: BrokerLog) -> None:
        self.flow = flow
        self.node = node
        self.state = OPENING
        #: Why it is not running, while it tries to connect.
        self.problem = ""
        self.messages = 0
        self.failures = 0
        self._connect = connect
        self._log = log
        self._stop = threading.Event()
        self._options = _get_options(node)
        self._pauses = 0
        self.thread = threading.Thread(target=self._run, name=f"{flow.name}/{node.short_label}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self.thread.start()

    def stop(self) -> None:
        """Ask the thread to end after the message that it works on."""
        self._stop.set()

    def join(self, timeout_s: float) -> bool:
        """Wait for the end; return whether it came."""
        self.thread.join(timeout_s)
        return not self.thread.is_alive()

    # The loop.

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._run_connected()
        finally:
            self.state = STOPPED

    def _run_connected(self) -> None:
        """Connect and work until the connection breaks or the instance stops."""
        self.state = OPENING
        unit: UnitOfWork | None = None
        try:
            unit = self._connect()
            queue = unit.session.open_input(self.node.queue)
        except MQError as error:
            if str(error) != self.problem:
                self.problem = str(error)
                self._say("2624E", f"cannot read from {self.node.queue}: {error}. It is tried again.")
            if unit is not None:
                unit.close()
            self._pause(grows=True)
            return
        if self.problem:
            self.problem = ""
            self._say("2625I", f"reads from {self.node.queue} again.")
        self._pauses = 0
        try:
            while not self._stop.is_set() and not unit.session.is_broken:
                self._one(unit, queue)
        finally:
            unit.close()

    def _one(self, unit: UnitOfWork, queue: InputQueue) -> None:
        """Get one message, if one comes, and run the flow with it."""
        self.state = WAITING
        session = unit.session
        try:
            got = session.get(queue, self.node.mode, WAIT_MS, self._options)
        except MQError as error:
            if not session.is_broken:
                self._say("2620W", f"a get from {queue.name} failed: {error}.")
                self._pause()
            return
        if got is None:
            return
        self.state = WORKING
        md, data = got
        self.messages += 1
        in_unit = session.in_unit
        try:
            self._send(unit, queue, md, data)
            unit.commit()
            self._pauses = 0
        except BrokerError as error:
            self.failures += 1
            self._failed(unit, queue, md, data, error, in_unit)
        except MQError as error:
            self.failures += 1
            self._say("2627W", f"the unit of work was not committed: {error}. The message is backed out.")
            self._back_out(unit)
            self._pause()

    def _send(self, unit: UnitOfWork, queue: InputQueue, md: MQMD, data: bytes) -> None:
        incoming = Incoming(data, md)
        incoming.source = queue.name
        incoming.backout_threshold = queue.threshold
        try:
            self.node.take(Invocation(self.flow, unit.services), incoming)
        except BrokerError:
            raise
        except Exception as error:
            raise internal_error(error) from error

    def _failed(
        self, unit: UnitOfWork, queue: InputQueue, md: MQMD, data: bytes, error: BrokerError, in_unit: bool
    ) -> None:
        if error.number == _BACKED_OUT_TOO_OFTEN and self._put_aside(unit, queue, md, data):
            return
        self._say("2230E", str(error.root_cause()))
        if not in_unit:
            self._say(
                "2628W", f"a message of {queue.name} was not handled and is gone: it was got outside of syncpoint."
            )
        self._back_out(unit)
        self._pause()

    def _put_aside(self, unit: UnitOfWork, queue: InputQueue, md: MQMD, data: bytes) -> bool:
        """Move a message that was backed out too often; return whether that worked."""
        try:
            target = unit.session.put_aside(queue, md, data)
            unit.commit()
        except (MQError, BrokerError) as error:
            self._say("2649E", f"a message of {queue.name} was backed out {md.backout_count} times and stays: {error}.")
            self._back_out(unit)
            self._pause(grows=True)
            return True
        self._say(
            "2648W", f"a message of {queue.name} was backed out {md.backout_count} times and was put to {target}."
        )
        return True

    def _back_out(self, unit: UnitOfWork) -> None:
        try:
            unit.backout()
        except MQError as error:
            unit.session.is_broken = True
            self._say("2627W", f"the backout failed: {error}. The connection is closed, which backs out, too.")

    def _pause(self, grows: bool = False) -> None:
        """Wait PAUSE_S; with `grows` twice as long as the last time, up to PAUSE_MAX_S (I2)."""
        self._stop.wait(min(PAUSE_MAX_S, PAUSE_S * 2**self._pauses))
        if grows:
            self._pauses = min(self._pauses + 1, 10)

    def _say(self, number: str, text: str) -> None:
        self._log.write(number, f"{self.flow.name}/{self.node.short_label}", text)


def _get_options(node: MQInput) -> int:
    """Return the options of gets that the properties of the node ask for."""
    options = 0
    if node.flag("logicalOrder", True):
        options |= mq.MQGMO_LOGICAL_ORDER if node.flag("allMsgsAvailable") else 0
    if node.flag("allMsgsAvailable"):
        options |= mq.MQGMO_ALL_MSGS_AVAILABLE
    if node.flag("convert"):
        options |= mq.MQGMO_CONVERT
    return options


def wait_stopped(instances: list[Instance], seconds: float) -> list[Instance]:
    """Stop instances and wait for them; return those that still work."""
    for each in instances:
        each.stop()
    end = time.monotonic() + seconds
    return [each for each in instances if not each.join(max(0.0, end - time.monotonic()))]
