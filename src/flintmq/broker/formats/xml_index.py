"""The text of an XML document, scanned and proved well-formed only as far as navigation goes.

**Scan.** An element is known by its *entry*: the offset of its name in the text, one behind its `<`. Builders read tags
at such offsets. This module remembers only facts that a builder cannot see at a glance:

    ends[entry]       the offset behind an element that has child elements, once it was passed
    scopes[entry]     the namespace declarations in force at an element, in a document that has any

So stepping over an element that was passed before is one look, and a character is scanned at most twice: when an
element is stepped over and when its content is built. A field near the front of a long document costs only the front.

**Proof.** expat decides whether the text is well-formed. It sees the text in pieces, always before a builder relies on
it: the scanner may look at any text, but nothing is built from text behind `proven`. So a flow does not meet an error
behind the part that it reads, as in the product. `prove(-1)` proves the whole document; reaching the end of the root
element does, too. (Measured: the proof of 4 KiB takes 26 us, that of the first 512 bytes 6, the whole tree about 100.)

The module is compiled. It makes no elements.
"""

from __future__ import annotations

import pyexpat
from typing import Final, final

from mypy_extensions import i64

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.xml_text import Doctype, expat_error, malformed
from flintmq.broker.tree.element import DEPTH_MAX

XML_NAMESPACE: Final = "http://www.w3.org/XML/1998/namespace"
XMLNS_NAMESPACE: Final = "http://www.w3.org/2000/xmlns/"
XSI_NAMESPACE: Final = "http://www.w3.org/2001/XMLSchema-instance"

#: expat sees this much text at first, and then each time eight times more.
_FIRST_PIECE: Final = 512
_GROWTH: Final = 8

#: expat 2.6 may put off tokens that came in pieces. Where that cannot be switched off, it gets the document at once.
_DEFERS: Final = pyexpat.version_info >= (2, 6, 0)
_INCREMENTAL: Final = not _DEFERS or hasattr(pyexpat.ParserCreate(), "SetReparseDeferralEnabled")

#: Names that base scopes keep. Names come from messages: a table that is full is emptied.
_NAMES_MAX: Final = 10_000
_NAME_LENGTH_MAX: Final = 100

#: The code points that the scanner compares with.
_BANG: Final = 0x21
_QUOTE: Final = 0x22
_APOSTROPHE: Final = 0x27
_DASH: Final = 0x2D
_SLASH: Final = 0x2F
_EQUALS: Final = 0x3D
_GREATER: Final = 0x3E
_QUESTION: Final = 0x3F
_SMALL_M: Final = 0x6D
_SMALL_X: Final = 0x78
_SPACE: Final = 0x20

_PREDEFINED: Final[dict[str, str]] = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


@final
class QName:
    """A name with its namespace."""

    __slots__ = ("local", "namespace")

    def __init__(self, local: str, namespace: str) -> None:
        self.local: str = local
        self.namespace: str = namespace


@final
class Scope:
    """The namespace declarations in force at an element: its own, and those of the scope around it."""

    __slots__ = ("around", "attribute_names", "bindings", "entry", "names")

    def __init__(self, around: Scope | None, entry: int) -> None:
        self.around: Scope | None = around
        #: The element that declares the bindings.
        self.entry: int = entry
        #: Prefix to namespace; '' is the default namespace.
        self.bindings: dict[str, str] = {}
        self.names: dict[str, QName] = {}
        self.attribute_names: dict[str, QName] = {}

    def uri(self, prefix: str) -> str | None:
        """Return the namespace of a prefix; None if it is not declared."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.bindings.get(prefix)
            if found is not None:
                return found
            scope = scope.around
        return None

    def element_name(self, raw: str) -> QName:
        """Return the name of an element that is written `raw`."""
        found = self.names.get(raw)
        if found is None:
            found = self._resolved(raw, True)
            if len(self.names) >= _NAMES_MAX:
                self.names.clear()
            if len(raw) <= _NAME_LENGTH_MAX:
                self.names[raw] = found
        return found

    def attribute_name(self, raw: str) -> QName:
        """Return the name of an attribute that is written `raw`. Without prefix it is in no namespace."""
        found = self.attribute_names.get(raw)
        if found is None:
            found = self._resolved(raw, False)
            if len(self.attribute_names) >= _NAMES_MAX:
                self.attribute_names.clear()
            if len(raw) <= _NAME_LENGTH_MAX:
                self.attribute_names[raw] = found
        return found

    def _resolved(self, raw: str, is_element: bool) -> QName:
        colon = raw.find(":")
        if colon < 0:
            default = self.uri("") if is_element else None
            return QName(raw, "" if default is None else default)
        namespace = self.uri(raw[:colon])
        if namespace is None:
            # Only in a document that was read without namespaces.
            return QName(raw, "")
        return QName(raw[colon + 1 :], namespace)

    def effective(self) -> dict[str, str]:
        """Return all declarations in force, without the prefixes xml and xmlns."""
        chain: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            chain.append(scope)
            scope = scope.around
        found: dict[str, str] = {}
        while chain:
            found.update(chain.pop().bindings)
        found.pop("xml", None)
        found.pop("xmlns", None)
        return found


def _base_scope() -> Scope:
    scope = Scope(None, 0)
    scope.bindings["xml"] = XML_NAMESPACE
    scope.bindings["xmlns"] = XMLNS_NAMESPACE
    return scope


#: The scope of every document before its first declaration. It keeps names from one message to the next.
BASE: Final = _base_scope()
#: The same for the domain XML, whose names keep their prefixes.
PLAIN: Final = Scope(None, 0)


@final
class XmlIndex:
    """One document. Sources of several domains may share it."""

    __slots__ = (
        "_body",
        "_failure",
        "_highest",
        "_parser",
        "_piece",
        "doctype",
        "domain",
        "ends",
        "has_references",
        "proven",
        "root_start",
        "scoped",
        "scopes",
        "text",
    )

    def __init__(self, text: str, body: bytes | None, namespaces: bool, domain: str, doctype: Doctype | None) -> None:
        """Index a text. `body` is the same in ASCII, where the caller has it. A text from `expanded` is proved."""
        self.text: str = text
        self.domain: str = domain
        self.doctype: Doctype | None = doctype
        self._body: bytes | None = body
        self._parser: pyexpat.XMLParserType | None = (
            pyexpat.ParserCreate("utf-8", " ") if namespaces else pyexpat.ParserCreate("utf-8")
        )
        self._failure: pyexpat.ExpatError | None = None
        self._piece: int = _FIRST_PIECE if _INCREMENTAL else len(text)
        if _DEFERS and _INCREMENTAL:
            switch_off = getattr(self._parser, "SetReparseDeferralEnabled", None)
            if switch_off is not None:
                switch_off(False)
        #: Nothing behind this offset may be relied on.
        self.proven: int = 0
        if doctype is not None:
            self.proven = len(text) + 1
            self._parser = None
        self.ends: dict[int, int] = {}
        self._highest: int = 0
        #: Whether a namespace declaration was met. `scopes` has an entry for every element with child elements or
        #: attributes that was built since.
        self.scoped: bool = False
        self.scopes: dict[int, Scope] = {}
        self.has_references: bool = "&" in text
        self.root_start: int = skip_prolog(text)

    # Proof.

    def prove(self, needed: int) -> None:
        """Let expat see the text up to an offset, at least; -1 = all of it. Raise 5009 if it is not well-formed."""
        parser = self._parser
        if parser is None:
            return
        failure = self._failure
        if failure is not None:
            raise expat_error(failure, self.domain)
        text = self.text
        length = len(text)
        body = self._body
        if needed < 0 or needed > length:
            needed = length
        while True:
            begin = self.proven
            end = begin + self._piece
            if end < needed:
                end = needed
            # A short rest is not worth a call of its own.
            is_last = end + _FIRST_PIECE >= length
            if is_last:
                end = length
            try:
                if body is not None:
                    parser.Parse(body if begin == 0 and is_last else body[begin:end], is_last)
                else:
                    parser.Parse(text[begin:end].encode("utf-8"), is_last)
            except pyexpat.ExpatError as error:
                self._failure = error
                raise expat_error(error, self.domain) from None
            self._piece = self._piece * _GROWTH
            if is_last:
                self.proven = length + 1
                self._parser = None
                self._body = None
                return
            self.proven = end
            if end >= needed:
                return

    def wrong(self) -> BrokerError:
        """Return the error of a document that ends where the scanner expects more."""
        try:
            self.prove(-1)
        except BrokerError as error:
            return error
        return malformed("the document ends inside a tag", 0, 0, self.domain)

    # Scan.

    def scope_of(self, entry: int) -> Scope:
        """Return the namespace declarations in force at an element that was built."""
        if self.scoped:
            found = self.scopes.get(entry)
            if found is not None:
                return found
        return BASE

    def outer_scope(self, entry: int) -> Scope | None:
        """Return the declarations in force around an element, without its own; None if that is not known."""
        if not self.scoped:
            return BASE
        scope = self.scopes.get(entry)
        if scope is not None and scope.entry == entry:
            return scope.around
        return scope

    def behind(self, entry: int) -> int:
        """Return the offset behind an element; step over its content if it was not passed before."""
        known = self.ends.get(entry)
        if known is not None:
            return known
        if entry == self.root_start + 1:
            known = self._root_end()
            if known > 0:
                return known
        text = self.text
        ends = self.ends
        highest = self._highest
        position: i64 = self.tag_end(entry) + 1
        if ord(text[position - 2]) == _SLASH:
            return position
        stack: list[int] = [entry]
        after_start = True
        while True:
            start: i64 = text.find("<", position)
            if start < 0:
                raise self.wrong()
            mark = ord(text[start + 1])
            if mark == _SLASH:
                position = text.find(">", start) + 1
                if position == 0:
                    raise self.wrong()
                done = stack.pop()
                if not after_start:
                    ends[done] = position
                    if done > self._highest:
                        self._highest = done
                after_start = False
                if not stack:
                    if position > self.proven:
                        self.prove(position)
                    return position
            elif mark == _BANG or mark == _QUESTION:
                position = self.other_end(start)
            else:
                if start < highest:
                    known = ends.get(start + 1)
                    if known is not None:
                        position = known
                        after_start = False
                        continue
                position = self.tag_end(start + 1) + 1
                if ord(text[position - 2]) == _SLASH:
                    after_start = False
                else:
                    if len(stack) >= DEPTH_MAX:
                        raise malformed(f"elements are nested deeper than {DEPTH_MAX}", 0, 0, self.domain)
                    stack.append(start + 1)
                    after_start = True

    def _root_end(self) -> int:
        """Return the offset behind the root element if its end tag is the last markup; 0 if that is not sure."""
        self.prove(-1)
        text = self.text
        entry = self.root_start + 1
        start = text.rfind("</")
        if start < entry:
            return 0
        length = self.name_end(entry) - entry
        behind = text.find(">", start) + 1
        is_end = text[start + 2 : start + 2 + length] == text[entry : entry + length]
        # A comment behind the root may hold what looks like an end tag.
        if not is_end or text[start + 2 + length : behind - 1].strip() or text[behind:].strip():
            return 0
        self.ends[entry] = behind
        return behind

    def other_end(self, start: int) -> int:
        """Return the offset behind a comment, CDATA section or processing instruction."""
        text = self.text
        end: i64
        if ord(text[start + 1]) == _QUESTION:
            end = text.find("?>", start) + 2
            if end < 2:
                raise self.wrong()
            return end
        end = text.find("-->", start + 4) if ord(text[start + 2]) == _DASH else text.find("]]>", start)
        if end < 0:
            raise self.wrong()
        return end + 3

    def name_end(self, entry: int) -> int:
        """Return the offset behind a name."""
        text = self.text
        position: i64 = entry
        mark = ord(text[position])
        while mark > _SPACE and mark != _GREATER and mark != _SLASH:
            position += 1
            mark = ord(text[position])
        return position

    def tag_end(self, entry: int) -> int:
        """Return the offset of the '>' that ends a start tag. One inside an attribute value ends nothing."""
        return (self.scan_tag(self.name_end(entry)) >> 2) - 1

    def scan_tag(self, position: i64) -> i64:
        """Scan a start tag from the end of its name.

        Return the offset behind it << 2 | whether it may declare namespaces << 1 | whether it has attributes.
        """
        text = self.text
        flags: i64 = 0
        while True:
            mark = ord(text[position])
            while mark <= _SPACE:
                position += 1
                mark = ord(text[position])
            if mark == _GREATER:
                return (position + 1) << 2 | flags
            if mark == _SLASH:
                return (position + 2) << 2 | flags
            if mark == _SMALL_X and ord(text[position + 1]) == _SMALL_M:
                flags = 3
            else:
                flags |= 1
            while mark != _QUOTE and mark != _APOSTROPHE:
                position += 1
                mark = ord(text[position])
            position = text.find('"' if mark == _QUOTE else "'", position + 1) + 1
            if position == 0:
                raise self.wrong()

    def attributes(self, entry: int) -> list[str]:
        """Return the attributes of a start tag: name as written, value, quotation mark; for each in turn."""
        text = self.text
        found: list[str] = []
        position: i64 = self.name_end(entry)
        while True:
            mark = ord(text[position])
            while mark <= _SPACE:
                position += 1
                mark = ord(text[position])
            if mark == _GREATER or mark == _SLASH or mark == _QUESTION:
                return found
            begin = position
            while mark > _SPACE and mark != _EQUALS:
                position += 1
                mark = ord(text[position])
            found.append(text[begin:position])
            while mark != _QUOTE and mark != _APOSTROPHE:
                position += 1
                mark = ord(text[position])
            quote = '"' if mark == _QUOTE else "'"
            begin = position + 1
            position = text.find(quote, begin)
            if position < 0:
                raise self.wrong()
            value = text[begin:position]
            position += 1
            if (self.has_references and "&" in value) or "\n" in value or "\t" in value:
                value = attribute_value(value)
            found.append(value)
            found.append(quote)

    def declared(self, entry: int, around: Scope) -> Scope:
        """Return the scope of an element with a start tag that may declare namespaces."""
        attributes = self.attributes(entry)
        scope = around
        for number in range(0, len(attributes), 3):
            raw = attributes[number]
            if raw == "xmlns" or raw.startswith("xmlns:"):
                if scope is around:
                    scope = Scope(around, entry)
                    self.scoped = True
                scope.bindings[raw[6:]] = attributes[number + 1]
        return scope


def skip_prolog(text: str) -> int:
    """Return the offset of the first tag or DOCTYPE, behind comments and processing instructions; -1 if none."""
    position = text.find("<")
    while position >= 0:
        if text.startswith("<?", position):
            position = text.find("?>", position)
        elif text.startswith("<!--", position):
            position = text.find("-->", position + 4)
        else:
            return position
        if position >= 0:
            position = text.find("<", position)
    return -1


def attribute_value(raw: str) -> str:
    """Return the value of an attribute that is written `raw`: white space is blanks, references are replaced."""
    if "\n" in raw:
        raw = raw.replace("\n", " ")
    if "\t" in raw:
        raw = raw.replace("\t", " ")
    return unescaped(raw) if "&" in raw else raw


def unescaped(raw: str) -> str:
    """Return text with its references replaced. An entity that only an external DTD could define has no value."""
    parts = raw.split("&")
    pieces: list[str] = [parts[0]]
    for number in range(1, len(parts)):
        part = parts[number]
        end = part.find(";")
        name = part[:end]
        known = _PREDEFINED.get(name)
        if known is not None:
            pieces.append(known)
        elif name.startswith("#x"):
            pieces.append(chr(int(name[2:], 16)))
        elif name.startswith("#"):
            # Zeros in front may be many, and Python refuses to read thousands of digits.
            pieces.append(chr(int(name[1:].lstrip("0"))))
        pieces.append(part[end + 1 :])
    return "".join(pieces)
