"""MQDH: object records and put message records."""

import pytest

from flintmq.mqi import MQDH, MQPMR, StructureError


def header(fields: int) -> MQDH:
    dh = MQDH()
    dh.format, dh.put_msg_rec_fields = "MQSTR", fields
    dh.objects = [("Q1", "QM1"), ("Q2", "")]
    if fields:
        for i in range(2):
            record = MQPMR()
            record.msg_id, record.correl_id, record.group_id = bytes([i + 1]) * 24, b"c" * 24, b"g" * 24
            record.feedback, record.accounting_token = 256 + i, b"t" * 32
            dh.records.append(record)
    return dh


@pytest.mark.parametrize("fields", [0, 1, 2, 9, 31])
@pytest.mark.parametrize("big_endian", [False, True])
def test_round_trip(fields: int, big_endian: bool) -> None:
    raw = header(fields).pack(big_endian)
    back = MQDH.unpack(raw + b"data", 0, big_endian)
    assert back.objects == [("Q1", "QM1"), ("Q2", "")]
    assert back.pack(big_endian) == raw
    assert len(back.records) == (2 if fields else 0)
    if fields & 8:
        assert [record.feedback for record in back.records] == [256, 257]


def test_records_must_match_the_objects() -> None:
    dh = header(1)
    dh.records.pop()
    with pytest.raises(StructureError, match="2 object records and 1") as caught:
        dh.pack()
    assert caught.value.reason == 2135


@pytest.mark.parametrize(("place", "value"), [(8, 4), (8, 10**6), (36, -1), (36, 10**6), (40, 4), (44, 9999), (32, 64)])
def test_numbers_that_contradict_each_other_are_refused(place: int, value: int) -> None:
    raw = bytearray(header(1).pack())
    raw[place : place + 4] = value.to_bytes(4, "little", signed=True)
    with pytest.raises(StructureError):
        MQDH.unpack(bytes(raw))
