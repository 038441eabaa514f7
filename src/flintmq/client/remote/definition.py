"""What a client knows of the channel it uses: where, which, as whom, and how it is protected."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from flintmq.client.errors import error_of
from flintmq.mqi.reason import MQRC_CHANNEL_CONFIG_ERROR, MQRC_Q_MGR_NAME_ERROR

PORT = 1414
CHANNEL_LENGTH = 20
_NAME_LENGTH = 48


@dataclass(frozen=True)
class Address:
    """One entry of a CONNAME."""

    host: str
    port: int = PORT

    def __str__(self) -> str:
        return f"{self.host}({self.port})"


def addresses(conn: str) -> tuple[Address, ...]:
    """The entries of `host(1414),other(1415)`. Raises MQError (2539)."""
    found: list[Address] = []
    for part in conn.split(","):
        text = part.strip()
        host, bracket, rest = text.partition("(")
        number = rest.rstrip().removesuffix(")") if bracket else str(PORT)
        if not host.strip() or (bracket and not rest.rstrip().endswith(")")) or not _is_port(number):
            raise error_of(
                MQRC_CHANNEL_CONFIG_ERROR,
                f"{text!r} is not an address: it is written host(port), several of them with commas between",
            )
        found.append(Address(host.strip(), int(number)))
    return tuple(found)


def _is_port(text: str) -> bool:
    text = text.strip()
    return text.isascii() and text.isdigit() and 0 < int(text) < 65536


@dataclass(frozen=True)
class Definition:
    """A client-connection channel."""

    #: The queue manager; "" or "*..." for any.
    q_mgr_name: str
    channel: str
    addresses: tuple[Address, ...]
    user: str = ""
    password: str = field(default="", repr=False)
    application: str = ""
    #: Seconds for a connection to be made, and TLS and the channel to be agreed on.
    timeout: float = 30.0
    heartbeat_s: int = 300
    sharing: int = 0
    #: MQCNO_*.
    options: int = 0

    def checked(self) -> Definition:
        """The same. Raises MQError for a name that cannot be one."""
        if len(self.channel) > CHANNEL_LENGTH or not self.channel.isascii() or not self.channel.strip():
            raise error_of(
                MQRC_CHANNEL_CONFIG_ERROR, f"a channel name has 1 to {CHANNEL_LENGTH} characters, not {self.channel!r}"
            )
        if len(self.q_mgr_name) > _NAME_LENGTH or not self.q_mgr_name.isascii():
            raise error_of(
                MQRC_Q_MGR_NAME_ERROR,
                f"a queue manager name has up to {_NAME_LENGTH} characters, not {self.q_mgr_name!r}",
            )
        return self

    def at(self, address: Address) -> str:
        """Where this leads, for the texts of errors."""
        return f"{self.q_mgr_name or 'queue manager'} at {address}, channel {self.channel}"

    def with_application(self, application: str) -> Definition:
        """The same under another name."""
        return replace(self, application=application)
