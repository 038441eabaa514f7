"""Texts of errors of a connection: the refused call, the place, and a remedy.

QM1 at host(1414), channel DEV.APP.SVRCONN: the user or the password was not accepted [MQRC_NOT_AUTHORIZED 2035].
"""

from __future__ import annotations

from typing import Final

from flintmq.mqi import reason as rc
from flintmq.mqi.call_errors import MQError, error_of
from flintmq.wire.mq import errors as status

#: STATUS_DATA code: the reason at the client.
REASON_OF_STATUS: Final = {
    status.STATUS_NO_CHANNEL: rc.MQRC_UNKNOWN_CHANNEL_NAME,
    status.STATUS_CHANNEL_WRONG_TYPE: rc.MQRC_CHANNEL_CONFIG_ERROR,
    status.STATUS_QM_UNAVAILABLE: rc.MQRC_Q_MGR_NOT_AVAILABLE,
    status.STATUS_QM_TERMINATING: rc.MQRC_Q_MGR_STOPPING,
    status.STATUS_USER_CLOSED: rc.MQRC_CONNECTION_BROKEN,
    status.STATUS_SECURITY_FAILURE: rc.MQRC_NOT_AUTHORIZED,
    status.STATUS_CHANNEL_UNAVAILABLE: rc.MQRC_CHANNEL_NOT_AVAILABLE,
    23: rc.MQRC_CHANNEL_NOT_AVAILABLE,
    status.STATUS_CIPHER_SPEC: rc.MQRC_SSL_INITIALIZATION_ERROR,
    status.STATUS_PEER_NAME: rc.MQRC_SSL_PEER_NAME_MISMATCH,
    status.STATUS_CLIENT_CERTIFICATE: rc.MQRC_SSL_INITIALIZATION_ERROR,
    32: rc.MQRC_STANDBY_Q_MGR,
    status.STATUS_CCSID_NOT_SUPPORTED: rc.MQRC_CHANNEL_CONFIG_ERROR,
    241: rc.MQRC_CHANNEL_CONFIG_ERROR,
    242: rc.MQRC_CHANNEL_CONFIG_ERROR,
    243: rc.MQRC_CHANNEL_CONFIG_ERROR,
}

_HINTS: Final = {
    rc.MQRC_NOT_AUTHORIZED: (
        "the user, the password or the address was not accepted; the queue manager's error log says which rule decided "
        "(AMQ5534, AMQ5542, AMQ9557, AMQ9776, AMQ9777), `flint explain` shows it"
    ),
    rc.MQRC_Q_MGR_NOT_AVAILABLE: (
        "the queue manager is not available; dspmq there shows whether it runs, strmqm starts it"
    ),
    rc.MQRC_Q_MGR_NAME_ERROR: (
        "a queue manager of another name listens there; correct the name, or use '*' or '' to take any"
    ),
    rc.MQRC_HOST_NOT_AVAILABLE: (
        "nobody answers there; check host, port and firewall, and that a listener runs (AMQ9202)"
    ),
    rc.MQRC_UNKNOWN_CHANNEL_NAME: (
        "there is no such channel in the queue manager (AMQ9519): the name counts in upper and lower case; "
        "DISPLAY CHANNEL(*) lists them"
    ),
    rc.MQRC_CHANNEL_CONFIG_ERROR: (
        "nothing could be agreed on with the channel; is it one of CHLTYPE(SVRCONN)? (AMQ9503)"
    ),
    rc.MQRC_CHANNEL_NOT_AVAILABLE: (
        "the channel cannot be used now: it is stopped, or MAXINST or MAXINSTC is reached (AMQ9513, AMQ9489)"
    ),
    rc.MQRC_SSL_INITIALIZATION_ERROR: (
        "TLS could not be started: the CipherSpec must be that of the channel (SSLCIPH), and the channel may want a "
        "certificate of the client, or be named by it, OutboundSNI=CHANNEL (AMQ9631, AMQ9637, AMQ9639, AMQ9673)"
    ),
    rc.MQRC_SSL_PEER_NAME_MISMATCH: "the name in a certificate is not the one that SSLPEER wants (AMQ9636)",
    rc.MQRC_Q_MGR_STOPPING: "the queue manager is ending",
    rc.MQRC_Q_MGR_QUIESCING: "the queue manager is ending, and takes no new applications",
    rc.MQRC_CONNECTION_BROKEN: "the connection is broken",
    rc.MQRC_MAX_CONNS_LIMIT_REACHED: "there are as many connections as the queue manager allows",
    rc.MQRC_STANDBY_Q_MGR: "that is a standby instance",
}

#: Errors of the module ssl, which is imported only for channels with TLS.
_TLS_WANTS: Final = ("SSLWantReadError", "SSLWantWriteError")


def refused(reason: int, where: str, why: str = "") -> MQError:
    """Return the error of a connection that could not be made, or was lost."""
    hint = _HINTS.get(reason, "")
    said = "; ".join(part for part in (why, hint) if part)
    return error_of(reason, f"{where}: {said}" if said else where)


def status_reason(code: int, connecting: bool) -> int:
    """Return the reason for a STATUS_DATA code."""
    reason = REASON_OF_STATUS.get(code, rc.MQRC_CONNECTION_BROKEN)
    if connecting and reason in (rc.MQRC_CONNECTION_BROKEN, rc.MQRC_Q_MGR_STOPPING):
        return rc.MQRC_Q_MGR_NOT_AVAILABLE
    return reason


def call_refused(reason: int, name: str, q_mgr: str, length: int = 0) -> MQError:
    """Return the error of a call on the object `name` of a queue manager; `length` is that of the message."""
    return error_of(reason, _sentence(reason, name, q_mgr, length))


def _sentence(reason: int, name: str, q_mgr: str, length: int) -> str:
    """Return the text of an error, "" if the general text of the reason says it all."""
    if reason == rc.MQRC_NO_MSG_AVAILABLE:
        return f"no message on {name}"
    if reason == rc.MQRC_UNKNOWN_OBJECT_NAME:
        return f"there is no queue {name} in {q_mgr}"
    if reason == rc.MQRC_UNKNOWN_ALIAS_BASE_Q:
        return f"the alias {name} leads to a queue that does not exist"
    if reason == rc.MQRC_Q_DELETED:
        return f"{name} was deleted"
    if reason == rc.MQRC_NOT_AUTHORIZED and name:
        return f"{q_mgr} does not let this user do that with {name}; `flint explain` shows what is missing"
    if reason == rc.MQRC_Q_FULL:
        return f"{name} is full: it holds MAXDEPTH messages"
    if reason == rc.MQRC_MSG_TOO_BIG_FOR_Q:
        return f"a message of {length} bytes is too big for {name} (MAXMSGL)"
    if reason == rc.MQRC_MSG_TOO_BIG_FOR_Q_MGR:
        return f"a message of {length} bytes is too big for {q_mgr} (MAXMSGL)"
    if reason == rc.MQRC_MSG_TOO_BIG_FOR_CHANNEL:
        return f"a message of {length} bytes is too big for the channel to {q_mgr} (MAXMSGL)"
    if reason == rc.MQRC_PUT_INHIBITED:
        return f"{name} has {'PUB' if name.startswith('topic:') else 'PUT'}(DISABLED)"
    if reason == rc.MQRC_GET_INHIBITED:
        return f"{name} has GET(DISABLED)"
    if reason == rc.MQRC_OBJECT_IN_USE:
        return f"{name} is in use: somebody has it open in a way that excludes this"
    return ""


#: Python refuses to look up a host name with parts that are empty or too long.
NO_HOST: Final = "no host has such a name"
SILENT: Final = "no answer and no heartbeat came in time"


def why(error: Exception) -> str:
    """Return the cause of a broken connection, in words."""
    if isinstance(error, BlockingIOError) or type(error).__name__ in _TLS_WANTS:
        return SILENT
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"what was received is not the protocol: {error}"
