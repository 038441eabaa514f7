"""The MIME domain: a multipart message as a tree, the data of its parts as bytes.

    MIME
      Content-Type    'multipart/related; boundary="b"'      header fields, in order, as they stand
      Parts
        Prologue      the text before the first boundary, if any; Epilogue: that after the last
        Part
          Content-Type  'text/xml'
          Data
            BLOB      a folder of the domain BLOB: MIME.Parts.Part[1].Data.BLOB.BLOB
        Part
          Parts ...   a part that is itself multipart

A message of one part has `MIME.Data` instead of `MIME.Parts`. The data of a part is never decoded: with
Content-Transfer-Encoding base64 the BLOB is the base64 text. A body with its header fields elsewhere (HTTP) begins
with its boundary; the option contentType of the context names it, else the first line does.

Each part is read when it is touched, and an unchanged part is written as it came. A tree without boundary gets one that
occurs in no part. Depth and number of parts are bounded.
"""

from __future__ import annotations

import re
from typing import Final, final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.formats.blob import blob_folder
from flintmq.broker.formats.registry import Context, format_of, register
from flintmq.broker.tree.element import Element, Source
from flintmq.broker.tree.types import KIND, NAME, NAME_VALUE
from flintmq.broker.values import Bit, Date, Interval, Time, Timestamp, plain_text

#: Numbers of a MIME message that cannot be read, and of a tree that cannot be written.
READING: Final = 5651
WRITING: Final = 5652
DEPTH_MAX: Final = 20
PARTS_MAX: Final = 10_000
FIELDS_MAX: Final = 1000
BOUNDARY_MAX: Final = 70

_BOUNDARY: Final = re.compile(r';\s*boundary\s*=\s*(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))', re.IGNORECASE)
_NAME: Final = re.compile(rb"[!-9;-~]{1,200}\Z")
_CONTENT_TYPE: Final = "content-type"


@final
class MimeSource(Source):
    """The bytes of a message. The entry of an element is the number of its region."""

    def __init__(self, body: bytes, content_type: str) -> None:
        super().__init__("MIME")
        self.body: Final = body
        #: The Content-Type that stands outside the body; '' if the body has its own header fields.
        self.content_type: Final = content_type
        #: Start, end and depth of the message and of each part.
        self.regions: list[tuple[int, int, int]] = [(0, len(body), 0)]
        self._numbers: dict[tuple[int, int, int], int] = {self.regions[0]: 0}

    def bytes_of(self, entry: int) -> bytes:
        """Return the bytes of the message or of a part."""
        start, end, _ = self.regions[entry]
        return self.body[start:end]

    def more(self, element: Element) -> None:
        """Append header fields, and parts or data, of the message or of a part. Raises BIP 5651."""
        start, end, depth = self.regions[element.entry]
        external = element.entry == 0 and bool(self.content_type)
        content_type = self.content_type if external else ""
        if not external:
            fields, start = _read_fields(self.body, start, end)
            for name, value in fields:
                element.append_built(_built(Element(name, value, NAME_VALUE)))
                if name.lower() == _CONTENT_TYPE:
                    content_type = value
        boundary = boundary_of(content_type)
        if boundary:
            element.append_built(self._parts(boundary, start, end, depth))
        else:
            data = _built(Element("Data", None, NAME))
            data.append_built(blob_folder(self.body[start:end]))
            element.append_built(data)
        element.pending = False

    def _parts(self, boundary: str, start: int, end: int, depth: int) -> Element:
        """Return the folder Parts of a multipart region."""
        if depth >= DEPTH_MAX:
            raise _read_error(start, f"parts are nested more than {DEPTH_MAX} deep")
        parts = _built(Element("Parts", None, NAME))
        pieces, first, last = _split(self.body, boundary.encode("latin-1"), start, end)
        if first > start:
            parts.append_built(_built(Element("Prologue", self.body[start:first], NAME_VALUE)))
        for piece_start, piece_end in pieces:
            region = (piece_start, piece_end, depth + 1)
            number = self._numbers.get(region)
            if number is None:
                number = len(self.regions)
                self.regions.append(region)
                self._numbers[region] = number
            part = Element("Part", None, NAME)
            part.source = self
            part.entry = number
            part.pending = True
            part.changed = False
            parts.append_built(part)
        if last < end:
            parts.append_built(_built(Element("Epilogue", self.body[last:end], NAME_VALUE)))
        return parts


def _built(element: Element) -> Element:
    """Return an element that agrees with its source."""
    element.changed = False
    return element


def boundary_of(content_type: str) -> str:
    """Return the boundary of a multipart Content-Type; '' for any other."""
    if not content_type.lstrip().lower().startswith("multipart/"):
        return ""
    found = _BOUNDARY.search(content_type)
    return "" if found is None else (found.group(1) or found.group(2))


def _read_fields(body: bytes, start: int, end: int) -> tuple[list[tuple[str, str]], int]:
    """Return the header fields at `start`, folded lines joined, and where the content begins. Raises BIP 5651."""
    fields: list[tuple[str, str]] = []
    place = start
    while place < end:
        line_end = body.find(b"\n", place, end)
        following = end if line_end < 0 else line_end + 1
        line = body[place:following].rstrip(b"\r\n")
        if not line:
            return fields, following
        if line[:1] in (b" ", b"\t") and fields:
            name, value = fields[-1]
            fields[-1] = (name, value + " " + line.strip().decode("latin-1"))
        else:
            raw, colon, rest = line.partition(b":")
            if not colon or _NAME.match(raw) is None:
                if not fields:
                    # No header fields at all: everything is content.
                    return [], start
                raise _read_error(place, f"{line[:40]!r} is no header field")
            fields.append((raw.decode("ascii"), rest.strip().decode("latin-1")))
            if len(fields) > FIELDS_MAX:
                raise _read_error(place, f"there are more than {FIELDS_MAX} header fields")
        place = following
    return fields, end


def _split(body: bytes, boundary: bytes, start: int, end: int) -> tuple[list[tuple[int, int]], int, int]:
    """Return the parts of a region, where the first boundary begins and where the last one ends. Raises BIP 5651."""
    delimiter = b"--" + boundary
    pieces: list[tuple[int, int]] = []
    opened = -1
    first = -1
    place = start
    while True:
        found = body.find(delimiter, place, end)
        if found < 0:
            if first < 0:
                raise _read_error(start, f"there is no boundary --{boundary.decode('latin-1')}")
            raise _read_error(opened, f"the last boundary --{boundary.decode('latin-1')}-- is missing")
        place = found + len(delimiter)
        if found > start and body[found - 1 : found] != b"\n":
            continue
        closing = body[place : place + 2] == b"--"
        behind = place + 2 if closing else place
        line_end = body.find(b"\n", behind, end)
        line_end = end if line_end < 0 else line_end + 1
        if body[behind:line_end].strip(b" \t\r\n"):
            continue
        if opened >= 0:
            # The line break before a boundary belongs to the boundary.
            piece_end = found - 1
            if body[piece_end - 1 : piece_end] == b"\r":
                piece_end -= 1
            pieces.append((opened, max(opened, piece_end)))
        if first < 0:
            first = found
        if len(pieces) > PARTS_MAX:
            raise _read_error(found, f"there are more than {PARTS_MAX} parts")
        if closing:
            return pieces, first, line_end
        opened = place = line_end


class MimeFormat:
    """The MIME domain. Stateless."""

    domain = "MIME"

    def parse(self, body: bytes, context: Context) -> Element:
        """Return the folder of a message; it is read when it is touched."""
        content_type = context.parser_options.get("contentType", "")
        if not boundary_of(content_type):
            content_type = _type_of(body)
        folder = Element("MIME", None, NAME)
        folder.domain = "MIME"
        folder.source = MimeSource(body, content_type)
        folder.pending = True
        folder.changed = False
        return folder

    def write(self, body: Element, context: Context) -> bytes:
        """Return the bytes of a message. Raises BIP 5652."""
        source = body.source
        external = False
        if isinstance(source, MimeSource) and body.entry == 0:
            if not body.changed:
                return source.body
            external = bool(source.content_type)
        external = external or "contentType" in context.parser_options
        inherited = source.content_type if isinstance(source, MimeSource) else ""
        inherited = context.parser_options.get("contentType", inherited)
        return _written(body, context, 0, external, inherited)


def _type_of(body: bytes) -> str:
    """Return a Content-Type for a body that begins with its boundary; '' for any other."""
    if not body.startswith(b"--"):
        return ""
    line = body[2 : body.find(b"\n") if b"\n" in body[: BOUNDARY_MAX + 4] else 2].strip()
    if not line or b'"' in line:
        return ""
    return f'multipart/mixed; boundary="{line.decode("latin-1")}"'


def _written(element: Element, context: Context, depth: int, external: bool, inherited: str) -> bytes:
    """Return the bytes of a message or part: header fields, blank line, parts or data."""
    if depth > DEPTH_MAX:
        raise _write_error(element.name, f"parts are nested more than {DEPTH_MAX} deep")
    fields: list[tuple[str, str]] = []
    content_type = inherited
    content: bytes | None = None
    parts: Element | None = None
    for child in element.children():
        if child.name == "Parts" and child.type & KIND == NAME:
            parts = child
        elif child.name == "Data":
            content = (content or b"") + _data_of(child, context)
        else:
            text = _text_of(child)
            if child.name.lower() == _CONTENT_TYPE:
                content_type = text
            fields.append((child.name, text))
    if parts is not None:
        boundary = boundary_of(content_type)
        content, boundary = _joined(parts, context, depth, boundary)
        if not boundary_of(content_type):
            content_type = f'{content_type or "multipart/mixed"}; boundary="{boundary}"'
            fields = [field for field in fields if field[0].lower() != _CONTENT_TYPE]
            fields.insert(0, ("Content-Type", content_type))
    if external:
        return content or b""
    return b"".join([_field(name, text) for name, text in fields]) + b"\r\n" + (content or b"")


def _joined(parts: Element, context: Context, depth: int, boundary: str) -> tuple[bytes, str]:
    """Return the parts with boundaries between them, and the boundary, which is made up if it is ''."""
    pieces: list[bytes] = []
    prologue = epilogue = b""
    for child in parts.children():
        source = child.source
        if child.name == "Prologue":
            prologue = _bytes_of(child)
        elif child.name == "Epilogue":
            epilogue = _bytes_of(child)
        elif not child.changed and isinstance(source, MimeSource):
            pieces.append(source.bytes_of(child.entry))
        else:
            pieces.append(_written(child, context, depth + 1, False, ""))
    boundary = boundary or _new_boundary(pieces)
    delimiter = b"--" + boundary.encode("latin-1")
    body = b"".join([delimiter + b"\r\n" + piece + b"\r\n" for piece in pieces])
    return prologue + body + delimiter + b"--\r\n" + epilogue, boundary


def _new_boundary(pieces: list[bytes]) -> str:
    """Return a boundary that occurs in no part."""
    number = 1
    while any(b"--FlintMQ_boundary_%d" % number in piece for piece in pieces):
        number += 1
    return f"FlintMQ_boundary_{number}"


def _data_of(data: Element, context: Context) -> bytes:
    """Return the bytes below a Data element: its own value, or those of the domains below it."""
    if data.value is not None:
        return _bytes_of(data)
    made: list[bytes] = []
    for child in data.children():
        made.append(format_of(child.domain or child.name).write(child, context))
    return b"".join(made)


def _bytes_of(leaf: Element) -> bytes:
    """Return a BLOB or CHARACTER leaf as bytes."""
    value = leaf.value
    if isinstance(value, bytes):
        return value
    return _text_of(leaf).encode("latin-1", "replace")


def _text_of(leaf: Element) -> str:
    """Return the text of a header field."""
    value = leaf.value
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float, Bit, Date, Time, Timestamp, Interval)):
        return plain_text(value)
    raise _write_error(leaf.name, "a header field is CHARACTER")


def _field(name: str, text: str) -> bytes:
    """Return a header field as a line. A line break in it would start another field, so it is refused."""
    raw = name.encode("latin-1", "replace")
    if _NAME.match(raw) is None or "\r" in text or "\n" in text:
        raise _write_error(name, "a header field has a name without blanks and a value of one line")
    return raw + b": " + text.encode("latin-1", "replace") + b"\r\n"


def _read_error(offset: int, reason: str) -> BrokerError:
    """Return BIP 5651 for a message that is not MIME."""
    return parser_error(READING, offset, reason, text=f"the MIME message cannot be read at offset {offset}: {reason}")


def _write_error(name: str, reason: str) -> BrokerError:
    """Return BIP 5652 for a tree that cannot be written."""
    return parser_error(WRITING, name, reason, text=f"MIME: {name} cannot be written: {reason}")


register("MIME", MimeFormat())
