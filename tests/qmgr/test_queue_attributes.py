"""Queue attributes that change behaviour, and dynamic queues."""

from __future__ import annotations

import pytest

from flintmq.catalogue.attribute import Value
from flintmq.log import Log, LogConfig
from flintmq.mqi import constants as mq
from flintmq.qmgr.calls import Calls, create, restart
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.clock import Clock
from flintmq.qmgr.security import Authority
from flintmq.store.memory_pageset import MemoryPageSet
from tests.qmgr.driver import START_MS, App, Driver
from tests.simulation.disk import SimulatedDisk

INPUT = mq.MQOO_INPUT_AS_Q_DEF
SHARED = mq.MQOO_INPUT_SHARED
EXCLUSIVE = mq.MQOO_INPUT_EXCLUSIVE
OUTPUT = mq.MQOO_OUTPUT


def with_queue(alias: dict[str, Value] | None = None, **values: Value) -> Driver:
    return Driver(("QLOCAL", "Q", dict(values)), ("QALIAS", "ALIAS", {"TARGET": "Q", **(alias or {})}))


# -- GET, PUT ----------------------------------------------------------------------------------------------------


def test_inhibited_puts_and_gets_fail_and_change_nothing() -> None:
    driver = with_queue()
    app = driver.app()
    q = app.open("Q")
    assert app.put(q, b"m") == 0
    driver.alter("Q", {"PUT": "DISABLED", "GET": "DISABLED"})
    assert app.put(q) == 2051
    assert app.put1("Q") == 2051
    assert app.get(q) == 2016
    assert app.get(q, mq.MQGMO_BROWSE_FIRST) == 2016
    assert driver.queue("Q").depth == 1
    driver.alter("Q", {"PUT": "ENABLED", "GET": "ENABLED"})
    assert app.get(q) == 0
    driver.qm.check()


def test_an_alias_inhibits_what_goes_through_it() -> None:
    driver = with_queue({"PUT": "DISABLED", "GET": "DISABLED"})
    app = driver.app()
    direct, through = app.open("Q"), app.open("ALIAS")
    assert app.put(through) == 2051
    assert app.put1("ALIAS") == 2051
    assert app.put(direct) == 0
    assert app.get(through) == 2016
    assert app.get(direct) == 0
    driver.alter("ALIAS", {"PUT": "ENABLED", "GET": "ENABLED"})
    assert app.put(through) == 0
    assert app.get(through) == 0


def test_an_alias_does_not_allow_what_its_queue_inhibits() -> None:
    driver = with_queue(PUT="DISABLED", GET="DISABLED")
    app = driver.app()
    through = app.open("ALIAS")
    assert app.put(through) == 2051
    assert app.get(through) == 2016


# -- limits ------------------------------------------------------------------------------------------------------


def test_maxdepth_counts_uncommitted_messages() -> None:
    driver = with_queue(MAXDEPTH=2)
    app = driver.app()
    q = app.open("Q")
    assert app.put(q) == 0
    assert app.put(q, syncpoint=True) == 0
    assert app.put(q) == 2053
    assert app.put1("Q") == 2053
    assert app.backout() == 0
    assert app.put(q) == 0
    driver.alter("Q", {"MAXDEPTH": 1})
    assert app.put(q) == 2053
    assert app.all(q) == [b"x", b"x"]
    driver.alter("Q", {"MAXDEPTH": 0})
    assert app.put(q) == 2053
    driver.qm.check()


def test_a_message_may_be_too_big_for_the_queue_or_for_the_queue_manager() -> None:
    driver = Driver(("QLOCAL", "Q", {"MAXMSGL": 10}), ("QLOCAL", "LARGE", {"MAXMSGL": 100_000}), MAXMSGL=32_768)
    app = driver.app()
    q, large = app.open("Q"), app.open("LARGE")
    assert app.put(q, bytes(10)) == 0
    assert app.put(q, bytes(11)) == 2030
    assert app.put(large, bytes(32_768)) == 0
    assert app.put(large, bytes(32_769)) == 2031
    driver.qm.check()


# -- defaults ----------------------------------------------------------------------------------------------------


def test_persistence_and_priority_come_from_what_was_opened() -> None:
    driver = with_queue({"DEFPSIST": "NO", "DEFPRTY": 2}, DEFPSIST="YES", DEFPRTY=7)
    app = driver.app()
    for name, persistence, priority in (("Q", 1, 7), ("ALIAS", 0, 2)):
        q = app.open(name)
        assert app.put(q, persistence=mq.MQPER_PERSISTENCE_AS_Q_DEF) == 0
        assert app.get(q) == 0
        assert (app.md.persistence, app.md.priority) == (persistence, priority)
        assert app.put(q, persistence=1, priority=4) == 0
        assert app.get(q) == 0
        assert (app.md.persistence, app.md.priority) == (1, 4)


def test_a_priority_above_the_maximum_is_a_warning_and_counts_as_the_maximum() -> None:
    """The descriptor keeps what the application said."""
    driver = with_queue()
    app = driver.app()
    q = app.open("Q")
    assert app.put(q, b"nine", priority=9) == 0
    assert app.put(q, b"ten", priority=10) == 2049
    assert app.completion == 1
    assert app.get(q) == 0 and app.data == b"nine"
    assert app.get(q) == 0 and (app.data, app.md.priority) == (b"ten", 10)
    assert app.put(q, priority=-2) == 2050
    assert app.put(q, persistence=3) == 2047


@pytest.mark.parametrize(("sequence", "expected"), [("PRIORITY", [b"d", b"b", b"a", b"c"]), ("FIFO", list(b"abcd"))])
def test_msgdlvsq(sequence: str, expected: list[bytes]) -> None:
    driver = with_queue(MSGDLVSQ=sequence)
    app = driver.app()
    q = app.open("Q")
    for text, priority in ((b"a", 1), (b"b", 5), (b"c", 1), (b"d", 9)):
        assert app.put(q, text, priority=priority) == 0
    assert app.all(q) == [text if isinstance(text, bytes) else bytes([text]) for text in expected]


def test_msgdlvsq_may_be_changed_with_messages_on_the_queue() -> None:
    """Messages stay where they are; new ones go by the new rule, behind those of higher lanes."""
    driver = with_queue(MSGDLVSQ="PRIORITY")
    app = driver.app()
    q = app.open("Q")
    assert app.put(q, b"high", priority=9) == 0
    driver.alter("Q", {"MSGDLVSQ": "FIFO"})
    assert app.put(q, b"first", priority=9) == 0
    assert app.put(q, b"second", priority=9) == 0
    assert app.all(q) == [b"high", b"first", b"second"]
    driver.qm.check()


# -- sharing -----------------------------------------------------------------------------------------------------


def test_exclusive_input_keeps_other_input_out_but_not_browsers() -> None:
    driver = with_queue()
    one, two = driver.app(), driver.app()
    mine = one.open("Q", EXCLUSIVE)
    assert two.refused_open("Q", SHARED) == 2042
    assert two.refused_open("ALIAS", EXCLUSIVE) == 2042
    assert one.refused_open("Q", SHARED) == 2042
    assert two.open("Q", mq.MQOO_BROWSE | OUTPUT)
    assert one.close(mine) == 0
    assert two.open("Q", SHARED) and one.open("Q", SHARED)
    assert one.refused_open("Q", EXCLUSIVE) == 2042
    driver.qm.check()


def test_noshare_makes_every_input_exclusive() -> None:
    driver = with_queue(SHARE="NOSHARE", DEFSOPT="SHARED")
    one, two = driver.app(), driver.app()
    for options in (SHARED, INPUT, EXCLUSIVE):
        mine = one.open("Q", options)
        assert two.refused_open("Q", options) == 2042
        assert one.close(mine) == 0


def test_defsopt_decides_for_input_as_q_def() -> None:
    shared, exclusive = with_queue(DEFSOPT="SHARED"), with_queue(DEFSOPT="EXCL")
    assert shared.app().open("Q", INPUT) and shared.app().open("Q", INPUT)
    assert exclusive.app().open("Q", INPUT)
    assert exclusive.app().refused_open("Q", INPUT) == 2042


def test_the_end_of_a_connection_gives_its_claim_back() -> None:
    driver = with_queue()
    one, two = driver.app(), driver.app()
    one.open("Q", EXCLUSIVE)
    one.abandon()
    assert two.open("Q", EXCLUSIVE)


# -- USAGE -------------------------------------------------------------------------------------------------------


def test_only_a_transmission_queue_leads_to_another_queue_manager() -> None:
    remote: dict[str, Value] = {"RNAME": "THERE", "RQMNAME": "QM2", "XMITQ": "X"}
    driver = Driver(("QLOCAL", "X", {"USAGE": "NORMAL"}), ("QREMOTE", "AWAY", remote))
    app = driver.app()
    assert app.refused_open("AWAY", OUTPUT) == 2092
    driver.alter("X", {"USAGE": "XMITQ"})
    away = app.open("AWAY", OUTPUT)
    assert app.put(away) == 0
    assert driver.queue("X").depth == 1
    assert app.refused_open("AWAY", OUTPUT | SHARED) == 2045
    driver.qm.check()


# -- HARDENBO ----------------------------------------------------------------------------------------------------


class Machine:
    """A queue manager with a real log, on a disk that survives a crash as far as it was synced."""

    def __init__(self, **queue: Value) -> None:
        self.disk = SimulatedDisk()
        self.pages = MemoryPageSet(True)
        Log.create(self.disk, "/log", LogConfig(file_pages=16, primary=3, secondary=2), bytes(16))
        log = Log.open(self.disk, "/log")
        list(log.replay())
        model: dict[str, Value] = {"DEFTYPE": "PERMDYN"}
        objects: list[tuple[str, str, dict[str, Value]]] = [
            ("QMGR", "QM1", {}),
            ("QLOCAL", "Q", dict(queue)),
            ("QMODEL", "PERM", model),
            ("QMODEL", "TEMP", {}),
        ]
        self.qm: Calls = create("QM1", Clock(START_MS), log, lambda psid: self.pages, Authority(), objects)

    def app(self) -> App:
        return App(self.qm)

    def crash(self) -> None:
        """Lose what was not synced; restart."""
        self.disk = self.disk.kill()
        self.pages = self.pages.crash(self.pages.unsynced)
        log = Log.open(self.disk, "/log")
        self.qm = restart("QM1", Clock(START_MS + 1), log, lambda psid: self.pages, Authority())
        self.qm.check()


@pytest.mark.parametrize(("hardened", "expected"), [("HARDENBO", 2), ("NOHARDENBO", 0)])
@pytest.mark.parametrize("spilled", [False, True])
def test_the_backout_count_survives_a_crash_only_if_it_is_hardened(hardened: str, expected: int, spilled: bool) -> None:
    machine = Machine(HARDENBO=hardened)
    app = machine.app()
    q = app.open("Q")
    assert app.put(q, b"m", persistence=1) == 0
    if spilled:
        checkpoint(machine.qm)
    for _ in range(2):
        assert app.get(q, syncpoint=True) == 0
        assert app.backout() == 0
    machine.qm.log.flush()
    machine.crash()
    app = machine.app()
    assert app.get(app.open("Q")) == 0
    assert (app.data, app.md.backout_count) == (b"m", expected)


# -- dynamic queues ----------------------------------------------------------------------------------------------


def with_models() -> Driver:
    return Driver(
        ("QMODEL", "TEMP", {"MAXDEPTH": 9, "DESCR": "made"}),
        ("QMODEL", "PERM", {"DEFTYPE": "PERMDYN", "SHARE": "SHARE", "DEFSOPT": "SHARED"}),
        ("QLOCAL", "Q", {}),
    )


def test_an_open_of_a_model_makes_a_queue_and_says_its_name() -> None:
    driver = with_models()
    app = driver.app()
    q = app.open("TEMP", dynamic="REPLY.TO.ME")
    assert (app.od.object_name, app.od.object_q_mgr_name) == ("REPLY.TO.ME", "QM1")
    queue = driver.queue("REPLY.TO.ME")
    assert (queue.max_depth, queue.definition.text("DESCR"), queue.definition.text("DEFTYPE")) == (9, "made", "TEMPDYN")
    other = driver.app()
    assert other.put(other.open("REPLY.TO.ME", OUTPUT), b"reply") == 0
    assert app.all(q) == [b"reply"]


def test_a_name_that_ends_in_an_asterisk_is_made_unique() -> None:
    driver = with_models()
    app = driver.app()
    names = set()
    for _ in range(20):
        app.open("TEMP", dynamic="AMQ.*")
        names.add(app.od.object_name)
    assert len(names) == 20
    assert all(name.startswith("AMQ.") and len(name) == 20 for name in names)
    app.open("TEMP", dynamic="L" * 32 + "*")
    assert len(app.od.object_name) == 48
    app.open("TEMP", dynamic="*")
    assert app.refused_open("TEMP", dynamic="WITH BLANK*") == 2011
    assert app.refused_open("TEMP", dynamic="") == 2011
    assert app.refused_open("TEMP", dynamic="Q") == 2100
    driver.qm.check()


def test_a_temporary_queue_takes_no_persistent_messages() -> None:
    driver = with_models()
    app = driver.app()
    assert app.put(app.open("TEMP"), persistence=1) == 2048
    assert app.put(app.open("PERM"), persistence=1) == 0


def test_a_temporary_queue_goes_with_the_handle_that_made_it_and_all_that_is_on_it() -> None:
    driver = with_models()
    maker, other, waiting = driver.app("maker"), driver.app("other"), driver.app("waiting")
    made = maker.open("TEMP", OUTPUT | SHARED, dynamic="T")
    assert maker.put(made, b"committed") == 0
    theirs = other.open("T", OUTPUT)
    assert other.put(theirs, b"uncommitted", syncpoint=True) == 0
    assert maker.close(made) == 0
    assert "T" not in driver.qm.queues and driver.qm.catalogue.find("QUEUE", "T") is None
    assert other.put(theirs) == 2052
    assert other.commit() == 0
    assert other.close(theirs) == 0
    assert waiting.refused_open("T") == 2085
    driver.qm.check()


def test_the_end_of_its_maker_takes_a_temporary_queue_along() -> None:
    driver = with_models()
    maker = driver.app()
    maker.open("TEMP", dynamic="T")
    maker.abandon()
    assert driver.app().refused_open("T") == 2085
    driver.qm.check()


def test_a_get_that_waits_on_a_temporary_queue_hears_that_it_is_deleted() -> None:
    driver = Driver(("QMODEL", "TEMP", {"SHARE": "SHARE"}))
    maker, waiting = driver.app("maker"), driver.app("waiting")
    made = maker.open("TEMP", OUTPUT, dynamic="T")
    waiting.get(waiting.open("T", SHARED), wait_ms=-1)
    assert maker.close(made) == 0
    assert driver.woken() == ["waiting"] and waiting.connection.reason == 2052


def test_a_permanent_queue_stays_until_it_is_deleted_by_a_close() -> None:
    driver = with_models()
    app = driver.app()
    made = app.open("PERM", dynamic="P")
    assert app.put(made, b"m") == 0
    assert app.close(made) == 0
    again = app.open("P")
    assert app.close(again, mq.MQCO_DELETE) == 2055
    assert app.get(again) == 0
    other = driver.app()
    theirs = other.open("P", OUTPUT)
    assert app.close(again, mq.MQCO_DELETE) == 2042
    assert other.close(theirs) == 0
    assert app.close(again, mq.MQCO_DELETE) == 0
    assert app.refused_open("P") == 2085
    driver.qm.check()


def test_delete_purge_takes_the_messages_along_unless_they_are_uncommitted() -> None:
    driver = with_models()
    app = driver.app()
    made = app.open("PERM", dynamic="P")
    assert app.put(made, b"m") == 0
    assert app.put(made, b"u", syncpoint=True) == 0
    assert app.close(made, mq.MQCO_DELETE_PURGE) == 2042
    assert app.commit() == 0
    assert app.close(made, mq.MQCO_DELETE_PURGE) == 0
    assert app.refused_open("P") == 2085
    driver.qm.check()


def test_close_options_that_do_not_fit() -> None:
    driver = with_models()
    app = driver.app()
    q = app.open("Q")
    assert app.close(q, mq.MQCO_DELETE | mq.MQCO_DELETE_PURGE) == 2046
    assert app.close(q, 0x80) == 2046
    assert app.close(q, mq.MQCO_DELETE) == 2045
    assert app.close(q) == 0
    assert app.close(q) == 2019


def test_permanent_queues_survive_a_crash_and_temporary_ones_do_not() -> None:
    machine = Machine()
    app = machine.app()
    permanent = app.open("PERM", dynamic="P")
    temporary = app.open("TEMP", dynamic="T")
    assert app.put(permanent, b"kept", persistence=1) == 0
    assert app.put(temporary, b"lost") == 0
    if machine.qm.log.durable < machine.qm.log.end:
        machine.qm.log.flush()
    checkpoint(machine.qm)
    machine.crash()
    app = machine.app()
    assert app.all(app.open("P")) == [b"kept"]
    assert app.refused_open("T") == 2085
