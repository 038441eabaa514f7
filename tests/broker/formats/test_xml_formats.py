"""The domains XMLNSC, XMLNS and XML: what trees look like, and what is written."""

from __future__ import annotations

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.switches import Switches
from flintmq.broker.formats import Context, format_of
from flintmq.broker.tree.element import Element, Step, check_tree, copy_content, copy_element, walk
from flintmq.broker.tree.types import (
    ATTRIBUTE,
    CDATA_FIELD,
    COMMENT,
    CONTENT,
    FIELD,
    FOLDER,
    PROCESSING_INSTRUCTION,
    SINGLE_ATTRIBUTE,
    WHITE_SPACE,
)

DOCUMENT = (
    b'<?xml version="1.0"?>\n<!-- before --><a x="1" y=\'2 &lt; 3\' xmlns:p="urn:p">\n <b>t&amp;x</b><c/>'
    b'<p:d p:q="1"><![CDATA[<x>]]></p:d> mixed <e z=">">v<!-- in -->w</e></a><?pi data?>'
)
DOMAINS = ("XMLNSC", "XMLNS", "XML")


def parsed(body: bytes, domain: str = "XMLNSC", context: Context | None = None) -> Element:
    return format_of(domain).parse(body, context or Context())


def written(body: Element, context: Context | None = None) -> bytes:
    return format_of(body.domain).write(body, context or Context())


def row(element: Element) -> tuple[object, ...]:
    """Type, namespace, name, value and rows of the children."""
    return (element.type, element.namespace, element.name, element.value, [row(child) for child in element.children()])


def child(element: Element, path: str) -> Element:
    for name in path.split("."):
        found = element.child(name)
        assert found is not None, f"no {name}"
        element = found
    return element


@pytest.mark.parametrize("domain", DOMAINS)
def test_an_untouched_body_is_written_as_the_same_bytes(domain: str) -> None:
    """B246, B253: even one that is no XML at all."""
    for body in (DOCUMENT, b"<a>", b"", b"\xff\xfe<"):
        assert written(parsed(body, domain)) is body


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_body_that_was_only_read_is_written_as_the_same_bytes(domain: str) -> None:
    body = parsed(DOCUMENT, domain)
    row(body)
    check_tree(body)
    assert written(body) is DOCUMENT


def test_xmlnsc_has_one_field_for_a_simple_element_and_drops_comments_and_mixed_text() -> None:
    declaration, root = parsed(DOCUMENT).children()
    assert row(declaration)[2:] == ("XmlDeclaration", None, [(ATTRIBUTE, "", "Version", "1.0", [])])
    assert [(e.type, e.namespace, e.name, e.value) for e in root.children()] == [
        (ATTRIBUTE, "", "x", "1"),
        (SINGLE_ATTRIBUTE, "", "y", "2 < 3"),
        (0x03000103, "http://www.w3.org/2000/xmlns/", "p", "urn:p"),
        (FIELD, "", "b", "t&x"),
        (FIELD, "", "c", ""),
        (CDATA_FIELD, "urn:p", "d", "<x>"),
        (FIELD, "", "e", "vw"),
    ]


def test_xmlns_keeps_every_piece_of_text_comment_and_instruction() -> None:
    body = parsed(b"<a> <b>1</b>two<!--c--><?p d?></a><!--end-->", "XMLNS")
    assert row(body)[4] == [
        (
            FOLDER,
            "",
            "a",
            None,
            [
                (WHITE_SPACE, "", "", " ", []),
                (FOLDER, "", "b", "1", [(CONTENT, "", "", "1", [])]),
                (CONTENT, "", "", "two", []),
                (COMMENT, "", "", "c", []),
                (PROCESSING_INSTRUCTION, "", "p", "d", []),
            ],
        ),
        (COMMENT, "", "", "end", []),
    ]


def test_a_malformed_body_fails_when_it_is_touched_and_says_where() -> None:
    body = parsed(b"<a>\n<b></a>")
    with pytest.raises(BrokerError) as caught:
        body.first_child()
    assert [entry.number for entry in caught.value.chain()] == [5009, 5004]
    assert caught.value.root_cause().inserts[1:3] == (2, 6)
    assert caught.value.kind == "ParserException"


def with_options(body: bytes, *options: str, **values: str) -> Element:
    given = {f"parserXmlnsc{name}RetainMode": "all" for name in options}
    given.update({f"parserXmlnsc{name}": value for name, value in values.items()})
    found = parsed(body, "XMLNSC", Context(parser_options=given)).last_child()
    assert found is not None
    return found


def test_options_retain_mixed_text_comments_and_instructions() -> None:
    body = b"<a> one<b>1<!--c-->2</b><?p d?><![CDATA[ two]]>\n</a>"
    assert [child.name for child in with_options(body).children()] == ["b"]
    assert row(with_options(body, "MixedContent"))[4] == [
        (CONTENT, "", "", " one", []),
        (FIELD, "", "b", "12", []),
        (0x02000001, "", "", " two", []),
    ]
    assert row(with_options(body, "Comments", "ProcessingInstructions"))[4] == [
        (FIELD, "", "b", "12", [(COMMENT, "", "", "c", [])]),
        (PROCESSING_INSTRUCTION, "", "p", "d", []),
    ]


def test_comments_around_the_root_are_retained_with_the_option() -> None:
    context = Context(parser_options={"parserXmlnscCommentsRetainMode": "all"})
    body = parsed(b"<!--1--><a/><!--2-->", "XMLNSC", context)
    assert [(e.type, e.value) for e in body.children()] == [(COMMENT, "1"), (FIELD, ""), (COMMENT, "2")]


def test_opaque_elements_stay_one_field_that_is_written_as_it_came() -> None:
    body = b'<a xmlns:p="urn:p"><b x="1"><p:c>1</p:c></b><d>2</d></a>'
    root = with_options(body, OpaqueElements="//b")
    assert row(child(root, "b")) == (0x03000200, "", "b", '<b xmlns:p="urn:p" x="1"><p:c>1</p:c></b>', [])
    child(root, "d").set_value("3")
    parent = root.parent
    assert parent is not None
    assert written(parent) == (b'<a xmlns:p="urn:p"><b xmlns:p="urn:p" x="1"><p:c>1</p:c></b><d>3</d></a>')


def test_the_switch_makes_empty_elements_null() -> None:
    switches = Switches()
    for how, value in (("empty", ""), ("null", None)):
        switches.empty_xml_element = how
        root = parsed(b"<a><b/><c></c><d> </d><e x='1'/></a>", "XMLNSC", Context(switches=switches)).last_child()
        assert root is not None
        assert [e.value for e in root.children()] == [value, value, " ", value]


def test_xmlns_may_be_read_by_the_compact_builder() -> None:
    context = Context(parser_options={"parserXmlnscUseForXmlnsDomain": "true"})
    root = parsed(b"<a> <b>1</b> </a>", "XMLNS", context).last_child()
    assert root is not None
    assert row(root) == (FOLDER, "", "a", None, [(FIELD, "", "b", "1", [])])


def test_the_domain_xml_knows_no_namespaces() -> None:
    root = parsed(b'<p:a xmlns:p="urn:p" p:x="1"><q:b/></p:a>', "XML").last_child()
    assert root is not None
    assert [(e.namespace, e.name) for e in (root, *root.children())] == [
        ("", "p:a"),
        ("", "xmlns:p"),
        ("", "p:x"),
        ("", "q:b"),
    ]


def test_one_field_near_the_front_builds_only_what_is_on_the_way() -> None:
    records = b"".join(b'<e n="%d"><f>%d</f><g>x</g></e>' % (n, n) for n in range(5000))
    body = parsed(b"<r><h>1</h>" + records + b"</r>")
    found = walk(body, [Step("r"), Step("e"), Step("f")])
    assert found is not None and found.value == "0"
    built = 0
    work = [body]
    while work:
        element = work.pop()
        built += 1
        inner = element.first
        while inner is not None:
            work.append(inner)
            inner = inner.next
    assert built < 10
    source = body.source
    assert source is not None
    assert source.document.indexed().proven < 1024  # type: ignore[attr-defined]


def test_every_element_keeps_its_place_when_siblings_are_stepped_over_backwards_and_forwards() -> None:
    body = parsed(b"<r><a><b><c>1</c><c>2</c></b><b/></a><a><b><c>3</c></b></a><d/></r>")
    root = body.last_child()
    assert root is not None
    last = root.last_child()
    assert last is not None and last.name == "d"
    second = walk(root, [Step("a", index=2), Step("b"), Step("c")])
    first = walk(root, [Step("a", index=1), Step("b"), Step("c", index=-1)])
    assert second is not None and first is not None
    assert (second.value, first.value) == ("3", "2")
    check_tree(body)


def test_a_copy_to_a_folder_without_parser_has_plain_fields_and_does_not_turn_back() -> None:
    """MF 2.5: between parsers only names, values, kinds and order survive."""
    body = parsed(b'<a x="1" xmlns:p="urn:p"><p:b>2</p:b></a>')
    variables = Element("Variables", None, FOLDER)
    copy_content(variables, body)
    plain = child(variables, "a")
    assert [(e.type, e.name, e.value) for e in plain.children()] == [
        (FIELD, "x", "1"),
        (FIELD, "p", "urn:p"),
        (FIELD, "b", "2"),
    ]
    back = Element("XMLNSC", None, FOLDER)
    back.domain = "XMLNSC"
    copy_content(back, variables)
    assert written(back).startswith(b"<a><x>1</x>")


def test_a_copy_between_xmlnsc_and_xmlns_keeps_attributes() -> None:
    body = parsed(b'<a x="1"><b>2</b></a>')
    target = Element("XMLNS", None, FOLDER)
    target.domain = "XMLNS"
    copy_content(target, body)
    assert row(child(target, "a"))[4] == [
        (ATTRIBUTE, "", "x", "1", []),
        (FOLDER, "", "b", "2", [(CONTENT, "", "", "2", [])]),
    ]
    assert written(target) == b'<a x="1"><b>2</b></a>'


def test_a_copied_body_is_independent_of_the_original() -> None:
    body = parsed(DOCUMENT)
    child(body, "a.b").set_value("first")
    other = copy_element(body)
    child(other, "a.b").set_value("second")
    child(other, "a").add("new", 1)
    assert child(body, "a.b").value == "first"
    assert child(body, "a").child("new") is None
    check_tree(other)


def test_an_empty_body_has_no_children() -> None:
    assert parsed(b"").children() == []
