"""The definition of a client-connection channel: addresses, names, user, and TLS."""

from __future__ import annotations

from typing import NamedTuple

from flintmq.client.remote.session import ClientSession
from flintmq.mqi.call_errors import error_of
from flintmq.mqi.reason import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_Q_MGR_NAME_ERROR,
    MQRC_SSL_INITIALIZATION_ERROR,
)

PORT = 1414
#: Milliseconds before each attempt to reconnect, fixed and random; the last pair repeats.
DELAYS = ((1000, 200), (2000, 200), (4000, 200), (8000, 500), (16000, 1000), (25000, 6000))
RECONNECT_TIMEOUT_S = 1800.0
#: The value of `reconnect` with which a lost connection is lost (reconnect.py).
NO_RECONNECT = "no"
CHANNEL_LENGTH = 20
_NAME_LENGTH = 48


class Address(NamedTuple):
    """One entry of a CONNAME, or the socket of a queue manager of this machine."""

    host: str
    port: int = PORT
    #: The directory of a local queue manager.
    directory: str = ""

    def __str__(self) -> str:
        return f"the local socket in {self.directory}" if self.directory else f"{self.host}({self.port})"


def addresses(conn: str) -> tuple[Address, ...]:
    """Return the addresses of a CONNAME: `host(1414),other(1415)`.

    `host:1414` and `[::1]:1414` are valid, too. A host with several colons and no brackets is an IPv6 address without a
    port. Raise MQError (2539).
    """
    found: list[Address] = []
    for part in conn.split(","):
        text = part.strip()
        host, number = _host_and_port(text)
        if not host or not _is_port(number):
            raise error_of(
                MQRC_CHANNEL_CONFIG_ERROR,
                f"{text!r} is not an address: it is written host(port), several of them with commas between",
            )
        found.append(Address(host, int(number)))
    return tuple(found)


def _host_and_port(text: str) -> tuple[str, str]:
    """Split one entry; an invalid host or port is blank."""
    host, bracket, rest = text.partition("(")
    if bracket:
        return host.strip(), rest.removesuffix(")") if rest.endswith(")") else ""
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        return (host.strip() if bracket else ""), rest.removeprefix(":") if rest else str(PORT)
    if text.count(":") == 1:
        host, _, rest = text.partition(":")
        return host.strip(), rest
    return text, str(PORT)


def _is_port(text: str) -> bool:
    text = text.strip()
    return text.isascii() and text.isdigit() and 0 < int(text) < 65536


def techniques(names: str, header: bool) -> tuple[int, ...]:
    """Return the techniques of COMPHDR, or COMPMSG: SYSTEM or NONE, or a list of RLE, ZLIBFAST ... Raise ValueError."""
    if not names:
        return ()
    from flintmq.wire.mq.compression import NONE, SYSTEM, numbers

    found = [each for each in numbers(names) if each != NONE]
    for each in found:
        if (each == SYSTEM) != header:
            what = "headers are compressed by SYSTEM" if header else "SYSTEM is for headers"
            raise ValueError(f"{names}: {what}")
    return tuple(found)


def shown_without(values: NamedTuple, secret: str) -> str:
    """Show the fields of a tuple, except the secret one."""
    fields = ", ".join(f"{name}={value!r}" for name, value in values._asdict().items() if name != secret)
    return f"{type(values).__name__}({fields})"


def _is_cipher_spec(name: str) -> bool:
    from flintmq.wire.mq.cipher_spec import is_known

    return is_known(name)


class Protection(NamedTuple):
    """TLS settings of a channel."""

    cipher_spec: str = ""
    #: A file with the certificates that are trusted and, if the channel wants it, our own with its key.
    key_repository: str = ""
    certificate_label: str = ""
    #: SSLPEER: pattern for the name in the queue manager's certificate.
    peer: str = ""
    #: Of a key repository in PKCS#12.
    key_repository_password: str = ""
    #: OutboundSNI: the server name of the handshake: CHANNEL, HOSTNAME or "" for none.
    outbound_name: str = "CHANNEL"

    def __repr__(self) -> str:
        return shown_without(self, "key_repository_password")


class Definition(NamedTuple):
    """A client-connection channel."""

    #: The queue manager; "" or "*..." for any.
    q_mgr_name: str
    channel: str
    addresses: tuple[Address, ...]
    user: str = ""
    password: str = ""
    application: str = ""
    #: Seconds for a connection to be made, and TLS and the channel to be agreed on.
    timeout: float = 30.0
    heartbeat_s: int = 300
    #: SHARECNV. One conversation is held on a socket; 0 is for the protocol without read-ahead and asynchronous put.
    sharing: int = 1
    #: COMPHDR and COMPMSG: techniques that are offered, in order of preference.
    header_compression: tuple[int, ...] = ()
    message_compression: tuple[int, ...] = ()
    #: Bytes that are read ahead for a handle (MessageBuffer MaximumSize); 0 for the client's default.
    room: int = 0
    #: MQCNO_*.
    options: int = 0
    protection: Protection = Protection()
    #: "no", "yes" or "qmgr"; the milliseconds before each attempt, fixed and random, and the seconds for all of them.
    reconnect: str = NO_RECONNECT
    delays: tuple[tuple[int, int], ...] = DELAYS
    reconnect_timeout_s: float = RECONNECT_TIMEOUT_S

    def __repr__(self) -> str:
        return shown_without(self, "password")

    def checked(self) -> Definition:
        """Return this definition. Raise MQError for an invalid name."""
        if len(self.channel) > CHANNEL_LENGTH or not self.channel.isascii() or not self.channel.strip():
            raise error_of(
                MQRC_CHANNEL_CONFIG_ERROR, f"a channel name has 1 to {CHANNEL_LENGTH} characters, not {self.channel!r}"
            )
        if len(self.q_mgr_name) > _NAME_LENGTH or not self.q_mgr_name.isascii():
            raise error_of(
                MQRC_Q_MGR_NAME_ERROR,
                f"a queue manager name has up to {_NAME_LENGTH} characters, not {self.q_mgr_name!r}",
            )
        if self.protection.cipher_spec and not _is_cipher_spec(self.protection.cipher_spec):
            raise error_of(
                MQRC_SSL_INITIALIZATION_ERROR,
                f"{self.protection.cipher_spec!r} is not a CipherSpec that is known here: ANY_TLS12_OR_HIGHER, for "
                f"example, or TLS_AES_256_GCM_SHA384",
            )
        return self

    @property
    def wanted_name(self) -> str:
        """Return the name to ask for: blank accepts any queue manager; a group is known to the client only."""
        return "" if self.q_mgr_name.startswith("*") else self.q_mgr_name

    def at(self, address: Address) -> str:
        """Return the place of an address, for the texts of errors."""
        name = self.q_mgr_name or "queue manager"
        return f"{name} at {address}" if address.directory else f"{name} at {address}, channel {self.channel}"

    def session(self) -> ClientSession:
        """Return a session for one socket of the channel."""
        return ClientSession(
            self.channel,
            self.wanted_name,
            self.sharing,
            self.heartbeat_s,
            self.header_compression,
            self.message_compression,
        )

    def with_application(self, application: str) -> Definition:
        """Return this definition with another application name."""
        return self._replace(application=application)
