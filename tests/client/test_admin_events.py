"""Configuration, command, authority and logger events, read by PCF."""

from __future__ import annotations

from pathlib import Path

import flintmq
from flintmq.client.queue_manager import QueueManager
from flintmq.log import LogConfig
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pcf import MQCFGR, MQCFIN, MQCFST, PCFMessage, parse
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.security import Authority
from tests.waiting import PATIENCE

CONFIG = "SYSTEM.ADMIN.CONFIG.EVENT"
COMMAND = "SYSTEM.ADMIN.COMMAND.EVENT"


def events(qm: QueueManager, name: str) -> list[PCFMessage]:
    """What is on an event queue."""
    found: list[PCFMessage] = []
    queue = qm.queue(name)
    while queue.depth:
        event = parse(queue.get().data)
        assert (event.header.type, event.header.comp_code) == (pcf.MQCFT_EVENT, 1)
        found.append(event)
    return found


def group(event: PCFMessage, number: int) -> PCFMessage:
    found = event.find(number)
    assert isinstance(found, MQCFGR)
    inside = PCFMessage()
    inside.parameters = found.parameters
    return inside


def test_what_is_defined_altered_and_deleted_is_told_with_every_attribute() -> None:
    with flintmq.open(":memory:") as qm:
        qm.mqsc("ALTER QMGR CONFIGEV(ENABLED)")
        events(qm, CONFIG)
        qm.mqsc(
            "DEFINE QLOCAL(Q) MAXDEPTH(7)\nALTER QLOCAL(Q) MAXDEPTH(8)\nALTER QLOCAL(Q) MAXDEPTH(8)\nDELETE QLOCAL(Q)"
        )
        created, before, after, deleted = events(qm, CONFIG)
        assert [each.header.reason for each in (created, before, after, deleted)] == [2367, 2368, 2368, 2369]
        assert {each.header.command for each in (created, before, after, deleted)} == {pcf.MQCMD_CONFIG_EVENT}
        assert (before.header.msg_seq_number, before.header.control) == (1, pcf.MQCFC_NOT_LAST)
        assert (after.header.msg_seq_number, after.header.control) == (2, pcf.MQCFC_LAST)
        assert [each.integer(mq.MQIA_MAX_Q_DEPTH) for each in (created, before, after, deleted)] == [7, 7, 8, 8]
        assert created.integer(pcf.MQIACF_OBJECT_TYPE) == mq.MQOT_Q
        assert created.string(mq.MQCA_Q_NAME) == "Q"
        assert created.integer(mq.MQIA_Q_TYPE) == mq.MQQT_LOCAL
        assert created.integer(pcf.MQIACF_EVENT_ORIGIN) == pcf.MQEVO_CONSOLE
        assert created.string(pcf.MQCACF_EVENT_Q_MGR) == "MEMORY"
        assert created.string(pcf.MQCACF_EVENT_USER_ID) == qm._host.admin.user


def test_the_two_events_of_a_change_have_one_correlation_id() -> None:
    with flintmq.open(":memory:") as qm:
        qm.mqsc("ALTER QMGR CONFIGEV(ENABLED)")
        before, after = qm.queue(CONFIG).get(), qm.queue(CONFIG).get()
        assert before.correlation_id == after.correlation_id != bytes(24)


def test_mqset_is_told_as_such_and_secrets_are_not() -> None:
    with flintmq.open(":memory:") as qm:
        qm.queue("Q", create=True)
        qm.mqsc("ALTER QMGR CONFIGEV(ENABLED) KEYRPWD('hunter2')")
        assert "hunter2" not in repr(events(qm, CONFIG))
        od = MQOD()
        od.object_name = "Q"
        handle = qm.mqi.open(od, mq.MQOO_SET)
        qm.mqi.set(handle, [mq.MQIA_INHIBIT_PUT], [mq.MQQA_PUT_INHIBITED])
        qm.mqi.close(handle)
        assert [each.integer(pcf.MQIACF_EVENT_ORIGIN) for each in events(qm, CONFIG)] == [pcf.MQEVO_MQSET] * 2


def test_an_mqsc_command_is_told_with_its_text() -> None:
    with flintmq.open(":memory:") as qm:
        qm.mqsc("ALTER QMGR CMDEV(ENABLED)")
        qm.mqsc("DEFINE QLOCAL(Q)")
        qm.mqsc("DISPLAY QLOCAL(Q)")
        qm.mqsc("DEFINE QLOCAL(Q)", check=False)
        switched, defined, shown = events(qm, COMMAND)
        assert {each.header.reason for each in (switched, defined, shown)} == {2412}
        context = group(defined, pcf.MQGACF_COMMAND_CONTEXT)
        assert context.integer(pcf.MQIACF_COMMAND) == pcf.MQCMD_CREATE_Q
        assert context.integer(pcf.MQIACF_EVENT_ORIGIN) == pcf.MQEVO_CONSOLE
        assert group(defined, pcf.MQGACF_COMMAND_DATA).string(pcf.MQCACF_COMMAND_MQSC) == "DEFINE QLOCAL(Q)"
        qm.mqsc("ALTER QMGR CMDEV(NODISPLAY) KEYRPWD('hunter2')")
        qm.mqsc("DISPLAY QLOCAL(Q)")
        (last,) = events(qm, COMMAND)
        assert "hunter2" not in repr(last)


def test_a_pcf_command_is_told_with_its_parameters_and_who_sent_it() -> None:
    with flintmq.open(":memory:", command_server=True, application="the monitor") as qm:
        qm.queue("REPLIES", create=True)
        qm.mqsc("ALTER QMGR CMDEV(ENABLED) CONFIGEV(ENABLED)")
        events(qm, COMMAND), events(qm, CONFIG)
        md, od, command = MQMD(), MQOD(), PCFMessage()
        od.object_name, md.reply_to_q, md.format = "SYSTEM.ADMIN.COMMAND.QUEUE", "REPLIES", mq.MQFMT_ADMIN
        md.msg_type = mq.MQMT_REQUEST
        command.header.command = pcf.MQCMD_CREATE_Q
        command.parameters = [MQCFST(mq.MQCA_Q_NAME, "NEW"), MQCFIN(mq.MQIA_Q_TYPE, mq.MQQT_LOCAL)]
        qm.mqi.put1(od, md, MQPMO(), command.pack())
        qm.queue("REPLIES").get(wait=PATIENCE)
        (told,) = events(qm, COMMAND)
        assert told.header.reason == 2413
        assert group(told, pcf.MQGACF_COMMAND_DATA).string(mq.MQCA_Q_NAME) == "NEW"
        context = group(told, pcf.MQGACF_COMMAND_CONTEXT)
        assert context.integer(pcf.MQIACF_EVENT_ORIGIN) == pcf.MQEVO_MSG
        assert context.string(pcf.MQCACF_EVENT_APPL_NAME) == "the monitor"
        (created,) = events(qm, CONFIG)
        assert created.integer(pcf.MQIACF_EVENT_ORIGIN) == pcf.MQEVO_MSG


class Nobody(Authority):
    """No command is allowed."""

    def may_command(self, user: str, verb: str, object_kind: str, name: str) -> bool:
        return False


def test_a_command_that_is_refused_makes_an_authority_event() -> None:
    with flintmq.open(":memory:") as qm:
        qm.mqsc("ALTER QMGR AUTHOREV(ENABLED)")
        events(qm, "SYSTEM.ADMIN.QMGR.EVENT")
        qm._host.engine.authority = Nobody()
        qm.mqsc("CLEAR QLOCAL(SYSTEM.DEAD.LETTER.QUEUE)", check=False)
        (refused,) = events(qm, "SYSTEM.ADMIN.QMGR.EVENT")
        assert refused.header.reason == 2035
        assert refused.integer(pcf.MQIACF_REASON_QUALIFIER) == pcf.MQRQ_CMD_NOT_AUTHORIZED
        assert refused.integer(pcf.MQIACF_COMMAND) == pcf.MQCMD_CLEAR_Q


def test_a_new_extent_of_a_linear_log_is_told(tmp_path: Path) -> None:
    log = LogConfig(linear=True)
    with flintmq.open(tmp_path / "QM1", log=log) as qm:
        qm.mqsc("ALTER QMGR LOGGEREV(ENABLED)\nRESET QMGR TYPE(ADVANCELOG)")
        (told,) = events(qm, "SYSTEM.ADMIN.LOGGER.EVENT")
        assert (told.header.reason, told.header.command) == (2411, pcf.MQCMD_LOGGER_EVENT)
        extent = qm.mqsc("DISPLAY QMSTATUS CURRLOG").rows[0]["CURRLOG"]
        assert told.string(pcf.MQCACF_CURRENT_LOG_EXTENT_NAME) == extent
        assert told.string(pcf.MQCACF_LOG_PATH)
        qm.mqsc("RESET QMGR TYPE(ADVANCELOG)")
        assert len(events(qm, "SYSTEM.ADMIN.LOGGER.EVENT")) <= 1


def test_circular_logging_has_no_logger_events(tmp_path: Path) -> None:
    with flintmq.open(tmp_path / "QM1") as qm:
        qm.mqsc("ALTER QMGR LOGGEREV(ENABLED)\nARCHIVE LOG")
        assert events(qm, "SYSTEM.ADMIN.LOGGER.EVENT") == []
