"""Cobrix's copybooks with EBCDIC and ASCII records and the JSON that its own suite expects of them.

Checked out as DIR/cobrix (AbsaOSS/cobrix). A case is a record: every value of the expected JSON must be in our tree.
What Cobrix does with files is done here: records of fixed length, records behind RDW headers, file headers; a record
that is shorter than its copybook is filled with X'00'. Cobrix trims strings on both sides, shows control characters of
EBCDIC as blanks, drops those of ASCII, and has by default a code page with only the characters that all pages share:
both sides are compared without what it hides. NULL of Cobrix is a key that is not there, or zero in files whose suite
fills NULL with zero.

Edited pictures are strings in a message set (MF 4.7); they are turned into numbers here, by their picture.

A case is a value; the share of records that agree as a whole is shown, too. Outside the subset of records are four
fields whose picture is no COBOL (`EVERYWHERE`); as values they count. Outside both are files whose expectation depends
on options that only Cobrix has: mappings of OCCURS, non-terminals, merged copybooks, its own extended and custom code
pages, segment identifiers.

`MISSES` names the fields in which we differ, each with its reason. Any other difference fails the test.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.copybook import CopybookOptions, import_copybook
from flintmq.broker.formats.copybook_items import Item, parse_items
from flintmq.broker.formats.copybook_picture import Category
from flintmq.broker.tree.element import Element
from tests.broker.formats.mrm_support import MRM, context

#: A sign in the last digit of a picture with a written decimal point is no COBOL; Cobrix accepts it.
_EDITED_SIGN = "S with a written decimal point is no COBOL picture; it is imported as an edited string"
_NUL_DIGIT = "some numbers of DISPLAY usage end with X'00' (F3 F3 00): no number in COBOL, 33 in Cobrix"
MISSES = {
    "NUM_STR_EDEC03": _EDITED_SIGN,
    "NUM_STR_EDEC04": _EDITED_SIGN,
    "NUM_STR_EDEC05": _EDITED_SIGN,
    "NUM_STR_EDEC06": _EDITED_SIGN,
    "OFFICE": _NUL_DIGIT,
    "test9_cp273 COMPANY_NAME_NP": "X'BC' of code page 273 is an overline for us, a macron for Cobrix",
}
#: These make no difference to whether a record agrees: they are wrong in every record of their files.
EVERYWHERE = ("NUM_STR_EDEC03", "NUM_STR_EDEC04", "NUM_STR_EDEC05", "NUM_STR_EDEC06")
#: Files with records that we refuse as a whole, and why.
REFUSED = {"test19": "a number that holds letters is a ParserException; Cobrix makes it NULL"}
#: Files whose records cannot have the same bytes when they are written again, and why.
NOT_WRITTEN_BACK = {
    "test6": "unsigned packed fields of the data have the sign C; we write F, as COBOL does",
    "test24": "as test6",
    "test40": "as test6",
    "test1": "bytes behind the occurrences of a table are not part of the tree; we fill them with X'00'",
}


@dataclass(frozen=True)
class Case:
    """A file with its copybook and expectation."""

    name: str
    copybook: str
    data: str
    expected: str
    framing: str = "fixed"
    ccsid: int = 37
    encoding: int = 273
    header: int = 0
    trailer: int = 0
    #: Sort our records by these fields before they are compared.
    order: tuple[str, ...] = ()
    root: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    #: What Cobrix shows of strings: characters that all code pages share, those of a page, or ASCII.
    texts: str = "common"


MAXIMUM = {"occurs_depending": "maximum"}
CASES = [
    Case("test1", "test1_copybook.cob", "test1_data", "test1_expected/test1.txt", options=MAXIMUM),
    Case("test3", "test3_copybook.cob", "test3_data", "test3_expected/test3.txt"),
    Case("test4", "test4_copybook.cob", "test4_data", "test4_expected/test4.txt", "rdw", ccsid=819, texts="ascii"),
    Case("test4a", "test4_copybook.cob", "test4a_data", "test4_expected/test4a.txt", "rdw", ccsid=819, texts="ascii"),
    Case("test5", "test5_copybook.cob", "test5_data", "test5_expected/test5.txt", "rdw"),
    Case("test5b", "test5_copybook.cob", "test5b_data", "test5_expected/test5b.txt", "rdw_big"),
    Case("test5c", "test5_copybook.cob", "test5_data", "test5_expected/test5c.txt", "rdw"),
    Case("test6", "test6_copybook.cob", "test6_data", "test6_expected/test6.txt", order=("ID",)),
    Case("test7", "test7_fillers.cob", "test7_data", "test7_expected/test7.txt", order=("AMOUNT",)),
    Case("test8", "test8_copybook.cob", "test8_data", "test8_expected/test8_printable.txt"),
    Case("test9_cp037", "test9_copybook.cob", "test9_data", "test9_expected/test9_cp037.txt", texts="page"),
    Case("test9_cp273", "test9_copybook.cob", "test9_data", "test9_expected/test9_cp273.txt", ccsid=273, texts="page"),
    Case("test9_cp500", "test9_copybook.cob", "test9_data", "test9_expected/test9_cp500.txt", ccsid=500, texts="page"),
    Case(
        "test9_cp1140", "test9_copybook.cob", "test9_data", "test9_expected/test9_cp1140.txt", ccsid=1140, texts="page"
    ),
    Case(
        "test9_cp1141", "test9_copybook.cob", "test9_data", "test9_expected/test9_cp1141.txt", ccsid=1141, texts="page"
    ),
    Case(
        "test9_cp1148", "test9_copybook.cob", "test9_data", "test9_expected/test9_cp1148.txt", ccsid=1148, texts="page"
    ),
    Case("test11", "test11_copybook.cob", "test11_data", "test11_expected/test11.txt", "header5"),
    Case(
        "test13a",
        "test13a_file_header_footer.cob",
        "test13a_data",
        "test13_expected/test13a.txt",
        header=10,
        trailer=12,
        order=("COMPANY_ID", "AMOUNT"),
    ),
    Case(
        "test13b",
        "test13b_vrl_file_headers.cob",
        "test13b_data",
        "test13_expected/test13b.txt",
        "rdw_big",
        header=100,
        trailer=120,
    ),
    Case("test14", "test14_copybook.cob", "test14_data", "test14_expected/test14.txt", "rdw_inclusive"),
    Case("test16", "test16_fix_len_segments.cob", "test16_data", "test16_expected/test16.txt"),
    Case("test17a", "test17_hierarchical.cob", "test17", "test17_expected/test17a.txt", "rdw"),
    Case(
        "test18a", "test18 special_char.cob", "test18 special_char", "test18 special_char_expected/test18a.txt", "rdw"
    ),
    Case("test19", "test19_display_num.cob", "test19_display_num", "test19_display_num_expected/test19.txt"),
    Case(
        "test21",
        "test21_copybook.cob",
        "test21_data",
        "test21_expected/test21.txt",
        "packed",
        ccsid=819,
        root="RECORD",
        texts="ascii",
    ),
    Case("test24", "test24_copybook.cob", "test24_data", "test24_expected/test24.txt", order=("ID",)),
    Case("test40", "test40_copybook.cob", "test40_data/example.dat", "test40_expected/test40.txt", order=("ID",)),
]
LAYOUTS = {
    "test6_expected/test6_layout.txt": "test6_copybook.cob",
    "test7_expected/test7_layout.txt": "test7_fillers.cob",
    "test11_expected/test11_layout.txt": "test11_copybook.cob",
    "test13_expected/test13a_layout.txt": "test13a_file_header_footer.cob",
    "test13_expected/test13b_layout.txt": "test13b_vrl_file_headers.cob",
    "test16_expected/test16_layout.txt": "test16_fix_len_segments.cob",
    "test17_expected/test17a_layout.txt": "test17_hierarchical.cob",
    "test19_display_num_expected/test19_layout.txt": "test19_display_num.cob",
    "test24_expected/test24_layout.txt": "test24_copybook.cob",
    "test40_expected/test40_layout.txt": "test40_copybook.cob",
}


# Files.


def records(case: Case, root: Path, length: int) -> Iterator[bytes]:
    """Yield the records of a file."""
    path = root / case.data
    data = (path if path.is_file() else next(iter(sorted(path.iterdir())))).read_bytes()
    at = case.header
    end = len(data) - case.trailer
    while at < end:
        size = length
        if case.framing == "header5":
            size = struct.unpack_from("<H", data, at + 3)[0]
            is_record = data[at] == 1
            at += 5
            if not is_record:
                at += size
                continue
        elif case.framing == "rdw_big":
            size = struct.unpack_from(">H", data, at)[0]
            at += 4
        elif case.framing.startswith("rdw"):
            size = struct.unpack_from("<H", data, at + 2)[0] - (4 if case.framing == "rdw_inclusive" else 0)
            at += 4
        elif case.framing == "packed":
            size = end - at
        record = data[at : at + size]
        yield record if case.framing == "packed" else record.ljust(length, b"\0")
        at += size


def expected_records(text: str) -> list[dict[str, Any]]:
    """Return the records of an expectation: JSON by lines, one after the other, or a list."""
    decoder = json.JSONDecoder(parse_float=Decimal)
    found: list[dict[str, Any]] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        value, at = decoder.raw_decode(text, at)
        found.extend(value if isinstance(value, list) else [value])
    return found


# Comparison.


def plain(text: str, texts: str) -> str:
    """Return what Cobrix shows of a string."""
    if texts == "ascii":
        return "".join(character for character in text if " " <= character <= "~").strip()
    if texts == "common":
        # The soft hyphen of EBCDIC is a hyphen there.
        text = text.replace("\xad", "-")
    last = "~" if texts == "common" else chr(0x10FFFF)
    shown = (one if one.isprintable() and one <= last else " " for one in text)
    return "".join(shown).strip()


def edited_number(text: str, item: Item) -> object:
    """Return the number of an edited picture, or the text if it holds none."""
    picture = item.picture
    assert picture is not None
    body = text.replace(",", "").replace(" ", "")
    sign = "-" if "-" in body else ""
    body = body.strip("+-")
    try:
        value = Decimal(sign + body)
    except InvalidOperation:
        return text
    return value if picture.has_point else value.scaleb(-picture.scale)


def count_values(expected: object) -> int:
    """Return how many values an expectation has."""
    if isinstance(expected, dict):
        return sum(count_values(value) for key, value in expected.items() if not key.endswith("_debug"))
    if isinstance(expected, list):
        return sum(count_values(value) for value in expected)
    return 1


class Judge:
    """Compares the records of one file."""

    def __init__(self, case: Case, root: Path) -> None:
        self.case = case
        text = (root / case.copybook).read_text(encoding="latin-1")
        settings = {"blank_numbers": "null", **case.options}
        if case.framing == "packed":
            settings["ignore_trailing_bytes"] = True
        self.set = import_copybook(text, "S", CopybookOptions(**settings))
        self.record = parse_items(text).records[0]
        self.edited: dict[str, Item] = {}
        work = [self.record]
        while work:
            item = work.pop()
            work.extend(item.children)
            if item.picture is not None and item.picture.category is Category.NUMERIC_EDITED:
                self.edited[item.name.replace("-", "_")] = item
        name = next(iter(self.set.messages))
        self.context = context(self.set, "CWF1", name, ccsid=case.ccsid, encoding=case.encoding)

    def differences(self, element: Element, expected: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
        """Yield names of fields that differ, and how."""
        for key, value in expected.items():
            if key.endswith("_debug") or key.startswith(("Seg_Id", "File_Id", "Record_")):
                continue
            found = [child for child in element.children() if child.name == key]
            where = f"{path}{key}"
            if isinstance(value, dict):
                if not found:
                    yield key, f"{where} is missing"
                else:
                    yield from self.differences(found[0], value, f"{where}.")
            elif isinstance(value, list):
                if len(found) != len(value):
                    yield key, f"{where} occurs {len(found)} times, not {len(value)}"
                for child, inner in zip(found, value, strict=False):
                    if isinstance(inner, dict):
                        yield from self.differences(child, inner, f"{where}[].")
            elif not self.same(found[0].value if found else None, value, key):
                yield key, f"{where} is {found[0].value if found else 'missing'!r}, not {value!r}"

    def same(self, ours: object, theirs: object, key: str) -> bool:
        if isinstance(theirs, str):
            texts = self.case.texts
            return ours is not None and plain(str(ours), texts) == plain(theirs, texts)
        if isinstance(ours, str) and key in self.edited:
            ours = edited_number(ours, self.edited[key])
        if ours is None:
            return theirs == 0
        if isinstance(ours, float):
            return abs(ours - float(theirs)) <= 1e-6 * abs(ours)  # type: ignore[arg-type]
        return ours == theirs


def test_values_are_those_that_cobrix_expects(
    foreign: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    root = foreign("cobrix") / "data"
    total = good = values = missed_values = 0
    unnamed: list[str] = []
    refused: list[str] = []
    lines: list[str] = []
    for case in CASES:
        judge = Judge(case, root)
        expectation = expected_records((root / case.expected).read_text(encoding="utf-8", errors="replace"))
        bodies: list[tuple[Element, bytes]] = []
        if case.framing == "packed":
            bodies = list(packed_bodies(judge, root))
        else:
            for data in records(case, root, judge.record.total):
                bodies.append((MRM.parse(data, judge.context), data))
        if case.order:
            bodies.sort(key=lambda pair: [pair[0].get(name) for name in case.order])
        agree = back = 0
        for (body, data), record in zip(bodies, expectation, strict=False):
            wanted = record[case.root] if case.root else record
            total += 1
            values += count_values(wanted)
            try:
                found = list(judge.differences(body, wanted))
            except BrokerError as error:
                if case.name not in REFUSED:
                    unnamed.append(f"{case.name}: {error}")
                refused.append(case.name)
                continue
            missed_values += len(found)
            for key, text in found:
                if key not in MISSES and f"{case.name} {key}" not in MISSES:
                    unnamed.append(f"{case.name}: {text}")
            if all(key in EVERYWHERE for key, _ in found):
                agree += 1
            body.build_all()
            body.mark_changed()
            back += case.framing != "packed" and MRM.write(body, judge.context) == data
        compared = min(len(bodies), len(expectation))
        assert compared, f"{case.name}: nothing was compared"
        good += agree
        lines.append(
            f"  {case.name:14} {agree:4} of {compared:4} records agree, {back:4} written back with the same bytes"
        )
        if case.framing != "packed" and case.name not in NOT_WRITTEN_BACK and back < agree:
            unnamed.append(f"{case.name}: {agree - back} records are written back with other bytes")
    with capsys.disabled():
        print(f"\ncobrix: {good} of {total} records agree, {len(refused)} are refused")
        print(f"  {values} values, {missed_values} of them are named misses")
        print("\n".join(lines))
    assert total > 1000, "the checkout is not complete"
    assert unnamed[:20] == []
    assert good >= 0.95 * total
    assert missed_values <= 0.05 * values


def packed_bodies(judge: Judge, root: Path) -> Iterator[tuple[Element, bytes]]:
    """Yield bodies of records that follow each other without any framing: each is as long as its fields."""
    (data,) = records(judge.case, root, judge.record.total)
    at = 0
    while at < len(data):
        rest = data[at:]
        body = MRM.parse(rest, judge.context)
        body.build_all()
        body.mark_changed()
        at += len(MRM.write(body, judge.context))
        yield body, rest


def test_fields_stand_where_cobrix_says(foreign: Callable[[str], Path]) -> None:
    """The layouts of Cobrix list level, name, first and last byte of every field; fillers may have numbers."""
    root = foreign("cobrix") / "data"
    compared = 0
    for expected, copybook in LAYOUTS.items():
        ours: list[tuple[int, str, int, int]] = []
        work = parse_items((root / copybook).read_text(encoding="latin-1")).records[::-1]
        while work:
            item = work.pop()
            name = item.path_name().replace("-", "_").upper()
            ours.append((item.level, name, item.offset + 1, item.offset + item.total))
            work.extend(item.children[::-1])
        theirs: list[tuple[int, str, int, int]] = []
        for line in (root / expected).read_text(encoding="latin-1").splitlines()[2:]:
            parts = line.split()
            if len(parts) >= 5 and parts[0].isdigit():
                if not parts[1].endswith("_debug"):
                    theirs.append((int(parts[0]), parts[1].upper(), int(parts[-3]), int(parts[-2])))
        # Items that overlay each other all have the length of the longest in Cobrix.
        for level, name, start, _ in list(ours):
            ours.append((level, name, start, max(row[3] for row in ours if row[0] == level and row[2] == start)))
        known = set(ours)
        for row in theirs:
            level, name, start, end = row
            compared += 1
            assert row in known or name.startswith("FILLER") and (level, "FILLER", start, end) in known, (expected, row)
    assert compared > 600
