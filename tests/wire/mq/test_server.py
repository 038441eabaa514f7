"""What all sessions share: limits on instances, channels that are stopped, clients that do not call."""

from __future__ import annotations

import struct

import pytest

from flintmq.mqi.constants import MQGMO_WAIT, MQOO_INPUT_SHARED
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.server import rows
from tests.wire.mq.peer import Peer, World

CHANNEL = "DEV.APP.SVRCONN"
QUEUE = "DEV.QUEUE.1"


def status(peer: Peer) -> int:
    """The code of the STATUS_DATA that a peer got last."""
    kept = peer.segments
    last = (peer.received() or kept)[-1]
    assert last.kind == seg.STATUS_DATA
    code: int = struct.unpack_from("<i", last.body, 4)[0]
    return code


@pytest.mark.parametrize(("attribute", "number"), [("MAXINST", "AMQ9489E"), ("MAXINSTC", "AMQ9490E")])
def test_no_more_instances_than_the_channel_allows(attribute: str, number: str) -> None:
    world = World()
    world.alter("CHANNEL", CHANNEL, **{attribute: 2})
    peers = [world.connected(address=f"10.0.0.1({port})") for port in (1, 2)]
    third = world.peer(address="10.0.0.1(3)")
    third.propose(third.offer())
    assert status(third) == 22 and third.session.is_over()
    assert world.qm.notices[-1][0] == number and f"{attribute}(2)" in world.qm.notices[-1][1]
    peers[0].session.lost()
    world.connected(address="10.0.0.1(4)")


def test_the_limit_per_client_is_for_an_address() -> None:
    world = World()
    world.alter("CHANNEL", CHANNEL, MAXINSTC=1)
    world.connected(address="10.0.0.1(1)")
    world.connected(address="10.0.0.2(1)")
    assert len(rows(world.channels)) == 2


def test_maxinst_zero_lets_nobody_in() -> None:
    world = World()
    world.alter("CHANNEL", CHANNEL, MAXINST=0)
    peer = world.peer()
    peer.propose(peer.offer())
    assert status(peer) == 22


def later(world: World, peer: Peer, seconds: int) -> None:
    """Look at the session as the host does, so many seconds from now."""
    world.channels.look_at(peer.session, world.qm.clock.now_ms() + seconds * 1000)


def test_a_client_that_does_not_call_is_disconnected_after_discint() -> None:
    world = World()
    world.alter("CHANNEL", CHANNEL, DISCINT=30)
    peer = world.connected()
    later(world, peer, 0)
    later(world, peer, 29)
    assert not peer.session.is_over()
    peer.opened(QUEUE, MQOO_INPUT_SHARED)
    later(world, peer, 29)
    later(world, peer, 58)
    assert not peer.session.is_over()
    later(world, peer, 59)
    assert peer.session.is_over() and status(peer) == 7
    assert "DISCINT(30)" in world.qm.notices[-1][1]


def test_a_client_that_waits_for_a_message_is_not_idle() -> None:
    world = World()
    world.alter("CHANNEL", CHANNEL, DISCINT=5)
    peer = world.connected(sharing=0)
    handle = peer.opened(QUEUE, MQOO_INPUT_SHARED)
    peer.feed(peer.get_request(handle, MQGMO_WAIT, wait=-1))
    for second in (0, 10, 20):
        later(world, peer, second)
    assert not peer.session.is_over()


def test_a_client_with_consumers_is_not_idle() -> None:
    world = World()
    world.alter("CHANNEL", CHANNEL, DISCINT=5)
    peer = world.connected()
    peer.notify(-1, 3, 2)
    for second in (0, 10, 20):
        later(world, peer, second)
    assert not peer.session.is_over()


def test_without_discint_nobody_is_disconnected() -> None:
    world = World()
    peer = world.connected()
    for second in (0, 1_000_000):
        later(world, peer, second)
    assert not peer.session.is_over()


@pytest.mark.parametrize(("offered", "channel", "agreed"), [(1, 300, 300), (600, 300, 600), (5, 0, 5), (0, 0, 0)])
def test_the_longer_heartbeat_interval_is_agreed_on(offered: int, channel: int, agreed: int) -> None:
    world = World()
    world.alter("CHANNEL", CHANNEL, HBINT=channel)
    peer = world.peer()
    offer = peer.offer()
    offer.heartbeat_interval = offered
    peer.offer = lambda: offer  # type: ignore[method-assign]
    assert peer.agree().heartbeat_interval == agreed
    assert peer.session.heartbeat_interval == agreed


def test_keep_alive_is_a_minute_after_the_heartbeat_unless_it_is_said() -> None:
    world = World()
    assert world.channels.terms_of(CHANNEL, "").keep_alive_interval == 360
    world.alter("CHANNEL", CHANNEL, HBINT=0)
    assert world.channels.terms_of(CHANNEL, "").keep_alive_interval == 0
    world.alter("CHANNEL", CHANNEL, KAINT=17)
    assert world.channels.terms_of(CHANNEL, "").keep_alive_interval == 17
