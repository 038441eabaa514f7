"""put, get, browse: what the arguments mean, and what is raised."""

from __future__ import annotations

import gc
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import flintmq
from flintmq.mqi.constants import MQMT_REQUEST
from tests.waiting import PATIENCE


def test_the_example_of_the_readme(open_disk: object, data: object) -> None:
    with flintmq.open("QM1") as qm:  # created on first use, crash-safe, like SQLite
        orders = qm.queue("ORDERS", create=True)
        with qm.transaction():
            orders.put(b"hello", persistent=True, correlation_id=b"42")
        message = orders.get(wait=5.0)
    assert message.data == b"hello"
    assert message.correlation_id == b"42" + bytes(22)
    assert message.persistent


def test_what_is_put_is_what_is_got(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    before = datetime.now(UTC) - timedelta(seconds=1)
    message_id = queue.put(
        b"data",
        persistent=True,
        priority=7,
        correlation_id=b"c",
        message_id=b"m",
        reply_to="REPLIES",
        expiry=60,
        format="MINE",
    )
    message = queue.get()
    assert message.message_id == message_id == b"m".ljust(24, b"\0")
    assert message.correlation_id == b"c".ljust(24, b"\0")
    assert (message.data, message.priority, message.persistent, message.format) == (b"data", 7, True, "MINE")
    assert (message.reply_to, message.reply_to_queue_manager, message.message_type) == (
        "REPLIES",
        qm.name,
        MQMT_REQUEST,
    )
    assert message.expiry is not None and 58 <= message.expiry <= 60
    assert message.backout_count == 0 and message.user and message.application
    assert message.put_time is not None and before < message.put_time < datetime.now(UTC) + timedelta(seconds=1)
    assert "b'data'" in repr(message) and "REPLIES" in repr(message)


def test_text_goes_as_mqstr_in_utf_8(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    queue.put("grün")
    message = queue.get()
    assert (message.text, message.data, message.format) == ("grün", "grün".encode(), "MQSTR")
    assert (message.md.coded_char_set_id, len(message)) == (1208, 5)


@pytest.mark.parametrize("content", [bytearray(b"abc"), memoryview(b"abc")])
def test_other_bytes_are_taken_as_they_are(qm: flintmq.QueueManager, content: bytearray | memoryview) -> None:
    queue = qm.queue("A", create=True)
    queue.put(content)
    assert queue.get().data == b"abc"


def test_wrong_arguments_are_refused_before_anything_happens(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    with pytest.raises(TypeError, match="bytes or str, not int"):
        queue.put(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="correlation_id is bytes, not str"):
        queue.put(b"", correlation_id="42")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at most 24 bytes, not 25"):
        queue.get(message_id=bytes(25))
    with pytest.raises(ValueError, match="number of seconds"):
        queue.get(wait=-1)
    with pytest.raises(ValueError, match="greater than 0"):
        queue.put(b"", expiry=0)
    assert queue.depth == 0


def test_get_by_id_leaves_the_others_in_order(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    ids = [queue.put(text, correlation_id=text.encode()) for text in ("a", "b", "c", "d")]
    assert queue.get(correlation_id=b"c").text == "c"
    assert queue.get(message_id=ids[1]).text == "b"
    assert queue.get_or_none(correlation_id=b"c") is None
    assert [message.text for message in queue.messages()] == ["a", "d"]


def test_higher_priorities_come_first_and_equal_ones_in_order(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    for number, priority in enumerate((1, 9, 1, 5, 9)):
        queue.put(str(number), priority=priority)
    assert "".join(message.text for message in queue.messages()) == "14302"


def test_browsing_leaves_everything_where_it_is(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    for text in "abc":
        queue.put(text, correlation_id=b"even" if text == "b" else b"odd")
    assert [message.text for message in queue.browse()] == ["a", "b", "c"]
    assert [message.text for message in queue.browse(correlation_id=b"odd")] == ["a", "c"]
    assert queue.depth == len(queue) == 3


def test_a_browser_goes_on_when_messages_come_and_go(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    for text in "abc":
        queue.put(text)
    with queue.browse() as browser:
        assert next(browser).text == "a"
        queue.get(), queue.get()
        queue.put("d")
        assert [message.text for message in browser] == ["c", "d"]
    with pytest.raises(StopIteration):
        next(browser)


def test_a_browser_that_is_dropped_leaves_no_handle_behind(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    queue.put("a")
    browser = queue.browse()
    next(browser)
    del browser
    gc.collect()
    queue.put("b")  # The next call closes what was left behind.
    rows = qm.mqsc("DISPLAY QSTATUS(A) TYPE(HANDLE) ALL", check=False).rows
    assert [row for row in rows if row["BROWSE"] == "YES"] == []


def test_a_message_that_is_too_long_for_the_buffer_stays(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    queue.put(b"0123456789")
    with pytest.raises(flintmq.Truncated) as caught:
        queue.get(max_length=4)
    assert (caught.value.reason, caught.value.data, caught.value.data_length) == (2080, b"0123", 10)
    assert queue.depth == 1
    with pytest.raises(flintmq.Truncated) as caught:
        queue.get(max_length=4, truncate=True)
    assert (caught.value.reason, caught.value.data, queue.depth) == (2079, b"0123", 0)


def test_an_expired_message_is_not_got(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    queue.put("old", expiry=0.1)
    queue.put("young", expiry=1000)
    engine_clock = qm._host.engine.clock
    later = engine_clock.now_ms() + 5_000
    qm._host.engine.clock = type("Later", (type(engine_clock),), {"now_ms": lambda self: later})()
    assert [message.text for message in queue.messages()] == ["young"]


# -- what is raised ---------------------------------------------------------------------------------------------------


def test_no_message_is_an_error_or_none(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    with pytest.raises(flintmq.NoMessageAvailable) as caught:
        queue.get()
    assert str(caught.value) == "no message on A [MQRC_NO_MSG_AVAILABLE 2033]"
    assert queue.get_or_none() is None
    queue.put(b"")
    with pytest.raises(flintmq.NoMessageAvailable, match="no message on A that matches"):
        queue.get(correlation_id=b"x")


def test_a_wait_ends_when_its_time_is_over(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    started = time.monotonic()
    with pytest.raises(flintmq.NoMessageAvailable):
        queue.get(wait=0.02)
    assert 0.015 < time.monotonic() - started < PATIENCE
    assert qm._host.parked == {} and qm._host.engine.waiting == 0
    queue.put(b"1")
    assert queue.get(wait=0.02).data == b"1"


def test_a_full_queue_says_how_full(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True, maxdepth=2)
    queue.put(b"1"), queue.put(b"2")
    with pytest.raises(flintmq.QueueFull) as caught:
        queue.put(b"3")
    assert str(caught.value) == "A is full: it holds MAXDEPTH(2) messages [MQRC_Q_FULL 2053]"
    assert (caught.value.reason, caught.value.completion, queue.depth) == (2053, 2, 2)


def test_each_refusal_has_its_class_and_says_why(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True, maxmsgl=10)
    with pytest.raises(flintmq.MessageTooBig, match=r"11 bytes is too big for A: MAXMSGL\(10\)"):
        queue.put(bytes(11))
    qm.mqsc("ALTER QLOCAL(A) PUT(DISABLED) GET(DISABLED)")
    with pytest.raises(flintmq.PutInhibited, match=r"A has PUT\(DISABLED\)"):
        queue.put(b"")
    with pytest.raises(flintmq.GetInhibited, match=r"A has GET\(DISABLED\)"):
        queue.get()
    with pytest.raises(flintmq.UnknownObject, match=f"there is no queue NO.SUCH in {qm.name}"):
        qm.queue("NO.SUCH")
    qm.mqsc("DEFINE QALIAS(ALIAS) TARGET(NO.SUCH)")
    with pytest.raises(flintmq.UnknownObject, match="2082"):
        qm.queue("ALIAS")
    with pytest.raises(flintmq.MQError, match="PRIORITY"):
        qm.queue("B", create=True).put(b"", priority=-3)


def test_a_full_page_set_says_so(qm: flintmq.QueueManager) -> None:
    qm.mqsc("DEFINE PSID(9) PAGES(32) EXPAND(NONE)\nDEFINE STGCLASS(NINE) PSID(9)")
    queue = qm.queue("A", create=True, stgclass="NINE")
    with pytest.raises(flintmq.PageSetFull, match="page set 9 of A is full: 32 of 32 pages"):
        for _ in range(100):
            queue.put(b"")
    assert queue.depth == 31  # And one page of index (B131).


def test_a_queue_that_is_open_exclusively_is_in_use(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True, share=False).get_or_none()
    with (
        qm.connect(application="other") as other,
        pytest.raises(flintmq.ObjectInUse, match="A is in use: .* exclusive"),
    ):
        other.queue("A").get_or_none()


def test_errors_survive_pickling_and_are_mq_errors() -> None:
    import pickle

    error = pickle.loads(pickle.dumps(flintmq.QueueFull("A is full")))
    assert isinstance(error, flintmq.QueueFull) and isinstance(error, flintmq.MQError)
    assert str(error) == "A is full [MQRC_Q_FULL 2053]"


# -- queues -----------------------------------------------------------------------------------------------------------


def test_create_defines_a_queue_once_and_finds_it_afterwards(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True, maxdepth=7, descr="seven", share=False, defpsist=True).put(b"")
    row = qm.mqsc("DISPLAY QLOCAL(A) MAXDEPTH DESCR SHARE DEFPSIST").rows[0]
    assert (row["MAXDEPTH"], row["DESCR"], row["SHARE"], row["DEFPSIST"]) == (7, "seven", "NOSHARE", "YES")
    assert qm.queue("A", create=True, maxdepth=99).depth == 1
    assert qm.mqsc("DISPLAY QLOCAL(A) MAXDEPTH").rows[0]["MAXDEPTH"] == 7


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ({"maxdepth": "many"}, "MAXDEPTH must be between 0"),
        ({"colour": "red"}, "colour is not an attribute"),
        ({"curdepth": 3}, "curdepth is not an attribute of QLOCAL that can be set"),
        ({"maxdepth": 1.5}, "takes text or a number"),
    ],
)
def test_attributes_are_checked(qm: flintmq.QueueManager, attributes: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        qm.queue("A", create=True, **attributes)
    with pytest.raises(flintmq.UnknownObject):
        qm.queue("A")


def test_a_queue_name_is_checked(qm: flintmq.QueueManager) -> None:
    with pytest.raises(flintmq.MQError, match="2152"):
        qm.queue("not a name", create=True)
    with pytest.raises(TypeError, match="create=True"):
        qm.queue("A", maxdepth=1)


def test_clear_removes_everything_that_is_committed(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    for _ in range(3):
        queue.put(b"", persistent=True)
    queue.clear()
    assert queue.depth == 0
    queue.put(b"", syncpoint=True)
    with pytest.raises(flintmq.ObjectInUse, match="1 uncommitted"):
        queue.clear()
    qm.backout()


def test_handles_that_are_kept_for_speed_stand_in_nobodys_way(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    queue.put(b"")
    queue.get()
    assert str(qm.mqsc("DELETE QLOCAL(A)")) == "AMQ8007I: Queue deleted."
    with pytest.raises(flintmq.UnknownObject):
        queue.put(b"")
    qm.queue("A", create=True)
    queue.put(b"again")
    assert queue.get().data == b"again"


# -- poison messages --------------------------------------------------------------------------------------------------


def back_out(qm: flintmq.QueueManager, queue: flintmq.Queue, times: int, **arguments: bool) -> None:
    for _ in range(times):
        queue.get(syncpoint=True, requeue_poison=False)
        qm.backout()


def test_a_message_that_was_backed_out_too_often_goes_to_the_backout_queue(qm: flintmq.QueueManager) -> None:
    aside = qm.queue("ASIDE", create=True)
    queue = qm.queue("A", create=True, bothresh=2, boqname="ASIDE")
    poison_id = queue.put("poison", correlation_id=b"p", persistent=True)
    queue.put("good")
    back_out(qm, queue, 1)
    assert next(queue.browse()).backout_count == 1
    back_out(qm, queue, 1)
    with qm.transaction():
        assert queue.get().text == "good"
    moved = aside.get()
    assert (moved.text, moved.message_id, moved.correlation_id[:1]) == ("poison", poison_id, b"p")
    assert queue.depth == 0


def test_without_a_backout_queue_it_goes_to_the_dead_letter_queue(qm: flintmq.QueueManager) -> None:
    """As with MQ's classes for JMS, with reason 2362 in the dead-letter header."""
    dead = qm.queue("DLQ", create=True)
    qm.mqsc("ALTER QMGR DEADQ(DLQ)")
    queue = qm.queue("A", create=True, bothresh=1, boqname="NO.SUCH.QUEUE")
    queue.put("poison")
    back_out(qm, queue, 1)
    assert queue.get_or_none() is None
    message = dead.get()
    assert message.format == "MQDEAD" and message.data.endswith(b"poison")
    from flintmq.mqi.dlh import MQDLH

    header = MQDLH.unpack(message.data)
    assert (header.reason, header.dest_q_name, header.format) == (2362, "A", "MQSTR")


def test_a_poison_message_that_nobody_takes_is_delivered(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True, bothresh=1)
    queue.put("poison")
    back_out(qm, queue, 1)
    assert queue.get().backout_count == 1
    assert any("stays on A" in text for _, text in qm._host.errors.recent)


def test_requeue_can_be_turned_off(qm: flintmq.QueueManager) -> None:
    qm.queue("ASIDE", create=True)
    queue = qm.queue("A", create=True, bothresh=1, boqname="ASIDE")
    queue.put("poison")
    back_out(qm, queue, 1)
    assert queue.get(requeue_poison=False).text == "poison"
