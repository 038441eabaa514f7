"""SMF records and dumps for the tests, built by the rules of the layouts and nothing else."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from flintmq.telemetry.smf.clock import DAY, clock_of_microseconds, packed_of_days
from flintmq.telemetry.smf.layouts.headers import QWHC, QWHS, QWHX, SMF_HEADER
from flintmq.telemetry.smf.pack import Value, pack
from flintmq.telemetry.smf.records import KIND_OF

#: 2024-03-01 10:00 in UTC.
NOON = 1_709_287_200_000_000
HOUR = 3_600_000_000


@dataclass
class Record:
    """One record to be built: triplet -> structures of one length, each packed already."""

    type: int
    subtype: int
    sections: Mapping[int, Sequence[bytes]] = field(default_factory=dict)
    release: str = "940"
    #: "" before 10.0, else VVRRMM; a QWHX is then written.
    long_release: str = ""
    group: str = ""
    qmgr: str = "MQA1"
    lpar: str = "SYS1"
    at: int = NOON
    local_offset: int = 0
    interval: int | None = 60_000_000
    qwhc: Mapping[str, Value] = field(default_factory=dict)

    def packed(self) -> bytes:
        kind = KIND_OF[self.type, self.subtype]
        triplets = kind.triplets
        start = 28 + 8 * triplets
        headers = self._headers(kind.headers, triplets, kind.clock_duration)
        table, body = [(0, 0, 0)] * triplets, b""
        if kind.headers == "mini":
            table[0] = (start, len(headers), 1)
            body = headers
        for number, parts in sorted(self.sections.items()):
            if parts:
                table[number] = (start + len(body), len(parts[0]), len(parts))
                body += b"".join(parts)
        if kind.headers != "mini":
            table[0] = (start + len(body), len(headers), 1)
            body += headers
        head = pack(SMF_HEADER, self._smf_header(start + len(body)))
        return head + b"".join(struct.pack(">IHH", *entry) for entry in table) + body

    def _smf_header(self, length: int) -> dict[str, Value]:
        local = self.at + self.local_offset
        return {
            "SM11XLEN": length,
            "SM11XFLG": 0x5E,
            "SM11XRTY": self.type,
            "SM11XTME": local % DAY // 10_000,
            "SM11XDTE": packed_of_days(local // DAY),
            "SM11XSID": self.lpar,
            "SM11XSSI": self.qmgr,
            "SM11XSTF": self.subtype,
            "SM11XREL": "946" if self.long_release else self.release,
        }

    def _headers(self, form: str, triplets: int, clock_duration: bool) -> bytes:
        extension = pack(QWHX, {"QWHXLEN": 16, "QWHXTYP": 0x10, "QWHXQSG": self.group, "QWHXREL": self.long_release})
        extension = extension if self.long_release else b""
        if form == "mini":
            return bytes([0, 1, 1, 0x80]) + extension
        length = 36 if form == "short" else 52
        values: dict[str, Value] = {
            "QWHSLEN": length,
            "QWHSTYP": 1,
            "QWHSNSDA": triplets,
            "QWHSSSID": self.qmgr,
            "QWHSSTCK": self.at,
            "QWHSQWHX": bool(extension),
        }
        if self.interval is not None and form == "full":
            values["QWHSTIME"] = self.at + self.local_offset - self.interval
            values["QWHSDURN"] = self.interval << 12 if clock_duration else self.interval
        correlation = pack(QWHC, {"QWHCLEN": 92, "QWHCTYP": 2, **self.qwhc}) if form == "short" else b""
        return pack(QWHS, values, length) + correlation + extension


def edge(kind: int, at: int = NOON) -> bytes:
    """A dump header (type 2) or dump trailer (type 3)."""
    return struct.pack(
        ">HBBBBII4s", 18, 0, 0, 0x1E, kind, at % DAY // 10_000, packed_of_days(at // DAY), b"\xe2\xe8\xe2\xf1"
    )


def spanned(record: bytes, *places: int) -> bytes:
    """A record cut at these places of its data."""
    data = record[4:]
    bounds = [0, *places, len(data)]
    pieces = [data[start:stop] for start, stop in zip(bounds, bounds[1:], strict=False)]
    codes = [1] + [3] * (len(pieces) - 2) + [2]
    return b"".join(
        struct.pack(">HBB", len(piece) + 4, code, 0) + piece for piece, code in zip(pieces, codes, strict=True)
    )


def dump(*records: bytes) -> bytes:
    """A dump with its header and trailer."""
    return b"".join([edge(2), *records, edge(3)])


def without_rdw(*records: bytes) -> bytes:
    return b"".join(record[4:] for record in [edge(2), *records, edge(3)])


def blocked(data: bytes, *records: bytes) -> bytes:
    """Records in blocks: the block descriptor counts itself."""
    return b"".join(struct.pack(">HH", len(part) + 4, 0) + part for part in (data, *records))


assert clock_of_microseconds(0) == 0x7D91048BCA000000
