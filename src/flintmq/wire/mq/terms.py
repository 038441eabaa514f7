"""The terms of a server-connection channel: what its definition lets a client have, and who may use it.

`Channels.terms_of` (server.py) reads them from the CHANNEL objects of the catalogue when a client has named one. Who
may connect is decided by the `Gatekeeper`, which a host may replace.
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


#: What clients of this machine, on the Unix socket, name instead of a channel.


class Terms:
    """What one channel gives its clients."""

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
    #: SSLPEER: what the name in the client's certificate must have.
    peer: str = ""
    #: CERTLABL: whose certificate clients are shown; "", that of the queue manager.
    certificate_label: str = ""

    def __init__(self, name: str) -> None:
        self.name = name
        #: COMPHDR and COMPMSG: the techniques that clients may choose from.
        self.header_compression: list[int] = []
        self.message_compression: list[int] = []

    def automatic_keep_alive(self) -> int:
        """KAINT(AUTO): a minute after the heartbeat, which is to find out first."""
        return self.heartbeat_interval + 60 if self.heartbeat_interval else 0


def local_terms() -> Terms:
    """What clients of this machine get: all there is, and nobody asks for a password."""
    terms = Terms(LOCAL_CHANNEL)
    terms.max_message_length = MESSAGE_LENGTH_MAX
    return terms


@mypyc_attr(allow_interpreted_subclasses=True)
class Gatekeeper:
    """Decides who a client is. This one believes the client, as a channel without rules does."""

    #: How long the last refusal is to be held back.
    delay_ms: int = 0

    def refuses_address(self, address: str) -> bool:
        """Called when a socket is opened, before anything was said. True closes it; the refusal has been told."""
        return False

    def compare_with(self, identity: Identity) -> str:
        """What the password is to be compared with before `admit` can say; "" if it need not be.

        Comparing takes long. A host that has better to do meanwhile has it done elsewhere (`Channels.check_password`),
        and tells by `compared` what came out; else `admit` does it.
        """
        return ""

    def compared(self, identity: Identity, against: str, is_right: bool) -> None:
        """The password was compared with what `compare_with` had said."""

    def admit(self, terms: Terms, identity: Identity, address: str) -> tuple[int, str]:
        """(reason, user) for a client that connects: MCAUSER of the channel, else who the client says it is."""
        return 0, terms.mca_user or identity.claimed_user or identity.user

    def admit_local(self, terms: Terms, user: str) -> tuple[int, str]:
        """(reason, user) for a client on the local socket; `user` is who it is by the word of the system."""
        return 0, user
