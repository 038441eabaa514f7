"""What a get reads back from the page set leaves memory again: the buffer pool is never much more than full (B144).

Each of these calls reads back more than it takes. `peak` is how full the pool was at any call and at any read of the
page set within it.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from flintmq.mqi.constants import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_LOGICAL_ORDER,
    MQMF_MSG_IN_GROUP,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_MSG_TOKEN,
    MQMO_NONE,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
)
from flintmq.mqi.od import MQOD
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_NONE, MQRC_TRUNCATED_MSG_FAILED
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.paging import pager_of
from flintmq.qmgr.queue_manager import RELIEF_PAGES
from flintmq.store.memory_pageset import MemoryPageSet
from tests.qmgr.conftest import Answered, App
from tests.qmgr.machine import Definition, Machine, Watched, fill
from tests.qmgr.pubsub import Broker, drain, publish, subscribe

BUFFERS = 200
#: A chunk has at most so many messages.
CHUNK = 128
DEPTH = 2000


class Deep(Machine):
    """A queue manager with queues deeper than its buffer pool, which knows how full that has been."""

    def __init__(self, *names: str, **attributes: str) -> None:
        self.watched = Watched(MemoryPageSet())
        objects: list[Definition] = [
            ("QLOCAL", name, {"MAXDEPTH": 999_999_999, **attributes}) for name in names or ("Q",)
        ]
        super().__init__("memory", None, objects, BUFFERS, page_sets={0: self.watched})
        self.app: App = self.connect()
        self.peak = 0

    def look(self) -> None:
        """Note how full the pool is now, and from now on at every read."""
        self.peak = max(self.peak, self.qm.pools[0].used)
        self.watched.before_read = self.look

    def get(self, queue: str | Handle = "Q", max_length: int = -1, **fields: Any) -> Answered:
        self.look()
        got = self.app.get(queue, max_length=max_length, **fields)
        self.look()
        return got

    def stayed_within_the_pool(self) -> bool:
        self.qm.check()
        return 0 < self.peak <= BUFFERS + CHUNK

    def select(self, selector: str) -> Handle:
        od = MQOD()
        od.version, od.object_name, od.selection_string = 4, "Q", selector
        handle = self.qm.open(self.app.connection, od, MQOO_INPUT_SHARED | MQOO_BROWSE)
        assert handle is not None, self.app.connection.reason
        return handle

    def tokens(self) -> dict[bytes, bytes]:
        """The data of the messages by their tokens."""
        found: dict[bytes, bytes] = {}
        seen = self.app.browse("Q", first=True, match_options=MQMO_NONE)
        while seen.reason == MQRC_NONE:
            found[seen.gmo.msg_token] = seen.data
            seen = self.app.browse("Q", match_options=MQMO_NONE)
        return found


def in_any_order(values: list[bytes]) -> list[bytes]:
    return Random(1).sample(values, len(values))


@pytest.mark.parametrize("syncpoint", [False, True])
def test_gets_by_token_in_any_order(syncpoint: bool) -> None:
    """Each message that is got is the one that the token names, and when all are got nothing is left."""
    deep = Deep()
    fill(deep.app, "Q", DEPTH, persistence=1)
    tokens = deep.tokens()
    for token in in_any_order(sorted(tokens)):
        got = deep.get(match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token, syncpoint=syncpoint)
        assert (got.reason, got.data) == (MQRC_NONE, tokens[token])
        assert deep.app.commit() == MQRC_NONE
    assert deep.depth("Q") == 0
    assert deep.stayed_within_the_pool()


def test_gets_by_token_that_leave_the_message_where_it_is() -> None:
    """2080: it does not fit into the buffer of the application."""
    deep = Deep()
    put = fill(deep.app, "Q", DEPTH)
    for token in in_any_order(sorted(deep.tokens())):
        got = deep.get(max_length=0, match_options=MQMO_MATCH_MSG_TOKEN, msg_token=token)
        assert got.reason == MQRC_TRUNCATED_MSG_FAILED
    assert deep.stayed_within_the_pool()
    assert deep.app.drain("Q") == put


@pytest.mark.parametrize("index", ["NONE", "CORRELID"])
def test_gets_by_id_that_leave_the_message_where_it_is(index: str) -> None:
    deep = Deep(INDXTYPE=index)
    ids = [number.to_bytes(24, "big") for number in range(1, DEPTH // 2)]
    for correl_id in ids:
        fill(deep.app, "Q", 1, correl_id=correl_id)
    for correl_id in in_any_order(ids):
        got = deep.get(max_length=0, match_options=MQMO_MATCH_CORREL_ID, correl_id=correl_id)
        assert got.reason == MQRC_TRUNCATED_MSG_FAILED
    assert deep.stayed_within_the_pool()
    assert deep.depth("Q") == len(ids)


def test_a_selector_with_a_condition_that_no_message_meets() -> None:
    """All messages match the selector; none has the sequence number, so none is brought back."""
    deep = Deep()
    put = fill(deep.app, "Q", DEPTH)
    handle = deep.select("Root.MQMD.MsgType = 8")

    got = deep.get(handle, match_options=MQMO_MATCH_MSG_SEQ_NUMBER, msg_seq_number=7)

    assert got.reason == MQRC_NO_MSG_AVAILABLE
    assert deep.stayed_within_the_pool()
    assert deep.app.drain(handle, match_options=MQMO_NONE) == put


@pytest.mark.parametrize("selector", ["", "Root.MQMD.MsgType = 8"])
@pytest.mark.parametrize("browse", [False, True])
def test_a_logical_get_that_passes_many_groups_which_are_not_complete(selector: str, browse: bool) -> None:
    deep = Deep()
    for number in range(2 * BUFFERS):
        group = number.to_bytes(24, "big")
        fill(deep.app, "Q", 1, number, group_id=group, version=2, msg_seq_number=1, msg_flags=MQMF_MSG_IN_GROUP)
    fill(deep.app, "Q", 1, DEPTH)
    handle = deep.select(selector) if selector else deep.app.handle("Q")
    options = MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE
    deep.look()

    if browse:
        got = deep.app.browse(handle, first=True, options=options, match_options=MQMO_NONE)
    else:
        got = deep.get(handle, options=options, match_options=MQMO_NONE)

    assert (got.reason, got.data[:5]) == (MQRC_NONE, b"2000:")
    assert deep.stayed_within_the_pool()


def test_one_get_from_each_of_many_queues() -> None:
    """Each brings back the next chunk of its queue, and the rest of it is not wanted for now."""
    names = [f"Q{number}" for number in range(30)]
    deep = Deep(*names)
    for name in names:
        fill(deep.app, name, BUFFERS, persistence=1)
    for name in names:
        for _ in range(BUFFERS // 2):
            assert deep.get(name).reason == MQRC_NONE
    assert deep.stayed_within_the_pool()


def test_the_topics_of_retained_publications_are_found_in_passing() -> None:
    """A subscription that means one of them brings back that one."""
    broker = Broker(BUFFERS)
    app = broker.connect()
    for number in range(DEPTH // 2):
        publish(app, f"a/{number}", b"x", retain=True, persistence=1)
    broker.bounce()
    app = broker.connect()
    queue = broker.queue("SYSTEM.RETAINED.PUB.QUEUE")
    before = pager_of(queue).loaded_messages

    hsub = subscribe(app, "+/77")

    assert drain(app, hsub) == [b"x"]
    assert pager_of(queue).loaded_messages - before == 1
    broker.qm.check()


def test_a_retained_publication_that_is_being_replaced_is_not_forgotten() -> None:
    """The topics are collected while a unit of work holds the only publication of one."""
    broker = Broker()
    app, other = broker.connect(), broker.connect()
    publish(app, "a/b", b"1", retain=True, persistence=1)
    broker.bounce()
    app, other = broker.connect(), broker.connect()
    publish(app, "a/b", b"2", retain=True, syncpoint=True)
    assert drain(other, subscribe(other, "a/+")) == [b"1"]

    app.backout()

    assert drain(other, subscribe(other, "a/+")) == [b"1"]


def test_one_call_evicts_a_bounded_number_of_messages() -> None:
    """A put that filled the pool evicted a third of it: 28 ms for 8,750 messages, in one turn. (issue 14, item 3)"""
    machine = Machine(buffers=8000)
    app, pager = machine.connect(), machine.qm.pagers[0]
    most = before = 0
    for _ in range(9000):
        app.put("Q", b"x")
        most, before = max(most, pager.spilled_messages - before), pager.spilled_messages
    assert 0 < most <= RELIEF_PAGES + 1 < 2500
    assert machine.qm.pools[0].used <= machine.qm.pools[0].threshold
    machine.qm.check()


def test_a_message_larger_than_a_batch_makes_room_for_itself() -> None:
    machine = Machine(buffers=8000)
    app, pool = machine.connect(), machine.qm.pools[0]
    fill(app, "Q", pool.threshold)
    app.put("Q", bytes(4_000_000 * 3))
    assert pool.used <= pool.threshold
    machine.qm.check()
