"""The retained publications that a subscription means, put on its queue: for MQSUB, and again for MQSUBRQ.

All of them are put together, or none (MQRC_RETAINED_NOT_DELIVERED). Where there are more than TOPICS_AT_ONCE topics to
look at, and the host takes turns (work.py), it is done in slices, each together or not at all:

    collecting   the topic strings are read from the messages of the queue, if nobody needed them before (retained.py)
    matching     a slice of topics is compared with the subscription, and the publications of this slice are put

L1  The subscription is registered before the first slice. So what is published meanwhile reaches it as every
    publication does. A retained publication put after that (`_boundary`) is left out: the subscriber has it already.
L2  If a slice cannot be put the call fails, as if none could, and a new subscription ends. What earlier slices have put
    on a queue that is not managed stays there; others may have got it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import MQPMO_RETAIN
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQRC_NONE, MQRC_RETAINED_NOT_DELIVERED
from flintmq.qmgr import kept, retained
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.message import fill_descriptor
from flintmq.qmgr.place import Delivery
from flintmq.qmgr.publish import Publication
from flintmq.qmgr.subscription import Subscription
from flintmq.qmgr.work import Work

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

TOPICS_AT_ONCE: Final = 200
#: Units of work: to compare a topic string, and to put a publication.
_COMPARED: Final = 2
_PUT: Final = 12

_ALL: Final = 1 << 62


def deliver_retained(qm: QueueManager, connection: Connection, subscription: Subscription) -> tuple[int, int]:
    """Put the retained publications that a subscription means on its queue: (reason, how many). All or none."""
    return _deliver(qm, connection, subscription, retained.matching(qm, subscription), _ALL)


def _deliver(
    qm: QueueManager, connection: Connection, subscription: Subscription, topic_strings: list[str], boundary: int
) -> tuple[int, int]:
    """The same of these topics, as far as their publications were put before `boundary`."""
    now = qm.clock.now_ms()
    delivery = Delivery(qm, connection, False, now)
    publications: list[Publication] = []
    for topic_string in topic_strings:
        message = retained.current(qm, topic_string)
        if message is None or message.sequence >= boundary:
            continue
        md = MQMD()
        md.version = 2
        fill_descriptor(message, md, now)
        _, md.correl_id, properties = retained.topic_of(message)
        topic = qm.topics.open(topic_string)
        publication = Publication(qm, connection, topic, md, message.data, properties, MQPMO_RETAIN)
        publication.retained = True
        if publication.copy_to(delivery, [subscription]):
            delivery.cancel()
            return MQRC_RETAINED_NOT_DELIVERED, 0
        publications.append(publication)
    force = connection.force
    reason = delivery.place()
    connection.force = max(force, connection.force)
    if reason:
        return MQRC_RETAINED_NOT_DELIVERED, 0
    count = 0
    for publication in publications:
        publication.count_copies(now)
        count += len(publication.delivered)
    return MQRC_NONE, count


def is_long(qm: QueueManager, subscription: Subscription) -> bool:
    """Whether so many topics have to be looked at that it is done in slices."""
    return retained.is_wild(subscription) and retained.topics_at_most(qm) > TOPICS_AT_ONCE


class RetainedDelivery(Work):
    """The same in slices."""

    def __init__(self, qm: QueueManager, connection: Connection, subscription: Subscription, handle: Handle) -> None:
        self.repeats = True
        self.handle = handle
        self.reason: int = MQRC_NONE
        self.count = 0
        #: Up to where the log has to be durable before the call is answered.
        self.force = connection.force
        self._qm = qm
        self._connection = connection
        self._subscription = subscription
        queue = qm.queues.get(kept.RETAINED_QUEUE)
        self._boundary = queue.next_sequence if queue is not None else 0
        self._matcher = retained.Matcher(qm, subscription)
        self._topics: list[str] | None = None
        self._at = 0

    def step(self, budget: int) -> None:
        """Collect, or compare and put, some more."""
        qm, connection = self._qm, self._connection
        if not connection.connected or qm.subscriptions.by_id.get(self._subscription.sub_id) is not self._subscription:
            self.done = True  # The client has gone, or somebody has deleted the subscription.
            return
        topics = self._topics
        if topics is None:
            if retained.collect(qm, budget):
                self._topics = retained.topics(qm)
            return
        found: list[str] = []
        while budget > 0 and self._at < len(topics):
            topic_string = topics[self._at]
            self._at += 1
            budget -= _COMPARED
            if self._matcher.matches(topic_string):
                found.append(topic_string)
                budget -= _PUT
        connection.force = 0
        self.reason, count = _deliver(qm, connection, self._subscription, found, self._boundary)
        self.force = max(self.force, connection.force)
        self.count += count
        self.done = self.reason != MQRC_NONE or self._at >= len(topics)
