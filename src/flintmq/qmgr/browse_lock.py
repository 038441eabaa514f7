"""Browse locks: MQGMO_LOCK hides a message from others until the handle gives it up, browses on, or gets it.

A handle locks at most one message, `Handle.locked`. A message that is available becomes LOCKED. One that the unit of
work of the connection has put and not committed stays PUT_PENDING, because others do not see it anyway; own_puts.py
says what the lock means then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.mqi.reason import MQRC_NO_MSG_LOCKED
from flintmq.qmgr import own_puts
from flintmq.qmgr.connection import Answer, Handle, succeed, warn
from flintmq.qmgr.message import AVAILABLE, LOCKED, PUT_PENDING, Message
from flintmq.qmgr.queue import Queue

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager


def lock(handle: Handle, queue: Queue, message: Message) -> None:
    """Lock a message that `handle` has browsed, unless it is locked already."""
    if message.state == AVAILABLE:
        queue.lock(message, LOCKED)
        handle.locked = message
    elif message.state == PUT_PENDING:
        own_puts.lock(handle, message)
    else:
        return
    handle.straight_get = False  # The fast path does not look for what is locked.


def release(qm: QueueManager, handle: Handle) -> None:
    """Give up the browse lock of `handle`, if it has one."""
    held = handle.locked
    handle.locked = None
    if held is not None:
        give_back(qm, held)


def give_back(qm: QueueManager, held: Message) -> None:
    """Make a message that a browse had locked available again."""
    if held.state == LOCKED:
        held.queue.unlock(held)
        qm.available(held.queue, held)


def unlock(qm: QueueManager, answer: Answer, handle: Handle) -> int:
    """MQGMO_UNLOCK."""
    held = handle.locked
    if held is None or (held.state != LOCKED and held.state != PUT_PENDING):
        return warn(answer, MQRC_NO_MSG_LOCKED)
    release(qm, handle)
    return succeed(answer)
