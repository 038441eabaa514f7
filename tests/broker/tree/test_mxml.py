"""Recorded assemblies: read, written back, compared. The sample is made up in the form of a flow recorder."""

from __future__ import annotations

from decimal import Decimal
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.tree.assembly import Assembly, new_root
from flintmq.broker.tree.difference import DIFFERENCES_MAX, compare_trees, same_value
from flintmq.broker.tree.element import DEPTH_MAX, ROOT_DOMAIN, Element, check_tree, copy_element
from flintmq.broker.tree.headers import Template, parse_message, plain_header
from flintmq.broker.tree.mxml import Recorded, differences, read_mxml, recorded_of, write_mxml
from flintmq.broker.tree.types import ATTRIBUTE, JSON_ARRAY, NAME, NAME_VALUE
from flintmq.broker.values import Bit, Date, Interval, Time, Timestamp
from flintmq.mqi.md import MQMD

SAMPLE = b"""<?xml version="1.0" encoding="UTF-8"?><MessageAssembly iib:parser="GENERICROOT" \
xmlns:iib="http://com.ibm.iib/lt/1.0">
  <version iib:valueType="INTEGER">1</version>
  <checkpoint>
    <messageId iib:valueType="CHARACTER">0001-0002</messageId>
    <timestamp iib:valueType="TIMESTAMP">2024-01-31 13:00:14.444</timestamp>
    <source><name iib:valueType="CHARACTER">Price</name><terminal iib:valueType="CHARACTER">out</terminal></source>
  </checkpoint>
  <environment/>
  <localEnvironment iib:parser="MQROOT"><Destination><HTTP>
    <RequestIdentifier iib:valueType="BLOB">4556</RequestIdentifier></HTTP></Destination></localEnvironment>
  <exceptionList/>
  <message iib:injectable="true" iib:parser="WSRoot">
    <Properties iib:parser="MQPROPERTYPARSER">
      <MessageSet iib:elementType="0x03000000" iib:valueType="CHARACTER"/>
      <Transactional iib:valueType="BOOLEAN">FALSE</Transactional>
      <CreationTime iib:valueType="GMTTIMESTAMP">2024-01-31 13:00:14.444001</CreationTime>
      <Topic iib:elementType="0x03000000"/>
    </Properties>
    <MQMD iib:parser="MQHMD"><Format iib:valueType="CHARACTER">MQSTR   </Format></MQMD>
    <JSON iib:parser="json">
      <Data>
        <total iib:value="0.320" iib:valueType="DECIMAL">
          <unit iib:elementType="0x03000100" iib:valueType="CHARACTER">EUR &amp; more</unit>
        </total>
        <list iib:elementType="0x01001000">
          <Item iib:valueType="INTEGER">1</Item>
          <Item iib:valueType="INTEGER">2</Item>
        </list>
        <iib:element iib:name="no name"><x iib:valueType="CHARACTER"> blank </x></iib:element>
        <at iib:tz="Europe/Vienna" iib:valueType="TIME">09:18:21</at>
        <day iib:valueType="DATE">0000-01-01</day>
      </Data>
    </JSON>
  </message>
</MessageAssembly>"""


def infoset(data: bytes) -> object:
    """Return what XML says, without the white space between elements."""
    return _told(ElementTree.fromstring(data))


def _told(element: ElementTree.Element) -> object:
    text = element.text or ""
    if len(element) or element.get("{http://com.ibm.iib/lt/1.0}valueType") is None:
        text = text.strip()
    return element.tag, sorted(element.attrib.items()), text, [_told(child) for child in element]


def test_a_file_becomes_trees_with_domains_types_and_values() -> None:
    recorded = read_mxml(SAMPLE)
    assert list(recorded.parts) == [
        "version",
        "checkpoint",
        "environment",
        "localEnvironment",
        "exceptionList",
        "message",
    ]
    assembly = recorded.assembly()
    message = assembly.message
    check_tree(message)
    assert message.domain == ROOT_DOMAIN and [child.domain for child in message.children()] == [
        "Properties",
        "MQMD",
        "JSON",
    ]
    assert message.get("Properties.MessageSet") == "" and message.get("Properties.Transactional") is False
    topic = message.children()[0].child("Topic")
    assert topic is not None and topic.type == NAME_VALUE and topic.value is None
    assert message.get("Properties.CreationTime") == Timestamp(2024, 1, 31, 13, 0, 14, 444_001, True)
    assert message.get("JSON.Data.total") == Decimal("0.320")
    assert message.get("JSON.Data.total.unit") == "EUR & more"
    assert message.get("JSON.Data.no name.x") == " blank "
    assert message.get("JSON.Data.at") == Time(9, 18, 21)
    assert assembly.local_environment.get("Destination.HTTP.RequestIdentifier") == b"EV"
    assert assembly.local_environment.name == "LocalEnvironment" and assembly.local_environment.domain == ""
    assert recorded.checkpoint("source.name") == "Price" and recorded.checkpoint("target.name") is None


def test_a_file_that_is_written_again_says_the_same() -> None:
    recorded = read_mxml(SAMPLE)
    written = write_mxml(recorded)
    assert infoset(written) == infoset(SAMPLE)
    assert differences(recorded, read_mxml(written)) == []


def test_a_changed_value_is_written_in_its_own_form() -> None:
    recorded = read_mxml(SAMPLE)
    recorded.parts["message"].put("JSON.Data.day", Date(2024, 2, 1))
    again = read_mxml(write_mxml(recorded))
    assert again.parts["message"].get("JSON.Data.day") == Date(2024, 2, 1)


values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
    st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=6),
    st.sampled_from(["\x00", "\x0b", "a\rb", " ", "\t\n", '"<&>', "\ufffe"]),
    st.binary(max_size=4),
    st.builds(lambda bits: Bit(int(bits, 2) if bits else 0, len(bits)), st.text(alphabet="01", max_size=5)),
    st.dates().map(lambda day: Date(day.year, day.month, day.day)),
    st.times().map(lambda time: Time(time.hour, time.minute, time.second, time.microsecond)),
    st.datetimes().map(
        lambda t: Timestamp(t.year, t.month, t.day, t.hour, t.minute, t.second, t.microsecond // 1000 * 1000, True)
    ),
    st.integers(-(10**9), 10**9).map(lambda micros: Interval("DAY TO SECOND", micros=micros)),
)
names = st.sampled_from(["a", "B-1", "no name", "", "1st", "xmlns", "ü", "a:b", "Item"])


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> Element:
    element = Element(draw(names), draw(values), namespace=draw(st.sampled_from(["", "http://n", "http://m"])))
    element.type = draw(st.sampled_from([NAME_VALUE, ATTRIBUTE, NAME, JSON_ARRAY]))
    if depth:
        for child in draw(st.lists(trees(depth=depth - 1), max_size=3)):
            element.append(child)
    return element


@given(trees())
@settings(max_examples=80, deadline=None)
def test_any_tree_survives_a_file(tree: Element) -> None:
    assembly = Assembly()
    assembly.message.append(tree)
    again = read_mxml(write_mxml(assembly)).assembly()
    assert differences(assembly, again) == []
    check_tree(again.message)


def test_parsers_are_named_as_recorders_name_them() -> None:
    md = MQMD()
    md.put_date = "20240131"
    md.put_time = "10203040"
    text = write_mxml(Assembly(parse_message(md, b'{"a":[1]}', Template("JSON")))).decode()
    for word in ('"MQROOT"', '"MQPROPERTYPARSER"', '"MQHMD"', '"json"', 'elementType="0x01001000"', "10:20:30.400<"):
        assert word in text
    http = parse_message(None, b"x", headers=[plain_header("HTTPInputHeader", [("Host", "h")])])
    text = write_mxml(Assembly(http)).decode()
    for word in ('"WSRoot"', '"WSPROPERTYPARSER"', '"WSINPHDR"', '"none"'):
        assert word in text
    assert '"GENERICROOT"' in write_mxml(Assembly()).decode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<a/>", "no recorded assembly"),
        (b"<MessageAssembly>", "line 1"),
        (b"", "line 1"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]><MessageAssembly/>", "document type"),
        (b"<MessageAssembly><message>text</message></MessageAssembly>", "valueType"),
        (b"<MessageAssembly><message/><message/></MessageAssembly>", "twice"),
        (b"<MessageAssembly>" + b"<a>" * (DEPTH_MAX + 2), "nested"),
        (b'<MessageAssembly xmlns:i="http://com.ibm.iib/lt/1.0"><a i:valueType="INTEGER">x</a></MessageAssembly>', "x"),
        (b'<MessageAssembly xmlns:i="http://com.ibm.iib/lt/1.0"><a i:valueType="ODD">x</a></MessageAssembly>', "ODD"),
        (b'<MessageAssembly xmlns:i="http://com.ibm.iib/lt/1.0"><a i:elementType="q"/></MessageAssembly>', "'q'"),
        (b"<MessageAssembly><a>text<b/></a></MessageAssembly>", "children"),
        (b'<?xml version="1.0" encoding="nowhere"?><MessageAssembly/>', "nowhere"),
        (b'<?xml version="1.0" encoding="shift_jis"?><MessageAssembly/>', "encoding"),
    ],
)
def test_what_is_no_recorded_assembly_is_refused_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(BrokerError, match=message) as caught:
        read_mxml(data)
    assert caught.value.number == 5004


def test_a_tree_without_end_and_a_value_without_text_are_refused() -> None:
    assembly = Assembly()
    at = assembly.message
    for _ in range(DEPTH_MAX + 1):
        at = at.append(Element("a", None, NAME))
    with pytest.raises(BrokerError, match="nested"):
        write_mxml(assembly)
    assembly = Assembly()
    assembly.message.add("a", object())
    with pytest.raises(BrokerError, match="no ESQL value"):
        write_mxml(assembly)


# Comparing.


def test_differences_name_their_paths() -> None:
    expected = read_mxml(SAMPLE)
    found = Recorded({name: copy_element(part) for name, part in expected.parts.items()})
    assert differences(expected, found) == []
    message = found.parts["message"]
    message.put("JSON.Data.total", Decimal("0.32"))
    data = message.children()[2].child("Data")
    assert data is not None
    items = data.child("list")
    assert items is not None
    items.children()[1].set_value(3)
    items.add("Item", 4)
    message.put("MQMD.Priority", 5)
    removed = data.child("at")
    assert removed is not None
    removed.detach()
    found.parts["localEnvironment"].put("Destination.HTTP.RequestIdentifier", b"")
    lines = differences(expected, found)
    assert sorted(lines) == sorted(
        [
            "message/JSON/Data/total: DECIMAL 0.32, expected DECIMAL 0.320",
            "message/JSON/Data/list/Item[2]: INTEGER 3, expected INTEGER 2",
            "message/JSON/Data/list/Item[3]: not expected: INTEGER 4",
            "message/JSON/Data/at: missing, expected TIME '09:18:21.000000'",
            "message/MQMD/Priority: not expected: INTEGER 5",
            "localEnvironment/Destination/HTTP/RequestIdentifier: BLOB X'', expected BLOB X'4556'",
        ]
    )
    ignored = differences(expected, found, ignore=["/message/JSON/Data/*", "*/Priority", "localEnvironment"])
    assert ignored == []


def test_types_and_namespaces_are_compared() -> None:
    expected, found = new_root(), new_root()
    expected.append(Element("a", None, JSON_ARRAY)).add("x", 1)
    found.append(Element("a", None, NAME, "http://n")).add("x", "1")
    assert compare_trees(expected, found, "message") == [
        "message/a: namespace 'http://n', expected ''",
        "message/a: type 0x01000000, expected 0x01001000",
        "message/a/x: CHARACTER '1', expected INTEGER 1",
    ]


def test_values_are_equal_only_if_type_and_scale_are() -> None:
    assert same_value(1, 1) and not same_value(1, True) and not same_value(1, 1.0)
    assert not same_value(Decimal("1.0"), Decimal("1.00")) and same_value(Decimal("NaN"), Decimal("NaN"))
    assert same_value(float("nan"), float("nan")) and same_value(None, None)


def test_a_missing_part_counts_only_if_it_has_content() -> None:
    expected = recorded_of(Assembly())
    assert differences(expected, Recorded()) == []
    expected.parts["message"].add("a", 1)
    assert differences(expected, Recorded()) == ["message: missing"]


def test_large_and_deep_trees_are_compared_within_bounds() -> None:
    wide, other = Element("r"), Element("r")
    for number in range(5000):
        wide.add("a", number)
        other.add("b" if number % 2 else "a", number)
    assert len(compare_trees(wide, other, "message")) == DIFFERENCES_MAX
    deep, same = Element("r"), Element("r")
    at, below = deep, same
    for _ in range(5000):
        at, below = at.add("a"), below.add("a")
    assert compare_trees(deep, same, "message") == []
