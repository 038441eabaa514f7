"""`flint inspect` shows logs and page sets as they are, says what is damaged, and never shows a traceback.

The lines themselves belong to the rooms: tests/log/test_inspect.py and tests/store have them word for word.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flintmq.cli import main
from flintmq.log.config import LogConfig
from flintmq.log.files import RealFiles
from flintmq.log.log import Log
from flintmq.qmgr import records
from flintmq.store.chunk import Slot
from flintmq.store.lmdb_pageset import LmdbPageSet
from flintmq.store.pageset import PageSetBatch


@pytest.fixture
def queue_manager(tmp_path: Path) -> Path:
    """A log with three records, not closed, as a crash would leave it, and a page set with two queues."""
    active = tmp_path / "log"
    files = RealFiles()
    Log.create(files, str(active), LogConfig(file_pages=8, primary=2, secondary=1))
    log = Log.open(files, str(active))
    assert list(log.replay()) == []
    place = records.PLACE.pack(7, 41, 4)
    log.append(records.PUT | records.FIRST, place, b"hello")
    log.append(records.GET | records.LAST, place)
    log.append(63, b"what is this")
    log.flush()
    log.abandon()
    store = LmdbPageSet(str(tmp_path / "psid00"))
    batch = PageSetBatch()
    slots = [Slot(sequence, b"M" * 24, b"C" * 24, 0, b"record" * sequence) for sequence in (1, 2, 3)]
    batch.add_chunk(False, 7, 4, slots)
    batch.kill(False, 7, 4, 1, [2])
    batch.put_meta(b"generation", b"5")
    store.apply(batch, sync=True)
    store.close()
    return tmp_path


def inspect(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main.main(["inspect", *words])
    shown = capsys.readouterr()
    assert "Traceback" not in shown.out + shown.err
    return code, shown.out + shown.err


def test_log_records_are_shown_in_the_words_of_the_queue_manager(
    queue_manager: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, shown = inspect(capsys, str(queue_manager / "log" / "S0000000.LOG"))
    assert code == 0
    assert "PUT FIRST queue 7 message 41" in shown and "GET LAST queue 7 message 41" in shown
    assert "kind 63" in shown


def test_everything_below_a_directory_is_shown_and_nothing_is_changed(
    queue_manager: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (queue_manager / "notes.txt").write_text("not ours")

    def contents() -> dict[Path, bytes]:
        files = [path for path in queue_manager.rglob("*") if path.is_file() and path.name != "lock.mdb"]
        return {path: path.read_bytes() for path in files}

    before = contents()
    code, shown = inspect(capsys, str(queue_manager))
    assert code == 0
    for name in ("S0000000.LOG", "S0000001.LOG", "control.lfh", "data.mdb"):
        assert name in shown
    assert "notes.txt" not in shown
    assert contents() == before


def test_a_page_set_is_shown_with_its_messages(queue_manager: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = inspect(capsys, str(queue_manager / "psid00"))
    assert code == 0
    assert "queue 7 lane 4: 2 messages in 1 chunks" in shown
    assert f"msgid {'4d' * 24} correlid {'43' * 24} dead" in shown


@pytest.mark.parametrize("name", ["log/S0000000.LOG", "psid00"])
def test_bytes_are_shown_on_request(queue_manager: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, shown = inspect(capsys, str(queue_manager / name), "--hex")
    expected = {"log/S0000000.LOG": "07 00 00 00 29 00 00 00 00 00 00 00 04 68 65 6c  ....)........hel"}
    assert expected.get(name, "72 65 63 6f 72 64                                record") in shown


@pytest.mark.parametrize("name", ["psid00/stable/data.mdb", "log/S0000000.LOG"])
def test_a_file_that_was_overwritten_is_called_damaged_or_not_valid(
    queue_manager: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (queue_manager / name).write_bytes(b"x" * 20000)
    _, shown = inspect(capsys, str(queue_manager / name))
    assert "DAMAGED" in shown or "not valid" in shown


@pytest.mark.parametrize("name", ["nothing", "text", "empty"])
def test_what_is_not_ours_is_refused(queue_manager: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (queue_manager / "text").write_text("hello")
    (queue_manager / "empty").mkdir()
    code, shown = inspect(capsys, str(queue_manager / name))
    assert code == 1 and name in shown


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_damaged_files_are_shown_without_a_traceback_fuzz(
    queue_manager: Path, capsys: pytest.CaptureFixture[str], data: st.DataObject
) -> None:
    """Any byte of any file may be anything, and a file may end anywhere."""
    name = data.draw(st.sampled_from(["psid00/stable/data.mdb", "log/S0000000.LOG", "log/control.lfh"]))
    path = queue_manager / name
    whole = path.read_bytes()
    broken = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 6))):
        broken[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    del broken[data.draw(st.integers(0, len(whole))) :]
    try:
        path.write_bytes(broken)
        code, _ = inspect(capsys, str(path))
        assert code in (0, 1)
    finally:
        path.write_bytes(whole)
