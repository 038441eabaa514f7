"""The terms of a server-connection channel: limits by its definition, and authentication of its clients.

`Channels.terms_of` (server.py) reads them from the CHANNEL objects of the catalogue when a client has named one. The
`Gatekeeper` authenticates clients; a host may replace it.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import mypyc_attr

from flintmq.catalogue.limits import MESSAGE_LENGTH_MAX
from flintmq.wire.mq.identity import Identity
from flintmq.wire.mq.initial_data import LOCAL_CHANNEL as LOCAL_CHANNEL

MESSAGE_LENGTH_DEFAULT: Final = 4 * 1024 * 1024
HEARTBEAT_DEFAULT: Final = 300
SHARING_DEFAULT: Final = 10
INSTANCES_MAX: Final = 999_999_999


class Terms:
    """The terms of one channel for its clients."""

    max_message_length: int = MESSAGE_LENGTH_DEFAULT
    heartbeat_interval: int = HEARTBEAT_DEFAULT
    sharing: int = SHARING_DEFAULT
    #: Seconds without a call after which a client is disconnected; 0, never.
    disconnect_interval: int = 0
    #: KAINT: seconds of silence before the system asks whether the client's machine is there; 0, it does not.
    keep_alive_interval: int = 0
    mca_user: str = ""
    instances_max: int = INSTANCES_MAX
    instances_per_client_max: int = INSTANCES_MAX
    cipher_spec: str = ""
    certificate_required: bool = False
    #: SSLPEER: the required parts of the name in the client's certificate.
    peer: str = ""
    #: CERTLABL: the label of the certificate that clients are shown; "", that of the queue manager.
    certificate_label: str = ""

    def __init__(self, name: str) -> None:
        self.name = name
        #: COMPHDR and COMPMSG: the techniques that clients may choose from.
        self.header_compression: list[int] = []
        self.message_compression: list[int] = []

    def automatic_keep_alive(self) -> int:
        """Return the interval of KAINT(AUTO): a minute longer than the heartbeat, which notices a loss first."""
        return self.heartbeat_interval + 60 if self.heartbeat_interval else 0


def local_terms() -> Terms:
    """Return the terms of clients of this machine: no limits, and no password."""
    terms = Terms(LOCAL_CHANNEL)
    terms.max_message_length = MESSAGE_LENGTH_MAX
    return terms


@mypyc_attr(allow_interpreted_subclasses=True)
class Gatekeeper:
    """Authenticates clients. This one believes the client, as a channel without rules does."""

    #: How long the last refusal is to be held back.
    delay_ms: int = 0

    def refuses_address(self, address: str) -> bool:
        """Return whether a new socket is to be closed at once; the refusal was reported. Called before any data."""
        return False

    def compare_with(self, identity: Identity) -> str:
        """Return the hash to compare the password with before `admit` can decide; "" if no comparison is needed.

        A comparison takes long. A host that serves others meanwhile has it done elsewhere (`Channels.check_password`)
        and reports the result by `compared`; else `admit` does it.
        """
        return ""

    def compared(self, identity: Identity, against: str, is_right: bool) -> None:
        """Record the result of a comparison with the value of `compare_with`."""

    def admit(self, terms: Terms, identity: Identity, address: str) -> tuple[int, str]:
        """Return (reason, user) for a client that connects: MCAUSER of the channel, else the user it names."""
        return 0, terms.mca_user or identity.claimed_user or identity.user

    def admit_local(self, terms: Terms, user: str) -> tuple[int, str]:
        """Return (reason, user) for a client of the Unix socket; `user` is by the word of the system."""
        return 0, user
