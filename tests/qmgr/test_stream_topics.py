"""Streaming to an alias of a topic: copies for subscribers are part of the put. Publications: test_publish.py."""

from __future__ import annotations

import pytest

from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQRO_COD, MQSO_CREATE, MQSO_DURABLE
from flintmq.mqi.reason import (
    MQRC_NONE,
    MQRC_PUT_INHIBITED,
    MQRC_SYNCPOINT_LIMIT_REACHED,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
)
from tests.qmgr.conftest import App
from tests.qmgr.pubsub import Broker, publish, subscribe

UNMANAGED = MQSO_CREATE
DURABLE = MQSO_CREATE | MQSO_DURABLE


def streaming(qos: str = "MUSTDUP", subscribers: int = 2, durable: bool = False, **qmgr: int) -> tuple[Broker, App]:
    """BASE streams to a topic that the queues SUB.0, SUB.1 ... are subscribed to."""
    broker = Broker(**qmgr)
    broker.topic("NEWS", "news")
    broker.define("QALIAS", "ALIAS", {"TARGET": "NEWS", "TARGTYPE": "TOPIC"})
    broker.define("QLOCAL", "BASE", {"STREAMQ": "ALIAS", "STRMQOS": qos})
    app = broker.connect("app", "maria")
    for number in range(subscribers):
        broker.define("QLOCAL", f"SUB.{number}")
        destination = app.open(f"SUB.{number}", MQOO_INPUT_SHARED)
        options = DURABLE if durable else UNMANAGED
        subscribe(app, "news", options, queue=destination, sub_name=f"S{number}" if durable else "")
    return broker, app


@pytest.mark.parametrize("syncpoint", [False, True])
@pytest.mark.parametrize("persistence", [0, 1])
def test_one_put_makes_as_many_copies_as_there_are_subscribers(persistence: int, syncpoint: bool) -> None:
    """B49, B50, B58, B65, B95: three messages for one put with two subscribers; all or none of them are committed."""
    broker, app = streaming()
    md = app.put("BASE", b"1", syncpoint, persistence=persistence, expiry=50, report=MQRO_COD, reply_to_q="R").md
    assert [broker.depth(name) for name in ("BASE", "SUB.0", "SUB.1")] == [1, 1, 1]
    app.commit()
    counters = broker.qm.counters
    assert (counters.puts, counters.published, counters.stream_puts) == (1, 2, 2)
    ids = {md.msg_id}
    for name in ("SUB.0", "SUB.1"):
        got = app.get(name)
        assert (got.data, got.md.persistence, got.md.expiry, got.md.report) == (b"1", persistence, -1, 0)
        ids.add(got.md.msg_id)
    assert len(ids) == 3
    original = app.get("BASE")
    assert (original.md.msg_id, original.md.user_identifier, original.md.report) == (md.msg_id, "maria", MQRO_COD)


def test_copies_for_subscribers_do_not_count_for_maxumsgs() -> None:
    _, app = streaming(MAXUMSGS=2)
    reasons = [app.put("BASE", b"1", syncpoint=True).reason for _ in range(3)]
    assert reasons == [MQRC_NONE, MQRC_NONE, MQRC_SYNCPOINT_LIMIT_REACHED]


@pytest.mark.parametrize(("qos", "delivered"), [("BESTEF", True), ("MUSTDUP", False)])
def test_a_topic_that_is_inhibited_or_gone_is_a_copy_that_cannot_be_put(qos: str, delivered: bool) -> None:
    """B42, B43, B45."""
    broker, app = streaming(qos)
    assert broker.admin.alter("TOPIC", "NEWS", {"PUB": "DISABLED"}, False) == MQRC_NONE
    assert app.put("BASE", b"1").reason == (MQRC_NONE if delivered else MQRC_PUT_INHIBITED)
    assert broker.admin.delete("TOPIC", "NEWS", False) == MQRC_NONE
    assert app.put("BASE", b"2").reason == (MQRC_NONE if delivered else MQRC_UNKNOWN_ALIAS_BASE_Q)
    assert broker.depth("BASE") == (2 if delivered else 0)
    assert broker.depth("SUB.0") == 0
    told = [text for number, text in broker.qm.notices if number == "CSQM587E"]
    assert [str(reason) in text for reason, text in zip((2051, 2082), told, strict=True)] == [True, True]


def test_subscribers_that_come_and_go_and_a_topic_string_that_changes_are_felt_at_the_next_put() -> None:
    """B51, B52."""
    broker, app = streaming(subscribers=0)
    handle = app.open("BASE")
    app.put(handle, b"1")
    broker.define("QLOCAL", "SUB.0")
    subscribe(app, "news", UNMANAGED, queue=app.open("SUB.0", MQOO_INPUT_SHARED))
    app.put(handle, b"2")
    broker.topic("SPORT", "sport")
    assert broker.admin.alter("QALIAS", "ALIAS", {"TARGET": "SPORT"}, True) == MQRC_NONE
    app.put(handle, b"3")
    assert broker.admin.alter("QALIAS", "ALIAS", {"TARGET": "NEWS"}, True) == MQRC_NONE
    app.put(handle, b"4")
    assert (app.drain("SUB.0"), app.drain("BASE")) == ([b"2", b"4"], [b"1", b"2", b"3", b"4"])


def test_a_subscriber_whose_queue_streams_to_the_same_topic_gets_one_copy_and_no_more() -> None:
    """MQ does not let such a queue be the destination of a subscription; here the circle ends after one step."""
    broker, app = streaming(subscribers=0)
    for name in ("BASE", "A"):
        subscribe(app, "news", UNMANAGED, queue=app.open(name, MQOO_INPUT_SHARED))
    broker.alter("A", {"STREAMQ": "ALIAS"})
    assert app.put("BASE", b"1").reason == MQRC_NONE
    assert (app.drain("BASE"), app.drain("A")) == ([b"1", b"1"], [b"1"])
    assert publish(app, "news", b"2").reason == MQRC_NONE
    assert sorted((*app.drain("BASE"), *app.drain("A"))) == [b"2"] * 6


@pytest.mark.parametrize("syncpoint", [False, True])
def test_a_persistent_message_and_its_copies_for_durable_subscribers_survive_together(syncpoint: bool) -> None:
    """B43; the log has the data once (B59)."""
    broker, app = streaming(subscribers=3, durable=True)
    before = broker.log.end
    app.put("BASE", b"." * 20_000, syncpoint, persistence=1)
    app.commit()
    assert broker.log.end - before < 25_000
    broker.log.flush()
    broker.crash()
    assert [broker.depth(name) for name in ("BASE", "SUB.0", "SUB.1", "SUB.2")] == [1, 1, 1, 1]
    app = broker.connect()
    app.put("BASE", b"2", persistence=1)
    assert [len(app.drain(name)) for name in ("BASE", "SUB.0", "SUB.1", "SUB.2")] == [2, 2, 2, 2]
