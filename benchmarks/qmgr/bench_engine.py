"""engine: CPU per MQI call, non-persistent 2 KiB request/reply (Z93-R01, R03), in and out of syncpoint.

The floor makes the same moves with a bare linked list and a dictionary, compiled alike (floor_engine.py), in the same
run and in turns with the engine. Bar: at most 8 floors compiled, 10 interpreted.

    ./flint bench engine
    FLINT_COMPILE=0 ./flint bench engine --quick
"""

from __future__ import annotations

from benchmarks.frame import Figure, Options, side_by_side
from benchmarks.qmgr.floor_engine import engine_round_trips, floor_round_trips
from flintmq.host.clock import system_clock
from flintmq.mqi.constants import (
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.od import MQOD
from flintmq.qmgr.calls import Authority, Calls, NoLog, create
from flintmq.qmgr.connection import Connection, Handle
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSet

NAME = "engine"
SIZE = 2048


def run(options: Options) -> list[Figure]:
    """Both figures in CPU microseconds per call."""
    rounds = options.scale(9, 5, 1)
    count = options.scale(40_000, 15_000, 50)
    data = bytes(SIZE)
    figures: list[Figure] = []
    progress = options.progress("engine", 2)
    for done, (name, syncpoint) in enumerate((("np_no_syncpoint", False), ("np_syncpoint", True))):
        progress.at(done, name)
        qm, connection, requests, replies = _queue_manager()
        put_options = MQPMO_NEW_MSG_ID | (MQPMO_SYNCPOINT if syncpoint else MQPMO_NO_SYNCPOINT)
        get_options = MQGMO_SYNCPOINT if syncpoint else MQGMO_NO_SYNCPOINT

        def work(
            qm: Calls = qm,
            connection: Connection = connection,
            requests: Handle = requests,
            replies: Handle = replies,
            put_options: int = put_options,
            get_options: int = get_options,
            syncpoint: bool = syncpoint,
        ) -> None:
            engine_round_trips(qm, connection, requests, replies, count, data, put_options, get_options, syncpoint)

        def floor(syncpoint: bool = syncpoint) -> None:
            floor_round_trips(count, data, syncpoint)

        best, best_floor = side_by_side(work, floor, rounds)
        qm.check()
        calls = count * (7 if syncpoint else 4)
        figures.append(Figure(name, best / calls * 1e6, "us", best_floor / calls * 1e6))
    progress.done()
    return figures


def _queue_manager() -> tuple[Calls, Connection, Handle, Handle]:
    """A queue manager without files, with a request queue and a reply queue indexed by correlation id."""
    page_sets: dict[int, PageSet] = {}

    def open_page_set(psid: int) -> PageSet:
        return page_sets.setdefault(psid, MemoryPageSet())

    qm = create(
        "BENCH",
        system_clock(),
        NoLog(),
        open_page_set,
        Authority(),
        [("QMGR", "BENCH", {}), ("QLOCAL", "REQUEST", {}), ("QLOCAL", "REPLY", {"INDXTYPE": "CORRELID"})],
    )
    reason, connection = qm.connect("bench", "user")
    assert connection is not None, reason
    handles = []
    for name in ("REQUEST", "REPLY"):
        od = MQOD()
        od.object_name = name
        handle = qm.open(connection, od, MQOO_INPUT_SHARED | MQOO_OUTPUT)
        assert handle is not None, connection.reason
        handles.append(handle)
    return qm, connection, handles[0], handles[1]
