"""Distribution lists over the wire: records behind MQOD and MQPMO."""

from __future__ import annotations

import struct

import pytest

from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQOO_OUTPUT
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.wire.mq import segment as seg
from tests.wire.mq.peer import Peer, Reply, World

QUEUES = ["DEV.QUEUE.1", "DEV.QUEUE.2"]
MULTIPLE_REASONS = 2136


def descriptor(peer: Peer, names: list[str], responses: bool = True) -> bytes:
    """MQOD of version 2, object records, response records."""
    od = MQOD()
    od.version, od.recs_present, od.object_rec_offset = 2, len(names), 200
    od.response_rec_offset = 200 + 96 * len(names) if responses else 0
    body = od.pack(peer.big_endian, peer.ccsid)
    for name in names:
        body += peer.text(name, 48) + peer.text("", 48)
    return body + bytes(8 * len(names) if responses else 0)


def options(peer: Peer, count: int, ids: list[bytes] | None = None) -> bytes:
    """MQPMO of version 2 with response records, and message ids if there are any."""
    pmo = MQPMO()
    pmo.version, pmo.options, pmo.recs_present = 2, 4, count
    pmo.response_rec_offset = 152
    if ids:
        pmo.put_msg_rec_fields, pmo.put_msg_rec_offset, pmo.response_rec_offset = 1, 152, 152 + 24 * count
    return pmo.pack(peer.big_endian, peer.ccsid) + b"".join(ids or []) + bytes(8 * count)


def open_list(peer: Peer, names: list[str]) -> Reply:
    return peer.call(seg.MQOPEN, descriptor(peer, names) + peer.longs(MQOO_OUTPUT))


def responses(peer: Peer, reply: Reply, at: int, count: int) -> list[tuple[int, int]]:
    order = ">" if peer.big_endian else "<"
    return [struct.unpack_from(order + "ii", reply.body, at + 8 * number) for number in range(count)]


@pytest.mark.parametrize("big_endian", [False, True])
def test_a_message_goes_to_every_queue_of_a_list(big_endian: bool) -> None:
    peer = World().connected(big_endian=big_endian)
    opened = open_list(peer, QUEUES)
    assert opened.reason == 0 and opened.handle > 0
    od = MQOD.unpack(opened.body, 0, big_endian, peer.ccsid)
    assert (od.known_dest_count, od.unknown_dest_count, od.invalid_dest_count) == (2, 0, 0)
    ids = [b"1".ljust(24, b"\0"), b"2".ljust(24, b"\0")]
    body = MQMD().pack(big_endian, peer.ccsid) + options(peer, 2, ids) + peer.longs(6) + b"to all"
    put = peer.call(seg.MQPUT, body, opened.handle)
    assert put.reason == 0
    pmo = MQPMO.unpack(put.body, 324, big_endian, peer.ccsid)
    assert (pmo.known_dest_count, pmo.invalid_dest_count) == (2, 0)
    for name, wanted in zip(QUEUES, ids, strict=True):
        got = peer.get(peer.opened(name, MQOO_INPUT_SHARED))
        assert (got.data, got.md.msg_id) == (b"to all", wanted)


def test_a_queue_that_is_not_there_is_told_by_its_record() -> None:
    peer = World().connected()
    opened = open_list(peer, [*QUEUES, "NOT.THERE"])
    assert (opened.completion, opened.reason) == (1, MULTIPLE_REASONS)
    assert responses(peer, opened, 200 + 96 * 3, 3) == [(0, 0), (0, 0), (2, 2085)]
    body = MQMD().pack() + options(peer, 3) + peer.longs(1) + b"x"
    put = peer.call(seg.MQPUT, body, opened.handle)
    assert (put.completion, put.reason) == (1, MULTIPLE_REASONS)
    assert responses(peer, put, 324 + 152, 3) == [(0, 0), (0, 0), (2, 2085)]
    assert [peer.world.depth(name) for name in QUEUES] == [1, 1]


def test_put1_takes_a_list() -> None:
    peer = World().connected()
    body = descriptor(peer, QUEUES) + MQMD().pack() + options(peer, 0).ljust(152, b"\0") + peer.longs(3) + b"one"
    assert peer.call(seg.MQPUT1, body).reason == 0
    assert [peer.world.depth(name) for name in QUEUES] == [1, 1]


@pytest.mark.parametrize(
    ("count", "object_offset", "response_offset", "reason"),
    [
        (2, 0, 0, 2155),
        (2, 100_000, 0, 2155),
        (2, -4, 0, 2155),
        (2, 12, 0, 2155),
        (2_000_000_000, 200, 0, 2155),
        (-1, 200, 0, 2154),
        (2, 200, 100_000, 2156),
    ],
)
def test_records_that_are_not_there_are_refused(
    count: int, object_offset: int, response_offset: int, reason: int
) -> None:
    peer = World().connected()
    body = bytearray(descriptor(peer, QUEUES, responses=False) + peer.longs(MQOO_OUTPUT))
    struct.pack_into("<i", body, 168, count)
    struct.pack_into("<ii", body, 184, object_offset, response_offset)
    assert peer.call(seg.MQOPEN, bytes(body)).reason == reason
    assert peer.open(QUEUES[0], MQOO_OUTPUT).reason == 0


@pytest.mark.parametrize(
    ("count", "fields", "offset", "response_offset", "reason"),
    [(2, 1, 50_000, 0, 2159), (-5, 0, 0, 152, 2154), (1_000_000_000, 31, 152, 0, 2159), (2, 0, 0, 90_000, 2156)],
)
def test_put_records_that_are_not_there_are_refused(
    count: int, fields: int, offset: int, response_offset: int, reason: int
) -> None:
    peer = World().connected()
    handle = open_list(peer, QUEUES).handle
    pmo = bytearray(options(peer, 0).ljust(152, b"\0"))
    struct.pack_into("<iiii", pmo, 128, count, fields, offset, response_offset)
    reply = peer.call(seg.MQPUT, MQMD().pack() + bytes(pmo) + peer.longs(1) + b"x", handle)
    assert (reply.completion, reply.reason) == (2, reason)
    assert [peer.world.depth(name) for name in QUEUES] == [0, 0]
