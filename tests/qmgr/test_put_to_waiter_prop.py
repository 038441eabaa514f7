"""A message that is put straight to a getter that waits: as if it had stood on the queue, but nobody sees it there.

Two queue managers get the same calls, and one of them has only the long way.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.mqi.constants import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_CONVERT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQRO_COD,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import FIELDS, MQMD
from flintmq.qmgr.connection import AS_GET, WAITING
from flintmq.qmgr.get import expire_waits
from flintmq.qmgr.statistics import queue_counters
from tests.qmgr.conftest import Answered, Engine

GETTERS = 4
EVENTS = "SYSTEM.ADMIN.PERFM.EVENT"
GMO_FIELDS = ("resolved_q_name", "group_status", "segment_status", "segmentation", "msg_token", "returned_length")
ONE_BY_ONE = (
    "next_sequence", "depth", "available", "uncommitted", "marks.high_depth", "marks.low_depth", "waiting",
    "counts.last_put_ms", "counts.last_get_ms", "marks.longest", "marks.shortest", "pages_in_memory", "mask",
)  # fmt: skip

#: How calls differ from plain ones. Most are plain, for what is not goes the long way on both sides.
PUTS: list[dict[str, Any]] = [
    {"persistence": 1},
    {"expiry": 600},
    {"correl_id": b"a" * 24},
    {"correl_id": b"b" * 24},
    {"msg_id": b"m" * 24},
    {"format": "MQSTR"},
    {"report": MQRO_COD, "reply_to_q": "R"},
    {"msg_type": 1, "reply_to_q": "R"},
    {"msg_type": 2},
    {"feedback": 7},
    {"reply_to_q": "R"},
    {"reply_to_q_mgr": "QM1"},
    {"version": 2},
    {"version": 2, "msg_flags": 8},
    {"priority": 5},
    {"coded_char_set_id": 819},
    {"syncpoint": True},
]
GETS: list[dict[str, Any]] = [
    {"correl_id": b"a" * 24},
    {"correl_id": b"b" * 24},
    {"msg_id": b"m" * 24},
    {"version": 2},
    {"options": MQGMO_FAIL_IF_QUIESCING},
    {"options": MQGMO_CONVERT},
    {"options": MQGMO_ACCEPT_TRUNCATED_MSG},
    {"options": MQGMO_BROWSE_FIRST},
    {"options": MQGMO_SYNCPOINT},
    {"max_length": 20},
    {"gmo_version": 2},
    {"gmo_version": 3},
]
ALTERATIONS: list[dict[str, Any]] = [
    {"QDPHIEV": "ENABLED", "MAXDEPTH": 1},
    {"QDPHIEV": "DISABLED", "MAXDEPTH": 5000},
    {"CAPEXPRY": 100},
    {"CAPEXPRY": "NOLIMIT"},
    {"PUT": "DISABLED"},
    {"PUT": "ENABLED"},
    {"MSGDLVSQ": "FIFO"},
]


class Side:
    """A queue manager with a putter and some getters, who may wait."""

    def __init__(self, direct: bool) -> None:
        self.engine = Engine({"PERFMEV": "ENABLED"})
        for name in ("R", EVENTS):
            self.engine.define("QLOCAL", name)
        self.engine.qm.in_turn = direct
        self.putter = self.engine.connect("putter")
        self.getters = [self.engine.connect(f"getter {number}") for number in range(GETTERS)]
        for getter in self.getters:
            getter.connection.direct = AS_GET
        self.waits: dict[int, Answered] = {}
        self.puts = 0
        # The first message ever is news for its buffer pool, which has never been so full: it goes the long way.
        assert self.putter.put("Q", bytes(10_000)).reason == 0
        assert self.putter.drain("Q") == [bytes(10_000)]

    def put(self, size: int, fields: dict[str, Any]) -> list[object]:
        self.puts += 1
        named = {"msg_id": b"%24d" % self.puts, **fields}
        put = self.putter.put("Q", bytes([self.puts % 256]) * size, **named)
        return [put.reason, put.completion, described(put), put.pmo.resolved_q_name]

    def get(self, number: int, fields: dict[str, Any]) -> list[object]:
        if number in self.waits:
            return []
        getter = self.getters[number]
        md, gmo = MQMD(), MQGMO()
        gmo.version, gmo.wait_interval = fields.get("gmo_version", 1), 1000
        options = fields.get("options", 0)
        gmo.options = MQGMO_WAIT | options | (0 if options == MQGMO_SYNCPOINT else MQGMO_NO_SYNCPOINT)
        for name in ("msg_id", "correl_id", "version"):
            setattr(md, name, fields.get(name, getattr(md, name)))
        max_length = fields.get("max_length", -1)
        reason = self.engine.qm.get(getter.connection, getter.handle("Q"), md, gmo, max_length)
        got = Answered(getter.connection, reason, md, gmo)
        if reason != WAITING:
            return said(got)
        self.waits[number] = got
        return [WAITING]

    def alter(self, attributes: dict[str, Any]) -> list[object]:
        self.engine.alter("Q", attributes)
        return []

    def commit(self) -> list[object]:
        return [self.putter.commit()]

    def wait(self, milliseconds: int) -> list[object]:
        self.engine.clock.advance(milliseconds)
        expire_waits(self.engine.qm)
        return []

    def woken(self) -> list[object]:
        """Whose waits are over, in that order, and what they have got."""
        qm = self.engine.qm
        told: list[object] = [each.connection.appl_name for each in qm.woken]
        qm.woken.clear()
        for number, wait in sorted(self.waits.items()):
            if self.getters[number].connection.waiter is None:
                told.append([number, said(wait.completed())])
        self.waits = {number: wait for number, wait in self.waits.items() if self.getters[number].connection.waiter}
        return told

    def state(self) -> dict[str, object]:
        queue = self.engine.queue("Q")
        pool, account = queue.pool, queue.account
        return {
            "counters": queue_counters(queue),
            "queue": [attrgetter(name)(queue) for name in ONE_BY_ONE],
            "pool": [pool.used, pool.changed, pool.taken, pool.level],
            "account": [account.used, account.messages, account.persistent, account.nonpersistent],
            "waiting": self.engine.qm.waiting,
            "others": [self.engine.depth(name) for name in ("R", "DLQ", EVENTS)],
        }


def described(answered: Answered) -> list[object]:
    return [getattr(answered.md, name) for name in FIELDS]


def said(got: Answered) -> list[object]:
    """All that a get has said. Where its message stood is known either way."""
    connection = got.connection
    place = connection.sequence if connection.message is None else connection.message.sequence
    told: list[object] = [got.reason, got.completion, got.data, got.data_length]
    if got.completion == 2:
        return told
    return [*told, described(got), [getattr(got.gmo, name) for name in GMO_FIELDS], place]


def other_than_plain(data: st.DataObject, ways: list[dict[str, Any]]) -> dict[str, Any]:
    """The fields of a call, in which it is none, one or two ways other than a plain one."""
    fields: dict[str, Any] = {}
    for _ in range(data.draw(st.sampled_from([0, 0, 1, 1, 1, 2]))):
        fields |= data.draw(st.sampled_from(ways))
    return fields


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_both_ways_leave_the_same_behind(data: st.DataObject) -> None:
    sides = [Side(True), Side(False)]
    for _ in range(data.draw(st.integers(1, 25))):
        what = data.draw(st.sampled_from(["put", "put", "put", "get", "get", "get", "alter", "commit", "wait"]))
        arguments: list[Any] = []
        if what == "put":
            arguments = [data.draw(st.sampled_from([0, 15, 15, 50, 5000])), other_than_plain(data, PUTS)]
        elif what == "get":
            arguments = [data.draw(st.integers(0, GETTERS - 1)), other_than_plain(data, GETS)]
        elif what == "alter":
            arguments = [data.draw(st.sampled_from(ALTERATIONS))]
        elif what == "wait":
            arguments = [data.draw(st.sampled_from([1, 500, 1001]))]
        told = [[getattr(side, what)(*arguments), side.woken(), side.state()] for side in sides]
        assert told[0] == told[1], (what, arguments)
    for side in sides:
        side.engine.qm.check()


def test_what_goes_straight_to_a_getter_is_no_message_and_never_stands_on_the_queue() -> None:
    """Else the test above would compare the long way with itself."""
    for direct in (True, False):
        side = Side(direct)
        assert side.get(0, {}) == [WAITING]
        assert side.put(15, {})[0] == 0
        connection = side.getters[0].connection
        assert connection.data == bytes([1]) * 15 and (connection.message is None) is direct
        assert side.engine.depth("Q") == 0 and side.engine.queue("Q").counts.fast_put_count == 1


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize("wish", [{"msg_id": b"m" * 24}, {"correl_id": b"c" * 24}])
@pytest.mark.parametrize("first", [0, 1])
def test_who_came_first_of_those_that_want_it_gets_it(direct: bool, wish: dict[str, Any], first: int) -> None:
    """One wants this message, the other any."""
    side = Side(direct)
    wishes = [wish, {}]
    for number in (first, 1 - first):
        assert side.get(number, wishes[number]) == [WAITING]
    assert side.put(15, wish)[0] == 0
    assert side.woken()[0] == f"getter {first}"
    assert side.put(15, wish)[0] == 0
    assert side.woken()[0] == f"getter {1 - first}"
