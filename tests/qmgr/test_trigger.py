"""Triggering. T1 to T13 are the conditions of trigger.py, which are those of MQ's manual."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flintmq.catalogue.attribute import Value
from flintmq.mqi.constants import MQAT_UNIX, MQAT_UNKNOWN, MQOO_INPUT_SHARED, MQOO_OUTPUT, MQOO_SET
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.reason import MQRC_Q_FULL
from flintmq.mqi.tm import MQTM
from flintmq.qmgr.connection import Handle
from tests.qmgr.driver import App, Driver


class Triggered:
    """An application queue, an initiation queue with a trigger monitor, and a putter."""

    def __init__(self, **queue: Value) -> None:
        values: dict[str, Value] = {
            "TRIGGER": "TRIGGER",
            "TRIGTYPE": "FIRST",
            "INITQ": "INIT",
            "PROCESS": "PROC",
            "TRIGDATA": "data for it",
        }
        process: dict[str, Value] = {"APPLICID": "server -x", "ENVRDATA": "env", "USERDATA": "user", "APPLTYPE": "UNIX"}
        self.driver = Driver(
            ("QLOCAL", "Q", values | queue),
            ("QLOCAL", "INIT", {"DEFPRTY": 4, "MAXDEPTH": 5}),
            ("QLOCAL", "DEAD", {}),
            ("PROCESS", "PROC", process),
            DEADQ="DEAD",
            TRIGINT=1000,
        )
        self.monitor = self.driver.app("monitor")
        self.initiation: Handle = self.monitor.open("INIT", MQOO_INPUT_SHARED)
        self.putter = self.driver.app("putter")
        self.out = self.putter.open("Q", MQOO_OUTPUT)

    def put(self, count: int = 1, priority: int = 0) -> None:
        for _ in range(count):
            assert self.putter.put(self.out, b"work", priority=priority) == 0

    def triggers(self) -> int:
        """How many trigger messages there were since the last time."""
        return len(self.monitor.all(self.initiation))


@pytest.fixture
def first() -> Iterator[Triggered]:
    triggered = Triggered()
    yield triggered
    triggered.driver.qm.check()


def server(triggered: Triggered) -> tuple[App, Handle]:
    app = triggered.driver.app("server")
    return app, app.open("Q", MQOO_INPUT_SHARED)


def test_the_trigger_message_says_what_to_start(first: Triggered) -> None:
    first.put()

    assert first.monitor.get(first.initiation) == 0
    md = first.monitor.md
    assert (md.format, md.priority, md.persistence) == ("MQTRIG", 4, 0)
    tm = MQTM.unpack(first.monitor.data)
    assert (tm.q_name, tm.process_name, tm.trigger_data) == ("Q", "PROC", "data for it")
    assert (tm.appl_type, tm.appl_id, tm.env_data, tm.user_data) == (MQAT_UNIX, "server -x", "env", "user")


def test_first_triggers_when_the_queue_was_empty_and_not_again(first: Triggered) -> None:
    """T1, T3."""
    first.put(3)
    assert first.triggers() == 1


def test_first_triggers_again_after_the_trigger_interval(first: Triggered) -> None:
    """T11."""
    first.put(2)
    first.driver.clock.advance(999)
    first.put()
    assert first.triggers() == 1
    first.driver.clock.advance(1)
    first.put()
    assert first.triggers() == 1


def test_first_triggers_again_when_the_queue_has_been_emptied(first: Triggered) -> None:
    """T3."""
    first.put()
    app, q = server(first)
    assert app.all(q) == [b"work"]
    assert app.close(q) == 0
    first.put()
    assert first.triggers() == 2


def test_nothing_is_triggered_while_the_queue_is_open_for_input(first: Triggered) -> None:
    """T4."""
    server(first)
    first.put(2)
    assert first.triggers() == 0


def test_a_close_with_messages_left_triggers(first: Triggered) -> None:
    """T12: the server found the queue empty, a message came, the server closed."""
    app, q = server(first)
    first.put()
    assert app.close(q) == 0
    assert first.triggers() == 1


def test_a_close_of_one_of_two_servers_does_not_trigger(first: Triggered) -> None:
    """T12: only the last."""
    app, q = server(first)
    other, q2 = server(first)
    first.put()
    assert app.close(q) == 0
    assert first.triggers() == 0
    other.abandon()
    assert first.triggers() == 1


def test_a_get_that_is_backed_out_by_the_end_of_its_program_triggers_by_the_close(first: Triggered) -> None:
    """T12, note 2."""
    app, q = server(first)
    first.put()
    assert app.get(q, syncpoint=True) == 0
    app.abandon()
    assert first.triggers() == 1


def test_every_triggers_for_each_message_even_while_open_for_input() -> None:
    """T3, T4."""
    triggered = Triggered(TRIGTYPE="EVERY")
    triggered.put(2)
    server(triggered)
    triggered.put()
    assert triggered.triggers() == 3


def test_depth_triggers_at_the_depth_and_turns_triggering_off() -> None:
    """T3, T9: TRIGGER itself is changed."""
    triggered = Triggered(TRIGTYPE="DEPTH", TRIGDPTH=3)
    triggered.put(2)
    assert triggered.triggers() == 0
    triggered.put(4)
    assert triggered.triggers() == 1
    assert triggered.driver.queue("Q").definition.text("TRIGGER") == "NOTRIGGER"
    triggered.driver.alter("Q", {"TRIGGER": "TRIGGER"})
    assert triggered.triggers() == 1


def test_depth_triggers_above_the_depth_if_it_could_not_before() -> None:
    """T11: the initiation queue was not open when the depth was reached."""
    triggered = Triggered(TRIGTYPE="DEPTH", TRIGDPTH=2)
    assert triggered.monitor.close(triggered.initiation) == 0
    triggered.put(5)
    other = triggered.driver.app()
    closed_in_between = other.open("Q", MQOO_INPUT_SHARED)
    triggered.initiation = triggered.monitor.open("INIT", MQOO_INPUT_SHARED)
    assert triggered.triggers() == 0
    assert other.close(closed_in_between) == 0
    assert triggered.triggers() == 1


@pytest.mark.parametrize("sequence", ["PRIORITY", "FIFO"])
def test_only_messages_of_sufficient_priority_count(sequence: str) -> None:
    """T2, T3."""
    triggered = Triggered(TRIGMPRI=5, MSGDLVSQ=sequence)
    triggered.put(3, priority=4)
    assert triggered.triggers() == 0
    triggered.put(2, priority=5)
    assert triggered.triggers() == 1


def test_depth_counts_messages_of_sufficient_priority() -> None:
    """T2, T3."""
    triggered = Triggered(TRIGTYPE="DEPTH", TRIGDPTH=2, TRIGMPRI=5)
    triggered.put(5, priority=1)
    triggered.put(priority=9)
    assert triggered.triggers() == 0
    triggered.put(priority=5)
    assert triggered.triggers() == 1


def test_an_uncommitted_put_triggers_at_commit(first: Triggered) -> None:
    for _ in range(3):
        assert first.putter.put(first.out, syncpoint=True) == 0
    assert first.triggers() == 0
    assert first.putter.commit() == 0
    assert first.triggers() == 1


@pytest.mark.parametrize(("kind", "expected"), [("FIRST", 1), ("DEPTH", 1), ("EVERY", 0)])
def test_a_put_that_is_backed_out_triggers_unless_every(kind: str, expected: int) -> None:
    triggered = Triggered(TRIGTYPE=kind)
    assert triggered.putter.put(triggered.out, syncpoint=True) == 0
    assert triggered.putter.backout() == 0
    assert triggered.triggers() == expected


def test_no_process_no_trigger_unless_it_is_a_transmission_queue() -> None:
    """T6."""
    missing = Triggered(PROCESS="NOT.THERE")
    missing.put()
    assert missing.triggers() == 0
    blank = Triggered(PROCESS="")
    blank.put()
    assert blank.triggers() == 0
    transmission = Triggered(PROCESS="", USAGE="XMITQ", TRIGDATA="TO.QM2")
    transmission.put()
    assert transmission.monitor.get(transmission.initiation) == 0
    tm = MQTM.unpack(transmission.monitor.data)
    assert (tm.process_name, tm.trigger_data, tm.appl_type, tm.appl_id) == ("", "TO.QM2", MQAT_UNKNOWN, "")


@pytest.mark.parametrize("change", [{"GET": "DISABLED"}, {"PUT": "DISABLED"}, {"USAGE": "XMITQ"}])
def test_an_initiation_queue_that_cannot_be_used_triggers_nothing(first: Triggered, change: dict[str, Value]) -> None:
    """T7."""
    first.driver.alter("INIT", change)
    first.put()
    assert first.driver.queue("INIT").depth == 0


def test_puts_to_the_initiation_queue_allowed_again_trigger(first: Triggered) -> None:
    """T13b."""
    first.driver.alter("INIT", {"PUT": "DISABLED"})
    first.put(2)
    first.driver.alter("INIT", {"PUT": "ENABLED"})
    assert first.triggers() == 1


def test_gets_allowed_again_trigger(first: Triggered) -> None:
    """T5, T13c."""
    first.driver.alter("Q", {"GET": "DISABLED"})
    first.put()
    assert first.triggers() == 0
    first.driver.alter("Q", {"GET": "ENABLED"})
    assert first.triggers() == 1


@pytest.mark.parametrize("kind", ["FIRST", "EVERY", "DEPTH"])
def test_a_trigger_monitor_that_starts_hears_of_what_is_there(kind: str) -> None:
    """T8, T13d: once, however many messages there are."""
    triggered = Triggered(TRIGTYPE=kind, TRIGDPTH=2)
    triggered.monitor.disconnect()
    triggered.put(3)
    triggered.monitor = triggered.driver.app("monitor")
    triggered.initiation = triggered.monitor.open("INIT", MQOO_INPUT_SHARED)
    assert triggered.triggers() == 1
    second = triggered.driver.app("second monitor")
    second.open("INIT", MQOO_INPUT_SHARED)
    assert triggered.triggers() == 0


def test_triggering_turned_on_triggers_for_what_is_there() -> None:
    """T9, T13a, through MQSET."""
    from flintmq.mqi.constants import MQIA_TRIGGER_CONTROL, MQTC_ON

    triggered = Triggered(TRIGGER="NOTRIGGER")
    triggered.put()
    assert triggered.triggers() == 0
    setter = triggered.putter.open("Q", MQOO_SET)
    connection = triggered.putter.connection
    assert triggered.driver.qm.set_attributes(connection, setter, [MQIA_TRIGGER_CONTROL], [MQTC_ON]) == 0
    assert triggered.triggers() == 1


def test_trigger_type_none_triggers_nothing() -> None:
    """T10."""
    triggered = Triggered(TRIGTYPE="NONE")
    triggered.put()
    assert triggered.triggers() == 0


def test_a_trigger_message_that_does_not_fit_goes_to_the_dead_letter_queue() -> None:
    triggered = Triggered(TRIGTYPE="EVERY")
    triggered.put(6)
    dead = triggered.monitor.open("DEAD", MQOO_INPUT_SHARED)
    assert triggered.monitor.get(dead) == 0
    assert triggered.monitor.md.format == "MQDEAD"
    header = MQDLH.unpack(triggered.monitor.data)
    assert (header.reason, header.dest_q_name, header.format) == (MQRC_Q_FULL, "INIT", "MQTRIG")
    assert MQTM.unpack(triggered.monitor.data, 172).q_name == "Q"
    triggered.driver.alter("DEAD", {"PUT": "DISABLED"})
    triggered.put()
    assert [number for number, _ in triggered.driver.qm.notices] == ["FMQ2002E"]


def test_a_trigger_message_does_not_trigger() -> None:
    """An initiation queue that is triggered by itself would never end."""
    triggered = Triggered(TRIGTYPE="EVERY")
    triggered.driver.alter("INIT", {"TRIGGER": "TRIGGER", "TRIGTYPE": "EVERY", "INITQ": "INIT", "PROCESS": "PROC"})
    triggered.put()
    assert triggered.triggers() == 1


def test_a_waiting_trigger_monitor_is_woken(first: Triggered) -> None:
    first.monitor.get(first.initiation, wait_ms=-1)
    first.put()
    assert first.driver.woken() == ["monitor"]
    assert MQTM.unpack(first.monitor.data).q_name == "Q"
