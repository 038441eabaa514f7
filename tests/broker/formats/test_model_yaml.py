"""Message sets as YAML: what is read, what is written, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.message_set import Field, MessageSet
from flintmq.broker.formats.model.schema import Composition, Facets, Logical
from flintmq.broker.formats.model_yaml import from_yaml, to_yaml
from tests.broker.formats.mrm_support import read

FULL = """
message_set: Full
identifier: ABCDEF0002001
default_format: CWF1
formats:
  CWF1: {kind: CWF, packedDecimalPositiveCode: F}
  TDS1: {kind: TDS, delimiter: ~, tagDataSeparator: '='}
  XML1: {kind: XML}
types:
  Node:
    elements:
      - v: int
      - next: {type: Node, occurs: 0..1}
  Shared: {composition: unorderedSet, elements: [{x: string}]}
messages:
  M:
    TDS1: {dataElementSeparation: AllElementsDelimited}
    elements:
      - plain: string
      - k: {type: string, attribute: true, namespace: 'urn:k', fixed: '007'}
      - n: {type: int, occurs: 0..5, nillable: true, default: 0, CWF1: {length: 2, repeatReference: plain}}
      - d: {type: decimal, totalDigits: 7, fractionDigits: 2, minInclusive: 0, maxExclusive: 1000}
      - e: {type: string, maxLength: 3, minLength: 1, enumeration: [a, 'no', ~], pattern: '[a-z]+'}
      - f: {type: hexBinary, hidden: true, CWF1: {length: 2}}
      - b: base64Binary
      - p: {type: decimal, content: {elements: [{cur: {type: string, attribute: true}}]}}
      - g:
          CWF1: {byteAlignment: 4}
          content: {CWF1: {length: 8}, choice: [{c1: int}, {c2: string}]}
      - tree: Node
      - one: Shared
      - two: {type: Shared, occurs: 1..*}
      - <choice>:
          - x: int
          - <sequence>: {open: true, elements: [{y: int}, <group>: Shared]}
"""


def test_everything_that_a_file_says_is_in_the_model() -> None:
    message_set = from_yaml(FULL)
    assert (message_set.name, message_set.identifier, message_set.default_format) == ("Full", "ABCDEF0002001", "CWF1")
    assert message_set.formats["TDS1"].properties == {"delimiter": "~", "tagDataSeparator": "="}
    group = message_set.messages["M"].group
    assert group is not None
    fields = {member.name: member for member in group.members if isinstance(member, Field)}
    assert fields["k"].attribute and fields["k"].fixed and fields["k"].default == "007"
    assert (fields["n"].min_occurs, fields["n"].max_occurs, fields["n"].nillable) == (0, 5, True)
    assert fields["n"].properties("CWF1") == {"length": "2", "repeatReference": "plain"}
    assert fields["d"].facets == Facets(total_digits=7, fraction_digits=2, min_inclusive="0", max_exclusive="1000")
    assert fields["e"].facets.enumeration == ("a", "no", "~")
    assert fields["b"].logical is Logical.HEX_BINARY and fields["b"].base64
    assert fields["p"].logical is Logical.DECIMAL and fields["p"].group is not None
    node = fields["tree"].group
    assert node is not None and node.members[1].group is node  # type: ignore[union-attr]
    assert fields["one"].group is fields["two"].group
    shared = fields["one"].group
    assert shared is not None
    assert shared.composition is Composition.UNORDERED_SET


def test_what_is_written_is_read_again() -> None:
    text = to_yaml(from_yaml(FULL))
    assert to_yaml(from_yaml(text)) == text
    assert "type: Node" in text
    assert "maxLength: 3" in text, "numbers have no quotation marks"


def test_scalars_are_texts() -> None:
    """`no`, `~` and `007` mean themselves."""
    message_set = from_yaml(
        "message_set: no\nformats: {F: {kind: TDS}}\nmessages:\n  M:\n"
        "    F: {dataElementSeparation: AllElementsDelimited, delimiter: ~}\n"
        "    elements: [{yes: string}, {007: string}]"
    )
    assert message_set.name == "no"
    assert read(message_set, b"a~b") == [("yes", "a"), ("007", "b")]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no message set"),
        ("[]", "no message set"),
        ("a: [", "not valid YAML"),
        ("message_set: x\nnonsense: 1", "nonsense: is not known"),
        ("message_set: [x]", "a text is expected"),
        ("message_set: x\nformats: {F: {kind: Y}}", "not CWF, TDS or XML"),
        ("message_set: x\nformats: {F: {kind: CWF, delimiter: x}}", "there is no property delimiter"),
        ("message_set: x\nformats: {type: {kind: CWF}}", "cannot have the name of a property"),
        ("message_set: x\ndefault_format: F", "there is no format F"),
        ("message_set: x\nmessages: {M: {}}", "neither a type nor content"),
        ("message_set: x\nmessages: {M: {type: Missing}}", "there is no type 'Missing'"),
        ("message_set: x\nmessages: {M: {elements: x}}", "are a list"),
        ("message_set: x\nmessages: {M: {elements: [{a: int, b: int}]}}", "one key"),
        (
            "message_set: x\nmessages: {M: {elements: [{a: {type: int, occurs: 5..2}}]}}",
            "the first number is the larger",
        ),
        ("message_set: x\nmessages: {M: {elements: [{a: {type: int, occurs: many}}]}}", "occurs is 'many'"),
        ("message_set: x\nmessages: {M: {elements: [{a: {type: int, nillable: perhaps}}]}}", "nillable is 'perhaps'"),
        ("message_set: x\nmessages: {M: {elements: [{a: {type: int, maxLength: x}}]}}", "maxLength is 'x'"),
        ("message_set: x\nmessages: {M: {elements: [], choice: []}}", "either 'elements' or 'choice'"),
        ("message_set: x\nmessages: {M: {elements: [], composition: odd}}", "no composition 'odd'"),
        ("message_set: x\nmessages: {M: {elements: [{a: {type: int, F: {}}}]}}", "'F' is neither a format"),
        (
            "message_set: x\nformats: {F: {kind: TDS}}\nmessages: {M: {F: {dataElementSeparation: Odd}, elements: []}}",
            "dataElementSeparation is 'Odd'",
        ),
        ("message_set: x\ntypes: {T: {elements: []}}\nmessages: {M: {type: T, elements: []}}", "given twice"),
    ],
)
def test_a_file_with_an_error_says_what_and_where(text: str, problem: str) -> None:
    with pytest.raises(BrokerError, match=problem):
        from_yaml(text, "x.mset.yaml")


def test_aliases_do_not_multiply_and_nesting_is_bounded() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    for text in ("message_set: x\n" + "\n".join(lines), "message_set: " + "[" * 5000, "message_set: &a [*a]"):
        with pytest.raises(BrokerError):
            from_yaml(text)


def test_a_set_without_messages_can_be_written() -> None:
    assert from_yaml(to_yaml(MessageSet("Empty"))).messages == {}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_changed_file_is_refused_or_read(data: st.DataObject) -> None:
    text = FULL
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 20, len(text))))
        text = (
            text[:start] + data.draw(st.sampled_from(["", "{", "]", ": ", "- ", "\n", "9", "*x", "\x00"])) + text[end:]
        )
    try:
        message_set = from_yaml(text)
    except BrokerError:
        return
    assert to_yaml(from_yaml(to_yaml(message_set))) == to_yaml(message_set)
