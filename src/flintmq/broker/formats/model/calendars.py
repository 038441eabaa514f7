"""Dates and times as text: patterns of letters, as ICU and DFDL define them.

    letter  field                          letter  field
    y u     year                           H k     hour of day 0 to 23, 1 to 24
    Y       year of the week               K h     hour of half day 0 to 11, 1 to 12
    M L     month: 1, 01, Jan, January     a       AM or PM
    d       day of month                   m s     minute, second
    D       day of year                    S       fraction of a second
    E       day of week: Mon, Monday       Z z O   zone: +0130, GMT+01:30, UTC
    e c     day of week as a number        X x     zone of ISO 8601: Z, +01, +0130, +01:30
    w W     week of year, of month         V v     zone by name: America/New_York
    F       n-th such weekday in month     I       ISO 8601, the whole value (IU: Z for UTC)
    Q       quarter                        G       era (AD only)
    'text'  literal text; '' is one quotation mark

A value is DATE, TIME or TIMESTAMP of the tree (`broker/values.py`). The tree has no time zones other than GMT: a text
with a zone becomes the GMT value of the same instant, a text without one the local value, unless the schema names a
zone for it. Month and day names are English.

`parse` and `format` raise ValueError. Strict parsing refuses values out of range; lenient parsing carries them: the
13th month is January of the next year.
"""

from __future__ import annotations

import datetime
import zoneinfo
from typing import Final, final

from flintmq.broker.values import Date, Time, Timestamp

_MONTHS: Final = (
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
)
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMERIC: Final = "yuYdDwWFHkKhmsSeQ"
_LETTERS: Final = "GyuYMLdDEecFwWQaHkKhmsSZzOXxVvIT"
#: Abbreviations that mean one offset everywhere they are used in data.
_ZONES: Final[dict[str, int]] = {
    "UTC": 0,
    "GMT": 0,
    "Z": 0,
    "EST": -300,
    "EDT": -240,
    "CST": -360,
    "CDT": -300,
    "MST": -420,
    "MDT": -360,
    "PST": -480,
    "PDT": -420,
}
#: The kinds of value.
DATE: Final = 1
TIME: Final = 2
DATE_TIME: Final = 3
#: Zone of a value that has none.
NO_ZONE: Final = -100_000


@final
class Fields:
    """The fields of a text; -1 or '' = not given."""

    def __init__(self) -> None:
        self.year: int = -1
        self.week_year: int = -1
        self.month: int = -1
        self.day: int = -1
        self.day_of_year: int = -1
        self.week: int = -1
        self.week_of_month: int = -1
        self.weekday: int = -1
        self.weekday_in_month: int = -1
        self.hour: int = -1
        self.half_hour: int = -1
        self.afternoon: int = -1
        self.minute: int = -1
        self.second: int = -1
        self.micro: int = 0
        self.zone: int = NO_ZONE


@final
class CalendarPattern:
    """A calendar pattern that was read once."""

    def __init__(
        self,
        pattern: str,
        kind: int,
        time_zone: str = "",
        century_start: int = 53,
        lenient: bool = False,
        first_day_of_week: str = "Monday",
        days_in_first_week: int = 4,
    ) -> None:
        self.pattern: str = pattern
        self.kind: int = kind
        self.zone_name: str = time_zone
        self.century_start: int = century_start
        self.lenient: bool = lenient
        #: 0 = Monday.
        self.first_day: int = _DAYS.index(first_day_of_week)
        self.first_week: int = days_in_first_week
        #: Letter, count and text; a literal text has the letter ''.
        self.items: list[tuple[str, int, str]] = _items(pattern)
        self.zone: datetime.tzinfo | None = zone_of(time_zone) if time_zone else None

    # Reading.

    def parse(self, text: str) -> object:
        """Return the value of a text. Raises ValueError."""
        if len(text) > 500:
            raise ValueError(f"a date or time of {len(text)} characters")
        if self.lenient:
            text = text.strip()
        fields = Fields()
        if self.pattern in ("I", "IU"):
            self._parse_iso(text, fields)
        else:
            at = 0
            items = self.items
            for number in range(len(items)):
                letter, count, literal = items[number]
                if letter:
                    at = self._parse_field(text, at, number, letter, count, fields)
                elif text.startswith(literal, at):
                    at += len(literal)
                elif self.lenient and not literal.strip():
                    continue
                else:
                    raise ValueError(f"'{text}' does not fit the calendar pattern {self.pattern}")
            if at != len(text):
                raise ValueError(f"'{text}' has more than the calendar pattern {self.pattern}")
        return self._resolve(fields, text)

    def _parse_field(self, text: str, at: int, number: int, letter: str, count: int, fields: Fields) -> int:
        """Read one field at a place of the text and return where it ends. Spaces before it are skipped, as ICU does."""
        while text[at : at + 1] in (" ", "\t") and at < len(text):
            at += 1
        if letter in "ZzOXxVv":
            return self._parse_zone(text, at, letter, fields)
        if letter in "EaG" or count >= 3 and letter in "MLecQ":
            return self._parse_word(text, at, letter, fields)
        start = at
        sign = 1
        if letter in "yuY" and text[at : at + 1] == "-":
            sign = -1
            at += 1
            start = at
        limit = len(text)
        if self._abuts(number):
            limit = min(limit, at + count)
        elif letter != "S" and letter not in "yuY":
            limit = min(limit, at + max(count, 4))
        while at < limit and text[at] in "0123456789":
            at += 1
        digits = text[start:at]
        if not digits or len(digits) > 30:
            raise ValueError(f"'{text}' has no digits for {letter * count} of the calendar pattern {self.pattern}")
        if letter == "S":
            fields.micro = int((digits + "000000")[:6])
            return at
        self._set(letter, count, sign * int(digits), len(digits), fields)
        return at

    def _parse_word(self, text: str, at: int, letter: str, fields: Fields) -> int:
        """Read a field that is written as a word, and return where it ends."""
        if letter in "ML":
            found, at = _name(text, at, _MONTHS, self.pattern)
            fields.month = found + 1
            return at
        if letter in "Eec":
            fields.weekday, at = _name(text, at, _DAYS, self.pattern)
            return at
        if letter == "a":
            half = text[at : at + 2].upper()
            if half not in ("AM", "PM"):
                raise ValueError(f"'{text}' has neither AM nor PM where the calendar pattern {self.pattern} has")
            fields.afternoon = 1 if half == "PM" else 0
            # ICU believes the field that comes last: AM or PM behind an hour of the day makes it an hour of a half day.
            fields.hour = -1
            return at + 2
        if letter == "G":
            for era in ("AD", "Anno Domini", "A"):
                if text[at : at + len(era)].upper() == era.upper():
                    return at + len(era)
            raise ValueError(f"'{text}' has no era AD where the calendar pattern {self.pattern} has")
        raise ValueError(f"the calendar pattern {self.pattern} has quarters by name")

    def _set(self, letter: str, count: int, value: int, digits: int, fields: Fields) -> None:
        """Store a numeric field."""
        if letter in "yuY":
            if count == 2 and digits == 2:
                value = self._with_century(value)
            if letter == "Y":
                fields.week_year = value
            else:
                fields.year = value
        elif letter in "ML":
            fields.month = value
        elif letter == "d":
            fields.day = value
        elif letter in "HkKhms":
            _set_clock(letter, value, fields)
        elif letter in "ec":
            fields.weekday = (value - 1 + self.first_day) % 7
            if not self.lenient and not 1 <= value <= 7:
                raise ValueError(f"{value} is not a day of the week")
        elif letter == "D":
            fields.day_of_year = value
        elif letter == "w":
            fields.week = value
        elif letter == "W":
            fields.week_of_month = value
        elif letter == "F":
            fields.weekday_in_month = value
        elif letter == "Q":
            fields.month = 3 * value - 2

    def _with_century(self, value: int) -> int:
        """Return the year that two digits mean: `century_start` begins the hundred years in the last century."""
        return 1900 + value if value >= self.century_start else 2000 + value

    def _abuts(self, number: int) -> bool:
        """Return whether a numeric field is followed at once by another."""
        if number + 1 >= len(self.items):
            return False
        letter, count, _ = self.items[number + 1]
        return letter != "" and (letter in _NUMERIC or letter in "MLc" and count < 3)

    def _parse_zone(self, text: str, at: int, letter: str, fields: Fields) -> int:
        offset, end = _zone_offset(text, at)
        if end < 0:
            end = at
            while end < len(text) and (text[end].isalnum() or text[end] in "/_"):
                end += 1
            name = text[at:end]
            if name.upper() in _ZONES:
                offset = 60 * _ZONES[name.upper()]
            else:
                zone = zone_of(name)
                year = fields.year if fields.year > 0 else 1970
                moment = datetime.datetime(min(max(year, 1), 9999), max(fields.month, 1), max(fields.day, 1))
                difference = zone.utcoffset(moment)
                offset = int(difference.total_seconds()) if difference is not None else 0
        fields.zone = offset
        return end

    def _parse_iso(self, text: str, fields: Fields) -> None:
        """Read a value of ISO 8601 in the form of XML Schema."""
        if self.kind == TIME:
            self._parse_iso_time(text, text, fields)
            return
        date, separator, rest = text.partition("T")
        if self.kind == DATE and not separator:
            # A date may have a zone at once.
            _set_iso_date(date[:10], text, fields)
            if date[10:]:
                fields.zone, end = _zone_offset(date[10:], 0)
                if end != len(date) - 10:
                    raise ValueError(f"'{text}' is not a date of ISO 8601")
            return
        _set_iso_date(date, text, fields)
        self._parse_iso_time(rest, text, fields)

    def _parse_iso_time(self, rest: str, text: str, fields: Fields) -> None:
        """Read time and zone of ISO 8601."""
        end = 0
        while end < len(rest) and rest[end] in "0123456789:.":
            end += 1
        clock, zone = rest[:end], rest[end:]
        if clock:
            whole, _, fraction = clock.partition(".")
            numbers = whole.split(":")
            if not 1 <= len(numbers) <= 3 or any(len(number) != 2 or not number.isdigit() for number in numbers):
                raise ValueError(f"'{text}' is not a time of ISO 8601")
            fields.hour = int(numbers[0])
            fields.minute = int(numbers[1]) if len(numbers) > 1 else 0
            fields.second = int(numbers[2]) if len(numbers) > 2 else 0
            if fraction:
                if not fraction.isdigit():
                    raise ValueError(f"'{text}' is not a time of ISO 8601")
                fields.micro = int((fraction + "000000")[:6])
        elif self.kind == TIME:
            raise ValueError(f"'{text}' is not a time of ISO 8601")
        if zone:
            fields.zone, end = _zone_offset(zone, 0)
            if end != len(zone):
                raise ValueError(f"'{text}' has no zone of ISO 8601")

    # Resolving fields to a value.

    def _resolve(self, fields: Fields, text: str) -> object:
        """Return the value of the fields."""
        hour = fields.hour
        if hour < 0:
            hour = max(fields.half_hour, 0)
            if fields.half_hour >= 12 and not self.lenient:
                raise ValueError(f"'{text}' has the hour {fields.half_hour} of a half day")
            if fields.afternoon == 1:
                hour += 12
        minute = max(fields.minute, 0)
        second = max(fields.second, 0)
        if not self.lenient:
            if hour > 23 or minute > 59 or second > 59:
                raise ValueError(f"'{text}' is not a time of day")
            if fields.month == 0 or fields.month > 12:
                raise ValueError(f"'{text}' has no month {fields.month}")
        day = self._ordinal(fields, text) if self.kind != TIME else datetime.date(1970, 1, 1).toordinal()
        seconds = (hour * 60 + minute) * 60 + second
        moment = _moment(day, seconds, fields.micro, text)
        gmt = False
        if fields.zone != NO_ZONE:
            moment = _shifted(moment, -fields.zone, text)
            gmt = True
        elif self.zone is not None and self.kind != DATE:
            difference = self.zone.utcoffset(moment)
            moment = _shifted(moment, -int(difference.total_seconds()) if difference is not None else 0, text)
            gmt = True
        if self.kind == TIME:
            return Time(moment.hour, moment.minute, moment.second, moment.microsecond, gmt)
        if self.kind == DATE:
            # A date keeps its day: the zone only says where the day is counted.
            date = datetime.date.fromordinal(day)
            return Date(date.year, date.month, date.day)
        return Timestamp(
            moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond, gmt
        )

    def _ordinal(self, fields: Fields, text: str) -> int:
        """Return the day that the fields mean."""
        year = fields.year
        if year < 0:
            year = fields.week_year if fields.week_year > 0 else 1970
        if not 1 <= year <= 9999:
            raise ValueError(f"'{text}' has the year {year}; years are 1 to 9999")
        month = fields.month if fields.month >= 0 else 1
        carried = month - 1
        year += carried // 12
        month = carried % 12 + 1
        if not 1 <= year <= 9999:
            raise ValueError(f"'{text}' has the year {year}; years are 1 to 9999")
        first = datetime.date(year, month, 1).toordinal()
        if fields.day >= 0:
            if not self.lenient:
                datetime.date(year, month, fields.day)
            day = first + fields.day - 1
            if fields.weekday >= 0 and not self.lenient and (day + 6) % 7 != fields.weekday:
                raise ValueError(f"'{text}' has the wrong day of the week")
            return day
        if fields.day_of_year >= 0:
            start = datetime.date(year, 1, 1).toordinal()
            if not self.lenient and datetime.date.fromordinal(start + fields.day_of_year - 1).year != year:
                raise ValueError(f"'{text}' has no day {fields.day_of_year} in its year")
            return start + fields.day_of_year - 1
        if fields.week >= 0:
            start = datetime.date(fields.week_year if fields.week_year > 0 else year, 1, 1).toordinal()
            return self._in_week(start, fields.week, fields.weekday)
        if fields.week_of_month >= 0:
            return self._in_week(first, fields.week_of_month, fields.weekday)
        if fields.weekday >= 0 or fields.weekday_in_month >= 0:
            weekday = fields.weekday if fields.weekday >= 0 else self.first_day
            behind = (weekday - (first + 6) % 7) % 7
            return first + behind + 7 * (max(fields.weekday_in_month, 1) - 1)
        return first

    def _in_week(self, first: int, week: int, weekday: int) -> int:
        """Return a weekday (the first, if none is said) of the n-th week of a year or month that starts at `first`."""
        before = ((first + 6) % 7 - self.first_day) % 7
        start = first - before
        if 7 - before < self.first_week:
            start += 7
        wanted = weekday if weekday >= 0 else self.first_day
        return start + 7 * (week - 1) + (wanted - self.first_day) % 7

    # Writing.

    def format(self, value: object) -> str:
        """Return the text of a value. Raises ValueError if it has not the fields of the pattern."""
        moment, zone = self._moment_of(value)
        if self.pattern in ("I", "IU"):
            return self._format_iso(moment, zone, self.pattern == "IU")
        parts: list[str] = []
        for letter, count, literal in self.items:
            parts.append(self._format_field(letter, count, moment, zone) if letter else literal)
        return "".join(parts)

    def _moment_of(self, value: object) -> tuple[datetime.datetime, int]:
        """Return a value as Python's datetime, and the zone that is written with it."""
        zone = 0
        if isinstance(value, Date):
            return datetime.datetime(value.year, value.month, value.day), zone
        if isinstance(value, Time):
            moment = datetime.datetime(1970, 1, 1, value.hour, value.minute, value.second, value.micro)
            gmt = value.gmt
        elif isinstance(value, Timestamp):
            moment = datetime.datetime(
                value.year, value.month, value.day, value.hour, value.minute, value.second, value.micro
            )
            gmt = value.gmt
        else:
            raise ValueError(f"{value!r} is neither a date nor a time")
        if self.zone is not None:
            difference = self.zone.utcoffset(moment)
            zone = int(difference.total_seconds()) if difference is not None else 0
            if gmt:
                moment = _shifted(moment, zone, str(value))
        elif not gmt:
            zone = NO_ZONE
        return moment, zone

    def _format_iso(self, moment: datetime.datetime, zone: int, z_for_utc: bool) -> str:
        if self.kind == DATE:
            return f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}"
        text = f"{moment.hour:02d}:{moment.minute:02d}:{moment.second:02d}"
        if moment.microsecond:
            text += f".{moment.microsecond:06d}"
        if self.kind == DATE_TIME:
            text = f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}T" + text
        if zone == NO_ZONE:
            return text
        return text + ("Z" if z_for_utc and not zone else _offset_text(zone, ":"))

    def _format_field(self, letter: str, count: int, moment: datetime.datetime, zone: int) -> str:
        if letter in "yu":
            return f"{moment.year % 100:02d}" if count == 2 else str(moment.year).rjust(count, "0")
        if letter in "ML":
            return _format_name(moment.month - 1, moment.month, count, _MONTHS)
        if letter == "d":
            return str(moment.day).rjust(count, "0")
        if letter in "HkKhams":
            return _format_clock(letter, count, moment)
        if letter == "S":
            return f"{moment.microsecond:06d}".ljust(count, "0")[:count]
        if letter == "E" or letter in "ec":
            number = (moment.weekday() - self.first_day) % 7 + 1
            return _format_name(moment.weekday(), number, max(count, 3) if letter == "E" else count, _DAYS)
        if letter == "G":
            return "Anno Domini" if count == 4 else "AD"
        if letter in "ZzOXxVv":
            return _format_zone(letter, count, 0 if zone == NO_ZONE else zone, self.zone_name)
        if letter == "Q":
            return str((moment.month + 2) // 3).rjust(count, "0")
        if letter == "F":
            return str((moment.day + 6) // 7).rjust(count, "0")
        return self._format_week(letter, count, moment)

    def _format_week(self, letter: str, count: int, moment: datetime.datetime) -> str:
        """Write the fields that count days and weeks: D W w Y."""
        first = moment.date().replace(month=1, day=1).toordinal()
        day = moment.date().toordinal()
        if letter == "D":
            return str(day - first + 1).rjust(count, "0")
        if letter == "W":
            return str(self._week_of(day, day - moment.day + 1)).rjust(count, "0")
        year = moment.year
        week = self._week_of(day, first)
        if week == 0:
            year -= 1
            week = self._week_of(day, datetime.date(max(year, 1), 1, 1).toordinal())
        elif year < 9999 and self._week_of(day, datetime.date(year + 1, 1, 1).toordinal()) >= 1:
            year += 1
            week = 1
        if letter == "Y":
            return f"{year % 100:02d}" if count == 2 else str(year).rjust(count, "0")
        return str(week).rjust(count, "0")

    def _week_of(self, day: int, first: int) -> int:
        """Return the number of the week of a day, counted from the year or month that starts at `first`."""
        return (day - self._in_week(first, 1, -1)) // 7 + 1


def zone_of(name: str) -> datetime.tzinfo:
    """Return a zone by offset or name. Raises ValueError for an unknown one."""
    upper = name.upper()
    if upper in _ZONES:
        return datetime.timezone(datetime.timedelta(minutes=_ZONES[upper]))
    offset, end = _zone_offset(name, 0)
    if end == len(name):
        return datetime.timezone(datetime.timedelta(seconds=offset))
    if not name or not all(character.isalnum() or character in "/_-+" for character in name):
        raise ValueError(f"'{name}' is not a time zone")
    try:
        return zoneinfo.ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"'{name}' is not a time zone") from None


def _zone_offset(text: str, at: int) -> tuple[int, int]:
    """Return the seconds east of GMT of an offset at a place of a text, and where it ends; -1 if there is none."""
    upper = text[at : at + 3].upper()
    if upper in ("GMT", "UTC"):
        at += 3
        if text[at : at + 1] not in ("+", "-"):
            return 0, at
    elif text[at : at + 1] == "Z":
        return 0, at + 1
    sign = text[at : at + 1]
    if sign not in ("+", "-") or not sign:
        return 0, -1
    at += 1
    start = at
    while at < len(text) and at - start < 2 and text[at] in "0123456789":
        at += 1
    if at == start:
        return 0, -1
    hours = int(text[start:at])
    minutes = 0
    seconds = 0
    if text[at : at + 1] == ":" and text[at + 1 : at + 3].isdigit():
        minutes = int(text[at + 1 : at + 3])
        at += 3
        if text[at : at + 1] == ":" and text[at + 1 : at + 3].isdigit():
            seconds = int(text[at + 1 : at + 3])
            at += 3
    elif text[at : at + 2].isdigit() and len(text[at : at + 2]) == 2:
        minutes = int(text[at : at + 2])
        at += 2
    if hours > 18 or minutes > 59 or seconds > 59:
        return 0, -1
    total = (hours * 60 + minutes) * 60 + seconds
    return -total if sign == "-" else total, at


def _offset_text(zone: int, separator: str) -> str:
    sign = "-" if zone < 0 else "+"
    minutes = abs(zone) // 60
    return f"{sign}{minutes // 60:02d}{separator}{minutes % 60:02d}"


def _format_zone(letter: str, count: int, zone: int, name: str) -> str:
    if letter in "Xx":
        return _iso_zone(letter, count, zone)
    if letter == "Z" and count < 4:
        return _offset_text(zone, "")
    if letter == "Z" and count == 5:
        return _offset_text(zone, ":") if zone else "Z"
    if letter in "Vv" and name:
        return name
    if not zone:
        return "UTC" if letter == "z" and count < 4 else "GMT"
    if letter == "Z" or count == 4:
        return "GMT" + _offset_text(zone, ":")
    sign = "-" if zone < 0 else "+"
    minutes = abs(zone) // 60
    return f"GMT{sign}{minutes // 60}" + (f":{minutes % 60:02d}" if minutes % 60 else "")


def _iso_zone(letter: str, count: int, zone: int) -> str:
    """Write X or x: a zone of ISO 8601, where X has Z for GMT."""
    if letter == "X" and not zone:
        return "Z"
    if count == 1 and zone % 3600 == 0:
        return _offset_text(zone, "")[:3]
    return _offset_text(zone, ":" if count in (3, 5) else "")


def _format_clock(letter: str, count: int, moment: datetime.datetime) -> str:
    """Write the hour, the half of the day, the minute or the second."""
    if letter == "a":
        return "PM" if moment.hour >= 12 else "AM"
    if letter == "m":
        number = moment.minute
    elif letter == "s":
        number = moment.second
    elif letter == "H":
        number = moment.hour
    elif letter == "k":
        number = moment.hour or 24
    elif letter == "K":
        number = moment.hour % 12
    else:
        number = moment.hour % 12 or 12
    return str(number).rjust(count, "0")


def _set_clock(letter: str, value: int, fields: Fields) -> None:
    """Store the hour, the minute or the second."""
    if letter == "m":
        fields.minute = value
    elif letter == "s":
        fields.second = value
    elif letter == "H":
        fields.hour = value
    elif letter == "k":
        fields.hour = 0 if value == 24 else value
    elif letter == "K":
        fields.half_hour = value
    else:
        fields.half_hour = 0 if value == 12 else value


def _set_iso_date(date: str, text: str, fields: Fields) -> None:
    """Store a date of ISO 8601: YYYY-MM-DD."""
    parts = date.split("-")
    if len(parts) != 3 or [len(part) for part in parts] != [4, 2, 2] or not "".join(parts).isdigit():
        raise ValueError(f"'{text}' is not a date of ISO 8601")
    fields.year, fields.month, fields.day = int(parts[0]), int(parts[1]), int(parts[2])


def _format_name(index: int, number: int, count: int, names: tuple[str, ...]) -> str:
    if count <= 2:
        return str(number).rjust(count, "0")
    if count == 3:
        return names[index][:3]
    return names[index] if count == 4 else names[index][:1] if count == 5 else names[index][:2]


def _name(text: str, at: int, names: tuple[str, ...], pattern: str) -> tuple[int, int]:
    """Return which name stands at a place of a text, in full or shortened to three letters, and where it ends."""
    lower = text[at : at + 12].lower()
    for index, name in enumerate(names):
        if lower.startswith(name.lower()):
            return index, at + len(name)
    for index, name in enumerate(names):
        if lower.startswith(name[:3].lower()):
            return index, at + 3
    raise ValueError(f"'{text}' has no name of a month or day where the calendar pattern {pattern} has")


def _moment(day: int, seconds: int, micro: int, text: str) -> datetime.datetime:
    try:
        start = datetime.datetime.fromordinal(day)
        return start + datetime.timedelta(seconds=seconds, microseconds=micro)
    except (ValueError, OverflowError):
        raise ValueError(f"'{text}' is out of the range of dates") from None


def _shifted(moment: datetime.datetime, seconds: int, text: str) -> datetime.datetime:
    try:
        return moment + datetime.timedelta(seconds=seconds)
    except OverflowError:
        raise ValueError(f"'{text}' is out of the range of dates") from None


def _items(pattern: str) -> list[tuple[str, int, str]]:
    """Return the fields and literal texts of a pattern. Raises ValueError for a letter that means nothing."""
    items: list[tuple[str, int, str]] = []
    if pattern in ("I", "IU"):
        return items
    at = 0
    literal = ""
    while at < len(pattern):
        character = pattern[at]
        if character == "'":
            if pattern[at + 1 : at + 2] == "'":
                literal += "'"
                at += 2
                continue
            end = at + 1
            while True:
                end = pattern.find("'", end)
                if end < 0:
                    raise ValueError(f"calendar pattern '{pattern}' has an open quotation mark")
                if pattern[end + 1 : end + 2] != "'":
                    break
                end += 2
            literal += pattern[at + 1 : end].replace("''", "'")
            at = end + 1
            continue
        if character.isascii() and character.isalpha():
            if character not in _LETTERS or character in "IT":
                raise ValueError(f"calendar pattern '{pattern}' has the letter {character}, which means no field")
            if literal:
                items.append(("", 0, literal))
                literal = ""
            end = at
            while end < len(pattern) and pattern[end] == character:
                end += 1
            items.append((character, end - at, ""))
            at = end
            continue
        literal += character
        at += 1
    if literal:
        items.append(("", 0, literal))
    return items
