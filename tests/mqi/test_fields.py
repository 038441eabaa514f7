"""Fields of fixed length: blanks, NULs, text that grows, text that is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_bytes, check_id, read_char, read_text, write_id, write_text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"ABC     ", "ABC"),
        (b"ABC\0XYZ ", "ABC"),
        (b"ABC\0\0\0\0\0", "ABC"),
        (b"        ", ""),
        (bytes(8), ""),
        (b"A B C   ", "A B C"),
        (b" lead   ", " lead"),
        ("GRÜN".encode(), "GRÜN"),
        (b"GR\xdcN ", "GRÜN"),
    ],
)
def test_reading(raw: bytes, text: str) -> None:
    """The last one is not UTF-8: a careless client's Latin-1 is still readable."""
    assert read_text(raw, 1208) == text


def test_ebcdic_fields() -> None:
    assert write_text("QM1", 6, 500, 2026, "name") == bytes.fromhex("d8d4f1404040")
    assert read_text(bytes.fromhex("d8d4f1404040"), 500) == "QM1"
    assert read_text(bytes.fromhex("d8d4f1000000"), 500) == "QM1"


def test_text_that_is_too_long_is_refused_and_text_that_grows_is_cut_at_a_character() -> None:
    with pytest.raises(StructureError, match="name has 9 characters, the field has 8") as caught:
        write_text("A" * 9, 8, 1208, 2044, "name")
    assert caught.value.reason == 2044
    assert write_text("ÜÜÜÜÜ", 9, 1208, 2044, "name") == "ÜÜÜÜ ".encode()


def test_a_character_that_the_set_lacks_is_substituted() -> None:
    assert write_text("a日", 4, 819, 2044, "name") == b"a\x1a  "


def test_fields_of_a_structure_said_to_be_utf16_are_utf8() -> None:
    assert write_text("ABÜ", 6, 1200, 2044, "name") == "ABÜ".encode() + b"  "
    assert read_text("ABÜ  ".encode(), 1200) == "ABÜ"
    assert write_id(b"RFH ", 1200) == b"RFH "
    check_id(b"RFH ", b"RFH ", 1200, 2334, "MQRFH2")


def test_one_character_fields_keep_the_blank() -> None:
    assert read_char(b" ", 1208) == " " and read_char(b"\0", 1208) == " " and read_char(b"G", 1208) == "G"
    assert read_char(b"\x40", 500) == " " and read_char(b"\xc7", 500) == "G"


def test_identifiers_are_filled_with_zeros_never_cut() -> None:
    assert check_bytes(b"42", 4, 2026, "MsgId") == b"42\0\0"
    with pytest.raises(StructureError, match="MsgId has 5 bytes"):
        check_bytes(b"12345", 4, 2026, "MsgId")


def test_structure_identifiers_follow_the_character_set() -> None:
    assert write_id(b"DLH ", 500) == bytes.fromhex("c4d3c840")
    check_id(bytes.fromhex("c4d3c840"), b"DLH ", 500, 2141, "MQDLH")
    with pytest.raises(StructureError):
        check_id(bytes.fromhex("c4d3c840"), b"DLH ", 1208, 2141, "MQDLH")


@given(st.text(max_size=12), st.sampled_from([1208, 819, 500, 1047, 943, 1200]))
def test_writing_always_fills_the_field(text: str, ccsid: int) -> None:
    assert len(write_text(text, 12, ccsid, 2026, "field")) == 12
