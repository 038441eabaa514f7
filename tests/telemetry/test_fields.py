"""Layouts: how they are written down, and that each agrees with itself and with its neighbours."""

from __future__ import annotations

import pytest

from flintmq.telemetry.smf.codes import CODES
from flintmq.telemetry.smf.fields import BadLayout, column_name, release_number, structure
from flintmq.telemetry.smf.layouts import headers
from flintmq.telemetry.smf.pack import pack
from flintmq.telemetry.smf.records import KINDS, STRUCTURES


def test_a_layout_becomes_fields() -> None:
    made = structure(
        "TEST",
        "a test",
        """
         0  u2        ID      -           Identifier
         8  i4        COUNT   Count       How many
        12  dur8[2]   WAIT    Wait_Time   By class
        28  u4[2]     MARK    High,Low    Marks
        36  2x8       IO      1.1,1.2     writes
        +0  u4        IOCI    IO_CI       Pages
        +4  u4        IOET    IO{*_ET}    Time
        52  bit9      FLAG    Flag        Second bit of the second byte
        length > 56 (9.4)
        56  c4        NAME    Name        A name
        """,
        lengths="7.0:56 9.4:60",
    )
    assert [(item.name, item.offset, item.title, item.column) for item in made.shown] == [
        ("COUNT", 8, "Count", "Count"),
        ("WAIT_1", 12, "Wait_Time{1}", "Wait_Time_1_US"),
        ("WAIT_2", 20, "Wait_Time{2}", "Wait_Time_2_US"),
        ("MARK_1", 28, "High", "High"),
        ("MARK_2", 32, "Low", "Low"),
        ("IOCI_1_1", 36, "IO_CI {1.1}", "IO_CI_1_1"),
        ("IOET_1_1", 40, "IO {1.1_ET}", "IO_1_1_ET"),
        ("IOCI_1_2", 44, "IO_CI {1.2}", "IO_CI_1_2"),
        ("IOET_1_2", 48, "IO {1.2_ET}", "IO_1_2_ET"),
        ("FLAG", 53, "Flag", "Flag"),
        ("NAME", 56, "Name", "Name"),
    ]
    assert made.find("FLAG").mask == 0x40
    assert (made.find("NAME").beyond, made.find("COUNT").beyond) == (56, 0)
    assert [made.length_at(release) for release in ("6.0", "7.0", "9.3.5", "9.4", "10.0")] == [56, 56, 56, 60, 60]


@pytest.mark.parametrize(
    ("layout", "what"),
    [
        ("0 u4 A - x\n4 u4 A - y", "field A is there twice"),
        ("0 u4 A Put x\n4 u4 B put y", "column put is there twice"),
        ("60 u8 A - x", "ends at 68"),
        ("0 float A - x", "is not a type"),
        ("0 2x4 A 1.1 x", "1 labels for 2 entries"),
        ("+0 u4 A - x", "belongs to no group"),
        ("0 u4", "is not a line"),
    ],
)
def test_a_layout_that_contradicts_itself_is_refused(layout: str, what: str) -> None:
    with pytest.raises(BadLayout, match=what):
        structure("TEST", "a test", layout, lengths="7.0:64")


@pytest.mark.parametrize("made", STRUCTURES.values(), ids=lambda made: made.name)
def test_fields_follow_each_other_and_their_codes_exist(made: object) -> None:
    found = STRUCTURES[getattr(made, "name", "")]
    assert all(item.codes in CODES for item in found.fields if item.codes and item.kind != "bit")
    plain = sorted((item for item in found.fields if item.kind != "bit"), key=lambda item: (item.offset, -item.size))
    for before, after in zip(plain, plain[1:], strict=False):
        # Two views of the same bytes start at the same place or lie inside one another; nothing else overlaps.
        assert after.offset >= before.end or after.end <= before.end or after.offset == before.offset, after.name


def test_every_structure_that_can_say_so_knows_its_eye_catcher() -> None:
    without = {name for name, made in STRUCTURES.items() if not made.eye}
    assert without == {"QCTDSP", "QCTADP", "QCTSSL", "QCTDNS", "QWAC"}
    assert len({made.eye for made in STRUCTURES.values() if made.eye}) == len(STRUCTURES) - len(without)


def test_the_record_map_leaves_room_for_its_sections() -> None:
    for kind in KINDS:
        assert all(0 < number < kind.triplets for number in kind.sections), kind.name


def test_releases_compare_as_numbers() -> None:
    assert release_number("9.4.5") < release_number("10.0")


def test_names_of_columns_need_no_quoting() -> None:
    assert column_name("IO_Count {1.1}") == "IO_Count_1_1"
    assert column_name("Correl(HEX)") == "Correl_HEX"
    names = [item.column for made in STRUCTURES.values() for item in made.shown]
    assert all(name.replace("_", "a").isalnum() and not name[0].isdigit() for name in names)


def test_a_structure_of_an_older_release_is_packed_without_the_newer_fields() -> None:
    old, new = (pack(STRUCTURES["QMST"], {"QMSTPUT": 3, "QMSTSPP": 4}, length) for length in (72, 104))
    assert (len(old), len(new)) == (72, 104)
    assert old[8:] == new[8:72] and int.from_bytes(new[72:80], "big") == 4
    assert old[:8] == bytes.fromhex("d40f0048d8d4e2e3")


def test_the_headers_have_the_lengths_of_the_product() -> None:
    assert headers.SMF_HEADER.length == 28 and headers.QWHS.length == 52
    assert headers.QWHC.length == 92 and headers.QWHX.length == 16
