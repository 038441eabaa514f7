"""Physical files: names, states, headers, and the stream across them."""

import pytest

from flintmq.log import LogCounters
from flintmq.log.segments import (
    ACTIVE,
    CURRENT,
    PAGE,
    PREPARED,
    RELEASED,
    UNKNOWN,
    FileHeader,
    Segments,
    extent_of_name,
    file_name,
    file_state,
    unpack_file_header,
)
from tests.log.conftest import IDENTITY
from tests.simulation.disk import SimulatedDisk


@pytest.mark.parametrize("extent", [0, 7, 9999999, 10000000, 2**50])
def test_a_name_stands_for_one_extent(extent: int) -> None:
    assert extent_of_name(file_name(extent)) == extent


@pytest.mark.parametrize("name", ["control.lfh", "S1.LOG", "S0000001.LOG.old", "S000000x.LOG", ""])
def test_other_names_stand_for_none(name: str) -> None:
    assert extent_of_name(name) == -1


def test_every_file_is_in_exactly_one_state() -> None:
    states = [file_state(extent, first=3, current=5, last=7) for extent in range(1, 10)]
    assert states == [RELEASED, RELEASED, ACTIVE, ACTIVE, CURRENT, PREPARED, PREPARED, UNKNOWN, UNKNOWN]


def test_a_header_page_gives_back_its_fields_and_notices_a_changed_byte() -> None:
    page = FileHeader(IDENTITY, 2**40, 2**52, 65535).pack()
    assert len(page) == PAGE
    header = unpack_file_header(page)
    assert (header.identity, header.extent, header.position, header.file_pages) == (IDENTITY, 2**40, 2**52, 65535)
    for offset in range(52):
        bad = bytearray(page)
        bad[offset] ^= 4
        with pytest.raises(ValueError):
            unpack_file_header(bytes(bad))
    with pytest.raises(ValueError, match="cut off"):
        unpack_file_header(page[:51])


def prepared(count: int) -> Segments:
    disk = SimulatedDisk()
    disk.mkdir("/log")
    segments = Segments(disk, "/log", IDENTITY, 2, LogCounters())
    for extent in range(count):
        segments.prepare(extent)
    return segments


@pytest.mark.parametrize("start", [0, 1, 4095, 4096, 5000])
@pytest.mark.parametrize("sizes", [[10], [4096], [1, 4095, 4096], [9000], [5, 9000, 5], [1] * 50 + [8000] + [3] * 9])
def test_parts_are_written_across_files_without_a_gap(start: int, sizes: list[int]) -> None:
    segments = prepared(5)
    parts: list[bytes | memoryview] = [bytes([number % 251 + 1]) * size for number, size in enumerate(sizes)]
    whole = b"".join(parts)
    segments.write(start, parts, len(whole))
    segments.sync()
    assert segments.read(start, len(whole)) == whole
    assert segments.read(0, start) == bytes(start)
    assert segments.read(start + len(whole), 10) == bytes(10)


def test_reading_beyond_the_last_file_returns_what_there_is() -> None:
    segments = prepared(2)
    assert len(segments.read(4000, 10_000)) == 2 * 4096 - 4000
    assert segments.read(3 * 4096, 10) == b""


def test_a_position_is_located_in_its_file() -> None:
    assert prepared(0).locate(2 * 4096 + 5) == ("/log/S0000002.LOG", PAGE + 5)
