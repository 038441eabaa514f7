"""MQCRTMH, MQDLTMH, MQSETMP, MQINQMP, MQDLTMP, MQBUFMH and MQMHBUF."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.mqi.constants import (
    MQBMHO_NONE,
    MQCMHO_NO_VALIDATION,
    MQCMHO_VALIDATE,
    MQCOPY_NONE,
    MQDMPO_DEL_PROP_UNDER_CURSOR,
    MQENC_NATIVE,
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQGMO_WAIT,
    MQIMPO_CONVERT_TYPE,
    MQIMPO_CONVERT_VALUE,
    MQIMPO_INQ_NEXT,
    MQIMPO_INQ_PROP_UNDER_CURSOR,
    MQIMPO_QUERY_LENGTH,
    MQMHBO_DELETE_PROPERTIES,
    MQMHBO_PROPERTIES_IN_MQRFH2,
    MQPD_USER_CONTEXT,
    MQSMPO_APPEND_PROPERTY,
    MQSMPO_SET_PROP_UNDER_CURSOR,
    MQTYPE_BOOLEAN,
    MQTYPE_BYTE_STRING,
    MQTYPE_FLOAT64,
    MQTYPE_INT8,
    MQTYPE_INT16,
    MQTYPE_INT32,
    MQTYPE_INT64,
    MQTYPE_NULL,
    MQTYPE_STRING,
)
from flintmq.mqi.md import MQMD
from flintmq.mqi.pd import MQPD
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_WARNING,
    MQRC_BUFFER_LENGTH_ERROR,
    MQRC_HANDLE_NOT_AVAILABLE,
    MQRC_HCONN_ERROR,
    MQRC_HMSG_ERROR,
    MQRC_MIXED_CONTENT_NOT_ALLOWED,
    MQRC_MSG_HANDLE_IN_USE,
    MQRC_OPTIONS_ERROR,
    MQRC_PROP_CONV_NOT_SUPPORTED,
    MQRC_PROP_NUMBER_FORMAT_ERROR,
    MQRC_PROP_TYPE_NOT_SUPPORTED,
    MQRC_PROP_VALUE_NOT_CONVERTED,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_NAME_LENGTH_ERR,
    MQRC_PROPERTY_NAME_TOO_BIG,
    MQRC_PROPERTY_NOT_AVAILABLE,
    MQRC_PROPERTY_TYPE_ERROR,
    MQRC_PROPERTY_VALUE_TOO_BIG,
    MQRC_RFH_ERROR,
    MQRC_RFH_FORMAT_ERROR,
    MQRC_SOURCE_CCSID_ERROR,
)
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.mqi.smpo import MQSMPO
from flintmq.qmgr import message_handle
from flintmq.qmgr.connection import WAITING
from tests.qmgr.driver import Driver
from tests.qmgr.property_app import PropertyApp
from tests.qmgr.test_message_properties import rfh2


@pytest.fixture
def driver() -> Driver:
    return Driver(("QLOCAL", "Q", {}), MAXHANDS=8)


@pytest.fixture
def app(driver: Driver) -> PropertyApp:
    return PropertyApp(driver.qm)


# -- handles -----------------------------------------------------------------------------------------------------------


def test_a_handle_belongs_to_its_connection_and_ends_when_it_is_deleted(driver: Driver, app: PropertyApp) -> None:
    hmsg = app.create()
    other = PropertyApp(driver.qm, "other")
    assert other.set(hmsg, "a", 1) == MQRC_HMSG_ERROR
    assert app.delete(hmsg) == 0
    assert app.set(hmsg, "a", 1) == MQRC_HMSG_ERROR
    assert app.delete(hmsg) == MQRC_HMSG_ERROR


def test_a_handle_of_nobody_is_for_everybody_until_it_is_deleted(driver: Driver, app: PropertyApp) -> None:
    hmsg = app.create(unassociated=True)
    assert app.set(hmsg, "a", 1) == 0
    app.disconnect()
    other = PropertyApp(driver.qm, "other")
    assert other.value(hmsg, "a") == 1
    assert other.delete(hmsg) == 0
    assert other.inquire(hmsg, "a") == MQRC_HMSG_ERROR


def test_a_connection_that_is_gone_has_no_handles(app: PropertyApp) -> None:
    hmsg = app.create()
    app.disconnect()
    assert app.set(hmsg, "a", 1) == MQRC_HCONN_ERROR
    assert app.create() == 0 and app.connection.reason == MQRC_HCONN_ERROR


def test_there_are_no_more_handles_than_maxhands(app: PropertyApp) -> None:
    handles = [app.create() for _ in range(8)]
    assert all(handles) and len(set(handles)) == 8
    assert app.create() == 0
    assert app.connection.reason == MQRC_HANDLE_NOT_AVAILABLE


@pytest.mark.parametrize("options", [4, MQCMHO_VALIDATE | MQCMHO_NO_VALIDATION])
def test_options_that_make_no_sense_are_refused(app: PropertyApp, options: int) -> None:
    assert app.create(options) == 0
    assert app.connection.reason == MQRC_OPTIONS_ERROR
    hmsg = app.create()
    assert app.delete(hmsg, 1) == MQRC_OPTIONS_ERROR
    assert app.set(hmsg, "a", 1, options=3) == MQRC_OPTIONS_ERROR
    assert app.remove(hmsg, "a", 2) == MQRC_OPTIONS_ERROR
    assert app.inquire(hmsg, "a", MQIMPO_INQ_NEXT | MQIMPO_INQ_PROP_UNDER_CURSOR) == MQRC_OPTIONS_ERROR
    assert app.from_buffer(hmsg, MQMD(), b"", 2) == MQRC_OPTIONS_ERROR
    assert app.to_buffer(hmsg, options=8) == MQRC_OPTIONS_ERROR


def test_a_handle_that_a_waiting_get_will_fill_is_in_use(driver: Driver, app: PropertyApp) -> None:
    """H1."""
    hmsg = app.create(unassociated=True)
    q = app.open("Q")
    app.gmo.wait_interval = 1000
    md, gmo = app.md, app.gmo
    gmo.version, gmo.msg_handle, gmo.options = 4, hmsg, MQGMO_WAIT
    assert driver.qm.get(app.connection, q, md, gmo) == WAITING
    other = PropertyApp(driver.qm, "other")
    assert other.set(hmsg, "a", 1) == MQRC_MSG_HANDLE_IN_USE
    assert other.delete(hmsg) == MQRC_MSG_HANDLE_IN_USE
    o = other.open("Q")
    assert other.get_with(o, hmsg) == MQRC_MSG_HANDLE_IN_USE
    assert other.put_with(o, new=hmsg) == MQRC_MSG_HANDLE_IN_USE
    sender = other.create()
    assert other.set(sender, "color", "red") == 0
    assert other.put_with(o, new=sender) == 0
    assert driver.woken() == ["app"]
    assert other.value(hmsg, "color") == "red"


def test_a_wait_that_is_over_gives_its_handle_back(driver: Driver, app: PropertyApp) -> None:
    """H1."""
    hmsg = app.create()
    q = app.open("Q")
    gmo = app.gmo
    gmo.version, gmo.msg_handle, gmo.options, gmo.wait_interval = 4, hmsg, MQGMO_WAIT, 100
    assert driver.qm.get(app.connection, q, app.md, gmo) == WAITING
    driver.pass_time(200)
    assert app.set(hmsg, "a", 1) == 0


# -- setting -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", MQRC_PROPERTY_NAME_LENGTH_ERR),
        ("a" * 4096, MQRC_PROPERTY_NAME_LENGTH_ERR),
        ("a b", MQRC_PROPERTY_NAME_ERROR),
        ("usr.a.b", MQRC_PROPERTY_NAME_ERROR),
        ("JMSMine", MQRC_PROPERTY_NAME_ERROR),
        ("and", MQRC_PROPERTY_NAME_ERROR),
        ("Body.x", MQRC_PROPERTY_NAME_ERROR),
        ("Root.MQMD.Nothing", MQRC_PROPERTY_NAME_ERROR),
        ("JMSMessageID", MQRC_PROPERTY_NAME_ERROR),
    ],
)
def test_a_name_that_breaks_the_rules_is_refused_and_nothing_is_set(app: PropertyApp, name: str, reason: int) -> None:
    """H2."""
    hmsg = app.create()
    assert app.set(hmsg, name, "x") == reason
    assert app.completion == MQCC_FAILED
    assert app.held(hmsg) == {}


def test_a_property_has_a_value_or_properties_below_it(app: PropertyApp) -> None:
    hmsg = app.create()
    assert app.set(hmsg, "shop.size", 1) == 0
    assert app.set(hmsg, "shop.size.width", 2) == MQRC_MIXED_CONTENT_NOT_ALLOWED


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        (MQTYPE_BOOLEAN, struct.pack("<i", 1), True),
        (MQTYPE_INT8, b"\xff", -1),
        (MQTYPE_INT16, struct.pack("<h", -2), -2),
        (MQTYPE_INT32, struct.pack("<i", 7), 7),
        (MQTYPE_INT64, struct.pack("<q", 1 << 40), 1 << 40),
        (MQTYPE_FLOAT64, struct.pack("<d", 1.5), 1.5),
        (MQTYPE_STRING, "grün".encode(), "grün"),
        (MQTYPE_BYTE_STRING, b"\0\1", b"\0\1"),
        (MQTYPE_NULL, b"", None),
    ],
)
def test_a_value_in_a_buffer_is_read_and_returned_by_its_type(
    driver: Driver, app: PropertyApp, kind: int, raw: bytes, value: object
) -> None:
    hmsg = app.create()
    assert message_handle.set_property(driver.qm, app.connection, hmsg, MQSMPO(), "a", MQPD(), kind, raw) == 0
    assert app.value(hmsg, "a") == value
    assert (app.inquiry.kind, app.inquiry.data, app.inquiry.data_length) == (kind, raw, len(raw))


def test_a_value_in_another_encoding_is_read_in_it(driver: Driver, app: PropertyApp) -> None:
    hmsg = app.create()
    smpo = MQSMPO()
    smpo.value_encoding, smpo.value_ccsid = 273, 500
    set_property = message_handle.set_property
    assert set_property(driver.qm, app.connection, hmsg, smpo, "n", MQPD(), MQTYPE_INT32, b"\0\0\1\0") == 0
    assert set_property(driver.qm, app.connection, hmsg, smpo, "s", MQPD(), MQTYPE_STRING, b"\xc1\xc2") == 0
    assert app.held(hmsg) == {"n": 256, "s": "AB"}


@pytest.mark.parametrize(
    ("kind", "raw", "reason"),
    [
        (MQTYPE_INT32, b"\0", MQRC_BUFFER_LENGTH_ERROR),
        (MQTYPE_NULL, b"\0", MQRC_BUFFER_LENGTH_ERROR),
        (99, b"\0", MQRC_PROPERTY_TYPE_ERROR),
        (MQTYPE_STRING, b"\xff\xff", MQRC_SOURCE_CCSID_ERROR),
    ],
)
def test_a_value_that_is_not_of_its_type_is_refused(
    driver: Driver, app: PropertyApp, kind: int, raw: bytes, reason: int
) -> None:
    hmsg = app.create()
    assert message_handle.set_property(driver.qm, app.connection, hmsg, MQSMPO(), "a", MQPD(), kind, raw) == reason
    assert app.set(hmsg, "b", "text", MQTYPE_INT32) == MQRC_PROPERTY_TYPE_ERROR
    assert app.held(hmsg) == {}


def test_a_property_descriptor_comes_back(app: PropertyApp) -> None:
    hmsg = app.create()
    pd = MQPD()
    pd.context, pd.copy_options = MQPD_USER_CONTEXT, MQCOPY_NONE
    assert app.set(hmsg, "a", 1, pd=pd) == 0
    assert app.inquire(hmsg, "a") == 0
    assert (app.pd.context, app.pd.copy_options) == (MQPD_USER_CONTEXT, MQCOPY_NONE)


def test_the_cursor_says_where_a_property_is_set(app: PropertyApp) -> None:
    hmsg = app.create()
    assert app.set(hmsg, "a", 1, options=MQSMPO_SET_PROP_UNDER_CURSOR) == MQRC_PROPERTY_NOT_AVAILABLE
    for name in ("a", "b"):
        assert app.set(hmsg, name, 1, options=MQSMPO_APPEND_PROPERTY) == 0
    assert app.inquire(hmsg, "a") == 0
    assert app.set(hmsg, "c", 2, options=MQSMPO_SET_PROP_UNDER_CURSOR) == 0
    assert app.held(hmsg) == {"c": 2, "b": 1}


def test_without_validation_a_bad_name_is_found_out_at_the_put(app: PropertyApp) -> None:
    hmsg = app.create(MQCMHO_NO_VALIDATION)
    assert app.set(hmsg, "not good", 1) == 0
    q = app.open("Q")
    assert app.put_with(q, new=hmsg) == MQRC_PROPERTY_NAME_ERROR
    assert app.get(q) == 2033


# -- the descriptor ----------------------------------------------------------------------------------------------------


def test_fields_of_the_descriptor_are_set_inquired_and_deleted(app: PropertyApp) -> None:
    hmsg = app.create()
    assert app.inquire(hmsg, "Root.MQMD.Priority") == MQRC_PROPERTY_NOT_AVAILABLE
    assert app.set(hmsg, "Root.MQMD.Priority", 7) == 0
    assert app.set(hmsg, "Root.MQMD.CorrelId", b"abc") == 0
    assert app.value(hmsg, "Root.MQMD.Priority") == 7
    assert app.pd.copy_options == MQCOPY_NONE
    assert app.value(hmsg, "Root.MQMD.CorrelId") == b"abc".ljust(24, b"\0")
    assert app.remove(hmsg, "Root.MQMD.Priority") == 0
    assert app.inquire(hmsg, "Root.MQMD.Priority") == MQRC_PROPERTY_NOT_AVAILABLE
    assert app.remove(hmsg, "Root.MQMD.Priority") == MQRC_PROPERTY_NOT_AVAILABLE
    assert app.completion == MQCC_WARNING
    assert app.set(hmsg, "Root.MQMD.Priority", "high") == MQRC_PROPERTY_TYPE_ERROR
    assert app.set(hmsg, "Root.MQMD.ReplyToQ", "x" * 49) == MQRC_PROPERTY_VALUE_TOO_BIG
    assert app.held(hmsg) == {}


# -- inquiring ---------------------------------------------------------------------------------------------------------


def test_inquire_next_returns_one_after_the_other_and_ends_with_2471(app: PropertyApp) -> None:
    hmsg = app.create()
    for name in ("a", "shop.x", "b", "shop.y"):
        app.set(hmsg, name, name)
    names = []
    options = 0
    while app.inquire(hmsg, "%", options) == 0:
        names.append(app.impo.returned_name)
        options = MQIMPO_INQ_NEXT
    assert names == ["a", "shop.x", "b", "shop.y"]
    assert app.connection.reason == MQRC_PROPERTY_NOT_AVAILABLE and app.completion == MQCC_FAILED
    assert app.inquire(hmsg, "shop.%") == 0 and app.impo.returned_name == "shop.x"
    assert app.inquire(hmsg, "shop.%", MQIMPO_INQ_NEXT) == 0 and app.impo.returned_name == "shop.y"
    assert app.inquire(hmsg, "", MQIMPO_INQ_PROP_UNDER_CURSOR) == 0 and app.inquiry.value == "shop.y"


def test_a_value_too_long_for_its_buffer_is_cut_and_can_be_asked_for_again(app: PropertyApp) -> None:
    """H2."""
    hmsg = app.create()
    app.set(hmsg, "color", "vermilion")
    assert app.inquire(hmsg, "%", value_length=4) == MQRC_PROPERTY_VALUE_TOO_BIG
    assert (app.inquiry.data, app.inquiry.data_length) == (b"verm", 9)
    assert app.inquire(hmsg, "", MQIMPO_INQ_PROP_UNDER_CURSOR, value_length=9) == 0
    assert app.inquiry.data == b"vermilion"
    assert app.inquire(hmsg, "%", name_length=4) == MQRC_PROPERTY_NAME_TOO_BIG
    assert app.completion == MQCC_FAILED


def test_the_length_can_be_asked_for_without_the_value(app: PropertyApp) -> None:
    hmsg = app.create()
    app.set(hmsg, "color", "vermilion")
    assert app.inquire(hmsg, "color", MQIMPO_QUERY_LENGTH, value_length=0) == 0
    assert (app.inquiry.data, app.inquiry.data_length) == (b"", 9)


def test_a_value_is_converted_to_the_type_that_is_asked_for(app: PropertyApp) -> None:
    hmsg = app.create()
    app.set(hmsg, "n", 42)
    app.set(hmsg, "s", "43")
    app.set(hmsg, "word", "red")
    app.set(hmsg, "raw", b"\1")
    assert app.inquire(hmsg, "n", MQIMPO_CONVERT_TYPE, MQTYPE_STRING) == 0 and app.inquiry.data == b"42"
    assert app.inquire(hmsg, "s", MQIMPO_CONVERT_TYPE, MQTYPE_INT64) == 0
    assert app.inquiry.data == struct.pack("<q", 43) and app.inquiry.kind == MQTYPE_INT64
    assert app.inquire(hmsg, "word", MQIMPO_CONVERT_TYPE, MQTYPE_INT32) == MQRC_PROP_NUMBER_FORMAT_ERROR
    assert app.inquire(hmsg, "raw", MQIMPO_CONVERT_TYPE, MQTYPE_INT32) == MQRC_PROP_CONV_NOT_SUPPORTED


def test_a_value_is_converted_to_the_encoding_and_character_set_that_are_asked_for(app: PropertyApp) -> None:
    hmsg = app.create()
    app.set(hmsg, "n", 1)
    app.set(hmsg, "s", "AB")
    assert app.inquire(hmsg, "n", MQIMPO_CONVERT_VALUE, encoding=273) == 0
    assert app.inquiry.data == b"\0\0\0\1" and app.impo.returned_encoding == 273
    assert app.inquire(hmsg, "s", MQIMPO_CONVERT_VALUE, ccsid=500) == 0
    assert app.inquiry.data == b"\xc1\xc2" and app.impo.returned_ccsid == 500
    assert app.inquire(hmsg, "s", MQIMPO_CONVERT_VALUE, ccsid=99_999) == MQRC_PROP_VALUE_NOT_CONVERTED
    assert app.completion == MQCC_WARNING and app.inquiry.data == b"AB" and app.impo.returned_ccsid == 1208


@pytest.mark.parametrize("name", ["a b%", "%a", "a..b", ".a"])
def test_a_name_that_no_property_can_have_is_refused(app: PropertyApp, name: str) -> None:
    hmsg = app.create()
    assert app.inquire(hmsg, name) == MQRC_PROPERTY_NAME_ERROR
    assert app.remove(hmsg, name) == MQRC_PROPERTY_NAME_ERROR


def test_a_name_means_the_same_property_with_and_without_its_folder(app: PropertyApp) -> None:
    hmsg = app.create()
    app.set(hmsg, "color", "red")
    app.set(hmsg, "JMSCorrelationID", "c1")
    assert app.value(hmsg, "usr.color") == "red"
    assert app.value(hmsg, "jms.Cid") == "c1"
    assert app.value(hmsg, "JMSCorrelationID") == "c1"


# -- deleting ----------------------------------------------------------------------------------------------------------


def test_a_property_that_is_not_there_is_a_warning_when_it_is_deleted(app: PropertyApp) -> None:
    hmsg = app.create()
    app.set(hmsg, "a", 1)
    assert app.remove(hmsg, "b") == MQRC_PROPERTY_NOT_AVAILABLE and app.completion == MQCC_WARNING
    assert app.remove(hmsg, "%") == MQRC_PROPERTY_NAME_ERROR
    assert app.remove(hmsg, "", MQDMPO_DEL_PROP_UNDER_CURSOR) == MQRC_PROPERTY_NOT_AVAILABLE
    assert app.completion == MQCC_FAILED
    assert app.inquire(hmsg, "a") == 0
    assert app.remove(hmsg, "", MQDMPO_DEL_PROP_UNDER_CURSOR) == 0
    assert app.held(hmsg) == {}


# -- buffers -----------------------------------------------------------------------------------------------------------


def described(format: str = MQFMT_RF_HEADER_2) -> MQMD:
    md = MQMD()
    md.format, md.encoding, md.coded_char_set_id = format, MQENC_NATIVE, 1208
    return md


def test_a_buffer_becomes_a_handle_and_loses_its_properties(app: PropertyApp) -> None:
    hmsg = app.create()
    md = described()
    md.priority = 5
    header = rfh2("<usr><a dt='i4'>1</a></usr>", format=MQFMT_STRING)
    assert app.from_buffer(hmsg, md, header + b"data") == 0
    assert (app.data, md.format, md.coded_char_set_id) == (b"data", MQFMT_STRING, 1208)
    assert app.held(hmsg) == {"a": 1}
    assert app.value(hmsg, "Root.MQMD.Priority") == 5
    assert app.value(hmsg, "Root.MQMD.Format") == MQFMT_STRING


def test_folders_that_are_not_properties_stay_in_the_buffer(app: PropertyApp) -> None:
    hmsg = app.create()
    md = described()
    header = rfh2("<psc><Command>Publish</Command></psc>", "<usr><a>1</a></usr>", format=MQFMT_STRING)
    assert app.from_buffer(hmsg, md, header + b"data") == 0
    rest = rfh2("<psc><Command>Publish</Command></psc>", format=MQFMT_STRING)
    assert (app.data, md.format) == (rest + b"data", MQFMT_RF_HEADER_2)


def test_a_buffer_may_keep_its_properties(app: PropertyApp) -> None:
    hmsg = app.create()
    md = described()
    data = rfh2("<usr><a>1</a></usr>") + b"data"
    assert app.from_buffer(hmsg, md, data, MQBMHO_NONE) == 0
    assert app.data == data and md.format == MQFMT_RF_HEADER_2
    assert app.held(hmsg) == {"a": "1"}


def test_a_dt_that_is_not_known_comes_back_as_text_with_a_warning(app: PropertyApp) -> None:
    hmsg = app.create()
    assert app.from_buffer(hmsg, described(), rfh2("<usr><a dt='color'>red</a></usr>")) == 0
    assert app.inquire(hmsg, "a") == MQRC_PROP_TYPE_NOT_SUPPORTED
    assert (app.completion, app.inquiry.data, app.impo.type_string) == (MQCC_WARNING, b"red", "color")


def test_a_buffer_that_is_not_well_formed_changes_nothing(app: PropertyApp) -> None:
    """H2."""
    hmsg = app.create()
    app.set(hmsg, "a", 1)
    assert app.from_buffer(hmsg, described(), b"nothing") == MQRC_RFH_ERROR
    assert app.from_buffer(hmsg, described(), rfh2("<usr><a>1</usr>")) == MQRC_RFH_FORMAT_ERROR
    assert app.held(hmsg) == {"a": 1}


def test_a_handle_becomes_a_header_in_front_of_what_the_descriptor_says(app: PropertyApp) -> None:
    hmsg = app.create()
    app.set(hmsg, "color", "red")
    app.set(hmsg, "shop.n", 3)
    md = described(MQFMT_STRING)
    assert app.to_buffer(hmsg, "%", md) == 0
    header = MQRFH2.unpack(app.data)
    assert header.folders == ["<usr><color>red</color></usr>", "<shop content='properties'><n dt='i4'>3</n></shop>"]
    assert (header.format, header.encoding, header.coded_char_set_id) == (MQFMT_STRING, MQENC_NATIVE, 1208)
    assert (md.format, md.encoding) == (MQFMT_RF_HEADER_2, MQENC_NATIVE)
    assert app.to_buffer(hmsg, "shop.%", described()) == 0
    assert MQRFH2.unpack(app.data).folders == ["<shop content='properties'><n dt='i4'>3</n></shop>"]


def test_a_buffer_that_is_too_short_and_a_name_that_means_nothing_fail(app: PropertyApp) -> None:
    hmsg = app.create()
    app.set(hmsg, "color", "red")
    assert app.to_buffer(hmsg, room=10) == MQRC_PROPERTY_VALUE_TOO_BIG
    assert app.connection.data_length == 36 + 4 + 32 and app.data == b""
    assert app.to_buffer(hmsg, "size") == MQRC_PROPERTY_NOT_AVAILABLE
    assert app.to_buffer(hmsg, "bad name") == MQRC_PROPERTY_NAME_ERROR


def test_properties_can_go_with_the_buffer(app: PropertyApp) -> None:
    hmsg = app.create()
    app.set(hmsg, "color", "red")
    app.set(hmsg, "shop.n", 3)
    assert app.to_buffer(hmsg, "usr.%", options=MQMHBO_PROPERTIES_IN_MQRFH2 | MQMHBO_DELETE_PROPERTIES) == 0
    assert app.held(hmsg) == {"shop.n": 3}


@given(st.binary(max_size=300), st.booleans())
@settings(max_examples=200, deadline=None)
def test_no_buffer_makes_the_call_fail_otherwise_than_with_a_reason(garbage: bytes, framed: bool) -> None:
    app = PropertyApp(Driver().qm)
    hmsg = app.create()
    if framed:
        length = 36 + len(garbage) // 4 * 4
        garbage = b"RFH " + struct.pack("<iiii8sii", 2, length, 546, 1208, b"MQHRF2  ", 0, 1208) + garbage
    md = described()
    assert app.from_buffer(hmsg, md, garbage) in (0, MQRC_RFH_ERROR, MQRC_RFH_FORMAT_ERROR)
    if app.completion == MQCC_FAILED:
        assert md.format == MQFMT_RF_HEADER_2 and app.held(hmsg) == {}
