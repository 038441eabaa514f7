"""Documents of DFDL schemas: XML Schema files, their includes and imports, and their global components.

`Documents(opener)` reads a schema and everything it refers to. The opener returns the bytes of a document by path, so
a schema can only refer to documents that the application has: nothing is fetched. A location is tried relative to the
document that names it, then from the top, then by the end of the path: `/org/x/F.xsd` may be held as `lib/org/x/F.xsd`.

XML is parsed by lxml without entities, DTDs and network.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from typing import Any

from lxml import etree

from flintmq.broker.formats.dfdl_properties import DFDL, KNOWN, XS, DefinitionError

#: Documents that one schema may refer to, and bytes of one.
DOCUMENTS_MAX = 1000
BYTES_MAX = 50_000_000

#: One property: its text, and the prefixes where it stands.
Property = tuple[str, dict[str, str]]
Node = Any

_FORMAT_ELEMENTS = ("format", "element", "simpleType", "sequence", "choice", "group")
_SPACES = " \t\r\n"


def parse_xml(data: bytes, path: str) -> Node:
    """Return the root element of a document. Raises DefinitionError."""
    if len(data) > BYTES_MAX:
        raise DefinitionError(f"{path}: the document has {len(data)} bytes")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise DefinitionError(f"{path}:{error.lineno or 0}: {error.msg}") from None
    except ValueError as error:
        raise DefinitionError(f"{path}: {error}") from None


class Document:
    """One schema document."""

    def __init__(self, path: str, root: Node, namespace: str) -> None:
        self.path = path
        self.root = root
        #: Target namespace; an included document without one takes that of the document that includes it.
        self.namespace = namespace
        self.qualified = root.get("elementFormDefault") == "qualified"
        #: The default format: properties of `dfdl:format` at the top.
        self.defaults: dict[str, Property] | None = None
        #: Whether formats of the same document are being resolved: a cycle of references.
        self.resolving = False

    def place(self, node: Node) -> str:
        """Return where a node stands, for messages."""
        return f"{self.path}:{node.sourceline or 0}"


class Documents:
    """All documents of a schema, and their components."""

    def __init__(self, opener: Callable[[str], bytes | None], paths: Iterable[str]) -> None:
        self.opener = opener
        self.paths = list(paths)
        self.documents: dict[tuple[str, str], Document] = {}
        #: Global components by kind, namespace and name.
        self.components: dict[tuple[str, str, str], tuple[Document, Node]] = {}
        self.formats: dict[tuple[str, str], tuple[Document, Node]] = {}
        self.schemes: dict[tuple[str, str], tuple[Document, Node]] = {}
        self.variables: dict[tuple[str, str], tuple[Document, Node]] = {}
        self._formats_open: set[tuple[str, str]] = set()

    def load(self, path: str) -> Document:
        """Read a document and all it refers to. Raises DefinitionError."""
        data = self.opener(path)
        if data is None:
            raise DefinitionError(f"{path}: there is no such schema")
        first = self._add(path, data, None)
        waiting = [first]
        while waiting:
            document = waiting.pop()
            for child in document.root:
                if not isinstance(child.tag, str):
                    continue
                name = etree.QName(child)
                if name.namespace != XS or name.localname not in ("include", "import"):
                    continue
                location = child.get("schemaLocation")
                if location is None:
                    continue
                found = self._resolve(document.path, location)
                if found is None:
                    raise DefinitionError(f"{document.place(child)}: there is no schema '{location}'")
                included = document.namespace if name.localname == "include" else None
                if name.localname == "include":
                    key = (found, included or "")
                    if key in self.documents:
                        continue
                elif any(known == found for known, _ in self.documents):
                    continue
                if len(self.documents) >= DOCUMENTS_MAX:
                    raise DefinitionError(f"{path}: more than {DOCUMENTS_MAX} documents")
                data = self.opener(found)
                assert data is not None
                waiting.append(self._add(found, data, included))
        return first

    def _resolve(self, base: str, location: str) -> str | None:
        """Return the path of a document that another names."""
        candidates = [
            posixpath.normpath(posixpath.join(posixpath.dirname(base), location)),
            posixpath.normpath(location.lstrip("/")),
        ]
        for candidate in candidates:
            if candidate in self.paths or not self.paths and self.opener(candidate) is not None:
                return candidate
        ending = "/" + posixpath.normpath(location.lstrip("/")).lstrip("./")
        matches = [path for path in self.paths if ("/" + path).endswith(ending)]
        if not matches:
            matches = [path for path in self.paths if posixpath.basename(path) == posixpath.basename(location)]
        if matches:
            return min(matches, key=len)
        for candidate in (location, *candidates):
            if self.opener(candidate) is not None:
                return candidate
        return None

    def _add(self, path: str, data: bytes, included: str | None) -> Document:
        root = parse_xml(data, path)
        if root.tag != f"{{{XS}}}schema":
            raise DefinitionError(f"{path}: the document is not an XML Schema")
        namespace = root.get("targetNamespace")
        if namespace is None:
            namespace = included or ""
        document = Document(path, root, namespace)
        self.documents[path, included or ""] = document
        for child in root:
            if not isinstance(child.tag, str):
                continue
            name = etree.QName(child)
            if name.namespace != XS:
                raise DefinitionError(f"{document.place(child)}: {child.tag} in a schema")
            if name.localname == "annotation":
                self._annotation(document, child)
            elif child.get("name") is not None:
                key = (name.localname, namespace, child.get("name"))
                if key in self.components and self.components[key][1] is not child:
                    known = self.components[key][0]
                    if known.path != path:
                        continue
                    raise DefinitionError(
                        f"{document.place(child)}: {name.localname} {child.get('name')} is defined twice"
                    )
                self.components[key] = (document, child)
        return document

    def _annotation(self, document: Document, annotation: Node) -> None:
        for node in dfdl_children(annotation):
            name = etree.QName(node).localname
            if name == "format":
                if document.root.get("_default") is not None:
                    raise DefinitionError(f"{document.place(node)}: a second default format")
                document.root.set("_default", "1")
            table = {"defineFormat": self.formats, "defineEscapeScheme": self.schemes, "defineVariable": self.variables}
            if name in table:
                defined = node.get("name")
                if not defined:
                    raise DefinitionError(f"{document.place(node)}: dfdl:{name} has no name")
                key = (document.namespace, defined)
                if key in table[name] and table[name][key][0].path == document.path:
                    raise DefinitionError(f"{document.place(node)}: dfdl:{name} {defined} is defined twice")
                inner = [child for child in node if isinstance(child.tag, str)]
                wanted = {"defineFormat": "format", "defineEscapeScheme": "escapeScheme"}.get(name)
                if wanted is not None and [child.tag for child in inner] != [f"{{{DFDL}}}{wanted}"]:
                    raise DefinitionError(f"{document.place(node)}: dfdl:{name} needs one dfdl:{wanted}")
                table[name].setdefault(key, (document, node))
            elif name not in ("format",):
                raise DefinitionError(f"{document.place(node)}: dfdl:{name} at the top of a schema")

    # Names.

    def qname(self, document: Document, node: Node, text: str) -> tuple[str, str]:
        """Return namespace and local name of a name with prefix. Raises DefinitionError."""
        prefix, colon, local = text.strip().rpartition(":")
        if colon:
            namespace = node.nsmap.get(prefix)
            if namespace is None:
                raise DefinitionError(f"{document.place(node)}: the prefix {prefix} is not declared")
            return namespace, local
        namespace = node.nsmap.get(None)
        if namespace is None or namespace == XS and document.namespace:
            namespace = document.namespace if namespace is None else namespace
        return namespace or "", local

    def component(self, kind: str, document: Document, node: Node, name: str) -> tuple[Document, Node]:
        """Return a global component by its name with prefix. Raises DefinitionError."""
        namespace, local = self.qname(document, node, name)
        found = self.components.get((kind, namespace, local))
        if found is None:
            # An included document without namespace refers to names of the document that includes it.
            found = self.components.get((kind, document.namespace, local)) if ":" not in name else None
        if found is None:
            raise DefinitionError(f"{document.place(node)}: there is no {kind} {name}")
        return found

    # Properties.

    def default_format(self, document: Document) -> dict[str, Property]:
        """Return the properties of the default format of a document."""
        if document.defaults is None:
            found: dict[str, Property] = {}
            for annotation in document.root.findall(f"{{{XS}}}annotation"):
                for node in dfdl_children(annotation):
                    if etree.QName(node).localname == "format":
                        found = self.format_properties(document, node)
            document.defaults = found
        return document.defaults

    def format_properties(self, document: Document, node: Node) -> dict[str, Property]:
        """Return the properties of a dfdl:format or of a component in element form, with those it refers to."""
        own = long_form(document, node)
        return self._with_reference(document, node, own)

    def _with_reference(self, document: Document, node: Node, own: dict[str, Property]) -> dict[str, Property]:
        reference = own.pop("ref", None)
        if reference is None:
            return own
        key = self._format_key(document, node, reference[0], self.formats, "format")
        if key in self._formats_open:
            raise DefinitionError(f"{document.place(node)}: the format {reference[0]} refers to itself")
        self._formats_open.add(key)
        target, definition = self.formats[key]
        result: dict[str, Property] = {}
        result.update(self.format_properties(target, definition.find(f"{{{DFDL}}}format")))
        self._formats_open.discard(key)
        result.update(own)
        return result

    def _format_key(
        self, document: Document, node: Node, name: str, table: dict[tuple[str, str], tuple[Document, Node]], kind: str
    ) -> tuple[str, str]:
        namespace, local = self.qname(document, node, name)
        for key in ((namespace, local), (document.namespace, local), ("", local)):
            if key in table and (key[0] == namespace or ":" not in name):
                return key
        raise DefinitionError(f"{document.place(node)}: there is no {kind} {name}")

    def component_properties(self, document: Document, node: Node) -> dict[str, Property]:
        """Return the properties of a component: short form, attribute form and element form, and their formats."""
        own: dict[str, Property] = {}
        for attribute, value in node.attrib.items():
            if attribute.startswith(f"{{{DFDL}}}"):
                own[checked_name(document, node, attribute)] = (value, node.nsmap)
            elif attribute.startswith("{") and "daffodil" in attribute:
                own["extension:" + etree.QName(attribute).localname] = (value, node.nsmap)
        for annotation in node.findall(f"{{{XS}}}annotation"):
            for child in dfdl_children(annotation):
                name = etree.QName(child).localname
                if name not in _FORMAT_ELEMENTS:
                    continue
                if name == "format" or name != etree.QName(node).localname:
                    raise DefinitionError(
                        f"{document.place(child)}: dfdl:{name} on an xs:{etree.QName(node).localname}"
                    )
                for key, value in long_form(document, child).items():
                    if key in own:
                        raise DefinitionError(f"{document.place(child)}: dfdl:{key} is defined twice")
                    own[key] = value
        return self._with_reference(document, node, own)


def checked_name(document: Document, node: Node, attribute: str) -> str:
    """Return the name of a property. Raises DefinitionError if there is no such property."""
    name = etree.QName(attribute).localname
    if name not in KNOWN:
        raise DefinitionError(f"{document.place(node)}: dfdl:{name} is not a property")
    return str(name)


def long_form(document: Document, node: Node) -> dict[str, Property]:
    """Return the properties of an annotation element: attributes and dfdl:property children."""
    own: dict[str, Property] = {}
    for attribute, value in node.attrib.items():
        if attribute.startswith("{"):
            if attribute.startswith(f"{{{DFDL}}}"):
                raise DefinitionError(
                    f"{document.place(node)}: dfdl:{etree.QName(attribute).localname} needs no prefix in an annotation"
                )
            if "daffodil" in attribute:
                own["extension:" + etree.QName(attribute).localname] = (value, node.nsmap)
            continue
        if attribute in KNOWN:
            own[attribute] = (value, node.nsmap)
        elif attribute not in ("selector",):
            raise DefinitionError(f"{document.place(node)}: '{attribute}' is not a DFDL property")
    for child in node:
        if not isinstance(child.tag, str):
            continue
        if child.tag != f"{{{DFDL}}}property":
            raise DefinitionError(f"{document.place(child)}: {child.tag} in an annotation")
        name = child.get("name") or ""
        if name not in KNOWN:
            raise DefinitionError(f"{document.place(child)}: '{name}' is not a DFDL property")
        if name in own:
            raise DefinitionError(f"{document.place(child)}: dfdl:{name} is defined twice")
        own[name] = ("".join(child.itertext()), child.nsmap)
    return own


def dfdl_children(annotation: Node) -> list[Node]:
    """Return the DFDL annotations of an xs:annotation."""
    found: list[Node] = []
    for appinfo in annotation.findall(f"{{{XS}}}appinfo"):
        source = appinfo.get("source", "")
        if source.strip(_SPACES) and "ogf.org/dfdl" not in source:
            continue
        for child in appinfo:
            if isinstance(child.tag, str) and etree.QName(child).namespace == DFDL:
                found.append(child)
    return found


def statements(node: Node) -> list[Node]:
    """Return the asserts, discriminators and variable statements of a component."""
    found: list[Node] = []
    for annotation in node.findall(f"{{{XS}}}annotation"):
        for child in dfdl_children(annotation):
            if etree.QName(child).localname not in _FORMAT_ELEMENTS:
                found.append(child)
    return found
