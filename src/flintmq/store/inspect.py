"""A page set in readable lines, for `flint inspect PATH` and for operators that have only the files left.

    page_set_lines("qm/pageset/psid00")                                  both parts
    page_set_lines("qm/pageset/psid00/stable")                           one of them
    page_set_lines("qm/pageset/psid00/stable/data.mdb", describe)        with a line from `describe` for each record

Reads only; a damaged place becomes a line that says so, and the rest is still printed. The output is a format of its
own that tests compare, so that a change of layout does not go unseen.
"""

import os
import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO, Final

import lmdb

from flintmq.store.chunk import Chunk, split_key, whole_chunk
from flintmq.store.datafile import DATA_FILE, check_data_file
from flintmq.store.errors import PageSetError
from flintmq.store.expiry import POSITION_SIZE, place_of
from flintmq.store.index import ENTRY_SIZE, decode_bucket
from flintmq.store.lmdb_pageset import STABLE, VOLATILE
from flintmq.store.lmdb_part import DATABASES, FORMAT, FORMAT_MAGIC
from flintmq.store.pagefile import PAGE, PAGE_FILE
from flintmq.store.span import unpack_span

if TYPE_CHECKING:
    from typing import TypeAlias

    _Read: TypeAlias = lmdb.Transaction[bytes]

#: Says in a few words what a record is.
Describe = Callable[[bytes], str]

_INDEX_NAMES: Final = ("no index", "by MsgId", "by CorrelId", "by key")


def is_page_set(path: str) -> bool:
    """Whether `path` is something page_set_lines() can read: a page set, an environment or a file of one."""
    if os.path.isdir(path):
        return any(os.path.isfile(os.path.join(path, *below, DATA_FILE)) for below in ((), (STABLE,), (VOLATILE,)))
    return os.path.basename(path) in (DATA_FILE, PAGE_FILE) and os.path.isfile(path)


def page_set_lines(path: str, describe: Describe | None = None, thorough: bool = False) -> Iterator[str]:
    """Everything in a page set, an environment or a data file. `thorough`: check every page of the file first."""
    if os.path.isfile(path):
        path = os.path.dirname(path) or "."
    if os.path.isfile(os.path.join(path, DATA_FILE)):
        yield from _environment_lines(path, describe, thorough)
        return
    found = False
    for part in (STABLE, VOLATILE):
        if os.path.isfile(os.path.join(path, part, DATA_FILE)):
            found = True
            yield from _environment_lines(os.path.join(path, part), describe, thorough)
    if not found:
        raise PageSetError(path, "is not a page set: there is no data.mdb in it or below it")


def _environment_lines(directory: str, describe: Describe | None, thorough: bool) -> Iterator[str]:
    file = os.path.join(directory, DATA_FILE)
    pages = os.path.join(directory, PAGE_FILE)
    if not os.path.isfile(pages):
        raise PageSetError(pages, "is missing; restore it from a backup")
    sizes = f"{os.path.getsize(file)} bytes of records, {os.path.getsize(pages) // PAGE} pages"
    yield f"{os.path.basename(os.path.normpath(directory))}: {sizes}"
    check_data_file(file, thorough)
    try:
        lock = os.access(os.path.join(directory, "lock.mdb"), os.W_OK)
        environment = lmdb.open(
            directory, readonly=True, lock=lock, create=False, max_dbs=len(DATABASES), max_spare_txns=0
        )
    except lmdb.Error as error:
        raise PageSetError(file, f"LMDB cannot open it ({error})") from error
    try:
        databases = _databases(environment)
        with environment.begin() as txn, open(pages, "rb") as values:
            yield from _about_lines(txn, databases[b"about"])
            yield from _meta_lines(txn, databases[b"meta"])
            yield from _lane_lines(txn, databases[b"lanes"])
            yield from _chunk_lines(txn, databases[b"spans"], values, describe)
            yield from _index_lines(txn, databases, values)
            yield from _expiry_lines(txn, databases)
    except lmdb.Error as error:
        yield f"DAMAGED: {file}: {error}"
    finally:
        environment.close()


def _databases(environment: "lmdb.Environment") -> "dict[bytes, lmdb._Database]":
    """The databases of an environment; one of version 1 has no entries by expiry."""
    databases: dict[bytes, lmdb._Database] = {}
    for name in DATABASES:
        try:
            databases[name] = environment.open_db(name, create=False)
        except lmdb.NotFoundError:
            if name != b"expiry":
                raise
    return databases


def _about_lines(txn: "_Read", about: "lmdb._Database") -> Iterator[str]:
    packed = txn.get(b"format", db=about)
    if packed is None or len(packed) != FORMAT.size or packed[:4] != FORMAT_MAGIC:
        yield "DAMAGED: no format record; this is not a page set"
        return
    _, version, psid = FORMAT.unpack(packed)
    yield f"format {version}, page set {psid:02d}"


def _meta_lines(txn: "_Read", meta: "lmdb._Database") -> Iterator[str]:
    for key, value in txn.cursor(meta):
        name = key.decode("ascii") if key.isascii() and key.decode("ascii").isprintable() else key.hex()
        yield f"meta {name} = {value[:32].hex()}{'...' if len(value) > 32 else ''} ({len(value)} bytes)"


def _lane_lines(txn: "_Read", lanes: "lmdb._Database") -> Iterator[str]:
    for key, value in txn.cursor(lanes):
        try:
            queue, lane = struct.unpack(">IB", key)
            live, chunks = struct.unpack("<QQ", value)
        except struct.error:
            yield f"DAMAGED: lane record {key.hex()}"
            continue
        yield f"queue {queue} lane {lane}: {live} messages in {chunks} chunks"


def _value(values: BinaryIO, page: int, length: int) -> bytes:
    """A value of the page file, shorter if the file is."""
    values.seek(PAGE * page)
    return values.read(length)


def _chunk_lines(txn: "_Read", spans: "lmdb._Database", values: BinaryIO, describe: Describe | None) -> Iterator[str]:
    for key, packed in txn.cursor(spans):
        try:
            queue, lane, first = split_key(key)
            span = unpack_span(packed)
            chunk = whole_chunk(values.name, key, _value(values, span.page, span.length), span.dead)
        except struct.error:
            yield f"DAMAGED: span {key.hex()}"
            continue
        except (PageSetError, OverflowError) as error:
            yield f"DAMAGED: {error}"
            continue
        kind = _INDEX_NAMES[chunk.index] if chunk.index < len(_INDEX_NAMES) else f"index {chunk.index}"
        yield (
            f"chunk queue {queue} lane {lane} {first}..{chunk.last}: {chunk.live_count()} of {chunk.count} live, "
            f"{span.length} bytes on page {span.page}, {kind}"
        )
        for slot in range(chunk.count):
            yield _slot_line(chunk, slot, describe)


def _slot_line(chunk: Chunk, slot: int, describe: Describe | None) -> str:
    line = f"  {chunk.sequence(slot)} msgid {chunk.msg_id(slot).hex()} correlid {chunk.correl_id(slot).hex()}"
    if chunk.expires(slot):
        line += f" expires {chunk.expires(slot)}"
    if chunk.is_dead(slot):
        return line + " dead"
    try:
        record = chunk.record(slot)
    except PageSetError as error:
        return f"{line} DAMAGED: {error.text}"
    line += f" {len(record)} bytes"
    return line if describe is None else f"{line}: {describe(record)}"


def _index_lines(txn: "_Read", databases: "dict[bytes, lmdb._Database]", values: BinaryIO) -> Iterator[str]:
    for key, packed in txn.cursor(databases[b"index"]):
        try:
            page, length, _ = struct.unpack("<QII", packed)
            entries = decode_bucket(_value(values, page, length))
        except (struct.error, OverflowError):
            entries = None
        if entries is None or len(key) != 4 + ENTRY_SIZE:
            yield f"DAMAGED: index bucket {key.hex()}"
            continue
        queue = int.from_bytes(key[:4], "big")
        yield f"index queue {queue} from {key[4:8].hex()}: {len(entries) // ENTRY_SIZE} entries"
    waiting = txn.stat(databases[b"waiting"])["entries"]
    if waiting:
        yield f"index changes of {waiting} batches wait"


def _expiry_lines(txn: "_Read", databases: "dict[bytes, lmdb._Database]") -> Iterator[str]:
    if b"expiry" not in databases:
        return
    for entry, _ in txn.cursor(databases[b"expiry"]):
        if len(entry) != POSITION_SIZE:
            yield f"DAMAGED: entry by expiry {entry.hex()}"
            continue
        queue, lane, first = place_of(entry)
        yield f"expires from second {int.from_bytes(entry[:4], 'big')}: chunk queue {queue} lane {lane} {first}"
