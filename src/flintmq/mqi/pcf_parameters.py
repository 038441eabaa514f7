"""The parameter structures of PCF. Layouts are in the table of `pcf`.

A parameter packs itself; MQCFGR packs its members behind it. `unpack` takes the bytes of one structure; a group's
members are read by `pcf.parse`, which knows where they are.
"""

import struct
from typing import Any, ClassVar

from flintmq.mqi.ccsid import decode, encode
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_room
from flintmq.mqi.layout import check_length, layouts
from flintmq.mqi.reason import (
    MQRC_CFBF_ERROR,
    MQRC_CFBS_ERROR,
    MQRC_CFGR_ERROR,
    MQRC_CFIF_ERROR,
    MQRC_CFIL_ERROR,
    MQRC_CFIN_ERROR,
    MQRC_CFSF_ERROR,
    MQRC_CFSL_ERROR,
    MQRC_CFST_ERROR,
)

_BIG_4, _LITTLE_4 = layouts("4i", 16)
_BIG_5, _LITTLE_5 = layouts("5i", 20)
_BIG_6, _LITTLE_6 = layouts("6i", 24)
_BIG_IN64, _LITTLE_IN64 = layouts("4iq", 24)


class Parameter:
    """Base of all parameter structures: `parameter` is its identifier (MQIACF_*, MQCACF_* ...)."""

    def __init__(self, parameter: int) -> None:
        self.parameter: int = parameter

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of the structure, in the byte order and (for strings without their own) character set given."""
        raise NotImplementedError


class MQCFIN(Parameter):
    """An integer."""

    TYPE: ClassVar[int] = 3

    def __init__(self, parameter: int, value: int) -> None:
        super().__init__(parameter)
        self.value: int = value

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        return _write(
            _BIG_4 if big_endian else _LITTLE_4, MQRC_CFIN_ERROR, "MQCFIN", (3, 16, self.parameter, self.value)
        )

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCFIN":
        _, length, parameter, value = _read(
            data, offset, _BIG_4 if big_endian else _LITTLE_4, 3, MQRC_CFIN_ERROR, "MQCFIN"
        )
        check_length(length, 16, MQRC_CFIN_ERROR, "MQCFIN")
        return MQCFIN(parameter, value)

    def __repr__(self) -> str:
        return f"MQCFIN({self.parameter}, {self.value})"


class MQCFIN64(Parameter):
    """An integer of 64 bits."""

    TYPE: ClassVar[int] = 23

    def __init__(self, parameter: int, value: int) -> None:
        super().__init__(parameter)
        self.value: int = value

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        layout = _BIG_IN64 if big_endian else _LITTLE_IN64
        return _write(layout, MQRC_CFIN_ERROR, "MQCFIN64", (23, 24, self.parameter, 0, self.value))

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCFIN64":
        layout = _BIG_IN64 if big_endian else _LITTLE_IN64
        _, length, parameter, _, value = _read(data, offset, layout, 23, MQRC_CFIN_ERROR, "MQCFIN64")
        check_length(length, 24, MQRC_CFIN_ERROR, "MQCFIN64")
        return MQCFIN64(parameter, value)

    def __repr__(self) -> str:
        return f"MQCFIN64({self.parameter}, {self.value})"


class MQCFIL(Parameter):
    """A list of integers."""

    TYPE: ClassVar[int] = 5

    def __init__(self, parameter: int, values: list[int]) -> None:
        super().__init__(parameter)
        self.values: list[int] = values

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        return _write_list(self.parameter, self.values, 5, 4, big_endian, "MQCFIL")

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCFIL":
        parameter, values = _read_list(data, offset, 5, 4, big_endian, "MQCFIL")
        return MQCFIL(parameter, values)

    def __repr__(self) -> str:
        return f"MQCFIL({self.parameter}, {self.values})"


class MQCFIL64(Parameter):
    """A list of integers of 64 bits."""

    TYPE: ClassVar[int] = 25

    def __init__(self, parameter: int, values: list[int]) -> None:
        super().__init__(parameter)
        self.values: list[int] = values

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        return _write_list(self.parameter, self.values, 25, 8, big_endian, "MQCFIL64")

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCFIL64":
        parameter, values = _read_list(data, offset, 25, 8, big_endian, "MQCFIL64")
        return MQCFIL64(parameter, values)

    def __repr__(self) -> str:
        return f"MQCFIL64({self.parameter}, {self.values})"


class MQCFST(Parameter):
    """A string. `coded_char_set_id` 0 means that of the message."""

    TYPE: ClassVar[int] = 4

    def __init__(self, parameter: int, string: str, coded_char_set_id: int = 0) -> None:
        super().__init__(parameter)
        self.string: str = string
        self.coded_char_set_id: int = coded_char_set_id

    def text(self) -> str:
        """The string without trailing blanks and NULs."""
        return self.string.rstrip(" \0")

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        used = _used(self.coded_char_set_id, ccsid)
        raw = encode(self.string, used, big_endian)
        filled = _filled(raw, used, big_endian)
        return (
            _write(
                _BIG_5 if big_endian else _LITTLE_5,
                MQRC_CFST_ERROR,
                "MQCFST",
                (4, 20 + len(filled), self.parameter, self.coded_char_set_id, len(raw)),
            )
            + filled
        )

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCFST":
        layout = _BIG_5 if big_endian else _LITTLE_5
        _, length, parameter, own, size = _read(data, offset, layout, 4, MQRC_CFST_ERROR, "MQCFST")
        raw = _part(data, offset, 20, size, length, MQRC_CFST_ERROR, "MQCFST")
        return MQCFST(parameter, _text(raw, own, ccsid, big_endian, MQRC_CFST_ERROR, "MQCFST"), own)

    def __repr__(self) -> str:
        return f"MQCFST({self.parameter}, {self.string!r})"


class MQCFSL(Parameter):
    """A list of strings. On the way all have one length: that of the longest."""

    TYPE: ClassVar[int] = 6

    def __init__(self, parameter: int, strings: list[str], coded_char_set_id: int = 0) -> None:
        super().__init__(parameter)
        self.strings: list[str] = strings
        self.coded_char_set_id: int = coded_char_set_id

    def texts(self) -> list[str]:
        """The strings without trailing blanks and NULs."""
        return [string.rstrip(" \0") for string in self.strings]

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        used = _used(self.coded_char_set_id, ccsid)
        blank = encode(" ", used, big_endian)
        raws = [encode(string, used, big_endian) for string in self.strings]
        size = max((len(raw) for raw in raws), default=0)
        size += -size % len(blank)
        joined = b"".join([raw + blank * ((size - len(raw)) // len(blank)) for raw in raws])
        filled = _filled(joined, used, big_endian)
        return (
            _write(
                _BIG_6 if big_endian else _LITTLE_6,
                MQRC_CFSL_ERROR,
                "MQCFSL",
                (6, 24 + len(filled), self.parameter, self.coded_char_set_id, len(raws), size),
            )
            + filled
        )

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCFSL":
        layout = _BIG_6 if big_endian else _LITTLE_6
        _, length, parameter, own, count, size = _read(data, offset, layout, 6, MQRC_CFSL_ERROR, "MQCFSL")
        if count < 0 or size < 0 or (size == 0 and count > length):
            raise StructureError(f"MQCFSL has Count {count} and StringLength {size}", MQRC_CFSL_ERROR)
        raw = _part(data, offset, 24, count * size, length, MQRC_CFSL_ERROR, "MQCFSL")
        strings = []
        for i in range(count):
            one = raw[i * size : i * size + size]
            strings.append(_text(one, own, ccsid, big_endian, MQRC_CFSL_ERROR, "MQCFSL"))
        return MQCFSL(parameter, strings, own)

    def __repr__(self) -> str:
        return f"MQCFSL({self.parameter}, {self.strings!r})"


class MQCFBS(Parameter):
    """A byte string."""

    TYPE: ClassVar[int] = 9

    def __init__(self, parameter: int, string: bytes) -> None:
        super().__init__(parameter)
        self.string: bytes = string

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        filled = self.string + b"\0" * (-len(self.string) % 4)
        values = (9, 16 + len(filled), self.parameter, len(self.string))
        return _write(_BIG_4 if big_endian else _LITTLE_4, MQRC_CFBS_ERROR, "MQCFBS", values) + filled

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCFBS":
        layout = _BIG_4 if big_endian else _LITTLE_4
        _, length, parameter, size = _read(data, offset, layout, 9, MQRC_CFBS_ERROR, "MQCFBS")
        return MQCFBS(parameter, _part(data, offset, 16, size, length, MQRC_CFBS_ERROR, "MQCFBS"))

    def __repr__(self) -> str:
        return f"MQCFBS({self.parameter}, {self.string.hex()})"


class MQCFGR(Parameter):
    """A group of parameters. `announced` is the ParameterCount that was received."""

    TYPE: ClassVar[int] = 20

    def __init__(self, parameter: int, parameters: list[Parameter]) -> None:
        super().__init__(parameter)
        self.parameters: list[Parameter] = parameters
        self.announced: int = len(parameters)

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        layout = _BIG_4 if big_endian else _LITTLE_4
        parts = [_write(layout, MQRC_CFGR_ERROR, "MQCFGR", (20, 16, self.parameter, len(self.parameters)))]
        for member in self.parameters:
            parts.append(member.pack(big_endian, ccsid))
        return b"".join(parts)

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCFGR":
        """The head of the group, without its members."""
        layout = _BIG_4 if big_endian else _LITTLE_4
        _, length, parameter, count = _read(data, offset, layout, 20, MQRC_CFGR_ERROR, "MQCFGR")
        check_length(length, 16, MQRC_CFGR_ERROR, "MQCFGR")
        if count < 0:
            raise StructureError(f"MQCFGR has ParameterCount {count}", MQRC_CFGR_ERROR)
        group = MQCFGR(parameter, [])
        group.announced = count
        return group

    def __repr__(self) -> str:
        return f"MQCFGR({self.parameter}, {self.parameters!r})"


class MQCFIF(Parameter):
    """An integer filter: operator (MQCFOP_*) and value."""

    TYPE: ClassVar[int] = 13

    def __init__(self, parameter: int, operator: int, filter_value: int) -> None:
        super().__init__(parameter)
        self.operator: int = operator
        self.filter_value: int = filter_value

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        values = (13, 20, self.parameter, self.operator, self.filter_value)
        return _write(_BIG_5 if big_endian else _LITTLE_5, MQRC_CFIF_ERROR, "MQCFIF", values)

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCFIF":
        layout = _BIG_5 if big_endian else _LITTLE_5
        _, length, parameter, operator, value = _read(data, offset, layout, 13, MQRC_CFIF_ERROR, "MQCFIF")
        check_length(length, 20, MQRC_CFIF_ERROR, "MQCFIF")
        return MQCFIF(parameter, operator, value)

    def __repr__(self) -> str:
        return f"MQCFIF({self.parameter}, {self.operator}, {self.filter_value})"


class MQCFSF(Parameter):
    """A string filter: operator (MQCFOP_*) and value."""

    TYPE: ClassVar[int] = 14

    def __init__(self, parameter: int, operator: int, filter_value: str, coded_char_set_id: int = 0) -> None:
        super().__init__(parameter)
        self.operator: int = operator
        self.filter_value: str = filter_value
        self.coded_char_set_id: int = coded_char_set_id

    def text(self) -> str:
        """The value without trailing blanks and NULs."""
        return self.filter_value.rstrip(" \0")

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        used = _used(self.coded_char_set_id, ccsid)
        raw = encode(self.filter_value, used, big_endian)
        filled = _filled(raw, used, big_endian)
        values = (14, 24 + len(filled), self.parameter, self.operator, self.coded_char_set_id, len(raw))
        return _write(_BIG_6 if big_endian else _LITTLE_6, MQRC_CFSF_ERROR, "MQCFSF", values) + filled

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCFSF":
        layout = _BIG_6 if big_endian else _LITTLE_6
        _, length, parameter, operator, own, size = _read(data, offset, layout, 14, MQRC_CFSF_ERROR, "MQCFSF")
        raw = _part(data, offset, 24, size, length, MQRC_CFSF_ERROR, "MQCFSF")
        return MQCFSF(parameter, operator, _text(raw, own, ccsid, big_endian, MQRC_CFSF_ERROR, "MQCFSF"), own)

    def __repr__(self) -> str:
        return f"MQCFSF({self.parameter}, {self.operator}, {self.filter_value!r})"


class MQCFBF(Parameter):
    """A byte string filter: operator (MQCFOP_*) and value."""

    TYPE: ClassVar[int] = 15

    def __init__(self, parameter: int, operator: int, filter_value: bytes) -> None:
        super().__init__(parameter)
        self.operator: int = operator
        self.filter_value: bytes = filter_value

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        filled = self.filter_value + b"\0" * (-len(self.filter_value) % 4)
        values = (15, 20 + len(filled), self.parameter, self.operator, len(self.filter_value))
        return _write(_BIG_5 if big_endian else _LITTLE_5, MQRC_CFBF_ERROR, "MQCFBF", values) + filled

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCFBF":
        layout = _BIG_5 if big_endian else _LITTLE_5
        _, length, parameter, operator, size = _read(data, offset, layout, 15, MQRC_CFBF_ERROR, "MQCFBF")
        return MQCFBF(parameter, operator, _part(data, offset, 20, size, length, MQRC_CFBF_ERROR, "MQCFBF"))

    def __repr__(self) -> str:
        return f"MQCFBF({self.parameter}, {self.operator}, {self.filter_value.hex()})"


def _write(layout: struct.Struct, reason: int, name: str, values: tuple[int, ...]) -> bytes:
    try:
        return layout.pack(*values)
    except struct.error as error:
        raise StructureError(f"{name} has a field that cannot be written: {error}", reason) from None


def _read(data: bytes, offset: int, layout: struct.Struct, kind: int, reason: int, name: str) -> tuple[Any, ...]:
    """The fixed part of a structure, its type and its length checked."""
    check_room(data, offset, layout.size, reason, name)
    values = layout.unpack_from(data, offset)
    if values[0] != kind:
        raise StructureError(f"{name} has type {values[0]}, not {kind}", reason)
    if values[1] < layout.size or values[1] > len(data) - offset:
        raise StructureError(
            f"{name} has StrucLength {values[1]}, below {layout.size} or beyond the {len(data) - offset} bytes there",
            reason,
        )
    return values


def _part(data: bytes, offset: int, start: int, size: int, length: int, reason: int, name: str) -> bytes:
    """`size` bytes from `start` in the structure at `offset`, which is `length` long."""
    if size < 0 or start + size > length:
        raise StructureError(f"{name} has {size} bytes of content in a StrucLength of {length}", reason)
    return data[offset + start : offset + start + size]


def _used(own: int, ccsid: int) -> int:
    return own if own > 0 else ccsid


def _text(raw: bytes, own: int, ccsid: int, big_endian: bool, reason: int, name: str) -> str:
    used = _used(own, ccsid)
    try:
        return decode(raw, used, big_endian)
    except UnicodeDecodeError:
        raise StructureError(f"{name} has a string that is not text of CCSID {used}", reason) from None


def _filled(raw: bytes, ccsid: int, big_endian: bool) -> bytes:
    """`raw` with blanks up to a multiple of four bytes."""
    blank = encode(" ", ccsid, big_endian)
    while len(raw) % 4:
        raw += blank
    return raw


def _write_list(parameter: int, values: list[int], kind: int, width: int, big_endian: bool, name: str) -> bytes:
    layout = _BIG_4 if big_endian else _LITTLE_4
    head = _write(layout, MQRC_CFIL_ERROR, name, (kind, 16 + width * len(values), parameter, len(values)))
    form = f"{'>' if big_endian else '<'}{len(values)}{'i' if width == 4 else 'q'}"
    try:
        return head + struct.pack(form, *values)
    except struct.error as error:
        raise StructureError(f"{name} has a value that cannot be written: {error}", MQRC_CFIL_ERROR) from None


def _read_list(data: bytes, offset: int, kind: int, width: int, big_endian: bool, name: str) -> tuple[int, list[int]]:
    layout = _BIG_4 if big_endian else _LITTLE_4
    _, length, parameter, count = _read(data, offset, layout, kind, MQRC_CFIL_ERROR, name)
    if count < 0:
        raise StructureError(f"{name} has Count {count}", MQRC_CFIL_ERROR)
    check_length(length, 16 + width * count, MQRC_CFIL_ERROR, name)
    form = f"{'>' if big_endian else '<'}{count}{'i' if width == 4 else 'q'}"
    return parameter, list(struct.unpack_from(form, data, offset + 16))
