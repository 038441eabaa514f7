"""TDS: every separation, markup, escapes, numbers as text, NULL and missing elements (MF 4.1, 4.4)."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.message_set import MessageSet
from flintmq.broker.formats.model_yaml import from_yaml
from flintmq.broker.values import Date
from tests.broker.formats.mrm_support import one_message, read, rewritten, write


def three(group: str, a: str = "", b: str = "", c: str = "", settings: str = "") -> MessageSet:
    """Return a message of a string, an integer and a decimal."""
    fields = f"- a: {{type: string, F: {{{a}}}}}\n- b: {{type: int, F: {{{b}}}}}\n- c: {{type: decimal, F: {{{c}}}}}"
    return one_message("TDS", fields, group=group, settings=settings)


ALL = [("a", "x"), ("b", 12), ("c", Decimal("2.50"))]


@pytest.mark.parametrize(
    ("group", "properties", "data"),
    [
        (
            "dataElementSeparation: TaggedDelimited, delimiter: '*', tagDataSeparator: ':'",
            ("tag: A", "tag: BB", "tag: CCC"),
            b"A:x*BB:12*CCC:2.50",
        ),
        (
            "dataElementSeparation: TaggedDelimited, delimiter: '*', tagLength: 2",
            ("tag: AA", "tag: BB", "tag: CC"),
            b"AAx*BB12*CC2.50",
        ),
        (
            "dataElementSeparation: TaggedFixedLength",
            ("tag: AA, length: 1", "tag: BB, length: 3", "tag: CC, length: 5"),
            b"AAxBB012CC02.50",
        ),
        (
            "dataElementSeparation: TaggedEncodedLength, tagLength: 2, lengthOfEncodedLength: 3",
            ("tag: AA", "tag: BB", "tag: CC"),
            b"AA001xBB00212CC0042.50",
        ),
        (
            (
                "dataElementSeparation: TaggedEncodedLength, tagLength: 2, lengthOfEncodedLength: 3,"
                " extraCharsInEncodedLength: 5"
            ),
            ("tag: AA", "tag: BB", "tag: CC"),
            b"AA006xBB00712CC0092.50",
        ),
        ("dataElementSeparation: AllElementsDelimited, delimiter: <CR><LF>", ("", "", ""), b"x\r\n12\r\n2.50"),
        (
            "dataElementSeparation: VariableLengthElementsDelimited, delimiter: ','",
            ("", "length: 4", ""),
            b"x,00122.50",
        ),
        ("dataElementSeparation: FixedLength", ("length: 1", "length: 3", "length: 5"), b"x01202.50"),
        ("dataElementSeparation: FixedLengthAL3", ("length: 1", "length: 3", "length: 5"), b"x01202.50"),
        (
            "dataElementSeparation: UseDataPattern",
            ("dataPattern: '[a-z]+'", "dataPattern: '[0-9]{2}'", "dataPattern: '[0-9.]+'"),
            b"x122.50",
        ),
    ],
)
def test_each_separation_is_read_and_written_back(group: str, properties: tuple[str, str, str], data: bytes) -> None:
    message_set = three(group, *properties)
    assert read(message_set, data) == ALL
    assert rewritten(message_set, data) == data
    assert write(message_set, ALL) == data
    ebcdic = data.decode("ascii").encode("cp037")
    assert read(message_set, ebcdic, ccsid=37) == ALL
    assert rewritten(message_set, ebcdic, ccsid=37) == ebcdic


def test_tagged_elements_come_in_any_order_and_any_may_be_absent() -> None:
    message_set = three(
        "dataElementSeparation: TaggedDelimited, delimiter: '*', tagDataSeparator: ':'", "tag: A", "tag: B", "tag: C"
    )
    assert read(message_set, b"C:2.50*A:x") == [("c", Decimal("2.50")), ("a", "x")]
    assert rewritten(message_set, b"C:2.50*A:x") == b"C:2.50*A:x"
    assert read(message_set, b"") == []


@pytest.mark.parametrize("data", [b"Z:1", b"A:x*Z:1", b"Ax", b":", b"A:x*B:y"])
def test_an_unknown_or_missing_tag_is_an_error(data: bytes) -> None:
    message_set = three(
        "dataElementSeparation: TaggedDelimited, delimiter: '*', tagDataSeparator: ':'", "tag: A", "tag: B", "tag: C"
    )
    with pytest.raises(BrokerError) as error:
        read(message_set, data)
    assert error.value.number == 5285


def test_open_content_skips_unknown_tags() -> None:
    message_set = from_yaml(
        """
message_set: S
formats: {F: {kind: TDS, delimiter: '*', tagDataSeparator: ':'}}
messages:
  M:
    open: true
    elements:
      - a: {type: string, F: {tag: A}}
      - b: {type: string, F: {tag: B}}
"""
    )
    assert read(message_set, b"A:x*Z:9*B:y") == [("a", "x"), ("b", "y")]


def test_empty_positions_are_absent_and_trailing_delimiters_are_dropped() -> None:
    message_set = three("dataElementSeparation: AllElementsDelimited, delimiter: ','")
    assert read(message_set, b"x,,2.50") == [("a", "x"), ("c", Decimal("2.50"))]
    assert read(message_set, b"x,,") == [("a", "x")]
    assert read(message_set, b"x") == [("a", "x")]
    assert write(message_set, {"a": "x", "c": Decimal("2.50")}) == b"x,,2.50"
    assert write(message_set, {"a": "x"}) == b"x"


def test_delimiters_of_missing_elements_can_be_kept() -> None:
    message_set = three(
        "dataElementSeparation: AllElementsDelimited, delimiter: ',', suppressAbsentElementDelimiters: Never"
    )
    assert write(message_set, {"a": "x"}) == b"x,,"
    assert read(message_set, b"x,,") == [("a", "x")]


def test_defaults_are_written_only_where_lengths_are_fixed() -> None:
    """In delimited and tagged formats a missing element stays missing."""
    fixed = one_message(
        "TDS",
        "- a: {type: string, default: dflt, F: {length: 4}}\n- b: {type: int, F: {length: 2}}",
        group="dataElementSeparation: FixedLength",
    )
    assert write(fixed, {"b": 1}) == b"dflt01"
    with pytest.raises(BrokerError, match="has no default"):
        write(fixed, {"a": "x"})
    delimited = one_message(
        "TDS",
        "- a: {type: string, default: dflt}\n- b: {type: int}",
        group="dataElementSeparation: AllElementsDelimited, delimiter: ','",
    )
    assert write(delimited, {"b": 1}) == b",1"
    tagged = one_message(
        "TDS",
        "- a: {type: string, default: dflt, F: {tag: A}}\n- b: {type: int, F: {tag: B}}",
        group="delimiter: ',', tagDataSeparator: '='",
    )
    assert write(tagged, {"b": 1}) == b"B=1"


def test_indicator_terminator_and_nested_structures() -> None:
    message_set = from_yaml(
        """
message_set: S
formats: {F: {kind: TDS}}
messages:
  M:
    F: {dataElementSeparation: AllElementsDelimited, delimiter: ';', groupIndicator: '[', groupTerminator: ']'}
    elements:
      - head: string
      - line:
          occurs: 0..*
          F: {repeatingElementDelimiter: '/', dataElementSeparation: AllElementsDelimited, delimiter: ','}
          elements:
            - sku: string
            - count: int
      - tail: string
"""
    )
    data = b"[h;a,1/b,2/c;t]"
    assert read(message_set, data) == [
        ("head", "h"),
        ("line", [("sku", "a"), ("count", 1)]),
        ("line", [("sku", "b"), ("count", 2)]),
        ("line", [("sku", "c")]),
        ("tail", "t"),
    ]
    assert rewritten(message_set, data) == data
    for broken in (b"h;a,1;t", b"[h;a,1;t", b"[h;a,1;t]x", b"[h;a,1,9;t]"):
        with pytest.raises(BrokerError):
            read(message_set, broken)


def test_a_structure_without_a_tag_is_told_by_its_content() -> None:
    message_set = from_yaml(
        """
message_set: S
formats: {F: {kind: TDS, tagDataSeparator: ':'}}
messages:
  M:
    F: {delimiter: <LF>}
    elements:
      - id: {type: string, F: {tag: ID}}
      - party:
          occurs: 0..*
          F: {delimiter: ';', groupIndicator: '{', groupTerminator: '}'}
          elements:
            - name: {type: string, F: {tag: NM}}
            - city: {type: string, F: {tag: CT}}
      - note: {type: string, occurs: 0..1, F: {tag: NT}}
"""
    )
    data = b"ID:1\n{NM:a;CT:b}\n{NM:c}\nNT:z"
    assert read(message_set, data) == [
        ("id", "1"),
        ("party", [("name", "a"), ("city", "b")]),
        ("party", [("name", "c")]),
        ("note", "z"),
    ]
    assert rewritten(message_set, data) == data


def test_a_choice_is_told_by_tag() -> None:
    message_set = from_yaml(
        """
message_set: S
formats: {F: {kind: TDS, delimiter: '*', tagDataSeparator: ':'}}
messages:
  M:
    elements:
      - id: {type: string, F: {tag: ID}}
      - <choice>:
          - cash: {type: decimal, F: {tag: CA}}
          - card: {type: string, F: {tag: CD}}
"""
    )
    assert read(message_set, b"ID:1*CD:x") == [("id", "1"), ("card", "x")]
    assert read(message_set, b"ID:1*CA:2.5") == [("id", "1"), ("cash", Decimal("2.5"))]
    assert rewritten(message_set, b"ID:1*CD:x") == b"ID:1*CD:x"


def test_quotation_marks_and_escape_characters_protect_markup() -> None:
    group = "dataElementSeparation: AllElementsDelimited, delimiter: ','"
    csv = three(group, settings="quoteCharacter: '\"'")
    assert read(csv, b'"x,y",1') == [("a", "x,y"), ("b", 1)]
    assert write(csv, {"a": "x,y", "b": 1}) == b'"x,y",1'
    assert write(csv, {"a": 'say "hi", you', "b": 1}) == b'"say ""hi"", you",1'
    assert read(csv, b'"say ""hi"", you",1') == [("a", 'say "hi", you'), ("b", 1)]
    escaped = three(group, settings="escapeCharacter: '?', reservedChars: '?+'")
    assert read(escaped, b"x?,y??z,1") == [("a", "x,y?z"), ("b", 1)]
    assert write(escaped, {"a": "x,y+z?", "b": 1}) == b"x?,y?+z??,1"


@pytest.mark.parametrize(
    ("field", "data", "value"),
    [
        ("{type: int, F: {length: 4}}", b"0012", 12),
        ("{type: int, F: {length: 4}}", b"-012", -12),
        ("{type: int, F: {length: 4, paddingCharacter: SPACE}}", b"  12", 12),
        ("{type: int, F: {length: 4, justification: left, paddingCharacter: SPACE}}", b"12  ", 12),
        ("{type: int, F: {length: 4, positiveSign: '+'}}", b"+012", 12),
        ("{type: decimal, F: {length: 6, precision: 2}}", b"012.50", Decimal("12.50")),
        ("{type: decimal, F: {length: 4, virtualDecimalPoint: 2}}", b"1250", Decimal("12.50")),
        ("{type: boolean, F: {length: 1}}", b"1", True),
        ("{type: date, F: {length: 8, dateTimeFormat: yyyyMMdd}}", b"20240131", Date(2024, 1, 31)),
        ("{type: string, F: {length: 3, justification: right, paddingCharacter: '*'}}", b"**a", "**a"),
        ("{type: hexBinary, F: {length: 2}}", b"\x01\x02", b"\x01\x02"),
        ("{type: int, F: {physicalType: packedDecimal, length: 2}}", b"\x01\x2d", -12),
        ("{type: int, F: {physicalType: integer, length: 2}}", b"\x00\x0c", 12),
    ],
)
def test_fields_of_fixed_length(field: str, data: bytes, value: object) -> None:
    message_set = one_message("TDS", f"- a: {field}", group="dataElementSeparation: FixedLength")
    assert read(message_set, data) == [("a", value)]
    assert write(message_set, {"a": value}) == data


@pytest.mark.parametrize(
    ("trim", "value"), [("NoTrim", " a "), ("TrimLeading", "a "), ("TrimTrailing", " a"), ("TrimBoth", "a")]
)
def test_strings_of_fixed_length_are_trimmed_as_the_set_says(trim: str, value: str) -> None:
    message_set = one_message(
        "TDS",
        "- a: {type: string, F: {length: 3}}",
        group="dataElementSeparation: FixedLength",
        settings=f"trimFixLengthString: {trim}",
    )
    assert read(message_set, b" a ") == [("a", value)]


def test_the_decimal_point_and_booleans_are_those_of_the_set() -> None:
    message_set = one_message(
        "TDS",
        "- a: {type: decimal}\n- b: {type: boolean}",
        group="dataElementSeparation: AllElementsDelimited, delimiter: ';'",
        settings="decimalPoint: ',', booleanTrueRepresentation: J, booleanFalseRepresentation: N",
    )
    assert read(message_set, b"1,5;J") == [("a", Decimal("1.5")), ("b", True)]
    assert write(message_set, {"a": Decimal("1.5"), "b": False}) == b"1,5;N"


def test_null_representations() -> None:
    message_set = one_message(
        "TDS",
        """
- a: {type: string, nillable: true, F: {encodingNull: NULLLiteralValue, encodingNullValue: nil}}
- b: {type: int, nillable: true, F: {encodingNull: NULLLogicalValue, encodingNullValue: 0}}
- c: {type: string, nillable: true, F: {encodingNull: NULLLiteralValue, encodingNullValue: ''}}
- d: {type: string}
""",
        group="dataElementSeparation: AllElementsDelimited, delimiter: ','",
    )
    assert read(message_set, b"nil,00,,x") == [("a", None), ("b", None), ("c", None), ("d", "x")]
    assert write(message_set, {"a": None, "b": None, "c": None, "d": "x"}) == b"nil,0,,x"
    with pytest.raises(BrokerError, match="it is NULL"):
        write(message_set, {"d": None})


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("absent", [("a", "x")]), ("null", [("a", "x"), ("b", None)]), ("default", [("a", "x"), ("b", 7)])],
)
def test_missing_elements_follow_the_policy_of_the_set(policy: str, expected: list[tuple[str, object]]) -> None:
    message_set = one_message(
        "TDS",
        "- a: {type: string}\n- b: {type: int, default: 7, F: {length: 2}}",
        group="dataElementSeparation: VariableLengthElementsDelimited, delimiter: ','",
        settings=f"missingElements: {policy}",
    )
    assert read(message_set, b"x") == expected


def test_missing_elements_can_be_an_error() -> None:
    message_set = three(
        "dataElementSeparation: AllElementsDelimited, delimiter: ','", settings="missingElements: error"
    )
    with pytest.raises(BrokerError, match="b is missing"):
        read(message_set, b"x")


def test_a_messaging_standard_brings_its_markup() -> None:
    swift = one_message(
        "TDS",
        "- a: {type: string, F: {tag: '20'}}\n- b: {type: decimal, F: {tag: 32A}}",
        settings="messagingStandard: SWIFT",
    )
    assert read(swift, b"\r\n:20:REF\r\n:32A:1,5\r\n-") == [("a", "REF"), ("b", Decimal("1.5"))]
    assert write(swift, {"a": "REF", "b": Decimal("1.5")}) == b"\r\n:20:REF\r\n:32A:1,5\r\n-"
    edifact = one_message(
        "TDS",
        "- a: {type: string}\n- b: {type: string}",
        group="dataElementSeparation: AllElementsDelimited, delimiter: <EDIFACT_DS>",
        settings="messagingStandard: EDIFACT",
    )
    assert read(edifact, b"x?+y+z'") == [("a", "x+y"), ("b", "z")]
    assert write(edifact, {"a": "it's", "b": "z"}) == b"it?'s+z'"
    hl7 = one_message(
        "TDS",
        "- a: {type: string, occurs: 1..*}\n- b: {type: string}",
        group="dataElementSeparation: AllElementsDelimited",
        settings="messagingStandard: HL7",
    )
    assert read(hl7, b"x~y|z\r") == [("a", "x"), ("a", "y"), ("b", "z")]


@pytest.mark.parametrize(
    ("group", "fields", "problem"),
    [
        ("dataElementSeparation: TaggedDelimited, delimiter: ','", "- a: string", "it has no tag"),
        ("dataElementSeparation: FixedLength", "- a: string", "it has no length"),
        ("dataElementSeparation: UseDataPattern", "- a: string", "it has no data pattern"),
        ("dataElementSeparation: UseDataPattern", "- a: {type: string, F: {dataPattern: '['}}", "pattern"),
        ("dataElementSeparation: Undefined", "- a: string", "embedded"),
        ("dataElementSeparation: AllElementsDelimited, delimiter: <XYZ>", "- a: string", "mnemonic"),
        ("dataElementSeparation: TaggedEncodedLength", "- a: {type: string, F: {tag: A}}", "encoded length"),
        (
            "delimiter: ',', tagDataSeparator: ':'",
            "- a: {type: string, F: {tag: A}}\n- b: {type: string, F: {tag: A}}",
            "two elements have the tag A",
        ),
    ],
)
def test_a_definition_that_cannot_work_is_an_error(group: str, fields: str, problem: str) -> None:
    with pytest.raises(BrokerError, match=problem):
        read(one_message("TDS", fields, group=group), b"x")


_TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(_TEXT, min_size=3, max_size=3),
    number=st.integers(-(2**31), 2**31 - 1),
    amount=st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**9), max_value=10**9),
    lines=st.lists(st.tuples(_TEXT, st.integers(0, 10**6)), max_size=3),
)
def test_what_is_written_is_read_again(
    texts: list[str], number: int, amount: Decimal, lines: list[tuple[str, int]]
) -> None:
    message_set = from_yaml(
        """
message_set: S
formats: {F: {kind: TDS, escapeCharacter: '\\', tagDataSeparator: '='}}
messages:
  M:
    F: {dataElementSeparation: TaggedDelimited, delimiter: ';', groupTerminator: '#'}
    elements:
      - a: {type: string, F: {tag: A}}
      - n: {type: int, F: {tag: N}}
      - d: {type: decimal, F: {tag: D}}
      - l:
          occurs: 0..*
          F: {tag: L, dataElementSeparation: AllElementsDelimited, delimiter: '|'}
          elements:
            - s: string
            - c: int
      - z: {type: string, F: {tag: Z}}
"""
    )
    tree: list[tuple[str, object]] = [("a", texts[0]), ("n", number), ("d", amount)]
    tree += [("l", [("s", text), ("c", count)]) for text, count in lines]
    tree.append(("z", texts[1]))
    data = write(message_set, tree)
    assert read(message_set, data) == tree
    assert rewritten(message_set, data) == data


@settings(max_examples=100, deadline=None)
@given(data=st.one_of(st.binary(max_size=40), st.text("A=;:B,12.x\n", max_size=30).map(str.encode)))
def test_any_bytes_are_a_message_or_a_broker_error(data: bytes) -> None:
    message_set = three(
        "dataElementSeparation: TaggedDelimited, delimiter: ';', tagDataSeparator: '='", "tag: A", "tag: B", "tag: C"
    )
    try:
        read(message_set, data)
    except BrokerError as error:
        assert error.number == 5285
