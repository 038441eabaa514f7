"""The domain MRM: templates, unchanged bodies, embedded messages, conversion by changing the format (MF 4.1, 4.6)."""

from __future__ import annotations

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.message_set import expanded_size
from flintmq.broker.formats.model_yaml import from_yaml
from flintmq.broker.formats.mrm import embed, message_of
from flintmq.broker.formats.registry import FOLDER_BIT_STREAM, Context, format_of
from flintmq.broker.tree.element import check_tree, copy_element
from tests.broker.formats.mrm_support import MRM, context, folder, read, rewritten, values, write

ORDERS = """
message_set: Orders
formats:
  CWF1: {kind: CWF}
  TDS1: {kind: TDS, delimiter: ',', defaultCCSID: 819}
  XML1: {kind: XML, suppressXMLDeclaration: true}
messages:
  Order:
    TDS1: {dataElementSeparation: AllElementsDelimited}
    elements:
      - Id: {type: string, CWF1: {length: 4}}
      - Count: int
  Reply:
    TDS1: {dataElementSeparation: AllElementsDelimited}
    elements:
      - Code: int
"""


def test_the_domain_is_registered() -> None:
    assert format_of("MRM").domain == "MRM"


def test_children_of_the_folder_are_the_children_of_the_message() -> None:
    message_set = from_yaml(ORDERS)
    body = MRM.parse(b"A001\0\0\0\7", context(message_set, "CWF1", "Order"))
    assert body.name == "MRM" and body.domain == "MRM"
    assert values(body) == [("Id", "A001"), ("Count", 7)]
    check_tree(body)


def test_converting_is_writing_with_another_format() -> None:
    message_set = from_yaml(ORDERS)
    body = MRM.parse(b"A001\0\0\0\7", context(message_set, "CWF1", "Order"))
    assert MRM.write(body, context(message_set, "TDS1", "Order")) == b"A001,7"
    assert MRM.write(body, context(message_set, "XML1", "Order")) == b"<Order><Id>A001</Id><Count>7</Count></Order>"
    # The character set of the output need not be that of the input.
    assert MRM.write(body, context(message_set, "TDS1", "Order", ccsid=37)) == "A001,7".encode("cp037")


@pytest.mark.parametrize("format", ["CWF1", "TDS1", "XML1"])
def test_an_unchanged_body_is_passed_on_as_bytes(format: str) -> None:
    """B246: what a flow does not touch costs nothing and is the same to the last byte."""
    message_set = from_yaml(ORDERS)
    data = {"CWF1": b"A001\0\0\0\7", "TDS1": b"A001,007", "XML1": b"<Order> <Id>A001</Id><Count>007</Count></Order>"}
    given = context(message_set, format, "Order")
    body = MRM.parse(data[format], given)
    assert MRM.write(body, given) is data[format]
    assert body.pending, "nothing was read"
    values(body)
    assert MRM.write(copy_element(body), given) is data[format]
    assert MRM.write(body, context(message_set, format, "")) is data[format]


def test_bytes_are_not_passed_on_for_another_character_set() -> None:
    message_set = from_yaml(ORDERS)
    body = MRM.parse(b"A001\0\0\0\7", context(message_set, "CWF1", "Order"))
    assert MRM.write(body, context(message_set, "CWF1", "Order", encoding=546)) == b"A001\7\0\0\0"


def test_malformed_data_is_an_error_at_the_first_touch() -> None:
    message_set = from_yaml(ORDERS)
    given = context(message_set, "CWF1", "Order")
    body = MRM.parse(b"A0", given)
    assert MRM.write(body, given) == b"A0"
    with pytest.raises(BrokerError) as error:
        body.first_child()
    assert error.value.number == 5285
    assert error.value.kind == "ParserException"


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        (("None", "Order", "CWF1"), "there is no message set 'None'"),
        (("", "Order", "CWF1"), "names no message set"),
        (("Orders", "Nothing", "CWF1"), "has no message 'Nothing'"),
        (("Orders", "", "CWF1"), "names no message type"),
        (("Orders", "Order", "CWF9"), "has no format 'CWF9'"),
        (("Orders", "Order", ""), "several formats"),
        (("Orders", "Order/Reply", "CWF1"), "no place for an embedded message"),
        (("Orders", "Order/x", "CWF1"), "'x' of the message type"),
    ],
)
def test_a_template_that_names_nothing_says_what_is_missing(template: tuple[str, str, str], problem: str) -> None:
    message_set = from_yaml(ORDERS)
    given = Context(
        message_set=template[0],
        message_type=template[1],
        message_format=template[2],
        models=lambda name: message_set if name == "Orders" else None,
    )
    for work in (lambda: MRM.parse(b"", given), lambda: MRM.write(folder({}), given)):
        with pytest.raises(BrokerError, match=problem):
            work()


def test_without_message_sets_the_domain_says_so() -> None:
    with pytest.raises(BrokerError, match="needs the message sets"):
        MRM.parse(b"", Context())


def test_format_names_do_not_depend_on_case_and_a_default_applies() -> None:
    message_set = from_yaml("default_format: TDS1\n" + ORDERS.lstrip("\n"))
    assert read(message_set, b"A,1", type="Order") == [("Id", "A"), ("Count", 1)]
    assert read(message_set, b"A,1", "tds1", type="{}:Order") == [("Id", "A"), ("Count", 1)]


MULTIPART = """
message_set: Parts
formats: {F: {kind: TDS}}
types:
  Placeholder: {composition: message, elements: []}
messages:
  Envelope:
    F: {dataElementSeparation: AllElementsDelimited, delimiter: ';'}
    elements:
      - From: string
      - Body: {type: Placeholder}
  Payment:
    F: {dataElementSeparation: AllElementsDelimited, delimiter: ','}
    elements:
      - Amount: decimal
      - Currency: string
"""


def test_a_message_path_says_which_message_is_embedded() -> None:
    message_set = from_yaml(MULTIPART)
    data = b"me;12.50,EUR"
    for path in ("Envelope/Payment", "Envelope/Body/Payment"):
        tree = read(message_set, data, type=path)
        assert [name for name, _ in tree] == ["From", "Body"]
        assert tree[1][1][0][0] == "Payment"  # type: ignore[index]
        assert rewritten(message_set, data, type=path) == data
    with pytest.raises(BrokerError, match="embedded"):
        read(message_set, data, type="Envelope")


def test_a_message_type_prefix_is_put_before_the_type() -> None:
    message_set = from_yaml("type_prefix: Envelope\n" + MULTIPART.lstrip("\n"))
    assert len(read(message_set, b"me;12.50,EUR", type="Payment")) == 2
    assert read(message_set, b"12.50,EUR", type="/Payment") == read(from_yaml(MULTIPART), b"12.50,EUR", type="Payment")


def test_an_embedded_message_changes_no_other() -> None:
    message_set = from_yaml(MULTIPART)
    envelope, payment = message_set.messages["Envelope"], message_set.messages["Payment"]
    before = expanded_size(envelope)
    assert embed(envelope, payment) is not None
    assert expanded_size(envelope) == before
    assert embed(payment, payment) is None
    assert message_of(message_set, "Envelope", 0) is envelope


def test_a_folder_bit_stream_rebuilds_the_element() -> None:
    message_set = from_yaml(ORDERS)
    for format, data in (("CWF1", b"A001\0\0\0\7"), ("XML1", b"<Order><Id>A001</Id><Count>7</Count></Order>")):
        given = context(message_set, format, "Order", options=FOLDER_BIT_STREAM)
        body = MRM.parse(data, given)
        (message,) = body.children()
        assert message.name == "Order"
        assert values(message) == [("Id", "A001"), ("Count", 7)]
        assert MRM.write(message, given) == data


def test_a_message_is_bound_to_its_format_once() -> None:
    message_set = from_yaml(ORDERS)
    write(message_set, {"Id": "A", "Count": 1}, "CWF1", type="Order")
    (first,) = message_set.bound.values()
    write(message_set, {"Id": "B", "Count": 2}, "CWF1", type="Order")
    assert list(message_set.bound.values()) == [first]


def _nested(depth: int) -> str:
    lines = ["message_set: S", "formats: {F: {kind: CWF}, X: {kind: XML}}", "types:"]
    for level in range(depth):
        lines.append(f"  T{level}: {{elements: [{{a: {{type: T{level + 1}}}}}, {{b: {{type: T{level + 1}}}}}]}}")
    lines.append(f"  T{depth}: {{elements: [{{x: byte}}]}}")
    return "\n".join([*lines, "messages: {M: {type: T0}}"])


def test_types_that_stand_for_too_many_fields_are_refused() -> None:
    """Thirty types of two members each are 2**30 fields."""
    assert write(
        from_yaml(_nested(2)), {"a": {"a": {"x": 1}, "b": {"x": 2}}, "b": {"a": {"x": 3}, "b": {"x": 4}}}, "F"
    ) == (b"\1\2\3\4")
    for depth in (30, 500):
        with pytest.raises(BrokerError):
            from_yaml(_nested(depth))


@pytest.mark.parametrize("kind", ["CWF", "TDS", "XML"])
def test_a_recursive_type_ends_with_the_data(kind: str) -> None:
    message_set = from_yaml(
        f"""
message_set: S
formats: {{F: {{kind: {kind}}}}}
types:
  Node:
    choice:
      - v: {{type: string, F: {{{"length: 1" if kind == "CWF" else "tag: V" if kind == "TDS" else ""}}}}}
      - left: {{type: Node, F: {{{"tag: L" if kind == "TDS" else ""}}}}}
      - right: {{type: Node, F: {{{"tag: R" if kind == "TDS" else ""}}}}}
messages: {{M: {{type: Node}}}}
"""
    )
    for data in (b"", b"x" * 300, b"L" * 300, b"<M>" + b"<left>" * 300):
        with pytest.raises(BrokerError):
            read(message_set, data)
