"""Damaged files: a clear message that names the file, never a wrong message out of a chunk, never a dead process."""

import os
import random
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flintmq.store.chunk import Slot
from flintmq.store.datafile import RESERVE_BYTES
from flintmq.store.errors import PageSetDamaged, PageSetError
from flintmq.store.inspect import page_set_lines
from flintmq.store.lmdb_pageset import LmdbPageSet
from flintmq.store.pageset import PageSetBatch

Make = Callable[..., list[Slot]]
Key = Callable[[int], bytes]


@pytest.fixture
def data_file(tmp_path: Path, make_slots: Make, key24: Key) -> Path:
    """The data file of a page set with 600 messages in 30 chunks, an index and meta data."""
    page_set = LmdbPageSet(str(tmp_path / "psid00"), waiting_max=100)
    for first in range(0, 600, 20):
        batch = PageSetBatch()
        slots = make_slots(first, 20, 500, key24)
        batch.add_chunk(False, 1, 5, slots, [slot.correl_id for slot in slots])
        if first:
            batch.kill(False, 1, 5, first - 20, [first - 19])
        batch.put_meta(b"queue:%d" % first, b"state" * 20)
        page_set.apply(batch, False)
    page_set.close()
    (tmp_path / "psid00" / "stable" / "data.seal").unlink()
    return tmp_path / "psid00" / "stable" / "data.mdb"


def page_set_of(data_file: Path) -> LmdbPageSet:
    return LmdbPageSet(str(data_file.parent.parent))


def damage(data_file: Path, offset: int, content: bytes) -> None:
    with open(data_file, "r+b") as file:
        file.seek(offset)
        file.write(content)


def used_bytes(whole: bytes) -> int:
    """What LMDB uses of a data file: the last page by the newer meta page (datafile.py). The reserve is behind it."""
    newest = max(struct.unpack_from("<QQ", whole, at + 136)[::-1] for at in (0, 4096))
    return int(newest[1] + 1) * 4096


def test_a_file_that_was_cut_off_is_damaged(data_file: Path) -> None:
    whole = data_file.read_bytes()
    used = used_bytes(whole)
    for length in (1, 4095, 4096, 8191, 8192, 12288, used // 2, used - 40960):
        data_file.write_bytes(whole[:length])
        with pytest.raises(PageSetDamaged, match=r"data\.mdb: .*(cut off|less than its two meta pages)"):
            page_set_of(data_file)
        assert os.path.getsize(data_file) == length  # Nothing was changed.


def test_a_file_without_its_reserve_is_whole(data_file: Path) -> None:
    whole = data_file.read_bytes()
    used = used_bytes(whole)
    assert RESERVE_BYTES <= len(whole) - used <= 2 * RESERVE_BYTES
    data_file.write_bytes(whole[:used])
    page_set = page_set_of(data_file)
    assert page_set.lanes(1) == [(False, 5, 0, 599, 571)]
    page_set.close()


def test_an_empty_file_is_a_new_page_set(data_file: Path) -> None:
    """LMDB itself begins with an empty file; a process may end right there."""
    data_file.write_bytes(b"")
    page_set = page_set_of(data_file)
    assert page_set.queues() == []
    page_set.close()


def test_a_page_file_that_was_cut_off_is_damaged(data_file: Path) -> None:
    pages = data_file.with_name("pages.dat")
    whole = pages.read_bytes()
    for length in (1, 4095, 4096, 8192, len(whole) // 2, len(whole) - 4096):
        pages.write_bytes(whole[:length])
        with pytest.raises(PageSetDamaged, match=r"pages\.dat: .*(cut off|does not begin)"):
            page_set_of(data_file)
        assert os.path.getsize(pages) == length


def test_a_page_file_that_is_missing_is_damaged(data_file: Path) -> None:
    data_file.with_name("pages.dat").unlink()
    with pytest.raises(PageSetDamaged, match=r"pages\.dat: is cut off"):
        page_set_of(data_file)


def test_a_foreign_page_file_is_refused(data_file: Path) -> None:
    pages = data_file.with_name("pages.dat")
    damage(pages, 0, b"X")
    with pytest.raises(PageSetDamaged, match=r"pages\.dat: does not begin as a page file"):
        page_set_of(data_file)
    damage(pages, 0, b"FLPF\x09")
    with pytest.raises(PageSetError, match=r"pages\.dat: has format 9"):
        page_set_of(data_file)


@pytest.mark.parametrize("page", [0, 1])
@pytest.mark.parametrize(
    ("offset", "content", "text"),
    [
        (0, bytes(4096), "is not one of LMDB's"),
        (16, b"\x00", "is not one of LMDB's"),
        (20, b"\x07", "data version 7"),
        (40, b"\x00\x20", "pages have 8192 bytes"),
    ],
)
def test_a_damaged_meta_page_is_named(data_file: Path, page: int, offset: int, content: bytes, text: str) -> None:
    damage(data_file, 4096 * page + offset, content)
    with pytest.raises(PageSetDamaged, match=rf"data\.mdb: meta page {page} .*{text}"):
        page_set_of(data_file)


def test_a_flipped_byte_in_a_message_harms_that_message_only(data_file: Path) -> None:
    pages = data_file.with_name("pages.dat")
    damage(pages, pages.read_bytes().index(b"333.333.333.") + 40, b"X")
    page_set = page_set_of(data_file)
    chunk = page_set.chunk_at(False, 1, 5, 333)
    assert chunk is not None
    slot = chunk.slot_of(333)

    with pytest.raises(PageSetDamaged, match=r"pages\.dat: the chunk of queue 1, lane 5, sequence 320 .*sequence 333"):
        chunk.record(slot)
    assert chunk.record(slot + 1).startswith(b"334.334.")
    page_set.close()
    assert any("DAMAGED" in line and "333" in line for line in page_set_lines(str(data_file)))


def test_a_flipped_byte_in_the_tables_harms_that_chunk_only(data_file: Path, key24: Key) -> None:
    pages = data_file.with_name("pages.dat")
    damage(pages, pages.read_bytes().index(key24(333)) + 3, b"\xff")
    page_set = page_set_of(data_file)

    with pytest.raises(PageSetDamaged, match=r"pages\.dat: the chunk of queue 1, lane 5, sequence 320 fails"):
        page_set.chunk_at(False, 1, 5, 333)
    chunk = page_set.chunk_at(False, 1, 5, 340)
    assert chunk is not None
    assert len(chunk.slots()) == 19

    batch = PageSetBatch()
    batch.drop_queue(1)  # What the message advises.
    page_set.apply(batch, True)
    assert page_set.queues() == []
    page_set.close()


USE = """
import sys
from flintmq.store.errors import PageSetError
from flintmq.store.lmdb_pageset import LmdbPageSet
from flintmq.store.pageset import PageSetBatch

def attempt(action):
    try:
        return action()
    except PageSetError as error:
        assert sys.argv[1] in str(error), error
        return None

def use(page_set):
    for queue in attempt(page_set.queues) or []:
        for volatile, lane, first, last, live in attempt(lambda: page_set.lanes(queue)) or []:
            sequence = first
            while sequence <= min(last, 600):
                chunk = attempt(lambda: page_set.chunk_at(volatile, queue, lane, sequence))
                sequence += 20
                if chunk is not None:
                    for slot in range(chunk.count):
                        record = attempt(lambda: chunk.record(slot))
                        assert record is None or record.startswith(b"%d." % chunk.sequence(slot)), record
                        attempt(lambda: page_set.lookup(False, queue, chunk.index_key(slot)))
    attempt(lambda: page_set.meta_items(b""))
    attempt(page_set.statistics)
    batch = PageSetBatch()
    batch.kill(False, 1, 5, 100, list(range(100, 120)))
    attempt(lambda: page_set.apply(batch, False))
    batch = PageSetBatch()
    batch.drop_queue(1)
    attempt(lambda: page_set.apply(batch, False))
    attempt(page_set.close)

page_set = attempt(lambda: LmdbPageSet(sys.argv[1]))
if page_set is not None:
    use(page_set)
"""


@pytest.mark.parametrize("seed", range(12))
def test_a_page_set_with_random_damage_is_used_without_a_crash(data_file: Path, seed: int) -> None:
    """In a process of its own, because what is to be shown is that it does not die."""
    rng = random.Random(seed)
    with open(data_file if seed % 3 else data_file.with_name("pages.dat"), "r+b") as file:
        content = bytearray(file.read())
        for _ in range(rng.choice([1, 3, 10])):
            at = rng.randrange(len(content))
            length = rng.choice([1, 1, 8, 200])
            content[at : at + length] = rng.choice([rng.randbytes(length), bytes(length)])
        file.seek(0)
        file.write(content)
    done = subprocess.run(
        [sys.executable, "-c", USE, str(data_file.parent.parent)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"seed {seed}: {done.returncode} {done.stderr}"


@pytest.mark.parametrize("seed", range(5))
def test_a_damaged_page_set_can_be_inspected(data_file: Path, seed: int) -> None:
    rng = random.Random(seed)
    for file in (data_file, data_file.with_name("pages.dat")):
        for _ in range(10):
            damage(file, rng.randrange(12288, os.path.getsize(file)), rng.randbytes(2))
    try:
        for line in page_set_lines(str(data_file), thorough=True):
            assert line
    except PageSetError as error:
        assert "data.mdb" in str(error)
