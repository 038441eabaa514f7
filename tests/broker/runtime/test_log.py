"""The broker's log on a disk that is full, and in a directory that is gone."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest

from flintmq.broker.runtime import log as log_module
from flintmq.broker.runtime.log import BrokerLog
from tests.small_disk import fill, small_disk

SIZE = 64 << 10


def test_the_file_is_written_again_when_its_directory_is_back(tmp_path: Path) -> None:
    directory, stream = tmp_path / "log", io.StringIO()
    directory.mkdir()
    path = directory / "broker.log"
    log = BrokerLog("BRK", path, stream)
    log.write("2001I", "", "first")
    shutil.rmtree(directory)
    for number in range(3):
        log.write("2230E", "F", f"lost {number}")
    assert log.missing == 3
    directory.mkdir()
    log.write("2002I", "", "last")

    shown = stream.getvalue().splitlines()
    assert [line.split()[2] for line in shown] == [
        "BIP2001I",
        "BIP2230E",
        "BIP2092W",
        "BIP2230E",
        "BIP2230E",
        "BIP2002I",
    ]
    assert "No such file or directory" in shown[2], "the reason is told once"
    kept = path.read_text().splitlines()
    assert ["3 lines are missing here" in line for line in kept] == [True, False] and "last" in kept[1]
    assert log.missing == 0


def test_a_full_disk_tears_no_later_line(tmp_path: Path) -> None:
    """The line under way when the disk was full is cut off; the next one begins a line of its own."""
    with small_disk(tmp_path / "small", SIZE) as disk:
        path, stream = disk / "broker.log", io.StringIO()
        log = BrokerLog("BRK", path, stream)
        log.write("2001I", "", "first")
        fill(disk / "filler")
        for _ in range(100):
            log.write("2230E", "F", "x" * 1000)
        assert log.missing > 90 and stream.getvalue().count("BIP2092W") == 1
        (disk / "filler").unlink()
        log.write("2002I", "", "last")
        kept = path.read_text().splitlines()
        assert "first" in kept[0] and "lines are missing here" in kept[-2] and kept[-1].endswith("BIP2002I BRK: last")
        assert len(kept) <= 100 - log.missing


def test_a_file_that_cannot_be_renamed_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is full, and something stands where the older one goes."""
    monkeypatch.setattr(log_module, "SIZE_MAX", 200)
    path, older = tmp_path / "broker.log", tmp_path / "broker.log.1"
    older.mkdir()
    (older / "in the way").touch()
    stream = io.StringIO()
    log = BrokerLog("BRK", path, stream)
    log.write("2001I", "", "x" * 200)
    for number in range(2):
        log.write("2001I", "", f"lost {number}")
    assert log.missing == 2 and path.read_text().count("BIP") == 1
    shutil.rmtree(older)
    log.write("2001I", "", "last")
    assert older.read_text().count("x" * 200) == 1
    assert "2 lines are missing here" in path.read_text() or "2 lines are missing here" in older.read_text()
    assert path.read_text().splitlines()[-1].endswith("last")
    assert stream.getvalue().count("BIP2001I") == 4
