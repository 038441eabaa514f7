"""Message set projects: `.mset` and `.mxsd` files, annotations of CWF, TDS and XML, notes, hostile files (MF 4.2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.message_set import FormatKind, MessageSet
from flintmq.broker.formats.model_yaml import from_yaml, to_yaml
from flintmq.broker.formats.mset import read_message_set
from tests.broker.formats.mrm_support import read, rewritten, write

MSET = """<?xml version="1.0" encoding="UTF-8"?>
<c:MRMessageSet xmlns:c="http://www.ibm.com/msgmodel/2003/MSGCoreModel"
    xmlns:m="http://www.ibm.com/msgmodel/2003/MSGModel" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    name="Shop" currentMessageSetId="//@MRMessageSetID.0"{more}>
  <MRMessageSetRep xsi:type="m:MRCWFMessageSetRep" name="CWF1" firstDayOfWeek="Monday"/>
  <MRMessageSetRep xsi:type="m:MRTDSMessageSetRep" name="TDS1" messagingStandard="Unknown" delimiter=";"
      tagDataSeparator="=" decimalPoint="," defaultCCSID="367"><tagLength xsi:nil="true"/></MRMessageSetRep>
  <MRMessageSetRep xsi:type="m:MRXMLMessageSetRep" name="XML1" suppressDOCTYPE="true"
      doctypePublicID="ABCDEF0002001" rootTagName=""/>
  <MRMessageSetID repositoryId="1" messageSetId="1"/>
  <otherSupportedDomains parserDomain="XMLNSC"/>
</c:MRMessageSet>
"""

SCHEMA = '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"{more}>{body}</xsd:schema>'


def appinfo(*annotations: str) -> str:
    inner = "".join(annotations)
    return f'<xsd:annotation><xsd:appinfo source="WMQI_APPINFO">{inner}</xsd:appinfo></xsd:annotation>'


MESSAGE = appinfo('<MRMessage messageDefinition="/0/x;XSDElementDeclaration$MRObject"/>')


def project(body: str, *, more: str = "", mset: str = MSET.replace("{more}", ""), **files: str) -> MessageSet:
    """Return the message set of a project with one definition file, and others by name."""
    texts = {"Shop/messageSet.mset": mset, "Shop/main.mxsd": SCHEMA.format(more=more, body=body)}
    texts |= {f"Shop/{name}.mxsd": text for name, text in files.items()}
    readers: dict[str, Callable[[], bytes]] = {path: text.encode for path, text in texts.items()}
    return read_message_set(readers, "Shop")


ORDER = f"""
<xsd:element name="Order" type="OrderType">{MESSAGE}</xsd:element>
<xsd:complexType name="OrderType">
  {appinfo('<tdsStructRep messageSetDefaultRep="TDS1" dataElementSeparation="TaggedDelimited"/>')}
  <xsd:sequence>
    <xsd:element name="Id">
      {
    appinfo(
        '<cwfInclRep messageSetDefaultRep="CWF1"><cwfSimpleRep typeName="MRCWFStringRep" width="4" size="4"'
        ' contentSize="4" offset="0" lengthEncoding="fixedLength" prefixLength="0" alignment="byte"'
        ' paddingCharacter="SPACE" characterSize="1" accessor="readWrite" attributeInBit="false"'
        ' addrUnit="byte"/></cwfInclRep>',
        '<tdsElemRep messageSetDefaultRep="TDS1" tag="ID"/>',
        '<xmlInclRep messageSetDefaultRep="XML1" render="XMLAttribute" xmlName="id"/>',
    )
}
      <xsd:simpleType><xsd:restriction base="xsd:string"><xsd:maxLength value="4"/></xsd:restriction></xsd:simpleType>
    </xsd:element>
    <xsd:element ref="Line" minOccurs="2" maxOccurs="2">
      {appinfo('<cwfInclRep messageSetDefaultRep="CWF1"><cwfAggrRep size="6" offset="4"/></cwfInclRep>')}
    </xsd:element>
    <xsd:element name="Total" type="xsd:decimal">
      {
    appinfo(
        '<cwfInclRep messageSetDefaultRep="CWF1"><cwfSimpleRep typeName="MRCWFPackedDecimalRep" size="3"'
        ' virtualDecimalPoint="2" signed="true"/></cwfInclRep>',
        '<tdsElemRep messageSetDefaultRep="TDS1" tag="TOT" precision="2"/>',
    )
}
    </xsd:element>
  </xsd:sequence>
</xsd:complexType>
<xsd:element name="Line">
  {appinfo('<tdsElemRep messageSetDefaultRep="TDS1" tag="LN"/>')}
  <xsd:complexType>
    {appinfo('<tdsStructRep messageSetDefaultRep="TDS1" dataElementSeparation="AllElementsDelimited" delimiter="|"/>')}
    <xsd:group ref="LineGroup"/>
  </xsd:complexType>
</xsd:element>
<xsd:group name="LineGroup">
  <xsd:sequence>
    <xsd:element name="Sku" type="xsd:string">
      {
    appinfo(
        '<cwfInclRep messageSetDefaultRep="CWF1"><cwfSimpleRep typeName="MRCWFStringRep" size="2"'
        ' paddingCharacter="NUL"/></cwfInclRep>'
    )
}
    </xsd:element>
    <xsd:element name="Count" type="xsd:int">
      {
    appinfo('<cwfInclRep messageSetDefaultRep="CWF1"><cwfSimpleRep typeName="MRCWFIntegerRep" size="4"/></cwfInclRep>')
}
    </xsd:element>
  </xsd:sequence>
</xsd:group>
"""


def test_formats_identifier_and_messages_are_read() -> None:
    message_set = project(ORDER)
    assert message_set.name == "Shop"
    assert message_set.identifier == "ABCDEF0002001"
    assert {name: format.kind for name, format in message_set.formats.items()} == {
        "CWF1": FormatKind.CWF,
        "TDS1": FormatKind.TDS,
        "XML1": FormatKind.XML,
    }
    assert list(message_set.messages) == ["Order"]
    assert message_set.notes == []


def test_one_message_in_three_formats() -> None:
    message_set = project(ORDER)
    content = [
        ("Id", "A1"),
        ("Line", [("Sku", "a"), ("Count", 1)]),
        ("Line", [("Sku", "bb"), ("Count", 2)]),
        ("Total", "12.5"),
    ]
    cwf = write(message_set, content, "CWF1", type="Order")
    assert cwf == b"A1  a\0\0\0\0\1bb\0\0\0\2\x01\x25\x0c"
    tds = write(message_set, content, "TDS1", type="Order")
    assert tds == b"ID=A1;LN=a|1;LN=bb|2;TOT=12,50"
    xml = write(message_set, content, "XML1", type="Order")
    assert xml == (
        b'<?xml version="1.0"?><Order id="A1"><Line><Sku>a</Sku><Count>1</Count></Line>'
        b"<Line><Sku>bb</Sku><Count>2</Count></Line><Total>12.5</Total></Order>"
    )
    trees = [read(message_set, data, format, type="Order") for format, data in (("CWF1", cwf), ("TDS1", tds))]
    assert trees[0] == trees[1]
    for format, data in (("CWF1", cwf), ("TDS1", tds), ("XML1", xml)):
        assert rewritten(message_set, data, format, type="Order") == data


def test_a_project_can_be_written_as_yaml() -> None:
    message_set = project(ORDER)
    text = to_yaml(message_set)
    again = from_yaml(text)
    assert to_yaml(again) == text
    content = [
        ("Id", "A1"),
        ("Line", [("Sku", "a"), ("Count", 1)]),
        ("Line", [("Sku", "b"), ("Count", 2)]),
        ("Total", 1),
    ]
    for format in message_set.formats:
        assert write(again, content, format, type="Order") == write(message_set, content, format, type="Order")


@pytest.mark.parametrize(
    ("attributes", "data", "value"),
    [
        ('typeName="MRCWFExternalDecimalRep" size="3" signFormat="trailing" signed="true"', b"01r", -12),
        ('typeName="MRCWFExternalDecimalRep" size="3" signFormat="leadingSeparate" signed="true"', b"-12", -12),
        ('typeName="MRCWFExternalDecimalRep" size="3" externalDecimalSign="ebcdicCustom" signed="true"', b"01K", -12),
        ('typeName="MRCWFPackedDecimalRep" size="2"', b"\x01\x2d", -12),
        ('typeName="MRCWFIntegerRep" size="2" alignment="halfWord"', b"\xff\xf4", -12),
        ('typeName="MRCWFIntegerRep" size="2" signed="false"', b"\xff\xf4", 65524),
        ('typeName="Something" size="4"', b"\0\0\0\1", 1),
    ],
)
def test_type_names_of_cwf_are_recognised_by_the_word_in_them(attributes: str, data: bytes, value: int) -> None:
    rep = appinfo(f'<cwfInclRep messageSetDefaultRep="CWF1"><cwfSimpleRep {attributes}/></cwfInclRep>')
    message_set = project(
        f'<xsd:element name="M">{MESSAGE}<xsd:complexType><xsd:sequence>'
        f'<xsd:element name="a" type="xsd:int">{rep}</xsd:element></xsd:sequence></xsd:complexType></xsd:element>'
    )
    assert read(message_set, data, "CWF1", type="M") == [("a", value)]
    assert bool(message_set.notes) == ("Something" in attributes)


def test_strings_with_length_before_them_and_with_a_terminator() -> None:
    fields = ""
    for name, attributes in (
        ("a", 'typeName="MRCWFStringRep" lengthEncoding="prefixed" prefixLength="2"'),
        ("b", 'typeName="MRCWFStringRep" lengthEncoding="nullTerminated"'),
        ("c", 'typeName="MRCWFBinaryRep" size="2"'),
    ):
        rep = appinfo(f'<cwfInclRep messageSetDefaultRep="CWF1"><cwfSimpleRep {attributes}/></cwfInclRep>')
        kind = "hexBinary" if name == "c" else "string"
        fields += f'<xsd:element name="{name}" type="xsd:{kind}">{rep}</xsd:element>'
    message_set = project(
        f'<xsd:element name="M">{MESSAGE}<xsd:complexType><xsd:sequence>{fields}'
        "</xsd:sequence></xsd:complexType></xsd:element>"
    )
    assert read(message_set, b"\0\2abxyz\0\1\2", "CWF1") == [("a", "ab"), ("b", "xyz"), ("c", b"\1\2")]


def test_extensions_attributes_and_simple_content() -> None:
    message_set = project(
        f"""
<xsd:element name="M" type="Derived">{MESSAGE}</xsd:element>
<xsd:complexType name="Base"><xsd:sequence><xsd:element name="a" type="xsd:int"/></xsd:sequence>
  <xsd:attribute name="k" type="xsd:string"/></xsd:complexType>
<xsd:complexType name="Derived"><xsd:complexContent><xsd:extension base="Base">
  <xsd:choice><xsd:element name="b" type="Price"/><xsd:element name="c" type="Color"/></xsd:choice>
  <xsd:attributeGroup ref="More"/></xsd:extension></xsd:complexContent></xsd:complexType>
<xsd:attributeGroup name="More"><xsd:attribute name="n" type="xsd:int" use="required"/></xsd:attributeGroup>
<xsd:complexType name="Price"><xsd:simpleContent><xsd:extension base="xsd:decimal">
  <xsd:attribute name="cur" type="xsd:string"/></xsd:extension></xsd:simpleContent></xsd:complexType>
<xsd:simpleType name="Color"><xsd:restriction base="xsd:string"><xsd:enumeration value="red"/></xsd:restriction>
</xsd:simpleType>
"""
    )
    data = b'<?xml version="1.0"?><M k="x" n="7"><a>1</a><b cur="EUR">2.50</b></M>'
    assert rewritten(message_set, data, "XML1") == data
    assert dict(read(message_set, data, "XML1"))["n"] == 7


def test_composition_and_content_come_from_annotations() -> None:
    message_set = project(
        f"""
<xsd:element name="M">{MESSAGE}<xsd:complexType>
  {appinfo('<MRComplexType composition="unorderedSet" content="open"/>')}
  <xsd:sequence><xsd:element name="a" type="xsd:string"/></xsd:sequence></xsd:complexType></xsd:element>
"""
    )
    group = message_set.messages["M"].group
    assert group is not None
    assert group.composition.value == "unorderedSet" and group.open_content


def test_several_files_and_namespaces_are_one_pool() -> None:
    types = (
        '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"'
        ' elementFormDefault="qualified"><xsd:complexType name="T"><xsd:sequence>'
        '<xsd:element name="a" type="xsd:int"/></xsd:sequence></xsd:complexType></xsd:schema>'
    )
    message_set = project(
        f'<xsd:import namespace="urn:t" schemaLocation="http://nowhere/types.mxsd"/>'
        f'<xsd:element name="M" type="t:T">{MESSAGE}</xsd:element>',
        more=' xmlns:t="urn:t" targetNamespace="urn:m"',
        types=types,
    )
    assert set(message_set.messages) == {"M", "{urn:m}:M"}
    data = b'<M xmlns="urn:m"><a xmlns="urn:t">1</a></M>'
    assert read(message_set, data, "XML1", type="{urn:m}:M") == [("a", 1)]


def test_a_recursive_type_is_read() -> None:
    message_set = project(
        f"""
<xsd:element name="M" type="Node">{MESSAGE}</xsd:element>
<xsd:complexType name="Node"><xsd:sequence><xsd:element name="v" type="xsd:int"/>
  <xsd:element name="child" type="Node" minOccurs="0" maxOccurs="unbounded"/></xsd:sequence></xsd:complexType>
"""
    )
    data = b'<?xml version="1.0"?><M><v>1</v><child><v>2</v><child><v>3</v></child></child></M>'
    assert rewritten(message_set, data, "XML1") == data


def test_what_is_not_understood_is_noted_with_its_place() -> None:
    message_set = project(
        f"""
<xsd:element name="M">{MESSAGE}{appinfo('<tdsElemRep messageSetDefaultRep="TDS1" sparkle="1"/>', "<novelty/>")}
  <xsd:complexType mixed="true"><xsd:sequence>
    <xsd:element name="a" type="xsd:string">{appinfo('<cwfInclRep messageSetDefaultRep="CWF7"/>')}</xsd:element>
    <xsd:element name="u"><xsd:simpleType><xsd:union memberTypes="xsd:int xsd:string"/></xsd:simpleType></xsd:element>
  </xsd:sequence></xsd:complexType></xsd:element>
<xsd:redefine schemaLocation="x"/>
"""
    )
    text = "\n".join(message_set.notes)
    for word in ("sparkle", "novelty", "CWF7", "mixed", "union", "redefine"):
        assert word in text
    assert all(note.startswith("Shop/main.mxsd:") for note in message_set.notes)


@pytest.mark.parametrize(
    "body",
    [
        '<xsd:element name="M" type="Missing">{m}</xsd:element>',
        (
            '<xsd:element name="M">{m}<xsd:complexType><xsd:sequence><xsd:element ref="Missing"/></xsd:sequence>'
            "</xsd:complexType></xsd:element>"
        ),
        '<xsd:element name="M">{m}<xsd:complexType><xsd:group ref="Missing"/></xsd:complexType></xsd:element>',
        (
            '<xsd:element name="M">{m}<xsd:complexType><xsd:sequence>'
            '<xsd:element name="a" type="xsd:int" maxOccurs="x"/></xsd:sequence></xsd:complexType></xsd:element>'
        ),
        (
            '<xsd:element name="M" type="S">{m}</xsd:element><xsd:simpleType name="S"><xsd:restriction base="S"/>'
            "</xsd:simpleType>"
        ),
        (
            '<xsd:element name="M" type="C">{m}</xsd:element><xsd:complexType name="C"><xsd:complexContent>'
            '<xsd:extension base="C"/></xsd:complexContent></xsd:complexType>'
        ),
        (
            '<xsd:element name="M" type="C">{m}</xsd:element><xsd:complexType name="C"><xsd:attributeGroup ref="G"/>'
            '</xsd:complexType><xsd:attributeGroup name="G"><xsd:attributeGroup ref="G"/></xsd:attributeGroup>'
        ),
    ],
)
def test_a_message_that_is_malformed_is_noted_and_the_others_work(body: str) -> None:
    good = f'<xsd:element name="Good">{MESSAGE}<xsd:complexType><xsd:sequence/></xsd:complexType></xsd:element>'
    message_set = project(good + body.format(m=MESSAGE))
    assert "Good" in message_set.messages
    if "M" in message_set.messages:
        # A type that extends itself has nothing but what it adds.
        assert "complexContent" in body
    else:
        assert any("message M is not used" in note for note in message_set.notes)


def test_without_marks_every_global_element_is_a_message() -> None:
    message_set = project('<xsd:element name="A" type="xsd:int"/><xsd:element name="B" type="xsd:int"/>')
    assert set(message_set.messages) == {"A", "B"}
    assert any("every global element" in note for note in message_set.notes)


def test_settings_of_the_set_are_read() -> None:
    mset = MSET.replace("{more}", ' messageTypePrefix="outer" defaultRep="//@MRMessageSetRep.1"')
    message_set = project(ORDER, mset=mset)
    assert message_set.type_prefix == "outer"
    assert message_set.default_format == "TDS1"
    strange = MSET.replace("{more}", "").replace("MRTDSMessageSetRep", "MRNewMessageSetRep")
    assert any("MRNewMessageSetRep" in note for note in project(ORDER, mset=strange).notes)


@pytest.mark.parametrize(
    "mset",
    [
        "",
        "no xml",
        "<a/>",
        '<!DOCTYPE x [<!ENTITY a "b">]><MRMessageSet name="&a;"/>',
        '<!DOCTYPE x SYSTEM "http://nowhere/x.dtd"><MRMessageSet/>',
    ],
)
def test_a_set_file_that_is_none_is_an_error(mset: str) -> None:
    with pytest.raises(BrokerError):
        project(ORDER, mset=mset)


def test_a_folder_without_a_set_file_is_an_error() -> None:
    with pytest.raises(BrokerError, match="has no message set file"):
        read_message_set({"Shop/a.mxsd": b"".join}, "Shop")  # type: ignore[dict-item]


def test_definition_files_with_entities_or_no_xml_are_noted() -> None:
    bomb = (
        '<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"/>'
    )
    message_set = project(ORDER, bomb=bomb, broken="<xsd:schema", other="<html/>")
    assert "Order" in message_set.messages
    assert len(message_set.notes) == 3


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_changed_definition_is_noted_refused_or_used(data: st.DataObject) -> None:
    text = SCHEMA.format(more="", body=ORDER)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 30, len(text))))
        text = (
            text[:start]
            + data.draw(st.sampled_from(["", "<", ">", '"', "x", "999999999999", "&#0;", "xsd:"]))
            + text[end:]
        )
    files: dict[str, Callable[[], bytes]] = {
        "Shop/messageSet.mset": MSET.replace("{more}", "").encode,
        "Shop/main.mxsd": text.encode,
    }
    message_set = read_message_set(files, "Shop")
    for name in message_set.messages:
        for format in message_set.formats:
            try:
                read(message_set, b"A1  a\0\0\0\0\1bb\0\0\0\2\x01\x25\x0c", format, type=name)
            except BrokerError:
                pass
