"""Headers and how the stream is cut. The byte vectors were made by other programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.errors import ChannelError
from flintmq.wire.mq.segment import Splitter, read, segment_length

COMMIT = bytes.fromhex(
    "5453484d000000340000000300000007028a3000000000000000000022020000330300000000002c000000000000000000000000"
)
STATUS_BIG = bytes.fromhex("54534820000000240105020000000000000000000000011103330000 00000008 00000001")
HEARTBEAT = bytes.fromhex("545348200000001c02090000000000000000000022020000 33030000")


def test_a_segment_of_a_conversation_is_read_as_it_was_recorded() -> None:
    segment = read(COMMIT)
    assert (segment.struc_id, segment.kind, segment.flags) == (seg.TSHM, seg.MQCMIT, seg.ONLY)
    assert (segment.conversation, segment.request, segment.ccsid, segment.encoding) == (3, 7, 819, 546)
    assert not segment.big_endian and len(segment.body) == 16


def test_a_segment_is_written_as_it_was_recorded() -> None:
    assert seg.write_m(seg.MQCMIT, seg.ONLY, 3, 7, False, seg.tail(False, 819), COMMIT[36:]) == COMMIT
    assert seg.write(seg.STATUS_DATA, seg.ERROR, True, seg.tail(True, 819), STATUS_BIG[28:]) == STATUS_BIG
    assert seg.write(seg.HEARTBEAT, 0, False, seg.tail(False, 819), b"") == HEARTBEAT


def test_an_ebcdic_header_is_known() -> None:
    segment = read(b"\xe3\xe2\xc8\xd4" + COMMIT[4:])
    assert segment.struc_id == seg.TSHM and segment.kind == seg.MQCMIT


@given(st.lists(st.integers(1, 40), max_size=40), st.lists(st.sampled_from([COMMIT, STATUS_BIG, HEARTBEAT])))
def test_the_stream_may_be_cut_anywhere(cuts: list[int], segments: list[bytes]) -> None:
    stream = b"".join(segments)
    splitter = Splitter()
    kinds: list[int] = []
    start = 0
    for length in [*cuts, len(stream)]:
        kinds += [segment.kind for segment in splitter.feed(stream[start : start + length])]
        start += length
    assert kinds == [read(each).kind for each in segments]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "no segment"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", "no segment"),
        (b"TSH \x00\x00\x00\x10" + bytes(8), "says that it has 16 bytes"),
        (b"TSHM\x7f\xff\xff\xff" + bytes(8), "says that it has 2147483647 bytes"),
        (b"TSHX\x00\x00\x00\x1c" + bytes(20), "begins with b'TSHX'"),
        (b"TSHM\x00\x00\x00\x1c" + bytes(20), "shorter than its header"),
        (b"TSH \x00\x00\x00\x1c\x07" + bytes(19), "byte order 7"),
    ],
)
def test_what_is_no_segment_is_refused_with_the_reason(data: bytes, what: str) -> None:
    with pytest.raises(ChannelError, match=what):
        Splitter().feed(data)


def test_nothing_is_kept_of_a_segment_that_says_it_is_too_long() -> None:
    with pytest.raises(ChannelError):
        segment_length(b"TSH " + (seg.SEGMENT_MAX + 1).to_bytes(4, "big"), 0)
    assert segment_length(b"TSH " + seg.SEGMENT_MAX.to_bytes(4, "big"), 0) == seg.SEGMENT_MAX


def test_a_segment_that_says_another_length_than_it_has_is_refused() -> None:
    with pytest.raises(ChannelError, match="says 52 bytes and has 53"):
        read(COMMIT + b"x")
    with pytest.raises(ChannelError, match="shorter than its header"):
        read(COMMIT[:20])
