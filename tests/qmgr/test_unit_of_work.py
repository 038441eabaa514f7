"""Units of work: commit, backout, and what a unit looks like in between. U1 to U4 are those of connection.py."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import flintmq
from flintmq.catalogue.attribute import Value
from flintmq.log import Log, LogConfig
from flintmq.mqi.constants import MQGMO_MARK_SKIP_BACKOUT, MQGMO_SYNCPOINT_IF_PERSISTENT
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQRC_BACKED_OUT,
    MQRC_HCONN_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NONE,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SECOND_MARK_NOT_ALLOWED,
    MQRC_SYNCPOINT_LIMIT_REACHED,
)
from flintmq.qmgr import unit_of_work
from flintmq.qmgr.connect import abandon, disconnect
from flintmq.qmgr.connection import (
    UNIT_ACTIVE,
    UNIT_BACKED_OUT,
    UNIT_COMMITTED,
    UNIT_PREPARED,
    WAITING,
    Unit,
)
from flintmq.qmgr.message import AVAILABLE, GET_PENDING, PUT_PENDING
from flintmq.qmgr.paging import pager_of
from flintmq.qmgr.records import (
    FIRST,
    GET,
    GETS,
    GETS_MAX,
    KIND,
    LAST,
    ONLY,
    PREPARE,
    PUT,
    RESOLVE,
    BadLogRecord,
    describe,
    pack_place,
    split_gets,
)
from flintmq.qmgr.unit_of_work import (
    BACKOUT_EVENT,
    COMMIT_EVENT,
    MOVES,
    PREPARE_EVENT,
    IllegalMove,
    move,
    prepare_unit,
    resolve_unit,
)
from tests.qmgr.machine import Definition, Machine, fill, number_of

DEEP: dict[str, Value] = {"MAXDEPTH": 999_999_999, "MAXMSGL": 104_857_600}
QUEUES: list[Definition] = [("QLOCAL", "Q", DEEP), ("QLOCAL", "R", {**DEEP, "HARDENBO": "NOHARDENBO"})]


@pytest.fixture
def machine() -> Iterator[Machine]:
    made = Machine("memory", None, QUEUES)
    yield made
    made.qm.check()


def records(machine: Machine) -> list[tuple[int, int, int]]:
    """(kind, flags, sequence) of all records since the last checkpoint, as the next start reads them."""
    machine.log.flush()
    found = []
    for record in Log.open(machine.disk.copy(), machine.log_directory).replay():
        sequence = int.from_bytes(record.payload[4:12], "little") if record.kind & KIND in (PUT, GET) else 0
        found.append((record.kind & KIND, record.kind & ~KIND, sequence))
    return found


# -- the table of moves ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", [COMMIT_EVENT, BACKOUT_EVENT, PREPARE_EVENT])
@pytest.mark.parametrize("state", [UNIT_ACTIVE, UNIT_PREPARED, UNIT_COMMITTED, UNIT_BACKED_OUT])
def test_a_unit_makes_the_moves_of_the_table_and_no_others(state: int, event: int) -> None:
    unit = Unit()
    unit.state = state
    if (state, event) in MOVES:
        assert move(unit, event) == state
        assert unit.state == MOVES[(state, event)]
    else:
        with pytest.raises(IllegalMove, match=f"unit in state {state} was given event {event}"):
            move(unit, event)
        assert unit.state == state


def test_the_table_of_moves_is_complete() -> None:
    """Only what is decided has no way on, prepared units cannot be prepared again, and everything can be reached."""
    events = {COMMIT_EVENT, BACKOUT_EVENT, PREPARE_EVENT}
    missing = {(state, event) for state in (UNIT_ACTIVE, UNIT_PREPARED) for event in events} - set(MOVES)
    assert missing == {(UNIT_PREPARED, PREPARE_EVENT)}
    assert not [state for state, _ in MOVES if state in (UNIT_COMMITTED, UNIT_BACKED_OUT)]
    assert set(MOVES.values()) == {UNIT_PREPARED, UNIT_COMMITTED, UNIT_BACKED_OUT}


# -- U1, U3: while it lasts -----------------------------------------------------------------------------------------


def test_messages_of_a_unit_are_pending_and_in_that_unit_only(machine: Machine) -> None:
    """U1."""
    one, other = machine.connect(), machine.connect()
    fill(one, "Q", 4)
    fill(one, "Q", 1, 10, syncpoint=True)
    other.get("Q", syncpoint=True)
    one.get("Q", syncpoint=True)
    assert one.connection.unit is not None and other.connection.unit is not None
    assert [message.state for message in one.connection.unit.work] == [PUT_PENDING, GET_PENDING]
    assert [message.state for message in other.connection.unit.work] == [GET_PENDING]
    machine.qm.check()
    one.commit()
    other.backout()
    assert {message.state for message in machine.queue("Q").messages_in_memory()} == {AVAILABLE}


def test_depth_counts_uncommitted_puts_and_gets_and_a_get_finds_neither(machine: Machine) -> None:
    """U3."""
    one, other = machine.connect(), machine.connect()
    fill(one, "Q", 1, syncpoint=True)
    assert (machine.depth("Q"), machine.queue("Q").available) == (1, 0)
    assert other.get("Q").reason == one.get("Q").reason == MQRC_NO_MSG_AVAILABLE
    one.commit()
    assert (machine.depth("Q"), machine.queue("Q").available) == (1, 1)
    one.get("Q", syncpoint=True)
    assert (machine.depth("Q"), machine.queue("Q").available) == (1, 0)
    assert other.get("Q").reason == other.browse("Q", first=True).reason == MQRC_NO_MSG_AVAILABLE
    one.commit()
    assert machine.depth("Q") == 0


def test_a_queue_is_full_of_uncommitted_messages_too(machine: Machine) -> None:
    """U3."""
    machine.admin.alter("QLOCAL", "Q", {"MAXDEPTH": 2}, False)
    app = machine.connect()
    fill(app, "Q", 2, syncpoint=True)
    assert machine.connect().put("Q", b"").reason == 2053
    app.backout()
    assert machine.connect().put("Q", b"").reason == MQRC_NONE


# -- U2: the log ----------------------------------------------------------------------------------------------------


def test_nothing_of_a_unit_is_in_the_log_before_it_is_committed(machine: Machine) -> None:
    """U2: then all of it is, in one run of records, in the order in which it was done."""
    app, other = machine.connect(), machine.connect()
    fill(other, "R", 1, persistence=1)
    before = machine.log.end
    fill(app, "Q", 2, persistence=1, syncpoint=True)
    app.get("R", syncpoint=True)
    fill(app, "Q", 1, 2, persistence=0, syncpoint=True)
    fill(app, "Q", 1, 3, persistence=1, syncpoint=True)
    assert machine.log.end == before
    app.commit()
    assert app.connection.force == machine.log.end
    assert records(machine) == [(PUT, ONLY, 1), (PUT, FIRST, 1), (PUT, 0, 2), (GET, 0, 1), (PUT, LAST, 4)]


@pytest.mark.parametrize(
    ("gets", "before", "after", "expected"),
    [
        (1, 0, 0, [(GET, ONLY)]),
        (2, 0, 0, [(GETS, ONLY)]),
        (4, 0, 0, [(GETS, ONLY)]),
        (5, 0, 0, [(GETS, FIRST), (GET, LAST)]),
        (9, 0, 0, [(GETS, FIRST), (GETS, 0), (GET, LAST)]),
        (3, 1, 0, [(PUT, FIRST), (GETS, LAST)]),
        (3, 0, 1, [(GETS, FIRST), (PUT, LAST)]),
        (8, 1, 1, [(PUT, FIRST), (GETS, 0), (GETS, 0), (PUT, LAST)]),
    ],
)
def test_gets_that_follow_each_other_share_a_record(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    gets: int,
    before: int,
    after: int,
    expected: list[tuple[int, int]],
) -> None:
    """U2: the run has one first and one last record, and a restart finds the puts and none of the messages got."""
    if flintmq.compiled():
        pytest.skip("a compiled module does not look its constants up")
    monkeypatch.setattr(unit_of_work, "GETS_MAX", 4)
    app = machine.connect()
    fill(app, "R", gets + 1, persistence=1)
    machine.checkpoint()
    fill(app, "Q", before, persistence=1, syncpoint=True)
    for _ in range(gets):
        app.get("R", syncpoint=True)
    fill(app, "Q", after, 100, persistence=1, syncpoint=True)
    app.commit()
    assert [(kind, flags) for kind, flags, _ in records(machine)] == expected
    machine.log.flush()
    machine.crash()
    assert [number_of(data) for data in machine.contents("R")] == [gets]
    assert [number_of(data) for data in machine.contents("Q")] == [*range(before), *range(100, 100 + after)]


def test_more_gets_than_a_record_holds_are_gone_after_a_crash(machine: Machine) -> None:
    app = machine.connect()
    fill(app, "R", 2 * GETS_MAX + 3, persistence=1)
    for _ in range(2 * GETS_MAX + 2):
        app.get("R", syncpoint=True)
    app.commit()
    assert records(machine)[-3:] == [(GETS, FIRST, 0), (GETS, 0, 0), (GETS, LAST, 0)]
    machine.log.flush()
    machine.crash()
    assert [number_of(data) for data in machine.contents("R")] == [2 * GETS_MAX + 2]


def test_a_prepared_unit_with_several_gets_survives_a_crash(machine: Machine) -> None:
    app = machine.connect()
    put = fill(app, "R", 3, persistence=1)
    app.get("R", syncpoint=True)
    app.get("R", syncpoint=True)
    unit = app.connection.unit
    assert unit is not None
    unit.xid = b"xid"
    prepare_unit(machine.qm, unit)
    machine.log.flush()
    machine.crash()
    assert machine.contents("R") == put[2:]
    resolve_unit(machine.qm, machine.qm.in_doubt.pop(b"xid"), False, False)
    assert machine.contents("R") == put


@pytest.mark.parametrize("size", [0, 12, 14, 27])
def test_a_list_of_gets_of_a_wrong_size_is_refused(size: int) -> None:
    with pytest.raises(BadLogRecord, match=f"{size} bytes are no list of gets"):
        split_gets(bytes(size))


def test_a_dump_names_the_first_gets_of_a_record() -> None:
    body = b"".join(pack_place(7, sequence, 0) for sequence in range(1, 5))
    assert describe(GETS | ONLY, body[:26]) == "GETS FIRST LAST queue 7 message 1, queue 7 message 2"
    assert describe(GETS, body) == "GETS queue 7 message 1, queue 7 message 2, queue 7 message 3 ... 4 in all"


def test_a_unit_that_is_backed_out_costs_no_log(machine: Machine) -> None:
    """U2."""
    app = machine.connect()
    fill(app, "R", 1, persistence=1)
    before = machine.log.end
    fill(app, "Q", 5, persistence=1, syncpoint=True)
    app.get("R", syncpoint=True)
    app.backout()
    assert machine.log.end == before and app.connection.force == 0
    assert (machine.depth("Q"), machine.depth("R")) == (0, 1)


def test_a_unit_without_persistent_messages_is_not_logged_and_needs_no_force(machine: Machine) -> None:
    app = machine.connect()
    before = machine.log.end
    fill(app, "Q", 3, syncpoint=True)
    assert app.commit() == MQRC_NONE
    app.get("Q", syncpoint=True)
    assert app.commit() == MQRC_NONE
    assert (machine.log.end, app.connection.force) == (before, 0)


def test_units_are_runs_of_their_own_however_they_overlap(machine: Machine) -> None:
    """U2: two units put in turns; the log has one after the other."""
    one, other = machine.connect(), machine.connect()
    for number in range(3):
        fill(one, "Q", 1, number, persistence=1, syncpoint=True)
        fill(other, "Q", 1, number, persistence=1, syncpoint=True)
    other.commit()
    one.commit()
    assert [(flags, sequence) for _, flags, sequence in records(machine)] == [
        *((FIRST, 2), (0, 4), (LAST, 6)),
        *((FIRST, 1), (0, 3), (LAST, 5)),
    ]


def test_a_prepared_unit_is_closed_by_its_xid_and_decided_by_another_record(machine: Machine) -> None:
    app = machine.connect()
    fill(app, "Q", 2, persistence=1, syncpoint=True)
    unit = app.connection.unit
    assert unit is not None
    app.connection.unit = None
    unit.xid = b"xid"
    prepare_unit(machine.qm, unit)
    machine.qm.in_doubt[b"xid"] = unit
    assert records(machine) == [(PUT, FIRST, 1), (PUT, 0, 2), (PREPARE, LAST, 0)]
    assert machine.queue("Q").available == 0
    resolve_unit(machine.qm, unit, True, False)
    del machine.qm.in_doubt[b"xid"]
    assert records(machine)[3:] == [(RESOLVE, ONLY, 0)]
    assert machine.queue("Q").available == 2


# -- commit and backout ---------------------------------------------------------------------------------------------


def test_a_commit_makes_messages_visible_in_the_order_of_puts_not_of_commits(machine: Machine) -> None:
    one, other = machine.connect(), machine.connect()
    fill(one, "Q", 1, 1, syncpoint=True)
    fill(other, "Q", 1, 2, syncpoint=True)
    fill(one, "Q", 1, 3, syncpoint=True)
    other.commit()
    one.commit()
    assert [number_of(data) for data in one.drain("Q")] == [1, 2, 3]


def test_a_backout_puts_messages_back_in_their_places_and_counts(machine: Machine) -> None:
    app, other = machine.connect(), machine.connect()
    put = fill(app, "Q", 5)
    for _ in range(3):
        app.get("Q", syncpoint=True)
    assert other.get("Q", syncpoint=True).data == put[3]
    app.backout()
    answers = [app.get("Q") for _ in range(4)]
    assert [answered.data for answered in answers] == [*put[:3], put[4]]
    assert [answered.md.backout_count for answered in answers] == [1, 1, 1, 0]
    other.commit()


def test_waiting_getters_are_served_by_a_commit_in_the_order_of_the_puts(machine: Machine) -> None:
    putter, first, second = machine.connect(), machine.connect(), machine.connect()
    assert first.get("Q", wait_ms=1000).reason == WAITING
    assert second.get("Q", wait_ms=1000).reason == WAITING
    fill(putter, "Q", 2, syncpoint=True)
    assert machine.qm.woken == []
    putter.commit()
    assert [waiter.connection for waiter in machine.qm.woken] == [first.connection, second.connection]
    assert [number_of(app.connection.data) for app in (first, second)] == [0, 1]


def test_a_backout_wakes_those_who_wait_for_what_it_gives_back(machine: Machine) -> None:
    one, other = machine.connect(), machine.connect()
    fill(one, "Q", 2)
    one.get("Q", syncpoint=True)
    one.get("Q", syncpoint=True)
    assert other.get("Q", wait_ms=1000).reason == WAITING
    one.backout()
    assert [waiter.connection for waiter in machine.qm.woken] == [other.connection]
    assert number_of(other.connection.data) == 0


def test_calls_outside_syncpoint_do_not_touch_the_unit(machine: Machine) -> None:
    app = machine.connect()
    fill(app, "Q", 1, 0, syncpoint=True)
    put = fill(app, "Q", 2, 1)
    assert app.get("Q").data == put[0]
    app.backout()
    assert app.drain("Q") == put[1:]


def test_syncpoint_if_persistent_takes_only_persistent_messages_into_the_unit(machine: Machine) -> None:
    app = machine.connect()
    fill(app, "Q", 1, 0)
    persistent = fill(app, "Q", 1, 1, persistence=1)
    for _ in range(2):
        gmo = MQGMO()
        gmo.options = MQGMO_SYNCPOINT_IF_PERSISTENT
        assert machine.qm.get(app.connection, app.handle("Q"), MQMD(), gmo) == MQRC_NONE
    app.backout()
    assert app.drain("Q") == persistent


def test_a_message_marked_to_skip_backout_is_in_a_new_unit_after_it(machine: Machine) -> None:
    """The application moves it to a backout queue and commits; a second backout gives it back after all."""
    app = machine.connect()
    put = fill(app, "Q", 3, persistence=1)
    app.get("Q", syncpoint=True)
    app.get("Q", syncpoint=True, options=MQGMO_MARK_SKIP_BACKOUT)
    assert app.get("Q", syncpoint=True, options=MQGMO_MARK_SKIP_BACKOUT).reason == MQRC_SECOND_MARK_NOT_ALLOWED
    fill(app, "R", 1, syncpoint=True)
    app.backout()
    assert (machine.depth("Q"), machine.queue("Q").available, machine.depth("R")) == (3, 2, 0)
    fill(app, "R", 1, 1, persistence=1, syncpoint=True)
    app.commit()
    machine.log.flush()
    machine.crash()
    assert (machine.contents("Q"), len(machine.contents("R"))) == ([put[0], put[2]], 1)

    app = machine.connect()
    app.get("Q", syncpoint=True, options=MQGMO_MARK_SKIP_BACKOUT)
    app.backout()
    app.backout()
    assert machine.contents("Q") == [put[0], put[2]]

    app.get("Q", syncpoint=True, options=MQGMO_MARK_SKIP_BACKOUT)
    app.backout()
    app.commit()
    machine.log.flush()
    machine.crash()
    assert machine.contents("Q") == [put[2]]


def test_a_unit_that_the_queue_manager_has_doomed_is_backed_out_by_the_next_commit(machine: Machine) -> None:
    app = machine.connect()
    fill(app, "Q", 1, syncpoint=True)
    assert app.connection.unit is not None
    app.connection.unit.doomed = True
    assert app.put("Q", b"", syncpoint=True).reason == MQRC_BACKED_OUT
    assert app.commit() == MQRC_BACKED_OUT
    assert (app.connection.completion, machine.depth("Q")) == (1, 0)
    assert machine.qm.units() == []


def test_commit_and_backout_without_a_unit_do_nothing(machine: Machine) -> None:
    app = machine.connect()
    assert (app.commit(), app.backout(), machine.log.end) == (0, 0, machine.log.durable)


# -- limits ---------------------------------------------------------------------------------------------------------


def test_a_unit_holds_maxumsgs_messages_and_then_answers_2024() -> None:
    machine = Machine("memory", None, QUEUES, qmgr={"MAXUMSGS": 5})
    app, other = machine.connect(), machine.connect()
    fill(app, "R", 3)
    fill(app, "Q", 3, syncpoint=True)
    app.get("R", syncpoint=True)
    app.get("R", syncpoint=True)
    for answered in (app.put("Q", b"", syncpoint=True), app.get("R", syncpoint=True)):
        assert (answered.reason, answered.completion) == (MQRC_SYNCPOINT_LIMIT_REACHED, MQCC_FAILED)
    assert machine.queue("R").available == 1
    fill(app, "Q", 1, 10)
    fill(other, "Q", 5, 20, syncpoint=True)
    assert app.commit() == MQRC_NONE
    assert machine.queue("Q").available == 4 and machine.depth("R") == 1


SMALL_LOG = LogConfig(file_pages=4, primary=2, secondary=1)


def test_a_full_log_answers_2102_and_the_unit_is_intact_until_there_is_room() -> None:
    """The records that were queued before the log was full are without their last one: they never happened (R2)."""
    machine = Machine("memory", None, QUEUES, config=SMALL_LOG)
    app, other = machine.connect(), machine.connect()
    put = fill(app, "Q", 6, length=3000, persistence=1, syncpoint=True)
    fill(other, "R", 7, length=3000, persistence=1)
    assert app.commit() == MQRC_RESOURCE_PROBLEM
    assert (app.connection.completion, machine.queue("Q").uncommitted) == (MQCC_FAILED, 6)
    assert app.commit() == MQRC_RESOURCE_PROBLEM
    assert other.put("R", bytes(9000), persistence=1).reason == MQRC_RESOURCE_PROBLEM
    assert machine.depth("R") == 7
    machine.qm.check()

    machine.checkpoint()
    assert app.commit() == MQRC_NONE
    machine.log.flush()
    machine.crash()
    assert machine.contents("Q") == put and len(machine.contents("R")) == 7


def test_a_unit_that_met_a_full_log_can_be_backed_out_and_leaves_nothing_behind() -> None:
    machine = Machine("memory", None, QUEUES, config=SMALL_LOG)
    app = machine.connect()
    fill(app, "Q", 6, length=3000, persistence=1, syncpoint=True)
    fill(machine.connect(), "R", 7, length=3000, persistence=1)
    assert app.commit() == MQRC_RESOURCE_PROBLEM
    machine.log.flush()
    assert app.backout() == MQRC_NONE
    machine.crash()
    assert (machine.depth("Q"), machine.depth("R")) == (0, 7)


def test_gets_and_expired_messages_of_a_full_log_do_no_harm() -> None:
    """A get outside syncpoint answers 2102 and takes nothing; an expired message goes all the same, and stays away."""
    machine = Machine("memory", None, QUEUES, config=SMALL_LOG)
    app = machine.connect()
    fill(app, "R", 1, persistence=1)
    fill(app, "Q", 1, persistence=1, expiry=1)
    fill(app, "Q", 1, 1, persistence=1)
    while app.put("R", bytes(700), persistence=1).completion == 0:
        pass
    while app.put("R", b"", persistence=1).completion == 0:
        pass
    while pager_of(machine.queue("R")).log.end + 56 < 3 * 3 * 4096:
        machine.qm.append(GET | FIRST, bytes(13))
    machine.clock.advance(1000)
    assert app.get("Q").reason == MQRC_RESOURCE_PROBLEM
    assert [number_of(data) for data in machine.contents("Q")] == [1]
    machine.log.flush()
    machine.crash()
    assert [number_of(data) for data in machine.contents("Q")] == [1]
    machine.checkpoint()
    assert number_of(machine.connect().get("Q").data) == 1


# -- the end of a connection ----------------------------------------------------------------------------------------


def test_a_normal_disconnect_commits(machine: Machine) -> None:
    app = machine.connect()
    put = fill(app, "Q", 2, persistence=1, syncpoint=True)
    assert disconnect(machine.qm, app.connection) == MQRC_NONE
    assert app.connection.force == machine.log.end
    assert app.put("Q", b"").reason == app.commit() == MQRC_HCONN_ERROR
    machine.log.flush()
    machine.crash()
    assert machine.contents("Q") == put


def test_an_application_that_is_lost_is_backed_out(machine: Machine) -> None:
    app = machine.connect()
    put = fill(app, "R", 2, persistence=1)
    fill(app, "Q", 2, persistence=1, syncpoint=True)
    app.get("R", syncpoint=True)
    app.get("R", syncpoint=True, options=MQGMO_MARK_SKIP_BACKOUT)
    abandon(machine.qm, app.connection)
    assert (machine.depth("Q"), machine.contents("R")) == (0, put)
    assert machine.queue("R").uncommitted == 0


def test_a_disconnect_that_meets_a_full_log_says_so_and_backs_out() -> None:
    machine = Machine("memory", None, QUEUES, config=SMALL_LOG)
    app = machine.connect()
    fill(app, "Q", 6, length=3000, persistence=1, syncpoint=True)
    fill(machine.connect(), "R", 7, length=3000, persistence=1)
    assert disconnect(machine.qm, app.connection) == MQRC_RESOURCE_PROBLEM
    assert machine.depth("Q") == 0
    machine.qm.check()
