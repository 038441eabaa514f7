"""What only a page set in files has to show: atomicity, room, memory, crashes."""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest

from flintmq.store.check import check_page_set
from flintmq.store.chunk import NO_ID, Slot, split_into_chunks
from flintmq.store.datafile import check_data_file
from flintmq.store.errors import PageSetError, PageSetFull
from flintmq.store.expiry import START, place_of
from flintmq.store.lmdb_pageset import LmdbPageSet, page_set_directory
from flintmq.store.lmdb_part import FORMAT
from flintmq.store.pageset import PageSetBatch

Make = Callable[..., list[Slot]]
Key = Callable[[int], bytes]


def resident_mb() -> float:
    """Memory of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def batch_of(slots: list[Slot], queue: int = 1, indexed: bool = True) -> PageSetBatch:
    batch = PageSetBatch()
    for chunk in split_into_chunks(slots):
        batch.add_chunk(False, queue, 5, chunk, [slot.correl_id for slot in chunk] if indexed else None)
    return batch


def test_the_directory_of_a_page_set(tmp_path: Path) -> None:
    assert page_set_directory("pageset", 7) == os.path.join("pageset", "psid07")
    page_set = LmdbPageSet(page_set_directory(str(tmp_path), 7), 7)
    page_set.close()
    page_set.close()
    assert os.listdir(tmp_path / "psid07") == ["stable"]
    with pytest.raises(PageSetError, match="is of page set 07, not 08"):
        LmdbPageSet(str(tmp_path / "psid07"), 8)


def test_a_batch_that_fails_in_the_middle_leaves_nothing(tmp_path: Path, make_slots: Make, key24: Key) -> None:
    """S5: chunks, counts, index and meta data are as before, in memory as well as in the file."""
    page_set = LmdbPageSet(str(tmp_path), waiting_max=100)
    page_set.apply(batch_of(make_slots(0, 1000, 50, key24)), True)
    before = page_set.lanes(1)
    kept = page_set.chunk(False, 1, 5, 0)
    batch = batch_of(make_slots(1000, 1000, 50, key24))
    batch.kill(False, 1, 5, 0, list(range(200)))
    batch.put_meta(b"m", b"v")
    batch.meta[b"x" * 1000] = b"LMDB does not take such a key, and meta data is written last"
    with pytest.raises(PageSetError, match="LMDB"):
        page_set.apply(batch, True)

    assert page_set.lanes(1) == before
    assert page_set.meta(b"m") is None
    assert page_set.lookup(False, 1, key24(1500)) == []
    assert page_set.lookup(False, 1, key24(150)) == [(5, 128)]
    assert kept is not None
    assert len(kept.slots()) == 128
    check_page_set(page_set)
    del batch.meta[b"x" * 1000]
    page_set.apply(batch, True)
    assert page_set.lookup(False, 1, key24(1500)) != []
    check_page_set(page_set)
    page_set.close()


def test_the_map_grows_as_often_as_it_must(tmp_path: Path, make_slots: Make, key24: Key) -> None:
    """LMDB's `map full` never reaches a caller, whether it is foreseen or met."""
    page_set = LmdbPageSet(str(tmp_path), waiting_max=100, map_bytes=1 << 18)
    page_set.apply(batch_of(make_slots(0, 3000, 1000, key24)), False)
    kept = page_set.chunk(False, 1, 5, 0)
    batch = batch_of(make_slots(3000, 300, 1000, key24))
    batch.put_meta(b"large", bytes(150_000_000))
    page_set.apply(batch, False)
    assert kept is not None
    assert kept.record(1) == make_slots(1, 1, 1000)[0].record
    assert page_set.lanes(1) == [(False, 5, 0, 3299, 3300)]
    check_page_set(page_set)
    page_set.close()


DISK_FULL = """
import resource, signal, sys
from flintmq.store.chunk import NO_ID, Slot
from flintmq.store.errors import PageSetFull
from flintmq.store.lmdb_pageset import LmdbPageSet
from flintmq.store.lmdb_part import FORMAT
from flintmq.store.pageset import PageSetBatch

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
page_set = LmdbPageSet(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, resource.RLIM_INFINITY))
applied = 0
try:
    for n in range(100):
        batch = PageSetBatch()
        batch.add_chunk(False, 1, 5, [Slot(n, NO_ID, NO_ID, 0, bytes(100_000))])
        page_set.apply(batch, True)
        applied += 1
except PageSetFull as error:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    lanes = page_set.lanes(1)
    assert lanes == [(False, 5, 0, applied - 1, applied)], lanes
    page_set.apply(batch, True)
    print(applied, page_set.lanes(1)[0][4], error)
"""


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    """The batch is not applied; once there is room again, it can be."""
    done = subprocess.run(
        [sys.executable, "-c", DISK_FULL, str(tmp_path)],
        capture_output=True,
        text=True,
        env={**os.environ},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    applied, then, text = done.stdout.split(maxsplit=2)
    assert 20 < int(applied) < 30
    assert int(then) == int(applied) + 1
    assert "disk is full" in text
    assert "pages.dat" in text


def test_a_page_set_copied_at_any_moment_is_whole(tmp_path: Path, make_slots: Make, key24: Key) -> None:
    """What a killed process leaves: the files as they are, entries that waited in memory gone with it."""
    page_set = LmdbPageSet(str(tmp_path / "live"), waiting_max=300)
    seed = random.Random(3)
    there: dict[int, list[int]] = {}
    for turn in range(40):
        batch = PageSetBatch()
        slots = make_slots(turn * 100, 100, 30, key24)
        batch.add_chunk(False, 1, 5, slots, [slot.correl_id for slot in slots])
        there[turn * 100] = [slot.sequence for slot in slots]
        for first in seed.sample(sorted(there), min(4, len(there))):
            gone = seed.sample(there[first], seed.randrange(len(there[first]) + 1))
            batch.kill(False, 1, 5, first, gone)
            there[first] = [each for each in there[first] if each not in gone]
            if not there[first]:
                del there[first]
        page_set.apply(batch, False)
        if turn % 5 == 4:
            shutil.rmtree(tmp_path / "copy", ignore_errors=True)
            shutil.copytree(tmp_path / "live", tmp_path / "copy")
            copy = LmdbPageSet(str(tmp_path / "copy"), waiting_max=300)
            assert copy.lanes(1)[0][4] == sum(len(each) for each in there.values())
            check_page_set(copy)
            assert copy.statistics().index_waiting == page_set.statistics().index_waiting
            copy.close()
    page_set.close()


def test_space_is_used_again(tmp_path: Path, make_slots: Make, key24: Key) -> None:
    """A queue through which messages pass does not make the file grow without end."""
    page_set = LmdbPageSet(str(tmp_path), waiting_max=500)
    sizes: list[int] = []
    for turn in range(60):
        batch = batch_of(make_slots(turn * 300, 300, 1000, key24))
        if turn >= 3:
            old = (turn - 3) * 300
            for chunk in split_into_chunks(make_slots(old, 300, 1000, key24)):
                batch.kill(False, 1, 5, chunk[0].sequence, [slot.sequence for slot in chunk])
        page_set.apply(batch, False)
        sizes.append(page_set.statistics().file_bytes)
    assert sizes[-1] < 1.5 * sizes[10]
    figures = page_set.statistics()
    assert figures.messages == 900
    assert figures.index_waiting < 1500
    page_set.close()


def test_reading_much_at_random_does_not_take_memory(tmp_path: Path) -> None:
    """200,000 messages of 1 KiB, 200 MB in the file: the resident set grows by less than 100 MB."""
    page_set = LmdbPageSet(str(tmp_path))
    body = os.urandom(1024)
    slots = [Slot(n, NO_ID, NO_ID, 0, body) for n in range(8000)]
    for start in range(0, 200_000, 8000):
        for n, slot in enumerate(slots, start):
            slot.sequence = n
        page_set.apply(batch_of(slots, indexed=False), False)
    page_set.trim()
    seed = random.Random(1)
    before = peak = resident_mb()
    for n in range(200_000):
        sequence = seed.randrange(200_000)
        chunk = page_set.chunk_at(False, 1, 5, sequence)
        assert chunk is not None
        record = chunk.record(chunk.slot_of(sequence))
        if n % 100 == 0:
            assert record == body
            peak = max(peak, resident_mb())
    assert peak - before < 100, f"{peak - before:.0f} MB more"
    page_set.close()


def test_what_is_no_page_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stable").mkdir()
    environment = lmdb.open(str(tmp_path / "stable"), max_dbs=8)
    about = environment.open_db(b"about")
    with environment.begin(write=True) as txn:
        txn.put(b"format", b"other", db=about)
    environment.close()
    with pytest.raises(PageSetError, match="not a page set"):
        LmdbPageSet(str(tmp_path))


def test_a_place_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(PageSetError, match="cannot be opened"):
        LmdbPageSet(str(tmp_path / "file" / "below"))


def test_every_page_is_sound_after_much_work(tmp_path: Path, make_slots: Make, key24: Key) -> None:
    page_set = LmdbPageSet(str(tmp_path), waiting_max=100)
    for turn in range(20):
        batch = batch_of(make_slots(turn * 100, 100, 300, key24))
        if turn:
            batch.kill(False, 1, 5, (turn - 1) * 100, list(range((turn - 1) * 100, turn * 100)))
        page_set.apply(batch, False)
    page_set.close()
    check_data_file(str(tmp_path / "stable" / "data.mdb"), thorough=True)


def test_the_text_of_a_full_disk_names_the_file() -> None:
    assert "data.mdb: the disk" in str(PageSetFull("data.mdb", "the disk is full"))


def test_a_page_set_of_version_1_gets_its_entries_by_expiry_when_it_is_opened(tmp_path: Path, make_slots: Make) -> None:
    """Once; a page set of a version that nobody knows is refused."""
    page_set = LmdbPageSet(str(tmp_path), waiting_max=100)
    slots = make_slots(0, 300, 50)
    for slot in slots[200:]:
        slot.expires = 5000 + slot.sequence
    page_set.apply(batch_of(slots, indexed=False), True)
    page_set.close()
    _as_version(tmp_path, 1)

    page_set = LmdbPageSet(str(tmp_path), waiting_max=100)
    found = [place_of(entry) for entry in page_set.expiring(False, 1 << 60, START, 9)]
    assert found == [(1, 5, 128), (1, 5, 256)]
    check_page_set(page_set)
    batch = PageSetBatch()
    batch.kill(False, 1, 5, 256, list(range(256, 300)))
    page_set.apply(batch, True)
    assert len(page_set.expiring(False, 1 << 60, START, 9)) == 1
    page_set.close()
    _as_version(tmp_path, 4)
    with pytest.raises(PageSetError, match="has format 4; this program reads formats 1 to 3"):
        LmdbPageSet(str(tmp_path))


def _as_version(directory: Path, version: int) -> None:
    """Make the page set one of another version; 1 had no entries by expiry, and 0 in every span."""
    with lmdb.open(str(directory / "stable"), max_dbs=9) as environment, environment.begin(write=True) as txn:
        about = environment.open_db(b"about", txn)
        packed = txn.get(b"format", db=about)
        assert packed is not None
        magic, _, psid = FORMAT.unpack(packed)
        txn.put(b"format", FORMAT.pack(magic, version, psid), db=about)
        if version == 1:
            txn.drop(environment.open_db(b"expiry", txn))
            spans = environment.open_db(b"spans", txn)
            for key, value in list(txn.cursor(spans)):
                txn.put(key, value[:12] + bytes(4) + value[16:], db=spans)
    (directory / "stable" / "data.seal").unlink()
