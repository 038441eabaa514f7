"""Headers of MQ as formats: `CREATE ... DOMAIN 'MQRFH2' PARSE(...)` and `ASBITSTREAM(InputRoot.MQRFH2)`.

A message as a whole is read and written by `tree/headers.py`; there each header gets its encoding from the one before
it. Here encoding and character set are those of the call.
"""

from __future__ import annotations

from flintmq.broker.errors import parser_error
from flintmq.broker.formats.registry import HEADERS, Context, register
from flintmq.broker.tree.descriptor import descriptor_folder, descriptor_of
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.header_chain import (
    CCSID,
    HeaderSource,
    header_folder,
    pack_structure,
    read_header,
    structure_of,
)
from flintmq.broker.tree.header_fields import HEADER_READ, LAYOUTS
from flintmq.mqi.errors import StructureError
from flintmq.mqi.md import MQMD


class HeaderFormat:
    """One header of the chain. Stateless."""

    def __init__(self, domain: str) -> None:
        self.domain = domain

    def parse(self, body: bytes, context: Context) -> Element:
        """Return the folder of the header at the start of the bytes; bytes behind it are ignored. Raises BIP 6118."""
        return header_folder(read_header(LAYOUTS[self.domain], body, 0, context.encoding, context.ccsid or CCSID))

    def write(self, body: Element, context: Context) -> bytes:
        """Return the bytes of a header. Raises BIP 6119."""
        ccsid = context.ccsid or CCSID
        source = body.source
        if not body.changed and isinstance(source, HeaderSource) and source.domain == self.domain:
            if source.encoding == context.encoding and source.ccsid == ccsid:
                return source.raw
            return pack_structure(source.structure, self.domain, context.encoding, ccsid)
        structure = structure_of(body, LAYOUTS[self.domain], context.encoding, ccsid)
        return pack_structure(structure, self.domain, context.encoding, ccsid)


class DescriptorFormat:
    """MQMD. Stateless."""

    domain = "MQMD"

    def parse(self, body: bytes, context: Context) -> Element:
        """Return the folder of a descriptor. Raises BIP 6118."""
        try:
            md = MQMD.unpack(body, 0, context.encoding & 0xF == 1, context.ccsid or CCSID)
        except StructureError as error:
            raise parser_error(HEADER_READ, "MQMD", 0, text=f"the MQMD cannot be read: {error.text}") from None
        return descriptor_folder(md)

    def write(self, body: Element, context: Context) -> bytes:
        """Return the bytes of a descriptor. Raises BIP 6119."""
        return pack_structure(descriptor_of(body), "MQMD", context.encoding, context.ccsid or CCSID)


register("MQMD", DescriptorFormat())
for _domain in HEADERS:
    if _domain != "MQMD":
        register(_domain, HeaderFormat(_domain))
