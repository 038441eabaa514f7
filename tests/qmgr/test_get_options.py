"""MQGET: options and their conflicts, browsing, locks, marks, matching, truncation, waiting."""

from __future__ import annotations

import pytest

from flintmq.mqi import constants as mq
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.connection import WAITING, Handle
from flintmq.qmgr.get import quiesce_waiters
from tests.qmgr.driver import EVERYTHING, App, Driver

FIRST = mq.MQGMO_BROWSE_FIRST
NEXT = mq.MQGMO_BROWSE_NEXT
UNDER = mq.MQGMO_BROWSE_MSG_UNDER_CURSOR


@pytest.fixture
def driver() -> Driver:
    return Driver(("QLOCAL", "Q", {}), ("QLOCAL", "FIFO", {"MSGDLVSQ": "FIFO"}), ("QALIAS", "ALIAS", {"TARGET": "Q"}))


@pytest.fixture
def app(driver: Driver) -> App:
    return driver.app()


@pytest.fixture
def q(app: App) -> Handle:
    return app.open("Q")


def fill(app: App, q: Handle, *texts: bytes) -> None:
    for text in texts:
        assert app.put(q, text) == 0


# -- options -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        mq.MQGMO_SYNCPOINT | mq.MQGMO_NO_SYNCPOINT,
        mq.MQGMO_SYNCPOINT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT,
        FIRST | NEXT,
        FIRST | UNDER,
        NEXT | mq.MQGMO_MSG_UNDER_CURSOR,
        FIRST | mq.MQGMO_SYNCPOINT,
        FIRST | mq.MQGMO_SYNCPOINT_IF_PERSISTENT,
        mq.MQGMO_WAIT | mq.MQGMO_SET_SIGNAL,
        mq.MQGMO_SET_SIGNAL,
        0x0008_0000,
        0x2000_0000,
        mq.MQGMO_LOCK,
        mq.MQGMO_UNLOCK | mq.MQGMO_WAIT,
        mq.MQGMO_UNLOCK | FIRST,
        mq.MQGMO_MARK_SKIP_BACKOUT,
        mq.MQGMO_MARK_BROWSE_HANDLE,
        FIRST | mq.MQGMO_MARK_BROWSE_HANDLE | mq.MQGMO_UNMARK_BROWSE_HANDLE,
        FIRST | mq.MQGMO_MARK_BROWSE_CO_OP,
        mq.MQGMO_UNMARKED_BROWSE_MSG,
        FIRST | mq.MQGMO_UNMARK_BROWSE_HANDLE,
    ],
)
def test_options_that_do_not_go_together(app: App, q: Handle, options: int) -> None:
    fill(app, q, b"m")
    gmo = MQGMO()
    gmo.options = options
    assert app.qm.get(app.connection, q, MQMD(), gmo) == 2046
    assert app.completion == 2
    assert app.qm.queues["Q"].available == 1


def test_where_two_reasons_apply_the_first_in_order_is_given(driver: Driver, app: App) -> None:
    """Connection, handle, options, how it was opened, wait interval, then whether gets are inhibited."""
    put_only = app.open("Q", mq.MQOO_OUTPUT)
    driver.alter("Q", {"GET": "DISABLED"})
    assert app.get(put_only, mq.MQGMO_LOCK) == 2046
    assert app.get(put_only, FIRST) == 2036
    assert app.get(put_only) == 2037
    assert app.get(put_only, wait_ms=-2) == 2037
    both = app.open("Q")
    assert app.get(both, wait_ms=-2) == 2090
    assert app.get(both, match=0x100) == 2247
    assert app.get(both, FIRST) == 2016
    assert app.get(both) == 2016
    assert app.close(both) == 0
    assert app.get(both, mq.MQGMO_LOCK) == 2019
    assert app.disconnect() == 0
    assert app.get(both, mq.MQGMO_LOCK) == 2018


def test_how_a_queue_was_opened_limits_gets(app: App) -> None:
    fill(app, app.open("Q"), b"m")
    browse = app.open("Q", mq.MQOO_BROWSE)
    assert app.get(browse) == 2037
    assert app.get(browse, FIRST) == 0
    assert app.get(browse, mq.MQGMO_MSG_UNDER_CURSOR) == 2037
    taking = app.open("Q", mq.MQOO_INPUT_SHARED)
    assert app.get(taking, FIRST) == 2036
    assert app.get(taking, mq.MQGMO_MSG_UNDER_CURSOR) == 2036
    assert app.get(app.open("", mq.MQOO_INQUIRE, mq.MQOT_Q_MGR)) == 2037


def test_nothing_there_is_2033(app: App, q: Handle) -> None:
    assert app.get(q) == 2033
    assert app.completion == 2
    assert app.get(q, wait_ms=0) == 2033
    assert app.get(q, FIRST) == 2033


# -- truncation --------------------------------------------------------------------------------------------------


def test_a_message_that_does_not_fit_stays_unless_truncation_is_accepted(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"0123456789")
    assert app.get(q, max_length=4) == 2080
    assert (app.completion, app.data, app.connection.data_length) == (1, b"0123", 10)
    assert driver.queue("Q").depth == 1
    assert app.get(q, mq.MQGMO_ACCEPT_TRUNCATED_MSG, max_length=4) == 2079
    assert (app.completion, app.data, app.connection.data_length) == (1, b"0123", 10)
    assert app.gmo.returned_length == 4
    assert driver.queue("Q").depth == 0


def test_a_browse_that_does_not_fit_moves_the_cursor_only_if_truncation_is_accepted(app: App, q: Handle) -> None:
    """So a program may look how long the next message is, and browse it again under the cursor."""
    fill(app, q, b"0123456789", b"2")
    assert app.get(q, NEXT, max_length=0) == 2080
    assert app.get(q, UNDER) == 2034
    assert app.get(q, NEXT | mq.MQGMO_ACCEPT_TRUNCATED_MSG, max_length=0) == 2079
    assert app.connection.data_length == 10
    assert app.get(q, UNDER) == 0 and app.data == b"0123456789"
    assert app.get(q, NEXT, max_length=0) == 2080
    assert app.get(q, NEXT) == 0 and app.data == b"2"


def test_a_buffer_of_the_right_length_is_enough(app: App, q: Handle) -> None:
    fill(app, q, b"0123", b"")
    assert app.get(q, max_length=4) == 0
    assert app.get(q, max_length=0) == 0


# -- browsing ----------------------------------------------------------------------------------------------------


def test_browse_first_next_and_under_the_cursor(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"1", b"2", b"3")
    assert app.get(q, UNDER) == 2034
    for options, text in ((NEXT, b"1"), (NEXT, b"2"), (UNDER, b"2"), (NEXT, b"3"), (FIRST, b"1"), (NEXT, b"2")):
        assert app.get(q, options) == 0
        assert app.data == text
    assert app.get(q, NEXT) == 0
    assert app.get(q, NEXT) == 2033
    assert app.get(q, UNDER) == 0 and app.data == b"3"
    fill(app, q, b"4")
    assert app.get(q, NEXT) == 0 and app.data == b"4"
    assert driver.queue("Q").depth == 4
    driver.qm.check()


def test_browsing_goes_by_priority_and_does_not_go_back(app: App, q: Handle) -> None:
    for text, priority in ((b"low", 1), (b"high", 8), (b"middle", 4)):
        assert app.put(q, text, priority=priority) == 0
    seen = []
    while app.get(q, NEXT) == 0:
        seen.append(app.data)
        if len(seen) == 2:
            assert app.put(q, b"too late", priority=9) == 0
    assert seen == [b"high", b"middle", b"low"]
    assert app.get(q, FIRST) == 0 and app.data == b"too late"


def test_the_cursor_goes_on_when_its_message_is_taken(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"1", b"2", b"3", b"4")
    other = driver.app()
    theirs = other.open("Q")
    assert app.get(q, FIRST) == 0 and app.get(q, NEXT) == 0
    assert other.get(theirs) == 0 and other.get(theirs) == 0
    assert app.get(q, UNDER) == 2034
    assert app.get(q, mq.MQGMO_MSG_UNDER_CURSOR) == 2034
    assert app.get(q, NEXT) == 0 and app.data == b"3"
    driver.qm.check()


def test_each_handle_has_its_own_cursor(app: App, q: Handle) -> None:
    fill(app, q, b"1", b"2")
    second = app.open("Q", mq.MQOO_BROWSE)
    assert app.get(q, FIRST) == 0 and app.get(q, NEXT) == 0
    assert app.get(second, NEXT) == 0 and app.data == b"1"


def test_a_get_under_the_cursor_takes_what_was_browsed(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"1", b"2", b"3")
    assert app.get(q, NEXT) == 0 and app.get(q, NEXT) == 0
    assert app.get(q, mq.MQGMO_MSG_UNDER_CURSOR) == 0 and app.data == b"2"
    assert app.get(q, mq.MQGMO_MSG_UNDER_CURSOR) == 2034
    assert app.get(q, NEXT) == 0 and app.data == b"3"
    assert app.all(q) == [b"1", b"3"]
    driver.qm.check()


def test_a_browse_finds_neither_uncommitted_puts_nor_uncommitted_gets(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"got", b"there")
    other = driver.app()
    theirs = other.open("Q")
    assert other.get(theirs, syncpoint=True) == 0
    assert other.put(theirs, b"put", syncpoint=True) == 0
    assert app.get(q, FIRST) == 0 and app.data == b"there"
    assert app.get(q, NEXT) == 2033
    assert other.commit() == 0
    assert app.get(q, NEXT) == 0 and app.data == b"put"


def test_a_browse_may_match(app: App, q: Handle) -> None:
    for number in range(6):
        assert app.put(q, b"%d" % number, correl_id=b"odd" if number % 2 else b"even") == 0
    seen = []
    while app.get(q, NEXT, correl_id=b"odd") == 0:
        seen.append(app.data)
    assert seen == [b"1", b"3", b"5"]


# -- browse locks ------------------------------------------------------------------------------------------------


def test_a_browse_lock_keeps_others_away(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"1", b"2")
    other = driver.app()
    theirs = other.open("Q")
    assert app.get(q, FIRST | mq.MQGMO_LOCK) == 0
    assert other.get(theirs, FIRST) == 0 and other.data == b"2"
    assert other.get(theirs) == 0 and other.data == b"2"
    assert other.get(theirs) == 2033
    assert app.get(q, UNDER) == 0 and app.data == b"1"
    assert app.get(q, mq.MQGMO_MSG_UNDER_CURSOR) == 0 and app.data == b"1"
    assert driver.queue("Q").depth == 0
    driver.qm.check()


@pytest.mark.parametrize("how", ["token", "message id", "whole message", "whichever is first"])
def test_who_has_locked_a_message_gets_it_in_any_way(driver: Driver, app: App, q: Handle, how: str) -> None:
    """A lock hides a message from other handles only. IBM's JMS client gets by token what it has browsed with one."""
    fill(app, q, b"1", b"2")
    assert app.get(q, FIRST | mq.MQGMO_LOCK, token=bytes(16)) == 0
    token, msg_id = app.gmo.msg_token, app.md.msg_id
    if how == "token":
        assert app.get(q, match=mq.MQMO_MATCH_MSG_TOKEN, token=token, max_length=0) == 2080  # Truncated: still locked.
        other = driver.app()
        assert other.get(other.open("Q"), match=mq.MQMO_MATCH_MSG_TOKEN, token=token) == 2033
        assert app.get(q, match=mq.MQMO_MATCH_MSG_TOKEN, token=token, syncpoint=True) == 0
        assert app.backout() == 0
        assert app.get(q, match=mq.MQMO_MATCH_MSG_TOKEN, token=token) == 0
    elif how == "message id":
        assert app.get(q, msg_id=msg_id) == 0
    elif how == "whole message":
        assert app.get(q, mq.MQGMO_COMPLETE_MSG, max_length=0) == 2080
        other = driver.app()
        assert other.get(other.open("Q"), mq.MQGMO_COMPLETE_MSG, msg_id=msg_id) == 2033
        assert app.get(q, mq.MQGMO_COMPLETE_MSG) == 0
    else:
        assert app.get(q) == 0
    assert app.data == b"1"
    assert app.get(q, mq.MQGMO_UNLOCK) == 2209
    assert app.get(q) == 0 and app.data == b"2"
    assert app.get(q) == 2033
    driver.qm.check()


def test_a_lock_stays_while_another_message_is_got(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"1", b"2", b"3")
    assert app.get(q, FIRST) == 0
    assert app.get(q, NEXT | mq.MQGMO_LOCK) == 0 and app.data == b"2"
    assert app.get(q) == 0 and app.data == b"1"
    other = driver.app()
    assert other.get(other.open("Q")) == 0 and other.data == b"3"
    assert app.get(q) == 0 and app.data == b"2"
    driver.qm.check()


def test_unlock_next_browse_and_close_give_a_lock_up(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"1", b"2")
    queue = driver.queue("Q")
    assert app.get(q, FIRST | mq.MQGMO_LOCK) == 0
    assert queue.available == 1
    assert app.get(q, mq.MQGMO_UNLOCK) == 0
    assert queue.available == 2
    assert app.get(q, mq.MQGMO_UNLOCK) == 2209
    assert app.completion == 1
    assert app.get(q, FIRST | mq.MQGMO_LOCK) == 0
    assert app.get(q, NEXT | mq.MQGMO_LOCK) == 0 and app.data == b"2"
    first = queue.first_available()
    assert first is not None and first.data == b"1"
    assert app.close(q) == 0
    assert queue.available == 2
    driver.qm.check()


def test_a_lock_that_is_given_up_serves_who_waits(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"1")
    assert app.get(q, FIRST | mq.MQGMO_LOCK) == 0
    other = driver.app("other")
    assert other.get(other.open("Q"), wait_ms=-1) == WAITING
    assert app.get(q, mq.MQGMO_UNLOCK) == 0
    assert driver.woken() == ["other"] and other.data == b"1"


# -- browse marks ------------------------------------------------------------------------------------------------

CO_OP = EVERYTHING | mq.MQOO_CO_OP
MARK_NEXT = mq.MQGMO_BROWSE_CO_OP  # Browse first, of the unmarked, and mark for all.


def test_co_operating_browsers_share_the_messages(driver: Driver) -> None:
    one, two = driver.app("one"), driver.app("two")
    q1, q2 = one.open("Q", CO_OP), two.open("Q", CO_OP)
    fill(one, q1, b"1", b"2", b"3")
    for app, handle, text in ((one, q1, b"1"), (two, q2, b"2"), (one, q1, b"3")):
        assert app.get(handle, MARK_NEXT) == 0
        assert app.data == text
    assert two.get(q2, MARK_NEXT) == 2033
    outsider = driver.app()
    assert outsider.get(outsider.open("Q"), FIRST) == 0 and outsider.data == b"1"
    driver.qm.check()


def test_a_co_operative_mark_ends_after_markint_and_wakes_who_waits_for_it(driver: Driver) -> None:
    one, two = driver.app("one"), driver.app("two")
    q1, q2 = one.open("Q", CO_OP), two.open("Q", CO_OP)
    fill(one, q1, b"1")
    assert one.get(q1, MARK_NEXT) == 0
    assert two.get(q2, MARK_NEXT, wait_ms=-1) == WAITING
    assert driver.qm.next_deadline() == driver.clock.now_ms() + 5000
    driver.pass_time(4999)
    assert driver.woken() == []
    driver.pass_time(1)
    assert driver.woken() == ["two"] and two.data == b"1"
    assert one.get(q1, MARK_NEXT) == 2033


def test_marks_without_limit_end_with_the_last_co_operating_handle() -> None:
    driver = Driver(("QLOCAL", "Q", {}), MARKINT="NOLIMIT")
    one, two = driver.app(), driver.app()
    q1, q2 = one.open("Q", CO_OP), two.open("Q", CO_OP)
    fill(one, q1, b"1")
    assert one.get(q1, MARK_NEXT) == 0
    driver.pass_time(10**9)
    assert two.get(q2, MARK_NEXT) == 2033
    assert one.close(q1) == 0
    assert two.get(q2, MARK_NEXT) == 2033
    assert two.close(q2) == 0
    assert two.get(two.open("Q", CO_OP), MARK_NEXT) == 0


def test_a_get_by_token_of_what_another_has_marked_is_refused(driver: Driver) -> None:
    one, two = driver.app(), driver.app()
    q1, q2 = one.open("Q", CO_OP), two.open("Q", CO_OP)
    fill(one, q1, b"1")
    assert one.get(q1, MARK_NEXT) == 0
    token = one.gmo.msg_token
    assert two.get(q2, match=mq.MQMO_MATCH_MSG_TOKEN, token=token) == 2200
    assert one.get(q1, match=mq.MQMO_MATCH_MSG_TOKEN, token=token) == 0


def test_a_mark_of_a_handle_is_its_own_and_can_be_taken_off(driver: Driver) -> None:
    one, two = driver.app(), driver.app()
    q1, q2 = one.open("Q"), two.open("Q")
    fill(one, q1, b"1", b"2")
    own = mq.MQGMO_BROWSE_HANDLE
    assert [one.get(q1, own), one.get(q1, own), one.get(q1, own)] == [0, 0, 2033]
    driver.pass_time(10**9)
    assert one.get(q1, own) == 2033
    assert two.get(q2, own) == 0 and two.data == b"1"
    assert one.get(q1, UNDER | mq.MQGMO_UNMARK_BROWSE_HANDLE) == 0 and one.data == b"2"
    assert one.get(q1, own) == 0 and one.data == b"2"


def test_a_co_operative_mark_can_be_taken_off_by_token(driver: Driver) -> None:
    one, two = driver.app(), driver.app()
    q1, q2 = one.open("Q", CO_OP), two.open("Q", CO_OP)
    fill(one, q1, b"1")
    assert one.get(q1, MARK_NEXT) == 0
    unmark = FIRST | mq.MQGMO_UNMARK_BROWSE_CO_OP
    token = one.gmo.msg_token
    assert one.get(q1, unmark, match=mq.MQMO_MATCH_MSG_TOKEN, token=token) == 0
    assert two.get(q2, MARK_NEXT) == 0


# -- matching ----------------------------------------------------------------------------------------------------


def put_in_group(app: App, q: Handle, text: bytes, group: bytes, number: int, offset: int = 0) -> None:
    md = MQMD()
    md.version = 2
    md.group_id = group.ljust(24, b"\0")
    md.msg_seq_number = number
    md.offset = offset
    md.msg_flags = mq.MQMF_MSG_IN_GROUP | (mq.MQMF_SEGMENT if offset else 0)
    pmo = MQPMO()
    pmo.options = mq.MQPMO_NEW_MSG_ID | mq.MQPMO_NO_SYNCPOINT
    assert app.qm.put(app.connection, q, md, pmo, text) == 0


def test_a_get_may_match_by_every_field(app: App, q: Handle) -> None:
    assert app.put(q, b"1", msg_id=b"M1", correl_id=b"C1") == 0
    assert app.put(q, b"2", msg_id=b"M2", correl_id=b"C1") == 0
    assert app.put(q, b"3", msg_id=b"M1", correl_id=b"C2") == 0
    assert app.get(q, msg_id=b"M1", correl_id=b"C2") == 0 and app.data == b"3"
    assert app.get(q, msg_id=b"M2") == 0 and app.data == b"2"
    assert app.get(q, msg_id=b"M2") == 2033
    assert app.get(q, correl_id=b"C2") == 2033
    assert app.get(q, correl_id=b"C1") == 0 and app.data == b"1"


def test_match_options_say_which_fields_count(app: App, q: Handle) -> None:
    assert app.put(q, b"1", msg_id=b"M1", correl_id=b"C1") == 0
    assert app.get(q, FIRST, msg_id=b"other", match=mq.MQMO_NONE) == 0
    assert app.get(q, FIRST, msg_id=b"other", correl_id=b"C1", match=mq.MQMO_MATCH_CORREL_ID) == 0
    assert app.get(q, FIRST, msg_id=b"other", correl_id=b"C1", match=mq.MQMO_MATCH_MSG_ID) == 2033


def by_group(app: App, q: Handle, match: int, group: bytes, number: int = 1, offset: int = 0) -> int:
    gmo = MQGMO()
    gmo.version = 2
    gmo.options = FIRST
    gmo.match_options = match
    app.md = MQMD()
    app.md.version = 2
    app.md.group_id = group.ljust(24, b"\0")
    app.md.msg_seq_number = number
    app.md.offset = offset
    return app.qm.get(app.connection, q, app.md, gmo)


def test_a_get_may_match_by_group_sequence_and_offset(app: App, q: Handle) -> None:
    put_in_group(app, q, b"g1 1", b"G1", 1)
    put_in_group(app, q, b"g1 2", b"G1", 2)
    put_in_group(app, q, b"g2 1", b"G2", 1)
    put_in_group(app, q, b"g2 2", b"G2", 2, 100)
    assert by_group(app, q, mq.MQMO_MATCH_GROUP_ID, b"G2") == 0 and app.data == b"g2 1"
    both = mq.MQMO_MATCH_GROUP_ID | mq.MQMO_MATCH_MSG_SEQ_NUMBER
    assert by_group(app, q, both, b"G1", 2) == 0 and app.data == b"g1 2"
    assert by_group(app, q, both, b"G2", 3) == 2033
    assert by_group(app, q, mq.MQMO_MATCH_OFFSET, b"", 1, 100) == 0 and app.data == b"g2 2"


def test_a_token_names_one_message(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"1", b"2")
    assert app.get(q, FIRST) == 0 and app.get(q, NEXT) == 0
    token = app.gmo.msg_token
    assert app.get(q, match=mq.MQMO_MATCH_MSG_TOKEN, token=token) == 0 and app.data == b"2"
    assert app.get(q, match=mq.MQMO_MATCH_MSG_TOKEN, token=token) == 2033
    driver.qm.check()


# -- syncpoint ---------------------------------------------------------------------------------------------------


def test_syncpoint_if_persistent(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"np")
    assert app.put(q, b"p", persistence=1) == 0
    option = mq.MQGMO_SYNCPOINT_IF_PERSISTENT
    for _ in range(2):
        gmo = MQGMO()
        gmo.options = option
        assert app.qm.get(app.connection, q, MQMD(), gmo) == 0
    assert app.backout() == 0
    assert app.all(q) == [b"p"]
    driver.qm.check()


def test_mark_skip_backout_takes_the_message_into_a_new_unit_of_work(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"request", b"data")
    assert app.get(q, mq.MQGMO_MARK_SKIP_BACKOUT, syncpoint=True) == 0
    assert app.get(q, mq.MQGMO_MARK_SKIP_BACKOUT, syncpoint=True) == 2062
    assert app.get(q, syncpoint=True) == 0
    assert app.put(q, b"update", syncpoint=True) == 0
    assert app.backout() == 0
    assert (driver.queue("Q").depth, driver.queue("Q").available) == (2, 1)
    assert app.put(q, b"error report", syncpoint=True) == 0
    assert app.commit() == 0
    assert app.all(q) == [b"data", b"error report"]
    driver.qm.check()


def test_a_second_backout_gives_the_marked_message_back(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"request")
    assert app.get(q, mq.MQGMO_MARK_SKIP_BACKOUT, syncpoint=True) == 0
    assert app.backout() == 0
    assert app.backout() == 0
    assert app.get(q) == 0
    assert (app.data, app.md.backout_count) == (b"request", 1)
    driver.qm.check()


# -- quiescing ---------------------------------------------------------------------------------------------------


def test_fail_if_quiescing_fails_new_gets_and_those_that_wait(driver: Driver, app: App, q: Handle) -> None:
    willing, patient = driver.app("willing"), driver.app("patient")
    assert willing.get(willing.open("Q"), mq.MQGMO_FAIL_IF_QUIESCING, wait_ms=-1) == WAITING
    assert patient.get(patient.open("Q"), wait_ms=-1) == WAITING
    driver.qm.quiescing = True
    quiesce_waiters(driver.qm)
    assert driver.woken() == ["willing"] and willing.connection.reason == 2161
    assert app.get(q, mq.MQGMO_FAIL_IF_QUIESCING) == 2161
    assert app.get(q, FIRST | mq.MQGMO_FAIL_IF_QUIESCING) == 2161
    assert app.get(q) == 2033
    fill(app, q, b"m")
    assert driver.woken() == ["patient"] and patient.data == b"m"


# -- waiting -----------------------------------------------------------------------------------------------------


def test_waiting_getters_are_served_in_the_order_in_which_they_came_one_for_each_message(
    driver: Driver, app: App, q: Handle
) -> None:
    waiting = [driver.app(name) for name in ("first", "second", "third")]
    for each in waiting:
        assert each.get(each.open("Q"), wait_ms=-1) == WAITING
    fill(app, q, b"1")
    assert driver.woken() == ["first"]
    fill(app, q, b"2", b"3")
    assert driver.woken() == ["second", "third"]
    assert [each.data for each in waiting] == [b"1", b"2", b"3"]
    assert driver.queue("Q").waiting == 0
    fill(app, q, b"4")
    assert driver.woken() == [] and driver.queue("Q").depth == 1
    driver.qm.check()


def test_a_message_goes_to_the_first_who_wants_it(driver: Driver, app: App, q: Handle) -> None:
    by_correlation, by_id, anything = (driver.app(name) for name in ("correlation", "id", "anything"))
    assert by_correlation.get(by_correlation.open("Q"), wait_ms=-1, correl_id=b"C") == WAITING
    assert by_id.get(by_id.open("Q"), wait_ms=-1, msg_id=b"M") == WAITING
    assert anything.get(anything.open("Q"), wait_ms=-1) == WAITING
    assert app.put(q, b"1", correl_id=b"other") == 0
    assert driver.woken() == ["anything"]
    assert app.put(q, b"2", correl_id=b"other") == 0
    assert driver.woken() == []
    assert app.put(q, b"3", msg_id=b"M", correl_id=b"C") == 0
    assert driver.woken() == ["correlation"]
    assert app.put(q, b"4", msg_id=b"M") == 0
    assert driver.woken() == ["id"] and by_id.data == b"4"


def test_a_commit_wakes_one_getter_for_each_message(driver: Driver, app: App, q: Handle) -> None:
    waiting = [driver.app(name) for name in ("first", "second", "third")]
    for each in waiting:
        each.get(each.open("Q"), wait_ms=-1)
    assert app.put(q, b"1", syncpoint=True) == 0
    assert app.put(q, b"2", syncpoint=True) == 0
    assert driver.woken() == []
    assert app.commit() == 0
    assert driver.woken() == ["first", "second"]


def test_a_backed_out_get_goes_to_who_waits(driver: Driver, app: App, q: Handle) -> None:
    fill(app, q, b"m")
    assert app.get(q, syncpoint=True) == 0
    other = driver.app("other")
    assert other.get(other.open("Q"), wait_ms=-1, syncpoint=True) == WAITING
    assert app.backout() == 0
    assert driver.woken() == ["other"]
    assert (other.data, other.md.backout_count) == (b"m", 1)
    assert other.commit() == 0
    driver.qm.check()


def test_all_waiting_browsers_see_a_message_and_one_getter_takes_it(driver: Driver, app: App, q: Handle) -> None:
    for name in ("browser", "other browser"):
        browser = driver.app(name)
        assert browser.get(browser.open("Q"), NEXT, wait_ms=-1) == WAITING
    for name in ("getter", "other getter"):
        getter = driver.app(name)
        assert getter.get(getter.open("Q"), wait_ms=-1) == WAITING
    fill(app, q, b"m")
    assert driver.woken() == ["browser", "other browser", "getter"]
    assert driver.queue("Q").waiting == 1


def test_a_wait_ends_with_2033_when_its_time_is_up(driver: Driver) -> None:
    for name, interval in (("slow", 300), ("quick", 100), ("endless", -1)):
        each = driver.app(name)
        assert each.get(each.open("Q"), wait_ms=interval) == WAITING
    assert driver.qm.next_deadline() == driver.clock.now_ms() + 100
    driver.pass_time(99)
    assert driver.woken() == []
    driver.pass_time(1)
    assert driver.woken() == ["quick"]
    driver.pass_time(10**9)
    assert driver.woken() == ["slow"]
    assert driver.qm.next_deadline() == 0
    assert driver.queue("Q").waiting == 1


def test_a_message_that_expires_before_it_is_served_wakes_nobody(driver: Driver, app: App, q: Handle) -> None:
    assert app.put(q, b"short", syncpoint=True, expiry=1) == 0
    other = driver.app("other")
    assert other.get(other.open("Q"), wait_ms=-1) == WAITING
    driver.clock.advance(200)
    assert app.commit() == 0
    assert driver.woken() == [] and driver.queue("Q").depth == 0
    fill(app, q, b"fresh")
    assert driver.woken() == ["other"] and other.data == b"fresh"
    driver.qm.check()


def test_an_expired_message_is_not_got_and_not_browsed(driver: Driver, app: App, q: Handle) -> None:
    assert app.put(q, b"short", expiry=10) == 0
    fill(app, q, b"long")
    driver.clock.advance(999)
    assert app.get(q, FIRST) == 0 and (app.data, app.md.expiry) == (b"short", 0)
    driver.clock.advance(1)
    assert app.get(q, FIRST) == 0 and app.data == b"long"
    assert driver.queue("Q").depth == 1


def test_waits_end_with_their_handle_and_their_connection(driver: Driver, app: App, q: Handle) -> None:
    closing, leaving = driver.app("closing"), driver.app("leaving")
    theirs = closing.open("Q")
    assert closing.get(theirs, wait_ms=-1) == WAITING
    assert leaving.get(leaving.open("Q"), wait_ms=-1) == WAITING
    assert closing.close(theirs) == 0
    leaving.abandon()
    fill(app, q, b"m")
    assert driver.queue("Q").depth == 1
    assert driver.qm.waiting == 0
    driver.qm.check()


def test_a_wait_through_an_alias_is_a_wait_on_the_queue(driver: Driver, app: App, q: Handle) -> None:
    other = driver.app("other")
    assert other.get(other.open("ALIAS"), wait_ms=-1) == WAITING
    fill(app, q, b"m")
    assert driver.woken() == ["other"] and other.gmo.resolved_q_name == "Q"


def test_a_waiting_get_that_truncates_leaves_the_message_for_the_next(driver: Driver, app: App, q: Handle) -> None:
    small, large = driver.app("small"), driver.app("large")
    assert small.get(small.open("Q"), wait_ms=-1, max_length=1) == WAITING
    assert large.get(large.open("Q"), wait_ms=-1) == WAITING
    fill(app, q, b"message")
    assert driver.woken() == ["small", "large"]
    assert (small.connection.reason, large.data) == (2080, b"message")
