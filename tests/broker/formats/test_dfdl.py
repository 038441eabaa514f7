"""The DFDL domain and its schemas: messages from annotated XML Schema, errors with file and line, notices."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.dfdl import SchemaSet, split_type
from flintmq.broker.formats.dfdl_properties import DefinitionError
from flintmq.broker.formats.dfdl_schema import SchemaReader
from flintmq.broker.formats.registry import (
    FOLDER_BIT_STREAM,
    VALIDATE_CONTENT,
    VALIDATE_IMMEDIATE,
    VALIDATE_VALUE,
    Context,
    format_of,
)
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.values import Date
from tests.broker.formats.model.models import shape, values

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:dfdl="http://www.ogf.org/dfdl/dfdl-1.0/"
           xmlns:fn="http://www.w3.org/2005/xpath-functions" xmlns:f="urn:formats" xmlns:t="urn:orders"
           targetNamespace="urn:orders" elementFormDefault="unqualified">
  <xs:import namespace="urn:formats" schemaLocation="formats/base.xsd"/>
  <xs:annotation><xs:appinfo source="http://www.ogf.org/dfdl/">
    <dfdl:format ref="f:base"/>{top}
  </xs:appinfo></xs:annotation>
"""
BASE = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:dfdl="http://www.ogf.org/dfdl/dfdl-1.0/"
           xmlns:f="urn:formats" targetNamespace="urn:formats">
  <xs:annotation><xs:appinfo source="http://www.ogf.org/dfdl/">
    <dfdl:defineFormat name="common">
      <dfdl:format encoding="{$dfdl:encoding}" byteOrder="{$dfdl:byteOrder}" bitOrder="mostSignificantBitFirst"
        representation="text" initiator="" terminator="" separator="" separatorPosition="infix"
        separatorSuppressionPolicy="trailingEmpty" sequenceKind="ordered" initiatedContent="no"
        occursCountKind="implicit" lengthKind="delimited" lengthUnits="bytes" alignment="1" alignmentUnits="bytes"
        leadingSkip="0" trailingSkip="0"
        fillByte="%#r20;" ignoreCase="no" choiceLengthKind="implicit" floating="no" escapeSchemeRef=""
        documentFinalTerminatorCanBeMissing="yes" emptyValueDelimiterPolicy="none" nilValueDelimiterPolicy="none"
        nilKind="literalValue" nilValue="%ES;" useNilForDefault="no" truncateSpecifiedLengthString="no"
        encodingErrorPolicy="replace" outputNewLine="%LF;" textBidi="no"/>
    </dfdl:defineFormat>
    <dfdl:defineFormat name="base">
      <dfdl:format ref="f:common" textPadKind="padChar" textTrimKind="padChar" textStringJustification="left"
        textStringPadCharacter="%SP;" textNumberRep="standard" textNumberPattern="#0.##" textNumberCheckPolicy="lax"
        textStandardDecimalSeparator="." textStandardGroupingSeparator="," textStandardExponentRep="E"
        textStandardInfinityRep="Inf" textStandardNaNRep="NaN" textStandardZeroRep="" textStandardBase="10"
        textNumberRounding="pattern" textNumberJustification="right" textNumberPadCharacter="%SP;"
        textZonedSignStyle="asciiStandard" decimalSigned="yes" binaryNumberRep="packed" binaryDecimalVirtualPoint="2"
        binaryPackedSignCodes="C D F C" binaryNumberCheckPolicy="lax" binaryFloatRep="ieee"
        textBooleanTrueRep="yes" textBooleanFalseRep="no" textBooleanJustification="left" textBooleanPadCharacter="%SP;"
        calendarPatternKind="explicit" calendarPattern="dd.MM.yyyy" calendarCheckPolicy="strict" calendarTimeZone=""
        textCalendarJustification="left" textCalendarPadCharacter="%SP;"/>
    </dfdl:defineFormat>
    <dfdl:defineEscapeScheme name="quoted">
      <dfdl:escapeScheme escapeKind="escapeBlock" escapeBlockStart='"' escapeBlockEnd='"' escapeEscapeCharacter='"'
        generateEscapeBlock="whenNeeded" extraEscapedCharacters=""/>
    </dfdl:defineEscapeScheme>
  </xs:appinfo></xs:annotation>
</xs:schema>"""


def schema(body: str, top: str = "") -> str:
    return HEAD.replace("{top}", top) + body + "</xs:schema>"


ORDERS = schema(
    """
  <xs:element name="Orders">
    <xs:complexType><xs:sequence dfdl:separator="%NL;" dfdl:separatorPosition="postfix">
      <xs:element name="Order" type="t:Order" maxOccurs="unbounded"/>
    </xs:sequence></xs:complexType>
  </xs:element>
  <xs:complexType name="Order"><xs:sequence dfdl:separator=",">
    <xs:element name="id" type="xs:int"/>
    <xs:element name="customer" type="xs:string" dfdl:escapeSchemeRef="f:quoted"/>
    <xs:element name="when" type="xs:date"/>
    <xs:element name="price" type="xs:decimal" nillable="true"/>
    <xs:element name="note" type="xs:string" minOccurs="0"/>
  </xs:sequence></xs:complexType>
"""
)
ORDERS_DATA = b'1,"Nut, Bolt & Co",31.01.2024,12.5,hello\n2,Cog,01.02.2024,\n'
RECORD = schema(
    """
  <xs:element name="Record">
    <xs:complexType><xs:sequence>
      <xs:sequence dfdl:hiddenGroupRef="t:length"/>
      <xs:element name="text" type="xs:string" dfdl:lengthKind="explicit" dfdl:length="{ ../size }"/>
      <xs:element name="amount" type="xs:decimal" dfdl:representation="binary" dfdl:lengthKind="explicit"
        dfdl:length="3"/>
      <xs:choice>
        <xs:element name="number" type="xs:int" dfdl:initiator="#"/>
        <xs:element name="word" type="xs:string" dfdl:initiator="$"/>
      </xs:choice>
    </xs:sequence></xs:complexType>
  </xs:element>
  <xs:group name="length"><xs:sequence>
    <xs:element name="size" type="xs:int" dfdl:lengthKind="explicit" dfdl:length="2" dfdl:textNumberPattern="00"
      dfdl:outputValueCalc="{ dfdl:valueLength(../text, 'bytes') }"/>
  </xs:sequence></xs:group>
"""
)


def library(**files: str) -> SchemaSet:
    """Return the schemas of a library; underscores in names are slashes."""
    texts = {"formats/base.xsd": BASE} | {name + ".xsd": text for name, text in files.items()}
    return SchemaSet({path: partial(str.encode, text) for path, text in texts.items()}, "Lib")


def context(model: SchemaSet, message: str, **options: object) -> Context:
    return Context(encoding=273, message_set="{Lib}", message_type=message, models=lambda name: model, **options)  # type: ignore[arg-type]


DFDL = format_of("DFDL")


def test_a_body_is_read_by_its_schema_below_its_message_element() -> None:
    folder = DFDL.parse(ORDERS_DATA, context(library(orders=ORDERS), "{urn:orders}:Orders"))
    assert folder.name == "DFDL" and folder.pending
    top = folder.first_child()
    assert top is not None and (top.name, top.namespace) == ("Orders", "urn:orders")
    assert values(top) == [
        (
            "Order",
            [
                ("id", 1),
                ("customer", "Nut, Bolt & Co"),
                ("when", Date(2024, 1, 31)),
                ("price", Decimal("12.5")),
                ("note", "hello"),
            ],
        ),
        ("Order", [("id", 2), ("customer", "Cog"), ("when", Date(2024, 2, 1)), ("price", None)]),
    ]


def test_a_changed_body_is_written_by_its_schema_and_an_unchanged_one_as_it_came() -> None:
    model = library(orders=ORDERS)
    how = context(model, "Orders")
    folder = DFDL.parse(ORDERS_DATA, how)
    assert DFDL.write(folder, how) == ORDERS_DATA
    copied = copy_element(folder)
    top = copied.first_child()
    assert top is not None
    top.children()[1].put("customer", 'say "no", twice')
    assert DFDL.write(copied, how) == b'1,"Nut, Bolt & Co",31.01.2024,12.5,hello\n2,"say ""no"", twice",01.02.2024,\n'


def test_without_a_message_type_the_element_names_the_message() -> None:
    folder = Element("DFDL")
    folder.domain = "DFDL"
    order = folder.add("Orders").add("Order")
    for name, value in (("id", 3), ("customer", "x"), ("when", "2024-03-01"), ("price", "7")):
        order.add(name, value)
    assert DFDL.write(folder, context(library(orders=ORDERS), "")) == b"3,x,01.03.2024,7\n"


def test_hidden_elements_are_computed_and_never_in_the_tree() -> None:
    model = library(record=RECORD)
    how = context(model, "Record")
    data = b"05hello\x01\x23\x4c#42"
    folder = DFDL.parse(data, how)
    top = folder.first_child()
    assert top is not None
    assert values(top) == [("text", "hello"), ("amount", Decimal("12.34")), ("number", 42)]
    copied = copy_element(folder)
    changed = copied.first_child()
    assert changed is not None
    changed.put("text", "hi")
    assert DFDL.write(copied, how) == b"02hi\x01\x23\x4c#42"


@pytest.mark.parametrize(
    ("message", "text"),
    [("Nothing", "no DFDL schema of library '{Lib}' has a global element 'Nothing'"), ("", "needs a message type")],
)
def test_a_message_that_is_not_there_is_an_error(message: str, text: str) -> None:
    with pytest.raises(BrokerError, match=text.replace("{", r"\{")):
        DFDL.parse(b"", context(library(orders=ORDERS), message))


def test_a_library_that_is_not_there_is_an_error() -> None:
    with pytest.raises(BrokerError, match="no library 'X'"):
        DFDL.parse(b"", Context(message_set="X", message_type="m", models=lambda name: None))
    with pytest.raises(BrokerError, match="needs the schemas"):
        DFDL.parse(b"", Context(message_type="m"))


def test_an_error_in_the_data_names_element_and_offset() -> None:
    folder = DFDL.parse(ORDERS_DATA.replace(b"31.01.2024", b"31.13.2024"), context(library(orders=ORDERS), "Orders"))
    with pytest.raises(BrokerError) as found:
        folder.first_child()
    cause = found.value.root_cause()
    assert found.value.number == 5806 and cause.number == 5812
    assert "Orders.Order.when, offset 19: '31.13.2024' has no month 13" in cause.text


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("{urn:x}:m", ("urn:x", "m")),
        ("{urn:x}m", ("urn:x", "m")),
        ("p:m", (None, "m")),
        ("m", (None, "m")),
        ("{}:m", ("", "m")),
    ],
)
def test_message_types_have_three_spellings(name: str, parts: tuple[str | None, str]) -> None:
    assert split_type(name) == parts


# Schemas.


def load(body: str, top: str = "", name: str = "e") -> list[str]:
    """Return the notices of loading a schema."""
    documents = {"s.xsd": schema(body, top).encode(), "formats/base.xsd": BASE.encode()}
    return SchemaReader(documents.get, documents).message("s.xsd", name)[1]


def element(attributes: str, inner: str = "") -> str:
    return f'<xs:element name="e" {attributes}>{inner}</xs:element>'


def structure(inner: str) -> str:
    return element("", f"<xs:complexType>{inner}</xs:complexType>")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (element('type="xs:int" dfdl:lenghtKind="explicit"'), "dfdl:lenghtKind is not a property"),
        (element('type="xs:int" dfdl:lengthKind="sometimes"'), "dfdl:lengthKind='sometimes' is not one of"),
        (element('type="xs:int" dfdl:lengthKind="explicit"'), "the property dfdl:length is not defined"),
        (element('type="xs:int" dfdl:lengthKind="explicit" dfdl:length="{ ../x + }"'), "is expected"),
        (element('type="xs:nothing"'), "xs:nothing is not a type"),
        (element('type="t:Nothing"'), "there is no simpleType t:Nothing"),
        (element(""), "has no type"),
        (element('type="xs:int" dfdl:initiator="%XX;"'), "is not a DFDL entity"),
        (element('type="xs:int" dfdl:textNumberPattern="0#"'), "pattern"),
        (element('type="xs:date" dfdl:calendarPattern="HH"'), "HH"),
        (element('type="xs:string" dfdl:encoding="no-such-set"'), "not a character set"),
        (element('type="xs:int" default="x"'), "the default"),
        (element('type="xs:string" dfdl:escapeSchemeRef="f:none"'), "no escape scheme f:none"),
        (element('type="xs:int" dfdl:ref="f:none"'), "no format f:none"),
        (structure("<xs:all/>"), "xs:all is not part of DFDL"),
        (structure("<xs:sequence/><xs:attribute name='a'/>"), "attribute is not part"),
        (structure('<xs:sequence><xs:element ref="t:e"/></xs:sequence>'), "no recursion"),
        (structure('<xs:choice><xs:element name="a" type="xs:int" minOccurs="0"/></xs:choice>'), "a is optional"),
    ],
)
def test_a_schema_that_is_not_valid_is_an_error_with_file_and_line(body: str, text: str) -> None:
    with pytest.raises(DefinitionError) as found:
        load(body)
    assert text in str(found.value)
    assert str(found.value).startswith(("s.xsd:", "formats/base.xsd:"))


@pytest.mark.parametrize(
    ("body", "notice"),
    [
        (element('type="xs:int" dfdl:floating="yes"'), "dfdl:floating='yes' is not supported"),
        (element('type="xs:string" dfdl:encoding="X-DFDL-HEX-MSBF"'), "X-DFDL-HEX-MSBF"),
        (
            element('type="xs:date" dfdl:calendarPattern="dd MMM yyyy" dfdl:calendarLanguage="de"'),
            "dfdl:calendarLanguage='de'",
        ),
        (
            element('type="xs:hexBinary" dfdl:bitOrder="leastSignificantBitFirst"'),
            "dfdl:bitOrder='leastSignificantBitFirst'",
        ),
        (element('type="xs:string" dfdl:inputValueCalc="{ fn:doc(\'x\') }"'), "the function fn:doc"),
    ],
)
def test_what_is_outside_of_the_subset_is_named_with_its_line(body: str, notice: str) -> None:
    notices = load(body)
    assert any(notice in found and found.startswith("s.xsd:") for found in notices)


def test_a_message_outside_of_the_subset_cannot_be_used_and_says_why() -> None:
    model = library(s=schema(element('type="xs:int" dfdl:floating="yes"')))
    with pytest.raises(BrokerError, match="s.xsd:.* dfdl:floating='yes' is not supported"):
        model.find("e")
    assert model.notices


def test_a_schema_may_not_refer_to_files_outside_of_its_library() -> None:
    body = '<xs:include schemaLocation="../../../../etc/passwd"/>' + element('type="xs:int"')
    with pytest.raises(DefinitionError, match="there is no schema"):
        load(body)


@pytest.mark.parametrize(
    "text",
    [
        "<not-a-schema/>",
        "<xs:schema",
        '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>',
        "",
    ],
)
def test_a_document_that_is_no_schema_is_an_error(text: str) -> None:
    reader = SchemaReader(lambda path: text.encode() if path == "s.xsd" else None)
    with pytest.raises(DefinitionError, match="s.xsd"):
        reader.message("s.xsd", "e")


def test_properties_have_three_forms_that_mean_the_same() -> None:
    short = element('type="xs:string" dfdl:lengthKind="explicit" dfdl:length="3"')
    attribute = element('type="xs:string"', _annotated('<dfdl:element lengthKind="explicit" length="3"/>'))
    long = element(
        'type="xs:string"',
        _annotated(
            '<dfdl:element><dfdl:property name="lengthKind">explicit</dfdl:property>'
            '<dfdl:property name="length">3</dfdl:property></dfdl:element>'
        ),
    )
    for body in (short, attribute, long):
        folder = DFDL.parse(b"abc", context(library(s=schema(body)), "e"))
        assert shape(folder) == ("DFDL", [("e", "abc")])


def test_a_property_may_not_be_defined_twice() -> None:
    with pytest.raises(DefinitionError, match="dfdl:length is defined twice"):
        load(element('type="xs:string" dfdl:length="3"', _annotated('<dfdl:element length="3"/>')))


def test_asserts_and_discriminators_are_tested() -> None:
    checked = _annotated("<dfdl:assert message='too much'>{ . lt 100 }</dfdl:assert>")
    model = library(s=schema(element('type="xs:int"', checked)))
    assert shape(DFDL.parse(b"99", context(model, "e"))) == ("DFDL", [("e", 99)])
    with pytest.raises(BrokerError, match="too much"):
        DFDL.parse(b"100", context(model, "e")).first_child()


def test_variables_are_set_once_and_read_afterwards() -> None:
    top = '<dfdl:defineVariable name="sep" type="xs:string" defaultValue=";"/>'
    body = element(
        "",
        "<xs:complexType><xs:sequence>"
        '<xs:element name="mark" type="xs:string" dfdl:lengthKind="explicit" dfdl:length="1">'
        + _annotated('<dfdl:setVariable ref="t:sep" value="{ . }"/>')
        + '</xs:element><xs:sequence dfdl:separator="{ $t:sep }">'
        '<xs:element name="n" type="xs:int" maxOccurs="unbounded"/>'
        "</xs:sequence></xs:sequence></xs:complexType>",
    )
    model = library(s=schema(body, top))
    assert values(DFDL.parse(b"|1|2|3", context(model, "e")).children()[0]) == [
        ("mark", "|"),
        ("n", 1),
        ("n", 2),
        ("n", 3),
    ]
    assert values(DFDL.parse(b"/1/2", context(model, "e")).children()[0]) == [("mark", "/"), ("n", 1), ("n", 2)]


def _annotated(inner: str) -> str:
    return f'<xs:annotation><xs:appinfo source="http://www.ogf.org/dfdl/">{inner}</xs:appinfo></xs:annotation>'


RESTRICTED = schema(
    """
  <xs:element name="e"><xs:complexType><xs:sequence dfdl:separator=",">
    <xs:element name="code" minOccurs="1" maxOccurs="2" dfdl:occursCountKind="parsed">
      <xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="[A-Z]{2}"/></xs:restriction></xs:simpleType>
    </xs:element>
  </xs:sequence></xs:complexType></xs:element>
"""
)


def test_values_are_validated_where_a_node_asks_for_it() -> None:
    model = library(s=RESTRICTED)
    data = b"AB,x,CD"
    assert len(DFDL.parse(data, context(model, "e")).children()[0].children()) == 3
    with pytest.raises(BrokerError) as found:
        DFDL.parse(data, context(model, "e", options=VALIDATE_VALUE)).first_child()
    text = found.value.root_cause().text
    assert "e.code[2]: 'x' does not match the pattern [A-Z]{2}" in text and "at most 2 are allowed" in text
    with pytest.raises(BrokerError, match="does not match"):
        DFDL.parse(data, context(model, "e", options=VALIDATE_CONTENT | VALIDATE_IMMEDIATE))
    folder = DFDL.parse(b"AB,CD", context(model, "e", options=VALIDATE_VALUE))
    assert values(folder.children()[0]) == [("code", "AB"), ("code", "CD")]
    folder.children()[0].children()[0].set_value("ab")
    with pytest.raises(BrokerError, match="does not match"):
        DFDL.write(folder, context(model, "e", options=VALIDATE_VALUE))


def test_one_element_is_written_as_a_folder_bit_stream() -> None:
    """ASBITSTREAM with FolderBitStream writes the element; PARSE with the same option rebuilds it."""
    how = context(library(orders=ORDERS), "Orders", options=FOLDER_BIT_STREAM)
    top = DFDL.parse(ORDERS_DATA, how).children()[0]
    data = DFDL.write(top, how)
    assert data == ORDERS_DATA
    assert shape(DFDL.parse(data, how).children()[0]) == shape(top)
