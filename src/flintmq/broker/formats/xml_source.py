"""Sources of XML trees: build the elements that navigation asks for, from the index of a document.

A document is bytes until an element of it is asked for (`XmlDocument`). Then it is decoded, proved well-formed and
indexed as far as needed. `XmlSource.more` builds one child at a time.

    domain        builder      tree
    XMLNSC        compact      a simple element is one field with a value; attributes are its children; mixed text,
                               comments and processing instructions only where the options retain them
    XMLNS, XML    faithful     every piece of text, comment and processing instruction is a child; the value of an
                               element is the text of its first content child, if that precedes all child elements
    others        generic      compact, and attributes and namespace declarations are plain fields: what is left of a
                               tree that is copied to a folder without an XML parser

What the fields of an element say to the source:

    entry         the number of the element in the index; 0 = the body folder, -1 = the XML declaration, -2 = the
                  document type
    cursor        compact: 0 = nothing built, -1 = attributes built, else the entry of the last child element built
                  faithful: 0 = nothing built, -1 = attributes built, else offset << 32 | entry << 1 | whether the child
                  `entry` that starts at the offset is built

The module is compiled. It never changes a document, and never looks at elements that it has not built itself.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from flintmq.broker.formats.xml_index import XMLNS_NAMESPACE, Scope, XmlIndex, unescaped
from flintmq.broker.formats.xml_text import Doctype, decode, prove
from flintmq.broker.tree.element import Element, Source
from flintmq.broker.tree.types import (
    ATTRIBUTE,
    BIT_STREAM,
    CDATA_CONTENT,
    CDATA_FIELD,
    COMMENT,
    CONTENT,
    DOCUMENT_TYPE,
    ENTITY_REFERENCE,
    FIELD,
    FOLDER,
    KIND,
    NAME_VALUE,
    NAMESPACE_DECL,
    PROCESSING_INSTRUCTION,
    SINGLE_ATTRIBUTE,
    SINGLE_NAMESPACE_DECL,
    WHITE_SPACE,
    XML_DECLARATION,
)

_BANG: Final = 0x21
_QUESTION: Final = 0x3F
_SLASH: Final = 0x2F
_DASH: Final = 0x2D

#: Entries of what is no element.
_DECLARATION: Final = -1
_DOCTYPE: Final = -2

#: Where the children of the body folder that follow the root element start.
_EPILOG: Final = -2


@final
class XmlDocument:
    """One document: its bytes, and its text and index once an element was asked for. Sources share it."""

    __slots__ = ("body", "ccsid", "codec", "doctype", "domain", "encoding", "index", "namespaces")

    def __init__(self, body: bytes, codec: str, ccsid: int, encoding: int, namespaces: bool, domain: str) -> None:
        self.body: bytes = body
        self.codec: str = codec
        self.ccsid: int = ccsid
        self.encoding: int = encoding
        #: Whether the names of the document are proved to follow the rules of namespaces.
        self.namespaces: bool = namespaces
        self.domain: str = domain
        self.index: XmlIndex | None = None
        self.doctype: Doctype | None = None

    def indexed(self) -> XmlIndex:
        """Return the index; read and prove the document if this is the first call."""
        index = self.index
        if index is None:
            body = self.body
            codec = self.codec
            if codec == "utf-8" and not body.startswith((b"\xef", b"\xfe", b"\xff", b"\x00", b"<\x00")):
                try:
                    text = body.decode("utf-8")
                    proved = prove(text, body, self.namespaces, self.domain)
                except UnicodeDecodeError:
                    proved = prove(decode(body, codec, self.domain), None, self.namespaces, self.domain)
            else:
                proved = prove(decode(body, codec, self.domain), None, self.namespaces, self.domain)
            self.doctype = proved.doctype
            index = XmlIndex(proved.text, self.domain)
            self.index = index
        return index


@final
class XmlOptions:
    """What the options of a node and the switches say about the tree."""

    __slots__ = ("comments", "empty_is_null", "instructions", "mixed", "opaque")

    def __init__(
        self,
        mixed: bool = False,
        comments: bool = False,
        instructions: bool = False,
        empty_is_null: bool = False,
        opaque: frozenset[str] = frozenset(),
    ) -> None:
        self.mixed: bool = mixed
        self.comments: bool = comments
        self.instructions: bool = instructions
        self.empty_is_null: bool = empty_is_null
        #: Names of elements that stay one field with their XML as value.
        self.opaque: frozenset[str] = opaque


@final
class XmlSource(Source):
    """Builds the tree of a document for one domain."""

    __slots__ = ("compact", "document", "generic", "options", "plain_names", "retains")

    def __init__(self, document: XmlDocument, domain: str, options: XmlOptions, generic: bool = False) -> None:
        super().__init__(domain)
        self.document: XmlDocument = document
        self.options: XmlOptions = options
        #: Attributes are plain fields. Once a tree has lost them, a copy back to an XML folder does not restore them.
        self.generic: bool = generic
        self.compact: bool = generic or domain not in ("XMLNS", "XML")
        #: Names keep their prefixes: the domain XML.
        self.plain_names: bool = domain == "XML"
        self.retains: bool = options.mixed or options.comments or options.instructions

    def view(self, domain: str) -> Source | None:
        """Return a source that builds the same content with the types of another domain."""
        if domain == self.domain:
            return self
        generic = self.generic or domain not in ("XMLNSC", "XMLNS", "XML")
        return XmlSource(self.document, domain, self.options, generic)

    def more(self, element: Element) -> None:
        """Append the next child of an element, or clear `pending`."""
        index = self.document.index
        if index is None:
            index = self.document.indexed()
        if element.entry <= 0:
            if element.entry == 0:
                self._more_of_document(element, index)
            elif element.entry == _DECLARATION:
                self._more_of_declaration(element, index)
            else:
                self._more_of_doctype(element)
        elif self.compact:
            if self.retains:
                self._more_retained(element, index)
            else:
                self._more_compact(element, index)
        else:
            self._more_faithful(element, index)

    # The document itself.

    def _more_of_document(self, body: Element, index: XmlIndex) -> None:
        """Build the children of the body folder: what is before the root element, the root, what is behind it."""
        if body.cursor == 0:
            body.cursor = _EPILOG
            self._prolog(body, index)
            index.child_at(1, 0)
            self._append_child(body, index, 1)
            if self.compact and not self.options.comments and not self.options.instructions:
                body.pending = False
            return
        body.pending = False
        self._misc(body, index, index.behind(1), len(index.text))

    def _prolog(self, body: Element, index: XmlIndex) -> None:
        """Build the XML declaration, the document type and what else is before the root element."""
        text = index.text
        position = 0
        if text.startswith("<?xml") and ord(text[5]) <= 0x20:
            position = text.find("?>") + 2
            name = "XmlDecl" if self.domain in ("XMLNS", "XML") else "XmlDeclaration"
            self._append_folder(body, name, XML_DECLARATION, _DECLARATION)
        doctype = self.document.doctype
        if doctype is not None and not self.generic:
            self._append_folder(body, doctype.name, DOCUMENT_TYPE, _DOCTYPE)
        if index.root_start > position:
            self._misc(body, index, position, index.root_start)

    def _append_folder(self, body: Element, name: str, kind: int, entry: int) -> None:
        """Append the folder of the XML declaration or of the document type."""
        made = Element(name, None, kind & KIND if self.generic else kind)
        made.source = self
        made.entry = entry
        made.pending = True
        made.changed = False
        body.append_built(made)

    def _more_of_declaration(self, declaration: Element, index: XmlIndex) -> None:
        """Build an attribute for each part of the XML declaration."""
        declaration.pending = False
        # The name of a tag ends before white space: so does the '?xml' of a declaration.
        attributes = index.attributes(0)
        for number in range(0, len(attributes), 3):
            raw = attributes[number]
            name = "Version"
            if raw == "encoding":
                name = "Encoding"
            elif raw == "standalone":
                name = "Standalone" if self.domain in ("XMLNS", "XML") else "StandAlone"
            child = Element(name, attributes[number + 1], NAME_VALUE if self.generic else ATTRIBUTE)
            child.changed = False
            declaration.append_built(child)

    def _more_of_doctype(self, element: Element) -> None:
        """Build the parts of the document type. Its entities are expanded already; the subset is kept as text."""
        element.pending = False
        doctype = self.document.doctype
        assert doctype is not None
        self._append_field(element, "PublicId", doctype.public_id)
        self._append_field(element, "SystemId", doctype.system_id)
        self._append_field(element, "IntSubset", doctype.subset)

    def _append_field(self, parent: Element, name: str, value: str) -> None:
        if value:
            child = Element(name, value, NAME_VALUE)
            child.changed = False
            parent.append_built(child)

    def _misc(self, body: Element, index: XmlIndex, position: int, end: int) -> None:
        """Build the comments, processing instructions and white space outside the root element."""
        text = index.text
        while position < end:
            start = text.find("<", position, end)
            if start < 0:
                start = end
            if start > position:
                if not self.compact:
                    self._append_value(body, text[position:start], WHITE_SPACE)
                position = start
            else:
                position = self._append_other(body, index, start)

    # The compact builder.

    def _more_compact(self, element: Element, index: XmlIndex) -> None:
        """Build the attributes, or the next child element."""
        entry = element.entry
        cursor = element.cursor
        if cursor == 0:
            packed: i64 = index.opened[entry]
            element.cursor = -1
            if packed & 1:
                self._append_attributes(element, index)
                if not index.has_elements(entry):
                    element.pending = False
                return
            cursor = -1
        child = entry + 1 if cursor < 0 else index.next_of(cursor)
        if index.child_at(child, entry):
            element.cursor = child
            self._append_child(element, index, child)
        else:
            element.pending = False

    def _more_retained(self, element: Element, index: XmlIndex) -> None:
        """Build the next child where the options retain mixed text, comments or processing instructions."""
        entry = element.entry
        if not index.has_elements(entry):
            # A field: its text is its value; what else is retained follows.
            element.pending = False
            if element.cursor == 0 and index.opened[entry] & 1:
                self._append_attributes(element, index)
            self._append_retained_of_field(element, index)
            return
        self._more_faithful(element, index)

    def _append_retained_of_field(self, element: Element, index: XmlIndex) -> None:
        """Append the retained comments and processing instructions inside a simple element."""
        text = index.text
        entry = element.entry
        end = index.end_of(entry)
        position = text.find("<", index.content_of(entry), end)
        while position >= 0:
            if text.startswith("<![", position):
                position = text.find("]]>", position) + 3
            else:
                position = self._append_other(element, index, position)
            position = text.find("<", position, end)

    def _append_child(self, parent: Element, index: XmlIndex, entry: int) -> None:
        """Build the element at an entry."""
        text = index.text
        packed: i64 = index.opened[entry]
        start = (packed >> 1) & 0x3FFFFFFF
        content = packed >> 31
        raw: str
        if packed & 1 == 0 and ord(text[content - 2]) > 0x2F:
            raw = text[start + 1 : content - 1]
        else:
            raw = text[start + 1 : index.name_end(start)]
        if self.plain_names:
            made = Element(raw, None, FOLDER)
        else:
            name = index.scopes[entry].element_name(raw)
            made = Element(name.local, None, FOLDER, name.namespace)
        made.source = self
        made.entry = entry
        made.changed = False
        if not self.compact:
            made.pending = True
            self._set_first_text(made, index, entry, content)
        elif index.has_elements(entry):
            made.pending = True
        else:
            self._set_field(made, index, entry, content)
            if packed & 1:
                made.pending = True
        if self.compact and self.options.opaque and made.name in self.options.opaque:
            self._set_opaque(made, index, entry)
        parent.append_built(made)

    def _set_opaque(self, made: Element, index: XmlIndex, entry: int) -> None:
        """Make an element one field whose value is its XML, with the namespaces that are in force declared on it."""
        made.type = BIT_STREAM
        made.pending = False
        made.source = None
        made.entry = 0
        made.value = self_contained(index, entry)

    def _set_field(self, made: Element, index: XmlIndex, entry: int, content: int) -> None:
        """Set type and value of an element without child elements."""
        made.type = FIELD
        end = index.end_of(entry)
        if end == content:
            made.value = None if self.options.empty_is_null else ""
            return
        value = index.text[content:end]
        if "<" in value:
            if self.retains and (self.options.comments or self.options.instructions):
                made.pending = True
            if value.startswith("<![CDATA[") and value.find("]]>") == len(value) - 3:
                made.type = FIELD if self.generic else CDATA_FIELD
                value = value[9:-3]
            else:
                value = text_of(value)
            if value == "" and self.options.empty_is_null:
                made.value = None
                return
        elif "&" in value:
            value = unescaped(value)
        made.value = value

    # The faithful builder.

    def _set_first_text(self, made: Element, index: XmlIndex, entry: int, content: int) -> None:
        """Set the value: the first text of the element, if it precedes the first child element."""
        text = index.text
        if ord(text[content - 2]) == _SLASH and index.end_of(entry) == content:
            made.pending = index.opened[entry] & 1 != 0
            made.value = None if self.options.empty_is_null else ""
            return
        simple = not index.has_elements(entry)
        position: i64 = content
        while True:
            start: i64 = text.find("<", position)
            if start > position:
                value = text[position:start]
                if simple or not value.isspace() or value.strip(" \t\n\r"):
                    made.value = unescaped(value) if "&" in value else value
                    return
            mark = ord(text[start + 1])
            if mark == _QUESTION:
                position = text.find("?>", start) + 2
            elif mark != _BANG:
                if simple and not self.options.empty_is_null:
                    made.value = ""
                return
            elif ord(text[start + 2]) == _DASH:
                position = text.find("-->", start) + 3
            else:
                position = text.find("]]>", start)
                made.value = text[start + 9 : position]
                return

    def _more_faithful(self, element: Element, index: XmlIndex) -> None:
        """Build the attributes, or the next piece of content."""
        text = index.text
        entry = element.entry
        cursor: i64 = element.cursor
        position: i64
        child: i64
        if cursor == 0:
            element.cursor = -1
            packed: i64 = index.opened[entry]
            if packed & 1:
                self._append_attributes(element, index)
                return
            cursor = -1
        if cursor < 0:
            position = index.content_of(entry)
            child = entry + 1
            if index.is_empty_tag(entry):
                element.pending = False
                return
        else:
            child = (cursor >> 1) & 0x7FFFFFFF
            position = cursor >> 32
            if cursor & 1:
                position = index.behind(child)
                child = index.next_of(child)
        start: i64 = text.find("<", position)
        if start > position:
            element.cursor = start << 32 | child << 1
            self._append_text(element, index, position, start)
            return
        mark = ord(text[start + 1])
        if mark == _SLASH:
            element.pending = False
        elif mark == _BANG or mark == _QUESTION:
            position = self._append_other(element, index, start)
            element.cursor = position << 32 | child << 1
        else:
            index.child_at(child, entry)
            element.cursor = start << 32 | child << 1 | 1
            self._append_child(element, index, child)

    def _append_text(self, element: Element, index: XmlIndex, start: int, end: int) -> None:
        """Append the text between two tags."""
        value = index.text[start:end]
        if value.isspace() and not value.strip(" \t\n\r"):
            if self.compact:
                return
            kind = WHITE_SPACE if index.has_elements(element.entry) else CONTENT
            self._append_value(element, value, kind)
            return
        if self.compact and not self.options.mixed:
            return
        if "&" not in value:
            self._append_value(element, value, CONTENT)
            return
        if self.document.doctype is None:
            self._append_value(element, unescaped(value), CONTENT)
            return
        self._append_with_references(element, value)

    def _append_with_references(self, element: Element, value: str) -> None:
        """Append text that may refer to entities of an external DTD: such a reference is a child of its own."""
        piece = ""
        parts = value.split("&")
        for number in range(len(parts)):
            part = parts[number]
            if number == 0:
                piece = part
                continue
            end = part.find(";")
            name = part[:end]
            if name.startswith("#") or name in ("lt", "gt", "amp", "quot", "apos"):
                piece += unescaped("&" + part)
                continue
            if piece:
                self._append_value(element, piece, CONTENT)
            self._append_value(element, name, ENTITY_REFERENCE)
            piece = part[end + 1 :]
        if piece:
            self._append_value(element, piece, CONTENT)

    # Both builders.

    def _append_value(self, parent: Element, value: str, kind: int) -> None:
        made = Element("", value, kind)
        made.changed = False
        parent.append_built(made)

    def _append_other(self, parent: Element, index: XmlIndex, start: int) -> int:
        """Append the comment, CDATA section or processing instruction at `start`; return the offset behind it."""
        text = index.text
        made: Element
        if ord(text[start + 1]) == _QUESTION:
            end = text.find("?>", start)
            if self.compact and not self.options.instructions:
                return end + 2
            target = text[start + 2 : end]
            data = ""
            cut = index.name_end(start + 1)
            if cut < end:
                target = text[start + 2 : cut]
                data = text[cut:end].lstrip(" \t\n\r")
            made = Element(target, data, PROCESSING_INSTRUCTION)
            behind = end + 2
        elif ord(text[start + 2]) == _DASH:
            end = text.find("-->", start + 4)
            if self.compact and not self.options.comments:
                return end + 3
            made = Element("", text[start + 4 : end], COMMENT)
            behind = end + 3
        else:
            end = text.find("]]>", start)
            if self.compact and not self.options.mixed:
                return end + 3
            made = Element("", text[start + 9 : end], CDATA_CONTENT)
            behind = end + 3
        if self.generic:
            made.type = made.type & KIND
        made.changed = False
        parent.append_built(made)
        return behind

    def _append_attributes(self, element: Element, index: XmlIndex) -> None:
        """Append all attributes and namespace declarations of an element."""
        attributes = index.attributes(index.start_of(element.entry))
        scope = index.scopes[element.entry]
        for number in range(0, len(attributes), 3):
            self._append_attribute(
                element, scope, attributes[number], attributes[number + 1], attributes[number + 2] == '"'
            )

    def _append_attribute(self, element: Element, scope: Scope, raw: str, value: str, is_double: bool) -> None:
        """Append one attribute or namespace declaration."""
        made: Element
        if self.plain_names:
            made = Element(raw, value, ATTRIBUTE if is_double else SINGLE_ATTRIBUTE)
        elif raw.startswith("xmlns") and (raw == "xmlns" or raw.startswith("xmlns:")):
            made = Element(raw, value, NAMESPACE_DECL if is_double else SINGLE_NAMESPACE_DECL)
            if raw != "xmlns":
                made.name = raw[6:]
                made.namespace = XMLNS_NAMESPACE
        else:
            name = scope.attribute_name(raw)
            made = Element(name.local, value, ATTRIBUTE if is_double else SINGLE_ATTRIBUTE, name.namespace)
        if self.generic:
            made.type = NAME_VALUE
        made.changed = False
        element.append_built(made)


def text_of(content: str) -> str:
    """Return the text of the content of an element without child elements: CDATA joined in, comments left out."""
    pieces: list[str] = []
    position = 0
    while True:
        start = content.find("<", position)
        piece = content[position:start] if start >= 0 else content[position:]
        if piece:
            pieces.append(unescaped(piece) if "&" in piece else piece)
        if start < 0:
            return "".join(pieces)
        if ord(content[start + 1]) == _QUESTION:
            position = content.find("?>", start) + 2
        elif ord(content[start + 2]) == _DASH:
            position = content.find("-->", start + 4) + 3
        else:
            end = content.find("]]>", start)
            pieces.append(content[start + 9 : end])
            position = end + 3


def self_contained(index: XmlIndex, entry: int) -> str:
    """Return the XML of an element with every namespace declaration that is in force around it."""
    start = index.start_of(entry)
    text = index.text[start : index.behind(entry)]
    around = index.scopes[entry].effective()
    declared = index.attributes(start) if index.opened[entry] & 1 else []
    cut = index.name_end(start) - start
    pieces: list[str] = [text[:cut]]
    for prefix, namespace in around.items():
        name = "xmlns:" + prefix if prefix else "xmlns"
        if name not in declared[::3] and (namespace or prefix):
            escaped = namespace.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
            pieces.append(f' {name}="{escaped}"')
    pieces.append(text[cut:])
    return "".join(pieces)
