"""Numbers of field types, and how the type in a path matches them.

A type has 32 bits: the high byte is the kind (1 a folder, 2 a value without a name, 3 a field with name and value), the
rest belongs to the parser. XMLNSC's numbers are documented (MF 1.6). XML and XMLNS use the same numbers for the same
constructs, so that a copy between the three needs no table; the documentation calls theirs unpublished.

A type in a path matches a family: `XMLNSC.Field` matches an element written as CDATA, too, `XMLNSC.Attribute` both
quotation marks. A family is a mask and a value: an element matches if `type & mask == value`.
"""

from __future__ import annotations

from typing import Final

KIND: Final = 0xFF000000
NAME: Final = 0x01000000
VALUE: Final = 0x02000000
NAME_VALUE: Final = 0x03000000

FOLDER: Final = 0x01000000
FIELD: Final = 0x03000000
CDATA_FIELD: Final = 0x03000001
BASE64_FIELD: Final = 0x03000002
ATTRIBUTE: Final = 0x03000100
SINGLE_ATTRIBUTE: Final = 0x03000101
SINGLE_NAMESPACE_DECL: Final = 0x03000102
NAMESPACE_DECL: Final = 0x03000103
CONTENT: Final = 0x02000000
CDATA_CONTENT: Final = 0x02000001
WHITE_SPACE: Final = 0x02000002
ENTITY_REFERENCE: Final = 0x02000100
BIT_STREAM: Final = 0x03000200
HYBRID_FIELD: Final = 0x03000004
HYBRID_FOLDER: Final = 0x01000004
DOCUMENT_TYPE: Final = 0x01000300
ENTITY_DEFINITION: Final = 0x03000300
XML_DECLARATION: Final = 0x01000400
COMMENT: Final = 0x03000400
PROCESSING_INSTRUCTION: Final = 0x03000401
JSON_ARRAY: Final = 0x01001000
JSON_OBJECT: Final = 0x01000000

#: The names of types in ESQL, by domain. Old spellings stand beside the current ones.
CONSTANTS: Final[dict[str, dict[str, int]]] = {
    "XMLNSC": {
        "Folder": FOLDER,
        "Field": FIELD,
        "Element": FIELD,
        "CDataField": CDATA_FIELD,
        "Base64Binary": BASE64_FIELD,
        "Attribute": ATTRIBUTE,
        "DoubleAttribute": ATTRIBUTE,
        "SingleAttribute": SINGLE_ATTRIBUTE,
        "NamespaceDecl": NAMESPACE_DECL,
        "SingleNamespaceDecl": SINGLE_NAMESPACE_DECL,
        "DoubleNamespaceDecl": NAMESPACE_DECL,
        "Value": CONTENT,
        "AnyValue": CONTENT,
        "PCDataValue": CONTENT,
        "CDataValue": CDATA_CONTENT,
        "PCDataField": FIELD,
        "HybridField": HYBRID_FIELD,
        "HybridFolder": HYBRID_FOLDER,
        "HybridValue": CONTENT,
        "BitStream": BIT_STREAM,
        "XmlDeclaration": XML_DECLARATION,
        "DocumentType": DOCUMENT_TYPE,
        "EntityDefinition": ENTITY_DEFINITION,
        "EntityReference": ENTITY_REFERENCE,
        "Comment": COMMENT,
        "ProcessingInstruction": PROCESSING_INSTRUCTION,
    },
    "JSON": {"Array": JSON_ARRAY, "Object": JSON_OBJECT},
    "MQRFH2": {"Field": FIELD, "Folder": FOLDER, "BitStream": BIT_STREAM},
    "MRM": {"Field": FIELD, "Folder": FOLDER},
    "DFDL": {"Field": FIELD, "Folder": FOLDER},
    "BLOB": {"BLOB": FIELD},
}
_XML: Final[dict[str, int]] = {
    "Element": FOLDER,
    "Tag": FOLDER,
    "tag": FOLDER,
    "element": FOLDER,
    "Attribute": ATTRIBUTE,
    "Attr": ATTRIBUTE,
    "attr": ATTRIBUTE,
    "attribute": ATTRIBUTE,
    "Content": CONTENT,
    "content": CONTENT,
    "pcdata": CONTENT,
    "CDataSection": CDATA_CONTENT,
    "cdata": CDATA_CONTENT,
    "WhiteSpace": WHITE_SPACE,
    "NamespaceDecl": NAMESPACE_DECL,
    "XmlDecl": XML_DECLARATION,
    "Version": ATTRIBUTE,
    "Encoding": ATTRIBUTE,
    "Standalone": ATTRIBUTE,
    "Comment": COMMENT,
    "ProcessingInstruction": PROCESSING_INSTRUCTION,
    "DocTypeDecl": DOCUMENT_TYPE,
    "EntityReference": ENTITY_REFERENCE,
    "BitStream": BIT_STREAM,
    "ParserRoot": FOLDER,
    "Root": FOLDER,
}
CONSTANTS["XML"] = _XML
CONSTANTS["XMLNS"] = _XML
CONSTANTS["SOAP"] = CONSTANTS["XMLNSC"]


def family_mask(type_value: int) -> int:
    """Return the mask of the family that a type in a path stands for."""
    kind = type_value & KIND
    detail = type_value & 0x00FFFFFF
    if kind == NAME_VALUE and detail in (0, 0x100, 0x102):
        return 0xFFFFFFFE
    if kind == NAME_VALUE and detail == 0x103:
        # The default namespace declaration stands for both quotation marks.
        return 0xFFFFFFFE
    if kind == VALUE and detail == 0:
        return 0xFFFFFFFE
    return 0xFFFFFFFF


def family(type_value: int) -> tuple[int, int]:
    """Return mask and value by which a type in a path matches elements."""
    mask = family_mask(type_value)
    return mask, type_value & mask


#: `XMLNSC.Element` and the kinds have families of their own; the compiler of ESQL asks here by name first.
NAMED_FAMILIES: Final[dict[str, tuple[int, int]]] = {
    "Name": (KIND, NAME),
    "Value": (KIND, VALUE),
    "NameValue": (KIND, NAME_VALUE),
    "XMLNSC.Element": (0xFDFFFFFE, 0x01000000),
}
