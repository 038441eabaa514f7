"""The one door to the engine: every call of the MQI and of administration, as a method of the queue manager.

Other packages import three things of the engine: `calls`, `connection` (the objects that an application holds) and the
catalogue. Everything else is private to `qmgr/`; `tests/house/test_engine_door.py` counts.

    Calls           the queue manager that a host makes (`create`, `restart`) and calls; its methods are below
    Admin           the commands of an administrator on it (admin.py)

A call of a connection that is accounted for (`connection.task`, accounting.py) is made by accounting, with a stop-watch
around the call itself. The modules of the engine know nothing of that.

Exported besides, because a host implements it, passes it in or reads it out:

    ports           Authority, ObjectAuthority, ChannelControl, Clock, Entities, LogPort, NoLog, Tracer, Vault, Work
    results         BadLogRecord, ChannelRow, Composition, Counters, PropertyInquiry, PutScan, Refusal, Row,
                    RestartFailed, VaultError
    words           the intervals of statistics, names of counters, texts of refusals and of log records, dates of rows
"""

from __future__ import annotations

from collections.abc import Callable

from flintmq.catalogue.attribute import Value
from flintmq.mqi.bmho import MQBMHO
from flintmq.mqi.cbc import MQCBC
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.cmho import MQCMHO
from flintmq.mqi.constants import MQAT_UNIX, MQCO_NONE
from flintmq.mqi.ctlo import MQCTLO
from flintmq.mqi.dmho import MQDMHO
from flintmq.mqi.dmpo import MQDMPO
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.impo import MQIMPO
from flintmq.mqi.inquiry import Inquiry
from flintmq.mqi.md import MQMD
from flintmq.mqi.mhbo import MQMHBO
from flintmq.mqi.od import MQOD
from flintmq.mqi.pd import MQPD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.property_values import Value as PropertyValue
from flintmq.mqi.sd import MQSD
from flintmq.mqi.smpo import MQSMPO
from flintmq.mqi.sro import MQSRO
from flintmq.mqi.sts import MQSTS
from flintmq.mqi.xid import TMNOFLAGS, TMSUCCESS
from flintmq.qmgr import (
    accounting,
    admin_security,
    channel_control,
    consume,
    delay,
    event,
    event_channel,
    expiry,
    intervals,
    message_handle,
    objects,
    own_puts,
    put_properties,
    report,
    statistics,
    take_back,
    trace_control,
    unit_of_work,
    wait_again,
    xa,
)
from flintmq.qmgr import checkpoint as checkpoints
from flintmq.qmgr import close as mqclose
from flintmq.qmgr import connect as mqconnect
from flintmq.qmgr import get as mqget
from flintmq.qmgr import inquire as mqinquire
from flintmq.qmgr import open as mqopen
from flintmq.qmgr import put as mqput
from flintmq.qmgr import refusal as refusals
from flintmq.qmgr import restart as restarting
from flintmq.qmgr import stat as mqstat
from flintmq.qmgr import subscribe as mqsubscribe
from flintmq.qmgr.admin import Admin as Admin
from flintmq.qmgr.admin_rows import Row as Row
from flintmq.qmgr.admin_rows import stamp_date as stamp_date
from flintmq.qmgr.admin_rows import stamp_time as stamp_time
from flintmq.qmgr.authority import EVERYBODY as EVERYBODY
from flintmq.qmgr.authority import ObjectAuthority as ObjectAuthority
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.channel_control import ChannelControl as ChannelControl
from flintmq.qmgr.clock import Clock as Clock
from flintmq.qmgr.connection import Answer, Connection, Handle, Message, MessageHandle, Waiter
from flintmq.qmgr.engine import Engine
from flintmq.qmgr.intervals import ACCTIME as ACCTIME
from flintmq.qmgr.intervals import STATIME as STATIME
from flintmq.qmgr.intervals import SYSTEM_INTERVAL_S as SYSTEM_INTERVAL_S
from flintmq.qmgr.intervals import next_end_ms as next_end_ms
from flintmq.qmgr.log_port import LogPort as LogPort
from flintmq.qmgr.log_port import NoLog as NoLog
from flintmq.qmgr.message_handle import PropertyInquiry as PropertyInquiry
from flintmq.qmgr.property_work import PREPARED, is_long
from flintmq.qmgr.property_work import PutScan as PutScan
from flintmq.qmgr.put_properties import Composition as Composition
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.queue_manager import Counters as Counters
from flintmq.qmgr.queue_manager import QueueManager as QueueManager
from flintmq.qmgr.records import BadLogRecord as BadLogRecord
from flintmq.qmgr.records import describe as describe
from flintmq.qmgr.refusal import KEPT_MAX as KEPT_MAX
from flintmq.qmgr.refusal import Refusal as Refusal
from flintmq.qmgr.refusal import no_command as no_command
from flintmq.qmgr.refusal import object_word as object_word
from flintmq.qmgr.refusal import shown as shown
from flintmq.qmgr.refusal import user_word as user_word
from flintmq.qmgr.restart import ReplayLog
from flintmq.qmgr.restart import RestartFailed as RestartFailed
from flintmq.qmgr.security import Authority as Authority
from flintmq.qmgr.security import Entities as Entities
from flintmq.qmgr.security import context_user as context_user
from flintmq.qmgr.statistics import QUEUE_COUNTERS as QUEUE_COUNTERS
from flintmq.qmgr.statistics import Totals
from flintmq.qmgr.statistics import age_of_oldest as age_of_oldest
from flintmq.qmgr.statistics import begin_interval as begin_interval
from flintmq.qmgr.statistics import queue_counters as queue_counters
from flintmq.qmgr.tracer import Tracer as Tracer
from flintmq.qmgr.traces import Trace
from flintmq.qmgr.vault import Vault as Vault
from flintmq.qmgr.vault import VaultError as VaultError
from flintmq.qmgr.wanted import msg_token, token_of
from flintmq.qmgr.work import SLICE as SLICE
from flintmq.qmgr.work import Work as Work
from flintmq.store.pageset import PageSet

#: A row of channel status.
ChannelRow = channel_control.Row


class Calls(Engine):
    """A queue manager, as its host calls it.

    A call returns its reason, or what it made with the reason in the connection (connection.py). It never waits.
    """

    # -- the connection -----------------------------------------------------------------------------------------------

    def connect(
        self, appl_name: str = "", user: str = "", appl_type: int = MQAT_UNIX, channel: str = "", address: str = ""
    ) -> tuple[int, Connection | None]:
        """Connect an application (MQCONN): (reason, connection). A client has a channel and an address."""
        return mqconnect.connect(self, appl_name, user, appl_type, channel, address)

    def disconnect(self, connection: Connection) -> int:
        """MQDISC: an active unit of work is committed, then everything that is open is closed."""
        return mqconnect.disconnect(self, connection)

    def abandon(self, connection: Connection) -> None:
        """The application is gone without MQDISC: its unit of work is backed out."""
        mqconnect.abandon(self, connection)

    # -- objects ------------------------------------------------------------------------------------------------------

    def open(self, connection: Connection, od: MQOD, options: int) -> Handle | None:
        """MQOPEN. The handle, or None with the reason in the connection."""
        if self.accounting and connection.task is not None:
            return accounting.open_object(self, connection, od, options)
        return mqopen.open_object(self, connection, od, options)

    def close(self, connection: Connection, handle: Handle, options: int = MQCO_NONE) -> int:
        """MQCLOSE. A dynamic queue may be deleted with it."""
        if self.accounting and connection.task is not None:
            return accounting.close(self, connection, handle, options)
        return mqclose.close(self, connection, handle, options)

    def close_handle(self, connection: Connection, handle: Handle) -> None:
        """Give everything back that the handle holds."""
        mqclose.close_handle(self, connection, handle)

    def inquire(
        self,
        connection: Connection,
        handle: Handle,
        selectors: list[int],
        inquiry: Inquiry,
        int_attr_count: int = -1,
        char_attr_length: int = -1,
    ) -> int:
        """MQINQ into `inquiry`. The last two are the room that the application has, -1 for as much as it takes."""
        if self.accounting and connection.task is not None:
            return accounting.inquire_attributes(
                self, connection, handle, selectors, inquiry, int_attr_count, char_attr_length
            )
        return mqinquire.inquire(self, connection, handle, selectors, inquiry, int_attr_count, char_attr_length)

    def set_attributes(
        self, connection: Connection, handle: Handle, selectors: list[int], integers: list[int], characters: str = ""
    ) -> int:
        """MQSET: `integers` in the order of their selectors, `characters` one attribute after the other."""
        if self.accounting and connection.task is not None:
            return accounting.set_attributes(self, connection, handle, selectors, integers, characters)
        return mqinquire.set_attributes(self, connection, handle, selectors, integers, characters)

    def stat(self, connection: Connection, kind: int, sts: MQSTS) -> int:
        """MQSTAT into `sts`."""
        if self.accounting and connection.task is not None:
            return accounting.status(self, connection, kind, sts)
        return mqstat.stat(self, connection, kind, sts)

    # -- messages -----------------------------------------------------------------------------------------------------

    def put(self, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> int:
        """MQPUT. A plain datagram, request or reply to a local queue is written out here, for the sake of its cost."""
        if self.accounting and connection.task is not None:
            return accounting.put(self, connection, handle, md, pmo, data)
        return mqput.put(self, connection, handle, md, pmo, data)

    def put1(self, connection: Connection, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> int:
        """MQPUT1: open for output, put, close. No handle is left behind, whatever happens."""
        if self.accounting and connection.task is not None:
            return accounting.put1(self, connection, od, md, pmo, data)
        return mqopen.put1(self, connection, od, md, pmo, data)

    def put_delayed(
        self, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes, delay_ms: int
    ) -> int:
        """MQPUT of a message that is delivered `delay_ms` milliseconds later, or at once with 0."""
        return delay.put_delayed(self, connection, handle, md, pmo, data, delay_ms)

    def get(self, connection: Connection, handle: Handle, md: MQMD, gmo: MQGMO, max_length: int = -1) -> int:
        """MQGET. `max_length` is the length of the application's buffer, -1 if it takes any length. May return WAITING.

        A plain get of a plain message that is there, or of one that is not, is written out here, for the sake of its
        cost;
        `_get_checked` does whatever needs a second thought.
        """
        if self.accounting and connection.task is not None:
            return accounting.get(self, connection, handle, connection, md, gmo, max_length)
        return mqget.get(self, connection, handle, md, gmo, max_length)

    def get_into(
        self, connection: Connection, handle: Handle, answer: Answer, md: MQMD, gmo: MQGMO, max_length: int
    ) -> int:
        """Get into `answer`, so that several gets of one connection can wait at once."""
        if self.accounting and connection.task is not None:
            return accounting.get(self, connection, handle, answer, md, gmo, max_length)
        return mqget.get_into(self, connection, handle, answer, md, gmo, max_length)

    # -- units of work ------------------------------------------------------------------------------------------------

    def commit(self, connection: Connection) -> int:
        """MQCMIT. The application may hear of it when the log is durable up to `connection.force`."""
        if self.accounting and connection.task is not None:
            return accounting.commit(self, connection)
        return unit_of_work.commit(self, connection)

    def back(self, connection: Connection) -> int:
        """MQBACK."""
        if self.accounting and connection.task is not None:
            return accounting.backout(self, connection)
        return unit_of_work.backout(self, connection)

    def take_back(self, connection: Connection, mark: int) -> None:
        """Undo what the last wait of `connection` did to its unit of work, which had `mark` messages before.

        That is the message, and the report on its delivery if it asked for one. It is never a message that the unit has
        put
        itself (own_puts.py): such a get does not wait, neither for the message nor for the log.
        """
        take_back.take_back(self, connection, mark)

    def xa_start(self, connection: Connection, xid: bytes, flags: int = TMNOFLAGS) -> int:
        """Work of `connection` belongs to the branch from now on: a new one, or with TMJOIN or TMRESUME an old one."""
        return xa.xa_start(self, connection, xid, flags)

    def xa_end(self, connection: Connection, xid: bytes, flags: int = TMSUCCESS) -> int:
        """Work of `connection` no longer belongs to the branch: TMSUCCESS, TMFAIL, or TMSUSPEND for a while."""
        return xa.xa_end(self, connection, xid, flags)

    def xa_prepare(self, connection: Connection, xid: bytes, flags: int = TMNOFLAGS) -> int:
        """Promise to commit the branch or to roll it back, whatever comes between."""
        return xa.xa_prepare(self, connection, xid, flags)

    def xa_commit(self, connection: Connection, xid: bytes, flags: int = TMNOFLAGS) -> int:
        """Commit a prepared branch, or with TMONEPHASE one that was not prepared."""
        return xa.xa_commit(self, connection, xid, flags)

    def xa_rollback(self, connection: Connection, xid: bytes, flags: int = TMNOFLAGS) -> int:
        """Roll back a branch, prepared or not."""
        return xa.xa_rollback(self, connection, xid, flags)

    def xa_forget(self, connection: Connection, xid: bytes, flags: int = TMNOFLAGS) -> int:
        """The transaction manager knows what became of a heuristic branch."""
        return xa.xa_forget(self, connection, xid, flags)

    def xa_recover(self, connection: Connection, count: int, flags: int) -> tuple[int, list[bytes]]:
        """Up to `count` branches that are prepared or heuristic: (code, xids). A scan goes on from call to call."""
        return xa.xa_recover(self, connection, count, flags)

    def resolve_in_doubt(self, connection: Connection, xid: bytes, commit_it: bool) -> int:
        """An administrator decides what the transaction manager has left undecided."""
        return xa.resolve_in_doubt(self, connection, xid, commit_it)

    # -- publish/subscribe --------------------------------------------------------------------------------------------

    def subscribe(
        self,
        connection: Connection,
        sd: MQSD,
        destination: Handle | None = None,
        hsub: Handle | None = None,
        shared: bool = False,
    ) -> Handle | None:
        """MQSUB. The handle of the subscription, or None with the reason in the connection.

        `destination` is the queue that publications go to, unless managed; `hsub` the subscription to alter, if it has
        no
        name. The queue of a managed subscription is `handle.destination` of what is returned. With `shared`, one that
        others have open to be shared is had as well.
        """
        if self.accounting and connection.task is not None:
            return accounting.subscription(self, connection, sd, destination, hsub, shared)
        return mqsubscribe.subscribe(self, connection, sd, destination, hsub, shared)

    def subscription_request(self, connection: Connection, hsub: Handle, action: int, sro: MQSRO) -> int:
        """MQSUBRQ: send the retained publications again."""
        if self.accounting and connection.task is not None:
            return accounting.subscription_request(self, connection, hsub, action, sro)
        return mqsubscribe.subscription_request(self, connection, hsub, action, sro)

    # -- asynchronous consume -----------------------------------------------------------------------------------------

    def callback(
        self,
        connection: Connection,
        operation: int,
        handle: Handle | None,
        cbd: MQCBD,
        md: MQMD,
        gmo: MQGMO,
        function: object | None = None,
    ) -> int:
        """MQCB. `function` is what the host will call, or the descriptor has a name for it."""
        if self.accounting and connection.task is not None:
            return accounting.callback(self, connection, operation, handle, cbd, md, gmo, function)
        return consume.callback(self, connection, operation, handle, cbd, md, gmo, function)

    def control(self, connection: Connection, operation: int, ctlo: MQCTLO) -> int:
        """MQCTL. With MQOP_START_WAIT, unlike MQOP_START, the host gives control back after the stop."""
        if self.accounting and connection.task is not None:
            return accounting.control(self, connection, operation, ctlo)
        return consume.control(self, connection, operation, ctlo)

    def begin_callback(self, waiter: Waiter) -> None:
        """The host is about to call the callback: the connection takes its calls."""
        consume.begin_callback(self, waiter)

    def callback_failed(self, waiter: Waiter) -> None:
        """The callback has ended with an exception: what it had done is backed out, and it is not called again by
        itself.

        The event handler hears of it (2487), unless it is what failed.
        """
        consume.callback_failed(self, waiter)

    def callback_done(self, waiter: Waiter) -> None:
        """The callback has returned: on to the next one."""
        consume.callback_done(self, waiter)

    # -- message handles ----------------------------------------------------------------------------------------------

    def create_message_handle(
        self, connection: Connection, cmho: MQCMHO, unassociated: bool = False
    ) -> MessageHandle | None:
        """MQCRTMH. The handle, or None with the reason in the connection."""
        return message_handle.create(self, connection, cmho, unassociated)

    def delete_message_handle(self, connection: Connection, number: int, dmho: MQDMHO) -> int:
        """MQDLTMH."""
        return message_handle.delete(self, connection, number, dmho)

    def find_message_handle(self, connection: Connection, number: int) -> MessageHandle | None:
        """The handle of this number that the connection may use, in use or not."""
        return message_handle.find(self, connection, number)

    def check_message_handle(self, connection: Connection, number: int) -> int:
        """Why a call cannot be made with this handle, or MQRC_NONE."""
        return message_handle.check(self, connection, number)

    def lend_message_handle(self, connection: Connection, pmo: MQPMO, properties: MessageProperties) -> None:
        """A handle for one put by a host that has the properties at hand; it takes the handle back itself."""
        message_handle.lend(self, connection, pmo, properties)

    def set_property(
        self, connection: Connection, number: int, smpo: MQSMPO, name: str, pd: MQPD, kind: int, data: bytes
    ) -> int:
        """MQSETMP, the value in a buffer, in the encoding and the character set that `smpo` names."""
        return message_handle.set_property(self, connection, number, smpo, name, pd, kind, data)

    def set_property_value(
        self,
        connection: Connection,
        number: int,
        options: int,
        name: str,
        pd: MQPD | None,
        kind: int,
        value: PropertyValue,
    ) -> int:
        """MQSETMP, the value as one of Python; with MQTYPE_AS_SET its type follows from it."""
        return message_handle.set_value(self, connection, number, options, name, pd, kind, value)

    def inquire_property(
        self,
        connection: Connection,
        number: int,
        impo: MQIMPO,
        name: str,
        pd: MQPD,
        kind: int,
        answer: PropertyInquiry,
        value_length: int = -1,
        name_length: int = -1,
    ) -> int:
        """MQINQMP. `value_length` and `name_length` are the lengths of the buffers for both, -1 if they take any
        length.
        """
        return message_handle.inquire(self, connection, number, impo, name, pd, kind, answer, value_length, name_length)

    def delete_property(self, connection: Connection, number: int, dmpo: MQDMPO, name: str) -> int:
        """MQDLTMP. A property that is not there is a warning, 2471; with a cursor that is nowhere the call fails."""
        return message_handle.delete_property(self, connection, number, dmpo, name)

    def buffer_to_message_handle(
        self, connection: Connection, number: int, bmho: MQBMHO, md: MQMD, buffer: bytes
    ) -> int:
        """MQBUFMH: a message in a buffer becomes one in a handle. The data, without its properties, is in the
        connection.

        Folders that are not well formed fail the call (2334, 2421); the handle and the buffer are as they were.
        """
        return message_handle.from_buffer(self, connection, number, bmho, md, buffer)

    def message_handle_to_buffer(
        self, connection: Connection, number: int, mhbo: MQMHBO, name: str, md: MQMD, buffer_length: int = -1
    ) -> int:
        """MQMHBUF: the properties that `name` means as an MQRFH2, which is left in the connection.

        What `md` describes before is what the header says about the data behind it; afterwards `md` describes the
        header.
        """
        return message_handle.to_buffer(self, connection, number, mhbo, name, md, buffer_length)

    def compose_properties(
        self, connection: Connection, md: MQMD, pmo: MQPMO, to_remote: bool, composition: Composition
    ) -> int:
        """Work out properties and descriptor. Any other reason than MQRC_NONE: nothing has changed."""
        return put_properties.compose(self, connection, md, pmo, to_remote, composition)

    # -- parts of a call that a client makes in steps ------------------------------------------------------------

    def sees_own_puts(self, handle: Handle, queue: Queue, options: int) -> bool:
        """Return whether a get with `options` finds messages that its own unit of work has put on `queue`."""
        return own_puts.view(handle, queue, options, self.clock.now_ms()) is not None

    def has_long_properties(self, md: MQMD, data: bytes) -> bool:
        """Return whether a message has so many properties in headers that a `PutScan` comes first."""
        return is_long(md, data)

    def forget_prepared(self) -> None:
        """Forget the properties that a `PutScan` has read: the put is done."""
        PREPARED.clear()

    def token_of(self, message: Message) -> bytes:
        """Return the message token of a message on its queue."""
        return msg_token(message)

    def token_at(self, queue: Queue, sequence: int) -> bytes:
        """Return the message token of the message with that sequence."""
        return token_of(queue, sequence)

    def callback_context(self, waiter: Waiter) -> MQCBC:
        """Return the MQCBC of a callback."""
        return consume.context(waiter)

    # -- waits --------------------------------------------------------------------------------------------------------

    def end_wait(self, waiter: Waiter) -> None:
        """`waiter` waits no longer."""
        mqget.end_wait(self, waiter)

    def fail_waiter(self, waiter: Waiter, reason: int) -> None:
        """Complete a wait without a message."""
        mqget.fail_waiter(self, waiter, reason)

    def expire_waits(self) -> None:
        """Complete with 2033 every wait whose time is up; end browse marks, scan and deliver what is due."""
        mqget.expire_waits(self)

    def quiesce_waiters(self) -> None:
        """The queue manager is quiescing: waits that asked to fail then, fail."""
        mqget.quiesce_waiters(self)

    def wait_again(self, waiter: Waiter) -> bool:
        """A wait for any message has brought one, and it is used: wait for the next with the same descriptors.

        False: nothing was done, and the get is to be made as any other. That is so when there is a message already, and
        whenever one of the checks of a get could say something.
        """
        return wait_again.wait_again(self, waiter)

    # -- what the host has done at its times --------------------------------------------------------------------------

    def checkpoint(self, keep_nonpersistent: bool = False) -> bool:
        """Take a checkpoint. Return False if the disk of a page set has no room for it; then it will be tried again.

        `keep_nonpersistent`: the queue manager ends cleanly, NPMCLASS(HIGH) messages are kept.
        """
        return checkpoints.checkpoint(self, keep_nonpersistent)

    def run_delays(self, now: int, limit: int = SLICE) -> bool:
        """Deliver what is due, at most `limit` messages. True: there is more to do at once, call again."""
        return delay.run(self, now, limit)

    def scan_expired(self, now_ms: int, limit: int = SLICE) -> bool:
        """Begin the scan that is due, or go on with the one under way: delete at most `limit` messages.

        True: there is more to do at once, call again.
        """
        return expiry.scan(self, now_ms, limit)

    def clear_some(self) -> None:
        """Remove some messages of a deleted queue; with the last ones the page set forgets the queue."""
        objects.clear_some(self)

    # -- administration -----------------------------------------------------------------------------------------------

    def log_definition(self, definition: MQObject) -> int:
        """A definition is new or was changed: log it, and write it with the next checkpoint. The position to force."""
        return objects.log_definition(self, definition)

    def dead_letter(
        self,
        connection: Connection,
        data: bytes,
        md: MQMD,
        q_name: str,
        q_mgr_name: str,
        reason: int,
        syncpoint: bool,
        properties: bytes = b"",
    ) -> int:
        """Put a message on the dead-letter queue, with a header that says where it was to go and why it is not there.

        Returns the reason why it is not on the dead-letter queue: 2085 if there is none.
        """
        return report.dead_letter(self, connection, data, md, q_name, q_mgr_name, reason, syncpoint, properties)

    def security_changed(self) -> None:
        """Let the authority know TIMEOUT and INTERVAL."""
        admin_security.take_effect(self)

    def refuse(self, refused: Refusal) -> None:
        """Tell of a refusal, and keep it."""
        refusals.add(self, refused)

    def keep_refusal(self, refused: Refusal) -> None:
        """Keep a refusal, and no more than the last KEPT_MAX."""
        refusals.keep(self, refused)

    def start_trace(
        self, kind: str, classes: tuple[int, ...], destination: str, user: str, with_data: bool = False
    ) -> Trace:
        """START TRACE; what can be wrong with it has been looked at. Numbers are given again, from 1."""
        return trace_control.start(self, kind, classes, destination, user, with_data)

    def is_collected(self, queue: Queue, keyword: str) -> bool:
        """Whether STATQ or ACCTQ wants data of `queue`."""
        return statistics.is_collected(self, queue, keyword)

    def totals(self) -> Totals:
        """Of all queues that there are or were."""
        return statistics.totals(self)

    def interval_ended(self, keyword: str) -> None:
        """The running interval has ended: the value that waited is in force."""
        intervals.interval_ended(self, keyword)

    def interval_length_s(self, keyword: str) -> int:
        """The length of an interval that begins now, in seconds."""
        return intervals.length_s(self, keyword)

    # -- events -------------------------------------------------------------------------------------------------------

    def queue_manager_active(self) -> None:
        """2222: the queue manager has started."""
        event.queue_manager_active(self)

    def queue_manager_not_active(self, quiescing: bool) -> None:
        """2223: the queue manager is being ended, quiescing or at once."""
        event.queue_manager_not_active(self, quiescing)

    def channel_started(self, channel: str, address: str) -> None:
        """2282: an instance runs."""
        event_channel.started(self, channel, address)

    def channel_stopped(self, channel: str, address: str, error: bool) -> None:
        """2283: an instance has ended, by itself or because of an error."""
        event_channel.stopped(self, channel, address, error)

    def channel_stopped_by_user(self, channel: str) -> None:
        """2279: STOP CHANNEL."""
        event_channel.stopped_by_user(self, channel)

    def channel_blocked(self, channel: str, address: str, user: str, qualifier: int, warning: bool) -> None:
        """2577, or 2578 for a record that only warns: a channel authentication record turns a client away."""
        event_channel.blocked(self, channel, address, user, qualifier, warning)

    def channel_tls_refused(self, channel: str, address: str, qualifier: int) -> None:
        """2371: the client's TLS is not as the channel wants it."""
        event_channel.tls_refused(self, channel, address, qualifier)


def create(
    name: str,
    clock: Clock,
    log: LogPort,
    open_page_set: Callable[[int], PageSet],
    authority: Authority,
    objects: list[tuple[str, str, dict[str, Value]]],
) -> Calls:
    """Make a queue manager with the given objects (kind, name, attributes), QMGR among them. Durable on return."""
    qm = Calls(name, clock, log, restarting.catalogue_of(objects), authority)
    restarting.create(qm, open_page_set)
    return qm


def restart(
    name: str, clock: Clock, log: ReplayLog, open_page_set: Callable[[int], PageSet], authority: Authority
) -> Calls:
    """Start an existing queue manager. Raises RestartFailed, or what log and page sets raise when they are damaged."""
    page_set_0 = open_page_set(0)
    qm = Calls(name, clock, log, restarting.read_catalogue(name, page_set_0), authority)
    restarting.restart(qm, log, open_page_set, page_set_0)
    return qm
