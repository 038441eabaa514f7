"""MQOPEN, MQPUT and MQPUT1: the options and descriptors that are refused, with which reason, and which comes first."""

from __future__ import annotations

from typing import Any

import pytest

from flintmq.mqi.constants import (
    MQAT_UNIX,
    MQFMT_MD_EXTENSION,
    MQMF_MSG_IN_GROUP,
    MQMT_APPL_FIRST,
    MQMT_REQUEST,
    MQOO_ALTERNATE_USER_AUTHORITY,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_PASS_IDENTITY_CONTEXT,
    MQOO_SAVE_ALL_CONTEXT,
    MQOO_SET,
    MQOO_SET_ALL_CONTEXT,
    MQOO_SET_IDENTITY_CONTEXT,
    MQOT_NAMELIST,
    MQOT_PROCESS,
    MQOT_Q,
    MQOT_Q_MGR,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_DEFAULT_CONTEXT,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_LOGICAL_ORDER,
    MQPMO_NEW_CORREL_ID,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_CONTEXT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_PASS_IDENTITY_CONTEXT,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SET_IDENTITY_CONTEXT,
    MQPMO_SYNC_RESPONSE,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.md import NO_ID
from flintmq.mqi.od import MQOD
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_WARNING,
    MQRC_ALIAS_BASE_Q_TYPE_ERROR,
    MQRC_CONTEXT_HANDLE_ERROR,
    MQRC_CONTEXT_NOT_AVAILABLE,
    MQRC_DYNAMIC_Q_NAME_ERROR,
    MQRC_EXPIRY_ERROR,
    MQRC_FEEDBACK_ERROR,
    MQRC_HANDLE_NOT_AVAILABLE,
    MQRC_HCONN_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_MD_ERROR,
    MQRC_MDE_ERROR,
    MQRC_MISSING_REPLY_TO_Q,
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_MSG_TYPE_ERROR,
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_NOT_OPEN_FOR_OUTPUT,
    MQRC_NOT_OPEN_FOR_PASS_ALL,
    MQRC_NOT_OPEN_FOR_PASS_IDENT,
    MQRC_NOT_OPEN_FOR_SET_ALL,
    MQRC_NOT_OPEN_FOR_SET_IDENT,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_OPTIONS_ERROR,
    MQRC_PERSISTENCE_ERROR,
    MQRC_PERSISTENT_NOT_ALLOWED,
    MQRC_PRIORITY_ERROR,
    MQRC_PRIORITY_EXCEEDS_MAXIMUM,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_Q_MGR_QUIESCING,
    MQRC_REPORT_OPTIONS_ERROR,
    MQRC_SYNCPOINT_LIMIT_REACHED,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_OBJECT_Q_MGR,
    MQRC_UNKNOWN_REMOTE_Q_MGR,
    MQRC_UNKNOWN_XMIT_Q,
)
from flintmq.qmgr.connect import disconnect
from flintmq.qmgr.security import Authority
from tests.qmgr.conftest import App, Engine


@pytest.fixture
def app(engine: Engine) -> App:
    return engine.connect("program", "maria")


def refusal(app: App, name: str, options: int, object_type: int = MQOT_Q, **fields: Any) -> int:
    """The reason of an MQOPEN, 0 if it works."""
    od = MQOD()
    od.object_name = name
    od.object_type = object_type
    for field, value in fields.items():
        setattr(od, field, value)
    app.qm.open(app.connection, od, options)
    return app.connection.reason


# -- MQOPEN ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        0,
        MQOO_FAIL_IF_QUIESCING,
        1 << 30,
        MQOO_OUTPUT | 1 << 30,
        MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE,
        MQOO_INPUT_AS_Q_DEF | MQOO_INPUT_SHARED,
        MQOO_SAVE_ALL_CONTEXT | MQOO_OUTPUT,
        MQOO_SAVE_ALL_CONTEXT | MQOO_BROWSE,
        MQOO_PASS_ALL_CONTEXT | MQOO_INPUT_SHARED,
        MQOO_PASS_IDENTITY_CONTEXT | MQOO_INQUIRE,
        MQOO_SET_ALL_CONTEXT | MQOO_BROWSE,
        MQOO_SET_IDENTITY_CONTEXT | MQOO_SET,
    ],
)
def test_open_options_that_do_not_go_together(app: App, options: int) -> None:
    assert refusal(app, "Q", options) == MQRC_OPTIONS_ERROR
    assert app.connection.completion == MQCC_FAILED
    assert not app.connection.handles


def define_names(engine: Engine) -> None:
    engine.define("QALIAS", "TO.NOTHING", {"TARGET": "NONE.SUCH"})
    engine.define("QALIAS", "TO.Q", {"TARGET": "Q"})
    engine.define("QALIAS", "TO.ALIAS", {"TARGET": "TO.Q"})
    engine.define("QREMOTE", "FAR", {"RNAME": "X", "RQMNAME": "QM2"})
    engine.define("QREMOTE", "FAR.NO.XMITQ", {"RNAME": "X", "RQMNAME": "QM2", "XMITQ": "NONE.SUCH"})
    engine.define("QLOCAL", "QM3", {"USAGE": "XMITQ"})
    engine.define("QREMOTE", "FAR.3", {"RNAME": "X", "RQMNAME": "QM3"})
    engine.define("QMODEL", "MODEL", {"DEFTYPE": "TEMPDYN"})
    engine.define("PROCESS", "P")
    engine.define("NAMELIST", "N")


@pytest.mark.parametrize(
    ("name", "options", "fields", "reason"),
    [
        ("NONE.SUCH", MQOO_OUTPUT, {}, MQRC_UNKNOWN_OBJECT_NAME),
        ("Q", MQOO_OUTPUT, {"object_q_mgr_name": "QM9"}, MQRC_UNKNOWN_REMOTE_Q_MGR),
        ("Q", MQOO_INPUT_SHARED, {"object_q_mgr_name": "QM9"}, MQRC_UNKNOWN_OBJECT_Q_MGR),
        ("Q", MQOO_OUTPUT, {"object_q_mgr_name": "QM1"}, MQRC_NONE),
        ("TO.NOTHING", MQOO_OUTPUT, {}, MQRC_UNKNOWN_ALIAS_BASE_Q),
        ("TO.ALIAS", MQOO_OUTPUT, {}, MQRC_ALIAS_BASE_Q_TYPE_ERROR),
        ("FAR", MQOO_OUTPUT, {}, MQRC_UNKNOWN_REMOTE_Q_MGR),
        ("FAR.NO.XMITQ", MQOO_OUTPUT, {}, MQRC_UNKNOWN_XMIT_Q),
        ("FAR.3", MQOO_OUTPUT, {}, MQRC_NONE),
        ("FAR.3", MQOO_INPUT_SHARED, {}, MQRC_OPTION_NOT_VALID_FOR_TYPE),
        ("FAR.3", MQOO_BROWSE, {}, MQRC_OPTION_NOT_VALID_FOR_TYPE),
        ("FAR.NO.XMITQ", MQOO_BROWSE, {}, MQRC_UNKNOWN_XMIT_Q),  # the name before the options
        ("MODEL", MQOO_INPUT_SHARED, {"dynamic_q_name": "bad name"}, MQRC_DYNAMIC_Q_NAME_ERROR),
        ("MODEL", MQOO_INPUT_SHARED, {"dynamic_q_name": ""}, MQRC_DYNAMIC_Q_NAME_ERROR),
        ("MODEL", MQOO_INPUT_SHARED, {"dynamic_q_name": "Q"}, MQRC_OBJECT_ALREADY_EXISTS),
        ("MODEL", MQOO_INPUT_SHARED, {"dynamic_q_name": "TEMP.*"}, MQRC_NONE),
        ("Q", MQOO_INQUIRE, {"object_type": 99}, MQRC_OBJECT_TYPE_ERROR),
        ("QM1", MQOO_INQUIRE, {"object_type": MQOT_Q_MGR}, MQRC_NONE),
        ("", MQOO_INQUIRE, {"object_type": MQOT_Q_MGR}, MQRC_NONE),
        ("QM9", MQOO_INQUIRE, {"object_type": MQOT_Q_MGR}, MQRC_UNKNOWN_OBJECT_NAME),
        ("QM1", MQOO_OUTPUT, {"object_type": MQOT_Q_MGR}, MQRC_OPTION_NOT_VALID_FOR_TYPE),
        ("P", MQOO_INQUIRE, {"object_type": MQOT_PROCESS}, MQRC_NONE),
        ("P", MQOO_SET | MQOO_INQUIRE, {"object_type": MQOT_PROCESS}, MQRC_OPTION_NOT_VALID_FOR_TYPE),
        ("N", MQOO_INQUIRE, {"object_type": MQOT_NAMELIST}, MQRC_NONE),
        ("N", MQOO_INQUIRE, {"object_type": MQOT_PROCESS}, MQRC_UNKNOWN_OBJECT_NAME),
        ("P", MQOO_INQUIRE, {"object_type": MQOT_PROCESS, "object_q_mgr_name": "QM9"}, MQRC_UNKNOWN_OBJECT_Q_MGR),
    ],
)
def test_where_a_name_leads(
    engine: Engine, app: App, name: str, options: int, fields: dict[str, Any], reason: int
) -> None:
    define_names(engine)
    assert refusal(app, name, options, **fields) == reason
    assert len(app.connection.handles) == (0 if reason else 1)


def test_a_queue_in_use_refuses_those_who_do_not_share(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "SINGLE", {"SHARE": "NOSHARE"})
    other = engine.connect()
    held = other.open("Q", MQOO_INPUT_SHARED)

    assert refusal(app, "Q", MQOO_INPUT_EXCLUSIVE) == MQRC_OBJECT_IN_USE
    assert refusal(app, "Q", MQOO_INPUT_SHARED | MQOO_OUTPUT) == MQRC_NONE
    other.close(held)
    exclusive = engine.connect()
    exclusive.open("SINGLE", MQOO_INPUT_SHARED)
    assert refusal(app, "SINGLE", MQOO_INPUT_SHARED) == MQRC_OBJECT_IN_USE, "NOSHARE is exclusive whatever is asked"
    assert refusal(app, "SINGLE", MQOO_BROWSE | MQOO_OUTPUT) == MQRC_NONE


class Nobody(Authority):
    """Refuses to open anything, and lets nobody be somebody else."""

    def may_open(self, user: str, object_kind: str, name: str, options: int) -> bool:
        return user == "boss"

    def may_use_alternate_user(self, user: str, alternate_user: str) -> bool:
        return alternate_user == "boss"


def test_authority_is_asked_about_the_user_or_the_one_it_stands_in_for(engine: Engine, app: App) -> None:
    engine.qm.authority = Nobody()

    assert refusal(app, "Q", MQOO_OUTPUT) == MQRC_NOT_AUTHORIZED
    assert refusal(app, "NONE.SUCH", MQOO_OUTPUT) == MQRC_UNKNOWN_OBJECT_NAME, "the name comes first"
    alternate = MQOO_OUTPUT | MQOO_ALTERNATE_USER_AUTHORITY
    assert refusal(app, "Q", alternate, alternate_user_id="eve") == MQRC_NOT_AUTHORIZED
    assert refusal(app, "Q", alternate, alternate_user_id="boss") == MQRC_NONE
    assert app.put1("Q").reason == MQRC_NOT_AUTHORIZED
    assert engine.depth("Q") == 0


def test_handles_have_a_limit_and_options_come_before_it(engine: Engine, app: App) -> None:
    engine.alter("QM1", {"MAXHANDS": 1}, "QMGR")
    handle = app.open("Q")

    assert refusal(app, "Q", MQOO_OUTPUT) == MQRC_HANDLE_NOT_AVAILABLE
    assert refusal(app, "Q", 0) == MQRC_OPTIONS_ERROR
    assert refusal(app, "NONE.SUCH", MQOO_OUTPUT) == MQRC_HANDLE_NOT_AVAILABLE
    app.close(handle)
    assert refusal(app, "Q", MQOO_OUTPUT) == MQRC_NONE


def test_calls_without_a_connection_or_a_handle(engine: Engine, app: App) -> None:
    reader, writer = app.open("Q", MQOO_INPUT_SHARED), app.open("Q")
    assert app.put(reader).reason == MQRC_NOT_OPEN_FOR_OUTPUT
    app.close(writer)
    assert app.put(writer).reason == MQRC_HOBJ_ERROR
    disconnect(engine.qm, app.connection)
    assert app.put(reader).reason == MQRC_HCONN_ERROR
    assert app.put1("Q").reason == MQRC_HCONN_ERROR
    assert refusal(app, "Q", MQOO_OUTPUT) == MQRC_HCONN_ERROR


def test_while_quiescing_only_those_who_ask_for_it_fail(engine: Engine, app: App) -> None:
    app.handle("Q")
    engine.qm.quiescing = True

    assert app.put("Q", options=MQPMO_FAIL_IF_QUIESCING).reason == MQRC_Q_MGR_QUIESCING
    assert app.put1("Q", options=MQPMO_FAIL_IF_QUIESCING).reason == MQRC_Q_MGR_QUIESCING
    assert refusal(app, "Q", MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING) == MQRC_Q_MGR_QUIESCING
    assert app.put("Q").reason == MQRC_NONE
    assert refusal(app, "Q", MQOO_OUTPUT) == MQRC_NONE


# -- MQPUT: options --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        1,
        8,
        0x0010_0000,
        1 << 30,
        MQPMO_SYNCPOINT | MQPMO_NO_SYNCPOINT,
        MQPMO_ASYNC_RESPONSE | MQPMO_SYNC_RESPONSE,
        MQPMO_NO_CONTEXT | MQPMO_DEFAULT_CONTEXT,
        MQPMO_SET_ALL_CONTEXT | MQPMO_SET_IDENTITY_CONTEXT,
        MQPMO_PASS_ALL_CONTEXT | MQPMO_NO_CONTEXT,
    ],
)
def test_put_options_that_do_not_go_together(engine: Engine, app: App, options: int) -> None:
    handle = app.open("Q", MQOO_OUTPUT | MQOO_SET_ALL_CONTEXT)
    assert app.put(handle, options=options).reason == MQRC_OPTIONS_ERROR
    assert app.put1("Q", options=options).reason == MQRC_OPTIONS_ERROR
    assert engine.depth("Q") == 0


def test_there_is_no_logical_order_of_single_puts(app: App) -> None:
    assert app.put1("Q", version=2, options=MQPMO_LOGICAL_ORDER).reason == MQRC_OPTIONS_ERROR


@pytest.mark.parametrize(
    ("opened", "options", "reason"),
    [
        (0, MQPMO_PASS_IDENTITY_CONTEXT, MQRC_NOT_OPEN_FOR_PASS_IDENT),
        (0, MQPMO_PASS_ALL_CONTEXT, MQRC_NOT_OPEN_FOR_PASS_ALL),
        (0, MQPMO_SET_IDENTITY_CONTEXT, MQRC_NOT_OPEN_FOR_SET_IDENT),
        (0, MQPMO_SET_ALL_CONTEXT, MQRC_NOT_OPEN_FOR_SET_ALL),
        (MQOO_PASS_IDENTITY_CONTEXT, MQPMO_PASS_ALL_CONTEXT, MQRC_NOT_OPEN_FOR_PASS_ALL),
        (MQOO_SET_IDENTITY_CONTEXT, MQPMO_SET_ALL_CONTEXT, MQRC_NOT_OPEN_FOR_SET_ALL),
        (MQOO_SET_IDENTITY_CONTEXT, MQPMO_SET_IDENTITY_CONTEXT, MQRC_NONE),
        (MQOO_SET_ALL_CONTEXT, MQPMO_SET_IDENTITY_CONTEXT, MQRC_NONE),
        (MQOO_PASS_IDENTITY_CONTEXT, MQPMO_PASS_IDENTITY_CONTEXT, MQRC_CONTEXT_HANDLE_ERROR),
        (MQOO_SET_ALL_CONTEXT, MQPMO_PASS_ALL_CONTEXT, MQRC_CONTEXT_HANDLE_ERROR),
    ],
)
def test_context_needs_an_open_that_allows_it(engine: Engine, app: App, opened: int, options: int, reason: int) -> None:
    handle = app.open("Q", MQOO_OUTPUT | opened)
    assert app.put(handle, options=options).reason == reason
    assert engine.depth("Q") == (1 if reason == MQRC_NONE else 0)


def test_context_can_be_passed_only_after_it_was_saved(engine: Engine, app: App) -> None:
    engine.define("QLOCAL", "OUT")
    plain = app.open("Q", MQOO_INPUT_SHARED)
    saving = app.open("Q", MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT)
    out = app.open("OUT", MQOO_OUTPUT | MQOO_PASS_ALL_CONTEXT)

    assert app.put(out, options=MQPMO_PASS_ALL_CONTEXT, context=plain.number).reason == MQRC_CONTEXT_NOT_AVAILABLE
    assert app.put(out, options=MQPMO_PASS_ALL_CONTEXT, context=saving.number).reason == MQRC_CONTEXT_NOT_AVAILABLE
    engine.connect("other", "otto").put("Q")
    app.get(saving)
    assert app.put(out, options=MQPMO_PASS_ALL_CONTEXT, context=saving.number).reason == MQRC_NONE
    assert app.put(out, options=MQPMO_PASS_IDENTITY_CONTEXT, context=saving.number).reason == MQRC_NONE
    everything, identity = app.get("OUT").md, app.get("OUT").md
    assert (everything.user_identifier, everything.put_appl_name) == ("otto", "other")
    assert (identity.user_identifier, identity.put_appl_name) == ("otto", "program")


def test_what_the_context_options_put_into_the_message(engine: Engine, app: App) -> None:
    handle = app.open("Q", MQOO_OUTPUT | MQOO_SET_ALL_CONTEXT)
    given: dict[str, Any] = {
        "user_identifier": "u",
        "appl_identity_data": "i",
        "put_appl_type": 99,
        "put_appl_name": "n",
    }

    app.put(handle, **given)
    app.put(handle, options=MQPMO_NO_CONTEXT, **given)
    app.put(handle, options=MQPMO_SET_IDENTITY_CONTEXT, **given)
    app.put(handle, options=MQPMO_SET_ALL_CONTEXT, put_date="19991231", put_time="23595999", **given)

    seen = []
    for _ in range(4):
        md = app.get("Q").md
        seen.append((md.user_identifier, md.appl_identity_data, md.put_appl_type, md.put_appl_name, md.put_date))
    assert seen == [
        ("maria", "", MQAT_UNIX, "program", "20231114"),
        ("", "", 0, "", ""),
        ("u", "i", MQAT_UNIX, "program", "20231114"),
        ("u", "i", 99, "n", "19991231"),
    ]


def test_put1_implies_the_open_that_its_context_needs(app: App) -> None:
    assert app.put1("Q", options=MQPMO_SET_ALL_CONTEXT, user_identifier="u").reason == MQRC_NONE
    assert app.get("Q").md.user_identifier == "u"
    assert app.put1("Q", options=MQPMO_PASS_ALL_CONTEXT, context=99).reason == MQRC_CONTEXT_HANDLE_ERROR


def test_ids_are_new_when_asked_for_or_missing(app: App) -> None:
    given = app.put("Q", msg_id=b"M" * 24, correl_id=b"C" * 24).md
    new = app.put("Q", msg_id=b"M" * 24, correl_id=b"C" * 24, options=MQPMO_NEW_MSG_ID | MQPMO_NEW_CORREL_ID).md
    missing = app.put("Q").md

    assert (given.msg_id, given.correl_id) == (b"M" * 24, b"C" * 24)
    assert len({new.msg_id, new.correl_id, missing.msg_id, NO_ID, given.msg_id, given.correl_id}) == 6
    assert missing.correl_id == NO_ID


# -- MQPUT: the descriptor -------------------------------------------------------------------------------------------

BAD: list[tuple[dict[str, Any], int]] = [
    ({"persistence": 3}, MQRC_PERSISTENCE_ERROR),
    ({"persistence": -1}, MQRC_PERSISTENCE_ERROR),
    ({"msg_type": 0}, MQRC_MSG_TYPE_ERROR),
    ({"msg_type": -1}, MQRC_MSG_TYPE_ERROR),
    ({"msg_type": 1_000_000_000}, MQRC_MSG_TYPE_ERROR),
    ({"msg_type": MQMT_REQUEST}, MQRC_MISSING_REPLY_TO_Q),
    ({"expiry": 0}, MQRC_EXPIRY_ERROR),
    ({"expiry": -2}, MQRC_EXPIRY_ERROR),
    ({"feedback": -1}, MQRC_FEEDBACK_ERROR),
    ({"feedback": 1_000_000_000}, MQRC_FEEDBACK_ERROR),
    ({"report": 0x1000_0000}, MQRC_REPORT_OPTIONS_ERROR),
    ({"report": 256}, MQRC_MISSING_REPLY_TO_Q),
    ({"priority": -2}, MQRC_PRIORITY_ERROR),
    ({"version": 3}, MQRC_MD_ERROR),
    ({"version": 2, "msg_flags": MQMF_MSG_IN_GROUP, "msg_seq_number": 0}, MQRC_MSG_SEQ_NUMBER_ERROR),
    ({"format": MQFMT_MD_EXTENSION}, MQRC_MDE_ERROR),
]


@pytest.mark.parametrize(("fields", "reason"), BAD)
def test_a_descriptor_that_cannot_be_is_refused_and_nothing_is_put(
    engine: Engine, app: App, fields: dict[str, Any], reason: int
) -> None:
    assert app.put("Q", b"data", **fields).reason == reason
    assert app.put1("Q", b"data", **fields).reason == reason
    assert app.connection.completion == MQCC_FAILED
    assert engine.depth("Q") == 0


ORDER: list[tuple[dict[str, Any], int]] = [
    ({"options": 1 << 30}, MQRC_OPTIONS_ERROR),
    ({"persistence": 3}, MQRC_PERSISTENCE_ERROR),
    ({"msg_type": 0}, MQRC_MSG_TYPE_ERROR),
    ({"expiry": 0}, MQRC_EXPIRY_ERROR),
    ({"feedback": -1}, MQRC_FEEDBACK_ERROR),
    ({"report": 0x1000_0000}, MQRC_REPORT_OPTIONS_ERROR),
    ({"priority": -2}, MQRC_PRIORITY_ERROR),
    ({"context": 99, "options": MQPMO_PASS_ALL_CONTEXT}, MQRC_NOT_OPEN_FOR_PASS_ALL),
    ({"version": 2, "msg_flags": MQMF_MSG_IN_GROUP, "msg_seq_number": 0}, MQRC_MSG_SEQ_NUMBER_ERROR),
]


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_of_several_mistakes_the_first_of_the_list_is_told(app: App, first: int) -> None:
    """The order of checking: each put has all mistakes from `first` on."""
    fields: dict[str, Any] = {}
    options = 0
    for mistake, _ in reversed(ORDER[first:]):
        options |= mistake.get("options", 0)
        fields.update(mistake)
    fields["options"] = options

    assert app.put("Q", b"data", **fields).reason == ORDER[first][1]


def test_the_queue_is_asked_after_the_descriptor(engine: Engine, app: App) -> None:
    """2051 before 2030 before 2053, and all of them after the descriptor."""
    engine.define("QLOCAL", "SMALL", {"PUT": "DISABLED", "MAXMSGL": 3, "MAXDEPTH": 0})

    assert app.put("SMALL", b"1234", expiry=0).reason == MQRC_EXPIRY_ERROR
    assert app.put("SMALL", b"1234").reason == MQRC_PUT_INHIBITED
    engine.alter("SMALL", {"PUT": "ENABLED"})
    assert app.put("SMALL", b"1234").reason == MQRC_MSG_TOO_BIG_FOR_Q
    assert app.put("SMALL", b"123").reason == MQRC_Q_FULL
    engine.alter("SMALL", {"MAXDEPTH": 1})
    assert app.put("SMALL", b"123").reason == MQRC_NONE
    assert app.put("SMALL", b"123").reason == MQRC_Q_FULL


def test_an_alias_can_be_inhibited_without_its_queue(engine: Engine, app: App) -> None:
    engine.define("QALIAS", "SHUT", {"TARGET": "Q", "PUT": "DISABLED"})
    assert app.put("SHUT").reason == MQRC_PUT_INHIBITED
    assert app.put1("SHUT").reason == MQRC_PUT_INHIBITED
    assert app.put("Q").reason == MQRC_NONE


def test_the_queue_manager_has_a_limit_of_its_own(engine: Engine, app: App) -> None:
    engine.alter("QM1", {"MAXMSGL": 32_768}, "QMGR")
    assert app.put("Q", bytes(32_769)).reason == MQRC_MSG_TOO_BIG_FOR_Q_MGR


def test_a_unit_of_work_has_a_limit(engine: Engine, app: App) -> None:
    engine.alter("QM1", {"MAXUMSGS": 2}, "QMGR")
    app.put("Q", syncpoint=True)
    app.put("Q", syncpoint=True)
    assert app.put("Q", syncpoint=True).reason == MQRC_SYNCPOINT_LIMIT_REACHED
    assert app.put("Q").reason == MQRC_NONE
    app.commit()
    assert engine.depth("Q") == 3


def test_temporary_queues_take_no_persistent_messages(engine: Engine, app: App) -> None:
    engine.define("QMODEL", "MODEL", {"DEFTYPE": "TEMPDYN", "DEFPSIST": "NO"})
    od = MQOD()
    od.object_name, od.dynamic_q_name = "MODEL", "TEMP.*"
    handle = engine.qm.open(app.connection, od, MQOO_OUTPUT | MQOO_INPUT_EXCLUSIVE)
    assert handle is not None

    assert app.put(handle, persistence=1).reason == MQRC_PERSISTENT_NOT_ALLOWED
    assert app.put(handle, persistence=2).reason == MQRC_NONE
    assert app.get(handle).md.persistence == 0


def test_a_priority_too_high_is_put_as_the_highest_with_a_warning_and_kept(engine: Engine, app: App) -> None:
    app.put("Q", b"9", priority=9)
    high = app.put("Q", b"12", priority=12)
    app.put("Q", b"8", priority=8)

    assert (high.completion, high.reason) == (MQCC_WARNING, MQRC_PRIORITY_EXCEEDS_MAXIMUM)
    got = [app.get("Q") for _ in range(3)]
    assert [(one.data, one.md.priority) for one in got] == [(b"9", 9), (b"12", 12), (b"8", 8)]
    assert {one.md.coded_char_set_id for one in got} == {1208}


def test_defaults_come_from_the_object_that_was_named(engine: Engine, app: App) -> None:
    engine.define("QALIAS", "LOUD", {"TARGET": "Q", "DEFPRTY": 8, "DEFPSIST": "YES"})
    app.put("LOUD")
    app.put("Q", msg_type=MQMT_APPL_FIRST)

    loud, plain = app.get("Q").md, app.get("Q").md

    assert (loud.priority, loud.persistence) == (8, 1)
    assert (plain.priority, plain.persistence, plain.msg_type) == (0, 0, MQMT_APPL_FIRST)


def test_an_asynchronous_put_that_fails_is_silent(engine: Engine, app: App) -> None:
    answered = app.put("Q", expiry=0, options=MQPMO_ASYNC_RESPONSE)

    assert answered.reason == MQRC_NONE
    assert (app.connection.async_failure, app.connection.async_reason) == (1, MQRC_EXPIRY_ERROR)


def test_put1_leaves_no_handle_whatever_happens(engine: Engine, app: App) -> None:
    app.put1("Q", b"1")
    app.put1("Q", b"2", expiry=0)
    app.put1("NONE.SUCH", b"3")

    assert not app.connection.handles
    assert not engine.queue("Q").opens.handles
    assert engine.queue("Q").opens.output_handles == 0
    assert engine.depth("Q") == 1
