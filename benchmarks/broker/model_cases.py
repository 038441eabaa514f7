"""Cases of `bench flow` that build the full tree of a message of 4 KiB in CWF, TDS and JSON.

    cwf_4k    170 records of a text, a double and an integer, fixed lengths; floor: struct.unpack
    tds_4k    the same kinds of fields as delimited text; floor: str.split and a conversion per field
    json_4k   an array of objects with text, number, boolean and a nested array; floor: json.loads

The floors put what they read into the same tree of elements. Trees are taken apart at the end on both sides, so that no
figure depends on when the collector runs.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass

from flintmq.broker.formats.model_yaml import from_yaml
from flintmq.broker.formats.registry import Context, format_of
from flintmq.broker.tree.element import Element, release_tree
from flintmq.broker.tree.types import NAME, NAME_VALUE

MESSAGE_BYTES = 4096
JSON_ARRAY = 0x01001000
_KINDS: tuple[type[str], type[float], type[int]] = (str, float, int)
_TYPES = {str: ("string", 12), float: ("double", 8), int: ("int", 4)}


@dataclass(slots=True)
class ModelCase:
    """A figure: what is measured, and its floor."""

    name: str
    work: Callable[[], int]
    floor: Callable[[], int]


def names(records: int) -> list[str]:
    """Return the names of the fields of a message."""
    return [f"{word}{number:03d}" for number in range(1, records + 1) for word in ("Text", "Float", "Int")]


def values(records: int) -> list[str | float | int]:
    """Return the values of the fields."""
    found: list[str | float | int] = []
    for number in range(1, records + 1):
        found += [f"text {number:07d}", number * 12.5, number * 7919]
    return found


def definition(records: int) -> str:
    """Return the message set as YAML."""
    lines = [
        "message_set: Parse",
        "formats:",
        "  CWF1: {kind: CWF}",
        "  TDS1: {kind: TDS, delimiter: ';'}",
        "messages:",
        "  Message:",
        "    TDS1: {dataElementSeparation: AllElementsDelimited}",
        "    elements:",
    ]
    for number, name in enumerate(names(records)):
        type_name, length = _TYPES[_KINDS[number % 3]]
        lines.append(f"      - {name}: {{type: {type_name}, CWF1: {{length: {length}}}}}")
    return "\n".join(lines) + "\n"


def full_tree(domain: str, body: bytes, context: Context) -> int:
    """Build the whole tree of a message; return how many elements it has."""
    folder = format_of(domain).parse(body, context)
    count = 0
    work = [folder]
    while work:
        child = work.pop().first_child()
        while child is not None:
            count += 1
            if child.pending or child.first is not None:
                work.append(child)
            child = child.next_sibling()
    release_tree(folder)
    return count


def model_case(name: str, format: str, records: int, body: bytes, read: Callable[[bytes], list[object]]) -> ModelCase:
    """Return the case of a message set, with a floor that reads the fields by hand."""
    model = from_yaml(definition(records))
    context = Context(
        ccsid=1208,
        encoding=273,
        message_set="Parse",
        message_type="Message",
        message_format=format,
        models=lambda _: model,
    )
    fields = names(records)

    def floor() -> int:
        folder = Element("MRM", None, NAME)
        count = 0
        for field, value in zip(fields, read(body), strict=True):
            folder.append_built(Element(field, value, NAME_VALUE))
            count += 1
        release_tree(folder)
        return count

    return ModelCase(name, lambda: full_tree("MRM", body, context), floor)


def cwf_case() -> ModelCase:
    """Return the case of fixed lengths."""
    layout = struct.Struct(">" + "12sdi" * 170)
    packed = [value.encode() if isinstance(value, str) else value for value in values(170)]

    def read(body: bytes) -> list[object]:
        return [value.decode().rstrip(" ") if isinstance(value, bytes) else value for value in layout.unpack(body)]

    return model_case("cwf_4k", "CWF1", 170, layout.pack(*packed), read)


def tds_case() -> ModelCase:
    """Return the case of delimited text."""
    records = 150
    body = ";".join(str(value) for value in values(records)).encode()

    def read(data: bytes) -> list[object]:
        return [_KINDS[number % 3](text) for number, text in enumerate(data.decode().split(";"))]

    return model_case("tds_4k", "TDS1", records, body, read)


def json_body() -> bytes:
    """Return the message of JSON."""
    rows: list[object] = []
    while len(json.dumps(rows)) < MESSAGE_BYTES - 100:
        number = len(rows) + 1
        rows.append({"name": f"name {number}", "price": number * 12.5, "open": number % 2 == 0, "tags": ["a", "b"]})
    return json.dumps({"rows": rows}).encode()


def json_case() -> ModelCase:
    """Return the case of JSON."""
    body = json_body()

    def floor() -> int:
        folder = Element("JSON", None, NAME)
        folder.domain = "JSON"
        count = json_element(folder, "Data", json.loads(body))
        release_tree(folder)
        return count

    return ModelCase("json_4k", lambda: full_tree("JSON", body, Context()), floor)


def json_element(parent: Element, name: str, value: object) -> int:
    """Append a value of JSON as elements; return how many."""
    count = 1
    if isinstance(value, dict):
        made = Element(name, None, NAME)
        for key, item in value.items():
            count += json_element(made, key, item)
    elif isinstance(value, list):
        made = Element(name, None, JSON_ARRAY)
        for item in value:
            count += json_element(made, "Item", item)
    else:
        made = Element(name, value, NAME_VALUE)
    parent.append_built(made)
    return count


def cases() -> list[ModelCase]:
    """Return the cases. Both sides of each must build as many elements."""
    found = [cwf_case(), tds_case(), json_case()]
    for case in found:
        assert case.work() == case.floor(), (case.name, case.work(), case.floor())
    return found
