"""The live side of definitions: queues, page sets and buffer pools come and go with their objects.

`catalogue.py` says what is defined; here a definition becomes something that holds messages.

A deleted queue is gone at once for everybody. The messages of a deep one are removed in slices where the host takes
turns (`QueueManager.takes_turns`), with calls in between:

    D1  A queue in `QueueManager.clearing` is deleted, nobody waits on it, and no table of queues but that of its page
        set has it. Its messages count in the accounts of page set and buffer pool until they are removed.
    D2  A checkpoint, and a change of page sets or buffer pools, removes what is left first: so the page set never has
        chunks of a queue that neither the catalogue nor the log knows.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.message import AVAILABLE, Message, Node, Spilled
from flintmq.qmgr.paging import Pager, pager_of, queue_state_key
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.records import DELETE, OBJECT, ONLY
from flintmq.store.buffers import BufferPool
from flintmq.store.errors import PageSetFull
from flintmq.store.pages import LAYOUT_ONE_EACH, PageAccount
from flintmq.store.pageset import PageSet, PageSetBatch

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

#: Messages of a deleted queue that are removed in one turn.
CLEARED_AT_ONCE: Final = 1000
_ALL: Final[int] = 1 << 62


def attach_storage(qm: QueueManager, open_page_set: Callable[[int], PageSet]) -> None:
    """Open the page sets and make the buffer pools that are defined. Page set 0 is always there."""
    qm.open_page_set = open_page_set
    for definition in qm.catalogue.match("BUFFPOOL"):
        storage_changed(qm, definition)
    if 0 not in qm.pools:
        qm.pools[0] = BufferPool(0, 25_000)
    for definition in qm.catalogue.match("PSID"):
        storage_changed(qm, definition)
    if 0 not in qm.pagers:
        _add_page_set(qm, 0, 1 << 20, "USER")


def storage_changed(qm: QueueManager, definition: MQObject) -> None:
    """A BUFFPOOL or PSID was defined or altered."""
    number = int(definition.name)
    if definition.kind == "BUFFPOOL":
        pool = qm.pools.get(number)
        if pool is None:
            qm.pools[number] = BufferPool(number, definition.number("BUFFERS"))
        else:
            pool.resize(definition.number("BUFFERS"))
        return
    account = qm.accounts.get(number)
    if account is None:
        _add_page_set(qm, number, definition.number("PAGES"), definition.text("EXPAND"))
    else:
        account.expand = definition.text("EXPAND")
        account.raise_total(definition.number("PAGES"))


def _add_page_set(qm: QueueManager, psid: int, pages: int, expand: str) -> None:
    page_set = qm.open_page_set(psid)
    account = qm.accounts[psid] = PageAccount(psid, pages, expand, 0, LAYOUT_ONE_EACH)
    qm.pagers[psid] = Pager(psid, page_set, qm.log, account)


def pool_of_page_set(qm: QueueManager, psid: int) -> BufferPool:
    """The buffer pool of a page set: PSID to BUFFPOOL; pool 0 if that is not defined."""
    definition = qm.catalogue.find("PSID", str(psid))
    number = definition.number("BUFFPOOL") if definition is not None else 0
    pool = qm.pools.get(number)
    return pool if pool is not None else qm.pools[0]


def page_set_for(qm: QueueManager, definition: MQObject) -> int:
    """The page set that a QLOCAL definition leads to; page set 0 if the one it names does not exist."""
    psid = qm.catalogue.page_set_of(definition)
    return psid if psid in qm.pagers else 0


def attach_queue(qm: QueueManager, definition: MQObject) -> Queue:
    """Make the queue of a QLOCAL definition."""
    psid = page_set_for(qm, definition)
    pager = qm.pagers[psid]
    queue = Queue(definition, pager, qm.accounts[psid], pool_of_page_set(qm, psid), qm.max_msg_length)
    queue.temporary = definition.text("DEFTYPE") == "TEMPDYN"
    queue.q_mgr_name = qm.name
    queue.marks.reset_ms = qm.clock.now_ms()
    qm.queues[queue.name] = queue
    qm.queues_by_id[queue.queue_id] = queue
    pager.queues[queue.queue_id] = queue
    return queue


def clear_the_way(qm: QueueManager, queue: Queue, psid: int) -> None:
    """Before an empty queue moves to another page set: neither has anything of it, and that is durable.

    Only then may the definition that moves it be logged. So whatever restart finds of the queue on the new page set
    was put there after the move, and there is nothing on the old one that it could find twice.
    """
    pager_of(queue).commit_batch(PageSetBatch(), True)
    batch = PageSetBatch()
    batch.drop_queue(queue.queue_id)
    batch.delete_meta(queue_state_key(queue.queue_id))
    qm.pagers[psid].commit_batch(batch, True)


def move_queue(qm: QueueManager, queue: Queue, psid: int) -> None:
    """Put an empty queue on another page set."""
    assert queue.depth == 0 and queue.uncommitted == 0, f"{queue.name} is not empty"
    if pager_of(queue).dirty:
        # Replay: the last of its messages has just gone. Its dead slots and its state must reach the page set together.
        try:
            pager_of(queue).commit_batch(PageSetBatch(), False)
        except PageSetFull:
            pager_of(queue).owe({queue_state_key(queue.queue_id): pager_of(queue).queue_state(queue)})
    pager_of(queue).forget_queue(queue.queue_id)
    pager = qm.pagers[psid]
    queue.pager = pager
    queue.account = qm.accounts[psid]
    queue.pool = pool_of_page_set(qm, psid)
    pager.queues[queue.queue_id] = queue


def change_pool(qm: QueueManager, psid: int) -> None:
    """PSID to BUFFPOOL was altered: the buffers of the queues on that page set are counted in the other pool now."""
    pool = pool_of_page_set(qm, psid)
    for queue in qm.pagers[psid].queues.values():
        before = queue.pool
        if before is pool:
            continue
        changed = 0
        for message in queue.messages_in_memory():
            if message.home is None:
                changed += message.pages
        unchanged = queue.pages_in_memory - changed
        before.release(changed)
        before.release(unchanged, False)
        pool.take(changed)
        pool.used += unchanged
        queue.pool = pool


def remove_page_set(qm: QueueManager, psid: int) -> None:
    """DELETE PSID: nothing is on it; what is left to write is written, then it is closed."""
    pager = qm.pagers[psid]
    assert not pager.queues
    with suppress(PageSetFull):  # Admin.delete has just written what is left.
        pager.commit_batch(PageSetBatch(), True)
    del qm.pagers[psid]
    del qm.accounts[psid]
    pager.page_set.close()


def detach_queue(qm: QueueManager, queue: Queue) -> None:
    """Take a queue out, with all that is on it. Handles that have it open find it deleted."""
    queue.was_deleted()
    qm.deleted_queues.add(queue)
    if qm.queues.get(queue.name) is queue:
        del qm.queues[queue.name]
    qm.queues_by_id.pop(queue.queue_id, None)
    if qm.takes_turns and queue.depth > CLEARED_AT_ONCE:
        qm.clearing.append(queue)
        return
    clear_up_to(queue, queue.next_sequence)
    pager_of(queue).retire_queue(queue.queue_id)


def clear_some(qm: QueueManager) -> None:
    """Remove some messages of a deleted queue; with the last ones the page set forgets the queue."""
    queue = qm.clearing[0]
    if clear_up_to(queue, queue.next_sequence, CLEARED_AT_ONCE) < CLEARED_AT_ONCE:
        qm.clearing.pop(0)
        pager_of(queue).retire_queue(queue.queue_id)


def clear_all(qm: QueueManager) -> None:
    """Remove what is left of deleted queues (D2)."""
    while qm.clearing:
        clear_some(qm)


def clear_up_to(queue: Queue, sequence: int, limit: int = _ALL) -> int:
    """Remove available messages up to `sequence`, those on the page set too, at most `limit`; returns how many."""
    removed = 0
    for lane in queue.lanes:
        node: Node | None = lane.first
        while node is not None and node.sequence <= sequence and removed < limit:
            if isinstance(node, Spilled):
                node = queue.pager.load(queue, lane, node)
                continue
            following = node.next
            if isinstance(node, Message) and node.state == AVAILABLE:
                queue.remove(node)
                removed += 1
            node = following
    return removed


def log_definition(qm: QueueManager, definition: MQObject) -> int:
    """A definition is new or was changed: log it, and write it with the next checkpoint. The position to force."""
    qm.changed_objects[definition.object_id] = definition
    qm.counters.objects_changed += 1
    return qm.append(OBJECT | ONLY, definition.to_record())


def log_deletion(qm: QueueManager, definition: MQObject) -> int:
    """A definition is gone. Returns the position to force."""
    qm.changed_objects[definition.object_id] = None
    qm.counters.objects_deleted += 1
    name = f"{definition.kind}\0{definition.name}".encode()
    return qm.append(DELETE | ONLY, definition.object_id.to_bytes(4, "little") + name)
