"""FORMAT patterns of dates and times (MF 2.10, BA 2.3 fact 23): every symbol written and read."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from flintmq.broker.esql import clock, date_formats
from flintmq.broker.esql.date_formats import date_format
from flintmq.broker.esql.switches import Switches, make_switches
from flintmq.broker.values import Date, Time, Timestamp, Value, timestamp_from_python


@pytest.fixture(autouse=True)
def kolkata() -> Iterator[None]:
    """Local time is 5:30 hours east of Greenwich all the year."""
    clock.set_local_zone("Asia/Kolkata")
    yield
    clock.set_local_zone(None)


#: A Wednesday, the last day of a leap year but six.
MOMENT = Timestamp(2024, 12, 25, 15, 4, 5, 123456)
MORNING = Timestamp(2024, 1, 2, 0, 9, 8, 70)
GMT = Timestamp(2024, 1, 2, 3, 4, 5, 678900, True)

WRITTEN: list[tuple[Value, str, str]] = [
    # Observed patterns, in order of their frequency.
    (MOMENT, "yyyy-MM-dd", "2024-12-25"),
    (MOMENT, "dd/MM/yyyy", "25/12/2024"),
    (MOMENT, "HH:mm:ss", "15:04:05"),
    (MOMENT, "yyyyMMdd", "20241225"),
    (MOMENT, "HHmmss", "150405"),
    (MOMENT, "ddMMyyyy", "25122024"),
    (MOMENT, "dd/MM/yyyy hh:mm:ss", "25/12/2024 03:04:05"),
    (MOMENT, "yyyyMMddHHmmssSSSSSS", "20241225150405123456"),
    (MOMENT, "yyyy-MM-dd HH:mm:ss.SSS", "2024-12-25 15:04:05.123"),
    (MOMENT, "dd-MMM-yyyy", "25-Dec-2024"),
    (MOMENT, "yyyyMMddHHmmssSSSSSSS", "202412251504051234560"),
    (MOMENT, "MMDD", "12360"),
    (MORNING, "MMDD", "0102"),
    # Years.
    (MOMENT, "yy", "24"),
    (MOMENT, "y", "2024"),
    (MOMENT, "yyyyy", "02024"),
    (Date(987, 1, 1), "yyyy", "0987"),
    (Date(987, 1, 1), "yyy", "987"),
    # Months and days.
    (MORNING, "M", "1"),
    (MORNING, "MM", "01"),
    (MORNING, "MMM", "Jan"),
    (MORNING, "MMMM", "January"),
    (MORNING, "d", "2"),
    (MORNING, "dd", "02"),
    (MORNING, "D", "2"),
    (MORNING, "DD", "02"),
    (MORNING, "DDD", "002"),
    (MOMENT, "DDD", "360"),
    (MOMENT, "E", "Wed"),
    (MOMENT, "EEE", "Wed"),
    (MOMENT, "EEEE", "Wednesday"),
    (MOMENT, "e", "4"),
    (MOMENT, "F", "4"),
    (MOMENT, "w", "52"),
    (MOMENT, "W", "4"),
    (MORNING, "ww", "01"),
    (Date(2024, 12, 31), "YYYY-ww", "2025-01"),
    (Date(2024, 12, 31), "YY", "25"),
    # Times.
    (MORNING, "H", "0"),
    (MORNING, "HH", "00"),
    (MORNING, "k", "24"),
    (MORNING, "K", "0"),
    (MORNING, "h", "12"),
    (MORNING, "hh a", "12 AM"),
    (MOMENT, "h a", "3 PM"),
    (MOMENT, "kk", "15"),
    (MOMENT, "KK", "03"),
    (MORNING, "m", "9"),
    (MORNING, "s", "8"),
    (MORNING, "ss", "08"),
    (MORNING, "S", "0"),
    (MORNING, "SSSSSS", "000070"),
    (MOMENT, "S", "1"),
    (MOMENT, "SS", "12"),
    (MOMENT, "SSSSSSSSS", "123456000"),
    (MOMENT, "G", "AD"),
    # Zones.
    (MOMENT, "z", "GMT+05:30"),
    (GMT, "z", "GMT"),
    (MOMENT, "Z", "+0530"),
    (MOMENT, "ZZ", "+0530"),
    (MOMENT, "ZZZ", "+05:30"),
    (MOMENT, "ZZZZ", "GMT+05:30"),
    (MOMENT, "ZZZZZ", "+0530"),
    (GMT, "ZZZ", "+00:00"),
    (GMT, "ZZZU", "Z"),
    (MOMENT, "ZZZU", "+05:30"),
    (Time(1, 2), "ZZZ", "+05:30"),
    (Date(2024, 1, 1), "ZZZ", "+05:30"),
    # Shorthands.
    (MOMENT, "I", "2024-12-25T15:04:05.123+05:30"),
    (MOMENT, "ISO", "2024-12-25T15:04:05.123+05:30"),
    (MOMENT, "IU", "2024-12-25T15:04:05.123+05:30"),
    (GMT, "I", "2024-01-02T03:04:05.678+00:00"),
    (GMT, "IU", "2024-01-02T03:04:05.678Z"),
    (Date(2024, 1, 31), "I", "2024-01-31"),
    (Time(1, 2, 3, 4000, True), "I", "01:02:03.004+00:00"),
    (Time(1, 2, 3, 4000, True), "IU", "01:02:03.004Z"),
    (MOMENT, "T", "15:04:05.123+05:30"),
    (GMT, "TU", "03:04:05.678Z"),
    (Time(1, 2, 3), "T", "01:02:03.000+05:30"),
    # Text.
    (MOMENT, "'Date: 'yyyy", "Date: 2024"),
    (MOMENT, "yyyy-MM-dd'T'HH:mm:ss'Z'", "2024-12-25T15:04:05Z"),
    (MOMENT, "h 'o''clock' a", "3 o'clock PM"),
    (MOMENT, "dd''MM", "25'12"),
    (MOMENT, "", ""),
    (MOMENT, "d. MMMM yyyy, EEEE", "25. December 2024, Wednesday"),
    (MOMENT, "yyyy年MM月", "2024年12月"),
    # Fields that the value does not have.
    (Date(2024, 1, 31), "dd HH:mm:ss", "31 00:00:00"),
    (Time(1, 2, 3), "yyyy-MM-dd HH", "1970-01-01 01"),
]


@pytest.mark.parametrize(("value", "pattern", "text"), WRITTEN)
def test_a_pattern_writes_each_symbol(value: Value, pattern: str, text: str) -> None:
    assert date_format(pattern).format(value) == text


READ: list[tuple[str, str, str, Value]] = [
    ("yyyy-MM-dd", "2024-12-25", "DATE", Date(2024, 12, 25)),
    ("dd/MM/yyyy", "25/12/2024", "DATE", Date(2024, 12, 25)),
    ("dd/MM/yyyy", "1/2/2024", "DATE", Date(2024, 2, 1)),
    ("dd/MM/yyyy", " 1/ 2/2024", "DATE", Date(2024, 2, 1)),
    ("yyyyMMdd", "20241225", "DATE", Date(2024, 12, 25)),
    ("ddMMyyyy", "25122024", "DATE", Date(2024, 12, 25)),
    ("HHmmss", "150405", "TIME", Time(15, 4, 5)),
    ("HH:mm:ss", "15:04:05", "GMTTIME", Time(15, 4, 5, 0, True)),
    ("Hmm", "930", "TIME", Time(9, 30)),
    ("Hmm", "1930", "TIME", Time(19, 30)),
    ("yyyyMMddHHmmssSSSSSSS", "202412251504051234567", "TIMESTAMP", MOMENT),
    ("yyyyMMddHHmmssSSS", "20241225150405123", "TIMESTAMP", Timestamp(2024, 12, 25, 15, 4, 5, 123000)),
    ("yyyy-MM-dd HH:mm:ss.SSS", "2024-12-25 15:04:05.1", "TIMESTAMP", Timestamp(2024, 12, 25, 15, 4, 5, 100000)),
    ("ss.SSSSSSyyyy", "05.1234562024", "TIMESTAMP", Timestamp(2024, 1, 1, 0, 0, 5, 123456)),
    ("dd-MMM-yyyy", "25-Dec-2024", "DATE", Date(2024, 12, 25)),
    ("dd-MMM-yyyy", "25-DECEMBER-2024", "DATE", Date(2024, 12, 25)),
    ("dd MMMM yyyy", "3 may 2024", "DATE", Date(2024, 5, 3)),
    ("dd-MMM-yyyy", "25-12-2024", "DATE", Date(2024, 12, 25)),
    ("MMDD", "02060", "DATE", Date(1970, 3, 1)),
    ("yyyyDDD", "2024060", "DATE", Date(2024, 2, 29)),
    ("yyyy D", "2023 60", "DATE", Date(2023, 3, 1)),
    ("EEE, d MMM yyyy", "Wed, 25 Dec 2024", "DATE", Date(2024, 12, 25)),
    ("yyyy MMMM EEEE F", "2006 July Wednesday 2", "DATE", Date(2006, 7, 12)),
    ("yyyy MMMM EEEE W", "2006 July Wednesday 2", "DATE", Date(2006, 7, 5)),
    ("yyyy MM W", "2006 07 2", "DATE", Date(2006, 7, 2)),
    ("yyyy MM W", "2006 07 1", "DATE", Date(2006, 7, 1)),
    ("YYYY ww EEE", "2025 01 Tue", "DATE", Date(2024, 12, 31)),
    ("YYYY ww e", "2025 01 3", "DATE", Date(2024, 12, 31)),
    ("yyyy ww", "2024 02", "DATE", Date(2024, 1, 7)),
    ("yy-MM-dd", "52-01-01", "DATE", Date(2052, 1, 1)),
    ("yy-MM-dd", "53-01-01", "DATE", Date(1953, 1, 1)),
    ("yyMMdd", "991231", "DATE", Date(1999, 12, 31)),
    ("yyyy", "24", "DATE", Date(24, 1, 1)),
    ("MM/yyyy", "02/2024", "DATE", Date(2024, 2, 1)),
    ("hh:mm a", "12:30 AM", "TIME", Time(0, 30)),
    ("hh:mm a", "12:30 pm", "TIME", Time(12, 30)),
    ("hh:mm a", "03:30 PM", "TIME", Time(15, 30)),
    ("KK:mm a", "00:30 PM", "TIME", Time(12, 30)),
    ("kk:mm", "24:30", "TIME", Time(0, 30)),
    ("hh:mm:ss", "15:04:05", "TIME", Time(15, 4, 5)),
    ("hh:mm:ss", "12:04:05", "TIME", Time(0, 4, 5)),
    ("yyyy G", "2024 AD", "DATE", Date(2024, 1, 1)),
    ("HH:mm", "12:30", "TIMESTAMP", Timestamp(1970, 1, 1, 12, 30)),
    ("yyyy-MM-dd HH:mm:ss", "2024-12-25 15:04:05", "DATE", Date(2024, 12, 25)),
    ("yyyy-MM-dd HH:mm:ss", "2024-12-25 15:04:05", "TIME", Time(15, 4, 5)),
    ("'on' yyyy", "on 2024", "DATE", Date(2024, 1, 1)),
    ("yyyy-MM-dd", "2024-12-25  ", "DATE", Date(2024, 12, 25)),
    # Zones: a GMT type keeps the instant in GMT, a local one in local time (+05:30).
    ("HH:mmZZZ", "12:00+05:30", "GMTTIME", Time(6, 30, gmt=True)),
    ("HH:mmZZZ", "12:00+02:00", "TIME", Time(15, 30)),
    ("HH:mm Z", "12:00 +0200", "GMTTIME", Time(10, 0, gmt=True)),
    ("HH:mm Z", "12:00 -2", "GMTTIME", Time(14, 0, gmt=True)),
    ("HH:mm Z", "12:00 +930", "GMTTIME", Time(2, 30, gmt=True)),
    ("HH:mm Z", "12:00 Z", "GMTTIME", Time(12, 0, gmt=True)),
    ("HH:mm z", "12:00 GMT", "GMTTIME", Time(12, 0, gmt=True)),
    ("HH:mm z", "12:00 GMT+01:00", "GMTTIME", Time(11, 0, gmt=True)),
    ("HH:mm z", "12:00 est", "GMTTIME", Time(17, 0, gmt=True)),
    ("yyyy-MM-dd HH:mm ZZZU", "2024-01-01 00:30 Z", "TIMESTAMP", Timestamp(2024, 1, 1, 6, 0)),
    ("yyyy-MM-dd HH:mm ZZZ", "2024-01-01 00:30 +01:00", "GMTTIMESTAMP", Timestamp(2023, 12, 31, 23, 30, gmt=True)),
    ("yyyy-MM-dd HH:mm ZZZ", "2024-01-01 00:30 +01:00", "DATE", Date(2024, 1, 1)),
    # ISO 8601.
    ("I", "2024-12-25T15:04:05.123456", "TIMESTAMP", MOMENT),
    ("I", "2024-12-25T15:04:05.5Z", "GMTTIMESTAMP", Timestamp(2024, 12, 25, 15, 4, 5, 500000, True)),
    ("I", "2024-12-25T15:04:05+05:30", "TIMESTAMP", Timestamp(2024, 12, 25, 15, 4, 5)),
    ("I", "2024-12-25 15:04", "TIMESTAMP", Timestamp(2024, 12, 25, 15, 4)),
    ("IU", "2024-12-25T15", "TIMESTAMP", Timestamp(2024, 12, 25, 15)),
    ("I", "2024-12-25", "DATE", Date(2024, 12, 25)),
    ("I", "2024-12-25Z", "DATE", Date(2024, 12, 25)),
    ("I", "2024-12", "DATE", Date(2024, 12, 1)),
    ("I", "2024", "DATE", Date(2024, 1, 1)),
    ("I", "15:04:05", "TIME", Time(15, 4, 5)),
    ("I", "T15:04:05", "TIME", Time(15, 4, 5)),
    ("T", "15:04:05,25", "TIME", Time(15, 4, 5, 250000)),
    ("TU", "15:04Z", "GMTTIME", Time(15, 4, gmt=True)),
    ("ISO", "2024-12-25", "DATE", Date(2024, 12, 25)),
]


@pytest.mark.parametrize(("pattern", "text", "target", "value"), READ)
def test_a_pattern_reads_each_symbol(pattern: str, text: str, target: str, value: Value) -> None:
    assert date_format(pattern).parse(text, target) == value


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyy-MM-dd", ""),
        ("yyyy-MM-dd", "2024-02-30"),
        ("yyyy-MM-dd", "2023-02-29"),
        ("yyyy-MM-dd", "2024-13-01"),
        ("yyyy-MM-dd", "2024-00-01"),
        ("yyyy-MM-dd", "0000-01-01"),
        ("yyyy-MM-dd", "2024-01-00"),
        ("yyyy-MM-dd", "2024/01/01"),
        ("yyyy-MM-dd", "2024-01-01x"),
        ("yyyy-MM-dd", "2024-01-01 10:00"),
        ("yyyy-MM-dd", "24-Jan-01"),
        ("yyyy-MM-dd", "٢٠٢٤-01-01"),
        ("yyyyMMdd", "240101"),
        ("yyyyMMdd", "2024 1 1"),
        ("dd-MMM-yyyy", "25-Dez-2024"),
        ("yyyy DDD", "2023 366"),
        ("yyyy D", "2023 0"),
        ("yyyy MMMM EEEE F", "2006 July Wednesday 5"),
        ("yyyy MMMM EEEE W", "2006 July Sunday 1"),
        ("yyyy F", "2024 6"),
        ("yyyy ww", "2024 54"),
        ("yyyy e", "2024 8"),
        ("yyyy G", "2024 BC"),
        ("yyyy EEE", "2024 Xyz"),
        ("I", "2024-1-1"),
        ("I", "24-01-01"),
        ("yyyy-MM-dd", "2024-01-" + "0" * 1000),
    ],
)
def test_a_text_that_does_not_fit_its_pattern_is_refused(pattern: str, text: str) -> None:
    with pytest.raises(ValueError):
        date_format(pattern).parse(text, "DATE")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("HH:mm", "24:00"),
        ("HH:mm", "12:60"),
        ("HH:mm:ss", "12:00:60"),
        ("hh:mm a", "13:00 PM"),
        ("hh:mm a", "12:00 XM"),
        ("kk", "25"),
        ("HH:mm Z", "12:00"),
        ("HH:mm Z", "12:00 +"),
        ("HH:mm Z", "12:00 +2500"),
        ("HH:mm z", "12:00 XYZ"),
        ("ss.SSS", "12."),
    ],
)
def test_a_time_that_does_not_exist_is_refused(pattern: str, text: str) -> None:
    with pytest.raises(ValueError):
        date_format(pattern).parse(text, "TIME")


def test_the_reason_says_where_the_text_does_not_fit() -> None:
    with pytest.raises(ValueError, match="'-' is wanted at character 5, where '/12/25' stands"):
        date_format("yyyy-MM-dd").parse("2024/12/25", "DATE")
    with pytest.raises(ValueError, match="day of 2023-02 29 is not in 1 to 28"):
        date_format("yyyy-MM-dd").parse("2023-02-29", "DATE")


@pytest.mark.parametrize("pattern", ["yyyy-QQ", "dd'unclosed", "U", "yyyyU", "ZZU", "b", "y" * 300, "n"])
def test_a_bad_pattern_is_refused_with_its_fault(pattern: str) -> None:
    with pytest.raises(ValueError, match="FORMAT"):
        date_format(pattern)


def test_only_dates_and_times_are_written() -> None:
    with pytest.raises(ValueError):
        date_format("yyyy").format(5)


def test_switch_date_checking_lenient_rolls_fields_over() -> None:
    lenient = make_switches({"date_checking": "lenient"})

    def read(pattern: str, text: str, target: str = "DATE") -> Value:
        return date_format(pattern).parse(text, target, lenient)

    assert read("yyyy-MM-dd", "2024-02-30") == Date(2024, 3, 1)
    assert read("yyyy-MM-dd", "2024-13-01") == Date(2025, 1, 1)
    assert read("yyyy-MM-dd", "2024-01-00") == Date(2023, 12, 31)
    assert read("yyyy-MM-dd", "2024-01-01 and more") == Date(2024, 1, 1)
    assert read("yyyy D", "2023 366") == Date(2024, 1, 1)
    assert read("ddMMyyyy", "1022024") == Date(2024, 2, 1)
    assert read("HH:mm", "24:30", "TIMESTAMP") == Timestamp(1970, 1, 2, 0, 30)
    with pytest.raises(ValueError):
        read("yyyy-MM-dd", "2024-Jan-01")


def test_switch_century_window_moves_two_digit_years() -> None:
    for window, year in ((0, 1900), (1, 2000), (100, 2000)):
        assert date_format("yy").parse("00", "DATE", make_switches({"century_window": window})) == Date(year, 1, 1)
    assert date_format("yy").parse("99", "DATE", make_switches({"century_window": 100})) == Date(2099, 1, 1)


@pytest.mark.parametrize(
    ("rule", "day", "text"),
    [
        # 1 January 2023 is a Sunday, 1 January 2024 a Monday.
        ("sunday", Date(2023, 1, 1), "2023 1 1 1"),
        ("monday", Date(2023, 1, 1), "2023 1 1 7"),
        ("iso", Date(2023, 1, 1), "2022 52 0 7"),
        ("sunday", Date(2024, 1, 7), "2024 2 2 1"),
        ("monday", Date(2024, 1, 7), "2024 1 1 7"),
        ("iso", Date(2024, 1, 7), "2024 1 1 7"),
        ("sunday", Date(2024, 12, 29), "2025 1 5 1"),
        ("monday", Date(2024, 12, 30), "2025 1 6 1"),
        ("iso", Date(2024, 12, 30), "2025 1 5 1"),
        ("iso", Date(2020, 12, 31), "2020 53 5 4"),
    ],
)
def test_switch_week_rule_decides_weeks_and_weekday_numbers(rule: str, day: Date, text: str) -> None:
    switches = make_switches({"week_rule": rule})
    assert date_format("YYYY w W e").format(day, switches) == text


@given(st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 12, 31)))
@settings(max_examples=60)
def test_the_iso_week_rule_agrees_with_pythons_calendar(day: datetime.date) -> None:
    switches = make_switches({"week_rule": "iso"})
    year, week, number = day.isocalendar()
    text = date_format("YYYY-ww-e").format(Date(day.year, day.month, day.day), switches)
    assert text == f"{year:04d}-{week:02d}-{number}"
    assert date_format("YYYY-ww-e").parse(text, "DATE", switches) == Date(day.year, day.month, day.day)


def test_switch_zone_pattern_short_writes_hours_alone() -> None:
    short = make_switches({"zone_pattern": "short"})
    assert date_format("Z").format(MOMENT, short) == "+5:30"
    assert date_format("ZZ").format(GMT, short) == "+00"
    assert date_format("ZZZ").format(MOMENT, short) == "+05:30"


def test_switch_missing_date_current_takes_todays_fields() -> None:
    current = make_switches({"missing_date": "current"})
    at = clock.Clock(Timestamp(2024, 2, 3, 22, 0, gmt=True))  # 4 February in local time.
    read = date_format("HH:mm").parse
    assert read("12:30", "TIMESTAMP", current, at) == Timestamp(2024, 2, 4, 12, 30)
    assert read("12:30", "GMTTIMESTAMP", current, at) == Timestamp(2024, 2, 3, 12, 30, gmt=True)
    assert date_format("MM/yyyy").parse("05/2023", "DATE", current, at) == Date(2023, 5, 1)


def test_the_cache_is_bounded_and_gives_the_same_object_again() -> None:
    assert date_format("yyyy") is date_format("yyyy")
    for number in range(2 * date_formats.CACHE_MAX):
        date_format(f"yyyy'{number}'")
    assert date_formats.cache_size() <= date_formats.CACHE_MAX


#: Patterns that keep all fields of a timestamp, to the microsecond.
COMPLETE = [
    "yyyy-MM-dd HH:mm:ss.SSSSSS",
    "yyyyMMddHHmmssSSSSSS",
    "dd/MMM/yyyy hh:mm:ss.SSSSSS a",
    "EEEE, d. MMMM yyyy, k:m:s,SSSSSS",
    "yyyy DDD K:mm:ss a SSSSSSSSS",
    "yyyy MM F EEE HHmmssSSSSSS",
    "YYYY 'W'ww e HH:mm:ss.SSSSSS",
    "HH:mm:ss.SSSSSS ZZZ dd.MM.yyyy",
    "yyyy-MM-dd'T'HH:mm:ss.SSSSSSZZZU",
    "z yyyy/M/d H:m:s S" + "S" * 5,
]


@given(
    st.datetimes(datetime.datetime(1000, 1, 8), datetime.datetime(9998, 12, 20)),
    st.sampled_from(COMPLETE),
    st.booleans(),
)
@settings(max_examples=200)
def test_what_a_complete_pattern_writes_it_reads_back(moment: datetime.datetime, pattern: str, gmt: bool) -> None:
    # Before 1906 the zone of Kolkata had seconds, which no pattern writes.
    assume(gmt or moment.year > 1945 or "Z" not in pattern and "z" not in pattern)
    value = timestamp_from_python(moment.replace(tzinfo=datetime.UTC) if gmt else moment)
    text = date_format(pattern).format(value)
    assert date_format(pattern).parse(text, "GMTTIMESTAMP" if gmt else "TIMESTAMP") == value


@given(st.text(max_size=30), st.sampled_from(COMPLETE + ["I", "T", "yyyyMMdd"]), st.booleans())
@settings(max_examples=150)
def test_any_text_is_read_or_refused(text: str, pattern: str, lenient: bool) -> None:
    switches = make_switches({"date_checking": "lenient"}) if lenient else Switches()
    try:
        value = date_format(pattern).parse(text, "TIMESTAMP", switches)
    except ValueError:
        return
    assert isinstance(value, Timestamp)


@given(st.text("adDeEFGhHIkKmMsSTUwWyYzZ'- x", max_size=12))
@settings(max_examples=150)
def test_any_pattern_is_compiled_or_refused_and_writes_every_value(pattern: str) -> None:
    try:
        compiled = date_format(pattern)
    except ValueError:
        return
    for value in (MOMENT, GMT, Date(1, 1, 1), Time(0, 0), Timestamp(9999, 12, 31, 23, 59, 59)):
        assert isinstance(compiled.format(value), str)
