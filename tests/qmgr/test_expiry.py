"""Scans for expired messages (B97-B107): when they begin, what they take, what they leave alone; and CAPEXPRY."""

from __future__ import annotations

import pytest

from flintmq.log import LogConfig
from flintmq.mqi.constants import MQGMO_BROWSE_FIRST, MQGMO_LOCK, MQMT_REPORT, MQRO_EXPIRATION_WITH_FULL_DATA
from flintmq.mqi.md import MQMD
from flintmq.mqi.pcf_constants import MQRCCF_CUSTOM_ERROR
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_NONE
from flintmq.mqi.xqh import MQXQH
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.calls import Calls
from flintmq.qmgr.expiring import NO_CAP, cap_of, capped, custom_is_good, lowest_cap
from flintmq.qmgr.expiry import refresh, scan
from flintmq.qmgr.get import expire_waits
from flintmq.qmgr.lane import Expiring, check_expiring
from flintmq.qmgr.message import Message
from flintmq.qmgr.topic_tree import TopicTree
from tests.qmgr.conftest import START_MS, App, Engine
from tests.qmgr.machine import Machine, fill
from tests.qmgr.test_topic_tree import topic


def run(qm: Calls) -> int:
    """Do all that is due, as a host does; returns how many messages went."""
    before = qm.counters.expired
    while 0 < qm.next_deadline() <= qm.clock.now_ms():
        expire_waits(qm)
    return qm.counters.expired - before


@pytest.fixture
def app(engine: Engine) -> App:
    """EXPRYINT is 60 seconds."""
    engine.alter("QM1", {"EXPRYINT": 60}, "QMGR")
    return engine.connect()


# -- the period ------------------------------------------------------------------------------------------------------


def test_without_expryint_nobody_looks_for_expired_messages(engine: Engine) -> None:
    """B99: the default is OFF."""
    app = engine.connect()
    app.put("Q", b"1", expiry=10)
    engine.clock.advance(10_000_000)

    assert engine.qm.definition().attributes["EXPRYINT"] == "OFF"
    assert engine.qm.next_deadline() == 0
    assert run(engine.qm) == 0 and engine.depth("Q") == 1


def test_the_period_is_expryint_seconds_for_all_queues_together(engine: Engine, app: App) -> None:
    """B99."""
    engine.define("QLOCAL", "OTHER")
    for name in ("Q", "OTHER"):
        app.put(name, b"soon", expiry=10)
        app.put(name, b"later", expiry=700)
        app.put(name, b"never")
    engine.clock.advance(59_999)
    assert engine.qm.next_deadline() == START_MS + 60_000
    assert run(engine.qm) == 0

    engine.clock.advance(1)

    assert run(engine.qm) == 2
    assert (engine.depth("Q"), engine.depth("OTHER")) == (2, 2)
    assert engine.qm.next_deadline() == START_MS + 120_000
    engine.clock.advance(60_000)
    assert run(engine.qm) == 2
    assert app.drain("Q") == app.drain("OTHER") == [b"never"]


def test_altering_expryint_takes_effect_at_once(engine: Engine, app: App) -> None:
    admin = Admin(engine.qm)
    app.put("Q", b"1", expiry=10)
    engine.clock.advance(30_000)
    assert admin.alter("QMGR", "QM1", {"EXPRYINT": 5}, False) == MQRC_NONE
    assert engine.qm.next_deadline() == START_MS + 35_000
    assert admin.alter("QMGR", "QM1", {"EXPRYINT": "OFF"}, False) == MQRC_NONE
    assert engine.qm.next_deadline() == 0
    assert admin.alter("QMGR", "QM1", {"EXPRYINT": 1}, False) == MQRC_NONE
    engine.clock.advance(1000)
    assert run(engine.qm) == 1


def test_refresh_qmgr_scans_the_queues_that_it_names_whatever_expryint_is(engine: Engine) -> None:
    engine.define("QLOCAL", "ORDERS.IN")
    app = engine.connect()
    for name in ("Q", "ORDERS.IN"):
        app.put(name, b"1", expiry=10)
    engine.clock.advance(1000)

    assert Admin(engine.qm).refresh_qmgr("EXPIRY", "ORDERS.*") == MQRC_NONE

    assert run(engine.qm) == 1
    assert (engine.depth("Q"), engine.depth("ORDERS.IN")) == (1, 0)
    refresh(engine.qm, "*")
    assert run(engine.qm) == 1
    assert engine.qm.next_deadline() == 0


# -- slices ----------------------------------------------------------------------------------------------------------


def test_a_scan_is_done_in_slices_and_says_whether_there_is_more(engine: Engine, app: App) -> None:
    """B104: what was found is deleted later, if it is still there."""
    for number in range(10):
        app.put("Q", b"%d" % number, expiry=10)
    engine.clock.advance(60_000)
    now = engine.clock.now_ms()

    assert scan(engine.qm, now, 4)
    assert engine.depth("Q") == 6
    engine.qm.check()
    assert app.get("Q").reason == MQRC_NO_MSG_AVAILABLE  # The get has discarded what was found and not deleted yet.
    assert engine.depth("Q") == 0
    assert not scan(engine.qm, now, 4)
    assert engine.queue("Q").counts.expired_count == engine.qm.counters.expired == 10
    assert (engine.qm.expiry.scans, engine.qm.expiry.expired) == (1, 4)


def test_a_scan_takes_what_had_expired_when_it_began(engine: Engine, app: App) -> None:
    """So it has an end, however fast messages expire."""
    for number in range(3):
        app.put("Q", b"%d" % number, expiry=10)
    app.put("Q", b"last", expiry=601)
    engine.clock.advance(60_000)
    assert scan(engine.qm, engine.clock.now_ms(), 2)
    engine.clock.advance(1000)

    while scan(engine.qm, engine.clock.now_ms(), 2):
        pass

    assert engine.depth("Q") == 1


def test_a_scan_that_takes_longer_than_expryint_is_an_overrun(engine: Engine, app: App) -> None:
    """B107: the scans that would have begun in the meantime are left out; this one goes on."""
    for number in range(10):
        app.put("Q", b"%d" % number, expiry=10)
    engine.clock.advance(60_000)
    scan(engine.qm, engine.clock.now_ms(), 4)
    engine.clock.advance(125_000)
    scan(engine.qm, engine.clock.now_ms(), 4)
    assert engine.qm.expiry.overruns == 1
    assert [number for number, _ in engine.qm.notices] == ["FMQ2101W"]
    assert not scan(engine.qm, engine.clock.now_ms(), 4)

    assert engine.depth("Q") == 0
    assert engine.qm.expiry.scans == 1
    assert engine.qm.next_deadline() == START_MS + 240_000


# -- what is left alone, what follows ---------------------------------------------------------------------------------


def test_messages_under_an_uncommitted_get_or_put_or_a_browse_lock_are_left_alone(engine: Engine, app: App) -> None:
    other = engine.connect()
    for data in (b"got", b"locked", b"free"):
        app.put("Q", data, expiry=300)
    app.put("Q", b"put", syncpoint=True, expiry=300)
    assert other.get("Q", syncpoint=True).data == b"got"
    assert other.browse("Q", first=True, options=MQGMO_LOCK).data == b"locked"
    engine.clock.advance(60_000)

    assert run(engine.qm) == 1
    assert engine.depth("Q") == 3
    engine.qm.check()
    assert app.commit() == MQRC_NONE
    assert other.backout() == MQRC_NONE
    assert other.close("Q") == MQRC_NONE
    engine.clock.advance(60_000)
    assert run(engine.qm) == 3


def test_a_browse_cursor_on_an_expired_message_goes_on_behind_it(engine: Engine, app: App) -> None:
    app.put("Q", b"old", expiry=300)
    app.put("Q", b"new")
    assert app.get("Q", options=MQGMO_BROWSE_FIRST).data == b"old"
    engine.clock.advance(60_000)
    assert run(engine.qm) == 1

    assert app.browse("Q").data == b"new"


def test_a_message_that_asked_for_it_is_reported(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "REPLY")
    put = app.put(
        "Q", b"data", expiry=10, report=MQRO_EXPIRATION_WITH_FULL_DATA, reply_to_q="REPLY", reply_to_q_mgr="QM1"
    )
    app.put("Q", b"silent", expiry=10)
    engine.clock.advance(60_000)

    assert run(engine.qm) == 2

    got = app.get("REPLY")
    assert (got.data, got.md.msg_type, got.md.correl_id) == (b"data", MQMT_REPORT, put.md.msg_id)
    assert engine.depth("REPLY") == 0


def test_the_log_says_that_persistent_messages_have_expired() -> None:
    machine = Machine(qmgr={"EXPRYINT": 60})
    app = machine.connect()
    fill(app, "Q", 5, persistence=1, expiry=10)
    fill(app, "Q", 2, persistence=1)
    machine.clock.advance(60_000)
    assert run(machine.qm) == 5
    machine.log.flush()

    machine.crash()

    assert machine.depth("Q") == 2


def test_with_a_full_log_nothing_is_lost_and_the_scan_goes_on_when_there_is_room() -> None:
    machine = Machine(qmgr={"EXPRYINT": 60}, config=LogConfig(file_pages=4, primary=2, secondary=1))
    app = machine.connect()
    fill(app, "Q", 60, persistence=1, expiry=10, length=10)
    machine.checkpoint()
    machine.clock.advance(60_000)
    while app.put("Q", bytes(400), persistence=1).reason == MQRC_NONE:
        pass
    while app.put("Q", b"", persistence=1).reason == MQRC_NONE:
        pass
    kept = machine.depth("Q") - 60

    expire_waits(machine.qm)
    assert machine.qm.expiry.log_full
    left = machine.depth("Q") - kept
    assert left > 0
    assert machine.qm.next_deadline() > machine.clock.now_ms()
    machine.qm.check()
    machine.checkpoint()
    machine.clock.advance(1000)
    run(machine.qm)

    assert machine.depth("Q") == kept and machine.qm.expiry.scans == 1
    machine.log.flush()
    machine.crash()
    assert machine.depth("Q") == kept


# -- the index of messages in memory ----------------------------------------------------------------------------------


def test_puts_and_gets_in_turns_leave_no_buckets_behind(engine: Engine) -> None:
    app = engine.connect()
    for _ in range(1000):
        app.put("Q", b"1", expiry=10)
        app.get("Q")
        engine.clock.advance(1000)

    assert len(engine.queue("Q").expiring.order) < 150
    engine.qm.check()


def test_what_is_due_comes_by_the_second_and_only_what_has_expired(engine: Engine) -> None:
    queue = engine.queue("Q")
    expiring = Expiring()
    messages = []
    for sequence, expires_ms in enumerate((5500, 1200, 5100, 9000, 1100)):
        message = Message(queue, sequence, 0, b"", MQMD())
        message.expires_ms = expires_ms
        messages.append(message)
        expiring.add(message)

    assert not expiring.is_due(999) and expiring.is_due(1000)
    assert [message.sequence for message in expiring.due(1150, 9)] == [4]
    assert [message.sequence for message in expiring.due(5300, 9)] == [1, 4, 2]
    assert [message.sequence for message in expiring.due(9999, 1)] == [1, 4]
    assert expiring.holds(messages[1])
    expiring.remove(messages[1])
    assert not expiring.holds(messages[1])
    check_expiring(expiring, [message for message in messages if message is not messages[1]])
    expiring.remove(messages[4])
    assert [message.sequence for message in expiring.due(9999, 9)] == [0, 2, 3]
    check_expiring(expiring, [messages[0], messages[2], messages[3]])


# -- CAPEXPRY --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expiry", "cap", "result"),
    [(-1, NO_CAP, -1), (-1, 600, 600), (700, 600, 600), (600, 600, 600), (599, 600, 599), (700, NO_CAP, 700)],
)
def test_a_cap_shortens_what_is_longer(expiry: int, cap: int, result: int) -> None:
    assert capped(expiry, cap) == result


def test_the_lower_of_two_caps_counts() -> None:
    assert [lowest_cap(0, 0), lowest_cap(5, 0), lowest_cap(0, 7), lowest_cap(5, 7)] == [0, 5, 7, 5]


@pytest.mark.parametrize(
    ("text", "cap", "good"),
    [
        ("", 0, True),
        ("CAPEXPRY(12000)", 12_000, True),
        ("capexpry ( 12000 )", 12_000, True),
        ("OTHER(1) CAPEXPRY(5)", 5, True),
        ("CAPEXPRY(NOLIMIT)", 0, True),
        ("something else", 0, True),
        ("CAPEXPRY(0)", 0, False),
        ("CAPEXPRY(-5)", 0, False),
        ("CAPEXPRY(1000000000)", 0, False),
        ("CAPEXPRY(soon)", 0, False),
        ("CAPEXPRY()", 0, False),
        ("CAPEXPRY", 0, False),
        ("CAPEXPRY(12", 0, False),
    ],
)
def test_custom_may_hold_the_cap(text: str, cap: int, good: bool) -> None:
    """B97: tenths of a second; 12000 is 20 minutes."""
    assert cap_of({"CAPEXPRY": "NOLIMIT", "CUSTOM": text}) == cap
    assert custom_is_good(text) == good


def test_a_bad_custom_is_refused_and_changes_nothing(engine: Engine) -> None:
    admin = Admin(engine.qm)
    assert admin.alter("QLOCAL", "Q", {"CUSTOM": "CAPEXPRY(soon)"}, False) == MQRCCF_CUSTOM_ERROR
    assert admin.define("QLOCAL", "NEW", {"CUSTOM": "CAPEXPRY(0)"}, False) == MQRCCF_CUSTOM_ERROR
    assert "NEW" not in engine.qm.queues and engine.queue("Q").definition.attributes["CUSTOM"] == ""


@pytest.mark.parametrize("attributes", [{"CAPEXPRY": 12_000}, {"CUSTOM": "CAPEXPRY(12000)"}])
def test_a_capped_queue_gives_every_message_that_arrives_an_expiry(
    engine: Engine, attributes: dict[str, int | str | list[str]]
) -> None:
    """B97, B98: older messages are left alone, also when the cap goes again."""
    app = engine.connect()
    app.put("Q", b"before")
    engine.alter("Q", attributes)
    app.put("Q", b"straight")
    app.put("Q", b"longer", expiry=20_000)
    app.put("Q", b"shorter", expiry=100)
    app.put("Q", b"in a unit", syncpoint=True)
    app.commit()
    engine.alter("Q", {"CAPEXPRY": "NOLIMIT", "CUSTOM": ""})
    app.put("Q", b"after")

    expiries = {}
    while (got := app.get("Q")).completion == 0:
        expiries[got.data] = got.md.expiry
    assert expiries == {
        b"before": -1,
        b"straight": 12_000,
        b"longer": 12_000,
        b"shorter": 100,
        b"in a unit": 12_000,
        b"after": -1,
    }


def test_the_descriptor_of_the_application_keeps_its_expiry(engine: Engine) -> None:
    engine.alter("Q", {"CAPEXPRY": 600})
    engine.define("QALIAS", "ALIAS", {"TARGET": "Q", "CAPEXPRY": 500})
    app = engine.connect()
    assert app.put("Q", b"").md.expiry == app.put("ALIAS", b"").md.expiry == -1


def test_a_topic_may_have_its_cap_in_custom() -> None:
    """B97; a topic below inherits it like one of the attribute itself."""
    tree = TopicTree()
    tree.define(topic("A", "a", CUSTOM="CAPEXPRY(70)"))
    tree.define(topic("AB", "a/b", CAPEXPRY="NOLIMIT"))

    assert [tree.attributes(text).cap_expiry for text in ("a", "a/x", "a/b", "b")] == [70, 70, 0, 0]


def test_the_lowest_cap_on_the_way_counts(engine: Engine) -> None:
    """Alias, remote definition and transmission queue, as they are when the message is put."""
    engine.define("QALIAS", "ALIAS", {"TARGET": "Q", "CAPEXPRY": 500})
    engine.define("QLOCAL", "QM2", {"USAGE": "XMITQ", "CAPEXPRY": 900})
    engine.define("QREMOTE", "FAR", {"RNAME": "ORDERS", "RQMNAME": "QM2", "CAPEXPRY": 800})
    engine.define("QALIAS", "NEAR", {"TARGET": "FAR"})
    app = engine.connect()
    app.put("ALIAS", b"")
    assert app.get("Q").md.expiry == 500
    engine.alter("Q", {"CAPEXPRY": 300})
    app.put("ALIAS", b"")
    assert app.get("Q").md.expiry == 300
    engine.alter("ALIAS", {"CAPEXPRY": 200})
    app.put("ALIAS", b"")
    assert app.get("Q").md.expiry == 200
    for name in ("FAR", "NEAR"):
        app.put(name, b"")
        got = app.get("QM2")
        assert (got.md.expiry, MQXQH.unpack(got.data).msg_desc.expiry) == (800, 800)
    engine.alter("FAR", {"CAPEXPRY": "NOLIMIT"})
    app.put("NEAR", b"")
    got = app.get("QM2")
    assert (got.md.expiry, MQXQH.unpack(got.data).msg_desc.expiry) == (900, 900)


# -- B100 ------------------------------------------------------------------------------------------------------------


def saw_tooth(rate: int, minutes: int) -> list[tuple[int, int]]:
    """Depths of a queue nobody reads, just before and after each scan: `rate` messages a second, cap 20 minutes."""
    engine = Engine({"EXPRYINT": 300})
    engine.define("QLOCAL", "STREAM", {"MAXDEPTH": 999_999_999, "CUSTOM": "CAPEXPRY(12000)"})
    app = engine.connect()
    depths: list[tuple[int, int]] = []
    for _ in range(minutes * 60):
        for _ in range(rate):
            app.put("STREAM", b"")
        engine.clock.advance(1000)
        before = engine.depth("STREAM")
        scans = engine.qm.expiry.scans
        run(engine.qm)
        if engine.qm.expiry.scans > scans:
            depths.append((before, engine.depth("STREAM")))
    engine.qm.check()
    return depths


def test_at_200_messages_a_second_the_drops_are_of_60000(slow: None) -> None:
    """B100, full size."""
    depths = saw_tooth(200, 35)
    assert [before - after for before, after in depths] == [0, 0, 0, 200, 60_000, 60_000, 60_000]
    assert depths[3:] == [(240_000, 239_800), (299_800, 239_800), (299_800, 239_800), (299_800, 239_800)]


def test_an_unread_capped_queue_climbs_for_the_cap_and_then_falls_by_a_period_at_each_scan() -> None:
    """B100, B101: at 200 messages a second the drops are of 60,000; here it is one message a second."""
    assert saw_tooth(1, 35) == [
        (300, 300),
        (600, 600),
        (900, 900),
        (1200, 1199),
        (1499, 1199),
        (1499, 1199),
        (1499, 1199),
    ]
