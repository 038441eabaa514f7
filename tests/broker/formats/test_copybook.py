"""COBOL copybooks: source form, layout, usages, and the message sets they become (MF 4.7, BA 3.2)."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.copybook import CopybookOptions, import_copybook
from flintmq.broker.formats.copybook_items import Item, parse_items
from flintmq.broker.formats.message_set import MessageSet
from flintmq.broker.formats.model_yaml import from_yaml, to_yaml
from tests.broker.formats.mrm_support import BIG, LITTLE, read, rewritten, write


def items(text: str, **more: int) -> dict[str, Item]:
    """Return all items of a copybook by name."""
    found: dict[str, Item] = {}
    work = list(parse_items(text, **more).records)  # type: ignore[arg-type]
    while work:
        item = work.pop(0)
        found[item.name] = item
        work.extend(item.children)
    return found


def layout(text: str, **more: int) -> dict[str, tuple[int, int]]:
    """Return offset and size of all items."""
    return {name: (item.offset, item.size) for name, item in items(text, **more).items()}


def message(body: str, **options: object) -> MessageSet:
    """Return the message set of a record R; `body` are entries in free form."""
    return import_copybook(f"01 R.\n{body}", "S", CopybookOptions(form="free", **options))  # type: ignore[arg-type]


# The text.


def test_columns_comments_and_continuation_lines_of_fixed_form() -> None:
    open_literal = '000400     05  NAME-IT      PIC X(60) VALUE "THIS TEXT GOES UP TO COLUMN'
    text = (
        "000100 01  ORDER-REC.                                                   ORDR0001\n"
        "000200* a comment with 05 NO-ITEM PIC X.\n"
        "000300     05  ID-NO        PIC X(4).                                   ORDR0003\n"
        "      /    05  NOT-THIS     PIC X.\n"
        f"{open_literal}\n"
        '000500-    "SEVENTY TWO AND ON".\n'
        "000600     05  LONG-\n"
        "000700-        NAME         PIC 9(3).\n"
        "      D    05  DEBUG-IT     PIC X.\n"
    )
    found = items(text)
    assert list(found) == ["ORDER-REC", "ID-NO", "NAME-IT", "LONG-NAME", "DEBUG-IT"]
    # The blanks up to column 72 belong to the literal.
    start = open_literal.index('"') + 1
    assert found["NAME-IT"].value == open_literal[start:].ljust(72 - start) + "SEVENTY TWO AND ON"


def test_free_form_is_found_by_level_numbers_at_the_left() -> None:
    text = "01 R.\n  05 A PIC X(3). *> a comment with 05 Z PIC X.\n* another\n  05 B PIC 9(2)."
    assert layout(text) == {"R": (0, 5), "A": (0, 3), "B": (3, 2)}


def test_a_missing_full_stop_is_noted() -> None:
    copybook = parse_items("01 R.\n   05 A PIC X\n   05 B PIC X.")
    assert len(copybook.records[0].children) == 2
    assert any("full stop" in note for note in copybook.notes)


def test_what_is_no_item_is_skipped() -> None:
    text = (
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. X.\n       DATA DIVISION.\n       FILE SECTION.\n"
        "       FD F RECORDING MODE F.\n       EJECT\n       01 R.\n          05 A PIC X.\n"
        "       COPY OTHER.\n       66 Z RENAMES A.\n       PROCEDURE DIVISION.\n       01 NOT-ME PIC X.\n"
    )
    copybook = parse_items(text)
    assert [record.name for record in copybook.records] == ["R"]
    text = "\n".join(copybook.notes)
    assert "COPY OTHER" in text and "level 66" in text


# The layout.


def test_sizes_of_every_usage() -> None:
    text = """
01 R.
  05 A PIC X(5).
  05 B PIC S9(4) COMP.
  05 C PIC S9(5) COMP-4.
  05 D PIC 9(9) BINARY.
  05 E PIC 9(10) COMP-5.
  05 F PIC S9(18) COMPUTATIONAL.
  05 G PIC S9(5) COMP-3.
  05 H PIC S9(6) PACKED-DECIMAL.
  05 I PIC 9(5) COMP-3U.
  05 J PIC 9(4) COMP-6.
  05 K COMP-1.
  05 L COMP-2.
  05 M PIC S9(3) SIGN LEADING SEPARATE.
  05 N PIC S9(3).
  05 O PIC N(4).
  05 P POINTER.
  05 Q INDEX.
  05 S PIC 9(20) COMP.
  05 T PIC 9(2) COMP-9.
  05 U PIC 9(4) COMP-X.
"""
    sizes = {name: size for name, (_, size) in layout(text).items() if name != "R"}
    assert sizes == dict(
        zip("ABCDEFGHIJKLMNOPQSTU", [5, 2, 4, 4, 8, 8, 3, 4, 3, 2, 4, 8, 4, 3, 8, 4, 4, 9, 1, 2], strict=True)
    )
    assert layout(text, pointer_size=8)["P"][1] == 8


def test_sync_aligns_and_fills() -> None:
    text = """
01 R.
  05 A PIC X.
  05 B PIC S9(4) COMP SYNC.
  05 C PIC X.
  05 D PIC S9(9) COMP SYNC.
  05 E PIC X.
  05 F COMP-2 SYNC.
  05 G OCCURS 2.
    10 H PIC S9(9) COMP SYNC.
    10 I PIC X.
  05 J PIC X.
"""
    found = layout(text)
    assert {name: found[name][0] for name in "ABCDEFGHIJ"} == dict(
        zip("ABCDEFGHIJ", [0, 2, 4, 8, 12, 16, 24, 24, 28, 40], strict=True)
    )
    assert found["G"] == (24, 8)


def test_redefines_overlay_and_the_longest_counts() -> None:
    text = """
01 R.
  05 A PIC X(4).
  05 B REDEFINES A.
    10 C PIC X(2).
    10 D PIC X(6).
  05 E REDEFINES A PIC 9(3).
  05 F PIC X.
"""
    assert layout(text) == {
        "R": (0, 9),
        "A": (0, 4),
        "B": (0, 8),
        "E": (0, 3),
        "F": (8, 1),
        "C": (0, 2),
        "D": (2, 6),
    }


def test_usage_and_sign_of_a_group_apply_to_its_items() -> None:
    text = "01 R.\n 05 G COMP-3.\n  10 A PIC S9(3).\n  10 B PIC X.\n 05 H SIGN LEADING SEPARATE.\n  10 C PIC S9(3)."
    found = layout(text)
    assert (found["A"][1], found["B"][1], found["C"][1]) == (2, 1, 4)


def test_named_constants_give_occurrences() -> None:
    assert layout("78 N VALUE 3.\n01 R.\n  05 A PIC X OCCURS N TIMES.")["R"] == (0, 3)


# Messages.


def test_records_become_messages_with_the_names_of_the_importer() -> None:
    message_set = import_copybook(
        "01 ORDER-REC.\n 05 ORDER-ID PIC X(3).\n 05 3D-MODEL PIC X.\n01 OTHER PIC X(2).\n77 COUNTER PIC 9(3).",
        "Orders",
    )
    assert set(message_set.messages) == {"msg_ORDER_REC", "msg_OTHER", "msg_COUNTER"}
    assert read(message_set, b"abc!", type="msg_ORDER_REC") == [("ORDER_ID", "abc"), ("_3D_MODEL", "!")]
    assert read(message_set, b"xy", type="msg_OTHER") == [("OTHER", "xy")]
    assert read(message_set, b"012", type="msg_COUNTER") == [("COUNTER", 12)]


def test_items_without_a_record_are_one_record() -> None:
    message_set = import_copybook("           05 A PIC X.\n           05 B PIC 9.", "LOOSE")
    assert read(message_set, b"x1", type="msg_LOOSE") == [("A", "x"), ("B", 1)]


@pytest.mark.parametrize(
    ("entry", "data", "value"),
    [
        ("PIC X(4)", b"ab  ", "ab"),
        ("PIC X(4) JUST RIGHT", b"  ab", "ab"),
        ("PIC 9(4)", b"0012", 12),
        ("PIC S9(4)", b"001r", -12),
        ("PIC S9(4)", b"0012", 12),
        ("PIC S9(4) SIGN LEADING", b"p012", -12),
        ("PIC S9(4) SIGN IS TRAILING SEPARATE CHARACTER", b"0012-", -12),
        ("PIC S9(4) LEADING SEPARATE", b"+0012", 12),
        ("PIC 9(3)V99", b"01250", Decimal("12.50")),
        ("PIC VPP99", b"12", Decimal("0.0012")),
        ("PIC 99PPP", b"12", 12000),
        ("PIC S9(4) COMP", b"\xff\xf4", -12),
        ("PIC 9(4) COMP", b"\xff\xf4", 65524),
        ("PIC S9(9) COMP", b"\xff\xff\xff\xf4", -12),
        ("PIC S9(18) COMP-5", b"\xff\xff\xff\xff\xff\xff\xff\xf4", -12),
        ("PIC 9(18) COMP-5", b"\xff" * 8, Decimal(2**64 - 1)),
        ("PIC S9(2)V99 COMP", b"\x04\xe2", Decimal("12.50")),
        ("PIC S9(5) COMP-3", b"\x00\x01\x2d", -12),
        ("PIC S9(3)V99 COMP-3", b"\x01\x25\x0c", Decimal("12.50")),
        ("PIC 9(5) COMP-3", b"\x00\x01\x2f", 12),
        ("PIC 9(4) COMP-3U", b"\x00\x12", 12),
        ("PIC 9(2) COMP-9", b"\x0c", 12),
        ("PIC 9(4) COMP-9", b"\x0c\x00", 12),
        ("COMP-1", b"\x3f\xc0\0\0", 1.5),
        ("COMP-2", b"\x3f\xf8\0\0\0\0\0\0", 1.5),
        ("PIC N(2)", b"\0a\0b", "ab"),
        ("PIC ZZ9.99-", b" 12.50-", " 12.50-"),
        ("PIC 9(20)", b"00000000000000000012", Decimal(12)),
        ("POINTER", b"\1\2\3\4", b"\1\2\3\4"),
    ],
)
def test_an_item_of_each_kind_is_read_and_written_back(entry: str, data: bytes, value: object) -> None:
    message_set = message(f" 05 A {entry}.\n 05 Z PIC X.")
    assert read(message_set, data + b"!", "CWF1") == [("A", value), ("Z", "!")]
    assert (
        write(message_set, {"A": value, "Z": "!"}, "CWF1")
        == (data if data != b"0012" or value != 12 or "S9" not in entry else b"0012") + b"!"
    )


def test_ebcdic_data() -> None:
    message_set = message(" 05 A PIC X(3).\n 05 B PIC S9(3).\n 05 C PIC S9(3) COMP-3.")
    data = b"\xc1\xc2\x40\xf0\xf1\xd2\x01\x2c"
    assert read(message_set, data, "CWF1", ccsid=37) == [("A", "AB"), ("B", -12), ("C", 12)]
    assert rewritten(message_set, data, "CWF1", ccsid=37) == data
    custom = message(" 05 B PIC S9(3).", ascii_signs="ebcdic")
    assert read(custom, b"01K", "CWF1") == [("B", -12)]


def test_comp_5_can_have_a_byte_order_of_its_own() -> None:
    message_set = message(" 05 A PIC S9(4) COMP.\n 05 B PIC S9(4) COMP-5.", comp5_byte_order="littleEndian")
    assert read(message_set, b"\0\1\1\0", "CWF1", encoding=BIG) == [("A", 1), ("B", 1)]
    assert read(message_set, b"\1\0\1\0", "CWF1", encoding=LITTLE) == [("A", 1), ("B", 1)]


def test_occurs_depending_on_also_nested_and_qualified() -> None:
    message_set = message(
        """
 05 HEAD.
   10 N PIC 9.
 05 G OCCURS 0 TO 3 TIMES DEPENDING ON N OF HEAD INDEXED BY I.
   10 M PIC 9.
   10 V OCCURS 0 TO 5 DEPENDING ON M PIC X.
 05 Z PIC X.
"""
    )
    data = b"2" + b"2ab" + b"0" + b"!"
    assert read(message_set, data, "CWF1") == [
        ("HEAD", [("N", 2)]),
        ("G", [("M", 2), ("V", "a"), ("V", "b")]),
        ("G", [("M", 0)]),
        ("Z", "!"),
    ]
    assert rewritten(message_set, data, "CWF1") == data


def test_occurs_depending_on_can_always_take_its_largest_size() -> None:
    message_set = message(
        " 05 N PIC 9.\n 05 V OCCURS 1 TO 4 DEPENDING ON N PIC X.\n 05 Z PIC X.", occurs_depending="maximum"
    )
    assert read(message_set, b"2ab  !", "CWF1") == [("N", 2), ("V", "a"), ("V", "b"), ("Z", "!")]
    assert write(message_set, [("N", 2), ("V", "a"), ("V", "b"), ("Z", "!")], "CWF1") == b"2ab\0\0!"


def test_depending_on_nothing_is_noted() -> None:
    message_set = message(" 05 V OCCURS 1 TO 2 DEPENDING ON ELSEWHERE PIC X.")
    assert any("ELSEWHERE" in note for note in message_set.notes)
    assert read(message_set, b"ab", "CWF1") == [("V", "a"), ("V", "b")]


def test_redefines_is_a_choice() -> None:
    message_set = message(
        """
 05 KIND PIC X.
 05 BODY PIC X(6).
 05 AS-DATE REDEFINES BODY.
   10 YY PIC 99.
   10 MM PIC 99.
   10 DD PIC 99.
 05 AS-NUM REDEFINES BODY PIC S9(5) COMP-3.
 05 Z PIC X.
"""
    )
    assert read(message_set, b"D240131!", "CWF1") == [
        ("KIND", "D"),
        ("BODY", "240131"),
        ("AS_DATE", [("YY", 24), ("MM", 1), ("DD", 31)]),
        ("Z", "!"),
    ]
    number = b"N\x01\x23\x4c   !"
    assert dict(read(message_set, number, "CWF1"))["AS_NUM"] == 1234
    assert rewritten(message_set, number, "CWF1") == number
    assert write(message_set, {"KIND": "D", "AS_DATE": {"YY": 1, "MM": 2, "DD": 3}, "Z": "!"}, "CWF1") == b"D010203!"


def test_a_redefinition_behind_other_items_overlays_them_all() -> None:
    message_set = message(" 05 A PIC X(2).\n 05 B PIC X(2).\n 05 C REDEFINES A PIC X(4).\n 05 Z PIC X.")
    assert read(message_set, b"abcd!", "CWF1") == [("A", "ab"), ("B", "cd"), ("C", "abcd"), ("Z", "!")]


def test_fillers_have_names_or_are_hidden() -> None:
    body = " 05 A PIC X.\n 05 FILLER PIC X(2).\n 05 PIC X.\n 05 B PIC X."
    named = message(body)
    assert read(named, b"a12xb", "CWF1") == [("A", "a"), ("filler_1", "12"), ("filler_2", "x"), ("B", "b")]
    hidden = message(body, fillers="hidden")
    assert read(hidden, b"a12xb", "CWF1") == [("A", "a"), ("B", "b")]
    assert write(hidden, {"A": "a", "B": "b"}, "CWF1") == b"a   b"


def test_defaults_come_from_values() -> None:
    message_set = message(
        """
 05 A PIC X(3) VALUE 'AB'.
 05 B PIC X(2).
 05 C PIC 9(3) VALUE 7.
 05 D PIC S9(3)V9 COMP-3 VALUE -1.5.
 05 E PIC 9(2).
 05 F PIC X(2) VALUE ZEROS.
 05 G PIC 9(2) VALUE 1234.
"""
    )
    assert write(message_set, {}, "CWF1") == b"AB   007\x00\x01\x5d000000"


def test_blank_numbers_are_an_error_or_null() -> None:
    body = " 05 A PIC 9(3).\n 05 B PIC S9(3) COMP-3."
    for data in (b"   \x00\x00", b"\0\0\0\x40\x40".replace(b"\x40", b" ")):
        with pytest.raises(BrokerError):
            read(message(body), data, "CWF1")
        assert read(message(body, blank_numbers="null"), data, "CWF1") == [("A", None), ("B", None)]
    assert write(message(body, blank_numbers="null"), {"A": None, "B": None}, "CWF1") == b"     "


def test_condition_names_can_become_enumerations() -> None:
    body = " 05 A PIC X.\n   88 YES VALUE 'Y'.\n   88 NO VALUES 'N', 'X'.\n 05 B PIC 9.\n   88 LOW VALUES 1 THRU 3."
    record = message(body, enumerations=True).messages["msg_R"].group
    assert record is not None
    assert [member.facets.enumeration for member in record.members] == [("Y", "N", "X"), ()]  # type: ignore[union-attr]


def test_the_same_message_as_xml() -> None:
    message_set = message(" 05 ID-NO PIC 9(3).\n 05 LINES OCCURS 2.\n  10 SKU PIC X(2).")
    data = write(message_set, read(message_set, b"007aabb", "CWF1"), "XML1")
    assert data == (
        b'<?xml version="1.0"?><msg_R><ID_NO>7</ID_NO><LINES><SKU>aa</SKU></LINES><LINES><SKU>bb</SKU></LINES></msg_R>'
    )
    assert write(message_set, read(message_set, data, "XML1"), "CWF1") == b"007aabb"


def test_a_copybook_survives_as_yaml() -> None:
    message_set = message(
        " 05 N PIC 9.\n 05 A OCCURS 1 TO 5 DEPENDING ON N PIC S9(3) COMP SYNC.\n"
        " 05 B PIC X(4).\n 05 C REDEFINES B PIC 9(4)."
    )
    text = to_yaml(message_set)
    again = from_yaml(text)
    assert to_yaml(again) == text
    data = b"2\0\0\1\0\x020042"
    assert read(again, data, "CWF1") == read(message_set, data, "CWF1")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no data description entry"),
        ("just prose.", "no data description entry"),
        ("01 R.\n 05 A PIC Q.", "picture"),
        ("01 R.\n 05 A PIC.", "empty picture"),
        ("01 R.\n 05 A REDEFINES B PIC X.", "redefines B"),
        ("01 R.\n 05 A OCCURS X PIC X.", "not a number"),
        ("01 R.\n 05 A OCCURS 5 TO 2 DEPENDING ON B PIC X.", "5 to 2"),
        ("01 R.\n 05 A OCCURS 99999999 PIC X.", "more than"),
        ("01 R.\n 05 A OCCURS 9999999.\n  10 B OCCURS 9999999 PIC X(999).", "ends behind"),
    ],
)
def test_a_malformed_copybook_is_an_error_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(BrokerError, match=problem):
        import_copybook(text)


def test_deep_nesting_and_many_items_are_bounded() -> None:
    deep = "01 R.\n" + "".join(f" {level:02d} G{level}.\n" for level in range(2, 50)) + " 49 X PIC X."
    import_copybook(deep.replace(" 49 G49.\n", ""))
    with pytest.raises(BrokerError):
        import_copybook("01 R.\n" + " 05 A PIC X.\n" * 100_001)


_WORDS = st.sampled_from(
    "01 05 10 15 49 66 77 88 FILLER A B-C PIC X X(5) 9(4) S9(3)V99 COMP-3 COMP OCCURS 2 TO 5 TIMES DEPENDING ON A"
    " REDEFINES VALUE 'x' \"y ZERO SYNC SIGN LEADING SEPARATE . . . . \n \n       * - COPY".split(" ")
)


@settings(max_examples=150, deadline=None)
@given(words=st.lists(_WORDS, max_size=60), data=st.binary(max_size=40))
def test_any_words_are_a_copybook_or_a_broker_error(words: list[str], data: bytes) -> None:
    try:
        message_set = import_copybook(" ".join(words))
    except BrokerError:
        return
    assert to_yaml(from_yaml(to_yaml(message_set))) == to_yaml(message_set)
    for name in message_set.messages:
        try:
            read(message_set, data, "CWF1", type=name)
        except BrokerError:
            pass


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=200))
def test_any_text_is_a_copybook_or_a_broker_error(text: str) -> None:
    try:
        import_copybook(text)
    except BrokerError:
        pass


_PICTURES = [
    ("PIC X(6)", st.text("ABC xyz09", max_size=6).map(lambda text: text.rstrip(" "))),
    ("PIC 9(5)", st.integers(0, 99_999)),
    ("PIC S9(7)", st.integers(-9_999_999, 9_999_999)),
    ("PIC S9(4) COMP", st.integers(-(2**15), 2**15 - 1)),
    ("PIC S9(9) COMP-5", st.integers(-(2**31), 2**31 - 1)),
    ("PIC S9(9) COMP-3", st.integers(-999_999_999, 999_999_999)),
    ("PIC 9(6) COMP-3U", st.integers(0, 999_999)),
    ("PIC S9(4) SIGN LEADING SEPARATE", st.integers(-9999, 9999)),
    ("COMP-2", st.floats(allow_nan=False, allow_infinity=False)),
]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_values_of_generated_records_survive(data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(_PICTURES), min_size=1, max_size=6))
    body = "\n".join(f" 05 F{number} {entry}." for number, (entry, _) in enumerate(chosen))
    tree = [(f"F{number}", data.draw(values)) for number, (_, values) in enumerate(chosen)]
    message_set = message(body)
    ccsid, encoding = data.draw(st.sampled_from([(1208, BIG), (37, BIG), (1140, 785), (819, LITTLE)]))
    if encoding == 785:
        # Hexadecimal floating point has another range.
        tree = [(name, 1.5 if isinstance(value, float) else value) for name, value in tree]
    made = write(message_set, tree, "CWF1", ccsid=ccsid, encoding=encoding)
    assert read(message_set, made, "CWF1", ccsid=ccsid, encoding=encoding) == tree
    assert rewritten(message_set, made, "CWF1", ccsid=ccsid, encoding=encoding) == made
