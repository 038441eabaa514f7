"""The data source `smf`: SMF 115 and 116 dumps as DataFrames.

    spark.read.format("smf").option("path", "dumps").option("struct", "qmst").load()
    spark.readStream.format("smf").option("path", "dumps").option("struct", "wq").load()

    option         value
    path           files, directories (read with all below them) and patterns, separated by commas
    struct         a structure (qmst, qqst, wtas, wq ...): one row each; `records`, the default: one row per SMF record
    framing        rdw, none or bdw; told from the first records where it is not given
    partitionSize  bytes of a dump that one task reads, cut on record boundaries: 64m; packed dumps are one task each
    maxBytes       of a stream: the most that one micro-batch reads; all there is where it is not given

Columns are those of telemetry/smf/columns/tables.py. Records that are damaged or none of ours give no rows; a run of
the pipeline reports them.

As a stream, new files are read when they appear and files that grow as far as their records are complete. The offset is
{file: bytes read}, so a replayed micro-batch gives the same rows as long as a dump is only appended to. A packed dump
is read once, when it appears: move it into the directory when it is complete. With the trigger AvailableNow the stream
reads the files that exist when the query begins, in micro-batches of at most maxBytes, and ends.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from flintmq.pipeline.errors import BadOption
from flintmq.telemetry.smf.columns.block import Block
from flintmq.telemetry.smf.columns.dump import COMPRESSED, Range, UnreadableDump, blocks_of, grown, ranges_of
from flintmq.telemetry.smf.columns.tables import RECORDS, RECORDS_SCHEMA, SCHEMAS, records_of, tables_of
from flintmq.telemetry.smf.framing import FRAMINGS
from flintmq.telemetry.smf.records import STRUCTURES

PARTITION = "64m"
KNOWN = {"path", "struct", "framing", "partitionsize", "maxbytes"}
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


@dataclass(frozen=True)
class Options:
    """The options of the source, checked."""

    path: str
    struct: str
    framing: str
    partition_size: int
    bytes_max: int

    @classmethod
    def of(cls, given: MutableMapping[str, str]) -> Options:
        options = {name.lower(): value for name, value in given.items()}
        strange = sorted(set(options) - KNOWN)
        if strange:
            raise BadOption(
                f"smf has no option {', '.join(strange)}; it has path, struct, framing, partitionSize, maxBytes"
            )
        if not options.get("path"):
            raise BadOption("smf needs the option path: a dump, a directory, or several separated by commas")
        framing = options.get("framing", "")
        if framing and framing not in FRAMINGS:
            raise BadOption(f"framing is {', '.join(FRAMINGS)}, not {framing!r}")
        return cls(
            options["path"],
            struct_of(options.get("struct", RECORDS)),
            framing,
            size_of("partitionSize", options.get("partitionsize", PARTITION)),
            size_of("maxBytes", options.get("maxbytes", "0"), least=0),
        )


def struct_of(name: str) -> str:
    """Return the structure that `struct` names: case does not matter."""
    if name.lower() == RECORDS:
        return RECORDS
    if name.upper() not in STRUCTURES:
        raise BadOption(f"there is no structure {name!r}; there are records, {', '.join(sorted(STRUCTURES)).lower()}")
    return name.upper()


def size_of(option: str, text: str, least: int = 1) -> int:
    """Parse a number of bytes: 4096, 64k, 64m, 1g, 64MB."""
    match = re.fullmatch(r"\s*(\d+)\s*([kmg]?)b?\s*", text.lower())
    if match is None or int(match[1]) < least:
        raise BadOption(f"{option} is a number of bytes such as 64m, not {text!r}")
    return int(match[1]) * _UNITS[match[2]]


def files_of(path: str) -> list[str]:
    """Return the dumps that `path` names, in order. Names that start with a dot or an underscore are ignored."""
    found: list[str] = []
    for part in (part.strip() for part in path.split(",")):
        if os.path.isdir(part):
            found += [str(file) for file in sorted(Path(part).rglob("*")) if file.is_file() and not _hidden(file, part)]
        elif glob.has_magic(part):
            found += sorted(file for file in glob.glob(part, recursive=True) if os.path.isfile(file))
        elif os.path.isfile(part):
            found.append(part)
        elif part:
            raise UnreadableDump(f"{part}: there is no such file or directory")
    return list(dict.fromkeys(found))


def _hidden(file: Path, root: str) -> bool:
    return any(name.startswith((".", "_")) for name in file.relative_to(root).parts)


@dataclass
class Work(InputPartition):
    """The input of one task: ranges of dumps."""

    ranges: list[Range]


def shared_out(ranges: list[Range], size: int) -> list[Work]:
    """Divide ranges among tasks: small files are put together until they make up a partition."""
    made: list[Work] = []
    room = 0
    for part in ranges:
        length = (part.stop if part.stop >= 0 else os.path.getsize(part.path)) - part.start
        if made and length <= room:
            made[-1].ranges.append(part)
            room -= length
        else:
            made.append(Work([part]))
            room = size - length
    return made


def batches(work: Work, struct: str) -> Iterator[Any]:
    """Yield the Arrow batches of a task."""
    for part in work.ranges:
        for block, _ in blocks_of(part):
            table = _table(block, part.path, struct)
            if table is not None:
                yield from table.to_batches()


def _table(block: Block, path: str, struct: str) -> Any:
    if struct == RECORDS:
        return records_of(block, path) if len(block) else None
    return tables_of(block, path, {struct}).tables.get(struct)


class SmfSource(DataSource):
    """The source itself: checks its options once, for every reader."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self.checked = Options.of(options)

    @classmethod
    def name(cls) -> str:
        return "smf"

    def schema(self) -> StructType:
        return from_arrow_schema(RECORDS_SCHEMA if self.checked.struct == RECORDS else SCHEMAS[self.checked.struct])

    def reader(self, schema: StructType) -> DataSourceReader:
        return SmfReader(self.checked)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return SmfStreamReader(self.checked)


class SmfReader(DataSourceReader):
    """A batch: every record of every dump."""

    def __init__(self, options: Options) -> None:
        self.options = options

    def partitions(self) -> Sequence[InputPartition]:
        options = self.options
        ranges = [
            part for file in files_of(options.path) for part in ranges_of(file, options.partition_size, options.framing)
        ]
        return shared_out(ranges, options.partition_size) or [Work([])]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, Work)
        return batches(partition, self.options.struct)


class SmfStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A stream: {file: bytes read}."""

    def __init__(self, options: Options) -> None:
        self.options = options
        #: With the trigger AvailableNow: the files that were there when the query began, and how long they were.
        self._only: dict[str, int] | None = None

    def initialOffset(self) -> dict[str, int]:
        return {}

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxBytes(self.options.bytes_max) if self.options.bytes_max else ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """Note the files and their sizes. Called once, before the first `latestOffset`."""
        self._only = {file: os.path.getsize(file) for file in files_of(self.options.path)}

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        """Return the end of the complete records of every file; with a limit, files in order until it is reached."""
        room = limit.max_bytes if isinstance(limit, ReadMaxBytes) else -1
        end = dict(start)
        for file in files_of(self.options.path):
            if room == 0:
                break
            if self._only is not None and file not in self._only:
                continue
            reached = self._reached(file, start.get(file, 0), room)
            if reached > start.get(file, 0):
                end[file] = reached
                room = room if room < 0 else max(room - reached + start.get(file, 0), 0)
        return end

    def _reached(self, file: str, start: int, room: int) -> int:
        if file.endswith(COMPRESSED):
            return os.path.getsize(file) if start == 0 else start
        complete = grown(file, start, self.options.framing, -1 if self._only is None else self._only[file])
        if room < 0 or complete - start <= room:
            return complete
        parts = ranges_of(file, room, self.options.framing, start, complete)
        return parts[0].stop if parts[0].stop >= 0 else complete

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        size, framing = self.options.partition_size, self.options.framing
        ranges: list[Range] = []
        for file, stop in sorted(end.items()):
            begin = start.get(file, 0)
            if stop > begin:
                packed = file.endswith(COMPRESSED)
                ranges += ranges_of(file, size, framing) if packed else ranges_of(file, size, framing, begin, stop)
        return shared_out(ranges, size)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, Work)
        return batches(partition, self.options.struct)
