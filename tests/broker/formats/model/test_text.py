"""Delimiters: matching, scopes, the scanner and escapes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.formats.model import literals
from flintmq.broker.formats.model.charsets import charset_of
from flintmq.broker.formats.model.schema import EscapeKind, EscapeScheme
from flintmq.broker.formats.model.text import (
    Finder,
    Mark,
    Scope,
    characters_span,
    escape_text,
    make_escape,
    make_mark,
    read_block,
    read_escaped,
)

UTF8 = charset_of("utf-8")


def mark(text: str, index: int = 1, charset: str = "utf-8", ignore_case: bool = False) -> Mark:
    return make_mark(index, literals.delimiters(text), charset_of(charset), ignore_case, "\r\n")


def scope(*texts: str, charset: str = "utf-8") -> Scope:
    found = Scope([], charset_of(charset))
    for number, text in enumerate(texts):
        found = found.extended(mark(text, number + 1, charset))
    return found


def test_the_longest_alternative_of_a_mark_matches() -> None:
    assert mark("a ab abc").match(b"abcd", 0, 4) == 3
    assert mark("a ab abc").match(b"abcd", 0, 2) == 2
    assert mark("x").match(b"abcd", 0, 4) == -1


@pytest.mark.parametrize(
    ("literal", "data", "length"),
    [
        ("%NL;", b"\r\nx", 2),
        ("%NL;", b"\n", 1),
        ("%NL;", "\u2028".encode(), 3),
        ("%WSP;", b" ", 1),
        ("%WSP+;", b" \t x", 3),
        ("%WSP*;", b"x", 0),
        ("%WSP*;,%WSP*;", b"  , x", 4),
        ("%#rFF;%#x41;", b"\xffA", 2),
        ("%%", b"%", 1),
    ],
)
def test_entities_of_dfdl_match(literal: str, data: bytes, length: int) -> None:
    assert mark(literal).match(data, 0, len(data)) == length


@pytest.mark.parametrize("literal", ["%XX;", "%", "%#r1;", "%#xFFFFFFF;", "%#55296;", "%nl;"])
def test_an_unknown_entity_is_an_error(literal: str) -> None:
    with pytest.raises(ValueError, match="entity|character"):
        literals.delimiter(literal)


def test_case_is_ignored_where_the_schema_says_so() -> None:
    assert mark("Tag:", ignore_case=True).match(b"TAG:", 0, 4) == 4
    assert mark("Tag:", charset="cp037", ignore_case=True).match("tAG:".encode("cp037"), 0, 4) == 4
    assert mark("Tag:").match(b"TAG:", 0, 4) == -1


def test_longer_markup_of_an_enclosing_structure_wins() -> None:
    """In `a,,b` the separator `,` is not there: `,,` of the parent is."""
    own, outer = mark(",", 1), mark(",,", 2)
    inner = Scope([], UTF8).extended(outer).extended(own)
    assert inner.matches(own, b"a,,b", 1, 4) == -1
    assert inner.matches(outer, b"a,,b", 1, 4) == 2
    assert inner.matches(own, b"a,b", 1, 3) == 1


def test_a_scope_with_one_more_mark_is_made_once() -> None:
    base, one = scope("|"), mark(",", 9)
    assert base.extended(one) is base.extended(one)
    assert base.extended(None) is base


@pytest.mark.parametrize(
    ("texts", "data", "place"),
    [
        ((",",), b"abc,d", 3),
        ((",", "\n"), b"abc", -1),
        ((",", "END"), b"abENDc,", 2),
        (("%NL;", ","), b"abc\r\n,", 3),
        (("%WSP*;,",), b"abc   ,d", 3),
        (("%WSP+;",), b"abc   ,d", 3),
    ],
)
def test_a_search_finds_the_first_markup(texts: tuple[str, ...], data: bytes, place: int) -> None:
    assert scope(*texts).search(data, 0, len(data)) == place


def test_a_search_in_utf_16_finds_characters_not_bytes() -> None:
    """U+2C41 has the byte of a comma at an odd place."""
    data = "\u2c41\u412c,".encode("utf-16-be")
    assert scope(",", charset="utf-16be").search(data, 0, len(data)) == 4


def test_a_search_in_shift_jis_does_not_find_half_a_character() -> None:
    """The second byte of U+30DD is a vertical bar."""
    data = "\u30dd|".encode("cp932")
    assert data == b"\x83||"
    assert scope("|", charset="cp932").search(data, 0, len(data)) == 2


def test_white_space_before_a_delimiter_does_not_make_the_scanner_quadratic() -> None:
    """Spaces by the hundred thousand without the comma that could follow them: a quadratic scanner would need hours."""
    data = b" " * 300_000 + b"x" + b" " * 300_000
    assert scope("%WSP*;,", "%WSP+;;").search(data, 0, len(data)) == -1


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([b",", b"||", b"|", b"\r\n", b"a", b"ab"]), max_size=40).map(b"".join),
    st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80)), max_size=30),
)
def test_remembered_places_are_those_of_a_fresh_search(data: bytes, asked: list[tuple[int, int]]) -> None:
    """Finder answers as Scope.search does, in whatever order the reader goes forward and back."""
    base = scope(",")
    scopes = [base, base.extended(mark("|| %CR;%LF;", 7)), base.extended(mark("ab", 8))]
    finder = Finder(data)
    for number, (first, second) in enumerate(asked):
        pos, end = sorted((first % (len(data) + 1), second % (len(data) + 1)))
        chosen = scopes[number % 3]
        assert chosen.plain
        assert finder.search(chosen, pos, end) == chosen.search(data, pos, end)


def escape(**options: object) -> EscapeScheme:
    return EscapeScheme(**options)  # type: ignore[arg-type]


CHARACTER = make_escape(1, escape(escape_character="\\", escape_escape="/"), ("\\", "/"), UTF8)
QUOTES = make_escape(
    2, escape(kind=EscapeKind.BLOCK, block_start='"', block_end='"', escape_escape='"'), ("", '"'), UTF8
)


@pytest.mark.parametrize(
    ("data", "content", "stop"),
    [
        (b"ab,c", b"ab", 2),
        (b"a\\,b,c", b"a,b", 4),
        (b"a/\\,c", b"a\\", 3),
        (b"a/b,c", b"a/b", 3),
        (b"ab\\", b"ab", 3),
        (b"ab", b"ab", 2),
    ],
)
def test_an_escape_character_makes_the_next_character_data(data: bytes, content: bytes, stop: int) -> None:
    assert read_escaped(scope(","), CHARACTER, data, 0, len(data)) == (stop, content)


@pytest.mark.parametrize(
    ("data", "content", "stop"),
    [
        (b'"a,b",c', b"a,b", 5),
        (b'"a""b",c', b'a"b', 6),
        (b'"a"b",c', b'a"b', 5),
        (b'"a"', b"a", 3),
        (b'"open,', b"", -1),
    ],
)
def test_quotation_marks_enclose_data(data: bytes, content: bytes, stop: int) -> None:
    assert read_block(scope(","), QUOTES, data, 0, len(data), b"") == (stop, content)


def test_a_delimiter_that_begins_with_an_escape_character_is_refused() -> None:
    with pytest.raises(ValueError, match="escape character"):
        scope("\\n").escaped_regex(CHARACTER)


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet='ab,|"\\/ ', max_size=20))
def test_what_is_escaped_reads_back(text: str) -> None:
    data = text.encode()
    markup = scope(",", "||")
    quoted = escape_text(data, markup, QUOTES)
    if quoted.startswith(b'"') and not data.startswith(b'"') or '"' in text:
        assert read_block(markup, QUOTES, quoted + b",", 0, len(quoted) + 1, b"") == (len(quoted), data)
    escaped = escape_text(
        data, markup, make_escape(3, escape(escape_character="\\", escape_escape="\\"), ("\\", "\\"), UTF8)
    )
    doubled = make_escape(4, escape(escape_character="\\", escape_escape="\\"), ("\\", "\\"), UTF8)
    assert read_escaped(markup, doubled, escaped + b",", 0, len(escaped) + 1) == (len(escaped), data)


@pytest.mark.parametrize(
    ("name", "text"),
    [("utf-8", "a\u00e9\u20ac\U0001f600"), ("utf-16be", "a\u00e9\u20acz"), ("cp037", "abcd"), ("cp932", "a\u30bdbc")],
)
def test_characters_are_counted_in_any_character_set(name: str, text: str) -> None:
    charset = charset_of(name)
    data = text.encode(charset.codec)
    assert characters_span(data, 0, len(data), 4, charset) == len(data)
    assert characters_span(data, 0, len(data), 5, charset) == -1


@pytest.mark.parametrize("name", ["", "no-such-set", "999999", "utf-7", "rot13"])
def test_an_unknown_character_set_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match="character set"):
        charset_of(name)


@pytest.mark.parametrize(
    ("name", "codec"), [("37", "cp037"), ("ebcdic-cp-us", "cp037"), ("IBM1047", "cp1047"), ("UTF-16", "utf-16-be")]
)
def test_character_sets_have_ccsids_and_names(name: str, codec: str) -> None:
    assert charset_of(name).codec == codec
