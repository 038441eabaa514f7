"""Counters of queues and of the queue manager: what they count, and that an interval can be taken from them."""

from __future__ import annotations

from flintmq.mqi.constants import MQCO_DELETE_PURGE, MQOO_INPUT_SHARED, MQOO_OUTPUT
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_Q_FULL, MQRC_TRUNCATED_MSG_FAILED
from flintmq.qmgr import statistics
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.statistics import QUEUE_COUNTERS, is_collected, queue_counters, totals
from tests.qmgr.conftest import Engine


def counted(queue: Queue) -> dict[str, int]:
    """The counters of `queue` that are not zero."""
    return {name: value for name, value in zip(QUEUE_COUNTERS, queue_counters(queue), strict=True) if value}


def test_every_counter_stands_under_its_own_name(engine: Engine) -> None:
    queue = engine.queue("Q")
    for number, name in enumerate(QUEUE_COUNTERS):
        setattr(queue.counts, name, number)
    assert queue_counters(queue) == tuple(range(len(QUEUE_COUNTERS)))


def test_puts_and_gets_are_counted_by_persistence_and_bytes(engine: Engine) -> None:
    app = engine.connect()
    app.put("Q", b"12345", persistence=1)
    app.put("Q", b"123")
    app.put1("Q", b"1234567", persistence=1)
    app.browse("Q", first=True)
    app.get("Q")
    app.get("Q")
    found = counted(engine.queue("Q"))
    assert (found["put_count"], found["put_bytes"]) == (3, 15)
    assert (found["put_persistent"], found["put_persistent_bytes"]) == (2, 12)
    assert (found["put1_count"], found["put1_bytes"]) == (1, 7)
    assert (found["put1_persistent"], found["put1_persistent_bytes"]) == (1, 7)
    assert (found["get_count"], found["get_bytes"]) == (2, 8)
    assert (found["get_persistent"], found["get_persistent_bytes"]) == (1, 5)
    assert (found["browse_count"], found["browse_persistent"], found["browse_persistent_bytes"]) == (1, 1, 5)


def test_a_get_by_the_long_way_counts_as_one_by_the_straight_way(engine: Engine) -> None:
    app = engine.connect()
    straight = app.open("Q", MQOO_INPUT_SHARED)
    assert straight.straight_get
    app.put("Q", b"12345", persistence=1, expiry=100)
    app.put("Q", b"12345", persistence=1)
    app.get(straight)
    app.get(straight)
    found = counted(engine.queue("Q"))
    assert (found["get_count"], found["get_persistent"], found["get_persistent_bytes"]) == (2, 2, 10)


def test_calls_that_fail_are_counted_by_why(engine: Engine) -> None:
    engine.alter("Q", {"MAXDEPTH": 1})
    app = engine.connect()
    assert app.get("Q").reason == MQRC_NO_MSG_AVAILABLE
    assert app.browse("Q").reason == MQRC_NO_MSG_AVAILABLE
    app.put("Q", b"12345")
    assert app.put("Q", b"1").reason == MQRC_Q_FULL
    assert app.put1("Q", b"1").reason == MQRC_Q_FULL
    assert app.get("Q", max_length=3).reason == MQRC_TRUNCATED_MSG_FAILED
    assert app.browse("Q", first=True, max_length=3).reason == MQRC_TRUNCATED_MSG_FAILED
    found = counted(engine.queue("Q"))
    assert (found["put_failed"], found["put1_failed"]) == (2, 1)
    assert (found["get_missed"], found["get_truncated"]) == (1, 1)
    assert (found["browse_missed"], found["browse_truncated"]) == (1, 1)
    assert "put1_count" not in found


def test_a_message_for_a_waiting_getter_is_a_fast_put(engine: Engine) -> None:
    getter, app = engine.connect(), engine.connect()
    getter.get("Q", wait_ms=1000)
    app.put("Q", b"12345")
    app.put("Q", b"12345")
    found = counted(engine.queue("Q"))
    assert (found["fast_put_count"], found["fast_put_bytes"], found["put_count"]) == (1, 5, 2)


def test_what_is_backed_out_is_counted(engine: Engine) -> None:
    app = engine.connect()
    app.put("Q", b"1")
    app.get("Q", syncpoint=True)
    app.put("Q", b"2", syncpoint=True)
    app.backout()
    found = counted(engine.queue("Q"))
    assert (found["rolled_back_puts"], found["rolled_back_gets"]) == (1, 1)


def test_marks_are_of_the_interval_and_reset_qstats_keeps_its_own(engine: Engine) -> None:
    app, queue = engine.connect(), engine.queue("Q")
    for length in (10, 20, 30):
        app.put("Q", bytes(length))
    assert (queue.marks.high_depth, queue.marks.longest, queue.marks.shortest) == (3, 30, 10)
    statistics.begin_interval(queue)
    assert (queue.marks.high_depth, queue.marks.low_depth, queue.marks.longest) == (3, 3, -1)
    app.get("Q")
    app.get("Q")
    app.put("Q", bytes(25))
    assert (queue.marks.high_depth, queue.marks.low_depth, queue.marks.longest, queue.marks.shortest) == (3, 1, 25, 25)
    statistics.begin_interval(queue)
    row = Admin(engine.qm).reset_queue_statistics("Q")
    assert row["HIQDEPTH"] == 3
    assert Admin(engine.qm).reset_queue_statistics("Q")["HIQDEPTH"] == 2


def test_handles_have_marks_too(engine: Engine) -> None:
    app, queue = engine.connect(), engine.queue("Q")
    first = app.open("Q", MQOO_OUTPUT)
    app.open("Q", MQOO_INPUT_SHARED)
    statistics.begin_interval(queue)
    app.open("Q", MQOO_OUTPUT)
    app.close(first)
    assert (queue.marks.high_output, queue.marks.low_output, queue.marks.high_input, queue.marks.low_input) == (
        2,
        1,
        1,
        1,
    )


def test_what_a_deleted_queue_has_counted_stays_in_the_totals(engine: Engine) -> None:
    engine.define("QMODEL", "MODEL", {"DEFTYPE": "PERMDYN", "DEFSOPT": "SHARED"})
    app = engine.connect()
    handle = app.open("MODEL", MQOO_OUTPUT | MQOO_INPUT_SHARED)
    app.put(handle, b"12345", persistence=1)
    app.put("Q", b"1")
    app.close(handle, MQCO_DELETE_PURGE)
    total = totals(engine.qm)
    assert (total.puts, total.put_bytes, total.persistent_puts, total.persistent_put_bytes) == (2, 6, 1, 5)


def test_statq_of_a_queue_defers_to_the_queue_manager(engine: Engine) -> None:
    """B26, B27."""
    queue = engine.queue("Q")
    assert queue.definition.text("STATQ") == "QMGR"
    expected = {
        ("OFF", "QMGR"): False,
        ("OFF", "ON"): True,
        ("ON", "QMGR"): True,
        ("ON", "OFF"): False,
        ("NONE", "ON"): False,
    }
    for (general, own), collected in expected.items():
        engine.alter("QM1", {"STATQ": general}, "QMGR")
        engine.alter("Q", {"STATQ": own})
        assert is_collected(engine.qm, queue, "STATQ") is collected, (general, own)


def test_a_stream_queue_has_counters_of_its_own(engine: Engine) -> None:
    """B68: with STATQ(ON) on it, its own statistics appear."""
    engine.define("QLOCAL", "COPIES", {"STATQ": "ON"})
    engine.alter("Q", {"STREAMQ": "COPIES"})
    engine.connect().put("Q", b"12345", persistence=1)
    base, copies = counted(engine.queue("Q")), counted(engine.queue("COPIES"))
    assert base["streamed_count"] == 1 and "streamed_count" not in copies
    assert (copies["put_count"], copies["put_persistent_bytes"]) == (1, 5)
    assert is_collected(engine.qm, engine.queue("COPIES"), "STATQ")
