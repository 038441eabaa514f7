"""The contract of the log, on the real file system and on the simulated disk."""

import errno
import os
import threading
from typing import Any

import pytest

from flintmq.log import LogConfig, LogDamaged, LogError, LogFull, LogRecord, check_log
from flintmq.log.log import LARGE, Log
from flintmq.log.record import HEADER_SIZE, PAYLOAD_MAX, record_size
from flintmq.log.segments import PAGE
from tests.log.conftest import IDENTITY, SMALL, Place
from tests.simulation.disk import SimulatedDisk


def config(**changes: Any) -> LogConfig:
    return LogConfig(**{**SMALL, **changes})


def contents(records: list[LogRecord]) -> list[tuple[int, bytes]]:
    return [(record.kind, record.payload) for record in records]


def test_what_was_flushed_comes_back_in_order(place: Place) -> None:
    log = place.create()
    ends = [log.append(kind, b"body", b"data" * kind) for kind in range(10)]
    assert log.durable == 0
    assert log.flush() == log.durable == log.end == ends[-1]
    log.abandon()

    log, records = place.reopen()

    assert contents(records) == [(kind, b"body" + b"data" * kind) for kind in range(10)]
    assert [record.end for record in records] == ends
    assert records[0].position == 0
    check_log(log)
    log.close()


def test_a_record_that_was_not_flushed_is_not_there(place: Place) -> None:
    log = place.create()
    log.append(1, b"flushed")
    log.flush()
    log.append(2, b"never flushed")
    log.abandon()

    assert contents(place.reopen()[1]) == [(1, b"flushed")]


def test_a_clean_end_flushes_and_the_next_open_reads_exactly_to_it(place: Place) -> None:
    log = place.create()
    log.append(7, b"x")
    log.close()

    log, records = place.reopen()
    assert contents(records) == [(7, b"x")]
    log.append(8, b"y")
    log.close()
    assert contents(place.reopen()[1]) == [(7, b"x"), (8, b"y")]


def test_append_does_no_io_and_a_flush_is_one_write_and_one_sync() -> None:
    """Group commit: however many records wait, they share one write and one fdatasync (B124, B129)."""
    disk = SimulatedDisk()
    log = Place(disk, "/qm").create(LogConfig(file_pages=64))
    before = disk.operations
    for _ in range(100):
        log.append(1, b"b" * 100, b"d" * 900)
    log.append(1, b"large", bytes(LARGE))
    assert disk.operations == before

    log.flush()

    assert disk.operations == before + 2
    assert (log.counters.flushes, log.counters.writes, log.counters.syncs) == (1, 1, 1)
    assert log.flush() == log.end
    assert disk.operations == before + 2


def test_a_flush_over_a_file_boundary_is_one_write_and_one_sync_for_each_file() -> None:
    disk = SimulatedDisk()
    log = Place(disk, "/qm").create()
    before = disk.operations
    log.append(1, b"", bytes(5 * PAGE))
    log.flush()
    assert disk.operations == before + 6


def test_a_flush_writes_no_more_than_the_rest_of_its_last_page() -> None:
    disk = SimulatedDisk()
    log = Place(disk, "/qm").create(LogConfig(file_pages=64))
    before = disk.bytes_written
    for _ in range(20):
        log.append(1, b"x" * 1000)
        log.flush()
    assert disk.bytes_written - before <= 20 * (record_size(1000) + PAGE)


def test_records_may_span_any_number_of_files(place: Place) -> None:
    log = place.create(config(primary=6))
    sizes = [1, 3 * PAGE, 7, 2 * PAGE - HEADER_SIZE, 8 * PAGE, 0]
    for number, size in enumerate(sizes):
        log.append(number, b"", bytes([number]) * size)
    log.flush()
    log.abandon()

    log, records = place.reopen()
    assert contents(records) == [(number, bytes([number]) * size) for number, size in enumerate(sizes)]
    log.close()


def test_a_record_that_ends_exactly_with_the_last_file_is_followed_by_a_new_file(place: Place) -> None:
    log = place.create()
    log.append(1, bytes(6 * PAGE - HEADER_SIZE))
    log.flush()
    log.abandon()
    log, records = place.reopen()
    assert len(records) == 1 and log.end == 6 * PAGE
    log.append(2, b"next")
    log.flush()
    check_log(log)
    log.abandon()
    assert [record.kind for record in place.reopen()[1]] == [1, 2]


def test_restart_reads_from_the_checkpoint_and_keeps_generation_and_note(place: Place) -> None:
    log = place.create()
    log.append(1, b"before")
    position = log.end
    log.append(2, b"after")
    log.flush()
    log.checkpoint(position, 42, b"a note")
    log.abandon()

    log, records = place.reopen()
    assert contents(records) == [(2, b"after")]
    assert (log.checkpoint_position, log.generation, log.note) == (position, 42, b"a note")
    log.close()


def test_a_checkpoint_flushes_what_it_covers(place: Place) -> None:
    log = place.create()
    end = log.append(1, b"x")
    log.checkpoint(end, 1)
    assert log.durable == end
    log.abandon()
    assert place.reopen()[1] == []


@pytest.mark.parametrize("position", [8, 1 << 40])
def test_a_checkpoint_only_where_a_record_starts(place: Place, position: int) -> None:
    log = place.create()
    log.append(1, b"x" * 100)
    log.flush()
    with pytest.raises(LogError, match=str(position)):
        log.checkpoint(position, 1)
    log.checkpoint(log.end, 1)
    with pytest.raises(LogError, match="not between"):
        log.checkpoint(0, 2)
    log.append(2, b"still alive")
    log.close()
    assert [record.kind for record in place.reopen()[1]] == [2]


def test_a_note_that_does_not_fit_changes_nothing(place: Place) -> None:
    log = place.create()
    end = log.append(1, b"x")
    with pytest.raises(LogError, match="do not fit"):
        log.checkpoint(end, 1, bytes(20_000))
    assert log.checkpoint_position == 0 and log.generation == 0
    log.checkpoint(end, 2, b"short")
    log.close()
    assert place.reopen()[0].note == b"short"


def test_a_circular_log_runs_through_its_files_again_and_again(place: Place) -> None:
    log = place.create()
    expected: list[tuple[int, bytes]] = []
    for number in range(400):
        payload = number.to_bytes(4, "big") * 60
        log.append(number, payload)
        expected.append((number, payload))
        if number % 10 == 9:
            log.flush()
        if log.used_fraction > 0.5:
            log.checkpoint(log.end, number)
            expected.clear()
            check_log(log)
    log.flush()
    assert log.counters.files_reused > 10
    assert len([name for name in place.files.listdir(place.log) if name.endswith(".LOG")]) == 3
    log.abandon()
    log, records = place.reopen()
    assert contents(records) == expected
    log.close()


def test_secondary_files_come_when_needed_and_go_at_a_checkpoint(place: Place) -> None:
    log = place.create()
    while log.end < 7 * PAGE:
        log.append(1, bytes(1000))
    log.flush()
    assert len(log.segments()[0].extents()) == 4
    assert log.used_fraction > 0.6
    log.checkpoint(log.end, 1)
    assert len(log.segments()[0].extents()) == 3
    assert log.counters.files_removed + log.counters.files_reused == 3
    log.close()
    assert len([name for name in place.files.listdir(place.log) if name.endswith(".LOG")]) == 3


def test_a_full_circular_log_refuses_a_record_before_it_is_queued(place: Place) -> None:
    log = place.create()
    count = 0
    with pytest.raises(LogFull) as caught:
        while True:
            log.append(1, bytes(1000))
            count += 1
    assert caught.value.capacity == log.capacity == 10 * PAGE
    assert count == 10 * PAGE // record_size(1000)
    end = log.end
    log.flush()
    assert log.durable == end
    check_log(log)
    log.checkpoint(end, 1)
    log.append(2, b"room again")
    log.close()
    assert contents(place.reopen()[1]) == [(2, b"room again")]


def test_a_linear_log_is_never_full_and_keeps_its_old_files(place: Place) -> None:
    log = place.create(config(linear=True))
    for number in range(100):
        log.append(number, bytes(1000))
    log.checkpoint(log.end, 1)
    log.append(100, b"last")
    log.close()
    log, records = place.reopen()
    assert contents(records) == [(100, b"last")]
    names = sorted(name for name in place.files.listdir(place.log) if name.endswith(".LOG"))
    assert names[0] == "S0000000.LOG" and len(names) == log.end // (2 * PAGE) + 3
    log.close()


def test_a_linear_log_moves_old_files_to_its_archive(place: Place) -> None:
    log = place.create(config(linear=True, archive=place.archive))
    for number in range(100):
        log.append(number, bytes(1000))
    log.checkpoint(log.end, 1)
    first = log.first_extent
    assert sorted(place.files.listdir(place.archive)) == [f"S{extent:07d}.LOG" for extent in range(first)]
    names = sorted(name for name in place.files.listdir(place.log) if name.endswith(".LOG"))
    assert names[0] == f"S{first:07d}.LOG"
    assert log.counters.files_archived == first
    log.close()


def test_an_archive_on_another_file_system_gets_a_copy(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    log = place.create(config(linear=True, archive=place.archive))
    rename = place.files.rename

    def rename_here_only(old: str, new: str) -> None:
        if new.startswith(place.archive):
            raise OSError(18, "Invalid cross-device link")
        rename(old, new)

    monkeypatch.setattr(place.files, "rename", rename_here_only)
    for number in range(20):
        log.append(number, bytes(1000))
    log.flush()
    log.checkpoint(log.end, 1)
    assert len(place.files.listdir(place.archive)) == log.first_extent > 0
    log.close()


def test_positions_go_beyond_32_bits(place: Place) -> None:
    """64-bit log addresses (B113)."""
    first_extent = 2**33 // (2 * PAGE)
    log = place.create(first_extent=first_extent)
    ends = [log.append(1, bytes(1000)) for _ in range(30)]
    log.checkpoint(ends[9], 1)
    log.flush()
    log.abandon()
    log, records = place.reopen()
    assert [record.end for record in records] == ends[10:]
    assert ends[0] > 2**33
    log.close()


def test_the_largest_body_fits_and_a_larger_one_is_refused(place: Place) -> None:
    log = place.create(LogConfig(file_pages=8192, primary=4, secondary=1))
    large = bytes(100 << 20)
    log.append(1, b"header", large)
    log.flush()
    with pytest.raises(LogError, match="at most"):
        log.append(1, b"", bytes(PAYLOAD_MAX + 1))
    log.abandon()
    log, records = place.reopen()
    assert len(records) == 1 and len(records[0].payload) == len(large) + 6
    log.close()


def test_nothing_is_appended_before_the_log_was_replayed_to_its_end(place: Place) -> None:
    log = place.create()
    log.append(1, b"x")
    log.append(2, b"y")
    log.close()
    with pytest.raises(LogError, match="closed"):
        log.append(1, b"x")
    with pytest.raises(LogError, match="closed"):
        log.flush()

    log = Log.open(place.files, place.log)
    replay = log.replay()
    next(replay)
    with pytest.raises(LogError, match="not replayed"):
        log.append(1, b"x")
    with pytest.raises(LogError, match="not replayed"):
        log.checkpoint(0, 1)
    assert len(list(replay)) == 1
    with pytest.raises(LogError, match="already"):
        log.replay()
    log.append(1, b"x")
    log.close()


def test_a_log_is_not_created_over_another_one(place: Place) -> None:
    place.create().close()
    with pytest.raises(LogError, match="already a log"):
        place.create()


def test_a_second_copy_is_not_created_over_the_log_of_somebody_else(place: Place) -> None:
    place.create().close()
    with pytest.raises(LogError, match="already a log"):
        Log.create(place.files, place.second, config(second_copy=place.log))


def test_there_is_a_clear_error_where_there_is_no_log(place: Place) -> None:
    with pytest.raises(LogError, match="there is no log in"):
        Log.open(place.files, place.log)


@pytest.mark.parametrize(
    "changes", [{"file_pages": 1}, {"file_pages": 65536}, {"primary": 1}, {"secondary": 0}, {"compression": 9}]
)
def test_impossible_geometry_is_refused(place: Place, changes: dict[str, int]) -> None:
    with pytest.raises(LogError):
        Log.create(place.files, place.log, config(**changes))


def test_both_copies_hold_the_same_bytes(place: Place) -> None:
    log = place.create(config(second_copy=place.second))
    for number in range(60):
        log.append(number, bytes([number]) * 700)
        log.flush()
        if log.used_fraction > 0.5:
            log.checkpoint(log.end, number)
    check_log(log)
    first, second = log.segments()
    assert first.extents() == second.extents()
    start = log.checkpoint_position
    assert first.read(start, log.end - start) == second.read(start, log.end - start)
    log.close()


def test_a_failed_write_stops_the_log_until_it_is_opened_again() -> None:
    disk = SimulatedDisk()
    place = Place(disk, "/qm")
    log = place.create()
    log.append(1, b"good")
    log.flush()
    disk.bad_writes.add("/qm/log/S0000000.LOG")
    log.append(2, b"bad")
    with pytest.raises(LogError, match="Input/output error"):
        log.flush()
    disk.bad_writes.clear()
    with pytest.raises(LogError, match="stopped after an error"):
        log.append(3, b"refused")
    with pytest.raises(LogError, match="stopped after an error"):
        log.flush()
    log.close()
    log, records = place.reopen()
    assert contents(records) == [(1, b"good")]


def test_no_space_for_a_secondary_file_is_a_clear_error() -> None:
    disk = SimulatedDisk()
    log = Place(disk, "/qm").create()
    disk.space = 0
    log.append(1, bytes(7 * PAGE))
    with pytest.raises(LogError, match="No space left"):
        log.flush()


def test_a_full_disk_of_the_log_is_a_full_log_until_a_checkpoint() -> None:
    """Issue 14, item 5: a secondary file that could not be formatted stopped the log for good."""
    disk = SimulatedDisk()
    place = Place(disk, "/qm")
    log = place.create()
    disk.space = 0
    records = 0
    with pytest.raises(LogFull):
        while True:
            log.append(1, bytes(500))
            records += 1
            log.flush()
    assert log.limit == 3 * 2 * PAGE  # The primary files.
    assert "No space left" in log.disk_full
    assert len(disk.listdir("/qm/log")) == 4
    check_log(log)
    log.abandon()
    log, found = place.reopen()
    assert len(found) == records
    log.checkpoint(log.end, 1)
    check_log(log)
    log.append(1, bytes(500))
    log.flush()

    disk.space = None
    records = 1
    while log.end + 600 < 9 * PAGE:
        log.append(1, bytes(500))
        log.flush()
        records += 1
    log.checkpoint(log.end, 2)
    assert log.disk_full == ""


def test_a_linear_log_is_opened_on_a_full_disk_and_goes_on_when_there_is_room() -> None:
    disk = SimulatedDisk()
    place = Place(disk, "/qm")
    log = place.create(config(linear=True))
    disk.space = 0
    for _ in range(2):
        with pytest.raises(LogFull):
            while True:
                log.append(1, bytes(500))
                log.flush()
        log.checkpoint(log.end, 1)
        check_log(log)
        assert "No space left" in log.disk_full
        log.close()
        log, found = place.reopen()
        assert found == []
    disk.space = None
    log.checkpoint(log.end, 1)
    for _ in range(100):
        log.append(1, bytes(500))
        log.flush()
    check_log(log)


def test_a_file_waits_in_the_log_directory_while_the_archive_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = SimulatedDisk()
    place = Place(disk, "/qm")
    log = place.create(config(linear=True, archive="/qm/archive"))
    rename = disk.rename

    def other_file_system(old: str, new: str) -> None:
        if new.startswith("/qm/archive"):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        rename(old, new)

    monkeypatch.setattr(disk, "rename", other_file_system)
    log.append(1, bytes(3 * PAGE))
    log.flush()
    log.append(1, bytes(500))
    log.checkpoint(log.end, 1)
    assert disk.listdir("/qm/archive") == ["S0000000.LOG"]
    log.append(1, bytes(2 * PAGE))
    log.flush()
    disk.space = 0
    log.checkpoint(log.end, 2)
    assert "/qm/archive" in log.disk_full or "/qm/log" in log.disk_full
    assert disk.listdir("/qm/archive") == ["S0000000.LOG"]
    assert "S0000001.LOG" in disk.listdir("/qm/log")
    disk.space = None
    log.checkpoint(log.end, 3)
    assert sorted(disk.listdir("/qm/archive")) == ["S0000000.LOG", "S0000001.LOG"]
    assert "S0000001.LOG" not in disk.listdir("/qm/log")
    check_log(log)


def test_a_missing_or_short_file_is_damage_and_is_named(place: Place) -> None:
    log = place.create()
    log.append(1, bytes(PAGE))
    log.flush()
    log.abandon()
    path = f"{place.log}/S0000001.LOG"
    file = place.files.open(path, False)
    if isinstance(place.files, SimulatedDisk):
        place.files.set_content(path, bytes(100))
    else:
        file.allocate(100)
    file.close()
    with pytest.raises(LogDamaged, match="100 bytes instead of 12288") as caught:
        place.reopen()
    assert caught.value.path == path
    place.files.remove(path)
    with pytest.raises(LogDamaged, match="missing") as caught:
        place.reopen()
    assert (caught.value.path, caught.value.offset, caught.value.position) == (path, 0, 2 * PAGE)


def test_a_file_of_another_log_is_recognised(place: Place) -> None:
    place.create().close()
    other = Place(place.files, f"{place.directory}/other")
    Log.create(place.files, other.log, config(), bytes(16))
    place.files.rename(f"{other.log}/S0000001.LOG", f"{place.log}/S0000001.LOG")
    with pytest.raises(LogDamaged, match="belongs to another log"):
        place.reopen()


def test_threads_append_and_flush_together(place: Place) -> None:
    """Two flushes never overlap, and whoever returns from flush finds its record durable."""
    log = place.create(LogConfig(file_pages=256))
    late: list[int] = []

    def work(kind: int) -> None:
        for number in range(50):
            end = log.append(kind, number.to_bytes(4, "big"))
            if log.flush() < end:
                late.append(end)

    threads = [threading.Thread(target=work, args=(kind,)) for kind in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert late == []
    assert log.counters.flushes <= 200
    log.close()
    log, records = place.reopen()
    for kind in range(4):
        mine = [record.payload for record in records if record.kind == kind]
        assert mine == [number.to_bytes(4, "big") for number in range(50)]
    log.close()


def test_status_uses_the_words_of_display_qmstatus(place: Place) -> None:
    log = place.create(LogConfig(file_pages=256, linear=True))
    log.append(1, bytes(100_000))
    log.flush()
    status = log.status()
    assert status["LOGTYPE"] == "LINEAR" and status["LOGPRIM"] == 3 and status["LOGSEC"] == 2
    assert status["LOGEXTSZ"] == 1024 and status["LOGINUSE"] == 3 and status["CURRLOG"] == "S0000000.LOG"
    log.close()


def test_the_identity_is_under_every_crc(place: Place) -> None:
    """The stream of one log does not validate in another one with the same positions."""
    log = place.create()
    log.append(1, b"mine")
    log.flush()
    log.abandon()
    other = Place(place.files, f"{place.directory}/other")
    Log.create(place.files, other.log, config(), IDENTITY[::-1])
    source = place.files.open(f"{place.log}/S0000000.LOG", False)
    target = place.files.open(f"{other.log}/S0000000.LOG", False)
    target.write_at(PAGE, [source.read_at(PAGE, 2 * PAGE)])
    target.sync()
    assert other.reopen()[1] == []
