"""Regular expressions of schemas: data patterns, test patterns, pattern facets.

A pattern comes from a file and meets data that comes from a stranger. Python's `re` backtracks: `(a+)+b` takes time
that doubles with each `a`. So a pattern is looked at before it is used:

    repetition inside repetition    refused, unless something mandatory that the inner one cannot match separates its
                                    rounds: `([^,]+,)*` is fine, `(\\w+\\s?)*` is not
    repetitions beside each other   time grows with a power of the length: the more there are, the less text a match may
                                    look at (`window`)

`data_regex` takes the dialect of DFDL and MRM (Java's), `schema_regex` that of XML Schema. Both raise ValueError for
parts without an equivalent, and for patterns that could run for ever.
"""

from __future__ import annotations

import re
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

#: Characters that one match may look at, by the number of repetitions without bound: none or one, two, more.
WINDOWS = (1 << 20, 1 << 20, 1 << 14, 1 << 10)
_ALL = frozenset(range(257))
_PROPERTIES = (
    (r"\p{L}", r"[^\W\d_]"),
    (r"\p{N}", r"\d"),
    (r"\p{Nd}", r"\d"),
    (r"\p{Lu}", r"[A-Z]"),
    (r"\p{Ll}", r"[a-z]"),
    (r"\p{Alpha}", r"[A-Za-z]"),
    (r"\p{Alnum}", r"[A-Za-z0-9]"),
    (r"\p{Digit}", r"[0-9]"),
    (r"\p{Space}", r"\s"),
    (r"\p{Upper}", r"[A-Z]"),
    (r"\p{Lower}", r"[a-z]"),
    (r"\h", r"[ \t\xa0]"),
    (r"\R", r"(?:\r\n|[\n\r\x0b\x0c\x85\u2028\u2029])"),
)


def compiled(source: str, pattern: str, flags: int) -> re.Pattern[str]:
    """Return a regular expression that cannot run for ever on a window of text. Raises ValueError."""
    try:
        tree = parser.parse(source, flags)
        _check(tree, pattern, 0)
        return re.compile(source, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"the pattern '{pattern}' is malformed: {error}") from None


def window(regex: re.Pattern[str]) -> int:
    """Return how many characters a match may look at."""
    return WINDOWS[min(_repetitions(parser.parse(regex.pattern, regex.flags & ~re.UNICODE)), len(WINDOWS) - 1)]


def _inner(operation: Any, argument: Any) -> list[Any]:
    """Return the patterns inside an operation of a parsed pattern."""
    if operation in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return [argument[2]]
    if operation is codes.SUBPATTERN:
        return [argument[3]]
    if operation is codes.BRANCH:
        return list(argument[1])
    if operation in (codes.ASSERT, codes.ASSERT_NOT):
        return [argument[1]]
    if operation is codes.ATOMIC_GROUP:
        return [argument]
    if operation is codes.GROUPREF_EXISTS:
        return [part for part in argument[1:] if part is not None]
    return []


def _repetitions(tree: Any) -> int:
    """Return how many repetitions without bound a pattern has."""
    count = 0
    for operation, argument in tree:
        if operation in (codes.MAX_REPEAT, codes.MIN_REPEAT) and argument[1] is codes.MAXREPEAT:
            count += 1
        for inner in _inner(operation, argument):
            count += _repetitions(inner)
    return count


def _check(tree: Any, pattern: str, depth: int) -> None:
    """Refuse repetitions inside repetitions without a separator between rounds, and back references."""
    if depth > 50:
        raise ValueError(f"the pattern '{pattern}' is nested too deep")
    for operation, argument in tree:
        if operation in (codes.GROUPREF, codes.GROUPREF_EXISTS):
            raise ValueError(f"the pattern '{pattern}' has a back reference")
        if operation in (codes.MAX_REPEAT, codes.MIN_REPEAT) and argument[1] is codes.MAXREPEAT:
            if not _is_separated(argument[2]):
                raise ValueError(f"the pattern '{pattern}' could take for ever: a repetition inside a repetition")
        for inner in _inner(operation, argument):
            _check(inner, pattern, depth + 1)


def _is_separated(body: Any) -> bool:
    """Return whether each round of a repetition has a mandatory character that no repetition in it can match."""
    branches = _branches(body)
    for branch in branches:
        repeated = _repeated(branch)
        if not repeated:
            continue
        if all(characters & repeated for characters in _mandatory(branch)):
            return False
        # Another alternative that has the same characters could match what a round of this one does.
        if any(_characters(other) & repeated for other in branches if other is not branch):
            return False
    return True


def _branches(body: Any) -> list[Any]:
    """Return the alternatives of the body of a repetition, groups opened."""
    items = list(body)
    while len(items) == 1 and items[0][0] is codes.SUBPATTERN:
        items = list(items[0][1][3])
    if len(items) == 1 and items[0][0] is codes.BRANCH:
        return [list(branch) for branch in items[0][1][1]]
    return [items]


def _repeated(tree: Any) -> frozenset[int]:
    """Return the characters that repetitions of varying length in a pattern can match."""
    found: frozenset[int] = frozenset()
    for operation, argument in tree:
        if operation in (codes.MAX_REPEAT, codes.MIN_REPEAT) and argument[1] is codes.MAXREPEAT:
            found |= _characters(argument[2])
        else:
            for inner in _inner(operation, argument):
                found |= _repeated(inner)
    return found


def _mandatory(tree: Any) -> list[frozenset[int]]:
    """Return the sets of characters that every match of a pattern has one of."""
    found: list[frozenset[int]] = []
    for operation, argument in tree:
        if operation in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY):
            found.append(_characters([(operation, argument)]))
        elif operation is codes.SUBPATTERN:
            found.extend(_mandatory(argument[3]))
        elif operation in (codes.MAX_REPEAT, codes.MIN_REPEAT) and argument[0] >= 1 and argument[0] == argument[1]:
            found.extend(_mandatory(argument[2]))
    return found


def _characters(tree: Any) -> frozenset[int]:
    """Return the characters (below 256, and 256 for all others) that occur in matches of a pattern."""
    found: frozenset[int] = frozenset()
    for operation, argument in tree:
        if operation is codes.LITERAL:
            found |= {min(argument, 256)}
        elif operation is codes.NOT_LITERAL:
            found |= _ALL - ({argument} if argument < 256 else set())
        elif operation is codes.ANY:
            found |= _ALL
        elif operation is codes.IN:
            found |= _class(argument)
        else:
            for inner in _inner(operation, argument):
                found |= _characters(inner)
    return found


def _class(items: Any) -> frozenset[int]:
    """Return the characters of a character class."""
    found: set[int] = set()
    negated = False
    for operation, argument in items:
        if operation is codes.NEGATE:
            negated = True
        elif operation is codes.LITERAL:
            found.add(min(argument, 256))
        elif operation is codes.RANGE:
            found.update(range(argument[0], min(argument[1], 255) + 1))
            if argument[1] > 255:
                found.add(256)
        elif operation is codes.CATEGORY:
            name = str(argument).rpartition("CATEGORY_")[2]
            escape = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[name.replace("NOT_", "")]
            members = {code for code in range(256) if re.match(escape, chr(code))}
            found |= set(range(256)) - members if name.startswith("NOT_") else members
            found.add(256)
    if negated:
        return _ALL - (frozenset(found) - {256})
    return frozenset(found)


def data_regex(pattern: str) -> re.Pattern[str]:
    """Return a data pattern (length pattern, test pattern) as Python's regular expression. Raises ValueError."""
    source = pattern
    for old, new in _PROPERTIES:
        source = source.replace(old, new)
    source = re.sub(r"\\x\{([0-9A-Fa-f]{1,6})\}", lambda found: re.escape(chr(int(found.group(1), 16))), source)
    flags = re.DOTALL if "(?s)" in source else 0
    source = source.replace("(?s)", "")
    bare = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", source)
    if re.search(r"\{(?!\d+(,\d*)?\})", bare):
        raise ValueError(f"the pattern '{pattern}' is malformed: a brace that is no number of repetitions")
    return compiled(source, pattern, flags)


def schema_regex(pattern: str) -> re.Pattern[str]:
    """Return a regular expression of XML Schema as Python's. Raises ValueError."""
    result: list[str] = []
    at = 0
    inside = False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\" and at + 1 < len(pattern):
            following = pattern[at + 1]
            if following in "iIcC":
                result.append(_name_class(following, inside, pattern))
            elif following in "pP":
                end = pattern.find("}", at)
                if end < 0 or pattern[at + 2 : at + 3] != "{":
                    raise ValueError(f"\\{following} without a category in the pattern '{pattern}'")
                result.append(_category(pattern[at + 3 : end], following == "P", inside, pattern))
                at = end + 1
                continue
            else:
                result.append("\\" + following)
            at += 2
            continue
        if character == "[":
            if inside:
                raise ValueError(f"a class subtracted from a class in the pattern '{pattern}'")
            inside = True
        elif character == "]":
            inside = False
        result.append("\\" + character if character in "^$" and not inside else character)
        at += 1
    return compiled("".join(result), pattern, re.DOTALL)


def _name_class(letter: str, inside: bool, pattern: str) -> str:
    """Return the class of characters of XML names."""
    name = r"A-Za-z_:\u00c0-\U0010ffff" + ("" if letter in "iI" else r"0-9.\-\u00b7")
    negated = letter in "IC"
    if inside and negated:
        raise ValueError(f"\\{letter} in a character class of the pattern '{pattern}'")
    return name if inside else f"[{'^' if negated else ''}{name}]"


def _category(name: str, negated: bool, inside: bool, pattern: str) -> str:
    """Return a class for a Unicode category; only the common ones have an equivalent."""
    known = {
        "L": r"^\W\d_",
        "Nd": r"\d",
        "N": r"\d",
        "Lu": "A-Z\u00c0-\u00d6\u00d8-\u00de",
        "Ll": "a-z\u00df-\u00f6\u00f8-\u00ff",
        "P": r"!-#%-*,-/:;?@\[-\]_{}\u00a1\u00a7\u00ab\u00b6\u00b7\u00bb\u00bf",
    }.get(name)
    if known is None or inside and (known.startswith("^") or negated):
        raise ValueError(f"the category {name} in the pattern '{pattern}'")
    if inside:
        return known
    if known.startswith("^"):
        return r"[\W\d_]" if negated else f"[{known}]"
    return f"[{'^' if negated else ''}{known}]"
