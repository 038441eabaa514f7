"""Long work in slices: what a call does between its slices changes nothing of what it answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq import compiled
from flintmq.catalogue.attributes import default_attributes
from flintmq.mqi.constants import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQMF_MSG_IN_GROUP,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQSO_CREATE,
    MQSO_NEW_PUBLICATIONS_ONLY,
    MQSR_ACTION_PUBLICATION,
)
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_NO_SUBSCRIPTION, MQRC_RETAINED_NOT_DELIVERED
from flintmq.mqi.sd import MQSD
from flintmq.mqi.sro import MQSRO
from flintmq.qmgr import expiry, registration, retained, retained_delivery
from flintmq.qmgr.connect import abandon
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.logical_get import Start
from flintmq.qmgr.message import Message
from flintmq.qmgr.objects import clear_all, clear_some
from flintmq.qmgr.paging import pager_of
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.selection import READY, selection_of
from flintmq.qmgr.subscription import Subscription
from flintmq.qmgr.work import SLICE, Work
from tests.qmgr.conftest import App as BrokerApp
from tests.qmgr.driver import EVERYTHING, Driver
from tests.qmgr.machine import Machine, fill
from tests.qmgr.pubsub import MANAGED, Broker, drain, open_subscription, publish
from tests.qmgr.test_selection import browsed, deep_driver, drained, put_with, select, selections_of


def work_of(connection: Connection) -> Work:
    """What the last call has left to be done."""
    work = connection.work
    assert work is not None
    connection.work = None
    return work


def steps(work: Work, budget: int = SLICE) -> int:
    """Do the work; in how many slices."""
    count = 0
    while not work.done:
        work.step(budget)
        count += 1
    return count


# -- selection strings ------------------------------------------------------------------------------------------------


def test_a_selector_that_finds_nothing_in_a_deep_queue_is_evaluated_in_slices() -> None:
    """A selector that found nothing over 40,000 messages held everybody up. (issue 14, item 3b)"""
    driver = Driver(("QLOCAL", "Q", {"MAXDEPTH": 999_999}))
    app = driver.app()
    for _ in range(5000):
        put_with(driver, app, b"1", color="blue")
    app.connection.slices = True
    handle = select(app, "color = 'red' OR weight > 5")
    work, evaluated = work_of(app.connection), selections_of(driver)
    most = before = 0
    while not work.done:
        work.step(SLICE)
        most, before = max(most, evaluated.evaluations - before), evaluated.evaluations
    assert evaluated.evaluations == 5000 and most <= SLICE
    assert app.get(handle) == MQRC_NO_MSG_AVAILABLE and evaluated.evaluations == 5000
    driver.qm.check()


def test_long_properties_and_long_selectors_count_for_more_than_one_message(driver: Driver) -> None:
    """A slice is a measure of work: messages that take longer to evaluate are fewer in it."""
    app = driver.app()
    for _ in range(40):
        put_with(driver, app, b"1", color="b" * 20_000)
    app.connection.slices = True
    select(app, "color = 'red' OR weight > 5")
    assert steps(work_of(app.connection)) >= 6


@pytest.fixture
def driver() -> Driver:
    return Driver(("QLOCAL", "Q", {"MAXDEPTH": 999_999}))


ACTIONS = st.sampled_from(["put red", "put blue", "get", "take red", "back out", "hold", "commit", "second", "close"])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(ACTIONS, st.integers(1, 8)), max_size=25), st.booleans(), st.booleans())
def test_whatever_happens_between_slices_the_selection_is_right(
    actions: list[tuple[str, int]], spilled: bool, changing: bool
) -> None:
    """T1-T3 hold after each slice, and what matches comes in the order of delivery. (issue 14, item 3b)"""
    driver = deep_driver() if spilled else Driver(("QLOCAL", "Q", {"MAXDEPTH": 999_999}))
    other, app = driver.app("other"), driver.app()
    for number in range(300 if spilled else 40):
        color = "red" if number % 5 == 2 else "blue"
        put_with(driver, other, b"%d" % (number % 10), color=color, priority=number % 3, persistence=number % 2)
    plain = other.open("Q", MQOO_INPUT_SHARED | MQOO_BROWSE)
    app.connection.slices = True
    handle = select(app, "color = 'red'" + (" AND JMSXDeliveryCount < 3" if changing else " AND TRUE"))
    work, second = work_of(app.connection), None
    for action, size in actions:
        work.step(size * (40 if spilled else 1))
        if action.startswith("put"):
            put_with(driver, other, b"n", color=action[4:], priority=size % 3, syncpoint=size % 2 == 0)
        elif action == "get":
            other.get(plain)
        elif action == "hold":
            other.get(plain, syncpoint=True)
        elif action == "back out":
            other.backout()
        elif action == "commit":
            other.commit()
        elif action == "second" and second is None:
            second = select(app, "color = 'blue' AND TRUE")
            app.connection.work = None  # Nobody does its work: the first get does.
        elif action == "close" and second is not None:
            app.close(second)
            second = None
        driver.qm.check()
    steps(work, 7)
    selection = selection_of(handle)
    assert selection is not None and selection.phase == READY
    other.commit()
    driver.qm.check()
    if second is not None:
        assert app.get(second, MQGMO_BROWSE_FIRST) in (0, MQRC_NO_MSG_AVAILABLE)
    fresh = driver.app()
    found = browsed(app, handle)
    assert found == browsed(fresh, select(fresh, handle.selector + " AND TRUE"))
    assert drained(app, handle) == found


def test_a_walk_ends_where_messages_that_came_later_are_on_the_page_set_too() -> None:
    """They are in one range with those that were there: the walk looks at its beginning only (K2)."""
    driver = deep_driver()
    app = driver.app()
    for _ in range(300):
        put_with(driver, app, b"1", color="red")
    app.connection.slices = True
    handle = select(app, "color = 'red' AND TRUE")
    work = work_of(app.connection)
    work.step(1)
    for _ in range(600):
        put_with(driver, app, b"2", color="red")
    assert driver.queue("Q").spilled_count > 600
    assert steps(work, 50) <= 300
    assert browsed(app, handle) == [b"1"] * 300 + [b"2"] * 600
    driver.qm.check()


def test_two_handles_that_are_opened_one_after_the_other_both_catch_up(driver: Driver) -> None:
    """The second waits for the walk of the first, and begins its own then; neither does all at once."""
    app, other = driver.app(), driver.app("other")
    for number in range(3000):
        put_with(driver, app, b"1", color="red" if number == 2999 else "blue")
    app.connection.slices = other.connection.slices = True
    one = select(app, "color = 'red' AND TRUE")
    first = work_of(app.connection)
    first.step(SLICE)
    two = select(other, "color = 'red' AND NOT FALSE")
    second = work_of(other.connection)
    second.step(SLICE)
    assert not first.done and not second.done
    assert steps(first) + steps(second) >= 3
    assert browsed(app, one) == browsed(other, two) == [b"1"]


def test_a_handle_that_is_closed_while_it_catches_up_leaves_nothing(driver: Driver) -> None:
    app = driver.app()
    for _ in range(3000):
        put_with(driver, app, b"1", color="red")
    app.connection.slices = True
    handle = select(app, "color = 'red' AND TRUE")
    work = work_of(app.connection)
    work.step(SLICE)
    assert app.close(handle) == 0
    work.step(SLICE)
    assert work.done and driver.queue("Q").selections is None
    driver.qm.check()


# -- retained publications --------------------------------------------------------------------------------------------


@pytest.fixture
def broker() -> Broker:
    made = Broker()
    app = made.connect()
    for number in range(600):
        publish(app, f"t/{number:04}/x", b"%d" % number, retain=True)
    publish(app, "other", b"other", retain=True)
    return made


def begun(app: BrokerApp, topic_string: str, destination: Handle | None = None) -> tuple[MQSD, Work]:
    """MQSUB by a connection whose host takes turns, and the work that it leaves."""
    app.connection.slices = True
    return asked(topic_string, destination), _begin(app, topic_string, destination)


def asked(topic_string: str, destination: Handle | None = None) -> MQSD:
    sd = MQSD()
    sd.options = MANAGED if destination is None else MQSO_CREATE
    sd.object_string = topic_string
    return sd


def _begin(app: BrokerApp, topic_string: str, destination: Handle | None) -> Work:
    assert app.qm.subscribe(app.connection, asked(topic_string, destination), destination) is not None
    return work_of(app.connection)


def again(app: BrokerApp, sd: MQSD, work: Work, destination: Handle | None = None) -> Handle | None:
    app.connection.work = work
    return app.qm.subscribe(app.connection, sd, destination)


def test_many_retained_publications_are_delivered_in_slices(broker: Broker) -> None:
    """A subscription over 30,000 retained topics held everybody up. (issue 14, item 3b)

    What is published between the slices comes once, and a topic that was published to again comes with that only.
    """
    app, other = broker.connect(), broker.connect()
    sd, work = begun(app, "t/#")
    work.step(SLICE)
    publish(other, "t/0599/x", b"news", retain=True)
    publish(other, "t/0000/x", b"late", retain=True)
    publish(other, "t/new/x", b"new", retain=True)
    assert steps(work) >= 5
    hsub = again(app, sd, work)
    assert hsub is not None and app.connection.reason == 0 and sd.res_object_string == "t/#"
    got = drain(app, hsub)
    assert sorted(got) == sorted([b"news", b"late", b"new", *(b"%d" % number for number in range(1, 599))])
    broker.qm.check()


def test_mqsubrq_counts_what_all_slices_have_delivered(broker: Broker) -> None:
    app = broker.connect()
    sd, work = begun(app, "t/#")
    steps(work)
    hsub = again(app, sd, work)
    assert hsub is not None and len(drain(app, hsub)) == 600
    sro = MQSRO()
    assert app.qm.subscription_request(app.connection, hsub, MQSR_ACTION_PUBLICATION, sro) == 0
    work = work_of(app.connection)
    assert steps(work) >= 5
    app.connection.work = work
    assert app.qm.subscription_request(app.connection, hsub, MQSR_ACTION_PUBLICATION, sro) == 0
    assert sro.num_pubs == 600 and len(drain(app, hsub)) == 600


def test_a_subscription_whose_retained_publications_do_not_fit_its_queue_ends(broker: Broker) -> None:
    """L2: the call fails as if it had been done at once."""
    app = broker.connect()
    broker.topic("T", "t", NPMSGDLV="ALL", USEDLQ="NO")
    broker.qm.queues["A"].max_depth = 100
    destination = app.open("A")
    sd, work = begun(app, "t/#", destination)
    steps(work)
    assert again(app, sd, work, destination) is None and app.connection.reason == MQRC_RETAINED_NOT_DELIVERED
    assert not broker.qm.subscriptions.by_id and app.connection.work is None
    broker.qm.check()


def test_a_client_that_goes_in_the_middle_leaves_no_subscription(broker: Broker) -> None:
    app = broker.connect()
    _, work = begun(app, "t/#")
    work.step(SLICE)
    abandon(broker.qm, app.connection)
    assert not broker.qm.subscriptions.by_id
    work.step(SLICE)
    assert work.done
    broker.qm.check()


def test_a_subscription_that_is_deleted_in_the_middle_is_not_there(broker: Broker) -> None:
    app = broker.connect()
    sd, work = begun(app, "t/#")
    work.step(SLICE)
    (subscription,) = broker.qm.subscriptions.by_id.values()
    registration.end(broker.qm, subscription)
    work.step(SLICE)
    assert work.done and again(app, sd, work) is None and app.connection.reason == MQRC_NO_SUBSCRIPTION
    broker.qm.check()


def test_topics_are_collected_in_slices_too_and_what_is_put_meanwhile_is_among_them(broker: Broker) -> None:
    app, other = broker.connect(), broker.connect()
    assert broker.qm.retained_topics is None
    while not retained.collect(broker.qm, 100):
        publish(other, "t/late", b"late", retain=True)
    assert len(retained.topics(broker.qm)) == 602
    assert len(retained.matching(broker.qm, _subscription(app, "t/#"))) == 601


def _subscription(app: BrokerApp, topic_string: str) -> Subscription:
    sd = asked(topic_string)
    sd.options |= MQSO_NEW_PUBLICATIONS_ONLY
    made = app.qm.subscribe(app.connection, sd)
    assert made is not None and made.subscription is not None
    return open_subscription(made)


def test_few_topics_are_still_delivered_all_or_none() -> None:
    broker = Broker()
    app = broker.connect()
    for number in range(retained_delivery.TOPICS_AT_ONCE):
        publish(app, f"t/{number}", b"x", retain=True)
    app.connection.slices = True
    hsub = app.qm.subscribe(app.connection, asked("#"))
    assert hsub is not None and app.connection.work is None
    assert len(drain(app, hsub)) == retained_delivery.TOPICS_AT_ONCE


# -- groups -----------------------------------------------------------------------------------------------------------


def test_groups_that_are_not_complete_are_walked_over_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """MQGMO_ALL_MSGS_AVAILABLE over 8,000 incomplete groups took 3 s: each began the walk anew. (issue 14, item 3b)"""
    driver = Driver(("QLOCAL", "Q", {"MAXDEPTH": 999_999}))
    app = driver.app()
    for _ in range(300):
        group_id = driver.qm.new_msg_id()
        put_with(driver, app, b"x", version=2, group_id=group_id, msg_flags=MQMF_MSG_IN_GROUP, msg_seq_number=2)
    looked: list[Message] = []
    accepts = Start.accepts

    def watched(self: Start, message: Message) -> bool:
        looked.append(message)
        return accepts(self, message)

    if compiled():
        pytest.skip("compiled classes cannot be watched")
    monkeypatch.setattr(Start, "accepts", watched)
    handle = app.open("Q", EVERYTHING)
    assert app.get(handle, MQGMO_ALL_MSGS_AVAILABLE) == MQRC_NO_MSG_AVAILABLE
    assert len(looked) == 300


# -- deleted queues ---------------------------------------------------------------------------------------------------


def deep_subscription(broker: Broker, count: int) -> tuple[BrokerApp, Handle, Queue]:
    """A managed subscription with very many messages, in a queue manager whose host takes turns."""
    broker.qm.takes_turns = True
    app = broker.connect()
    hsub = app.qm.subscribe(app.connection, asked("deep"))
    assert hsub is not None and hsub.subscription is not None
    queue = broker.qm.queues[open_subscription(hsub).dest_queue]
    queue.max_depth = 999_999_999
    for number in range(count):
        publish(app, "deep", b"%d" % number)
    assert queue.depth == count
    return app, hsub, queue


@pytest.mark.parametrize("buffers", [25_000, 200])
@pytest.mark.parametrize("leaves", [False, True])
def test_a_deep_queue_that_is_deleted_is_emptied_in_slices(buffers: int, leaves: bool) -> None:
    """The end of a subscription with 30,000 messages was one turn of 23 ms; a disconnect too. (issue 14, item 3)"""
    broker = Broker(buffers)
    app, hsub, queue = deep_subscription(broker, 3500)
    destination = hsub.destination
    if leaves:
        abandon(broker.qm, app.connection)
    else:
        assert app.close(hsub) == 0 and destination is not None and app.close(destination) == 0
    assert queue.deleted and queue.depth == 3500 and queue.name not in broker.qm.queues
    assert queue.counts.purged_count == 3500
    depths = []
    while broker.qm.clearing:
        broker.qm.check()
        clear_some(broker.qm)
        depths.append(queue.depth)
    assert depths == [2500, 1500, 500, 0]
    assert not pager_of(queue).queues.get(queue.queue_id) and queue.pages_in_memory == 0
    broker.qm.check()
    broker.bounce()
    broker.qm.check()


def test_a_checkpoint_removes_first_what_is_left_of_deleted_queues() -> None:
    """D2."""
    broker = Broker(200)
    app, _, queue = deep_subscription(broker, 2500)
    abandon(broker.qm, app.connection)
    clear_some(broker.qm)
    assert queue.depth == 1500
    broker.checkpoint()
    assert queue.depth == 0 and not broker.qm.clearing
    broker.qm.check()


@pytest.mark.parametrize("checkpointed", [False, True])
def test_a_deleted_queue_stays_deleted_when_the_power_fails_while_it_is_emptied(checkpointed: bool) -> None:
    """The log knows that it is deleted before the first message goes; another queue of its name has none of them."""
    machine = Machine(buffers=200)
    app = machine.connect()
    fill(app, "Q", 3000, persistence=1)
    if checkpointed:
        machine.checkpoint()
    machine.qm.takes_turns = True
    abandon(machine.qm, app.connection)
    assert machine.admin.delete("QLOCAL", "Q", True) == 0
    machine.qm.log.flush()
    clear_some(machine.qm)
    assert machine.qm.clearing
    assert machine.admin.define("QLOCAL", "Q", default_attributes("QLOCAL"), False) == 0
    machine.qm.log.flush()
    machine.qm.check()
    machine.bounce()
    assert machine.qm.queues["Q"].depth == 0
    machine.qm.check()


def test_expired_messages_of_a_deleted_queue_are_left_to_its_end() -> None:
    """Nothing is logged for them: the log knows of no queue that they could be got from."""
    machine = Machine(buffers=200)
    app = machine.connect()
    fill(app, "Q", 3000, persistence=1, expiry=1)
    machine.qm.takes_turns = True
    abandon(machine.qm, app.connection)
    assert machine.admin.delete("QLOCAL", "Q", True) == 0
    machine.clock.time_ms += 60_000
    end = machine.qm.log.end
    expiry.refresh(machine.qm, "*")
    while expiry.scan(machine.qm, machine.clock.now_ms()):
        pass
    assert machine.qm.log.end == end and machine.qm.expiry.expired == 0
    clear_all(machine.qm)
    machine.qm.check()


def test_a_page_set_goes_when_what_is_left_on_it_is_removed() -> None:
    """DELETE PSID, while a deleted queue of it is not empty yet."""
    machine = Machine(
        objects=[("PSID", "7", {}), ("STGCLASS", "SEVEN", {"PSID": 7}), ("QLOCAL", "Q", {"STGCLASS": "SEVEN"})]
    )
    app = machine.connect()
    fill(app, "Q", 2000)
    machine.qm.takes_turns = True
    abandon(machine.qm, app.connection)
    assert machine.admin.delete("QLOCAL", "Q", True) == 0 and machine.qm.clearing
    assert machine.admin.delete("STGCLASS", "SEVEN", False) == machine.admin.delete("PSID", "7", False) == 0
    assert not machine.qm.clearing
    machine.qm.check()
