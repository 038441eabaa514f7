"""The dump of log and control files. Its text is part of the format: change both together."""

import pytest

from flintmq.log import RLE, Log, LogConfig, LogError, inspect_file
from flintmq.log.inspect import recognises
from tests.log.conftest import IDENTITY, Place
from tests.simulation.disk import SimulatedDisk

FIRST = "/qm/log/S0000000.LOG"


def lines(disk: SimulatedDisk, path: str) -> list[str]:
    return list(inspect_file(disk, path, lambda kind, payload: f"<{kind}:{len(payload)}>"))


@pytest.fixture
def disk() -> SimulatedDisk:
    disk = SimulatedDisk()
    log = Place(disk, "/qm").create(LogConfig(2, 3, 2))
    log.append(1, b"first")
    log.append(2, bytes(2000), b"and data")
    log.flush()
    log.set_compression(RLE)
    log.append(3, bytes(1000))
    log.set_compression(0)
    log.append(4, bytes(2000))
    log.flush()
    log.checkpoint(48, 7, b"a note")
    return disk


def test_a_log_file_record_by_record(disk: SimulatedDisk) -> None:
    assert lines(disk, FIRST) == [
        "log file S0000000.LOG of log 000102030405060708090a0b0c0d0e0f",
        "  positions 0 to 4096, 2 pages",
        "      4096  position 0 epoch 1 synced 0 kind 1 5 bytes: <1:5>",
        "      4144  position 48 epoch 1 synced 0 kind 2 2008 bytes: <2:2008>",
        "      6192  position 2096 epoch 1 synced 2096 kind 3 17 bytes RLE: <3:1000>",
        "      6256  position 2160 epoch 1 synced 2096 kind 4 2000 bytes: goes on in the next file",
        "4 records",
    ]
    assert lines(disk, "/qm/log/S0000001.LOG")[2:] == [
        "      4096  the rest of a record in the file before, or nothing that validates",
        "0 records",
    ]


def test_a_control_file_slot_by_slot(disk: SimulatedDisk) -> None:
    assert lines(disk, "/qm/log/control.lfh") == [
        "control file of a recovery log",
        "slot 0:",
        "  sequence        2",
        "  identity        000102030405060708090a0b0c0d0e0f",
        "  type            CIRCULAR",
        "  file pages      2",
        "  primary files   3",
        "  secondary files 2",
        "  compression     NONE",
        "  second copy     none",
        "  archive         none",
        "  closed cleanly  no",
        "  epoch           1 from position 0",
        "  checkpoint      position 48 in S0000000.LOG",
        "  generation      7",
        "  checkpoints     1",
        "  durable         position 4200 in S0000001.LOG",
        "  formatted to    S0000002.LOG",
        "  note            6120 6e6f7465",
        "slot 1: the same",
    ]


def test_a_damaged_record_and_the_stale_ones_behind_it(disk: SimulatedDisk) -> None:
    disk.flip(FIRST, 4144 + 3)
    shown = lines(disk, FIRST)
    assert shown[3] == "      4144  position 48: no valid record; end of the log, or damage"
    assert shown[4].startswith("      6192  stale: position 2096")
    disk.flip(FIRST, 4144 + 3)
    disk.flip(FIRST, 4144 + 100)
    assert lines(disk, FIRST)[3].endswith("the CRC of the payload does not fit")


def test_records_of_an_older_epoch_are_marked() -> None:
    disk = SimulatedDisk()
    place = Place(disk, "/qm")
    log = place.create()
    for _ in range(3):
        log.append(1, b"12345678")
    log.flush()
    log.abandon()
    old = disk.content(FIRST)
    disk.flip(FIRST, 4096 + 41)
    log, _ = place.reopen()
    log.append(2, b"ABCDEFGH")
    log.close()
    new = disk.content(FIRST)
    assert lines(disk, FIRST)[3].startswith("      4144  position 48: no valid record")
    disk.set_content(FIRST, new[:4144] + old[4144:])  # As if the rest of that write had been lost.
    shown = lines(disk, FIRST)
    assert shown[2].startswith("      4096  position 0 epoch 2")
    assert shown[3] == "      4144  position 48: records of an older epoch follow"
    assert shown[4].startswith("      4144  stale: position 48 epoch 1")


def test_a_header_that_is_not_valid_is_told(disk: SimulatedDisk) -> None:
    disk.flip(FIRST, 20)
    assert lines(disk, FIRST)[0] == "log file whose header is not valid: the CRC of the header does not fit"
    disk.flip("/qm/log/control.lfh", 40)
    assert lines(disk, "/qm/log/control.lfh")[1] == "slot 0: not valid: CRC does not fit"


def test_payloads_nobody_describes_are_shown_in_hex(disk: SimulatedDisk) -> None:
    shown = list(inspect_file(disk, FIRST))
    assert shown[2].endswith(": 66 69727374")
    assert shown[3].endswith(" 00000000 00000000 ...")


def test_other_files_are_refused(disk: SimulatedDisk) -> None:
    disk.set_content("/qm/log/other", b"something else")
    with pytest.raises(LogError, match="neither a log file nor a control file"):
        lines(disk, "/qm/log/other")
    with pytest.raises(LogError, match="cannot be opened"):
        lines(disk, "/qm/log/missing")
    assert recognises(disk.content(FIRST)) and not recognises(b"something else")


def test_a_dump_changes_nothing(disk: SimulatedDisk) -> None:
    before = disk.operations
    for path in disk.paths():
        lines(disk, path)
    assert disk.operations == before


def test_rubbish_is_dumped_without_an_error(disk: SimulatedDisk) -> None:
    content = disk.content(FIRST)
    for cut in range(0, len(content), 301):
        disk.set_content(FIRST, content[:cut])
        try:
            lines(disk, FIRST)
        except LogError:
            pass


def test_create_is_what_the_dump_shows(disk: SimulatedDisk) -> None:
    other = SimulatedDisk()
    Log.create(other, "/x", LogConfig(linear=True, file_pages=2), IDENTITY, first_extent=5)
    assert "  positions 20480 to 24576, 2 pages" in lines(other, "/x/S0000005.LOG")
