"""Read and write `.msgflow` and `.subflow` files: XMI documents with the root `ecore:EPackage`.

    EPackage nsURI nsPrefix
      eClassifiers xmi:type="eflow:FCMComposite"          the flow
        eSuperTypes, eStructuralFeatures*                 properties of the flow
        translation, colorGraphic16/32, descriptions      texts
        composition
          nodes*        xmi:type="<prefix>:<class>"       the type is the namespace of the prefix
          connections*  sourceNode sourceTerminalName targetNode targetTerminalName
        propertyOrganizer                                 descriptors, each nested in the one before it
        attributeLinks*                                   promotions
        stickyBoard                                       notes

Writing is lossless: canonical XML of the output equals canonical XML of the input, unless the definition was
changed in between. The writer makes a document from the definition alone (`build`) and lays it over the document that
was read, if there is one (`_merge`): attribute order, white space and comments come from there, everything else comes
from the definition.

A document type declaration is refused, entities are not expanded, nothing is fetched, and libxml2's limits on depth
and size stay on. Whatever cannot be read is a FlowFileError with file, line and reason.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

from lxml import etree

from flintmq.broker.flow.model import (
    COMPOSITE,
    INPUT_TERMINAL,
    OPTIONAL_PARTS,
    OUTPUT_TERMINAL,
    PROPERTY,
    TEXT_KEY,
    AttributeLink,
    Connection,
    FlowDefinition,
    FlowFileError,
    FlowProperty,
    Markup,
    NodeDefinition,
    PropertyDescriptor,
    Row,
    StickyNote,
    Terminal,
    Text,
    prefix_of,
)

XMI: Final = "http://www.omg.org/XMI"
ECORE: Final = "http://www.eclipse.org/emf/2002/Ecore"
EFLOW: Final = "http://www.ibm.com/wbi/2005/eflow"
UTILITY: Final = "http://www.ibm.com/wbi/2005/eflow_utility"
#: Declared by every flow.
STANDARD: Final = {"xmi": XMI, "ecore": ECORE, "eflow": EFLOW, "utility": UTILITY}
#: A flow file is a few hundred kilobytes at most.
FILE_BYTES_MAX: Final = 64 * 1024 * 1024

_TYPE: Final = f"{{{XMI}}}type"
_ID: Final = f"{{{XMI}}}id"
_FLOW_TEXTS: Final = (
    "translation",
    "colorGraphic16",
    "colorGraphic32",
    "shortDescription",
    "longDescription",
    "version",
)
_NODE_TEXTS: Final = ("translation", "shortDescription", "longDescription")
_DATA_TYPE: Final = f"{ECORE}#//"
_DECLARATION: Final = re.compile(rb"""(xmlns:[^=\s"'<>]+\s*=\s*)(["'])([^"'<>]*)\2""")
_ESCAPE: Final = re.compile("%[0-9A-Fa-f]{2}")
_URI_SAFE: Final = "/:!$&'()*+,;=@~._-"
_DOCTYPE: Final = re.compile(rb"<\0?!\0?D\0?O\0?C\0?T\0?Y\0?P\0?E")

_Element = Any  # lxml has no types of its own.


def read_file(path: Path, flow_path: str = "") -> FlowDefinition:
    """Read a flow from a file. `flow_path` is its path within the project; without it, nsURI is believed."""
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise FlowFileError(str(path), f"the file is larger than {FILE_BYTES_MAX} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise FlowFileError(str(path), error.strerror or str(error)) from None
    return read(data, str(path), flow_path)


def read(data: bytes, file: str = "", flow_path: str = "") -> FlowDefinition:
    """Return the flow that a document defines. Raise FlowFileError if it defines none."""
    root = parse_xml(data, file)
    if etree.QName(root).localname != "EPackage":
        raise FlowFileError(file, f"the root element is {root.tag}, not ecore:EPackage: this is no message flow")
    return _Reader(root, file, flow_path, data).flow()


def parse_xml(data: bytes, file: str = "") -> _Element:
    """Return the root of a document without entities, DTD or network. Raise FlowFileError with the line."""
    if not data.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise FlowFileError(file, "the file is empty")
    if len(data) > FILE_BYTES_MAX:
        raise FlowFileError(file, f"the document is larger than {FILE_BYTES_MAX} bytes")
    if _DOCTYPE.search(data):
        raise FlowFileError(file, "a document type declaration is refused: flow files and descriptors have none")
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, remove_blank_text=False
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        problem = error
    except ValueError as error:
        raise FlowFileError(file, f"not readable as XML: {error}") from None
    try:
        if "is not a valid URI" in str(problem.msg):
            return etree.fromstring(_DECLARATION.sub(_quote_declaration, data), parser)
    except etree.XMLSyntaxError as error:
        problem = error
    raise FlowFileError(file, f"not well-formed XML: {problem.msg}", problem.lineno or 0)


def _quote_declaration(found: re.Match[bytes]) -> bytes:
    """Return a namespace declaration with a valid address: libxml2 refuses blanks and letters outside ASCII."""
    name, mark, uri = found.groups()
    if b"&" in uri:
        return found[0]
    return name + mark + quote(uri, safe=_URI_SAFE + "%").encode() + mark


def type_of(uri: str) -> str:
    """Return the node type that a namespace stands for: the path of a subflow may hold blanks and any letters."""
    plain = unquote(uri)
    return plain if uri_of(plain) == uri else uri


def uri_of(node_type: str) -> str:
    """Return the namespace of a node type."""
    return node_type if _ESCAPE.search(node_type) else quote(node_type, safe=_URI_SAFE)


def canonical(data: bytes) -> bytes:
    """Return a document as canonical XML 2.0 with comments, after the declarations of its root, to compare documents.

    Canonical XML 1.0 refuses the relative namespaces that flows have (`ComIbmCompute.msgnode`), and 2.0 leaves out
    declarations that only attribute values such as `xmi:type` refer to. So these come first.
    """
    root = parse_xml(data)
    declared = sorted(f"{prefix or ''}={uri}" for prefix, uri in root.nsmap.items())
    text: str = etree.canonicalize(etree.tostring(root, encoding="unicode"), with_comments=True)
    return "\n".join([*declared, text]).encode()


def write(flow: FlowDefinition) -> bytes:
    """Return the flow as a document. The layout is that of `flow.source`, or the Toolkit's where there is none."""
    try:
        document = build(flow)
    except ValueError as error:  # lxml refuses names and characters that XML cannot hold.
        raise FlowFileError(flow.file or flow.path, f"cannot be written as XML: {error}") from None
    if flow.source is not None:
        old = _with_namespaces(parse_xml(flow.source, flow.file), document.nsmap)
        _merge(document, old)
        document = old
    else:
        etree.indent(document, space="  ")
    return bytes(etree.tostring(document.getroottree(), xml_declaration=True, encoding="UTF-8")) + b"\n"


class _Reader:
    """Turns a document into a definition. One instance per document."""

    def __init__(self, root: _Element, file: str, flow_path: str, data: bytes) -> None:
        self.root = root
        self.file = file
        self.path = flow_path
        self.data = data
        self.prefixes = {uri: prefix for prefix, uri in root.nsmap.items() if prefix}
        self.prefixes.update({uri: prefix for prefix, uri in STANDARD.items()})

    def flow(self) -> FlowDefinition:
        attributes = self.attributes(self.root)
        ns_uri, ns_prefix = _take(attributes, "nsURI"), _take(attributes, "nsPrefix")
        if attributes.get("xmi:version") == "2.0":
            del attributes["xmi:version"]
        flow = FlowDefinition(
            path=self.path or ns_uri or self.file.replace("\\", "/").rpartition("/")[2],
            ns_uri=ns_uri,
            ns_prefix=ns_prefix,
            attributes=attributes,
            flow_attributes={},
            super_types=[],
            omitted=list(OPTIONAL_PARTS),
            file=self.file,
            source=self.data,
        )
        found = False
        for child in _elements(self.root):
            kind = child.get(_TYPE, "").rpartition(":")[2]
            if child.tag == "eClassifiers" and kind == "FCMComposite" and not found:
                found = True
                self.classifier(flow, child)
            else:
                self.extra(flow, "package" if found else "before", child)
        if not found:
            raise FlowFileError(self.file, "there is no eClassifiers element of type eflow:FCMComposite: no flow")
        used = {node.prefix or prefix_of(node.type): uri_of(node.type) for node in flow.nodes if not node.is_terminal}
        for prefix, uri in self.root.nsmap.items():
            if STANDARD.get(prefix) != uri and used.get(prefix) != uri:
                flow.namespaces[prefix or ""] = uri
        return flow

    def classifier(self, flow: FlowDefinition, element: _Element) -> None:
        flow.flow_attributes = self.attributes(element, _TYPE)
        for child in _elements(element):
            tag = child.tag
            if tag in flow.omitted:
                flow.omitted.remove(tag)
                attributes = self.attributes(child)
                if attributes:
                    flow.part_attributes[tag] = attributes
                _PART_READERS[tag](self, flow, child)
            elif tag == "eSuperTypes" and self.attributes(child).keys() == {"href"} and not len(child):
                flow.super_types.append(child.get("href"))
            elif tag == "eStructuralFeatures" and child.get(_TYPE) == "ecore:EAttribute":
                flow.properties.append(self.flow_property(child))
            elif tag == "attributeLinks":
                flow.links.append(self.link(child))
            elif tag in _FLOW_TEXTS and tag not in flow.texts and _is_text(child):
                flow.texts[tag] = self.text(child)
            else:
                self.extra(flow, "flow", child)

    def flow_property(self, element: _Element) -> FlowProperty:
        attributes = self.attributes(element, _TYPE)
        name = _take(attributes, "name")
        found = FlowProperty(name, type="", default=attributes.pop("defaultValueLiteral", None), attributes=attributes)
        if attributes.get("xmi:id") == PROPERTY + name:
            del attributes["xmi:id"]
        else:
            found.id = _take(attributes, "xmi:id")
        for child in _elements(element):
            if child.tag == "eType" and not found.type:
                href = child.get("href", "")
                plain = {"xmi:type": "ecore:EDataType", "href": _DATA_TYPE + href.removeprefix(_DATA_TYPE)}
                found.type = href.rpartition("/")[2] or child.get(_TYPE, "").rpartition(":")[2] or "?"
                if self.attributes(child) != plain or len(child) or href != _DATA_TYPE + found.type:
                    found.type_markup = self.markup(child)
            else:
                found.extras.append(self.markup(child))
        return found

    def composition(self, flow: FlowDefinition, element: _Element) -> None:
        for child in _elements(element):
            if child.tag == "nodes":
                flow.nodes.append(self.node(child))
            elif child.tag == "connections" and child.get(_TYPE) == "eflow:FCMConnection":
                flow.connections.append(self.connection(child))
            else:
                self.extra(flow, "composition", child)

    def node(self, element: _Element) -> NodeDefinition:
        attributes = self.attributes(element)
        prefix, _, class_name = attributes.pop("xmi:type", "").rpartition(":")
        uri = element.nsmap.get(prefix or None, prefix) or ""
        terminal = uri == EFLOW and class_name in (INPUT_TERMINAL, OUTPUT_TERMINAL)
        node = NodeDefinition(
            id=_take(attributes, "xmi:id"),
            type=class_name if terminal else type_of(uri),
            location=_take(attributes, "location"),
            class_name=class_name,
            properties=attributes,
        )
        if prefix != ("eflow" if terminal else prefix_of(node.type)):
            node.prefix = prefix
        for child in _elements(element):
            tag = child.tag
            if tag in ("inTerminals", "outTerminals") and not len(child):
                self.terminal(node, child)
            elif tag in _NODE_TEXTS and tag not in node.texts and _is_text(child):
                node.texts[tag] = self.text(child)
            else:
                node.tables.setdefault(self.name(child), []).append(self.row(child))
        return node

    def terminal(self, node: NodeDefinition, element: _Element) -> None:
        attributes = self.attributes(element)
        terminals = node.in_terminals if element.tag == "inTerminals" else node.out_terminals
        dynamic = attributes.get("dynamic") == "true"
        if dynamic:
            del attributes["dynamic"]
        name, label = _take(attributes, "terminalNodeID"), _take(attributes, "label")
        terminals.append(Terminal(name, label, dynamic, attributes))

    def connection(self, element: _Element) -> Connection:
        attributes = self.attributes(element, _TYPE)
        source, target = _take(attributes, "sourceTerminalName"), _take(attributes, "targetTerminalName")
        found = Connection(
            id=_take(attributes, "xmi:id"),
            source_node=_take(attributes, "sourceNode"),
            source_terminal=source.removeprefix("OutTerminal."),
            target_node=_take(attributes, "targetNode"),
            target_terminal=target.removeprefix("InTerminal."),
            source_static=source.startswith("OutTerminal."),
            target_static=target.startswith("InTerminal."),
            attributes=attributes,
        )
        for child in _elements(element):
            if child.tag == "bendPoints" and not len(child) and not child.attrib and child.text:
                found.bend_points.append(child.text)
            else:
                found.extras.append(self.markup(child))
        return found

    def organizer(self, flow: FlowDefinition, element: _Element) -> None:
        """Read the descriptors. Each is nested in the one before it, so the depth is their number: no recursion."""
        waiting = [(child, 0) for child in reversed(list(_elements(element)))]
        expected = 0
        while waiting:
            child, level = waiting.pop()
            if child.tag != "propertyDescriptor":
                self.extra(flow, "propertyOrganizer", child)
                continue
            attributes = self.attributes(child)
            found = PropertyDescriptor(_take(attributes, "describedAttribute"), attributes)
            if level != expected:
                found.level = level
            expected = level + 1
            inner = []
            for part in _elements(child):
                if part.tag == "propertyDescriptor":
                    inner.append((part, level + 1))
                elif part.tag == "propertyName" and found.label is None and _is_text(part):
                    found.label = self.text(part)
                else:
                    found.extras.append(self.markup(part))
            waiting += reversed(inner)
            flow.descriptors.append(found)

    def link(self, element: _Element) -> AttributeLink:
        attributes = self.attributes(element)
        nodes = attributes.get("overriddenNodes", "")
        if nodes and nodes == " ".join(nodes.split()):
            del attributes["overriddenNodes"]
        found = AttributeLink(_take(attributes, "promotedAttribute"), nodes.split(), attributes=attributes)
        for child in _elements(element):
            plain = child.tag == "overriddenAttribute" and child.attrib.keys() == ["href"] and not len(child)
            if plain and not found.target and child.get("href"):
                found.target = child.get("href")
            else:
                found.extras.append(self.markup(child))
        return found

    def board(self, flow: FlowDefinition, element: _Element) -> None:
        for child in _elements(element):
            if child.tag != "stickyNote":
                self.extra(flow, "stickyBoard", child)
                continue
            attributes = self.attributes(child)
            nodes = attributes.get("association", "")
            if nodes and nodes == " ".join(nodes.split()):
                del attributes["association"]
            note = StickyNote(location=_take(attributes, "location"), association=nodes.split(), attributes=attributes)
            for part in _elements(child):
                if part.tag == "body" and note.body is None and _is_text(part):
                    note.body = self.text(part)
                else:
                    note.extras.append(self.markup(part))
            flow.notes.append(note)

    def extra(self, flow: FlowDefinition, part: str, element: _Element) -> None:
        flow.extras.setdefault(part, []).append(self.markup(element))

    def text(self, element: _Element) -> Text:
        return Text(element.get(_TYPE, ""), self.attributes(element, _TYPE))

    def row(self, element: _Element) -> Row:
        """Return a row of a table. libxml2 limits the depth, and with it the recursion."""
        row: Row = dict(self.attributes(element))
        for child in _elements(element):
            name = self.name(child)
            # An attribute and an element of one name: the element's key gets a star, which no XML name has.
            key = f"{name}*" if isinstance(row.get(name), str) else name
            rows = row.setdefault(key, [])
            assert isinstance(rows, list)
            rows.append(self.row(child))
        text = element.text or ""
        if text.strip():
            row[TEXT_KEY] = text
        return row

    def markup(self, element: _Element) -> Markup:
        text = element.text or ""
        children = [self.markup(child) for child in _elements(element)]
        return Markup(self.name(element), self.attributes(element), children, text if text.strip() else "")

    def attributes(self, element: _Element, without: str = "") -> dict[str, str]:
        return {self.shorten(name): value for name, value in element.attrib.items() if name != without}

    def name(self, element: _Element) -> str:
        return self.shorten(element.tag)

    def shorten(self, name: str) -> str:
        """Return `prefix:local` for a name in a namespace that the root declares."""
        if not name.startswith("{"):
            return name
        uri, _, local = name[1:].partition("}")
        return f"{self.prefixes[uri]}:{local}" if uri in self.prefixes else name


_PART_READERS: Final = {
    "composition": _Reader.composition,
    "propertyOrganizer": _Reader.organizer,
    "stickyBoard": _Reader.board,
}


def _elements(parent: _Element) -> list[_Element]:
    """Return the children that are elements: no comments, processing instructions or entity references."""
    return [child for child in parent if isinstance(child.tag, str)]


def _is_text(element: _Element) -> bool:
    return not len(element) and not (element.text or "").strip()


def _take(attributes: dict[str, str], name: str) -> str:
    """Remove an attribute and return it. One that is there but empty stays, so that it is written again."""
    value = attributes.get(name, "")
    if value:
        del attributes[name]
    return value


def build(flow: FlowDefinition) -> _Element:
    """Return the document that the definition alone gives, without white space."""
    return _Builder(flow).package()


class _Builder:
    """Turns a definition into a document. One instance per document."""

    def __init__(self, flow: FlowDefinition) -> None:
        self.flow = flow
        self.namespaces: dict[str | None, str] = {}
        self.namespaces.update(STANDARD.items())
        self.namespaces.update((prefix or None, uri) for prefix, uri in flow.namespaces.items())
        for node in flow.nodes:
            if not node.is_terminal and node.type:
                self.namespaces.setdefault(self.prefix(node), uri_of(node.type))

    def package(self) -> _Element:
        flow = self.flow
        root = etree.Element(f"{{{ECORE}}}EPackage", nsmap=self.namespaces)
        known = {"xmi:version": "2.0", "nsURI": flow.ns_uri, "nsPrefix": flow.ns_prefix}
        self.set(root, known, flow.attributes)
        self.extras(root, "before")
        classifier = etree.SubElement(root, "eClassifiers")
        self.set(classifier, {"xmi:type": "eflow:FCMComposite"}, flow.flow_attributes)
        self.classifier(classifier)
        self.extras(root, "package")
        return root

    def classifier(self, element: _Element) -> None:
        flow = self.flow
        for href in flow.super_types:
            etree.SubElement(element, "eSuperTypes").set("href", href)
        for each in flow.properties:
            self.flow_property(element, each)
        for name in _FLOW_TEXTS:
            if name in flow.texts:
                self.text(element, name, flow.texts[name])
        if "composition" not in flow.omitted or flow.nodes or flow.connections:
            composition = self.part(element, "composition")
            for node in flow.nodes:
                self.node(composition, node)
            for connection in flow.connections:
                self.connection(composition, connection)
            self.extras(composition, "composition")
        if "propertyOrganizer" not in flow.omitted or flow.descriptors:
            self.organizer(self.part(element, "propertyOrganizer"))
        for link in flow.links:
            found = etree.SubElement(element, "attributeLinks")
            known = {"promotedAttribute": link.key, "overriddenNodes": " ".join(link.nodes)}
            self.set(found, known, link.attributes)
            if link.target:
                etree.SubElement(found, "overriddenAttribute").set("href", link.target)
            self.markups(found, link.extras)
        if "stickyBoard" not in flow.omitted or flow.notes:
            self.board(self.part(element, "stickyBoard"))
        self.extras(element, "flow")

    def flow_property(self, parent: _Element, each: FlowProperty) -> None:
        element = etree.SubElement(parent, "eStructuralFeatures")
        known = {"xmi:type": "ecore:EAttribute", "xmi:id": each.key, "name": each.name}
        self.set(element, known, each.attributes)
        if each.default is not None:
            element.set("defaultValueLiteral", each.default)
        if each.type_markup is not None:
            self.markups(element, [each.type_markup])
        elif each.type:
            data_type = etree.SubElement(element, "eType")
            self.set(data_type, {"xmi:type": "ecore:EDataType", "href": _DATA_TYPE + each.type}, {})
        self.markups(element, each.extras)

    def node(self, parent: _Element, node: NodeDefinition) -> None:
        element = etree.SubElement(parent, "nodes")
        prefix = self.prefix(node)
        if node.is_terminal:
            kind = f"{prefix}:{node.type}"
        else:
            kind = f"{prefix}:{node.class_name or COMPOSITE}" if prefix else node.class_name
        self.set(element, {"xmi:type": kind, "xmi:id": node.id, "location": node.location}, node.properties)
        for tag, terminals in (("inTerminals", node.in_terminals), ("outTerminals", node.out_terminals)):
            for each in terminals:
                known = {"terminalNodeID": each.name, "dynamic": "true" if each.dynamic else "", "label": each.label}
                self.set(etree.SubElement(element, tag), known, each.attributes)
        for name in _NODE_TEXTS:
            if name in node.texts:
                self.text(element, name, node.texts[name])
        for name, rows in node.tables.items():
            for row in rows:
                self.row(element, name, row)

    def prefix(self, node: NodeDefinition) -> str:
        if node.prefix:
            return node.prefix
        return "eflow" if node.is_terminal else prefix_of(node.type) if node.type else ""

    def connection(self, parent: _Element, each: Connection) -> None:
        element = etree.SubElement(parent, "connections")
        known = {
            "xmi:type": "eflow:FCMConnection",
            "xmi:id": each.id,
            "targetNode": each.target_node,
            "sourceNode": each.source_node,
            "sourceTerminalName": ("OutTerminal." if each.source_static else "") + each.source_terminal,
            "targetTerminalName": ("InTerminal." if each.target_static else "") + each.target_terminal,
        }
        self.set(element, known, each.attributes)
        for point in each.bend_points:
            etree.SubElement(element, "bendPoints").text = point
        self.markups(element, each.extras)

    def organizer(self, element: _Element) -> None:
        ancestors = [element]
        for each in self.flow.descriptors:
            if each.level is not None:
                del ancestors[max(each.level, 0) + 1 :]
            found = etree.SubElement(ancestors[-1], "propertyDescriptor")
            self.set(found, {"describedAttribute": each.key}, each.attributes)
            if each.label is not None:
                self.text(found, "propertyName", each.label)
            self.markups(found, each.extras)
            ancestors.append(found)
        self.extras(element, "propertyOrganizer")

    def board(self, element: _Element) -> None:
        for note in self.flow.notes:
            found = etree.SubElement(element, "stickyNote")
            self.set(found, {"location": note.location, "association": " ".join(note.association)}, note.attributes)
            if note.body is not None:
                self.text(found, "body", note.body)
            self.markups(found, note.extras)
        self.extras(element, "stickyBoard")

    def part(self, parent: _Element, name: str) -> _Element:
        element = etree.SubElement(parent, name)
        self.set(element, {}, self.flow.part_attributes.get(name, {}))
        return element

    def text(self, parent: _Element, name: str, text: Text) -> None:
        self.set(etree.SubElement(parent, name), {"xmi:type": text.kind}, text.values)

    def row(self, parent: _Element, name: str, row: Row) -> None:
        element = etree.SubElement(parent, self.qualify(name.removesuffix("*")))
        for key, value in row.items():
            if isinstance(value, list):
                for each in value:
                    self.row(element, key, each)
            elif key == TEXT_KEY:
                element.text = value
            else:
                element.set(self.qualify(key), value)

    def extras(self, parent: _Element, part: str) -> None:
        self.markups(parent, self.flow.extras.get(part, []))

    def markups(self, parent: _Element, markups: list[Markup]) -> None:
        for each in markups:
            element = etree.SubElement(parent, self.qualify(each.name))
            self.set(element, {}, each.attributes)
            element.text = each.text or None
            self.markups(element, each.children)

    def set(self, element: _Element, known: dict[str, str], others: dict[str, str]) -> None:
        """Set the known attributes that have a value, then the others as they are."""
        for name, value in known.items():
            if value:
                element.set(self.qualify(name), value)
        for name, value in others.items():
            element.set(self.qualify(name), value)

    def qualify(self, name: str) -> str:
        if name.startswith("{") or ":" not in name:
            return name
        prefix, _, local = name.partition(":")
        uri = self.namespaces.get(prefix)
        if uri is None:
            raise ValueError(f"the prefix of {name} is not declared")
        return f"{{{uri}}}{local}"


def _with_namespaces(root: _Element, wanted: dict[str | None, str]) -> _Element:
    """Return the document with declarations for the references of nodes, made anew if a node type was added."""
    missing = {
        prefix: uri for prefix, uri in wanted.items() if prefix not in root.nsmap and uri not in STANDARD.values()
    }
    if not missing:
        return root
    new = etree.Element(root.tag, nsmap={**root.nsmap, **missing})
    new.text = root.text
    new.attrib.update(root.attrib)
    new.extend(list(root))
    return new


def _merge(new: _Element, old: _Element) -> None:
    """Change `old` so that it has the content of `new`, and keep its layout, comments and attribute order."""
    waiting = [(new, old)]
    while waiting:
        wanted, element = waiting.pop()
        for name in [name for name in element.attrib if name not in wanted.attrib]:
            del element.attrib[name]
        for name, value in wanted.attrib.items():
            if element.get(name) != value:
                element.set(name, value)
        if (wanted.text or "").strip() and wanted.text != element.text:
            element.text = wanted.text
        pairs, children = _pair_children(wanted, element)
        waiting += pairs
        if children is not None:
            _replace_children(element, children)


def _pair_children(new: _Element, old: _Element) -> tuple[list[tuple[_Element, _Element]], list[_Element] | None]:
    """Return pairs to merge, and the list of children that `old` must get, or None if it has the right ones.

    Children of one tag take the places of that tag in `old`, in the order of `new`; more of them follow the last one.
    """
    groups: dict[str, list[_Element]] = {}
    for child in new:
        groups.setdefault(child.tag, []).append(child)
    old_elements = _elements(old)
    pairs: list[tuple[_Element, _Element]] = []
    queues: dict[str, list[_Element]] = {}
    for tag, wanted in groups.items():
        there = [child for child in old_elements if child.tag == tag]
        by_id = {child.get(_ID): child for child in there if child.get(_ID)}
        by_place = [child for child in there if not child.get(_ID)]
        queue = queues[tag] = []
        for child in wanted:
            match = by_id.pop(child.get(_ID), None) if child.get(_ID) else by_place.pop(0) if by_place else None
            if match is None:
                queue.append(child)
            else:
                pairs.append((child, match))
                queue.append(match)
    slots = {tag: sum(1 for child in old_elements if child.tag == tag) for tag in queues}
    children: list[_Element] = []
    for child in old:
        tag = child.tag
        if not isinstance(tag, str):
            children.append(child)
            continue
        queue = queues.get(tag, [])
        if queue:
            slots[tag] -= 1
            count = 1 if slots[tag] else len(queue)
            children += queue[:count]
            del queue[:count]
    for queue in queues.values():
        children += queue
    same = len(children) == len(old) and all(left is right for left, right in zip(children, old, strict=True))
    return pairs, None if same else children


def _replace_children(element: _Element, children: list[_Element]) -> None:
    """Give an element other children, indented like the present ones."""
    depth = sum(1 for _ in element.iterancestors())
    inner = element.text if len(element) and element.text else "\n" + "  " * (depth + 1)
    outer = element[-1].tail if len(element) and element[-1].tail else "\n" + "  " * depth
    present = set(element)
    for child in list(element):
        element.remove(child)
    for child in children:
        if child not in present:
            etree.indent(child, space="  ", level=depth + 1)
        child.tail = inner
        element.append(child)
    element.text = inner if children else None
    if children:
        children[-1].tail = outer
