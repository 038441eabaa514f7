"""`flintmq.connect`: a queue manager that is somewhere else.

with flintmq.connect("QM1", channel="DEV.APP.SVRCONN", conn="host(1414)", user="app", password="...") as qm:
    ...
"""

from __future__ import annotations

import threading
from typing import Self

from flintmq.client.errors import NotConnected
from flintmq.client.queue_manager import application_name
from flintmq.client.remote.definition import Definition, addresses
from flintmq.client.remote.mqi import RemoteMQI
from flintmq.client.remote.wire import Wire, open_wire


def connect(
    name: str = "",
    *,
    channel: str,
    conn: str,
    user: str = "",
    password: str = "",
    application: str = "",
    timeout: float = 30.0,
) -> RemoteQueueManager:
    """Connect to the queue manager `name` through its server-connection channel `channel`.

    `conn` is where it listens: "host(1414)", or several with commas between, which are tried in order. `name` may be
    "" or "*anything" to take whichever queue manager is there. `user` and `password` are for its connection
    authentication; a password travels as it is unless the channel has TLS. `application` is the name that messages put
    here carry, instead of the program's. `timeout` is how long connecting may take, in seconds.

    Raises NotConnected (2538 nobody answers, 2540 no such channel, 2059 ...), NotAuthorized (2035) and other MQError.
    """
    definition = Definition(
        name, channel, addresses(conn), user, password, application or application_name(), timeout
    ).checked()
    return RemoteQueueManager(definition)


class _Local(threading.local):
    """The connection of a thread."""

    mqi: RemoteMQI | None = None


class RemoteQueueManager:
    """A queue manager at the other end of a channel. Each thread that uses it gets a connection of its own."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._local = _Local()
        self._wires: list[Wire] = []
        self.closed = False
        #: The name that the queue manager has said.
        self.name = self.mqi.wire.q_mgr_name

    @property
    def mqi(self) -> RemoteMQI:
        """The MQI itself, with MQ's own structures, on this thread's connection."""
        if self.closed:
            raise NotConnected(f"the connection to {self.name} is closed")
        mqi = self._local.mqi
        if mqi is None:
            wire = open_wire(self._definition, 0)
            self._wires.append(wire)
            mqi = self._local.mqi = RemoteMQI(wire)
        return mqi

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect. What was not committed is backed out; a second close does nothing."""
        self.closed = True
        for wire in self._wires:
            wire.drop()
        self._wires.clear()

    def __repr__(self) -> str:
        return f"<RemoteQueueManager {self.name}{' closed' if self.closed else ''}>"
