"""A readable dump of one log file or control file, line by line. Reads only; works on files of a log that is in use.

    for line in inspect_file(RealFiles(), path, describe):
        print(line)

`describe(kind, payload)` puts the payload of a record into words; the log itself does not know what its records mean. A
record that goes on in the next file is shown without its payload. Records that validate behind a place that does not
are marked `stale`: they were cut off by a restart, or the place in front of them is damaged.
"""

from collections.abc import Callable, Iterator
from typing import Final

from crc32c import crc32c

from flintmq.log.compress import LZ4, NONE, RLE, decompress
from flintmq.log.control import MAGIC as CONTROL_MAGIC
from flintmq.log.control import SLOT_SIZE, ControlState, unpack_slot
from flintmq.log.counters import LogCounters
from flintmq.log.errors import LogError
from flintmq.log.files import FileSystem, LogFile
from flintmq.log.record import (
    ALIGNMENT,
    FLAG_COMPRESSED,
    HEADER_SIZE,
    MAGIC_BYTES,
    Header,
    decode_header,
    identity_seed,
)
from flintmq.log.segments import MAGIC as LOG_MAGIC
from flintmq.log.segments import PAGE, FileHeader, extent_of_name, file_name, unpack_file_header

Describe = Callable[[int, bytes], str]

COMPRESSION_NAMES: Final = {NONE: "NONE", RLE: "RLE", LZ4: "LZ4"}

_BLOCK: Final = 1 << 20
_PREVIEW: Final = 24  # Bytes of a payload that nobody describes.


def preview(kind: int, payload: bytes) -> str:
    """Show the first bytes of a payload: the default."""
    text = payload[:_PREVIEW].hex(" ", 4)
    return f"{text} ..." if len(payload) > _PREVIEW else text


def recognises(start: bytes) -> bool:
    """Say whether the first bytes of a file are those of a log file or a control file."""
    return start[:8] in (LOG_MAGIC, CONTROL_MAGIC)


def inspect_file(files: FileSystem, path: str, describe: Describe = preview) -> Iterator[str]:
    """Yield the lines. LogError if the file cannot be read or is neither a log file nor a control file."""
    try:
        file = files.open(path, False)
    except OSError as error:
        raise LogError(f"{path} cannot be opened: {error.strerror}") from error
    try:
        start = file.read_at(0, PAGE)
        name = path.rpartition("/")[2]
        if start[:8] == CONTROL_MAGIC or (name.endswith(".lfh") and file.read_at(SLOT_SIZE, 8) == CONTROL_MAGIC):
            yield from _control_lines(file)
        elif start[:8] == LOG_MAGIC or extent_of_name(name) >= 0:
            yield from _log_lines(file, start, describe)
        else:
            raise LogError(f"{path} is neither a log file nor a control file: it starts with {start[:8].hex()}")
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror}") from error
    finally:
        file.close()


# The control file.


def _control_lines(file: LogFile) -> Iterator[str]:
    yield "control file of a recovery log"
    shown = b""
    for number in (0, 1):
        slot = file.read_at(number * SLOT_SIZE, SLOT_SIZE)
        try:
            state = unpack_slot(slot)
        except ValueError as error:
            yield f"slot {number}: not valid: {error}"
            continue
        if slot == shown:
            yield f"slot {number}: the same"
            continue
        shown = slot
        yield f"slot {number}:"
        yield from _state_lines(state)


def _state_lines(state: ControlState) -> Iterator[str]:
    config = state.config
    capacity = (config.file_pages - 1) * PAGE
    fields: list[tuple[str, str | int]] = [
        ("sequence", state.sequence),
        ("identity", state.identity.hex()),
        ("type", "LINEAR" if config.linear else "CIRCULAR"),
        ("file pages", config.file_pages),
        ("primary files", config.primary),
        ("secondary files", config.secondary),
        ("compression", COMPRESSION_NAMES[config.compression]),
        ("second copy", config.second_copy or "none"),
        ("archive", config.archive or "none"),
        ("closed cleanly", "yes" if state.clean else "no"),
        ("epoch", f"{state.epoch} from position {state.epoch_start}"),
        ("checkpoint", f"position {state.checkpoint} in {file_name(state.checkpoint // capacity)}"),
        ("generation", state.generation),
        ("checkpoints", state.checkpoints),
        ("durable", f"position {state.durable} in {file_name(state.durable // capacity)}"),
        ("formatted to", file_name(state.last_extent)),
        ("note", preview(0, state.note) or "none"),
    ]
    for name, value in fields:
        yield f"  {name:<16}{value}"


# A log file.


def _log_lines(file: LogFile, start: bytes, describe: Describe) -> Iterator[str]:
    try:
        header = unpack_file_header(start)
    except ValueError as error:
        yield f"log file whose header is not valid: {error}"
        yield "its records cannot be checked without the identity of the log"
        return
    size = file.size()
    yield f"log file {file_name(header.extent)} of log {header.identity.hex()}"
    end = header.position + (header.file_pages - 1) * PAGE
    yield f"  positions {header.position} to {end}, {header.file_pages} pages"
    if size != header.file_pages * PAGE:
        yield f"  the file has {size} bytes instead of {header.file_pages * PAGE}"
    yield from _record_lines(file, header, min(size, header.file_pages * PAGE), describe)


def _record_lines(file: LogFile, file_header: FileHeader, size: int, describe: Describe) -> Iterator[str]:
    seed = identity_seed(file_header.identity)
    offset = _find_record(file, file_header, PAGE, size, seed)
    if offset > PAGE:
        yield f"{PAGE:>10}  the rest of a record in the file before, or nothing that validates"
    records = 0
    stale = ""
    epoch = 0
    while offset < size:
        position = file_header.position + offset - PAGE
        record = decode_header(file.read_at(offset, HEADER_SIZE), 0, position, seed)
        if record is not None and record.epoch < epoch and not stale:
            stale = "stale: "
            yield f"{offset:>10}  position {position}: records of an older epoch follow"
        if record is None:
            following = _find_record(file, file_header, offset, size, seed)
            yield f"{offset:>10}  position {position}: no valid record; end of the log, or damage"
            stale = "stale: "
            offset = following
            continue
        records += 1
        epoch = max(epoch, record.epoch)
        yield f"{offset:>10}  {stale}{_record_line(file, record, offset, size, describe)}"
        offset += record.end - record.position
    yield f"{records} records"


def _record_line(file: LogFile, record: Header, offset: int, size: int, describe: Describe) -> str:
    compression = record.flags & FLAG_COMPRESSED
    line = f"position {record.position} epoch {record.epoch} synced {record.synced} kind {record.kind}"
    line += f" {record.length} bytes"
    if compression:
        line += f" {COMPRESSION_NAMES.get(compression, '?')}"
    start = offset + HEADER_SIZE
    if start + record.length > size:
        return f"{line}: goes on in the next file"
    payload = file.read_at(start, record.length)
    if crc32c(payload) != record.payload_crc:
        return f"{line}: the CRC of the payload does not fit"
    if compression:
        try:
            payload = decompress(compression, payload, LogCounters())
        except ValueError as error:
            return f"{line}: {error}"
    return f"{line}: {describe(record.kind, payload)}"


def _find_record(file: LogFile, file_header: FileHeader, offset: int, size: int, seed: int) -> int:
    """Return the offset of the first valid header at or after `offset`, `size` if there is none."""
    while offset < size:
        data = file.read_at(offset, min(_BLOCK + HEADER_SIZE, size - offset))
        found = data.find(MAGIC_BYTES)
        while 0 <= found < _BLOCK:
            position = file_header.position + offset - PAGE + found
            if found % ALIGNMENT == 0 and decode_header(data, found, position, seed) is not None:
                return offset + found
            found = data.find(MAGIC_BYTES, found + 1)
        offset += _BLOCK
    return size
