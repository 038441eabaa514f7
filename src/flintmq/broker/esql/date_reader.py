"""Reads a text by the symbols of a FORMAT pattern, field by field, and makes a date, time or timestamp of the fields.

`date_formats.DateFormat` drives it: one `DateReader` for a text, `read` for each item of the pattern, then `value`.
Which fields decide the day, first match:

    w without M and D       week of the year, with E or e, else its first day
    D                       day of the year, unless a d follows it
    d                       day of the month
    F with E or e           which such weekday of the month
    W                       week of the month, with E or e, else its first day
    none                    first of the month, or the base date (switch missing_date)

A zone in the text moves the value to local time, or to GMT for the GMT types; a DATE is taken as it is written.
With date_checking 'strict' every field has its natural range. With 'lenient' fields roll over into the next larger one.
"""

from __future__ import annotations

from typing import Final, final

from flintmq.broker.esql.clock import Clock, current_offset, now, to_local
from flintmq.broker.esql.switches import Switches
from flintmq.broker.esql.weeks import days_before_year, first_weekday, week_start, weekday
from flintmq.broker.values import (
    MICROS_PER_DAY,
    MICROS_PER_MINUTE,
    Date,
    Time,
    Timestamp,
    date_from_ordinal,
    days_in_month,
    is_leap_year,
    time_from_micros,
    timestamp_from_micros,
)

#: A text with more characters is no date. The limit keeps the cost of a hostile field small.
TEXT_LENGTH_MAX: Final = 512

#: How many digits a number of a pattern takes: up to its maximum; as many as it has letters; or, as the first of
#: several without text between, what the others leave.
FREE: Final = 0
EXACT: Final = 1
FIRST_OF_RUN: Final = 2

MONTHS: Final[list[str]] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
#: From Monday.
WEEKDAYS: Final[list[str]] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
#: Zone names that are read, with minutes east of Greenwich: those of RFC 822.
ZONES: Final[dict[str, int]] = {
    "Z": 0,
    "UT": 0,
    "UTC": 0,
    "GMT": 0,
    "EST": -300,
    "EDT": -240,
    "CST": -360,
    "CDT": -300,
    "MST": -420,
    "MDT": -360,
    "PST": -480,
    "PDT": -420,
}
_UNSET: Final = -1


@final
class DateReader:
    """The fields that have been read of one text so far."""

    def __init__(self, text: str, switches: Switches) -> None:
        self.text: str = text
        self.switches: Switches = switches
        self.at: int = 0
        self.year: int = _UNSET
        self.week_year: int = _UNSET
        self.month: int = _UNSET
        self.day: int = _UNSET
        self.day_of_year: int = _UNSET
        self.weekday: int = _UNSET
        self.nth: int = _UNSET
        self.week_month: int = _UNSET
        self.week: int = _UNSET
        self.hour: int = _UNSET
        self.hour_of_half: int = _UNSET
        self.half: int = _UNSET
        self.minute: int = 0
        self.second: int = 0
        self.micro: int = 0
        self.has_zone: bool = False
        #: Minutes east of Greenwich, where the text has a zone.
        self.zone: int = 0

    def read(self, symbol: str, count: int, text: str, rule: int, run_digits: int) -> None:
        """Read one item of a pattern, given as `DateFormat` has it. Raises ValueError."""
        if symbol == "":
            if not self.text.startswith(text, self.at):
                raise self.wrong(f"'{text}'")
            self.at += len(text)
        elif symbol == "M" and count > 2:
            if self.text[self.at : self.at + 1].isdigit():
                self.month = self.number(2)
            else:
                self.month = self.name(MONTHS, "a month") + 1
        elif symbol == "E":
            self.weekday = self.name(WEEKDAYS, "a weekday")
        elif symbol == "a":
            self.half = self.word("AM", "PM")
        elif symbol == "G":
            if self.word("AD", "BC") == 1:
                raise ValueError("years before 1 have no ESQL date")
        elif symbol == "z" or symbol == "Z":
            self.read_zone()
        elif symbol == "I":
            self.read_iso()
        elif symbol == "T":
            self.read_iso_time()
        elif symbol == "S":
            self.micro = self.fraction(0 if rule == FREE else count)
        else:
            self.set_number(symbol, count, self.digits_of(symbol, count, rule, run_digits))

    def digits_of(self, symbol: str, count: int, rule: int, run_digits: int) -> int:
        """Return how many digits a number must have: negative for at most that many."""
        if rule == EXACT:
            return count
        if rule == FIRST_OF_RUN:
            if count > 1 and self.switches.date_checking == "strict":
                return count
            end = self.at
            while end < len(self.text) and "0" <= self.text[end] <= "9":
                end += 1
            spare = end - self.at - run_digits
            return max(1, count + spare)
        if symbol == "y" or symbol == "Y":
            return -max(count, 4)
        return -max(count, 3 if symbol == "D" else 2)

    def set_number(self, symbol: str, count: int, digits: int) -> None:
        """Read a number and set the field of the symbol."""
        begin = self.at
        number = self.number(-digits) if digits < 0 else self.exact(digits)
        if symbol == "y" or symbol == "Y":
            if count == 2 and len(self.text[begin : self.at].lstrip(" ")) <= 2:
                number += 2000 if number < self.switches.century_window else 1900
            if symbol == "y":
                self.year = number
            else:
                self.week_year = number
        elif symbol == "M":
            self.month = number
        elif symbol == "d":
            self.day = number
            self.day_of_year = _UNSET
        elif symbol == "D":
            self.day_of_year = number
            self.day = _UNSET
        elif symbol == "H":
            self.hour = number
        elif symbol == "k":
            self.hour = self.within(number, 1, 24, "hour") % 24
        elif symbol == "h":
            self.hour_of_half = number
        elif symbol == "K":
            self.hour_of_half = number
        elif symbol == "m":
            self.minute = number
        elif symbol == "s":
            self.second = number
        elif symbol == "e":
            self.weekday = (self.within(number, 1, 7, "weekday") - 1 + first_weekday(self.switches)) % 7
        elif symbol == "F":
            self.nth = self.within(number, 1, 5, "weekday in month")
        elif symbol == "W":
            self.week_month = self.within(number, 0, 6, "week of month")
        else:
            self.week = self.within(number, 1, 53, "week of year")

    def wrong(self, wanted: str) -> ValueError:
        """Return the error that something else than `wanted` stands at the current place."""
        found = self.text[self.at : self.at + 12]
        return ValueError(f"{wanted} is wanted at character {self.at + 1}, where '{found}' stands")

    def within(self, number: int, least: int, most: int, name: str) -> int:
        """Return the number if it is in a range; raise ValueError if not."""
        if not least <= number <= most:
            raise ValueError(f"{name} {number} is not in {least} to {most}")
        return number

    def number(self, most: int) -> int:
        """Read one to `most` digits; blanks before them are passed over."""
        while self.text.startswith(" ", self.at):
            self.at += 1
        end = self.at
        while end < len(self.text) and end - self.at < most and "0" <= self.text[end] <= "9":
            end += 1
        if end == self.at:
            raise self.wrong("a number")
        number = int(self.text[self.at : end])
        self.at = end
        return number

    def exact(self, count: int) -> int:
        """Read exactly `count` digits."""
        digits = self.text[self.at : self.at + count]
        if len(digits) != count or not (digits.isascii() and digits.isdigit()):
            raise self.wrong(f"a number of {count} digits")
        self.at += count
        return int(digits)

    def fraction(self, count: int) -> int:
        """Read the digits of a fraction, `count` of them or all for 0; return microseconds."""
        end = self.at
        while end < len(self.text) and (not count or end - self.at < count) and "0" <= self.text[end] <= "9":
            end += 1
        if end == self.at:
            raise self.wrong("a fraction")
        micros = int(self.text[self.at : min(end, self.at + 6)].ljust(6, "0"))
        self.at = end
        return micros

    def name(self, names: list[str], what: str) -> int:
        """Read a name, whole or its first three letters; return its place in the list."""
        rest = self.text[self.at : self.at + 9].lower()
        for place in range(len(names)):
            if rest.startswith(names[place].lower()):
                self.at += len(names[place])
                return place
        for place in range(len(names)):
            if rest.startswith(names[place][:3].lower()):
                self.at += 3
                return place
        raise self.wrong(what)

    def word(self, first: str, second: str) -> int:
        """Read one of two words of the same length; return 0 or 1."""
        found = self.text[self.at : self.at + len(first)].upper()
        if found != first and found != second:
            raise self.wrong(f"{first} or {second}")
        self.at += len(first)
        return 0 if found == first else 1

    def read_zone(self) -> None:
        """Read a zone in any of its forms: Z, GMT, EST, +3, +03, +03:00, +0300, GMT+03:00."""
        end = self.at
        while end < len(self.text) and self.text[end].isascii() and self.text[end].isalpha():
            end += 1
        name = self.text[self.at : end].upper()
        minutes = 0
        if name:
            known = ZONES.get(name)
            if known is None:
                raise self.wrong("a time zone")
            minutes = known
            self.at = end
        sign = self.text[self.at : self.at + 1]
        if sign == "+" or sign == "-":
            self.at += 1
            size = self.zone_size()
            minutes += size if sign == "+" else -size
        elif not name:
            raise self.wrong("a time zone")
        self.has_zone = True
        self.zone = minutes

    def zone_size(self) -> int:
        """Read h, hh, hmm, hhmm, h:mm or hh:mm; return minutes."""
        end = self.at
        while end < len(self.text) and end - self.at < 4 and "0" <= self.text[end] <= "9":
            end += 1
        digits = self.text[self.at : end]
        if not digits:
            raise self.wrong("a time zone")
        hours, rest = digits, "0"
        if len(digits) > 2:
            hours, rest = digits[:-2], digits[-2:]
        elif self.text[end : end + 1] == ":" and self.text[end + 1 : end + 3].isdigit():
            rest = self.text[end + 1 : end + 3]
            end += 3
        self.at = end
        return self.within(int(hours), 0, 18, "zone hour") * 60 + self.within(int(rest), 0, 59, "zone minute")

    def read_iso(self) -> None:
        """Read a date, a time or both, as ISO 8601 has them, down to any field."""
        if self.text[self.at + 2 : self.at + 3] == ":" or self.text.startswith("T", self.at):
            if self.text.startswith("T", self.at):
                self.at += 1
            self.read_iso_time()
            return
        self.year = self.exact(4)
        if self.text.startswith("-", self.at):
            self.at += 1
            self.month = self.exact(2)
            if self.text.startswith("-", self.at):
                self.at += 1
                self.day = self.exact(2)
        if self.text[self.at : self.at + 1] in ("T", " ") and self.text[self.at + 1 : self.at + 2].isdigit():
            self.at += 1
            self.read_iso_time()
        elif self.text[self.at : self.at + 1] in ("Z", "+", "-"):
            self.read_zone()

    def read_iso_time(self) -> None:
        """Read hours, then minutes, seconds, fraction and zone as far as the text has them."""
        self.hour = self.exact(2)
        if self.text.startswith(":", self.at):
            self.at += 1
            self.minute = self.exact(2)
            if self.text.startswith(":", self.at):
                self.at += 1
                self.second = self.exact(2)
                if self.text[self.at : self.at + 1] in (".", ","):
                    self.at += 1
                    self.micro = self.fraction(0)
        if self.text[self.at : self.at + 1] in ("Z", "+", "-"):
            self.read_zone()

    def value(self, target: str, has_marker: bool, clock: Clock | None) -> Date | Time | Timestamp:
        """Return the value of the fields. Raises ValueError for fields out of range."""
        gmt = target.startswith("GMT")
        micros = 0
        if target != "DATE":
            micros = self.day_micros(has_marker)
            if target.endswith("TIME"):
                return self.time(micros, gmt)
        ordinal = self.ordinal(target, clock)
        if target == "DATE":
            return date_from_ordinal(ordinal)
        total = (ordinal - 1) * MICROS_PER_DAY + micros
        if not self.has_zone:
            return timestamp_from_micros(total, gmt)
        moment = timestamp_from_micros(total - self.zone * MICROS_PER_MINUTE, True)
        return moment if gmt else to_local(moment)

    def time(self, micros: int, gmt: bool) -> Time:
        """Return a time of day; a zone in the text moves it to GMT or to local time."""
        if self.has_zone:
            micros -= self.zone * MICROS_PER_MINUTE
            if not gmt:
                micros += current_offset()
        return time_from_micros(micros, gmt)

    def day_micros(self, has_marker: bool) -> int:
        """Return the microseconds since midnight of the fields."""
        hour = self.hour
        if hour == _UNSET:
            hour = max(self.hour_of_half, 0)
            if has_marker or hour == 12:
                if self.switches.date_checking == "strict":
                    self.within(hour, 0, 12, "hour")
                hour = hour % 12 + (12 if self.half == 1 else 0)
        if self.switches.date_checking == "strict":
            self.within(hour, 0, 23, "hour")
            self.within(self.minute, 0, 59, "minute")
            self.within(self.second, 0, 59, "second")
        return ((hour * 60 + self.minute) * 60 + self.second) * 1_000_000 + self.micro

    def ordinal(self, target: str, clock: Clock | None) -> int:
        """Return the number of the day of the fields."""
        base = Date(1970, 1, 1)
        if self.switches.missing_date == "current":
            at = clock if clock is not None else now()
            base = at.gmt_date() if target.startswith("GMT") else at.date()
        strict = self.switches.date_checking == "strict"
        if self.week != _UNSET and self.month == _UNSET and self.day_of_year == _UNSET:
            year = self.week_year if self.week_year != _UNSET else self.year
            start = week_start(year if year != _UNSET else base.year, self.switches) + 7 * (self.week - 1)
            return start + self.days_into_week()
        year = self.year
        if year == _UNSET:
            year = self.week_year if self.week_year != _UNSET else base.year
        if strict:
            self.within(year, 1, 9999, "year")
        if self.day_of_year != _UNSET:
            if strict:
                self.within(self.day_of_year, 1, 366 if is_leap_year(year) else 365, "day of year")
            return days_before_year(year) + self.day_of_year
        month = self.month if self.month != _UNSET else base.month if self.year == _UNSET else 1
        if strict:
            self.within(month, 1, 12, "month")
        else:
            year += (month - 1) // 12
            month = (month - 1) % 12 + 1
        self.within(year, 1, 9999, "year")
        first = Date(year, month, 1).ordinal()
        if self.day == _UNSET:
            return first + self.days_into_month(first, year, month, base)
        if strict:
            self.within(self.day, 1, days_in_month(year, month), f"day of {year:04d}-{month:02d}")
        return first + self.day - 1

    def days_into_week(self) -> int:
        """Return how many days after the beginning of its week a weekday is; 0 if the text has none."""
        return 0 if self.weekday == _UNSET else (self.weekday - first_weekday(self.switches)) % 7

    def days_into_month(self, first: int, year: int, month: int, base: Date) -> int:
        """Return the days after the first of the month that F or W give; the day of the base date without both."""
        if self.nth != _UNSET and self.weekday != _UNSET:
            days = (self.weekday - weekday(first)) % 7 + 7 * (self.nth - 1)
            if days >= days_in_month(year, month):
                raise ValueError(f"{year:04d}-{month:02d} has no weekday {self.nth} of this name")
            return days
        if self.week_month != _UNSET:
            lead = (weekday(first) - first_weekday(self.switches)) % 7
            week = self.week_month if self.switches.week_rule == "iso" and lead > 3 else self.week_month - 1
            days = 7 * week - lead + self.days_into_week()
            if self.weekday == _UNSET:
                days = max(days, 0)
            if not 0 <= days < days_in_month(year, month) and self.switches.date_checking == "strict":
                raise ValueError(f"{year:04d}-{month:02d} has no such day in week {self.week_month}")
            return days
        if self.month != _UNSET or self.year != _UNSET:
            return 0
        return base.day - 1
