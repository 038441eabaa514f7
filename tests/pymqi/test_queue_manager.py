"""QueueManager: connecting, MQPUT1, inquiry."""

from __future__ import annotations

import gc
import signal
import threading

import pytest

import flintmq
from flintmq import pymqi
from flintmq.cli.main import main
from flintmq.host import instance
from flintmq.pymqi import CMQC, binding
from flintmq.server import process
from tests.client.remote.serving import CHANNEL, Serving
from tests.pymqi.conftest import QUEUE
from tests.waiting import PATIENCE, until


def test_without_a_name_nothing_is_connected() -> None:
    qmgr = pymqi.QueueManager(None)
    assert not qmgr.is_connected
    for call in (qmgr.get_handle, qmgr.disconnect):
        with pytest.raises(pymqi.PYIFError, match="not connected"):
            call()
    with pytest.raises(pymqi.MQMIError, match="MQRC_HCONN_ERROR"):
        qmgr.commit()


def test_a_connection_has_a_handle_and_ends(qmgr: pymqi.QueueManager) -> None:
    assert isinstance(qmgr.get_handle(), int) and qmgr.is_connected
    qmgr.disconnect()
    assert not qmgr.is_connected


def test_attributes_of_the_queue_manager_are_inquired(qmgr: pymqi.QueueManager) -> None:
    name = qmgr.inquire(CMQC.MQCA_Q_MGR_NAME)
    assert len(name) == CMQC.MQ_Q_MGR_NAME_LENGTH and name.strip() in (b"QM1", b"MEMORY")
    assert qmgr.inquire(CMQC.MQIA_COMMAND_LEVEL) >= 800
    with pytest.raises(pymqi.MQMIError, match="MQRC_SELECTOR_ERROR"):
        qmgr.inquire(-5)


def test_a_message_is_put_without_opening_a_queue(qmgr: pymqi.QueueManager) -> None:
    md = pymqi.MD()
    qmgr.put1(QUEUE, "text", md)
    qmgr.put1(pymqi.OD(ObjectName=QUEUE.encode()), b"bytes", pymqi.MD(), pymqi.PMO())
    queue = pymqi.Queue(qmgr, QUEUE)
    assert (queue.get(), queue.get(), md.Format) == (b"text", b"bytes", CMQC.MQFMT_STRING)
    with pytest.raises(pymqi.MQMIError, match="MQRC_UNKNOWN_OBJECT_NAME"):
        qmgr.put1("NO.SUCH.QUEUE", b"1")


def test_there_is_nothing_to_coordinate(qmgr: pymqi.QueueManager) -> None:
    with pytest.raises(pymqi.MQMIError) as refused:
        qmgr.begin()
    assert refused.value.reason in (CMQC.MQRC_NO_EXTERNAL_PARTICIPANTS, CMQC.MQRC_ENVIRONMENT_ERROR)


def test_a_channel_and_an_address_lead_over_the_network(serving: Serving) -> None:
    qmgr = pymqi.QueueManager(None)
    qmgr.connect_tcp_client("QM1", pymqi.CD(), CHANNEL, serving.conn)
    assert qmgr.inquire(CMQC.MQCA_Q_MGR_NAME).strip() == b"QM1"
    qmgr.disconnect()
    cd = pymqi.CD(ChannelName=CHANNEL.encode(), ConnectionName=serving.conn.encode())
    qmgr.connect_with_options("QM1", cd, pymqi.SCO())
    assert qmgr.is_connected
    qmgr.disconnect()


def test_mqserver_says_where(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQSERVER", f"{CHANNEL}/TCP/{serving.conn}")
    qmgr = pymqi.QueueManager("QM1")
    assert qmgr.is_connected
    qmgr.disconnect()


@pytest.mark.parametrize("text", ["nonsense", "CHANNEL/UDP/host(1)", "CHANNEL/TCP/"])
def test_an_mqserver_that_says_nothing_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQSERVER", text)
    with pytest.raises(pymqi.MQMIError) as refused:
        pymqi.QueueManager("QM1")
    assert refused.value.reason == CMQC.MQRC_CHANNEL_CONFIG_ERROR


def test_a_queue_manager_that_runs_is_reached_over_its_local_socket() -> None:
    flintmq.open("QM1", developer=True).close()
    process.start(instance.by_name("QM1"))
    try:
        qmgr = pymqi.QueueManager("QM1")
        qmgr.put1(QUEUE, b"hello")
        assert pymqi.Queue(qmgr, QUEUE).get() == b"hello"
        qmgr.disconnect()
    finally:
        assert main(["endmqm", "-i", "QM1"]) == 0


def test_a_queue_manager_that_does_not_run_is_opened_here_and_closed_with_its_last_connection() -> None:
    flintmq.open("QM1", developer=True).close()
    first, second = pymqi.connect("QM1"), pymqi.QueueManager(b"QM1")
    first.put1(QUEUE, b"persistent", pymqi.MD(Persistence=1))
    first.disconnect()
    assert pymqi.Queue(second, QUEUE).get() == b"persistent"
    with pytest.raises(flintmq.QueueManagerInUse):
        flintmq.open("QM1")
    second.disconnect()
    flintmq.open("QM1", create=False).close()


def test_an_unknown_queue_manager_is_refused_and_not_made() -> None:
    with pytest.raises(pymqi.MQMIError, match="MQRC_Q_MGR_NAME_ERROR"):
        pymqi.QueueManager("NONE")
    with pytest.raises(pymqi.MQMIError, match="MQRC_Q_MGR_NAME_ERROR"):
        pymqi.QueueManager("")
    with pytest.raises(flintmq.QueueManagerNotFound):
        flintmq.open("NONE", create=False)


def test_connecting_needs_to_know_where() -> None:
    with pytest.raises(TypeError, match="Invalid arguments"):
        pymqi.connect(None)
    with pytest.raises(ValueError, match="Password must not be None"):
        pymqi.connect("QM1", CHANNEL, "127.0.0.1(1)", "app")
    with pytest.raises(TypeError, match="Invalid options"):
        pymqi.QueueManager(None).connect_with_options("QM1", 1, 2, 3)


def test_nobody_at_the_address_is_a_reason() -> None:
    with pytest.raises(pymqi.MQMIError) as refused:
        pymqi.connect("QM1", CHANNEL, "127.0.0.1(1)")
    assert refused.value.reason in (CMQC.MQRC_HOST_NOT_AVAILABLE, CMQC.MQRC_Q_MGR_NOT_AVAILABLE)
    assert "127.0.0.1(1)" in refused.value.text and "127.0.0.1" not in str(refused.value)


def test_a_connection_that_is_dropped_is_disconnected(embedded: flintmq.QueueManager) -> None:
    qmgr = pymqi.QueueManager(embedded)
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INPUT_EXCLUSIVE)
    del queue, qmgr
    other = pymqi.QueueManager(embedded)
    pymqi.Queue(other, QUEUE, CMQC.MQOO_INPUT_EXCLUSIVE).close()
    other.disconnect()


@pytest.mark.parametrize("kind", ["put", "get"])
def test_a_disconnect_commits_the_unit_of_work(
    qmgr: pymqi.QueueManager, embedded: flintmq.QueueManager, serving: Serving, kind: str
) -> None:
    """MQDISC: only a program that ends without it has its work backed out."""
    inside = serving.qm if pymqe_remote(qmgr) else embedded
    if kind == "put":
        qmgr.put1(QUEUE, b"unit", pymqi.MD(), pymqi.PMO(Options=CMQC.MQPMO_SYNCPOINT))
    else:
        inside.queue(QUEUE).put(b"unit")
        queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INPUT_SHARED)
        assert queue.get(None, pymqi.MD(), pymqi.GMO(Options=CMQC.MQGMO_SYNCPOINT)) == b"unit"

    qmgr.disconnect()

    assert [message.data for message in inside.queue(QUEUE).browse()] == ([b"unit"] if kind == "put" else [])


def pymqe_remote(qmgr: pymqi.QueueManager) -> bool:
    return binding.find(qmgr.get_handle()).remote


def test_a_queue_that_is_dropped_in_the_middle_of_a_call_is_closed_after_it(qmgr: pymqi.QueueManager) -> None:
    """Finalisers run at any moment: here in a signal handler, while the same thread waits for a message."""
    kept = [pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_OUTPUT)]
    handles = binding.find(qmgr.get_handle())._objects
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INPUT_SHARED)

    def dropped(*_: object) -> None:
        if not kept:
            raise TimeoutError("the call and the finaliser wait for each other")
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        kept.clear()

    before = signal.signal(signal.SIGALRM, dropped)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(pymqi.MQMIError, match="MQRC_NO_MSG_AVAILABLE"):
            queue.get(None, pymqi.MD(), pymqi.GMO(Options=CMQC.MQGMO_WAIT, WaitInterval=300))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    assert not kept
    until(lambda: len(handles) == 1)


def test_a_queue_that_the_collector_finds_in_a_thread_of_ours_is_closed_when_that_is_done(
    qmgr: pymqi.QueueManager,
) -> None:
    """That thread is in no call of the program's, and yet has a lock: of the socket for heartbeats, of the engine."""
    found = binding.find(qmgr.get_handle())
    lock = found.mqi.wire._lock if found.remote else found.mqi._host.lock
    cycle: list[object] = [pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_OUTPUT)]
    cycle.append(cycle)
    open_meanwhile: list[int] = []

    def ours() -> None:
        with lock:
            gc.collect()
            open_meanwhile.append(len(found._objects))

    gc.disable()
    try:
        del cycle
        thread = threading.Thread(target=ours, daemon=True)
        thread.start()
        thread.join(PATIENCE)
    finally:
        gc.enable()

    assert open_meanwhile == [1]
    until(lambda: not found._objects, "the queue is closed")


def test_a_connection_that_is_dropped_while_another_is_made_does_not_hold_it_up() -> None:
    """The lock of queue managers that are open here is held by the thread whose finaliser wants it."""
    assert main(["crtmqm", "--dev", "ORDERS"]) == 0
    first = pymqi.QueueManager("ORDERS")
    with binding._opening:
        first.put1(QUEUE, b"1", pymqi.MD(Persistence=1), pymqi.PMO(Options=CMQC.MQPMO_SYNCPOINT))
        del first

    second = pymqi.QueueManager("ORDERS")
    assert pymqi.Queue(second, QUEUE).get() == b"1"
    second.disconnect()


def test_a_queue_manager_that_has_failed_is_opened_again_and_the_old_connections_do_not_close_it() -> None:
    assert main(["crtmqm", "--dev", "ORDERS"]) == 0
    old = pymqi.QueueManager("ORDERS")
    binding._opened["ORDERS"].queue_manager._host.abandon()
    new = pymqi.QueueManager("ORDERS")

    old.disconnect()
    third = pymqi.QueueManager("ORDERS")

    assert third.is_connected and new.is_connected and binding._opened["ORDERS"].users == 2
    new.disconnect()
    third.disconnect()
    assert "ORDERS" not in binding._opened


def test_two_threads_that_disconnect_at_once_are_told_one_of_them_is_late(qmgr: pymqi.QueueManager) -> None:
    handle = qmgr.get_handle()
    assert pymqi.pymqe.MQDISC(handle) == (CMQC.MQCC_OK, CMQC.MQRC_NONE)
    assert pymqi.pymqe.MQDISC(handle) == (CMQC.MQCC_FAILED, CMQC.MQRC_HCONN_ERROR)


def test_an_object_that_connects_again_leaves_nothing_of_the_connection_before(serving: Serving) -> None:
    """Programs do so when a connection is lost. What was not committed is backed out, for nobody can commit it."""
    qmgr = pymqi.connect("QM1", CHANNEL, serving.conn)
    qmgr.put1(QUEUE, b"1", pymqi.MD(), pymqi.PMO(Options=CMQC.MQPMO_SYNCPOINT))
    before = qmgr.get_handle()
    assert qmgr.inquire(CMQC.MQCA_Q_MGR_NAME).strip() == b"QM1"

    qmgr.connect_tcp_client("QM1", pymqi.CD(), CHANNEL, serving.conn)

    assert qmgr.get_handle() != before and before not in binding._bindings
    assert qmgr.inquire(CMQC.MQCA_Q_MGR_NAME).strip() == b"QM1"
    assert serving.qm.queue(QUEUE).depth == 0

    serving.cut()
    qmgr.connect_tcp_client("QM1", pymqi.CD(), CHANNEL, serving.conn)
    assert qmgr.is_connected
    qmgr.disconnect()


def test_a_queue_of_the_connection_before_is_none_of_the_new_one(embedded: flintmq.QueueManager) -> None:
    """Whoever connects again has objects whose handles mean nothing any more, to be dropped at any time."""
    qmgr = pymqi.QueueManager(embedded)
    old = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_OUTPUT)
    qmgr.disconnect()
    qmgr._connect(embedded)
    new = pymqi.Queue(qmgr, "DEV.QUEUE.2", CMQC.MQOO_OUTPUT)

    with pytest.raises(pymqi.MQMIError, match="MQRC_HOBJ_ERROR"):
        old.put(b"for another queue")
    del old
    new.put(b"1")

    assert (embedded.queue(QUEUE).depth, embedded.queue("DEV.QUEUE.2").depth) == (0, 1)
    qmgr.disconnect()
