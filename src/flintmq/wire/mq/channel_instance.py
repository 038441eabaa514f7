"""One socket, seen from the server: bytes in, engine calls, bytes out. No I/O is done here.

It is an `Endpoint` (wire/endpoint.py), whose members are the event loop's view of it.

A socket carries conversations. Each is one MQCONN with its own unit of work (conversation.py). Segments before MQCONN,
and those of the socket itself, are processed here.

    state      segment                   action                                                  next
    NEW        INITIAL_DATA              answered: agreed, or a term is refused                   AGREED, OFFERED
    OFFERED    INITIAL_DATA              the client offers again; answered                       AGREED, OFFERED
    AGREED     USERID_DATA ... MQDISC    to its conversation                                     AGREED
               SOCKET_ACTION             a conversation begins or ends                           AGREED
    any        HEARTBEAT                 answered if an answer is asked for                      the same
    any        STATUS_DATA               the client ends the channel                             CLOSED
    any        any other                 refused with STATUS_DATA, one line in the error log     CLOSED

S1  A channel instance holds at most one segment, one long call per conversation, and limited output. Of pushed
    messages that is a megabyte and one message, however much the client can take; then `more` is set. Of long answers
    it is ANSWERS_MAX and one of them: other calls of the same packet are done when these have been handed over.
S2  An error of a client ends only its own channel instance (W1).
S3  A socket without connected client has three guesses at a password: each costs us more than the client, however long
    the client waits for the answer.
S4  While a password is compared (`checking`), no other segment of its socket is processed: bytes that arrive are kept,
    up to UNREAD_MAX, and processed when the client has its answer. So a socket has one password compared at a time. If
    another client is connected on it, which may just be putting a long message, the host reads no more (`paused`).
S5  While a call has long work (`work`), no other segment of its socket is processed or sent: bytes that arrive are
    kept, and the host reads no more. So a socket has one piece of long work at a time, in slices (qmgr/work.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import MQCNO_RECONNECT, MQCNO_RECONNECT_Q_MGR
from flintmq.mqi.pcf_constants import (
    MQRQ_SSL_CIPHER_SPEC_ERROR,
    MQRQ_SSL_CLIENT_AUTH_ERROR,
    MQRQ_SSL_PEER_NAME_ERROR,
)
from flintmq.wire.endpoint import Endpoint
from flintmq.wire.mq import fast_path
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.calls import read_longs, write_longs
from flintmq.wire.mq.cipher_spec import Protection, accepts, is_known, peer_matches
from flintmq.wire.mq.compression import Compression, agreed
from flintmq.wire.mq.conversation import Call, Conversation, check_ccsid
from flintmq.wire.mq.errors import (
    STATUS_CHANNEL_UNAVAILABLE,
    STATUS_CIPHER_SPEC,
    STATUS_CLIENT_CERTIFICATE,
    STATUS_CONVERSATION_ID,
    STATUS_PEER_NAME,
    STATUS_PROTOCOL_DATA,
    STATUS_PROTOCOL_SEGMENT_TYPE,
    STATUS_SECURITY_FAILURE,
    STATUS_SOCKET_ACTION_TYPE,
    ChannelError,
)
from flintmq.wire.mq.initial_data import (
    CAP1_CONVERSION,
    CAP1_MQREQUEST,
    CAP1_SPLIT_MESSAGE,
    CAP2_DIST_LIST,
    CAP2_SPIREQUEST,
    CAP2_XAREQUEST,
    CAP3_MULTIPLEX_SYNCGET,
    ERR1_FAP_LEVEL,
    ERR1_HEARTBEAT,
    ERR1_MESSAGE_SIZE,
    ERR1_TRANSMISSION_SIZE,
    ERR2_HEADER_COMPRESSION,
    ERR2_MESSAGE_COMPRESSION,
    NO_PROTECTION,
    InitialData,
)
from flintmq.wire.mq.refused import refusal_of
from flintmq.wire.mq.segment import Segment, Splitter
from flintmq.wire.mq.streaming import pump_all
from flintmq.wire.mq.terms import LOCAL_CHANNEL, local_terms

if TYPE_CHECKING:
    from flintmq.qmgr.calls import Work
    from flintmq.wire.mq.channel_services import ChannelServices
    from flintmq.wire.mq.identity import Identity
    from flintmq.wire.mq.terms import Terms

NEW: Final = 0
OFFERED: Final = 1
AGREED: Final = 2
CLOSED: Final = 3

#: The highest at which a client sends a password that can be read without the unpublished protection of passwords.
FAP_LEVEL: Final = 12
TRANSMISSION_SIZE: Final = 32748
TRANSMISSION_SIZE_MIN: Final = 1024
_CAP_1: Final = CAP1_CONVERSION | CAP1_SPLIT_MESSAGE | CAP1_MQREQUEST
_CAP_2: Final = CAP2_DIST_LIST | CAP2_XAREQUEST | CAP2_SPIREQUEST
#: Clients are told that they talk to a queue manager of this product and version.
PRODUCT_ID: Final = "MQMM09040200"

ACTION_START: Final = 1
ACTION_END: Final = 2
ACTION_STARTED: Final = 8

#: A client is disconnected after this number of refusals.
REFUSALS_MAX: Final = 3
#: The number of bytes that are kept during a password check: two segments.
UNREAD_MAX: Final = 64 * 1024
#: With this amount of queued output, calls that have arrived wait.
ANSWERS_MAX: Final = 4 * 1024 * 1024
#: Ids are unsigned.
UNSIGNED: Final = 0xFFFF_FFFF
#: Where a segment of a conversation has its type.
_KIND_AT: Final = 17
#: A conversation that a socket without sharing has.
ONLY_CONVERSATION: Final = 1

#: Reason qualifiers of events for TLS that violates the channel's definition.
_TLS_QUALIFIERS: Final = {
    STATUS_CIPHER_SPEC: MQRQ_SSL_CIPHER_SPEC_ERROR,
    STATUS_CLIENT_CERTIFICATE: MQRQ_SSL_CLIENT_AUTH_ERROR,
    STATUS_PEER_NAME: MQRQ_SSL_PEER_NAME_ERROR,
}


def too_many(why: str) -> ChannelError:
    """Return the error that ends a connection for which there is no room."""
    error = ChannelError(STATUS_CHANNEL_UNAVAILABLE, why, "AMQ9513E")
    error.counted = True
    return error


class ChannelInstance(Endpoint):
    """The server's side of one socket."""

    state: int = NEW
    #: The conversation with an MQCONN that waits for its password check (S4).
    checking: Conversation | None = None
    _checked_call: Call | None = None
    #: The conversation of the call that `work` belongs to (S5); and the call, if it is to be made again afterwards.
    _working: Conversation | None = None
    _work_call: Call | None = None
    #: Whether conversations share the socket: then segments have TSHM headers.
    shared: bool = False
    sharing: int = 0
    fap_level: int = FAP_LEVEL
    transmission_size: int = TRANSMISSION_SIZE
    heartbeat_interval: int = 0
    max_message_length: int = 0
    #: How many MQCONN were not authorised.
    refusals: int = 0
    #: It ends because of an error.
    refused: bool = False
    #: The channel that the client has named.
    channel_name: str = ""
    #: Bytes of messages in queued output, but those of short answers (S1).
    unsent: int = 0
    #: The reason why no client is served on this socket, "" if one is. The client hears 2537.
    refusal: str = ""
    heartbeat_sent: bool = False
    #: MQPUT and MQGET may take the fast path (fast_path.py). Tests turn it off to compare.
    uses_fast_path: bool = True
    product_id: str = ""
    #: For DISPLAY CHSTATUS (status.py). When the client last called is looked at by the host, once a second.
    number: int = 0
    started_ms: int = 0
    calls: int = 0
    calls_seen: int = 0
    last_call_ms: int = 0
    #: The application that connected last, and its user; the row of an instance that has ended has them (accounting).
    application: str = ""
    application_user: str = ""
    bytes_received: int = 0
    bytes_sent: int = 0
    segments_received: int = 0
    segments_sent: int = 0
    #: STOP CHANNEL MODE(QUIESCE): it ends with the call that is being done.
    stop_requested: bool = False
    terms: Terms | None = None
    compression: Compression | None = None
    #: Set by the host for a client of this machine: the user, by the system's word. It needs no channel of its own.
    local_user: str = ""
    #: Set by the host when TLS has been agreed on.
    protection: Protection | None = None
    #: The user in USERID_DATA of the first conversation; the others inherit it.
    first_user: Identity | None = None
    #: The conversation that the last call was in (fast_path.py).
    last_used: Conversation | None = None

    def __init__(self, channels: ChannelServices, address: str) -> None:
        super().__init__(channels.host, address)
        self.channels = channels
        self.conversations: dict[int, Conversation] = {}
        self._splitter = Splitter()
        #: Bytes that have arrived during a password check, or while long answers are handed over.
        self._unread: list[bytes] = []
        self._unread_length = 0
        # Ours until the client has sent its own; it then uses ours.
        self.big_endian = False
        self.ccsid = channels.engine.ccsid
        self._tail = seg.tail(False, self.ccsid)

    # -- in -----------------------------------------------------------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Process bytes from the client. An error ends this channel instance and raises nothing (W1)."""
        calls = self.calls
        self._received(data)
        self.corked = self.ready and self.answers_together(calls)

    def _received(self, data: bytes) -> None:
        if self.closing:
            return
        self.bytes_received += len(data)
        try:
            if self.checking is not None or self._unread or self.work is not None:
                self._keep(data)
                return
            splitter = self._splitter
            data = splitter.joined(data)
            at = 0
            while at < len(data):
                length = splitter.next_length(data, at)
                if not length:
                    return
                if not self.uses_fast_path or not fast_path.take(self, data, at, length):
                    self._take(seg.read(data[at : at + length]))
                    if self.is_over():
                        return
                    if self.is_busy():
                        self._keep(data[at + length :])
                        return
                elif self.is_busy():
                    self._keep(data[at + length :])
                    return
                at += length
                if self.unsent >= ANSWERS_MAX and at < len(data):
                    self.more = True
                    self._pause()
                    self._keep(data[at:])
                    return
        except ChannelError as error:
            self.refuse(error)

    def _keep(self, data: bytes) -> None:
        """Keep bytes that are processed later. Raises ChannelError.

        A client that waits for the reply to its MQCONN sends little. Of another client there is at most the content of
        one read, since the host reads no more (`paused`).
        """
        if self._unread_length + len(data) > UNREAD_MAX and not self.paused:
            text = f"more than {UNREAD_MAX} bytes came before its password was checked"
            raise ChannelError(STATUS_PROTOCOL_DATA, text)
        if data:
            self._unread.append(data)
            self._unread_length += len(data)

    def check_later(self, conversation: Conversation, call: Call) -> bool:
        """Let an MQCONN wait for its password check. Return False if the host compares the password at once."""
        self.checking, self._checked_call = conversation, call
        if not self.channels.check_password(self, conversation.identity):
            self.checking = self._checked_call = None
            return False
        if self._is_checking() and self.has_client():
            self._pause()
        return True

    def checked(self) -> None:
        """Answer the MQCONN after its password check, and process the bytes that have arrived since then."""
        conversation, call = self.checking, self._checked_call
        self.checking = self._checked_call = None
        if conversation is None or call is None or self.closing:
            return
        try:
            conversation.make(call)
        except ChannelError as error:
            self.refuse(error)
            return
        self._read_on()

    def work_first(self, conversation: Conversation, work: Work, call: Call | None) -> None:
        """Do `work` before the answer of the last call is sent; with `call`, make that again when the work is done."""
        self.work, self._working, self._work_call = work, conversation, call
        self._pause()
        self.host.start_work(self)

    def work_on(self, budget: int) -> bool:
        """Do a slice of the work. True if there is more of it to be done."""
        work = self.work
        if work is None:
            return False
        work.step(budget)
        if not work.done:
            return True
        conversation, call = self._working, self._work_call
        self.work = self._working = self._work_call = None
        if self.closing:
            return False
        try:
            if conversation is not None and call is not None:
                conversation.make_again(call, work)
        except ChannelError as error:
            self.refuse(error)
            return False
        if self.is_busy():
            return False  # Another piece of work, which the host knows of.
        self.rejoin_ready()
        self._read_on()
        return False

    def _pause(self) -> None:
        """Stop reading from the socket."""
        if not self.paused:
            self.paused = True
            self.host.regulate(self)

    def _read_on(self) -> None:
        """Process kept bytes, and read from the socket again if none are left."""
        if self._unread and not self.is_busy() and not self.is_over():
            data = b"".join(self._unread)
            self._unread.clear()
            self._unread_length = 0
            self.bytes_received -= len(data)
            self._received(data)
        if self.paused and not self._unread and not self.is_busy():
            self.paused = False
            self.host.regulate(self)

    def _forget_check(self) -> None:
        """Cancel a password check and long work, because the channel instance ends."""
        self._unread.clear()
        self.work = self._working = self._work_call = None
        if self.checking is not None:
            self.checking = self._checked_call = None
            self.channels.forget_check(self)

    def is_over(self) -> bool:
        """Return whether nothing more is read."""
        return self.closing

    def _is_checking(self) -> bool:
        """Return whether a password check is under way."""
        return self.checking is not None

    def is_busy(self) -> bool:
        """Return whether the client waits for a password check or for long work."""
        return self.checking is not None or self.work is not None

    def _take(self, segment: Segment) -> None:
        """Process one segment, by the table above."""
        self.heartbeat_sent = False
        self.segments_received += 1
        if segment.flags_2:
            self._expand(segment)
        kind = segment.kind
        if kind == seg.HEARTBEAT:
            self._heartbeat(segment)
        elif kind == seg.STATUS_DATA:
            self.end()
        elif self.state != AGREED:
            if kind != seg.INITIAL_DATA:
                raise ChannelError(STATUS_PROTOCOL_SEGMENT_TYPE, f"segment type {kind:#x} before INITIAL_DATA")
            self._initial_data(segment)
        elif kind == seg.SOCKET_ACTION:
            self._socket_action(segment)
        else:
            number = segment.conversation if self.shared else ONLY_CONVERSATION
            conversation = self.conversations.get(number)
            if conversation is None:
                raise ChannelError(STATUS_CONVERSATION_ID, f"there is no conversation {number} on this socket")
            conversation.take(segment)

    def _expand(self, segment: Segment) -> None:
        """Decompress the body of a segment. Raises ChannelError."""
        if self.compression is None:
            raise ChannelError(STATUS_PROTOCOL_DATA, "a compressed segment, and no compression was agreed on")
        segment.body = self.compression.expand(segment)

    # -- negotiation --------------------------------------------------------------------------------------------------

    def _initial_data(self, segment: Segment) -> None:
        """Answer an offer. Terms that we refuse are answered with ours, and the client offers again."""
        check_ccsid(segment.ccsid)
        offer = InitialData.unpack(segment.body, segment.big_endian, segment.ccsid)
        if not offer.cap_flags_1 & CAP1_MQREQUEST:
            raise ChannelError(
                STATUS_CHANNEL_UNAVAILABLE, f"channel {offer.channel_name}: only clients are served here", "AMQ9999E"
            )
        if self.refusal:
            raise too_many(self.refusal)
        terms = self.terms
        if terms is None:
            self.channel_name = offer.channel_name
            if self.local_user and offer.channel_name == LOCAL_CHANNEL:
                terms = local_terms()
            else:
                terms = self.channels.terms_of(offer.channel_name, self.address)
            self._check_protection(terms)
            self.terms = terms
            self.channels.started(self)
        answer = self._answer(offer, terms)
        flags = seg.ERROR if answer.refuses() else 0
        # As much as the client knows of the structure.
        body = answer.pack(self.big_endian, self.ccsid, min(240, max(len(segment.body), 44)))
        self.send(seg.INITIAL_DATA, flags, segment, body)
        self.state = OFFERED if flags else AGREED
        if self.state == AGREED:
            self.shared = answer.conversations_per_socket > 0
            self.sharing = answer.conversations_per_socket
            self.fap_level = answer.fap_level
            self.transmission_size = answer.max_transmission_size
            self.heartbeat_interval = answer.heartbeat_interval
            self.max_message_length = answer.max_message_size
            self.product_id = offer.product_id
            header, message = answer.header_compression[0], answer.message_compression[0]
            if header or message:
                self.compression = Compression(header, message, self.transmission_size)
            number = segment.conversation or ONLY_CONVERSATION
            self.conversations[number] = Conversation(self, number, True)

    def _check_protection(self, terms: Terms) -> None:
        """Check TLS against the channel: suite, certificate, name. Raises ChannelError."""
        protection = self.protection
        if not accepts(terms.cipher_spec, protection):
            uses = "no TLS" if protection is None else f"{protection.suite} of {protection.version}"
            wants = f"SSLCIPH({terms.cipher_spec})" if terms.cipher_spec else "no SSLCIPH"
            if terms.cipher_spec and not is_known(terms.cipher_spec):
                wants += ", which is not known"
            text = f"channel {terms.name} has {wants}; the client uses {uses}"
            raise ChannelError(STATUS_CIPHER_SPEC, text, "AMQ9631E" if protection is not None else "AMQ9639E")
        if protection is None:
            return
        if terms.certificate_label and terms.certificate_label != protection.label:
            shown = f"the client did not ask for it by name and was shown {protection.label or 'another'}"
            text = f"channel {terms.name} has CERTLABL({terms.certificate_label}); {shown}"
            raise ChannelError(STATUS_CIPHER_SPEC, text, "AMQ9673E")
        if terms.certificate_required and not protection.peer_name:
            text = f"channel {terms.name} has SSLCAUTH(REQUIRED), and the client has shown no certificate"
            raise ChannelError(STATUS_CLIENT_CERTIFICATE, text, "AMQ9637E")
        if terms.peer and not peer_matches(terms.peer, protection.peer_name):
            who = protection.peer_name or "nobody"
            text = f"channel {terms.name} has SSLPEER({terms.peer}), and the client is {who}"
            raise ChannelError(STATUS_PEER_NAME, text, "AMQ9636E")

    def _answer(self, offer: InitialData, terms: Terms) -> InitialData:
        """Return the terms that we agree to, with a flag for each that differs from the offer."""
        answer = InitialData()
        answer.fap_level = min(offer.fap_level, FAP_LEVEL)
        if answer.fap_level != offer.fap_level:
            answer.init_err_flags_1 |= ERR1_FAP_LEVEL
        answer.cap_flags_1 = _CAP_1
        answer.cap_flags_2 = offer.cap_flags_2 & _CAP_2
        answer.err_cap_flags_2 = offer.cap_flags_2 & ~_CAP_2
        answer.err_cap_flags_3 = offer.cap_flags_3 & CAP3_MULTIPLEX_SYNCGET
        answer.max_transmission_size = min(offer.max_transmission_size, TRANSMISSION_SIZE)
        if answer.max_transmission_size < TRANSMISSION_SIZE_MIN:
            answer.max_transmission_size = TRANSMISSION_SIZE
        if answer.max_transmission_size != offer.max_transmission_size:
            answer.init_err_flags_1 |= ERR1_TRANSMISSION_SIZE
        answer.max_message_size = min(offer.max_message_size, terms.max_message_length)
        if answer.max_message_size != offer.max_message_size:
            answer.init_err_flags_1 |= ERR1_MESSAGE_SIZE
        answer.heartbeat_interval = max(offer.heartbeat_interval, terms.heartbeat_interval)
        if answer.heartbeat_interval != offer.heartbeat_interval:
            answer.init_err_flags_1 |= ERR1_HEARTBEAT
        headers, messages = offer.header_compression, offer.message_compression
        if headers != bytes(2):  # A client that knows nothing of it has zeros.
            answer.header_compression = bytes([agreed(headers, terms.header_compression)]).ljust(2, b"\xff")
            if answer.header_compression != headers:
                answer.init_err_flags_2 |= ERR2_HEADER_COMPRESSION
        if messages != bytes(16):
            answer.message_compression = bytes([agreed(messages, terms.message_compression)]).ljust(16, b"\xff")
            if answer.message_compression != messages:
                answer.init_err_flags_2 |= ERR2_MESSAGE_COMPRESSION
        answer.conversations_per_socket = min(offer.conversations_per_socket, terms.sharing)
        answer.channel_name = offer.channel_name
        answer.ccsid = self.ccsid
        answer.q_mgr_name = self.channels.engine.name
        answer.process_id = self.channels.process_id
        answer.product_id = PRODUCT_ID
        answer.q_mgr_id = self.channels.engine.definition().text("QMID")
        answer.protection = NO_PROTECTION
        return answer

    # -- the socket ---------------------------------------------------------------------------------------------------

    def _socket_action(self, segment: Segment) -> None:
        """Begin or end a conversation."""
        number, request, action, _, _ = read_longs(segment.body, 0, 5, segment.big_endian)
        number, request = number & UNSIGNED, request & UNSIGNED
        if action == ACTION_END:
            conversation = self.conversations.pop(number, None)
            if conversation is not None:
                conversation.lost()
            return
        if action != ACTION_START:
            raise ChannelError(STATUS_SOCKET_ACTION_TYPE, f"socket action {action} is not known here")
        if number in self.conversations or not self.shared:
            raise ChannelError(STATUS_CONVERSATION_ID, f"conversation {number} is there already")
        if len(self.conversations) >= self.sharing:
            raise ChannelError(STATUS_CONVERSATION_ID, f"SHARECNV({self.sharing}) conversations are there already")
        self.conversations[number] = Conversation(self, number)
        body = segment.body[:8] + write_longs([ACTION_STARTED, 0, 0], segment.big_endian)
        self.push(seg.write_m(seg.SOCKET_ACTION, 0, number, request, segment.big_endian, self.tail_for(segment), body))

    def _heartbeat(self, segment: Segment) -> None:
        if segment.flags & seg.CONFIRM_REQUEST:
            self.send(seg.HEARTBEAT, 0, segment, b"")

    def listens(self) -> bool:
        """Return whether the client reads now. One that shares its socket always does, another one during a call."""
        if self.shared:
            return True
        for conversation in self.conversations.values():
            if conversation.waiting is not None:
                return True
        return False

    def heartbeat_due(self) -> bool:
        """Send a heartbeat to a silent client. Return False if it did not answer the last one."""
        if self.heartbeat_sent or self.state != AGREED:
            return False
        self.heartbeat_sent = True
        struc_id = seg.TSHC if self.shared else seg.TSH
        self.push(seg.write(seg.HEARTBEAT, seg.CONFIRM_REQUEST, self.big_endian, self._tail, b"", struc_id))
        return True

    def tick(self, now_ms: int) -> None:
        """Look after the channel once a second: DISCINT, STOP CHANNEL, heartbeats, queues that could not be read."""
        if self.terms is None or self.closing:
            return
        self.channels.look_at(self, now_ms)
        self.idle_s += 1
        if self.is_busy():
            self.idle_s = 0  # The answer to a heartbeat would not be read now (S4).
        if self.heartbeat_interval and self.idle_s >= self.heartbeat_interval and self.state == AGREED:
            self._check_heartbeat()
        for conversation in list(self.conversations.values()):
            for stream in list(conversation.streams.values()):
                if stream.stalled:
                    stream.try_again()

    def _check_heartbeat(self) -> None:
        """Send a heartbeat to a silent client, or end the connection of one that did not answer the last."""
        if not self.listens():
            return
        if self.heartbeat_due():
            self.idle_s = 0
            return
        text = f"The connection from {self.address} was closed: it did not answer a heartbeat."
        self.channels.engine.notice("AMQ9259E", text)
        self.end()

    # -- out ----------------------------------------------------------------------------------------------------------

    def tail_for(self, segment: Segment) -> bytes:
        """Return the end of the header of an answer to `segment`: in its byte order and character set."""
        return seg.tail(segment.big_endian, segment.ccsid)

    def send(self, kind: int, flags: int, question: Segment, body: bytes) -> None:
        """Queue an answer outside of calls. Before terms are agreed on it is in our own byte order."""
        if question.struc_id == seg.TSHM:
            self.push(
                seg.write_m(kind, flags, question.conversation, question.request, self.big_endian, self._tail, body)
            )
        else:
            self.push(seg.write(kind, flags, self.big_endian, self._tail, body, question.struc_id))

    def push(self, data: bytes) -> None:
        """Queue a segment to be sent."""
        self.segments_sent += 1
        super().push(data)

    def answers_together(self, calls: int) -> bool:
        """Return whether queued answers can wait for the next one. `calls` is the number of calls before this read.

        True for the answer to a put that came together with a get, while that get waits. Only a client that needs both
        answers sends both (`queue.request`), so it wakes once. Heartbeats, failures and other answers go out at once.
        """
        if self.calls - calls != 2 or self.several or len(self.out) <= _KIND_AT or not self.shared:
            return False
        if self.out[_KIND_AT] != seg.MQPUT + seg.REPLY or len(self.conversations) != 1:
            return False
        for conversation in self.conversations.values():
            return conversation.waiting is not None and not conversation.has_failed_within(2)
        return False

    def take_out(self) -> bytes:
        """Return the queued segments, as one; they are the caller's now."""
        self.unsent = 0
        data = super().take_out()
        self.bytes_sent += len(data)
        return data

    def resume(self) -> None:
        """Push more messages and do calls that wait: the client reads again, or queued output was handed over."""
        self.more = False
        for conversation in list(self.conversations.values()):
            pump_all(conversation)
        self._read_on()

    def is_in_call(self) -> bool:
        """Return whether the client waits for the end of a get or of a password check."""
        if self.checking is not None:
            return True
        for conversation in self.conversations.values():
            if conversation.is_in_call():
                return True
        return False

    def comes_back(self) -> bool:
        """Return whether every client on this socket reconnects by itself when the queue manager ends."""
        options = [each.connection.options for each in self.conversations.values() if each.connection is not None]
        for each in options:
            if not each & (MQCNO_RECONNECT | MQCNO_RECONNECT_Q_MGR):
                return False
        return bool(options)

    # -- the end ------------------------------------------------------------------------------------------------------

    def refused_again(self) -> None:
        """Count a failed authentication. Raises ChannelError after too many on this socket (S3)."""
        self.refusals += 1
        if self.refusals >= REFUSALS_MAX and not self.has_client():
            text = f"its client was refused {self.refusals} times"
            raise ChannelError(STATUS_SECURITY_FAILURE, text, "AMQ9557E")

    def has_client(self) -> bool:
        """Return whether a client is connected on this socket."""
        for conversation in self.conversations.values():
            if conversation.connection is not None:
                return True
        return False

    def refuse(self, error: ChannelError) -> None:
        """Tell the client the reason, write it to the error log, and close (S2)."""
        self.refused = True
        qualifier = _TLS_QUALIFIERS.get(error.status, 0)
        if qualifier:
            self.channels.engine.channel_tls_refused(self.channel_name, self.address, qualifier)
        if error.counted:
            self.channels.refused(self, str(error))
            self.stop(error.status)
            return
        where = f" on channel {self.terms.name}" if self.terms is not None else ""
        text = f"The connection from {self.address}{where} was closed: {error}."
        engine = self.channels.engine
        error.channel = self.channel_name
        refused = refusal_of(engine, error, self.address, text, self.protection)
        if refused is not None:
            engine.keep_refusal(refused)
        engine.notice(error.number, text)
        self.stop(error.status)

    def stop(self, status: int) -> None:
        """Tell the client the reason for the end, and close."""
        body = write_longs([8, status], self.big_endian)
        struc_id = seg.TSHC if self.shared else seg.TSH
        flags = seg.ERROR | seg.CLOSE_CHANNEL
        self.push(seg.write(seg.STATUS_DATA, flags, self.big_endian, self._tail, body, struc_id))
        self.end()

    def end(self) -> None:
        """Read nothing more, and back out conversations that are still connected."""
        self.closing = True
        self.state = CLOSED
        self._forget_check()
        for conversation in list(self.conversations.values()):
            conversation.lost()
        self.conversations.clear()
        self.close_after_output()

    def lost(self) -> None:
        """Back out all conversations: the socket is gone."""
        self.closing = True
        self.state = CLOSED
        self._forget_check()
        for conversation in list(self.conversations.values()):
            conversation.lost()
        self.conversations.clear()
        self.drop_out()
        self.channels.ended(self)
