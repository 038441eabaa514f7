"""COMMIT among calls that are sent together (bulk.py): it depends on the calls before, and those after depend on it."""

from __future__ import annotations

import pytest

from flintmq.mqi.constants import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED, MQOO_OUTPUT, MQPMO_NEW_MSG_ID, MQPMO_SYNCPOINT
from flintmq.mqi.reason import MQRC_CALL_INTERRUPTED, MQRC_NO_MSG_AVAILABLE, MQRC_OPTIONS_ERROR, MQRC_Q_FULL
from flintmq.wire.mq import bulk
from flintmq.wire.mq import segment as seg
from tests.wire.mq.peer import Peer, Reply, World
from tests.wire.mq.test_bulk_calls import framed

QUEUE, SMALL = "DEV.QUEUE.1", "DEV.QUEUE.2"
IN_UNIT = MQPMO_SYNCPOINT | MQPMO_NEW_MSG_ID


@pytest.fixture(params=[False, True], ids=["little", "big"])
def peer(request: pytest.FixtureRequest) -> Peer:
    world = World()
    world.alter("QLOCAL", SMALL, MAXDEPTH=1)
    return world.connected(big_endian=request.param)


def commit(peer: Peer, before: int, after: int, commits: int = 1) -> Reply:
    return peer.call(seg.SPI, framed(peer, bulk.COMMIT, peer.longs(before, after, commits)))


def opened(peer: Peer) -> tuple[int, int]:
    options = MQOO_INPUT_SHARED | MQOO_OUTPUT
    return peer.opened(QUEUE, options), peer.opened(SMALL, options)


def test_it_commits_what_succeeded_and_the_next_call_is_made(peer: Peer) -> None:
    queue, _ = opened(peer)
    peer.put(queue, b"1", IN_UNIT)
    assert commit(peer, 1, 1).completion == 0
    assert peer.got(peer.feed(peer.get_request(queue, MQGMO_SYNCPOINT))).completion == 0
    assert peer.backout().completion == 0
    assert peer.world.depth(QUEUE) == 1


def test_a_call_before_that_failed_keeps_it_from_committing_and_calls_after_are_refused(peer: Peer) -> None:
    queue, small = opened(peer)
    assert peer.put(small, b"full").completion == 0
    peer.put(queue, b"1", IN_UNIT)
    assert peer.put(small, b"2", IN_UNIT).reason == MQRC_Q_FULL
    refused = commit(peer, 2, 2)
    assert (refused.completion, refused.reason) == (2, MQRC_CALL_INTERRUPTED)
    for _ in range(2):
        assert peer.get(queue).reason == MQRC_CALL_INTERRUPTED
    assert peer.get(small).completion == 0  # The chain is over.
    assert peer.backout().completion == 0
    assert peer.world.depth(QUEUE) == 0


def test_a_failure_further_back_is_no_concern(peer: Peer) -> None:
    queue, small = opened(peer)
    assert peer.get(small).reason == MQRC_NO_MSG_AVAILABLE
    peer.put(queue, b"1", IN_UNIT)
    assert commit(peer, 1, 1).completion == 0
    assert peer.world.depth(QUEUE) == 1


def test_without_commit_it_only_looks_at_the_calls_before(peer: Peer) -> None:
    queue, small = opened(peer)
    peer.put(queue, b"1", IN_UNIT)
    assert commit(peer, 1, 1, 0).completion == 0
    assert peer.get(small).reason == MQRC_NO_MSG_AVAILABLE
    assert commit(peer, 1, 1, 0).reason == MQRC_CALL_INTERRUPTED
    assert peer.get(small).reason == MQRC_CALL_INTERRUPTED
    assert peer.backout().completion == 0
    assert peer.world.depth(QUEUE) == 0


def test_numbers_that_are_none_are_refused(peer: Peer) -> None:
    assert commit(peer, -1, 1).reason == MQRC_OPTIONS_ERROR
    assert commit(peer, 0, -1).reason == MQRC_OPTIONS_ERROR
    assert commit(peer, 0, 0).completion == 0
