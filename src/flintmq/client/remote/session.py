"""One socket, seen from the client: bytes in, replies out. No I/O is done here.

    offer()            INITIAL_DATA to begin with; then, until `state` is AGREED,
      received(data)   bytes from the server; afterwards `out` has the bytes to send
    request(...)       the bytes of a call; then, until `answer` is there, `received`
    ended              why the other side has ended the channel: a STATUS_DATA code, or -1 while it has not

    state      segment               action                                                              next
    NEW        INITIAL_DATA          no ERROR: agreed; else offered again with its values                AGREED, NEW
    AGREED     the reply to a call   put together; complete: in `answer`                                 AGREED
               STATUS_DATA 0         the reply to CONAUTH_INFO                                           AGREED
               ASYNC_MESSAGE         added to the handle's messages (ahead.py)                           AGREED
               NOTIFICATION          passed to the handle's messages; without a handle, in `notices`     AGREED
    any        HEARTBEAT             answered if it asks for that                                        unchanged
    any        STATUS_DATA           the channel has ended                                               ENDED
    any        another               ChannelError

The client offers in its own byte order and character set, and then uses those of the server, as MQ's clients do.
A session holds at most one incomplete segment and one incomplete reply, of at most the length that was agreed; and the
messages that were requested in advance (A2).

Segments without a reply (`later`) are kept in `late` until there is enough of them, or the next call takes them along:
`with_late` puts them in front, so that the order stays.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from flintmq.client.remote.ahead import REQUEST_PLAIN, REQUEST_QUESTION, Ahead
from flintmq.mqi.ccsid import is_known, is_utf16
from flintmq.mqi.fields import write_text
from flintmq.mqi.reason import MQRC_XWAIT_CANCELED
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq import spi
from flintmq.wire.mq.calls import API_SIZE, CALL_OVERHEAD, read_long, read_longs, write_longs
from flintmq.wire.mq.errors import (
    STATUS_CCSID_NOT_SUPPORTED,
    STATUS_CONVERSATION_ID,
    STATUS_MESSAGE_LENGTH,
    STATUS_PROTOCOL_DATA,
    STATUS_PROTOCOL_LENGTH,
    STATUS_PROTOCOL_SEGMENT_TYPE,
    ChannelError,
)
from flintmq.wire.mq.initial_data import (
    CAP1_CONVERSION,
    CAP1_MQREQUEST,
    CAP1_SPLIT_MESSAGE,
    CAP2_DIST_LIST,
    CAP2_SPIREQUEST,
    CAP2_XAREQUEST,
    InitialData,
)
from flintmq.wire.mq.segment import Segment, Splitter

if TYPE_CHECKING:
    from flintmq.wire.mq.compression import Compression

NEW: Final = 0
AGREED: Final = 1
ENDED: Final = 2

#: The highest level at which a password is sent in clear; above, it is protected in a way that is not published.
FAP_LEVEL: Final = 12
TRANSMISSION_SIZE: Final = 32748
TRANSMISSION_SIZE_MIN: Final = 512
MESSAGE_SIZE: Final = 100 * 1024 * 1024
#: Of the INITIAL_DATA of our level.
_ID_SIZE: Final = 208
_CCSID: Final = 1208
_CAP_1: Final = CAP1_CONVERSION | CAP1_SPLIT_MESSAGE | CAP1_MQREQUEST
_CAP_2: Final = CAP2_DIST_LIST | CAP2_XAREQUEST | CAP2_SPIREQUEST
#: Product and version of this client, as told to the server.
PRODUCT_ID: Final = "MQCC09040200"
#: Number of offers, repeated with the other side's values.
ROUNDS_MAX: Final = 10
#: Bytes of a reply beside the data of a message.
_SLACK: Final = 64 * 1024
#: Segments without a reply are sent when there are so many bytes.
LATE_MAX: Final = 64 * 1024
NOT_ENDED: Final = -1
#: Number of techniques in INITIAL_DATA.
_HEADER_TECHNIQUES: Final = 2
_MESSAGE_TECHNIQUES: Final = 16
#: Numbers for no compression.
_NOTHING: Final = (0, 0xFF)
#: HDRCOMP, MSGCOMP, CSH.
_COMPRESSED: Final = 0x07
ONLY_CONVERSATION: Final = 1
#: The request id of a call that cancels a get. No other call has it: they begin with 1.
REQUEST_CANCEL: Final = 0

_API_BIG: Final = struct.Struct(">Iiii")
_API_REST_LITTLE: Final = struct.Struct("<iii")
_LENGTH: Final = struct.Struct(">I")


def check_ccsid(ccsid: int) -> None:
    """Raise ChannelError unless names and structures can be read in this character set."""
    if not is_known(ccsid) or is_utf16(ccsid):
        raise ChannelError(STATUS_CCSID_NOT_SUPPORTED, f"the queue manager uses CCSID {ccsid}")


def _is_technique(number: int) -> bool:
    """Return whether a number of INITIAL_DATA is a technique of compression; most channels have none."""
    if number in _NOTHING:
        return False
    from flintmq.wire.mq.compression import NAMES

    return number in NAMES


class CallReply:
    """The reply to a call, complete."""

    completion: int
    reason: int
    handle: int

    __slots__ = ("big_endian", "body", "ccsid", "completion", "handle", "kind", "reason")

    def __init__(self, segment: Segment, body: bytes) -> None:
        if len(body) < API_SIZE:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a reply has {len(body)} bytes, fewer than it begins with")
        self.kind = segment.kind
        self.big_endian = segment.big_endian
        self.ccsid = segment.ccsid
        #: With the sixteen bytes that every reply begins with.
        self.body = body
        if segment.big_endian:
            _, self.completion, self.reason, self.handle = _API_BIG.unpack_from(body)
        else:
            self.completion, self.reason, self.handle = _API_REST_LITTLE.unpack_from(body, 4)


#: In place of the reply to a call that has none.
NO_REPLY: Final = CallReply(Segment(seg.TSH, 0, seg.ONLY, 0, 0, False, b""), bytes(API_SIZE))


class ClientSession:
    """The client's side of one socket with one conversation."""

    def __init__(
        self,
        channel: str,
        q_mgr_name: str,
        sharing: int = 0,
        heartbeat_s: int = 1,
        header_compression: Sequence[int] = (),
        message_compression: Sequence[int] = (),
    ) -> None:
        self.state = NEW
        self.out: list[bytes] = []
        self.ended = NOT_ENDED
        self.answer: CallReply | None = None
        #: The replies to calls that were sent together, in their order, and the number of those still to come.
        self.answers: list[CallReply] = []
        self.pending = 0
        #: CONAUTH_INFO was answered.
        self.identified = False
        # Ours, until the server has said what it uses.
        self.big_endian = False
        self.ccsid = _CCSID
        self._tail = seg.tail(False, _CCSID)
        self.shared = False
        self._rounds = 0
        self._request = 0
        self._splitter = Splitter()
        self._first: Segment | None = None
        self._parts: list[bytes] = []
        self._held = 0
        #: Segments without a reply that are to be sent, and their size.
        self.late: list[bytes] = []
        self.late_bytes = 0
        #: The reasons of calls without a reply that were refused.
        self.refused: list[int] = []
        #: Number of calls without a reply since the last one with a reply.
        self.unconfirmed = 0
        #: Messages sent in advance, by the number of the handle.
        self.streams: dict[int, Ahead] = {}
        #: The last NOTIFICATION of each code that concerns no handle: its value.
        self.notices: dict[int, int] = {}
        offer = InitialData()
        offer.fap_level = FAP_LEVEL
        offer.cap_flags_1 = _CAP_1
        offer.cap_flags_2 = _CAP_2
        offer.max_transmission_size = TRANSMISSION_SIZE
        offer.max_message_size = MESSAGE_SIZE
        offer.channel_name = channel
        offer.ccsid = _CCSID
        offer.q_mgr_name = q_mgr_name
        offer.heartbeat_interval = heartbeat_s
        offer.conversations_per_socket = sharing
        offer.product_id = PRODUCT_ID
        self._offered = (tuple(header_compression), tuple(message_compression))
        if header_compression:
            offer.header_compression = bytes(header_compression[:_HEADER_TECHNIQUES]).ljust(_HEADER_TECHNIQUES, b"\xff")
        if message_compression:
            techniques = bytes(message_compression[:_MESSAGE_TECHNIQUES])
            offer.message_compression = techniques.ljust(_MESSAGE_TECHNIQUES, b"\xff")
        #: None if nothing is compressed.
        self.compression: Compression | None = None
        #: Our offer, and in the end the agreed values.
        self.terms = offer
        #: The last INITIAL_DATA of the server.
        self.server = InitialData()

    # -- negotiation --------------------------------------------------------------------------------------------------

    def offer(self) -> None:
        """Offer our capabilities: in `out`."""
        self._rounds += 1
        body = self.terms.pack(self.big_endian, self.ccsid, _ID_SIZE)
        flags = seg.CONFIRM_REQUEST | seg.ONLY
        if self._rounds > 1 and self.terms.conversations_per_socket:
            number = ONLY_CONVERSATION
            self.out.append(seg.write_m(seg.INITIAL_DATA, flags, number, 0, self.big_endian, self._tail, body))
        else:
            self.out.append(seg.write(seg.INITIAL_DATA, flags, self.big_endian, self._tail, body))

    def _initial_data(self, segment: Segment) -> None:
        """Process the server's INITIAL_DATA: agree, or offer again with its values."""
        answer = self.server = InitialData.unpack(segment.body, segment.big_endian, segment.ccsid)
        self.big_endian, self.ccsid = segment.big_endian, segment.ccsid
        self._tail = seg.tail(segment.big_endian, segment.ccsid)
        terms = self.terms
        terms.ccsid = segment.ccsid
        terms.fap_level = min(terms.fap_level, answer.fap_level)
        terms.cap_flags_1 &= ~answer.err_cap_flags_1
        terms.cap_flags_2 &= answer.cap_flags_2 & ~answer.err_cap_flags_2
        terms.cap_flags_3 &= ~answer.err_cap_flags_3
        terms.max_transmission_size = min(terms.max_transmission_size, answer.max_transmission_size)
        terms.max_message_size = min(terms.max_message_size, answer.max_message_size)
        terms.heartbeat_interval = answer.heartbeat_interval
        terms.conversations_per_socket = min(terms.conversations_per_socket, answer.conversations_per_socket)
        self._agree_on_compression(answer)
        if terms.max_transmission_size < TRANSMISSION_SIZE_MIN:
            text = f"the queue manager wants segments of {terms.max_transmission_size} bytes"
            raise ChannelError(STATUS_PROTOCOL_DATA, text)
        if not terms.cap_flags_1 & CAP1_MQREQUEST:
            raise ChannelError(STATUS_PROTOCOL_DATA, "the other side does not serve MQI clients on this channel")
        if not segment.flags & seg.ERROR:
            self.state = AGREED
            self.shared = terms.conversations_per_socket > 0
            header, message = terms.header_compression[0], terms.message_compression[0]
            if _is_technique(header) or _is_technique(message):
                from flintmq.wire.mq.compression import Compression

                header, message = (each if _is_technique(each) else 0 for each in (header, message))
                self.compression = Compression(header, message, terms.max_transmission_size)
        elif self._rounds >= ROUNDS_MAX:
            raise ChannelError(STATUS_PROTOCOL_DATA, f"nothing was agreed on in {ROUNDS_MAX} rounds")
        else:
            self.offer()

    def _agree_on_compression(self, answer: InitialData) -> None:
        """Take the server's choice from our lists. Raise ChannelError if it is another technique."""
        terms = self.terms
        for said, offered in (
            (answer.header_compression, self._offered[0]),
            (answer.message_compression, self._offered[1]),
        ):
            if _is_technique(said[0]) and said[0] not in offered:
                text = f"the queue manager wants compression {said[0]}, which was not offered"
                raise ChannelError(STATUS_PROTOCOL_DATA, text)
        if self._offered[0] and any(answer.header_compression):
            terms.header_compression = answer.header_compression
        if self._offered[1] and any(answer.message_compression):
            terms.message_compression = answer.message_compression

    # -- out ----------------------------------------------------------------------------------------------------------

    def segment(self, kind: int, body: bytes) -> bytes:
        """Return one segment of the conversation that is no call."""
        if self.shared:
            number = ONLY_CONVERSATION
            return seg.write_m(kind, seg.ONLY, number, self._request, self.big_endian, self._tail, body)
        return seg.write(kind, seg.ONLY, self.big_endian, self._tail, body)

    def request(self, kind: int, handle: int, body: bytes, flags: int = 0) -> bytes:
        """Return the segments of a call. `flags` are the flags of an XA call, 0 in others."""
        self.answer = None
        self._request = request = self._request % 0x7FFF_FFFF + 1
        whole = CALL_OVERHEAD + len(body)
        if self.big_endian:
            data = _API_BIG.pack(whole, 0, flags, handle) + body
        else:
            data = _LENGTH.pack(whole) + _API_REST_LITTLE.pack(0, flags, handle) + body
        if self.compression is not None:
            return self._compressed(self.compression, kind, request, data)
        if self.shared:
            room = self.terms.max_transmission_size - seg.SIZE_M
            if len(data) <= room:
                return seg.write_m(kind, seg.ONLY, ONLY_CONVERSATION, request, self.big_endian, self._tail, data)
        else:
            room = self.terms.max_transmission_size - seg.SIZE
            if len(data) <= room:
                return seg.write(kind, seg.ONLY, self.big_endian, self._tail, data)
        return self._segments(kind, request, data, room)

    def requests(self, calls: list[tuple[int, int, bytes]]) -> bytes:
        """Return the segments of calls (type, handle, body) that are sent together.

        `answer` is the last reply, `answers` has all of them.
        """
        data = b"".join([self.request(kind, handle, body) for kind, handle, body in calls])
        self.answers, self.pending = [], len(calls)
        return data

    def cancel_get(self, connection_id: bytes) -> bytes:
        """Return SPI NOTIFY, which ends the waiting get of this conversation. Its reply is 2107, or a message."""
        order, ccsid = self.big_endian, self.ccsid
        body = write_longs([spi.NOTIFY, 1, 12], order)
        body += write_text("SPNU", 4, ccsid, 0, "SPI") + write_longs([1, 12], order)
        body += write_text("SPNI", 4, ccsid, 0, "SPI")
        body += write_longs([1, 44, spi.NOTIFY_CANCEL, MQRC_XWAIT_CANCELED], order) + connection_id
        whole = CALL_OVERHEAD + len(body)
        head = _API_BIG.pack(whole, 0, 0, 0) if order else _LENGTH.pack(whole) + _API_REST_LITTLE.pack(0, 0, 0)
        return seg.write_m(seg.SPI, seg.ONLY, ONLY_CONVERSATION, REQUEST_CANCEL, order, self._tail, head + body)

    def _segments(self, kind: int, request: int, data: bytes, room: int) -> bytes:
        """Return the segments of a call that does not fit one. Its data, which may be long, is copied once."""
        parts: list[bytes | memoryview] = []
        whole = memoryview(data)
        flags = seg.FIRST
        for start in range(0, len(data), room):
            if start + room >= len(data):
                flags |= seg.LAST
            part = whole[start : start + room]
            if self.shared:
                number = ONLY_CONVERSATION
                parts.append(seg.head_m(kind, flags, number, request, self.big_endian, self._tail, len(part)))
            else:
                parts.append(seg.head(kind, flags, self.big_endian, self._tail, len(part)))
            parts.append(part)
            flags = 0
        return b"".join(parts)

    def _compressed(self, compression: Compression, kind: int, request: int, data: bytes) -> bytes:
        """Return a call in segments that are compressed if that makes them shorter, padded to a multiple of four."""
        room = self.terms.max_transmission_size - (seg.SIZE_M if self.shared else seg.SIZE)
        from flintmq.wire.mq.compression import said_in_request

        said = said_in_request(kind, data, self.big_endian)
        parts: list[bytes] = []
        flags = seg.FIRST
        for start in range(0, len(data), room):
            if start + room >= len(data):
                flags |= seg.LAST
            fixed, about = (0, 0) if start else (API_SIZE, min(said, room - API_SIZE))
            flags_2, body = compression.compress(data[start : start + room], fixed, about, not start)
            if flags_2:
                body += bytes(-len(body) % 4)
            order, ending = self.big_endian, self._tail
            if self.shared:
                parts.append(seg.write_m(kind, flags, ONLY_CONVERSATION, request, order, ending, body, flags_2))
            else:
                parts.append(seg.write(kind, flags, order, ending, body, seg.TSH, flags_2))
            flags = 0
        return b"".join(parts)

    def later(self, data: bytes) -> bool:
        """Keep segments of a call without a reply. Return True if there is enough to be sent."""
        self.late.append(data)
        self.late_bytes += len(data)
        return self.late_bytes >= LATE_MAX

    def with_late(self, data: bytes = b"") -> bytes:
        """Return the bytes to send now: `data` behind the kept segments."""
        if not self.late:
            return data
        if data:
            self.late.append(data)  # Without it a single one is not copied.
        data = b"".join(self.late)
        self.late.clear()
        self.late_bytes = 0
        return data

    def want(self, body: bytes, asks: bool) -> bytes:
        """Return REQUEST_MSGS; with `asks` its reply is CHECK_MSG."""
        flags, request = (seg.ONLY | seg.CONFIRM_REQUEST, REQUEST_QUESTION) if asks else (seg.ONLY, REQUEST_PLAIN)
        number = ONLY_CONVERSATION
        return seg.write_m(seg.REQUEST_MSGS, flags, number, request, self.big_endian, self._tail, body)

    def notice(self, handle: int, code: int, value: int, asks: bool = False) -> bytes:
        """Return a NOTIFICATION; with `asks` its reply is the code after its own."""
        flags, request = (seg.ONLY | seg.CONFIRM_REQUEST, REQUEST_QUESTION) if asks else (seg.ONLY, REQUEST_PLAIN)
        body = write_longs([1, handle, code, value], self.big_endian)
        number = ONLY_CONVERSATION
        return seg.write_m(seg.NOTIFICATION, flags, number, request, self.big_endian, self._tail, body)

    def heartbeat(self) -> bytes:
        """Return a heartbeat that asks for an answer."""
        struc_id = seg.TSHC if self.shared else seg.TSH
        return seg.write(seg.HEARTBEAT, seg.CONFIRM_REQUEST | seg.ONLY, self.big_endian, self._tail, b"", struc_id)

    # -- in -----------------------------------------------------------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Process bytes from the server. Raise ChannelError if they are not the protocol."""
        for segment in self._splitter.feed(data):
            kind = segment.kind
            if segment.ccsid != self.ccsid:
                check_ccsid(segment.ccsid)
            if segment.flags_2 & _COMPRESSED:
                if self.compression is None:
                    raise ChannelError(STATUS_PROTOCOL_DATA, "a compressed segment, and no compression was agreed on")
                segment.body = self.compression.expand(segment)
            if segment.conversation != ONLY_CONVERSATION and segment.struc_id == seg.TSHM:
                text = f"there is no conversation {segment.conversation} on this socket"
                raise ChannelError(STATUS_CONVERSATION_ID, text)
            if kind >= seg.MQCONN and self.state == AGREED:
                if self.pending:
                    self._one_of_many(segment)
                elif self.shared and segment.request != self._request:
                    self._belated(segment)
                elif segment.flags & seg.ONLY == seg.ONLY and self._first is None:
                    self.answer = CallReply(segment, segment.body)
                else:
                    self._part(segment)
            else:
                self._other(segment)

    def _one_of_many(self, segment: Segment) -> None:
        """Process a segment of the replies to calls that were sent together. They come in the order of the calls."""
        if segment.request != (self._request - self.pending) % 0x7FFF_FFFF + 1:
            self._belated(segment)
            return
        if segment.flags & seg.ONLY == seg.ONLY and self._first is None:
            answer: CallReply | None = CallReply(segment, segment.body)
        else:
            self._part(segment)
            answer, self.answer = self.answer, None
        if answer is not None:
            self.answers.append(answer)
            self.pending -= 1
            if not self.pending:
                self.answer = answer

    def _belated(self, segment: Segment) -> None:
        """Process a reply without a waiting call: a put without a reply was refused at once."""
        if segment.request == REQUEST_CANCEL:
            return
        said = CallReply(segment, segment.body)
        if said.completion:
            self.refused.append(said.reason)

    def _part(self, segment: Segment) -> None:
        """Process one of several segments of a reply."""
        first = self._first
        if segment.flags & seg.FIRST:
            if first is not None:
                raise ChannelError(STATUS_PROTOCOL_DATA, "a reply begins before the last one is complete")
            first = self._first = segment
        elif first is None or first.kind != segment.kind or first.request != segment.request:
            raise ChannelError(STATUS_PROTOCOL_DATA, "a segment continues a reply that has not begun")
        self._parts.append(segment.body)
        self._held += len(segment.body)
        if self._held > self.terms.max_message_size + _SLACK:
            limit = self.terms.max_message_size
            raise ChannelError(STATUS_MESSAGE_LENGTH, f"a reply is longer than {limit} bytes, which was agreed on")
        if segment.flags & seg.LAST:
            body = b"".join(self._parts)
            self._parts.clear()
            self._held = 0
            self._first = None
            self.answer = CallReply(first, body)

    def _other(self, segment: Segment) -> None:
        """Process a segment that is no reply, by the table above."""
        kind = segment.kind
        if kind == seg.HEARTBEAT:
            if segment.flags & seg.CONFIRM_REQUEST:
                struc_id = seg.TSHC if self.shared else seg.TSH
                self.out.append(seg.write(seg.HEARTBEAT, seg.ONLY, self.big_endian, self._tail, b"", struc_id))
        elif kind == seg.STATUS_DATA:
            status = read_long(segment.body, 4, segment.big_endian) if len(segment.body) >= 8 else 0
            if status == 0 and self.state == AGREED and not segment.flags & (seg.ERROR | seg.CLOSE_CHANNEL):
                self.identified = True
            else:
                self.ended = status
                self.state = ENDED
        elif kind == seg.INITIAL_DATA and self.state == NEW:
            self._initial_data(segment)
        elif kind == seg.ASYNC_MESSAGE and self.state == AGREED:
            handle = read_long(segment.body, 4, segment.big_endian) if len(segment.body) >= 8 else 0
            stream = self.streams.get(handle)
            if stream is not None:  # Else its handle was closed while it was on its way.
                stream.pushed(segment, self.terms.max_message_size)
        elif kind == seg.NOTIFICATION and self.state == AGREED:
            _, handle, code, value = read_longs(segment.body, 0, 4, segment.big_endian)
            concerned = self.streams.get(handle)
            if concerned is not None:
                concerned.notified(code, value)
            self.notices[code] = value
        else:
            raise ChannelError(STATUS_PROTOCOL_SEGMENT_TYPE, f"segment type {kind:#x} is not expected here")
