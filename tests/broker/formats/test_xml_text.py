"""Character sets, document types and hostile documents."""

from __future__ import annotations

import tracemalloc

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats import Context, format_of
from flintmq.broker.formats.registry import VALIDATE_COMPLETE
from flintmq.broker.formats.xml_source import build_tree
from flintmq.broker.tree.element import DEPTH_MAX, Element


def parsed(body: bytes, domain: str = "XMLNSC", ccsid: int = 1208, encoding: int = 546) -> Element:
    return format_of(domain).parse(body, Context(ccsid=ccsid, encoding=encoding))


def root(folder: Element) -> Element:
    found = folder.last_child()
    assert found is not None
    return found


def refusal(body: bytes, domain: str = "XMLNSC", ccsid: int = 1208) -> str:
    """Return the text of the detail of the error that a document gives."""
    with pytest.raises(BrokerError) as caught:
        build_tree(parsed(body, domain, ccsid))
    assert [entry.number for entry in caught.value.chain()] == [5009, 5004]
    return caught.value.root_cause().text


@pytest.mark.parametrize(
    ("ccsid", "encoding", "codec"),
    [
        (1208, 546, "utf-8"),
        (819, 546, "latin-1"),
        (1252, 546, "cp1252"),
        (37, 785, "cp037"),
        (1047, 785, "cp1047"),
        (500, 785, "cp500"),
        (1200, 273, "utf-16-be"),
        (1200, 546, "utf-16-le"),
        (1202, 273, "utf-16-le"),
    ],
)
def test_the_character_set_of_the_message_decides(ccsid: int, encoding: int, codec: str) -> None:
    """Even against the XML declaration: a queue manager converts the bytes, not the declaration."""
    body = '<?xml version="1.0" encoding="ISO-8859-7"?>\n<a b="é">ü[]</a>'.encode(codec)
    element = root(parsed(body, "XMLNSC", ccsid, encoding))
    assert (element.value, element.get("b")) == ("ü[]", "é")


def test_the_document_decides_where_the_message_names_no_character_set() -> None:
    text = '<?xml version="1.0" encoding="{}"?><a>é</a>'
    for name, codec in (("ISO-8859-1", "latin-1"), ("windows-1252", "cp1252"), ("IBM037", "cp037"), ("UTF-8", "utf-8")):
        assert root(parsed(text.format(name).encode(codec), ccsid=0)).value == "é"
    assert root(parsed(b"<a>\xc3\xa9</a>", ccsid=0)).value == "é"
    assert root(parsed("<a>é</a>".encode("utf-16"), ccsid=0)).value == "é"
    assert root(parsed("<a>é</a>".encode("utf-32-be"), ccsid=0)).value == "é"


def test_a_byte_order_mark_decides_before_the_character_set() -> None:
    assert root(parsed(b"\xef\xbb\xbf<a>\xc3\xa9</a>")).value == "é"
    assert root(parsed("<a>é</a>".encode("utf-16"))).value == "é"


def test_bytes_that_are_no_text_of_the_set_are_read_as_the_document_says() -> None:
    assert root(parsed(b'<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>')).value == "é"
    assert "not text of utf-8" in refusal(b"<a>\xe9</a>")
    assert "unknown" in refusal(b'<?xml version="1.0" encoding="klingon"?><a/>', ccsid=0)


def test_codecs_of_python_that_are_no_character_sets_are_unknown() -> None:
    for name in ("unicode_escape", "punycode", "rot13", "base64", "idna", "utf-7"):
        assert "unknown" in refusal(f'<?xml version="1.0" encoding="{name}"?><a/>'.encode(), ccsid=0)


def test_line_ends_are_line_feeds_also_those_of_ebcdic() -> None:
    assert root(parsed(b"<a>1\r\n2\r3\n4&#13;5</a>")).value == "1\n2\n3\n4\r5"
    body = "<a>1\n2</a>".encode("cp037").replace(b"\x25", b"\x15")
    assert root(parsed(body, ccsid=37)).value == "1\n2"


def test_internal_entities_and_default_attributes_are_expanded() -> None:
    body = (
        b'<!DOCTYPE a [<!ENTITY e "x &lt; <b>y</b>"><!ATTLIST a d CDATA "default" t NMTOKENS #IMPLIED>]>'
        b'<a t=" 1  2 ">&e;&amp;</a>'
    )
    folder = parsed(body)
    doctype, element = folder.children()
    assert (doctype.get("Name"), doctype.get("IntSubset")) == ("a", body[13 : body.index(b"]>")].decode())
    assert [(child.name, child.value) for child in element.children()] == [("t", "1 2"), ("d", "default"), ("b", "y")]
    faithful = root(parsed(body, "XMLNS"))
    assert [child.value for child in faithful.children()][2:] == ["x < ", "y", "&"]
    assert format_of("XMLNSC").write(folder, Context()) is body
    element.add("new", "1")
    assert root(parsed(format_of("XMLNSC").write(folder, Context()))).get("new") == "1"


def test_nothing_external_is_read() -> None:
    for body in (
        b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>&e;x</a>',
        b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;x</a>',
        b'<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x.dtd"> %p;]><a>&e;x</a>',
    ):
        assert root(parsed(body)).value == "x"
        children = root(parsed(body, "XMLNS")).children()
        assert children[-1].value == "x"


def test_an_undefined_entity_is_an_error() -> None:
    assert "undefined entity" in refusal(b"<a>&e;</a>")


def test_billion_laughs_are_refused_with_bounded_memory() -> None:
    """Exponential and quadratic expansion, in text and in attributes."""
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    exponential = f'<!DOCTYPE a [<!ENTITY l0 "ha">{levels}]><a>&l9;</a>'
    in_attribute = f'<!DOCTYPE a [<!ENTITY l0 "ha">{levels}]><a b="&l9;"/>'
    quadratic = f'<!DOCTYPE a [<!ENTITY e "{"x" * 100_000}">]><a>{"&e;" * 80}</a>'
    for text in (exponential, in_attribute, quadratic):
        tracemalloc.start()
        try:
            said = refusal(text.encode())
            assert tracemalloc.get_traced_memory()[1] < 100 << 20
        finally:
            tracemalloc.stop()
        assert "amplification" in said or "entities" in said
    # A little of it is allowed.
    assert len(str(root(parsed(b'<!DOCTYPE a [<!ENTITY e "xxxxx">]><a>&e;&e;</a>')).value)) == 10


def test_nesting_has_a_limit() -> None:
    deep = b"<a>" * 100_000 + b"</a>" * 100_000
    for domain in ("XMLNSC", "XMLNS", "XML"):
        assert f"deeper than {DEPTH_MAX}" in refusal(deep, domain)
    # Stepping over an element that is too deep is refused, too.
    folder = parsed(b"<r><x>" + deep + b"</x><y/></r>")
    with pytest.raises(BrokerError, match="deeper"):
        root(folder).last_child()
    just = b"<a>" * (DEPTH_MAX - 10) + b"</a>" * (DEPTH_MAX - 10)
    build_tree(parsed(just))


def test_many_attributes_long_names_and_duplicates() -> None:
    many = b"<a " + b" ".join(b'a%d="%d"' % (n, n) for n in range(50_000)) + b"/>"
    assert len(root(parsed(many)).children()) == 50_000
    name = "n" * 1_000_000
    assert root(parsed(f"<{name}>1</{name}>".encode())).name == name
    assert "duplicate attribute" in refusal(b'<a b="1" b="2"/>')
    assert "duplicate attribute" in refusal(b'<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>')
    assert "unbound prefix" in refusal(b"<p:a/>")
    build_tree(parsed(b"<p:a/>", "XML"))


def test_an_error_behind_the_part_that_is_read_shows_when_that_part_is_reached() -> None:
    """On demand, as in the product. `validateTiming` complete or immediate proves the whole document at once."""
    fields = b"".join(b"<f%d>value %d</f%d>" % (n, n, n) for n in range(1000))
    body = b"<r>" + fields + b"</wrong>"
    folder = parsed(body)
    element = root(folder)
    assert element.get("f3") == "value 3"
    assert format_of("XMLNSC").write(folder, Context()) is body
    with pytest.raises(BrokerError) as caught:
        element.last_child()
    assert "mismatched tag" in caught.value.root_cause().text
    with pytest.raises(BrokerError, match="mismatched tag"):
        element.last_child()
    with pytest.raises(BrokerError):
        format_of("XMLNSC").parse(body, Context(options=VALIDATE_COMPLETE))


def test_what_is_written_from_the_source_was_proved() -> None:
    fields = b"".join(b"<f%d>value %d</f%d>" % (n, n, n) for n in range(1000))
    folder = parsed(b"<r>" + fields + b"</r><junk/>")
    found = root(folder).child("f0")
    assert found is not None
    found.set_value("changed")
    with pytest.raises(BrokerError) as caught:
        format_of("XMLNSC").write(folder, Context())
    assert "junk after document element" in caught.value.root_cause().text


@pytest.mark.parametrize(
    "body",
    [
        *(b" ", b"text", b"<", b"<a", b"<a>", b"<a/", b"<a b=", b'<a b="', b"<a><b", b"</a>", b"<a></b>", b"<a/><b/>"),
        *(
            b"<!--",
            b"<a><!--",
            b"<a><![CDATA[",
            b"<a><?",
            b"<?xml",
            b"<!DOCTYPE",
            b"<!DOCTYPE a [",
            b"<a/>x",
            b"<a>]]></a>",
        ),
        *(
            b"\xff\xfe",
            b"\x00",
            b"<a>&#0;</a>",
            b"<a>\x01</a>",
            b"<a b='<'/>",
            b"<?xml version='1.0'?><?xml version='1.0'?><a/>",
        ),
    ],
)
def test_broken_documents_give_an_error_with_a_place(body: bytes) -> None:
    for domain in ("XMLNSC", "XMLNS", "XML"):
        assert refusal(body, domain)
        folder = parsed(body, domain)
        with pytest.raises(BrokerError):
            while True:
                found = folder.last_child()
                assert found is not None
                folder = found
