"""Message sets of MRM: messages as a logical model, and physical formats with properties for every object.

    MessageSet
      formats    CWF, TDS and XML formats by name, each with properties of the whole set
      messages   the elements that are messages, by name
        Field    a field (`logical`), a structure (`group`), or both: a value with attributes
          Group  sequence, choice and the other compositions of MF 4.1; members are fields and groups

Fields and groups hold *physical properties*: for each format a dictionary of texts. The names are those of `.mxsd`
files and of our YAML (`mrm_properties.py` lists them). Readers of message sets, YAML, copybooks and C headers make
these objects; `mrm_cwf`, `mrm_tds` and `mrm_xml` turn a message in one format into something that reads and writes, at
the first message that needs it.

A type that contains itself is one Group that is reached again through its members, so walks over a model keep track of
groups they have seen. `expanded_size` says how large a model is when every reference is followed, and refuses what is
out of proportion: a few lines of schema can stand for more fields than memory has bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.model.schema import UNBOUNDED, Composition, Facets, Logical

#: The number of an error in the definition of a message set.
DEFINITION = 5396
#: Fields of a message when every reference is followed.
EXPANDED_MAX = 200_000
#: Structures inside each other that a definition may have, a recursive type counted once.
NESTING_MAX = 120

Properties: TypeAlias = dict[str, str]


class FormatKind(StrEnum):
    """The three kinds of physical format."""

    CWF = "CWF"
    TDS = "TDS"
    XML = "XML"


@dataclass(slots=True)
class PhysicalFormat:
    """A physical format of a message set: `CWF1`, `TDS1`, `XML1` ..."""

    name: str
    kind: FormatKind
    properties: Properties = field(default_factory=dict)


@dataclass(slots=True, kw_only=True, eq=False)
class Field:
    """An element or attribute, as it stands in its group: with occurrences and physical properties of its own."""

    name: str
    namespace: str = ""
    #: The type of the value; None for a structure without one.
    logical: Logical | None = None
    group: Group | None = None
    min_occurs: int = 1
    max_occurs: int = 1
    nillable: bool = False
    #: In XML Schema's form; `fixed` says that no other value is valid.
    default: str | None = None
    fixed: bool = False
    facets: Facets = field(default_factory=Facets)
    #: An attribute of XML Schema: XML renders it as an attribute unless told otherwise.
    attribute: bool = False
    #: Read and written, never in the tree: FILLER of a copybook.
    hidden: bool = False
    #: `base64Binary` of XML Schema: the logical type is hexBinary, XML writes it in base 64.
    base64: bool = False
    physical: dict[str, Properties] = field(default_factory=dict)
    #: Where it is defined, for messages.
    place: str = ""

    def properties(self, format: str) -> Properties:
        """Return the physical properties in a format."""
        return self.physical.get(format, {})


@dataclass(slots=True, kw_only=True, eq=False)
class Group:
    """The content of a type, or a group inside one."""

    members: list[Field | Group] = field(default_factory=list)
    choice: bool = False
    composition: Composition = Composition.SEQUENCE
    #: Elements that are not in the model may stand in the group.
    open_content: bool = False
    min_occurs: int = 1
    max_occurs: int = 1
    physical: dict[str, Properties] = field(default_factory=dict)
    #: The name of the type or global group it is the content of; '' = none.
    name: str = ""
    place: str = ""

    def properties(self, format: str) -> Properties:
        """Return the physical properties in a format."""
        return self.physical.get(format, {})


Member: TypeAlias = Field | Group


@dataclass(slots=True, eq=False)
class MessageSet:
    """A message set, as `Context.models(name)` returns it for the domain MRM."""

    name: str
    #: The identifier of 13 characters that MQRFH2 headers may use instead of the name; '' = not known.
    identifier: str = ""
    formats: dict[str, PhysicalFormat] = field(default_factory=dict)
    #: By name, and by `{namespace}:name` where there is a namespace.
    messages: dict[str, Field] = field(default_factory=dict)
    #: The format that applies if a message names none; '' = the only one.
    default_format: str = ""
    #: Put before the message type of every message: MRM's Message Type Prefix.
    type_prefix: str = ""
    #: What the definition has and this implementation does not use or understand, with its place.
    notes: list[str] = field(default_factory=list)
    #: What `mrm.py` made of messages: by message type and format.
    bound: dict[tuple[str, str], object] = field(default_factory=dict, repr=False)

    def add(self, message: Field) -> None:
        """Make a message known under its name."""
        if message.namespace:
            self.messages[f"{{{message.namespace}}}:{message.name}"] = message
        self.messages.setdefault(message.name, message)

    def find(self, name: str) -> Field | None:
        """Return a message by name, `{namespace}:name` or a name with prefix; None if there is none."""
        found = self.messages.get(name)
        if found is None:
            found = self.messages.get(name.rpartition("}")[2].rpartition(":")[2])
        return found

    def unique_messages(self) -> dict[str, Field]:
        """Return each message once, by the shortest name it is known under."""
        found: dict[str, Field] = {}
        seen: set[int] = set()
        for name in sorted(self.messages, key=lambda name: (name.startswith("{"), 0)):
            message = self.messages[name]
            if id(message) not in seen:
                seen.add(id(message))
                found[name] = message
        return found

    def formats_of(self, kind: FormatKind) -> list[str]:
        """Return the names of the formats of a kind."""
        return [name for name, format in self.formats.items() if format.kind is kind]


def definition_error(text: str, file: str = "", line: int = 0) -> BrokerError:
    """Return the error of a definition that cannot be used."""
    return BrokerError(
        DEFINITION, text, inserts=(text,), kind="ParserException", sqlstate="S22000", file=file, line=line
    )


def expanded_size(message: Field) -> int:
    """Return how many fields and groups a message has when references are followed, a recursive type once.

    Raises a ParserException if there are more than EXPANDED_MAX, or they are nested deeper than NESTING_MAX.
    """
    sizes: dict[int, int] = {}
    open_groups: set[int] = set()

    def size_of(member: Member, depth: int) -> int:
        if depth > 2 * NESTING_MAX:
            raise definition_error(f"message {message.name} has structures nested deeper than {NESTING_MAX}")
        if isinstance(member, Field):
            return 1 if member.group is None else 1 + size_of(member.group, depth + 1)
        key = id(member)
        if key in open_groups:
            return 1
        if key not in sizes:
            open_groups.add(key)
            sizes[key] = 1 + sum(size_of(inner, depth + 1) for inner in member.members)
            open_groups.discard(key)
            if sizes[key] > EXPANDED_MAX:
                raise definition_error(
                    f"message {message.name} has more than {EXPANDED_MAX} fields when its types are expanded"
                )
        return sizes[key]

    return size_of(message, 0)


def occurs_text(least: int, most: int) -> str:
    """Return occurrences as YAML and messages show them: `1`, `0..5`, `1..*`."""
    if least == most:
        return str(least)
    return f"{least}..{'*' if most == UNBOUNDED else most}"


def read_flag(properties: Mapping[str, str], key: str, default: bool = False) -> bool:
    """Return a property that is true or false."""
    value = properties.get(key, "").strip().lower()
    if not value:
        return default
    return value in ("true", "yes", "1", "on")


def read_number(properties: Mapping[str, str], key: str, default: int, place: str) -> int:
    """Return a property that is a whole number. Raises a ParserException if it is something else."""
    value = properties.get(key, "").strip()
    if not value:
        return default
    digits = value[1:] if value[0] in "+-" else value
    if not digits.isascii() or not digits.isdigit() or len(digits) > 9:
        raise definition_error(f"{place}: {key} is '{value[:40]}', not a number")
    return int(value)
