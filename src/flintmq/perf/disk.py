"""The disk test: rates and latencies of synced writes on the file system of a log, as mqldt measures them.

Blocks are written one after the other, round some files that were filled before, as a log reuses its files. A write is
done when it is on the disk. Blocks of 4 KiB are the log of a lone small message, larger ones a busy log whose writer
joins the commits of many units of work (B124).
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flintmq.perf.histogram import Histogram

KIB = 1024
BLOCKS = (4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, 1024 * KIB)
OVERWRITE, APPEND, DSYNC = "overwrite+fdatasync", "append+fdatasync", "O_DSYNC"
METHODS = (OVERWRITE, APPEND, DSYNC)
_FILL = 1024 * KIB
#: No test writes more than this.
BYTES_MAX = 1 << 31


@dataclass
class Test:
    """Parameters of a disk test."""

    directory: Path
    method: str = OVERWRITE
    file_bytes: int = 64 * 1024 * KIB
    files: int = 1
    seconds: float = 2.0


def run(
    test: Test, blocks: Sequence[int], told: Callable[[dict[str, Any]], None] | None = None
) -> list[dict[str, Any]]:
    """Test every block size; return the records `disk` of a run. Raise OSError where the place cannot be written."""
    results = []
    with tempfile.TemporaryDirectory(prefix=".flint-disk-", dir=test.directory) as place:
        for block in blocks:
            result = _measure(test, Path(place), block)
            results.append(result)
            if told is not None:
                told(result)
    return results


def _measure(test: Test, place: Path, block: int) -> dict[str, Any]:
    flags = os.O_RDWR | os.O_CREAT | (os.O_DSYNC if test.method == DSYNC else 0)
    descriptors = [os.open(place / f"{block}-{number}", flags, 0o600) for number in range(test.files)]
    try:
        if test.method != APPEND:
            for descriptor in descriptors:
                _fill(descriptor, test.file_bytes)
        return _write(test, descriptors, block)
    finally:
        for number, descriptor in enumerate(descriptors):
            os.close(descriptor)
            os.unlink(place / f"{block}-{number}")


def _fill(descriptor: int, size: int) -> None:
    data = bytes(_FILL)
    for at in range(0, size, _FILL):
        os.pwrite(descriptor, data[: size - at], at)
    os.fsync(descriptor)


def _write(test: Test, descriptors: list[int], block: int) -> dict[str, Any]:
    data = os.urandom(block)
    synced = test.method == DSYNC
    histogram = Histogram()
    room = max(block, test.file_bytes - test.file_bytes % block)
    position = writes = 0
    clock = time.perf_counter_ns
    began = now = clock()
    until = began + int(test.seconds * 1e9)
    while now < until and writes * block < BYTES_MAX:
        for descriptor in descriptors:
            start = clock()
            os.pwrite(descriptor, data, position)
            if not synced:
                os.fdatasync(descriptor)
            now = clock()
            histogram.record(now - start)
            writes += 1
        position += block
        if position + block > room and test.method != APPEND:
            position = 0
    seconds = (now - began) / 1e9
    return {
        "block_bytes": block,
        "method": test.method,
        "writes": writes,
        "seconds": round(seconds, 4),
        "bytes_per_s": round(writes * block / seconds, 1) if seconds else 0.0,
        "mean_us": round(histogram.mean / 1e3, 1),
        "p50_us": round(histogram.percentile(50) / 1e3, 1),
        "p99_us": round(histogram.percentile(99) / 1e3, 1),
        "max_us": round(histogram.maximum / 1e3, 1),
    }


def line(result: dict[str, Any]) -> str:
    """Return a result as one line of a table."""
    return (
        f"{result['block_bytes'] // KIB:>8} {result['writes']:>9,} {result['writes'] / result['seconds']:>10,.0f} "
        f"{result['bytes_per_s'] / (KIB * KIB):>9.1f} {result['mean_us']:>9,.0f} {result['p50_us']:>9,.0f} "
        f"{result['p99_us']:>9,.0f} {result['max_us']:>10,.0f}"
    )


HEAD = (
    f"{'KiB':>8} {'writes':>9} {'writes/s':>10} {'MiB/s':>9} {'mean us':>9} {'p50 us':>9} {'p99 us':>9} {'max us':>10}"
)
