"""Deferred outputs: sent together with the commit and the next get of an instance.

L1  An output is kept only if it ends its flow (flow/ending.py): its refusal has one effect, the message is backed out.
L2  Outputs leave in the order in which the flow made them, before every other call of the session.
L3  The queue manager commits only if all of them succeeded, and gets only if it has committed (remote/together.py).
L4  Outside of a unit of work a put is final. So at most one such output is deferred, and only if no unit of work has
    begun: without deferral its refusal would have stopped the flow before the next output.
L5  A deferred output is packed at once, because the flow may change its trees and structures later.
L6  At most KEPT_MAX outputs are deferred, with KEPT_BYTES_MAX bytes if there is more than one. A flow may publish a
    long message on many topics; and a queue manager stops reading from a client that does not read its answers.

With a queue manager that takes one call at a time no output is deferred.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from flintmq.client.remote.together import Chain, LaterGet, LaterPut
from flintmq.mqi.call_errors import MQError

if TYPE_CHECKING:
    from flintmq.broker.flow.services import Publication, Put
    from flintmq.mqi.md import MQMD
    from flintmq.mqi.od import MQOD
    from flintmq.mqi.pmo import MQPMO


#: Limits of deferred outputs: how many, and bytes of data in them (L6).
KEPT_MAX: Final = 100
KEPT_BYTES_MAX: Final = 1024 * 1024


class Late:
    """A deferred output: its call, and the data to repeat it or to report its refusal."""

    __slots__ = ("call", "data", "key", "md", "names", "node", "pmo")

    def __init__(
        self,
        call: LaterPut,
        node: str,
        names: list[str],
        key: tuple[str, str, int, str] | None,
        md: MQMD,
        pmo: MQPMO,
        data: bytes,
    ) -> None:
        self.call = call
        self.node = node
        #: The queue, or the topics.
        self.names = names
        #: The open queue; None for a topic.
        self.key = key
        self.md = md
        self.pmo = pmo
        self.data = data


class LateOutputs:
    """The deferred outputs of a session."""

    def __init__(self, mqi: Any) -> None:
        self._mqi = mqi
        self._kept: list[Late] = []
        self._kept_bytes = 0
        self._sent: list[Late] = []
        self._chains: bool | None = None
        #: Why the last chain was not done: the refusal of an output, or of the commit.
        self.error: MQError | None = None

    def __bool__(self) -> bool:
        return bool(self._kept)

    @property
    def chains(self) -> bool:
        """Return whether the queue manager takes calls that are sent together. Raise NotConnected."""
        if self._chains is None:
            ask = getattr(self._mqi, "may_send_together", None)
            self._chains = ask is not None and bool(ask())
        return self._chains

    def takes(self, transactional: bool, in_unit: bool, length: int) -> bool:
        """Return whether one more output, of so many bytes, may be kept (L4, L6)."""
        if not self.chains:
            return False
        if self._kept and (len(self._kept) >= KEPT_MAX or self._kept_bytes + length > KEPT_BYTES_MAX):
            return False
        if transactional:
            return in_unit or not self._kept
        return not in_unit and not self._kept

    def is_too_long(self, data: bytes) -> bool:
        """Return whether a message is refused before it is sent."""
        longest: int = self._mqi.wire.session.terms.max_message_size
        return len(data) > longest

    def put(self, handle: Any, md: MQMD, pmo: MQPMO, put: Put, key: tuple[str, str, int, str]) -> None:
        """Keep a put."""
        call = LaterPut(self._mqi, handle, md, pmo, put.data)
        self._keep(Late(call, put.node, [put.queue], key, md, pmo, put.data))

    def publish(self, od: MQOD, pmo: MQPMO, publication: Publication) -> None:
        """Keep a publication on one topic."""
        md = publication.md
        call = LaterPut(self._mqi, None, md, pmo, publication.data, od)
        self._keep(Late(call, publication.node, publication.topics, None, md, pmo, publication.data))

    def _keep(self, late: Late) -> None:
        self._kept.append(late)
        self._kept_bytes += len(late.data)

    def send(self, commits: bool, following: LaterGet | None, settled: Callable[[], None]) -> None:
        """Send the deferred outputs, a commit and a get. Call `settled` when all but the get is answered."""
        self._sent, self._kept, self._kept_bytes = self._kept, [], 0
        self.error = None
        chain = Chain([each.call for each in self._sent], commits, following)

        def answered() -> None:
            refused = self.refused()
            self.error = refused[0].call.error if refused else chain.commit_error
            settled()

        chain.settled = answered
        if chain.puts or commits or following is not None:
            self._mqi.run_chain(chain)

    def refused(self) -> list[Late]:
        """Return the outputs that were refused."""
        return [each for each in self._sent if each.call.error is not None]

    def drop(self) -> None:
        """Discard the deferred outputs: the unit of work is backed out."""
        self._kept.clear()
        self._kept_bytes = 0
