"""Start: from page sets and log to a queue manager that goes on where it left off.

    1  the catalogue, from page set 0
    2  every local queue: its ranges on the page set, its depth; nothing of its messages is read
    3  units in doubt, from page set 0, of the generation that the log's control file names
    4  the log from the last checkpoint on, unit by unit
    5  temporary dynamic queues go; non-persistent messages that a clean end has kept (NPMCLASS(HIGH)) come back

So the time to start depends on what was logged since the last checkpoint, not on how many messages there are.

What replay finds for a message, and what it does. The page set may be as of the checkpoint or newer (it is written
when a pool overflows, too), so each case has to give the queue that the log leads to:

    case  record  the message is                      action
    A     PUT     not in memory, never had a slot     put it
    B     PUT     on the page set, alive              nothing: it was spilled after it was put
    C     PUT     on the page set, its slot dead      nothing: its GET was written too, and follows in the log
    D     PUT     in memory                           nothing: a unit in doubt brought it
    E     GET     in memory                           remove it
    F     GET     on the page set, alive              remove it
    G     GET     nowhere                             nothing: the page set is newer than this record
    H     any     of a queue that is not defined      nothing, provided that its DELETE follows in the log

    R1  Replaying the log from any checkpoint position over page sets as of that checkpoint or later gives the same.
    R2  A record without the end of its unit never happened.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from flintmq.catalogue.attribute import Value
from flintmq.catalogue.attributes import STORED
from flintmq.qmgr import delay, queued, registration
from flintmq.qmgr.catalogue import Catalogue, MQObject, RecordError, from_record
from flintmq.qmgr.checkpoint import (
    BACKOUT_PREFIX,
    GENERATION_KEY,
    HEURISTIC_KEY,
    KEPT_PREFIX,
    NEXT_ID_KEY,
    OBJECT_PREFIX,
    PARAMETERS_KEY,
    UNIT_PREFIX,
    checkpoint,
    units_of,
    unpack_heuristic,
    unpack_kept,
    unpack_unit,
)
from flintmq.qmgr.connection import UNIT_PREPARED, Unit
from flintmq.qmgr.log_port import LogPort
from flintmq.qmgr.message import (
    AVAILABLE,
    GET_PENDING,
    PUT_PENDING,
    REMOVED,
    BadRecord,
    Message,
    header_length,
    unpack_message,
)
from flintmq.qmgr.objects import (
    attach_queue,
    attach_storage,
    change_pool,
    clear_up_to,
    detach_queue,
    move_queue,
    page_set_for,
    storage_changed,
)
from flintmq.qmgr.paging import ACCOUNT_KEY, Pager, pager_of, queue_state_key, read_queue_state, spilled_range
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.queue_manager import QueueManager
from flintmq.qmgr.records import (
    BACKOUT,
    CLEAR,
    COPY,
    COUNT,
    DELETE,
    FIRST,
    FORGET,
    GET,
    GETS,
    KIND,
    LAST,
    OBJECT,
    PLACE_SIZE,
    PREPARE,
    PUT,
    RESOLVE,
    BadLogRecord,
    place,
    split_gets,
)
from flintmq.qmgr.unit_of_work import COMMIT_EVENT, backout_unit, move, settle
from flintmq.store.errors import PageSetFull
from flintmq.store.pages import PAGES_64GB, pages_for
from flintmq.store.pageset import PageSet, PageSetBatch

#: Object ids have 32 bits in the log.
OBJECT_ID_MAX: Final = 0xFFFF_FFFF


class RestartFailed(Exception):
    """The queue manager cannot be started without risking a loss. Says what, where and what to do; nothing changed."""


class ReplayRecord(Protocol):
    """A record as the log returns it."""

    position: int
    kind: int
    payload: bytes


class ReplayLog(LogPort, Protocol):
    """The log while it is being replayed."""

    @property
    def checkpoint_position(self) -> int:
        """Redo starts here."""

    @property
    def generation(self) -> int:
        """What the checkpoint there was given."""

    def replay(self) -> Iterator[ReplayRecord]:
        """The records since the last checkpoint."""


def catalogue_of(objects: list[tuple[str, str, dict[str, Value]]]) -> Catalogue:
    """Return a catalogue of the given objects: kind, name, attributes."""
    catalogue = Catalogue()
    for kind, name, attributes in objects:
        catalogue.add(kind, name, attributes)
    return catalogue


def create(qm: QueueManager, open_page_set: Callable[[int], PageSet]) -> None:
    """Make the storage of a new queue manager. Durable on return."""
    attach_storage(qm, open_page_set)
    for definition in qm.catalogue.everything():
        qm.changed_objects[definition.object_id] = definition
        if definition.kind == "QLOCAL":
            attach_queue(qm, definition)
    qm.load_topics()
    if not checkpoint(qm):
        raise RestartFailed("; ".join(pager.full for pager in qm.pagers.values() if pager.full))


def restart(qm: QueueManager, log: ReplayLog, open_page_set: Callable[[int], PageSet], page_set_0: PageSet) -> None:
    """Start an existing queue manager. Raises RestartFailed, or what log and page sets raise when they are damaged."""
    qm.generation = log.generation
    qm.checkpoint_position = log.checkpoint_position
    _restore_parameters(qm, page_set_0)
    qm.replaying = True
    attach_storage(qm, open_page_set)
    for pager in qm.pagers.values():
        _check_generation(pager, log.generation)
        pager.may_flush = False
    for definition in qm.catalogue.everything():
        if definition.kind == "QLOCAL":
            restore_queue(qm, attach_queue(qm, definition))
    for psid in qm.pagers:
        _restore_account(qm, psid)
    replay = Replay(qm)
    try:
        qm.heuristic = unpack_heuristic(page_set_0.meta(HEURISTIC_KEY) or b"")
        replay.units_in_doubt()
    except (ValueError, BadRecord) as error:
        raise _unreadable(0, "units of work in doubt", error) from None
    for entry in log.replay():
        replay.record(entry.position, entry.kind, entry.payload)
    replay.finish()
    qm.load_topics()
    qm.replaying = False
    for pager in qm.pagers.values():
        pager.may_flush = True
    for queue in list(qm.queues.values()):
        if queue.temporary:
            remove_temporary(qm, queue)
    _restore_kept(qm)
    for psid in qm.pagers:
        _limit_account(qm, psid)
        qm.accounts[psid].disk_full = qm.pagers[psid].full != ""
    qm.tell_full()
    registration.restore(qm)
    queued.process_all(qm)
    delay.restore(qm)


def _unreadable(psid: int, what: str, error: Exception) -> RestartFailed:
    return RestartFailed(f"page set {psid}: {what} cannot be read: {error}. Restore page sets and log together.")


def read_catalogue(name: str, page_set_0: PageSet) -> Catalogue:
    """The objects as of the last checkpoint."""
    catalogue = Catalogue()
    try:
        for _, record in page_set_0.meta_items(OBJECT_PREFIX):
            catalogue.restore(from_record(record))
        next_id = page_set_0.meta(NEXT_ID_KEY)
        if next_id is not None:
            (catalogue.next_object_id,) = struct.unpack("<Q", next_id)
    except (RecordError, struct.error) as error:
        raise _unreadable(0, "the catalogue", error) from None
    if catalogue.next_object_id > OBJECT_ID_MAX:
        raise _unreadable(0, "the catalogue", ValueError(f"the next object id is {catalogue.next_object_id}"))
    if next_id is None or catalogue.find("QMGR", name) is None:
        raise RestartFailed(f"page set 0 has no queue manager {name}: it was never completely created")
    return catalogue


def _restore_parameters(qm: QueueManager, page_set_0: PageSet) -> None:
    """What SET LOG and SET SYSTEM had changed; the host lets the log know."""
    kept = page_set_0.meta(PARAMETERS_KEY)
    if kept is None:
        return
    try:
        found: object = json.loads(kept)
    except ValueError as error:
        raise RestartFailed(f"page set 0: the parameters of SET LOG and SET SYSTEM cannot be read: {error}") from None
    if isinstance(found, dict):
        for kind, values in qm.parameters.items():
            values.update(found.get(kind, {}))
    load = qm.parameters["SYSTEM"].get("LOGLOAD")
    if isinstance(load, int):
        qm.set_checkpoints(load, qm.checkpoint_bytes_max)


def _restore_kept(qm: QueueManager) -> None:
    """Bring back non-persistent messages that a clean end has kept: off the page set, then into memory.

    If the disk is full they cannot be taken off, and would come back again after a crash. Then they stay where they are
    until the queue manager is started with room on the disk.
    """
    for pager in qm.pagers.values():
        batch = PageSetBatch()
        kept: list[tuple[Queue, list[Message]]] = []
        for key, value in pager.page_set.meta_items(KEPT_PREFIX):
            batch.delete_meta(key)
            queue = pager.queues.get(struct.unpack_from(">I", key, len(KEPT_PREFIX))[0])
            if queue is not None:
                kept.append((queue, _kept_messages(pager.psid, queue, value)))
        if batch.is_empty():
            continue
        try:
            pager.page_set.apply(batch, True)
        except PageSetFull as error:
            text = f"Non-persistent messages that page set {pager.psid} has kept come back at the next start: {error}."
            qm.notice("CSQP014W", text)
            continue
        for queue, messages in kept:
            queue.account.disk_full = False  # Until everything is back.
            for message in messages:
                message.pages = pages_for(len(message.data))
                queue.account.put(len(message.data), False)
                queue.restore(message)
                queue.marks.high_depth = max(queue.marks.high_depth, queue.depth)
            if queue.pool.used > queue.pool.threshold:
                qm.relieve_pool(queue.pool)


def _kept_messages(psid: int, queue: Queue, value: bytes) -> list[Message]:
    try:
        return [unpack_message(queue, sequence, record) for sequence, record in unpack_kept(value)]
    except (ValueError, BadRecord) as error:
        raise _unreadable(psid, f"non-persistent messages of {queue.name}", error) from None


def restore_queue(qm: QueueManager, queue: Queue) -> None:
    """What the page set knows of a queue: its ranges and its depth."""
    pager = pager_of(queue)
    state = pager.page_set.meta(queue_state_key(queue.queue_id))
    next_sequence = live = 0
    if state is not None:
        try:
            next_sequence, live = read_queue_state(state)
        except (ValueError, struct.error) as error:
            raise _unreadable(pager.psid, f"the state of {queue.name}", error) from None
    queue.next_sequence = max(queue.next_sequence, next_sequence)
    counted = 0
    for volatile, lane_number, first, last, count in pager.page_set.lanes(queue.queue_id):
        if volatile or count == 0:
            continue
        spilled_range(queue.lanes[lane_number], first, last)
        queue.mask |= 1 << lane_number
        counted += count
    if counted != live:
        raise RestartFailed(
            f"page set {pager.psid} has {counted} messages of {queue.name} but should have {live}: "
            "it is damaged or not the one that belongs to this queue manager. Restore page sets and log together."
        )
    queue.depth = queue.available = queue.spilled_count = queue.marks.high_depth = live
    pager.stable_live[queue.queue_id] = live


def _check_generation(pager: Pager, generation: int) -> None:
    """A page set has what the last checkpoint wrote, or the one after it that did not come to its end."""
    packed = pager.page_set.meta(GENERATION_KEY)
    try:
        found = struct.unpack("<Q", packed)[0] if packed is not None else 0
    except struct.error as error:
        raise _unreadable(pager.psid, "the generation", error) from None
    if not generation <= found <= generation + 1:
        raise RestartFailed(
            f"page set {pager.psid} is {'of another time than the log' if packed else 'missing or empty'}: it has "
            f"checkpoint {found}, the log has {generation}. Restore page sets and log together."
        )


def _restore_account(qm: QueueManager, psid: int) -> None:
    """Pages in use, and hardened backout counts, as the page set has them."""
    pager = qm.pagers[psid]
    packed = pager.page_set.meta(ACCOUNT_KEY)
    try:
        if packed is not None:
            pager.stable_account.restore(packed)
            qm.accounts[psid].restore(packed)
        elif pager.page_set.meta(GENERATION_KEY) is not None:
            raise ValueError("it is not there")
        for key, value in pager.page_set.meta_items(BACKOUT_PREFIX):
            queue_id, sequence = struct.unpack(">IQ", key[len(BACKOUT_PREFIX) :])
            (pager.backouts[(queue_id, sequence)],) = struct.unpack("<I", value)
            pager.hardened.add((queue_id, sequence))
    except (ValueError, struct.error) as error:
        raise _unreadable(psid, "the account of its pages", error) from None
    pager.pages = qm.accounts[psid].total
    qm.accounts[psid].raise_total(PAGES_64GB)


def _limit_account(qm: QueueManager, psid: int) -> None:
    """The page set is as large as it was. Replay passes through states that need more: what was got is put first."""
    account = qm.accounts[psid]
    definition = qm.catalogue.find("PSID", str(psid))
    defined = definition.number("PAGES") if definition is not None else 0
    account.total = max(defined, qm.pagers[psid].pages, account.used)
    account.alter(account.expand, account.secondary)


def remove_temporary(qm: QueueManager, queue: Queue) -> None:
    """A temporary dynamic queue does not survive a restart."""
    qm.changed_objects[queue.queue_id] = None
    qm.catalogue.remove(queue.definition)
    detach_queue(qm, queue)


def expand(run: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """Return a run with a PUT for each COPY, with the data of the PUT before it, and a GET for each get of a GETS."""
    expanded: list[tuple[int, bytes]] = []
    original: bytes | None = None
    data: bytes | None = None
    for kind, payload in run:
        if kind == PUT:
            original = payload
            data = None
        elif kind == COPY:
            if original is None:
                raise BadLogRecord("a COPY without a PUT before it in its unit of work")
            if data is None:
                data = original[PLACE_SIZE + header_length(original, PLACE_SIZE) :]
            expanded.append((PUT, payload + data))
            continue
        elif kind == GETS:
            for body in split_gets(payload):
                expanded.append((GET, body))
            continue
        expanded.append((kind, payload))
    return expanded


class Replay:
    """Applies log records to a queue manager that has been restored from its page sets."""

    def __init__(self, qm: QueueManager) -> None:
        self.qm = qm
        self.run: list[tuple[int, bytes]] = []
        self.records = 0
        #: Messages in memory by queue and sequence.
        self.known: dict[tuple[int, int], Message] = {}
        #: Sequences below this were possibly written to the page set.
        self.written_below: dict[int, int] = {}
        self.unknown_queues: dict[int, int] = {}
        for queue_id, queue in qm.queues_by_id.items():
            self.written_below[queue_id] = queue.next_sequence

    def units_in_doubt(self) -> None:
        """Case D: units that were prepared before the checkpoint."""
        page_set = self.qm.pagers[0].page_set
        self.qm.units_kept = {key[len(UNIT_PREFIX) :] for key, _ in page_set.meta_items(UNIT_PREFIX)}
        for kept_at, value in units_of(page_set, self.qm.generation):
            self.qm.units_listed.append(kept_at)
            xid, items = unpack_unit(value)
            unit = Unit()
            unit.xid = xid
            unit.place = kept_at
            unit.state = UNIT_PREPARED
            unit.started_ms = self.qm.clock.now_ms()
            for is_put, queue_id, sequence, record in items:
                queue = self.qm.queues_by_id.get(queue_id)
                if queue is None:
                    continue
                if is_put:
                    self._pending_put(queue, sequence, record, unit)
                else:
                    self._pending_get(queue, sequence, unit)
            self.qm.in_doubt[xid] = unit

    def record(self, position: int, kind: int, payload: bytes) -> None:
        """One record of the log; a run of them is applied when its last has come (R2)."""
        self.records += 1
        if kind & FIRST:
            self.run = []
        self.run.append((kind & KIND, payload))
        if not kind & LAST:
            return
        run = self.run
        self.run = []
        try:
            self._apply(expand(run))
        except (BadLogRecord, BadRecord, RecordError, struct.error, ValueError, IndexError) as error:
            raise RestartFailed(
                f"the log record at position {position} cannot be applied: {error}. It was written by another release, "
                "or the log does not belong to these page sets. Restore page sets and log together."
            ) from None
        for pool in self.qm.pools.values():
            if pool.used > pool.threshold and self.qm.relieve_pool(pool):
                self._forget_written()

    def _forget_written(self) -> None:
        """Messages have gone to the page set: look there from now on."""
        self.known = {}
        for queue_id, queue in self.qm.queues_by_id.items():
            self.written_below[queue_id] = queue.next_sequence
            for message in queue.messages_in_memory():
                self.known[(queue_id, message.sequence)] = message

    def _apply(self, run: list[tuple[int, bytes]]) -> None:
        last_kind, last_payload = run[-1]
        if last_kind == PREPARE:
            self._prepare(run[:-1], last_payload)
            return
        for kind, payload in run:
            if kind == PUT:
                self._put(payload)
            elif kind == GET:
                self._get(payload)
            elif kind == RESOLVE:
                self._resolve(payload)
            elif kind == OBJECT:
                self._object(payload)
            elif kind == DELETE:
                self._delete(payload)
            elif kind == CLEAR:
                self._clear(payload)
            elif kind == BACKOUT:
                self._backout_count(payload)
            elif kind == FORGET:
                self.qm.heuristic.pop(payload, None)
            else:
                raise BadLogRecord(f"kind {kind} is not known")

    def _queue(self, queue_id: int) -> Queue | None:
        queue = self.qm.queues_by_id.get(queue_id)
        if queue is None:
            self.unknown_queues[queue_id] = self.unknown_queues.get(queue_id, 0) + 1
        return queue

    def _put(self, payload: bytes) -> None:
        queue_id, sequence, lane = place(payload)
        queue = self._queue(queue_id)
        if queue is None or self._has(queue, lane, sequence):
            return
        self._restore_message(queue, sequence, payload, PLACE_SIZE, AVAILABLE)

    def _has(self, queue: Queue, lane: int, sequence: int) -> bool:
        """Cases B, C and D."""
        if (queue.queue_id, sequence) in self.known:
            return True
        return sequence < self.written_below.get(queue.queue_id, 0) and pager_of(queue).is_stored(queue, lane, sequence)

    def _restore_message(self, queue: Queue, sequence: int, record: bytes, start: int, state: int) -> Message:
        message = unpack_message(queue, sequence, record, start)
        message.pages = pages_for(len(message.data))
        message.logged = True
        message.state = state
        queue.account.put(len(message.data), message.persistence == 1)
        queue.restore(message)
        if sequence >= queue.next_sequence:
            queue.next_sequence = sequence + 1
        if queue.depth > queue.marks.high_depth:
            queue.marks.high_depth = queue.depth
        self.known[(queue.queue_id, sequence)] = message
        self.qm.id_seen(message.msg_id)
        return message

    def _find(self, queue: Queue, lane: int, sequence: int) -> Message | None:
        """Cases E, F and G."""
        message = self.known.get((queue.queue_id, sequence))
        if message is not None:
            return message if message.state != REMOVED else None
        message = queue.pager.find_sequence(queue, lane, sequence)
        if message is not None:
            self.known[(queue.queue_id, sequence)] = message
        return message

    def _get(self, payload: bytes) -> None:
        queue_id, sequence, lane = place(payload)
        queue = self._queue(queue_id)
        if queue is None:
            return
        message = self._find(queue, lane, sequence)
        if message is not None and message.state == AVAILABLE:
            queue.remove(message)

    def _prepare(self, run: list[tuple[int, bytes]], xid: bytes) -> None:
        if xid in self.qm.in_doubt:
            return
        unit = Unit()
        unit.xid = xid
        unit.state = UNIT_PREPARED
        unit.started_ms = self.qm.clock.now_ms()
        for kind, payload in run:
            queue_id, sequence, _ = place(payload)
            queue = self._queue(queue_id)
            if queue is None:
                continue
            if kind == PUT:
                self._pending_put(queue, sequence, payload[PLACE_SIZE:], unit)
            elif kind == GET:
                self._pending_get(queue, sequence, unit)
            else:
                raise BadLogRecord(f"kind {kind} in a prepared unit of work")
        self.qm.in_doubt[xid] = unit

    def _pending_put(self, queue: Queue, sequence: int, record: bytes, unit: Unit) -> None:
        lane = unpack_message(queue, sequence, record).lane
        if self._has(queue, lane, sequence):
            return
        unit.work.append(self._restore_message(queue, sequence, record, 0, PUT_PENDING))

    def _pending_get(self, queue: Queue, sequence: int, unit: Unit) -> None:
        for lane in range(10):
            message = self._find(queue, lane, sequence)
            if message is not None:
                if message.state == AVAILABLE:
                    queue.hold(message, GET_PENDING)
                    unit.work.append(message)
                return

    def _resolve(self, payload: bytes) -> None:
        decision = payload[0]
        if decision & 2:
            self.qm.heuristic[payload[1:]] = decision & 1 != 0
        unit = self.qm.in_doubt.pop(payload[1:], None)
        if unit is None:
            return
        if decision & 1:
            move(unit, COMMIT_EVENT)
            settle(self.qm, unit, 0)
        else:
            backout_unit(self.qm, None, unit)

    def _object(self, payload: bytes) -> None:
        definition = from_record(payload)
        self.unknown_queues.pop(definition.object_id, None)
        self.qm.changed_objects[definition.object_id] = definition
        existing = self.qm.catalogue.taken(definition.kind, definition.name)
        if existing is not None and existing.object_id == definition.object_id:
            existing.attributes = definition.attributes
            existing.stopped = definition.stopped
            definition = existing
        else:
            self.qm.catalogue.restore(definition)
        self._definition_changed(definition)

    def _definition_changed(self, definition: MQObject) -> None:
        qm = self.qm
        qm.changed_objects[definition.object_id] = definition
        if definition.kind == "QMGR":
            qm.refresh()
        elif definition.kind == "QLOCAL":
            queue = qm.queues_by_id.get(definition.object_id)
            if queue is None:
                self._found(attach_queue(qm, definition))
            else:
                queue.definition = definition
                qm.queues[queue.name] = queue  # An earlier queue of this name may have come and gone in the log.
                queue.refresh()
                self._place(queue)
        elif definition.kind == "BUFFPOOL":
            storage_changed(qm, definition)
        elif definition.kind == "PSID":
            self._page_set(definition)
        if definition.kind in ("PSID", "STGCLASS"):
            for queue in list(qm.queues_by_id.values()):
                self._place(queue)

    def _found(self, queue: Queue) -> None:
        """A queue that is defined, or moved, within the log: its page set may be newer and have messages of it."""
        restore_queue(self.qm, queue)
        self.written_below[queue.queue_id] = queue.next_sequence

    def _page_set(self, definition: MQObject) -> None:
        """A page set that is defined or altered within the log; it may exist already, and be newer."""
        psid = int(definition.name)
        known = psid in self.qm.pagers
        storage_changed(self.qm, definition)
        if not known:
            self.qm.pagers[psid].may_flush = False
            _restore_account(self.qm, psid)
        change_pool(self.qm, psid)

    def _place(self, queue: Queue) -> None:
        """Its definition may lead to another page set now. A queue moves when it is empty (objects.clear_the_way).

        If it is not, the page set is newer, and the log has another move that brings the queue back to it.
        """
        psid = page_set_for(self.qm, queue.definition)
        if psid != queue.pager.psid and queue.depth == 0 and queue.uncommitted == 0:
            move_queue(self.qm, queue, psid)
            self._found(queue)

    def _delete(self, payload: bytes) -> None:
        object_id = int.from_bytes(payload[:4], "little")
        kind, _, name = payload[4:].decode("utf-8").partition("\0")
        if kind not in STORED:
            raise BadLogRecord(f"there are no objects of kind {kind!r}")
        self.unknown_queues.pop(object_id, None)
        self.qm.changed_objects[object_id] = None
        queue = self.qm.queues_by_id.get(object_id)
        if queue is not None:
            detach_queue(self.qm, queue)
        definition = self.qm.catalogue.find(kind, name)
        if definition is not None and definition.object_id == object_id:
            self.qm.catalogue.remove(definition)
        if object_id >= self.qm.catalogue.next_object_id:
            self.qm.catalogue.next_object_id = object_id + 1

    def _clear(self, payload: bytes) -> None:
        queue_id, sequence, _ = place(payload)
        queue = self._queue(queue_id)
        if queue is not None:
            clear_up_to(queue, sequence)
            # Numbers of non-persistent messages that it cleared are in no other record. Given again, they would be
            # those of messages that another replay of this record clears (R1).
            queue.next_sequence = max(queue.next_sequence, sequence + 1)
            for message in queue.messages_in_memory():  # It may have read more from the page set than it removed.
                self.known[(queue_id, message.sequence)] = message

    def _backout_count(self, payload: bytes) -> None:
        queue_id, sequence, lane, count = COUNT.unpack(payload)
        queue = self._queue(queue_id)
        if queue is None:
            return
        message = self._find(queue, lane, sequence)
        if message is not None:
            message.backout_count = count
            queue.pager.backed_out(message, True)

    def finish(self) -> None:
        """The end of the log. Case H: a queue that stayed unknown means that something is missing."""
        self.qm.records_since_checkpoint = self.records
        for queue_id, count in self.unknown_queues.items():
            raise RestartFailed(
                f"the log has {count} records for a queue with id {queue_id} that no page set knows and that was never "
                "deleted: log and page sets do not belong together. Restore both from the same time."
            )
