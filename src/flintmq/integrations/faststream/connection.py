"""Where a broker connects: URL, keyword arguments and security become the options of `flintmq.aconnect`.

    mq://user:password@host:1414/QM1?channel=DEV.APP.SVRCONN
    mq://host:1414,other:1414/QM1?channel=DEV.APP.SVRCONN&application=orders
    mqs://host:1414/QM1?channel=TLS.SVRCONN&key_repository=/etc/mq/client.pem

`mqs` is `mq` with TLS: cipher_spec=ANY_TLS12_OR_HIGHER unless the query says otherwise. Other names of the query are
options of `aconnect` that are text. Without a host, MQSERVER, MQCCDTURL and mqclient.ini say where the queue manager
is, and if they do not, it is one of this machine (flintmq.client.remote.config).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from faststream.exceptions import SetupError
from faststream.security import BaseSecurity, SASLPlaintext

DEFAULT_URL = "mq://127.0.0.1:1414/QM1?channel=DEV.APP.SVRCONN"
CIPHER_SPEC = "ANY_TLS12_OR_HIGHER"
PORT = 1414

#: What a query may name.
_OPTIONS = frozenset(
    "channel conn user password application cipher_spec key_repository key_repository_password certificate_label "
    "ssl_peer reconnect ccdt header_compression message_compression".split()
)


def parse_url(url: str) -> tuple[str, dict[str, Any]]:
    """Return the queue manager name and the options of `flintmq.aconnect` that a URL means. Raises SetupError."""
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in ("mq", "mqs"):
        raise SetupError(f"a broker URL is mq://host:port/QUEUE.MANAGER?channel=NAME or mqs://..., not {url!r}")
    parts = urlsplit(url)
    options: dict[str, Any] = {}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in _OPTIONS:
            raise SetupError(f"{name!r} in the broker URL is not one of {', '.join(sorted(_OPTIONS))}")
        options[name] = value
    who, _, where = parts.netloc.rpartition("@")
    if where:
        options.setdefault("conn", ",".join(_address(each) for each in where.split(",")))
        options.setdefault("channel", "DEV.APP.SVRCONN")
    if who:
        user, _, password = who.partition(":")
        options["user"], options["password"] = unquote(user), unquote(password)
    if scheme == "mqs":
        options.setdefault("cipher_spec", CIPHER_SPEC)
    return unquote(parts.path.strip("/")), options


def _address(text: str) -> str:
    """Return `host:port` as MQ writes it: host(port)."""
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, str(PORT)
    return f"{host.strip('[]')}({port})"


def security_options(security: BaseSecurity | None) -> dict[str, Any]:
    """Return the options that `security` means. Raises SetupError for a kind that MQ does not have."""
    if security is None:
        return {}
    if type(security) not in (BaseSecurity, SASLPlaintext):
        raise SetupError(f"MQBroker takes SASLPlaintext or BaseSecurity, not {type(security).__name__}")
    if security.ssl_context is not None:
        raise SetupError("MQBroker takes certificates from key_repository=, not from an SSLContext")
    options: dict[str, Any] = {"cipher_spec": CIPHER_SPEC} if security.use_ssl else {}
    if isinstance(security, SASLPlaintext):
        options |= {"user": security.username, "password": security.password}
    return options


def public_url(name: str, options: dict[str, Any]) -> str:
    """Return the URL for specifications: without user and password."""
    where = str(options.get("conn", "")).replace("(", ":").replace(")", "")
    channel = f"?channel={options['channel']}" if options.get("channel") else ""
    return f"{'mqs' if options.get('cipher_spec') else 'mq'}://{where}/{name}{channel}"
