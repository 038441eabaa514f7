"""What the queue manager keeps on queues of its own, under a key of 24 bytes that is the correlation id.

    SYSTEM.DURABLE.SUBSCRIBER.QUEUE   a message for each durable subscription; key: its id (registration.py)
    SYSTEM.RETAINED.PUB.QUEUE         a message for each retained publication; key: of its topic (retained.py)

So log, checkpoint and restart know nothing of them. What is kept is replaced by putting the new message and then taking
the old one: after a crash in between there are two, and the one with the higher sequence is in force.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.log.errors import LogError
from flintmq.mqi.reason import MQRC_NONE, MQRC_RESOURCE_PROBLEM
from flintmq.qmgr.connection import Connection
from flintmq.qmgr.message import AVAILABLE, GET_PENDING, Acceptor, Message, Node
from flintmq.qmgr.paging import MATCH_CORREL_ID
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.records import ONLY
from flintmq.qmgr.unit_of_work import add_to_unit, log_get

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

SUBSCRIBER_QUEUE: Final = "SYSTEM.DURABLE.SUBSCRIBER.QUEUE"
RETAINED_QUEUE: Final = "SYSTEM.RETAINED.PUB.QUEUE"


class _Key(Acceptor):
    """Takes the messages under a key."""

    def __init__(self, key: bytes) -> None:
        self.key = key

    def accepts(self, message: Message) -> bool:
        """It has the key."""
        return message.correl_id == self.key


def find_all(queue: Queue, key: bytes) -> list[Message]:
    """The available messages under `key`, in memory now, the latest last."""
    found = [message for message in load(queue, key) if message.state == AVAILABLE]
    return sorted(found, key=_sequence)


def load(queue: Queue, key: bytes) -> list[Message]:
    """All messages under `key`, whoever holds them, in memory now."""
    if queue.spilled_count:
        accept = _Key(key)
        while queue.pager.find_spilled(queue, MATCH_CORREL_ID, key, accept) is not None:
            pass  # It is in memory now.
    return queue.index_by_correl_id().messages(key)


def in_force(queue: Queue, key: bytes) -> Message | None:
    """The message under `key` that counts now: the last whose put is committed, even if a unit is replacing it."""
    latest: Message | None = None
    for message in load(queue, key):
        if message.state in (AVAILABLE, GET_PENDING) and (latest is None or message.sequence > latest.sequence):
            latest = message
    return latest


def _sequence(message: Message) -> int:
    return message.sequence


def take(qm: QueueManager, connection: Connection, message: Message) -> int:
    """Take a message off its queue, outside of any unit of work."""
    if message.logged:
        try:
            connection.force = max(connection.force, log_get(qm, message, ONLY))
        except LogError:
            return MQRC_RESOURCE_PROBLEM
    message.queue.remove(message)
    return MQRC_NONE


def take_in_unit(connection: Connection, message: Message, now: int) -> None:
    """Take a message in the unit of work of `connection`: it goes when that is committed."""
    message.queue.hold(message, GET_PENDING)
    add_to_unit(connection, message, now)


def everything(queue: Queue) -> list[Message]:
    """Every available message on the queue; reads them back. For a restart, and what happens as rarely."""
    found: list[Message] = []
    node: Node | None = queue.next_node(10, None)
    while node is not None:
        assert isinstance(node, Message)
        if node.state == AVAILABLE:
            found.append(node)
        node = queue.next_node(node.lane, node)
    return found
