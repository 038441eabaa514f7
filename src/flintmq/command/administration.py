"""The calls that the command layer makes to the queue manager. The engine implements them; commands call nothing else.

Every method that changes something returns a reason, 0 when it was done. The reasons that have a message of their own
are in messages.py (REASON_MESSAGES): 2085 no such object, 4001 already exists, 2042 and 3210 in use, 2055 not empty ...

Rows of status are dictionaries from MQSC keyword to value, as in attribute.py. A keyword that is missing is not shown;
status.py lists the keywords and the order in which they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from flintmq.catalogue.attribute import Value
from flintmq.mqi.pcf import Parameter
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.chlauth import Client

Row = dict[str, Value]


class Administration(Protocol):
    """A queue manager, as an administrator sees it."""

    @property
    def name(self) -> str:
        """Return the name of the queue manager."""

    def define(self, kind: str, name: str, attributes: Row, replace: bool) -> int:
        """DEFINE. `attributes` has every attribute that can be set, LIKE and defaults applied.

        With `replace` an object of the same kind takes the new attributes and keeps its id and messages. 4001 if the
        name is taken (by a queue of any kind) and may not be replaced, 4002 if it is taken by another kind of queue
        and `replace` was asked for, 2042 or 3210 if it is in use in a way that the new attributes forbid.
        """

    def alter(self, kind: str, name: str, changes: Row, force: bool) -> int:
        """ALTER: change only `changes`. 2085 if there is no such object, 3210 if it is open and `force` is off."""

    def delete(self, kind: str, name: str, purge: bool) -> int:
        """DELETE. 2085 no such object, 2042 open or uncommitted messages, 2055 messages and no `purge`."""

    def clear(self, name: str) -> int:
        """CLEAR QLOCAL: remove all messages. 2085 no such local queue, 2042 open or uncommitted messages."""

    def move(self, source: str, target: str, add: bool) -> tuple[int, int]:
        """MOVE QLOCAL: return a reason and the number of messages moved, which may be above 0 with any reason.

        2085 one is not a local queue, 2152 they are the same, 2042 the source is open or has uncommitted messages, 2055
        the target is not empty and not `add`, 2053 it would be too deep; else the reason of a put to the target.
        """

    def set_authority(
        self, object_type: str, profile: str, entity_type: str, entity: str, add: int, remove: int
    ) -> int:
        """SET AUTHREC for one entity; `add` and `remove` are bits of catalogue/authorities.py."""

    def knows_entity(self, entity_type: str, entity: str) -> bool:
        """Return whether a principal or group exists, so that authority can be given to it."""

    def delete_authority(self, object_type: str, profile: str, entity_type: str, entity: str) -> int:
        """DELETE AUTHREC for one entity. 2085 if there is no such record."""

    def delete_authorities_of(self, kind: str, name: str) -> None:
        """Delete the authority records for one object after the object was deleted."""

    def entity_authority(self, object_type: str, name: str, entity_type: str, entity: str) -> list[str]:
        """DISPLAY ENTAUTH: return the authorities of an entity on an object, all records and groups considered."""

    def set_chlauth(self, values: Row, action: str) -> int:
        """SET CHLAUTH with the values that were given. 3337 there is such a map, 3338 there is no such record."""

    def check_chlauth(self, client: Client) -> MQObject | None:
        """DISPLAY CHLAUTH MATCH(RUNCHECK): return the record that applies to a client, None if there is none."""

    def security(self) -> Row:
        """DISPLAY SECURITY: INTERVAL and TIMEOUT."""

    def alter_security(self, changes: Row) -> int:
        """ALTER SECURITY."""

    def refresh_security(self, user: str) -> int:
        """REFRESH SECURITY: forget the cached users and groups; RVERIFY SECURITY: forget one user."""

    def may(self, verb: str, kind: str, name: str) -> bool:
        """Return whether the issuer is allowed the command `verb` on this object. Called before each command runs."""

    def command_done(self, verb: str, command: int, text: str, parameters: list[Parameter]) -> None:
        """Record a successful command: MQSC with its text, or PCF with its parameters."""

    def command_refused(self, command: int, kind: str, name: str) -> None:
        """Record a command on one object that `may` has refused."""

    def objects(self, kind: str) -> list[MQObject]:
        """Return copies of all objects of `kind`, or of "QUEUE" for all queues, live values filled in, any order."""

    def objects_called(self, kind: str, name: str) -> Iterator[MQObject]:
        """Yield copies of the objects that a name, which may be generic, denotes; in order of name, or of number.

        Each is copied when it is asked for, and left out if it has gone by then (X2 of steps.py).
        """

    def subscriptions(self) -> list[Row]:
        """DISPLAY SUB: a row for each subscription, SUB and SUBID among its keywords."""

    def define_subscription(self, name: str, attributes: Row, replace: bool) -> int:
        """DEFINE SUB. `attributes` has every attribute that can be set.

        3311 there is one of this name; with `replace` 2510, 2512, 2524, 2533, 2435 for attributes that cannot change.
        2085, 2425, 2436, 2440, 2459, 2503, 2522: as MQSUB.
        """

    def alter_subscription(self, name: str, sub_id: str, changes: Row) -> int:
        """ALTER SUB by id or name. 2428 there is none, 3155 an application has it open."""

    def delete_subscription(self, name: str, sub_id: str) -> int:
        """DELETE SUB by id or name. 2428 there is none, 3155 an application has it open."""

    def subscription_status(self) -> list[Row]:
        """DISPLAY SBSTATUS: a row for each subscription."""

    def topic_status(self, topic_string: str, kind: str) -> list[Row]:
        """DISPLAY TPSTATUS TYPE(TOPIC, SUB or PUB): rows of the topics that the string means; it may have wildcards."""

    def clear_retained(self, topic_string: str) -> int:
        """CLEAR TOPICSTR CLRTYPE(RETAINED)."""

    def pubsub_status(self) -> Row:
        """DISPLAY PUBSUB TYPE(LOCAL)."""

    def queue_status(self, name: str) -> Row:
        """DISPLAY QSTATUS TYPE(QUEUE) for one local queue."""

    def queue_handles(self, name: str) -> list[Row]:
        """DISPLAY QSTATUS TYPE(HANDLE): a row for each open handle of one local queue."""

    def connections(self) -> list[Row]:
        """DISPLAY CONN TYPE(CONN): a row for each connection, with its 16 hexadecimal digits as CONN."""

    def connection_handles(self, connection: str) -> list[Row]:
        """DISPLAY CONN TYPE(HANDLE): a row for each object that the connection has open."""

    def stop_connection(self, connection: str) -> int:
        """STOP CONN: break the connection; its unit of work is backed out. 3174 if there is none with this id."""

    def channel_status(self) -> list[Row]:
        """DISPLAY CHSTATUS: a row for each instance that runs, and for each channel that is stopped; CHANNEL in all."""

    def start_channel(self, name: str) -> int:
        """START CHANNEL: admit clients again. 2085 no such channel, 3168 there is no server."""

    def stop_channel(self, name: str, mode: str, address: str, status: str) -> int:
        """STOP CHANNEL: end its instances, those from `address` if there is one, and with STOPPED admit no others.

        2085 no such channel, 3168 there is no server, 4064 no instance from that address.
        """

    def listener_status(self) -> list[Row]:
        """DISPLAY LSSTATUS: a row for each listener that runs, with LISTENER."""

    def start_listener(self, name: str) -> int:
        """START LISTENER.

        2085 no such listener, 3249 it runs already, 4020 it cannot listen, 3168 there is no server.
        """

    def stop_listener(self, name: str) -> int:
        """STOP LISTENER: refuse new connections there.

        The present ones stay. 2085 no such listener, 3234 not running.
        """

    def service_status(self) -> list[Row]:
        """DISPLAY SVSTATUS: a row for each server service that runs, with SERVICE."""

    def start_service(self, name: str) -> int:
        """START SERVICE. 2085 no such service, 3251 it runs already, 3262 no STARTCMD, 3168 there is no server."""

    def stop_service(self, name: str) -> int:
        """STOP SERVICE. 2085 no such service, 3253 not running, 3261 it is stopping, 3263 no STOPCMD."""

    def page_set_usage(self) -> list[Row]:
        """DISPLAY USAGE TYPE(PAGESET): a row for each page set."""

    def buffer_pool_usage(self) -> list[Row]:
        """DISPLAY USAGE TYPE(BUFFPOOL): a row for each buffer pool."""

    def log_status(self) -> Row:
        """DISPLAY LOG: the values that SET LOG changes, and the state of the log."""

    def set_log(self, changes: Row) -> int:
        """SET LOG: in force at once."""

    def archive_log(self) -> int:
        """ARCHIVE LOG: switch to a new log file and archive the complete ones."""

    def system_status(self) -> Row:
        """DISPLAY SYSTEM: the values in force; NEWSTATIME, NEWACCTIME while a new interval waits for the old to end."""

    def set_system(self, changes: Row) -> int:
        """SET SYSTEM. A new STATIME or ACCTIME takes effect when the running interval ends."""

    def start_trace(self, kind: str, classes: tuple[int, ...], destination: str, with_data: bool) -> int:
        """START TRACE: return the number of the trace. Type, classes and destination have been checked."""

    def stop_trace(self, kind: str, classes: tuple[int, ...], number: int) -> list[int]:
        """STOP TRACE: return the numbers of the stopped traces. "*" any type, () any classes, -1 any number."""

    def traces(self, kind: str, classes: tuple[int, ...], number: int) -> list[Row]:
        """DISPLAY TRACE: return a row for each trace that the arguments select, as in `stop_trace`."""

    def qmgr_status(self) -> Row:
        """DISPLAY QMSTATUS."""

    def refresh_qmgr(self, kind: str, name: str) -> int:
        """REFRESH QMGR TYPE(EXPIRY): scan the local queues that the generic name `name` names for expired messages."""

    def reset_qmgr(self, kind: str) -> int:
        """RESET QMGR TYPE(kind): ADVANCELOG, STATISTICS, ARCHLOG or REDUCELOG. 3175 if the log is not of that kind."""

    def reset_queue_statistics(self, name: str) -> Row:
        """RESET QSTATS for one local queue: HIQDEPTH, MSGSIN, MSGSOUT, RESETINT, and start counting again."""
