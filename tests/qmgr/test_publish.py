"""Publishing: who gets a copy, what it says, and what happens when it cannot be delivered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flintmq.mqi.constants import (
    MQENC_NATIVE,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_RF_HEADER,
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQMT_REQUEST,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQPMO_NEW_MSG_ID,
    MQPMO_NOT_OWN_SUBS,
    MQPMO_SUPPRESS_REPLYTO,
    MQPMO_WARN_IF_NO_SUBS_MATCHED,
    MQSO_CREATE,
    MQSO_DURABLE,
    MQSO_GROUP_SUB,
    MQSO_MANAGED,
    MQSO_SET_CORREL_ID,
    MQSO_SET_IDENTITY_CONTEXT,
)
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.md import NO_ID
from flintmq.mqi.reason import (
    MQCC_WARNING,
    MQRC_HOBJ_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NO_SUBS_MATCHED,
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_NOT_OPEN_FOR_INPUT,
    MQRC_NOT_OPEN_FOR_OUTPUT,
    MQRC_OBJECT_Q_MGR_NAME_ERROR,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_PUBLICATION_FAILURE,
    MQRC_PUBSUB_INHIBITED,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_SYNCPOINT_LIMIT_REACHED,
    MQRC_TOPIC_STRING_ERROR,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from flintmq.mqi.rfh import MQRFH
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.qmgr.security import Authority
from tests.qmgr.conftest import App
from tests.qmgr.pubsub import (
    DURABLE,
    Broker,
    drain,
    open_subscription,
    open_topic,
    properties,
    publish,
    subscribe,
    take,
)

UNMANAGED = MQSO_CREATE | MQSO_SET_CORREL_ID


@pytest.fixture
def broker() -> Iterator[Broker]:
    made = Broker()
    yield made
    made.qm.check()
    made.close()


@pytest.fixture
def app(broker: Broker) -> App:
    return broker.connect()


# -- topics ------------------------------------------------------------------------------------------------------------


def test_object_and_string_make_the_topic(broker: Broker, app: App) -> None:
    broker.topic("SPORT", "sport")
    football, cricket, all_of_it = (subscribe(app, each) for each in ("sport/football", "sport/cricket", "sport/#"))
    publish(app, "football", b"1", topic_name="SPORT")
    publish(app, "sport/cricket", b"2")
    publish(app, "", b"3", topic_name="SPORT")
    assert drain(app, football) == [b"1"]
    assert drain(app, cricket) == [b"2"]
    assert drain(app, all_of_it) == [b"1", b"2", b"3"]


def test_what_is_no_topic_is_refused(broker: Broker, app: App) -> None:
    assert publish(app, "", b"").reason == MQRC_TOPIC_STRING_ERROR
    assert publish(app, "x" * 10_241, b"").reason == MQRC_TOPIC_STRING_ERROR
    assert publish(app, "x" * 10_240, b"").reason == MQRC_NONE
    assert publish(app, "a", b"", topic_name="NO.SUCH").reason == MQRC_UNKNOWN_OBJECT_NAME
    assert publish(app, "", b"", topic_name="SYSTEM.BASE.TOPIC").reason == MQRC_TOPIC_STRING_ERROR
    assert app.connection.handles == {}


def test_a_topic_is_opened_for_output_only(broker: Broker, app: App) -> None:
    for options in (MQOO_INPUT_SHARED, MQOO_OUTPUT | MQOO_BROWSE, MQOO_INQUIRE):
        assert open_topic(app, "a", options=options) is None
        assert app.connection.reason == MQRC_OPTION_NOT_VALID_FOR_TYPE
    handle = open_topic(app, "a/b")
    assert handle is not None
    hsub = subscribe(app, "a/b")
    assert app.put(handle, b"1").reason == MQRC_NONE
    assert app.get(handle).reason == MQRC_NOT_OPEN_FOR_INPUT
    assert app.put(hsub, b"1").reason == MQRC_NOT_OPEN_FOR_OUTPUT
    assert drain(app, hsub) == [b"1"]
    assert app.close(handle) == MQRC_NONE
    assert app.put(handle, b"1").reason == MQRC_HOBJ_ERROR


def test_a_topic_is_of_this_queue_manager(broker: Broker, app: App) -> None:
    from flintmq.mqi.constants import MQOT_TOPIC
    from flintmq.mqi.od import MQOD

    od = MQOD()
    od.object_type, od.object_string, od.object_q_mgr_name = MQOT_TOPIC, "a", "QM2"
    assert broker.qm.open(app.connection, od, MQOO_OUTPUT) is None
    assert app.connection.reason == MQRC_OBJECT_Q_MGR_NAME_ERROR
    od.object_q_mgr_name = "QM1"
    assert broker.qm.open(app.connection, od, MQOO_OUTPUT) is not None
    assert (od.res_object_string, od.resolved_type, od.resolved_q_name) == ("a", MQOT_TOPIC, "")


def test_pub_disabled_holds_for_open_handles_and_below(broker: Broker, app: App) -> None:
    broker.topic("A", "a")
    handle = open_topic(app, "a/b")
    assert handle is not None
    hsub = subscribe(app, "#")
    assert app.put(handle, b"1").reason == MQRC_NONE
    assert broker.admin.alter("TOPIC", "A", {"PUB": "DISABLED"}, False) == 0
    assert app.put(handle, b"2").reason == MQRC_PUT_INHIBITED
    assert publish(app, "b", b"3").reason == MQRC_NONE
    assert broker.admin.alter("TOPIC", "A", {"PUB": "ASPARENT"}, False) == 0
    assert app.put(handle, b"4").reason == MQRC_NONE
    assert drain(app, hsub) == [b"1", b"3", b"4"]


def test_without_publish_subscribe_nothing_is_published(broker: Broker, app: App) -> None:
    broker.alter("QM1", {"PSMODE": "DISABLED"}, "QMGR")
    assert publish(app, "a", b"").reason == MQRC_PUBSUB_INHIBITED


def test_an_alias_leads_to_a_topic(broker: Broker, app: App) -> None:
    """TARGTYPE(TOPIC). The alias is opened for output, with its own defaults and its own PUT."""
    broker.topic("NEWS", "news", DEFPSIST="NO")
    broker.define("QALIAS", "ALIAS", {"TARGET": "NEWS", "TARGTYPE": "TOPIC", "DEFPSIST": "YES", "DEFPRTY": 4})
    broker.define("QALIAS", "NOWHERE", {"TARGET": "NONE", "TARGTYPE": "TOPIC"})
    hsub = subscribe(app, "news", DURABLE, sub_name="S")
    assert app.put("ALIAS", b"1", persistence=2, priority=-1).reason == MQRC_NONE
    assert app.put1("ALIAS", b"2").reason == MQRC_NONE
    got = take(app, hsub)
    assert (got.data, got.md.persistence, got.md.priority) == (b"1", 1, 4)
    assert drain(app, hsub) == [b"2"]
    assert app.try_open("ALIAS", MQOO_INPUT_SHARED) is None
    assert app.connection.reason == MQRC_OPTION_NOT_VALID_FOR_TYPE
    assert app.try_open("NOWHERE") is None
    assert app.connection.reason == MQRC_UNKNOWN_ALIAS_BASE_Q
    broker.alter("ALIAS", {"PUT": "DISABLED"})
    assert app.put("ALIAS", b"3").reason == MQRC_PUT_INHIBITED


class Strict(Authority):
    """Users may publish and subscribe below the objects that are called like them."""

    def may_publish(self, user: str, topic_string: str, topics: list[str]) -> bool:
        return user.upper() in topics

    def may_subscribe(self, user: str, topic_string: str, topics: list[str]) -> bool:
        return user.upper() in topics


def test_authority_for_a_topic_is_looked_up_from_it_upwards(broker: Broker) -> None:
    broker.qm.authority = Strict()
    broker.topic("ANNA", "a")
    broker.topic("BELOW", "a/b")
    anna, otto = broker.connect(user="anna"), broker.connect(user="otto")
    assert publish(anna, "a/b/c").reason == MQRC_NONE
    assert publish(anna, "b").reason == MQRC_NOT_AUTHORIZED
    assert publish(otto, "a/b").reason == MQRC_NOT_AUTHORIZED
    assert open_topic(otto, "a") is None and otto.connection.reason == MQRC_NOT_AUTHORIZED


# -- copies ------------------------------------------------------------------------------------------------------------


def test_each_subscriber_gets_a_copy_with_a_message_id_of_its_own(broker: Broker, app: App) -> None:
    """B50, B258: a new message id for each copy, one copy of the data in memory, one publish for all of them."""
    first, second = subscribe(app, "a"), subscribe(app, "+")
    data = bytes(1000)
    published = publish(app, "a", data)
    one, other = take(app, first), take(app, second)
    assert len({published.md.msg_id, one.md.msg_id, other.md.msg_id}) == 3
    assert one.data == other.data == data
    assert one.md.correl_id != other.md.correl_id
    counters = broker.qm.counters
    assert (counters.publishes, counters.published) == (1, 2)  # B64


def test_the_data_is_in_memory_once(broker: Broker, app: App) -> None:
    handles = [subscribe(app, "a") for _ in range(5)]
    data = b"x" * 5000
    publish(app, "a", data)
    for hsub in handles:
        assert hsub.destination is not None and hsub.destination.queue is not None
        message = hsub.destination.queue.first_available()
        assert message is not None and message.data is data


def test_a_publisher_gets_its_descriptor_back_as_it_was(broker: Broker, app: App) -> None:
    subscribe(app, "a")
    subscribe(app, "a", pub_priority=7)
    published = publish(app, "a", b"", correl_id=b"C" * 24, priority=3, persistence=1, user_identifier="x")
    md = published.md
    assert (md.correl_id, md.priority, md.persistence, md.user_identifier) == (b"C" * 24, 3, 1, "user")
    assert md.msg_id != NO_ID


def test_the_correlation_id_is_the_subscriptions_or_the_publishers(broker: Broker, app: App) -> None:
    given = subscribe(app, "a", UNMANAGED | MQSO_MANAGED, sub_correl_id=b"S" * 24)
    passed = subscribe(app, "a", UNMANAGED | MQSO_MANAGED, sub_correl_id=NO_ID)
    made = subscribe(app, "a")
    publish(app, "a", b"", correl_id=b"P" * 24)
    assert take(app, given).md.correl_id == b"S" * 24
    assert take(app, passed).md.correl_id == b"P" * 24
    assert made.subscription is not None
    assert take(app, made).md.correl_id == open_subscription(made).correl_id != NO_ID


def test_priority_is_as_published_as_the_queue_says_or_as_the_subscription_says(broker: Broker, app: App) -> None:
    broker.topic("A", "a", DEFPRTY=6)
    broker.alter("A", {"DEFPRTY": 2})
    queue = app.open("A", MQOO_INPUT_SHARED)
    subscribe(app, "a", UNMANAGED, queue=queue, sub_correl_id=b"1" * 24, pub_priority=-1)
    subscribe(app, "a", UNMANAGED, queue=queue, sub_correl_id=b"2" * 24, pub_priority=5)
    subscribe(app, "a", UNMANAGED, queue=queue, sub_correl_id=b"3" * 24)
    publish(app, "a", b"", priority=-1)
    got = [app.get(queue) for _ in range(3)]
    assert sorted((each.md.correl_id[:1], each.md.priority) for each in got) == [(b"1", 2), (b"2", 5), (b"3", 6)]


def test_persistence_comes_from_the_topic_and_ends_at_a_temporary_queue(broker: Broker, app: App) -> None:
    broker.topic("A", "a", DEFPSIST="YES")
    temporary, durable = subscribe(app, "a"), subscribe(app, "a", DURABLE, sub_name="S")
    publish(app, "a", b"", persistence=2)
    publish(app, "a", b"", persistence=0)
    assert [take(app, temporary).md.persistence for _ in range(2)] == [0, 0]
    assert [take(app, durable).md.persistence for _ in range(2)] == [1, 0]


def test_context_of_a_copy_is_the_subscribers(broker: Broker) -> None:
    """B53: message context is lost with publish/subscribe; the identity is that of the subscription."""
    subscriber, publisher = broker.connect(user="anna"), broker.connect(user="otto", appl_name="publisher")
    plain = subscribe(subscriber, "a")
    own = subscribe(
        subscriber,
        "a",
        MQSO_CREATE | MQSO_MANAGED | MQSO_SET_IDENTITY_CONTEXT,
        pub_accounting_token=b"T" * 32,
        pub_appl_identity_data="mine",
    )
    publish(publisher, "a", b"")
    one, other = take(subscriber, plain).md, take(subscriber, own).md
    assert (one.user_identifier, one.appl_identity_data, one.accounting_token) == ("anna", "", bytes(32))
    assert (other.user_identifier, other.appl_identity_data, other.accounting_token) == ("anna", "mine", b"T" * 32)
    assert one.put_appl_name == other.put_appl_name == "publisher"


def test_reply_to_is_passed_on_unless_suppressed(broker: Broker, app: App) -> None:
    hsub = subscribe(app, "a")
    publish(app, "a", b"", msg_type=MQMT_REQUEST, reply_to_q="A")
    publish(app, "a", b"", msg_type=MQMT_REQUEST, reply_to_q="A", options=MQPMO_SUPPRESS_REPLYTO)
    assert [take(app, hsub).md.reply_to_q for _ in range(2)] == ["A", ""]


def test_not_own_subs_leaves_the_publishers_own_subscriptions_out(broker: Broker, app: App) -> None:
    other = broker.connect()
    mine, theirs = subscribe(app, "a"), subscribe(other, "a")
    publish(app, "a", b"1", options=MQPMO_NOT_OWN_SUBS)
    publish(app, "a", b"2")
    assert drain(app, mine) == [b"2"]
    assert drain(other, theirs) == [b"1", b"2"]


def test_a_publisher_is_warned_if_nobody_is_subscribed(broker: Broker, app: App) -> None:
    warned = publish(app, "a", b"", options=MQPMO_WARN_IF_NO_SUBS_MATCHED)
    assert (warned.completion, warned.reason) == (MQCC_WARNING, MQRC_NO_SUBS_MATCHED)
    assert publish(app, "a", b"").reason == MQRC_NONE
    subscribe(app, "a")
    assert publish(app, "a", b"", options=MQPMO_WARN_IF_NO_SUBS_MATCHED).reason == MQRC_NONE


def test_a_selector_decides_on_properties_of_the_publication(broker: Broker, app: App) -> None:
    low = subscribe(app, "a", selection_string="Root.MQMD.Priority < 5")
    high = subscribe(app, "a", selection_string="Root.MQMD.Priority >= 5")
    for priority in range(10):
        publish(app, "a", bytes([priority]), priority=priority)
    assert sorted(drain(app, low)) == [bytes([each]) for each in range(5)]
    assert sorted(drain(app, high)) == [bytes([each]) for each in range(5, 10)]


def test_grouped_subscriptions_get_one_copy_together(broker: Broker, app: App) -> None:
    queue = app.open("A", MQOO_INPUT_SHARED)
    for topic in ("a", "+", "#"):
        subscribe(app, topic, UNMANAGED | MQSO_GROUP_SUB, queue=queue, sub_correl_id=b"G" * 24)
    subscribe(app, "a", UNMANAGED | MQSO_GROUP_SUB, queue=queue, sub_correl_id=b"H" * 24)
    subscribe(app, "a", UNMANAGED, queue=queue, sub_correl_id=b"G" * 24)
    publish(app, "a", b"1")
    assert sorted(app.get(queue).md.correl_id[:1] for _ in range(3)) == [b"G", b"G", b"H"]
    assert app.get(queue).reason == MQRC_NO_MSG_AVAILABLE


def test_the_highest_level_intercepts(broker: Broker, app: App) -> None:
    top, middle, bottom = (subscribe(app, "a", sub_level=level) for level in (9, 5, 1))
    publish(app, "a", b"1")
    publish(app, "a", b"2", pub_level=8)
    publish(app, "a", b"3", pub_level=4)
    publish(app, "a", b"4", pub_level=0)
    assert (drain(app, top), drain(app, middle), drain(app, bottom)) == ([b"1"], [b"2"], [b"3"])


def test_a_copy_expires_as_the_publication_does_and_no_later_than_the_topic_allows(broker: Broker, app: App) -> None:
    broker.topic("A", "a", CAPEXPRY=50)
    hsub = subscribe(app, "#")
    publish(app, "a", b"", expiry=30)
    publish(app, "a", b"", expiry=300)
    publish(app, "a", b"")
    publish(app, "b", b"")
    assert [take(app, hsub).md.expiry for _ in range(4)] == [30, 50, 50, -1]


# -- properties --------------------------------------------------------------------------------------------------------


def test_a_copy_says_what_it_was_published_on(broker: Broker, app: App) -> None:
    hsub = subscribe(app, "a/#", sub_user_data="mine & <yours>")
    plain = subscribe(app, "a/#")
    publish(app, "a/b<c>", b"data")
    found = properties(take(app, hsub))
    assert found.value("mqps.Top") == "a/b<c>" and found.value("mqps.Sud") == "mine & <yours>"
    assert found.value("MQTopicString") == "a/b<c>" and found.value("MQSubUserData") == "mine & <yours>"
    assert found.value("MQPubLevel") == 9
    got = take(app, plain)
    assert got.data == b"data" and "mqps.Sud" not in properties(got).names()


def test_psprop_decides_where_the_properties_are(broker: Broker, app: App) -> None:
    handles = {}
    for form in ("NONE", "MSGPROP", "RFH2", "COMPAT"):
        handles[form] = subscribe(app, "a", sub_user_data="u")
        subscription = open_subscription(handles[form])
        subscription.properties = form
        subscription.refresh()
    publish(app, "a", b"data", format=MQFMT_STRING, encoding=MQENC_NATIVE, coded_char_set_id=1208)
    none, message = take(app, handles["NONE"]), take(app, handles["MSGPROP"])
    assert none.data == b"data"
    assert message.data == b"data" and message.md.format == MQFMT_STRING
    rules = take(app, handles["RFH2"])
    assert rules.md.format == MQFMT_RF_HEADER_2
    header = MQRFH2.unpack(rules.data)
    assert header.folders == ["<psc><Command>Publish</Command><Topic>a</Topic><SubUserData>u</SubUserData></psc>"]
    assert (header.format, rules.data[header.struc_length :]) == (MQFMT_STRING, b"data")
    compat = take(app, handles["COMPAT"])
    assert compat.md.format == MQFMT_RF_HEADER
    old = MQRFH.unpack(compat.data)
    assert dict(old.pairs()) == {"MQPSCommand": "Publish", "MQPSTopic": "a", "MQPSSubUserData": "u"}
    assert compat.data[old.struc_length :] == b"data"


def test_folders_of_the_publishers_own_header_stay(broker: Broker, app: App) -> None:
    hsub = subscribe(app, "a")
    assert hsub.subscription is not None
    open_subscription(hsub).properties = "RFH2"
    open_subscription(hsub).refresh()
    header = MQRFH2()
    header.format = MQFMT_STRING
    header.folders = ["<psc><Command>Publish</Command><Topic>x</Topic></psc>", "<usr><color>red</color></usr>"]
    publish(app, "a", header.pack() + b"data", format=MQFMT_RF_HEADER_2, encoding=MQENC_NATIVE, coded_char_set_id=1208)
    got = take(app, hsub)
    again = MQRFH2.unpack(got.data)
    assert again.folders == ["<psc><Command>Publish</Command><Topic>a</Topic></psc>", "<usr><color>red</color></usr>"]
    assert (again.format, got.data[again.struc_length :]) == (MQFMT_STRING, b"data")


# -- units of work -----------------------------------------------------------------------------------------------------


def test_under_syncpoint_copies_can_be_got_after_the_commit(broker: Broker, app: App) -> None:
    hsub = subscribe(app, "a")
    publish(app, "a", b"1", syncpoint=True)
    assert drain(app, hsub) == []
    app.backout()
    assert drain(app, hsub) == []
    publish(app, "a", b"2", syncpoint=True)
    late = subscribe(app, "a")
    app.commit()
    assert drain(app, hsub) == [b"2"]
    assert drain(app, late) == []  # Matching was done when it was put.


def test_a_publish_counts_once_for_maxumsgs(broker: Broker, app: App) -> None:
    """B258: one publish is one message, however many subscribers there are."""
    broker.alter("QM1", {"MAXUMSGS": 3}, "QMGR")
    handles = [subscribe(app, "a") for _ in range(5)]
    for _ in range(3):
        assert publish(app, "a", b"", syncpoint=True).reason == MQRC_NONE
    assert publish(app, "a", b"", syncpoint=True).reason == MQRC_SYNCPOINT_LIMIT_REACHED
    app.commit()
    assert [len(drain(app, hsub)) for hsub in handles] == [3] * 5


def test_persistent_copies_are_logged_together_and_survive_a_crash(broker: Broker, app: App) -> None:
    for name in ("S1", "S2"):
        subscribe(app, "a", DURABLE, sub_name=name)
    publish(app, "a", b"kept" * 1000, persistence=1)
    broker.log.flush()
    before = {name: broker.subscription(name).dest_queue for name in ("S1", "S2")}
    broker.crash()
    assert {name: broker.subscription(name).dest_queue for name in ("S1", "S2")} == before
    for queue in before.values():
        assert broker.contents(queue) == [b"kept" * 1000]


# -- what cannot be delivered ------------------------------------------------------------------------------------------


def full_queue(broker: Broker, app: App, durable: bool) -> None:
    """Subscriptions of queue A, which is full, and of queue B, which is not."""
    broker.alter("QM1", {"DEADQ": ""}, "QMGR")
    broker.alter("A", {"MAXDEPTH": 0})
    options = UNMANAGED | (MQSO_DURABLE if durable else 0)
    for name in ("A", "B"):
        subscribe(app, "a", options, queue=app.open(name, MQOO_INPUT_SHARED), sub_name=name, sub_correl_id=b"x" * 24)


@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("durable", [False, True])
@pytest.mark.parametrize("rule", ["ALL", "ALLDUR", "ALLAVAIL"])
def test_delivery_rules_say_when_a_publish_fails(broker: Broker, rule: str, durable: bool, persistence: int) -> None:
    app = broker.connect()
    broker.topic("A", "a", **{"PMSGDLV" if persistence else "NPMSGDLV": rule})
    full_queue(broker, app, durable)
    failed = rule == "ALL" or (rule == "ALLDUR" and durable)
    assert publish(app, "a", b"1", persistence=persistence).reason == (
        MQRC_PUBLICATION_FAILURE if failed else MQRC_NONE
    )
    assert broker.depth("B") == (0 if failed else 1)
    assert broker.depth("A") == 0 and broker.queue("A").reserved == 0


def test_undeliverable_copies_go_to_the_dead_letter_queue(broker: Broker, app: App) -> None:
    broker.topic("A", "a", PMSGDLV="ALL", NPMSGDLV="ALL")
    full_queue(broker, app, False)
    broker.alter("QM1", {"DEADQ": "DLQ"}, "QMGR")
    assert publish(app, "a", b"1").reason == MQRC_NONE
    dead = app.get("DLQ")
    assert dead.md.format == MQFMT_DEAD_LETTER_HEADER
    header = MQDLH.unpack(dead.data)
    assert (header.reason, header.dest_q_name, header.dest_q_mgr_name) == (MQRC_Q_FULL, "A", "QM1")
    assert dead.data.endswith(b"1") and broker.depth("B") == 1
    assert broker.admin.alter("TOPIC", "A", {"USEDLQ": "NO"}, False) == 0
    assert publish(app, "a", b"2").reason == MQRC_PUBLICATION_FAILURE
    assert broker.depth("DLQ") == 0 and broker.depth("B") == 1


def test_a_destination_that_comes_back_is_found_again(broker: Broker, app: App) -> None:
    queue = app.open("A", MQOO_INPUT_SHARED)
    subscribe(app, "a", UNMANAGED | MQSO_DURABLE, queue=queue, sub_name="S", sub_correl_id=b"x" * 24)
    app.close(queue)
    assert broker.admin.delete("QLOCAL", "A", True) == 0
    broker.alter("QM1", {"DEADQ": ""}, "QMGR")
    assert publish(app, "a", b"1").reason == MQRC_NONE
    broker.define("QLOCAL", "A", {})
    assert publish(app, "a", b"2").reason == MQRC_NONE
    assert app.drain("A") == [b"2"]


def test_a_subscription_of_another_queue_manager_goes_through_the_transmission_queue(broker: Broker, app: App) -> None:
    broker.define("QLOCAL", "QM2", {"USAGE": "XMITQ"})
    handle = app.open("THERE", MQOO_OUTPUT, "QM2")
    subscribe(app, "a", UNMANAGED, queue=handle, sub_correl_id=b"x" * 24)
    publish(app, "a", b"far")
    from flintmq.qmgr.remote import unwrap

    header, md, data = unwrap(broker.qm, app.get("QM2").data)
    assert (header.remote_q_name, header.remote_q_mgr_name) == ("THERE", "QM2")
    assert (md.correl_id, data) == (b"x" * 24, b"far")


def test_a_new_message_id_is_made_for_the_publisher_when_asked_for(broker: Broker, app: App) -> None:
    published = publish(app, "a", b"", msg_id=b"m" * 24, options=MQPMO_NEW_MSG_ID)
    assert published.md.msg_id != b"m" * 24


# -- streaming queues --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quality", ["BESTEF", "MUSTDUP"])
def test_a_stream_queue_that_is_an_alias_of_a_topic_fans_out(broker: Broker, quality: str) -> None:
    """B49, B50, B51, B65: nobody, then two subscribers; each copy has a message id of its own."""
    app = broker.connect()
    broker.topic("NEWS", "news")
    broker.define("QALIAS", "ALIAS", {"TARGET": "NEWS", "TARGTYPE": "TOPIC"})
    broker.define("QLOCAL", "BASE", {"STREAMQ": "ALIAS", "STRMQOS": quality})
    assert app.put("BASE", b"0").reason == MQRC_NONE
    first, second = subscribe(app, "news"), subscribe(app, "#")
    put = app.put("BASE", b"1")
    assert put.reason == MQRC_NONE
    copies = [take(app, first), take(app, second)]
    assert [each.data for each in copies] == [b"1", b"1"]
    assert len({put.md.msg_id, *(each.md.msg_id for each in copies)}) == 3
    assert app.drain("BASE") == [b"0", b"1"]
    assert broker.qm.counters.published == 2


def test_a_copy_that_a_subscriber_must_get_holds_up_a_put_under_mustdup(broker: Broker, app: App) -> None:
    broker.topic("A", "a", NPMSGDLV="ALL")
    broker.define("QALIAS", "ALIAS", {"TARGET": "A", "TARGTYPE": "TOPIC"})
    broker.define("QLOCAL", "MUST", {"STREAMQ": "ALIAS", "STRMQOS": "MUSTDUP"})
    broker.define("QLOCAL", "BEST", {"STREAMQ": "ALIAS"})
    full_queue(broker, app, False)
    assert app.put("MUST", b"1").reason == MQRC_PUBLICATION_FAILURE
    assert app.put("BEST", b"2").reason == MQRC_NONE
    assert (app.drain("MUST"), app.drain("BEST"), broker.depth("B")) == ([], [b"2"], 0)


def test_a_subscribers_queue_has_a_stream_queue_of_its_own(broker: Broker, app: App) -> None:
    broker.define("QLOCAL", "S", {"STREAMQ": "B"})
    subscribe(app, "a", UNMANAGED, queue=app.open("S", MQOO_INPUT_SHARED), sub_correl_id=b"x" * 24)
    publish(app, "a", b"1")
    assert (app.drain("S"), app.drain("B")) == ([b"1"], [b"1"])
