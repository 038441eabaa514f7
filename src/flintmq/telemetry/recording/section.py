"""A structure as bytes, from a table that says which attribute of an object is which field.

    TABLE = {"QMSTOPEN": "opens", "OPENN": "opens.count"}     field -> attribute, or attribute of an attribute
    section = Section(QMST, TABLE, "9.4.2")
    section.pack(interval)                                    the structure, in its length of that release

A field that the table does not name is zero (`unmeasured` lists them); one that the release does not have is left out.
One attrgetter and one struct do the work, for the sake of the records of many tasks. A number that does not fit its
field becomes the largest that does: better than one that looks small.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Any

from flintmq.telemetry.smf.clock import EPOCH_1970
from flintmq.telemetry.smf.ebcdic import bytes_of
from flintmq.telemetry.smf.fields import Field, Structure

_INTEGERS = {("u", 1): "B", ("u", 2): "H", ("u", 4): "I", ("u", 8): "Q"}
_INTEGERS |= {("i", 1): "b", ("i", 2): "h", ("i", 4): "i", ("i", 8): "q"}

Constant = int | str | bytes


@lru_cache(8192)
def text_bytes(text: str, size: int) -> bytes:
    """Return text as padded EBCDIC. Cached: the names of queues and users recur."""
    return bytes_of(text, size)


class Section:
    """A structure, and where its values come from."""

    def __init__(
        self,
        structure: Structure,
        table: Mapping[str, str],
        release: str,
        constants: Mapping[str, Constant] | None = None,
    ) -> None:
        self.structure = structure
        self.length = structure.length_at(release)
        measured = [(field, path) for name, path in table.items() if self._has(field := structure.find(name))]
        plain = [(field, path) for field, path in measured if field.kind != "bit"]
        fixed = self._fixed_fields(constants or {})
        self._values = _getter([path for _, path in plain])
        self._constants = tuple(value for _, value in fixed)
        self._fields = [field for field, _ in plain] + [field for field, _ in fixed]
        self._struct, self._order = self._layout()
        self._durations = [at for at, (field, _) in enumerate(plain) if field.kind == "dur"]
        self._clocks = [at for at, (field, _) in enumerate(plain) if field.kind == "tod"]
        self._texts = [(at, field.size) for at, (field, _) in enumerate(plain) if field.kind == "c"]
        self._bits = [(field, attrgetter(path)) for field, path in measured if field.kind == "bit"]

    def _has(self, field: Field) -> bool:
        return field.end <= self.length

    def _fixed_fields(self, constants: Mapping[str, Constant]) -> list[tuple[Field, int | bytes]]:
        """Return the fields with constant values, identifier, length and eye-catcher included."""
        found: list[tuple[Field, int | bytes]] = []
        if self.structure.eye:
            first, second, third = self.structure.fields[:3]
            mark = bytes_of(self.structure.eye, 4)
            found = [(first, _signed(first, self.structure.ident)), (second, self.length), (third, mark)]
        for name, value in constants.items():
            field = self.structure.find(name)
            if self._has(field):
                found.append((field, bytes_of(value, field.size) if isinstance(value, str) else value))
        return found

    def _layout(self) -> tuple[struct.Struct, Callable[[Sequence[object]], tuple[object, ...]]]:
        """Return the format of all fields in the order of their offsets, and a function that sorts values so."""
        order = sorted(range(len(self._fields)), key=lambda at: self._fields[at].offset)
        parts, place = [">"], 0
        for at in order:
            field = self._fields[at]
            assert field.offset >= place, f"{self.structure.name}: {field.name} is packed over another field"
            parts.append(f"{field.offset - place}x{_format(field)}")
            place = field.end
        parts.append(f"{self.length - place}x")
        return struct.Struct("".join(parts)), itemgetter(*order)

    def pack(self, source: object) -> bytes:
        """Pack the structure, with the attributes of `source`."""
        values: list[Any] = list(self._values(source))
        for at in self._durations:
            values[at] <<= 12
        for at in self._clocks:
            values[at] = (values[at] << 12) + EPOCH_1970 if values[at] else 0
        for at, size in self._texts:
            values[at] = text_bytes(values[at], size)
        values += self._constants
        try:
            made = self._struct.pack(*self._order(values))
        except struct.error:
            fitting = [_fitting(field, value) for field, value in zip(self._fields, values, strict=True)]
            made = self._struct.pack(*self._order(fitting))
        return self._with_bits(made, source) if self._bits else made

    def _with_bits(self, made: bytes, source: object) -> bytes:
        changed = bytearray(made)
        for field, getter in self._bits:
            if getter(source):
                changed[field.offset] |= field.mask
        return bytes(changed)


def _getter(paths: list[str]) -> Callable[[object], tuple[int, ...]]:
    """Return a function that gets all values at once, always as a tuple."""
    if len(paths) > 1:
        return attrgetter(*paths)
    return lambda source: tuple(attrgetter(path)(source) for path in paths)


def _format(field: Field) -> str:
    """Return the format character of `struct` for a field."""
    if field.kind in ("c", "x"):
        return f"{field.size}s"
    return _INTEGERS["u" if field.kind in ("tod", "dur") else field.kind, field.size]


def _signed(field: Field, ident: int) -> int | bytes:
    """Return an identifier as the value of its field: those such as X'D40F' stand in signed fields, too."""
    return ident - (1 << 16) if field.kind == "i" and ident >= 1 << 15 else _as_bytes(field, ident)


def _as_bytes(field: Field, ident: int) -> int | bytes:
    return ident.to_bytes(field.size, "big") if field.kind == "x" else ident


def _fitting(field: Field, value: object) -> object:
    """Return `value`, or the largest or smallest number that the field can hold."""
    if not isinstance(value, int):
        return value
    bits = 8 * field.size - (1 if field.kind == "i" else 0)
    low = -(1 << bits) if field.kind == "i" else 0
    return max(low, min(value, (1 << bits) - 1))


def unmeasured(structure: Structure, table: Mapping[str, str], constants: Mapping[str, Constant]) -> list[Field]:
    """Return the fields that are always zero in our records because nothing measures them. For the docs."""
    known = {*table, *constants}
    return [field for field in structure.fields if field.title and field.name not in known]
