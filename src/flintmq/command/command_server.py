"""The command server: takes PCF commands from SYSTEM.ADMIN.COMMAND.QUEUE and sends the responses to their ReplyToQ.

Like the engine it never waits. Its owner drives it, under the engine's lock:

    take()       the next command, or None: there is none, and the owner will be woken (`Host.parked`)
    run(work)    carry some of it out (steps.py); again until `work.done`. Returns the log position that must be durable
                 before any requester hears of it
    answer(work) put some of the responses; again until `work.answered`

    C1  A command leaves the queue in one unit of work with the last of its responses. After a crash in between it is
        carried out again: nothing is lost. A command that was the last thing the queue manager did twice is not tried a
        third time; it goes to the dead-letter queue.
    C2  It is carried out with the authority of its UserIdentifier, and its responses are put with that authority. A
        message without one (MQPMO_NO_CONTEXT) is from `nobody`: blank is the queue manager itself, with full
        authority. A response that its user may not put is discarded, and not put on the dead-letter queue
        (qmgr/on_behalf.py).
    C3  Every faulty message ends in a response, or on the dead-letter queue if there is no ReplyToQ, and in one line of
        the error log. The next command is not held up.

Responses: MQADMIN in the queue manager's encoding and CCSID (a get with MQGMO_CONVERT converts them); persistence and
priority of the command; CorrelId the MsgId of the command unless its report options say otherwise.
"""

from __future__ import annotations

from flintmq.command import pcf_execute
from flintmq.command.messages import MESSAGES
from flintmq.command.pcf_execute import Outcome
from flintmq.command.pcf_reply import refusal
from flintmq.command.steps import Steps
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.errors import StructureError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD, NO_ID
from flintmq.mqi.od import MQOD
from flintmq.mqi.pcf import PCFMessage
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_PERSISTENT_NOT_ALLOWED,
    reason_name,
)
from flintmq.qmgr.calls import Admin, Calls, context_user
from flintmq.qmgr.connection import WAITING, Connection, Handle

COMMAND_QUEUE = "SYSTEM.ADMIN.COMMAND.QUEUE"
APPLICATION = "amqpcsea"
#: How many responses are put before others have their turn.
RESPONSES_AT_ONCE = 100
#: A command that was backed out this often is not tried again.
_TRIES_MAX = 2
#: Stands for a response that was put: to free very many at once takes too long for one turn.
_WAS_PUT = PCFMessage()
_UTF_8 = 1208
_BIG_ENDIAN = mq.MQENC_INTEGER_NORMAL


class Work:
    """One command message, and its responses that are still to be put."""

    def __init__(self, md: MQMD, data: bytes) -> None:
        self.md = md
        self.data = data
        self.outcome = Outcome()
        #: The command, while it is carried out.
        self.steps: Steps[Outcome] | None = None
        #: It was carried out; `outcome` has the responses.
        self.done = False
        self.put = 0
        #: Why responses could not be put where they should; told once.
        self.refused = MQRC_NONE

    @property
    def answered(self) -> bool:
        return self.put > len(self.outcome.responses)


class CommandServer:
    """The command server of one queue manager. Every method is called under the engine's lock."""

    def __init__(self, qm: Calls, admin: Admin) -> None:
        self._qm = qm
        self._admin = admin
        self.connection: Connection | None = None
        self._handle: Handle | None = None
        self._md = MQMD()
        self._waits = False

    @property
    def running(self) -> bool:
        connection = self.connection
        return connection is not None and connection.connected

    def start(self) -> int:
        """Open the command queue. The reason why that was not possible, which is also in the error log."""
        if self.running:
            return MQRC_NONE
        qm = self._qm
        reason, connection = qm.connect(APPLICATION, self._admin.user, mq.MQAT_QMGR)
        if connection is not None:
            od = MQOD()
            od.object_name = COMMAND_QUEUE
            self._handle = qm.open(connection, od, mq.MQOO_INPUT_SHARED)
            reason = connection.reason
        if connection is None or self._handle is None:
            if connection is not None:
                qm.abandon(connection)
            self._say("AMQ8506E", queue=COMMAND_QUEUE, reason=_named(reason))
            return reason
        self.connection = qm.command_server = connection
        self._waits = False
        self._say("AMQ5022I")
        return MQRC_NONE

    def stop(self, why: str = "") -> None:
        """Take no more commands."""
        connection, self.connection = self.connection, None
        self._qm.command_server = None
        if connection is None:
            return
        if connection.connected:
            self._qm.abandon(connection)
        self._say("AMQ5023I", why=why)

    def _say(self, number: str, **inserts: str) -> None:
        """Write one line to the error log."""
        self._qm.notice(number, MESSAGES[number].format(**inserts))

    # -- one command --------------------------------------------------------------------------------------------------

    def take(self) -> Work | None:
        """Take the next command. None: wait to be woken; if the server is no longer `running`, stop."""
        connection, handle = self.connection, self._handle
        if connection is None or handle is None or not connection.connected:
            self.stop()
            return None
        if self._waits:
            if connection.waiter is not None:
                return None
            self._waits = False
            reason = connection.reason
        else:
            self._md = MQMD()
            self._md.version = 2
            gmo = MQGMO()
            gmo.options = mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT
            gmo.wait_interval = mq.MQWI_UNLIMITED
            reason = self._qm.get(connection, handle, self._md, gmo)
            if reason == WAITING:
                self._waits = True
                return None
        if reason:
            self.stop(f": {COMMAND_QUEUE} cannot be read, {_named(reason)}")
            return None
        return Work(self._md, connection.data)

    def run(self, work: Work) -> int:
        """Carry out a slice of a command; the log position that must be durable before it is answered."""
        md, steps = work.md, work.steps
        if steps is None:
            work.done = self._is_refused(work)
            if work.done:
                return 0
            big_endian = md.encoding & mq.MQENC_INTEGER_MASK == _BIG_ENDIAN
            steps = pcf_execute.run_steps(work.data, big_endian, md.coded_char_set_id, self._admin)
            work.steps = steps
        user, self._admin.user = self._admin.user, _issuer(md)
        self._admin.context = md
        try:
            next(steps)
        except StopIteration as end:
            work.outcome, work.done, work.steps = end.value, True, None
        finally:
            self._admin.user, self._admin.context = user, None
        return self._qm.log.end if work.done and work.outcome.changed else 0

    def _is_refused(self, work: Work) -> bool:
        """Return whether the descriptor of a message forbids that it is carried out."""
        md = work.md
        if md.backout_count >= _TRIES_MAX:
            work.outcome = Outcome(reason=pcf.MQRCCF_UNEXPECTED_ERROR, unreadable="the queue manager ended in it twice")
            return True
        if md.format != mq.MQFMT_ADMIN:
            why = f"its format is '{md.format}', not MQADMIN"
            work.outcome = Outcome(refusal(0, pcf.MQRCCF_MD_FORMAT_ERROR), 0, pcf.MQRCCF_MD_FORMAT_ERROR, why)
            return True
        return False

    def answer(self, work: Work) -> int:
        """Put some responses; with the last one the command leaves the queue. Return the log position of the puts."""
        connection = self.connection
        if connection is None or not connection.connected:
            work.put = len(work.outcome.responses) + 1  # Backed out with the connection: it will be run again.
            return 0
        responses = work.outcome.responses
        for response in responses[work.put : work.put + RESPONSES_AT_ONCE]:
            if self._is_answerable(work):
                self._respond(connection, work, response)
            responses[work.put] = _WAS_PUT
            work.put += 1
        if work.put < len(responses):
            return 0
        if work.outcome.unreadable:
            self._unreadable(connection, work)
        if work.refused:
            self._tell_refused(work)
        self._qm.commit(connection)
        work.put = len(responses) + 1
        return connection.force

    def _is_answerable(self, work: Work) -> bool:
        return bool(work.md.reply_to_q) and bool(work.outcome.responses)

    def _unreadable(self, connection: Connection, work: Work) -> None:
        """Report a message that is no PCF command (C3): one line, and the dead-letter queue if it has no ReplyToQ."""
        qm, md, outcome = self._qm, work.md, work.outcome
        told = f"It was answered to {md.reply_to_q}."
        if not self._is_answerable(work) or work.refused:
            reason = qm.dead_letter(connection, work.data, md, COMMAND_QUEUE, qm.name, outcome.reason, True)
            told = "It was put on the dead-letter queue."
            if reason:
                told = f"It was discarded: the dead-letter queue did not take it, {_named(reason)}."
        self._say(
            "AMQ8507W",
            queue=COMMAND_QUEUE,
            application=md.put_appl_name.strip() or "an application",
            user=md.user_identifier.strip() or "unknown",
            why=outcome.unreadable,
            reason=_named(outcome.reason),
            told=told,
        )

    def _tell_refused(self, work: Work) -> None:
        self._say(
            "AMQ8509W",
            command=str(work.outcome.command),
            queue=work.md.reply_to_q,
            q_mgr=work.md.reply_to_q_mgr or self._qm.name,
            reason=_named(work.refused),
        )

    # -- responses ----------------------------------------------------------------------------------------------------

    def _respond(self, connection: Connection, work: Work, response: PCFMessage) -> None:
        qm, command = self._qm, work.md
        data, ccsid = _packed(response, qm.ccsid)
        md = self._descriptor(command, ccsid)
        od = MQOD()
        od.version = 3
        od.object_name = command.reply_to_q
        od.object_q_mgr_name = command.reply_to_q_mgr
        od.alternate_user_id = _issuer(command)
        pmo = MQPMO()
        pmo.options = mq.MQPMO_SYNCPOINT | mq.MQPMO_ALTERNATE_USER_AUTHORITY
        reason = qm.put1(connection, od, md, pmo, data)
        if reason == MQRC_PERSISTENT_NOT_ALLOWED:
            md.persistence = mq.MQPER_NOT_PERSISTENT
            reason = qm.put1(connection, od, md, pmo, data)
        if reason:
            work.refused = work.refused or reason
        if reason and reason != MQRC_NOT_AUTHORIZED:
            qm.dead_letter(connection, data, md, command.reply_to_q, command.reply_to_q_mgr or qm.name, reason, True)

    def _descriptor(self, command: MQMD, ccsid: int) -> MQMD:
        md = MQMD()
        md.version = 2
        md.msg_type = mq.MQMT_REPLY
        md.format = mq.MQFMT_ADMIN
        md.encoding = mq.MQENC_NATIVE
        md.coded_char_set_id = ccsid
        md.priority = command.priority
        md.persistence = command.persistence
        md.msg_id = command.msg_id if command.report & mq.MQRO_PASS_MSG_ID else NO_ID
        md.correl_id = command.correl_id if command.report & mq.MQRO_PASS_CORREL_ID else command.msg_id
        if command.report & mq.MQRO_PASS_DISCARD_AND_EXPIRY:
            md.report = command.report & mq.MQRO_DISCARD_MSG
            md.expiry = command.expiry
        return md


def _issuer(command: MQMD) -> str:
    """Return the user that gives a command its authority (C2)."""
    return context_user(command.user_identifier)


def _named(reason: int) -> str:
    return f"{reason_name(reason)} {reason}"


def _packed(response: PCFMessage, ccsid: int) -> tuple[bytes, int]:
    """Pack a response in the queue manager's CCSID, or in UTF-8 if that lacks a character; return bytes and CCSID."""
    try:
        return response.pack(False, ccsid), ccsid
    except (StructureError, UnicodeEncodeError):
        return response.pack(False, _UTF_8), _UTF_8
