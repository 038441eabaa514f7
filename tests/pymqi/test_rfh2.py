"""RFH2: folders as members, both byte orders, and what is wrong with a header that is not one."""

from __future__ import annotations

import struct

import pytest

from flintmq import pymqi
from flintmq.pymqi import CMQC

FOLDER = b"<usr><color>red</color></usr>"  # 29 bytes.


def header(encoding: int | None = None, **members: object) -> bytes:
    made = pymqi.RFH2(**members)
    made.add_folder(FOLDER)
    made.add_folder(b"<mcd/>")
    return made.pack(encoding)


def test_a_folder_is_a_member_with_its_length() -> None:
    made = pymqi.RFH2(NameValueCCSID=1208)
    made.add_folder(FOLDER)
    assert (made.usr, made.usrLength, made.StrucLength) == (FOLDER + b"   ", 32, 72)
    assert made["usr"] is made.usr and len(made.get()) == 10 and made.NameValueCCSID == 1208


@pytest.mark.parametrize(("encoding", "order"), [(273, ">"), (546, "<"), (None, "<")])
def test_the_byte_order_is_that_of_the_descriptor_in_front(encoding: int | None, order: str) -> None:
    packed = header(encoding, Format=CMQC.MQFMT_STRING)
    assert struct.unpack_from(order + "ii", packed, 4) == (2, 84)
    for said in (encoding, None):
        back = pymqi.RFH2()
        back.unpack(packed + b"body", said)
        assert (back.usr.strip(), back.mcd, back.StrucLength, back.Format) == (FOLDER, b"<mcd/>  ", 84, b"MQSTR   ")
        assert back.pack(encoding) == packed


def test_a_header_without_folders_is_read() -> None:
    back = pymqi.RFH2()
    back.unpack(header()[:36])
    assert len(back.get()) == 8


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        (b"MD  " + bytes(40), None, "RFH2 - StrucId not MQRFH_STRUC_ID"),
        (b"RFH " + bytes(20), None, "RFH2 - Buffer too short. Should be 36"),
        (header()[:60], None, "RFH2 - Buffer too short. Expected: 84 Buffer Length: 60"),
        (header(), 273, "RFH2 - Buffer too short. Expected: 1409286144 Buffer Length: 84"),
        (header().replace(struct.pack("<i", 84), struct.pack("<i", -1)), None, '"StrucLength" is negative'),
        (header().replace(struct.pack("<i", 32), struct.pack("<i", 3200)), None, "Folder length is 3200"),
        (header().replace(struct.pack("<i", 32), struct.pack("<i", -4)), None, "Folder length is -4"),
        (header().replace(b"</color>", b"<color/>"), None, "RFH2 - XML Folder not well formed"),
        (header().replace(struct.pack("<i", 84), struct.pack("<i", 78)), None, "bytes"),
    ],
)
def test_a_header_that_is_wrong_says_how(data: bytes, encoding: int | None, text: str) -> None:
    with pytest.raises(pymqi.PYIFError, match="PYMQI Error: RFH2 - ") as refused:
        pymqi.RFH2().unpack(data, encoding)
    assert text in str(refused.value)


def test_a_folder_that_is_not_well_formed_is_refused() -> None:
    for folder in (b"<usr><color></usr>", b"", b"text"):
        with pytest.raises(pymqi.PYIFError, match="XML Folder not well formed"):
            pymqi.RFH2().add_folder(folder)
    with pytest.raises(TypeError):
        pymqi.RFH2().add_folder("<usr/>")  # type: ignore[arg-type]


def test_a_folder_of_jms_needs_no_declared_prefix() -> None:
    made = pymqi.RFH2()
    made.add_folder(b"<usr><a xsi:nil='true'/><n dt='i4'>5</n></usr>")
    assert made.usr.startswith(b"<usr><a xsi:nil")
