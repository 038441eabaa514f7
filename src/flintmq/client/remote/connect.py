"""`flintmq.connect`: a remote queue manager with the API of `flintmq.open`.

    with flintmq.connect("QM1", channel="DEV.APP.SVRCONN", conn="host(1414)", user="app", password="...") as qm:
        orders = qm.queue("ORDERS")
        with qm.transaction():
            orders.put(b"hello", persistent=True)
        message = orders.get(wait=5.0)

Any number of threads may use it. Each gets its own connection, and so its own socket and unit of work, with its first
call; the connection ends with the thread, and its uncommitted work is backed out.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from flintmq.client.lazy import lazy
from flintmq.client.remote import config
from flintmq.client.remote.connection import RemoteCalls, RemoteConnection
from flintmq.client.remote.definition import NO_RECONNECT, Definition, Protection, addresses, techniques
from flintmq.client.remote.wire import open_wire
from flintmq.host.environment import application_name
from flintmq.mqi.call_errors import NotConnected, error_of
from flintmq.mqi.reason import MQRC_Q_MGR_NAME_ERROR
from flintmq.wire.mq.initial_data import LOCAL_CHANNEL

if TYPE_CHECKING:
    from flintmq.client.remote import ccdt, local
    from flintmq.client.remote.reconnect import Told
else:
    ccdt = lazy("flintmq.client.remote.ccdt")
    local = lazy("flintmq.client.remote.local")

TIMEOUT_S = 30.0
SHARING_MAX = 999_999_999


class Options(TypedDict, total=False):
    """Keyword arguments of `connect` and `aconnect`."""

    channel: str
    conn: str
    user: str
    password: str
    application: str
    timeout: float
    cipher_spec: str
    key_repository: str
    key_repository_password: str
    certificate_label: str
    ssl_peer: str
    reconnect: str
    ccdt: str
    sharing: int
    header_compression: str
    message_compression: str
    on_event: Callable[[int, str], object]


def definitions_of(name: str, options: Options) -> list[Definition]:
    """Return the channels to the queue manager, in the order of attempts. Raise MQError."""
    said = config.settings()
    if options.get("ccdt"):
        from pathlib import Path

        said = said._replace(server="", table=Path(options["ccdt"]))
    given = Protection(
        options.get("cipher_spec", ""),
        options.get("key_repository", "") or said.key_repository,
        options.get("certificate_label", "") or said.certificate_label,
        options.get("ssl_peer", ""),
        options.get("key_repository_password", "") or said.key_repository_password,
        said.outbound_name,
    )
    base = Definition(
        name,
        "",
        (),
        options.get("user", ""),
        options.get("password", ""),
        options.get("application") or said.application or application_name(),
        options.get("timeout") or said.connect_timeout_s or TIMEOUT_S,
        protection=given,
        reconnect=_reconnect(options, said),
        delays=said.delays,
        reconnect_timeout_s=said.reconnect_timeout_s,
        sharing=_sharing(options),
        header_compression=techniques(options.get("header_compression", ""), True),
        message_compression=techniques(options.get("message_compression", ""), False),
        room=said.room,
    )
    found = [each.checked() for each in _channels(name, options, said, base)]
    if not found:
        text = f"no channel in {said.table} leads to {name or 'a blank queue manager name'}"
        raise error_of(MQRC_Q_MGR_NAME_ERROR, text)
    return found


def _reconnect(options: Options, said: config.Settings) -> str:
    """Return the reconnect option: the program's, unless DefRecon is DISABLED."""
    wish = options.get("reconnect", "")
    if wish not in ("", "no", "yes", "qmgr"):
        raise ValueError(f"reconnect is 'no', 'yes' or 'qmgr', not {wish!r}")
    return "no" if said.reconnect == "disabled" else wish or said.reconnect


def _sharing(options: Options) -> int:
    """Return the SHARECNV to offer."""
    sharing = options.get("sharing", 1)
    if not isinstance(sharing, int) or not 0 <= sharing <= SHARING_MAX:
        raise ValueError(f"sharing is a number from 0 to {SHARING_MAX}, not {sharing!r}")
    return sharing


def _channels(name: str, options: Options, said: config.Settings, base: Definition) -> list[Definition]:
    """Return the channels, by the table of config.py."""
    channel, conn = options.get("channel", ""), options.get("conn", "")
    if channel and conn:
        return [base._replace(channel=channel, addresses=addresses(conn))]
    if channel or conn:
        raise config.wrong("channel= and conn= belong together: give both, or none and MQSERVER or a table")
    if said.server:
        channel, places = config.read_server(said.server)
        return [base._replace(channel=channel, addresses=places)]
    if said.table is not None:
        return [
            base._replace(
                channel=each.name,
                addresses=each.addresses,
                heartbeat_s=each.heartbeat_s,
                protection=each.protection(base.protection),
                sharing=base.sharing if "sharing" in options else each.sharing,
                header_compression=base.header_compression or each.header_compression,
                message_compression=base.message_compression or each.message_compression,
                reconnect=base.reconnect if "reconnect" in options else _of_table(each.reconnect, base.reconnect),
            )
            for each in ccdt.choose(ccdt.read(said.table), name)
        ]
    found, place = local.find(name)
    return [base._replace(q_mgr_name=found, channel=LOCAL_CHANNEL, addresses=(place,), protection=Protection())]


def _of_table(entry: str, otherwise: str) -> str:
    return "no" if entry == "disabled" else entry or otherwise


def connect(name: str = "", **options: Unpack[Options]) -> RemoteQueueManager:
    """Connect to the queue manager `name` through its server-connection channel `channel`.

    `conn` is its address: "host(1414)", or several with commas between, which are tried in order. `name` may be "" or
    "*anything" for any queue manager at that address. Without `channel` and `conn` the environment and mqclient.ini are
    read (config.py); without a channel there, the queue manager of this machine is used.

    `user` and `password` are for the connection authentication of the queue manager; a password is sent in clear unless
    the channel has TLS. `cipher_spec` asks for TLS: ANY_TLS12_OR_HIGHER, for example; tls.py explains `key_repository`,
    `certificate_label` and `ssl_peer`; `key_repository_password` is for one in PKCS#12. `application` is the
    application name of messages put here, instead of the program's. `timeout` limits connecting, in seconds.

    `ccdt` is the path of a channel definition table, which has precedence over the environment.

    `sharing` 0 asks for the protocol of SHARECNV(0), without read-ahead and asynchronous put. `message_compression`
    lists techniques to compress messages with: "ZLIBFAST, RLE", the first that the channel allows (COMPMSG) is taken;
    `header_compression` "SYSTEM" compresses their headers (COMPHDR).

    `reconnect` "yes" or "qmgr" makes a lost connection again, with all that was open; reconnect.py has the errors that
    a program may get then. `on_event` is called with MQRC_RECONNECTING and the like, and a text.

    Raise NotConnected (2538 no answer, 2540 no such channel, 2059, 2393 ...), NotAuthorized (2035), MQError.
    """
    return RemoteQueueManager(definitions_of(name, options), options.get("on_event"))


def connect_here(name: str, application: str) -> RemoteQueueManager:
    """Connect to a running queue manager of this machine, regardless of the environment. Raise MQError."""
    found, place = local.find(name)
    definition = Definition(found, LOCAL_CHANNEL, (place,), application=application, timeout=TIMEOUT_S)
    return RemoteQueueManager([definition.checked()])


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

    def __init__(self, definitions: list[Definition], on_event: Told | None = None) -> None:
        self._definitions = definitions
        self._on_event = on_event
        self._local = _Local()
        self._connections: weakref.WeakSet[RemoteConnection] = weakref.WeakSet()
        self._closed = False
        #: It was connected once, so a failure to connect is worth a reconnection.
        self._connected = False
        self._name = definitions[0].q_mgr_name
        self._name = self._current()._mqi.wire.q_mgr_name

    @property
    def name(self) -> str:
        """Return the queue manager's name, as it says itself."""
        return self._name

    @property
    def closed(self) -> bool:
        """Return whether it can no longer be used."""
        return self._closed

    def connect(self, application: str = "") -> RemoteConnection:
        """Make another connection, with a unit of work of its own. Close it, or use it in a `with` statement."""
        return self._made(RemoteConnection, application)

    def _made(self, kind: type[RemoteConnection], application: str = "") -> RemoteConnection:
        if self._closed:
            raise NotConnected(f"the connection to {self._name} is closed")
        definitions = self._definitions
        if application:
            definitions = [each.with_application(application) for each in definitions]
        reconnect: Reconnect | None = None
        if definitions[0].reconnect != NO_RECONNECT:
            from flintmq.client.remote.reconnect import Reconnect

            reconnect = Reconnect(definitions, self._on_event)
        try:
            wire = open_wire(definitions)
        except NotConnected as error:
            if reconnect is None or not self._connected:
                raise
            wire = reconnect.until(
                lambda: open_wire(definitions), definitions[0].at(definitions[0].addresses[0]), error
            )
        self._connected = True
        connection = kind(self, wire, reconnect)
        self._connections.add(connection)
        if self.closed:  # Meanwhile, by another thread.
            connection.close()
            raise NotConnected(f"the connection to {self._name} is closed")
        return connection

    def _current(self) -> RemoteConnection:
        connection = self._local.connection
        if connection is None or self._closed:
            self._local.connection = connection = self._made(_Owned)
        return connection

    def _adopt(self, connection: RemoteConnection) -> None:
        """Use `connection` for the calls of this thread from now on."""
        self._local.connection = connection

    def _release(self, name: str) -> None:
        """Close cached handles of the queue `name` on all connections, except those that are in a call."""
        for connection in list(self._connections):
            if connection._usable() and connection._mqi.wire.is_idle():
                connection._run(connection._queues.release, name)

    def _forget_own(self) -> None:
        """Close the connection of this thread, which is not used."""
        own, self._local.connection = self._local.connection, None
        if own is not None:
            own.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect. Uncommitted work is backed out, waits end with NotConnected.

        A second close does nothing.
        """
        self._closed = True
        for connection in list(self._connections):
            if connection._mqi.wire.is_idle():
                connection.close()
            else:
                if connection._mqi.reconnect is not None:
                    connection._mqi.reconnect.ending.set()
                connection._mqi.wire.interrupt()
        self._connections.clear()

    def __repr__(self) -> str:
        return f"<RemoteQueueManager {self._name}{' closed' if self._closed else ''}>"
