"""A record of type 115 or 116: SMF header, triplets, sections, MQ headers.

    0    SMF header (28 bytes with the RDW)
    28   a triplet for the MQ headers and for each section that the kind of record has, empty ones all zero
         the sections, without gaps, in the order of their triplets
         the MQ headers: QWHS of 52 bytes; of 36 bytes, then QWHC, in 116-0, 1 and 2; four bytes, which then stand
         first, in 115-5, 6 and 7

A record is never spanned: entries that do not fit go to another record of its kind. The product puts up to 28 KiB of
entries into a 115-216, which are 341 of 84 bytes (B30) and 51 of the 552 bytes of today (B31); FlintMQ does so for all
kinds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flintmq.telemetry.smf.clock import DAY, packed_of_days
from flintmq.telemetry.smf.layouts.headers import QWHC, QWHS, SMF_HEADER
from flintmq.telemetry.smf.pack import pack
from flintmq.telemetry.smf.records import DUMP_HEADER, DUMP_TRAILER, STATISTICS, RecordKind

ENTRIES_MAX = 28 * 1024
TRIPLETS_AT = 28
_MINI_HEADER = bytes.fromhex("00010180")
_FLAG = 0x5E
_FLAG_DUMP = 0x1E
#: The writer, and its identifier: QWHSRMID, QWHSIID.
_WRITERS = {
    (115, 1): (0x1A, 1),
    (115, 2): (0x1A, 2),
    (115, 215): (0x1A, 8),
    (115, 216): (0x1A, 10),
    (115, 201): (0x1A, 9),
    (115, 231): (0xE7, 0),
    (116, 0): (0x1A, 3),
    (116, 1): (0xF7, 25),
    (116, 2): (0xF7, 25),
    (116, 10): (0xE7, 0),
}


@dataclass
class Origin:
    """The queue manager that writes the records, and the form of its records."""

    system: str
    q_mgr: str
    #: As in SM11xREL: 942 is 9.4.2.
    release: str
    #: Local time minus UTC, in microseconds.
    local_us: int = 0
    #: Records written under each identifier so far, and altogether.
    sequences: dict[int, int] = field(default_factory=dict)
    written: int = 0


@dataclass(frozen=True)
class Correlation:
    """QWHC: the identity of the task."""

    user: str = ""
    connection: str = ""
    operator: str = ""
    kind: int = 2
    correlation: bytes = b""
    token: bytes = b""
    network: bytes = b""


@dataclass(frozen=True)
class Span:
    """The time that a record covers, and when it was made. Microseconds since 1970, UTC."""

    start_us: int
    end_us: int
    now_us: int


def build(
    origin: Origin, kind: RecordKind, span: Span, sections: dict[int, list[bytes]], task: Correlation | None = None
) -> bytes:
    """Build one record. `sections` has the entries behind each triplet."""
    triplets = kind.triplets
    if kind.type == 116 and kind.subtype == 1 and not sections.get(3):
        triplets -= 1
    headers = _headers(origin, kind, span, triplets, task)
    place = TRIPLETS_AT + 8 * triplets
    table = [bytes(8)] * triplets
    parts: list[bytes] = []
    if kind.headers == "mini":
        table[0] = _triplet(place, len(headers), 1)
        parts.append(headers)
        place += len(headers)
    for number in sorted(sections):
        entries = sections[number]
        if entries:
            table[number] = _triplet(place, len(entries[0]), len(entries))
            parts += entries
            place += len(entries[0]) * len(entries)
    if kind.headers != "mini":
        table[0] = _triplet(place, len(headers), 1)
        parts.append(headers)
        place += len(headers)
    return b"".join([_smf_header(origin, kind.type, kind.subtype, span.now_us, place), *table, *parts])


def _triplet(offset: int, length: int, count: int) -> bytes:
    return offset.to_bytes(4, "big") + length.to_bytes(2, "big") + count.to_bytes(2, "big")


def _smf_header(origin: Origin, kind: int, subtype: int, now_us: int, length: int) -> bytes:
    days, rest = divmod(now_us + origin.local_us, DAY)
    return pack(
        SMF_HEADER,
        {
            "SM11XLEN": length,
            "SM11XFLG": _FLAG,
            "SM11XRTY": kind,
            "SM11XTME": rest // 10_000,
            "SM11XDTE": packed_of_days(days),
            "SM11XSID": origin.system,
            "SM11XSSI": origin.q_mgr,
            "SM11XSTF": subtype,
            "SM11XREL": origin.release,
        },
    )


def _headers(origin: Origin, kind: RecordKind, span: Span, triplets: int, task: Correlation | None) -> bytes:
    """Build the MQ headers, to which triplet 0 points."""
    if kind.headers == "mini":
        return _MINI_HEADER
    manager, identifier = _WRITERS[kind.type, kind.subtype]
    sequence = origin.sequences.get(identifier, 0) + 1
    origin.sequences[identifier] = sequence
    origin.written += 1
    length = 36 if kind.headers == "short" else 52
    duration = span.end_us - span.start_us
    standard = pack(
        QWHS,
        {
            "QWHSLEN": length,
            "QWHSTYP": 1,
            "QWHSRMID": manager,
            "QWHSIID": identifier,
            "QWHSNSDA": triplets,
            "QWHSRN": 0x10 if kind.type == STATISTICS else 0,
            "QWHSSSID": origin.q_mgr,
            "QWHSSTCK": span.now_us,
            "QWHSISEQ": sequence.to_bytes(4, "big"),
            "QWHSWSEQ": origin.written.to_bytes(4, "big"),
            "QWHSTIME": span.start_us + origin.local_us,
            "QWHSDURN": duration << 12 if kind.clock_duration else duration,
        },
        length,
    )
    return standard + _correlation(task or Correlation()) if kind.headers == "short" else standard


def _correlation(task: Correlation) -> bytes:
    return pack(
        QWHC,
        {
            "QWHCLEN": QWHC.length,
            "QWHCTYP": 2,
            "QWHCAID": task.user,
            "QWHCCV": task.correlation,
            "QWHCCN": task.connection,
            "QWHCOPID": task.operator,
            "QWHCATYP": task.kind,
            "QWHCTOKN": task.token,
            "QWHCNID": task.network,
        },
    )


def dump_mark(origin: Origin, first: bool, now_us: int) -> bytes:
    """Build the record that a dump begins with, type 2, or ends with, type 3."""
    header = bytearray(_smf_header(origin, DUMP_HEADER if first else DUMP_TRAILER, 0, now_us, 18)[:18])
    header[4] = _FLAG_DUMP
    return bytes(header)


def batches(entries: list[bytes], room: int = ENTRIES_MAX) -> list[list[bytes]]:
    """Divide entries among as many records as they need."""
    if not entries:
        return []
    count = max(1, room // len(entries[0]))
    return [entries[at : at + count] for at in range(0, len(entries), count)]
