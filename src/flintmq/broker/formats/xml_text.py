"""From the bytes of an XML document to text.

    bytes -> str      by the CCSID of the message, a byte order mark or the XML declaration (see `decode`)
    documents with    expat proves them, and a second pass writes them again, with entities expanded and default
    a DOCTYPE         attributes added, so that no other module ever meets an entity of a DTD (see `expanded`)

After that the only references in the text are those to characters, the five predefined entities, and entities that an
external DTD would have to define (they have no value here).

Nothing is ever fetched: no DTD, no external entity. Expansion is bounded by expat's own limit (a factor of 100 beyond
8 MiB) and by `EXPANDED_MAX`.
"""

from __future__ import annotations

import codecs
import pyexpat
import re
from typing import Final, final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.mqi import ccsid as ccsids

#: Longest document, in characters: offsets of the index have 30 bits.
LENGTH_MAX: Final = (1 << 30) - 1

#: What entities of a DTD may add to a document, in characters.
EXPANDED_MAX: Final = 4 << 20

_ENCODING_NAME: Final = re.compile(r"<\?xml[^>]{0,200}?\sencoding\s*=\s*[\"']([A-Za-z][A-Za-z0-9._-]{0,40})[\"']")

#: Names of encodings in XML declarations that Python knows under another name.
_CODECS: Final[dict[str, str]] = {
    "utf-16": "utf-16",
    "iso-10646-ucs-2": "utf-16",
    "ucs-2": "utf-16",
    "utf-32": "utf-32",
    "iso-10646-ucs-4": "utf-32",
    "ucs-4": "utf-32",
    "ebcdic-cp-us": "cp037",
    "ebcdic-cp-ca": "cp037",
    "ebcdic-cp-nl": "cp037",
    "ebcdic-cp-wt": "cp037",
    "ebcdic-cp-be": "cp500",
    "ebcdic-cp-ch": "cp500",
    "ebcdic-cp-de": "cp273",
    "ebcdic-cp-gb": "cp285",
    "ebcdic-cp-es": "cp284",
    "ebcdic-cp-fr": "cp297",
    "ebcdic-cp-it": "cp280",
    "ebcdic-cp-dk": "cp277",
    "ebcdic-cp-no": "cp277",
    "ebcdic-cp-fi": "cp278",
    "ebcdic-cp-se": "cp278",
    "ebcdic-cp-is": "cp871",
    "ebcdic-cp-yu": "cp870",
    "ebcdic-cp-roece": "cp870",
}

_CHARACTER_SETS: Final[frozenset[str]] = frozenset(
    codecs.lookup(name).name
    for name in (
        *(name for name in ccsids.CODECS.values() if name),
        *(f"iso8859-{part}" for part in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)),
        *"utf-16 utf-16-be utf-16-le utf-32 utf-32-be utf-32-le shift_jis euc_jp iso2022_jp euc_kr big5".split(),
    )
)

#: Names for XML declarations that differ from the names of Python's codecs.
_DECLARED: Final[dict[str, str]] = {
    "utf-16-be": "UTF-16",
    "utf-16-le": "UTF-16",
    "latin-1": "ISO-8859-1",
    "ascii": "US-ASCII",
    "gbk": "GBK",
    "cp932": "Shift_JIS",
    "cp949": "EUC-KR",
    "cp950": "Big5",
}


@final
class Doctype:
    """Content of a document type declaration."""

    __slots__ = ("name", "public_id", "subset", "system_id")

    def __init__(self, name: str, public_id: str, system_id: str, subset: str) -> None:
        self.name: str = name
        self.public_id: str = public_id
        self.system_id: str = system_id
        #: The internal subset, without its brackets.
        self.subset: str = subset


def malformed(text: str, line: int = 0, column: int = 0, domain: str = "XMLNSC") -> BrokerError:
    """Return the error of a document that cannot be read: 5009, with the detail 5004 as its cause."""
    where = f"line {line}, column {column}" if line else ""
    cause = parser_error(5004, text, line, column, domain, text=f"{text} at {where}" if where else text)
    return parser_error(5009, domain, text="the XML document cannot be read", cause=cause)


def codec_of(ccsid: int, encoding: int) -> str:
    """Return Python's codec for a CCSID; '' if the number stands for no character set. UTF-16 follows `encoding`."""
    name = ccsids.CODECS.get(ccsid)
    if name is None:
        return ""
    if not name:
        return "utf-16-le" if encoding & 0xF == 2 else "utf-16-be"
    return name


def declared_name(codec: str) -> str:
    """Return the name of a codec as an XML declaration spells it."""
    name = _DECLARED.get(codec)
    if name is not None:
        return name
    if codec.startswith("iso8859-"):
        return "ISO-8859-" + codec[8:]
    if codec.startswith("cp125"):
        return "windows-" + codec[2:]
    if codec.startswith("cp"):
        return "IBM" + codec[2:].lstrip("0").rjust(3, "0")
    return codec.upper()


def same_codec(declared: str, codec: str) -> bool:
    """Return whether the name in an XML declaration means this codec."""
    if declared.lower() in ("utf-8", "utf8"):
        return codec == "utf-8"
    return declared.upper() == declared_name(codec).upper() or _python_codec(declared) == codec


def _python_codec(declared: str) -> str:
    """Return Python's name for an encoding of an XML declaration; '' if it is not a character set known here."""
    name = declared.lower()
    name = _CODECS.get(name, name)
    if name.startswith("ibm") and name[3:].lstrip("-").isdigit():
        name = f"cp{name[3:].lstrip('-')}"
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    # Python also has codecs that are no character sets.
    return found if found in _CHARACTER_SETS else ""


def decode(body: bytes, codec: str, domain: str = "XMLNSC") -> str:
    """Return the text of a document, without byte order mark.

    A byte order mark decides; then the character set of the message, `codec`; then the XML declaration, which decides
    where the message names no set, or where the bytes are not text of that set.
    """
    found = _detected(body)
    if found.startswith(("utf-16", "utf-32")):
        # Two or four bytes for each character show in the first bytes; no single-byte set begins like that.
        codec = found
    elif not codec:
        codec = _shown_codec(body, found, domain)
    try:
        text = body.decode(codec)
    except UnicodeDecodeError as error:
        other = _shown_codec(body, found, domain)
        if other == codec:
            raise malformed(f"byte {error.start} is not text of {codec}: {error.reason}", 0, 0, domain) from None
        try:
            text = body.decode(other)
        except UnicodeDecodeError as second:
            raise malformed(f"byte {second.start} is not text of {other}: {second.reason}", 0, 0, domain) from None
        codec = other
    if text.startswith("\ufeff"):
        text = text[1:]
    if codec.startswith("cp") and "\x85" in text and bytes([0x4C]).decode(codec) == "<":
        # The line end of EBCDIC, which is no white space in XML 1.0.
        text = text.replace("\x85", "\n")
    return text


def _shown_codec(body: bytes, found: str, domain: str) -> str:
    """Return the codec that the document itself shows: `found` in its first bytes, or in its XML declaration."""
    declared = _declaration(body, "cp037" if found == "ebcdic" else "latin-1")
    if not declared or found not in ("", "ebcdic"):
        return "cp037" if found == "ebcdic" else found or "utf-8"
    codec = _python_codec(declared)
    if not codec:
        raise malformed(f"the encoding {declared!r} of the XML declaration is unknown", 1, 1, domain)
    if codec.startswith(("utf-16", "utf-32")):
        raise malformed(f"the XML declaration says {declared}, but the bytes are not that", 1, 1, domain)
    return codec


def _detected(body: bytes) -> str:
    """Return the codec that the first bytes show (XML 1.0, appendix F); '' if they show none."""
    first = body[:4]
    if first == b"\x00\x00\xfe\xff" or first == b"\x00\x00\x00<":
        return "utf-32-be"
    if first == b"\xff\xfe\x00\x00" or first == b"<\x00\x00\x00":
        return "utf-32-le"
    if first.startswith((b"\xfe\xff", b"\x00<\x00")):
        return "utf-16-be"
    if first.startswith(b"\xff\xfe") or (first.startswith(b"<\x00") and first[2:4] != b"\x00\x00"):
        return "utf-16-le"
    if first.startswith(b"\xef\xbb\xbf"):
        return "utf-8"
    if first == b"\x4c\x6f\xa7\x94":
        return "ebcdic"
    return ""


def _declaration(body: bytes, codec: str) -> str:
    """Return the encoding that the XML declaration names; '' if it names none."""
    found = _ENCODING_NAME.match(body[:300].decode(codec, "replace"))
    return "" if found is None else found[1]


def expat_error(error: pyexpat.ExpatError, domain: str) -> BrokerError:
    """Return the error for a message of expat, without the position at its end."""
    text = pyexpat.ErrorString(error.code) or "not well-formed"
    return malformed(text, error.lineno, error.offset + 1, domain)


def expanded(text: str, namespaces: bool, domain: str) -> tuple[str, Doctype]:
    """Return a document with a DOCTYPE written again without it, and the content of the DOCTYPE.

    Raise 5009 if the document is not well-formed, or if its entities add too much.
    """
    try:
        body = text.encode()
    except UnicodeEncodeError as error:
        raise malformed(f"character {error.start} is half of a surrogate pair", 0, 0, domain) from None
    if pyexpat.version_info < (2, 4, 1) and b"<!ENTITY" in body:
        raise malformed("entities are not expanded: this Python has an expat that does not bound them", 0, 0, domain)
    # The rules of namespaces are proved by a parser of their own: names must keep their prefixes in what is written.
    parser = pyexpat.ParserCreate("utf-8", " ") if namespaces else pyexpat.ParserCreate("utf-8")
    parser.SetParamEntityParsing(pyexpat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(body, True)
    except pyexpat.ExpatError as error:
        raise expat_error(error, domain) from None
    expansion = _Expansion(body, domain)
    assert expansion.doctype is not None
    return expansion.text, expansion.doctype


class _Expansion:
    """Writes a document with a DTD again: entities expanded, default attributes added, the DOCTYPE left out."""

    def __init__(self, body: bytes, domain: str) -> None:
        self.doctype: Doctype | None = None
        self.text = ""
        self._domain = domain
        self._parts: list[str] = []
        self._left = EXPANDED_MAX + len(body)
        self._cdata = False
        self._in_doctype = False
        self._start = 0
        self._name = ""
        self._system = ""
        self._public = ""
        self._subset = False
        self._body = body
        parser = pyexpat.ParserCreate("utf-8")
        self._parser = parser
        parser.SetParamEntityParsing(pyexpat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.ordered_attributes = True
        parser.buffer_text = True
        parser.XmlDeclHandler = self._declaration
        parser.StartDoctypeDeclHandler = self._start_doctype
        parser.EndDoctypeDeclHandler = self._end_doctype
        parser.StartElementHandler = self._start_element
        parser.EndElementHandler = self._end_element
        parser.CharacterDataHandler = self._characters
        parser.StartCdataSectionHandler = self._start_cdata
        parser.EndCdataSectionHandler = self._end_cdata
        parser.CommentHandler = self._comment
        parser.ProcessingInstructionHandler = self._instruction
        parser.SkippedEntityHandler = self._skipped
        try:
            parser.Parse(body, True)
        except pyexpat.ExpatError as error:
            raise expat_error(error, domain) from None
        self.text = "".join(self._parts)

    def _add(self, text: str) -> None:
        self._left -= len(text)
        if self._left < 0:
            raise malformed(
                f"the entities of the DTD add more than {EXPANDED_MAX} characters to the document",
                self._parser.CurrentLineNumber,
                self._parser.CurrentColumnNumber + 1,
                self._domain,
            )
        self._parts.append(text)

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        text = f'<?xml version="{version}"'
        if encoding is not None:
            text += f' encoding="{encoding}"'
        if standalone >= 0:
            text += f' standalone="{"yes" if standalone else "no"}"'
        self._add(text + "?>")

    def _start_doctype(self, name: str, system: str | None, public: str | None, subset: int) -> None:
        self._in_doctype = True
        self._name = name
        self._system = system or ""
        self._public = public or ""
        self._subset = bool(subset)
        self._start = self._parser.CurrentByteIndex

    def _end_doctype(self) -> None:
        self._in_doctype = False
        subset = ""
        if self._subset:
            # The handlers are called at the bracket that opens the subset and at the '>' behind the one that closes it.
            piece = self._body[self._start : self._parser.CurrentByteIndex]
            opened = piece.find(b"[")
            closed = piece.rfind(b"]")
            if 0 <= opened < closed:
                subset = piece[opened + 1 : closed].decode("utf-8", "replace")
        self.doctype = Doctype(self._name, self._public, self._system, subset)

    def _start_element(self, name: str, attributes: list[str]) -> None:
        parts = ["<", name]
        for number in range(0, len(attributes), 2):
            parts.append(f' {attributes[number]}="{_quoted(attributes[number + 1])}"')
        parts.append(">")
        self._add("".join(parts))

    def _end_element(self, name: str) -> None:
        self._add(f"</{name}>")

    def _characters(self, data: str) -> None:
        if not self._cdata:
            data = data.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
        elif "\r" in data:
            # Only a reference inside an entity can put one here, and a CDATA section cannot hold one.
            data = data.replace("\r", "]]>&#13;<![CDATA[")
        self._add(data)

    def _start_cdata(self) -> None:
        self._cdata = True
        self._add("<![CDATA[")

    def _end_cdata(self) -> None:
        self._cdata = False
        self._add("]]>")

    def _comment(self, data: str) -> None:
        if not self._in_doctype:
            self._add(f"<!--{data}-->")

    def _instruction(self, target: str, data: str) -> None:
        if not self._in_doctype:
            self._add(f"<?{target} {data}?>" if data else f"<?{target}?>")

    def _skipped(self, name: str, is_parameter: int) -> None:
        if not is_parameter:
            self._add(f"&{name};")


def _quoted(value: str) -> str:
    """Return an attribute value so that it reads the same between double quotation marks."""
    value = value.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return value.replace("\r", "&#13;").replace("\n", "&#10;").replace("\t", "&#9;")
