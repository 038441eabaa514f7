"""Whatever a client sends, only its own session ends (S2), and no more than one notice is written for it."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.mqi.constants import MQGMO_WAIT, MQOO_BROWSE, MQOO_INPUT_SHARED, MQOO_OUTPUT
from tests.wire.mq.peer import Peer, World

BOTH = MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE


def recorded(big_endian: bool) -> list[bytes]:
    """The segments of a client that does a little of everything."""
    peer = World().peer(big_endian=big_endian)
    parts: list[bytes] = []

    def note() -> None:
        if peer.sent:
            parts.append(peer.sent)
            peer.sent = b""

    peer.agree()
    note()
    peer.connect(password="secret")
    note()
    handle = peer.opened("DEV.QUEUE.1", BOTH)
    note()
    for size in (10, 50_000):
        peer.put(handle, b"x" * size, 2)
        note()
    peer.commit()
    note()
    peer.get(handle)
    note()
    peer.want(handle, room=100_000)
    note()
    peer.notify(-1, 3, 2, confirm=True)
    note()
    peer.start_conversation(3)
    note()
    peer.connect()
    note()
    peer.feed(peer.get_request(peer.opened("DEV.QUEUE.2", BOTH), MQGMO_WAIT, wait=-1))
    note()
    peer.disconnect()
    note()
    return parts


RECORDED = {order: recorded(order) for order in (False, True)}
WORLD = World()


def unharmed(fuzzed: Peer) -> None:
    """The queue manager is as it should be, and another client is served."""
    notices = [text for number, text in WORLD.qm.notices if number.startswith("AMQ9")]
    assert len(notices) <= 1
    WORLD.qm.notices.clear()
    fuzzed.session.lost()
    WORLD.channels.host.turn()
    assert not WORLD.qm.connections and not WORLD.channels.sessions and WORLD.qm.waiting == 0
    other = WORLD.connected()
    handle = other.opened("DEV.QUEUE.3", BOTH)
    assert other.put(handle, b"still here").reason == 0
    assert other.get(handle).data == b"still here"
    other.disconnect()
    other.session.lost()
    for name in ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"):
        WORLD.admin.clear(name)
    WORLD.qm.check()


@settings(max_examples=150, deadline=None)
@given(st.booleans(), st.randoms(use_true_random=False))
def test_a_damaged_conversation_harms_nobody_else(big_endian: bool, chance: random.Random) -> None:
    peer = WORLD.peer(big_endian=big_endian)
    parts = list(RECORDED[big_endian])
    for _ in range(chance.randint(1, 3)):
        number = chance.randrange(len(parts))
        part = bytearray(parts[number])
        for _ in range(chance.choice((1, 1, 4, 40))):
            at = chance.randrange(len(part))
            how = chance.randrange(4)
            if how == 0:
                part[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
            elif how == 1 and len(part) > 1:
                del part[at]
            elif how == 2:
                part[at:at] = chance.randbytes(chance.randint(1, 8))
            else:
                part[at : at + 4] = chance.choice((b"\xff" * 4, bytes(4), b"\x7f\xff\xff\xff", chance.randbytes(4)))
        parts[number] = bytes(part)
    if chance.randrange(4) == 0:
        chance.shuffle(parts)
    for damaged in parts:
        peer.session.received(damaged)
        WORLD.channels.host.turn()
        peer.received()
    unharmed(peer)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 12))
def test_garbage_at_any_moment_harms_nobody_else(garbage: bytes, moment: int) -> None:
    peer = WORLD.peer()
    for part in RECORDED[False][:moment]:
        peer.feed(part)
    peer.feed(garbage)
    peer.feed(garbage)
    unharmed(peer)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 255), st.binary(max_size=400), st.integers(0, 255), st.booleans())
def test_any_segment_with_any_body_harms_nobody_else(kind: int, body: bytes, flags: int, big_endian: bool) -> None:
    peer = WORLD.connected(big_endian=big_endian)
    handle = peer.opened("DEV.QUEUE.1", BOTH)
    peer.feed(peer.request(kind, body, handle))
    if not peer.session.closing:
        peer.feed(peer.segment(kind, body, flags))
    unharmed(peer)
