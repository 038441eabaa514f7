"""SPI PUT, by which IBM's clients for JMS put a message with a delivery delay."""

from __future__ import annotations

import pytest

from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQOO_OUTPUT
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.delay import run
from flintmq.qmgr.queue_parts import STAGING
from flintmq.wire.mq import segment as seg
from tests.wire.mq.peer import Peer, Reply, World

CODEC = "utf-8"
QUEUE = "DEV.QUEUE.1"
BOTH = MQOO_OUTPUT | MQOO_INPUT_SHARED


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture(params=[False, True], ids=["little", "big"])
def peer(request: pytest.FixtureRequest, world: World) -> Peer:
    return world.connected(big_endian=request.param)


def request(peer: Peer, data: bytes, delay_ms: int, options: int = 0, length: int = -1, version: int = 3) -> bytes:
    """The body of a call, as a client was seen to send it."""
    md, pmo = MQMD(), MQPMO()
    md.persistence = 0
    pmo.options = options
    structures = md.pack(peer.big_endian, peer.ccsid) + pmo.pack(peer.big_endian, peer.ccsid)
    in_out = peer.text("SPPU", 4) + peer.longs(1, 12 + len(structures)) + structures
    halves = (delay_ms >> 32, (delay_ms & 0xFFFF_FFFF) - ((delay_ms & 0x8000_0000) << 1))
    front = peer.text("SPPI", 4) + peer.longs(version, 32 + len(data), 0, len(data) if length < 0 else length, 0)
    return peer.longs(2, 1, 12) + in_out + front + peer.longs(*halves) + data


def put_later(peer: Peer, handle: int, data: bytes, delay_ms: int, options: int = 0) -> Reply:
    return peer.call(seg.SPI, request(peer, data, delay_ms, options), handle)


def due(world: World) -> int:
    """When the first message is due; the clock of these queue managers is the real one."""
    return world.qm.delays.order[0][0]


def test_the_reply_has_the_structures_as_the_queue_manager_filled_them_in(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    reply = put_later(peer, handle, b"later", 1500)
    assert (reply.reason, reply.handle) == (0, handle)
    assert reply.body[12:16].decode(CODEC) == "SPPU" and len(reply.body) == 12 + 464 + 12
    md = MQMD.unpack(reply.body, 24, peer.big_endian, peer.ccsid)
    pmo = MQPMO.unpack(reply.body, 24 + 324, peer.big_endian, peer.ccsid)
    assert md.msg_id != bytes(24) and md.user_identifier == "app"
    assert (pmo.resolved_q_name, pmo.resolved_q_mgr_name) == (QUEUE, "QM1")
    assert reply.body[12 + 464 : 12 + 468].decode(CODEC) == "SPPO"


def test_the_message_is_delivered_after_the_delay(world: World, peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    put_later(peer, handle, b"later", 1500)
    assert world.depth(STAGING) == 1 and peer.get(handle).reason == 2033
    run(world.qm, due(world) - 1)
    assert world.depth(QUEUE) == 0
    run(world.qm, due(world))
    assert peer.get(handle).data == b"later"


@pytest.mark.parametrize("delay_ms", [0x7FFF_FFFF, 0x8000_0000, 10_000_000_000])
def test_a_delay_has_64_bits(world: World, peer: Peer, delay_ms: int) -> None:
    handle = peer.opened(QUEUE, BOTH)
    before = world.qm.clock.now_ms()
    assert put_later(peer, handle, b"much later", delay_ms).reason == 0
    assert before + delay_ms <= due(world) <= world.qm.clock.now_ms() + delay_ms


def test_a_long_message_comes_in_several_segments(world: World, peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    assert put_later(peer, handle, bytes(100_000), 10).reason == 0
    run(world.qm, due(world))
    assert peer.get(handle).data == bytes(100_000)


def test_the_unit_of_work_is_that_of_the_client(world: World, peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    put_later(peer, handle, b"no", 10, 2)
    peer.backout()
    put_later(peer, handle, b"yes", 10, 2)
    assert world.qm.delays.order == []
    peer.commit()
    run(world.qm, due(world))
    assert peer.get(handle).data == b"yes" and world.depth(QUEUE) == world.depth(STAGING) == 0


def test_what_cannot_be_put_is_refused_with_its_reason(world: World, peer: Peer) -> None:
    handle = peer.opened(QUEUE, MQOO_INPUT_SHARED)
    assert put_later(peer, handle, b"", 10).reason == 2039
    assert put_later(peer, 99, b"", 10).reason == 2019
    world.qm.queues.pop(STAGING)
    assert put_later(peer, peer.opened(QUEUE, BOTH), b"", 10).reason == 2085


@pytest.mark.parametrize("bad", ["cut", "length", "version", "no SPPI"])
def test_a_call_that_cannot_be_read_ends_the_channel(world: World, peer: Peer, bad: str) -> None:
    handle = peer.opened(QUEUE, BOTH)
    body = request(peer, b"data", 10)
    if bad == "cut":
        body = body[:100]
    elif bad == "length":
        body = request(peer, b"data", 10, length=1000)
    elif bad == "version":
        body = request(peer, b"data", 10, version=2)
    else:
        body = body.replace(peer.text("SPPI", 4), peer.text("XXXX", 4))
    peer.feed(peer.request(seg.SPI, body, handle))
    assert peer.session.closing and world.depth(QUEUE) == world.depth(STAGING) == 0
