"""Records: header, triplets, sections, and how many of them."""

from __future__ import annotations

from types import SimpleNamespace

from flintmq.telemetry.recording import tables
from flintmq.telemetry.recording.record import Correlation, Origin, Span, batches, build, dump_mark
from flintmq.telemetry.recording.section import Section
from flintmq.telemetry.smf.records import KIND_OF, RECORD_MAX, STRUCTURES
from tests.telemetry.recording.reading import read_record

#: 2023-11-14 22:13:20 UTC.
NOW = 1_700_000_000_000_000
HOUR = 3600 * 1_000_000
SPAN = Span(NOW - 60_000_000, NOW, NOW)


def origin() -> Origin:
    return Origin("SYSA", "QM1", "942", local_us=2 * HOUR)


def test_the_smf_header_has_local_time_and_the_store_clock_utc() -> None:
    qmst = Section(STRUCTURES["QMST"], {"QMSTPUT": "puts"}, "9.4.2").pack(SimpleNamespace(puts=1))
    read = read_record(build(origin(), KIND_OF[115, 2], SPAN, {1: [qmst]}))
    assert (read.header["SM11XDTE"], read.header["SM11XTME"]) == (0x0123319F, (13 * 60 + 20) * 100)
    assert (read.header["SM11XSID"], read.header["SM11XSSI"], read.header["SM11XREL"]) == ("SYSA", "QM1", "942")
    assert read.qwhs["QWHSSTCK"] == NOW
    assert (read.qwhs["QWHSTIME"], read.qwhs["QWHSDURN"]) == (NOW - 60_000_000 + 2 * HOUR, 60_000_000)
    assert (read.qwhs["QWHSLEN"], read.qwhs["QWHSNSDA"], read.qwhs["QWHSIID"]) == (52, 9, 2)


def test_sections_follow_without_gaps_and_the_headers_come_last() -> None:
    entries = [bytes([number]) * 104 for number in range(3)]
    data = build(origin(), KIND_OF[115, 215], SPAN, {1: entries})
    assert data[28:36] == (28 + 16 + 312).to_bytes(4, "big") + (52).to_bytes(2, "big") + (1).to_bytes(2, "big")
    assert data[36:44] == (44).to_bytes(4, "big") + (104).to_bytes(2, "big") + (3).to_bytes(2, "big")
    assert data[44 : 44 + 312] == b"".join(entries)
    assert len(data) == int.from_bytes(data[:2], "big") == 44 + 312 + 52


def test_storage_records_have_the_short_header_first() -> None:
    data = build(origin(), KIND_OF[115, 7], SPAN, {1: [bytes(232)]})
    assert data[28:36] == (44).to_bytes(4, "big") + (4).to_bytes(2, "big") + (1).to_bytes(2, "big")
    assert data[44:48] == bytes.fromhex("00010180") and len(data) == 48 + 232


def test_accounting_records_say_whose_task_it_is() -> None:
    who = Correlation("ALICE", "ORDERAPP", "ALICE", 2, bytes(12), b"token")
    data = build(origin(), KIND_OF[116, 1], SPAN, {1: [bytes(208)], 2: [bytes(2344)]}, who)
    assert "ALICE".encode("cp037") in data and "ORDERAPP".encode("cp037") in data
    read = read_record(data)
    assert (read.qwhs["QWHSLEN"], read.qwhs["QWHSNSDA"]) == (36, 3)  # No WQ, so no triplet for it.
    more = build(origin(), KIND_OF[116, 1], SPAN, {1: [bytes(208)], 2: [bytes(2344)], 3: [bytes(2800)]}, who)
    assert read_record(more).qwhs["QWHSNSDA"] == 4


def test_channel_records_have_their_duration_in_store_clock_units() -> None:
    read = read_record(build(origin(), KIND_OF[116, 10], SPAN, {1: [bytes(324)]}))
    assert read.qwhs["QWHSDURN"] == 60_000_000 << 12


def test_records_are_numbered() -> None:
    whose = origin()
    first = read_record(build(whose, KIND_OF[115, 215], SPAN, {1: [bytes(104)]}))
    other = read_record(build(whose, KIND_OF[115, 201], SPAN, {1: [bytes(104)]}))
    second = read_record(build(whose, KIND_OF[115, 215], SPAN, {1: [bytes(104)]}))
    assert [each.qwhs["QWHSISEQ"] for each in (first, other, second)] == [
        bytes.fromhex(digits) for digits in ("00000001", "00000001", "00000002")
    ]
    assert second.qwhs["QWHSWSEQ"] == bytes.fromhex("00000003")


def test_341_queues_of_84_bytes_fit_one_record_and_the_342nd_needs_another() -> None:
    """B30."""
    section = Section(STRUCTURES["QQST"], tables.QQST, "9.3.0")
    assert section.length == 84
    assert [len(some) for some in batches([bytes(84)] * 341)] == [341]
    assert [len(some) for some in batches([bytes(84)] * 342)] == [341, 1]


def test_longer_entries_are_fewer_in_a_record() -> None:
    """B31."""
    some = batches([bytes(552)] * 100)
    assert [len(each) for each in some] == [51, 49]
    assert len(build(origin(), KIND_OF[115, 216], SPAN, {1: some[0]})) <= RECORD_MAX
    assert batches([]) == []


def test_the_marks_of_a_dump_are_eighteen_bytes() -> None:
    first, last = dump_mark(origin(), True, NOW), dump_mark(origin(), False, NOW)
    assert first[:6] == bytes.fromhex("001200001E02") and last[:6] == bytes.fromhex("001200001E03")
    assert len(first) == len(last) == 18 and first[14:18] == "SYSA".encode("cp037")
