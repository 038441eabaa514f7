"""Write elements as JSON text.

    element                      text
    type JSON.Array              an array; the names of its children are ignored
    with children, or a folder   an object; siblings of one name give a name twice
    INTEGER, BOOLEAN, NULL       42, true, null
    FLOAT                        1.5E+0, as the product writes it
    DECIMAL                      its digits with their scale; NaN and Infinity are refused
    CHARACTER                    a string; / is written as \\/ (switch json_escape_slash)
    BLOB, BIT                    a string of hexadecimal digits, of 0 and 1
    DATE, TIME, TIMESTAMP ...    a string, as CAST to CHARACTER without FORMAT writes it

An element that agrees with its source is written from the original text, so numbers keep their digits and strings
their escapes. Nothing here recurses. The module is compiled by mypyc.
"""

from __future__ import annotations

from decimal import Decimal
from json.encoder import encode_basestring
from typing import Final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.formats.json_scan import JsonSource
from flintmq.broker.tree.element import DEPTH_MAX, Element
from flintmq.broker.tree.types import JSON_ARRAY, KIND, NAME
from flintmq.broker.values import Bit, Date, Interval, Time, Timestamp, decimal_text, float_text

#: The number of a tree that has no JSON text. Its cause says which element and why.
WRITING: Final = 5706


def write_value(top: Element, parts: list[str], slash: bool) -> None:
    """Append the text of the value of `top`, with all that is below it. Raises BIP 5706."""
    element = top
    depth = 0
    while True:
        source = element.source
        first: Element | None = None
        if not element.changed and isinstance(source, JsonSource) and _is_value(element, source):
            parts.append(source.original(element))
        else:
            first = element.first_child()
            if first is None:
                parts.append(_leaf_text(element, slash))
        if first is not None:
            depth += 1
            if depth > DEPTH_MAX:
                raise writing_error(element, f"elements are nested more than {DEPTH_MAX} deep")
            if element.type == JSON_ARRAY:
                parts.append("[")
            else:
                parts.append("{")
                parts.append(quoted(first.name, slash))
                parts.append(":")
            element = first
            continue
        # Behind a value: the next sibling, or the end of the folder.
        while True:
            if element is top:
                return
            parent = element.parent
            assert parent is not None
            following = element.next_sibling()
            if following is not None:
                parts.append(",")
                if parent.type != JSON_ARRAY:
                    parts.append(quoted(following.name, slash))
                    parts.append(":")
                element = following
                break
            parts.append("]" if parent.type == JSON_ARRAY else "}")
            depth -= 1
            element = parent


def _is_value(element: Element, source: JsonSource) -> bool:
    """Return whether the source has the text of this value with the brackets that its type asks for."""
    entry = element.entry
    if entry < 0:
        return True
    return entry > 0 and (source.text[source.starts[entry - 1]] == "[") == (element.type == JSON_ARRAY)


def quoted(text: str, slash: bool) -> str:
    """Return a string with quotation marks and escapes."""
    made: str = encode_basestring(text)
    if slash and "/" in made:
        return made.replace("/", "\\/")
    return made


def _leaf_text(element: Element, slash: bool) -> str:
    """Return the text of an element without children."""
    value = element.value
    if isinstance(value, str):
        return quoted(value, slash)
    if value is None:
        if element.type == JSON_ARRAY:
            return "[]"
        return "{}" if element.type & KIND == NAME else "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if value - value != 0.0:
            raise writing_error(element, f"JSON has no number {float_text(value)}")
        text = float_text(value)
        return text if "." in text else text.replace("E", ".0E")
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise writing_error(element, f"JSON has no number {decimal_text(value)}")
        return decimal_text(value)
    if isinstance(value, bytes):
        return f'"{value.hex()}"'
    if isinstance(value, Bit):
        return f'"{value.bits()}"'
    if isinstance(value, (Date, Time, Timestamp, Interval)):
        return f'"{value}"'
    raise writing_error(element, f"a value of type {type(value).__name__} has no JSON text")


def writing_error(element: Element, reason: str) -> BrokerError:
    """Return BIP 5706 for an element, with its path."""
    names: list[str] = []
    at: Element | None = element
    while at is not None and len(names) < 20:
        names.append(at.name)
        at = at.parent
    names.reverse()
    path = ".".join(names)
    return parser_error(WRITING, path, reason, text=f"{path} cannot be written as JSON: {reason}")
