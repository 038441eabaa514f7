"""Read from XML schemas which type the value of each element and attribute has in a tree.

All schemas of an application or library are one pool: a name is looked up by its namespace, not by the file that
imports it. Of a content model only the names matter, not order and number: lxml validates, this module types. Local and
global elements, references, groups, extensions, restrictions, substitution groups, wildcards and types that contain
themselves are understood. A union or list stays CHARACTER.

    reader = TypeReader({"order.xsd": read_order})
    reader.read().elements.children["{urn:order}Order"].children["Total"].kind
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from flintmq.broker.errors import parser_error
from flintmq.broker.formats.xml_source import SchemaTypes, ValueTypes
from flintmq.broker.formats.xml_values import KIND_TEXT, SIMPLE_TYPES

XSD = "http://www.w3.org/2001/XMLSchema"
_X = f"{{{XSD}}}"
#: Parts of a content model that contain elements and have no name of their own.
_GROUPS = (f"{_X}sequence", f"{_X}choice", f"{_X}all")


def parse_schema(data: bytes, path: str, resolver: Any = None) -> Any:
    """Return the root element of a schema as lxml has it. Raise 5025 if it is not XML."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    if resolver is not None:
        parser.resolvers.add(resolver)
    try:
        return etree.fromstring(data, parser, base_url=path)
    except etree.XMLSyntaxError as error:
        raise parser_error(5025, path, str(error), text=f"the XML schema {path} cannot be read: {error}") from None


def clark(namespace: str, name: str) -> str:
    return f"{{{namespace}}}{name}" if namespace else name


class TypeReader:
    """Reads a pool of schemas once."""

    def __init__(self, files: Mapping[str, Callable[[], bytes]]) -> None:
        #: Root elements of the schemas with the namespace that each is read for.
        self.schemas: list[tuple[Any, str]] = []
        #: Global definitions by what they are and their name in Clark notation.
        self._globals: dict[tuple[str, str], tuple[Any, str]] = {}
        #: Members of substitution groups by the name of the head.
        self._members: dict[str, list[tuple[Any, str]]] = {}
        self._types: dict[str, ValueTypes] = {}
        self._known: dict[Any, ValueTypes] = {}
        roots = {path: parse_schema(read(), path) for path, read in files.items() if path.endswith((".xsd", ".mxsd"))}
        for path, root in roots.items():
            if root.tag != f"{_X}schema":
                continue
            namespace = root.get("targetNamespace", "")
            self._add(root, namespace)
            if namespace:
                self._add_chameleons(root, namespace, path, roots)

    def _add_chameleons(self, root: Any, namespace: str, path: str, roots: Mapping[str, Any]) -> None:
        """Read included schemas without a target namespace for the namespace of the one that includes them."""
        for include in root.iterfind(f"{_X}include"):
            name = (include.get("schemaLocation") or "").rpartition("/")[2]
            for other, included in roots.items():
                is_same = other.rpartition("/")[2] == name and other != path
                if name and is_same and not included.get("targetNamespace"):
                    self._add(included, namespace)

    def _add(self, root: Any, namespace: str) -> None:
        self.schemas.append((root, namespace))
        for node in root:
            name = node.get("name") if isinstance(node.tag, str) else None
            if name:
                self._globals.setdefault((node.tag, clark(namespace, name)), (node, namespace))
            head = node.get("substitutionGroup") if isinstance(node.tag, str) else None
            if head:
                self._members.setdefault(self._resolved(node, head, namespace), []).append((node, namespace))

    def read(self) -> SchemaTypes:
        """Return the types of all global elements and named types."""
        found = SchemaTypes()
        for (tag, name), (node, namespace) in self._globals.items():
            if tag == f"{_X}element":
                found.elements.children[name] = self._element(node, namespace)
            elif tag in (f"{_X}complexType", f"{_X}simpleType"):
                found.types[name] = self._named(name)
        return found

    # Names.

    def _resolved(self, node: Any, name: str, namespace: str) -> str:
        """Return the Clark notation of a qualified name that stands in a schema."""
        prefix, colon, local = name.strip().partition(":")
        if not colon:
            return clark(node.nsmap.get(None) or namespace, prefix)
        return clark(node.nsmap.get(prefix) or "", local)

    # Types.

    def _named(self, name: str) -> ValueTypes:
        """Return a type by its name in Clark notation. A type that is not there has only CHARACTER values."""
        known = self._types.get(name)
        if known is None:
            known = ValueTypes()
            self._types[name] = known
            if name.startswith(_X):
                known.kind = SIMPLE_TYPES.get(name.removeprefix(_X), KIND_TEXT)
                known.is_open = name == f"{_X}anyType"
                return known
            for tag in (f"{_X}complexType", f"{_X}simpleType"):
                found = self._globals.get((tag, name))
                if found is not None:
                    self._fill(known, *found)
                    break
        return known

    def _element(self, node: Any, namespace: str) -> ValueTypes:
        """Return the declaration of an element."""
        named = node.get("type")
        if named:
            return self._named(self._resolved(node, named, namespace))
        known = self._known.get(node)
        if known is None:
            known = ValueTypes()
            self._known[node] = known
            for child in node:
                if child.tag in (f"{_X}complexType", f"{_X}simpleType"):
                    self._fill(known, child, namespace)
        return known

    def _fill(self, types: ValueTypes, node: Any, namespace: str) -> None:
        """Add the definition of a type."""
        for child in node:
            if child.tag in (f"{_X}restriction", f"{_X}extension"):
                self._derive(types, child, namespace, keeps_content=child.tag == f"{_X}extension")
            elif child.tag in (f"{_X}simpleContent", f"{_X}complexContent"):
                self._fill(types, child, namespace)
        self._content(types, node, namespace)

    def _derive(self, types: ValueTypes, node: Any, namespace: str, keeps_content: bool) -> None:
        """Add the parts that a type inherits, and its own."""
        base = node.get("base")
        inherited: ValueTypes | None = None
        if base:
            inherited = self._named(self._resolved(node, base, namespace))
        else:
            inner = node.find(f"{_X}simpleType")
            if inner is not None:
                inherited = ValueTypes()
                self._fill(inherited, inner, namespace)
        if inherited is not None:
            types.kind = inherited.kind
            types.attributes.update(inherited.attributes)
            if keeps_content:
                types.children.update(inherited.children)
                types.is_open = types.is_open or inherited.is_open
        self._content(types, node, namespace)

    def _content(self, types: ValueTypes, node: Any, namespace: str) -> None:
        """Add the elements and attributes that a type or group lists."""
        work = [(node, namespace)]
        seen: set[Any] = set()
        while work:
            parent, where = work.pop()
            for child in parent:
                tag = child.tag
                if tag in _GROUPS:
                    work.append((child, where))
                elif tag in (f"{_X}group", f"{_X}attributeGroup"):
                    name = child.get("ref")
                    found = None if name is None else self._globals.get((tag, self._resolved(child, name, where)))
                    if found is not None and found[0] not in seen:
                        seen.add(found[0])
                        work.append(found)
                elif tag == f"{_X}element":
                    self._add_element(types, child, where)
                elif tag == f"{_X}attribute":
                    self._add_attribute(types, child, where)
                elif tag == f"{_X}any":
                    types.is_open = True

    def _add_element(self, types: ValueTypes, node: Any, namespace: str) -> None:
        reference = node.get("ref")
        if reference is None:
            types.children[self._local_name(node, namespace, "elementFormDefault")] = self._element(node, namespace)
            return
        name = self._resolved(node, reference, namespace)
        for member, member_node, where in self._substitutes(name):
            types.children[member] = self._element(member_node, where)

    def _substitutes(self, head: str) -> Iterator[tuple[str, Any, str]]:
        """Yield an element and all that may stand in its place: name, declaration, namespace."""
        found = self._globals.get((f"{_X}element", head))
        work = [] if found is None else [(head, *found)]
        seen: set[str] = set()
        while work:
            name, node, namespace = work.pop()
            if name in seen:
                continue
            seen.add(name)
            yield name, node, namespace
            work += [(clark(where, member.get("name")), member, where) for member, where in self._members.get(name, [])]

    def _add_attribute(self, types: ValueTypes, node: Any, namespace: str) -> None:
        reference = node.get("ref")
        name = self._local_name(node, namespace, "attributeFormDefault")
        if reference is not None:
            name = self._resolved(node, reference, namespace)
            found = self._globals.get((f"{_X}attribute", name))
            if found is None:
                return
            node, namespace = found
        named = node.get("type")
        if named:
            types.attributes[name] = self._named(self._resolved(node, named, namespace)).kind
            return
        inner = node.find(f"{_X}simpleType")
        if inner is not None:
            simple = ValueTypes()
            self._fill(simple, inner, namespace)
            types.attributes[name] = simple.kind

    def _local_name(self, node: Any, namespace: str, default: str) -> str:
        """Return the name of a local declaration, with the namespace if its form is qualified."""
        form = node.get("form") or node.getroottree().getroot().get(default, "unqualified")
        return clark(namespace if form == "qualified" else "", node.get("name") or "")
