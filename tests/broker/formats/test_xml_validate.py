"""Validation by XML schemas, and values with the types of a schema."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats import Context, format_of
from flintmq.broker.formats.registry import VALIDATE_COMPLETE, VALIDATE_CONTENT, VALIDATE_LOCAL_ERROR, VALIDATE_VALUE
from flintmq.broker.formats.xml_validate import XmlSchemas, find_schema, validate_tree
from flintmq.broker.formats.xml_values import SIMPLE_TYPES, typed_value
from flintmq.broker.tree.element import Element, copy_content
from flintmq.broker.tree.types import FOLDER
from flintmq.broker.values import Date, Interval, Time, Timestamp

pytest.importorskip("lxml.etree", reason="lxml validates")

ORDER = b"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:o" xmlns:c="urn:common"
    targetNamespace="urn:o" elementFormDefault="qualified">
  <xs:import namespace="urn:common" schemaLocation="../common/types.xsd"/>
  <xs:include schemaLocation="parts.xsd"/>
  <xs:element name="Order" type="OrderType"/>
  <xs:complexType name="OrderType">
    <xs:sequence>
      <xs:element name="Total" type="c:Amount"/>
      <xs:element name="Count" type="xs:int" nillable="true"/>
      <xs:element name="Made" type="xs:dateTime" minOccurs="0"/>
      <xs:element ref="Party" minOccurs="0" maxOccurs="unbounded"/>
      <xs:group ref="Rest"/>
    </xs:sequence>
    <xs:attribute name="urgent" type="xs:boolean"/>
    <xs:attributeGroup ref="Ids"/>
  </xs:complexType>
  <xs:element name="Party" type="PartyType"/>
  <xs:element name="Person" type="PersonType" substitutionGroup="Party"/>
  <xs:complexType name="PartyType"><xs:sequence><xs:element name="Since" type="xs:date"/></xs:sequence></xs:complexType>
  <xs:complexType name="PersonType"><xs:complexContent><xs:extension base="PartyType"><xs:sequence>
    <xs:element name="Age" type="xs:unsignedByte"/><xs:element name="Boss" type="PersonType" minOccurs="0"/>
  </xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:attributeGroup name="Ids"><xs:attribute name="id"><xs:simpleType><xs:restriction base="xs:long"/></xs:simpleType>
  </xs:attribute></xs:attributeGroup>
</xs:schema>"""
PARTS = b"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
  <xs:group name="Rest"><xs:sequence><xs:element name="Data" minOccurs="0"><xs:complexType><xs:simpleContent>
    <xs:extension base="xs:hexBinary"><xs:attribute name="size" type="xs:integer"/></xs:extension>
  </xs:simpleContent></xs:complexType></xs:element><xs:any minOccurs="0"
    namespace="##other" processContents="lax"/></xs:sequence></xs:group>
</xs:schema>"""
COMMON = b"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:common">
  <xs:simpleType name="Amount"><xs:restriction base="xs:decimal"><xs:minInclusive value="0"/></xs:restriction>
  </xs:simpleType>
</xs:schema>"""
DOCUMENT = (
    b'<o:Order xmlns:o="urn:o" urgent="1" id="7" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><o:Total>1.50'
    b'</o:Total><o:Count xsi:nil="true"/><o:Made>2024-01-31T12:00:00+02:00</o:Made>'
    b"<o:Party><o:Since>2020-02-29</o:Since></o:Party>"
    b"<o:Person><o:Since>2021-01-01</o:Since><o:Age>42</o:Age><o:Boss><o:Since>2022-01-01</o:Since><o:Age>60</o:Age>"
    b'</o:Boss></o:Person><o:Party xsi:type="o:PersonType"><o:Since>2023-01-01</o:Since><o:Age>9</o:Age></o:Party>'
    b'<o:Data size="3">0aff</o:Data></o:Order>'
)


def reader(data: bytes) -> Callable[[], bytes]:
    return lambda: data


POOL = XmlSchemas(
    {"lib/order/order.xsd": reader(ORDER), "lib/order/parts.xsd": reader(PARTS), "lib/common/types.xsd": reader(COMMON)}
)


def models(name: str) -> object:
    return POOL


def typed(document: bytes = DOCUMENT) -> Element:
    context = Context(models=models, parser_options={"parserXmlnscBuildTreeUsingXMLSchema": "true"})
    found = format_of("XMLNSC").parse(document, context).last_child()
    assert found is not None
    return found


def values(element: Element) -> list[tuple[str, object]]:
    found = []
    for child in element.children():
        if child.type & 2 == 0 or child.type & ~3 != 0x03000100:
            found.append((child.name, child.value))
            found += values(child)
    return found


def test_values_get_the_types_of_the_schema() -> None:
    """Restrictions, groups, imports, includes, substitution, extension, xsi:type, xsi:nil and recursion."""
    assert values(typed()) == [
        ("urgent", True),
        ("id", 7),
        ("Total", Decimal("1.50")),
        ("Count", None),
        ("nil", "true"),
        ("Made", Timestamp(2024, 1, 31, 10, gmt=True)),
        ("Party", None),
        ("Since", Date(2020, 2, 29)),
        ("Person", None),
        ("Since", Date(2021, 1, 1)),
        ("Age", 42),
        ("Boss", None),
        ("Since", Date(2022, 1, 1)),
        ("Age", 60),
        ("Party", None),
        ("type", "o:PersonType"),
        ("Since", Date(2023, 1, 1)),
        ("Age", 9),
        ("Data", b"\x0a\xff"),
        ("size", Decimal(3)),
    ]


def test_a_copy_to_a_folder_without_parser_keeps_the_types_of_values() -> None:
    element = typed()
    target = Element("Copy", None, FOLDER)
    copy_content(target, element)
    found = next(child for child in target.children() if child.name == "Total")
    assert found.value == Decimal("1.50")


def test_without_the_option_values_stay_character() -> None:
    found = format_of("XMLNSC").parse(DOCUMENT, Context(models=models)).last_child()
    assert found is not None
    assert next(child for child in found.children() if child.name == "Total").value == "1.50"


def test_a_changed_typed_value_is_written_in_its_canonical_form() -> None:
    element = typed()
    total = next(child for child in element.children() if child.name == "Total")
    total.set_value(Decimal("2.25"))
    parent = element.parent
    assert parent is not None
    written = format_of("XMLNSC").write(parent, Context(models=models, options=VALIDATE_CONTENT))
    assert written.startswith(b'<o:Order xmlns:o="urn:o" urgent="true" id="7"')
    assert b"<o:Total>2.25</o:Total>" in written
    again = format_of("XMLNSC").parse(written, Context()).last_child()
    assert again is not None and len(again.children()) == len(element.children())


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("boolean", " true ", True),
        ("boolean", "0", False),
        ("boolean", "yes", "yes"),
        ("int", "+5", 5),
        ("int", "5.0", "5.0"),
        ("decimal", "-1.500", Decimal("-1.500")),
        ("integer", "9" * 30, Decimal("9" * 30)),
        ("integer", "9" * 100_000, "9" * 100_000),
        ("double", "1.5E2", 150.0),
        ("float", "-INF", -math.inf),
        ("double", "0x1p3", "0x1p3"),
        ("date", "2024-02-29", Date(2024, 2, 29)),
        ("date", "2023-02-29", "2023-02-29"),
        ("date", "2024-02-29Z", Date(2024, 2, 29)),
        ("time", "23:59:59.1234567", Time(23, 59, 59, 123_456)),
        ("time", "00:30:00+01:00", Time(23, 30, 0, 0, True)),
        ("dateTime", "2024-01-31T23:59:59", Timestamp(2024, 1, 31, 23, 59, 59)),
        ("dateTime", "0001-01-01T00:00:00+01:00", "0001-01-01T00:00:00+01:00"),
        ("duration", "P1Y2M", Interval("YEAR TO MONTH", 14)),
        ("duration", "-P1DT2H3M4.5S", Interval("DAY TO SECOND", 0, -93_784_500_000)),
        ("duration", "P1Y1D", "P1Y1D"),
        ("duration", "P", "P"),
        ("hexBinary", "0aFF", b"\x0a\xff"),
        ("hexBinary", "0a F", "0a F"),
        ("base64Binary", "AP8=", b"\x00\xff"),
        ("base64Binary", "A", "A"),
        ("gYear", "2024", Date(2024, 1, 1)),
        ("gYearMonth", "2024-05", Date(2024, 5, 1)),
        ("gMonth", "--05", Date(1970, 5, 1)),
        ("gMonthDay", "--05-06", Date(1970, 5, 6)),
        ("gDay", "---06", Date(1970, 1, 6)),
    ],
)
def test_simple_types_become_esql_values(name: str, text: str, value: object) -> None:
    found = typed_value(SIMPLE_TYPES[name], text)
    assert found == value and type(found) is type(value)


def test_a_valid_document_passes_and_an_invalid_one_says_what_is_wrong() -> None:
    assert POOL.violations(DOCUMENT) == []
    bad = DOCUMENT.replace(b"1.50", b"-1").replace(b">42<", b">300<")
    found = POOL.violations(bad)
    assert len(found) == 2 and "-1" in found[0].text and found[0].line == 1

    def fails(options: int) -> BrokerError:
        context = Context(models=models, options=options)
        with pytest.raises(BrokerError) as caught:
            format_of("XMLNSC").parse(bad, context).first_child()
        return caught.value

    assert [entry.number for entry in fails(VALIDATE_CONTENT | VALIDATE_VALUE).chain()] == [5009, 5026]
    with pytest.raises(BrokerError):
        format_of("XMLNSC").parse(bad, Context(models=models, options=VALIDATE_CONTENT | VALIDATE_COMPLETE))
    # ValidateExceptionList has all findings, ValidateLocalError raises nothing.
    assert [entry.number for entry in fails(VALIDATE_CONTENT | 3072).chain()] == [5009, 5026, 5026]
    format_of("XMLNSC").parse(
        bad, Context(models=models, options=VALIDATE_CONTENT | VALIDATE_LOCAL_ERROR)
    ).first_child()


def test_a_tree_is_validated_as_it_would_be_written() -> None:
    folder = format_of("XMLNSC").parse(DOCUMENT, Context())
    context = Context(models=models)
    validate_tree(folder, context)
    root = folder.last_child()
    assert root is not None
    root.add("Surprise", 1)
    with pytest.raises(BrokerError) as caught:
        validate_tree(folder, context)
    assert "Surprise" in caught.value.root_cause().text


def test_validation_without_schemas_or_with_an_unknown_root_says_so() -> None:
    with pytest.raises(BrokerError, match="needs XML schemas"):
        format_of("XMLNSC").parse(DOCUMENT, Context(options=VALIDATE_CONTENT)).first_child()
    with pytest.raises(BrokerError, match="no XML schema declares the root element x"):
        POOL.violations(b"<x/>")


def test_a_schema_reads_nothing_from_outside_the_pool() -> None:
    location = "file:///etc/passwd"
    schema = (
        f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:include schemaLocation="{location}"/>'
        '<xs:element name="a" type="T"/></xs:schema>'
    ).encode()
    with pytest.raises(BrokerError) as caught:
        XmlSchemas({"a.xsd": reader(schema)}).violations(b"<a/>")
    assert caught.value.number == 5025
    with pytest.raises(BrokerError, match="cannot be read"):
        XmlSchemas({"a.xsd": reader(b"<xs:schema")}).violations(b"<a/>")


def test_a_location_finds_the_file_that_ends_alike() -> None:
    files = {"a/x.xsd": 1, "b/x.xsd": 2, "b/y.xsd": 3}
    assert find_schema(files, "../b/x.xsd") == "b/x.xsd"
    assert find_schema(files, "http://host/q/y.xsd") == "b/y.xsd"
    assert find_schema(files, "z.xsd") is None
