"""Strings of variable length behind a structure."""

import pytest

from flintmq.mqi import MQCHARV, MQOD, MQSD, StructureError
from flintmq.mqi.charv import Strings, read_string


def od_with_strings() -> MQOD:
    od = MQOD()
    od.version = 4
    od.object_type = 8
    od.object_string = "a/b/é"
    od.selection_string = "color = 'red'"
    return od


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("ccsid", [1208, 500, 1200])
def test_strings_lie_behind_the_structure_on_multiples_of_four(big_endian: bool, ccsid: int) -> None:
    raw = od_with_strings().pack(big_endian, ccsid)
    charv = MQCHARV.unpack(raw, 336, big_endian)
    assert charv.vs_offset == 400 and charv.vs_ccsid == ccsid and len(raw) % 4 == 0
    back = MQOD.unpack(b"xxxx" + raw, 4, big_endian, ccsid)
    assert back.object_string == "a/b/é" and back.selection_string == "color = 'red'" and back.res_object_string == ""


def test_a_string_may_end_at_a_nul() -> None:
    charv = MQCHARV()
    charv.vs_offset, charv.vs_length, charv.vs_ccsid = 20, -1, 1208
    assert read_string(charv.pack() + b"topic\0rest", 0, charv.pack(), False, 1208, 2441, "ObjectString") == "topic"
    with pytest.raises(StructureError, match="no NUL"):
        read_string(charv.pack() + b"topic", 0, charv.pack(), False, 1208, 2441, "ObjectString")


@pytest.mark.parametrize(("offset", "length"), [(20, 100), (5000, 1), (-1, 4), (20, -2), (2**31 - 1, 2**31 - 1)])
def test_a_string_outside_the_data_is_refused(offset: int, length: int) -> None:
    charv = MQCHARV()
    charv.vs_offset, charv.vs_length = offset, length
    with pytest.raises(StructureError):
        read_string(charv.pack() + b"1234", 0, charv.pack(), False, 1208, 2441, "ObjectString")


def test_text_that_is_not_of_its_character_set_is_refused() -> None:
    strings = Strings(20, False, 819)
    raw = bytearray(strings.add("é"))
    raw[16:20] = (1208).to_bytes(4, "little")
    with pytest.raises(StructureError, match="CCSID 1208"):
        read_string(bytes(raw) + strings.joined(), 0, bytes(raw), False, 1208, 2441, "ObjectString")


def test_an_empty_string_points_nowhere_and_has_a_character_set_that_exists() -> None:
    """Clients look the character set up before they look at the length."""
    raw = MQSD().pack()
    assert len(raw) == 312
    charv = MQCHARV.unpack(raw, 116)
    assert (charv.vs_offset, charv.vs_length, charv.vs_ccsid) == (0, 0, 1208)
