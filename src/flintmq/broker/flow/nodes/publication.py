"""The Publication node: publishes on the topics of the queue manager, and takes commands of publish/subscribe.

    Command of MQRFH2.psc           action of the node
    none, Publish                   publishes on each topic of Properties.Topic and psc.Topic, and answers if asked
    Publish with OtherSubsOnly      puts the message to the control queue of the queue manager: it knows the publisher
    RegSub, DeregSub, ReqUpdate,    puts the command to the control queue as it came, with the context of its author;
    DeletePub, anything else        the queue manager carries it out and answers

All of it belongs to the unit of work of the flow. A publication belongs to the subscription point of the node, or to
that of its psc folder if the node names none: point X is the topic root X (queued.py in the queue manager).

An answer is wanted by a request, and by MQRO_PAN and MQRO_NAN. Topics that the queue manager refuses are named in it,
and the others are published; if no answer was asked for, a refused topic raises an exception (7017).

Authority to publish is that of the user of the message, as far as the broker may act for other users.
"""

from __future__ import annotations

from typing import Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation, RuntimeNode, runs
from flintmq.broker.flow.services import Publication, Put
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Element, Step, find_all, walk
from flintmq.broker.tree.message_writer import write_message
from flintmq.mqi import constants as mq
from flintmq.mqi.folders import escape
from flintmq.mqi.md import MQMD
from flintmq.mqi.pcf_constants import MQRCCF_NOT_AUTHORIZED, MQRCCF_PUB_OPTIONS_ERROR, MQRCCF_TOPIC_ERROR
from flintmq.mqi.reason import MQRC_NOT_AUTHORIZED
from flintmq.mqi.rfh2 import MQRFH2

CONTROL_QUEUE: Final = "SYSTEM.BROKER.CONTROL.QUEUE"
_OPTIONS: Final = frozenset(("RetainPub", "IsRetainedPub", "Local", "OtherSubsOnly", "NoReg", "None"))


@runs
class PublicationNode(RuntimeNode):
    """Publication: publishes the message on the topics that Properties or the MQRFH2 name."""

    types = ("ComIbmPublication.msgnode",)

    def prepare(self) -> None:
        self.point = self.text("subscriptionPoint").strip()

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        message = assembly.message
        psc = walk(message, [Step("MQRFH2"), Step("psc")])
        command = "" if psc is None else str(psc.get("Command") or "")
        options = _texts(psc, "PubOpt")
        md, data = write_message(message, models=self.flow.models, switches=self.flow.switches)
        if command not in ("", "Publish") or command and "OtherSubsOnly" in options:
            put = Put(self.label, CONTROL_QUEUE, "", md, data, message, invocation.transactional, context="passAll")
            invocation.services.put(put)
            self.send("out", invocation, assembly)
            return
        topics = _texts(message.child("Properties"), "Topic")
        topics += [topic for topic in _texts(psc, "Topic") if topic not in topics]
        if not topics:
            raise BrokerError(
                7017, "the message names no topic: set Properties.Topic or MQRFH2.psc.Topic", inserts=(self.label,)
            )
        point = self.point or str((psc.get("SubPoint") if psc is not None else "") or "")
        matched, refused = self._publish(invocation, message, md, data, topics, point, options, bool(command))
        if command:
            self._answer(invocation, message, md, refused, len(refused) < len(topics))
        self.send("out" if matched or not self.wired("noMatch") else "noMatch", invocation, assembly)

    def _publish(
        self,
        invocation: Invocation,
        message: Element,
        md: MQMD,
        data: bytes,
        topics: list[str],
        point: str,
        options: list[str],
        is_command: bool,
    ) -> tuple[bool, list[tuple[int, str, str]]]:
        """Publish on each topic. Return whether a subscription matched, and each refusal: reason, name, value."""
        matched = False
        refused: list[tuple[int, str, str]] = []
        answered = is_command and _is_answered(md, True)
        unknown = [each for each in options if each not in _OPTIONS]
        if is_command and unknown:
            if not answered:
                raise self.entry(7017, f"{unknown[0]!r} is no publication option (PubOpt)")
            return False, [(MQRCCF_PUB_OPTIONS_ERROR, "PubOpt", unknown[0])] * len(topics)
        for topic in topics:
            publication = Publication(
                self.label,
                [f"{point}/{topic}" if point else topic],
                _of_publication(md) if is_command else md,
                data,
                message,
                point,
                "RetainPub" in options,
                invocation.transactional,
                self.ends_flow and not answered and not invocation.propagating and invocation.group is None,
            )
            if is_command and ("+" in topic.split("/") or "#" in topic.split("/")):
                if not answered:
                    raise self.entry(7017, f"nothing can be published on {topic!r}: it has a wildcard")
                refused.append((MQRCCF_TOPIC_ERROR, "Topic", topic))
                continue
            try:
                matched = invocation.services.publish(publication) or matched
            except BrokerError as error:
                if not answered:
                    raise
                refused.append((_reason(error), "Topic", topic))
        return matched, refused

    def _answer(
        self,
        invocation: Invocation,
        message: Element,
        md: MQMD,
        refused: list[tuple[int, str, str]],
        some_published: bool,
    ) -> None:
        """Answer a publisher that wants an answer, with the authority of the publisher."""
        if not _is_answered(md, bool(refused)):
            return
        completion = "ok" if not refused else "warning" if some_published else "error"
        text = f"<pscr><Completion>{completion}</Completion>"
        for reason, name, value in refused:
            text += f"<Response><Reason>{reason}</Reason><{name}>{escape(value)}</{name}></Response>"
        reply, data = answer_to(md, text + "</pscr>")
        put = Put(
            self.label,
            md.reply_to_q.strip(),
            md.reply_to_q_mgr.strip(),
            reply,
            data,
            message,
            invocation.transactional,
            context="default",
            alternate_user=True,
            may_be_lost=True,
        )
        invocation.services.put(put)


def answer_to(md: MQMD, folder: str) -> tuple[MQMD, bytes]:
    """Return descriptor and data of the answer to a command: a `pscr` folder, in the name of the command's user."""
    reply = MQMD()
    reply.version = 2
    reply.msg_type = mq.MQMT_REPLY
    reply.format = mq.MQFMT_RF_HEADER_2
    reply.coded_char_set_id = 1208
    reply.persistence, reply.priority = md.persistence, md.priority
    reply.msg_id = md.msg_id if md.report & mq.MQRO_PASS_MSG_ID else bytes(24)
    reply.correl_id = md.correl_id if md.report & mq.MQRO_PASS_CORREL_ID else md.msg_id
    reply.user_identifier = md.user_identifier
    header = MQRFH2()
    header.folders = [folder]
    return reply, header.pack(False, 1208)


def _texts(folder: Element | None, name: str) -> list[str]:
    """Return the values of the children of a name."""
    found = [] if folder is None else find_all(folder, Step(name))
    return [str(each.value) for each in found if each.value not in (None, "")]


def _is_answered(md: MQMD, failed: bool) -> bool:
    wanted = md.msg_type == mq.MQMT_REQUEST or md.report & (mq.MQRO_NAN if failed else mq.MQRO_PAN)
    return bool(wanted and md.reply_to_q.strip())


def _reason(error: BrokerError) -> int:
    """Return the reason of an answer for a publish that failed."""
    code = next((each for each in reversed(error.inserts) if isinstance(each, int)), 0)
    return MQRCCF_NOT_AUTHORIZED if code == MQRC_NOT_AUTHORIZED else code or MQRCCF_TOPIC_ERROR


def _of_publication(md: MQMD) -> MQMD:
    """Return the descriptor of a publication that was a command: it asks for no answer any more."""
    found = md.copy()
    found.msg_type, found.report = mq.MQMT_DATAGRAM, 0
    found.reply_to_q = found.reply_to_q_mgr = ""
    return found
