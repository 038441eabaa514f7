"""Regular expressions of schemas: dialects, and patterns that are refused."""

from __future__ import annotations

import pytest

from flintmq.broker.formats.model.patterns import WINDOWS, data_regex, schema_regex, window


@pytest.mark.parametrize("pattern", [r"(a+)+b", r"(\w+\s?)*", r"(a|b+)*", r"(a*)*", r"((x+y?)+z)*", r"(a)\1"])
def test_a_pattern_that_could_run_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="for ever|back reference"):
        data_regex(pattern)


@pytest.mark.parametrize("pattern", [r"([^,]+,)*", r'(?:[^"]|"")*', r"((a|b)*c)*", r"[A-Z]{3}\d+", r".*?(?=END)"])
def test_a_pattern_whose_rounds_are_separated_is_fine(pattern: str) -> None:
    assert data_regex(pattern).pattern == pattern


def test_the_more_repetitions_the_less_text_a_match_may_look_at() -> None:
    assert [window(data_regex(pattern)) for pattern in ("abc", "a+", "a+b+", "a*b*c*d*")] == list(WINDOWS)


@pytest.mark.parametrize("pattern", ["(", "[a", "a{1, 2}", "a{B}", "*a"])
def test_a_malformed_pattern_is_an_error(pattern: str) -> None:
    with pytest.raises(ValueError, match="malformed"):
        data_regex(pattern)


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        (r"\p{L}+", "abc", True),
        (r"\p{Lu}\p{Ll}*", "Abc", True),
        (r"[0-9]{3}$", "123$", True),
        (r"^a", "a", False),
        (r"\i\c*", "a-1", True),
        (r"[\i-]+", "a-b", True),
        (r"\P{L}", "1", True),
    ],
)
def test_patterns_of_xml_schema_are_translated(pattern: str, text: str, matches: bool) -> None:
    assert (schema_regex(pattern).fullmatch(text) is not None) is matches


@pytest.mark.parametrize("pattern", [r"[a-z-[aeiou]]", r"\p{Sc}", r"[\I]"])
def test_what_has_no_equivalent_is_an_error(pattern: str) -> None:
    with pytest.raises(ValueError):
        schema_regex(pattern)
