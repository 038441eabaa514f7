"""Cases of `bench flow` that convert a message between formats: the 4 x 4 matrix of the report (W11).

The message has 31 fields: ten strings of 12 characters, ten floats, ten integers, and text that fills it up to 4 KiB of
generic XML. Formats: `xml` (generic XML, read by XMLNSC), `cwf`, `mrmxml` and `tag` (tagged delimited TDS) of one
message set. A conversion parses the message, copies the tree as a Compute node does, and writes the copy in the other
format. From a format to itself one field is set on the way: an unchanged body would be passed on as bytes.

The floors do the same by hand: struct for CWF, split for TDS, lxml for XML, a dictionary in between.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lxml import etree

from flintmq.broker.formats.message_set import MessageSet
from flintmq.broker.formats.model_yaml import from_yaml
from flintmq.broker.formats.registry import Context, format_of
from flintmq.broker.tree.element import Element, copy_content
from flintmq.broker.tree.types import NAME

FORMATS = ("xml", "cwf", "mrmxml", "tag")
MESSAGE_BYTES = 4096
COUNT = 10
FILL = 3244

_NAMES = (
    [f"Text{number:02d}" for number in range(1, COUNT + 1)]
    + [f"Float{number:02d}" for number in range(1, COUNT + 1)]
    + [f"Int{number:02d}" for number in range(1, COUNT + 1)]
    + ["Fill"]
)
_KINDS = [str] * COUNT + [float] * COUNT + [int] * COUNT + [str]
_STRUCT = struct.Struct(">" + "12s" * COUNT + "d" * COUNT + "i" * COUNT + f"{FILL}s")
_TAGS = {f"{number:02d}": name for number, name in enumerate(_NAMES, 1)}
_NUMBERS = {name: tag for tag, name in _TAGS.items()}


def definition() -> str:
    """Return the message set as YAML."""
    lines = [
        "message_set: Report",
        "formats:",
        "  CWF1: {kind: CWF}",
        "  TDS1: {kind: TDS, delimiter: ';', tagDataSeparator: '='}",
        "  XML1: {kind: XML, suppressXMLDeclaration: true}",
        "messages:",
        "  Message:",
        "    TDS1: {dataElementSeparation: TaggedDelimited}",
        "    elements:",
    ]
    for name, kind in zip(_NAMES, _KINDS, strict=True):
        length = {str: FILL if name == "Fill" else 12, float: 8, int: 4}[kind]
        type_name = {str: "string", float: "double", int: "int"}[kind]
        tag = _NUMBERS[name]
        lines.append(f"      - {name}: {{type: {type_name}, CWF1: {{length: {length}}}, TDS1: {{tag: '{tag}'}}}}")
    return "\n".join(lines) + "\n"


def values() -> dict[str, Any]:
    """Return the fields of the message."""
    found: dict[str, Any] = {}
    for number in range(1, COUNT + 1):
        found[f"Text{number:02d}"] = f"text field{number:02d}"
    for number in range(1, COUNT + 1):
        found[f"Float{number:02d}"] = 1234.5678 * number - 5000.0
    for number in range(1, COUNT + 1):
        found[f"Int{number:02d}"] = 7919 * number * (-1) ** number
    pattern = "The quick brown fox jumps over the lazy dog, "
    # The last character is no blank: blanks at the end are padding in CWF.
    found["Fill"] = (pattern * (FILL // len(pattern) + 1))[: FILL - 1] + "."
    return found


class Converter:
    """Converts messages of one message set through the formats of the broker."""

    def __init__(self) -> None:
        self.set: MessageSet = from_yaml(definition())
        self.contexts = {
            "xml": Context(ccsid=1208, encoding=273),
            "cwf": self._context("CWF1"),
            "mrmxml": self._context("XML1"),
            "tag": self._context("TDS1"),
        }
        self.mrm = format_of("MRM")
        self.xml = format_of("XMLNSC")

    def _context(self, name: str) -> Context:
        return Context(
            ccsid=1208,
            encoding=273,
            message_set="Report",
            message_type="Message",
            message_format=name,
            models=self._model,
        )

    def _model(self, name: str) -> object:
        return self.set

    def parse(self, format: str, body: bytes) -> Element:
        """Return the body folder of a message."""
        return (self.xml if format == "xml" else self.mrm).parse(body, self.contexts[format])

    def fields(self, format: str, folder: Element) -> Element:
        """Return the element whose children are the fields."""
        if format != "xml":
            return folder
        top = folder.first_child()
        assert top is not None
        return top

    def convert(self, source: str, target: str, body: bytes) -> bytes:
        """Return a message in another format."""
        folder = self.parse(source, body)
        output = Element("XMLNSC" if target == "xml" else "MRM", None, NAME)
        output.domain = output.name
        into = output
        if target == "xml":
            into = output.append(Element("Message", None, NAME))
        copy_content(into, self.fields(source, folder))
        if source == target:
            last = into.last_child()
            assert last is not None
            last.set_value(last.value)
        return (self.xml if target == "xml" else self.mrm).write(output, self.contexts[target])

    def tree(self, format: str, body: bytes) -> list[tuple[str, object]]:
        """Return names and values of all fields; those of generic XML in the types of the model."""
        found: list[tuple[str, object]] = []
        for child in self.fields(format, self.parse(format, body)).children():
            kind = _KINDS[_NAMES.index(child.name)]
            value = child.value
            found.append((child.name, kind(value) if format == "xml" and isinstance(value, str) else value))
        return found


# By hand.


def read_xml(body: bytes) -> dict[str, Any]:
    root = etree.fromstring(body)
    return {child.tag: kind(child.text or "") for child, kind in zip(root, _KINDS, strict=True)}


def write_xml(fields: dict[str, Any]) -> bytes:
    root = etree.Element("Message")
    for name, value in fields.items():
        etree.SubElement(root, name).text = str(value)
    made = etree.tostring(root)
    assert isinstance(made, bytes)
    return made


def read_cwf(body: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in zip(_NAMES, _STRUCT.unpack(body), strict=True):
        found[name] = value.decode().rstrip(" ") if isinstance(value, bytes) else value
    return found


def write_cwf(fields: dict[str, Any]) -> bytes:
    texts = [fields[name].encode().ljust(12) for name in _NAMES[:COUNT]]
    numbers = [fields[name] for name in _NAMES[COUNT : 3 * COUNT]]
    return _STRUCT.pack(*texts, *numbers, fields["Fill"].encode().ljust(FILL))


def read_tag(body: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in body.decode().split(";"):
        tag, _, text = part.partition("=")
        index = int(tag) - 1
        found[_NAMES[index]] = _KINDS[index](text)
    return found


def write_tag(fields: dict[str, Any]) -> bytes:
    return ";".join(f"{_NUMBERS[name]}={value}" for name, value in fields.items()).encode()


READERS: dict[str, Callable[[bytes], dict[str, Any]]] = {
    "xml": read_xml,
    "cwf": read_cwf,
    "mrmxml": read_xml,
    "tag": read_tag,
}
WRITERS: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "xml": write_xml,
    "cwf": write_cwf,
    "mrmxml": write_xml,
    "tag": write_tag,
}


def by_hand(source: str, target: str, body: bytes) -> bytes:
    """Return a message in another format without the broker."""
    return WRITERS[target](READERS[source](body))


@dataclass(frozen=True)
class Case:
    """A conversion and its floor."""

    name: str
    work: Callable[[], bytes]
    floor: Callable[[], bytes]


def cases() -> list[Case]:
    """Return the 16 conversions."""
    converter = Converter()
    bodies = {format: WRITERS[format](values()) for format in FORMATS}
    return [_case(converter, source, target, bodies[source]) for source in FORMATS for target in FORMATS]


def _case(converter: Converter, source: str, target: str, body: bytes) -> Case:
    return Case(
        f"convert_{source}_{target}",
        lambda: converter.convert(source, target, body),
        lambda: by_hand(source, target, body),
    )
