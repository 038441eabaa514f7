"""The wire protocols that a queue manager serves. The first bytes of a connection select its protocol.

    signature    of
    TSH          MQ clients (wire/mq)

A protocol has signatures of at most SIGNATURE_MAX bytes. While the bytes of a connection are the beginning of a
signature, but not yet a whole one, the loop keeps them and waits for more. Bytes that no protocol has for a signature
go to the protocol that was registered first, which refuses them and writes the reason to the error log.
TLS is not a protocol of this table: the loop removes it before.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from flintmq.wire.endpoint import Endpoint
from flintmq.wire.origin import Origin

SIGNATURE_MAX = 8


@mypyc_attr(allow_interpreted_subclasses=True)
class WireProtocol:
    """A protocol: the endpoints of all its connections, and their common state."""

    name: str = ""

    def __init__(self) -> None:
        #: The bytes with which a connection of this protocol may begin.
        self.signatures: list[bytes] = []

    def endpoint(self, origin: Origin) -> Endpoint:
        """Return the endpoint of a new connection."""
        raise NotImplementedError

    def refuses_address(self, address: str) -> bool:
        """Return whether a connection from `address` is to be closed before its first byte. Called in a turn."""
        return False

    def instances_count(self) -> int:
        """Return the number of connections that a display of active channels shows."""
        return 0

    def connections_count(self) -> int:
        """Return the number of clients that a quiescing queue manager waits for."""
        return 0

    def quiesce(self, reconnect: bool) -> None:
        """Begin to end, in a turn: the queue manager quiesces.

        With `reconnect`, disconnect clients that reconnect by themselves.
        """

    def farewell(self) -> None:
        """Tell every client, in a turn, that the queue manager ends, and disconnect it."""


class Registry:
    """The protocols of one queue manager, in the order of their registration."""

    def __init__(self) -> None:
        self.protocols: list[WireProtocol] = []

    def add(self, protocol: WireProtocol) -> None:
        """Serve `protocol`. Raises ValueError if a signature is too long, or the beginning of another one."""
        others = [each for known in self.protocols for each in known.signatures]
        for signature in protocol.signatures:
            if not 0 < len(signature) <= SIGNATURE_MAX:
                raise ValueError(f"a signature has 1 to {SIGNATURE_MAX} bytes, not {len(signature)}")
            for other in others:
                if signature.startswith(other) or other.startswith(signature):
                    raise ValueError(f"{signature!r} of {protocol.name} cannot be told from {other!r}")
        self.protocols.append(protocol)

    def choose(self, data: bytes) -> WireProtocol | None:
        """Return the protocol of a connection that begins with `data`; None if more bytes are needed to tell."""
        undecided = False
        for protocol in self.protocols:
            for signature in protocol.signatures:
                if data.startswith(signature):
                    return protocol
                if signature.startswith(data):
                    undecided = True
        return None if undecided else self.protocols[0]
