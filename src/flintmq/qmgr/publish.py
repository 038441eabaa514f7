"""MQPUT and MQPUT1 to a topic: from a publication to its copies.

    open_topic     MQOPEN of MQOT_TOPIC, and of an alias with TARGTYPE(TOPIC): name and string become an `OpenTopic`
    put_topic      the put: descriptor and context as for a queue, then
      Publication  gather: match the topic, make a copy for each subscription; all that can refuse one is asked here
                   placed, with one `Delivery`, together or not at all; one copy of the data for all of them

What a copy has of the publication, and what of the subscription:

    MsgId              its own                          UserIdentifier     the subscription's
    CorrelId           the subscription's; if that is   AccountingToken,   the subscription's, with
                       none, the publisher's            ApplIdentityData   MQSO_SET_IDENTITY_CONTEXT; else none
    Priority           PubPriority of the subscription  Expiry             the publisher's, at most CAPEXPRY
    Persistence        the publisher's; not persistent  ReplyToQ           the publisher's, unless suppressed
                       on a temporary dynamic queue     everything else    the publisher's
    properties         the publisher's, and those of the publication (publication.py)

Matching is done when the message is put; under syncpoint the copies can be got after the commit. A subscription gets at
most one copy; grouped subscriptions (MQSO_GROUP_SUB) with the same destination and correlation id get one together.
If some of those that match have a higher SubLevel than others, up to the PubLevel of the put, they alone get it.

A copy that its queue refuses goes to the dead-letter queue, with USEDLQ(YES) and if there is one. If it does not:

    PMSGDLV or NPMSGDLV    the subscription is durable    it is not
    ALL                    the publish fails, 2502        the publish fails, 2502
    ALLDUR                 the publish fails, 2502        the copy is dropped
    ALLAVAIL               the copy is dropped            the copy is dropped
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQENC_NATIVE,
    MQFMT_DEAD_LETTER_HEADER,
    MQOO_ALTERNATE_USER_AUTHORITY,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOT_Q,
    MQOT_TOPIC,
    MQPMO_LOGICAL_ORDER,
    MQPMO_NEW_CORREL_ID,
    MQPMO_NEW_MSG_ID,
    MQPMO_NOT_OWN_SUBS,
    MQPMO_RETAIN,
    MQPMO_SUPPRESS_REPLYTO,
    MQPMO_SYNCPOINT,
    MQPMO_WARN_IF_NO_SUBS_MATCHED,
)
from flintmq.mqi.errors import StructureError
from flintmq.mqi.md import MQMD
from flintmq.mqi.md import NO_ACCOUNTING_TOKEN as NO_TOKEN
from flintmq.mqi.od import MQOD
from flintmq.mqi.pcf_constants import MQRQ_OPEN_NOT_AUTHORIZED
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQRC_INVALID_DESTINATION,
    MQRC_MD_ERROR,
    MQRC_NO_SUBS_MATCHED,
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_Q_MGR_NAME_ERROR,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_OPTIONS_ERROR,
    MQRC_PRIORITY_EXCEEDS_MAXIMUM,
    MQRC_PUBLICATION_FAILURE,
    MQRC_PUBSUB_INHIBITED,
    MQRC_PUT_INHIBITED,
    MQRC_TOPIC_STRING_ERROR,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_REPORT_OPTION,
)
from flintmq.mqi.topic_words import DELIVER_ALL, DELIVER_ALL_DURABLE, join_topic
from flintmq.qmgr import event, on_behalf, registration, remote, report, retained, stream
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.connection import Connection, Handle, fail, succeed, warn
from flintmq.qmgr.content_filter import route_to
from flintmq.qmgr.message import NO_ID, Message
from flintmq.qmgr.message_source import MessageSource
from flintmq.qmgr.open_topic import OpenTopic, TopicAttributes
from flintmq.qmgr.place import Delivery
from flintmq.qmgr.publication import PUB_LEVEL, Form, property_block, publication_options, rfh2_form, rfh_form
from flintmq.qmgr.put import check_md, context_of_open, set_context
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.security import Authority, context_user
from flintmq.qmgr.subscription import (
    PRIORITY_AS_PUBLISHED,
    PRIORITY_AS_QUEUE,
    PROPERTIES_COMPAT,
    PROPERTIES_MESSAGE,
    PROPERTIES_NONE,
    Subscription,
)
from flintmq.qmgr.topic_tree import is_topic_string
from flintmq.qmgr.unit_of_work import room_in_unit

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

#: What a topic can be opened for.
_OUTPUT_ONLY: Final = MQOO_OUTPUT
_ACCESS: Final = 0x3F  # Input, browse, output, inquire, set.


# -- MQOPEN ------------------------------------------------------------------------------------------------------------


def open_topic(qm: QueueManager, connection: Connection, od: MQOD, options: int) -> Handle | None:
    """Open the topic that ObjectName and ObjectString say. The handle is not yet entered in the connection."""
    if od.object_q_mgr_name and od.object_q_mgr_name != qm.name:
        fail(connection, MQRC_OBJECT_Q_MGR_NAME_ERROR)
        return None
    topic_string = ""
    if od.object_name:
        definition = qm.catalogue.find("TOPIC", od.object_name)
        if definition is None:
            event.unknown_object(qm, connection, od, MQRC_UNKNOWN_OBJECT_NAME)
            fail(connection, MQRC_UNKNOWN_OBJECT_NAME)
            return None
        topic_string = definition.text("TOPICSTR")
    if options & _ACCESS & ~_OUTPUT_ONLY:
        fail(connection, MQRC_OPTION_NOT_VALID_FOR_TYPE)
        return None
    handle = _topic_handle(qm, connection, od, options, join_topic(topic_string, od.object_string), MQOT_TOPIC)
    if handle is not None:
        od.resolved_q_name = od.resolved_q_mgr_name = ""
    return handle


def open_alias(qm: QueueManager, connection: Connection, od: MQOD, options: int, alias: MQObject) -> Handle | None:
    """Open the topic that an alias queue stands for."""
    definition = qm.catalogue.find("TOPIC", alias.text("TARGET"))
    if definition is None:
        fail(connection, MQRC_UNKNOWN_ALIAS_BASE_Q)
        return None
    if options & _ACCESS & ~(MQOO_OUTPUT | MQOO_INQUIRE):
        fail(connection, MQRC_OPTION_NOT_VALID_FOR_TYPE)
        return None
    handle = _topic_handle(qm, connection, od, options, definition.text("TOPICSTR"), MQOT_Q)
    if handle is not None:
        handle.put_enabled_by = alias.name
        handle.can_inquire = options & MQOO_INQUIRE != 0
    return handle


def _topic_handle(
    qm: QueueManager, connection: Connection, od: MQOD, options: int, topic_string: str, object_type: int
) -> Handle | None:
    if not is_topic_string(topic_string):
        fail(connection, MQRC_TOPIC_STRING_ERROR)
        return None
    if not _may_publish(qm, connection, od, options, topic_string):
        fail(connection, MQRC_NOT_AUTHORIZED)
        return None
    handle = Handle(connection.next_handle, connection, object_type, od.object_name, options)
    connection.next_handle += 1
    handle.can_put = options & MQOO_OUTPUT != 0
    handle.context = context_of_open(options)
    handle.topic = qm.topics.open(topic_string)
    handle.resolved_name = ""
    _take_defaults(qm, handle, handle.topic.attributes)
    od.res_object_string = topic_string
    od.resolved_type = MQOT_TOPIC
    return handle


def _may_publish(qm: QueueManager, connection: Connection, od: MQOD, options: int, topic_string: str) -> bool:
    user = connection.user
    if options & MQOO_ALTERNATE_USER_AUTHORITY:
        if not qm.authority.may_use_alternate_user(user, od.alternate_user_id):
            _refused(qm, connection, user, od, options)
            return False
        user = context_user(od.alternate_user_id)
    if type(qm.authority) is Authority or qm.authority.may_publish(user, topic_string, qm.topic_names(topic_string)):
        return True
    _refused(qm, connection, user, od, options)
    return False


def _refused(qm: QueueManager, connection: Connection, user: str, od: MQOD, options: int) -> None:
    name = od.object_name
    event.refused(qm, connection, user, "TOPIC", name, MQRQ_OPEN_NOT_AUTHORIZED, options)


def _take_defaults(qm: QueueManager, handle: Handle, attributes: TopicAttributes) -> None:
    """Defaults of the topic, or of the alias that leads to it."""
    handle.def_priority = attributes.def_priority
    handle.def_persistence = attributes.def_persistence
    handle.def_put_response = attributes.def_put_response
    alias = qm.catalogue.find("QALIAS", handle.put_enabled_by) if handle.put_enabled_by else None
    if alias is not None:
        handle.def_priority = alias.number("DEFPRTY")
        handle.def_persistence = 1 if alias.text("DEFPSIST") == "YES" else 0
        handle.def_put_response = 1 if alias.text("DEFPRESP") == "ASYNC" else 0


# -- MQPUT -------------------------------------------------------------------------------------------------------------


def put_topic(
    qm: QueueManager, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes, properties: bytes
) -> int:
    """A put through a handle of a topic, whose options are known to be good."""
    topic = handle.topic
    assert topic is not None
    options = pmo.options
    if options & MQPMO_LOGICAL_ORDER:
        return fail(connection, MQRC_OPTIONS_ERROR)
    if topic.generation != qm.topics.generation or handle.put_enabled_by:
        _take_defaults(qm, handle, qm.topics.current(topic))
    reason = check_md(qm, handle, False, md)
    if reason and reason != MQRC_PRIORITY_EXCEEDS_MAXIMUM and reason != MQRC_UNKNOWN_REPORT_OPTION:
        return fail(connection, reason)
    if md.version > 1:
        if md.version > 2:
            return fail(connection, MQRC_MD_ERROR)
        if not md.msg_flags:
            md.group_id = NO_ID
            md.msg_seq_number = 1
            md.offset = 0
            md.original_length = -1
    now = qm.clock.now_ms()
    if now != qm.stamped_ms:
        qm.stamp(now)
    context_reason = set_context(qm, connection, handle, md, pmo)
    if context_reason:
        return fail(connection, context_reason)
    if options & MQPMO_NEW_MSG_ID or md.msg_id == NO_ID:
        md.msg_id = qm.new_msg_id()
    if options & MQPMO_NEW_CORREL_ID:
        md.correl_id = qm.new_msg_id()
    md.backout_count = 0
    if handle.put_enabled_by and qm.definition_inhibits_put(handle):
        return fail(connection, MQRC_PUT_INHIBITED)
    if handle.delivery_delay_ms:
        syncpoint = options & MQPMO_SYNCPOINT != 0
        staged = qm.stage_delayed(connection, handle, md, options, pmo.pub_level, data, syncpoint, now, properties)
        pmo.resolved_q_name = pmo.resolved_q_mgr_name = ""
        if staged:
            return fail(connection, staged)
        return warn(connection, reason) if reason else succeed(connection)
    publication = Publication(qm, connection, topic, md, data, properties, options, pmo.pub_level)
    put_reason = publication.publish(options & MQPMO_SYNCPOINT != 0, now)
    if put_reason:
        return fail(connection, put_reason)
    topic.published += 1
    topic.last_ms = now
    pmo.resolved_q_name = pmo.resolved_q_mgr_name = ""
    if publication.matched == 0 and options & MQPMO_WARN_IF_NO_SUBS_MATCHED:
        return warn(connection, MQRC_NO_SUBS_MATCHED)
    if publication.warning or reason:
        return warn(connection, publication.warning or reason)
    return succeed(connection)


class Publication:
    """One message published to one topic. The descriptor is the application's: it is the same again afterwards."""

    #: The publication is a retained one, delivered to somebody who has subscribed since.
    retained: bool = False
    #: OtherSubsOnly of the queued interface: nothing goes to this queue.
    not_for_queue: str = ""
    not_for_q_mgr: str = ""
    #: Subscriptions that it is for, and what is to be said although it was published.
    matched: int = 0
    warning: int = 0

    def __init__(
        self,
        qm: QueueManager,
        connection: Connection,
        topic: OpenTopic,
        md: MQMD,
        data: bytes,
        properties: bytes = b"",
        options: int = 0,
        pub_level: int = PUB_LEVEL,
    ) -> None:
        self.qm = qm
        self.connection = connection
        #: Whose own subscriptions MQPMO_NOT_OWN_SUBS means. A delayed publication is not made by its publisher.
        self.publisher: Connection | None = connection
        self.topic = topic
        self.attributes = qm.topics.current(topic)
        self.md = md
        self.data = data
        self.properties = properties
        self.options = options
        self.pub_level = pub_level
        #: The correlation id of the publisher.
        self.correl_id: bytes = md.correl_id
        self.priority: int = md.priority
        self.persistence: int = md.persistence
        #: The properties of a copy for somebody without user data, once they are needed.
        self.block: bytes = b""
        self.forms: dict[tuple[str, str, bool], Form] | None = None
        self.groups: set[tuple[str, str, bytes]] | None = None
        #: What selectors see.
        self.source: MessageSource | None = None
        self.delivered: list[Subscription] = []
        #: Subscriptions that have come to their end.
        self.ended: list[Subscription] | None = None

    def publish(self, syncpoint: bool, now: int) -> int:
        """Make the copies and place them. On any reason but MQRC_NONE nothing has been placed."""
        if syncpoint:
            reason = room_in_unit(self.qm, self.connection)
            if reason:
                return reason
        delivery = Delivery(self.qm, self.connection, syncpoint, now)
        retain = self.options & MQPMO_RETAIN != 0
        if not syncpoint and not retain and self.persistence != 1 and self.attributes.drops_refused:
            return self._publish_directly(delivery)
        reason = self.gather(delivery)
        if reason:
            delivery.cancel()
            return reason
        if retain:
            reason = retained.add(self.qm, delivery, self.topic.topic_string, self.md, self.data, self.properties)
            if reason:
                delivery.cancel()
                return reason
        copies = len(delivery.messages) - 1
        reason = delivery.place()
        if reason:
            return reason
        unit = self.connection.unit
        if copies > 0 and syncpoint and unit is not None:
            unit.copies += copies
        if retain:
            retained.replaced(self.qm, self.connection, self.topic.topic_string, syncpoint)
        self.count(now)
        return MQRC_NONE

    def _publish_directly(self, delivery: Delivery) -> int:
        """NPMSGDLV(ALLAVAIL): a copy that cannot be delivered is dropped, whatever the reason, so no copy waits for
        the others."""
        delivery.direct = True
        reason = self.gather(delivery)
        if not reason:
            delivery.place()
            self.count(delivery.now)
        return reason

    def count(self, now: int) -> None:
        """The copies are placed."""
        counters = self.qm.counters
        counters.publishes += 1
        copies = len(self.delivered)
        if copies > counters.most_published:
            counters.most_published = copies
        elif not copies:
            counters.unheard += 1
        self.count_copies(now)

    def count_copies(self, now: int) -> None:
        """The same, for a publication that was counted before."""
        self.qm.counters.published += len(self.delivered)
        for subscription in self.delivered:
            subscription.delivered += 1
            subscription.last_ms = now
        if self.ended is not None:
            for subscription in self.ended:
                registration.end(self.qm, subscription)

    # -- copies ---------------------------------------------------------------------------------------------------

    def gather(self, delivery: Delivery) -> int:
        """Add a copy for each subscription to `delivery`. On another reason than 0 what was added is to be undone."""
        attributes = self.attributes
        if not attributes.publish_enabled:
            return MQRC_PUT_INHIBITED
        if self.qm.pubsub_disabled:
            return MQRC_PUBSUB_INHIBITED
        topic = self.topic
        matching = self.qm.topics.match_at(topic.topic_string, topic.levels, attributes.blocked)
        if not matching:
            return MQRC_NONE
        if self.qm.subscriptions.levelled or self.pub_level < 1:
            matching = self._of_highest_level(matching)
        return self.copy_to(delivery, matching)

    def copy_to(self, delivery: Delivery, subscriptions: list[Subscription]) -> int:
        """Add a copy for each of `subscriptions` that wants it."""
        md = self.md
        msg_id = md.msg_id
        expiry = md.expiry
        user = md.user_identifier
        report_options = md.report
        if report_options & stream.REPORTS and not on_behalf.may_put(
            self.qm, user, md.reply_to_q, md.reply_to_q_mgr
        ):  # The copies have the subscribers' users, so nobody could ask for the publisher's authority later.
            md.report = report_options & ~stream.REPORTS
        token = md.accounting_token
        identity = md.appl_identity_data
        reply_to_q = md.reply_to_q
        reply_to_q_mgr = md.reply_to_q_mgr
        cap = self.attributes.cap_expiry
        if cap and (expiry == -1 or expiry > cap):
            md.expiry = cap
        if self.options & MQPMO_SUPPRESS_REPLYTO:
            md.reply_to_q = md.reply_to_q_mgr = ""
        md.accounting_token = NO_TOKEN
        md.appl_identity_data = ""
        reason = self._copy_all(delivery, subscriptions)
        md.msg_id = msg_id
        md.correl_id = self.correl_id
        md.priority = self.priority
        md.persistence = self.persistence
        md.expiry = expiry
        md.report = report_options
        md.user_identifier = user
        md.accounting_token = token
        md.appl_identity_data = identity
        md.reply_to_q = reply_to_q
        md.reply_to_q_mgr = reply_to_q_mgr
        return reason

    def _copy_all(self, delivery: Delivery, subscriptions: list[Subscription]) -> int:
        qm = self.qm
        md = self.md
        data = self.data
        not_own = self.options & MQPMO_NOT_OWN_SUBS != 0
        for subscription in subscriptions:
            if not_own and subscription.connection is self.publisher:
                continue
            queue = subscription.queue
            if self.not_for_queue and self._is_publisher(subscription):
                continue
            if not subscription.plain or queue is None or queue.deleted or queue.stream.name:
                reason = self._copy_unusual(delivery, subscription)
            else:
                if not self.block:
                    self.block = self._block("")
                md.msg_id = qm.new_msg_id()
                md.correl_id = subscription.correl_id if subscription.correl_id != NO_ID else self.correl_id
                md.persistence = 0 if queue.temporary else self.persistence
                md.user_identifier = subscription.user_id
                self.matched += 1
                reason = delivery.add(queue, md, data, self.block, False)
                if reason:
                    queue.counts.put_failed += 1
                    reason = self._refused(delivery, subscription, md, data, self.block, reason)
                else:
                    self.delivered.append(subscription)
            if reason:
                return reason
        return MQRC_NONE

    def _is_publisher(self, subscription: Subscription) -> bool:
        route = route_to(subscription.dest_queue, subscription.user_data)
        if route is not None:
            return route.queue == self.not_for_queue and route.q_mgr == self.not_for_q_mgr
        return subscription.dest_queue == self.not_for_queue and subscription.dest_q_mgr == self.not_for_q_mgr

    def _block(self, user_data: str) -> bytes:
        retain = self.options & MQPMO_RETAIN != 0
        topic = self.topic
        plain = not retain and not user_data and self.pub_level == PUB_LEVEL
        if plain and topic.block:
            own = topic.block
        else:
            options = publication_options(retain, self.retained)
            own = property_block(topic.topic_string, user_data, options, self.retained, self.pub_level)
            if plain:
                topic.block = own
        return own + self.properties if self.properties else own

    def _of_highest_level(self, matching: list[Subscription]) -> list[Subscription]:
        highest = -1
        for subscription in matching:
            if highest < subscription.level <= self.pub_level:
                highest = subscription.level
        return [each for each in matching if each.level == highest]

    # -- the rarer ways -------------------------------------------------------------------------------------------

    def _copy_unusual(self, delivery: Delivery, subscription: Subscription) -> int:
        """A copy for a subscription that is not plain, or whose destination is not a queue that is known."""
        if not self._wanted(subscription, delivery.now):
            return MQRC_NONE
        self.matched += 1
        md = self.md
        md.msg_id = self.qm.new_msg_id()
        md.correl_id = subscription.correl_id if subscription.correl_id != NO_ID else self.correl_id
        md.user_identifier = subscription.user_id
        md.priority = self.priority
        md.persistence = self.persistence
        if subscription.identity_set:
            md.accounting_token = subscription.accounting_token
            md.appl_identity_data = subscription.appl_identity_data
        reason = self._copy_in_form(delivery, subscription)
        md.priority = self.priority
        md.accounting_token = NO_TOKEN
        md.appl_identity_data = ""
        return reason

    def _wanted(self, subscription: Subscription, now: int) -> bool:
        if subscription.request_only and not self.retained:
            return False
        if subscription.expires_ms and subscription.expires_ms <= now:
            self._ends(subscription)
            return False
        if subscription.selector and not self._selected(subscription):
            return False
        if subscription.grouped:
            group = (subscription.dest_queue, subscription.dest_q_mgr, subscription.correl_id)
            if self.groups is None:
                self.groups = set()
            if group in self.groups:
                return False
            self.groups.add(group)
        return True

    def _ends(self, subscription: Subscription) -> None:
        """Its time is up, or its queue is gone. Not before the publication is placed."""
        if self.ended is None:
            self.ended = []
        self.ended.append(subscription)

    def _selected(self, subscription: Subscription) -> bool:
        if subscription.compiled is None:
            return False
        if self.source is None:
            self.source = MessageSource(self._as_message())
        return subscription.compiled.matches(self.source)

    def _as_message(self) -> Message:
        """The publication as a message on no queue, for selectors to look at."""
        for queue in self.qm.queues.values():
            message = Message(queue, 0, 0, self.data, self.md)
            message.correl_id = self.correl_id
            message.properties = self._block("")
            return message
        raise AssertionError("a queue manager without queues has no subscriptions")

    def _copy_in_form(self, delivery: Delivery, subscription: Subscription) -> int:
        """Settle the descriptor and the properties, then the destination."""
        md = self.md
        form: Form | None = None
        properties = self.properties
        if subscription.properties == PROPERTIES_MESSAGE:
            properties = self._block(subscription.user_data)
        elif subscription.properties != PROPERTIES_NONE:
            form = self._form(subscription)
        if form is None:
            return self._to_destination(delivery, subscription, self.data, properties)
        format, encoding, ccsid = md.format, md.encoding, md.coded_char_set_id
        md.format, md.encoding, md.coded_char_set_id = form.format, form.encoding, form.ccsid
        reason = self._to_destination(delivery, subscription, form.data, properties)
        md.format, md.encoding, md.coded_char_set_id = format, encoding, ccsid
        return reason

    def _form(self, subscription: Subscription) -> Form | None:
        told = self.retained and subscription.informed
        key = (subscription.properties, subscription.user_data, told)
        if self.forms is None:
            self.forms = {}
        form = self.forms.get(key)
        if form is None:
            make = rfh_form if subscription.properties == PROPERTIES_COMPAT else rfh2_form
            retain = self.options & MQPMO_RETAIN != 0
            try:
                form = make(self.md, self.data, self.topic.topic_string, subscription.user_data, retain, told)
            except StructureError:
                return None  # A topic string that cannot be written there: the copy goes without.
            self.forms[key] = form
        return form

    def _to_destination(self, delivery: Delivery, subscription: Subscription, data: bytes, properties: bytes) -> int:
        qm = self.qm
        md = self.md
        reason = MQRC_NONE
        queue = subscription.queue
        target_q_name = target_q_mgr_name = ""
        if queue is None or queue.deleted:
            subscription.queue = queue = None
            resolution = qm.catalogue.resolve(subscription.dest_queue, subscription.dest_q_mgr)
            definition = resolution.queue
            reason = resolution.reason
            if not reason and (definition is None or definition.kind != "QLOCAL"):
                reason = MQRC_OBJECT_TYPE_ERROR
            if not reason and definition is not None:
                queue = qm.queues.get(definition.name)
                target_q_name, target_q_mgr_name = resolution.remote_q_name, resolution.remote_q_mgr_name
                named = resolution.named
                if queue is not None and queue.rules.queued:
                    reason = MQRC_INVALID_DESTINATION
                elif named is definition and not target_q_mgr_name:
                    subscription.queue = queue
                elif named is not None and named.attributes.get("PUT") == "DISABLED":
                    reason = MQRC_PUT_INHIBITED
            elif not subscription.durable:
                self._ends(subscription)
        if queue is not None:
            if subscription.persistence >= 0:
                md.persistence = (
                    subscription.persistence if subscription.persistence < 2 else queue.rules.def_persistence
                )
            if queue.temporary:
                md.persistence = 0
            if subscription.pub_priority == PRIORITY_AS_QUEUE:
                md.priority = queue.rules.def_priority
            elif subscription.pub_priority != PRIORITY_AS_PUBLISHED:
                md.priority = subscription.pub_priority
        if not reason and queue is not None:
            if target_q_mgr_name:
                reason = self._add_remote(delivery, queue, target_q_name, target_q_mgr_name, data)
            elif queue.stream.name:
                direct = delivery.direct
                delivery.direct = False  # Both or none, under MUSTDUP.
                reason = stream.add_streamed(qm, delivery, queue, md, data, properties)
                delivery.direct = direct
            else:
                reason = delivery.add(queue, md, data, properties, False)
        if reason:
            if queue is not None:
                queue.counts.put_failed += 1
            return self._refused(delivery, subscription, md, data, properties, reason)
        self.delivered.append(subscription)
        return MQRC_NONE

    def _add_remote(self, delivery: Delivery, transmission: Queue, q_name: str, q_mgr_name: str, data: bytes) -> int:
        try:
            wrapped = remote.wrap(self.qm, q_name, q_mgr_name, self.md, data)
        except StructureError:
            return MQRC_MD_ERROR
        own = remote.separate_descriptor(self.qm, self.md, delivery.now)
        return delivery.add(transmission, own, wrapped, b"", False)

    def _refused(
        self, delivery: Delivery, subscription: Subscription, md: MQMD, data: bytes, properties: bytes, reason: int
    ) -> int:
        """A copy cannot be delivered: dead-letter queue, nothing, or the end of the publish."""
        attributes = self.attributes
        if attributes.use_dead_letter_queue and not self._dead_letter(
            delivery, subscription, md, data, properties, reason
        ):
            return MQRC_NONE
        rule = attributes.persistent_delivery if self.persistence == 1 else attributes.non_persistent_delivery
        if rule == DELIVER_ALL or (rule == DELIVER_ALL_DURABLE and subscription.durable):
            return MQRC_PUBLICATION_FAILURE
        return MQRC_NONE

    def _dead_letter(
        self, delivery: Delivery, subscription: Subscription, md: MQMD, data: bytes, properties: bytes, reason: int
    ) -> int:
        """Add the copy for the dead-letter queue instead; the reason why that is not possible either."""
        qm = self.qm
        queue = qm.queues.get(qm.dead_letter_queue)
        if queue is None or queue.rules.transmission or queue.name == subscription.dest_queue:
            return MQRC_UNKNOWN_OBJECT_NAME
        try:
            header = report.dead_letter_header(
                qm, md, subscription.dest_queue, subscription.dest_q_mgr or qm.name, reason
            )
        except StructureError:
            return MQRC_MD_ERROR
        dead = md.copy()
        dead.format = MQFMT_DEAD_LETTER_HEADER
        dead.encoding = MQENC_NATIVE
        dead.coded_char_set_id = qm.ccsid
        if queue.temporary:
            dead.persistence = 0
        return delivery.add(queue, dead, header + data, properties, False)


def copies_for_alias(
    qm: QueueManager, delivery: Delivery, queue: Queue, topic_name: str, md: MQMD, data: bytes, properties: bytes
) -> int:
    """Add copies for the subscribers of a topic that an alias stands for; on any other reason than 0, none was added.

    For a put to `queue`, whose STREAMQ the alias is; the queue remembers the topic from put to put. Nobody is
    subscribed: nothing is added, and that is no failure (B51).
    """
    definition = qm.catalogue.find("TOPIC", topic_name)
    if definition is None:
        return MQRC_UNKNOWN_ALIAS_BASE_Q
    topic_string = definition.text("TOPICSTR")
    topic = queue.stream.topic
    if topic is None or topic.topic_string != topic_string:
        if not is_topic_string(topic_string):
            return MQRC_TOPIC_STRING_ERROR
        topic = queue.stream.topic = qm.topics.open(topic_string)
    publication = Publication(qm, delivery.connection, topic, md, data, properties)
    before = len(delivery.messages)
    reason = publication.gather(delivery)
    if reason:
        delivery.cut(before)
        return reason
    publication.count(delivery.now)
    return MQRC_NONE
