"""The loops of the publish benchmarks, compiled like the engine that they drive."""

from __future__ import annotations

from flintmq.mqi.constants import MQGMO_NO_SYNCPOINT, MQOT_TOPIC, MQPMO_NEW_MSG_ID, MQPMO_NO_SYNCPOINT
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.calls import Calls
from flintmq.qmgr.connection import Connection, Handle, Queue


def publish_and_get(
    qm: Calls, connection: Connection, topic: Handle, queues: list[Handle], count: int, data: bytes
) -> None:
    """Publish `count` times; after each, every subscriber gets its copy."""
    md = MQMD()
    pmo = MQPMO()
    pmo.options = MQPMO_NEW_MSG_ID | MQPMO_NO_SYNCPOINT
    gmo = MQGMO()
    gmo.options = MQGMO_NO_SYNCPOINT
    got = MQMD()
    for _ in range(count):
        reason = qm.put(connection, topic, md, pmo, data)
        assert reason == 0, reason
        for handle in queues:
            got.msg_id = got.correl_id = bytes(24)
            reason = qm.get(connection, handle, got, gmo, -1)
            assert reason == 0, reason


def publish_to_strings(qm: Calls, connection: Connection, topic_strings: list[str], data: bytes) -> None:
    """MQPUT1 to each of the topic strings."""
    od = MQOD()
    od.object_type = MQOT_TOPIC
    md = MQMD()
    pmo = MQPMO()
    pmo.options = MQPMO_NEW_MSG_ID | MQPMO_NO_SYNCPOINT
    for topic_string in topic_strings:
        od.object_string = topic_string
        reason = qm.put1(connection, od, md, pmo, data)
        assert reason == 0, reason


def match_only(qm: Calls, topic_strings: list[str]) -> int:
    """What the topic tree alone has to do for them; the number of subscriptions found."""
    found = 0
    for topic_string in topic_strings:
        found += len(qm.topics.match(topic_string))
    return found


def empty(queue: Queue) -> None:
    """Take everything off a queue, outside of what is measured."""
    while True:
        message = queue.first_available()
        if message is None:
            return
        queue.remove(message)
