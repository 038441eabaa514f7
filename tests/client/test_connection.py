"""Units of work, and threads: each has its own connection, nobody waits for ever, nothing is lost between two."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable

import pytest

import flintmq
from flintmq.client.thread_session import ThreadSession
from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from tests.waiting import PATIENCE, until


def in_threads(*works: Callable[[], None]) -> None:
    """Run each in a thread of its own, and fail with what the first of them raised."""
    errors: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads), "somebody waits for ever"
    if errors:
        raise errors[0]


# -- units of work ----------------------------------------------------------------------------------------------------


def test_a_transaction_is_committed_at_its_end_and_seen_by_others_only_then(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    with qm.connect() as other:
        seen = other.queue("A")
        with qm.transaction():
            queue.put(b"1", persistent=True)
            queue.put(b"2")
            assert seen.depth == 2  # CURDEPTH counts uncommitted puts (U3) ...
            assert seen.get_or_none() is None  # ... and nobody can get them.
        assert [message.data for message in seen.messages()] == [b"1", b"2"]


def test_a_transaction_that_ends_with_an_exception_never_happened(qm: flintmq.QueueManager) -> None:
    a, b = qm.queue("A", create=True), qm.queue("B", create=True)
    a.put(b"stays", persistent=True)
    with pytest.raises(ZeroDivisionError), qm.transaction():
        b.put(a.get().data)
        raise ZeroDivisionError
    assert (a.depth, b.depth) == (1, 0)
    assert a.get().backout_count == 1


def test_transactions_do_not_nest(qm: flintmq.QueueManager) -> None:
    with qm.transaction():
        with pytest.raises(flintmq.TransactionError, match="do not nest"):
            with qm.transaction():
                raise AssertionError("unreachable")
    with qm.transaction() as transaction:
        pass
    with pytest.raises(flintmq.TransactionError, match="entered once"), transaction:
        raise AssertionError("unreachable")


def test_a_transaction_does_not_swallow_work_that_was_there_before(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    queue.put(b"", syncpoint=True)
    with pytest.raises(flintmq.TransactionError, match="uncommitted work"), qm.transaction():
        raise AssertionError("unreachable")
    qm.commit()
    assert queue.get() is not None


def test_syncpoint_overrides_the_transaction_both_ways(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    with pytest.raises(ZeroDivisionError), qm.transaction():
        queue.put(b"in")
        queue.put(b"out", syncpoint=False)
        raise ZeroDivisionError
    assert [message.data for message in queue.messages()] == [b"out"]
    queue.put(b"1", syncpoint=True)
    qm.backout()
    queue.put(b"2", syncpoint=True)
    qm.commit()
    assert [message.data for message in queue.messages()] == [b"2"]


def test_a_transaction_can_be_committed_and_backed_out_half_way(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    with qm.transaction() as transaction:
        queue.put(b"1")
        transaction.commit()
        queue.put(b"2")
        transaction.backout()
        queue.put(b"3")
    assert [message.data for message in queue.messages()] == [b"1", b"3"]


def test_a_unit_of_work_has_a_limit(qm: flintmq.QueueManager) -> None:
    qm.mqsc("ALTER QMGR MAXUMSGS(3)")
    queue = qm.queue("A", create=True)
    with pytest.raises(flintmq.UnitOfWorkTooBig, match=r"MAXUMSGS\(3\)"), qm.transaction():
        for _ in range(4):
            queue.put(b"")
    assert queue.depth == 0


def test_a_get_outside_of_a_unit_does_not_commit_the_one_that_is_there(qm: flintmq.QueueManager) -> None:
    a, b = qm.queue("A", create=True), qm.queue("B", create=True, bothresh=1)
    b.put(b"1")
    a.put(b"uncommitted", syncpoint=True)
    assert b.get(syncpoint=False, wait=1.0).data == b"1"
    qm.backout()
    assert a.depth == 0


# -- threads ----------------------------------------------------------------------------------------------------------


def test_each_thread_has_its_own_unit_of_work(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    both_have_put = threading.Barrier(2)

    def committer() -> None:
        with qm.transaction():
            queue.put(b"committed", persistent=True)
            both_have_put.wait(PATIENCE)

    def failing() -> None:
        with pytest.raises(ZeroDivisionError), qm.transaction():
            queue.put(b"backed out", persistent=True)
            both_have_put.wait(PATIENCE)
            raise ZeroDivisionError

    in_threads(committer, failing)
    assert [message.data for message in queue.messages()] == [b"committed"]


def test_what_a_thread_left_uncommitted_is_backed_out_when_it_is_gone(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    queue.put(b"1")

    def careless() -> None:
        queue.get(syncpoint=True)

    in_threads(careless)
    until(lambda: queue.get_or_none() is not None)


def test_a_waiting_get_is_woken_by_a_put(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    got: list[bytes] = []

    def getter() -> None:
        got.append(queue.get(wait=True).data)

    def putter() -> None:
        until(lambda: qm._host.engine.waiting == 1)
        queue.put(b"1", persistent=True)

    in_threads(getter, putter)
    assert got == [b"1"] and queue.depth == 0


def test_each_message_wakes_one_getter_and_first_come_is_first_served(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    got: list[tuple[int, bytes]] = []

    def getter(number: int) -> None:
        until(lambda: qm._host.engine.waiting == number)
        got.append((number, queue.get(wait=PATIENCE).data))

    def putter() -> None:
        until(lambda: qm._host.engine.waiting == 4)
        for number in range(4):
            queue.put(b"%d" % number)

    in_threads(*(lambda number=number: getter(number) for number in range(4)), putter)
    assert sorted(got) == [(number, b"%d" % number) for number in range(4)]


def test_a_getter_that_waits_for_an_id_is_woken_by_that_message_only(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    got: list[str] = []

    def getter() -> None:
        got.append(queue.get(wait=PATIENCE, correlation_id=b"mine").text)

    def putter() -> None:
        until(lambda: qm._host.engine.waiting == 1)
        queue.put("not", correlation_id=b"yours")
        queue.put("this", correlation_id=b"mine")

    in_threads(getter, putter)
    assert got == ["this"] and queue.depth == 1


def test_a_waiting_get_inside_a_transaction_belongs_to_it(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)

    def getter() -> None:
        with pytest.raises(ZeroDivisionError), qm.transaction():
            assert queue.get(wait=PATIENCE).data == b"1"
            raise ZeroDivisionError

    def putter() -> None:
        until(lambda: qm._host.engine.waiting == 1)
        queue.put(b"1", persistent=True)

    in_threads(getter, putter)
    assert queue.get().backout_count == 1


def test_a_browse_can_wait_too(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    seen: list[bytes] = []

    def browser() -> None:
        with queue.browse(wait=PATIENCE) as messages:
            seen.append(next(messages).data)

    def putter() -> None:
        until(lambda: qm._host.engine.waiting == 1)
        queue.put(b"1")

    in_threads(browser, putter)
    assert seen == [b"1"] and queue.depth == 1


def test_poison_that_arrives_while_a_get_waits_does_not_end_the_wait(qm: flintmq.QueueManager) -> None:
    aside = qm.queue("ASIDE", create=True)
    queue = qm.queue("A", create=True, bothresh=1, boqname="ASIDE")
    queue.put("poison")
    queue.get(syncpoint=True)
    got: list[str] = []

    def getter() -> None:
        got.append(queue.get(wait=PATIENCE).text)

    started = threading.Thread(target=getter)
    started.start()
    until(lambda: qm._host.engine.waiting == 1)
    qm.backout()  # Goes to the one who waits, was backed out once too often, and is moved.
    until(lambda: aside.depth == 1 and qm._host.engine.waiting == 1)
    queue.put("good")
    started.join(PATIENCE)
    assert got == ["good"]


def test_closing_ends_waits_with_an_error(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)

    def getter() -> None:
        with pytest.raises(flintmq.NotConnected, match="is closed"):
            queue.get(wait=True)

    def closer() -> None:
        until(lambda: qm._host.engine.waiting == 1)
        qm.close()

    in_threads(getter, closer)
    with pytest.raises(flintmq.NotConnected, match="is closed"):
        queue.put(b"")


def test_deleting_or_inhibiting_the_queue_ends_waits(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)

    def getter() -> None:
        with pytest.raises(flintmq.GetInhibited):
            queue.get(wait=True)

    def administrator() -> None:
        until(lambda: qm._host.engine.waiting == 1)
        with pytest.raises(flintmq.CommandFailed, match="AMQ8148E"):
            qm.mqsc("DELETE QLOCAL(A)")
        qm.mqsc("ALTER QLOCAL(A) GET(DISABLED)")

    in_threads(getter, administrator)


def test_a_connection_makes_one_call_at_a_time(qm: flintmq.QueueManager) -> None:
    with qm.connect() as connection:
        queue = connection.queue("A", create=True)

        def getter() -> None:
            queue.get(wait=PATIENCE)

        def intruder() -> None:
            until(lambda: qm._host.engine.waiting == 1)
            with pytest.raises(flintmq.MQError, match="2219"):
                queue.get()
            qm.queue("A").put(b"")

        in_threads(getter, intruder)


class Interrupted(Exception):
    """What our signal handler raises."""


def is_at_the_gate(thread: int) -> bool:
    """Whether a thread whose get is parked is about to wait. Compiled code does not stop on its way there."""
    code = getattr(ThreadSession._await_gate, "__code__", None)
    return code is None or sys._current_frames()[thread].f_code is code


def test_an_interrupted_wait_loses_nothing(qm: flintmq.QueueManager) -> None:
    """Ctrl-C in the moment in which the message is handed over: it goes back to the queue."""
    queue = qm.queue("A", create=True)

    def interrupt(number: int, frame: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGUSR1, interrupt)
    main = threading.main_thread().ident
    assert main is not None
    try:

        def disturber() -> None:
            until(lambda: qm._host.engine.waiting == 1 and is_at_the_gate(main))
            with qm._host.lock:  # Both happen before the waiting thread can do anything about either.
                signal.pthread_kill(main, signal.SIGUSR1)
                queue.put(b"must not be lost", persistent=True)

        thread = threading.Thread(target=disturber)
        thread.start()
        with pytest.raises(Interrupted):
            queue.get(wait=PATIENCE)
        thread.join(PATIENCE)
    finally:
        signal.signal(signal.SIGUSR1, before)
    message = queue.get(wait=PATIENCE)
    assert (message.data, message.backout_count) == (b"must not be lost", 0)
    assert queue.get_or_none() is None


@pytest.mark.parametrize("persistent", [True, False])
def test_transfers_by_many_threads_neither_lose_nor_double(qm: flintmq.QueueManager, persistent: bool) -> None:
    """8 threads move messages between 4 queues in transactions, some of which fail."""
    queues = [qm.queue(f"Q{number}", create=True) for number in range(4)]
    sent = {b"%d" % number for number in range(64)}
    for number, data in enumerate(sorted(sent)):
        queues[number % 4].put(data, persistent=persistent)
    moves = 500 if qm.directory is None else 60

    def mover(thread: int) -> None:
        for number in range(moves):
            source, target = queues[(thread + number) % 4], queues[(thread * 3 + number // 2) % 4]
            try:
                with qm.transaction():
                    message = source.get_or_none()
                    if message is not None:
                        target.put(message.data, persistent=persistent)
                    if number % 7 == 0:
                        raise ZeroDivisionError
            except ZeroDivisionError:
                pass

    in_threads(*(lambda thread=thread: mover(thread) for thread in range(8)))
    qm._host.engine.check()
    left = [message.data for queue in queues for message in queue.messages()]
    assert sorted(left) == sorted(sent)


def test_many_servers_answer_many_requesters(qm: flintmq.QueueManager) -> None:
    requests, replies = qm.queue("REQUESTS", create=True), qm.queue("REPLIES", create=True)

    def requester(number: int) -> None:
        for count in range(25):
            text = f"{number}.{count}"
            message_id = requests.put(text, reply_to="REPLIES")
            assert replies.get(wait=PATIENCE, correlation_id=message_id).text == text.upper()

    def server() -> None:
        while True:
            message = requests.get(wait=PATIENCE)
            if message.text == "end":
                return
            qm.queue(message.reply_to).put(message.text.upper(), correlation_id=message.message_id)

    servers = [threading.Thread(target=server) for _ in range(3)]
    for each in servers:
        each.start()
    in_threads(*(lambda number=number: requester(number) for number in range(4)))
    for _ in servers:
        requests.put("end")
    for each in servers:
        each.join(PATIENCE)
    assert requests.depth == replies.depth == 0


# -- the MQI itself ---------------------------------------------------------------------------------------------------


def test_the_mqi_is_there_for_what_the_api_has_no_words_for(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True)
    od = MQOD()
    od.object_name = "A"
    mqi = qm.mqi
    handle = mqi.open(od, MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_OUTPUT)
    for data in (b"first", b"second"):
        mqi.put(handle, MQMD(), MQPMO(), data)
    mqi.put1(od, MQMD(), MQPMO(), b"third")
    md, gmo = MQMD(), MQGMO()
    gmo.options = MQGMO_BROWSE_FIRST
    assert mqi.get(handle, md, gmo) == b"first"
    gmo.options = MQGMO_MSG_UNDER_CURSOR
    assert mqi.get(handle, MQMD(), gmo, 3) == b"fir"
    assert (mqi.completion, mqi.reason, mqi.data_length) == (1, 2080, 5)
    assert mqi.get(handle, MQMD(), gmo) == b"first"
    gmo.options, gmo.wait_interval = MQGMO_WAIT, 5
    assert [mqi.get(handle, MQMD(), gmo) for _ in range(2)] == [b"second", b"third"]
    with pytest.raises(flintmq.NoMessageAvailable):
        mqi.get(handle, MQMD(), gmo)
    mqi.cmit()
    mqi.back()
    mqi.close(handle)
    with pytest.raises(flintmq.MQError, match="2019"):
        mqi.put(handle, MQMD(), MQPMO(), b"")
    od.object_name = "NO.SUCH"
    with pytest.raises(flintmq.UnknownObject):
        mqi.open(od, MQOO_OUTPUT)


# -- MQSC -------------------------------------------------------------------------------------------------------------


def test_mqsc_takes_a_script_and_gives_text_and_rows(qm: flintmq.QueueManager) -> None:
    reply = qm.mqsc("* two queues\nDEFINE QLOCAL(A) +\n  MAXDEPTH(5)\nDEFINE QLOCAL(B); DISPLAY QLOCAL(A) MAXDEPTH")
    assert str(reply).splitlines()[:2] == ["AMQ8006I: Queue created."] * 2
    assert reply.rows == [{"QUEUE": "A", "TYPE": "QLOCAL", "MAXDEPTH": 5}]


def test_a_command_that_fails_raises_or_says_so(qm: flintmq.QueueManager) -> None:
    with pytest.raises(flintmq.CommandFailed, match="AMQ8147E: Object NO.SUCH not found") as caught:
        qm.mqsc("DISPLAY QLOCAL(NO.SUCH)")
    assert caught.value.reason == 2085
    reply = qm.mqsc("DELETE QLOCAL(NO.SUCH)\nDEFINE QLOCAL(A)\nNONSENSE", check=False)
    assert reply.reason == 2085
    assert "AMQ8006I" in reply.text and "AMQ8405I" in reply.text


def test_usage_and_connections_can_be_asked_for(qm: flintmq.QueueManager) -> None:
    qm.queue("A", create=True).put(bytes(5000))
    usage = qm.mqsc("DISPLAY USAGE PSID(4)").rows[0]
    assert (usage["NONPERS"], usage["MESSAGES"]) == (2, 1)
    rows = qm.mqsc("DISPLAY CONN(*) ALL").rows
    assert any(row["APPLTYPE"] == "USER" and row["PID"] for row in rows)
