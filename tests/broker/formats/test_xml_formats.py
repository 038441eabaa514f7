"""The domains XMLNSC, XMLNS and XML: what trees look like, and what is written."""

from __future__ import annotations

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats import Context, format_of
from flintmq.broker.tree.element import Element, check_tree
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
