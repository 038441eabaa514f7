"""A structure as bytes, field by field from its layout: the other direction of columns/, for one structure at a time.

    type    value
    uN iN   int; a larger number is cut to the field's size, as a counter on z/OS wraps
    cN      str, padded with blanks; None is X'00'
    xN      bytes, padded with X'00'
    tod8    microseconds since 1970, None for "not set"
    dur8    microseconds
    bit     bool

Fields that no value is given for are zero; text fields that were never set are X'00', as in the product.
"""

from __future__ import annotations

from collections.abc import Mapping

from flintmq.telemetry.smf.clock import clock_of_microseconds
from flintmq.telemetry.smf.ebcdic import bytes_of
from flintmq.telemetry.smf.fields import Field, Structure

Value = int | str | bytes | None


def pack(structure: Structure, values: Mapping[str, Value], length: int = 0) -> bytes:
    """Pack a structure of `length` bytes, by default its newest length.

    Identifier, length and eye-catcher are filled in. A field that a structure of this length does not have is left out,
    so one set of values serves every release.
    """
    length = length or structure.length
    made = bytearray(length)
    if structure.eye:
        made[0:2] = structure.ident.to_bytes(2, "big")
        made[2:4] = length.to_bytes(2, "big")
        made[4:8] = bytes_of(structure.eye, 4)
    for item in structure.fields:
        value = values.get(item.name)
        if value is None or item.end > length or item.beyond >= length:
            continue
        if item.kind == "bit":
            made[item.offset] |= item.mask if value else 0
        else:
            made[item.offset : item.end] = bytes_of_value(item, value)
    return bytes(made)


def bytes_of_value(item: Field, value: int | str | bytes) -> bytes:
    """Return the bytes of a field."""
    if isinstance(value, str):
        return bytes_of(value, item.size)
    if isinstance(value, bytes):
        return value[: item.size].ljust(item.size, b"\0")
    if item.kind == "tod":
        value = clock_of_microseconds(value)
    elif item.kind == "dur":
        value <<= 12
    return (value & ((1 << 8 * item.size) - 1)).to_bytes(item.size, "big")
