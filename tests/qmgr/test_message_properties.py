"""Where the properties of a message are found: kept with it, and in the MQRFH2 headers of its data."""

from __future__ import annotations

import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.mqi.constants import MQENC_NATIVE, MQFMT_DEAD_LETTER_HEADER, MQFMT_RF_HEADER_2
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.md import MQMD
from flintmq.mqi.message_properties import rules_headers
from flintmq.mqi.rfh2 import MQRFH2, pack_folders
from flintmq.qmgr.message import Message
from flintmq.qmgr.message_properties import may_have_properties, properties_of
from tests.qmgr.driver import Driver


def message(
    data: bytes = b"", format: str = "", block: bytes = b"", encoding: int = MQENC_NATIVE, ccsid: int = 1208
) -> Message:
    md = MQMD()
    md.format = format
    md.encoding = encoding
    md.coded_char_set_id = ccsid
    made = Message(Driver(("QLOCAL", "Q", {})).queue("Q"), 1, 0, data, md)
    made.properties = block
    return made


def rfh2(*folders: str, format: str = "", big_endian: bool = False, name_value_ccsid: int = 1208) -> bytes:
    header = MQRFH2()
    header.folders = list(folders)
    header.format = format
    header.encoding = 273 if big_endian else MQENC_NATIVE
    header.coded_char_set_id = 1208
    header.name_value_ccsid = name_value_ccsid
    return header.pack(big_endian, 1208)


def test_a_message_without_properties_has_none() -> None:
    plain = message(b"<usr><a>1</a></usr>", "MQSTR")
    assert len(properties_of(plain)) == 0
    assert not may_have_properties(message(b"data"))


def test_what_was_put_through_a_handle_is_read_back_with_its_types() -> None:
    block = pack_folders(
        ["<usr><color>red</color><n dt='i4'>3</n></usr>", "<shop content='properties'><b>x</b></shop>"]
    )
    properties = properties_of(message(b"data", block=block))
    assert [(item.name, item.value) for item in properties.items] == [("color", "red"), ("n", 3), ("shop.b", "x")]


def test_folders_of_properties_in_a_header_count_and_others_do_not() -> None:
    data = (
        rfh2("<psc><Command>Publish</Command></psc>", "<usr><color>red</color></usr>", "<own><x>1</x></own>") + b"data"
    )
    properties = properties_of(message(data, MQFMT_RF_HEADER_2))
    assert properties.names() == ["color"]


def test_all_headers_of_a_chain_count_in_order_behind_those_of_the_handle() -> None:
    data = rfh2("<usr><b>2</b></usr>", format=MQFMT_RF_HEADER_2) + rfh2("<usr><c>3</c></usr>") + b"data"
    found = properties_of(message(data, MQFMT_RF_HEADER_2, pack_folders(["<usr><a>1</a></usr>"])))
    assert found.names() == ["a", "b", "c"]


def test_a_header_of_another_byte_order_and_character_set_is_read() -> None:
    data = rfh2("<usr><color>grün</color></usr>", big_endian=True, name_value_ccsid=1200) + b"data"
    assert properties_of(message(data, MQFMT_RF_HEADER_2, encoding=273)).value("color") == "grün"


def test_properties_are_found_behind_a_dead_letter_header() -> None:
    dlh = MQDLH()
    dlh.encoding = MQENC_NATIVE
    dlh.coded_char_set_id = 1208
    dlh.format = MQFMT_RF_HEADER_2
    data = dlh.pack(False, 1208) + rfh2("<usr><a>1</a></usr>") + b"data"
    assert properties_of(message(data, MQFMT_DEAD_LETTER_HEADER)).value("a") == "1"


def test_a_header_that_is_not_well_formed_has_no_properties_and_hides_what_is_behind_it() -> None:
    data = rfh2("<usr><a>1</a>", format=MQFMT_RF_HEADER_2) + rfh2("<usr><c>3</c></usr>")
    assert len(properties_of(message(data, MQFMT_RF_HEADER_2))) == 0
    data = rfh2("<usr><a>1</a></usr>", format=MQFMT_RF_HEADER_2) + rfh2("<usr><c dt='i4'>x</c></usr>")
    assert properties_of(message(data, MQFMT_RF_HEADER_2)).names() == ["a"]


def test_a_header_in_a_character_set_that_is_not_known_is_read_as_utf_8() -> None:
    data = rfh2("<usr><a>1</a></usr>") + b"data"
    assert properties_of(message(data, MQFMT_RF_HEADER_2, ccsid=99_999)).value("a") == "1"


@given(st.binary(max_size=200), st.booleans(), st.sampled_from([0, 37, 1208, 1200, -1, 99_999]))
@settings(max_examples=150, deadline=None)
def test_no_data_makes_it_fail(garbage: bytes, whole: bool, ccsid: int) -> None:
    """M1."""
    fixed = b"RFH " + struct.pack("<iiii8sii", 2, 36 + len(garbage) // 4 * 4, 546, ccsid, b"MQHRF2  ", 0, 1208)
    data = garbage if whole else fixed + garbage
    broken = message(data, MQFMT_RF_HEADER_2, garbage, ccsid=ccsid)
    assert len(properties_of(broken)) >= 0
    assert all(header.end <= len(data) for header in rules_headers(MQFMT_RF_HEADER_2, 546, ccsid, data))
