"""Groups and segments, getting: the tables of logical_get.py, what breaks the order, waits, browses, the page set."""

from __future__ import annotations

from typing import Any

import pytest

from flintmq.mqi.constants import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MSG_UNDER_CURSOR,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQRC_INCOMPLETE_GROUP,
    MQRC_INCONSISTENT_BROWSE,
    MQRC_INCONSISTENT_CCSIDS,
    MQRC_INCONSISTENT_ENCODINGS,
    MQRC_INCONSISTENT_UOW,
    MQRC_INVALID_MSG_UNDER_CURSOR,
    MQRC_MATCH_OPTIONS_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NONE,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_UOW_NOT_AVAILABLE,
    MQRC_WRONG_GMO_VERSION,
    MQRC_WRONG_MD_VERSION,
)
from flintmq.qmgr.connection import WAITING
from flintmq.qmgr.logical_get import Exactly
from tests.qmgr.conftest import Engine
from tests.qmgr.groups import ALLOWED, GROUP_A, GROUP_B, LAST, LAST_SEG, MIG, SEG, get, group, place, put

# -- gets in logical order -------------------------------------------------------------------------------------------


def test_logical_order_brings_a_group_together_whatever_lies_between(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (2, 0, b"a2", MIG))
    group(app, GROUP_B, (1, 0, b"b1", MIG))
    app.put("Q", b"alone")
    group(app, GROUP_A, (3, 0, b"a3", LAST), (1, 0, b"a1", MIG))
    group(app, GROUP_B, (2, 0, b"b2", LAST))

    got = [get(app) for _ in range(6)]

    assert [one.data for one in got] == [b"b1", b"b2", b"alone", b"a1", b"a2", b"a3"]
    assert [one.gmo.group_status for one in got] == ["G", "L", " ", "G", "G", "L"]


def test_without_logical_order_messages_come_as_they_lie(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (2, 0, b"a2", LAST), (1, 0, b"a1", MIG))

    assert [get(app, 0).data, get(app, 0).data] == [b"a2", b"a1"]


def test_segments_come_by_offset(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 4, b"56", LAST_SEG), (1, 0, b"1234", SEG))

    got = [get(app), get(app)]

    assert [one.data for one in got] == [b"1234", b"56"]
    assert [one.gmo.segment_status for one in got] == ["S", "L"]


def test_in_the_middle_of_a_group_nothing_else_is_found(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"a1", MIG))
    app.put("Q", b"alone")
    assert get(app).data == b"a1"

    assert get(app).reason == MQRC_NO_MSG_AVAILABLE

    group(app, GROUP_A, (2, 0, b"a2", LAST))
    assert [get(app).data, get(app).data] == [b"a2", b"alone"]


def test_a_group_begins_only_with_its_first_message(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (2, 0, b"a2", LAST))

    assert get(app).reason == MQRC_NO_MSG_AVAILABLE


def test_match_options_choose_the_group_and_must_not_contradict_it(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"a1", MIG), (2, 0, b"a2", LAST))
    group(app, GROUP_B, (1, 0, b"b1", MIG), (2, 0, b"b2", LAST))

    assert get(app, match_options=MQMO_MATCH_GROUP_ID, group_id=GROUP_B).data == b"b1"
    assert get(app, match_options=MQMO_MATCH_GROUP_ID, group_id=GROUP_A).reason == MQRC_MATCH_OPTIONS_ERROR
    assert get(app, match_options=MQMO_MATCH_GROUP_ID, group_id=GROUP_B).data == b"b2"


def test_a_group_can_be_taken_up_in_the_middle(engine: Engine) -> None:
    """An application that was stopped gets the message it knows by its number, then goes on in logical order."""
    app = engine.connect()
    group(app, GROUP_A, (2, 0, b"a2", MIG), (3, 0, b"a3", LAST))

    by_number = MQMO_MATCH_GROUP_ID | MQMO_MATCH_MSG_SEQ_NUMBER
    assert get(app, 0, match_options=by_number, group_id=GROUP_A, msg_seq_number=2).data == b"a2"
    assert get(app).data == b"a3"


def test_a_get_without_logical_order_in_the_middle_of_a_group_warns(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"a1", MIG))
    app.put("Q", b"alone")
    group(app, GROUP_A, (2, 0, b"a2", LAST))
    get(app)

    alone = get(app, 0)

    assert (alone.completion, alone.reason, alone.data) == (MQCC_WARNING, MQRC_INCOMPLETE_GROUP, b"alone")
    assert get(app, 0).completion == MQCC_OK


def test_gets_of_one_group_are_all_under_syncpoint_or_none(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"a1", MIG), (2, 0, b"a2", LAST))
    get(app, syncpoint=True)

    refused = get(app)

    assert (refused.completion, refused.reason) == (MQCC_FAILED, MQRC_INCONSISTENT_UOW)
    other = get(app, 0)
    assert (other.completion, other.reason, other.data) == (MQCC_WARNING, MQRC_INCONSISTENT_UOW, b"a2")
    app.commit()


def test_backout_of_gets_brings_the_handle_back_too(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"a1", MIG), (2, 0, b"a2", MIG), (3, 0, b"a3", LAST))
    get(app, syncpoint=True)
    app.commit()
    get(app, syncpoint=True)
    get(app, syncpoint=True)

    app.backout()

    assert [get(app, syncpoint=True).data, get(app, syncpoint=True).data] == [b"a2", b"a3"]
    app.commit()


def test_a_group_got_in_part_is_a_warning_of_close(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"a1", MIG), (2, 0, b"a2", LAST))
    reader = engine.connect()
    get(reader)

    assert reader.close("Q") == MQRC_INCOMPLETE_GROUP


def test_logical_order_needs_version_2_of_options_and_descriptor(engine: Engine) -> None:
    app = engine.connect()
    app.put("Q")
    assert app.get("Q", options=MQGMO_LOGICAL_ORDER).md.version == 2
    assert app.connection.reason == MQRC_NONE

    handle = app.handle("Q")
    assert get(app, version=1).reason == MQRC_WRONG_MD_VERSION
    gmo = MQGMO()
    gmo.options = MQGMO_LOGICAL_ORDER
    assert engine.qm.get(app.connection, handle, MQMD(), gmo) == MQRC_WRONG_GMO_VERSION


# -- complete or not -------------------------------------------------------------------------------------------------


def test_all_messages_available_waits_for_the_whole_group(engine: Engine) -> None:
    app = engine.connect()
    options = MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE
    group(app, GROUP_A, (1, 0, b"a1", MIG), (3, 0, b"a3", LAST))
    app.put("Q", b"alone")

    assert get(app, options).data == b"alone"
    assert get(app, options).reason == MQRC_NO_MSG_AVAILABLE

    group(app, GROUP_A, (2, 0, b"a2", MIG))
    assert [get(app, options).data for _ in range(3)] == [b"a1", b"a2", b"a3"]


def test_a_group_counts_as_complete_only_with_all_segments_of_its_messages(engine: Engine) -> None:
    app = engine.connect()
    options = MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE
    group(app, GROUP_A, (1, 0, b"a1", MIG), (2, 0, b"a2", LAST | SEG))
    assert get(app, options).reason == MQRC_NO_MSG_AVAILABLE

    group(app, GROUP_A, (2, 2, b"x", LAST | LAST_SEG))
    assert [get(app, options).data for _ in range(3)] == [b"a1", b"a2", b"x"]


def test_a_gap_in_the_numbers_is_not_hidden_by_a_number_too_many(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"", MIG), (3, 0, b"", LAST), (7, 0, b"", MIG))

    assert get(app, MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE).reason == MQRC_NO_MSG_AVAILABLE


def test_uncommitted_messages_do_not_complete_a_group(engine: Engine) -> None:
    app, writer = engine.connect(), engine.connect()
    options = MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE
    put(writer, b"1", MIG, syncpoint=True)
    put(writer, b"2", LAST, syncpoint=True)
    assert get(app, options).reason == MQRC_NO_MSG_AVAILABLE
    writer.commit()
    assert get(app, options).data == b"1"


def test_all_segments_available_waits_for_the_whole_message(engine: Engine) -> None:
    app = engine.connect()
    options = MQGMO_LOGICAL_ORDER | MQGMO_ALL_SEGMENTS_AVAILABLE
    group(app, GROUP_A, (1, 0, b"12", SEG), (1, 3, b"4", LAST_SEG))
    assert get(app, options).reason == MQRC_NO_MSG_AVAILABLE

    group(app, GROUP_A, (1, 2, b"3", SEG))
    assert [get(app, options).data for _ in range(3)] == [b"12", b"3", b"4"]


def test_complete_message_puts_the_segments_together(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 4, b"56", LAST_SEG), (1, 0, b"1234", SEG))
    app.put("Q", b"alone")

    whole = get(app, MQGMO_COMPLETE_MSG)

    assert whole.data == b"123456"
    assert (whole.md.group_id, *place(whole)) == (GROUP_A, 1, 0)
    assert whole.gmo.segment_status == "L"
    assert engine.depth("Q") == 1
    assert get(app, MQGMO_COMPLETE_MSG).data == b"alone"


def test_complete_messages_of_a_group_in_logical_order(engine: Engine) -> None:
    app = engine.connect()
    options = MQGMO_COMPLETE_MSG | MQGMO_LOGICAL_ORDER
    group(app, GROUP_A, (1, 0, b"1", MIG | SEG), (2, 0, b"3", LAST | SEG), (1, 1, b"2", MIG | LAST_SEG))

    assert get(app, options).data == b"12"
    assert get(app, options).reason == MQRC_NO_MSG_AVAILABLE
    group(app, GROUP_A, (2, 1, b"4", LAST | LAST_SEG))
    last = get(app, options)
    assert (last.data, last.gmo.group_status) == (b"34", "L")


def test_what_was_cut_comes_back_whole(engine: Engine) -> None:
    engine.define("QLOCAL", "SHORT", {"MAXMSGL": 100})
    app = engine.connect()
    data = bytes(range(256)) * 4
    put(app, data, ALLOWED, queue="SHORT", persistence=1)

    assert get(app, MQGMO_COMPLETE_MSG, queue="SHORT").data == data
    assert engine.depth("SHORT") == 0


def test_a_complete_message_under_syncpoint_comes_back_by_backout(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"12", SEG), (1, 2, b"3", LAST_SEG))

    assert get(app, MQGMO_COMPLETE_MSG, syncpoint=True).data == b"123"
    assert engine.queue("Q").uncommitted == 2
    app.backout()
    again = get(app, MQGMO_COMPLETE_MSG, syncpoint=True)
    assert (again.data, again.md.backout_count) == (b"123", 1)
    app.commit()
    assert engine.depth("Q") == 0


def test_persistent_segments_cannot_be_got_outside_the_unit_of_work_that_there_is(engine: Engine) -> None:
    app = engine.connect()
    engine.define("QLOCAL", "OTHER")
    for offset, flags in ((0, SEG), (1, LAST_SEG)):
        put(app, b"x", flags, logical=False, group_id=GROUP_A, offset=offset, persistence=1)
    app.put("OTHER", syncpoint=True)

    assert get(app, MQGMO_COMPLETE_MSG).reason == MQRC_UOW_NOT_AVAILABLE
    assert engine.depth("Q") == 2
    app.commit()
    assert get(app, MQGMO_COMPLETE_MSG).data == b"xx"


def test_a_complete_message_that_does_not_fit_stays_or_is_cut(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"12", SEG), (1, 2, b"3", LAST_SEG))

    failed = get(app, MQGMO_COMPLETE_MSG, max_length=2)
    assert (failed.reason, failed.data_length, engine.depth("Q")) == (MQRC_TRUNCATED_MSG_FAILED, 3, 2)
    cut = get(app, MQGMO_COMPLETE_MSG | MQGMO_ACCEPT_TRUNCATED_MSG, max_length=2)
    assert (cut.reason, cut.data, engine.depth("Q")) == (MQRC_TRUNCATED_MSG_ACCEPTED, b"12", 0)


@pytest.mark.parametrize(
    ("field", "reason"),
    [({"coded_char_set_id": 500}, MQRC_INCONSISTENT_CCSIDS), ({"encoding": 273}, MQRC_INCONSISTENT_ENCODINGS)],
)
def test_segments_that_differ_are_joined_with_a_warning(engine: Engine, field: dict[str, Any], reason: int) -> None:
    app = engine.connect()
    put(app, b"1", SEG, logical=False, group_id=GROUP_A)
    put(app, b"2", LAST_SEG, logical=False, group_id=GROUP_A, offset=1, **field)

    whole = get(app, MQGMO_COMPLETE_MSG)

    assert (whole.completion, whole.reason, whole.data) == (MQCC_WARNING, reason, b"12")


def test_expired_parts_do_not_count_and_go(engine: Engine) -> None:
    app = engine.connect()
    put(app, b"1", SEG, logical=False, group_id=GROUP_A)
    put(app, b"2", LAST_SEG, logical=False, group_id=GROUP_A, offset=1, expiry=10)
    engine.clock.advance(1001)

    assert get(app, MQGMO_COMPLETE_MSG).reason == MQRC_NO_MSG_AVAILABLE
    assert engine.depth("Q") == 1
    assert engine.queue("Q").counts.expired_count == 1


# -- waiting ---------------------------------------------------------------------------------------------------------


def test_a_wait_for_a_group_ends_when_its_last_message_arrives(engine: Engine) -> None:
    app, writer = engine.connect(), engine.connect()
    waiting = get(app, MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE, wait_ms=5000)
    assert waiting.reason == WAITING

    put(writer, b"1", MIG)
    put(writer, b"2", MIG)
    assert not engine.qm.woken
    put(writer, b"3", LAST)

    assert len(engine.qm.woken) == 1
    assert waiting.completed().data == b"1"
    assert engine.depth("Q") == 2


def test_a_wait_for_the_next_message_of_a_group_lets_others_pass(engine: Engine) -> None:
    app, writer = engine.connect(), engine.connect()
    put(writer, b"1", MIG)
    get(app)
    waiting = get(app, wait_ms=5000)

    engine.connect().put("Q", b"alone")
    assert not engine.qm.woken
    put(writer, b"2", LAST)

    assert waiting.completed().data == b"2"
    assert engine.depth("Q") == 1


def test_a_unit_of_work_with_a_whole_group_wakes_the_getter_once(engine: Engine) -> None:
    app, writer = engine.connect(), engine.connect()
    waiting = get(app, MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE, wait_ms=5000)
    put(writer, b"1", MIG, syncpoint=True)
    put(writer, b"2", LAST, syncpoint=True)

    writer.commit()

    assert len(engine.qm.woken) == 1
    assert waiting.completed().data == b"1"


# -- browse ----------------------------------------------------------------------------------------------------------


def test_a_browse_in_logical_order_goes_group_by_group_and_passes_nothing_over(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"a1", MIG))
    app.put("Q", b"between")
    group(app, GROUP_B, (1, 0, b"b1", MIG), (2, 0, b"b2", LAST))
    group(app, GROUP_A, (2, 0, b"a2", LAST))

    seen = [app.browse("Q", first=True, options=MQGMO_LOGICAL_ORDER).data]
    while not (answered := app.browse("Q", options=MQGMO_LOGICAL_ORDER)).reason:
        seen.append(answered.data)

    assert seen == [b"a1", b"a2", b"between", b"b1", b"b2"]
    assert engine.depth("Q") == 5


def test_browse_next_does_not_change_between_the_orders(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"a1", MIG), (2, 0, b"a2", LAST))
    app.browse("Q", first=True, options=MQGMO_LOGICAL_ORDER)

    assert app.browse("Q").reason == MQRC_INCONSISTENT_BROWSE
    assert app.browse("Q", first=True).data == b"a1"
    assert app.browse("Q", options=MQGMO_LOGICAL_ORDER).reason == MQRC_INCONSISTENT_BROWSE


def test_browsing_complete_messages(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"12", SEG), (1, 2, b"3", LAST_SEG))
    app.put("Q", b"alone")

    assert app.browse("Q", first=True, options=MQGMO_COMPLETE_MSG).data == b"123"
    assert app.browse("Q", options=MQGMO_COMPLETE_MSG).data == b"alone"
    assert app.browse("Q", options=MQGMO_COMPLETE_MSG).reason == MQRC_NO_MSG_AVAILABLE


def test_the_complete_message_under_the_cursor_begins_there(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"12", SEG), (1, 2, b"3", LAST_SEG))
    app.browse("Q", first=True)
    app.browse("Q")
    assert get(app, MQGMO_COMPLETE_MSG | MQGMO_MSG_UNDER_CURSOR).reason == MQRC_INVALID_MSG_UNDER_CURSOR

    app.browse("Q", first=True)
    assert get(app, MQGMO_COMPLETE_MSG | MQGMO_MSG_UNDER_CURSOR).data == b"123"


def test_browse_and_get_keep_their_places_apart(engine: Engine) -> None:
    app = engine.connect()
    group(app, GROUP_A, (1, 0, b"a1", MIG), (2, 0, b"a2", LAST))
    group(app, GROUP_B, (1, 0, b"b1", MIG), (2, 0, b"b2", LAST))
    app.browse("Q", first=True, options=MQGMO_LOGICAL_ORDER)

    assert get(app, match_options=MQMO_MATCH_GROUP_ID, group_id=GROUP_B).data == b"b1"
    assert app.browse("Q", options=MQGMO_LOGICAL_ORDER).data == b"a2"
    assert get(app).data == b"b2"


# -- the page set ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", ["NONE", "GROUPID"])
def test_groups_are_found_on_the_page_set(small_engine: Engine, index: str) -> None:
    """Two groups lie in the middle and at the end of a queue that is mostly on the page set."""
    small_engine.define("QLOCAL", "DEEP", {"INDXTYPE": index, "MAXDEPTH": 10_000})
    app = small_engine.connect()
    for number in range(1500):
        if number == 700:
            group(app, GROUP_A, (2, 0, b"a2", MIG), (1, 0, b"a1", MIG), queue="DEEP")
        if number == 900:
            group(app, GROUP_B, (1, 0, b"12", SEG), queue="DEEP")
        app.put("DEEP", b"%d" % number)
    group(app, GROUP_A, (3, 0, b"a3", LAST), queue="DEEP")
    group(app, GROUP_B, (1, 2, b"3", LAST_SEG), queue="DEEP")
    assert small_engine.queue("DEEP").spilled_count > 500

    options = MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE
    got = get(app, options, queue="DEEP", match_options=MQMO_MATCH_GROUP_ID, group_id=GROUP_A)
    assert [got.data, get(app, options, queue="DEEP").data, get(app, options, queue="DEEP").data] == [
        b"a1",
        b"a2",
        b"a3",
    ]
    whole = get(app, MQGMO_COMPLETE_MSG, queue="DEEP", match_options=MQMO_MATCH_GROUP_ID, group_id=GROUP_B)
    assert whole.data == b"123"
    small_engine.qm.check()
    assert app.drain("DEEP", options=MQGMO_LOGICAL_ORDER) == [b"%d" % number for number in range(1500)]


def test_a_long_group_costs_one_step_for_each_message(engine: Engine) -> None:
    """L2: under syncpoint all messages got stay in the chain of the group; the next one is still found at once."""
    app = engine.connect()
    for number in range(1, 2001):
        put(app, b"", LAST if number == 2000 else MIG)
    calls = 0
    accepts = Exactly.accepts

    def counted(self: Exactly, message: object) -> bool:
        nonlocal calls
        calls += 1
        return accepts(self, message)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        try:
            patch.setattr(Exactly, "accepts", counted)
        except TypeError:
            pytest.skip("compiled classes cannot be watched")
        for number in range(1, 2001):
            assert get(app, syncpoint=True).md.msg_seq_number == number
    app.commit()
    assert calls <= 2 * 2000
