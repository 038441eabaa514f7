"""A block of records as Arrow tables, one per structure.

    columns                      meaning
    Date, Time                   the SMF header's, local: a date, and date and time of day
    LPAR, QMgr, QSG, MQ_Version  as in the reference CSV; QSG is null before 10.0
    Interval_Start               UTC; in the tables of type 115 and in QCST, null where the record has none
    Interval_Duration            whole seconds, cut off as in the reference CSV; Interval_Duration_US is exact
    ...                          the structure's own, in the order of its layout
    Record_Time                  Date and Time in UTC, null in 115-5, 6 and 7, which have no clock to compare with
    UTC_Offset_Minutes           local time minus UTC, the difference between SMF header and store clock
    File, Offset, Entry          where the row comes from: dump, record, number of the structure in its section

A field that a record lacks, because its release is older, is null. Rows are in the order of the dump, or by partition
(partitions.py) and then in that order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flintmq.telemetry.smf.clock import DAY, EPOCH_1970, QUARTER_HOUR, SECOND
from flintmq.telemetry.smf.columns.arrays import (
    LOCAL,
    UTC,
    array_of,
    booleans,
    clocks,
    hexadecimals,
    plain,
    texts,
    timestamps,
    type_of,
)
from flintmq.telemetry.smf.columns.block import Block, Flags, Integers, take, take_structures
from flintmq.telemetry.smf.columns.partitions import Partition, Partitions
from flintmq.telemetry.smf.columns.sections import Finding, Section, Sections, sections_of
from flintmq.telemetry.smf.fields import Field, Structure
from flintmq.telemetry.smf.layouts.headers import QWHC, QWHS, QWHX
from flintmq.telemetry.smf.records import ACCOUNTING, KINDS, STATISTICS, STRUCTURES

#: Local time is at most this far from UTC; more means that one of the two clocks is wrong.
OFFSET_MAX = 26 * 3600 * SECOND
#: Where QWHX begins, after the other headers of a record.
_QWHX_AT = {"full": 52, "short": 128, "mini": 4}
_RELEASE_WITH_QWHX = 946

_FIRST = [
    ("Date", pa.date32()),
    ("Time", LOCAL),
    *((name, pa.string()) for name in ("LPAR", "QMgr", "QSG", "MQ_Version")),
]
_INTERVAL = [("Interval_Start", UTC), ("Interval_Duration", pa.int64()), ("Interval_Duration_US", pa.int64())]
_LAST = [
    ("Record_Time", UTC),
    ("UTC_Offset_Minutes", pa.int32()),
    ("File", pa.string()),
    ("Offset", pa.int64()),
    ("Entry", pa.int32()),
]
_WITH_INTERVAL = {found.name for kind in KINDS if kind.headers != "short" for found in kind.sections.values()}


def prefix_of(structure: Structure) -> list[tuple[str, Any]]:
    """Return the columns of a structure that come from elsewhere in its record."""
    if structure.name == "QMAC":
        return [(item.column, type_of(item)) for item in QWHC.shown]
    if structure.name == "WTID":
        return [("WTAS_Correlator", pa.string())]
    if structure.name.startswith("QCT"):
        return [("Task_Index", pa.int32())]
    return []


def schema_of(structure: Structure) -> Any:
    """Return the columns of a structure's table."""
    columns = [*_FIRST, *(_INTERVAL if structure.name in _WITH_INTERVAL else []), *prefix_of(structure)]
    columns += [(item.column, type_of(item)) for item in structure.shown]
    columns += [(name, pa.int64()) for name in structure.sums]
    return pa.schema([*columns, *_LAST])


SCHEMAS = {name: schema_of(structure) for name, structure in STRUCTURES.items()}


@dataclass
class Tables:
    """The tables and findings of a block."""

    common: Common
    tables: dict[str, Any] = field(default_factory=dict)
    #: By table, how many rows each partition has, if they were asked for by partition.
    rows: dict[str, list[int]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    #: Records by type and subtype, and how many of them are none of ours or damaged.
    records: dict[tuple[int, int], int] = field(default_factory=dict)
    unknown: int = 0
    damaged: int = 0

    def partitions(self, name: str, table: Any) -> Iterator[tuple[Partition, Any]]:
        """Yield the partitions of one of the tables, to which columns may have been added."""
        assert self.common.partitions is not None, "the rows are not by partition"
        return self.common.partitions.slices(table, self.rows[name])


def tables_of(block: Block, file: str, wanted: set[str] | None = None, by_partition: bool = False) -> Tables:
    """Return the tables of a block, all or those in `wanted`."""
    sections = sections_of(block)
    made = Tables(Common(block, sections, file, by_partition), findings=sections.findings, records=_counts(block))
    made.unknown = int((~sections.known).sum())
    made.damaged = int((sections.known & ~sections.sound & (block.type > 3)).sum())
    for name in [name for name in STRUCTURES if name in sections.found and (wanted is None or name in wanted)]:
        _add_table(STRUCTURES[name], sections.found[name], block, sections, made)
    return made


def _counts(block: Block) -> dict[tuple[int, int], int]:
    keys, counts = np.unique(block.type * 65536 + np.maximum(block.subtype, 0), return_counts=True)
    return {(int(key) >> 16, int(key) & 0xFFFF): int(count) for key, count in zip(keys, counts, strict=True)}


RECORDS = "records"
RECORDS_SCHEMA = pa.schema(
    [
        *_FIRST,
        ("Type", pa.int32()),
        ("Subtype", pa.int32()),
        ("Length", pa.int64()),
        ("Record_Time", UTC),
        ("UTC_Offset_Minutes", pa.int32()),
        ("File", pa.string()),
        ("Offset", pa.int64()),
        ("Data", pa.binary()),
    ]
)


def records_of(block: Block, file: str) -> Any:
    """Return the records of a block unparsed: spanned ones joined, each with the RDW of its first piece."""
    return _records(block, Common(block, sections_of(block), file))


def add_records(made: Tables, block: Block) -> None:
    """Add the records of a block to its tables."""
    made.tables[RECORDS] = _records(block, made.common)
    if made.common.partitions is not None:
        made.rows[RECORDS] = made.common.partitions.counts(np.arange(len(block)))


def _records(block: Block, common: Common) -> Any:
    every = np.arange(len(block), dtype=np.int64)
    every = every[common.order(every, every)]
    kind, length = block.type[every], block.length[every]
    ours = (kind == STATISTICS) | (kind == ACCOUNTING)
    data = [block.data[at : at + size].tobytes() for at, size in zip(block.base[every], length, strict=True)]
    columns = {
        "Type": plain(kind.astype(np.int32), pa.int32()),
        "Subtype": plain(block.subtype[every].astype(np.int32), pa.int32(), ours),
        "Length": plain(length, pa.int64()),
        "Data": pa.array(data, pa.binary()),
    }
    for name in ("QMgr", "MQ_Version"):  # Other types have something else there.
        columns[name] = pc.if_else(booleans(ours), common.take(name, every, every), pa.scalar(None, pa.string()))
    names = [name for name in RECORDS_SCHEMA.names if name not in columns]
    columns |= {name: common.take(name, every, every) for name in names}
    return pa.Table.from_arrays([columns[name] for name in RECORDS_SCHEMA.names], schema=RECORDS_SCHEMA)


class Common:
    """The columns that every table has, one value per record of the block."""

    def __init__(self, block: Block, sections: Sections, file: str, by_partition: bool = False) -> None:
        self.file = file
        self.sections = sections
        header = block.header
        days = _days(header["SM11XDTE"])
        local = days * DAY + header["SM11XTME"].astype(np.int64) * 10_000
        ours = (block.type == STATISTICS) | (block.type == ACCOUNTING)
        self.partitions = Partitions(days, header["SM11XSSI"], ours) if by_partition else None
        place = np.maximum(sections.headers, 0)
        self.qwhs = take_structures(block.data, place, QWHS, 52)
        offset, known = self._utc_offset(block, local)
        interval, with_interval = self._interval(offset, known)
        duration = self._duration(block)
        self.columns: dict[str, Any] = {
            "Date": plain(days.astype(np.int32), pa.date32()),
            "Time": plain(local, LOCAL),
            "LPAR": texts(header["SM11XSID"]),
            "QMgr": texts(header["SM11XSSI"]),
            **self._version(block),
            "Interval_Start": timestamps(interval, with_interval, UTC),
            "Interval_Duration": plain(duration // SECOND, pa.int64(), with_interval),
            "Interval_Duration_US": plain(duration, pa.int64(), with_interval),
            "Record_Time": timestamps(local - offset, known, UTC),
            "UTC_Offset_Minutes": plain((offset // (60 * SECOND)).astype(np.int32), pa.int32(), known),
            "Offset": plain(block.offset, pa.int64()),
        }

    def _utc_offset(self, block: Block, local: Integers) -> tuple[Integers, Flags]:
        """Return local time minus UTC, to a quarter of an hour, and whether it is known."""
        clock = self.qwhs["QWHSSTCK"].astype(np.uint64)
        known = (self.sections.headers_length >= 36) & (clock >= EPOCH_1970)
        difference = np.where(known, local - clocks(clock), 0)
        known &= np.abs(difference) <= OFFSET_MAX
        rounded = (difference + QUARTER_HOUR // 2) // QUARTER_HOUR * QUARTER_HOUR
        return np.where(known, rounded, 0), known

    def _interval(self, offset: Integers, known: Flags) -> tuple[Integers, Flags]:
        """Convert QWHSTIME to UTC; only headers of 52 bytes have it."""
        start = self.qwhs["QWHSTIME"].astype(np.uint64)
        with_interval = (
            (self.sections.headers_length >= 52) & (self.qwhs["QWHSLEN"] >= 52) & (start >= EPOCH_1970) & known
        )
        return np.where(with_interval, clocks(start) - offset, 0), with_interval

    def _duration(self, block: Block) -> Integers:
        """Convert QWHSDURN to microseconds."""
        duration = self.qwhs["QWHSDURN"].astype(np.int64)
        in_clock_units = np.zeros(len(block), np.bool_)
        for kind in KINDS:
            if kind.clock_duration:
                in_clock_units |= (block.type == kind.type) & (block.subtype == kind.subtype)
        return np.where(in_clock_units, duration >> 12, duration)

    def _version(self, block: Block) -> dict[str, Any]:
        """Return QSG and MQ_Version: those of QWHX where a record has one, else of the SMF header."""
        sections = self.sections
        at = np.full(len(block), -1, np.int64)
        for kind in KINDS:
            begin = _QWHX_AT[kind.headers]
            of_kind = (block.type == kind.type) & (block.subtype == kind.subtype)
            at = np.where(of_kind & (sections.headers_length >= begin + 16), sections.headers + begin, at)
        release = block.header["SM11XREL"]
        digits = release - 0xF0
        number = digits[:, 0].astype(np.int64) * 100 + digits[:, 1] * 10 + digits[:, 2]
        qwhx = take_structures(block.data, np.maximum(at, 0), QWHX, 16)
        has = (at >= 0) & (digits <= 9).all(axis=1) & (number >= _RELEASE_WITH_QWHX)
        has &= (qwhx["QWHXLEN"] == 16) & (qwhx["QWHXTYP"] == 0x10)
        group = np.where(has[:, None], qwhx["QWHXQSG"], 0)
        padded = np.pad(release, ((0, 0), (0, 3)))
        return {"QSG": texts(group), "MQ_Version": texts(np.where(has[:, None], qwhx["QWHXREL"], padded))}

    def order(self, record: Integers, entry: Integers) -> Integers:
        """Return the order of the rows of these structures."""
        if self.partitions is None or len(self.partitions.partitions) == 1:
            return np.lexsort((entry, record))
        return np.lexsort((entry, record, self.partitions.number[record]))

    def take(self, name: str, record: Integers, entry: Integers) -> Any:
        """Return a common column, for the structures of these records."""
        if name == "File":
            return pa.repeat(pa.scalar(self.file, pa.string()), len(record))
        if name == "Entry":
            return plain(entry.astype(np.int32), pa.int32())
        return self.columns[name].take(plain(record, pa.int64()))


def _days(packed: NDArray[Any]) -> Integers:
    """Convert packed dates 0cyydddF to days since 1970."""
    digits = packed.astype(np.int64)

    def digit(place: int) -> Integers:
        return (digits >> (4 * place)) & 0xF

    year = 1900 + 100 * (10 * digit(7) + digit(6)) + 10 * digit(5) + digit(4)
    first: Integers = (year - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
    return first + 100 * digit(3) + 10 * digit(2) + digit(1) - 1


def _add_table(structure: Structure, parts: list[Section], block: Block, sections: Sections, made: Tables) -> None:
    common = made.common
    record, position, entry, length = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("record", "position", "entry", "length")
    )
    if structure.entries:
        record, position, entry, length = _entries(structure, block, record, position, length)
    order = common.order(record, entry)
    record, position, entry, length = record[order], position[order], entry[order], length[order]
    schema = SCHEMAS[structure.name]
    own = _columns(structure, block, position, np.minimum(length, structure.longest))
    columns = {**own, **_prefix(structure, block, sections, record, entry)}
    names = [name for name in schema.names if name not in columns]
    columns |= {name: common.take(name, record, entry) for name in names}
    made.tables[structure.name] = pa.Table.from_arrays([columns[name] for name in schema.names], schema=schema)
    if common.partitions is not None:
        made.rows[structure.name] = common.partitions.counts(record)


def _entries(
    structure: Structure, block: Block, record: Integers, position: Integers, length: Integers
) -> tuple[Integers, Integers, Integers, Integers]:
    """Divide a structure that is an array into its entries in use, each a structure of its own."""
    assert structure.entries is not None
    start, size, count = structure.entries
    places = np.minimum(np.maximum(length - start, 0) // size, count)
    entry = np.tile(np.arange(count, dtype=np.int64), len(record))
    owner = np.repeat(np.arange(len(record)), count)
    inside = entry < places[owner]
    owner, entry = owner[inside], entry[inside]
    at = position[owner] + start + size * entry
    used = block.data[at] != 0
    return record[owner][used], at[used], entry[used], np.full(int(used.sum()), structure.longest, np.int64)


def _columns(structure: Structure, block: Block, position: Integers, length: Integers) -> dict[str, Any]:
    """Return the structure's own columns. Structures of one length and version are read together."""
    version = _versions(structure, block, position, length)
    shape = (version << 32) | length
    if len(shape) and (shape == shape[0]).all():
        return _same_shape(structure, block, position, int(length[0]), int(version[0]))
    groups = [np.flatnonzero(shape == one) for one in np.unique(shape)]
    parts = [
        _same_shape(structure, block, position[group], int(length[group[0]]), int(version[group[0]]))
        for group in groups
    ]
    back = plain(np.argsort(np.concatenate(groups), kind="stable") if groups else np.empty(0, np.int64), pa.int64())
    kinds = {item.column: type_of(item) for item in structure.shown} | dict.fromkeys(structure.sums, pa.int64())
    empty = {name: pa.array([], kind) for name, kind in kinds.items()}
    return {name: pa.concat_arrays([part[name] for part in parts] or [empty[name]]).take(back) for name in kinds}


def _versions(structure: Structure, block: Block, position: Integers, length: Integers) -> Integers:
    if not structure.version_field:
        return np.zeros(len(position), np.int64)
    place = structure.find(structure.version_field)
    there = length >= place.end
    return np.where(there, take(block.data, position + np.where(there, place.offset, 0), 4).view(">u4"), 0).astype(
        np.int64
    )


def _same_shape(structure: Structure, block: Block, position: Integers, length: int, version: int) -> dict[str, Any]:
    values = take_structures(block.data, position, structure, length)
    present = set(values.dtype.names or ())
    count = len(position)
    columns: dict[str, Any] = {}
    for item in structure.shown:
        if item.name not in present or item.version > version:
            columns[item.column] = pa.nulls(count, type_of(item))
        elif item.name in structure.only_if:
            bit = structure.find(structure.only_if[item.name])
            on = (values[bit.name] & bit.mask) != 0
            columns[item.column] = array_of(item, np.where(on[:, None], values[item.name], 0).astype(np.uint8))
        else:
            columns[item.column] = array_of(item, values[item.name])
    for name, (_, parts) in structure.sums.items():
        there = [part for part in parts if part in present and structure.find(part).version <= version]
        units = sum((values[part].astype(np.uint64) for part in there), np.zeros(count, np.uint64))
        columns[name] = plain((units >> np.uint64(12)).astype(np.int64), pa.int64())
    return columns


def _prefix(
    structure: Structure, block: Block, sections: Sections, record: Integers, entry: Integers
) -> dict[str, Any]:
    if structure.name == "QMAC":
        return _correlation_header(block, sections, record)
    if structure.name == "WTID":
        return {"WTAS_Correlator": _correlators(block, sections, record)}
    if structure.name.startswith("QCT"):
        return {"Task_Index": plain(entry.astype(np.int32), pa.int32())}
    return {}


def _correlation_header(block: Block, sections: Sections, record: Integers) -> dict[str, Any]:
    """Return the columns of QWHC, which follows the short QWHS."""
    at, room = sections.headers[record] + 36, sections.headers_length[record] - 36
    values = take_structures(block.data, np.where(room >= 76, at, 0), QWHC, 92)
    columns = {}
    for item in QWHC.shown:
        missing = room < item.end
        array = array_of(item, values[item.name])
        columns[item.column] = _without(array, missing, item)
    return columns


def _without(array: Any, missing: Flags, item: Field) -> Any:
    return array if not missing.any() else pc.if_else(booleans(missing), pa.scalar(None, type_of(item)), array)


def _correlators(block: Block, sections: Sections, record: Integers) -> Any:
    """Return the task's correlator, from the last WQ of the record, else from its WTAS."""
    at = np.full(len(block), -1, np.int64)
    for name, place in (("WTAS", 8), ("WQ", 16)):
        for part in sections.found.get(name, []):
            fitting = part.length >= place + 16
            at[part.record[fitting]] = part.position[fitting] + place
    here = at[record]
    values = take(block.data, np.maximum(here, 0), 16).view(np.uint8).reshape(-1, 16)
    array = hexadecimals(values)
    return array if (here >= 0).all() else pc.if_else(booleans(here >= 0), array, pa.scalar(None, pa.string()))
