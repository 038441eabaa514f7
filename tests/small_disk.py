"""A small file system of its own, for tests of full disks: a mount of tmpfs, which needs root."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(where: Path, size: int) -> Iterator[Path]:
    """Mount a file system of some bytes; skip the test with the reason if that is not allowed here."""
    where.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "flintmq", str(where)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command here")
    if done.returncode:
        pytest.skip(f"a file system cannot be mounted here: {done.stderr.strip()}")
    try:
        yield where
    finally:
        subprocess.run(["umount", "-l", str(where)], check=True)


def fill(file: Path, most: int | None = None) -> None:
    """Write to a file until not a byte is left on its disk, or until it has `most` bytes."""
    with open(file, "ab", buffering=0) as filler:
        size = 1 << 20
        while size and (most is None or filler.tell() < most):
            try:
                filler.write(bytes(size))
            except OSError:
                size //= 2
