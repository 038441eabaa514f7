"""A field of many structures as an Arrow array. The types of the columns are the table in ../fields.py.

An unsigned integer becomes the next larger signed type, because Spark has no other; eight bytes stay eight, and a value
beyond 2^63 - 1, which no counter reaches, becomes that.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from flintmq.telemetry.smf.clock import EPOCH_1970
from flintmq.telemetry.smf.codes import CODES
from flintmq.telemetry.smf.columns.block import Bytes, Flags, Integers
from flintmq.telemetry.smf.ebcdic import BLANK, TABLE
from flintmq.telemetry.smf.fields import Field

UTC = pa.timestamp("us", "UTC")
LOCAL = pa.timestamp("us")
LARGEST = np.iinfo(np.int64).max

#: EBCDIC to Latin-1, byte by byte.
_LATIN = np.array([ord(character) for character in TABLE], np.uint8)
_HEX = np.frombuffer("".join(f"{byte:02X}" for byte in range(256)).encode(), np.uint8).reshape(256, 2)


@cache
def type_of(field: Field) -> Any:
    """Return the Arrow type of a field's column."""
    if field.kind == "tod":
        return UTC
    if field.kind in ("c", "x") or field.codes:
        return pa.string()
    if field.kind == "bit":
        return pa.bool_()
    if field.kind == "dur" or field.size == 8 or (field.kind == "u" and field.size == 4):
        return pa.int64()
    return pa.int32()


def array_of(field: Field, values: NDArray[Any]) -> Any:
    """Return the column of a field, from its values in the structures."""
    if field.kind == "c":
        return texts(values)
    if field.kind == "x":
        return hexadecimals(values)
    if field.kind == "tod":
        return timestamps(clocks(values), values.astype(np.uint64) >= EPOCH_1970, UTC)
    if field.kind == "bit":
        return flags(field, values)
    if field.kind == "dur":
        return plain((values.astype(np.uint64) >> np.uint64(12)).astype(np.int64), pa.int64())
    if field.codes:
        return words(field, values)
    return numbers(field, values)


def numbers(field: Field, values: NDArray[Any]) -> Any:
    kind = type_of(field)
    if field.kind == "u" and field.size == 8:
        native = np.minimum(values.astype(np.uint64), np.uint64(LARGEST)).astype(np.int64)
    else:
        native = values.astype(np.int64 if kind == pa.int64() else np.int32)
    if field.none < 0:
        return plain(native, kind)
    absent = native == field.none
    if field.shown >= 0:
        return plain(np.where(absent, field.shown, native).astype(native.dtype), kind)
    return plain(native, kind, ~absent)


def plain(values: NDArray[Any], kind: Any, known: Flags | None = None) -> Any:
    """Return an array over the memory of `values`, null where a value is not known.

    pa.array() costs ten times as much a call.
    """
    whole = known is None or known.all()
    validity = None if whole else pa.py_buffer(np.packbits(np.asarray(known), bitorder="little"))
    return pa.Array.from_buffers(kind, len(values), [validity, pa.py_buffer(np.ascontiguousarray(values))])


def booleans(values: Flags) -> Any:
    packed = np.packbits(values, bitorder="little")
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(packed)])


def clocks(values: NDArray[Any]) -> Integers:
    """Convert store clocks to microseconds since 1970; earlier clocks have no meaning."""
    shifted: Integers = ((values.astype(np.uint64) - np.uint64(EPOCH_1970)) >> np.uint64(12)).astype(np.int64)
    return shifted


def timestamps(microseconds: Integers, known: Flags, kind: Any) -> Any:
    return plain(np.where(known, microseconds, 0), kind, known)


def flags(field: Field, values: NDArray[Any]) -> Any:
    on = (values & field.mask) != 0
    if not field.codes:
        return booleans(on)
    return _strings(*field.codes.split("/")).take(plain(on.astype(np.int64), pa.int64()))


def words(field: Field, values: NDArray[Any]) -> Any:
    """Return the words of a code table; null for a number that it lacks."""
    table = CODES[field.codes]
    known = sorted(table)
    native = values.astype(np.int64)
    place = np.minimum(np.searchsorted(known, native), len(known) - 1)
    missing = np.array(known, np.int64)[place] != native
    return _strings(*(table[code] for code in known)).take(plain(place, pa.int64(), ~missing))


@cache
def _strings(*each: str) -> Any:
    return pa.array(each)


def texts(values: Bytes) -> Any:
    """Decode EBCDIC text without trailing blanks and X'00'; null where every byte is X'00'."""
    count, width = values.shape
    significant = (values != BLANK) & (values != 0)
    last = width - np.argmax(significant[:, ::-1], axis=1)
    lengths = np.where(significant.any(axis=1), last, 0)
    kept = np.arange(width) < lengths[:, None]
    text = _LATIN[values[kept]]
    if (text & 0x80).any():
        sizes = np.where(_LATIN[values] & 0x80, 2, 1)
        lengths = (sizes * kept).sum(axis=1)
        text = _utf8(text)
    offsets = np.zeros(count + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    set_ones = values.any(axis=1)
    validity = None if set_ones.all() else pa.py_buffer(np.packbits(set_ones, bitorder="little"))
    return pa.Array.from_buffers(pa.string(), count, [validity, pa.py_buffer(offsets), pa.py_buffer(text)])


def _utf8(latin: Bytes) -> Bytes:
    """Encode Latin-1 as UTF-8: characters above X'7F' take two bytes."""
    wide = latin >= 0x80
    sizes = 1 + wide.astype(np.int64)
    made = np.repeat(latin, sizes)
    second = np.cumsum(sizes)[wide] - 1
    made[second] = 0x80 | (latin[wide] & 0x3F)
    made[second - 1] = 0xC0 | (latin[wide] >> 6)
    return made


def hexadecimals(values: Bytes) -> Any:
    count, width = values.shape
    digits = np.ascontiguousarray(_HEX[values].reshape(count, 2 * width))
    offsets = np.arange(count + 1, dtype=np.int32) * np.int32(2 * width)
    return pa.Array.from_buffers(pa.string(), count, [None, pa.py_buffer(offsets), pa.py_buffer(digits)])
