"""The host of an engine: its connections, its failure and its end. Opens no queue manager; opening.py does.

    call        takes the lock, runs the engine function, and `settle`s: notes completed waits, writes notices, takes a
                checkpoint if one is due; then releases the lock and wakes the waiters (host_core.py, compiled)
    durability  outside the lock: group_commit.py
    callbacks   of asynchronous consumers run outside the lock, one at a time for a connection: dispatcher.py
    waits       each waiting get has its own primitive, released exactly once, by the call that completed it

Rules for this package and its users:

    H1  The engine is only touched under `lock`.
    H2  No thread waits, for the disk or for a message, while holding it. (A checkpoint does write under it.)
    H3  An application gets a message, or the end of a commit, only when the log is durable up to its record.
    H4  After an exception out of the engine, or an I/O error, nothing more is called and nothing written: the queue
        manager counts as crashed, and is as safe as after a crash. Open it again. A full disk of a page set is no
        such error: puts get 2192 and the rest works (qmgr/checkpoint.py).
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
from flintmq.host.instance import Instance
from flintmq.host.lifecycle import Storage
from flintmq.host.recording import Recording
from flintmq.host.timer import Timer
from flintmq.log import Log
from flintmq.log.errors import LogError
from flintmq.mqi.call_errors import MQError, NotConnected, UsedAfterFork
from flintmq.mqi.constants import MQAT_QMGR
from flintmq.mqi.reason import MQRC_CONNECTION_BROKEN, MQRC_HCONN_ERROR
from flintmq.qmgr.calls import Admin
from flintmq.qmgr.calls import Calls as Engine
from flintmq.qmgr.connection import Connection as EngineConnection
from flintmq.qmgr.connection import Handle
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
        """Start to trace channels to `file` (START TRACE(CHINIT)), or stop. For hosts with channels."""

    # -- calls ------------------------------------------------------------------------------------------------------

    def refuse(self) -> NoReturn:
        """Raise the reason why the queue manager cannot be used. Called when `state` is not OPEN."""
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
        """Set the timer, under the lock: a delayed message is due before everything else."""
        self.timer.look()

    def after_command(self) -> int:
        """Settle after an administration command, under the lock. Return the log position to wait for."""
        keeper = self.housekeeper()
        keeper.force = self.admin.force
        self.timer.look()
        self.recording.look()
        return self.settle(keeper)

    def after_scan(self) -> None:
        """Settle after a slice of a scan for expired messages, under the lock. No caller waits for the log."""
        keeper = self.housekeeper()
        keeper.force = self.log.end if self.engine.needs_checkpoint() else 0
        self.settle(keeper)

    def write_notices(self) -> None:
        """Write the notices of the engine to the error log."""
        notices = self.engine.notices
        self.engine.notices = []
        for number, text in notices:
            self.errors.write(number, text)

    @property
    def failure(self) -> str:
        """Return why the queue manager has stopped by itself, "" if it has not."""
        return self._why

    def _leave(self, state: int) -> None:
        """Set the final state. Nothing more is done with the engine."""
        self.state = state
        self.engine.left = True

    def fail(self, error: BaseException) -> NoReturn:
        """Stop after an exception out of the engine (H4), and raise the exception for the application."""
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
        """Wake every waiting call, which then finds the queue manager closed. At exit do nothing (H6)."""
        if self.exiting:
            return
        parked, self.parked = self.parked, {}
        for release in parked.values():
            release()
        for dispatcher in list(self.dispatchers.values()):
            dispatcher.look_again()

    def make_room(self) -> bool:
        """Take a checkpoint after a call was refused because the log is full. Return whether that freed anything."""
        engine = self.engine
        if engine.checkpoint_is_futile():
            return False
        before = engine.checkpoint_position
        engine.checkpoint()
        self._tell_log_disk()
        return engine.checkpoint_position > before

    def _tell_log_disk(self) -> None:
        """Write to the error log, once for each reason, that there is no room for another log file."""
        why = self.log.disk_full if isinstance(self.log, Log) else ""
        if why and why != self._told_log_disk:
            self.errors.write("AMQ6708E", f"No further log file can be made or archived: {why}.")
        self._told_log_disk = why

    def disk_has_room(self) -> bool:
        """Take a checkpoint after a put that found the disk of a page set full. Return whether there is room now."""
        engine = self.engine
        return engine.checkpoint_retry_ms > 0 and engine.needs_checkpoint() and engine.checkpoint()

    # -- connections ------------------------------------------------------------------------------------------------

    def connect(self, application: str, user: str) -> EngineConnection:
        """Make a connection (MQCONN)."""
        with self.call:
            reason, connection = self.engine.connect(printable(application), printable(user))
        if connection is None:
            raise NotConnected("", reason)
        connection.process_id = self._pid
        connection.thread_id = threading.get_native_id()
        return connection

    def housekeeper(self) -> EngineConnection:
        """Return the connection for internal work of the host and the API. Under the lock."""
        if self._housekeeper is None:
            _, self._housekeeper = self.engine.connect("flintmq", "", MQAT_QMGR)
            assert self._housekeeper is not None
        return self._housekeeper

    def drop(self, connection: EngineConnection) -> None:
        """End a connection; its uncommitted work is backed out."""
        if self.state:
            return
        with suppress(NotConnected), self.call:  # Raised if the queue manager is closed at the same time.
            if connection.waiter is not None:
                self.engine.fail_waiter(connection.waiter, MQRC_HCONN_ERROR)
            self._abandon(connection)
            self.settle(connection)

    def _abandon(self, connection: EngineConnection) -> None:
        self.idle_handles.pop(connection.connection_id, None)
        self.engine.abandon(connection)

    def reap(self) -> None:
        """Close the orphans: connections and handles that were dropped without being closed.

        Finalisers run at any moment, in the middle of a call too, so they only queue an orphan.
        """
        while self.orphans:
            orphan = self.orphans.popleft()
            if isinstance(orphan, Handle):
                if orphan.open:
                    self.engine.close_handle(orphan.connection, orphan)
            else:
                self._abandon(orphan)
        if self.engine.woken:
            self.wake()

    def close_idle_handles(self) -> None:
        """Close every cached handle, under the lock, so that objects can be deleted or altered."""
        for cache in list(self.idle_handles.values()):
            cache.close_idle()

    def release_queue(self, name: str) -> None:
        """Close every cached handle of the queue `name`."""
        with self.call:
            for cache in list(self.idle_handles.values()):
                cache.close_idle(name)

    # -- ends -------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the queue manager: back out units of work, end waits, write everything."""
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
                    self.engine.abandon(connection)
                self.recording.finish()
                self.engine.ended = True
                self.engine.queue_manager_not_active(quiescing=False)
                if not self.engine.checkpoint(keep_nonpersistent=True):
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
        """Release everything without writing, as if the process had ended here. For failed and dropped hosts."""
        if self.state in (OPEN, FAILED):
            self._leave(CLOSED)
            _hosts.discard(self)
            self.storage.abandon()
            self._release_everybody()
            self.timer.stop()
            self.recording.stop()

    def close_at_exit(self) -> None:
        """Close a queue manager that the program left open (H6). Raise nothing: the log has all that was committed."""
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
        """Abandon a queue manager that was dropped without being closed: as safe as a crash."""
        if getattr(self, "state", CLOSED) == OPEN:
            self._warn_not_closed()
            self.abandon()

    def forked(self) -> None:
        """Refuse all calls from now on, in the child of a fork (H5)."""
        self._leave(FORKED)
        if self.storage.lock is not None:
            self.storage.lock.close_in_child()


class _Call:
    """`with host.call:` takes the lock, and fails the host if the block raises (H4). Hot calls do this by hand."""

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
    """Return a name without characters that cannot be printed, as a message descriptor may carry it."""
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
