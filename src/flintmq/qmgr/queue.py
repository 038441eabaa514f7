"""A local queue: its messages, its indexes, its waiting getters, its counters.

The queue knows where its messages are and keeps the counts right; what a put or a get *means* is in put.py and get.py.

    lanes[9]  highest priority         messages with MSGDLVSQ(PRIORITY) stand in the lane of their priority,
      ...                              with MSGDLVSQ(FIFO) all in lane 0
    lanes[0]

Invariants (checked by `check_queue`; N1-N4 of each lane as well):

    Q1  depth = messages in memory that are linked + messages on the page set that are not in memory.
    Q2  available = those of them that a get of any connection can find: not under an uncommitted put or get, not
        browse-locked. What a unit of work has put and not committed is not among them: only the unit finds it (U3).
    Q3  mask has bit n exactly when lane n is not empty.
    Q4  Every linked message is in every index that the queue keeps, and only those.
    Q5  The buffers of the pool that the queue has taken are the sum over its messages in memory; the messages that the
        page set accounts for are the depths of its queues.
    Q6  `expiring` has the messages in memory that expire (E1, E2 of lane.py).
    Q7  What the selections of the queue hold is what matches (T1-T3 of selection.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.catalogue.limits import MESSAGE_LENGTH_MAX
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.expiring import cap_of
from flintmq.qmgr.lane import Expiring, Index, Lane, check_expiring, check_lane, comes_before
from flintmq.qmgr.message import (
    AVAILABLE,
    GET_PENDING,
    LOCKED,
    NO_ID,
    REMOVED,
    SPILLED,
    Acceptor,
    Message,
    Node,
    PackedHeader,
    Spilled,
)
from flintmq.qmgr.queue_counts import QueueCounts, QueueMarks
from flintmq.qmgr.queue_parts import EventTimes, IncompleteGroups, QueueRules, Tokens
from flintmq.qmgr.waits import Waits
from flintmq.store.buffers import BufferPool
from flintmq.store.pages import PageAccount

if TYPE_CHECKING:
    from flintmq.qmgr.connection import Entry, Handle, Waiter
    from flintmq.qmgr.open_topic import OpenTopic

INDEX_NONE: Final = 0
INDEX_MSG_ID: Final = 1
INDEX_CORREL_ID: Final = 2
INDEX_GROUP_ID: Final = 3
INDEX_MSG_TOKEN: Final = 4

_INDEX_KINDS: Final = {
    "NONE": INDEX_NONE,
    "MSGID": INDEX_MSG_ID,
    "CORRELID": INDEX_CORREL_ID,
    "GROUPID": INDEX_GROUP_ID,
    "MSGTOKEN": INDEX_MSG_TOKEN,
}


class QueueSelections:
    """The selection strings that a queue is open with (selection.Selections); the queue tells it of its messages."""

    def __init__(self) -> None:
        #: By sequence of the message: its entries in the selections that it matches.
        self.matched: dict[int, list[Entry]] = {}

    def arrived(self, message: Message) -> None:
        """A message was put on the queue."""
        raise NotImplementedError

    def removed(self, message: Message) -> None:
        """A message was removed for good."""
        raise NotImplementedError

    def in_memory(self, message: Message) -> None:
        """A message was read back from the page set."""
        raise NotImplementedError

    def left_memory(self, message: Message) -> None:
        """A message is on the page set only."""
        raise NotImplementedError

    def available(self, message: Message) -> None:
        """A message can be got again."""
        raise NotImplementedError

    def backed_out(self, message: Message) -> None:
        """The get of a message was backed out."""
        raise NotImplementedError

    def forget(self, sequence: int) -> None:
        """A message is not on the page set any more."""
        raise NotImplementedError

    def waiters(self) -> list[Waiter]:
        """Return the gets that wait for a message that matches."""
        raise NotImplementedError

    def check(self) -> None:
        """Check T1 to T3."""
        raise NotImplementedError


class QueuePager:
    """The page set of a queue (paging.Pager): brings messages back, and hears of those that are gone."""

    psid: int = 0
    #: The last error of the page set while its disk is full, else "".
    full: str = ""

    def died(self, queue: Queue, message: Message) -> None:
        """`message`, which has a home, was removed from its queue."""
        raise NotImplementedError

    def load(self, queue: Queue, lane: Lane, spilled: Spilled) -> Node | None:
        """Bring the first messages of a range back; returns the node that stands in its place now."""
        raise NotImplementedError

    def load_after(self, queue: Queue, lane: Lane, spilled: Spilled, sequence: int) -> Node | None:
        """Bring back the messages of a range behind `sequence`."""
        raise NotImplementedError

    def find_spilled(
        self, queue: Queue, kind: int, key: bytes, accept: Acceptor, behind_lane: int = 10, behind: int = -1
    ) -> Message | None:
        """Bring back the first spilled message under `key`, behind a place, that `accept` takes, or None."""
        raise NotImplementedError

    def find_sequence(
        self, queue: Queue, lane_number: int, sequence: int, accept: Acceptor | None = None
    ) -> Message | None:
        """Bring back the message with that sequence, if it is in a range, alive, and `accept` (if given) takes it."""
        raise NotImplementedError

    def show_from(self, queue: Queue, lane: Lane, low: int, high: int, accept: Acceptor) -> int:
        """Show spilled messages from `low` on to `accept`, which takes none; return the last sequence shown."""
        raise NotImplementedError

    def backed_out(self, message: Message, hardened: bool) -> None:
        """The backout count of `message` has changed."""
        raise NotImplementedError


class Stream:
    """STREAMQ of a queue: where copies of its messages go (stream.py)."""

    #: STREAMQ, and STRMQOS(MUSTDUP).
    name: str = ""
    must_duplicate: bool = False
    #: The queue, if it is a local one; the topic, if it is an alias of one.
    target: Queue | None = None
    topic: OpenTopic | None = None
    #: Why the last copy of a message that the queue manager itself had put could not be put.
    told: int = 0


class Opens:
    """The handles that a queue is open with."""

    input_handles: int = 0
    output_handles: int = 0
    exclusive: bool = False
    #: A managed queue whose subscription has ended: it goes with the last handle.
    orphan: bool = False

    def __init__(self) -> None:
        self.handles: list[Handle] = []


class Queue:
    """One local queue, defined or dynamic."""

    # What every put and get touches stands first, close together: with many queues the cost is that of their memory.
    depth: int = 0
    available: int = 0
    mask: int = 0
    next_sequence: int = 1
    #: How many of `depth` an uncommitted get has. CURDEPTH is depth - held, see U3 in connection.py.
    held: int = 0
    #: Messages that a delivery has reserved and not placed yet (place.py); 0 between calls.
    reserved: int = 0
    max_depth: int = 0
    max_msg_length: int = 0
    #: CAPEXPRY in tenths of a second, 0 none. Only looked at when a message arrives (B98).
    cap_expiry: int = 0
    waiting: int = 0
    lanes: list[Lane]
    account: PageAccount
    pool: BufferPool
    #: How long a message may be that nothing needs to be looked at for; -1 while every message needs a look.
    plain_length: int = -1
    #: The header that was last packed for a message of the queue (message.py).
    packed_header: PackedHeader | None = None
    put_enabled: bool = True
    get_enabled: bool = True
    deleted: bool = False
    fifo: bool = False
    #: The temporary dynamic queue goes with the handle that made it.
    temporary: bool = False
    #: The queue manager that has it: the ReplyToQMgr of messages that name none.
    q_mgr_name: str = ""
    #: True when there is an index or a selection.
    tracked: bool = False
    #: True when a put or get has to look at triggers, events or other rare things.
    watched: bool = False
    #: Buffers taken, for Q5.
    pages_in_memory: int = 0
    #: How many of `depth` are on the page set only.
    spilled_count: int = 0
    uncommitted: int = 0

    def __init__(
        self,
        definition: MQObject,
        pager: QueuePager,
        account: PageAccount,
        pool: BufferPool,
        q_mgr_msg_length: int = MESSAGE_LENGTH_MAX,
    ) -> None:
        # What every put and get changes, in one order for all queues: plain Python remembers the place of an attribute
        # in an object, and finds it there in another object only if that was filled in the same order.
        self.depth = self.available = self.mask = self.uncommitted = self.held = 0
        self.pages_in_memory = self.spilled_count = self.reserved = 0
        self.next_sequence = 1
        self.counts = QueueCounts()
        self.marks = QueueMarks()
        self.tracked = self.deleted = self.temporary = False
        self.rules = QueueRules()
        self.rules.q_mgr_msg_length = q_mgr_msg_length
        self.definition = definition
        self.name = definition.name
        self.queue_id = definition.object_id
        self.tokens = Tokens(self.queue_id)
        self.pager = pager
        self.account = account
        self.pool = pool
        self.lanes = [Lane(number) for number in range(10)]
        self.opens = Opens()
        self.by_msg_id: Index | None = None
        self.by_correl_id: Index | None = None
        self.by_group_id: Index | None = None
        #: The selection strings that the queue is open with (selection.py).
        self.selections: QueueSelections | None = None
        self.expiring = Expiring()
        self.incomplete = IncompleteGroups()
        self.stream = Stream()
        #: State of triggers and service interval events, and of the queued interface.
        self.times = EventTimes()
        self.waits = Waits()
        self.refresh()

    def refresh(self) -> None:
        """Take over the attributes of the definition, after DEFINE or ALTER."""
        values = self.definition.attributes
        self.get_enabled = values["GET"] == "ENABLED"
        self.put_enabled = values["PUT"] == "ENABLED"
        stream = self.stream
        stream.name = str(values["STREAMQ"])
        stream.must_duplicate = values["STRMQOS"] == "MUSTDUP"
        stream.target = None
        self.cap_expiry = cap_of(values)
        self.max_depth = number(values["MAXDEPTH"])
        self.max_msg_length = number(values["MAXMSGL"])
        self.limit_length(self.rules.q_mgr_msg_length)
        self.fifo = values["MSGDLVSQ"] == "FIFO"
        self.index_kind = _INDEX_KINDS[str(values["INDXTYPE"])]
        rules = self.rules
        rules.refresh(self.name, values)
        self.watched = rules.trigger_on or rules.queued or rules.staging or rules.has_events
        if self.index_kind == INDEX_MSG_ID:
            self.index_by_msg_id()
        elif self.index_kind == INDEX_CORREL_ID:
            self.index_by_correl_id()
        elif self.index_kind == INDEX_GROUP_ID:
            self.index_by_group_id()

    def limit_length(self, q_mgr_msg_length: int) -> None:
        """MAXMSGL of the queue manager is `q_mgr_msg_length`."""
        self.rules.q_mgr_msg_length = q_mgr_msg_length
        self.plain_length = min(self.max_msg_length, q_mgr_msg_length) if self.puts_are_plain() else -1

    def puts_are_plain(self) -> bool:
        """Return whether messages can be put, have no copy and keep their expiry (place.to_queue)."""
        return self.put_enabled and not self.stream.name and not self.cap_expiry and not self.deleted

    def was_deleted(self) -> None:
        """Handles that have it open find it deleted."""
        self.deleted = True
        self.plain_length = -1

    # -- indexes ------------------------------------------------------------------------------------------------

    def index_by_msg_id(self) -> Index:
        """The index by message id; made when first asked for, kept from then on."""
        index = self.by_msg_id
        if index is None:
            index = self.by_msg_id = Index()
            self.tracked = True
            for message in self.messages_in_memory():
                index.add(message.msg_id, message)
        return index

    def index_by_correl_id(self) -> Index:
        """The index by correlation id; made when first asked for, kept from then on."""
        index = self.by_correl_id
        if index is None:
            index = self.by_correl_id = Index()
            self.tracked = True
            for message in self.messages_in_memory():
                index.add(message.correl_id, message)
        return index

    def index_by_group_id(self) -> Index:
        """The index by group id; made when first asked for, kept from then on."""
        index = self.by_group_id
        if index is None:
            index = self.by_group_id = Index()
            self.tracked = True
            for message in self.messages_in_memory():
                index.add(message.group_id, message)
        return index

    def set_tracked(self) -> None:
        """`tracked` is true if there is an index or a selection that has to hear of messages that come and go."""
        self.tracked = (
            self.by_msg_id is not None
            or self.by_correl_id is not None
            or self.by_group_id is not None
            or self.selections is not None
        )

    def index_key(self, message: Message) -> bytes:
        """The id under which the page set indexes `message`, b"" if the queue is not indexed."""
        kind = self.index_kind
        if kind == INDEX_CORREL_ID:
            return message.correl_id
        if kind == INDEX_MSG_ID:
            return message.msg_id
        if kind == INDEX_GROUP_ID:
            return message.group_id
        return b""

    def current_depth(self) -> int:
        """CURDEPTH: with uncommitted puts, without uncommitted gets (U3)."""
        return self.depth - self.held

    # -- counters: what is not written out where it happens -----------------------------------------------------

    def count_get(self, message: Message, length: int, now: int) -> None:
        """A message was got; that there was one has been counted."""
        counts = self.counts
        counts.get_bytes += length
        if message.persistence:
            counts.get_persistent += 1
            counts.get_persistent_bytes += length
        counts.last_get_ms = now

    def count_browse(self, message: Message, length: int) -> None:
        """A message was browsed."""
        counts = self.counts
        counts.browse_count += 1
        counts.browse_bytes += length
        if message.persistence:
            counts.browse_persistent += 1
            counts.browse_persistent_bytes += length

    def count_truncated(self, browse: bool) -> None:
        """A message did not fit the buffer, and was left where it is."""
        counts = self.counts
        if browse:
            counts.browse_truncated += 1
        else:
            counts.get_truncated += 1

    def count_missed(self, browse: bool, waited: bool) -> None:
        """There was no message."""
        counts = self.counts
        if browse:
            counts.browse_missed += 1
            if waited:
                counts.browse_wait_failed += 1
        else:
            counts.get_missed += 1
            if waited:
                counts.wait_failed += 1

    # -- messages -----------------------------------------------------------------------------------------------

    def add(self, message: Message) -> None:
        """Link a new message, whose sequence is the highest, index it and count it. Its pages have been taken before.

        Every message comes through here: what Lane.append, `_enter` and BufferPool.take do is written out.
        """
        lane_number = message.lane
        lane = self.lanes[lane_number]
        last = lane.last
        if last is None:
            lane.first = message
            self.mask |= 1 << lane_number
        else:
            message.prev = last
            last.next = message
        lane.last = message
        if message.state == AVAILABLE:
            self.available += 1
            if lane.hint is None:
                lane.hint = message
        else:
            self.uncommitted += 1
        depth = self.depth + 1
        self.depth = depth
        marks = self.marks
        if depth > marks.high_depth:
            marks.high_depth = depth
        if self.tracked:
            if self.by_correl_id is not None:
                self.by_correl_id.add(message.correl_id, message)
            if self.by_msg_id is not None:
                self.by_msg_id.add(message.msg_id, message)
            if self.by_group_id is not None:
                self.by_group_id.add(message.group_id, message)
            if self.selections is not None:
                self.selections.arrived(message)
        if message.expires_ms:
            self.expiring.add(message)
        pages = message.pages
        self.pages_in_memory += pages
        pool = self.pool
        pool.used += pages
        pool.taken += pages
        changed = pool.changed + pages
        pool.changed = changed
        if changed > pool.watermark:
            pool.changed_more()

    def restore(self, message: Message) -> None:
        """Link a message of a restart in its place by sequence, and count it."""
        self.lanes[message.lane].insert(message)
        self.mask |= 1 << message.lane
        self.depth += 1
        if message.state == AVAILABLE:
            self.available += 1
        else:
            self.uncommitted += 1
        self._enter(message)

    def _enter(self, message: Message) -> None:
        """Index a message that came into memory, and count its buffers."""
        if self.tracked:
            self._index(message)
        if message.expires_ms:
            self.expiring.add(message)
        pages = message.pages
        self.pages_in_memory += pages
        self.pool.take(pages)

    def _index(self, message: Message) -> None:
        """Enter a message in the indexes by id."""
        if self.by_correl_id is not None:
            self.by_correl_id.add(message.correl_id, message)
        if self.by_msg_id is not None:
            self.by_msg_id.add(message.msg_id, message)
        if self.by_group_id is not None:
            self.by_group_id.add(message.group_id, message)

    def _unindex(self, message: Message) -> None:
        """Take a message out of the indexes by id."""
        if self.by_correl_id is not None:
            self.by_correl_id.remove(message.correl_id, message)
        if self.by_msg_id is not None:
            self.by_msg_id.remove(message.msg_id, message)
        if self.by_group_id is not None:
            self.by_group_id.remove(message.group_id, message)

    def leave_memory(self, message: Message) -> None:
        """The counterpart of `_enter`."""
        if self.tracked:
            self._unindex(message)
            if self.selections is not None:
                self.selections.left_memory(message)
        if message.expires_ms:
            self.expiring.remove(message)
        pages = message.pages
        self.pages_in_memory -= pages
        self.pool.release(pages, message.home is None)

    def enter_memory(self, message: Message) -> None:
        """Index and count a message that the pager has read back."""
        if self.tracked:
            self._index(message)
            if self.selections is not None:
                self.selections.in_memory(message)
        if message.expires_ms:
            self.expiring.add(message)
        self.pages_in_memory += message.pages
        self.pool.take_read(message.pages)

    def remove(self, message: Message) -> None:
        """Take a message off the queue for good. Every message leaves here: what Lane.unlink does is written out."""
        if message.state == AVAILABLE:
            self.available -= 1
        elif message.state != LOCKED:
            self.uncommitted -= 1
            if message.state == GET_PENDING:
                self.held -= 1
        message.state = REMOVED
        if message.cursors:
            self.move_cursors(message)
        lane = self.lanes[message.lane]
        before = message.prev
        after = message.next
        if before is None:
            lane.first = after
        else:
            before.next = after
            message.prev = None
        if after is None:
            lane.last = before
            if before is None:
                self.mask &= ~(1 << message.lane)
        else:
            after.prev = before
            message.next = None
        if lane.hint is message:
            lane.hint = after
        if lane.ranges:
            lane.join_ranges_at(before)
        depth = self.depth - 1
        self.depth = depth
        marks = self.marks
        if depth < marks.low_depth:
            marks.low_depth = depth
        home = message.home
        if self.tracked:
            if self.by_correl_id is not None:
                self.by_correl_id.remove(message.correl_id, message)
            if self.by_msg_id is not None:
                self.by_msg_id.remove(message.msg_id, message)
            if self.by_group_id is not None:
                self.by_group_id.remove(message.group_id, message)
            if self.selections is not None:
                self.selections.removed(message)
        if message.expires_ms:
            self.expiring.remove(message)
        pages = message.pages
        self.pages_in_memory -= pages
        pool = self.pool
        if home is None and not pool.level:
            pool.used -= pages
            pool.changed -= pages
        else:
            pool.release(pages, home is None)
        self.account.remove(len(message.data), message.persistence == 1)
        if home is not None:
            self.pager.died(self, message)

    def make_available(self, message: Message) -> None:
        """An uncommitted put was committed, or an uncommitted get backed out: a get may find it from now on."""
        self.uncommitted -= 1
        self.available += 1
        if message.state == GET_PENDING:
            self.held -= 1
        message.state = AVAILABLE
        self.lanes[message.lane].offer(message)
        if self.selections is not None:
            self.selections.available(message)

    def hold(self, message: Message, state: int) -> None:
        """A get under syncpoint takes it: GET_PENDING, in its place."""
        message.state = state
        self.available -= 1
        self.uncommitted += 1
        self.held += 1
        lane = self.lanes[message.lane]
        if lane.hint is message:
            lane.hint = message.next

    def lock(self, message: Message, state: int) -> None:
        """A browse with lock takes it: LOCKED, in its place; not part of any unit of work."""
        message.state = state
        self.available -= 1
        lane = self.lanes[message.lane]
        if lane.hint is message:
            lane.hint = message.next

    def unlock(self, message: Message) -> None:
        """The counterpart of `lock`."""
        message.state = AVAILABLE
        self.available += 1
        self.lanes[message.lane].offer(message)
        if self.selections is not None:
            self.selections.available(message)

    def first_available(self) -> Message | None:
        """The message that the next unqualified get returns; reads it back from the page set if need be."""
        if self.available == 0:
            return None
        mask = self.mask
        while mask:
            lane_number = mask.bit_length() - 1
            lane = self.lanes[lane_number]
            node = lane.hint
            while node is not None:
                state = node.state
                if state == AVAILABLE:
                    lane.hint = node
                    assert isinstance(node, Message)
                    return node
                if state == SPILLED:
                    assert isinstance(node, Spilled)
                    node = self.pager.load(self, lane, node)
                else:
                    node = node.next
            lane.hint = None
            mask &= ~(1 << lane_number)
        return None

    def next_node(self, lane_number: int, node: Node | None) -> Node | None:
        """The message after `node` in the order of delivery, available or not; reads back what is spilled.

        With no node: the first of the lane, or of the whole queue for lane 10.
        """
        following = node.next if node is not None else None
        if node is None and lane_number < 10:
            following = self.lanes[lane_number].first
        while True:
            while following is None:
                mask = self.mask & ((1 << lane_number) - 1)
                if not mask:
                    return None
                lane_number = mask.bit_length() - 1
                following = self.lanes[lane_number].first
            if following.state != SPILLED:
                return following
            assert isinstance(following, Spilled)
            following = self.pager.load(self, self.lanes[lane_number], following)

    def message_at(self, sequence: int) -> Message | None:
        """The message of that sequence, available or not, in memory or on the page set."""
        for lane in self.lanes:
            node = lane.near(sequence)
            if isinstance(node, Spilled):
                node = self.pager.load_after(self, lane, node, sequence - 1)
            if isinstance(node, Message) and node.sequence == sequence:
                return node
        return None

    def is_linked(self, message: Message) -> bool:
        """Whether it is in the list of its lane: it was neither removed nor pushed out to the page set."""
        return message.prev is not None or self.lanes[message.lane].first is message

    def next_after(self, lane_number: int, sequence: int) -> Node | None:
        """The message after `sequence` of a lane in the order of delivery, for a cursor whose message is gone."""
        lane = self.lanes[lane_number]
        node = lane.first
        while node is not None:
            if isinstance(node, Spilled):
                if node.last <= sequence:
                    node = node.next
                else:
                    node = self.pager.load_after(self, lane, node, sequence)
            elif node.sequence <= sequence:
                node = node.next
            else:
                return node
        return self.next_node(lane_number, lane.last) if lane.last is not None else self._first_below(lane_number)

    def _first_below(self, lane_number: int) -> Node | None:
        """The first message of the lanes below an empty one."""
        mask = self.mask & ((1 << lane_number) - 1)
        return self.next_node(mask.bit_length() - 1, None) if mask else None

    def messages_in_memory(self) -> list[Message]:
        """All linked messages, in the order of delivery."""
        result: list[Message] = []
        for lane_number in range(9, -1, -1):
            node = self.lanes[lane_number].first
            while node is not None:
                if isinstance(node, Message):
                    result.append(node)
                node = node.next
        return result

    def find(self, index: Index, key: bytes) -> Message | None:
        """The first available message under `key` in memory."""
        found = index.entries.get(key)
        if found is None:
            return None
        if isinstance(found, Message):
            return found if found.state == AVAILABLE else None
        link = found.first
        while link is not None:
            if link.message.state == AVAILABLE:
                return link.message
            link = link.next
        return None

    # -- cursors ------------------------------------------------------------------------------------------------

    def set_cursor(self, handle: Handle, message: Message) -> None:
        """The browse cursor of `handle` stands on `message` now."""
        self.clear_cursor(handle)
        handle.cursor = message
        handle.cursor_lane = message.lane
        handle.cursor_sequence = message.sequence
        handle.under_cursor = message
        message.cursors += 1

    def clear_cursor(self, handle: Handle) -> None:
        """The browse cursor of `handle` stands before the first message."""
        if handle.cursor is not None:
            handle.cursor.cursors -= 1
            handle.cursor = None
        handle.cursor_lane = 10
        handle.cursor_sequence = -1
        handle.under_cursor = None

    def move_cursors(self, message: Message) -> None:
        """`message` goes: cursors on it now stand on the message before it, or remember its place by sequence."""
        for handle in self.opens.handles:
            if handle.cursor is message:
                before = message.prev
                message.cursors -= 1
                handle.under_cursor = None
                handle.cursor = None
                if isinstance(before, Message):
                    handle.cursor = before
                    before.cursors += 1

    # -- waiting getters ----------------------------------------------------------------------------------------

    def add_waiter(self, waiter: Waiter) -> None:
        """File a waiting get by what it waits for."""
        self.waiting += 1
        self.waits.add(waiter)

    def remove_waiter(self, waiter: Waiter) -> None:
        """Take a waiting get out again."""
        self.waiting -= 1
        self.waits.remove(waiter)

    def all_waiters(self) -> list[Waiter]:
        """Every waiting get, in the order in which they came."""
        result = self.waits.everyone()
        if self.selections is not None:
            result.extend(self.selections.waiters())
        result.sort(key=_by_order)
        return result


def _by_order(waiter: Waiter) -> int:
    return waiter.order


def number(value: object) -> int:
    """An attribute value that is known to be a number."""
    assert isinstance(value, int)
    return value


def check_queue(queue: Queue) -> None:
    """Q1-Q7 and N1-N4 as code."""
    in_memory = 0
    available = queue.spilled_count
    pages = 0
    previous: Message | None = None
    for lane in queue.lanes:
        check_lane(lane)
        assert bool(queue.mask & (1 << lane.number)) == (lane.first is not None), f"Q3: lane {lane.number}"
    linked = queue.messages_in_memory()
    check_expiring(queue.expiring, linked)
    for message in linked:
        assert message.queue is queue
        in_memory += 1
        pages += message.pages
        if message.state == AVAILABLE:
            available += 1
        if previous is not None:
            assert comes_before(previous, message)
        previous = message
        for index, key in (
            (queue.by_msg_id, message.msg_id),
            (queue.by_correl_id, message.correl_id),
            (queue.by_group_id, message.group_id),
        ):
            if index is not None and key != NO_ID:
                assert message in index.messages(key), f"Q4: {message.sequence} is not indexed"
    assert queue.depth == in_memory + queue.spilled_count, (
        f"Q1: depth {queue.depth}, in memory {in_memory}, spilled {queue.spilled_count}"
    )
    assert queue.available == available, f"Q2: available {queue.available}, counted {available}"
    assert queue.pages_in_memory == pages, f"Q5: buffers {queue.pages_in_memory}, counted {pages}"
    if queue.selections is not None:
        assert queue.tracked
        queue.selections.check()
