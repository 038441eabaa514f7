"""Character sets by name and by CCSID.

Names are those of IANA and of Java, as DFDL schemas have them (`UTF-8`, `ebcdic-cp-us`, `IBM037`), and numbers of
CCSIDs, also as text. EBCDIC pages that Python lacks come from `flintmq.mqi.ccsid`.
"""

from __future__ import annotations

import codecs
from functools import lru_cache

from flintmq.broker.formats.model.text import MIXED, SINGLE, UTF8, WIDE, Charset
from flintmq.mqi import ccsid as ccsids

#: Names that Python's codecs do not know.
_ALIASES = {
    "ebcdic-cp-us": "cp037",
    "ebcdic-cp-ca": "cp037",
    "ebcdic-cp-nl": "cp037",
    "ebcdic-cp-be": "cp500",
    "ebcdic-cp-ch": "cp500",
    "us-ascii": "ascii",
    "utf-16": "utf-16-be",
    "utf-32": "utf-32-be",
    "ucs-2": "utf-16-be",
}
_WIDTHS = {"utf-16-be": 2, "utf-16-le": 2, "utf-32-be": 4, "utf-32-le": 4}


@lru_cache(maxsize=200)
def charset_of(name: str, big_endian: bool = True) -> Charset:
    """Return a character set by name or CCSID. Raises ValueError for an unknown one."""
    codec = _codec_of(name.strip(), big_endian)
    width = _WIDTHS.get(codec)
    if width is not None:
        return Charset(codec, WIDE, width, False)
    if codec == "utf-8":
        return Charset(codec, UTF8, 1, False)
    ebcdic = "0".encode(codec) == b"\xf0"
    try:
        single = len(bytes(range(256)).decode(codec, "replace")) == 256
        single = single and len("\u00e9".encode(codec, "replace")) == 1
    except (UnicodeError, LookupError):
        single = False
    return Charset(codec, SINGLE if single else MIXED, 1, ebcdic)


def _codec_of(name: str, big_endian: bool) -> str:
    if name.isascii() and name.isdigit():
        if not ccsids.is_known(int(name)):
            raise ValueError(f"CCSID {name} is not a coded character set known here")
        return ccsids.codec_name(int(name), big_endian)
    lower = name.lower().replace("_", "-")
    alias = _ALIASES.get(lower)
    if alias is not None:
        return alias
    for prefix in ("ibm-", "ibm", "cp", "ccsid-", "ccsid"):
        digits = lower[len(prefix) :].lstrip("0")
        if lower.startswith(prefix) and digits.isdigit() and ccsids.is_known(int(digits)):
            return ccsids.codec_name(int(digits), big_endian)
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        raise ValueError(f"'{name}' is not a character set known here") from None
    codec = info.name
    if not getattr(info, "_is_text_encoding", True) or codec in ("idna", "punycode", "unicode-escape", "utf-7"):
        raise ValueError(f"'{name}' is not a character set known here")
    return _ALIASES.get(codec, codec)
