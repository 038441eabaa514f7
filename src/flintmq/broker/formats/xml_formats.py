"""The domains XMLNSC, XMLNS and XML.

`parse` keeps the bytes and makes one folder; `xml_source` reads them when an element is asked for. `write` returns the
same bytes if nothing was changed and the character set is the same, so the cost of a body that no node touches does not
depend on its size.

Options of a node (MF 1.6), by attribute name; a value of `all` or `true` switches one on:

    parserXmlnscMixedContentRetainMode             text between elements is kept as Value children
    parserXmlnscCommentsRetainMode                 comments are kept
    parserXmlnscProcessingInstructionsRetainMode   processing instructions are kept
    parserXmlnscOpaqueElements                     names of elements that stay one field with their XML as value,
                                                   separated by blanks, commas or semicolons; `//name` is the same
    parserXmlnscBuildTreeUsingXMLSchema            values get the types of the XML schema (`xml_validate`)
    parserXmlnscUseForXmlnsDomain                  XMLNS is read by the builder of XMLNSC
"""

from __future__ import annotations

import re
from functools import partial

from flintmq.broker.errors import parser_error
from flintmq.broker.formats.registry import FOLDER_BIT_STREAM, VALIDATE_COMPLETE, VALIDATE_IMMEDIATE, Context, register
from flintmq.broker.formats.xml_source import XmlDocument, XmlOptions, XmlSource
from flintmq.broker.formats.xml_text import codec_of
from flintmq.broker.formats.xml_validate import check_document, schemas_of, wants_validation
from flintmq.broker.formats.xml_writer import XmlWriter
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.types import NAME

_DEFAULTS = XmlOptions()


def options_of(context: Context) -> XmlOptions:
    """Return the options of a node and of the switches."""
    given = context.parser_options
    switches = context.switches
    null = switches is not None and switches.empty_xml_element == "null"
    if not given and not null:
        return _DEFAULTS
    return XmlOptions(
        mixed=_is_on(given.get("parserXmlnscMixedContentRetainMode")),
        comments=_is_on(given.get("parserXmlnscCommentsRetainMode")),
        instructions=_is_on(given.get("parserXmlnscProcessingInstructionsRetainMode")),
        empty_is_null=null,
        opaque=frozenset(
            name.rpartition("/")[2].rpartition(":")[2]
            for name in re.split(r"[\s,;]+", given.get("parserXmlnscOpaqueElements", ""))
            if name
        ),
    )


def _is_on(value: str | None) -> bool:
    return value is not None and value.lower() in ("all", "true", "yes", "1")


class XmlFormat:
    """One of the three domains of XML."""

    def __init__(self, domain: str) -> None:
        self.domain = domain

    def parse(self, body: bytes, context: Context) -> Element:
        """Return the folder of a document, which is not read yet. (A FolderBitStream is a document, too.)"""
        folder = Element(self.domain, None, NAME)
        folder.domain = self.domain
        codec = codec_of(context.ccsid, context.encoding)
        document = XmlDocument(body, codec, context.ccsid, context.encoding, self.domain != "XML", self.domain)
        source = XmlSource(document, self.domain, options_of(context))
        if self.domain == "XMLNS" and _is_on(context.parser_options.get("parserXmlnscUseForXmlnsDomain")):
            source.compact = True
        folder.source = source
        if _is_on(context.parser_options.get("parserXmlnscBuildTreeUsingXMLSchema")):
            self._use_schema(source, context)
        if wants_validation(context.options):
            document.validator = partial(check_document, context=context)
        folder.changed = False
        # An empty body has no elements, and is no error until something is written from it.
        folder.pending = bool(body)
        if context.options & (VALIDATE_COMPLETE | VALIDATE_IMMEDIATE):
            document.indexed().prove(-1)
        return folder

    def write(self, body: Element, context: Context) -> bytes:
        """Return the bytes of a document; with FolderBitStream, those of the element itself."""
        codec = codec_of(context.ccsid, context.encoding)
        if not codec:
            raise parser_error(5010, context.ccsid, text=f"there is no character set with CCSID {context.ccsid}")
        if context.options & FOLDER_BIT_STREAM and not body.domain:
            writer = self._writer(codec, context)
            writer.write_tree(body)
            return writer.encoded()
        source = body.source
        if not body.changed and body.entry == 0 and isinstance(source, XmlSource) and not source.generic:
            document = source.document
            if document.codec == codec:
                if wants_validation(context.options):
                    check_document(document.indexed().text.encode("utf-8"), context)
                return document.body
        writer = self._writer(codec, context)
        writer.write_body(body)
        if wants_validation(context.options):
            check_document("".join(writer.parts).encode("utf-8", "replace"), context)
        return writer.encoded()

    def _use_schema(self, source: XmlSource, context: Context) -> None:
        """Let the values of a tree get the types of the XML schemas of the message set."""
        schemas = schemas_of(context)
        if schemas is not None and self.domain == "XMLNSC":
            source.schema = schemas.types()

    def _writer(self, codec: str, context: Context) -> XmlWriter:
        switches = context.switches
        return XmlWriter(self.domain, codec, "NS" if switches is None else switches.generated_prefix)


for _domain in ("XMLNSC", "XMLNS", "XML"):
    register(_domain, XmlFormat(_domain))
