"""MQCONN and MQDISC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.mqi.constants import MQAT_UNIX
from flintmq.mqi.reason import (
    MQRC_HCONN_ERROR,
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_Q_MGR_QUIESCING,
)
from flintmq.qmgr import consume, event, xa
from flintmq.qmgr.close import close_handle
from flintmq.qmgr.connection import UNIT_ACTIVE, Connection, fail, succeed
from flintmq.qmgr.get import end_wait
from flintmq.qmgr.unit_of_work import backout_unit

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager


def connect(
    qm: QueueManager,
    appl_name: str = "",
    user: str = "",
    appl_type: int = MQAT_UNIX,
    channel: str = "",
    address: str = "",
) -> tuple[int, Connection | None]:
    """Connect an application (MQCONN): (reason, connection). A client has a channel and an address."""
    if qm.ended:
        return MQRC_Q_MGR_NOT_AVAILABLE, None
    if qm.quiescing:
        return MQRC_Q_MGR_QUIESCING, None
    if not qm.authority.may_connect(user):
        event.not_authorised(qm, user, appl_name, "QMGR", qm.name, 1, appl_type, 0, channel, address)
        return MQRC_NOT_AUTHORIZED, None
    connection = Connection(qm.new_connection_id(), appl_name[:28], user[:12], appl_type)
    connection.channel_name = channel
    connection.connection_name = address
    qm.connections[connection.connection_id] = connection
    qm.counters.connects += 1
    if qm.accounting:
        qm.account_connection(connection, True)
    return MQRC_NONE, connection


def disconnect(qm: QueueManager, connection: Connection) -> int:
    """MQDISC: an active unit of work is committed, then everything that is open is closed."""
    if not connection.connected:
        return fail(connection, MQRC_HCONN_ERROR)
    consume.end_consumers(qm, connection)
    connection.usable = True
    force = 0
    reason = MQRC_NONE
    if connection.unit is not None and not connection.in_global_unit:
        reason = qm.commit(connection)
        force = connection.force
    completion = connection.completion
    _leave(qm, connection, False)
    connection.force = max(force, connection.force)
    if reason:
        connection.completion = completion
        connection.reason = reason
        return reason
    return succeed(connection)


def abandon(qm: QueueManager, connection: Connection) -> None:
    """The application is gone without MQDISC: its unit of work is backed out."""
    if connection.connected:
        _leave(qm, connection, True)


def _leave(qm: QueueManager, connection: Connection, lost: bool) -> None:
    if connection.waiter is not None:
        end_wait(qm, connection.waiter)
    consume.end_consumers(qm, connection)
    xa.connection_ended(qm, connection, lost)
    unit = connection.unit
    connection.unit = None
    if unit is not None and unit.state == UNIT_ACTIVE:
        unit.skip_backout = None
        backout_unit(qm, None, unit)
    if connection.task is not None:
        qm.account_connection(connection, False)
    for handle in list(connection.handles.values()):
        close_handle(qm, connection, handle)
    connection.connected = False
    connection.usable = False
    qm.connections.pop(connection.connection_id, None)
    qm.counters.disconnects += 1
