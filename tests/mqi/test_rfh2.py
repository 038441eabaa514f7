"""MQRFH2: a recorded JMS header byte for byte, folders in UTF-8 and UTF-16, wrong lengths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.mqi import MQRFH2, StructureError
from flintmq.mqi.rfh2 import SIZE

FOLDERS = [
    "<mcd><Msd>jms_text</Msd></mcd>",
    "<jms><Dst>queue:///MONI</Dst><Tms>1543156572456</Tms><Dlv>2</Dlv></jms>",
    "<usr><TheKey>TheValue</TheKey></usr>",
]
RECORDED = (
    bytes.fromhex("52464820 00000002 000000bc 00000111 000004b8 4d51535452202020 00000000 000004b8")
    + bytes.fromhex("00000020")
    + b"<mcd><Msd>jms_text</Msd></mcd>  "
    + bytes.fromhex("00000048")
    + b"<jms><Dst>queue:///MONI</Dst><Tms>1543156572456</Tms><Dlv>2</Dlv></jms> "
    + bytes.fromhex("00000024")
    + b"<usr><TheKey>TheValue</TheKey></usr>"
)


def test_a_recorded_jms_header_is_read() -> None:
    rfh2 = MQRFH2.unpack(RECORDED + b"body bytes", 0, big_endian=True)
    assert rfh2.folders == FOLDERS
    assert (rfh2.encoding, rfh2.coded_char_set_id, rfh2.format, rfh2.name_value_ccsid) == (273, 1208, "MQSTR", 1208)
    assert (RECORDED + b"body bytes")[rfh2.struc_length :] == b"body bytes"


def test_a_recorded_jms_header_is_written_byte_for_byte() -> None:
    rfh2 = MQRFH2()
    rfh2.encoding, rfh2.coded_char_set_id, rfh2.format = 273, 1208, "MQSTR"
    rfh2.folders = list(FOLDERS)
    assert rfh2.pack(big_endian=True) == RECORDED


@given(
    st.lists(st.text(max_size=30).map(lambda text: f"<f>{text}</f>"), max_size=4),
    st.booleans(),
    st.sampled_from([1208, 1200, 13488, 17584]),
    st.sampled_from([1208, 500]),
)
def test_folders_survive(folders: list[str], big_endian: bool, name_value_ccsid: int, ccsid: int) -> None:
    rfh2 = MQRFH2()
    rfh2.name_value_ccsid, rfh2.folders, rfh2.format = name_value_ccsid, folders, "MQSTR"
    raw = rfh2.pack(big_endian, ccsid)
    back = MQRFH2.unpack(raw, 0, big_endian, ccsid)
    assert back.folders == folders and back.struc_length == len(raw) and len(raw) % 4 == 0
    assert back.format == "MQSTR"


def test_without_folders_it_is_36_bytes() -> None:
    assert len(MQRFH2().pack()) == SIZE == 36
    assert "MQRFH2(" in repr(MQRFH2())


@pytest.mark.parametrize(
    ("place", "value"),
    [(0, 0), (4, 1), (8, 35), (8, 38), (8, 4000), (8, -4), (32, 819), (36, 3), (36, -4), (36, 4000), (36, 2**31 - 1)],
)
def test_wrong_numbers_are_refused(place: int, value: int) -> None:
    raw = bytearray(RECORDED)
    raw[place : place + 4] = value.to_bytes(4, "big", signed=True)
    with pytest.raises(StructureError) as caught:
        MQRFH2.unpack(bytes(raw), 0, big_endian=True)
    assert caught.value.reason == 2334


def test_a_folder_that_is_not_text_is_refused() -> None:
    raw = RECORDED.replace(b"TheValue", b"\xff\xfeeValue")
    with pytest.raises(StructureError, match="folder 3") as caught:
        MQRFH2.unpack(raw, 0, big_endian=True)
    assert caught.value.reason == 2421


@pytest.mark.parametrize(("name", "value"), [("version", 1), ("name_value_ccsid", 37), ("flags", 1 << 40)])
def test_a_header_that_cannot_be_written_is_refused(name: str, value: int) -> None:
    rfh2 = MQRFH2()
    setattr(rfh2, name, value)
    with pytest.raises(StructureError):
        rfh2.pack()
