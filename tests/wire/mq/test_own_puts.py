"""A unit of work of a client sees its own uncommitted puts, with MQGET and with consumers (issue 14, item 10)."""

from __future__ import annotations

import pytest

from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE
from tests.wire.mq.peer import Peer, World
from tests.wire.mq.test_streaming import BOTH, CONN_STATE, CONSUMER, QUEUE, STARTED, TXN_ALLOWED, messages, put

OTHER = "DEV.QUEUE.2"


@pytest.fixture(params=[True, False], ids=["big", "little"])
def peer(request: pytest.FixtureRequest) -> Peer:
    return World().connected(big_endian=request.param)


def test_a_client_gets_and_browses_what_it_has_put_and_not_committed(peer: Peer) -> None:
    """Often enough for the fast path, on which a call like the last two is not read again."""
    handle = peer.opened(QUEUE, BOTH)
    other = peer.world.connected()
    reading = other.opened(QUEUE, BOTH)
    for number in range(4):
        text = f"own {number}".encode()
        assert peer.put(handle, text, MQPMO_SYNCPOINT).reason == 0
        assert other.get(reading, MQGMO_NO_SYNCPOINT).reason == MQRC_NO_MSG_AVAILABLE
        assert peer.get(handle, MQGMO_NO_SYNCPOINT).reason == MQRC_NO_MSG_AVAILABLE
        assert peer.get(handle, MQGMO_BROWSE_FIRST).data == text
        assert peer.get(handle, MQGMO_SYNCPOINT).data == text
    assert peer.commit().reason == 0
    assert peer.world.depth(QUEUE) == 0
    peer.world.qm.check()


@pytest.mark.parametrize("options", [MQGMO_SYNCPOINT, MQGMO_SYNCPOINT_IF_PERSISTENT])
def test_a_put_in_a_callback_wakes_another_consumer_of_the_connection(peer: Peer, options: int) -> None:
    first, second = peer.opened(QUEUE, BOTH), peer.opened(OTHER, BOTH)
    peer.notify(-1, CONN_STATE, STARTED)
    peer.notify(-1, TXN_ALLOWED, 0)
    for handle in (first, second):
        assert peer.want(handle, flags=CONSUMER, options=options) == []
    put(peer.world, b"P1")
    assert messages(peer, peer.received()) == [b"P1"]
    md = MQMD()
    md.persistence = 1

    assert peer.put(second, b"P2", MQPMO_SYNCPOINT, md).reason == 0

    assert messages(peer, peer.want(first, flags=CONSUMER, options=options, received=366)) == [b"P2"]
    assert peer.commit().reason == 0
    assert peer.world.depth(QUEUE) == peer.world.depth(OTHER) == 0
    peer.world.qm.check()
