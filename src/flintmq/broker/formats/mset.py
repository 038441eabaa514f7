"""Message set projects: `messageSet.mset` and the message definition files (`.mxsd`) below it (MF 4.2).

    read_message_set(files, folder)     the message set of a folder

`files` are the files of a project by path; only those below `folder` are read. Unknown parts are noted in
`MessageSet.notes`, with file and line, and the rest is used: a message that needs none of it works. A file that is no
XML, or a definition that is malformed, is noted too; only a folder without a readable `.mset` file is a
ParserException. No document type is accepted, no entity is expanded, nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.xmi import parse_xml
from flintmq.broker.formats.message_set import FormatKind, MessageSet, PhysicalFormat, definition_error
from flintmq.broker.formats.mset_annotations import XSI, Note, local, set_properties
from flintmq.broker.formats.mset_schema import NOTES_MAX, SchemaPool

_Element = Any  # lxml has no types of its own.

_KINDS = {
    "MRCWFMessageSetRep": FormatKind.CWF,
    "MRTDSMessageSetRep": FormatKind.TDS,
    "MRXMLMessageSetRep": FormatKind.XML,
}
_IDENTIFIER = re.compile(r"[A-Z0-9]{13}")
_FORMAT_INDEX = re.compile(r"//@MRMessageSetRep\.(\d{1,4})")


def read_message_set(files: Mapping[str, Callable[[], bytes]], folder: str) -> MessageSet:
    """Return the message set of a folder. Raises a ParserException if it has no readable `.mset` file."""
    prefix = f"{folder.rstrip('/')}/" if folder.strip("/") else ""
    paths = [path for path in files if path.startswith(prefix)]
    settings = [path for path in paths if path.lower().endswith(".mset")]
    if not settings:
        raise definition_error(f"folder {folder or '.'} has no message set file (messageSet.mset)")
    path = min(settings, key=lambda path: path.count("/"))
    try:
        root = parse_xml(files[path](), path)
    except FlowFileError as error:
        raise definition_error(error.reason, path, error.line) from None
    message_set = _settings(root, path, folder)
    pool = SchemaPool(message_set)
    for one in sorted(paths):
        if one.lower().endswith(".mxsd"):
            try:
                pool.add(one, parse_xml(files[one](), one))
            except FlowFileError as error:
                message_set.notes.append(f"{error}; the file is not used")
    _add_messages(pool, message_set)
    return message_set


def _settings(root: _Element, path: str, folder: str) -> MessageSet:
    """Return a message set without messages: its name and its physical formats."""
    if local(root) != "MRMessageSet":
        raise definition_error(f"the root element is {local(root)}, not MRMessageSet", path, root.sourceline or 0)
    # The folder is the name by which flows know the set.
    name = folder.rstrip("/").rpartition("/")[2] or root.get("name") or ""
    message_set = MessageSet(name)
    message_set.type_prefix = (root.get("messageTypePrefix") or "").strip().strip("/")

    def note(element: _Element, text: str) -> None:
        if len(message_set.notes) < NOTES_MAX:
            message_set.notes.append(f"{path}:{element.sourceline}: {text}")

    ordered: list[str] = []
    for child in root.iterchildren():
        kind_name = local(child)
        if kind_name == "MRMessageSetRep":
            ordered.append(child.get("name") or "")
            _add_format(message_set, child, note)
        elif kind_name not in ("MRMessageSetID", "otherSupportedDomains", "MRNamespacePreferences", ""):
            note(child, f"{kind_name} is not known and not used")
    default = root.get("defaultWireFormat") or root.get("defaultRep") or ""
    index = _FORMAT_INDEX.fullmatch(default)
    if index is not None and int(index.group(1)) < len(ordered):
        default = ordered[int(index.group(1))]
    if default in message_set.formats:
        message_set.default_format = default
    return message_set


def _add_format(message_set: MessageSet, element: _Element, note: Note) -> None:
    """Add a physical format to a message set, and the identifier of the set that its XML format has."""
    type_name = (element.get(f"{{{XSI}}}type") or "").rpartition(":")[2]
    kind = _KINDS.get(type_name)
    name = element.get("name") or ""
    if kind is None or not name:
        note(element, f"a physical format of type {type_name or 'none'} is not known and not used")
        return
    message_set.formats[name] = PhysicalFormat(name, kind, set_properties(element, kind, note))
    public = element.get("doctypePublicID") or ""
    if _IDENTIFIER.fullmatch(public):
        # The identifier of the set stands in the document type of its XML format.
        message_set.identifier = public


def _add_messages(pool: SchemaPool, message_set: MessageSet) -> None:
    """Read the messages of a set; one that cannot be read is noted."""
    for element, file in pool.message_elements():
        try:
            message_set.add(pool.global_element(element, file))
        except RecursionError:
            message_set.notes.append(f"{file.path}: types of {element.get('name')} are nested too deep; it is not used")
        except BrokerError as error:
            if len(message_set.notes) < NOTES_MAX:
                text = f"{error.file}:{error.line}: {error.text}; message {element.get('name')} is not used"
                message_set.notes.append(text)
