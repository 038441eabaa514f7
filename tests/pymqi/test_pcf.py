"""PCFExecute: commands go to the command server of the queue manager, in this process and over a channel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flintmq import pymqi
from flintmq.pymqi import CMQC, CMQCFC
from tests.waiting import PATIENCE


@pytest.fixture
def pcf(qmgr: pymqi.QueueManager) -> Iterator[pymqi.PCFExecute]:
    made = pymqi.PCFExecute(qmgr, response_wait_interval=int(PATIENCE * 1000))
    yield made
    made.disconnect()


def define(pcf: pymqi.PCFExecute, name: bytes) -> None:
    described = {CMQC.MQIA_Q_TYPE: CMQC.MQQT_LOCAL, CMQC.MQIA_MAX_Q_DEPTH: 7, CMQC.MQCA_Q_DESC: "Mine alone"}
    pcf.MQCMD_CREATE_Q({CMQC.MQCA_Q_NAME: name, **described})


def test_a_queue_is_defined_shown_and_deleted(pcf: pymqi.PCFExecute) -> None:
    define(pcf, b"MINE")
    (found,) = pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: "MINE", CMQCFC.MQIACF_Q_ATTRS: CMQC.MQIA_MAX_Q_DEPTH})
    assert found[CMQC.MQCA_Q_NAME].strip() == b"MINE" and found[CMQC.MQIA_MAX_Q_DEPTH] == 7
    pcf.MQCMD_DELETE_Q([pymqi.CFST(Parameter=CMQC.MQCA_Q_NAME, String=b"MINE")])
    with pytest.raises(pymqi.MQMIError, match="MQRC_UNKNOWN_OBJECT_NAME"):
        pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: b"MINE"})


def test_an_inquiry_returns_a_dictionary_for_each_object(pcf: pymqi.PCFExecute) -> None:
    found = pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: b"DEV.QUEUE.*", CMQC.MQIA_Q_TYPE: CMQC.MQQT_LOCAL})
    assert sorted(each[CMQC.MQCA_Q_NAME].strip() for each in found) == [b"DEV.QUEUE.1", b"DEV.QUEUE.2", b"DEV.QUEUE.3"]
    assert pymqi.PCFExecute.stringify_keys(found[0])["MQIA_Q_TYPE"] == CMQC.MQQT_LOCAL


def test_filters_choose(pcf: pymqi.PCFExecute) -> None:
    define(pcf, b"MINE")
    shallow = pymqi.Filter(CMQC.MQIA_MAX_Q_DEPTH).less(8)
    found = pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: b"*"}, [shallow])
    assert [each[CMQC.MQCA_Q_NAME].strip() for each in found] == [b"MINE"]
    named = pymqi.CFSF(Parameter=CMQC.MQCA_Q_DESC, Operator=CMQCFC.MQCFOP_LIKE, FilterValue=b"Mine*")
    assert len(pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: b"*"}, [named])) == 1


def test_a_type_chooses_also_when_few_attributes_are_asked_for(pcf: pymqi.PCFExecute) -> None:
    asked = {CMQC.MQCA_AUTH_INFO_NAME: b"SYSTEM.*", CMQC.MQIA_AUTH_INFO_TYPE: CMQC.MQAIT_IDPW_OS}
    (found,) = pcf.MQCMD_INQUIRE_AUTH_INFO({**asked, CMQCFC.MQIACF_AUTH_INFO_ATTRS: [CMQC.MQIA_CHECK_CLIENT_BINDING]})
    assert found[CMQC.MQIA_CHECK_CLIENT_BINDING] == CMQCFC.MQCHK_REQUIRED_ADMIN
    assert found[CMQC.MQIA_AUTH_INFO_TYPE] == CMQC.MQAIT_IDPW_OS


def test_lists_of_names_go_and_come(pcf: pymqi.PCFExecute) -> None:
    pcf.MQCMD_CREATE_NAMELIST({CMQC.MQCA_NAMELIST_NAME: b"NAMES", CMQC.MQCA_NAMES: [b"ONE", "TWO"]})
    (found,) = pcf.MQCMD_INQUIRE_NAMELIST({CMQC.MQCA_NAMELIST_NAME: b"NAMES"})
    assert [name.strip(b"\0 ") for name in found[CMQC.MQCA_NAMES]] == [b"ONE", b"TWO"]


def test_one_string_is_a_list_of_one(pcf: pymqi.PCFExecute) -> None:
    record = {CMQCFC.MQCACH_CHANNEL_NAME: b"MINE", CMQCFC.MQIACF_CHLAUTH_TYPE: CMQCFC.MQCAUT_BLOCKUSER}
    pcf.MQCMD_SET_CHLAUTH_REC({**record, CMQCFC.MQCACH_MCA_USER_ID_LIST: b"nobody"})
    (found,) = pcf.MQCMD_INQUIRE_CHLAUTH_RECS({CMQCFC.MQCACH_CHANNEL_NAME: b"MINE"})
    assert [user.strip(b"\0 ") for user in found[CMQCFC.MQCACH_MCA_USER_ID_LIST]] == [b"nobody"]


def test_a_ping_is_answered_with_nothing(pcf: pymqi.PCFExecute) -> None:
    assert pcf.MQCMD_PING_Q_MGR() == [{}]
    assert pcf.CMQCFC.MQCMD_PING_Q_MGR() == [{}]


def test_a_command_that_fails_raises_its_reason(pcf: pymqi.PCFExecute) -> None:
    define(pcf, b"MINE")
    with pytest.raises(pymqi.MQMIError, match="MQRCCF_OBJECT_ALREADY_EXISTS"):
        define(pcf, b"MINE")
    with pytest.raises(KeyError):
        pcf.MQCMD_NO_SUCH_COMMAND()
    with pytest.raises(TypeError, match="parameter 2016 is object"):
        pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: object()})


def test_the_reply_queue_is_closed_and_the_connection_stays(qmgr: pymqi.QueueManager) -> None:
    pcf = pymqi.PCFExecute(qmgr, response_wait_interval=500)
    assert pcf.reply_queue_name is not None and pcf.reply_queue_name.startswith(b"PYMQPCF.")
    assert (pcf.response_wait_interval, pcf.convert, pcf.command_queue_name) == (
        500,
        False,
        b"SYSTEM.ADMIN.COMMAND.QUEUE",
    )
    pcf.disconnect()
    assert pcf.reply_queue is None and qmgr.is_connected
    with pytest.raises(pymqi.PYIFError, match="not connected"):
        pcf.MQCMD_PING_Q_MGR()


def test_nobody_answers_on_another_queue(qmgr: pymqi.QueueManager) -> None:
    pcf = pymqi.PCFExecute(qmgr, command_queue_name=b"DEV.QUEUE.1", response_wait_interval=100)
    with pytest.raises(pymqi.MQMIError, match="MQRC_NO_MSG_AVAILABLE"):
        pcf.MQCMD_PING_Q_MGR()
