"""Random small models: what is written reads back, and what is read is written as it was."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.model.schema import (
    Alignment,
    BinaryNumber,
    Choice,
    Element,
    EscapeKind,
    EscapeScheme,
    ExternalSign,
    Length,
    LengthKind,
    Logical,
    Markup,
    Message,
    Number,
    Separation,
    SeparatorPosition,
    Sequence,
    Text,
    TextNumber,
    prefix_of,
)
from flintmq.broker.tree.element import Element as TreeElement
from tests.broker.formats.model.models import (
    BIG,
    LITTLE,
    ZOS,
    binary,
    delimited,
    fixed,
    group,
    marks,
    message,
    read,
    sequence,
    shape,
    write,
)

#: A field of a model, and a strategy for its values.
FieldAndValues = tuple[Element, st.SearchStrategy[object]]
LETTERS = st.text(alphabet="abcXYZ 019", max_size=6).map(lambda text: text.rstrip())


def fixed_field(draw: st.DrawFn, name: str) -> FieldAndValues:
    """Return a field of fixed length: what copybooks have."""
    kind = draw(st.integers(0, 7))
    if kind == 0:
        return fixed(name, 8), LETTERS
    if kind == 1:
        size = draw(st.sampled_from([1, 2, 4, 8]))
        logical = {1: Logical.BYTE, 2: Logical.SHORT, 4: Logical.INT, 8: Logical.LONG}[size]
        bound = 1 << (8 * size - 1)
        return binary(name, size, logical), st.integers(-bound, bound - 1)
    if kind == 2:
        point = draw(st.integers(0, 4))
        number = Number(binary=BinaryNumber.PACKED, virtual_point=point)
        value = st.integers(-(10**8), 10**8).map(lambda digits: Decimal(digits).scaleb(-point))
        return binary(name, 6, Logical.DECIMAL, number=number), value
    if kind == 3:
        sign = draw(st.sampled_from([ExternalSign.LEADING_OVERPUNCHED, ExternalSign.TRAILING_OVERPUNCHED]))
        number = Number(text=TextNumber.ZONED, external_sign=sign)
        return fixed(name, 6, Logical.INT, number=number), st.integers(-999_999, 999_999)
    if kind == 4:
        sign = draw(st.sampled_from([ExternalSign.LEADING, ExternalSign.TRAILING]))
        number = Number(external_sign=sign, virtual_point=2)
        value = st.integers(-99_999, 99_999).map(lambda digits: Decimal(digits).scaleb(-2))
        return fixed(name, 6, Logical.DECIMAL, number=number), value
    if kind == 5:
        alignment = Alignment(draw(st.sampled_from([1, 2, 4, 8])), draw(st.integers(0, 3)), draw(st.integers(0, 3)))
        return binary(name, 4, Logical.FLOAT, alignment=alignment), st.integers(-1000, 1000).map(lambda n: n / 8)
    if kind == 6:
        length = Length(LengthKind.PREFIXED, prefix=prefix_of(draw(st.sampled_from([1, 2]))))
        return Element(name=name, logical=Logical.STRING, length=length, text=Text(pads=False)), st.text(
            "abc ", max_size=9
        )
    return binary(name, 3, Logical.HEX_BINARY), st.binary(min_size=3, max_size=3)


def text_field(draw: st.DrawFn, name: str) -> FieldAndValues:
    """Return a delimited field."""
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return delimited(name, Logical.INT), st.integers(-(2**31), 2**31 - 1)
    if kind == 1:
        return delimited(name, Logical.DECIMAL), st.integers(-(10**9), 10**9).map(lambda n: Decimal(n).scaleb(-3))
    if kind == 2:
        return delimited(name, Logical.BOOLEAN), st.booleans()
    scheme = EscapeScheme(EscapeKind.CHARACTER, "\\", "\\")
    if draw(st.booleans()):
        scheme = EscapeScheme(EscapeKind.BLOCK, "", '"', '"', '"')
    # The first character is a letter: an empty position is an absent element.
    text = st.text(alphabet='ab,;|\r\n~:"\\ ', max_size=6).map(lambda rest: "a" + rest + "z")
    return delimited(name, text=Text(escape=scheme)), text


@st.composite
def fixed_models(draw: st.DrawFn) -> tuple[Message, TreeElement]:
    """Return a model of fixed lengths, nested and repeated, and a tree of it."""
    members: list[Element | Sequence | Choice] = []
    top = TreeElement("m")
    for number in range(draw(st.integers(1, 6))):
        field, values = fixed_field(draw, f"f{number}")
        if draw(st.booleans()):
            count = draw(st.integers(1, 3))
            field.min_occurs = field.max_occurs = count
        else:
            count = 1
        parent = top
        if draw(st.booleans()):
            members.append(group(f"g{number}", sequence(field)))
            parent = top.add(f"g{number}")
        else:
            members.append(field)
        for _ in range(count):
            parent.add(field.name, draw(values))
    return message(sequence(*members)), top


@st.composite
def text_models(draw: st.DrawFn) -> tuple[Message, TreeElement]:
    """Return a model with delimiters inside delimiters, and a tree of it."""
    members: list[Element | Sequence | Choice] = []
    top = TreeElement("m")
    for number in range(draw(st.integers(1, 5))):
        field, values = text_field(draw, f"f{number}")
        if draw(st.booleans()):
            members.append(group(f"g{number}", sequence(field, delimited("last", Logical.INT), separator=marks(";"))))
            parent = top.add(f"g{number}")
            parent.add(field.name, draw(values))
            parent.add("last", draw(st.integers(0, 99)))
        else:
            members.append(field)
            top.add(field.name, draw(values))
    position = draw(st.sampled_from(list(SeparatorPosition)))
    markup = Markup(initiator=marks("<<"), terminator=marks(">>"))
    return message(sequence(*members, separator=marks(","), separator_position=position, markup=markup)), top


@st.composite
def tagged_models(draw: st.DrawFn) -> tuple[Message, TreeElement]:
    """Return a tagged model, and a tree of it with its elements in any order."""
    members: list[Element | Sequence | Choice] = []
    drawn: list[tuple[str, object]] = []
    for number in range(draw(st.integers(1, 5))):
        field, values = text_field(draw, f"f{number}")
        field.tag = f"T{number}"
        members.append(field)
        if draw(st.booleans()):
            drawn.append((field.name, draw(values)))
    top = TreeElement("m")
    for name, value in draw(st.permutations(drawn)):
        top.add(name, value)
    by_length = draw(st.booleans())
    return (
        message(
            sequence(
                *members,
                separation=Separation.TAGGED_DELIMITED,
                separator=marks("|"),
                tag_length=2 if by_length else 0,
                tag_data_separator=() if by_length else marks(":"),
            )
        ),
        top,
    )


@settings(max_examples=80, deadline=None)
@given(fixed_models(), st.sampled_from([(1208, BIG), (819, LITTLE), (37, ZOS), (500, BIG)]))
def test_records_of_fixed_length_come_back(made: tuple[Message, TreeElement], how: tuple[int, int]) -> None:
    model, top = made
    data = write(model, top, *how)
    found = read(model, data, *how)
    assert shape(found) == shape(top)
    assert write(model, found, *how) == data


@settings(max_examples=80, deadline=None)
@given(text_models(), st.sampled_from([1208, 37, 1200, 819]))
def test_delimited_text_comes_back(made: tuple[Message, TreeElement], ccsid: int) -> None:
    model, top = made
    data = write(model, top, ccsid)
    found = read(model, data, ccsid)
    assert shape(found) == shape(top)
    assert write(model, found, ccsid) == data


@settings(max_examples=60, deadline=None)
@given(tagged_models(), st.sampled_from([1208, 1047]))
def test_tagged_text_comes_back(made: tuple[Message, TreeElement], ccsid: int) -> None:
    model, top = made
    data = write(model, top, ccsid)
    assert shape(read(model, data, ccsid)) == shape(top)


@settings(max_examples=40, deadline=None)
@given(fixed_models(), st.binary(max_size=60))
def test_bytes_that_fit_a_model_are_written_back(made: tuple[Message, TreeElement], noise: bytes) -> None:
    """Any bytes of the right length: those that can be read give a tree that is written and read as the same tree."""
    model, top = made
    data = (noise * 20)[: len(write(model, top))]
    try:
        found = read(model, data)
    except BrokerError:
        return
    if "\ufffd" in repr(shape(found)):
        # Bytes that are no characters are replaced, and that cannot be undone.
        return
    # By text, because NaN is not equal to itself.
    assert repr(shape(read(model, write(model, found)))) == repr(shape(found))
