"""MQXQH: the descriptor in the header."""

import pytest

from flintmq.mqi import MQXQH, StructureError
from flintmq.mqi.xqh import SIZE


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("ccsid", [1208, 1047])
def test_round_trip(big_endian: bool, ccsid: int) -> None:
    xqh = MQXQH()
    xqh.remote_q_name, xqh.remote_q_mgr_name = "ORDERS", "QM2"
    xqh.msg_desc.format, xqh.msg_desc.reply_to_q, xqh.msg_desc.msg_id = "MQSTR", "REPLY", b"m" * 24
    raw = xqh.pack(big_endian, ccsid)
    back = MQXQH.unpack(raw, 0, big_endian, ccsid)
    assert len(raw) == SIZE == 428
    assert (back.remote_q_name, back.remote_q_mgr_name, back.msg_desc.reply_to_q) == ("ORDERS", "QM2", "REPLY")
    assert back.pack(big_endian, ccsid) == raw
    assert "ORDERS" in repr(back)


def test_only_a_version_1_descriptor_goes_in() -> None:
    xqh = MQXQH()
    xqh.msg_desc.version = 2
    with pytest.raises(StructureError, match="MQMDE") as caught:
        xqh.pack()
    assert caught.value.reason == 2260


def test_wrong_versions_are_refused() -> None:
    raw = bytearray(MQXQH().pack())
    raw[4] = 9
    with pytest.raises(StructureError, match="version 9"):
        MQXQH.unpack(bytes(raw))
    xqh = MQXQH()
    xqh.version = 3
    with pytest.raises(StructureError, match="version 3"):
        xqh.pack()
