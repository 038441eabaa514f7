"""Dump files: SMF records with RDW, as a binary transfer of a z/OS data set gives them.

    <queue manager>/smf/QM1.20261116.001.smf      one a day (local date), and a new one when it is full
                        QM1.20261116.001.smf.gz   the same, closed and compressed (.zst with zstd)

A file begins with a record of type 2 and ends with one of type 3; one without that was not closed, because the process
ended. No process appends to the file of an earlier process. The whole name of the queue manager is in the name of the
file: a record has only four characters of it.

D1  A file holds whole records only: a partly written record is cut off again.
D2  A file is compressed beside itself and renamed; there is never a moment without the one or the other.
"""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import os
import shutil
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from flintmq.telemetry.recording.record import Origin, dump_mark
from flintmq.telemetry.settings import COMPRESSIONS
from flintmq.telemetry.smf.clock import DAY

SIZE_MAX = 256 * 1024 * 1024
NUMBER_MAX = 999
#: They name users and queues: not for everybody.
MODE = 0o640
SUFFIX = ".smf"
#: Modules that can pack with zstd, the best first: Python 3.14 has it, else a package.
ZSTD_MODULES = ("compression.zstd", "zstandard", "pyarrow")


class DumpFiles:
    """The dump files of one queue manager. Methods raise OSError."""

    def __init__(self, directory: Path, name: str, origin: Origin) -> None:
        self.directory = directory
        self.name = name
        self.origin = origin
        self.size_max = SIZE_MAX
        self.compression = "none"
        #: How many files are kept, 0 for all.
        self.files_max = 0
        self._descriptor = -1
        self._path = directory
        self._size = 0
        self._day = ""

    def write(self, records: list[bytes], now_us: int) -> None:
        """Write whole records, to a new file if there is none, the day is over or the file is full."""
        day = _day_of(now_us + self.origin.local_us)
        data = b"".join(records)
        if self._descriptor >= 0 and (day != self._day or self._size + len(data) > self.size_max):
            self.close(now_us)
        if self._descriptor < 0:
            self._open(day, now_us)
        self._append(data)

    def close(self, now_us: int) -> None:
        """End the file, and compress it."""
        if self._descriptor < 0:
            return
        path = self._path
        try:
            self._append(dump_mark(self.origin, False, now_us))
        finally:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)
        if self.compression != "none":
            compress(path, self.compression)

    def abandon(self) -> None:
        """Close the file without its last record, as if the process had ended here."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)

    def _open(self, day: str, now_us: int) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        for number in range(1, NUMBER_MAX + 1):
            path = self.directory / f"{self.name}.{day}.{number:03d}{SUFFIX}"
            if any(path.with_name(path.name + suffix).exists() for suffix in COMPRESSIONS.values()):
                continue
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, MODE)
            self._path, self._size, self._day = path, 0, day
            self._append(dump_mark(self.origin, True, now_us))
            self._remove_oldest()
            return
        raise FileExistsError(f"{self.directory} has {NUMBER_MAX} files of {day} already")

    def _append(self, data: bytes) -> None:
        """Write all of `data`, or none of it (D1)."""
        written = 0
        try:
            while written < len(data):
                written += os.write(self._descriptor, data[written:] if written else data)
        except OSError:
            os.ftruncate(self._descriptor, self._size)
            raise
        self._size += len(data)

    def _remove_oldest(self) -> None:
        files = sorted(path for path in self.directory.glob(f"{self.name}.*") if SUFFIX in path.suffixes)
        if self.files_max:
            for path in files[: -self.files_max]:
                path.unlink(missing_ok=True)


def _day_of(local_us: int) -> str:
    return (date(1970, 1, 1) + timedelta(days=local_us // DAY)).strftime("%Y%m%d")


def compress(path: Path, kind: str) -> None:
    """Replace a file by its compressed form (D2). Without a module for zstd it stays uncompressed."""
    copy = _zstd if kind == "zstd" else _gzip
    made = path.with_name(f".{path.name}{COMPRESSIONS[kind]}.new")  # A search for dumps ignores the dot.
    try:
        os.close(os.open(made, os.O_WRONLY | os.O_CREAT, MODE))
        packed = copy(path, made)
    except BaseException:
        made.unlink(missing_ok=True)  # The disk is full, say: half a copy would make it fuller, and stay.
        raise
    if packed:
        os.replace(made, path.with_name(path.name + COMPRESSIONS[kind]))
        path.unlink()
    else:
        made.unlink()


def _gzip(source: Path, target: Path) -> bool:
    with open(source, "rb") as plain, gzip.open(target, "wb", compresslevel=6) as packed:
        shutil.copyfileobj(plain, packed, 1 << 20)
    return True


def _zstd(source: Path, target: Path) -> bool:
    name = zstd_module()
    if not name:
        return False
    with open(source, "rb") as plain, _zstd_file(name, target) as packed:
        shutil.copyfileobj(plain, packed, 1 << 20)
    return True


def zstd_module() -> str:
    """Return the name of a module for zstd, "" if there is none. It is not imported yet: pyarrow is large."""
    for name in ZSTD_MODULES:
        try:
            if importlib.util.find_spec(name) is not None:
                return name
        except ImportError:  # The package that it is in is not there.
            continue
    return ""


def _zstd_file(name: str, target: Path) -> Any:
    """Open a file for writing that compresses its data."""
    module = importlib.import_module(name)
    return module.CompressedOutputStream(str(target), "zstd") if name == "pyarrow" else module.open(target, "wb")
