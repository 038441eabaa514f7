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
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD, NO_ACCOUNTING_TOKEN

if TYPE_CHECKING:
    from flintmq.qmgr.browse_mark import Marks
    from flintmq.qmgr.consume import Consumer
    from flintmq.qmgr.distribution import Destination
    from flintmq.qmgr.group import PutGroup
    from flintmq.qmgr.logical_get import GetGroup
    from flintmq.qmgr.message import Message, Node
    from flintmq.qmgr.message_handle import MessageHandle
    from flintmq.qmgr.own_puts import OwnPuts
    from flintmq.qmgr.publish import OpenTopic
    from flintmq.qmgr.queue import Queue
    from flintmq.qmgr.selection import Entry, IdKey, Selection
    from flintmq.qmgr.subscription import Subscription
    from flintmq.qmgr.task import QueueUse, Task
    from flintmq.qmgr.trigger import Trigger
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
    #: What these are without accounting, and where that writes calls through the handle down (accounting.py).
    plain_put: bool = False
    plain_get: bool = False
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
    subscription: Subscription | None = None
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
    selection: Selection | None = None
    id_key: IdKey | None = None
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
