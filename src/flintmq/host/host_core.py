"""The part of a host that every call passes through: lock, settle, wake, wait for the log. Compiled.

    begin       take the lock; waits that the call completes are noted
    settle      under the lock, after an engine function: wake, notices, checkpoint, orphans, timer
    end         release the lock, then wake the owners of those waits

A thread that is woken takes the lock itself to finish its get, so it is woken after the lock is free. Calls that take
the lock in another way (`with host.call`, the turns of a server) wake under it.

`Host` (host.py) adds the rare operations: opening, failing, closing. It is plain Python and a subclass, because
compiled objects cannot be referred to weakly.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final, NoReturn

from mypy_extensions import mypyc_attr

from flintmq.host.group_commit import GroupCommit
from flintmq.log.errors import LogError
from flintmq.qmgr.calls import Calls as Engine
from flintmq.qmgr.calls import LogPort
from flintmq.qmgr.connection import Connection as EngineConnection
from flintmq.qmgr.connection import Handle

if TYPE_CHECKING:
    import weakref

    from flintmq.host.dispatcher import Dispatcher

OPEN: Final = 0
CLOSED: Final = 1
FAILED: Final = 2
FORKED: Final = 3


@mypyc_attr(allow_interpreted_subclasses=True)
class HostCore:
    """Lock, waits and log of one open queue manager."""

    #: The dispatcher of a connection's callbacks, by connection id.
    dispatchers: weakref.WeakValueDictionary[bytes, Dispatcher]
    #: `with host.call:` takes the lock, and fails the host if the block raises (H4).
    call: AbstractContextManager[None]

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.log: LogPort = engine.log
        self.lock = threading.RLock()
        self._acquire: Callable[[], object] = self.lock.acquire
        self._release: Callable[[], object] = self.lock.release
        self.commits = GroupCommit(engine.log)
        #: OPEN, CLOSED, FAILED or FORKED.
        self.state: int = OPEN
        #: The function that wakes the owner of a wait, by connection id.
        self.parked: dict[bytes, Callable[[], None]] = {}
        #: The functions of completed waits, until `end`. Any call empties it, so that an interrupted thread
        #: cannot block another one.
        self._to_wake: deque[Callable[[], None]] = deque()
        self._any_to_wake = False
        self._wakes_at_end = False
        #: Whether `wake` is not overridden, and need not be looked up.
        self.wakes_as_host = False
        #: Of threads that ended and iterators that were dropped; the next call closes them (see `reap`).
        self.orphans: deque[EngineConnection | Handle] = deque()
        #: Cached handles, by connection id.
        self.idle_handles: dict[bytes, HandleCache] = {}
        #: How many calls had to wait for the log: commits, and persistent puts and gets outside of units of work.
        self.waits_for_disk: int = 0

    # -- implemented in host.py ----------------------------------------------------------------------------------------

    def refuse(self) -> NoReturn:
        """Raise why the queue manager cannot be used. Called when `state` is not OPEN."""
        raise NotImplementedError

    def fail(self, error: BaseException) -> NoReturn:
        """Stop, because an exception came out of the engine, and raise the exception for the application."""
        raise NotImplementedError

    def write_notices(self) -> None:
        """Write the notices of the engine to the error log."""
        raise NotImplementedError

    def reap(self) -> None:
        """Close the orphans."""
        raise NotImplementedError

    def due_earlier(self) -> None:
        """Set the timer: a delayed message is due before everything else."""
        raise NotImplementedError

    def make_room(self) -> bool:
        """Take a checkpoint because the log is full. True if that freed something."""
        raise NotImplementedError

    def disk_has_room(self) -> bool:
        """Return whether a page set with a full disk has room now."""
        raise NotImplementedError

    def connect(self, application: str, user: str) -> EngineConnection:
        """Make a connection (MQCONN)."""
        raise NotImplementedError

    def drop(self, connection: EngineConnection) -> None:
        """End a connection (MQDISC); its uncommitted work is backed out."""
        raise NotImplementedError

    def housekeeper(self) -> EngineConnection:
        """Return the connection for internal work. Under the lock."""
        raise NotImplementedError

    # -- for callers that are not compiled ----------------------------------------------------------------------------

    def settle(self, connection: EngineConnection) -> int:
        """Finish an engine call under the lock: wake, notices, checkpoint. Return the log position to wait for."""
        return settle(self, connection)

    def wake(self) -> None:
        """Wake the owners of the waits that were completed, under the lock."""
        wake(self)

    def durable(self, position: int) -> None:
        """Wait until the log is durable up to `position` (H3). Not under the lock."""
        durable(self, position)


# Functions, not methods: Host is not compiled, so a method that it could override would be looked up by name.


def begin(host: HostCore) -> None:
    """Take the lock for a call that ends with `end`. Raise NotConnected if the queue manager was closed meanwhile."""
    host._acquire()
    if host.state:
        host._release()
        host.refuse()
    host._wakes_at_end = True


def begin_undo(host: HostCore) -> bool:
    """Take the lock to undo a call that was interrupted; a second interrupt does not prevent it.

    Return False if the queue manager was closed meanwhile: there is nothing to undo, and no `end` to call.
    """
    while True:
        try:
            host._acquire()
            break
        except BaseException:
            continue
    if host.state:
        host._release()
        return False
    host._wakes_at_end = True
    return True


def end(host: HostCore) -> None:
    """Release the lock, then wake the owners of the waits that the call completed."""
    host._wakes_at_end = False
    host._release()
    if host._any_to_wake:
        wake_noted(host)


def wake_noted(host: HostCore) -> None:
    """Wake the owners of completed waits that calls have noted."""
    host._any_to_wake = False  # Before, not after: a call that notes another one sets it again.
    to_wake = host._to_wake
    while to_wake:
        try:
            release = to_wake.popleft()
        except IndexError:  # Another thread was faster.
            return
        release()


def settle(host: HostCore, connection: EngineConnection) -> int:
    """Finish an engine call under the lock: wake, notices, checkpoint. Return the log position to wait for."""
    engine = host.engine
    if engine.woken:
        if host.wakes_as_host:
            wake(host)
        else:
            host.wake()
    force = connection.force
    if engine.notices:
        host.write_notices()
    if (force or engine.checkpoint_retry_ms) and engine.needs_checkpoint():
        engine.checkpoint()
    if host.orphans:
        host.reap()
    if engine.delays.changed:
        engine.delays.changed = False
        host.due_earlier()
    return force


def wake(host: HostCore) -> None:
    """Wake the owners of the waits that were completed, or note them for `end`. Under the lock."""
    woken = host.engine.woken
    host.engine.woken = []
    for waiter in woken:
        if waiter.consumer is not None:
            dispatcher = host.dispatchers.get(waiter.connection.connection_id)
            if dispatcher is not None:
                dispatcher.due(waiter)
            continue
        release = host.parked.pop(waiter.connection.connection_id, None)
        if release is None:
            continue
        if host._wakes_at_end:
            host._to_wake.append(release)
            host._any_to_wake = True
        else:
            release()


def durable(host: HostCore, position: int) -> None:
    """Wait until the log is durable up to `position` (H3). Not under the lock."""
    if position:
        host.waits_for_disk += 1
    if host.log.durable >= position:
        return
    try:
        host.commits.wait(position)
    except LogError as error:
        if host.log.durable < position:  # Else the log was closed after it had been written.
            host.fail(error)


class HandleCache:
    """Handles that a connection keeps open, so that a put or get by queue name need not open the queue each time.

    An open selector costs time for each message that arrives, and topics may be many: of both, only the most recent are
    kept open.
    """

    SELECTORS_MAX: Final = 8
    TOPICS_MAX: Final = 128

    def __init__(self, engine: Engine, connection: EngineConnection) -> None:
        self._engine = engine
        self._connection = connection
        self.put: dict[str, Handle] = {}
        self.get: dict[str, Handle] = {}
        #: By topic string, and by queue and selection string; the one that was opened last is the last.
        self.topics: dict[str, Handle] = {}
        self.selecting: dict[tuple[str, str], Handle] = {}

    def close_idle(self, name: str = "") -> None:
        """Close the handles that no call is using: all, or those of one queue."""
        for handles in (self.put, self.get):
            for key, handle in list(handles.items()):
                if (not name or key == name) and self._is_idle(handle):
                    del handles[key]
                    self._close(handle)
        for pair, handle in list(self.selecting.items()):
            if (not name or pair[0] == name) and self._is_idle(handle):
                del self.selecting[pair]
                self._close(handle)
        if not name:
            for topic in list(self.topics):
                self._close(self.topics.pop(topic))

    def keep_topic(self, topic: str, handle: Handle) -> None:
        """Keep a handle of a topic, in place of the oldest if there are too many."""
        self.topics[topic] = handle
        if len(self.topics) > self.TOPICS_MAX:
            self._close(self.topics.pop(next(iter(self.topics))))

    def keep_selecting(self, name: str, selector: str, handle: Handle) -> None:
        """Keep a handle of a queue with a selection string, in place of the oldest if there are too many."""
        self.selecting[name, selector] = handle
        if len(self.selecting) > self.SELECTORS_MAX:
            self._close(self.selecting.pop(next(iter(self.selecting))))

    def forget_selecting(self, handle: Handle) -> tuple[str, str] | None:
        """Close a stale handle. Return its queue and selector, None if the cache does not have it."""
        for pair, kept in self.selecting.items():
            if kept is handle:
                del self.selecting[pair]
                self._close(handle)
                return pair
        return None

    def _is_idle(self, handle: Handle) -> bool:
        waiter = self._connection.waiter
        return waiter is None or waiter.handle is not handle

    def _close(self, handle: Handle) -> None:
        if handle.open:
            self._engine.close_handle(self._connection, handle)
