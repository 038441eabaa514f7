"""Publish/subscribe through the Python API: `qm.topic`, `qm.subscribe`, and MQSUB and MQSUBRQ in `qm.mqi`."""

from __future__ import annotations

import queue as standard
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from flintmq.catalogue.attributes import default_attributes
from flintmq.client.mqi import MQI
from flintmq.host.host import HandleCache
from flintmq.mqi import constants as mq
from flintmq.mqi.cbc import MQCBC
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.reason import (
    MQRC_HOBJ_ERROR,
    MQRC_NO_RETAINED_MSG,
    MQRC_SUBSCRIPTION_IN_USE,
    MQRC_TOPIC_NOT_ALTERABLE,
    MQRC_TOPIC_STRING_ERROR,
)
from flintmq.mqi.sd import MQSD
from flintmq.testing import DiskQueueManager
from tests.waiting import PATIENCE


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[DiskQueueManager]:
    """A queue manager that can be crashed and restarted."""
    with DiskQueueManager(tmp_path / "QM1") as opened:
        yield opened
        opened._host.engine.check()


# -- publish and subscribe --------------------------------------------------------------------------------------------


def test_every_subscriber_gets_a_copy_and_knows_the_topic(qm: flintmq.QueueManager) -> None:
    with qm.subscribe("prices/#") as everything, qm.subscribe("prices/gold") as gold, qm.subscribe("sport/+") as sport:
        message_id = qm.topic("prices/gold").publish("1811.40", persistent=True, properties={"currency": "USD"})
        assert len(message_id) == 24
        for subscription in (everything, gold):
            message = subscription.get(wait=PATIENCE)
            assert (message.text, message.topic) == ("1811.40", "prices/gold")
            assert message.properties["currency"] == "USD"
        assert sport.get_or_none() is None
        qm.topic("sport/football").publish(b"1:0")
        assert sport.get().topic == "sport/football"


def test_a_message_that_was_not_published_has_no_topic(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A", create=True)
    queue.put(b"")
    assert queue.get().topic == ""


@pytest.mark.parametrize(
    ("pattern", "wildcard", "expected"),
    [
        ("a/+/c", "topic", ["a/b/c"]),
        ("a/#", "topic", ["a", "a/b", "a/b/c"]),
        ("a*", "character", ["a", "a/b", "a/b/c"]),
        ("a/?", "character", ["a/b"]),
    ],
)
def test_wildcards_by_level_and_by_character(
    qm: flintmq.QueueManager, pattern: str, wildcard: str, expected: list[str]
) -> None:
    with qm.subscribe(pattern, wildcard=wildcard) as subscription:
        for topic in ("a", "a/b", "a/b/c", "b"):
            qm.topic(topic).publish(topic)
        assert [message.text for message in subscription.messages()] == expected
    with pytest.raises(ValueError, match="wildcard"):
        qm.subscribe(pattern, wildcard="regex")


def test_retained_publications_come_first_or_when_they_are_asked_for(qm: flintmq.QueueManager) -> None:
    gold = qm.topic("prices/gold")
    gold.publish("old", retain=True)
    gold.publish("new", retain=True)
    with (
        qm.subscribe("prices/+") as now,
        qm.subscribe("prices/+", new_only=True) as later,
        qm.subscribe("prices/gold", on_request=True) as asked,
        qm.subscribe("sport/#", on_request=True) as nothing,
    ):
        assert [message.text for message in now.messages()] == ["new"]
        assert later.get_or_none() is None and asked.get_or_none() is None
        assert asked.request() == 1
        assert asked.get().text == "new"
        assert nothing.request() == 0


def test_a_selector_chooses_among_publications(qm: flintmq.QueueManager) -> None:
    with qm.subscribe("orders", selector="total > 100 AND region = 'EU'") as large:
        for region, total in (("EU", 50), ("EU", 150), ("US", 500)):
            qm.topic("orders").publish(str(total), properties={"region": region, "total": total})
        assert [message.text for message in large.messages()] == ["150"]


def test_a_selector_that_is_wrong_shows_the_place(qm: flintmq.QueueManager) -> None:
    before = len(qm._host.engine.connections)
    with pytest.raises(flintmq.BadSelector) as error:
        qm.subscribe("orders", selector="total > > 100")
    assert error.value.position == 9 and "total > \u25b6 > 100" in str(error.value)
    assert len(qm._host.engine.connections) <= before + 1  # Of this thread.


def test_a_publication_belongs_to_the_transaction(qm: flintmq.QueueManager) -> None:
    with qm.subscribe("t") as subscription:
        with pytest.raises(KeyError), qm.transaction():
            qm.topic("t").publish("no")
            raise KeyError
        assert subscription.get_or_none() is None
        with qm.transaction():
            qm.topic("t").publish("its own")
            assert subscription.get().text == "its own"  # A unit of work sees what it has put.
            qm.topic("t").publish("yes")
        with pytest.raises(KeyError), qm.transaction():
            assert subscription.get().text == "yes"
            raise KeyError
        assert subscription.get().backout_count == 1


def test_a_subscription_ends_with_its_block_and_its_queue_with_it(qm: flintmq.QueueManager) -> None:
    with qm.subscribe("t") as subscription:
        qm.topic("t").publish("x")
        name = subscription.queue.name
        assert subscription.queue.depth == 1
        assert subscription.get().text == "x"  # Leaves a handle open for speed.
    assert name not in qm._host.engine.queues
    assert not qm._host.engine.subscriptions.everything()
    qm.topic("t").publish("nobody hears it")


def test_a_subscription_that_is_dropped_ends_too(qm: flintmq.QueueManager) -> None:
    subscription = qm.subscribe("t")
    assert len(qm._host.engine.subscriptions.everything()) == 1
    del subscription
    qm.topic("t").publish("x")  # The next call clears up.
    assert not qm._host.engine.subscriptions.everything()


def test_publications_go_to_a_queue_of_the_application_and_are_told_apart(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("INBOX", create=True)
    queue.put("mail")
    with (
        qm.subscribe("a", queue="INBOX") as first,
        qm.subscribe("b", queue="INBOX", correlation_id=b"b") as second,
    ):
        qm.topic("b").publish("b")
        qm.topic("a").publish("a")
        assert first.get().text == "a"
        message = second.get()
        assert message.text == "b" and message.correlation_id == b"b".ljust(24, b"\0")
    assert [message.text for message in queue.messages()] == ["mail"]


def test_threads_share_a_subscription_and_iterate_over_it(qm: flintmq.QueueManager) -> None:
    came: standard.Queue[str] = standard.Queue()
    with qm.subscribe("work") as subscription:

        def work() -> None:
            for message in subscription:
                if message.text == "end":
                    return
                came.put(message.text)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(20):
            qm.topic("work").publish(str(number))
        for _ in threads:
            qm.topic("work").publish("end")
        for thread in threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()
    assert sorted(int(came.get_nowait()) for _ in range(20)) == list(range(20))


def test_iteration_ends_when_the_subscription_is_closed(qm: flintmq.QueueManager) -> None:
    subscription = qm.subscribe("t")
    came: standard.Queue[str] = standard.Queue()

    def listen() -> None:
        for message in subscription:
            came.put(message.text)
        came.put("end")

    thread = threading.Thread(target=listen)
    thread.start()
    qm.topic("t").publish("x")
    assert came.get(timeout=PATIENCE) == "x"
    subscription.close()
    assert came.get(timeout=PATIENCE) == "end"
    thread.join(PATIENCE)


def test_publications_may_go_to_a_queue_that_is_not_shared_or_is_elsewhere(qm: flintmq.QueueManager) -> None:
    inbox = qm.queue("INBOX", create=True, share=False, defsopt="EXCL")
    qm.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)\nDEFINE QREMOTE(FAR) RNAME(Q) RQMNAME(QM2)")
    with qm.subscribe("t", queue="INBOX") as here, qm.subscribe("t", queue="FAR"):
        qm.topic("t").publish("x")
        assert here.get().text == "x"
        assert inbox.depth == 0 and qm.queue("QM2").depth == 1


def test_a_consumer_is_called_with_each_publication(qm: flintmq.QueueManager) -> None:
    came: standard.Queue[tuple[str, str]] = standard.Queue()
    with (
        qm.subscribe("prices/#") as subscription,
        subscription.consume(lambda message: came.put((message.topic, message.text))),
    ):
        qm.topic("prices/gold").publish("1811")
        qm.topic("prices/silver").publish("23")
        assert [came.get(timeout=PATIENCE) for _ in range(2)] == [("prices/gold", "1811"), ("prices/silver", "23")]


def test_more_topics_than_handles_are_no_trouble(qm: flintmq.QueueManager) -> None:
    qm.mqsc("ALTER QMGR MAXHANDS(40)")
    with qm.subscribe("t/#") as subscription:
        for number in range(HandleCache.TOPICS_MAX + 50):
            qm.topic(f"t/{number}").publish(b"")
        assert subscription.queue.depth == HandleCache.TOPICS_MAX + 50


# -- durable ----------------------------------------------------------------------------------------------------------


def test_a_durable_subscription_collects_while_nobody_is_there_and_across_a_crash(disk: DiskQueueManager) -> None:
    with disk.subscribe("prices/#", durable_name="PRICES"):
        disk.topic("prices/gold").publish("1", persistent=True)
    disk.topic("prices/gold").publish("2", persistent=True)
    disk.restart()
    disk.topic("prices/gold").publish("3", persistent=True)
    with disk.subscribe("prices/#", durable_name="PRICES") as subscription:
        assert subscription.name == "PRICES"
        assert [message.text for message in subscription.messages()] == ["1", "2", "3"]
        subscription.remove()
    assert not disk._host.engine.subscriptions.everything()
    disk.restart()
    assert not disk._host.engine.subscriptions.everything()


def test_a_durable_subscription_is_had_by_one_and_stays_to_its_topic(qm: flintmq.QueueManager) -> None:
    with qm.subscribe("a", durable_name="S"):
        with pytest.raises(flintmq.MQError) as error:
            qm.subscribe("a", durable_name="S")
        assert error.value.reason == MQRC_SUBSCRIPTION_IN_USE and "S" in str(error.value)
    with pytest.raises(flintmq.MQError) as error:
        qm.subscribe("b", durable_name="S")
    assert error.value.reason == MQRC_TOPIC_NOT_ALTERABLE
    with pytest.raises(ValueError, match="name"):
        qm.subscribe("a", durable_name="")


def test_retained_publications_outlive_a_restart(disk: DiskQueueManager) -> None:
    disk.topic("config").publish("42", retain=True, persistent=True)
    disk.restart()
    with disk.subscribe("config") as subscription:
        assert subscription.get().text == "42"


def test_what_cannot_be_a_topic_is_refused(qm: flintmq.QueueManager) -> None:
    with pytest.raises(flintmq.MQError) as error:
        qm.topic("x" * 10_241).publish(b"")
    assert error.value.reason == MQRC_TOPIC_STRING_ERROR
    with pytest.raises(TypeError):
        qm.subscribe(7)  # type: ignore[arg-type]
    host = qm._host
    attributes = default_attributes("TOPIC") | {"TOPICSTR": "shut", "PUB": "DISABLED", "SUB": "DISABLED"}
    with host.call:
        assert host.admin.define("TOPIC", "SHUT", attributes, False) == 0
    with pytest.raises(flintmq.PutInhibited, match=r"PUB\(DISABLED\)"):
        qm.topic("shut/door").publish(b"")
    with pytest.raises(flintmq.MQError, match=r"SUB\(DISABLED\)"):
        qm.subscribe("shut/door")


# -- qm.mqi -----------------------------------------------------------------------------------------------------------


def descriptor(topic: str, options: int, name: str = "") -> MQSD:
    sd = MQSD()
    sd.object_string, sd.options, sd.sub_name = topic, options, name
    return sd


def test_sub_gives_a_queue_and_a_subscription_and_subrq_what_is_retained(qm: flintmq.QueueManager) -> None:
    qm.topic("t").publish("kept", retain=True)
    mqi = qm.mqi
    options = mq.MQSO_CREATE | mq.MQSO_MANAGED | mq.MQSO_PUBLICATIONS_ON_REQUEST
    hobj, hsub = mqi.sub(descriptor("t", options))
    assert mqi.subrq(hsub, mq.MQSR_ACTION_PUBLICATION) == 1
    assert mqi.get(hobj, MQMD(), MQGMO()).endswith(b"kept")
    with pytest.raises(flintmq.MQError) as error:
        mqi.subrq(hobj, mq.MQSR_ACTION_PUBLICATION)
    assert error.value.reason == MQRC_HOBJ_ERROR
    mqi.close(hsub)
    _, other = mqi.sub(descriptor("empty", options))
    with pytest.raises(flintmq.MQError) as error:
        mqi.subrq(other, mq.MQSR_ACTION_PUBLICATION)
    assert error.value.reason == MQRC_NO_RETAINED_MSG


def test_close_keeps_or_removes_a_durable_subscription(qm: flintmq.QueueManager) -> None:
    mqi = qm.mqi
    create = mq.MQSO_CREATE | mq.MQSO_DURABLE | mq.MQSO_MANAGED
    _, hsub = mqi.sub(descriptor("t", create, "S"))
    mqi.close(hsub, mq.MQCO_KEEP_SUB)
    qm.topic("t").publish("x", persistent=True)
    hobj, hsub = mqi.sub(descriptor("t", mq.MQSO_RESUME | mq.MQSO_DURABLE | mq.MQSO_MANAGED, "S"))
    assert mqi.get(hobj, MQMD(), MQGMO()).endswith(b"x")
    mqi.close(hsub, mq.MQCO_REMOVE_SUB)
    mqi.close(hobj)
    assert not qm._host.engine.subscriptions.everything()


def test_a_callback_on_the_queue_of_a_subscription(qm: flintmq.QueueManager) -> None:
    """MQCB with the Hobj that MQSUB gave."""
    came: standard.Queue[bytes] = standard.Queue()

    def arrived(mqi: MQI, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        came.put(data)

    with qm.connect() as connection:
        mqi = connection.mqi
        hobj, _ = mqi.sub(descriptor("t", mq.MQSO_CREATE | mq.MQSO_MANAGED))
        cbd, gmo = MQCBD(), MQGMO()
        cbd.callback_function = arrived
        gmo.options, gmo.wait_interval = mq.MQGMO_WAIT | mq.MQGMO_NO_PROPERTIES, -1
        mqi.cb(mq.MQOP_REGISTER, cbd, hobj, MQMD(), gmo)
        mqi.ctl(mq.MQOP_START)
        qm.topic("t").publish(b"news")
        assert came.get(timeout=PATIENCE) == b"news"


def test_a_subscription_to_a_queue_that_is_not_managed_takes_its_handle(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("INBOX", create=True)
    mqi = qm.mqi
    od = MQOD()
    od.object_name = "INBOX"
    handle = mqi.open(od, mq.MQOO_INPUT_SHARED)
    hobj, hsub = mqi.sub(descriptor("t", mq.MQSO_CREATE), handle)
    assert hobj is handle
    qm.topic("t").publish("x")
    assert queue.get().text == "x"
    mqi.close(hsub)
    with pytest.raises(flintmq.MQError) as error:
        mqi.sub(descriptor("t", mq.MQSO_CREATE))
    assert error.value.reason == MQRC_HOBJ_ERROR


def test_a_subscription_that_was_kept_cannot_be_removed_by_who_has_left_it(qm: flintmq.QueueManager) -> None:
    with qm.subscribe("a/b", durable_name="D") as subscription:
        pass

    with pytest.raises(flintmq.MQError, match="subscribe with durable_name='D' first"):
        subscription.remove()

    again = qm.subscribe("a/b", durable_name="D")
    again.remove()
    again.remove()
    again.close()
    with pytest.raises(flintmq.MQError, match="AMQ8147E"):
        qm.mqsc("DISPLAY SUB(D)")
