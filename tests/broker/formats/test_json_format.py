"""The JSON domain: trees of JSON text, text of trees, and everything that is not JSON."""

from __future__ import annotations

import json
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats import Context, format_of
from flintmq.broker.formats.registry import FOLDER_BIT_STREAM
from flintmq.broker.tree.element import DEPTH_MAX, Element, check_tree, copy_content, copy_element
from flintmq.broker.tree.types import JSON_ARRAY, NAME, NAME_VALUE
from flintmq.broker.values import Bit, Date, Time, Timestamp

JSON = format_of("JSON")
UTF8 = Context()


def parse(body: bytes | str, context: Context = UTF8) -> Element:
    return JSON.parse(body.encode() if isinstance(body, str) else body, context)


def data_of(folder: Element) -> Element:
    data = folder.child("Data")
    assert data is not None
    return data


def plain(element: Element) -> Any:
    """Return an element as what `json.loads` with `object_pairs_hook=Pairs` returns."""
    if element.type == JSON_ARRAY:
        return [plain(child) for child in element.children()]
    if element.type == NAME:
        return Pairs((child.name, plain(child)) for child in element.children())
    return element.value


class Pairs(tuple):  # type: ignore[type-arg]
    """The members of an object in order, duplicates included."""


def judge(text: str) -> Any:
    return json.loads(text, object_pairs_hook=Pairs, parse_float=float, parse_int=_integer)


def _integer(text: str) -> object:
    number = int(text)
    return number if -(2**63) <= number < 2**63 else Decimal(text)


def new_body(*children: Element) -> Element:
    body = Element("JSON", None, NAME)
    body.domain = "JSON"
    for child in children:
        body.append(child)
    return body


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=25,
)


@given(json_values, st.sampled_from([None, 1]))
@settings(max_examples=120, deadline=None)
def test_the_tree_says_what_the_text_says(value: object, indent: int | None) -> None:
    """Python's json is the judge. The lone surrogates that it keeps are not text here."""
    text = json.dumps(value, indent=indent)
    folder = parse(text)
    assert plain(data_of(folder)) == judge(text)
    check_tree(folder)
    assert JSON.write(folder, UTF8) == text.encode()


@given(json_values)
@settings(max_examples=80, deadline=None)
def test_a_tree_without_source_is_written_as_json_of_the_same_value(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    made = new_body(_without_source(data_of(parse(text))))
    assert judge(JSON.write(made, UTF8).decode()) == judge(text)


def _without_source(element: Element) -> Element:
    made = Element(element.name, element.value, element.type)
    for child in element.children():
        made.append(_without_source(child))
    return made


@given(st.text(alphabet='{}[]",:\\u0019abtrefnls-+.eE \n', max_size=12) | st.text(max_size=6))
@settings(max_examples=300, deadline=None)
@example("-")
@example("01")
@example("1.")
@example("1e")
@example('"\\u12"')
@example("[1,]")
@example('{"a":1,}')
@example("NaN")
@example("[1]x")
@example("")
@example(" ")
@example('"\t"')
def test_a_text_is_refused_exactly_if_it_is_not_json(text: str) -> None:
    """Python's json is the judge, apart from NaN and Infinity, which RFC 8259 does not have, and an empty body."""
    try:
        json.loads(text, parse_constant=_refuse_constant)
        valid = True
    except ValueError:
        valid = text == ""
    if valid:
        parse(text).first_child()
    else:
        with pytest.raises(BrokerError) as caught:
            parse(text).first_child()
        assert [entry.number for entry in caught.value.chain()] in ([5705, 5701], [5705, 5702])
        assert all(entry.kind == "ParserException" for entry in caught.value.chain())


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [('{"a":\n  tru}', 2, 3), ("[1 2]", 1, 4), ('{"a":1}\n\n x', 3, 2), ('{"a"\n1}', 2, 1), ('["a\nb"]', 1, 4)],
)
def test_an_error_names_line_and_column(text: str, line: int, column: int) -> None:
    with pytest.raises(BrokerError) as caught:
        parse(text).first_child()
    assert caught.value.root_cause().inserts[:2] == (line, column)


def test_a_text_that_ends_early_is_reported_as_incomplete() -> None:
    with pytest.raises(BrokerError, match="before it is complete") as caught:
        parse('{"a":[1,2').first_child()
    assert caught.value.root_cause().number == 5702


def test_a_malformed_body_that_is_not_touched_passes_unchanged() -> None:
    """MF 1.2: an error shows at the first touch only."""
    assert JSON.write(parse(b'{"a":'), UTF8) == b'{"a":'


def test_arrays_have_a_type_and_items_a_name() -> None:
    data = data_of(parse('[1,[2],{"x":null}]'))
    assert data.type == JSON_ARRAY
    assert [child.name for child in data.children()] == ["Item", "Item", "Item"]
    assert [child.type for child in data.children()] == [NAME_VALUE, JSON_ARRAY, NAME]
    third = data.children()[2].child("x")
    assert third is not None and third.type == NAME_VALUE and third.value is None


def test_the_type_decides_what_is_an_array_and_child_names_of_arrays_are_ignored() -> None:
    array = Element("list", None, JSON_ARRAY)
    array.add("any", 1)
    array.add("other", 2)
    data = Element("Data", None, NAME)
    data.append(array)
    data.append(Element("none", None, JSON_ARRAY))
    data.append(Element("folder", None, NAME))
    data.add("nil", None)
    assert JSON.write(new_body(data), UTF8) == b'{"list":[1,2],"none":[],"folder":{},"nil":null}'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", Decimal(2**63)),
        ("1.50", 1.5),
        ("1e2", 100.0),
        ("1e400", Decimal("1e400")),
        ("-0", 0),
        ("9" * 5000, Decimal("9" * 5000)),
    ],
)
def test_numbers_become_the_smallest_type_that_holds_them(text: str, value: object) -> None:
    found = data_of(parse(text))
    assert found.value == value and type(found.value) is type(value)


def test_fractions_are_decimals_by_switch() -> None:
    context = Context(switches=cast(Any, SimpleNamespace(json_fraction="decimal")))
    value = data_of(parse("1.50", context)).value
    assert str(value) == "1.50"


def test_an_exponent_that_no_decimal_holds_is_refused() -> None:
    with pytest.raises(BrokerError, match="exponent"):
        parse("1e99999999999999999999999").first_child()


def test_values_of_all_types_are_written() -> None:
    data = Element("Data", None, JSON_ARRAY)
    for value in (
        True,
        1.5,
        1e300,
        3.0,
        Decimal("0.320"),
        b"\x0a\xff",
        Bit(5, 4),
        Date(2024, 1, 31),
        Time(1, 2, 3, 4),
        Timestamp(2024, 1, 31, 1, 2, 3, 400000, True),
        'a"\\\n/\x01ü',
    ):
        data.add("Item", value)
    assert JSON.write(new_body(data), UTF8).decode() == (
        '[true,1.5E+0,1.0E+300,3.0E+0,0.320,"0aff","0101","2024-01-31","01:02:03.000004",'
        '"2024-01-31 01:02:03.400000","a\\"\\\\\\n\\/\\u0001ü"]'
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), Decimal("-Infinity"), object()])
def test_what_json_cannot_say_is_an_error_with_the_path(value: object) -> None:
    data = Element("Data", None, NAME)
    data.add("x", value)
    with pytest.raises(BrokerError, match="JSON.Data.x"):
        JSON.write(new_body(data), UTF8)


def test_untouched_parts_of_a_changed_tree_keep_their_text() -> None:
    folder = parse('{ "a": 1.10, "b": [ 1.0, "\\u00e9" ], "c": "x" }')
    changed = data_of(folder).child("c")
    assert changed is not None
    changed.set_value("y")
    check_tree(folder)
    assert JSON.write(folder, UTF8) == b'{"a":1.10,"b":[ 1.0, "\\u00e9" ],"c":"y"}'
    assert JSON.write(copy_element(folder), UTF8) == JSON.write(folder, UTF8)


def test_a_large_array_is_built_in_pieces_and_survives_changes_between_them() -> None:
    folder = parse("[" + ",".join(str(i) for i in range(200)) + "]")
    data = data_of(folder)
    first = data.first_child()
    assert first is not None and data.pending
    first.set_value(-1)
    copied = copy_element(folder)
    expected = [-1, *range(1, 200)]
    assert [child.value for child in data.children()] == expected
    assert [child.value for child in data_of(copied).children()] == expected
    assert json.loads(JSON.write(copied, UTF8)) == expected


def test_content_copied_into_another_object_keeps_its_text() -> None:
    source = parse('{"a":{"n":1.10}}')
    target = parse('{"t":{}}')
    into, original = data_of(target).child("t"), data_of(source).child("a")
    assert into is not None and original is not None
    copy_content(into, original)
    assert JSON.write(target, UTF8) == b'{"t":{"n":1.10}}'


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-be", "utf-8"])
def test_unicode_is_found_by_mark_or_by_zero_bytes(codec: str) -> None:
    body = '{"k":"ü€😀"}'.encode(codec)
    assert data_of(parse(body, Context(ccsid=0))).get("k") == "ü€😀"


@pytest.mark.parametrize(
    ("ccsid", "encoding", "codec"), [(37, 785, "cp037"), (1200, 546, "utf-16-le"), (1232, 273, "utf-32-be")]
)
def test_a_body_is_read_and_written_in_the_character_set_of_its_header(ccsid: int, encoding: int, codec: str) -> None:
    folder = parse('{"k":"ü"}')
    written = JSON.write(folder, Context(ccsid=ccsid, encoding=encoding))
    assert written == '{"k":"ü"}'.encode(codec)
    assert data_of(parse(written, Context(ccsid=ccsid, encoding=encoding))).get("k") == "ü"


def test_characters_that_a_set_lacks_are_escaped() -> None:
    assert JSON.write(parse('{"k€":"😀"}'), Context(ccsid=819)) == b'{"k\\u20ac":"\\ud83d\\ude00"}'


def test_lone_surrogates_are_replaced() -> None:
    assert data_of(parse('["\\ud800","\\udc00x","\\ud83d\\ude00","\\ud83d\\u0041"]')).children()[0].value == "\ufffd"
    values = [child.value for child in data_of(parse('["\\udc00x","\\ud83d\\ude00","\\ud83d\\u0041"]')).children()]
    assert values == ["\ufffdx", "😀", "\ufffdA"]


def test_nesting_is_bounded_when_reading_and_when_writing() -> None:
    deep = "[" * DEPTH_MAX + "]" * DEPTH_MAX
    folder = parse(deep)
    assert JSON.write(folder, UTF8) == deep.encode()
    with pytest.raises(BrokerError, match="nested"):
        parse("[" * 1_000_000).first_child()
    top = element = Element("Data", None, JSON_ARRAY)
    for _ in range(DEPTH_MAX + 1):
        element = element.append(Element("Item", None, JSON_ARRAY))
    element.add("Item", 1)
    with pytest.raises(BrokerError, match="nested"):
        JSON.write(new_body(top), UTF8)


def test_bytes_that_are_not_text_are_an_error_with_their_offset() -> None:
    with pytest.raises(BrokerError, match="offset 2"):
        parse(b'["\xff"]').first_child()


def test_a_tree_without_data_says_what_to_assign() -> None:
    with pytest.raises(BrokerError, match="JSON.Data"):
        JSON.write(new_body(Element("Order", 1)), UTF8)
    assert JSON.write(new_body(), UTF8) == b""


def test_padding_is_written_around_the_value() -> None:
    assert JSON.write(new_body(Element("Padding", "call"), Element("Data", 1)), UTF8) == b"call(1)"


def test_a_folder_bit_stream_rebuilds_the_element() -> None:
    folder = Context(options=FOLDER_BIT_STREAM)
    order = data_of(parse('{"order":{"n":[1,2]}}')).child("order")
    assert order is not None
    written = JSON.write(order, folder)
    assert written == b'{"order":{"n":[1,2]}}'
    again = JSON.parse(written, folder).first_child()
    assert again is not None and again.name == "order" and JSON.write(again, folder) == written
    with pytest.raises(BrokerError):
        JSON.parse(b"[1]", folder).first_child()
