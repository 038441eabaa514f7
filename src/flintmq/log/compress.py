"""Compression of log records: RLE or LZ4, tried on each 4 KiB chunk by itself (B115).

The payload of a compressed record, little-endian:

    offset  field     type    value
         0  length    uint32  of the payload before compression
         4  chunks    uint32  how many chunks follow
         8  sizes     2 x uint16 for each chunk: its size before, its size here; equal means stored as it is
         -  contents  the chunks, one after the other

The body of a record (the queue manager's own headers) rides with the first chunk of the data, so that a 100 KiB
message makes 25 attempts and its headers compress even where its data does not (B116). A record in which no chunk
became smaller is stored as if compression were off.

A chunk in RLE is a list of tokens: uint16 literal length, uint16 run length, uint8 value, then the literal. It means
the literal and then a run of the value. Runs shorter than 8 are not worth a token and stay literals.
"""

import re
import struct
from typing import Final

import lz4.block

from flintmq.log.counters import LogCounters

NONE: Final = 0
RLE: Final = 1
LZ4: Final = 2

CHUNK_SIZE: Final = 4096

_PREFIX: Final = struct.Struct("<II")
_SIZES: Final = struct.Struct("<HH")
_TOKEN: Final = struct.Struct("<HHB")
_TOKEN_SIZE: Final = 5
_RUN: Final = re.compile(rb"\x00\x00\x00\x00\x00\x00\x00\x00*")  # Seven equal neighbours: eight equal bytes.


def rle_encode(chunk: bytes) -> bytes:
    """Return `chunk` as RLE tokens. May be longer than the input, by one token at most for data without runs.

    Neighbours are compared all at once: x ^ (x >> 8), seen as bytes, is zero wherever a byte repeats the one before.
    """
    size = len(chunk)
    number = int.from_bytes(chunk, "big")
    same = (number ^ (number >> 8)).to_bytes(size, "big")
    out: list[bytes] = []
    done = 0
    for match in _RUN.finditer(same):
        start, end = match.span()
        if start > done:
            start -= 1  # The run starts with the byte that the first zero repeats.
        out.append(_TOKEN.pack(start - done, end - start, chunk[start]))
        out.append(chunk[done:start])
        done = end
    if done < size:
        out.append(_TOKEN.pack(size - done, 0, 0))
        out.append(chunk[done:])
    return b"".join(out)


def rle_decode(data: bytes, size: int) -> bytes:
    """Return the `size` bytes that `rle_encode` was given; ValueError if `data` is not its work."""
    out: list[bytes] = []
    offset = 0
    made = 0
    end = len(data)
    while offset < end:
        if end - offset < _TOKEN_SIZE:
            raise ValueError("RLE token cut off")
        literal, run, value = _TOKEN.unpack_from(data, offset)
        offset += _TOKEN_SIZE
        if literal > end - offset:
            raise ValueError("RLE literal cut off")
        out.append(data[offset : offset + literal])
        out.append(bytes((value,)) * run)
        offset += literal
        made += literal + run
        if made > size:
            break
    if made != size:
        raise ValueError(f"RLE chunk expands to {made} bytes instead of {size}")
    return b"".join(out)


def compress(kind: int, body: bytes, data: bytes, counters: LogCounters) -> bytes | None:
    """Return the payload body+data compressed, or None if no chunk became smaller."""
    payload = body + data
    length = len(payload)
    end = CHUNK_SIZE
    if data and len(body) < CHUNK_SIZE:
        end += len(body)
    start = 0
    sizes: list[bytes] = []
    contents: list[bytes] = []
    gained = False
    while start < length:
        chunk = payload[start:end]
        small: bytes = rle_encode(chunk) if kind == RLE else lz4.block.compress(chunk, store_size=False)
        counters.compression_requests += 1
        counters.compression_bytes_in += len(chunk)
        if len(small) > len(chunk):
            counters.compression_failures += 1
        if len(small) >= len(chunk):
            small = chunk
        else:
            gained = True
        counters.compression_bytes_out += len(small)
        sizes.append(_SIZES.pack(len(chunk), len(small)))
        contents.append(small)
        start = end
        end += CHUNK_SIZE
    if not gained:
        return None
    packed = b"".join([_PREFIX.pack(length, len(contents))] + sizes + contents)
    return packed if len(packed) < length else None


def decompress(kind: int, packed: bytes, counters: LogCounters) -> bytes:
    """Return the payload that `compress` was given; ValueError if `packed` is not its work."""
    if len(packed) < 8:
        raise ValueError("compressed payload cut off")
    length, count = _PREFIX.unpack_from(packed, 0)
    offset = 8 + 4 * count
    if offset > len(packed):
        raise ValueError("compressed payload has no room for its chunk sizes")
    out: list[bytes] = []
    made = 0
    for index in range(count):
        before, after = _SIZES.unpack_from(packed, 8 + 4 * index)
        small = packed[offset : offset + after]
        if len(small) != after:
            raise ValueError(f"compressed chunk {index} cut off")
        counters.decompression_requests += 1
        counters.decompression_bytes_in += after
        offset += after
        if after != before:
            try:
                small = rle_decode(small, before) if kind == RLE else _lz4_decode(small, before)
            except ValueError:
                counters.decompression_failures += 1
                raise
        counters.decompression_bytes_out += len(small)
        made += len(small)
        out.append(small)
    if made != length or offset != len(packed):
        raise ValueError(f"compressed payload expands to {made} bytes instead of {length}")
    return b"".join(out)


def _lz4_decode(small: bytes, size: int) -> bytes:
    try:
        chunk: bytes = lz4.block.decompress(small, uncompressed_size=size)
    except (lz4.block.LZ4BlockError, ValueError, MemoryError) as error:
        raise ValueError(f"LZ4 chunk: {error}") from None
    if len(chunk) != size:
        raise ValueError(f"LZ4 chunk expands to {len(chunk)} bytes instead of {size}")
    return chunk
