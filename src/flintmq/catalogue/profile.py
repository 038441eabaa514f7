"""Profiles: which objects a record is for. A name, or a name with wildcards; names are cut into qualifiers at the dots.

    ?     one character of a qualifier                AB.?D    AB.CD, AB.ED
    *     any characters of a qualifier, none too     AB.C*    AB.C, AB.CD; not AB.C.D
          a whole qualifier: one, whatever it is      AB.*.D   AB.C.D; not AB.D
    **    any number of qualifiers, none too; once    AB.**    AB, AB.C, AB.C.D

Where several profiles are for an object, the most specific one counts alone: read from the left, at the first place
where they differ a character is more specific than `?`, that than `*`, and that than `**`.
"""

from __future__ import annotations

from flintmq.mqi.object_name import is_name

LENGTH_MAX = 48
#: The profile that lets its holder create objects of a type.
CLASS = "@class"


def is_profile(text: str) -> bool:
    """Whether `text` is a name or a name with wildcards."""
    if text == CLASS:
        return True
    qualifiers = text.split(".")
    for qualifier in qualifiers:
        if "**" in qualifier and qualifier != "**":
            return False
    return qualifiers.count("**") <= 1 and is_name(text.replace("*", "A").replace("?", "A"), LENGTH_MAX)


def is_generic(profile: str) -> bool:
    """Whether it may be for more than one object."""
    return "*" in profile or "?" in profile


def matches(profile: str, name: str) -> bool:
    """Whether the profile is for the object of this name."""
    if not is_generic(profile):
        return profile == name
    wanted = profile.split(".")
    given = name.split(".")
    if "**" not in wanted:
        return len(wanted) == len(given) and _all_match(wanted, given)
    at = wanted.index("**")
    before, after = wanted[:at], wanted[at + 1 :]
    if len(given) < len(before) + len(after):
        return False
    tail = given[len(given) - len(after) :]
    return _all_match(before, given[: len(before)]) and _all_match(after, tail)


def _all_match(wanted: list[str], given: list[str]) -> bool:
    for index in range(len(wanted)):
        if wanted[index] == "*":
            if not given[index]:
                return False
        elif not _matches(wanted[index], given[index]):
            return False
    return True


def _matches(pattern: str, text: str) -> bool:
    """One qualifier, or any text: `?` and `*`. Goes back to the last `*` only, so it is never slow."""
    at = back = 0
    star = -1
    place = 0
    while at < len(text):
        if place < len(pattern) and pattern[place] == "*":
            star, back = place, at
            place += 1
        elif place < len(pattern) and (pattern[place] == "?" or pattern[place] == text[at]):
            place += 1
            at += 1
        elif star >= 0:
            place = star + 1
            back += 1
            at = back
        else:
            return False
    while place < len(pattern) and pattern[place] == "*":
        place += 1
    return place == len(pattern)


def like(pattern: str, text: str) -> bool:
    """Whether `text` is meant by a pattern in which `*` stands for any characters, dots too: those of SET CHLAUTH."""
    return _matches(pattern.replace("?", "\0"), text.replace("?", "\0"))


def order(profile: str) -> list[int]:
    """What profiles are sorted by: of those that are for an object, the first is the most specific."""
    ranks: list[int] = []
    at = 0
    while at < len(profile):
        if profile.startswith("**", at):
            ranks.append(3)
            at += 1
        elif profile[at] == "*":
            ranks.append(2)
        elif profile[at] == "?":
            ranks.append(1)
        else:
            ranks.append(0)
        at += 1
    return ranks
