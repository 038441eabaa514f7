"""One log record: 40 bytes of header, the payload, zeros up to a multiple of 8. Little-endian.

    offset  field        type    value
         0  magic        uint32  "FLR1"
         4  length       uint32  of the payload as stored
         8  position     uint64  of this record in the endless stream; never used twice
        16  synced       uint64  what was durable when this record was appended: proof that all before it was once good
        24  epoch        uint32  grows by one each time the log is opened
        28  kind         uint16  the writer's own; the log does not look at it
        30  flags        uint16  1 RLE, 2 LZ4: how the payload is compressed
        32  payload CRC  uint32  CRC32C of the payload as stored
        36  header CRC   uint32  CRC32C of bytes 0 to 35, started with the CRC32C of the log's identity
        40  payload

A header validates by itself, so that a length is never believed before its CRC was checked, and a file of another
log, or the bytes of an earlier life of this file, never validate: identity and position are under the CRC.
"""

import struct
from typing import Final

from crc32c import crc32c

MAGIC: Final = 0x31524C46
MAGIC_BYTES: Final = b"FLR1"
HEADER_SIZE: Final = 40
ALIGNMENT: Final = 8
PAYLOAD_MAX: Final = 128 << 20  # Bodies up to 100 MiB, and the headers of a message beside them.
KIND_MAX: Final = 0xFFFF
FLAG_RLE: Final = 1
FLAG_LZ4: Final = 2
FLAG_COMPRESSED: Final = 3

_HEADER: Final = struct.Struct("<IIQQIHHI")  # In the order of the table, up to the payload CRC.
_CRC: Final = struct.Struct("<I")
_WHOLE: Final = struct.Struct("<IIQQIHHII")
assert _HEADER.size == 36 and _WHOLE.size == HEADER_SIZE

pack_header: Final = _HEADER.pack
pack_crc: Final = _CRC.pack

PADDING: Final = [bytes((-size) % ALIGNMENT) for size in range(ALIGNMENT)]  #: by size % 8


class LogRecord:
    """A record as replay returns it: where it starts, where the next one starts, and the payload of the writer."""

    def __init__(self, position: int, end: int, kind: int, payload: bytes) -> None:
        self.position = position
        self.end = end
        self.kind = kind
        self.payload = payload

    def __repr__(self) -> str:
        return f"LogRecord(position={self.position}, kind={self.kind}, {len(self.payload)} bytes)"


class Header:
    """A record header whose CRC and position have been checked. Its payload has not been."""

    def __init__(
        self, length: int, position: int, synced: int, epoch: int, kind: int, flags: int, payload_crc: int
    ) -> None:
        self.length = length
        self.position = position
        self.synced = synced
        self.epoch = epoch
        self.kind = kind
        self.flags = flags
        self.payload_crc = payload_crc
        self.end = position + record_size(length)


def identity_seed(identity: bytes) -> int:
    """Return the start value of the header CRCs of a log."""
    return crc32c(identity)


def record_size(length: int) -> int:
    """Return how many bytes a record with a payload of `length` takes in the log."""
    return (HEADER_SIZE + length + 7) & -8


def encode_record(
    kind: int, payload: bytes, position: int, synced: int, epoch: int, seed: int, flags: int = 0
) -> bytes:
    """Return a whole record. The writer builds the same from parts, without copying the payload."""
    head = pack_header(MAGIC, len(payload), position, synced, epoch, kind, flags, crc32c(payload))
    return head + pack_crc(crc32c(head, seed)) + payload + PADDING[len(payload) & 7]


def decode_header(data: bytes, offset: int, position: int, seed: int) -> Header | None:
    """Return the header at `offset` if it validates as the one of a record at `position`."""
    if len(data) - offset < HEADER_SIZE:
        return None
    magic, length, own, synced, epoch, kind, flags, payload_crc, header_crc = _WHOLE.unpack_from(data, offset)
    if magic != MAGIC or own != position or length > PAYLOAD_MAX or synced > position:
        return None
    if crc32c(data[offset : offset + 36], seed) != header_crc:
        return None
    return Header(length, own, synced, epoch, kind, flags, payload_crc)
