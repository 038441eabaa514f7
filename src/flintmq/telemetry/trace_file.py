"""The trace file: a ring of records of one size, mapped into memory, so that a record costs no system call and survives
a crash of the process.

    header, 64 bytes
         0  char 8   FLINTTRC
         8  uint16   version, 1
        10  uint16   bytes of a record, 256
        12  uint32   records that fit
        16  uint64   sequence of the next record; the first is 1
        24  char 40  queue manager, UTF-8

    record n stands at 64 + 256 * (n - 1) modulo the number of records
         0  uint64   sequence; 0: never written
         8  uint64   microseconds since 1970, UTC
        16  uint32   task (calls) or socket (segments)
        20  uint8    event: 1 entry, 2 exit, 3 segment received, 4 segment sent
        21  uint8    call, by CALL_NAMES of flintmq.qmgr.tracer
        22  uint8    completion
        23  uint8    1: there was more data than is kept
        24  int32    reason; -1: a get waits
        28  uint32   handle
        32  uint32   length of the message, or of the segment
        36  uint32   microseconds that the call took
        40  char 48  object, or where a client is
        88  char 28  application
       116  uint16   bytes of data that are kept
       118  ...      data, at most 138 bytes

Numbers are big-endian. Data of messages is only kept if that was asked for (TDATA(MSGDATA)); of segments the header is
kept, and with it the rest of the beginning, but never of those that carry a password.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MAGIC = b"FLINTTRC"
VERSION = 1
RECORD = 256
HEAD = 64
DATA_MAX = 138
RECORDS = 65_536

ENTRY, EXIT, RECEIVED, SENT = 1, 2, 3, 4

_HEAD = struct.Struct(">8sHHIQ40s")
_RECORD = struct.Struct(">QQIBBBBiIII48s28sH138s")
_NEXT = struct.Struct(">Q")
_NEXT_AT = 16
assert _HEAD.size == HEAD and _RECORD.size == RECORD


class NotATrace(Exception):
    """The file is no trace file, or of another version; the text says which and why."""


@dataclass(frozen=True)
class Event:
    """One record."""

    sequence: int
    time_us: int
    task: int
    event: int
    call: int = 0
    completion: int = 0
    more: bool = False
    reason: int = 0
    handle: int = 0
    length: int = 0
    spent_us: int = 0
    name: str = ""
    application: str = ""
    data: bytes = b""


class TraceFile:
    """A trace file that is written."""

    def __init__(self, path: Path, q_mgr: str, records: int = RECORDS) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)  # It may have message data.
        try:
            size = HEAD + RECORD * records
            os.posix_fallocate(descriptor, 0, size)
            self._map = mmap.mmap(descriptor, size)
        finally:
            os.close(descriptor)
        self.path = path
        self._records = records
        self._next = 1
        _HEAD.pack_into(self._map, 0, MAGIC, VERSION, RECORD, records, 1, q_mgr.encode()[:40])

    def add(
        self,
        time_us: int,
        task: int,
        event: int,
        call: int = 0,
        completion: int = 0,
        reason: int = 0,
        handle: int = 0,
        length: int = 0,
        spent_us: int = 0,
        name: str = "",
        application: str = "",
        data: bytes = b"",
    ) -> None:
        """Write one record, in the place of the oldest."""
        sequence = self._next
        self._next = sequence + 1
        _RECORD.pack_into(
            self._map,
            HEAD + RECORD * ((sequence - 1) % self._records),
            sequence,
            time_us,
            task & 0xFFFF_FFFF,
            event,
            call,
            completion,
            len(data) > DATA_MAX,
            reason,
            handle & 0xFFFF_FFFF,
            min(length, 0xFFFF_FFFF),
            min(max(spent_us, 0), 0xFFFF_FFFF),
            name.encode("utf-8", "replace")[:48],
            application.encode("utf-8", "replace")[:28],
            min(len(data), DATA_MAX),
            data[:DATA_MAX],
        )
        _NEXT.pack_into(self._map, _NEXT_AT, self._next)

    def close(self) -> None:
        """Close the file: no record can be added."""
        self._map.close()


def read(path: Path) -> Iterator[Event]:
    """Yield the records of a trace file, the oldest first. Raises NotATrace and OSError."""
    with open(path, "rb") as file:
        head = file.read(HEAD)
        if len(head) < HEAD or head[:8] != MAGIC:
            raise NotATrace(f"{path} is not a trace file")
        _, version, size, records, following, _ = _HEAD.unpack(head)
        if version != VERSION or size != RECORD or not records:
            raise NotATrace(f"{path} is a trace file of version {version}, which cannot be read here")
        first = max(1, following - records)
        for sequence in range(first, following):
            file.seek(HEAD + RECORD * ((sequence - 1) % records))
            data = file.read(RECORD)
            if len(data) < RECORD:
                raise NotATrace(f"{path} is cut off at record {sequence}")
            event = _event(data)
            if event.sequence == sequence:  # Else it is being written over.
                yield event


def _event(data: bytes) -> Event:
    sequence, time_us, task, event, call, completion, more, *rest = _RECORD.unpack(data)
    reason, handle, length, spent, name, application, kept, raw = rest
    return Event(
        sequence,
        time_us,
        task,
        event,
        call,
        completion,
        bool(more),
        reason,
        handle,
        length,
        spent,
        name.rstrip(b"\0").decode("utf-8", "replace"),
        application.rstrip(b"\0").decode("utf-8", "replace"),
        raw[: min(kept, DATA_MAX)],
    )
