"""Issue 14, item 14: packed dumps that are damaged or cut off keep what comes before, and the fault is told."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.telemetry.builder import dump
from tests.telemetry.conftest import Read
from tests.telemetry.test_framing import RECORDS, statistics

pa: Any = pytest.importorskip("pyarrow", reason="columns need the spark extra: pyarrow")
pytest.importorskip("numpy", reason="columns need the spark extra: NumPy")

from flintmq.telemetry.smf.columns.packed import PIECE, Unpacker  # noqa: E402

#: Content that does not pack well, so that a damaged byte is somewhere in the middle of it.
CONTENT = b"".join(zlib.crc32(number.to_bytes(4, "big")).to_bytes(4, "big") for number in range(30_000))


def unpacked(path: Path, data: bytes, size: int = -1) -> tuple[bytes, str]:
    """What is before the fault, read at once or in reads of `size` bytes, and the fault."""
    path.write_bytes(data)
    with Unpacker(str(path)) as file:
        parts = []
        while part := file.read(size):
            parts.append(part)
        return b"".join(parts), file.fault


def before_damage(data: bytes) -> bytes:
    """What zlib gives when it gets one byte after the other."""
    state, made = zlib.decompressobj(31), []
    for at in range(len(data)):
        try:
            made.append(state.decompress(data[at : at + 1]))
        except zlib.error:
            break
    return b"".join(made)


@pytest.mark.parametrize("size", [-1, 1000, PIECE])
def test_every_byte_before_the_damage_of_a_gz_is_kept(tmp_path: Path, size: int) -> None:
    packed = gzip.compress(CONTENT)
    for place in (20, len(packed) // 2, PIECE + 7, len(packed) - 6):
        damaged = packed[:place] + bytes([packed[place] ^ 0xFF] * 3) + packed[place + 3 :]
        found, fault = unpacked(tmp_path / "a.gz", damaged, size)
        assert found == before_damage(damaged)
        assert fault.startswith("a.gz cannot be unpacked from byte ") and "it is damaged there (" in fault
    assert len(found) == len(CONTENT) and "incorrect data check" in fault


@pytest.mark.parametrize("left", [0, 1, 5, 40, -1, -8, -9, -3000])
def test_a_gz_that_is_cut_off_keeps_what_it_has(tmp_path: Path, left: int) -> None:
    """An empty file is a dump without records, and nothing is wrong with it."""
    packed = gzip.compress(CONTENT)[:left]
    found, fault = unpacked(tmp_path / "a.gz", packed)
    assert found == before_damage(packed) and CONTENT.startswith(found)
    assert bool(fault) == bool(packed)
    if left < 0:
        assert len(found) > len(CONTENT) - 4000
        assert fault == f"a.gz cannot be unpacked from byte {len(packed):,} of the file on: it is cut off there"


def test_members_padding_and_what_is_not_gzip(tmp_path: Path) -> None:
    half = len(CONTENT) // 2
    members = gzip.compress(CONTENT[:half]) + bytes(3 * PIECE) + gzip.compress(CONTENT[half:])
    assert unpacked(tmp_path / "a.gz", members + bytes(100)) == (CONTENT, "")
    assert unpacked(tmp_path / "a.gz", gzip.compress(b"")) == (b"", "")
    found, fault = unpacked(tmp_path / "a.gz", members + b"junk")
    assert found == CONTENT
    assert fault.endswith(f"from byte {len(members):,} of the file on: there is something that is not gzip")
    found, fault = unpacked(tmp_path / "a.gz", members[:-20])
    assert CONTENT.startswith(found) and len(found) > half and "cut off" in fault


def test_every_byte_before_the_damage_of_a_zst_is_kept(tmp_path: Path) -> None:
    """zstd packs in blocks of 128 KiB: those before the damaged one are kept."""
    content = CONTENT + bytes(reversed(CONTENT)) + CONTENT[::-3] + CONTENT[::7]
    packed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    assert unpacked(tmp_path / "a.zst", packed) == (content, "")
    assert unpacked(tmp_path / "a.zst", packed + packed) == (content + content, "")
    assert unpacked(tmp_path / "a.zst", b"") == (b"", "")
    for data in (packed[:-50], packed[: len(packed) * 2 // 3], b"no zstd at all"):
        found, fault = unpacked(tmp_path / "a.zst", data)
        assert content.startswith(found) and "a.zst cannot be unpacked from byte " in fault
        if data.startswith(packed[:4]):
            assert len(found) >= len(data) // (1 << 17) * (1 << 17) > 0


@pytest.mark.parametrize("name", ["a.dat.gz", "a.dat.zst"])
def test_records_before_the_damage_become_rows(read: Read, name: str) -> None:
    data = dump(*RECORDS, *(statistics(number) for number in range(20, 3000)))
    packed = gzip.compress(data, 1) if name.endswith(".gz") else pa.compress(data, codec="zstd", asbytes=True)
    for damaged in (packed[: len(packed) * 3 // 4], packed[: len(packed) // 2] + bytes(200) + packed[-200:]):
        rows = read(damaged, name, block=100_000)
        puts = [row["Put"] for row in rows["QMST"]]
        assert puts == list(range(len(puts))) and len(puts) > 200
        told = rows["damages"][-1]
        assert told["what"].startswith(f"{name} cannot be unpacked from byte ") and told["length"] == 0
        assert told["offset"] >= rows["QMST"][-1]["Offset"]
    rows = read(b"\x1f\x8b" + bytes(50), name)
    assert [damage["offset"] for damage in rows["damages"]] == [0] and "QMST" not in rows
