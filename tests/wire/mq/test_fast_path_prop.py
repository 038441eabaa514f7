"""The straight way and the general way say the same: two worlds get the same bytes, one has no straight way."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.mqi import reason as rc
from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQOO_OUTPUT
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.clock import Clock
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.fast_path import take
from tests.wire.mq.peer import Peer, World

BOTH = MQOO_INPUT_SHARED | MQOO_OUTPUT
QUEUE = "DEV.QUEUE.1"
WAIT, SYNCPOINT, ASYNC = 1, 2, 0x10000
#: MsgIds begin with the name and the creation of the queue manager, and end with a counter that both worlds share.
MSG_ID = re.compile(rb"AMQ QM1.{17}", re.DOTALL)


class Frozen(Clock):
    def now_ms(self) -> int:
        return 1_800_000_000_000


def worlds(**options: object) -> tuple[Peer, Peer]:
    """A client of a world with the straight way, and the same one of a world without."""
    made: list[Peer] = []
    for straight in (True, False):
        world = World()
        world.qm.clock = Frozen()
        peer = world.connected(**options)
        peer.session.uses_fast_path = straight
        made.append(peer)
    return made[0], made[1]


def a_call(peer: Peer, draw: st.DataObject) -> bytes:
    """An MQPUT or MQGET, now and then one that is not quite right."""
    md = MQMD()
    md.version = draw.draw(st.sampled_from([1, 2]))
    md.msg_type = draw.draw(st.sampled_from([8, 8, 1, 2, 0]))
    md.reply_to_q = draw.draw(st.sampled_from(["", "", "DEV.QUEUE.2"]))
    md.correl_id = draw.draw(st.sampled_from([bytes(24), bytes(24), b"c" * 24]))
    md.persistence = draw.draw(st.sampled_from([0, 1, 2, 7]))
    handle = draw.draw(st.sampled_from([2, 2, 2, 3, 9]))
    if draw.draw(st.booleans()):
        pmo = MQPMO()
        pmo.version = draw.draw(st.sampled_from([1, 2, 3]))
        pmo.options = draw.draw(st.sampled_from([4, 4, SYNCPOINT, 4 | ASYNC, 1 << 30]))
        data = bytes(draw.draw(st.sampled_from([0, 3, 2048, 40_000])))
        length = draw.draw(st.sampled_from([len(data), len(data), len(data), len(data) + 1, -1]))
        body = md.pack(peer.big_endian, peer.ccsid) + pmo.pack(peer.big_endian, peer.ccsid) + peer.longs(length) + data
        kind = seg.MQPUT
    else:
        gmo = MQGMO()
        gmo.version = draw.draw(st.sampled_from([1, 2, 3, 4]))
        gmo.options = draw.draw(st.sampled_from([4, 4, SYNCPOINT, 4 | WAIT, 1 << 30]))
        gmo.wait_interval = draw.draw(st.sampled_from([0, 100]))
        gmo.match_options = draw.draw(st.sampled_from([0, 3, 2]))
        length = draw.draw(st.sampled_from([2048, 2048, 1, -1]))
        body = md.pack(peer.big_endian, peer.ccsid) + gmo.pack(peer.big_endian, peer.ccsid) + peer.longs(length)
        kind = seg.MQGET
    cut = draw.draw(st.sampled_from([0, 0, 0, 0, 0, 1, 200, len(body)]))
    return peer.request(kind, body[: len(body) - cut], handle)


@settings(max_examples=60, deadline=None)
@given(st.booleans(), st.sampled_from([1208, 500]), st.sampled_from([0, 10]), st.data())
def test_both_ways_answer_the_same_bytes_to_the_same_bytes(
    big_endian: bool, ccsid: int, sharing: int, data: st.DataObject
) -> None:
    straight, general = worlds(big_endian=big_endian, ccsid=ccsid, sharing=sharing)
    for peer in (straight, general):
        assert peer.open(QUEUE, BOTH).handle == 2
        assert peer.open("DEV.QUEUE.2", BOTH).handle == 3
    for _ in range(data.draw(st.integers(1, 10))):
        calls = [a_call(straight, data) for _ in range(data.draw(st.sampled_from([1, 1, 2, 3])))]
        raw = b"".join(calls) * data.draw(st.sampled_from([1, 1, 2, 4]))
        at = data.draw(st.sampled_from([len(raw), len(raw), 20, 100]))
        answers: list[bytes] = []
        for peer in (straight, general):
            for part in (raw[:at], raw[at:]):
                if part:
                    peer.session.received(part)
                    peer.world.channels.host.turn()
            answers.append(peer.unsent())
            peer.received()
        assert MSG_ID.sub(b"AMQ QM1", answers[0]) == MSG_ID.sub(b"AMQ QM1", answers[1])
        for name in ("calls", "segments_received", "bytes_received", "closing", "force"):
            assert getattr(straight.session, name) == getattr(general.session, name), name
        for queue in (QUEUE, "DEV.QUEUE.2"):
            assert straight.world.depth(queue) == general.world.depth(queue)
        if straight.session.closing:
            return


def test_a_put_like_the_last_one_and_a_get_go_the_straight_way() -> None:
    """Else the test above would compare the general way with itself."""
    straight, _ = worlds()
    handle = straight.opened(QUEUE, BOTH)
    assert straight.put(handle, b"1").reason == 0 and straight.get(handle).data == b"1"
    asked = straight.request(seg.MQGET, straight.get_request(handle)[52:], handle)
    for raw in (straight.request(seg.MQPUT, _a_put(straight), handle), asked):
        assert take(straight.session, raw, 0, len(raw))


def _a_put(peer: Peer) -> bytes:
    return MQMD().pack(peer.big_endian, peer.ccsid) + MQPMO().pack(peer.big_endian, peer.ccsid) + peer.longs(1) + b"2"


def test_a_call_that_was_made_often_is_another_when_its_handle_is_closed() -> None:
    """M3: what is remembered of a call ends with its handle, and with its connection."""
    for peer in worlds():
        for _ in range(2):
            handle = peer.opened(QUEUE, BOTH)
            for number in range(4):
                assert peer.put(handle, b"%d" % number).reason == 0
            for number in range(4):
                assert peer.get(handle).data == b"%d" % number
            assert peer.close(handle).reason == 0
            assert peer.put(handle, b"4").reason == rc.MQRC_HOBJ_ERROR
            assert peer.reply_to(peer.feed(peer.get_request(handle))).reason == rc.MQRC_HOBJ_ERROR
        assert peer.world.depth(QUEUE) == 0


def test_a_call_that_was_made_often_is_another_with_other_ids_data_or_lengths() -> None:
    for peer in worlds():
        handle = peer.opened(QUEUE, BOTH)
        for n in range(12):
            data = b"%d" % (n // 4 * 1000)
            md = MQMD()
            md.correl_id = b"%24d" % n
            assert peer.put(handle, data, md=md).reason == 0
        for n in range(12):
            got = peer.get(handle)
            assert got.data == b"%d" % (n // 4 * 1000) and got.md.correl_id == b"%24d" % n


def test_a_client_that_puts_to_two_queues_in_turns_is_understood() -> None:
    """What is remembered is remembered for each handle."""
    for peer in worlds():
        handles = [peer.opened(name, BOTH) for name in (QUEUE, "DEV.QUEUE.2")]
        for n in range(10):
            for handle in handles:
                assert peer.put(handle, b"%d of %d" % (n, handle)).reason == 0
        for n in range(10):
            assert [peer.get(handle).data for handle in handles] == [b"%d of %d" % (n, handle) for handle in handles]
