"""The queued publish/subscribe interface: commands in an MQRFH2 on a queue, answers in another.

A message on one of the queues (QUEUED in queue.py) that has a psc folder is a command. With PSMODE(ENABLED) it is
carried out when it arrives, or when the unit of work that put it is committed; a start looks for those that were left.
Getting the command, what it publishes and its answer are one unit of work of the queue manager's own, so nothing of it
is lost or doubled.

    Command     does                                          needs       may have
    RegSub      subscribe, or change a subscription           Topic       QName, QMgrName, Filter, RegOpt, SubName,
                                                                          SubUserData
    DeregSub    end subscriptions                             Topic       QName, QMgrName, Filter, RegOpt, SubName
    Publish     publish the data that follows the header      Topic       PubOpt, QName, QMgrName
    ReqUpdate   send retained publications                    one Topic   QName, QMgrName, Filter, RegOpt, SubName
    DeletePub   remove retained publications                  Topic       DelOpt

A subscription of this interface goes to QName of QMgrName, else to the ReplyToQ of the command. It is known by SubName,
else by its queue, its correlation id with CorrelAsId, its topic and its filter (`identity`). It is durable, unless its
queue is a temporary dynamic one; it expires when the command would have. Copies have a psc folder (PSPROP(RFH2)).

SubPoint is a root in the topic tree: the topic IBM of subscription point USD is the topic string USD/IBM. A point
is known if SYSTEM.QPUBSUB.SUBPOINT.NAMELIST names a TOPIC object whose TOPICSTR it is; that object says who may
publish and subscribe there. A filter on the body is evaluated by a message broker (content_filter.py).

SubIdentity lets several applications share a subscription:

    RegSub  JoinShared           the identity is added; 3157 if it is there, 3156 if another one is alone by right
            JoinExcl, Locked     it is added to be the only one; 3155 if there are others
    DeregSub with SubIdentity    it leaves; the subscription ends with the last, but with LeaveOnly it stays.
                                 3154 if the identity is not there
    AddName                      a subscription that had no SubName gets one; 3153 if it has another

The answer goes to the ReplyToQ of a request, and of another message if it asks for it with MQRO_PAN or MQRO_NAN. Its
folder pscr says ok, warning (some topics failed) or error (all did), and for each failure the reason and its topic. A
command that cannot be read, and that nobody waits for, goes to the dead-letter queue. Command and answer have the
authority of the user of the command; an answer that this user may not put is discarded (on_behalf.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQFMT_RF_HEADER_2,
    MQMT_DATAGRAM,
    MQMT_REPLY,
    MQMT_REQUEST,
    MQPMO_RETAIN,
    MQRO_NAN,
    MQRO_PAN,
    MQRO_PASS_CORREL_ID,
    MQRO_PASS_MSG_ID,
)
from flintmq.mqi.content_filter import CHECKED_NAME, FILTER_QUEUE, Route
from flintmq.mqi.errors import StructureError
from flintmq.mqi.folders import Element, escape, read_folder
from flintmq.mqi.md import MQMD
from flintmq.mqi.pcf_constants import (
    MQRCCF_ALREADY_JOINED,
    MQRCCF_CORREL_ID_ERROR,
    MQRCCF_DEL_OPTIONS_ERROR,
    MQRCCF_FILTER_ERROR,
    MQRCCF_NO_RETAINED_MSG,
    MQRCCF_NOT_AUTHORIZED,
    MQRCCF_NOT_REGISTERED,
    MQRCCF_PUB_OPTIONS_ERROR,
    MQRCCF_Q_NAME_ERROR,
    MQRCCF_REG_OPTIONS_ERROR,
    MQRCCF_SUB_IDENTITY_ERROR,
    MQRCCF_SUB_NAME_ERROR,
    MQRCCF_SUBSCRIPTION_IN_USE,
    MQRCCF_SUBSCRIPTION_LOCKED,
    MQRCCF_TOPIC_ERROR,
    MQRCCF_WRONG_USER,
)
from flintmq.mqi.reason import (
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_RFH_COMMAND_ERROR,
    MQRC_RFH_DUPLICATE_PARM,
    MQRC_RFH_FORMAT_ERROR,
    MQRC_RFH_PARM_ERROR,
    MQRC_RFH_PARM_MISSING,
)
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.mqi.topic_words import join_topic
from flintmq.qmgr import kept, on_behalf, registration, remote, report, retained, retained_delivery, subscribe
from flintmq.qmgr.connection import Connection
from flintmq.qmgr.content_filter import needs_broker, route_to
from flintmq.qmgr.message import NO_ID, Message, fill_descriptor
from flintmq.qmgr.publication import other_folders, rules_header
from flintmq.qmgr.publish import Publication
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.queue_parts import QUEUED
from flintmq.qmgr.security import Authority, context_user
from flintmq.qmgr.subscription import (
    PROPERTIES_RFH2,
    SUBSCRIPTION_NAME_LENGTH_MAX,
    WILDCARD_TOPIC,
    Subscription,
)
from flintmq.qmgr.topic_tree import has_wildcard, is_topic_string
from flintmq.qmgr.unit_of_work import backout, commit

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_PERSISTENCE: Final = {"NonPers": 0, "Pers": 1, "PersAsPub": -1, "PersAsQueue": 2}
_REGISTRATION_OPTIONS: Final = frozenset(
    {
        "CorrelAsId", "PubOnReqOnly", "NewPubsOnly", "InformIfRet", "Local", "FullResp", "AddName", "NoAlter", "DupsOK",
        "VariableUserId", "DeregAll", "Anon", "None", "JoinShared", "JoinExcl", "Locked", "LeaveOnly", *_PERSISTENCE,
    }
)  # fmt: skip
#: Options of an identity that is to be the only one.
_ALONE: Final = frozenset({"JoinExcl", "Locked"})
_PUBLICATION_OPTIONS: Final = frozenset({"RetainPub", "IsRetainedPub", "Local", "OtherSubsOnly", "NoReg", "None"})
#: What each command may have, apart from Command and Topic.
_PARAMETERS: Final = {
    "RegSub": ("SubPoint", "Filter", "RegOpt", "QMgrName", "QName", "SubName", "SubIdentity", "SubUserData"),
    "DeregSub": ("SubPoint", "Filter", "RegOpt", "QMgrName", "QName", "SubName", "SubIdentity"),
    "Publish": ("SubPoint", "PubOpt", "PubTime", "SeqNum", "QMgrName", "QName"),
    "ReqUpdate": ("SubPoint", "Filter", "RegOpt", "QMgrName", "QName", "SubName"),
    "DeletePub": ("SubPoint", "DelOpt"),
}
#: The namelist of TOPIC objects that are subscription points.
SUBSCRIPTION_POINTS: Final = "SYSTEM.QPUBSUB.SUBPOINT.NAMELIST"
#: What may be there more than once.
_REPEATED: Final = ("Topic", "RegOpt", "PubOpt", "DelOpt")


class Refused(Exception):
    """A command that is not carried out, or a topic of it."""

    def __init__(self, reason: int, name: str = "", value: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        #: The parameter that is at fault, for the answer.
        self.name = name
        self.value = value


class Command:
    """A psc folder."""

    def __init__(self, folder: Element) -> None:
        """Raises Refused for what no command can have."""
        self.values: dict[str, list[str]] = {}
        for element in folder.children:
            self.values.setdefault(element.name, []).append(element.text)
        self.name = self.first("Command")
        self.topics: list[str] = self.values.get("Topic", [])
        allowed = _PARAMETERS.get(self.name)
        if allowed is None:
            raise Refused(MQRC_RFH_COMMAND_ERROR, "Command", self.name)
        for name, values in self.values.items():
            if name != "Command" and name != "Topic" and name not in allowed:
                raise Refused(MQRC_RFH_PARM_ERROR, name, values[0])
            if len(values) > 1 and name not in _REPEATED:
                raise Refused(MQRC_RFH_DUPLICATE_PARM, name, values[1])
        #: Whether a broker has checked the filter.
        self.checked = False

    def first(self, name: str) -> str:
        """A parameter that is there once, or not at all."""
        values = self.values.get(name)
        return values[0] if values else ""

    def options(self, name: str, known: frozenset[str], reason: int) -> set[str]:
        """RegOpt, PubOpt or DelOpt: words, or their number in decimal, which is not read here."""
        found = set(self.values.get(name, []))
        for option in found:
            if option not in known:
                raise Refused(reason, name, option)
        return found


class Work:
    """One command that is being carried out."""

    def __init__(self, qm: QueueManager, connection: Connection, message: Message) -> None:
        self.qm = qm
        self.connection = connection
        self.message = message
        #: Whose authority the command has.
        self.user = context_user(message.user_identifier)
        self.now = qm.clock.now_ms()
        self.md = MQMD()
        self.md.version = 2
        fill_descriptor(message, self.md, self.now)
        #: What went wrong: reason, parameter, its value.
        self.failures: list[Refused] = []
        self.succeeded = 0

    def carry_out(self) -> None:
        """Do what the command says; what cannot be done is in `failures`."""
        try:
            header, command = self._read()
            if command.name == "DeregSub" and (command.first("SubName") or not command.topics):
                self._deregister(command, "")
                self.succeeded += 1
                return
            if not command.topics:
                raise Refused(MQRC_RFH_PARM_MISSING, "Topic")
            if command.name == "ReqUpdate" and len(command.topics) > 1:
                raise Refused(MQRC_RFH_DUPLICATE_PARM, "Topic", command.topics[1])
        except Refused as refused:
            self.failures.append(refused)
            return
        for topic in command.topics:
            try:
                topic_string = self._located(command, topic)
                if command.name == "Publish":
                    self._publish(command, header, topic_string)
                elif command.name == "RegSub":
                    self._register(command, topic_string)
                elif command.name == "DeregSub":
                    self._deregister(command, topic_string)
                elif command.name == "ReqUpdate":
                    self._request_update(command, topic_string)
                else:
                    self._delete_publication(command, topic_string)
                self.succeeded += 1
            except Refused as refused:
                if not refused.name:
                    refused.name, refused.value = "Topic", topic
                self.failures.append(refused)

    def _read(self) -> tuple[MQRFH2, Command]:
        header = rules_header(self.md, self.message.data)
        if header is None:
            raise Refused(MQRC_RFH_FORMAT_ERROR)
        psc: Element | None = None
        checked = False
        for folder in header.folders:
            try:
                element = read_folder(folder)
            except StructureError:
                continue
            if element.name == "psc" and psc is None:
                psc = element
            elif element.name == CHECKED_NAME:
                checked = True
        if psc is None:
            raise Refused(MQRC_RFH_COMMAND_ERROR)
        command = Command(psc)
        command.checked = checked
        return header, command

    def goes_to_broker(self) -> bool:
        """Return whether a broker must check the filter of the command before it runs."""
        if FILTER_QUEUE not in self.qm.queues:
            return False
        try:
            command = self._read()[1]
        except Refused:
            return False
        return not command.checked and needs_broker(command.first("Filter"))

    def hand_over(self) -> int:
        """Put the command to the broker unchanged, with the context of its author. Return the reason of a failure."""
        md = self.md.copy()
        md.backout_count = 0
        return remote.route(self.qm, self.connection, FILTER_QUEUE, "", md, self.message.data, True)

    def _located(self, command: Command, topic_string: str) -> str:
        """Return the topic string of a topic at the subscription point of the command."""
        point = command.first("SubPoint")
        if not point:
            return topic_string
        names = self.qm.catalogue.find("NAMELIST", SUBSCRIPTION_POINTS)
        for name in [] if names is None else names.names("NAMES"):
            definition = self.qm.catalogue.find("TOPIC", name)
            if definition is not None and definition.text("TOPICSTR") == point:
                return join_topic(point, topic_string)
        raise Refused(MQRC_RFH_PARM_ERROR, "SubPoint", point)

    # -- Publish ------------------------------------------------------------------------------------------------------

    def _publish(self, command: Command, header: MQRFH2, topic_string: str) -> None:
        qm = self.qm
        options = command.options("PubOpt", _PUBLICATION_OPTIONS, MQRCCF_PUB_OPTIONS_ERROR)
        if not is_topic_string(topic_string) or has_wildcard(topic_string, WILDCARD_TOPIC):
            raise Refused(MQRCCF_TOPIC_ERROR)
        if type(qm.authority) is not Authority and not qm.authority.may_publish(
            self.user, topic_string, qm.topic_names(topic_string)
        ):
            raise Refused(MQRCCF_NOT_AUTHORIZED)
        md = self.md.copy()
        md.msg_type = MQMT_DATAGRAM
        md.report = 0
        md.reply_to_q = md.reply_to_q_mgr = ""
        md.backout_count = 0
        data = self.message.data[header.struc_length :]
        folders = other_folders(header)
        if folders:
            ccsid = md.coded_char_set_id if md.coded_char_set_id > 0 else 1208
            before = header.folders
            header.folders = folders
            data = header.pack(md.encoding & 0xF == 1, ccsid) + data
            header.folders = before
        else:
            md.format, md.encoding = header.format, header.encoding
            if header.coded_char_set_id > 0:
                md.coded_char_set_id = header.coded_char_set_id
        retain = MQPMO_RETAIN if "RetainPub" in options else 0
        topic = qm.topics.open(topic_string)
        publication = Publication(qm, self.connection, topic, md, data, self.message.properties, retain)
        if "OtherSubsOnly" in options:
            publication.not_for_queue, publication.not_for_q_mgr = self._destination(command)
        reason = publication.publish(True, self.now)
        if reason:
            raise Refused(reason)

    # -- subscriptions ------------------------------------------------------------------------------------------------

    def _destination(self, command: Command) -> tuple[str, str]:
        """Queue and queue manager of the subscriber."""
        queue = command.first("QName") or self.md.reply_to_q
        q_mgr = command.first("QMgrName") or (self.md.reply_to_q_mgr if not command.first("QName") else "")
        if not queue:
            raise Refused(MQRCCF_Q_NAME_ERROR, "QName")
        return queue, q_mgr or self.qm.name

    def _options(self, command: Command) -> set[str]:
        options = command.options("RegOpt", _REGISTRATION_OPTIONS, MQRCCF_REG_OPTIONS_ERROR)
        if "CorrelAsId" in options and self.md.correl_id == NO_ID:
            raise Refused(MQRCCF_CORREL_ID_ERROR)
        if len(options & _PERSISTENCE.keys()) > 1:
            raise Refused(MQRCCF_REG_OPTIONS_ERROR, "RegOpt")
        if options & _ALONE and "JoinShared" in options:
            raise Refused(MQRCCF_REG_OPTIONS_ERROR, "RegOpt", "JoinShared")
        if (options & _ALONE or "JoinShared" in options) and not command.first("SubIdentity"):
            raise Refused(MQRCCF_SUB_IDENTITY_ERROR, "SubIdentity")
        return options

    def _join(self, command: Command, options: set[str], subscription: Subscription) -> None:
        """Add the identity of the command to those that share a subscription."""
        identity = command.first("SubIdentity")
        others = [each for each in subscription.identities if each != identity]
        if options & _ALONE:
            if others:
                raise Refused(MQRCCF_SUBSCRIPTION_IN_USE, "SubIdentity", identity)
            subscription.identities, subscription.exclusive = [identity], True
        elif "JoinShared" in options:
            if subscription.exclusive and others:
                raise Refused(MQRCCF_SUBSCRIPTION_LOCKED, "SubIdentity", identity)
            if identity in subscription.identities and not subscription.exclusive:
                raise Refused(MQRCCF_ALREADY_JOINED, "SubIdentity", identity)
            subscription.identities, subscription.exclusive = [*others, identity], False

    def _leave(self, command: Command, options: set[str], subscription: Subscription) -> bool:
        """Remove the identity of the command. Return whether the subscription remains."""
        identity = command.first("SubIdentity")
        if not identity:
            if subscription.identities:
                raise Refused(MQRCCF_SUBSCRIPTION_IN_USE)
            if "LeaveOnly" in options:
                raise Refused(MQRCCF_SUB_IDENTITY_ERROR, "SubIdentity")
            return False
        if identity not in subscription.identities:
            raise Refused(MQRCCF_SUB_IDENTITY_ERROR, "SubIdentity", identity)
        subscription.identities = [each for each in subscription.identities if each != identity]
        subscription.exclusive = False
        if not subscription.identities and "LeaveOnly" not in options:
            return False
        reason = registration.rewrite(self.qm, self.connection, subscription)
        if reason:
            raise Refused(reason)
        return True

    def _to_be_named(self, command: Command, name: str, topic_string: str) -> Subscription | None:
        """The subscription, known by its queue and topic, that is to get the name of the command."""
        nameless = self.qm.subscriptions.by_name.get(self._nameless(command, topic_string))
        if nameless is None or nameless.name == name:
            return None
        if name in self.qm.subscriptions.by_name:
            raise Refused(MQRCCF_SUB_NAME_ERROR, "SubName", name)
        return nameless

    def identity(self, command: Command, topic_string: str) -> str:
        """The name under which a subscription of this interface is known."""
        name = command.first("SubName") or self._nameless(command, topic_string)
        if len(name) > SUBSCRIPTION_NAME_LENGTH_MAX:
            raise Refused(MQRCCF_SUB_NAME_ERROR, "SubName")
        return name

    def _nameless(self, command: Command, topic_string: str) -> str:
        queue, q_mgr = self._destination(command)
        correl_id = self.md.correl_id.hex().upper() if "CorrelAsId" in self._options(command) else ""
        return f"{q_mgr}:{queue}:{correl_id}:{topic_string}:{command.first('Filter')}"

    def _register(self, command: Command, topic_string: str) -> None:
        qm = self.qm
        options = self._options(command)
        queue_name, q_mgr_name = self._destination(command)
        name = self.identity(command, topic_string)
        existing = None
        if "AddName" in options and command.first("SubName"):
            existing = self._to_be_named(command, name, topic_string)
        if existing is None:
            existing = qm.subscriptions.by_name.get(name)
        if existing is not None:
            self._change(command, options, existing, topic_string, name)
            return
        subscription = Subscription(qm.new_msg_id(), name, "")
        subscription.wildcard = WILDCARD_TOPIC
        if subscribe.set_topic(qm, subscription, "", topic_string):
            raise Refused(MQRCCF_TOPIC_ERROR)
        user = self.user
        if type(qm.authority) is not Authority and not qm.authority.may_subscribe(
            user, topic_string, qm.topic_names(topic_string)
        ):
            raise Refused(MQRCCF_NOT_AUTHORIZED)
        if not on_behalf.may_put(qm, user, queue_name, q_mgr_name):
            raise Refused(MQRCCF_NOT_AUTHORIZED, "QName", queue_name)
        content = command.checked and needs_broker(command.first("Filter")) and FILTER_QUEUE in qm.queues
        if not content and subscribe.set_selector(subscription, command.first("Filter")):
            raise Refused(MQRCCF_FILTER_ERROR, "Filter", command.first("Filter"))
        queue = qm.queues.get(queue_name) if q_mgr_name == qm.name else None
        if q_mgr_name == qm.name and (queue_name in QUEUED or qm.catalogue.resolve(queue_name).reason):
            raise Refused(MQRCCF_Q_NAME_ERROR, "QName", queue_name)
        subscription.dest_queue, subscription.dest_q_mgr, subscription.queue = queue_name, q_mgr_name, queue
        subscription.durable = queue is None or not queue.temporary
        if content:
            subscription.user_data = Route(command.first("Filter"), queue_name, q_mgr_name, "").packed()
            subscription.dest_queue, subscription.dest_q_mgr = FILTER_QUEUE, qm.name
            subscription.queue = qm.queues[FILTER_QUEUE]
        subscription.user_id = user
        subscription.properties = PROPERTIES_RFH2
        subscription.correl_id_set = "CorrelAsId" in options
        subscription.correl_id = self.md.correl_id if subscription.correl_id_set else NO_ID
        self._join(command, options, subscription)
        self._take_options(command, options, subscription)
        reason = subscribe.may_be_made(qm, subscription)
        if not reason:
            reason = registration.register(qm, self.connection, subscription)
        if not reason and not options & {"NewPubsOnly", "PubOnReqOnly"}:
            retained_delivery.deliver_retained(qm, self.connection, subscription)
        if reason:
            raise Refused(MQRCCF_NOT_AUTHORIZED if reason == MQRC_NOT_AUTHORIZED else reason)

    def _take_options(self, command: Command, options: set[str], subscription: Subscription) -> None:
        """What a second RegSub may change."""
        route = route_to(subscription.dest_queue, subscription.user_data)
        subscription.user_data = command.first("SubUserData")
        if route is not None:
            route.user_data = subscription.user_data
            subscription.user_data = route.packed()
        subscription.request_only = "PubOnReqOnly" in options
        subscription.informed = "InformIfRet" in options
        subscription.local = "Local" in options
        subscription.fixed_user = "VariableUserId" not in options
        subscription.persistence = -1
        for option in options & _PERSISTENCE.keys():
            subscription.persistence = _PERSISTENCE[option]
        subscription.expiry = self.md.expiry

    def _change(
        self, command: Command, options: set[str], subscription: Subscription, topic_string: str, name: str
    ) -> None:
        self._check_owner(subscription)
        if subscription.topic_string != topic_string or _filter_of(subscription) != command.first("Filter"):
            raise Refused(MQRCCF_SUB_NAME_ERROR, "SubName", subscription.name)
        self._join(command, options, subscription)
        if "NoAlter" not in options:
            self._take_options(command, options, subscription)
        if subscription.name != name:
            self.qm.subscriptions.rename(subscription, name)
        registration.start_expiry(subscription, self.now)
        reason = registration.rewrite(self.qm, self.connection, subscription)
        if reason:
            raise Refused(reason)

    def _check_owner(self, subscription: Subscription) -> None:
        if subscription.connection is not None:
            raise Refused(MQRCCF_SUBSCRIPTION_IN_USE)
        if subscription.fixed_user and context_user(subscription.user_id) != self.user:
            raise Refused(MQRCCF_WRONG_USER)

    def _deregister(self, command: Command, topic_string: str) -> None:
        qm = self.qm
        options = self._options(command)
        if "DeregAll" in options:
            queue, q_mgr = self._destination(command)
            correl_id = self.md.correl_id if "CorrelAsId" in options else NO_ID
            mine: list[Subscription] = []
            for each in qm.subscriptions.everything():
                route = route_to(each.dest_queue, each.user_data)
                dest = (each.dest_queue, each.dest_q_mgr) if route is None else (route.queue, route.q_mgr)
                if dest == (queue, q_mgr) and each.correl_id == correl_id:
                    if each.properties == PROPERTIES_RFH2 and each.connection is None:
                        mine.append(each)
            for each in mine:
                self._check_owner(each)
            for each in mine:
                registration.end(qm, each, self.connection)
            return
        if not topic_string and not command.first("SubName"):
            raise Refused(MQRC_RFH_PARM_MISSING, "Topic")
        subscription = self._find(command, topic_string)
        self._check_owner(subscription)
        if self._leave(command, options, subscription):
            return
        registration.end(qm, subscription, self.connection)

    def _find(self, command: Command, topic_string: str) -> Subscription:
        subscription = self.qm.subscriptions.by_name.get(self.identity(command, topic_string))
        if subscription is None:
            raise Refused(MQRCCF_NOT_REGISTERED)
        return subscription

    # -- retained publications ----------------------------------------------------------------------------------------

    def _request_update(self, command: Command, topic_string: str) -> None:
        reason, count = retained_delivery.deliver_retained(self.qm, self.connection, self._find(command, topic_string))
        if reason or not count:
            raise Refused(reason or MQRCCF_NO_RETAINED_MSG)

    def _delete_publication(self, command: Command, topic_string: str) -> None:
        command.options("DelOpt", frozenset({"Local", "None"}), MQRCCF_DEL_OPTIONS_ERROR)
        meant = Subscription(NO_ID, "", "")
        if subscribe.set_topic(self.qm, meant, "", topic_string):
            raise Refused(MQRCCF_TOPIC_ERROR)
        cleared = 0
        for each in retained.matching(self.qm, meant):
            cleared += retained.clear(self.qm, self.connection, each)
        if not cleared:
            raise Refused(MQRCCF_NO_RETAINED_MSG)

    # -- the answer ---------------------------------------------------------------------------------------------------

    def answer(self) -> int:
        """Send the answer that the command asks for. Returns why it could not be sent."""
        md = self.md
        failed = bool(self.failures)
        wanted = md.msg_type == MQMT_REQUEST or md.report & (MQRO_NAN if failed else MQRO_PAN)
        if not wanted or not md.reply_to_q:
            return MQRC_NONE
        header = MQRFH2()
        header.folders = [self.response()]
        reply = MQMD()
        reply.version = 2
        reply.msg_type = MQMT_REPLY
        reply.format = MQFMT_RF_HEADER_2
        reply.coded_char_set_id = 1208
        reply.persistence = md.persistence
        reply.priority = md.priority
        reply.msg_id = md.msg_id if md.report & MQRO_PASS_MSG_ID else NO_ID
        reply.correl_id = md.correl_id if md.report & MQRO_PASS_CORREL_ID else md.msg_id
        reply.user_identifier = md.user_identifier
        remote.as_queue_manager(self.qm, reply, self.now)
        data = header.pack(False, 1208)
        if not on_behalf.may_put(self.qm, md.user_identifier, md.reply_to_q, md.reply_to_q_mgr):
            return MQRC_NOT_AUTHORIZED  # O2: discarded.
        reason = remote.route(self.qm, self.connection, md.reply_to_q, md.reply_to_q_mgr, reply, data, True)
        if reason:
            return report.dead_letter(
                self.qm, self.connection, data, reply, md.reply_to_q, md.reply_to_q_mgr, reason, True
            )
        return MQRC_NONE

    def response(self) -> str:
        """The pscr folder."""
        completion = "ok" if not self.failures else "warning" if self.succeeded else "error"
        text = f"<pscr><Completion>{completion}</Completion>"
        for failure in self.failures:
            text += f"<Response><Reason>{failure.reason}</Reason>"
            if failure.name:
                text += f"<{failure.name}>{escape(failure.value)}</{failure.name}>"
            text += "</Response>"
        return text + "</pscr>"


def _filter_of(subscription: Subscription) -> str:
    """Return the filter of a subscription."""
    route = route_to(subscription.dest_queue, subscription.user_data)
    return subscription.selector if route is None else route.filter


# -- the queues --------------------------------------------------------------------------------------------------------


def process(qm: QueueManager, queue: Queue) -> None:
    """Carry out the commands on `queue`. What they put on it themselves is carried out as well, but not within them."""
    if qm.replaying or not qm.queued_enabled or queue.times.processing or not queue.get_enabled:
        return
    queue.times.processing = True
    while True:
        message = queue.first_available()
        if message is None:
            break
        if message.expires_ms and message.expires_ms <= qm.clock.now_ms():
            connection = registration.own_connection(qm)
            if kept.take(qm, connection, message):
                break
        elif not _process(qm, message):
            break
    queue.times.processing = False


def _process(qm: QueueManager, message: Message) -> bool:
    """Carry out one command, in a unit of work. False: it has to wait, because the log takes nothing."""
    connection = registration.own_connection(qm)
    connection.user = context_user(message.user_identifier)
    kept.take_in_unit(connection, message, qm.clock.now_ms())
    work = Work(qm, connection, message)
    if work.goes_to_broker():
        handed_over = work.hand_over()
        if handed_over:
            work.failures.append(Refused(handed_over))
    else:
        work.carry_out()
        handed_over = -1
    if not handed_over:
        if commit(qm, connection):
            backout(qm, connection)
            return False
        return True
    reason = work.answer()
    unreadable = bool(work.failures) and not work.succeeded and work.md.msg_type != MQMT_REQUEST
    if unreadable and not work.md.report & MQRO_NAN:
        failure = work.failures[0].reason
        reason = report.dead_letter(
            qm, connection, message.data, work.md, message.queue.name, qm.name, failure, True, message.properties
        )
    if reason:
        qm.notice("AMQ5882E", f"Queued publish/subscribe could not answer or keep a command: reason {reason}.")
    if commit(qm, connection):
        backout(qm, connection)
        return False
    return True


def process_all(qm: QueueManager) -> None:
    """After a start, and when PSMODE becomes ENABLED."""
    for name in QUEUED:
        queue = qm.queues.get(name)
        if queue is not None:
            process(qm, queue)
