"""Calendar patterns: reading and writing dates, times and timestamps."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.formats.model.calendars import DATE, DATE_TIME, TIME, CalendarPattern, zone_of
from flintmq.broker.values import Date, Time, Timestamp


@pytest.mark.parametrize(
    ("pattern", "kind", "text", "value"),
    [
        ("yyyy-MM-dd", DATE, "2024-02-29", Date(2024, 2, 29)),
        ("MMddyyyyHHmmss", DATE_TIME, "02292024101112", Timestamp(2024, 2, 29, 10, 11, 12)),
        ("dd MMM yy", DATE, "01 jan 53", Date(1953, 1, 1)),
        ("dd MMM yy", DATE, "01 January 52", Date(2052, 1, 1)),
        ("EEEE MMMM yyyy", DATE, "Tuesday March 2013", Date(2013, 3, 5)),
        ("D yyyy", DATE, "60 2024", Date(2024, 2, 29)),
        ("YYYYwwEEE", DATE, "201301Tue", Date(2013, 1, 1)),
        ("hh:mm:ssaa", TIME, "01:02:03PM", Time(13, 2, 3)),
        ("HH:mm:ss.SSS", TIME, "10:00:00.125", Time(10, 0, 0, 125_000)),
        ("HH:mm:ssZ", TIME, "10:00:00-0500", Time(15, 0, 0, 0, True)),
        ("yyyy-MM-dd HH:mm z", DATE_TIME, "2024-01-01 01:00 GMT+02:00", Timestamp(2023, 12, 31, 23, 0, 0, 0, True)),
        ("I", DATE_TIME, "2020-01-01T10:00:00.5+02:00", Timestamp(2020, 1, 1, 8, 0, 0, 500_000, True)),
        ("I", DATE, "2020-01-01", Date(2020, 1, 1)),
        ("'Day 'dd' of 'MMMM, yyyy", DATE, "Day 05 of May, 1999", Date(1999, 5, 5)),
    ],
)
def test_a_pattern_reads_a_text(pattern: str, kind: int, text: str, value: object) -> None:
    assert CalendarPattern(pattern, kind).parse(text) == value


@pytest.mark.parametrize(
    ("pattern", "kind", "text"),
    [
        ("yyyy-MM-dd", DATE, "2023-02-29"),
        ("yyyy-MM-dd", DATE, "2023-13-01"),
        ("yyyy-MM-dd", DATE, "2023-01-01x"),
        ("yyyy-MM-dd", DATE, "23/01/01"),
        ("HH:mm", TIME, "25:00"),
        ("EEE yyyy-MM-dd", DATE, "Mon 2024-01-02"),
        ("I", DATE_TIME, "2020-01-01 10:00"),
        ("HH:mm z", TIME, "10:00 Nowhere/Never"),
        ("yyyy", DATE, "0000"),
    ],
)
def test_a_text_that_does_not_fit_is_an_error(pattern: str, kind: int, text: str) -> None:
    with pytest.raises(ValueError):
        CalendarPattern(pattern, kind).parse(text)


def test_lenient_reading_carries_what_is_out_of_range() -> None:
    lenient = CalendarPattern("yyyy-MM-dd", DATE, lenient=True)
    assert lenient.parse("2023-13-32") == Date(2024, 2, 1)


def test_a_zone_of_the_schema_is_that_of_texts_without_zone() -> None:
    assert CalendarPattern("HH:mm", TIME, time_zone="UTC+1").parse("10:30") == Time(9, 30, 0, 0, True)
    assert CalendarPattern("HH:mm z", TIME, time_zone="+01:00").format(Time(9, 30, 0, 0, True)) == "10:30 GMT+1"
    for name in ("", "Nowhere", "../etc/passwd", "+25:00"):
        with pytest.raises(ValueError, match="zone"):
            zone_of(name)


@pytest.mark.parametrize("pattern", ["yyyy-bb", "'open", "T"])
def test_a_pattern_with_letters_that_mean_nothing_is_an_error(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        CalendarPattern(pattern, DATE)


@settings(max_examples=80, deadline=None)
@given(
    st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(9998, 12, 31)),
    st.sampled_from(
        [
            "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
            "EEEE, d MMMM yyyy hh:mm:ss.SSSSSS a",
            "yyyyMMddHHmmssSSSSSS",
            "D yyyy kk:mm:ss.SSSSSS",
            "I",
        ]
    ),
)
def test_what_a_pattern_writes_it_reads_back(moment: datetime.datetime, pattern: str) -> None:
    value = Timestamp(
        moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond
    )
    made = CalendarPattern(pattern, DATE_TIME)
    assert made.parse(made.format(value)) == value


@settings(max_examples=60, deadline=None)
@given(
    st.dates(datetime.date(2, 1, 1), datetime.date(9998, 12, 31)),
    st.sampled_from(["Sunday", "Monday"]),
    st.integers(1, 7),
)
def test_weeks_come_back_whatever_starts_them(day: datetime.date, first: str, least: int) -> None:
    made = CalendarPattern("YYYY-ww-EEE", DATE, first_day_of_week=first, days_in_first_week=least)
    text = made.format(Date(day.year, day.month, day.day))
    if len(text.split("-")[0]) == 4 and not text.startswith("0"):
        assert made.parse(text) == Date(day.year, day.month, day.day)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=30), st.sampled_from(["yyyy-MM-dd", "EEEE MMM d w W F", "HH:mm:ss.SSS z", "I", "hh a VV"]))
def test_any_text_is_a_value_or_a_value_error(text: str, pattern: str) -> None:
    try:
        CalendarPattern(pattern, DATE_TIME).parse(text)
    except ValueError:
        pass
