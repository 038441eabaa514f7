"""Data conversion for MQGMO_CONVERT: message data from one encoding and character set to another.

    format            how
    MQSTR             all of it is text
    MQDEAD MQHMDE MQXMIT MQCICS MQIMS MQHWIH MQHRF MQHRF2 MQHDIST MQHEPCF
                      a header, then data in the format, encoding and character set that the header names: a chain
    MQADMIN MQPCF MQEVENT   PCF structures
    MQTRIG            one structure, MQTM
    MQIMSVS           segments of length, ZZ and text
    anything else     MQRC_FORMAT_ERROR

Rules:

    V1  All or nothing: when any part cannot be converted, ConversionError is raised and the message is delivered as it
        was put, with the reason as a warning.
    V2  Data without a format behind a header is binary: it stays as it is, and so does its description in the header.
    V3  Nothing is done when encoding and character set are those asked for already, whatever headers say further back.
    V4  Headers cannot be UTF-16. When UTF-16 is asked for, headers become UTF-8, text behind them UTF-16, each
        descriptor describes the data behind it, and the reason is the warning MQRC_PARTIALLY_CONVERTED.
    V5  Folders of an MQRFH2 stay in their own character set; UTF-16 ones change their byte order with the numbers.
    V6  Fields of fixed length keep it; text that grows out of its field is MQRC_CONVERTED_STRING_TOO_BIG.

Reasons: 2110 format, 2111 2115 character set (source, target), 2112 2116 encoding (source, target), 2119 not text,
2120 too long for the buffer, 2150 not double-byte text, 2190 see V6, 2272 see V4.
"""

from typing import Final

from flintmq.mqi import ccsid as character_sets
from flintmq.mqi.convert_layouts import HEADERS, MD_LAYOUT, TM_LAYOUT, TM_SIZE, Header
from flintmq.mqi.dh import MQDH
from flintmq.mqi.encoding import is_big_endian
from flintmq.mqi.eph import MQEPH
from flintmq.mqi.errors import ConversionError, StructureError
from flintmq.mqi.md import SIZE_1 as MD_SIZE
from flintmq.mqi.pcf import PCFMessage, parse
from flintmq.mqi.pcf_parameters import MQCFGR, MQCFSF, MQCFSL, MQCFST, Parameter
from flintmq.mqi.reason import (
    MQRC_CONVERTED_MSG_TOO_BIG,
    MQRC_CONVERTED_STRING_TOO_BIG,
    MQRC_DBCS_ERROR,
    MQRC_FORMAT_ERROR,
    MQRC_NONE,
    MQRC_NOT_CONVERTED,
    MQRC_PARTIALLY_CONVERTED,
    MQRC_SOURCE_CCSID_ERROR,
    MQRC_SOURCE_INTEGER_ENC_ERROR,
    MQRC_TARGET_CCSID_ERROR,
    MQRC_TARGET_INTEGER_ENC_ERROR,
)

_UTF8: Final = 1208
_INHERIT: Final = -2  # MQCCSI_INHERIT
_DOUBLE_BYTE: Final = frozenset(
    {932, 936, 943, 949, 950, 954, 970, 1363, 1370, 1375, 1381, 1383, 1386, 5039, 5050, 33722}
)
_PCF_FORMATS: Final = frozenset({"MQADMIN", "MQPCF", "MQEVENT"})
_CHAINED: Final = frozenset(HEADERS) | {"MQHRF", "MQHRF2", "MQHDIST", "MQHEPCF", "MQXMIT"}
_FIXED: Final = _CHAINED | {"MQTRIG"}
CONVERTIBLE: Final = _FIXED | _PCF_FORMATS | {"MQSTR", "MQIMSVS"}


class Converted:
    """Converted data and the fields for its descriptor. `reason` is 0 or a warning."""

    __slots__ = ("data", "encoding", "ccsid", "reason")

    def __init__(self, data: bytes, encoding: int, ccsid: int, reason: int = MQRC_NONE) -> None:
        self.data: bytes = data
        self.encoding: int = encoding
        self.ccsid: int = ccsid
        self.reason: int = reason

    def __repr__(self) -> str:
        return f"Converted({self.data!r}, {self.encoding}, {self.ccsid}, {self.reason})"


def convert(
    format: str, data: bytes, encoding: int, ccsid: int, to_encoding: int, to_ccsid: int, limit: int = -1
) -> Converted:
    """Convert message data. `limit` is the length of the buffer, -1 none. Raises ConversionError.

    Special character set values (0 of the queue manager ...) must be replaced by the caller.
    """
    if encoding == to_encoding and ccsid == to_ccsid:
        return Converted(data, encoding, ccsid)
    if not character_sets.is_known(to_ccsid):
        raise ConversionError(f"CCSID {to_ccsid} is not known", MQRC_TARGET_CCSID_ERROR)
    job = _Conversion(to_encoding, to_ccsid)
    try:
        job.chain(format, data, encoding, ccsid)
    except ConversionError:
        raise
    except StructureError as error:
        raise ConversionError(f"the data is not of format {format!r}: {error.text}", MQRC_FORMAT_ERROR) from None
    result = b"".join(job.parts)
    if 0 <= limit < len(result):
        raise ConversionError(
            f"{len(result)} bytes of converted data do not fit the buffer of {limit}", MQRC_CONVERTED_MSG_TOO_BIG
        )
    partial = format in _FIXED and job.header_ccsid != to_ccsid
    return Converted(result, to_encoding, job.ccsid_for(format), MQRC_PARTIALLY_CONVERTED if partial else MQRC_NONE)


class _Conversion:
    """One conversion under way: the target, and the parts that are done."""

    def __init__(self, encoding: int, ccsid: int) -> None:
        self.encoding: int = encoding
        self.ccsid: int = ccsid
        self.header_ccsid: int = _UTF8 if character_sets.is_utf16(ccsid) else ccsid  # V4
        self.parts: list[bytes] = []

    def ccsid_for(self, format: str) -> int:
        """The character set that data of this format gets."""
        return self.header_ccsid if format in _FIXED else self.ccsid

    def target_is_big_endian(self) -> bool:
        return _order(self.encoding, MQRC_TARGET_INTEGER_ENC_ERROR)

    def chain(self, format: str, data: bytes, encoding: int, ccsid: int) -> None:
        """Convert header after header, then the data behind the last."""
        while True:
            source = _Source(format, encoding, ccsid)
            if format in _CHAINED:
                following = self.header(source, data)
                data = data[following.place :]
                format, encoding, ccsid = following.format, following.encoding, following.ccsid
                if not format:  # V2
                    self.parts.append(data)
                    return
                continue
            if format == "MQSTR":
                self.parts.append(self.text(data, source))
            elif format in _PCF_FORMATS:
                self.pcf(data, source)
            elif format == "MQTRIG":
                self.trigger_message(data, source)
            elif format == "MQIMSVS":
                self.segments(data, source)
            else:
                raise ConversionError(f"format {format!r} cannot be converted here", MQRC_FORMAT_ERROR)
            return

    def text(self, data: bytes, source: "_Source") -> bytes:
        """Text of any length."""
        if source.ccsid == self.ccsid and not character_sets.is_utf16(self.ccsid):
            return data
        if data.isascii() and source.ascii_based and character_sets.is_ascii_based(self.ccsid):
            return data
        text = source.decode(data)
        big_endian = self.target_is_big_endian() if character_sets.is_utf16(self.ccsid) else True
        return character_sets.encode(text, self.ccsid, big_endian)

    def field(self, raw: bytes, source: "_Source") -> bytes:
        """Text of a fixed length, which stays (V6)."""
        target = self.header_ccsid
        if source.ccsid == target or (raw.isascii() and source.ascii_based and character_sets.is_ascii_based(target)):
            return raw
        text = source.decode_field(raw)
        new = character_sets.encode(text, target)
        if len(new) > len(raw):
            new = character_sets.encode(text.rstrip(" \0"), target)
        if len(new) > len(raw):
            raise ConversionError(
                f"{text.rstrip()!r} takes {len(new)} bytes in CCSID {target}, its field has {len(raw)}",
                MQRC_CONVERTED_STRING_TOO_BIG,
            )
        return new + character_sets.encode(" ", target) * (len(raw) - len(new))

    def fields(self, layout: tuple[tuple[str, int], ...], data: bytes, place: int, source: "_Source") -> bytearray:
        """A structure field by field: "i" integers, "c" characters, "b" bytes."""
        swap = source.big_endian() != self.target_is_big_endian()
        done = bytearray()
        for kind, length in layout:
            raw = data[place : place + length]
            if len(raw) < length:
                raise StructureError(f"a header ends after {len(data)} bytes", MQRC_FORMAT_ERROR)
            if kind == "i":
                done += raw[::-1] if swap else raw
            elif kind == "c":
                done += self.field(raw, source)
            else:
                done += raw
            place += length
        return done

    def header(self, source: "_Source", data: bytes) -> "_Following":
        """Convert the header at the start of the data and return the data behind it."""
        if source.format == "MQHRF2":
            return self.rules_header_2(data, source)
        if source.format == "MQHRF":
            return self.rules_header_1(data, source)
        if source.format == "MQXMIT":
            return self.transmission_header(data, source)
        if source.format == "MQHDIST":
            return self.distribution_header(data, source)
        if source.format == "MQHEPCF":
            return self.embedded_pcf(data, source)
        return self.plain_header(HEADERS[source.format], data, source)

    def plain_header(self, header: Header, data: bytes, source: "_Source") -> "_Following":
        """A header of fixed fields."""
        source.check_id(data, header.identifier)
        layout = header.layout(data, source.big_endian())
        done = self.fields(layout, data, 0, source)
        following = self.patch(done, data, header.chain, source, len(done))
        self.parts.append(bytes(done))
        return following

    def rules_header_1(self, data: bytes, source: "_Source") -> "_Following":
        header = HEADERS["MQHRF"]
        source.check_id(data, header.identifier)
        length = source.integer(data, 8)
        if length < header.size or length > len(data) or source.integer(data, 4) != 1:
            raise StructureError(f"MQRFH has StrucLength {length}", MQRC_FORMAT_ERROR)
        done = self.fields(header.fixed, data, 0, source)
        text = source.decode_field(data[header.size : length])
        done += character_sets.encode(text, self.header_ccsid)
        done += character_sets.encode(" ", self.header_ccsid) * (-len(done) % 4)
        self.put_integer(done, 8, len(done))
        following = self.patch(done, data, header.chain, source, length)
        self.parts.append(bytes(done))
        return following

    def rules_header_2(self, data: bytes, source: "_Source") -> "_Following":
        header = HEADERS["MQHRF2"]
        source.check_id(data, header.identifier)
        length = source.integer(data, 8)
        if length < header.size or length % 4 or length > len(data) or source.integer(data, 4) != 2:
            raise StructureError(f"MQRFH2 has StrucLength {length}", MQRC_FORMAT_ERROR)
        done = self.fields(header.fixed, data, 0, source)
        swap = source.big_endian() != self.target_is_big_endian()
        swap_text = swap and character_sets.is_utf16(source.integer(data, 32))
        place = header.size
        while place < length:
            size = source.integer(data, place)
            if size < 0 or size % 4 or size > length - place - 4:
                raise StructureError(f"a folder of MQRFH2 has NameValueLength {size}", MQRC_FORMAT_ERROR)
            done += data[place : place + 4][::-1] if swap else data[place : place + 4]
            folder = data[place + 4 : place + 4 + size]
            done += _swapped_pairs(folder) if swap_text else folder  # V5
            place += 4 + size
        following = self.patch(done, data, header.chain, source, length)
        self.parts.append(bytes(done))
        return following

    def transmission_header(self, data: bytes, source: "_Source") -> "_Following":
        header = HEADERS["MQXMIT"]
        source.check_id(data, header.identifier)
        done = self.fields(header.fixed + MD_LAYOUT, data, 0, source)
        following = self.patch(done, data, header.chain, source, header.size + MD_SIZE)
        self.parts.append(bytes(done))
        return following

    def distribution_header(self, data: bytes, source: "_Source") -> "_Following":
        big_endian = source.big_endian()
        dh = MQDH.unpack(data, 0, big_endian, source.field_ccsid())
        done = bytearray(dh.pack(self.target_is_big_endian(), self.header_ccsid))
        following = self.patch(done, data, HEADERS["MQHDIST"].chain, source, source.integer(data, 8))
        self.parts.append(bytes(done))
        return following

    def embedded_pcf(self, data: bytes, source: "_Source") -> "_Following":
        eph = MQEPH.unpack(data, 0, source.big_endian(), source.field_ccsid())
        self.retag(eph.pcf.parameters)
        done = bytearray(eph.pack(self.target_is_big_endian(), self.header_ccsid))
        following = self.patch(done, data, HEADERS["MQHEPCF"].chain, source, eph.struc_length)
        self.parts.append(bytes(done))
        return following

    def patch(self, done: bytearray, data: bytes, chain: int, source: "_Source", end: int) -> "_Following":
        """Read the description of the data behind the header (at `chain` in `data`) and write the new one."""
        encoding = source.integer(data, chain)
        ccsid = source.integer(data, chain + 4)
        format = source.decode_field(data[chain + 8 : chain + 16]).partition("\0")[0].rstrip(" ")
        if format:
            new = self.ccsid_for(format)
            self.put_integer(done, chain, self.encoding)
            keep = ccsid == _INHERIT and new == self.header_ccsid
            self.put_integer(done, chain + 4, _INHERIT if keep else new)
        return _Following(end, format, encoding or source.encoding, ccsid if ccsid > 0 else source.ccsid)

    def put_integer(self, done: bytearray, place: int, value: int) -> None:
        done[place : place + 4] = value.to_bytes(4, "big" if self.target_is_big_endian() else "little", signed=True)

    def trigger_message(self, data: bytes, source: "_Source") -> None:
        source.check_id(data, b"TM  ")
        self.parts.append(bytes(self.fields(TM_LAYOUT, data, 0, source)))
        self.parts.append(data[TM_SIZE:])

    def pcf(self, data: bytes, source: "_Source") -> None:
        message: PCFMessage = parse(data, 0, source.big_endian(), source.ccsid)
        self.retag(message.parameters)
        self.parts.append(message.pack(self.target_is_big_endian(), self.ccsid))
        self.parts.append(data[message.end :])

    def retag(self, parameters: list[Parameter]) -> None:
        """Strings that name a character set of their own now name the new one."""
        for parameter in parameters:
            if isinstance(parameter, MQCFGR):
                self.retag(parameter.parameters)
            elif isinstance(parameter, (MQCFST, MQCFSL, MQCFSF)) and parameter.coded_char_set_id > 0:
                parameter.coded_char_set_id = self.ccsid

    def segments(self, data: bytes, source: "_Source") -> None:
        """LL, ZZ, text; LL counts all of them."""
        order = source.big_endian()
        place = 0
        while place < len(data):
            length = int.from_bytes(data[place : place + 2], "big" if order else "little")
            if length < 4 or length > len(data) - place:
                raise StructureError(f"a segment at offset {place} has LL {length}", MQRC_FORMAT_ERROR)
            text = self.text(data[place + 4 : place + length], source)
            if len(text) + 4 > 0x7FFF:
                raise ConversionError("a converted segment is longer than LL can say", MQRC_CONVERTED_STRING_TOO_BIG)
            self.parts.append((len(text) + 4).to_bytes(2, "big" if self.target_is_big_endian() else "little"))
            self.parts.append(data[place + 2 : place + 4])
            self.parts.append(text)
            place += length


class _Following:
    """The data behind a header: its start, and its description in the header."""

    def __init__(self, place: int, format: str, encoding: int, ccsid: int) -> None:
        self.place: int = place
        self.format: str = format
        self.encoding: int = encoding
        self.ccsid: int = ccsid


class _Source:
    """Format, encoding and character set of the data that is being read."""

    def __init__(self, format: str, encoding: int, ccsid: int) -> None:
        self.format: str = format
        self.encoding: int = encoding
        self.ccsid: int = ccsid
        self.ascii_based: bool = character_sets.is_ascii_based(ccsid)
        if not character_sets.is_known(ccsid):
            raise ConversionError(f"CCSID {ccsid} is not known", MQRC_SOURCE_CCSID_ERROR)

    def big_endian(self) -> bool:
        return _order(self.encoding, MQRC_SOURCE_INTEGER_ENC_ERROR)

    def field_ccsid(self) -> int:
        """The character set of fields of fixed length: they cannot be UTF-16."""
        return _UTF8 if character_sets.is_utf16(self.ccsid) else self.ccsid

    def decode(self, data: bytes) -> str:
        big_endian = self.big_endian() if character_sets.is_utf16(self.ccsid) else True
        return _decoded(data, self.ccsid, big_endian)

    def decode_field(self, raw: bytes) -> str:
        return _decoded(raw, self.field_ccsid(), True)

    def integer(self, data: bytes, place: int) -> int:
        raw = data[place : place + 4]
        if len(raw) < 4:
            raise StructureError(f"a header ends after {len(data)} bytes", MQRC_FORMAT_ERROR)
        return int.from_bytes(raw, "big" if self.big_endian() else "little", signed=True)

    def check_id(self, data: bytes, identifier: bytes) -> None:
        if data[:4] != character_sets.encode(identifier.decode("ascii"), self.field_ccsid()):
            raise StructureError(f"the data begins with {data[:4]!r}, not with {identifier!r}", MQRC_FORMAT_ERROR)


def _order(encoding: int, reason: int) -> bool:
    try:
        return is_big_endian(encoding)
    except StructureError as error:
        raise ConversionError(error.text, reason) from None


def _decoded(data: bytes, ccsid: int, big_endian: bool) -> str:
    try:
        return character_sets.decode(data, ccsid, big_endian)
    except UnicodeDecodeError as error:
        reason = MQRC_DBCS_ERROR if ccsid in _DOUBLE_BYTE else MQRC_NOT_CONVERTED
        raise ConversionError(f"the data is not text of CCSID {ccsid} at offset {error.start}", reason) from None


def _swapped_pairs(data: bytes) -> bytes:
    swapped = bytearray(len(data))
    swapped[0::2] = data[1::2]
    swapped[1::2] = data[0::2]
    return bytes(swapped)
