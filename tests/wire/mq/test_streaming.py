"""Messages that are pushed: for gets, read ahead, and for consumers."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_ASYNC_RESPONSE,
)
from flintmq.mqi.md import MQMD, SIZE_1
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.connect import connect
from flintmq.qmgr.connection import Waiter
from flintmq.qmgr.get import quiesce_waiters
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.segment import Segment
from flintmq.wire.mq.streaming import UNSENT_MAX
from tests.wire.mq.peer import Peer, Reply, World

BOTH = MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE
QUEUE = "DEV.QUEUE.1"
CONSUMER = 0x11
#: RequestFlags without a selection: a get waits, a consumer waits, there is only room.
GET_WAITS, CONSUMER_WAITS, ROOM_ONLY = 0x08, 0x01, 0x00
ROOM = 102_400
STARTED, STOPPED = 2, 0
CHECK_MSG, CONN_STATE, CONN_STATE_REPLY, TXN_ALLOWED, TXN_REVOKE, GET_INHIBITED, GET_ALLOWED = 11, 3, 4, 8, 9, 1, 2
QM_QUIESCING = 7


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture(params=[False, True], ids=["little", "big"])
def peer(request: pytest.FixtureRequest, world: World) -> Peer:
    return world.connected(big_endian=request.param)


def put(world: World, *texts: bytes, queue: str = QUEUE) -> None:
    """Those that begin with P are persistent."""
    other = world.connected()
    handle = other.opened(queue, BOTH)
    for text in texts:
        md = MQMD()
        md.persistence = 1 if text.startswith(b"P") else 0
        assert other.put(handle, text, md=md).reason == 0
    other.disconnect()


def messages(peer: Peer, segments: list[Segment]) -> list[bytes]:
    """The data of every ASYNC_MESSAGE."""
    found: list[bytes] = []
    order = ">" if peer.big_endian else "<"
    for segment in segments:
        if segment.kind != seg.ASYNC_MESSAGE:
            continue
        _, _, _, _, length, number, selection = struct.unpack_from(order + "iiiiiHH", segment.body)
        assert selection == 5 and segment.request == 1
        if number:
            assert len(segment.body) == 24 + length
            found[-1] += segment.body[24:]
            continue
        name_length = segment.body[54]
        at = 55 + name_length + -(3 + name_length) % 4
        md = MQMD.unpack(segment.body, at, peer.big_endian, peer.ccsid)
        assert md.version == 2 and md.msg_id[:4] == b"AMQ "
        assert len(segment.body) == at + 364 + length
        found.append(segment.body[at + 364 :])
    return found


def notifications(peer: Peer, segments: list[Segment]) -> list[tuple[int, int]]:
    """(code, request id) of every NOTIFICATION."""
    order = ">" if peer.big_endian else "<"
    return [
        (struct.unpack_from(order + "i", segment.body, 8)[0], segment.request)
        for segment in segments
        if segment.kind == seg.NOTIFICATION
    ]


@pytest.mark.parametrize("size", [0, 5, 32_000, 32_748, 200_000])
def test_a_get_is_answered_by_the_message(peer: Peer, size: int) -> None:
    put(peer.world, b"x" * size)
    handle = peer.opened(QUEUE, BOTH)
    segments = peer.want(handle)
    assert messages(peer, segments) == [b"x" * size]
    assert notifications(peer, segments) == []
    assert peer.world.depth(QUEUE) == 0


def test_a_question_is_always_answered_by_check_msg(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    assert notifications(peer, peer.want(handle, confirm=True)) == [(CHECK_MSG, 3)]
    put(peer.world, b"1")
    segments = peer.want(handle, confirm=True)
    assert messages(peer, segments) == [b"1"] and notifications(peer, segments) == [(CHECK_MSG, 3)]


def test_a_question_is_answered_by_a_message_however_much_is_to_be_sent(peer: Peer) -> None:
    """Another conversation of the socket may have asked for it. To say CHECK_MSG alone is to say that there is none."""
    put(peer.world, bytes(UNSENT_MAX), b"small")
    handle, second = peer.opened(QUEUE, BOTH), peer.opened(QUEUE, BOTH)
    segments = peer.feed(peer.want_request(handle) + peer.want_request(second, confirm=True))
    assert messages(peer, segments) == [bytes(UNSENT_MAX), b"small"]
    assert notifications(peer, segments) == [(CHECK_MSG, 3)]


def test_a_message_comes_when_it_is_put(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    assert peer.want(handle, options=MQGMO_WAIT | MQGMO_NO_SYNCPOINT, wait=10_000) == []
    put(peer.world, b"1", b"2")
    assert messages(peer, peer.received()) == [b"1"]
    assert peer.world.depth(QUEUE) == 1


def test_read_ahead_sends_as_much_as_the_client_can_take(peer: Peer) -> None:
    put(peer.world, *[b"%d" % number for number in range(10)])
    handle = peer.opened(QUEUE, BOTH)
    one = 364 + 1
    assert messages(peer, peer.want(handle, room=3 * one, options=MQGMO_WAIT, wait=1000)) == [b"0", b"1", b"2"]
    assert messages(peer, peer.want(handle, room=3 * one, received=one, flags=0x08)) == [b"3"]
    assert messages(peer, peer.want(handle, room=3 * one, received=3 * one, flags=0x08)) == [b"4", b"5", b"6"]


def test_a_message_that_is_too_long_stays_until_the_client_has_room(peer: Peer) -> None:
    put(peer.world, b"0123456789")
    handle = peer.opened(QUEUE, BOTH)
    (short,) = peer.want(handle, length=4)
    order = ">" if peer.big_endian else "<"
    assert struct.unpack_from(order + "iii", short.body, 24) == (2080, 4, 10)
    assert peer.world.depth(QUEUE) == 1
    assert messages(peer, peer.want(handle, length=10, received=364 + 4)) == [b"0123456789"]


def test_a_browse_goes_through_the_queue_and_can_begin_again(peer: Peer) -> None:
    put(peer.world, b"1", b"2")
    handle = peer.opened(QUEUE, BOTH)
    both = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT
    assert messages(peer, peer.want(handle, options=both, room=10_000)) == [b"1", b"2"]
    assert peer.notify(handle, 12, 0) == []
    assert messages(peer, peer.want(handle, options=MQGMO_BROWSE_NEXT)) == [b"1"]
    assert messages(peer, peer.want(handle, options=both, received=365)) == [b"1"]
    assert messages(peer, peer.want(handle, options=MQGMO_BROWSE_NEXT, received=365)) == [b"2"]
    assert peer.world.depth(QUEUE) == 2


def test_a_client_that_can_take_everything_is_not_given_it_at_once(peer: Peer) -> None:
    """S1: what a session holds does not depend on what a client says it has room for."""
    size, count = 100_000, 30
    put(peer.world, *[bytes([number]) * size for number in range(count)])
    handle = peer.opened(QUEUE, BOTH)
    turns = [messages(peer, peer.want(handle, room=0x7FFF_FFFF))]
    while peer.session.more:
        peer.session.resume()
        turns.append(messages(peer, peer.received()))
    assert max(len(turn) * size for turn in turns) <= UNSENT_MAX + size
    assert [message[0] for turn in turns for message in turn] == list(range(count))


def test_messages_without_data_are_not_sent_all_at_once_either(peer: Peer) -> None:
    """S1: each is a descriptor, at least."""
    put(peer.world, *[b""] * 4_000)
    handle = peer.opened(QUEUE, BOTH)
    turns = [messages(peer, peer.want(handle, room=0x7FFF_FFFF))]
    while peer.session.more:
        peer.session.resume()
        turns.append(messages(peer, peer.received()))
    assert sum(map(len, turns)) == 4_000 and max(map(len, turns)) <= UNSENT_MAX // SIZE_1 + 1


def test_a_consumer_is_served_between_start_and_stop(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    put(peer.world, b"1")
    assert peer.want(handle, flags=CONSUMER, options=MQGMO_NO_SYNCPOINT) == []
    assert messages(peer, peer.notify(-1, CONN_STATE, STARTED)) == [b"1"]
    assert peer.want(handle, flags=CONSUMER, options=MQGMO_NO_SYNCPOINT, received=365) == []
    put(peer.world, b"2")
    assert messages(peer, peer.received()) == [b"2"]
    assert notifications(peer, peer.notify(-1, CONN_STATE, STOPPED, confirm=True)) == [(CONN_STATE_REPLY, 3)]
    peer.want(handle, flags=CONSUMER, options=MQGMO_NO_SYNCPOINT, received=365)
    put(peer.world, b"3")
    assert peer.received() == []
    assert messages(peer, peer.notify(-1, CONN_STATE, STARTED)) == [b"3"]


def test_in_syncpoint_consumers_of_a_conversation_are_served_one_at_a_time(peer: Peer) -> None:
    """T1: the message that is not used yet is not committed with the one that is."""
    world = peer.world
    first, second = peer.opened(QUEUE, BOTH), peer.opened("DEV.QUEUE.2", BOTH)
    peer.notify(-1, CONN_STATE, STARTED)
    peer.notify(-1, TXN_ALLOWED, 0)
    for handle in (first, second):
        assert peer.want(handle, flags=CONSUMER, options=MQGMO_SYNCPOINT) == []
    put(world, b"1")
    put(world, b"2", queue="DEV.QUEUE.2")
    assert messages(peer, peer.received()) == [b"1"]
    assert peer.commit().reason == 0
    assert world.depth("DEV.QUEUE.2") == 1
    assert messages(peer, peer.want(first, flags=CONSUMER, options=MQGMO_SYNCPOINT, received=365)) == [b"2"]
    peer.session.lost()
    assert (world.depth(QUEUE), world.depth("DEV.QUEUE.2")) == (0, 1)
    world.qm.check()


def test_an_inhibited_queue_is_told_once_and_read_again_when_it_can_be(peer: Peer) -> None:
    world = peer.world
    handle = peer.opened(QUEUE, BOTH)
    peer.notify(-1, CONN_STATE, STARTED)
    peer.want(handle, flags=CONSUMER, options=MQGMO_NO_SYNCPOINT)
    put(world, b"1", b"2")
    assert messages(peer, peer.received()) == [b"1"]
    world.alter("QLOCAL", QUEUE, GET="DISABLED")
    segments = peer.want(handle, flags=CONSUMER, options=MQGMO_NO_SYNCPOINT, received=365)
    assert notifications(peer, segments) == [(GET_INHIBITED, 1)]
    stream = peer.session.conversations[1].streams[handle]
    stream.try_again()
    assert peer.received() == []
    world.alter("QLOCAL", QUEUE, GET="ENABLED")
    stream.try_again()
    segments = peer.received()
    assert notifications(peer, segments) == [(GET_ALLOWED, 1)] and messages(peer, segments) == [b"2"]


def tried_again(peer: Peer, handle: int) -> list[tuple[int, int]]:
    """What the client hears of within three seconds."""
    told: list[tuple[int, int]] = []
    for _ in range(3):
        peer.session.conversations[1].streams[handle].try_again()
        told += notifications(peer, peer.received())
    return told


def test_an_alias_that_is_inhibited_is_told_once_too(peer: Peer) -> None:
    world = peer.world
    assert (
        world.admin.define(
            "QALIAS", "ANOTHER", {"TARGET": QUEUE, "TARGTYPE": "QUEUE", "GET": "ENABLED", "PUT": "ENABLED"}, False
        )
        == 0
    )
    handle = peer.opened("ANOTHER", BOTH)
    world.alter("QALIAS", "ANOTHER", GET="DISABLED")
    assert notifications(peer, peer.want(handle, wait=-1, options=MQGMO_WAIT)) == [(GET_INHIBITED, 1)]
    assert tried_again(peer, handle) == []
    world.alter("QALIAS", "ANOTHER", GET="ENABLED")
    assert tried_again(peer, handle) == [(GET_ALLOWED, 1)]


def test_a_queue_manager_that_is_quiescing_is_told_once(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    peer.want(handle, wait=-1, options=MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING)
    peer.world.qm.quiescing = True
    quiesce_waiters(peer.world.qm)
    peer.world.channels.host.turn()
    assert notifications(peer, peer.received()) == [(QM_QUIESCING, 1)]
    assert tried_again(peer, handle) == []


def test_nothing_is_pushed_to_a_client_that_does_not_read(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    put(peer.world, b"1", b"2")
    peer.session.blocked = True
    assert peer.want(handle, room=100_000) == []
    peer.session.blocked = False
    peer.session.resume()
    assert messages(peer, peer.received()) == [b"1", b"2"]


def test_a_handle_that_is_not_there_is_told(peer: Peer) -> None:
    (failed,) = peer.want(99)
    order = ">" if peer.big_endian else "<"
    assert struct.unpack_from(order + "iiii", failed.body) == (1, 99, 14, 2019)


def test_a_request_that_crosses_the_close_of_its_handle_is_dropped(peer: Peer) -> None:
    """IBM's client ends its connection when a NOTIFICATION names a handle that it has closed."""
    handle = peer.opened(QUEUE, BOTH)
    assert peer.close(handle).reason == 0
    assert peer.want(handle) == []
    (failed,) = peer.want(handle, confirm=True)
    order = ">" if peer.big_endian else "<"
    assert struct.unpack_from(order + "iiii", failed.body) == (1, handle, 14, 2019)


def test_a_wait_ends_with_its_handle(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    peer.want(handle, options=MQGMO_WAIT, wait=-1)
    assert peer.world.qm.waiting == 1
    assert peer.close(handle, 0x20).handle == -1  # MQCO_QUIESCE
    assert peer.world.qm.waiting == 0
    put(peer.world, b"1")
    assert peer.received() == []


def test_a_message_that_ended_a_wait_is_not_overtaken_by_a_request_in_the_same_packet(peer: Peer) -> None:
    """T3: two puts and a REQUEST_MSGS arrive together. The first put ends the wait; the second message is there."""
    handle = peer.opened(QUEUE, BOTH)
    peer.notify(0, CONN_STATE, STARTED)
    assert messages(peer, peer.want(handle, room=1, flags=CONSUMER)) == []
    asynchronous = 4 | MQPMO_ASYNC_RESPONSE

    together = b"".join(peer.put_request(handle, text, asynchronous) for text in (b"one", b"two"))
    segments = peer.feed(together + peer.want_request(handle, room=100_000, flags=CONSUMER, received=367))

    assert messages(peer, segments) == [b"one", b"two"]
    assert peer.world.depth(QUEUE) == 0


def test_a_consumer_waits_for_one_message_after_the_other(peer: Peer) -> None:
    """The wait begins again as it was; what changes in between is heeded: an inhibited queue, and one with messages."""
    handle = peer.opened(QUEUE, BOTH)
    peer.notify(0, CONN_STATE, STARTED)
    assert messages(peer, peer.want(handle, room=100_000, flags=CONSUMER)) == []
    for text in (b"one", b"two", b"three"):
        put(peer.world, text)
        assert messages(peer, peer.received()) == [text]
    peer.world.alter("QLOCAL", QUEUE, GET="DISABLED")
    peer.world.channels.host.turn()
    assert [code for code, _ in notifications(peer, peer.received())] == [GET_INHIBITED]
    put(peer.world, b"four", b"five")
    assert messages(peer, peer.received()) == []
    peer.world.alter("QLOCAL", QUEUE, GET="ENABLED")
    for stream in peer.session.conversations[1].streams.values():
        stream.try_again()
    assert messages(peer, peer.received()) == [b"four", b"five"]


@pytest.mark.parametrize("ending", [Peer.commit, Peer.backout])
def test_a_consumer_that_closes_its_queue_does_not_hold_up_the_others(
    peer: Peer, ending: Callable[[Peer], Reply]
) -> None:
    """T1: the next message of the conversation is in another unit of work than what the first one has consumed."""
    put(peer.world, b"1")
    put(peer.world, b"2", queue="DEV.QUEUE.2")
    first, second = peer.opened(QUEUE, BOTH), peer.opened("DEV.QUEUE.2", BOTH)
    for handle in (first, second):
        peer.want(handle, options=MQGMO_SYNCPOINT, flags=CONSUMER)
    peer.notify(0, CONN_STATE, STARTED)
    assert messages(peer, peer.notify(0, TXN_ALLOWED, 0)) == [b"1"]

    assert peer.close(first).reason == 0
    assert messages(peer, peer.segments) == []

    assert ending(peer).reason == 0
    assert messages(peer, peer.segments) == [b"2"]


def test_a_descriptor_that_does_not_fit_is_cut_and_the_message_is_pushed(peer: Peer) -> None:
    put_by_a_program_in_the_process(peer.world)
    assert messages(peer, peer.want(peer.opened(QUEUE, BOTH))) == [b"data"]


@pytest.mark.parametrize("waits", [False, True])
def test_a_descriptor_that_does_not_fit_is_cut_and_the_message_is_got(peer: Peer, waits: bool) -> None:
    """Nothing is lost, and neither the session nor the queue manager comes to harm."""
    handle = peer.opened(QUEUE, BOTH)
    request = peer.get_request(handle, MQGMO_NO_SYNCPOINT | MQGMO_WAIT, wait=10_000)
    if waits:
        assert peer.feed(request) == []
    put_by_a_program_in_the_process(peer.world)
    if waits:
        peer.world.channels.host.turn()
    got = peer.got(peer.received() if waits else peer.feed(request))
    assert (got.reason, got.data) == (0, b"data")
    assert (got.md.reply_to_q, got.md.format) == ("R" * 48, "F" * 8)
    assert (got.md.correl_id, got.md.encoding) == (b"C" * 24, 0x7FFF_FFFF)
    assert peer.world.depth(QUEUE) == 0


def put_by_a_program_in_the_process(world: World) -> None:
    """Its descriptor has never been bytes, so nothing has refused what has no room in one."""
    reason, connection = connect(world.qm, "embedded", "user")
    assert reason == 0 and connection is not None
    od, md = MQOD(), MQMD()
    od.object_name = QUEUE
    md.reply_to_q, md.format, md.correl_id, md.encoding = "R" * 60, "F" * 12, b"C" * 30, 1 << 40
    assert world.qm.put1(connection, od, md, MQPMO(), b"data") == 0


def test_what_stands_in_front_of_a_pushed_message_is_of_that_message(peer: Peer) -> None:
    """Most of it is kept from the last message: lengths, a message that is cut, and another handle make it differ."""
    put(peer.world, b"one", b"two", b"three", b"four4", b"longer than ten bytes")
    put(peer.world, b"else", queue="DEV.QUEUE.2")
    handle, other = peer.opened(QUEUE, BOTH), peer.opened("DEV.QUEUE.2", BOTH)

    segments = peer.want(handle, room=100_000, options=MQGMO_NO_SYNCPOINT, length=10) + peer.want(other)

    order = ">" if peer.big_endian else "<"
    fronts = [struct.unpack_from(order + "iiiiiHHiii8s8sHB", segment.body) for segment in segments]
    tokens = [front[10:12] for front in fronts]
    assert [front[:10] + front[12:] for front in fronts] == [
        (1, handle, 1, 1, 3, 0, 5, 0, 3, 3, 1, 11),
        (1, handle, 2, 2, 3, 0, 5, 0, 3, 3, 1, 11),
        (1, handle, 3, 3, 5, 0, 5, 0, 5, 5, 1, 11),
        (1, handle, 4, 4, 5, 0, 5, 0, 5, 5, 1, 11),
        (1, handle, 5, 5, 10, 0, 5, 2080, 10, 21, 1, 11),
        (1, other, 1, 6, 4, 0, 5, 0, 4, 4, 1, 11),
    ]
    assert len({queue for queue, _ in tokens}) == 2 and len(set(tokens)) == 6
    assert messages(peer, segments) == [b"one", b"two", b"three", b"four4", b"longer tha", b"else"]


def test_a_message_that_ended_a_wait_is_not_overtaken_when_a_unit_of_work_ends_in_the_same_packet(peer: Peer) -> None:
    """T3: a commit lets all consumers go on, after one in syncpoint has closed its queue."""
    put(peer.world, b"first")
    closing, open_to_all = peer.opened(QUEUE, BOTH), peer.opened("DEV.QUEUE.2", BOTH)
    peer.want(closing, options=MQGMO_SYNCPOINT, flags=CONSUMER)
    peer.notify(0, CONN_STATE, STARTED)
    assert messages(peer, peer.notify(0, TXN_ALLOWED, 0)) == [b"first"]
    assert peer.close(closing).reason == 0
    peer.want(open_to_all, room=100_000, options=MQGMO_NO_SYNCPOINT, flags=CONSUMER)

    asynchronous = 4 | MQPMO_ASYNC_RESPONSE
    together = b"".join(peer.put_request(open_to_all, text, asynchronous) for text in (b"one", b"two"))
    segments = peer.feed(together + peer.request(seg.MQCMIT, b""))

    assert messages(peer, segments) == [b"one", b"two"]
    assert peer.world.depth("DEV.QUEUE.2") == 0


def test_a_message_that_ended_a_wait_is_sent_before_its_handle_is_closed(peer: Peer) -> None:
    """T3: the client closes in the same packet. Behind the answer to MQCLOSE it knows the handle no longer."""
    handle, putting = peer.opened(QUEUE, BOTH), peer.opened(QUEUE, BOTH)
    assert peer.want(handle, room=100_000, options=MQGMO_NO_SYNCPOINT, flags=CONSUMER) == []
    peer.notify(0, CONN_STATE, STARTED)

    close = peer.request(seg.MQCLOSE, peer.longs(0), handle)
    segments = peer.feed(peer.put_request(putting, b"one", 4 | MQPMO_ASYNC_RESPONSE) + close)

    assert [segment.kind for segment in segments] == [seg.ASYNC_MESSAGE, seg.MQCLOSE + seg.REPLY]
    assert messages(peer, segments) == [b"one"]


def test_a_consumer_that_is_stopped_has_what_came_before(peer: Peer) -> None:
    """T3: a put ends the wait, and the client stops its consumers in the same packet. The message comes first."""
    handle = peer.opened(QUEUE, BOTH)
    peer.notify(0, CONN_STATE, STARTED)
    peer.want(handle, room=100_000, flags=CONSUMER)

    stop = peer.segment(seg.NOTIFICATION, peer.longs(1, 0, CONN_STATE, STOPPED), 0x31, 3)
    put_both = b"".join(peer.put_request(handle, text, 4 | MQPMO_ASYNC_RESPONSE) for text in (b"one", b"two"))
    segments = peer.feed(put_both + stop)

    assert [segment.kind for segment in segments] == [seg.ASYNC_MESSAGE, seg.NOTIFICATION]
    assert messages(peer, segments) == [b"one"]
    assert peer.world.depth(QUEUE) == 1


def test_a_request_that_tells_what_was_used_leaves_the_wait_as_it_is(peer: Peer) -> None:
    """Nobody else gets in before it. One that asks for something else, or has no room left, begins anew."""
    handle = peer.opened(QUEUE, BOTH)
    peer.notify(0, CONN_STATE, STARTED)
    peer.want(handle, room=1000, flags=CONSUMER)
    first = waiter_of(peer, handle)
    assert first is not None

    assert peer.want(handle, room=1000, flags=0x01) == []
    assert waiter_of(peer, handle) is first
    assert peer.want(handle, room=1000, flags=0x01, length=10) == []
    assert waiter_of(peer, handle) not in (first, None)
    assert peer.want(handle, room=0, flags=0x01, length=10) == []
    assert waiter_of(peer, handle) is None
    put(peer.world, b"one")
    assert peer.received() == []
    assert messages(peer, peer.want(handle, room=1000, flags=0x01, length=10)) == [b"one"]


def waiter_of(peer: Peer, handle: int) -> Waiter | None:
    return peer.session.conversations[1].streams[handle].waiter


# -- T4: what must not be lost is not sent ahead ----------------------------------------------------------------------


def test_a_persistent_message_is_sent_to_a_get_that_waits_and_those_behind_it_wait(peer: Peer) -> None:
    """B171: read-ahead is for messages that may be lost. The order is kept."""
    put(peer.world, b"1", b"P2", b"P3", b"4", b"P5")
    handle = peer.opened(QUEUE, BOTH)
    assert messages(peer, peer.want(handle, room=ROOM)) == [b"1"]
    assert peer.want(handle, room=ROOM, received=365, flags=ROOM_ONLY, index=1) == []
    assert messages(peer, peer.want(handle, room=ROOM, flags=GET_WAITS, index=1)) == [b"P2"]
    assert peer.want(handle, room=ROOM, received=366, flags=ROOM_ONLY, index=2) == []
    assert messages(peer, peer.want(handle, room=ROOM, flags=GET_WAITS, index=2)) == [b"P3", b"4"]
    peer.session.lost()
    assert peer.world.depth(QUEUE) == 1
    peer.world.qm.check()


def test_of_ten_persistent_messages_one_is_gone_with_a_client_that_got_one(peer: Peer) -> None:
    put(peer.world, *[b"P%d" % number for number in range(10)])
    handle = peer.opened(QUEUE, BOTH)
    wait = MQGMO_WAIT | MQGMO_NO_SYNCPOINT
    assert messages(peer, peer.want(handle, room=ROOM, options=wait, wait=10_000)) == [b"P0"]
    peer.session.lost()
    assert peer.world.depth(QUEUE) == 9


def test_a_wait_ahead_takes_no_persistent_message_and_lets_none_behind_it_pass(peer: Peer) -> None:
    """It goes to whoever waits for it; if nobody does, what comes later waits too."""
    world, wait = peer.world, MQGMO_WAIT | MQGMO_NO_SYNCPOINT
    handle = peer.opened(QUEUE, BOTH)
    assert peer.want(handle, room=ROOM, options=wait, wait=10_000) == []
    put(world, b"1", b"2")
    assert messages(peer, peer.received()) == [b"1", b"2"]
    assert world.qm.waiting == 1
    other = world.connected()
    behind = other.opened(QUEUE, BOTH)
    assert other.want(behind, options=wait, wait=10_000) == []
    put(world, b"P3")
    assert messages(other, other.received()) == [b"P3"] and peer.received() == []
    put(world, b"P4", b"5")
    assert peer.received() == [] and world.depth(QUEUE) == 2
    segments = peer.want(handle, room=ROOM, options=wait, wait=10_000, received=730, flags=GET_WAITS, index=2)
    assert messages(peer, segments) == [b"P4", b"5"]


def test_a_question_is_answered_by_one_persistent_message_at_a_time(peer: Peer) -> None:
    put(peer.world, b"P1", b"P2")
    handle = peer.opened(QUEUE, BOTH)
    segments = peer.want(handle, room=ROOM, confirm=True, flags=0x1A)
    assert messages(peer, segments) == [b"P1"] and notifications(peer, segments) == [(CHECK_MSG, 3)]
    segments = peer.want(handle, room=ROOM, confirm=True, flags=0x0A, received=366, index=1)
    assert messages(peer, segments) == [b"P2"] and notifications(peer, segments) == [(CHECK_MSG, 3)]
    segments = peer.want(handle, room=ROOM, confirm=True, flags=0x0A, received=366, index=2)
    assert messages(peer, segments) == [] and notifications(peer, segments) == [(CHECK_MSG, 3)]
    put(peer.world, b"P3")
    assert peer.want(handle, room=ROOM, flags=ROOM_ONLY, index=2) == []  # Its get has ended with 2033.


@pytest.mark.parametrize("index", [0, -1, -(2**31)])
def test_a_message_on_its_way_is_what_the_get_waits_for_unless_it_wants_another(peer: Peer, index: int) -> None:
    """What a client says of what has arrived is believed as far as it costs nobody else a message."""
    put(peer.world, b"P1", b"P2")
    handle = peer.opened(QUEUE, BOTH)
    assert messages(peer, peer.want(handle, room=ROOM)) == [b"P1"]
    assert peer.want(handle, room=ROOM, flags=GET_WAITS, index=index) == []
    assert peer.world.depth(QUEUE) == 1
    assert messages(peer, peer.want(handle, room=ROOM, index=index)) == [b"P2"]  # With a selection.


def test_a_commit_commits_the_persistent_message_that_was_got_and_no_other(peer: Peer) -> None:
    """What JMS does for each message that it acknowledges, where the destination reads ahead."""
    put(peer.world, b"P1", b"2", b"P3", b"P4")
    handle = peer.opened(QUEUE, BOTH)
    assert messages(peer, peer.want(handle, room=ROOM, options=MQGMO_SYNCPOINT_IF_PERSISTENT)) == [b"P1", b"2"]
    assert peer.commit().reason == 0
    segments = peer.want(
        handle, room=ROOM, options=MQGMO_SYNCPOINT_IF_PERSISTENT, flags=GET_WAITS, received=366 + 365, index=2
    )
    assert messages(peer, segments) == [b"P3"]
    peer.session.lost()
    assert peer.world.depth(QUEUE) == 2
    peer.world.qm.check()


def test_nothing_is_sent_ahead_in_syncpoint(peer: Peer) -> None:
    put(peer.world, b"1", b"2")
    handle = peer.opened(QUEUE, BOTH)
    assert messages(peer, peer.want(handle, room=ROOM, options=MQGMO_SYNCPOINT)) == [b"1"]


def test_a_browse_reads_persistent_messages_ahead(peer: Peer) -> None:
    put(peer.world, b"P1", b"P2", b"3")
    handle = peer.opened(QUEUE, BOTH)
    both = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT
    assert messages(peer, peer.want(handle, options=both, room=ROOM)) == [b"P1", b"P2", b"3"]


def test_a_persistent_message_that_is_too_long_is_asked_for_again(peer: Peer) -> None:
    put(peer.world, b"P123456789", b"P2")
    handle = peer.opened(QUEUE, BOTH)
    (short,) = peer.want(handle, room=ROOM, length=4)
    order = ">" if peer.big_endian else "<"
    assert struct.unpack_from(order + "iii", short.body, 24) == (2080, 4, 10)
    segments = peer.want(handle, room=ROOM, length=10, received=368, flags=GET_WAITS, index=1)
    assert messages(peer, segments) == [b"P123456789"]
    assert peer.world.depth(QUEUE) == 1


@pytest.mark.parametrize("options", [MQGMO_NO_SYNCPOINT, MQGMO_SYNCPOINT_IF_PERSISTENT])
def test_a_consumer_that_has_used_all_is_sent_one_persistent_message(peer: Peer, options: int) -> None:
    """A request that says only that there is room leaves a consumer what it is: it is sent what comes."""
    handle = peer.opened(QUEUE, BOTH)
    peer.notify(-1, CONN_STATE, STARTED)
    peer.notify(-1, TXN_ALLOWED, 0)
    put(peer.world, b"1", b"2", b"P3", b"P4")
    assert messages(peer, peer.want(handle, flags=CONSUMER, options=options, room=ROOM)) == [b"1", b"2"]
    assert peer.want(handle, flags=ROOM_ONLY, options=options, room=ROOM - 365, received=730, index=2) == []
    segments = peer.want(handle, flags=CONSUMER_WAITS, options=options, room=ROOM, index=2)
    assert messages(peer, segments) == [b"P3"]
    assert peer.want(handle, flags=ROOM_ONLY, options=options, room=ROOM, received=366, index=3) == []
    assert peer.world.depth(QUEUE) == 1
    assert peer.commit().reason == 0
    segments = peer.want(handle, flags=CONSUMER_WAITS, options=options, room=ROOM, index=3)
    assert messages(peer, segments) == [b"P4"]
    assert peer.commit().reason == 0
    assert peer.want(handle, flags=CONSUMER_WAITS, options=options, room=ROOM, received=366, index=4) == []
    assert peer.want(handle, flags=ROOM_ONLY, options=options, room=ROOM, index=4) == []
    put(peer.world, b"5", b"6")
    assert messages(peer, peer.received()) == [b"5", b"6"]


def test_a_consumer_that_was_busy_before_it_could_allow_syncpoint_is_not_forgotten(peer: Peer) -> None:
    """IBM's client for JMS: what was sent ahead came before it had said TXN_ALLOWED, and then it does not say it."""
    options = MQGMO_SYNCPOINT_IF_PERSISTENT
    handle = peer.opened(QUEUE, BOTH)
    peer.notify(-1, CONN_STATE, STARTED)
    put(peer.world, b"1", b"2", b"P3", b"P4")
    assert messages(peer, peer.want(handle, flags=CONSUMER, options=options, room=ROOM)) == [b"1", b"2"]
    assert peer.want(handle, flags=ROOM_ONLY, options=options, room=ROOM - 365, received=730, index=2) == []
    segments = peer.want(handle, flags=CONSUMER_WAITS, options=options, room=ROOM, index=2)
    assert messages(peer, segments) == [b"P3"]
    assert peer.commit().reason == 0
    peer.notify(-1, TXN_REVOKE, 0)
    assert peer.want(handle, flags=CONSUMER_WAITS, options=options, room=ROOM, received=366, index=3) == []
    assert messages(peer, peer.notify(-1, TXN_ALLOWED, 0)) == [b"P4"]


def test_one_persistent_message_is_with_the_consumers_of_a_conversation_and_others_pass(peer: Peer) -> None:
    """T1, where only persistent messages are got in syncpoint."""
    world, options = peer.world, MQGMO_SYNCPOINT_IF_PERSISTENT
    first, second = peer.opened(QUEUE, BOTH), peer.opened("DEV.QUEUE.2", BOTH)
    peer.notify(-1, CONN_STATE, STARTED)
    peer.notify(-1, TXN_ALLOWED, 0)
    for handle in (first, second):
        assert peer.want(handle, flags=CONSUMER, options=options, room=ROOM) == []
    put(world, b"P1", b"3")
    put(world, b"2", b"P2", queue="DEV.QUEUE.2")
    assert messages(peer, peer.received()) == [b"P1", b"2"]
    assert peer.commit().reason == 0
    assert (world.depth(QUEUE), world.depth("DEV.QUEUE.2")) == (1, 1)
    assert peer.want(second, flags=CONSUMER_WAITS, options=options, room=ROOM, received=365, index=2) == []
    segments = peer.want(first, flags=CONSUMER_WAITS, options=options, room=ROOM, received=366, index=2)
    assert sorted(messages(peer, segments)) == [b"3", b"P2"]
    assert peer.commit().reason == 0
    assert peer.want(first, flags=CONSUMER_WAITS, options=options, room=ROOM, received=365, index=4) == []
    assert peer.want(second, flags=CONSUMER_WAITS, options=options, room=ROOM, received=366, index=4) == []
    put(world, b"P5")
    assert messages(peer, peer.received()) == [b"P5"]
    assert peer.commit().reason == 0
    assert peer.want(first, flags=CONSUMER_WAITS, options=options, room=ROOM, received=366, index=5) == []
    put(world, b"P6", queue="DEV.QUEUE.2")
    assert messages(peer, peer.received()) == [b"P6"]
