"""The message assembly: the four trees that travel between two nodes (MF 1.1), and the tree of an exception.

    message             Root: Properties, headers, body; one per path
    local_environment   routing; one per path
    environment         one for the whole invocation of a flow; all nodes share and change it
    exception_list      empty until an exception is caught

A node that changes nothing passes the assembly on as it is; a node that makes a new message passes a new assembly with
the trees it did not replace (`replace`). An assembly itself never changes, so each branch of a flow sees the trees that
its predecessor sent, however earlier branches ended. Only the environment is changed in place.

An exception list is a chain (MF 1.8): each entry has its leaves, then one folder `Insert` per insert, then its cause as
the last child. `exception_list` writes a BrokerError as such a tree, `error_of` reads one back.
"""

from __future__ import annotations

from typing import Final, final

from flintmq.broker.errors import (
    FAILURE_PATH_FAILED,
    INSERT_INTEGER,
    INSERT_LABEL,
    INSERT_STRING,
    KINDS,
    NODE_RETHROW,
    BrokerError,
)
from flintmq.broker.tree.element import ROOT_DOMAIN, Element
from flintmq.broker.tree.types import NAME
from flintmq.broker.values import (
    Bit,
    Date,
    Interval,
    Time,
    Timestamp,
    literal_text,
    plain_text,
)

#: An exception list with more entries is cut when it is read: a tree made by ESQL may have any depth.
ENTRIES_MAX: Final = 1000


def new_root() -> Element:
    """Return an empty message tree: its children get the parser that their name says."""
    root = Element("Root", None, NAME)
    root.domain = ROOT_DOMAIN
    return root


def new_tree(name: str) -> Element:
    """Return an empty tree that belongs to no parser: LocalEnvironment, Environment, ExceptionList."""
    return Element(name, None, NAME)


@final
class Assembly:
    """Four trees. Those that are not given are empty."""

    __slots__ = ("environment", "exception_list", "local_environment", "message")

    def __init__(
        self,
        message: Element | None = None,
        local_environment: Element | None = None,
        environment: Element | None = None,
        exception_list: Element | None = None,
    ) -> None:
        self.message: Final = new_root() if message is None else message
        self.local_environment: Final = new_tree("LocalEnvironment") if local_environment is None else local_environment
        self.environment: Final = new_tree("Environment") if environment is None else environment
        self.exception_list: Final = new_tree("ExceptionList") if exception_list is None else exception_list

    def replace(
        self,
        message: Element | None = None,
        local_environment: Element | None = None,
        exception_list: Element | None = None,
    ) -> Assembly:
        """Return an assembly with new trees where they are given. The environment stays the same one."""
        return Assembly(
            self.message if message is None else message,
            self.local_environment if local_environment is None else local_environment,
            self.environment,
            self.exception_list if exception_list is None else exception_list,
        )

    def body(self) -> Element | None:
        """Return the body: the last child of the message tree unless that is `Properties`."""
        last = self.message.last_child()
        return None if last is None or last.name == "Properties" else last

    def properties(self) -> Element | None:
        """Return the folder `Properties` of the message."""
        return self.message.child("Properties")


def exception_list(error: BrokerError) -> Element:
    """Return the ExceptionList of an error: its chain of entries, each cause as the last child."""
    root = new_tree("ExceptionList")
    parent = root
    for entry in error.chain():
        folder = _append_entry(parent, entry)
        for other in entry.beside:
            _append_entry(folder, other)
        parent = folder
    return root


def _append_entry(parent: Element, entry: BrokerError) -> Element:
    """Append the folder of one entry."""
    folder = parent.append(Element(entry.kind, None, NAME))
    for name, value in (
        ("File", entry.file),
        ("Line", entry.line),
        ("Function", entry.function),
        ("Type", entry.node_type),
        ("Name", entry.node_name),
        ("Label", entry.node_label),
        ("Text", entry.text),
        ("Catalog", entry.catalog),
        ("Severity", entry.severity),
        ("Number", entry.number),
    ):
        folder.add(name, value)
    for position, insert in enumerate(entry.inserts):
        inserted = folder.append(Element("Insert", None, NAME))
        inserted.add("Type", _insert_type(entry, position, insert))
        inserted.add("Text", _insert_text(insert))
    return folder


def _insert_type(entry: BrokerError, position: int, insert: object) -> int:
    """Return the type of an insert: the label of the node that rethrows has its own."""
    if position == 0 and insert == entry.node_label and entry.number in (NODE_RETHROW, FAILURE_PATH_FAILED):
        return INSERT_LABEL
    return INSERT_INTEGER if isinstance(insert, int) and not isinstance(insert, bool) else INSERT_STRING


def _insert_text(insert: object) -> str:
    """Return the text of an insert: strings as they are, other values as ESQL writes them."""
    if isinstance(insert, str):
        return insert
    if isinstance(insert, (bytes, Bit, Date, Time, Timestamp, Interval)):
        return literal_text(insert)
    if isinstance(insert, (bool, int, float)):
        return plain_text(insert)
    return "NULL" if insert is None else str(insert)


def error_of(exceptions: Element) -> BrokerError | None:
    """Return the error that an ExceptionList tells, outermost entry first; None if it is empty."""
    entries: list[Element] = []
    entry = _entry_below(exceptions)
    while entry is not None and len(entries) < ENTRIES_MAX:
        entries.append(entry)
        entry = _entry_below(entry)
    error: BrokerError | None = None
    for folder in reversed(entries):
        inserts = [child for child in folder.children() if child.name == "Insert"]
        error = BrokerError(
            _integer(folder, "Number", 0),
            _text(folder, "Text"),
            inserts=tuple(_insert_value(insert) for insert in inserts),
            kind=folder.name,
            cause=error,
            severity=_integer(folder, "Severity", 3),
            catalog=_text(folder, "Catalog"),
            file=_text(folder, "File"),
            line=_integer(folder, "Line", 0),
            function=_text(folder, "Function"),
            node_type=_text(folder, "Type"),
            node_name=_text(folder, "Name"),
            node_label=_text(folder, "Label"),
        )
    return error


def _entry_below(parent: Element) -> Element | None:
    """Return the last child that is an entry: it has a known kind, or a `Number`."""
    child = parent.last_child()
    while child is not None:
        if child.name in KINDS or (child.name != "Insert" and child.child("Number") is not None):
            return child
        child = child.previous
    return None


def _insert_value(insert: Element) -> object:
    """Return an insert as it was raised: a number for type 2, otherwise its text."""
    text = insert.get("Text")
    if insert.get("Type") == INSERT_INTEGER and isinstance(text, str):
        try:
            return int(text)
        except ValueError:
            return text
    return text


def _text(folder: Element, name: str) -> str:
    """Return a leaf as text; '' if it is missing or NULL."""
    value = folder.get(name)
    return value if isinstance(value, str) else ""


def _integer(folder: Element, name: str, default: int) -> int:
    """Return a leaf as a number."""
    value = folder.get(name)
    return value if isinstance(value, int) else default
