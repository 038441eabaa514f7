"""Coded character sets: from MQ's number (CCSID) to a Python codec, and text to bytes and back.

    decode(data, 37)                   EBCDIC to str
    encode("GRÜN", 1047)               str to EBCDIC
    encode("a", 1200, big_endian=True) UTF-16 takes its byte order from the integer encoding of the data

Most sets are codecs of the standard library. The EBCDIC pages it lacks are declared below as differences from page 37
and registered as codecs `cp1047`, `cp277` ... so that `bytes.decode("cp1047")` works too. A page and its euro twin
differ only where the currency sign stands.

A character that the target set does not have is replaced by the substitute control (0x1A, in EBCDIC 0x3F), as MQ does
it; bytes that the source set does not have are an error. Special values (0 queue manager, -1 embedded, -2 inherit, -3
application) are not sets: the caller must have replaced them.
"""

import codecs
from typing import TYPE_CHECKING, Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.reason import MQRC_CODED_CHAR_SET_ID_ERROR

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

# Differences from page 37: position in hexadecimal, then the character there.
_EBCDIC: Final[dict[int, str]] = {
    273: "43{ 4aÄ 4f! 59~ 5aÜ 5f^ 63[ 6aö 7c§ a1ß b0¢ b5@ ba¬ bb| c0ä cc¦ d0ü dc} e0Ö ec\\ fc]",
    277: "47} 4a# 4f! 5a¤ 5bÅ 5f^ 67$ 6aø 70¦ 7bÆ 7cØ 80@ 9c{ 9e[ 9f] a1ü b0¢ ba¬ bb| c0æ d0å dc~",
    278: "43{ 47} 4a§ 4f! 51` 5a¤ 5bÅ 5f^ 63# 67$ 6aö 71\\ 79é 7bÄ 7cÖ 9f] a1ü b0¢ b5[ ba¬ bb| c0ä cc¦ d0å dc~ e0É ec@",
    280: "44{ 48\\ 4a° 4f! 51] 54} 58~ 5aé 5f^ 6aò 79ù 7b£ 7c§ 90[ a1ì b0¢ b1# b5@ ba¬ bb| c0à cd¦ d0è dd` e0ç",
    284: "49¦ 4a[ 5a] 69# 6añ 7bÑ a1¨ b0¢ ba^ bb! bd~",
    285: "4a$ 5b£ a1¯ b0¢ b1[ ba^ bc~",
    297: "44@ 48\\ 4a° 4f! 51{ 54} 5a§ 5f^ 6aù 79µ 7b£ 7cà 90[ a0` a1¨ b0¢ b1# b5] ba¬ bb| bd~ c0é d0è dd¦ e0ç",
    870: "44ţ 46ă 47č 49ć 4a[ 4f! 52ę 54ů 57ľ 58ĺ 5a] 5f^ 64˝ 66Ă 67Č 69Ć 6a| 70ˇ 72Ę 74Ů 77Ľ 78Ĺ 80˘ 8aś 8bň 8cđ 8eř "
    "8fş 9ał 9bń 9cš 9e˛ a0ą aaŚ abŇ acĐ aeŘ afŞ b0· b1Ą b2ż b3Ţ b4Ż b6ž b7ź b8Ž b9Ź baŁ bbŃ bcŠ cdŕ cfő daĚ dbű ddť "
    "dfě eaď edŔ efŐ faĎ fbŰ fdŤ",
    871: "4aÞ 4f! 5aÆ 5fÖ 79ð 7cÐ 8c` 8e{ 9c} 9e] a1ö ac@ ae[ b0¢ ba¬ bb| be\\ c0þ cc~ d0æ e0´ ec^",
    1025: "42ђ 43ѓ 44ё 45є 46ѕ 47і 48ї 49ј 4a[ 4f! 51љ 52њ 53ћ 54ќ 55ў 56џ 57Ъ 58№ 59Ђ 5a] 5f^ 62Ѓ 63Ё 64Є 65Ѕ 66І 67Ї "
    "68Ј 69Љ 6a| 70Њ 71Ћ 72Ќ 73\xad 74Ў 75Џ 76ю 77а 78б 80ц 8aд 8bе 8cф 8dг 8eх 8fи 90й 9aк 9bл 9cм 9dн 9eо 9fп a0я "
    "aaр abс acт adу aeж afв b0ь b1ы b2з b3ш b4э b5щ b6ч b7ъ b8Ю b9А baБ bbЦ bcД bdЕ beФ bfГ caХ cbИ ccЙ cdК ceЛ cfМ "
    "daН dbО dcП ddЯ deР dfС e1§ eaТ ebУ ecЖ edВ eeЬ efЫ faЗ fbШ fcЭ fdЩ feЧ",
    1047: "5f^ ad[ b0¬ baÝ bb¨ bd]",
}

# The euro twin of a page has the euro sign where the page has the currency sign.
_EURO: Final = {1141: 273, 1142: 277, 1143: 278, 1144: 280, 1145: 284, 1146: 285, 1147: 297, 1148: 500, 1149: 871}

# One byte for each character; the first 128 are ASCII.
_ASCII_SETS: Final[dict[int, str]] = {
    367: "ascii", 437: "cp437", 720: "cp720", 737: "cp737", 775: "cp775", 813: "iso8859-7", 819: "latin-1",
    850: "cp850", 852: "cp852", 855: "cp855", 856: "cp856", 857: "cp857", 858: "cp858", 860: "cp860", 861: "cp861",
    862: "cp862", 863: "cp863", 864: "cp864", 865: "cp865", 866: "cp866", 869: "cp869", 874: "cp874", 878: "koi8-r",
    901: "iso8859-13", 912: "iso8859-2", 913: "iso8859-3", 914: "iso8859-4", 915: "iso8859-5", 916: "iso8859-8",
    919: "iso8859-10", 920: "iso8859-9", 921: "iso8859-13", 923: "iso8859-15", 1051: "hp-roman8", 1089: "iso8859-6",
    1125: "cp1125", 1168: "koi8-u", 1250: "cp1250", 1251: "cp1251", 1252: "cp1252", 1253: "cp1253", 1254: "cp1254",
    1255: "cp1255", 1256: "cp1256", 1257: "cp1257", 1258: "cp1258", 1275: "mac-roman", 5346: "cp1250", 5347: "cp1251",
    5348: "cp1252", 5349: "cp1253", 5350: "cp1254", 9447: "cp1255", 9448: "cp1256", 9449: "cp1257", 5354: "cp1258",
}  # fmt: skip

# One to four bytes for each character; the first 128 are ASCII (or nearly so).
_MULTI_BYTE_SETS: Final[dict[int, str]] = {
    932: "cp932", 936: "gbk", 943: "cp932", 949: "cp949", 950: "cp950", 954: "euc-jp", 970: "euc-kr", 1208: "utf-8",
    1209: "utf-8", 1363: "cp949", 1370: "cp950", 1375: "big5hkscs", 1381: "gb2312", 1383: "gb2312", 1386: "gbk",
    1392: "gb18030", 5050: "euc-jp", 5488: "gb18030", 33722: "euc-jp", 5039: "cp932",
}  # fmt: skip

_EBCDIC_SETS: Final[dict[int, str]] = {
    37: "cp037", 424: "cp424", 500: "cp500", 875: "cp875", 1026: "cp1026", 1140: "cp1140",
} | {number: f"cp{number}" for number in (*_EBCDIC, *_EURO)}  # fmt: skip

# Two bytes for each unit. The byte order is that of the integers of the data, except where the set fixes it.
_UTF16_SETS: Final[dict[int, str]] = {
    1200: "",
    13488: "",
    17584: "",
    1201: "utf-16-be",
    1202: "utf-16-le",
    1203: "utf-16-le",
}

SUBSTITUTE: Final = "\x1a"
SUBSTITUTE_ERRORS: Final = "flintmq-substitute"


class UnknownCcsid(StructureError):
    """There is no character set of this number here, or the number is a special value that stands for another."""

    def __init__(self, ccsid: int) -> None:
        if -4 <= ccsid <= 0:
            text = f"CCSID {ccsid} is a special value, not a coded character set"
        else:
            text = f"CCSID {ccsid} is not a coded character set known here"
        super().__init__(text, MQRC_CODED_CHAR_SET_ID_ERROR)
        self.ccsid = ccsid


def codec_name(ccsid: int, big_endian: bool = True) -> str:
    """The Python codec of a CCSID; raises UnknownCcsid. `big_endian` matters for UTF-16 only."""
    name = CODECS.get(ccsid)
    if name is None:
        raise UnknownCcsid(ccsid)
    if not name:
        return "utf-16-be" if big_endian else "utf-16-le"
    return name


def is_known(ccsid: int) -> bool:
    """Whether `codec_name` has an answer."""
    return ccsid in CODECS


def is_ascii_based(ccsid: int) -> bool:
    """Whether bytes below 0x80 are ASCII in this set. (True of no EBCDIC and no UTF-16.)"""
    return ccsid in ASCII_BASED


def is_ebcdic(ccsid: int) -> bool:
    return ccsid in _EBCDIC_SETS


def is_utf16(ccsid: int) -> bool:
    return ccsid in _UTF16_SETS


def decode(data: bytes, ccsid: int, big_endian: bool = True) -> str:
    """Text of `data`. Raises UnknownCcsid, or UnicodeDecodeError when the bytes are not text of this set."""
    return data.decode(codec_name(ccsid, big_endian))


def encode(text: str, ccsid: int, big_endian: bool = True) -> bytes:
    """Bytes of `text`, a character the set lacks replaced by the substitute control. Raises UnknownCcsid."""
    return text.encode(codec_name(ccsid, big_endian), SUBSTITUTE_ERRORS)


def blank(ccsid: int, big_endian: bool = True) -> bytes:
    """Return the bytes of one blank, the padding of fixed-length fields."""
    return encode(" ", ccsid, big_endian)


def _substitute(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return SUBSTITUTE * (error.end - error.start), error.end


def _page(ccsid: int) -> str:
    """All 256 characters of one of our own EBCDIC pages, in order."""
    if ccsid in _EURO:
        twin = _EURO[ccsid]
        page = _page(twin) if twin in _EBCDIC else bytes(range(256)).decode(_EBCDIC_SETS[twin])
        return page.replace("\N{CURRENCY SIGN}", "\N{EURO SIGN}")
    characters = list(bytes(range(256)).decode("cp037"))
    for change in _EBCDIC[ccsid].split(" "):
        characters[int(change[:2], 16)] = change[2]
    return "".join(characters)


def _codec(name: str, page: str) -> codecs.CodecInfo:
    """A charmap codec. Pages and their inverse are made once, when the codec is first looked up."""
    inverse = {ord(character): position for position, character in enumerate(page)}

    def page_encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
        return codecs.charmap_encode(text, errors, inverse)

    def page_decode(data: "Buffer", errors: str = "strict") -> tuple[str, int]:
        return codecs.charmap_decode(bytes(data), errors, page)

    return codecs.CodecInfo(page_encode, page_decode, name=name)


def _search(name: str) -> codecs.CodecInfo | None:
    if not name.startswith("cp") or not name[2:].isdigit():
        return None
    ccsid = int(name[2:])
    if ccsid not in _EBCDIC and ccsid not in _EURO:
        return None
    return _codec(name, _page(ccsid))


CODECS: Final[dict[int, str]] = {**_ASCII_SETS, **_MULTI_BYTE_SETS, **_EBCDIC_SETS, **_UTF16_SETS}
ASCII_BASED: Final = frozenset(_ASCII_SETS) | frozenset(_MULTI_BYTE_SETS)
codecs.register(_search)
codecs.register_error(SUBSTITUTE_ERRORS, _substitute)
