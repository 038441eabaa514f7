"""EXTRACT, and the clock behind CURRENT_TIMESTAMP and its relatives (MF 2.11)."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import clock
from flintmq.broker.esql.functions_datetime import DATE_FIELDS, TIME_FIELDS, extract
from flintmq.broker.values import Date, Interval, Time, Timestamp, Value, parse_interval


@pytest.fixture(autouse=True)
def own_zone() -> Iterator[None]:
    yield
    clock.set_local_zone(None)


MOMENT = Timestamp(2024, 12, 25, 15, 4, 5, 123456)


@pytest.mark.parametrize(
    ("field", "value", "result"),
    [
        ("YEAR", MOMENT, 2024),
        ("MONTH", MOMENT, 12),
        ("DAY", MOMENT, 25),
        ("HOUR", MOMENT, 15),
        ("MINUTE", MOMENT, 4),
        ("SECOND", MOMENT, 5.123456),
        ("YEAR", Date(2024, 2, 29), 2024),
        ("HOUR", Time(15, 4, gmt=True), 15),
        ("SECOND", Time(1, 2, 3), 3.0),
        ("DAYS", Date(2000, 2, 29), 730179),
        ("DAYS", Date(1, 1, 1), 1),
        ("MONTHS", Date(1, 1, 1), 1),
        ("MONTHS", Date(2000, 2, 29), 23990),
        ("QUARTERS", Date(1, 4, 1), 2),
        ("QUARTERS", Date(2000, 2, 29), 7997),
        ("WEEKS", Date(1, 1, 1), 1),
        ("WEEKS", Date(1, 1, 6), 1),
        ("WEEKS", Date(1, 1, 7), 2),
        ("DAYOFYEAR", Date(2024, 12, 31), 366),
        ("DAYOFYEAR", Date(2023, 12, 31), 365),
        ("DAYOFYEAR", Date(2023, 1, 1), 1),
        ("DAYOFWEEK", Date(2024, 12, 22), 1),
        ("DAYOFWEEK", Date(2024, 12, 25), 4),
        ("DAYOFWEEK", Date(2024, 12, 28), 7),
        ("QUARTEROFYEAR", Date(2024, 3, 31), 1),
        ("QUARTEROFYEAR", Date(2024, 4, 1), 2),
        ("QUARTEROFYEAR", MOMENT, 4),
        # 1 January 2024 is a Monday, 1 September 2024 a Sunday.
        ("WEEKOFYEAR", Date(2024, 1, 1), 1),
        ("WEEKOFYEAR", Date(2024, 1, 6), 1),
        ("WEEKOFYEAR", Date(2024, 1, 7), 2),
        ("WEEKOFYEAR", Date(2024, 12, 31), 53),
        ("WEEKOFMONTH", Date(2024, 9, 1), 1),
        ("WEEKOFMONTH", Date(2024, 9, 7), 1),
        ("WEEKOFMONTH", Date(2024, 9, 8), 2),
        ("WEEKOFMONTH", Date(2024, 6, 30), 6),
        ("ISLEAPYEAR", Date(2024, 1, 1), True),
        ("ISLEAPYEAR", Date(1900, 1, 1), False),
        ("ISLEAPYEAR", Date(2000, 1, 1), True),
        ("YEAR", parse_interval("2-06", "YEAR TO MONTH"), 2),
        ("MONTH", parse_interval("2-06", "YEAR TO MONTH"), 6),
        ("MONTH", parse_interval("30", "MONTH"), 30),
        ("DAY", parse_interval("-3 04:05:06.5", "DAY TO SECOND"), -3),
        ("HOUR", parse_interval("3 04:05:06.5", "DAY TO SECOND"), 4),
        ("MINUTE", parse_interval("3 04:05:06.5", "DAY TO SECOND"), 5),
        ("SECOND", parse_interval("3 04:05:06.5", "DAY TO SECOND"), 6.5),
        ("HOUR", parse_interval("100:30", "HOUR TO MINUTE"), 100),
        ("YEAR", None, None),
    ],
)
def test_extract_gives_each_field(field: str, value: Value, result: Value) -> None:
    found = extract(field, value)
    assert found == result
    assert type(found) is type(result)


@pytest.mark.parametrize(
    ("field", "value", "number"),
    [
        ("YEAR", Time(1, 2), 2421),
        ("DAYS", Time(1, 2), 2421),
        ("HOUR", Date(2024, 1, 1), 2421),
        ("YEAR", "2024-01-01", 2421),
        ("SECOND", 5, 2421),
        ("DAYS", Interval("DAY"), 2421),
        ("HOUR", Interval("DAY"), 2439),
        ("DAY", Interval("MONTH"), 2439),
        ("CENTURY", Date(2024, 1, 1), 2439),
    ],
)
def test_a_field_that_a_type_does_not_have_is_an_error(field: str, value: Value, number: int) -> None:
    with pytest.raises(BrokerError) as caught:
        extract(field, value)
    assert caught.value.number == number


@given(st.dates())
@settings(max_examples=60)
def test_extract_agrees_with_pythons_calendar(day: datetime.date) -> None:
    value = Date(day.year, day.month, day.day)
    assert extract("DAYOFYEAR", value) == day.timetuple().tm_yday
    assert extract("DAYOFWEEK", value) == day.isoweekday() % 7 + 1
    assert extract("DAYS", value) == day.toordinal()
    # %U counts weeks from the first Sunday; what is before it is week 0.
    first = datetime.date(day.year, 1, 1)
    assert extract("WEEKOFYEAR", value) == int(day.strftime("%U")) + (first.isoweekday() != 7)
    for field in DATE_FIELDS:
        assert extract(field, value) is not None
    for field in TIME_FIELDS:
        assert extract(field, Timestamp(day.year, day.month, day.day)) == 0


class TestClock:
    def test_one_clock_shows_one_moment_in_every_type(self) -> None:
        clock.set_local_zone("America/New_York")
        at = clock.Clock(Timestamp(2024, 7, 1, 2, 3, 4, 5, True))
        assert at.timestamp() == Timestamp(2024, 6, 30, 22, 3, 4, 5)
        assert at.date() == Date(2024, 6, 30)
        assert at.time() == Time(22, 3, 4, 5)
        assert at.gmt_timestamp == Timestamp(2024, 7, 1, 2, 3, 4, 5, True)
        assert at.gmt_date() == Date(2024, 7, 1)
        assert at.gmt_time() == Time(2, 3, 4, 5, True)
        assert at.local_timezone() == parse_interval("-4:00", "HOUR TO MINUTE")
        assert str(at.local_timezone()) == "-4:00"

    def test_a_clock_is_set_in_gmt(self) -> None:
        with pytest.raises(ValueError):
            clock.Clock(Timestamp(2024, 7, 1))

    def test_now_is_between_two_looks_at_the_system_clock(self) -> None:
        before = datetime.datetime.now(datetime.UTC)
        shown = clock.now().gmt_timestamp.to_python()
        assert before <= shown <= datetime.datetime.now(datetime.UTC)

    def test_summer_time_counts_at_the_moment_of_the_timestamp(self) -> None:
        clock.set_local_zone("Europe/Berlin")
        assert clock.to_gmt(Timestamp(2024, 1, 1, 12)) == Timestamp(2024, 1, 1, 11, gmt=True)
        assert clock.to_gmt(Timestamp(2024, 7, 1, 12)) == Timestamp(2024, 7, 1, 10, gmt=True)
        assert clock.to_local(Timestamp(2024, 7, 1, 10, gmt=True)) == Timestamp(2024, 7, 1, 12)
        assert clock.to_local(Timestamp(2024, 7, 1, 10)) == Timestamp(2024, 7, 1, 10)
        # 02:30 stood on the clocks twice: the first is summer time.
        assert clock.to_gmt(Timestamp(2024, 10, 27, 2, 30)) == Timestamp(2024, 10, 27, 0, 30, gmt=True)

    def test_the_zone_of_the_process_is_the_default(self) -> None:
        assert clock.local_zone_name() is None
        moment = Timestamp(2024, 1, 1, 12)
        offset = datetime.datetime(2024, 1, 1, 12).astimezone().utcoffset()
        assert offset is not None
        assert clock.offset_of_local(moment) == offset.total_seconds() * 1_000_000
        assert clock.to_local(clock.to_gmt(moment)) == moment

    def test_an_unknown_zone_is_refused_and_changes_nothing(self) -> None:
        clock.set_local_zone("Asia/Kolkata")
        for name in ("Mars/Olympus", "../../etc/passwd", ""):
            with pytest.raises(ValueError):
                clock.set_local_zone(name)
        assert clock.local_zone_name() == "Asia/Kolkata"

    def test_the_ends_of_the_calendar_do_not_fail(self) -> None:
        clock.set_local_zone("Asia/Kolkata")
        for moment in (Timestamp(1, 1, 1), Timestamp(9999, 12, 31, 23, 59, 59, 999999)):
            assert abs(clock.offset_of_local(moment)) < 86_400_000_000
            gmt = Timestamp(
                moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.micro, True
            )
            assert abs(clock.offset_of_gmt(gmt)) < 86_400_000_000
        with pytest.raises(ValueError):
            clock.to_gmt(Timestamp(1, 1, 1))
