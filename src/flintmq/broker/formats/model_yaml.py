"""Message sets as YAML: the whole of a message set in one readable file.

    message_set: Orders
    formats:
      CWF1: {kind: CWF}
      TDS1: {kind: TDS, delimiter: ";", tagDataSeparator: "="}
      XML1: {kind: XML, rootTagName: Envelope}
    types:
      Line:
        elements:
          - Sku: {type: string, CWF1: {length: 8}, TDS1: {tag: SKU}}
          - Count: {type: int, TDS1: {tag: CNT}}
    messages:
      Order:
        TDS1: {dataElementSeparation: TaggedDelimited}
        elements:
          - Id: string
          - Lines: {type: Line, occurs: 1..20}
          - <choice>:
              - Cash: {type: decimal}
              - Card: {type: string}

A field has `type` (a simple type of XML Schema, or the name of a type of the file) or its content inline; `occurs` (1
unless said: `3`, `0..1`, `1..*`), `nillable`, `default`, `fixed`, `namespace`, `attribute`, `hidden`; the facets
minLength, maxLength, totalDigits, fractionDigits, minInclusive, maxInclusive, minExclusive, maxExclusive, pattern and
enumeration; and for each format its physical properties (`mrm_properties.py`). Content is `elements` (a sequence, or
a `composition`) or `choice`, and `open: true` for open content; `content:` holds it where a property could
belong to the field or to its content. A list item with a text as value has just that type. Groups inside groups are
the items `<sequence>`, `<choice>`, and `<group>: Name` for the content of a type.

Every scalar is read as text: `007`, `no` and `~` mean themselves. `to_yaml` writes the form that `from_yaml` reads;
nothing is lost but notes. The file is bounded as all YAML from strangers is (`safe_yaml`). Errors are ParserExceptions.
"""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.safe_yaml import load_strings
from flintmq.broker.formats.message_set import (
    Field,
    FormatKind,
    Group,
    Member,
    MessageSet,
    PhysicalFormat,
    Properties,
    definition_error,
    expanded_size,
    occurs_text,
)
from flintmq.broker.formats.model.schema import UNBOUNDED, Composition, Facets, Logical
from flintmq.broker.formats.mrm_properties import FIELD_PROPERTIES, GROUP_PROPERTIES, SET_PROPERTIES, problem_of

_SET_KEYS: Final = ("message_set", "identifier", "default_format", "type_prefix", "formats", "types", "messages")
_FIELD_KEYS: Final = ("type", "occurs", "nillable", "default", "fixed", "namespace", "attribute", "hidden", "content")
_GROUP_KEYS: Final = ("elements", "choice", "composition", "open")
_NUMBER_FACETS: Final = {
    "minLength": "min_length",
    "maxLength": "max_length",
    "totalDigits": "total_digits",
    "fractionDigits": "fraction_digits",
}
_TEXT_FACETS: Final = {
    "minInclusive": "min_inclusive",
    "maxInclusive": "max_inclusive",
    "minExclusive": "min_exclusive",
    "maxExclusive": "max_exclusive",
}
_OCCURS: Final = re.compile(r"(\d{1,9})(?:\.\.(\d{1,9}|\*))?")
_GROUP_ITEMS: Final = ("<sequence>", "<choice>", "<group>")
_TYPES: Final = {kind.value: kind for kind in Logical} | {"hexBinary": Logical.HEX_BINARY}
#: Types of XML Schema that have the tree type of another.
_ALIASES: Final = {
    "base64Binary": Logical.HEX_BINARY,
    "positiveInteger": Logical.NON_NEGATIVE_INTEGER,
    "negativeInteger": Logical.INTEGER,
    "nonPositiveInteger": Logical.INTEGER,
}


def from_yaml(data: str | bytes, file: str = "") -> MessageSet:
    """Return the message set of a YAML document. Raises a ParserException that names the place of an error."""
    try:
        document = load_strings(data.encode() if isinstance(data, str) else data, file)
    except FlowFileError as error:
        raise definition_error(error.reason, file, error.line) from None
    except UnicodeEncodeError as error:
        raise definition_error(f"the text has a character that is none: {error.reason}", file) from None
    if not isinstance(document, dict) or "message_set" not in document:
        raise definition_error("is no message set: it has no 'message_set' at its top", file)
    try:
        return _Reader(document, file).message_set()
    except RecursionError:
        raise definition_error("structures are nested too deep", file) from None


class _Reader:
    """Reads one document."""

    def __init__(self, document: dict[str, Any], file: str) -> None:
        self.document = document
        self.file = file
        self.formats: dict[str, PhysicalFormat] = {}
        self.types: dict[str, Group] = {}
        self.pending: dict[str, Any] = {}

    def error(self, place: str, text: str) -> BrokerError:
        return definition_error(f"{place}: {text}", self.file)

    def mapping(self, value: Any, place: str) -> dict[str, Any]:
        """Return a mapping with texts as keys."""
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise self.error(place, "a mapping is expected")
        return value

    def text(self, value: Any, place: str) -> str:
        if not isinstance(value, str):
            raise self.error(place, "a text is expected")
        return value

    def message_set(self) -> MessageSet:
        document = self.mapping(self.document, "the document")
        for key in document:
            if key not in _SET_KEYS:
                raise self.error(key, f"is not known; known: {', '.join(_SET_KEYS)}")
        result = MessageSet(self.text(document["message_set"], "message_set"))
        result.identifier = self.text(document.get("identifier", ""), "identifier")
        result.type_prefix = self.text(document.get("type_prefix", ""), "type_prefix")
        for name, value in self.mapping(document.get("formats", {}), "formats").items():
            self.formats[name] = self.format(name, self.mapping(value, f"formats.{name}"))
        result.formats = self.formats
        result.default_format = self.text(document.get("default_format", ""), "default_format")
        if result.default_format and result.default_format not in self.formats:
            raise self.error("default_format", f"there is no format {result.default_format}")
        self.pending = dict(self.mapping(document.get("types", {}), "types"))
        for name in list(self.pending):
            self.type(name, "types")
        for name, value in self.mapping(document.get("messages", {}), "messages").items():
            message = self.field(name.rpartition("}:")[2], value, f"messages.{name}")
            expanded_size(message)
            result.add(message)
        return result

    def format(self, name: str, value: dict[str, Any]) -> PhysicalFormat:
        place = f"formats.{name}"
        if name in _FIELD_KEYS or name in _GROUP_KEYS or name in _NUMBER_FACETS or name in _TEXT_FACETS:
            raise self.error(place, "a format cannot have the name of a property of fields")
        word = self.text(value.get("kind", ""), place).upper()
        if word not in FormatKind.__members__:
            raise self.error(place, f"its kind is '{word[:20]}', not CWF, TDS or XML")
        kind = FormatKind(word)
        properties = {key: self.text(one, f"{place}.{key}") for key, one in value.items() if key != "kind"}
        problem = problem_of(properties, SET_PROPERTIES[kind])
        if problem:
            raise self.error(place, problem)
        return PhysicalFormat(name, kind, properties)

    def type(self, name: str, place: str) -> Group:
        """Return the content of a named type, reading it at its first use."""
        found = self.types.get(name)
        if found is not None:
            return found
        if name not in self.pending:
            raise self.error(place, f"there is no type '{name[:60]}'")
        group = Group(name=name, place=self.file)
        self.types[name] = group
        value = self.mapping(self.pending[name], f"types.{name}")
        self.fill(group, value, f"types.{name}", {})
        return group

    def fill(self, group: Group, value: dict[str, Any], place: str, extra: dict[str, Properties]) -> None:
        """Set members and properties of a group from a mapping."""
        for key, one in value.items():
            if key in self.formats:
                properties = self.properties(one, f"{place}.{key}")
                problem = problem_of(properties, GROUP_PROPERTIES[self.formats[key].kind])
                if problem:
                    raise self.error(f"{place}.{key}", problem)
                group.physical[key] = properties
            elif key not in (*_GROUP_KEYS, "occurs"):
                raise self.error(place, f"'{key}' is neither a format nor known here")
        for key, properties in extra.items():
            group.physical.setdefault(key, {}).update(properties)
        if ("elements" in value) == ("choice" in value):
            raise self.error(place, "it needs either 'elements' or 'choice'")
        group.choice = "choice" in value
        word = self.text(value.get("composition", "sequence"), place)
        try:
            group.composition = Composition(word)
        except ValueError:
            raise self.error(place, f"there is no composition '{word[:40]}'") from None
        group.open_content = self.flag(value, "open", place)
        group.min_occurs, group.max_occurs = self.occurs(value, place)
        members = value["choice" if group.choice else "elements"]
        if not isinstance(members, list):
            raise self.error(place, "the members of a group are a list")
        for item in members:
            group.members.append(self.member(item, place))

    def member(self, item: Any, place: str) -> Member:
        """Return a member of a group: a mapping of one name."""
        entry = self.mapping(item, place)
        if len(entry) != 1:
            raise self.error(place, "a member is a mapping with one key: its name")
        name, value = next(iter(entry.items()))
        inner = f"{place}.{name}"
        if name not in _GROUP_ITEMS:
            return self.field(name, value, inner)
        if name == "<group>":
            return self.type(self.text(value, inner), inner)
        group = Group(place=self.file)
        if isinstance(value, list):
            value = {"choice" if name == "<choice>" else "elements": value}
        self.fill(group, self.mapping(value, inner), inner, {})
        return group

    def properties(self, value: Any, place: str) -> Properties:
        return {key: self.text(one, f"{place}.{key}") for key, one in self.mapping(value, place).items()}

    def field(self, name: str, value: Any, place: str) -> Field:
        """Return a field or structure."""
        if isinstance(value, str):
            value = {"type": value}
        entry = self.mapping(value, place)
        field = Field(name=name, place=self.file)
        outer: dict[str, Properties] = {}
        for key, one in entry.items():
            if key in self.formats:
                outer[key] = self.properties(one, f"{place}.{key}")
            elif key not in (*_FIELD_KEYS, *_GROUP_KEYS, *_NUMBER_FACETS, *_TEXT_FACETS, "pattern", "enumeration"):
                raise self.error(place, f"'{key}' is neither a format nor known here")
        inline: dict[str, Any] = {key: entry[key] for key in _GROUP_KEYS if key in entry}
        group_properties = self.split(field, outer, place, bool(inline))
        if "type" in entry:
            self.set_type(field, self.text(entry["type"], place), place)
        if inline:
            if field.group is not None or "content" in entry:
                raise self.error(place, "its content is given twice")
            field.group = Group(place=self.file)
            self.fill(field.group, inline, place, group_properties)
        elif "content" in entry:
            field.group = Group(place=self.file)
            self.fill(field.group, self.mapping(entry["content"], place), f"{place}.content", {})
        if field.logical is None and field.group is None:
            raise self.error(place, "it has neither a type nor content")
        field.min_occurs, field.max_occurs = self.occurs(entry, place)
        field.nillable = self.flag(entry, "nillable", place)
        field.attribute = self.flag(entry, "attribute", place)
        field.hidden = self.flag(entry, "hidden", place)
        field.namespace = self.text(entry.get("namespace", ""), place)
        if "fixed" in entry:
            field.default = self.text(entry["fixed"], place)
            field.fixed = True
        elif "default" in entry:
            field.default = self.text(entry["default"], place)
        field.facets = self.facets(entry, place)
        return field

    def set_type(self, field: Field, name: str, place: str) -> None:
        """Set the simple or complex type of a field."""
        local = name.rpartition(":")[2]
        if name in self.pending or name in self.types:
            field.group = self.type(name, place)
        elif local in _TYPES:
            field.logical = _TYPES[local]
        elif local in _ALIASES:
            field.logical = _ALIASES[local]
            field.base64 = local == "base64Binary"
        else:
            raise self.error(place, f"there is no type '{name[:60]}'")

    def split(self, field: Field, given: dict[str, Properties], place: str, inline: bool) -> dict[str, Properties]:
        """Give a field its properties, and return those that only its inline content can have."""
        others: dict[str, Properties] = {}
        for format, properties in given.items():
            kind = self.formats[format].kind
            for key, value in properties.items():
                if inline and key not in FIELD_PROPERTIES[kind] and key in GROUP_PROPERTIES[kind]:
                    others.setdefault(format, {})[key] = value
                else:
                    field.physical.setdefault(format, {})[key] = value
            problem = problem_of(field.physical.get(format, {}), FIELD_PROPERTIES[kind])
            problem = problem or problem_of(others.get(format, {}), GROUP_PROPERTIES[kind])
            if problem:
                raise self.error(f"{place}.{format}", problem)
        return others

    def flag(self, entry: dict[str, Any], key: str, place: str) -> bool:
        word = self.text(entry.get(key, "false"), place).lower()
        if word not in ("true", "false", "yes", "no"):
            raise self.error(place, f"{key} is '{word[:20]}', not true or false")
        return word in ("true", "yes")

    def occurs(self, entry: dict[str, Any], place: str) -> tuple[int, int]:
        word = self.text(entry.get("occurs", "1"), place).strip()
        found = _OCCURS.fullmatch(word)
        if found is None:
            raise self.error(place, f"occurs is '{word[:40]}', not a number or a range such as 0..5 or 1..*")
        least = int(found.group(1))
        most = found.group(2)
        highest = least if most is None else UNBOUNDED if most == "*" else int(most)
        if highest != UNBOUNDED and highest < least:
            raise self.error(place, f"occurs is '{word}': the first number is the larger")
        return least, highest

    def facets(self, entry: dict[str, Any], place: str) -> Facets:
        found: dict[str, Any] = {}
        for key, name in _NUMBER_FACETS.items():
            if key in entry:
                word = self.text(entry[key], place)
                if not word.isascii() or not word.isdigit() or len(word) > 9:
                    raise self.error(place, f"{key} is '{word[:40]}', not a number")
                found[name] = int(word)
        for key, name in _TEXT_FACETS.items():
            if key in entry:
                found[name] = self.text(entry[key], place)
        for key, name in (("pattern", "patterns"), ("enumeration", "enumeration")):
            if key in entry:
                values = entry[key] if isinstance(entry[key], list) else [entry[key]]
                texts = tuple(self.text(one, place) for one in values)
                found[name] = (texts,) if name == "patterns" else texts
        return Facets(**found)


# Writing.


def to_yaml(message_set: MessageSet) -> str:
    """Return a message set as YAML."""
    return _Writer(message_set).text()


class _Writer:
    """Writes one message set."""

    def __init__(self, message_set: MessageSet) -> None:
        self.set = message_set
        #: Names of the groups that stand under `types`.
        self.names: dict[int, str] = {}
        self.types: dict[str, Any] = {}

    def text(self) -> str:
        uses: dict[int, int] = {}
        groups: list[Group] = []
        messages = self.set.unique_messages()
        for message in messages.values():
            expanded_size(message)
            _count(message, uses, groups)
        taken: set[str] = set(_TYPES) | set(_ALIASES)
        for group in groups:
            # A recursive group is reached at least twice: from outside and from inside.
            if uses[id(group)] > 1:
                name = base = group.name or "Type"
                number = 1
                while name in taken:
                    number += 1
                    name = f"{base}_{number}"
                taken.add(name)
                self.names[id(group)] = name
        document: dict[str, Any] = {"message_set": self.set.name}
        for key in ("identifier", "default_format", "type_prefix"):
            if getattr(self.set, key):
                document[key] = getattr(self.set, key)
        document["formats"] = {
            name: {"kind": format.kind.value, **format.properties} for name, format in self.set.formats.items()
        }
        for group in groups:
            name = self.names.get(id(group), "")
            if name:
                self.types[name] = self.group(group)
        if self.types:
            document["types"] = self.types
        document["messages"] = {name: self.field(message) for name, message in messages.items()}
        made = yaml.dump(
            document,
            Dumper=_Dumper,
            sort_keys=False,
            default_flow_style=None,
            width=110,
            allow_unicode=True,
        )
        assert isinstance(made, str)
        return made

    def group(self, group: Group) -> dict[str, Any]:
        """Return the mapping of a group."""
        made: dict[str, Any] = {}
        if group.composition is not Composition.SEQUENCE:
            made["composition"] = group.composition.value
        if group.open_content:
            made["open"] = "true"
        if (group.min_occurs, group.max_occurs) != (1, 1):
            made["occurs"] = occurs_text(group.min_occurs, group.max_occurs)
        for format, properties in group.physical.items():
            if properties:
                made[format] = dict(properties)
        made["choice" if group.choice else "elements"] = [self.member(member) for member in group.members]
        return made

    def member(self, member: Member) -> dict[str, Any]:
        """Return the list item of a member."""
        if isinstance(member, Field):
            made = self.field(member)
            return {member.name: made["type"] if list(made) == ["type"] else made}
        name = self.names.get(id(member))
        if name is not None:
            return {"<group>": name}
        value = self.group(member)
        key = "choice" if member.choice else "elements"
        return {"<choice>" if member.choice else "<sequence>": value[key] if list(value) == [key] else value}

    def field(self, field: Field) -> dict[str, Any]:
        """Return the mapping of a field."""
        made: dict[str, Any] = {}
        if field.logical is not None:
            made["type"] = "base64Binary" if field.base64 else field.logical.value
        if field.group is not None and id(field.group) in self.names and field.logical is None:
            made["type"] = self.names[id(field.group)]
        if (field.min_occurs, field.max_occurs) != (1, 1):
            made["occurs"] = occurs_text(field.min_occurs, field.max_occurs)
        for key in ("nillable", "attribute", "hidden"):
            if getattr(field, key):
                made[key] = "true"
        if field.default is not None:
            made["fixed" if field.fixed else "default"] = field.default
        if field.namespace:
            made["namespace"] = field.namespace
        made |= _facets(field.facets)
        for format, properties in field.physical.items():
            if properties:
                made[format] = dict(properties)
        if field.group is not None and id(field.group) not in self.names:
            if not self.inline(field, field.group, made):
                made["content"] = self.group(field.group)
        elif field.group is not None and field.logical is not None:
            made["content"] = {"elements": [{"<group>": self.names[id(field.group)]}]}
        return made

    def inline(self, field: Field, group: Group, made: dict[str, Any]) -> bool:
        """Put content into the mapping of its field; return False if a property could belong to either."""
        if field.logical is not None or (group.min_occurs, group.max_occurs) != (1, 1):
            return False
        for format, properties in group.physical.items():
            if any(key in FIELD_PROPERTIES[self.set.formats[format].kind] for key in properties):
                return False
        for key, value in self.group(group).items():
            made[key] = {**made[key], **value} if key in self.set.formats and key in made else value
        return True


def _facets(facets: Facets) -> dict[str, Any]:
    """Return the facets that are not the default."""
    made: dict[str, Any] = {}
    default = Facets()
    for key, name in (_NUMBER_FACETS | _TEXT_FACETS).items():
        value = getattr(facets, name)
        if value != getattr(default, name):
            made[key] = str(value)
    if facets.patterns:
        made["pattern"] = list(facets.patterns[0])
    if facets.enumeration:
        made["enumeration"] = list(facets.enumeration)
    return made


def _count(member: Member, uses: dict[int, int], groups: list[Group]) -> None:
    """Count how often each group is reached, without following one twice."""
    work: list[Member] = [member]
    while work:
        one = work.pop()
        group = one if isinstance(one, Group) else one.group
        if group is None:
            continue
        uses[id(group)] = uses.get(id(group), 0) + 1
        if uses[id(group)] == 1:
            groups.append(group)
            work.extend(reversed(group.members))


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Writes no aliases: a group that is used twice is a type."""

    # A number stays a plain text: the reader takes every scalar for text.
    yaml_implicit_resolvers: Any = {}  # noqa: RUF012

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
        return super().increase_indent(flow, False)
