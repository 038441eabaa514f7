"""SPI NOTIFY: another thread of the client closes what a get waits for, and the get ends (issue 14, item 8a)."""

from __future__ import annotations

import struct

import pytest

from flintmq.mqi.constants import MQGMO_NO_SYNCPOINT, MQGMO_WAIT
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.segment import Segment
from tests.wire.mq.peer import Peer, Reply, World
from tests.wire.mq.test_read_ahead import FIRST, PAUSED, Reader
from tests.wire.mq.test_streaming import BOTH, QUEUE, messages, notifications, put

WAIT = MQGMO_WAIT | MQGMO_NO_SYNCPOINT
CANCELED = 2107


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture(params=[False, True], ids=["little", "big"])
def peer(request: pytest.FixtureRequest, world: World) -> Peer:
    return world.connected(big_endian=request.param)


def connection_id(peer: Peer) -> bytes:
    connection = peer.session.conversations[peer.conversation].connection
    assert connection is not None
    return connection.connection_id


def notify_request(peer: Peer, target: bytes, option: int = 1, reason: int = CANCELED, family: str = "SPN") -> bytes:
    body = peer.longs(11, 1, 12) + peer.text(family + "U", 4) + peer.longs(1, 12)
    body += peer.text(family + "I", 4) + peer.longs(1, 44, option, reason) + target
    return peer.request(seg.SPI, body)


def cancel(peer: Peer, target: bytes, option: int = 1, reason: int = CANCELED) -> tuple[Reply, list[Segment]]:
    """The reply, and what else has come."""
    segments = peer.feed(notify_request(peer, target, option, reason))
    replies = [each for each in segments if each.kind == seg.SPI + seg.REPLY]
    return peer.reply_to(replies), [each for each in segments if each not in replies]


def reasons(peer: Peer, segments: list[Segment]) -> list[int]:
    """ReasonCode of every ASYNC_MESSAGE."""
    order = ">" if peer.big_endian else "<"
    return [struct.unpack_from(order + "i", each.body, 24)[0] for each in segments if each.kind == seg.ASYNC_MESSAGE]


def test_a_get_that_waits_ends_with_2107(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    assert peer.want(handle, options=WAIT, wait=-1) == []
    reply, others = cancel(peer, connection_id(peer))
    assert reply.reason == 0 and reply.body[12:16] == b"SPNU" and reply.body[24:28] == b"SPNO"
    assert reasons(peer, others) == [CANCELED]
    assert peer.world.qm.waiting == 0
    put(peer.world, b"1")
    assert peer.received() == [] and peer.world.depth(QUEUE) == 1
    assert peer.close(handle).reason == 0
    peer.world.qm.check()


def test_an_mqget_that_waits_ends_with_2107(peer: Peer) -> None:
    """One that is made with MQGET, as our own client makes it. Any other call is still refused while it waits."""
    handle = peer.opened(QUEUE, BOTH)
    assert peer.feed(peer.get_request(handle, WAIT, wait=-1)) == []
    assert peer.commit().reason == 2219
    segments = peer.feed(notify_request(peer, connection_id(peer)))
    assert [each.kind for each in segments] == [seg.SPI + seg.REPLY, seg.MQGET + seg.REPLY]
    assert peer.reply_to(segments[1:]).reason == CANCELED
    assert peer.world.qm.waiting == 0
    assert peer.get(handle).reason == 2033


def test_a_message_that_came_first_is_not_taken_back(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    peer.want(handle, options=WAIT, wait=-1)
    put(peer.world, b"1")
    _, others = cancel(peer, connection_id(peer))
    assert messages(peer, others) == [b"1"]


def test_without_a_get_that_waits_nothing_is_cancelled(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    reply, others = cancel(peer, connection_id(peer))
    assert (reply.reason, others) == (0, [])
    assert peer.want(handle, options=WAIT, wait=-1) == []
    put(peer.world, b"1")
    assert messages(peer, peer.received()) == [b"1"]


def test_a_client_that_reads_ahead_is_told_to_ask_and_then_cancelled(world: World) -> None:
    """Whether its get waits is not known. If none did, the next one is not cancelled."""
    peer = world.connected()
    reader, other = Reader(peer), Reader(peer)
    for each in (reader, other):
        each.ask(FIRST)
        each.question()
    reply, others = cancel(peer, connection_id(peer))
    assert reply.reason == 0 and notifications(peer, others) == PAUSED * 2
    assert reasons(peer, reader.ask(wait=-1)) == [CANCELED]
    reader.index, reader.received = 1, 364
    assert reader.ask(wait=-1) == []  # A connection was stopped, and is started: its get is made again.
    _, others = cancel(peer, connection_id(peer))
    assert reasons(peer, others) == [CANCELED] and notifications(peer, others) == []  # The other was told before.
    assert peer.close(reader.handle).reason == 0
    other.index = 2
    put(world, b"1")
    other.ask()
    assert other.data(other.ask()) == [b"1"]


@pytest.mark.parametrize("same_socket", [True, False], ids=["same socket, another user", "another socket"])
def test_nobody_cancels_the_get_of_somebody_else(world: World, same_socket: bool) -> None:
    """A connection of another client, or of another user of the same socket, is as one that does not exist."""
    world.alter("CHANNEL", "DEV.APP.SVRCONN", MCAUSER="")
    victim = world.connected()
    handle = victim.opened(QUEUE, BOTH)
    assert victim.want(handle, options=WAIT, wait=-1) == []
    target = connection_id(victim)
    if same_socket:
        attacker = victim
        attacker.start_conversation(3)
        assert attacker.connect(user="mallory").reason == 0
    else:
        attacker = world.connected()
    for each in (target, bytes(24)):
        reply, others = cancel(attacker, each)
        assert (reply.reason, others) == (2018, [])
    assert world.qm.waiting == 1
    assert victim.session.conversations[1].streams[handle].waiter is not None


@pytest.mark.parametrize(("option", "reason"), [(2, CANCELED), (0, CANCELED), (1, 0), (1, 2009)])
def test_another_option_or_reason_is_refused(peer: Peer, option: int, reason: int) -> None:
    handle = peer.opened(QUEUE, BOTH)
    peer.want(handle, options=WAIT, wait=-1)
    reply, others = cancel(peer, connection_id(peer), option, reason)
    assert (reply.reason, others) == (2046, []) and peer.world.qm.waiting == 1


@pytest.mark.parametrize("length", [0, 12, 35, 36, 67])
def test_what_is_too_short_ends_the_session_and_nothing_else(peer: Peer, length: int) -> None:
    whole = notify_request(peer, connection_id(peer))[36 + 16 :]
    peer.feed(peer.request(seg.SPI, whole[:length]))
    assert peer.session.closing
    peer.world.qm.check()
