"""Physical annotations of `.mset` and `.mxsd` files, as properties of a message set (MF 4.2).

    <xsd:appinfo source="WMQI_APPINFO">
      <cwfInclRep messageSetDefaultRep="CWF1" skipCountTrailing="0">       an occurrence of an element
        <cwfSimpleRep typeName="MRCWFStringRep" width="25" .../>           of simple type
        <cwfAggrRep .../>                                                  of complex type; recomputed, not read
      </cwfInclRep>
      <tdsStructRep .../> <tdsElemRep .../> <tdsInclRep .../>              type or group; element; occurrence
      <xmlInclRep .../> <xmlElemRep .../>                                  occurrence; element
      <MRMessage .../> <MRComplexType .../> <MRLocalGroup .../>            the kind of the object

`cwfSimpleRep` speaks the language of type descriptors: `typeName` tells strings, packed, external, integer, float and
binary fields apart, `size` is the length in bytes, `alignment` a word. No public sample has type names other than that
of strings; they are recognised by the word they contain. An attribute that is not known becomes a note, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from flintmq.broker.formats.message_set import FormatKind, MessageSet, Properties
from flintmq.broker.formats.mrm_properties import FIELD_PROPERTIES, GROUP_PROPERTIES, SET_PROPERTIES, Holds

XSD: Final = "http://www.w3.org/2001/XMLSchema"
XSI: Final = "http://www.w3.org/2001/XMLSchema-instance"
APPINFO: Final = "WMQI_APPINFO"

_Element = Any  # lxml has no types of its own.
Note = Callable[[_Element, str], None]

#: Annotations by name: the kind of format, and whether they belong to a group.
REPRESENTATIONS: Final[dict[str, tuple[FormatKind, bool]]] = {
    "cwfInclRep": (FormatKind.CWF, False),
    "cwfElemRep": (FormatKind.CWF, False),
    "cwfStructRep": (FormatKind.CWF, True),
    "tdsElemRep": (FormatKind.TDS, False),
    "tdsInclRep": (FormatKind.TDS, False),
    "tdsAttrRep": (FormatKind.TDS, False),
    "tdsStructRep": (FormatKind.TDS, True),
    "xmlInclRep": (FormatKind.XML, False),
    "xmlElemRep": (FormatKind.XML, False),
    "xmlAttrRep": (FormatKind.XML, False),
    "xmlElementRep": (FormatKind.XML, False),
    "xmlMessageRep": (FormatKind.XML, False),
    "xmlStructRep": (FormatKind.XML, True),
}
#: Annotations that say what an object is, or that hold nothing we need.
OBJECTS: Final = (
    "MRMessage",
    "MRComplexType",
    "MRSimpleType",
    "MRLocalGroup",
    "MRGlobalGroup",
    "MRGroupRef",
    "MRLocalElement",
    "MRGlobalElement",
    "MRElementRef",
    "MRAttribute",
    "MRAttributeRef",
    "MRAttributeGroup",
    "MRDocumentation",
)
#: Other spellings of property names.
_SYNONYMS: Final = {
    "idattrname": "idAttributeName",
    "idattributename": "idAttributeName",
    "idattrvalue": "idAttributeValue",
    "valattrname": "valueAttributeName",
    "valueattrname": "valueAttributeName",
    "format": "dateTimeFormat",
    "formatstring": "dateTimeFormat",
    "datetimeformatstring": "dateTimeFormat",
    "stringjustification": "justification",
    "lengthcount": "length",
    "skipcount": "skipCountLeading",
    "leadingskipcount": "skipCountLeading",
    "trailingskipcount": "skipCountTrailing",
    "extracharinencodedlength": "extraCharsInEncodedLength",
    "extracharsencodedlength": "extraCharsInEncodedLength",
    "lengthofencodedlen": "lengthOfEncodedLength",
    "suppressabsentelementdelimiter": "suppressAbsentElementDelimiters",
    "booleantruerep": "booleanTrueValue",
    "booleanfalserep": "booleanFalseValue",
    "booleannullrep": "booleanNullValue",
    "encodingnullnumericvalue": "encodingNullNumVal",
    "encodingnullnonnumericvalue": "encodingNullNonNumVal",
    "standalone": "standaloneDocument",
    "suppressxmldecl": "suppressXMLDeclaration",
    "doctypeinternaltext": "doctypeText",
    "internaldtdsubset": "doctypeText",
    "tagseparator": "tagDataSeparator",
}
#: Attributes that need no note: positions that are computed again, identities, references to other files.
_IGNORED: Final = frozenset(
    (
        "messagesetdefaultrep",
        "name",
        "description",
        "id",
        "type",
        "typename",
        "offset",
        "size",
        "contentsize",
        "width",
        "addrunit",
        "accessor",
        "attributeinbit",
        "charactersize",
        "lengthencoding",
        "prefixlength",
        "alignment",
        "messagedefinition",
        "schemaobject",
        "baseinaddr",
        "basewidth",
        "baseunits",
        "base",
        "nickname",
        "bigendian",
        "checkvalidity",
        "signcoding",
        "externaldecimalsign",
        "signformat",
        "floattype",
        "signed",
        "formatinbit",
        "dbcsonly",
        "encoding",
    )
)
_ALIGNMENTS: Final = {"byte": "1", "halfword": "2", "word": "4", "fullword": "4", "doubleword": "8", "quadword": "16"}


def local(element: _Element) -> str:
    """Return the local name of an element of XML; '' for comments and the like."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def canonical(allowed: Mapping[str, Holds]) -> dict[str, str]:
    """Return property names by their spelling in lower case."""
    return {name.lower(): name for name in allowed}


def properties_of(element: _Element, allowed: Mapping[str, Holds], note: Note) -> Properties:
    """Return the attributes of an annotation that are properties; note those that are not known."""
    names = canonical(allowed)
    found: Properties = {}
    for attribute, value in element.attrib.items():
        key = attribute.rpartition("}")[2].lower()
        if attribute.startswith("{"):
            continue
        name = names.get(key) or names.get(_SYNONYMS.get(key, "").lower())
        if name is not None:
            found[name] = value
        elif key not in _IGNORED:
            note(element, f"attribute {attribute} of {local(element)} is not known and not used")
    return found


def annotations_of(element: _Element) -> Iterator[_Element]:
    """Yield the annotations of an object of a schema."""
    for annotation in element.iterchildren(f"{{{XSD}}}annotation"):
        for appinfo in annotation.iterchildren(f"{{{XSD}}}appinfo"):
            if appinfo.get("source") == APPINFO:
                for child in appinfo.iterchildren():
                    if isinstance(child.tag, str):
                        yield child


class AnnotationReader:
    """Reads the annotations of the objects of a message set."""

    def __init__(self, message_set: MessageSet, note: Note) -> None:
        self.set = message_set
        self.note = note

    def format_of(self, representation: _Element, kind: FormatKind) -> str:
        """Return the format that an annotation belongs to; '' if there is none."""
        name: str = representation.get("messageSetDefaultRep") or ""
        if not name:
            formats = self.set.formats_of(kind)
            return formats[0] if len(formats) == 1 else ""
        format = self.set.formats.get(name)
        if format is None:
            self.note(representation, f"{local(representation)} belongs to format {name}, which the set does not have")
            return ""
        if format.kind is not kind:
            self.note(representation, f"{local(representation)} belongs to format {name}, which is {format.kind.value}")
            return ""
        return name

    def physical(self, element: _Element, of_group: bool) -> dict[str, Properties]:
        """Return the properties of an element or group, by format."""
        found: dict[str, Properties] = {}
        for annotation in annotations_of(element):
            name = local(annotation)
            known = REPRESENTATIONS.get(name)
            if known is None:
                if name not in OBJECTS:
                    self.note(annotation, f"annotation {name} is not known and not used")
                continue
            kind, is_group = known
            if is_group != of_group:
                continue
            format = self.format_of(annotation, kind)
            if not format:
                continue
            table = GROUP_PROPERTIES if of_group else FIELD_PROPERTIES
            properties = properties_of(annotation, table[kind], self.note)
            if kind is FormatKind.CWF:
                for inner in annotation.iterchildren():
                    if local(inner) == "cwfSimpleRep":
                        properties |= self.cwf_simple(inner)
            if kind is FormatKind.TDS:
                for inner in annotation.iterchildren():
                    # Numbers may be elements, so that they can be nil.
                    key = canonical(table[kind]).get(local(inner).lower())
                    if key is not None and (inner.text or "").strip():
                        properties[key] = inner.text.strip()
            for key in ("lengthReference", "repeatReference"):
                if key in properties:
                    properties[key] = reference_name(properties[key])
            found.setdefault(format, {}).update(properties)
        return found

    def cwf_simple(self, representation: _Element) -> Properties:
        """Return the properties of a `cwfSimpleRep`."""
        found = properties_of(representation, FIELD_PROPERTIES[FormatKind.CWF], self.note)
        given = {key.lower(): value for key, value in representation.attrib.items()}
        kind = given.get("typename", "").lower()
        physical = _physical_type(kind, given)
        if physical:
            found["physicalType"] = physical
        elif kind:
            self.note(
                representation, f"typeName {representation.get('typeName')} is not known; the logical type decides"
            )
        length = given.get("contentsize") or given.get("size") or given.get("width", "")
        if "length" not in found and length.strip().isdigit():
            found["length"] = length.strip()
        if given.get("charactersize", "").strip() == "2":
            found.setdefault("charset", "UTF-16BE")
        if "byteAlignment" not in found:
            alignment = _ALIGNMENTS.get(given.get("alignment", "byte").lower())
            if alignment is None:
                self.note(representation, f"alignment {given['alignment']} is not known")
            elif alignment != "1":
                found["byteAlignment"] = alignment
        if given.get("signformat"):
            found["signOrientation"] = given["signformat"]
        if given.get("externaldecimalsign", "").lower() == "ebcdiccustom":
            found["signEBCDICCustom"] = "true"
        if "signed" in given:
            found["signed"] = given["signed"]
        elif "signcoding" in given:
            found["signed"] = "false" if "unsigned" in given["signcoding"].lower() else "true"
        return found

    def says(self, element: _Element, name: str) -> _Element | None:
        """Return the first annotation with a name; None if the object has none."""
        for annotation in annotations_of(element):
            if local(annotation) == name:
                return annotation
        return None


#: Words in the name of a type, and the physical type that they mean. The first that fits decides.
_TYPE_WORDS: Final = (
    ("packed", "packedDecimal"),
    ("external", "externalDecimal"),
    ("zoned", "externalDecimal"),
    ("float", "float"),
    ("boolean", "boolean"),
    ("binary", "binary"),
    ("integer", "integer"),
    ("second", "timeSeconds"),
    ("string", "fixedLengthString"),
    ("date", "fixedLengthString"),
    ("time", "fixedLengthString"),
)


def _physical_type(kind: str, given: Mapping[str, str]) -> str:
    """Return the physical type of a field from the name of its type and its length encoding; '' if it is not known."""
    physical = next((physical for word, physical in _TYPE_WORDS if word in kind), "")
    if physical == "timeSeconds" and "milli" in kind:
        return "timeMilliseconds"
    encoding = given.get("lengthencoding", "").lower()
    prefix = given.get("prefixlength", "0").strip()
    if physical == "binary":
        return _encoded("Binary", encoding, prefix) or physical
    if physical == "fixedLengthString":
        if "null" in encoding:
            return "nullTerminatedString"
        return _encoded("String", encoding, prefix) or physical
    return physical


def _encoded(word: str, encoding: str, prefix: str) -> str:
    """Return the physical type of a string or binary field with its length before it; '' if it has none."""
    if ("prefix" in encoding or "lengthencoded" in encoding) and prefix in ("1", "2"):
        return f"lengthEncoded{word}{prefix}"
    return ""


def reference_name(text: str) -> str:
    """Return the name of the field that a reference of a schema means: `/0/Type/Count;XSDElement...` is Count."""
    path = text.strip().partition(";")[0]
    if path.startswith(("../", "/")) and not path.startswith("/0/"):
        return path
    return path.rpartition("/")[2].partition("=")[0]


def set_properties(representation: _Element, kind: FormatKind, note: Note) -> Properties:
    """Return the properties of a physical format from its element in a `.mset` file."""
    found = properties_of(representation, SET_PROPERTIES[kind], note)
    names = canonical(SET_PROPERTIES[kind])
    for child in representation.iterchildren():
        if not isinstance(child.tag, str):
            continue
        name = names.get(local(child).lower())
        nil = child.get(f"{{{XSI}}}nil") in ("true", "1")
        if name is None:
            note(child, f"{local(child)} of a physical format is not known and not used")
        elif not nil and (child.text or "").strip():
            found[name] = child.text.strip()
    return found
