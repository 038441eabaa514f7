"""Records of a file: how FileInput and FileRead cut a file, and how FileOutput joins records.

wholeFile              the file is one record
fixedLength            records of `recordLength` bytes; the last one may be shorter
delimited              a line end (LF or CR LF) or `customDelimiter` (hexadecimal) ends each record (postfix) or
                       stands between two (infix: a file that ends with a delimiter has an empty last record)
parsedRecordSequence   the parser of the node says where a record ends: documents of XML and JSON, messages of MRM
                       and DFDL
"""

from __future__ import annotations

import json
import pyexpat
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.flow.engine import NodeProblem, RuntimeNode
from flintmq.broker.formats.model.read import Reader
from flintmq.broker.formats.model.source import ModelSource
from flintmq.broker.formats.registry import Context, format_of
from flintmq.broker.tree.element import Element

_LINE_END: Final = re.compile(rb"\r?\n")
_XML_DOMAINS: Final = ("XMLNSC", "XMLNS", "XML", "SOAP")
_NOT_PARSED: Final = 3317
_BLANKS: Final = b" \t\r\n"
_PIECE: Final = 4096
_WINDOW: Final = 65536


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its bytes, where it starts in the file, and the delimiter that ended it."""

    data: bytes
    offset: int
    delimiter: bytes = b""


@dataclass(frozen=True, slots=True)
class RecordRules:
    """How a node cuts a file or joins records."""

    detection: str = "wholeFile"
    length: int = 80
    #: None = a line end of either kind.
    delimiter: bytes | None = None
    infix: bool = False
    skip_first: bool = False

    @property
    def separator(self) -> bytes:
        """Return the delimiter that an output node writes."""
        return b"\n" if self.delimiter is None else self.delimiter


def rules_of(node: RuntimeNode, name: str, properties: Mapping[str, str]) -> RecordRules:
    """Return the rules that the properties of a node say; `name` is recordDetection or recordDefinition."""
    detection = node.text(name, "wholeFile")
    delimiter: bytes | None = None
    custom = node.text("customDelimiter")
    if custom and node.text("recordDelimiter") in ("customDelimiter", "custom", ""):
        delimiter = hex_bytes(node, "customDelimiter", custom)
    length = int(node.number("recordLength", 80))
    if detection == "fixedLength" and length < 1:
        raise NodeProblem(f"{node.label}: recordLength is {length}; a record has at least one byte")
    if detection == "delimited" and delimiter == b"":
        raise NodeProblem(f"{node.label}: customDelimiter is empty")
    return RecordRules(
        detection, length, delimiter, node.text("delimiterType", "postfix") == "infix", node.flag("skipFirstRecord")
    )


def hex_bytes(node: RuntimeNode, name: str, text: str) -> bytes:
    """Return the bytes of a property in hexadecimal; raise NodeProblem if it is none."""
    try:
        return bytes.fromhex(text.removeprefix("0x").removeprefix("0X"))
    except ValueError:
        raise NodeProblem(f"{node.label}: {name} is {text!r}, which is not hexadecimal") from None


def records(rules: RecordRules, data: bytes, domain: str, context: Context) -> Iterator[Record]:
    """Yield the records of a file. Raise a BrokerError where a parsed record cannot be read."""
    found = _cut(rules, data, domain, context)
    if rules.skip_first:
        next(found, None)
    yield from found


def _cut(rules: RecordRules, data: bytes, domain: str, context: Context) -> Iterator[Record]:
    if rules.detection == "fixedLength":
        for start in range(0, len(data), rules.length):
            yield Record(data[start : start + rules.length], start)
    elif rules.detection == "delimited":
        yield from _delimited(rules, data)
    elif rules.detection == "parsedRecordSequence":
        yield from _parsed(data, domain, context)
    else:
        yield Record(data, 0)


def _delimited(rules: RecordRules, data: bytes) -> Iterator[Record]:
    start = 0
    pattern = _LINE_END if rules.delimiter is None else re.compile(re.escape(rules.delimiter))
    for found in pattern.finditer(data):
        yield Record(data[start : found.start()], start, found.group())
        start = found.end()
    if start < len(data) or (rules.infix and data):
        yield Record(data[start:], start)


def _parsed(data: bytes, domain: str, context: Context) -> Iterator[Record]:
    if domain in _XML_DOMAINS:
        yield from _documents(data)
    elif domain == "JSON":
        yield from _json_texts(data)
    elif domain in ("", "BLOB"):
        raise parser_error(
            _NOT_PARSED, domain, text="a BLOB has no end that a parser could find; choose another message domain"
        )
    else:
        yield from _messages(data, domain, context)


class _RootEnds(Exception):
    """The root element is complete."""


def _documents(data: bytes) -> Iterator[Record]:
    """Yield the documents of XML that follow each other."""
    start = _skip_blanks(data, 0)
    while start < len(data):
        end = _document_end(data, start)
        yield Record(data[start:end], start)
        start = _skip_blanks(data, end)


def _skip_blanks(data: bytes, place: int) -> int:
    while place < len(data) and data[place] in _BLANKS:
        place += 1
    return place


def _document_end(data: bytes, start: int) -> int:
    """Return where the document that starts at a place ends."""
    parser = pyexpat.ParserCreate()
    depth = 0
    end = 0

    def opened(name: str, attributes: object) -> None:
        nonlocal depth
        depth += 1

    def closed(name: str) -> None:
        nonlocal depth, end
        depth -= 1
        if depth == 0:
            # The index is that of the end tag; behind an empty element it is the end.
            end = start + parser.CurrentByteIndex
            if data[end : end + 4].replace(b"\0", b"").startswith(b"</"):
                end = data.index(b">", end) + (2 if data[start : start + 2] == b"\xff\xfe" else 1)
            raise _RootEnds

    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    try:
        # In small pieces: what follows the document is not read.
        for place in range(start, len(data), _PIECE):
            parser.Parse(data[place : place + _PIECE], False)
        parser.Parse(b"", True)
    except _RootEnds:
        return end
    except (pyexpat.ExpatError, ValueError, LookupError) as error:  # LookupError: Python has no such encoding.
        raise parser_error(5004, text=f"the record at offset {start} is not well-formed XML: {error}") from None
    raise parser_error(5004, text=f"the record at offset {start} is not well-formed XML")


def _json_texts(data: bytes) -> Iterator[Record]:
    """Yield the values of JSON that follow each other."""
    decoder = json.JSONDecoder()
    place = offset = 0
    try:
        text = data.decode("utf-8")
        while True:
            start = place
            while place < len(text) and text[place] in " \t\r\n":
                place += 1
            offset += place - start
            if place == len(text):
                return
            _, end = decoder.raw_decode(text, place)
            record = text[place:end].encode("utf-8")
            yield Record(record, offset)
            offset += len(record)
            place = end
    except (ValueError, RecursionError) as error:
        raise parser_error(5705, text=f"the record at offset {offset} is not JSON: {error}") from None


def _messages(data: bytes, domain: str, context: Context) -> Iterator[Record]:
    """Yield the messages of a model that follow each other."""
    start = 0
    while start < len(data):
        length = _message_length(data, start, domain, context)
        if length <= 0:
            raise parser_error(
                _NOT_PARSED, domain, start, text=f"the record at offset {start} has no bytes, so the file never ends"
            )
        yield Record(data[start : start + length], start)
        start += length


def _message_length(data: bytes, start: int, domain: str, context: Context) -> int:
    """Return the length of the message at a place. A window grows until the message ends inside it."""
    size = _WINDOW
    while True:
        window = data[start : start + size]
        whole = start + size >= len(data)
        source = format_of(domain).parse(window, context).source
        if not isinstance(source, ModelSource):
            raise parser_error(_NOT_PARSED, domain, text=f"the domain {domain} cannot say where a record ends")
        plan = source.plan()
        reader = Reader(plan, window)
        reader.start_variables()
        good = reader.read_term(plan.root, Element(""), plan.scope, True)
        if good and (whole or reader.pos < len(window)):
            return reader.pos + (1 if reader.bit else 0)
        if whole:
            raise reader.error()
        size *= 4


def joined(rules: RecordRules, data: bytes, padding: bytes, label: str) -> bytes:
    """Return a record as an output node writes it, without the separator of infix delimiters."""
    if rules.detection == "fixedLength":
        if len(data) > rules.length:
            raise BrokerError(
                3314,
                f"the record has {len(data)} bytes, and recordLength is {rules.length}",
                inserts=(label, len(data), rules.length),
            )
        missing = rules.length - len(data)
        return data + (padding * (missing // max(1, len(padding)) + 1))[:missing]
    if rules.detection == "delimited" and not rules.infix:
        return data + rules.separator
    return data
