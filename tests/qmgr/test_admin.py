"""Administration on a live engine: what each command does, what it refuses, and that a restart finds the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from flintmq.catalogue.attribute import Value
from flintmq.catalogue.attributes import settable_defaults
from flintmq.command.administration import Administration
from flintmq.command.defaults import default_objects, q_mgr_attributes
from flintmq.command.display import render
from flintmq.command.execute import execute
from flintmq.log import LZ4, NONE, Log, LogConfig
from flintmq.log.files import RealFiles
from flintmq.mqi.constants import (
    MQGMO_NO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
    MQWI_UNLIMITED,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.calls import Calls, create, restart
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.clock import Clock
from flintmq.qmgr.connect import connect
from flintmq.qmgr.connection import WAITING, Connection, Handle
from flintmq.qmgr.security import Authority
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSet

NOON = 1_769_860_800_000  # 2026-01-31 12:00:00


class World:
    """A queue manager with a real log and page sets that survive its restart."""

    def __init__(self, directory: str) -> None:
        self.files = RealFiles()
        self.directory = directory
        self.page_sets: dict[int, MemoryPageSet] = {}
        self.clock = Clock(NOON)
        Log.create(self.files, directory, LogConfig(file_pages=64))
        self.log = Log.open(self.files, directory)
        list(self.log.replay())
        objects: list[tuple[str, str, dict[str, Value]]] = [("QMGR", "QM1", q_mgr_attributes("QM1"))]
        objects += [(row.kind, row.name, row.attributes) for row in default_objects()]
        self.qm = create("QM1", self.clock, self.log, self.page_set, Authority(), objects)
        self.admin = Admin(self.qm)
        self.connect()

    def page_set(self, psid: int) -> PageSet:
        return self.page_sets.setdefault(psid, MemoryPageSet())

    def connect(self) -> None:
        _, connection = connect(self.qm, "test", "me")
        assert connection is not None
        self.connection: Connection = connection

    def restart(self) -> None:
        """As after a crash: the log is flushed, nothing else is done."""
        self.log.flush()
        self.log.abandon()
        self.log = Log.open(self.files, self.directory)
        self.qm = restart("QM1", self.clock, self.log, self.page_set, Authority())
        self.admin = Admin(self.qm)
        self.connect()
        self.qm.check()

    def define(self, name: str, kind: str = "QLOCAL", replace: bool = False, **changes: Value) -> int:
        return self.admin.define(kind, name, {**settable_defaults(kind), **changes}, replace)

    def open(self, name: str, options: int = MQOO_OUTPUT | MQOO_INPUT_SHARED) -> Handle:
        od = MQOD()
        od.object_name = name
        handle = self.qm.open(self.connection, od, options)
        assert handle is not None, self.connection.reason
        return handle

    def put(self, handle: Handle, data: bytes = b"x", options: int = MQPMO_NO_SYNCPOINT, persistence: int = 1) -> None:
        md, pmo = MQMD(), MQPMO()
        md.persistence = persistence
        pmo.options = options
        assert self.qm.put(self.connection, handle, md, pmo, data) == 0

    def put_to(self, name: str, data: bytes = b"x", persistence: int = 1) -> None:
        """Put one message and leave the queue closed."""
        handle = self.open(name, MQOO_OUTPUT)
        self.put(handle, data, persistence=persistence)
        self.close(handle)

    def close(self, handle: Handle) -> None:

        assert self.qm.close(self.connection, handle) == 0

    def read(self, name: str) -> list[bytes]:
        """Get everything on a queue."""
        handle = self.open(name, MQOO_INPUT_SHARED)
        result: list[bytes] = []
        while True:
            gmo = MQGMO()
            gmo.options = MQGMO_NO_SYNCPOINT
            if self.qm.get(self.connection, handle, MQMD(), gmo):
                self.close(handle)
                return result
            result.append(self.connection.data)


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(str(tmp_path_factory.mktemp("log")))
    yield world
    world.qm.check()
    world.log.abandon()


def test_it_is_what_the_command_layer_asks_for(world: World) -> None:
    administration: Administration = world.admin
    assert administration.name == "QM1"


def test_a_queue_that_is_defined_can_be_used_at_once_and_is_there_after_a_restart(world: World) -> None:
    assert world.define("A", MAXDEPTH=7) == 0
    assert world.admin.force == world.log.end
    world.put_to("A", b"1")
    world.restart()
    assert world.qm.queues["A"].max_depth == 7
    assert world.read("A") == [b"1"]


def test_a_new_object_carries_its_creation_and_a_changed_one_its_alteration_date(world: World) -> None:
    world.define("A")
    world.clock.advance(90_000)
    world.admin.alter("QLOCAL", "A", {"DESCR": "changed"}, False)
    attributes = next(each for each in world.admin.objects("QLOCAL") if each.name == "A").attributes
    assert (attributes["CRDATE"], attributes["CRTIME"]) == ("2026-01-31", "12.00.00")
    assert (attributes["ALTDATE"], attributes["ALTTIME"]) == ("2026-01-31", "12.01.30")


def test_a_name_is_taken_by_a_queue_of_any_kind(world: World) -> None:
    world.define("A")
    assert world.define("A") == 4001
    assert world.define("A", "QALIAS") == 4001
    assert world.define("A", "QALIAS", replace=True) == 4002


def test_replace_keeps_the_messages(world: World) -> None:
    world.define("A")
    world.put_to("A", b"kept")
    assert world.define("A", replace=True, MAXDEPTH=3) == 0
    assert world.qm.queues["A"].max_depth == 3
    assert world.read("A") == [b"kept"]


def test_what_does_not_exist_is_2085(world: World) -> None:
    assert world.admin.alter("QLOCAL", "NO", {"MAXDEPTH": 1}, False) == 2085
    assert world.admin.delete("QLOCAL", "NO", False) == 2085
    assert world.admin.clear("NO") == 2085


def test_disabling_get_ends_waits_with_2016(world: World) -> None:
    world.define("A")
    gmo = MQGMO()
    gmo.options = MQGMO_WAIT | MQGMO_NO_SYNCPOINT
    gmo.wait_interval = MQWI_UNLIMITED
    assert world.qm.get(world.connection, world.open("A"), MQMD(), gmo) == WAITING
    assert world.admin.alter("QLOCAL", "A", {"GET": "DISABLED"}, False) == 0
    assert world.connection.reason == 2016
    assert len(world.qm.woken) == 1


def test_disabling_get_on_an_alias_ends_the_waits_that_came_through_it(world: World) -> None:
    world.define("A")
    world.define("ALIAS", "QALIAS", TARGET="A")
    gmo = MQGMO()
    gmo.options = MQGMO_WAIT | MQGMO_NO_SYNCPOINT
    gmo.wait_interval = MQWI_UNLIMITED
    assert world.qm.get(world.connection, world.open("ALIAS", MQOO_INPUT_SHARED), MQMD(), gmo) == WAITING
    assert world.admin.alter("QALIAS", "ALIAS", {"GET": "DISABLED"}, False) == 0
    assert world.connection.reason == 2016


def test_the_index_type_cannot_change_while_there_are_messages(world: World) -> None:
    world.define("A")
    world.put_to("A")
    assert world.admin.alter("QLOCAL", "A", {"INDXTYPE": "CORRELID"}, True) == 2055
    assert world.admin.clear("A") == 0
    assert world.admin.alter("QLOCAL", "A", {"INDXTYPE": "CORRELID"}, False) == 0


def test_usage_changes_with_messages_only_by_force(world: World) -> None:
    world.define("A")
    world.put_to("A")
    assert world.admin.alter("QLOCAL", "A", {"USAGE": "XMITQ"}, False) == 3210
    assert world.admin.alter("QLOCAL", "A", {"USAGE": "XMITQ"}, True) == 0
    assert world.qm.queues["A"].rules.transmission


def test_noshare_needs_force_while_two_have_it_open_for_input(world: World) -> None:
    world.define("A")
    world.open("A")
    assert world.admin.alter("QLOCAL", "A", {"SHARE": "NOSHARE"}, False) == 0
    assert world.admin.alter("QLOCAL", "A", {"SHARE": "SHARE"}, False) == 0
    world.define("B")
    world.open("B")
    world.open("B")
    assert world.admin.alter("QLOCAL", "B", {"SHARE": "NOSHARE"}, False) == 3210
    assert world.admin.alter("QLOCAL", "B", {"SHARE": "NOSHARE"}, True) == 0


def test_the_target_of_an_alias_needs_force_while_it_is_open(world: World) -> None:
    world.define("A")
    world.define("B")
    world.define("ALIAS", "QALIAS", TARGET="A")
    handle = world.open("ALIAS", MQOO_OUTPUT)
    assert world.admin.alter("QALIAS", "ALIAS", {"TARGET": "B"}, False) == 3210
    assert world.admin.alter("QALIAS", "ALIAS", {"DESCR": "no matter"}, False) == 0
    world.close(handle)
    assert world.admin.alter("QALIAS", "ALIAS", {"TARGET": "B"}, False) == 0


def test_a_queue_is_deleted_when_it_is_closed_and_empty_or_purged(world: World) -> None:
    world.define("A")
    handle = world.open("A")
    assert world.admin.delete("QLOCAL", "A", True) == 2042
    world.put(handle)
    world.close(handle)
    assert world.admin.delete("QLOCAL", "A", False) == 2055
    assert world.admin.delete("QLOCAL", "A", True) == 0
    assert "A" not in world.qm.queues
    world.restart()
    assert "A" not in world.qm.queues


def test_uncommitted_messages_keep_a_queue_from_being_deleted_or_cleared(world: World) -> None:
    world.define("A")
    handle = world.open("A")
    world.put(handle, options=MQPMO_SYNCPOINT)
    world.close(handle)
    assert world.admin.delete("QLOCAL", "A", True) == 2042
    assert world.admin.clear("A") == 2042
    world.qm.commit(world.connection)
    assert world.admin.clear("A") == 0
    assert world.qm.queues["A"].depth == 0


def test_cleared_messages_do_not_come_back_with_a_restart(world: World) -> None:
    world.define("A")
    for number in range(5):
        world.put_to("A", b"%d" % number)
    checkpoint(world.qm)
    world.put_to("A", b"after the checkpoint")
    assert world.admin.clear("A") == 0
    world.put_to("A", b"after the clear")
    world.restart()
    assert world.read("A") == [b"after the clear"]


# -- storage ----------------------------------------------------------------------------------------------------------


def psid_of(world: World, name: str) -> int:
    return world.qm.queues[name].pager.psid


def test_an_empty_queue_moves_to_the_page_set_of_its_new_storage_class(world: World) -> None:
    world.define("A")
    assert psid_of(world, "A") == 4
    world.put_to("A")
    assert world.admin.alter("QLOCAL", "A", {"STGCLASS": "SYSTEM"}, True) == 2055
    assert psid_of(world, "A") == 4
    world.admin.clear("A")
    assert world.admin.alter("QLOCAL", "A", {"STGCLASS": "SYSTEM"}, False) == 0
    assert psid_of(world, "A") == 1
    world.put_to("A", b"here")
    world.restart()
    assert psid_of(world, "A") == 1
    assert world.read("A") == [b"here"]


@pytest.mark.parametrize("when", ["before", "between", "after", "never"])
def test_a_queue_that_moved_is_found_after_a_restart_wherever_the_last_checkpoint_was(world: World, when: str) -> None:
    world.define("A")
    world.put_to("A", b"old")
    if when == "before":
        checkpoint(world.qm)
    assert world.read("A") == [b"old"]
    assert world.admin.alter("QLOCAL", "A", {"STGCLASS": "SYSTEM"}, False) == 0
    if when == "between":
        checkpoint(world.qm)
    world.put_to("A", b"new")
    if when == "after":
        checkpoint(world.qm)
    world.restart()
    assert psid_of(world, "A") == 1
    checkpoint(world.qm)
    world.restart()
    assert world.read("A") == [b"new"]


def test_a_queue_that_moved_there_and_back_has_nothing_twice(world: World) -> None:
    world.define("A")
    checkpoint(world.qm)
    for round_number, storage_class in enumerate(("SYSTEM", "DEFAULT", "SYSTEM", "DEFAULT")):
        assert world.admin.alter("QLOCAL", "A", {"STGCLASS": storage_class}, False) == 0
        world.put_to("A", b"%d" % round_number)
        if round_number == 2:
            checkpoint(world.qm)
        if round_number < 3:
            world.read("A")
    world.restart()
    assert psid_of(world, "A") == 4
    assert world.read("A") == [b"3"]


def test_a_storage_class_moves_its_empty_queues_and_no_others(world: World) -> None:
    world.define("CLASS1", "STGCLASS", PSID=2)
    world.define("A", STGCLASS="CLASS1")
    world.define("B", STGCLASS="CLASS1")
    world.put_to("B")
    assert world.admin.alter("STGCLASS", "CLASS1", {"PSID": 3}, False) == 2055
    assert psid_of(world, "A") == psid_of(world, "B") == 2
    world.admin.clear("B")
    assert world.admin.alter("STGCLASS", "CLASS1", {"PSID": 3}, False) == 0
    assert psid_of(world, "A") == psid_of(world, "B") == 3
    world.put_to("B", b"3")
    world.restart()
    assert psid_of(world, "B") == 3
    assert world.read("B") == [b"3"]


def test_page_sets_and_pools_come_and_go_while_the_queue_manager_runs(world: World) -> None:
    assert world.define("9", "BUFFPOOL", BUFFERS=100) == 0
    assert world.define("9", "PSID", BUFFPOOL=9, PAGES=200, EXPAND="NONE") == 0
    assert world.define("NINE", "STGCLASS", PSID=9) == 0
    assert world.define("A", STGCLASS="NINE", MAXDEPTH=1000) == 0
    world.put_to("A", b"on nine")
    assert world.qm.pools[9].used == 1
    for kind, name in (("BUFFPOOL", "9"), ("PSID", "9"), ("STGCLASS", "NINE"), ("PSID", "0"), ("BUFFPOOL", "0")):
        assert world.admin.delete(kind, name, False) == 2042
    world.restart()
    assert world.read("A") == [b"on nine"]
    assert world.admin.delete("QLOCAL", "A", False) == 0
    assert world.admin.delete("STGCLASS", "NINE", False) == 0
    assert world.admin.delete("PSID", "9", False) == 0
    assert world.admin.delete("BUFFPOOL", "9", False) == 0
    assert 9 not in world.qm.pagers
    world.restart()
    assert world.qm.catalogue.find("PSID", "9") is None


def test_a_page_set_that_is_defined_late_takes_over_its_queues_if_they_are_empty(world: World) -> None:
    """A storage class may name a page set that does not exist yet: until it does, its queues are on page set 0."""
    world.define("LATE", "STGCLASS", PSID=8)
    world.define("A", STGCLASS="LATE")
    assert psid_of(world, "A") == 0
    world.put_to("A")
    assert world.define("8", "PSID") == 2055
    world.admin.clear("A")
    assert world.define("8", "PSID") == 0
    assert psid_of(world, "A") == 8


def test_the_buffers_of_a_page_set_are_counted_in_the_pool_it_is_given(world: World) -> None:
    world.define("9", "BUFFPOOL", BUFFERS=100)
    world.define("A")
    world.put_to("A")
    before = world.qm.queues["A"].pool
    assert world.admin.alter("PSID", "4", {"BUFFPOOL": 9}, False) == 0
    assert world.qm.pools[9].used == 1
    assert before.used == 0


def test_messages_that_were_spilled_before_the_crash_are_there_once(world: World) -> None:
    """A queue that was defined after the last checkpoint may have messages on its page set already."""
    world.define("9", "BUFFPOOL", BUFFERS=400)
    world.define("9", "PSID", BUFFPOOL=9)
    world.define("NINE", "STGCLASS", PSID=9)
    world.define("A", STGCLASS="NINE", MAXDEPTH=5000)
    sent = [b"%d" % number for number in range(1000)]
    handle = world.open("A", MQOO_OUTPUT)
    for data in sent:
        world.put(handle, data)
    assert world.qm.queues["A"].spilled_count > 0
    world.restart()
    assert world.qm.queues["A"].depth == 1000
    world.restart()
    assert world.read("A") == sent


# -- what is shown ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "pages"), [(100, 1), (3635, 1), (3636, 2), (7683, 2), (7684, 3), (11731, 3)])
def test_usage_counts_pages_by_size_class(world: World, length: int, pages: int) -> None:
    """B135: 0-3635 bytes take one page, then one more for each 4048. B131: an index page for 72 messages."""
    world.define("A")
    before = next(row for row in world.admin.page_set_usage() if row["PSID"] == 4)
    world.put_to("A", bytes(length))
    world.put_to("A", bytes(length), persistence=0)
    after = next(row for row in world.admin.page_set_usage() if row["PSID"] == 4)
    assert (after["PERSIST"], after["NONPERS"]) == (pages, pages)
    assert int(str(before["UNUSED"])) - int(str(after["UNUSED"])) == 2 * pages + 1
    assert after["MESSAGES"] == 2


def test_live_values_stand_in_the_copies_of_definitions(world: World) -> None:
    world.define("A")
    world.put(world.open("A"))
    copy = next(each for each in world.admin.objects("QLOCAL") if each.name == "A")
    assert [copy.attributes[word] for word in ("CURDEPTH", "IPPROCS", "OPPROCS")] == [1, 1, 1]
    copy.attributes["MAXDEPTH"] = 1
    assert world.qm.queues["A"].definition.attributes["MAXDEPTH"] == 5000


def test_queue_status_has_times_only_while_it_is_monitored(world: World) -> None:
    world.define("A")
    world.put_to("A")
    world.clock.advance(5000)
    row = world.admin.queue_status("A")
    assert (row["CURDEPTH"], row["MONQ"], row["LPUTDATE"], row["UNCOM"]) == (1, "OFF", "", "NO")
    world.admin.alter("QLOCAL", "A", {"MONQ": "MEDIUM"}, False)
    row = world.admin.queue_status("A")
    assert (row["LPUTDATE"], row["LPUTTIME"], row["MSGAGE"]) == ("2026-01-31", "12.00.00", 5)


def test_handles_and_connections_say_who_and_how(world: World) -> None:
    world.define("A")
    handle = world.open("A")
    (row,) = world.admin.queue_handles("A")
    assert (row["APPLTAG"], row["INPUT"], row["OUTPUT"], row["BROWSE"]) == ("test", "SHARED", "YES", "NO")
    (connection,) = world.admin.connections()
    name = str(connection["CONN"])
    assert len(name) == 16 and connection["UOWSTATE"] == "NONE"
    assert world.admin.connection_handles(name)[0]["OBJNAME"] == "A"
    world.put(handle, options=MQPMO_SYNCPOINT)
    assert world.admin.connections()[0]["UOWSTATE"] == "ACTIVE"


def test_a_stopped_connection_is_backed_out(world: World) -> None:
    world.define("A")
    world.put(world.open("A"), options=MQPMO_SYNCPOINT)
    name = str(world.admin.connections()[0]["CONN"])
    assert world.admin.stop_connection("0" * 16) == 3174
    assert world.admin.stop_connection(name) == 0
    assert world.qm.queues["A"].depth == 0
    assert world.admin.connections() == []


def test_reset_statistics_tells_and_starts_again(world: World) -> None:
    world.define("A")
    for _ in range(3):
        world.put_to("A")
    world.read("A")
    world.clock.advance(60_000)
    assert world.admin.reset_queue_statistics("A") == {"HIQDEPTH": 3, "MSGSIN": 3, "MSGSOUT": 3, "RESETINT": 60}
    assert world.admin.reset_queue_statistics("A") == {"HIQDEPTH": 0, "MSGSIN": 0, "MSGSOUT": 0, "RESETINT": 0}


def test_set_log_compression_is_in_force_at_once(world: World) -> None:
    assert world.admin.log_status()["COMPLOG"] == "NONE"
    assert world.admin.set_log({"COMPLOG": "LZ4"}) == 0
    assert world.log.compression == LZ4
    assert world.admin.log_status()["COMPLOG"] == "LZ4"
    world.admin.set_log({"COMPLOG": "NONE"})
    assert world.log.compression == NONE


def test_logload_decides_when_a_checkpoint_is_due(world: World) -> None:
    world.define("A")
    world.admin.set_system({"LOGLOAD": 200})
    checkpoint(world.qm)
    assert world.admin.system_status()["LOGLOAD"] == 200
    handle = world.open("A")
    for _ in range(199):
        world.put(handle)
    assert not world.qm.needs_checkpoint()
    world.put(handle)
    assert world.qm.needs_checkpoint()


def test_a_new_statistics_interval_waits_for_the_running_one(world: World) -> None:
    world.admin.set_system({"STATIME": "5.00"})
    row = world.admin.system_status()
    assert (row["STATIME"], row["NEWSTATIME"]) == ("30.00", "5.00")
    world.clock.advance(30 * 60 * 1000)
    row = world.admin.system_status()
    assert row["STATIME"] == "5.00" and "NEWSTATIME" not in row


def test_commands_for_a_linear_log_are_refused_on_a_circular_one(world: World) -> None:
    assert world.admin.reset_qmgr("ADVANCELOG") == 3175
    assert world.admin.reset_qmgr("REDUCELOG") == 0
    assert world.admin.reset_qmgr("STATISTICS") == 0


def test_altering_the_queue_manager_takes_effect(world: World) -> None:
    assert world.admin.alter("QMGR", "QM1", {"MAXUMSGS": 5, "DEADQ": "DLQ"}, False) == 0
    assert (world.qm.max_uncommitted, world.qm.dead_letter_queue) == (5, "DLQ")
    world.restart()
    assert (world.qm.max_uncommitted, world.qm.dead_letter_queue) == (5, "DLQ")
    assert isinstance(world.qm, Calls)


def test_what_set_log_and_set_system_change_outlives_a_restart(tmp_path: Path) -> None:
    """Through the embedded API, because the host is who tells the log (B114)."""
    with flintmq.open(tmp_path / "QM") as qm:
        qm.mqsc("SET LOG COMPLOG(RLE)")
        qm.mqsc("SET SYSTEM LOGLOAD(5000)")
    with flintmq.open(tmp_path / "QM") as qm:
        assert "COMPLOG(RLE)" in str(qm.mqsc("DISPLAY LOG"))
        assert "LOGLOAD(5000)" in str(qm.mqsc("DISPLAY SYSTEM"))


def test_a_queue_that_is_altered_to_trigger_looks_at_what_is_on_it(tmp_path: Path) -> None:
    """T13a: ALTER comes to the same as MQSET."""
    with flintmq.open(tmp_path / "QM") as qm:
        qm.mqsc("DEFINE QLOCAL(INIT)")
        qm.mqsc("DEFINE PROCESS(P) APPLICID('run')")
        app = qm.queue("APP", create=True)
        app.put(b"waits already")
        init = qm.queue("INIT")
        init.get_or_none()  # Opens it for input, as a trigger monitor does.
        qm.mqsc("ALTER QLOCAL(APP) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(P)")
        assert init.get_or_none() is not None


def test_authority_is_asked_as_the_user_who_gives_the_command(world: World) -> None:
    class OnlyLooks(Authority):
        def may_command(self, user: str, verb: str, object_kind: str, name: str) -> bool:
            return user == "root" or (verb == "DISPLAY" and name != "SECRET")

    world.define("SECRET")
    world.qm.authority = OnlyLooks()
    world.admin.user = "me"
    assert "AMQ8135E" in render(execute("CLEAR QLOCAL(SECRET)", world.admin))[0]
    assert "AMQ8135E" in render(execute("DEFINE QLOCAL(NEW)", world.admin))[0]
    assert "AMQ8409I" in render(execute("DISPLAY QLOCAL(SYSTEM.ADMIN.QMGR.EVENT)", world.admin))[0]
    assert "QUEUE(SECRET)" not in "".join(render(execute("DISPLAY QLOCAL(*)", world.admin)))
    world.admin.user = "root"
    assert "AMQ8022I" in render(execute("CLEAR QLOCAL(SECRET)", world.admin))[0]
