"""The XML wire format of MRM: XML documents and typed trees, by the model of a message set (MF 4.5).

The document is read by the reader of XMLNSC; the model gives names, types and order:

    render                 <X> has the field A with the value v        told by
    XMLElement             <A>v</A>                                    name
    XMLAttribute           <X A="v">                                   name of the attribute
    XMLElementAttrID       <Field id="A">v</Field>                     name and identifying attribute
    XMLElementAttrVal      <A val="v"/>                                name
    XMLElementAttrIDVal    <Field id="A" val="v"/>                     name and identifying attribute

NULL, for fields that may be NULL, by *Encoding Null* of the message set, one for numbers and one for all else:

    NULLEmpty (default)    <A/>                    NULLValueAttribute   the value attribute is missing
    NULLValue              <A>zzz</A>              NULLAttribute        <A null="true"/>
    NULLXMLSchema          <A xsi:nil="true"/>     NULLElement          <A><null/></A>

Elements are told by their names wherever they stand; an element that the model lacks is an error, unless the group has
open content. The writer writes children in the order of the tree, and nothing for missing elements. Start and end tags
are texts that were made when the message was bound to its format; namespaces are declared on the first element.

A plan never changes after it is made. Reading and writing use stacks of their own: a recursive type may be nested as
deep as `DEPTH_MAX` of the tree allows, not deeper. The module is written to be compiled by mypyc.
"""

from __future__ import annotations

from typing import Final, final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.formats.mrm_xml_plan import (
    ATTRIBUTE_RENDER,
    NULL_ATTRIBUTE,
    NULL_ELEMENT,
    NULL_EMPTY,
    NULL_SCHEMA,
    NULL_VALUE,
    NULL_VALUE_ATTRIBUTE,
    STRING,
    XSI,
    XmlContent,
    XmlNode,
    XmlPlan,
    XmlType,
)
from flintmq.broker.formats.xml_source import XmlDocument, XmlOptions, XmlSource
from flintmq.broker.formats.xml_text import codec_of, declared_name
from flintmq.broker.formats.xml_writer import XmlWriter, cdata, escaped, escaped_attribute
from flintmq.broker.tree.element import DEPTH_MAX, Element, Source
from flintmq.broker.tree.types import (
    ATTRIBUTE,
    DOCUMENT_TYPE,
    KIND,
    NAME,
    NAME_VALUE,
    NAMESPACE_DECL,
    SINGLE_ATTRIBUTE,
    VALUE,
    XML_DECLARATION,
)

#: Numbers of errors: what wraps them, a value, a name that is not in the model, a NULL that is not allowed.
READ: Final = 5285
WRITE: Final = 5286
BAD_VALUE: Final = 5505
UNKNOWN: Final = 5422
NOT_NILLABLE: Final = 5508
TOO_DEEP: Final = 5399


# Reading.


def read_error(plan: XmlPlan, number: int, element: Element | None, text: str) -> BrokerError:
    """Return the error of a document that does not fit its model."""
    path = path_of(element)
    cause = parser_error(number, path, text, text=f"{path}: {text}")
    name = plan.root.name
    return parser_error(READ, name, text=f"message {name} could not be read from XML", cause=cause)


def path_of(element: Element | None) -> str:
    """Return the path of an element for messages."""
    names: list[str] = []
    while element is not None and len(names) < 100:
        if element.name and not element.domain:
            names.append(element.name)
        element = element.parent
    names.reverse()
    return ".".join(names) or "the message"


def document_of(body: bytes, ccsid: int, encoding: int) -> Element:
    """Return the root element of a document as XMLNSC reads it. Raises a ParserException."""
    document = XmlDocument(body, codec_of(ccsid, encoding), ccsid, encoding, True, "MRM")
    folder = Element("XMLNSC", None, NAME)
    folder.domain = "XMLNSC"
    folder.source = XmlSource(document, "XMLNSC", XmlOptions())
    folder.changed = False
    folder.pending = True
    child = folder.first_child()
    while child is not None and (child.type == XML_DECLARATION or child.type == DOCUMENT_TYPE):
        child = child.next_sibling()
    if child is None:
        raise parser_error(READ, text="the XML document has no element")
    return child


def message_element(root: Element, root_tag: str) -> Element:
    """Return the element of the message: the root, or the child of the root tag."""
    if not root_tag:
        return root
    if root.name != root_tag.rpartition(":")[2]:
        raise parser_error(READ, root.name, text=f"the root element is {root.name}, and the format has {root_tag}")
    child = root.first_child()
    while child is not None and child.type & 0x00000100:
        child = child.next_sibling()
    if child is None:
        raise parser_error(READ, root.name, text=f"the root element {root.name} holds no message")
    return child


@final
class XmlReader:
    """Reads one document."""

    def __init__(self, plan: XmlPlan) -> None:
        self.plan: XmlPlan = plan
        self.entries: int = 0

    def read(self, root: Element) -> Element:
        """Return the message element with all below it. Raises a ParserException."""
        node = self.plan.root
        if root.name != node.xml_name or root.namespace != node.xml_namespace:
            raise read_error(self.plan, UNKNOWN, None, f"the message is {node.xml_name}, and the element {root.name}")
        top = self.element(node)
        work: list[tuple[Element, XmlNode, Element]] = [(root, node, top)]
        while work:
            source, node, made = work.pop()
            self.fill(source, node, made, work)
        return top

    def element(self, node: XmlNode) -> Element:
        """Return a new element of the tree."""
        if node.content is None:
            made = Element(node.name, None, NAME_VALUE, node.namespace)
        else:
            made = Element(node.name, None, NAME if node.value is None else NAME_VALUE, node.namespace)
            self.entries += 1
            made.entry = self.entries
        made.changed = False
        return made

    def fill(self, source: Element, node: XmlNode, made: Element, work: list[tuple[Element, XmlNode, Element]]) -> None:
        """Set value and children of an element from its XML."""
        content = node.content
        plain: str | None = source.value if isinstance(source.value, str) else None
        null_mark = False
        value_text: str | None = None
        waiting: list[tuple[Element, XmlNode, Element]] = []
        child = source.first_child()
        while child is not None:
            kind = child.type
            if kind & 0x03000100 == 0x03000100:
                text = child.value if isinstance(child.value, str) else ""
                if kind in (ATTRIBUTE, SINGLE_ATTRIBUTE):
                    handled = self.attribute(node, made, child, text)
                    if handled == 2:
                        null_mark = True
                    elif handled == 3:
                        value_text = text
                child = child.next_sibling()
                continue
            if kind & KIND == VALUE:
                child = child.next_sibling()
                continue
            member = self.member_of(content, child)
            if member is not None:
                inner = self.element(member)
                made.append_built(inner)
                if member.content is None:
                    # A field: nothing below it but attributes.
                    self.fill(child, member, inner, work)
                else:
                    waiting.append((child, member, inner))
            elif node.nillable and node.null == NULL_ELEMENT and child.name == node.null_value:
                null_mark = True
            elif content is not None and content.open:
                made.append_built(plain_copy(child))
            else:
                raise read_error(self.plan, UNKNOWN, made, f"element {child.name} is not in the model")
            child = child.next_sibling()
        waiting.reverse()
        work.extend(waiting)
        if node.value is not None:
            self.set_value(node, made, value_text if node.value_attribute else (plain or ""), null_mark)

    def attribute(self, node: XmlNode, made: Element, attribute: Element, text: str) -> int:
        """Take an attribute: 1 = done, 2 = it says NULL, 3 = it holds the value."""
        name = attribute.name
        namespace = attribute.namespace
        if namespace == XSI:
            if name == "nil":
                return 2 if text.strip() in ("true", "1") else 1
            return 1
        if node.value_attribute and name == node.value_attribute and not namespace:
            return 3
        if node.id_attribute and name == node.id_attribute and not namespace:
            return 1
        content = node.content
        if content is not None:
            member = content.attributes.get((name, namespace))
            if member is not None:
                inner = self.element(member)
                made.append_built(inner)
                self.set_value(member, inner, text, False)
                return 1
        if node.nillable and node.null == NULL_ATTRIBUTE and name == node.null_value:
            return 2 if text.strip() in ("true", "1") else 1
        if content is not None and content.open:
            extra = Element(name, text, NAME_VALUE, namespace)
            extra.changed = False
            made.append_built(extra)
            return 1
        raise read_error(self.plan, UNKNOWN, made, f"attribute {name} is not in the model")

    def member_of(self, content: XmlContent | None, child: Element) -> XmlNode | None:
        """Return the member that an element of XML is."""
        if content is None:
            return None
        nodes = content.elements.get((child.name, child.namespace))
        if nodes is None:
            return None
        if len(nodes) == 1 and not nodes[0].id_attribute:
            return nodes[0]
        without: XmlNode | None = None
        for node in nodes:
            if not node.id_attribute:
                without = node
                continue
            found = child.child(node.id_attribute)
            if found is not None and found.value == node.id_value:
                return node
        return without

    def set_value(self, node: XmlNode, made: Element, text: str | None, null_mark: bool) -> None:
        """Set the value of a field from its text; None = a value attribute is missing."""
        if null_mark:
            return
        if text is None:
            if node.nillable and node.null == NULL_VALUE_ATTRIBUTE:
                return
            text = ""
        if node.nillable:
            if node.null == NULL_EMPTY and not text:
                return
            if node.null == NULL_VALUE and text == node.null_value:
                return
        value = node.value
        assert value is not None
        try:
            made.value = value.read(text)
        except ValueError as error:
            raise read_error(self.plan, BAD_VALUE, made, str(error)) from None


def plain_copy(element: Element) -> Element:
    """Return an element of XML that the model does not know, as plain fields."""
    top = Element(element.name, element.value, element.type & KIND, element.namespace)
    top.changed = False
    work: list[tuple[Element, Element]] = [(element, top)]
    while work:
        source, made = work.pop()
        child = source.first_child()
        while child is not None:
            if child.type & KIND != VALUE and child.type != NAMESPACE_DECL:
                inner = Element(child.name, child.value, child.type & KIND, child.namespace)
                inner.changed = False
                made.append_built(inner)
                work.append((child, inner))
            child = child.next_sibling()
    return top


class XmlMessageSource(Source):
    """The bytes of a document, and the messages it may be."""

    def __init__(
        self, plans: dict[tuple[str, str], XmlPlan], body: bytes, ccsid: int, encoding: int, wrapped: bool
    ) -> None:
        super().__init__("MRM")
        #: The message element stands below the folder: an element that was written by itself.
        self.wrapped = wrapped
        self.plans = plans
        self.body = body
        self.ccsid = ccsid
        self.encoding = encoding
        self._structures: dict[int, Element] | None = None

    def plan_of(self, root: Element) -> XmlPlan:
        """Return the plan of the message that a document holds."""
        if len(self.plans) == 1:
            return next(iter(self.plans.values()))
        found = self.plans.get((root.name, root.namespace))
        if found is None:
            names = ", ".join(sorted(name for name, _ in self.plans)[:10])
            raise parser_error(
                READ, root.name, text=f"no message of the set has the XML name {root.name}; there are {names}"
            )
        return found

    def read(self) -> Element:
        """Return the message element of a new tree, with this source in every structure."""
        root = document_of(self.body, self.ccsid, self.encoding)
        first = next(iter(self.plans.values()))
        message = message_element(root, first.root_tag)
        top = XmlReader(self.plan_of(message)).read(message)
        work = [top]
        while work:
            structure = work.pop()
            structure.source = self
            child = structure.first
            while child is not None:
                if child.entry:
                    work.append(child)
                child = child.next
        return top

    def more(self, element: Element) -> None:
        """Read the message, or build the children of a part that was copied."""
        if element.entry == 0:
            top = self.read()
            element.pending = False
            if self.wrapped:
                element.append_built(top)
                return
            element.value = top.value
            child = top.first
            while child is not None:
                following = child.next
                child.next = None
                element.append_built(child)
                child = following
            return
        if self._structures is None:
            self._structures = {}
            work = [self.read()]
            while work:
                structure = work.pop()
                self._structures[structure.entry] = structure
                child = structure.first
                while child is not None:
                    if child.entry:
                        work.append(child)
                    child = child.next
        element.pending = False
        child = self._structures[element.entry].first
        while child is not None:
            made = plain_copy(child) if not child.entry else Element(child.name, child.value, child.type)
            made.namespace = child.namespace
            made.changed = False
            made.entry = child.entry
            if child.entry:
                made.source = self
                made.pending = child.first is not None
            element.append_built(made)
            child = child.next


# Writing.


@final
class XmlMessageWriter:
    """Writes one document."""

    def __init__(self, plan: XmlPlan) -> None:
        self.plan: XmlPlan = plan
        self.parts: list[str] = []

    def error(self, number: int, element: Element | None, text: str) -> BrokerError:
        """Return the error of a tree that does not fit its model."""
        path = path_of(element)
        cause = parser_error(number, path, text, text=f"{path}: {text}")
        name = self.plan.root.name
        return parser_error(WRITE, name, text=f"message {name} could not be written as XML", cause=cause)

    def write(self, folder: Element, codec: str) -> bytes:
        """Return the bytes of a body. Raises a ParserException."""
        plan = self.plan
        parts = self.parts
        if plan.declaration:
            encoding = f' encoding="{declared_name(codec)}"' if plan.declares_encoding else ""
            standalone = f' standalone="{plan.standalone}"' if plan.standalone else ""
            parts.append(f'<?xml version="{plan.version}"{encoding}{standalone}?>')
        if plan.doctype:
            parts.append(plan.doctype)
        declarations = plan.namespaces
        if plan.root_tag:
            parts.append(f"<{plan.root_tag}{declarations}>")
            declarations = ""
        self.message(folder, declarations)
        if plan.root_tag:
            parts.append(f"</{plan.root_tag}>")
        writer = XmlWriter("XMLNSC", codec)
        writer.parts = parts
        return writer.encoded()

    def message(self, folder: Element, declarations: str) -> None:
        """Write the message element and all below it."""
        parts = self.parts
        nodes: list[XmlNode] = []
        element = folder
        node = self.plan.root
        while True:
            child = self.open(node, element, declarations if element is folder else "")
            if child is not None:
                nodes.append(node)
                if len(nodes) > DEPTH_MAX:
                    raise self.error(TOO_DEEP, element, f"elements are nested deeper than {DEPTH_MAX}")
            while child is None:
                if element is folder:
                    return
                child = self.content_child(element.next_sibling(), nodes[-1].content)
                if child is None:
                    parts.append(nodes.pop().end)
                    parent = element.parent
                    assert parent is not None
                    element = parent
            found = self.node_of(child, nodes[-1].content)
            assert found is not None
            element = child
            node = found

    def content_child(self, child: Element | None, content: XmlContent | None) -> Element | None:
        """Return the first sibling from `child` on that is written as an element; unknown ones of open content here."""
        while child is not None:
            node = self.node_of(child, content)
            if node is None:
                if child.type & KIND == VALUE:
                    child = child.next_sibling()
                    continue
                if content is None or not content.open:
                    raise self.error(UNKNOWN, child, "it is not in the model of its structure")
                writer = XmlWriter("XMLNSC", "utf-8")
                writer.write_tree(child)
                self.parts.extend(writer.parts)
            elif node.render != ATTRIBUTE_RENDER:
                return child
            child = child.next_sibling()
        return None

    def node_of(self, child: Element, content: XmlContent | None) -> XmlNode | None:
        """Return the member that a child is."""
        return None if content is None else content.member(child.name, child.namespace)

    def open(self, node: XmlNode, element: Element, declarations: str) -> Element | None:
        """Write the start of an element, or all of it; return its first child that is content."""
        parts = self.parts
        content = node.content
        value = node.value
        parts.append(node.start)
        if declarations:
            parts.append(declarations)
        if content is not None and content.has_attributes:
            self.attributes(content, element)
        text = ""
        if value is not None:
            if element.value is None:
                text = self.null(node, element)
            elif node.value_attribute:
                parts.append(f' {node.value_attribute}="{escaped_attribute(self.text(node, value, element))}"')
            elif value.kind == STRING and isinstance(element.value, str):
                text = escaped(element.value)
            else:
                text = self.text(node, value, element)
                text = cdata(text) if value.cdata else escaped(text)
        before = len(parts)
        parts.append(">" + text)
        child = None if content is None else self.content_child(element.first_child(), content)
        if child is not None:
            return child
        if not text and len(parts) == before + 1:
            parts[before] = "/>"
        else:
            parts.append(node.end)
        return None

    def text(self, node: XmlNode, value: XmlType, element: Element) -> str:
        """Return the text of a value. Raises a ParserException."""
        try:
            return value.write(element.value)
        except (ValueError, TypeError) as error:
            raise self.error(BAD_VALUE, element, str(error)) from None

    def null(self, node: XmlNode, element: Element) -> str:
        """Write NULL, and return the text between the tags."""
        if not node.nillable:
            if node.content is not None:
                return ""
            raise self.error(NOT_NILLABLE, element, "it is NULL and its field has no null representation")
        null = node.null
        if null == NULL_VALUE:
            if node.value_attribute:
                self.parts.append(f' {node.value_attribute}="{escaped_attribute(node.null_value)}"')
                return ""
            return escaped(node.null_value)
        if null == NULL_SCHEMA:
            self.parts.append(' xsi:nil="true"')
        elif null == NULL_ATTRIBUTE:
            self.parts.append(f' {node.null_value}="true"')
        elif null == NULL_ELEMENT:
            return f"<{node.null_value}/>"
        return ""

    def attributes(self, content: XmlContent, element: Element) -> None:
        """Write the members that are attributes."""
        child = element.first_child()
        seen: set[str] = set()
        while child is not None:
            node = content.member(child.name, child.namespace)
            if node is not None and node.render == ATTRIBUTE_RENDER:
                if node.start in seen:
                    raise self.error(BAD_VALUE, child, "an attribute cannot repeat")
                seen.add(node.start)
                value = node.value
                assert value is not None
                if child.value is None:
                    if not node.nillable:
                        raise self.error(NOT_NILLABLE, child, "it is NULL and its field has no null representation")
                    text = node.null_value if node.null == NULL_VALUE else ""
                else:
                    text = self.text(node, value, child)
                self.parts.append(f'{node.start}{escaped_attribute(text)}"')
            child = child.next_sibling()


def write_xml(plan: XmlPlan, folder: Element, ccsid: int, encoding: int) -> bytes:
    """Return the document of a body. Raises a ParserException."""
    codec = codec_of(ccsid, encoding)
    if not codec:
        raise parser_error(WRITE, ccsid, text=f"there is no character set with CCSID {ccsid}")
    return XmlMessageWriter(plan).write(folder, codec)


def parse_xml(
    plans: dict[tuple[str, str], XmlPlan], body: bytes, ccsid: int, encoding: int, wrapped: bool = False
) -> Element:
    """Return the folder of a body that is an XML document; nothing is read yet."""
    folder = Element("MRM", None, NAME)
    folder.domain = "MRM"
    folder.source = XmlMessageSource(plans, body, ccsid, encoding, wrapped)
    folder.pending = True
    folder.changed = False
    return folder
