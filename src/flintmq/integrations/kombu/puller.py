"""The thread that gets messages for a channel, and the credit by which it may.

A puller has a connection of its own and gets from all queues that its channel consumes, in turn. So there is one get
under way for each channel, and prefetch_count is exact. It waits on the queue manager: on one queue for up to
WAIT_MAX_S, with several queues for TURN_S on each. The messages that it finds when it wakes are got as one batch, up to
BATCH messages, and added to the mailbox together.

A queue that was deleted is looked for again every MISSING_S: a temporary queue, of replies for example, ends with the
connection that declared it, and is there again after the next declaration.

`consume` and `cancel` change the list of queues. A puller that waits for long is interrupted by closing its connection,
after the broker has adopted the branches of messages that are not settled; then it connects again. A message that was
just being got then is in an active branch, which the queue manager rolls back.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import flintmq
from flintmq.integrations.kombu.broker import Broker
from flintmq.integrations.kombu.mailbox import Mailbox
from flintmq.mqi.xid import TMONEPHASE, XA_OK

if TYPE_CHECKING:
    from flintmq.integrations.kombu.channel import Channel

#: Messages that are added to the mailbox at once, and that may wait there for each channel.
BATCH: Final = 16
#: The first wait on a queue; each that ends without a message doubles the next one.
WAIT_MIN_S: Final = 0.05
WAIT_MAX_S: Final = 20.0
#: A wait of a channel with several queues, and of a queue manager in this process, where nothing interrupts a wait.
TURN_S: Final = 0.1
#: How long to wait before a queue that was deleted is looked for again.
MISSING_S: Final = 1.0
#: A wait that is longer is interrupted instead of waited for.
_PATIENCE_S: Final = 0.2
#: A branch without messages is ended after this time: it may hold messages that were moved to a backout queue.
_BRANCH_S: Final = 1.0


@dataclass(eq=False)
class Delivery:
    """A message in its branch, for a consumer of a channel."""

    channel: Channel
    consumer_tag: str
    xid: bytes
    message: flintmq.Message
    no_ack: bool


class Credit:
    """How many messages a channel may have that are not settled; 0 is without limit."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._prefetch_count = 0
        self._taken = 0
        self._in_mailbox = 0
        self._closed = False

    @property
    def prefetch_count(self) -> int:
        """Return the limit."""
        return self._prefetch_count

    def set_prefetch_count(self, count: int) -> None:
        """Set the limit. Messages above a lower one are settled before others are got."""
        with self._changed:
            self._prefetch_count = count
            self._changed.notify_all()

    def room(self) -> int:
        """Return how many messages may be got now."""
        free = BATCH - self._in_mailbox
        if self._prefetch_count:
            free = min(free, self._prefetch_count - self._taken)
        return max(0, free)

    def wait(self, still: threading.Event) -> int:
        """Wait until a message may be got, or until `poke`: how many may."""
        with self._changed:
            self._changed.wait_for(lambda: self.room() > 0 or still.is_set() or self._closed)
            return self.room()

    def poke(self) -> None:
        """Wake the puller."""
        with self._changed:
            self._changed.notify_all()

    def took(self, count: int) -> None:
        """Count messages that were got and go to the mailbox."""
        with self._changed:
            self._taken += count
            self._in_mailbox += count

    def took_directly(self) -> None:
        """Count a message that basic_get has got."""
        with self._changed:
            self._taken += 1

    def delivered(self) -> None:
        """Count a message that left the mailbox."""
        with self._changed:
            self._in_mailbox -= 1
            self._changed.notify_all()

    def settled(self) -> None:
        """Count a message that was acknowledged, rejected or put back."""
        with self._changed:
            self._taken -= 1
            self._changed.notify_all()


@dataclass(frozen=True)
class Source:
    """A queue that a channel consumes, by its name in MQ."""

    consumer_tag: str
    queue: str
    no_ack: bool


class Puller:
    """Gets messages of a channel's queues until it is closed."""

    def __init__(self, broker: Broker, mailbox: Mailbox, channel: Channel, credit: Credit) -> None:
        self._broker = broker
        self._mailbox = mailbox
        self._channel = channel
        self._credit = credit
        #: Guards what follows; it is held for moments only.
        self._guard = threading.Condition()
        self._sources: tuple[Source, ...] = ()
        self._generation = 0
        self._seen = -1
        self._closed = threading.Event()
        self._changed = threading.Event()
        self._qm: flintmq.RemoteQueueManager | flintmq.QueueManager | None = None
        self._waiting_until = 0.0
        #: Branches that the connection of the thread owns and that are not settled.
        self._owned: set[bytes] = set()
        self._thread = threading.Thread(target=self._run, name="flintmq-kombu", daemon=True)

    # -- for the channel ----------------------------------------------------------------------------------------------

    def set_sources(self, sources: tuple[Source, ...]) -> None:
        """Get from these queues from now on. When it returns, no message of another queue is taken any more."""
        with self._guard:
            self._sources = sources
            self._generation += 1
            self._changed.set()
            started = self._thread.ident is not None
            generation = self._generation
        if not started:
            self._thread.start()
            return
        self._credit.poke()
        self._interrupt()
        with self._guard:
            self._guard.wait_for(
                lambda: self._seen >= generation or not self._thread.is_alive() or self._closed.is_set()
            )

    def settled(self, xid: bytes) -> None:
        """Forget a branch that is over."""
        self._owned.discard(xid)

    def close(self) -> None:
        """End the thread and its connection; the branches that are left go to the broker's connection."""
        self._closed.set()
        self._changed.set()
        if self._thread.ident is None:
            return
        self._credit.poke()
        self._interrupt()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _interrupt(self) -> None:
        """End a long wait of the thread."""
        with self._guard:
            if self._waiting_until - time.monotonic() < _PATIENCE_S or self._broker.address.embedded:
                return
            qm, self._qm = self._qm, None
            owned = list(self._owned)
            if qm is None:
                return
            try:
                self._broker.adopt(owned)
                self._owned.clear()
            except flintmq.MQError:
                pass  # The broker has lost its connection, and with it all that was to be kept.
            qm.close()

    # -- the thread ---------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closed.is_set():
                qm = self._broker.address.open()
                try:
                    with self._guard:
                        self._qm = qm
                    self._pull(qm)
                except flintmq.NotConnected:
                    with self._guard:
                        interrupted = self._qm is None
                    if not interrupted and not self._closed.is_set():
                        raise
                finally:
                    with self._guard:
                        self._qm = None
                    self._broker.address.close(qm)
        except BaseException as error:
            self._mailbox.fail(error)
        finally:
            with self._guard:
                self._guard.notify_all()

    def _hand_over(self, mqi: Any) -> None:
        """Have the broker adopt the branches of this connection; if the broker is gone, roll them back.

        A connection that is closed in good order leaves its idle branches to nobody, so none may be left.
        """
        with self._guard:
            owned, self._owned = list(self._owned), set()
        try:
            self._broker.adopt(owned)
        except flintmq.MQError:
            try:
                for xid in owned:
                    mqi.xa_rollback(xid)
            except flintmq.MQError:
                pass  # This connection is lost, too, and the queue manager rolls them back.

    def _pull(self, qm: flintmq.RemoteQueueManager | flintmq.QueueManager) -> None:
        with qm.connect() if self._broker.address.embedded else _Own(qm) as connection:
            branch = _Branch(self._broker, connection.mqi)
            try:
                self._pull_from(connection, branch)
            finally:
                branch.close()
                self._hand_over(connection.mqi)

    def _pull_from(self, connection: Any, branch: _Branch) -> None:
        """Get messages until the puller is closed."""
        queues: dict[str, flintmq.Queue] = {}
        turn = 0
        empty = 0  # Queues in a row that had no message.
        wait_s = WAIT_MIN_S
        while not self._closed.is_set():
            sources = self._current_sources()
            if not sources:
                self._changed.wait()
                continue
            room = self._credit.wait(self._changed)
            if self._changed.is_set() or not room:
                continue
            source = sources[turn % len(sources)]
            turn += 1
            try:
                if source.queue not in queues:
                    queues[source.queue] = connection.queue(source.queue)
                batch = self._batch(branch, queues[source.queue], source, room)
                empty = 0 if batch else empty + 1
                if empty >= len(sources):
                    empty = 0
                    if len(sources) > 1 or self._broker.address.embedded:
                        wait_s = min(wait_s, TURN_S)
                    batch = self._wait(branch, queues[source.queue], source, room, wait_s)
                    wait_s = min(2 * wait_s, WAIT_MAX_S)
                    turn += 1  # Wait on another queue the next time.
            except flintmq.UnknownObject:
                queues.pop(source.queue, None)
                self._changed.wait(MISSING_S)
                continue
            if batch:
                wait_s = WAIT_MIN_S
                self._credit.took(len(batch))
                self._mailbox.add(batch)

    def _current_sources(self) -> tuple[Source, ...]:
        """Return the sources to get from, and tell a caller of set_sources that it counts from now on."""
        self._changed.clear()
        with self._guard:
            if self._closed.is_set():
                self._changed.set()
            self._seen = self._generation
            self._guard.notify_all()
            return self._sources

    def _batch(self, branch: _Branch, queue: flintmq.Queue, source: Source, room: int) -> list[Delivery]:
        """Get up to `room` messages that are there."""
        batch: list[Delivery] = []
        while len(batch) < room and not self._changed.is_set():
            message = branch.get(queue, None)
            if message is None:
                break
            batch.append(self._ended(branch, source, message))
        return batch

    def _wait(self, branch: _Branch, queue: flintmq.Queue, source: Source, room: int, wait_s: float) -> list[Delivery]:
        """Wait for a message, and get those that have come together with it."""
        with self._guard:
            if self._changed.is_set():
                return []
            self._waiting_until = time.monotonic() + wait_s
        try:
            message = branch.get(queue, wait_s)
        finally:
            with self._guard:
                self._waiting_until = 0.0
        if message is None:
            return []
        return [self._ended(branch, source, message), *self._batch(branch, queue, source, room - 1)]

    def _ended(self, branch: _Branch, source: Source, message: flintmq.Message) -> Delivery:
        xid = branch.end()
        self._owned.add(xid)
        return Delivery(self._channel, source.consumer_tag, xid, message, source.no_ack)


class _Own:
    """The connection that `qm` has for this thread, as a block: it is closed with `qm`."""

    def __init__(self, qm: flintmq.RemoteQueueManager | flintmq.QueueManager) -> None:
        self._qm = qm

    def __enter__(self) -> flintmq.RemoteQueueManager | flintmq.QueueManager:
        return self._qm

    def __exit__(self, *exc: object) -> None:
        pass


class _Branch:
    """The branch that is active on a puller's connection. It is started by the first get."""

    def __init__(self, broker: Broker, mqi: Any) -> None:
        self._broker = broker
        self._mqi = mqi
        self._xid: bytes | None = None
        self._started = 0.0

    def get(self, queue: flintmq.Queue, wait_s: float | None) -> flintmq.Message | None:
        """Get a message in the branch."""
        if self._xid is not None and time.monotonic() - self._started > _BRANCH_S:
            xid = self.end()
            self._mqi.xa_commit(xid, TMONEPHASE)
        if self._xid is None:
            self._xid = self._broker.new_branch()
            self._started = time.monotonic()
            self._expect(self._mqi.xa_start(self._xid))
        return queue.get_or_none(wait=wait_s, syncpoint=True)

    def end(self) -> bytes:
        """Make the branch idle, and return its xid."""
        xid, self._xid = self._xid, None
        assert xid is not None
        self._expect(self._mqi.xa_end(xid))
        return xid

    def close(self) -> None:
        """End and roll back a branch that has no message."""
        if self._xid is not None:
            try:
                self._mqi.xa_rollback(self.end())
            except flintmq.MQError:
                pass  # With its connection the branch is gone.

    def _expect(self, code: int) -> None:
        if code != XA_OK:
            raise flintmq.NotConnected(f"the queue manager refuses a branch: XA {code}")
