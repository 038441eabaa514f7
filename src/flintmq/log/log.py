"""The recovery log: append, flush, checkpoint; and the way back, open and replay.

    append ---> parts queued in memory ---> flush: one pwritev and one fdatasync for each file ---> durable

`append` does no I/O and `flush` may run in another thread. Two locks, taken in this order: `_io` is held by one
flush, checkpoint or close at a time, across its I/O; `_queue` guards the queued parts and the end of the log for a
few instructions and is never held across I/O. A flush takes all that was appended before, so units of work
that commit while a flush is on its way share the next one: that is group commit.

A flush fills its last page with zeros up to the page boundary: a whole page can be written without reading it first.
The next flush starts inside that page, which is then in memory.

A full disk does not stop the log as long as it is found out in time. Files are formatted ahead of the stream: by a
checkpoint, and by a flush that has reached the last quarter of the last formatted file. If there is no room for another
one, the log is as large as its formatted files until the next checkpoint, and `append` raises LogFull. A file that the
archive has no room for stays where it is, and the next checkpoint tries again. Only a flush that needs more than the
formatted files at once stops the log.

The invariants are L1 to L9 in the docstring of this room; `check_log` tests those that a program can see.
"""

import os
import threading
import time
from collections.abc import Callable
from typing import Final

from crc32c import crc32c

from flintmq.log.compress import LZ4, NONE, RLE, compress
from flintmq.log.config import LogConfig
from flintmq.log.control import CONTROL_NAME, ControlFile, ControlState, load_control
from flintmq.log.counters import LogCounters
from flintmq.log.errors import LogDamaged, LogError, LogFull
from flintmq.log.files import DISK_FULL, Bytes, FileSystem
from flintmq.log.reader import TORN, Replay
from flintmq.log.record import (
    HEADER_SIZE,
    MAGIC,
    PADDING,
    PAYLOAD_MAX,
    decode_header,
    identity_seed,
    pack_header,
)
from flintmq.log.segments import PAGE, Segments, file_name

SMALL: Final = 4096  # Body and data up to this size together are joined at once: one checksum less.
LARGE: Final = 16384  # A part of this size or more is handed to the kernel where it is; smaller ones are joined.
UNLIMITED: Final = 1 << 62
_BLOCK: Final = 1 << 20
_ZERO_PAGE: Final = bytes(PAGE)


class Log:
    """A recovery log. Make one with `Log.create`, open it with `Log.open`, exhaust `replay()`, then write."""

    def __init__(self, files: FileSystem, directory: str, state: ControlState, control: ControlFile) -> None:
        config = state.config
        self.directory = directory
        self.config = config
        self.counters = LogCounters()
        self.repairs: list[str] = []  #: what was mended since the log was opened, a sentence each
        self.durable: int = state.durable  #: everything before this position survives a crash
        self.end: int = state.durable  #: where the next record will start
        self._files = files
        self._state = state
        self._control = control
        self._copies: list[Segments] = []
        for place in _directories(directory, config):
            self._copies.append(Segments(files, place, state.identity, config.file_pages, self.counters))
        self._extent_size: int = self._copies[0].capacity
        self._bad_headers: dict[int, str] = {}
        self._seed: int = identity_seed(state.identity)
        self._epoch: int = state.epoch
        self._compression: int = config.compression
        self._limit: int = 0  #: `end` may not pass this
        self.disk_full: str = ""  #: why no further file could be formatted or archived, as of the last attempt
        self._unarchived: list[int] = []  #: extents that the archive had no room for
        self._ready: bool = False
        self._refusal: str = "the log was not replayed to its end"
        self._queue = threading.Lock()
        self._lock_queue: Callable[[], object] = self._queue.acquire
        self._unlock_queue: Callable[[], object] = self._queue.release
        self._io = threading.Lock()
        self._parts: list[bytes] = []  #: bytes of the stream from `_written` to `end`
        self._large: list[int] = []  #: which of them are large
        self._written: int = self.end

    # Making and opening.

    @staticmethod
    def create(
        files: FileSystem, directory: str, config: LogConfig, identity: bytes = b"", first_extent: int = 0
    ) -> None:
        """Format a new log. A crash before this returns leaves no log, and `create` may be called again."""
        config.check()
        places = _directories(directory, config)
        state = ControlState(identity or os.urandom(16), config)
        if len(state.identity) != 16:
            raise LogError("the identity of a log has 16 bytes")
        for place in places:
            files.mkdir(place)
            if files.exists(f"{place}/{CONTROL_NAME}") and not _half_created(files, place, directory):
                raise LogError(f"there is already a log in {place}")
        last = first_extent + config.primary - 1
        for place in places:
            copy = Segments(files, place, state.identity, config.file_pages, LogCounters())
            for extent in range(first_extent, last + 1):
                copy.prepare(extent)
            copy.sync_all()
            state.checkpoint = first_extent * copy.capacity
            copy.close()
        if config.archive:
            files.mkdir(config.archive)
        state.durable = state.epoch_start = state.checkpoint
        state.last_extent = last
        state.clean = True
        ControlFile(files, places).create(state)

    @staticmethod
    def open(files: FileSystem, directory: str, second_copy: str = "") -> "Log":
        """Open a log for replay. `second_copy` is needed only when `directory` lost its control file."""
        state = load_control(files, [directory, second_copy] if second_copy else [directory])
        places = _directories(directory, state.config)
        state = load_control(files, places)
        for place in places:
            files.mkdir(place)
        log = Log(files, directory, state, ControlFile(files, places))
        log._open_files()
        return log

    def _open_files(self) -> None:
        """Open every file that restart may need; one that is bad in one copy is made again from the other."""
        rebuild: list[tuple[Segments, int, str]] = []
        for extent in range(self.first_extent, self._state.last_extent + 1):
            problems = [copy.open_extent(extent) for copy in self._copies]
            if all(problems):
                self._close_files()
                copy = self._copies[0]
                text = problems[0] + "; restore the file from a backup"
                raise LogDamaged(copy.path(extent), 0, extent * self._extent_size, text)
            for copy, problem in zip(self._copies, problems, strict=True):
                if problem:
                    rebuild.append((copy, extent, problem))
        for copy, extent, problem in rebuild:
            self._rebuild(copy, extent, problem)
        for extent in range(self.first_extent, self._state.last_extent + 1):
            self._check_headers(extent)

    def _rebuild(self, copy: Segments, extent: int, problem: str) -> None:
        """Make a missing or short file of one copy again from the other."""
        source = next(other for other in self._copies if other is not copy and other.has(extent))
        copy.prepare(extent)
        start = extent * self._extent_size
        for position in range(start, start + self._extent_size, _BLOCK):
            data = source.read(position, min(_BLOCK, start + self._extent_size - position))
            copy.write(position, [data], len(data))
        copy.sync_all()
        self.repairs.append(f"{copy.path(extent)}: {problem}; made again from the other copy")

    def _check_headers(self, extent: int) -> None:
        """Mend a header that is bad in one copy only; remember one that is bad in all, for `_finish` to judge."""
        problems = [copy.header_problem(extent) for copy in self._copies]
        if all(problems):
            self._bad_headers[extent] = problems[0]
            return
        for copy, problem in zip(self._copies, problems, strict=True):
            if problem:
                self._mend_header(copy, extent, problem)

    def _mend_header(self, copy: Segments, extent: int, problem: str) -> None:
        copy.write_header(extent)
        self.repairs.append(f"{copy.path(extent)}: {problem}; the header was written again")

    # Restart.

    def replay(self) -> Replay:
        """Return the records from the last checkpoint to the end. The log can be written once they are exhausted.

        LogDamaged ends it where something durable cannot be read back; then only `abandon` is left to call.
        """
        if self._ready:
            raise LogError("the log was already replayed")
        for copy in self._copies:
            for extent in copy.extents():
                if extent not in self._bad_headers:
                    copy.write_header(extent)  # The page cache may be all that has it (reader.py).
            copy.sync()
        return Replay(self._copies, self._state, self.counters, self.repairs, self._finish)

    def _finish(self, end: int, case: str) -> None:
        """The end is known: make replayed records durable in all copies, then start a new epoch there (L4, L5).

        In the first copy each record was durable before replay returned it: restart may have acted on it.
        """
        state = self._state
        current = end // self._extent_size
        for extent, problem in self._bad_headers.items():
            if case == TORN and extent >= current:
                # Its header was durable. Whatever destroyed it may have destroyed records as well.
                raise LogDamaged(self._copies[0].path(extent), 0, extent * self._extent_size, problem)
            for copy in self._copies:
                self._mend_header(copy, extent, problem)
        self._bad_headers.clear()
        self._mirror(state.checkpoint, end)
        for copy in self._copies:
            copy.sync_all()
        state.epoch += 1
        state.epoch_start = end
        state.durable = end
        state.clean = False
        self._store()
        self._epoch = state.epoch
        self.durable = self.end = self._written = end
        self._adopt_leftovers()
        self._recycle()
        self.counters.writes = self.counters.syncs = 0  # They count flushes, not what restart wrote again.
        self._ready = True

    def _mirror(self, start: int, end: int) -> None:
        """Make the other copies equal to the first, which replay has just read.

        Records that look equal are written, too: it may be in the page cache and not on the disk.
        """
        for copy in self._copies[1:]:
            for position in range(start, end, _BLOCK):
                length = min(_BLOCK, end - position)
                data = self._copies[0].read(position, length)
                differs = copy.read(position, length) != data
                copy.write(position, [data], length)
                if differs:
                    path, offset = copy.locate(position)
                    self.repairs.append(f"{path}: {length} bytes from offset {offset} copied from the other copy")

    def _adopt_leftovers(self) -> None:
        """Resume work after a crash: files that were released but not yet reused or archived."""
        for copy in self._copies:
            for extent in copy.leftovers(self.first_extent, self._state.last_extent):
                self._release(copy, extent)

    # Writing.

    def append(self, kind: int, body: bytes, data: bytes = b"") -> int:
        """Queue a record with the payload body + data; return the position just past it. No I/O.

        The record is durable when `durable` has reached the position returned. Large `data` is not copied: it is
        written from where it is. LogFull if a circular log has no room; then nothing was queued.
        """
        flags = NONE
        if self._compression != NONE:
            packed = compress(self._compression, body, data, self.counters)
            if packed is not None:
                flags = self._compression
                body = packed
                data = b""
        length = len(body) + len(data)
        if data and length <= SMALL:
            body += data
            data = b""
        size = (HEADER_SIZE + length + 7) & -8
        crc = crc32c(body)
        if data:
            crc = crc32c(data, crc)
        self._lock_queue()
        try:
            position = self.end
            end = position + size
            if end > self._limit or length > PAYLOAD_MAX or not self._ready:
                self._refuse(length, size)
            head = pack_header(MAGIC, length, position, self.durable, self._epoch, kind, flags, crc)
            parts = self._parts
            parts.append(head)
            parts.append(crc32c(head, self._seed).to_bytes(4, "little"))
            if len(body) >= LARGE:
                self._large.append(len(parts))
            parts.append(body)
            if data:
                if len(data) >= LARGE:
                    self._large.append(len(parts))
                parts.append(data)
            if length & 7:
                parts.append(PADDING[length & 7])
            self.end = end
        finally:
            self._unlock_queue()
        counters = self.counters
        counters.records += 1
        counters.bytes += size
        return end

    def _refuse(self, length: int, size: int) -> None:
        """Say why a record cannot be appended."""
        if not self._ready:
            raise LogError(self._refusal)
        if length > PAYLOAD_MAX:
            raise LogError(f"a log record holds at most {PAYLOAD_MAX} bytes, not {length}")
        raise LogFull(self.capacity, size)

    def flush(self) -> int:
        """Write and sync everything appended before the call; return the durable end then. For any thread."""
        self._io.acquire()
        try:
            return self._flush()
        finally:
            self._io.release()

    def _flush(self) -> int:
        """Flush, holding `_io`."""
        if not self._ready:
            raise LogError(self._refusal)
        self._queue.acquire()
        parts = self._parts
        large = self._large
        start = self._written
        end = self.end
        if start == end:
            self._queue.release()
            return self.durable
        self._parts = []
        self._large = []
        self._written = end
        self._queue.release()
        began = time.time_ns()
        try:
            self._write(start, end, _gather(parts, large))
        except BaseException as error:
            self._fail(error)
            raise
        self.counters.flushed((end + PAGE - 1) // PAGE - start // PAGE, began // 1000, time.time_ns() // 1000)
        self.durable = end
        formatted = (self._state.last_extent + 1) * self._extent_size
        if formatted - end < self._extent_size // 4 and formatted < self._limit:
            self._prepare_in_time()
        return end

    def _prepare_in_time(self) -> None:
        """Format the next file before the stream needs it. The records of the flush are durable in any case."""
        try:
            self._prepare_ahead(self._state.last_extent + 1)
        except BaseException as error:
            self._fail(error)
            raise

    def _write(self, start: int, end: int, parts: list[Bytes]) -> None:
        """Write the bytes of the stream from start to end to all copies, and sync them (L9)."""
        needed = (end - 1) // self._extent_size
        if needed > self._state.last_extent:
            self._prepare(needed)
        padding = -end % PAGE
        if padding:
            parts.append(memoryview(_ZERO_PAGE)[:padding])
        for copy in self._copies:
            copy.write(start, parts, end - start + padding)
        for copy in self._copies:
            copy.sync()

    def _fail(self, error: BaseException) -> None:
        """After an I/O error the content of the disk is not known: refuse all until the log is opened again (L8)."""
        self._ready = False
        self._refusal = f"the log stopped after an error: {error}"
        if isinstance(error, OSError):
            raise LogError(self._refusal) from error

    # Checkpoints and the life of the files.

    def checkpoint(self, position: int, generation: int, note: bytes = b"") -> None:
        """Make `position`, where a record starts or the log ends, the place where restart begins. Durable on return.

        Files wholly before it are reused, removed or archived.
        """
        self._io.acquire()
        try:
            if position > self.durable:
                self._flush()
            if not self._ready:
                raise LogError(self._refusal)
            self._check_boundary(position)
            try:
                self._take_checkpoint(position, generation, note)
            except LogError:
                raise
            except BaseException as error:
                self._fail(error)
                raise
        finally:
            self._io.release()

    def _check_boundary(self, position: int) -> None:
        """A restart from a position that is not a record boundary would find damage; refuse it now."""
        if not self._state.checkpoint <= position <= self.durable:
            raise LogError(
                f"a checkpoint at {position} is not between the last one at {self._state.checkpoint} "
                f"and the durable position {self.durable}"
            )
        if position < self.durable:
            data = self._copies[0].read(position, HEADER_SIZE)
            if decode_header(data, 0, position, self._seed) is None:
                raise LogError(f"no record starts at log position {position}")

    def _take_checkpoint(self, position: int, generation: int, note: bytes) -> None:
        state = self._state
        before = (state.checkpoint, state.generation, state.note)
        state.checkpoint = position
        state.generation = generation
        state.note = note
        state.durable = self.durable
        state.checkpoints += 1
        try:
            state.pack()
        except LogError:
            state.checkpoint, state.generation, state.note = before
            state.checkpoints -= 1
            raise
        self._store()  # Before any file changes its name (L6).
        self.counters.checkpoints += 1
        self.disk_full = ""
        unarchived, self._unarchived = self._unarchived, []
        for extent in unarchived:
            self._release(self._copies[0], extent)
        for copy in self._copies:
            for extent in copy.extents():
                if extent < self.first_extent:
                    self._release(copy, extent)
        self._recycle()

    def _release(self, copy: Segments, extent: int) -> None:
        """Restart no longer needs this file: let it go where the log's type sends it."""
        if not self.config.linear:
            copy.release(extent)
        elif not self.config.archive:
            copy.forget(extent)
        elif copy is self._copies[0]:
            try:
                copy.archive(extent, self.config.archive)
            except OSError as error:
                if error.errno not in DISK_FULL:
                    raise
                self.disk_full = f"{self.config.archive}: {error.strerror}"
                self._unarchived.append(extent)
        else:
            copy.remove(extent)

    def _recycle(self) -> None:
        """Give released files another life ahead of the log, as many as there are primary files; remove the rest."""
        config = self.config
        current = self.durable // self._extent_size
        if config.linear:
            self._limit = UNLIMITED
            self._prepare_ahead(current + config.primary - 1)
        else:
            files_max = self.first_extent + config.primary + config.secondary
            self._limit = files_max * self._extent_size
            self._prepare_ahead(min(max(current, self.first_extent + config.primary - 1), files_max - 1))
        for copy in self._copies:
            copy.remove_spares()
            copy.sync_all()

    def _prepare_ahead(self, last: int) -> None:
        """Have formatted files up to extent `last`. On a full disk the log ends with the last one there is room for."""
        try:
            while self._state.last_extent < last:
                self._prepare(self._state.last_extent + 1)
        except OSError as error:
            if error.errno not in DISK_FULL:
                raise
            self.disk_full = f"{self.directory}: {error.strerror}"
            self._limit = (self._state.last_extent + 1) * self._extent_size

    def _prepare(self, last: int) -> None:
        """Have formatted files up to extent `last`, and say so in the control file (L7).

        If the disk is full, none of them is left behind.
        """
        state = self._state
        if last <= state.last_extent:
            return
        try:
            for copy in self._copies:
                for extent in range(state.last_extent + 1, last + 1):
                    copy.prepare(extent)
                copy.sync_all()
        except OSError as error:
            if error.errno in DISK_FULL:
                for copy in self._copies:
                    for extent in range(state.last_extent + 1, last + 1):
                        copy.remove(extent)
            raise
        state.last_extent = last
        state.durable = max(state.durable, self.durable)
        self._store()

    def _store(self) -> None:
        self._control.store(self._state)
        self.counters.control_writes += 1

    # Ending.

    def close(self) -> None:
        """Flush, note a clean end, close the files. After a failed write only close the files."""
        self._io.acquire()
        try:
            try:
                if self._ready:
                    self._flush()
                    self._state.durable = self.durable
                    self._state.clean = True
                    self._store()
            except OSError as error:
                self._fail(error)
            finally:
                self._ready = False
                self._refusal = "the log is closed"
                self._close_files()
        finally:
            self._io.release()

    def abandon(self) -> None:
        """Close the files and nothing else, as if the process had ended here."""
        self._ready = False
        self._refusal = "the log is closed"
        self._close_files()

    def _close_files(self) -> None:
        for copy in self._copies:
            copy.close()
        self._control.close()

    # What others may know.

    def set_compression(self, kind: int) -> None:
        """SET LOG COMPLOG: from now on try to compress every record so, or none (B114)."""
        if kind not in (NONE, RLE, LZ4):
            raise LogError(f"{kind} is not a kind of log compression")
        self._compression = kind

    @property
    def compression(self) -> int:
        """NONE, RLE or LZ4."""
        return self._compression

    @property
    def checkpoint_position(self) -> int:
        """Where restart would begin to read."""
        return self._state.checkpoint

    @property
    def generation(self) -> int:
        """Return the generation that the last checkpoint was given."""
        return self._state.generation

    @property
    def note(self) -> bytes:
        """Return the note that the last checkpoint was given."""
        return self._state.note

    @property
    def epoch(self) -> int:
        """How many times the log has been opened for writing."""
        return self._state.epoch

    @property
    def first_extent(self) -> int:
        """The extent where restart would begin to read."""
        return self._state.checkpoint // self._extent_size

    @property
    def capacity(self) -> int:
        """How many bytes fit into all files together; of a linear log, into its primary files."""
        files = self.config.primary if self.config.linear else self.config.primary + self.config.secondary
        return files * self._extent_size

    @property
    def limit(self) -> int:
        """The position that the end of the log cannot pass before a checkpoint frees files."""
        return self._limit

    @property
    def used_fraction(self) -> float:
        """How much of `capacity` cannot be reused before a checkpoint. 1.0 is full; a linear log may pass it."""
        return (self.end - self.first_extent * self._extent_size) / self.capacity

    def status(self) -> dict[str, str | int]:
        """The log attributes of DISPLAY QMSTATUS, under their MQSC names. Sizes in MB as there, LOGEXTSZ in KB."""
        config = self.config
        current = max(self.end - 1, 0) // self._extent_size
        restart = (current - self.first_extent + 1) * config.file_pages * PAGE
        primary = config.primary * self._extent_size
        used = self.end - self._state.checkpoint
        status: dict[str, str | int] = {
            "LOGTYPE": "LINEAR" if config.linear else "CIRCULAR",
            "LOGPATH": self.directory,
            "LOGPRIM": config.primary,
            "LOGSEC": config.secondary,
            "LOGEXTSZ": config.file_pages * PAGE // 1024,
            "LOGINUSE": round(100 * used / primary),
            "LOGUTIL": round(100 * (self.end - self.first_extent * self._extent_size) / primary),
            "LOGSTRL": str(self._state.checkpoint),
            "REUSESZ": self._reusable() * config.file_pages * PAGE >> 20,
            "CHKPTCNT": self._state.checkpoints,
            "CHKPTSZ": used >> 20,
        }
        if config.linear:
            status["CURRLOG"] = file_name(current)
            status["RECLOG"] = file_name(self.first_extent)
            status["RECSZ"] = restart >> 20
            status["ARCHLOG"] = file_name(self.first_extent)
            status["ARCHSZ"] = 0
        return status

    def _reusable(self) -> int:
        """Files that are formatted and wait to be written."""
        return max(0, self._state.last_extent - self.end // self._extent_size)

    def segments(self) -> list[Segments]:
        """The physical copies, the first one first."""
        return self._copies

    def state(self) -> ControlState:
        """Return the content of the control file."""
        return self._state


def _directories(directory: str, config: LogConfig) -> list[str]:
    return [directory, config.second_copy] if config.second_copy else [directory]


def _half_created(files: FileSystem, place: str, directory: str) -> bool:
    """Say whether the control file in `place`, a second copy, is all that an interrupted `create` finished."""
    state = load_control(files, [place])
    return place != directory and state.config.second_copy == place and state.sequence == 0


def _gather(parts: list[bytes], large: list[int]) -> list[Bytes]:
    """Join runs of small parts; leave large ones where they are."""
    if not large:
        return [b"".join(parts)]
    out: list[Bytes] = []
    start = 0
    for index in large:
        if index > start:
            out.append(b"".join(parts[start:index]))
        out.append(parts[index])
        start = index + 1
    if start < len(parts):
        out.append(b"".join(parts[start:]))
    return out


def check_log(log: Log) -> None:
    """Test the invariants that a program can see (L1 to L3, L7). For a log that has been replayed."""
    state = log.state()
    copies = log.segments()
    size = copies[0].capacity
    assert state.checkpoint <= log.durable <= log.end, "L1: checkpoint, durable and end are in this order"
    assert state.epoch_start <= state.durable <= log.durable, "L2: the control file never claims too much"
    assert log.durable <= (state.last_extent + 1) * size, "L7: what is durable is in formatted files"
    wanted = list(range(log.first_extent, state.last_extent + 1))
    for copy in copies:
        assert copy.extents() == wanted, f"L3: {copy.directory} has files {copy.extents()}, needs {wanted}"
    files = log.config.primary + log.config.secondary
    assert log.config.linear or len(wanted) <= files, "L3: a circular log never has more than its files"
