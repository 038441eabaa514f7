"""The least that packing and unpacking a message descriptor can cost: one call of `struct`, nothing checked or trimmed.

Compiled like the hot modules.
"""

from __future__ import annotations

import struct
from typing import Any, Final

_FIELDS: Final = struct.Struct("<4s7i8s2i24s24si48s48s12s32s32si28s8s8s4s24s4i")
SIZE: Final = 364
assert _FIELDS.size == SIZE


def unpack_bare(data: bytes, count: int) -> tuple[Any, ...]:
    """Unpack the same descriptor `count` times; the last one."""
    values: tuple[Any, ...] = ()
    for _ in range(count):
        values = _FIELDS.unpack_from(data, 0)
    return values


def pack_bare(values: tuple[Any, ...], count: int) -> bytes:
    """Pack the same descriptor `count` times; the last one."""
    data = b""
    for _ in range(count):
        data = _FIELDS.pack(*values)
    return data
