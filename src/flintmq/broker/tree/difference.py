"""Compare two trees, and say where they differ.

    message/JSON/Data/feed[2]/price: DECIMAL 1.20, expected 1.10
    message/MQMD/CorrelId: missing, expected X'00'
    message/XMLNSC/Order/Extra: not expected: CHARACTER 'x'

Names, namespaces, types, values and order are compared. Children are paired by name, so one that is missing does not
make all that follow differ. Nothing recurses; at most `DIFFERENCES_MAX` lines are returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from typing import Final

from flintmq.broker.tree.element import Element
from flintmq.broker.values import Bit, Date, Interval, Time, Timestamp, esql_type, literal_text

DIFFERENCES_MAX: Final = 1000
#: Children beyond this number are paired by position: pairing by name takes time that grows with their square.
PAIRED_MAX: Final = 2000
_SHOWN_MAX: Final = 80


def compare_trees(expected: Element, found: Element | None, path: str, ignore: Sequence[str] = ()) -> list[str]:
    """Return one line per difference of two trees with roots called `path`; [] if they are equal."""
    patterns = [pattern.strip("/") for pattern in ignore]
    lines: list[str] = []
    if _ignored(path, patterns):
        return lines
    if found is None:
        return [f"{path}: missing"] if expected.first_child() is not None else []
    # Path with indexes for people, path without for patterns.
    work: list[tuple[Element, Element, str, str]] = [(expected, found, path, path)]
    while work and len(lines) < DIFFERENCES_MAX:
        left, right, shown, plain = work.pop()
        _compare_one(lines, left, right, shown, left is expected)
        below: list[tuple[Element, Element, str, str]] = []
        for one, other, name in _pairs(left, right):
            element = one or other
            assert element is not None
            below_plain = f"{plain}/{element.name}"
            below_shown = f"{shown}/{name}"
            if _ignored(below_plain, patterns):
                continue
            if other is None:
                assert one is not None
                lines.append(f"{below_shown}: missing, expected {_told(one)}")
            elif one is None:
                lines.append(f"{below_shown}: not expected: {_told(other)}")
            else:
                below.append((one, other, below_shown, below_plain))
        work.extend(reversed(below))
    return lines[:DIFFERENCES_MAX]


def _compare_one(lines: list[str], left: Element, right: Element, path: str, is_root: bool) -> None:
    """Append the differences between two elements themselves."""
    if not is_root:
        if left.namespace != right.namespace:
            lines.append(f"{path}: namespace {right.namespace!r}, expected {left.namespace!r}")
        if left.type != right.type:
            lines.append(f"{path}: type 0x{right.type:08x}, expected 0x{left.type:08x}")
    if not same_value(left.value, right.value):
        lines.append(f"{path}: {_shown(right.value)}, expected {_shown(left.value)}")


def same_value(left: object, right: object) -> bool:
    """Return whether two values have the same ESQL type and are equal; DECIMALs also by their scale."""
    if esql_type(left) != esql_type(right):
        return False
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return left.compare_total(right) == 0
    if isinstance(left, float) and isinstance(right, float):
        return left == right or (left != left and right != right)
    return left == right


def _pairs(left: Element, right: Element) -> list[tuple[Element | None, Element | None, str]]:
    """Return the children of two elements side by side, with a name that has an index where it repeats."""
    lefts, rights = left.children(), right.children()
    paired: list[tuple[Element | None, Element | None]] = []
    names, other_names = [child.name for child in lefts], [child.name for child in rights]
    if names == other_names or max(len(names), len(other_names)) > PAIRED_MAX:
        for number in range(max(len(lefts), len(rights))):
            paired.append(
                (
                    lefts[number] if number < len(lefts) else None,
                    rights[number] if number < len(rights) else None,
                )
            )
    else:
        matcher = SequenceMatcher(None, names, other_names, autojunk=False)
        for tag, start, end, other_start, other_end in matcher.get_opcodes():
            if tag == "equal":
                paired += zip(lefts[start:end], rights[other_start:other_end], strict=True)
            else:
                paired += [(child, None) for child in lefts[start:end]]
                paired += [(None, child) for child in rights[other_start:other_end]]
    return [(one, other, _name(one, other, names, other_names)) for one, other in _numbered(paired)]


def _numbered(
    paired: list[tuple[Element | None, Element | None]],
) -> list[tuple[Element | None, Element | None]]:
    """Split pairs with different names, which happens only where children are paired by position."""
    made: list[tuple[Element | None, Element | None]] = []
    for one, other in paired:
        if one is not None and other is not None and one.name != other.name:
            made += [(one, None), (None, other)]
        else:
            made.append((one, other))
    return made


def _name(one: Element | None, other: Element | None, names: list[str], other_names: list[str]) -> str:
    """Return the name of a child, with its index from 1 if siblings have the same name."""
    element = one or other
    assert element is not None
    siblings = names if one is not None else other_names
    if siblings.count(element.name) < 2:
        return element.name
    index = 1
    previous = element.previous
    while previous is not None:
        index += previous.name == element.name
        previous = previous.previous
    return f"{element.name}[{index}]"


def _ignored(path: str, patterns: list[str]) -> bool:
    """Return whether a pattern fits a path."""
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def _told(element: Element) -> str:
    """Describe an element in short."""
    if element.first_child() is not None:
        return "a folder"
    return _shown(element.value)


def _shown(value: object) -> str:
    """Return type and value, cut to one line."""
    if value is None:
        return "NULL"
    if isinstance(value, (str, bytes, bool, int, float, Decimal, Bit, Date, Time, Timestamp, Interval)):
        text = literal_text(value)
    else:
        text = repr(value)
    if len(text) > _SHOWN_MAX:
        text = text[: _SHOWN_MAX - 3] + "..."
    return text if isinstance(value, (Date, Time, Timestamp, Interval)) else f"{esql_type(value)} {text}"
