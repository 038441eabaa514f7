"""Replay of dead letters: `qm.dead_letters()` and `qm.replay(message)`.

A replay gets the message by its token, puts it without its dead-letter header, and commits: one unit of work, so the
message is on exactly one queue whatever fails. dead_letter.py is the handler that does this by rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flintmq.client.message import Message, header_of, without_header
from flintmq.mqi.constants import (
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_SAVE_ALL_CONTEXT,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.dlh import SIZE as DLH_SIZE
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO

if TYPE_CHECKING:
    from flintmq.client.calls import Calls


def replay(connection: Calls, message: Message, queue: str, queue_manager: str) -> None:
    """Move a dead letter, without its header, to `queue` or to where it was to go. Raises MQError."""
    if not message.token:
        raise ValueError("replay takes a message that was browsed: `for message in qm.dead_letters()`")
    mqi = connection.mqi
    od = MQOD()
    od.object_name = message.queue_name
    handle = mqi.open(od, MQOO_INPUT_AS_Q_DEF | MQOO_SAVE_ALL_CONTEXT | MQOO_FAIL_IF_QUIESCING)
    try:
        _move(mqi, handle, message.token, queue, queue_manager)
        mqi.cmit()
    except BaseException:
        connection.backout()
        raise
    finally:
        mqi.close(handle)


def _move(mqi: Any, handle: Any, token: bytes, queue: str, queue_manager: str) -> None:
    md, gmo = MQMD(), MQGMO()
    md.version, gmo.version = 2, 3
    gmo.options = MQGMO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING | MQGMO_PROPERTIES_FORCE_MQRFH2
    gmo.match_options, gmo.msg_token = MQMO_MATCH_MSG_TOKEN, token
    data = mqi.get(handle, md, gmo)
    header = header_of(md, data)
    if header is not None:
        without_header(md, header)
        data = data[DLH_SIZE:]
        if not queue:
            queue, queue_manager = header.dest_q_name, header.dest_q_mgr_name
    elif not queue:
        raise ValueError("the message has no dead-letter header: say on which queue to put it")
    od, pmo = MQOD(), MQPMO()
    od.object_name, od.object_q_mgr_name = queue, queue_manager
    pmo.options = MQPMO_SYNCPOINT | MQPMO_PASS_ALL_CONTEXT | MQPMO_FAIL_IF_QUIESCING
    pmo.context = handle.number
    mqi.put1(od, md, pmo, data)
