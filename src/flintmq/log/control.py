"""The control file: state of the log that is needed before it can read a record.

`control.lfh` is two slots of 16 KiB with the same content. An update writes and syncs slot 0, then slot 1, so
whatever a crash does to one of them, the other holds this state or the one before; and when there was no crash,
damage to one slot costs nothing, because the other says the same. With a second copy of the log there is a second
control file beside it, and the highest sequence of all valid slots counts.

    offset  field        type     value
         0  magic        char 8   "FLINTCTL"
         8  version      uint32   1
        12  CRC          uint32   CRC32C of bytes 16 up to `length`
        16  length       uint32   of the slot's content
        20  flags        uint32   1: closed cleanly, `durable` is the end of the log
        24  sequence     uint64   of this update
        32  identity     16 bytes of the log; also in every log file, and under every record's CRC
        48  file pages   uint32   pages of 4 KiB in a log file, header page included
        52  primary      uint32   log files
        56  secondary    uint32   log files
        60  type         uint32   0 circular, 1 linear
        64  compression  uint32   0 none, 1 RLE, 2 LZ4
        68  epoch        uint32   of the records at and after `epoch start`
        72  epoch start  uint64   where the log ended when it was last opened
        80  last extent  uint64   log files up to this one exist and are formatted
        88  checkpoint   uint64   position where restart begins to read
        96  durable      uint64   records before this position were durable when this was written
       104  generation   uint64   of the checkpoint; the writer's own
       112  checkpoints  uint64   taken since the log was created
       120  lengths      3 x uint32  of the three fields that follow
       132  second copy, archive (UTF-8), note (the writer's own)
"""

import struct
from typing import Final

from crc32c import crc32c

from flintmq.log.config import LogConfig
from flintmq.log.errors import LogDamaged, LogError
from flintmq.log.files import FileSystem, LogFile

CONTROL_NAME: Final = "control.lfh"
NEW_NAME: Final = "control.new"
MAGIC: Final = b"FLINTCTL"
VERSION: Final = 1
SLOT_SIZE: Final = 16384
NOTE_MAX: Final = 8192
FLAG_CLEAN: Final = 1

_PREFIX: Final = struct.Struct("<8sII")
_FIELDS: Final = struct.Struct("<IIQ16sIIIIIIQQQQQQIII")  # From `length` on, in the order of the table.
_START: Final = 132
assert _PREFIX.size + _FIELDS.size == _START


class ControlState:
    """The content of a control file."""

    def __init__(self, identity: bytes, config: LogConfig) -> None:
        self.identity = identity
        self.config = config
        self.sequence: int = 0
        self.clean: bool = False
        self.epoch: int = 0
        self.epoch_start: int = 0
        self.last_extent: int = 0
        self.checkpoint: int = 0
        self.durable: int = 0
        self.generation: int = 0
        self.checkpoints: int = 0
        self.note: bytes = b""

    def pack(self) -> bytes:
        """Return the slot content; LogError if note and directory names do not fit."""
        config = self.config
        second = config.second_copy.encode()
        archive = config.archive.encode()
        length = _START + len(second) + len(archive) + len(self.note)
        if length > SLOT_SIZE or len(self.note) > NOTE_MAX:
            raise LogError(f"directory names and checkpoint note of {length} bytes do not fit into the control file")
        fields = _FIELDS.pack(
            length,
            FLAG_CLEAN if self.clean else 0,
            self.sequence,
            self.identity,
            config.file_pages,
            config.primary,
            config.secondary,
            1 if config.linear else 0,
            config.compression,
            self.epoch,
            self.epoch_start,
            self.last_extent,
            self.checkpoint,
            self.durable,
            self.generation,
            self.checkpoints,
            len(second),
            len(archive),
            len(self.note),
        )
        rest = fields + second + archive + self.note
        return _PREFIX.pack(MAGIC, VERSION, crc32c(rest)) + rest


def unpack_slot(data: bytes) -> ControlState:
    """Return the state in a slot; ValueError has the mistake."""
    if len(data) < _START:
        raise ValueError("cut off")
    magic, version, crc = _PREFIX.unpack_from(data, 0)
    if magic != MAGIC:
        raise ValueError("no magic number")
    fields = _FIELDS.unpack_from(data, _PREFIX.size)
    length = fields[0]
    if not _START <= length <= len(data):
        raise ValueError("length out of range")
    if crc32c(data[_PREFIX.size : length]) != crc:
        raise ValueError("CRC does not fit")
    if version != VERSION:
        raise ValueError(f"version {version} is not known here")
    second_length, archive_length, note_length = fields[16:]
    if _START + second_length + archive_length + note_length != length:
        raise ValueError("lengths do not add up")
    archive_at = _START + second_length
    note_at = archive_at + archive_length
    config = LogConfig(
        file_pages=fields[4],
        primary=fields[5],
        secondary=fields[6],
        linear=fields[7] == 1,
        compression=fields[8],
        second_copy=data[_START:archive_at].decode(),
        archive=data[archive_at:note_at].decode(),
    )
    try:
        config.check()
    except LogError as error:
        raise ValueError(str(error)) from None
    state = ControlState(fields[3], config)
    state.clean = bool(fields[1] & FLAG_CLEAN)
    state.sequence = fields[2]
    state.epoch, state.epoch_start, state.last_extent = fields[9:12]
    state.checkpoint, state.durable, state.generation, state.checkpoints = fields[12:16]
    state.note = data[note_at:length]
    return state


class ControlFile:
    """The control file in each directory of the log."""

    def __init__(self, files: FileSystem, directories: list[str]) -> None:
        self._files = files
        self._directories = directories
        self._open: list[LogFile] = []

    def create(self, state: ControlState) -> None:
        """Write the first control files. The log exists once the one in the first directory has its name."""
        content = state.pack()
        for directory in reversed(self._directories):
            file = self._files.open(f"{directory}/{NEW_NAME}", True)
            file.allocate(2 * SLOT_SIZE)
            file.write_at(0, [content])
            file.write_at(SLOT_SIZE, [content])
            file.sync()
            file.close()
            self._files.rename(f"{directory}/{NEW_NAME}", f"{directory}/{CONTROL_NAME}")
            self._files.sync_directory(directory)

    def store(self, state: ControlState) -> None:
        """Make `state` durable, slot by slot. On return every slot of every control file holds it."""
        state.sequence += 1
        content = state.pack()
        if not self._open:
            self._open_all()
        for offset in (0, SLOT_SIZE):
            for file in self._open:
                file.write_at(offset, [content])
            for file in self._open:
                file.sync()

    def _open_all(self) -> None:
        """Open the control files for writing, making again one that is missing or too short."""
        for directory in self._directories:
            path = f"{directory}/{CONTROL_NAME}"
            found = self._files.exists(path)
            file = self._files.open(path, True)
            if file.size() < 2 * SLOT_SIZE:
                file.allocate(2 * SLOT_SIZE)
            if not found:
                self._files.sync_directory(directory)
            self._open.append(file)

    def close(self) -> None:
        """Close the files. The state on disk stays as the last `store` left it."""
        for file in self._open:
            file.close()
        self._open = []


def load_control(files: FileSystem, directories: list[str]) -> ControlState:
    """Return the newest valid state in the control files of `directories`.

    LogError if there is no log; LogDamaged, naming the first control file, if there is one but no slot of it validates.
    """
    best: ControlState | None = None
    found = ""
    problems: list[str] = []
    for directory in directories:
        path = f"{directory}/{CONTROL_NAME}"
        if not files.exists(path):
            continue
        found = found or path
        for number, data in enumerate(_read_slots(files, path)):
            try:
                state = unpack_slot(data)
            except (ValueError, struct.error) as error:
                problems.append(f"slot {number}: {error}")
                continue
            if best is not None and state.identity != best.identity:
                raise LogError(f"{path} belongs to another log than {found}")
            if best is None or state.sequence > best.sequence:
                best = state
    if best is not None:
        return best
    if not found:
        raise LogError(f"there is no log in {directories[0]}: it has no {CONTROL_NAME}")
    text = "no slot of the control file validates (" + "; ".join(problems) + "); restore it from a backup"
    raise LogDamaged(found, 0, 0, text)


def _read_slots(files: FileSystem, path: str) -> list[bytes]:
    slots: list[bytes] = []
    try:
        file = files.open(path, False)
    except OSError as error:
        raise LogError(f"{path} cannot be opened: {error.strerror}") from error
    try:
        for offset in (0, SLOT_SIZE):
            try:
                slots.append(file.read_at(offset, SLOT_SIZE))
            except OSError:
                slots.append(b"")  # An unreadable slot is a bad slot; the other one may do.
    finally:
        file.close()
    return slots
