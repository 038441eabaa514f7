"""Administration: DEFINE, ALTER, DELETE, CLEAR and what goes with them, on a live queue manager.

The command layer speaks to this class only (command/administration.py has the contract). A method that changes
something returns a reason; the log position that must be durable before the administrator hears of success is left in
`force`.

    change                           what is refused, and why
    any                              2085 no such object, 4001 already there, 4002 there as another kind of queue
    DEFINE REPLACE, ALTER of a queue
      INDXTYPE                       2055 with messages on the queue: those on the page set are indexed the old way
      STGCLASS                       2055 with messages on the queue: it would move to another page set without them
      USAGE                          3210 with messages or while open, unless FORCE: the messages' format would be wrong
      NOSHARE                        3210 while more than one has it open for input, unless FORCE
      TARGET, RNAME, RQMNAME, XMITQ  3210 while somebody has the alias or remote queue open, unless FORCE
      GET(DISABLED)                  nothing; gets that wait end with 2016
    STREAMQ                          3384 to 3387 where a copy cannot go, or cannot come from: see stream.refuses; 2035
                                     without authority to change the stream queue
    DEFINE of a topic                3300 if another has its TOPICSTR, 2425 without one; REPLACE, 2510 with another one
    STGCLASS or PSID                 2055 if a queue with messages would move to another page set
    DELETE of a local queue          2042 open or uncommitted messages, 2055 messages and no PURGE
    DELETE of a topic                2042 while it is open; SYSTEM.BASE.TOPIC never goes
    DELETE of STGCLASS, PSID, BUFFPOOL  2042 while something leads to it; page set 0 and pool 0 never go
    CLEAR                            2042 open or uncommitted messages
    DEFINE, ALTER with CUSTOM        3355 with a CAPEXPRY in it that is no time
    MOVE                             move.py

The refusals by kind of object are in admin_hooks.py. What is shown (DISPLAY QSTATUS, CONN, USAGE ...) is in
admin_rows.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from flintmq.catalogue.attribute import CUSTOM, Value
from flintmq.catalogue.attributes import ATTRIBUTES, default_attributes
from flintmq.log.compress import LZ4, NONE, RLE
from flintmq.log.errors import LogError
from flintmq.log.log import Log
from flintmq.mqi.md import MQMD
from flintmq.mqi.pcf import Parameter
from flintmq.mqi.pcf_constants import (
    MQEVO_CONSOLE,
    MQEVO_MSG,
    MQRCCF_CONNECTION_ID_ERROR,
    MQRCCF_CUSTOM_ERROR,
    MQRCCF_LOG_TYPE_ERROR,
    MQRCCF_OBJECT_ALREADY_EXISTS,
    MQRCCF_OBJECT_WRONG_TYPE,
    MQRQ_CMD_NOT_AUTHORIZED,
)
from flintmq.mqi.reason import (
    MQRC_NO_SUBSCRIPTION,
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_OBJECT_IN_USE,
    MQRC_OBJECT_NAME_ERROR,
    MQRC_PAGESET_FULL,
    MQRC_RESOURCE_PROBLEM,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from flintmq.qmgr import (
    admin_pubsub,
    admin_rows,
    admin_security,
    authority_change,
    chlauth,
    event,
    event_admin,
    expiry,
    intervals,
    retained,
    stream,
    trace_control,
)
from flintmq.qmgr.admin_hooks import hooks_of
from flintmq.qmgr.admin_rows import Row, stamp_date, stamp_time
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.channel_control import ChannelControl
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.event_admin import Issuer
from flintmq.qmgr.expiring import custom_is_good
from flintmq.qmgr.move import Move
from flintmq.qmgr.objects import (
    clear_up_to,
    log_definition,
    log_deletion,
)
from flintmq.qmgr.records import CLEAR, ONLY, PLACE
from flintmq.qmgr.vault import VaultError
from flintmq.store.errors import PageSetFull

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_COMPRESSION: Final = {"NONE": NONE, "RLE": RLE, "LZ4": LZ4}
_COMPRESSION_NAMES: Final = {NONE: "NONE", RLE: "RLE", LZ4: "LZ4"}


class Admin:
    """A queue manager, as an administrator sees it."""

    #: The log position that must be durable before the administrator hears of success.
    force: int = 0
    #: Who gives the commands; `Authority.may_command` is asked about them.
    user: str = ""
    #: The descriptor of the message that a command came in.
    context: MQMD | None = None

    def __init__(self, qm: QueueManager) -> None:
        self.qm = qm
        #: What runs of channels and listeners: the process that serves clients puts its own here.
        self.channels = ChannelControl()
        self._log = default_attributes("LOG")
        self._log.update(qm.parameters["LOG"])

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self.qm.name

    # -- events ---------------------------------------------------------------------------------------------------

    def _issuer(self) -> Issuer:
        origin = MQEVO_CONSOLE if self.context is None else MQEVO_MSG
        return Issuer(self.user, origin, self.context)

    def command_done(self, verb: str, command: int, text: str, parameters: list[Parameter]) -> None:
        """CMDEV: a command did what was asked."""
        event_admin.command_done(self.qm, self._issuer(), verb, command, text, parameters)

    def command_refused(self, command: int, kind: str, name: str) -> None:
        """AUTHOREV: the issuer may not."""
        event.not_authorised(self.qm, self.user, "", kind, name, MQRQ_CMD_NOT_AUTHORIZED, detail=command)

    # -- definitions ----------------------------------------------------------------------------------------------

    def define(self, kind: str, name: str, attributes: Row, replace: bool) -> int:
        """DEFINE. `attributes` has every attribute that can be set."""
        self.force = 0
        if not _custom_is_good(attributes):
            return MQRCCF_CUSTOM_ERROR
        taken = self.qm.catalogue.taken(kind, name)
        if taken is None:
            return self._add(kind, name, attributes)
        if not replace:
            return MQRCCF_OBJECT_ALREADY_EXISTS
        if taken.kind != kind:
            return MQRCCF_OBJECT_WRONG_TYPE
        return self._change(taken, attributes, False)

    def alter(self, kind: str, name: str, changes: Row, force: bool) -> int:
        """ALTER: change only `changes`."""
        self.force = 0
        definition = self.qm.catalogue.find(kind, name)
        if definition is None:
            return MQRC_UNKNOWN_OBJECT_NAME
        if not _custom_is_good(changes):
            return MQRCCF_CUSTOM_ERROR
        try:
            changes = self._sealed(definition, changes)
        except VaultError:
            return MQRC_RESOURCE_PROBLEM
        return self._change(definition, changes, force)

    def _sealed(self, definition: MQObject, changes: Row) -> Row:
        """`changes` with secrets as they are kept, and those that are not kept so yet. Raises VaultError."""
        result = dict(changes)
        for attribute in ATTRIBUTES[definition.kind]:
            if attribute.secret:
                value = result.get(attribute.keyword, definition.attributes.get(attribute.keyword, ""))
                if isinstance(value, str) and value:
                    result[attribute.keyword] = self.qm.vault.seal(attribute.keyword, value)
        return result

    def _add(self, kind: str, name: str, attributes: Row) -> int:
        qm = self.qm
        refused = self._refuses_stream(kind, name, {**default_attributes(kind), **attributes}, None)
        if refused:
            return refused
        refused = hooks_of(kind).may_define(qm, name, attributes)
        if refused:
            return refused
        definition = qm.catalogue.add(kind, name, attributes)
        qm.counters.objects_created += 1
        self._stamp(definition, True)
        reason = self._take_effect(definition, {})
        if reason:
            qm.catalogue.remove(definition)
            qm.changed_objects.pop(definition.object_id, None)
        else:
            self.force = max(self.force, admin_security.created(qm, self.user, kind, name))
            event_admin.object_created(qm, self._issuer(), definition)
        return reason

    def _change(self, definition: MQObject, changes: Row, force: bool) -> int:
        before: dict[str, Value] = dict(definition.attributes)
        effective: Row = {}
        for keyword, value in changes.items():
            if before.get(keyword) != value:
                effective[keyword] = value
        reason = hooks_of(definition.kind).may_change(self.qm, definition, effective, force)
        if not reason:
            values = {**before, **effective}
            reason = self._refuses_stream(definition.kind, definition.name, values, effective)
        if reason:
            return reason
        definition.change(effective)
        self._stamp(definition, False)
        reason = self._take_effect(definition, before)
        if reason:
            definition.attributes = before
        elif effective:
            event_admin.object_changed(self.qm, self._issuer(), definition, before)
        return reason

    def _take_effect(self, definition: MQObject, before: Row) -> int:
        """Log a definition that is new (nothing `before`) or was changed, and let it work.

        On failure nothing has changed but the definition itself.
        """
        hooks = hooks_of(definition.kind)
        reason = hooks.prepare(self.qm, definition, before)
        if reason:
            return reason
        try:
            self.force = log_definition(self.qm, definition)
        except LogError:
            return MQRC_RESOURCE_PROBLEM
        hooks.took_effect(self.qm, definition, before)
        return MQRC_NONE

    def _refuses_stream(self, kind: str, name: str, values: Row, changes: Row | None) -> int:
        """The reason why STREAMQ cannot be as it is in `values`. It takes authority to change the stream queue too."""
        stream_name = str(values.get("STREAMQ", ""))
        if stream_name and (changes is None or "STREAMQ" in changes):
            found = self.qm.catalogue.find("QUEUE", stream_name)
            if not self.may("ALTER", found.kind if found is not None else "QLOCAL", stream_name):
                return MQRC_NOT_AUTHORIZED
        return stream.refuses(self.qm.catalogue, kind, name, values, changes)

    def _stamp(self, definition: MQObject, created: bool) -> None:
        """When it was created and last altered."""
        now = self.qm.clock.now_ms()
        if "ALTDATE" in definition.attributes:
            definition.attributes["ALTDATE"] = stamp_date(now)
            definition.attributes["ALTTIME"] = stamp_time(now)
        if created and "CRDATE" in definition.attributes:
            definition.attributes["CRDATE"] = stamp_date(now)
            definition.attributes["CRTIME"] = stamp_time(now)

    # -- deletion -------------------------------------------------------------------------------------------------

    def delete(self, kind: str, name: str, purge: bool) -> int:
        """DELETE."""
        self.force = 0
        qm = self.qm
        definition = qm.catalogue.find(kind, name)
        if definition is None:
            return MQRC_UNKNOWN_OBJECT_NAME
        hooks = hooks_of(kind)
        if hooks.in_use(qm, definition):
            return MQRC_OBJECT_IN_USE
        reason = hooks.may_delete(qm, definition, purge)
        if reason:
            return reason
        try:
            hooks.deleting(qm, definition)
            self.force = log_deletion(qm, definition)
        except LogError:
            return MQRC_RESOURCE_PROBLEM
        except PageSetFull:
            return MQRC_PAGESET_FULL
        qm.catalogue.remove(definition)
        event_admin.object_deleted(qm, self._issuer(), definition)
        hooks.deleted(qm, definition)
        return MQRC_NONE

    def clear(self, name: str) -> int:
        """CLEAR QLOCAL: remove all messages."""
        self.force = 0
        qm = self.qm
        definition = qm.catalogue.find("QLOCAL", name)
        if definition is None:
            return MQRC_UNKNOWN_OBJECT_NAME
        queue = qm.queues_by_id[definition.object_id]
        if queue.opens.handles or queue.uncommitted:
            return MQRC_OBJECT_IN_USE
        if not queue.depth:
            return MQRC_NONE
        last = queue.next_sequence - 1
        try:
            self.force = qm.append(CLEAR | ONLY, PLACE.pack(queue.queue_id, last, 0))
        except LogError:
            return MQRC_RESOURCE_PROBLEM
        queue.counts.purged_count += clear_up_to(queue, last)
        return MQRC_NONE

    def move(self, source: str, target: str, add: bool) -> tuple[int, int]:
        """MOVE QLOCAL: the reason, and how many messages were moved."""
        self.force = 0
        taken = self.qm.catalogue.find("QLOCAL", source)
        given = self.qm.catalogue.find("QLOCAL", target)
        if taken is None or given is None:
            return MQRC_UNKNOWN_OBJECT_NAME, 0
        if taken is given:
            return MQRC_OBJECT_NAME_ERROR, 0
        move = Move(self.qm, self.qm.queues_by_id[taken.object_id], self.qm.queues_by_id[given.object_id])
        reason = move.run(add)
        self.force = move.force
        return reason, move.moved

    def may(self, verb: str, kind: str, name: str) -> bool:
        """Whether the administrator may do this."""
        return self.qm.authority.may_command(self.user, verb, kind, name)

    # -- who may do what --------------------------------------------------------------------------------------------

    def set_authority(
        self, object_type: str, profile: str, entity_type: str, entity: str, add: int, remove: int
    ) -> int:
        """SET AUTHREC for one entity."""
        reason, self.force = authority_change.change(self.qm, object_type, profile, entity_type, entity, add, remove)
        return reason

    def knows_entity(self, entity_type: str, entity: str) -> bool:
        """Whether authority can be given to it."""
        entities = self.qm.entities
        return entities.knows_user(entity) if entity_type == "PRINCIPAL" else entities.knows_group(entity)

    def delete_authority(self, object_type: str, profile: str, entity_type: str, entity: str) -> int:
        """DELETE AUTHREC for one entity."""
        reason, self.force = authority_change.delete(self.qm, object_type, profile, entity_type, entity)
        return reason

    def delete_authorities_of(self, kind: str, name: str) -> None:
        """DELETE with AUTHREC(YES): the records that were for an object alone go with it."""
        self.force = max(self.force, admin_security.deleted(self.qm, kind, name))

    def entity_authority(self, object_type: str, name: str, entity_type: str, entity: str) -> list[str]:
        """DISPLAY ENTAUTH."""
        return admin_security.entity_authority(self.qm, object_type, name, entity_type, entity)

    def set_chlauth(self, values: Row, action: str) -> int:
        """SET CHLAUTH."""
        now = self.qm.clock.now_ms()
        stamps: Row = {"ALTDATE": stamp_date(now), "ALTTIME": stamp_time(now)}
        reason, self.force = chlauth.change(self.qm, values, action, stamps)
        return reason

    def check_chlauth(self, client: chlauth.Client) -> MQObject | None:
        """DISPLAY CHLAUTH MATCH(RUNCHECK): the record that decides about a client."""
        return admin_security.check_chlauth(self.qm, client)

    def security(self) -> Row:
        """DISPLAY SECURITY."""
        return admin_security.security(self.qm)

    def alter_security(self, changes: Row) -> int:
        """ALTER SECURITY."""
        self.force = 0
        return admin_security.alter_security(self.qm, changes)

    def refresh_security(self, user: str) -> int:
        """REFRESH SECURITY, or RVERIFY SECURITY for one user."""
        self.force = 0
        self.qm.authority.refresh(user)
        return MQRC_NONE

    # -- what is there --------------------------------------------------------------------------------------------

    def objects(self, kind: str) -> list[MQObject]:
        """Copies of all objects of `kind` ("QUEUE" for queues of every kind), live values filled in."""
        return [self._copy(definition) for definition in self.qm.catalogue.match(kind)]

    def objects_called(self, kind: str, name: str) -> Iterator[MQObject]:
        """The same of those that a name, which may be generic, means; in order, each copied when it is asked for."""
        catalogue = self.qm.catalogue
        for definition in catalogue.match(kind, name):
            if catalogue.find(definition.kind, definition.name) is definition:
                yield self._copy(definition)

    def _copy(self, definition: MQObject) -> MQObject:
        copy = definition.copy()
        queue = self.qm.queues_by_id.get(definition.object_id)
        if queue is not None:
            copy.attributes["CURDEPTH"] = queue.current_depth()
            copy.attributes["IPPROCS"] = queue.opens.input_handles
            copy.attributes["OPPROCS"] = queue.opens.output_handles
        return copy

    # -- publish/subscribe ----------------------------------------------------------------------------------------

    def subscriptions(self) -> list[Row]:
        """DISPLAY SUB."""
        return [admin_pubsub.row(each) for each in admin_pubsub.everything(self.qm)]

    def define_subscription(self, name: str, attributes: Row, replace: bool) -> int:
        """DEFINE SUB."""
        connection = admin_pubsub.own_connection(self.qm, self.user)
        reason = admin_pubsub.define(self.qm, connection, name, attributes, replace)
        self.force = connection.force
        return reason

    def alter_subscription(self, name: str, sub_id: str, changes: Row) -> int:
        """ALTER SUB."""
        self.force = 0
        found = admin_pubsub.find(self.qm, name, sub_id)
        if found is None:
            return MQRC_NO_SUBSCRIPTION
        connection = admin_pubsub.own_connection(self.qm, self.user)
        reason = admin_pubsub.alter(self.qm, connection, found, changes)
        self.force = connection.force
        return reason

    def delete_subscription(self, name: str, sub_id: str) -> int:
        """DELETE SUB."""
        self.force = 0
        found = admin_pubsub.find(self.qm, name, sub_id)
        if found is None:
            return MQRC_NO_SUBSCRIPTION
        connection = admin_pubsub.own_connection(self.qm, self.user)
        reason = admin_pubsub.delete(self.qm, connection, found)
        self.force = connection.force
        return reason

    def subscription_status(self) -> list[Row]:
        """DISPLAY SBSTATUS."""
        return [admin_pubsub.status(each) for each in admin_pubsub.everything(self.qm)]

    def topic_status(self, topic_string: str, kind: str) -> list[Row]:
        """DISPLAY TPSTATUS."""
        return admin_pubsub.topic_status(self.qm, topic_string, kind)

    def clear_retained(self, topic_string: str) -> int:
        """CLEAR TOPICSTR."""
        connection = admin_pubsub.own_connection(self.qm, self.user)
        retained.clear(self.qm, connection, topic_string)
        self.force = connection.force
        return MQRC_NONE

    def pubsub_status(self) -> Row:
        """DISPLAY PUBSUB."""
        return admin_pubsub.pubsub_status(self.qm)

    # -- queues, connections, storage -----------------------------------------------------------------------------

    def queue_status(self, name: str) -> Row:
        """DISPLAY QSTATUS TYPE(QUEUE) for one local queue."""
        queue = self.qm.queues.get(name)
        return {} if queue is None else admin_rows.queue_status(self.qm, queue)

    def queue_handles(self, name: str) -> list[Row]:
        """DISPLAY QSTATUS TYPE(HANDLE)."""
        queue = self.qm.queues.get(name)
        result: list[Row] = []
        if queue is not None:
            for handle in queue.opens.handles:
                result.append(admin_rows.queue_handle(handle))
        return result

    def reset_queue_statistics(self, name: str) -> Row:
        """RESET QSTATS for one local queue."""
        queue = self.qm.queues.get(name)
        return {} if queue is None else admin_rows.reset_statistics(self.qm, queue)

    def connections(self) -> list[Row]:
        """DISPLAY CONN TYPE(CONN)."""
        return [admin_rows.connection_row(each) for each in self.qm.connections.values()]

    def connection_handles(self, connection: str) -> list[Row]:
        """DISPLAY CONN TYPE(HANDLE)."""
        for each in self.qm.connections.values():
            if admin_rows.connection_name(each) == connection:
                return [admin_rows.connection_handle(handle) for handle in each.handles.values()]
        return []

    def stop_connection(self, connection: str) -> int:
        """STOP CONN: break the connection; its unit of work is backed out."""
        self.force = 0
        for each in list(self.qm.connections.values()):
            if admin_rows.connection_name(each) == connection:
                self.channels.stop_connection(self.qm, each)
                return MQRC_NONE
        return MQRCCF_CONNECTION_ID_ERROR

    # -- channels and listeners -----------------------------------------------------------------------------------

    def channel_status(self) -> list[Row]:
        """DISPLAY CHSTATUS."""
        return self.channels.channel_status()

    def ended_channels(self) -> list[Row]:
        """Instances of channels that have ended since this was last asked."""
        return self.channels.ended_channels()

    def start_channel(self, name: str) -> int:
        """START CHANNEL: what STOP CHANNEL has stopped can be used again."""
        return self._control("CHANNEL", name) or self._stopped(name, False) or self.channels.start_channel(name)

    def stop_channel(self, name: str, mode: str, address: str, status: str) -> int:
        """STOP CHANNEL. With STATUS(STOPPED) it stays so, over restarts, until START CHANNEL."""
        reason = self._control("CHANNEL", name)
        if not reason and status == "STOPPED":
            reason = self._stopped(name, True)
        return reason or self.channels.stop_channel(name, mode, address, status)

    def _stopped(self, name: str, stopped: bool) -> int:
        """Keep whether a channel is stopped. Nothing is kept where no channel runs: the command is refused then."""
        definition = self.qm.catalogue.find("CHANNEL", name)
        assert definition is not None
        if definition.stopped == stopped or not self.channels.is_running():
            return MQRC_NONE
        definition.stopped = stopped
        try:
            self.force = log_definition(self.qm, definition)
        except LogError:
            definition.stopped = not stopped
            return MQRC_RESOURCE_PROBLEM
        if not stopped:
            self.qm.notice("AMQ9002I", f"Channel {name} was started: clients may use it.")
        return MQRC_NONE

    def listener_status(self) -> list[Row]:
        """DISPLAY LSSTATUS."""
        return self.channels.listener_status()

    def start_listener(self, name: str) -> int:
        """START LISTENER."""
        return self._control("LISTENER", name) or self.channels.start_listener(name)

    def stop_listener(self, name: str) -> int:
        """STOP LISTENER."""
        return self._control("LISTENER", name) or self.channels.stop_listener(name)

    def service_status(self) -> list[Row]:
        """DISPLAY SVSTATUS."""
        return self.channels.service_status()

    def start_service(self, name: str) -> int:
        """START SERVICE."""
        return self._control("SERVICE", name) or self.channels.start_service(name)

    def stop_service(self, name: str) -> int:
        """STOP SERVICE."""
        return self._control("SERVICE", name) or self.channels.stop_service(name)

    def _control(self, kind: str, name: str) -> int:
        self.force = 0
        return MQRC_NONE if self.qm.catalogue.find(kind, name) is not None else MQRC_UNKNOWN_OBJECT_NAME

    def page_set_usage(self) -> list[Row]:
        """DISPLAY USAGE TYPE(PAGESET)."""
        return [admin_rows.page_set_usage(self.qm, psid) for psid in sorted(self.qm.pagers)]

    def buffer_pool_usage(self) -> list[Row]:
        """DISPLAY USAGE TYPE(BUFFPOOL)."""
        return [admin_rows.buffer_pool_usage(self.qm, number) for number in sorted(self.qm.pools)]

    def qmgr_status(self) -> Row:
        """DISPLAY QMSTATUS."""
        return admin_rows.q_mgr_status(self.qm)

    # -- log and system parameters --------------------------------------------------------------------------------

    def log_status(self) -> Row:
        """DISPLAY LOG: the values that SET LOG changes, and the state of the log."""
        row: Row = dict(self._log)
        log = self.qm.log
        if isinstance(log, Log):
            row["COMPLOG"] = _COMPRESSION_NAMES[log.compression]
        row.update(admin_rows.log_state(self.qm))
        return row

    def set_log(self, changes: Row) -> int:
        """SET LOG: in force at once, and kept from the next checkpoint on."""
        self.force = 0
        self._log.update(changes)
        self.qm.parameters["LOG"].update(changes)
        log = self.qm.log
        if "COMPLOG" in changes and isinstance(log, Log):
            log.set_compression(_COMPRESSION[str(changes["COMPLOG"])])
        return MQRC_NONE

    def archive_log(self) -> int:
        """ARCHIVE LOG: what is complete and no longer needed for restart goes to the archive, if there is one."""
        self.force = 0
        checkpoint(self.qm)
        return MQRC_NONE

    def system_status(self) -> Row:
        """DISPLAY SYSTEM."""
        row: Row = dict(intervals.system_values(self.qm))
        row["LOGLOAD"] = self.qm.checkpoint_records
        row.update(self.qm.new_intervals)
        return row

    def set_system(self, changes: Row) -> int:
        """SET SYSTEM. A new STATIME or ACCTIME takes effect when the running interval ends."""
        self.force = 0
        for keyword, value in changes.items():
            if keyword in (intervals.STATIME, intervals.ACCTIME):
                intervals.set_interval(self.qm, keyword, value)
            else:
                intervals.system_values(self.qm)[keyword] = value
            self.qm.parameters["SYSTEM"][keyword] = value
        load = changes.get("LOGLOAD")
        if isinstance(load, int):
            self.qm.set_checkpoints(load, self.qm.checkpoint_bytes_max)
        return MQRC_NONE

    def start_trace(self, kind: str, classes: tuple[int, ...], destination: str, with_data: bool) -> int:
        """START TRACE: the number that it got. What can be wrong has been looked at."""
        self.force = 0
        return trace_control.start(self.qm, kind, classes, destination, self.user, with_data).number

    def stop_trace(self, kind: str, classes: tuple[int, ...], number: int) -> list[int]:
        """STOP TRACE: the numbers of those that were stopped."""
        self.force = 0
        return [trace.number for trace in trace_control.stop(self.qm, kind, classes, number)]

    def traces(self, kind: str, classes: tuple[int, ...], number: int) -> list[Row]:
        """DISPLAY TRACE: a row for each trace that is meant."""
        return [
            {
                "TNO": trace.number,
                "TYPE": trace.kind,
                "CLASS": [str(each) for each in trace.classes],
                "DEST": trace.destination,
                "USERID": trace.user,
            }
            for trace in self.qm.traces.find(kind, classes, number)
        ]

    def refresh_qmgr(self, kind: str, name: str) -> int:
        """REFRESH QMGR TYPE(EXPIRY) NAME(name): a scan begins with the host's next turn."""
        self.force = 0
        if kind == "EXPIRY":
            expiry.refresh(self.qm, name or "*")
        return MQRC_NONE

    def reset_qmgr(self, kind: str) -> int:
        """RESET QMGR TYPE(kind)."""
        self.force = 0
        log = self.qm.log
        linear = isinstance(log, Log) and log.config.linear
        if kind in ("ADVANCELOG", "ARCHLOG", "REDUCELOG"):
            if kind != "REDUCELOG" and not linear:
                return MQRCCF_LOG_TYPE_ERROR
            checkpoint(self.qm)
        elif kind == "STATISTICS":
            for keyword in (intervals.STATIME, intervals.ACCTIME):
                intervals.interval_ended(self.qm, keyword)
            self.qm.cut_intervals = True
            for queue in self.qm.queues.values():
                admin_rows.reset_statistics(self.qm, queue)
        return MQRC_NONE


def _custom_is_good(attributes: Row) -> bool:
    custom = attributes.get(CUSTOM)
    return not isinstance(custom, str) or custom_is_good(custom)
