"""Groups and segments, putting: the table of group.py line by line, what breaks it, and cutting long messages."""

from __future__ import annotations

from typing import Any

import pytest

from flintmq.mqi.constants import (
    MQENC_NATIVE,
    MQFMT_MD_EXTENSION,
    MQGMO_LOGICAL_ORDER,
    MQMT_REPORT,
    MQPMO_LOGICAL_ORDER,
)
from flintmq.mqi.md import NO_ID
from flintmq.mqi.mde import MQMDE
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQRC_INCOMPLETE_GROUP,
    MQRC_INCOMPLETE_MSG,
    MQRC_INCONSISTENT_PERSISTENCE,
    MQRC_INCONSISTENT_UOW,
    MQRC_MSG_FLAGS_ERROR,
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NONE,
    MQRC_OFFSET_ERROR,
    MQRC_ORIGINAL_LENGTH_ERROR,
    MQRC_Q_FULL,
    MQRC_SEGMENT_LENGTH_ZERO,
    MQRC_UOW_NOT_AVAILABLE,
    MQRC_WRONG_MD_VERSION,
)
from tests.qmgr.conftest import Engine
from tests.qmgr.groups import ALLOWED, GROUP_A, LAST, LAST_SEG, MIG, SEG, get, place, put

# -- puts in logical order -------------------------------------------------------------------------------------------


def test_in_logical_order_the_queue_manager_numbers_the_messages_of_a_group(engine: Engine) -> None:
    app = engine.connect()

    first, second, last = put(app, b"1", MIG), put(app, b"2", MIG), put(app, b"3", LAST)
    other = put(app, b"4", LAST)

    assert [place(one) for one in (first, second, last, other)] == [(1, 0), (2, 0), (3, 0), (1, 0)]
    assert first.md.group_id == second.md.group_id == last.md.group_id != NO_ID
    assert other.md.group_id not in (NO_ID, first.md.group_id)


def test_in_logical_order_segments_are_placed_behind_each_other(engine: Engine) -> None:
    app = engine.connect()

    puts = [put(app, b"12345", SEG), put(app, b"678", SEG), put(app, b"9", LAST_SEG), put(app, b"x", 0)]

    assert [place(one) for one in puts] == [(1, 0), (1, 5), (1, 8), (1, 0)]
    assert len({one.md.group_id for one in puts[:3]}) == 1
    assert puts[3].md.group_id == NO_ID


def test_segments_of_messages_of_a_group_have_the_number_of_their_message(engine: Engine) -> None:
    app = engine.connect()

    puts = [
        put(app, b"1", MIG),
        put(app, b"22", MIG | SEG),
        put(app, b"2", MIG | LAST_SEG),
        put(app, b"33", LAST | SEG),
        put(app, b"", LAST | LAST_SEG),
    ]

    assert [one.reason for one in puts] == [0] * 5
    assert [place(one) for one in puts] == [(1, 0), (2, 0), (2, 2), (3, 0), (3, 2)]
    assert engine.connect().put("Q", b"done", version=2).reason == MQRC_NONE


def test_the_last_message_is_stored_as_one_of_the_group_but_the_application_keeps_its_flags(engine: Engine) -> None:
    app = engine.connect()

    assert put(app, b"1", LAST | LAST_SEG).md.msg_flags == LAST | LAST_SEG

    got = get(app)
    assert got.md.msg_flags == LAST | MIG | LAST_SEG | SEG
    assert (got.gmo.group_status, got.gmo.segment_status, got.gmo.segmentation) == ("L", "L", " ")


def test_a_put_that_breaks_the_order_fails_and_the_group_can_go_on(engine: Engine) -> None:
    app = engine.connect()
    put(app, b"1", MIG)

    refused = put(app, b"x", 0)

    assert (refused.completion, refused.reason) == (MQCC_FAILED, MQRC_INCOMPLETE_GROUP)
    assert place(put(app, b"2", LAST)) == (2, 0)
    assert engine.depth("Q") == 2


@pytest.mark.parametrize("flags", [0, MIG, LAST, MIG | SEG, LAST | LAST_SEG])
def test_while_a_message_is_open_anything_but_its_next_segment_fails(engine: Engine, flags: int) -> None:
    app = engine.connect()
    put(app, b"1", SEG)

    assert put(app, b"x", flags).reason == MQRC_INCOMPLETE_MSG
    assert put(app, b"2", LAST_SEG).reason == MQRC_NONE


def test_segments_of_one_message_agree_on_being_the_last_of_the_group(engine: Engine) -> None:
    app = engine.connect()
    put(app, b"1", MIG | SEG)

    assert put(app, b"2", LAST | SEG).reason == MQRC_INCOMPLETE_MSG
    assert put(app, b"2", SEG).reason == MQRC_INCOMPLETE_MSG
    assert put(app, b"2", MIG | LAST_SEG).reason == MQRC_NONE


def test_persistence_and_syncpoint_stay_the_same_within_a_group(engine: Engine) -> None:
    app = engine.connect()
    put(app, b"1", MIG, persistence=1, syncpoint=True)

    assert put(app, b"2", MIG, persistence=0, syncpoint=True).reason == MQRC_INCONSISTENT_PERSISTENCE
    assert put(app, b"2", MIG, persistence=1).reason == MQRC_INCONSISTENT_UOW
    app.commit()
    assert put(app, b"2", LAST, persistence=1, syncpoint=True).reason == MQRC_NONE
    app.commit()


def test_logical_order_needs_a_version_2_descriptor(engine: Engine) -> None:
    assert engine.connect().put("Q", options=MQPMO_LOGICAL_ORDER).reason == MQRC_WRONG_MD_VERSION


def test_a_put_without_logical_order_in_the_middle_of_a_group_warns_and_is_done(engine: Engine) -> None:
    app = engine.connect()
    put(app, b"1", MIG)

    other = put(app, b"x", 0, logical=False)

    assert (other.completion, other.reason) == (MQCC_WARNING, MQRC_INCOMPLETE_GROUP)
    assert engine.depth("Q") == 2
    assert put(app, b"y", 0).reason == MQRC_NONE, "the group is forgotten"


def test_a_version_1_put_in_the_middle_of_a_message_warns_too(engine: Engine) -> None:
    app = engine.connect()
    put(app, b"1", SEG)

    other = app.put("Q", b"x")

    assert (other.completion, other.reason) == (MQCC_WARNING, MQRC_INCOMPLETE_MSG)


def test_a_put_that_happens_to_be_the_next_one_does_not_warn(engine: Engine) -> None:
    app = engine.connect()
    group_id = put(app, b"1", MIG).md.group_id

    second = put(app, b"2", MIG, logical=False, group_id=group_id, msg_seq_number=2)

    assert (second.completion, second.reason) == (MQCC_OK, MQRC_NONE)
    third = put(app, b"3", LAST)
    assert (third.md.group_id, third.md.msg_seq_number) == (group_id, 3), "and logical order goes on from it"


def test_a_group_left_open_is_a_warning_of_close(engine: Engine) -> None:
    app = engine.connect()
    put(app, b"1", MIG)
    assert app.close("Q") == MQRC_INCOMPLETE_GROUP
    assert app.connection.completion == MQCC_WARNING

    put(app, b"1", MIG | SEG)
    assert app.close("Q") == MQRC_INCOMPLETE_MSG, "in preference to the group"

    put(app, b"1", MIG, logical=False, group_id=GROUP_A)
    assert app.close("Q") == MQRC_NONE, "without logical order nobody has promised anything"


def test_backout_brings_the_group_back_to_where_it_was_before_the_unit_of_work(engine: Engine) -> None:
    app = engine.connect()
    put(app, b"1", MIG, syncpoint=True)
    app.commit()
    put(app, b"2", MIG, syncpoint=True)
    put(app, b"3", LAST, syncpoint=True)

    app.backout()

    again = put(app, b"2", LAST, syncpoint=True)
    assert place(again) == (2, 0)
    app.commit()
    assert app.drain("Q", options=MQGMO_LOGICAL_ORDER) == [b"1", b"2"]


# -- puts in any order -----------------------------------------------------------------------------------------------


def test_in_any_order_the_fields_are_the_applications(engine: Engine) -> None:
    app = engine.connect()

    answered = put(app, b"x", MIG | SEG, logical=False, group_id=GROUP_A, msg_seq_number=7, offset=40)

    assert (answered.md.group_id, *place(answered)) == (GROUP_A, 7, 40)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [(0, (NO_ID, 1, 0)), (ALLOWED, (GROUP_A, 1, 0)), (SEG, (GROUP_A, 1, 9)), (MIG, (GROUP_A, 5, 0))],
)
def test_fields_that_the_flags_do_not_call_for_are_set_to_their_defaults(
    engine: Engine, flags: int, expected: tuple[bytes, int, int]
) -> None:
    answered = put(engine.connect(), b"x", flags, logical=False, group_id=GROUP_A, msg_seq_number=5, offset=9)

    assert (answered.md.group_id, *place(answered)) == expected


def test_a_group_id_is_made_for_those_who_give_none(engine: Engine) -> None:
    assert put(engine.connect(), b"x", MIG, logical=False).md.group_id != NO_ID


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"msg_flags": 0x20}, MQRC_MSG_FLAGS_ERROR),
        ({"msg_flags": 0x1000}, MQRC_MSG_FLAGS_ERROR),
        ({"msg_flags": 0x0010_0000}, MQRC_NONE),
        ({"msg_flags": MIG, "msg_seq_number": 0}, MQRC_MSG_SEQ_NUMBER_ERROR),
        ({"msg_flags": MIG, "msg_seq_number": 1_000_000_000}, MQRC_MSG_SEQ_NUMBER_ERROR),
        ({"msg_flags": SEG, "msg_seq_number": 0}, MQRC_NONE),
        ({"msg_flags": SEG, "offset": -1}, MQRC_OFFSET_ERROR),
        ({"msg_flags": SEG, "offset": 999_999_999}, MQRC_OFFSET_ERROR),
        ({"msg_flags": SEG | MIG, "msg_seq_number": 0, "offset": -1}, MQRC_MSG_SEQ_NUMBER_ERROR),
        ({"msg_flags": SEG, "msg_type": MQMT_REPORT, "original_length": -1}, MQRC_ORIGINAL_LENGTH_ERROR),
        ({"msg_flags": SEG, "msg_type": MQMT_REPORT, "original_length": 2}, MQRC_ORIGINAL_LENGTH_ERROR),
        ({"msg_flags": SEG, "msg_type": MQMT_REPORT, "original_length": 3}, MQRC_NONE),
        ({"msg_flags": SEG, "original_length": -5}, MQRC_NONE),
    ],
)
def test_fields_that_cannot_be(engine: Engine, fields: dict[str, Any], reason: int) -> None:
    assert engine.connect().put("Q", b"xyz", version=2, **fields).reason == reason


def test_only_the_last_segment_may_be_empty(engine: Engine) -> None:
    app = engine.connect()
    assert put(app, b"", SEG).reason == MQRC_SEGMENT_LENGTH_ZERO
    assert put(app, b"x", SEG).reason == MQRC_NONE
    assert put(app, b"", LAST_SEG).reason == MQRC_NONE


# -- cutting ---------------------------------------------------------------------------------------------------------


def test_a_message_too_long_for_its_queue_is_cut_if_that_is_allowed(engine: Engine) -> None:
    engine.define("QLOCAL", "SHORT", {"MAXMSGL": 100})
    app = engine.connect()
    data = bytes(range(250))

    assert put(app, data, 0, queue="SHORT").reason == MQRC_MSG_TOO_BIG_FOR_Q
    answered = put(app, data, ALLOWED, queue="SHORT", msg_id=b"M" * 24)

    assert answered.reason == MQRC_NONE
    assert answered.md.msg_flags == ALLOWED
    assert engine.depth("SHORT") == 3
    parts = [get(app, 0, queue="SHORT") for _ in range(3)]
    assert [len(part.data) for part in parts] == [96, 96, 58], "multiples of sixteen"
    assert [part.md.offset for part in parts] == [0, 96, 192]
    assert b"".join(part.data for part in parts) == data
    assert {part.md.group_id for part in parts} == {answered.md.group_id}
    assert {part.md.msg_id for part in parts} == {b"M" * 24}
    assert [part.gmo.segment_status for part in parts] == ["S", "S", "L"]
    assert {part.gmo.segmentation for part in parts} == {"A"}


def test_a_cut_message_is_all_there_or_not_at_all(engine: Engine) -> None:
    """The queue has room for two of three segments."""
    engine.define("QLOCAL", "SHORT", {"MAXMSGL": 32, "MAXDEPTH": 2})
    app = engine.connect()
    app.put("Q", b"mine", syncpoint=True)

    assert put(app, bytes(96), ALLOWED, queue="SHORT", syncpoint=True).reason == MQRC_Q_FULL
    assert engine.depth("SHORT") == 0
    assert engine.queue("SHORT").counts.put_count == 0
    app.commit()
    assert app.get("Q").data == b"mine"
    assert put(app, bytes(96), ALLOWED, queue="SHORT").reason == MQRC_Q_FULL
    assert engine.depth("SHORT") == 0
    assert app.connection.unit is None


def test_the_segments_of_a_cut_message_are_in_the_unit_of_work_of_the_put(engine: Engine) -> None:
    engine.define("QLOCAL", "SHORT", {"MAXMSGL": 32})
    app = engine.connect()
    put(app, bytes(96), ALLOWED, queue="SHORT", syncpoint=True)
    assert get(app, 0, queue="SHORT").reason == MQRC_NO_MSG_AVAILABLE
    app.backout()
    assert engine.depth("SHORT") == 0


def test_cutting_outside_the_unit_of_work_that_there_is_is_refused(engine: Engine) -> None:
    engine.define("QLOCAL", "SHORT", {"MAXMSGL": 32})
    app = engine.connect()
    app.put("Q", syncpoint=True)

    assert put(app, bytes(96), ALLOWED, queue="SHORT").reason == MQRC_UOW_NOT_AVAILABLE
    app.commit()
    assert put(app, bytes(96), ALLOWED, queue="SHORT").reason == MQRC_NONE


def test_a_message_cannot_be_cut_below_sixteen_bytes(engine: Engine) -> None:
    engine.define("QLOCAL", "SHORT", {"MAXMSGL": 15})
    assert put(engine.connect(), bytes(96), ALLOWED, queue="SHORT").reason == MQRC_MSG_TOO_BIG_FOR_Q


def test_headers_stay_together_in_the_first_segment(engine: Engine) -> None:
    engine.define("QLOCAL", "SHORT", {"MAXMSGL": 112})
    app = engine.connect()
    header = MQMDE()  # Any header does; in front of data with a version 2 descriptor that says something it is data.
    header.format = "MQSTR"
    header.coded_char_set_id = 819
    data = header.pack() + b"x" * 100

    put(app, data, ALLOWED, queue="SHORT", format=MQFMT_MD_EXTENSION, encoding=MQENC_NATIVE)

    first, second = get(app, 0, queue="SHORT"), get(app, 0, queue="SHORT")
    assert first.data == data[:104], "the header and 32 bytes"
    assert (second.md.offset, second.md.format, second.md.coded_char_set_id) == (32, "MQSTR", 819)
    assert second.data == b"x" * 68
