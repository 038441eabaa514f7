"""Writing: defaults, nulls, separators, computed values, and errors that name the element."""

from __future__ import annotations

from decimal import Decimal

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.model.schema import (
    Alignment,
    EncodingNull,
    Expression,
    Justification,
    Length,
    LengthKind,
    Logical,
    Number,
    Separation,
    SeparatorPosition,
    SeparatorSuppression,
    Text,
    nil_of,
    prefix_of,
)
from flintmq.broker.formats.model.schema import Element as Field
from flintmq.broker.tree.element import Element
from flintmq.broker.values import Date
from tests.broker.formats.model.models import (
    LINES,
    OVERLAY,
    RECORD,
    RECORD_DATA,
    TAGGED,
    ZOS,
    binary,
    delimited,
    fixed,
    group,
    marks,
    message,
    read,
    sequence,
    write,
)


def tree(**fields: object) -> Element:
    """Return a message element with fields; a list repeats a field, a dict is a structure."""
    top = Element("m")
    add(top, fields)
    return top


def add(parent: Element, fields: dict[str, object]) -> None:
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                add(parent.add(name), one)
            else:
                parent.add(name, one)


def failure(model: object, top: Element) -> BrokerError:
    with pytest.raises(BrokerError) as found:
        write(model, top)  # type: ignore[arg-type]
    assert found.value.kind == "ParserException"
    return found.value


@pytest.mark.parametrize(("model", "data"), [(RECORD, RECORD_DATA), (LINES, b"ab,1,x,y\nc,2\n"), (OVERLAY, b"kABCDe")])
def test_what_was_read_is_written_as_it_was(model: object, data: bytes) -> None:
    assert write(model, read(model, data)) == data  # type: ignore[arg-type]


def test_a_tree_of_one_character_set_is_written_in_another() -> None:
    top = read(TAGGED, b"{PR:1.50*NM:x*PT:1~2}", 1208)
    assert write(TAGGED, top, 37, ZOS) == "{PR:1.50*NM:x*PT:1~2}".encode("cp037")


def test_characters_are_converted_to_the_type_of_the_field() -> None:
    """ESQL may assign CHARACTER to numbers and numbers to strings."""
    top = tree(name=12, number="7", amount="-123.45", count="2", item=["xx", "yy"])
    assert write(RECORD, top) == b"12   " + RECORD_DATA[5:]
    dates = message(sequence(delimited("d", Logical.DATE), delimited("b", Logical.BOOLEAN), separator=marks(",")))
    assert write(dates, tree(d="2024-01-31", b="TRUE")) == b"2024-01-31,true"
    assert write(dates, tree(d=Date(2024, 1, 31), b=False)) == b"2024-01-31,false"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"name": "abcdef"}, "'abcdef' has 6 bytes and its field 5"),
        ({"number": "x"}, "'x' is not a number"),
        ({"number": 1 << 40}, "does not fit"),
        ({"amount": Decimal("1.234")}, "digits after its decimal point"),
        ({"amount": Decimal("12345678")}, "digits of its field"),
        ({"count": 3}, "there are 2 occurrences and count says 3"),
        ({"extra": 1}, "not in the model"),
        ({"name": None}, "NULL"),
    ],
)
def test_a_value_that_does_not_fit_is_an_error_that_names_the_element(fields: dict[str, object], text: str) -> None:
    base: dict[str, object] = {"name": "ab", "number": 7, "amount": Decimal("1.5"), "count": 2, "item": ["xx", "yy"]}
    error = failure(RECORD, tree(**(base | fields)))
    assert error.number == 5286 and text in error.root_cause().text
    assert f"m.{next(iter(fields))}" in error.root_cause().text or "item" in error.root_cause().text


def test_a_missing_field_of_fixed_length_gets_its_default_or_is_an_error() -> None:
    model = message(sequence(fixed("a", 3, default="xyz"), fixed("n", 2, Logical.INT)))
    assert write(model, tree(n=7)) == b"xyz7 "
    assert "it is required, missing, and has no default" in str(failure(model, tree(a="abc")))


def test_a_missing_structure_is_written_with_the_defaults_of_its_fields() -> None:
    model = message(sequence(group("g", sequence(fixed("a", 1, default="x"), binary("n", 1, default="7")))))
    assert write(model, tree()) == b"x\x07"


def test_fillers_are_filled_and_never_in_the_tree() -> None:
    model = message(
        sequence(fixed("a", 1), fixed("FILLER", 3, hidden=True, alignment=Alignment(fill=" ")), fixed("b", 1))
    )
    assert write(model, tree(a="x", b="y")) == b"x   y"
    assert [child.name for child in read(model, b"x...y").children()] == ["a", "b"]


def test_a_changed_member_of_an_overlay_is_the_one_that_is_written() -> None:
    top = read(OVERLAY, b"kABCDe")
    tail = top.children()[2].child("tail")
    assert tail is not None
    tail.set_value("ZZ")
    assert write(OVERLAY, top) == b"kABZZe"
    top = read(OVERLAY, b"kABCDe")
    top.children()[1].set_value(1)
    assert write(OVERLAY, top) == b"k\0\0\0\x01e"


@pytest.mark.parametrize(
    ("kind", "value", "data"),
    [
        (EncodingNull.PAD_FILL, "", b"    "),
        (EncodingNull.LITERAL_FILL, "?", b"????"),
        (EncodingNull.LITERAL_VALUE, "NUL", b"NUL "),
    ],
)
def test_null_is_written_as_its_representation(kind: EncodingNull, value: str, data: bytes) -> None:
    model = message(sequence(fixed("s", 4, nillable=True, nil=nil_of(kind, value, " "))))
    assert write(model, tree(s=None)) == data


def test_padding_follows_the_justification() -> None:
    def padded(justification: Justification, pad: str) -> object:
        return message(sequence(fixed("s", 5, text=Text(justification=justification, pad=pad))))

    assert write(padded(Justification.LEFT, "."), tree(s="ab")) == b"ab..."  # type: ignore[arg-type]
    assert write(padded(Justification.RIGHT, "0"), tree(s="ab")) == b"000ab"  # type: ignore[arg-type]
    assert write(padded(Justification.CENTER, "_"), tree(s="ab")) == b"__ab_"  # type: ignore[arg-type]
    cut = message(sequence(fixed("s", 3, text=Text(truncate=True))))
    assert write(cut, tree(s="abcdef")) == b"abc"


@pytest.mark.parametrize(
    ("suppression", "fields", "data"),
    [
        (SeparatorSuppression.NEVER, {"a": "x"}, b"x,,"),
        (SeparatorSuppression.TRAILING_EMPTY, {"a": "x"}, b"x"),
        (SeparatorSuppression.TRAILING_EMPTY, {"a": "x", "c": "z"}, b"x,,z"),
        (SeparatorSuppression.ANY_EMPTY, {"a": "x", "c": "z"}, b"x,z"),
    ],
)
def test_separators_of_absent_members_follow_the_policy(
    suppression: SeparatorSuppression, fields: dict[str, object], data: bytes
) -> None:
    model = message(
        sequence(
            delimited("a"),
            delimited("b", min_occurs=0),
            delimited("c", min_occurs=0),
            separator=marks(","),
            separator_suppression=suppression,
        )
    )
    assert write(model, tree(**fields)) == data


@pytest.mark.parametrize(
    ("position", "data"),
    [(SeparatorPosition.INFIX, b"1,2"), (SeparatorPosition.PREFIX, b",1,2"), (SeparatorPosition.POSTFIX, b"1,2,")],
)
def test_separators_are_written_where_they_stand(position: SeparatorPosition, data: bytes) -> None:
    model = message(
        sequence(delimited("n", Logical.INT, max_occurs=-1), separator=marks(","), separator_position=position)
    )
    assert write(model, tree(n=[1, 2])) == data


def test_empty_positions_of_mrm_are_kept_inside_and_dropped_at_the_end() -> None:
    model = message(
        sequence(
            delimited("a"),
            delimited("n", Logical.INT),
            delimited("z"),
            separation=Separation.ALL_ELEMENTS_DELIMITED,
            separator=marks("|"),
        )
    )
    assert write(model, tree(a="x", z="y")) == b"x||y"
    assert write(model, tree(a="x")) == b"x"


def test_an_unknown_element_in_a_tagged_structure_is_an_error() -> None:
    assert "not in the model" in str(failure(TAGGED, tree(name="x", other="y")))


def test_a_length_before_its_data_is_computed() -> None:
    size = fixed(
        "size",
        3,
        Logical.INT,
        number=Number(pattern="000"),
        output_value=Expression("{ dfdl:valueLength(../text, 'bytes') }"),
    )
    text = Field(name="text", logical=Logical.STRING, length=Length(LengthKind.EXPLICIT, Expression("{ ../size }")))
    model = message(sequence(size, text), family="DFDL")
    assert write(model, tree(text="hello")) == b"005hello"
    assert write(model, tree(size=1, text="hello")) == b"005hello"


def test_values_that_depend_on_each_other_are_an_error() -> None:
    one = fixed("a", 1, Logical.INT, output_value=Expression("{ ../b + 1 }"))
    two = fixed("b", 1, Logical.INT, output_value=Expression("{ ../a + 1 }"))
    error = failure(message(sequence(one, two), family="DFDL"), tree())
    assert "cannot be found" in str(error)


def test_prefixed_lengths_are_written() -> None:
    text = Field(name="t", logical=Logical.STRING, length=Length(LengthKind.PREFIXED, prefix=prefix_of(2)))
    inclusive = Field(
        name="u", logical=Logical.STRING, length=Length(LengthKind.PREFIXED, prefix=prefix_of(1), includes_prefix=True)
    )
    assert write(message(sequence(text, inclusive)), tree(t="abc", u="xy")) == b"\0\x03abc\x03xy"


def test_a_structure_of_known_length_is_filled() -> None:
    inner = group("g", sequence(fixed("a", 1)), length=Length(LengthKind.EXPLICIT, 4), alignment=Alignment(fill=b"."))
    assert write(message(sequence(inner)), tree(g={"a": "x"})) == b"x..."


def test_nesting_is_bounded() -> None:
    recursive = sequence(fixed("x", 1))
    recursive.members.append(group("child", recursive, min_occurs=0))
    top = Element("m")
    at = top
    for _ in range(300):
        at.add("x", "1")
        at = at.add("child")
    at.add("x", "1")
    assert "nested deeper" in str(failure(message(recursive), top))
