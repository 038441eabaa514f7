"""A queue manager without files that the publish benchmarks drive."""

from __future__ import annotations

from flintmq.catalogue.attribute import Value
from flintmq.command.defaults import default_objects
from flintmq.host.clock import system_clock
from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQOO_OUTPUT, MQOT_TOPIC, MQSO_CREATE, MQSO_MANAGED
from flintmq.mqi.od import MQOD
from flintmq.mqi.sd import MQSD
from flintmq.qmgr.calls import Authority, Calls, NoLog, create
from flintmq.qmgr.connection import Connection, Handle
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSet


def queue_manager() -> tuple[Calls, Connection]:
    """A queue manager with the default objects, all on page set 0, and a queue SINK."""
    page_sets: dict[int, PageSet] = {}

    def open_page_set(psid: int) -> PageSet:
        return page_sets.setdefault(psid, MemoryPageSet())

    objects: list[tuple[str, str, dict[str, Value]]] = [
        ("QMGR", "BENCH", {"MAXHANDS": 999_999_999, "MAXUMSGS": 999_999_999}),
        ("BUFFPOOL", "0", {"BUFFERS": 999_999}),
        ("QLOCAL", "SINK", {"MAXDEPTH": 999_999_999}),
    ]
    for row in default_objects():
        if row.kind in ("QLOCAL", "QMODEL", "TOPIC"):
            objects.append((row.kind, row.name, dict(row.attributes)))
    qm = create("BENCH", system_clock(), NoLog(), open_page_set, Authority(), objects)
    reason, connection = qm.connect("bench", "user")
    assert connection is not None, reason
    return qm, connection


def open_topic(qm: Calls, connection: Connection, topic_string: str) -> Handle:
    """MQOPEN of a topic for output."""
    od = MQOD()
    od.object_type, od.object_string = MQOT_TOPIC, topic_string
    handle = qm.open(connection, od, MQOO_OUTPUT)
    assert handle is not None, connection.reason
    return handle


def open_queue(qm: Calls, connection: Connection, name: str) -> Handle:
    """MQOPEN of a queue for input."""
    od = MQOD()
    od.object_name = name
    handle = qm.open(connection, od, MQOO_INPUT_SHARED)
    assert handle is not None, connection.reason
    return handle


def subscribe(qm: Calls, connection: Connection, topic_string: str, queue: Handle | None = None) -> Handle:
    """MQSUB, managed unless a queue is given."""
    sd = MQSD()
    sd.options = MQSO_CREATE | (MQSO_MANAGED if queue is None else 0)
    sd.object_string = topic_string
    handle = qm.subscribe(connection, sd, queue)
    assert handle is not None, connection.reason
    return handle
