"""What the tests of MRM share: contexts, trees as Python values, message sets from few lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from flintmq.broker.formats.message_set import MessageSet
from flintmq.broker.formats.model_yaml import from_yaml
from flintmq.broker.formats.registry import Context, format_of
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.types import NAME

MRM = format_of("MRM")
BIG = 273
LITTLE = 546
Z_OS = 785
Content: TypeAlias = Mapping[str, object] | Sequence[tuple[str, object]]


def context(
    message_set: MessageSet,
    format: str = "",
    type: str = "",
    *,
    ccsid: int = 1208,
    encoding: int = BIG,
    options: int = 0,
) -> Context:
    """Return a context with one message set."""
    return Context(
        ccsid=ccsid,
        encoding=encoding,
        message_set=message_set.name,
        message_type=type,
        message_format=format,
        options=options,
        models=lambda name: message_set if name == message_set.name else None,
    )


def values(element: Element) -> list[tuple[str, object]]:
    """Return the children of an element: names with values, or with lists for structures."""
    found: list[tuple[str, object]] = []
    for child in element.children():
        found.append((child.name, values(child) if child.first_child() is not None else child.value))
    return found


def folder(content: Content) -> Element:
    """Return a body folder with children made by code."""
    made = Element("MRM", None, NAME)
    made.domain = "MRM"
    _fill(made, content)
    return made


def _fill(parent: Element, content: Content) -> None:
    for name, value in content.items() if isinstance(content, Mapping) else content:
        if isinstance(value, (dict, list)):
            _fill(parent.append(Element(name, None, NAME)), value)
        else:
            parent.append(Element(name, value))


def read(message_set: MessageSet, data: bytes, format: str = "", **more: object) -> list[tuple[str, object]]:
    """Return the tree of a message."""
    return values(MRM.parse(data, context(message_set, format, **more)))  # type: ignore[arg-type]


def write(message_set: MessageSet, content: Content, format: str = "", **more: object) -> bytes:
    """Return the bytes of a tree."""
    return MRM.write(folder(content), context(message_set, format, **more))  # type: ignore[arg-type]


def rewritten(message_set: MessageSet, data: bytes, format: str = "", **more: object) -> bytes:
    """Return a message after its tree was built, touched and written again."""
    given = context(message_set, format, **more)  # type: ignore[arg-type]
    body = MRM.parse(data, given)
    body.build_all()
    body.mark_changed()
    return MRM.write(body, given)


def one_message(kind: str, fields: str, *, group: str = "", settings: str = "") -> MessageSet:
    """Return a message set with one format F and one message M; `fields` are lines of YAML, one per member."""
    lines = [
        "message_set: S",
        f"formats: {{F: {{kind: {kind}{', ' if settings else ''}{settings}}}}}",
        "messages:",
        "  M:",
        f"    F: {{{group}}}",
        "    elements:",
        *(f"      {line}" for line in fields.strip("\n").split("\n")),
    ]
    return from_yaml("\n".join(lines))
