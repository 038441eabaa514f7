"""Compare our trees of XML documents with lxml's, and write them in the canonical form of the W3C test-suite."""

from __future__ import annotations

from typing import Any

from flintmq.broker.formats import Context, format_of
from flintmq.broker.formats.xml_source import build_tree
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.types import (
    CDATA_CONTENT,
    COMMENT,
    CONTENT,
    DOCUMENT_TYPE,
    ENTITY_REFERENCE,
    KIND,
    PROCESSING_INSTRUCTION,
    VALUE,
    WHITE_SPACE,
    XML_DECLARATION,
)

#: Name with namespace, attributes by name, content: texts, elements, ('!', comment) and ('?', target, data).
Node = tuple[str, dict[str, str], list[Any]]


def read(body: bytes, domain: str, ccsid: int = 1208) -> Element:
    """Return the whole tree of a document."""
    folder = format_of(domain).parse(body, Context(ccsid=ccsid))
    build_tree(folder)
    return folder


def is_attribute(element: Element) -> bool:
    return element.type & ~3 == 0x03000100


def is_declaration(element: Element) -> bool:
    return is_attribute(element) and element.type & 2 != 0


def clark(namespace: str, name: str) -> str:
    return f"{{{namespace}}}{name}" if namespace else name


def our_document(folder: Element) -> list[Any]:
    """Return the root element and what is around it, of a tree of XMLNS."""
    return [node for child in folder.children() if (node := _our_node(child)) is not None]


def _our_node(element: Element) -> Any:
    kind = element.type
    if kind in (XML_DECLARATION, DOCUMENT_TYPE) or (kind == WHITE_SPACE and _is_outside(element)):
        return None
    if kind == COMMENT:
        return ("!", element.value)
    if kind == PROCESSING_INSTRUCTION:
        return ("?", element.name, element.value)
    if kind in (CONTENT, WHITE_SPACE, CDATA_CONTENT):
        return element.value
    if kind == ENTITY_REFERENCE:
        return ("&", element.value)
    assert kind & KIND != VALUE
    attributes: dict[str, str] = {}
    content: list[Any] = []
    for child in element.children():
        if is_attribute(child):
            if not is_declaration(child):
                assert isinstance(child.value, str)
                attributes[clark(child.namespace, child.name)] = child.value
            continue
        node = _our_node(child)
        if isinstance(node, str) and content and isinstance(content[-1], str):
            content[-1] += node
        elif node != "":
            content.append(node)
    return (clark(element.namespace, element.name), attributes, content)


def _is_outside(element: Element) -> bool:
    return element.parent is None or element.parent.domain != ""


def lxml_document(root: Any) -> list[Any]:
    """Return the same of a document that lxml has read."""
    before = [_lxml_node(node) for node in root.itersiblings(preceding=True)][::-1]
    return [*before, _lxml_node(root), *(_lxml_node(node) for node in root.itersiblings())]


def _lxml_node(node: Any) -> Any:
    from lxml import etree

    if node.tag is etree.Comment:
        return ("!", node.text or "")
    if node.tag is etree.ProcessingInstruction:
        return ("?", node.target, node.text or "")
    if node.tag is etree.Entity:
        return ("&", node.name)
    content: list[Any] = [node.text] if node.text else []
    for child in node:
        content.append(_lxml_node(child))
        if child.tail:
            content.append(child.tail)
    return (node.tag, dict(node.attrib), content)


def canonical(folder: Element) -> str:
    """Return a tree of the domain XML in the first canonical form of the W3C test-suite (sun/cxml.html)."""
    return "".join(_canonical(child) for child in folder.children())


def _canonical(element: Element) -> str:
    kind = element.type
    if kind in (XML_DECLARATION, DOCUMENT_TYPE, COMMENT) or (kind == WHITE_SPACE and _is_outside(element)):
        return ""
    if kind == PROCESSING_INSTRUCTION:
        return f"<?{element.name} {element.value}?>"
    if kind & KIND == VALUE:
        return _escaped(str(element.value))
    attributes = sorted((child.name, str(child.value)) for child in element.children() if is_attribute(child))
    inside = "".join(_canonical(child) for child in element.children() if not is_attribute(child))
    tag = "".join(f' {name}="{_escaped(value)}"' for name, value in attributes)
    return f"<{element.name}{tag}>{inside}</{element.name}>"


def _escaped(text: str) -> str:
    for character, reference in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, reference)
    return text.replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")
