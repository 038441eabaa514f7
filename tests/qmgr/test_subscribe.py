"""MQSUB: making, resuming, altering and ending subscriptions, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from flintmq.mqi.constants import (
    MQCO_DELETE,
    MQCO_KEEP_SUB,
    MQCO_REMOVE_SUB,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQSO_ALTER,
    MQSO_ANY_USERID,
    MQSO_CREATE,
    MQSO_DURABLE,
    MQSO_FAIL_IF_QUIESCING,
    MQSO_FIXED_USERID,
    MQSO_GROUP_SUB,
    MQSO_MANAGED,
    MQSO_RESUME,
    MQSO_SET_CORREL_ID,
    MQSO_WILDCARD_CHAR,
    MQSO_WILDCARD_TOPIC,
)
from flintmq.mqi.md import NO_ID
from flintmq.mqi.reason import (
    MQRC_ALTER_SUB_ERROR,
    MQRC_DEST_CLASS_NOT_ALTERABLE,
    MQRC_DURABILITY_NOT_ALLOWED,
    MQRC_DURABILITY_NOT_ALTERABLE,
    MQRC_EXPIRY_ERROR,
    MQRC_GROUPING_NOT_ALTERABLE,
    MQRC_HANDLE_NOT_AVAILABLE,
    MQRC_HOBJ_ERROR,
    MQRC_IDENTITY_MISMATCH,
    MQRC_INVALID_DESTINATION,
    MQRC_NO_SUBSCRIPTION,
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_OPTIONS_ERROR,
    MQRC_PRIORITY_ERROR,
    MQRC_Q_MGR_QUIESCING,
    MQRC_SD_ERROR,
    MQRC_SELECTOR_NOT_ALTERABLE,
    MQRC_SELECTOR_SYNTAX_ERROR,
    MQRC_SUB_ALREADY_EXISTS,
    MQRC_SUB_INHIBITED,
    MQRC_SUB_NAME_ERROR,
    MQRC_SUB_USER_DATA_ERROR,
    MQRC_SUBLEVEL_NOT_ALTERABLE,
    MQRC_SUBSCRIPTION_IN_USE,
    MQRC_TOPIC_NOT_ALTERABLE,
    MQRC_TOPIC_STRING_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from flintmq.qmgr import connect as connect_room
from flintmq.qmgr.kept import SUBSCRIBER_QUEUE
from flintmq.qmgr.subscription import Subscription
from tests.qmgr.conftest import App
from tests.qmgr.pubsub import (
    DURABLE,
    MANAGED,
    Broker,
    drain,
    open_subscription,
    publish,
    refused,
    subscribe,
    take,
    try_subscribe,
)
from tests.qmgr.test_publish import Strict

RESUME = MQSO_RESUME | MQSO_MANAGED | MQSO_DURABLE
ALTER = MQSO_ALTER | MQSO_MANAGED | MQSO_DURABLE
UNMANAGED = MQSO_CREATE | MQSO_SET_CORREL_ID


@pytest.fixture
def broker() -> Iterator[Broker]:
    made = Broker()
    yield made
    made.qm.check()
    check_subscriptions(made)
    made.close()


@pytest.fixture
def app(broker: Broker) -> App:
    return broker.connect()


def check_subscriptions(broker: Broker) -> None:
    """S1 to S3 of subscription.py."""
    qm = broker.qm
    everything = qm.subscriptions.everything()
    assert qm.topics.subscription_count == len(everything)
    for each in everything:
        assert each.sub_id not in (NO_ID,) and qm.subscriptions.by_id[each.sub_id] is each
        assert not each.name or qm.subscriptions.by_name[each.name] is each
    durable = sorted(each.sub_id for each in everything if each.durable)
    queue = qm.queues[SUBSCRIBER_QUEUE]
    assert queue.depth == len(durable)
    assert sorted(message.correl_id for message in queue.messages_in_memory()) == durable


def managed_queues(broker: Broker) -> list[str]:
    return sorted(name for name in broker.qm.queues if name.startswith("SYSTEM.MANAGED."))


# -- making ------------------------------------------------------------------------------------------------------------


def test_a_managed_subscription_has_a_queue_of_its_own(broker: Broker, app: App) -> None:
    handle, sd = try_subscribe(app, "a/b")
    assert handle is not None and handle.destination is not None and handle.subscription is not None
    assert handle.destination.object_name.startswith("SYSTEM.MANAGED.NDURABLE.")
    assert (sd.res_object_string, sd.sub_correl_id) == ("a/b", open_subscription(handle).correl_id)
    publish(app, "a/b", b"1")
    assert drain(app, handle) == [b"1"]
    app.close(handle)
    publish(app, "a/b", b"2")
    assert drain(app, handle) == []  # Its queue is there until that is closed too.
    app.close(handle.destination)
    assert managed_queues(broker) == []


def test_a_durable_one_is_named_and_on_a_permanent_queue(broker: Broker, app: App) -> None:
    handle = subscribe(app, "a", DURABLE, sub_name="S")
    name = broker.subscription("S").dest_queue
    assert name.startswith("SYSTEM.MANAGED.DURABLE.") and broker.depth(SUBSCRIBER_QUEUE) == 1
    connect_room.disconnect(broker.qm, app.connection)
    publisher = broker.connect()
    publish(publisher, "a", b"1")
    again = subscribe(publisher, "", RESUME, sub_name="S")
    assert drain(publisher, again) == [b"1"]
    assert not handle.open and managed_queues(broker) == [name]


def test_the_models_of_the_topic_are_used(broker: Broker, app: App) -> None:
    broker.define("QMODEL", "MY.MODEL", {"DEFTYPE": "TEMPDYN", "MAXDEPTH": 7})
    broker.topic("A", "a", MNDURMDL="MY.MODEL", MDURMDL="MY.MODEL")
    handle = subscribe(app, "a/b")
    assert handle.destination is not None and handle.destination.queue is not None
    assert handle.destination.queue.max_depth == 7
    assert refused(app, "a/b", DURABLE, sub_name="S") == MQRC_INVALID_DESTINATION
    assert broker.admin.alter("TOPIC", "A", {"MNDURMDL": "NO.SUCH"}, False) == 0
    assert refused(app, "a/b") == MQRC_UNKNOWN_OBJECT_NAME


@pytest.mark.parametrize(
    ("options", "fields", "reason"),
    [
        (0, {}, MQRC_OPTIONS_ERROR),
        (MQSO_MANAGED, {}, MQRC_OPTIONS_ERROR),
        (MANAGED | 1 << 30, {}, MQRC_OPTIONS_ERROR),
        (MANAGED | MQSO_RESUME | MQSO_ALTER, {"sub_name": "S"}, MQRC_OPTIONS_ERROR),
        (MANAGED | MQSO_WILDCARD_CHAR | MQSO_WILDCARD_TOPIC, {}, MQRC_OPTIONS_ERROR),
        (MANAGED | MQSO_FIXED_USERID | MQSO_ANY_USERID, {}, MQRC_OPTIONS_ERROR),
        (MANAGED | MQSO_GROUP_SUB | MQSO_SET_CORREL_ID, {}, MQRC_OPTIONS_ERROR),
        (MQSO_CREATE | MQSO_GROUP_SUB, {}, MQRC_OPTIONS_ERROR),
        (DURABLE, {}, MQRC_SUB_NAME_ERROR),
        (RESUME, {}, MQRC_SUB_NAME_ERROR),
        (RESUME, {"sub_name": "S"}, MQRC_NO_SUBSCRIPTION),
        (ALTER, {"sub_name": "S"}, MQRC_NO_SUBSCRIPTION),
        (MANAGED, {"sub_name": "x" * 10_241}, MQRC_SUB_NAME_ERROR),
        (MANAGED, {"sub_expiry": 0}, MQRC_EXPIRY_ERROR),
        (MANAGED, {"pub_priority": 10}, MQRC_PRIORITY_ERROR),
        (MANAGED, {"pub_priority": -2}, MQRC_PRIORITY_ERROR),
        (MANAGED, {"sub_level": 10}, MQRC_SD_ERROR),
        (MANAGED, {"sub_user_data": "x" * 10_241}, MQRC_SUB_USER_DATA_ERROR),
        (MANAGED, {"object_string": ""}, MQRC_TOPIC_STRING_ERROR),
        (MANAGED, {"object_string": "x" * 10_241}, MQRC_TOPIC_STRING_ERROR),
        (MANAGED | MQSO_WILDCARD_CHAR, {"object_string": "50%"}, MQRC_TOPIC_STRING_ERROR),
        (MANAGED, {"object_name": "NO.SUCH"}, MQRC_UNKNOWN_OBJECT_NAME),
        (MANAGED, {"selection_string": "a ="}, MQRC_SELECTOR_SYNTAX_ERROR),
        (MQSO_CREATE, {}, MQRC_HOBJ_ERROR),
    ],
)
def test_what_cannot_be_subscribed_to_is_refused_and_leaves_nothing(
    broker: Broker, options: int, fields: dict[str, Any], reason: int
) -> None:
    app = broker.connect()
    fields.setdefault("object_string", "a")
    assert refused(app, options=options, **fields) == reason
    assert broker.qm.subscriptions.by_id == {} and app.connection.handles == {} and managed_queues(broker) == []


def test_the_place_of_an_error_in_a_selection_string_is_told(broker: Broker) -> None:
    app = broker.connect()
    assert refused(app, "a", MANAGED, selection_string="a = 1 AND") == MQRC_SELECTOR_SYNTAX_ERROR
    assert app.connection.explanation.startswith("selection string, position 10: ")


def test_topics_say_who_may_subscribe(broker: Broker, app: App) -> None:
    broker.topic("A", "a", SUB="DISABLED")
    broker.topic("B", "b", DURSUB="NO")
    assert refused(app, "a/x") == MQRC_SUB_INHIBITED
    assert refused(app, "b/x", DURABLE, sub_name="S") == MQRC_DURABILITY_NOT_ALLOWED
    subscribe(app, "b/x")
    broker.qm.authority = Strict()
    broker.topic("ANNA", "c")
    anna, otto = broker.connect(user="anna"), broker.connect(user="otto")
    subscribe(anna, "c/+")
    assert refused(otto, "c/+") == MQRC_NOT_AUTHORIZED


def test_a_quiescing_queue_manager_takes_no_subscription(broker: Broker, app: App) -> None:
    broker.qm.quiescing = True
    assert refused(app, "a", MANAGED | MQSO_FAIL_IF_QUIESCING) == MQRC_Q_MGR_QUIESCING
    subscribe(app, "a")
    broker.qm.quiescing = False


def test_handles_of_subscriptions_count(broker: Broker, app: App) -> None:
    broker.alter("QM1", {"MAXHANDS": 3}, "QMGR")
    subscribe(app, "a")
    assert refused(app, "a", MANAGED) == MQRC_HANDLE_NOT_AVAILABLE  # It takes two: the subscription and its queue.
    assert len(app.connection.handles) == 2


def test_wildcards_are_of_the_scheme_that_was_asked_for(broker: Broker, app: App) -> None:
    by_level = subscribe(app, "a/+", MANAGED | MQSO_WILDCARD_TOPIC)
    by_character = subscribe(app, "a*", MANAGED | MQSO_WILDCARD_CHAR)
    literal = subscribe(app, "a/+", MANAGED | MQSO_WILDCARD_CHAR)
    for topic in ("a/b", "a/b/c", "a/+"):
        publish(app, topic, topic.encode())
    assert drain(app, by_level) == [b"a/b", b"a/+"]
    assert drain(app, by_character) == [b"a/b", b"a/b/c", b"a/+"]
    assert drain(app, literal) == [b"a/+"]


# -- destinations ------------------------------------------------------------------------------------------------------


def test_publications_go_to_the_queue_of_the_handle(broker: Broker, app: App) -> None:
    queue = app.open("A", MQOO_INPUT_SHARED)
    hsub = subscribe(app, "a", UNMANAGED, queue=queue, sub_correl_id=b"x" * 24)
    assert hsub.destination is queue
    publish(app, "a", b"1")
    assert app.drain(queue) == [b"1"]
    app.close(hsub)
    publish(app, "a", b"2")
    assert app.drain(queue) == []


def test_a_handle_that_is_no_queue_is_no_destination(broker: Broker, app: App) -> None:
    from tests.qmgr.pubsub import open_topic

    topic = open_topic(app, "a")
    assert refused(app, "a", UNMANAGED, queue=topic) == MQRC_HOBJ_ERROR
    queue = app.open("A", MQOO_INPUT_SHARED)
    app.close(queue)
    assert refused(app, "a", UNMANAGED, queue=queue) == MQRC_HOBJ_ERROR
    broker.define("QMODEL", "TEMPORARY", {"DEFTYPE": "TEMPDYN"})
    temporary = app.open("TEMPORARY", MQOO_INPUT_SHARED)
    options = UNMANAGED | MQSO_DURABLE
    assert refused(app, "a", options, queue=temporary, sub_name="S") == MQRC_INVALID_DESTINATION


def test_a_subscription_ends_with_its_temporary_queue(broker: Broker, app: App) -> None:
    broker.define("QMODEL", "TEMPORARY", {"DEFTYPE": "TEMPDYN"})
    temporary = app.open("TEMPORARY", MQOO_INPUT_SHARED)
    subscribe(app, "a", UNMANAGED, queue=temporary, sub_correl_id=b"x" * 24)
    app.close(temporary)
    broker.alter("QM1", {"DEADQ": ""}, "QMGR")
    assert publish(app, "a", b"1").reason == MQRC_NONE
    assert broker.qm.subscriptions.by_id == {}


# -- resuming and altering ---------------------------------------------------------------------------------------------


def test_create_resume_and_alter_do_what_the_table_says(broker: Broker, app: App) -> None:
    first = subscribe(app, "a", DURABLE, sub_name="S", sub_user_data="1")
    assert refused(app, "a", DURABLE, sub_name="S") == MQRC_SUB_ALREADY_EXISTS
    assert refused(app, "a", RESUME, sub_name="S") == MQRC_SUBSCRIPTION_IN_USE
    app.close(first)
    resumed, sd = try_subscribe(app, "", DURABLE | MQSO_RESUME, sub_name="S", sub_user_data="ignored")
    assert resumed is not None and (sd.sub_user_data, sd.res_object_string) == ("1", "a")
    app.close(resumed)
    altered = subscribe(app, "", DURABLE | MQSO_ALTER, sub_name="S", sub_user_data="2")
    assert broker.subscription("S").user_data == "2"
    publish(app, "a", b"news")
    assert take(app, altered).data == b"news"
    assert subscribe(app, "b", DURABLE | MQSO_ALTER, sub_name="T").open


def test_a_name_belongs_to_one_subscription_durable_or_not(broker: Broker, app: App) -> None:
    handle = subscribe(app, "a", MANAGED, sub_name="S")
    assert refused(app, "b", MANAGED, sub_name="S") == MQRC_SUB_ALREADY_EXISTS
    app.close(handle)
    subscribe(app, "b", MANAGED, sub_name="S")


@pytest.mark.parametrize(
    ("options", "fields", "reason"),
    [
        (MQSO_ALTER | MQSO_MANAGED, {}, MQRC_DURABILITY_NOT_ALTERABLE),
        (MQSO_ALTER | MQSO_DURABLE, {}, MQRC_DEST_CLASS_NOT_ALTERABLE),
        (ALTER, {"object_string": "b"}, MQRC_TOPIC_NOT_ALTERABLE),
        (RESUME, {"object_string": "b"}, MQRC_TOPIC_NOT_ALTERABLE),
        (ALTER, {"sub_level": 2}, MQRC_SUBLEVEL_NOT_ALTERABLE),
        (ALTER, {"selection_string": "b = 2"}, MQRC_SELECTOR_NOT_ALTERABLE),
        (ALTER | MQSO_WILDCARD_CHAR, {}, MQRC_ALTER_SUB_ERROR),
        (ALTER | 2048, {}, MQRC_ALTER_SUB_ERROR),
    ],
)
def test_what_may_not_be_altered_is_refused(broker: Broker, options: int, fields: dict[str, Any], reason: int) -> None:
    app = broker.connect()
    app.close(subscribe(app, "a", DURABLE, sub_name="S", selection_string="a = 1"))
    fields.setdefault("selection_string", "a = 1")
    before = broker.subscription("S").to_record()
    assert refused(app, options=options, sub_name="S", **fields) == reason
    assert broker.subscription("S").to_record() == before


def test_a_resume_need_not_say_what_kind_of_subscription_it_is(broker: Broker, app: App) -> None:
    app.close(subscribe(app, "a", DURABLE, sub_name="S"))
    handle, sd = try_subscribe(app, options=MQSO_RESUME, sub_name="S")
    assert handle is not None and sd.options & (MQSO_DURABLE | MQSO_MANAGED) == MQSO_DURABLE | MQSO_MANAGED
    publish(app, "a", b"news")
    assert take(app, handle).data == b"news"
    app.close(handle)
    queue = app.open("A", MQOO_INPUT_SHARED)
    assert refused(app, options=MQSO_RESUME, queue=queue, sub_name="S") == MQRC_DEST_CLASS_NOT_ALTERABLE


def test_grouping_may_not_be_altered(broker: Broker, app: App) -> None:
    queue = app.open("A", MQOO_INPUT_SHARED)
    options = MQSO_DURABLE | MQSO_SET_CORREL_ID
    app.close(subscribe(app, "a", MQSO_CREATE | options, queue=queue, sub_name="S", sub_correl_id=b"x" * 24))
    assert refused(app, "", MQSO_ALTER | options | MQSO_GROUP_SUB, queue=queue, sub_name="S") == (
        MQRC_GROUPING_NOT_ALTERABLE
    )


def test_the_destination_can_be_altered(broker: Broker, app: App) -> None:
    first, second = app.open("A", MQOO_INPUT_SHARED), app.open("B", MQOO_INPUT_SHARED)
    options = MQSO_DURABLE | MQSO_SET_CORREL_ID
    hsub = subscribe(app, "a", MQSO_CREATE | options, queue=first, sub_name="S", sub_correl_id=b"x" * 24)
    app.close(hsub)
    subscribe(app, "", MQSO_ALTER | options, queue=second, sub_name="S", sub_correl_id=b"y" * 24)
    publish(app, "a", b"1")
    assert app.drain(first) == [] and app.get(second).md.correl_id == b"y" * 24


def test_a_subscription_without_a_name_is_altered_by_its_handle(broker: Broker, app: App) -> None:
    hsub = subscribe(app, "a")
    again, _ = try_subscribe(app, "", MQSO_ALTER | MQSO_MANAGED, hsub=hsub, sub_user_data="new")
    assert again is hsub and hsub.subscription is not None and open_subscription(hsub).user_data == "new"
    assert refused(app, "", MQSO_CREATE | MQSO_MANAGED, hsub=hsub) == MQRC_OPTIONS_ERROR
    app.close(hsub)
    assert refused(app, "", MQSO_ALTER | MQSO_MANAGED, hsub=hsub) == MQRC_HOBJ_ERROR


def test_a_fixed_user_is_the_only_one_who_may_have_it_again(broker: Broker) -> None:
    anna, otto = broker.connect(user="anna"), broker.connect(user="otto")
    anna.close(subscribe(anna, "a", DURABLE, sub_name="FIXED"))
    anna.close(subscribe(anna, "a", DURABLE | MQSO_ANY_USERID, sub_name="ANY"))
    assert refused(otto, "", RESUME, sub_name="FIXED") == MQRC_IDENTITY_MISMATCH
    hsub = subscribe(otto, "", RESUME | MQSO_ANY_USERID, sub_name="ANY")
    publish(anna, "a", b"")
    assert take(otto, hsub).md.user_identifier == "otto"


# -- ending ------------------------------------------------------------------------------------------------------------


def test_close_keeps_a_durable_subscription_unless_told_otherwise(broker: Broker, app: App) -> None:
    for options, kept in ((0, True), (MQCO_KEEP_SUB, True), (MQCO_REMOVE_SUB, False)):
        hsub = subscribe(app, "a", DURABLE | MQSO_RESUME, sub_name="S")
        assert app.close(hsub, MQCO_DELETE) == MQRC_OPTIONS_ERROR
        assert app.close(hsub, options) == MQRC_NONE
        assert ("S" in broker.qm.subscriptions.by_name) == kept
        assert hsub.destination is not None
        app.close(hsub.destination)
    assert managed_queues(broker) == [] and broker.depth(SUBSCRIBER_QUEUE) == 0


def test_a_subscription_that_is_not_durable_cannot_be_kept(broker: Broker, app: App) -> None:
    hsub = subscribe(app, "a")
    assert app.close(hsub, MQCO_KEEP_SUB) == MQRC_OPTION_NOT_VALID_FOR_TYPE
    assert app.close(hsub, MQCO_REMOVE_SUB) == MQRC_NONE
    assert app.close(hsub) == MQRC_HOBJ_ERROR


def test_subscriptions_end_with_their_connection(broker: Broker, app: App) -> None:
    subscribe(app, "a")
    subscribe(app, "a", DURABLE, sub_name="S")
    connect_room.abandon(broker.qm, app.connection)
    assert [each.name for each in broker.qm.subscriptions.everything()] == ["S"]
    assert broker.subscription("S").connection is None
    assert len(managed_queues(broker)) == 1


def test_the_queue_of_a_removed_subscription_is_there_until_it_is_closed(broker: Broker, app: App) -> None:
    hsub = subscribe(app, "a", DURABLE, sub_name="S")
    publish(app, "a", b"1")
    assert app.close(hsub, MQCO_REMOVE_SUB) == MQRC_NONE
    assert drain(app, hsub) == [b"1"]
    assert hsub.destination is not None and app.close(hsub.destination) == MQRC_NONE
    assert managed_queues(broker) == []


def test_a_subscription_expires(broker: Broker, app: App) -> None:
    app.close(subscribe(app, "a", DURABLE, sub_name="S", sub_expiry=100))
    broker.clock.advance(9_999)
    app.close(subscribe(app, "", RESUME, sub_name="S", sub_expiry=100))
    broker.clock.advance(9_999)
    publish(app, "a", b"1")
    broker.clock.advance(1)
    publish(app, "a", b"2")
    assert "S" not in broker.qm.subscriptions.by_name and broker.depth(SUBSCRIBER_QUEUE) == 0
    app.close(subscribe(app, "a", DURABLE, sub_name="T", sub_expiry=1))
    broker.clock.advance(100)
    assert refused(app, "", RESUME, sub_name="T") == MQRC_NO_SUBSCRIPTION


# -- restart -----------------------------------------------------------------------------------------------------------


def record_of(subscription: Subscription) -> bytes:
    return subscription.to_record()


@pytest.mark.parametrize("way", ["bounce", "crash"])
def test_durable_subscriptions_are_in_force_after_a_restart(broker: Broker, way: str) -> None:
    app = broker.connect()
    queue = app.open("A", MQOO_INPUT_SHARED)
    subscribe(app, "a/+", DURABLE, sub_name="S", selection_string="Root.MQMD.Priority > 3", sub_user_data="u")
    subscribe(app, "b*", UNMANAGED | MQSO_DURABLE | MQSO_WILDCARD_CHAR, queue=queue, sub_name="T")
    subscribe(app, "c", MANAGED)
    broker.log.flush()
    before = {name: record_of(broker.subscription(name)) for name in ("S", "T")}
    if way == "bounce":
        connect_room.disconnect(broker.qm, app.connection)
        broker.bounce()
    else:
        broker.crash()
    assert {name: record_of(each) for name, each in broker.qm.subscriptions.by_name.items()} == before
    app = broker.connect()
    hsub = subscribe(app, "", RESUME, sub_name="S")
    publish(app, "a/x", b"low", priority=1)
    publish(app, "a/x", b"high", priority=5)
    publish(app, "bxx", b"to A")
    assert drain(app, hsub) == [b"high"] and app.drain("A") == [b"to A"]
    assert len(managed_queues(broker)) == 1


def test_an_altered_subscription_is_as_it_was_altered_after_a_restart(broker: Broker, app: App) -> None:
    app.close(subscribe(app, "a", DURABLE, sub_name="S", sub_user_data="1"))
    app.close(subscribe(app, "", ALTER, sub_name="S", sub_user_data="2"))
    broker.log.flush()
    broker.crash()
    assert broker.subscription("S").user_data == "2"


def test_a_managed_queue_without_its_subscription_goes_at_the_next_start(broker: Broker, app: App) -> None:
    """A crash between the definition of the queue and the record of the subscription."""
    subscribe(app, "a", DURABLE, sub_name="S")
    kept_queue = broker.subscription("S").dest_queue
    broker.define("QLOCAL", "SYSTEM.MANAGED.DURABLE.0000000000000000", {"DEFTYPE": "PERMDYN"})
    broker.log.flush()
    broker.crash()
    assert managed_queues(broker) == [kept_queue]
    broker.bounce()
    assert managed_queues(broker) == [kept_queue]


def test_what_is_no_subscription_on_the_queue_is_reported_and_left_alone(broker: Broker, app: App) -> None:
    subscribe(app, "a", DURABLE, sub_name="S")
    app.put(app.open(SUBSCRIBER_QUEUE, MQOO_OUTPUT), b"rubbish", persistence=1)
    broker.define("QLOCAL", "SYSTEM.MANAGED.DURABLE.0000000000000000", {"DEFTYPE": "PERMDYN"})
    broker.log.flush()
    broker.crash()
    assert [number for number, _ in broker.qm.notices] == ["AMQ5850E"]
    assert broker.depth(SUBSCRIBER_QUEUE) == 2 and len(managed_queues(broker)) == 2
    assert list(broker.qm.subscriptions.by_name) == ["S"]
    broker.admin.clear(SUBSCRIBER_QUEUE)
    broker.qm.topics.discard(broker.subscription("S"))
    broker.qm.subscriptions.remove(broker.subscription("S"))
