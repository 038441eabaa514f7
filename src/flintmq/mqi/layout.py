"""The layout of a structure: its fields in both byte orders, and the version and length it says of itself.

A format string lists the fields in the order of the structure's table. Its size is asserted when the structure's file
is imported, so a field that is missing or too long never gets as far as a message.
"""

import struct

from flintmq.mqi.errors import StructureError


def layouts(fields: str, size: int) -> tuple[struct.Struct, struct.Struct]:
    """`fields` in big-endian and in little-endian order, without gaps; they take `size` bytes."""
    big, little = struct.Struct(">" + fields), struct.Struct("<" + fields)
    assert big.size == little.size == size
    return big, little


def check_version(version: object, expected: int, reason: int, structure: str) -> None:
    """Raise StructureError unless `version` is the only one the structure has. An application may have set anything."""
    if version != expected:
        raise StructureError(f"{structure} has version {version}, not {expected}", reason)


def check_length(length: int, size: int, reason: int, structure: str) -> None:
    """Raise StructureError unless a StrucLength says the `size` that its structure has."""
    if length != size:
        raise StructureError(f"{structure} has StrucLength {length}, not {size}", reason)
