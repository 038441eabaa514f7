"""MQMDE: version 2 fields for applications that speak version 1, on the way in and out."""

from __future__ import annotations

from typing import Any

import pytest

from flintmq.mqi.constants import (
    MQENC_NATIVE,
    MQFMT_MD_EXTENSION,
)
from flintmq.mqi.md import NO_ID
from flintmq.mqi.mde import MQMDE
from flintmq.mqi.reason import (
    MQRC_MDE_ERROR,
    MQRC_MSG_FLAGS_ERROR,
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_NONE,
)
from tests.qmgr.conftest import Engine
from tests.qmgr.groups import ALLOWED, GROUP_A, LAST, MIG, get, put

# -- version 1 applications --------------------------------------------------------------------------------------------


def test_a_version_1_get_has_the_group_fields_in_an_extension(engine: Engine) -> None:
    app = engine.connect()
    put(app, b"data", LAST, logical=False, group_id=GROUP_A, msg_seq_number=3, format="MQSTR", coded_char_set_id=819)

    got = get(app, 0, version=1)

    mde = MQMDE.unpack(got.data)
    assert (got.md.format, got.md.encoding, got.md.coded_char_set_id) == (MQFMT_MD_EXTENSION, MQENC_NATIVE, 1208)
    assert (mde.group_id, mde.msg_seq_number, mde.msg_flags) == (GROUP_A, 3, LAST | MIG)
    assert (mde.format, mde.coded_char_set_id) == ("MQSTR", 819)
    assert got.data[72:] == b"data"
    assert got.data_length == 76


def test_a_version_1_get_of_an_ordinary_message_has_no_extension(engine: Engine) -> None:
    app = engine.connect()
    app.put("Q", b"data", version=2)

    assert get(app, 0, version=1).data == b"data"


def extended(flags: int = MIG, number: int = 1) -> bytes:
    mde = MQMDE()
    mde.group_id = GROUP_A
    mde.msg_seq_number = number
    mde.msg_flags = flags
    mde.format = "MQSTR"
    mde.coded_char_set_id = 819
    return mde.pack() + b"data"


@pytest.mark.parametrize("version", [1, 2])
def test_an_extension_in_front_of_the_data_of_a_put_is_taken_apart(engine: Engine, version: int) -> None:
    app = engine.connect()

    answered = app.put("Q", extended(number=4), format=MQFMT_MD_EXTENSION, version=version)

    assert answered.reason == MQRC_NONE
    assert (answered.md.version, answered.md.format) == (version, MQFMT_MD_EXTENSION), "the descriptor is still its own"
    assert answered.md.msg_id != NO_ID
    got = get(app, 0)
    assert (got.data, got.md.format, got.md.coded_char_set_id) == (b"data", "MQSTR", 819)
    assert (got.md.group_id, got.md.msg_seq_number, got.md.msg_flags) == (GROUP_A, 4, MIG)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"too short", MQRC_MDE_ERROR),
        (b"XXXX" + extended()[4:], MQRC_MDE_ERROR),
        (extended()[:8] + b"\0\0\0\0" + extended()[12:], MQRC_MDE_ERROR),
        (extended(number=0), MQRC_MSG_SEQ_NUMBER_ERROR),
        (extended(flags=0x20), MQRC_MSG_FLAGS_ERROR),
    ],
)
def test_a_bad_extension_is_refused(engine: Engine, data: bytes, reason: int) -> None:
    assert engine.connect().put("Q", data, format=MQFMT_MD_EXTENSION).reason == reason
    assert engine.depth("Q") == 0


@pytest.mark.parametrize(
    ("data", "fields"),
    [
        (extended(), {"encoding": 273}),
        (extended(), {"coded_char_set_id": 500}),
        (extended()[:4] + b"\x03" + extended()[5:], {}),
        (extended(), {"version": 2, "msg_flags": ALLOWED}),
    ],
)
def test_an_extension_that_is_not_for_the_queue_manager_is_data(
    engine: Engine, data: bytes, fields: dict[str, Any]
) -> None:
    app = engine.connect()

    assert app.put("Q", data, format=MQFMT_MD_EXTENSION, **fields).reason == MQRC_NONE
    got = get(app, 0)
    assert (got.data, got.md.format) == (data, MQFMT_MD_EXTENSION)
