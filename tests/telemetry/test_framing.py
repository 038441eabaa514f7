"""Dump files: every framing, spanned records, and dumps that are damaged. C1 to C5 are the rules of framing.py."""

from __future__ import annotations

import gzip
import random

import pytest

from flintmq.telemetry.smf import framing
from flintmq.telemetry.smf.ebcdic import TABLE
from flintmq.telemetry.smf.framing import cut, detect
from flintmq.telemetry.smf.layouts.qmst import QMST
from flintmq.telemetry.smf.layouts.qqst import QQST
from flintmq.telemetry.smf.pack import pack
from tests.telemetry.builder import NOON, Record, blocked, dump, edge, spanned, without_rdw
from tests.telemetry.conftest import Read


def statistics(puts: int) -> bytes:
    return Record(115, 2, {1: [pack(QMST, {"QMSTPUT": puts})]}, at=NOON + puts * 60_000_000).packed()


def queues(*names: str) -> bytes:
    return Record(115, 216, {1: [pack(QQST, {"QQSTQNAM": name}) for name in names]}).packed()


RECORDS = [statistics(number) for number in range(20)]
PUTS = list(range(20))


def puts_of(read: Read, data: bytes) -> list[int]:
    return [row["Put"] for row in read(data).get("QMST", [])]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (dump(*RECORDS), "rdw"),
        (dump(), "rdw"),
        (b"", "rdw"),
        (without_rdw(*RECORDS), "none"),
        (without_rdw(), "none"),
        (blocked(dump(*RECORDS[:10]), dump(*RECORDS[10:])), "bdw"),
        (dump(*(spanned(record, 50, 100) for record in RECORDS)), "rdw"),
        (bytes(200) + dump(*RECORDS), "rdw"),
    ],
)
def test_the_framing_is_told_from_the_first_records(data: bytes, kind: str) -> None:
    assert detect(data) == kind


@pytest.mark.parametrize("place", [[20], [1], [100, 300], [31, 32, 33]])
def test_a_spanned_record_is_joined_wherever_it_was_cut(read: Read, place: list[int]) -> None:
    assert puts_of(read, dump(*(spanned(record, *place) for record in RECORDS))) == PUTS


def test_every_framing_gives_the_same_rows(read: Read) -> None:
    for data in (
        dump(*RECORDS),
        without_rdw(*RECORDS),
        blocked(dump(*RECORDS[:10]), dump(*RECORDS[10:])),
    ):
        assert puts_of(read, data) == PUTS
    assert [row["Put"] for row in read(gzip.compress(dump(*RECORDS)), "a.dat.gz")["QMST"]] == PUTS


def test_a_dump_packed_with_zstd_is_read(read: Read) -> None:
    pa = pytest.importorskip("pyarrow", reason="columns need the spark extra: pyarrow")
    packed = pa.compress(dump(*RECORDS), codec="zstd", asbytes=True)
    assert [row["Put"] for row in read(packed, "a.dat.zst")["QMST"]] == PUTS


def test_a_packed_dump_is_read_block_by_block(read: Read) -> None:
    """C5: what is incomplete at the end of a block is read with the next."""
    data = dump(*(spanned(record, 70) if number % 3 else record for number, record in enumerate(RECORDS)))
    rows = read(gzip.compress(data), "a.dat.gz", block=700)
    assert [row["Put"] for row in rows["QMST"]] == PUTS
    assert rows["damages"] == rows["findings"] == []
    assert [row["Offset"] for row in rows["QMST"]] == [row["Offset"] for row in read(data)["QMST"]]


def test_the_ranges_of_a_dump_give_what_the_whole_gives(read: Read) -> None:
    """C4, with a hole in the dump."""
    data = dump(*RECORDS[:9], b"\x07" * 500, *RECORDS[9:])
    whole = read(data)
    for size in (400, 1000, 3000):
        parts = read(data, size=size, block=300)
        assert parts["QMST"] == whole["QMST"]
        assert sum(damage["length"] for damage in parts["damages"]) == 500
    plain = without_rdw(*RECORDS)
    assert [row["Put"] for row in read(plain, size=600)["QMST"]] == PUTS


@pytest.mark.parametrize("keep", [5, 17, 18, 19, 200, 500])
def test_a_dump_that_ends_inside_a_record_keeps_what_was_complete(read: Read, keep: int) -> None:
    last = len(dump(*RECORDS)) - 18 - len(RECORDS[-1])
    rows = read(dump(*RECORDS)[: last + keep])
    if keep < len(RECORDS[-1]):
        assert [row["Put"] for row in rows["QMST"]] == PUTS[:-1]
        assert [(damage["offset"], damage["length"]) for damage in rows["damages"]] == [(last, keep)]
        assert rows["damages"][0]["what"] == "the dump ends inside a record"


def test_a_spanned_record_that_lost_a_piece_is_named_and_the_rest_is_read(read: Read) -> None:
    broken = spanned(RECORDS[3], 100)
    first = broken[:104]
    last = broken[104:]
    for piece, what in ((first, "without its last piece"), (last, "without its first piece")):
        rows = read(dump(*RECORDS[:3], piece, *RECORDS[4:]))
        assert [row["Put"] for row in rows["QMST"]] == PUTS[:3] + PUTS[4:]
        assert [what in damage["what"] for damage in rows["damages"]] == [True]
        assert rows["damages"][0]["offset"] == 18 + sum(map(len, RECORDS[:3]))


@pytest.mark.parametrize("length", [0x0000, 0x0011, 0x0030, 0x7FFF, 0xFFFF])
def test_a_wrong_length_costs_no_other_record(read: Read, length: int) -> None:
    """C3: too short, too long, none at all."""
    wrong = length.to_bytes(2, "big") + RECORDS[7][2:]
    rows = read(dump(*RECORDS[:7], wrong, *RECORDS[8:]))
    puts = [row["Put"] for row in rows["QMST"]]
    assert [put for put in puts if put != 7] == PUTS[:7] + PUTS[8:]
    assert len(rows["damages"]) + len(rows["findings"]) >= 1 or puts == PUTS


def test_zeros_between_records_are_one_damage(read: Read) -> None:
    rows = read(dump(*RECORDS[:5], bytes(1000), *RECORDS[5:]))
    assert [row["Put"] for row in rows["QMST"]] == PUTS
    assert [damage["length"] for damage in rows["damages"]] == [1000]
    assert "zeros" in rows["damages"][0]["what"]


def test_an_empty_dump_has_no_rows(read: Read) -> None:
    assert read(b"") == {"findings": [], "damages": []}


def test_a_file_that_is_no_dump_is_one_damage(read: Read) -> None:
    rows = read(b"This is a letter to the editor.\n" * 100)
    assert [(damage["offset"], damage["length"]) for damage in rows["damages"]] == [(0, 3200)]


def test_records_of_other_types_are_named_and_passed_over(read: Read) -> None:
    other = bytearray(RECORDS[0])
    other[5] = 30
    unknown = bytearray(RECORDS[0])
    unknown[22:24] = (77).to_bytes(2, "big")
    rows = read(dump(RECORDS[0], bytes(other), RECORDS[1], bytes(unknown), RECORDS[2]))
    assert [row["Put"] for row in rows["QMST"]] == [0, 1, 2]
    assert [(finding["kind"], finding["what"]) for finding in rows["findings"]] == [
        ("unknown", "record type 30 is not one of MQ's"),
        ("unknown", "record type 115 subtype 77 is not one we know"),
    ]


def test_a_section_beyond_the_record_and_a_wrong_eye_catcher_are_named(read: Read) -> None:
    beyond = bytearray(RECORDS[1])
    beyond[28 + 8 : 28 + 12] = (30_000).to_bytes(4, "big")
    blind = bytearray(queues("A", "B"))
    at = int.from_bytes(blind[36:40], "big")
    blind[at + 4] ^= 0xFF
    rows = read(dump(RECORDS[0], bytes(beyond), bytes(blind), RECORDS[2]))
    assert [row["Put"] for row in rows["QMST"]] == [0, 2]
    assert [row["Queue"] for row in rows["QQST"]] == ["B"]
    assert {finding["what"] for finding in rows["findings"]} == {
        "section 1 of 115-2 is not within the record",
        "a QQST of 115-216 without its eye-catcher",
    }
    assert rows["findings"][0]["offset"] == 18 + len(RECORDS[0])


def test_flipped_bits_never_stop_the_reader_and_cost_at_most_their_record(read: Read) -> None:
    """Any bit of a dump, and what is not touched is read as it was."""
    data = dump(*RECORDS, *(spanned(record, 300) for record in RECORDS[:3]))
    clean = read(data)["QMST"]
    draw = random.Random(115)
    for _ in range(150):
        at = draw.randrange(len(data))
        damaged = bytearray(data)
        damaged[at] ^= 1 << draw.randrange(8)
        rows = read(bytes(damaged))
        same = [row for row in rows.get("QMST", []) if row in clean]
        assert len(same) >= len(clean) - 2, f"byte {at}"


def test_random_bytes_never_stop_the_reader(read: Read) -> None:
    draw = random.Random(116)
    for _ in range(40):
        read(draw.randbytes(draw.randrange(4000)))
        read(dump(*RECORDS[:2]) + draw.randbytes(500) + edge(3) + draw.randbytes(40))


def test_a_cut_names_only_whole_records() -> None:
    data = dump(*RECORDS)
    made = cut(data, 0, len(data))
    assert [data[start + 5] for start in made.starts] == [2, *[115] * 20, 3]
    assert sum(made.lengths) == len(data) == made.end
    assert framing.extent(data, made.starts[1], len(data)) == made.lengths[1]


def in_text_mode(data: bytes, coded: str = "latin-1") -> bytes:
    """What a transfer in text mode makes of EBCDIC: every byte is converted, whatever it was."""
    return "".join(TABLE[byte] for byte in data).encode(coded)


@pytest.mark.parametrize("coded", ["latin-1", "utf-8"])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_dump_that_was_transferred_in_text_mode_is_named_as_such(read: Read, coded: str, end: bytes) -> None:
    """Issue 14, item 18: with or without record descriptor words, records as lines or not."""
    for cut_off in (0, 4):
        data = b"".join(in_text_mode(record[cut_off:], coded) + end for record in RECORDS)
        rows = read(data)
        assert "QMST" not in rows and [damage["what"] for damage in rows["damages"]] == [framing.TEXT_MODE]
    assert "binary" in framing.TEXT_MODE and "rdw" in framing.TEXT_MODE
    # Damage in a dump that is binary is damage; so is a letter.
    for data in (dump(RECORDS[0], bytes(300), RECORDS[1]), dump(RECORDS[0])[:-100], b"Dear Sir or Madam,\n" * 20):
        assert framing.TEXT_MODE not in [damage["what"] for damage in read(data)["damages"]]


def test_records_of_other_products_in_a_dump_of_mq_are_named(read: Read) -> None:
    """Issue 14, item 18: type 180 is AMS, 123 z/OS Connect; they cost no other record."""
    others = [
        bytes(record[:5] + bytes([kind]) + record[6:]) for record, kind in zip(RECORDS, (180, 123, 30), strict=False)
    ]
    rows = read(dump(RECORDS[0], *others, RECORDS[1]))
    assert [row["Put"] for row in rows["QMST"]] == [0, 1]
    assert [(finding["kind"], finding["what"]) for finding in rows["findings"]] == [
        (
            "unknown",
            "record type 180, an audit record of Advanced Message Security (AMS): FlintMQ does not read it",
        ),
        ("unknown", "record type 123, a request of z/OS Connect: FlintMQ does not read it"),
        ("unknown", "record type 30 is not one of MQ's"),
    ]
