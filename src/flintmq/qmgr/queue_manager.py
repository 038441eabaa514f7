"""The queue manager's state, and the few functions that own it.

The hooks (`arrived`, `available`, `got` ...) are only declared here; `Engine` implements them (engine.py).

Nothing here blocks, reads a clock or opens a file by itself: the clock, the log and the page sets are given to it. The
host (an embedding program, the server process, a simulation) makes it by calls.py, calls its methods, and after each
call looks at

    connection.force      wait until `log.durable` has reached it before telling the application
    qm.woken              waits that were completed by the call: wake their owners
    qm.needs_checkpoint() time for `Calls.checkpoint`
    qm.next_deadline()    when `Calls.expire_waits` is due, which also scans for expired messages and delivers
                          delayed ones, a slice at a time
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Final

from flintmq.catalogue.attribute import Value
from flintmq.log.errors import LogFull
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr import (
    delays,
    expiry_task,
)
from flintmq.qmgr.authority_records import AuthorityRecords
from flintmq.qmgr.catalogue import Catalogue, MQObject
from flintmq.qmgr.clock import Clock
from flintmq.qmgr.connection import Connection, Consumer, Handle, Task, Unit, Waiter
from flintmq.qmgr.log_port import LogPort
from flintmq.qmgr.message import ENDS, Message
from flintmq.qmgr.paging import Pager
from flintmq.qmgr.queue import Queue, number
from flintmq.qmgr.records import COPY, KIND, PUT
from flintmq.qmgr.refusal import Refusal
from flintmq.qmgr.security import Authority, Entities
from flintmq.qmgr.statistics import Totals
from flintmq.qmgr.subscription import Subscriptions
from flintmq.qmgr.topic_tree import TopicTree
from flintmq.qmgr.tracer import Tracer
from flintmq.qmgr.traces import Traces
from flintmq.qmgr.vault import Vault
from flintmq.store.buffers import NOT_STUCK, BufferPool
from flintmq.store.pages import PageAccount
from flintmq.store.pageset import PageSet

if TYPE_CHECKING:
    from flintmq.qmgr.connection import MessageHandle
    from flintmq.qmgr.event_state import EventState
    from flintmq.qmgr.walk import Walk

#: A checkpoint is due when so many bytes or records were logged since the last one. Who sets LOGLOAD higher wants fewer
#: checkpoints: then there may be more bytes in the same measure, up to half of a circular log.
CHECKPOINT_BYTES: Final = 64 * 1024 * 1024
CHECKPOINT_RECORDS: Final = 100_000
#: More than any log has.
NO_LIMIT: Final = 1_000_000_000_000_000
#: The last of the eight unique bytes of an id.
_ID_LOW_MAX: Final = 0xFF
#: These eight bytes in the year 2097: seconds since 1970, and 32 bits to count with.
_ID_SEEN_MAX: Final = 0xF000_0000_0000_0000
#: A pool that cannot be relieved is left alone until so large a part of it has come or something has gone.
STUCK_PART: Final = 16
#: One call evicts to so many pages below the threshold at most: a batch of more takes too long for one turn.
RELIEF_PAGES: Final = 2000
#: A checkpoint that found the disk of a page set full is tried again after so long, twice as long, ...
RETRY_MIN_MS: Final = 1000
RETRY_MAX_MS: Final = 8000
#: The ordinal of 1970-01-01.
_FIRST_DAY: Final = 719_163
#: Puts may use the log up to its end.
ANYWHERE: Final[int] = 1 << 62
#: What the properties of a message may have together if MAXPROPL sets no limit.
PROPERTIES_LENGTH_MAX: Final = 104_857_600


class Counters:
    """Totals of the whole queue manager since it started; telemetry reads them."""

    connects: int = 0
    disconnects: int = 0
    opens: int = 0
    closes: int = 0
    puts: int = 0
    subscribes: int = 0
    durable_subscribes: int = 0
    subscription_requests: int = 0
    subscriptions_expired: int = 0
    callbacks: int = 0
    controls: int = 0
    stats: int = 0
    #: Messages published, and the copies that were made of them; those that nobody wanted.
    publishes: int = 0
    published: int = 0
    unheard: int = 0
    #: The most copies of one publication since the statistics interval began.
    most_published: int = 0
    put1s: int = 0
    gets: int = 0
    inquires: int = 0
    sets: int = 0
    commits: int = 0
    backouts: int = 0
    checkpoints: int = 0
    expired: int = 0
    records_logged: int = 0
    #: Bytes of these, without headers and padding.
    bytes_logged: int = 0
    #: Definitions made, changed and deleted.
    objects_created: int = 0
    objects_changed: int = 0
    objects_deleted: int = 0
    #: Copies put to stream queues, and opens of stream queues with their base queues.
    stream_puts: int = 0
    stream_opens: int = 0


class Gathering:
    """Messages that are placed on their queues together, or not at all (place.Delivery)."""


class QueueManager:
    """One queue manager."""

    quiescing: bool = False
    ended: bool = False
    wait_order: int = 0
    records_since_checkpoint: int = 0
    #: When a checkpoint finds out again whether a disk of a page set is full; 0: none is. After a checkpoint that was
    #: refused, puts may use the log up to `puts_end` only.
    checkpoint_retry_ms: int = 0
    puts_end: int = ANYWHERE
    _retry_after_ms: int = 0
    generation: int = 0
    #: Cache of the put date and time, by tick of ten milliseconds.
    stamped_ms: int = -1
    _tick: int = -1
    _day: int = -1
    put_date: str = ""
    put_time: str = ""
    persistent_log: bool = True
    #: Log messages that the host may show or write to its error log: (number, text).
    events: EventState | None = None
    #: The connection of the command server while it runs (command/command_server.py).
    command_server: Connection | None = None
    #: True while restart replays the log: nothing is logged, no events, no triggers.
    replaying: bool = False
    #: Its host does nothing more with it.
    left: bool = False
    #: Who owns the clients' connections makes the calls now, and may be called back: a message may go straight to who
    #: waits for it (put_to_waiter.py).
    in_turn: bool = False
    #: True while a trigger message is being put: it does not trigger itself.
    triggering: bool = False
    checkpoint_bytes: int = CHECKPOINT_BYTES
    #: What it never exceeds: half of a circular log.
    checkpoint_bytes_max: int = NO_LIMIT
    #: SET SYSTEM LOGLOAD.
    checkpoint_records: int = CHECKPOINT_RECORDS
    checkpoint_position: int = 0
    #: Connections are accounted for (accounting.py), and the number that the last of them got as a task.
    accounting: bool = False
    task_number: int = 0
    #: Tasks that ended and of which nothing is kept, because nobody had written those before.
    tasks_lost: int = 0
    #: What STATIME(0) means (intervals.py).
    system_interval_s: int = 30 * 60
    #: RESET QMGR TYPE(STATISTICS): the intervals end now.
    cut_intervals: bool = False
    #: Accounting wants to know what channels have done when they end.
    keep_channels: bool = False

    def __init__(self, name: str, clock: Clock, log: LogPort, catalogue: Catalogue, authority: Authority) -> None:
        self.name = name
        self.clock = clock
        self.vault = Vault()
        self.log = log
        self.catalogue = catalogue
        self.authority = authority
        self.authority_records = AuthorityRecords(catalogue)
        #: Who is in which group; a host that knows says so.
        self.entities = Entities()
        #: The last connects, opens and commands that were refused, the oldest first.
        self.refusals: list[Refusal] = []
        #: How many were ever kept; a host that writes them down sees that there are more.
        self.refusals_kept = 0
        self.counters = Counters()
        #: What queues that are gone have counted.
        self.deleted_queues = Totals()
        #: Tasks that have ended and whose records the host has still to write.
        self.ended_tasks: list[Task] = []
        #: Traces that are started (traces.py); values of SET SYSTEM in force, and intervals that wait (intervals.py).
        self.traces = Traces()
        #: Who hears of calls while a GLOBAL trace is started; the host sees to it.
        self.tracer: Tracer | None = None
        self.system: dict[str, Value] = {}
        self.new_intervals: dict[str, Value] = {}
        self.interval_ends: dict[str, int] = {}
        self.queues: dict[str, Queue] = {}
        self.queues_by_id: dict[int, Queue] = {}
        #: The host takes turns: deep queues that are deleted are emptied in slices. Those that are not empty yet.
        self.takes_turns = False
        self.clearing: list[Queue] = []
        self.pagers: dict[int, Pager] = {}
        self.accounts: dict[int, PageAccount] = {}
        #: Page sets with a full disk that the operator has been told of.
        self._told_full: set[int] = set()
        self.pools: dict[int, BufferPool] = {}
        self.connections: dict[bytes, Connection] = {}
        self.in_doubt: dict[bytes, Unit] = {}
        #: The places of units in doubt on page set 0, and those that the current generation lists (checkpoint.py).
        self.units_kept: set[bytes] = set()
        self.units_listed: list[bytes] = []
        #: Branches that are associated with no connection and not prepared (xa_end without prepare yet).
        self.branches: dict[bytes, Unit] = {}
        #: Branches that a connection works in now.
        self.active_branches: dict[bytes, Connection] = {}
        #: Branches in doubt that an administrator has committed (True) or backed out, until they are forgotten.
        self.heuristic: dict[bytes, bool] = {}
        self.deadlines: list[tuple[int, int, Waiter]] = []
        #: Browse marks of co-operating handles, by the time when they end.
        self.marks: list[tuple[int, int, Message]] = []
        self.topics = TopicTree()
        self.subscriptions = Subscriptions()
        #: See retained.py; None until somebody needs it.
        self.retained_topics: dict[str, None] | None = None
        self.retained_walk: Walk | None = None
        #: Message handles that belong to no connection, and the number that the last one got.
        self.message_handles: dict[int, MessageHandle] = {}
        self.next_message_handle = 0
        self.waiting = 0
        #: Scans for expired messages; messages that are delivered later.
        self.expiry = expiry_task.ExpiryTask()
        self.delays = delays.Delays()
        self.woken: list[Waiter] = []
        self.notices: list[tuple[str, str]] = []
        self.started_ms = clock.now_ms()
        #: What SET LOG, SET SYSTEM and ALTER SECURITY have changed.
        self.parameters: dict[str, dict[str, Value]] = {"LOG": {}, "SYSTEM": {}, "SECURITY": {}}
        #: Definitions to write with the next checkpoint, by object id; None for one that was deleted.
        self.changed_objects: dict[int, MQObject | None] = {}
        short = name[:12].ljust(12).encode("ascii", "replace")
        self._msg_id_prefix = b"AMQ " + short
        self._connection_prefix = b"AMQC" + short
        self._count_ids_from((self.started_ms // 1000) << 32)
        self.open_page_set: Callable[[int], PageSet] = _no_page_set
        self.refresh()

    def refresh(self) -> None:
        """Take over the queue manager's own attributes, after a start or ALTER QMGR."""
        values = self.definition().attributes
        self.max_msg_length = number(values["MAXMSGL"])
        for queue in self.queues_by_id.values():
            queue.limit_length(self.max_msg_length)
        self.max_uncommitted = number(values["MAXUMSGS"])
        self.max_handles = number(values["MAXHANDS"])
        #: MAXPROPL; without a limit, what a message may have at most.
        limit = values["MAXPROPL"]
        self.max_properties_length = limit if isinstance(limit, int) else PROPERTIES_LENGTH_MAX
        self.max_priority = number(values["MAXPRTY"])
        self.ccsid = number(values["CCSID"])
        self.dead_letter_queue = str(values["DEADQ"])
        self.default_xmit_queue = str(values["DEFXMITQ"])
        self.trigger_interval_ms = number(values["TRIGINT"])
        #: MARKINT; -1 means that marks do not end by themselves.
        interval = values["MARKINT"]
        self.mark_interval_ms = interval if isinstance(interval, int) else -1
        self.pubsub_disabled = values["PSMODE"] == "DISABLED"
        self.queued_enabled = values["PSMODE"] == "ENABLED"
        self.inhibit_events = values["INHIBTEV"] == "ENABLED"
        self.performance_events = values["PERFMEV"] == "ENABLED"
        self.local_events = values["LOCALEV"] == "ENABLED"
        self.remote_events = values["REMOTEEV"] == "ENABLED"
        self.authority_events = values["AUTHOREV"] == "ENABLED"
        self.expiry.set_interval(values["EXPRYINT"], self.clock.now_ms())

    def definition(self) -> MQObject:
        """The QMGR object."""
        definition = self.catalogue.find("QMGR", self.name)
        assert definition is not None
        return definition

    def authority_changed(self) -> None:
        """Authority records were set or deleted."""
        self.authority_records.changed()
        self.authority.changed()

    def load_topics(self) -> None:
        """File the TOPIC objects of the catalogue, after a start."""
        for definition in self.catalogue.match("TOPIC"):
            self.topics.define(definition)

    def topic_names(self, topic_string: str) -> list[str]:
        """The TOPIC objects at and above a topic, the closest first, for the authority."""
        return [definition.name for definition in self.topics.ancestors(topic_string)]

    def put_topic(
        self, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes, properties: bytes
    ) -> int:
        """A put through a handle of a topic."""
        raise NotImplementedError

    def add_publication(
        self, delivery: Gathering, queue: Queue, topic_name: str, md: MQMD, data: bytes, properties: bytes
    ) -> int:
        """Copies for the subscribers of a topic that STREAMQ of `queue` leads to, as part of a delivery."""
        raise NotImplementedError

    def close_subscription(self, connection: Connection, handle: Handle, options: int) -> int:
        """MQCLOSE of a subscription handle."""
        raise NotImplementedError

    # -- ids and time -------------------------------------------------------------------------------------------

    def new_msg_id(self) -> bytes:
        """A message id that this queue manager has never given out: `AMQ `, its name, eight unique bytes."""
        self._id_low += 1
        if self._id_low > _ID_LOW_MAX:
            self._count_ids_from(self._last_id())
        return self._msg_id_front + ENDS[self._id_low]

    def _last_id(self) -> int:
        """The eight unique bytes that were given out last, as a number."""
        return (self._id_high << 8) + self._id_low

    def _count_ids_from(self, last: int) -> None:
        """Go on behind `last`. The last byte is counted for itself: the bytes in front of it hardly change."""
        self._id_high, self._id_low = last >> 8, last & _ID_LOW_MAX
        self._msg_id_front = self._msg_id_prefix + self._id_high.to_bytes(7, "big")

    def reserve_msg_ids(self) -> bytes:
        """The first of 65,536 message ids in a row that nobody else gets: their last two bytes are 0 and up."""
        first = (self._last_id() | 0xFFFF) + 1
        self._count_ids_from(first | 0xFFFF)
        return self._msg_id_prefix + first.to_bytes(8, "big")

    def new_connection_id(self) -> bytes:
        """A connection id, of the same make."""
        self._count_ids_from(self._last_id() + 1)
        return self._connection_prefix + self._last_id().to_bytes(8, "big")

    def id_seen(self, msg_id: bytes) -> None:
        """A message of an earlier run is back: never give its id out again, even if the clock was set back.

        One that no clock can have made is an application's own; behind it there might be no ids left.
        """
        if msg_id[:16] == self._msg_id_prefix:
            seen = int.from_bytes(msg_id[16:], "big")
            if self._last_id() < seen < _ID_SEEN_MAX:
                self._count_ids_from(seen)

    def stamp(self, now_ms: int) -> None:
        """Bring `put_date` and `put_time` up to `now_ms` (GMT, as the descriptor has them)."""
        self.stamped_ms = now_ms
        tick = now_ms // 10
        if tick == self._tick:
            return
        self._tick = tick
        day = tick // 8_640_000
        if day != self._day:
            self._day = day
            self.put_date = date.fromordinal(_FIRST_DAY + day).strftime("%Y%m%d")
        rest = tick - day * 8_640_000
        hour = rest // 360_000
        minute = rest // 6_000 % 60
        hundredths = rest % 6_000
        self.put_time = f"{hour:02d}{minute:02d}{hundredths:04d}"

    # -- log ----------------------------------------------------------------------------------------------------

    def append(self, kind: int, body: bytes, data: bytes = b"") -> int:
        """Log a record; returns the position to force."""
        self.records_since_checkpoint += 1
        self.counters.records_logged += 1
        self.counters.bytes_logged += len(body) + len(data)
        if self.checkpoint_retry_ms and self.log.end >= self.puts_end and kind & KIND in (PUT, COPY):
            raise LogFull(self.puts_end - self.checkpoint_position, len(body) + len(data))
        return self.log.append(kind, body, data)

    def set_checkpoints(self, records: int, bytes_max: int) -> None:
        """LOGLOAD is `records`, and no checkpoint may wait for more than `bytes_max`."""
        self.checkpoint_records = records
        self.checkpoint_bytes_max = bytes_max
        in_measure = CHECKPOINT_BYTES * records // CHECKPOINT_RECORDS
        self.checkpoint_bytes = min(max(CHECKPOINT_BYTES, in_measure), bytes_max)

    def needs_checkpoint(self) -> bool:
        """True when replaying what was logged since the last checkpoint would take too long.

        While a disk is full: also when it is time to try again; after a checkpoint that was refused, not before.
        """
        if self.checkpoint_retry_ms:
            if self.clock.now_ms() >= self.checkpoint_retry_ms:
                return True
            if self.puts_end != ANYWHERE:
                return False
        return (
            self.records_since_checkpoint >= self.checkpoint_records
            or self.log.end - self.checkpoint_position >= self.checkpoint_bytes
        )

    def checkpoint_refused(self, puts_end: int) -> None:
        """A checkpoint found the disk of a page set full: try again later. Puts may use the log up to `puts_end`."""
        self._retry_later()
        self.puts_end = puts_end
        self.tell_full()

    def _retry_later(self) -> None:
        self._retry_after_ms = min(max(RETRY_MIN_MS, 2 * self._retry_after_ms), RETRY_MAX_MS)
        self.checkpoint_retry_ms = self.clock.now_ms() + self._retry_after_ms

    def checkpoint_is_futile(self) -> bool:
        """Whether a checkpoint was refused a moment ago, because the disk of a page set is full."""
        return self.checkpoint_retry_ms > self.clock.now_ms() and self.puts_end != ANYWHERE

    def checkpoint_taken(self) -> None:
        """A checkpoint has written all that must survive. See whether there is room for the rest, too."""
        self.puts_end = ANYWHERE
        if not self.checkpoint_retry_ms:
            return
        for pager in self.pagers.values():
            pager.has_room()
        if not self.ended:
            for pool in self.pools.values():
                pool.stuck_at = NOT_STUCK
                if pool.used > pool.threshold:
                    self.relieve_pool(pool)
        self.checkpoint_retry_ms = 0
        for pager in self.pagers.values():
            if pager.full:
                self._retry_later()
            elif pager.psid in self._told_full:
                self._told_full.remove(pager.psid)
                self.notice("CSQP013I", f"Page set {pager.psid} has room on its disk again; puts go on.")
        if not self.checkpoint_retry_ms:
            self._retry_after_ms = 0

    def tell_full(self) -> None:
        """Tell the operator, once, of each page set whose disk is full. A checkpoint will find out when it is not."""
        for pager in self.pagers.values():
            if pager.full and pager.psid not in self._told_full:
                self._told_full.add(pager.psid)
                text = f"Page set {pager.psid} cannot be written: {pager.full}. Puts to its queues are refused "
                self.notice("CSQP014E", text + "(2192), gets go on. It is tried again every few seconds.")
                if not self.checkpoint_retry_ms:
                    self.checkpoint_retry_ms = self.clock.now_ms() + RETRY_MIN_MS

    # -- what follows from a put or a get -------------------------------------------------------------------------

    def put_streamed(
        self,
        connection: Connection,
        queue: Queue,
        md: MQMD,
        data: bytes,
        syncpoint: bool,
        now: int,
        properties: bytes,
        handle: Handle | None,
    ) -> int:
        """A message for a queue with STREAMQ: place it and its copy."""
        raise NotImplementedError

    def open_list(self, connection: Connection, od: MQOD, options: int) -> Handle | None:
        """MQOPEN of a distribution list."""
        raise NotImplementedError

    def put_to_list(self, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> int:
        """MQPUT to one."""
        raise NotImplementedError

    def stage_delayed(
        self,
        connection: Connection,
        handle: Handle,
        md: MQMD,
        pmo_options: int,
        pub_level: int,
        data: bytes,
        syncpoint: bool,
        now: int,
        properties: bytes,
    ) -> int:
        """A message that is to be delivered later: to the staging queue."""
        raise NotImplementedError

    def deliver_delayed(self, now: int) -> None:
        """Deliver what is due now."""
        raise NotImplementedError

    def put_to_waiter(self, queue: Queue, md: MQMD, data: bytes, now: int) -> bool:
        """See put_to_waiter.py."""
        raise NotImplementedError

    def arrived(self, queue: Queue, message: Message, now: int) -> None:
        """`message` was put outside syncpoint at `now`: events, those who wait, triggers."""
        raise NotImplementedError

    def put_in_unit(self, queue: Queue, message: Message, unit: Unit) -> None:
        """`message` was put under syncpoint on a watched queue. Events are at once, a trigger is when the unit ends."""
        raise NotImplementedError

    def available(self, queue: Queue, message: Message) -> None:
        """`message` can be got now: its put was committed, its get backed out, or its browse lock given up."""
        raise NotImplementedError

    def unit_ended(self, unit: Unit, committed: bool) -> None:
        """Send the trigger messages that waited for it."""
        raise NotImplementedError

    def got(self, queue: Queue) -> None:
        """A message of a watched queue left it for good."""
        raise NotImplementedError

    def alias_inhibits_get(self, handle: Handle) -> bool:
        """True if the alias that `handle` was opened through has GET(DISABLED)."""
        definition = self.catalogue.find("QUEUE", handle.get_enabled_by)
        return definition is not None and definition.attributes.get("GET") == "DISABLED"

    def definition_inhibits_put(self, handle: Handle) -> bool:
        """True if the alias or remote definition that `handle` was opened through has PUT(DISABLED)."""
        definition = self.catalogue.find("QUEUE", handle.put_enabled_by)
        return definition is not None and definition.attributes.get("PUT") == "DISABLED"

    def consumer_answered(self, consumer: Consumer, waiter: Waiter) -> None:
        """A get for a consumer is complete, with a message or with a reason."""
        raise NotImplementedError

    def connection_event(self, handler: Consumer, reason: int) -> None:
        """Something happened to a whole connection that has an event handler."""
        raise NotImplementedError

    # -- accounting: see accounting.py -------------------------------------------------------------------------------

    def account_connection(self, connection: Connection, begins: bool) -> None:
        """A connection begins or ends."""
        raise NotImplementedError

    def account_wait(self, waiter: Waiter) -> None:
        """A get that waited has its answer."""
        raise NotImplementedError

    # -- calls that the engine makes in the name of an application: see calls.py --------------------------------------

    def put(self, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> int:
        """MQPUT."""
        raise NotImplementedError

    def commit(self, connection: Connection) -> int:
        """MQCMIT."""
        raise NotImplementedError

    def back(self, connection: Connection) -> int:
        """MQBACK."""
        raise NotImplementedError

    # -- waits --------------------------------------------------------------------------------------------------

    def add_deadline(self, waiter: Waiter) -> None:
        """Remember when `waiter` gives up. Entries of waits that are over go when they outnumber the others."""
        if len(self.deadlines) > 64 + 2 * self.waiting:
            self.deadlines = [entry for entry in self.deadlines if not entry[2].done]
            heapq.heapify(self.deadlines)
        heapq.heappush(self.deadlines, (waiter.deadline_ms, waiter.order, waiter))

    def next_deadline(self) -> int:
        """When the first wait gives up, a browse mark ends, a scan or a delayed message is due; 0 never."""
        while self.deadlines and self.deadlines[0][2].done:
            heapq.heappop(self.deadlines)
        first = self.deadlines[0][0] if self.deadlines else 0
        if self.marks and (first == 0 or self.marks[0][0] < first):
            first = self.marks[0][0]
        scan = self.expiry.due_ms()
        if scan and (first == 0 or scan < first):
            first = scan
        if self.delays.order:
            delivery = self.delays.due_ms()
            if delivery and (first == 0 or delivery < first):
                first = delivery
        return first

    # -- storage ------------------------------------------------------------------------------------------------

    def relieve_pool(self, pool: BufferPool) -> bool:
        """The pool has passed its threshold: write out and evict until it is down to its target, or RELIEF_PAGES below.

        Returns whether anything was evicted. If that was not enough, because the rest is uncommitted or locked, it is
        not tried again with every message, but when the pool has changed by more than a little.
        """
        if pool.stuck_at <= pool.used < pool.stuck_at + pool.buffers // STUCK_PART:
            return False
        before = pool.used
        by_pager: dict[int, list[Queue]] = {}
        for queue in self.queues_by_id.values():
            if queue.pool is pool and queue.pages_in_memory:
                by_pager.setdefault(queue.pager.psid, []).append(queue)
        wanted = min(pool.used - pool.target, pool.used - pool.threshold + RELIEF_PAGES)
        for psid, queues in by_pager.items():
            if wanted > 0:
                wanted -= self.pagers[psid].relieve(queues, wanted, True)
        wanted = pool.used - pool.threshold
        for psid, queues in by_pager.items():
            if wanted > 0:
                wanted -= self.pagers[psid].relieve(queues, wanted, False)
        pool.stuck_at = pool.used if pool.used > pool.threshold else NOT_STUCK
        for psid in by_pager:
            if self.pagers[psid].full:
                self.tell_full()
        return pool.used < before

    def notice(self, number_and_severity: str, text: str) -> None:
        """Say something to the operator, under an MQ message number."""
        self.notices.append((number_and_severity, text))

    def check(self) -> None:
        """Check every invariant of every room of the engine; for tests and simulation."""
        raise NotImplementedError

    def units(self) -> list[Unit]:
        """Every unit of work there is."""
        result = list(self.in_doubt.values()) + list(self.branches.values())
        for connection in self.connections.values():
            if connection.unit is not None:
                result.append(connection.unit)
        return result


def _no_page_set(psid: int) -> PageSet:
    raise AssertionError(f"nobody has said where page set {psid} is")
