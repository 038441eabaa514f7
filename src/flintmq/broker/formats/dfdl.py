"""The DFDL domain: `Root.DFDL.<message>`, described by annotated XML Schemas.

The message is named by `Properties.MessageType` (`{namespace}:name`, `name`, or a name with prefix), its library by
`Properties.MessageSet` (`{Library}`). `SchemaSet` is the model of a library: its schemas by path, read when a message
asks for them.

    parse     leaves the bytes alone; the first touch reads the message (BIP 5806 and the failure)
    write     the bytes as they came if nothing changed, else written by the schema (BIP 5807)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flintmq.broker.errors import parser_error
from flintmq.broker.formats.dfdl_properties import DefinitionError
from flintmq.broker.formats.dfdl_schema import SchemaReader
from flintmq.broker.formats.model.schema import Message, Model
from flintmq.broker.formats.model.source import ModelSource, checked_plan, parse_body, write_body
from flintmq.broker.formats.model.write import write_message
from flintmq.broker.formats.registry import (
    FOLDER_BIT_STREAM,
    VALIDATE_COMPLETE,
    VALIDATE_CONTENT,
    VALIDATE_IMMEDIATE,
    VALIDATE_VALUE,
    Context,
    register,
)
from flintmq.broker.tree.element import Element

READ = 5806
WRITE = 5807
#: The schema, or the message in it, is missing, invalid or not supported.
SCHEMA = 5822


class SchemaSet(Model):
    """The DFDL schemas of an application or library: messages are built when they are asked for."""

    def __hash__(self) -> int:
        """Tell pools apart by identity: documents made of one are kept with it."""
        return id(self)

    def __init__(self, schemas: Mapping[str, Callable[[], bytes]], name: str = "") -> None:
        super().__init__(name)
        self.schemas = schemas
        self.reader = SchemaReader(self._open, schemas)
        self._roots: dict[str, list[tuple[str, str]]] | None = None
        #: Schemas that are not valid DFDL, by path: why. Plain XML Schemas stand among them.
        self.problems: dict[str, str] = {}
        self._found: dict[str, Message] = {}

    def _open(self, path: str) -> bytes | None:
        read = self.schemas.get(path)
        return None if read is None else read()

    def roots(self) -> dict[str, list[tuple[str, str]]]:
        """Return namespace and name of the global elements of each schema."""
        if self._roots is None:
            self._roots = {}
            for path in self.schemas:
                try:
                    self._roots[path] = self.reader.roots(path)
                except DefinitionError as error:
                    self.problems[path] = str(error)
        return self._roots

    def find(self, name: str, format: str = "") -> Message | None:
        """Return the message of a global element. Raises a ParserException if its schema cannot be used."""
        found = self._found.get(name)
        if found is not None:
            return found
        namespace, local = split_type(name)
        for path, roots in self.roots().items():
            for known_namespace, known in roots:
                if known == local and (namespace is None or known_namespace == namespace):
                    message = self._message(path, known, known_namespace)
                    self._found[name] = message
                    return message
        return None

    def _message(self, path: str, name: str, namespace: str) -> Message:
        try:
            message, notices = self.reader.message(path, name, namespace)
        except DefinitionError as error:
            raise parser_error(SCHEMA, path, name, text=f"the DFDL schema of {name} is not valid: {error}") from None
        self.notices.extend(notice for notice in notices if notice not in self.notices)
        if notices:
            more = f" and {len(notices) - 1} more" if len(notices) > 1 else ""
            raise parser_error(SCHEMA, path, name, text=f"the DFDL schema of {name} cannot be used: {notices[0]}{more}")
        return message


def split_type(name: str) -> tuple[str | None, str]:
    """Return namespace and local name of a message type; None = any namespace."""
    text = name.strip()
    if text.startswith("{"):
        namespace, _, local = text[1:].partition("}")
        return namespace, local.lstrip(":")
    return None, text.rpartition(":")[2]


class DfdlFormat:
    """The DFDL domain."""

    domain = "DFDL"

    def parse(self, body: bytes, context: Context) -> Element:
        """Return the folder of a body; nothing is read yet. Raises a ParserException if there is no such message."""
        message = message_of(context, context.message_type, READ)
        validated = bool(context.options & (VALIDATE_CONTENT | VALIDATE_VALUE))
        folder = parse_body(message, body, context.ccsid, context.encoding, self.domain, True, validated)
        if context.options & (VALIDATE_COMPLETE | VALIDATE_IMMEDIATE):
            folder.build_all()
        return folder

    def write(self, body: Element, context: Context) -> bytes:
        """Return the bytes of a body, or of one message element (FOLDER_BIT_STREAM). Raises a ParserException."""
        if context.options & FOLDER_BIT_STREAM and not body.domain:
            name = context.message_type or type_of(body)
            message = message_of(context, name, WRITE)
            plan = checked_plan(message, context.ccsid, context.encoding, WRITE)
            return write_message(plan, body)
        name = context.message_type
        if not name:
            # Without a message type the body itself knows its message, or the element below the folder names it.
            source = body.source
            if not body.changed and isinstance(source, ModelSource):
                return write_body(source.message, body, context.ccsid, context.encoding, True)
            top = body.first_child()
            if top is None:
                raise parser_error(WRITE, text="the DFDL folder is empty and Properties name no message type")
            name = type_of(top)
        message = message_of(context, name, WRITE)
        validated = bool(context.options & (VALIDATE_CONTENT | VALIDATE_VALUE))
        return write_body(message, body, context.ccsid, context.encoding, True, validated)


def type_of(element: Element) -> str:
    """Return the message type that an element names."""
    return f"{{{element.namespace}}}:{element.name}" if element.namespace else element.name


def message_of(context: Context, name: str, number: int) -> Message:
    """Return the message that a template names. Raises a ParserException."""
    if context.models is None:
        raise parser_error(number, name, text="the DFDL domain needs the schemas of an application or library")
    model = context.models(context.message_set)
    if not isinstance(model, Model):
        raise parser_error(
            number, context.message_set, text=f"there is no library '{context.message_set}' with DFDL schemas"
        )
    if not name:
        raise parser_error(number, text="the DFDL domain needs a message type; set it on the node or in Properties")
    message = model.find(name)
    if message is None:
        raise parser_error(
            number,
            name,
            context.message_set,
            text=f"no DFDL schema of library '{context.message_set}' has a global element '{name}'",
        )
    return message


register("DFDL", DfdlFormat())

__all__ = ["DfdlFormat", "SchemaSet", "message_of", "split_type"]
