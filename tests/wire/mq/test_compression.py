"""COMPHDR and COMPMSG: what is agreed, what is sent, and what a peer can do wrong."""

from __future__ import annotations

import random
import struct
import zlib

import lz4.frame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQOO_OUTPUT
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.wire.mq import compression as comp
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.compression import Compression, from_run_lengths, lengthen, run_lengths, shorten
from flintmq.wire.mq.errors import ChannelError
from flintmq.wire.mq.initial_data import InitialData
from flintmq.wire.mq.server import rows
from tests.wire.mq.peer import Peer, Reply, World

CHANNEL = "DEV.APP.SVRCONN"
QUEUE = "DEV.QUEUE.1"
BOTH = MQOO_INPUT_SHARED | MQOO_OUTPUT
EVERY = [comp.RLE, comp.ZLIBFAST, comp.ZLIBHIGH, comp.LZ4FAST, comp.LZ4HIGH]
SIZE = 32748
#: MQCONN of IBM's Java client, behind the bytes that every call begins with and the CSH: "QM1", 45 blanks, "Comp" ...
MQCONN = bytes.fromhex("514d31ab202d436f6d70ab20181cab002307ab000746434e4f02ab00cf")


def techniques(*numbers: int, length: int) -> bytes:
    return bytes(numbers).ljust(length, b"\xff")


class Compressing(Peer):
    """A client that compresses what it sends by hand, and reads what it gets."""

    def __init__(self, world: World, header: int, message: int, **options: object) -> None:
        super().__init__(world, **options)  # type: ignore[arg-type]
        self.header_technique, self.message_technique = header, message
        self.compressed = 0

    def offer(self) -> InitialData:
        offer = super().offer()
        offer.header_compression = techniques(self.header_technique, length=2)
        offer.message_compression = techniques(self.message_technique, length=16)
        return offer

    def received(self) -> list[seg.Segment]:
        reader = Compression(self.header_technique, self.message_technique, SIZE)
        segments = super().received()
        for segment in segments:
            if segment.flags_2:
                self.compressed += 1
                if segment.kind != seg.ASYNC_MESSAGE:
                    segment.body = reader.expand(segment)
        return segments

    def put_compressed(self, handle: int, data: bytes, pad: bool = True) -> Reply:
        """A put whose descriptors are compressed, and its data too."""
        said = MQMD().pack(self.big_endian, self.ccsid) + MQPMO().pack(self.big_endian, self.ccsid)
        said += self.longs(len(data))
        whole = struct.pack(">I", 52 + len(said) + len(data)) + self.longs(0, 0, handle)
        short, rest = run_lengths(said), shorten(self.message_technique, data)
        body = whole + struct.pack(">HH", 48 + len(short), self.message_technique) + short + rest
        body += bytes(-len(body) % 4) if pad else b""
        return self.reply_to(self.feed(self.flagged(seg.MQPUT, seg.ONLY, 7, body)))

    def flagged(self, kind: int, flags: int, flags_2: int, body: bytes) -> bytes:
        raw = bytearray(self.segment(kind, body, flags))
        raw[19 if self.shared else 11] = flags_2
        return bytes(raw)


def compressing(header: int, message: int, **options: object) -> Compressing:
    world = World()
    assert world.admin.alter("CHANNEL", CHANNEL, {"COMPHDR": ["SYSTEM"], "COMPMSG": ["ANY"]}, False) == 0
    peer = Compressing(world, header, message, **options)
    peer.agree()
    peer.connect()
    return peer


@pytest.mark.parametrize("sharing", [0, 10])
@pytest.mark.parametrize("technique", EVERY)
def test_messages_go_there_and_back_compressed(technique: int, sharing: int) -> None:
    peer = compressing(comp.SYSTEM, technique, sharing=sharing)
    handle = peer.opened(QUEUE, BOTH)
    for data in (b"", b"short", b"a" * 3000 + b"\xab" * 3 + b"b" * 1001):
        assert peer.put_compressed(handle, data).reason == 0
        assert peer.get(handle).data == data
    assert peer.compressed > 3
    row = rows(peer.world.channels)[0]
    assert row["COMPHDR"] == ["SYSTEM", "SYSTEM"] and row["COMPMSG"] == [comp.NAMES[technique]] * 2
    assert all(90 < int(rate) <= 100 for rate in row["COMPRATE"])  # type: ignore[union-attr]


@pytest.mark.parametrize("technique", EVERY)
def test_a_long_message_is_compressed_segment_by_segment(technique: int) -> None:
    peer = compressing(comp.NONE, technique)
    handle = peer.opened(QUEUE, BOTH)
    noise = random.Random(1).randbytes(3 * SIZE)
    data = b"x" * 40_000 + noise + b"y" * 40_000
    assert peer.put(handle, data).reason == 0
    got = peer.get(handle)
    assert got.data == data
    assert {segment.flags_2 for segment in got.segments} == {comp.CSH | comp.MSGCOMP, comp.MSGCOMP, 0}


def test_what_is_pushed_is_compressed_behind_its_prefix() -> None:
    peer = compressing(comp.SYSTEM, comp.ZLIBFAST)
    handle = peer.opened(QUEUE, BOTH)
    data = bytes(range(256)) * 300
    peer.put(handle, data)
    segments = peer.want(handle, room=200_000)
    pushed = [segment for segment in segments if segment.kind == seg.ASYNC_MESSAGE]
    assert [segment.flags_2 for segment in pushed] == [6, 2, 2]
    length, technique = struct.unpack_from(">HH", pushed[0].body, 24)
    assert technique == comp.ZLIBFAST
    said = pushed[0].body[28 : length - 28]
    assert b"MD  " in said and len(said) == 31 + 13 + 364
    plain = zlib.decompress(pushed[0].body[length - 28 :])
    plain += b"".join(zlib.decompress(segment.body[24:]) for segment in pushed[1:])
    assert plain == data


def test_run_lengths_are_those_of_the_java_client() -> None:
    said = b"QM1".ljust(48) + b"Comp".ljust(28) + struct.pack("<i32xii", 28, 7, 0) + b"FCNO\x02" + bytes(207)
    assert from_run_lengths(MQCONN, SIZE) == said
    assert run_lengths(said) == MQCONN


@given(st.binary(max_size=300) | st.lists(st.tuples(st.integers(0, 255), st.integers(1, 700)), max_size=5))
def test_run_lengths_are_read_as_they_were_written(given_data: bytes | list[tuple[int, int]]) -> None:
    data = given_data
    if isinstance(data, list):
        data = b"".join(bytes([byte]) * count for byte, count in data)
    assert from_run_lengths(run_lengths(data), len(data)) == data


@pytest.mark.parametrize("technique", EVERY)
@given(st.binary(max_size=300))
def test_any_bytes_are_refused_or_read(technique: int, data: bytes) -> None:
    try:
        assert len(lengthen(technique, data, 1000)) <= 1000
    except ChannelError:
        pass


@pytest.mark.parametrize("technique", EVERY)
def test_a_bomb_is_refused(technique: int) -> None:
    """C1: a gigabyte of zeros in few bytes is never unpacked."""
    bomb = {
        comp.RLE: b"\xab\x00\xff" * 10_000,
        comp.ZLIBFAST: zlib.compress(bytes(1 << 24)),
        comp.ZLIBHIGH: zlib.compress(bytes(1 << 24)),
        comp.LZ4FAST: lz4.frame.compress(bytes(1 << 24)),
        comp.LZ4HIGH: lz4.frame.compress(bytes(1 << 24)),
    }[technique]
    with pytest.raises(ChannelError, match="more than"):
        lengthen(technique, bomb, SIZE)


def test_a_segment_that_lies_ends_its_connection_and_no_other() -> None:
    good = compressing(comp.SYSTEM, comp.ZLIBFAST)
    api = struct.pack(">I", 100) + bytes(12)
    bad = [
        (4, api),
        (5, api + struct.pack(">HH", 10, 2)),
        (5, api + struct.pack(">HH", 60_000, 2) + bytes(20)),
        (6, api + struct.pack(">HH", 48, 2) + b"no zlib at all"),
        (6, api + struct.pack(">HH", 48, 8) + bytes(20)),
        (6, api + struct.pack(">HH", 48, 99) + bytes(20)),
        (5, api + struct.pack(">HH", 50, 2) + b"\xab\x00"),
        (1, api + bytes(20)),
        (2, bytes(40)),
    ]
    for flags_2, body in bad:
        peer = Compressing(good.world, comp.SYSTEM, comp.ZLIBFAST)
        peer.agree()
        peer.connect()
        peer.feed(peer.flagged(seg.MQPUT, seg.ONLY, flags_2, body))
        assert peer.session.closing, (flags_2, body)
    assert good.opened(QUEUE, BOTH)


def test_compression_without_agreement_is_refused() -> None:
    peer = World().connected()
    raw = bytearray(peer.segment(seg.MQCMIT, bytes(16)))
    raw[19] = 2
    peer.feed(bytes(raw))
    assert peer.session.closing


@pytest.mark.parametrize(
    ("allowed", "offered", "chosen"),
    [
        (["NONE"], [1, 2], 0),
        (["ZLIBHIGH", "RLE"], [2, 4, 1], 4),
        (["ANY"], [2, 4, 1], 2),
        (["LZ4FAST"], [0], 0),
        (["RLE", "NONE"], [0, 1], 0),
    ],
)
def test_the_first_that_the_client_would_like_and_the_channel_allows(
    allowed: list[str], offered: list[int], chosen: int
) -> None:
    world = World()
    world.admin.alter("CHANNEL", CHANNEL, {"COMPMSG": allowed}, False)
    peer = world.peer()
    offer = peer.offer()
    offer.message_compression = techniques(*offered, length=16)
    (answered,) = peer.propose(offer)
    answer = InitialData.unpack(answered.body, answered.big_endian, answered.ccsid)
    assert answer.message_compression == techniques(chosen, length=16)
    assert bool(answer.init_err_flags_2 & 2) == (answer.message_compression != offer.message_compression)
