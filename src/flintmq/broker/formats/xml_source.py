"""Sources of XML trees: build the elements that navigation asks for.

A document is bytes until an element of it is asked for (`XmlDocument`). Then it is decoded, and scanned and proved
well-formed as far as needed (`xml_index`). `XmlSource.more` builds one child at a time.

    domain        builder      tree
    XMLNSC        compact      a simple element is one field with a value; attributes are its children; mixed text,
                               comments and processing instructions only where the options retain them
    XMLNS, XML    faithful     every piece of text, comment and processing instruction is a child; the value of an
                               element is the text of its first content child, if that precedes all child elements
    others        generic      compact, and attributes and namespace declarations are plain fields: the rest of a
                               tree that is copied to a folder without an XML parser

Meanings of the fields of an element for the source:

    entry         the offset of its name in the text; 0 = the body folder, -1 = the XML declaration, -2 = the
                  document type
    cursor        0 = nothing built; n = the offset where the next child is looked for; -n = the last child built has
                  the entry n and must be stepped over first

The module is compiled. It never changes a document, and never looks at elements that it has not built itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from mypy_extensions import i64

from flintmq.broker.formats.xml_index import (
    BASE,
    PLAIN,
    XMLNS_NAMESPACE,
    XSI_NAMESPACE,
    Scope,
    XmlIndex,
    attribute_value,
    skip_prolog,
    unescaped,
)
from flintmq.broker.formats.xml_text import LENGTH_MAX, Doctype, decode, expanded, malformed
from flintmq.broker.formats.xml_values import typed_value
from flintmq.broker.tree.element import DEPTH_MAX, Element, Source
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

_SPACE: Final = 0x20
_BANG: Final = 0x21
_DASH: Final = 0x2D
_SLASH: Final = 0x2F
_QUOTE: Final = 0x22
_APOSTROPHE: Final = 0x27
_EQUALS: Final = 0x3D
_LESS: Final = 0x3C
_GREATER: Final = 0x3E
_QUESTION: Final = 0x3F

#: Entries of what is no element.
_DECLARATION: Final = -1
_DOCTYPE: Final = -2

#: At most this many simple elements are built at once: the next sibling is what navigation mostly asks for next.
_BATCH: Final = 4

_WHITE: Final = " \t\n\r"


@final
class XmlDocument:
    """One document: its bytes, and its text once an element was asked for. Sources share it."""

    __slots__ = ("body", "ccsid", "codec", "domain", "encoding", "index", "namespaces", "validator")

    def __init__(self, body: bytes, codec: str, ccsid: int, encoding: int, namespaces: bool, domain: str) -> None:
        self.body: bytes = body
        self.codec: str = codec
        self.ccsid: int = ccsid
        self.encoding: int = encoding
        #: Whether the names of the document must follow the rules of namespaces.
        self.namespaces: bool = namespaces
        self.domain: str = domain
        self.index: XmlIndex | None = None
        #: Called with the text in UTF-8 when an element is first asked for. Raises a BrokerError if it is not valid.
        self.validator: Callable[[bytes], None] | None = None

    def indexed(self) -> XmlIndex:
        """Return the text with its index; decode the document if this is the first call."""
        index = self.index
        if index is not None:
            return index
        body = self.body
        ascii: bytes | None = None
        text = ""
        if self.codec == "utf-8" and body.isascii() and b"\0" not in body[:4]:
            text = body.decode("ascii")
            ascii = body
        else:
            text = decode(body, self.codec, self.domain)
        if len(text) > LENGTH_MAX:
            raise malformed(f"the document has {len(text)} characters, more than {LENGTH_MAX}", 0, 0, self.domain)
        doctype: Doctype | None = None
        if text.startswith("<!DOCTYPE", max(skip_prolog(text), 0)):
            text, doctype = expanded(text, self.namespaces, self.domain)
            ascii = None
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
            ascii = None
        index = XmlIndex(text, ascii, self.namespaces, self.domain, doctype)
        if index.root_start < 0:
            raise index.wrong()
        validator = self.validator
        if validator is not None:
            index.prove(-1)
            validator(index.text.encode("utf-8"))
        self.index = index
        return index


@final
class XmlOptions:
    """The form of the tree, from the options of a node and the switches."""

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
class ValueTypes:
    """Declaration of one element in an XML schema: the type of its value, its attributes and its child elements."""

    __slots__ = ("attributes", "children", "is_open", "kind")

    def __init__(self, kind: int = 0) -> None:
        #: How text becomes a value: a number of `xml_values.typed_value`; 0 = it stays CHARACTER.
        self.kind: int = kind
        #: By name in Clark notation, `{namespace}local`. Types may contain themselves.
        self.children: dict[str, ValueTypes] = {}
        self.attributes: dict[str, int] = {}
        #: Whether global elements may stand here, too.
        self.is_open: bool = False


@final
class SchemaTypes:
    """The types of the global elements and of the named types of a schema."""

    __slots__ = ("elements", "types")

    def __init__(self) -> None:
        self.elements: ValueTypes = ValueTypes()
        self.types: dict[str, ValueTypes] = {}


@final
class XmlSource(Source):
    """Builds the tree of a document for one domain."""

    __slots__ = ("compact", "document", "generic", "opaque", "options", "plain_names", "retains", "schema", "typed")

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
        self.opaque: bool = bool(options.opaque)
        #: Set where values get the types of an XML schema.
        self.schema: SchemaTypes | None = None
        #: What the schema says about the elements built so far, by entry.
        self.typed: dict[int, ValueTypes] = {}

    def view(self, domain: str) -> Source | None:
        """Return a source that builds the same content with the types of another domain."""
        if domain == self.domain:
            return self
        generic = self.generic or domain not in ("XMLNSC", "XMLNS", "XML")
        made = XmlSource(self.document, domain, self.options, generic)
        # Names that kept their prefixes once keep them.
        made.plain_names = self.plain_names or domain == "XML"
        made.schema = self.schema
        made.typed = self.typed
        return made

    def more(self, element: Element) -> None:
        """Append the next child of an element, or clear `pending`."""
        index = self.document.index
        if index is None:
            index = self.document.indexed()
        try:
            if element.entry > 0:
                self._more_of_element(element, index)
            elif element.entry == 0:
                self._more_of_document(element, index)
            elif element.entry == _DECLARATION:
                self._more_of_declaration(element, index)
            else:
                self._more_of_doctype(element, index)
        except IndexError:
            # The scanner ran off the end of text that is not proved yet.
            raise index.wrong() from None

    # The document itself.

    def _more_of_document(self, body: Element, index: XmlIndex) -> None:
        """Build the children of the body folder: nodes before the root element, the root, nodes behind it."""
        cursor = body.cursor
        if cursor == 0:
            index.prove(index.root_start + 1)
            self._prolog(body, index)
            self._append_child(body, index, index.root_start, BASE)
            if body.cursor > 0:
                index.prove(-1)
            if self.compact and not self.options.comments and not self.options.instructions:
                body.pending = False
            return
        body.pending = False
        if cursor < 0:
            cursor = index.behind(-cursor)
        index.prove(-1)
        self._misc(body, index, cursor, len(index.text))

    def _prolog(self, body: Element, index: XmlIndex) -> None:
        """Build the XML declaration, the document type and other nodes before the root element."""
        text = index.text
        position = 0
        if text.startswith("<?xml") and ord(text[5]) <= _SPACE:
            position = text.find("?>") + 2
            name = "XmlDecl" if self.domain in ("XMLNS", "XML") else "XmlDeclaration"
            self._append_folder(body, name, XML_DECLARATION, _DECLARATION)
        doctype = index.doctype
        if doctype is not None and not self.generic:
            # Without a name: a path to the root element, which the type is called after, must not find it.
            self._append_folder(body, "", DOCUMENT_TYPE, _DOCTYPE)
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
        attributes = index.attributes(1)
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

    def _more_of_doctype(self, element: Element, index: XmlIndex) -> None:
        """Build the parts of the document type. Its entities are expanded already; the subset is kept as text."""
        element.pending = False
        doctype = index.doctype
        assert doctype is not None
        self._append_field(element, "Name", doctype.name)
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

    # Elements.

    def _more_of_element(self, element: Element, index: XmlIndex) -> None:
        """Build the attributes, or the next piece of content."""
        cursor: i64 = element.cursor
        position: i64
        if cursor == 0:
            position = self._start_content(element, index)
            if position < 0:
                return
        elif cursor < 0:
            position = index.behind(-element.cursor)
        else:
            position = cursor
        if self.compact and not self.retains:
            self._append_batch(element, index, position)
        else:
            self._append_piece(element, index, position)

    def _start_content(self, element: Element, index: XmlIndex) -> i64:
        """Build the attributes and return where the content starts; -1 if there is no more to build now."""
        text = index.text
        position: i64 = index.name_end(element.entry)
        if ord(text[position]) <= _SPACE:
            position = self._append_attributes(element, index, position)
        is_empty = ord(text[position]) == _SLASH
        position += 2 if is_empty else 1
        element.cursor = position
        if is_empty:
            element.pending = False
            return -1
        if element.first is None:
            return position
        # A field of a compact tree has no more than its attributes.
        if self.compact and not self.retains and element.type & KIND == NAME_VALUE:
            start: i64 = text.find("<", position)
            if ord(text[start + 1]) == _SLASH:
                element.pending = False
        return -1

    def _append_batch(self, element: Element, index: XmlIndex, position: i64) -> None:
        """Build the next children of a compact tree, at most _BATCH. Text between them is left out."""
        text = index.text
        start: i64
        left = _BATCH
        scope = index.scope_of(element.entry)
        while left > 0:
            # One element mostly follows the other at once.
            start = position if ord(text[position]) == _LESS else text.find("<", position)
            if start < 0:
                raise index.wrong()
            mark = ord(text[start + 1])
            if mark == _SLASH:
                self._end(element, index, start)
                element.pending = False
                return
            if mark == _BANG or mark == _QUESTION:
                position = index.other_end(start)
                continue
            self._append_child(element, index, start, scope)
            position = element.cursor
            if position < 0:
                return
            left -= 1

    def _append_piece(self, element: Element, index: XmlIndex, position: i64) -> None:
        """Build the next child, text or other content of a tree that keeps them all."""
        text = index.text
        start: i64 = text.find("<", position)
        if start < 0:
            raise index.wrong()
        if start > position:
            element.cursor = start
            self._append_text(element, index, position, start)
            return
        mark = ord(text[start + 1])
        if mark == _SLASH:
            self._end(element, index, start)
            element.pending = False
        elif mark == _BANG or mark == _QUESTION:
            element.cursor = index.other_end(start)
            self._append_other(element, index, start)
        else:
            self._append_child(element, index, start, index.scope_of(element.entry))

    def _end(self, element: Element, index: XmlIndex, start: int) -> None:
        """Note the end of an element at its end tag."""
        behind = index.text.find(">", start) + 1
        if behind == 0:
            raise index.wrong()
        if behind > index.proven:
            index.prove(behind)
        if element.entry == index.root_start + 1:
            index.prove(-1)
        # The parent can go on without stepping over this element.
        parent = element.parent
        if parent is not None and parent.cursor == -element.entry and parent.source is self:
            parent.cursor = behind

    def _start_folder(
        self, parent: Element, made: Element, index: XmlIndex, scope: Scope, content: i64, following: i64
    ) -> None:
        """Make an element with children, and its text before the first of them."""
        if following + 2 > index.proven:
            index.prove(following + 2)
        self._set_folder(parent, made, index, scope)
        if not self.compact and following > content:
            self._set_first_text(made, index.text[content:following])

    def _append_child(self, parent: Element, index: XmlIndex, start: int, scope: Scope) -> None:
        """Build the element with its '<' at `start`, and move the parent's cursor behind it or to it."""
        # Long and complex because it runs once for each element of a document: a function per kind of element would add
        # a call to each, with six arguments.
        text = index.text
        entry: i64 = start + 1
        position = entry
        mark = ord(text[position])
        while mark > _SPACE and mark != _GREATER and mark != _SLASH:
            position += 1
            mark = ord(text[position])
        raw = text[entry:position]
        length = position - entry
        has_attributes = False
        content: i64 = position + 1
        if mark != _GREATER:
            packed: i64 = index.scan_tag(position)
            content = packed >> 2
            has_attributes = packed & 1 != 0
            if has_attributes and not self.plain_names:
                if packed & 2:
                    scope = index.declared(entry, scope)
                if index.scoped:
                    index.scopes[entry] = scope
            mark = ord(text[content - 2])
        if self.plain_names:
            scope = PLAIN
        name = scope.element_name(raw)
        made = Element(name.local, None, FOLDER, name.namespace)
        made.source = self
        made.entry = entry
        made.changed = False
        if mark == _SLASH:
            if content > index.proven:
                index.prove(content)
            self._set_empty(made, has_attributes)
            parent.cursor = content
        else:
            if not has_attributes:
                made.cursor = content
            following: i64 = text.find("<", content)
            if following < 0:
                raise index.wrong()
            mark = ord(text[following + 1])
            if mark == _SLASH:
                # A simple element. Its end tag has the same name.
                behind = following + length + 2
                if ord(text[behind]) == _GREATER:
                    behind += 1
                else:
                    behind = text.find(">", behind) + 1
                    if behind == 0:
                        raise index.wrong()
                if behind > index.proven:
                    index.prove(behind)
                value = text[content:following]
                if index.has_references and "&" in value:
                    value = unescaped(value)
                if self.compact:
                    made.type = FIELD
                    made.pending = has_attributes
                else:
                    made.pending = True
                made.value = value
                if following == content and self.options.empty_is_null:
                    made.value = None
                parent.cursor = behind
            elif mark == _BANG or mark == _QUESTION:
                self._with_other_content(parent, made, index, content, has_attributes, scope)
            else:
                self._start_folder(parent, made, index, scope, content, following)
        if self.schema is not None:
            self._set_type(parent, made, index, has_attributes)
        if self.opaque and self.compact and made.name in self.options.opaque:
            self._set_opaque(made, index, entry, scope)
        parent.append_built(made)

    def _set_folder(self, parent: Element, made: Element, index: XmlIndex, scope: Scope) -> None:
        """Leave the content of an element with child elements to later calls."""
        last = parent.last
        # A sibling that is a folder was as deep, and in a short text nothing is too deep.
        is_first = last is None or last.type & KIND != FOLDER
        if is_first and len(index.text) > 3 * DEPTH_MAX and parent.depth() > DEPTH_MAX:
            raise malformed(f"elements are nested deeper than {DEPTH_MAX}", 0, 0, self.domain)
        if index.scoped and not self.plain_names:
            index.scopes[made.entry] = scope
        made.pending = True
        parent.cursor = -made.entry

    def _set_empty(self, made: Element, has_attributes: bool) -> None:
        """Set type and value of an element that is written as an empty-element tag."""
        if self.compact:
            made.type = FIELD
        made.pending = has_attributes
        if not self.options.empty_is_null:
            made.value = ""

    def _set_first_text(self, made: Element, raw: str) -> None:
        """Set the value of an element of XML or XMLNS to the text before its first child element."""
        if raw.strip(_WHITE):
            made.value = unescaped(raw) if "&" in raw else raw

    def _set_type(self, parent: Element, made: Element, index: XmlIndex, has_attributes: bool) -> None:
        """Give an element the type of the schema, and its text the type of the value."""
        schema = self.schema
        assert schema is not None
        known = schema.elements if parent.entry == 0 else self.typed.get(parent.entry)
        if known is None:
            return
        name = f"{{{made.namespace}}}{made.name}" if made.namespace else made.name
        found = known.children.get(name)
        if found is None and known.is_open:
            found = schema.elements.children.get(name)
        is_nil = False
        if has_attributes:
            scope = index.scope_of(made.entry)
            attributes = index.attributes(made.entry)
            for number in range(0, len(attributes), 3):
                attribute = scope.attribute_name(attributes[number])
                if attribute.namespace != XSI_NAMESPACE:
                    continue
                value = attributes[number + 1].strip(_WHITE)
                if attribute.local == "nil":
                    is_nil = value in ("true", "1")
                elif attribute.local == "type":
                    named = scope.element_name(value)
                    clark = f"{{{named.namespace}}}{named.local}" if named.namespace else named.local
                    found = schema.types.get(clark, found)
        if found is None:
            return
        self.typed[made.entry] = found
        if is_nil:
            made.value = None
        elif found.kind and isinstance(made.value, str) and made.type & KIND == NAME_VALUE:
            made.value = typed_value(found.kind, made.value)

    def _set_opaque(self, made: Element, index: XmlIndex, entry: int, scope: Scope) -> None:
        """Make an element one field with its XML as value, and with the namespaces that are in force declared on it."""
        made.type = BIT_STREAM
        made.pending = False
        made.source = None
        made.entry = 0
        made.value = self_contained(index, entry, scope)

    def _with_other_content(
        self, parent: Element, made: Element, index: XmlIndex, content: int, has_attributes: bool, scope: Scope
    ) -> None:
        """Build an element with content that begins with a comment, a CDATA section or a processing instruction."""
        text = index.text
        position = content
        while True:
            start = text.find("<", position)
            if start < 0:
                raise index.wrong()
            mark = ord(text[start + 1])
            if mark != _BANG and mark != _QUESTION:
                break
            position = index.other_end(start)
        if mark != _SLASH:
            index.prove(start + 2)
            self._set_folder(parent, made, index, scope)
            if not self.compact:
                made.value = first_text(text[content:start], False)
            return
        behind = text.find(">", start) + 1
        if behind == 0:
            raise index.wrong()
        index.prove(behind)
        parent.cursor = behind
        raw = text[content:start]
        if not self.compact:
            made.pending = True
            made.value = first_text(raw, True)
            return
        made.type = FIELD
        made.pending = has_attributes or self.options.comments or self.options.instructions
        if raw.startswith("<![CDATA[") and raw.find("]]>") == len(raw) - 3:
            value = raw[9:-3]
            if not self.generic:
                made.type = CDATA_FIELD
        else:
            value = text_of(raw)
        made.value = None if self.options.empty_is_null and not value else value

    def _append_text(self, element: Element, index: XmlIndex, start: int, end: int) -> None:
        """Append the text between two tags."""
        if end + 1 > index.proven:
            index.prove(end + 1)
        value = index.text[start:end]
        if self.compact:
            # The text of a simple element is its value.
            if not self.options.mixed or element.type & KIND == NAME_VALUE or not value.strip(_WHITE):
                return
        elif not value.strip(_WHITE):
            # White space that is all the content of an element is its text.
            is_all = element.cursor > 0 and element.value == value
            self._append_value(element, value, CONTENT if is_all else WHITE_SPACE)
            return
        if "&" not in value:
            self._append_value(element, value, CONTENT)
        elif index.doctype is None:
            self._append_value(element, unescaped(value), CONTENT)
        else:
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

    def _append_value(self, parent: Element, value: str, kind: int) -> None:
        made = Element("", value, kind)
        made.changed = False
        parent.append_built(made)

    def _append_other(self, parent: Element, index: XmlIndex, start: int) -> int:
        """Append the comment, CDATA section or processing instruction at `start`; return the offset behind it."""
        text = index.text
        behind = index.other_end(start)
        if behind > index.proven:
            index.prove(behind)
        made: Element
        if ord(text[start + 1]) == _QUESTION:
            if self.compact and not self.options.instructions:
                return behind
            end = behind - 2
            target = text[start + 2 : end]
            data = ""
            cut = index.name_end(start + 2)
            if cut < end:
                target = text[start + 2 : cut]
                data = text[cut:end].lstrip(_WHITE)
            made = Element(target.removesuffix("?"), data, PROCESSING_INSTRUCTION)
        elif ord(text[start + 2]) == _DASH:
            if self.compact and not self.options.comments:
                return behind
            made = Element("", text[start + 4 : behind - 3], COMMENT)
        else:
            if self.compact and (not self.options.mixed or parent.type & KIND == NAME_VALUE):
                return behind
            made = Element("", text[start + 9 : behind - 3], CDATA_CONTENT)
        if self.generic:
            made.type = made.type & KIND
        made.changed = False
        parent.append_built(made)
        return behind

    # Attributes.

    def _append_attributes(self, element: Element, index: XmlIndex, position: i64) -> i64:
        """Append all attributes and namespace declarations of an element; return the offset behind them.

        `position` is the offset behind the name of the tag.
        """
        text = index.text
        scope = PLAIN if self.plain_names else index.scope_of(element.entry)
        while True:
            mark = ord(text[position])
            while mark <= _SPACE:
                position += 1
                mark = ord(text[position])
            if mark == _GREATER or mark == _SLASH:
                return position
            begin = position
            while mark > _SPACE and mark != _EQUALS:
                position += 1
                mark = ord(text[position])
            raw = text[begin:position]
            while mark != _QUOTE and mark != _APOSTROPHE:
                position += 1
                mark = ord(text[position])
            begin = position + 1
            position = text.find('"' if mark == _QUOTE else "'", begin)
            if position < 0:
                raise index.wrong()
            value = text[begin:position]
            position += 1
            if (index.has_references and "&" in value) or "\n" in value or "\t" in value:
                value = attribute_value(value)
            self._append_attribute(element, scope, raw, value, mark == _QUOTE)

    def _append_attribute(self, element: Element, scope: Scope, raw: str, value: str, is_double: bool) -> None:
        """Append one attribute or namespace declaration."""
        name = scope.attribute_name(raw)
        made = Element(name.local, value, ATTRIBUTE if is_double else SINGLE_ATTRIBUTE, name.namespace)
        if name.namespace == XMLNS_NAMESPACE or raw == "xmlns":
            if not self.plain_names:
                made.type = NAMESPACE_DECL if is_double else SINGLE_NAMESPACE_DECL
        if self.schema is not None and made.type & 2 == 0:
            types = self.typed.get(element.entry)
            if types is not None:
                kind = types.attributes.get(f"{{{made.namespace}}}{made.name}" if made.namespace else made.name)
                if kind is not None and kind != 0:
                    made.value = typed_value(kind, value)
        if self.generic:
            made.type = NAME_VALUE
        made.changed = False
        element.append_built(made)


def build_tree(top: Element) -> None:
    """Build everything below an element; the document is proved first, in one piece."""
    source = top.source
    if isinstance(source, XmlSource):
        source.document.indexed().prove(-1)
    element = top
    while True:
        # In the order of the document: an element that was built is never stepped over by a scan.
        following = element.first_child()
        while following is None:
            if element is top:
                return
            following = element.next_sibling()
            if following is None:
                parent = element.parent
                assert parent is not None
                element = parent
        element = following


def text_of(content: str) -> str:
    """Return the text of the content of an element without child elements: CDATA joined in, comments left out."""
    return "".join(_texts(content))


def first_text(content: str, is_simple: bool) -> str | None:
    """Return the first text or CDATA section. White space counts only in an element without child elements."""
    for piece in _texts(content):
        if is_simple or piece.strip(_WHITE):
            return piece
    return "" if is_simple else None


def _texts(content: str) -> list[str]:
    """Return the texts and CDATA sections of content without child elements."""
    pieces: list[str] = []
    position = 0
    while True:
        start = content.find("<", position)
        piece = content[position:start] if start >= 0 else content[position:]
        if piece:
            pieces.append(unescaped(piece) if "&" in piece else piece)
        if start < 0:
            return pieces
        if ord(content[start + 1]) == _QUESTION:
            position = content.find("?>", start) + 2
        elif ord(content[start + 2]) == _DASH:
            position = content.find("-->", start + 4) + 3
        else:
            end = content.find("]]>", start)
            pieces.append(content[start + 9 : end])
            position = end + 3


def self_contained(index: XmlIndex, entry: int, scope: Scope) -> str:
    """Return the XML of an element with every namespace declaration that is in force around it."""
    text = index.text[entry - 1 : index.behind(entry)]
    declared = index.attributes(entry)[::3]
    cut = index.name_end(entry) - entry + 1
    pieces: list[str] = [text[:cut]]
    for prefix, namespace in scope.effective().items():
        name = "xmlns:" + prefix if prefix else "xmlns"
        if name not in declared and namespace:
            escaped = namespace.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
            pieces.append(f' {name}="{escaped}"')
    pieces.append(text[cut:])
    return "".join(pieces)
