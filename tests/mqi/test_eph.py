"""MQEPH: PCF in front of other data."""

import pytest

from flintmq.mqi import MQCFST, MQEPH, StructureError


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("ccsid", [1208, 500])
def test_round_trip(big_endian: bool, ccsid: int) -> None:
    eph = MQEPH()
    eph.format = "MQSTR"
    eph.pcf.parameters = [MQCFST(1, "text")]
    raw = eph.pack(big_endian, ccsid)
    back = MQEPH.unpack(raw + b"body", 0, big_endian, ccsid)
    assert back.struc_length == len(raw) and back.format == "MQSTR" and back.pcf.string(1) == "text"
    assert back.pack(big_endian, ccsid) == raw


def test_parameters_cannot_reach_beyond_the_header() -> None:
    eph = MQEPH()
    eph.pcf.parameters = [MQCFST(1, "text")]
    raw = bytearray(eph.pack())
    raw[8:12] = (68).to_bytes(4, "little")
    with pytest.raises(StructureError):
        MQEPH.unpack(bytes(raw))


def test_without_parameters_it_is_68_bytes() -> None:
    assert len(MQEPH().pack()) == 68
