"""The BLOB domain: a body that nobody reads.

The folder `BLOB` has two children: `UnknownParserName`, which names the parser that was asked for and is not known
(empty otherwise), and `BLOB`, the bytes. They are built when they are touched; an untouched body is passed on as it
came (B253). A CHARACTER value in `BLOB.BLOB` is written in the character set of the body.
"""

from __future__ import annotations

from typing import final

from flintmq.broker.errors import parser_error
from flintmq.broker.formats.registry import Context, register
from flintmq.broker.tree.element import Element, Source
from flintmq.broker.tree.types import NAME, NAME_VALUE
from flintmq.broker.values import esql_type
from flintmq.mqi.ccsid import encode
from flintmq.mqi.errors import StructureError


@final
class BlobSource(Source):
    """The bytes of a body."""

    def __init__(self, body: bytes, unknown_parser: str = "") -> None:
        super().__init__("BLOB")
        self.body = body
        self.unknown_parser = unknown_parser

    def more(self, element: Element) -> None:
        """Append both leaves."""
        for name, value in (("UnknownParserName", self.unknown_parser), ("BLOB", self.body)):
            leaf = Element(name, value, NAME_VALUE)
            leaf.changed = False
            element.append_built(leaf)
        element.pending = False


class BlobFormat:
    """The BLOB domain. Stateless."""

    domain = "BLOB"

    def parse(self, body: bytes, context: Context) -> Element:
        """Return the folder of a body."""
        return blob_folder(body)

    def write(self, body: Element, context: Context) -> bytes:
        """Return the bytes of the children called BLOB."""
        source = body.source
        if isinstance(source, BlobSource) and not body.changed:
            return source.body
        return b"".join([_bytes_of(child, context) for child in body.children() if child.name == "BLOB"])


def blob_folder(body: bytes, unknown_parser: str = "") -> Element:
    """Return a BLOB folder; `unknown_parser` is the name of the domain that the body should have had."""
    folder = Element("BLOB", None, NAME)
    folder.domain = "BLOB"
    folder.source = BlobSource(body, unknown_parser)
    folder.pending = True
    folder.changed = False
    return folder


def _bytes_of(leaf: Element, context: Context) -> bytes:
    """Return the bytes that a leaf of the BLOB domain stands for."""
    value = leaf.value
    if isinstance(value, bytes):
        return value
    if value is None:
        return b""
    if isinstance(value, str):
        try:
            return encode(value, context.ccsid or 1208, context.encoding & 0xF == 1)
        except StructureError as error:
            raise parser_error(5712, "BLOB.BLOB", text=f"BLOB.BLOB cannot be written: {error}") from None
    kind = esql_type(value)
    raise parser_error(5712, "BLOB.BLOB", kind, text=f"BLOB.BLOB is {kind}; assign a BLOB, or CAST it AS BLOB")


register("BLOB", BlobFormat())
