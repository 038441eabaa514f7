"""Where the queue manager is, from a URL and `transport_options`.

    flintmq://user:password@host:1414/QM1?channel=DEV.ADMIN.SVRCONN     over a channel
    flintmq:///QM1                                                      on this machine, over its local socket
    flintmq+embedded:///QM1                                             in this process: flintmq.open("QM1")
    flintmq+embedded:////var/mqm/QM1                                    in this process, by path
    flintmq+embedded:///:memory:                                        in this process, without files

Options stand in the query of the URL or in `transport_options`, which wins: those of `flintmq.connect` (channel, conn,
cipher_spec, key_repository ...) and

    model           model queue for temporary queues                FLINTMQ.KOMBU.MODEL, which is defined if need be
    queue_prefix    goes before the name of every queue             none

Kombu removes the query from the second and later URLs of a failover list, so use `transport_options` with lists.

A queue manager in this process is opened once, and closed when the last connection to it is; one in memory lives until
the process ends, since its messages would be gone otherwise.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

import flintmq

DEFAULT_PORT: Final = 1414
MODEL: Final = "FLINTMQ.KOMBU.MODEL"
#: The model for users who may not define one.
DEFAULT_MODEL: Final = "SYSTEM.DEFAULT.MODEL.QUEUE"
MEMORY: Final = ":memory:"
EMBEDDED: Final = "embedded"

#: Options of flintmq.connect that are text.
_TEXTS: Final = frozenset(
    {
        "channel", "conn", "application", "cipher_spec", "key_repository", "key_repository_password",
        "certificate_label", "ssl_peer", "ccdt", "header_compression", "message_compression",
    }
)  # fmt: skip
_OWN: Final = frozenset({"model", "queue_prefix"})


@dataclass
class Address:
    """A queue manager and how to reach it."""

    name: str
    embedded: bool = False
    #: Arguments of flintmq.connect.
    options: dict[str, Any] = field(default_factory=dict)
    model: str = MODEL
    queue_prefix: str = ""

    def open(self) -> flintmq.RemoteQueueManager | flintmq.QueueManager:
        """Connect to the queue manager, or open it in this process. Raises MQError."""
        if self.embedded:
            return _Shared.take(self.name)
        return flintmq.connect(self.name, **self.options)

    def close(self, qm: flintmq.RemoteQueueManager | flintmq.QueueManager) -> None:
        """Undo `open`."""
        if self.embedded:
            _Shared.give(self.name)
        else:
            qm.close()

    def __str__(self) -> str:
        if self.embedded:
            return f"flintmq+{EMBEDDED}:///{self.name}"
        where = self.options.get("conn", "")
        return f"flintmq://{where}/{self.name}"


class _Shared:
    """Queue managers that are open in this process, by name, with the number of connections that use each."""

    _lock = threading.Lock()
    _open: dict[str, flintmq.QueueManager] = {}
    _uses: dict[str, int] = {}

    @classmethod
    def take(cls, name: str) -> flintmq.QueueManager:
        with cls._lock:
            found = cls._open.get(name)
            if found is None or found.closed:
                found = cls._open[name] = flintmq.open(name)
                cls._uses[name] = 0
            cls._uses[name] += 1
            return found

    @classmethod
    def give(cls, name: str) -> None:
        with cls._lock:
            cls._uses[name] -= 1
            if not cls._uses[name] and name != MEMORY:
                cls._open.pop(name).close()


def address_of(
    url: str, user: str, password: str, port: int | None, virtual_host: str, options: Mapping[str, Any], timeout: float
) -> Address:
    """Return the address that a Kombu connection means. Raises ValueError for one that cannot be understood.

    `url` is Kombu's host name: a whole URL, or the host alone, after a failover for example; user, password, port and
    virtual host are from the connection then.
    """
    host = url
    query: dict[str, str] = {}
    embedded = False
    if "://" in url:
        parts = urlsplit(url)
        embedded = parts.scheme == EMBEDDED or parts.scheme.endswith(f"+{EMBEDDED}")
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        host, port = parts.hostname or "", parts.port or port
        user, password = unquote(parts.username or "") or user, unquote(parts.password or "") or password
        virtual_host = unquote(parts.path[1:])
    name = virtual_host if virtual_host != "/" else ""
    given: dict[str, Any] = {key: value for key, value in {**query, **options}.items() if key in _TEXTS | _OWN}
    unknown = sorted(set(query) - _TEXTS - _OWN)
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: not an option of a flintmq URL; there are {sorted(_TEXTS | _OWN)}")
    made = Address(name, embedded, model=given.pop("model", MODEL), queue_prefix=given.pop("queue_prefix", ""))
    if embedded:
        if host or not name:
            raise ValueError(f"{url}: a queue manager in this process is flintmq+embedded:///NAME, without a host")
        return made
    made.options = _connection_options(host, port, name, given)
    if user:
        made.options |= {"user": user, "password": password}
    if timeout:
        made.options["timeout"] = float(timeout)
    return made


def _connection_options(host: str, port: int | None, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `flintmq.connect`. Raises ValueError if they name no channel."""
    options = {**given, "reconnect": "no"}
    if host:
        options.setdefault("conn", f"{host}({port or DEFAULT_PORT})")
    if "conn" in options and not options.get("channel"):
        raise ValueError(f"name the server-connection channel: flintmq://{host}/{name}?channel=DEV.ADMIN.SVRCONN")
    return options
