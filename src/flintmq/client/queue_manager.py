"""`flintmq.open`: a queue manager in this process.

    with flintmq.open("QM1") as qm:            by name, created on first use
    with flintmq.open("./data/qm") as qm:      by path: the directory is the queue manager
    with flintmq.open(":memory:") as qm:       without files

Any number of threads may use it. Each gets its own connection, and so its own unit of work, with its first call; the
connection ends with the thread, and its uncommitted work is backed out.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Self

from flintmq.client.connection import Connection, EmbeddedCalls, ThreadConnection
from flintmq.client.thread_session import ConnectionOfThread
from flintmq.host.environment import application_name as application_name
from flintmq.host.error_log import user_identifier
from flintmq.host.host import OPEN, Host
from flintmq.host.instance import Instance
from flintmq.host.lifecycle import CreateOptions
from flintmq.host.opening import open_host
from flintmq.log import LogConfig


def open(
    name: str | os.PathLike[str],
    *,
    create: bool = True,
    queue_manager_name: str = "",
    application: str = "",
    developer: bool = False,
    log: LogConfig | None = None,
    command_server: bool = False,
) -> QueueManager:
    """Open a queue manager in this process; it is created on first use.

    `name` is a queue manager name, a path (anything with a separator in it, or a Path), or ":memory:". Only one process
    may have a queue manager open: QueueManagerInUse says which has it. `create=False` raises QueueManagerNotFound if
    there is none.

    For a new queue manager: `developer` adds DEV.QUEUE.1 to 3 and the like, `log` sets the geometry of its log, and
    `queue_manager_name` names one that is opened by path (else it is called like the directory). `application` is the
    name that messages put here carry, instead of the program's. With `command_server` PCF commands on
    SYSTEM.ADMIN.COMMAND.QUEUE are carried out while it is open.

    >>> import flintmq
    >>> with flintmq.open(":memory:") as qm:
    ...     orders = qm.queue("ORDERS", create=True)
    ...     with qm.transaction():
    ...         _ = orders.put(b"hello", persistent=True, correlation_id=b"42")
    ...     orders.get(wait=5.0).data
    b'hello'
    """
    options = CreateOptions(developer=developer)
    if log is not None:
        options.log = log
    host = open_host(name, create, options, queue_manager_name)
    if command_server:
        from flintmq.host.command_thread import CommandThread

        CommandThread(host)
    return QueueManager(host, application or application_name())


class _Owned(Connection):
    """The connection of a thread. When the thread ends it is dropped, and the next call disconnects it."""

    def __del__(self) -> None:
        session = getattr(self, "_session", None)
        if session is not None and session.connection.connected:
            self._host.orphans.append(session.connection)


class QueueManager(EmbeddedCalls):
    """An open queue manager. Made by `flintmq.open`; close it, or use it in a `with` statement.

    >>> import flintmq
    >>> qm = flintmq.open(":memory:")
    >>> qm.name
    'MEMORY'
    >>> qm.close()
    """

    def __init__(self, host: Host, application: str) -> None:
        self._host = host
        self._application = application
        self._user = user_identifier()
        self._local = ThreadConnection()
        make = partial(_Owned, host, application, self._user, self._local)
        # In the instance, not as a method of the class: every put and get asks for it.
        self.__dict__["_current"] = ConnectionOfThread(self._local, make).current

    @property
    def name(self) -> str:
        """Return the queue manager's name."""
        return self._host.engine.name

    @property
    def directory(self) -> Path | None:
        """Return its directory; None for one without files."""
        instance: Instance | None = self._host.instance
        return instance.directory if instance is not None else None

    @property
    def closed(self) -> bool:
        """Return whether it can no longer be used."""
        return self._host.state != OPEN

    def connect(self, application: str = "") -> Connection:
        """Make another connection, with a unit of work of its own. Close it, or use it in a `with` statement."""
        return Connection(self._host, application or self._application, self._user, self._local)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the queue manager.

        Uncommitted work is backed out, waits end with NotConnected; a second close does nothing.
        """
        self._host.close()

    def __repr__(self) -> str:
        where = f" in {self.directory}" if self.directory else ""
        return f"<QueueManager {self.name}{where}{' closed' if self.closed else ''}>"
