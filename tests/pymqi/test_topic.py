"""Topic and Subscription, embedded and over a channel."""

from __future__ import annotations

import pytest

from flintmq import pymqi
from flintmq.pymqi import CMQC
from tests.pymqi.conftest import QUEUE
from tests.waiting import PATIENCE

DURABLE = CMQC.MQSO_CREATE + CMQC.MQSO_DURABLE + CMQC.MQSO_MANAGED
WAIT = pymqi.GMO(Options=CMQC.MQGMO_WAIT | CMQC.MQGMO_NO_SYNCPOINT, WaitInterval=int(PATIENCE * 1000))


def described(options: int, name: str = "", topic: str = "a/b") -> pymqi.SD:
    sd = pymqi.SD(Options=options)
    sd.set_vs("ObjectString", topic)
    if name:
        sd.set_vs("SubName", name)
    return sd


def test_a_publication_comes_to_every_subscriber(qmgr: pymqi.QueueManager) -> None:
    topic = pymqi.Topic(qmgr, topic_string="a/b")
    first = topic.sub()
    second = pymqi.Subscription(qmgr)
    second.sub(topic_string=b"a/#")
    topic.pub(b"news")
    assert (first.get(None, pymqi.MD(), WAIT), second.get(None, pymqi.MD(), WAIT)) == (b"news", b"news")
    first.close(close_sub_queue=True)
    second.close(close_sub_queue=True)
    topic.close()


def test_a_durable_subscription_is_resumed_and_removed(qmgr: pymqi.QueueManager) -> None:
    first = pymqi.Subscription(qmgr)
    first.sub(sub_desc=described(DURABLE, "it's mine"))
    first.close(CMQC.MQCO_KEEP_SUB, close_sub_queue=True)
    topic = pymqi.Topic(qmgr, topic_string="a/b", open_opts=CMQC.MQOO_OUTPUT)
    topic.pub(b"kept")
    sd = described(CMQC.MQSO_RESUME + CMQC.MQSO_DURABLE + CMQC.MQSO_MANAGED, "it's mine")
    again = pymqi.Subscription(qmgr, sub_desc=sd)
    assert again.get() == b"kept" and sd.Options & CMQC.MQSO_DURABLE
    again.close(CMQC.MQCO_REMOVE_SUB, close_sub_queue=True)
    with pytest.raises(pymqi.MQMIError, match="MQRC_NO_SUBSCRIPTION"):
        pymqi.Subscription(qmgr).sub(sub_desc=sd)


def test_a_subscription_that_is_there_is_not_made_again(qmgr: pymqi.QueueManager) -> None:
    first, second = pymqi.Subscription(qmgr), pymqi.Subscription(qmgr)
    first.sub(sub_desc=described(DURABLE, "S"))
    with pytest.raises(pymqi.MQMIError, match="MQRC_SUB_ALREADY_EXISTS"):
        second.sub(sub_desc=described(DURABLE, "S"))
    first.close(CMQC.MQCO_REMOVE_SUB)


def test_publications_come_to_a_queue_of_the_programs_own(qmgr: pymqi.QueueManager) -> None:
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INPUT_SHARED)
    subscription = pymqi.Subscription(qmgr)
    subscription.sub(sub_desc=described(CMQC.MQSO_CREATE + CMQC.MQSO_NON_DURABLE), sub_queue=queue)
    pymqi.Topic(qmgr, topic_string="a/b").pub(b"news")
    assert queue.get(None, pymqi.MD(), WAIT) == b"news"
    assert subscription.get_sub_queue().get_handle() == queue.get_handle()
    subscription.close()


def test_headers_are_published(qmgr: pymqi.QueueManager) -> None:
    topic = pymqi.Topic(qmgr, topic_string="a/b")
    subscription = topic.sub()
    header = pymqi.RFH2(Format=CMQC.MQFMT_STRING)
    header.add_folder(b"<first><color>red</color></first>")
    topic.pub_rfh2(b"body", pymqi.MD(Format=CMQC.MQFMT_RF_HEADER_2), pymqi.PMO(), [header])
    headers: list[pymqi.RFH2] = []
    assert subscription.get_rfh2(None, pymqi.MD(), WAIT, headers) == b"body"
    assert any(b"red" in getattr(found, "first", b"") for found in headers)


def test_a_selection_string_chooses_publications(qmgr: pymqi.QueueManager) -> None:
    sd = described(CMQC.MQSO_CREATE + CMQC.MQSO_NON_DURABLE + CMQC.MQSO_MANAGED)
    sd.set_vs("SelectionString", b"Root.MQMD.Priority > 5")
    sd.set_vs("ResObjectString", b"", vs_buffer_size=48)
    subscription = pymqi.Subscription(qmgr, sub_desc=sd)
    topic = pymqi.Topic(qmgr, topic_string="a/b")
    topic.pub(b"low", pymqi.MD(Priority=1))
    topic.pub(b"high", pymqi.MD(Priority=9))
    assert subscription.get(None, pymqi.MD(), WAIT) == b"high"
    assert sd.get_vs("ResObjectString") == b"a/b" and sd.ResObjectStringVSLength == 3


def test_what_is_not_open_cannot_be_closed(qmgr: pymqi.QueueManager) -> None:
    with pytest.raises(pymqi.PYIFError, match=r"Topic not open\."):
        pymqi.Topic(qmgr, topic_string="a").close()
    with pytest.raises(pymqi.PYIFError, match=r"Subscription not open\."):
        pymqi.Subscription(qmgr).close()
    topic = pymqi.Topic(qmgr)
    topic.open(topic_string="a", open_opts=CMQC.MQOO_OUTPUT)
    with pytest.raises(pymqi.PYIFError, match=r"The Topic is already open\."):
        topic.open(topic_string="a")


def test_a_descriptor_that_is_not_of_a_topic_is_refused(qmgr: pymqi.QueueManager) -> None:
    with pytest.raises(pymqi.PYIFError, match="ObjectType is not MQOT_TOPIC"):
        pymqi.Topic(qmgr, topic_desc=pymqi.OD())
    with pytest.raises(pymqi.PYIFError, match="Version is not MQOD_VERSION_4"):
        pymqi.Topic(qmgr, topic_desc=pymqi.OD(ObjectType=CMQC.MQOT_TOPIC))
    with pytest.raises(TypeError, match="must be a SD"):
        pymqi.Subscription(qmgr).sub(sub_desc=pymqi.OD())


def test_the_queue_of_the_program_outlives_the_subscription(qmgr: pymqi.QueueManager) -> None:
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)
    sd = pymqi.SD(Options=CMQC.MQSO_CREATE | CMQC.MQSO_NON_DURABLE)
    sd.set_vs("ObjectString", "a/b")
    subscription = pymqi.Subscription(qmgr)
    subscription.sub(sd, queue)
    assert subscription.get_sub_queue() is queue
    subscription.close()
    del subscription

    queue.put(b"1")
    assert queue.get() == b"1"
