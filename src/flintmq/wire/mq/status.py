"""The status of a channel instance, as DISPLAY CHSTATUS shows it: a row for a session.

MSGS                   MQI calls of the client           CHSTADA, CHSTATI     when it named its channel
BYTSRCVD, BUFSRCVD     bytes and segments from it        LSTMSGDA, LSTMSGTI   its last call, to the second
BYTSSENT, BUFSSENT     to it                             CURSHCNV             conversations now
STATUS     BINDING while the two negotiate, then RUNNING; STOPPING after STOP CHANNEL MODE(QUIESCE)
SUBSTATE   MQICALL while a get waits, else RECEIVE
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.qmgr.calls import Row, stamp_date, stamp_time
from flintmq.wire.mq.channel_instance import AGREED, ChannelInstance
from flintmq.wire.mq.compression import NAMES

if TYPE_CHECKING:
    from flintmq.wire.mq.cipher_spec import Protection

_PROTOCOLS: Final = {"TLSv1.2": "TLSV12", "TLSv1.3": "TLSV13"}


def instance_row(session: ChannelInstance) -> Row:
    """Return the row of a channel instance."""
    terms = session.terms
    assert terms is not None
    running = session.state == AGREED
    row: Row = {
        "CHANNEL": terms.name,
        "CHLTYPE": "SVRCONN",
        "CONNAME": session.address.partition("(")[0],
        "CURRENT": "CURRENT",
        "STATUS": "STOPPING" if session.stop_requested else "RUNNING" if running else "BINDING",
        "SUBSTATE": "MQICALL" if session.is_in_call() else "RECEIVE",
        "BUFSRCVD": session.segments_received,
        "BUFSSENT": session.segments_sent,
        "BYTSRCVD": session.bytes_received,
        "BYTSSENT": session.bytes_sent,
        "CHSTADA": stamp_date(session.started_ms),
        "CHSTATI": stamp_time(session.started_ms),
        "CURSHCNV": len(session.conversations),
        "HBINT": session.heartbeat_interval if running else terms.heartbeat_interval,
        "JOBNAME": f"{session.channels.process_id & 0xFFFF_FFFF:08X}{session.number & 0xFFFF_FFFF:08X}",
        "KAINT": terms.keep_alive_interval,
        "LSTMSGDA": stamp_date(session.last_call_ms) if session.last_call_ms else "",
        "LSTMSGTI": stamp_time(session.last_call_ms) if session.last_call_ms else "",
        "MAXMSGL": session.max_message_length if running else terms.max_message_length,
        "MAXSHCNV": session.sharing,
        "MCASTAT": "RUNNING",
        "MCAUSER": "",
        "MONCHL": "OFF",
        "MSGS": session.calls,
        "RAPPLTAG": "",
        "RPRODUCT": session.product_id[:4],
        "RVERSION": session.product_id[4:],
        "RQMNAME": "",
        "STOPREQ": "YES" if session.stop_requested else "NO",
    }
    for conversation in session.conversations.values():
        connection = conversation.connection
        if connection is not None:
            row["RAPPLTAG"], row["MCAUSER"] = connection.appl_name, connection.user
            break
    compression = session.compression
    if compression is None:
        row["COMPHDR"] = row["COMPMSG"] = ["NONE", "NONE"]
        row["COMPRATE"] = ["0", "0"]
    else:
        row["COMPHDR"] = [NAMES[compression.header], NAMES[compression.last_header]]
        row["COMPMSG"] = [NAMES[compression.message], NAMES[compression.last_message]]
        row["COMPRATE"] = compression.rates()
    _add_protection(row, session.protection, terms.cipher_spec)
    return row


def ended_row(session: ChannelInstance, now_us: int) -> Row:
    """Return the last row of an instance that ends now, for accounting: its conversations have ended before it."""
    if session.calls != session.calls_seen:
        session.last_call_ms = now_us // 1000  # The host has not looked since its last call.
    row = instance_row(session)
    row["STATUS"] = "INACTIVE"
    row["ENDED_US"] = now_us
    row["RAPPLTAG"] = row["RAPPLTAG"] or session.application
    row["MCAUSER"] = row["MCAUSER"] or session.application_user
    return row


def _add_protection(row: Row, protection: Protection | None, cipher_spec: str) -> None:
    row["SECPROT"] = "NONE" if protection is None else _PROTOCOLS.get(protection.version, protection.version)
    row["SSLCIPH"] = cipher_spec
    row["SSLPEER"] = "" if protection is None else protection.peer_name
    row["SSLCERTI"] = row["SSLCERTU"] = ""
    row["SSLRKEYS"] = 0


def stopped_row(name: str) -> Row:
    """Return the row of a stopped channel."""
    return {
        "CHANNEL": name,
        "CHLTYPE": "SVRCONN",
        "CONNAME": "",
        "CURRENT": "CURRENT",
        "STATUS": "STOPPED",
        "SUBSTATE": "",
        "STOPREQ": "NO",
    }
