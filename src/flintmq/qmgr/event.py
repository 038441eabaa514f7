"""Instrumentation events: PCF messages that tell of refusals, full queues and slow service, to whoever wants to know.

    ALTER QMGR   events, by reason                                                    event queue
    INHIBTEV     2016 get inhibited, 2051 put inhibited                               SYSTEM.ADMIN.QMGR.EVENT
    LOCALEV      2085 unknown object, 2082 unknown alias base, 2001 its type          "
    REMOTEEV     2087, 2184, 2196, 2197, 2091, 2092, 2198, 2199                       "
    AUTHOREV     2035 with its type: 1 connect, 2 open, 3 close, 4 command            "
    STRSTPEV     2222 queue manager active, 2223 not active                           "
    PERFMEV      2053 queue full, 2224 depth high, 2225 depth low,                    SYSTEM.ADMIN.PERFM.EVENT
                 2226 service interval high, 2227 service interval OK
    LOGGEREV     2411 the log has gone on to a new extent; linear logging only        SYSTEM.ADMIN.LOGGER.EVENT
    CONFIGEV, CMDEV   event_admin.py          CHLEV, SSLEV   event_channel.py

Performance events are also switched per queue, and switch one another; the attribute of the queue itself changes:

    event                       made by                                     turns off          turns on
    2224 depth high   QDPHIEV   a put; depth >= QDEPTHHI % of MAXDEPTH       QDPHIEV            QDPLOEV, QDPMAXEV
    2225 depth low    QDPLOEV   a get; depth <= QDEPTHLO % of MAXDEPTH       QDPLOEV            QDPHIEV, QDPMAXEV
    2053 queue full   QDPMAXEV  a put that was refused                       QDPMAXEV           QDPLOEV
    2226 service high QSVCIEV   a put or get; timer > QSVCINT                QSVCIEV(HIGH)      QSVCIEV(OK)
    2227 service OK   QSVCIEV   a get; timer <= QSVCINT                      QSVCIEV(OK)        QSVCIEV(HIGH)

The service timer starts with a put to an empty queue and starts again with each get that leaves messages; it is off
after a get that leaves none. For a queue that has messages when the queue manager starts it starts then. Puts and gets
under syncpoint count when they are made; a message that a get under syncpoint took leaves the depth at commit.

A performance event carries the statistics of the queue since they were last reset, and resets them.

An event that cannot be put is dropped, as MQ does; `EventState` counts those. Nothing that an application did depends
on it. An event never waits for the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.catalogue.attribute import Value
from flintmq.catalogue.attributes import INQUIRED_TYPES, NAME_SELECTORS, QUEUE_TYPES
from flintmq.log.errors import LogError
from flintmq.log.log import Log
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.errors import StructureError
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pcf import MQCFIN, MQCFST, PCFMessage
from flintmq.mqi.reason import (
    MQCC_WARNING,
    MQRC_ALIAS_BASE_Q_TYPE_ERROR,
    MQRC_DEF_XMIT_Q_TYPE_ERROR,
    MQRC_DEF_XMIT_Q_USAGE_ERROR,
    MQRC_GET_INHIBITED,
    MQRC_LOGGER_STATUS,
    MQRC_NOT_AUTHORIZED,
    MQRC_PUT_INHIBITED,
    MQRC_Q_DEPTH_HIGH,
    MQRC_Q_DEPTH_LOW,
    MQRC_Q_FULL,
    MQRC_Q_MGR_ACTIVE,
    MQRC_Q_MGR_NOT_ACTIVE,
    MQRC_Q_SERVICE_INTERVAL_HIGH,
    MQRC_Q_SERVICE_INTERVAL_OK,
    MQRC_REMOTE_Q_NAME_ERROR,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
    MQRC_UNKNOWN_DEF_XMIT_Q,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_REMOTE_Q_MGR,
    MQRC_UNKNOWN_XMIT_Q,
    MQRC_XMIT_Q_TYPE_ERROR,
    MQRC_XMIT_Q_USAGE_ERROR,
)
from flintmq.qmgr import admin_rows, refusal
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.event_state import EventState
from flintmq.qmgr.message import NO_ID
from flintmq.qmgr.objects import log_definition
from flintmq.qmgr.place import place_internal
from flintmq.qmgr.queue import Queue, number

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

QMGR_EVENT_QUEUE: Final = "SYSTEM.ADMIN.QMGR.EVENT"
PERFM_EVENT_QUEUE: Final = "SYSTEM.ADMIN.PERFM.EVENT"
LOGGER_EVENT_QUEUE: Final = "SYSTEM.ADMIN.LOGGER.EVENT"

#: Switched by LOCALEV and by REMOTEEV.
LOCAL_REASONS: Final = (MQRC_UNKNOWN_OBJECT_NAME, MQRC_UNKNOWN_ALIAS_BASE_Q, MQRC_ALIAS_BASE_Q_TYPE_ERROR)
REMOTE_REASONS: Final = (
    MQRC_UNKNOWN_REMOTE_Q_MGR,
    MQRC_REMOTE_Q_NAME_ERROR,
    MQRC_UNKNOWN_XMIT_Q,
    MQRC_UNKNOWN_DEF_XMIT_Q,
    MQRC_XMIT_Q_TYPE_ERROR,
    MQRC_XMIT_Q_USAGE_ERROR,
    MQRC_DEF_XMIT_Q_TYPE_ERROR,
    MQRC_DEF_XMIT_Q_USAGE_ERROR,
)

_TIMER_OFF: Final = -1
_UTF_8: Final = 1208


def state(qm: QueueManager) -> EventState:
    """The event state of a queue manager; made when first asked for."""
    found = qm.events
    if found is None:
        found = qm.events = EventState(qm.name)
    return found


# -- queue manager events: what was refused ----------------------------------------------------------------------


def put_refused(qm: QueueManager, connection: Connection, handle: Handle, reason: int) -> None:
    """A put failed with `reason`."""
    if handle.copy_refused:  # Not this queue has refused it: see copy_refused.
        handle.copy_refused = False
        return
    queue = handle.queue
    if reason == MQRC_PUT_INHIBITED and qm.inhibit_events:
        event = begin(qm, pcf.MQCMD_Q_MGR_EVENT, reason)
        string(event, mq.MQCA_Q_NAME, handle.object_name, 48)
        _application(event, connection.appl_type, connection.appl_name)
        if handle.remote_qmgr:
            string(event, pcf.MQCACF_OBJECT_Q_MGR_NAME, handle.remote_qmgr, 48)
        send(qm, QMGR_EVENT_QUEUE, event)
    elif reason == MQRC_Q_FULL and queue is not None:
        _full(qm, queue)


def _full(qm: QueueManager, queue: Queue) -> None:
    if qm.performance_events and queue.definition.text("QDPMAXEV") == "ENABLED":
        _performance(qm, queue, MQRC_Q_FULL, {"QDPMAXEV": "DISABLED", "QDPLOEV": "ENABLED"})


def copy_refused(qm: QueueManager, connection: Connection, name: str, queue: Queue | None, reason: int) -> None:
    """A message could not be put to the queue `name`, which is `queue` if it is a local one.

    It is a stream queue, and the message the copy of another; or the staging queue of delayed messages.
    """
    if reason == MQRC_PUT_INHIBITED and qm.inhibit_events:
        event = begin(qm, pcf.MQCMD_Q_MGR_EVENT, reason)
        string(event, mq.MQCA_Q_NAME, name, 48)
        _application(event, connection.appl_type, connection.appl_name)
        send(qm, QMGR_EVENT_QUEUE, event)
    elif reason == MQRC_Q_FULL and queue is not None:
        _full(qm, queue)


def get_inhibited(qm: QueueManager, connection: Connection, handle: Handle) -> None:
    """A get failed because it is inhibited."""
    if not qm.inhibit_events:
        return
    event = begin(qm, pcf.MQCMD_Q_MGR_EVENT, MQRC_GET_INHIBITED)
    string(event, mq.MQCA_Q_NAME, handle.object_name, 48)
    _application(event, connection.appl_type, connection.appl_name)
    send(qm, QMGR_EVENT_QUEUE, event)


def unknown_object(qm: QueueManager, connection: Connection, od: MQOD, reason: int) -> None:
    """An open failed with `reason` because the name leads nowhere."""
    if reason in LOCAL_REASONS:
        if not qm.local_events:
            return
    elif reason not in REMOTE_REASONS or not qm.remote_events:
        return
    event = begin(qm, pcf.MQCMD_Q_MGR_EVENT, reason)
    kind = INQUIRED_TYPES.get(od.object_type, "")
    string(event, NAME_SELECTORS.get(kind, mq.MQCA_Q_NAME), od.object_name, 48)
    named = qm.catalogue.find("QUEUE", od.object_name)
    if reason in (MQRC_UNKNOWN_ALIAS_BASE_Q, MQRC_ALIAS_BASE_Q_TYPE_ERROR):
        assert named is not None
        base = named.text("TARGET")
        string(event, mq.MQCA_BASE_OBJECT_NAME, base, 48)
        if reason == MQRC_ALIAS_BASE_Q_TYPE_ERROR:
            _q_type(qm, event, base)
    elif reason in (MQRC_UNKNOWN_XMIT_Q, MQRC_XMIT_Q_TYPE_ERROR, MQRC_XMIT_Q_USAGE_ERROR):
        transmission = od.object_q_mgr_name
        if named is not None and named.kind == "QREMOTE":
            transmission = named.text("XMITQ") or named.text("RQMNAME")
        string(event, mq.MQCA_XMIT_Q_NAME, transmission, 48)
        if reason == MQRC_XMIT_Q_TYPE_ERROR:
            _q_type(qm, event, transmission)
    elif reason in (MQRC_UNKNOWN_DEF_XMIT_Q, MQRC_DEF_XMIT_Q_TYPE_ERROR, MQRC_DEF_XMIT_Q_USAGE_ERROR):
        string(event, mq.MQCA_XMIT_Q_NAME, qm.default_xmit_queue, 48)
        if reason == MQRC_DEF_XMIT_Q_TYPE_ERROR:
            _q_type(qm, event, qm.default_xmit_queue)
    _application(event, connection.appl_type, connection.appl_name)
    if od.object_q_mgr_name:
        string(event, pcf.MQCACF_OBJECT_Q_MGR_NAME, od.object_q_mgr_name, 48)
    send(qm, QMGR_EVENT_QUEUE, event)


def _q_type(qm: QueueManager, event: PCFMessage, name: str) -> None:
    definition = qm.catalogue.find("QUEUE", name)
    if definition is not None:
        integer(event, mq.MQIA_Q_TYPE, QUEUE_TYPES[definition.kind])


def not_authorised(
    qm: QueueManager,
    user: str,
    appl_name: str,
    kind: str,
    name: str,
    what: int,
    appl_type: int = mq.MQAT_UNIX,
    detail: int = 0,
    channel: str = "",
    address: str = "",
) -> None:
    """2035. `what`: 1 connect, 2 open, 3 close, 4 command; `detail`: the open or close options, or the command.

    It is told to the error log and to `flint explain` as well, if the authority says why.
    """
    refusal.no_authority(qm, user, appl_name, channel, address)
    if not qm.authority_events:
        return
    event = begin(qm, pcf.MQCMD_Q_MGR_EVENT, MQRC_NOT_AUTHORIZED)
    integer(event, pcf.MQIACF_REASON_QUALIFIER, what)
    if what == pcf.MQRQ_CMD_NOT_AUTHORIZED:
        integer(event, pcf.MQIACF_COMMAND, detail)
        string(event, pcf.MQCACF_USER_IDENTIFIER, user, 12)
        send(qm, QMGR_EVENT_QUEUE, event)
        return
    if what != pcf.MQRQ_CONN_NOT_AUTHORIZED:
        integer(event, pcf.MQIACF_OPEN_OPTIONS, detail)
    string(event, pcf.MQCACF_USER_IDENTIFIER, user, 12)
    _application(event, appl_type, appl_name)
    if what != pcf.MQRQ_CONN_NOT_AUTHORIZED:
        if kind != "QMGR":
            string(event, NAME_SELECTORS.get(kind, mq.MQCA_Q_NAME), name, 48)
    send(qm, QMGR_EVENT_QUEUE, event)


def refused(qm: QueueManager, connection: Connection, user: str, kind: str, name: str, what: int, options: int) -> None:
    """2035 to an application that is connected: as `not_authorised`."""
    not_authorised(
        qm,
        user,
        connection.appl_name,
        kind,
        name,
        what,
        connection.appl_type,
        options,
        connection.channel_name,
        connection.connection_name,
    )


def queue_manager_active(qm: QueueManager) -> None:
    """2222: the queue manager has started."""
    if qm.definition().attributes["STRSTPEV"] == "ENABLED":
        send(qm, QMGR_EVENT_QUEUE, begin(qm, pcf.MQCMD_Q_MGR_EVENT, MQRC_Q_MGR_ACTIVE))


def queue_manager_not_active(qm: QueueManager, quiescing: bool) -> None:
    """2223: the queue manager is being ended, quiescing or at once."""
    if qm.definition().attributes["STRSTPEV"] == "ENABLED":
        event = begin(qm, pcf.MQCMD_Q_MGR_EVENT, MQRC_Q_MGR_NOT_ACTIVE)
        why = pcf.MQRQ_Q_MGR_QUIESCING if quiescing else pcf.MQRQ_Q_MGR_STOPPING
        integer(event, pcf.MQIACF_REASON_QUALIFIER, why)
        send(qm, QMGR_EVENT_QUEUE, event)


def logger_status(qm: QueueManager) -> None:
    """2411, if the log has gone on to another extent since this was last looked at. Called at checkpoints."""
    log = qm.log
    if not isinstance(log, Log) or not log.config.linear or qm.definition().text("LOGGEREV") != "ENABLED":
        return
    status = log.status()
    current = str(status.get("CURRLOG", ""))
    events = state(qm)
    if current == events.log_extent:
        return
    events.log_extent = current
    event = begin(qm, pcf.MQCMD_LOGGER_EVENT, MQRC_LOGGER_STATUS)
    string(event, pcf.MQCACF_CURRENT_LOG_EXTENT_NAME, current, pcf.MQ_LOG_EXTENT_NAME_LENGTH)
    for parameter, keyword in (
        (pcf.MQCACF_RESTART_LOG_EXTENT_NAME, "RECLOG"),
        (pcf.MQCACF_MEDIA_LOG_EXTENT_NAME, "MEDIALOG"),
    ):
        string(event, parameter, str(status.get(keyword, "")), pcf.MQ_LOG_EXTENT_NAME_LENGTH)
    event.parameters.append(MQCFST(pcf.MQCACF_LOG_PATH, str(status.get("LOGPATH", ""))))
    send(qm, LOGGER_EVENT_QUEUE, event)


# -- performance events ------------------------------------------------------------------------------------------


def after_put(qm: QueueManager, queue: Queue) -> None:
    """A message was put on a watched queue."""
    if not qm.performance_events:
        return
    values = queue.definition.attributes
    if values["QDPHIEV"] == "ENABLED" and queue.current_depth() * 100 >= number(values["QDEPTHHI"]) * queue.max_depth:
        switch: dict[str, Value] = {"QDPHIEV": "DISABLED", "QDPLOEV": "ENABLED", "QDPMAXEV": "ENABLED"}
        _performance(qm, queue, MQRC_Q_DEPTH_HIGH, switch)
    if values["QSVCIEV"] == "NONE":
        return
    now = qm.clock.now_ms()
    if queue.times.service_start_ms == 0 and queue.current_depth() > 1:
        queue.times.service_start_ms = qm.started_ms
    if queue.times.service_start_ms == _TIMER_OFF or queue.times.service_start_ms == 0:
        queue.times.service_start_ms = now
    else:
        _service_high(qm, queue, now)


def after_get(qm: QueueManager, queue: Queue) -> None:
    """A message was got from a watched queue, under syncpoint or not."""
    values = queue.definition.attributes
    if values["QSVCIEV"] == "NONE" or not qm.performance_events:
        return
    now = qm.clock.now_ms()
    if queue.times.service_start_ms == 0:
        queue.times.service_start_ms = qm.started_ms
    if queue.times.service_start_ms != _TIMER_OFF and not _service_high(qm, queue, now):
        if values["QSVCIEV"] == "OK" and now - queue.times.service_start_ms <= number(values["QSVCINT"]):
            _performance(qm, queue, MQRC_Q_SERVICE_INTERVAL_OK, {"QSVCIEV": "HIGH"})
    queue.times.service_start_ms = now if queue.available else _TIMER_OFF


def _service_high(qm: QueueManager, queue: Queue, now: int) -> bool:
    """2226 if the timer has passed the service interval."""
    values = queue.definition.attributes
    if now - queue.times.service_start_ms <= number(values["QSVCINT"]):
        return False
    if values["QSVCIEV"] == "HIGH":
        _performance(qm, queue, MQRC_Q_SERVICE_INTERVAL_HIGH, {"QSVCIEV": "OK"})
    return True


def depth_fell(qm: QueueManager, queue: Queue) -> None:
    """A message has left a watched queue for good."""
    values = queue.definition.attributes
    if not qm.performance_events or values["QDPLOEV"] != "ENABLED":
        return
    if queue.current_depth() * 100 <= number(values["QDEPTHLO"]) * queue.max_depth:
        switch: dict[str, Value] = {"QDPLOEV": "DISABLED", "QDPHIEV": "ENABLED", "QDPMAXEV": "ENABLED"}
        _performance(qm, queue, MQRC_Q_DEPTH_LOW, switch)


def _performance(qm: QueueManager, queue: Queue, reason: int, switch: dict[str, Value]) -> None:
    """Switch first: the event may be for the event queue itself, and must not set itself off."""
    queue.definition.change(switch)
    queue.refresh()
    try:
        log_definition(qm, queue.definition)
    except LogError:
        qm.changed_objects[queue.queue_id] = queue.definition
    statistics = admin_rows.reset_statistics(qm, queue)
    event = begin(qm, pcf.MQCMD_PERFM_EVENT, reason)
    string(event, mq.MQCA_BASE_Q_NAME, queue.name, 48)
    integer(event, mq.MQIA_TIME_SINCE_RESET, number(statistics["RESETINT"]))
    integer(event, mq.MQIA_HIGH_Q_DEPTH, number(statistics["HIQDEPTH"]))
    integer(event, mq.MQIA_MSG_ENQ_COUNT, number(statistics["MSGSIN"]))
    integer(event, mq.MQIA_MSG_DEQ_COUNT, number(statistics["MSGSOUT"]))
    send(qm, PERFM_EVENT_QUEUE, event)


# -- the event message -------------------------------------------------------------------------------------------


def header(command: int, reason: int) -> PCFMessage:
    """An event without parameters."""
    event = PCFMessage()
    event.header.type = pcf.MQCFT_EVENT
    event.header.command = command
    event.header.comp_code = MQCC_WARNING
    event.header.reason = reason
    return event


def begin(qm: QueueManager, command: int, reason: int) -> PCFMessage:
    """An event that begins with the queue manager's name, as most do."""
    event = header(command, reason)
    string(event, mq.MQCA_Q_MGR_NAME, qm.name, 48)
    return event


def string(event: PCFMessage, parameter: int, value: str, length: int) -> None:
    """Add a text, filled up to its length."""
    event.parameters.append(MQCFST(parameter, value.ljust(length)))


def integer(event: PCFMessage, parameter: int, value: int) -> None:
    """Add a number."""
    event.parameters.append(MQCFIN(parameter, value))


def _application(event: PCFMessage, appl_type: int, appl_name: str) -> None:
    integer(event, mq.MQIA_APPL_TYPE, appl_type)
    string(event, pcf.MQCACF_APPL_NAME, appl_name, 28)


def send(qm: QueueManager, name: str, event: PCFMessage, correl_id: bytes = NO_ID) -> None:
    """Put an event on its queue, or count it as dropped."""
    events = state(qm)
    queue = qm.queues.get(name)
    if queue is None:
        events.dropped += 1
        events.last_dropped_reason = MQRC_UNKNOWN_OBJECT_NAME
        return
    qm.stamp(qm.clock.now_ms())
    md = MQMD()
    md.format = mq.MQFMT_EVENT
    md.encoding = mq.MQENC_NATIVE
    md.coded_char_set_id = qm.ccsid
    md.persistence = mq.MQPER_PERSISTENCE_AS_Q_DEF
    md.priority = mq.MQPRI_PRIORITY_AS_Q_DEF
    md.correl_id = correl_id
    md.reply_to_q_mgr = qm.name
    md.put_appl_type = mq.MQAT_QMGR
    md.put_appl_name = qm.name[:28]
    md.put_date = qm.put_date
    md.put_time = qm.put_time
    try:
        data = event.pack(False, qm.ccsid)
    except StructureError:
        data = event.pack(False, _UTF_8)
        md.coded_char_set_id = _UTF_8
    reason = place_internal(qm, events.connection, queue, md, data, False)
    if reason:
        events.dropped += 1
        events.last_dropped_reason = reason
    else:
        events.put += 1
