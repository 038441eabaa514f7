"""The control file: its layout, its limits, and rubbish in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.log import LogConfig, LogError
from flintmq.log.control import SLOT_SIZE, ControlFile, ControlState, load_control, unpack_slot
from tests.simulation.disk import SimulatedDisk


def state() -> ControlState:
    made = ControlState(bytes(range(16)), LogConfig(64, 5, 4, True, "/second", 2, "/archive"))
    made.sequence = 11
    made.clean = True
    made.epoch = 12
    made.epoch_start = 2**40
    made.last_extent = 14
    made.checkpoint = 2**41
    made.durable = 2**42
    made.generation = 17
    made.checkpoints = 18
    made.note = b"note"
    return made


def test_a_slot_gives_back_every_field() -> None:
    before, after = state(), unpack_slot(state().pack().ljust(SLOT_SIZE, b"\0"))
    for name in vars(before) if hasattr(before, "__dict__") else ():
        if name != "config":
            assert getattr(after, name) == getattr(before, name), name
    assert after.pack() == before.pack()
    config = after.config
    assert (config.file_pages, config.primary, config.secondary, config.linear) == (64, 5, 4, True)
    assert (config.second_copy, config.compression, config.archive) == ("/second", 2, "/archive")


def test_a_changed_byte_is_noticed() -> None:
    good = state().pack()
    for offset in range(len(good)):
        bad = bytearray(good)
        bad[offset] ^= 1
        with pytest.raises(ValueError):
            unpack_slot(bytes(bad))


@given(st.binary(max_size=400))
def test_rubbish_is_an_error_and_nothing_else(data: bytes) -> None:
    for start in (b"", b"FLINTCTL\1\0\0\0"):
        with pytest.raises(ValueError):
            unpack_slot(start + data)


def test_a_version_of_the_future_is_named() -> None:
    data = bytearray(state().pack())
    data[8] = 2
    with pytest.raises(ValueError, match="version 2"):
        unpack_slot(bytes(data))


def test_the_highest_sequence_of_all_control_files_counts() -> None:
    disk = SimulatedDisk()
    disk.mkdir("/a")
    disk.mkdir("/b")
    both = ControlFile(disk, ["/a", "/b"])
    made = state()
    both.create(made)
    ControlFile(disk, ["/b"]).store(made)
    assert load_control(disk, ["/a"]).sequence == 11
    assert load_control(disk, ["/a", "/b"]).sequence == 12
    with pytest.raises(LogError, match="no log in /c"):
        load_control(disk, ["/c"])


def test_control_files_of_two_logs_are_not_mixed() -> None:
    disk = SimulatedDisk()
    for directory, identity in (("/a", bytes(16)), ("/b", bytes([1]) * 16)):
        disk.mkdir(directory)
        ControlFile(disk, [directory]).create(ControlState(identity, LogConfig()))
    with pytest.raises(LogError, match="another log"):
        load_control(disk, ["/a", "/b"])
