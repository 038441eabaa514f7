"""An LMDB file from outside LMDB."""

import errno
import os
from pathlib import Path
from typing import Any

import lmdb
import pytest

from flintmq.store.datafile import (
    SEAL_FILE,
    WALK_BYTES_MAX,
    check_data_file,
    room_for,
    seal_data_file,
)
from flintmq.store.errors import PageSetDamaged, PageSetError, PageSetFull
from flintmq.store.lmdb_pageset import LmdbPageSet
from flintmq.store.pageset import PageSetBatch


def test_a_file_that_ends_before_a_free_page_is_whole(tmp_path: Path) -> None:
    """LMDB does not write pages that nobody uses, so the last ones may be missing."""
    environment = lmdb.open(str(tmp_path), map_size=1 << 26)
    for turn in range(3):
        with environment.begin(write=True) as txn:
            txn.put(b"kept", b"%d" % turn)
            txn.put(b"large", bytes(100_000))
        with environment.begin(write=True) as txn:
            txn.delete(b"large")
    environment.close()
    path = str(tmp_path / "data.mdb")
    check_data_file(path, thorough=True)
    os.truncate(path, os.path.getsize(path) - 50_000)
    check_data_file(path)
    os.truncate(path, 8192 + 1)
    with pytest.raises(PageSetDamaged, match="cut off"):
        check_data_file(path)


def test_a_file_that_is_missing_or_empty_is_fine(tmp_path: Path) -> None:
    check_data_file(str(tmp_path / "nowhere"))
    (tmp_path / "empty").touch()
    check_data_file(str(tmp_path / "empty"))


def test_room_is_tried_out_without_a_trace(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    Path(path).write_bytes(b"x" * 100)
    assert room_for(path, 10_000) == 0
    assert os.path.getsize(path) == 100


def large_file(tmp_path: Path) -> Path:
    environment = lmdb.open(str(tmp_path), map_size=1 << 26)
    with environment.begin(write=True) as txn:
        for number in range(5000):
            txn.put(b"%d" % number, bytes(1900))
    environment.close()
    assert os.path.getsize(tmp_path / "data.mdb") > WALK_BYTES_MAX
    return tmp_path / "data.mdb"


def test_damage_in_a_sealed_file_is_found_whatever_its_size(tmp_path: Path) -> None:
    path = large_file(tmp_path)
    seal_data_file(str(path))
    check_data_file(str(path))
    with open(path, "r+b") as file:
        file.seek(4096 * 1000)
        file.write(b"damage")
    with pytest.raises(PageSetDamaged, match="is damaged"):
        check_data_file(str(path))


def test_a_seal_that_is_of_an_earlier_state_or_garbage_does_not_count(tmp_path: Path) -> None:
    path = large_file(tmp_path)
    seal_data_file(str(path))
    environment = lmdb.open(str(tmp_path), map_size=1 << 26)
    with environment.begin(write=True) as txn:
        txn.put(b"more", b"1")
    environment.close()
    check_data_file(str(path))
    for garbage in (b"", b"FLSEAL", b"\xff\xfe", b"FLSEAL 1 2 3 xyz"):
        (tmp_path / SEAL_FILE).write_bytes(garbage)
        check_data_file(str(path))
    seal_data_file(str(tmp_path / "nowhere"))


def test_a_sealed_file_with_changed_free_pages_is_whole(tmp_path: Path) -> None:
    """A process that is killed while LMDB commits leaves that: new pages, but the old meta page."""
    environment = lmdb.open(str(tmp_path), map_size=1 << 26)
    for value in (bytes(50_000), b"small"):
        with environment.begin(write=True) as txn:
            txn.put(b"key", value)
    environment.close()
    path = tmp_path / "data.mdb"
    seal_data_file(str(path))
    content = path.read_bytes()
    at = content.rindex(bytes(40_000))
    with open(path, "r+b") as file:
        file.seek(at + 1000)
        file.write(b"new")
    check_data_file(str(path))


def test_meta_pages_are_written_again_before_lmdb_opens_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 14, item 4: after a failed sync only the page cache has the newest meta page; it must reach the disk."""
    LmdbPageSet(str(tmp_path)).close()
    path = tmp_path / "stable" / "data.mdb"
    head = path.read_bytes()[:8192]
    done: list[tuple[str, object]] = []
    pwrite, fdatasync, lmdb_open = os.pwrite, os.fdatasync, lmdb.open

    def is_data_file(fd: int) -> bool:
        return os.readlink(f"/proc/self/fd/{fd}") == str(path)

    def noted_write(fd: int, data: bytes, offset: int) -> int:
        if is_data_file(fd):
            done.append(("write", (offset, data)))
        return pwrite(fd, data, offset)

    def noted_sync(fd: int) -> None:
        if is_data_file(fd):
            done.append(("sync", None))
        fdatasync(fd)

    def noted_open(directory: str, **options: Any) -> object:
        done.append(("open", None))
        return lmdb_open(directory, **options)

    monkeypatch.setattr(os, "pwrite", noted_write)
    monkeypatch.setattr(os, "fdatasync", noted_sync)
    monkeypatch.setattr(lmdb, "open", noted_open)
    LmdbPageSet(str(tmp_path)).close()
    assert done[:3] == [("write", (0, head)), ("sync", None), ("open", None)]


def test_meta_pages_that_cannot_be_written_again_end_the_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    LmdbPageSet(str(tmp_path)).close()

    def broken(fd: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fdatasync", broken)
    with pytest.raises(PageSetError, match="Input/output error"):
        LmdbPageSet(str(tmp_path))


def test_an_open_on_a_full_disk_that_overwrites_nothing_in_place_waits_with_the_meta_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It can be read, so that it can be drained; nothing is written before the meta pages are."""
    LmdbPageSet(str(tmp_path)).close()
    pwrite = os.pwrite

    def full(fd: int, data: bytes, offset: int) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    page_set = LmdbPageSet(str(tmp_path))
    batch = PageSetBatch()
    batch.put_meta(b"key", b"value")
    with pytest.raises(PageSetFull):
        page_set.apply(batch, True)
    assert page_set.meta(b"key") is None
    monkeypatch.setattr(os, "pwrite", pwrite)
    page_set.apply(batch, True)
    assert page_set.meta(b"key") == b"value"
    page_set.close()
