"""String functions on CHARACTER, BLOB and BIT (MF 2.11; BA 2.3 fact 24)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import functions_string as f
from flintmq.broker.esql.switches import make_switches
from flintmq.broker.values import Bit, Value, parse_bit

Function = Callable[..., Value]
ABC = "ABCABCABCABCABC"
#: One character of two UTF-16 units between two others.
WIDE = "a\U0001f600b"

#: Function, arguments, result: on CHARACTER. Those that are marked run on BLOB and BIT too.
CHARACTER: list[tuple[Function, tuple[object, ...], Value]] = [
    (f.length, ("",), 0),
    (f.length, ("Hello",), 5),
    (f.length, ("Grüße",), 5),
    (f.left, ("Hello World", 4), "Hell"),
    (f.left, ("Hello", 99), "Hello"),
    (f.left, ("Hello", 0), ""),
    (f.left, ("Hello", -1), ""),
    (f.right, ("Hello World", 4), "orld"),
    (f.right, ("Hello", 99), "Hello"),
    (f.right, ("Hello", 0), ""),
    (f.right, ("Hello", -1), ""),
    (f.substring, ("Hello World!", 7), "World!"),
    (f.substring, ("Hello World!", 7, 4), "Worl"),
    (f.substring, ("Hello", 1, 2), "He"),
    (f.substring, ("Hello", 0, 2), "H"),
    (f.substring, ("Hello", -1, 4), "He"),
    (f.substring, ("Hello", -5, 4), ""),
    (f.substring, ("Hello", -5), "Hello"),
    (f.substring, ("Hello", 9), ""),
    (f.substring, ("Hello", 4, 9), "lo"),
    (f.substring, ("Hello", 2, 0), ""),
    (f.substring, ("Hello", 2, -3), ""),
    (f.substring_before, ("Hello World", "World"), "Hello "),
    (f.substring_before, ("Hello World", "x"), ""),
    (f.substring_before, ("a.b.c", "."), "a"),
    (f.substring_before, ("Hello World", "World", 3), "lo "),
    (f.substring_after, ("Hello World", "World"), ""),
    (f.substring_after, ("Hello World", "lo"), " World"),
    (f.substring_after, ("Hello World", "x"), ""),
    (f.substring_after, ("Hello World", "lo", 3), " Wo"),
    (f.overlay, ("ABCDEFGHIJ", "1234", 4, 3), "ABC1234GHIJ"),
    (f.overlay, ("ABCDEFGHIJ", "1234", 4), "ABC1234HIJ"),
    (f.overlay, ("ABC", "xy", 3), "ABxy"),
    (f.overlay, ("ABC", "xy", 9), "ABCxy"),
    (f.overlay, ("ABC", "xy", 2, 0), "AxyBC"),
    (f.overlay, ("ABC", "", 2, 1), "AC"),
    (f.overlay, ("ABC", "x", 0), "xBC"),
    (f.position, ("Village", "Hursley Village"), 9),
    (f.position, ("Town", "Hursley Village"), 0),
    (f.position, ("B", ABC), 2),
    (f.position, ("D", ABC), 0),
    (f.position, ("A", ABC, 4), 4),
    (f.position, ("C", ABC, 2), 3),
    (f.position, ("A", ABC, 1, 2), 4),
    (f.position, ("C", ABC, 1, 4), 12),
    (f.position, ("C", ABC, 1, 6), 0),
    (f.position, ("A", ABC, 2, 1), 4),
    (f.position, ("AB", ABC, 2, 3), 10),
    (f.position, ("A", ABC, 1, -2), 10),
    (f.position, ("BC", ABC, 2, -1), 2),
    (f.position, ("BC", ABC, 3, -1), 2),
    (f.position, ("BC", ABC, 4, -1), 2),
    (f.position, ("BC", ABC, 5, -1), 5),
    (f.position, ("BC", ABC, -10, -1), 5),
    (f.position, ("BC", ABC, -4, 1), 14),
    (f.position, ("A", ABC, 1, -6), 0),
    (f.position, ("A", ABC, 99), 0),
    (f.position, ("A", ABC, 1, 0), 0),
    (f.position, ("A", ABC, 1, 2**62), 0),
    (f.position, ("AA", "AAAA", 1, 2), 2),
    (f.position, ("", "AB"), 1),
    (f.trim, ("  Hello  ",), "Hello"),
    (f.trim, ("\t Hello \n",), "\t Hello \n"),
    (f.trim, ("  Hello  ", "LEADING"), "Hello  "),
    (f.trim, ("  Hello  ", "TRAILING"), "  Hello"),
    (f.trim, ("aaaBBBAAA", "TRAILING", "A"), "aaaBBB"),
    (f.trim, ("00120", "LEADING", "0"), "120"),
    (f.trim, ("xxHixx", "BOTH", "x"), "Hi"),
    (f.ltrim, ("  a ",), "a "),
    (f.rtrim, (" a  ",), " a"),
    (f.replace, ("ABCDABCDABCDA", "A", "AA"), "AABCDAABCDAABCDAA"),
    (f.replace, ("ABCDABCD", "BC"), "ADAD"),
    (f.replace, ("ABC", "", "x"), "ABC"),
    (f.replace, ("ABC", "x", "y"), "ABC"),
    (f.replace, ("aaaa", "aa", "a"), "aa"),
    (f.translate, ("Well, this is it", "il", "ng"), "Wegg, thns ns nt"),
    (f.translate, ("a-b-c", "-"), "abc"),
    (f.translate, ("abcabc", "abc", "xy"), "xyxy"),
    (f.translate, ("aa", "aa", "xy"), "xx"),
    (f.translate, ("abc", "", "x"), "abc"),
    (f.replicate, ("ab", 3), "ababab"),
    (f.replicate, ("ab", 0), ""),
    (f.space, (3,), "   "),
    (f.space, (0,), ""),
    (f.contains, ("Hello", "ell"), True),
    (f.contains, ("Hello", "ELL"), False),
    (f.contains, ("Hello", ""), True),
    (f.startswith, ("Hello", "He"), True),
    (f.startswith, ("Hello", "el"), False),
    (f.endswith, ("Hello", "lo"), True),
    (f.endswith, ("Hello", "el"), False),
    (f.lower, ("GRÜSSE",), "grüsse"),
    (f.upper, ("straße",), "STRASSE"),
]


@pytest.mark.parametrize(("function", "arguments", "result"), CHARACTER)
def test_functions_on_character(function: Function, arguments: tuple[object, ...], result: Value) -> None:
    assert function(*arguments) == result


#: Those examples whose texts are Latin-1, on functions that take BLOB: blanks are trimmed in CHARACTER only.
ON_BLOB = [
    row
    for row in CHARACTER
    if row[0] not in (f.lower, f.upper, f.space, f.ltrim, f.rtrim) and not (row[0] is f.trim and len(row[1]) < 3)
]


@pytest.mark.parametrize(("function", "arguments", "result"), ON_BLOB)
def test_the_same_functions_on_blob(function: Function, arguments: tuple[object, ...], result: Value) -> None:
    def blob(value: object) -> object:
        words = ("LEADING", "TRAILING", "BOTH")
        return value.encode("latin-1") if isinstance(value, str) and value not in words else value

    assert function(*[blob(argument) for argument in arguments]) == blob(result)


BITS: list[tuple[Function, tuple[object, ...], Value]] = [
    (f.length, ("0101",), 4),
    (f.left, ("0111", 2), "01"),
    (f.right, ("0111", 3), "111"),
    (f.substring, ("010011", 3, 2), "00"),
    (f.substring_before, ("000100", "1"), "000"),
    (f.substring_after, ("000101", "1"), "01"),
    (f.overlay, ("0000", "11", 2), "0110"),
    (f.position, ("11", "01011"), 4),
    (f.position, ("1", "01011", 1, -1), 5),
    (f.trim, ("00100",), "1"),
    (f.ltrim, ("00100",), "100"),
    (f.rtrim, ("00100",), "001"),
    (f.replace, ("0110", "11", "0"), "000"),
    (f.translate, ("0110", "01", "10"), "1001"),
    (f.replicate, ("01", 3), "010101"),
    (f.contains, ("0110", "11"), True),
    (f.startswith, ("0110", "01"), True),
    (f.endswith, ("0110", "01"), False),
]


@pytest.mark.parametrize(("function", "arguments", "result"), BITS)
def test_the_same_functions_on_bit(function: Function, arguments: tuple[object, ...], result: Value) -> None:
    def bit(value: object) -> object:
        return parse_bit(value) if isinstance(value, str) else value

    assert function(*[bit(argument) for argument in arguments]) == bit(result)


def test_trim_of_a_blob_takes_zero_bytes_by_default() -> None:
    assert f.trim(b"\0\0a\0b\0") == b"a\0b"
    assert f.ltrim(b"\0 a") == b" a"
    assert f.trim(b"  a ", "BOTH", b" ") == b"a"


def test_an_empty_blob_as_replacement_removes_the_search() -> None:
    assert f.replace(b"\x0d\x0aA\x0d\x0a", b"\x0d\x0a", b"") == b"A"


NULLABLE: list[tuple[Function, tuple[object, ...]]] = [
    (f.length, ("a",)),
    (f.left, ("a", 1)),
    (f.right, ("a", 1)),
    (f.substring, ("a", 1)),
    (f.substring, ("a", 1, 1)),
    (f.substring_before, ("a", "a")),
    (f.substring_before, ("a", "a", 1)),
    (f.substring_after, ("a", "a")),
    (f.substring_after, ("a", "a", 1)),
    (f.overlay, ("a", "b", 1)),
    (f.overlay, ("a", "b", 1, 1)),
    (f.position, ("a", "b", 2, 2)),
    (f.trim, ("a",)),
    (f.ltrim, ("a",)),
    (f.rtrim, ("a",)),
    (f.replace, ("a", "b")),
    (f.replace, ("a", "b", "c")),
    (f.translate, ("a", "b")),
    (f.translate, ("a", "b", "c")),
    (f.replicate, ("a", 1)),
    (f.space, (1,)),
    (f.contains, ("a", "b")),
    (f.startswith, ("a", "b")),
    (f.endswith, ("a", "b")),
    (f.lower, ("a",)),
    (f.upper, ("a",)),
]


@pytest.mark.parametrize(("function", "arguments"), NULLABLE)
def test_null_in_any_argument_gives_null(function: Function, arguments: tuple[object, ...]) -> None:
    assert function(*arguments) is not None
    for place in range(len(arguments)):
        assert function(*arguments[:place], None, *arguments[place + 1 :]) is None


@pytest.mark.parametrize(("function", "arguments"), NULLABLE)
def test_an_argument_of_another_type_is_2421(function: Function, arguments: tuple[object, ...]) -> None:
    for place in range(len(arguments)):
        wrong = 1.5 if isinstance(arguments[place], int) else 5
        with pytest.raises(BrokerError) as caught:
            function(*arguments[:place], wrong, *arguments[place + 1 :])
        assert caught.value.number == 2421


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (f.contains, ("a", b"a")),
        (f.position, (b"a", "a")),
        (f.replace, (b"a", b"a", "a")),
        (f.translate, ("a", "a", b"a")),
        (f.overlay, ("a", b"a", 1)),
        (f.startswith, (b"a", Bit(1, 1))),
        (f.trim, ("a", "BOTH", b"a")),
        (f.left, ("a", True)),
        (f.lower, (b"a",)),
        (f.upper, (Bit(1, 1),)),
    ],
)
def test_strings_of_two_types_in_one_call_are_2421(function: Function, arguments: tuple[object, ...]) -> None:
    with pytest.raises(BrokerError) as caught:
        function(*arguments)
    assert caught.value.number == 2421


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (f.replicate, ("a", -1)),
        (f.replicate, ("a", f.COUNT_MAX + 1)),
        (f.replicate, ("a" * 100, f.COUNT_MAX)),
        (f.space, (-1,)),
        (f.space, (2**62,)),
        (f.trim, ("a", "BOTH", "")),
    ],
)
def test_an_argument_out_of_range_is_2439(function: Function, arguments: tuple[object, ...]) -> None:
    with pytest.raises(BrokerError) as caught:
        function(*arguments)
    assert (caught.value.number, caught.value.sqlstate) == (2439, "S22023")


def test_positions_count_utf_16_units() -> None:
    assert f.length(WIDE) == 4
    assert f.left(WIDE, 3) == "a\U0001f600"
    assert f.left(WIDE, 2) == "a\ud83d"
    assert f.right(WIDE, 2) == "\ude00b"
    assert f.substring(WIDE, 4) == "b"
    assert f.substring(WIDE, 2, 2) == "\U0001f600"
    assert f.position("b", WIDE) == 4
    assert f.position("\U0001f600", WIDE) == 2
    assert f.overlay(WIDE, "x", 2, 2) == "axb"
    assert f.overlay(WIDE, "\ud83d", 2, 1) == WIDE
    assert f.substring_after(WIDE, "\U0001f600") == "b"
    assert f.substring_before(WIDE, "b") == "a\U0001f600"
    assert f.substring_before(WIDE, "b", 2) == "\U0001f600"


def test_switch_string_length_character_counts_characters() -> None:
    switches = make_switches({"string_length": "character"})
    assert f.length(WIDE, switches) == 3
    assert f.left(WIDE, 2, switches) == "a\U0001f600"
    assert f.right(WIDE, 2, switches) == "\U0001f600b"
    assert f.substring(WIDE, 3, switches=switches) == "b"
    assert f.position("b", WIDE, 1, 1, switches) == 3
    assert f.overlay(WIDE, "x", 2, 1, switches) == "axb"


texts = st.text("aß\U0001f600b", max_size=8)


@given(texts, st.integers(-2, 12), st.integers(-2, 12))
@settings(max_examples=100)
def test_left_and_substring_together_give_the_text(text: str, place: int, size: int) -> None:
    left, rest = f.left(text, place), f.substring(text, max(place, 0) + 1)
    assert isinstance(left, str) and isinstance(rest, str)
    joined = (left + rest).encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    assert joined == text
    part = f.substring(text, place, size)
    count = f.length(part)
    assert isinstance(count, int) and count <= max(size, 0)


@given(texts, texts, st.integers(-5, 12), st.integers(-4, 4))
@settings(max_examples=200)
def test_position_finds_what_it_says(search: str, text: str, start: int, repeat: int) -> None:
    found = f.position(search, text, start, repeat)
    assert isinstance(found, int)
    if found:
        size = f.length(search)
        assert f.substring(text, found, size) == search


def test_trim_takes_off_what_is_longer_than_one_as_a_whole() -> None:
    """Public programs strip a byte order mark and a separator so."""
    assert f.trim(b"\xef\xbb\xbf\xbb<a/>", "LEADING", b"\xef\xbb\xbf") == b"\xbb<a/>"
    assert f.trim(" - a - b", "LEADING", " - ") == "a - b"
    assert f.trim("ababxab", "TRAILING", "ab") == "ababx"
    assert f.trim("ababxab", "BOTH", "ab") == "x"
    assert f.trim("abab", "BOTH", "ab") == ""
    assert f.trim(Bit(0b10101, 5), "LEADING", Bit(0b10, 2)) == Bit(1, 1)
    with pytest.raises(BrokerError):
        f.trim("a", "BOTH", "")
