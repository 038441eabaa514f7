"""The sentence of an error: what was refused, and the figure or the name that made it so."""

from __future__ import annotations

from flintmq.client.errors import MQError, error_of
from flintmq.mqi import reason as rc
from flintmq.mqi.reason import MQCC_FAILED
from flintmq.qmgr.queue import Queue as EngineQueue
from flintmq.qmgr.queue_manager import QueueManager as Engine


def refusal(
    engine: Engine,
    reason: int,
    name: str,
    queue: EngineQueue | None = None,
    length: int = 0,
    completion: int = MQCC_FAILED,
) -> MQError:
    """The error for a call on the queue `name`; `queue` is where the name leads, `length` that of the message."""
    return error_of(reason, sentence(engine, reason, name, queue, length), completion)


def sentence(engine: Engine, reason: int, name: str, queue: EngineQueue | None, length: int) -> str:
    """Without a sentence of its own a reason is told in general words."""
    if reason == rc.MQRC_NO_MSG_AVAILABLE:
        return f"no message on {name}" if queue is None or not queue.depth else f"no message on {name} that matches"
    if reason == rc.MQRC_UNKNOWN_OBJECT_NAME:
        return f"there is no queue {name} in {engine.name}"
    if reason == rc.MQRC_UNKNOWN_ALIAS_BASE_Q:
        return f"the alias {name} leads to a queue that does not exist"
    if reason == rc.MQRC_Q_DELETED:
        return f"{name} was deleted"
    if reason == rc.MQRC_MSG_TOO_BIG_FOR_Q_MGR:
        return f"a message of {length} bytes is too big for {engine.name}: MAXMSGL({engine.max_msg_length})"
    if reason == rc.MQRC_PROPERTIES_TOO_BIG:
        return f"the properties are longer than {engine.name} allows: MAXPROPL({engine.max_properties_length})"
    if reason == rc.MQRC_SYNCPOINT_LIMIT_REACHED:
        return f"the unit of work has MAXUMSGS({engine.max_uncommitted}) messages"
    if reason == rc.MQRC_RESOURCE_PROBLEM:
        return "the recovery log is full and a checkpoint did not help: one unit of work, or message, is too big for it"
    if reason == rc.MQRC_PUT_INHIBITED:
        return f"{name} has PUT(DISABLED)"
    if reason == rc.MQRC_GET_INHIBITED:
        return f"{name} has GET(DISABLED)"
    return "" if queue is None else _of_queue(reason, name, queue, length)


def _of_queue(reason: int, name: str, queue: EngineQueue, length: int) -> str:
    if reason == rc.MQRC_Q_FULL:
        return f"{name} is full: it holds MAXDEPTH({queue.max_depth}) messages"
    if reason == rc.MQRC_MSG_TOO_BIG_FOR_Q:
        return f"a message of {length} bytes is too big for {name}: MAXMSGL({queue.max_msg_length})"
    if reason == rc.MQRC_PAGESET_FULL:
        account = queue.account
        return f"page set {account.psid} of {name} is full: {account.used} of {account.total} pages are in use"
    if reason == rc.MQRC_OBJECT_IN_USE:
        return f"{name} is in use: {_users(queue)}"
    return ""


def _users(queue: EngineQueue) -> str:
    opened = sorted({handle.connection.appl_name or "an application" for handle in queue.handles})
    if opened:
        how = "for exclusive input " if queue.exclusive else ""
        return f"{', '.join(opened[:3])} has it open {how}({len(queue.handles)} handles)"
    return f"{queue.uncommitted} uncommitted messages"
