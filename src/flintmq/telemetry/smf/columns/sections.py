"""Where the structures of a block are: the triplets of all its records at once. Rules:

    S1  A section is present when its count is not zero.
    S2  There are (lowest offset of a section - 28) / 8 triplets, and no more than the record map has. QWHSNSDA is not
        used: it is wrong in 115-231 of 8.0.
    S3  A section that reaches beyond its record is damaged and left out; the record's other sections are read.
    S4  A structure with a wrong eye-catcher is damaged and left out.
    S5  A structure is as long as its triplet and its own length field both say: the lesser of the two.

Nothing is read beyond a record, whatever its triplets say.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flintmq.telemetry.smf.columns.block import Block, Flags, Integers, take, take_structures
from flintmq.telemetry.smf.ebcdic import bytes_of
from flintmq.telemetry.smf.fields import Structure
from flintmq.telemetry.smf.framing import HEADER
from flintmq.telemetry.smf.layouts.headers import TRIPLET
from flintmq.telemetry.smf.records import KIND_OF, KINDS, RecordKind

#: Types that dumps of MQ systems hold beside 115 and 116, and that IBM's formatter reads. The type of AMS can be
#: chosen; 180 is usual.
OTHERS = {180: "an audit record of Advanced Message Security (AMS)", 123: "a request of z/OS Connect"}
DAMAGED = "damaged"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Finding:
    """Something in a dump that did not become a row: its place, kind and description."""

    offset: int
    length: int
    kind: str
    what: str


@dataclass
class Section:
    """The structures of one kind in a block."""

    structure: Structure
    kind: RecordKind
    #: The record of each, its position in the block's bytes, its number within the section, its length.
    record: Integers
    position: Integers
    entry: Integers
    length: Integers


@dataclass
class Sections:
    """All structures of a block."""

    #: By structure; QPST and WQ may come from two kinds of records.
    found: dict[str, list[Section]] = field(default_factory=dict)
    #: Where the MQ headers of each record are, and how long they are together; -1 and 0 where there are none.
    headers: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    headers_length: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    findings: list[Finding] = field(default_factory=list)
    #: Whether a record is one that we read, and nothing in it is damaged.
    sound: Flags = field(default_factory=lambda: np.empty(0, np.bool_))
    #: Whether its kind is known.
    known: Flags = field(default_factory=lambda: np.empty(0, np.bool_))


def sections_of(block: Block) -> Sections:
    """Find every structure of a block."""
    count = len(block)
    made = Sections({}, np.full(count, -1, np.int64), np.zeros(count, np.int64), [], np.zeros(count, np.bool_))
    made.known = np.zeros(count, np.bool_)
    for kind in KINDS:
        which = np.flatnonzero((block.type == kind.type) & (block.subtype == kind.subtype))
        made.known[which] = True
        short = which[block.length[which] < HEADER + 8]
        _report(made, block, short, "the record is shorter than its headers")
        which = which[block.length[which] >= HEADER + 8]
        if len(which):
            made.sound[which] = True
            _sections_of_kind(block, kind, which, made)
    _unknown(block, made)
    return made


def _unknown(block: Block, made: Sections) -> None:
    """Report records of other products. Types 2 and 3, dump header and trailer, are known and have no structures."""
    made.known |= (block.type == 2) | (block.type == 3)
    for number in np.flatnonzero(~made.known).tolist():
        kind, subtype = int(block.type[number]), int(block.subtype[number])
        what = f"record type {kind} subtype {subtype} is not one we know"
        if kind in OTHERS:
            what = f"record type {kind}, {OTHERS[kind]}: FlintMQ does not read it"
        elif (kind, 0) not in KIND_OF and kind not in (115, 116):
            what = f"record type {kind} is not one of MQ's"
        made.findings.append(Finding(int(block.offset[number]), int(block.length[number]), UNKNOWN, what))


def _report(made: Sections, block: Block, which: Integers, what: str) -> None:
    made.sound[which] = False
    for number in which.tolist():
        made.findings.append(Finding(int(block.offset[number]), int(block.length[number]), DAMAGED, what))


def _sections_of_kind(block: Block, kind: RecordKind, which: Integers, made: Sections) -> None:
    base, limit = block.base[which], block.length[which]
    lowest = np.full(len(which), np.iinfo(np.int64).max, np.int64)
    for number in range(kind.triplets):
        end = HEADER + 8 * number + 8
        here = (end <= lowest) & (end <= limit)  # S2
        if not here.any():
            break
        triplets = take_structures(block.data, np.where(here, base + end - 8, 0), TRIPLET, 8)
        offset = np.where(here, triplets["OFFSET"], 0).astype(np.int64)
        size = triplets["LENGTH"].astype(np.int64)
        count = np.where(here, triplets["COUNT"], 0).astype(np.int64)
        present = (count > 0) & (offset > 0)  # S1
        beyond = present & ((offset + size * count > limit) | (offset < end) | (size == 0))
        _report(made, block, which[beyond], f"section {number} of {kind.name} is not within the record")  # S3
        good = present & ~beyond
        lowest = np.where(good, np.minimum(lowest, offset), lowest)
        if number == 0:
            _report(made, block, which[~good & ~beyond], f"{kind.name} without MQ headers")
            made.headers[which[good]] = (base + offset)[good]
            made.headers_length[which[good]] = size[good]
        elif number in kind.sections and good.any():
            section = kind.sections[number]
            _add(block, section, kind, which[good], (base + offset)[good], size[good], count[good], made)


def _add(
    block: Block,
    structure: Structure,
    kind: RecordKind,
    record: Integers,
    start: Integers,
    size: Integers,
    count: Integers,
    made: Sections,
) -> None:
    """Add the structures of one section of many records: entry j is at offset + j x length."""
    total = int(count.sum())
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(count)[:-1]])
    entry = np.arange(total, dtype=np.int64) - np.repeat(first, count)
    record, length = np.repeat(record, count), np.repeat(size, count)
    position = np.repeat(start, count) + entry * length
    if structure.eye:
        enough = length >= 8
        wanted = np.frombuffer(bytes_of(structure.eye, 4), ">u4")[0]
        eyes = np.where(enough, take(block.data, np.where(enough, position + 4, 0), 4).view(">u4"), 0)
        good = enough & (eyes == wanted)
        if not good.all():
            # S4: one finding per record, however many of its structures are wrong.
            _report(made, block, np.unique(record[~good]), f"a {structure.name} of {kind.name} without its eye-catcher")
            record, position, entry, length = record[good], position[good], entry[good], length[good]
        own = take(block.data, position + 2, 2).view(">u2").astype(np.int64)
        length = np.where(own >= 8, np.minimum(length, own), length)  # S5
    made.found.setdefault(structure.name, []).append(Section(structure, kind, record, position, entry, length))
