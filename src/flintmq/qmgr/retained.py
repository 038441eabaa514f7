"""Retained publications: the last message of a topic that was published with MQPMO_RETAIN.

A message on SYSTEM.RETAINED.PUB.QUEUE, persistent or not as it was published, so it is there after a restart exactly if
it was persistent. Its key (kept.py) is made from the topic string; its properties begin with a folder that says the
string and the publisher's correlation id; its data is the object that the copies share.

Published under syncpoint, it is retained when the unit of work is committed, and with the same commit the one before it
goes. Of two that were published in two units of work the one put later stays.

A subscription without wildcards finds its publication by the key. For one with wildcards the topic strings are needed:
they are collected from the queue when that happens for the first time, and from then on with every put. The collection
may have more than there is (`topics`), never less. It is made in slices where the host takes turns (`collect`).
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING, Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.folders import escape, read_folder
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQRC_NONE, MQRC_PUT_NOT_RETAINED, MQRC_RETAINED_MSG_Q_ERROR
from flintmq.qmgr import kept
from flintmq.qmgr.connection import Connection
from flintmq.qmgr.message import NO_ID, Message
from flintmq.qmgr.place import Delivery
from flintmq.qmgr.publication import padded
from flintmq.qmgr.subscription import WILDCARD_CHAR, Subscription
from flintmq.qmgr.topic_tree import TopicTree, has_wildcard, tokens
from flintmq.qmgr.walk import Visitor, Walk
from flintmq.qmgr.work import SLICE

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_LENGTH = struct.Struct("<i")
KEY_SIZE: Final = 24
#: Sorting more topic strings than this would take too long for one turn.
TOPICS_SORTED: Final = 5000
#: Units of work to read the topic string of a publication.
_READ: Final = 4


def key_of(topic_string: str) -> bytes:
    """The key under which the publication of a topic is kept."""
    return hashlib.blake2b(topic_string.encode("utf-8", "surrogatepass"), digest_size=KEY_SIZE).digest()


def add(qm: QueueManager, delivery: Delivery, topic_string: str, md: MQMD, data: bytes, properties: bytes) -> int:
    """Add the publication to what is placed with its copies."""
    queue = qm.queues.get(kept.RETAINED_QUEUE)
    if queue is None:
        return MQRC_RETAINED_MSG_Q_ERROR
    correl_id = md.correl_id
    md.correl_id = key_of(topic_string)
    block = _own_block(topic_string, correl_id)
    reason = delivery.add(queue, md, data, block + properties, False)
    md.correl_id = correl_id
    if reason:
        return MQRC_PUT_NOT_RETAINED
    if qm.retained_topics is not None:
        qm.retained_topics[topic_string] = None
    return MQRC_NONE


def replaced(qm: QueueManager, connection: Connection, topic_string: str, syncpoint: bool) -> None:
    """The new publication is placed: the one before goes, in the same unit of work if there is one."""
    queue = qm.queues[kept.RETAINED_QUEUE]
    found = kept.find_all(queue, key_of(topic_string))
    if not syncpoint:
        found = found[:-1]
    now = qm.clock.now_ms()
    for message in found:
        if syncpoint:
            kept.take_in_unit(connection, message, now)
            unit = connection.unit
            if unit is not None:
                unit.copies += 1
        else:
            kept.take(qm, connection, message)


def current(qm: QueueManager, topic_string: str) -> Message | None:
    """The retained publication of a topic."""
    queue = qm.queues.get(kept.RETAINED_QUEUE)
    if queue is None:
        return None
    message = kept.in_force(queue, key_of(topic_string))
    if message is None:
        return None
    if queue.pool.used > queue.pool.threshold:  # It is read, not taken: it may leave memory again.
        qm.relieve_pool(queue.pool)
    if message.expires_ms and message.expires_ms <= qm.clock.now_ms():
        return None
    return message


def clear(qm: QueueManager, connection: Connection, topic_string: str) -> int:
    """CLEAR TOPICSTR: the topic has no retained publication any more. Returns how many there were."""
    queue = qm.queues.get(kept.RETAINED_QUEUE)
    cleared = 0
    if queue is not None:
        for message in kept.find_all(queue, key_of(topic_string)):
            if kept.take(qm, connection, message) == MQRC_NONE:
                cleared += 1
    return cleared


# -- which topics ------------------------------------------------------------------------------------------------------


def topics(qm: QueueManager) -> list[str]:
    """The topic strings that may have a retained publication; in order, unless there are very many."""
    while not collect(qm, SLICE):
        pass
    assert qm.retained_topics is not None
    found = list(qm.retained_topics)
    if len(found) <= TOPICS_SORTED:
        found.sort()
    return found


def collect(qm: QueueManager, budget: int) -> bool:
    """Collect topic strings, if that was not done before: a slice of the work. True if all are collected."""
    if qm.retained_topics is None:
        qm.retained_topics = {}  # What is put from now on is added with the put.
        queue = qm.queues.get(kept.RETAINED_QUEUE)
        qm.retained_walk = None if queue is None else Walk(queue, _Topics(qm.retained_topics))
    walk = qm.retained_walk
    if walk is None:
        return True
    walk.step(budget)
    if walk.done:
        qm.retained_walk = None
    return walk.done


def topics_at_most(qm: QueueManager) -> int:
    """How many topic strings there may be."""
    if qm.retained_topics is not None and qm.retained_walk is None:
        return len(qm.retained_topics)
    queue = qm.queues.get(kept.RETAINED_QUEUE)
    return 0 if queue is None else queue.depth


class _Topics(Visitor):
    """Notes the topic of every publication, also those of a unit of work: it may be backed out, or not."""

    def __init__(self, found: dict[str, None]) -> None:
        self.found = found

    def visit(self, message: Message, in_memory: bool) -> int:
        """Note it."""
        topic_string = topic_of(message)[0]
        if topic_string:
            self.found[topic_string] = None
        return _READ


def is_wild(subscription: Subscription) -> bool:
    """Whether a subscription means more topics than one."""
    return has_wildcard(subscription.topic_string, subscription.wildcard)


def matching(qm: QueueManager, subscription: Subscription) -> list[str]:
    """The topic strings with a retained publication that a subscription means."""
    if not is_wild(subscription):
        text = subscription.topic_string
        if subscription.wildcard == WILDCARD_CHAR:
            text = "".join(tokens(text))
        return [text]
    matcher = Matcher(qm, subscription)
    return [topic_string for topic_string in topics(qm) if matcher.matches(topic_string)]


class Matcher:
    """Tells which topic strings a subscription with wildcards means."""

    def __init__(self, qm: QueueManager, subscription: Subscription) -> None:
        self._qm = qm
        self._subscription = subscription
        self._tree = TopicTree()
        self._tree.add(subscription)

    def matches(self, topic_string: str) -> bool:
        """Whether this is one of them."""
        levels = topic_string.split("/")
        return bool(self._tree.match_at(topic_string, levels, 0)) and _passes(
            self._qm, self._subscription, levels, topic_string
        )


def _passes(qm: QueueManager, subscription: Subscription, levels: list[str], topic_string: str) -> bool:
    """Whether WILDCARD(BLOCK) lets the subscription see the topic: the tree of the queue manager knows."""
    blocked = qm.topics.attributes_at(levels).blocked
    return not blocked or subscription in qm.topics.match_at(topic_string, levels, blocked)


def _own_block(topic_string: str, correl_id: bytes) -> bytes:
    text = "<mqps><Top>" + escape(topic_string) + "</Top><Cor>" + correl_id.hex() + "</Cor></mqps>"
    return padded(text.encode("utf-8", "replace"))


def topic_of(message: Message) -> tuple[str, bytes, bytes]:
    """Topic string, publisher's correlation id and publisher's properties; an empty string if it is something else."""
    block = message.properties
    if len(block) < 4:
        return "", NO_ID, b""
    (length,) = _LENGTH.unpack_from(block)
    topic_string = ""
    correl_id = NO_ID
    try:
        for element in read_folder(block[4 : 4 + length].decode("utf-8")).children:
            if element.name == "Top":
                topic_string = element.text
            elif element.name == "Cor":
                correl_id = bytes.fromhex(element.text)
    except (StructureError, ValueError):
        return "", NO_ID, b""
    return topic_string, correl_id, block[4 + length :]
