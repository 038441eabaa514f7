"""Queue, embedded and over a channel."""

from __future__ import annotations

import pytest

from flintmq import pymqi
from flintmq.pymqi import CMQC
from tests.pymqi.conftest import QUEUE

BOTH = CMQC.MQOO_INPUT_AS_Q_DEF | CMQC.MQOO_OUTPUT | CMQC.MQOO_BROWSE
RFH2 = b"<usr><color>red</color></usr>"


@pytest.fixture
def queue(qmgr: pymqi.QueueManager) -> pymqi.Queue:
    return pymqi.Queue(qmgr, QUEUE, BOTH)


def depth(qmgr: pymqi.QueueManager) -> int:
    asked = pymqi.Queue(qmgr, QUEUE)
    found: int = asked.inquire(CMQC.MQIA_CURRENT_Q_DEPTH)
    asked.close()
    return found


def test_what_is_put_is_got(queue: pymqi.Queue) -> None:
    put, got = pymqi.MD(CorrelId=b"7"), pymqi.MD()
    queue.put(b"hello", put)
    assert put.MsgId[:4] == b"AMQ " and put.PutDate.strip()
    assert queue.get(None, got) == b"hello"
    assert (got.MsgId, got.CorrelId, got.Format) == (put.MsgId, b"7".ljust(24, b"\0"), b" " * 8)


def test_text_is_encoded_and_says_so(queue: pymqi.Queue) -> None:
    queue.put("grün")
    md = pymqi.MD()
    assert queue.get(None, md) == "grün".encode()
    assert (md.CodedCharSetId, md.Format) == (1208, CMQC.MQFMT_STRING)


@pytest.mark.parametrize("message", [42, None, ["text"]])
def test_what_is_neither_text_nor_bytes_is_refused(queue: pymqi.Queue, message: object) -> None:
    with pytest.raises(TypeError, match="Convert to bytes"):
        queue.put(message)  # type: ignore[arg-type]


def test_a_queue_is_opened_when_it_is_used(qmgr: pymqi.QueueManager) -> None:
    writer, reader = pymqi.Queue(qmgr, QUEUE), pymqi.Queue(qmgr)
    assert writer.get_handle() is None
    writer.put(b"1")
    reader.open(QUEUE)
    assert reader.get() == b"1" and isinstance(reader.get_handle(), int)
    with pytest.raises(pymqi.PYIFError, match="The Queue is already open"):
        reader.open(QUEUE)
    reader.close()
    with pytest.raises(pymqi.PYIFError, match="not open"):
        reader.close()


def test_a_queue_without_a_name_cannot_be_used(qmgr: pymqi.QueueManager) -> None:
    with pytest.raises(pymqi.PYIFError, match="The Queue Descriptor has not been set"):
        pymqi.Queue(qmgr).put(b"1")


def test_an_unknown_queue_is_refused_by_reason(qmgr: pymqi.QueueManager) -> None:
    with pytest.raises(pymqi.MQMIError, match="MQRC_UNKNOWN_OBJECT_NAME") as refused:
        pymqi.Queue(qmgr, "NO.SUCH.QUEUE", CMQC.MQOO_OUTPUT)
    assert (refused.value.comp, refused.value.reason) == (2, 2085)


def test_a_get_that_finds_nothing_fails(queue: pymqi.Queue) -> None:
    with pytest.raises(pymqi.MQMIError, match="Comp: 2, Reason 2033: FAILED: MQRC_NO_MSG_AVAILABLE"):
        queue.get()


@pytest.mark.parametrize("room", [0, 3])
def test_a_message_that_does_not_fit_stays_and_says_how_long_it_is(queue: pymqi.Queue, room: int) -> None:
    queue.put(b"12345")
    with pytest.raises(pymqi.MQMIError) as refused:
        queue.get(room)
    assert (refused.value.reason, refused.value.original_length) == (CMQC.MQRC_TRUNCATED_MSG_FAILED, 5)
    assert queue.get(5) == b"12345"


@pytest.mark.parametrize("room", [None, 0, 3])
def test_a_message_may_be_cut(queue: pymqi.Queue, room: int | None) -> None:
    queue.put(b"12345")
    with pytest.raises(pymqi.MQMIError) as warned:
        queue.get(room, None, pymqi.GMO(Options=CMQC.MQGMO_ACCEPT_TRUNCATED_MSG))
    assert (warned.value.comp, warned.value.reason) == (1, CMQC.MQRC_TRUNCATED_MSG_ACCEPTED)
    assert (warned.value.message, warned.value.original_length) == (b"12345"[: room or 0], 5)
    with pytest.raises(pymqi.MQMIError, match="2033"):
        queue.get()


def test_a_long_message_is_got_whole(queue: pymqi.Queue) -> None:
    queue.put(b"x" * 100_000)
    assert queue.get() == b"x" * 100_000


def test_messages_are_browsed_and_matched(queue: pymqi.Queue) -> None:
    for number in (b"1", b"2"):
        queue.put(number, pymqi.MD(CorrelId=number))
    browse = pymqi.GMO(Options=CMQC.MQGMO_BROWSE_NEXT)
    assert [queue.get(None, pymqi.MD(), browse) for _ in range(2)] == [b"1", b"2"]
    match = pymqi.GMO(Version=2, MatchOptions=CMQC.MQMO_MATCH_CORREL_ID)
    assert queue.get(None, pymqi.MD(CorrelId=b"2"), match) == b"2"


def test_a_unit_of_work_is_committed_or_backed_out(qmgr: pymqi.QueueManager, queue: pymqi.Queue) -> None:
    syncpoint = pymqi.PMO(Options=CMQC.MQPMO_SYNCPOINT)
    queue.put(b"1", pymqi.MD(), syncpoint)
    qmgr.backout()
    queue.put(b"2", pymqi.MD(), syncpoint)
    qmgr.commit()
    got = pymqi.MD()
    assert queue.get(None, got, pymqi.GMO(Options=CMQC.MQGMO_SYNCPOINT)) == b"2"
    qmgr.backout()
    again = pymqi.MD()
    assert queue.get(None, again) == b"2" and again.BackoutCount == 1


def test_headers_are_put_and_got(queue: pymqi.Queue) -> None:
    first, second = pymqi.RFH2(Format=CMQC.MQFMT_RF_HEADER_2, Encoding=546), pymqi.RFH2(Format=CMQC.MQFMT_STRING)
    first.add_folder(b"<mcd><Msd>none</Msd></mcd>")
    second.add_folder(b"<first><color>red</color></first>")
    md = pymqi.MD(Format=CMQC.MQFMT_RF_HEADER_2, Encoding=273)
    queue.put_rfh2(b"body", md, pymqi.PMO(), [first, second])
    headers: list[pymqi.RFH2] = []
    assert queue.get_rfh2(None, pymqi.MD(), pymqi.GMO(), headers) == b"body"
    assert [header.Format for header in headers] == [b"MQHRF2  ", b"MQSTR   "]
    assert headers[1].first.rstrip() == b"<first><color>red</color></first>"


def test_headers_are_a_list(queue: pymqi.Queue) -> None:
    with pytest.raises(TypeError, match="should be a list"):
        queue.put_rfh2(b"body", pymqi.MD(), pymqi.PMO(), "header")
    with pytest.raises(TypeError, match="should be a list"):
        queue.get_rfh2(None, pymqi.MD(), pymqi.GMO(), "header")
    with pytest.raises(AttributeError):
        queue.get_rfh2(None, pymqi.MD(), pymqi.GMO(), None)


def test_properties_can_be_left_out(queue: pymqi.Queue) -> None:
    header = pymqi.RFH2(Format=CMQC.MQFMT_STRING, CodedCharSetId=1208, NameValueCCSID=1208)
    header.add_folder(RFH2)
    queue.put_rfh2(b"body", pymqi.MD(Format=CMQC.MQFMT_RF_HEADER_2), pymqi.PMO(), [header])
    assert queue.get_no_jms() == b"body"


def test_attributes_are_inquired_and_set(qmgr: pymqi.QueueManager) -> None:
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INQUIRE | CMQC.MQOO_SET | CMQC.MQOO_OUTPUT)
    assert queue.inquire(CMQC.MQCA_Q_NAME) == QUEUE.encode().ljust(48)
    queue.set(CMQC.MQIA_INHIBIT_PUT, CMQC.MQQA_PUT_INHIBITED)
    assert queue.inquire(CMQC.MQIA_INHIBIT_PUT) == CMQC.MQQA_PUT_INHIBITED
    with pytest.raises(pymqi.MQMIError, match="MQRC_PUT_INHIBITED"):
        queue.put(b"1")
    queue.set(CMQC.MQCA_TRIGGER_DATA, b"data".ljust(64))
    assert queue.inquire(CMQC.MQCA_TRIGGER_DATA).rstrip() == b"data"
    with pytest.raises(TypeError):
        queue.set(CMQC.MQCA_TRIGGER_DATA, "data")  # type: ignore[arg-type]


def test_a_dynamic_queue_says_its_name(qmgr: pymqi.QueueManager) -> None:
    od = pymqi.OD(ObjectName=b"SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName=b"MINE.*")
    queue = pymqi.Queue(qmgr, od, CMQC.MQOO_INPUT_EXCLUSIVE)
    assert od.ObjectName.startswith(b"MINE.") and len(od.ObjectName) == 48
    qmgr.put1(od.ObjectName.strip(), b"reply")
    assert queue.get() == b"reply"


def test_a_descriptor_that_is_none_is_refused_by_reason(queue: pymqi.Queue) -> None:
    with pytest.raises(pymqi.MQMIError) as refused:
        queue.put(b"1", pymqi.MD(StrucId=b"XX  "))
    assert refused.value.reason == CMQC.MQRC_MD_ERROR
    with pytest.raises(pymqi.MQMIError) as refused:
        queue.put(b"1", pymqi.MD(), pymqi.PMO(StrucId=b"XX  "))
    assert refused.value.reason == CMQC.MQRC_PMO_ERROR
    with pytest.raises(pymqi.MQMIError) as refused:
        queue._q_mgr.put1(pymqi.OD(StrucId=b"XX  "), b"1")
    assert refused.value.reason == CMQC.MQRC_OD_ERROR
    with pytest.raises(pymqi.MQMIError) as refused:
        queue.get(None, pymqi.MD(), pymqi.GMO(Version=9))
    assert refused.value.reason in (CMQC.MQRC_GMO_ERROR, CMQC.MQRC_WRONG_GMO_VERSION)
    with pytest.raises(pymqi.MQMIError) as refused:
        pymqi.MessageHandle(queue._q_mgr, pymqi.CMHO(StrucId=b"XX  "))
    assert refused.value.reason == CMQC.MQRC_CMHO_ERROR


def test_too_many_arguments_are_refused(queue: pymqi.Queue) -> None:
    with pytest.raises(TypeError, match="Too many args"):
        queue.put(b"1", pymqi.MD(), pymqi.PMO(), 3)


def test_nothing_is_left_behind(qmgr: pymqi.QueueManager, queue: pymqi.Queue) -> None:
    queue.put(b"1")
    assert depth(qmgr) == 1
    queue.get()
    assert depth(qmgr) == 0


@pytest.mark.parametrize("length", [0, 35])
def test_a_header_that_is_shorter_than_a_header_is_refused_with_the_message(queue: pymqi.Queue, length: int) -> None:
    """The next header would be the same one again, for ever. The message is off the queue: the error has it."""
    header = pymqi.RFH2(StrucLength=length, Format=b"MQHRF2  ")
    queue.put(header.pack() + b"data", pymqi.MD(Format=b"MQHRF2  "))

    with pytest.raises(pymqi.PYIFError, match="less than the 36 bytes of a header") as refused:
        queue.get_rfh2(None, pymqi.MD(), pymqi.GMO(), [])

    assert getattr(refused.value, "message", b"").endswith(b"data")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("ObjectString", "MQRC_OBJECT_STRING_ERROR"), ("SelectionString", "MQRC_SELECTION_STRING_ERROR")],
)
def test_a_string_that_is_no_text_has_its_own_reason(qmgr: pymqi.QueueManager, name: str, reason: str) -> None:
    od = pymqi.OD(Version=4, ObjectName=QUEUE.encode())
    od.set_vs(name, b"ab")
    od[name + "VSLength"] = -7
    with pytest.raises(pymqi.MQMIError, match=reason):
        pymqi.Queue(qmgr, od, CMQC.MQOO_INPUT_SHARED)


def test_a_string_that_comes_back_ends_where_it_ends(qmgr: pymqi.QueueManager) -> None:
    od = pymqi.OD(Version=4, ObjectType=CMQC.MQOT_TOPIC)
    od.set_vs("ObjectString", "a/b")
    od.set_vs("ResObjectString", b"x" * 20, vs_buffer_size=20)
    pymqi.Topic(qmgr, topic_desc=od, open_opts=CMQC.MQOO_OUTPUT).close()
    assert (od.get_vs("ResObjectString"), od.ResObjectStringVSLength) == (b"a/b", 3)
