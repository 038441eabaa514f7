"""Expiring messages that are on the page set only, by the tables of their chunks; their data is not read (B103).

The page set names the chunks that may have something due, by their earliest expiry (store/expiry.py). Of such a chunk
the tables are read, and then each due slot is one of these:

    slot                                   what happens
    dead, on disk or in Home.dead          nothing
    its message is in memory               nothing: the queue's own index has it (expiring.py)
    plain                                  dead from now on: log, queue, accounts, all from the tables
    asks for a report, or the chunk is of  the message is brought back into memory and deleted there
    a version that does not say

Then the chunk gets a new entry by what expires next in it, which is written with the deaths, in one batch. A scan that
finds nothing due has met an entry of messages that are gone, and leaves one that is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.log.errors import LogError
from flintmq.qmgr.lane import Lane
from flintmq.qmgr.message import AVAILABLE, Home, Message
from flintmq.qmgr.paging import pager_of
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.records import GET, ONLY, PLACE
from flintmq.qmgr.unit_of_work import log_get
from flintmq.store.chunk import Chunk

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager


class ChunkScan:
    """What became of one chunk."""

    def __init__(self) -> None:
        #: Messages that are gone.
        self.count = 0
        #: Those of them that asked for a report.
        self.reports: list[Message] = []
        #: The log took no more; the rest of the chunk is as it was.
        self.log_full = False


def expire_chunk(
    qm: QueueManager, queue: Queue, volatile: bool, lane_number: int, first: int, now_ms: int
) -> ChunkScan:
    """Expire what is due in the chunk of `queue` that begins with `first`; how many, is for the caller to tell."""
    result = ChunkScan()
    pager = pager_of(queue)
    chunk = pager.page_set.chunk(volatile, queue.queue_id, lane_number, first)
    if chunk is None:
        return result
    home = pager.home_of(chunk, volatile)
    plain: list[int] = []
    reporting: list[int] = []
    earliest = _find(chunk, queue.lanes[lane_number], home, now_ms, plain, reporting)
    _kill(qm, queue, chunk, home, plain, result)
    for slot in reporting:
        if not result.log_full:
            _load_and_delete(qm, queue, lane_number, chunk.sequence(slot), result)
    if result.log_full:
        pager.died_unseen(home)
    else:
        pager.expires_next(home, earliest)
    if queue.spilled_count == 0:
        _forget_ranges(queue)
    return result


def _find(chunk: Chunk, lane: Lane, home: Home, now_ms: int, plain: list[int], reporting: list[int]) -> int:
    """Sort out the slots that are due; returns the earliest expiry of the others that are alive, 0 none."""
    earliest = 0
    gone = set(home.dead)
    covered = _is_covered(lane, chunk)
    slot = -1
    for expires in chunk.expiries():
        slot += 1
        if expires == 0 or chunk.is_dead(slot) or (gone and chunk.sequence(slot) in gone):
            continue
        if expires <= now_ms and (covered or lane.range_with(chunk.sequence(slot)) is not None):
            (reporting if chunk.wants_report(slot) else plain).append(slot)
        elif earliest == 0 or expires < earliest:
            earliest = expires
    return earliest


def _is_covered(lane: Lane, chunk: Chunk) -> bool:
    """Whether all of the chunk is within one range: none of its messages is in memory."""
    spilled = lane.range_with(chunk.first)
    return spilled is not None and spilled.last >= chunk.last


def _kill(qm: QueueManager, queue: Queue, chunk: Chunk, home: Home, slots: list[int], result: ChunkScan) -> None:
    """The plain ones: nothing of them is needed but what the tables say."""
    pager = pager_of(queue)
    account = queue.account
    stable_account = pager.stable_account
    persistent = not home.volatile
    dead = home.dead
    selections = queue.selections
    count = 0
    for slot in slots:
        sequence = chunk.sequence(slot)
        if persistent:
            try:
                qm.append(GET | ONLY, PLACE.pack(queue.queue_id, sequence, home.lane))
            except LogError:
                result.log_full = True
                break
        length = chunk.data_length(slot)
        account.remove(length, persistent)
        if persistent:
            stable_account.remove(length, True)
        dead.append(sequence)
        if selections is not None:
            selections.forget(sequence)
        count += 1
        if pager.backouts:
            pager.forget_backouts(queue.queue_id, sequence)
    pager.count(home.volatile, queue.queue_id, -count)
    queue.spilled_count -= count
    queue.available -= count
    queue.depth -= count
    result.count += count


def _load_and_delete(qm: QueueManager, queue: Queue, lane_number: int, sequence: int, result: ChunkScan) -> None:
    message = queue.pager.find_sequence(queue, lane_number, sequence)
    if message is None:
        return
    assert message.state == AVAILABLE, "what is spilled is available"
    if message.logged:
        try:
            log_get(qm, message, ONLY)
        except LogError:
            result.log_full = True
            return
    queue.remove(message)
    result.count += 1
    result.reports.append(message)


def _forget_ranges(queue: Queue) -> None:
    """No message is on the page set only: the ranges stand for nothing."""
    for lane in queue.lanes:
        for spilled in lane.ranges:
            lane.unlink(spilled)
        lane.ranges = []
        if lane.first is None:
            queue.mask &= ~(1 << lane.number)
