"""Data conversion: text, headers in chains, PCF, and every reason why not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.mqi import (
    MQCFGR,
    MQCFIN,
    MQCFSL,
    MQCFST,
    MQCIH,
    MQDH,
    MQDLH,
    MQEPH,
    MQIIH,
    MQMDE,
    MQPMR,
    MQRFH,
    MQRFH2,
    MQTM,
    MQWIH,
    MQXQH,
    ConversionError,
    PCFMessage,
)
from flintmq.mqi.convert import Converted, convert
from flintmq.mqi.pcf import parse

BIG, LITTLE = 273, 546


def failure(
    format: str, data: bytes, encoding: int, ccsid: int, to_encoding: int, to_ccsid: int, limit: int = -1
) -> int:
    with pytest.raises(ConversionError) as caught:
        convert(format, data, encoding, ccsid, to_encoding, to_ccsid, limit)
    return caught.value.reason


@pytest.mark.parametrize(
    ("data", "ccsid", "encoding", "to_ccsid", "to_encoding", "expected"),
    [
        (b"Hello", 1208, BIG, 500, LITTLE, bytes.fromhex("c885939396")),
        (bytes.fromhex("c885939396"), 500, BIG, 819, LITTLE, b"Hello"),
        (bytes.fromhex("adbd"), 1047, BIG, 37, BIG, bytes.fromhex("babb")),
        (b"abc", 819, BIG, 1208, BIG, b"abc"),
        (b"\xe4", 819, BIG, 1208, BIG, b"\xc3\xa4"),
        (b"\0a\0b", 1200, BIG, 1200, LITTLE, b"a\0b\0"),
        (b"ab", 1208, BIG, 1200, LITTLE, b"a\0b\0"),
        (b"a\0", 1200, LITTLE, 13488, BIG, b"\0a"),
        ("日本".encode("cp932"), 943, BIG, 1208, BIG, "日本".encode()),
        ("日".encode(), 1208, BIG, 819, BIG, b"\x1a"),
        (b"abc", 1208, 0, 819, 0, b"abc"),
        (b"", 1208, BIG, 500, BIG, b""),
    ],
)
def test_text(data: bytes, ccsid: int, encoding: int, to_ccsid: int, to_encoding: int, expected: bytes) -> None:
    result = convert("MQSTR", data, encoding, ccsid, to_encoding, to_ccsid)
    assert (result.data, result.ccsid, result.encoding, result.reason) == (expected, to_ccsid, to_encoding, 0)
    assert repr(result).startswith("Converted(")


def test_nothing_is_done_when_nothing_differs() -> None:
    """V3: not even a look at the data."""
    data = b"not a header"
    assert convert("MQDEAD", data, BIG, 1208, BIG, 1208).data is data


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("", b"x", BIG, 1208, BIG, 500), 2110),
        (("MYFMT", b"x", BIG, 1208, BIG, 500), 2110),
        (("MQSTR", b"x", BIG, 99999, BIG, 500), 2111),
        (("MQSTR", b"x", BIG, 0, BIG, 500), 2111),
        (("MQSTR", b"x", BIG, 1208, BIG, 99999), 2115),
        (("MQSTR", b"x", BIG, 1208, BIG, -2), 2115),
        (("MQSTR", b"\0x", 0, 1200, BIG, 1208), 2112),
        (("MQSTR", b"x", BIG, 1208, 0, 1200), 2116),
        (("MQSTR", b"\xff\xff", BIG, 1208, BIG, 500), 2119),
        (("MQSTR", b"\0", BIG, 1200, BIG, 500), 2119),
        (("MQSTR", b"\x93", BIG, 943, BIG, 500), 2150),
        (("MQDEAD", b"short", BIG, 1208, LITTLE, 1208), 2110),
        (("MQDEAD", bytes(172), BIG, 1208, LITTLE, 1208), 2110),
        (("MQDEAD", MQDLH().pack(True), 0, 1208, LITTLE, 1208), 2112),
        (("MQDEAD", MQDLH().pack(True), BIG, 1208, 0, 1208), 2116),
        (("MQADMIN", b"short", BIG, 1208, LITTLE, 1208), 2110),
        (("MQHRF2", MQRFH().pack(True), BIG, 1208, LITTLE, 1208), 2110),
        (("MQIMSVS", b"\0\x03xx", BIG, 1208, BIG, 500), 2110),
        (("MQTRIG", b"TM  ", BIG, 1208, LITTLE, 1208), 2110),
    ],
)
def test_reasons_why_not(arguments: tuple[str, bytes, int, int, int, int], reason: int) -> None:
    assert failure(*arguments) == reason


def test_the_result_must_fit_the_buffer() -> None:
    assert failure("MQSTR", "ää".encode("latin-1"), BIG, 819, BIG, 1208, limit=3) == 2120
    assert convert("MQSTR", "ää".encode("latin-1"), BIG, 819, BIG, 1208, limit=4).data == "ää".encode()


def test_a_dead_letter_from_zos_with_text() -> None:
    dlh = MQDLH()
    dlh.reason, dlh.dest_q_name, dlh.format, dlh.encoding, dlh.coded_char_set_id = 2053, "ORDERS", "MQSTR", 785, 500
    data = dlh.pack(True, 500) + "Grüße".encode("cp500")
    result = convert("MQDEAD", data, 785, 500, LITTLE, 1208)
    back = MQDLH.unpack(result.data, 0, False, 1208)
    assert (back.reason, back.dest_q_name, back.format) == (2053, "ORDERS", "MQSTR")
    assert (back.encoding, back.coded_char_set_id) == (LITTLE, 1208)
    assert result.data[172:] == "Grüße".encode()


def test_binary_data_behind_a_header_stays_with_what_is_said_of_it() -> None:
    """V2."""
    dlh = MQDLH()
    dlh.encoding, dlh.coded_char_set_id = 785, 500
    result = convert("MQDEAD", dlh.pack(True, 500) + b"\x00\xff", 785, 500, LITTLE, 1208)
    back = MQDLH.unpack(result.data)
    assert (back.encoding, back.coded_char_set_id, result.data[172:]) == (785, 500, b"\x00\xff")


def test_unknown_data_behind_a_header_stops_everything() -> None:
    """V1."""
    dlh = MQDLH()
    dlh.format = "MYFMT"
    assert failure("MQDEAD", dlh.pack(True) + b"x", BIG, 1208, LITTLE, 1208) == 2110


def jms_message(big_endian: bool, name_value_ccsid: int = 1208) -> bytes:
    rfh2 = MQRFH2()
    rfh2.encoding, rfh2.coded_char_set_id, rfh2.format = BIG if big_endian else LITTLE, 1208, "MQSTR"
    rfh2.name_value_ccsid = name_value_ccsid
    rfh2.folders = ["<mcd><Msd>jms_text</Msd></mcd>", "<usr><ä>ö</ä></usr>"]
    return rfh2.pack(big_endian) + "körper".encode()


@pytest.mark.parametrize("name_value_ccsid", [1208, 1200])
def test_a_jms_message_to_ebcdic(name_value_ccsid: int) -> None:
    """V5: folders stay readable in their own character set."""
    result = convert("MQHRF2", jms_message(False, name_value_ccsid), LITTLE, 1208, 785, 500)
    back = MQRFH2.unpack(result.data, 0, True, 500)
    assert back.folders == ["<mcd><Msd>jms_text</Msd></mcd>", "<usr><ä>ö</ä></usr>"]
    assert (back.encoding, back.coded_char_set_id, back.format, back.name_value_ccsid) == (
        785,
        500,
        "MQSTR",
        name_value_ccsid,
    )
    assert result.data[back.struc_length :].decode("cp500") == "körper"


def test_inherit_stays_inherit() -> None:
    rfh2 = MQRFH2()
    rfh2.encoding, rfh2.format = LITTLE, "MQSTR"
    result = convert("MQHRF2", rfh2.pack() + b"abc", LITTLE, 1208, BIG, 500)
    back = MQRFH2.unpack(result.data, 0, True, 500)
    assert back.coded_char_set_id == -2 and result.data[36:] == bytes.fromhex("818283")


def test_headers_stay_utf8_when_utf16_is_asked_for() -> None:
    """V4."""
    result = convert("MQHRF2", jms_message(True), BIG, 1208, LITTLE, 1200)
    back = MQRFH2.unpack(result.data, 0, False, 1208)
    assert (result.ccsid, result.reason, back.coded_char_set_id) == (1208, 2272, 1200)
    assert result.data[back.struc_length :].decode("utf-16-le") == "körper"


def chain() -> bytes:
    """XQH, MDE, DLH, RFH, RFH2, CIH, WIH, text; all big-endian EBCDIC."""
    xqh, mde, dlh, rfh, rfh2, cih, wih = MQXQH(), MQMDE(), MQDLH(), MQRFH(), MQRFH2(), MQCIH(), MQWIH()
    xqh.remote_q_name, xqh.msg_desc.format, xqh.msg_desc.msg_id = "Q1", "MQHMDE", b"m" * 24
    xqh.msg_desc.encoding, xqh.msg_desc.coded_char_set_id = BIG, 500
    mde.format, mde.group_id, mde.msg_seq_number = "MQDEAD", b"g" * 24, 3
    dlh.format, dlh.dest_q_name = "MQHRF", "Q2"
    rfh.format = "MQHRF2"
    rfh.set_pairs([("MQPSCommand", "Publish")])
    rfh2.format, rfh2.folders = "MQCICS", ["<usr><a>b</a></usr>"]
    cih.version, cih.format, cih.transaction_id, cih.facility = 2, "MQHWIH", "TRAN", b"facility"
    wih.format, wih.service_name = "MQSTR", "SERVICE"
    for header in (mde, dlh, rfh, rfh2, cih, wih):
        header.encoding, header.coded_char_set_id = BIG, 500
    return b"".join(header.pack(True, 500) for header in (xqh, mde, dlh, rfh, rfh2, cih, wih)) + "ende".encode("cp500")


def test_a_long_chain_there_and_back() -> None:
    there = convert("MQXMIT", chain(), BIG, 500, LITTLE, 1208)
    xqh = MQXQH.unpack(there.data)
    assert (xqh.remote_q_name, xqh.msg_desc.format, xqh.msg_desc.msg_id) == ("Q1", "MQHMDE", b"m" * 24)
    mde = MQMDE.unpack(there.data, 428)
    assert (mde.group_id, mde.msg_seq_number, mde.format) == (b"g" * 24, 3, "MQDEAD")
    assert there.data.endswith(b"ende") and b"SERVICE" in there.data and b"TRAN" in there.data
    back = convert("MQXMIT", there.data, LITTLE, 1208, BIG, 500)
    assert back.data == chain()


def test_ims_messages() -> None:
    iih = MQIIH()
    iih.format, iih.encoding, iih.coded_char_set_id, iih.tran_instance_id = "MQIMSVS", BIG, 500, bytes(range(16))
    segment = b"\0\x09\x03\0" + "HALLO".encode("cp500")
    result = convert("MQIMS", iih.pack(True, 500) + segment + segment, BIG, 500, LITTLE, 1208)
    back = MQIIH.unpack(result.data)
    assert back.tran_instance_id == bytes(range(16)) and (back.commit_mode, back.security_scope) == ("0", "C")
    assert result.data[84:] == (b"\x09\0\x03\0HALLO") * 2


def test_a_trigger_message() -> None:
    tm = MQTM()
    tm.q_name, tm.appl_type, tm.appl_id = "ORDERS", 6, "/bin/start"
    result = convert("MQTRIG", tm.pack(True, 500), BIG, 500, LITTLE, 819)
    back = MQTM.unpack(result.data, 0, False, 819)
    assert (back.q_name, back.appl_type, back.appl_id, len(result.data)) == ("ORDERS", 6, "/bin/start", 684)


def test_a_distribution_header() -> None:
    dh, record = MQDH(), MQPMR()
    dh.format, dh.put_msg_rec_fields, dh.objects = "MQSTR", 9, [("Q1", "QM1")]
    record.msg_id, record.feedback = b"m" * 24, 256
    dh.records = [record]
    dh.encoding, dh.coded_char_set_id = BIG, 500
    result = convert("MQHDIST", dh.pack(True, 500) + "x".encode("cp500"), BIG, 500, LITTLE, 1208)
    back = MQDH.unpack(result.data)
    assert back.objects == [("Q1", "QM1")] and back.records[0].feedback == 256 and result.data.endswith(b"x")
    assert (back.encoding, back.coded_char_set_id) == (LITTLE, 1208)


@pytest.mark.parametrize("format", ["MQADMIN", "MQPCF", "MQEVENT"])
def test_pcf(format: str) -> None:
    message = PCFMessage()
    message.parameters = [
        MQCFIN(20, 1),
        MQCFST(2016, "GRÜN  ", 500),
        MQCFGR(8001, [MQCFSL(1, ["a", "bcd"]), MQCFST(2, "x", 273)]),
    ]
    result = convert(format, message.pack(True, 500), BIG, 500, LITTLE, 1208)
    back = parse(result.data, 0, False, 1208)
    text = back.find(2016)
    assert isinstance(text, MQCFST) and (text.string, text.coded_char_set_id) == ("GRÜN  ", 1208)
    assert back.integer(20) == 1 and back.end == len(result.data)


def test_embedded_pcf() -> None:
    eph = MQEPH()
    eph.format, eph.encoding, eph.coded_char_set_id = "MQSTR", BIG, 500
    eph.pcf.parameters = [MQCFST(1, "text")]
    result = convert("MQHEPCF", eph.pack(True, 500) + "x".encode("cp500"), BIG, 500, LITTLE, 1208)
    back = MQEPH.unpack(result.data)
    assert back.pcf.string(1) == "text" and back.coded_char_set_id == 1208 and result.data.endswith(b"x")


def test_text_that_grows_out_of_its_field_is_refused() -> None:
    """V6."""
    dlh = MQDLH()
    dlh.put_appl_name = "Ü" * 28
    assert failure("MQDEAD", dlh.pack(True, 819), BIG, 819, BIG, 1208) == 2190
    dlh.put_appl_name = "Ü" * 14
    result = convert("MQDEAD", dlh.pack(True, 819), BIG, 819, BIG, 1208)
    assert MQDLH.unpack(result.data, 0, True).put_appl_name == "Ü" * 14


@settings(max_examples=200)
@given(
    st.text(st.characters(min_codepoint=32, max_codepoint=126)), st.sampled_from([37, 500, 1047, 1140, 1200, 819, 850])
)
def test_text_there_and_back(text: str, ccsid: int) -> None:
    there: Converted = convert("MQSTR", text.encode(), LITTLE, 1208, BIG, ccsid)
    assert convert("MQSTR", there.data, BIG, ccsid, LITTLE, 1208).data == text.encode()
