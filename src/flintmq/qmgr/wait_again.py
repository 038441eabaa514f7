"""A wait that begins again as it was: what a consumer that is served message by message does after each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import MQGMO_FAIL_IF_QUIESCING, MQGMO_NO_SYNCPOINT, MQGMO_WAIT, MQMD_VERSION_2
from flintmq.qmgr.connection import Waiter
from flintmq.qmgr.waits import WAITS_FOR_ANY

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

#: With no other options than these a wait can begin again.
_PLAIN: Final = MQGMO_NO_SYNCPOINT | MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING


def wait_again(qm: QueueManager, waiter: Waiter) -> bool:
    """A wait for any message has brought one, and it is used: wait for the next with the same descriptors.

    False: nothing was done, and the get is to be made as any other. That is so when there is a message already, and
    whenever one of the checks of a get could say something.
    """
    queue, connection, handle = waiter.handle.queue, waiter.connection, waiter.handle
    if (
        waiter.kind != WAITS_FOR_ANY
        or waiter.deadline_ms >= 0
        or queue is None
        or queue.available
        or queue.deleted
        or not queue.get_enabled
        or handle.get_enabled_by
        or not handle.open
        or not connection.usable
        or connection.task is not None
        or qm.quiescing
        or waiter.gmo.version > 3
        or waiter.gmo.options & ~_PLAIN
    ):
        return False
    qm.wait_order += 1
    waiter.order = qm.wait_order
    waiter.done = False
    waiter.md.version = MQMD_VERSION_2
    connection.force = 0
    queue.add_waiter(waiter)
    qm.waiting += 1
    waiter.answer.waiter = waiter
    return True
