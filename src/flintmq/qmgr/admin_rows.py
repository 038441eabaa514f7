"""The rows of status displays: queues, handles, connections, page sets, buffer pools, the log, the queue manager.

A row is a dictionary from MQSC keyword to value; command/status.py says in which order they are shown. Dates and times
are Greenwich mean time, as the engine knows no other: 2026-01-31 and 12.30.00.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from flintmq.catalogue.attribute import Value
from flintmq.catalogue.kinds import KINDS
from flintmq.log.log import Log
from flintmq.mqi.constants import (
    MQAT_CHANNEL_INITIATOR,
    MQAT_QMGR,
    MQCNO_RECONNECT,
    MQCNO_RECONNECT_DISABLED,
    MQCNO_RECONNECT_Q_MGR,
)
from flintmq.qmgr.connection import MQOT_SUBSCRIPTION, UNIT_PREPARED, Connection, Handle
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.statistics import age_of_oldest
from flintmq.qmgr.subscription import subscription_of

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

Row = dict[str, Value]

#: The ordinal of 1970-01-01.
_FIRST_DAY = 719_163
_MEGABYTE = 1 << 20
_PAGE = 4096
#: What a queue may take at most in MB where MAXFSIZE does not say (2 TB less a little, as in MQ).
_FILE_SIZE_MAX = 2_088_960


def stamp_date(time_ms: int) -> str:
    """Return the date of a time in the form 2026-01-31."""
    return date.fromordinal(_FIRST_DAY + time_ms // 86_400_000).isoformat()


def stamp_time(time_ms: int) -> str:
    """12.30.00."""
    seconds = time_ms // 1000 % 86_400
    return f"{seconds // 3600:02d}.{seconds // 60 % 60:02d}.{seconds % 60:02d}"


def _yes(condition: bool) -> str:
    return "YES" if condition else "NO"


# -- queues -------------------------------------------------------------------------------------------------------


def queue_status(qm: QueueManager, queue: Queue) -> Row:
    """DISPLAY QSTATUS TYPE(QUEUE). Times are blank while MONQ is OFF."""
    row: Row = {
        "CURDEPTH": queue.current_depth(),
        "CURFSIZE": -(-queue.depth * _PAGE // _MEGABYTE),
        "CURMAXFS": _FILE_SIZE_MAX,
        "IPPROCS": queue.opens.input_handles,
        "LGETDATE": "",
        "LGETTIME": "",
        "LPUTDATE": "",
        "LPUTTIME": "",
        "MEDIALOG": "",
        "MONQ": monitoring(qm, queue),
        "MSGAGE": "",
        "OPPROCS": queue.opens.output_handles,
        "QTIME": ["", ""],
        "UNCOM": _yes(queue.uncommitted > 0),
    }
    limit = queue.definition.attributes["MAXFSIZE"]
    if isinstance(limit, int):
        row["CURMAXFS"] = limit
    if row["MONQ"] == "OFF":
        return row
    if queue.counts.last_get_ms:
        row["LGETDATE"] = stamp_date(queue.counts.last_get_ms)
        row["LGETTIME"] = stamp_time(queue.counts.last_get_ms)
    if queue.counts.last_put_ms:
        row["LPUTDATE"] = stamp_date(queue.counts.last_put_ms)
        row["LPUTTIME"] = stamp_time(queue.counts.last_put_ms)
    row["MSGAGE"] = age_of_oldest(queue, qm.clock.now_ms())
    return row


def monitoring(qm: QueueManager, queue: Queue) -> str:
    """The MONQ in force: the queue's, or the queue manager's if that says QMGR."""
    own = queue.definition.text("MONQ")
    general = qm.definition().text("MONQ")
    if general == "NONE":
        return "OFF"
    return general if own == "QMGR" else own


def reset_statistics(qm: QueueManager, queue: Queue) -> Row:
    """RESET QSTATS: what was counted since the last time."""
    now = qm.clock.now_ms()
    row: Row = {
        "HIQDEPTH": max(queue.marks.high_depth, queue.marks.reset_high_depth),
        "MSGSIN": queue.counts.put_count - queue.marks.reset_put,
        "MSGSOUT": queue.counts.get_count - queue.marks.reset_get,
        "RESETINT": max(0, (now - queue.marks.reset_ms) // 1000),
    }
    queue.marks.high_depth = queue.depth
    queue.marks.reset_high_depth = 0
    queue.marks.reset_put = queue.counts.put_count
    queue.marks.reset_get = queue.counts.get_count
    queue.marks.reset_ms = now
    return row


def queue_handle(handle: Handle) -> Row:
    """DISPLAY QSTATUS TYPE(HANDLE)."""
    connection = handle.connection
    taking = "NO"
    if handle.can_get:
        taking = "EXCL" if handle.exclusive else "SHARED"
    row = _application(connection)
    row["BROWSE"] = _yes(handle.can_browse)
    row["HSTATE"] = handle_state(handle)
    row["INPUT"] = taking
    row["INQUIRE"] = _yes(handle.can_inquire)
    row["OUTPUT"] = _yes(handle.can_put)
    row["SET"] = _yes(handle.can_set)
    row["QMURID"] = "0.0"
    row["URID"] = ""
    row["URTYPE"] = "XA" if connection.in_global_unit else "QMGR"
    return row


def handle_state(handle: Handle) -> str:
    """ACTIVE while a call that uses the handle waits."""
    waiter = handle.connection.waiter
    return "ACTIVE" if waiter is not None and waiter.handle is handle else "INACTIVE"


# -- connections --------------------------------------------------------------------------------------------------


def _application(connection: Connection) -> Row:
    kind = "USER"
    if connection.appl_type == MQAT_QMGR:
        kind = "SYSTEM"
    elif connection.appl_type == MQAT_CHANNEL_INITIATOR:
        kind = "CHINIT"
    state = "NONE"
    if connection.consumers_started:
        state = "SUSPENDED" if connection.consumers_suspended else "STARTED"
    return {
        "APPLDESC": connection.appl_description,
        "APPLTAG": connection.appl_name,
        "APPLTYPE": kind,
        "ASTATE": state,
        "CHANNEL": connection.channel_name,
        "CONNAME": connection.connection_name,
        "PID": connection.process_id,
        "TID": connection.thread_id,
        "USERID": connection.user,
    }


def connection_name(connection: Connection) -> str:
    """The sixteen hexadecimal digits by which commands know a connection."""
    return connection.connection_id[16:].hex().upper()


def _reconnection(options: int) -> list[str]:
    """What a client has said about coming back by itself."""
    names = {
        MQCNO_RECONNECT: "MQCNO_RECONNECT",
        MQCNO_RECONNECT_DISABLED: "MQCNO_RECONNECT_DISABLED",
        MQCNO_RECONNECT_Q_MGR: "MQCNO_RECONNECT_Q_MGR",
    }
    return [name for bit, name in names.items() if options & bit]


def connection_row(connection: Connection) -> Row:
    """DISPLAY CONN TYPE(CONN)."""
    row = _application(connection)
    unit = connection.unit
    row["CONN"] = connection_name(connection)
    row["EXTCONN"] = connection.connection_id[:16].hex().upper()
    row["CLIENTID"] = ""
    row["CONNOPTS"] = ",".join(["MQCNO_SHARED_BINDING", *_reconnection(connection.options)])
    row["CONNTAG"] = ""
    row["UOWLOG"] = ""
    row["UOWSTDA"] = stamp_date(unit.started_ms) if unit is not None else ""
    row["UOWSTTI"] = stamp_time(unit.started_ms) if unit is not None else ""
    row["UOWLOGDA"] = ""
    row["UOWLOGTI"] = ""
    row["URTYPE"] = "XA" if connection.in_global_unit else "QMGR"
    row["EXTURID"] = unit.xid.hex().upper() if unit is not None else ""
    row["QMURID"] = "0.0"
    row["UOWSTATE"] = "NONE"
    if unit is not None:
        row["UOWSTATE"] = "PREPARED" if unit.state == UNIT_PREPARED else "ACTIVE"
    return row


#: MQOT_* -> the word of OBJTYPE.
_HANDLE_KINDS: Final = {
    **{kind.number: kind.authority_type for kind in KINDS if kind.opened},
    MQOT_SUBSCRIPTION: "SUBSCRIPTION",
}


def connection_handle(handle: Handle) -> Row:
    """DISPLAY CONN TYPE(HANDLE)."""
    row: Row = {
        "OBJNAME": handle.object_name,
        "OBJTYPE": _HANDLE_KINDS.get(handle.object_type, ""),
        "ASTATE": "NONE" if handle.consumer is None else "ACTIVE",
        "HSTATE": handle_state(handle),
        "OPENOPTS": f"0x{handle.options:08X}",
        "READA": _yes(handle.read_ahead),
    }
    if handle.topic is not None:
        row["TOPICSTR"] = handle.topic.topic_string
    subscription = subscription_of(handle)
    if subscription is not None:
        row["SUBID"] = subscription.sub_id.hex().upper()
        row["SUBNAME"] = subscription.name
        row["TOPICSTR"] = subscription.topic_string
        row["DEST"] = subscription.dest_queue
        row["DESTQMGR"] = subscription.dest_q_mgr
    return row


# -- storage ------------------------------------------------------------------------------------------------------


def page_set_usage(qm: QueueManager, psid: int) -> Row:
    """DISPLAY USAGE TYPE(PAGESET): pages by the size classes of B135, with an index page for every 72 messages."""
    account = qm.accounts[psid]
    definition = qm.catalogue.find("PSID", str(psid))
    status = "ACTIVE"
    if account.disk_full or (account.full_count and account.used >= account.total):
        status = "FULL"
    elif account.slowed():
        status = "FILLING"
    return {
        "PSID": psid,
        "BUFFPOOL": definition.number("BUFFPOOL") if definition is not None else 0,
        "TOTAL": account.total,
        "UNUSED": account.unused(),
        "PERSIST": account.persistent,
        "NONPERS": account.nonpersistent,
        "EXPAND": account.expand,
        "EXPCOUNT": account.expansions,
        "MESSAGES": account.messages,
        "PERCENT": 100 * account.used // account.total if account.total else 0,
        "STATUS": status,
    }


def buffer_pool_usage(qm: QueueManager, number: int) -> Row:
    """DISPLAY USAGE TYPE(BUFFPOOL)."""
    pool = qm.pools[number]
    free = max(0, pool.buffers - pool.used)
    definition = qm.catalogue.find("BUFFPOOL", str(number))
    return {
        "BUFFPOOL": number,
        "BUFFERS": pool.buffers,
        "FREE": free,
        "FREEPERC": 100 * free // pool.buffers if pool.buffers else 0,
        "USED": pool.used,
        "LOCATION": definition.text("LOCATION") if definition is not None else "ABOVE",
        "PAGECLAS": definition.text("PAGECLAS") if definition is not None else "4KB",
        "PGSIN": pool.steals,
        "PGSOUT": pool.pages_written,
        "STALLS": pool.suspend_no_buffers,
        "STATUS": "SPILLING" if pool.used > pool.threshold else "CALM",
    }


# -- log and queue manager ----------------------------------------------------------------------------------------


def log_state(qm: QueueManager) -> Row:
    """The state of the log, for DISPLAY LOG and DISPLAY USAGE TYPE(DATASET)."""
    log = qm.log
    if not isinstance(log, Log):
        return {"LOGTYPE": "NONE"}
    row: Row = {}
    for keyword, value in log.status().items():
        row[keyword] = value
    counters = log.counters
    row["LOGCOPY"] = log.config.second_copy
    row["LOGEND"] = log.end
    row["LOGDUR"] = log.durable
    row["LOGCHKPT"] = log.checkpoint_position
    row["LOGUSED"] = int(100 * log.used_fraction)
    row["ARCHPATH"] = log.config.archive
    row["RECORDS"] = counters.records
    row["BYTES"] = counters.bytes
    row["FLUSHES"] = counters.flushes
    row["SYNCS"] = counters.syncs
    row["COMPREQ"] = counters.compression_requests
    row["COMPFAIL"] = counters.compression_failures
    row["COMPIN"] = counters.compression_bytes_in
    row["COMPOUT"] = counters.compression_bytes_out
    row["DECREQ"] = counters.decompression_requests
    row["DECFAIL"] = counters.decompression_failures
    row["DECIN"] = counters.decompression_bytes_in
    row["DECOUT"] = counters.decompression_bytes_out
    return row


def q_mgr_status(qm: QueueManager) -> Row:
    """DISPLAY QMSTATUS."""
    row: Row = {
        "STATUS": "QUIESCING" if qm.quiescing else "RUNNING",
        "CHINIT": "STOPPED",
        "CMDSERV": "RUNNING" if qm.command_server is not None and qm.command_server.connected else "STOPPED",
        "CONNS": len(qm.connections),
        "INSTDESC": "",
        "INSTNAME": "FlintMQ",
        "LDAPCONN": "INACTIVE",
        "STANDBY": "NOPERMIT",
        "STARTDA": stamp_date(qm.started_ms),
        "STARTTI": stamp_time(qm.started_ms),
        "UNICLUS": "NO",
    }
    log = qm.log
    if isinstance(log, Log):
        for keyword, value in log.status().items():
            row[keyword] = value
    row["CHKPTOPS"] = qm.records_since_checkpoint
    return row
