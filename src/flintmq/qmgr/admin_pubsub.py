"""Publish/subscribe as an administrator sees it: DEFINE, ALTER and DELETE SUB, CLEAR TOPICSTR, and the rows of DISPLAY.

A subscription that a command defines is durable and belongs to nobody's handle. Its topic, selector, level, scope,
wildcard scheme and class of destination are for ever; ALTER, and DEFINE REPLACE, change the rest.

    refused     2440  DEFINE without a name             3311  DEFINE, and there is one of this name
                2428  there is no such subscription     3155  ALTER, DELETE while an application has it open
                2085  no such topic object, queue, or model for a managed destination
                2425  no topic string                   2459  the selector is wrong
                2503  SUB(DISABLED)                     2436  DURSUB(NO)
                2522  no DEST, or a temporary dynamic queue
                2510 2524 2512 2533 2435                what cannot be altered: topic, selector, level, DESTCLAS, others

The topics of DISPLAY TPSTATUS are those of TOPIC objects, subscriptions, retained publications and handles that are
open for publishing, with all levels above them. A topic that was only published to leaves no trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.catalogue.attribute import Value, number_of
from flintmq.catalogue.attributes import BY_KEYWORD
from flintmq.mqi.md import NO_ACCOUNTING_TOKEN, NO_ID
from flintmq.mqi.pcf_constants import (
    MQRCCF_SUB_ALREADY_EXISTS,
    MQRCCF_SUBSCRIPTION_IN_USE,
)
from flintmq.mqi.reason import (
    MQRC_ALTER_SUB_ERROR,
    MQRC_DEST_CLASS_NOT_ALTERABLE,
    MQRC_INVALID_DESTINATION,
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_SELECTOR_NOT_ALTERABLE,
    MQRC_SUB_NAME_ERROR,
    MQRC_SUBLEVEL_NOT_ALTERABLE,
    MQRC_TOPIC_NOT_ALTERABLE,
)
from flintmq.mqi.topic_words import DEFAULT_TOPIC
from flintmq.qmgr import on_behalf, registration, retained, retained_delivery, subscribe
from flintmq.qmgr.admin_rows import Row, stamp_date, stamp_time
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.subscription import (
    BY_ADMIN,
    FLAGS,
    NUMBERS,
    SUBSCRIPTION_NAME_LENGTH_MAX,
    TEXTS,
    UNLIMITED,
    WILDCARD_CHAR,
    WILDCARD_TOPIC,
    Subscription,
)
from flintmq.qmgr.topic_tree import TopicTree

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

#: What cannot be altered, and the reason that says so.
_FIXED: Final = {
    "TOPICSTR": MQRC_TOPIC_NOT_ALTERABLE,
    "SELECTOR": MQRC_SELECTOR_NOT_ALTERABLE,
    "SUBLEVEL": MQRC_SUBLEVEL_NOT_ALTERABLE,
    "DESTCLAS": MQRC_DEST_CLASS_NOT_ALTERABLE,
    "SUBSCOPE": MQRC_ALTER_SUB_ERROR,
    "WSCHEMA": MQRC_ALTER_SUB_ERROR,
}
_NO_CONNECTION: Final = "0" * 48


def own_connection(qm: QueueManager, user: str) -> Connection:
    """For the work of a command; its `force` is the administrator's."""
    connection = registration.own_connection(qm)
    connection.user = user
    return connection


def everything(qm: QueueManager) -> list[Subscription]:
    """All subscriptions. Those whose time is up end now, if nobody has noticed before."""
    now = qm.clock.now_ms()
    for subscription in qm.subscriptions.everything():
        if subscription.expires_ms and subscription.expires_ms <= now:
            registration.end(qm, subscription)
    return qm.subscriptions.everything()


def find(qm: QueueManager, name: str, sub_id: str) -> Subscription | None:
    """The subscription with this id, or else with this name."""
    everything(qm)
    if sub_id:
        found = qm.subscriptions.by_id.get(bytes.fromhex(sub_id))
        return found if found is not None and (not name or found.name == name) else None
    return qm.subscriptions.by_name.get(name) if name else None


# -- DEFINE, ALTER, DELETE --------------------------------------------------------------------------------------------


def define(qm: QueueManager, connection: Connection, name: str, values: Row, replace: bool) -> int:
    """DEFINE SUB. `values` has every attribute that can be set."""
    if not name or len(name) > SUBSCRIPTION_NAME_LENGTH_MAX:
        return MQRC_SUB_NAME_ERROR
    existing = find(qm, name, "")
    if existing is not None:
        return _replace(qm, connection, existing, values) if replace else MQRCCF_SUB_ALREADY_EXISTS
    subscription = Subscription(qm.new_msg_id(), name, "")
    subscription.wildcard = WILDCARD_CHAR if values["WSCHEMA"] == "CHAR" else WILDCARD_TOPIC
    subscription.durable = True
    subscription.kind = BY_ADMIN
    reason = subscribe.set_topic(qm, subscription, str(values["TOPICOBJ"]), str(values["TOPICSTR"]))
    if not reason:
        reason = subscribe.may_be_made(qm, subscription)
    if not reason:
        reason = _authorise(qm, connection.user, subscription)
    if not reason:
        reason = subscribe.set_selector(subscription, str(values["SELECTOR"]))
    if reason:
        return reason
    subscription.managed = values["DESTCLAS"] == "MANAGED"
    subscription.level = _number("SUBLEVEL", values["SUBLEVEL"])
    subscription.local = values["SUBSCOPE"] == "QMGR"
    subscription.correl_id = qm.new_msg_id()
    subscription.user_id = connection.user
    reason = _take(qm, connection, subscription, values)
    if not reason and subscription.managed and not subscribe.make_managed(qm, connection, subscription):
        reason = connection.reason
    if reason:
        return reason
    return _put_in_force(qm, connection, subscription)


def _put_in_force(qm: QueueManager, connection: Connection, subscription: Subscription) -> int:
    reason = registration.register(qm, connection, subscription)
    if not reason and not subscription.request_only:
        reason = retained_delivery.deliver_retained(qm, connection, subscription)[0]
        if reason:
            registration.end(qm, subscription, connection)
            return reason
    if reason and subscription.managed:
        queue = qm.queues.get(subscription.dest_queue)
        if queue is not None:
            queue.opens.orphan = True
            registration.remove_orphan(qm, queue, connection)
    return reason


def _authorise(qm: QueueManager, user: str, subscription: Subscription) -> int:
    topic_string = subscription.topic_string
    if qm.authority.may_subscribe(user, topic_string, qm.topic_names(topic_string)):
        return MQRC_NONE
    return MQRC_NOT_AUTHORIZED


def _replace(qm: QueueManager, connection: Connection, subscription: Subscription, values: Row) -> int:
    """DEFINE SUB REPLACE: as ALTER, provided that what cannot be altered is as it was."""
    wanted = Subscription(NO_ID, "", "")
    wanted.wildcard = subscription.wildcard
    reason = subscribe.set_topic(qm, wanted, str(values["TOPICOBJ"]), str(values["TOPICSTR"]))
    if reason:
        return reason
    present = row(subscription)
    present["TOPICSTR"] = subscription.topic_string
    for keyword, refusal in _FIXED.items():
        value: Value = wanted.topic_string if keyword == "TOPICSTR" else values[keyword]
        if present[keyword] != value:
            return refusal
    changes: Row = {}
    for keyword, value in values.items():
        if keyword not in _FIXED and keyword != "TOPICOBJ":
            changes[keyword] = value
    if subscription.managed:
        changes.pop("DEST", None)
        changes.pop("DESTQMGR", None)
    return alter(qm, connection, subscription, changes)


def alter(qm: QueueManager, connection: Connection, subscription: Subscription, changes: Row) -> int:
    """ALTER SUB. On failure nothing has changed."""
    if subscription.connection is not None:
        return MQRCCF_SUBSCRIPTION_IN_USE
    if subscription.managed and ("DEST" in changes or "DESTQMGR" in changes):
        return MQRC_DEST_CLASS_NOT_ALTERABLE
    before = _copy(subscription)
    reason = _take(qm, connection, subscription, changes)
    if not reason:
        if "EXPIRY" in changes:
            registration.start_expiry(subscription, qm.clock.now_ms())
        reason = registration.rewrite(qm, connection, subscription)
    if reason:
        _restore(subscription, before)
    return reason


def delete(qm: QueueManager, connection: Connection, subscription: Subscription) -> int:
    """DELETE SUB: it ends, and its managed destination with the messages there."""
    if subscription.connection is not None:
        return MQRCCF_SUBSCRIPTION_IN_USE
    return registration.end(qm, subscription, connection)


def _take(qm: QueueManager, connection: Connection, subscription: Subscription, values: Row) -> int:
    """Take over what ALTER may change too. On any other reason than 0 some of it has been."""
    for keyword, value in values.items():
        text = str(value)
        if keyword == "DESTCORL" and text:
            subscription.correl_id = bytes.fromhex(text)
            subscription.correl_id_set = True
        elif keyword == "EXPIRY":
            subscription.expiry = _number(keyword, value)
        elif keyword == "PSPROP":
            subscription.properties = text
        elif keyword == "PUBACCT":
            subscription.accounting_token = bytes.fromhex(text) if text else NO_ACCOUNTING_TOKEN
        elif keyword == "PUBAPPID":
            subscription.appl_identity_data = text
        elif keyword == "PUBPRTY":
            subscription.pub_priority = _number(keyword, value)
        elif keyword == "REQONLY":
            subscription.request_only = text == "YES"
        elif keyword == "SUBUSER":
            subscription.user_id = text or connection.user
        elif keyword == "USERDATA":
            subscription.user_data = text
        elif keyword == "VARUSER":
            subscription.fixed_user = text == "FIXED"
    subscription.identity_set = (
        subscription.accounting_token != NO_ACCOUNTING_TOKEN or subscription.appl_identity_data != ""
    )
    if subscription.managed or ("DEST" not in values and "DESTQMGR" not in values):
        return MQRC_NONE
    name = str(values.get("DEST", subscription.dest_queue))
    q_mgr = str(values.get("DESTQMGR", subscription.dest_q_mgr))
    return _set_destination(qm, connection, subscription, name, q_mgr)


def _set_destination(
    qm: QueueManager, connection: Connection, subscription: Subscription, name: str, q_mgr: str
) -> int:
    """Take over DEST and DESTQMGR. The user who gives the command needs PUT there, as for MQSUB."""
    if not name:
        return MQRC_INVALID_DESTINATION
    resolution = qm.catalogue.resolve(name, q_mgr)
    if resolution.reason:
        return resolution.reason
    queue = resolution.queue
    if queue is None or queue.kind == "QMODEL" or queue.attributes.get("DEFTYPE") == "TEMPDYN":
        return MQRC_INVALID_DESTINATION
    if connection.user and not on_behalf.may_put(qm, connection.user, name, q_mgr):
        return MQRC_NOT_AUTHORIZED
    subscription.dest_queue = name
    subscription.dest_q_mgr = q_mgr or qm.name
    subscription.queue = None
    return MQRC_NONE


def _number(keyword: str, value: Value) -> int:
    return number_of(BY_KEYWORD["SUB"][keyword], value)


def _copy(subscription: Subscription) -> Subscription:
    """Another one with the same fields, to go back to."""
    copy = Subscription(subscription.sub_id, subscription.name, subscription.topic_string)
    _restore(copy, subscription)
    return copy


def _restore(subscription: Subscription, before: Subscription) -> None:
    for field in TEXTS + NUMBERS + FLAGS:
        setattr(subscription, field, getattr(before, field))
    subscription.correl_id = before.correl_id
    subscription.accounting_token = before.accounting_token
    subscription.queue = before.queue
    subscription.refresh()


# -- DISPLAY ----------------------------------------------------------------------------------------------------------


def row(subscription: Subscription) -> Row:
    """DISPLAY SUB."""
    token = subscription.accounting_token
    expiry = subscription.expiry
    priority = subscription.pub_priority
    return {
        "SUBID": subscription.sub_id.hex().upper(),
        "SUB": subscription.name,
        "TOPICSTR": subscription.topic_string,
        "TOPICOBJ": subscription.topic_object,
        "DEST": subscription.dest_queue,
        "DESTQMGR": subscription.dest_q_mgr,
        "DESTCLAS": "MANAGED" if subscription.managed else "PROVIDED",
        "DESTCORL": subscription.correl_id.hex().upper(),
        "DURABLE": "YES" if subscription.durable else "NO",
        "EXPIRY": "UNLIMITED" if expiry == UNLIMITED else expiry,
        "PSPROP": subscription.properties,
        "PUBACCT": token.hex().upper(),
        "PUBAPPID": subscription.appl_identity_data,
        "PUBPRTY": "ASPUB" if priority == -3 else "ASQDEF" if priority == -1 else priority,
        "REQONLY": "YES" if subscription.request_only else "NO",
        "SELECTOR": subscription.selector,
        "SELTYPE": "STANDARD" if subscription.selector else "NONE",
        "SUBLEVEL": subscription.level,
        "SUBSCOPE": "QMGR" if subscription.local else "ALL",
        "SUBTYPE": subscription.kind,
        "SUBUSER": subscription.user_id,
        "USERDATA": subscription.user_data,
        "VARUSER": "FIXED" if subscription.fixed_user else "ANY",
        "WSCHEMA": "CHAR" if subscription.wildcard == WILDCARD_CHAR else "TOPIC",
        "CRDATE": stamp_date(subscription.created_ms),
        "CRTIME": stamp_time(subscription.created_ms),
        "ALTDATE": stamp_date(subscription.altered_ms),
        "ALTTIME": stamp_time(subscription.altered_ms),
    }


def status(subscription: Subscription) -> Row:
    """DISPLAY SBSTATUS, and TPSTATUS TYPE(SUB)."""
    connection = subscription.connection
    return {
        "SUBID": subscription.sub_id.hex().upper(),
        "SUB": subscription.name,
        "ACTCONN": connection.connection_id.hex().upper() if connection is not None else _NO_CONNECTION,
        "DURABLE": "YES" if subscription.durable else "NO",
        "LMSGDATE": _date(subscription.last_ms),
        "LMSGTIME": _time(subscription.last_ms),
        "MCASTREL": ["", ""],
        "NUMMSGS": subscription.delivered,
        "RESMDATE": _date(subscription.resumed_ms),
        "RESMTIME": _time(subscription.resumed_ms),
        "SUBTYPE": subscription.kind,
        "SUBUSER": subscription.user_id,
        "TOPICSTR": subscription.topic_string,
    }


def _date(time_ms: int) -> str:
    return stamp_date(time_ms) if time_ms else ""


def _time(time_ms: int) -> str:
    return stamp_time(time_ms) if time_ms else ""


class Topics:
    """The topics there are, and what is at each."""

    def __init__(self, qm: QueueManager) -> None:
        self.qm = qm
        self.objects: dict[str, MQObject] = {}
        self.subscriptions: dict[str, list[Subscription]] = {}
        self.publishers: dict[str, list[Handle]] = {}
        self.names: set[str] = {""}
        for definition in qm.catalogue.match("TOPIC"):
            if definition.name != DEFAULT_TOPIC:
                self.objects[definition.text("TOPICSTR")] = definition
                self._name(definition.text("TOPICSTR"))
        for subscription in everything(qm):
            self.subscriptions.setdefault(subscription.topic_string, []).append(subscription)
            self._name(subscription.topic_string)
        for connection in qm.connections.values():
            for handle in connection.handles.values():
                if handle.topic is not None:
                    self.publishers.setdefault(handle.topic.topic_string, []).append(handle)
                    self._name(handle.topic.topic_string)
        for topic_string in retained.topics(qm):
            if retained.current(qm, topic_string) is not None:
                self._name(topic_string)

    def _name(self, topic_string: str) -> None:
        """A topic, and all levels above it."""
        while topic_string not in self.names:
            self.names.add(topic_string)
            topic_string = topic_string.rpartition("/")[0]

    def matching(self, pattern: str) -> list[str]:
        """The topics that `pattern` means, which may have `#` and `+`, in order."""
        if pattern in self.names:
            found = [pattern]
        else:
            found = []
        levels = pattern.split("/")
        if "#" in levels or "+" in levels:
            tree = TopicTree()
            tree.add(Subscription(NO_ID, "", pattern))
            found = [name for name in self.names if name == pattern or tree.match_at(name, name.split("/"), 0)]
        return sorted(found)

    def topic_row(self, topic_string: str) -> Row:
        """DISPLAY TPSTATUS TYPE(TOPIC)."""
        definition = self.objects.get(topic_string)
        result: Row = {"TOPICSTR": topic_string, "ADMIN": definition.name if definition is not None else ""}
        result["CLUSTER"] = definition.text("CLUSTER") if definition is not None else ""
        result["CLROUTE"] = definition.text("CLROUTE") if definition is not None and result["CLUSTER"] else "NONE"
        result.update(self.qm.topics.attributes(topic_string).values)
        result["RETAINED"] = "YES" if retained.current(self.qm, topic_string) is not None else "NO"
        result["PUBCOUNT"] = len(self.publishers.get(topic_string, []))
        result["SUBCOUNT"] = len(self.subscriptions.get(topic_string, []))
        return result

    def subscription_rows(self, topic_string: str) -> list[Row]:
        """DISPLAY TPSTATUS TYPE(SUB)."""
        return [status(each) for each in self.subscriptions.get(topic_string, [])]

    def publisher_rows(self, topic_string: str) -> list[Row]:
        """DISPLAY TPSTATUS TYPE(PUB)."""
        result: list[Row] = []
        for handle in self.publishers.get(topic_string, []):
            topic = handle.topic
            assert topic is not None
            result.append(
                {
                    "TOPICSTR": topic_string,
                    "ACTCONN": handle.connection.connection_id.hex().upper(),
                    "LPUBDATE": _date(topic.last_ms),
                    "LPUBTIME": _time(topic.last_ms),
                    "MCASTREL": ["", ""],
                    "NUMPUBS": topic.published,
                }
            )
        return result


def topic_status(qm: QueueManager, pattern: str, kind: str) -> list[Row]:
    """DISPLAY TPSTATUS(pattern) TYPE(kind)."""
    topics = Topics(qm)
    result: list[Row] = []
    for topic_string in topics.matching(pattern):
        if kind == "SUB":
            result.extend(topics.subscription_rows(topic_string))
        elif kind == "PUB":
            result.extend(topics.publisher_rows(topic_string))
        else:
            result.append(topics.topic_row(topic_string))
    return result


def pubsub_status(qm: QueueManager) -> Row:
    """DISPLAY PUBSUB TYPE(LOCAL)."""
    mode = qm.definition().text("PSMODE")
    return {
        "STATUS": {"ENABLED": "ACTIVE", "DISABLED": "INACTIVE"}.get(mode, mode),
        "TPCOUNT": len(Topics(qm).names),
        "SUBCOUNT": qm.topics.subscription_count,
    }
