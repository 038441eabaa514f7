"""Dump files: when a new one begins, and what happens when the disk is full."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
from pathlib import Path
from typing import BinaryIO

import pytest

from flintmq.telemetry.recording import dump_files
from flintmq.telemetry.recording.dump_files import DumpFiles, zstd_module
from flintmq.telemetry.recording.record import Origin
from flintmq.telemetry.smf.layouts.qmst import QMST
from flintmq.telemetry.smf.pack import pack
from tests.telemetry.builder import Record
from tests.telemetry.recording.reading import pieces

#: 2023-11-14 22:13:20 UTC.
NOW = 1_700_000_000_000_000
HOUR = 3600 * 1_000_000


def record(length: int = 100) -> bytes:
    return length.to_bytes(2, "big") + bytes(length - 2)


def smf_record(number: int) -> bytes:
    return Record(115, 2, {1: [pack(QMST, {"QMSTPUT": number}, 0)]}, qmgr="QM1").packed()


@pytest.fixture
def files(tmp_path: Path) -> DumpFiles:
    return DumpFiles(tmp_path / "smf", "QM1", Origin("SYSA", "QM1", "942", HOUR))


def names(files: DumpFiles) -> list[str]:
    return sorted(path.name for path in files.directory.iterdir())


def test_a_file_begins_with_type_2_and_ends_with_type_3(files: DumpFiles) -> None:
    files.write([record(), record(60)], NOW)
    files.write([record(80)], NOW)
    files.close(NOW)
    assert names(files) == ["QM1.20231114.001.smf"]
    found = pieces((files.directory / "QM1.20231114.001.smf").read_bytes())
    assert [(len(each), each[5]) for each in found] == [(18, 2), (100, 0), (60, 0), (80, 0), (18, 3)]


def test_a_new_day_in_local_time_begins_a_new_file(files: DumpFiles) -> None:
    files.write([record()], NOW)
    files.write([record()], NOW + HOUR)
    files.close(NOW + HOUR)
    assert names(files) == ["QM1.20231114.001.smf", "QM1.20231115.001.smf"]


def test_a_full_file_is_followed_by_another(files: DumpFiles) -> None:
    files.size_max = 300
    for _ in range(4):
        files.write([record()], NOW)
    files.close(NOW)
    assert names(files) == ["QM1.20231114.001.smf", "QM1.20231114.002.smf"]


def test_nobody_appends_to_the_file_of_an_earlier_process(files: DumpFiles) -> None:
    files.write([record()], NOW)
    later = DumpFiles(files.directory, "QM1", files.origin)
    later.write([record()], NOW)
    assert names(files) == ["QM1.20231114.001.smf", "QM1.20231114.002.smf"]
    later.close(NOW)
    files.close(NOW)


def test_a_closed_file_is_compressed(files: DumpFiles) -> None:
    files.compression = "gzip"
    files.write([record()], NOW)
    files.close(NOW)
    assert names(files) == ["QM1.20231114.001.smf.gz"]
    assert len(pieces(gzip.decompress((files.directory / "QM1.20231114.001.smf.gz").read_bytes()))) == 3
    files.write([record()], NOW)
    files.close(NOW)
    assert names(files) == ["QM1.20231114.001.smf.gz", "QM1.20231114.002.smf.gz"]


@pytest.mark.parametrize("module", dump_files.ZSTD_MODULES)
def test_a_closed_file_is_compressed_with_zstd(files: DumpFiles, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of dumps finds in it what was written."""
    monkeypatch.setattr(dump_files, "ZSTD_MODULES", (module,))
    if not zstd_module():
        pytest.skip(f"there is no {module} here")
    pytest.importorskip("pyarrow", reason="reading .zst needs pyarrow")
    from flintmq.telemetry.smf.columns.dump import Range, blocks_of

    files.compression = "zstd"
    files.write([smf_record(number) for number in range(500)], NOW)
    files.close(NOW)
    assert names(files) == ["QM1.20231114.001.smf.zst"]
    path = files.directory / "QM1.20231114.001.smf.zst"
    assert path.stat().st_size < 5000
    ((block, damages),) = list(blocks_of(Range(str(path), "")))
    assert not damages and block.type.tolist() == [2, *[115] * 500, 3]
    files.write([smf_record(1)], NOW)
    files.close(NOW)
    assert names(files) == ["QM1.20231114.001.smf.zst", "QM1.20231114.002.smf.zst"]


def test_without_anything_that_packs_with_zstd_the_file_stays_as_it_is(
    files: DumpFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that is not there, and one inside of it."""
    monkeypatch.setattr(dump_files, "ZSTD_MODULES", ("no_such_package.zstd", "no_such_package"))
    files.compression = "zstd"
    files.write([record()], NOW)
    files.close(NOW)
    assert names(files) == ["QM1.20231114.001.smf"]


def test_a_compressed_file_that_cannot_be_written_leaves_the_other(
    files: DumpFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D2."""
    files.compression = "gzip"
    files.write([record()], NOW)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(gzip, "open", full)
    with pytest.raises(OSError, match="No space"):
        files.close(NOW)
    assert names(files) == ["QM1.20231114.001.smf"]


def test_half_a_compressed_file_is_removed(files: DumpFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a disk that is full it would stay for ever."""
    files.compression = "gzip"
    files.write([record()], NOW)

    def half(source: BinaryIO, target: BinaryIO, size: int) -> None:
        target.write(source.read(10))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(shutil, "copyfileobj", half)
    with pytest.raises(OSError, match="No space"):
        files.close(NOW)
    assert names(files) == ["QM1.20231114.001.smf"]


def test_a_file_that_is_being_compressed_is_not_looked_at_and_has_the_mode_of_the_other(
    files: DumpFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`flint pipeline run --stream` would take it for a dump with damaged records."""
    pytest.importorskip("pyarrow", reason="the pipeline needs pyarrow: the spark extra")
    from flintmq.pipeline.sources.smf import files_of

    files.compression = "gzip"
    files.write([record()], NOW)
    copy = shutil.copyfileobj

    def seen(source: BinaryIO, target: BinaryIO, size: int) -> None:
        assert files_of(str(files.directory)) == [str(files.directory / "QM1.20231114.001.smf")]
        assert {os.stat(path).st_mode & 0o777 for path in files.directory.iterdir()} == {0o640}
        copy(source, target, size)

    monkeypatch.setattr(shutil, "copyfileobj", seen)
    before = os.umask(0o022)
    try:
        files.close(NOW)
    finally:
        os.umask(before)
    packed = files.directory / "QM1.20231114.001.smf.gz"
    assert names(files) == [packed.name] and packed.stat().st_mode & 0o777 == 0o640


def test_only_so_many_files_are_kept(files: DumpFiles) -> None:
    files.size_max, files.files_max = 150, 2
    for _ in range(4):
        files.write([record()], NOW)
    files.close(NOW)
    assert names(files) == ["QM1.20231114.003.smf", "QM1.20231114.004.smf"] or len(names(files)) == 2


def test_a_write_that_stops_half_way_leaves_whole_records_only(
    files: DumpFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D1: the disk is full after 40 bytes; when there is room again the file goes on."""
    files.write([record()], NOW)
    real = os.write
    room = [40]

    def full(descriptor: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = real(descriptor, data[: room[0]])
        room[0] -= written
        return written

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        files.write([record(), record()], NOW)
    monkeypatch.setattr(os, "write", real)
    files.write([record(50)], NOW)
    files.close(NOW)
    found = pieces((files.directory / "QM1.20231114.001.smf").read_bytes())
    assert [len(each) for each in found] == [18, 100, 50, 18]
