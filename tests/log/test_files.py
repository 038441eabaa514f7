"""The real file system, where it differs from the simulated one: many parts, short writes, large files."""

import os
from pathlib import Path

import pytest

from flintmq.log import RealFiles
from flintmq.log.files import RealFile


def test_more_parts_than_one_call_takes(tmp_path: Path) -> None:
    file = RealFiles().open(str(tmp_path / "file"), True)
    parts: list[bytes | memoryview] = [number.to_bytes(2, "big") for number in range(5000)]
    file.write_at(7, parts)
    file.sync()
    assert file.read_at(7, 20_000) == b"".join(parts)
    file.close()
    file.close()


def test_a_short_write_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = RealFile(str(tmp_path / "file"), True)
    real = os.pwritev

    def short(fd: int, parts: list[bytes], offset: int) -> int:
        return real(fd, [b"".join(parts)[:13]], offset)

    monkeypatch.setattr(os, "pwritev", short)
    file.write_at(100, [b"abcdefgh", memoryview(b"ijklmnop"), b"qrstuvwx", b""])
    assert file.read_at(100, 100) == b"abcdefghijklmnopqrstuvwx"
    file.close()


def test_allocate_really_fills_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old content" * 1000)
    file = RealFile(str(path), False)
    file.allocate(3_000_000)
    assert file.size() == 3_000_000
    assert path.stat().st_blocks * 512 >= 3_000_000
    assert path.read_bytes() == bytes(3_000_000)
    file.close()


def test_directory_operations(tmp_path: Path) -> None:
    files = RealFiles()
    directory = f"{tmp_path}/a/b"
    files.mkdir(directory)
    files.mkdir(directory)
    files.open(f"{directory}/one", True).close()
    files.rename(f"{directory}/one", f"{directory}/two")
    files.sync_directory(directory)
    assert files.listdir(directory) == ["two"] and files.exists(f"{directory}/two")
    files.remove(f"{directory}/two")
    assert not files.exists(f"{directory}/two")
    with pytest.raises(FileNotFoundError):
        files.open(f"{directory}/two", False)
