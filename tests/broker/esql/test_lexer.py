"""Tokens of ESQL: literals, identifiers, comments, escapes, bad characters."""

from __future__ import annotations

from decimal import Decimal

import pytest

from flintmq.broker.esql import lexer
from flintmq.broker.esql.lexer import Source, Token, decode_source, normalise, tokenise


def tokens(text: str) -> list[Token]:
    """Return the tokens of `text` without END, and expect no error."""
    source = Source(normalise(text), None)
    found = tokenise(source)
    assert source.errors == []
    assert found[-1].kind == lexer.END
    return found[:-1]


def values(text: str) -> list[object]:
    return [token.value for token in tokens(text)]


def errors(text: str) -> list[str]:
    source = Source(normalise(text), None)
    tokenise(source)
    return [f"{error.line}:{error.column} {error.message}" for error in source.errors]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("123", lexer.INTEGER, 123),
        ("9223372036854775807", lexer.INTEGER, 2**63 - 1),
        ("9223372036854775808", lexer.DECIMAL, Decimal(2**63)),
        ("1" * 5000, lexer.DECIMAL, Decimal("1" * 5000)),
        ("0x1F", lexer.HEXADECIMAL, 31),
        ("0X7fffffffffffffff", lexer.HEXADECIMAL, 2**63 - 1),
        ("0xFFFFFFFFFFFFFFFF", lexer.HEXADECIMAL, -1),
        ("1.50", lexer.DECIMAL, Decimal("1.50")),
        (".5", lexer.DECIMAL, Decimal("0.5")),
        ("1.5E3", lexer.FLOAT, 1500.0),
        ("2e-3", lexer.FLOAT, 0.002),
        ("'it''s'", lexer.STRING, "it's"),
        ("''", lexer.STRING, ""),
        ("'two\r\nlines -- no comment'", lexer.STRING, "two\r\nlines -- no comment"),
        ("X'0aFF'", lexer.BLOB, b"\x0a\xff"),
        ("x''", lexer.BLOB, b""),
        ("B'0101'", lexer.BIT, "0101"),
        ('"Item-No"', lexer.QUOTED, "Item-No"),
        ('"a""b"', lexer.QUOTED, 'a"b'),
        ("$x_1", lexer.WORD, "$x_1"),
        ("Größe", lexer.WORD, "Größe"),
    ],
)
def test_a_token_has_its_kind_and_value(text: str, kind: int, value: object) -> None:
    (token,) = tokens(text)
    assert (token.kind, token.value, token.start, token.end) == (kind, value, 0, len(text))


def test_words_keep_their_spelling_and_give_an_upper_case_symbol() -> None:
    (word, quoted) = tokens('Select "SELECT"')
    assert (word.value, word.symbol) == ("Select", "SELECT")
    assert (quoted.value, quoted.symbol) == ("SELECT", "")


def test_a_string_may_be_glued_to_a_word() -> None:
    assert values("CHARACTER'' BOX'a'") == ["CHARACTER", "", "BOX", "a"]


def test_a_dot_before_a_digit_separates_path_elements_after_a_name() -> None:
    assert values("a.5 b[1].c") == ["a", ".", 5, "b", "[", 1, "]", ".", "c"]


def test_operators_take_the_longest_match() -> None:
    assert values("a<=b<>c>=d||e<f>g a-b a - -1") == "a <= b <> c >= d || e < f > g a - b a - -".split() + [1]


def test_comments_are_blanks() -> None:
    assert values("a -- b ' \" /*\nc /* d * / ** ' -- */ e/**/f") == ["a", "c", "e", "f"]


def test_block_comments_do_not_nest() -> None:
    assert values("/* a /* b */ c") == ["c"]


def test_executable_comments_are_code() -> None:
    assert values("1 /*!{ + 41 }!*/ ;") == [1, "+", 41, ";"]
    assert values("--!{ SET x =\n 1;\n--!{ a }!\nb") == ["SET", "x", "=", 1, ";", "a", "b"]


def test_banners_of_the_generator_are_comments() -> None:
    assert values('--@!{ *** "ReadEvents" (1) ***\na\n--@!} ***\n') == ["a"]


def test_byte_order_mark_carriage_returns_and_odd_blanks_are_no_tokens() -> None:
    found = tokens("\ufeffa\r\nb\rc\n\u00a0d\ufeff")
    assert [(token.value, token.line, token.column) for token in found] == [
        ("a", 1, 1),
        ("b", 2, 1),
        ("c", 3, 1),
        ("d", 4, 2),
    ]


@pytest.mark.parametrize("escape", ["&lt;", "&It;", "&#60;", "&#x3c;"])
def test_xml_escapes_are_resolved_when_they_stand_in_code(escape: str) -> None:
    assert values(f"i {escape}= C OR d &gt; &apos;e&quot;&apos;") == ["i", "<=", "C", "OR", "d", ">", 'e"']


def test_an_escape_in_code_shows_that_strings_are_escaped_too() -> None:
    assert values("a &gt; 'x &amp; y' -- &lt;") == ["a", ">", "x & y"]


def test_an_escape_inside_a_string_alone_is_text() -> None:
    assert values("REPLACE(a, '&', '&amp;') -- &lt;\n/* &gt; */ \"&lt;\"") == [
        "REPLACE", "(", "a", ",", "&", ",", "&amp;", ")", "&lt;",
    ]  # fmt: skip


def test_an_impossible_character_number_stays() -> None:
    assert normalise("a &lt; '&#x110000;&#xD800;'") == "a < '&#x110000;&#xD800;'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n  @@ b", "2:3 found @@; expected an ESQL word, literal or operator"),
        ("a | b", "1:3 found |; expected an ESQL word, literal or operator"),
        ("12ab", "1:1 found 12ab; expected an ESQL word, literal or operator"),
        ("a /* b", "1:3 found a comment without end; expected */ to end the comment"),
        ("SET a = 'b;\nSET", "1:9 found a string without end; expected ' to end the string"),
        ('SET "a = 1;\n', '1:5 found an identifier without end; expected " to end the identifier'),
        ("X'0'", "1:1 found X'0'; expected pairs of hexadecimal digits in a BLOB literal"),
        ("X'0g'", "1:1 found X'0g'; expected pairs of hexadecimal digits in a BLOB literal"),
        ("B'012'", "1:1 found B'012'; expected only the digits 0 and 1 in a BIT literal"),
        ("0x10000000000000000", "1:1 found 0x10000000000000000; expected at most 16 hexadecimal digits"),
        ("1E999", "1:1 found 1E999; expected a number in the range of FLOAT"),
        ("a }!*/ b", "1:3 found }!*/; expected an ESQL word, literal or operator"),
        ("\x00", "1:1 found \\x00; expected an ESQL word, literal or operator"),
    ],
)
def test_what_is_no_token_is_reported_with_its_place(text: str, message: str) -> None:
    assert errors(text) == [message]


def test_lexing_goes_on_below_a_string_without_end() -> None:
    source = Source("SET a = 'b;\nSET c = 1;", None)
    assert [token.value for token in tokenise(source)][-6:-1] == ["SET", "c", "=", 1, ";"]


def test_errors_are_limited_in_number() -> None:
    assert len(errors("@ " * 10_000)) == lexer.ERRORS_MAX


@pytest.mark.parametrize(
    "text",
    ["/*" * 50_000 + "&", "'" * 100_001 + "&", "1" * 99_999 + "a", "x'" * 50_001, "/*!{" * 50_000, '"' * 100_001],
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    """A quadratic lexer would need minutes for these."""
    source = Source(normalise(text), None)
    assert len(tokenise(source)) <= len(text) + 1


def test_source_bytes_are_utf_8_or_marked_utf_16_or_windows_latin() -> None:
    assert decode_source("ü".encode()) == "ü"
    assert normalise(decode_source("\ufeffü".encode())) == "ü"
    assert normalise(decode_source("ü".encode("utf-16"))) == "ü"
    assert decode_source(b"'\xfc\x81'") == "'ü\ufffd'"
