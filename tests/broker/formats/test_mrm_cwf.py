"""CWF: representations of fields, lengths, occurrences, choices, alignment, missing and NULL values (MF 4.1, 4.3)."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.values import Date, Timestamp
from tests.broker.formats.mrm_support import BIG, LITTLE, MRM, Z_OS, context, one_message, read, rewritten, write


@pytest.mark.parametrize(
    ("field", "data", "value"),
    [
        ("{type: string, F: {length: 5}}", b"ab   ", "ab"),
        ("{type: string, F: {length: 5, justification: right}}", b"   ab", "ab"),
        ("{type: string, F: {length: 5, paddingCharacter: '*'}}", b"ab***", "ab"),
        ("{type: string, F: {length: 5, paddingCharacter: NUL}}", b"ab\0\0\0", "ab"),
        ("{type: string, F: {length: 5, paddingCharacter: 0x2d}}", b"ab---", "ab"),
        ("{type: string, F: {physicalType: lengthEncodedString1}}", b"\x02ab", "ab"),
        ("{type: string, F: {physicalType: lengthEncodedString2}}", b"\0\x02ab", "ab"),
        ("{type: string, F: {physicalType: nullTerminatedString}}", b"ab\0", "ab"),
        ("{type: int}", b"\xff\xff\xff\xfe", -2),
        ("{type: short}", b"\xff\xfe", -2),
        ("{type: long}", b"\0\0\0\1\0\0\0\0", 1 << 32),
        ("{type: byte}", b"\x80", -128),
        ("{type: unsignedShort}", b"\xff\xff", 65535),
        ("{type: int, F: {length: 2}}", b"\xff\xfe", -2),
        ("{type: int, F: {length: 2, signed: false}}", b"\xff\xfe", 65534),
        ("{type: int, F: {byteOrder: littleEndian}}", b"\1\0\0\0", 1),
        ("{type: int, F: {physicalType: packedDecimal, length: 3}}", b"\x00\x12\x3d", -123),
        ("{type: decimal, F: {length: 3, virtualDecimalPoint: 2}}", b"\x01\x23\x4c", Decimal("12.34")),
        ("{type: decimal, F: {length: 2, virtualDecimalPoint: -3}}", b"\x01\x2c", Decimal("12000")),
        ("{type: decimal, F: {physicalType: integer, length: 2, virtualDecimalPoint: 1}}", b"\0\x7b", Decimal("12.3")),
        ("{type: int, F: {physicalType: bcd, length: 2}}", b"\x01\x23", 123),
        ("{type: int, F: {physicalType: externalDecimal, length: 4}}", b"0123", 123),
        ("{type: int, F: {physicalType: externalDecimal, length: 4, signed: true}}", b"012s", -123),
        (
            "{type: int, F: {physicalType: externalDecimal, length: 4, signed: true, signOrientation: leading}}",
            b"p123",
            -123,
        ),
        (
            (
                "{type: int, F: {physicalType: externalDecimal, length: 4, signed: true, "
                "signOrientation: leadingSeparate}}"
            ),
            b"-123",
            -123,
        ),
        (
            (
                "{type: int, F: {physicalType: externalDecimal, length: 4, signed: true, "
                "signOrientation: trailingSeparate}}"
            ),
            b"123+",
            123,
        ),
        (
            "{type: int, F: {physicalType: externalDecimal, length: 3, signed: true, signEBCDICCustom: true}}",
            b"12L",
            -123,
        ),
        ("{type: double}", b"\x3f\xf8\0\0\0\0\0\0", 1.5),
        ("{type: float}", b"\x3f\xc0\0\0", 1.5),
        ("{type: float, F: {floatFormat: s390}}", b"\x41\x18\0\0", 1.5),
        ("{type: boolean}", b"\0\0\0\1", True),
        ("{type: hexBinary, F: {length: 3}}", b"\1\2\3", b"\1\2\3"),
        ("{type: hexBinary, F: {physicalType: lengthEncodedBinary1}}", b"\2\1\2", b"\1\2"),
        ("{type: date, F: {dateTimeFormat: yyyyMMdd}}", b"20240131", Date(2024, 1, 31)),
        (
            "{type: date, F: {physicalType: packedDecimal, dateTimeFormat: yyMMdd}}",
            b"\x02\x40\x13\x1c",
            Date(2024, 1, 31),
        ),
        ("{type: dateTime, F: {physicalType: timeSeconds}}", b"\0\0\0\x3c", Timestamp(1970, 1, 1, 0, 1, 0, 0, True)),
        ("{type: string, F: {length: 4, charset: UTF-16BE}}", b"\0a\0b", "ab"),
    ],
)
def test_a_field_of_each_representation_is_read_and_written_back(field: str, data: bytes, value: object) -> None:
    message_set = one_message("CWF", f"- a: {field}\n- end: {{type: string, F: {{length: 1}}}}")
    assert read(message_set, data + b"!") == [("a", value), ("end", "!")]
    assert rewritten(message_set, data + b"!") == data + b"!"
    assert write(message_set, {"a": value, "end": "!"}) == data + b"!"


def test_byte_order_floats_and_characters_are_those_of_the_message() -> None:
    message_set = one_message(
        "CWF",
        """
- i: {type: int}
- p: {type: int, F: {physicalType: packedDecimal, length: 2}}
- f: {type: float}
- z: {type: int, F: {physicalType: externalDecimal, length: 2, signed: true}}
- s: {type: string, F: {length: 2}}
""",
    )
    content = {"i": 1, "p": -12, "f": 1.5, "z": -12, "s": "ab"}
    assert write(message_set, content, ccsid=1208, encoding=BIG) == b"\0\0\0\1\x01\x2d\x3f\xc0\0\x001rab"
    assert write(message_set, content, ccsid=1208, encoding=LITTLE) == b"\1\0\0\0\x2d\x01\0\0\xc0\x3f1rab"
    assert write(message_set, content, ccsid=500, encoding=Z_OS) == b"\0\0\0\1\x01\x2d\x41\x18\0\0\xf1\xd2\x81\x82"
    for ccsid, encoding in ((1208, BIG), (1208, LITTLE), (500, Z_OS)):
        data = write(message_set, content, ccsid=ccsid, encoding=encoding)
        assert dict(read(message_set, data, ccsid=ccsid, encoding=encoding)) == content


def test_packed_signs_a_b_e_f_are_accepted() -> None:
    message_set = one_message("CWF", "- a: {type: int, F: {physicalType: packedDecimal, length: 2}}")
    for nibble, value in (("c", 12), ("a", 12), ("e", 12), ("f", 12), ("d", -12), ("b", -12)):
        assert read(message_set, bytes.fromhex(f"012{nibble}")) == [("a", value)]


def test_the_positive_packed_sign_can_be_f() -> None:
    message_set = one_message(
        "CWF", "- a: {type: int, F: {physicalType: packedDecimal, length: 1}}", settings="packedDecimalPositiveCode: F"
    )
    assert write(message_set, {"a": 1}) == b"\x1f"


def test_a_length_reference_gives_the_length() -> None:
    message_set = one_message(
        "CWF",
        """
- n: {type: short}
- s: {type: string, F: {lengthReference: n}}
- rest: {type: string, F: {length: 1}}
""",
    )
    assert read(message_set, b"\0\3abc!") == [("n", 3), ("s", "abc"), ("rest", "!")]
    assert write(message_set, {"n": 3, "s": "abc", "rest": "!"}) == b"\0\3abc!"
    with pytest.raises(BrokerError, match="only 4 bytes are left"):
        read(message_set, b"\0\7abc!")


def test_a_repeat_reference_gives_the_number_of_occurrences() -> None:
    message_set = one_message(
        "CWF",
        """
- n: {type: byte}
- g:
    occurs: 0..9
    F: {repeatReference: n}
    elements:
      - m: {type: byte}
      - v: {type: byte, occurs: 0..9, F: {repeatReference: m}}
      - w: {type: byte, occurs: 0..9, F: {repeatReference: ../n}}
""",
    )
    data = b"\2" + b"\1\x0a\1\2" + b"\0\3\4"
    assert read(message_set, data) == [
        ("n", 2),
        ("g", [("m", 1), ("v", 10), ("w", 1), ("w", 2)]),
        ("g", [("m", 0), ("w", 3), ("w", 4)]),
    ]
    assert rewritten(message_set, data) == data
    with pytest.raises(BrokerError, match="1 occurrences and n says 2"):
        write(message_set, [("n", 2), ("g", [("m", 0), ("w", 1), ("w", 2)])])


@pytest.mark.parametrize("count", [-1, 127])
def test_a_count_that_the_data_cannot_hold_is_an_error(count: int) -> None:
    message_set = one_message("CWF", "- n: {type: byte}\n- v: {type: int, occurs: 0..9, F: {repeatReference: n}}")
    with pytest.raises(BrokerError):
        read(message_set, count.to_bytes(1, "big", signed=True) + bytes(8))


def test_a_huge_number_of_occurrences_costs_nothing() -> None:
    message_set = one_message("CWF", "- n: {type: int}\n- v: {type: int, occurs: 0..*, F: {repeatReference: n}}")
    with pytest.raises(BrokerError):
        read(message_set, b"\x7f\xff\xff\xff\0\0\0\1")


def test_max_occurs_are_always_there_and_missing_ones_get_the_default() -> None:
    message_set = one_message("CWF", "- v: {type: byte, occurs: 1..3, default: 7}\n- e: {type: byte}")
    assert read(message_set, b"\1\2\3\4") == [("v", 1), ("v", 2), ("v", 3), ("e", 4)]
    assert write(message_set, [("v", 1), ("e", 4)]) == b"\1\7\7\4"


def test_an_unbounded_element_is_the_last_and_takes_the_rest() -> None:
    message_set = one_message("CWF", "- v: {type: short, occurs: 0..*}")
    assert read(message_set, b"\0\1\0\2") == [("v", 1), ("v", 2)]
    assert read(message_set, b"") == []
    with pytest.raises(BrokerError, match="1 bytes are left"):
        read(message_set, b"\0\1\0")
    with pytest.raises(BrokerError, match="must be the last"):
        read(one_message("CWF", "- v: {type: short, occurs: 0..*}\n- w: {type: short}"), b"\0\1")


def test_members_of_a_choice_overlay_each_other() -> None:
    message_set = one_message(
        "CWF",
        """
- <choice>:
    - n: {type: int, F: {physicalType: packedDecimal, length: 2}}
    - s: {type: string, F: {length: 3}}
- e: {type: string, F: {length: 1}}
""",
    )
    assert read(message_set, b"\x01\x2cx!") == [("n", 12), ("s", "\x01,x"), ("e", "!")]
    # A member that the bytes cannot be is not in the tree.
    assert read(message_set, b"abc!") == [("s", "abc"), ("e", "!")]
    # The longest member is written, so an unchanged choice keeps all its bytes.
    assert rewritten(message_set, b"\x01\x2cx!") == b"\x01\x2cx!"
    assert write(message_set, {"n": 5, "e": "!"}) == b"\x00\x5c\0!"


def test_a_changed_member_of_a_choice_is_the_one_that_is_written() -> None:
    message_set = one_message(
        "CWF",
        """
- <choice>:
    - s: {type: string, F: {length: 2}}
    - n: {type: short}
""",
    )
    given = context(message_set)
    body = MRM.parse(b"ab", given)
    number = body.child("n")
    assert number is not None
    number.set_value(0x4142)
    assert MRM.write(body, given) == b"AB"


def test_alignment_and_skips_are_from_the_start_of_the_message() -> None:
    message_set = one_message(
        "CWF",
        """
- a: {type: byte}
- b: {type: int, F: {byteAlignment: 4}}
- c: {type: byte, F: {skipCountLeading: 2, skipCountTrailing: 1}}
- d: {type: byte, occurs: 2, F: {skipCountLeading: 1}}
""",
        settings="byteAlignmentPad: 0x2e",
    )
    data = b"\1...\0\0\0\2..\3..\4\5"
    assert read(message_set, data) == [("a", 1), ("b", 2), ("c", 3), ("d", 4), ("d", 5)]
    assert write(message_set, [("a", 1), ("b", 2), ("c", 3), ("d", 4), ("d", 5)]) == data


def test_a_missing_field_is_written_with_its_default_and_without_one_is_an_error() -> None:
    message_set = one_message("CWF", "- a: {type: string, default: x, F: {length: 2}}\n- b: {type: byte}")
    assert write(message_set, {"b": 1}) == b"x \1"
    with pytest.raises(BrokerError) as error:
        write(message_set, {"a": "y"})
    assert error.value.number == 5286
    assert "MRM.b" in str(error.value) and "has no default" in str(error.value)


def test_a_blank_field_with_a_default_is_blank() -> None:
    message_set = one_message("CWF", "- a: {type: string, default: x, F: {length: 2}}")
    assert read(message_set, b"  ") == [("a", "")]


def test_null_has_a_representation_where_the_model_gives_one() -> None:
    message_set = one_message(
        "CWF",
        """
- a: {type: string, nillable: true, F: {length: 3, encodingNull: NULLPadFill, paddingCharacter: '*'}}
- b: {type: int, nillable: true, F: {encodingNull: NULLLogicalValue, encodingNullValue: -1}}
- c: {type: string, nillable: true, F: {length: 4, encodingNull: NULLLiteralValue, encodingNullValue: none}}
- d:
    type: int
    nillable: true
    F: {physicalType: externalDecimal, length: 3, encodingNull: NULLLiteralFill, encodingNullValue: '?'}
- e: {type: boolean, nillable: true}
""",
        settings="booleanNullValue: '00000002'",
    )
    data = b"***\xff\xff\xff\xffnone???\0\0\0\2"
    nothing = dict.fromkeys("abcde")
    assert dict(read(message_set, data)) == nothing
    assert write(message_set, nothing) == data


def test_null_without_a_representation_is_an_error() -> None:
    message_set = one_message("CWF", "- a: {type: int, default: 5}")
    with pytest.raises(BrokerError, match="it is NULL"):
        write(message_set, {"a": None})


def test_character_values_of_numbers_are_converted_or_refused() -> None:
    message_set = one_message("CWF", "- a: {type: int, F: {physicalType: packedDecimal, length: 2}}")
    assert write(message_set, {"a": "12"}) == b"\x01\x2c"
    for value in ("x", "1.5", "1234", b"\1"):
        with pytest.raises(BrokerError):
            write(message_set, {"a": value})


def test_what_the_model_does_not_know_is_an_error() -> None:
    message_set = one_message("CWF", "- a: {type: byte}")
    with pytest.raises(BrokerError, match="it is not in the model"):
        write(message_set, {"a": 1, "b": 2})


@pytest.mark.parametrize("data", [b"", b"ab", b"abcd", b"abc" * 100])
def test_a_message_of_the_wrong_length_is_an_error_with_its_place(data: bytes) -> None:
    message_set = one_message("CWF", "- a: {type: string, F: {length: 3}}")
    with pytest.raises(BrokerError) as error:
        read(message_set, data)
    assert error.value.number == 5285
    assert "offset" in str(error.value)


def test_trailing_bytes_can_be_allowed() -> None:
    message_set = one_message("CWF", "- a: {type: byte}", settings="ignoreTrailingBytes: true")
    assert read(message_set, b"\1\2\3") == [("a", 1)]


def test_hidden_fields_are_read_and_written_but_not_in_the_tree() -> None:
    message_set = one_message(
        "CWF", "- a: {type: byte}\n- filler: {type: string, hidden: true, F: {length: 2}}\n- b: {type: byte}"
    )
    assert read(message_set, b"\1xx\2") == [("a", 1), ("b", 2)]
    assert write(message_set, {"a": 1, "b": 2}) == b"\1\0\0\2"


@pytest.mark.parametrize(
    "field",
    [
        "{type: string}",
        "{type: string, F: {physicalType: integer, length: 2}}",
        "{type: int, F: {physicalType: binary, length: 2}}",
        "{type: int, F: {length: x}}",
        "{type: string, F: {length: 999999999}}",
        "{type: int, F: {byteAlignment: 3}}",
        "{type: int, F: {skipCountLeading: -1}}",
        "{type: string, F: {length: 2, paddingCharacter: abc}}",
        "{type: string, F: {lengthReference: /}}",
        "{type: double, F: {length: 3}}",
        "{type: string, F: {length: 2, charset: nonsense}}",
        "{type: decimal}",
    ],
)
def test_a_field_that_cannot_work_is_an_error_that_names_it(field: str) -> None:
    with pytest.raises(BrokerError) as error:
        read(one_message("CWF", f"- culprit: {field}"), b"")
    assert "culprit" in str(error.value)


_FIELDS = """
- s: {type: string, F: {length: 8}}
- r: {type: string, F: {length: 6, justification: right, paddingCharacter: '*'}}
- n: {type: int}
- p: {type: decimal, F: {length: 5, virtualDecimalPoint: 3}}
- z: {type: long, F: {physicalType: externalDecimal, length: 12, signed: true}}
- f: {type: double}
- b: {type: hexBinary, F: {physicalType: lengthEncodedBinary1}}
- o: {type: short, occurs: 2}
"""
_CONTENT = st.tuples(
    st.text("abc XYZ09-", max_size=8).map(lambda text: text.rstrip(" ")),
    st.text("abc ", max_size=6),
    st.integers(-(2**31), 2**31 - 1),
    st.integers(-999_999_999, 999_999_999),
    st.integers(-(10**12) + 1, 10**12 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.binary(max_size=255),
    st.tuples(st.integers(-(2**15), 2**15 - 1), st.integers(-(2**15), 2**15 - 1)),
)


@settings(max_examples=60, deadline=None)
@given(content=_CONTENT, place=st.sampled_from([(1208, BIG), (1208, LITTLE), (37, BIG), (500, LITTLE)]))
def test_what_is_written_is_read_again(content: tuple[object, ...], place: tuple[int, int]) -> None:
    message_set = one_message("CWF", _FIELDS)
    s, r, n, p, z, f, b, o = content
    assert isinstance(o, tuple)
    tree: list[tuple[str, object]] = [
        ("s", s),
        ("r", r),
        ("n", n),
        ("p", Decimal(p).scaleb(-3)),  # type: ignore[arg-type]
        ("z", z),
        ("f", f),
        ("b", b),
        ("o", o[0]),
        ("o", o[1]),
    ]
    ccsid, encoding = place
    data = write(message_set, tree, ccsid=ccsid, encoding=encoding)
    assert read(message_set, data, ccsid=ccsid, encoding=encoding) == tree
    assert rewritten(message_set, data, ccsid=ccsid, encoding=encoding) == data


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=80), ccsid=st.sampled_from([1208, 37, 1200]))
def test_any_bytes_are_a_message_or_a_broker_error(data: bytes, ccsid: int) -> None:
    message_set = one_message("CWF", _FIELDS)
    try:
        tree = read(message_set, data, ccsid=ccsid)
    except BrokerError as error:
        assert error.number == 5285
    else:
        assert len(tree) == 9
