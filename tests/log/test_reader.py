"""The cases of restart: each input meets exactly one, and each case is met."""

from collections.abc import Callable

import pytest

from flintmq.log import Log, LogConfig, LogDamaged
from flintmq.log.reader import CLEAN, CONTROL_OLD, COPY, EVIDENCE, KNOWN, TORN
from flintmq.log.segments import PAGE
from tests.log.conftest import SMALL, Place
from tests.simulation.disk import SimulatedDisk

FIRST = "/qm/log/S0000000.LOG"


def bad_record(disk: SimulatedDisk) -> None:
    disk.flip(FIRST, PAGE + 48 + 44)  # In the payload of the second record.


def life(end: str, flushes: int, second_copy: str = "") -> SimulatedDisk:
    """Some records of 8 bytes, each flushed, and an end of the life of the log."""
    disk = SimulatedDisk()
    log = Place(disk, "/qm").create(LogConfig(**{**SMALL, "second_copy": second_copy}))  # type: ignore[arg-type]
    for number in range(flushes):
        log.append(number, bytes(8))
        log.flush()
    if end == "checkpoint":
        log.checkpoint(0, 1)
    if end == "close":
        log.close()
    return disk


def old_control(disk: SimulatedDisk) -> None:
    old = disk.content("/qm/log/control.lfh")
    log, _ = Place(disk, "/qm").reopen()
    log.append(9, bytes(8))
    log.close()
    disk.set_content("/qm/log/control.lfh", old)


def nothing(disk: SimulatedDisk) -> None:
    pass


CASES: list[tuple[str, str, int, str, Callable[[SimulatedDisk], None]]] = [
    (CLEAN, "close", 2, "", nothing),
    (TORN, "stop", 2, "", nothing),
    (TORN, "stop", 2, "", bad_record),
    (EVIDENCE, "stop", 3, "", bad_record),
    (KNOWN, "checkpoint", 2, "", bad_record),
    (KNOWN, "close", 2, "", bad_record),
    (COPY, "stop", 2, "/qm/second", bad_record),
    (COPY, "close", 2, "/qm/second", bad_record),
    (CONTROL_OLD, "stop", 2, "", old_control),
]


@pytest.mark.parametrize(("case", "end", "flushes", "second", "damage"), CASES)
def test_each_case_of_restart(
    case: str, end: str, flushes: int, second: str, damage: Callable[[SimulatedDisk], None]
) -> None:
    disk = life(end, flushes, second)
    damage(disk)
    ends: list[tuple[int, str]] = []
    log = Log.open(disk, "/qm/log")
    replay = log.replay()
    finish = log._finish
    texts = {KNOWN: "durable up to position", EVIDENCE: "proves", CONTROL_OLD: "an old one"}
    if case in texts:
        with pytest.raises(LogDamaged, match=texts[case]):
            list(replay)
        return

    def note_and_finish(position: int, found: str) -> None:
        ends.append((position, found))
        finish(position, found)

    replay._finish = note_and_finish
    count = len(list(replay))
    if case == COPY:
        assert count == flushes and log.counters.records_repaired == 1
    else:
        assert ends == [(48 * count, case)]
        assert count == (1 if damage is bad_record else flushes)


def test_the_cases_are_all_met() -> None:
    assert {row[0] for row in CASES} == {CLEAN, COPY, KNOWN, CONTROL_OLD, EVIDENCE, TORN}
