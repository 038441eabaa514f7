"""MQOpts: a structure of the MQI as a Python object, with the bytes that a C program would see.

A subclass lists its members in the order of the structure: name, initial value, struct code and, for an array of more
than one struct code, how often. Members are attributes and items at once:

    md = MD(MsgId=b"1")
    md.Format = CMQC.MQFMT_STRING
    md["Priority"] = 5
    md.get()            {'StrucId': b'MD  ', 'Version': 1, ...}
    md.pack()           364 bytes, native byte order and alignment
    md.unpack(data)

Character members are bytes; a `str` is refused with TypeError. Longer bytes are cut and shorter ones filled up with
NULs when the structure is packed.

A string of variable length, MQCHARV, is five members: VSPtr, VSOffset, VSBufSize, VSLength and VSCCSID behind its name.
VSPtr is the address of a buffer that the object keeps; set_vs and get_vs write and read it.
"""

import ctypes
import re
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

from flintmq.pymqi.text import ensure_bytes, ensure_not_unicode

#: Name, initial value, struct code, and perhaps a count.
Member = Sequence[Any]

_ARRAY = re.compile(r"[<>=!@]?(\d*)([a-zA-Z])")


@lru_cache(maxsize=512)
def _layout(codes: str) -> struct.Struct:
    return struct.Struct(codes)


def _values(code: str, count: int) -> int:
    """How many values a member takes: one, unless it is an array."""
    matched = _ARRAY.fullmatch(code)
    if matched is None:
        raise ValueError(f"{code!r} is not the struct code of a member: write '4s', 'i', '16i', 'P' ...")
    repeat, kind = matched.groups()
    return count * (int(repeat) if repeat and kind != "s" else 1)


class MQOpts:
    """Base of all structures."""

    #: Strings of variable length that may be given as `str`.
    _texts: ClassVar[tuple[str, ...]] = ("SubName", "ObjectString")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...

    def __init__(self, memlist: Sequence[Member], **kw: Any) -> None:
        self._lay_out(memlist)
        self._buffers: dict[str, Any] = {}
        self.set(**kw)

    def _lay_out(self, memlist: Sequence[Member]) -> None:
        """Take these members, with their initial values."""
        self._members: list[tuple[str, int]] = []
        codes = ""
        for member in memlist:
            name, initial, code = member[:3]
            count = member[3] if len(member) > 3 else 1
            is_array = isinstance(initial, list)
            self._members.append((name, _values(code, count) if is_array else 1))
            setattr(self, name, list(initial) if is_array else initial)
            codes += code * count
        self._struct = _layout(codes)

    def _field(self, name: str, value: Any) -> Any:
        """`value` as it goes into the structure. Raises TypeError."""
        ensure_not_unicode(value)
        return value

    def pack(self) -> bytes:
        """The bytes of the structure."""
        values: list[Any] = []
        for name, _ in self._members:
            value = getattr(self, name)
            if isinstance(value, list):
                values += [self._field(name, one) for one in value]
            else:
                values.append(self._field(name, value))
        return self._struct.pack(*values)

    def unpack(self, buff: bytes) -> Self:
        """Take the values from bytes. Fewer bytes than the structure has are filled up with NULs."""
        ensure_not_unicode(buff)
        values = self._struct.unpack(buff.ljust(self._struct.size, b"\0"))
        place = 0
        for name, count in self._members:
            if isinstance(getattr(self, name), list):
                setattr(self, name, list(values[place : place + count]))
                place += count
            else:
                setattr(self, name, values[place])
                place += 1
        return self

    def set(self, **kw: Any) -> None:
        """Give members values by name. Raises AttributeError for a member that the structure does not have."""
        for name, value in kw.items():
            self[name] = value

    def get(self) -> dict[str, Any]:
        """All members, by name."""
        return {name: getattr(self, name) for name, _ in self._members}

    def __setitem__(self, key: str, value: Any) -> None:
        getattr(self, key)
        setattr(self, key, self._field(key, value))

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def __str__(self) -> str:
        return "\n".join(f"{name}: {getattr(self, name)}" for name, _ in self._members)

    def __repr__(self) -> str:
        return str(self.pack())

    def get_length(self) -> int:
        """How many bytes `pack` gives."""
        return self._struct.size

    def set_vs(
        self,
        vs_name: str,
        vs_value: bytes | str | None = None,
        vs_offset: int = 0,
        vs_buffer_size: int = 0,
        vs_ccsid: int = 0,
    ) -> None:
        """Give a string of variable length a value; `vs_buffer_size` is room for one that comes back."""
        base = vs_name.removesuffix("VSPtr")
        if base in self._texts:
            vs_value = ensure_bytes(vs_value)
        raw = b"" if vs_value is None else self._field(base, vs_value)
        buffer = None if vs_value is None else ctypes.create_string_buffer(raw, max(len(raw), vs_buffer_size) + 1)
        self._buffers[base] = buffer  # The address is good for as long as this is kept.
        self[base + "VSPtr"] = 0 if buffer is None else ctypes.addressof(buffer)
        self[base + "VSOffset"] = vs_offset
        self[base + "VSBufSize"] = vs_buffer_size
        self[base + "VSLength"] = len(raw)
        self[base + "VSCCSID"] = vs_ccsid

    def get_vs(self, vs_name: str) -> bytes | None:
        """The string of variable length, up to a NUL; None if it has no address."""
        address = self[vs_name.removesuffix("VSPtr") + "VSPtr"]
        return ctypes.string_at(address) if address else None


class Structure(MQOpts):
    """A structure that always has the same members."""

    FIELDS: ClassVar[Sequence[Member]]

    def __init__(self, **kw: Any) -> None:
        super().__init__(self.FIELDS, **kw)


def charv(name: str) -> tuple[Member, ...]:
    """The five members of a string of variable length."""
    return (
        (name + "VSPtr", 0, "P"),
        (name + "VSOffset", 0, "i"),
        (name + "VSBufSize", 0, "i"),
        (name + "VSLength", 0, "i"),
        (name + "VSCCSID", 0, "i"),
    )


def changed(members: Sequence[Member], renamed: dict[str, str] | None = None, **initial: Any) -> tuple[Member, ...]:
    """The same members with other initial values, or other names."""
    names = renamed or {}
    return tuple((names.get(m[0], m[0]), initial.get(m[0], m[1]), *m[2:]) for m in members)
