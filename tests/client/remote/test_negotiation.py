"""What is agreed on: levels, lengths, byte order and character set are the server's, and the client follows."""

from __future__ import annotations

import pytest

import flintmq
from flintmq.client.remote.session import AGREED, ClientSession
from flintmq.mqi import constants as mq
from flintmq.mqi.property_values import Value
from flintmq.wire.mq import channel_instance as server
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.initial_data import CAP2_XAREQUEST, InitialData
from tests.client.remote.serving import CHANNEL, QUEUE, Serving


@pytest.mark.parametrize(("big_endian", "ccsid"), [(True, 500), (True, 819), (False, 1208), (True, 1047), (False, 850)])
def test_a_queue_manager_is_understood_in_its_own_byte_order_and_character_set(
    serving: Serving, big_endian: bool, ccsid: int
) -> None:
    """As one of z/OS is: big-endian, EBCDIC."""
    make = serving.channels.instance

    def instance(address: str) -> server.ChannelInstance:
        made = make(address)
        made.big_endian, made.ccsid, made._tail = big_endian, ccsid, seg.tail(big_endian, ccsid)
        return made

    serving.channels.instance = instance  # type: ignore[method-assign]
    serving.qm.mqsc("DEFINE NAMELIST(N) NAMES(A,B)")
    with serving.connect(user="app", password="x") as qm:
        wire = qm.mqi.wire
        assert (wire.session.big_endian, wire.session.ccsid, qm.name) == (big_endian, ccsid, "QM1")
        queue = qm.queue(QUEUE)
        given: dict[str, Value] = {"color": "gr\u00fcn", "n": 3}
        queue.put("gr\u00fcn" * 20_000, properties=given, correlation_id=b"7", reply_to="REPLIES")
        assert queue.depth == 1
        message = queue.get(selector="n = 3", wait=5.0)
        assert (message.text, message.properties, message.reply_to) == ("gr\u00fcn" * 20_000, given, "REPLIES")
        with qm.subscribe("prices/#") as prices:
            qm.topic("prices/gold").publish("1811.40")
            assert prices.get(wait=5.0).topic == "prices/gold"
        with pytest.raises(flintmq.UnknownObject, match="NO.SUCH"):
            qm.queue("NO.SUCH")
        assert qm.mqi.stat(mq.MQSTAT_TYPE_ASYNC_ERROR).put_failure_count == 0


def test_what_the_server_has_less_of_is_not_used() -> None:
    """An old queue manager: level 9, small segments, no XA."""
    session = ClientSession(CHANNEL, "QM1")
    session.offer()
    first = InitialData.unpack(session.out[0][28:], False, 1208)
    assert (first.fap_level, first.channel_name, first.conversations_per_socket) == (12, CHANNEL, 0)
    answer = InitialData()
    answer.fap_level, answer.cap_flags_1, answer.cap_flags_2 = 9, 0x26, 0x01
    answer.max_transmission_size, answer.max_message_size, answer.heartbeat_interval = 4096, 10_000, 60
    answer.init_err_flags_1 = 0x9C
    tail = seg.tail(True, 819)
    session.out.clear()
    session.received(seg.write(seg.INITIAL_DATA, seg.ERROR, True, tail, answer.pack(True, 819)))
    again = InitialData.unpack(session.out[0][28:], True, 819)
    assert (again.fap_level, again.max_transmission_size, again.max_message_size) == (9, 4096, 10_000)
    assert again.heartbeat_interval == 60
    answer.init_err_flags_1 = 0
    session.received(seg.write(seg.INITIAL_DATA, 0, True, tail, answer.pack(True, 819)))
    assert session.state == AGREED and session.big_endian and not session.terms.cap_flags_2 & CAP2_XAREQUEST
    sent = session.request(seg.MQPUT, 2, bytes(9000))
    lengths = []
    while sent:
        segment = seg.read(sent[: seg.segment_length(sent, 0)])
        lengths.append((len(segment.body), segment.flags))
        sent = sent[len(segment.body) + 28 :]
    assert [flags for _, flags in lengths] == [seg.FIRST, 0, seg.LAST] and max(lengths)[0] == 4096 - 28


def test_a_heartbeat_is_answered_and_a_socket_that_shares_says_so() -> None:
    for sharing, struc_id in ((0, seg.TSH), (1, seg.TSHC)):
        session = ClientSession(CHANNEL, "QM1", sharing)
        session.offer()
        answer = InitialData()
        answer.fap_level, answer.cap_flags_1 = 12, 0x26
        answer.max_transmission_size, answer.max_message_size = 32748, 4 * 1024 * 1024
        answer.conversations_per_socket = 10
        tail = seg.tail(False, 1208)
        session.received(seg.write(seg.INITIAL_DATA, 0, False, tail, answer.pack(False, 1208)))
        assert session.shared is bool(sharing)
        session.out.clear()
        session.received(seg.write(seg.HEARTBEAT, seg.CONFIRM_REQUEST | seg.ONLY, False, tail, b"", struc_id))
        (sent,) = session.out
        assert sent[:4] == struc_id and seg.read(sent).kind == seg.HEARTBEAT
        session.out.clear()
        session.received(seg.write(seg.HEARTBEAT, seg.ONLY, False, tail, b"", struc_id))
        assert session.out == []


def test_a_waiting_get_outlives_heartbeats(serving: Serving) -> None:
    serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) HBINT(1)")
    with serving.connect() as qm:
        with pytest.raises(flintmq.NoMessageAvailable):
            qm.queue(QUEUE).get(wait=2.6)
        qm.queue(QUEUE).put(b"")
