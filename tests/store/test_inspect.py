"""The readable form of a page set. Its text is compared, so that a change of layout does not go unseen."""

from collections.abc import Callable
from pathlib import Path

import pytest

from flintmq.store.chunk import Slot
from flintmq.store.errors import PageSetError
from flintmq.store.inspect import is_page_set, page_set_lines
from flintmq.store.lmdb_pageset import LmdbPageSet
from flintmq.store.pageset import PageSetBatch

Make = Callable[..., list[Slot]]
Key = Callable[[int], bytes]

EXPECTED = """\
format 3, page set 03
meta account = 00000000000000000000000000000000000000000000000000000000 (28 bytes)
meta queue:00000001 = 7374617465 (5 bytes)
queue 1 lane 5: 2 messages in 1 chunks
queue 1 lane 9: 1 messages in 1 chunks
chunk queue 1 lane 5 10..12: 2 of 3 live, 294 bytes on page 1, by CorrelId
  10 msgid {msg}0a correlid {key10} 6 bytes: 10.10.
  11 msgid {msg}0b correlid {key11} dead
  12 msgid {msg}0c correlid {key12} 6 bytes: 12.12.
chunk queue 1 lane 9 7..7: 1 of 1 live, 128 bytes on page 2, no index
  7 msgid {zero} correlid {zero} expires 1700000000000 4 bytes: last
index changes of 1 batches wait
expires from second 1700000000: chunk queue 1 lane 9 7
"""


def test_everything_in_a_page_set_is_printed(tmp_path: Path, make_slots: Make, key24: Key) -> None:
    directory = str(tmp_path / "psid03")
    page_set = LmdbPageSet(directory, 3)
    slots = make_slots(10, 3, 6, key24)
    batch = PageSetBatch()
    batch.add_chunk(False, 1, 5, slots, [slot.correl_id for slot in slots])
    batch.add_chunk(False, 1, 9, [Slot(7, bytes(24), bytes(24), 1_700_000_000_000, b"last")])
    batch.add_chunk(True, 1, 5, make_slots(0, 1))
    batch.kill(False, 1, 5, 10, [11])
    batch.put_meta(b"queue:00000001", b"state")
    batch.put_meta(b"account", bytes(28))
    page_set.apply(batch, True)
    expected = EXPECTED.format(
        msg=slots[0].msg_id.hex()[:-2],
        key10=key24(10).hex(),
        key11=key24(11).hex(),
        key12=key24(12).hex(),
        zero=bytes(24).hex(),
    )
    page_set.close()

    for path in (directory, directory + "/stable", directory + "/stable/data.mdb"):
        assert is_page_set(path)
        lines = list(page_set_lines(path, lambda record: record.decode(), thorough=True))
        assert lines[0].startswith("stable: ")
        assert "\n".join(lines[1:]) + "\n" == expected


def test_buckets_are_counted(tmp_path: Path, make_slots: Make, key24: Key) -> None:
    page_set = LmdbPageSet(str(tmp_path), waiting_max=0)
    batch = PageSetBatch()
    slots = make_slots(0, 50, 6, key24)
    batch.add_chunk(False, 70000, 5, slots, [slot.correl_id for slot in slots])
    page_set.apply(batch, True)
    page_set.close()
    assert list(page_set_lines(str(tmp_path)))[-1] == "index queue 70000 from 00000000: 50 entries"


def test_a_page_set_that_this_process_has_open_is_not_inspected(tmp_path: Path) -> None:
    """LMDB allows that to other processes only; it is told, not crashed."""
    page_set = LmdbPageSet(str(tmp_path))
    with pytest.raises(PageSetError, match="cannot open"):
        list(page_set_lines(str(tmp_path)))
    page_set.close()


def test_what_is_no_page_set_is_told(tmp_path: Path) -> None:
    assert not is_page_set(str(tmp_path))
    assert not is_page_set(str(tmp_path / "nowhere"))
    with pytest.raises(PageSetError, match="is not a page set"):
        list(page_set_lines(str(tmp_path)))
