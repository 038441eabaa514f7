"""Reports: when each kind is sent, what is in it, where it goes, and what happens when it cannot go there."""

from __future__ import annotations

from typing import Any

import pytest

from flintmq.mqi.constants import (
    MQAT_QMGR,
    MQFB_COA,
    MQFB_COD,
    MQFB_EXPIRATION,
    MQFMT_DEAD_LETTER_HEADER,
    MQGMO_COMPLETE_MSG,
    MQMF_LAST_SEGMENT,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQMO_NONE,
    MQMT_REPORT,
    MQMT_REQUEST,
    MQRO_ACTIVITY,
    MQRO_COA,
    MQRO_COA_WITH_DATA,
    MQRO_COA_WITH_FULL_DATA,
    MQRO_COD,
    MQRO_COD_WITH_DATA,
    MQRO_COD_WITH_FULL_DATA,
    MQRO_DISCARD_MSG,
    MQRO_EXCEPTION,
    MQRO_EXCEPTION_WITH_FULL_DATA,
    MQRO_EXPIRATION,
    MQRO_EXPIRATION_WITH_DATA,
    MQRO_EXPIRATION_WITH_FULL_DATA,
    MQRO_NAN,
    MQRO_PAN,
    MQRO_PASS_CORREL_ID,
    MQRO_PASS_DISCARD_AND_EXPIRY,
    MQRO_PASS_MSG_ID,
)
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.dlh import SIZE as DLH_SIZE
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import (
    MQCC_WARNING,
    MQRC_MISSING_REPLY_TO_Q,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NONE,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_REPORT_OPTIONS_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_REPORT_OPTION,
)
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.qmgr import remote
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.report import dead_letter, undeliverable
from tests.qmgr.conftest import Answered, App, Engine

MSG_ID = b"M" * 24
CORREL_ID = b"C" * 24
DATA = bytes(range(250))


def put(app: App, report: int, data: bytes = DATA, queue: str | Handle = "Q", **fields: Any) -> Answered:
    fields.setdefault("reply_to_q", "REPLY")
    fields.setdefault("msg_id", MSG_ID)
    fields.setdefault("correl_id", CORREL_ID)
    answered = app.put(queue, data, report=report, **fields)
    assert answered.completion == 0
    return answered


@pytest.fixture
def app(engine: Engine) -> App:
    engine.define("QLOCAL", "REPLY")
    return engine.connect("sender", "maria")


# -- the kinds -------------------------------------------------------------------------------------------------------


def test_arrival_is_confirmed_when_the_message_is_on_its_queue(engine: Engine, app: App) -> None:
    put(app, MQRO_COA, format="MQSTR", coded_char_set_id=819, encoding=273, priority=7, persistence=1)

    report = app.get("REPLY")

    md = report.md
    assert report.data == b""
    assert (md.msg_type, md.feedback, md.report, md.expiry) == (MQMT_REPORT, MQFB_COA, 0, -1)
    assert (md.format, md.coded_char_set_id, md.encoding) == ("MQSTR", 819, 273)
    assert (md.priority, md.persistence) == (7, 1)
    assert (md.user_identifier, md.put_appl_type, md.put_appl_name) == ("maria", MQAT_QMGR, "QM1")
    assert (md.reply_to_q, md.reply_to_q_mgr) == ("", "QM1")
    assert (md.put_date, md.put_time) == ("20231114", "22132000")
    assert md.original_length == len(DATA)
    assert engine.depth("Q") == 1


def test_delivery_is_confirmed_when_the_message_is_got_and_not_when_it_is_browsed(engine: Engine, app: App) -> None:
    put(app, MQRO_COD)
    app.browse("Q", first=True)
    assert engine.depth("REPLY") == 0

    app.get("Q")

    report = app.get("REPLY")
    assert (report.md.feedback, report.md.msg_type) == (MQFB_COD, MQMT_REPORT)


def test_expiration_is_reported_when_the_message_is_discarded(engine: Engine, app: App) -> None:
    put(app, MQRO_EXPIRATION | MQRO_COD, expiry=10)
    engine.clock.advance(1000)

    assert app.get("Q").reason == MQRC_NO_MSG_AVAILABLE

    assert app.get("REPLY").md.feedback == MQFB_EXPIRATION
    assert app.get("REPLY").reason == MQRC_NO_MSG_AVAILABLE, "nobody has got it: no confirmation of delivery"


def test_a_failed_put_makes_no_report(engine: Engine, app: App) -> None:
    engine.alter("Q", {"PUT": "DISABLED"})
    refused = app.put("Q", DATA, report=MQRO_COA | MQRO_EXCEPTION, reply_to_q="REPLY")

    assert refused.reason == MQRC_PUT_INHIBITED
    assert engine.depth("REPLY") == 0


@pytest.mark.parametrize(
    ("report", "length"),
    [
        (MQRO_COA, 0),
        (MQRO_COA_WITH_DATA, 100),
        (MQRO_COA_WITH_FULL_DATA, 250),
        (MQRO_COD, 0),
        (MQRO_COD_WITH_DATA, 100),
        (MQRO_COD_WITH_FULL_DATA, 250),
        (MQRO_EXPIRATION, 0),
        (MQRO_EXPIRATION_WITH_DATA, 100),
        (MQRO_EXPIRATION_WITH_FULL_DATA, 250),
    ],
)
def test_a_report_has_no_data_the_first_hundred_bytes_or_all(
    engine: Engine, app: App, report: int, length: int
) -> None:
    put(app, report, expiry=10)
    if report & MQRO_EXPIRATION:
        engine.clock.advance(1000)
    app.get("Q")

    assert app.get("REPLY").data == DATA[:length]


def test_headers_come_in_addition_to_the_first_hundred_bytes(engine: Engine, app: App) -> None:
    header = MQRFH2()
    header.format = "MQSTR"
    packed = header.pack()
    put(app, MQRO_COA_WITH_DATA, packed + DATA, format="MQHRF2")

    report = app.get("REPLY")

    assert report.data == packed + DATA[:100]
    assert (report.md.format, report.md.original_length) == ("MQHRF2", len(DATA))


@pytest.mark.parametrize(
    ("report", "msg_id", "correl_id"),
    [
        (0, None, MSG_ID),
        (MQRO_PASS_CORREL_ID, None, CORREL_ID),
        (MQRO_PASS_MSG_ID, MSG_ID, MSG_ID),
        (MQRO_PASS_MSG_ID | MQRO_PASS_CORREL_ID, MSG_ID, CORREL_ID),
    ],
)
def test_the_sender_says_where_its_ids_go(
    engine: Engine, app: App, report: int, msg_id: bytes | None, correl_id: bytes
) -> None:
    put(app, MQRO_COA | report)

    md = app.get("REPLY").md

    assert md.correl_id == correl_id
    if msg_id is None:
        assert md.msg_id[:4] == b"AMQ " and md.msg_id != MSG_ID
    else:
        assert md.msg_id == msg_id


def test_discard_and_expiry_are_passed_on_if_the_sender_says_so(engine: Engine, app: App) -> None:
    put(app, MQRO_COD | MQRO_PASS_DISCARD_AND_EXPIRY | MQRO_DISCARD_MSG, expiry=100)
    put(app, MQRO_COD | MQRO_DISCARD_MSG, expiry=100)
    engine.clock.advance(3000)
    app.get("Q")
    app.get("Q")

    passed, plain = app.get("REPLY").md, app.get("REPLY").md

    assert (passed.report, passed.expiry) == (MQRO_DISCARD_MSG, 70)
    assert (plain.report, plain.expiry) == (0, -1)


def test_an_expiration_report_that_inherits_expiry_lives_for_a_minute(engine: Engine, app: App) -> None:
    put(app, MQRO_EXPIRATION | MQRO_PASS_DISCARD_AND_EXPIRY, expiry=10)
    engine.clock.advance(1000)
    app.get("Q")

    assert app.get("REPLY").md.expiry == 600


def test_messages_with_a_dead_letter_header_are_not_confirmed(engine: Engine, app: App) -> None:
    put(app, MQRO_COA | MQRO_COD, format=MQFMT_DEAD_LETTER_HEADER)
    app.get("Q")

    assert engine.depth("REPLY") == 0


def test_reports_are_not_reported(engine: Engine, app: App) -> None:
    put(app, MQRO_COA | MQRO_COD | MQRO_PASS_DISCARD_AND_EXPIRY)
    app.get("REPLY")

    assert engine.depth("REPLY") == 0


# -- units of work ---------------------------------------------------------------------------------------------------


def test_arrival_is_confirmed_with_the_commit_and_not_at_all_after_backout(engine: Engine, app: App) -> None:
    put(app, MQRO_COA, syncpoint=True)
    assert app.get("REPLY").reason == MQRC_NO_MSG_AVAILABLE
    app.backout()
    assert engine.depth("REPLY") == 0

    put(app, MQRO_COA, syncpoint=True)
    app.commit()
    assert app.get("REPLY").md.feedback == MQFB_COA


def test_delivery_is_confirmed_in_the_unit_of_work_of_the_get(engine: Engine, app: App) -> None:
    put(app, MQRO_COD)
    app.get("Q", syncpoint=True)
    assert app.get("REPLY").reason == MQRC_NO_MSG_AVAILABLE
    app.backout()
    assert engine.depth("REPLY") == 0

    app.get("Q", syncpoint=True)
    app.commit()
    assert app.get("REPLY").md.feedback == MQFB_COD


# -- segments --------------------------------------------------------------------------------------------------------


def test_each_segment_is_confirmed_and_the_confirmations_join_like_the_segments(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "SHORT", {"MAXMSGL": 112})
    put(app, MQRO_COA, queue="SHORT", version=2, msg_flags=MQMF_SEGMENTATION_ALLOWED)
    assert engine.depth("REPLY") == 3

    whole = app.get("REPLY", options=MQGMO_COMPLETE_MSG, match_options=MQMO_NONE)

    assert (whole.reason, whole.data, whole.md.feedback) == (MQRC_NONE, b"", MQFB_COA)
    assert engine.depth("REPLY") == 0


def test_confirmations_of_two_kinds_are_not_joined(engine: Engine, app: App) -> None:
    for number, (offset, flags) in enumerate([(0, MQMF_SEGMENT), (10, MQMF_LAST_SEGMENT)]):
        put(app, MQRO_COA | MQRO_COD, bytes(10), version=2, msg_flags=flags, offset=offset, group_id=b"G" * 24)
        if number == 0:
            app.get("Q")

    feedback = app.get("REPLY", options=MQGMO_COMPLETE_MSG, match_options=MQMO_NONE).md.feedback

    assert feedback == MQFB_COA
    assert app.get("REPLY", options=MQGMO_COMPLETE_MSG, match_options=MQMO_NONE).reason == MQRC_NO_MSG_AVAILABLE
    app.get("Q")
    last = app.get("REPLY", options=MQGMO_COMPLETE_MSG, match_options=MQMO_NONE)
    assert (last.md.feedback, engine.depth("REPLY")) == (MQFB_COD, 0)


def test_a_complete_message_is_confirmed_once(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "SHORT", {"MAXMSGL": 112})
    put(app, MQRO_COD_WITH_FULL_DATA, queue="SHORT", version=2, msg_flags=MQMF_SEGMENTATION_ALLOWED)

    app.get("SHORT", options=MQGMO_COMPLETE_MSG, match_options=MQMO_NONE)

    assert app.get("REPLY").data == DATA
    assert engine.depth("REPLY") == 0


# -- options ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        (0x0000_0200, MQRC_REPORT_OPTIONS_ERROR),  # "with data" without the report itself
        (0x0000_0500, MQRC_REPORT_OPTIONS_ERROR),
        (0x0000_1000, MQRC_REPORT_OPTIONS_ERROR),
        (0x0040_0000, MQRC_REPORT_OPTIONS_ERROR),
        (0x0400_0000, MQRC_REPORT_OPTIONS_ERROR),
        (0x0004_0000, MQRC_REPORT_OPTIONS_ERROR),  # unknown, to be refused
        (0x1000_0000, MQRC_REPORT_OPTIONS_ERROR),
        (0x0001_0000, MQRC_REPORT_OPTIONS_ERROR),  # unknown, accepted on the way to another queue manager only
        (0x0000_0008, MQRC_UNKNOWN_REPORT_OPTION),  # unknown, accepted
        (0x2000_0000, MQRC_UNKNOWN_REPORT_OPTION),
        (MQRO_DISCARD_MSG | MQRO_PASS_MSG_ID, MQRC_NONE),
    ],
)
def test_report_options_that_cannot_be(engine: Engine, app: App, report: int, reason: int) -> None:
    answered = app.put("Q", report=report)

    assert answered.reason == reason
    if reason == MQRC_UNKNOWN_REPORT_OPTION:
        assert answered.completion == MQCC_WARNING
    assert engine.depth("Q") == (0 if reason == MQRC_REPORT_OPTIONS_ERROR else 1)


@pytest.mark.parametrize(
    "report", [MQRO_COA, MQRO_COD, MQRO_EXPIRATION, MQRO_EXCEPTION, MQRO_PAN, MQRO_NAN, MQRO_ACTIVITY]
)
def test_who_wants_a_report_says_where_to(engine: Engine, app: App, report: int) -> None:
    assert app.put("Q", report=report).reason == MQRC_MISSING_REPLY_TO_Q
    assert app.put("Q", msg_type=MQMT_REQUEST).reason == MQRC_MISSING_REPLY_TO_Q


def test_an_unknown_option_for_the_destination_passes_on_the_way_there(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "QM2", {"USAGE": "XMITQ"})
    handle = app.open("FAR", q_mgr="QM2")

    assert app.put(handle, report=0x0001_0000).reason == MQRC_UNKNOWN_REPORT_OPTION


# -- where reports go ------------------------------------------------------------------------------------------------


def test_a_report_for_another_queue_manager_goes_to_the_transmission_queue(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "QM2", {"USAGE": "XMITQ"})
    put(app, MQRO_COA_WITH_DATA, reply_to_q="FAR.REPLY", reply_to_q_mgr="QM2")

    xqh, md, data = remote.unwrap(engine.qm, app.get("QM2").data)

    assert (xqh.remote_q_name, xqh.remote_q_mgr_name) == ("FAR.REPLY", "QM2")
    assert (md.msg_type, md.feedback, md.correl_id) == (MQMT_REPORT, MQFB_COA, MSG_ID)
    assert data == DATA[:100]


def test_a_report_goes_through_an_alias(engine: Engine, app: App) -> None:
    engine.define("QALIAS", "ALIAS", {"TARGET": "REPLY"})
    put(app, MQRO_COA, reply_to_q="ALIAS")
    assert engine.depth("REPLY") == 1


@pytest.mark.parametrize(
    ("reply_to", "reason"), [("NOWHERE", MQRC_UNKNOWN_OBJECT_NAME), ("FULL", MQRC_Q_FULL), ("SHUT", MQRC_PUT_INHIBITED)]
)
def test_a_report_that_cannot_be_put_goes_to_the_dead_letter_queue(
    engine: Engine, app: App, reply_to: str, reason: int
) -> None:
    engine.define("QLOCAL", "FULL", {"MAXDEPTH": 1})
    engine.define("QLOCAL", "BASE")
    engine.define("QALIAS", "SHUT", {"TARGET": "BASE", "PUT": "DISABLED"})
    app.put("FULL")

    put(app, MQRO_COA_WITH_DATA, reply_to_q=reply_to, format="MQSTR")

    dead = app.get("DLQ")
    dlh = MQDLH.unpack(dead.data)
    assert (dlh.reason, dlh.dest_q_name, dlh.dest_q_mgr_name) == (reason, reply_to, "QM1")
    assert (dlh.format, dlh.put_appl_name) == ("MQSTR", "QM1")
    assert (dead.md.format, dead.md.feedback, dead.md.correl_id) == (MQFMT_DEAD_LETTER_HEADER, MQFB_COA, MSG_ID)
    assert dead.data[DLH_SIZE:] == DATA[:100]


def test_a_report_that_nobody_takes_is_dropped_with_a_notice_and_the_put_is_none_the_worse(
    engine: Engine, app: App
) -> None:
    engine.alter("QM1", {"DEADQ": ""}, "QMGR")

    put(app, MQRO_COA, reply_to_q="NOWHERE")

    assert engine.depth("Q") == 1
    assert [number for number, _ in engine.qm.notices] == ["AMQ9544W"]
    assert "NOWHERE" in engine.qm.notices[0][1]


def test_an_expired_message_on_a_transmission_queue_is_reported_for_what_is_in_it(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "QM2", {"USAGE": "XMITQ"})
    handle = app.open("FAR", q_mgr="QM2")
    put(app, MQRO_EXPIRATION_WITH_FULL_DATA | MQRO_COA, queue=handle, expiry=10, format="MQSTR")
    engine.clock.advance(1000)

    assert app.get("QM2").reason == MQRC_NO_MSG_AVAILABLE

    report = app.get("REPLY")
    assert (report.md.feedback, report.md.correl_id, report.md.format) == (MQFB_EXPIRATION, MSG_ID, "MQSTR")
    assert report.data == DATA
    assert engine.depth("REPLY") == 0


# -- messages from elsewhere -----------------------------------------------------------------------------------------


def from_elsewhere(report: int) -> MQMD:
    md = MQMD()
    md.version = 2
    md.msg_id = MSG_ID
    md.report = report
    md.reply_to_q = "REPLY"
    md.reply_to_q_mgr = "QM1"
    md.persistence = md.priority = 0
    md.coded_char_set_id = 1208
    md.format = "MQSTR"
    return md


def test_an_undeliverable_message_goes_to_the_dead_letter_queue_and_is_reported(engine: Engine, app: App) -> None:
    md = from_elsewhere(MQRO_EXCEPTION_WITH_FULL_DATA)

    reason = undeliverable(engine.qm, app.connection, b"data", md, "GONE", "QM1", MQRC_UNKNOWN_OBJECT_NAME, True)

    assert reason == MQRC_NONE
    assert app.get("DLQ").reason == MQRC_NO_MSG_AVAILABLE, "in the unit of work of who tried"
    app.commit()
    dead = app.get("DLQ")
    assert MQDLH.unpack(dead.data).dest_q_name == "GONE"
    assert (dead.md.msg_id, dead.data[DLH_SIZE:]) == (MSG_ID, b"data")
    report = app.get("REPLY")
    assert (report.md.feedback, report.data) == (MQRC_UNKNOWN_OBJECT_NAME, b"data")


def test_an_undeliverable_message_that_may_be_discarded_is(engine: Engine, app: App) -> None:
    md = from_elsewhere(MQRO_DISCARD_MSG | MQRO_EXCEPTION)

    assert undeliverable(engine.qm, app.connection, b"", md, "GONE", "QM1", MQRC_Q_FULL, False) == MQRC_NONE

    assert engine.depth("DLQ") == 0
    assert app.get("REPLY").md.feedback == MQRC_Q_FULL


def test_without_a_dead_letter_queue_an_undeliverable_message_stays_where_it_is(engine: Engine, app: App) -> None:
    engine.alter("QM1", {"DEADQ": "NONE.SUCH"}, "QMGR")
    md = from_elsewhere(MQRO_EXCEPTION)

    reason = undeliverable(engine.qm, app.connection, b"", md, "GONE", "QM1", MQRC_Q_FULL, False)

    assert reason == MQRC_UNKNOWN_OBJECT_NAME
    assert engine.depth("REPLY") == 0


def test_a_full_dead_letter_queue_says_so(engine: Engine, app: App) -> None:
    engine.alter("DLQ", {"MAXDEPTH": 0})
    md = from_elsewhere(0)
    assert dead_letter(engine.qm, app.connection, b"", md, "GONE", "QM1", MQRC_Q_FULL, False) == MQRC_Q_FULL


@pytest.mark.parametrize(
    "name",
    [
        "SYSTEM.DDELAY.LOCAL.QUEUE",
        "SYSTEM.DURABLE.SUBSCRIBER.QUEUE",
        "SYSTEM.RETAINED.PUB.QUEUE",
        "SYSTEM.PROTECTION.POLICY.QUEUE",
    ],
)
@pytest.mark.parametrize("through_alias", [False, True])
def test_no_report_goes_where_the_queue_manager_keeps_what_it_trusts(
    engine: Engine, app: App, name: str, through_alias: bool
) -> None:
    engine.define("QLOCAL", name)
    if through_alias:
        engine.define("QALIAS", "ALIAS", {"TARGET": name})
    put(app, MQRO_COA_WITH_FULL_DATA | MQRO_COD_WITH_FULL_DATA, reply_to_q="ALIAS" if through_alias else name)
    app.get("Q")
    # Nor to the dead-letter queue: a dead-letter handler would deliver it with its own authority (issue 14, item 1).
    assert engine.depth(name) == 0 and engine.depth("DLQ") == 0
    assert [number for number, _ in engine.qm.notices] == ["AMQ9544W"] * 2
