"""The MQI over a channel: the same calls, answers and errors as in the queue manager's own process."""

from __future__ import annotations

import threading

import pytest

import flintmq
from flintmq.mqi import constants as mq
from flintmq.mqi.dh import MQPMR
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.object_record import MQOR
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQCC_WARNING,
    MQRC_MSG_TOO_BIG_FOR_CHANNEL,
    MQRC_MULTIPLE_REASONS,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_SELECTOR_NOT_FOR_TYPE,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from flintmq.mqi.response_record import MQRR
from flintmq.mqi.sd import MQSD
from flintmq.qmgr import xa
from tests.client.remote.serving import QUEUE, Serving
from tests.waiting import PATIENCE

BOTH = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE | mq.MQOO_INQUIRE | mq.MQOO_SET
Remote = flintmq.RemoteQueueManager


def od(name: str = QUEUE) -> MQOD:
    made = MQOD()
    made.object_name = name
    return made


def pmo(options: int = 0) -> MQPMO:
    made = MQPMO()
    made.options = options
    return made


def gmo(options: int = 0, wait_ms: int = 0) -> MQGMO:
    made = MQGMO()
    made.options, made.wait_interval = options, wait_ms
    return made


def test_what_is_put_is_got(remote: Remote) -> None:
    mqi = remote.mqi
    handle = mqi.open(od(), BOTH)
    md = MQMD()
    md.correl_id, md.priority = b"7".ljust(24, b"\0"), 3
    mqi.put(handle, md, pmo(), b"hello")
    assert md.msg_id[:4] == b"AMQ " and md.put_date and remote.name == "QM1"
    got = MQMD()
    assert mqi.get(handle, got, gmo()) == b"hello"
    assert (got.msg_id, got.correl_id, got.priority) == (md.msg_id, md.correl_id, 3)
    with pytest.raises(flintmq.NoMessageAvailable) as nothing:
        mqi.get(handle, MQMD(), gmo())
    assert nothing.value.reason == MQRC_NO_MSG_AVAILABLE and QUEUE in str(nothing.value)
    mqi.close(handle)
    assert not handle.open


@pytest.mark.parametrize("length", [0, 1, 30_000, 32_700, 32_748, 40_000, 1_000_000, 4 * 1024 * 1024])
def test_messages_of_all_lengths_go_both_ways(remote: Remote, length: int) -> None:
    data = (bytes(range(256)) * (length // 256 + 1))[:length]
    mqi = remote.mqi
    handle = mqi.open(od(), BOTH)
    mqi.put(handle, MQMD(), pmo(), data)
    assert mqi.get(handle, MQMD(), gmo()) == data
    assert mqi.data_length == length


def test_a_message_that_the_channel_does_not_take_is_refused_and_nothing_is_broken(remote: Remote) -> None:
    mqi = remote.mqi
    handle = mqi.open(od(), BOTH)
    with pytest.raises(flintmq.MQError) as refused:
        mqi.put(handle, MQMD(), pmo(), bytes(4 * 1024 * 1024 + 1))
    assert refused.value.reason == MQRC_MSG_TOO_BIG_FOR_CHANNEL
    mqi.put(handle, MQMD(), pmo(), b"still there")
    assert mqi.get(handle, MQMD(), gmo()) == b"still there"


def test_a_buffer_that_is_too_short_gets_what_fits(remote: Remote) -> None:
    mqi = remote.mqi
    handle = mqi.open(od(), BOTH)
    mqi.put(handle, MQMD(), pmo(), b"0123456789")
    assert mqi.get(handle, MQMD(), gmo(), 4) == b"0123"
    assert (mqi.completion, mqi.reason, mqi.data_length) == (MQCC_WARNING, MQRC_TRUNCATED_MSG_FAILED, 10)
    assert mqi.get(handle, MQMD(), gmo(mq.MQGMO_ACCEPT_TRUNCATED_MSG), 4) == b"0123"
    assert mqi.reason == MQRC_TRUNCATED_MSG_ACCEPTED
    with pytest.raises(flintmq.NoMessageAvailable):
        mqi.get(handle, MQMD(), gmo())


def test_a_get_waits_for_a_message_that_another_thread_puts(remote: Remote) -> None:
    handle = remote.mqi.open(od(), BOTH)
    entered = threading.Event()

    def put_later() -> None:
        entered.wait(PATIENCE)
        remote.mqi.put1(od(), MQMD(), pmo(), b"late")  # On a connection of this thread.

    other = threading.Thread(target=put_later)
    other.start()
    entered.set()
    assert remote.mqi.get(handle, MQMD(), gmo(mq.MQGMO_WAIT, 60_000)) == b"late"
    other.join()


def test_a_wait_that_is_over_has_no_message(remote: Remote) -> None:
    handle = remote.mqi.open(od(), BOTH)
    with pytest.raises(flintmq.NoMessageAvailable):
        remote.mqi.get(handle, MQMD(), gmo(mq.MQGMO_WAIT, 20))


def test_units_of_work_are_committed_and_backed_out(serving: Serving, remote: Remote) -> None:
    mqi = remote.mqi
    handle = mqi.open(od(), BOTH)
    mqi.put(handle, MQMD(), pmo(mq.MQPMO_SYNCPOINT), b"a")
    mqi.back()
    assert serving.qm.queue(QUEUE).depth == 0
    mqi.put(handle, MQMD(), pmo(mq.MQPMO_SYNCPOINT), b"b")
    mqi.cmit()
    assert mqi.get(handle, MQMD(), gmo(mq.MQGMO_SYNCPOINT)) == b"b"
    mqi.back()
    md = MQMD()
    assert mqi.get(handle, md, gmo()) == b"b" and md.backout_count == 1


def test_an_unknown_queue_is_refused_by_name(remote: Remote) -> None:
    with pytest.raises(flintmq.UnknownObject) as unknown:
        remote.mqi.open(od("NO.SUCH"), mq.MQOO_OUTPUT)
    assert unknown.value.reason == MQRC_UNKNOWN_OBJECT_NAME
    assert "NO.SUCH" in str(unknown.value) and "QM1" in str(unknown.value)


def test_attributes_are_inquired_and_set(remote: Remote) -> None:
    mqi = remote.mqi
    handle = mqi.open(od(), BOTH)
    mqi.set(handle, [mq.MQIA_INHIBIT_PUT, mq.MQCA_TRIGGER_DATA], [mq.MQQA_PUT_INHIBITED], "some data".ljust(64))
    answer = mqi.inq(handle, [mq.MQIA_INHIBIT_PUT, mq.MQCA_Q_NAME, mq.MQIA_CURRENT_Q_DEPTH, mq.MQCA_TRIGGER_DATA])
    assert answer.integers == [mq.MQQA_PUT_INHIBITED, 0]
    assert [text.rstrip() for text in answer.characters] == [QUEUE, "some data"]
    assert [len(text) for text in answer.characters] == [48, 64]
    with pytest.raises(flintmq.PutInhibited):
        mqi.put(handle, MQMD(), pmo(), b"no")
    assert mqi.inq(handle, [mq.MQIA_NAME_COUNT]).integers == [mq.MQIAV_NOT_APPLICABLE]
    assert mqi.reason == MQRC_SELECTOR_NOT_FOR_TYPE


def test_the_names_of_a_namelist_are_inquired_whatever_their_number(serving: Serving, remote: Remote) -> None:
    serving.qm.mqsc("DEFINE NAMELIST(N) NAMES(A,B,C)")
    wanted = od("N")
    wanted.object_type = mq.MQOT_NAMELIST
    handle = remote.mqi.open(wanted, mq.MQOO_INQUIRE)
    (names,) = remote.mqi.inq(handle, [mq.MQCA_NAMES]).characters
    assert names.split() == ["A", "B", "C"]


def test_a_dynamic_queue_has_the_name_that_it_was_given(remote: Remote) -> None:
    wanted = od("SYSTEM.DEFAULT.MODEL.QUEUE")
    wanted.dynamic_q_name = "REPLY.*"
    handle = remote.mqi.open(wanted, mq.MQOO_INPUT_EXCLUSIVE)
    assert wanted.object_name.startswith("REPLY.") and len(wanted.object_name) > 6
    remote.mqi.put1(od(wanted.object_name), MQMD(), pmo(), b"x")
    assert remote.mqi.get(handle, MQMD(), gmo()) == b"x"


def test_a_selector_chooses(remote: Remote) -> None:
    mqi = remote.mqi
    out = mqi.open(od(), mq.MQOO_OUTPUT)
    for color in ("red", "blue"):
        hmsg = mqi.crtmh()
        mqi.setmp(hmsg, "color", color)
        with_handle = pmo()
        with_handle.version, with_handle.new_msg_handle = 3, hmsg
        mqi.put(out, MQMD(), with_handle, color.encode())
    wanted = od()
    wanted.version, wanted.selection_string = 4, "color = 'blue'"
    handle = mqi.open(wanted, mq.MQOO_INPUT_SHARED)
    asked = gmo(mq.MQGMO_NO_PROPERTIES)
    assert mqi.get(handle, MQMD(), asked) == b"blue"
    with pytest.raises(flintmq.NoMessageAvailable):
        mqi.get(handle, MQMD(), gmo())


def test_properties_travel_with_a_message_and_come_back_in_a_handle(remote: Remote) -> None:
    mqi = remote.mqi
    handle = mqi.open(od(), BOTH)
    hmsg = mqi.crtmh()
    mqi.setmp(hmsg, "color", "red")
    mqi.setmp(hmsg, "shop.count", 3)
    options, md = pmo(), MQMD()
    options.version, options.new_msg_handle = 3, hmsg
    md.format = "MQSTR"
    mqi.put(handle, md, options, b"text")
    assert md.format == "MQSTR"
    back = mqi.crtmh()
    got, asked = MQMD(), gmo()
    asked.version, asked.msg_handle = 4, back
    assert mqi.get(handle, got, asked) == b"text"
    assert got.format == "MQSTR" and mqi.data_length == 4
    assert mqi.inqmp(back, "color").value == "red" and mqi.inqmp(back, "shop.count").value == 3
    mqi.dltmp(back, "color")
    with pytest.raises(flintmq.MQError):
        mqi.inqmp(back, "color")
    mqi.dltmh(back)
    mqi.dltmh(hmsg)


def test_a_short_buffer_is_for_the_data_and_not_for_the_properties(remote: Remote) -> None:
    mqi = remote.mqi
    handle = mqi.open(od(), BOTH)
    hmsg = mqi.crtmh()
    mqi.setmp(hmsg, "color", "red" * 50)
    options = pmo()
    options.version, options.new_msg_handle = 3, hmsg
    mqi.put(handle, MQMD(), options, bytes(100))
    back = mqi.crtmh()
    asked = gmo()
    asked.version, asked.msg_handle = 4, back
    mqi.get(handle, MQMD(), asked, 90)
    assert mqi.reason == MQRC_TRUNCATED_MSG_FAILED
    assert mqi.get(handle, MQMD(), asked, 100) == bytes(100)
    assert mqi.inqmp(back, "color").value == "red" * 50


def test_subscriptions_are_made_and_asked(remote: Remote) -> None:
    mqi = remote.mqi
    sd = MQSD()
    sd.options = mq.MQSO_CREATE | mq.MQSO_MANAGED | mq.MQSO_PUBLICATIONS_ON_REQUEST
    sd.object_string = "sport/football"
    topic = MQOD()
    topic.version, topic.object_type, topic.object_string = 4, mq.MQOT_TOPIC, "sport/football"
    mqi.put1(topic, MQMD(), pmo(mq.MQPMO_RETAIN), b"1:0")
    hobj, hsub = mqi.sub(sd)
    assert mqi.subrq(hsub, mq.MQSR_ACTION_PUBLICATION) == 1
    assert mqi.get(hobj, MQMD(), gmo(mq.MQGMO_WAIT | mq.MQGMO_NO_PROPERTIES, 5000)) == b"1:0"
    mqi.close(hsub)
    mqi.close(hobj)


def test_a_branch_is_prepared_and_committed(serving: Serving, remote: Remote) -> None:
    mqi = remote.mqi
    xid = xa.pack_xid(1, b"global", b"branch")
    handle = mqi.open(od(), BOTH)
    assert mqi.xa_start(xid) == xa.XA_OK
    mqi.put(handle, MQMD(), pmo(mq.MQPMO_SYNCPOINT), b"in the branch")
    assert mqi.xa_end(xid) == xa.XA_OK
    assert mqi.xa_prepare(xid) == xa.XA_OK
    assert mqi.xa_recover(10) == (xa.XA_OK, [xid])
    assert mqi.xa_commit(xid) == xa.XA_OK
    assert mqi.get(handle, MQMD(), gmo()) == b"in the branch"
    assert mqi.xa_rollback(xid) == xa.XAER_NOTA


def test_what_has_become_of_asynchronous_puts_is_told(remote: Remote) -> None:
    handle = remote.mqi.open(od(), BOTH)
    remote.mqi.put(handle, MQMD(), pmo(mq.MQPMO_ASYNC_RESPONSE), b"a")
    assert remote.mqi.stat(mq.MQSTAT_TYPE_ASYNC_ERROR).put_failure_count == 0
    assert remote.mqi.get(handle, MQMD(), gmo()) == b"a"


def test_a_distribution_list_is_opened_and_put_to_as_one(serving: Serving, remote: Remote) -> None:
    """As embedded: not all alike is a warning, and the response records say which."""
    serving.qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)")
    mqi, wanted, options = remote.mqi, MQOD(), pmo()
    wanted.version, wanted.recs_present = 2, 3
    wanted.object_records = [MQOR("A"), MQOR("NO.SUCH"), MQOR("B")]
    wanted.response_records = [MQRR(), MQRR(), MQRR()]
    handle = mqi.open(wanted, mq.MQOO_OUTPUT)
    assert (mqi.completion, mqi.reason) == (MQCC_WARNING, MQRC_MULTIPLE_REASONS)
    assert [record.reason for record in wanted.response_records] == [0, MQRC_UNKNOWN_OBJECT_NAME, 0]
    options.version, options.recs_present, options.response_records = 2, 3, [MQRR(), MQRR(), MQRR()]
    options.put_msg_rec_fields, options.put_msg_records = mq.MQPMRF_CORREL_ID, [MQPMR(), MQPMR(), MQPMR()]
    for number, record in enumerate(options.put_msg_records):
        record.correl_id = b"%d" % number + bytes(23)
    mqi.put(handle, MQMD(), options, b"news")
    assert mqi.reason == MQRC_MULTIPLE_REASONS and options.invalid_dest_count == 1
    mqi.close(handle)
    for name, correl_id in (("A", b"0"), ("B", b"2")):
        message = serving.qm.queue(name).get()
        assert (message.data, message.correlation_id[:1]) == (b"news", correl_id)
    wanted.object_records = [MQOR("NO.SUCH")] * 3
    with pytest.raises(flintmq.UnknownObject):
        mqi.put1(wanted, MQMD(), pmo(), b"")


def test_a_handle_that_is_none_is_refused(remote: Remote) -> None:
    with pytest.raises(TypeError):
        remote.mqi.close(7)  # type: ignore[arg-type]
    handle = remote.mqi.open(od(), BOTH)
    remote.mqi.close(handle)
    with pytest.raises(flintmq.MQError) as refused:
        remote.mqi.get(handle, MQMD(), gmo())
    assert refused.value.reason == 2019
