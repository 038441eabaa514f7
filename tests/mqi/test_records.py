"""The records of a distribution list: MQOR and MQRR."""

from __future__ import annotations

import pytest

from flintmq.mqi import MQOR, MQRR, StructureError
from flintmq.mqi.reason import MQRC_OBJECT_RECORDS_ERROR, MQRC_RESPONSE_RECORDS_ERROR


@pytest.mark.parametrize("ccsid", [1208, 500])
def test_an_object_record_is_two_names_of_48_characters(ccsid: int) -> None:
    raw = MQOR("ORDERS", "QM2").pack(ccsid=ccsid)
    assert len(raw) == 96 and raw[:6] == "ORDERS".encode("cp500" if ccsid == 500 else "utf-8")
    back = MQOR.unpack(b"????" + raw, 4, ccsid=ccsid)
    assert (back.object_name, back.object_q_mgr_name) == ("ORDERS", "QM2")
    with pytest.raises(StructureError) as error:
        MQOR.unpack(raw[:-1])
    assert error.value.reason == MQRC_OBJECT_RECORDS_ERROR
    with pytest.raises(StructureError):
        MQOR("N" * 49).pack()


@pytest.mark.parametrize("big_endian", [True, False])
def test_a_response_record_is_two_numbers(big_endian: bool) -> None:
    record = MQRR()
    record.comp_code, record.reason = 2, 2085
    raw = record.pack(big_endian)
    assert raw == (2).to_bytes(4, "big" if big_endian else "little") + (2085).to_bytes(
        4, "big" if big_endian else "little"
    )
    back = MQRR.unpack(raw, 0, big_endian)
    assert (back.comp_code, back.reason) == (2, 2085)
    with pytest.raises(StructureError) as error:
        MQRR.unpack(raw, 1, big_endian)
    assert error.value.reason == MQRC_RESPONSE_RECORDS_ERROR
    record.reason = 1 << 40
    with pytest.raises(StructureError):
        record.pack()
