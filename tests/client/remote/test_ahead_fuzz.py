"""What is pushed, changed in every way: the client has the message, or says that it is not the protocol."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.client.remote.ahead import Ahead
from flintmq.client.remote.session import AGREED, ClientSession
from flintmq.mqi.errors import MQStructuresError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq import stream
from flintmq.wire.mq.errors import ChannelError

NAME = b"DEV.QUEUE.1"
TAIL = seg.tail(False, 1208)
LENGTH_MAX = 1_000_000


def session(room: int = 10_000) -> tuple[ClientSession, Ahead]:
    """A session that is agreed, and the messages of its handle 2."""
    made = ClientSession("C", "QM1", 1)
    made.state, made.shared = AGREED, True
    made.terms.max_message_size = LENGTH_MAX
    ahead = made.streams[2] = Ahead(2, room)
    ahead.wants(MQMD(), MQGMO(), False)
    return made, ahead


def pushed(data: bytes, number: int = 1, parts: int = 1, handle: int = 2) -> list[bytes]:
    """The segments of a message."""
    md = MQMD()
    md.version = 2
    size = -(-len(data) // parts) or 1
    found = []
    for at in range(0, max(len(data), 1), size):
        part = data[at : at + size]
        flags = (seg.FIRST if at == 0 else 0) | (seg.LAST if at + size >= len(data) else 0)
        body = stream.write_prefix(handle, number, number, len(part), at // size, 1, False)
        if at == 0:
            body += stream.write_first(0, len(data), len(data), bytes(16), 1, NAME, False) + md.pack()
        found.append(seg.write_m(seg.ASYNC_MESSAGE, flags, 1, 1, False, TAIL, body + part))
    return found


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_a_message_is_put_together(parts: int) -> None:
    made, ahead = session()
    data = bytes(range(200))
    stream_of_bytes = b"".join(pushed(data, 1, parts) + pushed(b"", 2))
    for at in range(0, len(stream_of_bytes), 11):
        made.received(stream_of_bytes[at : at + 11])
    assert [message.data for message in ahead.messages] == [data, b""]
    assert ahead.messages[0].q_name() == NAME.decode() and ahead.messages[0].md().version == 2


@given(st.integers(1, 5), st.integers(0, 700), st.integers(0, 255), st.integers(0, 300))
def test_whatever_is_changed_nothing_else_breaks(parts: int, at: int, value: int, cut: int) -> None:
    made, ahead = session()
    raw = bytearray(b"".join(pushed(bytes(range(250)), 1, parts)))
    raw[at % len(raw)] = value
    if cut:
        raw = raw[:-cut]
    try:
        made.received(bytes(raw))
        for message in ahead.messages:
            assert len(message.data) <= 250
            message.md()
            message.q_name()
    except (ChannelError, MQStructuresError, UnicodeError):
        pass


@pytest.mark.parametrize(
    ("segments", "text"),
    [
        (pushed(bytes(100), 1, 2)[1:], "has not begun"),
        (pushed(bytes(100), 1, 2)[:1] * 2, "before the last one is complete"),
        (pushed(bytes(100), 1, 3)[:1] + pushed(bytes(100), 1, 3)[2:], "ends after"),
        (pushed(bytes(100), 1, 2)[:1] + pushed(bytes(300), 1, 2)[1:], "do not fit"),
    ],
)
def test_parts_that_do_not_belong_together_end_the_connection(segments: list[bytes], text: str) -> None:
    made, _ = session()
    with pytest.raises(ChannelError, match=text):
        for each in segments:
            made.received(each)


def test_a_message_longer_than_was_agreed_is_refused_before_it_is_here() -> None:
    made, _ = session()
    (first, *_rest) = pushed(bytes(1000), 1, 2)
    raw = bytearray(first)
    struct.pack_into("<i", raw, seg.SIZE_M + 28, LENGTH_MAX + 1)
    with pytest.raises(ChannelError, match="were agreed on"):
        made.received(bytes(raw))


def test_more_than_was_asked_for_is_refused_when_it_is_far_too_much() -> None:
    """A2: memory is bounded, whatever the other side does."""
    made, ahead = session(10_000)
    made.terms.max_message_size = 10_000
    with pytest.raises(ChannelError, match="that were asked for"):
        for number in range(100):
            made.received(pushed(bytes(1000), number)[0])
    assert len(ahead.messages) < 60


def test_what_is_pushed_for_a_handle_that_was_closed_is_thrown_away() -> None:
    made, ahead = session()
    made.received(pushed(b"late", handle=3)[0])
    assert not ahead.messages
