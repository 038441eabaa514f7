"""Messages for other queue managers: the transmission header, both descriptors, lengths, and reply-to names."""

from __future__ import annotations

import pytest

from flintmq.mqi.constants import (
    MQAT_QMGR,
    MQENC_NATIVE,
    MQFMT_MD_EXTENSION,
    MQFMT_XMIT_Q_HEADER,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENTATION_ALLOWED,
    MQMT_REQUEST,
    MQRO_COA,
    MQRO_COD,
    MQRO_EXCEPTION,
    MQRO_EXPIRATION,
    MQRO_PASS_MSG_ID,
)
from flintmq.mqi.errors import StructureError
from flintmq.mqi.md import NO_ID
from flintmq.mqi.mde import MQMDE
from flintmq.mqi.reason import (
    MQRC_MD_ERROR,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_NONE,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_UNKNOWN_REMOTE_Q_MGR,
)
from flintmq.mqi.xqh import MQXQH
from flintmq.mqi.xqh import SIZE as XQH_SIZE
from flintmq.qmgr.remote import unwrap
from tests.qmgr.conftest import App, Engine

GROUP = b"G" * 24


@pytest.fixture
def app(engine: Engine) -> App:
    engine.define("QLOCAL", "QM2", {"USAGE": "XMITQ"})
    engine.define("QREMOTE", "FAR", {"RNAME": "ORDERS", "RQMNAME": "QM2"})
    return engine.connect("sender", "maria")


def test_a_put_to_a_remote_queue_lies_on_the_transmission_queue_with_a_header(engine: Engine, app: App) -> None:
    answered = app.put("FAR", b"data", format="MQSTR", coded_char_set_id=819, encoding=273)

    assert answered.reason == MQRC_NONE
    assert (answered.pmo.resolved_q_name, answered.pmo.resolved_q_mgr_name) == ("ORDERS", "QM2")
    got = app.get("QM2")
    xqh = MQXQH.unpack(got.data)
    assert (xqh.remote_q_name, xqh.remote_q_mgr_name) == ("ORDERS", "QM2")
    embedded = xqh.msg_desc
    assert (embedded.version, embedded.msg_id, embedded.format) == (1, answered.md.msg_id, "MQSTR")
    assert (embedded.coded_char_set_id, embedded.encoding) == (819, 273)
    assert (embedded.put_appl_name, embedded.user_identifier) == ("sender", "maria")
    assert got.data[XQH_SIZE:] == b"data"


def test_the_separate_descriptor_is_the_queue_managers(engine: Engine, app: App) -> None:
    report = MQRO_COA | MQRO_COD | MQRO_EXCEPTION | MQRO_EXPIRATION | MQRO_PASS_MSG_ID
    put = app.put(
        "FAR",
        b"data",
        report=report,
        reply_to_q="REPLY",
        msg_type=MQMT_REQUEST,
        priority=3,
        persistence=1,
        expiry=100,
        correl_id=b"C" * 24,
        feedback=77,
    )
    engine.clock.advance(1000)

    md = app.get("QM2").md

    assert (md.format, md.encoding, md.coded_char_set_id) == (MQFMT_XMIT_Q_HEADER, MQENC_NATIVE, 1208)
    assert md.msg_id[:4] == b"AMQ " and md.msg_id != put.md.msg_id
    assert md.correl_id == put.md.msg_id
    assert md.report == MQRO_EXCEPTION | MQRO_EXPIRATION | MQRO_PASS_MSG_ID, "COA and COD are for the destination"
    assert (md.msg_type, md.feedback, md.priority, md.persistence, md.expiry) == (MQMT_REQUEST, 77, 3, 1, 90)
    assert (md.reply_to_q, md.reply_to_q_mgr) == ("REPLY", "QM1")
    assert (md.user_identifier, md.put_appl_type, md.put_appl_name) == ("maria", MQAT_QMGR, "QM1")
    assert (md.group_id, md.msg_seq_number, md.offset, md.msg_flags) == (NO_ID, 1, 0, 0)


def test_arrival_on_a_transmission_queue_is_not_confirmed(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "REPLY")
    app.put("FAR", b"data", report=MQRO_COA | MQRO_COD, reply_to_q="REPLY")
    app.get("QM2")

    assert engine.depth("REPLY") == 0


def test_version_2_fields_travel_in_an_extension(engine: Engine, app: App) -> None:
    app.put("FAR", b"data", version=2, msg_flags=MQMF_LAST_MSG_IN_GROUP, group_id=GROUP, msg_seq_number=9, format="X")

    got = app.get("QM2")

    embedded = MQXQH.unpack(got.data).msg_desc
    assert (embedded.version, embedded.format, embedded.encoding) == (1, MQFMT_MD_EXTENSION, MQENC_NATIVE)
    mde = MQMDE.unpack(got.data, XQH_SIZE)
    assert (mde.group_id, mde.msg_seq_number, mde.format) == (GROUP, 9, "X")
    assert mde.msg_flags == MQMF_LAST_MSG_IN_GROUP | MQMF_MSG_IN_GROUP
    _, md, data = unwrap(engine.qm, got.data)
    assert (md.version, md.group_id, md.msg_seq_number, md.format, data) == (2, GROUP, 9, "X", b"data")


def test_a_version_2_descriptor_that_says_nothing_more_needs_no_extension(engine: Engine, app: App) -> None:
    app.put("FAR", b"data", version=2)
    assert app.get("QM2").data_length == XQH_SIZE + 4


def test_the_header_counts_for_the_length_of_the_transmission_queue(engine: Engine, app: App) -> None:
    engine.alter("QM2", {"MAXMSGL": 1000})

    assert app.put("FAR", bytes(1000 - XQH_SIZE)).reason == MQRC_NONE
    assert app.put("FAR", bytes(1001 - XQH_SIZE)).reason == MQRC_MSG_TOO_BIG_FOR_Q
    assert engine.depth("QM2") == 1


def test_the_header_does_not_count_for_the_queue_managers_limit(engine: Engine, app: App) -> None:
    engine.alter("QM1", {"MAXMSGL": 32_768}, "QMGR")
    engine.alter("QM2", {"MAXMSGL": 32_768 + 4000})

    assert app.put("FAR", bytes(32_768)).reason == MQRC_NONE
    assert app.put("FAR", bytes(32_769)).reason == MQRC_MSG_TOO_BIG_FOR_Q_MGR


def test_a_message_too_long_for_the_transmission_queue_is_cut_if_that_is_allowed(engine: Engine, app: App) -> None:
    engine.alter("QM2", {"MAXMSGL": 600})
    data = bytes(range(250))

    app.put("FAR", data, version=2, msg_flags=MQMF_SEGMENTATION_ALLOWED)

    assert engine.depth("QM2") == 3
    pieces = [unwrap(engine.qm, app.get("QM2").data) for _ in range(3)]
    assert [md.offset for _, md, _ in pieces] == [0, 96, 192]
    assert b"".join(piece for _, _, piece in pieces) == data
    assert {xqh.remote_q_name for xqh, _, _ in pieces} == {"ORDERS"}


def test_a_remote_put_under_syncpoint_is_there_after_commit(engine: Engine, app: App) -> None:
    app.put("FAR", b"1", syncpoint=True)
    app.backout()
    assert engine.depth("QM2") == 0
    app.put("FAR", b"2", syncpoint=True)
    app.commit()
    assert app.get("QM2").data[XQH_SIZE:] == b"2"


@pytest.mark.parametrize(
    ("changes", "reason"), [({"PUT": "DISABLED"}, MQRC_PUT_INHIBITED), ({"MAXDEPTH": 0}, MQRC_Q_FULL)]
)
def test_what_the_transmission_queue_refuses_is_refused(
    engine: Engine, app: App, changes: dict[str, str | int | list[str]], reason: int
) -> None:
    engine.alter("QM2", changes)
    assert app.put("FAR").reason == reason


def test_a_remote_definition_can_be_inhibited(engine: Engine, app: App) -> None:
    engine.alter("FAR", {"PUT": "DISABLED"})
    assert app.put("FAR").reason == MQRC_PUT_INHIBITED


def test_a_queue_of_another_queue_manager_is_for_output_only(engine: Engine, app: App) -> None:
    assert app.try_open("FAR", 1) is None
    assert app.connection.reason == MQRC_OPTION_NOT_VALID_FOR_TYPE
    assert app.put1("ANY", b"x", q_mgr="QM2").reason == MQRC_NONE
    assert app.put1("ANY", b"x", q_mgr="QM9").reason == MQRC_UNKNOWN_REMOTE_Q_MGR
    xqh, _, _ = unwrap(engine.qm, app.get("QM2").data)
    assert (xqh.remote_q_name, xqh.remote_q_mgr_name) == ("ANY", "QM2")


def test_the_default_transmission_queue_takes_what_has_no_other(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "ELSEWHERE", {"USAGE": "XMITQ"})
    engine.alter("QM1", {"DEFXMITQ": "ELSEWHERE"}, "QMGR")
    assert app.put1("ANY", b"x", q_mgr="QM9").reason == MQRC_NONE
    xqh, _, _ = unwrap(engine.qm, app.get("ELSEWHERE").data)
    assert (xqh.remote_q_name, xqh.remote_q_mgr_name) == ("ANY", "QM9")


def test_a_descriptor_that_has_no_place_in_the_header_is_refused(engine: Engine, app: App) -> None:
    assert app.put("FAR", format="MUCH TOO LONG").reason == MQRC_MD_ERROR
    assert engine.depth("QM2") == 0


def test_data_without_a_header_cannot_be_unwrapped(engine: Engine) -> None:
    with pytest.raises(StructureError):
        unwrap(engine.qm, b"nothing of the kind")


# -- reply-to --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (("REPLY", ""), ("REPLY", "QM1")),  # a queue of this queue manager, whether or not it exists
        (("REPLY", "QM7"), ("REPLY", "QM7")),
        (("FAR", ""), ("ORDERS", "QM2")),  # a local definition of a remote queue
        (("FAR", "QM1"), ("FAR", "QM1")),  # not looked up when the queue manager is named
        (("VIA", ""), ("VIA", "QM1")),  # a queue manager alias is no reply-to alias
        (("", ""), ("", "QM1")),  # filled in though there is no queue to reply to: IBM's sink connector expects it
        (("", "QM7"), ("", "QM7")),
    ],
)
def test_a_reply_to_queue_gets_its_queue_manager(
    engine: Engine, app: App, given: tuple[str, str], stored: tuple[str, str]
) -> None:
    engine.define("QREMOTE", "VIA", {"RQMNAME": "QM2"})

    app.put("Q", reply_to_q=given[0], reply_to_q_mgr=given[1])

    md = app.get("Q").md
    assert (md.reply_to_q, md.reply_to_q_mgr) == stored


def test_a_message_for_another_queue_manager_says_where_it_was_put(engine: Engine, app: App) -> None:
    """Also if nobody is to reply. The queue manager that it arrives at would take a blank for its own name."""
    app.put("FAR", b"data")
    _, md, _ = unwrap(engine.qm, app.get("QM2").data)
    assert (md.reply_to_q, md.reply_to_q_mgr) == ("", "QM1")


def test_the_putting_application_keeps_a_blank_reply_to_queue_manager(engine: Engine, app: App) -> None:
    """It is an input field of MQPUT; a message for who waits already says the same as any other."""
    reader = engine.connect("reader")
    waiting = reader.get("Q", wait_ms=1_000)
    put = app.put("Q", b"data")
    assert put.md.reply_to_q_mgr == ""
    assert waiting.completed().md.reply_to_q_mgr == "QM1"
