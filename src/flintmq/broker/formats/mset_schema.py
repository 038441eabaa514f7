"""Message definition files (`.mxsd`): XML Schema as the logical model of a message set.

All files of a set are one pool of global elements, types, groups and attributes, found by namespace and name; where
`import` and `include` point does not matter, and nothing is fetched. A schema without namespace may be used by all.

    XML Schema                          in the model
    element, attribute                  Field; a reference is a copy with its own occurrences and properties
    complexType, group                  Group; a named one is one object however often it is used
    sequence, choice, all               Group; composition as MRM's annotation says, if there is one
    simpleContent                       Field with a value and a group of attributes
    complexContent                      extension: members of the base type, then its own; restriction: its own
    any, anyAttribute                   open content
    simpleType                          logical type and facets; a union or list is a string, with a note

All others are notes with their places: substitution groups, mixed content, identity constraints. A definition that is
malformed beyond that is a ParserException.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.message_set import Field, Group, MessageSet, Properties, definition_error
from flintmq.broker.formats.model.schema import UNBOUNDED, Composition, Facets, Logical
from flintmq.broker.formats.mset_annotations import XSD, AnnotationReader, local

_Element = Any  # lxml has no types of its own.

#: Fields of all files of a set, and steps of a chain of simple types.
FIELDS_MAX: Final = 300_000
CHAIN_MAX: Final = 100
OCCURS_MAX: Final = 999_999_999
NOTES_MAX: Final = 500

_SIMPLE: Final = {kind.value: kind for kind in Logical} | {
    "base64Binary": Logical.HEX_BINARY,
    "positiveInteger": Logical.NON_NEGATIVE_INTEGER,
    "negativeInteger": Logical.INTEGER,
    "nonPositiveInteger": Logical.INTEGER,
}
_STRINGS: Final = frozenset(
    (
        "normalizedString token language Name NCName NMTOKEN NMTOKENS ID IDREF IDREFS ENTITY ENTITIES NOTATION QName"
        " anyURI duration anySimpleType"
    ).split()
)
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
_QUIET: Final = frozenset(("annotation", "key", "keyref", "unique", "import", "include", "notation"))


@dataclass(slots=True)
class SchemaFile:
    """One file: its root element and the settings for all in it."""

    path: str
    root: _Element
    namespace: str
    qualified: bool
    qualified_attributes: bool


@dataclass(slots=True)
class SimpleType:
    """A logical type with its facets."""

    logical: Logical
    facets: Facets = field(default_factory=Facets)
    base64: bool = False


class SchemaPool:
    """The message definition files of a set."""

    def __init__(self, message_set: MessageSet) -> None:
        self.set = message_set
        self.reader = AnnotationReader(message_set, self.note)
        self.files: list[SchemaFile] = []
        #: Global objects by kind, namespace and name, with the file they are in.
        self.globals: dict[tuple[str, str, str], tuple[_Element, SchemaFile]] = {}
        self._types: dict[int, Group] = {}
        self._contents: dict[_Element, tuple[SimpleType | None, Group]] = {}
        self._groups: dict[int, Group] = {}
        self._open_types: set[int] = set()
        self._fields = 0
        self._paths: dict[int, str] = {}
        self._noted: set[str] = set()

    # Places, notes and errors.

    def place(self, element: _Element) -> str:
        """Return file and line of an element."""
        path = self._paths.get(id(element.getroottree().getroot()), "")
        return f"{path}:{element.sourceline}" if element.sourceline else path

    def note(self, element: _Element, text: str) -> None:
        """Note a part that is not used, once for each text and file."""
        path = self._paths.get(id(element.getroottree().getroot()), "")
        if f"{path}{text}" in self._noted or len(self.set.notes) >= NOTES_MAX:
            return
        self._noted.add(f"{path}{text}")
        self.set.notes.append(f"{self.place(element)}: {text}")

    def error(self, element: _Element, text: str) -> BrokerError:
        path = self._paths.get(id(element.getroottree().getroot()), "")
        return definition_error(text, path, element.sourceline or 0)

    # Files.

    def add(self, path: str, root: _Element) -> None:
        """Take a file into the pool."""
        self._paths[id(root)] = path
        if root.tag != f"{{{XSD}}}schema":
            self.note(root, f"the root element is {local(root)}, not an XML Schema; the file is not used")
            return
        file = SchemaFile(
            path,
            root,
            root.get("targetNamespace") or "",
            root.get("elementFormDefault") == "qualified",
            root.get("attributeFormDefault") == "qualified",
        )
        self.files.append(file)
        for child in root.iterchildren():
            kind = local(child)
            name = child.get("name") if isinstance(child.tag, str) else None
            if name and kind in ("element", "attribute", "complexType", "simpleType", "group", "attributeGroup"):
                kind = "type" if kind.endswith("Type") else kind
                key = (kind, file.namespace, name)
                if key in self.globals:
                    self.note(child, f"{kind} {name} is defined twice; the first definition is used")
                else:
                    self.globals[key] = (child, file)
            elif isinstance(child.tag, str) and kind not in _QUIET:
                self.note(child, f"{kind} is not supported")

    def find(self, kind: str, qname: str, element: _Element, file: SchemaFile) -> tuple[_Element, SchemaFile] | None:
        """Return a global object that a reference names."""
        prefix, _, name = qname.rpartition(":")
        namespace = element.nsmap.get(prefix or None) or ""
        found = self.globals.get((kind, namespace, name))
        if found is None and not prefix:
            found = self.globals.get((kind, file.namespace, name))
        if found is None:
            found = self.globals.get((kind, "", name))
        return found

    # Messages.

    def message_elements(self) -> list[tuple[_Element, SchemaFile]]:
        """Return the elements that are messages; every global element if none is marked as one."""
        elements = [(element, file) for (kind, _, _), (element, file) in self.globals.items() if kind == "element"]
        marked = [pair for pair in elements if self.reader.says(pair[0], "MRMessage") is not None]
        if elements and not marked:
            self.set.notes.append("no element is marked as a message: every global element is one")
        return [pair for pair in marked or elements if pair[0].get("abstract") != "true"]

    def global_element(self, element: _Element, file: SchemaFile) -> Field:
        """Return a global element."""
        return self.declaration(element, file, file.namespace)

    # Elements and attributes.

    def count(self, element: _Element) -> None:
        """Count one field more. Raises if there are too many."""
        self._fields += 1
        if self._fields > FIELDS_MAX:
            raise self.error(element, f"the message set has more than {FIELDS_MAX} fields")

    def element(self, element: _Element, file: SchemaFile) -> Field:
        """Return an element of a group: a declaration or a reference."""
        reference = element.get("ref")
        if reference is None:
            qualified = element.get("form", "qualified" if file.qualified else "") == "qualified"
            made = self.declaration(element, file, file.namespace if qualified else "")
        else:
            found = self.find("element", reference, element, file)
            if found is None:
                raise self.error(element, f"there is no global element {reference}")
            if found[0].get("abstract") == "true":
                self.note(element, f"element {reference} is abstract; substitution groups are not supported")
            made = self.global_element(*found)
            made = replace(made, physical=_merged(made.physical, self.reader.physical(element, False)))
            made.place = self.place(element)
        made.min_occurs, made.max_occurs = self.occurs(element)
        return made

    def declaration(self, element: _Element, file: SchemaFile, namespace: str) -> Field:
        """Return the field of an element declaration."""
        self.count(element)
        name = element.get("name")
        if not name:
            raise self.error(element, "an element has neither a name nor a reference")
        made = Field(name=name, namespace=namespace, place=self.place(element))
        made.physical = self.reader.physical(element, False)
        made.nillable = element.get("nillable") in ("true", "1")
        self.set_default(made, element)
        if element.get("substitutionGroup"):
            self.note(element, f"element {name} is in a substitution group, which is not supported")
        inline_simple = element.find(f"{{{XSD}}}simpleType")
        inline_complex = element.find(f"{{{XSD}}}complexType")
        if inline_simple is not None:
            self.set_simple(made, self.simple(inline_simple, file, 0))
        elif inline_complex is not None:
            simple, group = self.complex(inline_complex, file)
            self.set_complex(made, simple, group)
        else:
            self.set_type(made, element.get("type"), element, file)
        return made

    def set_default(self, made: Field, element: _Element) -> None:
        if element.get("fixed") is not None:
            made.default = element.get("fixed")
            made.fixed = True
        else:
            made.default = element.get("default")

    def set_simple(self, made: Field, simple: SimpleType) -> None:
        made.logical = simple.logical
        made.facets = simple.facets
        made.base64 = simple.base64

    def set_complex(self, made: Field, simple: SimpleType | None, group: Group) -> None:
        if simple is not None:
            self.set_simple(made, simple)
            if not group.members:
                return
        made.group = group

    def set_type(self, made: Field, qname: str | None, element: _Element, file: SchemaFile) -> None:
        """Set the type that an element or attribute names."""
        if qname is None:
            self.note(element, f"{made.name} has no type; it is a string")
            made.logical = Logical.STRING
            return
        simple = self.builtin(qname, element)
        if simple is not None:
            self.set_simple(made, simple)
            return
        if self.is_schema_name(qname, element) and qname.rpartition(":")[2] == "anyType":
            made.group = Group(open_content=True, place=self.place(element))
            return
        found = self.find("type", qname, element, file)
        if found is None:
            raise self.error(element, f"there is no type {qname}")
        definition, where = found
        if local(definition) == "simpleType":
            self.set_simple(made, self.simple(definition, where, 0))
        else:
            content, group = self.complex(definition, where)
            self.set_complex(made, content, group)

    def occurs(self, element: _Element) -> tuple[int, int]:
        """Return minOccurs and maxOccurs."""
        return self.bound(element, "minOccurs"), self.bound(element, "maxOccurs")

    def bound(self, element: _Element, key: str) -> int:
        text = (element.get(key) or "1").strip()
        if text in ("unbounded", "-1") and key == "maxOccurs":
            return UNBOUNDED
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise self.error(element, f"{key} is '{text[:40]}', not a number")
        return int(text)

    def attributes(self, element: _Element, file: SchemaFile, open_groups: tuple[int, ...] = ()) -> list[Field]:
        """Return the attributes of a type or attribute group."""
        found: list[Field] = []
        for child in element.iterchildren():
            kind = local(child)
            if kind == "attribute":
                if child.get("use") != "prohibited":
                    found.append(self.attribute(child, file))
            elif kind == "attributeGroup" and child.get("ref"):
                target = self.find("attributeGroup", child.get("ref"), child, file)
                if target is None:
                    raise self.error(child, f"there is no attribute group {child.get('ref')}")
                if id(target[0]) in open_groups or len(open_groups) > CHAIN_MAX:
                    raise self.error(child, f"attribute group {child.get('ref')} contains itself")
                found.extend(self.attributes(*target, (*open_groups, id(target[0]))))
        return found

    def attribute(self, element: _Element, file: SchemaFile) -> Field:
        """Return an attribute: a declaration or a reference."""
        self.count(element)
        reference = element.get("ref")
        declaration, where = element, file
        namespace = ""
        if reference is not None:
            found = self.find("attribute", reference, element, file)
            if found is None:
                name = reference.rpartition(":")[2]
                # Attributes such as xml:lang are defined nowhere.
                return Field(name=name, logical=Logical.STRING, attribute=True, min_occurs=0, place=self.place(element))
            declaration, where = found
            namespace = where.namespace
        elif element.get("form", "qualified" if file.qualified_attributes else "") == "qualified":
            namespace = file.namespace
        made = Field(name=declaration.get("name") or "", namespace=namespace, attribute=True, place=self.place(element))
        if not made.name:
            raise self.error(element, "an attribute has neither a name nor a reference")
        made.physical = _merged(
            self.reader.physical(declaration, False),
            self.reader.physical(element, False) if declaration is not element else {},
        )
        made.min_occurs = 1 if element.get("use") == "required" else 0
        self.set_default(made, element if element.get("default") or element.get("fixed") else declaration)
        inline = declaration.find(f"{{{XSD}}}simpleType")
        if inline is not None:
            self.set_simple(made, self.simple(inline, where, 0))
        else:
            self.set_type(made, declaration.get("type") or None, declaration, where)
        if made.group is not None:
            raise self.error(element, f"attribute {made.name} has a complex type")
        return made

    # Complex types.

    def complex(self, definition: _Element, file: SchemaFile) -> tuple[SimpleType | None, Group]:
        """Return a complex type: the type of its value, if it has one, and its members."""
        known = self._contents.get(definition)
        if known is not None:
            return known
        group = Group(name=definition.get("name") or "", place=self.place(definition))
        self._contents[definition] = (None, group)
        group.physical = self.reader.physical(definition, True)
        self.composition(group, definition, "MRComplexType")
        if definition.get("mixed") in ("true", "1"):
            self.note(definition, "mixed content: text between elements is not in the tree")
        simple: SimpleType | None = None
        content = definition.find(f"{{{XSD}}}simpleContent")
        if content is not None:
            simple = self.simple_content(content, file, group)
        else:
            content = definition.find(f"{{{XSD}}}complexContent")
            self.fill(group, definition if content is None else content, file, content is not None)
        self._contents[definition] = (simple, group)
        return simple, group

    def simple_content(self, content: _Element, file: SchemaFile, group: Group) -> SimpleType:
        """Return the value of a type with simple content; its attributes become members."""
        derivation = content.find(f"{{{XSD}}}extension")
        if derivation is None:
            derivation = content.find(f"{{{XSD}}}restriction")
        if derivation is None:
            raise self.error(content, "simple content without extension or restriction")
        base = derivation.get("base") or ""
        simple = self.builtin(base, derivation)
        if simple is None:
            found = self.find("type", base, derivation, file)
            if found is None:
                raise self.error(derivation, f"there is no type {base}")
            if local(found[0]) == "simpleType":
                simple = self.simple(found[0], found[1], 0)
            else:
                self.enter(derivation)
                inner, inherited = self.complex(*found)
                self.leave(derivation)
                if inner is None:
                    raise self.error(derivation, f"type {base} has no simple content")
                simple = inner
                group.members.extend(inherited.members)
        simple = replace(simple, facets=self.facets(derivation, simple.facets))
        group.members.extend(self.attributes(derivation, file))
        return simple

    def enter(self, element: _Element) -> None:
        """Note that the base of a type is being read. Raises if a type is derived from itself."""
        if id(element) in self._open_types or len(self._open_types) > CHAIN_MAX:
            raise self.error(element, "a type is derived from itself")
        self._open_types.add(id(element))

    def leave(self, element: _Element) -> None:
        self._open_types.discard(id(element))

    def fill(self, group: Group, definition: _Element, file: SchemaFile, derived: bool) -> None:
        """Set the members of a complex type."""
        body = definition
        inherited: list[Any] = []
        if derived:
            body, inherited = self.derivation(group, definition, file)
        attributes = self.attributes(body, file)
        particle = None
        for child in body.iterchildren():
            kind = local(child)
            if kind in ("sequence", "choice", "all", "group"):
                particle = child
            elif kind == "anyAttribute":
                group.open_content = True
        if particle is None:
            group.members = [*inherited, *attributes]
            return
        content = self.particle(particle, file)
        if content is group:
            raise self.error(particle, "a group contains itself")
        once = (content.min_occurs, content.max_occurs) == (1, 1)
        if once and not inherited and not attributes and not content.name and local(particle) != "group":
            # The group is the content of the type.
            group.members = content.members
            group.choice = content.choice
            if group.composition is Composition.SEQUENCE:
                group.composition = content.composition
        elif content.choice or content.name or not once:
            group.members = [*attributes, *inherited, content]
            return
        else:
            group.members = [*attributes, *inherited, *content.members]
        group.open_content = group.open_content or content.open_content
        group.physical = _merged(content.physical, group.physical)

    def derivation(self, group: Group, definition: _Element, file: SchemaFile) -> tuple[_Element, list[Any]]:
        """Return the extension or restriction in a complex content, and the members that an extension inherits."""
        body = definition.find(f"{{{XSD}}}extension")
        is_extension = body is not None
        if body is None:
            body = definition.find(f"{{{XSD}}}restriction")
        if body is None:
            raise self.error(definition, "complex content without extension or restriction")
        base = body.get("base") or ""
        if not is_extension or self.is_schema_name(base, body) and base.rpartition(":")[2] == "anyType":
            return body, []
        found = self.find("type", base, body, file)
        if found is None or local(found[0]) != "complexType":
            raise self.error(body, f"there is no complex type {base}")
        self.enter(body)
        _, base_group = self.complex(*found)
        self.leave(body)
        group.open_content = group.open_content or base_group.open_content
        for format, properties in base_group.physical.items():
            group.physical.setdefault(format, dict(properties))
        return body, list(base_group.members)

    def composition(self, group: Group, element: _Element, annotation: str) -> None:
        """Set composition and content of a group as its annotation says."""
        says = self.reader.says(element, annotation)
        if says is None:
            return
        word = says.get("composition") or ""
        if word:
            names = {kind.value.lower(): kind for kind in Composition}
            found = names.get(word.lower())
            if word.lower() == "choice":
                group.choice = True
            elif found is None:
                self.note(says, f"composition {word} is not known")
            else:
                group.composition = found
        content = (says.get("content") or "closed").lower()
        if content.startswith("open"):
            group.open_content = True

    def particle(self, element: _Element, file: SchemaFile) -> Group:
        """Return the group of a sequence, a choice, `all`, or a reference to a group."""
        kind = local(element)
        if kind == "group":
            reference = element.get("ref") or ""
            found = self.find("group", reference, element, file)
            if found is None:
                raise self.error(element, f"there is no group {reference}")
            made = self.global_group(*found)
            occurs = self.occurs(element)
            if occurs != (1, 1):
                made = Group(members=[made], place=self.place(element))
                made.min_occurs, made.max_occurs = occurs
            return made
        made = Group(place=self.place(element))
        made.choice = kind == "choice"
        if kind == "all":
            made.composition = Composition.ALL
        made.min_occurs, made.max_occurs = self.occurs(element)
        made.physical = self.reader.physical(element, True)
        self.composition(made, element, "MRLocalGroup")
        self.members(made, element, file)
        return made

    def members(self, group: Group, element: _Element, file: SchemaFile) -> None:
        """Add the particles of a sequence, choice or `all`."""
        for child in element.iterchildren():
            kind = local(child)
            if kind == "element":
                group.members.append(self.element(child, file))
            elif kind in ("sequence", "choice", "all", "group"):
                group.members.append(self.particle(child, file))
            elif kind == "any":
                group.open_content = True
            elif kind and kind != "annotation":
                self.note(child, f"{kind} is not supported here")

    def global_group(self, definition: _Element, file: SchemaFile) -> Group:
        """Return a global group."""
        found = self._groups.get(id(definition))
        if found is not None:
            return found
        made = Group(name=definition.get("name") or "", place=self.place(definition))
        self._groups[id(definition)] = made
        made.physical = self.reader.physical(definition, True)
        for child in definition.iterchildren():
            if local(child) in ("sequence", "choice", "all"):
                made.choice = local(child) == "choice"
                if local(child) == "all":
                    made.composition = Composition.ALL
                made.physical = _merged(made.physical, self.reader.physical(child, True))
                self.members(made, child, file)
        self.composition(made, definition, "MRGlobalGroup")
        return made

    # Simple types.

    def is_schema_name(self, qname: str, element: _Element) -> bool:
        """Return whether a name is in the namespace of XML Schema."""
        prefix = qname.rpartition(":")[0]
        namespace: str | None = element.nsmap.get(prefix or None)
        return namespace == XSD

    def builtin(self, qname: str, element: _Element) -> SimpleType | None:
        """Return a simple type of XML Schema; None if the name is not one."""
        if not self.is_schema_name(qname, element):
            return None
        name = qname.rpartition(":")[2]
        if name in _SIMPLE:
            return SimpleType(_SIMPLE[name], base64=name == "base64Binary")
        if name in _STRINGS:
            if name == "duration":
                self.note(element, "durations are strings in the tree")
            return SimpleType(Logical.STRING)
        return None

    def simple(self, definition: _Element, file: SchemaFile, depth: int) -> SimpleType:
        """Return a simple type."""
        if depth > CHAIN_MAX:
            raise self.error(definition, "a simple type is derived from itself")
        restriction = definition.find(f"{{{XSD}}}restriction")
        if restriction is None:
            self.note(definition, "a union or list is a string in the tree")
            return SimpleType(Logical.STRING)
        base = restriction.get("base")
        inline = restriction.find(f"{{{XSD}}}simpleType")
        if base is not None:
            found = self.builtin(base, restriction)
            if found is None:
                target = self.find("type", base, restriction, file)
                if target is None or local(target[0]) != "simpleType":
                    raise self.error(restriction, f"there is no simple type {base}")
                found = self.simple(*target, depth + 1)
        elif inline is not None:
            found = self.simple(inline, file, depth + 1)
        else:
            raise self.error(restriction, "a restriction names no base type")
        return replace(found, facets=self.facets(restriction, found.facets))

    def facets(self, restriction: _Element, base: Facets) -> Facets:
        """Return the facets of a restriction, added to those of its base."""
        changes: dict[str, Any] = {}
        enumeration: list[str] = []
        patterns: list[str] = []
        for child in restriction.iterchildren():
            kind = local(child)
            value = child.get("value") if isinstance(child.tag, str) else None
            if value is None:
                continue
            if kind in _NUMBER_FACETS or kind == "length":
                text = value.strip()
                if not text.isascii() or not text.isdigit() or len(text) > 9:
                    raise self.error(child, f"{kind} is '{text[:40]}', not a number")
                for name in ("min_length", "max_length") if kind == "length" else (_NUMBER_FACETS[kind],):
                    changes[name] = int(text)
            elif kind in _TEXT_FACETS:
                changes[_TEXT_FACETS[kind]] = value
            elif kind == "enumeration":
                enumeration.append(value)
            elif kind == "pattern":
                patterns.append(value)
        if enumeration:
            changes["enumeration"] = tuple(enumeration)
        if patterns:
            changes["patterns"] = (*base.patterns, tuple(patterns))
        return replace(base, **changes) if changes else base


def _merged(first: dict[str, Properties], second: dict[str, Properties]) -> dict[str, Properties]:
    """Return properties of two objects; those of the second win."""
    made = {format: dict(properties) for format, properties in first.items()}
    for format, properties in second.items():
        made.setdefault(format, {}).update(properties)
    return made
