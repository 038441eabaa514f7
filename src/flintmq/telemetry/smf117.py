"""SMF type 117: the accounting and statistics of message flows, as records of a dump. Times are microseconds.

A statistics record (`RecordType`, `RecordCode`, `MessageFlow`, `Threads`, `Nodes` with `TerminalStatistics`) becomes
one or more SMF records. The first has sequence number 1; each says how many there are. Every one has the
block of the flow.

    offset  field     type    value
         0  SM117LEN  u2      length of the record, with these 4 bytes; with SM117SEG the record descriptor word
         2  SM117SEG  u2      0
         4  SM117FLG  u1      X'5E'
         5  SM117RTY  u1      117
         6  SM117TME  u4      hundredths of a second since midnight: the end of the interval
        10  SM117DTE  u4      its date, packed 0cyydddF
        14  SM117SID  char 4  system
        18  SM117SSI  char 4  subsystem: the start of the broker's name
        22  SM117STY  u2      1: flow and threads; 2: nodes too
        24  SM117TCT  u4      number of triplets
        28  SM117SRT  u1      0 Archive, 1 SnapShot
        29  SM117SRC  u1      0 none, 1 Major, 2 SnapShot, 3 Shutdown, 4 ReDeploy, 5 StatsSettingsModified
        30  SM117RSQ  u2      number of this record among those of the interval, from 1
        32  SM117NOR  u2      number of those records
        34  triplets, each: offset from the start of the record (i4), length of a block (i2), number of blocks (i2)
            blocks: IMFL, then ITHD, INOD, ITRM, FLTX as far as there are any

With subtype 2 the first record has the threads. Nodes without terminals share a record; a node with terminals has a
record of its own, with its terminals. If they do not fit, a further record repeats the node with the rest of them; its
FLTX says so (`Continued`).

Header, triplets, and the identifiers, eye-catcher and version that a block begins with, are those of IBM's public
description of the record. The fields behind them follow that description's order as far as it is known here: no record
of the product was at hand, and the numbers of SM117SRT and of the block identifiers are ours. A block is therefore
recognised by its eye-catcher, and read as far as its own length goes.

FLTX is ours and comes last. It carries every value that its field cannot hold: names longer than 32 characters or
outside EBCDIC, microseconds of a time of day, the application's name, fields added later. `decode(encode(r)) == r`
holds for every record with all the fields of the blocks.

    offset  FLTX
         0  X'00F1' (u2), length (u2), 'FLTX' in EBCDIC, version 1 (u4)
        12  entries: block (u1: 0 the record itself, 1 flow, 2 thread, 3 node, 4 terminal), number of that block in this
            record from 0 (u2), length of the field's name (u1), name (ASCII), length of the value (u2), value (JSON)

Never here: NumPy, files. A dump is cut into records by smf/framing.py.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from flintmq.telemetry.smf.clock import days_of_packed, packed_of_days
from flintmq.telemetry.smf.ebcdic import bytes_of, text_of
from flintmq.telemetry.smf.fields import Field, Structure, structure
from flintmq.telemetry.smf.framing import cut
from flintmq.telemetry.smf.pack import pack
from flintmq.telemetry.smf.records import FLOW_STATISTICS, PIECE_MAX

IMFL = structure(
    "IMFL",
    "the message flow",
    """
      0  u2   IMFLID    -                                     Identifier X'0001'
      2  u2   IMFLLEN   -                                     Length 352
      4  c4   IMFLEYE   -                                     'IMFL'
      8  u4   IMFLVER   -                                     Version 1
     12  c32  IMFLBKNM  BrokerLabel                           Broker
     44  c36  IMFLBKID  BrokerUUID                            Its identifier
     80  c32  IMFLEXNM  ExecutionGroupName                    Execution group
    112  c36  IMFLEXID  ExecutionGroupUUID                    Its identifier
    148  c32  IMFLMFNM  MessageFlowName                       Message flow
    180  x4   IMFLSTDT  StartDate                             First day of the interval: year (2), month (1), day (1)
    184  u4   IMFLSTTM  StartTime                             Start, hundredths of a second since midnight
    188  x4   IMFLENDT  EndDate                               Last day of the interval
    192  u4   IMFLENTM  EndTime                               End
    196  u8   IMFLTPTM  TotalElapsedTime                      Elapsed time in messages
    204  u8   IMFLMXTM  MaximumElapsedTime                    Longest message
    212  u8   IMFLMNTM  MinimumElapsedTime                    Shortest message
    220  u8   IMFLTPCP  TotalCPUTime                          CPU time in messages
    228  u8   IMFLMXCP  MaximumCPUTime                        Most of a message
    236  u8   IMFLMNCP  MinimumCPUTime                        Least of a message
    244  u8   IMFLWTCP  CPUTimeWaitingForInputMessage         CPU time in waits for input
    252  u8   IMFLWTIN  ElapsedTimeWaitingForInputMessage     Elapsed time in waits for input
    260  u4   IMFLTPMG  TotalInputMessages                    Messages
    264  u8   IMFLTSMG  TotalSizeOfInputMessages              Their bytes
    272  u8   IMFLMXMG  MaximumSizeOfInputMessages            Largest message
    280  u8   IMFLMNMG  MinimumSizeOfInputMessages            Smallest message
    288  u4   IMFLTHDP  NumberOfThreadsInPool                 Threads in the pool
    292  u4   IMFLTHDM  TimesMaximumNumberOfThreadsReached    Times that all of them were busy
    296  u4   IMFLERMQ  TotalNumberOfMQErrors                 MQGET or MQPUT failures
    300  u4   IMFLERMG  TotalNumberOfMessagesWithErrors       Messages with an error
    304  u4   IMFLERPR  TotalNumberOfErrorsProcessingMessages Errors in messages
    308  u4   IMFLTMOU  TotalNumberOfTimeOutsWaitingForRepliesToAggregateMessages Time-outs of aggregations
    312  u4   IMFLCMIT  TotalNumberOfCommits                  Commits
    316  u4   IMFLBKOU  TotalNumberOfBackouts                 Backouts
    320  c32  IMFLACCT  AccountingOrigin                      Origin
    """,
    eye="IMFL",
    ident=1,
    lengths="1:352",
)
ITHD = structure(
    "ITHD",
    "a thread of the flow",
    """
     0  u2  ITHDID    -                                  Identifier X'0002'
     2  u2  ITHDLEN   -                                  Length 76
     4  c4  ITHDEYE   -                                  'ITHD'
     8  u4  ITHDVER   -                                  Version 1
    12  u4  ITHDNBR   Number                             Thread
    16  u8  ITHDTPTM  TotalElapsedTime                   Elapsed time in messages
    24  u8  ITHDTPCP  TotalCPUTime                       CPU time in messages
    32  u8  ITHDWTCP  CPUTimeWaitingForInputMessage      CPU time in waits for input
    40  u8  ITHDWTIN  ElapsedTimeWaitingForInputMessage  Elapsed time in waits for input
    48  u4  ITHDTPMG  TotalNumberOfInputMessages         Messages
    52  u8  ITHDTSMG  TotalSizeOfInputMessages           Their bytes
    60  u8  ITHDMXMG  MaximumSizeOfInputMessages         Largest message
    68  u8  ITHDMNMG  MinimumSizeOfInputMessages         Smallest message
    """,
    eye="ITHD",
    ident=2,
    lengths="1:76",
)
INOD = structure(
    "INOD",
    "a node of the flow",
    """
      0  u2   INODID    -                        Identifier X'0003'
      2  u2   INODLEN   -                        Length 136
      4  c4   INODEYE   -                        'INOD'
      8  u4   INODVER   -                        Version 1
     12  c32  INODNDNM  Label                    Node
     44  c32  INODTYPE  Type                     Its type
     76  u8   INODTPTM  TotalElapsedTime         Elapsed time in the node
     84  u8   INODMXTM  MaximumElapsedTime       Longest invocation
     92  u8   INODMNTM  MinimumElapsedTime       Shortest invocation
    100  u8   INODTPCP  TotalCPUTime             CPU time in the node
    108  u8   INODMXCP  MaximumCPUTime           Most of an invocation
    116  u8   INODMNCP  MinimumCPUTime           Least of an invocation
    124  u4   INODTPMG  CountOfInvocations       Invocations
    128  u4   INODNITL  NumberOfInputTerminals   Input terminals
    132  u4   INODNOTL  NumberOfOutputTerminals  Output terminals
    """,
    eye="INOD",
    ident=3,
    lengths="1:136",
)
ITRM = structure(
    "ITRM",
    "a terminal of a node",
    """
     0  u2   ITRMID    -                   Identifier X'0004'
     2  u2   ITRMLEN   -                   Length 56
     4  c4   ITRMEYE   -                   'ITRM'
     8  u4   ITRMVER   -                   Version 1
    12  c32  ITRMTLNM  Label               Terminal
    44  c8   ITRMTYPE  Type                Input or Output
    52  u4   ITRMTINV  CountOfInvocations  Invocations
    """,
    eye="ITRM",
    ident=4,
    lengths="1:56",
)
BLOCKS = (IMFL, ITHD, INOD, ITRM)

SUBTYPE_FLOW = 1
SUBTYPE_NODES = 2
HEADER = 34
RECORD_TYPES = ("Archive", "SnapShot")
RECORD_CODES = ("", "Major", "SnapShot", "Shutdown", "ReDeploy", "StatsSettingsModified")
#: Most bytes of a record; it is never spanned.
RECORD_SIZE_MAX = PIECE_MAX

_HEADER = struct.Struct(">HHBBII4s4sHIBBHH")
_TRIPLET = struct.Struct(">IHH")
_TEXT_HEAD = struct.Struct(">HH4sI")
_TEXT_ENTRY = struct.Struct(">BHB")
_TEXT_IDENT = 0xF1
_TEXT_EYE = "FLTX"
_FLAG = 0x5E
#: The block numbers of FLTX.
_RECORD, _FLOW, _THREAD, _NODE, _TERMINAL = range(5)
_NUMBER_OF_EYE = {"IMFL": _FLOW, "ITHD": _THREAD, "INOD": _NODE, "ITRM": _TERMINAL}
_DATES = ("StartDate", "EndDate")
_TIMES = ("StartTime", "EndTime")
#: Readers of other producers' records accept a letter for the record type as well.
_TYPE_OF = {0: "Archive", 1: "SnapShot", 0xC1: "Archive", 0xE2: "SnapShot"}

assert _HEADER.size == HEADER

Row = Mapping[str, Any]


class BadRecord(ValueError):
    """Bytes that are no record of type 117, or not the whole of one. The text says which part is wrong."""


@dataclass
class Part:
    """One SMF record of type 117."""

    subtype: int
    sequence: int
    count: int
    record_type: str
    record_code: str
    #: Its node is the last one of the record before, with more terminals.
    continued: bool = False
    flow: dict[str, Any] = field(default_factory=dict)
    threads: list[dict[str, Any]] = field(default_factory=list)
    #: Each with its `TerminalStatistics`.
    nodes: list[dict[str, Any]] = field(default_factory=list)


def encode(record: Row, *, system: str = "FLNT", subsystem: str = "") -> bytes:
    """Return the SMF records of a statistics record, one after the other, each with its record descriptor word.

    `subsystem` is the start of the broker's name if it is not given. A field that the record lacks is zero or empty.
    Raises ValueError for a record that is not a mapping with a `MessageFlow`.
    """
    flow = record.get("MessageFlow")
    if not isinstance(flow, Mapping):
        raise ValueError("a statistics record needs its MessageFlow")
    parts = _parts(record)
    subtype = SUBTYPE_NODES if record.get("Nodes") else SUBTYPE_FLOW
    made = []
    before: list[Row] = []
    for number, (threads, nodes, terminals) in enumerate(parts, 1):
        entries = [_entry(_RECORD, 0, "Continued", True)] if nodes and before and nodes[0] is before[-1] else []
        rows = ([flow], threads, nodes, terminals)
        made.append(_record(record, rows, entries, subtype, number, len(parts), system, subsystem))
        before = nodes
    return b"".join(made)


def decode(data: bytes) -> dict[str, Any]:
    """Return the statistics record that `encode` made these bytes of. Raises BadRecord."""
    found = list(decode_all(data))
    if len(found) != 1:
        raise BadRecord(f"these bytes are {len(found)} statistics records, not one")
    return found[0]


def decode_all(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield the statistics records of consecutive SMF records of type 117. Raises BadRecord at the first damage."""
    made = cut(data, 0, len(data))
    if made.damages:
        damage = made.damages[0]
        raise BadRecord(f"{damage.what}: {damage.length} bytes at {damage.offset}")
    parts: list[Part] = []
    for start, length in zip(made.starts, made.lengths, strict=True):
        part = decode_part(data[start : start + length])
        if part.sequence != len(parts) + 1:
            raise BadRecord(f"record {part.sequence} of {part.count} follows record {len(parts)}")
        parts.append(part)
        if part.sequence == part.count:
            yield join(parts)
            parts = []
    if parts:
        raise BadRecord(f"of {parts[0].count} records of an interval there are {len(parts)}")


def join(parts: Sequence[Part]) -> dict[str, Any]:
    """Return the statistics record of several SMF records: `parts`, in their order."""
    first = parts[0]
    nodes: list[dict[str, Any]] = []
    for part in parts:
        if part.continued and nodes and part.nodes:
            nodes[-1]["TerminalStatistics"] += part.nodes[0]["TerminalStatistics"]
        else:
            nodes += part.nodes
    return {
        "RecordType": first.record_type,
        "RecordCode": first.record_code,
        "MessageFlow": first.flow,
        "Threads": [thread for part in parts for thread in part.threads],
        "Nodes": nodes,
    }


def decode_part(record: bytes) -> Part:
    """Return one SMF record, which begins with its record descriptor word. Raises BadRecord."""
    if len(record) < HEADER:
        raise BadRecord(f"a record of {len(record)} bytes; its header has {HEADER}")
    length, _, _, kind, _, _, _, _, subtype, triplets, record_type, code, sequence, count = _HEADER.unpack_from(record)
    if kind != FLOW_STATISTICS:
        raise BadRecord(f"a record of type {kind}, not {FLOW_STATISTICS}")
    if subtype not in (SUBTYPE_FLOW, SUBTYPE_NODES):
        raise BadRecord(f"subtype {subtype} of type {FLOW_STATISTICS}; there are 1 and 2")
    if length != len(record):
        raise BadRecord(f"{len(record)} bytes of a record of {length}")
    made = Part(
        subtype,
        sequence,
        max(count, sequence),
        _TYPE_OF.get(record_type, str(record_type)),
        RECORD_CODES[code] if code < len(RECORD_CODES) else str(code),
    )
    rows: dict[int, list[dict[str, Any]]] = {number: [] for number in _NUMBER_OF_EYE.values()}
    texts: list[bytes] = []
    for block in _blocks(record, triplets):
        eye = text_of(block[4:8]) or ""
        if eye == _TEXT_EYE:
            texts.append(block)
        elif eye in _NUMBER_OF_EYE:
            number = _NUMBER_OF_EYE[eye]
            rows[number].append(_values(BLOCKS[number - 1], block))
        # A block that a later release added is passed over.
    if len(rows[_FLOW]) != 1:
        raise BadRecord(f"a record with {len(rows[_FLOW])} blocks of a message flow (IMFL); it has one")
    for block in texts:
        _put_texts(made, rows, block)
    made.flow = rows[_FLOW][0]
    made.threads = rows[_THREAD]
    made.nodes = rows[_NODE]
    for node in made.nodes:
        node["TerminalStatistics"] = []
    if rows[_TERMINAL]:
        if not made.nodes:
            raise BadRecord("a record with terminals (ITRM) and no node (INOD)")
        made.nodes[-1]["TerminalStatistics"] = rows[_TERMINAL]
    return made


def _parts(record: Row) -> list[tuple[list[Row], list[Row], list[Row]]]:
    """Return the threads, nodes and terminals of each SMF record of a statistics record."""
    threads, nodes = list(record.get("Threads") or ()), list(record.get("Nodes") or ())
    made: list[tuple[list[Row], list[Row], list[Row]]] = [(batch, [], []) for batch in _batches(threads, ITHD)]
    plain = [node for node in nodes if not node.get("TerminalStatistics")]
    if len(plain) == len(nodes):
        made += [([], batch, []) for batch in _batches(nodes, INOD)]
    else:
        # One record each, in the order of the nodes: a terminal block does not name its node.
        for node in nodes:
            made += [
                ([], [node], batch) for batch in _batches(list(node.get("TerminalStatistics") or ()), ITRM) or [[]]
            ]
    if len(made) > 1 and made[0][0] and not made[1][0]:
        made[:2] = [(made[0][0], made[1][1], made[1][2])]  # The first record with nodes has room for the threads.
    return made or [([], [], [])]


def _batches(rows: list[Row], kind: Structure) -> list[list[Row]]:
    """Divide rows among as many records as they need. Half of a record is kept for FLTX and the blocks beside them."""
    batches: list[list[Row]] = []
    room = 0
    for row in rows:
        need = kind.length + _texts_size(row, kind)
        if not batches or need > room:
            batches.append([])
            room = RECORD_SIZE_MAX // 3
        batches[-1].append(row)
        room -= need
    return batches


def _texts_size(row: Row, kind: Structure) -> int:
    """Return the bytes in FLTX that a row may need at most."""
    sizes = 0
    for name, value in row.items():
        if isinstance(value, str):
            sizes += 8 + len(name) + len(json.dumps(value))
    return sizes


def _record(
    record: Row,
    rows: tuple[list[Row], ...],
    entries: list[bytes],
    subtype: int,
    sequence: int,
    count: int,
    system: str,
    subsystem: str,
) -> bytes:
    """Build one SMF record: the rows are those of the blocks in their order, the entries begin its FLTX."""
    flow = rows[0][0]
    record_type, code = str(record.get("RecordType", "")), str(record.get("RecordCode", ""))
    known = record_type in RECORD_TYPES
    if not known:
        entries.append(_entry(_RECORD, 0, "RecordType", record_type))
    if code not in RECORD_CODES:
        entries.append(_entry(_RECORD, 0, "RecordCode", code))
    groups: list[list[bytes]] = []
    for number, each in enumerate(rows, _FLOW):
        if each:
            groups.append([_block(number, place, row, entries) for place, row in enumerate(each)])
    if entries:
        body = b"".join(entries)
        head = _TEXT_HEAD.pack(_TEXT_IDENT, _TEXT_HEAD.size + len(body), bytes_of(_TEXT_EYE, 4), 1)
        groups.append([head + body])
    at = HEADER + _TRIPLET.size * len(groups)
    table = []
    for blocks in groups:
        table.append(_TRIPLET.pack(at, len(blocks[0]), len(blocks)))
        at += len(blocks[0]) * len(blocks)
    if at > RECORD_SIZE_MAX:
        raise ValueError(f"{flow.get('MessageFlowName')}: its names need a record of {at} bytes; {RECORD_SIZE_MAX} fit")
    hundredths = _hundredths(str(flow.get("EndTime", "")))
    header = _HEADER.pack(
        at,
        0,
        _FLAG,
        FLOW_STATISTICS,
        hundredths or 0,
        packed_of_days(_days(str(flow.get("EndDate", ""))) or 0),
        bytes_of(system, 4),
        bytes_of(subsystem or str(flow.get("BrokerLabel", "")).upper(), 4),
        subtype,
        len(groups),
        RECORD_TYPES.index(record_type) if known else 0,
        RECORD_CODES.index(code) if code in RECORD_CODES else 0,
        sequence,
        count,
    )
    return b"".join([header, *table, *(block for blocks in groups for block in blocks)])


def _block(number: int, place: int, row: Row, entries: list[bytes]) -> bytes:
    """Build the block of a row; add to `entries` the values that its fields cannot hold."""
    kind = BLOCKS[number - 1]
    values: dict[str, int | str | bytes | None] = {kind.eye + "VER": 1}
    for item in kind.shown:
        values[item.name] = _packed(item, row.get(item.title))
    block = pack(kind, values)
    seen = _values(kind, block)
    for name, value in row.items():
        if name != "TerminalStatistics" and (name not in seen or seen[name] != value):
            entries.append(_entry(number, place, name, value))
    return block


def _packed(item: Field, value: Any) -> int | str | bytes | None:
    """Return the value of a field for `pack`."""
    if item.title in _DATES:
        days = _days(str(value or ""))
        if days is None:
            return None
        day = date.fromordinal(date(1970, 1, 1).toordinal() + days)
        return struct.pack(">HBB", day.year, day.month, day.day)
    if item.title in _TIMES:
        return _hundredths(str(value or ""))
    if item.kind == "c":
        return None if value is None else str(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _values(kind: Structure, block: bytes) -> dict[str, Any]:
    """Return the fields of a block that lie within its length."""
    made: dict[str, Any] = {}
    for item in kind.shown:
        if item.end > len(block):
            continue
        data = block[item.offset : item.end]
        if item.title in _DATES:
            year, month, day = struct.unpack(">HBB", data)
            made[item.title] = f"{year:04}-{month:02}-{day:02}" if year else ""
        elif item.title in _TIMES:
            made[item.title] = _time_of(int.from_bytes(data, "big"))
        elif item.kind == "c":
            made[item.title] = text_of(data) or ""
        else:
            made[item.title] = int.from_bytes(data, "big")
    return made


def _entry(number: int, place: int, name: str, value: Any) -> bytes:
    encoded, data = name.encode("ascii"), json.dumps(value, ensure_ascii=False).encode()
    head = _TEXT_ENTRY.pack(number, place, len(encoded))
    return b"".join([head, encoded, len(data).to_bytes(2, "big"), data])


def _put_texts(part: Part, rows: dict[int, list[dict[str, Any]]], block: bytes) -> None:
    """Put the values of a FLTX block in their places."""
    at = _TEXT_HEAD.size
    try:
        while at < len(block):
            number, place, size = _TEXT_ENTRY.unpack_from(block, at)
            at += _TEXT_ENTRY.size
            name = block[at : at + size].decode("ascii")
            at += size
            length = int.from_bytes(block[at : at + 2], "big")
            value = json.loads(block[at + 2 : at + 2 + length])
            at += 2 + length
            if number == _RECORD:
                if name == "RecordType":
                    part.record_type = str(value)
                elif name == "RecordCode":
                    part.record_code = str(value)
                elif name == "Continued":
                    part.continued = bool(value)
            else:
                rows[number][place][name] = value
    except (struct.error, UnicodeDecodeError, ValueError, KeyError, IndexError) as error:
        raise BadRecord(f"a damaged block of long names (FLTX): {error}") from None


def _blocks(record: bytes, triplets: int) -> Iterator[bytes]:
    """Yield the blocks that the triplets point to."""
    if HEADER + _TRIPLET.size * triplets > len(record):
        raise BadRecord(f"{triplets} triplets in a record of {len(record)} bytes")
    for number in range(triplets):
        offset, length, count = _TRIPLET.unpack_from(record, HEADER + _TRIPLET.size * number)
        if count and (length < 12 or offset < HEADER or offset + length * count > len(record)):
            raise BadRecord(f"triplet {number} points to {count} blocks of {length} bytes at {offset}")
        for place in range(count):
            yield record[offset + length * place : offset + length * (place + 1)]


def _days(text: str) -> int | None:
    """Return days since 1970 of a date such as 2026-11-18."""
    try:
        return date.fromisoformat(text).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:
        return None


def _hundredths(text: str) -> int | None:
    """Return hundredths of a second since midnight of a time such as 11:35:20.250000."""
    hours, _, rest = text.partition(":")
    minutes, _, rest = rest.partition(":")
    seconds, _, fraction = rest.partition(".")
    if not (hours + minutes + seconds).isdecimal() or len(text) < 8:
        return None
    return (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 100 + int((fraction + "00")[:2] or 0)


def _time_of(hundredths: int) -> str:
    seconds, rest = divmod(hundredths, 100)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:02}0000"


def moved(record: bytes) -> tuple[int | None, int]:
    """Return the date (days since 1970) and the time (hundredths since midnight) in the header of an SMF record."""
    return days_of_packed(int.from_bytes(record[10:14], "big")), int.from_bytes(record[6:10], "big")
