"""Messages of MRM's XML wire format, ready to be read and written: names, types, tags, encodings of NULL.

`xml_message` makes the plan of a message once; `mrm_xml` runs it. A plan never changes after it is made. A type that
contains itself is one XmlContent that is reached again, so plans of recursive types are finite. The classes are
written to be compiled by mypyc.
"""

from __future__ import annotations

import base64
from decimal import Decimal
from typing import Final, final

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.message_set import (
    Field,
    Group,
    Member,
    PhysicalFormat,
    definition_error,
    expanded_size,
    read_flag,
)
from flintmq.broker.formats.model import fields
from flintmq.broker.formats.model.charsets import charset_of
from flintmq.broker.formats.model.codecs import bounds_of, is_calendar, is_number, make_codec
from flintmq.broker.formats.model.schema import Calendar, Logical
from flintmq.broker.formats.model.schema import Element as FieldSchema
from flintmq.broker.formats.mrm_fields import calendar_of
from flintmq.broker.formats.mrm_properties import word_of
from flintmq.broker.formats.xml_values import base64_text, xml_text
from flintmq.broker.formats.xml_writer import check_name, escaped_attribute

XSI: Final = "http://www.w3.org/2001/XMLSchema-instance"

#: Renderings.
ELEMENT: Final = 1
ATTRIBUTE_RENDER: Final = 2
ELEMENT_ID: Final = 3
ELEMENT_VALUE: Final = 4
ELEMENT_ID_VALUE: Final = 5
_RENDERS: Final[dict[str, int]] = {
    "xmlelement": ELEMENT,
    "xmlattribute": ATTRIBUTE_RENDER,
    "xmlelementattrid": ELEMENT_ID,
    "xmlelementattrval": ELEMENT_VALUE,
    "xmlelementattridval": ELEMENT_ID_VALUE,
}

#: Encodings of NULL.
NULL_EMPTY: Final = 1
NULL_VALUE: Final = 2
NULL_SCHEMA: Final = 3
NULL_VALUE_ATTRIBUTE: Final = 4
NULL_ATTRIBUTE: Final = 5
NULL_ELEMENT: Final = 6
_NULLS: Final[dict[str, int]] = {
    "nullempty": NULL_EMPTY,
    "nullvalue": NULL_VALUE,
    "nullxmlschema": NULL_SCHEMA,
    "nullvalueattribute": NULL_VALUE_ATTRIBUTE,
    "nullattribute": NULL_ATTRIBUTE,
    "nullelement": NULL_ELEMENT,
}

#: Kinds of value.
STRING: Final = 1
INTEGER: Final = 2
DECIMAL: Final = 3
FLOAT: Final = 4
BOOLEAN: Final = 5
BINARY: Final = 6
CALENDAR: Final = 7


@final
class XmlType:
    """The value of a field: text of XML to a value of the tree and back."""

    def __init__(self, kind: int) -> None:
        self.kind: int = kind
        self.bounds: fields.Range | None = None
        self.codec: fields.Codec | None = None
        self.true: str = "true"
        self.false: str = "false"
        self.base64: bool = False
        self.cdata: bool = False

    def read(self, text: str) -> object:
        """Return the value of a text. Raises ValueError."""
        kind = self.kind
        if kind == STRING:
            return text
        text = text.strip(" \t\r\n")
        if kind == INTEGER:
            bounds = self.bounds
            assert bounds is not None
            digits = text[1:] if text[:1] in ("-", "+") else text
            if not digits.isascii() or not digits.isdigit() or len(digits) > 40:
                raise ValueError(f"'{text[:100]}' is not an integer")
            return bounds.of_integer(int(text))
        if kind == DECIMAL:
            bounds = self.bounds
            assert bounds is not None
            return bounds.of_decimal(fields.as_decimal(text), False)
        if kind == FLOAT:
            if text and not text.strip("0123456789.+-eE"):
                return float(text)
            return fields.as_float(text)
        if kind == BOOLEAN:
            if text == self.true or text in ("true", "1"):
                return True
            if text == self.false or text in ("false", "0"):
                return False
            raise ValueError(f"'{text[:100]}' is neither {self.true} nor {self.false}")
        if kind == BINARY:
            if self.base64:
                return base64.b64decode(text, validate=False)
            return fields.as_bytes(text)
        codec = self.codec
        assert codec is not None
        return codec.read_text(text)

    def write(self, value: object) -> str:
        """Return the text of a value, converted to the type of the field. Raises ValueError."""
        kind = self.kind
        if kind == STRING:
            return value if isinstance(value, str) else fields.as_text(value)
        if kind == INTEGER:
            bounds = self.bounds
            assert bounds is not None
            number = fields.as_integer(value)
            bounds.check(Decimal(number))
            return str(number)
        if kind == DECIMAL:
            return xml_text(fields.as_decimal(value))
        if kind == FLOAT:
            return xml_text(fields.as_float(value))
        if kind == BOOLEAN:
            return self.true if fields.as_boolean(value) else self.false
        if kind == BINARY:
            data = fields.as_bytes(value)
            return base64_text(data) if self.base64 else data.hex().upper()
        codec = self.codec
        assert codec is not None
        return codec.write_text(value)


@final
class XmlNode:
    """A field of the model as XML shows it."""

    def __init__(self, name: str, namespace: str) -> None:
        self.name: str = name
        self.namespace: str = namespace
        self.xml_name: str = name
        self.xml_namespace: str = namespace
        self.render: int = ELEMENT
        self.id_attribute: str = ""
        self.id_value: str = ""
        self.value_attribute: str = ""
        self.value: XmlType | None = None
        self.content: XmlContent | None = None
        self.nillable: bool = False
        self.null: int = NULL_EMPTY
        self.null_value: str = ""
        #: `<tag` with the identifying attribute, and `</tag>`; for attributes the name.
        self.start: str = ""
        self.end: str = ""
        self.place: str = ""


@final
class XmlContent:
    """The members of a structure, by their names in the tree and in XML."""

    def __init__(self) -> None:
        self.members: dict[tuple[str, str], XmlNode] = {}
        #: Members without regard to the namespace, for trees that code without namespaces made.
        self.plain: dict[str, XmlNode] = {}
        self.elements: dict[tuple[str, str], list[XmlNode]] = {}
        self.attributes: dict[tuple[str, str], XmlNode] = {}
        self.open: bool = False
        self.has_attributes: bool = False

    def add(self, node: XmlNode) -> None:
        """Add a member. Raises ValueError if it cannot be told from another."""
        self.members.setdefault((node.name, node.namespace), node)
        self.plain.setdefault(node.name, node)
        key = (node.xml_name, node.xml_namespace)
        if node.render == ATTRIBUTE_RENDER:
            self.has_attributes = True
            self.attributes[key] = node
            return
        others = self.elements.setdefault(key, [])
        for other in others:
            if other.name == node.name and other.namespace == node.namespace:
                return
            if (other.id_attribute, other.id_value) == (node.id_attribute, node.id_value):
                raise ValueError(f"{other.name} and {node.name} are both the XML element {node.xml_name}")
        others.append(node)

    def member(self, name: str, namespace: str) -> XmlNode | None:
        """Return the member that a child of the tree is."""
        found = self.members.get((name, namespace))
        if found is None and not namespace:
            found = self.plain.get(name)
        return found


@final
class XmlPlan:
    """A message in an XML format."""

    def __init__(self, root: XmlNode, format: str) -> None:
        self.root: XmlNode = root
        self.format: str = format
        self.root_tag: str = ""
        self.declaration: bool = True
        self.version: str = "1.0"
        self.declares_encoding: bool = False
        self.standalone: str = ""
        self.doctype: str = ""
        #: Declarations of namespaces for the first element.
        self.namespaces: str = ""


def xml_message(message: Field, format: PhysicalFormat) -> XmlPlan:
    """Return a message in an XML format. Raises a ParserException if its definition cannot be used."""
    expanded_size(message)
    builder = XmlBuilder(format)
    root = builder.node(message, message.name)
    if root.render == ATTRIBUTE_RENDER:
        root.render = ELEMENT
        builder.tags(root)
    plan = XmlPlan(root, format.name)
    settings = format.properties
    plan.root_tag = settings.get("rootTagName", "").strip()
    if plan.root_tag:
        _checked(plan.root_tag, f"rootTagName of format {format.name}")
    plan.declaration = not read_flag(settings, "suppressXMLDeclaration")
    plan.version = settings.get("xmlVersion", "").strip() or "1.0"
    if plan.version not in ("1.0", "1.1"):
        raise definition_error(f"format {format.name}: xmlVersion is '{plan.version[:20]}'")
    plan.declares_encoding = word_of(settings, "xmlEncoding", "null") == "asdocumenttext"
    standalone = word_of(settings, "standaloneDocument", "null")
    plan.standalone = standalone if standalone in ("yes", "no") else ""
    if not read_flag(settings, "suppressDOCTYPE", True):
        plan.doctype = _doctype(settings, plan.root_tag or root.xml_name)
    plan.namespaces = "".join(f' xmlns:{prefix}="{escaped_attribute(uri)}"' for uri, prefix in builder.prefixes.items())
    return plan


def _doctype(settings: dict[str, str], name: str) -> str:
    """Return the document type declaration of a format."""
    system = settings.get("doctypeSystemID", "").strip()
    public = settings.get("doctypePublicID", "").strip()
    subset = settings.get("doctypeText", "").strip()
    if '"' in public or '"' in system or "]" in subset or ">" in system + public:
        raise definition_error("the document type of the format has characters that it cannot have")
    text = f"<!DOCTYPE {name}"
    if public and system:
        text += f' PUBLIC "{public}" "{system}"'
    elif system:
        text += f' SYSTEM "{system}"'
    return f"{text}{f' [{subset}]' if subset else ''}>"


def _checked(name: str, place: str) -> str:
    """Return a name of XML. Raises a ParserException for anything else."""
    try:
        check_name(name)
    except BrokerError:
        raise definition_error(f"{place}: '{name[:60]}' is not a name of XML") from None
    return name


class XmlBuilder:
    """Makes the nodes of one XML format."""

    def __init__(self, format: PhysicalFormat) -> None:
        self.format = format
        self.settings = format.properties
        #: Prefixes by namespace, declared on the first element.
        self.prefixes: dict[str, str] = {}
        self._contents: dict[int, XmlContent] = {}
        self._kept: list[Group] = []
        self.nulls = (self._null("encodingNullNum"), self._null("encodingNullNonNum"))

    def _null(self, key: str) -> tuple[int, str]:
        word = word_of(self.settings, key, "NULLEmpty")
        found = _NULLS.get(word)
        if found is None:
            raise definition_error(f"format {self.format.name}: {key} is '{word[:40]}'")
        value = self.settings.get(f"{key}Val", "")
        if found in (NULL_ATTRIBUTE, NULL_ELEMENT):
            value = _checked(value or "null", f"format {self.format.name}")
        return found, value

    def qualified(self, name: str, namespace: str) -> str:
        """Return a name with the prefix of its namespace."""
        if not namespace:
            return name
        prefix = self.prefixes.get(namespace)
        if prefix is None:
            prefix = self.prefixes[namespace] = "xsi" if namespace == XSI else f"NS{len(self.prefixes) + 1}"
        return f"{prefix}:{name}"

    def node(self, field: Field, path: str) -> XmlNode:
        """Return the node of a field."""
        place = f"{field.place}: {path}" if field.place else path
        properties = field.properties(self.format.name)
        node = XmlNode(field.name, field.namespace)
        node.place = place
        word = word_of(properties, "render", "XMLAttribute" if field.attribute else "XMLElement")
        render = _RENDERS.get(word)
        if render is None:
            raise definition_error(f"{place}: there is no rendering '{word[:40]}'")
        node.render = render
        node.xml_name = properties.get("xmlName", "").strip() or field.name.replace("^", "_")
        node.xml_namespace = properties.get("namespace", field.namespace).strip()
        if render in (ELEMENT_ID, ELEMENT_ID_VALUE):
            node.id_attribute = _checked(properties.get("idAttributeName", "").strip() or "id", place)
            node.id_value = properties.get("idAttributeValue", "").strip() or field.name
        if render in (ELEMENT_VALUE, ELEMENT_ID_VALUE):
            node.value_attribute = _checked(properties.get("valueAttributeName", "").strip() or "value", place)
        node.nillable = field.nillable
        if field.logical is not None:
            node.value = self.type(field, properties, place)
        elif render not in (ELEMENT, ELEMENT_ID):
            raise definition_error(f"{place}: a structure cannot be rendered as {properties.get('render')}")
        numeric = field.logical is not None and is_number(field.logical)
        node.null, node.null_value = self.nulls[0 if numeric else 1]
        self.tags(node)
        if field.group is not None:
            node.content = self.content(field.group, path)
        return node

    def tags(self, node: XmlNode) -> None:
        """Set the texts of start and end tags."""
        name = self.qualified(_checked(node.xml_name, node.place), node.xml_namespace)
        if node.nillable and node.null == NULL_SCHEMA:
            self.qualified("nil", XSI)
        if node.render == ATTRIBUTE_RENDER:
            node.start = f' {name}="'
            return
        identity = f' {node.id_attribute}="{escaped_attribute(node.id_value)}"' if node.id_attribute else ""
        node.start = f"<{name}{identity}"
        node.end = f"</{name}>"

    def type(self, field: Field, properties: dict[str, str], place: str) -> XmlType:
        """Return how the value of a field is written."""
        logical = field.logical
        assert logical is not None
        if logical is Logical.STRING:
            return XmlType(STRING)
        if logical is Logical.BOOLEAN:
            made = XmlType(BOOLEAN)
            made.true = self.settings.get("booleanTrueValue", "").strip() or "true"
            made.false = self.settings.get("booleanFalseValue", "").strip() or "false"
            return made
        if logical is Logical.HEX_BINARY:
            made = XmlType(BINARY)
            word = word_of(properties, "encoding", "base64" if field.base64 else "CDatahex")
            made.base64 = word == "base64"
            made.cdata = word == "cdatahex"
            return made
        if is_calendar(logical):
            made = XmlType(CALENDAR)
            pattern = properties.get("dateTimeFormat", "").strip()
            calendar = calendar_of(pattern, self.settings, place) if pattern else Calendar()
            try:
                made.codec = make_codec(
                    FieldSchema(name=field.name, logical=logical, calendar=calendar), charset_of("utf-8"), 273
                )
            except ValueError as error:
                raise definition_error(f"{place}: {error}") from None
            return made
        bounds = bounds_of(logical)
        if logical in (Logical.FLOAT, Logical.DOUBLE):
            return XmlType(FLOAT)
        made = XmlType(DECIMAL if logical is Logical.DECIMAL else INTEGER)
        made.bounds = bounds
        return made

    def content(self, group: Group, path: str) -> XmlContent:
        """Return the members of a structure. Groups inside it are no level of XML."""
        found = self._contents.get(id(group))
        if found is not None:
            return found
        made = XmlContent()
        self._contents[id(group)] = made
        self._kept.append(group)
        seen: set[int] = set()
        work: list[Member] = list(reversed(group.members))
        made.open = group.open_content
        while work:
            member = work.pop()
            if isinstance(member, Group):
                if id(member) in seen:
                    continue
                seen.add(id(member))
                made.open = made.open or member.open_content
                work.extend(reversed(member.members))
                continue
            if member.max_occurs == 0:
                continue
            try:
                made.add(self.node(member, f"{path}.{member.name}"))
            except ValueError as error:
                raise definition_error(f"{path}: {error}") from None
        return made
