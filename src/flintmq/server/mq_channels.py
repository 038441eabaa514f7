"""The server-connection channels of a running queue manager: MQ's wire protocol with the services of the hub.

Password checks go to threads (password_checks.py), limits of connections to admission.py, and the keep-alive interval
of a channel (KAINT) to its socket.
"""

from __future__ import annotations

import os

from flintmq.server.gatekeeper import without_port
from flintmq.server.hub import Hub
from flintmq.server.password_checks import PasswordChecks
from flintmq.wire.mq.channel_instance import ChannelInstance
from flintmq.wire.mq.identity import Identity
from flintmq.wire.mq.server import Channels
from flintmq.wire.mq.streaming import Stream
from flintmq.wire.mq.terms import Gatekeeper

#: A client that may not have heard that it should ask is told again after this time, then after twice as long ...
REMIND_S = 0.002
REMIND_MAX_S = 2.0


class ServedChannels(Channels):
    """The channels that a hub serves. The constructor registers them with the hub."""

    def __init__(self, hub: Hub, gatekeeper: Gatekeeper) -> None:
        super().__init__(hub.engine, gatekeeper, os.getpid(), hub)
        self.hub = hub
        self.checks = PasswordChecks(self, hub.loop, hub.run)
        hub.registry.add(self)
        hub.on_close.append(self.checks.close)

    def refuses_address(self, address: str) -> bool:
        """Return whether a channel authentication record blocks `address`."""
        return super().refuses_address(without_port(address))

    def check_password(self, session: ChannelInstance, identity: Identity) -> bool:
        """Have a thread compare the password."""
        self.checks.ask(session, identity)
        return True

    def forget_check(self, session: ChannelInstance) -> None:
        """Cancel the password check of a channel instance that ends."""
        self.checks.forget(session)

    def remind_later(self, stream: Stream) -> None:
        """Tell a client that it should ask, until it does or has no waiting get."""
        self.hub.loop.call_later(REMIND_S, self._remind, stream, REMIND_S)

    def _remind(self, stream: Stream, after_s: float) -> None:
        told: list[bool] = []
        self.hub.run(lambda: told.append(stream.remind()))
        if told == [True] and after_s < REMIND_MAX_S:
            self.hub.loop.call_later(2 * after_s, self._remind, stream, 2 * after_s)

    def admitted(self, session: ChannelInstance) -> None:
        """Count the connection as one with an authenticated client, which is not closed for a new connection."""
        if session.link is not None:
            self.hub.admission.admitted(session.link)

    def refused(self, session: ChannelInstance, why: str) -> None:
        """Write to the error log that there are too many connections."""
        self.hub.refused(session.address, why)

    def started(self, session: ChannelInstance) -> None:
        """Add a channel instance, and have the system probe its socket as the channel says (KAINT)."""
        super().started(session)
        link = session.link
        if link is not None and session.terms is not None:
            link.keep_alive(session.terms.keep_alive_interval)
