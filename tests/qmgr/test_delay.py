"""Delivery delay: what is put with a delay waits on SYSTEM.DDELAY.LOCAL.QUEUE, and is delivered once, in time."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from flintmq.catalogue.attribute import Value
from flintmq.log import LogConfig
from flintmq.mqi.constants import (
    MQAT_QMGR,
    MQFB_COA,
    MQFB_EXPIRATION,
    MQFMT_DEAD_LETTER_HEADER,
    MQGMO_LOCK,
    MQGMO_UNLOCK,
    MQIA_INHIBIT_GET,
    MQMF_MSG_IN_GROUP,
    MQMT_REPORT,
    MQOO_OUTPUT,
    MQOO_SET,
    MQOO_SET_ALL_CONTEXT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_NOT_OWN_SUBS,
    MQPMO_RETAIN,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
    MQQA_GET_ALLOWED,
    MQRO_COA,
    MQRO_COA_WITH_FULL_DATA,
    MQRO_DISCARD_MSG,
    MQRO_EXCEPTION,
    MQRO_EXPIRATION,
)
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.dlh import SIZE as DLH_SIZE
from flintmq.mqi.md import FIELDS as MD_FIELDS
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQRC_EXPIRY_ERROR,
    MQRC_HEADER_ERROR,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NONE,
    MQRC_OPTIONS_ERROR,
    MQRC_PRIORITY_EXCEEDS_MAXIMUM,
    MQRC_PUBSUB_INHIBITED,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from flintmq.qmgr import accounting
from flintmq.qmgr.connection import WAITING, Handle
from flintmq.qmgr.delay import RETRY_MS, put_delayed, run
from flintmq.qmgr.get import expire_waits
from flintmq.qmgr.queue_parts import STAGING
from flintmq.qmgr.remote import unwrap
from tests.qmgr.conftest import Answered, App, Engine
from tests.qmgr.machine import DEEP, Definition, Machine, local
from tests.qmgr.property_app import PropertyApp
from tests.qmgr.pubsub import Broker, drain, open_topic, subscribe

#: Old queue managers have it with the attributes of any queue of theirs.
STAGE: Definition = ("QLOCAL", STAGING, {**DEEP, "DEFPSIST": "YES"})


@pytest.fixture
def app(engine: Engine) -> App:
    engine.define("QLOCAL", STAGING, dict(STAGE[2]))
    return engine.connect()


def send(
    app: App, queue: str | Handle, data: bytes, delay_ms: int, syncpoint: bool = False, options: int = 0, **fields: Any
) -> Answered:
    """A put with a delay."""
    md, pmo = MQMD(), MQPMO()
    pmo.options = (MQPMO_SYNCPOINT if syncpoint else MQPMO_NO_SYNCPOINT) | options
    for name, value in fields.items():
        assert name in MD_FIELDS
        setattr(md, name, value)
    handle = app.handle(queue)
    return Answered(app.connection, put_delayed(app.qm, app.connection, handle, md, pmo, data, delay_ms), md, pmo)


def later(engine: Engine, milliseconds: int) -> None:
    """Time passes, and a host does what is due."""
    engine.clock.advance(milliseconds)
    qm = engine.qm
    while 0 < qm.next_deadline() <= qm.clock.now_ms():
        expire_waits(qm)


def heard(engine: Engine) -> bool:
    """Whether a host has to set its timer again, which it does."""
    changed = engine.qm.delays.changed
    engine.qm.delays.changed = False
    return changed


def dead(app: App) -> tuple[MQDLH, bytes]:
    """The next message on the dead-letter queue."""
    got = app.get("DLQ")
    assert got.completion == 0 and got.md.format == MQFMT_DEAD_LETTER_HEADER, got.reason
    return MQDLH.unpack(got.data), got.data[DLH_SIZE:]


def machine(buffers: int = 25_000, **q: Value) -> Machine:
    return Machine("memory", None, [local("Q", **q), local("DLQ"), STAGE], buffers, qmgr={"DEADQ": "DLQ"})


# -- in time -----------------------------------------------------------------------------------------------------------


def test_a_delayed_message_can_be_got_when_its_time_has_come_and_not_before(engine: Engine, app: App) -> None:
    sent = send(app, "Q", b"later", 1500)

    assert sent.reason == MQRC_NONE and engine.depth("Q") == 0 and engine.depth(STAGING) == 1
    later(engine, 1499)
    assert app.get("Q").reason == MQRC_NO_MSG_AVAILABLE
    later(engine, 1)
    assert app.get("Q").data == b"later" and engine.depth(STAGING) == 0
    assert engine.qm.next_deadline() == 0


def test_it_arrives_with_everything_that_it_was_put_with(engine: Engine, app: App) -> None:
    fields: dict[str, Any] = {
        "persistence": 1, "priority": 7, "correl_id": b"c" * 24, "reply_to_q": "Q", "msg_type": 1, "format": "MQSTR",
        "coded_char_set_id": 819, "encoding": 273, "expiry": 100, "feedback": 0,
    }  # fmt: skip
    sent = send(app, "Q", b"later", 2000, **fields)
    later(engine, 2000)

    got = app.get("Q")

    assert got.md.expiry == 80  # Counted from the put.
    for name in fields:
        assert name == "expiry" or getattr(got.md, name) == getattr(sent.md, name), name
    for name in ("msg_id", "user_identifier", "put_appl_name", "put_date", "put_time", "reply_to_q_mgr"):
        assert getattr(got.md, name) == getattr(sent.md, name), name
    assert got.md.msg_id != bytes(24) and got.md.backout_count == 0


def test_properties_of_a_message_handle_wait_with_the_message(engine: Engine, app: App) -> None:
    writer = PropertyApp(engine.qm)
    hmsg = writer.create()
    assert writer.set(hmsg, "colour", "red") == 0
    md, pmo = MQMD(), MQPMO()
    pmo.version, pmo.new_msg_handle = 3, hmsg
    handle = writer.open("Q", MQOO_OUTPUT)
    assert put_delayed(engine.qm, writer.connection, handle, md, pmo, b"data", 500) == MQRC_NONE
    later(engine, 500)

    message = engine.queue("Q").first_available()

    assert message is not None and b"colour" in message.properties and message.data == b"data"


def test_messages_are_delivered_in_the_order_of_their_times(engine: Engine, app: App) -> None:
    for data, delay_ms in ((b"3", 3000), (b"1", 1000), (b"2", 2000), (b"2b", 2000)):
        send(app, "Q", data, delay_ms)
    later(engine, 5000)
    assert app.drain("Q") == [b"1", b"2", b"2b", b"3"]


def test_a_get_that_waits_is_served_when_the_message_is_due(engine: Engine, app: App) -> None:
    reader = engine.connect("reader")
    waiting = reader.get("Q", wait_ms=10_000)
    assert waiting.reason == WAITING
    send(app, "Q", b"later", 1000)
    later(engine, 999)
    assert engine.qm.woken == []
    later(engine, 1)
    assert waiting.completed().data == b"later"


def test_no_delay_is_an_ordinary_put(engine: Engine, app: App) -> None:
    assert send(app, "Q", b"now", 0).reason == MQRC_NONE
    assert app.get("Q").data == b"now" and engine.queue(STAGING).counts.put_count == 0


def test_a_handle_is_an_ordinary_one_again_after_a_delayed_put(engine: Engine, app: App) -> None:
    send(app, "Q", b"later", 1000)
    app.put("Q", b"now")
    assert app.handle("Q").straight_put and app.drain("Q") == [b"now"]


def test_a_thousand_messages_due_at_once_are_delivered_in_slices(engine: Engine, app: App) -> None:
    for number in range(20):
        send(app, "Q", b"%d" % number, 100)
    engine.clock.advance(100)
    assert run(engine.qm, engine.clock.now_ms(), 8) and engine.depth("Q") == 8
    assert run(engine.qm, engine.clock.now_ms(), 8) and engine.depth("Q") == 16
    assert not run(engine.qm, engine.clock.now_ms(), 8) and engine.depth("Q") == 20


def test_a_delivery_counts_as_a_get_of_the_staging_queue(engine: Engine, app: App) -> None:
    send(app, "Q", b"later", 100)
    later(engine, 100)
    queue = engine.queue(STAGING)
    assert queue.counts.put_count == queue.counts.get_count == 1 and queue.counts.put_bytes == queue.counts.get_bytes


def test_accounting_counts_what_was_put_with_a_delay(engine: Engine, app: App) -> None:
    """PUTDDLY of the record of a queue that a task has used (116-1)."""
    engine.alter("QM1", {"ACCTQ": "ON"}, "QMGR")
    accounting.start(engine.qm)
    counted = engine.connect("counted")
    send(counted, "Q", b"later", 1000)
    send(counted, "Q", b"now", 0)
    assert counted.connection.task is not None
    use = counted.connection.task.work.queues["Q", "Q"]
    assert (use.puts.count, use.valid_puts, use.delayed) == (2, 2, 1)
    later(engine, 1000)
    assert app.drain("Q") == [b"now", b"later"]


# -- units of work -----------------------------------------------------------------------------------------------------


def test_under_syncpoint_the_delay_counts_from_the_put_and_delivery_waits_for_the_commit(
    engine: Engine, app: App
) -> None:
    send(app, "Q", b"later", 1000, syncpoint=True)
    assert engine.depth(STAGING) == 1  # CURDEPTH counts it at once, U3.
    later(engine, 5000)
    assert engine.depth("Q") == 0
    app.commit()
    later(engine, 0)
    assert app.get("Q").data == b"later"


def test_a_delayed_message_that_is_backed_out_is_never_delivered(engine: Engine, app: App) -> None:
    send(app, "Q", b"never", 1000, syncpoint=True)
    app.backout()
    later(engine, 5000)
    assert engine.depth("Q") == 0 and engine.depth(STAGING) == 0 and engine.depth("DLQ") == 0


def test_a_message_that_was_sent_by_mistake_is_found_by_its_id_and_got(engine: Engine, app: App) -> None:
    """The sender's MsgId is the CorrelId on the staging queue."""
    wrong = send(app, "Q", b"wrong", 1000)
    send(app, "Q", b"right", 1000)
    assert app.get(STAGING, correl_id=wrong.md.msg_id, match_options=2).reason == MQRC_NONE
    later(engine, 1000)
    assert app.drain("Q") == [b"right"]


def test_a_message_that_somebody_holds_is_delivered_when_it_is_given_back(engine: Engine, app: App) -> None:
    other = engine.connect("other")
    send(app, "Q", b"got", 1000)
    assert other.get(STAGING, syncpoint=True).reason == MQRC_NONE
    later(engine, 1000)
    assert engine.depth("Q") == 0
    other.backout()
    later(engine, 0)
    assert app.get("Q").data == b"got"

    send(app, "Q", b"locked", 1000)
    assert other.browse(STAGING, first=True, options=MQGMO_LOCK).reason == MQRC_NONE
    later(engine, 1000)
    assert engine.depth("Q") == 0
    other.get(STAGING, options=MQGMO_UNLOCK)
    later(engine, 0)
    assert app.get("Q").data == b"locked"


# -- restart -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["crash", "bounce"])
def test_a_persistent_message_is_due_at_the_same_time_after_a_restart(how: str) -> None:
    made = machine()
    send(made.connect(), "Q", b"later", 60_000, persistence=1)
    made.log.flush()
    made.clock.advance(10_000)
    getattr(made, how)()
    later(made, 49_999)
    assert made.contents("Q") == []
    later(made, 1)
    assert made.contents("Q") == [b"later"] and made.depth(STAGING) == 0


def test_what_was_due_while_the_queue_manager_was_stopped_is_delivered_after_the_start() -> None:
    made = machine()
    send(made.connect(), "Q", b"later", 1000, persistence=1)
    made.log.flush()
    made.clock.advance(3_600_000)
    made.crash()
    later(made, 0)
    assert made.contents("Q") == [b"later"]


@pytest.mark.parametrize("synced", [False, True])
def test_a_crash_around_the_delivery_neither_loses_nor_doubles_the_message(synced: bool) -> None:
    """Off the staging queue and on the other is one unit of work, in one run of log records (U2)."""
    made = machine()
    send(made.connect(), "Q", b"later", 1000, persistence=1)
    made.log.flush()
    later(made, 1000)
    assert made.depth("Q") == 1
    if synced:
        made.log.flush()
    made.crash()
    assert made.depth("Q") + made.depth(STAGING) == 1
    later(made, 0)
    assert made.contents("Q") == [b"later"] and made.depth(STAGING) == 0


@pytest.mark.parametrize("step", range(8))
@pytest.mark.parametrize("synced", range(8))
def test_whenever_it_crashes_each_message_is_delivered_once(step: int, synced: int) -> None:
    """Three messages; a crash after any step, with any of the deliveries before it made durable."""
    made = machine()
    app = made.connect()
    done = 0
    for number in range(min(step, 3)):
        assert send(app, "Q", b"%d" % number, 1000, persistence=1, syncpoint=True).reason == MQRC_NONE
        done += 1
    app.commit()
    made.log.flush()
    made.clock.advance(1000)
    for number in range(max(0, step - 4)):
        run(made.qm, made.clock.now_ms(), 1)
        if synced & 1 << number:
            made.log.flush()
    made.crash()
    later(made, 0)
    assert made.contents("Q") == [b"%d" % number for number in range(done)] and made.depth(STAGING) == 0
    made.log.flush()
    made.crash()
    assert made.contents("Q") == [b"%d" % number for number in range(done)]


def test_a_staging_queue_that_is_deleted_leaves_nothing_to_wait_for() -> None:
    made = machine()
    app = made.connect()
    send(app, "Q", b"later", 1000)
    app.get(STAGING)
    app.close(STAGING)
    assert made.admin.delete("QLOCAL", STAGING, False) == 0
    later(made, 1000)
    assert made.qm.next_deadline() == 0 and made.contents("Q") == []


def test_messages_that_are_taken_away_do_not_stay_in_memory(engine: Engine, app: App) -> None:
    """Delays as time-outs that are called off: what is kept is bounded by what waits."""
    send(app, "Q", b"kept", 500_000)
    for _ in range(1500):
        called_off = send(app, "Q", b"off", 1_000_000)
        assert app.get(STAGING, match_options=2, correl_id=called_off.md.msg_id).reason == MQRC_NONE
    assert engine.depth(STAGING) == 1 and len(engine.qm.delays.order) < 1100
    later(engine, 500_000)
    assert app.drain("Q") == [b"kept"]


def test_a_message_that_is_not_persistent_goes_with_a_crash() -> None:
    made = machine()
    send(made.connect(), "Q", b"later", 1000)
    made.crash()
    later(made, 1000)
    assert made.contents("Q") == [] and made.depth(STAGING) == 0


def test_messages_that_were_pushed_out_to_the_page_set_are_found_again() -> None:
    """More than the buffer pool holds, due in no order at all, over a restart."""
    made = machine(buffers=1000)
    app = made.connect()
    delays = list(range(1, 1501))
    Random(7).shuffle(delays)
    for delay_ms in delays:
        assert send(app, "Q", b"%d" % delay_ms, delay_ms, persistence=1).reason == MQRC_NONE
    assert made.queue(STAGING).spilled_count > 0
    later(made, 500)
    assert [int(data) for data in made.connect().drain("Q")] == list(range(1, 501))
    made.bounce()
    later(made, 2000)
    assert [int(data) for data in made.connect().drain("Q")] == list(range(501, 1501))
    assert made.depth(STAGING) == 0


def test_deliveries_leave_no_more_in_memory_than_the_buffer_pool_holds() -> None:
    """Each message is read back with its neighbours, and its destination is in another buffer pool."""
    storage: list[Definition] = [
        ("BUFFPOOL", "1", {"BUFFERS": 1000}),
        ("PSID", "1", {"BUFFPOOL": 1}),
        ("STGCLASS", "ONE", {"PSID": 1}),
    ]
    made = Machine("memory", None, [*storage, local("Q"), ("QLOCAL", STAGING, {**DEEP, "STGCLASS": "ONE"})])
    app = made.connect()
    delays = list(range(1, 3001))
    Random(3).shuffle(delays)
    for delay_ms in delays:
        assert send(app, "Q", b"%d" % delay_ms, delay_ms).reason == MQRC_NONE
    pool = made.queue(STAGING).pool
    made.clock.advance(3000)
    while run(made.qm, made.clock.now_ms(), 200):
        assert pool.used <= pool.threshold
    assert [int(data) for data in app.drain("Q")] == list(range(1, 3001))
    made.qm.check()


def test_with_a_full_log_nothing_is_delivered_or_lost_until_there_is_room() -> None:
    config = LogConfig(file_pages=4, primary=2, secondary=1)
    made = Machine("memory", None, [local("Q"), local("F"), STAGE], config=config)
    app = made.connect()
    for number in range(30):
        send(app, "Q", b"%d" % number, 1000, persistence=1)
    made.checkpoint()
    for length in (400, 0):
        while app.put("F", bytes(length), persistence=1).reason == MQRC_NONE:
            pass
    made.clock.advance(1000)
    expire_waits(made.qm)
    assert made.qm.delays.log_full and made.depth(STAGING) > 0 and made.depth("Q") + made.depth(STAGING) == 30
    assert made.qm.next_deadline() > made.clock.now_ms()
    made.qm.check()
    made.checkpoint()
    later(made, 1000)
    made.log.flush()
    made.crash()
    assert made.contents("Q") == [b"%d" % number for number in range(30)] and made.depth(STAGING) == 0


# -- expiry ------------------------------------------------------------------------------------------------------------


def test_a_delay_that_is_longer_than_the_expiry_is_refused(engine: Engine, app: App) -> None:
    assert send(app, "Q", b"", 1001, expiry=10).reason == MQRC_EXPIRY_ERROR
    assert send(app, "Q", b"", 1000, expiry=10).reason == MQRC_NONE
    engine.define("QLOCAL", "CAPPED", {"CAPEXPRY": 10})
    assert send(app, "CAPPED", b"", 1001).reason == MQRC_EXPIRY_ERROR
    assert send(app, "CAPPED", b"", 900).reason == MQRC_NONE
    later(engine, 900)
    assert app.get("CAPPED").md.expiry == 1  # CAPEXPRY counts from the put as well.


def test_what_has_expired_when_it_is_delivered_late_is_discarded_with_its_report(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "REPLY")
    send(app, "Q", b"old", 1000, expiry=20, report=MQRO_EXPIRATION, reply_to_q="REPLY")
    engine.alter(STAGING, {"GET": "DISABLED"})
    later(engine, 5000)
    assert engine.depth(STAGING) == 1
    engine.alter(STAGING, {"GET": "ENABLED"})
    later(engine, 0)
    assert engine.depth(STAGING) == 0 and engine.depth("Q") == 0
    report = app.get("REPLY")
    assert (report.md.msg_type, report.md.feedback) == (MQMT_REPORT, MQFB_EXPIRATION)


def test_get_disabled_on_the_staging_queue_stops_deliveries_until_it_is_enabled(engine: Engine, app: App) -> None:
    send(app, "Q", b"later", 1000)
    engine.alter(STAGING, {"GET": "DISABLED"})
    later(engine, 2000)
    assert engine.depth("Q") == 0 and engine.qm.next_deadline() == 0
    engine.alter(STAGING, {"GET": "ENABLED"})
    later(engine, 0)
    assert app.get("Q").data == b"later"


# -- what cannot be delivered ------------------------------------------------------------------------------------------


def test_a_host_hears_that_deliveries_can_go_on() -> None:
    """By ALTER or MQSET: while nothing can be delivered it need have no timer."""
    made = machine()
    assert made.admin.alter("QLOCAL", STAGING, {"GET": "DISABLED"}, False) == 0
    send(made.connect(), "Q", b"later", 1000)
    heard(made)
    assert made.qm.next_deadline() == 0
    assert made.admin.alter("QLOCAL", "Q", {"GET": "DISABLED"}, False) == 0
    assert made.admin.alter("QLOCAL", "Q", {"GET": "ENABLED"}, False) == 0
    assert not heard(made)
    app = made.connect()
    handle = app.open(STAGING, MQOO_SET)
    assert made.qm.set_attributes(app.connection, handle, [MQIA_INHIBIT_GET], [MQQA_GET_ALLOWED]) == MQRC_NONE
    assert heard(made) and made.qm.next_deadline() == made.clock.now_ms() + 1000


def test_a_message_for_a_queue_that_is_full_goes_to_the_dead_letter_queue(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "SMALL", {"MAXDEPTH": 1})
    app.put("SMALL", b"first")
    sent = send(app, "SMALL", b"second", 1000, format="MQSTR")
    assert sent.reason == MQRC_NONE  # Then there may be room.
    later(engine, 1000)
    header, data = dead(app)
    assert (header.reason, header.dest_q_name, header.dest_q_mgr_name) == (MQRC_Q_FULL, "SMALL", "QM1")
    assert (header.format, data) == ("MQSTR", b"second")
    ((number, text),) = engine.qm.notices
    assert number == "AMQ5883W" and "'SMALL'" in text and "2053" in text


@pytest.mark.parametrize("max_depth", [0, 1])
def test_maxumsgs_holds_up_no_delivery(max_depth: int) -> None:
    """One message in a unit of work: the one that is taken off the staging queue does not count."""
    engine = Engine({"MAXUMSGS": 1})
    engine.define("QLOCAL", STAGING)
    app = engine.connect()
    send(app, "Q", b"later", 1000)
    engine.alter("Q", {"MAXDEPTH": max_depth})
    later(engine, 1000)
    assert (engine.depth("Q"), engine.depth("DLQ"), engine.depth(STAGING)) == (max_depth, 1 - max_depth, 0)


def test_a_message_for_a_queue_that_was_deleted_goes_there_too(engine: Engine, app: App) -> None:
    made = machine()
    sender = made.connect()
    assert made.admin.define("QLOCAL", "GONE", {}, False) == 0
    send(sender, "GONE", b"late", 1000)
    sender.close("GONE")
    assert made.admin.delete("QLOCAL", "GONE", False) == 0
    later(made, 1000)
    header, data = dead(made.connect())
    assert (header.reason, header.dest_q_name, data) == (MQRC_UNKNOWN_OBJECT_NAME, "GONE", b"late")


def test_mqro_discard_msg_discards_it_and_the_exception_report_says_so(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "REPLY")
    engine.define("QLOCAL", "SMALL", {"MAXDEPTH": 1})
    app.put("SMALL", b"first")
    send(app, "SMALL", b"second", 1000, report=MQRO_EXCEPTION | MQRO_DISCARD_MSG, reply_to_q="REPLY")
    later(engine, 1000)
    assert engine.depth("DLQ") == 0 and engine.depth(STAGING) == 0
    assert app.get("REPLY").md.feedback == MQRC_Q_FULL


def test_without_a_dead_letter_queue_it_stays_and_is_tried_again(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "SMALL", {"MAXDEPTH": 1})
    engine.alter("QM1", {"DEADQ": ""}, "QMGR")
    app.put("SMALL", b"first")
    send(app, "SMALL", b"second", 1000, persistence=1)
    for _ in range(3):
        later(engine, RETRY_MS)
    assert engine.depth(STAGING) == 1
    ((number, text),) = engine.qm.notices  # Once, however often it was tried.
    assert number == "AMQ5884E" and "DEADQ" in text
    app.get("SMALL")
    later(engine, RETRY_MS)
    assert app.drain("SMALL") == [b"second"] and engine.depth(STAGING) == 0


def test_the_staging_queue_cannot_be_its_own_dead_letter_queue(engine: Engine, app: App) -> None:
    engine.alter("QM1", {"DEADQ": STAGING}, "QMGR")
    app.put(STAGING, b"no header")
    later(engine, 0)
    assert engine.depth(STAGING) == 1 and engine.qm.notices[0][0] == "AMQ5884E"


def staged_data(engine: Engine, app: App) -> bytes:
    """What is on the staging queue for a delayed message."""
    send(app, "Q", b"data", 1000)
    return app.get(STAGING).data


@pytest.mark.parametrize(
    "damage",
    [
        lambda good: b"",
        lambda good: b"garbage" * 30,
        lambda good: good[:40],
        lambda good: good[:80],
        lambda good: good[:4] + b"\x09" + good[5:],
        lambda good: good[:8] + b"\xff\xff" + good[10:],
        lambda good: good[:64] + b"\xff\xff" + good[66:],
        lambda good: good[: 69 + 29] + b"\x07" + good[69 + 30 :],
    ],
    ids=["empty", "garbage", "short", "cut", "version", "length", "name", "persistence"],
)
def test_a_message_with_a_damaged_header_goes_to_the_dead_letter_queue_as_it_is(
    engine: Engine, app: App, damage: Any
) -> None:
    bad = damage(staged_data(engine, app))
    app.put(STAGING, bad)
    send(app, "Q", b"good", 1000)
    later(engine, 1000)
    header, data = dead(app)
    assert (header.reason, header.dest_q_name, data) == (MQRC_HEADER_ERROR, STAGING, bad)
    assert engine.qm.notices[0][0] == "AMQ5883W" and STAGING in engine.qm.notices[0][1]
    assert app.drain("Q") == [b"good"] and engine.depth(STAGING) == 0


def test_random_damage_loses_no_message(engine: Engine, app: App) -> None:
    """Whatever the bytes say, the message is delivered, or on the dead-letter queue, or waits for its time."""
    good = staged_data(engine, app)
    random = Random(11)
    for _ in range(300):
        bad = bytearray(good)
        for _ in range(random.randint(1, 4)):
            bad[random.randrange(len(bad))] = random.randrange(256)
        app.put(STAGING, bytes(bad))
        later(engine, 1000)
        found = engine.depth("Q") + engine.depth("DLQ") + engine.depth(STAGING)
        assert found == 1 or engine.qm.counters.expired, bytes(bad)
        engine.qm.counters.expired = 0
        for name in ("Q", "DLQ", STAGING):
            app.drain(name)


def test_an_expiry_that_no_descriptor_can_say_is_cut(engine: Engine, app: App) -> None:
    """Else the descriptor of the message that is delivered could not be logged, by this start or the next."""
    send(app, "Q", b"data", 1000, persistence=1)
    staged = bytearray(app.get(STAGING).data)
    at = 68 + len("Q") + 44
    staged[at : at + 8] = (1 << 62).to_bytes(8, "little")
    handle = app.open(STAGING, MQOO_OUTPUT | MQOO_SET_ALL_CONTEXT)
    fields: dict[str, Any] = {"persistence": 1, "put_appl_type": MQAT_QMGR, "options": MQPMO_SET_ALL_CONTEXT}
    app.put(handle, bytes(staged), **fields)
    later(engine, 1000)
    assert app.get("Q").data == b"data"


@pytest.mark.parametrize("by", ["report", "handler", "application"])
def test_a_report_with_data_is_no_way_past_the_authority_for_a_queue(engine: Engine, app: App, by: str) -> None:
    """Issue 14, item 1: nothing that an application wrote is taken for a message that was put with a delay.

    A report is discarded, and so no dead-letter handler delivers it after all.
    """
    engine.define("QLOCAL", "OTHERS")
    send(app, "OTHERS", b"as somebody else", 1000)
    forged = app.get(STAGING).data
    if by == "report":
        app.put("Q", forged, report=MQRO_COA_WITH_FULL_DATA, reply_to_q=STAGING)
    elif by == "handler":  # A dead-letter queue handler that tries again what is there.
        app.put(STAGING, forged, msg_type=MQMT_REPORT)
    else:  # An application with authority to put on the staging queue, and not on OTHERS.
        app.put(STAGING, forged)
    later(engine, 2000)
    assert engine.depth("OTHERS") == 0 and engine.depth(STAGING) == 0
    if by == "report":
        assert engine.depth("DLQ") == 0
        return
    header, data = dead(app)
    assert (header.dest_q_name, data, header.reason) == (STAGING, forged, MQRC_HEADER_ERROR)


def test_a_queue_that_was_made_anew_does_not_inherit_times(engine: Engine, app: App) -> None:
    """The sequences of a new queue begin at 1 again; what counts is what the header says."""
    send(app, "Q", b"old", 1000)
    app.drain(STAGING)
    engine.queue(STAGING).next_sequence = 1
    send(app, "Q", b"new", 5000)
    later(engine, 1000)
    assert engine.depth("Q") == 0
    later(engine, 4000)
    assert app.drain("Q") == [b"new"]


# -- destinations ------------------------------------------------------------------------------------------------------


def test_what_the_destination_would_never_take_is_refused_at_once(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "SHUT", {"PUT": "DISABLED"})
    engine.define("QLOCAL", "NARROW", {"MAXMSGL": 3})
    assert send(app, "SHUT", b"x", 1000).reason == MQRC_PUT_INHIBITED
    assert send(app, "NARROW", b"four", 1000).reason == MQRC_MSG_TOO_BIG_FOR_Q
    assert engine.depth(STAGING) == 0


def test_a_staging_queue_that_is_full_is_what_the_event_is_about() -> None:
    engine = Engine({"PERFMEV": "ENABLED"})
    engine.define("QLOCAL", STAGING, {"MAXDEPTH": 1, "QDPMAXEV": "ENABLED"})
    engine.define("QLOCAL", "SYSTEM.ADMIN.PERFM.EVENT")
    engine.alter("Q", {"QDPMAXEV": "ENABLED"})
    app = engine.connect()
    assert [send(app, "Q", b"", 1000).reason for _ in range(2)] == [MQRC_NONE, MQRC_Q_FULL]
    assert engine.depth("SYSTEM.ADMIN.PERFM.EVENT") == 1
    assert engine.queue(STAGING).definition.text("QDPMAXEV") == "DISABLED"
    assert engine.queue("Q").definition.text("QDPMAXEV") == "ENABLED"
    later(engine, 1000)
    engine.alter("Q", {"MAXDEPTH": 1})
    assert app.put("Q").reason == MQRC_Q_FULL and engine.queue("Q").definition.text("QDPMAXEV") == "DISABLED"


def test_groups_retained_publications_and_senseless_delays_are_refused(engine: Engine, app: App) -> None:
    handle = app.handle("Q")
    for answered in (
        send(app, handle, b"", 1000, options=MQPMO_RETAIN),
        send(app, handle, b"", 1000, version=2, msg_flags=MQMF_MSG_IN_GROUP, group_id=b"g" * 24),
        send(app, handle, b"", -1),
        send(app, handle, b"", 1 << 62),
    ):
        assert answered.reason == MQRC_OPTIONS_ERROR
    assert engine.depth(STAGING) == 0


def test_a_queue_manager_without_the_staging_queue_refuses(engine: Engine) -> None:
    assert send(engine.connect(), "Q", b"", 1000).reason == MQRC_UNKNOWN_OBJECT_NAME


def test_an_alias_is_followed_when_the_message_is_due(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "NEW")
    engine.define("QALIAS", "A", {"TARGET": "Q"})
    send(app, app.open("A"), b"later", 1000)
    engine.alter("A", {"TARGET": "NEW"})
    later(engine, 1000)
    assert app.drain("NEW") == [b"later"] and engine.depth("Q") == 0


def test_a_message_for_another_queue_manager_waits_here_and_then_for_its_channel(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "QM2", {"USAGE": "XMITQ"})
    engine.define("QREMOTE", "FAR", {"RNAME": "THERE", "RQMNAME": "QM2", "XMITQ": "QM2"})
    send(app, app.open("FAR"), b"later", 1000)
    assert engine.depth("QM2") == 0
    later(engine, 1000)
    xqh, md, data = unwrap(engine.qm, app.get("QM2").data)
    assert (xqh.remote_q_name, xqh.remote_q_mgr_name, data) == ("THERE", "QM2", b"later")
    assert md.user_identifier == "user"


@pytest.mark.parametrize("opened", [("FAR", ""), ("ALIAS", ""), ("THERE", "VIA"), ("THERE", "SLOW")])
def test_it_waits_for_the_channel_that_it_would_have_waited_for_at_once(
    engine: Engine, app: App, opened: tuple[str, str]
) -> None:
    """The transmission queue is not called like the queue manager that it leads to."""
    engine.define("QLOCAL", "SLOW", {"USAGE": "XMITQ"})
    engine.define("QREMOTE", "FAR", {"RNAME": "THERE", "RQMNAME": "QM2", "XMITQ": "SLOW"})
    engine.define("QREMOTE", "VIA", {"RQMNAME": "QM2", "XMITQ": "SLOW"})
    engine.define("QALIAS", "ALIAS", {"TARGET": "FAR"})
    handle = app.open(opened[0], MQOO_OUTPUT, opened[1])
    app.put(handle, b"at once")
    send(app, handle, b"later", 1000)
    later(engine, 1000)
    there = [unwrap(engine.qm, data) for data in app.drain("SLOW")]
    assert [data for _, _, data in there] == [b"at once", b"later"] and engine.depth("DLQ") == 0
    assert len({(xqh.remote_q_name, xqh.remote_q_mgr_name) for xqh, _, _ in there}) == 1


def test_arrival_is_confirmed_when_it_arrives(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "REPLY")
    send(app, "Q", b"later", 1000, report=MQRO_COA, reply_to_q="REPLY")
    assert engine.depth("REPLY") == 0
    later(engine, 1000)
    assert app.get("REPLY").md.feedback == MQFB_COA


# -- topics ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def broker() -> Broker:
    made = Broker()
    assert made.admin.define("QLOCAL", STAGING, {}, False) == 0
    return made


def test_a_delayed_publication_goes_to_those_who_are_subscribed_when_it_is_due(broker: Broker) -> None:
    app = broker.connect()
    early = subscribe(app, "news/#")
    handle = open_topic(app, "news/today")
    assert handle is not None and send(app, handle, b"later", 1000).reason == MQRC_NONE
    in_between = subscribe(app, "news/today")
    assert drain(app, early) == []
    later(broker, 1000)
    assert drain(app, early) == drain(app, in_between) == [b"later"]


def test_a_delayed_publication_that_nobody_wants_leaves_nothing_behind(broker: Broker) -> None:
    app = broker.connect()
    handle = open_topic(app, "news/today")
    assert handle is not None and send(app, handle, b"later", 1000).reason == MQRC_NONE
    later(broker, 1000)
    assert broker.depth(STAGING) == 0 and broker.depth("DLQ") == 0 and broker.qm.notices == []


def test_subscriptions_of_the_publisher_are_left_out_if_it_said_so(broker: Broker) -> None:
    app, other = broker.connect(), broker.connect("other")
    own, foreign = subscribe(app, "news"), subscribe(other, "news")
    handle = open_topic(app, "news")
    assert handle is not None
    send(app, handle, b"later", 1000, options=MQPMO_NOT_OWN_SUBS)
    later(broker, 1000)
    assert drain(app, own) == [] and drain(other, foreign) == [b"later"]


def test_a_publication_that_fails_goes_to_the_dead_letter_queue(broker: Broker) -> None:
    broker.topic("NEWS", "news")
    app = broker.connect()
    handle = open_topic(app, "news")
    assert handle is not None
    send(app, handle, b"later", 1000)
    assert broker.admin.alter("TOPIC", "NEWS", {"PUB": "DISABLED"}, False) == 0
    later(broker, 1000)
    header, data = dead(app)
    assert (header.reason, header.dest_q_name, data) == (MQRC_PUT_INHIBITED, "news", b"later")


def test_what_may_not_be_published_now_is_refused_at_once(broker: Broker) -> None:
    broker.topic("NEWS", "news")
    app = broker.connect()
    handle = open_topic(app, "news")
    assert handle is not None
    assert broker.admin.alter("TOPIC", "NEWS", {"PUB": "DISABLED"}, False) == 0
    assert send(app, handle, b"later", 1000).reason == MQRC_PUT_INHIBITED
    assert broker.admin.alter("TOPIC", "NEWS", {"PUB": "ENABLED"}, False) == 0
    assert broker.admin.alter("QMGR", "QM1", {"PSMODE": "DISABLED"}, False) == 0
    assert send(app, handle, b"later", 1000).reason == MQRC_PUBSUB_INHIBITED and broker.depth(STAGING) == 0


def test_a_delayed_publication_warns_of_what_any_publication_warns_of(broker: Broker) -> None:
    app = broker.connect()
    handle = open_topic(app, "news")
    assert handle is not None
    assert app.put(handle, b"now", priority=10).reason == MQRC_PRIORITY_EXCEEDS_MAXIMUM
    assert send(app, handle, b"later", 1000, priority=10).reason == MQRC_PRIORITY_EXCEEDS_MAXIMUM


@pytest.mark.parametrize("topic_string", ["half \ud800", "escaped \udcff", "\u2603" * 100])
def test_any_topic_string_can_wait(broker: Broker, topic_string: str) -> None:
    app = broker.connect()
    subscription, handle = subscribe(app, topic_string), open_topic(app, topic_string)
    assert handle is not None and send(app, handle, b"later", 1000).reason == MQRC_NONE
    later(broker, 1000)
    assert drain(app, subscription) == [b"later"]
