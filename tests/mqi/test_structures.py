"""Every structure against the table in its own docstring: offsets, sizes, defaults, round trips in both byte orders.

The table is read here as data. A field that moves without its table, or a table without its field, fails.
"""

import ast
import importlib
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq import mqi
from flintmq.mqi import StructureError
from flintmq.mqi.reason import reason_name

# File: versions and the length of each, as the manual has them (with pointers of four bytes).
SIZES = {
    "md": {1: 324, 2: 364},
    "od": {1: 168, 2: 200, 3: 336, 4: 400},
    "pmo": {1: 128, 2: 152, 3: 176},
    "gmo": {1: 72, 2: 80, 3: 100, 4: 112},
    "sd": {1: 312},
    "sts": {1: 224, 2: 272},
    "sro": {1: 16},
    "cno": {1: 12, 2: 20, 3: 148, 4: 156, 5: 188, 6: 208, 7: 240, 8: 252},
    "bno": {1: 20},
    "bo": {1: 12},
    "cbd": {1: 156},
    "cbc": {1: 48, 2: 52},
    "ctlo": {1: 20},
    "dlh": {1: 172},
    "mde": {2: 72},
    "cih": {1: 164, 2: 180},
    "iih": {1: 84},
    "wih": {1: 120},
    "tm": {1: 684},
    "tmc2": {2: 732},
    "cmho": {1: 12},
    "dmho": {1: 12},
    "bmho": {1: 12},
    "mhbo": {1: 12},
    "dmpo": {1: 12},
    "smpo": {1: 20},
    "impo": {1: 60},
    "pd": {1: 24},
}
CASES = [(name, version) for name, versions in SIZES.items() for version in versions]
SPECIAL_NAMES = {
    "ADSDescriptor": "ads_descriptor",
    "UOWControl": "uow_control",
    "MFSMapName": "mfs_map_name",
    "SSLConfigOffset": "ssl_config_offset",
    "CCDTUrlOffset": "ccdt_url_offset",
    "CCDTUrlLength": "ccdt_url_length",
    "RequestedCCSID": "requested_ccsid",
    "ReturnedCCSID": "returned_ccsid",
    "ValueCCSID": "value_ccsid",
}


class Row:
    """One row of a table."""

    def __init__(self, offset: int, field: str, kind: str, length: int) -> None:
        self.offset = offset
        self.field = field
        self.kind = kind
        self.length = length

    @property
    def attribute(self) -> str:
        if self.field in SPECIAL_NAMES:
            return SPECIAL_NAMES[self.field]
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", self.field).lower()

    @property
    def is_data(self) -> bool:
        return (
            self.kind != "ptr"
            and self.field not in ("StrucId", "Version", "StrucLength")
            and "Reserved" not in self.field
        )


def module(name: str) -> ModuleType:
    return importlib.import_module(f"flintmq.mqi.{name}")


def structure(name: str, version: int) -> Any:
    made = getattr(module(name), "MQ" + name.upper())()
    if name != "tmc2":
        made.version = version
    return made


def rows(name: str, size: int) -> list[Row]:
    """The rows of the table that lie within the first `size` bytes."""
    found = []
    lengths = {"int32": 4, "int64": 8, "ptr": 4, "MQCHARV": 20}
    source = Path(mqi.__path__[0], f"{name}.py").read_text()  # A compiled module has no docstring.
    for line in (ast.get_docstring(ast.parse(source), clean=False) or "").splitlines():
        match = re.match(r" +(\d+)  (\w+) +(int32|int64|ptr|MQCHARV|char (\d+)|byte (\d+))(?: |$)", line)
        if match:
            kind = match[3].split(" ")[0]
            length = lengths[kind] if kind in lengths else int(match[4] or match[5])
            found.append(Row(int(match[1]), match[2], kind, length))
    return [row for row in found if row.offset < size]


def sample(row: Row) -> Any:
    """A value that is not the default, for a field of this kind."""
    if row.kind in ("int32", "int64"):
        return 1_000_003 + row.offset
    if row.kind == "byte":
        return bytes((row.offset + i) % 255 + 1 for i in range(row.length))
    if row.kind == "MQCHARV":
        return f"text of {row.field}"
    return ("F" + str(row.offset) * 20)[: row.length]


@pytest.mark.parametrize(("name", "version"), CASES)
def test_the_table_covers_every_byte_of_the_structure(name: str, version: int) -> None:
    place = 0
    for row in rows(name, SIZES[name][version]):
        assert row.offset == place, row.field
        place += row.length
    assert place == SIZES[name][version]


@pytest.mark.parametrize(("name", "version"), CASES)
@pytest.mark.parametrize("big_endian", [False, True])
def test_a_default_structure_has_the_length_of_its_version(name: str, version: int, big_endian: bool) -> None:
    assert len(structure(name, version).pack(big_endian)) == SIZES[name][version]


@pytest.mark.parametrize(("name", "version"), CASES)
@pytest.mark.parametrize("big_endian", [False, True])
def test_each_field_lies_where_the_table_says(name: str, version: int, big_endian: bool) -> None:
    size = SIZES[name][version]
    for row in rows(name, size):
        if not row.is_data or row.kind == "MQCHARV":
            continue
        made = structure(name, version)
        setattr(made, row.attribute, sample(row))
        raw = made.pack(big_endian)[row.offset : row.offset + row.length]
        if row.kind in ("int32", "int64"):
            assert int.from_bytes(raw, "big" if big_endian else "little", signed=True) == sample(row), row.field
        elif row.kind == "byte":
            assert raw == sample(row), row.field
        else:
            assert raw == sample(row).encode().ljust(row.length), row.field


@pytest.mark.parametrize(("name", "version"), CASES)
@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("ccsid", [1208, 819, 500, 1047])
def test_all_fields_survive_a_round_trip(name: str, version: int, big_endian: bool, ccsid: int) -> None:
    made = structure(name, version)
    data_rows = [row for row in rows(name, SIZES[name][version]) if row.is_data]
    for row in data_rows:
        setattr(made, row.attribute, sample(row))

    raw = b"\xee" * 7 + made.pack(big_endian, ccsid) + b"\xee" * 5
    back = type(made).unpack(raw, 7, big_endian, ccsid)

    for row in data_rows:
        assert getattr(back, row.attribute) == sample(row), row.field
    assert back.pack(big_endian, ccsid) == made.pack(big_endian, ccsid)


@pytest.mark.parametrize(("name", "version"), CASES)
def test_a_structure_that_is_cut_short_is_refused_with_its_reason(name: str, version: int) -> None:
    made = structure(name, version)
    raw = made.pack()
    for length in (0, 3, 4, 7, 8, len(raw) - 1):
        with pytest.raises(StructureError) as caught:
            type(made).unpack(raw[:length])
        assert reason_name(caught.value.reason).endswith("_ERROR")
        assert "bytes" in caught.value.text


@pytest.mark.parametrize("name", [name for name in SIZES if name != "tmc2"])
def test_a_wrong_version_or_identifier_is_refused(name: str) -> None:
    made = structure(name, next(iter(SIZES[name])))
    raw = bytearray(made.pack() + bytes(500))
    raw[4:8] = (99).to_bytes(4, "little")
    with pytest.raises(StructureError, match="version 99"):
        type(made).unpack(bytes(raw))
    raw[0:4] = b"NOPE"
    with pytest.raises(StructureError):
        type(made).unpack(bytes(raw))
    made.version = 99
    with pytest.raises(StructureError, match="version 99"):
        made.pack()


@pytest.mark.parametrize(("name", "version"), CASES)
def test_a_value_that_does_not_fit_its_field_is_refused(name: str, version: int) -> None:
    for row in rows(name, SIZES[name][version]):
        if not row.is_data or row.kind == "MQCHARV":
            continue
        made = structure(name, version)
        too_much: Any = {"int32": 1 << 31, "int64": 1 << 63, "char": "x" * (row.length + 1)}.get(
            row.kind, bytes(row.length + 1)
        )
        setattr(made, row.attribute, too_much)
        with pytest.raises(StructureError):
            made.pack()


@pytest.mark.parametrize(("name", "version"), CASES)
def test_repr_names_the_structure(name: str, version: int) -> None:
    assert repr(structure(name, version)).startswith("MQ" + name.upper() + "(")


@settings(max_examples=150, deadline=None)
@given(case=st.sampled_from(CASES), big_endian=st.booleans(), data=st.data())
def test_random_values_survive_a_round_trip(case: tuple[str, int], big_endian: bool, data: st.DataObject) -> None:
    name, version = case
    made = structure(name, version)
    names = st.text(st.characters(min_codepoint=33, max_codepoint=126))
    data_rows = [row for row in rows(name, SIZES[name][version]) if row.is_data]
    expected: dict[str, Any] = {}
    for row in data_rows:
        value: Any
        if row.kind in ("int32", "int64"):
            bits = row.length * 8 - 1
            value = data.draw(st.integers(-(1 << bits), (1 << bits) - 1))
        elif row.kind == "byte":
            value = data.draw(st.binary(min_size=row.length, max_size=row.length))
        elif row.kind == "MQCHARV":
            value = data.draw(st.text(max_size=20).filter(lambda text: "\0" not in text))
        elif row.length == 1:
            value = data.draw(st.sampled_from(" GLSAC01F"))
        else:
            value = data.draw(names)[: row.length]
        expected[row.attribute] = value
        setattr(made, row.attribute, value)

    back = type(made).unpack(made.pack(big_endian), 0, big_endian)

    assert {attribute: getattr(back, attribute) for attribute in expected} == expected
