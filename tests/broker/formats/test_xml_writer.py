"""What is written: values, names, namespaces, order, and slices of the source."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats import Context, format_of
from flintmq.broker.formats.registry import FOLDER_BIT_STREAM
from flintmq.broker.tree.element import DEPTH_MAX, Element, copy_content
from flintmq.broker.tree.types import (
    ATTRIBUTE,
    BASE64_FIELD,
    BIT_STREAM,
    CDATA_CONTENT,
    CDATA_FIELD,
    COMMENT,
    CONTENT,
    DOCUMENT_TYPE,
    ENTITY_DEFINITION,
    ENTITY_REFERENCE,
    FOLDER,
    NAME,
    NAMESPACE_DECL,
    PROCESSING_INSTRUCTION,
    SINGLE_ATTRIBUTE,
    XML_DECLARATION,
)
from flintmq.broker.values import Bit, Date, Interval, Time, Timestamp

XMLNS = "http://www.w3.org/2000/xmlns/"


def body(domain: str = "XMLNSC") -> Element:
    folder = Element(domain, None, NAME)
    folder.domain = domain
    return folder


def written(folder: Element, ccsid: int = 1208, encoding: int = 546, options: int = 0) -> bytes:
    domain = folder.owner() or "XMLNSC"
    return format_of(domain).write(folder, Context(ccsid=ccsid, encoding=encoding, options=options))


def value_text(value: object, kind: int = 0x03000000) -> str:
    folder = body()
    folder.add("a", value, kind)
    return written(folder).decode().removeprefix("<a>").removesuffix("</a>")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a<b>&\"'", "a&lt;b&gt;&amp;\"'"),
        ("1\r\n2", "1&#13;\n2"),
        (True, "true"),
        (False, "false"),
        (-42, "-42"),
        (Decimal("0.320"), "0.320"),
        (Decimal("1E+5"), "100000"),
        (Decimal("NaN"), "NaN"),
        (1.5, "1.5E0"),
        (100.0, "1.0E2"),
        (0.0, "0.0E0"),
        (-2.5e-7, "-2.5E-7"),
        (math.inf, "INF"),
        (math.nan, "NaN"),
        (b"\x0a\xff", "0AFF"),
        (Date(2024, 1, 31), "2024-01-31"),
        (Time(23, 59, 59, 500_000), "23:59:59.5"),
        (Time(1, 2, 3, 0, True), "01:02:03Z"),
        (Timestamp(2024, 1, 31, 23, 59, 59), "2024-01-31T23:59:59"),
        (Timestamp(2024, 1, 31, 1, 2, 3, 120, True), "2024-01-31T01:02:03.00012Z"),
        (Interval("YEAR TO MONTH", 14), "P1Y2M"),
        (Interval("MONTH", -3), "-P3M"),
        (Interval("YEAR", 24), "P2Y"),
        (Interval("DAY TO SECOND", 0, 93_784_500_000), "P1DT2H3M4.5S"),
        (Interval("SECOND", 0, 0), "PT0S"),
        (Bit(5, 4), "0101"),
    ],
)
def test_values_are_written_in_the_canonical_forms_of_xml_schema(value: object, text: str) -> None:
    assert value_text(value) == text


def test_an_empty_folder_a_null_and_an_empty_text_are_empty_element_tags() -> None:
    for value in (None, ""):
        assert value_text(value) == "<a/>"
    folder = body()
    folder.folder("a")
    assert written(folder) == b"<a/>"
    assert written(body()) == b""


def test_types_choose_the_way_a_value_is_written() -> None:
    assert value_text("x]]>y<", CDATA_FIELD) == "<![CDATA[x]]]]><![CDATA[>y<]]>"
    assert value_text(b"\x00\xff", BASE64_FIELD) == "AP8="
    folder = body()
    folder.add("ignored", "<b>raw</b>", BIT_STREAM)
    assert written(folder) == b"<b>raw</b>"
    folder.clear()
    folder.add("ignored", "<b>é</b>".encode("latin-1"), BIT_STREAM)
    assert written(folder, ccsid=819) == "<b>é</b>".encode("latin-1")


def test_attributes_and_declarations_are_written_before_content_in_any_order() -> None:
    folder = body()
    root = folder.folder("a")
    root.add("b", "1")
    root.add("x", 'say "x"\n', ATTRIBUTE)
    root.add("y", "it's", SINGLE_ATTRIBUTE)
    root.append(Element("p", "urn:p", NAMESPACE_DECL, XMLNS))
    assert written(folder) == b'<a x="say &quot;x&quot;&#10;" y=\'it&apos;s\' xmlns:p="urn:p"><b>1</b></a>'


def test_an_element_may_have_a_value_attributes_and_children() -> None:
    folder = body()
    root = folder.add("a", Decimal("1.50"))
    root.add("x", 1, ATTRIBUTE)
    root.add("b", "2")
    assert written(folder) == b'<a x="1">1.50<b>2</b></a>'


def test_declared_prefixes_are_used_and_missing_ones_are_generated() -> None:
    folder = body()
    root = folder.append(Element("a", None, FOLDER, "urn:1"))
    root.append(Element("xmlns", "urn:1", NAMESPACE_DECL))
    root.append(Element("p", "urn:2", NAMESPACE_DECL, XMLNS))
    root.append(Element("b", "1", 0x03000000, "urn:2"))
    root.append(Element("c", "2", 0x03000000, "urn:3")).append(Element("d", "3", ATTRIBUTE, "urn:4"))
    root.append(Element("e", "4", 0x03000000, ""))
    root.append(Element("f", "5", 0x03000000, "urn:1")).append(Element("g", "6", ATTRIBUTE, "urn:1"))
    assert written(folder).decode() == (
        '<a xmlns="urn:1" xmlns:p="urn:2"><p:b>1</p:b>'
        '<NS1:c NS2:d="3" xmlns:NS1="urn:3" xmlns:NS2="urn:4">2</NS1:c>'
        '<e xmlns="">4</e><f NS3:g="6" xmlns:NS3="urn:1">5</f></a>'
    )


def test_a_generated_prefix_avoids_declared_ones_and_shadowed_prefixes_are_not_used() -> None:
    folder = body()
    root = folder.append(Element("a", None, FOLDER, "urn:x"))
    root.append(Element("NS1", "urn:1", NAMESPACE_DECL, XMLNS))
    inner = root.append(Element("b", None, FOLDER, ""))
    inner.append(Element("NS1", "urn:2", NAMESPACE_DECL, XMLNS))
    inner.append(Element("c", "1", 0x03000000, "urn:1"))
    root.append(Element("d", None, FOLDER)).append(Element("other", "urn:1", NAMESPACE_DECL, XMLNS))
    again = root.child("d")
    assert again is not None
    again.append(Element("e", None, FOLDER)).append(Element("other", "urn:2", NAMESPACE_DECL, XMLNS))
    again.child("e").append(Element("f", "1", 0x03000000, "urn:1"))  # type: ignore[union-attr]
    assert written(folder).decode() == (
        '<NS2:a xmlns:NS1="urn:1" xmlns:NS2="urn:x"><b xmlns:NS1="urn:2"><NS3:c xmlns:NS3="urn:1">1</NS3:c></b>'
        '<d xmlns:other="urn:1"><e xmlns:other="urn:2"><NS1:f>1</NS1:f></e></d></NS2:a>'
    )


def test_code_that_knows_no_namespaces_gets_what_it_wrote() -> None:
    folder = body()
    root = folder.folder("soap:Envelope")
    root.append(Element("xmlns:soap", "urn:soap", NAMESPACE_DECL))
    root.folder("soap:Body")
    assert written(folder) == b'<soap:Envelope xmlns:soap="urn:soap"><soap:Body/></soap:Envelope>'
    folder = body()
    folder.folder("a").append(Element("xmlns", "urn:1", NAMESPACE_DECL))
    assert written(folder) == b'<a xmlns="urn:1"/>'


def test_the_xml_declaration_comes_first_and_names_the_encoding_that_is_written() -> None:
    folder = body()
    folder.add("a", "é\u20ac")
    declaration = folder.append(Element("XmlDeclaration", None, XML_DECLARATION))
    declaration.add("Version", "1.0", ATTRIBUTE)
    declaration.add("Encoding", "UTF-8", ATTRIBUTE)
    declaration.add("StandAlone", "yes", ATTRIBUTE)
    start = '<?xml version="1.0" encoding="{}" standalone="yes"?>'
    assert written(folder) == (start.format("UTF-8") + "<a>é€</a>").encode()
    assert written(folder, 819) == (start.format("ISO-8859-1") + "<a>é&#8364;</a>").encode("latin-1")
    assert written(folder, 1140) == (start.format("IBM1140") + "<a>é€</a>").encode("cp1140")
    assert written(folder, 1200) == (start.format("UTF-16") + "<a>é€</a>").encode("utf-16-le")


def test_characters_that_a_set_lacks_are_references_only_where_references_may_stand() -> None:
    folder = body()
    root = folder.folder("a")
    root.add("x", "€", ATTRIBUTE)
    root.add("b", "€", CDATA_FIELD)
    assert written(folder, 819) == b'<a x="&#8364;"><b><![CDATA[]]>&#8364;<![CDATA[]]></b></a>'
    root.add("", "€", COMMENT)
    with pytest.raises(BrokerError, match="no character '€'"):
        written(folder, 819)


def test_comments_instructions_references_and_document_types() -> None:
    folder = body("XMLNS")
    doctype = folder.append(Element("a", None, DOCUMENT_TYPE))
    doctype.add("SystemId", "a.dtd")
    doctype.add("e", 'x<"y', ENTITY_DEFINITION)
    folder.add("", " c ", COMMENT)
    root = folder.append(Element("a", None, FOLDER))
    root.add("", "text & ", CONTENT)
    root.add("", "e", ENTITY_REFERENCE)
    root.add("", "<", CDATA_CONTENT)
    root.add("pi", "data", PROCESSING_INSTRUCTION)
    text = written(folder).decode()
    assert text == (
        '<!DOCTYPE a SYSTEM "a.dtd" [<!ENTITY e "x&#38;#60;&#34;y">]><!-- c -->'
        "<a>text &amp; &e;<![CDATA[<]]><?pi data?></a>"
    )
    again = format_of("XMLNS").parse(text.encode(), Context()).last_child()
    assert again is not None and again.value == 'text & x<"y'


def test_in_xmlns_the_value_of_an_element_repeats_its_text_child() -> None:
    folder = format_of("XMLNS").parse(b"<a><b>1</b><c/></a>", Context())
    root = folder.last_child()
    assert root is not None
    for name, value in (("b", "2"), ("c", "3"), ("d", "4")):
        (root.child(name) or root.add(name)).set_value(value)
    assert written(folder) == b"<a><b>2</b><c>3</c><d>4</d></a>"


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("", "1", 0x03000000),
        ("1a", "1", 0x03000000),
        ("a b", "1", 0x03000000),
        ("a<", "1", 0x03000000),
        ("a", "\x01", 0x03000000),
        ("a", "\ud800", 0x03000000),
        ("a", "\uffff", 0x03000000),
        ("a", object(), 0x03000000),
        ("", "a--b", COMMENT),
        ("xml", "x", PROCESSING_INSTRUCTION),
        ("p", "?>", PROCESSING_INSTRUCTION),
        ("", "a b", ENTITY_REFERENCE),
        ("x y", "1", ATTRIBUTE),
    ],
)
def test_what_cannot_be_xml_is_an_error_that_names_it(name: str, value: object, kind: int) -> None:
    folder = body()
    folder.folder("root").add(name, value, kind)
    with pytest.raises(BrokerError) as caught:
        written(folder)
    assert [entry.number for entry in caught.value.chain()] == [5010, 5005]


def test_two_attributes_of_one_name_and_text_outside_the_root_are_errors() -> None:
    folder = body()
    root = folder.folder("root")
    root.add("x", "1", ATTRIBUTE)
    root.add("x", "2", ATTRIBUTE)
    with pytest.raises(BrokerError, match="two attributes x"):
        written(folder)
    for kind in (CONTENT, ATTRIBUTE):
        folder = body()
        folder.add("x", "1", kind)
        with pytest.raises(BrokerError, match="outside the root"):
            written(folder)
    folder = body()
    folder.value = "text"
    with pytest.raises(BrokerError, match="has a value"):
        written(folder)


def test_a_tree_that_is_too_deep_is_refused() -> None:
    folder = body()
    element = folder
    for _ in range(DEPTH_MAX + 5):
        element = element.append(Element("a", None, FOLDER))
    with pytest.raises(BrokerError, match="nested deeper"):
        written(folder)


def test_an_unknown_character_set_is_an_error() -> None:
    folder = body()
    folder.add("a", "1")
    with pytest.raises(BrokerError, match="CCSID 12345"):
        written(folder, 12345)


def test_a_folder_bit_stream_is_the_element_itself_and_reads_back() -> None:
    folder = format_of("XMLNSC").parse(b'<a xmlns:p="urn:p"><p:b x="1"><c>2</c></p:b></a>', Context())
    element = folder.last_child()
    assert element is not None
    inner = element.last_child()
    assert inner is not None
    stream = written(inner, options=FOLDER_BIT_STREAM)
    assert stream == b'<NS1:b x="1" xmlns:NS1="urn:p"><c>2</c></NS1:b>'
    again = format_of("XMLNSC").parse(stream, Context(options=FOLDER_BIT_STREAM)).last_child()
    assert again is not None and (again.namespace, again.get("c")) == ("urn:p", "2")


def test_a_root_bit_stream_of_an_element_is_its_children() -> None:
    folder = format_of("XMLNSC").parse(b'<a x="1"><b>2</b></a>', Context())
    element = folder.last_child()
    assert element is not None
    assert written(element) == b"<b>2</b>"


# Slices of the source.

SOURCE = b'<r  xmlns:p = "urn:p" ><!-- c --><a x = "1"  >\n<b>1</b>  <p:c/>\n</a><d>2</d ><e><f>3</f></e ></r>'


def source() -> tuple[Element, Element]:
    folder = format_of("XMLNSC").parse(SOURCE, Context())
    root = folder.last_child()
    assert root is not None
    return folder, root


def test_unchanged_parts_are_written_as_they_came() -> None:
    folder, root = source()
    found = root.child("d")
    assert found is not None
    found.set_value("new")
    assert written(folder) == (
        b'<r xmlns:p="urn:p"><a x = "1"  >\n<b>1</b>  <p:c/>\n</a><d>new</d><e><f>3</f></e ></r>'
    )


def test_a_slice_is_not_used_where_its_prefixes_mean_something_else() -> None:
    _, root = source()
    found = root.child("a")
    assert found is not None
    target = body()
    other = target.append(Element("o", None, FOLDER, "urn:o"))
    other.append(Element("xmlns", "urn:o", NAMESPACE_DECL))
    copy_content(other.append(Element("a", None, FOLDER)), found)
    assert written(target).decode() == ('<o xmlns="urn:o"><a x="1" xmlns=""><b>1</b><NS1:c xmlns:NS1="urn:p"/></a></o>')


def test_a_folder_copied_under_another_name_is_written_from_the_source() -> None:
    folder = format_of("XMLNSC").parse(b'<r><a x = "1"  >\n<b>1</b></a><c/></r>', Context())
    root = folder.last_child()
    assert root is not None
    target = body()
    top = target.folder("top")
    for name, new in (("a", "new"), ("c", "empty")):
        found = root.child(name)
        assert found is not None
        copy_content(top.append(Element(new, None, FOLDER)), found)
    assert written(target) == b'<top><new x = "1"  >\n<b>1</b></new><empty/></top>'
    first = top.first_child()
    assert first is not None
    first.add("y", "2", ATTRIBUTE)
    assert written(target) == b'<top><new x="1" y="2"><b>1</b></new><empty/></top>'


def test_what_was_removed_stays_away_and_what_is_not_built_follows() -> None:
    folder, root = source()
    first = root.child("a")
    assert first is not None
    first.detach()
    assert written(folder) == b'<r xmlns:p="urn:p"><d>2</d ><e><f>3</f></e ></r>'
    folder, root = source()
    first = root.child("a")
    assert first is not None
    first.insert_before(Element("new", "0"))
    first.insert_after(Element("next", "9"))
    assert written(folder).startswith(b'<r xmlns:p="urn:p"><new>0</new><a x = "1"  >')
    assert b"</a><next>9</next><d>2</d ><e>" in written(folder)


def test_another_character_set_is_written_from_the_tree() -> None:
    folder = format_of("XMLNSC").parse(b'<?xml version="1.0" encoding="UTF-8"?><a>\xc3\xa9<b/></a>', Context())
    assert written(folder, 37) == '<?xml version="1.0" encoding="IBM037"?><a>é<b/></a>'.encode("cp037")
