"""Services of all channels for one channel instance and its conversations. `Channels` (server.py) implements them.

This file is apart from server.py, so that channel instances and conversations need not import the files that make and
count channel instances.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from flintmq.wire.endpoint import EndpointHost
from flintmq.wire.mq.terms import Gatekeeper, Terms
from flintmq.wire.registry import WireProtocol

if TYPE_CHECKING:
    from flintmq.qmgr.calls import Calls
    from flintmq.wire.mq.channel_instance import ChannelInstance
    from flintmq.wire.mq.conversation import Call, Conversation
    from flintmq.wire.mq.identity import Identity
    from flintmq.wire.mq.streaming import Stream


@mypyc_attr(allow_interpreted_subclasses=True)
class ChannelServices(WireProtocol):
    """The common state of all channel instances, and the calls that they make to their host."""

    def __init__(self, engine: Calls, gatekeeper: Gatekeeper, process_id: int, host: EndpointHost) -> None:
        super().__init__()
        self.engine = engine
        self.host = host
        self.gatekeeper = gatekeeper
        self.process_id = process_id
        #: The functions that do calls, by segment type.
        self.calls: dict[int, Callable[[Conversation, Call], None]] = {}
        #: The conversation of a connection of the engine, by connection id.
        self.by_connection: dict[bytes, Conversation] = {}

    def check_password(self, session: ChannelInstance, identity: Identity) -> bool:
        """Have a password compared while others are served, then call `session.checked`. False: not by this host."""
        return False

    def forget_check(self, session: ChannelInstance) -> None:
        """Cancel the password check of a channel instance that ends."""

    def remind_later(self, stream: Stream) -> None:
        """Call `stream.remind` in turns, a little later and then later each time, until it returns False."""

    def terms_of(self, name: str, address: str) -> Terms:
        """Return the terms of the server-connection channel called `name`. Raises ChannelError."""
        raise NotImplementedError

    def admitted(self, session: ChannelInstance) -> None:
        """Record that the first client of a socket has connected."""

    def refused(self, session: ChannelInstance, why: str) -> None:
        """Write to the error log that there is no room for a client."""

    def started(self, session: ChannelInstance) -> None:
        """Add an instance that has named its channel. Raises ChannelError if there are too many."""

    def ended(self, session: ChannelInstance) -> None:
        """Remove an instance."""

    def look_at(self, session: ChannelInstance, now_ms: int) -> None:
        """Record the time of the last call, and end the instance if STOP CHANNEL or DISCINT says so. Once a second."""
