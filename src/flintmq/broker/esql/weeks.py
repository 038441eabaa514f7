"""Weekdays and weeks of FORMAT patterns, by the switch week_rule.

Days are numbered from 0001-01-01, which is 1 and a Monday. Weekdays are numbered from Monday, which is 0.
"""

from __future__ import annotations

from flintmq.broker.esql.switches import Switches


def days_before_year(year: int) -> int:
    """Return the number of the last day before a year, for any year; the day 1 is 0001-01-01."""
    before = year - 1
    return before * 365 + before // 4 - before // 100 + before // 400


def weekday(ordinal: int) -> int:
    """Return the weekday of a day number: 0 for Monday to 6 for Sunday."""
    return (ordinal + 6) % 7


def first_weekday(switches: Switches) -> int:
    """Return the weekday with which weeks begin: 6 for Sunday, 0 for Monday."""
    return 6 if switches.week_rule == "sunday" else 0


def week_start(year: int, switches: Switches) -> int:
    """Return the number of the first day of week 1 of a year."""
    first = days_before_year(year) + 1
    lead = (weekday(first) - first_weekday(switches)) % 7
    if switches.week_rule == "iso" and lead > 3:
        return first - lead + 7
    return first - lead


def week_of_year(ordinal: int, year: int, switches: Switches) -> tuple[int, int]:
    """Return the year to which the week of a day belongs, and the number of the week."""
    start = week_start(year, switches)
    if ordinal < start:
        year -= 1
        start = week_start(year, switches)
    else:
        following = week_start(year + 1, switches)
        if ordinal >= following:
            year += 1
            start = following
    return year, (ordinal - start) // 7 + 1


def week_of_month(ordinal: int, day: int, switches: Switches) -> int:
    """Return the number of the week in the month of a day; 0 for days before week 1 by the iso rule."""
    lead = (weekday(ordinal - day + 1) - first_weekday(switches)) % 7
    week = (day - 1 + lead) // 7
    return week if switches.week_rule == "iso" and lead > 3 else week + 1
