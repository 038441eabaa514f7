"""An LMDB file from outside LMDB."""

import os
from pathlib import Path

import lmdb
import pytest

from flintmq.store.datafile import DataFile, check_data_file, mapped_pages, room_for
from flintmq.store.errors import PageSetDamaged


def test_large_values_are_read_where_they_are(tmp_path: Path) -> None:
    """And small ones, which move, are not located at all."""
    environment = lmdb.open(str(tmp_path), map_size=1 << 26)
    file = DataFile(str(tmp_path / "data.mdb"))
    values = {b"%d" % n: os.urandom(n) for n in (1, 100, 2000, 2100, 4080, 5000, 100_000)}
    for key, value in values.items():
        with environment.begin(write=True) as txn:
            txn.put(key, value)
    with environment.begin(buffers=True) as txn:
        for key, value in values.items():
            view = txn.get(key)
            assert view is not None
            offset = file.locate(view)
            assert (offset >= 0) == (len(value) > 2030)
            if offset >= 0:
                assert file.read(offset, len(value)) == value
        assert file.locate(memoryview(b"elsewhere")) == -1
        assert file.release()
        assert txn.get(b"5000") == values[b"5000"]
    environment.set_mapsize(1 << 27)
    file.find_map()
    with environment.begin(buffers=True) as txn:
        view = txn.get(b"5000")
        assert view is not None
        assert file.read(file.locate(view), 5000) == values[b"5000"]
    file.close()
    environment.close()
    check_data_file(str(tmp_path / "data.mdb"), thorough=True)


def test_mapped_pages_are_counted() -> None:
    assert mapped_pages() > 0


def test_a_file_that_ends_before_a_free_page_is_whole(tmp_path: Path) -> None:
    """LMDB does not write pages that were freed in the transaction that got them."""
    environment = lmdb.open(str(tmp_path), map_size=1 << 26)
    for turn in range(3):
        with environment.begin(write=True) as txn:
            txn.put(b"kept", b"%d" % turn)
            txn.put(b"large", bytes(100_000))
        with environment.begin(write=True) as txn:
            txn.delete(b"large")
    environment.close()
    path = str(tmp_path / "data.mdb")
    size = os.path.getsize(path)
    os.truncate(path, size - 50_000)
    check_data_file(path)
    os.truncate(path, 8192 + 1)
    with pytest.raises(PageSetDamaged, match="cut off"):
        check_data_file(path)


def test_room_is_tried_out_without_a_trace(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    Path(path).write_bytes(b"x" * 100)
    assert room_for(path, 10_000) == 0
    assert os.path.getsize(path) == 100
