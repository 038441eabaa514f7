"""A unit of work sees its own uncommitted puts, and nobody else does (issue 14, item 10).

U3 and U4 are those of connection.py. Every test ends with a check of all invariants.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from flintmq.log import Log
from flintmq.mqi import constants as mq
from flintmq.mqi import reason as rc
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.object_record import MQOR
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.response_record import MQRR
from flintmq.qmgr import trigger
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.records import COPY, GET, KIND, PUT
from flintmq.qmgr.xa import (
    TMJOIN,
    TMNOFLAGS,
    TMSUCCESS,
    XA_OK,
    XA_RDONLY,
    pack_xid,
    xa_commit,
    xa_end,
    xa_prepare,
    xa_start,
)
from tests.qmgr import groups
from tests.qmgr.conftest import App
from tests.qmgr.machine import Definition, Machine
from tests.qmgr.pubsub import Broker, drain, publish, subscribe
from tests.qmgr.test_consume import World as Consuming

ONE = b"1".ljust(24, b"\0")
TWO = b"2".ljust(24, b"\0")
BRANCH = pack_xid(1, b"global", b"branch")
QUEUES: list[Definition] = [
    ("QLOCAL", "Q", {"MAXDEPTH": 3}),
    ("QLOCAL", "R", {}),
    ("QLOCAL", "COPIES", {}),
    ("QLOCAL", "STREAMED", {"STREAMQ": "COPIES"}),
    ("QLOCAL", "INIT", {}),
    ("PROCESS", "PROC", {}),
    ("QLOCAL", "TRIGGERED", {"TRIGGER": "TRIGGER", "TRIGTYPE": "EVERY", "INITQ": "INIT", "PROCESS": "PROC"}),
    ("QMODEL", "MODEL", {"DEFTYPE": "TEMPDYN"}),
]


@pytest.fixture
def machine() -> Iterator[Machine]:
    made = Machine("memory", None, QUEUES)
    yield made
    made.qm.check()


@pytest.fixture
def app(machine: Machine) -> App:
    return machine.connect()


@pytest.fixture
def other(machine: Machine) -> App:
    return machine.connect("other")


def selecting(app: App, text: str) -> Handle:
    od = MQOD()
    od.object_name = "Q"
    od.selection_string = text
    handle = app.qm.open(app.connection, od, mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE)
    assert handle is not None
    return handle


def logged(machine: Machine) -> list[int]:
    """The kinds of the records about messages since the last checkpoint."""
    machine.log.flush()
    kinds = [record.kind & KIND for record in Log.open(machine.disk.copy(), machine.log_directory).replay()]
    return [kind for kind in kinds if kind in (PUT, GET, COPY)]


# -- finding it ------------------------------------------------------------------------------------------------------

WAYS: dict[str, dict[str, Any]] = {
    "in order": {},
    "by message id": {"msg_id": ONE},
    "by correlation id": {"correl_id": TWO},
    "by both": {"msg_id": ONE, "correl_id": TWO},
    "by ids, version 1": {"msg_id": ONE, "version": 1},
    "logical order": {"options": mq.MQGMO_LOGICAL_ORDER, "match_options": 0},
}


@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("way", list(WAYS))
def test_a_get_in_the_unit_finds_what_the_unit_has_put_and_others_do_not(
    machine: Machine, app: App, other: App, way: str, persistence: int
) -> None:
    app.put("Q", b"own", syncpoint=True, msg_id=ONE, correl_id=TWO, persistence=persistence)
    for syncpoint in (False, True):
        assert other.get("Q", syncpoint=syncpoint, **WAYS[way]).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert other.browse("Q", first=True).reason == rc.MQRC_NO_MSG_AVAILABLE

    got = app.get("Q", syncpoint=True, **WAYS[way])

    assert (got.reason, got.data, got.md.msg_id, got.md.backout_count) == (0, b"own", ONE, 0)
    assert app.get("Q", syncpoint=True, **WAYS[way]).reason == rc.MQRC_NO_MSG_AVAILABLE


@pytest.mark.parametrize(
    "text",
    [
        "JMSPriority = 4",
        "JMSDeliveryMode = 'NON_PERSISTENT'",
        f'Root.MQMD.CorrelId = "0x{TWO.hex()}"',
        f"JMSMessageID = 'ID:{ONE.hex()}'",
    ],
)
def test_a_selector_finds_it(app: App, other: App, text: str) -> None:
    handle = selecting(app, text)
    app.put("Q", b"own", syncpoint=True, msg_id=ONE, correl_id=TWO, priority=4)
    app.put("Q", b"not that", syncpoint=True, priority=5, persistence=1)

    assert other.get(selecting(other, text), syncpoint=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert app.browse(handle, first=True).data == b"own"
    assert app.get(handle, syncpoint=True).data == b"own"
    assert app.get(handle, syncpoint=True).reason == rc.MQRC_NO_MSG_AVAILABLE


def test_a_message_token_finds_it(app: App, other: App) -> None:
    app.put("Q", b"own", syncpoint=True)
    token = app.browse("Q", first=True).gmo.msg_token
    by_token: dict[str, Any] = {"match_options": mq.MQMO_MATCH_MSG_TOKEN, "msg_token": token}

    assert other.get("Q", **by_token).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert app.browse("Q", first=True, **by_token).data == b"own"
    assert app.get("Q", syncpoint=True, **by_token).data == b"own"


def test_own_and_committed_messages_come_in_the_order_of_delivery(app: App, other: App) -> None:
    """Higher priority first, then by age, whoever has put them; what others have not committed is passed over."""
    app.put("R", b"1 own", syncpoint=True, priority=4)
    other.put("R", b"2 committed", priority=4)
    other.put("R", b"not seen", syncpoint=True, priority=4)
    app.put("R", b"3 own", syncpoint=True, priority=4)
    other.put("R", b"0 committed", priority=9)
    app.put("R", b"9 own", syncpoint=True, priority=0)
    other.put("R", b"5 committed", priority=4)

    assert app.drain("R", syncpoint=True) == [
        b"0 committed",
        b"1 own",
        b"2 committed",
        b"3 own",
        b"5 committed",
        b"9 own",
    ]


def test_a_get_outside_syncpoint_does_not_find_it(app: App) -> None:
    """Such a get is outside the unit of work, where the message is not visible."""
    app.put("Q", b"own", syncpoint=True)
    assert app.get("Q").reason == rc.MQRC_NO_MSG_AVAILABLE
    assert app.get("Q", msg_id=ONE).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert app.commit() == 0
    assert app.get("Q").data == b"own"


def test_syncpoint_if_persistent_finds_only_what_is_persistent(machine: Machine, app: App) -> None:
    handle = app.handle("Q")
    app.put("Q", b"not persistent", syncpoint=True)
    app.put("Q", b"persistent", syncpoint=True, persistence=1)

    def get() -> tuple[int, bytes]:
        gmo = MQGMO()
        gmo.options = mq.MQGMO_SYNCPOINT_IF_PERSISTENT
        reason = machine.qm.get(app.connection, handle, MQMD(), gmo)
        return reason, app.connection.data if reason == 0 else b""

    assert get() == (0, b"persistent")
    assert get()[0] == rc.MQRC_NO_MSG_AVAILABLE
    assert app.get("Q", syncpoint=True).data == b"not persistent"


def test_the_next_unit_does_not_find_what_an_in_doubt_one_has_put(machine: Machine, app: App) -> None:
    assert xa_start(machine.qm, app.connection, BRANCH, TMNOFLAGS) == XA_OK
    app.put("Q", b"own", syncpoint=True, persistence=1)
    assert xa_end(machine.qm, app.connection, BRANCH, TMSUCCESS) == XA_OK
    assert app.get("Q", syncpoint=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert xa_prepare(machine.qm, app.connection, BRANCH) == XA_OK
    assert app.get("Q", syncpoint=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert xa_commit(machine.qm, app.connection, BRANCH) == XA_OK
    assert app.get("Q", syncpoint=True).data == b"own"


def test_an_expired_message_is_not_found_and_expires_after_the_commit(machine: Machine, app: App) -> None:
    app.put("Q", b"short", syncpoint=True, expiry=1)
    assert app.browse("Q", first=True).data == b"short"
    machine.clock.advance(1_000)
    assert app.browse("Q", first=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert app.get("Q", syncpoint=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert machine.queue("Q").counts.expired_count == 0
    assert app.commit() == 0
    assert app.get("Q").reason == rc.MQRC_NO_MSG_AVAILABLE
    assert machine.queue("Q").counts.expired_count == 1


def test_what_a_connection_puts_after_it_has_looked_is_found_too(app: App) -> None:
    """The list of a unit's puts is brought up to date by each get."""
    for number in range(20):
        app.put("R", str(number).encode(), syncpoint=True)
        if number % 3 == 0:
            assert app.get("R", syncpoint=True).completion == 0
    assert app.drain("R", syncpoint=True) == [str(number).encode() for number in range(7, 20)]


# -- how it ends -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("end", ["commit", "backout", "disconnect without a word"])
def test_what_was_put_and_got_in_one_unit_never_comes_back(
    machine: Machine, app: App, other: App, end: str, persistence: int
) -> None:
    app.put("Q", b"own", syncpoint=True, persistence=persistence)
    assert app.get("Q", syncpoint=True).data == b"own"
    before = logged(machine)
    if end == "commit":
        assert app.commit() == 0
        assert app.connection.force == 0
    elif end == "backout":
        assert app.backout() == 0
    assert other.browse("Q", first=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert logged(machine) == before == []
    machine.crash()
    assert machine.contents("Q") == []


def test_put_browse_commit_leaves_it_there(machine: Machine, app: App, other: App) -> None:
    app.put("Q", b"own", syncpoint=True, persistence=1)
    assert app.browse("Q", first=True).data == b"own"
    assert app.browse("Q").reason == rc.MQRC_NO_MSG_AVAILABLE
    assert app.commit() == 0
    assert other.browse("Q", first=True).data == b"own"
    machine.log.flush()
    machine.crash()
    assert machine.contents("Q") == [b"own"]


def test_put_browse_backout_leaves_nothing(machine: Machine, app: App) -> None:
    app.put("Q", b"own", syncpoint=True)
    assert app.browse("Q", first=True).data == b"own"
    assert app.backout() == 0
    under_cursor = app.get("Q", options=mq.MQGMO_MSG_UNDER_CURSOR, syncpoint=True)
    assert under_cursor.reason == rc.MQRC_NO_MSG_UNDER_CURSOR
    assert machine.queue("Q").depth == 0


def test_a_unit_logs_what_is_left_of_it_in_one_run(machine: Machine, app: App, other: App) -> None:
    """U2 and U4: of three puts and two gets, the put that was got leaves no record."""
    other.put("R", b"old", persistence=1)
    before = logged(machine)
    for data in (b"one", b"two", b"three"):
        app.put("R", data, syncpoint=True, persistence=1)
    assert app.drain("R", syncpoint=True) == [b"old", b"one", b"two", b"three"]
    app.put("R", b"four", syncpoint=True, persistence=1)
    assert app.commit() == 0
    assert logged(machine)[len(before) :] == [GET, PUT]
    machine.crash()
    assert machine.contents("R") == [b"four"]


def test_backing_out_counts_both_and_brings_back_only_what_was_there_before(
    machine: Machine, app: App, other: App
) -> None:
    other.put("Q", b"old")
    app.put("Q", b"own", syncpoint=True)
    assert app.drain("Q", syncpoint=True) == [b"old", b"own"]
    assert app.backout() == 0
    queue = machine.queue("Q")
    assert (queue.counts.rolled_back_puts, queue.counts.rolled_back_gets) == (1, 2)
    assert (queue.counts.put_count, queue.counts.get_count) == (2, 2)
    assert other.drain("Q") == [b"old"]


def test_mark_skip_backout_does_not_save_what_was_never_put(machine: Machine, app: App) -> None:
    app.put("Q", b"own", syncpoint=True)
    assert app.get("Q", syncpoint=True, options=mq.MQGMO_MARK_SKIP_BACKOUT).data == b"own"
    assert app.backout() == 0
    assert app.connection.unit is None
    assert machine.queue("Q").depth == 0


# -- counters and limits ---------------------------------------------------------------------------------------------


def test_curdepth_and_maxdepth_count_it_until_it_is_got(machine: Machine, app: App) -> None:
    queue = machine.queue("Q")
    for depth in (1, 2, 3):
        assert app.put("Q", b"own", syncpoint=True).reason == 0
        assert queue.current_depth() == depth
    assert app.put("Q", b"own", syncpoint=True).reason == rc.MQRC_Q_FULL
    assert app.get("Q", syncpoint=True).reason == 0
    assert queue.current_depth() == 2
    assert app.put("Q", b"own", syncpoint=True).reason == 0
    assert app.put("Q", b"own", syncpoint=True).reason == rc.MQRC_Q_FULL
    assert app.commit() == 0
    assert queue.current_depth() == queue.available == 3


def test_the_put_and_the_get_both_count_for_maxumsgs() -> None:
    machine = Machine("memory", None, QUEUES, qmgr={"MAXUMSGS": 4})
    app = machine.connect()
    for _ in range(2):
        assert app.put("Q", syncpoint=True).reason == 0
        assert app.get("Q", syncpoint=True).reason == 0
    assert app.put("Q", syncpoint=True).reason == rc.MQRC_SYNCPOINT_LIMIT_REACHED
    assert app.get("Q", syncpoint=True).reason == rc.MQRC_SYNCPOINT_LIMIT_REACHED
    assert app.commit() == 0
    assert app.put("Q", syncpoint=True).reason == 0
    machine.qm.check()


def test_no_trigger_message_before_the_commit(machine: Machine, app: App) -> None:
    monitor = machine.connect("monitor")
    initiation = monitor.open("INIT", mq.MQOO_INPUT_SHARED)
    app.put("TRIGGERED", b"own", syncpoint=True)
    assert app.browse("TRIGGERED", first=True).data == b"own"
    assert machine.queue("INIT").depth == 0
    assert app.commit() == 0
    assert len(monitor.drain(initiation)) == 1
    assert trigger.at_least(machine.queue("TRIGGERED"), 0, 1)


# -- browse locks and cursors ----------------------------------------------------------------------------------------


def test_the_message_under_the_cursor_can_be_got(app: App) -> None:
    app.put("Q", b"own", syncpoint=True)
    assert app.browse("Q", first=True).data == b"own"
    assert app.get("Q", options=mq.MQGMO_MSG_UNDER_CURSOR).reason == rc.MQRC_NO_MSG_UNDER_CURSOR
    assert app.get("Q", options=mq.MQGMO_BROWSE_MSG_UNDER_CURSOR).data == b"own"
    assert app.get("Q", options=mq.MQGMO_MSG_UNDER_CURSOR, syncpoint=True).data == b"own"


def test_a_browse_lock_hides_it_from_the_other_handles_of_the_connection(app: App) -> None:
    second = app.open("Q", mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE)
    app.put("Q", b"own", syncpoint=True)
    assert app.browse("Q", first=True, options=mq.MQGMO_LOCK).data == b"own"
    assert app.get(second, syncpoint=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert app.browse(second, first=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert app.get("Q", options=mq.MQGMO_UNLOCK).reason == 0
    assert app.get("Q", options=mq.MQGMO_UNLOCK).reason == rc.MQRC_NO_MSG_LOCKED
    assert app.get(second, syncpoint=True).data == b"own"


def test_a_browse_lock_outlives_the_commit(app: App, other: App) -> None:
    app.put("Q", b"own", syncpoint=True)
    assert app.browse("Q", first=True, options=mq.MQGMO_LOCK).data == b"own"
    waiting = other.get("Q", wait_ms=1_000)
    assert app.commit() == 0
    assert other.browse("Q", first=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert waiting.completed().data == b""
    assert app.get("Q", options=mq.MQGMO_UNLOCK).reason == 0
    assert waiting.completed().data == b"own"


# -- groups, lists, copies, publications -----------------------------------------------------------------------------


def test_a_group_can_be_put_and_got_in_logical_order_in_one_unit(app: App, other: App) -> None:
    for data, flags in ((b"a", groups.MIG), (b"b", groups.MIG), (b"c", groups.LAST)):
        assert groups.put(app, data, flags, syncpoint=True).reason == 0
    whole = mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_ALL_MSGS_AVAILABLE
    assert groups.get(other, whole, syncpoint=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert [groups.get(app, whole, syncpoint=True).data for _ in range(3)] == [b"a", b"b", b"c"]
    assert app.commit() == 0
    assert app.qm.queues["Q"].depth == 0


def test_a_group_is_complete_for_the_unit_that_has_put_its_last_message(app: App, other: App) -> None:
    groups.group(other, groups.GROUP_A, (1, 0, b"a", groups.MIG))
    last: dict[str, Any] = {"group_id": groups.GROUP_A, "msg_seq_number": 2}
    assert groups.put(app, b"b", groups.LAST, logical=False, syncpoint=True, **last).reason == 0
    whole = mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_ALL_MSGS_AVAILABLE
    assert groups.get(other, whole, syncpoint=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert [groups.get(app, whole, syncpoint=True).data for _ in range(2)] == [b"a", b"b"]
    assert app.backout() == 0
    assert groups.get(other, syncpoint=True).data == b"a"


def test_segments_that_the_unit_has_put_are_returned_as_one_message(machine: Machine, app: App) -> None:
    whole = mq.MQGMO_COMPLETE_MSG
    assert groups.put(app, b"first ", groups.SEG, syncpoint=True, persistence=1).reason == 0
    assert groups.get(app, whole, syncpoint=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert groups.put(app, b"second", groups.LAST_SEG, syncpoint=True, persistence=1).reason == 0
    assert groups.get(app, whole).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert groups.get(app, whole, syncpoint=True).data == b"first second"
    assert app.commit() == 0
    assert logged(machine) == [] and machine.queue("Q").depth == 0


def test_what_goes_through_a_distribution_list_is_found(machine: Machine, app: App) -> None:
    od = MQOD()
    od.version = 2
    od.recs_present = 2
    od.object_records = [MQOR("Q"), MQOR("R")]
    od.response_records = [MQRR(), MQRR()]
    handle = machine.qm.open(app.connection, od, mq.MQOO_OUTPUT)
    assert handle is not None
    pmo = MQPMO()
    pmo.options = mq.MQPMO_SYNCPOINT
    assert machine.qm.put(app.connection, handle, MQMD(), pmo, b"both") == 0
    assert app.get("Q", syncpoint=True).data == b"both"
    assert app.commit() == 0
    assert machine.contents("Q") == [] and machine.contents("R") == [b"both"]


@pytest.mark.parametrize("persistence", [0, 1])
def test_the_copy_of_a_streaming_queue_stays_when_the_original_is_got(
    machine: Machine, app: App, other: App, persistence: int
) -> None:
    """And the log has the data of the copy, though that of the original is not there to be shared."""
    app.put("STREAMED", b"own", syncpoint=True, persistence=persistence)
    assert app.browse("COPIES", first=True).data == b"own"
    assert other.browse("COPIES", first=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert app.get("STREAMED", syncpoint=True).data == b"own"
    assert app.commit() == 0
    assert other.browse("COPIES", first=True).data == b"own"
    machine.log.flush()
    machine.crash()
    assert machine.contents("COPIES") == ([b"own"] if persistence else [])


def test_a_publication_is_found_by_a_subscription_of_the_same_connection() -> None:
    broker = Broker()
    app, other = broker.connect(), broker.connect("other")
    own, others = subscribe(app, "a/b"), subscribe(other, "a/b")
    publish(app, "a/b", b"news", syncpoint=True)
    assert drain(other, others) == []
    assert own.destination is not None
    assert app.get(own.destination, syncpoint=True).data == b"news"
    assert app.backout() == 0
    assert drain(app, own) == drain(other, others) == []
    broker.qm.check()


# -- branches, consumers, dynamic queues -----------------------------------------------------------------------------


def test_a_branch_sees_its_puts_through_the_connection_that_joins_it(machine: Machine, app: App, other: App) -> None:
    assert xa_start(machine.qm, app.connection, BRANCH, TMNOFLAGS) == XA_OK
    app.put("Q", b"own", syncpoint=True, persistence=1)
    app.put("R", b"kept", syncpoint=True, persistence=1)
    assert xa_end(machine.qm, app.connection, BRANCH, TMSUCCESS) == XA_OK
    assert other.get("Q", syncpoint=True).reason == rc.MQRC_NO_MSG_AVAILABLE
    assert xa_start(machine.qm, other.connection, BRANCH, TMJOIN) == XA_OK
    assert other.get("Q", syncpoint=True).data == b"own"
    assert xa_end(machine.qm, other.connection, BRANCH, TMSUCCESS) == XA_OK
    assert xa_prepare(machine.qm, other.connection, BRANCH) == XA_OK
    machine.qm.check()
    machine.log.flush()
    machine.checkpoint()
    machine.crash()
    app = machine.connect()
    assert xa_commit(machine.qm, app.connection, BRANCH) == XA_OK
    assert machine.contents("Q") == [] and machine.contents("R") == [b"kept"]


def test_a_branch_that_has_got_all_it_put_is_read_only(machine: Machine, app: App) -> None:
    assert xa_start(machine.qm, app.connection, BRANCH, TMNOFLAGS) == XA_OK
    app.put("Q", b"own", syncpoint=True, persistence=1)
    assert app.get("Q", syncpoint=True).data == b"own"
    assert xa_end(machine.qm, app.connection, BRANCH, TMSUCCESS) == XA_OK
    assert xa_prepare(machine.qm, app.connection, BRANCH) == XA_RDONLY


def test_a_branch_that_has_got_all_it_put_still_triggers(machine: Machine, app: App) -> None:
    monitor = machine.connect("monitor")
    initiation = monitor.open("INIT", mq.MQOO_INPUT_SHARED)
    assert xa_start(machine.qm, app.connection, BRANCH, TMNOFLAGS) == XA_OK
    app.put("TRIGGERED", b"own", syncpoint=True)
    assert app.get("TRIGGERED", syncpoint=True).data == b"own"
    assert xa_end(machine.qm, app.connection, BRANCH, TMSUCCESS) == XA_OK
    assert xa_prepare(machine.qm, app.connection, BRANCH) == XA_OK
    assert machine.queue("INIT").depth == 0
    assert xa_commit(machine.qm, app.connection, BRANCH) == XA_OK
    assert len(monitor.drain(initiation)) == 1


def test_a_put_in_a_callback_reaches_the_consumer_of_the_same_connection() -> None:
    world = Consuming()
    host, app = world.host, world.app
    out = app.open("B", mq.MQOO_OUTPUT)
    seen: list[bytes] = []

    def on_a(waiter: Any, cbc: Any) -> None:
        assert app.put(out, b"for " + waiter.answer.data, syncpoint=True) == 0

    def on_b(waiter: Any, cbc: Any) -> None:
        seen.append(waiter.answer.data)

    options = mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT
    assert host.register(app.open("A", mq.MQOO_INPUT_SHARED), on_a, gmo_options=options) == 0
    assert host.register(app.open("B", mq.MQOO_INPUT_SHARED), on_b, gmo_options=options) == 0
    assert host.control(mq.MQOP_START) == 0
    world.put("A", b"one", b"two")
    host.run()
    assert seen == [b"for one", b"for two"]
    assert host.control(mq.MQOP_STOP) == 0
    assert app.commit() == 0
    assert world.driver.queue("A").depth == world.driver.queue("B").depth == 0


def test_a_temporary_queue_may_go_with_what_the_unit_has_put_there(machine: Machine, app: App) -> None:
    """The lists of the unit's puts are made anew: what it has put elsewhere is still found."""
    dynamic = app.open("MODEL", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
    app.put(dynamic, b"gone", syncpoint=True)
    app.put(dynamic, b"got", syncpoint=True)
    app.put("Q", b"kept", syncpoint=True)
    assert app.get(dynamic, syncpoint=True).data == b"gone"
    assert app.close(dynamic) == 0
    machine.qm.check()
    assert app.get("Q", syncpoint=True).data == b"kept"
    assert app.commit() == 0
