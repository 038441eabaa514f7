"""The host of an embedded queue manager: what the engine leaves to others. Threads, the clock, the disk.

    a call      takes the lock, runs the engine function, and `settle`s: notes the waits that it completed, writes
                notices, takes a checkpoint if one is due; then gives the lock back and wakes their owners
                (host_core.py, which is compiled)
    durability  outside the lock: group_commit.py
    callbacks   of asynchronous consumers run outside the lock, one at a time for a connection: dispatcher.py
    waits       each waiting get has its own primitive, released exactly once, by the call that completed it

Rules that everything in this room keeps:

    H1  The engine is only touched under `lock`.
    H2  Nobody waits, for the disk or for a message, while holding it. (A checkpoint does write under it.)
    H3  An application hears of a message, or of a commit, only when the log is durable up to what made it so.
    H4  After an exception out of the engine, or an I/O error, nothing more is called and nothing written: the queue
        manager counts as crashed, and is as safe as after a crash. Open it again. A full disk of a page set is no
        such error: puts get 2192 and the rest goes on (qmgr/checkpoint.py).
    H5  Only the process that opened it uses it. After a fork, the child is refused.
    H6  A queue manager that the program left open is closed when the interpreter exits, before modules are torn down.
        Daemon threads get no answer any more: an exception in them would only be noise at the end of a program.
"""

from __future__ import annotations

import atexit
import os
import threading
import warnings
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from flintmq.host.error_log import ErrorLog, user_identifier, wants_json
from flintmq.host.host_core import CLOSED, FAILED, FORKED, OPEN, HandleCache, HostCore
from flintmq.host.instance import Instance, Storage
from flintmq.host.recording import Recording
from flintmq.host.timer import Timer
from flintmq.log import Log
from flintmq.log.errors import LogError
from flintmq.mqi.call_errors import MQError, NotConnected, UsedAfterFork
from flintmq.mqi.constants import MQAT_QMGR
from flintmq.mqi.reason import MQRC_CONNECTION_BROKEN, MQRC_HCONN_ERROR
from flintmq.qmgr import event
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.close import close_handle
from flintmq.qmgr.connect import abandon, connect
from flintmq.qmgr.connection import Connection as EngineConnection
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.get import fail_waiter
from flintmq.qmgr.queue_manager import QueueManager as Engine
from flintmq.store.errors import PageSetError

if TYPE_CHECKING:
    from flintmq.telemetry.trace_file import TraceFile

__all__ = ["CLOSED", "FAILED", "FORKED", "OPEN", "HandleCache", "Host", "printable"]

_hosts: weakref.WeakSet[Host] = weakref.WeakSet()


class Host(HostCore):
    """One open queue manager in this process."""

    #: Whether channels run in this process (flintmq.server).
    serves_channels = False

    def __init__(self, engine: Engine, storage: Storage, instance: Instance | None) -> None:
        super().__init__(engine)
        self.wakes_as_host = type(self).wake is HostCore.wake
        self.storage = storage
        self.instance = instance
        self.call = _Call(self)
        self.admin = Admin(engine)
        self.admin.user = user_identifier()
        self.errors = ErrorLog(None, engine.name)
        if instance is not None:
            stanza = instance.stanza("DiagnosticMessages")
            as_json = wants_json(stanza.get("Service"), stanza.get("Format"))
            self.errors = ErrorLog(instance.errors_directory, engine.name, as_json)
        self._why = ""
        self._told_log_disk = ""
        self.dispatchers = weakref.WeakValueDictionary()
        self._housekeeper: EngineConnection | None = None
        #: The interpreter exits (H6).
        self.exiting = False
        self._pid = os.getpid()
        self.timer = Timer(self)
        self.recording = Recording(self)
        _hosts.add(self)
        self.timer.look()
        self.recording.look()

    def channels_traced(self, file: TraceFile | None) -> None:
        """START TRACE(CHINIT) has begun, with a file, or has ended. Who has channels does something about it."""

    # -- calls ------------------------------------------------------------------------------------------------------

    def refuse(self) -> NoReturn:
        """Say why the queue manager cannot be used. Called when `state` is not OPEN."""
        name = self.engine.name
        if self.exiting and threading.current_thread().daemon:
            threading.Event().wait()  # H6. The thread ends with the process.
        if self.state == FORKED:
            raise UsedAfterFork(
                f"queue manager {name} was opened by process {self._pid}; this is its child {os.getpid()}. "
                "Open queue managers after the fork, or let the parent do the work"
            )
        if self.state == FAILED:
            raise NotConnected(f"queue manager {name} has stopped: {self._why}", MQRC_CONNECTION_BROKEN)
        raise NotConnected(f"queue manager {name} is closed", MQRC_HCONN_ERROR)

    def due_earlier(self) -> None:
        """Under the lock: a delayed message is due before everything else."""
        self.timer.look()

    def after_command(self) -> int:
        """The same after an administration command."""
        keeper = self.housekeeper()
        keeper.force = self.admin.force
        self.timer.look()
        self.recording.look()
        return self.settle(keeper)

    def after_scan(self) -> None:
        """The same after a slice of a scan for expired messages. Nobody waits for the log."""
        keeper = self.housekeeper()
        keeper.force = self.log.end if self.engine.needs_checkpoint() else 0
        self.settle(keeper)

    def write_notices(self) -> None:
        """What the engine has to say goes to the error log."""
        notices = self.engine.notices
        self.engine.notices = []
        for number, text in notices:
            self.errors.write(number, text)

    @property
    def failure(self) -> str:
        """Return why the queue manager has stopped by itself, "" if it has not."""
        return self._why

    def _leave(self, state: int) -> None:
        """It is not open any more, for this reason: nothing more is done with the engine."""
        self.state = state
        self.engine.left = True

    def fail(self, error: BaseException) -> NoReturn:
        """An exception came out of the engine (H4): stop, and raise what the application should see."""
        if isinstance(error, MQError):
            raise error
        expected = isinstance(error, LogError | PageSetError | OSError)
        if self.state == OPEN:
            self._leave(FAILED)
            self._why = str(error) if expected else f"{type(error).__name__} in the middle of a call"
            if isinstance(error, Exception) and not expected:
                self.errors.dump(error)
            else:
                self.errors.write("AMQ6119S", f"The queue manager has stopped: {self._why}")
            self._release_everybody()
        if expected:
            raise NotConnected(
                f"queue manager {self.engine.name} has stopped: {self._why}", MQRC_CONNECTION_BROKEN
            ) from error
        raise error

    def _release_everybody(self) -> None:
        """Wake every waiting call, so that it finds out that there is nothing to wait for. At exit nobody is (H6)."""
        if self.exiting:
            return
        parked, self.parked = self.parked, {}
        for release in parked.values():
            release()
        for dispatcher in list(self.dispatchers.values()):
            dispatcher.look_again()

    def make_room(self) -> bool:
        """A call was refused because the log is full: a checkpoint frees what it can. True if that was worth trying."""
        engine = self.engine
        if engine.checkpoint_is_futile():
            return False
        before = engine.checkpoint_position
        checkpoint(engine)
        self._tell_log_disk()
        return engine.checkpoint_position > before

    def _tell_log_disk(self) -> None:
        """Tell the operator, when that is news, that there is no room for another log file."""
        why = self.log.disk_full if isinstance(self.log, Log) else ""
        if why and why != self._told_log_disk:
            self.errors.write("AMQ6708E", f"No further log file can be made or archived: {why}.")
        self._told_log_disk = why

    def disk_has_room(self) -> bool:
        """A put was refused because the disk of a page set is full: say whether a checkpoint finds room on it now."""
        engine = self.engine
        return engine.checkpoint_retry_ms > 0 and engine.needs_checkpoint() and checkpoint(engine)

    # -- connections ------------------------------------------------------------------------------------------------

    def connect(self, application: str, user: str) -> EngineConnection:
        """MQCONN."""
        with self.call:
            reason, connection = connect(self.engine, printable(application), printable(user))
        if connection is None:
            raise NotConnected("", reason)
        connection.process_id = self._pid
        connection.thread_id = threading.get_native_id()
        return connection

    def housekeeper(self) -> EngineConnection:
        """The connection for what the API does on its own account. Under the lock."""
        if self._housekeeper is None:
            _, self._housekeeper = connect(self.engine, "flintmq", "", MQAT_QMGR)
            assert self._housekeeper is not None
        return self._housekeeper

    def drop(self, connection: EngineConnection) -> None:
        """A connection ends; what it did not commit is backed out."""
        if self.state:
            return
        with suppress(NotConnected), self.call:  # Raised if the queue manager is closed at the same time.
            if connection.waiter is not None:
                fail_waiter(self.engine, connection.waiter, MQRC_HCONN_ERROR)
            self._abandon(connection)
            self.settle(connection)

    def _abandon(self, connection: EngineConnection) -> None:
        self.idle_handles.pop(connection.connection_id, None)
        abandon(self.engine, connection)

    def reap(self) -> None:
        """Close what was left behind.

        Finalisers run at any moment, in the middle of a call too, so they only say so.
        """
        while self.orphans:
            orphan = self.orphans.popleft()
            if isinstance(orphan, Handle):
                if orphan.open:
                    close_handle(self.engine, orphan.connection, orphan)
            else:
                self._abandon(orphan)
        if self.engine.woken:
            self.wake()

    def close_idle_handles(self) -> None:
        """Under the lock: close every handle that is open for speed only, so that objects can be deleted or altered."""
        for cache in list(self.idle_handles.values()):
            cache.close_idle()

    def release_queue(self, name: str) -> None:
        """Close every handle of the queue `name` that is open for speed only."""
        with self.call:
            for cache in list(self.idle_handles.values()):
                cache.close_idle(name)

    # -- ends -------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """The clean end: units of work are backed out, waits end, everything is written."""
        if self.state == CLOSED:
            return
        if self.state == FORKED:
            self._leave(CLOSED)
            return
        for dispatcher in [] if self.exiting else list(self.dispatchers.values()):
            dispatcher.close()
        with self.lock:
            if self.state == FAILED:
                self.abandon()
                return
            try:
                for connection in list(self.engine.connections.values()):
                    abandon(self.engine, connection)
                self.recording.finish()
                self.engine.ended = True
                event.queue_manager_not_active(self.engine, quiescing=False)
                if not checkpoint(self.engine, keep_nonpersistent=True):
                    text = "Non-persistent messages of queues with NPMCLASS(HIGH) were not kept: the disk is full."
                    self.engine.notice("CSQP014W", text + " Persistent messages are in the log.")
                self.write_notices()
            except BaseException as error:
                self._leave(FAILED)
                self._why = str(error)
                self.errors.write("AMQ6119S", f"The queue manager has stopped while it ended: {self._why}")
                self.abandon()
                raise
            finally:
                if self.state == OPEN:
                    self._leave(CLOSED)
                self._release_everybody()
                self.timer.stop()
                self.recording.stop()
            _hosts.discard(self)
            self.storage.close()

    def abandon(self) -> None:
        """The end without a word, as if the process had ended here. For what failed, and for what nobody closed."""
        if self.state in (OPEN, FAILED):
            self._leave(CLOSED)
            _hosts.discard(self)
            self.storage.abandon()
            self._release_everybody()
            self.timer.stop()
            self.recording.stop()

    def close_at_exit(self) -> None:
        """Close a queue manager that the program left open (H6). Raise nothing: the log has what was committed."""
        if self.state not in (OPEN, FAILED):
            return
        self.exiting = True
        if self.state == OPEN:
            self._warn_not_closed()
        try:
            self.close()
        except Exception as error:
            self.errors.write("AMQ6119S", f"The queue manager was not closed at exit: {error}")

    def _warn_not_closed(self) -> None:
        if self.instance is not None:
            warnings.warn(f"queue manager {self.engine.name} was not closed", ResourceWarning, stacklevel=1)

    def __del__(self) -> None:
        """Nobody can use it any more, and nobody closed it: as safe as a crash."""
        if getattr(self, "state", CLOSED) == OPEN:
            self._warn_not_closed()
            self.abandon()

    def forked(self) -> None:
        """In the child of a fork (H5)."""
        self._leave(FORKED)
        if self.storage.lock is not None:
            self.storage.lock.close_in_child()


class _Call:
    """`with host.call:` the lock, and H4 for what happens under it. Hot calls do the same by hand."""

    def __init__(self, host: Host) -> None:
        self._host = weakref.ref(host)
        self._lock = host.lock

    def __enter__(self) -> None:
        host = self._host()
        assert host is not None
        if host.state:
            host.refuse()
        self._lock.acquire()
        self._check_again(host)

    def _check_again(self, host: Host) -> None:
        """Refuse the call if the queue manager was closed while it waited for the lock."""
        if host.state:
            self._lock.release()
            host.refuse()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            host = self._host()
            if error is not None and host is not None and not isinstance(error, MQError):
                host.fail(error)
        finally:
            self._lock.release()


def printable(text: str) -> str:
    """A name as a message descriptor may carry it."""
    return "".join(character for character in text if character.isprintable())


def _after_fork() -> None:
    for host in list(_hosts):
        if host.state in (OPEN, FAILED):
            host.forked()


def _at_exit() -> None:
    for host in list(_hosts):
        host.close_at_exit()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)
