"""MQINQ and MQSET."""

from __future__ import annotations

import pytest

from flintmq.catalogue.attributes import ATTRIBUTES
from flintmq.mqi import constants as mq
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.inquire import Inquiry
from tests.qmgr.driver import App, Driver

ASK = mq.MQOO_INQUIRE


@pytest.fixture
def driver() -> Driver:
    return Driver(
        ("QLOCAL", "Q", {"DESCR": "Ünïcode", "MAXDEPTH": 7, "TRIGDATA": "abc", "DEFSOPT": "EXCL", "SHARE": "SHARE"}),
        ("QLOCAL", "XMIT", {"USAGE": "XMITQ"}),
        ("QALIAS", "ALIAS", {"TARGET": "Q", "DESCR": "an alias"}),
        ("QREMOTE", "AWAY", {"RNAME": "THERE", "RQMNAME": "QM2", "XMITQ": "XMIT"}),
        ("QMODEL", "MODEL", {"MAXDEPTH": 3}),
        ("PROCESS", "PROC", {"APPLICID": "run", "APPLTYPE": "WINDOWSNT"}),
        ("NAMELIST", "LIST", {"NAMES": ["A", "B"]}),
        DESCR="the queue manager",
    )


def ask(app: App, handle: Handle, *selectors: int) -> tuple[int, list[int], list[str]]:
    """(reason, integers, characters)"""
    inquiry = Inquiry()
    reason = app.qm.inquire(app.connection, handle, list(selectors), inquiry)
    return reason, inquiry.integers, inquiry.characters


def test_attributes_come_in_the_order_of_their_selectors_and_characters_are_filled_up(driver: Driver) -> None:
    app = driver.app()
    q = app.open("Q", ASK)
    reason, integers, characters = ask(
        app,
        q,
        mq.MQIA_MAX_Q_DEPTH,
        mq.MQCA_Q_NAME,
        mq.MQIA_Q_TYPE,
        mq.MQCA_Q_DESC,
        mq.MQIA_DEF_INPUT_OPEN_OPTION,
        mq.MQIA_SHAREABILITY,
        mq.MQCA_TRIGGER_DATA,
        mq.MQIA_DEFINITION_TYPE,
    )
    assert reason == 0
    expected = [7, mq.MQQT_LOCAL, mq.MQOO_INPUT_EXCLUSIVE, mq.MQQA_SHAREABLE, mq.MQQDT_PREDEFINED]
    assert integers == expected
    assert [text.rstrip() for text in characters] == ["Q", "Ünïcode", "abc"]
    assert [len(text.encode()) for text in characters] == [48, 64, 64]


def test_live_attributes_are_those_of_the_moment(driver: Driver) -> None:
    app = driver.app()
    q = app.open("Q", ASK | mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
    other = app.open("Q", mq.MQOO_OUTPUT)
    assert app.put(other, syncpoint=True) == 0
    selectors = (mq.MQIA_CURRENT_Q_DEPTH, mq.MQIA_OPEN_INPUT_COUNT, mq.MQIA_OPEN_OUTPUT_COUNT)
    assert ask(app, q, *selectors) == (0, [1, 1, 2], [])
    assert app.close(other) == 0
    assert app.backout() == 0
    assert ask(app, q, *selectors) == (0, [0, 1, 1], [])
    driver.qm.check()


def test_an_alias_and_a_remote_queue_answer_for_themselves(driver: Driver) -> None:
    app = driver.app()
    alias = app.open("ALIAS", ASK)
    assert ask(app, alias, mq.MQIA_Q_TYPE, mq.MQCA_BASE_OBJECT_NAME) == (0, [mq.MQQT_ALIAS], ["Q".ljust(48)])
    assert ask(app, alias, mq.MQIA_CURRENT_Q_DEPTH)[0] == 2068
    remote = app.open("AWAY", ASK)
    reason, integers, names = ask(app, remote, mq.MQIA_Q_TYPE, mq.MQCA_REMOTE_Q_NAME, mq.MQCA_XMIT_Q_NAME)
    assert (reason, integers, [name.rstrip() for name in names]) == (0, [mq.MQQT_REMOTE], ["THERE", "XMIT"])


def test_a_model_answers_for_the_dynamic_queue_that_was_made(driver: Driver) -> None:
    app = driver.app()
    dynamic = app.open("MODEL", ASK, dynamic="DYN.1")
    reason, integers, names = ask(
        app, dynamic, mq.MQIA_Q_TYPE, mq.MQIA_DEFINITION_TYPE, mq.MQIA_MAX_Q_DEPTH, mq.MQCA_Q_NAME
    )
    assert (reason, integers) == (0, [mq.MQQT_LOCAL, mq.MQQDT_TEMPORARY_DYNAMIC, 3])
    assert names == ["DYN.1".ljust(48)]


def test_queue_manager_process_and_namelist(driver: Driver) -> None:
    app = driver.app()
    q_mgr = app.open("", ASK, mq.MQOT_Q_MGR)
    reason, integers, texts = ask(
        app, q_mgr, mq.MQCA_Q_MGR_NAME, mq.MQCA_Q_MGR_DESC, mq.MQIA_MAX_PRIORITY, mq.MQIA_SYNCPOINT, mq.MQIA_PLATFORM
    )
    assert (reason, integers) == (0, [9, mq.MQSP_AVAILABLE, mq.MQPL_UNIX])
    assert [text.rstrip() for text in texts] == ["QM1", "the queue manager"]
    process = app.open("PROC", ASK, mq.MQOT_PROCESS)
    reason, integers, texts = ask(app, process, mq.MQCA_PROCESS_NAME, mq.MQCA_APPL_ID, mq.MQIA_APPL_TYPE)
    assert (reason, integers, [len(text) for text in texts]) == (0, [mq.MQAT_WINDOWS_NT], [48, 256])
    namelist = app.open("LIST", ASK, mq.MQOT_NAMELIST)
    reason, integers, texts = ask(app, namelist, mq.MQIA_NAME_COUNT, mq.MQCA_NAMES)
    assert (reason, integers, texts) == (0, [2], ["A".ljust(48) + "B".ljust(48)])


@pytest.mark.parametrize(
    ("name", "kind", "object_kind"),
    [
        ("Q", mq.MQOT_Q, "QLOCAL"),
        ("ALIAS", mq.MQOT_Q, "QALIAS"),
        ("AWAY", mq.MQOT_Q, "QREMOTE"),
        ("", mq.MQOT_Q_MGR, "QMGR"),
        ("PROC", mq.MQOT_PROCESS, "PROCESS"),
        ("LIST", mq.MQOT_NAMELIST, "NAMELIST"),
    ],
)
def test_every_attribute_of_an_object_can_be_inquired(driver: Driver, name: str, kind: int, object_kind: str) -> None:
    app = driver.app()
    handle = app.open(name, ASK, kind)
    for attribute in ATTRIBUTES[object_kind]:
        if attribute.selector and not attribute.secret:
            reason, integers, texts = ask(app, handle, attribute.selector)
            assert reason == 0, attribute.keyword
            assert len(integers) + len(texts) == 1, attribute.keyword
            if texts and attribute.keyword != "NAMES":
                assert len(texts[0].encode()) == attribute.length or attribute.length == 0, attribute.keyword


def test_what_an_object_does_not_have_is_a_warning_and_comes_as_not_applicable(driver: Driver) -> None:
    app = driver.app()
    q = app.open("Q", ASK)
    reason, integers, texts = ask(app, q, mq.MQIA_MAX_HANDLES, mq.MQIA_MAX_Q_DEPTH, mq.MQCA_APPL_ID)
    assert (reason, integers, texts) == (2068, [mq.MQIAV_NOT_APPLICABLE, 7], ["*" * 256])
    assert app.completion == 1


def test_refusals_of_mqinq_in_their_order(driver: Driver) -> None:
    app = driver.app()
    q = app.open("Q", mq.MQOO_OUTPUT)
    assert ask(app, q, 99999)[0] == 2038
    asked = app.open("Q", ASK)
    assert ask(app, asked, *([1999] * 257))[0] == 2066
    assert ask(app, asked, mq.MQIA_MAX_Q_DEPTH, 1999) == (2067, [], [])
    assert app.close(asked) == 0
    assert ask(app, asked, mq.MQIA_MAX_Q_DEPTH)[0] == 2019
    assert app.disconnect() == 0
    assert ask(app, q, mq.MQIA_MAX_Q_DEPTH)[0] == 2018


def test_too_little_room_is_a_warning(driver: Driver) -> None:
    app = driver.app()
    q = app.open("Q", ASK)
    selectors = [mq.MQIA_MAX_Q_DEPTH, mq.MQIA_Q_TYPE, mq.MQCA_Q_NAME]
    inquiry = Inquiry()
    assert app.qm.inquire(app.connection, q, selectors, inquiry, 1, 48) == 2022
    assert inquiry.integers == [7]
    inquiry = Inquiry()
    assert app.qm.inquire(app.connection, q, selectors, inquiry, 2, 10) == 2008
    assert (inquiry.integers, inquiry.char_attrs()) == ([7, mq.MQQT_LOCAL], "Q".ljust(10))
    assert app.qm.inquire(app.connection, q, selectors, Inquiry(), 2, 48) == 0


def test_a_dynamic_queue_that_is_gone_cannot_be_inquired(driver: Driver) -> None:
    maker, user = driver.app(), driver.app()
    made = maker.open("MODEL", ASK, dynamic="DYN.1")
    used = user.open("DYN.1", ASK)
    assert maker.close(made) == 0
    assert ask(user, used, mq.MQIA_CURRENT_Q_DEPTH)[0] == 2052


# -- MQSET -------------------------------------------------------------------------------------------------------


def change(app: App, handle: Handle, selectors: list[int], integers: list[int], characters: str = "") -> int:
    return app.qm.set_attributes(app.connection, handle, selectors, integers, characters)


def test_mqset_changes_the_definition(driver: Driver) -> None:
    app = driver.app()
    q = app.open("Q", mq.MQOO_SET)
    selectors = [
        mq.MQIA_TRIGGER_TYPE,
        mq.MQCA_TRIGGER_DATA,
        mq.MQIA_TRIGGER_DEPTH,
        mq.MQIA_TRIGGER_MSG_PRIORITY,
        mq.MQIA_TRIGGER_CONTROL,
        mq.MQIA_INHIBIT_PUT,
        mq.MQIA_DIST_LISTS,
    ]
    integers = [mq.MQTT_DEPTH, 12, 3, mq.MQTC_ON, mq.MQQA_PUT_INHIBITED, mq.MQDL_SUPPORTED]
    assert change(app, q, selectors, integers, "new data".ljust(64)) == 0

    values = driver.queue("Q").definition.attributes
    assert (values["TRIGTYPE"], values["TRIGDATA"], values["TRIGDPTH"]) == ("DEPTH", "new data", 12)
    assert (values["TRIGMPRI"], values["TRIGGER"], values["PUT"], values["DISTL"]) == (3, "TRIGGER", "DISABLED", "YES")
    assert app.put(app.open("Q")) == 2051


@pytest.mark.parametrize(
    ("selector", "value", "reason"),
    [
        (mq.MQIA_INHIBIT_GET, 7, 2020),
        (mq.MQIA_TRIGGER_CONTROL, 7, 2075),
        (mq.MQIA_TRIGGER_DEPTH, 0, 2076),
        (mq.MQIA_TRIGGER_MSG_PRIORITY, 10, 2077),
        (mq.MQIA_TRIGGER_TYPE, 9, 2078),
        (mq.MQIA_MAX_Q_DEPTH, 5, 2067),
        (99999, 5, 2067),
    ],
)
def test_mqset_changes_nothing_when_something_is_wrong(driver: Driver, selector: int, value: int, reason: int) -> None:
    app = driver.app()
    q = app.open("Q", mq.MQOO_SET)
    before = dict(driver.queue("Q").definition.attributes)
    assert change(app, q, [mq.MQIA_INHIBIT_PUT, selector], [mq.MQQA_PUT_INHIBITED, value]) == reason
    assert driver.queue("Q").definition.attributes == before


def test_mqset_needs_its_values_and_an_open_for_it(driver: Driver) -> None:
    app = driver.app()
    q = app.open("Q", mq.MQOO_SET)
    assert change(app, q, [mq.MQIA_INHIBIT_PUT], []) == 2021
    assert change(app, q, [mq.MQCA_TRIGGER_DATA], [], "too short") == 2006
    assert change(app, app.open("Q"), [mq.MQIA_INHIBIT_PUT], [0]) == 2040


def test_waiting_gets_end_when_gets_become_inhibited(driver: Driver) -> None:
    """Through the queue itself all of them, through an alias those that came that way."""
    direct, through = driver.app("direct"), driver.app("through")
    direct.get(direct.open("Q"), wait_ms=-1)
    through.get(through.open("ALIAS"), wait_ms=-1)
    admin = driver.app("admin")
    inhibited = [mq.MQQA_GET_INHIBITED]
    assert change(admin, admin.open("ALIAS", mq.MQOO_SET), [mq.MQIA_INHIBIT_GET], inhibited) == 0
    assert driver.woken() == ["through"] and through.connection.reason == 2016
    assert change(admin, admin.open("Q", mq.MQOO_SET), [mq.MQIA_INHIBIT_GET], inhibited) == 0
    assert driver.woken() == ["direct"] and direct.connection.reason == 2016
    driver.qm.check()


def test_puts_through_a_remote_definition_can_be_inhibited(driver: Driver) -> None:
    app = driver.app()
    remote = app.open("AWAY", mq.MQOO_SET | mq.MQOO_OUTPUT)
    assert change(app, remote, [mq.MQIA_INHIBIT_GET], [mq.MQQA_GET_INHIBITED]) == 2067
    assert change(app, remote, [mq.MQIA_INHIBIT_PUT], [mq.MQQA_PUT_INHIBITED]) == 0
    assert app.put(remote) == 2051
