"""Small models that the tests of the run-time model share, and shorthands to read and write them."""

from __future__ import annotations

from decimal import Decimal

from flintmq.broker.formats.model.plan import plan_of
from flintmq.broker.formats.model.read import read_message
from flintmq.broker.formats.model.schema import (
    BinaryNumber,
    Choice,
    Delimiter,
    Element,
    Length,
    LengthKind,
    Logical,
    Markup,
    Member,
    Message,
    Number,
    OccursKind,
    Reference,
    Representation,
    Separation,
    Sequence,
    Text,
    Unresolved,
    literal,
)
from flintmq.broker.formats.model.write import write_message
from flintmq.broker.tree.element import Element as TreeElement
from flintmq.broker.tree.element import check_tree

BIG = 273
LITTLE = 546
ZOS = 785


def fixed(name: str, size: int, logical: Logical = Logical.STRING, **options: object) -> Element:
    """Return a text field of fixed length; strings are trimmed."""
    options.setdefault("text", Text(trims=logical is Logical.STRING))
    return Element(name=name, logical=logical, length=Length(LengthKind.EXPLICIT, size), **options)  # type: ignore[arg-type]


def binary(name: str, size: int, logical: Logical = Logical.INT, **options: object) -> Element:
    """Return a binary field of fixed length."""
    length = Length(LengthKind.EXPLICIT, size)
    return Element(name=name, logical=logical, representation=Representation.BINARY, length=length, **options)  # type: ignore[arg-type]


def packed(name: str, size: int, point: int = 0) -> Element:
    """Return a packed decimal."""
    return binary(name, size, Logical.DECIMAL, number=Number(binary=BinaryNumber.PACKED, virtual_point=point))


def delimited(name: str, logical: Logical = Logical.STRING, **options: object) -> Element:
    """Return a delimited field."""
    return Element(name=name, logical=logical, length=Length(LengthKind.DELIMITED), **options)  # type: ignore[arg-type]


def group(name: str, content: Sequence | Choice, **options: object) -> Element:
    """Return a structure."""
    return Element(name=name, content=content, **options)  # type: ignore[arg-type]


def sequence(*members: Member, **options: object) -> Sequence:
    """Return a sequence."""
    return Sequence(members=list(members), **options)  # type: ignore[arg-type]


def marks(*texts: str) -> tuple[Delimiter, ...]:
    """Return delimiters of plain texts."""
    return tuple(literal(text) for text in texts)


def message(content: Sequence | Choice, **options: object) -> Message:
    """Return a message named `m`."""
    return Message(Element(name="m", content=content), **options)  # type: ignore[arg-type]


def read(model: Message, data: bytes, ccsid: int = 1208, encoding: int = BIG) -> TreeElement:
    """Read a message and return its element, after its tree was checked."""
    holder = TreeElement("holder")
    holder.changed = False
    read_message(plan_of(model, ccsid, encoding), data, holder)
    top = holder.first
    assert top is not None
    check_tree(holder)
    top.detach()
    return top


def write(model: Message, top: TreeElement, ccsid: int = 1208, encoding: int = BIG) -> bytes:
    """Return the bytes of a message element."""
    return write_message(plan_of(model, ccsid, encoding), top)


def shape(element: TreeElement) -> object:
    """Return a tree as nested lists: a field is (name, value), a structure (name, [children])."""
    children = element.children()
    if children:
        return element.name, [shape(child) for child in children]
    return element.name, element.value


def values(element: TreeElement) -> list[object]:
    """Return the shapes of the children of an element."""
    return [shape(child) for child in element.children()]


#: A copybook-like record: text, binary, packed, a count and what it counts.
RECORD = message(
    sequence(
        fixed("name", 5),
        binary("number", 4),
        packed("amount", 3, 2),
        fixed("count", 1, Logical.INT),
        fixed(
            "item", 2, min_occurs=0, max_occurs=9, occurs_kind=OccursKind.EXPRESSION, occurs_count=Reference(("count",))
        ),
    )
)
RECORD_DATA = b"ab   \0\0\0\x07\x12\x34\x5d2xxyy"
RECORD_VALUES = [
    ("name", "ab"),
    ("number", 7),
    ("amount", Decimal("-123.45")),
    ("count", 2),
    ("item", "xx"),
    ("item", "yy"),
]

#: Lines of comma-separated fields.
LINES = message(
    sequence(
        group(
            "row",
            sequence(
                delimited("key"),
                delimited("number", Logical.INT),
                delimited("note", min_occurs=0, max_occurs=-1),
                separator=marks(","),
                markup=Markup(terminator=marks("\n")),
            ),
            min_occurs=0,
            max_occurs=-1,
        )
    )
)

#: Tagged text: any order, repeats behind a repeating element delimiter.
TAGGED = message(
    sequence(
        delimited("name", tag="NM"),
        delimited("price", Logical.DECIMAL, tag="PR"),
        delimited("part", tag="PT", min_occurs=0, max_occurs=-1, repeat_separator=marks("~")),
        separation=Separation.TAGGED_DELIMITED,
        separator=marks("*"),
        tag_data_separator=marks(":"),
        markup=Markup(initiator=marks("{"), terminator=marks("}")),
    )
)

#: A union: two ways to see the same bytes.
OVERLAY = message(
    sequence(
        fixed("kind", 1),
        Choice(
            members=[binary("number", 4), group("text", sequence(fixed("head", 2), fixed("tail", 2)))],
            unresolved=Unresolved.ALL,
            length=4,
        ),
        fixed("end", 1),
    )
)
