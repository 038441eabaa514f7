"""Restart reads the log: from the last checkpoint to the end, and finds out where the end is.

The first record that does not validate is either the end of the log or damage. The cases, in the order of checking:

    case         what is seen at position p                                       what it means
    CLEAN        the log was closed cleanly and p is where it ended               end of the log
    COPY         the other copy has a valid record at p                           use it, and repair this copy
    KNOWN        p is before what the control file says was durable               damage
    CONTROL_OLD  a valid header of a later epoch than the control file knows      damage: the control file is an old one
    EVIDENCE     a valid record behind p, of this epoch, says p was durable       damage
    TORN         none of these                                                    end of the log, never acknowledged

A record is valid if its header and payload CRCs fit, its position is p, and its epoch is the current one (at and
after the place where the current epoch began) or not smaller than the one before it (in front of that place). So what
a crash left behind the cut of an earlier restart never comes to life: it has an older epoch.

A record may be in the page cache and not on the disk. After a failed sync Linux keeps the new bytes in memory,
marks them clean, and lets every later sync succeed without writing them. So each window of the log is written again, as
it was read, and synced before a record of it is returned (L4).

One thing cannot be told apart from a torn write and is not damage: bytes of the very last flush before a crash that
were changed on disk afterwards, while no later record and no control file says that they were durable. A second copy
covers it.
"""

from collections.abc import Callable
from typing import Final

from crc32c import crc32c

from flintmq.log.compress import decompress
from flintmq.log.control import ControlState
from flintmq.log.counters import LogCounters
from flintmq.log.errors import LogDamaged
from flintmq.log.record import (
    ALIGNMENT,
    FLAG_COMPRESSED,
    HEADER_SIZE,
    MAGIC_BYTES,
    Header,
    LogRecord,
    decode_header,
    identity_seed,
)
from flintmq.log.segments import Segments

WINDOW: Final = 1 << 20

COPY: Final = "COPY"
KNOWN: Final = "KNOWN"
CLEAN: Final = "CLEAN"
CONTROL_OLD: Final = "CONTROL_OLD"
EVIDENCE: Final = "EVIDENCE"
TORN: Final = "TORN"


class Replay:
    """The records from the checkpoint to the end of the log, as an iterator. Exhaust it, then write."""

    def __init__(
        self,
        copies: list[Segments],
        state: ControlState,
        counters: LogCounters,
        repairs: list[str],
        finish: Callable[[int, str], None],
    ) -> None:
        self._copies = copies
        self._state = state
        self._counters = counters
        self._repairs = repairs
        self._finish = finish
        self._seed = identity_seed(state.identity)
        self._epoch: int = 0  #: of the record before
        self._window: bytes = b""
        self._window_at: int = state.checkpoint
        self._rewritten: int = state.checkpoint  #: the first copy is on the disk up to here
        self._done: bool = False
        self.position: int = state.checkpoint  #: of the record that comes next; the end of the log when exhausted

    def __iter__(self) -> "Replay":
        return self

    def __next__(self) -> LogRecord:
        if self._done:
            raise StopIteration
        position = self.position
        if self._state.clean and position >= self._state.durable:
            self._end(CLEAN)
            raise StopIteration
        header = self._header(position)
        payload = b"" if header is None else self._payload(header)
        if header is None or payload is None:
            case = self._judge(position)
            if case != COPY:
                self._end(case)
                raise StopIteration
            header = self._header(position)
            payload = None if header is None else self._payload(header)
        assert header is not None and payload is not None
        if header.flags & FLAG_COMPRESSED:
            payload = self._expand(header, payload)
        self._epoch = header.epoch
        self.position = header.end
        self._counters.records_replayed += 1
        self._counters.bytes_replayed += header.end - position
        return LogRecord(position, header.end, header.kind, payload)

    def _end(self, case: str) -> None:
        self._done = True
        self._window = b""
        self._finish(self.position, case)

    # Reading the first copy.

    def _header(self, position: int) -> Header | None:
        offset = position - self._window_at
        if offset + HEADER_SIZE > len(self._window):
            if not self._load(position, WINDOW):
                return None
            offset = 0
        header = decode_header(self._window, offset, position, self._seed)
        return header if header is not None and self._epoch_fits(header) else None

    def _payload(self, header: Header) -> bytes | None:
        start = header.position + HEADER_SIZE - self._window_at
        end = start + header.length
        if end > len(self._window):
            if not self._load(header.position, max(WINDOW, header.end - header.position)):
                return None
            start = HEADER_SIZE
            end = start + header.length
        payload = self._window[start:end]
        if len(payload) != header.length or crc32c(payload) != header.payload_crc:
            return None
        return payload

    def _load(self, position: int, length: int) -> bool:
        """Fill the window. False if the file cannot be read and there is another copy to try."""
        self._window_at = position
        try:
            self._window = self._copies[0].read(position, length)
        except LogDamaged:
            self._window = b""
            if len(self._copies) == 1:
                raise
            return False
        self._write_again()
        return True

    def _write_again(self) -> None:
        """Write the window where it was read, and sync it: the page cache may be all that has these bytes."""
        end = self._window_at + len(self._window)
        start = max(self._window_at, self._rewritten)
        if start < end:
            self._copies[0].write(start, [memoryview(self._window)[start - self._window_at :]], end - start)
            self._copies[0].sync()
            self._rewritten = end

    def _epoch_fits(self, header: Header) -> bool:
        state = self._state
        if header.position >= state.epoch_start:
            return header.epoch == state.epoch
        return self._epoch <= header.epoch < state.epoch

    def _expand(self, header: Header, payload: bytes) -> bytes:
        try:
            return decompress(header.flags & FLAG_COMPRESSED, payload, self._counters)
        except ValueError as error:
            path, offset = self._copies[0].locate(header.position)
            raise LogDamaged(path, offset, header.position, str(error)) from None

    # The first record that does not validate.

    def _judge(self, position: int) -> str:
        """Return the case that holds at `position`, or raise LogDamaged. After COPY the record can be read again."""
        state = self._state
        if self._repair(position):
            return COPY
        path, offset = self._copies[0].locate(position)
        if position < state.durable:
            raise LogDamaged(
                path,
                offset,
                position,
                f"no valid record, though the log was durable up to position {state.durable}; "
                "restore the file from a backup or a second copy",
            )
        for copy in self._copies:
            header = decode_header(copy.read(position, HEADER_SIZE), 0, position, self._seed)
            if header is not None and header.epoch > state.epoch:
                text = f"its epoch is {header.epoch}, but the control file knows only {state.epoch}: it is an old one"
                raise LogDamaged(path, offset, position, text)
        for copy in self._copies:
            witness = self._find_evidence(copy, position)
            if witness is not None:
                raise LogDamaged(
                    path,
                    offset,
                    position,
                    f"no valid record, though the record at position {witness.position} proves that the log "
                    f"was durable up to {witness.synced}; restore the file from a backup or a second copy",
                )
        return TORN

    def _repair(self, position: int) -> bool:
        """Look for a valid record in the other copies; write it to the first, durably."""
        for copy in self._copies[1:]:
            data = self._read_record(copy, position)
            if data is None:
                continue
            path, offset = self._copies[0].locate(position)
            self._copies[0].write(position, [data], len(data))
            self._copies[0].sync()  # The other copy may have it in the page cache only.
            self._repairs.append(
                f"{path}: record at offset {offset} (log position {position}) restored from the other copy"
            )
            self._counters.records_repaired += 1
            self._window = data  # To be read from here, whether the first copy can be read again or not.
            self._window_at = position
            return True
        return False

    def _read_record(self, copy: Segments, position: int) -> bytes | None:
        """Return the whole record at `position` in a copy, padding included, if it is valid."""
        try:
            header = decode_header(copy.read(position, HEADER_SIZE), 0, position, self._seed)
            if header is None or not self._epoch_fits(header):
                return None
            data = copy.read(position, header.end - position)
        except LogDamaged:
            return None
        payload = data[HEADER_SIZE : HEADER_SIZE + header.length]
        if len(data) != header.end - position or crc32c(payload) != header.payload_crc:
            return None
        return data

    def _find_evidence(self, copy: Segments, position: int) -> Header | None:
        """Look through everything behind `position` for a header of this epoch that says `position` was durable."""
        end = (self._state.last_extent + 1) * copy.capacity
        start = position
        while start < end:
            data = copy.read(start, min(WINDOW + HEADER_SIZE, end - start))
            found = data.find(MAGIC_BYTES)
            while 0 <= found < WINDOW:
                if found % ALIGNMENT == 0:
                    header = decode_header(data, found, start + found, self._seed)
                    if header is not None and header.epoch == self._state.epoch and header.synced > position:
                        return header
                found = data.find(MAGIC_BYTES, found + 1)
            start += WINDOW
        return None
