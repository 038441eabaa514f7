"""Undoing a get that nobody will hear of.

A wait may be completed in the very moment in which its owner gives up: a task is cancelled, a thread interrupted. The
message is in the unit of work then, and must not stay there. It goes back to its place as if it had never been got: the
backout count does not move, because no application has seen it, and the next in line is served.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.qmgr import own_puts
from flintmq.qmgr.connection import UNIT_ACTIVE, Connection
from flintmq.qmgr.message import GET_PENDING, PUT_PENDING, Message

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager


def take_back(qm: QueueManager, connection: Connection, mark: int) -> None:
    """Undo what the last wait of `connection` did to its unit of work, which had `mark` messages before.

    That is the message, and the report on its delivery if it asked for one. It is never a message that the unit has put
    itself (own_puts.py): such a get does not wait, neither for the message nor for the log.
    """
    unit = connection.unit
    if unit is None or unit.state != UNIT_ACTIVE:
        return
    undone = unit.work[mark:]
    unit.work = unit.work[:mark]
    own_puts.forget(unit)
    if not unit.work and not connection.in_global_unit:
        connection.unit = None
    returned: list[Message] = []
    for message in reversed(undone):
        if message.state == PUT_PENDING:
            message.queue.remove(message)
        elif message.state == GET_PENDING:
            if unit.skip_backout is message:
                unit.skip_backout = None
            message.queue.counts.get_count -= 1
            message.queue.counts.get_bytes -= len(message.data)
            message.queue.make_available(message)
            returned.append(message)
    now = qm.clock.now_ms()
    for message in returned:
        qm.arrived(message.queue, message, now)
