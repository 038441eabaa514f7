"""STATIME and ACCTIME: what they mean, and when a new one begins."""

from __future__ import annotations

import pytest

from flintmq.qmgr.admin import Admin
from flintmq.qmgr.intervals import ACCTIME, STATIME, length_s, next_end_ms
from tests.qmgr.conftest import START_MS, Engine

MINUTE = 60_000


@pytest.fixture
def admin(engine: Engine) -> Admin:
    """The clock stands at the beginning of an hour."""
    engine.clock.advance(-START_MS % (60 * MINUTE))
    return Admin(engine.qm)


def test_accounting_has_the_interval_of_statistics_until_it_gets_its_own(engine: Engine, admin: Admin) -> None:
    """B1, B2."""
    row = admin.system_status()
    assert (row["STATIME"], row["ACCTIME"]) == ("30.00", "-1")
    assert length_s(engine.qm, STATIME) == length_s(engine.qm, ACCTIME) == 30 * 60
    admin.set_system({"ACCTIME": "0.15"})
    engine.clock.advance(30 * MINUTE)
    assert length_s(engine.qm, STATIME) == 30 * 60
    assert length_s(engine.qm, ACCTIME) == 15


def test_zero_is_the_system_wide_interval(engine: Engine, admin: Admin) -> None:
    """B4: for both, while ACCTIME follows STATIME."""
    engine.qm.system_interval_s = 900
    admin.set_system({"STATIME": "0"})
    engine.clock.advance(30 * MINUTE)
    assert length_s(engine.qm, STATIME) == length_s(engine.qm, ACCTIME) == 900


def test_a_new_interval_is_in_force_when_the_running_one_ends_and_not_before(engine: Engine, admin: Admin) -> None:
    """B10, B11: until then both are shown."""
    engine.clock.advance(MINUTE)
    admin.set_system({"STATIME": "1.00"})
    engine.clock.advance(29 * MINUTE - 1)
    row = admin.system_status()
    assert (row["STATIME"], row["NEWSTATIME"]) == ("30.00", "1.00")
    engine.clock.advance(1)
    row = admin.system_status()
    assert row["STATIME"] == "1.00" and "NEWSTATIME" not in row


def test_the_old_value_set_again_takes_the_new_one_back(admin: Admin) -> None:
    admin.set_system({"ACCTIME": "0.05"})
    admin.set_system({"ACCTIME": "-1"})
    assert "NEWACCTIME" not in admin.system_status()


def test_every_administrator_sees_the_same(engine: Engine, admin: Admin) -> None:
    admin.set_system({"STATIME": "2.00"})
    assert Admin(engine.qm).system_status()["NEWSTATIME"] == "2.00"


def test_intervals_end_on_the_clock() -> None:
    hour = START_MS - START_MS % (60 * MINUTE)
    assert next_end_ms(hour, 15) == hour + 15_000
    assert next_end_ms(hour + 14_999, 15) == hour + 15_000
    assert next_end_ms(hour + 15_000, 15) == hour + 30_000
    assert next_end_ms(hour + 7 * MINUTE, 1800) == hour + 30 * MINUTE
