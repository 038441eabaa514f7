"""The JSON domain: `Root.JSON.Data`.

    bytes   object or array; other values are read, too (RFC 8259)
    tree    JSON.Data; an array is a folder of type JSON.Array with children called Item
    null    a NameValue with NULL
    number  INTEGER if it is whole and has 64 bits. Other whole numbers are DECIMAL, so no digit is lost. With a point
            or an exponent: FLOAT, or DECIMAL by the switch json_fraction or where a FLOAT is too small
    set     byte order mark, else CCSID of the header in front; CCSID 0 finds UTF-8, UTF-16 and UTF-32 by itself

A body is bytes until it is touched; `json_scan` proves it and builds elements, `json_write` writes them. An untouched
body is written as it came, byte for byte, if the character set stays the same. `JSON.Padding` is written around the
value (JSONP). A character that the target set lacks is written as \\uXXXX, so no character set loses text.
"""

from __future__ import annotations

import codecs

from flintmq.broker.errors import parser_error
from flintmq.broker.formats.json_scan import JsonSource
from flintmq.broker.formats.json_write import WRITING, quoted, write_value, writing_error
from flintmq.broker.formats.registry import FOLDER_BIT_STREAM, Context, register
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.types import NAME
from flintmq.mqi.ccsid import codec_name
from flintmq.mqi.errors import StructureError

_ESCAPE_ERRORS = "flintmq-json-escape"
_UTF32 = {1232: "utf-32-be", 1233: "utf-32-be", 1234: "utf-32-le", 1235: "utf-32-le"}


class JsonFormat:
    """The JSON domain. Stateless."""

    domain = "JSON"

    def parse(self, body: bytes, context: Context) -> Element:
        """Return the folder of a body. Nothing is read before the first touch; then all of it is proved at once."""
        folder = Element("JSON", None, NAME)
        folder.domain = "JSON"
        folder.changed = False
        if not body:
            return folder
        decimals = getattr(context.switches, "json_fraction", "float") == "decimal"
        as_folder = bool(context.options & FOLDER_BIT_STREAM)
        folder.source = JsonSource(body, context.ccsid, _big_endian(context.encoding), decimals, as_folder)
        folder.pending = True
        return folder

    def write(self, body: Element, context: Context) -> bytes:
        """Return the bytes of a body: as it came if it is unchanged and the character set is the same."""
        source = body.source
        as_folder = bool(context.options & FOLDER_BIT_STREAM)
        if isinstance(source, JsonSource) and not (body.changed or as_folder or source.folder or body.entry):
            if source.ccsid == context.ccsid and source.big_endian == _big_endian(context.encoding):
                return source.body
            source.check()
            return _encoded(source.text[:-1], context)
        slash = bool(getattr(context.switches, "json_escape_slash", True))
        parts: list[str] = []
        if as_folder:
            parts.append("{" + quoted(body.name, slash) + ":")
            write_value(body, parts, slash)
            parts.append("}")
            return _encoded("".join(parts), context)
        data = body.child("Data")
        if data is None:
            if body.first_child() is None:
                return b""
            raise writing_error(body, "its value is the child Data, which is missing; assign to JSON.Data")
        padding = body.get("Padding")
        write_value(data, parts, slash)
        if isinstance(padding, str) and padding:
            parts = [padding, "(", *parts, ")"]
        return _encoded("".join(parts), context)


def _big_endian(encoding: int) -> bool:
    """Return the byte order of UTF-16 text: that of the integers of a numeric encoding."""
    return encoding & 0xF == 1


def _encoded(text: str, context: Context) -> bytes:
    """Return the text in the character set of the body; CCSID 0 is UTF-8."""
    ccsid = context.ccsid or 1208
    codec = _UTF32.get(ccsid)
    if codec is None:
        try:
            codec = codec_name(ccsid, _big_endian(context.encoding))
        except StructureError as error:
            raise parser_error(WRITING, ccsid, text=f"a JSON body cannot be written: {error}") from None
    return text.encode(codec, _ESCAPE_ERRORS)


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that a set lacks by \\uXXXX. JSON text has such characters in strings only."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    made: list[str] = []
    for character in error.object[error.start : error.end]:
        units = character.encode("utf-16-be", "surrogatepass")
        made.extend(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
    return "".join(made), error.end


codecs.register_error(_ESCAPE_ERRORS, _escape)
register("JSON", JsonFormat())
