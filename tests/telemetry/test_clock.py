"""Clocks, dates and text of SMF records."""

from __future__ import annotations

import pytest

from flintmq.telemetry.smf import clock, ebcdic


def test_the_store_clock_at_1970_and_a_second_later() -> None:
    assert clock.microseconds_of_clock(0x7D91048BCA000000) == 0
    assert clock.microseconds_of_clock(0x7D91048BCA000000 + (1_000_000 << 12)) == 1_000_000
    assert clock.clock_of_microseconds(1_000_000) == 0x7D91048BCA000000 + (1_000_000 << 12)


@pytest.mark.parametrize("value", [0, 1, 0x7D91048BC9FFFFFF])
def test_a_clock_before_1970_is_not_set(value: int) -> None:
    assert clock.microseconds_of_clock(value) is None


@pytest.mark.parametrize(("packed", "days"), [(0x0115327F, 16762), (0x0070001F, 0), (0x0124366F, 20088)])
def test_packed_dates(packed: int, days: int) -> None:
    assert clock.days_of_packed(packed) == days
    assert clock.packed_of_days(days) == packed


@pytest.mark.parametrize("packed", [0, 0x0115327C, 0x011532AF, 0x0115000F, 0x0115367F, 0xFFFFFFFF])
def test_what_is_no_packed_date(packed: int) -> None:
    assert clock.days_of_packed(packed) is None


def test_text_is_padded_with_blanks_and_unset_text_is_zeros() -> None:
    assert ebcdic.bytes_of("MQ1", 5) == bytes.fromhex("d4d8f14040")
    assert ebcdic.text_of(bytes.fromhex("d4d8f14040")) == "MQ1"
    assert ebcdic.bytes_of(None, 3) == bytes(3)
    assert ebcdic.text_of(bytes(3)) is None
    assert ebcdic.text_of(bytes.fromhex("404040")) == ""
    assert ebcdic.bytes_of("LONGER", 3) == ebcdic.bytes_of("LON", 3)
    assert ebcdic.text_of(ebcdic.bytes_of("a[b]c€", 6)) == "a[b]c?"
