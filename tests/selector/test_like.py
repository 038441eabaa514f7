"""LIKE: the answer is that of the rule written down naively, and its cost is linear in the text."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flintmq.selector.like import CHARACTERS, WINDOW, WINDOW_FIRST, Pattern, ends_in_escape


def naively(pattern: str, escape: str, text: str) -> bool:
    """The rule itself: one character of the pattern after the other, with all places at which the text may stand."""
    places = {0}
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == escape:
            at += 1
            places = {place + 1 for place in places if text[place : place + 1] == pattern[at]}
        elif character == "%":
            places = set(range(min(places), len(text) + 1)) if places else set()
        elif character == "_":
            places = {place + 1 for place in places if place < len(text)}
        else:
            places = {place + 1 for place in places if text[place : place + 1] == character}
        at += 1
    return len(text) in places


@settings(max_examples=300, deadline=None)
@given(st.text("ab_%!", max_size=14), st.sampled_from(["", "!", "%", "_", "a"]), st.text("ab_%!", max_size=30))
@example("%a_a%", "", "aba")
@example("%!%_!_%", "!", "a%b_")
def test_a_pattern_matches_exactly_what_the_rule_says(pattern: str, escape: str, text: str) -> None:
    """Also with an escape character that is itself one of the signs. (issue 14, item 3a)"""
    if not ends_in_escape(pattern, escape):
        assert Pattern(pattern, escape).matches(text) == naively(pattern, escape, text)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 160), st.integers(1, 300), st.integers(0, 3), st.booleans())
def test_many_different_characters_match_likewise(different: int, length: int, holes: int, there: bool) -> None:
    """A piece of more than CHARACTERS different characters is found in another way."""
    alphabet = [chr(0x100 + i) for i in range(different)]
    text = "".join(alphabet[i % different] for i in range(3 * length + 5))
    piece = list(text[length : 2 * length])
    for at in range(0, len(piece), holes + 2):
        piece[at] = "_"
    pattern = "%" + "".join(piece) + ("" if there else "?") + "%"
    assert Pattern(pattern, "").matches(text) == there == naively(pattern, "", text)


@pytest.mark.parametrize("at", [0, 1, WINDOW_FIRST, WINDOW - 1, WINDOW, WINDOW + 7, 2 * WINDOW + WINDOW_FIRST])
def test_a_piece_is_found_on_both_sides_of_the_edge_of_a_window(at: int) -> None:
    text = "x" * at + "a1b" + "x" * 100
    assert Pattern("%a_b%", "").matches(text)
    assert not Pattern("%a_b%a%", "").matches(text)


HOSTILE = {
    "every other character": ("%" + "a_" * 2500 + "b%", "a" * 200_000),
    "no pattern in the holes": (
        "%" + "".join("a" if i * i % 7 < 3 else "_" for i in range(5000)) + "b%",
        "a" * 200_000,
    ),
    "holes, then a character that is there": ("%" + "_" * 3000 + "ab_%", "ab" * 100_000 + "b"),
    "many pieces": ("%a_" * 3000 + "%b_%", "a" * 200_000 + "b"),
    "many different characters": (
        "%" + "".join(chr(0x100 + i % 300) + "_" for i in range(0, 600, 2)) + "zz%",
        "".join(chr(0x100 + i % 300) for i in range(200_000)),
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_cost_of_a_match_is_linear_in_the_text(name: str) -> None:
    """LIKE with many holes over a property of 200 KB took 7 s of CPU in one turn. (issue 14, item 3a)

    Counted in operations on whole sets of places: a window of WINDOW places costs less than one for each character of
    the pattern, however many of the places nearly match. A piece of many characters costs one for each of the text.
    """
    pattern, text = HOSTILE[name]
    made = Pattern(pattern, "")
    made.matches(text)
    windows = len(text) / WINDOW + 6  # The first ones are small.
    different = len(set(pattern))
    assert made.steps() <= (len(text) if different > CHARACTERS else windows * len(pattern))
    before = made.steps()
    made.matches(text + text)
    assert made.steps() - before <= 2 * before + 6 * len(pattern)
