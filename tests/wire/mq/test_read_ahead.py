"""Clients that read ahead for gets, as IBM's JMS client does: T5 of streaming.py (issue 14, item 8)."""

from __future__ import annotations

import pytest

from flintmq.mqi.constants import (
    MQGMO_BROWSE_NEXT,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_WAIT,
    MQSO_CREATE,
    MQSO_RESUME,
)
from flintmq.wire.mq.segment import Segment
from tests.wire.mq.peer import Peer, World
from tests.wire.mq.test_streaming import (
    BOTH,
    CHECK_MSG,
    CONN_STATE,
    CONSUMER,
    GET_WAITS,
    QUEUE,
    ROOM,
    ROOM_ONLY,
    STARTED,
    STOPPED,
    TXN_ALLOWED,
    messages,
    notifications,
    put,
)
from tests.wire.mq.test_subscribe_calls import SHARED, descriptor, publisher, spi_subscribe

PLAIN = MQGMO_WAIT | MQGMO_NO_SYNCPOINT
#: What JMS asks with.
OPTIONS = MQGMO_WAIT | MQGMO_SYNCPOINT_IF_PERSISTENT
#: STREAMING_TXN_PAUSED: a message is there, and a get that waits has to ask for it.
PAUSED = [(16, 1)]
#: RequestFlags of a question, and of the first request, which has a selection.
QUESTION, FIRST = 0x0A, 0x18
Q_STATE = 5
CREATE_OR_RESUME = MQSO_CREATE | MQSO_RESUME


class Reader:
    """A handle that reads ahead, and what has come to it."""

    def __init__(self, peer: Peer, options: int = OPTIONS, handle: int = 0) -> None:
        self.peer = peer
        self.options = options
        self.handle = handle or peer.opened(QUEUE, BOTH)
        self.index = self.received = 0

    def ask(self, flags: int = GET_WAITS, wait: int = 200, confirm: bool = False) -> list[Segment]:
        """REQUEST_MSGS. The client has received all that came before."""
        received, self.received = self.received, 0
        return self.peer.want(
            self.handle, ROOM, self.options, flags, wait, received, confirm, index=self.index, status=1
        )

    def question(self) -> list[Segment]:
        """What a client sends when the wait of its get is over."""
        return self.ask(QUESTION, 0, True)

    def data(self, segments: list[Segment]) -> list[bytes]:
        """The messages, which have arrived."""
        found = messages(self.peer, segments)
        self.index += len(found)
        self.received += sum(364 + len(each) for each in found)
        return found


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture(params=[OPTIONS, PLAIN], ids=["jms", "plain"])
def reader(request: pytest.FixtureRequest, world: World) -> Reader:
    return Reader(world.connected(), request.param)


@pytest.mark.parametrize("text", [b"1", b"P"], ids=["non-persistent", "persistent"])
def test_a_get_that_waits_after_one_that_found_nothing_is_told_to_ask(reader: Reader, text: bytes) -> None:
    """The client does not ask by itself: it believes that messages are pushed. Its receive() would never return."""
    peer, world = reader.peer, reader.peer.world
    assert reader.ask(FIRST) == []
    assert notifications(peer, reader.question()) == [(CHECK_MSG, 3)]
    put(world, text)
    segments = peer.received()
    assert notifications(peer, segments) == PAUSED and messages(peer, segments) == []
    assert world.depth(QUEUE) == 1
    assert notifications(peer, reader.ask()) == PAUSED  # It may be of the get that has ended.
    assert reader.data(reader.ask()) == [text]
    world.qm.check()


def test_a_client_that_was_not_believed_is_reminded_until_it_asks(reader: Reader) -> None:
    """IBM's client forgets what it is told in the moment in which it has asked: its get waited for ever."""
    peer, world = reader.peer, reader.peer.world
    stream_of = peer.session.conversations[peer.conversation].streams
    reader.ask(FIRST)
    reader.question()
    put(world, b"1")
    peer.received()
    assert not stream_of[reader.handle].was_stale
    assert notifications(peer, reader.ask()) == PAUSED and stream_of[reader.handle].was_stale
    for _ in range(3):
        assert stream_of[reader.handle].remind()
        assert notifications(peer, peer.received()) == PAUSED
    assert reader.data(reader.ask()) == [b"1"]
    assert not stream_of[reader.handle].remind() and peer.received() == []
    left = stream_of[reader.handle]
    left.paused = True
    peer.close(reader.handle)
    assert not left.remind()


@pytest.mark.parametrize("text", [b"1", b"P"], ids=["non-persistent", "persistent"])
def test_the_time_of_a_get_is_kept_by_the_client(reader: Reader, text: bytes) -> None:
    """WaitInterval is not the end of the wait: the client asks when its time is over, or has the message."""
    assert reader.ask(FIRST) == []
    assert reader.peer.world.qm.next_deadline() == 0
    put(reader.peer.world, text)
    assert reader.data(reader.peer.received()) == [text]


def test_what_a_client_asks_for_without_waiting_is_sent_as_it_arrives_if_it_is_the_only_getter(world: World) -> None:
    """Wait 0, flags 0, status 1 is what a client says that has used half of its room. It gets what arrives later."""
    peer = world.connected()
    reader = Reader(peer, handle=spi_subscribe(peer, descriptor("a", MQSO_CREATE)).handle)
    publishing = world.connected()
    topic = publisher(publishing, "a")
    assert reader.ask(FIRST) == []
    for number in range(3):
        publishing.put(topic, b"%d" % number)
        assert reader.data(peer.received()) == [b"%d" % number]
    assert reader.ask(ROOM_ONLY, 0) == []
    publishing.put(topic, b"later")
    assert reader.data(peer.received()) == [b"later"]
    assert notifications(peer, reader.question()) == [(CHECK_MSG, 3)]
    publishing.put(topic, b"after a question")
    assert reader.data(peer.received()) == [b"after a question"]


def test_subscribers_that_share_a_subscription_are_sent_what_they_ask_for(world: World) -> None:
    """What would be pushed to the one is not lost to the other."""
    peers = [world.connected(), world.connected()]
    readers = [
        Reader(peer, handle=spi_subscribe(peer, descriptor("a", CREATE_OR_RESUME, "crew"), SHARED).handle)
        for peer in peers
    ]
    publishing = world.connected()
    topic = publisher(publishing, "a")
    for reader in readers:
        assert reader.ask(FIRST) == []
        reader.question()
    publishing.put(topic, b"1")
    for reader in readers:
        segments = reader.peer.received()
        assert notifications(reader.peer, segments) == PAUSED and messages(reader.peer, segments) == []
    readers[1].ask()
    assert readers[1].data(readers[1].ask()) == [b"1"]


@pytest.mark.parametrize("text", [b"1", b"P"], ids=["non-persistent", "persistent"])
def test_a_message_that_nobody_asked_for_is_there_for_others_and_stays_when_the_handle_is_closed(
    reader: Reader, text: bytes
) -> None:
    world = reader.peer.world
    other = Reader(world.connected())
    assert reader.ask(FIRST) == []
    put(world, text)
    assert reader.data(reader.peer.received()) == [text]
    put(world, text, text)
    assert messages(reader.peer, reader.peer.received()) == [] and world.depth(QUEUE) == 2
    assert other.data(other.ask(FIRST))[:1] == [text]
    put(world, text)
    assert reader.peer.close(reader.handle).reason == 0
    assert world.depth(QUEUE) == (2 if text == b"P" else 1)
    world.qm.check()


def test_a_get_that_waits_is_served_though_one_before_it_in_the_line_has_ended(reader: Reader) -> None:
    world = reader.peer.world
    assert reader.ask(FIRST) == []
    reader.question()
    other = Reader(world.connected())
    assert other.ask(FIRST) == []
    put(world, b"1")
    assert other.data(other.peer.received()) == [b"1"]
    assert notifications(reader.peer, reader.peer.received()) == PAUSED


def test_a_request_that_crosses_the_end_of_its_get_is_not_believed(world: World) -> None:
    """A persistent message for a get that has ended would be in the unit of work of the next one, and committed."""
    reader = Reader(world.connected())
    assert reader.ask(FIRST) == []
    reader.question()
    put(world, b"P")
    assert notifications(reader.peer, reader.peer.received()) == PAUSED
    other = Reader(world.connected())
    assert other.data(other.ask(FIRST)) == [b"P"]
    # The client asks whether there is a message, and is told to ask at the same time.
    assert notifications(reader.peer, reader.question()) == [(CHECK_MSG, 3)]
    put(world, b"P")
    assert notifications(reader.peer, reader.peer.received()) == PAUSED
    for _ in range(2):
        assert notifications(reader.peer, reader.ask()) == PAUSED
    assert world.depth(QUEUE) == 1
    assert reader.data(reader.ask()) == [b"P"]


def test_a_client_with_little_left_is_sent_more_of_what_is_there(reader: Reader) -> None:
    """While it uses what it has, it is not idle: what is on the queue is sent ahead."""
    put(reader.peer.world, *[b"x" * 20_000] * 12)
    assert len(reader.data(reader.ask(FIRST))) == 6
    assert len(reader.data(reader.ask(ROOM_ONLY, 0))) == 6


def test_a_browse_that_waits_is_sent_what_arrives_after_one_that_found_nothing(world: World) -> None:
    reader = Reader(world.connected(), MQGMO_WAIT | MQGMO_BROWSE_NEXT)
    assert reader.ask(FIRST) == []
    reader.question()
    put(world, b"1", b"P")
    assert reader.data(reader.peer.received()) == [b"1", b"P"]
    assert world.depth(QUEUE) == 2


def test_a_client_that_reads_ahead_is_not_in_a_call_unless_it_has_asked(reader: Reader) -> None:
    """STOP CHANNEL MODE(QUIESCE) does not wait for it."""
    assert reader.ask(FIRST) == []
    assert reader.peer.session.is_in_call()
    reader.question()
    assert not reader.peer.session.is_in_call()


def test_a_consumer_after_gets_that_read_ahead_is_believed(world: World) -> None:
    """setMessageListener after a receive that has found nothing: what the gets have left in doubt is not its own."""
    reader = Reader(world.connected())
    assert reader.ask(FIRST) == []
    reader.question()
    peer = reader.peer
    peer.notify(reader.handle, TXN_ALLOWED, 0)
    peer.notify(0, CONN_STATE, STARTED)
    assert peer.want(reader.handle, ROOM, reader.options, CONSUMER, -1, status=1) == []
    put(world, b"P")
    assert reader.data(peer.received()) == [b"P"]


@pytest.mark.parametrize("text", [b"1", b"P"], ids=["non-persistent", "persistent"])
def test_a_client_that_changes_from_gets_to_a_consumer_and_back_does_not_ask_again(world: World, text: bytes) -> None:
    """It says by Q_STATE that there is a consumer, and none any more; it believes that messages are pushed anyway."""
    reader = Reader(world.connected())
    peer = reader.peer
    assert reader.ask(FIRST) == []
    reader.question()
    peer.notify(reader.handle, Q_STATE, 16)
    peer.notify(0, CONN_STATE, STARTED)
    peer.notify(0, TXN_ALLOWED, 0)
    put(world, text)
    assert reader.data(peer.received()) == [text]
    peer.notify(0, CONN_STATE, STOPPED, True)
    peer.notify(reader.handle, Q_STATE, 0)
    put(world, text)
    segments = peer.received()
    assert notifications(peer, segments) == PAUSED and messages(peer, segments) == []
    assert reader.data(reader.ask()) == [text]
