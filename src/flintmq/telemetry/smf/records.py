"""The record map: which structure each triplet of a record of type 115 or 116 points to, and when it is written.

Triplet 0 is always the MQ headers (layouts/headers.py). Several records may be parts of one thing: 115-216 is as many
records as the queues need, 116-2 carries the WQ blocks that 116-1 had no room for.
"""

from __future__ import annotations

from dataclasses import dataclass

from flintmq.telemetry.smf.fields import Structure
from flintmq.telemetry.smf.layouts.q5st import Q5ST
from flintmq.telemetry.smf.layouts.qcct import QCCT
from flintmq.telemetry.smf.layouts.qcst import QCST
from flintmq.telemetry.smf.layouts.qct import QCTADP, QCTDNS, QCTDSP, QCTSSL
from flintmq.telemetry.smf.layouts.qesd import QESD
from flintmq.telemetry.smf.layouts.qest import QEST
from flintmq.telemetry.smf.layouts.qis1 import QIS1
from flintmq.telemetry.smf.layouts.qist import QIST
from flintmq.telemetry.smf.layouts.qjst import QJST
from flintmq.telemetry.smf.layouts.qlst import QLST
from flintmq.telemetry.smf.layouts.qmac import QMAC
from flintmq.telemetry.smf.layouts.qmst import QMST
from flintmq.telemetry.smf.layouts.qpst import QPST
from flintmq.telemetry.smf.layouts.qqst import QQST
from flintmq.telemetry.smf.layouts.qsgm import QSGM
from flintmq.telemetry.smf.layouts.qsph import QSPH
from flintmq.telemetry.smf.layouts.qsrs import QSRS
from flintmq.telemetry.smf.layouts.qsst import QSST
from flintmq.telemetry.smf.layouts.qtst import QTST
from flintmq.telemetry.smf.layouts.qwac import QWAC
from flintmq.telemetry.smf.layouts.wq import WQ
from flintmq.telemetry.smf.layouts.wtas import WTAS
from flintmq.telemetry.smf.layouts.wtid import WTID

STATISTICS = 115
ACCOUNTING = 116
#: Statistics of message flows, telemetry/smf117.py. Only a broker writes them; its header is longer.
FLOW_STATISTICS = 117
DUMP_HEADER = 2
DUMP_TRAILER = 3

#: A rebuilt record is at most this long; more is damage.
RECORD_MAX = 32_768
#: A piece of a spanned record, with its RDW.
PIECE_MAX = 32_760


@dataclass(frozen=True)
class RecordKind:
    """One type and subtype."""

    type: int
    subtype: int
    #: The trace class that writes it.
    trace: str
    #: How many triplets the product writes.
    triplets: int
    #: Triplet -> the structure behind it.
    sections: dict[int, Structure]
    #: short: QWHS of 36 bytes and QWHC; mini: four bytes; else QWHS of 52 bytes.
    headers: str = "full"
    #: QWHSDURN counts store-clock units, not microseconds.
    clock_duration: bool = False

    @property
    def name(self) -> str:
        return f"{self.type}-{self.subtype}"


KINDS = (
    RecordKind(115, 1, "STAT 1", 12, {9: QSST, 11: QJST}),
    RecordKind(115, 2, "STAT 1", 9, {1: QMST, 2: QIST, 3: QPST, 4: QLST, 5: Q5ST, 6: QEST, 7: QTST, 8: QESD}),
    RecordKind(115, 5, "STAT 3", 2, {1: QSPH}, headers="mini"),
    RecordKind(115, 6, "STAT 3", 2, {1: QSGM}, headers="mini"),
    RecordKind(115, 7, "STAT 2", 2, {1: QSRS}, headers="mini"),
    RecordKind(115, 201, "STAT 1", 2, {1: QIS1}),
    RecordKind(115, 215, "STAT 1", 2, {1: QPST}),
    RecordKind(115, 216, "STAT 5", 2, {1: QQST}),
    RecordKind(115, 231, "STAT 4", 6, {1: QCCT, 2: QCTDSP, 3: QCTADP, 4: QCTSSL, 5: QCTDNS}, clock_duration=True),
    RecordKind(115, 240, "internal", 4, {}),
    RecordKind(116, 0, "ACCTG 1", 7, {1: QWAC, 2: QMAC}, headers="short"),
    RecordKind(116, 1, "ACCTG 3", 4, {1: WTID, 2: WTAS, 3: WQ}, headers="short"),
    RecordKind(116, 2, "ACCTG 3", 3, {1: WTID, 2: WQ}, headers="short"),
    RecordKind(116, 10, "ACCTG 4", 2, {1: QCST}, clock_duration=True),
)
KIND_OF = {(kind.type, kind.subtype): kind for kind in KINDS}

#: Every structure that becomes a table, by its name.
STRUCTURES = {found.name: found for kind in KINDS for found in kind.sections.values()}
