"""FORMAT patterns of dates and times: `CAST(x AS CHARACTER FORMAT 'dd/MM/yyyy')` and the way back.

A pattern is read once into a `DateFormat`, a list of symbols and literal texts; `date_format` keeps the last
`CACHE_MAX` of them.

    symbol      field                           written                     read
    y           year                            yy two digits, else padded  yy by the century window
    Y           year of the week (with w)       like y
    M           month                           M MM number, MMM Jan, MMMM  number, or name of either length, any case
    d           day of month                    padded to the count
    D           day of year                     padded to the count         (so MMDD is month and day of year)
    E           weekday name                    E EE EEE Tue, EEEE Tuesday  either length, any case
    e           weekday number, week_rule       padded
    F           which such weekday in month     1 to 5                      with E: second Wednesday in July
    w W         week of year, week of month     padded, week_rule           with E or e
    H k         hour 0-23, 1-24                 padded
    h K         hour 1-12, 0-11                 padded                      with a; without a, 13 to 23 are read too
    m s         minute, second                  padded
    S           fraction of the second          cut or padded to the count  any number of digits, cut to microseconds
    a G         AM PM, BC AD                    text                        any case
    z           zone name                       GMT or GMT+hh:mm            names of RFC 822, GMT+hh:mm, Z
    Z ZZ        zone                            +hhmm (switch zone_pattern) all forms are read for each count
    ZZZ         zone                            +hh:mm
    ZZZZ        zone                            GMT+hh:mm
    ZZZZZ       zone                            +hhmm
    U           after ZZZ, I, T: Z for +00:00
    I, T        ISO 8601: date and time to yyyy-MM-dd'T'HH:mm:ss.SSSZZZ cut to the fields of the type; T only the time
    '...'       text; '' is a quote. Characters that are no letters stand for themselves.

Fields that a pattern lacks are those of 1970-01-01 00:00:00 (switch missing_date). Symbols that follow each other
without text between take as many digits as the symbol has letters, except that the first takes the rest where
it has one letter (`Hmm` reads 0930 and 930).

Month and weekday names are English. Nothing here raises a BrokerError: a pattern or text that is wrong is a ValueError,
which CAST turns into its own error.
"""

from __future__ import annotations

from typing import Final, final

from flintmq.broker.esql.clock import Clock, current_offset, offset_of_local
from flintmq.broker.esql.date_reader import (
    EXACT,
    FIRST_OF_RUN,
    FREE,
    MONTHS,
    TEXT_LENGTH_MAX,
    WEEKDAYS,
    DateReader,
)
from flintmq.broker.esql.switches import DEFAULTS, Switches
from flintmq.broker.esql.weeks import days_before_year, first_weekday, week_of_month, week_of_year, weekday
from flintmq.broker.values import MICROS_PER_MINUTE, Date, Time, Timestamp

CACHE_MAX: Final = 512
PATTERN_LENGTH_MAX: Final = 256
_SYMBOLS: Final = "adDeEFGhHIkKmMsSTUwWyYzZ"
_NUMERIC: Final = "dDeFhHkKmsSwWyY"
_TWO: Final[list[str]] = [f"{number:02d}" for number in range(100)]


@final
class DateFormat:
    """A pattern, ready to write values and to read texts."""

    def __init__(self, pattern: str) -> None:
        """Read the pattern. Raises ValueError with the mistake in it."""
        self.pattern: str = pattern
        #: By item: the symbol, or '' for text.
        self.symbols: list[str] = []
        #: By item: how often the symbol is repeated.
        self.counts: list[int] = []
        #: By item: the text, or 'U' behind a symbol that is followed by U.
        self.texts: list[str] = []
        #: By item: how many digits a number takes, FREE, EXACT or FIRST_OF_RUN.
        self.digits: list[int] = []
        #: By item that is first of a run of numbers: the digits of the run.
        self.run_digits: list[int] = []
        #: Whether the pattern has an AM or PM marker.
        self.has_marker: bool = False
        if pattern == "ISO":
            pattern = "I"
        self._split(pattern)
        self._find_runs()

    def _split(self, pattern: str) -> None:
        """Cut the pattern into symbols and texts."""
        at = 0
        length = len(pattern)
        while at < length:
            character = pattern[at]
            if character == "'":
                at = self._quoted(pattern, at)
                continue
            if not (character.isascii() and character.isalpha()):
                self._add_text(character)
                at += 1
                continue
            if character not in _SYMBOLS or character == "U":
                raise ValueError(f"FORMAT '{pattern}' has {character} at {at + 1}, which is no symbol of dates")
            end = at + 1
            while end < length and pattern[end] == character:
                end += 1
            suffix = ""
            if end < length and pattern[end] == "U":
                if character not in "IT" and not (character == "Z" and end - at == 3):
                    raise ValueError(f"FORMAT '{pattern}' has U at {end + 1}, which belongs behind ZZZ, I or T")
                suffix = "U"
            self.symbols.append(character)
            self.counts.append(end - at)
            self.texts.append(suffix)
            if character == "a":
                self.has_marker = True
            at = end + len(suffix)

    def _quoted(self, pattern: str, at: int) -> int:
        """Add the text that begins with the quote at `at`; return where the pattern goes on."""
        if pattern[at + 1 : at + 2] == "'":
            self._add_text("'")
            return at + 2
        at += 1
        while True:
            end = pattern.find("'", at)
            if end < 0:
                raise ValueError(f"FORMAT '{pattern}' has a quote that does not end")
            self._add_text(pattern[at:end])
            if pattern[end + 1 : end + 2] != "'":
                return end + 1
            self._add_text("'")
            at = end + 2

    def _add_text(self, text: str) -> None:
        if self.symbols and not self.symbols[-1]:
            self.texts[-1] += text
            return
        self.symbols.append("")
        self.counts.append(0)
        self.texts.append(text)

    def _find_runs(self) -> None:
        """Find numbers that stand next to each other without text between."""
        number = len(self.symbols)
        self.digits = [FREE] * number
        self.run_digits = [0] * number
        first = 0
        while first < number:
            last = first
            total = 0
            while last < number and self._is_number(last):
                total += self.counts[last]
                last += 1
            if last - first > 1:
                for item in range(first, last):
                    self.digits[item] = EXACT
                self.digits[first] = FIRST_OF_RUN
                self.run_digits[first] = total
                if self.symbols[last - 1] in "SD":  # Their numbers may be longer than the count.
                    self.digits[last - 1] = FREE
            first = max(last, first + 1)

    def _is_number(self, item: int) -> bool:
        symbol = self.symbols[item]
        if symbol == "M":
            return self.counts[item] < 3
        return symbol != "" and symbol in _NUMERIC

    def format(self, value: object, switches: Switches = DEFAULTS) -> str:
        """Return `value`, a date, time or timestamp, as the pattern says. Raises ValueError for other values."""
        year, month, day = 1970, 1, 1
        hour, minute, second, micro = 0, 0, 0, 0
        if isinstance(value, Timestamp):
            year, month, day = value.year, value.month, value.day
            hour, minute, second, micro = value.hour, value.minute, value.second, value.micro
        elif isinstance(value, Date):
            year, month, day = value.year, value.month, value.day
        elif isinstance(value, Time):
            hour, minute, second, micro = value.hour, value.minute, value.second, value.micro
        else:
            raise ValueError("only dates and times have a date pattern")
        parts: list[str] = []
        symbols, counts, texts = self.symbols, self.counts, self.texts
        for item in range(len(symbols)):
            symbol = symbols[item]
            count = counts[item]
            number = -1
            if symbol == "":
                parts.append(texts[item])
            elif symbol == "y":
                parts.append(_TWO[year % 100] if count == 2 else str(year).zfill(count))
            elif symbol == "M":
                parts.append(_TWO[month] if count == 2 else _month_text(month, count))
            elif symbol == "d":
                number = day
            elif symbol == "H":
                number = hour
            elif symbol == "m":
                number = minute
            elif symbol == "s":
                number = second
            elif symbol == "S":
                parts.append(_fraction_text(micro, count))
            elif symbol in "GhkKa":
                parts.append("AD" if symbol == "G" else _hour_text(symbol, hour, count))
            elif symbol in "zZIT":
                parts.append(_zoned_text(value, symbol, count, texts[item] == "U", switches))
            else:
                parts.append(_calendar_text(symbol, count, year, month, day, switches))
            if number >= 0:
                parts.append(_TWO[number] if count == 2 else str(number).zfill(count))
        return "".join(parts)

    def parse(
        self, text: str, target: str, switches: Switches = DEFAULTS, clock: Clock | None = None
    ) -> Date | Time | Timestamp:
        """Return the value of `text`, of the type `target`: DATE, TIME, GMTTIME, TIMESTAMP or GMTTIMESTAMP.

        Raises ValueError with the part that does not fit.
        """
        if len(text) > TEXT_LENGTH_MAX:
            raise ValueError(f"the text has {len(text)} characters, which is too long for a date")
        reader = DateReader(text, switches)
        for item in range(len(self.symbols)):
            reader.read(
                self.symbols[item], self.counts[item], self.texts[item], self.digits[item], self.run_digits[item]
            )
        if reader.at < len(text) and text[reader.at :].strip(" ") and switches.date_checking == "strict":
            raise ValueError(f"'{text[reader.at :]}' is left over behind FORMAT '{self.pattern}'")
        return reader.value(target, self.has_marker, clock)


_cache: dict[str, DateFormat] = {}


def date_format(pattern: str) -> DateFormat:
    """Return the format of `pattern`, from the cache if it was used before. Raises ValueError."""
    found = _cache.get(pattern)
    if found is not None:
        return found
    if len(pattern) > PATTERN_LENGTH_MAX:
        raise ValueError(f"FORMAT has {len(pattern)} characters, at most {PATTERN_LENGTH_MAX} are allowed")
    made = DateFormat(pattern)
    if len(_cache) >= CACHE_MAX:
        for oldest in list(_cache)[: CACHE_MAX // 4]:
            _cache.pop(oldest, None)
    _cache[pattern] = made
    return made


def cache_size() -> int:
    """Return how many formats the cache holds."""
    return len(_cache)


def zone_text(minutes: int, symbol: str, count: int, with_z: bool, switches: Switches = DEFAULTS) -> str:
    """Return the zone `minutes` east of Greenwich as z or Z of this count says."""
    if with_z and minutes == 0:
        return "Z"
    sign = "-" if minutes < 0 else "+"
    hours, rest = abs(minutes) // 60, abs(minutes) % 60
    if symbol == "z":
        return "GMT" if minutes == 0 else f"GMT{sign}{hours:02d}:{rest:02d}"
    if count == 3:
        return f"{sign}{hours:02d}:{rest:02d}"
    if count == 4:
        return f"GMT{sign}{hours:02d}:{rest:02d}"
    if count < 3 and switches.zone_pattern == "short":
        text = f"{sign}{hours}" if count == 1 else f"{sign}{hours:02d}"
        return f"{text}:{rest:02d}" if rest else text
    return f"{sign}{hours:02d}{rest:02d}"


def _offset_minutes(value: object) -> int:
    """Return the minutes east of Greenwich of the zone of a value."""
    offset = 0
    if isinstance(value, Timestamp):
        offset = 0 if value.gmt else offset_of_local(value)
    elif isinstance(value, Time):
        offset = 0 if value.gmt else current_offset()
    elif isinstance(value, Date):
        offset = offset_of_local(Timestamp(value.year, value.month, value.day))
    return offset // MICROS_PER_MINUTE


def _month_text(month: int, count: int) -> str:
    """Return a month as a number, as three letters or as its name."""
    if count < 3:
        return str(month)
    return MONTHS[month - 1] if count > 3 else MONTHS[month - 1][:3]


def _fraction_text(micro: int, count: int) -> str:
    """Return the first `count` digits of the fraction of a second."""
    digits = str(micro).zfill(6)
    return digits[:count] if count <= 6 else digits + "0" * (count - 6)


def _zoned_text(value: object, symbol: str, count: int, with_z: bool, switches: Switches) -> str:
    """Write z, Z, I or T, which depend on the zone of a value."""
    if symbol in "zZ":
        return zone_text(_offset_minutes(value), symbol, count, with_z, switches)
    return _iso_text(value, symbol, with_z)


def _hour_text(symbol: str, hour: int, count: int) -> str:
    if symbol == "a":
        return "AM" if hour < 12 else "PM"
    if symbol == "h":
        number = (hour + 11) % 12 + 1
    elif symbol == "K":
        number = hour % 12
    else:
        number = hour or 24
    return str(number).zfill(count)


def _iso_text(value: object, symbol: str, with_z: bool) -> str:
    """Write I or T: the fields of ISO 8601 that the value has."""
    date, time = "", ""
    if isinstance(value, Date):
        date = str(value)
        time = "00:00:00.000" if symbol == "T" else ""
    elif isinstance(value, Time):
        time = str(value)[:12]
    elif isinstance(value, Timestamp):
        date, time = str(value)[:10], str(value)[11:23]
    if time:
        time += zone_text(_offset_minutes(value), "Z", 3, with_z)
    if symbol == "T":
        return time
    return f"{date}T{time}" if date and time else date + time


def _calendar_text(symbol: str, count: int, year: int, month: int, day: int, switches: Switches) -> str:
    """Write the symbols that need the number of the day: D E e F w W Y."""
    ordinal = Date(year, month, day).ordinal()
    if symbol == "D":
        number = ordinal - days_before_year(year)
    elif symbol == "E":
        name = WEEKDAYS[weekday(ordinal)]
        return name if count > 3 else name[:3]
    elif symbol == "e":
        number = (weekday(ordinal) - first_weekday(switches)) % 7 + 1
    elif symbol == "F":
        number = (day - 1) // 7 + 1
    elif symbol == "W":
        number = week_of_month(ordinal, day, switches)
    else:
        of_year, week = week_of_year(ordinal, year, switches)
        if symbol == "Y":
            return _TWO[of_year % 100] if count == 2 else str(of_year).zfill(count)
        number = week
    return str(number).zfill(count)
