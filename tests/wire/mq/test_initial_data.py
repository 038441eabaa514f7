"""Negotiation: what an IBM client of 9.4.5 offers, and what it is answered."""

from __future__ import annotations

import pytest

from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.errors import ChannelError
from flintmq.wire.mq.initial_data import SIZE, InitialData
from tests.wire.mq.peer import World

#: Recorded from the IBM MQ classes for Java 9.4.5.
OFFER = bytes.fromhex(
    "49442020112600000000000000007fec0640000000000000"
    "4445562e4150502e535652434f4e4e202020202051000333514d3120202020202020202020202020202020202020202020202020"
    "202020202020202020202020202020202020202000000001008a000000ff00ffffffffffffffffffffffffffffff000000000000"
    "0000000a280000000000528200000001000000014d514a42303930343035303043414e4e45445f44415441202020202020202020"
    "202020202020202020202020202020202020202020202020202020200001" + "0000" + "ffff" * 8 + "a07e7009df632ac0ec6c3405"
)


def test_the_offer_of_an_ibm_client_is_read_and_written() -> None:
    offer = InitialData.unpack(OFFER, True, 819)
    assert (offer.fap_level, offer.channel_name, offer.q_mgr_name) == (17, "DEV.APP.SVRCONN", "QM1")
    assert (offer.max_transmission_size, offer.max_message_size) == (32748, 104_857_600)
    assert (offer.conversations_per_socket, offer.heartbeat_interval, offer.product_id) == (10, 1, "MQJB09040500")
    assert offer.protection[:3] == (1, 0, 0xFFFF) and offer.random == OFFER[-12:]
    assert offer.pack(True, 819) == OFFER


@pytest.mark.parametrize("size", [44, 102, 208, 240])
def test_a_shorter_structure_is_read_as_if_the_rest_were_zero(size: int) -> None:
    offer = InitialData.unpack(OFFER[:size], True, 819)
    assert offer.channel_name == "DEV.APP.SVRCONN"
    assert offer.conversations_per_socket == (10 if size >= 208 else 0)
    assert len(offer.pack(False, 819, size)) == size


@pytest.mark.parametrize("body", [b"", OFFER[:43], b"XX  " + OFFER[4:]])
def test_what_is_no_initial_data_is_refused(body: bytes) -> None:
    with pytest.raises(ChannelError):
        InitialData.unpack(body, True, 819)


@pytest.mark.parametrize("big_endian", [True, False])
def test_what_we_cannot_do_is_answered_with_what_we_can(big_endian: bool) -> None:
    world = World()
    peer = world.peer(big_endian=big_endian)
    (answered,) = peer.propose(peer.offer())
    answer = InitialData.unpack(answered.body, answered.big_endian, answered.ccsid)
    assert answered.flags & seg.ERROR and len(answered.body) == SIZE
    assert answer.fap_level == 12  # The last level at which a password can be read: docs/wire-protocol.md.
    assert (answer.max_message_size, answer.heartbeat_interval) == (4_194_304, 300)
    assert answer.init_err_flags_1 == 0x98  # Heartbeat, message size, level.
    assert answer.err_cap_flags_3 == 0x08
    assert (answer.q_mgr_name, answer.channel_name) == ("QM1", "DEV.APP.SVRCONN")


def test_an_offer_that_suits_is_accepted_at_once() -> None:
    peer = World().peer(fap=12)
    offer = peer.offer()
    offer.max_message_size, offer.heartbeat_interval, offer.cap_flags_3 = 4_194_304, 300, 0
    (answered,) = peer.propose(offer)
    assert answered.flags == 0


@pytest.mark.parametrize(("asked", "channel", "agreed"), [(10, 10, 10), (10, 1, 1), (1, 10, 1), (10, 0, 0), (0, 10, 0)])
def test_the_lower_number_of_conversations_is_agreed(asked: int, channel: int, agreed: int) -> None:
    world = World()
    world.alter("CHANNEL", "DEV.APP.SVRCONN", SHARECNV=channel)
    peer = world.peer(sharing=asked)
    assert peer.agree().conversations_per_socket == agreed
    assert peer.connect().reason == 0
    assert peer.segments[0].struc_id == (seg.TSHM if agreed else seg.TSH)


@pytest.mark.parametrize(("name", "status"), [("NO.SUCH.CHANNEL", 1), ("", 1)])
def test_an_unknown_channel_is_status_1(name: str, status: int) -> None:
    world = World()
    peer = world.peer(channel=name)
    (answered,) = peer.propose(peer.offer())
    assert answered.kind == seg.STATUS_DATA and answered.body == peer.longs(8, status)
    assert peer.session.closing
    assert [number for number, _ in world.qm.notices] == ["AMQ9519E"]


def test_a_client_without_tls_is_refused_on_a_channel_that_wants_it() -> None:
    world = World()
    world.alter("CHANNEL", "DEV.APP.SVRCONN", SSLCIPH="ANY_TLS12_OR_HIGHER")
    peer = world.peer()
    (answered,) = peer.propose(peer.offer())
    assert answered.body == peer.longs(8, 24)


def test_a_message_channel_is_refused() -> None:
    peer = World().peer()
    offer = peer.offer()
    offer.cap_flags_1 = 0x07
    (answered,) = peer.propose(offer)
    assert answered.body == peer.longs(8, 22)


def test_a_character_set_that_nobody_knows_is_refused() -> None:
    peer = World().peer()
    body = peer.offer().pack(False, 1208)
    peer.ccsid = 4242
    (answered,) = peer.feed(peer.header(seg.INITIAL_DATA, 0x31, len(body)) + body)
    assert answered.body == peer.longs(8, 240)
