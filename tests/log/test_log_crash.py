"""Crashes: after any of them, restart finds every acknowledged record, perhaps some more, and never anything else.

A failing history prints its seed; `History(seed, ...)` repeats it.
"""

from random import Random
from typing import Any

import pytest

from flintmq.log import LZ4, Log, LogConfig, LogError, LogFull, check_log
from flintmq.log.record import record_size
from flintmq.log.segments import file_name
from tests.log.conftest import IDENTITY, SMALL, Place
from tests.simulation.disk import SimulatedCrash, SimulatedDisk

KINDS: dict[str, dict[str, Any]] = {
    "circular": {},
    "linear": {"linear": True, "archive": "/qm/archive"},
    "two copies": {"second_copy": "/qm/second"},
    "compressed": {"compression": LZ4},
}

Record = tuple[int, int, int, bytes]  # position, end, kind, payload


class Model:
    """What the log must hold: all records since the checkpoint, and how many of them are acknowledged."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.durable = 0
        self.checkpoints = [0]  #: where restart may begin: the last checkpoint, and one that was interrupted

    def expected(self, checkpoint: int) -> list[Record]:
        assert checkpoint in self.checkpoints, f"restart began at {checkpoint}, not at one of {self.checkpoints}"
        return [record for record in self.records if record[0] >= checkpoint]


class History:
    """A random life of a log on a simulated disk."""

    def __init__(self, seed: int, kind: str, pages: int = 3, failing_syncs: bool = False) -> None:
        self.random = Random(seed)
        self.failing_syncs = failing_syncs
        self.syncs_failed = 0
        self.config = LogConfig(**{**SMALL, "file_pages": pages, **KINDS[kind]})
        self.disk = SimulatedDisk()
        self.model = Model()
        first = self.first_extent = self.random.choice([0, 2**33 // 4096])
        Log.create(self.disk, "/qm/log", self.config, IDENTITY, first)
        self.model.durable = first * (pages - 1) * 4096
        self.model.checkpoints = [self.model.durable]
        self.log = self.restart()

    def restart(self) -> Log:
        """Open the log, compare what it returns with the model, go on from there."""
        log = Log.open(self.disk, "/qm/log")
        found = [(record.position, record.end, record.kind, record.payload) for record in log.replay()]
        expected = self.model.expected(log.checkpoint_position)
        assert found == expected[: len(found)], "restart returned something that was never written there"
        missing = [record for record in expected[len(found) :] if record[1] <= self.model.durable]
        assert missing == [], f"acknowledged records are lost: {missing[0][:3]}"
        check_log(log)
        # What restart has shown is durable, and what it has not shown must never come back.
        self.model.records = found
        self.model.durable = log.durable
        self.model.checkpoints = [log.checkpoint_position]
        for copy in log.segments():
            names = {name for name in self.disk.listdir(copy.directory) if name.endswith(".LOG")}
            assert names == {file_name(extent) for extent in copy.extents()}, "files were left over"
        self.check_archive(log)
        return log

    def check_archive(self, log: Log) -> None:
        if self.config.archive and log.first_extent:
            kept = set(self.disk.listdir("/qm/archive"))
            for extent in range(self.first_extent, log.first_extent):
                assert file_name(extent) in kept, f"extent {extent} is neither in the log nor in the archive"

    def append(self) -> None:
        size = self.random.choice([0, 1, 8, 100, 500, 1500, 5000])
        body = self.random.randbytes(size) if self.random.random() < 0.5 else bytes(size)
        kind = self.random.randrange(1000)
        start = self.log.end
        try:
            end = self.log.append(kind, body[:20], body[20:])
        except LogFull:
            self.checkpoint(self.log.end)
            return
        self.model.records.append((start, end, kind, body))

    def flush(self) -> None:
        self.log.flush()
        self.model.durable = self.log.end

    def checkpoint(self, position: int) -> None:
        self.model.checkpoints.append(position)
        self.log.checkpoint(position, self.random.randrange(100), b"note")
        self.model.durable = max(self.model.durable, position)
        self.model.checkpoints = [position]
        self.model.records = self.model.expected(position)

    def step(self) -> None:
        choice = self.random.random()
        if choice < 0.6:
            self.append()
        elif choice < 0.9:
            self.flush()
        else:
            places = [record[0] for record in self.model.records] + [self.log.end]
            self.checkpoint(self.random.choice(places))
        check_log(self.log)

    def life(self, steps: int) -> None:
        """Run until something ends it: a crash, at some I/O or between two of them, a failed sync, or a clean end."""
        if self.failing_syncs and self.random.random() < 0.5:
            self.disk.fail_sync(self.random.randint(1, 25), self.random)
        elif self.random.random() < 0.7:
            self.disk.fail_at(self.random.randint(1, 40))
        try:
            for _ in range(steps):
                self.step()
            if self.random.random() < 0.2:
                self.log.close()
                self.model.durable = self.log.end
        except SimulatedCrash:
            pass
        except (LogError, OSError) as error:
            self.stopped(error)
        self.recover()

    def stopped(self, error: Exception) -> None:
        """A sync has failed: the log said so, and does nothing more (L8)."""
        if "Input/output error" not in str(error):
            raise error
        with pytest.raises(LogError):
            self.log.append(1, b"too late")
        with pytest.raises(LogError):
            self.log.flush()
        self.syncs_failed += 1

    def recover(self) -> None:
        """Restart, perhaps with crashes on the way."""
        while True:
            self.disk = self.disk.kill() if self.random.random() < 0.3 else self.disk.crash(self.random)
            if self.failing_syncs and self.random.random() < 0.3:
                self.disk.fail_sync(self.random.randint(1, 12), self.random)
            elif self.random.random() < 0.4:
                self.disk.fail_at(self.random.randint(1, 20))
            try:
                self.log = self.restart()
                self.disk.fail_at(1 << 60)
                return
            except SimulatedCrash:
                continue
            except OSError:
                self.syncs_failed += 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", range(0, 100, 25))
def test_random_lives_with_crashes_lose_nothing_and_invent_nothing(kind: str, first: int) -> None:
    for seed in range(first, first + 25):
        try:
            history = History(seed, kind, pages=2 + seed % 3)
            for _ in range(8):
                history.life(25)
        except BaseException as error:
            error.add_note(f"History({seed}, {kind!r}, pages={2 + seed % 3})")
            raise


@pytest.mark.parametrize("kind", KINDS)
def test_random_lives_with_failed_syncs_believe_no_page_that_is_not_on_the_disk(kind: str) -> None:
    """Issue 14, item 4: a failed sync marks pages clean; restart reads them, and a power loss takes them back."""
    failed = 0
    for seed in range(60):
        try:
            history = History(seed, kind, 2 + seed % 3, failing_syncs=True)
            for _ in range(8):
                history.life(25)
        except BaseException as error:
            error.add_note(f"History({seed}, {kind!r}, {2 + seed % 3}, failing_syncs=True)")
            raise
        failed += history.syncs_failed
    assert failed > 60


def test_records_of_a_failed_sync_that_restart_has_read_survive_a_power_loss() -> None:
    """Issue 14, item 4: before they were lost, or made the log unreadable once more records stood behind them."""
    for seed in range(20):
        for kind in KINDS:
            disk = SimulatedDisk()
            place = Place(disk, "/qm")
            log = place.create(LogConfig(**{**SMALL, **KINDS[kind]}))
            log.append(1, b"acknowledged")
            log.flush()
            log.append(2, b"x" * 3000)
            disk.fail_sync(1, Random(seed))
            with pytest.raises(LogError, match="Input/output error"):
                log.flush()
            disk = disk.kill()
            log, records = Place(disk, "/qm").reopen()
            assert [record.kind for record in records] == [1, 2]
            log.append(3, b"built upon it")
            log.flush()
            _, records = Place(disk.crash(Random(seed)), "/qm").reopen()
            assert [record.kind for record in records] == [1, 2, 3]


def scripted(disk: SimulatedDisk, kind: str, model: Model) -> None:
    """A short life with everything in it: file switches, secondary files, reuse, a checkpoint in the past, an end."""
    place = Place(disk, "/qm")
    config = LogConfig(**{**SMALL, "file_pages": 2, **KINDS[kind]})
    if not disk.exists("/qm/log/control.lfh"):
        Log.create(disk, "/qm/log", config, IDENTITY)
    log, records = place.reopen()
    assert records == []

    def put(count: int, size: int) -> None:
        for number in range(count):
            payload = bytes([number + 1]) * size
            start = log.end
            model.records.append((start, log.append(number, payload), number, payload))
        log.flush()
        model.durable = log.end

    def checkpoint(position: int) -> None:
        model.checkpoints.append(position)
        log.checkpoint(position, 1)
        model.checkpoints = [position]

    put(3, 1000)
    put(2, 4500)
    checkpoint(model.records[3][0])
    put(2, 2000)
    checkpoint(log.end)
    put(5, 700)
    log.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_crash_at_every_io_of_a_scripted_life(kind: str) -> None:
    number = 0
    while True:
        number += 1
        disk = SimulatedDisk()
        disk.fail_at(number)
        model = Model()
        try:
            scripted(disk, kind, model)
            break
        except SimulatedCrash:
            pass
        for seed in range(4):
            check_after_crash(disk, kind, model, number, seed)
    assert number > 40


def check_after_crash(disk: SimulatedDisk, kind: str, model: Model, number: int, seed: int) -> None:
    after = disk.crash(Random(seed)) if seed else disk.kill().copy()
    context = f"crash at operation {number}, seed {seed}"
    if not after.exists("/qm/log/control.lfh"):
        assert model.records == [], context
        fresh = Model()
        scripted(after, kind, fresh)  # The creation can be done again.
        return
    place = Place(after, "/qm")
    log, records = place.reopen()
    found = [(record.position, record.end, record.kind, record.payload) for record in records]
    expected = model.expected(log.checkpoint_position)
    assert found == expected[: len(found)], context
    assert all(record[1] > model.durable for record in expected[len(found) :]), context
    check_log(log)
    log.append(999, b"goes on")
    log.flush()
    log.abandon()
    assert [record.payload for record in place.reopen()[1]] == [record[3] for record in found] + [b"goes on"], context


def test_what_a_cut_left_behind_never_comes_to_life() -> None:
    """Records A, B, C are torn so that only B and C are on disk. D takes the place of A. B must stay dead."""
    disk = SimulatedDisk()
    place = Place(disk, "/qm")
    log = place.create()
    size = 1024 - 40
    for payload in (b"A" * size, b"B" * size, b"C" * size):
        log.append(1, payload)
    log.flush()
    log.abandon()
    disk.flip("/qm/log/S0000000.LOG", 4096 + 100)  # As if the first write had been lost.

    log, records = place.reopen()
    assert records == []
    log.append(2, b"D" * size)
    log.flush()
    log.abandon()
    log, records = place.reopen()
    assert [record.payload[:1] for record in records] == [b"D"]
    # Nor after a checkpoint exactly in front of it, when no record before it tells the epoch.
    log.checkpoint(log.end, 1)
    log.abandon()
    log, records = place.reopen()
    assert records == []
    log.close()


def test_what_replay_has_shown_survives_a_power_failure_right_after_it() -> None:
    """A killed process leaves unsynced writes in the system's memory. Replay returns them, so it must sync them."""
    disk = SimulatedDisk()
    place = Place(disk, "/qm")
    log = place.create()
    log.append(1, b"x" * 3000)
    disk.fail_at(2)  # The write happens, the sync does not.
    with pytest.raises(SimulatedCrash):
        log.flush()
    disk = disk.kill()
    _, records = Place(disk, "/qm").reopen()
    assert len(records) == 1
    for seed in range(20):
        assert len(Place(disk.crash(Random(seed)), "/qm").reopen()[1]) == 1


def test_a_record_in_one_copy_only_is_in_both_after_restart() -> None:
    disk = SimulatedDisk()
    place = Place(disk, "/qm")
    log = place.create(LogConfig(**{**SMALL, "second_copy": "/qm/second"}))  # type: ignore[arg-type]
    log.append(1, b"x" * 100)
    disk.fail_at(4)  # Both copies are written, only the first is synced.
    with pytest.raises(SimulatedCrash):
        log.flush()
    disk = disk.crash(Random(3))
    disk.flip("/qm/second/S0000000.LOG", 4096 + 50)
    place = Place(disk, "/qm")
    log, records = place.reopen()
    assert len(records) == 1 and log.repairs
    size = record_size(100)
    assert log.segments()[0].read(0, size) == log.segments()[1].read(0, size)
    log.abandon()
    disk.flip("/qm/log/S0000000.LOG", 4096 + 50)
    assert len(place.reopen()[1]) == 1
