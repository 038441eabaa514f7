"""Channel events: instances that start and stop, and clients that are turned away.

    ALTER QMGR           event                                                        event queue
    CHLEV(ENABLED)       2282 started, 2283 stopped, 2279 stopped by a command,       SYSTEM.ADMIN.CHANNEL.EVENT
                         2577 blocked by a channel authentication record, 2578 would have been (WARN)
    CHLEV(EXCEPTION)     2283 stopped by an error, 2279, 2577, 2578                   "
    SSLEV(ENABLED)       2371 TLS is not as the channel wants it                      "

The qualifier (MQIACF_REASON_QUALIFIER) says more: MQRQ_CHANNEL_STOPPED_OK and _ERROR, MQRQ_CHANNEL_BLOCKED_ADDRESS,
_USERID and _NOACCESS, MQRQ_SSL_HANDSHAKE_ERROR, _CIPHER_SPEC_ERROR, _CLIENT_AUTH_ERROR and _PEER_NAME_ERROR.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.pcf import PCFMessage
from flintmq.mqi.reason import (
    MQRC_CHANNEL_BLOCKED,
    MQRC_CHANNEL_BLOCKED_WARNING,
    MQRC_CHANNEL_SSL_ERROR,
    MQRC_CHANNEL_STARTED,
    MQRC_CHANNEL_STOPPED,
    MQRC_CHANNEL_STOPPED_BY_USER,
)
from flintmq.qmgr import event

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

CHANNEL_EVENT_QUEUE: Final = "SYSTEM.ADMIN.CHANNEL.EVENT"
_ALL: Final = ("ENABLED",)
_EXCEPTIONS: Final = ("ENABLED", "EXCEPTION")


def started(qm: QueueManager, channel: str, address: str) -> None:
    """2282: an instance runs."""
    if _wanted(qm, "CHLEV", _ALL):
        _send(qm, MQRC_CHANNEL_STARTED, 0, channel, address)


def stopped(qm: QueueManager, channel: str, address: str, error: bool) -> None:
    """2283: an instance has ended, by itself or because of an error."""
    if _wanted(qm, "CHLEV", _EXCEPTIONS if error else _ALL):
        qualifier = pcf.MQRQ_CHANNEL_STOPPED_ERROR if error else pcf.MQRQ_CHANNEL_STOPPED_OK
        _send(qm, MQRC_CHANNEL_STOPPED, qualifier, channel, address)


def stopped_by_user(qm: QueueManager, channel: str) -> None:
    """2279: STOP CHANNEL."""
    if _wanted(qm, "CHLEV", _EXCEPTIONS):
        _send(qm, MQRC_CHANNEL_STOPPED_BY_USER, pcf.MQRQ_CHANNEL_STOPPED_DISABLED, channel, "")


def blocked(qm: QueueManager, channel: str, address: str, user: str, qualifier: int, warning: bool) -> None:
    """2577, or 2578 for a record that only warns: a channel authentication record turns a client away."""
    if _wanted(qm, "CHLEV", _EXCEPTIONS):
        reason = MQRC_CHANNEL_BLOCKED_WARNING if warning else MQRC_CHANNEL_BLOCKED
        _send(qm, reason, qualifier, channel, address, user)


def tls_refused(qm: QueueManager, channel: str, address: str, qualifier: int) -> None:
    """2371: the client's TLS is not as the channel wants it."""
    if _wanted(qm, "SSLEV", _ALL):
        _send(qm, MQRC_CHANNEL_SSL_ERROR, qualifier, channel, address)


def _wanted(qm: QueueManager, keyword: str, values: tuple[str, ...]) -> bool:
    return qm.definition().text(keyword) in values


def _send(qm: QueueManager, reason: int, qualifier: int, channel: str, address: str, user: str = "") -> None:
    made: PCFMessage = event.begin(qm, pcf.MQCMD_CHANNEL_EVENT, reason)
    if qualifier:
        event.integer(made, pcf.MQIACF_REASON_QUALIFIER, qualifier)
    event.string(made, pcf.MQCACH_CHANNEL_NAME, channel, 20)
    if address:
        event.string(made, pcf.MQCACH_CONNECTION_NAME, address, 264)
    if user:
        event.string(made, pcf.MQCACF_USER_IDENTIFIER, user, 12)
    event.send(qm, CHANNEL_EVENT_QUEUE, made)
