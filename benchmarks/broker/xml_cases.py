"""Cases of `bench flow` that read XML: nothing touched, one field near the front, the whole tree.

    xml_all_SIZE         the full tree of a message; floor: lxml parses, Python walks it into the same tree
    xml_front_SIZE       one field near the front; floor: our full tree of the same message
    xml_untouched_SIZE   parsed and written, no element asked for; floor: the same with 1 KiB

The message has the shape of the report's, and more elements the larger it is: about 180 elements and attributes in
4 KiB. Trees are taken apart at the end on both sides, so that no figure depends on when the collector runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lxml import etree

from flintmq.broker.formats import Context, format_of
from flintmq.broker.formats.xml_source import build_tree
from flintmq.broker.tree.element import Element, Step, release_tree, walk
from flintmq.broker.tree.types import ATTRIBUTE, FIELD, FOLDER, NAME

SIZES = {"1k": 1024, "4k": 4096, "16k": 16_384, "64k": 65_536}
FRONT = [Step(name) for name in ("CSIM", "TestCase", "Stack", "ProcessingPath", "Element", "COMPONENT")]


@dataclass(slots=True)
class XmlCase:
    """A figure: what is measured, and its floor."""

    name: str
    work: Callable[[], object]
    floor: Callable[[], object]


def document(size: int) -> bytes:
    """Return a message of about `size` bytes."""
    start = '<?xml version="1.0"?><CSIM><TestCase><Name>case</Name><Stack><ProcessingPath>'
    end = "</ProcessingPath></Stack></TestCase></CSIM>"
    parts = [start]
    left = size - len(start) - len(end)
    number = 0
    while left > 0:
        number += 1
        parts.append(
            f'<Element Seq="{number}"><COMPONENT>Component{number:04d}</COMPONENT>'
            f"<QUEUE>QUEUE.NUMBER.{number:04d}</QUEUE><TYPE>A</TYPE></Element>"
        )
        left -= len(parts[-1])
    return ("".join(parts) + end).encode()


def full_tree(body: bytes) -> None:
    """Build the whole tree of a message."""
    folder = format_of("XMLNSC").parse(body, Context())
    build_tree(folder)
    release_tree(folder)


def floor_tree(body: bytes) -> None:
    """Build the same tree from lxml's, by hand."""
    folder = Element("XMLNSC", None, NAME)
    folder.domain = "XMLNSC"
    _floor_element(folder, etree.fromstring(body))
    release_tree(folder)


def _floor_element(parent: Element, node: Any) -> None:
    tag = node.tag
    namespace = ""
    if tag[0] == "{":
        namespace, tag = tag[1:].split("}", 1)
    is_folder = len(node) > 0
    made = Element(tag, None if is_folder else node.text or "", FOLDER if is_folder else FIELD, namespace)
    parent.append_built(made)
    for name, value in node.attrib.items():
        namespace = ""
        if name[0] == "{":
            namespace, name = name[1:].split("}", 1)
        made.append_built(Element(name, value, ATTRIBUTE, namespace))
    for child in node:
        _floor_element(made, child)


def front_field(body: bytes) -> object:
    """Read one field near the front."""
    folder = format_of("XMLNSC").parse(body, Context())
    found = walk(folder, FRONT)
    assert found is not None
    value = found.value
    release_tree(folder)
    return value


def untouched(body: bytes) -> bytes:
    """Parse and write a message without asking for an element."""
    xml = format_of("XMLNSC")
    return xml.write(xml.parse(body, Context()), Context())


def cases() -> list[XmlCase]:
    """Return the cases of all sizes."""
    found: list[XmlCase] = []
    smallest = document(SIZES["1k"])
    for name, size in SIZES.items():
        body = document(size)
        assert front_field(body) == "Component0001" and untouched(body) is body
        found += [
            XmlCase(f"xml_all_{name}", _bound(full_tree, body), _bound(floor_tree, body)),
            XmlCase(f"xml_front_{name}", _bound(front_field, body), _bound(full_tree, body)),
            XmlCase(f"xml_untouched_{name}", _bound(untouched, body), _bound(untouched, smallest)),
        ]
    return found


def _bound(work: Callable[[bytes], object], body: bytes) -> Callable[[], object]:
    def run() -> object:
        return work(body)

    return run
