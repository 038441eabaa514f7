"""`flintmq.connect`: a queue manager that is somewhere else, with the API of `flintmq.open`.

    with flintmq.connect("QM1", channel="DEV.APP.SVRCONN", conn="host(1414)", user="app", password="...") as qm:
        orders = qm.queue("ORDERS")
        with qm.transaction():
            orders.put(b"hello", persistent=True)
        message = orders.get(wait=5.0)

Any number of threads may use it. Each gets its own connection, and so its own socket and unit of work, when it first
calls; the connection ends with the thread, and what it did not commit is backed out.
"""

from __future__ import annotations

import threading
import weakref
from typing import Self, TypedDict, Unpack

from flintmq.client.errors import NotConnected
from flintmq.client.queue import Owner
from flintmq.client.queue_manager import application_name
from flintmq.client.remote.connection import RemoteCalls, RemoteConnection
from flintmq.client.remote.definition import Definition, addresses
from flintmq.client.remote.wire import open_wire


class Options(TypedDict, total=False):
    """What `connect` and `aconnect` take beside the name."""

    channel: str
    conn: str
    user: str
    password: str
    application: str
    timeout: float


def definition_of(name: str, options: Options) -> Definition:
    """The channel that `connect` is asked for. Raises MQError for what cannot be."""
    return Definition(
        name,
        options.get("channel", ""),
        addresses(options.get("conn", "")),
        options.get("user", ""),
        options.get("password", ""),
        options.get("application") or application_name(),
        options.get("timeout", 30.0),
    ).checked()


def connect(name: str = "", **options: Unpack[Options]) -> RemoteQueueManager:
    """Connect to the queue manager `name` through its server-connection channel `channel`.

    `conn` is where it listens: "host(1414)", or several with commas between, which are tried in order. `name` may be
    "" or "*anything" to take whichever queue manager is there. `user` and `password` are for its connection
    authentication; a password travels as it is unless the channel has TLS. `application` is the name that messages put
    here carry, instead of the program's. `timeout` is how long connecting may take, in seconds.

    Raises NotConnected (2538 nobody answers, 2540 no such channel, 2059 ...), NotAuthorized (2035) and other MQError.
    """
    return RemoteQueueManager(definition_of(name, options))


class _Local(threading.local):
    """The connection of a thread."""

    connection: RemoteConnection | None = None


class _Owned(RemoteConnection):
    """The connection of a thread. When the thread ends it is dropped, and the queue manager backs out its work."""

    def __del__(self) -> None:
        mqi = getattr(self, "_mqi", None)
        if mqi is not None:
            mqi.wire.drop()


class RemoteQueueManager(RemoteCalls):
    """A queue manager at the other end of a channel. Made by `flintmq.connect`; close it, or use it in a `with`."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._local = _Local()
        self._connections: weakref.WeakSet[RemoteConnection] = weakref.WeakSet()
        self._closed = False
        self._name = definition.q_mgr_name
        self._name = self._current()._mqi.wire.q_mgr_name

    @property
    def name(self) -> str:
        """The queue manager's name, as it says itself."""
        return self._name

    @property
    def closed(self) -> bool:
        """Whether it can no longer be used."""
        return self._closed

    def connect(self, application: str = "") -> RemoteConnection:
        """One more connection, with a unit of work of its own. Close it, or use it in a `with` statement."""
        return self._made(RemoteConnection, application)

    def _made(self, kind: type[RemoteConnection], application: str = "") -> RemoteConnection:
        if self._closed:
            raise NotConnected(f"the connection to {self._name} is closed")
        definition = self._definition
        if application:
            definition = definition.with_application(application)
        connection = kind(self, open_wire(definition))
        self._connections.add(connection)
        return connection

    def _current(self) -> RemoteConnection:
        connection = self._local.connection
        if connection is None or self._closed:
            self._local.connection = connection = self._made(_Owned)
        return connection

    def _adopt(self, connection: RemoteConnection) -> None:
        """What this thread does from now on, it does on `connection`."""
        self._local.connection = connection

    def _owner(self) -> Owner:
        return self

    def _release(self, name: str) -> None:
        """Close what connections have open of the queue `name` for speed only. One that is just in a call keeps it."""
        for connection in list(self._connections):
            if connection._usable() and connection._mqi.wire.is_idle():
                connection._run(connection._link.release(name))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect. What was not committed is backed out, waits end with NotConnected.

        A second close does nothing.
        """
        self._closed = True
        for connection in list(self._connections):
            if connection._mqi.wire.is_idle():
                connection.close()
            else:
                connection._mqi.wire.interrupt()
        self._connections.clear()

    def __repr__(self) -> str:
        return f"<RemoteQueueManager {self._name}{' closed' if self._closed else ''}>"
