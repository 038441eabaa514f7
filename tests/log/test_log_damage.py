"""Damage: bytes that change on disk are named with file and offset, or repaired; no record is lost in silence."""

from random import Random

import pytest

from flintmq.log import Log, LogConfig, LogDamaged, LogError
from flintmq.log.segments import PAGE
from tests.log.conftest import SMALL, Place
from tests.simulation.disk import SimulatedDisk

FIRST = "/qm/log/S0000000.LOG"
CONTROL = "/qm/log/control.lfh"


def written(clean: bool, two: bool = False) -> tuple[SimulatedDisk, list[bytes], int]:
    """A disk with a log of several flushes; its records, and how many of them were in the last flush."""
    disk = SimulatedDisk()
    log = Place(disk, "/qm").create(LogConfig(**{**SMALL, "second_copy": "/qm/second" if two else ""}))  # type: ignore[arg-type]
    payloads: list[bytes] = []
    for group in range(4):
        for number in range(3):
            payloads.append(bytes([group * 3 + number + 1]) * (150 + 331 * number))
            log.append(group, payloads[-1])
        log.flush()
        if group == 1:
            log.checkpoint(0, 1)
    log.append(99, b"last" * 100)
    payloads.append(b"last" * 100)
    log.flush()
    if clean:
        log.close()
    else:
        log.abandon()
    return disk, payloads, 1


def outcome(disk: SimulatedDisk) -> list[bytes] | LogError:
    try:
        log, records = Place(disk, "/qm").reopen()
    except LogError as error:
        return error
    log.abandon()
    return [record.payload for record in records]


@pytest.mark.parametrize("clean", [True, False])
def test_a_flipped_byte_is_named_or_harmless_but_never_a_silent_loss(clean: bool) -> None:
    """After a clean end nothing may be lost. Without one, only the very last flush can look like a torn write."""
    disk, payloads, last_group = written(clean)
    size = len(disk.content(FIRST))
    found = {"damaged": 0, "harmless": 0, "torn": 0}
    for offset in [*range(64), *range(64, PAGE, 509), *range(PAGE, size, 29)]:
        after = disk.copy()
        after.flip(FIRST, offset, 1 << (offset % 8))
        result = outcome(after)
        if isinstance(result, LogDamaged):
            assert result.path == FIRST and abs(result.offset - offset) < 1000, (offset, str(result))
            found["damaged"] += 1
        else:
            assert isinstance(result, list), (offset, str(result))
            if result == payloads:
                found["harmless"] += 1
            else:
                assert not clean, offset
                assert result == payloads[: len(result)] and len(result) >= len(payloads) - last_group, offset
                found["torn"] += 1
    assert found["damaged"] > 100
    assert (found["torn"] == 0) is clean


def test_a_flipped_byte_in_one_copy_is_repaired_from_the_other() -> None:
    disk, payloads, _ = written(False, two=True)
    size = len(disk.content(FIRST))
    for path in (FIRST, "/qm/second/S0000000.LOG"):
        for offset in [*range(52), *range(PAGE, size, 97)]:
            after = disk.copy()
            after.flip(path, offset)
            log, records = Place(after, "/qm").reopen()
            assert [record.payload for record in records] == payloads, offset
            first, second = log.segments()
            assert first.read(0, log.end) == second.read(0, log.end)
            log.abandon()
            assert outcome(after) == payloads


def test_damage_in_both_copies_at_different_places_is_repaired() -> None:
    disk, payloads, _ = written(False, two=True)
    disk.flip(FIRST, PAGE + 60)
    disk.flip("/qm/second/S0000000.LOG", PAGE + 2000)
    log, records = Place(disk, "/qm").reopen()
    assert [record.payload for record in records] == payloads
    assert len(log.repairs) == 2 and log.counters.records_repaired == 1


def test_damage_in_both_copies_at_the_same_place_is_damage() -> None:
    disk, _, _ = written(False, two=True)
    disk.flip(FIRST, PAGE + 60)
    disk.flip("/qm/second/S0000000.LOG", PAGE + 60)
    assert isinstance(outcome(disk), LogDamaged)


def test_a_lost_copy_is_made_again() -> None:
    disk, payloads, _ = written(False, two=True)
    for directory in ("/qm/log", "/qm/second"):
        after = disk.copy()
        for name in after.listdir(directory):
            after.discard(f"{directory}/{name}")
        log = Log.open(after, "/qm/log", "/qm/second")
        assert [record.payload for record in log.replay()] == payloads
        assert len(log.repairs) == 3
        log.close()
        assert outcome(after) == payloads


def test_an_unreadable_file_is_named_or_read_from_the_other_copy() -> None:
    disk, _, _ = written(False)
    disk.bad_reads.add(FIRST)
    result = outcome(disk)
    assert isinstance(result, LogDamaged) and "cannot be read" in str(result) and result.path == FIRST

    disk, payloads, _ = written(False, two=True)
    disk.bad_reads.add("/qm/log/S0000000.LOG")
    log = Log.open(disk, "/qm/log")
    with pytest.raises(LogDamaged):  # The records come from the other copy, but this one cannot be used any more.
        assert [record.payload for record in log.replay()] == payloads


def test_a_zeroed_last_file_is_damage_although_no_record_in_it_can_tell() -> None:
    disk = SimulatedDisk()
    log = Place(disk, "/qm").create()
    log.append(1, bytes(2 * PAGE - 40))
    log.flush()
    log.append(2, b"in the second file")
    log.flush()
    log.abandon()
    disk.set_content("/qm/log/S0000001.LOG", bytes(3 * PAGE))
    result = outcome(disk)
    assert isinstance(result, LogDamaged) and result.path == "/qm/log/S0000001.LOG" and result.offset == 0


def test_a_bad_header_is_written_again_when_all_its_records_are_good() -> None:
    disk, payloads, _ = written(True)
    disk.flip(FIRST, 20)
    log, records = Place(disk, "/qm").reopen()
    assert [record.payload for record in records] == payloads
    assert log.repairs == [f"{FIRST}: the CRC of the header does not fit; the header was written again"]
    log.close()
    log, _ = Place(disk, "/qm").reopen()
    assert log.repairs == []


@pytest.mark.parametrize("clean", [True, False])
def test_either_slot_of_the_control_file_is_enough(clean: bool) -> None:
    disk, payloads, _ = written(clean)
    for offset in [*range(140), 16384 - 1, *range(16384, 16384 + 140)]:
        after = disk.copy()
        after.flip(CONTROL, offset)
        assert outcome(after) == payloads, offset


def test_a_control_file_without_a_valid_slot_is_damage_and_is_named() -> None:
    disk, _, _ = written(True)
    disk.flip(CONTROL, 30)
    disk.flip(CONTROL, 16384 + 30)
    result = outcome(disk)
    assert isinstance(result, LogDamaged) and result.path == CONTROL and "no slot" in str(result)


def test_an_old_control_file_is_recognised() -> None:
    """Somebody restored the control file but not the log: its epoch is behind that of the records."""
    disk = SimulatedDisk()
    place = Place(disk, "/qm")
    log = place.create()
    old = disk.content(CONTROL)
    log.append(1, b"x")
    log.flush()
    log.abandon()
    log, _ = place.reopen()
    log.append(2, b"y")
    log.flush()
    log.abandon()
    disk.set_content(CONTROL, old)
    result = outcome(disk)
    assert isinstance(result, LogDamaged) and "an old one" in str(result)


def test_a_missing_file_of_the_checkpoint_is_damage_not_an_empty_log() -> None:
    disk, _, _ = written(True)
    disk.discard(FIRST)
    result = outcome(disk)
    assert isinstance(result, LogDamaged) and "missing" in str(result) and result.path == FIRST


def spoil(disk: SimulatedDisk, path: str, random: Random) -> None:
    """Overwrite some places of a file with rubbish, and cut it sometimes."""
    data = bytearray(disk.content(path))
    for _ in range(random.randint(1, 3)):
        start = random.randrange(len(data))
        length = random.choice([1, 4, 8, 512, 4096, len(data)])
        rubbish = random.choice([random.randbytes(length), bytes(length), bytes(data[:length])])
        data[start : start + length] = rubbish[: len(data) - start]
    if random.random() < 0.2:
        del data[random.randrange(len(data)) :]
    disk.set_content(path, bytes(data))


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_files_full_of_rubbish_give_a_clear_error_or_the_right_records(first: int) -> None:
    """A log without a clean end is cut only where no intact record behind proves that there was more."""
    disk, payloads, _ = written(False)
    positions = [record.position for record in Log.open(disk.copy(), "/qm/log").replay()]
    content = disk.content(FIRST)
    paths = [path for path in disk.paths() if path.startswith("/qm/log")]
    cuts = 0
    for seed in range(first, first + 100):
        random = Random(seed)
        after = disk.copy()
        for path in random.sample(paths, random.randint(1, 2)):
            spoil(after, path, random)
        spoiled = after.content(FIRST)
        result = outcome(after)
        if isinstance(result, LogError):
            continue
        assert result == payloads[: len(result)], seed
        for position in positions[len(result) + 1 :]:
            header = slice(PAGE + position, PAGE + position + 40)
            synced = int.from_bytes(content[header][16:24], "little")
            assert spoiled[header] != content[header] or synced <= positions[len(result)], seed
        cuts += len(result) < len(payloads)
    assert cuts < 20
