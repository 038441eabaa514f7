"""The MQ client protocol of one queue manager: its server-connection channels and their instances.

`Channels` makes a channel instance for each connection that begins as a segment does. Its hooks (`check_password`,
`remind_later`, `admitted` ...) are for the process that serves sockets (`flintmq.server`); here they do the least that
is correct without one.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from flintmq.catalogue.limits import MESSAGE_LENGTH_MAX
from flintmq.mqi.constants import MQGMO_FAIL_IF_QUIESCING
from flintmq.mqi.reason import MQRC_CONNECTION_QUIESCING
from flintmq.qmgr.calls import Calls, Row
from flintmq.qmgr.catalogue import MQObject
from flintmq.wire.endpoint import EndpointHost
from flintmq.wire.mq.channel_instance import ChannelInstance, too_many
from flintmq.wire.mq.channel_services import ChannelServices
from flintmq.wire.mq.compression import NAMES
from flintmq.wire.mq.errors import (
    STATUS_CHANNEL_UNAVAILABLE,
    STATUS_NO_CHANNEL,
    STATUS_QM_TERMINATING,
    STATUS_USER_CLOSED,
    ChannelError,
)
from flintmq.wire.mq.mqi_calls import CALLS
from flintmq.wire.mq.status import ended_row, instance_row, stopped_row
from flintmq.wire.mq.terms import LOCAL_CHANNEL, Gatekeeper, Terms
from flintmq.wire.mq.xa_calls import CALLS as XA_CALLS
from flintmq.wire.origin import Origin

#: The first bytes of every segment.
SIGNATURE = b"TSH"


@mypyc_attr(allow_interpreted_subclasses=True)
class Channels(ChannelServices):
    """The server-connection channels of a queue manager."""

    name = "MQ"

    def __init__(
        self, engine: Calls, gatekeeper: Gatekeeper, process_id: int, host: EndpointHost | None = None
    ) -> None:
        super().__init__(engine, gatekeeper, process_id, host if host is not None else EndpointHost(engine))
        self.signatures = [SIGNATURE]
        self.calls = {**CALLS, **XA_CALLS}
        self.sessions: set[ChannelInstance] = set()
        #: How many of them there are of a channel, and of a channel and a client's address (`_of_client`).
        self.instances: dict[str, int] = {}
        #: Sessions of channels, and how many there may be; 0 for any number.
        self.channels_count = 0
        self.channels_max = 0
        self._sessions_started = 0
        #: The last status of instances that have ended, for accounting of channels.
        self.ended_rows: list[Row] = []

    def endpoint(self, origin: Origin) -> ChannelInstance:
        """Return the channel instance of a new connection."""
        instance = self.instance(origin.address)
        instance.local_user = origin.user
        instance.protection = origin.protection
        instance.refusal = origin.refusal
        return instance

    def instance(self, address: str) -> ChannelInstance:
        """Return a new channel instance for a client at `address`."""
        return ChannelInstance(self, address)

    def refuses_address(self, address: str) -> bool:
        """Return whether a channel authentication record blocks `address`."""
        return self.gatekeeper.refuses_address(address)

    def instances_count(self) -> int:
        """Return the number of running channel instances."""
        return len(self.sessions)

    def connections_count(self) -> int:
        """Return the number of connected clients."""
        return len(self.by_connection)

    def quiesce(self, reconnect: bool) -> None:
        """Disconnect clients that reconnect by themselves, if `reconnect` is True."""
        if reconnect:
            for session in list(self.sessions):
                if session.comes_back():
                    session.stop(STATUS_QM_TERMINATING)

    def farewell(self) -> None:
        """Tell every client that the queue manager ends, and disconnect it."""
        for session in list(self.sessions):
            session.stop(STATUS_QM_TERMINATING)

    def terms_of(self, name: str, address: str) -> Terms:
        """Return the terms of the server-connection channel called `name`. Raises ChannelError."""
        definition = self.engine.catalogue.find("CHANNEL", name)
        if definition is None:
            raise ChannelError(STATUS_NO_CHANNEL, f"channel {name} is not defined", "AMQ9519E")
        if definition.stopped:
            text = f"channel {name} is stopped; START CHANNEL({name}) lets clients use it"
            raise ChannelError(STATUS_CHANNEL_UNAVAILABLE, text, "AMQ9558E")
        terms = Terms(name)
        terms.max_message_length = definition.number("MAXMSGL") or MESSAGE_LENGTH_MAX
        terms.heartbeat_interval = definition.number("HBINT")
        terms.sharing = definition.number("SHARECNV")
        terms.disconnect_interval = definition.number("DISCINT")
        keep_alive = definition.attributes["KAINT"]
        terms.keep_alive_interval = keep_alive if isinstance(keep_alive, int) else terms.automatic_keep_alive()
        terms.header_compression = techniques(definition, "COMPHDR")
        terms.message_compression = techniques(definition, "COMPMSG")
        terms.mca_user = definition.text("MCAUSER")
        terms.instances_max = definition.number("MAXINST")
        terms.instances_per_client_max = definition.number("MAXINSTC")
        terms.cipher_spec = definition.text("SSLCIPH")
        terms.certificate_required = definition.text("SSLCAUTH") == "REQUIRED"
        terms.peer = definition.text("SSLPEER")
        terms.certificate_label = definition.text("CERTLABL")
        return terms

    def refused(self, session: ChannelInstance, why: str) -> None:
        """Write to the error log that there is no room for a client."""
        self.engine.notice("AMQ9513E", f"The connection from {session.address} was refused: {why}.")

    def started(self, session: ChannelInstance) -> None:
        """Add an instance that has named its channel. Raises ChannelError if there are too many."""
        terms = session.terms
        assert terms is not None
        if self.channels_max and terms.name != LOCAL_CHANNEL and self.channels_count >= self.channels_max:
            raise too_many(f"there are MaxChannels({self.channels_max}) channels")
        if self.instances.get(terms.name, 0) >= terms.instances_max:
            raise ChannelError(
                STATUS_CHANNEL_UNAVAILABLE, f"channel {terms.name} has MAXINST({terms.instances_max})", "AMQ9489E"
            )
        if self.instances.get(_of_client(session, terms), 0) >= terms.instances_per_client_max:
            raise ChannelError(
                STATUS_CHANNEL_UNAVAILABLE,
                f"channel {terms.name} has MAXINSTC({terms.instances_per_client_max})",
                "AMQ9490E",
            )
        self.sessions.add(session)
        if terms.name != LOCAL_CHANNEL:
            self.channels_count += 1
        self._sessions_started += 1
        session.number = self._sessions_started
        session.started_ms = self.engine.clock.now_ms()
        self._count(session, terms, 1)
        if terms.name != LOCAL_CHANNEL:
            self.engine.channel_started(terms.name, session.address)

    def ended(self, session: ChannelInstance) -> None:
        """Remove an instance."""
        if session in self.sessions:
            self.sessions.discard(session)
            if self.engine.keep_channels:
                self.ended_rows.append(ended_row(session, self.engine.clock.now_us()))
            terms = session.terms
            assert terms is not None
            self._count(session, terms, -1)
            if terms.name != LOCAL_CHANNEL:
                self.channels_count -= 1
                self.engine.channel_stopped(terms.name, session.address, session.refused)

    def _count(self, session: ChannelInstance, terms: Terms, step: int) -> None:
        for key in (terms.name, _of_client(session, terms)):
            left = self.instances.get(key, 0) + step
            if left:
                self.instances[key] = left
            else:
                self.instances.pop(key, None)

    # -- commands -----------------------------------------------------------------------------------------------------

    def stop_channel(self, name: str, force: bool, address: str) -> int:
        """End the instances of a channel, those from `address` if there is one. Return their number.

        Without `force`, an instance in a call ends after it: with 2202 if the call asked to fail then.
        """
        found = 0
        for session in list(self.sessions):
            terms = session.terms
            if terms is None or terms.name != name or (address and session.address.partition("(")[0] != address):
                continue
            found += 1
            if not force:
                session.stop_requested = True
                self._quiesce(session)
            if force or not session.is_in_call():
                session.stop(STATUS_USER_CLOSED)
        return found

    def _quiesce(self, session: ChannelInstance) -> None:
        """End waiting gets that are to fail now."""
        for conversation in session.conversations.values():
            waiters = [stream.waiter for stream in conversation.streams.values()]
            if conversation.connection is not None:
                waiters.append(conversation.connection.waiter)
            for waiter in waiters:
                if waiter is not None and waiter.gmo.options & MQGMO_FAIL_IF_QUIESCING:
                    self.engine.fail_waiter(waiter, MQRC_CONNECTION_QUIESCING)
        self.host.turn()

    def look_at(self, session: ChannelInstance, now_ms: int) -> None:
        """Record the time of the last call, and end the instance if STOP CHANNEL or DISCINT says so. Once a second."""
        terms = session.terms
        assert terms is not None
        if session.closing:
            return  # It was told why; a client that does not read it is not told again.
        if session.calls != session.calls_seen or not session.last_call_ms:
            session.calls_seen = session.calls
            session.last_call_ms = now_ms
        in_call = session.is_in_call()
        if session.stop_requested and not in_call:
            session.stop(STATUS_USER_CLOSED)
            return
        interval = terms.disconnect_interval
        if not interval:
            return
        if in_call:
            session.last_call_ms = now_ms
        elif now_ms - session.last_call_ms >= interval * 1000 and not _consumes(session):
            where = f"The connection from {session.address} on channel {terms.name}"
            self.engine.notice("AMQ9209I", f"{where} was closed: no call for DISCINT({interval}) seconds.")
            session.stop(STATUS_USER_CLOSED)


def techniques(definition: MQObject, keyword: str) -> list[int]:
    """Return the numbers of the techniques in a channel's COMPHDR or COMPMSG."""
    words = definition.names(keyword)
    return [number for number, word in NAMES.items() if word in words or "ANY" in words]


def _consumes(session: ChannelInstance) -> bool:
    """Return whether the client has consumers that are called with messages, or reads ahead: it need not call."""
    for conversation in session.conversations.values():
        if conversation.started:
            return True
        for stream in conversation.streams.values():
            if stream.lasting and stream.waiter is not None:
                return True
    return False


def _of_client(session: ChannelInstance, terms: Terms) -> str:
    """Return the key of a channel and an address, which is not the name of a channel."""
    return f"{terms.name} {session.address.rpartition('(')[0]}"


def rows(channels: Channels) -> list[Row]:
    """Return the rows of all instances, and of all stopped channels."""
    found = [instance_row(session) for session in channels.sessions]
    for definition in channels.engine.catalogue.match("CHANNEL"):
        if definition.stopped:
            found.append(stopped_row(definition.name))
    return found
