"""The command server on a real queue manager: commands put to its queue, responses read back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from flintmq.client.queue_manager import QueueManager
from flintmq.command.command_server import CommandServer
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pcf import MQCFIN, MQCFST, Parameter, PCFMessage, parse
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQRC_NOT_AUTHORIZED, MQRC_Q_FULL, MQRC_UNKNOWN_OBJECT_NAME
from flintmq.qmgr.security import Authority
from tests.waiting import PATIENCE, until

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with flintmq.open(":memory:", developer=True, command_server=True) as opened:
        opened.queue("REPLIES", create=True)
        yield opened
        opened._host.engine.check()


def packed(command: int, *parameters: Parameter, big_endian: bool = False, ccsid: int = 1208) -> bytes:
    message = PCFMessage()
    message.header.command = command
    message.parameters = list(parameters)
    return message.pack(big_endian, ccsid)


def ask(qm: QueueManager, data: bytes, md: MQMD | None = None, reply_to: str = "REPLIES") -> MQMD:
    """Put a command message."""
    md = md or MQMD()
    md.msg_type = mq.MQMT_REQUEST if reply_to else mq.MQMT_DATAGRAM
    md.format = md.format or mq.MQFMT_ADMIN
    md.reply_to_q = reply_to
    od = MQOD()
    od.object_name = COMMANDS
    qm.mqi.put1(od, md, MQPMO(), data)
    return md


def one_answer(qm: QueueManager, queue: str = "REPLIES", ccsid: int = 0) -> tuple[MQMD, PCFMessage]:
    od, md, gmo = MQOD(), MQMD(), MQGMO()
    od.object_name = queue
    gmo.options, gmo.wait_interval = mq.MQGMO_WAIT, int(PATIENCE * 1000)
    if ccsid:
        gmo.options |= mq.MQGMO_CONVERT
        md.coded_char_set_id, md.encoding = ccsid, mq.MQENC_S390
    handle = qm.mqi.open(od, mq.MQOO_INPUT_SHARED)
    data = qm.mqi.get(handle, md, gmo)
    qm.mqi.close(handle)
    return md, parse(data, 0, md.encoding & mq.MQENC_INTEGER_MASK == mq.MQENC_INTEGER_NORMAL, md.coded_char_set_id)


def answers(qm: QueueManager) -> list[PCFMessage]:
    found: list[PCFMessage] = []
    while not found or found[-1].header.control == pcf.MQCFC_NOT_LAST:
        found.append(one_answer(qm)[1])
    return found


def test_a_response_answers_its_command(qm: QueueManager) -> None:
    command = MQMD()
    command.priority, command.persistence = 7, mq.MQPER_PERSISTENT
    sent = ask(qm, packed(pcf.MQCMD_PING_Q_MGR), command)
    md, response = one_answer(qm)
    assert (md.msg_type, md.format, md.correl_id) == (mq.MQMT_REPLY, mq.MQFMT_ADMIN, sent.msg_id)
    assert (md.priority, md.persistence) == (7, mq.MQPER_PERSISTENT)
    assert md.msg_id != sent.msg_id
    assert (response.header.command, response.header.control) == (pcf.MQCMD_PING_Q_MGR, pcf.MQCFC_LAST)
    until(lambda: qm.queue(COMMANDS).depth == 0)


def test_report_options_choose_the_ids(qm: QueueManager) -> None:
    command = MQMD()
    command.report = mq.MQRO_PASS_MSG_ID | mq.MQRO_PASS_CORREL_ID
    command.correl_id = b"mine".ljust(24, b"\0")
    sent = ask(qm, packed(pcf.MQCMD_PING_Q_MGR), command)
    md, _ = one_answer(qm)
    assert (md.msg_id, md.correl_id) == (sent.msg_id, command.correl_id)


def test_a_command_in_ebcdic_is_understood_and_its_response_converted(qm: QueueManager) -> None:
    command = MQMD()
    command.coded_char_set_id, command.encoding = 500, mq.MQENC_S390
    ask(
        qm,
        packed(pcf.MQCMD_INQUIRE_Q, MQCFST(mq.MQCA_Q_NAME, "DEV.QUEUE.1"), big_endian=True, ccsid=500),
        command,
    )
    md, response = one_answer(qm, ccsid=500)
    assert (md.coded_char_set_id, md.encoding & mq.MQENC_INTEGER_MASK) == (500, mq.MQENC_INTEGER_NORMAL)
    assert response.string(mq.MQCA_Q_NAME) == "DEV.QUEUE.1"


def test_it_is_seen_in_the_status_and_among_the_connections(qm: QueueManager) -> None:
    assert "CMDSERV(RUNNING)" in str(qm.mqsc("DISPLAY QMSTATUS CMDSERV"))
    assert "APPLTAG(amqpcsea)" in str(qm.mqsc("DISPLAY CONN(*) WHERE(APPLTAG EQ 'amqpcsea')"))
    qm.mqsc("ALTER QLOCAL(SYSTEM.ADMIN.COMMAND.QUEUE) GET(DISABLED)")
    until(lambda: "CMDSERV(STOPPED)" in str(qm.mqsc("DISPLAY QMSTATUS CMDSERV")))


def test_without_it_commands_stay_where_they_are() -> None:
    with flintmq.open(":memory:") as qm:
        ask(qm, packed(pcf.MQCMD_PING_Q_MGR), reply_to="")
        assert "CMDSERV(STOPPED)" in str(qm.mqsc("DISPLAY QMSTATUS CMDSERV"))
        assert qm.queue(COMMANDS).depth == 1


def test_what_is_no_command_is_answered_and_written_down_once(qm: QueueManager, tmp_path: Path) -> None:
    ask(qm, b"hello")
    first, summary = answers(qm)
    assert first.header.reason == pcf.MQRCCF_MSG_LENGTH_ERROR
    assert summary.header.reason == pcf.MQRCCF_COMMAND_FAILED
    other = MQMD()
    other.format = mq.MQFMT_STRING
    ask(qm, b"hello", other)
    assert answers(qm)[0].header.reason == pcf.MQRCCF_MD_FORMAT_ERROR


def test_what_is_no_command_and_wants_no_answer_goes_to_the_dead_letter_queue(qm: QueueManager) -> None:
    ask(qm, b"hello", reply_to="")
    dead = qm.queue("DEV.DEAD.LETTER.QUEUE").get(wait=PATIENCE)
    dlh = MQDLH.unpack(dead.data)
    assert (dlh.reason, dlh.dest_q_name) == (pcf.MQRCCF_MSG_LENGTH_ERROR, COMMANDS)
    assert dead.data.endswith(b"hello")
    ask(qm, packed(pcf.MQCMD_PING_Q_MGR))
    assert answers(qm)[0].header.reason == 0


def test_responses_that_nobody_takes_go_to_the_dead_letter_queue(qm: QueueManager) -> None:
    ask(qm, packed(pcf.MQCMD_PING_Q_MGR), reply_to="NO.SUCH.QUEUE")
    dead = MQDLH.unpack(qm.queue("DEV.DEAD.LETTER.QUEUE").get(wait=PATIENCE).data)
    assert (dead.reason, dead.dest_q_name) == (MQRC_UNKNOWN_OBJECT_NAME, "NO.SUCH.QUEUE")
    qm.mqsc("ALTER QLOCAL(REPLIES) MAXDEPTH(1)")
    ask(qm, packed(pcf.MQCMD_INQUIRE_Q, MQCFST(mq.MQCA_Q_NAME, "DEV.QUEUE.*")))
    assert one_answer(qm)[1].header.control == pcf.MQCFC_NOT_LAST
    rest = [MQDLH.unpack(qm.queue("DEV.DEAD.LETTER.QUEUE").get(wait=PATIENCE).data).reason for _ in range(2)]
    assert rest == [MQRC_Q_FULL, MQRC_Q_FULL]


def test_more_responses_than_are_put_at_once_all_arrive_in_order(qm: QueueManager) -> None:
    qm.mqsc("\n".join(f"DEFINE QLOCAL(MANY.{number:03})" for number in range(250)))
    ask(qm, packed(pcf.MQCMD_INQUIRE_Q, MQCFST(mq.MQCA_Q_NAME, "MANY.*")))
    found = answers(qm)
    assert [each.header.msg_seq_number for each in found] == list(range(1, 251))
    assert found[-1].string(mq.MQCA_Q_NAME) == "MANY.249"


class OnlyRoot(Authority):
    """Commands are for one user."""

    def may_command(self, user: str, verb: str, object_kind: str, name: str) -> bool:
        return user == "root"


def test_a_command_is_checked_against_the_user_who_put_it(qm: QueueManager) -> None:
    qm._host.engine.authority = OnlyRoot()
    local = MQCFIN(mq.MQIA_Q_TYPE, mq.MQQT_LOCAL)
    for user, reason in (("nobody", MQRC_NOT_AUTHORIZED), ("root", 0)):
        md, od, pmo = MQMD(), MQOD(), MQPMO()
        od.object_name = COMMANDS
        md.user_identifier, md.format, md.reply_to_q = user, mq.MQFMT_ADMIN, "REPLIES"
        md.msg_type = mq.MQMT_REQUEST
        pmo.options = mq.MQPMO_SET_IDENTITY_CONTEXT
        qm.mqi.put1(od, md, pmo, packed(pcf.MQCMD_CREATE_Q, MQCFST(mq.MQCA_Q_NAME, "NEW"), local))
        assert answers(qm)[0].header.reason == reason
    assert qm._host.admin.user != "nobody"


class Asked(Authority):
    """Allows everything, and remembers who wanted it."""

    def __init__(self) -> None:
        self.users: set[str] = set()

    def may_command(self, user: str, verb: str, object_kind: str, name: str) -> bool:
        self.users.add(user)
        return True

    def may_open(self, user: str, object_kind: str, name: str, options: int) -> bool:
        if name == "REPLIES" and options & mq.MQOO_OUTPUT:
            self.users.add(user)
        return True


def test_a_command_without_a_user_has_not_the_authority_of_the_queue_manager(qm: QueueManager) -> None:
    """A blank user is the queue manager itself, to whom everything is allowed."""
    asked = Asked()
    qm._host.engine.authority = asked
    md, od, pmo = MQMD(), MQOD(), MQPMO()
    od.object_name, md.format, md.reply_to_q, md.msg_type = COMMANDS, mq.MQFMT_ADMIN, "REPLIES", mq.MQMT_REQUEST
    pmo.options = mq.MQPMO_NO_CONTEXT
    qm.mqi.put1(od, md, pmo, packed(pcf.MQCMD_PING_Q_MGR))
    assert answers(qm)[0].header.reason == 0
    assert asked.users == {"nobody"}


def test_a_definition_is_durable_when_the_response_arrives(tmp_path: Path) -> None:
    with flintmq.open(tmp_path / "QM1", command_server=True) as qm:
        qm.queue("REPLIES", create=True)
        local = MQCFIN(mq.MQIA_Q_TYPE, mq.MQQT_LOCAL)
        ask(qm, packed(pcf.MQCMD_CREATE_Q, MQCFST(mq.MQCA_Q_NAME, "NEW"), local))
        assert answers(qm)[0].header.reason == 0
        log = qm._host.log
        assert log.durable == log.end


def test_a_command_whose_answer_was_not_put_is_carried_out_again_but_not_a_third_time() -> None:
    """C1: the server is dropped in the middle, as by a crash, twice."""
    with flintmq.open(":memory:", developer=True) as qm:
        qm.queue("REPLIES", create=True)
        ask(qm, packed(pcf.MQCMD_PING_Q_MGR))
        host = qm._host
        for attempt in range(2):
            server = CommandServer(host.engine, host.admin)
            with host.call:
                assert server.start() == 0
                work = server.take()
                assert work is not None
                assert work.md.backout_count == attempt
                server.run(work)
                server.stop()
                server.answer(work)
            assert work.answered
            assert (qm.queue(COMMANDS).depth, qm.queue("REPLIES").depth) == (1, 0)
        with host.call:
            assert server.start() == 0
            work = server.take()
            assert work is not None
            server.run(work)
            server.answer(work)
        assert qm.queue(COMMANDS).depth == 0
        dead = MQDLH.unpack(qm.queue("DEV.DEAD.LETTER.QUEUE").get().data)
        assert (dead.reason, dead.dest_q_name) == (pcf.MQRCCF_UNEXPECTED_ERROR, COMMANDS)
        host.engine.check()
