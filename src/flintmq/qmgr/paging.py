"""Moving messages between memory and the page set.

Messages live in memory. They go to the page set in chunks: runs of neighbours of one lane, when the buffer pool passes
its threshold (`relieve`) or at a checkpoint (`write_dirty`). A message that has a copy on the page set has a `Home`,
the chunk it is in, and may leave memory at no cost; the lane then has a `Spilled` range in its place. A deep queue is
a few messages at the head, one range, and a few at the tail, however deep it is.

    write_dirty        message stays in memory, gets a home                        (checkpoint)
    relieve            message gets a home if it has none, then leaves memory      (pool over its threshold)
    load               the first chunk of a range comes back, in its place         (get or browse reaches the range)
    find_spilled       one message comes back out of the middle of a range         (get by id)
    died               a message with a home was removed: its slot is dead, written with the next batch
    expires_next       a scan has expired messages of a chunk unread (expire_spilled.py); written with the next batch

A page set whose disk is full (PageSetFull) takes no batch. The messages of the batch lose their homes again and stay in
memory, deaths stay in `dirty`, and the account refuses puts (2192). Messages that have a home can still leave memory.
The next checkpoint that succeeds ends it.

Invariants:

    P1  The spans first..last of the chunks of one lane in one environment never overlap.
    P2  A message under an uncommitted put is never on the page set; one under an uncommitted get stays there.
    P3  Nothing reaches the page set before the log record that made it so is durable.
    P4  A range stands for exactly the live slots within its bounds: not dead on disk, not in `Home.dead`.
    P5  The stable environment holds what the log between the last checkpoint and its end leads to, or an earlier or
        later state of the same way; replaying that log over any of them gives the same queue (see restart.py).
    P6  A chunk has one home at most: messages in memory and dead slots of a chunk have the same. (`check_homes`)
    P7  A message has a home only if the page set has taken the batch with its chunk, or the batch is being filled.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import MQRO_EXPIRATION
from flintmq.qmgr.lane import Lane, comes_before
from flintmq.qmgr.message import (
    AVAILABLE,
    NO_ID,
    PUT_PENDING,
    SPILLED,
    Acceptor,
    Home,
    Message,
    Node,
    Spilled,
    pack_message,
    unpack_message,
)
from flintmq.qmgr.queue import QueuePager
from flintmq.store.chunk import Chunk, Slot, split_into_chunks
from flintmq.store.errors import PageSetFull
from flintmq.store.pages import EXPAND_NONE, PAGES_64GB, PageAccount, pages_for
from flintmq.store.pageset import PageSet, PageSetBatch

if TYPE_CHECKING:
    from flintmq.qmgr.log_port import LogPort
    from flintmq.qmgr.queue import Queue

#: How many messages at the head of a lane stay in memory when the rest is evicted: so many, or this part of the pool,
#: or none if the pool cannot be brought down in another way.
KEEP_AT_HEAD: Final = 256
KEEP_PART: Final = 32
_SMALL_MESSAGE: Final = 3635  # One page up to here (B135).
#: Dead slots are remembered for so many chunks before they are written, whatever else happens.
DIRTY_MAX: Final = 500

MATCH_MSG_ID: Final = 1
MATCH_CORREL_ID: Final = 2
MATCH_GROUP_ID: Final = 3
MATCH_ANY: Final = 0

#: What the page set knows of a queue: next sequence, and live messages in the stable environment.
_QUEUE_STATE = struct.Struct("<BQQ")
ACCOUNT_KEY: Final = b"account"
QUEUE_STATE_VERSION: Final = 1


class Pager(QueuePager):
    """The way between one page set and the queues on it."""

    def __init__(self, psid: int, page_set: PageSet, log: LogPort, account: PageAccount) -> None:
        self.psid = psid
        self.page_set = page_set
        self.log = log
        self.account = account
        self.homes: dict[tuple[bool, int, int, int], Home] = {}
        self.dirty: dict[tuple[bool, int, int, int], Home] = {}
        #: Live messages in each environment by queue, and the pages that the stable ones take together.
        self.stable_live: dict[int, int] = {}
        self.volatile_live: dict[int, int] = {}
        self.stable_account = PageAccount(psid, PAGES_64GB, EXPAND_NONE, 0, account.layout)
        #: All queues on this page set.
        self.queues: dict[int, Queue] = {}
        self._written_states: dict[int, bytes] = {}
        #: Queues whose live messages in the stable environment have changed since the last batch.
        self._recounted: set[int] = set()
        #: Queues that were deleted since the last batch.
        self.retired: list[int] = []
        #: False while restart replays the log: it must not be written then, and not all puts are known yet (P1).
        self.may_flush = True
        #: Backout counts of messages on the page set that were backed out after they were written there, and which of
        #: them survive a restart (HARDENBO).
        self.backouts: dict[tuple[int, int], int] = {}
        self.hardened: set[tuple[int, int]] = set()
        self.dirty_max = DIRTY_MAX
        #: At restart: how large the page set was when it was last written.
        self.pages = 0
        #: What the page set said when its disk was full, until a checkpoint succeeds.
        self.full = ""
        #: Messages that the batch being filled gives a home to.
        self._moving: list[Message] = []
        #: Meta data that a full disk has not taken and that the next batch brings.
        self._owed: dict[bytes, bytes | None] = {}
        #: After a full disk, deaths of more chunks than this are tried again.
        self._dirty_again = 0
        self.loads = 0
        self.spilled_messages = 0
        self.loaded_messages = 0

    # -- to the page set ----------------------------------------------------------------------------------------

    def relieve(self, queues: list[Queue], buffers: int, keep_heads: bool) -> int:
        """Evict messages of `queues`, those with most in memory first, until `buffers` are free.

        Returns how many were freed. With `keep_heads` the messages that are got next stay in memory. While the disk is
        full, only messages that the page set has already are evicted.
        """
        batch = PageSetBatch()
        evicted: list[tuple[Queue, Lane, list[Message]]] = []
        wanted = buffers
        ranked = sorted(queues, key=_pages_in_memory, reverse=True)
        for queue in ranked:
            if wanted <= 0:
                break
            for lane in queue.lanes:
                if lane.first is None or wanted <= 0:
                    continue
                for run in self._evictable_runs(queue, lane, wanted, keep_heads):
                    for message in run:
                        wanted -= message.pages
                    evicted.append((queue, lane, run))
        if not evicted:
            return 0
        durable = 0
        for queue, lane, run in evicted:
            durable = max(durable, self._write_run(batch, queue, lane, run))
        if not batch.is_empty():  # Else the page set has all of them already.
            try:
                self._apply(batch, durable, False)
            except PageSetFull:
                pass  # Those that the batch was for have no home now.
        freed = 0
        for queue, lane, run in evicted:
            for part in _parts_with_homes(run):
                for message in part:
                    freed += message.pages
                self._replace_by_range(queue, lane, part)
        return freed

    def _evictable_runs(self, queue: Queue, lane: Lane, wanted: int, keep_head: bool) -> list[list[Message]]:
        """Runs of neighbours that may leave memory, beyond the head of the lane, until `wanted` buffers are found."""
        runs: list[list[Message]] = []
        run: list[Message] = []
        keep = min(KEEP_AT_HEAD, queue.pool.buffers // KEEP_PART) if keep_head else 0
        node = lane.first
        while node is not None and wanted > 0:
            following = node.next
            if isinstance(node, Message) and node.state == AVAILABLE and node.cursors == 0 and node.marked_until == 0:
                keep -= node.pages
                if keep < 0 or node.sequence > self._first_range(lane):
                    keep = 0
                    if node.home is not None or not self.full:
                        run.append(node)
                        wanted -= node.pages
                    elif run:
                        runs.append(run)
                        run = []
            elif run:
                runs.append(run)
                run = []
            node = following
        if run:
            runs.append(run)
        return runs

    def _first_range(self, lane: Lane) -> int:
        return lane.ranges[0].sequence if lane.ranges else 1 << 62

    def _write_run(self, batch: PageSetBatch, queue: Queue, lane: Lane, run: list[Message]) -> int:
        """Add the messages of `run` that have no home to `batch`; P1 holds because a run has no gaps of its kind."""
        durable = 0
        for volatile in (False, True):
            part: list[Message] = []
            for message in run:
                if message.logged == volatile:
                    continue
                if message.home is not None:
                    self._write_chunks(batch, queue, lane, volatile, part)
                    part = []
                else:
                    part.append(message)
                    if message.log_end > durable:
                        durable = message.log_end
            self._write_chunks(batch, queue, lane, volatile, part)
        return durable

    def _write_chunks(
        self, batch: PageSetBatch, queue: Queue, lane: Lane, volatile: bool, messages: list[Message]
    ) -> None:
        """Add `messages`, neighbours of one kind without a home, to `batch` as chunks, and give them their homes."""
        start = 0
        while start < len(messages):
            end = len(messages)
            if not self.may_flush:  # A unit that comes later in the log may have put what belongs into a gap.
                end = _first_gap(messages, start)
            self._write_run_of_chunks(batch, queue, lane, volatile, messages[start:end])
            start = end

    def _write_run_of_chunks(
        self, batch: PageSetBatch, queue: Queue, lane: Lane, volatile: bool, messages: list[Message]
    ) -> None:
        slots: list[Slot] = []
        for message in messages:
            slot = Slot(message.sequence, message.msg_id, message.correl_id, message.expires_ms, pack_message(message))
            slot.length = len(message.data)
            slot.report = message.report & MQRO_EXPIRATION != 0
            slots.append(slot)
        at = 0
        for group in split_into_chunks(slots):
            keys: list[bytes] | None = None
            members = messages[at : at + len(group)]
            at += len(group)
            if queue.index_kind != 0 and queue.index_kind != 4:
                keys = [queue.index_key(message) for message in members]
            batch.add_chunk(volatile, queue.queue_id, lane.number, group, keys)
            home = self._home(volatile, queue.queue_id, lane.number, group[0].sequence)
            for message in members:
                message.home = home
                home.members += 1
                self._moving.append(message)
                queue.pool.written(message.pages)
                self.count(volatile, queue.queue_id, 1)
                if not volatile:
                    self.stable_account.put(len(message.data), message.persistence == 1)
        self.spilled_messages += len(messages)

    def write_dirty(self, batch: PageSetBatch, queue: Queue) -> int:
        """Add all messages of `queue` that must survive a crash and have no home."""
        durable = 0
        for lane in queue.lanes:
            part: list[Message] = []
            node = lane.first
            while node is not None:
                if isinstance(node, Message):
                    if node.logged:
                        if node.home is None and node.state != PUT_PENDING:
                            part.append(node)
                            if node.log_end > durable:
                                durable = node.log_end
                        else:
                            self._write_chunks(batch, queue, lane, False, part)
                            part = []
                else:
                    self._write_chunks(batch, queue, lane, False, part)
                    part = []
                node = node.next
            self._write_chunks(batch, queue, lane, False, part)
        return durable

    def load_everything(self, queue: Queue) -> None:
        """Bring all messages of `queue` into memory (clean end of a queue with NPMCLASS(HIGH))."""
        for lane in queue.lanes:
            while lane.ranges:
                self.load(queue, lane, lane.ranges[0])

    def _replace_by_range(self, queue: Queue, lane: Lane, run: list[Message]) -> None:
        """Take the messages of `run` out of memory; a range stands for them."""
        spilled = Spilled(run[0].sequence, run[-1].sequence)
        before = run[0].prev
        for message in run:
            queue.leave_memory(message)
            home = message.home
            assert home is not None
            self._leave_home(home)
            if lane.hint is message:
                lane.hint = None
            lane.unlink(message)
        queue.spilled_count += len(run)
        lane.link_after(spilled, before)
        self._enter_range(lane, spilled)
        lane.join_ranges_at(spilled)
        lane.join_ranges_at(before)

    def _enter_range(self, lane: Lane, spilled: Spilled) -> None:
        at = 0
        for existing in lane.ranges:
            if existing.sequence > spilled.sequence:
                break
            at += 1
        lane.ranges.insert(at, spilled)
        lane.offer(spilled)

    def died(self, queue: Queue, message: Message) -> None:
        """`message`, which has a home, was removed from its queue."""
        home = message.home
        assert home is not None
        self.count(home.volatile, queue.queue_id, -1)
        if not home.volatile:
            self.stable_account.remove(len(message.data), message.persistence == 1)
        self._forget(message)

    def backed_out(self, message: Message, hardened: bool) -> None:
        """The backout count of `message` has changed. If the page set has a copy, that has the old one for ever."""
        if message.home is not None:
            key = (message.queue.queue_id, message.sequence)
            self.backouts[key] = message.backout_count
            if hardened:
                self.hardened.add(key)

    def _forget(self, message: Message) -> None:
        home = message.home
        assert home is not None
        message.home = None
        home.dead.append(message.sequence)
        home.members -= 1
        if self.backouts:
            self.forget_backouts(home.queue_id, message.sequence)
        self.dirty[(home.volatile, home.queue_id, home.lane, home.first)] = home

    def add_deaths(self, batch: PageSetBatch) -> None:
        """Write all dead slots with `batch`."""
        for home in self.dirty.values():
            batch.kill(home.volatile, home.queue_id, home.lane, home.first, home.dead)
            if home.earliest >= 0:
                batch.set_expiry(home.volatile, home.queue_id, home.lane, home.first, home.earliest)

    def home_of(self, chunk: Chunk, volatile: bool) -> Home:
        """The home that stands for `chunk`. It stays until it is given to `expires_next` or `died_unseen`."""
        home = self._home(volatile, chunk.queue, chunk.lane, chunk.first)
        home.members += 1
        return home

    def expires_next(self, home: Home, earliest: int) -> None:
        """Due messages of a chunk have been expired: the next of those left expires at `earliest`, 0 none."""
        home.earliest = earliest
        home.members -= 1
        self.dirty[(home.volatile, home.queue_id, home.lane, home.first)] = home
        self._limit_deaths()

    def _limit_deaths(self) -> None:
        """Write the dead slots if they are many, unless a batch is being filled, which brings them.

        On a full disk they wait in memory, and it is not tried every time.
        """
        if len(self.dirty) <= self.dirty_max or len(self.dirty) <= self._dirty_again or self._moving:
            return
        try:
            self._apply(PageSetBatch(), 0, False)
        except PageSetFull:
            self._dirty_again = 2 * len(self.dirty)

    def died_unseen(self, home: Home) -> None:
        """Some of the due messages of a chunk have been expired, and not all that are due."""
        home.members -= 1
        if home.dead:
            self.dirty[(home.volatile, home.queue_id, home.lane, home.first)] = home
        else:
            self.let_go(home)

    def forget_backouts(self, queue_id: int, sequence: int) -> None:
        """A message that may have been backed out is gone."""
        self.backouts.pop((queue_id, sequence), None)
        self.hardened.discard((queue_id, sequence))

    def _deaths_written(self, volatile: bool) -> None:
        """The dead slots of one environment are on the page set."""
        left: dict[tuple[bool, int, int, int], Home] = {}
        for key, home in self.dirty.items():
            if home.volatile != volatile:
                left[key] = home
                continue
            home.dead = []
            home.earliest = -1
            if home.members == 0:
                self.homes.pop(key, None)
        self.dirty = left

    def _apply(self, batch: PageSetBatch, durable: int, sync: bool, every_queue: bool = False) -> None:
        """Write `batch` with all deaths and the states of the queues that it is about; P3: the log first.

        With `every_queue`, the states of all queues that changed: a checkpoint leaves no put behind it whose sequence
        is only in the log. Between checkpoints that would be a look at each of many queues for a batch of a few.

        Raises PageSetFull if the stable part was not written; then nothing has changed. If only the volatile part was
        not, its messages and its deaths stay in memory: nothing that must survive depends on it.
        """
        if self.may_flush and (durable > self.log.durable or self.dirty or self.retired):
            self.log.flush()
        self.add_deaths(batch)
        for key, value in self._owed.items():
            batch.meta.setdefault(key, value)
        for queue_id in self.retired:
            batch.drop_queue(queue_id)
            batch.delete_meta(queue_state_key(queue_id))
        states: dict[int, bytes] = {}
        for queue_id in list(self.queues) if every_queue else list(self._recounted):
            queue = self.queues.get(queue_id)
            if queue is None:
                continue
            state = self.queue_state(queue)
            if self._written_states.get(queue_id) != state:
                batch.put_meta(queue_state_key(queue_id), state)
                states[queue_id] = state
        batch.put_meta(ACCOUNT_KEY, self._packed_account())
        volatile = batch.take_volatile()
        try:
            self.page_set.apply(batch, sync)
        except PageSetFull as error:
            self._take_back(False)
            self._take_back(True)
            self._disk_is_full(error)
            raise
        self._owed = {}
        self.retired = []
        self._written_states.update(states)
        self._recounted = set()
        self._deaths_written(False)
        if volatile is not None:
            try:
                self.page_set.apply(volatile, False)
            except PageSetFull as error:
                self._take_back(True)
                self._disk_is_full(error)
                return
        self._deaths_written(True)
        self._moving = []
        self._dirty_again = 0

    def _take_back(self, volatile: bool) -> None:
        """Take their homes from the messages of a batch that one environment of the page set has not taken (P7)."""
        left: list[Message] = []
        for message in self._moving:
            home = message.home
            assert home is not None
            if home.volatile != volatile:
                left.append(message)
                continue
            queue = message.queue
            message.home = None
            self._leave_home(home)
            queue.pool.not_written(message.pages)
            self.count(volatile, queue.queue_id, -1)
            if not volatile:
                self.stable_account.remove(len(message.data), message.persistence == 1)
            self.spilled_messages -= 1
        self._moving = [] if volatile else left

    def _disk_is_full(self, error: PageSetFull) -> None:
        """Refuse puts from now on; restart does so when it has replayed the log, which must be applied as a whole."""
        self.full = str(error)
        if self.may_flush:
            self.account.disk_full = True

    def owe(self, meta: dict[bytes, bytes | None]) -> None:
        """Write `meta` with the next batch, or delete it where the value is None: the disk is full now."""
        self._owed.update(meta)

    def free_pages(self) -> None:
        """Write the deaths alone, so that messages that were got make room on a full disk.

        The batch that found it full had deaths and messages, and the pages of the dead are free only after it.
        """
        if self.dirty:
            try:
                self._apply(PageSetBatch(), 0, True)
            except PageSetFull:
                return

    def has_room(self) -> None:
        """A checkpoint has written everything: there is room on the disk again."""
        self.full = ""
        self.account.disk_full = False

    def _packed_account(self) -> bytes:
        """What restart needs to know: the pages of what is stable here, and how far the page set has expanded."""
        packed = PageAccount(self.psid, self.account.total, EXPAND_NONE, 0, self.account.layout)
        packed.restore(self.stable_account.pack())
        packed.total = self.account.total
        packed.expansions = self.account.expansions
        return packed.pack()

    def commit_batch(self, batch: PageSetBatch, sync: bool) -> None:
        """Write a batch that others have filled (checkpoint, clear). The log is durable up to everything in it."""
        self._apply(batch, 0, sync, True)

    def queue_state(self, queue: Queue) -> bytes:
        """The record of `queue` in the meta table of the page set."""
        return _QUEUE_STATE.pack(QUEUE_STATE_VERSION, queue.next_sequence, self.stable_live.get(queue.queue_id, 0))

    def count(self, volatile: bool, queue_id: int, messages: int) -> None:
        """So many more live messages of a queue are in an environment."""
        if volatile:
            self.volatile_live[queue_id] = self.volatile_live.get(queue_id, 0) + messages
        else:
            self.stable_live[queue_id] = self.stable_live.get(queue_id, 0) + messages
            self._recounted.add(queue_id)

    def _parts(self, queue_id: int) -> list[bool]:
        """The environments that have anything of a queue: False stable, True volatile."""
        parts: list[bool] = []
        if self.stable_live.get(queue_id, 0):
            parts.append(False)
        if self.volatile_live.get(queue_id, 0):
            parts.append(True)
        return parts

    # -- homes --------------------------------------------------------------------------------------------------

    def _home(self, volatile: bool, queue_id: int, lane: int, first: int) -> Home:
        key = (volatile, queue_id, lane, first)
        home = self.homes.get(key)
        if home is None:
            home = Home(volatile, queue_id, lane, first)
            self.homes[key] = home
        return home

    def _leave_home(self, home: Home) -> None:
        home.members -= 1
        self.let_go(home)

    def let_go(self, home: Home) -> None:
        """Forget a home that nothing lives in and that has nothing to be written (P6)."""
        if home.members == 0 and not home.dead and home.earliest < 0:
            self.homes.pop((home.volatile, home.queue_id, home.lane, home.first), None)

    def retire_queue(self, queue_id: int) -> None:
        """The queue was deleted: what the page set has of it goes with the next batch."""
        self.forget_queue(queue_id)
        self.retired.append(queue_id)

    def forget_queue(self, queue_id: int) -> None:
        """The queue, which has nothing here, lives on another page set from now on."""
        self.queues.pop(queue_id, None)
        self.stable_live.pop(queue_id, None)
        self.volatile_live.pop(queue_id, None)
        self._written_states.pop(queue_id, None)

    # -- from the page set --------------------------------------------------------------------------------------

    def load(self, queue: Queue, lane: Lane, spilled: Spilled) -> Node | None:
        """Bring the first chunk of `spilled` back in its place; returns the first message, or what follows."""
        self._limit_deaths()
        while True:
            high = spilled.last
            messages: list[Message] = []
            bound = self._read(queue, lane, spilled.sequence, high, messages)
            following = self._put_back(queue, lane, spilled, messages, bound)
            if messages:
                return messages[0]
            if bound >= high:
                return following

    def load_after(self, queue: Queue, lane: Lane, spilled: Spilled, sequence: int) -> Node | None:
        """Bring back the first chunk of `spilled` that has messages behind `sequence`; what is before stays on disk.

        Returns the first message, or what follows the range.
        """
        following = spilled.next
        low = max(spilled.sequence, sequence + 1)
        while low <= spilled.last:
            messages: list[Message] = []
            low = self._read(queue, lane, low, spilled.last, messages) + 1
            if messages:
                self.loads += 1
                for message in messages:
                    self._place(queue, lane, message)
                return messages[0]
        return following

    def _read(self, queue: Queue, lane: Lane, low: int, high: int, into: list[Message]) -> int:
        """Make messages of the first chunk from `low` on, of both environments; returns the sequence it reaches to."""
        chunks: list[tuple[bool, Chunk]] = []
        bound = high
        for volatile in self._parts(queue.queue_id):
            chunk = self.page_set.chunk_at(volatile, queue.queue_id, lane.number, low)
            if chunk is not None and chunk.first <= high:
                chunks.append((volatile, chunk))
                bound = min(bound, chunk.last)
        for volatile, chunk in chunks:
            self._take_slots(queue, lane, volatile, chunk, low, bound, into)
        if len(chunks) > 1:
            into.sort(key=_sequence)
        return bound

    def _put_back(self, queue: Queue, lane: Lane, spilled: Spilled, messages: list[Message], bound: int) -> Node | None:
        """Link `messages` before the rest of `spilled`, which starts after `bound`; returns what follows the range."""
        self.loads += 1
        self.loaded_messages += len(messages)
        following = spilled.next
        at = spilled.prev
        was_hint = lane.hint is spilled
        for message in messages:
            lane.link_after(message, at)
            at = message
            queue.enter_memory(message)
        queue.spilled_count -= len(messages)
        if bound >= spilled.last:
            lane.ranges.remove(spilled)
            lane.unlink(spilled)
            if lane.first is None:
                queue.mask &= ~(1 << lane.number)
        else:
            spilled.sequence = bound + 1
        if messages:
            if was_hint:
                lane.hint = messages[0]
            else:
                lane.offer(messages[0])
        return following

    def _take_slots(
        self, queue: Queue, lane: Lane, volatile: bool, chunk: Chunk, low: int, high: int, into: list[Message]
    ) -> None:
        """Make messages of the live slots of `chunk` within the bounds."""
        home = self._home(volatile, queue.queue_id, lane.number, chunk.first)
        gone = home.dead
        for slot in chunk.slots():
            sequence = slot.sequence
            if low <= sequence <= high and (not gone or sequence not in gone):
                into.append(self._message(queue, sequence, slot.record, home))
        self.let_go(home)

    def _message(self, queue: Queue, sequence: int, record: bytes, home: Home) -> Message:
        message = unpack_message(queue, sequence, record)
        if len(message.data) > _SMALL_MESSAGE:
            message.pages = pages_for(len(message.data))
        message.logged = not home.volatile
        if self.backouts:
            message.backout_count = self.backouts.get((queue.queue_id, sequence), message.backout_count)
        message.home = home
        home.members += 1
        return message

    def find_spilled(
        self, queue: Queue, kind: int, key: bytes, accept: Acceptor, behind_lane: int = 10, behind: int = -1
    ) -> Message | None:
        """Bring back the first spilled message under `key`, behind a place, that `accept` takes, or None."""
        best: Message | None = None
        for lane_number in range(min(behind_lane, 9), -1, -1):
            lane, low = queue.lanes[lane_number], behind + 1 if lane_number == behind_lane else 0
            if not lane.ranges:
                continue
            if self._indexed(queue, kind):
                best = self._by_index(queue, lane, kind, key, accept, low)
            else:
                best = self._by_scan(queue, lane, kind, key, accept, low)
            if best is not None:
                self._place(queue, lane, best)
                return best
        return None

    def _indexed(self, queue: Queue, kind: int) -> bool:
        return kind != MATCH_ANY and kind == queue.index_kind

    def _by_index(self, queue: Queue, lane: Lane, kind: int, key: bytes, accept: Acceptor, low: int) -> Message | None:
        best: Message | None = None
        for volatile in self._parts(queue.queue_id):
            for found_lane, first in self.page_set.lookup(volatile, queue.queue_id, key):
                if found_lane != lane.number or (best is not None and first > best.sequence):
                    continue
                chunk = self.page_set.chunk(volatile, queue.queue_id, lane.number, first)
                if chunk is None:
                    continue
                message = self._in_chunk(queue, lane, volatile, chunk, kind, key, accept, low, 1 << 62)
                best = self._better(best, message)
        return best

    def _by_scan(self, queue: Queue, lane: Lane, kind: int, key: bytes, accept: Acceptor, low: int) -> Message | None:
        """Without an index every chunk of the ranges is looked through, by its table of ids where there is one."""
        for spilled in lane.ranges:
            best: Message | None = None
            start = max(low, spilled.sequence)
            for volatile in self._parts(queue.queue_id):
                at = start
                while at <= spilled.last:
                    chunk = self.page_set.chunk_at(volatile, queue.queue_id, lane.number, at)
                    if chunk is None or chunk.first > spilled.last:
                        break
                    if best is not None and chunk.first > best.sequence:
                        break
                    message = self._in_chunk(queue, lane, volatile, chunk, kind, key, accept, start, spilled.last)
                    if message is not None:
                        best = self._better(best, message)
                        break
                    at = chunk.last + 1
            if best is not None:
                return best
        return None

    def _better(self, one: Message | None, other: Message | None) -> Message | None:
        """The one that comes first; the other leaves memory again at once."""
        if one is None:
            return other
        if other is None:
            return one
        first, second = (one, other) if comes_before(one, other) else (other, one)
        assert second.home is not None
        self._leave_home(second.home)
        return first

    def _in_chunk(
        self,
        queue: Queue,
        lane: Lane,
        volatile: bool,
        chunk: Chunk,
        kind: int,
        key: bytes,
        accept: Acceptor,
        low: int,
        high: int,
    ) -> Message | None:
        """The first message of `chunk` within a range and under `key` that `accept` takes; not linked yet."""
        home = self._home(volatile, queue.queue_id, lane.number, chunk.first)
        found: Message | None = None
        index = self._next_slot(chunk, kind, key, 0)
        while 0 <= index < chunk.count:
            sequence = chunk.sequence(index)
            if low <= sequence <= high and sequence not in chunk.dead and sequence not in home.dead:
                if lane.range_with(sequence) is not None:
                    message = self._message(queue, sequence, chunk.record(index), home)
                    if accept.accepts(message):
                        found = message
                        break
                    home.members -= 1
            index = self._next_slot(chunk, kind, key, index + 1)
        self.let_go(home)
        return found

    def find_sequence(
        self, queue: Queue, lane_number: int, sequence: int, accept: Acceptor | None = None
    ) -> Message | None:
        """Bring back the message with that sequence, if it is in a range, alive, and `accept` (if given) takes it."""
        lane = queue.lanes[lane_number]
        if lane.range_with(sequence) is None:
            return None
        for volatile in self._parts(queue.queue_id):
            chunk = self.page_set.chunk_at(volatile, queue.queue_id, lane_number, sequence)
            if chunk is None or chunk.first > sequence:
                continue
            slot = chunk.slot_of(sequence)
            home = self._home(volatile, queue.queue_id, lane_number, chunk.first)
            if slot >= 0 and sequence not in chunk.dead and sequence not in home.dead:
                message = self._message(queue, sequence, chunk.record(slot), home)
                if accept is None or accept.accepts(message):
                    self._place(queue, lane, message)
                    return message
                home.members -= 1
            self.let_go(home)
        return None

    def show_from(self, queue: Queue, lane: Lane, low: int, high: int, accept: Acceptor) -> int:
        """Show `accept`, which takes none, the spilled messages from `low` on: those of about one chunk.

        Returns the last sequence up to which all were shown, at most `high`. The two parts come one after the other.
        """
        parts = self._parts(queue.queue_id)
        end = high
        for volatile in parts:
            chunk = self.page_set.chunk_at(volatile, queue.queue_id, lane.number, low)
            if chunk is not None and chunk.first <= high:
                end = min(end, max(chunk.last, low))
        for volatile in parts:
            at = low
            while at <= end:
                chunk = self.page_set.chunk_at(volatile, queue.queue_id, lane.number, at)
                if chunk is None or chunk.first > end:
                    break
                self._in_chunk(queue, lane, volatile, chunk, MATCH_ANY, NO_ID, accept, low, end)
                at = chunk.last + 1
        return end

    def is_stored(self, queue: Queue, lane_number: int, sequence: int) -> bool:
        """True if the stable environment has, or had, a slot for that message (restart)."""
        chunk = self.page_set.chunk_at(False, queue.queue_id, lane_number, sequence)
        return chunk is not None and chunk.first <= sequence and chunk.slot_of(sequence) >= 0

    def _next_slot(self, chunk: Chunk, kind: int, key: bytes, start: int) -> int:
        if kind == MATCH_CORREL_ID and key != NO_ID:
            return chunk.find_correl_id(key, start)
        if kind == MATCH_MSG_ID and key != NO_ID:
            return chunk.find_msg_id(key, start)
        return start

    def _place(self, queue: Queue, lane: Lane, message: Message) -> None:
        """Link a message that came out of a range."""
        spilled = lane.range_with(message.sequence)
        assert spilled is not None
        lane.link_after(message, lane.split(spilled, message.sequence))
        lane.offer(message)
        queue.spilled_count -= 1
        queue.enter_memory(message)
        self.loaded_messages += 1


def pager_of(queue: Queue) -> Pager:
    """Return the pager of `queue`, with all that the queue itself does not know of it."""
    pager = queue.pager
    assert isinstance(pager, Pager)
    return pager


def check_homes(pager: Pager) -> None:
    """P6 as code."""
    for key, home in pager.dirty.items():
        assert pager.homes.get(key) is home, f"P6: dead slots of {key} are in another home"
    members: dict[tuple[bool, int, int, int], int] = {}
    for queue in pager.queues.values():
        for message in queue.messages_in_memory():
            lived = message.home
            if lived is not None:
                key = (lived.volatile, lived.queue_id, lived.lane, lived.first)
                assert pager.homes.get(key) is lived, f"P6: message {message.sequence} is in another home of {key}"
                members[key] = members.get(key, 0) + 1
    for key, home in pager.homes.items():
        assert home.members == members.get(key, 0), f"P6: {home.members} members of {key}, counted {members.get(key)}"


def _first_gap(messages: list[Message], start: int) -> int:
    """Where the sequences of `messages`, from `start` on, have their first gap."""
    for at in range(start + 1, len(messages)):
        if messages[at].sequence != messages[at - 1].sequence + 1:
            return at
    return len(messages)


def _parts_with_homes(run: list[Message]) -> list[list[Message]]:
    """Return the messages of `run` that the page set has, as runs of neighbours."""
    parts: list[list[Message]] = []
    part: list[Message] = []
    for message in run:
        if message.home is not None:
            part.append(message)
        elif part:
            parts.append(part)
            part = []
    if part:
        parts.append(part)
    return parts


def _pages_in_memory(queue: Queue) -> int:
    return queue.pages_in_memory


def _sequence(message: Message) -> int:
    return message.sequence


def queue_state_key(queue_id: int) -> bytes:
    """Key of a queue's record in the meta table."""
    return b"queue:" + queue_id.to_bytes(4, "big")


def read_queue_state(value: bytes) -> tuple[int, int]:
    """(next sequence, live messages) of a queue's record."""
    version, next_sequence, live = _QUEUE_STATE.unpack(value)
    if version != QUEUE_STATE_VERSION:
        raise ValueError(f"queue state version {version} is not known")
    return next_sequence, live


def spilled_range(lane: Lane, first: int, last: int) -> None:
    """At restart: everything on the page set from `first` to `last` is a range of the empty lane."""
    spilled = Spilled(first, last)
    lane.append(spilled)
    lane.ranges.append(spilled)
    lane.offer(spilled)
    assert spilled.state == SPILLED
