"""Character sets: EBCDIC pages and their euro twins, UTF-16 in both orders, substitution, unknown numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.mqi.ccsid import CODECS, UnknownCcsid, blank, codec_name, decode, encode, is_ebcdic, is_known, is_utf16

EBCDIC = [number for number in CODECS if is_ebcdic(number)]


@pytest.mark.parametrize("ccsid", sorted(CODECS))
def test_every_set_has_letters_digits_and_a_blank(ccsid: int) -> None:
    text = "Hello, World 0123456789 ABC xyz"
    assert decode(encode(text, ccsid), ccsid) == text
    assert len(blank(ccsid)) == (2 if is_utf16(ccsid) else 1)


@pytest.mark.parametrize("ccsid", EBCDIC)
def test_ebcdic_pages_agree_on_the_invariant_characters(ccsid: int) -> None:
    raw = "c1e981a9f0f9404e4c7e6e6c505c4d5d6b604b617a5e6f"
    assert encode("AZaz09 +<=>%&*(),-./:;?", ccsid) == bytes.fromhex(raw)
    assert decode(b"\x3f", ccsid) == "\x1a"


@pytest.mark.parametrize("ccsid", [number for number in EBCDIC if number not in (424, 875, 1026)])
def test_ebcdic_pages_have_256_different_characters(ccsid: int) -> None:
    page = decode(bytes(range(256)), ccsid)
    assert len(set(page)) == 256
    assert encode(page, ccsid) == bytes(range(256))


def test_page_1047_differs_from_37_in_six_places() -> None:
    page, base = decode(bytes(range(256)), 1047), decode(bytes(range(256)), 37)
    assert {place: page[place] for place in range(256) if page[place] != base[place]} == {
        0x5F: "^", 0xAD: "[", 0xB0: "¬", 0xBA: "Ý", 0xBB: "¨", 0xBD: "]",
    }  # fmt: skip
    assert b"\xad\xbd".decode("cp1047") == "[]"


@pytest.mark.parametrize(
    ("ccsid", "text", "raw"),
    [
        (37, "[]!^|", "babb5ab04f"),
        (500, "[]!^|", "4a5a4f5fbb"),
        (1047, "[]!^|", "adbd5a5f4f"),
        (273, "ÄÖÜäöüß", "4ae05ac06ad0a1"),
        (1141, "€", "9f"),
        (1140, "€", "9f"),
        (1142, "€", "5a"),
        (277, "ÆØÅæøå", "7b7c5bc06ad0"),
        (285, "£", "5b"),
        (297, "éèçàù", "c0d0e07c6a"),
        (1148, "€", "9f"),
        (819, "äß", "e4df"),
        (1208, "ä€", "c3a4e282ac"),
        (850, "ä", "84"),
        (858, "€", "d5"),
        (437, "é", "82"),
        (1252, "€", "80"),
        (923, "€", "a4"),
        (943, "日本", "93fa967b"),
        (1386, "中", "d6d0"),
        (950, "中", "a4a4"),
        (949, "한", "c7d1"),
    ],
)
def test_known_bytes(ccsid: int, text: str, raw: str) -> None:
    assert encode(text, ccsid).hex() == raw
    assert decode(bytes.fromhex(raw), ccsid) == text


@pytest.mark.parametrize("ccsid", [1200, 13488, 17584])
def test_utf16_takes_its_order_from_the_encoding(ccsid: int) -> None:
    assert encode("aé", ccsid, big_endian=True).hex() == "006100e9"
    assert encode("aé", ccsid, big_endian=False).hex() == "6100e900"
    assert decode(bytes.fromhex("6100e900"), ccsid, big_endian=False) == "aé"


def test_a_character_the_set_lacks_becomes_the_substitute() -> None:
    assert encode("a日b", 819) == b"a\x1ab"
    assert encode("a日b", 500) == b"\x81\x3f\x82"


def test_bytes_the_set_lacks_are_an_error() -> None:
    with pytest.raises(UnicodeDecodeError):
        decode(b"\xff\xfe", 1208)


@pytest.mark.parametrize("ccsid", [0, -1, -2, -3, 4711, 99999])
def test_an_unknown_number_is_named(ccsid: int) -> None:
    assert not is_known(ccsid)
    with pytest.raises(UnknownCcsid, match=f"CCSID {ccsid}") as caught:
        codec_name(ccsid)
    assert caught.value.reason == 2330


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)), st.sampled_from(sorted(CODECS)), st.booleans())
def test_plain_text_survives_every_set(text: str, ccsid: int, big_endian: bool) -> None:
    missing = {864: "%", 932: "\\~", 943: "\\~", 424: "", 875: "", 1026: '"'}.get(ccsid, "")
    text = "".join(character for character in text if character not in missing)
    assert decode(encode(text, ccsid, big_endian), ccsid, big_endian) == text
