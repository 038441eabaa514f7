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

Which message is next is decided with the other instances of the node (ordering.py); how many messages a unit of work
takes, by the flow (batch.py). A failure at commit is not offered to `catch`: that terminal belongs to the unit of work
(MF 3.6), and there is none any more.

I1  A message that was got under syncpoint leaves the input queue only with a commit.
I2  After a failure the instance waits at least PAUSE_S, and at most PAUSE_MAX_S: a poison message keeps no core busy.
I3  The next message is asked for with the commit, unless the instance is to stop or its order chooses messages. What
    comes is always worked on.
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
from flintmq.broker.runtime.batch import Batch, Tolerance
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.ordering import KeyOrder, NoOrder, Order, QueueOrder, user_of
from flintmq.broker.runtime.queue_session import InputOptions, InputQueue, QueueSession
from flintmq.mqi import constants as mq
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.md import MQMD

if TYPE_CHECKING:
    from flintmq.broker.flow.runtime import RuntimeFlow
    from flintmq.broker.runtime.observer import Observer
    from flintmq.broker.runtime.queue_session import InputSource
    from flintmq.broker.runtime.services import BrokerServices

#: A wait ends after this time, so that an instance notices that it is to stop.
WAIT_MS: Final = 1000
#: Between deliveries of a message that failed, and between attempts to connect.
PAUSE_S: Final = 1.0
PAUSE_MAX_S: Final = 30.0
_BACKED_OUT_TOO_OFTEN: Final = 2648
_STATEMENT_FAILED: Final = 2321

OPENING: Final = "opening"
WAITING: Final = "waiting"
WORKING: Final = "working"
STOPPED: Final = "stopped"


class UnitOfWork(Protocol):
    """Everything that one message of an instance does, ended together."""

    session: QueueSession
    services: BrokerServices
    observer: Observer | None

    @property
    def stands_alone(self) -> bool:
        """Return whether the work is to be committed with its message: it is more than messages."""
        ...

    def commit(self) -> None:
        """Commit all of it. Raise MQError or BrokerError; then `backout` follows."""
        ...

    def commit_and_get(
        self, source: InputSource, wait_ms: int, committed: Callable[[], None]
    ) -> tuple[MQMD, bytes] | None:
        """Commit as `commit`, call `committed`, and get the next message. None: ask for it by `session.get`."""
        ...

    def backout(self) -> None:
        """Back out all of it."""
        ...

    def idle(self) -> None:
        """Resolve an earlier commit of unknown outcome; called while the queue is empty. Raise MQError."""
        ...

    def close(self) -> None:
        """Disconnect."""
        ...


class Instance:
    """A thread that runs one MQInput node of a flow."""

    def __init__(
        self,
        flow: RuntimeFlow,
        node: MQInput,
        connect: Callable[[], UnitOfWork],
        log: BrokerLog,
        peers: Peers | None = None,
    ) -> None:
        self.flow = flow
        self.node = node
        self.state = OPENING
        #: Why it is not running, while it tries to connect.
        self.problem = ""
        self.messages = 0
        #: Units of work that were committed.
        self.commits = 0
        self.failures = 0
        #: Looks at the messages (observer.py); None if nothing does.
        self.observer: Observer | None = None
        #: Why gets fail, as the log has said it.
        self._get_problem = ""
        self._connect = connect
        self._log = log
        self._stop = threading.Event()
        self._options = input_options(node)
        peers = peers or Peers(node)
        self._order = peers.order
        self._batch = batch_of(flow, node, peers.tolerance)
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
            queue = unit.session.open_input(self.node.queue, self._order.browses or self._options.browse)
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
        source = unit.session.source(queue, self.node.mode, self._options)
        try:
            while not self._stop.is_set() and not unit.session.is_broken:
                got = self._next(unit, queue, source)
                while got is not None:
                    got = self._work(unit, source, *got)
                    if not self._batch.is_open:
                        self._order.ended()
            if self._batch.may_end() and not unit.session.is_broken:
                self._commit(unit)
        finally:
            unit.close()
            self._batch.backed_out()
            self._order.ended()

    def _next(self, unit: UnitOfWork, queue: InputQueue, source: InputSource) -> tuple[MQMD, bytes] | None:
        """Get one message, if one comes; commit an open batch that is due."""
        self.state = WAITING
        session = unit.session
        try:
            got = self._order.next(source, self._batch.wait_ms(WAIT_MS))
            if got is None and not self._batch.is_open:
                unit.idle()
        except MQError as error:
            if not session.is_broken:
                if str(error) != self._get_problem:
                    self._get_problem = str(error)
                    self._say("2620W", f"a get from {queue.name} failed: {error}. It is tried again.")
                if self._batch.may_end():
                    self._commit(unit)
                self._pause()
            return None
        if self._get_problem:
            self._get_problem = ""
            self._say("2625I", f"reads from {queue.name} again.")
        if got is None and self._batch.due():
            self._commit(unit)
        return got

    def _work(self, unit: UnitOfWork, source: InputSource, md: MQMD, data: bytes) -> tuple[MQMD, bytes] | None:
        """Run the flow with a message, and end the unit of work unless more messages belong to it.

        Return the next message, if one came with the commit (I3).
        """
        self.state = WORKING
        self.messages += 1
        queue = source.queue
        mode = "no" if self._options.browse else self.node.mode
        in_unit = mode == "yes" or mode == "automatic" and md.persistence == 1
        try:
            self._send(unit, queue, md, data)
            if not self._batch.add(md, in_unit, unit.stands_alone):
                unit.session.flush()
            elif self._order.chooses or self._stop.is_set():
                unit.commit()
                self._committed()
            else:
                return unit.commit_and_get(source, WAIT_MS, self._committed)
            self._pauses = 0
        except BrokerError as error:
            self.failures += 1
            self._batch.at_fault(md.msg_id)
            if unit.observer is not None:
                unit.observer.failed(error)
            self._failed(unit, queue, md, data, error, in_unit)
        except MQError as error:
            self.failures += 1
            self._not_committed(unit, error)
        return None

    def _committed(self) -> None:
        """Record that a unit of work is committed, possibly while the next get waits."""
        self._pauses = 0
        self.state = WAITING
        self.commits += 1
        self._batch.committed()

    def _commit(self, unit: UnitOfWork) -> None:
        """Commit an open batch."""
        try:
            unit.commit()
            self._committed()
        except (MQError, BrokerError) as error:
            self.failures += 1
            self._not_committed(unit, error)
        self._order.ended()

    def _not_committed(self, unit: UnitOfWork, error: MQError | BrokerError) -> None:
        if unit.observer is not None:
            unit.observer.failed(error)
        self._batch.not_committed()
        self._say("2627W", f"the unit of work was not committed: {error}. The message is backed out.")
        self._back_out(unit)
        self._pause()

    def _send(self, unit: UnitOfWork, queue: InputQueue, md: MQMD, data: bytes) -> None:
        incoming = Incoming(data, md)
        incoming.source = queue.name
        incoming.backout_threshold = queue.threshold + (self._batch.tolerance.of(md.msg_id) if md.backout_count else 0)
        invocation = Invocation(self.flow, unit.services)
        if self.observer is not None:
            self.observer.begin(unit, invocation, self.node, incoming)
        try:
            self.node.take(invocation, incoming)
        except BrokerError:
            raise
        except Exception as error:
            raise internal_error(error) from error

    def _failed(
        self, unit: UnitOfWork, queue: InputQueue, md: MQMD, data: bytes, error: BrokerError, in_unit: bool
    ) -> None:
        if error.number == _BACKED_OUT_TOO_OFTEN and self._put_aside(unit, queue, md, data):
            return
        self._say("2230E", described(error))
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
            self._batch.committed()
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
        self._batch.backed_out()

    def _pause(self, grows: bool = False) -> None:
        """Wait PAUSE_S; with `grows` twice as long as the last time, up to PAUSE_MAX_S (I2)."""
        self._stop.wait(min(PAUSE_MAX_S, PAUSE_S * 2**self._pauses))
        if grows:
            self._pauses = min(self._pauses + 1, 10)

    def _say(self, number: str, text: str) -> None:
        self._log.write(number, f"{self.flow.name}/{self.node.short_label}", text)


def described(error: BrokerError) -> str:
    """Return the log text of an error: reason, node, and the database statement if there is one."""
    entries = list(error.chain())
    statement = f" ({entries[-2].text})" if len(entries) > 1 and entries[-2].number == _STATEMENT_FAILED else ""
    return f"{error}{statement}"


class Peers:
    """State shared by the instances of one input node."""

    def __init__(self, node: MQInput) -> None:
        self.order = order_of(node)
        self.tolerance = Tolerance()


def order_of(node: MQInput) -> Order:
    """Return the order that `orderMode` of a node asks for."""
    mode = node.order
    if mode == "byqueueorder":
        return QueueOrder()
    if mode == "byuserid":
        return KeyOrder(user_of, False)
    if mode == "userdefined":
        return KeyOrder(node.order_key, True)
    return NoOrder()


def batch_of(flow: RuntimeFlow, node: MQInput, tolerance: Tolerance) -> Batch:
    """Return how many messages a unit of work of a flow takes."""
    settings = flow.resolved.settings
    count = 1 if any(each.uses_state for each in flow.nodes) else _whole(settings.get("commitCount"), 1)
    by_group = node.flag("commitByMessageGroup")
    return Batch(count, _whole(settings.get("commitInterval"), 0), by_group, tolerance)


def _whole(text: object, default: int) -> int:
    written = str(text or "").strip()
    return int(written) if written.isdigit() else default


def input_options(node: MQInput) -> InputOptions:
    """Return the get options of a node from its properties."""
    options = 0
    by_group = node.flag("commitByMessageGroup")
    all_available = node.flag("allMsgsAvailable")
    # Without groups the logical order is that of the queue. Instances that compete keep no order.
    if by_group or node.flag("logicalOrder", True) and (all_available or node.order == "byqueueorder"):
        options |= mq.MQGMO_LOGICAL_ORDER
    if all_available:
        options |= mq.MQGMO_ALL_MSGS_AVAILABLE
    found = InputOptions(options, node.match_message_id, node.match_correlation_id)
    if node.flag("convert"):
        found.options |= mq.MQGMO_CONVERT
        found.encoding = int(node.number("convertEncoding", 0)) or None
        found.ccsid = int(node.number("convertCodedCharSetId", 0)) or None
    if node.flag("browse"):
        found.browse = True
        found.options &= ~mq.MQGMO_ALL_MSGS_AVAILABLE
        found.reset_browse_ms = round(node.number("resetBrowseTimeout", -1))
    return found


def wait_stopped(instances: list[Instance], seconds: float) -> list[Instance]:
    """Stop instances and wait for them; return those that still work."""
    for each in instances:
        each.stop()
    end = time.monotonic() + seconds
    return [each for each in instances if not each.join(max(0.0, end - time.monotonic()))]
