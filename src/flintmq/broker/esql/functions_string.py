"""String functions of ESQL, on CHARACTER, BLOB and BIT.

A singleton is one unit of a string: a character, a byte or a bit. Positions count singletons from 1. Characters are
counted in UTF-16 units, so a character beyond the Basic Multilingual Plane counts twice (switch string_length); a cut
between its two halves leaves a lone surrogate, as the product does. NULL in any argument gives NULL.

    LEFT RIGHT SUBSTRING OVERLAY        cut and paste; parts outside the string are left away
    POSITION                            0 if not found; REPEAT -n searches backwards, FROM -n counts from the end
    TRIM LTRIM RTRIM                    blanks of CHARACTER, zero bytes of BLOB, zero bits of BIT, or a given singleton
    REPLACE TRANSLATE                   without replacement the found part is removed
    REPLICATE SPACE                     at most `COUNT_MAX` times and `LENGTH_MAX` singletons, to protect the broker
    CONTAINS STARTSWITH ENDSWITH        BOOLEAN
    LOWER UPPER                         CHARACTER only

All strings of one call have the same type; another type is 2421.
"""

from __future__ import annotations

from array import array
from typing import Final

from flintmq.broker.esql.failures import argument_type_error, argument_value_error
from flintmq.broker.esql.switches import DEFAULTS, Switches
from flintmq.broker.values import Bit, Value, esql_type, parse_bit

#: The largest count of REPLICATE and SPACE.
COUNT_MAX: Final = 32 * 1024 * 1024
#: The longest result of REPLICATE.
LENGTH_MAX: Final = 256 * 1024 * 1024

_STRINGS: Final = "CHARACTER, BLOB or BIT"


class _Missing:
    """Stands for an argument that was not written, where NULL would mean something else."""


_MISSING: Final = _Missing()


def length(value: object, switches: Switches = DEFAULTS) -> int | None:
    """Return LENGTH(value)."""
    if isinstance(value, str):
        if value.isascii() or switches.string_length != "utf16":
            return len(value)
        return len(value.encode("utf-16-le", "surrogatepass")) // 2
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, Bit):
        return value.length
    if value is None:
        return None
    raise argument_type_error("LENGTH", 1, value, _STRINGS)


def left(value: object, count: object, switches: Switches = DEFAULTS) -> Value:
    """Return LEFT(value, count)."""
    if value is None or count is None:
        return None
    size = _integer("LEFT", 2, count)
    return _cut("LEFT", value, 0, max(size, 0), switches)


def right(value: object, count: object, switches: Switches = DEFAULTS) -> Value:
    """Return RIGHT(value, count)."""
    if value is None or count is None:
        return None
    size = _integer("RIGHT", 2, count)
    total = length(value, switches)
    if total is None or size <= 0:
        return _cut("RIGHT", value, 0, 0, switches)
    return _cut("RIGHT", value, max(total - size, 0), total, switches)


def substring(value: object, start: object, count: object = _MISSING, switches: Switches = DEFAULTS) -> Value:
    """Return SUBSTRING(value FROM start [FOR count]). A start below 1 shortens the result."""
    if value is None or start is None or count is None:
        return None
    first = _integer("SUBSTRING", 2, start)
    if isinstance(count, _Missing):
        return _cut("SUBSTRING", value, max(first - 1, 0), -1, switches)
    end = first + max(_integer("SUBSTRING", 3, count), 0)
    return _cut("SUBSTRING", value, max(first - 1, 0), max(end - 1, 0), switches)


def substring_before(value: object, search: object, count: object = _MISSING, switches: Switches = DEFAULTS) -> Value:
    """Return SUBSTRING(value BEFORE search [FOR count]): the last `count` singletons before it; '' if not found."""
    if value is None or search is None or count is None:
        return None
    at = _find("SUBSTRING", value, search)
    part = _cut("SUBSTRING", value, 0, max(at, 0), _CHARACTERS)
    return part if isinstance(count, _Missing) else right(part, count, switches)


def substring_after(value: object, search: object, count: object = _MISSING, switches: Switches = DEFAULTS) -> Value:
    """Return SUBSTRING(value AFTER search [FOR count]): the first `count` singletons behind it; '' if not found."""
    if value is None or search is None or count is None:
        return None
    at = _find("SUBSTRING", value, search)
    size = length(search, _CHARACTERS)
    begin = at + (size or 0)
    part = _cut("SUBSTRING", value, begin if at >= 0 else 0, -1 if at >= 0 else 0, _CHARACTERS)
    return part if isinstance(count, _Missing) else left(part, count, switches)


def overlay(
    value: object, replacement: object, start: object, count: object = _MISSING, switches: Switches = DEFAULTS
) -> Value:
    """Return OVERLAY(value PLACING replacement FROM start [FOR count]). Count defaults to the replacement's length."""
    if value is None or replacement is None or start is None or count is None:
        return None
    _same_type("OVERLAY", value, replacement)
    first = max(_integer("OVERLAY", 3, start), 1)
    if isinstance(count, _Missing):
        size = length(replacement, switches)
        assert size is not None
    else:
        size = max(_integer("OVERLAY", 4, count), 0)
    head = _cut("OVERLAY", value, 0, first - 1, switches)
    tail = _cut("OVERLAY", value, first - 1 + size, -1, switches)
    if isinstance(head, str) and isinstance(replacement, str) and isinstance(tail, str):
        joined = head + replacement + tail
        # A pair of surrogates that was cut apart may have come together again.
        return joined if joined.isascii() else _recombined(joined)
    if isinstance(head, bytes) and isinstance(replacement, bytes) and isinstance(tail, bytes):
        return head + replacement + tail
    assert isinstance(head, Bit) and isinstance(replacement, Bit) and isinstance(tail, Bit)
    return parse_bit(head.bits() + replacement.bits() + tail.bits())


def position(
    search: object, value: object, start: object = 1, repeat: object = 1, switches: Switches = DEFAULTS
) -> int | None:
    """Return POSITION(search IN value FROM start REPEAT repeat); 0 if there is no such occurrence.

    A negative start counts from the end. A negative repeat searches backwards for an occurrence that begins at start or
    before it; without start it begins at the end.
    """
    if isinstance(search, str) and isinstance(value, str) and start == 1 and repeat == 1 and value.isascii():
        return value.find(search) + 1
    if search is None or value is None or start is None or repeat is None:
        return None
    _same_type("POSITION", value, search)
    text, wanted = _singletons(value, switches), _singletons(search, switches)
    times = _integer("POSITION", 4, repeat)
    begin = _integer("POSITION", 3, start)
    if times < 0 and begin == 1:
        begin = len(text)
    elif begin < 0:
        begin += len(text) + 1
    return _nth(text, wanted, begin - 1, times)


def trim(value: object, mode: str = "BOTH", singleton: object = _MISSING) -> Value:
    """Return TRIM(mode singleton FROM value); `mode` is BOTH, LEADING or TRAILING.

    None as singleton stands for one that was not written, since compiled ESQL passes it so. The manual asks for one
    character, byte or bit; programs trim longer ones (a byte order mark), so those are taken off as a whole.
    """
    if isinstance(value, str) and (singleton is None or isinstance(singleton, _Missing)):
        return _stripped_text(value, " ", mode)
    if value is None:
        return None
    if singleton is None or isinstance(singleton, _Missing):
        singleton = b"\0" if isinstance(value, bytes) else Bit(0, 1) if isinstance(value, Bit) else " "
    _same_type("TRIM", value, singleton)
    size = length(singleton, _CHARACTERS)
    if size == 0:
        raise argument_value_error("TRIM", singleton, "what is trimmed is one character, byte or bit")
    if size != 1:
        return _without(value, singleton, mode)
    if isinstance(value, str) and isinstance(singleton, str):
        return _stripped_text(value, singleton, mode)
    if isinstance(value, Bit) and isinstance(singleton, Bit):
        return parse_bit(_stripped_text(value.bits(), singleton.bits(), mode))
    assert isinstance(value, bytes) and isinstance(singleton, bytes)
    if mode == "LEADING":
        return value.lstrip(singleton)
    return value.rstrip(singleton) if mode == "TRAILING" else value.strip(singleton)


def _without(value: object, part: object, mode: str) -> Value:
    """Return a value without all that is `part` as a whole at its ends."""
    if isinstance(value, Bit) and isinstance(part, Bit):
        found = _without(value.bits(), part.bits(), mode)
        assert isinstance(found, str)
        return parse_bit(found)
    assert isinstance(value, str | bytes) and isinstance(part, str | bytes)
    start, end, size = 0, len(value), len(part)
    while mode != "TRAILING" and value[start : start + size] == part:
        start += size
    while mode != "LEADING" and end - size >= start and value[end - size : end] == part:
        end -= size
    return value[start:end]


def ltrim(value: object) -> Value:
    """Return LTRIM(value)."""
    return trim(value, "LEADING")


def rtrim(value: object) -> Value:
    """Return RTRIM(value)."""
    return trim(value, "TRAILING")


def trim_both(value: object) -> Value:
    """Return TRIM(value)."""
    return trim(value, "BOTH")


def replace(value: object, search: object, replacement: object = _MISSING) -> Value:
    """Return REPLACE(value, search [, replacement]). An empty search leaves the value as it is."""
    if isinstance(value, str) and isinstance(search, str) and isinstance(replacement, str):
        return value.replace(search, replacement) if search else value
    if value is None or search is None or replacement is None:
        return None
    _same_type("REPLACE", value, search)
    if not isinstance(replacement, _Missing):
        _same_type("REPLACE", value, replacement)
    if isinstance(value, str) and isinstance(search, str):
        return value.replace(search, "") if search else value
    if isinstance(value, bytes) and isinstance(search, bytes):
        by = replacement if isinstance(replacement, bytes) else b""
        return value.replace(search, by) if search else value
    assert isinstance(value, Bit) and isinstance(search, Bit)
    bits = replacement.bits() if isinstance(replacement, Bit) else ""
    return parse_bit(value.bits().replace(search.bits(), bits)) if search.length else value


def translate(value: object, search: object, replacement: object = _MISSING) -> Value:
    """Return TRANSLATE(value, search [, replacement]).

    Each singleton of `search` becomes the one at the same place of `replacement`, or is removed where there is none.
    """
    if value is None or search is None or replacement is None:
        return None
    _same_type("TRANSLATE", value, search)
    if not isinstance(replacement, _Missing):
        _same_type("TRANSLATE", value, replacement)
    if isinstance(value, str) and isinstance(search, str):
        return _translated(value, search, replacement if isinstance(replacement, str) else "")
    if isinstance(value, bytes) and isinstance(search, bytes):
        by = replacement.decode("latin-1") if isinstance(replacement, bytes) else ""
        return _translated(value.decode("latin-1"), search.decode("latin-1"), by).encode("latin-1")
    assert isinstance(value, Bit) and isinstance(search, Bit)
    bits = replacement.bits() if isinstance(replacement, Bit) else ""
    return parse_bit(_translated(value.bits(), search.bits(), bits))


def replicate(value: object, count: object) -> Value:
    """Return REPLICATE(value, count)."""
    if value is None or count is None:
        return None
    times = _repetitions("REPLICATE", 2, count)
    size = length(value, _CHARACTERS)
    if size is None or size * times > LENGTH_MAX:
        raise argument_value_error("REPLICATE", count, f"the result has more than {LENGTH_MAX} singletons")
    if isinstance(value, str):
        return value * times
    if isinstance(value, bytes):
        return value * times
    assert isinstance(value, Bit)
    return parse_bit(value.bits() * times)


def space(count: object) -> str | None:
    """Return SPACE(count)."""
    return None if count is None else " " * _repetitions("SPACE", 1, count)


def contains(value: object, search: object) -> bool | None:
    """Return CONTAINS(value, search)."""
    if isinstance(value, str) and isinstance(search, str):
        return search in value
    if value is None or search is None:
        return None
    return _find("CONTAINS", value, search) >= 0


def startswith(value: object, search: object) -> bool | None:
    """Return STARTSWITH(value, search)."""
    if isinstance(value, str) and isinstance(search, str):
        return value.startswith(search)
    if value is None or search is None:
        return None
    _same_type("STARTSWITH", value, search)
    if isinstance(value, bytes) and isinstance(search, bytes):
        return value.startswith(search)
    assert isinstance(value, Bit) and isinstance(search, Bit)
    return value.bits().startswith(search.bits())


def endswith(value: object, search: object) -> bool | None:
    """Return ENDSWITH(value, search)."""
    if isinstance(value, str) and isinstance(search, str):
        return value.endswith(search)
    if value is None or search is None:
        return None
    _same_type("ENDSWITH", value, search)
    if isinstance(value, bytes) and isinstance(search, bytes):
        return value.endswith(search)
    assert isinstance(value, Bit) and isinstance(search, Bit)
    return value.bits().endswith(search.bits())


def lower(value: object) -> str | None:
    """Return LOWER(value)."""
    if isinstance(value, str):
        return value.lower()
    if value is None:
        return None
    raise argument_type_error("LOWER", 1, value, "CHARACTER")


def upper(value: object) -> str | None:
    """Return UPPER(value)."""
    if isinstance(value, str):
        return value.upper()
    if value is None:
        return None
    raise argument_type_error("UPPER", 1, value, "CHARACTER")


def _character_switches() -> Switches:
    switches = Switches()
    switches.string_length = "character"
    return switches


#: For places that were found by a search: they are places in the Python string.
_CHARACTERS: Final = _character_switches()


def _integer(function: str, argument: int, value: object) -> int:
    """Return an argument that must be an INTEGER."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise argument_type_error(function, argument, value, "INTEGER")
    return value


def _repetitions(function: str, argument: int, value: object) -> int:
    """Return a count of repetitions, checked against the limits."""
    count = _integer(function, argument, value)
    if not 0 <= count <= COUNT_MAX:
        raise argument_value_error(function, value, f"the count must be in 0 to {COUNT_MAX}")
    return count


def _same_type(function: str, value: object, other: object) -> None:
    """Raise 2421 unless both values are strings of one type."""
    if not isinstance(value, (str, bytes, Bit)):
        raise argument_type_error(function, 1, value, _STRINGS)
    if isinstance(value, str):
        same = isinstance(other, str)
    elif isinstance(value, bytes):
        same = isinstance(other, bytes)
    else:
        same = isinstance(other, Bit)
    if not same:
        raise argument_type_error(function, 2, other, esql_type(value))


def _is_wide(text: str, switches: Switches) -> bool:
    """Return whether units and characters of a text differ in number."""
    if text.isascii() or switches.string_length != "utf16":
        return False
    return len(text.encode("utf-16-le", "surrogatepass")) != 2 * len(text)


def _units(text: str) -> str:
    """Return a text in which each half of a surrogate pair is a character of its own."""
    units = array("H", text.encode("utf-16-le", "surrogatepass"))
    return "".join([chr(unit) for unit in units])


def _recombined(text: str) -> str:
    """Return a text in which halves of surrogate pairs that meet are one character again."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _singletons(value: object, switches: Switches) -> str:
    """Return a text with one character for each singleton, for searches."""
    if isinstance(value, str):
        return _units(value) if _is_wide(value, switches) else value
    if isinstance(value, bytes):
        return value.decode("latin-1")
    assert isinstance(value, Bit)
    return value.bits()


def _cut(function: str, value: object, begin: int, end: int, switches: Switches) -> Value:
    """Return the singletons from `begin` to before `end`, counted from 0; to the end of the string for -1."""
    if isinstance(value, str):
        if not value.isascii() and _is_wide(value, switches):
            units = _units(value)
            return _recombined(units[begin:] if end < 0 else units[begin:end])
        return value[begin:] if end < 0 else value[begin:end]
    if isinstance(value, bytes):
        return value[begin:] if end < 0 else value[begin:end]
    if isinstance(value, Bit):
        bits = value.bits()
        return parse_bit(bits[begin:] if end < 0 else bits[begin:end])
    raise argument_type_error(function, 1, value, _STRINGS)


def _find(function: str, value: object, search: object) -> int:
    """Return the first place of `search`, from 0; -1 if there is none. Raises 2421."""
    _same_type(function, value, search)
    if isinstance(value, str) and isinstance(search, str):
        return value.find(search)
    if isinstance(value, bytes) and isinstance(search, bytes):
        return value.find(search)
    assert isinstance(value, Bit) and isinstance(search, Bit)
    return value.bits().find(search.bits())


def _nth(text: str, wanted: str, begin: int, times: int) -> int:
    """Return the place, from 1, of an occurrence at `begin` or behind it; before it for negative times; 0 if none."""
    at = begin
    for _ in range(min(abs(times), len(text) + 1)):
        if times > 0:
            at = text.find(wanted, max(at, 0))
        elif at >= 0:
            at = text.rfind(wanted, 0, at + len(wanted))
        if at < 0:
            return 0
        found = at
        at += 1 if times > 0 else -1
    return found + 1 if times and abs(times) <= len(text) + 1 else 0


def _stripped_text(text: str, singleton: str, mode: str) -> str:
    if mode == "LEADING":
        return text.lstrip(singleton)
    return text.rstrip(singleton) if mode == "TRAILING" else text.strip(singleton)


def _translated(text: str, search: str, replacement: str) -> str:
    table: dict[int, str | None] = {}
    for place in range(len(search)):
        code = ord(search[place])
        if code not in table:
            table[code] = replacement[place] if place < len(replacement) else None
    return text.translate(table)
