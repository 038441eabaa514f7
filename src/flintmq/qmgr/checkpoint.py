"""Checkpoints: bring the page sets up to the log, so that restart need not read it from further back.

    1  P = end of the log; flush it (P3 of paging.py)
    2  page sets other than 0: all dirty messages that must survive, all deaths, queue states; synced
    3  page set 0: the same, and the catalogue and the units in doubt under the new generation; synced
    4  the log's control file: redo starts at P, with the new generation
    5  page set 0 forgets the generation before (with the next checkpoint's batch)

A crash between any two steps is harmless: until step 4 redo starts at the old position, and replaying over page sets
that are already newer gives the same queues (restart.py, R1). The units in doubt are the only thing that replay cannot
make again from the middle, so the old generation of them stays until redo no longer needs it. In the meta data of page
set 0:

    unit:  u64 generation, u32 number   a unit in doubt, written once, by the first checkpoint that finds it
    doubt: u64 generation               the units in doubt at that checkpoint: u32 how many, then what follows `unit:`

    C1  A unit is kept as long as the list of the generation that the control file names, or of the next, has it.

Before version 3 of the page set there were no lists: the units of a generation were all written with it.

A checkpoint costs what is dirty, not what is stored.

If the disk of a page set is full the checkpoint ends there and is tried again later: redo goes on starting at the old
position, and what could not be written stays in memory. Until one succeeds the queues of that page set take no puts
(paging.py), and the last part of the log is kept for gets, backouts and commits of gets, so that queues can be drained.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Final

from flintmq.log.log import Log
from flintmq.qmgr import event
from flintmq.qmgr.connection import UNIT_PREPARED, Unit
from flintmq.qmgr.message import AVAILABLE, LOCKED, PUT_PENDING, Message, pack_message
from flintmq.qmgr.objects import clear_all
from flintmq.qmgr.paging import Pager, pager_of
from flintmq.qmgr.queue import Queue
from flintmq.store.errors import PageSetFull
from flintmq.store.pageset import PageSet, PageSetBatch

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

OBJECT_PREFIX: Final = b"object:"
UNIT_PREFIX: Final = b"unit:"
DOUBT_PREFIX: Final = b"doubt:"
BACKOUT_PREFIX: Final = b"backout:"
KEPT_PREFIX: Final = b"kept:"
_KEPT = struct.Struct("<QI")  # sequence, length of the record that follows
_KEPT_BYTES: Final = 1 << 20
#: While a page set has no room, puts may not use the last of so many parts of the log.
RESERVE_PART: Final = 8
_NO_LIMIT: Final[int] = 1 << 62
#: What SET LOG and SET SYSTEM have changed, as JSON: {"LOG": {keyword: value}, "SYSTEM": {...}}.
PARAMETERS_KEY: Final = b"parameters"
NEXT_ID_KEY: Final = b"next_object_id"
HEURISTIC_KEY: Final = b"heuristic"
#: In every page set: the generation it was last written with. Restart knows by it that none is missing or too old.
GENERATION_KEY: Final = b"generation"
_UNIT_PLACE = struct.Struct(">QI")  # generation, number
_GENERATION = struct.Struct(">Q")
_DECISION = struct.Struct("<BH")  # 1 committed / 0 backed out, length of the xid that follows
_ITEM = struct.Struct("<BIQI")  # 1 put / 0 get, queue id, sequence, length of the record that follows


def checkpoint(qm: QueueManager, keep_nonpersistent: bool = False) -> bool:
    """Take a checkpoint. Return False if the disk of a page set has no room for it; then it will be tried again.

    `keep_nonpersistent`: the queue manager ends cleanly, NPMCLASS(HIGH) messages are kept.
    """
    clear_all(qm)
    for pager in qm.pagers.values():
        if pager.full:
            pager.free_pages()
    try:
        _take(qm, keep_nonpersistent)
    except PageSetFull:
        log = qm.log
        qm.checkpoint_refused(log.limit - log.capacity // RESERVE_PART if isinstance(log, Log) else _NO_LIMIT)
        return False
    qm.checkpoint_taken()
    return True


def _take(qm: QueueManager, keep_nonpersistent: bool) -> None:
    """Do the five steps. Raises PageSetFull."""
    position = qm.log.end
    qm.log.flush()
    generation = qm.generation + 1
    places: list[bytes] = []
    for psid in sorted(qm.pagers, reverse=True):
        pager = qm.pagers[psid]
        batch = PageSetBatch()
        for queue in pager.queues.values():
            pager.write_dirty(batch, queue)
            if keep_nonpersistent and queue.rules.keep_nonpersistent:
                _write_kept(queue, batch)
        _write_backouts(pager, batch)
        batch.put_meta(GENERATION_KEY, struct.pack("<Q", generation))
        if psid == 0:
            _write_catalogue(qm, pager, batch)
            places = _write_units(qm, pager, batch, generation)
            batch.put_meta(HEURISTIC_KEY, pack_heuristic(qm.heuristic))
        pager.commit_batch(batch, True)
    qm.changed_objects = {}
    for unit, place in zip(qm.in_doubt.values(), places, strict=True):
        unit.place = place
    qm.units_kept = set(places) | set(qm.units_listed)
    qm.units_listed = places
    qm.log.checkpoint(position, generation, b"")
    qm.generation = generation
    qm.checkpoint_position = position
    qm.records_since_checkpoint = 0
    qm.counters.checkpoints += 1
    if not qm.ended:
        event.logger_status(qm)


def _write_kept(queue: Queue, batch: PageSetBatch) -> None:
    """NPMCLASS(HIGH): the non-persistent messages of a queue, kept over a clean end. A unit in doubt loses its own."""
    pager_of(queue).load_everything(queue)
    for lane in queue.lanes:
        parts: list[bytes] = []
        first = 0
        size = 0
        node = lane.first
        while node is not None:
            if isinstance(node, Message) and not node.logged and node.state in (AVAILABLE, LOCKED):
                if not parts:
                    first = node.sequence
                record = pack_message(node)
                parts.append(_KEPT.pack(node.sequence, len(record)) + record)
                size += len(record)
            node = node.next
            if parts and (node is None or size > _KEPT_BYTES):
                batch.put_meta(KEPT_PREFIX + struct.pack(">IBQ", queue.queue_id, lane.number, first), b"".join(parts))
                parts = []
                size = 0


def unpack_kept(data: bytes) -> list[tuple[int, bytes]]:
    """(sequence, record) of the messages of one kept value. Raises ValueError on anything else."""
    kept: list[tuple[int, bytes]] = []
    at = 0
    try:
        while at < len(data):
            sequence, length = _KEPT.unpack_from(data, at)
            at += _KEPT.size
            kept.append((sequence, _cut(data, at, length)))
            at += length
    except struct.error as error:
        raise ValueError(f"kept non-persistent messages cannot be read: {error}") from None
    return kept


def _write_backouts(pager: Pager, batch: PageSetBatch) -> None:
    """Hardened backout counts of messages that were on the page set before they were backed out."""
    known = {key for key, _ in pager.page_set.meta_items(BACKOUT_PREFIX)}
    for place in pager.hardened:
        key = BACKOUT_PREFIX + struct.pack(">IQ", place[0], place[1])
        batch.put_meta(key, struct.pack("<I", pager.backouts[place]))
        known.discard(key)
    for key in known:
        batch.delete_meta(key)


def _write_catalogue(qm: QueueManager, pager: Pager, batch: PageSetBatch) -> None:
    """Definitions that changed since the last checkpoint."""
    for object_id, definition in qm.changed_objects.items():
        key = OBJECT_PREFIX + struct.pack(">I", object_id)
        if definition is None:
            batch.delete_meta(key)
        else:
            batch.put_meta(key, definition.to_record())
    batch.put_meta(PARAMETERS_KEY, json.dumps(qm.parameters).encode())
    batch.put_meta(NEXT_ID_KEY, struct.pack("<Q", qm.catalogue.next_object_id))


def _write_units(qm: QueueManager, pager: Pager, batch: PageSetBatch, generation: int) -> list[bytes]:
    """The units in doubt that are not there yet, and the list of all, which is returned. What C1 does not keep goes."""
    places: list[bytes] = []
    for unit in qm.in_doubt.values():
        assert unit.state == UNIT_PREPARED
        place = unit.place
        if not place:
            place = _UNIT_PLACE.pack(generation, len(places))
            batch.put_meta(UNIT_PREFIX + place, pack_unit(unit))
        places.append(place)
    for place in qm.units_kept.difference(places, qm.units_listed):
        batch.delete_meta(UNIT_PREFIX + place)
    current = DOUBT_PREFIX + _GENERATION.pack(qm.generation)
    for key, _ in pager.page_set.meta_items(DOUBT_PREFIX):
        if key != current:
            batch.delete_meta(key)
    batch.put_meta(DOUBT_PREFIX + _GENERATION.pack(generation), pack_list(places))
    return places


def pack_list(places: list[bytes]) -> bytes:
    """The units in doubt of a generation."""
    return struct.pack("<I", len(places)) + b"".join(places)


def unpack_list(data: bytes) -> list[bytes]:
    """The counterpart of `pack_list`. Raises ValueError on anything else."""
    size = _UNIT_PLACE.size
    if len(data) < 4 or len(data) != 4 + size * int.from_bytes(data[:4], "little"):
        raise ValueError(f"a list of units of work in doubt has {len(data)} bytes, which do not fit")
    return [data[at : at + size] for at in range(4, len(data), size)]


def units_of(page_set: PageSet, generation: int) -> list[tuple[bytes, bytes]]:
    """(place, unit) of the units that were in doubt at a checkpoint. Raises ValueError if one is missing."""
    listed = page_set.meta(DOUBT_PREFIX + _GENERATION.pack(generation))
    if listed is None:
        found = page_set.meta_items(UNIT_PREFIX + _GENERATION.pack(generation))
        return [(key[len(UNIT_PREFIX) :], value) for key, value in found]
    units: list[tuple[bytes, bytes]] = []
    for place in unpack_list(listed):
        value = page_set.meta(UNIT_PREFIX + place)
        if value is None:
            raise ValueError(f"the unit of work in doubt {place.hex()} is listed and not there")
        units.append((place, value))
    return units


def pack_unit(unit: Unit) -> bytes:
    """A unit in doubt as the page set keeps it: xid with its length, then an item for each message that is logged."""
    parts = [struct.pack("<H", len(unit.xid)), unit.xid]
    for message in unit.work:
        if not message.logged:
            continue
        put = message.state == PUT_PENDING
        record = pack_message(message) if put else b""
        parts.append(_ITEM.pack(1 if put else 0, message.queue.queue_id, message.sequence, len(record)))
        parts.append(record)
    return b"".join(parts)


def unpack_unit(data: bytes) -> tuple[bytes, list[tuple[bool, int, int, bytes]]]:
    """(xid, [(is put, queue id, sequence, record)]) of `pack_unit`. Raises ValueError on anything else."""
    try:
        (length,) = struct.unpack_from("<H", data)
        xid = _cut(data, 2, length)
        at = 2 + length
        items: list[tuple[bool, int, int, bytes]] = []
        while at < len(data):
            put, queue_id, sequence, size = _ITEM.unpack_from(data, at)
            at += _ITEM.size
            items.append((put == 1, queue_id, sequence, _cut(data, at, size)))
            at += size
    except struct.error as error:
        raise ValueError(f"a unit of work in doubt cannot be read: {error}") from None
    return xid, items


def _cut(data: bytes, start: int, length: int) -> bytes:
    """That part of `data`, all of it."""
    if start + length > len(data):
        raise ValueError(f"{length} bytes from byte {start} on are wanted, there are {len(data)}")
    return data[start : start + length]


def pack_heuristic(heuristic: dict[bytes, bool]) -> bytes:
    """Branches that an administrator has decided, as the page set keeps them. Replay over a newer state is harmless."""
    parts: list[bytes] = []
    for xid, committed in heuristic.items():
        parts.append(_DECISION.pack(1 if committed else 0, len(xid)) + xid)
    return b"".join(parts)


def unpack_heuristic(data: bytes) -> dict[bytes, bool]:
    """The counterpart of `pack_heuristic`. Raises ValueError on anything else."""
    heuristic: dict[bytes, bool] = {}
    at = 0
    try:
        while at < len(data):
            committed, length = _DECISION.unpack_from(data, at)
            at += _DECISION.size
            heuristic[_cut(data, at, length)] = committed == 1
            at += length
    except struct.error as error:
        raise ValueError(f"heuristic decisions cannot be read: {error}") from None
    return heuristic
