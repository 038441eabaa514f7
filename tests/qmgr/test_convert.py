"""MQGMO_CONVERT: what the application asked for, what it gets, and what it hears when that cannot be had."""

from __future__ import annotations

from typing import Any

import pytest

from flintmq.mqi.constants import (
    MQCCSI_APPL,
    MQENC_NATIVE,
    MQFMT_MD_EXTENSION,
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_COMPLETE_MSG,
    MQGMO_CONVERT,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_SEGMENT,
    MQMO_NONE,
)
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.dlh import SIZE as DLH_SIZE
from flintmq.mqi.mde import MQMDE
from flintmq.mqi.reason import (
    MQCC_OK,
    MQCC_WARNING,
    MQRC_CONVERTED_MSG_TOO_BIG,
    MQRC_FORMAT_ERROR,
    MQRC_NONE,
    MQRC_NOT_CONVERTED,
    MQRC_SOURCE_CCSID_ERROR,
    MQRC_TARGET_CCSID_ERROR,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
)
from flintmq.qmgr.connection import WAITING
from tests.qmgr.conftest import Answered, App, Engine

UTF8 = 1208
EBCDIC = 500
LATIN = 819
TEXT = "GRÜN"


@pytest.fixture
def app(engine: Engine) -> App:
    return engine.connect()


def put_text(app: App, text: str = TEXT, ccsid: int = UTF8, codec: str = "utf-8") -> None:
    app.put("Q", text.encode(codec), format="MQSTR", coded_char_set_id=ccsid)


def get(app: App, ccsid: int = UTF8, encoding: int = MQENC_NATIVE, options: int = 0, **fields: Any) -> Answered:
    return app.get(
        "Q",
        options=MQGMO_CONVERT | options,
        coded_char_set_id=ccsid,
        encoding=encoding,
        **fields,
    )


def test_text_is_converted_to_what_the_descriptor_said_before_the_get(app: App) -> None:
    put_text(app)

    got = get(app, EBCDIC)

    assert (got.completion, got.reason) == (MQCC_OK, MQRC_NONE)
    assert got.data == TEXT.encode("cp500")
    assert (got.md.coded_char_set_id, got.md.encoding) == (EBCDIC, MQENC_NATIVE)
    assert got.data_length == 4


def test_without_the_option_nothing_is_converted(app: App) -> None:
    put_text(app)
    got = app.get("Q", coded_char_set_id=EBCDIC)
    assert (got.data, got.md.coded_char_set_id) == (TEXT.encode(), UTF8)


@pytest.mark.parametrize("ccsid", [0, MQCCSI_APPL])
def test_no_character_set_of_its_own_means_the_queue_managers(app: App, ccsid: int) -> None:
    put_text(app, ccsid=EBCDIC, codec="cp500")

    got = get(app, ccsid)

    assert (got.data, got.md.coded_char_set_id) == (TEXT.encode(), UTF8)


@pytest.mark.parametrize("format", ["", "PRIVATE"])
def test_a_message_that_is_as_wanted_needs_no_format(app: App, format: str) -> None:
    app.put("Q", b"\xff\xfe", format=format)

    assert get(app, 0).reason == MQRC_NONE


@pytest.mark.parametrize(
    ("data", "fields", "wanted", "reason"),
    [
        (b"\x01\x02", {"format": ""}, EBCDIC, MQRC_FORMAT_ERROR),
        (b"\x01\x02", {"format": "PRIVATE"}, EBCDIC, MQRC_FORMAT_ERROR),
        (b"not a header", {"format": "MQDEAD"}, EBCDIC, MQRC_FORMAT_ERROR),
        (b"abc", {"format": "MQSTR", "coded_char_set_id": 9999}, EBCDIC, MQRC_SOURCE_CCSID_ERROR),
        (b"abc", {"format": "MQSTR"}, 9999, MQRC_TARGET_CCSID_ERROR),
        (b"\xff\xff", {"format": "MQSTR"}, EBCDIC, MQRC_NOT_CONVERTED),
    ],
)
def test_what_cannot_be_converted_is_returned_as_it_is_with_a_warning(
    engine: Engine, app: App, data: bytes, fields: dict[str, Any], wanted: int, reason: int
) -> None:
    app.put("Q", data, **fields)

    got = get(app, wanted)

    assert (got.completion, got.reason) == (MQCC_WARNING, reason)
    assert got.data == data
    assert got.md.coded_char_set_id == fields.get("coded_char_set_id", UTF8), "its own"
    assert engine.depth("Q") == 0, "it was got all the same"


def test_text_that_grows_out_of_the_buffer_is_returned_as_it_is(engine: Engine, app: App) -> None:
    put_text(app, ccsid=LATIN, codec="latin-1")

    got = get(app, max_length=4)

    assert (got.completion, got.reason, got.data) == (MQCC_WARNING, MQRC_CONVERTED_MSG_TOO_BIG, TEXT.encode("latin-1"))
    assert got.md.coded_char_set_id == LATIN
    assert engine.depth("Q") == 0


def test_text_that_grows_is_cut_if_that_is_allowed(engine: Engine, app: App) -> None:
    put_text(app, ccsid=LATIN, codec="latin-1")

    got = get(app, options=MQGMO_ACCEPT_TRUNCATED_MSG, max_length=4)

    assert (got.reason, got.data, got.data_length) == (MQRC_TRUNCATED_MSG_ACCEPTED, TEXT.encode()[:4], 5)
    assert got.md.coded_char_set_id == UTF8


def test_a_message_that_never_fitted_stays_and_is_not_converted(engine: Engine, app: App) -> None:
    put_text(app)

    got = get(app, EBCDIC, max_length=3)

    assert (got.reason, got.data, got.data_length) == (MQRC_TRUNCATED_MSG_FAILED, TEXT.encode()[:3], 5)
    assert got.md.coded_char_set_id == UTF8
    assert engine.depth("Q") == 1


def test_a_browse_converts_too_and_the_message_stays_as_it_was_put(app: App) -> None:
    put_text(app)

    browsed = app.browse("Q", first=True, options=MQGMO_CONVERT, coded_char_set_id=EBCDIC)

    assert browsed.data == TEXT.encode("cp500")
    assert app.get("Q").data == TEXT.encode()


def test_a_header_and_the_text_behind_it_are_converted(app: App) -> None:
    dlh = MQDLH()
    dlh.reason, dlh.dest_q_name, dlh.format, dlh.coded_char_set_id, dlh.encoding = 2053, "Q1", "MQSTR", UTF8, 546
    app.put("Q", dlh.pack() + b"text", format="MQDEAD")

    got = get(app, EBCDIC, encoding=785)

    header = MQDLH.unpack(got.data, 0, True, EBCDIC)
    assert (header.reason, header.dest_q_name, header.coded_char_set_id) == (2053, "Q1", EBCDIC)
    assert got.data[DLH_SIZE:] == "text".encode("cp500")
    assert (got.md.encoding, got.md.coded_char_set_id) == (785, EBCDIC)


def test_the_extension_for_a_version_1_application_is_converted_with_the_data(app: App) -> None:
    app.put("Q", b"text", version=2, msg_flags=MQMF_LAST_MSG_IN_GROUP, group_id=b"G" * 24, format="MQSTR")

    got = get(app, EBCDIC, encoding=785, version=1)

    assert got.md.format == MQFMT_MD_EXTENSION
    mde = MQMDE.unpack(got.data, 0, True, EBCDIC)
    assert (mde.group_id, mde.format) == (b"G" * 24, "MQSTR")
    assert got.data[72:] == "text".encode("cp500")


def test_a_character_that_was_cut_in_two_is_whole_again_in_a_complete_message(app: App) -> None:
    data = TEXT.encode()
    for offset, end, flags in ((0, 3, MQMF_SEGMENT), (3, 5, MQMF_LAST_SEGMENT)):
        app.put("Q", data[offset:end], version=2, msg_flags=flags, group_id=b"G" * 24, offset=offset, format="MQSTR")

    got = get(app, EBCDIC, options=MQGMO_COMPLETE_MSG, match_options=MQMO_NONE)

    assert (got.reason, got.data) == (MQRC_NONE, TEXT.encode("cp500"))


def test_a_wait_remembers_what_was_asked_for(engine: Engine, app: App) -> None:
    waiting = get(app, EBCDIC, wait_ms=1000)
    assert waiting.reason == WAITING

    put_text(engine.connect())

    assert waiting.completed().data == TEXT.encode("cp500")
