"""Subscriptions come and go: the topic tree, the lists by id and name, the subscriber queue, managed destinations.

Every subscription, whoever makes it (MQSUB, DEFINE SUB, the queued interface), comes through `register` and goes
through `end`. A durable one is a persistent message on SYSTEM.DURABLE.SUBSCRIBER.QUEUE; it is there before the
subscription is in force, and gone before the subscription's managed queue is. So a crash leaves

    a managed durable queue without a subscription    removed by the next start
    a subscription whose managed queue is gone        cannot be
    two records of one subscription, after an ALTER   the newer is in force, the next start removes the other
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.log.errors import LogError
from flintmq.mqi.constants import MQAT_QMGR
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQRC_DURABILITY_NOT_ALLOWED, MQRC_NONE, MQRC_Q_DELETED
from flintmq.qmgr import kept
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.get import fail_waiters
from flintmq.qmgr.message import AVAILABLE, Message
from flintmq.qmgr.objects import detach_queue, log_deletion
from flintmq.qmgr.place import Delivery
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.subscription import RecordError, Subscription, from_record
from flintmq.selector import SelectorError, compile_selector

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

#: The names of managed queues begin so.
MANAGED: Final = "SYSTEM.MANAGED."
MANAGED_DURABLE: Final = "SYSTEM.MANAGED.DURABLE."
MANAGED_NON_DURABLE: Final = "SYSTEM.MANAGED.NDURABLE."


def own_connection(qm: QueueManager) -> Connection:
    """For what the queue manager does by itself. Nobody waits for its log position."""
    return Connection(b"", qm.name[:28], "", MQAT_QMGR)


def register(qm: QueueManager, connection: Connection, subscription: Subscription) -> int:
    """Put a new subscription in force."""
    now = qm.clock.now_ms()
    subscription.created_ms = subscription.altered_ms = now
    start_expiry(subscription, now)
    if subscription.durable:
        reason = _write(qm, connection, subscription)
        if reason:
            return reason
    enter(qm, subscription)
    return MQRC_NONE


def enter(qm: QueueManager, subscription: Subscription) -> None:
    """File a subscription that is recorded, if it has to be (S2)."""
    subscription.refresh()
    qm.subscriptions.add(subscription)
    qm.topics.add(subscription)


def rewrite(qm: QueueManager, connection: Connection, subscription: Subscription) -> int:
    """A subscription was altered."""
    subscription.altered_ms = qm.clock.now_ms()
    subscription.refresh()
    if not subscription.durable:
        return MQRC_NONE
    reason = _write(qm, connection, subscription)
    if not reason:
        _forget(qm, connection, subscription, 1)
    return reason


def start_expiry(subscription: Subscription, now: int) -> None:
    """SubExpiry counts from here on."""
    subscription.expires_ms = now + subscription.expiry * 100 if subscription.expiry >= 0 else 0


def end(qm: QueueManager, subscription: Subscription, connection: Connection | None = None) -> int:
    """A subscription ends, and its managed destination with it when nobody has that open any more."""
    if qm.subscriptions.by_id.get(subscription.sub_id) is not subscription:
        return MQRC_NONE
    if connection is None:
        connection = own_connection(qm)
    if subscription.durable:
        reason = _forget(qm, connection, subscription, 0)
        if reason:
            return reason
    qm.subscriptions.remove(subscription)
    qm.topics.discard(subscription)
    if subscription.handle is not None:
        subscription.handle.subscription = None
        subscription.handle = None
    for sharer in subscription.sharers:
        sharer.subscription = None
    subscription.sharers = []
    subscription.connection = None
    if subscription.managed:
        queue = qm.queues.get(subscription.dest_queue)
        if queue is not None and (not queue.temporary or subscription.shared):
            queue.opens.orphan = True
            remove_orphan(qm, queue, connection)
    return MQRC_NONE


def handle_closed(qm: QueueManager, connection: Connection, handle: Handle, subscription: Subscription) -> None:
    """If nobody has the subscription open any more, one that is not durable ends."""
    sharers = subscription.sharers
    if sharers:
        if handle is subscription.handle:
            subscription.handle = sharers.pop(0)
            subscription.connection = subscription.handle.connection
        else:
            sharers.remove(handle)
        return
    subscription.handle = None
    subscription.connection = None
    if not subscription.durable:
        end(qm, subscription, connection)


def remove_orphan(qm: QueueManager, queue: Queue, connection: Connection) -> None:
    """A managed queue without its subscription goes with the last handle, and so do the messages on it."""
    if queue.opens.handles or queue.uncommitted or queue.deleted:
        return
    if not queue.temporary:
        try:
            connection.force = max(connection.force, log_deletion(qm, queue.definition))
        except LogError:
            return  # The next start removes it.
    fail_waiters(qm, queue, MQRC_Q_DELETED)
    queue.counts.purged_count += queue.depth
    qm.catalogue.remove(queue.definition)
    detach_queue(qm, queue)


# -- the subscriber queue ----------------------------------------------------------------------------------------------


def _write(qm: QueueManager, connection: Connection, subscription: Subscription) -> int:
    queue = qm.queues.get(kept.SUBSCRIBER_QUEUE)
    if queue is None:
        return MQRC_DURABILITY_NOT_ALLOWED
    now = qm.clock.now_ms()
    qm.stamp(now)
    md = MQMD()
    md.msg_id = qm.new_msg_id()
    md.correl_id = subscription.sub_id
    md.persistence = 1
    md.priority = 0
    md.coded_char_set_id = 1208
    md.put_appl_type = MQAT_QMGR
    md.put_appl_name = qm.name[:28]
    md.put_date = qm.put_date
    md.put_time = qm.put_time
    force = connection.force
    delivery = Delivery(qm, connection, False, now)
    reason = delivery.add(queue, md, subscription.to_record())
    if not reason:
        reason = delivery.place()
    connection.force = max(connection.force, force)
    return reason


def _forget(qm: QueueManager, connection: Connection, subscription: Subscription, keep: int) -> int:
    """Remove the records of a subscription but for the last `keep`."""
    queue = qm.queues.get(kept.SUBSCRIBER_QUEUE)
    if queue is None:
        return MQRC_NONE
    records = kept.find_all(queue, subscription.sub_id)
    for message in records[: len(records) - keep]:
        reason = kept.take(qm, connection, message)
        if reason:
            return reason
    return MQRC_NONE


def check_subscriptions(qm: QueueManager) -> None:
    """S1 to S3 of subscription.py."""
    subscriptions = qm.subscriptions
    durable: set[bytes] = set()
    named = 0
    for sub_id, subscription in subscriptions.by_id.items():
        assert subscription.sub_id == sub_id, f"S1: {subscription!r}"
        if subscription.name:
            named += 1
            assert subscriptions.by_name.get(subscription.name) is subscription, f"S1: {subscription!r}"
        if subscription.durable:
            durable.add(sub_id)
    assert named == len(subscriptions.by_name), "S1: there are names without subscriptions"
    assert qm.topics.subscription_count == len(subscriptions.by_id), "S2: the topic tree has others"
    queue = qm.queues.get(kept.SUBSCRIBER_QUEUE)
    if queue is not None and not queue.spilled_count:
        recorded = {message.correl_id for message in queue.messages_in_memory() if message.state == AVAILABLE}
        for sub_id in durable:
            assert sub_id in recorded, f"S3: {subscriptions.by_id[sub_id]!r}"


def restore(qm: QueueManager) -> None:
    """After a restart: durable subscriptions are in force again, managed queues that nobody owns are gone."""
    queue = qm.queues.get(kept.SUBSCRIBER_QUEUE)
    if queue is None:
        return
    connection = own_connection(qm)
    found: dict[bytes, Subscription] = {}
    complete = True
    for message in sorted(kept.everything(queue), key=_sequence):
        try:
            subscription = from_record(message.data)
        except RecordError as error:
            complete = False
            qm.notice("AMQ5850E", f"A message on {kept.SUBSCRIBER_QUEUE} is no durable subscription: {error}.")
            continue
        found[subscription.sub_id] = subscription
        qm.id_seen(subscription.sub_id)
    managed: set[str] = set()
    for subscription in found.values():
        if subscription.name in qm.subscriptions.by_name:
            continue
        if subscription.selector:
            try:
                subscription.compiled = compile_selector(subscription.selector)
            except SelectorError as error:
                qm.notice("AMQ5850E", f"{subscription!r} gets no messages: its selector cannot be read: {error}")
        enter(qm, subscription)
        _forget(qm, connection, subscription, 1)
        if subscription.managed:
            managed.add(subscription.dest_queue)
    if complete:
        for each in list(qm.queues.values()):
            if each.name.startswith(MANAGED_DURABLE) and each.name not in managed:
                remove_orphan(qm, each, connection)


def _sequence(message: Message) -> int:
    return message.sequence
