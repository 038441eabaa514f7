"""Caps on the expiry of messages that arrive.

CAPEXPRY, in tenths of a second, is a limit on the expiry of messages that arrive: MQEI_UNLIMITED becomes the cap, a
longer expiry too, a shorter one stays. It is an attribute of its own, and on older levels a word in CUSTOM:

    CAPEXPRY(12000)    CUSTOM('CAPEXPRY(12000)')    both: the lower one counts
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute import CUSTOM, Value

#: No cap.
NO_CAP: Final = 0
CAP_MAX: Final = 999_999_999
_UNLIMITED: Final = -1


# -- CAPEXPRY --------------------------------------------------------------------------------------------------------


def capped(expiry: int, cap: int) -> int:
    """`expiry` as a message gets it under `cap`; both in tenths of a second, no cap is 0."""
    if cap == NO_CAP or (0 <= expiry <= cap):
        return expiry
    return cap


def lowest_cap(one: int, other: int) -> int:
    """The cap where two definitions have one: the lower, and 0 if neither has any."""
    if one == NO_CAP or other == NO_CAP:
        return one + other
    return min(one, other)


def cap_of(attributes: dict[str, Value]) -> int:
    """The cap that a definition has, by CAPEXPRY or in CUSTOM; 0 none."""
    cap = attributes.get("CAPEXPRY")
    own = cap if isinstance(cap, int) else NO_CAP
    custom = attributes.get(CUSTOM)
    return lowest_cap(own, custom_cap(custom)) if isinstance(custom, str) and custom else own


def custom_cap(text: str) -> int:
    """The cap in a CUSTOM text, 0 if it has none. One that `custom_is_good` refuses has none."""
    value = _custom_value(text)
    return int(value) if value.isascii() and value.isdigit() and 0 < int(value) <= CAP_MAX else NO_CAP


def custom_is_good(text: str) -> bool:
    """False if a CUSTOM text has CAPEXPRY with anything but tenths of a second or NOLIMIT."""
    if "CAPEXPRY" not in text.upper():
        return True
    return _custom_value(text).upper() == "NOLIMIT" or custom_cap(text) != NO_CAP


def _custom_value(text: str) -> str:
    """What stands in the parentheses behind CAPEXPRY."""
    _, found, rest = text.upper().partition("CAPEXPRY")
    rest = rest.lstrip(" ")
    value, closed, _ = rest[1:].partition(")")
    return value.strip(" ") if found and rest[:1] == "(" and closed else ""
