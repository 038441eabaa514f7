"""Pages that are taken and given back."""

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.store.errors import PageSetDamaged
from flintmq.store.pagefile import PAGE, FreePages, PageFile, pages_of


def test_values_take_whole_pages() -> None:
    assert [pages_of(length) for length in (0, 1, PAGE, PAGE + 1)] == [0, 1, 1, 2]


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 30)), max_size=120))
def test_no_page_is_given_out_twice_and_none_is_lost(history: list[tuple[int, int]]) -> None:
    """PF1, and neighbours are joined: what is all free is one run."""
    free = FreePages(1)
    taken: list[tuple[int, int]] = []
    for pages, which in history:
        if which < len(taken):
            free.give(*taken.pop(which))
        else:
            taken.append((free.take(pages), pages))
        owned = sorted(page for first, length in taken for page in range(first, first + length))
        assert len(owned) == len(set(owned))
        assert free.end - 1 - free.count == len(owned)
        assert free.end == (owned[-1] + 1 if owned else 1)
    for first, length in taken:
        free.give(first, length)
    assert (free.end, free.count) == (1, 0)


def test_the_shortest_run_that_fits_is_used() -> None:
    free = FreePages(1)
    places = [free.take(pages) for pages in (5, 1, 3, 1, 4, 1)]
    for place, pages in ((places[0], 5), (places[2], 3), (places[4], 4)):
        free.give(place, pages)
    assert free.take(3) == places[2]
    assert free.take(3) == places[4]
    assert free.take(6) == 16


def open_file(tmp_path: Path) -> PageFile:
    return PageFile(str(tmp_path), 7, True)


def test_pages_of_a_removed_value_rest_until_the_removal_is_on_disk(tmp_path: Path) -> None:
    """PF3: after the commit of the next batch, or after a sync."""
    file = open_file(tmp_path)
    first = file.add(b"a" * 5000)
    file.flush()
    file.committed()
    assert file.read(first, 0, 5000) == b"a" * 5000
    assert file.read(first, 4999, 1) == b"a"

    file.remove(first, 5000)
    other = file.add(b"b" * 5000)
    assert other == first + 2
    file.flush()
    file.committed()
    assert file.add(b"c") == other + 2
    file.flush()
    file.committed()
    assert file.read(first, 0, 5000) == b"a" * 5000
    assert file.add(b"d" * 5000) == first
    file.abandoned()

    file.remove(other, 5000)
    file.flush()
    file.committed()
    file.rested()
    assert {file.add(b"e" * 5000), file.add(b"f" * 5000)} == {first, other}
    file.close()


def test_a_batch_that_came_to_nothing_gives_its_pages_back(tmp_path: Path) -> None:
    file = open_file(tmp_path)
    first = file.add(b"a" * 5000)
    file.flush()
    file.committed()
    file.remove(first, 5000)
    again = file.add(b"b" * 9000)
    file.abandoned()
    assert file.add(b"c" * 9000) == again
    file.flush()
    assert file.read(first, 0, 3) == b"aaa"
    assert file.read(again, 0, 3) == b"ccc"
    file.close()


def test_at_open_the_pages_that_nobody_names_are_free(tmp_path: Path) -> None:
    file = open_file(tmp_path)
    places = [file.add(b"x" * 5000) for _ in range(5)]
    file.flush()
    file.committed()
    file.close()
    file = open_file(tmp_path)
    file.adopt([(places[3], 5000), (places[1], 5000)])
    assert os.path.getsize(file.path) == PAGE * (places[3] + 2)
    assert [file.add(b"y" * 5000) for _ in range(3)] == [places[2], places[0], places[4]]
    with pytest.raises(PageSetDamaged, match="two values claim page"):
        file.adopt([(places[1], 5000), (places[1] + 1, 5000)])
    file.close()


def test_many_values_are_written_together(tmp_path: Path) -> None:
    """More than the system takes in one write, with gaps between them."""
    file = open_file(tmp_path)
    holes = [file.add(bytes(10)) for _ in range(10)]
    file.flush()
    file.committed()
    for hole in holes[::2]:
        file.remove(hole, 10)
    file.committed()
    file.rested()
    values = [os.urandom(100 * number % 9000 + 1) for number in range(1500)]
    places = [file.add(value) for value in values]
    file.flush()
    for place, value in zip(places, values, strict=True):
        assert file.read(place, 0, len(value)) == value
    file.close()


def test_a_header_that_only_the_page_cache_has_is_written_before_a_value_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 14, item 4: the sync of the new header failed; the next open reads it, but the disk does not have it."""
    fsync = os.fsync

    def broken(fd: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="Input/output error"):
        PageFile(str(tmp_path), 0, True)
    monkeypatch.setattr(os, "fsync", fsync)

    done: list[str] = []
    pwrite, fdatasync = os.pwrite, os.fdatasync

    def noted_write(fd: int, data: bytes, offset: int) -> int:
        done.append(f"{data[:4].decode()} at {offset}")
        return pwrite(fd, data, offset)

    def noted_sync(fd: int) -> None:
        done.append("sync")
        fdatasync(fd)

    monkeypatch.setattr(os, "pwrite", noted_write)
    monkeypatch.setattr(os, "fdatasync", noted_sync)
    file = PageFile(str(tmp_path), 0, True)
    for _ in range(2):
        file.add(b"value")
        file.flush()
        file.committed()
    file.close()
    assert done == ["FLPF at 0", "sync", "sync"]
