"""Reading: lengths, occurrences, groups, tags, choices, nil values, and errors that say where."""

from __future__ import annotations

from decimal import Decimal

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.model.schema import (
    Alignment,
    Assertion,
    Choice,
    Composition,
    Element,
    EncodingNull,
    Expression,
    ExternalSign,
    Length,
    LengthKind,
    LengthUnits,
    Logical,
    Markup,
    MissingPolicy,
    Number,
    OccursKind,
    Reference,
    Representation,
    Separation,
    SeparatorPosition,
    SeparatorSuppression,
    Text,
    TextNumber,
    Unresolved,
    literal,
    nil_of,
    prefix_of,
)
from tests.broker.formats.model.models import (
    BIG,
    LINES,
    LITTLE,
    OVERLAY,
    RECORD,
    RECORD_DATA,
    RECORD_VALUES,
    TAGGED,
    ZOS,
    binary,
    delimited,
    fixed,
    group,
    marks,
    message,
    packed,
    read,
    sequence,
    values,
)


def failure(model: object, data: bytes, ccsid: int = 1208) -> BrokerError:
    """Return the error of reading a message."""
    with pytest.raises(BrokerError) as found:
        read(model, data, ccsid)  # type: ignore[arg-type]
    assert found.value.kind == "ParserException"
    return found.value


# Fixed lengths: CWF.


def test_fields_of_fixed_length_follow_each_other() -> None:
    assert values(read(RECORD, RECORD_DATA)) == RECORD_VALUES


def test_byte_order_character_set_and_floats_come_from_the_message() -> None:
    model = message(
        sequence(fixed("s", 3), binary("n", 2, Logical.SHORT), binary("f", 4, Logical.FLOAT), packed("p", 2))
    )
    number, point = (1).to_bytes(2, "big"), bytes.fromhex("3f800000")
    assert values(read(model, b"abc" + number + point + b"\x12\x3c", 1208, BIG)) == [
        ("s", "abc"),
        ("n", 1),
        ("f", 1.0),
        ("p", Decimal(123)),
    ]
    reversed_data = b"abc" + number[::-1] + point[::-1] + b"\x3c\x12"
    assert values(read(model, reversed_data, 819, LITTLE))[1:] == [("n", 1), ("f", 1.0), ("p", Decimal(123))]
    host = "abc".encode("cp037") + number + bytes.fromhex("41100000") + b"\x12\x3c"
    assert values(read(model, host, 37, ZOS)) == [("s", "abc"), ("n", 1), ("f", 1.0), ("p", Decimal(123))]


@pytest.mark.parametrize(
    ("sign", "size", "text", "value"),
    [
        (ExternalSign.UNSIGNED, 4, "0123", 123),
        (ExternalSign.LEADING, 4, "-123", -123),
        (ExternalSign.TRAILING, 4, "123-", -123),
        (ExternalSign.TRAILING, 4, "123+", 123),
    ],
)
def test_external_decimals_have_their_sign_where_the_model_says(
    sign: ExternalSign, size: int, text: str, value: int
) -> None:
    field = fixed("n", size, Logical.INT, number=Number(external_sign=sign))
    assert values(read(message(sequence(field)), text.encode())) == [("n", value)]


def test_overpunched_digits_in_ebcdic_and_ascii() -> None:
    number = Number(text=TextNumber.ZONED, external_sign=ExternalSign.TRAILING_OVERPUNCHED, virtual_point=1)
    model = message(sequence(fixed("n", 3, Logical.DECIMAL, number=number)))
    assert values(read(model, b"\xf1\xf2\xd3", 37)) == [("n", Decimal("-12.3"))]
    assert values(read(model, b"12s", 1208)) == [("n", Decimal("-12.3"))]


def test_lengths_come_from_a_reference_a_prefix_or_a_terminator() -> None:
    model = message(
        sequence(
            binary("size", 1, Logical.UNSIGNED_BYTE),
            Element(name="a", logical=Logical.STRING, length=Length(LengthKind.EXPLICIT, Reference(("size",)))),
            Element(name="b", logical=Logical.STRING, length=Length(LengthKind.PREFIXED, prefix=prefix_of(2))),
            delimited("c", markup=Markup(terminator=(literal(b"\0"),))),
            Element(name="d", logical=Logical.HEX_BINARY, length=Length(LengthKind.END_OF_PARENT)),
        )
    )
    assert values(read(model, b"\x03abc\x00\x02xyend\0\x01\x02")) == [
        ("size", 3),
        ("a", "abc"),
        ("b", "xy"),
        ("c", "end"),
        ("d", b"\x01\x02"),
    ]


def test_alignment_counts_from_the_message_and_skips_are_skipped() -> None:
    model = message(
        sequence(
            fixed("a", 1),
            binary("n", 4, alignment=Alignment(4)),
            fixed("b", 1, alignment=Alignment(leading_skip=2, trailing_skip=1)),
            fixed("c", 1),
        )
    )
    assert values(read(model, b"a___\0\0\0\x01__b_c")) == [("a", "a"), ("n", 1), ("b", "b"), ("c", "c")]


def test_lengths_in_characters_count_characters() -> None:
    text = Element(
        name="s", logical=Logical.STRING, length=Length(LengthKind.EXPLICIT, 3, LengthUnits.CHARACTERS), text=Text()
    )
    model = message(sequence(text, fixed("z", 1)))
    assert values(read(model, "a\u20ac\u00e9z".encode(), 1208)) == [("s", "a\u20ac\u00e9"), ("z", "z")]
    assert values(read(message(sequence(text)), "a\u20ac\u00e9".encode("utf-16-be"), 1200)) == [("s", "a\u20ac\u00e9")]


def test_fields_of_bits_share_bytes() -> None:
    def bit(name: str, size: int) -> Element:
        return Element(
            name=name,
            logical=Logical.UNSIGNED_INT,
            representation=Representation.BINARY,
            length=Length(LengthKind.EXPLICIT, size, LengthUnits.BITS),
            alignment=Alignment(1, units=LengthUnits.BITS),
        )

    model = message(
        sequence(bit("a", 1), bit("b", 3), bit("c", 12), fixed("s", 1), alignment=Alignment(1, units=LengthUnits.BITS))
    )
    assert values(read(model, b"\xb1\x23z")) == [("a", 1), ("b", 3), ("c", 0x123), ("s", "z")]


# Choices and overlays.


def test_an_unresolved_choice_shows_every_member_that_can_be_read() -> None:
    assert values(read(OVERLAY, b"kABCDe")) == [
        ("kind", "k"),
        ("number", 0x41424344),
        ("text", [("head", "AB"), ("tail", "CD")]),
        ("end", "e"),
    ]


def test_an_unresolved_choice_can_show_the_first_member_only() -> None:
    model = message(
        sequence(
            Choice(members=[packed("n", 2), fixed("s", 2)], unresolved=Unresolved.FIRST, pad_to_longest=True),
            fixed("e", 1),
        )
    )
    assert values(read(model, b"\x12\x3ce")) == [("n", Decimal(123)), ("e", "e")]
    assert values(read(model, b"abe")) == [("s", "ab"), ("e", "e")]


def test_a_choice_takes_the_first_member_that_can_be_read() -> None:
    model = message(
        sequence(
            Choice(members=[delimited("n", Logical.INT), delimited("d", Logical.DATE), delimited("s")]),
            delimited("x"),
            separator=marks(","),
        )
    )
    assert values(read(model, b"12,x"))[0] == ("n", 12)
    assert values(read(model, b"2024-01-31,x"))[0][0] == "d"  # type: ignore[index]
    assert values(read(model, b"abc,x"))[0] == ("s", "abc")


def test_a_key_can_name_the_member() -> None:
    model = message(
        sequence(
            fixed("kind", 1),
            Choice(
                members=[fixed("a", 2, branch_keys=("A", "a")), fixed("b", 3, branch_keys=("B",))],
                dispatch=Reference(("kind",)),
            ),
        )
    )
    assert values(read(model, b"a12")) == [("kind", "a"), ("a", "12")]
    assert values(read(model, b"B123")) == [("kind", "B"), ("b", "123")]
    assert "key 'C'" in str(failure(model, b"C1"))


def test_a_discriminator_says_that_a_member_is_the_right_one() -> None:
    first = group(
        "a",
        sequence(
            fixed("tag", 1, assertions=(Assertion(Expression("{ . eq 'A' }"), discriminator=True),)),
            fixed("n", 2, Logical.INT),
        ),
    )
    model = message(Choice(members=[first, fixed("b", 3)]))
    assert values(read(model, b"A12")) == [("a", [("tag", "A"), ("n", 12)])]
    assert values(read(model, b"Bxy")) == [("b", "Bxy")]
    assert "'xy' is not a number" in str(failure(model, b"Axy"))


# Delimiters: TDS.


def test_lines_of_separated_fields() -> None:
    assert values(read(LINES, b"ab,1,x,y\nc,2\nd,3,,\n")) == [
        ("row", [("key", "ab"), ("number", 1), ("note", "x"), ("note", "y")]),
        ("row", [("key", "c"), ("number", 2)]),
        ("row", [("key", "d"), ("number", 3)]),
    ]


def test_tagged_elements_may_come_in_any_order() -> None:
    data = "{PR:1.50*NM:x*PT:1~2~3}".encode("cp037")
    assert values(read(TAGGED, data, 37, ZOS)) == [
        ("price", Decimal("1.50")),
        ("name", "x"),
        ("part", "1"),
        ("part", "2"),
        ("part", "3"),
    ]


def test_an_unknown_tag_is_an_error_unless_content_is_open() -> None:
    error = failure(TAGGED, b"{NM:x*XX:y}")
    assert "no element has the tag X'5858'" in str(error) and "offset 6" in str(error.root_cause())
    open_model = message(
        sequence(
            delimited("a", tag="A"),
            separation=Separation.TAGGED_DELIMITED,
            separator=marks("*"),
            tag_data_separator=marks(":"),
            open_content=True,
        )
    )
    assert values(read(open_model, b"X:1*A:2*Y:3")) == [("a", "2")]


def test_tags_of_fixed_length_and_encoded_lengths() -> None:
    model = message(
        sequence(
            fixed("a", 3, tag="AA"),
            fixed("b", 2, tag="BB"),
            separation=Separation.TAGGED_FIXED_LENGTH,
            tag_length=2,
        )
    )
    assert values(read(model, b"BB12AAxyz")) == [("b", "12"), ("a", "xyz")]
    encoded = message(
        sequence(
            Element(name="a", logical=Logical.STRING, tag="AA", length=Length(LengthKind.END_OF_PARENT)),
            Element(name="b", logical=Logical.STRING, tag="BB", length=Length(LengthKind.END_OF_PARENT)),
            separation=Separation.TAGGED_ENCODED_LENGTH,
            tag_length=2,
            encoded_length=3,
        )
    )
    assert values(read(encoded, b"BB002xyAA005hello")) == [("b", "xy"), ("a", "hello")]
    assert "encoded length" in str(failure(encoded, b"BB0x2xy"))
    assert "encoded length" in str(failure(encoded, b"BB009xy"))


def all_delimited(missing: MissingPolicy = MissingPolicy.ABSENT) -> object:
    return message(
        sequence(
            delimited("a"),
            delimited("n", Logical.INT, default="7"),
            delimited("z"),
            separation=Separation.ALL_ELEMENTS_DELIMITED,
            separator=marks("|"),
            missing=missing,
        )
    )


def test_an_absent_element_is_an_empty_position() -> None:
    assert values(read(all_delimited(), b"x||y")) == [("a", "x"), ("z", "y")]  # type: ignore[arg-type]
    assert values(read(all_delimited(), b"x|1")) == [("a", "x"), ("n", 1)]  # type: ignore[arg-type]


def test_missing_trailing_elements_follow_the_policy_of_the_set() -> None:
    assert values(read(all_delimited(MissingPolicy.NULL), b"x|1")) == [("a", "x"), ("n", 1), ("z", None)]  # type: ignore[arg-type]
    assert values(read(all_delimited(MissingPolicy.DEFAULT), b"x")) == [("a", "x"), ("n", 7)]  # type: ignore[arg-type]
    assert "n is missing" in str(failure(all_delimited(MissingPolicy.ERROR), b"x"))


def test_an_element_of_fixed_length_needs_no_delimiter_behind_it() -> None:
    model = message(
        sequence(
            fixed("a", 2),
            delimited("b"),
            fixed("c", 1),
            delimited("d"),
            separation=Separation.VARIABLE_LENGTH_ELEMENTS_DELIMITED,
            separator=marks(","),
        )
    )
    assert values(read(model, b"12xyz,3w")) == [("a", "12"), ("b", "xyz"), ("c", "3"), ("d", "w")]


def test_data_patterns_take_what_they_match() -> None:
    def patterned(name: str, pattern: str) -> Element:
        return Element(name=name, logical=Logical.STRING, length=Length(LengthKind.PATTERN, pattern=pattern))

    model = message(
        sequence(
            patterned("a", "[A-Z]+"),
            patterned("b", "[0-9]{2}"),
            patterned("c", ".*"),
            separation=Separation.USE_DATA_PATTERN,
        )
    )
    assert values(read(model, b"ABC12rest")) == [("a", "ABC"), ("b", "12"), ("c", "rest")]
    assert values(read(model, "AB12\u00e9\u20ac".encode())) == [("a", "AB"), ("b", "12"), ("c", "\u00e9\u20ac")]


def test_al3_structures_may_end_early() -> None:
    model = message(sequence(fixed("a", 2), fixed("b", 2), separation=Separation.FIXED_LENGTH_AL3))
    assert values(read(model, b"12")) == [("a", "12")]


@pytest.mark.parametrize(
    ("position", "data"),
    [
        (SeparatorPosition.INFIX, b"1,2,3"),
        (SeparatorPosition.PREFIX, b",1,2,3"),
        (SeparatorPosition.POSTFIX, b"1,2,3,"),
    ],
)
def test_separators_stand_between_before_or_behind(position: SeparatorPosition, data: bytes) -> None:
    model = message(
        sequence(
            delimited("n", Logical.INT, min_occurs=3, max_occurs=3), separator=marks(","), separator_position=position
        )
    )
    assert values(read(model, data)) == [("n", 1), ("n", 2), ("n", 3)]


def test_absent_members_without_separators_are_told_by_what_they_look_like() -> None:
    model = message(
        sequence(
            delimited("n", Logical.INT, min_occurs=0),
            delimited("d", Logical.DATE, min_occurs=0),
            delimited("s", min_occurs=0),
            separator=marks(","),
            separator_suppression=SeparatorSuppression.ANY_EMPTY,
        )
    )
    assert [child.name for child in read(model, b"2024-01-31,x").children()] == ["d", "s"]
    assert values(read(model, b"7")) == [("n", 7)]


def test_an_unordered_sequence_is_put_into_the_order_of_the_model() -> None:
    def initiated(name: str, mark: str) -> Element:
        return delimited(name, markup=Markup(initiator=marks(mark)))

    model = message(
        sequence(
            initiated("a", "A:"), initiated("b", "B:"), separator=marks(","), composition=Composition.UNORDERED_SET
        )
    )
    assert values(read(model, b"B:2,A:1")) == [("a", "1"), ("b", "2")]
    assert "b occurs 0 times" in str(failure(model, b"A:1"))


# Occurrences.


def test_occurrences_end_at_a_stop_value() -> None:
    field = fixed("n", 2, Logical.INT, max_occurs=-1, occurs_kind=OccursKind.STOP_VALUE, stop_values=("99",))
    assert values(read(message(sequence(field, fixed("z", 1))), b"010299z")) == [("n", 1), ("n", 2), ("z", "z")]


def test_a_count_that_is_wrong_is_an_error() -> None:
    assert "only 1 bytes are left" in str(failure(RECORD, RECORD_DATA[:-1]))
    assert "1 bytes are left behind" in str(failure(RECORD, RECORD_DATA + b"x"))
    assert "'x' is not a number" in str(failure(RECORD, RECORD_DATA.replace(b"\x5d2", b"\x5dx")))


# Nil values.


@pytest.mark.parametrize(
    ("kind", "value", "data"),
    [
        (EncodingNull.PAD_FILL, "", b"    "),
        (EncodingNull.LITERAL_FILL, "?", b"????"),
        (EncodingNull.LITERAL_VALUE, "NULL", b"NULL"),
        (EncodingNull.LOGICAL_VALUE, "none", b"none"),
    ],
)
def test_the_null_representations_of_mrm_become_null(kind: EncodingNull, value: str, data: bytes) -> None:
    field = fixed("s", 4, nillable=True, nil=nil_of(kind, value, " "))
    model = message(sequence(field))
    assert values(read(model, data)) == [("s", None)]
    assert values(read(model, b"abcd")) == [("s", "abcd")]


# Errors.


def test_an_error_says_path_offset_and_what_was_expected() -> None:
    error = failure(LINES, b"ab,1\ncd,x\n")
    cause = error.root_cause()
    assert error.number == 5285 and cause.number == 5505
    assert "m.row[2].number" in cause.text and "offset 8" in cause.text and "'x' is not a number" in cause.text
    assert cause.inserts[:2] == ("m.row[2].number", 8)


def test_errors_of_dfdl_messages_have_numbers_of_their_family() -> None:
    model = message(sequence(fixed("a", 5)), family="DFDL")
    error = failure(model, b"ab")
    assert error.number == 5806 and error.root_cause().number == 5810


def test_nesting_and_attempts_are_bounded() -> None:
    recursive = sequence(fixed("x", 1))
    recursive.members.append(group("child", recursive, min_occurs=0))
    assert values(read(message(recursive), b"ab")) == [("x", "a"), ("child", [("x", "b")])]
    assert "nested deeper" in str(failure(message(recursive), b"x" * 1000))

    # Choices inside choices: 3 to the power of 30 ways to fail.
    branch: object = delimited("n", Logical.INT)
    for number in range(30):
        branch = group(f"c{number}", Choice(members=[branch, branch, branch]))  # type: ignore[list-item]
    assert "too many attempts" in str(failure(message(sequence(branch)), b"abc"))  # type: ignore[arg-type]


def test_an_occurrence_of_no_length_does_not_repeat_for_ever() -> None:
    model = message(sequence(fixed("a", 0, max_occurs=-1, min_occurs=0), fixed("z", 1)))
    assert values(read(model, b"z")) == [("z", "z")]
    counted = message(sequence(fixed("a", 0, max_occurs=1_000_000_000, min_occurs=1_000_000_000)))
    assert "attempts" in str(failure(counted, b""))
