"""Subscriptions over the wire: MQSUB, MQSUBRQ, and SPI SUBSCRIBE, which IBM's clients use."""

from __future__ import annotations

import pytest

from flintmq.mqi.constants import (
    MQOO_OUTPUT,
    MQOT_TOPIC,
    MQPMO_RETAIN,
    MQSO_CREATE,
    MQSO_DURABLE,
    MQSO_MANAGED,
    MQSO_PUBLICATIONS_ON_REQUEST,
    MQSO_RESUME,
)
from flintmq.mqi.od import MQOD
from flintmq.mqi.sd import MQSD
from flintmq.mqi.sro import MQSRO
from flintmq.wire.mq import segment as seg
from tests.wire.mq.peer import Peer, Reply, World

SHARED = 0x50


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture(params=[False, True], ids=["little", "big"])
def peer(request: pytest.FixtureRequest, world: World) -> Peer:
    return world.connected(big_endian=request.param)


def descriptor(topic: str, options: int, name: str = "") -> MQSD:
    sd = MQSD()
    sd.options, sd.object_string, sd.sub_name = options | MQSO_MANAGED, topic, name
    return sd


def mqsub(peer: Peer, sd: MQSD) -> Reply:
    return peer.call(seg.MQSUB, peer.longs(-1, 0) + sd.pack(peer.big_endian, peer.ccsid))


def spi_subscribe(peer: Peer, sd: MQSD, lsd_options: int = 0) -> Reply:
    lsd = b"LSD " + peer.longs(1, lsd_options, 0, 196, 0, 0, 1208) + bytes(28) + peer.longs(0x2029) + b" " * 96
    payload = peer.longs(0) + lsd + bytes(36) + sd.pack(peer.big_endian, peer.ccsid)
    frame = peer.longs(7, 1, 532) + b"SPBU" + peer.longs(1, 12) + b"SPBI" + peer.longs(1, 12 + len(payload))
    return peer.call(seg.SPI, frame + payload)


def long_at(peer: Peer, reply: Reply, at: int) -> int:
    return int.from_bytes(reply.body[at : at + 4], "big" if peer.big_endian else "little", signed=True)


def publisher(peer: Peer, topic: str) -> int:
    od = MQOD()
    od.version, od.object_type, od.object_string = 4, MQOT_TOPIC, topic
    reply = peer.call(seg.MQOPEN, od.pack(peer.big_endian, peer.ccsid) + peer.longs(MQOO_OUTPUT))
    assert reply.reason == 0
    return reply.handle


def test_what_is_published_comes_to_the_managed_destination(peer: Peer) -> None:
    reply = mqsub(peer, descriptor("a/+", MQSO_CREATE))
    hobj, hsub = reply.handle, long_at(peer, reply, 0)
    assert reply.reason == 0 and hobj > 0 and hsub > 0 and hobj != hsub
    assert MQSD.unpack(reply.body, 8, peer.big_endian, peer.ccsid).res_object_string == "a/+"
    assert peer.put(publisher(peer, "a/b"), b"news").reason == 0
    assert peer.get(hobj).data.endswith(b"news")
    assert peer.close(hsub).reason == 0
    assert peer.close(hobj).reason == 0
    assert not peer.world.qm.subscriptions.by_id


def test_retained_publications_come_on_request(peer: Peer) -> None:
    peer.put(publisher(peer, "r"), b"kept", MQPMO_RETAIN | 4)
    reply = mqsub(peer, descriptor("r", MQSO_CREATE | MQSO_PUBLICATIONS_ON_REQUEST))
    hobj, hsub = reply.handle, long_at(peer, reply, 0)
    assert peer.get(hobj).reason == 2033
    order = (peer.big_endian, peer.ccsid)
    asked = peer.call(seg.MQSUBRQ, peer.longs(1) + MQSRO().pack(*order), hsub)
    assert asked.reason == 0 and MQSRO.unpack(asked.body, 4, *order).num_pubs == 1
    assert peer.get(hobj).data.endswith(b"kept")
    assert peer.call(seg.MQSUBRQ, peer.longs(1) + MQSRO().pack(*order), 99).reason == 2019


def test_what_cannot_be_subscribed_to_is_refused(peer: Peer) -> None:
    refused = mqsub(peer, descriptor("a", MQSO_RESUME, "none"))
    assert (refused.reason, refused.handle, long_at(peer, refused, 0)) == (2428, -1, -1)
    refused = spi_subscribe(peer, descriptor("a", MQSO_RESUME, "none"))
    assert (refused.reason, refused.handle) == (2428, -1)
    assert peer.call(seg.MQSUB, peer.longs(-1, 0) + bytes(312)).reason == 2424


def test_spi_subscribe_names_the_destination(peer: Peer) -> None:
    reply = spi_subscribe(peer, descriptor("a", MQSO_CREATE))
    assert reply.reason == 0 and reply.body[24:28] == b"SPBO"
    hsub = long_at(peer, reply, 36)
    assert peer.world.qm.subscriptions.by_id and hsub > 0
    name = reply.body[40 + 64 : 40 + 112].decode().strip()
    assert name in peer.world.qm.queues and name.startswith("SYSTEM.MANAGED.NDURABLE")
    assert MQSD.unpack(reply.body, 40 + 196, peer.big_endian, peer.ccsid).res_object_string == "a"


@pytest.mark.parametrize("durable", [0, MQSO_DURABLE])
def test_a_shared_subscription_is_had_by_several_who_get_each_publication_once(world: World, durable: int) -> None:
    first, second, outsider = world.connected(), world.connected(), world.connected()
    options = MQSO_CREATE | MQSO_RESUME | durable
    one = spi_subscribe(first, descriptor("team", options, "crew"), SHARED)
    two = spi_subscribe(second, descriptor("team", options, "crew"), SHARED)
    assert (one.reason, two.reason) == (0, 0)
    assert spi_subscribe(outsider, descriptor("team", options, "crew")).reason == 2429
    assert spi_subscribe(outsider, descriptor("other", options, "crew"), SHARED).reason == 2510
    handle = publisher(outsider, "team")
    outsider.put(handle, b"1")
    outsider.put(handle, b"2")
    assert first.get(one.handle).data.endswith(b"1")
    assert second.get(two.handle).data.endswith(b"2")
    first.session.lost()  # The one who made it.
    outsider.put(handle, b"3")
    assert second.get(two.handle).data.endswith(b"3")
    assert second.close(long_at(second, two, 36)).reason == 0
    assert second.close(two.handle).reason == 0
    left = [name for name in world.qm.queues if name.startswith("SYSTEM.MANAGED.")]
    assert len(left) == (1 if durable else 0) == len(world.qm.subscriptions.by_id)
    world.qm.check()
