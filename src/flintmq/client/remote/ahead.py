"""Read-ahead buffer of one handle: messages that the queue manager sends in advance, seen from the client.

The layouts are those of wire/mq/stream.py. The client requests messages by REQUEST_MSGS, with a selection and the
bytes it has room for, and the queue manager sends ASYNC_MESSAGE as long as there is room. So a get, or a browse, is
answered from here:

    wants()       the selection of the next get
    request()     a request: the bytes used since the last one, and the bytes of room. As a question it is answered by
                  NOTIFICATION CHECK_MSG, when there is nothing (more) to send
    pushed()      a segment with a message, or a part of one
    notified()    a NOTIFICATION that concerns the handle
    take()        the first message here that matches

    A1  The client requests more when half of its room is used, so messages come before they are needed.
    A2  The messages here and on their way are never more than the room and one message, if the queue manager keeps to
        the requests. If it sends four times as much, the connection ends.
    A3  A message of an earlier selection is discarded if it was browsed. One that was got is kept: it is no longer on
        the queue. The get that matches it finds it (MQ: "altered between MQGET calls").
    A4  Where messages are got, one is requested at a time until one is seen to be non-persistent, and again from the
        first persistent one: so a queue of persistent messages is not emptied into a program that may end. A queue
        manager sends further persistent messages only to a client that waits: a get says so, and a consumer that has
        used all messages here. A request that only reports room (`waits` is False) does not wait.
    A5  Lengths are checked against the bytes received; a message that does not fit them raises ChannelError.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from mypy_extensions import mypyc_attr

from flintmq.mqi import md as md_structure
from flintmq.mqi.ccsid import decode
from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_MSG_TOKEN,
    MQMO_MATCH_OFFSET,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQRC_GET_INHIBITED, MQRC_Q_MGR_QUIESCING
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq import stream as wire
from flintmq.wire.mq.calls import read_longs, write_longs
from flintmq.wire.mq.errors import STATUS_MESSAGE_LENGTH, STATUS_PROTOCOL_DATA, STATUS_PROTOCOL_LENGTH, ChannelError
from flintmq.wire.mq.segment import Segment

#: Room for messages in advance, in bytes of descriptors and data. A browse loses nothing, and may have more.
ROOM: Final = 256 * 1024
BROWSE_ROOM: Final = 1024 * 1024
#: A queue manager that sends this many times more than the room does not keep to the protocol.
_EXCESS: Final = 4
#: The request id of a segment without an answer, and of a question.
REQUEST_PLAIN: Final = 1
REQUEST_QUESTION: Final = 3
#: RequestFlags: for a consumer, of a question (two bits), for a get, with a selection.
FOR_CONSUMER: Final = wire.REQUEST_CONSUMER
_ASKING: Final = 0x06
FOR_GET: Final = wire.REQUEST_GET
_BROWSE: Final = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR
_NO_ID: Final = bytes(24)
#: RequestedBytes: room for one message.
_ONE: Final = 1


class Arrived:
    """A message that has arrived."""

    __slots__ = (
        "big_endian", "ccsid", "data", "descriptor", "index", "length", "name", "reason", "selection", "size", "token",
    )  # fmt: skip

    def __init__(self, segment: Segment) -> None:
        """Read the first segment of the message. Raise ChannelError."""
        body = segment.body
        if len(body) < wire.WHOLE_SIZE:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a message that was pushed begins with {len(body)} bytes")
        self.big_endian, self.ccsid = segment.big_endian, segment.ccsid
        (_, _, _, self.index, here, _, self.selection, self.reason, total, self.length, self.token, _, name_length) = (
            wire.WHOLE_BIG if segment.big_endian else wire.WHOLE_LITTLE
        ).unpack_from(body)
        at = wire.WHOLE_SIZE + name_length
        #: The name of the queue, in the character set of the segment.
        self.name = body[wire.WHOLE_SIZE : at]
        at += -(3 + name_length) % 4
        version = read_longs(body, at + 4, 1, segment.big_endian)[0]
        end = at + (md_structure.SIZE_2 if version >= 2 else md_structure.SIZE_1)
        if len(body) < end or here < 0 or total < 0 or here > total or len(body) - end < here:
            text = f"a message says {here} of {total} bytes behind its descriptor, and has {len(body) - end}"
            raise ChannelError(STATUS_MESSAGE_LENGTH, text)
        self.descriptor = body[at:end]
        self.data = body[end : end + here]
        #: Its size in ReceivedBytes.
        self.size = end - at + total

    def md(self) -> MQMD:
        """Return the descriptor. Raise StructureError."""
        return MQMD.unpack(self.descriptor, 0, self.big_endian, self.ccsid)

    def q_name(self) -> str:
        """Return the queue of the message."""
        return decode(self.name, self.ccsid).rstrip(" \0")


@mypyc_attr(allow_interpreted_subclasses=True)
class Ahead:
    """The messages of one handle that have arrived, and the state of its requests."""

    def __init__(self, number: int, room: int = ROOM, flags: int = FOR_GET) -> None:
        #: The queue manager's number of the handle.
        self.number = number
        self.room = room
        #: The part of it that is requested: all, or one message (A4).
        self.window = _ONE
        self._flags = flags
        self.messages: deque[Arrived] = deque()
        # Bytes that have come, and that were taken: written where segments are read, and by the application.
        self._came = 0
        self._taken = 0
        #: Why the queue cannot be read, 0 if it can.
        self.failure = 0
        #: Questions that are not answered yet.
        self.questions = 0
        #: The last request is a question.
        self._asking = False
        #: Number of messages here when the wait for another began.
        self.heard = 0
        #: MQCLOSE with MQCO_QUIESCE was made: nothing more is requested.
        self.quiesced = False
        #: The message under the browse cursor, which was returned last.
        self.current: Arrived | None = None
        #: A request was made that is not fulfilled yet.
        self.asked = False
        self._used = 0
        self._last = 0
        self._selection = self._said = 0
        self._wish = b""
        self._options = 0
        self._browses = False
        #: An incomplete message, and its data so far.
        self._first: Arrived | None = None
        self._parts: list[bytes] = []
        self._total = 0
        self._there = 0
        self._length_max = 0

    # -- out ----------------------------------------------------------------------------------------------------------

    def wants(self, md: MQMD, gmo: MQGMO, big_endian: bool) -> None:
        """Set the selection of the next get. The next request carries it if it has changed."""
        match = gmo.match_options if gmo.version > 1 else MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID
        if match & MQMO_MATCH_MSG_ID and md.msg_id == _NO_ID:
            match &= ~MQMO_MATCH_MSG_ID
        if match & MQMO_MATCH_CORREL_ID and md.correl_id == _NO_ID:
            match &= ~MQMO_MATCH_CORREL_ID
        layout = wire.SELECTION_BIG if big_endian else wire.SELECTION_LITTLE
        wish = layout.pack(0, 2, md.coded_char_set_id, md.encoding, md.msg_seq_number, md.offset, match)
        if match:
            for bit, value in (
                (MQMO_MATCH_MSG_ID, md.msg_id),
                (MQMO_MATCH_CORREL_ID, md.correl_id),
                (MQMO_MATCH_GROUP_ID, md.group_id),
                (MQMO_MATCH_MSG_TOKEN, gmo.msg_token),
            ):
                if match & bit:
                    wish += value
        self._browses = gmo.options & _BROWSE != 0
        if self._browses:
            self.window = self.room
        if wish != self._wish:
            self._wish = wish
            self._selection = self._selection % 0x7FFF + 1

    def begin_again(self) -> None:
        """Restart a browse from the beginning, and discard the messages here and on their way."""
        self.messages.clear()
        self._taken, self._used, self.heard = self._came, 0, 0
        self._wish = b""
        self.current = None

    def request(
        self,
        options: int,
        wait_ms: int,
        max_length: int,
        big_endian: bool,
        asks: bool = False,
        room: int = -1,
        waits: bool = True,
    ) -> bytes:
        """Return the body of REQUEST_MSGS. `asks` makes it a question: whether there is a message."""
        select = self._selection != self._said
        self._said = self._selection
        flags = (self._flags if waits else 0) | (wire.REQUEST_SELECTION if select else 0) | (_ASKING if asks else 0)
        used, self._used = self._used, 0
        self.asked = True
        self.questions += asks
        self._asking = asks
        values = [
            1,
            self.number,
            used,
            self.window if room < 0 else room,
            max_length,
            options,
            wait_ms,
            0,
            flags,
            self._last,
        ]
        body = write_longs(values, big_endian)
        if not select:
            return body
        index = self._selection.to_bytes(2, "big" if big_endian else "little")
        return body + index + self._wish[2:]

    def is_low(self) -> bool:
        """Return whether to request more (A1)."""
        half = self.room // 2
        return self.window > _ONE and self._used >= half and self._came - self._taken < half

    def wants_credit(self) -> bool:
        """Return whether a consumer requests more: one message after the other if it does not read ahead (A4)."""
        return self.is_low() or (self._used > 0 and (self.window == _ONE or not self.messages))

    # -- in -----------------------------------------------------------------------------------------------------------

    def pushed(self, segment: Segment, length_max: int) -> None:
        """Take a segment of ASYNC_MESSAGE. Raise ChannelError."""
        first = self._first
        self._length_max = length_max
        if segment.flags & seg.FIRST:
            if first is not None:
                raise ChannelError(STATUS_PROTOCOL_DATA, "a message is pushed before the last one is complete")
            message = Arrived(segment)
            if segment.flags & seg.LAST:
                self._complete(message)
                return
            self._total = message.size - len(message.descriptor)
            if self._total > length_max:
                text = f"a message of {self._total} bytes is pushed, and {length_max} were agreed on"
                raise ChannelError(STATUS_MESSAGE_LENGTH, text)
            self._first, self._parts, self._there = message, [message.data], len(message.data)
            return
        if first is None:
            raise ChannelError(STATUS_PROTOCOL_DATA, "a segment continues a message that has not begun")
        body = segment.body
        if len(body) < wire.PREFIX:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"a part of a message has {len(body)} bytes")
        here = (wire.PREFIX_BIG if segment.big_endian else wire.PREFIX_LITTLE).unpack_from(body)[4]
        self._there += here
        if here < 0 or here > len(body) - wire.PREFIX or self._there > self._total:
            raise ChannelError(STATUS_MESSAGE_LENGTH, f"a part of a message says {here} bytes, which do not fit")
        self._parts.append(body[wire.PREFIX : wire.PREFIX + here])
        if segment.flags & seg.LAST:
            if self._there != self._total:
                raise ChannelError(STATUS_MESSAGE_LENGTH, f"a message of {self._total} bytes ends after {self._there}")
            first.data = b"".join(self._parts)
            self._first, self._parts = None, []
            self._complete(first)

    def _complete(self, message: Arrived) -> None:
        self._last = message.index
        if message.selection != self._selection and self._browses:
            return  # A3.
        if self._came - self._taken > _EXCESS * self.room + self._length_max:
            raise ChannelError(STATUS_PROTOCOL_DATA, f"more than {self.room} bytes are pushed that were asked for")
        self._came += message.size
        self.messages.append(message)

    def notified(self, code: int, value: int) -> None:
        """Take a NOTIFICATION."""
        if code == wire.NOTIFY_CHECK_MSG:
            self.questions = max(0, self.questions - 1)
        elif code == wire.NOTIFY_GET_INHIBITED:
            self.failure = MQRC_GET_INHIBITED
        elif code == wire.NOTIFY_GET_ALLOWED:
            self.failure = 0
        elif code == wire.NOTIFY_QM_QUIESCING:
            self.failure = MQRC_Q_MGR_QUIESCING
        elif code == wire.NOTIFY_STREAMING_FAILURE:
            self.failure = value

    def is_ready(self) -> bool:
        """Return whether a waiting get has something to look at."""
        return len(self.messages) > self.heard or self.failure != 0 or (self._asking and not self.questions)

    @property
    def answered(self) -> bool:
        """Return whether the last request was a question, and every question was answered."""
        return self._asking and not self.questions

    # -- the application ----------------------------------------------------------------------------------------------

    def seen(self, persistent: bool) -> None:
        """Set the window by the persistence of a message that was taken (A4)."""
        if not self._browses:
            self.window = _ONE if persistent else self.room

    def take(self, md: MQMD, gmo: MQGMO) -> Arrived | None:
        """Return the first message here that matches the get; it stays here."""
        self.heard = count = len(self.messages)
        for at in range(count):  # More may come meanwhile, at the end.
            message = self.messages[at]
            if message.selection == self._selection or _fits(message, md, gmo):
                return message
        return None

    def used(self, message: Arrived) -> None:
        """Remove a message that the application has got."""
        if self.messages[0] is message:
            self.messages.popleft()
        else:
            self.messages.remove(message)
        self._taken += message.size
        self._used += message.size
        self.current = message


def _fits(message: Arrived, md: MQMD, gmo: MQGMO) -> bool:
    """Return whether a message of another selection matches the get."""
    match = gmo.match_options if gmo.version > 1 else MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID
    got = message.md()
    return not (
        (match & MQMO_MATCH_MSG_ID and md.msg_id != _NO_ID and got.msg_id != md.msg_id)
        or (match & MQMO_MATCH_CORREL_ID and md.correl_id != _NO_ID and got.correl_id != md.correl_id)
        or (match & MQMO_MATCH_GROUP_ID and md.group_id != _NO_ID and got.group_id != md.group_id)
        or (match & MQMO_MATCH_MSG_SEQ_NUMBER and got.msg_seq_number != md.msg_seq_number)
        or (match & MQMO_MATCH_OFFSET and got.offset != md.offset)
        or (match & MQMO_MATCH_MSG_TOKEN and message.token != gmo.msg_token)
    )
