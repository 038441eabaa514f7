"""Which objects a profile is for, and which of several counts."""

from __future__ import annotations

import time

import pytest

from flintmq.catalogue.profile import is_profile, like, matches, order


@pytest.mark.parametrize(
    ("profile", "meant", "others"),
    [
        ("AB.?D", ["AB.CD", "AB.ED"], ["AB.D", "AB.CCD", "AB..D"]),
        ("AB.*.JKL", ["AB.CDE.JKL"], ["AB.JKL", "AB.C.D.JKL"]),
        ("AB.CD*.JKL", ["AB.CD.JKL", "AB.CDEF.JKL"], ["AB.C.JKL", "AB.CD.E.JKL"]),
        ("AB.C*", ["AB.C", "AB.CD"], ["AB.C.D", "AB.D"]),
        ("AB.**", ["AB", "AB.C", "AB.C.D.E"], ["ABC", "A"]),
        ("**.AB", ["AB", "X.AB", "X.Y.AB"], ["AB.X", "XAB"]),
        ("A.**.B", ["A.B", "A.X.B", "A.X.Y.B"], ["A", "B", "A.X"]),
        ("**", ["A", "A.B.C"], []),
        ("*", ["A"], ["A.B"]),
        ("A*C?E", ["ACXE", "ABBCXE"], ["ACE", "ABCDX"]),
        ("PLAIN", ["PLAIN"], ["PLAIN.X", "plain"]),
    ],
)
def test_wildcards_mean_characters_qualifiers_and_any_number_of_them(
    profile: str, meant: list[str], others: list[str]
) -> None:
    assert is_profile(profile)
    assert [name for name in meant if not matches(profile, name)] == []
    assert [name for name in others if matches(profile, name)] == []


@pytest.mark.parametrize("text", ["", "A B", "A**", "**.A.**", "A.***", "A" * 49, "A,B", "Ä", "@other"])
def test_what_is_no_profile_is_told_apart(text: str) -> None:
    assert not is_profile(text)


def test_the_most_specific_profile_comes_first() -> None:
    """Read from the left: a character, ?, *, **."""
    profiles = ["**", "AB.**", "AB.*", "AB.C*", "AB.C?", "AB.CD", "A*.CD", "?B.CD"]
    assert sorted(profiles, key=order) == ["AB.CD", "AB.C?", "AB.C*", "AB.*", "AB.**", "A*.CD", "?B.CD", "**"]


def test_a_pattern_of_many_stars_is_not_slow() -> None:
    began = time.process_time()
    assert not matches("*A" * 20 + "*B", "A" * 48)
    assert time.process_time() - began < 0.5


def test_stars_of_channel_profiles_mean_any_characters() -> None:
    assert like("SYSTEM.*", "SYSTEM.DEF.SVRCONN") and like("*", "") and like("*.SVRCONN", "A.B.SVRCONN")
    assert not like("SYSTEM.*", "OTHER") and not like("A?", "AB")
