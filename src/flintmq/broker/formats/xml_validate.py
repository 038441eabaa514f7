"""Validation of XML documents by the XML schemas of an application, with lxml.

    schemas = schemas_of(context)              the pool of schemas that the message set of a context names
    schemas.violations(document)               violations, with line and path
    validate_tree(folder, context)             raise 5009 -> 5026 for a body, whether it was changed or not

The schema of a document is the one that declares its root element. Imports and includes are found in the pool, by the
end of their location; nothing is ever read from a disk or a network. `xml_formats` calls this module when the options
of a node or of PARSE and ASBITSTREAM ask for it, and when trees get typed values (`xml_types`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.formats.registry import (
    VALIDATE_CONTENT,
    VALIDATE_EXCEPTION,
    VALIDATE_LOCAL_ERROR,
    VALIDATE_VALUE,
    Context,
    format_of,
)
from flintmq.broker.formats.xml_source import SchemaTypes
from flintmq.broker.formats.xml_types import TypeReader, clark, parse_schema
from flintmq.broker.tree.element import Element

#: Findings that an error lists. A document may break a rule in every line.
LISTED_MAX = 20

_KNOWN: weakref.WeakKeyDictionary[object, XmlSchemas] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule of a schema that a document breaks."""

    line: int
    path: str
    text: str


class XmlSchemas:
    """A pool of schemas: path to a function that reads the bytes."""

    def __init__(self, files: Mapping[str, Callable[[], bytes]]) -> None:
        self.files = {path: read for path, read in files.items() if path.endswith((".xsd", ".mxsd"))}
        self._types: SchemaTypes | None = None
        self._schemas: dict[str, Any] = {}
        self._roots: dict[str, str] | None = None

    def types(self) -> SchemaTypes:
        """Return the types that values of trees get."""
        if self._types is None:
            self._types = TypeReader(self.files).read()
        return self._types

    def violations(self, document: bytes) -> list[Violation]:
        """Return the violations of a well-formed document. Raise 5025 if no schema can be used for it."""
        from lxml import etree

        # The bytes are UTF-8, whatever the XML declaration says.
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, encoding="utf-8"
        )
        try:
            root = etree.fromstring(document, parser)
        except etree.XMLSyntaxError as error:
            return [Violation(error.lineno or 0, "/", str(error))]
        schema = self._schema_of(root.tag)
        if schema.validate(root):
            return []
        return [
            Violation(entry.line, entry.path or "/", entry.message) for entry in list(schema.error_log)[:LISTED_MAX]
        ]

    def _schema_of(self, root: str) -> Any:
        """Return the compiled schema that declares a root element."""
        if self._roots is None:
            self._roots = {}
            for path, read in self.files.items():
                schema = parse_schema(read(), path)
                namespace = schema.get("targetNamespace", "")
                for node in schema.iterfind("{http://www.w3.org/2001/XMLSchema}element"):
                    self._roots.setdefault(clark(namespace, node.get("name") or ""), path)
        declaring = self._roots.get(root)
        if declaring is None:
            known = ", ".join(sorted(self._roots)[:5]) or "none"
            raise parser_error(5025, root, text=f"no XML schema declares the root element {root}; declared: {known}")
        found = self._schemas.get(declaring)
        if found is None:
            found = self._compiled(declaring)
            self._schemas[declaring] = found
        return found

    def _compiled(self, path: str) -> Any:
        from lxml import etree

        files = self.files

        class Pool(etree.Resolver):  # type: ignore[misc]
            """Answers every request from the pool, so that none reaches a disk or a network."""

            def resolve(self, url: str, public_id: str, context: object) -> object:
                found = find_schema(files, url)
                if found is None:
                    return self.resolve_empty(context)
                return self.resolve_string(files[found](), context, base_url=found)

        try:
            return etree.XMLSchema(parse_schema(self.files[path](), path, Pool()))
        except etree.XMLSchemaParseError as error:
            raise parser_error(5025, path, str(error), text=f"the XML schema {path} cannot be used: {error}") from None


def find_schema(files: Mapping[str, object], location: str) -> str | None:
    """Return the path in a pool that a schema location means: the one that ends alike in most of its steps."""
    steps = [step for step in location.replace("\\", "/").split("/") if step not in ("", ".", "..")]
    best: tuple[int, str] | None = None
    for path in files:
        own = path.split("/")
        same = 0
        while same < min(len(own), len(steps)) and own[-1 - same] == steps[-1 - same]:
            same += 1
        if same and (best is None or same > best[0]):
            best = (same, path)
    return None if best is None else best[1]


def schemas_of(context: Context) -> XmlSchemas | None:
    """Return the pool of schemas that the message set or library of a context has; None if it has none."""
    model = None if context.models is None else context.models(context.message_set)
    if isinstance(model, XmlSchemas):
        return model
    files = getattr(model, "schemas", None)
    if model is None or not isinstance(files, Mapping):
        return None
    known = _KNOWN.get(model)
    if known is None:
        known = XmlSchemas(files)
        _KNOWN[model] = known
    return known


def wants_validation(options: int) -> bool:
    """Return whether the options of a node, of PARSE or of ASBITSTREAM ask for content or values to be checked."""
    return options & (VALIDATE_CONTENT | VALIDATE_VALUE) != 0


def check_document(document: bytes, context: Context) -> None:
    """Raise 5009 -> 5026 if a document in UTF-8 is not valid. ValidateLocalError alone checks, and raises nothing."""
    schemas = schemas_of(context)
    if schemas is None:
        raise parser_error(
            5025,
            context.message_set,
            text=f"validation needs XML schemas, and {context.message_set or 'the application'} has none",
        )
    found = schemas.violations(document)
    action = context.options & (VALIDATE_EXCEPTION | VALIDATE_LOCAL_ERROR)
    if found and action != VALIDATE_LOCAL_ERROR:
        only_first = action != VALIDATE_EXCEPTION | VALIDATE_LOCAL_ERROR
        raise validation_error(found[:1] if only_first else found)


def validation_error(found: list[Violation]) -> BrokerError:
    """Return 5009 with one 5026 for each finding, the first outermost."""
    cause: BrokerError | None = None
    for violation in reversed(found):
        where = f"line {violation.line}, {violation.path}"
        cause = parser_error(
            5026, violation.text, violation.line, violation.path, text=f"{violation.text} ({where})", cause=cause
        )
    return parser_error(5009, text="the XML document is not valid", cause=cause)


def validate_tree(body: Element, context: Context) -> None:
    """Raise 5009 -> 5026 if a body of XMLNSC, XMLNS, XML or SOAP is not valid as it would be written now."""
    plain = Context(ccsid=1208, encoding=context.encoding, switches=context.switches)
    check_document(format_of(body.domain or "XMLNSC").write(body, plain), context)
