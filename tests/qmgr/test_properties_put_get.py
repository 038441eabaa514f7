"""Message properties from a put to a get: message handles, PROPCTL, MQRFH2 byte for byte, reports, dead letters."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.constants import (
    MQACTP_FORWARD,
    MQACTP_NEW,
    MQACTP_REPLY,
    MQACTP_REPORT,
    MQCBT_MESSAGE_CONSUMER,
    MQCOPY_ALL,
    MQCOPY_FORWARD,
    MQCOPY_NONE,
    MQCOPY_REPLY,
    MQCOPY_REPORT,
    MQENC_NATIVE,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_MD_EXTENSION,
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_NEXT,
    MQGMO_COMPLETE_MSG,
    MQGMO_CONVERT,
    MQGMO_LOGICAL_ORDER,
    MQGMO_NO_PROPERTIES,
    MQGMO_PROPERTIES_COMPATIBILITY,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_PROPERTIES_IN_HANDLE,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENTATION_ALLOWED,
    MQMT_REPLY,
    MQMT_REPORT,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_SAVE_ALL_CONTEXT,
    MQOP_REGISTER,
    MQOP_START,
    MQPD_SUPPORT_REQUIRED,
    MQPD_SUPPORT_REQUIRED_IF_LOCAL,
    MQPD_USER_CONTEXT,
    MQPMO_MD_FOR_OUTPUT_ONLY,
    MQPMO_PASS_ALL_CONTEXT,
    MQRO_COA,
    MQRO_COD,
    MQRO_EXPIRATION,
    MQRO_PASS_MSG_ID,
    MQTYPE_BOOLEAN,
    MQTYPE_BYTE_STRING,
    MQTYPE_FLOAT32,
    MQTYPE_FLOAT64,
    MQTYPE_INT8,
    MQTYPE_INT16,
    MQTYPE_INT32,
    MQTYPE_INT64,
    MQTYPE_NULL,
    MQTYPE_STRING,
)
from flintmq.mqi.ctlo import MQCTLO
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.dlh import SIZE as DLH_SIZE
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pd import MQPD
from flintmq.mqi.property_values import Value
from flintmq.mqi.reason import (
    MQRC_ACTION_ERROR,
    MQRC_FORMAT_ERROR,
    MQRC_HMSG_ERROR,
    MQRC_MD_ERROR,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OPTIONS_ERROR,
    MQRC_PROPERTIES_TOO_BIG,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_UNSUPPORTED_PROPERTY,
)
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.qmgr import report
from flintmq.qmgr.consume import callback, control
from flintmq.qmgr.message_properties import properties_of
from flintmq.qmgr.remote import unwrap
from tests.qmgr.driver import Definition, Driver
from tests.qmgr.machine import Machine
from tests.qmgr.property_app import PropertyApp
from tests.qmgr.test_message_properties import rfh2

JMS = {"color": "red"}
OWN = {"shop.x": "1"}
CONTROLS = ("COMPAT", "NONE", "ALL", "FORCE", "V6COMPAT")


@pytest.fixture
def driver() -> Driver:
    queues: list[Definition] = [("QLOCAL", control, {"PROPCTL": control}) for control in CONTROLS]
    aliases: list[Definition] = [
        ("QALIAS", f"{control}.ALIAS", {"TARGET": "COMPAT", "PROPCTL": control}) for control in CONTROLS
    ]
    return Driver(
        ("QLOCAL", "Q", {}),
        ("QLOCAL", "SHORT", {"MAXMSGL": 100}),
        ("QLOCAL", "REPORTS", {}),
        ("QLOCAL", "DEAD", {}),
        ("QLOCAL", "QM2", {"USAGE": "XMITQ"}),
        ("QREMOTE", "FAR", {"RNAME": "ORDERS", "RQMNAME": "QM2"}),
        *queues,
        *aliases,
        DEADQ="DEAD",
    )


@pytest.fixture
def app(driver: Driver) -> PropertyApp:
    return PropertyApp(driver.qm)


def text_md(format: str = MQFMT_STRING, ccsid: int = 1208) -> MQMD:
    md = MQMD()
    md.format, md.coded_char_set_id = format, ccsid
    return md


def handle_with(app: PropertyApp, **properties: Value) -> int:
    hmsg = app.create()
    for name, value in properties.items():
        assert app.set(hmsg, name.replace("__", "."), value) == 0
    return hmsg


# -- the straight way there and back -----------------------------------------------------------------------------------


def test_properties_put_through_a_handle_come_back_through_a_handle(app: PropertyApp) -> None:
    q = app.open("Q")
    assert app.put_with(q, b"data", handle_with(app, color="red", n=3, shop__x=b"\1"), md=text_md()) == 0
    back = app.create()
    assert app.get_with(q, back) == 0
    assert (app.data, app.md.format) == (b"data", MQFMT_STRING)
    assert app.held(back) == {"color": "red", "n": 3, "shop.x": b"\1"}
    assert app.value(back, "Root.MQMD.MsgId") == app.md.msg_id


def test_what_the_handle_held_before_is_gone_after_a_get(app: PropertyApp) -> None:
    q = app.open("Q")
    back = handle_with(app, old=1)
    app.put(q, b"plain")
    assert app.get_with(q, back) == 0
    assert app.held(back) == {} and app.data == b"plain"
    assert app.inquire(back, "old") != 0


def test_a_get_without_a_handle_sees_the_properties_in_a_header(app: PropertyApp) -> None:
    q = app.open("Q")
    md = text_md(ccsid=819)
    md.encoding = 273
    assert app.put_with(q, b"data", handle_with(app, shop__x=1, color="red", mcd__Type="t"), md=md) == 0
    assert app.get(q) == 0
    assert (app.md.format, app.md.encoding, app.md.coded_char_set_id) == (MQFMT_RF_HEADER_2, MQENC_NATIVE, 1208)
    header = MQRFH2.unpack(app.data)
    assert header.folders == [
        "<mcd><Type>t</Type></mcd>",
        "<usr><color>red</color></usr>",
        "<shop content='properties'><x dt='i4'>1</x></shop>",
    ]
    assert (header.format, header.encoding, header.coded_char_set_id) == (MQFMT_STRING, 273, 819)
    assert app.data[header.struc_length :] == b"data"
    assert header.pack() == app.data[: header.struc_length]


@pytest.mark.parametrize("option", [MQGMO_BROWSE_NEXT, MQGMO_SYNCPOINT, MQGMO_WAIT, MQGMO_LOGICAL_ORDER])
def test_every_way_to_get_knows_handles(driver: Driver, app: PropertyApp, option: int) -> None:
    q = app.open("Q")
    back = app.create()
    assert app.put_with(q, b"data", handle_with(app, color="red")) == 0
    md = MQMD()
    md.version = 2
    assert app.get_with(q, back, option, md=md) == 0
    assert app.held(back) == JMS and app.data == b"data"
    assert driver.queue("Q").available == (1 if option == MQGMO_BROWSE_NEXT else 0)
    if option == MQGMO_SYNCPOINT:
        app.backout()
        assert app.get(q) == 0
        assert MQRFH2.unpack(app.data).folders == ["<usr><color>red</color></usr>"]


def test_a_consumer_gets_properties_in_the_handle_of_its_options(driver: Driver, app: PropertyApp) -> None:
    q = app.open("Q")
    hmsg = app.create()
    cbd = MQCBD()
    cbd.callback_type = MQCBT_MESSAGE_CONSUMER
    gmo = MQGMO()
    gmo.version, gmo.options, gmo.wait_interval = 4, MQGMO_WAIT, -1
    gmo.msg_handle = hmsg + 1
    register = (driver.qm, app.connection, MQOP_REGISTER, q, cbd, MQMD(), gmo, print)
    assert callback(*register) == MQRC_HMSG_ERROR
    gmo.msg_handle = hmsg
    assert callback(*register) == 0
    assert control(driver.qm, app.connection, MQOP_START, MQCTLO()) == 0
    other = PropertyApp(driver.qm, "other")
    assert other.put_with(other.open("Q"), b"data", handle_with(other, color="red")) == 0
    (due,) = driver.qm.woken
    assert due.answer.data == b"data"
    assert app.held(hmsg) == {"color": "red"}


def test_a_handle_that_is_gone_when_the_message_comes_loses_no_message(driver: Driver, app: PropertyApp) -> None:
    q = app.open("Q")
    assert app.put_with(q, b"data", handle_with(app, a=1)) == 0
    assert app.get_with(q, 12_345) == MQRC_HMSG_ERROR
    assert app.get_with(q) == 0


# -- PROPCTL and the options of a get ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("control", "option", "with_handle", "jms", "own"),
    [
        # PROPCTL, option, a handle? -> where properties of usr, and others, are: in the handle, in a header, nowhere
        ("COMPAT", 0, False, "header", "nowhere"),
        ("COMPAT", 0, True, "handle", "handle"),
        ("ALL", 0, False, "header", "header"),
        ("ALL", 0, True, "handle", "handle"),
        ("FORCE", 0, False, "header", "header"),
        ("FORCE", 0, True, "header", "header"),
        ("NONE", 0, False, "nowhere", "nowhere"),
        ("NONE", 0, True, "handle", "handle"),
        ("V6COMPAT", 0, False, "nowhere", "nowhere"),
        ("V6COMPAT", 0, True, "handle", "handle"),
        ("FORCE", MQGMO_PROPERTIES_IN_HANDLE, True, "handle", "handle"),
        ("ALL", MQGMO_NO_PROPERTIES, False, "nowhere", "nowhere"),
        ("ALL", MQGMO_NO_PROPERTIES, True, "nowhere", "nowhere"),
        ("NONE", MQGMO_PROPERTIES_FORCE_MQRFH2, False, "header", "header"),
        ("NONE", MQGMO_PROPERTIES_FORCE_MQRFH2, True, "header", "header"),
        ("ALL", MQGMO_PROPERTIES_COMPATIBILITY, False, "header", "nowhere"),
        ("ALL", MQGMO_PROPERTIES_COMPATIBILITY, True, "header", "nowhere"),
    ],
)
@pytest.mark.parametrize("alias", [False, True])
def test_where_properties_of_a_handle_go(
    app: PropertyApp, control: str, option: int, with_handle: bool, jms: str, own: str, alias: bool
) -> None:
    """The table of property_control.py, for a queue and for an alias of a queue with PROPCTL(COMPAT)."""
    q = app.open(f"{control}.ALIAS" if alias else control)
    for properties, where in ((JMS, jms), (OWN, own)):
        sender = app.create()
        for name, value in properties.items():
            app.set(sender, name, value)
        assert app.put_with(q, b"data", sender, md=text_md()) == 0
        back = app.create() if with_handle else 0
        assert app.get_with(q, back, option) == 0
        held = app.held(back) if with_handle else {}
        assert held == (properties if where == "handle" else {})
        if where == "header":
            header = MQRFH2.unpack(app.data)
            assert app.data[header.struc_length :] == b"data" and app.md.format == MQFMT_RF_HEADER_2
        else:
            assert (app.data, app.md.format) == (b"data", MQFMT_STRING)


RAW_JMS = rfh2("<usr><color>red</color></usr>", format=MQFMT_STRING)
RAW_OWN = rfh2("<shop content='properties'><x>1</x></shop>", format=MQFMT_STRING)
RAW_PSC = rfh2("<psc><Command>Publish</Command></psc>", format=MQFMT_STRING)
RAW_BOTH = rfh2("<psc><Command>Publish</Command></psc>", "<usr><color>red</color></usr>", format=MQFMT_STRING)


@pytest.mark.parametrize(
    ("control", "option", "with_handle", "header", "left"),
    [
        ("COMPAT", 0, False, RAW_JMS, RAW_JMS),
        ("COMPAT", 0, False, RAW_OWN, b""),
        ("COMPAT", 0, False, RAW_PSC, RAW_PSC),
        ("COMPAT", 0, False, RAW_BOTH, RAW_BOTH),
        ("COMPAT", 0, True, RAW_JMS, b""),
        ("COMPAT", 0, True, RAW_BOTH, RAW_PSC),
        ("COMPAT", 0, True, RAW_PSC, RAW_PSC),
        ("ALL", 0, False, RAW_OWN, RAW_OWN),
        ("FORCE", 0, True, RAW_JMS, RAW_JMS),
        ("NONE", 0, False, RAW_JMS, b""),
        ("NONE", 0, False, RAW_BOTH, RAW_PSC),
        ("V6COMPAT", 0, False, RAW_OWN, RAW_OWN),
        ("V6COMPAT", 0, True, RAW_JMS, RAW_JMS),
        ("ALL", MQGMO_NO_PROPERTIES, False, RAW_JMS, b""),
        ("NONE", MQGMO_PROPERTIES_FORCE_MQRFH2, False, RAW_BOTH, RAW_BOTH),
        ("NONE", MQGMO_PROPERTIES_COMPATIBILITY, False, RAW_JMS, RAW_JMS),
        ("ALL", MQGMO_PROPERTIES_IN_HANDLE, True, RAW_JMS, b""),
    ],
)
def test_a_header_that_an_application_put_is_returned_byte_for_byte_or_without_its_properties(
    app: PropertyApp, control: str, option: int, with_handle: bool, header: bytes, left: bytes
) -> None:
    q = app.open(control)
    assert app.put_with(q, header + b"data", md=text_md(MQFMT_RF_HEADER_2)) == 0
    back = app.create() if with_handle else 0
    assert app.get_with(q, back, option) == 0
    assert app.data == left + b"data"
    assert app.md.format == (MQFMT_RF_HEADER_2 if left else MQFMT_STRING)
    if with_handle:
        expected = JMS if b"<usr>" in header and b"<usr>" not in left else {}
        assert app.held(back) == expected


def test_a_header_of_the_application_stays_as_it_is_behind_that_of_the_handle(app: PropertyApp) -> None:
    q = app.open("ALL")
    assert app.put_with(q, RAW_JMS + b"data", handle_with(app, size=3), md=text_md(MQFMT_RF_HEADER_2)) == 0
    assert app.get_with(q, 0, MQGMO_BROWSE_NEXT) == 0
    first = MQRFH2.unpack(app.data)
    assert first.folders == ["<usr><size dt='i4'>3</size></usr>"] and first.format == MQFMT_RF_HEADER_2
    assert app.data[first.struc_length :] == RAW_JMS + b"data"
    back = app.create()
    assert app.get_with(q, back) == 0
    assert app.held(back) == {"size": 3, "color": "red"} and app.data == b"data"


def test_more_than_one_property_option_is_an_error(app: PropertyApp) -> None:
    q = app.open("Q")
    app.put(q)
    hmsg = app.create()
    assert app.get_with(q, hmsg, MQGMO_NO_PROPERTIES | MQGMO_PROPERTIES_IN_HANDLE) == MQRC_OPTIONS_ERROR
    assert app.get_with(q, 0, MQGMO_PROPERTIES_IN_HANDLE) == MQRC_HMSG_ERROR
    assert app.get_with(q, -1) == MQRC_HMSG_ERROR
    assert app.get(q) == 0


# -- lengths and conversion --------------------------------------------------------------------------------------------


def test_the_header_counts_for_the_buffer_of_a_get(app: PropertyApp) -> None:
    q = app.open("Q")
    assert app.put_with(q, b"data", handle_with(app, color="red")) == 0
    assert app.get(q, max_length=4) == MQRC_TRUNCATED_MSG_FAILED
    assert app.connection.data_length == 36 + 4 + 32 + 4
    back = app.create()
    assert app.get_with(q, back, MQGMO_BROWSE_NEXT, max_length=4) == 0
    assert app.data == b"data" and app.held(back) == JMS
    assert app.get(q, MQGMO_ACCEPT_TRUNCATED_MSG, max_length=10) == MQRC_TRUNCATED_MSG_ACCEPTED
    assert app.data[:4] == b"RFH "


def test_properties_do_not_count_for_maxmsgl(app: PropertyApp) -> None:
    q = app.open("SHORT")
    assert app.put_with(q, b"x" * 100, handle_with(app, color="r" * 200)) == 0
    assert app.put_with(q, b"x" * 101, handle_with(app, color="red")) == MQRC_MSG_TOO_BIG_FOR_Q
    assert app.put_with(q, RAW_JMS + b"x" * 100, md=text_md(MQFMT_RF_HEADER_2)) == 0
    assert app.put_with(q, RAW_JMS + b"x" * 101, md=text_md(MQFMT_RF_HEADER_2)) == MQRC_MSG_TOO_BIG_FOR_Q
    assert app.put_with(q, RAW_PSC + b"x" * 100, md=text_md(MQFMT_RF_HEADER_2)) == MQRC_MSG_TOO_BIG_FOR_Q


@pytest.mark.parametrize("limit", [0, 40])
def test_maxpropl_is_the_limit_for_properties_of_both_kinds(limit: int) -> None:
    driver = Driver(("QLOCAL", "Q", {}), MAXPROPL=limit)
    app = PropertyApp(driver.qm)
    q = app.open("Q")
    assert app.put_with(q, b"x" * 1000, handle_with(app, color="r" * 40)) == MQRC_PROPERTIES_TOO_BIG
    assert app.put_with(q, RAW_JMS + b"data", md=text_md(MQFMT_RF_HEADER_2)) == MQRC_PROPERTIES_TOO_BIG
    assert app.put_with(q, RAW_PSC + b"data", md=text_md(MQFMT_RF_HEADER_2)) == 0
    assert app.put_with(q, b"x" * 1000) == 0
    if limit:
        assert app.put_with(q, b"x" * 1000, handle_with(app, color="red")) == 0


def test_a_message_with_a_header_that_was_made_is_converted(app: PropertyApp) -> None:
    q = app.open("ALL")
    assert app.put_with(q, "grün".encode("latin-1"), handle_with(app, color="grün"), md=text_md(ccsid=819)) == 0
    wish = MQMD()
    wish.coded_char_set_id, wish.encoding = 500, 273
    assert app.get_with(q, 0, MQGMO_CONVERT, md=wish) == 0
    assert (app.md.coded_char_set_id, app.md.encoding) == (500, 273)
    header = MQRFH2.unpack(app.data, 0, True, 500)
    assert header.folders == ["<usr><color>grün</color></usr>"]
    assert app.data[header.struc_length :].decode("cp500") == "grün"


def test_data_is_converted_without_its_properties_when_they_are_in_a_handle(app: PropertyApp) -> None:
    q = app.open("Q")
    assert app.put_with(q, "grün".encode("latin-1"), handle_with(app, color="grün"), md=text_md(ccsid=819)) == 0
    wish = MQMD()
    wish.coded_char_set_id = 1208
    back = app.create()
    assert app.get_with(q, back, MQGMO_CONVERT, md=wish) == 0
    assert app.data == "grün".encode() and app.value(back, "Root.MQMD.CodedCharSetId") == 1208


def test_data_that_cannot_be_converted_comes_with_its_header(app: PropertyApp) -> None:
    q = app.open("Q")
    assert app.put_with(q, b"\0\1", handle_with(app, color="red"), md=text_md("MINE")) == 0
    wish = MQMD()
    wish.coded_char_set_id = 500
    assert app.get_with(q, 0, MQGMO_CONVERT, md=wish) == MQRC_FORMAT_ERROR
    assert app.data.endswith(b"\0\1") and app.data.startswith(b"RFH ")


def test_the_header_comes_before_the_descriptor_extension_of_a_version_1_get(app: PropertyApp) -> None:
    q = app.open("Q")
    md = text_md()
    md.version, md.msg_flags, md.group_id = 2, MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP, b"G" * 24
    assert app.put_with(q, b"data", handle_with(app, color="red"), md=md) == 0
    assert app.get_with(q) == 0
    header = MQRFH2.unpack(app.data)
    assert (app.md.format, header.format) == (MQFMT_RF_HEADER_2, MQFMT_MD_EXTENSION)
    assert app.data[header.struc_length :].startswith(b"MDE ")


# -- actions -----------------------------------------------------------------------------------------------------------


def copied(app: PropertyApp) -> int:
    """A handle with a property for each copy option."""
    hmsg = app.create()
    for name, options in (
        ("none", MQCOPY_NONE),
        ("all", MQCOPY_ALL),
        ("forward", MQCOPY_FORWARD),
        ("reply", MQCOPY_REPLY),
        ("report", MQCOPY_REPORT),
    ):
        pd = MQPD()
        pd.copy_options = options
        assert app.set(hmsg, name, name, pd=pd) == 0
    return hmsg


@pytest.mark.parametrize(
    ("action", "names"),
    [
        (MQACTP_NEW, {"none", "all", "forward", "reply", "report", "mine"}),
        (MQACTP_FORWARD, {"all", "forward", "mine"}),
        (MQACTP_REPLY, {"all", "reply", "mine"}),
        (MQACTP_REPORT, {"all", "report", "mine"}),
    ],
)
def test_the_action_says_which_properties_of_the_original_are_copied(
    app: PropertyApp, action: int, names: set[str]
) -> None:
    q = app.open("Q")
    original = copied(app)
    new = handle_with(app, mine=1)
    assert app.put_with(q, b"data", new, original, action) == 0
    back = app.create()
    assert app.get_with(q, back) == 0
    assert set(app.held(back)) == names
    assert set(app.held(new)) == names, "the new handle holds what was put"
    assert set(app.held(original)) == {"none", "all", "forward", "reply", "report"}


def test_the_new_handle_wins_and_its_nulls_remove(app: PropertyApp) -> None:
    q = app.open("Q")
    original = handle_with(app, a=1, b=2, c=3)
    new = handle_with(app, a=10, b=None, d=None)
    assert app.put_with(q, b"data", new, original, MQACTP_FORWARD) == 0
    back = app.create()
    assert app.get_with(q, back) == 0
    assert app.held(back) == {"c": 3, "a": 10, "d": None}


@pytest.mark.parametrize(
    ("original", "action", "reason"),
    [(0, MQACTP_FORWARD, MQRC_HMSG_ERROR), (77, MQACTP_NEW, MQRC_HMSG_ERROR), (0, 4, MQRC_ACTION_ERROR)],
)
def test_actions_that_cannot_be(app: PropertyApp, original: int, action: int, reason: int) -> None:
    q = app.open("Q")
    assert app.put_with(q, b"data", handle_with(app, a=1), original, action) == reason
    assert app.get(q) == MQRC_NO_MSG_AVAILABLE


def test_the_descriptor_comes_from_the_handles_if_that_is_asked_for(app: PropertyApp) -> None:
    q = app.open("Q")
    assert app.put_with(q, b"data", options=MQPMO_MD_FOR_OUTPUT_ONLY) == MQRC_MD_ERROR
    hmsg = app.create()
    assert app.set(hmsg, "Root.MQMD.Priority", 7) == 0
    assert app.set(hmsg, "Root.MQMD.CorrelId", b"C") == 0
    ignored = MQMD()
    ignored.priority = 1
    assert app.put_with(q, b"data", hmsg, md=ignored, options=MQPMO_MD_FOR_OUTPUT_ONLY) == 0
    assert (app.md.priority, app.md.correl_id) == (7, b"C".ljust(24, b"\0"))
    assert app.get(q) == 0
    assert app.md.priority == 7


def test_a_reply_answers_the_original_by_its_report_options(app: PropertyApp) -> None:
    q = app.open("Q")
    request = MQMD()
    request.msg_type, request.reply_to_q, request.correl_id = 1, "REPORTS", b"C" * 24
    request.report, request.expiry, request.priority = MQRO_PASS_MSG_ID, 500, 4
    assert app.put_with(q, b"question", md=request) == 0
    original = app.create()
    assert app.get_with(q, original) == 0
    asked = app.md
    for action, kind in ((MQACTP_REPLY, MQMT_REPLY), (MQACTP_REPORT, MQMT_REPORT)):
        assert app.put_with(q, b"answer", 0, original, action, options=MQPMO_MD_FOR_OUTPUT_ONLY) == 0
        assert app.get(q) == 0
        assert (app.md.msg_type, app.md.correl_id) == (kind, asked.msg_id)
        assert (app.md.priority, app.md.expiry, app.md.reply_to_q) == (4, -1, "")


def test_properties_of_user_context_are_passed_on_with_the_context(app: PropertyApp) -> None:
    source = app.open("Q", MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_SAVE_ALL_CONTEXT)
    target = app.open("ALL", MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_PASS_ALL_CONTEXT)
    sender = handle_with(app, plain=1)
    pd = MQPD()
    pd.context = MQPD_USER_CONTEXT
    for name in ("who", "where"):
        assert app.set(sender, name, name, pd=pd) == 0
    assert app.put_with(source, b"data", sender) == 0
    assert app.get(source) == 0
    new = handle_with(app, where="here")
    assert app.put_with(target, b"data", new, options=MQPMO_PASS_ALL_CONTEXT, context=source.number) == 0
    back = app.create()
    assert app.get_with(target, back) == 0
    assert app.held(back) == {"where": "here", "who": "who"}
    assert app.put(source) == 0 and app.get(source) == 0
    assert app.put_with(target, b"data", options=MQPMO_PASS_ALL_CONTEXT, context=source.number) == 0
    assert app.get_with(target, back) == 0 and app.held(back) == {}


@pytest.mark.parametrize(
    ("support", "queue", "reason"),
    [
        (MQPD_SUPPORT_REQUIRED, "Q", MQRC_UNSUPPORTED_PROPERTY),
        (MQPD_SUPPORT_REQUIRED, "FAR", MQRC_UNSUPPORTED_PROPERTY),
        (MQPD_SUPPORT_REQUIRED_IF_LOCAL, "Q", MQRC_UNSUPPORTED_PROPERTY),
        (MQPD_SUPPORT_REQUIRED_IF_LOCAL, "FAR", 0),
    ],
)
def test_a_property_that_must_be_understood_is_refused(app: PropertyApp, support: int, queue: str, reason: int) -> None:
    hmsg = app.create()
    pd = MQPD()
    pd.support = support
    assert app.set(hmsg, "mq.New", 1, pd=pd) == 0
    assert app.put_with(app.open(queue, 16), b"data", hmsg) == reason


# -- reports, other queue managers, the dead-letter queue --------------------------------------------------------------


@pytest.mark.parametrize("kind", [MQRO_COA, MQRO_COD, MQRO_EXPIRATION])
def test_a_report_has_the_properties_that_say_so(driver: Driver, app: PropertyApp, kind: int) -> None:
    q = app.open("Q")
    md = text_md()
    md.report, md.reply_to_q = kind, "REPORTS"
    if kind == MQRO_EXPIRATION:
        md.expiry = 1
    assert app.put_with(q, b"data", copied(app), md=md) == 0
    driver.pass_time(1000)
    app.get(q)
    back = app.create()
    assert app.get_with(app.open("REPORTS"), back) == 0
    assert app.held(back) == {"all": "all", "report": "report"}
    assert app.md.msg_type == MQMT_REPORT and app.data == b""


def test_a_report_without_data_has_the_properties_of_a_header(app: PropertyApp) -> None:
    q = app.open("Q")
    md = text_md(MQFMT_RF_HEADER_2)
    md.report, md.reply_to_q = MQRO_COA, "REPORTS"
    assert app.put_with(q, RAW_JMS + b"data", md=md) == 0
    back = app.create()
    assert app.get_with(app.open("REPORTS"), back) == 0
    assert (app.held(back), app.data, app.md.format) == (JMS, b"", MQFMT_STRING)


def test_properties_leave_for_another_queue_manager_in_a_header_behind_the_transmission_header(
    driver: Driver, app: PropertyApp
) -> None:
    assert app.put_with(app.open("FAR", 16), b"data", handle_with(app, color="red"), md=text_md()) == 0
    assert app.get(app.open("QM2")) == 0
    _, md, data = unwrap(driver.qm, app.data)
    header = MQRFH2.unpack(data)
    assert (md.format, header.format, header.folders) == (
        MQFMT_RF_HEADER_2,
        MQFMT_STRING,
        ["<usr><color>red</color></usr>"],
    )
    assert data[header.struc_length :] == b"data"


def test_a_copy_for_another_queue_manager_takes_the_properties_along() -> None:
    """B37: a streaming queue that leads to a remote one."""
    driver = Driver(
        ("QLOCAL", "Q", {"STREAMQ": "FAR"}),
        ("QLOCAL", "QM2", {"USAGE": "XMITQ"}),
        ("QREMOTE", "FAR", {"RNAME": "ORDERS", "RQMNAME": "QM2"}),
    )
    app = PropertyApp(driver.qm)
    assert app.put_with(app.open("Q"), b"data", handle_with(app, color="red"), md=text_md()) == 0
    assert app.get(app.open("QM2")) == 0
    _, md, data = unwrap(driver.qm, app.data)
    assert md.format == MQFMT_RF_HEADER_2
    assert MQRFH2.unpack(data).folders == ["<usr><color>red</color></usr>"]


def test_a_dead_letter_keeps_its_properties_behind_its_header(driver: Driver, app: PropertyApp) -> None:
    sender = handle_with(app, color="red")
    assert app.to_buffer(sender) == 0
    block = app.data[36:]
    md = text_md()
    for _ in range(2):
        assert report.dead_letter(driver.qm, app.connection, b"data", md, "X", "QM1", 2085, False, block) == 0
    dead = app.open("DEAD")
    assert app.get(dead) == 0
    dlh = MQDLH.unpack(app.data)
    assert (app.md.format, dlh.format) == (MQFMT_DEAD_LETTER_HEADER, MQFMT_RF_HEADER_2)
    header = MQRFH2.unpack(app.data, DLH_SIZE)
    assert header.folders == ["<usr><color>red</color></usr>"] and header.format == MQFMT_STRING
    assert app.data[DLH_SIZE + header.struc_length :] == b"data"
    whole = app.data
    back = app.create()
    assert app.get_with(dead, back) == 0
    assert app.held(back) == JMS
    assert MQDLH.unpack(app.data).format == MQFMT_STRING and app.data[DLH_SIZE:] == b"data"
    assert app.put_with(dead, whole, md=text_md(MQFMT_DEAD_LETTER_HEADER)) == 0
    assert app.get_with(dead, back) == 0
    assert app.held(back) == JMS
    assert MQDLH.unpack(app.data).format == MQFMT_STRING and app.data[DLH_SIZE:] == b"data"


def test_the_first_segment_has_the_properties_and_so_has_the_whole_message(driver: Driver, app: PropertyApp) -> None:
    q = app.open("SHORT")
    md = text_md()
    md.version, md.msg_flags = 2, MQMF_SEGMENTATION_ALLOWED
    assert app.put_with(q, b"x" * 250, handle_with(app, color="red"), md=md) == 0
    assert driver.queue("SHORT").depth == 3
    back = app.create()
    md = MQMD()
    md.version = 2
    assert app.get_with(q, back, MQGMO_COMPLETE_MSG, md=md) == 0
    assert app.held(back) == JMS and app.data == b"x" * 250


# -- property based ----------------------------------------------------------------------------------------------------

NAMES = st.lists(
    st.from_regex(r"[A-Za-z_$][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
        lambda name: name[:2].lower() != "mq" and name[:4] not in ("Body", "Root") and name[:3].upper() != "JMS"
    ),
    min_size=1,
    max_size=3,
)
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES = st.one_of(
    st.tuples(st.just(MQTYPE_BOOLEAN), st.booleans()),
    st.tuples(st.just(MQTYPE_INT8), st.integers(-(2**7), 2**7 - 1)),
    st.tuples(st.just(MQTYPE_INT16), st.integers(-(2**15), 2**15 - 1)),
    st.tuples(st.just(MQTYPE_INT32), st.integers(-(2**31), 2**31 - 1)),
    st.tuples(st.just(MQTYPE_INT64), st.integers(-(2**63), 2**63 - 1)),
    st.tuples(st.just(MQTYPE_FLOAT32), st.floats(width=32)),
    st.tuples(st.just(MQTYPE_FLOAT64), st.floats()),
    st.tuples(st.just(MQTYPE_STRING), TEXT),
    st.tuples(st.just(MQTYPE_BYTE_STRING), st.binary(max_size=20)),
    st.tuples(st.just(MQTYPE_NULL), st.none()),
)


def same(left: Value, right: Value) -> bool:
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    return left == right and type(left) is type(right)


@given(st.lists(st.tuples(NAMES, VALUES), max_size=8))
@settings(max_examples=60, deadline=None)
def test_any_properties_come_back_equal_through_a_handle_and_through_the_bytes_of_a_header(
    wanted: list[tuple[list[str], tuple[int, Value]]],
) -> None:
    """What a handle says is what a header says; a header that was read is written again byte for byte."""
    driver = Driver(("QLOCAL", "Q", {"PROPCTL": "ALL"}))
    app = PropertyApp(driver.qm)
    q = app.open("Q")
    sender = app.create()
    expected: dict[str, Value] = {}
    for parts, (kind, value) in wanted:
        name = ".".join(parts)
        if app.set(sender, name, value, kind) == 0:
            expected[name.removeprefix("usr.")] = value
    assert app.put_with(q, b"data", sender) == 0
    back = app.create()
    assert app.get_with(q, back, MQGMO_BROWSE_NEXT) == 0 and app.data == b"data"
    assert app.get_with(q) == 0
    if not expected:
        assert app.data == b"data"
        return
    header = MQRFH2.unpack(app.data)
    assert header.pack() == app.data[: header.struc_length]
    third = app.create()
    md = text_md(MQFMT_RF_HEADER_2)
    assert app.from_buffer(third, md, app.data) == 0 and app.data == b"data"
    for held in (app.held(back), app.held(third)):
        assert set(held) == set(expected)
        assert all(same(held[name], expected[name]) for name in expected)


# -- what survives -----------------------------------------------------------------------------------------------------


def names_and_values(machine: Machine, queue: str) -> list[tuple[str, Value]]:
    message = machine.qm.queues[queue].first_available()
    assert message is not None
    return [(item.name, item.value) for item in properties_of(message).items]


def test_properties_of_a_message_and_of_its_copy_survive_a_crash() -> None:
    """B37: the copy of a streaming queue has them too, before and after."""
    machine = Machine("memory", None, [("QLOCAL", "Q", {"STREAMQ": "COPY"}), ("QLOCAL", "COPY", {})], buffers=100)
    app = PropertyApp(machine.qm)
    md = text_md()
    md.persistence = 1
    assert app.put_with(app.open("Q"), b"data", handle_with(app, color="red", n=3), md=md) == 0
    machine.log.flush()
    machine.crash()
    for queue in ("Q", "COPY"):
        assert names_and_values(machine, queue) == [("color", "red"), ("n", 3)]


def test_properties_survive_the_page_set() -> None:
    machine = Machine("memory", None, [("QLOCAL", "Q", {})], buffers=100)
    app = PropertyApp(machine.qm)
    q = app.open("Q")
    for number in range(300):
        md = text_md()
        md.persistence = number % 2
        assert app.put_with(q, b"x" * 2000, handle_with(app, n=number), md=md) == 0
        app.connection.message_handles.clear()
    assert machine.qm.queues["Q"].spilled_count > 0
    back = app.create()
    for number in range(300):
        assert app.get_with(q, back) == 0
        assert app.held(back) == {"n": number}
