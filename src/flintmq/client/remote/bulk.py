"""Many messages in one call, where the queue manager is FlintMQ: the client's side of wire/mq/bulk.py.

    offered   whether the queue manager at the other end has these calls (SPI QUERY, sent once for a connection)
    browse    the next messages of a handle, by columns: no object is made of a single one
    get       get the messages at some positions, without their data
    put       many messages with one descriptor, without a reply: MQSTAT reports the outcome

They need a socket that conversations may share. With a queue manager that does not have them, use single calls.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from flintmq.client.remote.session import CallReply, ClientSession
from flintmq.mqi.call_errors import error_of
from flintmq.mqi.constants import MQPMO_ASYNC_RESPONSE
from flintmq.mqi.fields import write_text
from flintmq.mqi.md import SIZE_2
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQCC_FAILED
from flintmq.wire.mq import bulk, spi
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.calls import API_SIZE, read_longs, write_longs
from flintmq.wire.mq.errors import STATUS_PROTOCOL_LENGTH, ChannelError
from flintmq.wire.mq.initial_data import CAP2_SPIREQUEST

if TYPE_CHECKING:
    from flintmq.client.remote.steps import Steps
    from flintmq.client.remote.wire import Wire

_REPLY_SIZE: Final = 1 << 30
_QUERY_ENTRY: Final = 5
_PAYLOAD: Final = API_SIZE + spi.FRAME


class Browsed:
    """Messages that were browsed, by columns: each is a piece of the reply (wire/mq/bulk.py has its form)."""

    __slots__ = (
        "big_endian", "ccsids", "count", "data", "descriptors", "encodings", "ends", "formats", "lengths", "positions",
        "put_at",
    )  # fmt: skip

    def __init__(self, answer: CallReply, wanted: int) -> None:
        """Split a reply into its columns. Raise ChannelError if it is shorter than it says."""
        body = answer.body
        self.big_endian = answer.big_endian
        self.count, ends = read_longs(body, _PAYLOAD, 2, answer.big_endian)
        #: There are no messages behind these.
        self.ends = ends != 0
        self._cut(memoryview(body)[_PAYLOAD + 8 :], wanted)

    def _cut(self, rest: memoryview, wanted: int) -> None:
        has_data = wanted & bulk.WANT_DATA != 0
        whole = wanted & bulk.WANT_DESCRIPTOR != 0
        sizes = (
            8,
            bulk.PUT_AT_SIZE if wanted & bulk.WANT_PUT_AT else 0,
            SIZE_2 if whole else 0,
            4 if has_data and not whole else 0,
            4 if has_data and not whole else 0,
            bulk.FORMAT_SIZE if has_data and not whole else 0,
            4 if has_data else 0,
        )
        if self.count < 0 or len(rest) < self.count * sum(sizes):
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"an answer has no room for {self.count} messages")
        columns: list[memoryview] = []
        at = 0
        for size in sizes:
            columns.append(rest[at : at + size * self.count])
            at += size * self.count
        self.positions, self.put_at, self.descriptors, self.encodings, self.ccsids, self.formats, self.lengths = columns
        self.data = rest[at:]


def offered(wire: Wire) -> bool:
    """Return whether the queue manager has these calls. Raise NotConnected."""
    return wire.run(offered_steps(wire.session))


def offered_steps(session: ClientSession) -> Steps[bool]:
    """Ask the queue manager, as steps, whether it has these calls."""
    if not session.shared or not session.terms.cap_flags_2 & CAP2_SPIREQUEST:
        return False
    answer = yield seg.SPI, 0, _frame(session, spi.QUERY, "SPQ", 0, bulk.ASKS), 0, True
    if answer.completion or len(answer.body) < _PAYLOAD + 4:
        return False
    count = read_longs(answer.body, _PAYLOAD, 1, answer.big_endian)[0]
    if count <= 0 or len(answer.body) < _PAYLOAD + 4 + 4 * _QUERY_ENTRY * count:
        return False
    told = read_longs(answer.body, _PAYLOAD + 4, _QUERY_ENTRY * count, answer.big_endian)
    usable = {told[at] for at in range(0, len(told), _QUERY_ENTRY) if told[at + 4] == 1}
    return usable.issuperset(bulk.VERBS)


def frame(session: ClientSession, verb: int, payload: bytes) -> bytes:
    """Return the body of a call of one of the verbs."""
    return _frame(session, verb, bulk.FAMILY, len(payload)) + payload


def _frame(session: ClientSession, verb: int, family: str, length: int, reply_size: int = _REPLY_SIZE) -> bytes:
    """Return the beginning of a call with a payload of `length` bytes, behind the sixteen bytes."""
    big_endian, ccsid = session.big_endian, session.ccsid
    front = write_longs([verb, 1, reply_size], big_endian)
    front += write_text(family + "U", 4, ccsid, 0, "SPI") + write_longs([1, 12], big_endian)
    return front + write_text(family + "I", 4, ccsid, 0, "SPI") + write_longs([1, 12 + length], big_endian)


def _asked(wire: Wire, handle: int, verb: int, payload: bytes) -> CallReply:
    """Make a call. Raise MQError."""
    answer = wire.call(seg.SPI, handle, _frame(wire.session, verb, bulk.FAMILY, len(payload)) + payload)
    if answer.completion == MQCC_FAILED:
        raise error_of(answer.reason)
    return answer


def browse(wire: Wire, handle: int, wanted: int, options: int, count_max: int, token: bytes = b"") -> Browsed:
    """Browse the next messages, or those from the one of `token` on. Raise MQError."""
    payload = write_longs([wanted, options, count_max, bulk.BYTES_MAX], wire.session.big_endian)
    answer = _asked(wire, handle, bulk.BROWSE, payload + token.ljust(16, b"\0"))
    try:
        return Browsed(answer, wanted)
    except ChannelError as error:
        wire.bad_answer(error)


def get(wire: Wire, handle: int, options: int, prefix: bytes, ranges: list[tuple[int, int]]) -> int:
    """Get the messages at these positions, at most MESSAGES_MAX. Return how many there were. Raise MQError."""
    order = wire.session.big_endian
    payload = write_longs([options, len(ranges)], order) + prefix
    payload += bulk.write_positions([end for both in ranges for end in both], order)
    answer = _asked(wire, handle, bulk.GET, payload)
    try:
        return read_longs(answer.body, _PAYLOAD, 1, answer.big_endian)[0]
    except ChannelError as error:
        wire.bad_answer(error)


def put(
    wire: Wire, handle: int, descriptor: bytes, options: bytes, count: int, lengths: bytes, data: bytes | memoryview
) -> None:
    """Put `count` messages with one descriptor (an MQMD and an MQPMO with MQPMO_ASYNC_RESPONSE, packed).

    `lengths` are int32 in the byte order of the session, `data` is the data of all messages. Raise NotConnected.
    """
    order = wire.session.big_endian
    assert MQPMO.unpack(options, 0, order, wire.session.ccsid).options & MQPMO_ASYNC_RESPONSE
    number = struct.pack(">i" if order else "<i", count)
    length = len(descriptor) + len(options) + len(number) + len(lengths) + len(data)
    front = _frame(wire.session, bulk.PUT, bulk.FAMILY, length)
    wire.send(seg.SPI, handle, b"".join((front, descriptor, options, number, lengths, data)))
