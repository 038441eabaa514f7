"""A client's whole day, segment by segment, in both byte orders and several character sets."""

from __future__ import annotations

import pytest

from flintmq.mqi.constants import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_SET,
    MQOT_TOPIC,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.sts import MQSTS
from flintmq.qmgr.get import expire_waits
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.channel_instance import ANSWERS_MAX
from flintmq.wire.mq.identity import Identity
from flintmq.wire.mq.terms import Gatekeeper, Terms
from tests.wire.mq.peer import Peer, World

BOTH = MQOO_INPUT_SHARED | MQOO_OUTPUT
QUEUE = "DEV.QUEUE.1"


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture(params=[(False, 1208, 10), (True, 819, 10), (True, 500, 1), (False, 1208, 0)], ids=str)
def peer(request: pytest.FixtureRequest, world: World) -> Peer:
    big_endian, ccsid, sharing = request.param
    return world.connected(big_endian=big_endian, ccsid=ccsid, sharing=sharing)


@pytest.mark.parametrize("size", [0, 1, 4096, 32_000, 32_748, 65_536, 4_000_000])
def test_a_message_goes_there_and_back(peer: Peer, size: int) -> None:
    handle = peer.opened(QUEUE, BOTH)
    data = bytes(range(256)) * (size // 256) + bytes(size % 256)
    md = MQMD()
    md.correl_id, md.format, md.reply_to_q = b"c" * 24, "MQSTR", "ANSWERS"
    put = peer.put(handle, data, md=md)
    assert put.reason == 0 and put.md.msg_id[:4] == b"AMQ " and put.body[-4:] == peer.longs(len(data))
    got = peer.get(handle, length=5_000_000)
    assert (got.completion, got.reason, got.length) == (0, 0, size)
    assert got.data == data
    assert (got.md.msg_id, got.md.correl_id, got.md.format) == (put.md.msg_id, b"c" * 24, "MQSTR")
    assert (got.md.reply_to_q, got.md.user_identifier, got.md.put_appl_name) == ("ANSWERS", "app", "peer")


def test_a_long_reply_is_cut_into_segments_that_the_client_accepts(world: World) -> None:
    peer = world.connected()
    handle = peer.opened(QUEUE, BOTH)
    peer.put(handle, b"x" * 100_000)
    peer.get(handle, length=200_000)
    flags = [segment.flags for segment in peer.segments]
    assert flags == [seg.FIRST, 0, 0, seg.LAST]
    assert max(len(segment.body) for segment in peer.segments) + seg.SIZE_M == 32748


def test_the_reply_to_mqconn_has_the_connection_id(peer: Peer) -> None:
    connection = peer.session.conversations[1].connection
    assert connection is not None
    assert peer.segments[0].body[16 + 120 + 12 : 16 + 120 + 36] == connection.connection_id
    assert (connection.channel_name, connection.connection_name) == ("DEV.APP.SVRCONN", "127.0.0.1")
    assert (connection.user, connection.appl_type) == ("app", 28)


@pytest.mark.parametrize("name", ["", "*", "*ANY", "QM1"])
def test_a_client_may_name_us_or_nobody(world: World, name: str) -> None:
    peer = world.peer()
    peer.agree()
    reply = peer.connect(name)
    assert reply.reason == 0 and reply.body[:48].strip() == b"QM1"


def test_another_queue_manager_is_2058(world: World) -> None:
    peer = world.peer()
    peer.agree()
    assert peer.connect("QM2").reason == 2058
    assert peer.connect("QM1").reason == 0


def test_who_the_client_is_is_decided_by_the_gatekeeper(world: World) -> None:
    asked: list[tuple[str, str, str, str, str]] = []

    class Strict(Gatekeeper):
        def admit(self, terms: Terms, identity: Identity, address: str) -> tuple[int, str]:
            asked.append((terms.name, identity.user, identity.claimed_user, identity.password, address))
            return (0, "joe") if identity.password == "right" else (2035, "")

    world.channels.gatekeeper = Strict()
    peer = world.peer(channel="DEV.ADMIN.SVRCONN")
    peer.agree()
    assert peer.connect(user="joe", password="wrong").reason == 2035
    assert peer.connect(user="joe", password="right").reason == 0
    assert asked[1] == ("DEV.ADMIN.SVRCONN", "joe", "joe", "right", "127.0.0.1(50000)")
    connection = peer.session.conversations[1].connection
    assert connection is not None and connection.user == "joe"


class Suspicious(Gatekeeper):
    """Lets nobody in but joe, and counts how often it was asked."""

    asked = 0

    def admit(self, terms: Terms, identity: Identity, address: str) -> tuple[int, str]:
        self.asked += 1
        return (0, "joe") if identity.user == "joe" else (2035, "")


def test_a_socket_has_three_guesses_however_fast_they_come(world: World) -> None:
    """S3: ten of them in one packet cost no more than three checks of a password."""
    gatekeeper = world.channels.gatekeeper = Suspicious()
    peer = world.peer()
    peer.agree()
    peer.connect(user="mallory")
    again = peer.sent[-len(peer.request(seg.MQCONN, bytes(332))) :]
    assert again[17] == seg.MQCONN

    answers = peer.feed(10 * again)

    assert gatekeeper.asked == 3
    assert [answer.kind for answer in answers] == [seg.MQCONN + seg.REPLY] * 2 + [seg.STATUS_DATA]
    assert peer.session.closing and any("refused 3 times" in text for _, text in world.qm.notices)


def test_refusals_do_not_end_a_socket_that_somebody_is_connected_on(world: World) -> None:
    world.channels.gatekeeper = Suspicious()
    peer = world.peer()
    peer.agree()
    assert peer.connect(user="joe").reason == 0
    peer.start_conversation(3)
    for _ in range(5):
        assert peer.connect(user="mallory").reason == 2035
    peer.conversation = 1
    assert peer.commit().reason == 0


def test_mcauser_is_who_the_client_is(world: World) -> None:
    admin = world.connected(channel="DEV.ADMIN.SVRCONN")
    connection = admin.session.conversations[1].connection
    assert connection is not None and connection.user == "app"  # What it said of itself.
    world.alter("CHANNEL", "DEV.ADMIN.SVRCONN", MCAUSER="nobody")
    connection = world.connected(channel="DEV.ADMIN.SVRCONN").session.conversations[1].connection
    assert connection is not None and connection.user == "nobody"


def test_work_is_committed_and_backed_out(peer: Peer) -> None:
    world = peer.world
    handle = peer.opened(QUEUE, BOTH)
    assert peer.put(handle, b"1", MQPMO_SYNCPOINT).reason == 0
    assert peer.get(handle).reason == 2033
    assert peer.commit().reason == 0
    assert peer.get(handle, MQGMO_SYNCPOINT).data == b"1"
    assert peer.backout().reason == 0
    again = peer.get(handle, MQGMO_SYNCPOINT)
    assert (again.data, again.md.backout_count) == (b"1", 1)
    assert peer.disconnect().reason == 0  # Which commits.
    assert world.depth(QUEUE) == 0
    world.qm.check()


@pytest.mark.parametrize("end", ["lost", "closed", "garbage"])
def test_what_was_not_committed_is_backed_out_when_the_client_is_gone(peer: Peer, end: str) -> None:
    world = peer.world
    handle = peer.opened(QUEUE, BOTH)
    peer.put(handle, b"kept")
    peer.get(handle, MQGMO_SYNCPOINT)
    peer.put(handle, b"lost", MQPMO_SYNCPOINT)
    if end == "lost":
        peer.session.lost()
    elif end == "closed":
        peer.feed(peer.header(seg.STATUS_DATA, 0x08, 0, plain=True))
    else:
        peer.feed(b"\xff" * 100)
    assert not world.qm.connections
    other = world.connected()
    got = other.get(other.opened(QUEUE, BOTH))
    assert (got.data, got.md.backout_count) == (b"kept", 1)
    assert world.depth(QUEUE) == 0
    world.qm.check()


def test_a_get_waits_for_a_message_and_the_others_are_served_meanwhile(peer: Peer) -> None:
    world = peer.world
    handle = peer.opened(QUEUE, BOTH)
    assert peer.feed(peer.get_request(handle, MQGMO_WAIT | MQGMO_NO_SYNCPOINT, wait=5000)) == []
    other = world.connected()
    other.put(other.opened(QUEUE, BOTH), b"for the other")
    got = peer.got(peer.received())
    assert (got.reason, got.data) == (0, b"for the other")


def test_a_get_that_waited_long_enough_is_2033(world: World) -> None:
    peer = world.connected()
    handle = peer.opened(QUEUE, BOTH)
    assert peer.feed(peer.get_request(handle, MQGMO_WAIT, wait=1)) == []
    while world.qm.clock.now_ms() < world.qm.next_deadline():
        pass
    expire_waits(world.qm)
    world.channels.host.turn()
    assert peer.got(peer.received()).reason == 2033


def test_a_conversation_does_one_call_at_a_time(world: World) -> None:
    peer = world.connected()
    handle = peer.opened(QUEUE, BOTH)
    peer.feed(peer.get_request(handle, MQGMO_WAIT, wait=-1))
    assert peer.commit().reason == 2219
    assert peer.disconnect().reason == 0
    assert world.qm.waiting == 0


def test_a_message_that_does_not_fit_stays_or_is_cut(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    peer.put(handle, b"0123456789")
    short = peer.get(handle, length=4)
    assert (short.completion, short.reason, short.length, short.data) == (1, 2080, 10, b"0123")
    cut = peer.get(handle, MQGMO_ACCEPT_TRUNCATED_MSG, length=4)
    assert (cut.completion, cut.reason, cut.length, cut.data) == (1, 2079, 10, b"0123")
    assert peer.get(handle).reason == 2033


def test_reasons_come_back_with_the_call(peer: Peer) -> None:
    assert peer.open("NO.SUCH.QUEUE", BOTH).reason == 2085
    assert peer.put(77, b"").reason == 2019
    assert peer.get(77).reason == 2019
    assert peer.close(77).reason == 2019
    assert peer.call(seg.MQINQ, peer.longs(0, 0, 0), 77).reason == 2019
    handle = peer.opened(QUEUE, MQOO_OUTPUT)
    assert peer.get(handle).reason == 2037
    closed = peer.close(handle)
    assert (closed.reason, closed.handle) == (0, -1)


def test_a_structure_that_cannot_be_read_is_answered_with_its_reason(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    assert peer.call(seg.MQPUT, b"XX  " + bytes(500), handle).reason == 2026
    assert peer.call(seg.MQOPEN, bytes(300)).reason == 2044
    md = MQMD().pack(peer.big_endian, peer.ccsid)
    assert peer.call(seg.MQPUT, md + bytes(200), handle).reason == 2173
    assert peer.call(seg.MQGET, md + bytes(200), handle).reason == 2186


def test_mqput1_and_mqstat(peer: Peer) -> None:
    od, pmo = MQOD(), MQPMO()
    od.object_name = QUEUE
    pmo.options = MQPMO_NO_SYNCPOINT
    order = (peer.big_endian, peer.ccsid)
    body = od.pack(*order) + MQMD().pack(*order) + pmo.pack(*order) + peer.longs(3) + b"one"
    assert peer.call(seg.MQPUT1, body).reason == 0
    handle = peer.opened(QUEUE, BOTH)
    assert peer.get(handle).data == b"one"
    pmo.options = MQPMO_ASYNC_RESPONSE | MQPMO_NO_SYNCPOINT
    body = MQMD().pack(*order) + pmo.pack(*order) + peer.longs(5) + b"async"
    assert peer.feed(peer.request(seg.MQPUT, body, handle)) == []  # Nobody waits for it.
    reply = peer.call(seg.MQSTAT, peer.longs(0) + MQSTS().pack(*order))
    assert MQSTS.unpack(reply.body, 4, *order).put_success_count == 1
    assert peer.get(handle).data == b"async"


def test_the_buffer_of_a_topic_string_takes_no_room_in_mqput1(peer: Peer) -> None:
    """IBM's Java client names its buffer of 10,240 bytes in VSBufSize, and sends as much as the string is long."""
    od, pmo = MQOD(), MQPMO()
    od.version, od.object_type, od.object_string = 4, MQOT_TOPIC, "dev/orders"
    pmo.options = MQPMO_NO_SYNCPOINT
    order = (peer.big_endian, peer.ccsid)
    packed = bytearray(od.pack(*order))
    assert len(packed) == 400 + 12
    packed[344:348] = peer.longs(10240)
    rest = MQMD().pack(*order) + pmo.pack(*order) + peer.longs(3) + b"one"
    assert peer.call(seg.MQPUT1, bytes(packed) + rest).reason == 0


def test_attributes_are_inquired_and_set(peer: Peer) -> None:
    handle = peer.opened(QUEUE, MQOO_INQUIRE | MQOO_SET)
    reply = peer.call(seg.MQINQ, peer.longs(3, 2, 48, 3, 2016, 15), handle)
    assert reply.body == peer.longs(3, 2, 48, 3, 2016, 15, 0, 5000) + peer.text(QUEUE, 48)
    assert peer.call(seg.MQSET, peer.longs(1, 1, 0, 10, 1), handle).reason == 0  # Puts are inhibited.
    assert peer.put(peer.opened(QUEUE, MQOO_OUTPUT), b"").reason == 2051
    assert peer.call(seg.MQINQ, peer.longs(1, 1, 0, 99_999), handle).reason == 2067


def test_an_open_tells_what_the_client_wants_to_know_of_the_queue(world: World) -> None:
    world.alter("QLOCAL", QUEUE, DEFPSIST="YES", DEFPRESP="ASYNC", DEFREADA="YES", PROPCTL="FORCE")
    peer = world.connected()
    reply = peer.open(QUEUE, BOTH)
    assert reply.body[168:172] == peer.longs(BOTH) and reply.body[172:176] == b"FOPA"
    assert reply.body[184:200] == peer.longs(1, 2, 1, 3)
    unknown = peer.open("NOWHERE", BOTH)
    assert (unknown.handle, unknown.body[184:200]) == (-1, peer.longs(-1, -1, -1, -1))


def test_conversations_share_a_socket_and_nothing_else(world: World) -> None:
    peer = world.connected()
    handle = peer.opened(QUEUE, BOTH)
    peer.put(handle, b"not yet", MQPMO_SYNCPOINT)
    (started,) = peer.start_conversation(3)
    assert (started.kind, started.conversation) == (seg.SOCKET_ACTION, 3)
    assert started.body[:12] == peer.longs(3, 0, 8)
    assert peer.connect().reason == 0
    second = peer.opened(QUEUE, BOTH)
    assert peer.get(second).reason == 2033
    assert peer.commit().reason == 0
    assert peer.get(second).reason == 2033
    peer.conversation = 1
    peer.commit()
    peer.conversation = 3
    assert peer.get(second).data == b"not yet"
    body = peer.longs(3, 0, 2, 0, 0)
    peer.feed(peer.header(seg.SOCKET_ACTION, 0x30, 20, plain=True).replace(b"TSH ", b"TSHC") + body)
    assert list(peer.session.conversations) == [1] and len(world.qm.connections) == 1


def test_no_more_conversations_than_were_agreed(world: World) -> None:
    peer = world.connected(sharing=2)
    peer.start_conversation(3)
    (refused,) = peer.start_conversation(5)
    assert refused.kind == seg.STATUS_DATA and refused.body == peer.longs(8, 30)
    assert peer.session.closing and not world.qm.connections


def test_no_more_instances_than_the_channel_allows(world: World) -> None:
    world.alter("CHANNEL", "DEV.APP.SVRCONN", MAXINST=2, MAXINSTC=1)
    first = world.connected()
    for address in ("127.0.0.1(50001)", "10.0.0.1(1)", "10.0.0.2(1)"):
        peer = world.peer(address=address)
        (answered,) = peer.propose(peer.offer())
        refused = answered.kind == seg.STATUS_DATA
        assert refused == (address != "10.0.0.1(1)")
    first.session.lost()
    world.connected(address="127.0.0.1(50002)").session.lost()
    assert world.channels.instances == {"DEV.APP.SVRCONN": 1, "DEV.APP.SVRCONN 10.0.0.1": 1}


def test_a_heartbeat_is_answered_if_that_is_asked(peer: Peer) -> None:
    (answer,) = peer.feed(peer.header(seg.HEARTBEAT, seg.CONFIRM_REQUEST, 0, plain=True))
    assert (answer.kind, answer.flags, answer.body) == (seg.HEARTBEAT, 0, b"")
    assert peer.feed(peer.header(seg.HEARTBEAT, 0, 0, plain=True)) == []


def test_a_client_that_is_silent_is_asked_once(world: World) -> None:
    peer = world.connected()
    assert peer.session.heartbeat_due()
    (asked,) = peer.received()
    assert (asked.struc_id, asked.kind, asked.flags) == (seg.TSHC, seg.HEARTBEAT, seg.CONFIRM_REQUEST)
    assert not peer.session.heartbeat_due()
    peer.feed(peer.header(seg.HEARTBEAT, 0, 0, plain=True))
    assert peer.session.heartbeat_due()


def test_temporary_queues_are_made_and_go(peer: Peer) -> None:
    od = MQOD()
    od.object_name, od.dynamic_q_name = "SYSTEM.DEFAULT.MODEL.QUEUE", "PEER.*"
    body = od.pack(peer.big_endian, peer.ccsid) + peer.longs(BOTH)
    reply = peer.call(seg.MQOPEN, body)
    made = MQOD.unpack(reply.body, 0, peer.big_endian, peer.ccsid).object_name
    assert made.startswith("PEER.") and made in peer.world.qm.queues
    peer.session.lost()
    assert made not in peer.world.qm.queues


def test_a_message_longer_than_the_channel_allows_closes_the_connection(world: World) -> None:
    world.alter("CHANNEL", "DEV.APP.SVRCONN", MAXMSGL=1000)
    peer = world.connected()
    handle = peer.opened(QUEUE, BOTH)
    assert peer.put(handle, b"x" * 1000).reason == 0
    pmo = MQPMO()
    body = MQMD().pack() + pmo.pack() + peer.longs(1001) + b"x" * 1001
    (closed,) = peer.feed(peer.request(seg.MQPUT, body, handle))
    assert closed.kind == seg.STATUS_DATA and closed.body == peer.longs(8, 18)
    assert world.depth(QUEUE) == 1


def test_a_call_of_many_segments_never_takes_more_memory_than_a_message_may(world: World) -> None:
    world.alter("CHANNEL", "DEV.APP.SVRCONN", MAXMSGL=100_000)
    peer = world.connected()
    part = peer.segment(seg.MQPUT, bytes(32_000), 0)
    peer.feed(peer.segment(seg.MQPUT, bytes(32_000), seg.FIRST))
    for _ in range(100):
        if peer.session.closing:
            break
        peer.feed(part)
    assert peer.session.closing and not world.qm.connections


def test_one_who_is_not_connected_makes_no_long_call(world: World) -> None:
    """MQCONN is short, and nobody knows yet who it is: each of its conversations would take as much as a message."""
    peer = world.peer()
    peer.agree()
    peer.feed(peer.segment(seg.MQCONN, bytes(32_000), seg.FIRST))
    assert not peer.session.closing
    peer.feed(peer.segment(seg.MQCONN, bytes(32_000), 0))
    peer.feed(peer.segment(seg.MQCONN, bytes(32_000), 0))
    assert peer.session.closing


def test_one_whose_connection_was_stopped_in_the_middle_of_a_long_call_hears_2009(world: World) -> None:
    peer = world.connected()
    peer.start_conversation(3)
    peer.connect()
    put = peer.put_request(peer.opened(QUEUE, BOTH), bytes(200_000))
    assert peer.feed(put[:150_000]) == []
    peer.session.conversations[3].stop()
    assert peer.reply_to(peer.feed(put[150_000:])).reason == 2009


def test_answers_that_are_long_are_given_in_turns(world: World) -> None:
    """S1: a client may ask for many messages in one packet."""
    size, count = 1_000_000, 50
    peer = world.connected()
    handle = peer.opened(QUEUE, BOTH | MQOO_BROWSE)
    peer.put(handle, bytes(size))
    ask = peer.get_request(handle, MQGMO_BROWSE_FIRST)
    turns = [peer.feed(count * ask + ask[:100])]
    paused = [peer.session.paused]
    peer.session.received(ask[100:])
    while peer.session.more:
        peer.session.resume()
        turns.append(peer.received())
    assert [*paused, peer.session.paused] == [True, False]
    assert peer.session.bytes_received == len(peer.sent) + len(ask) - 100
    assert max(sum(len(each.body) for each in turn) for turn in turns) < ANSWERS_MAX + 2 * size
    assert sum(each.flags & seg.LAST != 0 for turn in turns for each in turn) == count + 1


def test_message_ids_are_reserved_for_asynchronous_puts(world: World) -> None:
    peer = world.connected()
    frame = peer.longs(6, 1, 44) + b"SPRU" + peer.longs(1, 12) + b"SPRI" + peer.longs(1, 20, 24, 0xFFFFFF)
    seen = set()
    for _ in range(2):
        reply = peer.call(seg.SPI, frame)
        assert reply.reason == 0 and reply.body[24:28] == b"SPRO"
        assert reply.body[36:44] == peer.longs(0x10000, 23)
        first = reply.body[44:68]
        assert first[:4] == b"AMQ " and first[-2:] == b"\0\0"
        seen.add(first[:-2])
    handle = peer.opened(QUEUE, BOTH)
    assert len(seen) == 2 and peer.put(handle, b"").md.msg_id[:-2] not in seen


def test_spi_query_and_open(world: World) -> None:
    peer = world.connected()
    reply = peer.call(seg.SPI, peer.longs(1, 1, 256) + b"SPQU" + peer.longs(1, 12) + b"SPQI" + peer.longs(1, 12))
    assert reply.body[24:28] == b"SPQO" and reply.body[28:40] == peer.longs(1, 256, 12)
    od = MQOD()
    od.version, od.object_name = 2, QUEUE
    lpoo = b"LPOO" + peer.longs(3, BOTH, 32, -1, -1, -1, -1) + b" " * 48 + peer.longs(0, 10240)
    packed = od.pack()
    body = peer.longs(12, 2, 296) + b"SPOU" + peer.longs(1, 12) + b"SPOI" + peer.longs(2, 12 + 88 + 200) + lpoo + packed
    reply = peer.call(seg.SPI, body)
    assert reply.reason == 0 and reply.handle > 0
    assert len(reply.body) + 16 + 36 == 592  # As long as a real queue manager's.
    assert reply.body[116:120] == peer.longs(12 + 88 + 200)
    assert peer.put(reply.handle, b"hello").reason == 0
    unknown = peer.call(seg.SPI, peer.longs(99, 1, 0) + b"SPXU" + peer.longs(1, 12) + b"SPXI" + peer.longs(1, 12))
    assert unknown.reason == 2298
