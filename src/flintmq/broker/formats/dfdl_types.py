"""Types of DFDL schemas: primitive types, restrictions, unions, facets; and the properties of a chain of components.

`TypeReader` is the lower half of the builder in `dfdl_schema.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lxml import etree

from flintmq.broker.formats.dfdl_documents import Document, Documents, statements
from flintmq.broker.formats.dfdl_properties import DFDL, XS, DefinitionError, Properties
from flintmq.broker.formats.model.codecs import logical_value
from flintmq.broker.formats.model.patterns import schema_regex
from flintmq.broker.formats.model.schema import EscapeScheme, Facets, Logical

Node = Any
LOGICAL = {logical.value: logical for logical in Logical} | {"anyURI": Logical.STRING}
INTEGERS = frozenset(
    (
        Logical.BYTE,
        Logical.SHORT,
        Logical.INT,
        Logical.LONG,
        Logical.UNSIGNED_BYTE,
        Logical.UNSIGNED_SHORT,
        Logical.UNSIGNED_INT,
        Logical.UNSIGNED_LONG,
        Logical.INTEGER,
        Logical.NON_NEGATIVE_INTEGER,
    )
)
#: Properties that may stand in several places of one chain of references.
_REPEATABLE = frozenset(("extension:suppressSchemaDefinitionWarnings",))
_IGNORED_EXTENSIONS = frozenset(("suppressSchemaDefinitionWarnings", "emptyElementParsePolicy", "parseUnparsePolicy"))


class SimpleType:
    """A simple type: its primitive type, facets, and the components that give it properties."""

    def __init__(self, logical: Logical) -> None:
        self.logical = logical
        self.facets = Facets()
        #: Components from the type itself to its last base: document and node.
        self.chain: list[tuple[Document, Node]] = []


#: Facets that are numbers of characters, bytes or digits, and the fields of `Facets` that they set.
_COUNT_FACETS: Mapping[str, tuple[str, ...]] = {
    "length": ("min_length", "max_length"),
    "minLength": ("min_length",),
    "maxLength": ("max_length",),
    "totalDigits": ("total_digits",),
    "fractionDigits": ("fraction_digits",),
}
_BOUND_FACETS: Mapping[str, str] = {
    "minInclusive": "min_inclusive",
    "maxInclusive": "max_inclusive",
    "minExclusive": "min_exclusive",
    "maxExclusive": "max_exclusive",
}


class TypeReader:
    """Reads properties and simple types."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.notices: list[str] = []

    def notice(self, document: Document, node: Node, text: str) -> None:
        """Say that something is not supported."""
        found = f"{document.place(node)}: {text} is not supported"
        if found not in self.notices:
            self.notices.append(found)

    def error(self, document: Document, node: Node, text: str) -> DefinitionError:
        return DefinitionError(f"{document.place(node)}: {text}")

    # Properties.

    def properties(self, chain: list[tuple[Document, Node]]) -> Properties:
        """Return the properties of a chain of components: an element reference, the element, its types."""
        document, node = chain[0]
        found = Properties(document.place(node), named_scope(scope_at(node)), self.notices)
        for where, component in chain:
            for name, (text, scope) in self.documents.component_properties(where, component).items():
                if name.startswith("extension:"):
                    self.extension(where, component, name[10:], text)
                    continue
                if name in found.own and name not in _REPEATABLE:
                    raise self.error(
                        where, component, f"dfdl:{name} is defined here and on what refers to this component"
                    )
                found.own[name] = (text, named_scope(scope))
        for where, _ in chain:
            for name, (text, scope) in self.documents.default_format(where).items():
                if name.startswith("extension:"):
                    continue
                found.defaults.setdefault(name, (text, named_scope(scope)))
        return found

    def extension(self, document: Document, node: Node, name: str, text: str) -> None:
        """Note a property of another vendor."""
        if name not in _IGNORED_EXTENSIONS or name == "parseUnparsePolicy" and text != "both":
            self.notice(document, node, f"the extension property {name}")

    def scheme(self, properties: Properties, chain: list[tuple[Document, Node]]) -> EscapeScheme | None:
        """Return the escape scheme of an element."""
        reference = properties.get("escapeSchemeRef")
        if not reference:
            return None
        document, node = chain[0]
        for where, component in chain:
            own = self.documents.component_properties(where, component)
            if "escapeSchemeRef" in own:
                document, node = where, component
                break
        scope = properties.scope_of("escapeSchemeRef")
        prefix, colon, local = reference.strip().rpartition(":")
        key = (scope.get(prefix, document.namespace) if colon else scope.get("", document.namespace), local)
        if key not in self.documents.schemes:
            key = next((known for known in self.documents.schemes if known[1] == local and not colon), key)
        if key not in self.documents.schemes:
            raise self.error(document, node, f"there is no escape scheme {reference}")
        target, definition = self.documents.schemes[key]
        inner = definition.find(f"{{{DFDL}}}escapeScheme")
        found = Properties(target.place(inner), named_scope(scope_at(inner)), self.notices)
        for attribute, value in inner.attrib.items():
            found.own[attribute] = (value, named_scope(inner.nsmap))
        for child in inner:
            if isinstance(child.tag, str) and child.get("name"):
                found.own[child.get("name")] = ("".join(child.itertext()), named_scope(child.nsmap))
        return found.escape_scheme()

    # Simple types.

    def primitive(self, document: Document, node: Node, name: str) -> SimpleType:
        """Return a type of XML Schema."""
        logical = LOGICAL.get(name)
        if logical is None or logical.value.startswith("g") or name == "anyURI":
            if name in ("anyURI",) or name.startswith("g"):
                self.notice(document, node, f"xs:{name}")
                return SimpleType(Logical.STRING)
            raise self.error(document, node, f"xs:{name} is not a type of DFDL")
        return SimpleType(logical)

    def simple_type(self, document: Document, node: Node, depth: int) -> SimpleType:
        """Return a simple type with the facets and components of its bases."""
        if depth > 50:
            raise self.error(document, node, "a simple type is derived from itself")
        inner = [child for child in node if isinstance(child.tag, str) and child.tag != f"{{{XS}}}annotation"]
        if len(inner) != 1:
            raise self.error(document, node, "a simple type needs one restriction or union")
        kind = etree.QName(inner[0]).localname
        if kind == "union":
            return self.union(document, node, inner[0], depth)
        if kind != "restriction":
            raise self.error(document, node, f"xs:{kind} is not part of DFDL")
        restriction = inner[0]
        base_name = restriction.get("base")
        if base_name is None:
            nested = restriction.find(f"{{{XS}}}simpleType")
            if nested is None:
                raise self.error(document, restriction, "a restriction needs a base")
            base = self.simple_type(document, nested, depth + 1)
        else:
            namespace, local = self.documents.qname(document, restriction, base_name)
            if namespace == XS:
                base = self.primitive(document, restriction, local)
            else:
                target = self.documents.component("simpleType", document, restriction, base_name)
                base = self.simple_type(target[0], target[1], depth + 1)
        made = SimpleType(base.logical)
        made.chain = [(document, node), *base.chain]
        made.facets = self.facets(document, restriction, base)
        return made

    def union(self, document: Document, node: Node, union: Node, depth: int) -> SimpleType:
        """Return a union: all members have one primitive type; only their facets count."""
        members: list[SimpleType] = []
        for name in (union.get("memberTypes") or "").split():
            namespace, local = self.documents.qname(document, union, name)
            if namespace == XS:
                members.append(self.primitive(document, union, local))
            else:
                target = self.documents.component("simpleType", document, union, name)
                members.append(self.simple_type(target[0], target[1], depth + 1))
        for child in union.findall(f"{{{XS}}}simpleType"):
            members.append(self.simple_type(document, child, depth + 1))
        if not members or len({member.logical for member in members}) != 1:
            raise self.error(document, union, "the members of a union have different primitive types")
        for member in members:
            for where, component in member.chain:
                if self.documents.component_properties(where, component) or statements(component):
                    raise self.error(where, component, "a member of a union has DFDL properties")
        made = SimpleType(members[0].logical)
        made.chain = [(document, node)]
        made.facets = Facets(union=tuple(member.facets for member in members))
        return made

    def facets(self, document: Document, restriction: Node, base: SimpleType) -> Facets:
        """Return the facets of a restriction on top of those of its base."""
        facets = base.facets
        patterns: list[str] = []
        values: list[str] = []
        bounds: set[str] = set()
        for child in restriction:
            if not isinstance(child.tag, str):
                continue
            kind = etree.QName(child).localname
            value = child.get("value", "")
            if kind == "pattern":
                if base.logical is not Logical.STRING:
                    raise self.error(document, child, "a pattern facet on a type that is not a string")
                try:
                    schema_regex(value)
                except ValueError as error:
                    self.notice(document, child, str(error))
                    continue
                patterns.append(value)
            elif kind == "enumeration":
                values.append(value)
            elif kind in _COUNT_FACETS:
                if kind.endswith("ength") and base.logical not in (Logical.STRING, Logical.HEX_BINARY):
                    raise self.error(document, child, f"{kind} on an xs:{base.logical.value}")
                number = self.facet_number(document, child, value)
                changed: dict[str, Any] = dict.fromkeys(_COUNT_FACETS[kind], number)
                facets = replace(facets, **changed)
            elif kind in _BOUND_FACETS:
                self.check_bound(document, child, base, bounds)
                facets = replace(facets, **{_BOUND_FACETS[kind]: value})
            elif kind not in ("annotation", "simpleType", "whiteSpace"):
                raise self.error(document, child, f"xs:{kind} is not a facet")
        if patterns:
            facets = replace(facets, patterns=(*facets.patterns, tuple(patterns)))
        if values:
            if len(set(values)) != len(values):
                raise self.error(document, restriction, "an enumeration has a value twice")
            if facets.enumeration and not set(values) <= set(facets.enumeration):
                raise self.error(document, restriction, "an enumeration has values that its base type has not")
            facets = replace(facets, enumeration=tuple(values))
        if 0 <= facets.max_length < facets.min_length:
            raise self.error(document, restriction, "minLength is more than maxLength")
        return facets

    def check_bound(self, document: Document, facet: Node, base: SimpleType, bounds: set[str]) -> None:
        """Check the value of a bound, and that a type has not both forms of it. Add the facet to `bounds`."""
        kind = etree.QName(facet).localname
        if kind[:3] + ("Exclusive" if kind.endswith("Inclusive") else "Inclusive") in bounds:
            raise self.error(document, facet, f"{kind[:3]}Inclusive and {kind[:3]}Exclusive on one type")
        bounds.add(kind)
        try:
            logical_value(facet.get("value", ""), base.logical)
        except ValueError as error:
            raise self.error(document, facet, f"{kind}: {error}") from None

    def facet_number(self, document: Document, node: Node, value: str) -> int:
        if not value.strip().isdigit() or len(value) > 12:
            raise self.error(document, node, f"'{value}' is not a number")
        return int(value)


def scope_at(node: Node) -> dict[str | None, str]:
    """Return the prefixes at a node."""
    scope: dict[str | None, str] = node.nsmap
    return scope


def named_scope(scope: dict[Any, str]) -> dict[str, str]:
    """Return prefixes with '' for the default namespace."""
    return {prefix or "": namespace for prefix, namespace in scope.items()}
