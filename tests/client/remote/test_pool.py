"""A pool of connections: given out, given back clean, and never more than there may be."""

from __future__ import annotations

import threading

import pytest

import flintmq
from flintmq.mqi import reason as rc
from tests.client.remote.serving import CHANNEL, QUEUE, Serving
from tests.waiting import PATIENCE


def make(serving: Serving, size: int) -> flintmq.ConnectionPool:
    return flintmq.pool("QM1", size=size, channel=CHANNEL, conn=serving.conn, timeout=PATIENCE)


def test_connections_are_used_again(serving: Serving) -> None:
    with make(serving, 2) as pool:
        with pool.connection() as first, pool.connection() as second:
            assert first is not second and pool.in_use == 2 and pool.name == "QM1"
            first.queue(QUEUE).put(b"1")
        with pool.connection() as third:
            assert third in (first, second) and third.queue(QUEUE).get().data == b"1"
        assert pool.in_use == 0


def test_what_was_not_committed_is_backed_out_when_a_connection_is_given_back(serving: Serving) -> None:
    with make(serving, 1) as pool:
        with pool.connection() as connection:
            connection.queue(QUEUE).put(b"never", syncpoint=True)
        with pool.connection() as same:
            assert same is connection and same.queue(QUEUE).depth == 0


def test_no_more_than_there_may_be_are_given_out(serving: Serving) -> None:
    with make(serving, 1) as pool:
        with pool.connection(), pytest.raises(flintmq.MQError) as full, pool.connection(timeout=0.05):
            pass
        assert full.value.reason == rc.MQRC_MAX_CONNS_LIMIT_REACHED
        got: list[int] = []

        def use() -> None:
            with pool.connection() as connection:
                got.append(connection.queue(QUEUE).depth)

        with pool.connection():
            waiting = threading.Thread(target=use)
            waiting.start()
        waiting.join(PATIENCE)
        assert got == [0]
    with pytest.raises(ValueError, match="one connection or more"):
        make(serving, 0)


def test_a_broken_connection_is_not_given_out_again(serving: Serving) -> None:
    with make(serving, 1) as pool:
        with pool.connection() as connection:
            connection.queue(QUEUE)
        connection._mqi.wire.interrupt()
        with pool.connection() as another:
            assert another is not connection
            another.queue(QUEUE).put(b"")


def test_a_closed_pool_gives_nothing(serving: Serving) -> None:
    pool = make(serving, 2)
    with pool.connection() as connection:
        pool.close()
    assert not connection._usable()
    with pytest.raises(flintmq.NotConnected), pool.connection():
        pass
