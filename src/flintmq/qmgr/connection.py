"""What an application holds: its connection, its handles, its unit of work, and its waits.

Engine calls are functions `call(qm, connection, ...) -> reason`. They never block. What a call has to say beyond the
reason is left in an `Answer`: the connection itself for ordinary calls, an own one for each asynchronous consumer.

    answer.completion, answer.reason    MQCC_* and MQRC_*
    answer.data, answer.data_length     of a get: what fits the buffer, and the full length
    connection.force                    log position that must be durable before the application hears of success
    connection.delay_ms                 how long the host should hold the reply back (page set filling up, B140)

A get that must wait returns the reason `WAITING`, which is no MQ reason and never leaves the process: the engine has
registered a `Waiter` and will complete it into the same answer when a message arrives, the time is up, or the queue
manager ends; it then stands in `qm.woken`.

Unit of work, states and moves (`MOVES` in unit_of_work.py): ACTIVE -> PREPARED -> COMMITTED | BACKED_OUT.

    U1  A unit's messages are in state PUT_PENDING or GET_PENDING (but see U4), and every such message is in exactly
        one unit.
    U2  Nothing of a unit is in the log before it is prepared or committed; then all of it is, in one run of records.
    U3  CURDEPTH counts uncommitted puts but not uncommitted gets. A get finds neither, but for one: a get or browse in
        a unit finds what the unit itself has put and not yet got (own_puts.py).
    U4  A message that is got in the unit that put it is gone, whether the unit is committed or backed out: it is
        REMOVED, never in the log, and only an active unit still has it.

`Queue`, `Message`, `QueueUse` and `TaskWork` are exported from here for the packages outside the engine: a handle leads
to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQCS_NONE,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import FIELDS as MD_FIELDS
from flintmq.mqi.md import MQMD, NO_ACCOUNTING_TOKEN
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQRC_HCONN_ASYNC_ACTIVE,
    MQRC_HCONN_ERROR,
    MQRC_NONE,
)
from flintmq.qmgr.message import Message as Message
from flintmq.qmgr.message import fill_descriptor as fill_descriptor
from flintmq.qmgr.message import pass_descriptor as pass_descriptor
from flintmq.qmgr.open_topic import OpenTopic
from flintmq.qmgr.queue import Queue as Queue
from flintmq.qmgr.queue import number as number
from flintmq.qmgr.queue_counts import NO_LENGTH as NO_LENGTH
from flintmq.qmgr.task import QueueUse as QueueUse
from flintmq.qmgr.task import TaskLife, Watch
from flintmq.qmgr.task import TaskWork as TaskWork
from flintmq.qmgr.waits import WAITS_FOR_ANY as WAITS_FOR_ANY

if TYPE_CHECKING:
    from flintmq.qmgr.message import Node
    from flintmq.qmgr.work import Work

#: Returned by a get that waits. Not an MQ reason code.
WAITING: Final = -1
#: The object type of a subscription handle; MQ has no number for it.
MQOT_SUBSCRIPTION: Final = 0
# How an answer takes a message that was not on its queue (put_to_waiter.py).
NOT_DIRECT: Final = 0
AS_GET: Final = 1
AS_CONSUMER: Final = 2
# And what one that is asked says: no; yes, and it waits on; yes, and it waits no longer.
NOT_CONSUMED: Final = 0
CONSUMED: Final = 1
CONSUMED_LAST: Final = 2
UNIT_ACTIVE: Final = 0
UNIT_PREPARED: Final = 1
UNIT_COMMITTED: Final = 2
UNIT_BACKED_OUT: Final = 3


class Answer:
    """What the last call said."""

    completion: int = 0
    reason: int = 0
    data: bytes = b""
    data_length: int = 0
    #: The message that a get returned, for the layers that stand close to the engine. None if it was handed over
    #: directly; then `sequence` is what its place on the queue would have been.
    message: Message | None = None
    sequence: int = 0
    direct: int = NOT_DIRECT
    #: The same, if it may have properties; else that of an earlier get, or None.
    carrier: Message | None = None
    #: The get that waits to be answered here.
    waiter: Waiter | None = None
    #: Nobody has asked for the message yet: a get leaves one that must not be lost where it is, and says 2033.
    ahead: bool = False
    #: Nobody may be there to use a message: a get leaves any message where it is, and says 2033. A browse does not.
    idle: bool = False

    def consume(self, waiter: Waiter, md: MQMD) -> int:
        """AS_CONSUMER: take what was handed over to `waiter`, here and in `md`, which is the putter's."""
        return NOT_CONSUMED


class Owner:
    """Who has made a connection for somebody else, and answers for it."""

    def woken(self, waiter: Waiter) -> None:
        """A wait of the connection is over."""


class Unit:
    """A unit of work: messages put and got that become so together, or not at all."""

    state: int = UNIT_ACTIVE
    #: It has a message that is logged.
    persistent: bool = False
    #: The global transaction, b"" for a local unit.
    xid: bytes = b""
    #: A get with MQGMO_MARK_SKIP_BACKOUT; at most one.
    skip_backout: Message | None = None
    #: Set when the queue manager has backed the unit out by itself; the next call says so (2003).
    doomed: bool = False
    started_ms: int = 0
    #: How many of its messages are copies on stream queues, which do not count for MAXUMSGS.
    copies: int = 0
    #: Trigger messages that wait for the end of the unit; see trigger.py.
    triggers: list[Trigger] | None = None
    #: A queue that it has put something on; whether there are others.
    put_queue: Queue | None = None
    put_elsewhere: bool = False
    #: See own_puts.py: what it has put, by queue id, and how much of `work` that covers; how many of its puts it has
    #: got itself; handles that hold a browse lock on one of them.
    own: dict[int, OwnPuts] | None = None
    own_seen: int = 0
    own_gets: int = 0
    locks: list[Handle] | None = None
    #: Who ended or suspended the association with this branch (xa.py), and whether it is only suspended.
    owner: Connection | None = None
    suspended: bool = False
    #: Where the page set keeps it, b"" if no checkpoint has met it in doubt (checkpoint.py).
    place: bytes = b""

    def __init__(self) -> None:
        self.work: list[Message] = []

    def counted(self) -> int:
        """Return how many messages count for MAXUMSGS: those put and those got, but for copies on stream queues."""
        return len(self.work) - self.copies + self.own_gets


class Connection(Answer):
    """One MQCONN."""

    force: int = 0
    delay_ms: int = 0
    #: The host does long work of its calls in turns; and what is to be done before the last call is answered (work.py).
    slices: bool = False
    work: Work | None = None
    #: None: it is told through `qm.woken`, like all.
    owner: Owner | None = None
    unit: Unit | None = None
    #: True between xa_start and xa_end.
    in_global_unit: bool = False
    connected: bool = True
    #: False when it is not connected, and while its consumers run, but for calls of a callback (consume.py).
    usable: bool = True
    consumers_started: bool = False
    consumers_suspended: bool = False
    #: The callback that the host has not finished yet; there is never more than one.
    callback: Waiter | None = None
    event_handler: Consumer | None = None
    #: Which consumer is looked at first, the next time.
    next_consumer: int = 0
    connection_area: int = 0
    #: What the reason of the last open that failed cannot say: where the selection string is wrong.
    explanation: str = ""
    #: Branches that xa_recover has still to return; None when no scan is open.
    recovery_scan: list[bytes] | None = None
    #: Asynchronous puts since the last MQSTAT.
    async_success: int = 0
    async_warning: int = 0
    async_failure: int = 0
    async_completion: int = 0
    async_reason: int = 0
    async_object_name: str = ""
    async_object_q_mgr: str = ""
    async_object_type: int = 0
    channel_name: str = ""
    connection_name: str = ""
    appl_description: str = ""
    process_id: int = 0
    thread_id: int = 0
    next_handle: int = 2
    #: What accounting keeps of it, None while it is not accounted for; what its last MQPUT1 went through.
    task: Task | None = None
    put1_handle: Handle | None = None

    def __init__(self, connection_id: bytes, appl_name: str, user: str, appl_type: int) -> None:
        self.connection_id = connection_id
        self.appl_name = appl_name
        self.user = user
        self.appl_type = appl_type
        self.accounting_token: bytes = NO_ACCOUNTING_TOKEN
        self.handles: dict[int, Handle] = {}
        self.message_handles: dict[int, MessageHandle] = {}
        self.consumers: list[Consumer] = []
        #: Callbacks other than for messages that are due: start, stop, register, deregister, events.
        self.callbacks_due: list[Waiter] = []
        self.options = 0


class Handle:
    """One MQOPEN."""

    open: bool = True
    queue: Queue | None = None
    can_get: bool = False
    can_browse: bool = False
    can_put: bool = False
    can_inquire: bool = False
    can_set: bool = False
    exclusive: bool = False
    #: MQSUB opened it for a managed subscription, without authority of its own.
    managed: bool = False
    #: Opened by the name of a local queue, for output or input, with nothing unusual: see put.py and get.py.
    straight_put: bool = False
    straight_get: bool = False
    #: Where accounting writes down the calls through the handle (accounting.py).
    use: QueueUse | None = None
    #: Context of messages put: flags of the open options, see put.py.
    context: int = 0
    #: Saved context of the last message got, for MQPMO_PASS_*: only with MQOO_SAVE_ALL_CONTEXT.
    saved: MQMD | None = None
    saved_valid: bool = False
    #: The properties of that message that belong to the user context, as a message carries them.
    saved_properties: bytes = b""
    #: Defaults and inhibitions of the alias or remote definition the name went through.
    put_enabled_by: str = ""
    get_enabled_by: str = ""
    #: The put that goes through it now is to be delivered so much later (delay.py).
    delivery_delay_ms: int = 0
    #: Where a put to another queue manager goes.
    remote_queue: str = ""
    remote_qmgr: str = ""
    #: Browse cursor: the node it stands on (None: before the first), its lane and sequence.
    cursor: Node | None = None
    cursor_lane: int = 10
    cursor_sequence: int = -1
    #: The message under the cursor, if it is still the one that was browsed.
    under_cursor: Message | None = None
    locked: Message | None = None
    #: The groups that puts, gets and browses are in the middle of: see group.py and logical_get.py. What the first two
    #: were before the unit of work that last changed them comes back when that is backed out.
    put_group: PutGroup | None = None
    put_group_before: PutGroup | None = None
    put_group_unit: Unit | None = None
    get_group: GetGroup | None = None
    get_group_before: GetGroup | None = None
    get_group_unit: Unit | None = None
    browse_group: GetGroup | None = None
    #: The last browse was in logical order.
    browse_logical: bool = False
    consumer: Consumer | None = None
    #: The topic that it publishes to (publish.py), the subscription that it is of (subscribe.py) and where that goes.
    topic: OpenTopic | None = None
    subscription: Subscribed | None = None
    destination: Handle | None = None
    #: PROPCTL of the name that was opened: MQPROP_*, see property_control.py.
    property_control: int = 0
    #: Of a distribution list, in the order of its object records; such a handle has no queue.
    destinations: list[Destination] | None = None
    #: The host reads the properties of a message itself (`Answer.carrier`): gets are as those with a message handle.
    host_reads: bool = False
    #: Delete the dynamic queue on close by its creator.
    owns_dynamic: bool = False
    #: The selection string, and how it finds its messages: through a selection, or by an id (selection.py).
    selector: str = ""
    selection: Selected | None = None
    id_key: IdSelector | None = None
    #: Where the browse cursor stands among the messages that match.
    selected_entry: Entry | None = None
    #: Messages that this handle has marked while browsing; see browse_mark.py.
    marks: Marks | None = None
    #: The stream queue that was opened with it; why the last copy could not be put; that is why the put was refused.
    stream_queue: Queue | None = None
    stream_told: int = 0
    copy_refused: bool = False
    read_ahead: bool = False

    def __init__(self, number: int, connection: Connection, object_type: int, name: str, options: int) -> None:
        self.number = number
        self.connection = connection
        self.object_type = object_type
        self.object_name = name
        self.options = options
        self.resolved_name = name
        self.resolved_qmgr = ""
        self.def_priority = 0
        self.def_persistence = 0
        self.def_put_response = 0
        self.process_or_namelist = ""


class Waiter:
    """A get that waits for a message."""

    done: bool = False
    #: For whom it waits asynchronously; None for a plain MQGET with wait.
    consumer: Consumer | None = None
    #: What the callback is called for (MQCBCT_*), once it is due.
    call_type: int = 0
    #: When it began, if its task is accounted for.
    asked_us: int = 0

    def __init__(
        self,
        connection: Connection,
        handle: Handle,
        answer: Answer,
        md: MQMD,
        gmo: MQGMO,
        max_length: int,
        deadline_ms: int,
        order: int,
    ) -> None:
        self.connection = connection
        self.handle = handle
        self.answer = answer
        self.md = md
        self.gmo = gmo
        self.max_length = max_length
        self.deadline_ms = deadline_ms
        self.order = order
        #: How the queue files it: "" any, else the id it waits for.
        self.key: bytes = b""
        self.kind = 0


class Marks:
    """Browse marks of one handle, as sequences of its queue."""

    def __init__(self) -> None:
        self.own: set[int] = set()
        self.co_op: set[int] = set()


IN_GROUP: Final = MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
A_SEGMENT: Final = MQMF_SEGMENT | MQMF_LAST_SEGMENT


class PutGroup:
    """State of puts in logical order: an open group, a logical message, or a logical message of a group."""

    def __init__(self, md: MQMD, next_offset: int, logical: bool, syncpoint: bool) -> None:
        self.group_id = md.group_id
        self.msg_seq_number = md.msg_seq_number
        self.next_offset = next_offset
        flags = md.msg_flags
        self.grouped = flags & IN_GROUP != 0
        self.last_in_group = flags & MQMF_LAST_MSG_IN_GROUP != 0
        #: The logical message has more segments to come.
        self.in_message = flags & A_SEGMENT == MQMF_SEGMENT
        #: The group has more messages to come.
        self.in_group = self.grouped and not self.last_in_group
        self.logical = logical
        self.syncpoint = syncpoint
        self.persistence = md.persistence


class GetGroup:
    """Where the gets, or the browses, of a handle are in a group or logical message."""

    def __init__(
        self, message: Message, length: int, start: Message, logical: bool, syncpoint: bool, whole: bool
    ) -> None:
        """`length` is that of the data of `message` without headers."""
        flags = message.msg_flags
        self.group_id = message.group_id
        self.msg_seq_number = message.msg_seq_number
        self.next_offset = message.offset + length
        self.in_message = flags & A_SEGMENT == MQMF_SEGMENT and not whole
        self.in_group = flags & MQMF_MSG_IN_GROUP != 0 and flags & MQMF_LAST_MSG_IN_GROUP == 0
        self.logical = logical
        self.syncpoint = syncpoint
        #: The message, as the chain of its group knows it: the next one usually stands behind it.
        self.last_sequence = message.sequence
        #: Where a browse in logical order goes on when the group is done.
        self.start = start

    def is_open(self) -> bool:
        """True if there is more to come."""
        return self.in_message or self.in_group


class Destination:
    """One queue of a list, and how its last open or put ended."""

    #: None: it could not be opened.
    handle: Handle | None = None
    completion: int = MQCC_OK
    reason: int = MQRC_NONE

    @property
    def remote(self) -> bool:
        """Whether its messages leave this queue manager."""
        return self.handle is not None and self.handle.remote_qmgr != ""


class Trigger:
    """A trigger message that waits for the end of a unit of work."""

    def __init__(self, queue: Queue, kind: str) -> None:
        self.queue = queue
        self.kind = kind


class Row:
    """The messages of one lane, in the order in which they were put."""

    #: Messages before this one have been got.
    head: int = 0

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def add(self, message: Message) -> None:
        """Insert by sequence; nearly always at the end."""
        at = len(self.messages)
        while at > self.head and self.messages[at - 1].sequence > message.sequence:
            at -= 1
        self.messages.insert(at, message)


class OwnPuts:
    """The messages that one unit of work has put on one queue."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}
        self.sequences: set[int] = set()

    def add(self, message: Message) -> None:
        """Enter a message that the unit has put."""
        row = self.rows.get(message.lane)
        if row is None:
            row = self.rows[message.lane] = Row()
        row.add(message)
        self.sequences.add(message.sequence)


class MessageHandle:
    """One MQCRTMH."""

    #: How many waiting gets will fill it (H1).
    in_use: int = 0

    def __init__(self, number: int, validate: bool) -> None:
        self.number = number
        #: Names are checked when properties are set, else when the message is put.
        self.validate = validate
        self.properties: MessageProperties = MessageProperties()
        self.md = MQMD()
        self.md.version = 2
        #: The fields of `md` that have been set or got, by the name of the attribute.
        self.known: set[str] = set()

    def take(self, properties: MessageProperties, md: MQMD) -> None:
        """Hold another message from now on: what it held before is gone, and so is the cursor."""
        self.properties = properties
        md.copy_to(self.md)
        self.md.version = 2
        self.known = set(MD_FIELDS)


def succeed(answer: Answer) -> int:
    """The call went well."""
    answer.completion = MQCC_OK
    answer.reason = MQRC_NONE
    return MQRC_NONE


def warn(answer: Answer, reason: int) -> int:
    """The call went, with a reservation."""
    answer.completion = MQCC_WARNING
    answer.reason = reason
    return reason


def fail(answer: Answer, reason: int) -> int:
    """The call did nothing."""
    answer.completion = MQCC_FAILED
    answer.reason = reason
    return reason


def not_usable(connection: Connection) -> int:
    """Why a call is refused on a connection that is not usable: it is gone, or its consumers run."""
    return MQRC_HCONN_ASYNC_ACTIVE if connection.connected else MQRC_HCONN_ERROR


class Task:
    """One task that is accounted for."""

    ended_us: int = 0

    def __init__(self, connection: Connection, number: int, now_us: int) -> None:
        self.connection = connection
        self.number = number
        self.started_us = now_us
        self.life = TaskLife()
        self.work = TaskWork()
        self.work.started_us = now_us
        self.watch = Watch()

    def end_interval(self, now_us: int) -> TaskWork:
        """Return the counts of the interval that ends now, and begin another, with the open handles (B16)."""
        done = self.work
        done.ended_us = now_us
        work = TaskWork()
        work.started_us = now_us
        self.work = work
        for key, use in done.queues.items():
            if use.open_now:
                work.queues[key] = use.next_interval()
        for handle in self.connection.handles.values():
            before = handle.use
            if before is not None:
                handle.use = work.queues.get((before.name, before.base))
        return done


class Consumer(Answer):
    """One registered callback: a message consumer of a handle, or the event handler of a connection.

    As an Answer it holds what the last get for it returned.
    """

    callback_area: int = 0
    callback_name: str = ""
    #: What the host calls; the engine does not look at it.
    function: object | None = None
    options: int = 0
    max_length: int = -1
    state: int = MQCS_NONE
    #: The wait that is registered at the queue, if it waits.
    waiting: Waiter | None = None
    #: It has heard 2033 and had no message since.
    heard_empty: bool = False
    #: It browses and has seen the first message since the start.
    browsing: bool = False

    def __init__(self, kind: int, handle: Handle, md: MQMD, gmo: MQGMO) -> None:
        self.kind = kind
        self.handle = handle
        self.md = md
        self.gmo = gmo


class Entry:
    """A message in the list of a selection."""

    prev: Entry | None = None
    next: Entry | None = None
    #: Out of the list. `next` stays as it was, for a browse cursor that still stands here.
    gone: bool = False

    def __init__(self, selection: Selected, lane: int, sequence: int, message: Message | None) -> None:
        self.selection = selection
        self.lane = lane
        self.sequence = sequence
        #: None while it is on the page set only.
        self.message = message


class Selected:
    """The messages of a queue that match one selection string, as waits see them (selection.Selection)."""

    def __init__(self) -> None:
        #: Gets that wait for a message that matches, in the order in which they came.
        self.waiters: list[Waiter] = []
        #: Its entries, by the sequence of the message.
        self.links: dict[int, Entry] = {}

    def discard(self, entry: Entry) -> None:
        """Take an entry out."""
        raise NotImplementedError

    def offer(self, entry: Entry) -> None:
        """The message of `entry` may be available."""
        raise NotImplementedError


class IdSelector:
    """A selection string that is one id (selection.IdKey)."""

    by_msg_id: bool = False
    key: bytes = b""

    def accepts(self, message: Message) -> bool:
        """Return whether a message has the id, and is the one meant."""
        raise NotImplementedError


class Subscribed:
    """The subscription that a handle is open on (subscription.Subscription)."""

    sub_id: bytes = b""
    #: The queue manager made the destination and removes it with the subscription.
    managed: bool = False
