"""Instrumentation events: what makes one, what it says, and how performance events switch one another."""

from __future__ import annotations

import pytest

from flintmq.catalogue.attribute import Value
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.pcf import PCFMessage, parse
from flintmq.qmgr import event
from flintmq.qmgr.connect import connect
from flintmq.qmgr.security import Authority
from tests.qmgr.driver import Driver

QMGR_EVENTS = "SYSTEM.ADMIN.QMGR.EVENT"
PERFM_EVENTS = "SYSTEM.ADMIN.PERFM.EVENT"


class Watched:
    """A queue manager with event queues, and names that lead nowhere."""

    def __init__(self, queue: dict[str, Value], authority: Authority | None = None, **q_mgr: Value) -> None:
        self.driver = Driver(
            ("QLOCAL", "Q", queue),
            ("QALIAS", "ALIAS", {"TARGET": "Q"}),
            ("QALIAS", "LOST", {"TARGET": "NOWHERE"}),
            ("QALIAS", "WRONG", {"TARGET": "ALIAS"}),
            ("QREMOTE", "AWAY", {"RNAME": "THERE", "RQMNAME": "QM2", "XMITQ": "NO.XMITQ"}),
            ("QREMOTE", "USAGE", {"RNAME": "THERE", "RQMNAME": "QM2", "XMITQ": "Q"}),
            ("QLOCAL", QMGR_EVENTS, {"DEFPRTY": 3}),
            ("QLOCAL", PERFM_EVENTS, {}),
            authority=authority,
            **q_mgr,
        )
        self.qm = self.driver.qm

    def events(self, name: str) -> list[PCFMessage]:
        """All events on an event queue, which are taken off it."""
        found = []
        queue = self.driver.queue(name)
        message = queue.first_available()
        while message is not None:
            assert (message.format, message.put_appl_type, message.persistence) == ("MQEVENT", mq.MQAT_QMGR, 0)
            parsed = parse(message.data)
            assert parsed.header.type == pcf.MQCFT_EVENT and parsed.header.comp_code == 1
            assert parsed.string(mq.MQCA_Q_MGR_NAME) == "QM1"
            found.append(parsed)
            queue.remove(message)
            message = queue.first_available()
        return found

    def reasons(self, name: str) -> list[int]:
        return [each.header.reason for each in self.events(name)]


# -- queue manager events ----------------------------------------------------------------------------------------


def test_inhibited_puts_and_gets_make_events_with_the_name_that_was_opened() -> None:
    watched = Watched({"PUT": "DISABLED", "GET": "DISABLED"}, INHIBTEV="ENABLED")
    app = watched.driver.app("payroll")
    q = app.open("ALIAS")
    assert app.put(q) == 2051
    assert app.get(q) == 2016

    put_event, get_event = watched.events(QMGR_EVENTS)
    assert (put_event.header.reason, put_event.header.command) == (2051, pcf.MQCMD_Q_MGR_EVENT)
    assert put_event.string(mq.MQCA_Q_NAME) == "ALIAS"
    assert put_event.string(pcf.MQCACF_APPL_NAME) == "payroll"
    assert put_event.integer(mq.MQIA_APPL_TYPE) == mq.MQAT_UNIX
    assert get_event.header.reason == 2016
    watched.qm.check()


def test_events_that_are_not_enabled_are_not_made() -> None:
    watched = Watched({"PUT": "DISABLED", "QDPMAXEV": "ENABLED", "MAXDEPTH": 0})
    app = watched.driver.app()
    q = app.open("Q")
    assert app.put(q) == 2051
    app.refused_open("NOT.THERE")
    app.refused_open("AWAY", mq.MQOO_OUTPUT)
    watched.driver.alter("Q", {"PUT": "ENABLED"})
    assert app.put(q) == 2053
    assert watched.reasons(QMGR_EVENTS) == watched.reasons(PERFM_EVENTS) == []


def test_names_that_lead_nowhere_make_local_events() -> None:
    watched = Watched({}, LOCALEV="ENABLED")
    app = watched.driver.app()
    assert app.refused_open("NOT.THERE") == 2085
    assert app.refused_open("LOST") == 2082
    assert app.refused_open("WRONG") == 2001
    assert app.refused_open("AWAY", mq.MQOO_OUTPUT) == 2196
    assert app.refused_open("NO.PROC", mq.MQOO_INQUIRE, mq.MQOT_PROCESS) == 2085

    unknown, base, kind, process = watched.events(QMGR_EVENTS)
    assert unknown.header.reason == 2085 and unknown.string(mq.MQCA_Q_NAME) == "NOT.THERE"
    assert base.header.reason == 2082 and base.string(mq.MQCA_BASE_OBJECT_NAME) == "NOWHERE"
    assert kind.header.reason == 2001 and kind.integer(mq.MQIA_Q_TYPE) == mq.MQQT_ALIAS
    assert process.string(mq.MQCA_PROCESS_NAME) == "NO.PROC"


def test_ways_to_other_queue_managers_that_do_not_exist_make_remote_events() -> None:
    watched = Watched({}, REMOTEEV="ENABLED")
    app = watched.driver.app()
    assert app.refused_open("NOT.THERE") == 2085
    assert app.refused_open("AWAY", mq.MQOO_OUTPUT) == 2196
    assert app.refused_open("USAGE", mq.MQOO_OUTPUT) == 2092
    assert app.put1("ANY", q_mgr="QM9") == 2087

    missing, usage, unknown = watched.events(QMGR_EVENTS)
    assert missing.header.reason == 2196 and missing.string(mq.MQCA_XMIT_Q_NAME) == "NO.XMITQ"
    assert usage.header.reason == 2092 and usage.string(mq.MQCA_XMIT_Q_NAME) == "Q"
    assert unknown.header.reason == 2087 and unknown.string(pcf.MQCACF_OBJECT_Q_MGR_NAME) == "QM9"


class Strict(Authority):
    """Nobody but admin may do anything; user may connect."""

    def may_connect(self, user: str) -> bool:
        return user in ("user", "admin")

    def may_open(self, user: str, object_kind: str, name: str, options: int) -> bool:
        return user == "admin"


def test_refusals_for_want_of_authority_make_events_of_their_type() -> None:
    watched = Watched({}, authority=Strict(), AUTHOREV="ENABLED")
    assert connect(watched.qm, "intruder", "eve")[0] == 2035
    app = watched.driver.app("app")
    assert app.refused_open("Q", mq.MQOO_OUTPUT) == 2035
    event.not_authorised(watched.qm, "eve", "", "QMGR", "QM1", 4, 0, pcf.MQCMD_CLEAR_Q)

    connection, opened, command = watched.events(QMGR_EVENTS)
    assert connection.integer(pcf.MQIACF_REASON_QUALIFIER) == pcf.MQRQ_CONN_NOT_AUTHORIZED
    assert connection.string(pcf.MQCACF_USER_IDENTIFIER) == "eve"
    assert connection.string(pcf.MQCACF_APPL_NAME) == "intruder"
    assert opened.integer(pcf.MQIACF_REASON_QUALIFIER) == pcf.MQRQ_OPEN_NOT_AUTHORIZED
    assert opened.integer(pcf.MQIACF_OPEN_OPTIONS) == mq.MQOO_OUTPUT
    assert opened.string(mq.MQCA_Q_NAME) == "Q"
    assert command.integer(pcf.MQIACF_REASON_QUALIFIER) == pcf.MQRQ_CMD_NOT_AUTHORIZED
    assert command.integer(pcf.MQIACF_COMMAND) == pcf.MQCMD_CLEAR_Q


def test_start_and_stop_make_events_unless_disabled() -> None:
    watched = Watched({})
    event.queue_manager_active(watched.qm)
    event.queue_manager_not_active(watched.qm, True)
    event.queue_manager_not_active(watched.qm, False)

    active, quiesced, stopped = watched.events(QMGR_EVENTS)
    assert active.header.reason == 2222
    assert quiesced.header.reason == stopped.header.reason == 2223
    assert quiesced.integer(pcf.MQIACF_REASON_QUALIFIER) == pcf.MQRQ_Q_MGR_QUIESCING
    assert stopped.integer(pcf.MQIACF_REASON_QUALIFIER) == pcf.MQRQ_Q_MGR_STOPPING
    silent = Watched({}, STRSTPEV="DISABLED")
    event.queue_manager_active(silent.qm)
    assert silent.reasons(QMGR_EVENTS) == []


def test_an_event_whose_queue_is_missing_or_full_is_counted_and_nothing_else() -> None:
    driver = Driver(("QLOCAL", "Q", {"PUT": "DISABLED"}), INHIBTEV="ENABLED")
    app = driver.app()
    assert app.put(app.open("Q")) == 2051
    assert (event.state(driver.qm).put, event.state(driver.qm).dropped) == (0, 1)

    watched = Watched({"PUT": "DISABLED"}, INHIBTEV="ENABLED", PERFMEV="ENABLED")
    watched.driver.alter(QMGR_EVENTS, {"MAXDEPTH": 1})
    app = watched.driver.app()
    q = app.open("Q")
    assert [app.put(q), app.put(q)] == [2051, 2051]
    state = event.state(watched.qm)
    assert (state.put, state.dropped, state.last_dropped_reason) == (1, 1, 2053)
    watched.qm.check()


def test_an_event_message_has_the_defaults_of_its_queue() -> None:
    watched = Watched({"PUT": "DISABLED"}, INHIBTEV="ENABLED")
    app = watched.driver.app()
    assert app.put(app.open("Q")) == 2051
    message = watched.driver.queue(QMGR_EVENTS).first_available()
    assert message is not None and (message.priority, message.put_appl_name) == (3, "QM1")


# -- depth events ------------------------------------------------------------------------------------------------


def test_depth_events_switch_one_another() -> None:
    """High, low and full: the attribute of the queue itself says which comes next."""
    watched = Watched({"MAXDEPTH": 10, "QDPHIEV": "ENABLED", "QDPMAXEV": "DISABLED"}, PERFMEV="ENABLED")
    app = watched.driver.app()
    q = app.open("Q")
    values = watched.driver.queue("Q").definition.attributes

    for _ in range(7):
        assert app.put(q) == 0
    assert watched.reasons(PERFM_EVENTS) == []
    assert app.put(q) == 0
    assert watched.reasons(PERFM_EVENTS) == [2224]
    assert (values["QDPHIEV"], values["QDPLOEV"], values["QDPMAXEV"]) == ("DISABLED", "ENABLED", "ENABLED")

    assert [app.put(q) for _ in range(4)] == [0, 0, 2053, 2053]
    assert watched.reasons(PERFM_EVENTS) == [2053]
    assert values["QDPMAXEV"] == "DISABLED"

    for _ in range(7):
        assert app.get(q) == 0
    assert watched.reasons(PERFM_EVENTS) == []
    assert app.get(q) == 0
    assert watched.reasons(PERFM_EVENTS) == [2225]
    assert (values["QDPHIEV"], values["QDPLOEV"], values["QDPMAXEV"]) == ("ENABLED", "DISABLED", "ENABLED")
    assert app.all(q) == [b"x", b"x"]
    assert watched.reasons(PERFM_EVENTS) == []
    watched.qm.check()


def test_a_performance_event_carries_the_statistics_and_resets_them() -> None:
    watched = Watched({"MAXDEPTH": 10, "QDPHIEV": "ENABLED"}, PERFMEV="ENABLED")
    app = watched.driver.app()
    q = app.open("Q")
    watched.driver.clock.advance(12_000)
    for _ in range(3):
        assert app.put(q) == 0
    assert app.get(q) == 0
    for _ in range(6):
        assert app.put(q) == 0

    (high,) = watched.events(PERFM_EVENTS)
    assert high.header.command == pcf.MQCMD_PERFM_EVENT
    assert high.string(mq.MQCA_BASE_Q_NAME) == "Q"
    assert high.integer(mq.MQIA_TIME_SINCE_RESET) == 12
    assert high.integer(mq.MQIA_HIGH_Q_DEPTH) == 8
    assert high.integer(mq.MQIA_MSG_ENQ_COUNT) == 9
    assert high.integer(mq.MQIA_MSG_DEQ_COUNT) == 1

    watched.driver.clock.advance(3_000)
    for _ in range(6):
        assert app.get(q) == 0
    (low,) = watched.events(PERFM_EVENTS)
    assert low.integer(mq.MQIA_TIME_SINCE_RESET) == 3
    assert low.integer(mq.MQIA_HIGH_Q_DEPTH) == 8
    assert low.integer(mq.MQIA_MSG_ENQ_COUNT) == 0
    assert low.integer(mq.MQIA_MSG_DEQ_COUNT) == 6


def test_depth_high_comes_with_an_uncommitted_put_and_low_with_an_uncommitted_get() -> None:
    """U3: CURDEPTH grows with a put and falls with a get, committed or not."""
    watched = Watched({"MAXDEPTH": 2, "QDEPTHHI": 100, "QDEPTHLO": 0, "QDPHIEV": "ENABLED"}, PERFMEV="ENABLED")
    app = watched.driver.app()
    q = app.open("Q")
    assert [app.put(q, syncpoint=True), app.put(q, syncpoint=True)] == [0, 0]
    assert watched.reasons(PERFM_EVENTS) == [2224]
    assert app.commit() == 0
    assert [app.get(q, syncpoint=True), app.get(q, syncpoint=True)] == [0, 0]
    assert watched.reasons(PERFM_EVENTS) == [2225]
    assert app.commit() == 0
    assert watched.reasons(PERFM_EVENTS) == []


def test_the_event_queue_tells_of_itself_without_end() -> None:
    watched = Watched({"MAXDEPTH": 1, "QDPHIEV": "ENABLED"}, PERFMEV="ENABLED")
    watched.driver.alter(PERFM_EVENTS, {"MAXDEPTH": 2, "QDEPTHHI": 50, "QDPHIEV": "ENABLED"})
    app = watched.driver.app()
    assert app.put(app.open("Q")) == 0
    events = watched.events(PERFM_EVENTS)
    assert [each.string(mq.MQCA_BASE_Q_NAME) for each in events] == ["Q", PERFM_EVENTS]


# -- service interval events -------------------------------------------------------------------------------------


@pytest.fixture
def slow() -> Watched:
    return Watched({"QSVCIEV": "HIGH", "QSVCINT": 100}, PERFMEV="ENABLED")


def test_a_get_after_the_service_interval_is_high_and_the_next_in_time_is_ok(slow: Watched) -> None:
    app = slow.driver.app()
    q = app.open("Q")
    assert app.put(q) == 0
    slow.driver.clock.advance(101)
    assert app.get(q) == 0
    assert slow.reasons(PERFM_EVENTS) == [2226]
    assert slow.driver.queue("Q").definition.text("QSVCIEV") == "OK"

    slow.driver.clock.advance(500)
    assert app.put(q) == 0
    slow.driver.clock.advance(100)
    assert app.get(q) == 0
    assert slow.reasons(PERFM_EVENTS) == [2227]
    assert slow.driver.queue("Q").definition.text("QSVCIEV") == "HIGH"


def test_a_put_notices_that_nobody_gets(slow: Watched) -> None:
    app = slow.driver.app()
    q = app.open("Q")
    assert app.put(q) == 0
    slow.driver.clock.advance(101)
    assert app.put(q) == 0
    assert slow.reasons(PERFM_EVENTS) == [2226]
    assert app.put(q) == 0
    assert slow.reasons(PERFM_EVENTS) == []


def test_each_get_that_leaves_messages_starts_the_service_timer_again(slow: Watched) -> None:
    app = slow.driver.app()
    q = app.open("Q")
    for _ in range(3):
        assert app.put(q) == 0
    for _ in range(3):
        slow.driver.clock.advance(100)
        assert app.get(q) == 0
    assert slow.reasons(PERFM_EVENTS) == []


def test_ok_comes_only_from_a_get() -> None:
    watched = Watched({"QSVCIEV": "OK", "QSVCINT": 100}, PERFMEV="ENABLED")
    app = watched.driver.app()
    q = app.open("Q")
    assert [app.put(q), app.put(q)] == [0, 0]
    assert watched.reasons(PERFM_EVENTS) == []
    assert app.get(q, syncpoint=True) == 0
    assert watched.reasons(PERFM_EVENTS) == [2227]


def test_a_waiting_getter_is_in_time() -> None:
    watched = Watched({"QSVCIEV": "OK", "QSVCINT": 0}, PERFMEV="ENABLED")
    app = watched.driver.app()
    q = app.open("Q")
    app.get(q, wait_ms=-1)
    putter = watched.driver.app()
    assert putter.put(putter.open("Q")) == 0
    assert watched.driver.woken() == ["app"]
    assert watched.reasons(PERFM_EVENTS) == [2227]
    watched.qm.check()
