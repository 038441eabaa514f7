"""Many messages in one call (bulk.py): what comes of it is what as many calls of the MQI would have done."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import pytest

from flintmq.client.remote.bulk import Browsed
from flintmq.client.remote.session import CallReply
from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_SYNCPOINT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_NEW_MSG_ID,
    MQPMO_SYNCPOINT,
    MQSTAT_TYPE_ASYNC_ERROR,
)
from flintmq.mqi.md import MQMD, SIZE_2
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.sts import MQSTS
from flintmq.wire.mq import bulk, spi
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.segment import Segment
from tests.wire.mq.peer import Peer, Reply, World

QUEUE = "DEV.QUEUE.1"
ALL = MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE
EVERYTHING = bulk.WANT_PUT_AT | bulk.WANT_DESCRIPTOR | bulk.WANT_DATA
BRIEF = bulk.WANT_DATA


@pytest.fixture(params=[False, True], ids=["little", "big"])
def peer(request: pytest.FixtureRequest) -> Peer:
    return World().connected(big_endian=request.param)


def framed(peer: Peer, verb: int, payload: bytes, reply_size: int = 1 << 20) -> bytes:
    body = peer.longs(verb, 1, reply_size) + peer.text("SPFU", 4) + peer.longs(1, 12)
    return body + peer.text("SPFI", 4) + peer.longs(1, 12 + len(payload)) + payload


def call(peer: Peer, verb: int, payload: bytes, handle: int) -> Reply:
    return peer.call(seg.SPI, framed(peer, verb, payload), handle)


@dataclass
class Row:
    position: int
    put_at: bytes
    descriptor: bytes
    data: bytes
    format: bytes


def browse(
    peer: Peer, handle: int, options: int = MQGMO_BROWSE_FIRST, wanted: int = EVERYTHING, most: int = 100,
    room: int = 1 << 20, token: bytes = bytes(16),
) -> tuple[list[Row], bool]:  # fmt: skip
    """The rows of a BROWSE, read as the client does, and whether there is no more."""
    reply = call(peer, bulk.BROWSE, peer.longs(wanted, options, most, room) + token, handle)
    assert (reply.completion, reply.reason) == (0, 0)
    head = struct.pack(">I", 0) + peer.longs(0, 0, handle)
    said = Browsed(CallReply(Segment(seg.TSHM, 0, seg.ONLY, 0, 0, peer.big_endian, b""), head + reply.body), wanted)
    order = ">" if peer.big_endian else "<"
    lengths = struct.unpack(f"{order}{len(said.lengths) // 4}i", said.lengths) or (0,) * said.count
    rows: list[Row] = []
    at = 0
    for number in range(said.count):
        rows.append(
            Row(
                struct.unpack_from(order + "q", said.positions, 8 * number)[0],
                bytes(said.put_at[16 * number : 16 * number + 16]),
                bytes(said.descriptors[SIZE_2 * number : SIZE_2 * (number + 1)]),
                bytes(said.data[at : at + lengths[number]]),
                bytes(said.formats[8 * number : 8 * number + 8]),
            )
        )
        at += lengths[number]
    assert at == len(said.data)
    return rows, said.ends


def take(peer: Peer, handle: int, *ranges: tuple[int, int], options: int = MQGMO_SYNCPOINT) -> Reply:
    queue = peer.world.qm.queues[QUEUE]
    order = ">" if peer.big_endian else "<"
    payload = peer.longs(options, len(ranges)) + queue.tokens.front
    payload += b"".join(struct.pack(order + "qq", *each) for each in ranges)
    return call(peer, bulk.GET, payload, handle)


def put_payload(peer: Peer, bodies: list[bytes], options: int, md: MQMD | None = None) -> bytes:
    pmo = MQPMO()
    pmo.options = options
    front = (md or MQMD()).pack(peer.big_endian, peer.ccsid) + pmo.pack(peer.big_endian, peer.ccsid)
    return front + peer.longs(len(bodies), *map(len, bodies)) + b"".join(bodies)


def filled(peer: Peer, *bodies: bytes) -> int:
    handle = peer.opened(QUEUE, ALL)
    for body in bodies:
        assert peer.put(handle, body).reason == 0
    return handle


@pytest.mark.parametrize(("size", "told"), [(264, []), (1 << 20, []), (bulk.ASKS, list(bulk.VERBS))])
def test_only_a_client_that_asks_for_them_hears_of_these_verbs(peer: Peer, size: int, told: list[int]) -> None:
    reply = peer.call(seg.SPI, framed(peer, spi.QUERY, b"", size).replace(b"SPF", b"SPQ"))
    order = ">" if peer.big_endian else "<"
    (count,) = struct.unpack_from(order + "i", reply.body, spi.FRAME)
    entries = struct.unpack_from(f"{order}{5 * count}i", reply.body, spi.FRAME + 4)
    assert len(reply.body) == spi.FRAME + 4 + 20 * count
    assert list(entries[0 : 5 * spi.VERBS_MAX : 5]) == [
        verb if verb in spi.VERBS else 0 for verb in range(1, spi.VERBS_MAX + 1)
    ]
    assert list(entries[5 * spi.VERBS_MAX :: 5]) == told


def test_a_browse_brings_what_single_browses_bring(peer: Peer) -> None:
    handle = filled(peer, b"one", b"", b"three" * 20_000)
    other = peer.opened(QUEUE, MQOO_BROWSE)
    single = [peer.get(other, MQGMO_BROWSE_FIRST)] + [peer.get(other, MQGMO_BROWSE_NEXT) for _ in range(2)]

    rows, ends = browse(peer, handle)

    assert ends and [row.position for row in rows] == [1, 2, 3]
    assert [row.data for row in rows] == [each.data for each in single] == [b"one", b"", b"three" * 20_000]
    for row, each in zip(rows, single, strict=True):
        md = MQMD.unpack(row.descriptor, 0, peer.big_endian, peer.ccsid)
        assert (md.version, md.msg_id, md.put_date + md.put_time) == (2, each.md.msg_id, row.put_at.decode())
        assert md.pack() == each.md.pack()
    assert [row.data for row in browse(peer, handle, wanted=BRIEF)[0]] == [each.data for each in single]
    assert [row.position for row in browse(peer, handle, wanted=bulk.WANT_PUT_AT)[0]] == [1, 2, 3]
    assert peer.world.depth(QUEUE) == 3


def test_a_browse_goes_on_where_the_last_one_stopped(peer: Peer) -> None:
    handle = filled(peer, *(b"%d" % number for number in range(7)))
    rows, ends = browse(peer, handle, most=3)
    assert ([row.data for row in rows], ends) == ([b"0", b"1", b"2"], False)
    rows, ends = browse(peer, handle, MQGMO_BROWSE_NEXT, most=3)
    assert ([row.data for row in rows], ends) == ([b"3", b"4", b"5"], False)
    rows, ends = browse(peer, handle, MQGMO_BROWSE_NEXT, most=3)
    assert ([row.data for row in rows], ends) == ([b"6"], True)
    assert browse(peer, handle, MQGMO_BROWSE_NEXT) == ([], True)
    token = peer.world.qm.queues[QUEUE].tokens.front + (5).to_bytes(8, "big")
    assert [row.data for row in browse(peer, handle, token=token)[0]] == [b"4", b"5", b"6"]
    assert browse(peer, handle, token=token[:15] + b"\x63") == ([], True)


def test_a_message_that_does_not_fit_the_room_is_the_first_of_the_next_call(peer: Peer) -> None:
    handle = filled(peer, b"a" * 60, b"b" * 60, b"c" * 500, b"d")
    found = [browse(peer, handle, room=150)]
    while not found[-1][1]:
        found.append(browse(peer, handle, MQGMO_BROWSE_NEXT, room=150))
    assert [[row.data[:1] for row in rows] for rows, _ in found if rows] == [[b"a", b"b"], [b"c"], [b"d"]]


def test_a_message_that_somebody_has_in_a_unit_of_work_is_not_browsed(peer: Peer) -> None:
    handle = filled(peer, b"one", b"two", b"three")
    other = peer.world.connected(big_endian=peer.big_endian)
    assert other.get(other.opened(QUEUE, ALL), MQGMO_SYNCPOINT).data == b"one"
    assert other.put(other.opened(QUEUE, ALL), b"four", MQPMO_SYNCPOINT).reason == 0

    assert [row.data for row in browse(peer, handle)[0]] == [b"two", b"three"]

    other.backout()
    assert [row.data for row in browse(peer, handle)[0]] == [b"one", b"two", b"three"]


def test_a_client_that_does_not_wait_for_answers_is_not_answered_without_end(peer: Peer) -> None:
    handle = filled(peer, b"x" * 900_000)
    wish = framed(peer, bulk.BROWSE, peer.longs(BRIEF, MQGMO_BROWSE_FIRST, 1, 1 << 20) + bytes(16))
    peer.session.received(peer.request(seg.SPI, wish, handle) * 40)
    assert 4_500_000 <= len(peer.unsent()) < 5_500_000
    answers = peer.received()
    while peer.session.more:
        peer.session.resume()
        assert len(peer.unsent()) < 5_500_000
        answers = answers + peer.received()
    assert sum(each.flags & seg.LAST != 0 for each in answers) == 40
    assert len(browse(peer, handle)[0]) == 1


def test_ranges_are_got_in_one_unit_of_work(peer: Peer) -> None:
    """Places where nothing is are passed over, those of a message that somebody else has got in between too."""
    handle = filled(peer, *(b"%d" % number for number in range(1, 11)))
    other = peer.world.connected(big_endian=peer.big_endian)
    assert other.get(other.opened(QUEUE, ALL)).data == b"1"

    reply = take(peer, handle, (1, 4), (8, 8), (10, 40))
    assert (reply.reason, struct.unpack_from("<>"[peer.big_endian] + "i", reply.body, spi.FRAME)[0]) == (0, 5)
    assert [row.data for row in browse(other, other.opened(QUEUE, ALL))[0]] == [b"5", b"6", b"7", b"9"]
    peer.backout()
    assert peer.world.depth(QUEUE) == 9

    assert take(peer, handle, (2, 4), (8, 8)).reason == 0
    peer.commit()
    assert [row.data for row in browse(peer, handle)[0]] == [b"5", b"6", b"7", b"9", b"10"]
    peer.world.qm.check()


def test_messages_that_are_put_together_are_what_single_puts_make(peer: Peer) -> None:
    handle = filled(peer, b"single")
    md = MQMD()
    md.format, md.persistence, md.priority = "MQSTR", 1, 3
    assert peer.put(handle, b"x", MQPMO_SYNCPOINT | MQPMO_NEW_MSG_ID, md).reason == 0

    reply = call(peer, bulk.PUT, put_payload(peer, [b"y", b"", b"z" * 40_000], 0x42, md), handle)

    assert (reply.reason, reply.body[spi.FRAME :]) == (0, peer.longs(3))
    other = peer.world.connected(big_endian=peer.big_endian)
    assert len(browse(other, other.opened(QUEUE, ALL))[0]) == 1
    assert len(browse(peer, handle)[0]) == 5  # A unit of work sees its own puts.
    peer.commit()
    rows = browse(peer, handle)[0][:4]
    assert [row.data for row in rows] == [b"x", b"y", b"", b"z" * 40_000]
    one, *more = (MQMD.unpack(row.descriptor, 0, peer.big_endian, peer.ccsid) for row in rows)
    assert len({one.msg_id, *(each.msg_id for each in more)}) == 4
    for each in more:
        each.msg_id, each.put_time, each.put_date = one.msg_id, one.put_time, one.put_date
        assert each.pack() == one.pack()
    peer.world.qm.check()


def test_puts_without_an_answer_are_known_to_mqstat(peer: Peer) -> None:
    """The first that fails is told; a persistent one in syncpoint that was not put dooms the unit."""
    handle = filled(peer)
    peer.world.alter("QLOCAL", QUEUE, MAXDEPTH=2)
    md = MQMD()
    md.persistence = 1
    payload = put_payload(peer, [b"1", b"2", b"3", b"4"], MQPMO_SYNCPOINT | MQPMO_ASYNC_RESPONSE, md)
    assert peer.feed(peer.request(seg.SPI, framed(peer, bulk.PUT, payload), handle)) == []

    body = peer.longs(MQSTAT_TYPE_ASYNC_ERROR) + MQSTS().pack(peer.big_endian, peer.ccsid)
    sts = MQSTS.unpack(peer.call(seg.MQSTAT, body).body, 4, peer.big_endian, peer.ccsid)

    assert (sts.put_success_count, sts.put_failure_count, sts.reason) == (2, 2, 2053)
    assert peer.commit().reason == 2003 and peer.world.depth(QUEUE) == 0


@pytest.mark.parametrize(
    ("verb", "numbers", "reason"),
    [
        (bulk.BROWSE, (7, 0, 10, 1000, 0, 0, 0, 0), 2046),  # Without a way to browse it would take the message.
        (bulk.BROWSE, (7, MQGMO_BROWSE_FIRST | 1, 10, 1000, 0, 0, 0, 0), 2046),  # MQGMO_WAIT.
        (bulk.BROWSE, (7, MQGMO_BROWSE_FIRST, 10, 1000), 2046),
        (bulk.GET, (1 | MQGMO_SYNCPOINT, 0, 0, 0), 2046),
    ],
)
def test_what_would_be_another_kind_of_get_is_refused(
    peer: Peer, verb: int, numbers: tuple[int, ...], reason: int
) -> None:
    handle = filled(peer, b"stays")
    assert call(peer, verb, peer.longs(*numbers), handle).reason == reason
    assert peer.world.depth(QUEUE) == 1


def test_a_handle_that_is_none_or_of_another_kind_is_refused(peer: Peer) -> None:
    filled(peer, b"stays")
    writes = peer.opened(QUEUE, MQOO_OUTPUT)
    wish = peer.longs(EVERYTHING, MQGMO_BROWSE_FIRST, 9, 99) + bytes(16)
    assert call(peer, bulk.BROWSE, wish, 99).reason == 2019
    assert call(peer, bulk.BROWSE, wish, writes).reason == 2036
    assert take(peer, writes, (1, 1)).reason == 2037
    assert call(peer, bulk.PUT, put_payload(peer, [b"x"], 4), peer.opened(QUEUE, MQOO_BROWSE)).reason == 2039
    assert peer.world.depth(QUEUE) == 1


@pytest.mark.parametrize(
    ("verb", "payload"),
    [
        (bulk.BROWSE, b"1234"),
        (bulk.GET, b"\0" * 4),
        (bulk.GET, bytes(4) + b"\x7f\xff\xff\x7f" + bytes(8)),  # Ranges that are not there.
        (bulk.GET, bytes(4) + b"\xff\xff\xff\xff" + bytes(8)),
        (bulk.PUT, b"\0" * 5),
    ],
)
def test_a_call_that_is_cut_short_ends_the_socket_or_is_refused(peer: Peer, verb: int, payload: bytes) -> None:
    handle = filled(peer, b"stays")
    segments = peer.feed(peer.request(seg.SPI, framed(peer, verb, payload), handle))
    assert peer.session.closing or peer.reply_to(segments).completion == 2
    assert peer.world.depth(QUEUE) == 1 and browse(*_another(peer))[0][0].data == b"stays"
    peer.world.qm.check()


@pytest.mark.parametrize(
    "ranges", [[(5, 4)], [(-3, 1)], [(0, bulk.MESSAGES_MAX)], [(1, 1 << 62)], [(7, 7)] * (bulk.MESSAGES_MAX + 1)]
)
def test_a_range_that_is_none_or_too_long_ends_the_socket(peer: Peer, ranges: list[tuple[int, int]]) -> None:
    handle = filled(peer, b"stays")
    payload = peer.longs(MQGMO_SYNCPOINT, len(ranges)) + peer.world.qm.queues[QUEUE].tokens.front
    payload += b"".join(struct.pack("<>"[peer.big_endian] + "qq", *each) for each in ranges)
    peer.feed(peer.request(seg.SPI, framed(peer, bulk.GET, payload), handle))
    assert peer.session.closing and peer.world.depth(QUEUE) == 1


@pytest.mark.parametrize("lengths", [(3, 4), (-1, 4), (1 << 30, 1), (2,)])
def test_lengths_that_do_not_fit_the_data_put_nothing(peer: Peer, lengths: tuple[int, ...]) -> None:
    handle = filled(peer)
    front = put_payload(peer, [], 4)[:-4]
    payload = front + peer.longs(2, *lengths) + b"12345"
    peer.feed(peer.request(seg.SPI, framed(peer, bulk.PUT, payload), handle))
    assert peer.session.closing and peer.world.depth(QUEUE) == 0


def test_more_messages_than_a_call_may_have_put_nothing(peer: Peer) -> None:
    """Others have their turn: a call has room for millions of messages without data."""
    handle = filled(peer)
    payload = put_payload(peer, [b""] * (bulk.MESSAGES_MAX + 1), 4)
    peer.feed(peer.request(seg.SPI, framed(peer, bulk.PUT, payload), handle))
    assert peer.session.closing and peer.world.depth(QUEUE) == 0


def test_as_many_messages_as_a_call_may_have_are_put(peer: Peer) -> None:
    handle = filled(peer)
    assert call(peer, bulk.PUT, put_payload(peer, [b""] * bulk.MESSAGES_MAX, 4), handle).reason == 0
    assert peer.world.depth(QUEUE) == bulk.MESSAGES_MAX


def _another(peer: Peer) -> tuple[Peer, int]:
    other = peer.world.connected(big_endian=peer.big_endian)
    return other, other.opened(QUEUE, ALL)
