"""A small reader of our own records for tests, by the layouts: a dump becomes records, a record its sections."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flintmq.telemetry.smf.clock import microseconds_of_clock
from flintmq.telemetry.smf.ebcdic import text_of
from flintmq.telemetry.smf.fields import Field, Structure
from flintmq.telemetry.smf.layouts.headers import QWHS, SMF_HEADER
from flintmq.telemetry.smf.records import KIND_OF

Values = dict[str, object]


@dataclass
class Read:
    """One record."""

    type: int
    subtype: int
    header: Values
    #: By the name of the structure, in order.
    sections: dict[str, list[Values]]
    qwhs: Values
    data: bytes

    @property
    def kind(self) -> str:
        return f"{self.type}-{self.subtype}"


def pieces(data: bytes) -> list[bytes]:
    """The records of a dump with RDWs, none of them spanned."""
    found, at = [], 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 2], "big")
        assert length >= 18 and data[at + 2 : at + 4] == b"\0\0", f"no record at {at}"
        found.append(data[at : at + length])
        assert len(found[-1]) == length, f"the record at {at} is cut off"
        at += length
    return found


def read_record(data: bytes) -> Read:
    """A record of type 115 or 116."""
    header = values_of(SMF_HEADER, data[:28])
    kind = KIND_OF[int(str(header["SM11XRTY"])), int(str(header["SM11XSTF"]))]
    offset, length, count = _triplet(data, 0)
    assert count == 1
    headers = data[offset : offset + length]
    sections: dict[str, list[Values]] = {}
    for number, structure in kind.sections.items():
        if 28 + 8 * number + 8 > _first_section(data):
            continue
        offset, length, count = _triplet(data, number)
        if count:
            entries = [data[offset + at * length : offset + (at + 1) * length] for at in range(count)]
            sections[structure.name] = [values_of(structure, entry) for entry in entries]
    qwhs = values_of(QWHS, headers) if kind.headers != "mini" else {}
    return Read(kind.type, kind.subtype, header, sections, qwhs, data)


def read_dump(path: Path) -> list[Read]:
    """The records between the first and the last, which are of types 2 and 3."""
    found = pieces(path.read_bytes())
    assert (found[0][5], found[-1][5]) == (2, 3)
    return [read_record(data) for data in found[1:-1]]


def _triplet(data: bytes, number: int) -> tuple[int, int, int]:
    at = 28 + 8 * number
    parts = (data[at : at + 4], data[at + 4 : at + 6], data[at + 6 : at + 8])
    first, second, third = (int.from_bytes(part, "big") for part in parts)
    return first, second, third


def _first_section(data: bytes) -> int:
    """Where the triplets end."""
    end, at = len(data), 28
    while at < end:
        offset = int.from_bytes(data[at : at + 4], "big")
        end = min(end, offset) if offset else end
        at += 8
    return end


def values_of(structure: Structure, data: bytes) -> Values:
    """Every field that there is room for."""
    return {field.name: _value(field, data) for field in structure.fields if field.end <= len(data)}


def _value(field: Field, data: bytes) -> object:
    part = data[field.offset : field.end]
    if field.kind == "c":
        return text_of(part)
    if field.kind == "x":
        return part
    if field.kind == "bit":
        return bool(part[0] & field.mask)
    number = int.from_bytes(part, "big", signed=field.kind == "i")
    if field.kind == "tod":
        return microseconds_of_clock(number)
    return number >> 12 if field.kind == "dur" else number
