"""Retained publications: who gets them, what replaces them, and what a restart leaves of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flintmq.mqi.constants import (
    MQSO_CREATE,
    MQSO_MANAGED,
    MQSO_NEW_PUBLICATIONS_ONLY,
    MQSO_PUBLICATIONS_ON_REQUEST,
    MQSO_SET_CORREL_ID,
    MQSO_WILDCARD_CHAR,
    MQSR_ACTION_PUBLICATION,
)
from flintmq.mqi.md import NO_ID
from flintmq.mqi.reason import (
    MQRC_ACTION_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_NO_RETAINED_MSG,
    MQRC_NONE,
    MQRC_OPTIONS_ERROR,
    MQRC_PUT_NOT_RETAINED,
    MQRC_RETAINED_MSG_Q_ERROR,
    MQRC_RETAINED_NOT_DELIVERED,
)
from flintmq.mqi.sro import MQSRO
from flintmq.qmgr import retained
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.kept import RETAINED_QUEUE
from tests.qmgr.conftest import App
from tests.qmgr.pubsub import MANAGED, Broker, drain, properties, publish, refused, subscribe, take


@pytest.fixture
def broker() -> Iterator[Broker]:
    made = Broker()
    yield made
    made.qm.check()
    made.close()


@pytest.fixture
def app(broker: Broker) -> App:
    return broker.connect()


def request(app: App, hsub: Handle, action: int = MQSR_ACTION_PUBLICATION) -> tuple[int, int]:
    """MQSUBRQ: the reason, and how many publications were sent."""
    sro = MQSRO()
    return app.qm.subscription_request(app.connection, hsub, action, sro), sro.num_pubs


def test_the_last_retained_publication_is_delivered_to_who_subscribes_later(broker: Broker, app: App) -> None:
    publish(app, "a", b"1", retain=True)
    publish(app, "a", b"2", retain=True, correl_id=b"P" * 24, priority=6)
    publish(app, "a", b"3")
    hsub = subscribe(app, "a", MQSO_CREATE | MQSO_MANAGED | MQSO_SET_CORREL_ID, sub_correl_id=NO_ID)
    got = take(app, hsub)
    assert (got.data, got.md.correl_id, got.md.priority) == (b"2", b"P" * 24, 6)
    assert properties(got).value("MQIsRetained") is True and properties(got).value("mqps.Top") == "a"
    publish(app, "a", b"4", retain=True)
    got = take(app, hsub)
    assert got.data == b"4" and "mqps.Ret" not in properties(got).names()
    assert broker.depth(RETAINED_QUEUE) == 1


def test_wildcards_find_every_topic_that_they_mean(broker: Broker, app: App) -> None:
    for topic in ("a/1", "a/2", "b/1", "a"):
        publish(app, topic, topic.encode(), retain=True)
    assert sorted(drain(app, subscribe(app, "a/+"))) == [b"a/1", b"a/2"]
    assert sorted(drain(app, subscribe(app, "a/#"))) == [b"a", b"a/1", b"a/2"]
    assert sorted(drain(app, subscribe(app, "*1", MANAGED | MQSO_WILDCARD_CHAR))) == [b"a/1", b"b/1"]
    publish(app, "a/3", b"a/3", retain=True)
    assert sorted(drain(app, subscribe(app, "a/+"))) == [b"a/1", b"a/2", b"a/3"]
    broker.topic("A", "a", WILDCARD="BLOCK")
    assert sorted(drain(app, subscribe(app, "#"))) == [b"b/1"]


def test_new_publications_only_and_on_request(broker: Broker, app: App) -> None:
    publish(app, "a", b"1", retain=True)
    new = subscribe(app, "a", MANAGED | MQSO_NEW_PUBLICATIONS_ONLY)
    asked = subscribe(app, "a", MANAGED | MQSO_PUBLICATIONS_ON_REQUEST)
    publish(app, "a", b"2", retain=True)
    assert drain(app, new) == [b"2"] and drain(app, asked) == []
    assert request(app, asked) == (MQRC_NONE, 1)
    assert drain(app, asked) == [b"2"]
    assert request(app, new) == (MQRC_NONE, 1)
    assert request(app, asked, 7)[0] == MQRC_ACTION_ERROR
    assert request(app, subscribe(app, "other")) == (MQRC_NO_RETAINED_MSG, 0)
    sro = MQSRO()
    sro.options = 1
    assert app.qm.subscription_request(app.connection, asked, 1, sro) == MQRC_OPTIONS_ERROR
    app.close(asked)
    assert request(app, asked)[0] == MQRC_HOBJ_ERROR


def test_the_selector_of_a_subscription_holds_for_retained_publications(broker: Broker, app: App) -> None:
    publish(app, "a/1", b"low", retain=True, priority=1)
    publish(app, "a/2", b"high", retain=True, priority=7)
    assert drain(app, subscribe(app, "a/+", selection_string="JMSPriority > 4")) == [b"high"]


def test_under_syncpoint_it_is_retained_by_the_commit(broker: Broker, app: App) -> None:
    publish(app, "a", b"old", retain=True)
    publish(app, "a", b"new", retain=True, syncpoint=True)
    app.backout()
    assert drain(app, subscribe(app, "a")) == [b"old"]
    publish(app, "a", b"new", retain=True, syncpoint=True)
    app.commit()
    assert drain(app, subscribe(app, "a")) == [b"new"]
    assert broker.depth(RETAINED_QUEUE) == 1


def test_of_two_units_of_work_the_one_put_later_stays(broker: Broker, app: App) -> None:
    other = broker.connect()
    publish(app, "a", b"old", retain=True)
    publish(app, "a", b"first", retain=True, syncpoint=True)
    publish(other, "a", b"second", retain=True, syncpoint=True)
    other.commit()
    assert drain(app, subscribe(app, "a")) == [b"second"]
    app.commit()
    assert drain(app, subscribe(app, "a")) == [b"second"]
    publish(app, "a", b"third", retain=True)
    assert drain(app, subscribe(app, "a")) == [b"third"] and broker.depth(RETAINED_QUEUE) == 1


def test_a_retained_publication_expires(broker: Broker, app: App) -> None:
    publish(app, "a", b"1", retain=True, expiry=100)
    broker.clock.advance(4_000)
    assert take(app, subscribe(app, "a")).md.expiry == 60
    broker.clock.advance(6_000)
    assert drain(app, subscribe(app, "a")) == []


def test_a_cleared_topic_has_none(broker: Broker, app: App) -> None:
    publish(app, "a", b"1", retain=True)
    publish(app, "b", b"2", retain=True)
    assert retained.clear(broker.qm, app.connection, "a") == 1
    assert retained.clear(broker.qm, app.connection, "a") == 0
    assert drain(app, subscribe(app, "#")) == [b"2"]


@pytest.mark.parametrize("way", ["bounce", "crash"])
def test_persistent_ones_survive_a_restart(broker: Broker, way: str) -> None:
    app = broker.connect()
    publish(app, "a/1", b"gone", retain=True, persistence=0)
    publish(app, "a/2", b"old", retain=True, persistence=1)
    publish(app, "a/2", b"kept", retain=True, persistence=1, correl_id=b"P" * 24)
    publish(app, "a/3", b"replaced", retain=True, persistence=1)
    publish(app, "a/3", b"by one that is not", retain=True, persistence=0)
    broker.log.flush()
    broker.bounce() if way == "bounce" else broker.crash()
    app = broker.connect()
    assert drain(app, subscribe(app, "a/2")) == [b"kept"]
    assert drain(app, subscribe(app, "a/+")) == [b"kept"]
    assert drain(app, subscribe(app, "a/3")) == []
    assert broker.depth(RETAINED_QUEUE) == 1


def test_thousands_of_them_are_found_when_they_are_on_the_page_set(app: App, broker: Broker) -> None:
    small = Broker(buffers=200)
    app = small.connect()
    for number in range(600):
        publish(app, f"t/{number}", str(number).encode() * 300, retain=True, persistence=1)
    publish(app, "t/7", b"new", retain=True, persistence=1)
    assert small.queue(RETAINED_QUEUE).spilled_count > 0
    assert drain(app, subscribe(app, "t/7")) == [b"new"]
    assert len(drain(app, subscribe(app, "t/1*", MANAGED | MQSO_WILDCARD_CHAR))) == 111
    assert small.depth(RETAINED_QUEUE) == 600
    small.qm.check()
    small.close()


def test_what_cannot_be_retained_is_not_published(broker: Broker, app: App) -> None:
    hsub = subscribe(app, "a")
    broker.alter(RETAINED_QUEUE, {"PUT": "DISABLED"})
    assert publish(app, "a", b"1", retain=True).reason == MQRC_PUT_NOT_RETAINED
    assert drain(app, hsub) == []
    assert broker.admin.delete("QLOCAL", RETAINED_QUEUE, True) == 0
    assert publish(app, "a", b"1", retain=True).reason == MQRC_RETAINED_MSG_Q_ERROR


def test_a_subscription_is_not_made_if_its_retained_publication_must_and_cannot_be_delivered(
    broker: Broker, app: App
) -> None:
    broker.topic("A", "a", NPMSGDLV="ALL", USEDLQ="NO")
    publish(app, "a", b"1", retain=True)
    broker.alter("SYSTEM.NDURABLE.MODEL.QUEUE", {"MAXDEPTH": 0})
    assert refused(app, "a") == MQRC_RETAINED_NOT_DELIVERED
    assert broker.qm.subscriptions.by_id == {} and app.connection.handles == {}
