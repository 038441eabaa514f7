"""Selection strings on queues: what a get, a browse, a wait or a consumer sees, how often a message is looked at."""

from __future__ import annotations

import pytest

from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.constants import (
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_NO_SYNCPOINT,
    MQGMO_WAIT,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_MSG_IN_GROUP,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMT_REQUEST,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_SET,
    MQOP_REGISTER,
    MQOP_START,
    MQOT_PROCESS,
    MQOT_Q_MGR,
    MQPMO_LOGICAL_ORDER,
    MQPMO_NO_SYNCPOINT,
)
from flintmq.mqi.ctlo import MQCTLO
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.md_properties import FIELDS, read_descriptor
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.rfh2 import MQRFH2, pack_folders
from flintmq.qmgr import consume, expiry
from flintmq.qmgr.connection import WAITING, Handle
from flintmq.qmgr.message import Message
from flintmq.qmgr.message_source import MessageSource
from flintmq.qmgr.paging import pager_of
from flintmq.qmgr.place import to_queue
from flintmq.qmgr.selection import Selections
from flintmq.selector import Value
from tests.qmgr.driver import App, Driver

NO_MESSAGE = 2033
#: The correlation id of B220 and its text.
SAMPLE = b"WMQ70SampleCorrelationID"
SAMPLE_TEXT = "ID:574d51373053616d706c65436f7272656c6174696f6e4944"


@pytest.fixture
def driver() -> Driver:
    return Driver(("QLOCAL", "Q", {"MAXDEPTH": 999_999}), ("QALIAS", "A", {"TARGET": "Q"}))


def put_with(
    driver: Driver,
    app: App,
    data: bytes,
    folders: list[str] | None = None,
    color: str = "",
    syncpoint: bool = False,
    **fields: object,
) -> None:
    """Put a message with properties in its record, as a message handle would; `color` is one of usr."""
    folders = folders or ([f"<usr><color>{color}</color></usr>"] if color else [])
    md = MQMD()
    md.priority = 4
    md.persistence = 0
    md.msg_id = driver.qm.new_msg_id()
    for name, value in fields.items():
        setattr(md, name, value)
    properties = pack_folders(folders) if folders else b""
    queue = driver.queue("Q")
    reason = to_queue(driver.qm, app.connection, queue, md, data, syncpoint, driver.clock.now_ms(), properties)
    assert reason == 0


def select(app: App, selector: str, options: int = MQOO_INPUT_SHARED | MQOO_BROWSE, name: str = "Q") -> Handle:
    return app.open(name, options, selector=selector)


def drained(app: App, handle: Handle) -> list[bytes]:
    """What gets return until there is no more; behind the header that properties may have been put into."""
    return [data.rpartition(b"  ")[2][-1:] for data in app.all(handle)]


def browsed(app: App, handle: Handle) -> list[bytes]:
    found: list[bytes] = []
    options = MQGMO_BROWSE_FIRST
    while app.get(handle, options) == 0:
        found.append(app.data[-1:])
        options = MQGMO_BROWSE_NEXT
    assert app.connection.reason == NO_MESSAGE
    return found


def selections_of(driver: Driver) -> Selections:
    selections = driver.queue("Q").selections
    assert isinstance(selections, Selections)
    return selections


# -- opening -------------------------------------------------------------------------------------------------------


def test_a_selection_string_is_given_at_open_and_only_matching_messages_are_got(driver: Driver) -> None:
    """B216, B217."""
    app = driver.app()
    for data, color in ((b"1", "red"), (b"2", "blue"), (b"3", "red"), (b"4", "")):
        put_with(driver, app, data, color=color)
    handle = select(app, "color = 'red'")

    assert drained(app, handle) == [b"1", b"3"]
    assert app.connection.reason == NO_MESSAGE and driver.queue("Q").depth == 2
    driver.qm.check()


@pytest.mark.parametrize(
    ("text", "reason"),
    [("color = ", 2459), ("3 + 4", 2459), ("Body.order = 5", 2551), ("a" * 10_241, 2519), (" ", 2459)],
)
def test_a_selection_string_that_is_wrong_is_refused(driver: Driver, text: str, reason: int) -> None:
    app = driver.app()
    assert app.refused_open("Q", MQOO_INPUT_SHARED, selector=text) == reason
    assert app.connection.explanation.startswith("selection string, position ")
    assert not driver.queue("Q").opens.handles and driver.queue("Q").selections is None


def test_the_explanation_of_a_refused_open_has_the_place(driver: Driver) -> None:
    app = driver.app()
    assert app.refused_open("Q", MQOO_BROWSE, selector="color = 'red' AND size >") == 2459
    assert app.connection.explanation == "selection string, position 25: expected a name or a value, found the end"


@pytest.mark.parametrize("options", [MQOO_OUTPUT, MQOO_INQUIRE, MQOO_SET, MQOO_OUTPUT | MQOO_INQUIRE])
def test_a_selection_string_needs_input_or_browse(driver: Driver, options: int) -> None:
    """2516, MQRC_SELECTOR_INVALID_FOR_TYPE; likewise for anything but a queue, and for MQPUT1."""
    app = driver.app()
    assert app.refused_open("Q", options, selector="a = 1") == 2516
    assert app.refused_open("", MQOO_INQUIRE, MQOT_Q_MGR, selector="a = 1") == 2516
    assert app.refused_open("P", MQOO_INQUIRE, MQOT_PROCESS, selector="a = 1") == 2516
    od = MQOD()
    od.object_name = "Q"
    od.selection_string = "a = 1"
    assert driver.qm.put1(app.connection, od, MQMD(), MQPMO(), b"x") == 2516
    assert driver.queue("Q").depth == 0


def test_input_and_output_on_one_handle(driver: Driver) -> None:
    app = driver.app()
    handle = select(app, "Root.MQMD.Priority > 5", MQOO_INPUT_SHARED | MQOO_OUTPUT)
    assert app.put(handle, b"1", priority=3) == 0 and app.put(handle, b"2", priority=6) == 0
    assert drained(app, handle) == [b"2"]


def test_a_selector_through_an_alias(driver: Driver) -> None:
    app = driver.app()
    put_with(driver, app, b"1", color="blue")
    put_with(driver, app, b"2", color="red")
    assert drained(app, select(app, "color = 'red'", name="A")) == [b"2"]


def test_a_new_selector_needs_another_open(driver: Driver) -> None:
    """B222: the text is the handle's for good; closed and opened again it is another one."""
    app = driver.app()
    for data, color in ((b"1", "red"), (b"2", "blue")):
        put_with(driver, app, data, color=color)
    handle = select(app, "color = 'blue'")
    app.od.selection_string = "color = 'red'"
    assert handle.selector == "color = 'blue'" and drained(app, handle) == [b"2"]
    assert app.close(handle) == 0
    assert driver.queue("Q").selections is None and not driver.queue("Q").tracked
    assert drained(app, select(app, "color = 'red'")) == [b"1"]


# -- where values come from ----------------------------------------------------------------------------------------


def source(driver: Driver, app: App, **given: object) -> MessageSource:
    put_with(driver, app, b"x", **given)  # type: ignore[arg-type]
    message = driver.queue("Q").lanes[4].last or driver.queue("Q").lanes[7].last
    assert isinstance(message, Message)
    return MessageSource(message)


def test_headers_of_jms_from_the_descriptor(driver: Driver) -> None:
    """B218: selection by correlation id works on messages without properties. B221: bytes are read as their text."""
    app = driver.app()
    driver.clock.advance(5)
    values = source(
        driver, app, correl_id=SAMPLE, msg_id=b"m" * 24, persistence=1, expiry=10, reply_to_q="R", reply_to_q_mgr="QM2",
        msg_type=MQMT_REQUEST, format=MQFMT_STRING, user_identifier="ann", put_appl_name="job",
    )  # fmt: skip
    now = driver.clock.now_ms()
    expected: dict[str, Value] = {
        "JMSCorrelationID": SAMPLE_TEXT, "JMSMessageID": "ID:" + "6d" * 24, "JMSPriority": 4,
        "JMSDeliveryMode": "PERSISTENT", "JMSTimestamp": now, "JMSExpiration": now + 1000, "JMSType": None,
        "JMSDestination": None, "JMSReplyTo": "queue://QM2/R", "JMSRedelivered": False, "JMSXDeliveryCount": 1,
        "JMSXUserID": "ann", "JMSXAppID": "job", "JMSXGroupID": None, "JMSXGroupSeq": None, "JMS_IBM_MsgType": 1,
        "JMS_IBM_Format": "MQSTR", "Root.MQMD.CorrelId": SAMPLE, "Root.MQMD.MsgType": 1, "Root.MQMD.Persistence": 1,
        "Root.MQMD.Format": "MQSTR", "Root.MQMD.ReplyToQ": "R", "Root.MQMD.OriginalLength": -1, "color": None,
    }  # fmt: skip
    assert {name: values.value(name) for name in expected} == expected


def test_every_field_of_the_descriptor_has_a_value(driver: Driver) -> None:
    app = driver.app()
    values = source(driver, app, put_date="20260101", put_time="12000000", appl_origin_data="abcd", report=0x800)
    assert app.get(app.open("Q")) == 0
    for field in FIELDS:
        name = f"Root.MQMD.{field}"
        assert values.value(name) == read_descriptor(app.md, name).value, name


def test_headers_of_jms_from_folders_come_first(driver: Driver) -> None:
    """B229: the JMS id overrides the one of the descriptor."""
    app = driver.app()
    jms = (
        "<jms><Cid>mine</Cid><Tms>77</Tms><Exp>99</Exp><Rto>queue:///X</Rto><Gid>g</Gid><Seq>3</Seq><Dst>D</Dst></jms>"
    )
    values = source(driver, app, folders=["<mcd><Type>order</Type></mcd>", jms], correl_id=SAMPLE, reply_to_q="R")
    expected: dict[str, Value] = {
        "JMSCorrelationID": "mine", "JMSTimestamp": 77, "JMSExpiration": 99, "JMSReplyTo": "queue:///X",
        "JMSXGroupID": "g", "JMSXGroupSeq": 3, "JMSDestination": "D", "JMSType": "order",
        "Root.MQMD.CorrelId": SAMPLE, "jms.Cid": "mine",
    }  # fmt: skip
    assert {name: values.value(name) for name in expected} == expected


def test_fifteen_properties_are_found_by_looking_once(driver: Driver) -> None:
    """B224: the first property of a message costs something, those beside it hardly more."""
    app = driver.app()
    names = [f"property{number}" for number in range(15)]
    folder = "<usr>" + "".join(f"<{name} dt='i4'>{number}</{name}>" for number, name in enumerate(names)) + "</usr>"
    values = source(driver, app, folders=[folder])
    assert values.looks == 0
    assert [values.value(name) for name in names] == list(range(15)) and values.value("another") is None
    assert values.looks == 1
    without = source(driver, app)
    assert without.value("property0") is None and without.looks == 0


def test_an_id_of_zeros_is_null(driver: Driver) -> None:
    app = driver.app()
    put_with(driver, app, b"1")
    assert drained(app, select(app, "JMSCorrelationID IS NULL")) == [b"1"]


def test_properties_of_a_header_in_the_data(driver: Driver) -> None:
    """A message whose sender wrote the MQRFH2 itself, as the classes for JMS of old did."""
    app = driver.app()
    header = MQRFH2()
    header.folders = ["<usr><color>red</color><size dt='i4'>5</size></usr>"]
    header.format = MQFMT_STRING
    header.coded_char_set_id = 1208
    queue = app.open("Q")
    for data in (header.pack(False, 1208) + b"1", b"2"):
        md = MQMD()
        md.format = MQFMT_RF_HEADER_2 if data != b"2" else ""
        md.coded_char_set_id = 1208
        pmo = MQPMO()
        pmo.options = MQPMO_NO_SYNCPOINT
        assert driver.qm.put(app.connection, queue, md, pmo, data) == 0
    handle = select(app, "color = 'red' AND Root.MQRFH2.usr.size + 1 = 6")
    assert app.get(handle) == 0 and app.data.endswith(b"1")
    assert app.get(handle) == NO_MESSAGE


def test_a_header_that_is_not_well_formed_has_no_properties(driver: Driver) -> None:
    app = driver.app()
    put_with(driver, app, b"RFH \x02\x00\x00\x00rubbish 1", format=MQFMT_RF_HEADER_2)
    assert drained(app, select(app, "color = 'red'")) == []
    assert drained(app, select(app, "color IS NULL")) == [b"1"]


def test_blanks_behind_a_field_of_the_descriptor_do_not_count(driver: Driver) -> None:
    app = driver.app()
    put_with(driver, app, b"1", format=MQFMT_STRING)
    put_with(driver, app, b"2", format=MQFMT_STRING)
    first = select(app, "Root.MQMD.Format = 'MQSTR   '", MQOO_INPUT_SHARED)
    assert app.get(first) == 0
    assert drained(app, select(app, "Root.MQMD.Format IN ('MQSTR')")) == [b"2"]


# -- by id -----------------------------------------------------------------------------------------------------------


def test_an_id_written_in_full_takes_the_index(driver: Driver) -> None:
    """B219, B220, B228: no selection is kept and nothing is evaluated."""
    app = driver.app()
    put_with(driver, app, b"1")
    put_with(driver, app, b"2", correl_id=SAMPLE)
    put_with(driver, app, b"3", msg_id=SAMPLE)
    for text, found in (
        (f"JMSCorrelationID = '{SAMPLE_TEXT}'", b"2"),
        (f'Root.MQMD.CorrelId = "0x{SAMPLE.hex()}"', b"2"),
        (f"JMSMessageID = '{SAMPLE_TEXT}'", b"3"),
        (f'"0x{SAMPLE.hex()}" = Root.MQMD.MsgId', b"3"),
    ):
        handle = select(app, text)
        assert handle.id_key is not None and handle.selection is None and driver.queue("Q").selections is None
        assert browsed(app, handle) == [found]
        assert app.get(handle, MQGMO_BROWSE_FIRST) == 0 and app.close(handle) == 0
    handle = select(app, f"JMSCorrelationID = '{SAMPLE_TEXT}'")
    assert drained(app, handle) == [b"2"]


def test_other_forms_of_an_id_are_evaluated(driver: Driver) -> None:
    """B219: any other text goes the dearer way, and gives the same."""
    app = driver.app()
    put_with(driver, app, b"1")
    put_with(driver, app, b"2", correl_id=SAMPLE)
    handle = select(app, f"JMSCorrelationID = '{SAMPLE_TEXT}' AND JMSPriority > 3")
    assert handle.id_key is None and handle.selection is not None
    assert drained(app, handle) == [b"2"]
    put_with(driver, app, b"3", folders=["<jms><Cid>short</Cid></jms>"], correl_id=SAMPLE)
    assert drained(app, select(app, "JMSCorrelationID = 'short'")) == [b"3"]


def test_the_id_of_jms_overrides_that_of_the_descriptor(driver: Driver) -> None:
    """B229: with the id in the descriptor the message is still looked at, for a jms.Cid that says otherwise."""
    app, waiting = driver.app(), driver.app("waiting")
    put_with(driver, app, b"1", folders=["<jms><Cid>another</Cid></jms>"], correl_id=SAMPLE)
    put_with(driver, app, b"2", folders=[f"<jms><Cid>{SAMPLE_TEXT}</Cid></jms>"], correl_id=SAMPLE)
    handle = select(app, f"JMSCorrelationID = '{SAMPLE_TEXT}'")
    assert browsed(app, handle) == [b"2"] and drained(app, handle) == [b"2"]
    waits = select(waiting, f"JMSCorrelationID = '{SAMPLE_TEXT}'")
    assert waiting.get(waits, wait_ms=1000) == WAITING
    put_with(driver, app, b"3", folders=["<jms><Cid>another</Cid></jms>"], correl_id=SAMPLE)
    assert driver.woken() == []
    put_with(driver, app, b"4", correl_id=SAMPLE)
    assert driver.woken() == ["waiting"] and waiting.data.endswith(b"4")
    by_field = select(app, f'Root.MQMD.CorrelId = "0x{SAMPLE.hex()}"')
    assert drained(app, by_field) == [b"1", b"3"]


def test_the_id_of_the_selector_and_the_match_options_of_the_get_both_hold(driver: Driver) -> None:
    app = driver.app()
    put_with(driver, app, b"1", correl_id=SAMPLE, msg_id=b"a" * 24)
    put_with(driver, app, b"2", correl_id=SAMPLE, msg_id=b"b" * 24)
    handle = select(app, f"JMSCorrelationID = '{SAMPLE_TEXT}'")
    assert app.get(handle, correl_id=b"c" * 24) == NO_MESSAGE
    assert app.get(handle, correl_id=b"c" * 24, wait_ms=100) == WAITING
    put_with(driver, app, b"3", correl_id=b"c" * 24)
    driver.pass_time(200)
    assert app.connection.reason == NO_MESSAGE
    assert app.get(handle, msg_id=b"b" * 24) == 0 and app.data[-1:] == b"2"
    assert app.get(handle, correl_id=SAMPLE) == 0 and app.data[-1:] == b"1"


# -- match options, order, cursors -----------------------------------------------------------------------------------


def test_the_match_options_of_a_get_and_its_selector_both_hold(driver: Driver) -> None:
    app = driver.app()
    for data, color, correl in ((b"1", "red", b"x"), (b"2", "blue", b"y"), (b"3", "red", b"y")):
        put_with(driver, app, data, color=color, correl_id=correl.ljust(24, b"\0"))
    handle = select(app, "color = 'red'")
    assert app.get(handle, correl_id=b"y", match=MQMO_MATCH_CORREL_ID) == 0 and app.data[-1:] == b"3"
    assert app.get(handle, correl_id=b"y", match=MQMO_MATCH_CORREL_ID) == NO_MESSAGE
    assert app.get(handle, match=MQMO_MATCH_MSG_SEQ_NUMBER) == 0 and app.data[-1:] == b"1"


def test_messages_that_match_come_by_priority_and_then_in_the_order_of_puts(driver: Driver) -> None:
    app = driver.app()
    handle = select(app, "color = 'red'")
    assert app.get(handle) == NO_MESSAGE
    for data, priority in ((b"1", 4), (b"2", 9), (b"3", 0), (b"4", 9), (b"5", 4)):
        put_with(driver, app, data, color="red", priority=priority)
        put_with(driver, app, b"-", color="blue", priority=priority)
    driver.qm.check()
    assert browsed(app, handle) == [b"2", b"4", b"1", b"5", b"3"]
    assert drained(app, handle) == [b"2", b"4", b"1", b"5", b"3"]


def test_a_browse_goes_on_where_its_message_was_taken_away(driver: Driver) -> None:
    """The cursor stands on a message that somebody gets, or that the browser itself gets; also the last one."""
    app, other = driver.app(), driver.app()
    for number in range(6):
        put_with(driver, app, str(number).encode(), color="red")
        put_with(driver, app, b"-", color="blue")
    handle, thief = select(app, "color = 'red'"), select(other, "color = 'red'")
    assert app.get(handle, MQGMO_BROWSE_NEXT) == 0 and app.get(handle, MQGMO_BROWSE_NEXT) == 0
    assert app.data[-1:] == b"1"
    assert other.get(thief) == 0 and other.get(thief) == 0 and other.get(thief) == 0  # 0, 1 and 2.
    assert app.get(handle, MQGMO_BROWSE_MSG_UNDER_CURSOR) == 2034
    assert app.get(handle, MQGMO_BROWSE_NEXT) == 0 and app.data[-1:] == b"3"
    assert app.get(handle, MQGMO_MSG_UNDER_CURSOR) == 0 and app.data[-1:] == b"3"
    assert app.get(handle, MQGMO_BROWSE_NEXT) == 0 and app.data[-1:] == b"4"
    assert app.get(handle, MQGMO_BROWSE_NEXT) == 0 and app.data[-1:] == b"5"
    assert app.get(handle, MQGMO_MSG_UNDER_CURSOR) == 0
    assert app.get(handle, MQGMO_BROWSE_NEXT) == NO_MESSAGE
    put_with(driver, app, b"6", color="red")
    assert app.get(handle, MQGMO_BROWSE_NEXT) == 0 and app.data[-1:] == b"6"
    driver.qm.check()


def test_a_locked_message_is_passed_by_until_it_is_unlocked(driver: Driver) -> None:
    app, other = driver.app(), driver.app()
    for data in (b"1", b"2"):
        put_with(driver, app, data, color="red")
    handle, taker = select(app, "color = 'red'"), select(other, "color='red'")
    assert app.get(handle, MQGMO_BROWSE_FIRST | MQGMO_LOCK) == 0
    assert drained(other, taker) == [b"2"]
    assert app.close(handle) == 0
    assert drained(other, taker) == [b"1"]


# -- units of work ---------------------------------------------------------------------------------------------------


def test_an_uncommitted_message_is_evaluated_when_put_and_got_when_committed(driver: Driver) -> None:
    app, getter = driver.app(), driver.app()
    handle = select(getter, "color = 'red'")
    assert getter.get(handle) == NO_MESSAGE
    put_with(driver, app, b"1", color="red", syncpoint=True)
    assert getter.get(handle) == NO_MESSAGE and app.commit() == 0
    assert getter.get(handle, syncpoint=True) == 0
    assert getter.get(handle) == NO_MESSAGE and getter.backout() == 0
    driver.qm.check()
    assert drained(getter, handle) == [b"1"]
    put_with(driver, app, b"2", color="red", syncpoint=True)
    assert app.backout() == 0 and drained(getter, handle) == []
    driver.qm.check()


def test_what_a_backout_changes_is_looked_at_again(driver: Driver) -> None:
    """T4: BackoutCount, JMSRedelivered and JMSXDeliveryCount."""
    app = driver.app()
    put_with(driver, app, b"1", color="red")
    fresh, seen = select(app, "JMSRedelivered = FALSE"), select(app, "JMSXDeliveryCount = 2 AND color = 'red'")
    plain = app.open("Q")
    assert app.get(seen) == NO_MESSAGE and browsed(app, fresh) == [b"1"]
    assert app.get(plain, syncpoint=True) == 0 and app.backout() == 0
    driver.qm.check()
    assert browsed(app, fresh) == [] and browsed(app, seen) == [b"1"]
    assert app.get(plain, syncpoint=True) == 0 and app.backout() == 0
    assert browsed(app, seen) == []
    driver.qm.check()


# -- waiting ---------------------------------------------------------------------------------------------------------


def test_waiters_with_selectors_are_served_in_the_order_in_which_they_came(driver: Driver) -> None:
    app = driver.app()
    names = ["red1", "any", "red2", "blue"]
    texts = {"red1": "color = 'red'", "red2": "color = 'red'", "blue": "color = 'blue'", "any": ""}
    apps = {name: driver.app(name) for name in names}
    for name in names:
        handle = apps[name].open("Q", MQOO_INPUT_SHARED, selector=texts[name])
        assert apps[name].get(handle, wait_ms=10_000) == WAITING
    put_with(driver, app, b"1", color="blue")
    assert driver.woken() == ["any"]
    put_with(driver, app, b"2", color="red")
    put_with(driver, app, b"3", color="red")
    assert driver.woken() == ["red1", "red2"]
    put_with(driver, app, b"4", color="red")
    assert driver.woken() == []
    driver.qm.check()
    put_with(driver, app, b"5", color="blue", syncpoint=True)
    assert driver.woken() == [] and app.commit() == 0
    assert driver.woken() == ["blue"] and apps["blue"].data[-1:] == b"5"


def test_a_wait_through_a_selector_ends_in_time_and_with_its_handle(driver: Driver) -> None:
    app = driver.app()
    handle = select(app, "color = 'red'")
    assert app.get(handle, wait_ms=500) == WAITING
    put_with(driver, app, b"1", color="blue")
    driver.pass_time(600)
    assert driver.woken() == ["app"] and app.connection.reason == NO_MESSAGE
    other = driver.app("other")
    waiting = select(other, "color = 'red'")
    assert other.get(waiting, wait_ms=-1) == WAITING
    other.abandon()
    assert driver.queue("Q").waiting == 0
    driver.qm.check()
    put_with(driver, app, b"2", color="red")
    assert drained(app, handle) == [b"2"]


def test_a_wait_with_match_options_and_a_selector(driver: Driver) -> None:
    app, waiting = driver.app(), driver.app("waiting")
    handle = select(waiting, "color = 'red'")
    assert waiting.get(handle, correl_id=b"x", wait_ms=500) == WAITING
    put_with(driver, app, b"1", color="blue", correl_id=b"x".ljust(24, b"\0"))
    put_with(driver, app, b"2", color="red")
    assert driver.woken() == []
    put_with(driver, app, b"3", color="red", correl_id=b"x".ljust(24, b"\0"))
    assert driver.woken() == ["waiting"] and waiting.data[-1:] == b"3"


def test_a_browse_with_a_selector_waits(driver: Driver) -> None:
    app, browser = driver.app(), driver.app("browser")
    handle = select(browser, "color = 'red'", MQOO_BROWSE)
    assert browser.get(handle, MQGMO_BROWSE_NEXT, wait_ms=500) == WAITING
    put_with(driver, app, b"1", color="blue")
    assert driver.woken() == []
    put_with(driver, app, b"2", color="red")
    assert driver.woken() == ["browser"] and browser.data[-1:] == b"2"
    assert driver.queue("Q").depth == 2


def test_an_asynchronous_consumer_gets_only_what_matches(driver: Driver) -> None:
    app, consumer = driver.app(), driver.app("consumer")
    put_with(driver, app, b"1", color="blue")
    put_with(driver, app, b"2", color="red")
    handle = select(consumer, "color = 'red'", MQOO_INPUT_SHARED)
    gmo = MQGMO()
    gmo.options = MQGMO_WAIT | MQGMO_NO_SYNCPOINT
    gmo.wait_interval = -1
    cbd = MQCBD()
    connection = consumer.connection
    assert driver.qm.callback(connection, MQOP_REGISTER, handle, cbd, MQMD(), gmo, object()) == 0
    assert driver.qm.control(connection, MQOP_START, MQCTLO()) == 0
    heard: list[bytes] = []
    for data, color in ((b"3", "blue"), (b"4", "red"), (b"5", "red")):
        put_with(driver, app, data, color=color)
        while driver.qm.woken:
            waiter = driver.qm.woken.pop(0)
            consume.begin_callback(driver.qm, waiter)
            heard.append(waiter.answer.data[-1:])
            consume.callback_done(driver.qm, waiter)
    assert heard == [b"2", b"4", b"5"]
    driver.qm.check()


# -- groups ----------------------------------------------------------------------------------------------------------


def test_in_logical_order_the_first_message_of_a_group_is_selected_and_the_rest_comes_along(driver: Driver) -> None:
    app = driver.app()
    queue = app.open("Q")
    for group, priority in ((b"a", 3), (b"b", 5)):
        for number, flags in ((1, MQMF_MSG_IN_GROUP), (2, MQMF_LAST_MSG_IN_GROUP)):
            md = MQMD()
            md.version = 2
            md.priority = priority
            md.msg_flags = flags
            md.format = "FIRST" if number == 1 else "SECOND"
            pmo = MQPMO()
            pmo.options = MQPMO_NO_SYNCPOINT | MQPMO_LOGICAL_ORDER
            assert driver.qm.put(app.connection, queue, md, pmo, group + str(number).encode()) == 0
    handle = select(app, "Root.MQMD.Priority = 3 AND Root.MQMD.Format = 'FIRST'")
    options = MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE
    assert app.get(handle, MQGMO_LOGICAL_ORDER | MQGMO_BROWSE_FIRST) == 0 and app.data == b"a1"
    assert app.get(handle, MQGMO_LOGICAL_ORDER | MQGMO_BROWSE_NEXT) == 0 and app.data == b"a2"
    assert app.get(handle, MQGMO_LOGICAL_ORDER | MQGMO_BROWSE_NEXT) == NO_MESSAGE
    assert app.get(handle, options) == 0 and app.data == b"a1"
    assert app.get(handle, options) == 0 and app.data == b"a2"
    assert app.get(handle, options) == NO_MESSAGE and driver.queue("Q").depth == 2


def test_a_group_whose_first_message_is_selected_by_its_id(driver: Driver) -> None:
    """The id of the selector is not a match option: the next message of the group may have another one."""
    app = driver.app()
    queue = app.open("Q")
    for number, flags in ((1, MQMF_MSG_IN_GROUP), (2, MQMF_LAST_MSG_IN_GROUP)):
        md = MQMD()
        md.version = 2
        md.msg_flags = flags
        md.correl_id = SAMPLE if number == 1 else b"another id, 24 bytes of."
        pmo = MQPMO()
        pmo.options = MQPMO_NO_SYNCPOINT | MQPMO_LOGICAL_ORDER
        assert driver.qm.put(app.connection, queue, md, pmo, str(number).encode()) == 0
    handle = select(app, f"JMSCorrelationID = '{SAMPLE_TEXT}'")
    assert app.get(handle, MQGMO_LOGICAL_ORDER) == 0 and app.data == b"1"
    assert app.get(handle, MQGMO_LOGICAL_ORDER) == 0 and app.data == b"2"


# -- never twice -----------------------------------------------------------------------------------------------------


def test_a_message_is_evaluated_once_however_many_gets_pass_it(driver: Driver) -> None:
    """B226: unwanted messages are not looked at again by each get."""
    app = driver.app()
    handle = select(app, "color = 'red' OR size > 5")
    for number in range(50):
        put_with(driver, app, b"-", color="blue", priority=number % 10)
    for _ in range(20):
        assert app.get(handle) == NO_MESSAGE
    assert selections_of(driver).evaluations == 50
    for _ in range(10):
        put_with(driver, app, b"1", color="red")
        assert app.get(handle) == 0 and browsed(app, handle) == []
    assert selections_of(driver).evaluations == 60


def test_handles_with_the_same_text_share_one_selection(driver: Driver) -> None:
    apps = [driver.app() for _ in range(5)]
    handles = [select(app, "size > 5") for app in apps]
    for number in range(20):
        put_with(driver, apps[0], b"1", folders=[f"<usr><size dt='i4'>{number}</size></usr>"])
    got = 0
    while any(app.get(handle) == 0 for app, handle in zip(apps, handles, strict=True)):
        got += 1
    assert got == 14 and selections_of(driver).evaluations == 20
    assert len(selections_of(driver).by_text) == 1
    for app, handle in zip(apps[1:], handles[1:], strict=True):
        assert app.close(handle) == 0
    assert len(selections_of(driver).by_text) == 1 and app.close(handle) != 0
    assert apps[0].close(handles[0]) == 0 and driver.queue("Q").selections is None


def test_fifteen_getters_with_a_value_each_cost_one_evaluation_a_message(driver: Driver) -> None:
    """B227, B230: a message fits one getter in fifteen, and only that one is asked."""
    app = driver.app()
    getters = [driver.app(str(number)) for number in range(15)]
    handles = [
        select(getter, f"wanted = 'getter{number}' AND JMSPriority < 9") for number, getter in enumerate(getters)
    ]
    for getter, handle in zip(getters, handles, strict=True):
        assert getter.get(handle, wait_ms=-1) == WAITING
    for number in range(15):
        put_with(driver, app, b"1", folders=[f"<usr><wanted>getter{number}</wanted></usr>"])
        assert driver.woken() == [str(number)]
    assert selections_of(driver).evaluations == 15
    driver.qm.check()


def test_a_selector_that_says_no_more_than_a_value_is_decided_by_the_table(driver: Driver) -> None:
    app = driver.app()
    one, two, flag = select(app, "n = 1"), select(app, "n IN (2, 3.0)"), select(app, "n = TRUE OR n = 'x'")
    assert app.get(one) == NO_MESSAGE
    for data, value in ((b"1", "dt='i4'>1"), (b"2", "dt='boolean'>1"), (b"3", "dt='r8'>1"), (b"4", "dt='i8'>3"),
                        (b"5", ">x"), (b"6", ">1")):  # fmt: skip
        put_with(driver, app, data, folders=[f"<usr><n {value}</n></usr>"])
    assert drained(app, one) == [b"1", b"3"] and drained(app, two) == [b"4"] and drained(app, flag) == [b"2", b"5"]
    assert selections_of(driver).evaluations == 0
    driver.qm.check()


def test_all_selections_catch_up_in_one_pass(driver: Driver) -> None:
    app = driver.app()
    for number in range(10):
        put_with(driver, app, b"1", folders=[f"<usr><n dt='i4'>{number}</n></usr>"])
    low, high = select(app, "n < 3"), select(app, "n > 3")
    assert selections_of(driver).evaluations == 0
    assert app.get(low) == 0 and selections_of(driver).evaluations == 20
    later = select(app, "n = 3 OR n = 4 AND TRUE")
    assert app.get(high) == 0 and app.get(later) == 0 and selections_of(driver).evaluations <= 30
    driver.qm.check()


# -- on the page set -------------------------------------------------------------------------------------------------


def deep_driver() -> Driver:
    return Driver(("BUFFPOOL", "0", {"BUFFERS": 100}), ("QLOCAL", "Q", {"MAXDEPTH": 999_999, "MAXMSGL": 4_000_000}))


def test_what_was_spilled_before_is_looked_at_in_passing_and_stays_there() -> None:
    driver = deep_driver()
    app = driver.app()
    for number in range(1000):
        color = "red" if number % 100 == 7 else "blue"
        put_with(driver, app, number.to_bytes(4, "big"), color=color, persistence=number % 2, priority=number % 3)
    queue = driver.queue("Q")
    assert queue.spilled_count > 700
    loaded = pager_of(queue).loaded_messages
    handle = select(app, "color = 'red'")
    assert app.get(handle, MQGMO_BROWSE_FIRST) == 0
    assert pager_of(queue).loaded_messages - loaded <= 1
    driver.qm.check()
    found: list[int] = []
    while app.get(handle) == 0:
        found.append(int.from_bytes(app.data[-4:], "big"))
    expected = sorted(
        (number for number in range(1000) if number % 100 == 7), key=lambda number: (-(number % 3), number)
    )
    assert found == expected and queue.depth == 990
    driver.qm.check()


@pytest.mark.parametrize("index", ["NONE", "CORRELID", "MSGID"])
def test_an_id_is_found_on_the_page_set_too(index: str) -> None:
    """B228: as a get by that id is."""
    attributes: dict[str, str | int | list[str]] = {"MAXDEPTH": 999_999, "INDXTYPE": index}
    driver = Driver(("BUFFPOOL", "0", {"BUFFERS": 100}), ("QLOCAL", "Q", attributes))
    app = driver.app()
    for number in range(900):
        put_with(driver, app, number.to_bytes(4, "big"), correl_id=(number // 2 + 1).to_bytes(24, "big"))
    assert driver.queue("Q").spilled_count > 500
    for key in (200, 3, 449):
        handle = select(app, f"JMSCorrelationID = 'ID:{key:048x}'")
        found = [int.from_bytes(data, "big") for data in app.all(handle)]
        assert found == [2 * key - 2, 2 * key - 1] and app.close(handle) == 0
    driver.qm.check()


def test_messages_that_expire_on_the_page_set_leave_their_selections() -> None:
    """They go unread (B103); what selected them hears of it."""
    driver = deep_driver()
    app = driver.app()
    handle = select(app, "color = 'red'")
    assert app.get(handle) == NO_MESSAGE
    for number in range(600):
        put_with(driver, app, bytes([number % 256]), color="red", expiry=-1 if number == 333 else 10)
    assert driver.queue("Q").spilled_count > 300
    driver.clock.advance(2000)
    expiry.refresh(driver.qm, "*")
    while expiry.scan(driver.qm, driver.clock.now_ms()):
        pass
    driver.qm.check()
    assert driver.queue("Q").depth == 1 and len(selections_of(driver).matched) == 1
    assert app.get(handle) == 0 and app.data[-1:] == bytes([333 % 256])


def test_entries_survive_the_eviction_of_their_messages() -> None:
    """Evaluated when they came, evicted, and read back when they are got; a browse reads them back one by one."""
    driver = deep_driver()
    app = driver.app()
    handle = select(app, "JMSPriority > 4 AND color IN ('red', 'green')")
    assert app.get(handle) == NO_MESSAGE
    for number in range(1200):
        color = ("red", "blue", "green", "white")[number % 4]
        put_with(driver, app, number.to_bytes(4, "big"), color=color, persistence=number % 2, priority=number % 10)
    assert driver.queue("Q").spilled_count > 900
    evaluations = selections_of(driver).evaluations
    expected = [
        number
        for number in sorted(range(1200), key=lambda number: (-(number % 10), number))
        if number % 10 > 4 and number % 4 in (0, 2)
    ]
    seen: list[int] = []
    while app.get(handle, MQGMO_BROWSE_NEXT) == 0:
        seen.append(int.from_bytes(app.data[-4:], "big"))
    assert seen == expected
    driver.qm.check()
    found: list[int] = []
    while app.get(handle) == 0:
        found.append(int.from_bytes(app.data[-4:], "big"))
    assert found == expected and selections_of(driver).evaluations == evaluations
    driver.qm.check()
