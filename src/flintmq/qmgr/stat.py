"""MQSTAT: what has become of asynchronous puts since the last time it was asked.

type                             answer
MQSTAT_TYPE_ASYNC_ERROR          the first warning or failure, replaced by the first failure; counts; then all is
                                 reset
MQSTAT_TYPE_RECONNECTION         a connection that is connected has nothing to report: MQRC_NONE
MQSTAT_TYPE_RECONNECTION_ERROR   likewise; a client that reconnects answers these by itself
another                          2430
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQOT_Q,
    MQOT_Q_MGR,
    MQSTAT_TYPE_ASYNC_ERROR,
    MQSTAT_TYPE_RECONNECTION,
    MQSTAT_TYPE_RECONNECTION_ERROR,
)
from flintmq.mqi.reason import MQRC_STAT_TYPE_ERROR, MQRC_STS_ERROR
from flintmq.mqi.sts import MQSTS
from flintmq.qmgr.connection import Connection, fail, not_usable, succeed

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

VERSION_MAX: Final = 2


def stat(qm: QueueManager, connection: Connection, kind: int, sts: MQSTS) -> int:
    """MQSTAT into `sts`."""
    connection.force = 0
    qm.counters.stats += 1
    if not connection.usable:
        return fail(connection, not_usable(connection))
    if not 1 <= sts.version <= VERSION_MAX:
        return fail(connection, MQRC_STS_ERROR)
    if kind == MQSTAT_TYPE_ASYNC_ERROR:
        _asynchronous_puts(connection, sts)
        return succeed(connection)
    if kind == MQSTAT_TYPE_RECONNECTION or kind == MQSTAT_TYPE_RECONNECTION_ERROR:
        sts.comp_code = 0
        sts.reason = 0
        sts.put_success_count = sts.put_warning_count = sts.put_failure_count = 0
        sts.object_type = MQOT_Q_MGR
        sts.object_name = sts.object_q_mgr_name = ""
        sts.resolved_object_name = sts.resolved_q_mgr_name = ""
        return succeed(connection)
    return fail(connection, MQRC_STAT_TYPE_ERROR)


def _asynchronous_puts(connection: Connection, sts: MQSTS) -> None:
    sts.comp_code = connection.async_completion
    sts.reason = connection.async_reason
    sts.put_success_count = connection.async_success
    sts.put_warning_count = connection.async_warning
    sts.put_failure_count = connection.async_failure
    sts.object_type = connection.async_object_type or MQOT_Q
    sts.object_name = sts.resolved_object_name = connection.async_object_name
    sts.object_q_mgr_name = sts.resolved_q_mgr_name = connection.async_object_q_mgr
    connection.async_completion = 0
    connection.async_reason = 0
    connection.async_success = connection.async_warning = connection.async_failure = 0
    connection.async_object_name = connection.async_object_q_mgr = ""
    connection.async_object_type = 0
