"""MQSUB, MQSUBRQ, and the end of a subscription handle.

MQSUB gives a handle of the subscription (Hsub) and, with MQSO_MANAGED, one of the queue that was made for it (Hobj): it
is `handle.destination`.

    options            there is one of this name             there is none
    CREATE             2432                                  it is made
    RESUME             it is had again                       2428
    ALTER              it is had again, and changed          2428
    CREATE + RESUME    as RESUME                             as CREATE
    CREATE + ALTER     as ALTER                              as CREATE

    MQSO_DURABLE       it is there until it is removed (MQCO_REMOVE_SUB, DELETE SUB) or SubExpiry ends it
    MQSO_NON_DURABLE   it ends with its handle, and so with the connection

Where more than one reason could apply, the order of checking is: options (2046), name (2440), fields of the MQSD (2013,
2050, 2424, 2431), the subscription itself (2428, 2432, 2429, 2434), what may not be altered (2509, 2510, 2512, 2515,
2524, 2533, 2435); for a new one: topic (2085, 2425), inhibited (2503, 2436), authority (2035), selector (2459),
destination (2019, 2522).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQCO_KEEP_SUB,
    MQCO_NONE,
    MQCO_REMOVE_SUB,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_SET_IDENTITY_CONTEXT,
    MQOT_Q,
    MQSO_ALTER,
    MQSO_ALTERNATE_USER_AUTHORITY,
    MQSO_ANY_USERID,
    MQSO_CREATE,
    MQSO_DURABLE,
    MQSO_FAIL_IF_QUIESCING,
    MQSO_FIXED_USERID,
    MQSO_GROUP_SUB,
    MQSO_MANAGED,
    MQSO_NEW_PUBLICATIONS_ONLY,
    MQSO_NO_MULTICAST,
    MQSO_NO_READ_AHEAD,
    MQSO_PUBLICATIONS_ON_REQUEST,
    MQSO_READ_AHEAD,
    MQSO_RESUME,
    MQSO_SCOPE_QMGR,
    MQSO_SET_CORREL_ID,
    MQSO_SET_IDENTITY_CONTEXT,
    MQSO_WILDCARD_CHAR,
    MQSO_WILDCARD_TOPIC,
    MQSR_ACTION_PUBLICATION,
    MQSRO_FAIL_IF_QUIESCING,
)
from flintmq.mqi.md import NO_ACCOUNTING_TOKEN as NO_TOKEN
from flintmq.mqi.od import MQOD
from flintmq.mqi.pcf_constants import MQRQ_SUB_DEST_NOT_AUTHORIZED, MQRQ_SUB_NOT_AUTHORIZED
from flintmq.mqi.reason import (
    MQRC_ACTION_ERROR,
    MQRC_ALTER_SUB_ERROR,
    MQRC_DEST_CLASS_NOT_ALTERABLE,
    MQRC_DURABILITY_NOT_ALLOWED,
    MQRC_DURABILITY_NOT_ALTERABLE,
    MQRC_EXPIRY_ERROR,
    MQRC_GROUPING_NOT_ALTERABLE,
    MQRC_HANDLE_NOT_AVAILABLE,
    MQRC_HOBJ_ERROR,
    MQRC_IDENTITY_MISMATCH,
    MQRC_INVALID_DESTINATION,
    MQRC_NO_RETAINED_MSG,
    MQRC_NO_SUBSCRIPTION,
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_OPTIONS_ERROR,
    MQRC_PRIORITY_ERROR,
    MQRC_Q_MGR_QUIESCING,
    MQRC_SD_ERROR,
    MQRC_SELECTOR_NOT_ALTERABLE,
    MQRC_SUB_ALREADY_EXISTS,
    MQRC_SUB_INHIBITED,
    MQRC_SUB_NAME_ERROR,
    MQRC_SUB_USER_DATA_ERROR,
    MQRC_SUBLEVEL_NOT_ALTERABLE,
    MQRC_SUBSCRIPTION_IN_USE,
    MQRC_TOPIC_NOT_ALTERABLE,
    MQRC_TOPIC_STRING_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from flintmq.mqi.sd import MQSD
from flintmq.mqi.sro import MQSRO
from flintmq.mqi.topic_words import join_topic
from flintmq.qmgr import event, registration
from flintmq.qmgr.close import close_handle
from flintmq.qmgr.connection import MQOT_SUBSCRIPTION, Connection, Handle, fail, not_usable, succeed
from flintmq.qmgr.message import NO_ID
from flintmq.qmgr.open import make_dynamic, open_queue
from flintmq.qmgr.retained_delivery import RetainedDelivery, deliver_retained, is_long
from flintmq.qmgr.security import Authority, context_user
from flintmq.qmgr.subscription import (
    LEVEL_MAX,
    PRIORITY_AS_PUBLISHED,
    PRIORITY_AS_QUEUE,
    SUBSCRIPTION_NAME_LENGTH_MAX,
    UNLIMITED,
    USER_DATA_LENGTH_MAX,
    WILDCARD_CHAR,
    WILDCARD_TOPIC,
    Subscription,
    subscription_of,
)
from flintmq.qmgr.topic_tree import is_subscribable
from flintmq.selector import SelectorError, compile_selector

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_HOW: Final = MQSO_CREATE | MQSO_RESUME | MQSO_ALTER
_KNOWN: Final = (
    _HOW
    | MQSO_DURABLE
    | MQSO_GROUP_SUB
    | MQSO_MANAGED
    | MQSO_SET_IDENTITY_CONTEXT
    | MQSO_NO_MULTICAST
    | MQSO_FIXED_USERID
    | MQSO_ANY_USERID
    | MQSO_PUBLICATIONS_ON_REQUEST
    | MQSO_NEW_PUBLICATIONS_ONLY
    | MQSO_FAIL_IF_QUIESCING
    | MQSO_ALTERNATE_USER_AUTHORITY
    | MQSO_WILDCARD_CHAR
    | MQSO_WILDCARD_TOPIC
    | MQSO_SET_CORREL_ID
    | MQSO_SCOPE_QMGR
    | MQSO_NO_READ_AHEAD
    | MQSO_READ_AHEAD
)
#: Pairs of which one may be chosen at most.
_EXCLUSIVE: Final = (
    MQSO_RESUME | MQSO_ALTER,
    MQSO_WILDCARD_CHAR | MQSO_WILDCARD_TOPIC,
    MQSO_FIXED_USERID | MQSO_ANY_USERID,
    MQSO_READ_AHEAD | MQSO_NO_READ_AHEAD,
    MQSO_GROUP_SUB | MQSO_MANAGED,
)


def subscribe(
    qm: QueueManager,
    connection: Connection,
    sd: MQSD,
    destination: Handle | None = None,
    hsub: Handle | None = None,
    shared: bool = False,
) -> Handle | None:
    """MQSUB. The handle of the subscription, or None with the reason in the connection.

    `destination` is the queue that publications go to, unless managed; `hsub` the subscription to alter, if it has no
    name. The queue of a managed subscription is `handle.destination` of what is returned. With `shared`, one that
    others have open to be shared is had as well.
    """
    work = connection.work
    if isinstance(work, RetainedDelivery):
        made = _after_delivery(qm, connection, sd, work)
        if made is not None and shared:
            share(made)
        return made
    connection.force = 0
    qm.counters.subscribes += 1
    if sd.options & MQSO_DURABLE:
        qm.counters.durable_subscribes += 1
    if not connection.usable:
        fail(connection, not_usable(connection))
        return None
    reason = _check(qm, connection, sd, hsub)
    if reason:
        fail(connection, reason)
        return None
    existing = subscription_of(hsub) if hsub is not None else qm.subscriptions.by_name.get(sd.sub_name)
    if existing is not None and existing.expires_ms and existing.expires_ms <= qm.clock.now_ms():
        registration.end(qm, existing, connection)
        qm.counters.subscriptions_expired += 1
        existing = None
    if existing is None:
        if not sd.options & MQSO_CREATE:
            fail(connection, MQRC_NO_SUBSCRIPTION)
            return None
        made = _create(qm, connection, sd, destination)
        if made is not None and shared and connection.work is None:
            share(made)
        return made
    if sd.options & _HOW == MQSO_CREATE and sd.sub_name:
        fail(connection, MQRC_SUB_ALREADY_EXISTS)
        return None
    if shared and existing.connection is not None and existing.shared:
        return _join(qm, connection, sd, existing)
    had = _resume(qm, connection, sd, destination, existing)
    if had is not None and shared:
        share(had)
    return had


def share(handle: Handle) -> None:
    """The first who has a subscription open lets others in."""
    subscription = subscription_of(handle)
    assert subscription is not None and handle.destination is not None
    if subscription.managed:
        subscription.shared = True
        handle.destination.owns_dynamic = False  # It goes with the subscription, not with this handle.


def _join(qm: QueueManager, connection: Connection, sd: MQSD, subscription: Subscription) -> Handle | None:
    """One more handle of a subscription that is shared. It is not altered: that needs a subscription nobody uses."""
    reason = MQRC_NONE if _may_have(qm, connection, sd, subscription) else MQRC_NOT_AUTHORIZED
    if not reason:
        reason = _may_resume(qm, connection, sd, None, subscription, False)
    if not reason and sd.selection_string != subscription.selector:
        reason = MQRC_SELECTOR_NOT_ALTERABLE
    if reason:
        fail(connection, reason)
        return None
    first = subscription.handle
    owner = subscription.connection
    destination = _open_managed(qm, connection, subscription)
    if destination is None:
        return None
    destination.owns_dynamic = False
    handle = _handle(connection, sd, subscription, destination)
    subscription.sharers.append(handle)
    subscription.handle = first
    subscription.connection = owner
    return handle


def _check(qm: QueueManager, connection: Connection, sd: MQSD, hsub: Handle | None) -> int:
    """Everything that can be seen without looking at a subscription."""
    options = sd.options
    if options & ~_KNOWN or not options & _HOW:
        return MQRC_OPTIONS_ERROR
    for pair in _EXCLUSIVE:
        if options & pair == pair:
            return MQRC_OPTIONS_ERROR
    if options & MQSO_GROUP_SUB and not options & MQSO_SET_CORREL_ID:
        return MQRC_OPTIONS_ERROR
    if qm.quiescing and options & MQSO_FAIL_IF_QUIESCING:
        return MQRC_Q_MGR_QUIESCING
    if hsub is not None:
        if options & _HOW != MQSO_ALTER:
            return MQRC_OPTIONS_ERROR
        if not hsub.open or hsub.subscription is None or connection.handles.get(hsub.number) is not hsub:
            return MQRC_HOBJ_ERROR
    elif not sd.sub_name and (options & (MQSO_RESUME | MQSO_ALTER) or options & MQSO_DURABLE):
        return MQRC_SUB_NAME_ERROR
    if len(sd.sub_name) > SUBSCRIPTION_NAME_LENGTH_MAX:
        return MQRC_SUB_NAME_ERROR
    if sd.sub_expiry < 1 and sd.sub_expiry != UNLIMITED:
        return MQRC_EXPIRY_ERROR
    if sd.pub_priority != PRIORITY_AS_PUBLISHED and not PRIORITY_AS_QUEUE <= sd.pub_priority <= qm.max_priority:
        return MQRC_PRIORITY_ERROR
    if not 0 <= sd.sub_level <= LEVEL_MAX:
        return MQRC_SD_ERROR
    if len(sd.sub_user_data) > USER_DATA_LENGTH_MAX:
        return MQRC_SUB_USER_DATA_ERROR
    if len(connection.handles) + (2 if options & MQSO_MANAGED else 1) > qm.max_handles:
        return MQRC_HANDLE_NOT_AVAILABLE
    return MQRC_NONE


# -- a new one ---------------------------------------------------------------------------------------------------------


def _create(qm: QueueManager, connection: Connection, sd: MQSD, destination: Handle | None) -> Handle | None:
    options = sd.options
    wildcard = WILDCARD_CHAR if options & MQSO_WILDCARD_CHAR else WILDCARD_TOPIC
    subscription = Subscription(qm.new_msg_id(), sd.sub_name, "")
    subscription.wildcard = wildcard
    subscription.topic_object = sd.object_name
    reason = set_topic(qm, subscription, sd.object_name, sd.object_string)
    if not reason:
        subscription.durable = options & MQSO_DURABLE != 0
        reason = may_be_made(qm, subscription)
    if not reason:
        reason = _authorise(qm, connection, sd, subscription, None if options & MQSO_MANAGED else destination)
    if not reason:
        reason = set_selector(subscription, sd.selection_string, connection)
    if reason:
        fail(connection, reason)
        return None
    subscription.managed = options & MQSO_MANAGED != 0
    subscription.grouped = options & MQSO_GROUP_SUB != 0
    subscription.request_only = options & MQSO_PUBLICATIONS_ON_REQUEST != 0
    subscription.local = options & MQSO_SCOPE_QMGR != 0
    subscription.level = sd.sub_level
    subscription.correl_id_set = options & MQSO_SET_CORREL_ID != 0
    subscription.correl_id = sd.sub_correl_id if subscription.correl_id_set else qm.new_msg_id()
    _take_fields(qm, connection, sd, subscription)
    destination = _destination(qm, connection, subscription, destination)
    if destination is None:
        return None
    force = connection.force
    reason = registration.register(qm, connection, subscription)
    if not reason and not options & (MQSO_NEW_PUBLICATIONS_ONLY | MQSO_PUBLICATIONS_ON_REQUEST):
        if connection.slices and is_long(qm, subscription):
            connection.force = max(force, connection.force)
            handle = _handle(connection, sd, subscription, destination)
            connection.work = RetainedDelivery(qm, connection, subscription, handle)
            return handle
        reason = deliver_retained(qm, connection, subscription)[0]
        if reason:
            registration.end(qm, subscription, connection)
    connection.force = max(force, connection.force)
    if reason:
        if subscription.managed:
            _give_up_destination(qm, connection, destination)
        fail(connection, reason)
        return None
    return _handle(connection, sd, subscription, destination)


def _after_delivery(qm: QueueManager, connection: Connection, sd: MQSD, work: RetainedDelivery) -> Handle | None:
    """The call is made again: the retained publications of the new subscription are on its queue, or cannot be."""
    connection.work = None
    connection.force = work.force
    handle, subscription = work.handle, subscription_of(work.handle)
    destination = handle.destination
    assert destination is not None
    if subscription is not None and not work.reason:
        _say(sd, subscription)
        succeed(connection)
        return handle
    if subscription is not None:
        registration.end(qm, subscription, connection)
        if subscription.managed:
            _give_up_destination(qm, connection, destination)
    elif destination.open and destination.owns_dynamic:
        _give_up_destination(qm, connection, destination)
    close_handle(qm, connection, handle)
    connection.force = max(work.force, connection.force)
    fail(connection, work.reason or MQRC_NO_SUBSCRIPTION)
    return None


def set_topic(qm: QueueManager, subscription: Subscription, topic_name: str, object_string: str) -> int:
    """The topic string of a new subscription, from a TOPIC object and a string. 2085, 2425."""
    topic_string = ""
    if topic_name:
        definition = qm.catalogue.find("TOPIC", topic_name)
        if definition is None:
            return MQRC_UNKNOWN_OBJECT_NAME
        topic_string = definition.text("TOPICSTR")
    topic_string = join_topic(topic_string, object_string)
    if not is_subscribable(topic_string, subscription.wildcard):
        return MQRC_TOPIC_STRING_ERROR
    subscription.topic_object = topic_name
    subscription.topic_string = topic_string
    return MQRC_NONE


def may_be_made(qm: QueueManager, subscription: Subscription) -> int:
    """Whether the topic lets such a subscription be made. 2503, 2436."""
    attributes = qm.topics.attributes(subscription.topic_string)
    if not attributes.subscribe_enabled:
        return MQRC_SUB_INHIBITED
    if subscription.durable and not attributes.durable_allowed:
        return MQRC_DURABILITY_NOT_ALLOWED
    return MQRC_NONE


def set_selector(subscription: Subscription, selection_string: str, connection: Connection | None = None) -> int:
    """The selector of a new subscription. 2459, 2519, 2551; the place of the error is told to `connection`."""
    if not selection_string:
        return MQRC_NONE
    try:
        subscription.compiled = compile_selector(selection_string)
    except SelectorError as error:
        if connection is not None:
            connection.explanation = f"selection string, position {error.position}: {error.what}"
        return error.reason
    subscription.selector = selection_string
    return MQRC_NONE


def _authorise(
    qm: QueueManager, connection: Connection, sd: MQSD, subscription: Subscription, destination: Handle | None
) -> int:
    user = connection.user
    authority = qm.authority
    if sd.options & MQSO_ALTERNATE_USER_AUTHORITY:
        if not authority.may_use_alternate_user(user, sd.alternate_user_id):
            _refused(qm, connection, user, subscription)
            return MQRC_NOT_AUTHORIZED
        user = context_user(sd.alternate_user_id)
    if type(authority) is not Authority and not authority.may_subscribe(
        user, subscription.topic_string, qm.topic_names(subscription.topic_string)
    ):
        _refused(qm, connection, user, subscription)
        return MQRC_NOT_AUTHORIZED
    if destination is not None and not _may_put_to(qm, connection, user, sd, destination):
        return MQRC_NOT_AUTHORIZED
    subscription.user_id = user
    return MQRC_NONE


def _may_put_to(qm: QueueManager, connection: Connection, user: str, sd: MQSD, destination: Handle) -> bool:
    """Return whether publications may go to a queue that the application names. Nobody asks when they do."""
    name = destination.object_name
    needs = MQOO_OUTPUT | (MQOO_SET_IDENTITY_CONTEXT if sd.options & MQSO_SET_IDENTITY_CONTEXT else 0)
    if qm.authority.may_open(user, "QUEUE", name, needs):
        return True
    event.refused(qm, connection, user, "QUEUE", name, MQRQ_SUB_DEST_NOT_AUTHORIZED, needs)
    return False


def _may_have(qm: QueueManager, connection: Connection, sd: MQSD, subscription: Subscription) -> bool:
    """Whether one that is there may be resumed, which takes less authority than to alter it."""
    authority = qm.authority
    if type(authority) is Authority:
        return True
    user = connection.user
    allowed = True
    if sd.options & MQSO_ALTERNATE_USER_AUTHORITY:
        allowed = authority.may_use_alternate_user(user, sd.alternate_user_id)
        if allowed:
            user = context_user(sd.alternate_user_id)
    topics = qm.topic_names(subscription.topic_string)
    if allowed and sd.options & MQSO_ALTER:
        allowed = authority.may_subscribe(user, subscription.topic_string, topics)
    elif allowed:
        allowed = authority.may_resume(user, subscription.topic_string, topics)
    if not allowed:
        _refused(qm, connection, user, subscription)
    return allowed


def _refused(qm: QueueManager, connection: Connection, user: str, subscription: Subscription) -> None:
    name = subscription.topic_object
    event.refused(qm, connection, user, "TOPIC", name, MQRQ_SUB_NOT_AUTHORIZED, 0)


def _take_fields(qm: QueueManager, connection: Connection, sd: MQSD, subscription: Subscription) -> None:
    """What CREATE sets and ALTER may change."""
    subscription.user_data = sd.sub_user_data
    subscription.pub_priority = sd.pub_priority
    subscription.fixed_user = not sd.options & MQSO_ANY_USERID
    subscription.expiry = sd.sub_expiry
    subscription.identity_set = sd.options & MQSO_SET_IDENTITY_CONTEXT != 0
    if subscription.identity_set:
        subscription.accounting_token = sd.pub_accounting_token
        subscription.appl_identity_data = sd.pub_appl_identity_data
    else:
        subscription.accounting_token = NO_TOKEN
        subscription.appl_identity_data = ""


def _destination(
    qm: QueueManager, connection: Connection, subscription: Subscription, given: Handle | None
) -> Handle | None:
    """The handle of the queue that publications go to; None with the reason in the connection."""
    if subscription.managed:
        return _managed(qm, connection, subscription)
    reason = _check_destination(connection, subscription, given)
    if reason:
        fail(connection, reason)
        return None
    assert given is not None
    set_destination(subscription, given)
    return given


def _check_destination(connection: Connection, subscription: Subscription, given: Handle | None) -> int:
    if given is None or not given.open or connection.handles.get(given.number) is not given:
        return MQRC_HOBJ_ERROR
    if given.object_type != MQOT_Q or given.queue is None:
        return MQRC_HOBJ_ERROR
    if given.queue.rules.queued or (subscription.durable and given.queue.temporary):
        return MQRC_INVALID_DESTINATION
    return MQRC_NONE


def set_destination(subscription: Subscription, given: Handle) -> None:
    """Publications go to the queue that a handle is open for."""
    queue = given.queue
    assert queue is not None
    subscription.dest_queue = given.remote_queue or given.put_enabled_by or queue.name
    subscription.dest_q_mgr = given.remote_qmgr or given.resolved_qmgr
    subscription.queue = None if given.remote_qmgr or given.put_enabled_by else queue


def _managed(qm: QueueManager, connection: Connection, subscription: Subscription) -> Handle | None:
    """Make the queue of a managed subscription from the model that the topic names, and open it."""
    if not make_managed(qm, connection, subscription):
        return None
    return _open_managed(qm, connection, subscription)


def make_managed(qm: QueueManager, connection: Connection, subscription: Subscription) -> bool:
    """Make the queue of a managed subscription. False, with the reason in the connection, if it cannot be made."""
    attributes = qm.topics.attributes(subscription.topic_string)
    model_name = attributes.durable_model if subscription.durable else attributes.non_durable_model
    model = qm.catalogue.find("QMODEL", model_name)
    if model is None:
        fail(connection, MQRC_UNKNOWN_OBJECT_NAME)
        return False
    if subscription.durable and model.text("DEFTYPE") != "PERMDYN":
        fail(connection, MQRC_INVALID_DESTINATION)
        return False
    prefix = registration.MANAGED_DURABLE if subscription.durable else registration.MANAGED_NON_DURABLE
    queue = make_dynamic(qm, connection, model, prefix + subscription.sub_id[16:].hex().upper())
    if queue is None:
        return False
    subscription.dest_queue = queue.name
    subscription.dest_q_mgr = qm.name
    subscription.queue = queue
    return True


def _open_managed(qm: QueueManager, connection: Connection, subscription: Subscription) -> Handle | None:
    od = MQOD()
    od.object_name = subscription.dest_queue
    handle = open_queue(qm, connection, od, MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_INQUIRE, True)
    if handle is None:
        return None
    handle.owns_dynamic = not subscription.durable
    handle.managed = True
    connection.handles[handle.number] = handle
    return handle


def _give_up_destination(qm: QueueManager, connection: Connection, destination: Handle) -> None:
    queue = destination.queue
    if queue is not None and not queue.temporary:
        queue.opens.orphan = True
    close_handle(qm, connection, destination)


def _handle(connection: Connection, sd: MQSD, subscription: Subscription, destination: Handle) -> Handle:
    """The handle of the subscription, and what the MQSD says afterwards."""
    _say(sd, subscription)
    handle = Handle(connection.next_handle, connection, MQOT_SUBSCRIPTION, subscription.name, sd.options)
    connection.next_handle += 1
    connection.handles[handle.number] = handle
    handle.subscription = subscription
    handle.destination = destination
    subscription.connection = connection
    subscription.handle = handle
    succeed(connection)
    return handle


def _say(sd: MQSD, subscription: Subscription) -> None:
    """Write into the MQSD what MQSUB returns of a subscription."""
    sd.options |= (MQSO_DURABLE if subscription.durable else 0) | (MQSO_MANAGED if subscription.managed else 0)
    sd.res_object_string = subscription.topic_string
    sd.sub_correl_id = subscription.correl_id
    sd.sub_user_data = subscription.user_data
    sd.sub_expiry = subscription.expiry
    sd.sub_level = subscription.level
    sd.pub_priority = subscription.pub_priority
    sd.pub_accounting_token = subscription.accounting_token
    sd.pub_appl_identity_data = subscription.appl_identity_data
    sd.selection_string = subscription.selector


# -- one that is there -------------------------------------------------------------------------------------------------


def _resume(
    qm: QueueManager, connection: Connection, sd: MQSD, destination: Handle | None, subscription: Subscription
) -> Handle | None:
    """RESUME or ALTER of a subscription that exists."""
    own = subscription.handle
    altering_own = own is not None and own.connection is connection and not sd.sub_name
    if subscription.connection is not None and not altering_own:
        fail(connection, MQRC_SUBSCRIPTION_IN_USE)
        return None
    user = context_user(sd.alternate_user_id) if sd.options & MQSO_ALTERNATE_USER_AUTHORITY else connection.user
    if subscription.fixed_user and user != subscription.user_id:
        fail(connection, MQRC_IDENTITY_MISMATCH)
        return None
    altering = sd.options & MQSO_ALTER != 0
    if not _may_have(qm, connection, sd, subscription):
        fail(connection, MQRC_NOT_AUTHORIZED)
        return None
    reason = _may_resume(qm, connection, sd, destination, subscription, altering)
    if not reason and altering and destination is not None and not subscription.managed:
        reason = MQRC_NONE if _may_put_to(qm, connection, user, sd, destination) else MQRC_NOT_AUTHORIZED
    if reason:
        fail(connection, reason)
        return None
    if not subscription.fixed_user:
        subscription.user_id = user
    now = qm.clock.now_ms()
    subscription.resumed_ms = now
    if altering:
        _take_fields(qm, connection, sd, subscription)
        if sd.options & MQSO_SET_CORREL_ID:
            subscription.correl_id = sd.sub_correl_id
            subscription.correl_id_set = True
        if destination is not None and not subscription.managed:
            set_destination(subscription, destination)
    registration.start_expiry(subscription, now)
    reason = registration.rewrite(qm, connection, subscription)
    if reason:
        fail(connection, reason)
        return None
    if own is not None and own.destination is not None:
        if altering and destination is not None:
            own.destination = destination
        succeed(connection)
        return own
    if subscription.managed:
        destination = _open_managed(qm, connection, subscription)
        if destination is None:
            return None
    assert destination is not None
    return _handle(connection, sd, subscription, destination)


def _may_resume(
    qm: QueueManager,
    connection: Connection,
    sd: MQSD,
    destination: Handle | None,
    subscription: Subscription,
    altering: bool,
) -> int:
    """What RESUME and ALTER may not change. RESUME need not say what kind of subscription it is."""
    options = sd.options
    if sd.sub_name and (altering or options & MQSO_DURABLE) and (options & MQSO_DURABLE != 0) != subscription.durable:
        return MQRC_DURABILITY_NOT_ALTERABLE
    says_kind = altering or options & MQSO_MANAGED or destination is not None
    if says_kind and (options & MQSO_MANAGED != 0) != subscription.managed:
        return MQRC_DEST_CLASS_NOT_ALTERABLE
    if sd.object_name or sd.object_string:
        wanted = Subscription(NO_ID, "", "")
        wanted.wildcard = subscription.wildcard
        reason = set_topic(qm, wanted, sd.object_name, sd.object_string)
        if reason:
            return reason
        if wanted.topic_string != subscription.topic_string:
            return MQRC_TOPIC_NOT_ALTERABLE
    if not altering:
        if not subscription.managed:
            return _check_destination(connection, subscription, destination)
        return MQRC_NONE
    if sd.sub_level != subscription.level:
        return MQRC_SUBLEVEL_NOT_ALTERABLE
    if (options & MQSO_GROUP_SUB != 0) != subscription.grouped:
        return MQRC_GROUPING_NOT_ALTERABLE
    if sd.selection_string != subscription.selector:
        return MQRC_SELECTOR_NOT_ALTERABLE
    wildcard = options & (MQSO_WILDCARD_CHAR | MQSO_WILDCARD_TOPIC)
    if wildcard and (wildcard == MQSO_WILDCARD_CHAR) != (subscription.wildcard == WILDCARD_CHAR):
        return MQRC_ALTER_SUB_ERROR
    if (options & MQSO_PUBLICATIONS_ON_REQUEST != 0) != subscription.request_only:
        return MQRC_ALTER_SUB_ERROR
    if not subscription.managed and (destination is not None or subscription.handle is None):
        return _check_destination(connection, subscription, destination)
    return MQRC_NONE


# -- retained publications ---------------------------------------------------------------------------------------------


def subscription_request(qm: QueueManager, connection: Connection, hsub: Handle, action: int, sro: MQSRO) -> int:
    """MQSUBRQ: send the retained publications again."""
    work = connection.work
    if isinstance(work, RetainedDelivery):
        connection.work = None
        connection.force, sro.num_pubs = work.force, work.count
        return _requested(connection, work.reason, work.count)
    connection.force = 0
    qm.counters.subscription_requests += 1
    sro.num_pubs = 0
    if not connection.usable:
        return fail(connection, not_usable(connection))
    subscription = subscription_of(hsub)
    if not hsub.open or subscription is None:
        return fail(connection, MQRC_HOBJ_ERROR)
    if sro.options & ~MQSRO_FAIL_IF_QUIESCING:
        return fail(connection, MQRC_OPTIONS_ERROR)
    if qm.quiescing and sro.options & MQSRO_FAIL_IF_QUIESCING:
        return fail(connection, MQRC_Q_MGR_QUIESCING)
    if action != MQSR_ACTION_PUBLICATION:
        return fail(connection, MQRC_ACTION_ERROR)
    if connection.slices and is_long(qm, subscription):
        connection.work = RetainedDelivery(qm, connection, subscription, hsub)
        return succeed(connection)
    reason, sro.num_pubs = deliver_retained(qm, connection, subscription)
    return _requested(connection, reason, sro.num_pubs)


def _requested(connection: Connection, reason: int, count: int) -> int:
    """What MQSUBRQ returns when that many publications were put."""
    if reason:
        return fail(connection, reason)
    return fail(connection, MQRC_NO_RETAINED_MSG) if count == 0 else succeed(connection)


# -- MQCLOSE -----------------------------------------------------------------------------------------------------------


def close_subscription(qm: QueueManager, connection: Connection, handle: Handle, options: int) -> int:
    """MQCLOSE of a subscription handle."""
    subscription = subscription_of(handle)
    if options not in (MQCO_NONE, MQCO_KEEP_SUB, MQCO_REMOVE_SUB):
        return fail(connection, MQRC_OPTIONS_ERROR)
    if subscription is None:  # It was ended by somebody else: DELETE SUB.
        close_handle(qm, connection, handle)
        return succeed(connection)
    if options == MQCO_KEEP_SUB and not subscription.durable:
        return fail(connection, MQRC_OPTION_NOT_VALID_FOR_TYPE)
    if options == MQCO_REMOVE_SUB:
        if subscription.fixed_user and connection.user != subscription.user_id:
            return fail(connection, MQRC_IDENTITY_MISMATCH)
        reason = registration.end(qm, subscription, connection)
        if reason:
            return fail(connection, reason)
    force = connection.force
    close_handle(qm, connection, handle)
    connection.force = max(force, connection.force)
    return succeed(connection)
