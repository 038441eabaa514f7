"""Restart: what is there after the machine was switched off, and what is said when that cannot be known.

Cases A to H and R1, R2 are those of restart.py.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from flintmq.log import Log, LogConfig, LogDamaged
from flintmq.mqi.constants import MQCO_DELETE, MQOO_INPUT_SHARED, MQOO_OUTPUT
from flintmq.mqi.od import MQOD
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_NONE
from flintmq.qmgr.calls import restart
from flintmq.qmgr.checkpoint import (
    BACKOUT_PREFIX,
    DOUBT_PREFIX,
    GENERATION_KEY,
    HEURISTIC_KEY,
    KEPT_PREFIX,
    NEXT_ID_KEY,
    OBJECT_PREFIX,
    UNIT_PREFIX,
)
from flintmq.qmgr.paging import ACCOUNT_KEY, pager_of, queue_state_key
from flintmq.qmgr.records import BACKOUT, CLEAR, DELETE, FIRST, GET, GETS, LAST, OBJECT, ONLY, PREPARE, PUT, RESOLVE
from flintmq.qmgr.restart import Replay, RestartFailed
from flintmq.qmgr.xa import pack_xid, xa_commit
from flintmq.store.errors import PageSetDamaged, PageSetError
from tests.qmgr.machine import (
    DEEP,
    Definition,
    Machine,
    damage_meta,
    fill,
    local,
    number_of,
    one_machine,
    prepare_some,
)
from tests.simulation.disk import SimulatedCrash

Maker = Callable[..., Machine]


def model(name: str, kind: str) -> Definition:
    return ("QMODEL", name, {"DEFTYPE": kind, **DEEP})


@pytest.fixture(params=["memory", "lmdb"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Maker]:
    """Makes a machine of each kind; every invariant holds when the test is over."""
    made: list[Machine] = []

    def maker(objects: list[Definition] | None = None, buffers: int = 25_000) -> Machine:
        machine = Machine(request.param, tmp_path / str(len(made)), objects or [local("Q")], buffers)
        made.append(machine)
        return machine

    yield maker
    for machine in made:
        machine.qm.check()
        machine.close()


# -- the table of cases ---------------------------------------------------------------------------------------------


def stored_message(machine: Machine, sequence: int = 1) -> None:
    """Message `sequence` and one more behind it are on the page set in one chunk, and not in the log."""
    app = machine.connect()
    machine.queue("Q").next_sequence = sequence
    fill(app, "Q", 2, sequence, persistence=1)
    machine.checkpoint()
    assert machine.stored("Q") == [sequence, sequence + 1]


def test_case_a_a_message_that_never_had_a_slot_is_put() -> None:
    machine = one_machine()
    machine.log_put("Q", 1, b"1:")
    machine.log.flush()
    machine.crash()
    assert machine.contents("Q") == [b"1:"]


def test_case_b_a_message_that_is_alive_on_the_page_set_is_not_put_twice() -> None:
    machine = one_machine()
    stored_message(machine)
    machine.log_put("Q", 1, b"1: again")
    machine.log.flush()
    machine.crash()
    assert [number_of(data) for data in machine.contents("Q")] == [1, 2]
    assert machine.depth("Q") == 2


def test_case_c_a_message_whose_slot_is_dead_stays_dead() -> None:
    """Its get was written to the page set too, so it is in the log as well, further on."""
    machine = one_machine()
    stored_message(machine)
    machine.connect().get("Q")
    machine.checkpoint()
    machine.log_put("Q", 1, b"1: again")
    machine.log.flush()
    machine.crash()
    assert [number_of(data) for data in machine.contents("Q")] == [2]


def test_case_d_a_message_that_a_unit_in_doubt_brought_is_not_put_twice() -> None:
    machine = one_machine()
    app = machine.connect()
    xid = prepare_some(machine, app, puts=1, gets=0)
    machine.checkpoint()
    machine.log_put("Q", 1, b"1: again", FIRST)
    machine.qm.append(PREPARE | LAST, xid)
    machine.log.flush()
    machine.crash()
    assert machine.depth("Q") == machine.queue("Q").uncommitted == 1
    assert xa_commit(machine.qm, machine.connect().connection, xid) == 0
    assert [number_of(data) for data in machine.contents("Q")] == [0]


def test_case_e_a_message_in_memory_is_removed_by_its_get() -> None:
    machine = one_machine()
    machine.log_put("Q", 1, b"1:")
    machine.log_put("Q", 2, b"2:")
    machine.log_place(GET | ONLY, machine.queue("Q").queue_id, 1)
    machine.log.flush()
    machine.crash()
    assert machine.contents("Q") == [b"2:"]


def test_case_f_a_message_on_the_page_set_is_removed_by_its_get() -> None:
    machine = one_machine()
    stored_message(machine)
    machine.log_place(GET | ONLY, machine.queue("Q").queue_id, 1)
    machine.log.flush()
    machine.crash()
    assert [number_of(data) for data in machine.contents("Q")] == [2]
    machine.checkpoint()
    assert machine.stored("Q") == [2]


def test_case_g_a_get_of_a_message_that_is_nowhere_is_nothing() -> None:
    """The page set is newer than the record."""
    machine = one_machine()
    stored_message(machine)
    machine.connect().drain("Q")
    machine.checkpoint()
    machine.log_place(GET | ONLY, machine.queue("Q").queue_id, 1)
    machine.log_place(GET | ONLY, machine.queue("Q").queue_id, 77)
    machine.log.flush()
    machine.crash()
    assert machine.depth("Q") == 0


@pytest.mark.parametrize("kind", [PUT, GET, CLEAR, BACKOUT])
def test_case_h_a_record_of_a_queue_whose_deletion_follows_is_nothing(kind: int) -> None:
    machine = one_machine()
    log_for_unknown_queue(machine, kind)
    machine.qm.append(DELETE | ONLY, (99).to_bytes(4, "little") + b"QLOCAL\0GONE")
    machine.log.flush()
    machine.crash()
    assert list(machine.qm.queues) == ["Q"]
    assert machine.qm.catalogue.next_object_id == 100, "the id of a deleted object is not given again"


@pytest.mark.parametrize("kind", [PUT, GET, CLEAR, BACKOUT])
def test_case_h_a_record_of_a_queue_that_nobody_knows_stops_the_restart(kind: int) -> None:
    machine = one_machine()
    log_for_unknown_queue(machine, kind)
    machine.log.flush()
    machine.stop()
    with pytest.raises(RestartFailed, match="1 records for a queue with id 99 that no page set knows"):
        machine.start()


def log_for_unknown_queue(machine: Machine, kind: int) -> None:
    if kind == PUT:
        machine.queue("Q").queue_id = 99
        machine.log_put("Q", 1, b"lost")
    elif kind == BACKOUT:
        machine.qm.append(BACKOUT | ONLY, struct.pack("<IQBI", 99, 1, 0, 1))
    else:
        machine.log_place(kind | ONLY, 99, 1)


def test_each_record_meets_exactly_one_case() -> None:
    """Every kind of record against every place in which its message can be, and what the queue holds afterwards.

    The table is complete: a PUT finds its message in memory, alive, dead or nowhere; so does a GET; and each pair
    leads to one outcome that does not depend on how often the record is replayed (R1).
    """
    cases = {
        (PUT, "nowhere"): ("A", [1, 2, 3]),
        (PUT, "alive"): ("B", [1, 2, 3]),
        (PUT, "dead"): ("C", [2, 3]),
        (PUT, "memory"): ("D", [1, 2, 3]),
        (GET, "memory"): ("E", [2, 3]),
        (GET, "alive"): ("F", [2, 3]),
        (GET, "dead"): ("G", [2, 3]),
        (GET, "nowhere"): ("G", [2, 3]),
    }
    assert {kind for kind, _ in cases} == {PUT, GET}
    for (kind, place), (case, expected) in cases.items():
        for times in (1, 2, 3):
            machine = one_machine()
            app = machine.connect()
            if place in ("alive", "dead"):
                fill(app, "Q", 3, 1, persistence=1)
                machine.checkpoint()
                if place == "dead":
                    app.get("Q")
                    machine.checkpoint()
            else:
                machine.queue("Q").next_sequence = 2
                fill(app, "Q", 2, 2, persistence=1)
                machine.checkpoint()
                if place == "memory":
                    machine.log_put("Q", 1, b"1:")
            for _ in range(times):
                if kind == PUT:
                    machine.log_put("Q", 1, b"1:")
                else:
                    machine.log_place(GET | ONLY, machine.queue("Q").queue_id, 1)
            machine.log.flush()
            machine.crash()
            found = [number_of(data) for data in machine.contents("Q")]
            assert found == expected, f"case {case}, {times} times: {found}"
            assert machine.depth("Q") == len(expected)


@pytest.mark.parametrize("seed", range(12))
def test_replay_from_a_checkpoint_over_any_newer_page_set_gives_the_same_queue(seed: int) -> None:
    """R1: the page set is written again and again after the checkpoint; each of its states leads to the same end."""
    random = Random(seed)
    machine = Machine("memory", None, [local("Q", INDXTYPE="CORRELID")], buffers=20)
    apps = [machine.connect(), machine.connect()]
    for number in range(250):
        app = random.choice(apps)
        if random.random() < 0.6:
            fill(app, "Q", 1, number, persistence=1, priority=random.randrange(3), syncpoint=random.random() < 0.4)
        elif random.random() < 0.7:
            app.get("Q", syncpoint=random.random() < 0.4)
        else:
            random.choice([app.commit, app.commit, app.backout])()
        if number == 40:
            machine.checkpoint()
    for app in apps:
        app.commit()
    machine.log.flush()
    expected = machine.contents("Q")
    page_set, disk = machine.memory(), machine.disk
    assert page_set.unsynced > 3
    for lose in range(page_set.unsynced + 1):
        machine.disk = disk.copy()
        machine.open_page_sets = {0: page_set.crash(lose)}
        machine.start()
        assert machine.contents("Q") == expected, f"page set without its last {lose} batches"


def test_a_unit_without_its_last_record_never_happened() -> None:
    """R2: cut off by a crash, or by a full log in front of a unit that came later."""
    machine = one_machine()
    machine.log_put("Q", 1, b"1:", FIRST)
    machine.log_put("Q", 2, b"2:", 0)
    machine.log_put("Q", 3, b"3:", ONLY)
    machine.log_put("Q", 4, b"4:", FIRST)
    machine.log_put("Q", 5, b"5:", LAST)
    machine.log_put("Q", 6, b"6:", FIRST)
    machine.log.flush()
    machine.crash()
    assert machine.contents("Q") == [b"3:", b"4:", b"5:"]


# -- persistence ----------------------------------------------------------------------------------------------------


def test_persistent_messages_survive_and_others_do_not(make: Maker) -> None:
    machine = make(buffers=50)
    app = machine.connect()
    put = [fill(app, "Q", 1, number, persistence=number % 2)[0] for number in range(300)]
    machine.log.flush()
    machine.crash()
    assert machine.contents("Q") == put[1::2]
    machine.bounce()
    assert machine.contents("Q") == put[1::2]
    assert machine.connect().drain("Q") == put[1::2]


@pytest.mark.parametrize("buffers", [50, 25_000])
def test_a_queue_of_class_high_keeps_non_persistent_messages_over_a_clean_end_only(make: Maker, buffers: int) -> None:
    machine = make([local("HIGH", NPMCLASS="HIGH"), local("NORMAL")], buffers)
    app = machine.connect()
    put = [fill(app, "HIGH", 1, number, persistence=number % 3 == 0, priority=number % 10)[0] for number in range(300)]
    fill(app, "NORMAL", 300)
    ordered = sorted(put, key=lambda data: (-(number_of(data) % 10), number_of(data)))
    machine.bounce()
    assert (machine.contents("HIGH"), machine.contents("NORMAL")) == (ordered, [])
    assert machine.queue("HIGH").pool.used <= buffers
    machine.bounce()
    assert machine.contents("HIGH") == ordered

    machine.crash()
    assert machine.contents("HIGH") == [data for data in ordered if number_of(data) % 3 == 0]


def test_a_kept_message_that_was_got_does_not_come_back(make: Maker) -> None:
    """It is off the page set before anybody can get it."""
    machine = make([local("HIGH", NPMCLASS="HIGH")])
    put = fill(machine.connect(), "HIGH", 5)
    machine.bounce()
    assert machine.connect().get("HIGH").data == put[0]
    machine.bounce()
    assert machine.contents("HIGH") == put[1:]


def test_messages_of_a_unit_that_was_not_committed_are_not_there_and_gets_are_undone(make: Maker) -> None:
    machine = make(buffers=50)
    app = machine.connect()
    put = fill(app, "Q", 100, persistence=1)
    for _ in range(10):
        app.get("Q", syncpoint=True)
    fill(app, "Q", 100, 500, persistence=1, syncpoint=True)
    machine.checkpoint()
    machine.crash()
    assert machine.contents("Q") == put


def test_ids_and_sequences_go_on_after_a_restart(make: Maker) -> None:
    machine = make()
    seen = set()
    for _ in range(4):
        app = machine.connect()
        for _ in range(3):
            seen.add(app.put("Q", b"", persistence=1).md.msg_id)
        machine.log.flush()
        machine.crash()
    assert len(seen) == 12 == machine.depth("Q")


# -- backout counts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spilled", [False, True])
@pytest.mark.parametrize("checkpoint", [False, True])
@pytest.mark.parametrize("hardened", ["HARDENBO", "NOHARDENBO"])
def test_a_hardened_backout_count_survives_a_crash(make: Maker, hardened: str, checkpoint: bool, spilled: bool) -> None:
    machine = make([local("Q", HARDENBO=hardened)], buffers=50)
    app = machine.connect()
    fill(app, "Q", 20, persistence=1)
    if spilled:
        fill(app, "Q", 200, 20, persistence=1)
        machine.checkpoint()
    for _ in range(3):
        for _ in range(5):
            app.get("Q", syncpoint=True)
        app.backout()
    if checkpoint:
        machine.checkpoint()
    machine.log.flush()
    for _ in range(2):
        machine.crash()
        app = machine.connect()
        counts = [app.browse("Q").md.backout_count for _ in range(7)]
        if hardened == "HARDENBO":
            assert counts == [3] * 5 + [0] * 2
        else:
            assert max(counts) <= 3 and counts[5:] == [0, 0]


def test_a_hardened_count_goes_with_its_message(make: Maker) -> None:
    machine = make([local("Q", HARDENBO="HARDENBO")], buffers=20)
    app = machine.connect()
    fill(app, "Q", 100, persistence=1)
    machine.checkpoint()
    for _ in range(50):
        app.get("Q", syncpoint=True)
    app.backout()
    machine.checkpoint()
    assert len(machine.page_set(0).meta_items(BACKOUT_PREFIX)) == 50
    app.drain("Q")
    machine.checkpoint()
    assert machine.page_set(0).meta_items(BACKOUT_PREFIX) == []


# -- administration since the checkpoint ----------------------------------------------------------------------------


@pytest.mark.parametrize("checkpoint", [False, True])
def test_a_queue_that_was_cleared_stays_cleared(make: Maker, checkpoint: bool) -> None:
    machine = make(buffers=50)
    app = machine.connect()
    fill(app, "Q", 300, persistence=1)
    if checkpoint:
        machine.checkpoint()
    app.close("Q")
    assert machine.admin.clear("Q") == MQRC_NONE
    put = fill(app, "Q", 30, 500, persistence=1)
    machine.log.flush()
    for _ in range(2):
        machine.crash()
        assert machine.contents("Q") == put


def test_definitions_made_changed_and_deleted_since_the_checkpoint_are_so(make: Maker) -> None:
    machine = make([local("OLD"), local("CHANGED", DESCR="before"), local("Q")], buffers=50)
    machine.checkpoint()
    admin = machine.admin
    assert admin.define("QLOCAL", "NEW", {**DEEP, "DESCR": "new"}, False) == MQRC_NONE
    assert admin.define("QALIAS", "ALIAS", {"TARGET": "NEW"}, False) == MQRC_NONE
    assert admin.alter("QLOCAL", "CHANGED", {"DESCR": "after", "MAXDEPTH": 7}, False) == MQRC_NONE
    assert admin.delete("QLOCAL", "OLD", True) == MQRC_NONE
    put = fill(machine.connect(), "NEW", 100, persistence=1)
    machine.log.flush()
    for _ in range(2):
        machine.crash()
        assert sorted(machine.qm.queues) == ["CHANGED", "NEW", "Q"]
        assert machine.queue("CHANGED").max_depth == 7
        assert machine.queue("CHANGED").definition.text("DESCR") == "after"
        assert machine.contents("NEW") == put
        assert machine.connect().try_open("ALIAS") is not None
        machine.checkpoint()


def test_a_queue_deleted_and_defined_again_has_none_of_the_old_messages(make: Maker) -> None:
    machine = make(buffers=50)
    put: list[bytes] = []
    for number in range(3):
        app = machine.connect()
        put = fill(app, "Q", 100, number * 1000, persistence=1)
        app.close("Q")
        if number < 2:
            assert machine.admin.delete("QLOCAL", "Q", True) == MQRC_NONE
            assert machine.admin.define("QLOCAL", "Q", DEEP, False) == MQRC_NONE
    machine.log.flush()
    machine.crash()
    assert machine.contents("Q") == put


def test_a_queue_that_came_back_in_a_checkpoint_that_was_cut_off_can_be_opened() -> None:
    """The catalogue is newer than the log: replay meets the earlier queue of the name, its end, and the new one."""
    machine = one_machine()
    app = machine.connect()
    assert machine.admin.define("QLOCAL", "N", DEEP, False) == MQRC_NONE
    fill(app, "N", 1, persistence=1)
    app.close("N")
    assert machine.admin.delete("QLOCAL", "N", True) == MQRC_NONE
    assert machine.admin.define("QLOCAL", "N", DEEP, False) == MQRC_NONE
    put = fill(app, "N", 2, 10, persistence=1)
    machine.log.flush()
    machine.disk.fail_at(1)
    with pytest.raises(SimulatedCrash):
        machine.checkpoint()
    machine.crash(lose_page_sets=False)
    assert machine.contents("N") == put


def test_temporary_dynamic_queues_are_gone_and_permanent_ones_are_there(make: Maker) -> None:
    machine = make([model("TEMP.MODEL", "TEMPDYN"), model("PERM.MODEL", "PERMDYN")])
    app = machine.connect()
    names = {}
    for kind in ("TEMP", "PERM"):
        od = MQOD()
        od.object_name, od.dynamic_q_name = f"{kind}.MODEL", f"{kind}.*"
        handle = machine.qm.open(app.connection, od, MQOO_OUTPUT | MQOO_INPUT_SHARED)
        assert handle is not None
        names[kind] = handle
        app.put(handle, b"1:", persistence=1 if kind == "PERM" else 0)
    machine.log.flush()
    for restart_it in (machine.crash, machine.crash, machine.bounce):
        restart_it()
        assert list(machine.qm.queues) == [names["PERM"].resolved_name]
        assert machine.contents(names["PERM"].resolved_name) == [b"1:"]
        machine.checkpoint()
    app = machine.connect()
    handle = app.open(names["PERM"].resolved_name, MQOO_INPUT_SHARED)
    app.get(handle)
    assert machine.qm.close(app.connection, handle, MQCO_DELETE) == MQRC_NONE
    machine.log.flush()
    machine.crash()
    assert machine.qm.queues == {}


def test_a_page_set_defined_since_the_checkpoint_comes_back_with_its_queues(make: Maker) -> None:
    machine = make(buffers=50)
    admin = machine.admin
    assert admin.define("PSID", "3", {"PAGES": 5000, "BUFFPOOL": 0}, False) == MQRC_NONE
    assert admin.define("STGCLASS", "THIRD", {"PSID": 3}, False) == MQRC_NONE
    assert admin.define("QLOCAL", "T", {**DEEP, "STGCLASS": "THIRD"}, False) == MQRC_NONE
    put = fill(machine.connect(), "T", 200, persistence=1)
    machine.log.flush()
    for _ in range(2):
        machine.crash()
        assert (machine.queue("T").pager.psid, machine.contents("T")) == (3, put)
        machine.checkpoint()


# -- damage ---------------------------------------------------------------------------------------------------------


def test_a_queue_manager_that_was_never_completely_created_says_so() -> None:
    machine = one_machine()
    machine.stop()
    machine.open_page_sets = {}
    with pytest.raises(RestartFailed, match="page set 0 has no queue manager QM1: it was never completely created"):
        machine.start()


def test_another_queue_manager_is_not_started_in_its_place() -> None:
    machine = one_machine()
    machine.stop()
    log = Log.open(machine.files, machine.log_directory)
    with pytest.raises(RestartFailed, match="page set 0 has no queue manager QM2"):
        restart("QM2", machine.clock, log, machine.page_set, machine.authority)


OTHER_PAGE_SET: list[Definition] = [
    ("PSID", "1", {"BUFFPOOL": 0}),
    ("STGCLASS", "ONE", {"PSID": 1}),
    local("Q", STGCLASS="ONE"),
]


def test_a_page_set_that_is_gone_stops_the_restart(make: Maker, tmp_path: Path) -> None:
    """All that was on it would be lost without a word."""
    machine = make(OTHER_PAGE_SET)
    fill(machine.connect(), "Q", 10, persistence=1)
    machine.end()
    if machine.kind == "memory":
        del machine.open_page_sets[1]
    else:
        gone = Path(machine.directory) / "pageset" / "psid01"
        gone.rename(tmp_path / "elsewhere")
    with pytest.raises(RestartFailed, match="page set 1 is missing or empty"):
        machine.start()


def test_a_page_set_of_another_time_stops_the_restart() -> None:
    """Restored from an older copy, it lacks what the log no longer has."""
    machine = Machine("memory", None, OTHER_PAGE_SET)
    fill(machine.connect(), "Q", 10, persistence=1)
    machine.checkpoint()
    old = machine.memory(1).reopen()
    for _ in range(3):
        fill(machine.connect(), "Q", 10, persistence=1)
        machine.checkpoint()
    machine.stop()
    machine.open_page_sets[1] = old
    with pytest.raises(RestartFailed, match="page set 1 is of another time than the log"):
        machine.start()


def eventful_machine() -> Machine:
    """One whose page set 0 has something of every kind in its meta data."""
    machine = Machine("memory", None, [local("Q", HARDENBO="HARDENBO"), local("HIGH", NPMCLASS="HIGH")], 20)
    app = machine.connect()
    fill(app, "Q", 100, 100, persistence=1)
    machine.checkpoint()
    app.get("Q", syncpoint=True)
    app.backout()
    prepare_some(machine, app, puts=2, gets=1)
    machine.qm.heuristic[pack_xid(1, b"h", b"")] = True
    fill(app, "HIGH", 3)
    machine.end()
    return machine


@pytest.mark.parametrize("damage", ["cut", "longer", "empty", "ones", "gone"])
@pytest.mark.parametrize(
    "prefix",
    [OBJECT_PREFIX, NEXT_ID_KEY, GENERATION_KEY, ACCOUNT_KEY, b"queue:", BACKOUT_PREFIX, UNIT_PREFIX, HEURISTIC_KEY]
    + [KEPT_PREFIX, DOUBT_PREFIX],
    ids=lambda prefix: prefix.decode().strip(":"),
)
def test_damaged_meta_data_of_a_page_set_is_named_and_never_a_traceback(prefix: bytes, damage: str) -> None:
    """Where nothing is missed, because the record was all there was to know of something, restart goes on."""
    machine = eventful_machine()
    items = machine.memory().meta_items(prefix)
    assert items
    for key, value in items:
        damaged = {"cut": value[:-1], "longer": value + b"\1", "empty": b"", "ones": b"\xff" * len(value), "gone": None}
        damage_meta(machine, key, damaged[damage])
    try:
        machine.start()
    except RestartFailed as error:
        assert "page set 0" in str(error) or "queue manager QM1" in str(error)
    else:
        assert (prefix, damage) in {
            (BACKOUT_PREFIX, "gone"),
            (BACKOUT_PREFIX, "ones"),
            (HEURISTIC_KEY, "empty"),
            (HEURISTIC_KEY, "gone"),
            (DOUBT_PREFIX, "gone"),
            (KEPT_PREFIX, "gone"),
            (KEPT_PREFIX, "empty"),
        }


@pytest.mark.parametrize("seed", range(40))
def test_a_changed_byte_in_a_definition_gives_a_clear_message_or_another_definition(seed: int) -> None:
    machine = eventful_machine()
    random = Random(seed)
    key, value = random.choice(machine.memory().meta_items(OBJECT_PREFIX))
    changed = bytearray(value)
    for _ in range(random.randrange(1, 4)):
        changed[random.randrange(len(changed))] = random.randrange(32, 127)
    damage_meta(machine, key, bytes(changed))
    try:
        machine.start()
    except RestartFailed as error:
        assert "page set 0" in str(error) or "queue manager QM1" in str(error) or "that no page set knows" in str(error)


def test_a_message_count_that_does_not_fit_its_queue_stops_the_restart() -> None:
    machine = one_machine()
    fill(machine.connect(), "Q", 10, persistence=1)
    machine.end()
    damage_meta(machine, queue_state_key(machine.queue("Q").queue_id), struct.pack("<BQQ", 1, 11, 9))
    with pytest.raises(RestartFailed, match="page set 0 has 10 messages of Q but should have 9"):
        machine.start()


def test_messages_of_a_queue_whose_state_is_lost_stop_the_restart() -> None:
    machine = one_machine()
    fill(machine.connect(), "Q", 10, persistence=1)
    machine.end()
    damage_meta(machine, queue_state_key(machine.queue("Q").queue_id), None)
    with pytest.raises(RestartFailed, match="page set 0 has 10 messages of Q but should have 0"):
        machine.start()


@pytest.mark.parametrize("kind", [*range(12), 63])
def test_any_log_record_that_makes_no_sense_is_named_by_its_position(kind: int) -> None:
    """Its checksum is right: it was written by another release. Random bodies of every kind of record."""
    for seed in range(30):
        random = Random(seed)
        machine = one_machine()
        position = machine.log.end
        body = random.randbytes(random.choice([0, 1, 4, 12, 13, 17, 40, 130]))
        if random.random() < 0.5:
            body = machine.queue("Q").queue_id.to_bytes(4, "little") + body
        machine.qm.append(kind | ONLY, body)
        machine.log.flush()
        machine.stop()
        try:
            machine.start()
        except RestartFailed as error:
            assert f"at position {position} " in str(error) or "that no page set knows" in str(error)


def test_a_prepared_unit_with_anything_but_puts_and_gets_is_refused() -> None:
    machine = one_machine()
    machine.log_place(CLEAR | FIRST, machine.queue("Q").queue_id, 1)
    machine.qm.append(PREPARE | LAST, b"xid")
    machine.log.flush()
    machine.stop()
    with pytest.raises(RestartFailed, match="kind 7 in a prepared unit of work"):
        machine.start()


def test_a_damaged_log_is_named_with_file_and_offset(make: Maker) -> None:
    """Bytes that had been durable no longer validate; nothing is cut off and nothing started."""
    machine = make()
    app = machine.connect()
    for number in range(5):
        fill(app, "Q", 1, number, persistence=1)
        machine.log.flush()
    machine.stop()
    path = f"{machine.log_directory}/S0000000.LOG"
    if machine.kind == "memory":
        content = machine.disk.content(path)
    else:
        content = Path(path).read_bytes()
    at = content.index(b"1:....")
    damaged = content[:at] + b"?" + content[at + 1 :]
    if machine.kind == "memory":
        machine.disk.set_content(path, damaged)
    else:
        Path(path).write_bytes(damaged)
    with pytest.raises(LogDamaged, match=r"S0000000\.LOG is damaged at offset \d+ \(log position \d+\)") as caught:
        machine.start()
    assert 0 < at - caught.value.offset < 300
    if machine.kind == "memory":
        machine.disk.set_content(path, content)
    else:
        Path(path).write_bytes(content)
    machine.start()
    assert len(machine.contents("Q")) == 5


def test_a_log_of_another_queue_manager_is_refused() -> None:
    """Page sets and log that were never together."""
    one, other = one_machine(), one_machine()
    for _ in range(3):
        other.checkpoint()
    one.end()
    other.end()
    one.disk = other.disk
    with pytest.raises(RestartFailed, match="page set 0 is of another time than the log"):
        one.start()


@pytest.mark.parametrize("seed", range(15))
def test_a_damaged_page_set_file_is_named_or_harmless(tmp_path: Path, seed: int) -> None:
    """Whatever byte of its files is hit: a clear error at the start or at the first read, or all messages are there."""
    random = Random(seed)
    machine = Machine("lmdb", tmp_path, [local("Q")], buffers=40)
    put = fill(machine.connect(), "Q", 400, persistence=1)
    machine.end()
    files = [path for path in (tmp_path / "pageset").rglob("*") if path.is_file() and "lock" not in path.name]
    path = random.choice(files)
    content = bytearray(path.read_bytes())
    start = random.randrange(len(content))
    content[start : start + 64] = random.randbytes(len(content[start : start + 64]))
    path.write_bytes(content)
    try:
        machine.start()
        found = machine.connect().drain("Q")
    except (RestartFailed, PageSetError) as error:
        assert "page set" in str(error) or path.parent.parent.name in str(error)
        assert isinstance(error, RestartFailed | PageSetDamaged | PageSetError)
    else:
        assert found == put
    machine.close()


# -- the cost of a restart ------------------------------------------------------------------------------------------


def chunks_read_by_restart(messages: int) -> tuple[int, int]:
    """How many chunks a restart and then the first get by correlation id read."""
    machine = Machine("memory", None, [local("Q", INDXTYPE="CORRELID")], 2000, LogConfig(file_pages=256, linear=True))
    app = machine.connect()
    for number in range(messages):
        app.put("Q", b"x" * 100, persistence=1, correl_id=number.to_bytes(24, "little"))
    machine.checkpoint()
    machine.stop()
    before = machine.memory().statistics().chunks_read
    machine.log = Log.open(machine.files, machine.log_directory)
    machine.qm = restart("QM1", machine.clock, machine.log, machine.page_set, machine.authority)
    started = machine.memory().statistics().chunks_read
    assert machine.depth("Q") == messages
    app = machine.connect()
    wanted = (messages // 2).to_bytes(24, "little")
    assert app.get("Q", correl_id=wanted).md.correl_id == wanted
    return started - before, machine.memory().statistics().chunks_read - started


def test_restart_reads_no_messages_however_deep_the_queues_are() -> None:
    """B152 to B156: there each message is read to rebuild the indexes. Ours are on the page set: ten times the
    messages cost not one more read, and the first get by correlation id finds its message with one."""
    assert chunks_read_by_restart(5_000) == (0, 1)
    assert chunks_read_by_restart(50_000) == (0, 1)


def test_restart_reads_what_was_logged_since_the_checkpoint_and_no_more() -> None:
    machine = one_machine()
    app = machine.connect()
    fill(app, "Q", 500, persistence=1)
    machine.checkpoint()
    fill(app, "Q", 7, persistence=1)
    machine.log.flush()
    machine.crash()
    assert machine.log.counters.records_replayed == 7
    assert machine.qm.records_since_checkpoint == 7


def test_replay_knows_every_kind_of_record_there_is() -> None:
    """A kind that is written but not replayed would be found at the first restart after it."""
    machine = one_machine()
    replay = Replay(machine.qm)
    machine.qm.replaying = True
    queue_id = machine.queue("Q").queue_id
    place = struct.pack("<IQB", queue_id, 5, 0)
    bodies = {
        GET: place,
        GETS: place + place,
        CLEAR: place,
        BACKOUT: place + bytes(4),
        RESOLVE: b"\1xid",
        PREPARE: b"xid",
        OBJECT: machine.queue("Q").definition.to_record(),
        DELETE: (77).to_bytes(4, "little") + b"QLOCAL\0X",
        9: b"xid",
    }
    for kind, body in bodies.items():
        replay.record(1, kind | ONLY, body)
    replay.finish()
    machine.qm.in_doubt.clear()
    machine.qm.replaying = False
    assert machine.connect().get("Q").reason == MQRC_NO_MSG_AVAILABLE


def test_what_is_put_after_a_clear_and_a_crash_is_not_cleared_by_the_next_restart() -> None:
    """R1: the CLEAR is replayed twice. What it cleared had numbers that no other record has."""
    machine = Machine("memory", None, [("QLOCAL", "Q", {"MAXDEPTH": 999_999_999})], buffers=30)
    app = machine.connect()
    for _ in range(5):
        app.put("Q", b"cleared", persistence=0)
    app.close("Q")
    assert machine.admin.clear("Q") == MQRC_NONE
    machine.log.flush()
    machine.crash()
    app = machine.connect()
    app.put("Q", b"kept", persistence=1)
    machine.log.flush()
    pager_of(machine.queue("Q")).relieve([machine.queue("Q")], 30, False)  # It is on the page set now,
    machine.kill()  # which is newer than the CLEAR.
    machine.start()
    assert machine.contents("Q") == [b"kept"]
