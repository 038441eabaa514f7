"""Texts of errors of an embedded queue manager: the refused object, and the figure or the name that was the cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.mqi import reason as rc
from flintmq.mqi.call_errors import BadSelector, MQError, error_of
from flintmq.mqi.reason import MQCC_FAILED
from flintmq.mqi.sd import MQSD

if TYPE_CHECKING:
    from flintmq.qmgr.calls import Calls as Engine
    from flintmq.qmgr.connection import Queue as EngineQueue

#: Number of characters of a selector shown before and after the place of an error.
_SHOWN = 30


def refusal(
    engine: Engine,
    reason: int,
    name: str,
    queue: EngineQueue | None = None,
    length: int = 0,
    completion: int = MQCC_FAILED,
) -> MQError:
    """Return the error for a call on the queue `name`.

    `queue` is the queue that the name resolves to, `length` is the length of the message.
    """
    return error_of(reason, sentence(engine, reason, name, queue, length), completion)


def refuse_selector(reason: int, selector: str) -> None:
    """Raise BadSelector, with the place in the text, if the selector was the cause of a failed open or subscription."""
    from flintmq.selector import SelectorError, compile_selector

    try:
        compile_selector(selector)
    except SelectorError as found:
        if found.reason != reason:
            return
        at = max(0, found.position - 1)
        start, end = max(0, at - _SHOWN), at + _SHOWN
        before = ("..." if start else "") + selector[start:at]
        after = selector[at:end] + ("..." if end < len(selector) else "")
        text = f"selector, position {found.position}: {found.what}: {before} \u25b6 {after}"
        error = BadSelector(" ".join(text.split()), reason)
        error.selector, error.position = selector, found.position
        raise error from None


def subscription_refusal(engine: Engine, reason: int, sd: MQSD) -> MQError:
    """Return the error for an MQSUB."""
    if sd.selection_string:
        refuse_selector(reason, sd.selection_string)
    topic = sd.object_string or sd.object_name
    texts = {
        rc.MQRC_SUBSCRIPTION_IN_USE: f"somebody has the subscription {sd.sub_name} already",
        rc.MQRC_IDENTITY_MISMATCH: f"the subscription {sd.sub_name} is another user's",
        rc.MQRC_TOPIC_NOT_ALTERABLE: f"the subscription {sd.sub_name} is to another topic than {topic}",
        rc.MQRC_SELECTOR_NOT_ALTERABLE: f"the subscription {sd.sub_name} has another selector",
        rc.MQRC_NO_SUBSCRIPTION: f"there is no subscription {sd.sub_name}",
        rc.MQRC_TOPIC_STRING_ERROR: f"{topic!r} cannot be subscribed to",
        rc.MQRC_SUB_INHIBITED: f"{topic} has SUB(DISABLED)",
        rc.MQRC_DURABILITY_NOT_ALLOWED: f"{topic} has DURSUB(NO)",
        rc.MQRC_UNKNOWN_OBJECT_NAME: f"there is no topic object {sd.object_name} in {engine.name}",
    }
    return error_of(reason, texts.get(reason, ""))


def sentence(engine: Engine, reason: int, name: str, queue: EngineQueue | None, length: int) -> str:
    """Return the text of an error, "" if the general text of the reason says it all."""
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
        log = engine.log
        from flintmq.log import Log

        if isinstance(log, Log) and log.disk_full:
            return f"the recovery log is full, and there is no room for another log file: {log.disk_full}"
        if engine.checkpoint_retry_ms:
            return "the recovery log is full, and no checkpoint is possible while the disk of a page set is full"
        return "the recovery log is full and a checkpoint did not help: one unit of work, or message, is too big for it"
    if reason == rc.MQRC_PUT_INHIBITED:
        return f"{name} has {'PUB' if name.startswith('topic:') else 'PUT'}(DISABLED)"
    if reason == rc.MQRC_PUBLICATION_FAILURE:
        return f"a subscriber of {name} could not be given its copy, so nobody was (PMSGDLV, NPMSGDLV)"
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
        if account.disk_full:
            return f"page set {account.psid} of {name} cannot be written: {queue.pager.full}"
        return f"page set {account.psid} of {name} is full: {account.used} of {account.total} pages are in use"
    if reason == rc.MQRC_OBJECT_IN_USE:
        return f"{name} is in use: {_users(queue)}"
    return ""


def _users(queue: EngineQueue) -> str:
    opened = sorted({handle.connection.appl_name or "an application" for handle in queue.opens.handles})
    if opened:
        how = "for exclusive input " if queue.opens.exclusive else ""
        return f"{', '.join(opened[:3])} has it open {how}({len(queue.opens.handles)} handles)"
    return f"{queue.uncommitted} uncommitted messages"
