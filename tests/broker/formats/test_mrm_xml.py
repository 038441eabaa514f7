"""MRM's XML wire format: renderings, names, types, encodings of NULL, what surrounds the message (MF 4.5)."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.message_set import MessageSet
from flintmq.broker.formats.model_yaml import from_yaml
from flintmq.broker.tree.element import copy_element
from flintmq.broker.values import Date, Time, Timestamp
from tests.broker.formats.mrm_support import MRM, context, one_message, read, rewritten, values, write


def xml(fields: str, settings: str = "") -> MessageSet:
    """Return a message without XML declaration, so that tests show what matters."""
    given = "suppressXMLDeclaration: true" + (f", {settings}" if settings else "")
    return one_message("XML", fields, settings=given)


@pytest.mark.parametrize(
    ("field", "data", "value"),
    [
        ("string", b"<M><a>v &lt;&amp; w</a></M>", "v <& w"),
        ("string", b"<M><a/></M>", ""),
        ("int", b"<M><a>-12</a></M>", -12),
        ("long", b"<M><a>9223372036854775807</a></M>", 2**63 - 1),
        ("decimal", b"<M><a>12.50</a></M>", Decimal("12.50")),
        ("integer", b"<M><a>123456789012345678901234</a></M>", Decimal("123456789012345678901234")),
        ("double", b"<M><a>1.5E0</a></M>", 1.5),
        ("boolean", b"<M><a>true</a></M>", True),
        ("date", b"<M><a>2024-01-31</a></M>", Date(2024, 1, 31)),
        ("time", b"<M><a>23:59:58</a></M>", Time(23, 59, 58)),
        ("dateTime", b"<M><a>2024-01-31T23:59:58</a></M>", Timestamp(2024, 1, 31, 23, 59, 58)),
        ("hexBinary", b"<M><a><![CDATA[0AFF]]></a></M>", b"\x0a\xff"),
        ("{type: hexBinary, F: {encoding: hex}}", b"<M><a>0AFF</a></M>", b"\x0a\xff"),
        ("base64Binary", b"<M><a>Cv8=</a></M>", b"\x0a\xff"),
        ("{type: date, F: {dateTimeFormat: dd.MM.yyyy}}", b"<M><a>31.01.2024</a></M>", Date(2024, 1, 31)),
        ("{type: string, F: {xmlName: other}}", b"<M><other>v</other></M>", "v"),
        ("{type: string, F: {render: XMLAttribute}}", b'<M a="v"/>', "v"),
        ("{type: int, F: {render: XMLAttribute, xmlName: n}}", b'<M n="7"/>', 7),
        ("{type: string, attribute: true}", b'<M a="v"/>', "v"),
        ("{type: string, F: {render: XMLElementAttrID, xmlName: Field}}", b'<M><Field id="a">v</Field></M>', "v"),
        ("{type: string, F: {render: XMLElementAttrVal, valueAttributeName: val}}", b'<M><a val="v"/></M>', "v"),
        (
            "{type: string, F: {render: XMLElementAttrIDVal, xmlName: Field, idAttributeName: k, idAttributeValue: A}}",
            b'<M><Field k="A" value="v"/></M>',
            "v",
        ),
    ],
)
def test_each_type_and_rendering_is_read_and_written(field: str, data: bytes, value: object) -> None:
    message_set = xml(f"- a: {field}")
    assert read(message_set, data) == [("a", value)]
    assert rewritten(message_set, data) == data
    assert write(message_set, {"a": value}) == data


def test_fields_with_one_xml_name_are_told_by_their_identifying_attribute() -> None:
    message_set = xml(
        """
- a: {type: string, F: {render: XMLElementAttrID, xmlName: Field}}
- b: {type: int, F: {render: XMLElementAttrID, xmlName: Field}}
- c: {type: string, F: {xmlName: Field}}
"""
    )
    data = b'<M><Field id="b">1</Field><Field>x</Field><Field id="a">y</Field></M>'
    assert read(message_set, data) == [("b", 1), ("c", "x"), ("a", "y")]
    assert rewritten(message_set, data) == data
    with pytest.raises(BrokerError, match="both the XML element"):
        read(xml("- a: {type: string, F: {xmlName: x}}\n- b: {type: string, F: {xmlName: x}}"), b"<M/>")


def test_structures_repeats_and_attributes() -> None:
    message_set = xml(
        """
- head: {elements: [{id: {type: int, attribute: true}}, {name: string}]}
- line: {occurs: 0..*, elements: [{sku: string}, {count: int}]}
"""
    )
    data = (
        b'<M><head id="7"><name>n</name></head><line><sku>a</sku><count>1</count></line>'
        b"<line><sku>b</sku><count>2</count></line></M>"
    )
    assert read(message_set, data) == [
        ("head", [("id", 7), ("name", "n")]),
        ("line", [("sku", "a"), ("count", 1)]),
        ("line", [("sku", "b"), ("count", 2)]),
    ]
    assert rewritten(message_set, data) == data
    # Attributes are written first, wherever they stand in the tree.
    assert write(message_set, {"head": {"name": "n", "id": 7}}) == b'<M><head id="7"><name>n</name></head></M>'


def test_a_value_with_attributes() -> None:
    message_set = xml("- a: {type: decimal, content: {elements: [{cur: {type: string, attribute: true}}]}}")
    given = context(message_set)
    body = MRM.parse(b'<M><a cur="EUR">12.50</a></M>', given)
    price = body.child("a")
    assert price is not None and price.value == Decimal("12.50")
    assert price.get("cur") == "EUR"
    price.set_value(Decimal("13.00"))
    assert MRM.write(body, given) == b'<M><a cur="EUR">13.00</a></M>'


def test_a_recursive_type_is_read_as_deep_as_the_message_is() -> None:
    message_set = from_yaml(
        """
message_set: S
formats: {F: {kind: XML, suppressXMLDeclaration: true}}
types:
  Node: {elements: [{v: int}, {child: {type: Node, occurs: 0..*}}]}
messages: {M: {type: Node}}
"""
    )
    data = b"<M><v>0</v>" + b"".join(b"<child><v>%d</v>" % n for n in range(500)) + b"</child>" * 500 + b"</M>"
    assert rewritten(message_set, data) == data
    deep = b"<M>" + b"<child>" * 5000 + b"</child>" * 5000 + b"</M>"
    with pytest.raises(BrokerError):
        rewritten(message_set, deep)


@pytest.mark.parametrize(
    ("settings", "field", "data"),
    [
        ("", "{type: string, nillable: true}", b"<M><a/></M>"),
        (
            "encodingNullNonNum: NULLValue, encodingNullNonNumVal: zzz",
            "{type: string, nillable: true}",
            b"<M><a>zzz</a></M>",
        ),
        ("encodingNullNum: NULLValue, encodingNullNumVal: none", "{type: int, nillable: true}", b"<M><a>none</a></M>"),
        ("encodingNullNonNum: NULLAttribute", "{type: string, nillable: true}", b'<M><a null="true"/></M>'),
        (
            "encodingNullNonNum: NULLElement, encodingNullNonNumVal: nil",
            "{type: string, nillable: true}",
            b"<M><a><nil/></a></M>",
        ),
        (
            "encodingNullNonNum: NULLValueAttribute",
            "{type: string, nillable: true, F: {render: XMLElementAttrVal}}",
            b"<M><a/></M>",
        ),
    ],
)
def test_each_encoding_of_null(settings: str, field: str, data: bytes) -> None:
    message_set = xml(f"- a: {field}", settings)
    assert read(message_set, data) == [("a", None)]
    assert write(message_set, {"a": None}) == data


def test_null_by_xml_schema_declares_its_namespace() -> None:
    message_set = xml("- a: {type: string, nillable: true}", "encodingNullNonNum: NULLXMLSchema")
    data = b'<M xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><a xsi:nil="true"/></M>'
    assert read(message_set, data) == [("a", None)]
    assert write(message_set, {"a": None}) == data


def test_null_without_permission_is_an_error_and_a_missing_element_is_not() -> None:
    message_set = xml("- a: string\n- b: {type: string, default: x}")
    assert write(message_set, {"a": "v"}) == b"<M><a>v</a></M>"
    with pytest.raises(BrokerError, match="it is NULL"):
        write(message_set, {"a": None})


def test_what_stands_around_the_message() -> None:
    content = {"a": "v"}
    plain = one_message("XML", "- a: string")
    assert write(plain, content) == b'<?xml version="1.0"?><M><a>v</a></M>'
    full = one_message(
        "XML",
        "- a: string",
        settings="rootTagName: Env, xmlEncoding: AsDocumentText, standaloneDocument: 'Yes', suppressDOCTYPE: false,"
        " doctypePublicID: P, doctypeSystemID: sys.dtd",
    )
    data = (
        b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><!DOCTYPE Env PUBLIC "P" "sys.dtd">'
        b"<Env><M><a>v</a></M></Env>"
    )
    assert write(full, content) == data
    assert read(full, b"<Env><M><a>v</a></M></Env>") == [("a", "v")]
    with pytest.raises(BrokerError, match="the root element is M"):
        read(full, b"<M><a>v</a></M>")


def test_namespaces_are_declared_on_the_first_element() -> None:
    message_set = xml("- a: {type: string, namespace: 'urn:one'}\n- b: {type: string, namespace: 'urn:two'}")
    data = b'<M xmlns:NS1="urn:one" xmlns:NS2="urn:two"><NS1:a>x</NS1:a><NS2:b>y</NS2:b></M>'
    assert write(message_set, {"a": "x", "b": "y"}) == data
    other = b'<M><a xmlns="urn:one">x</a><p:b xmlns:p="urn:two">y</p:b></M>'
    assert read(message_set, other) == [("a", "x"), ("b", "y")]
    body = MRM.parse(other, context(message_set))
    assert [child.namespace for child in body.children()] == ["urn:one", "urn:two"]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "no element"),
        (b"<M>", "unclosed|not well-formed|no element"),
        (b"<X/>", "the message is M"),
        (b"<M><z/></M>", "element z is not in the model"),
        (b'<M z="1"/>', "attribute z is not in the model"),
        (b"<M><n>x</n></M>", "'x' is not an integer"),
        (b"<M><n></n></M>", "'' is not an integer"),
        (b"<M><n>99999999999</n></M>", "more than"),
        (b'<!DOCTYPE M [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><M><n>&b;</n></M>', "is not an integer"),
    ],
)
def test_a_document_that_does_not_fit_is_an_error(data: bytes, problem: str) -> None:
    with pytest.raises(BrokerError, match=problem):
        read(xml("- n: {type: int, occurs: 0..1}"), data)


def test_entities_do_not_expand_without_bound() -> None:
    lines = ['<!ENTITY a0 "ha">'] + [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)]
    bomb = f"<!DOCTYPE M [{''.join(lines)}]><M><s>&a11;</s></M>"
    with pytest.raises(BrokerError):
        read(xml("- s: string"), bomb.encode())


def test_open_content_keeps_what_the_model_does_not_know() -> None:
    message_set = from_yaml(
        """
message_set: S
formats: {F: {kind: XML, suppressXMLDeclaration: true}}
messages: {M: {open: true, elements: [{a: int}]}}
"""
    )
    data = b"<M><a>1</a><x><y>2</y></x></M>"
    assert read(message_set, data) == [("a", 1), ("x", [("y", "2")])]
    assert rewritten(message_set, data) == data


def test_without_a_message_type_the_root_element_names_the_message() -> None:
    message_set = from_yaml(
        """
message_set: S
formats: {F: {kind: XML}}
messages:
  One: {elements: [{a: int}]}
  Two: {elements: [{b: int}]}
"""
    )
    assert read(message_set, b"<Two><b>2</b></Two>") == [("b", 2)]
    with pytest.raises(BrokerError, match="no message of the set has the XML name Three"):
        read(message_set, b"<Three/>")


def test_an_unchanged_message_is_written_as_it_came() -> None:
    message_set = xml("- a: int\n- g: {elements: [{b: string}]}")
    data = b"<M>  <a>1</a><!-- x --><g><b>y</b></g></M>"
    given = context(message_set)
    body = MRM.parse(data, given)
    assert MRM.write(body, given) is data
    assert values(body) == [("a", 1), ("g", [("b", "y")])]
    assert MRM.write(body, given) is data
    copy = copy_element(body)
    assert MRM.write(copy, given) is data
    assert values(copy) == values(body)
    part = body.child("g")
    assert part is not None
    assert values(copy_element(part)) == [("b", "y")]


def test_characters_that_the_character_set_lacks_are_references() -> None:
    message_set = xml("- a: string")
    assert write(message_set, {"a": "€é"}, ccsid=819) == b"<M><a>&#8364;\xe9</a></M>"
    assert read(message_set, "<M><a>é</a></M>".encode("cp037"), ccsid=37) == [("a", "é")]


@pytest.mark.parametrize(
    "definition",
    [
        "- a: {type: string, F: {xmlName: '1x'}}",
        "- a: {type: string, F: {render: XMLElementAttrID, idAttributeName: '<'}}",
        "- a: {F: {render: XMLAttribute}, elements: [{b: string}]}",
    ],
)
def test_a_definition_that_cannot_be_xml_is_an_error(definition: str) -> None:
    with pytest.raises(BrokerError, match="a"):
        read(xml(definition), b"<M/>")


_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Co")), max_size=10)


@settings(max_examples=60, deadline=None)
@given(
    text=_TEXT,
    attribute=_TEXT,
    number=st.integers(-(2**31), 2**31 - 1),
    real=st.floats(allow_nan=False),
    data=st.binary(max_size=10),
    flags=st.lists(st.booleans(), max_size=3),
)
def test_what_is_written_is_read_again(
    text: str, attribute: str, number: int, real: float, data: bytes, flags: list[bool]
) -> None:
    message_set = one_message(
        "XML",
        """
- k: {type: string, attribute: true}
- s: {type: string}
- n: {type: int, F: {render: XMLElementAttrVal}}
- r: {type: double, F: {render: XMLElementAttrIDVal, xmlName: f}}
- b: {type: hexBinary}
- o: {type: boolean, occurs: 0..*}
""",
    )
    tree: list[tuple[str, object]] = [("k", attribute), ("s", text), ("n", number), ("r", real), ("b", data)]
    tree += [("o", flag) for flag in flags]
    made = write(message_set, tree)
    assert read(message_set, made) == tree


@settings(max_examples=80, deadline=None)
@given(data=st.one_of(st.binary(max_size=40), st.text("<M>a/ ='\"&;!-[]1", max_size=40).map(str.encode)))
def test_any_bytes_are_a_message_or_a_broker_error(data: bytes) -> None:
    try:
        read(xml("- a: {type: int, occurs: 0..1}"), data)
    except BrokerError:
        pass
