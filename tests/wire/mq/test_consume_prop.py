"""Consumers are sent the same bytes whether a message goes straight to them or stands on its queue before.

Two worlds get the same bytes; in one of them messages have only the long way (put_to_waiter.py), and segments only the
general way (fast_path.py).
"""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.mqi.constants import MQGMO_NO_SYNCPOINT, MQGMO_SYNCPOINT, MQOO_INPUT_SHARED, MQOO_OUTPUT
from flintmq.mqi.md import MQMD
from flintmq.qmgr.put_to_waiter import put_to_waiter
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.fast_path import take
from flintmq.wire.mq.streaming import UNSENT_MAX
from tests.wire.mq.peer import Peer, World
from tests.wire.mq.test_fast_path_prop import MSG_ID, Frozen
from tests.wire.mq.test_streaming import messages

QUEUE = "DEV.QUEUE.1"
ASYNC = 0x10000
CONSUMER, CONSUMER_SELECTS, GET, GET_SELECTS = 0x01, 0x11, 0x08, 0x18
CONN_STATE, STARTED, STOPPED = 3, 2, 0
#: How much a client can take: one message, a few, all.
ROOMS = [1, 3_000, 100_000]


class Consumer:
    """A client with a handle from which it wants messages."""

    def __init__(self, world: World, big_endian: bool, version: int) -> None:
        self.peer = world.connected(big_endian=big_endian)
        self.handle = self.peer.opened(QUEUE, MQOO_INPUT_SHARED)
        self._version = version

    def want(self, room: int, received: int, flags: int, options: int) -> None:
        order = ">" if self.peer.big_endian else "<"
        body = self.peer.longs(1, self.handle, received, room, -1, options, -1, 0, flags, 0)
        if flags & 0x10:
            body += struct.pack(order + "HH", 5, self._version) + self.peer.longs(self.peer.ccsid, 546, 0, 0, 0)
        self._say(self.peer.segment(seg.REQUEST_MSGS, body, request=1))

    def state(self, value: int) -> None:
        self._say(self.peer.segment(seg.NOTIFICATION, self.peer.longs(1, -1, CONN_STATE, value), request=1))

    def _say(self, data: bytes) -> None:
        self.peer.session.received(data)
        self.peer.world.channels.host.turn()


class Side:
    """A world with a putter and two consumers."""

    def __init__(self, short: bool, shapes: list[tuple[bool, int]]) -> None:
        self.world = World()
        self.world.qm.clock = Frozen()
        self.world.qm.in_turn = short
        self.putter = self.world.connected()
        self.handle = self.putter.opened(QUEUE, MQOO_OUTPUT | MQOO_INPUT_SHARED)
        # The first message ever is news for its buffer pool: it goes the long way.
        assert self.putter.put(self.handle, bytes(100_000)).reason == 0
        assert self.putter.get(self.handle).data == bytes(100_000)
        self.consumers = [Consumer(self.world, *shape) for shape in shapes]
        for peer in self.peers():
            peer.session.uses_fast_path = short

    def peers(self) -> list[Peer]:
        return [self.putter, *[each.peer for each in self.consumers]]

    def put(self, size: int, options: int, md: MQMD) -> None:
        self.putter.session.received(self.putter.put_request(self.handle, bytes(size), options, md))
        self.world.channels.host.turn()

    def said(self) -> list[object]:
        told: list[object] = [self.world.depth(QUEUE)]
        for peer in self.peers():
            told.append(MSG_ID.sub(b"AMQ QM1", peer.unsent()))
            session = peer.session
            told += [session.unsent, session.more, session.segments_received, session.segments_sent, session.closing]
            peer.received()
        for consumer in self.consumers:
            stream = consumer.peer.session.conversations[1].streams.get(consumer.handle)
            if stream is not None:
                told += [stream.in_flight, stream.room, stream.index, stream.asked, stream.ahead, stream.waiter is None]
        return told


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from([1, 2])), min_size=2, max_size=2), st.data())
def test_consumers_are_sent_the_same_bytes_either_way(shapes: list[tuple[bool, int]], data: st.DataObject) -> None:
    sides = [Side(True, shapes), Side(False, shapes)]
    options = data.draw(st.sampled_from([MQGMO_NO_SYNCPOINT, MQGMO_NO_SYNCPOINT, MQGMO_SYNCPOINT]))
    rooms = [data.draw(st.sampled_from(ROOMS)) for _ in shapes]
    flags = data.draw(st.sampled_from([CONSUMER_SELECTS, CONSUMER_SELECTS, GET_SELECTS]))
    for side in sides:
        for consumer, room in zip(side.consumers, rooms, strict=True):
            consumer.state(STARTED)
            consumer.want(room, 0, flags, options)
    for _ in range(data.draw(st.integers(1, 15))):
        what = data.draw(st.sampled_from(["put", "put", "put", "want", "want", "state"]))
        if what == "put":
            md = MQMD()
            md.version = data.draw(st.sampled_from([1, 2]))
            md.persistence = data.draw(st.sampled_from([0, 0, 0, 1]))
            md.reply_to_q = data.draw(st.sampled_from(["", "DEV.QUEUE.2", "DEV.QUEUE.3"]))
            size, response = data.draw(st.sampled_from([0, 10, 2048, 40_000])), data.draw(st.sampled_from([0, ASYNC]))
            for side in sides:
                side.put(size, 4 | response, md.copy())
        else:
            number = data.draw(st.integers(0, 1))
            value = data.draw(st.sampled_from([STARTED, STARTED, STOPPED]))
            received = data.draw(st.sampled_from([364, 2412, 40_364]))
            asked = data.draw(st.sampled_from([flags & ~0x10, flags & ~0x10, 0, flags]))
            for side in sides:
                if what == "want":
                    side.consumers[number].want(rooms[number], received, asked, options)
                else:
                    side.consumers[number].state(value)
        assert sides[0].said() == sides[1].said(), what


def test_a_request_like_the_last_one_goes_the_straight_way() -> None:
    """Else the test above would compare the general way with itself."""
    side = Side(True, [(False, 2)])
    consumer = side.consumers[0]
    consumer.state(STARTED)
    consumer.want(100_000, 0, CONSUMER_SELECTS, MQGMO_NO_SYNCPOINT)
    peer = consumer.peer
    raw = peer.segment(seg.REQUEST_MSGS, peer.longs(1, consumer.handle, 0, 100_000, -1, 4, -1, 0, CONSUMER, 0))
    assert not take(peer.session, raw, 0, len(raw))
    peer.feed(raw)
    assert take(peer.session, raw, 0, len(raw))
    assert peer.close(consumer.handle).reason == 0
    assert not take(peer.session, raw, 0, len(raw))


@pytest.mark.parametrize("straight", [True, False])
def test_a_client_that_can_take_everything_is_not_handed_it_all_in_one_packet(straight: bool) -> None:
    """S1: what a session holds does not depend on how many messages are put while it waits."""
    side = Side(straight, [(False, 2)])
    consumer = side.consumers[0]
    consumer.state(STARTED)
    consumer.want(0x7FFF_FFFF, 0, CONSUMER_SELECTS, MQGMO_NO_SYNCPOINT)
    size, count = 30_000, 60
    puts = [side.putter.put_request(side.handle, bytes([number]) * size, 4 | ASYNC) for number in range(count)]
    side.putter.session.received(b"".join(puts))
    side.world.channels.host.turn()
    turns = [messages(consumer.peer, consumer.peer.received())]
    while consumer.peer.session.more:
        consumer.peer.session.resume()
        turns.append(messages(consumer.peer, consumer.peer.received()))
    assert max(len(turn) * size for turn in turns) <= UNSENT_MAX + size
    assert [message[0] for turn in turns for message in turn] == list(range(count))
    assert side.world.depth(QUEUE) == 0


def test_a_message_goes_to_the_consumer_while_it_is_put_and_the_wait_goes_on() -> None:
    side = Side(True, [(False, 2), (True, 1)])
    for consumer in side.consumers:
        consumer.state(STARTED)
        consumer.want(100_000, 0, CONSUMER_SELECTS, MQGMO_NO_SYNCPOINT)
    waiters = list(side.world.qm.queues[QUEUE].waits.any)
    md = MQMD()
    md.persistence = md.priority = 0
    for number in (0, 1, 0, 1):
        queue = side.world.qm.queues[QUEUE]
        assert put_to_waiter(side.world.qm, queue, md.copy(), b"data", 1)
        sent = [len(messages_in(consumer.peer)) for consumer in side.consumers]
        assert sent == [1 - number, number]
        assert side.world.qm.woken == [] and sorted(map(id, queue.waits.any)) == sorted(map(id, waiters))
    assert side.world.qm.waiting == 2


def messages_in(peer: Peer) -> list[seg.Segment]:
    return [segment for segment in peer.received() if segment.kind == seg.ASYNC_MESSAGE]
