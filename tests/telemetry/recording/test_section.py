"""A structure from a table."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from flintmq.telemetry.recording import tables
from flintmq.telemetry.recording.record import Origin
from flintmq.telemetry.recording.records import RELEASE, Writer
from flintmq.telemetry.recording.section import Section, unmeasured
from flintmq.telemetry.smf.fields import Structure
from flintmq.telemetry.smf.records import STRUCTURES
from tests.telemetry.recording.reading import values_of

QMST, QQST, WQ = STRUCTURES["QMST"], STRUCTURES["QQST"], STRUCTURES["WQ"]


def test_identifier_length_and_eye_catcher_are_those_of_the_structure_and_the_rest_is_zero() -> None:
    made = Section(QMST, {"QMSTPUT": "puts"}, "9.4.2").pack(SimpleNamespace(puts=7))
    read = values_of(QMST, made)
    assert made[:4] == bytes.fromhex("D40F0068") and read["QMSTEYEC"] == "QMST"
    assert len(made) == 104 and read["QMSTPUT"] == 7 and read["QMSTGET"] == 0


@pytest.mark.parametrize(("release", "length"), [("9.3.0", 84), ("9.3.1", 120), ("9.3.3", 552), ("9.4.3", 672)])
def test_a_release_has_its_length_and_only_its_fields(release: str, length: int) -> None:
    table = {"QQSTQNAM": "name", "QQSTDPTH": "depth", "QQSTOPCT": "handles", "QQSTPUTS": "puts"}
    made = Section(QQST, table, release).pack(SimpleNamespace(name="Q", depth=3, handles=2, puts=9))
    read = values_of(QQST, made)
    assert len(made) == read["QQSTLL"] == length
    assert (read["QQSTQNAM"], read["QQSTDPTH"]) == ("Q", 3)
    assert read.get("QQSTOPCT", 2) == 2 and ("QQSTOPCT" in read) is (length > 84)


def test_clocks_durations_text_bytes_and_bits() -> None:
    table = {"OBJNAME": "name", "CORREL": "id", "OPENTIME": "at", "CLOSTIME": "never", "OPENET": "us", "FTOPIC": "yes"}
    source = SimpleNamespace(name="ORDERS", id=bytes(range(16)), at=1_700_000_000_123_456, never=0, us=250, yes=True)
    read = values_of(WQ, Section(WQ, table, "9.4.2", {"WQVER": 9, "OPENEYE": "OPEN"}).pack(source))
    assert (read["OBJNAME"], read["CORREL"]) == ("ORDERS", bytes(range(16)))
    assert (read["OPENTIME"], read["CLOSTIME"], read["OPENET"]) == (1_700_000_000_123_456, None, 250)
    assert (read["FTOPIC"], read["FNOACCTG"], read["WQVER"], read["OPENEYE"]) == (True, False, 9, "OPEN")


def test_a_number_that_does_not_fit_becomes_the_largest_that_does() -> None:
    section = Section(QMST, {"QMSTPUT": "puts", "QMSTSPP": "all"}, "9.4.2")
    read = values_of(QMST, section.pack(SimpleNamespace(puts=5_000_000_000, all=5_000_000_000)))
    assert (read["QMSTPUT"], read["QMSTSPP"]) == (0x7FFF_FFFF, 5_000_000_000)


def test_every_table_names_fields_that_exist_and_are_not_packed_over_each_other() -> None:
    """Section asserts both when it is made."""
    sections = Writer(Origin("SYS1", "QM1", "942")).sections
    assert {section.length for section in sections.values()} == {
        structure.length_at(RELEASE) for structure in (STRUCTURES[name] for name in sections)
    }
    assert Section(QQST, tables.QQST, "9.3.0").length == 84


def test_what_is_in_no_table_is_said_to_be_unmeasured() -> None:
    names = [field.name for field in unmeasured(QMST, tables.QMST, {})]
    assert "QMSTINQL" in names and "QMSTPUT" not in names
    assert isinstance(QMST, Structure)
